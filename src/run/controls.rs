//! Controls whose debates were retried or run again since: they are run again.

use tokio::task::spawn_blocking;

use super::debate::{End, RunContext};
use crate::plan::Plan;
use crate::store::error::StoreError;
use crate::store::finished::FinishedDebate;
use crate::store::{matched, retry};

/// Looks at a finished control; one that is matched to what its debates are no more is reopened, to be run in its turn. Traces are
/// read for this, so it is done on its own thread.
pub(super) async fn recheck(context: RunContext, plan: Plan, found: FinishedDebate) -> End {
    let skipped = End::Skipped(found.status);
    let done = spawn_blocking(move || reopened(&context, &plan, &found)).await;
    match done {
        Ok(Ok(true)) => End::Stale,
        // What is wrong with its files is told by who reads them.
        _ => skipped,
    }
}

fn reopened(context: &RunContext, plan: &Plan, found: &FinishedDebate) -> Result<bool, StoreError> {
    let (output, control) = (&context.output, plan.control.as_ref());
    let is_stale = |control| matched::is_stale(output, control, found);
    if !control.map(is_stale).transpose()?.unwrap_or(false) {
        return Ok(false);
    }
    match output.claim(&plan.id, &context.holder)? {
        Ok(_claim) => retry::reopen_anew(output, &plan.id, &context.clock).map(|()| true),
        // Whoever has it is at it.
        Err(_) => Ok(false),
    }
}
