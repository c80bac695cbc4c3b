//! The tokens used by this run's calls, and their limit.

use std::collections::HashMap;

use crate::event::{Event, EventKind, Gaps, Use};
use crate::id::DebateId;
use crate::shared::Shared;
use crate::stop::{MAX_TOKENS, Stop};

/// Counts the tokens of prompts and replies that servers report, or an estimate where they report none. Calls answered from the journal cost nothing and are not
/// counted. Once the limit is reached, the run is asked to stop.
#[derive(Debug)]
pub(crate) struct Meter {
    counts: Shared<Counts>,
    most: Option<u64>,
    stop: Stop,
}

#[derive(Debug, Default)]
struct Counts {
    all: u64,
    /// Whether some are estimated.
    estimates: bool,
    /// What panels used that read finished debates, failed attempts included, and the counts that are missing from it.
    panel: (Use, Gaps),
    open: HashMap<DebateId, u64>,
}

impl Meter {
    pub(crate) fn new(most: Option<u64>, stop: &Stop) -> Self {
        Self { counts: Shared::default(), most, stop: stop.clone() }
    }

    /// Counts the tokens of an event. Says whether they are the first that are estimated.
    pub(crate) fn take(&self, event: &Event) -> bool {
        self.take_for(&event.debate, event)
    }

    fn take_for(&self, debate: &DebateId, event: &Event) -> bool {
        let EventKind::CallEnd { tokens, estimated, .. } = &event.kind else { return false };
        let counted = estimated.as_ref().unwrap_or(tokens);
        self.add(debate, counted.prompt.saturating_add(counted.reply));
        estimated.is_some() && !std::mem::replace(&mut self.counts.lock().estimates, true)
    }

    /// Counts a call of a panel that reads this finished debate: part of what the debate takes. Says whether its tokens are the
    /// first that are estimated.
    pub(crate) fn take_panel(&self, debate: &DebateId, event: &Event) -> bool {
        let EventKind::CallEnd { tokens, reply_ms, error, .. } = &event.kind else { return false };
        let (calls, failures) = if error.is_none() { (1, 0) } else { (0, 1) };
        let (prompt_tokens, reply_tokens) = (tokens.prompt, tokens.reply);
        let used = Use { calls, failures, prompt_tokens, reply_tokens, ..Use::default() };
        let mut counts = self.counts.lock();
        let (sum, gaps) = &mut counts.panel;
        sum.add(&Use { reply_ms: *reply_ms, ..used });
        gaps.prompts += u64::from(calls > 0 && tokens.prompt == 0);
        gaps.replies += u64::from(calls > 0 && tokens.reply == 0);
        drop(counts);
        self.take_for(debate, event)
    }

    /// What panels did, and the counts that are missing from it.
    pub(crate) fn panel(&self) -> (Use, Gaps) {
        self.counts.lock().panel
    }

    pub(super) fn add(&self, debate: &DebateId, tokens: u64) {
        let mut counts = self.counts.lock();
        counts.all = counts.all.saturating_add(tokens);
        let of_debate = counts.open.entry(debate.clone()).or_default();
        *of_debate = of_debate.saturating_add(tokens);
        drop(counts);
        if self.is_used_up() {
            self.stop.request_once(MAX_TOKENS);
        }
    }

    /// Whether the tokens have reached their limit.
    pub(super) fn is_used_up(&self) -> bool {
        self.most.is_some_and(|most| self.all() >= most)
    }

    /// The tokens that were used, and how many of them are beyond the limit, if any are.
    pub(crate) fn overrun(&self) -> Option<[u64; 2]> {
        let all = self.all();
        let over = all.saturating_sub(self.most?);
        (over > 0).then_some([all, over])
    }

    /// Tokens of all debates.
    pub(super) fn all(&self) -> u64 {
        self.counts.lock().all
    }

    /// Tokens of an open debate.
    pub(super) fn of(&self, debate: &DebateId) -> u64 {
        self.counts.lock().open.get(debate).copied().unwrap_or(0)
    }

    /// Stops counting for a debate that has ended. Its tokens stay in the total.
    pub(super) fn close(&self, debate: &DebateId) {
        self.counts.lock().open.remove(debate);
    }
}
