//! A durable call: its request, the result of each attempt, and its end.

use std::future::Future;

use serde_json::Value;

use super::halt::Result;
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
    /// What that was given of what others said.
    pub(super) given: Value,
    pub(super) schema: Option<Value>,
    /// Maximum tokens that may be said.
    pub(super) most_tokens: u32,
    /// Whether the debate's end depends on it and no later prompt reuses the start of this one.
    pub(super) last: bool,
    /// Characters of the longest task among the calls made together: all of them see the same view of the transcript.
    pub(super) longest_task: usize,
    /// Whether the prompt shows none of the transcript.
    pub(super) blind: bool,
    /// Maximum repairs.
    pub(super) repairs: u32,
}

impl Ask<'_> {
    /// Whether the model thinks first. Not for structured replies: with thinking, servers apply a schema late or not at all.
    pub(super) fn thinks(&self) -> bool {
        self.by.think && self.schema.is_none()
    }

    pub(super) fn num_predict(&self) -> u32 {
        if self.thinks() { self.most_tokens + self.by.thinking_tokens } else { self.most_tokens }
    }
}

/// A call whose view of the transcript is settled.
#[derive(Debug, Clone)]
pub(super) struct Prepared<'a> {
    pub(super) ask: Ask<'a>,
    pub(super) view: View,
    /// The sentence that sets the language of the reply, if the debate has one. It ends the task, because models heed the last
    /// words most.
    pub(super) language: String,
}

/// The decision on a reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Review<T> {
    Accepted(T),
    /// Something has to be fixed, described in words for the model.
    Mend(String),
    /// The model declines the task.
    Declined,
}

/// Decides on a reply, which may take another call.
pub(super) trait Reader<T>: Sync {
    fn read(&self, reply: &ReplyEntry) -> impl Future<Output = Result<Review<T>>> + Send;
}

/// The result of an attempt, as in the journal.
pub(super) type Attempted = Result<ReplyEntry, FailureEntry>;

/// One attempt.
#[derive(Debug, Clone)]
pub(super) struct Step {
    pub(super) attempted: Attempted,
    pub(super) attempt: u32,
    pub(super) seed: u32,
    /// Characters of the prompt.
    pub(super) characters: usize,
    /// Whether the model was asked to think.
    pub(super) think: bool,
    /// The incident that the attempt was, if any.
    pub(super) incident: Option<Deviation>,
    /// The server's implausible counts, in words.
    pub(super) doubt: Option<String>,
}

/// A deviation from what was asked: its kind, and the cause in words.
pub(super) type Deviation = (IncidentKind, String);

/// How a call ended.
#[derive(Debug, Clone)]
pub(super) enum End<T> {
    /// A reply was accepted.
    Taken(T, Box<ReplyEntry>),
    /// The last reply could not be used, for this reason.
    Unusable(String),
    /// There was no reply, for this reason.
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

    /// Time the server spent on prompts and replies, in milliseconds.
    pub(super) fn model_ms(&self) -> u64 {
        let spent = self.replies().map(|entry| entry.reply.ns);
        spent.map(|ns| ms(ns.prompt + ns.reply)).sum()
    }

    /// Time the server spent on replies alone, in milliseconds.
    pub(super) fn reply_ms(&self) -> u64 {
        self.replies().map(|entry| ms(entry.reply.ns.reply)).sum()
    }

    pub(super) fn replies(&self) -> impl DoubleEndedIterator<Item = &ReplyEntry> {
        self.steps.iter().filter_map(|step| step.attempted.as_ref().ok())
    }
}

/// Nanoseconds as whole milliseconds.
pub(super) fn ms(ns: u64) -> u64 {
    ns / 1_000_000
}
