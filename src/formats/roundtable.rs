//! Roundtable: specialists answer a query in turn and debate until enough of them take the same stance; a chair puts the
//! answer together.

mod count;
mod outcome;
mod profile;
mod record;
pub mod settings;
mod stances;
mod table;
mod trigger;

use serde_json::{Value, json};

use self::table::Table;
use crate::call_id::{CallId, CallStage};
use crate::event::{Event, Outcome, RoundNotes, Statement};
use crate::floor::{Floor, Focus, Halt, Speech};
use crate::formats::play::Play;
use crate::formats::roundtable::settings::Roundtable;
use crate::job::participant::Participant;
use crate::plan::Plan;

const CHAIR: &str = "chair";
/// The phase of turns beyond the rounds.
const EXTRA_TURN: &str = "extra_turn";
/// The kind of incident where the time is over.
const TIME: &str = "time";

impl Play for Roundtable {
    async fn run(&self, floor: &Floor) -> Result<Outcome, Halt> {
        debate(floor, self).await
    }

    fn source_record(&self, plan: &Plan, events: &[Event]) -> Value {
        record::source_record(plan, self, events)
    }
}

/// The whole debate.
async fn debate(floor: &Floor, settings: &Roundtable) -> Result<Outcome, Halt> {
    let mut table = Table::of(floor.plan(), settings);
    if table.debates {
        floor
            .open("prompts/roundtable/system.md.j2", &Value::Null)
            .await?;
        introduce(floor, &table)?;
        hold_rounds(floor, &mut table).await?;
        add_turns(floor, &mut table).await?;
        ask_those_who_moved(floor, &mut table).await?;
    } else {
        floor
            .open("prompts/roundtable/system_alone.md.j2", &Value::Null)
            .await?;
        introduce(floor, &table)?;
    }
    let answer = answer(floor, &table).await?;
    Ok(outcome::of(&table, answer.as_ref()))
}

/// The initial round, then debate rounds until enough take the same stance.
async fn hold_rounds(floor: &Floor, table: &mut Table<'_>) -> Result<(), Halt> {
    let mut focus = String::new();
    for round in 0..=table.settings.max_rounds {
        if !has_time(floor, table) {
            break;
        }
        let ids: Vec<&str> = table.specialists.iter().map(|p| p.id.as_str()).collect();
        floor.begin_round(round, &ids);
        table.round = Some(round);
        let said = speak_in_turn(floor, table, round, &focus).await?;
        if round > 0 {
            let everyone = table.specialists.clone();
            stances::take(floor, table, CallStage::Round(round), &everyone).await?;
        }
        let said: Vec<&Statement> = said.iter().collect();
        let notes = floor
            .clerk(
                round,
                &said,
                Focus::before(round == table.settings.max_rounds),
            )
            .await?;
        focus.clone_from(&notes.next_focus);
        floor.remember(round, floor.remembered(&said, &notes));
        floor.close_round(RoundNotes {
            headline: outcome::headline(table),
            ..notes
        });
        if round > 0 && table.consensus().is_some() {
            break;
        }
    }
    Ok(())
}

/// Everyone's turn in a round, one after the other, as far as the time goes.
async fn speak_in_turn(
    floor: &Floor,
    table: &mut Table<'_>,
    round: u32,
    focus: &str,
) -> Result<Vec<Statement>, Halt> {
    let mut said = Vec::new();
    for by in table.specialists.clone() {
        if !has_time(floor, table) {
            break;
        }
        let (phase, template) = match round {
            0 => ("position", "prompts/roundtable/position.md.j2"),
            _ => ("argument", "prompts/roundtable/argument.md.j2"),
        };
        let context = json!({"round": round, "others": others(table, by), "focus": focus});
        let call = CallId::new(CallStage::Round(round), "statement", &by.id);
        said.push(speak(floor, table, call, by, (phase, template), context).await?);
    }
    Ok(said)
}

/// Turns beyond the rounds for those who have had too few (row R3). Nobody is asked more often than turns are missing, so
/// that a model which cannot be had does not keep the others waiting.
async fn add_turns(floor: &Floor, table: &mut Table<'_>) -> Result<(), Halt> {
    let missing = table.missing();
    let passes = missing.iter().map(|(_, lacked)| *lacked).max().unwrap_or(0);
    if passes > 0 && !table.timed_out {
        floor.begin_phase("Extra turns");
    }
    for pass in 1..=passes {
        for (by, _) in missing.iter().filter(|(_, lacked)| *lacked >= pass) {
            if !has_time(floor, table) {
                return Ok(());
            }
            let context = json!({"round": Value::Null, "others": others(table, by), "focus": ""});
            let call = CallId::new(CallStage::Extra(pass), "statement", &by.id);
            let how = (EXTRA_TURN, "prompts/roundtable/argument.md.j2");
            speak(floor, table, call, by, how, context).await?;
        }
    }
    Ok(())
}

/// Stances of those who have spoken since they took theirs: the outcome rests on what everyone said last.
async fn ask_those_who_moved(floor: &Floor, table: &mut Table<'_>) -> Result<(), Halt> {
    let all = table.specialists.iter().copied();
    let moved: Vec<&Participant> = all.filter(|p| table.has_moved(&p.id)).collect();
    stances::take(floor, table, CallStage::Final, &moved).await
}

async fn speak(
    floor: &Floor,
    table: &mut Table<'_>,
    call: CallId,
    by: &Participant,
    (phase, template): (&str, &str),
    context: Value,
) -> Result<Statement, Halt> {
    let speech = Speech {
        most_tokens: table.settings.max_statement_tokens,
        ..Speech::new(call, &by.id, phase, template, context)
    };
    let statement = floor.speak(speech).await?;
    table.hear(&statement);
    Ok(statement)
}

/// The others who have a position, with the stance that they took last.
fn others(table: &Table<'_>, by: &Participant) -> Value {
    let all = table.specialists.iter().filter(|p| p.id != by.id);
    all.filter(|p| table.turns(&p.id).next().is_some())
        .map(|p| json!({"name": p.name, "stance": table.stance(&p.id)}))
        .collect()
}

/// The chair's answer, as long as the chair's model may speak.
async fn answer(floor: &Floor, table: &Table<'_>) -> Result<Option<Statement>, Halt> {
    if table.debates && !table.history().iter().any(Statement::was_heard) {
        let reason = "no specialist was heard, so there is nothing to answer from";
        floor.fall_short(&[], reason.to_owned())?;
        return Ok(None);
    }
    floor.begin_phase("The answer");
    let (template, context) = if table.debates {
        ("prompts/roundtable/answer.md.j2", outcome::context(table))
    } else {
        let names: Vec<&str> = table.specialists.iter().map(|p| p.name.as_str()).collect();
        (
            "prompts/roundtable/answer_alone.md.j2",
            json!({"names": names}),
        )
    };
    let call = CallId::new(CallStage::End, "answer", CHAIR);
    let speech = Speech::new(call, CHAIR, "answer", template, context);
    floor.deliver(speech).await
}

/// Whether the model time leaves room for another call (row R7). The first time that it does not is an incident.
fn has_time(floor: &Floor, table: &mut Table<'_>) -> bool {
    let (spent, limit) = (floor.model_ms(), table.settings.timeout_seconds);
    if spent < u64::from(limit) * 1000 {
        return true;
    }
    if !std::mem::replace(&mut table.timed_out, true) {
        let spent = spent as f64 / 1000.0;
        let message = format!(
            "the time of {limit} s is over ({spent:.1} s of model time): no further turns and stances, the chair answers with what there is"
        );
        floor.report(TIME, None, None, message);
    }
    false
}

fn introduce(floor: &Floor, table: &Table<'_>) -> Result<(), Halt> {
    let gist = if table.debates {
        "The question, the specialists and how the debate goes"
    } else {
        "The question, which is answered without debate"
    };
    let context = json!({"debates": table.debates, "keyword": table.keyword});
    let template = "record/roundtable/introduction.md.j2";
    floor.announce("introduction", gist.to_owned(), template, &context)
}
