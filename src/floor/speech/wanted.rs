//! A statement requested by a format.

use serde_json::Value;

use crate::call_id::CallId;
use crate::event::Phase;

/// A statement that is wanted.
#[derive(Clone)]
pub struct Speech<'a> {
    /// The call.
    pub call: CallId,
    /// Who speaks, by id.
    pub by: &'a str,
    /// What part of the debate it belongs to.
    pub phase: Phase,
    /// The format's limit, in tokens.
    pub most_tokens: u32,
    /// The format's limit, in seconds of simulated speech, if it has one.
    pub seconds: Option<u32>,
    /// The model time that the round may take, in seconds, where statements are shortened to keep it.
    pub round_seconds: Option<u32>,
    /// What the format demands of the text.
    pub demand: Option<Demand<'a>>,
    /// The form in which it is asked for, where that is not free text.
    pub form: Option<Form<'a>>,
    /// The template of the task.
    pub template: &'a str,
    /// What the template may use.
    pub context: Value,
}

impl<'a> Speech<'a> {
    /// A statement that only its speaker's own settings limit, and of which nothing is demanded.
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
            template,
            context,
        }
    }
}

/// What a free text is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A turn in the debate.
    Turn,
    /// The text that the debate ends with.
    Final,
    /// A word for readers, which nobody in the debate sees.
    Comment,
}

/// What a format demands of a statement's text. A text that does not meet it is rejected: the speaker is told why and
/// asked again, and after this many times the text stands all the same, with the objection in the trace.
#[derive(Clone, Copy)]
pub struct Demand<'a> {
    /// How often the speaker is asked again.
    pub again: u32,
    /// Why a text cannot be taken; nothing if it can.
    pub objections: &'a (dyn Fn(&str) -> Vec<String> + Sync),
    /// What a measure finds in a text that only someone who reads it can decide; the clerk does.
    pub doubt: Option<&'a Doubts<'a>>,
}

/// Raises a doubt about a text, or none.
pub type Doubts<'a> = dyn Fn(&str) -> Option<Doubt> + Sync + 'a;

/// A question to the clerk about a text that our measures leave in doubt.
#[derive(Debug, Clone)]
pub struct Doubt {
    /// The template of the clerk's task. It finds the text as `reply` and its speaker as `speaker`.
    pub template: &'static str,
    /// What else the template may use.
    pub context: Value,
    /// What is asked, to be answered with yes or no: a key, which stands behind `because` in the alphabet, and what is
    /// held against a text of which it is true.
    pub asks: Vec<(&'static str, &'static str)>,
}

/// The form in which a statement is asked for, and how it is put into words: a structured reply that is repaired once.
#[derive(Clone, Copy)]
pub struct Form<'a> {
    /// The shape of the reply.
    pub schema: &'a Value,
    /// The text that a reply of this shape stands for.
    pub text: &'a (dyn Fn(&Value) -> String + Sync),
    /// Whether a reply without this shape can stand as it is.
    pub accepts: &'a (dyn Fn(&str) -> bool + Sync),
}
