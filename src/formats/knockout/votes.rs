//! What the ballots of a round come to: votes in words, and the mean score.

use crate::event::{Ballot, Rotation, rounded};

/// `2 keep, 1 replace`.
pub(super) fn votes(rotation: &Rotation) -> String {
    if rotation.keeps + rotation.negatives + rotation.abstentions == 0 {
        return "not judged".to_owned();
    }
    let abstained = if rotation.abstentions > 0 {
        format!(", {} without a valid ballot", rotation.abstentions)
    } else {
        String::new()
    };
    format!(
        "{} keep, {} replace{abstained}",
        rotation.keeps, rotation.negatives
    )
}

/// The mean of the valid ballots' totals.
pub(super) fn mean_total(ballots: &[Ballot]) -> Option<f64> {
    let totals: Vec<f64> = ballots
        .iter()
        .filter(|b| b.keep.is_some())
        .filter_map(|b| b.reading.totals.get(&b.about).copied())
        .collect();
    (!totals.is_empty()).then(|| rounded(totals.iter().sum::<f64>() / totals.len() as f64))
}
