//! Who voted in a knockout on the model of one of the two who debated, or of whoever came in.

use crate::event::Ballot;
use crate::job::models::model_name::same_model;
use crate::text;
use crate::trace::{Trace, TraceParticipant};

/// `The voters Ann and Cy ran on qwen3, also the model of Ben, who debated.`
pub(in crate::artifacts) fn note(trace: &Trace) -> Option<String> {
    let ballots = trace.ballots.iter();
    let shared = ballots.filter_map(|ballot| {
        let (model, of) = shared(trace, ballot)?;
        Some((model, (trace.name_of(&ballot.by.id), of)))
    });
    let told = text::gathered(shared).into_iter().map(|(model, own)| {
        let (voters, of): (Vec<&str>, Vec<&str>) = own.into_iter().unzip();
        let (voters, of) = (text::distinct(voters), text::distinct(of));
        let noun = if voters.len() == 1 { "voter" } else { "voters" };
        let (voters, of) = (text::joined(voters, "and"), text::joined(of, "and"));
        format!("The {noun} {voters} ran on {model}, also the model of {of}, who debated.")
    });
    text::if_any(text::separated(told, " "))
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
