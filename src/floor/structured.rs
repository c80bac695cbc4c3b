//! Replies of a given shape (row M4): asked for with a JSON Schema, read generously where it is clear what is meant and
//! strictly in what counts, repaired once, or `invalid`.

mod coerce;
mod extract;

use std::collections::BTreeMap;

use futures_util::future::join_all;
use serde_json::{Map, Value, json};

use self::coerce::Shaper;
use self::extract::Missing;
use super::call::{Ask, Called, Complaint, End, Prepared, Purpose, Reader};
use super::pace::Pace;
use super::{Floor, Halt};
use crate::event::{Judge, Reading, ReadingStatus, TokenCount};
use crate::job::participant::Participant;
use crate::journal::ReplyEntry;
use crate::model::DoneReason;
use crate::text;

/// The least that a structured reply may take, in tokens.
const LEAST_TOKENS: u32 = 700;
/// Characters of a reply that is not prose, such as `"logical_coherence": 7, `: one property, its value and what is around.
const PROPERTY: usize = 12;

/// A judgment that is wanted.
#[derive(Debug, Clone)]
pub struct Question<'a> {
    /// The call's name.
    pub call: String,
    /// Who is asked, by id.
    pub by: &'a str,
    /// The template of the task.
    pub template: &'a str,
    /// What the template may use.
    pub context: Value,
    /// Whether nothing of the record is shown: what is judged stands in the task.
    pub blind: bool,
    /// The shape of the reply: objects with every property required, integers, booleans, texts, lists.
    pub schema: Value,
}

/// An object with these properties, all of them required and no others.
pub fn object(properties: Value) -> Value {
    let required: Vec<&String> = properties
        .as_object()
        .into_iter()
        .flat_map(Map::keys)
        .collect();
    json!({"type": "object", "required": required, "additionalProperties": false, "properties": properties})
}

/// The most tokens of a reply of this shape: all its texts at their bounds, its keys, and blanks that a model adds.
fn most_tokens(schema: &Value) -> u32 {
    let characters = most_characters(schema) as f64;
    let tokens = (characters * 1.2 / text::CHARS_PER_TOKEN) as u32;
    tokens.max(LEAST_TOKENS)
}

fn most_characters(schema: &Value) -> usize {
    let bound = |key: &str| schema[key].as_u64().unwrap_or(0) as usize;
    match schema["type"].as_str() {
        Some("object") => {
            let properties = schema["properties"].as_object().into_iter().flatten();
            let each =
                |(key, inner): (&String, &Value)| key.len() + PROPERTY + most_characters(inner);
            properties.map(each).sum()
        }
        Some("array") => bound("maxItems") * (PROPERTY + most_characters(&schema["items"])),
        Some("string") => bound("maxLength"),
        _ => 0,
    }
}

/// The name of a call that is made once more.
fn again(call: &str) -> String {
    match call.rsplit_once('/') {
        Some((stage, who)) => format!("{stage}-again/{who}"),
        None => format!("{call}-again"),
    }
}

/// A judgment as it was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// Whether there is one, and of what use.
    pub status: ReadingStatus,
    /// The value; it fits the schema. Only with `valid`.
    pub value: Value,
    /// Why there is no value.
    pub cause: Option<String>,
    /// What its reader had to do to make sense of it, by word (`fenced`, `named`…); nothing where the reply was as asked.
    pub read_as: Vec<String>,
    /// The call that gave it: the question's, or a second one where a whole panel was invalid.
    pub call: String,
    /// The model that gave it.
    pub model: Option<String>,
    /// The digest of the last request.
    pub prompt_digest: String,
    /// The digest of the task's template.
    pub template_digest: Option<String>,
    /// The seed of the last attempt.
    pub seed: u32,
    /// How many attempts it took.
    pub attempts: u32,
    /// Tokens over all replies.
    pub tokens: TokenCount,
}

impl Answer {
    /// The judgment as traces have it. `order` names whom it judges, as the judge saw them; scores, totals and marks are
    /// for the format to add.
    pub fn reading(&self, order: Vec<String>, reason: &str) -> Reading {
        Reading {
            call: self.call.clone(),
            order,
            status: self.status,
            scores: BTreeMap::new(),
            totals: BTreeMap::new(),
            marks: BTreeMap::new(),
            reason: self.value[reason].as_str().unwrap_or_default().to_owned(),
            cause: self.cause.clone(),
            read_as: self.read_as.clone(),
            prompt_digest: Some(self.prompt_digest.clone()),
            template_digest: self.template_digest.clone(),
            seed: Some(self.seed),
            attempts: self.attempts,
            tokens: self.tokens,
        }
    }

    /// Who judged: the model that answered, or the one that was asked.
    pub fn judge(&self, by: &Participant) -> Judge {
        Judge {
            kind: "model".to_owned(),
            id: by.id.clone(),
            model: Some(self.model.clone().unwrap_or_else(|| by.model.clone())),
        }
    }
}

impl Floor {
    /// Asks several participants at once; answers come in the order of the questions. Where every reply is of no use, all
    /// are asked once more.
    pub async fn poll(&self, questions: &[Question<'_>]) -> Result<Vec<Answer>, Halt> {
        self.poll_as(questions, false).await
    }

    /// Asks several participants at once for what the debate's end rests on: they see as much of the record as fits.
    pub async fn poll_finally(&self, questions: &[Question<'_>]) -> Result<Vec<Answer>, Halt> {
        self.poll_as(questions, true).await
    }

    async fn poll_as(&self, questions: &[Question<'_>], last: bool) -> Result<Vec<Answer>, Halt> {
        let answers = self.poll_once(questions, last).await?;
        let invalid = |answer: &Answer| answer.status == ReadingStatus::Invalid;
        let valid = |answer: &Answer| answer.status == ReadingStatus::Valid;
        if answers.iter().any(valid) || !answers.iter().any(invalid) {
            return Ok(answers);
        }
        let calls: Vec<&str> = questions
            .iter()
            .map(|question| question.call.as_str())
            .collect();
        let message = "no reply could be used; all are asked once more with other seeds";
        self.report("panel", calls.first().copied(), None, message.to_owned());
        let mut questions = questions.to_vec();
        for question in &mut questions {
            question.call = again(&question.call);
        }
        self.poll_once(&questions, last).await
    }

    async fn poll_once(&self, questions: &[Question<'_>], last: bool) -> Result<Vec<Answer>, Halt> {
        let prepared = self.prepare_together(questions, last)?;
        self.report_pending();
        let calls = prepared
            .iter()
            .zip(questions)
            .map(|(prepared, question)| self.ask_prepared(prepared, question));
        // All end before any error counts: a stop must not drop a call that is in flight.
        let called = join_all(calls)
            .await
            .into_iter()
            .collect::<Result<Vec<_>, _>>()?;
        called
            .iter()
            .zip(questions)
            .map(|(called, question)| self.answer(called, question, Purpose::Judge, Pace::Together))
            .collect()
    }

    /// Prepares calls that see the same of the record, whoever has the longest task.
    fn prepare_together(
        &self,
        questions: &[Question<'_>],
        last: bool,
    ) -> Result<Vec<Prepared<'_>>, Halt> {
        let tasks = questions
            .iter()
            .map(|question| self.question_task(question))
            .collect::<Result<Vec<_>, _>>()?;
        let longest = tasks.iter().map(|task| task.chars().count()).max();
        let prepare = |(question, task)| {
            self.prepare(Ask {
                last,
                longest_task: longest.unwrap_or_default(),
                ..self.asked(question, task, Purpose::Judge)?
            })
        };
        questions.iter().zip(tasks).map(prepare).collect()
    }

    /// Asks one participant, with nobody else being asked meanwhile.
    pub async fn ask(&self, question: &Question<'_>) -> Result<Answer, Halt> {
        self.ask_alone(question, Purpose::Judge).await
    }

    /// Asks the clerk.
    pub(super) async fn ask_clerk(&self, question: &Question<'_>) -> Result<Answer, Halt> {
        self.ask_alone(question, Purpose::Clerk).await
    }

    async fn ask_alone(&self, question: &Question<'_>, purpose: Purpose) -> Result<Answer, Halt> {
        let task = self.question_task(question)?;
        let prepared = self.prepare(self.asked(question, task, purpose)?)?;
        self.report_pending();
        let called = self.ask_prepared(&prepared, question).await?;
        self.answer(&called, question, purpose, Pace::InTurn)
    }

    fn question_task(&self, question: &Question<'_>) -> Result<String, Halt> {
        let mut context = json!({"me": self.participant(question.by)?});
        if let (Value::Object(all), Value::Object(own)) = (&mut context, &question.context) {
            all.extend(own.clone());
        }
        Ok(self.render(question.template, &context)?.trim().to_owned())
    }

    fn asked(
        &self,
        question: &Question<'_>,
        task: String,
        purpose: Purpose,
    ) -> Result<Ask<'_>, Halt> {
        let by = self.participant(question.by)?;
        Ok(Ask {
            call: question.call.clone(),
            by,
            purpose,
            task,
            schema: Some(question.schema.clone()),
            most_tokens: by.max_tokens.min(most_tokens(&question.schema)),
            last: false,
            longest_task: 0,
            blind: question.blind,
            repairs: 1,
        })
    }

    async fn ask_prepared(
        &self,
        prepared: &Prepared<'_>,
        question: &Question<'_>,
    ) -> Result<Called<Shaped>, Halt> {
        let schema = &question.schema;
        self.call(
            prepared,
            &Shape {
                floor: self,
                schema,
            },
        )
        .await
    }

    fn answer(
        &self,
        called: &Called<Shaped>,
        question: &Question<'_>,
        purpose: Purpose,
        pace: Pace,
    ) -> Result<Answer, Halt> {
        self.settle(called, purpose, pace);
        if purpose == Purpose::Judge {
            self.check_floor(called)?;
        }
        let model = match &called.end {
            End::Taken(_, reply) => Some(reply.model.clone()),
            End::Unusable(_) | End::Exhausted(_) => None,
        };
        let (status, shaped, cause) = match &called.end {
            End::Taken(shaped, _) => (ReadingStatus::Valid, Some(shaped), None),
            End::Unusable(cause) => (ReadingStatus::Invalid, None, Some(cause.clone())),
            End::Exhausted(cause) => (ReadingStatus::Abstained, None, Some(cause.clone())),
        };
        if let Some(cause) = &cause {
            let kind = if status == ReadingStatus::Invalid {
                "invalid"
            } else {
                "abstained"
            };
            self.report(
                kind,
                Some(&called.call),
                Some(called.attempts()),
                cause.clone(),
            );
        }
        Ok(Answer {
            status,
            value: shaped.map_or(Value::Null, |shaped| shaped.value.clone()),
            read_as: shaped.map_or_else(Vec::new, |shaped| shaped.read_as.clone()),
            cause,
            call: called.call.clone(),
            model,
            prompt_digest: called.digest.clone(),
            template_digest: self.templates.digest(question.template),
            seed: called.seed,
            attempts: called.attempts(),
            tokens: called.tokens(),
        })
    }
}

/// Reads a reply of a schema's shape.
struct Shape<'a> {
    floor: &'a Floor,
    schema: &'a Value,
}

/// A value in the shape that was asked for.
#[derive(Debug, Clone)]
struct Shaped {
    value: Value,
    /// What the reader had to do, by word.
    read_as: Vec<String>,
}

impl Reader<Shaped> for Shape<'_> {
    async fn read(&self, reply: &ReplyEntry) -> Result<Result<Shaped, Complaint>, Halt> {
        Ok(self.shaped(reply).map_err(Complaint::Mend))
    }
}

impl Shape<'_> {
    fn shaped(&self, reply: &ReplyEntry) -> Result<Shaped, String> {
        let properties = self.schema["properties"].as_object();
        let keys: Vec<&String> = properties.into_iter().flat_map(Map::keys).collect();
        let found = extract::object(&reply.text, &keys)
            .map_err(|missing| no_object(missing, reply.done_reason).to_owned())?;
        let participants = self.floor.plan.participants.iter();
        let names: Vec<_> = participants
            .map(|p| (p.id.clone(), p.name.clone()))
            .collect();
        let mut shaper = Shaper {
            names: &names,
            steps: found.steps,
        };
        let thought = reply.thinking.as_deref().map(|_| "thought");
        shaper.steps.extend(thought);
        let value = shaper.shape(self.schema, found.object)?;
        let read_as = shaper.steps.into_iter().map(str::to_owned).collect();
        Ok(Shaped { value, read_as })
    }
}

/// What a model is told that gave no object.
fn no_object(missing: Missing, done_reason: DoneReason) -> &'static str {
    match (missing, done_reason) {
        (Missing::Unfinished, DoneReason::Length | DoneReason::Overrun) => {
            "it was cut off before the JSON object ended; write less"
        }
        (Missing::Unfinished, DoneReason::Stop) => "its JSON object does not end: a } is missing",
        (Missing::Broken, _) => "what stands between { and } is not JSON",
        (Missing::NoObject, _) => "there is no JSON object in it",
    }
}
