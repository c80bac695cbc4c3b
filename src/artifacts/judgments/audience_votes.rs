//! What the audience's votes on a round came to, in a line.

use crate::event::AudienceVote;
use crate::job::audience::AudienceEffect;
use crate::trace::Trace;

/// `3 keep, 2 replace; they count for nothing`; nothing where the audience could not vote on the round.
pub(in crate::artifacts) fn line(trace: &Trace, round: u32) -> Option<String> {
    let vote = trace.audience.iter().find(|vote| vote.round == round)?;
    let (votes, followed) = (vote.words(), followed(vote));
    Some(match vote.tally.voters {
        0 => votes,
        _ if trace.rehearsal => format!("{votes}, all rehearsed; {followed}"),
        _ => format!("{votes}; {followed}"),
    })
}

/// What followed from it.
fn followed(vote: &AudienceVote) -> &'static str {
    match (vote.effect, vote.counted, vote.decisive) {
        (AudienceEffect::Shown, ..) => "shown only",
        (AudienceEffect::Ballot, true, true) => "counted as one ballot, which decided",
        (AudienceEffect::Ballot, true, false) => "counted as one ballot",
        _ if vote.tally.keep == vote.tally.rotate => "a tie, so no ballot",
        _ => "too few for a ballot",
    }
}
