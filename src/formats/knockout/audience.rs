//! The audience (row L4): people vote on the debater while the judges judge, and their majority may count as one more ballot.

use super::bench::Bench;
use crate::event::{
    AUDIENCE, AudienceVote, Ballot, EventKind, Judge, Reading, ReadingStatus, Tally, VoteWindow,
};
use crate::floor::{Floor, Result};
use crate::job::audience::AudienceEffect;

/// Lets people vote on a round, if the job has an audience and the round is judged.
pub(super) async fn open(
    floor: &Floor,
    bench: &Bench<'_>,
    round: u32,
    is_judged: bool,
) -> Result<Option<VoteWindow>> {
    let Some(audience) = bench.settings.audience.as_ref().filter(|_| is_judged) else {
        return Ok(None);
    };
    let on_position = bench.could_come_in(round).is_empty();
    floor.open_vote(round, audience.window_seconds, on_position).await.map(Some)
}

/// Ends the vote, and returns the ballots that decide: the judges' and perhaps one more.
pub(super) async fn join(
    floor: &Floor,
    window: Option<VoteWindow>,
    bench: &Bench<'_>,
    judges: &[Ballot],
) -> Result<Vec<Ballot>> {
    let mut ballots = judges.to_vec();
    let (Some(audience), Some(window)) = (&bench.settings.audience, window) else {
        return Ok(ballots);
    };
    let (tally, closed_at) = floor.close_vote(&window).await?;
    let majority = tally.majority(audience.min_votes);
    let counted = majority.filter(|_| audience.effect == AudienceEffect::Ballot);
    ballots.extend(counted.map(|keep| ballot(&window, bench.debater, tally, keep)));
    let vote = AudienceVote {
        round: window.round,
        effect: audience.effect,
        present: window.present,
        opened_at: window.opened_at,
        closed_at,
        tally,
        majority,
        on_position: window.on_position,
        counted: counted.is_some(),
        decisive: bench.is_voted_out(judges) != bench.is_voted_out(&ballots),
    };
    floor.emit(EventKind::Audience(vote), Some(AUDIENCE), None);
    if let Some(own) = ballots.get(judges.len()) {
        floor.emit(EventKind::Ballot(own.clone()), Some(AUDIENCE), None);
    }
    Ok(ballots)
}

/// The audience's majority as one more ballot, a vote without scores.
fn ballot(window: &VoteWindow, about: &str, tally: Tally, keep: bool) -> Ballot {
    let round = window.round;
    Ballot {
        round,
        by: Judge::audience(),
        about: about.to_owned(),
        keep: Some(keep),
        on_position: window.on_position,
        checks: None,
        reading: Reading {
            call: format!("round-{round}/audience"),
            order: vec![about.to_owned()],
            status: ReadingStatus::Valid,
            reason: format!("{}.", tally.words(window.on_position)),
            ..Reading::default()
        },
    }
}
