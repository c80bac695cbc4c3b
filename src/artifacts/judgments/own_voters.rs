//! In which rounds of a knockout somebody voted who ran on the model of one of the two who debated.

use std::collections::BTreeMap;

use super::on_model::is_on;
use crate::event::Ballot;
use crate::text;
use crate::trace::{Trace, TraceParticipant};

/// A model that somebody voted on, who is on it in words, and the one who is not.
type Shared<'t> = (&'t str, String, &'t str);

/// `In round 1, the voter Ann ran on qwen3, the model of Ben, who came in, but not of Dee; in rounds 2 and 3, …`
pub(in crate::artifacts) fn note(trace: &Trace) -> Option<String> {
    let mut rounds: BTreeMap<(Shared<'_>, &str), Vec<u32>> = BTreeMap::new();
    for ballot in &trace.ballots {
        if let Some(shared) = shared(trace, ballot) {
            let by = trace.name_of(&ballot.by.id);
            rounds.entry((shared, by)).or_default().push(ballot.round);
        }
    }
    let mut voters: BTreeMap<(Shared<'_>, Vec<u32>), Vec<&str>> = BTreeMap::new();
    for ((shared, by), rounds) in rounds {
        voters.entry((shared, rounds)).or_default().push(by);
    }
    let mut all: Vec<_> = voters.into_iter().collect();
    all.sort_by_key(|((_, rounds), _)| rounds.clone());
    let mut before = None;
    let parts = all.into_iter().map(|(shared, by)| {
        // Of the same voters on the same model, that is said once.
        let who = (shared.0.0, by.clone());
        let again = before.replace(who.clone()) == Some(who);
        part(shared, &by, again)
    });
    let parts: Vec<String> = parts.collect();
    (!parts.is_empty()).then(|| text::capitalised(&parts.join("; ")) + ".")
}

fn part(((model, own, other), rounds): (Shared<'_>, Vec<u32>), by: &[&str], again: bool) -> String {
    let noun = if rounds.len() == 1 { "round" } else { "rounds" };
    let voters = match by {
        [_] => "the voter",
        _ => "the voters",
    };
    let rounds: Vec<String> = rounds.iter().map(u32::to_string).collect();
    let (rounds, by) = (text::joined(&rounds, "and"), text::joined(by, "and"));
    let ran = match again {
        true => "that was the model ".to_owned(),
        false => format!("{voters} {by} ran on {model}, the model "),
    };
    format!("in {noun} {rounds}, {ran}of {own} but not of {other}")
}

/// Which of the two debaters of a round was on the model of a vote, if one was and the other not; else whoever came in, where
/// that was another than the voter.
fn shared<'t>(trace: &'t Trace, ballot: &'t Ballot) -> Option<Shared<'t>> {
    let model = ballot.reading.model(&ballot.by)?;
    let judged = trace.participant(&ballot.about)?;
    let mut argued = trace.contestants();
    let opponent = argued.find(|p| p.position != judged.position)?;
    let on = |p: &TraceParticipant| p.statements > 0 && is_on(trace, p, model);
    let valid = ballot.reading.is_valid();
    match (on(judged), on(opponent)) {
        (true, false) if valid => Some((model, judged.name.clone(), &opponent.name)),
        (false, true) if valid => Some((model, opponent.name.clone(), &judged.name)),
        (false, false) if valid => {
            let next = next(trace, ballot).filter(|next| on(next))?;
            Some((model, format!("{}, who came in,", next.name), &judged.name))
        }
        _ => None,
    }
}

/// Whoever came in by the votes of a round, but the voter itself.
fn next<'t>(trace: &'t Trace, ballot: &Ballot) -> Option<&'t TraceParticipant> {
    let mut rotations = trace.rotations.iter();
    let came = rotations.find(|r| r.rotated && r.round == ballot.round)?;
    let next = trace.participant(&came.next)?;
    (next.id != ballot.by.id).then_some(next)
}
