//! Parts of a debate.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::text;

/// What part of the debate a statement belongs to. The constants are those that several modules know; a format may have
/// others of its own.
#[derive(
    Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize, JsonSchema,
)]
#[serde(transparent)]
#[schemars(inline)]
pub struct Phase(Cow<'static, str>);

impl Phase {
    /// Where a text of ours says what the debate is about and how it goes.
    pub const INTRODUCTION: Self = Self::new("introduction");
    /// A contestant's first statement, where it is one of its own kind.
    pub const OPENING: Self = Self::new("opening");
    /// A contestant's first answer, which no other contestant has read before giving its own.
    pub const POSITION: Self = Self::new("position");
    /// A turn in a round.
    pub const ARGUMENT: Self = Self::new("argument");
    /// A turn against an argument.
    pub const REBUTTAL: Self = Self::new("rebuttal");
    /// Where a speaker is interrupted.
    pub const INTERJECTION: Self = Self::new("interjection");
    /// A reply to an interruption or to the question.
    pub const ANSWER: Self = Self::new("answer");
    /// An answer that is criticised and revised.
    pub const PROPOSAL: Self = Self::new("proposal");
    /// Where a text of ours says what changes.
    pub const TRANSITION: Self = Self::new("transition");
    /// Where a text of ours says what comes next.
    pub const ANNOUNCEMENT: Self = Self::new("announcement");
    /// A contestant's last statement, where it is one of its own kind.
    pub const CLOSING: Self = Self::new("closing");
    /// What a moderator makes of a round.
    pub const ROUND_SUMMARY: Self = Self::new("round_summary");
    /// The debate as someone sums it up who did not argue.
    pub const SUMMARY: Self = Self::new("summary");

    /// A part by its name in traces.
    pub const fn new(name: &'static str) -> Self {
        Self(Cow::Borrowed(name))
    }

    /// Its name in traces.
    pub fn name(&self) -> &str {
        &self.0
    }

    /// Its name in a sentence: `extra turn`. Where a speaker is interrupted, people read of an interruption.
    pub fn words(&self) -> String {
        if *self == Self::INTERJECTION {
            "interruption".to_owned()
        } else {
            self.0.replace('_', " ")
        }
    }

    /// Its name as a heading: `Extra turn`.
    pub fn title(&self) -> String {
        text::capitalised(&self.words())
    }
}
