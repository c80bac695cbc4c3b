//! The answers of a debate on a question with a known answer.

use serde::Deserialize;
use serde_tuple::Serialize_tuple;

use super::Text;
use crate::event::{Allotted, MOST_COUNT, Use};
use crate::job::TokenMeasure;
use crate::question::{AnswerStatus, Answered, plurality_correct};
use crate::trace::Trace;

/// The answer of a debate, graded.
#[derive(Debug, Clone, PartialEq, Serialize_tuple, Deserialize)]
pub struct AnswerFacts {
    /// `debate`, or the kind of control run.
    pub arm: Text,
    /// The question: its id and the digest of its words, whatever file it stands in.
    pub question: Text,
    /// What it shares with others, where it shares anything.
    pub cluster: Option<Text>,
    /// How many choices it has; 0 for a question of another kind.
    pub choices: usize,
    /// Whether the answer can be graded; `missing` where the debate has none.
    pub status: AnswerStatus,
    /// Whether it is correct.
    pub correct: bool,
    /// Tokens spent over those of the debates it is matched to, where it is matched.
    pub ratio: Option<f64>,
    /// How far that may be from 1.
    pub within: Option<f64>,
    /// The digest of what was said and answered: no name that debates share.
    pub record: Box<str>,
    /// The tokens of replies that the answer depends on.
    pub tokens: u64,
    /// If it counts several samples: what the first of them alone come to, the first two, and so on.
    pub prefixes: Box<[Prefix]>,
    /// The debates that it is matched to, by id, with the digests of their records when it began.
    pub matched: Box<[(Text, Text)]>,
}

/// The first so many samples of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Serialize_tuple, Deserialize)]
pub struct Prefix {
    /// How likely their most frequent answer is correct: equals are decided by lot.
    pub correct: f64,
    /// The tokens of their replies.
    pub tokens: u64,
}

impl AnswerFacts {
    /// Of a debate's trace; `None` for debates without a question.
    pub(super) fn from_trace<R>(trace: &Trace<R>) -> Option<Self> {
        let question = &trace.plan.question.as_ref()?.question;
        let budget = trace.plan.budget.as_ref();
        let last = trace.final_answer();
        Some(Self {
            arm: (*trace.plan.arm).into(),
            question: (*question.key()).into(),
            cluster: question.cluster.as_deref().map(Text::from),
            choices: question.choices.len(),
            status: last.map_or(AnswerStatus::Missing, |answer| answer.status),
            correct: last.is_some_and(|answer| answer.correct),
            ratio: budget.map(|budget| budget.ratio),
            within: budget.map(|budget| budget.within),
            record: (*trace.digest_of_answered()).into(),
            tokens: trace.usage.for_the_answer(TokenMeasure::Generated),
            prefixes: prefixes(trace),
            matched: budget.map_or_else(Box::default, |it| matched(&it.allotted)),
        })
    }

    /// Whether it can be counted: what was not made from a trace just now may hold anything.
    pub(super) fn is_sound(&self) -> bool {
        let is_sound = |it: &Prefix| (0.0..=1.0).contains(&it.correct) && it.tokens <= MOST_COUNT;
        self.tokens <= MOST_COUNT && self.prefixes.iter().all(is_sound)
    }
}

/// What the samples of an answer come to, one after the other.
fn prefixes<R>(trace: &Trace<R>) -> Box<[Prefix]> {
    let samples: Vec<&Answered> = trace.answers.iter().filter(|it| it.sample.is_some()).collect();
    let tokens = |one: &Answered| -> u64 {
        let own = trace.calls.iter().filter(|call| Some(&call.call) == one.call.as_ref());
        own.map(|call| Use::from(call).reply_tokens).sum()
    };
    let spent = samples.iter().scan(0, |spent, one| {
        *spent += tokens(one);
        Some(*spent)
    });
    let prefix = |(at, tokens): (usize, u64)| {
        let first = samples[..=at].iter();
        let valid = first.filter_map(|one| Some((one.value.as_ref()?, one.correct)));
        Prefix { correct: plurality_correct(valid), tokens }
    };
    spent.enumerate().map(prefix).collect()
}

/// The debates of a budget with their records.
pub(super) fn matched(allotted: &Allotted) -> Box<[(Text, Text)]> {
    let each = allotted.debates.iter().zip(&allotted.records);
    each.map(|(debate, record)| ((**debate).into(), (**record).into())).collect()
}
