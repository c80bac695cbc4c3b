//! What a round's ballots come to: votes, those that suffice, and the mean score.

use crate::event::{Ballot, Rotation, mean};
use crate::formats::knockout::settings::Knockout;

/// Votes to keep, votes to replace, and ballots without a vote.
pub(super) fn counts(ballots: &[Ballot]) -> [u32; 3] {
    let count = |keep: Option<bool>| ballots.iter().filter(|it| it.keep == keep).count() as u32;
    [Some(true), Some(false), None].map(count)
}

/// Whether the audience is among those by whom the votes are told, if it voted.
pub(super) fn with_audience(ballots: &[Ballot], rotation: &Rotation) -> &'static str {
    let own = ballots.iter().find(|ballot| ballot.by.is_audience());
    let told = rotation.on_position && rotation.is_for_debater();
    match own.and_then(|ballot| ballot.keep) {
        None => "",
        Some(keep) if keep == told => " (the audience among them)",
        Some(_) => " (the audience not)",
    }
}

/// Votes to replace that suffice, given these ballots.
pub(super) fn threshold(settings: &Knockout, ballots: &[Ballot]) -> u32 {
    let votes = ballots.iter().any(|ballot| ballot.by.is_audience());
    let audience = settings.audience.as_ref().filter(|_| votes);
    audience.map_or(settings.rotation.threshold, |audience| audience.threshold)
}

/// The mean of the valid ballots' totals.
pub(super) fn mean_total(ballots: &[Ballot]) -> Option<f64> {
    let valid = ballots.iter().filter(|b| b.keep.is_some());
    let totals = valid.filter_map(|b| b.reading.totals.get(&b.about).copied());
    mean(&totals.collect::<Vec<_>>())
}
