//! Controls: they wait for the debates they are matched to, and run again if these have changed.

use std::collections::HashMap;

use tokio::task::spawn_blocking;

use super::batch::Batch;
use super::debate::{End, RunContext};
use super::step::Step;
use crate::event::Status;
use crate::files::FileError;
use crate::id::DebateId;
use crate::plan::Plan;
use crate::store::control_readiness::{self, Lacks, Unmatched};
use crate::store::error::Result;
use crate::store::finished::{FinishedDebate, FinishedDebates};
use crate::store::{reopen, resume};
use crate::text;

/// The controls of a batch.
pub(super) struct Controls<'b> {
    batch: &'b Batch,
    /// Those that wait for a debate, by that debate.
    pub(super) unready: HashMap<DebateId, Vec<Plan>>,
    /// Number of controls reopened because their debates had changed.
    pub(super) rerun: u64,
}

impl<'b> Controls<'b> {
    pub(super) fn new(batch: &'b Batch) -> Self {
        Self { batch, unready: HashMap::new(), rerun: 0 }
    }

    /// The next step for a control whose debates have failed or not ended; otherwise `None`.
    pub(super) fn step(
        &self,
        plan: &Plan,
        finished: &FinishedDebates,
    ) -> Result<Option<Step>, FileError> {
        let control = plan.control.iter();
        for debate in control.flat_map(|control| &control.debates) {
            match self.status(debate, finished)? {
                None => return Ok(Some(Step::Await(debate.clone()))),
                Some(Status::Failed) => {
                    return Ok(Some(Step::End(unmatched(debate, Lacks::Success))));
                }
                Some(_) => {}
            }
        }
        Ok(None)
    }

    /// The status of a debate; `None` while it runs or is retried.
    fn status(
        &self,
        debate: &DebateId,
        finished: &FinishedDebates,
    ) -> Result<Option<Status>, FileError> {
        let output = &self.batch.context.output;
        if output.running_journal(debate).exists() {
            return Ok(None);
        }
        let known = finished.get(debate)?;
        // Unreadable files are reported when the control begins.
        let since = || resume::finished_since(output, debate).ok().flatten();
        Ok(known.or_else(since).map(|found| found.status))
    }

    /// The next step for a finished control that is matched to debates. It is rechecked once those being retried have ended.
    pub(super) fn recheck_step(&self, plan: &Plan, found: &FinishedDebate) -> Option<Step> {
        let control = plan.control.as_ref().filter(|it| it.arm.is_matched())?;
        if self.batch.stop.is_requested() {
            return None;
        }
        let output = &self.batch.context.output;
        let open = control.debates.iter().find(|debate| output.running_journal(debate).exists());
        Some(match open {
            Some(debate) => Step::Await(debate.clone()),
            None => Step::Recheck(found.clone()),
        })
    }

    /// Makes a control wait for a debate.
    pub(super) fn wait(&mut self, debate: DebateId, control: Plan) {
        self.unready.entry(debate).or_default().push(control);
    }

    /// The controls whose debates did not end, in the order of their ids, each with its own end. Those that were already finished
    /// stay as they are.
    pub(super) fn end_unready(&mut self, finished: &FinishedDebates) -> Vec<(Plan, End)> {
        let mut waiting: Vec<(DebateId, Plan)> = self
            .unready
            .drain()
            .flat_map(|(debate, plans)| plans.into_iter().map(move |it| (debate.clone(), it)))
            .collect();
        waiting.sort_by(|(_, a), (_, b)| a.id.cmp(&b.id));
        let ends = waiting.into_iter().map(|(debate, plan)| {
            let end = match finished.get(&plan.id) {
                Err(error) => End::Parked(error.to_string()),
                Ok(Some(found)) => End::Skipped(found.status),
                // Whoever stopped the run knows why.
                Ok(None) if self.batch.stop.is_requested() => End::NotBegun,
                Ok(None) => unmatched(&debate, Lacks::End),
            };
            (plan, end)
        });
        ends.collect()
    }

    /// Reports that controls ran again.
    pub(super) fn tell_rerun(&self) {
        if self.rerun > 0 {
            (self.batch.notify)(&format!(
                "{} run again: the debates they are matched to have changed",
                text::count(self.rerun, "control")
            ));
        }
    }
}

/// The end of a control that a debate keeps from beginning.
fn unmatched(debate: &DebateId, why: Lacks) -> End {
    End::Unmatched(Unmatched { debate: debate.clone(), why })
}

/// Rechecks a finished control. If its debates have changed since it was matched to them, it is reopened and will run in its
/// turn. This reads traces, so it runs on a thread of its own.
pub(super) async fn recheck(context: RunContext, plan: Plan, found: FinishedDebate) -> End {
    let skipped = End::Skipped(found.status);
    let done = spawn_blocking(move || reopened(&context, &plan, &found)).await;
    match done {
        Ok(Ok(true)) => End::Stale,
        // Faults of its files are reported by whatever reads them.
        _ => skipped,
    }
}

fn reopened(context: &RunContext, plan: &Plan, found: &FinishedDebate) -> Result<bool> {
    let (output, control) = (&context.output, plan.control.as_ref());
    let is_stale = |control| control_readiness::is_stale(output, control, found);
    if !control.map(is_stale).transpose()?.unwrap_or(false) {
        return Ok(false);
    }
    match output.claim(&plan.id, &context.holder)? {
        Ok(_claim) => reopen::anew(output, &plan.id, &context.clock).map(|()| true),
        // Another process has claimed the control and is working on it.
        Err(_) => Ok(false),
    }
}
