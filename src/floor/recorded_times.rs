//! The times of a journal's attempts, and where the clock was set back between two of them.

use std::collections::HashMap;

use chrono::{DateTime, TimeDelta, Utc};

use crate::journal::Entry;
use crate::text;

/// On a slow disk, attempts side by side may be written down in another order than they ended in.
const OUT_OF_ORDER: TimeDelta = TimeDelta::seconds(10);

/// What the order of a journal's attempts says of its clock. It is the same when the journal is read again.
pub(super) struct RecordedTimes {
    newest: DateTime<Utc>,
    /// Each time that the clock was set back, in words.
    set_back: Vec<String>,
    /// How many of these were before an attempt; only where any was.
    before: HashMap<(String, u32), usize>,
}

impl RecordedTimes {
    /// Of a debate that began then.
    pub(super) fn since(began: DateTime<Utc>) -> Self {
        Self { newest: began, set_back: Vec::new(), before: HashMap::new() }
    }

    /// Takes in the journal's next entry.
    pub(super) fn take(&mut self, entry: &Entry) {
        let (call, attempt, at) = match entry {
            Entry::Reply(it) => (&it.call, it.attempt, it.at),
            Entry::Failure(it) => (&it.call, it.attempt, it.at),
            Entry::Debate(_) | Entry::External(_) => return,
        };
        if self.newest - at > OUT_OF_ORDER {
            self.set_back.push(told(self.newest, at));
            self.newest = at;
        }
        self.newest = self.newest.max(at);
        if !self.set_back.is_empty() {
            self.before.insert((call.clone(), attempt), self.set_back.len());
        }
    }

    /// Each time that the clock was set back before this attempt, in words.
    pub(super) fn set_back_before(&self, call: &str, attempt: u32) -> &[String] {
        let many = self.before.get(&(call.to_owned(), attempt));
        &self.set_back[..many.copied().unwrap_or_default()]
    }
}

fn told(from: DateTime<Utc>, to: DateTime<Utc>) -> String {
    let [earlier, later] = [from, to].map(|at| at.format("%Y-%m-%d %H:%M:%S"));
    let by = text::lasting((from - to).num_milliseconds().unsigned_abs());
    format!(
        "the clock was set back by {by} or more between {earlier} and {later} UTC, or another machine's is behind; times and \
        durations across it are not to be relied on"
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_clock_that_is_set_back_is_told_once_and_the_order_of_calls_side_by_side_is_not_it() {
        let began: DateTime<Utc> = "2026-12-01T05:00:00Z".parse().unwrap();
        let mut times = RecordedTimes::since(began);
        for (call, second) in
            [("a", 60), ("b", 55), ("c", -10_740), ("d", -10_700), ("e", -10_705), ("f", 70)]
        {
            let at = began + TimeDelta::seconds(second);
            let entry = json!({"kind": "failure", "call": call, "attempt": 1, "digest": "", "at": at, "model": "m",
                "error": "timeout", "message": ""});
            times.take(&serde_json::from_value(entry).unwrap());
        }
        let before = |call: &str| times.set_back_before(call, 1);
        assert_eq!(["a", "b", "g"].map(|call| before(call).len()), [0; 3]);
        let told = "the clock was set back by 3.0 h or more between 2026-12-01 05:01:00 and 2026-12-01 02:01:00 UTC, or another \
            machine's is behind; times and durations across it are not to be relied on";
        for call in ["c", "d", "e", "f"] {
            assert_eq!(before(call), [told], "{call}");
        }
    }
}
