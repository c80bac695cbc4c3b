//! Sends debates in progress to all who watch them: each is read once, however many do. Kept for those who asked lately.

use std::sync::Arc;

use super::following::{Around, Following};
use super::ongoing::{Joined, Ongoing};
use super::open_debates::OpenDebates;
use super::trace_so_far::TraceSoFar;
use crate::store::live::{self, ShortId};

/// The debates in progress.
pub(in crate::view) struct Broadcast {
    pub(in crate::view) kept: Arc<OpenDebates>,
    pub(in crate::view) around: Around,
}

impl Broadcast {
    /// Joins those who watch a debate; `None` if no live file is there to be read. Waits for the disk.
    pub(in crate::view) fn join(&self, id: &ShortId) -> Option<Joined> {
        loop {
            let (debate, is_kept) = self.debate(id)?;
            debate.note(live::is_running(&self.kept.output, &debate.header));
            let joined = Arc::clone(&debate).join();
            if !is_kept {
                // It ends what there is to be told.
                self.follow(id, &debate);
            }
            // It may have ended just now, and its file may be another.
            if joined.is_some() {
                return joined;
            }
        }
    }

    /// A debate as far as its run has told it, and whether the run goes on; `None` if it tells of none. Waits for the disk.
    pub(in crate::view) fn so_far(&self, id: &ShortId) -> Option<(TraceSoFar, bool)> {
        let (debate, _) = self.debate(id)?;
        let so_far = debate.so_far()?;
        let is_left = so_far.is_over || debate.is_left();
        let runs = !is_left && live::is_running(&self.kept.output, &debate.header);
        Some((so_far, runs))
    }

    /// A debate with all that is new, and whether it is kept: if its file cannot be read on, only who has it does.
    fn debate(&self, id: &ShortId) -> Option<(Arc<Ongoing>, bool)> {
        loop {
            let (debate, is_known) = self.kept.known(id)?;
            let is_read_on = debate.is_read_on();
            if !is_read_on {
                self.kept.forget(id, &debate);
            } else if !is_known {
                self.follow(id, &debate);
            }
            // The file of one that was known may be another by now.
            if is_read_on || !is_known {
                self.kept.make_room();
                return Some((debate, is_read_on));
            }
        }
    }

    fn follow(&self, id: &ShortId, debate: &Arc<Ongoing>) {
        let following = Following::new(Arc::clone(&self.kept), self.around.clone(), *id, debate);
        tokio::runtime::Handle::current().spawn(following.follow());
    }
}

#[cfg(test)]
mod tests;
