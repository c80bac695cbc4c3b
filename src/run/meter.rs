//! The tokens used by this run's calls, and their limit.

use std::collections::HashMap;

use crate::event::{Call, CallSums, Event, EventKind, REPLY};
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
    /// What the calls of panels came to that read finished debates.
    panel: CallSums,
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
        self.counts.lock().panel.count(&Call {
            outcome: error.as_deref().unwrap_or(REPLY).to_owned(),
            prompt_tokens: Some(tokens.prompt),
            reply_tokens: Some(tokens.reply),
            reply_ms: Some(*reply_ms),
            ..Call::default()
        });
        self.take_for(debate, event)
    }

    /// What the calls of panels came to.
    pub(crate) fn panel(&self) -> CallSums {
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

#[cfg(test)]
mod tests {
    use chrono::DateTime;

    use super::*;
    use crate::event::{Metadata, TokenCount};

    #[test]
    fn b3_what_failed_attempts_of_a_panel_took_is_no_part_of_what_its_answers_took() {
        let meter = Meter::new(None, &Stop::default());
        let debate: DebateId = "ab".repeat(32).parse().unwrap();
        let take = |[prompt, reply]: [u64; 2], error: Option<&str>| {
            let tokens = TokenCount { prompt, reply };
            let error = error.map(str::to_owned);
            let kind = EventKind::CallEnd { tokens, estimated: None, reply_ms: 1, error };
            let (time, metadata) = (DateTime::UNIX_EPOCH, Metadata::default());
            let debate = debate.clone();
            let event = Event { debate, seq: None, time, round: None, kind, metadata };
            meter.take_panel(&event.debate, &event)
        };
        take([0, 0], None);
        take([300, 40], Some("it is empty"));
        take([0, 0], Some("timeout"));
        let CallSums { used, failed, gaps } = meter.panel();
        assert_eq!((used.calls, used.failures, used.prompt_tokens), (1, 2, 0));
        assert_eq!((failed.failures, failed.prompt_tokens, failed.reply_tokens), (1, 300, 40));
        assert_eq!((gaps.prompts, gaps.replies), (1, 1));
        assert_eq!(meter.all(), 340, "all of it counts towards the limit");
    }
}
