//! Another answer key for a finished debate: an external in its journal, and new grades in its trace (row C4). No model is
//! called.

use serde::{Deserialize, Serialize};

use super::amend::Note;
use crate::question::{Expected, Posed, Question, QuestionSet, grade};
use crate::trace::Trace;

/// The answer that counts as correct, and the file it is from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AnswerKey {
    set: QuestionSet,
    cluster: Option<String>,
    expected: Expected,
}

impl AnswerKey {
    /// The key that a file's question gives for a debate's question, whose choices may be in another order; `None` if the
    /// questions differ.
    pub fn new(posed: &Posed, question: &Question) -> Option<Self> {
        let own = &posed.question;
        let [mut mine, mut others] = [own, question].map(|it| it.choices.clone());
        mine.sort();
        others.sort();
        if own.text != question.text || own.kind != question.kind || mine != others {
            return None;
        }
        let correct = question.expected.choice.and_then(|at| question.choices.get(at));
        let choice = correct.and_then(|text| own.choices.iter().position(|choice| choice == text));
        Some(Self {
            set: question.set.clone(),
            cluster: question.cluster.clone(),
            expected: Expected { choice, ..question.expected.clone() },
        })
    }

    /// Whether a debate is already graded by this key.
    pub fn is_of(&self, posed: &Posed) -> bool {
        self.expected == posed.question.expected && self.cluster == posed.question.cluster
    }
}

impl Note for AnswerKey {
    const NAME: &'static str = "key/user/";

    /// Grades the answers by this key.
    fn put_into(&self, trace: &mut Trace) {
        let Some(posed) = &mut trace.plan.question else { return };
        posed.question.set = self.set.clone();
        posed.question.cluster = self.cluster.clone();
        posed.question.expected = self.expected.clone();
        for answer in &mut trace.answers {
            let value = answer.value.as_ref();
            answer.correct = value.is_some_and(|value| grade(posed, value));
        }
    }
}
