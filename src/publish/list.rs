//! The list of all published debates: a table, searchable and sortable if scripts run.

use serde_json::{Value, json};

use super::debate::PublishedDebate;
use super::error::PublishError;
use super::site::Site;
use crate::artifacts::listing::{self, Side};
use crate::templates::Templates;

/// Its sheets and its script.
const SHEETS: [&str; 3] = ["pages/base.css", "pages/table.css", "pages/list.css"];
const SCRIPT: &str = "pages/list.js";

/// Writes the list, the newest debate first, with a link to the report if there is one.
pub fn list(
    site: &mut Site,
    debates: &[PublishedDebate],
    has_report: bool,
    templates: &Templates,
) -> Result<(), PublishError> {
    let rows: Vec<Value> = debates.iter().rev().map(row).collect();
    let context = json!({
        "title": "Debates",
        "rows": rows,
        "has_report": has_report,
        "assets": templates.assets(&SHEETS, &[SCRIPT]),
    });
    let page = templates.render("pages/list.html.j2", context)?;
    let page = format!("{}\n", page.trim_end());
    site.write("index.html", String::new(), page.as_bytes())
}

fn row(debate: &PublishedDebate) -> Value {
    let front = debate.front();
    let field = |key: &str| front.get(key).cloned().unwrap_or_default();
    let started = field("started_at");
    json!({
        "href": debate.href(),
        "topic": field("topic"),
        "outcome": field("outcome"),
        "cause": field("cause"),
        "status": field("status"),
        "rehearsal": field("rehearsal"),
        "format": field("format"),
        "job": field("job"),
        "margin": field("margin").as_f64(),
        "sides": listing::sides(&Side::all(&field("sides"))),
        "begun": started.as_str().map(|at| at.get(..16).unwrap_or(at).replace('T', " ")),
    })
}
