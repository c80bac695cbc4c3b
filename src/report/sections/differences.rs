//! Differences between models on what both debated.

use super::{
    Axis, Cell, Figure, Rounding, Section, Source, Unit, Whisker, cells, clipped, count, number,
    small, topics_needed,
};
use crate::stats::findings::{Comparisons, PairedDifference, PairedSeats};
use crate::text::told_if;

/// Characters of a model's name beside another.
const SIDE_CHARS: usize = 19;
/// How to read the section.
const INTRO: &str = "First model's score minus the second's on the same topics, across seats where seats and opponents are balanced, otherwise within a seat against the same opponents, clustered by topic; p is Holm-corrected for all pairs of the format. To be a finding, a difference must pass stricter rules than p below 5%.";
/// How to read its columns on what could have been detected.
const POWER: &str = "“Detectable” is the smallest difference that the topics at hand show four times out of five; “topics for …” is how many such topics it takes to show a difference of that size as often.";

/// Marks of rows, and what they mean.
const FEW_TOPICS: &str = "too few topics to know, or for any difference on the scale";
const ACROSS: char = '*';
const ACROSS_MEANS: &str = "never in the same seat with all else equal, nor in balanced seats on any topic, so compared across all seats.";
const OPPONENTS: char = '†';
const UNPAIRED: char = '‡';
const UNPAIRED_MEANS: &str = "some debates between the two are in no pair, because no other debate has them in exchanged seats with all else the same.";
const OPPONENTS_MEANS: &str = "the two did not meet the same opponents equally often.";

/// The section.
pub(crate) fn section(source: &mut Source<'_>) -> Section {
    let families = &source.findings.comparisons;
    let compared = families.iter().filter(|family| !family.pairs.is_empty());
    let mut figures: Vec<Figure> = compared.map(|family| figure(source, family)).collect();
    if let Some(last) = figures.pop() {
        figures.push(last.noting(families.iter().filter_map(without_pairs)));
    }
    let why = families.iter().find_map(|family| family.reason.clone());
    let empty = why.unwrap_or_else(|| "No two models debated the same topic.".to_owned());
    let intro = if source.findings.counts.know_power() {
        format!("{INTRO} {POWER}")
    } else {
        INTRO.to_owned()
    };
    Section::new("differences", "Paired differences", intro, figures, &empty)
}

/// Why a format has no pair to show.
fn without_pairs(family: &Comparisons) -> Option<String> {
    let reason = family.reason.as_ref().filter(|_| family.pairs.is_empty())?;
    Some(format!("No pair in {} debates: {reason}.", family.format))
}

fn figure<'f>(source: &mut Source<'f>, family: &'f Comparisons) -> Figure {
    let title = format!("{}: total score", family.format);
    let planned = family.planned.map(|planned| number(Unit::Score, planned));
    let needed = planned.map_or("planned".to_owned(), |it| format!("{it} points"));
    let columns = format!(
        "first|second|±difference|#p|#p (Holm)|!detectable|!topics for {needed}|#pairs|#topics|#debates"
    );
    let mut figure = source.table(&title, &columns);
    let mut drawn: Vec<&PairedDifference> = family.pairs.iter().collect();
    drawn.sort_by(|a, b| p(a).total_cmp(&p(b)));
    let listed = if family.pairs.len() > source.limits.rows {
        drawn.clone()
    } else {
        family.pairs.iter().collect()
    };
    for pair in listed {
        let cells = row(source, pair, &title);
        figure.row(small(&pair.found.estimate), cells);
    }
    let most = source.limits.drawn;
    figure.whiskers.extend(drawn.into_iter().take(most).map(whisker));
    let caption = format!(
        "Differences in total score{} in {} debates, first model minus second, {{intervals by topic}}.",
        family.on_scale(),
        family.format,
    );
    let cut = (family.pairs.len() > most)
        .then(|| format!("The chart shows the {most} pairs with the smallest p; a table that lacks rows has these first."));
    source
        .whiskers(figure, Axis::around(0.0, Unit::Score), &caption)
        .finding(finding(family))
        .noting(marks(family))
        .noting(family.reason.clone())
        .noting(cut)
}

/// What the marks of rows mean.
fn marks(family: &Comparisons) -> impl Iterator<Item = String> {
    let marked = |mark| family.pairs.iter().any(|pair| mark_of(pair).contains(mark));
    let meanings =
        [(ACROSS, ACROSS_MEANS), (OPPONENTS, OPPONENTS_MEANS), (UNPAIRED, UNPAIRED_MEANS)];
    let used = meanings.into_iter().filter(move |(mark, _)| marked(*mark));
    used.map(|(mark, meaning)| format!("Marked {mark}: {meaning}"))
}

fn mark_of(pair: &PairedDifference) -> String {
    let across = (pair.seats == Some(PairedSeats::Any)).then_some(ACROSS);
    let opponents = (!pair.same_opponents).then_some(OPPONENTS);
    let unpaired = (pair.unpaired_meetings > 0).then_some(UNPAIRED);
    [across, opponents, unpaired].into_iter().flatten().collect()
}

/// The pair that differs most clearly, or that none does; nothing if none was tested.
fn finding(family: &Comparisons) -> Option<String> {
    let tested = || family.pairs.iter().filter(|pair| pair.found.p.is_some());
    let clear = tested().filter(|pair| pair.clear);
    let Some(first) = clear.clone().min_by(|a, b| p(a).total_cmp(&p(b))) else {
        return tested().next().map(|_| "no two models differ clearly".to_owned());
    };
    let others = clear.count() - 1;
    let more = told_if(others > 0, || format!(", and {} more", count(others, "pair")));
    let by = first.found.estimate.value?;
    let [above, below] = first.in_order();
    let by = number(Unit::Score, by.abs());
    Some(format!("{above} is {by} above {below}{more}"))
}

/// What pairs are sorted by: those without a p come last.
fn p(pair: &PairedDifference) -> f64 {
    pair.found.p_adjusted.or(pair.found.p).unwrap_or(2.0)
}

fn whisker(pair: &PairedDifference) -> Whisker {
    let side = |name| clipped(name, SIDE_CHARS);
    let name = format!("{} − {}", side(&pair.a), side(&pair.b));
    Whisker { told: Some(pair.clear), ..Whisker::from_difference(name, &pair.found) }
}

fn row<'f>(source: &mut Source<'f>, pair: &'f PairedDifference, title: &str) -> Vec<Cell> {
    let (a, b, d) = (&pair.a, &pair.b, &pair.found.estimate);
    let why = d.reason.as_deref();
    let second = [b.clone(), mark_of(pair)].join(" ");
    cells![
        a,
        second.trim_end(),
        Cell::estimate(d, Unit::Score),
        Cell::number(pair.found.p, Rounding::PValue, why),
        Cell::number(pair.found.p_adjusted, Rounding::PValue, why),
        Cell::number(pair.found.detectable, Unit::Score, why.or(Some(FEW_TOPICS))),
        needed(pair),
        d.n,
        d.clusters,
        source.debates(&pair.debates, &format!("{title}: {a} and {b}")),
    ]
}

fn needed(pair: &PairedDifference) -> Cell {
    let found = &pair.found.estimate;
    let reason = found.reason.as_deref();
    let is_detectable = pair.found.detectable.is_some();
    let other = if is_detectable { "no scale to choose a difference on" } else { FEW_TOPICS };
    let none = || Cell::missing(reason.unwrap_or(other));
    pair.topics_needed.map_or_else(none, |all| topics_needed(all, found.clusters))
}
