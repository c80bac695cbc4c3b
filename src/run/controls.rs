//! Controls: they wait for the debates they are matched to, and run again once those have changed.

use tokio::task::spawn_blocking;

use super::batch::Batch;
use super::debate::{End, RunContext};
use super::step::Step;
use super::unready::Unready;
use crate::event::Status;
use crate::id::DebateId;
use crate::plan::Plan;
use crate::store::error::StoreError;
use crate::store::finished::{FinishedDebate, FinishedDebates};
use crate::store::{matched, reopen, resume};
use crate::text;

/// The controls of a batch.
pub(super) struct Controls<'b> {
    batch: &'b Batch,
    unready: Unready,
    /// How many were reopened, since their debates have changed.
    rerun: u64,
}

impl<'b> Controls<'b> {
    pub(super) fn new(batch: &'b Batch) -> Self {
        Self {
            batch,
            unready: Unready::default(),
            rerun: 0,
        }
    }

    /// What becomes of a control whose debates have not ended, or failed.
    pub(super) fn step(&self, plan: &Plan, finished: &FinishedDebates) -> Option<Step> {
        for debate in &plan.control.as_ref()?.debates {
            match self.status(debate, finished) {
                None => return Some(Step::Await(debate.clone())),
                Some(Status::Failed) => return Some(Step::End(End::Unmatched)),
                Some(_) => {}
            }
        }
        None
    }

    /// How a debate ended; `None` while it runs, or is retried.
    fn status(&self, debate: &DebateId, finished: &FinishedDebates) -> Option<Status> {
        let output = &self.batch.context.output;
        if output.running_journal(debate).exists() {
            return None;
        }
        let known = finished.get(debate);
        // What cannot be read is told where the control begins.
        let since = || resume::finished_since(output, debate).ok().flatten();
        Some(known.or_else(since)?.status)
    }

    /// What becomes of a finished control that is matched to its debates. It is looked at once the debates have ended that are
    /// retried.
    pub(super) fn recheck_step(&self, plan: &Plan, found: &FinishedDebate) -> Option<Step> {
        let control = plan.control.as_ref().filter(|it| it.arm.is_matched())?;
        if self.batch.stop.is_requested() {
            return None;
        }
        let output = &self.batch.context.output;
        let mut debates = control.debates.iter();
        let open = debates.find(|debate| output.running_journal(debate).exists());
        Some(match open {
            Some(debate) => Step::Await(debate.clone()),
            None => Step::Recheck(found.clone()),
        })
    }

    /// A control waits for a debate.
    pub(super) fn wait(&mut self, debate: DebateId, control: Plan) {
        self.unready.add(debate, control);
    }

    /// The controls that waited for this debate, which has ended.
    pub(super) fn ready(&mut self, debate: &DebateId) -> Vec<Plan> {
        self.unready.take(debate)
    }

    /// The controls whose debates did not end, each with its own end: those that were finished before stay as they are.
    pub(super) fn unready(&mut self, finished: &FinishedDebates) -> Vec<(Plan, End)> {
        let unready = self.unready.take_all().into_iter();
        let ends: Vec<(Plan, End)> = unready
            .map(|plan| {
                let found = finished.get(&plan.id);
                let end = found.map_or(End::Unmatched, |found| End::Skipped(found.status));
                (plan, end)
            })
            .collect();
        let not_run = ends.iter().filter(|(_, end)| matches!(end, End::Unmatched));
        self.tell_not_run(not_run.count() as u64);
        ends
    }

    fn tell_not_run(&self, count: u64) {
        if count > 0 && !self.batch.stop.is_requested() {
            (self.batch.notify)(&format!(
                "{} not run: the debates they are matched to did not end",
                text::count(count, "control")
            ));
        }
    }

    /// A control was reopened.
    pub(super) fn rerun(&mut self) {
        self.rerun += 1;
    }

    /// Says that controls were run again.
    pub(super) fn tell_rerun(&self) {
        if self.rerun > 0 {
            (self.batch.notify)(&format!(
                "{} run again: the debates they are matched to have changed",
                text::count(self.rerun, "control")
            ));
        }
    }
}

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
        Ok(_claim) => reopen::anew(output, &plan.id, &context.clock).map(|()| true),
        // Whoever has it is at it.
        Err(_) => Ok(false),
    }
}
