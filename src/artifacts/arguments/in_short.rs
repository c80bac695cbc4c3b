//! What each side argued and how that ended, in a sentence each.

use super::endings::{self, quoted};
use crate::artifacts::banner;
use crate::flow::{FlowPoint, PointStatus};
use crate::text;
use crate::trace::Trace;

/// `As the clerk noted it, Ann argued “…” (replied to by Ben) and “…” (no reply noted).`, then the other sides.
pub(in crate::artifacts) fn sentences(trace: &Trace) -> Vec<String> {
    let points = trace.flow.points.iter();
    let sides = text::gathered(points.map(|point| (point.side.as_str(), point)));
    let mut by = if super::by_clerk(trace) { "As the clerk noted it, " } else { "" };
    let one = |(side, own): (&str, Vec<&FlowPoint>)| {
        let name = match super::makers(&own, trace)[..] {
            [only] => only,
            _ => trace.name_of(side),
        };
        let told = told(&own).into_iter();
        let told = told.map(|p| format!("{} ({})", quoted(p), endings::ended(trace, p)));
        let sentence = format!("{name} argued {}.", text::joined(told, "and"));
        match std::mem::take(&mut by) {
            "" => banner::begun(trace, &sentence),
            by => format!("{by}{sentence}"),
        }
    };
    sides.into_iter().map(one).collect()
}

/// What a side began with, and of the others the newest that was granted or withdrawn, else the first that nobody answered, else the
/// last.
fn told<'t>(own: &[&'t FlowPoint]) -> Vec<&'t FlowPoint> {
    let others = own.iter().skip(1);
    let is_settled =
        |point: &&&FlowPoint| point.status == PointStatus::Conceded || point.status.is_given_up();
    let other = others.clone().rfind(is_settled);
    let other = other.or_else(|| others.clone().find(|it| it.status == PointStatus::Dropped));
    own.first().into_iter().chain(other.or(others.last())).copied().collect()
}
