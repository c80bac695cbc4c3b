//! The cost of calls in tokens and time.

use std::collections::BTreeMap;
use std::fmt;

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::de::value::{self, StrDeserializer};
use serde::{Deserialize, Deserializer, Serialize};
use serde_tuple::Serialize_tuple;

use crate::call_id::CallId;
use crate::job::TokenMeasure;
use crate::model::{Fault, Tokens};

/// The largest count that is read from a trace, which may come from elsewhere: as far as every reader of JSON takes whole
/// numbers exactly. Sums of such counts stay far within 64 bits.
pub const MOST_COUNT: u64 = 1 << 53;

/// Reads a count of a trace.
pub(crate) fn count<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    Ok(u64::deserialize(deserializer)?.min(MOST_COUNT))
}

/// Reads a count that a trace may lack.
pub(crate) fn perhaps<'de, D: Deserializer<'de>>(from: D) -> Result<Option<u64>, D::Error> {
    Ok(Option::<u64>::deserialize(from)?.map(|n| n.min(MOST_COUNT)))
}

/// Tokens of a call in a trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct TokenCount {
    /// Of the prompt.
    #[serde(deserialize_with = "count")]
    pub prompt: u64,
    /// Of the reply.
    #[serde(deserialize_with = "count")]
    pub reply: u64,
}

impl From<Tokens> for TokenCount {
    fn from(tokens: Tokens) -> Self {
        Self { prompt: tokens.prompt, reply: tokens.reply }
    }
}

/// The usage of one kind of call or one model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Use {
    /// Replies, including repairs.
    #[serde(deserialize_with = "count")]
    pub calls: u64,
    /// Failed attempts.
    #[serde(deserialize_with = "count")]
    pub failures: u64,
    /// Tokens of prompts.
    #[serde(deserialize_with = "count")]
    pub prompt_tokens: u64,
    /// Tokens of replies.
    #[serde(deserialize_with = "count")]
    pub reply_tokens: u64,
    /// Time the server spent reading prompts.
    #[serde(deserialize_with = "count")]
    pub prompt_ms: u64,
    /// Time the server spent on replies.
    #[serde(deserialize_with = "count")]
    pub reply_ms: u64,
    /// Time the server spent loading.
    #[serde(deserialize_with = "count")]
    pub load_ms: u64,
}

impl Use {
    /// The same with every number changed so.
    #[must_use]
    pub fn each(mut self, change: impl Fn(u64) -> u64) -> Self {
        self.fields().into_iter().for_each(|n| *n = change(*n));
        self
    }

    fn fields(&mut self) -> [&mut u64; 7] {
        [
            &mut self.calls,
            &mut self.failures,
            &mut self.prompt_tokens,
            &mut self.reply_tokens,
            &mut self.prompt_ms,
            &mut self.reply_ms,
            &mut self.load_ms,
        ]
    }

    /// Counts another use too. Traces from elsewhere may hold any number.
    pub fn add(&mut self, other: &Self) {
        let mut other = *other;
        for (sum, more) in self.fields().into_iter().zip(other.fields()) {
            *sum = sum.saturating_add(*more);
        }
    }

    /// Tokens of prompts and of replies a second, without `alone`: tokens and times that lack each other.
    pub fn speeds(&self, alone: &Self) -> [Option<f64>; 2] {
        let speed = |tokens: fn(&Self) -> u64, ms: fn(&Self) -> u64| {
            let both = |of: fn(&Self) -> u64| of(self).saturating_sub(of(alone));
            let (tokens, ms) = (both(tokens), both(ms));
            (tokens > 0 && ms > 0).then(|| tokens as f64 * 1000.0 / ms as f64)
        };
        [
            speed(|it| it.prompt_tokens, |it| it.prompt_ms),
            speed(|it| it.reply_tokens, |it| it.reply_ms),
        ]
    }
}

/// What is missing from the counts of calls that were answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize_tuple, Deserialize)]
pub struct Gaps {
    /// Replies without a count of the prompt's tokens.
    pub prompts: u64,
    /// Replies without a count of their own tokens.
    pub replies: u64,
    /// Replies without a time.
    pub times: u64,
    /// Replies without any one of these.
    pub calls: u64,
    /// Tokens without their time, and times without their tokens: they enter no speed.
    pub alone: Use,
}

/// What calls came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CallSums {
    /// What was used; of failed attempts, their number only.
    pub used: Use,
    /// Number, tokens and times of failed attempts whose tokens were counted.
    pub failed: Use,
    /// What is missing from `used`.
    pub gaps: Gaps,
}

impl CallSums {
    /// Of these attempts.
    pub fn of<'c>(calls: impl IntoIterator<Item = &'c Call>) -> Self {
        let mut sums = Self::default();
        calls.into_iter().for_each(|call| sums.count(call));
        sums
    }

    /// Counts one attempt.
    pub fn count(&mut self, call: &Call) {
        let used = Use::from(call);
        self.used.add(&used);
        if used.failures > 0 {
            let spent = call.spent();
            let failures = u64::from(spent.prompt_tokens > 0 || spent.reply_tokens > 0);
            self.failed.add(&Use { failures, ..spent });
        }
        let is_reply = used.calls > 0 && call.purpose() != Some(Purpose::Embed);
        let time = used.prompt_ms.saturating_add(used.reply_ms);
        let lacks = [used.prompt_tokens, used.reply_tokens, time].map(|n| is_reply && n == 0);
        self.gaps.prompts += u64::from(lacks[0]);
        self.gaps.replies += u64::from(lacks[1]);
        self.gaps.times += u64::from(lacks[2]);
        self.gaps.calls += u64::from(lacks.contains(&true));
        let lone = |tokens, ms| if tokens > 0 && ms > 0 { (0, 0) } else { (tokens, ms) };
        let (prompt_tokens, prompt_ms) = lone(used.prompt_tokens, used.prompt_ms);
        let (reply_tokens, reply_ms) = lone(used.reply_tokens, used.reply_ms);
        let alone = Use { prompt_tokens, prompt_ms, reply_tokens, reply_ms, ..Use::default() };
        self.gaps.alone.add(&alone);
    }
}

/// What a call was for.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// A statement.
    Speak,
    /// A judgment.
    Judge,
    /// An answer to a question: in statistics and exports only. In traces it is `judge`.
    Answer,
    /// Notes on a round.
    Clerk,
    /// A comment for readers.
    Comment,
    /// Embeddings.
    Embed,
}

impl fmt::Display for Purpose {
    /// The word in traces.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

/// A debate's usage.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Usage {
    /// By purpose: `speak`, `judge`, `clerk`, `embed`.
    pub by_purpose: BTreeMap<String, Use>,
    /// By model.
    pub by_model: BTreeMap<String, Use>,
}

/// The purposes of the calls on which an answer depends.
const FOR_THE_ANSWER: [&str; 3] = ["speak", "judge", "clerk"];
/// Those without judges.
const FOR_THE_TEXT: [&str; 2] = ["speak", "clerk"];

impl Usage {
    /// Tokens of the calls on which an answer depends: comments, and texts that are compared, are omitted.
    pub fn for_the_answer(&self, measure: TokenMeasure) -> u64 {
        self.of_purposes(&FOR_THE_ANSWER, measure)
    }

    /// Tokens of the calls on which a text depends that judges only read afterwards.
    pub fn for_the_text(&self, measure: TokenMeasure) -> u64 {
        self.of_purposes(&FOR_THE_TEXT, measure)
    }

    fn of_purposes(&self, purposes: &[&str], measure: TokenMeasure) -> u64 {
        let used = purposes.iter().filter_map(|purpose| self.by_purpose.get(*purpose));
        let tokens = used.map(|used| match measure {
            TokenMeasure::Generated => used.reply_tokens,
            TokenMeasure::Total => used.reply_tokens.saturating_add(used.prompt_tokens),
        });
        tokens.fold(0, u64::saturating_add)
    }
}

/// One attempt of a call. Unknown values are omitted: the server reports no counts without a complete reply. One that could not be
/// used is a failure with counts.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Call {
    /// The call's name.
    pub call: String,
    /// The attempt, from 1.
    pub attempt: u32,
    /// The purpose: `speak`, `judge`, `clerk`, `comment` or `embed`.
    pub purpose: String,
    /// The participant's id; `null` for embeddings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// The model.
    pub model: String,
    /// [`REPLY`], usable or not, or the kind of failure: `timeout`, `empty_reply`…
    pub outcome: String,
    /// The seed of the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u32>,
    /// Tokens of the prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_tokens: Option<u64>,
    /// Tokens of the reply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_tokens: Option<u64>,
    /// Time the server spent reading the prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_ms: Option<u64>,
    /// Time the server spent on the reply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_ms: Option<u64>,
    /// Time the server spent loading the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load_ms: Option<u64>,
    /// When it was on disk.
    #[serde(serialize_with = "crate::clock::serialize")]
    pub at: DateTime<Utc>,
}

/// What the kinds of calls that answer a question begin with.
const ANSWERS: [&str; 2] = ["sample", "final-answer"];

/// What this program knows a word of a trace as.
fn known<'w, T: Deserialize<'w>>(word: &'w str) -> Option<T> {
    T::deserialize(StrDeserializer::<value::Error>::new(word)).ok()
}

impl Call {
    /// Its purpose in the trace, if that is known.
    pub fn purpose(&self) -> Option<Purpose> {
        known(&self.purpose)
    }

    /// Why it failed, if it did and that is known.
    pub fn fault(&self) -> Option<Fault> {
        known(&self.outcome)
    }

    /// What it was for, if that is known. Answers to questions with known answers are asked for as judgments are, and judge nothing.
    pub fn known_purpose(&self) -> Option<Purpose> {
        let is_answer = |id: CallId| ANSWERS.iter().any(|kind| id.kind.starts_with(kind));
        Some(match self.purpose()? {
            Purpose::Judge if CallId::parse(&self.call).is_some_and(is_answer) => Purpose::Answer,
            other => other,
        })
    }

    /// Its tokens and times, whatever came of it.
    fn spent(&self) -> Use {
        Use {
            prompt_tokens: self.prompt_tokens.unwrap_or_default(),
            reply_tokens: self.reply_tokens.unwrap_or_default(),
            prompt_ms: self.prompt_ms.unwrap_or_default(),
            reply_ms: self.reply_ms.unwrap_or_default(),
            load_ms: self.load_ms.unwrap_or_default(),
            ..Use::default()
        }
    }
}

impl From<&Call> for Use {
    /// One attempt, as it is added up: what a failed one took is no part of it.
    fn from(call: &Call) -> Self {
        if call.outcome == REPLY {
            Self { calls: 1, ..call.spent() }
        } else {
            Self { failures: 1, ..Self::default() }
        }
    }
}

/// The outcome of a call that was answered.
pub const REPLY: &str = "reply";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn b3_a_speed_is_of_the_calls_with_both_a_count_and_a_time() {
        let call = |outcome: &str, tokens, ms| Call {
            outcome: outcome.to_owned(),
            prompt_tokens: Some(10),
            prompt_ms: Some(20),
            reply_tokens: tokens,
            reply_ms: ms,
            ..Call::default()
        };
        let all = [
            call(REPLY, Some(50), Some(1000)),
            // A reply that was ended at its limit has an estimate and no time.
            Call { prompt_tokens: None, prompt_ms: Some(0), ..call(REPLY, Some(1000), Some(0)) },
            call(REPLY, None, Some(3000)),
            call("empty_reply", Some(200), Some(100)),
            call("timeout", None, None),
            Call { prompt_tokens: None, ..call("empty_reply", None, Some(9)) },
        ];
        let CallSums { used, failed, gaps } = CallSums::of(&all);
        assert_eq!(used.speeds(&gaps.alone), [Some(500.0), Some(50.0)]);
        assert_eq!((used.calls, used.failures, used.reply_tokens), (3, 3, 1050));
        assert_eq!((failed.prompt_tokens, failed.reply_tokens, failed.failures), (20, 200, 2));
        let Gaps { prompts, replies, times, calls, .. } = gaps;
        assert_eq!((prompts, replies, times, calls), (1, 1, 1, 2));
    }
}
