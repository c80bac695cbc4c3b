//! Incidents by cause, and replies read despite their form.

use super::super::charts::bars;
use super::{Chart, Figure, Section, Source, cells};
use crate::event::{IncidentKind, how_said};
use crate::stats::FAILED;

/// Bars in the chart; the table has all.
const DRAWN: usize = 25;

/// The section.
pub(crate) fn section(source: &mut Source<'_>) -> Section {
    let figures = [incidents(source), read_as(source)].into_iter().flatten();
    let intro = "Incidents and causes of failed debates, most frequent first. Debates with emergency replies or fallback models are counted but not compared.";
    let empty = "Nothing went wrong.";
    Section::new("failures", "Incidents", intro, figures, empty)
}

fn incidents(source: &mut Source<'_>) -> Option<Figure> {
    let failures = &source.findings.failures;
    let title = "Incidents by cause";
    let mut figure = Figure::new(title, "cause|#incidents|#debates");
    let mut bars = Vec::new();
    for failure in failures {
        let cause = words(&failure.kind);
        let debates = source.debates(&failure.debates, &cause);
        figure.row(false, cells![&cause, failure.incidents, debates]);
        bars.push((cause, failure.incidents));
    }
    bars.truncate(DRAWN);
    let label = source.label(title, "A bar per cause, with its frequency as length.");
    let chart = bars::chart(&label, &bars).map(Chart::fluid);
    let all: usize = failures.iter().map(|failure| failure.incidents).sum();
    let most = failures.first().filter(|first| first.incidents > 1);
    let first = most.map(|first| {
        let (cause, n) = (words(&first.kind), first.incidents);
        format!("{cause} are the most frequent, {n} of {all}")
    });
    figure.charted(chart, "How often each cause occurred.").finding(first).filled()
}

/// What happened several times, by its word in statistics.
fn words(kind: &str) -> String {
    if kind == FAILED { format!("{FAILED}s") } else { IncidentKind::of(kind).words(2) }
}

/// What made replies usable that were not given as asked.
fn read_as(source: &mut Source<'_>) -> Option<Figure> {
    let mut figure = Figure::new("Replies read generously", "what was done|#replies|#debates");
    for one in &source.findings.read_as {
        let what = how_said(&one.how).replace('_', " ");
        let debates = source.debates(&one.debates, &what);
        figure.row(false, cells![&what, one.replies, debates]);
    }
    let note = "For statements, judgments and notes requested in a fixed form. A reply may need several of these.";
    Some(figure.filled()?.noting([note.to_owned()]))
}
