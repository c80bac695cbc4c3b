//! The source record of a roundtable (row R6), with its source's key names.

use serde_json::{Map, Value, json};

use super::outcome::{by_id, missing, move_of};
use super::session::Session;
use crate::event::{Event, Results, Statement};
use crate::formats::roundtable::settings::Roundtable;
use crate::job::participant::Participant;
use crate::plan::Plan;
use crate::trace::Trace;

/// The record, from the debate's events, without what a failed debate did not reach.
pub(super) fn source_record(
    plan: &Plan,
    settings: &Roundtable,
    events: &[Event],
    trace: &Trace,
) -> Value {
    let session = Session::after(plan, settings, events);
    let turns = |p: &Participant| json!(session.turns_of(p));
    json!({
        "triggered": session.debates,
        "trigger": {"mode": settings.trigger, "keyword": session.keyword},
        "agent_turns": by_id(&session, turns),
        "debate_history": history(&session),
        "current_positions": positions(&session),
        "agent_responses_summary": responses(&session),
        "agents": agents(&session),
        "moves": session.moves().map(move_of).collect::<Vec<_>>(),
        "challenger": session.challenger,
        "consensus": Results::of(trace.outcome.as_ref()).consensus,
        "consensus_threshold": settings.consensus_threshold,
        "timed_out": session.timed_out,
        "missing_turns": missing(&session),
        "unfinished_round": unfinished(&session),
    })
}

/// Every statement, with the number of the speaker's turn. An emergency reply is not a turn.
fn history(session: &Session<'_>) -> Vec<Value> {
    let mut turns: Map<String, Value> = Map::new();
    let entry = |s: &Statement| {
        let turn = s.is_by_a_model().then(|| {
            let turn = turns.get(&s.by).and_then(Value::as_u64).unwrap_or(0) + 1;
            turns.insert(s.by.clone(), turn.into());
            turn
        });
        json!({"round": s.round, "phase": s.phase, "agent": s.by, "turn": turn, "statement": s.n, "response": s.text, "origin": s.origin})
    };
    session.history().iter().map(entry).collect()
}

/// Each specialist's last statement and its stance.
fn positions(session: &Session<'_>) -> Value {
    by_id(session, |p| {
        let latest = session.turns(&p.id).last();
        json!({
            "position": latest.map(|s| &s.text),
            "statement": latest.map(|s| s.n),
            "round": latest.map(|s| s.round),
            "stance": session.stance(&p.id),
            "confidence": session.latest(&p.id).and_then(|stance| stance.confidence),
        })
    })
}

fn responses(session: &Session<'_>) -> Value {
    let asked = |p: &&&Participant| session.history().iter().any(|s| s.by == p.id);
    let replied = |p: &&&Participant| session.turns(&p.id).next().is_some();
    let all = || session.specialists.iter();
    json!({
        "total_agents_consulted": all().filter(asked).count(),
        "successful_responses": all().filter(replied).count(),
        "agents_used": all().filter(replied).map(|p| &p.id).collect::<Vec<_>>(),
    })
}

/// What the source reports with each agent's response.
fn agents(session: &Session<'_>) -> Vec<Value> {
    let turns = |p: &Participant| json!(session.turns_of(p));
    let all = session.specialists.iter().map(|p| session.turns_of(p));
    let metadata = json!({
        "total_rounds": session.rounds(),
        "total_turns": all.sum::<u32>(),
        "agent_participation": by_id(session, turns),
    });
    let agent = |p: &&Participant| json!({"agent": p.id, "name": p.name, "debate_turns": turns(p), "debate_metadata": metadata});
    session.specialists.iter().map(agent).collect()
}

/// The round that the time limit cut short, and the specialists who had no turn in it.
fn unfinished(session: &Session<'_>) -> Option<Value> {
    let ids: Vec<&String> = session.unheard().iter().map(|p| &p.id).collect();
    (!ids.is_empty()).then(|| json!({"round": session.rounds(), "without_turn": ids}))
}
