//! How many debates ended how, each counted once.

use super::debate::End;
use crate::artifacts::batch::DebateCounts;
use crate::event::Status;
use crate::store::control_readiness::Lacks;

/// Numbers of finished debates by status.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct ByStatus {
    pub(crate) done: usize,
    pub(crate) degraded: usize,
    pub(crate) failed: usize,
}

impl ByStatus {
    fn count(&mut self, status: Status) {
        *status.among([&mut self.done, &mut self.degraded, &mut self.failed]) += 1;
    }

    pub(crate) fn all(&self) -> usize {
        self.done + self.degraded + self.failed
    }
}

/// Numbers of debates by how they ended, or how far they got.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Ends {
    /// Finished here.
    pub(crate) committed: ByStatus,
    /// Finished before.
    pub(crate) skipped: ByStatus,
    /// Finished by another process meanwhile.
    pub(crate) shared: ByStatus,
    pub(crate) parked: usize,
    /// Unfinished, and the same command would not finish them.
    pub(crate) stuck: usize,
    pub(crate) stopped: usize,
    pub(crate) not_begun: usize,
    /// Controls that a debate keeps from beginning. The same command would not begin them.
    pub(crate) unmatched: usize,
    /// Those of them whose debate has ended, and may end better if it is asked for again.
    pub(crate) unmatched_by_result: usize,
}

impl Ends {
    pub(crate) fn count(&mut self, end: &End) {
        match end {
            End::Committed { trace, .. } => self.committed.count(trace.status),
            End::Skipped(status) => self.skipped.count(*status),
            End::Finished(status) => self.shared.count(*status),
            End::Parked(_) | End::Outdated(_) => self.parked += 1,
            End::Stuck(_) | End::Unfit(_) => self.stuck += 1,
            End::Stopped(_) | End::Elsewhere(_) | End::Short(_) | End::Full(_) | End::Stale => {
                self.stopped += 1;
            }
            End::NotBegun => self.not_begun += 1,
            End::Unmatched(kept) => {
                self.unmatched_by_result += usize::from(kept.why != Lacks::End);
                self.unmatched += 1;
            }
        }
    }

    /// The finished debates, whoever finished them.
    pub(crate) fn finished(&self) -> ByStatus {
        let each = [self.committed, self.skipped, self.shared];
        let sum = |of: fn(&ByStatus) -> usize| each.iter().map(of).sum();
        ByStatus {
            done: sum(|it| it.done),
            degraded: sum(|it| it.degraded),
            failed: sum(|it| it.failed),
        }
    }

    /// The same as summaries have it.
    pub(crate) fn counts(&self) -> DebateCounts {
        let (here, all) = (self.committed, self.finished());
        DebateCounts {
            done: here.done,
            degraded: here.degraded,
            failed: here.failed,
            unfinished: self.unfinished(),
            not_started: self.not_started(),
            finished_before: self.skipped.all(),
            finished_elsewhere: self.shared.all(),
            degraded_before: all.degraded - here.degraded,
            failed_before: all.failed - here.failed,
            ..DebateCounts::default()
        }
    }

    /// How many are degraded or failed.
    pub(crate) fn went_wrong(&self) -> usize {
        let finished = self.finished();
        finished.degraded + finished.failed
    }

    /// Those that were begun and did not end.
    pub(crate) fn unfinished(&self) -> usize {
        self.parked + self.stuck + self.stopped
    }

    /// Those that were not begun.
    pub(crate) fn not_started(&self) -> usize {
        self.not_begun + self.unmatched
    }

    pub(crate) fn all(&self) -> usize {
        self.finished().all() + self.unfinished() + self.not_started()
    }
}
