//! Differences between models on what both debated.

use super::super::charts::whiskers::{Axis, Whisker};
use super::super::document::{Cell, DataTable, Figure, Section};
use super::super::number::Rounding;
use super::super::svg::clipped;
use super::{SMALL, Source, label, whiskered};
use crate::stats::findings::{Comparisons, PairedDifference, Unit};
use crate::text;

const SCORE: Rounding = Rounding::Unit(Unit::Score);
/// Characters of a model's name beside another.
const SIDE_CHARS: usize = 19;
/// Pairs that a chart has at most; the table has all.
const DRAWN: usize = 40;

/// The section.
pub(crate) fn section(source: &mut Source<'_>) -> Section {
    let families = &source.findings.comparisons;
    let mut parts: Vec<Figure> = families
        .iter()
        .filter(|family| !family.pairs.is_empty())
        .enumerate()
        .map(|(n, family)| part(source, family, n + 1))
        .collect();
    if let Some(last) = parts.pop() {
        parts.push(last.noting(families.iter().filter_map(without_pairs)));
    }
    let why = families.iter().find_map(|family| family.reason.clone());
    let empty = why.unwrap_or_else(|| "No two models debated the same.".to_owned());
    let intro = "The first model's score less the second's on the same topics, clustered by topic, each p corrected after Holm for all pairs of its format. Inside the grey band lies what so many pairs would miss more than one time in five.";
    Section::new("differences", "Paired differences", intro, parts, &empty)
}

/// Why a format has no pair to show.
fn without_pairs(family: &Comparisons) -> Option<String> {
    let reason = family.reason.as_ref().filter(|_| family.pairs.is_empty())?;
    Some(format!("No pair in {} debates: {reason}.", family.format))
}

fn part(source: &mut Source<'_>, family: &Comparisons, n: usize) -> Figure {
    let title = format!("{}: {}", family.format, words(&family.measure));
    let mut drawn: Vec<&PairedDifference> = family.pairs.iter().collect();
    drawn.sort_by(|a, b| p(a).total_cmp(&p(b)));
    drawn.truncate(DRAWN);
    let whiskers: Vec<Whisker> = drawn
        .into_iter()
        .map(|pair| whisker(source, pair))
        .collect();
    let axis = Axis {
        form: SCORE,
        reference: Some(0.0),
        ends: None,
    };
    let desc = format!(
        "{} of models, each with the difference of their scores and its {} interval around a line at zero.",
        text::count(whiskers.len() as u64, "pair"),
        source.confidence()
    );
    let label = label("differences", n, &title, &desc);
    let across = family.pairs.iter().filter(|pair| pair.across_seats).count();
    let across = (across > 0).then(|| {
        let pairs = crate::text::count(across as u64, "pair");
        format!(
            "{pairs} (marked *) took no seat of a debate in common and are compared over all seats."
        )
    });
    let (caption, table) = (caption(source, family), table(source, family, &title));
    let mut part = whiskered(&label, &whiskers, axis, &caption, table)
        .with_keys_of(
            &whiskers,
            "may be zero",
            "clearly not zero after correction",
        )
        .with_key("blind", "too small to be found")
        .noting(across)
        .noting(family.reason.clone());
    if family.pairs.len() > DRAWN {
        let note =
            format!("The chart shows the {DRAWN} pairs with the smallest p; the table has all.");
        part = part.noting([note]);
    }
    part
}

/// `score.total` as words.
fn words(measure: &str) -> String {
    match measure.strip_prefix("score.") {
        Some(criterion) => format!("{} score", criterion.replace('_', " ")),
        None => measure.replace('_', " "),
    }
}

/// What pairs are sorted by: those without a p come last.
fn p(pair: &PairedDifference) -> f64 {
    pair.p_adjusted.or(pair.p).unwrap_or(2.0)
}

fn caption(source: &Source<'_>, family: &Comparisons) -> String {
    let scale = family
        .scale
        .map(|(low, high)| format!(" on a scale from {low} to {high}"));
    format!(
        "Differences in {}{} of {} debates, first model less second, with {} intervals.",
        words(&family.measure),
        scale.unwrap_or_default(),
        family.format,
        source.confidence()
    )
}

fn whisker(source: &Source<'_>, pair: &PairedDifference) -> Whisker {
    let level = 1.0 - source.findings.provenance.confidence;
    Whisker {
        name: format!(
            "{} − {}",
            clipped(&pair.a, SIDE_CHARS),
            clipped(&pair.b, SIDE_CHARS)
        ),
        value: pair.difference.value,
        low: pair.difference.low,
        high: pair.difference.high,
        blind: pair.detectable,
        muted: pair.difference.n < SMALL,
        told: pair.p_adjusted.is_some_and(|p| p < level),
        ..Whisker::default()
    }
}

fn table(source: &mut Source<'_>, family: &Comparisons, title: &str) -> DataTable {
    let difference = format!("#difference [{}]", source.confidence());
    let columns = [
        "first",
        "second",
        &difference,
        "#p",
        "#p after Holm",
        "#detectable",
        "#design effect",
        "#pairs",
        "#topics",
        "#debates",
    ];
    let mut table = DataTable::new(title, &columns);
    for pair in &family.pairs {
        let (a, b, d) = (pair.a.as_str(), pair.b.as_str(), &pair.difference);
        let set = source.set(&pair.debates, &format!("{title}: {a} and {b}"));
        let why = d.reason.as_deref();
        let cells = vec![
            Cell::text(a),
            Cell::text(&format!("{b}{}", if pair.across_seats { " *" } else { "" })),
            Cell::estimate(d, SCORE),
            Cell::number(pair.p, Rounding::PValue, why),
            Cell::number(pair.p_adjusted, Rounding::PValue, why),
            Cell::number(pair.detectable, SCORE, why),
            Cell::number(pair.deff, Rounding::Decimals(2), why),
            Cell::count(d.n),
            Cell::count(d.clusters),
            Cell::debates(set),
        ];
        table.row_that_is(d.n < SMALL, cells);
    }
    table
}
