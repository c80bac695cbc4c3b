//! The limits of a run in time and tokens. Given the cost of debates and the time, it decides whether another may begin. It reads no
//! clock and no file.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};

use super::meter::Meter;
use super::shortage::Shortage;
use crate::id::DebateId;
use crate::plan::Setup;
use crate::stop::{MAX_TIME, MAX_TOKENS, UNTIL};

/// How many in ten similar debates took no longer than is expected of one.
const SURE_IN_TEN: usize = 9;
/// Minimum share of a debate that is assumed to be left once it has begun.
const LEAST_LEFT: f64 = 0.1;

/// The limits of a run.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Limits {
    /// When the run ends, by the date.
    pub(crate) until: Option<DateTime<Utc>>,
    /// How long it may take, whatever the date becomes.
    pub(crate) time: Option<TimeLimit>,
    /// Maximum tokens of prompts and replies; the meter asks to stop there.
    pub(crate) tokens: Option<u64>,
}

/// A time from a moment on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TimeLimit {
    pub(crate) since: Instant,
    pub(crate) all: Duration,
}

/// The time in a run, by the clocks that count.
#[derive(Debug, Clone, Copy)]
pub(super) struct Now {
    /// For the end of a run by the date.
    pub(super) date: DateTime<Utc>,
    /// For how long a run takes.
    pub(super) instant: Instant,
}

/// What a debate took, or is expected to take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Taken {
    pub(super) ms: u64,
    pub(super) tokens: u64,
}

/// Whether a debate may begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Answer {
    Start,
    /// The debates open now will show, and no other may begin before.
    Wait,
    /// The same, but others may.
    Later,
    /// As far as is known, it would not end within the budget.
    No(Shortage),
    /// Too many debates have gone wrong.
    Paused,
}

/// The limits of a run, and what its debates take.
pub(super) struct Budget {
    limits: Limits,
    meter: Arc<Meter>,
    /// What the debates that began in this run took, by setup.
    measured: HashMap<Setup, Vec<Taken>>,
    open: HashMap<DebateId, OpenDebate>,
}

struct OpenDebate {
    setup: Setup,
    /// Whether it began in this run, so that it shows what a whole debate takes.
    is_whole: bool,
    /// Tokens that it is expected to take in this run, if known.
    expected_tokens: Option<u64>,
}

/// A debate that asks whether it may begin.
pub(super) struct Candidate<'a> {
    pub(super) id: &'a DebateId,
    pub(super) setup: &'a Setup,
    /// What similar debates took before this run.
    pub(super) past: &'a [Taken],
    /// Tokens of the calls in its journal.
    pub(super) used: u64,
}

impl Budget {
    pub(super) fn new(limits: Limits, meter: Arc<Meter>) -> Self {
        Self { limits, meter, measured: HashMap::new(), open: HashMap::new() }
    }

    pub(super) fn is_limited(&self) -> bool {
        let in_time = self.limits.until.is_some() || self.limits.time.is_some();
        in_time || self.limits.tokens.is_some()
    }

    /// The limit that is reached, if one is.
    pub(super) fn reached(&self, now: &Now) -> Option<&'static str> {
        let late = self.time_left(now).filter(|(left, _)| left.is_zero());
        let late = late.map(|(_, limit)| limit);
        late.or_else(|| self.meter.is_used_up().then_some(MAX_TOKENS))
    }

    /// The time left, as far as it is limited, and by what.
    fn time_left(&self, now: &Now) -> Option<(Duration, &'static str)> {
        let by_date =
            self.limits.until.map(|until| (until - now.date).to_std().unwrap_or_default());
        let in_time = self.limits.time.map(|time| {
            let used = now.instant.saturating_duration_since(time.since);
            time.all.saturating_sub(used)
        });
        [by_date.zip(Some(UNTIL)), in_time.zip(Some(MAX_TIME))].into_iter().flatten().min()
    }

    /// Whether this debate may begin now.
    pub(super) fn ask(&self, debate: &Candidate<'_>, now: &Now) -> Answer {
        let Some(expected) = self.expected(debate) else { return self.to_learn() };
        match self.in_time(debate, expected.ms, now) {
            Answer::Start => self.in_tokens(expected.tokens),
            other => other,
        }
    }

    /// The answer for a debate whose cost is unknown: it starts and shows its cost; under a token limit, one at a time.
    fn to_learn(&self) -> Answer {
        let unknown = |it: &OpenDebate| it.expected_tokens.is_none();
        if self.limits.tokens.is_some() && self.open.values().any(unknown) {
            Answer::Wait
        } else {
            Answer::Start
        }
    }

    fn in_time(&self, debate: &Candidate<'_>, expected: u64, now: &Now) -> Answer {
        let Some((left, limit)) = self.time_left(now) else { return Answer::Start };
        let left = milliseconds(left);
        // An open debate may show that such debates now take less than before; one that was resumed shows nothing.
        let shows = |it: &OpenDebate| it.is_whole && it.setup == *debate.setup;
        let measuring = !self.measured.contains_key(debate.setup) && self.open.values().any(shows);
        match (expected <= left, measuring && left > 0) {
            (true, _) => Answer::Start,
            (false, true) => Answer::Later,
            (false, false) => Answer::No(Shortage { limit, expected, left }),
        }
    }

    fn in_tokens(&self, expected: u64) -> Answer {
        let Some(most) = self.limits.tokens else { return Answer::Start };
        let left = most.saturating_sub(self.meter.all());
        if expected > left && self.open.is_empty() {
            return Answer::No(Shortage { limit: MAX_TOKENS, expected, left });
        }
        if expected.saturating_add(self.reserved()) <= left { Answer::Start } else { Answer::Wait }
    }

    /// Tokens that the open debates are still expected to take.
    fn reserved(&self) -> u64 {
        let left = self
            .open
            .iter()
            .map(|(id, it)| it.expected_tokens.unwrap_or(0).saturating_sub(self.meter.of(id)));
        left.fold(0, u64::saturating_add)
    }

    /// What is left of a debate, going by similar ones in this run, or else by earlier ones.
    fn expected(&self, debate: &Candidate<'_>) -> Option<Taken> {
        let measured = self.measured.get(debate.setup);
        let whole = likely(measured.map_or(debate.past, Vec::as_slice))?;
        // Prompts grow with the debate: its tokens tell how far it is, its calls do not.
        let done = match whole.tokens {
            0 => 0.0,
            tokens => debate.used as f64 / tokens as f64,
        };
        let left = (1.0 - done).max(LEAST_LEFT);
        let part = |n: u64| (n as f64 * left).ceil() as u64;
        Some(Taken { ms: part(whole.ms), tokens: part(whole.tokens) })
    }

    pub(super) fn began(&mut self, debate: &Candidate<'_>) {
        let open = OpenDebate {
            setup: debate.setup.clone(),
            is_whole: debate.used == 0,
            expected_tokens: self.expected(debate).map(|it| it.tokens),
        };
        self.open.insert(debate.id.clone(), open);
    }

    /// Notes that a debate is no longer open, and the time that it took if it ended.
    pub(super) fn ended(&mut self, id: &DebateId, took_ms: Option<u64>) {
        let tokens = self.meter.of(id);
        self.meter.close(id);
        let Some(open) = self.open.remove(id) else { return };
        if let Some(ms) = took_ms.filter(|_| open.is_whole) {
            self.measured.entry(open.setup).or_default().push(Taken { ms, tokens });
        }
    }
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// What nine in ten of these do not exceed.
fn likely(all: &[Taken]) -> Option<Taken> {
    let of = |value: fn(&Taken) -> u64| {
        let mut values: Vec<u64> = all.iter().map(value).collect();
        values.sort_unstable();
        let place = (values.len() * SURE_IN_TEN).div_ceil(10).checked_sub(1)?;
        values.get(place).copied()
    };
    Some(Taken { ms: of(|it| it.ms)?, tokens: of(|it| it.tokens)? })
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;
    use serde_json::json;

    use super::*;
    use crate::stop::Stop;

    const HOUR: u64 = 3_600_000;

    /// A budget that ends this many milliseconds from now and has this many tokens.
    struct Night {
        budget: Budget,
        meter: Arc<Meter>,
        begun: Now,
        past: Vec<Taken>,
    }

    fn night(ms: Option<u64>, tokens: Option<u64>) -> Night {
        let begun = Now { date: DateTime::<Utc>::UNIX_EPOCH, instant: Instant::now() };
        let until = ms.map(|ms| begun.date + TimeDelta::milliseconds(ms as i64));
        let limits = Limits { until, tokens, ..Limits::default() };
        let meter = Arc::new(Meter::new(tokens, &Stop::default()));
        Night { budget: Budget::new(limits, Arc::clone(&meter)), meter, begun, past: Vec::new() }
    }

    fn id(n: u32) -> DebateId {
        DebateId::from_identity(&json!(n))
    }

    fn took(ms: u64, tokens: u64) -> Taken {
        Taken { ms, tokens }
    }

    impl Night {
        fn at(&self, ms: u64) -> Now {
            let passed = Duration::from_millis(ms);
            Now { date: self.begun.date + passed, instant: self.begun.instant + passed }
        }

        /// Whether a debate may begin at this time. If so, it does.
        fn asks(&mut self, n: u32, used: u64, ms: u64) -> Answer {
            let (id, setup, now) = (id(n), Setup::default(), self.at(ms));
            let debate = Candidate { id: &id, setup: &setup, past: &self.past, used };
            let answer = self.budget.ask(&debate, &now);
            if answer == Answer::Start {
                self.budget.began(&debate);
            }
            answer
        }

        fn ends(&mut self, n: u32, took_ms: Option<u64>) {
            self.budget.ended(&id(n), took_ms);
        }
    }

    #[test]
    fn b2_without_a_limit_everything_starts() {
        let mut night = night(None, None);
        night.past = vec![took(u64::MAX, u64::MAX)];
        assert_eq!(night.asks(1, 0, HOUR), Answer::Start);
        assert!(!night.budget.is_limited());
    }

    #[test]
    fn b2_what_cannot_end_in_time_by_its_history_does_not_start() {
        let mut night = night(Some(8 * HOUR), None);
        night.past = vec![took(2 * HOUR, 10); 9];
        night.past.push(took(90 * HOUR, 10));
        assert_eq!(night.asks(1, 0, 6 * HOUR), Answer::Start);
        night.ends(1, None);
        let shortage = Shortage { limit: UNTIL, expected: 2 * HOUR, left: 2 * HOUR - 1 };
        assert_eq!(night.asks(2, 0, 6 * HOUR + 1), Answer::No(shortage));
        assert_eq!(night.asks(3, 5, 6 * HOUR + 1), Answer::Start, "half of it is in its journal");
        assert_eq!(night.budget.reached(&night.at(8 * HOUR - 1)), None);
        assert_eq!(night.budget.reached(&night.at(8 * HOUR)), Some(UNTIL));
    }

    #[test]
    fn b2_what_this_run_measured_counts_before_history() {
        let mut night = night(Some(8 * HOUR), None);
        night.past = vec![took(5 * HOUR, 10)];
        assert_eq!(night.asks(1, 0, 0), Answer::Start);
        assert_eq!(night.asks(2, 0, 4 * HOUR), Answer::Later, "1 shows soon");
        night.meter.add(&id(1), 10);
        night.ends(1, Some(4 * HOUR));
        assert_eq!(night.asks(2, 0, 4 * HOUR), Answer::Start);
        night.meter.add(&id(2), 10);
        night.ends(2, Some(HOUR));
        assert!(matches!(night.asks(3, 0, 5 * HOUR), Answer::No(_)));
        // A debate that was resumed, or that did not end, shows nothing.
        assert_eq!(night.asks(4, 9, 7 * HOUR), Answer::Start);
        night.ends(4, Some(1));
        assert!(matches!(night.asks(5, 0, 7 * HOUR), Answer::No(_)));
    }

    #[test]
    fn b2_what_is_not_known_starts_and_shows_what_it_takes() {
        let mut night = night(Some(8 * HOUR), None);
        assert_eq!(night.asks(1, 0, 0), Answer::Start);
        assert_eq!(night.asks(2, 0, 0), Answer::Start, "a whole wave");
        night.ends(1, Some(3 * HOUR));
        night.ends(2, Some(5 * HOUR));
        assert!(matches!(night.asks(3, 0, 5 * HOUR), Answer::No(_)));
    }

    #[test]
    fn b2_tokens_are_kept_for_what_is_open() {
        let mut night = night(None, Some(1000));
        assert_eq!(night.asks(1, 0, 0), Answer::Start);
        assert_eq!(night.asks(2, 0, 0), Answer::Wait, "one shows what it takes");
        night.meter.add(&id(1), 300);
        night.ends(1, Some(1));
        assert_eq!(night.asks(2, 0, 1), Answer::Start);
        assert_eq!(night.asks(3, 0, 1), Answer::Start);
        assert_eq!(night.asks(4, 0, 1), Answer::Wait, "100 are left over");
        night.meter.add(&id(2), 100);
        night.ends(2, Some(1));
        assert_eq!(night.asks(4, 0, 1), Answer::Start, "it took less");
        night.meter.add(&id(3), 300);
        night.meter.add(&id(4), 250);
        night.ends(3, Some(1));
        night.ends(4, None);
        let shortage = Shortage { limit: MAX_TOKENS, expected: 300, left: 50 };
        assert_eq!(night.asks(5, 0, 1), Answer::No(shortage));
        assert_eq!(night.budget.reached(&night.at(1)), None);
        night.meter.add(&id(5), 50);
        assert_eq!(night.budget.reached(&night.at(1)), Some(MAX_TOKENS));
    }

    #[test]
    fn b2_begun_debates_go_on_one_after_another_if_the_tokens_hold_only_one() {
        let mut night = night(None, Some(1200));
        night.past = vec![took(1, 1000)];
        assert_eq!(night.asks(1, 300, 0), Answer::Start, "700 are left");
        assert_eq!(night.asks(2, 300, 0), Answer::Wait);
        night.meter.add(&id(1), 500);
        night.ends(1, Some(1));
        assert_eq!(night.asks(2, 300, 0), Answer::Start);
    }

    #[test]
    fn b2_nothing_waits_while_nothing_is_open() {
        for past in [vec![], vec![took(1, 1)], vec![took(HOUR, HOUR)]] {
            for (ms, tokens) in [(Some(5), None), (None, Some(5)), (Some(5), Some(5))] {
                let mut night = night(ms, tokens);
                night.past.clone_from(&past);
                let answer = night.asks(1, 0, 0);
                assert!(!matches!(answer, Answer::Wait | Answer::Later));
            }
        }
    }

    #[test]
    fn b2_a_resumed_debate_holds_up_no_other_of_its_kind() {
        let mut night = night(Some(8 * HOUR), None);
        night.past = vec![took(10 * HOUR, 10)];
        assert_eq!(night.asks(1, 5, 0), Answer::Start);
        assert!(matches!(night.asks(2, 0, 0), Answer::No(_)));
    }

    #[test]
    fn b2_a_time_limit_takes_no_notice_of_the_date() {
        let mut night = night(None, None);
        night.budget.limits.time =
            Some(TimeLimit { since: night.begun.instant, all: Duration::from_millis(HOUR) });
        for hours in [-2, 2] {
            let mut now = night.at(HOUR - 1);
            now.date += TimeDelta::hours(hours);
            assert_eq!(night.budget.reached(&now), None);
            now.instant += Duration::from_millis(1);
            assert_eq!(night.budget.reached(&now), Some(MAX_TIME));
        }
    }
}
