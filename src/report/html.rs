//! The report as one HTML page.

use serde::Serialize;

use super::document::Document;
use super::full::fitting;
use crate::html::Assets;
use crate::stats::findings::Findings;
use crate::templates::{Result, Templates};

/// The sheets of its page, and the script of its table of debates.
const SHEETS: [&str; 4] =
    ["pages/base.css", "pages/chart.css", "pages/table.css", "report/style.css"];
const SCRIPT: &str = "pages/list.js";

/// The report as one HTML page. It loads nothing: its style and a short script are all that its policy allows, by digest.
pub fn html(findings: &Findings, templates: &Templates) -> Result<String> {
    fitting(findings, |page| {
        let assets = templates.assets(&SHEETS, &[SCRIPT]);
        let page = templates.render("report/page.html.j2", Context { page, assets })?;
        Ok(format!("{}\n", page.trim_end()))
    })
}

/// What the template is filled with.
#[derive(Serialize)]
struct Context {
    page: Document,
    assets: Assets,
}
