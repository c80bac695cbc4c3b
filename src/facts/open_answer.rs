//! The answer of a debate on an open topic, or of the control that is compared with it.

use serde::Deserialize;
use serde_tuple::Serialize_tuple;

use super::answered::matched;
use super::{ComparedFacts, Text};
use crate::event::Results;
use crate::job::profile_of;
use crate::panel::candidates::two_answers;
use crate::text::answer_parts;
use crate::trace::Trace;

/// What is known of two answers apart from how they were judged.
#[derive(Debug, Clone, PartialEq, Serialize_tuple, Deserialize)]
pub struct OpenFacts {
    /// `debate`, or the kind of control run.
    pub arm: Text,
    /// How the debate's own judges compared them, if they did.
    pub own: Option<ComparedFacts>,
    /// The digest of what was said: no name that debates share.
    pub record: Box<str>,
    /// Tokens spent over those of the debate that it is matched to, where it is matched.
    pub ratio: Option<f64>,
    /// How far that may be from 1.
    pub within: Option<f64>,
    /// The words of both answers: of the final one last.
    pub words: Option<[u32; 2]>,
    /// The debates that it is matched to, by id, with the digests of their records when it began.
    pub matched: Box<[(Text, Text)]>,
}

impl OpenFacts {
    /// Of a debate's trace; `None` in formats that do not end with an answer to compare.
    pub(super) fn from_trace<R>(trace: &Trace<R>, results: &Results) -> Option<Self> {
        profile_of(&trace.format).two_answers?;
        let budget = trace.plan.budget.as_ref();
        let words = |text: &str| answer_parts::plain(text).split_whitespace().count() as u32;
        Some(Self {
            arm: (*trace.plan.arm).into(),
            own: results.comparison.as_ref().map(Into::into),
            record: (*trace.digest_of_answered()).into(),
            ratio: budget.map(|budget| budget.ratio),
            within: budget.map(|budget| budget.within),
            words: two_answers(trace).map(|two| two.map(|said| words(&said.text))),
            matched: budget.map_or_else(Box::default, |it| matched(&it.allotted)),
        })
    }

    /// Whether it can be counted: what was not made from a trace just now may hold anything.
    pub(super) fn is_sound(&self) -> bool {
        let mut numbers = self.ratio.into_iter().chain(self.within);
        numbers.all(f64::is_finite)
    }
}
