//! Whose attempts a debate's are: this run's, or those of the runs before it. The time of an attempt does not tell, since clocks
//! are set.

use std::collections::{HashMap, HashSet};

use crate::id::DebateId;
use crate::journal::Entry;
use crate::shared::Shared;

/// What the journals of this run's debates held when it first opened them.
#[derive(Debug, Default)]
pub(crate) struct EarlierAttempts(Shared<HashMap<DebateId, Earlier>>);

/// What a debate's journal held when this run first opened it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Earlier {
    /// Whether the debate had begun.
    pub(super) had_begun: bool,
    replies: u64,
    attempts: HashSet<(String, u32)>,
    /// The names of other values, such as embeddings.
    externals: HashSet<String>,
}

impl Earlier {
    fn of(past: &[Entry]) -> Self {
        let made = |entry: &Entry| Some((entry.call()?.to_owned(), entry.attempt()?));
        let externals = past.iter().filter_map(Entry::external);
        let replies = past.iter().filter(|entry| matches!(entry, Entry::Reply(_)));
        Self {
            had_begun: !past.is_empty(),
            replies: replies.count() as u64,
            attempts: past.iter().filter_map(made).collect(),
            externals: externals.map(|it| it.name.clone()).collect(),
        }
    }

    /// Whether an attempt is this run's.
    pub(super) fn lacks(&self, call: &str, attempt: u32) -> bool {
        let is_earlier = self.attempts.contains(&(call.to_owned(), attempt));
        !is_earlier && !self.externals.contains(call)
    }

    /// The same for what a journal holds.
    pub(super) fn lacks_entry(&self, entry: &Entry) -> bool {
        match entry.external() {
            Some(external) => self.lacks(&external.name, 1),
            None => self.lacks_what_came_of(entry.call(), entry.attempt()),
        }
    }

    /// The same for what came of an attempt.
    pub(super) fn lacks_what_came_of(&self, call: Option<&str>, attempt: Option<u32>) -> bool {
        let attempt = call.zip(attempt);
        attempt.is_some_and(|(call, attempt)| self.lacks(call, attempt))
    }
}

impl EarlierAttempts {
    /// Notes the journal of a debate that is opened. If this run opens it again, its own attempts are in there, too.
    pub(super) fn note(&self, debate: &DebateId, past: &[Entry]) {
        let mut all = self.0.lock();
        all.entry(debate.clone()).or_insert_with(|| Earlier::of(past));
    }

    /// Whether this run has opened a debate.
    pub(super) fn has(&self, debate: &DebateId) -> bool {
        self.0.lock().contains_key(debate)
    }

    /// How many replies of a debate this run found when it first opened it.
    pub(crate) fn replies(&self, debate: &DebateId) -> u64 {
        self.0.lock().get(debate).map_or(0, |earlier| earlier.replies)
    }

    /// What the journal of a debate that has ended held; `None` if this run has not opened it.
    pub(super) fn take(&self, debate: &DebateId) -> Option<Earlier> {
        self.0.lock().remove(debate)
    }
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;

    use super::*;
    use crate::journal::FailureEntry;
    use crate::model::Fault;

    fn attempt(call: &str, attempt: u32) -> Entry {
        Entry::Failure(FailureEntry {
            call: call.to_owned(),
            attempt,
            digest: String::new(),
            at: DateTime::UNIX_EPOCH,
            model: "llama3".to_owned(),
            error: Fault::Timeout,
            message: String::new(),
            spent: None,
        })
    }

    #[test]
    fn b3_what_a_run_added_before_it_opens_a_debate_again_is_its_own() {
        let id: DebateId = "ab".repeat(32).parse().unwrap();
        let all = EarlierAttempts::default();
        all.note(&id, &[attempt("a", 1)]);
        all.note(&id, &[attempt("a", 1), attempt("a", 2)]);
        let earlier = all.take(&id).unwrap();
        assert!(earlier.had_begun && !earlier.lacks("a", 1) && earlier.lacks("a", 2));
        assert_eq!(all.take(&id), None);
        all.note(&id, &[]);
        all.note(&id, &[attempt("a", 1)]);
        let earlier = all.take(&id).unwrap();
        assert!(!earlier.had_begun && earlier.lacks("a", 1));
    }
}
