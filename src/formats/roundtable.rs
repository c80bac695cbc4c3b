//! Roundtable: specialists answer a query in turn and debate until enough of them take the same stance; then a chair writes the
//! answer.

mod count;
mod others;
mod outcome;
mod session;
pub mod settings;
mod source_record;
mod stances;
mod trigger;

use serde_json::{Value, json};

use self::others::{names, others, own_stance, stands};
use self::session::{CHALLENGE, EXTRA_TURN, Session};
use crate::call_id::{CallId, CallStage};
use crate::event::{Event, Outcome, Phase, RoundNotes, Statement};
use crate::floor::{Floor, Result, Speech};
use crate::formats::outcome_phrases;
use crate::formats::play::Play;
use crate::formats::roundtable::settings::Roundtable;
use crate::job::participant::Participant;
use crate::plan::Plan;
use crate::trace::Trace;

const CHAIR: &str = "chair";

impl Play for Roundtable {
    async fn run(&self, floor: &Floor) -> Result<Outcome> {
        let mut session = Session::of(floor.plan(), self);
        let system = if session.debates {
            "prompts/roundtable/system.md.j2"
        } else {
            "prompts/roundtable/system_alone.md.j2"
        };
        let needed = count::needed(session.specialists.len(), self.consensus_threshold);
        floor.open(system, &json!({"needed": needed})).await?;
        introduce(floor, &session)?;
        if session.debates {
            hold_rounds(floor, &mut session).await?;
            add_turns(floor, &mut session).await?;
            ask_those_who_spoke(floor, &mut session).await?;
        }
        let answer = answer(floor, &session).await?;
        Ok(outcome::of(&session, answer.as_ref()))
    }

    fn source_record(&self, plan: &Plan, events: &[Event], trace: &Trace) -> Value {
        source_record::source_record(plan, self, events, trace)
    }
}

/// The first answers, then debate rounds until enough specialists take the same stance.
async fn hold_rounds(floor: &Floor, session: &mut Session<'_>) -> Result<()> {
    for round in 0..=session.settings.max_rounds {
        if !session.has_time(floor) {
            break;
        }
        let order = order_of(floor, session, round);
        let ids: Vec<&str> = order.iter().map(|p| p.id.as_str()).collect();
        floor.begin_round(round, &ids);
        session.round = Some(round);
        let said = match round {
            0 => answer_first(floor, session).await?,
            _ => speak_in_turn(floor, session, round, &order).await?,
        };
        let everyone = session.specialists.clone();
        stances::take(floor, session, CallStage::Round(round), &everyone).await?;
        let said: Vec<&Statement> = said.iter().collect();
        let notes = floor.note(CallStage::Round(round), &said).await?;
        floor.remember(round, floor.remembered(&said, &notes));
        let headline = outcome::headline(session);
        floor.close_round(RoundNotes::new(round, notes.summary, headline));
        if round > 0 && session.consensus().is_some() {
            break;
        }
    }
    Ok(())
}

/// Every specialist's first answer. None of them has read another's.
async fn answer_first<'a>(floor: &Floor, session: &mut Session<'a>) -> Result<Vec<Statement>> {
    let template = "prompts/roundtable/position.md.j2";
    let speech = |by: &&'a Participant| {
        let call = CallId::new(CallStage::Round(0), "statement", &by.id);
        Speech::new(call, &by.id, Phase::POSITION, template, Value::Null)
            .of_at_most(session.settings.max_statement_tokens)
    };
    let speeches: Vec<Speech<'_>> = session.specialists.iter().map(speech).collect();
    let said = floor.speak_blind(&speeches).await?;
    said.iter().for_each(|statement| session.hear(statement));
    Ok(said)
}

/// Every specialist's turn in a debate round, one after the other, as long as there is time. If all first answers were the
/// same, the first speaker of the first round argues against them.
async fn speak_in_turn(
    floor: &Floor,
    session: &mut Session<'_>,
    round: u32,
    order: &[&Participant],
) -> Result<Vec<Statement>> {
    let mut said = Vec::new();
    let challenged = session.challenged(round);
    for by in order {
        if !session.has_time(floor) {
            break;
        }
        let mut phase = Phase::ARGUMENT;
        if challenged.is_some() && said.is_empty() {
            phase = CHALLENGE;
            announce(floor, by, challenged.as_deref())?;
        }
        let last = session.is_last_turn(by, round);
        let call = CallId::new(CallStage::Round(round), "statement", &by.id);
        let context = json!({"round": round, "last": last, "challenged": challenged});
        said.push(argue(floor, session, call, by, phase, context).await?);
    }
    Ok(said)
}

/// Tells everyone that the next speaker argues against the others because the format requires it.
fn announce(floor: &Floor, by: &Participant, stance: Option<&str>) -> Result<()> {
    let gist = format!("All agree at first; {} argues against it", by.name);
    let context = json!({"name": by.name, "stance": stance});
    let template = "record/roundtable/challenge.md.j2";
    floor.announce(Phase::TRANSITION, gist, template, &context)
}

/// The speakers of a round in the order of the job; if one of them argues against all others, starting with that one.
fn order_of<'a>(floor: &Floor, session: &Session<'a>, round: u32) -> Vec<&'a Participant> {
    let mut order = session.specialists.clone();
    if session.challenged(round).is_some() {
        let first = floor.draw("challenger", order.len());
        order.rotate_left(first);
    }
    order
}

/// Turns beyond the rounds for specialists who had too few (row R3). None is asked more often than its missing turns, so that a
/// model that cannot be reached does not keep the others waiting.
async fn add_turns(floor: &Floor, session: &mut Session<'_>) -> Result<()> {
    let missing = session.missing();
    let passes = missing.iter().map(|(_, lacked)| *lacked).max().unwrap_or(0);
    if passes > 0 && !session.timed_out {
        floor.begin_phase("Extra turns");
    }
    for pass in 1..=passes {
        for (by, lacked) in missing.iter().filter(|(_, lacked)| *lacked >= pass) {
            if !session.has_time(floor) {
                return Ok(());
            }
            let call = CallId::new(CallStage::Extra(pass), "statement", &by.id);
            let context = json!({"round": null, "last": pass == *lacked, "challenged": null});
            argue(floor, session, call, by, EXTRA_TURN, context).await?;
        }
    }
    Ok(())
}

/// Asks for the stances of specialists who have spoken since their last: the outcome rests on what each of them said last.
async fn ask_those_who_spoke(floor: &Floor, session: &mut Session<'_>) -> Result<()> {
    let all = session.specialists.iter().copied();
    let spoke: Vec<&Participant> = all.filter(|p| session.has_spoken_since(&p.id)).collect();
    stances::take(floor, session, CallStage::Final, &spoke).await
}

/// A turn that answers the other specialists.
async fn argue(
    floor: &Floor,
    session: &mut Session<'_>,
    call: CallId,
    by: &Participant,
    phase: Phase,
    mut context: Value,
) -> Result<Statement> {
    let others = others(session, by);
    context["others"] = others.iter().map(|p| stands(session, p)).collect();
    context["own"] = json!(own_stance(session, by));
    context["challenges"] = json!(phase == CHALLENGE);
    let challenger = session.challenger.as_deref();
    context["challenger"] = json!(challenger.map(|id| floor.plan().name_of(id)));
    let template = "prompts/roundtable/argument.md.j2";
    let speech = Speech::new(call, &by.id, phase, template, context)
        .of_at_most(session.settings.max_statement_tokens);
    let statement = floor.speak(speech).await?;
    session.hear(&statement);
    Ok(statement)
}

/// The chair's answer, limited only by the chair's own settings.
async fn answer(floor: &Floor, session: &Session<'_>) -> Result<Option<Statement>> {
    if session.debates && !session.history().iter().any(Statement::was_heard) {
        let reason = "no specialist was heard, so there is nothing to answer from";
        floor.fall_short([], reason.to_owned())?;
        return Ok(None);
    }
    floor.begin_phase("The answer");
    let (template, context) = if session.debates {
        let mut context = outcome::context(session);
        let dissenters = session.dissenters();
        let dissenters: Vec<&str> = dissenters.iter().map(|p| p.id.as_str()).collect();
        for (kind, points) in outcome_phrases::summed_up(floor, CHAIR, &dissenters, None) {
            context[kind] = points;
        }
        context["questions"] = json!(outcome_phrases::questions(floor));
        ("prompts/roundtable/answer.md.j2", context)
    } else {
        let names = json!({"names": names(&session.specialists)});
        ("prompts/roundtable/answer_alone.md.j2", names)
    };
    let call = CallId::new(CallStage::End, "answer", CHAIR);
    let speech = Speech::new(call, CHAIR, Phase::ANSWER, template, context);
    floor.deliver(speech).await
}

fn introduce(floor: &Floor, session: &Session<'_>) -> Result<()> {
    let gist = if session.debates {
        "The question, the specialists and how the debate goes"
    } else {
        "The question, which is answered without debate"
    };
    let context = json!({"debates": session.debates, "keyword": session.keyword});
    let template = "record/roundtable/introduction.md.j2";
    floor.announce(Phase::INTRODUCTION, gist.to_owned(), template, &context)
}
