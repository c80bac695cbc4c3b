//! Where specialists stand: asked of one after the other, with reasons first (row R2).

use serde_json::{Value, json};

use super::session::Session;
use super::time_limit::has_time;
use crate::call_id::{CallId, CallStage};
use crate::event::{EventKind, Stance};
use crate::floor::{Floor, Halt, Question, object};
use crate::job::participant::Participant;

/// Asks these specialists for their stances, as far as the time goes. Where all were asked and none took one, the debate
/// falls short of it.
pub(super) async fn take(
    floor: &Floor,
    session: &mut Session<'_>,
    stage: CallStage,
    specialists: &[&Participant],
) -> Result<(), Halt> {
    let (mut calls, mut valid) = (Vec::new(), false);
    for by in specialists {
        if !has_time(floor, session) {
            break;
        }
        let stance = ask(floor, session, CallId::new(stage, "stance", &by.id), by).await?;
        valid |= stance.stance.is_some();
        calls.push(stance.reading.call);
    }
    // Where the time was over before all were asked, nobody can tell.
    if valid || calls.len() < specialists.len() || calls.is_empty() {
        return Ok(());
    }
    let calls: Vec<&str> = calls.iter().map(String::as_str).collect();
    floor.fall_short(&calls, format!("nobody took a valid stance ({stage})"))
}

async fn ask(
    floor: &Floor,
    session: &mut Session<'_>,
    call: CallId,
    by: &Participant,
) -> Result<Stance, Halt> {
    let question = Question {
        call,
        by: &by.id,
        template: "prompts/roundtable/stance.md.j2",
        context: json!({"round": session.round}),
        blind: false,
        schema: schema(&session.settings.stances),
    };
    let answer = floor.ask(&question).await?;
    let stance = Stance {
        round: session.rounds(),
        by: answer.judge(by),
        stance: answer.value["stance"].as_str().map(str::to_owned),
        weight: session.settings.weight(&by.id),
        reading: answer.reading(Vec::new(), "reason"),
    };
    session.hold(&stance);
    let model = stance.by.model.clone();
    floor.emit(
        EventKind::Stance(stance.clone()),
        Some(&by.id),
        model.as_deref(),
    );
    Ok(stance)
}

/// The shape of a stance. Declared and alphabetical order are the same, the reason first.
fn schema(stances: &[String]) -> Value {
    object(json!({
        "reason": {"type": "string", "minLength": 8, "maxLength": 600},
        "stance": {"type": "string", "enum": stances},
    }))
}
