//! The result of a round's ballots: votes in words, and the mean score.

use crate::event::{Ballot, Rotation, mean};
use crate::formats::knockout::settings::Knockout;
use crate::job::criteria;
use crate::plan::Plan;
use crate::trace::settings_of;

/// `2 keep, 1 replace`; where nobody could come in, `2 of 3 found that Ann upheld the position`, as the ballots asked.
pub(super) fn votes(rotation: &Rotation, name: &str) -> String {
    if rotation.keeps + rotation.negatives + rotation.abstentions == 0 {
        return "not judged".to_owned();
    }
    let (keeps, replaces) = (rotation.keeps, rotation.negatives);
    let told = if rotation.on_position {
        format!("{keeps} of {} found that {name} upheld the position", keeps + replaces)
    } else {
        format!("{keeps} keep, {replaces} replace")
    };
    told + &without_a_ballot(rotation)
}

/// What the mean total of ballots is called: `weighted mean score`, if criteria differ in weight.
pub(super) fn mean_score(plan: &Plan) -> String {
    format!("{} score", criteria::mean(&settings_of(&plan.format)))
}

/// Whether at least as many voted to replace the debater as to keep it: unless so many suffice, the scores decide.
pub(super) fn is_up_to_scores(rotation: &Rotation) -> bool {
    rotation.negatives > 0 && rotation.negatives >= rotation.keeps
}

/// Whether as many voted to replace the debater as to keep it.
pub(super) fn is_tie(rotation: &Rotation) -> bool {
    rotation.negatives > 0 && rotation.negatives == rotation.keeps
}

/// The words after who comes in, if several could have.
pub(super) fn by_lot(rotation: &Rotation) -> &'static str {
    if rotation.by_lot { " by lot" } else { "" }
}

/// `, 1 without a valid ballot`; empty if all are valid.
pub(super) fn without_a_ballot(rotation: &Rotation) -> String {
    match rotation.abstentions {
        0 => String::new(),
        n => format!(", {n} without a valid ballot"),
    }
}

/// Votes to keep, votes to replace, and ballots without a vote.
pub(super) fn counts(ballots: &[Ballot]) -> [u32; 3] {
    let count =
        |keep: Option<bool>| ballots.iter().filter(|ballot| ballot.keep == keep).count() as u32;
    [Some(true), Some(false), None].map(count)
}

/// How the audience voted, if it did, to follow the number of votes to replace; of findings, of those that the debater upheld
/// the position or did not.
pub(super) fn with_audience(ballots: &[Ballot], counted: Option<bool>) -> &'static str {
    let own = ballots.iter().find(|ballot| ballot.by.is_audience());
    match own.and_then(|ballot| ballot.keep).zip(Some(counted)) {
        Some((keep, counted)) if keep == counted.unwrap_or(false) => " (the audience among them)",
        Some((_, None)) => " (the audience to keep)",
        Some((_, Some(_))) => " (the audience not)",
        None => "",
    }
}

/// Votes to replace that suffice, given these ballots.
pub(super) fn threshold(settings: &Knockout, ballots: &[Ballot]) -> u32 {
    let votes = ballots.iter().any(|ballot| ballot.by.is_audience());
    let audience = settings.audience.as_ref().filter(|_| votes);
    audience.map_or(settings.rotation.threshold, |audience| audience.threshold)
}

/// The vote against each debater who was voted out, whether replaced or not.
pub(super) fn knockouts<'r>(all: impl IntoIterator<Item = &'r Rotation>) -> Vec<&'r Rotation> {
    let mut fell: Vec<&Rotation> = Vec::new();
    for rotation in all.into_iter().filter(|r| r.voted_out) {
        if fell.iter().all(|known| known.debater != rotation.debater) {
            fell.push(rotation);
        }
    }
    fell
}

/// The mean of the valid ballots' totals.
pub(super) fn mean_total(ballots: &[Ballot]) -> Option<f64> {
    let valid = ballots.iter().filter(|b| b.keep.is_some());
    let totals = valid.filter_map(|b| b.reading.totals.get(&b.about).copied());
    mean(&totals.collect::<Vec<_>>())
}
