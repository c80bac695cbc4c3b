//! Who voted in a knockout on the model of one of the two who debated, or of whoever came in, and how.

use crate::event::Ballot;
use crate::job::models::model_name::same_model;
use crate::text;
use crate::trace::{Trace, TraceParticipant};

/// How somebody voted, with the rounds.
type Votes = Vec<(String, Vec<u32>)>;

/// `Ann, on qwen3 like Ben, voted in round 1 to replace Dee (Ben came in) and in rounds 2 and 3 to keep Ben.`
pub(in crate::artifacts) fn note(trace: &Trace) -> Option<String> {
    let ballots = trace.ballots.iter();
    let shared = ballots.filter_map(|ballot| {
        let (model, of) = shared(trace, ballot)?;
        Some((model, (ballot, of)))
    });
    let models = text::gathered(shared).into_iter();
    let told = models.map(|(model, own)| on(trace, model, &own));
    text::if_any(text::separated(told, " "))
}

/// Those who voted on a model, and who else is on it; how they voted, if all voted alike.
fn on(trace: &Trace, model: &str, own: &[(&Ballot, &str)]) -> String {
    let voters = own.iter().map(|(ballot, _)| (&*ballot.by.id, *ballot));
    let voters = text::gathered(voters);
    let names: Vec<&str> = voters.iter().map(|(id, _)| trace.name_of(id)).collect();
    let of = text::distinct(own.iter().map(|(_, of)| *of));
    let (names, of) = (text::joined(&names, "and"), text::joined(&of, "and"));
    let votes = voters.iter().map(|(_, ballots)| votes(trace, ballots));
    match &text::distinct(votes)[..] {
        [alike] => format!("{names}, on {model} like {of}, voted {}.", in_rounds(alike)),
        _ => format!("The voters {names} ran on {model}, also the model of {of}, who debated."),
    }
}

fn votes(trace: &Trace, ballots: &[&Ballot]) -> Votes {
    let all = ballots.iter().map(|ballot| (vote(trace, ballot), ballot.round));
    text::gathered(all)
}

/// `to keep Ben`, `to replace Dee (Ben came in)`.
fn vote(trace: &Trace, ballot: &Ballot) -> String {
    let about = trace.name_of(&ballot.about);
    match (ballot.keep, next(trace, ballot)) {
        (keep, _) if ballot.on_position => {
            let not = if keep == Some(true) { "upheld" } else { "did not uphold" };
            format!("that {about} {not} the position")
        }
        (Some(true), _) => format!("to keep {about}"),
        (_, Some(next)) => format!("to replace {about} ({} came in)", next.name),
        (_, None) => format!("to replace {about}"),
    }
}

fn in_rounds(votes: &Votes) -> String {
    let one = |(vote, rounds): &(String, Vec<u32>)| {
        let noun = if rounds.len() == 1 { "round" } else { "rounds" };
        format!("in {noun} {} {vote}", text::joined(rounds.iter().map(u32::to_string), "and"))
    };
    text::joined(votes.iter().map(one), "and")
}

/// The model of a vote with which of the two debaters of its round was on it, if one was and the other not; else whoever came
/// in, where that was another than the voter.
fn shared<'t>(trace: &'t Trace, ballot: &'t Ballot) -> Option<(&'t str, &'t str)> {
    let model = ballot.reading.model(&ballot.by).filter(|_| ballot.reading.is_valid())?;
    let judged = trace.participant(&ballot.about)?;
    let mut argued = trace.contestants();
    let opponent = argued.find(|p| p.position != judged.position)?;
    let on = |p: &TraceParticipant| p.statements > 0 && is_on(trace, p, model);
    let of = match (on(judged), on(opponent)) {
        (true, false) => judged,
        (false, true) => opponent,
        (false, false) => next(trace, ballot).filter(|next| on(next))?,
        (true, true) => return None,
    };
    Some((model, &of.name))
}

/// Whoever came in by the votes of a round, but the voter itself.
fn next<'t>(trace: &'t Trace, ballot: &Ballot) -> Option<&'t TraceParticipant> {
    let mut rotations = trace.rotations.iter();
    let came = rotations.find(|r| r.rotated && r.round == ballot.round)?;
    let next = trace.participant(&came.next)?;
    (next.id != ballot.by.id).then_some(next)
}

/// Whether a participant spoke through a model, under whichever name.
pub(super) fn is_on(trace: &Trace, p: &TraceParticipant, model: &str) -> bool {
    let card = trace.models.iter().find(|card| card.name == model);
    let digest = card.and_then(|card| card.card.digest.as_ref());
    let mut spoke = p.models.iter().filter(|used| used.statements > 0);
    spoke.any(|used| {
        let same_weights = digest.is_some() && used.digest.as_ref() == digest;
        same_weights || same_model(&used.name, model)
    })
}
