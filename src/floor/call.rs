//! A durable call: the request, the result of each attempt, and the end of the call.

use std::future::Future;

use serde_json::Value;

use super::halt::Halt;
use super::transcript::View;
use crate::call_id::CallId;
use crate::event::{IncidentKind, Purpose, TokenCount};
use crate::job::participant::Participant;
use crate::journal::{FailureEntry, ReplyEntry};

/// A named call before its first attempt.
#[derive(Debug, Clone)]
pub(super) struct Ask<'a> {
    pub(super) call: CallId,
    pub(super) by: &'a Participant,
    pub(super) purpose: Purpose,
    /// What follows the transcript in the prompt.
    pub(super) task: String,
    pub(super) schema: Option<Value>,
    /// Maximum tokens that may be said.
    pub(super) most_tokens: u32,
    /// Whether the debate's end rests on it, and no later prompt reuses this one's beginning.
    pub(super) last: bool,
    /// Characters of the longest task among the calls made together: they are all to see the same of the transcript.
    pub(super) longest_task: usize,
    /// Whether nothing of the transcript is shown.
    pub(super) blind: bool,
    /// How often the model is shown what is wrong with its reply and asked again.
    pub(super) repairs: u32,
}

impl Ask<'_> {
    /// Structured replies are never thought over: with thinking, servers apply a schema late or not at all.
    pub(super) fn thinks(&self) -> bool {
        self.by.think && self.schema.is_none()
    }

    pub(super) fn num_predict(&self) -> u32 {
        match self.thinks() {
            true => self.most_tokens + self.by.thinking_tokens,
            false => self.most_tokens,
        }
    }
}

/// A call whose view of the transcript is settled.
#[derive(Debug, Clone)]
pub(super) struct Prepared<'a> {
    pub(super) ask: Ask<'a>,
    pub(super) view: View,
    /// In which language to reply, where the debate has one. The task ends with it: what stands last is heeded most.
    pub(super) language: String,
}

/// What becomes of a reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Review<T> {
    Accepted(T),
    /// Something is to be fixed, in words for the model.
    Mend(String),
    /// The model declines the task.
    Declined,
}

/// Decides what becomes of a reply. That may take another call.
pub(super) trait Reader<T>: Sync {
    fn read(&self, reply: &ReplyEntry) -> impl Future<Output = Result<Review<T>, Halt>> + Send;
}

/// The result of an attempt, as the journal has it.
pub(super) type Attempted = Result<ReplyEntry, FailureEntry>;

/// One attempt.
#[derive(Debug, Clone)]
pub(super) struct Step {
    pub(super) attempted: Attempted,
    pub(super) attempt: u32,
    pub(super) seed: u32,
    /// Characters of the prompt.
    pub(super) characters: usize,
    /// What kind of incident it is, if it is one, and the cause in words.
    pub(super) incident: Option<Deviation>,
    /// What was counted and cannot be, in words.
    pub(super) doubt: Option<String>,
}

/// A deviation from what was asked, by kind and in words.
pub(super) type Deviation = (IncidentKind, String);

/// How a call ended.
#[derive(Debug, Clone)]
pub(super) enum End<T> {
    /// A reply was taken.
    Taken(T, ReplyEntry),
    /// Something is wrong with the last reply that was asked for, in words.
    Unusable(String),
    /// There was no reply.
    Exhausted(String),
}

/// A call with all its attempts.
#[derive(Debug, Clone)]
pub(super) struct Called<'a, T> {
    pub(super) call: String,
    pub(super) by: &'a Participant,
    pub(super) purpose: Purpose,
    pub(super) steps: Vec<Step>,
    pub(super) end: End<T>,
    /// Whether the last attempt saw less of the transcript than each side's newest statement and points.
    pub(super) below_floor: bool,
    /// The last attempt's seed and request digest.
    pub(super) seed: u32,
    pub(super) digest: String,
}

impl<T> Called<'_, T> {
    /// Tokens over all replies.
    pub(super) fn tokens(&self) -> TokenCount {
        let sum = |sum: TokenCount, entry: &ReplyEntry| TokenCount {
            prompt: sum.prompt + entry.reply.tokens.prompt,
            reply: sum.reply + entry.reply.tokens.reply,
        };
        self.replies().fold(TokenCount::default(), sum)
    }

    pub(super) fn attempts(&self) -> u32 {
        self.steps.len() as u32
    }

    /// Time the server spent on it, in milliseconds.
    pub(super) fn model_ms(&self) -> u64 {
        let spent = self.replies().map(|entry| entry.reply.ns);
        spent.map(|ns| ms(ns.prompt + ns.reply)).sum()
    }

    /// Time the server spent on replying alone, in milliseconds.
    pub(super) fn reply_ms(&self) -> u64 {
        self.replies().map(|entry| ms(entry.reply.ns.reply)).sum()
    }

    pub(super) fn replies(&self) -> impl DoubleEndedIterator<Item = &ReplyEntry> {
        let steps = self.steps.iter();
        steps.filter_map(|step| step.attempted.as_ref().ok())
    }
}

/// Nanoseconds as whole milliseconds.
pub(super) fn ms(ns: u64) -> u64 {
    ns / 1_000_000
}
