//! The report as Markdown, in full and in short.

use serde::Serialize;

use super::brief::{MOST_TOKENS, ROOMS, document};
use super::document::Document;
use super::full::fitting;
use crate::stats::findings::Findings;
use crate::templates::{Result, Templates};
use crate::text::estimate_tokens;

/// What the template is filled with.
#[derive(Serialize)]
struct Context {
    has_intervals: bool,
    page: Document,
}

/// The report as Markdown: the tables of the page, with the same numbers.
pub fn markdown(findings: &Findings, templates: &Templates) -> Result<String> {
    fitting(findings, |page| in_markdown(page, templates))
}

/// The report as Markdown in short: under 4,000 tokens, however much was debated.
pub fn brief(findings: &Findings, templates: &Templates) -> Result<String> {
    let mut text = String::new();
    for room in ROOMS {
        text = in_markdown(document(findings, room), templates)?;
        if estimate_tokens(&text) < MOST_TOKENS {
            break;
        }
    }
    Ok(text)
}

fn in_markdown(page: Document, templates: &Templates) -> Result<String> {
    let text = templates
        .render("report/page.md.j2", Context { has_intervals: page.has_intervals(), page })?;
    // Templates leave blank lines where parts are missing; no text of the report has its own line.
    let mut lines: Vec<&str> = text.trim_end().lines().collect();
    lines.dedup_by(|line, before| line.is_empty() && before.is_empty());
    Ok(format!("{}\n", lines.join("\n")))
}
