//! What a debate on a question with a known answer came to.

use serde::{Deserialize, Serialize};

use super::Text;
use crate::question::AnswerStatus;
use crate::trace::Trace;

/// The answer of a debate, graded.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AnswerFacts {
    /// `debate`, or the kind of control run.
    pub arm: Text,
    /// The file of the question, by its digest.
    pub set: Text,
    /// The question's id.
    pub question: Text,
    /// What it shares with others, where it shares anything.
    pub cluster: Option<Text>,
    /// Whether the answer can be graded; `missing` where the debate has none.
    pub status: AnswerStatus,
    /// Whether it is correct.
    pub correct: bool,
    /// Tokens spent over those of the debates it is matched to, where it is matched.
    pub ratio: Option<f64>,
    /// How far that may be from 1.
    pub within: Option<f64>,
}

impl AnswerFacts {
    /// Of a debate's trace; `None` for debates without a question.
    pub(super) fn from_trace<R>(trace: &Trace<R>) -> Option<Self> {
        let question = &trace.plan.question.as_ref()?.question;
        let last = trace.answers.iter().rfind(|answer| answer.stage == "final");
        Some(Self {
            arm: (*trace.plan.arm).into(),
            set: (*question.set.name).into(),
            question: (*question.id).into(),
            cluster: question.cluster.as_deref().map(Text::from),
            status: last.map_or(AnswerStatus::Missing, |answer| answer.status),
            correct: last.is_some_and(|answer| answer.correct),
            ratio: trace.plan.budget.as_ref().map(|budget| budget.ratio),
            within: trace.plan.budget.as_ref().map(|budget| budget.within),
        })
    }
}
