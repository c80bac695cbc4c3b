//! Replies of a given shape (row M4): asked for with a JSON Schema, checked strictly, repaired once, or `invalid`.

use std::collections::BTreeMap;

use futures_util::future::join_all;
use serde_json::{Map, Value, json};

use super::call::{Ask, Called, End, Prepared, Purpose};
use super::pace::Pace;
use super::{Floor, Halt};
use crate::event::{Judge, Reading, ReadingStatus, TokenCount};
use crate::job::participant::Participant;
use crate::journal::ReplyEntry;
use crate::model::DoneReason;
use crate::text;

/// The most tokens of a judgment.
const MOST_TOKENS: u32 = 700;

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

/// A judgment as it was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// Whether there is one, and of what use.
    pub status: ReadingStatus,
    /// The value; it fits the schema. Only with `valid`.
    pub value: Value,
    /// Why there is no value.
    pub cause: Option<String>,
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
    pub fn reading(&self, call: &str, order: Vec<String>, reason: &str) -> Reading {
        Reading {
            call: call.to_owned(),
            order,
            status: self.status,
            scores: BTreeMap::new(),
            totals: BTreeMap::new(),
            marks: BTreeMap::new(),
            reason: self.value[reason].as_str().unwrap_or_default().to_owned(),
            cause: self.cause.clone(),
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
    /// Asks several participants at once; answers come in the order of the questions.
    pub async fn poll(&self, questions: &[Question<'_>]) -> Result<Vec<Answer>, Halt> {
        let prepared = questions
            .iter()
            .map(|q| self.question(q, Purpose::Judge, MOST_TOKENS))
            .collect::<Result<Vec<_>, _>>()?;
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
        Ok(called
            .iter()
            .zip(questions)
            .map(|(called, question)| self.answer(called, question, Purpose::Judge, Pace::Together))
            .collect())
    }

    /// Asks one participant, with nobody else being asked meanwhile.
    pub async fn ask(&self, question: &Question<'_>) -> Result<Answer, Halt> {
        self.ask_alone(question, Purpose::Judge, MOST_TOKENS).await
    }

    /// Asks for the clerk's notes, of so many tokens at most.
    pub(super) async fn ask_clerk(
        &self,
        question: &Question<'_>,
        most_tokens: u32,
    ) -> Result<Answer, Halt> {
        self.ask_alone(question, Purpose::Clerk, most_tokens).await
    }

    async fn ask_alone(
        &self,
        question: &Question<'_>,
        purpose: Purpose,
        most_tokens: u32,
    ) -> Result<Answer, Halt> {
        let prepared = self.question(question, purpose, most_tokens)?;
        self.report_pending();
        let called = self.ask_prepared(&prepared, question).await?;
        Ok(self.answer(&called, question, purpose, Pace::InTurn))
    }

    fn question(
        &self,
        question: &Question<'_>,
        purpose: Purpose,
        most_tokens: u32,
    ) -> Result<Prepared<'_>, Halt> {
        let by = self.participant(question.by)?;
        let mut context = json!({"me": by});
        if let (Value::Object(all), Value::Object(own)) = (&mut context, &question.context) {
            all.extend(own.clone());
        }
        let task = self.render(question.template, &context)?.trim().to_owned();
        self.prepare(Ask {
            call: question.call.clone(),
            by,
            purpose,
            task,
            schema: Some(question.schema.clone()),
            most_tokens: by.max_tokens.min(most_tokens),
            repairs: 1,
        })
    }

    async fn ask_prepared(
        &self,
        prepared: &Prepared<'_>,
        question: &Question<'_>,
    ) -> Result<Called<Value>, Halt> {
        self.call(prepared, &|reply| read(reply, &question.schema))
            .await
    }

    fn answer(
        &self,
        called: &Called<Value>,
        question: &Question<'_>,
        purpose: Purpose,
        pace: Pace,
    ) -> Answer {
        self.settle(called, purpose, pace);
        let model = match &called.end {
            End::Taken(_, reply) => Some(reply.model.clone()),
            End::Unusable(..) | End::Exhausted(_) => None,
        };
        let (status, value, cause) = match &called.end {
            End::Taken(value, _) => (ReadingStatus::Valid, value.clone(), None),
            End::Unusable(cause, _) => (ReadingStatus::Invalid, Value::Null, Some(cause.clone())),
            End::Exhausted(cause) => (ReadingStatus::Abstained, Value::Null, Some(cause.clone())),
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
        Answer {
            status,
            value,
            cause,
            model,
            prompt_digest: called.digest.clone(),
            template_digest: self.templates.digest(question.template),
            seed: called.seed,
            attempts: called.attempts(),
            tokens: called.tokens(),
        }
    }
}

fn read(reply: &ReplyEntry, schema: &Value) -> Result<Value, String> {
    let value: Value =
        serde_json::from_str(reply.text.trim()).map_err(|e| match reply.done_reason {
            DoneReason::Length | DoneReason::Overrun => {
                "it was cut off before the JSON ended; write less".to_owned()
            }
            DoneReason::Stop => format!("it is not JSON ({e})"),
        })?;
    match check(schema, &value, "") {
        Ok(()) => Ok(value),
        // What a model wrote is in there: it may be as long as the reply.
        Err(complaint) => Err(text::shorten(&complaint, 160)),
    }
}

/// Checks a value against the subset of JSON Schema that questions use. `Err` says what a model should mend.
fn check(schema: &Value, value: &Value, path: &str) -> Result<(), String> {
    let here = if path.is_empty() {
        "the reply".to_owned()
    } else {
        format!("`{path}`")
    };
    match schema["type"].as_str() {
        Some("object") => check_object(schema, value, path, &here),
        Some("array") => {
            let items = value
                .as_array()
                .ok_or_else(|| format!("{here} must be a list"))?;
            let (least, most) = bounds(schema, "minItems", "maxItems");
            if !(least..=most).contains(&(items.len() as u64)) {
                return Err(format!(
                    "{here} must have {least} to {most} entries, not {}",
                    items.len()
                ));
            }
            items
                .iter()
                .enumerate()
                .try_for_each(|(i, item)| check(&schema["items"], item, &format!("{path}.{i}")))
        }
        Some("integer") => {
            let (least, most) = bounds(schema, "minimum", "maximum");
            let number = value
                .as_f64()
                .filter(|x| x.fract() == 0.0 && *x >= least as f64 && *x <= most as f64);
            number.map(|_| ()).ok_or_else(|| {
                format!("{here} must be a whole number from {least} to {most}, not {value}")
            })
        }
        Some("boolean") => value
            .as_bool()
            .map(|_| ())
            .ok_or_else(|| format!("{here} must be true or false, not {value}")),
        _ => check_text(schema, value, &here),
    }
}

fn check_object(schema: &Value, value: &Value, path: &str, here: &str) -> Result<(), String> {
    let fields = value
        .as_object()
        .ok_or_else(|| format!("{here} must be a JSON object"))?;
    let properties = schema["properties"].as_object();
    for (key, inner) in properties.into_iter().flatten() {
        let field = fields
            .get(key)
            .ok_or_else(|| format!("{here} lacks `{key}`"))?;
        let below = if path.is_empty() {
            key.clone()
        } else {
            format!("{path}.{key}")
        };
        check(inner, field, &below)?;
    }
    match fields
        .keys()
        .find(|key| properties.is_none_or(|p| !p.contains_key(*key)))
    {
        Some(key) => Err(format!("{here} has `{key}`, which was not asked for")),
        None => Ok(()),
    }
}

fn check_text(schema: &Value, value: &Value, here: &str) -> Result<(), String> {
    let text = value
        .as_str()
        .ok_or_else(|| format!("{here} must be text"))?;
    if let Some(words) = schema["enum"].as_array() {
        return if words.contains(value) {
            Ok(())
        } else {
            Err(format!("{here} must be one of {}", schema["enum"]))
        };
    }
    let (least, most) = bounds(schema, "minLength", "maxLength");
    match text.trim().chars().count() as u64 {
        0 if least > 0 => Err(format!("{here} must not be empty")),
        length if length < least => Err(format!(
            "{here} has {length} characters, the least is {least}"
        )),
        length if length > most => Err(format!(
            "{here} has {length} characters, the most is {most}"
        )),
        _ if text::ends_in_loop(text) => Err(format!("{here} repeats itself without end")),
        _ => Ok(()),
    }
}

fn bounds(schema: &Value, least: &str, most: &str) -> (u64, u64) {
    (
        schema[least].as_u64().unwrap_or(0),
        schema[most].as_u64().unwrap_or(u64::MAX),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn m4_what_is_wrong_with_a_reply_is_said_so_that_a_model_can_mend_it() {
        let schema = json!({"type": "object", "properties": {
            "comments": {"type": "string", "minLength": 2, "maxLength": 300},
            "scores": {"type": "object", "properties": {"clarity": {"type": "integer", "minimum": 1, "maximum": 5}}},
            "vote": {"type": "boolean"},
            "points": {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 2},
        }});
        let good =
            json!({"comments": "fine", "scores": {"clarity": 4}, "vote": true, "points": ["a"]});
        assert_eq!(check(&schema, &good, ""), Ok(()));
        let wrong = |key: &str, value: Value| {
            let mut bad = good.clone();
            bad[key] = value;
            check(&schema, &bad, "").unwrap_err()
        };
        assert_eq!(
            wrong("scores", json!({"clarity": 7})),
            "`scores.clarity` must be a whole number from 1 to 5, not 7"
        );
        assert_eq!(
            wrong("scores", json!({"clarity": 3.5})),
            "`scores.clarity` must be a whole number from 1 to 5, not 3.5"
        );
        assert_eq!(wrong("scores", json!({})), "`scores` lacks `clarity`");
        assert_eq!(
            wrong("vote", json!("yes")),
            "`vote` must be true or false, not \"yes\""
        );
        assert_eq!(
            wrong("comments", json!(" ")),
            "`comments` must not be empty"
        );
        assert_eq!(
            wrong("comments", json!("x")),
            "`comments` has 1 characters, the least is 2"
        );
        assert_eq!(
            wrong("comments", json!("y".repeat(301))),
            "`comments` has 301 characters, the most is 300"
        );
        assert_eq!(
            wrong("comments", json!("It is so. ".repeat(29))),
            "`comments` repeats itself without end"
        );
        assert_eq!(
            wrong("points", json!([])),
            "`points` must have 1 to 2 entries, not 0"
        );
        assert_eq!(
            wrong("extra", json!(1)),
            "the reply has `extra`, which was not asked for"
        );
    }
}
