//! Failures in a row: calls that a server failed since it last answered one to the same model.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use scheduler::DebateNumber;

use crate::model::CallError;
use crate::shared::Shared;

/// So many in a row are the server's failures, not the calls'.
const SEVERAL: usize = 3;
/// How much longer a call lets others try first, for each time it failed.
const YIELD: Duration = Duration::from_millis(100);
/// The most failures for which it does.
const MOST_YIELDS: u32 = 20;

/// The failures in a row of one server.
#[derive(Debug, Default)]
pub(super) struct Streaks(Shared<InARow>);

#[derive(Debug, Default)]
struct InARow {
    by_model: BTreeMap<String, Streak>,
    /// Those since the server last answered any call.
    of_all_models: FailedCalls,
}

/// The failures in a row of one model.
#[derive(Debug, Default)]
struct Streak {
    /// Replies so far.
    replies: u64,
    /// Those since the last reply.
    failed: FailedCalls,
    /// Calls that may have failed by their own fault, since the last usable reply.
    doubtful: FailedCalls,
    /// Those of them that another server answered.
    worse: FailedCalls,
}

/// Calls that failed, each once, however often it failed.
type FailedCalls = BTreeSet<(DebateNumber, String)>;

/// Whether they are of several debates.
fn are_of_several_debates(calls: &FailedCalls) -> bool {
    let debates: BTreeSet<&DebateNumber> = calls.iter().map(|(it, _)| it).collect();
    debates.len() >= SEVERAL
}

impl Streaks {
    /// A call to this model was answered, perhaps with an unusable reply.
    pub(super) fn replied(&self, model: &str, is_usable: bool) {
        let mut all = self.0.lock();
        all.of_all_models.clear();
        let streak = all.by_model.entry(model.to_owned()).or_default();
        streak.replies += 1;
        streak.failed.clear();
        if is_usable {
            streak.doubtful.clear();
            streak.worse.clear();
        }
    }

    /// A call to this model failed. Returns the model's replies so far.
    pub(super) fn failed(&self, model: &str, debate: DebateNumber, call: &str) -> u64 {
        let failed = (debate, call.to_owned());
        let mut all = self.0.lock();
        all.of_all_models.insert(failed.clone());
        let streak = all.by_model.entry(model.to_owned()).or_default();
        streak.failed.insert(failed);
        streak.replies
    }

    /// A call to this model failed, perhaps by its own fault.
    pub(super) fn doubt(&self, model: &str, debate: DebateNumber, call: &str) {
        let mut all = self.0.lock();
        let streak = all.by_model.entry(model.to_owned()).or_default();
        streak.doubtful.insert((debate, call.to_owned()));
    }

    /// Another server answered such a call, so that it failed by this server's fault. Returns whether several did in a row.
    pub(super) fn did_worse(&self, model: &str, debate: DebateNumber, call: &str) -> bool {
        let mut all = self.0.lock();
        let Some(streak) = all.by_model.get_mut(model) else { return false };
        let failed = (debate, call.to_owned());
        let is_known = streak.doubtful.remove(&failed);
        is_known && streak.worse.insert(failed) && streak.worse.len() >= SEVERAL
    }

    /// A call's failure was an outage after all, which says nothing about the model.
    pub(super) fn forgive(&self, model: &str, debate: DebateNumber, call: &str) {
        let failed = (debate, call.to_owned());
        let mut all = self.0.lock();
        all.of_all_models.remove(&failed);
        if let Some(streak) = all.by_model.get_mut(model) {
            streak.failed.remove(&failed);
        }
    }

    /// The model's replies so far.
    pub(super) fn replies(&self, model: &str) -> u64 {
        self.0.lock().by_model.get(model).map_or(0, |it| it.replies)
    }

    /// Whether several calls failed in a row.
    pub(super) fn has_failed_calls(&self, model: &str) -> bool {
        self.0.lock().by_model.get(model).is_some_and(|it| it.failed.len() >= SEVERAL)
    }

    /// Whether calls of several debates failed in a row, to this model, or to any with no reply of any model between: a broken
    /// server fails all models, and perhaps only one debate calls one of them. One that answers other models is not broken, and a
    /// single debate may send what no server can answer.
    pub(super) fn has_failed_debates(&self, model: &str) -> bool {
        let all = self.0.lock();
        let streak = all.by_model.get(model);
        are_of_several_debates(&all.of_all_models)
            || streak.is_some_and(|it| are_of_several_debates(&it.failed))
    }
}

/// The failures of one call, over all of its attempts.
#[derive(Debug)]
pub(super) struct CallFailures {
    /// The call's name.
    pub(super) call: String,
    seen: Shared<Seen>,
}

#[derive(Debug, Default)]
struct Seen {
    count: u32,
    last: LastFailure,
    /// By server: the model's replies there at the last failure.
    replies: BTreeMap<usize, u64>,
    /// By server: the failure that may be the call's own.
    doubts: BTreeMap<usize, CallError>,
}

/// A call's last failure.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct LastFailure {
    /// The model's replies on that server before it.
    pub(super) replies: u64,
    /// Whether it is the first one there, or the server has answered no call to the model since the one before. If so,
    /// nothing shows that this call is the cause.
    pub(super) is_excused: bool,
}

impl CallFailures {
    pub(super) fn new(call: &str) -> Self {
        Self { call: call.to_owned(), seen: Shared::default() }
    }

    /// Notes a failure on a server.
    pub(super) fn note(&self, at: usize, replies: u64) {
        let mut seen = self.seen.lock();
        seen.count += 1;
        let before = seen.replies.insert(at, replies);
        seen.last =
            LastFailure { replies, is_excused: before.is_none_or(|before| before == replies) };
    }

    /// Notes a failure on a server that may be the call's own.
    pub(super) fn doubt(&self, at: usize, error: &CallError) {
        self.seen.lock().doubts.insert(at, error.clone());
    }

    /// The servers whose failure may be the call's own, with that failure.
    pub(super) fn doubts(&self) -> BTreeMap<usize, CallError> {
        self.seen.lock().doubts.clone()
    }

    /// A reply came. If it can't be used, the doubts remain.
    pub(super) fn replied(&self) {
        let mut seen = self.seen.lock();
        *seen = Seen { doubts: std::mem::take(&mut seen.doubts), ..Seen::default() };
    }

    /// The last failure.
    pub(super) fn last(&self) -> LastFailure {
        self.seen.lock().last
    }

    /// Whether that server failed it.
    pub(super) fn is_by(&self, at: usize) -> bool {
        let seen = self.seen.lock();
        seen.replies.contains_key(&at) || seen.doubts.contains_key(&at)
    }

    /// Whether any server failed it.
    pub(super) fn is_any(&self) -> bool {
        self.seen.lock().count > 0
    }

    /// How long it lets other calls try a failing server first. They may do better.
    pub(super) fn yields_for(&self) -> Duration {
        YIELD * self.seen.lock().count.min(MOST_YIELDS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn j10c_a_call_that_fails_again_and_again_counts_once_in_a_row() {
        let streaks = Streaks::default();
        for _ in 0..9 {
            streaks.failed("m", 1, "a");
        }
        assert!(!streaks.has_failed_calls("m"));
        streaks.failed("m", 1, "b");
        streaks.failed("m", 1, "c");
        assert!(streaks.has_failed_calls("m") && !streaks.has_failed_debates("m"));
        streaks.failed("m", 2, "a");
        streaks.failed("other", 3, "a");
        assert!(streaks.has_failed_debates("m") && !streaks.has_failed_calls("other"));
        streaks.replied("m", true);
        assert!(!streaks.has_failed_calls("m") && !streaks.has_failed_debates("m"));
    }

    #[test]
    fn j10c_to_forgive_one_call_leaves_the_others_of_its_debate() {
        let streaks = Streaks::default();
        for debate in [1, 2, 3] {
            streaks.failed("m", debate, "a");
        }
        streaks.failed("m", 3, "b");
        streaks.forgive("m", 3, "b");
        assert!(streaks.has_failed_debates("other"));
        streaks.forgive("m", 3, "a");
        assert!(!streaks.has_failed_debates("other") && !streaks.has_failed_debates("m"));
    }

    #[test]
    fn m1_a_model_that_fails_for_good_says_nothing_of_another_one_that_answers() {
        let streaks = Streaks::default();
        for debate in [1, 2, 3] {
            streaks.failed("broken", debate, "ballot");
        }
        assert!(streaks.has_failed_debates("sound"), "nothing was answered");
        streaks.replied("sound", true);
        streaks.failed("sound", 4, "statement");
        assert!(streaks.has_failed_debates("broken"));
        assert!(!streaks.has_failed_debates("sound"));
    }

    #[test]
    fn m2_only_calls_that_another_server_answered_show_that_a_server_does_worse() {
        let streaks = Streaks::default();
        let answered_elsewhere = |call| streaks.did_worse("m", 1, call);
        for call in ["a", "b", "c", "d"] {
            streaks.doubt("m", 1, call);
            streaks.replied("m", false);
        }
        let three = ["a", "b", "b"].map(answered_elsewhere);
        assert_eq!((three, answered_elsewhere("c")), ([false; 3], true));
        streaks.replied("m", true);
        assert!(!answered_elsewhere("d"), "it gave a usable reply since");
    }
}
