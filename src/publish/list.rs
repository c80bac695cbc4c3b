//! The list of all published debates: a table, searchable and sortable if scripts run.

use serde_json::{Value, json};

use super::debate::PublishedDebate;
use super::error::PublishError;
use super::site::Site;
use crate::artifacts::listing::{self, Side};
use crate::job::listed_as;
use crate::templates::Templates;

/// Its sheets and its script.
const SHEETS: [&str; 4] =
    ["pages/base.css", "pages/table.css", "pages/list.css", "pages/cards.css"];
const SCRIPT: &str = "pages/list.js";

/// Debates on a page: a browser needs seconds to lay out 20,000, and minutes to sort them.
const PAGE: usize = 500;

/// Writes the list, the newest debate first, with a link to the report if there is one. Many debates have several pages.
pub fn list(
    site: &mut Site,
    debates: &[PublishedDebate],
    has_report: bool,
    templates: &Templates,
) -> Result<(), PublishError> {
    let fronts: Vec<_> = debates.iter().map(PublishedDebate::front).collect();
    let which = listing::told_apart(&fronts);
    let all = debates.iter().zip(which).rev();
    let rows: Vec<Value> = all.map(|(debate, which)| row(debate, &which)).collect();
    for (name, page) in pages(&rows, has_report, templates)? {
        site.write(&name, String::new(), page.as_bytes())?;
    }
    Ok(())
}

/// The pages of the list, by name; one if there are no rows.
fn pages(
    rows: &[Value],
    has_report: bool,
    templates: &Templates,
) -> Result<Vec<(String, String)>, PublishError> {
    let all = rows.len().div_ceil(PAGE).max(1);
    let page = |n: usize| {
        let start = (n - 1) * PAGE;
        let context = json!({
            "title": "Debates",
            "all": rows.len(),
            "controls": rows.iter().filter(|row| row["control"] == true).count(),
            "rows": rows[start..].iter().take(PAGE).collect::<Vec<_>>(),
            "page": n,
            "pages": (1..=all).map(name).collect::<Vec<_>>(),
            "has_report": has_report,
            "assets": templates.assets(&SHEETS, &[SCRIPT]),
        });
        let page = templates.render("pages/list.html.j2", context)?;
        Ok((name(n), format!("{}\n", page.trim_end())))
    };
    (1..=all).map(page).collect()
}

/// The name of a page of the list.
fn name(n: usize) -> String {
    if n == 1 { "index.html".to_owned() } else { format!("index-{n}.html") }
}

fn row(debate: &PublishedDebate, which: &str) -> Value {
    let front = debate.front();
    let field = |key: &str| front.get(key).cloned().unwrap_or_default();
    let started = field("started_at");
    json!({
        "href": debate.href(),
        "topic": field("topic"),
        "which": which,
        "outcome": field("outcome"),
        "cause": field("cause"),
        "status": field("status"),
        "rehearsal": field("rehearsal"),
        "format": field("format").as_str().map(listed_as),
        "control": !field("cell")["arm"].is_null(),
        "job": field("job"),
        "margin": field("margin").as_f64(),
        "sides": listing::sides(&Side::all(&field("sides"))),
        "begun": started.as_str().map(|at| at.get(..16).unwrap_or(at).replace('T', " ")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(debates: usize) -> Vec<(String, String)> {
        let row = |n: usize| {
            let names = [
                "which",
                "outcome",
                "cause",
                "status",
                "rehearsal",
                "format",
                "job",
                "margin",
                "sides",
                "begun",
            ];
            let mut row: serde_json::Map<String, Value> =
                names.iter().map(|name| ((*name).to_owned(), Value::Null)).collect();
            row.insert("topic".to_owned(), json!(format!("Topic {n}.")));
            row.insert("href".to_owned(), json!(format!("./d/{n}/debate.html")));
            Value::Object(row)
        };
        let rows: Vec<Value> = (0..debates).map(row).collect();
        pages(&rows, true, &Templates::load(None).unwrap()).unwrap()
    }

    fn links<'p>(page: &'p str, rel: &str) -> Option<&'p str> {
        let (before, _) = page.split_once(&format!("\" rel=\"{rel}\""))?;
        before.rsplit_once("href=\"").map(|(_, link)| link)
    }

    #[test]
    fn l2_a_list_of_many_debates_has_pages_that_lead_to_each_other() {
        let all = of(1001);
        let names: Vec<&str> = all.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["index.html", "index-2.html", "index-3.html"]);
        let counts = all.iter().map(|(_, page)| page.matches("<tr><th scope=\"row\">").count());
        assert_eq!(counts.collect::<Vec<_>>(), [500, 500, 1]);
        for n in 0..1001 {
            let (_, page) = &all[n / PAGE];
            assert!(page.contains(&format!("Topic {n}.")), "{n}");
        }
        let around = |n: usize| (links(&all[n].1, "prev"), links(&all[n].1, "next"));
        assert_eq!(around(0), (None, Some("index-2.html")));
        assert_eq!(around(1), (Some("index.html"), Some("index-3.html")));
        assert_eq!(around(2), (Some("index-2.html"), None));
        assert!(all.iter().all(|(_, page)| page.contains("1,001 debates")));
        assert!(all[1].1.contains("Page 2 of 3") && all[1].1.contains("Find on this page"));
    }

    #[test]
    fn l2_few_debates_have_one_list_and_none_too() {
        for debates in [0, 1, 500] {
            let all = of(debates);
            assert_eq!(all.len(), 1);
            assert!(!all[0].1.contains("Page 1") && !all[0].1.contains("on this page"));
        }
    }
}
