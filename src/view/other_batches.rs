//! What other batches than the one that is told of left degraded or failed, as far as it still is.

use super::app::App;
use super::index::Index;
use super::needs::Needs;
use crate::artifacts::batch::{BatchSummary, Cause};
use crate::event::Status;
use crate::store::batches;
use crate::store::live::ShortId;
use crate::store::state::RunState;
use crate::text::{counts, one_line};

/// What a command is for that another batch left, while a run is in progress.
const AFTERWARDS: &str = "once this run has ended: ";
/// Commands that are told, with those of the last batch: older ones come up once these have been run.
const MOST_COMMANDS: usize = 4;

impl Needs {
    /// The same with what other batches left: all that went wrong but for so many debates, degraded and failed, that are told
    /// already.
    pub(super) fn with_other_batches(
        mut self,
        app: &App,
        told: [usize; 2],
        is_running: bool,
    ) -> Self {
        let counted = app.index(|index| {
            let left = |status: Status, told: usize| {
                let word = status.word();
                let all = index.went_wrong().iter().filter(|row| row.status() == word).count();
                (all.saturating_sub(told), word)
            };
            counts(&[left(Status::Degraded, told[0]), left(Status::Failed, told[1])])
        });
        if counted.is_empty() {
            return self;
        }
        self.earlier = format!("From other batches: {counted}.");
        for summary in batches::all(&app.output) {
            if self.commands.len() >= MOST_COMMANDS {
                break;
            }
            let next = one_line(&summary.next);
            let is_known = self.commands.iter().any(|[known, _]| *known == next);
            if !is_known && app.index(|index| is_left(index, &summary)) {
                let when = if is_running { AFTERWARDS } else { "" };
                self.commands.push([next, format!("{when}{}", summary.next_does)]);
            }
        }
        self
    }
}

/// How many degraded and failed debates the runs in progress tell of.
pub(super) fn told_of_runs(states: &[RunState]) -> [usize; 2] {
    let counted = states.iter().filter(|state| !state.is_of_rehearsals()).map(|it| it.debates);
    counted.fold([0, 0], |[degraded, failed], it| [degraded + it.degraded, failed + it.failed])
}

/// Whether a debate that a batch names is still as the batch left it.
fn is_left(index: &Index, summary: &BatchSummary) -> bool {
    let is_still = |cause: &Cause, id: &str| {
        let row = ShortId::parse(id).and_then(|id| index.get(&id));
        row.is_some_and(|row| row.status() == cause.standing)
    };
    let mut causes = summary.causes.iter();
    !summary.is_of_rehearsals()
        && causes.any(|cause| cause.first.iter().any(|it| is_still(cause, &it.id)))
}
