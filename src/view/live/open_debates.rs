//! The debates in progress that are kept, as many as there is room for.

use std::collections::HashMap;
use std::sync::Arc;

use super::ongoing::Ongoing;
use crate::shared::Shared;
use crate::store::layout::OutputDir;
use crate::store::live::{self, LiveTail, ShortId};

/// Maximum debates that are kept and not watched.
const MOST: usize = 16;
/// Maximum bytes of their logs together.
const MOST_BYTES: usize = 64 << 20;

/// The debates that are kept, each once.
pub(in crate::view) struct OpenDebates {
    pub(in crate::view) output: OutputDir,
    public: bool,
    pub(in crate::view) debates: Shared<HashMap<ShortId, Arc<Ongoing>>>,
}

impl OpenDebates {
    pub(in crate::view) fn new(output: &OutputDir, public: bool) -> Self {
        Self { output: output.clone(), public, debates: Shared::default() }
    }

    /// The debate, and whether it was known.
    pub(in crate::view) fn known(&self, id: &ShortId) -> Option<(Arc<Ongoing>, bool)> {
        let known = self.debates.lock().get(id).cloned();
        if let Some(known) = known {
            return Some((known, true));
        }
        // Not under the lock: the disk may be slow.
        let (tail, header) = LiveTail::open(&live::path(&self.output, id))?;
        let opened = Arc::new(Ongoing::new(tail, header, self.public));
        let mut kept = self.debates.lock();
        let debate = kept.entry(*id).or_insert_with(|| Arc::clone(&opened));
        Some((Arc::clone(debate), !Arc::ptr_eq(debate, &opened)))
    }

    pub(in crate::view) fn forget(&self, id: &ShortId, debate: &Arc<Ongoing>) {
        let mut kept = self.debates.lock();
        if kept.get(id).is_some_and(|it| Arc::ptr_eq(it, debate)) {
            kept.remove(id);
        }
    }

    /// Forgets a debate that nobody besides its follower holds; whether that is so. Who holds it may be about to join.
    pub(in crate::view) fn let_go(&self, id: &ShortId, debate: &Arc<Ongoing>) -> bool {
        let mut kept = self.debates.lock();
        let is_kept = kept.get(id).is_some_and(|it| Arc::ptr_eq(it, debate));
        let is_free = Arc::strong_count(debate) == 1 + usize::from(is_kept);
        if is_kept && is_free {
            kept.remove(id);
        }
        is_free
    }

    /// Forgets those that nobody watches and that were asked for the longest ago, as far as there are too many.
    pub(in crate::view) fn make_room(&self) {
        let mut kept = self.debates.lock();
        let mut idle: Vec<_> =
            kept.iter().filter_map(|(id, it)| Some((it.weight()?, *id))).collect();
        idle.sort_unstable_by_key(|((asked, _), id)| (std::cmp::Reverse(*asked), *id));
        let mut bytes = 0;
        for (n, ((_, own), id)) in idle.into_iter().enumerate() {
            bytes += own;
            if n >= MOST || (bytes > MOST_BYTES && n > 0) {
                kept.remove(&id);
            }
        }
    }
}
