//! Roundtable: specialists answer a query in turn and debate until enough of them take the same stance; a chair puts the
//! answer together.

mod count;
mod outcome;
mod profile;
mod record;
mod session;
pub mod settings;
mod stances;
mod time_limit;
mod trigger;

use serde_json::{Value, json};

use self::session::{EXTRA_TURN, Session};
use self::time_limit::has_time;
use crate::call_id::{CallId, CallStage};
use crate::event::{Event, Outcome, RoundNotes, Statement};
use crate::floor::{Floor, Halt, Speech};
use crate::formats::play::Play;
use crate::formats::roundtable::settings::Roundtable;
use crate::job::participant::Participant;
use crate::plan::Plan;

const CHAIR: &str = "chair";
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
    let mut session = Session::of(floor.plan(), settings);
    if session.debates {
        floor
            .open("prompts/roundtable/system.md.j2", &Value::Null)
            .await?;
        introduce(floor, &session)?;
        hold_rounds(floor, &mut session).await?;
        add_turns(floor, &mut session).await?;
        ask_those_who_moved(floor, &mut session).await?;
    } else {
        floor
            .open("prompts/roundtable/system_alone.md.j2", &Value::Null)
            .await?;
        introduce(floor, &session)?;
    }
    let answer = answer(floor, &session).await?;
    Ok(outcome::of(&session, answer.as_ref()))
}

/// The initial round, then debate rounds until enough take the same stance.
async fn hold_rounds(floor: &Floor, session: &mut Session<'_>) -> Result<(), Halt> {
    for round in 0..=session.settings.max_rounds {
        if !has_time(floor, session) {
            break;
        }
        let ids: Vec<&str> = session.specialists.iter().map(|p| p.id.as_str()).collect();
        floor.begin_round(round, &ids);
        session.round = Some(round);
        let said = speak_in_turn(floor, session, round).await?;
        if round > 0 {
            let everyone = session.specialists.clone();
            stances::take(floor, session, CallStage::Round(round), &everyone).await?;
        }
        let said: Vec<&Statement> = said.iter().collect();
        let notes = floor.note(CallStage::Round(round), &said).await?;
        floor.remember(round, floor.remembered(&said, &notes));
        floor.close_round(RoundNotes {
            round,
            summary: notes.summary,
            headline: outcome::headline(session),
            ..RoundNotes::default()
        });
        if round > 0 && session.consensus().is_some() {
            break;
        }
    }
    Ok(())
}

/// Everyone's turn in a round, one after the other, as far as the time goes.
async fn speak_in_turn(
    floor: &Floor,
    session: &mut Session<'_>,
    round: u32,
) -> Result<Vec<Statement>, Halt> {
    let mut said = Vec::new();
    for by in session.specialists.clone() {
        if !has_time(floor, session) {
            break;
        }
        let (phase, template) = match round {
            0 => ("position", "prompts/roundtable/position.md.j2"),
            _ => ("argument", "prompts/roundtable/argument.md.j2"),
        };
        let context = json!({"round": round, "others": others(session, by)});
        let call = CallId::new(CallStage::Round(round), "statement", &by.id);
        said.push(speak(floor, session, call, by, (phase, template), context).await?);
    }
    Ok(said)
}

/// Turns beyond the rounds for those who have had too few (row R3). Nobody is asked more often than turns are missing, so
/// that a model which cannot be had does not keep the others waiting.
async fn add_turns(floor: &Floor, session: &mut Session<'_>) -> Result<(), Halt> {
    let missing = session.missing();
    let passes = missing.iter().map(|(_, lacked)| *lacked).max().unwrap_or(0);
    if passes > 0 && !session.timed_out {
        floor.begin_phase("Extra turns");
    }
    for pass in 1..=passes {
        for (by, _) in missing.iter().filter(|(_, lacked)| *lacked >= pass) {
            if !has_time(floor, session) {
                return Ok(());
            }
            let context = json!({"round": Value::Null, "others": others(session, by)});
            let call = CallId::new(CallStage::Extra(pass), "statement", &by.id);
            let how = (EXTRA_TURN, "prompts/roundtable/argument.md.j2");
            speak(floor, session, call, by, how, context).await?;
        }
    }
    Ok(())
}

/// Stances of those who have spoken since they took theirs: the outcome rests on what everyone said last.
async fn ask_those_who_moved(floor: &Floor, session: &mut Session<'_>) -> Result<(), Halt> {
    let all = session.specialists.iter().copied();
    let moved: Vec<&Participant> = all.filter(|p| session.has_moved(&p.id)).collect();
    stances::take(floor, session, CallStage::Final, &moved).await
}

async fn speak(
    floor: &Floor,
    session: &mut Session<'_>,
    call: CallId,
    by: &Participant,
    (phase, template): (&str, &str),
    context: Value,
) -> Result<Statement, Halt> {
    let speech = Speech {
        most_tokens: session.settings.max_statement_tokens,
        ..Speech::new(call, &by.id, phase, template, context)
    };
    let statement = floor.speak(speech).await?;
    session.hear(&statement);
    Ok(statement)
}

/// The others who have a position, with the stance that they took last.
fn others(session: &Session<'_>, by: &Participant) -> Value {
    let all = session.specialists.iter().filter(|p| p.id != by.id);
    all.filter(|p| session.turns(&p.id).next().is_some())
        .map(|p| json!({"name": p.name, "stance": session.stance(&p.id)}))
        .collect()
}

/// The chair's answer, as long as the chair's model may speak.
async fn answer(floor: &Floor, session: &Session<'_>) -> Result<Option<Statement>, Halt> {
    if session.debates && !session.history().iter().any(Statement::was_heard) {
        let reason = "no specialist was heard, so there is nothing to answer from";
        floor.fall_short(&[], reason.to_owned())?;
        return Ok(None);
    }
    floor.begin_phase("The answer");
    let (template, context) = if session.debates {
        ("prompts/roundtable/answer.md.j2", outcome::context(session))
    } else {
        let names: Vec<&str> = session
            .specialists
            .iter()
            .map(|p| p.name.as_str())
            .collect();
        (
            "prompts/roundtable/answer_alone.md.j2",
            json!({"names": names}),
        )
    };
    let call = CallId::new(CallStage::End, "answer", CHAIR);
    let speech = Speech::new(call, CHAIR, "answer", template, context);
    floor.deliver(speech).await
}

fn introduce(floor: &Floor, session: &Session<'_>) -> Result<(), Halt> {
    let gist = if session.debates {
        "The question, the specialists and how the debate goes"
    } else {
        "The question, which is answered without debate"
    };
    let context = json!({"debates": session.debates, "keyword": session.keyword});
    let template = "record/roundtable/introduction.md.j2";
    floor.announce("introduction", gist.to_owned(), template, &context)
}
