//! Totals of a batch's debates.

use super::ends::Ends;
use crate::id::DebateId;

/// A batch's totals.
#[derive(Debug, Default, Clone)]
pub(crate) struct Totals {
    pub(crate) ends: Ends,
    /// The debate that was finished last.
    pub(crate) last: Option<DebateId>,
    /// Unfinished because a model was updated. The same command continues them only if that is undone.
    pub(crate) outdated: Vec<DebateId>,
    /// Finished, but not yet read by the job's panel.
    pub(crate) unjudged: usize,
    /// Job files that were added meanwhile and have faults.
    pub(crate) refused: Vec<String>,
    /// Named by several jobs of the command.
    pub(crate) repeated: usize,
    /// The limit that the batch reached, or that first left no room for a debate.
    pub(crate) limit: Option<&'static str>,
    /// If no more debates were begun because too many went wrong: the cause of most of them.
    pub(crate) paused: Option<String>,
    /// Whether the user made the batch stop at once.
    pub(crate) cut_off: bool,
    /// Whether something of the batch itself, such as the lists, could not be written.
    pub(crate) unwritten: bool,
    /// Whether the batch stopped by itself because it reached a limit.
    pub(crate) early: bool,
}

impl Totals {
    /// The totals of a batch that the user made stop at once, with so many debates open and so many queued.
    pub(crate) fn cut_off(mut ends: Ends, open: usize, queued: usize) -> Self {
        ends.stopped += open;
        ends.not_begun += queued;
        Self { ends, cut_off: true, ..Self::default() }
    }

    pub(crate) fn unfinished(&self) -> usize {
        self.resumable() + self.ends.stuck + self.ends.unmatched
    }

    /// Debates that the same command would continue.
    pub(crate) fn resumable(&self) -> usize {
        let ends = self.ends.parked + self.ends.stopped + self.ends.not_begun;
        ends + self.unjudged + usize::from(self.cut_off)
    }

    /// Whether every debate was finished before.
    pub(crate) fn nothing_ran(&self) -> bool {
        let skipped = self.ends.skipped.all();
        skipped > 0 && skipped == self.ends.finished().all() && self.unfinished() == 0
    }

    /// Whether the batch reached its budget with work left.
    pub(crate) fn is_over_budget(&self) -> bool {
        self.limit.is_some() && self.resumable() > 0
    }

    pub(crate) fn all_done(&self) -> bool {
        self.ends.went_wrong() + self.unfinished() == 0
    }
}
