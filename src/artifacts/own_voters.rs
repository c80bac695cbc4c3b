//! In which rounds of a knockout somebody voted who ran on the model of one of the two who debated.

use std::collections::BTreeMap;

use super::on_model::is_on;
use crate::event::Ballot;
use crate::text;
use crate::trace::{Trace, TraceParticipant};

/// A model that somebody voted on, the debater on it and the one who is not.
type Shared<'t> = (&'t str, &'t str, &'t str);

/// `In rounds 2 and 3, the voter Ann ran on qwen3, the model of Ben but not of Cy.`
pub(super) fn notes(trace: &Trace) -> Vec<String> {
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
    let notes = all.into_iter().map(|(shared, by)| note(shared, &by));
    notes.collect()
}

fn note(((model, own, other), rounds): (Shared<'_>, Vec<u32>), by: &[&str]) -> String {
    let noun = if rounds.len() == 1 { "round" } else { "rounds" };
    let voters = match by {
        [_] => "the voter",
        _ => "the voters",
    };
    let rounds: Vec<String> = rounds.iter().map(u32::to_string).collect();
    format!(
        "In {noun} {}, {voters} {} ran on {model}, the model of {own} but not of {other}.",
        text::joined(&rounds, "and"),
        text::joined(by, "and"),
    )
}

/// Which of the two debaters of a round was on the model of a vote, if one was and the other not.
fn shared<'t>(trace: &'t Trace, ballot: &'t Ballot) -> Option<Shared<'t>> {
    let model = ballot.reading.model(&ballot.by)?;
    let judged = trace.participant(&ballot.about)?;
    let mut argued = trace.contestants();
    let opponent = argued.find(|p| p.position != judged.position)?;
    let on = |p: &TraceParticipant| p.statements > 0 && is_on(trace, p, model);
    let valid = ballot.reading.is_valid();
    match (on(judged), on(opponent)) {
        (true, false) if valid => Some((model, &judged.name, &opponent.name)),
        (false, true) if valid => Some((model, &opponent.name, &judged.name)),
        _ => None,
    }
}
