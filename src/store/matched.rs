//! What the debates took that a control is matched to.

use super::error::StoreError;
use super::layout::OutputDir;
use super::load;
use crate::digest;
use crate::event::{Allotted, Status};
use crate::id::DebateId;
use crate::plan::Control;
use crate::trace::Trace;

/// Whether a control can begin.
#[derive(Debug, Clone, PartialEq)]
pub enum Readiness {
    /// It can; with what it may spend, if it is matched.
    Ready(Option<Allotted>),
    /// This debate has not ended.
    Waits(DebateId),
    /// This debate failed.
    Unmatched(DebateId),
}

/// Whether the debates of a control have ended, and what they took.
pub fn readiness(output: &OutputDir, control: &Control) -> Result<Readiness, StoreError> {
    let (mut tokens, mut records) = (Vec::new(), Vec::new());
    for id in &control.debates {
        let Some(found) = load::finished_since(output, id)? else {
            return Ok(Readiness::Waits(id.clone()));
        };
        if found.status == Status::Failed {
            return Ok(Readiness::Unmatched(id.clone()));
        }
        if control.arm.is_matched() {
            let trace = Trace::read(&found.path.join("trace.json"))?;
            tokens.push(trace.usage.for_the_answer(control.measure));
            records.push(record(&trace));
        }
    }
    let mean = tokens.iter().sum::<u64>() / tokens.len().max(1) as u64;
    let allotted = control.arm.is_matched().then(|| Allotted {
        debates: control.debates.iter().map(ToString::to_string).collect(),
        records,
        measure: control.measure,
        tokens: mean,
    });
    Ok(Readiness::Ready(allotted))
}

/// The digest of what was said and answered, whatever panels and keys come later.
fn record(trace: &Trace) -> String {
    let answers = trace
        .answers
        .iter()
        .map(|answer| (&answer.raw, &answer.value));
    let answers: Vec<_> = answers.collect();
    let record = serde_json::json!([trace.id, trace.digest_of_record(), answers]);
    format!("sha256:{}", digest::of_json(&record))
}
