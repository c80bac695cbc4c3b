//! Totals of a batch's debates.

use super::debate::End;
use crate::store::control_readiness::Lacks;

/// A batch's totals. `done`, `degraded` and `failed` include skipped debates.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Totals {
    pub(crate) skipped: usize,
    /// Finished by another process meanwhile.
    pub(crate) shared: usize,
    pub(crate) done: usize,
    pub(crate) degraded: usize,
    pub(crate) failed: usize,
    pub(crate) parked: usize,
    /// Unfinished, and the same command would not finish them.
    pub(crate) stuck: usize,
    pub(crate) stopped: usize,
    pub(crate) not_begun: usize,
    /// Controls that a debate keeps from beginning. The same command would not begin them.
    pub(crate) unmatched: usize,
    /// Those of them whose debate has ended, and may end better if it is asked for again.
    pub(crate) unmatched_by_result: usize,
    /// Finished, but not yet read by the job's panel.
    pub(crate) unjudged: usize,
    /// Named by several jobs of the command.
    pub(crate) repeated: usize,
    /// Left out because they would not end within the budget.
    pub(crate) over_budget: usize,
    /// How many of those no run with this budget can hold.
    pub(crate) beyond_budget: usize,
    /// Whether no more debates were begun because too many went wrong.
    pub(crate) paused: bool,
    /// Whether the user made the batch stop at once.
    pub(crate) cut_off: bool,
    /// Whether something of the batch itself, such as the lists, could not be written.
    pub(crate) unwritten: bool,
    /// Whether the batch stopped by itself because it reached a limit.
    pub(crate) early: bool,
}

impl Totals {
    pub(crate) fn count(&mut self, end: &End) {
        let status = match end {
            End::Committed { trace, .. } => &trace.status,
            End::Skipped(status) | End::Finished(status) => status,
            End::Parked(_) => return self.parked += 1,
            End::Stuck(_) | End::Unfit(_) => return self.stuck += 1,
            End::Stopped(_) | End::Elsewhere(_) | End::Short(_) | End::Full(_) | End::Stale => {
                return self.stopped += 1;
            }
            End::NotBegun => return self.not_begun += 1,
            End::Unmatched(kept) => {
                self.unmatched_by_result += usize::from(kept.why != Lacks::End);
                return self.unmatched += 1;
            }
        };
        self.skipped += usize::from(matches!(end, End::Skipped(_)));
        self.shared += usize::from(matches!(end, End::Finished(_)));
        *status.among([&mut self.done, &mut self.degraded, &mut self.failed]) += 1;
    }

    /// These totals of a batch that the user made stop at once, with so many debates open and so many queued.
    pub(crate) fn cut_off(self, open: usize, queued: usize) -> Self {
        Self {
            cut_off: true,
            stopped: self.stopped + open,
            not_begun: self.not_begun + queued,
            ..self
        }
    }

    pub(crate) fn unfinished(&self) -> usize {
        self.resumable() + self.stuck + self.unmatched
    }

    /// Debates that the same command would continue, if its budget can hold them.
    pub(crate) fn resumable(&self) -> usize {
        self.parked + self.stopped + self.not_begun + self.unjudged + usize::from(self.cut_off)
    }

    /// Whether the same command would continue any debate: those that no run with its budget can hold, it would not.
    pub(crate) fn is_resumable(&self) -> bool {
        self.resumable() > self.beyond_budget
    }

    /// Whether every debate was finished before.
    pub(crate) fn nothing_ran(&self) -> bool {
        self.skipped > 0
            && self.skipped == self.done + self.degraded + self.failed
            && self.unfinished() == 0
    }

    /// Whether the batch reached its budget with work left.
    pub(crate) fn is_over_budget(&self) -> bool {
        (self.early || self.over_budget > 0) && self.resumable() > 0
    }

    pub(crate) fn all_done(&self) -> bool {
        self.degraded + self.failed + self.unfinished() == 0
    }
}
