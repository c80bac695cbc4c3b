//! What went wrong, by cause.

use super::super::charts::tally;
use super::super::document::{Chart, Figure, Section, cells};
use super::Source;

/// Bars in the chart; the table has all.
const DRAWN: usize = 25;

/// The section.
pub(crate) fn section(source: &mut Source<'_>) -> Section {
    let failures = &source.findings.failures;
    let title = "Incidents by cause";
    let mut figure = Figure::new(title, "cause|#incidents|#debates");
    let mut bars = Vec::new();
    for failure in failures {
        let cause = failure.kind.replace('_', " ");
        let debates = source.debates(&failure.debates, &cause);
        figure.row(false, cells![&cause, failure.incidents, debates]);
        bars.push((cause, failure.incidents));
    }
    bars.truncate(DRAWN);
    let label = source.label(title, "A bar for each cause, as long as it was frequent.");
    let chart = tally::chart(&label, &bars).map(Chart::fluid);
    let figure = figure.charted(chart, "How often each cause occurred.");
    let figures = failures.first().map(|_| figure).into_iter().collect();
    let intro = "Incidents and causes of failed debates, the most frequent first. Debates with emergency replies or fallback models are counted but not compared.";
    let empty = "Nothing went wrong.";
    Section::new("failures", "Failures by cause", intro, figures, empty)
}
