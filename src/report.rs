//! Findings for people and tools. Pure. Plain text and CSV; a page that people read, one HTML file with charts that needs
//! neither a network nor a script; the same numbers as Markdown; the findings themselves as JSON.

mod charts;
pub mod groups_csv;
mod links;
mod number;
mod page;
mod scale;
mod sections;
mod svg;
pub mod text;

use serde_json::{Value, json};

use crate::digest;
use crate::stats::findings::Findings;
use crate::templates::{TemplateError, Templates, inert_json};
use page::{Page, Section};
use sections::{
    Source, breakdowns, course, debates, differences, failures, first, judges, leaderboards, order,
    scores, speed, wins,
};

/// The report as one HTML page. It loads nothing: its style is the only thing that its policy allows, by digest.
pub fn html(findings: &Findings, templates: &Templates) -> Result<String, TemplateError> {
    let style = templates.source("report/style.css").unwrap_or_default();
    let own = json!({ "style": style, "style_digest": digest::base64_of_bytes(style.as_bytes()) });
    rendered("report/page.html.j2", findings, own, templates)
}

/// The report as Markdown: the tables of the page, with the same numbers.
pub fn markdown(findings: &Findings, templates: &Templates) -> Result<String, TemplateError> {
    rendered("report/page.md.j2", findings, json!({}), templates)
}

/// The findings themselves.
pub fn json(findings: &Findings) -> String {
    // Findings are plain data with names for keys, which cannot fail to be JSON.
    let json = serde_json::to_string_pretty(findings).unwrap_or_default();
    format!("{}\n", inert_json(&json))
}

fn rendered(
    template: &str,
    findings: &Findings,
    mut context: Value,
    templates: &Templates,
) -> Result<String, TemplateError> {
    context["page"] = json!(page(findings));
    let text = templates.render(template, &context)?;
    Ok(format!("{}\n", text.trim_end()))
}

/// The report in the order in which it is read.
fn page(findings: &Findings) -> Page {
    let mut source = Source::new(findings);
    let counts = first::counts(&mut source);
    let (first, no_first) = match first::leaderboard(&mut source) {
        Ok(part) => (Some(part), None),
        Err(reason) => (None, Some(crate::text::one_line(&reason))),
    };
    let sections = sections(&mut source);
    let lines = |texts: &[String]| {
        texts
            .iter()
            .map(|text| crate::text::one_line(text))
            .collect()
    };
    Page {
        title: first::title(&source),
        headlines: lines(&findings.headlines),
        cautions: lines(&findings.cautions),
        counts,
        provenance: first::provenance(&source),
        first,
        no_first,
        sections,
        sets: source.links.into_sets(),
    }
}

fn sections(source: &mut Source<'_>) -> Vec<Section> {
    let more_boards = leaderboards::section(source);
    let charted = [
        wins::section(source),
        differences::section(source),
        scores::section(source),
        order::section(source),
        judges::section(source),
        course::consensus(source),
        course::survival(source),
        speed::section(source),
        failures::section(source),
    ];
    let listed = [
        breakdowns::section(source),
        failures::damaged(source),
        debates::section(source),
    ];
    more_boards
        .into_iter()
        .chain(charted)
        .chain(listed)
        .collect()
}
