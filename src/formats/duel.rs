//! Duel: two agents take turns, one turn per round, and judges score both at the end. A reply that repeats an earlier turn or
//! leaves the topic is rejected; if measurements only raise a suspicion, the clerk decides.

mod checks;
pub mod settings;
mod source_record;
mod verdict;

use std::collections::BTreeMap;

use serde_json::{Value, json};

use self::checks::Checks;
use crate::call_id::{CallId, CallStage};
use crate::event::{Event, Notes, Outcome, Phase, RoundNotes, Statement};
use crate::floor::{Demand, Floor, Result, Speech};
use crate::formats::duel::settings::{A, B, Duel, speaker};
use crate::formats::play::Play;
use crate::plan::Plan;
use crate::trace::Trace;

/// How often a rejected reply is asked for again.
const AGAIN: u32 = 2;

impl Play for Duel {
    async fn run(&self, floor: &Floor) -> Result<Outcome> {
        let mut progress = Progress::of(floor.plan(), self);
        floor.open("prompts/duel/system.md.j2", &Value::Null).await?;
        introduce(floor)?;

        for round in 1..=self.rounds {
            let by = speaker(round);
            floor.begin_round(round, &[by]);
            let turn = speak(floor, self, round, &progress).await?;
            progress.note(&turn);
            let notes = if round % 2 == 0 || round == self.rounds {
                Some(note(floor, round, &mut progress).await?)
            } else {
                None
            };
            let summary = notes.map(|notes| notes.summary).unwrap_or_default();
            let headline = headline(floor.plan().name_of(by), &turn);
            floor.close_round(RoundNotes::new(round, summary, headline));
        }
        match progress.unheard().as_slice() {
            [] => verdict::decide(floor, self).await,
            unheard => Ok(verdict::not_judged(floor, unheard)),
        }
    }

    fn source_record(&self, plan: &Plan, events: &[Event], trace: &Trace) -> Value {
        source_record::source_record(plan, self, events, trace)
    }
}

/// The clerk's notes on an exchange: a turn by each agent, or the last turn alone.
async fn note(floor: &Floor, round: u32, progress: &mut Progress<'_>) -> Result<Notes> {
    let turns = std::mem::take(&mut progress.exchange);
    let turns: Vec<&Statement> = turns.iter().collect();
    let notes = floor.note(CallStage::Round(round), &turns).await?;
    floor.remember(round, floor.remembered_by(&[A, B], &turns, &notes));
    Ok(notes)
}

/// The state of the debate on which the next turn depends.
struct Progress<'a> {
    checks: Checks<'a>,
    /// The round of each agent's latest turn that was an argument.
    heard: BTreeMap<&'static str, u32>,
    /// The turns since the clerk's last notes.
    exchange: Vec<Statement>,
}

impl<'a> Progress<'a> {
    fn of(plan: &'a Plan, settings: &'a Duel) -> Self {
        Self { checks: Checks::of(plan, settings), heard: BTreeMap::new(), exchange: Vec::new() }
    }

    /// Notes a turn. An emergency reply is not an argument: nobody answers it, and no turn is compared with it (row M2).
    fn note(&mut self, turn: &Statement) {
        self.exchange.push(turn.clone());
        if turn.was_heard() {
            self.checks.note(turn);
            self.heard.insert(speaker(turn.round), turn.round);
        }
    }

    fn unheard(&self) -> Vec<&'static str> {
        [A, B].into_iter().filter(|id| !self.heard.contains_key(id)).collect()
    }
}

async fn speak(
    floor: &Floor,
    settings: &Duel,
    round: u32,
    progress: &Progress<'_>,
) -> Result<Statement> {
    let by = speaker(round);
    let opponent = speaker(round + 1);
    let objections = |text: &str| progress.checks.objections(text);
    let part = part(settings.rounds, round);
    let closing = part == Phase::CLOSING;
    let doubt = |text: &str| progress.checks.doubt(text, closing);
    let context = json!({
        "opponent": floor.plan().participant(opponent),
        "answers_round": progress.heard.get(opponent),
        "round": round,
        "part": part,
    });
    let call = CallId::new(CallStage::Round(round), "statement", by);
    let template = "prompts/duel/statement.md.j2";
    let speech = Speech {
        most_tokens: settings.max_tokens_per_response,
        demand: Some(Demand { again: AGAIN, objections: &objections, doubt: Some(&doubt) }),
        ..Speech::new(call, by, part, template, context)
    };
    floor.speak(speech).await
}

/// The part of its case that a turn makes: an agent's first turn opens it, and its last closes it (row U2b).
fn part(rounds: u32, round: u32) -> Phase {
    match (round <= 2, round + 2 > rounds) {
        (true, _) => Phase::OPENING,
        (false, true) => Phase::CLOSING,
        (false, false) => Phase::REBUTTAL,
    }
}

fn introduce(floor: &Floor) -> Result<()> {
    let gist = "The question, the agents and how the duel goes".to_owned();
    let template = "record/duel/introduction.md.j2";
    floor.announce(Phase::INTRODUCTION, gist, template, &Value::Null)
}

/// Who spoke, and for what purpose. What was said is in the statement's own line.
fn headline(name: &str, turn: &Statement) -> String {
    let did = match &turn.phase {
        _ if !turn.was_heard() => "could not reply",
        phase if *phase == Phase::OPENING => "opens",
        phase if *phase == Phase::CLOSING => "closes",
        _ => "rebuts",
    };
    format!("{name} {did}")
}
