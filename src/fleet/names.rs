//! What things are called on the server.

use crate::id::{DebateId, RunName};

/// The oldest server whose messages outlive its crash.
pub(super) const LEAST_SERVER: &str = "2.10.23";

/// The stream of debates that wait or are being run.
pub(super) const WORK: &str = "REBUT_WORK";
/// The stream of journals.
pub(super) const JOURNALS: &str = "REBUT_JOURNALS";
/// The stream of results.
pub(super) const DONE: &str = "REBUT_DONE";
/// The bucket of what runs and pools there are.
pub(super) const CONTROL: &str = "REBUT_CONTROL";
/// The bucket of the workers that are there.
pub(super) const WORKERS: &str = "REBUT_WORKERS";
/// The bucket of snapshots of inputs, and of results that are too long for a message.
pub(super) const OBJECTS: &str = "REBUT_OBJECTS";

/// The header that says what a message is.
pub(super) const KIND: &str = "Rebut-Kind";
/// The header that says which attempt wrote it.
pub(super) const NONCE: &str = "Rebut-Nonce";

impl RunName {
    /// Where it says in the bucket of runs whether it goes on.
    pub(super) fn key(&self) -> String {
        format!("{RUN_KEYS}{self}")
    }

    /// What all messages for its waiting debates match.
    pub(super) fn all_work(&self) -> String {
        format!("rebut.work.*.{self}.>")
    }

    /// What the journals of all its debates match.
    pub(super) fn all_journals(&self) -> String {
        format!("rebut.journal.{self}.>")
    }

    /// What all its results match.
    pub(super) fn all_done(&self) -> String {
        format!("rebut.done.{self}.>")
    }

    /// One of its debates.
    pub(super) fn debate(&self, id: &DebateId) -> RunDebate {
        RunDebate { run: self.clone(), id: id.clone() }
    }
}

/// A debate of a run.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct RunDebate {
    pub(super) run: RunName,
    pub(super) id: DebateId,
}

impl RunDebate {
    /// The one that a subject ends with.
    pub(super) fn of_subject(subject: &str) -> Option<Self> {
        let mut parts = subject.rsplit('.');
        let id = parts.next()?.parse().ok()?;
        let run = parts.next()?.parse().ok()?;
        Some(Self { run, id })
    }

    /// Where it waits.
    pub(super) fn work(&self, pool: &str) -> String {
        format!("rebut.work.{pool}.{}.{}", self.run, &*self.id)
    }

    /// Where its journal is.
    pub(super) fn journal(&self) -> String {
        format!("rebut.journal.{}.{}", self.run, &*self.id)
    }

    /// Where its result is.
    pub(super) fn done(&self) -> String {
        format!("rebut.done.{}.{}", self.run, &*self.id)
    }
}

/// How keys of runs begin.
pub(super) const RUN_KEYS: &str = "run.";
/// How keys of pools begin.
pub(super) const POOL_KEYS: &str = "pool.";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f1_a_subject_names_run_and_debate() {
        let run: RunName = "night_2-b".parse().unwrap();
        let id = DebateId::from_identity(&serde_json::json!("a"));
        let debate = run.debate(&id);
        for subject in [debate.work("0a"), debate.journal(), debate.done()] {
            assert_eq!(RunDebate::of_subject(&subject), Some(debate.clone()));
        }
        assert_eq!(RunDebate::of_subject("rebut.done.x.not-an-id"), None);
    }
}
