//! Structured replies (row M4): requested with a JSON Schema, read generously if the meaning is clear and
//! strictly where it counts, repaired once, or `invalid`.

mod coerce;
mod extract_json;
mod question;
mod read_reply;
mod words;

use futures_util::future::join_all;
use serde_json::{Value, json};

pub(super) use self::question::most_tokens;
pub use self::question::{Answer, Question, line, object};
pub(super) use self::read_reply::{Shaped, shaped};

use self::read_reply::ShapeReader;
use super::Floor;
use super::asking;
use super::call::{Ask, Called, End, Prepared};
use super::halt::Result;
use super::round_clock::Pace;
use crate::event::{IncidentKind, Purpose, Reading, ReadingStatus};

/// The share of its context that the clerk's reply may take if its shape does: notes on many statements are of no use once
/// they are cut, and a limit meant for statements is none for them.
const NOTES_IN: u32 = 4;

impl Floor {
    /// Asks one participant, with no other call in the meantime.
    pub async fn ask(&self, question: &Question<'_>) -> Result<Answer> {
        ask(self, question, Purpose::Judge).await
    }

    /// Asks several participants in parallel; answers come in the order of the questions. If no reply can be used, all are
    /// asked once more.
    pub async fn poll(&self, questions: &[Question<'_>]) -> Result<Vec<Answer>> {
        poll(self, questions, false).await
    }

    /// Asks several participants in parallel for what decides the debate's end. They see as much of the transcript as fits.
    pub async fn poll_finally(&self, questions: &[Question<'_>]) -> Result<Vec<Answer>> {
        poll(self, questions, true).await
    }
}

async fn poll(floor: &Floor, questions: &[Question<'_>], last: bool) -> Result<Vec<Answer>> {
    let answers = poll_once(floor, questions, last).await?;
    let any = |status| answers.iter().any(|answer| answer.reading.status == status);
    if any(ReadingStatus::Valid) || !any(ReadingStatus::Invalid) {
        return Ok(answers);
    }
    let first = questions.first().map(|question| question.call.to_string());
    let message =
        "no reply could be used, so all were asked once more, with other seeds".to_owned();
    floor.report(IncidentKind::Panel, first.as_deref(), None, message);
    let mut questions = questions.to_vec();
    for question in &mut questions {
        question.call = question.call.clone().again();
    }
    poll_once(floor, &questions, last).await
}

async fn poll_once(floor: &Floor, questions: &[Question<'_>], last: bool) -> Result<Vec<Answer>> {
    let asks = questions.iter().map(|question| {
        let ask = asked(floor, question, Purpose::Judge)?;
        Ok(Ask { last, ..ask })
    });
    let prepared = asking::prepare_all(floor, asks.collect::<Result<_>>()?)?;
    let calls = prepared
        .iter()
        .zip(questions)
        .map(|(prepared, question)| ask_prepared(floor, prepared, question));
    // All calls end before any error counts: a stop must not drop a call in flight.
    let called = join_all(calls).await.into_iter().collect::<Result<Vec<_>, _>>()?;
    let answers = called
        .iter()
        .zip(questions)
        .map(|(called, question)| answer(floor, called, question, Pace::Together))
        .collect();
    floor.pace.lock().join();
    answers
}

/// Asks one participant, with no other call in the meantime.
pub(super) async fn ask(
    floor: &Floor,
    question: &Question<'_>,
    purpose: Purpose,
) -> Result<Answer> {
    let prepared = asking::prepare(floor, asked(floor, question, purpose)?)?;
    asking::report_compactions(floor);
    let called = ask_prepared(floor, &prepared, question).await?;
    answer(floor, &called, question, Pace::InTurn)
}

/// A question to the clerk beside another call, not accounted for yet.
pub(super) struct Unsettled<'a> {
    question: Question<'static>,
    called: Called<'a, Shaped>,
}

impl Unsettled<'_> {
    /// The answer, if there is one.
    pub(super) fn value(&self) -> Option<&Value> {
        match &self.called.end {
            End::Taken(shaped, _) => Some(&shaped.value),
            End::Unusable(_) | End::Exhausted(_) => None,
        }
    }

    /// Accounts for the call and reports what did not go as asked.
    pub(super) fn settle(&self, floor: &Floor, pace: Pace) -> Result<()> {
        answer(floor, &self.called, &self.question, pace).map(drop)
    }
}

/// Asks the clerk without accounting for the call: calls that run in parallel are accounted for one after the other, once all
/// of them have ended.
pub(super) async fn ask_clerk_unsettled<'a>(
    floor: &'a Floor,
    question: Question<'static>,
) -> Result<Unsettled<'a>> {
    let prepared = asking::prepare(floor, asked(floor, &question, Purpose::Clerk)?)?;
    let called = ask_prepared(floor, &prepared, &question).await?;
    Ok(Unsettled { question, called })
}

fn asked<'a>(floor: &'a Floor, question: &Question<'_>, purpose: Purpose) -> Result<Ask<'a>> {
    let by = floor.participant(question.by)?;
    let said = match purpose {
        Purpose::Clerk => by.max_tokens.max(by.context_window / NOTES_IN),
        _ => by.max_tokens,
    };
    Ok(Ask {
        call: question.call.clone(),
        by,
        purpose,
        task: floor.task(question.template, json!({"me": by}), &question.context)?,
        given: Value::Null,
        schema: Some(question.schema.clone()),
        most_tokens: most_tokens(by, said, &question.schema),
        last: false,
        longest_task: 0,
        blind: question.blind,
        repairs: 1,
    })
}

async fn ask_prepared<'a>(
    floor: &Floor,
    prepared: &Prepared<'a>,
    question: &Question<'_>,
) -> Result<Called<'a, Shaped>> {
    let reader = ShapeReader { floor, schema: &question.schema };
    asking::ask(floor, prepared, &reader).await
}

/// The result of a call; reports everything that did not go as asked.
fn answer(
    floor: &Floor,
    called: &Called<'_, Shaped>,
    question: &Question<'_>,
    pace: Pace,
) -> Result<Answer> {
    asking::settle(floor, called, pace);
    if called.purpose == Purpose::Judge {
        asking::check_floor(floor, called)?;
    }
    let (status, taken, cause) = match &called.end {
        End::Taken(shaped, entry) => (ReadingStatus::Valid, Some((shaped, entry)), None),
        End::Unusable(cause) => (ReadingStatus::Invalid, None, Some(cause)),
        End::Exhausted(cause) => (ReadingStatus::Abstained, None, Some(cause)),
    };
    if let Some(cause) = cause {
        let kind = match status {
            ReadingStatus::Invalid => IncidentKind::Invalid,
            _ => IncidentKind::Abstained,
        };
        let attempt = Some(called.attempts());
        floor.report(kind, Some(&called.call), attempt, cause.clone());
    }
    let shaped = taken.map(|(shaped, _)| shaped.clone()).unwrap_or_default();
    let last = called.replies().next_back();
    let reading = Reading {
        call: called.call.clone(),
        model: taken.map(|(_, entry)| entry.model.clone()),
        status,
        cause: cause.cloned(),
        read_as: shaped.read_as,
        rounded: shaped.rounded,
        prompt_digest: Some(called.digest.clone()),
        template_digest: floor.templates.digest(question.template),
        seed: Some(called.seed),
        attempts: called.attempts(),
        tokens: called.tokens(),
        ..Reading::default()
    };
    let raw = last.map(|entry| entry.reply.text.clone());
    Ok(Answer { reading, value: shaped.value, raw })
}
