//! A statement requested by a format.

use serde_json::Value;

use crate::call_id::CallId;
use crate::event::Phase;

/// A requested statement.
#[derive(Clone)]
pub struct Speech<'a> {
    /// The call.
    pub call: CallId,
    /// The speaker's id.
    pub by: &'a str,
    /// The part of the debate it belongs to.
    pub phase: Phase,
    /// The format's limit, in tokens.
    pub most_tokens: u32,
    /// The format's limit in seconds of simulated speech, if it has one.
    pub seconds: Option<u32>,
    /// Maximum model time of the round in seconds, if statements are shortened to keep to it.
    pub round_seconds: Option<u32>,
    /// What the format demands of the text.
    pub demand: Option<Demand<'a>>,
    /// The form of the reply, if it is not free text.
    pub form: Option<Form<'a>>,
    /// Whether its speaker is shown the task alone, without the transcript.
    pub blind: bool,
    /// The template of the task.
    pub template: &'a str,
    /// Values for the template.
    pub context: Value,
}

impl<'a> Speech<'a> {
    /// A statement limited only by its speaker's settings, without demands on its text.
    pub fn new(call: CallId, by: &'a str, phase: Phase, template: &'a str, context: Value) -> Self {
        Self {
            call,
            by,
            phase,
            most_tokens: u32::MAX,
            seconds: None,
            round_seconds: None,
            demand: None,
            form: None,
            blind: false,
            template,
            context,
        }
    }

    /// The same with the format's limit, in tokens.
    #[must_use]
    pub fn of_at_most(self, most_tokens: u32) -> Self {
        Self { most_tokens, ..self }
    }
}

/// The purpose of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A turn in the debate.
    Turn,
    /// The text that the debate ends with.
    Final,
    /// A comment for readers, which nobody in the debate sees.
    Comment,
}

/// A format's demands on a statement's text. A text that does not meet them is rejected: the speaker is told why and asked
/// again. After `again` rejections the text stands nevertheless, with the objections in the trace.
#[derive(Clone, Copy)]
pub struct Demand<'a> {
    /// How often the speaker is asked again.
    pub again: u32,
    /// The objections to a text; empty if it is accepted.
    pub objections: &'a (dyn Fn(&str) -> Vec<String> + Sync),
    /// Raises doubts that only a reader can settle, which the clerk does.
    pub doubt: Option<&'a Doubts<'a>>,
}

impl<'a> Demand<'a> {
    /// A speaker whose text meets objections is asked once more.
    pub fn once(objections: &'a (dyn Fn(&str) -> Vec<String> + Sync)) -> Self {
        Self { again: 1, objections, doubt: None }
    }
}

/// Raises a doubt about a text, if there is one.
pub type Doubts<'a> = dyn Fn(&str) -> Option<Doubt> + Sync + 'a;

/// A question to the clerk about a text that our measures leave in doubt.
#[derive(Debug, Clone)]
pub struct Doubt {
    /// The template of the clerk's task, which gets the text as `reply` and its speaker as `speaker`.
    pub template: &'static str,
    /// Further values for the template.
    pub context: Value,
    /// The questions to answer with yes or no: a key, which must sort after `because`, and the objection to the text if the
    /// answer is yes.
    pub asks: Vec<(&'static str, &'static str)>,
}

/// The form in which a statement is requested, as a structured reply that is repaired once, and how it is put into words.
#[derive(Clone, Copy)]
pub struct Form<'a> {
    /// The reply's schema.
    pub schema: &'a Value,
    /// The text that a reply of this shape stands for.
    pub text: &'a (dyn Fn(&Value) -> String + Sync),
    /// Whether a reply without this shape can stand as it is.
    pub accepts: &'a (dyn Fn(&str) -> bool + Sync),
}
