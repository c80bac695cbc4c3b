//! The next step for a debate of a batch, as far as it can be decided without running it.

use super::BatchLoop;
use crate::files::{FileError, Result};
use crate::plan::Plan;
use crate::run::debate::{self, End};
use crate::run::deferred::{models_of, outlook};
use crate::run::queue::Reason;
use crate::run::run_limits::Answer;
use crate::run::step::Step;
use crate::servers::Outlook;
use crate::stop::REQUEST;
use crate::store::finished::FinishedDebate;

impl BatchLoop<'_> {
    pub(super) fn step(&mut self, plan: &Plan, reason: Reason) -> Result<Step> {
        let found = self.finished.get(&plan.id)?;
        let is_begun = self.batch.context.output.running_journal(&plan.id).exists();
        match found {
            Some(found) if !is_begun => Ok(self.step_of_finished(plan, found)),
            found => self.step_of_unfinished(plan, found, is_begun, reason),
        }
    }

    fn step_of_finished(&mut self, plan: &Plan, found: FinishedDebate) -> Step {
        self.warn_traceless(plan, &found);
        if let Some(step) = self.controls.recheck_step(plan, &found) {
            return step;
        }
        let is_for_panel = plan.panel.is_some() && !self.batch.stop.is_requested();
        if is_for_panel { Step::Judge(found) } else { Step::End(End::Skipped(found.status)) }
    }

    /// A debate to begin or to continue: whether the user, its controls, its servers and the limits let it, in this order.
    fn step_of_unfinished(
        &mut self,
        plan: &Plan,
        found: Option<FinishedDebate>,
        is_begun: bool,
        reason: Reason,
    ) -> Result<Step> {
        let refuses = self.stop_requests.refuses(plan);
        let left = if is_begun {
            End::Stopped(self.batch.stop.by().or(refuses.then_some(REQUEST)))
        } else {
            End::NotBegun
        };
        if self.batch.stop.is_requested() || refuses {
            return Ok(Step::End(left));
        }
        if !is_begun && let Some(step) = self.controls.step(plan, &self.finished)? {
            return Ok(step);
        }
        let (servers, models) = (self.servers(), models_of(plan));
        match (outlook(servers, &models), reason) {
            (Outlook::Served, _) => {}
            // One open debate has to find out whether its servers are back.
            (Outlook::Awaited, _) if self.open.is_empty() => {}
            // What is journaled goes on as far as it can.
            (Outlook::Lacking, _) if is_begun || self.is_kept(plan) => {}
            (Outlook::Lacking, _) => {
                let models = models.iter().map(String::as_str);
                let cause = servers.map(|servers| servers.given_up(models));
                return Ok(Step::End(End::Parked(cause.unwrap_or_default())));
            }
            (Outlook::GivenUp, Reason::Last) => return Ok(Step::End(left)),
            _ => return Ok(Step::Defer),
        }
        Ok(self.step_within_limits(plan, found, left))
    }

    /// Whether all replies of a debate without a directory are kept.
    fn is_kept(&self, plan: &Plan) -> bool {
        self.batch.context.output.finished_journal(&plan.id).exists()
    }

    fn step_within_limits(
        &mut self,
        plan: &Plan,
        found: Option<FinishedDebate>,
        left: End,
    ) -> Step {
        match self.admission.ask(plan, &self.finished) {
            Answer::Start => Step::Start(found),
            Answer::Wait => Step::Hold,
            Answer::Later => Step::Pass,
            Answer::No(shortage) => {
                let limit = *self.totals.limit.get_or_insert(shortage.limit);
                let is_begun = matches!(left, End::Stopped(_));
                Step::End(if is_begun { End::Stopped(Some(limit)) } else { left })
            }
            Answer::Paused => {
                self.totals.paused = self.admission.commonest_failure();
                Step::End(left)
            }
        }
    }

    /// The step for a debate of which it can't be told now whether it is finished.
    pub(super) fn unknown(&self, plan: &Plan, error: FileError) -> Step {
        Step::End(if self.batch.stop.is_requested() {
            End::NotBegun
        } else {
            debate::refused(&error.into(), plan)
        })
    }

    /// Warns about a finished debate that statistics can't count.
    fn warn_traceless(&self, plan: &Plan, found: &FinishedDebate) {
        if found.path.join("trace.json").is_file() {
            return;
        }
        let remedy = if self.is_kept(plan) {
            "move the directory away and run the same command again to rebuild it from its journal"
                .to_owned()
        } else {
            let id = plan.short_id();
            format!("its journal is gone too: `--restart --only {id}` asks the models again")
        };
        let dir = found.path.display();
        (self.batch.notify)(&format!(
            "{dir} has no trace.json and is missing from statistics; {remedy}"
        ));
    }
}
