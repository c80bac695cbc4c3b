//! The spending of the debates that a control is matched to, and whether these debates have changed since.

use std::collections::BTreeSet;

use super::error::StoreError;
use super::finished::FinishedDebate;
use super::layout::OutputDir;
use super::resume;
use crate::event::{Allotted, DebateAnswer, Status};
use crate::id::DebateId;
use crate::plan::Control;
use crate::trace::Trace;

/// The spending of a control's debates as its budget, if it is matched to them. The outer value is `None` if one of them has
/// not ended, or failed, or has no answer to compare with.
pub fn allotted(
    output: &OutputDir,
    control: &Control,
) -> Result<Option<Option<Allotted>>, StoreError> {
    let mut traces = Vec::new();
    for id in &control.debates {
        let Some(found) = ended_well(output, id)? else {
            return Ok(None);
        };
        if control.arm.is_matched() {
            traces.push(Trace::read(&found.path.join("trace.json"))?);
        }
    }
    if !control.arm.is_matched() {
        return Ok(Some(None));
    }
    let is_compared = control.arm.is_for_open_topics();
    let answer = traces.first().filter(|_| is_compared).and_then(answer);
    if is_compared && answer.is_none() {
        return Ok(None);
    }
    let spent = |trace: &Trace| match is_compared {
        true => trace.usage.for_the_text(control.measure),
        false => trace.usage.for_the_answer(control.measure),
    };
    let tokens: u64 = traces.iter().map(spent).sum();
    Ok(Some(Some(Allotted {
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
    let now = allotted(output, control)?.flatten();
    Ok(now.is_some_and(|now| now.records != budget.allotted.records))
}

fn ended_well(output: &OutputDir, id: &DebateId) -> Result<Option<FinishedDebate>, StoreError> {
    let found = resume::finished_since(output, id)?;
    Ok(found.filter(|found| found.status != Status::Failed))
}
