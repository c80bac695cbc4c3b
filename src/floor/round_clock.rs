//! The model time that rounds take (row K10), given what can run concurrently, and how long statements may be for the next
//! round to fit into a limit. All of it follows from the journal.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};

use crate::job::participant::Participant;

/// Minimum tokens that a statement is shortened to.
const LEAST_TOKENS: u32 = 40;
/// The share of a limit that is planned for, since speeds vary and prompts grow.
const PLANNED: f64 = 0.9;
/// Assumed growth per round of everything but the statements, as long as only one round has been seen.
const GROWTH: f64 = 1.15;

/// The clock of a round, and what the last round showed.
#[derive(Debug, Default)]
pub(super) struct RoundClock {
    /// When it began; not known if the clock was set back since.
    began: Option<DateTime<Utc>>,
    now: Spent,
    /// Model time of earlier rounds, in milliseconds.
    before: u64,
    last: Option<Last>,
    /// Whether it was reported that this round's statements are shortened.
    told: bool,
}

/// Model time in milliseconds.
#[derive(Debug, Default, Clone, Copy)]
struct Spent {
    in_turn: u64,
    /// The slowest of the calls now running in parallel.
    slowest_together: u64,
    /// The part of `in_turn` spent on statements.
    speaking: u64,
    statements: u64,
}

/// What the last round showed.
#[derive(Debug)]
struct Last {
    spent: Spent,
    /// The time of everything but the statements in the round before, if there was one.
    others_before: Option<u64>,
    /// Tokens per second by model, over the debate so far.
    speeds: BTreeMap<String, f64>,
}

/// Whether calls run one after the other or in parallel; it determines a round's model time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pace {
    InTurn,
    Together,
}

impl Spent {
    fn total(self) -> u64 {
        self.in_turn + self.slowest_together
    }

    /// The time of everything but the statements.
    fn others(self) -> u64 {
        self.total().saturating_sub(self.speaking)
    }
}

impl Last {
    /// The expected time of everything but the statements in this round: prompts grow with the record.
    fn others_next(&self) -> f64 {
        let now = self.spent.others() as f64;
        self.others_before.map_or(now * GROWTH, |before| now + (now - before as f64).max(0.0))
    }
}

impl RoundClock {
    /// `speeds` are those of the debate so far, in tokens per second, by model.
    pub(super) fn begin_round(&mut self, speeds: BTreeMap<String, f64>, now: DateTime<Utc>) {
        let spent = std::mem::take(&mut self.now);
        self.before += spent.total();
        let others_before = self.last.take().map(|last| last.spent.others());
        self.last = (spent.statements > 0).then_some(Last { spent, others_before, speeds });
        self.began = Some(now);
        self.told = false;
    }

    pub(super) fn take(&mut self, model_ms: u64, pace: Pace) {
        match pace {
            Pace::InTurn => self.now.in_turn += model_ms,
            Pace::Together => {
                self.now.slowest_together = self.now.slowest_together.max(model_ms);
            }
        }
    }

    /// The calls that ran in parallel have all ended; later ones come after them.
    pub(super) fn join(&mut self) {
        self.now.in_turn += std::mem::take(&mut self.now.slowest_together);
    }

    pub(super) fn spoke(&mut self, reply_ms: u64) {
        self.now.speaking += reply_ms;
        self.now.statements += 1;
    }

    pub(super) fn model_ms(&self) -> u64 {
        self.now.total()
    }

    pub(super) fn total_ms(&self) -> u64 {
        self.before + self.now.total()
    }

    /// The clock was set back.
    pub(super) fn lose_wall_time(&mut self) {
        self.began = None;
    }

    pub(super) fn wall_ms(&self, now: DateTime<Utc>) -> Option<u64> {
        u64::try_from((now - self.began?).num_milliseconds()).ok()
    }

    /// A statement's cap: `most`, or less if the round would otherwise take longer than `seconds` of model time.
    pub(super) fn cap(&mut self, by: &Participant, most: u32, seconds: Option<u32>) -> Cap {
        let share = |seconds| Some((seconds, self.share(&by.model, seconds)?));
        let Some((seconds, share)) = seconds.and_then(share) else {
            return Cap { tokens: most, shortened: None };
        };
        let thinking = if by.think { by.thinking_tokens } else { 0 };
        let spoken = share.tokens.saturating_sub(thinking);
        let tokens = spoken.max(LEAST_TOKENS).min(most);
        let is_news = tokens < most && !std::mem::replace(&mut self.told, true);
        let shortened = is_news.then(|| {
            let why = share.why(spoken, seconds);
            format!(
                "{} has {tokens} tokens for a statement in this round instead of {most}, {why}",
                by.name
            )
        });
        Cap { tokens, shortened }
    }

    /// What a model can say in its share of a round of this many seconds. Known once a round has shown the model's speed and
    /// the time of everything but the statements.
    fn share(&self, model: &str, seconds: u32) -> Option<Share> {
        let last = self.last.as_ref()?;
        let others_ms = last.others_next();
        let left = (f64::from(seconds) * 1000.0 * PLANNED - others_ms).max(0.0);
        let each = left / last.spent.statements as f64;
        let tokens = (each / 1000.0 * last.speeds.get(model)?) as u32;
        Some(Share { tokens, others_ms })
    }
}

/// A statement's share of a round.
struct Share {
    tokens: u32,
    /// The expected time of everything but the statements.
    others_ms: f64,
}

/// Maximum tokens of a statement.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Cap {
    pub(super) tokens: u32,
    /// Why it is less than wanted; only the first time in a round.
    pub(super) shortened: Option<String>,
}

impl Share {
    /// Why a statement is shortened.
    fn why(&self, spoken: u32, seconds: u32) -> String {
        if spoken >= LEAST_TOKENS {
            return format!("to keep the round to {seconds} s of model time");
        }
        let others = self.others_ms / 1000.0;
        format!(
            "the least; a round of {seconds} s cannot be kept, since all but the statements takes about {others:.1} s"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn k10_statements_are_shortened_once_a_round_has_shown_what_fits() {
        let by =
            Participant { model: "m".to_owned(), name: "Ann".to_owned(), ..Participant::default() };
        let speeds = BTreeMap::from([("m".to_owned(), 100.0)]);
        let mut clock = RoundClock::default();
        let whole = Cap { tokens: 400, shortened: None };
        assert_eq!(clock.cap(&by, 400, Some(5)), whole, "nothing is known yet");
        clock.take(10_000, Pace::InTurn);
        clock.spoke(10_000);
        clock.begin_round(speeds, DateTime::UNIX_EPOCH);
        assert_eq!(clock.cap(&by, 400, Some(5)).tokens, 400, "100 tokens a second");
        let short = clock.cap(&by, 400, Some(2));
        assert_eq!(short.tokens, 180);
        assert!(short.shortened.expect("news").contains("instead of 400"));
        assert_eq!(clock.cap(&by, 400, Some(2)).shortened, None, "said once");
        assert_eq!(clock.total_ms(), 10_000);
        let later = DateTime::UNIX_EPOCH + chrono::TimeDelta::seconds(7);
        assert_eq!(clock.wall_ms(later), Some(7_000));
        clock.lose_wall_time();
        assert_eq!(clock.wall_ms(later), None, "the clock was set back in this round");
        clock.begin_round(BTreeMap::new(), DateTime::UNIX_EPOCH);
        assert_eq!(clock.wall_ms(later), Some(7_000), "and not in the next");
    }

    #[test]
    fn k10_of_calls_side_by_side_the_slowest_counts_and_groups_come_one_after_the_other() {
        let mut clock = RoundClock::default();
        for (ms, pace) in [(5, Pace::InTurn), (7, Pace::Together), (9, Pace::Together)] {
            clock.take(ms, pace);
        }
        assert_eq!(clock.model_ms(), 14);
        clock.join();
        clock.take(4, Pace::Together);
        assert_eq!(clock.model_ms(), 18);
    }
}
