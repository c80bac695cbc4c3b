//! The spending of the debates that a control is matched to, and whether these debates have changed since.

use std::collections::BTreeSet;
use std::fmt;

use super::error::StoreError;
use super::finished::FinishedDebate;
use super::layout::OutputDir;
use super::resume;
use crate::event::{Allotted, DebateAnswer, Status};
use crate::id::DebateId;
use crate::plan::Control;
use crate::trace::Trace;

/// Why a control cannot begin: the debate of its own that keeps it, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unmatched {
    /// The debate.
    pub debate: DebateId,
    /// What is missing in it.
    pub why: Lacks,
}

/// What a control's debate lacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lacks {
    /// It has not ended.
    End,
    /// It failed.
    Success,
    /// A model's answer to compare with.
    Answer,
}

impl fmt::Display for Unmatched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let why = match self.why {
            Lacks::End => "has not ended",
            Lacks::Success => "failed",
            Lacks::Answer => "has no final answer by a model",
        };
        write!(
            f,
            "debate {}, which it is matched to, {why}",
            self.debate.short()
        )
    }
}

/// The spending of a control's debates as its budget, if it is matched to them; or the first of them that keeps it from beginning.
pub fn allotted(
    output: &OutputDir,
    control: &Control,
) -> Result<Result<Option<Allotted>, Unmatched>, StoreError> {
    let lacks = |debate: &DebateId, why| {
        let debate = debate.clone();
        Ok(Err(Unmatched { debate, why }))
    };
    let mut traces = Vec::new();
    for id in &control.debates {
        let Some(found) = resume::finished_since(output, id)? else {
            return lacks(id, Lacks::End);
        };
        if found.status == Status::Failed {
            return lacks(id, Lacks::Success);
        }
        if control.arm.is_matched() {
            traces.push(Trace::read(&found.path.join("trace.json"))?);
        }
    }
    if !control.arm.is_matched() {
        return Ok(Ok(None));
    }
    let is_compared = control.arm.is_for_open_topics();
    let answer = traces.first().filter(|_| is_compared).and_then(answer);
    if let Some(trace) = traces.first().filter(|_| is_compared && answer.is_none()) {
        return lacks(&trace.id, Lacks::Answer);
    }
    let spent = |trace: &Trace| match is_compared {
        true => trace.usage.for_the_text(control.measure),
        false => trace.usage.for_the_answer(control.measure),
    };
    let tokens: u64 = traces.iter().map(spent).sum();
    Ok(Ok(Some(Allotted {
        debates: control.debates.iter().map(ToString::to_string).collect(),
        records: traces.iter().map(Trace::digest_of_answered).collect(),
        measure: control.measure,
        tokens: tokens / traces.len().max(1) as u64,
        answer,
    })))
}

/// The final answer of a debate, with the models that spoke in it; `None` without one.
fn answer(trace: &Trace) -> Option<DebateAnswer> {
    let last = trace.statement(trace.outcome.as_ref()?.final_text?)?;
    let people = trace.participants.iter().flat_map(|person| &person.models);
    let spoke: BTreeSet<&str> = people
        .filter(|model| model.statements > 0)
        .map(|model| model.name.as_str())
        .collect();
    let models = trace.models.iter();
    let models = models.filter(|model| spoke.contains(model.name.as_str()));
    last.is_by_a_model().then(|| DebateAnswer {
        text: last.text.clone(),
        names: trace.participants.iter().map(|p| p.name.clone()).collect(),
        models: models.cloned().collect(),
    })
}

/// Whether a finished control is matched to a debate that has changed since, and can be matched again.
pub fn is_stale(
    output: &OutputDir,
    control: &Control,
    found: &FinishedDebate,
) -> Result<bool, StoreError> {
    let trace = Trace::read(&found.path.join("trace.json"))?;
    let Some(budget) = trace.plan.budget else {
        return Ok(false);
    };
    let now = allotted(output, control)?.ok().flatten();
    Ok(now.is_some_and(|now| now.records != budget.allotted.records))
}
