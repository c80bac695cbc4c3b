//! The full report: every section, with lists that are short enough for its form.

use super::document::{Document, Section};
use super::links;
use super::list_limits::{ALL, Limits, MOST_BYTES};
use super::sections::{
    Source, alone, answers, breakdowns, debaters, debates, differences, examples, failures, judges,
    labels, leaderboards, order, overview, panels, rounds, scores, speed, wins, won,
};
use crate::stats::findings::Findings;
use crate::templates::Result;
use crate::text::{grouped, one_line};

/// A report on many debates with lists that are short enough.
pub(super) fn fitting(
    findings: &Findings,
    render: impl Fn(Document) -> Result<String>,
) -> Result<String> {
    let mut text = String::new();
    for limits in Limits::of(findings) {
        text = render(document(findings, *limits))?;
        if text.len() <= MOST_BYTES {
            break;
        }
    }
    Ok(text)
}

/// The report with lists and tables that are as long as they may be, and the debates behind what is left.
pub(super) fn document(findings: &Findings, limits: Limits) -> Document {
    let mut source = Source::new(findings, limits);
    let everything = source.links.commands.everything();
    let document = whole(&mut source).with_rows(limits.rows, &everything);
    let named = document.sets_referred_to();
    let (sets, named) = (source.links).into_sets(|set| named.contains(&set), limits);
    let (few, all) = (named.len(), findings.debates.len());
    let part = format!("{few} of {} counted debates", grouped(all));
    let behind = debates::behind(findings, limits, named);
    Document { sets, behind, part: (limits != ALL && few < all).then_some(part), ..document }
}

/// All of it in the order in which it is read, but for the lists of debates.
fn whole(source: &mut Source<'_>) -> Document {
    let findings = source.findings;
    let (counts, absent) = overview::counts(source);
    let (leaderboard, more) = leaderboards::sections(source);
    let answers = [answers::section(source), alone::section(source)].into_iter().flatten();
    let sections = more.into_iter().chain(answers).chain(sections(source));
    let (sections, empty): (Vec<Section>, Vec<Section>) =
        sections.partition(|section| section.empty.is_none());
    let lines = |texts: &[String]| texts.iter().map(|text| one_line(text)).collect();
    Document {
        title: overview::title(source),
        found: overview::heading(source),
        design_line: overview::design_line(source),
        design: overview::design(source),
        won: won::lines(source, source.limits.rows),
        outcomes: links::outcomes(findings),
        headlines: overview::with_key(lines(&findings.headlines)),
        cautions: lines(&findings.cautions),
        counts,
        absent,
        leaderboard,
        provenance: overview::provenance(source),
        sections,
        nothing: nothing(&empty),
        ..Document::default()
    }
}

/// The sections with nothing to show, in one sentence, each with the reason.
fn nothing(empty: &[Section]) -> Option<String> {
    let named: Vec<String> = empty
        .iter()
        .map(|section| {
            let reason = section.empty.as_deref().unwrap_or_default();
            format!("{} ({})", section.title, reason.trim_end_matches('.'))
        })
        .collect();
    (!named.is_empty()).then(|| format!("No data for: {}.", named.join("; ")))
}

fn sections(source: &mut Source<'_>) -> Vec<Section> {
    // Most corpora know no panels and no people: it is nothing that is missing.
    let readers = [panels::section(source), labels::section(source)];
    let until_judges = [
        Some(wins::section(source)),
        Some(examples::section(source)),
        Some(debaters::section(source)),
        debaters::side_by_side(source),
        Some(debaters::more(source)),
        Some(differences::section(source)),
        Some(scores::section(source)),
        Some(order::section(source)),
        Some(judges::section(source)),
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
    until_judges.into_iter().chain(readers).flatten().chain(others).collect()
}
