//! How slowly models speak in this process, and the resulting time limits of replies.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use crate::shared::Shared;

/// A reply may come so many times more slowly than the slowest one so far.
const MARGIN: u32 = 20;
/// A token may take this part of the limit on silence before any was measured: 10 s of two minutes.
const UNMEASURED: u32 = 12;
/// No reply is given less time than this many times the limit on silence.
const LEAST: u32 = 15;
/// Fewer tokens say nothing about a speed.
const TELLING: u64 = 8;

/// The longest that a token has taken on average in a reply of each model, on one server.
#[derive(Debug, Clone, Default)]
pub(super) struct Paces(Arc<Shared<BTreeMap<String, Duration>>>);

impl Paces {
    /// Notes a whole reply: its tokens after the first, and how long they took.
    pub(super) fn note(&self, model: &str, tokens: u64, took: Duration) {
        let Ok(count @ 1..) = u32::try_from(tokens) else { return };
        if tokens >= TELLING {
            let mut all = self.0.lock();
            let slowest = all.entry(model.to_owned()).or_default();
            *slowest = (*slowest).max(took / count);
        }
    }

    /// Whether the model has given a reply of some length.
    pub(super) fn knows(&self, model: &str) -> bool {
        self.0.lock().contains_key(model)
    }

    /// How long a reply of this many tokens may take from its first one on, where `idle` is the limit on silence.
    pub(super) fn most(&self, model: &str, tokens: u64, idle: Duration) -> Duration {
        let slowest = self.0.lock().get(model).copied();
        let token = slowest.map_or(idle / UNMEASURED, |slowest| slowest.saturating_mul(MARGIN));
        let count = u32::try_from(tokens).unwrap_or(u32::MAX);
        token.saturating_mul(count).max(idle.saturating_mul(LEAST))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const IDLE: Duration = Duration::from_secs(120);

    fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn a1_a_reply_may_take_what_the_slowest_one_makes_likely() {
        let paces = Paces::default();
        assert_eq!(paces.most("m", 800, IDLE), seconds(8000), "ten seconds a token");
        assert_eq!(paces.most("m", 16, IDLE), seconds(1800), "at least fifteen silences");
        paces.note("m", 100, seconds(50));
        assert_eq!(paces.most("m", 800, IDLE), seconds(8000), "20 times half a second a token");
        paces.note("m", 100, seconds(1));
        assert_eq!(paces.most("m", 800, IDLE), seconds(8000), "the slowest counts");
        paces.note("m", 100, seconds(300));
        assert_eq!(paces.most("m", 800, IDLE), seconds(48_000));
        paces.note("fast", 100, seconds(2));
        assert_eq!(paces.most("fast", 800, IDLE), seconds(1800));
    }

    #[test]
    fn a1_no_count_and_no_limit_is_too_large() {
        let paces = Paces::default();
        paces.note("m", 7, seconds(1_000_000));
        paces.note("m", u64::MAX, seconds(1_000_000));
        assert_eq!(paces.most("m", 1, IDLE), seconds(1800), "too few tokens, or too many");
        paces.note("m", 8, Duration::MAX);
        assert_eq!(paces.most("m", u64::MAX, Duration::MAX), Duration::MAX);
    }
}
