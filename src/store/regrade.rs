//! Another answer key for a finished debate: a reading in its journal, other grades in its trace (row C4). No model is asked.

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::error::StoreError;
use super::layout::OutputDir;
use super::noted::{self, Note};
use crate::clock::Clock;
use crate::journal::Entry;
use crate::question::{Expected, Posed, Question, QuestionSet, grade};
use crate::templates::Templates;
use crate::trace::Trace;

/// What the readings of answer keys are called, before their number.
const NAME: &str = "key/user/";

/// The answer that counts as correct, and the file that says so.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AnswerKey {
    set: QuestionSet,
    cluster: Option<String>,
    expected: Expected,
}

impl AnswerKey {
    /// The key that a question of a file is for a debate's question; none if they are not the same one. Choices may stand in
    /// another order.
    pub fn new(posed: &Posed, question: &Question) -> Option<Self> {
        let own = &posed.question;
        let [mut mine, mut others] = [own, question].map(|it| it.choices.clone());
        mine.sort();
        others.sort();
        if own.text != question.text || own.kind != question.kind || mine != others {
            return None;
        }
        let correct = question
            .expected
            .choice
            .and_then(|at| question.choices.get(at));
        let choice = correct.and_then(|text| own.choices.iter().position(|choice| choice == text));
        Some(Self {
            set: question.set.clone(),
            cluster: question.cluster.clone(),
            expected: Expected {
                choice,
                ..question.expected.clone()
            },
        })
    }

    /// Whether a debate is graded by it already.
    pub fn is_of(&self, posed: &Posed) -> bool {
        self.expected == posed.question.expected && self.cluster == posed.question.cluster
    }
}

/// Grades the finished debate in `dir`, which stands in `output`, by a key.
pub fn regrade(
    output: &OutputDir,
    dir: &Path,
    key: &AnswerKey,
    templates: &Templates,
    clock: &Clock,
) -> Result<(), StoreError> {
    let note = Note {
        name: NAME,
        value: json!(key),
    };
    noted::note(output, dir, note, (templates, clock), |trace| {
        set(trace, key);
    })
}

/// The last key among a journal's entries.
pub(crate) fn last(entries: &[Entry]) -> Option<AnswerKey> {
    serde_json::from_value(noted::last(entries, NAME)?.clone()).ok()
}

/// Whether a journal's entry is an answer key.
pub(super) fn is_key(entry: &Entry) -> bool {
    noted::is(entry, NAME)
}

/// Grades a trace's answers by a key.
pub(crate) fn set(trace: &mut Trace, key: &AnswerKey) {
    let Some(posed) = &mut trace.plan.question else {
        return;
    };
    posed.question.set = key.set.clone();
    posed.question.cluster = key.cluster.clone();
    posed.question.expected = key.expected.clone();
    for answer in &mut trace.answers {
        answer.correct = answer
            .value
            .as_ref()
            .is_some_and(|value| grade(posed, value));
    }
}
