//! Statements: requested, cut at their limit, replaced by an emergency reply if none comes.

mod clean;
mod cut;
mod listener;
mod pattern;
mod refusal;
mod requested;
mod statement;
mod wanted;

use serde_json::Value;

pub use self::wanted::{Demand, Doubt, Doubts, Form, Speech};

use self::cut::Kept;
use self::listener::Refused;
use self::requested::{Requested, request};
use self::statement::{emergency, put_on_transcript, said};
use self::wanted::Kind;
use super::Floor;
use super::call::{Called, Deviation, End};
use super::facade::LongTurn;
use super::halt::{Halt, Result};
use super::round_clock::Pace;
use super::{allowance, asking, conduct};
use crate::event::{EventKind, IncidentKind, Rejection, Statement};
use crate::job::OnFailure;
use crate::job::participant::Participant;
use crate::model::thinking_tags;
use crate::text;

/// The result of asking for a text: the statement, with its value if it was asked for in a form, or why there is none.
type Spoken = Result<(Statement, Value), String>;

impl Floor {
    /// Asks a participant for a statement and puts it on the transcript; an emergency reply if none can be obtained.
    pub async fn speak(&self, speech: Speech<'_>) -> Result<Statement> {
        Ok(self.speak_in_form(speech).await?.0)
    }

    /// Asks for a statement in a form, and also returns its value; `null` if there is none.
    pub async fn speak_in_form(&self, speech: Speech<'_>) -> Result<(Statement, Value)> {
        let spoken = hear(self, &speech, Kind::Turn).await?;
        let (statement, value) = or_emergency(self, &speech, spoken)?;
        put_on_transcript(self, &statement);
        Ok((statement, value))
    }

    /// Asks for several statements in parallel, all with the transcript as it is now, and then puts them on it in this order:
    /// no speaker has read another's statement. Emergency replies replace those that cannot be obtained.
    pub async fn speak_blind(&self, speeches: &[Speech<'_>]) -> Result<Vec<Statement>> {
        let saw = self.log.next_statement() - 1;
        let requested = request(self, speeches, Kind::Turn).await?;
        let mut statements = Vec::new();
        for requested in requested {
            let speech = requested.speech;
            let spoken = take_in(self, requested, Pace::Together)?;
            let statement = Statement { saw, ..or_emergency(self, speech, spoken)?.0 };
            put_on_transcript(self, &statement);
            statements.push(statement);
        }
        self.pace.lock().join();
        Ok(statements)
    }

    /// Asks for a text that ends the debate and that nothing can replace, such as an answer or a summary, and puts it on the
    /// transcript. The debate falls short if it cannot be obtained, or if its writer could not be shown enough.
    pub async fn deliver(&self, speech: Speech<'_>) -> Result<Option<Statement>> {
        let call = speech.call.to_string();
        match hear(self, &speech, Kind::Final).await? {
            Ok((statement, _)) => {
                put_on_transcript(self, &statement);
                if !statement.objections.is_empty() {
                    let lacks = statement.objections.join(" and ");
                    let name = self.plan.name_of(speech.by);
                    let reason = format!("the final text of {name} was kept although {lacks}");
                    self.fall_short([&*call], reason)?;
                }
                Ok(Some(statement))
            }
            Err(cause) => {
                self.fall_short([&*call], no_reply(self, &speech, &cause))?;
                Ok(None)
            }
        }
    }

    /// Asks for a text that the debate can do without, such as the summary of a round, and puts it on the transcript. If it
    /// cannot be obtained, it is left out, which is only an incident.
    pub async fn speak_if_can(&self, speech: Speech<'_>) -> Result<Option<Statement>> {
        let said = hear_if_can(self, &speech, Kind::Turn, IncidentKind::LeftOut).await?;
        said.iter().for_each(|said| put_on_transcript(self, said));
        Ok(said)
    }

    /// Asks for a comment, which is one of the messages but not on the transcript that models see. If it cannot be obtained, it
    /// is left out, which is only an incident.
    pub async fn comment(&self, speech: Speech<'_>) -> Result<()> {
        let comment = hear_if_can(self, &speech, Kind::Comment, IncidentKind::Comment).await?;
        if let Some(comment) = comment {
            let (by, model) = (Some(speech.by), comment.model.clone());
            self.emit(EventKind::Comment(comment), by, model.as_deref());
        }
        Ok(())
    }
}

/// What was said, or else an emergency reply.
fn or_emergency(floor: &Floor, speech: &Speech<'_>, spoken: Spoken) -> Result<(Statement, Value)> {
    let cause = match spoken {
        Ok(said) => return Ok(said),
        Err(cause) => cause,
    };
    let kind = match floor.plan.on_failure {
        OnFailure::Emergency => IncidentKind::Emergency,
        OnFailure::Abort => IncidentKind::Missing,
    };
    let reason = no_reply(floor, speech, &cause);
    floor.fall_short_by(kind, [&*speech.call.to_string()], reason)?;
    let statement = emergency(floor, speech, floor.participant(speech.by)?)?;
    Ok((statement, Value::Null))
}

/// What is said; if it cannot be obtained, an incident of this kind.
async fn hear_if_can(
    floor: &Floor,
    speech: &Speech<'_>,
    kind: Kind,
    left_out: IncidentKind,
) -> Result<Option<Statement>> {
    match hear(floor, speech, kind).await? {
        Ok((statement, _)) => Ok(Some(statement)),
        Err(cause) => {
            let (call, message) = (speech.call.to_string(), no_reply(floor, speech, &cause));
            floor.report(left_out, Some(&call), None, message);
            Ok(None)
        }
    }
}

fn no_reply(floor: &Floor, speech: &Speech<'_>, cause: &str) -> String {
    let (name, call) = (floor.plan.name_of(speech.by), &speech.call);
    format!("{name} gave no usable reply ({call}): {cause}")
}

/// What is said, or why there is nothing.
async fn hear(floor: &Floor, speech: &Speech<'_>, kind: Kind) -> Result<Spoken> {
    match request(floor, std::slice::from_ref(speech), kind).await?.pop() {
        Some(requested) => take_in(floor, requested, Pace::InTurn),
        None => Err(Halt::Failed("internal error (please report): nothing was asked".to_owned())),
    }
}

/// Accounts for a requested text and reports what did not go as asked.
fn take_in(floor: &Floor, requested: Requested<'_>, pace: Pace) -> Result<Spoken> {
    let Requested { speech, kind, most, called, refused } = requested;
    for check in &refused.checks {
        check.settle(floor, pace)?;
    }
    asking::settle(floor, &called, pace);
    emit_rejections(floor, &refused, &called);
    if kind == Kind::Final {
        asking::check_floor(floor, &called)?;
    }
    Ok(match &called.end {
        End::Taken(kept, entry) => {
            let step = called.steps.iter().find(|it| it.attempt == entry.attempt);
            let thought = step.is_some_and(|step| conduct::lost_room(step, entry));
            for (kind, message) in deviations(called.by, most, kept, thought) {
                let attempt = Some(entry.attempt);
                floor.report(kind, Some(&called.call), attempt, message);
            }
            note_length(floor, called.by, most, kept);
            let statement = said(floor, speech, &called, kept, entry, most);
            Ok((statement, kept.value.clone()))
        }
        End::Unusable(cause) | End::Exhausted(cause) => Err(cause.clone()),
    })
}

/// Emits the rejected replies of a call, except one that was accepted in the end.
fn emit_rejections(floor: &Floor, refused: &Refused<'_>, called: &Called<'_, Kept>) {
    let stands = |attempt| matches!(&called.end, End::Taken(_, it) if it.attempt == attempt);
    for (entry, text, reasons) in refused.replies(called).filter(|it| !stands(it.0.attempt)) {
        let rejection = Rejection {
            round: floor.log.round().unwrap_or(0),
            by: called.by.id.clone(),
            call: called.call.clone(),
            text,
            reasons,
        };
        let (by, model) = (Some(&*called.by.id), Some(&*entry.model));
        floor.emit(EventKind::Rejection(rejection), by, model);
    }
}

/// How an accepted reply deviates from what was asked; `thought` is whether unrequested thinking took room from it.
fn deviations(
    by: &Participant,
    most: u32,
    kept: &Kept,
    thought: bool,
) -> impl Iterator<Item = Deviation> {
    let name = &by.name;
    let cut = kept.cut.then(|| (IncidentKind::Cut, cut(by, most, kept, thought)));
    [cleaned(name, kept), voiced(name, kept), marked(name, kept), cut, broke_off(name, kept)]
        .into_iter()
        .flatten()
}

/// What was taken off a statement.
fn cleaned(name: &str, kept: &Kept) -> Option<Deviation> {
    let quoted = |label: &String| format!("\"{}\"", text::shorten(label, 80));
    let removed = text::if_any(text::separated(kept.removed.iter().map(quoted), ", "))?;
    let what = format!("taken off the statement of {name}, as no part of it: {removed}");
    Some((IncidentKind::Cleaned, what))
}

/// That somebody spoke for others.
fn voiced(name: &str, kept: &Kept) -> Option<Deviation> {
    let voices = text::if_any(text::joined(&kept.voices, "and"))?;
    Some((
        IncidentKind::Voice,
        format!("the statement of {name} has lines in the name of {voices}"),
    ))
}

/// That what is no part of a statement may stand in it.
fn marked(name: &str, kept: &Kept) -> Option<Deviation> {
    let mark = thinking_tags::mark_left(&kept.text)?;
    let what = format!(
        "the statement of {name} has a mark of thoughts or of a template, \"{mark}\": others may read what was not meant for them"
    );
    Some((IncidentKind::Marks, what))
}

/// That a model left a statement unfinished.
fn broke_off(name: &str, kept: &Kept) -> Option<Deviation> {
    let how = if kept.breaks_off { "in mid-sentence" } else { "without a full stop" };
    let what = format!("{name} ended the statement {how}");
    (kept.breaks_off || kept.lacks_end).then_some((IncidentKind::BreaksOff, what))
}

/// Why a statement was cut.
fn cut(by: &Participant, most: u32, kept: &Kept, thought: bool) -> String {
    let name = &by.name;
    let cut = "the statement was cut at its last whole sentence";
    if thought {
        let left = kept.tokens;
        format!("unrequested thinking left {name} about {left} of the allowed {most} tokens; {cut}")
    } else {
        format!("{name} ran over the allowance of {most} tokens; {cut}")
    }
}

/// Notes whether a statement used all or nearly all of its allowance; only then, or if it breaks off, is its speaker
/// told so at its next turn.
fn note_length(floor: &Floor, by: &Participant, most: u32, kept: &Kept) {
    let used = kept.tokens as f64 / f64::from(most);
    let long_turns = &mut floor.speakers.lock().long_turns;
    if kept.cut || kept.breaks_off || used >= allowance::NEARLY_ALL {
        let words = kept.text.split_whitespace().count();
        let (cut, breaks_off) = (kept.cut, kept.breaks_off);
        let long = LongTurn { words, asked: allowance::words_within(most), cut, breaks_off };
        long_turns.insert(by.id.clone(), long);
    } else {
        long_turns.remove(&by.id);
    }
}
