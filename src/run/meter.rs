//! The tokens used by this run's calls.

use std::collections::HashMap;

use crate::event::{Event, EventKind};
use crate::id::DebateId;
use crate::shared::Shared;

/// Counts tokens of prompts and replies as servers report them. What a journal answers costs nothing and is not counted.
#[derive(Debug, Default)]
pub(crate) struct Meter(Shared<Counts>);

#[derive(Debug, Default)]
struct Counts {
    all: u64,
    open: HashMap<DebateId, u64>,
}

impl Meter {
    /// Notes an event.
    pub(crate) fn take(&self, event: &Event) {
        if let EventKind::CallEnd { tokens, .. } = &event.kind {
            self.add(&event.debate, tokens.prompt.saturating_add(tokens.reply));
        }
    }

    pub(super) fn add(&self, debate: &DebateId, tokens: u64) {
        let mut counts = self.0.lock();
        counts.all = counts.all.saturating_add(tokens);
        let of_debate = counts.open.entry(debate.clone()).or_default();
        *of_debate = of_debate.saturating_add(tokens);
    }

    /// Those of all debates.
    pub(super) fn all(&self) -> u64 {
        self.0.lock().all
    }

    /// Those of one debate that is open.
    pub(super) fn of(&self, debate: &DebateId) -> u64 {
        self.0.lock().open.get(debate).copied().unwrap_or(0)
    }

    /// Forgets which of them were this debate's, which has ended.
    pub(super) fn close(&self, debate: &DebateId) {
        self.0.lock().open.remove(debate);
    }
}
