//! Interruptions (rows D4, D5): the participant who found a fault states it on the record, and the speaker answers at once.

use serde_json::json;

use super::check::Finding;
use super::session::Session;
use super::turn::{Turn, TurnKind};
use crate::call_id::{CallId, CallStage};
use crate::event::{EventKind, Interjection, Phase, Statement};
use crate::floor::{Result, Speech, words_within};

/// Words in which an interruption can put one false claim right.
const WORDS_PER_CLAIM: u32 = 25;

/// Interrupts a speaker because of a finding and has the speaker answer. If no words can be obtained for the interruption,
/// there is none.
pub(super) async fn make(
    session: &mut Session<'_>,
    turn: Turn<'_>,
    statement: &Statement,
    mut finding: Finding<'_>,
) -> Result<()> {
    let room = words_within(session.settings.interjection_max_tokens) / WORDS_PER_CLAIM;
    finding.also.truncate(room.saturating_sub(1) as usize);
    let context = json!({
        "speaker": session.advocate(turn.by),
        "cause": finding.cause,
        "fault": finding.fault,
        "also": finding.also,
    });
    let call = CallId::new(CallStage::Statement(statement.n), "interjection", finding.by);
    let template = "prompts/moderated/interjection.md.j2";
    let speech = Speech::new(call, finding.by, Phase::INTERJECTION, template, context)
        .of_at_most(session.settings.interjection_max_tokens);
    let Some(spoken) = session.floor.speak_if_can(speech).await? else { return Ok(()) };
    let (by, cause, several) = (finding.by, finding.cause, !finding.also.is_empty());
    let interjection = Interjection {
        about: statement.n,
        speaker: turn.by.to_owned(),
        statement: spoken.n,
        cause,
        point: finding.fault.point,
        also: finding.also.into_iter().map(|fault| fault.point).collect(),
        by: finding.judge,
        reading: finding.reading,
    };
    let event = EventKind::Interjection(interjection.clone());
    session.floor.emit(event, Some(by), spoken.model.as_deref());
    session.interjections.push(interjection);
    let answer = Turn { kind: TurnKind::Answer(statement.n), ..turn };
    let more = json!({"interrupter": session.advocate(by), "cause": cause, "several": several});
    session.speak(answer, more).await?;
    Ok(())
}
