//! The answers of a debate on a question with a known answer.

use serde::{Deserialize, Serialize};

use super::Text;
use crate::event::Allotted;
use crate::question::AnswerStatus;
use crate::trace::Trace;

/// The answer of a debate, graded.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AnswerFacts {
    /// `debate`, or the kind of control run.
    pub arm: Text,
    /// The question: its id and the digest of its words, whatever file it stands in.
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
    /// The digest of what was said and answered.
    pub record: Text,
    /// The debates that it is matched to, by id, with the digests of their records when it began.
    pub matched: Box<[(Text, Text)]>,
}

impl AnswerFacts {
    /// Of a debate's trace; `None` for debates without a question.
    pub(super) fn from_trace<R>(trace: &Trace<R>) -> Option<Self> {
        let question = &trace.plan.question.as_ref()?.question;
        let budget = trace.plan.budget.as_ref();
        let last = trace.answers.iter().rfind(|answer| answer.stage == "final");
        Some(Self {
            arm: (*trace.plan.arm).into(),
            question: (*question.key()).into(),
            cluster: question.cluster.as_deref().map(Text::from),
            status: last.map_or(AnswerStatus::Missing, |answer| answer.status),
            correct: last.is_some_and(|answer| answer.correct),
            ratio: budget.map(|budget| budget.ratio),
            within: budget.map(|budget| budget.within),
            record: (*trace.digest_of_answered()).into(),
            matched: budget.map_or_else(Box::default, |it| matched(&it.allotted)),
        })
    }
}

/// The debates of a budget with their records.
fn matched(allotted: &Allotted) -> Box<[(Text, Text)]> {
    let each = allotted.debates.iter().zip(&allotted.records);
    each.map(|(debate, record)| ((**debate).into(), (**record).into()))
        .collect()
}
