//! Findings for people and tools. Pure. One presentation tree (`document`) is rendered as text, as Markdown and as a page:
//! one HTML file with charts that needs neither a network nor a script. JSON holds the findings themselves.

mod brief;
mod charts;
mod commands;
mod cut;
mod document;
mod figures;
pub mod groups_csv;
mod json;
mod limits;
mod links;
mod number;
mod sections;
mod short;
mod text;
mod worth;

use serde::Serialize;

pub use self::figures::{FigureFile, figures};
pub use self::json::json;
pub(crate) use self::links::href;
use crate::html::Assets;
use crate::stats::findings::Findings;
use crate::templates::{TemplateError, Templates};
use crate::text::{estimate_tokens, grouped, one_line};
use document::{Document, Section};
use limits::{ALL, Limits, MOST_BYTES};
use sections::{
    Source, alone, answers, breakdowns, debaters, debates, differences, examples, failures, judges,
    labels, leaderboards, order, overview, panels, rounds, scores, speed, wins,
};

/// The sheets of its page, and the script of its table of debates.
const SHEETS: [&str; 4] = [
    "pages/base.css",
    "pages/chart.css",
    "pages/table.css",
    "report/style.css",
];
const SCRIPT: &str = "pages/list.js";

/// The report as one HTML page. It loads nothing: its style and a short script are all that its policy allows, by digest.
pub fn html(findings: &Findings, templates: &Templates) -> Result<String, TemplateError> {
    fitting(findings, |page| {
        let assets = Some(templates.assets(&SHEETS, &[SCRIPT]));
        let page = templates.render("report/page.html.j2", Context { page, assets })?;
        Ok(format!("{}\n", page.trim_end()))
    })
}

/// The report as Markdown: the tables of the page, with the same numbers.
pub fn markdown(findings: &Findings, templates: &Templates) -> Result<String, TemplateError> {
    fitting(findings, |page| in_markdown(page, templates))
}

/// A report on many debates with lists that are short enough.
fn fitting(
    findings: &Findings,
    render: impl Fn(Document) -> Result<String, TemplateError>,
) -> Result<String, TemplateError> {
    let mut text = String::new();
    for limits in Limits::of(findings) {
        text = render(document(findings, *limits))?;
        if text.len() <= MOST_BYTES {
            break;
        }
    }
    Ok(text)
}

/// The report as Markdown in short: under 4,000 tokens, however much was debated.
pub fn brief(findings: &Findings, templates: &Templates) -> Result<String, TemplateError> {
    let mut text = String::new();
    for room in brief::ROOMS {
        text = in_markdown(brief::document(findings, room), templates)?;
        if estimate_tokens(&text) < brief::MOST_TOKENS {
            break;
        }
    }
    Ok(text)
}

fn in_markdown(page: Document, templates: &Templates) -> Result<String, TemplateError> {
    let context = Context { page, assets: None };
    let text = templates.render("report/page.md.j2", context)?;
    // Templates leave blank lines where parts are missing; no text of the report has its own line.
    let mut lines: Vec<&str> = text.trim_end().lines().collect();
    lines.dedup_by(|line, before| line.is_empty() && before.is_empty());
    Ok(format!("{}\n", lines.join("\n")))
}

/// Characters of a line of text, if no terminal sets another number.
pub const WIDTH: usize = 100;

/// The report as plain text for a terminal, in lines of this many characters as far as tables can give way.
pub fn text(findings: &Findings, width: usize) -> String {
    let document = document(findings, ALL);
    let is_grouped = findings.breakdowns.iter().any(|it| !it.by.is_empty());
    let document = match findings.counts.topics {
        1 => short::of_one_topic(document, is_grouped),
        // Without a debate, the first finding is the reason for all that is missing.
        0 => Document {
            nothing: None,
            ..document
        },
        _ => document,
    };
    text::text(&document, width)
}

/// What templates are filled with.
#[derive(Serialize)]
struct Context {
    page: Document,
    /// What a page carries; Markdown carries nothing.
    assets: Option<Assets>,
}

/// The report with lists and tables that are as long as they may be, and the debates behind what is left.
fn document(findings: &Findings, limits: Limits) -> Document {
    let mut source = Source::new(findings, limits);
    let everything = source.commands.everything();
    let document = whole(&mut source).with_rows(limits.rows, &everything);
    let named = document.sets_referred_to();
    let (sets, behind) = (source.links).into_sets(|set| named.contains(&set), limits);
    let (few, all) = (behind.len(), findings.debates.len());
    let part = format!("{few} of {} counted debates", grouped(all));
    Document {
        sets,
        behind,
        part: (limits != ALL && few < all).then_some(part),
        ..document
    }
}

/// All of it in the order in which it is read, but for the lists of debates.
fn whole(source: &mut Source<'_>) -> Document {
    let findings = source.findings;
    let (counts, absent) = overview::counts(source);
    let (leaderboard, more) = leaderboards::sections(source);
    let answers = [answers::section(source), alone::section(source)];
    let answers = answers.into_iter().flatten();
    let sections = more.into_iter().chain(answers).chain(sections(source));
    let (sections, empty): (Vec<Section>, Vec<Section>) =
        sections.partition(|section| section.empty.is_none());
    let lines = |texts: &[String]| texts.iter().map(|text| one_line(text)).collect();
    Document {
        title: overview::title(source),
        found: overview::heading(source),
        design: overview::design(source),
        headlines: overview::with_key(lines(&findings.headlines)),
        cautions: lines(&findings.cautions),
        counts,
        absent,
        leaderboard,
        provenance: overview::provenance(source),
        sections,
        nothing: nothing(&empty),
        sets: Vec::new(),
        behind: Vec::new(),
        part: None,
        command: None,
    }
}

/// The sections with nothing to show, in one sentence, each with the reason.
fn nothing(empty: &[Section]) -> Option<String> {
    let named = empty.iter().map(|section| {
        let reason = section.empty.as_deref().unwrap_or_default();
        format!("{} ({})", section.title, reason.trim_end_matches('.'))
    });
    let named: Vec<String> = named.collect();
    (!named.is_empty()).then(|| format!("No data for: {}.", named.join("; ")))
}

fn sections(source: &mut Source<'_>) -> Vec<Section> {
    // Most corpora know no panels and no people: it is nothing that is missing.
    let readers = [panels::section(source), labels::section(source)];
    let until_debaters = [wins::section(source), examples::section(source)];
    let debaters = [
        Some(debaters::section(source)),
        debaters::side_by_side(source),
    ];
    let until_judges = [
        debaters::more(source),
        differences::section(source),
        scores::section(source),
        order::section(source),
        judges::section(source),
    ];
    let others = [
        rounds::consensus(source),
        rounds::survival(source),
        speed::section(source),
        failures::section(source),
        breakdowns::section(source),
        debates::damaged(source),
        debates::section(source),
    ];
    let readers = readers.into_iter().flatten();
    until_debaters
        .into_iter()
        .chain(debaters.into_iter().flatten())
        .chain(until_judges)
        .chain(readers)
        .chain(others)
        .collect()
}
