//! The spending of the debates that a control is matched to, and whether these debates have changed since.

use super::error::StoreError;
use super::finished::FinishedDebate;
use super::layout::OutputDir;
use super::resume;
use crate::event::{Allotted, Status};
use crate::id::DebateId;
use crate::plan::Control;
use crate::trace::Trace;

/// The spending of a control's debates as its budget, if it is matched to them. The outer value is `None` if one of them has
/// not ended, or failed.
pub fn allotted(
    output: &OutputDir,
    control: &Control,
) -> Result<Option<Option<Allotted>>, StoreError> {
    let (mut tokens, mut records) = (Vec::new(), Vec::new());
    for id in &control.debates {
        let Some(found) = ended_well(output, id)? else {
            return Ok(None);
        };
        if control.arm.is_matched() {
            let trace = Trace::read(&found.path.join("trace.json"))?;
            tokens.push(trace.usage.for_the_answer(control.measure));
            records.push(trace.digest_of_answered());
        }
    }
    let mean = tokens.iter().sum::<u64>() / tokens.len().max(1) as u64;
    Ok(Some(control.arm.is_matched().then(|| Allotted {
        debates: control.debates.iter().map(ToString::to_string).collect(),
        records,
        measure: control.measure,
        tokens: mean,
    })))
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
