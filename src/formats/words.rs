//! Parts of sentences on an outcome that several formats write.

use crate::plan::Plan;

/// The line of a debate that was to have a winner, where no judge's verdict is valid.
pub(super) const NO_WINNER: &str = "No winner, for want of a valid verdict";

/// Contestants with their scores: `Ann 7.40, Ben 6.10`.
pub(super) fn scored<'a>(
    plan: &Plan,
    scores: impl IntoIterator<Item = (&'a String, &'a f64)>,
) -> String {
    let one = |(id, score): (&String, &f64)| format!("{} {score:.2}", plan.name_of(id));
    scores.into_iter().map(one).collect::<Vec<_>>().join(", ")
}
