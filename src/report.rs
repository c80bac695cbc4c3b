//! Findings for people and tools. Pure. Plain text and CSV; a page that people read, one HTML file with charts that needs
//! neither a network nor a script; the same numbers as Markdown; the findings themselves as JSON.

mod charts;
mod document;
pub mod groups_csv;
mod json;
mod links;
mod number;
mod scale;
mod sections;
mod svg;
pub mod text;

use serde::Serialize;

pub use self::json::json;
use crate::digest;
use crate::stats::findings::Findings;
use crate::templates::{TemplateError, Templates};
use document::{Document, Section};
use sections::{
    Source, breakdowns, debates, differences, failures, judges, leaderboards, order, overview,
    rounds, scores, speed, wins,
};

/// The report as one HTML page. It loads nothing: its style is the only thing that its policy allows, by digest.
pub fn html(findings: &Findings, templates: &Templates) -> Result<String, TemplateError> {
    let style = templates.source("report/style.css").unwrap_or_default();
    let context = Context {
        page: page(findings),
        style,
        style_digest: digest::base64_of_bytes(style.as_bytes()),
    };
    rendered("report/page.html.j2", context, templates)
}

/// The report as Markdown: the tables of the page, with the same numbers.
pub fn markdown(findings: &Findings, templates: &Templates) -> Result<String, TemplateError> {
    let context = Context {
        page: page(findings),
        style: "",
        style_digest: String::new(),
    };
    let text = rendered("report/page.md.j2", context, templates)?;
    Ok(without_runs_of_blank_lines(&text))
}

/// Templates leave blank lines where parts are missing; no text of the report has a line of its own.
fn without_runs_of_blank_lines(text: &str) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    lines.dedup_by(|line, before| line.is_empty() && before.is_empty());
    format!("{}\n", lines.join("\n"))
}

/// What templates are filled with.
#[derive(Serialize)]
struct Context<'t> {
    page: Document,
    style: &'t str,
    style_digest: String,
}

fn rendered(
    template: &str,
    context: Context<'_>,
    templates: &Templates,
) -> Result<String, TemplateError> {
    let mut text = templates.render(template, context)?;
    text.truncate(text.trim_end().len());
    text.push('\n');
    Ok(text)
}

/// The report in the order in which it is read.
fn page(findings: &Findings) -> Document {
    let mut source = Source::new(findings);
    let counts = overview::counts(&mut source);
    let (first, no_first) = match overview::leaderboard(&mut source) {
        Ok(part) => (Some(part), None),
        Err(reason) => (None, Some(crate::text::one_line(&reason))),
    };
    let (sections, empty): (Vec<Section>, Vec<Section>) = sections(&mut source)
        .into_iter()
        .partition(|section| section.empty.is_none());
    let lines = |texts: &[String]| {
        texts
            .iter()
            .map(|text| crate::text::one_line(text))
            .collect()
    };
    Document {
        title: overview::title(&source),
        headlines: lines(&findings.headlines),
        cautions: lines(&findings.cautions),
        counts,
        provenance: overview::provenance(&source),
        first,
        no_first,
        sections,
        nothing: nothing(&empty),
        sets: source.links.into_sets(),
    }
}

/// The sections without anything to show, in one sentence, each with the reason.
fn nothing(empty: &[Section]) -> Option<String> {
    let named = empty.iter().map(|section| {
        let reason = section.empty.as_deref().unwrap_or_default();
        format!("{} ({})", section.title, reason.trim_end_matches('.'))
    });
    let named: Vec<String> = named.collect();
    (!named.is_empty()).then(|| format!("Nothing to show on: {}.", named.join("; ")))
}

fn sections(source: &mut Source<'_>) -> Vec<Section> {
    let more_boards = leaderboards::section(source);
    let charted = [
        wins::section(source),
        differences::section(source),
        scores::section(source),
        order::section(source),
        judges::section(source),
        rounds::consensus(source),
        rounds::survival(source),
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
