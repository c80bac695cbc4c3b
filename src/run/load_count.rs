//! How often models were loaded, as far as the servers' times show. A call reports how long it waited for its model, including
//! queueing, and several calls may wait for one load.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};

/// Minimum wait in milliseconds that counts as one for a load: even a loaded model is not available at once.
const LEAST_MS: u64 = 500;
/// Time in milliseconds without a load of another model after which a model may have been unloaded for lack of calls.
const IDLE_MS: i64 = 300_000;

/// The waits of calls for models.
#[derive(Debug, Default)]
pub(super) struct Loads(Vec<Wait>);

#[derive(Debug)]
struct Wait {
    model: String,
    began: i64,
    ended: i64,
}

impl Loads {
    /// Notes a call that was answered at `at`, after this many milliseconds of waiting and of work.
    pub(super) fn take(&mut self, model: &str, at: DateTime<Utc>, wait_ms: u64, work_ms: u64) {
        if wait_ms < LEAST_MS {
            return;
        }
        let ended = at.timestamp_millis().saturating_sub_unsigned(work_ms);
        self.0.push(Wait {
            model: model.to_owned(),
            began: ended.saturating_sub_unsigned(wait_ms),
            ended,
        });
    }

    /// The number of loads by model. Two waits for a model are for one load if they overlap, or if no other model was
    /// loaded between them and the second ended less than `IDLE_MS` after the first.
    pub(super) fn counted(mut self) -> BTreeMap<String, u64> {
        self.0.sort_by_key(|wait| wait.ended);
        let mut loads: BTreeMap<String, u64> = BTreeMap::new();
        let mut last: BTreeMap<String, i64> = BTreeMap::new();
        for wait in self.0 {
            let before = last.get(&wait.model).copied();
            let others = last.iter().filter(|(model, _)| **model != wait.model);
            let other = others.map(|(_, ended)| *ended).max();
            let is_same = before.is_some_and(|before| {
                let overlaps = wait.began < before;
                let alone = other.is_none_or(|other| other < before);
                overlaps || alone && wait.ended - before < IDLE_MS
            });
            *loads.entry(wait.model.clone()).or_default() += u64::from(!is_same);
            last.insert(wait.model, wait.ended);
        }
        loads
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(waits: &[(&str, i64, u64)]) -> Vec<(String, u64)> {
        let mut loads = Loads::default();
        for (model, second, wait) in waits {
            let at = DateTime::from_timestamp(*second, 0).unwrap();
            loads.take(model, at, *wait, 0);
        }
        loads.counted().into_iter().collect()
    }

    fn are(loads: &[(&str, u64)]) -> Vec<(String, u64)> {
        let each = loads.iter().map(|(model, n)| ((*model).to_owned(), *n));
        each.collect()
    }

    #[test]
    fn b3_calls_that_wait_for_one_load_count_as_one() {
        let together = [("a", 10, 9000), ("a", 10, 8000), ("a", 12, 700), ("a", 13, 20)];
        assert_eq!(counted(&together), are(&[("a", 1)]));
    }

    #[test]
    fn b3_a_model_that_made_room_for_another_is_loaded_again() {
        let turns = [("a", 10, 5000), ("b", 20, 5000), ("a", 30, 5000), ("b", 40, 5000)];
        assert_eq!(counted(&turns), are(&[("a", 2), ("b", 2)]));
        assert_eq!(counted(&[("a", 10, 600), ("a", 400, 600)]), are(&[("a", 2)]));
        assert_eq!(counted(&[("a", 10, 499)]), are(&[]));
    }
}
