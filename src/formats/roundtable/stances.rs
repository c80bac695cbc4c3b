//! The specialists' stances: all are asked in parallel, and give their reasons first (row R2).

use serde_json::{Value, json};

use super::others::{names, others, own_stance};
use super::session::Session;
use crate::call_id::{CallId, CallStage};
use crate::event::{EventKind, IDLE_CREDIT, Stance};
use crate::floor::{Answer, Floor, Question, Result, object};
use crate::job::participant::Participant;
use crate::text::room_for;

/// The answer of a specialist who was not moved by anyone's argument.
const NOBODY: &str = "nobody";

/// Asks these specialists for their stances, if there is time. It is a shortfall if no stance is valid.
pub(super) async fn take(
    floor: &Floor,
    session: &mut Session<'_>,
    stage: CallStage,
    specialists: &[&Participant],
) -> Result<()> {
    if specialists.is_empty() || !session.has_time(floor) {
        return Ok(());
    }
    let questions: Vec<Question<'_>> =
        specialists.iter().map(|by| question(session, stage, by)).collect();
    let answers = floor.poll(&questions).await?;
    for (by, answer) in specialists.iter().zip(&answers) {
        hold(floor, session, by, answer);
    }
    if answers.iter().any(|a| a.reading.is_valid()) {
        return Ok(());
    }
    let calls = answers.iter().map(|answer| answer.reading.call.as_str());
    floor.fall_short(calls, format!("nobody took a valid stance ({stage})"))
}

/// The question for a specialist's stance. At its first answer, it has not read anyone else's.
fn question<'q>(session: &Session<'_>, stage: CallStage, by: &'q Participant) -> Question<'q> {
    let is_first = stage == CallStage::Round(0);
    let own = session.turns(&by.id).last().filter(|_| is_first);
    let others = if is_first { Vec::new() } else { others(session, by) };
    let names = names(&others);
    let challenged = stage == CallStage::Round(1) && session.challenger.as_ref() == Some(&by.id);
    Question {
        call: CallId::new(stage, "stance", &by.id),
        by: &by.id,
        template: "prompts/roundtable/stance.md.j2",
        context: json!({
            "round": session.round,
            "is_first": is_first,
            "own": own.map(|statement| &statement.text),
            "before": own_stance(session, by),
            "names": names,
            "challenged": challenged,
            "challenger": session.challenger,
        }),
        blind: is_first,
        schema: schema(&session.settings.stances, &names),
    }
}

fn hold(floor: &Floor, session: &mut Session<'_>, by: &Participant, answer: &Answer) {
    let stance = answer.value["stance"].as_str().map(str::to_owned);
    let before = session.last_valid(&by.id);
    let before = before.and_then(|before| before.stance.clone());
    let moved_from = before.filter(|before| stance.as_ref().is_some_and(|now| now != before));
    let named = answer.value["moved_by"].as_str();
    let whose = named
        .filter(|_| moved_from.is_some())
        .and_then(|name| session.specialists.iter().find(|p| p.name == name));
    let mut reading = answer.reading(Vec::new(), "because");
    let is_idle = moved_from.is_none() && named.is_some_and(|name| name != NOBODY);
    reading.read_as.extend(is_idle.then(|| IDLE_CREDIT.to_owned()));
    let stance = Stance {
        round: session.rounds(),
        by: answer.judge(by),
        stance,
        confidence: answer.value["confidence"].as_u64().map(|sure| sure as u8),
        moved_by: whose.map(|p| p.id.clone()),
        moved_from,
        weight: session.settings.weight(&by.id),
        reading,
    };
    session.hold(&stance);
    let model = stance.by.model.clone();
    floor.emit(EventKind::Stance(stance), Some(&by.id), model.as_deref());
}

/// The schema of a stance. Its declared order is alphabetical, with the reason first. A specialist who has read nobody's words
/// is not asked whose argument moved it.
fn schema(stances: &[String], others: &[&str]) -> Value {
    let mut shape = json!({
        "because": {"type": "string", "minLength": 8, "maxLength": room_for(60)},
        "confidence": {"type": "integer", "minimum": 0, "maximum": 100},
    });
    if !others.is_empty() {
        let options: Vec<&str> = others.iter().copied().chain([NOBODY]).collect();
        shape["moved_by"] = json!({"type": "string", "enum": options, "default": NOBODY});
    }
    shape["stance"] = json!({"type": "string", "enum": stances});
    object(shape)
}
