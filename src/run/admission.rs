//! Whether a batch begins another debate, given the limits of the run, and whether the run should continue at all.

use std::time::Instant;

use super::batch::Batch;
use super::debate::End;
use super::failures::Failures;
use super::history::{History, Past};
use super::run_limits::{Answer, Budget, Candidate, Now, Taken};
use super::shortage::Shortage;
use crate::id::DebateId;
use crate::journal::{self, Entry};
use crate::plan::Plan;
use crate::stop::MAX_TOKENS;
use crate::store::finished::FinishedDebates;
use crate::text;
use crate::trace::Trace;

/// The checks that a debate must pass before it begins.
pub(super) struct Admission<'b> {
    batch: &'b Batch,
    budget: Budget,
    failures: Failures,
    history: History,
    /// Whether too many debates have gone wrong.
    paused: bool,
    /// Whether it was reported that debates are left out of this run.
    told: bool,
}

impl<'b> Admission<'b> {
    pub(super) fn new(batch: &'b Batch) -> Self {
        Self {
            batch,
            budget: Budget::new(batch.limits, batch.meter.clone()),
            failures: Failures::new(batch.most_failures),
            history: History::new(batch.context.clock.now()),
            paused: false,
            told: false,
        }
    }

    fn now(&self) -> Now {
        Now { date: self.batch.context.clock.now(), instant: Instant::now() }
    }

    /// Maximum debates in progress. Under a budget, or without servers, no more than can run at once, so that they end.
    pub(super) fn places(&self) -> usize {
        let chosen = self.batch.max_debates.unwrap_or(usize::MAX).max(1);
        let is_rehearsal = self.batch.context.is_rehearsal();
        if self.budget.is_limited() || is_rehearsal && self.batch.max_debates.is_none() {
            chosen.min(self.batch.slots)
        } else {
            chosen
        }
    }

    /// The limit at which the run has to stop now, if there is one. The user is told.
    pub(super) fn stops(&self) -> Option<&'static str> {
        let limit = self.budget.reached(&self.now())?;
        let up = if limit == MAX_TOKENS { "all tokens are used up" } else { "the time is up" };
        (self.batch.notify)(&format!("{up} ({limit}): stopping after the calls in flight"));
        Some(limit)
    }

    /// Whether this debate may begin now; if so, it counts as begun.
    pub(super) fn ask(&mut self, plan: &Plan, finished: &FinishedDebates) -> Answer {
        if self.paused {
            return Answer::Paused;
        }
        if !self.budget.is_limited() {
            return Answer::Start;
        }
        let answer = self.asked(plan, finished);
        if let Answer::No(shortage) = answer {
            self.tell(plan, shortage);
        }
        answer
    }

    fn asked(&mut self, plan: &Plan, finished: &FinishedDebates) -> Answer {
        let setup = plan.setup();
        let past: Vec<Taken> =
            self.history.of(plan, &setup, finished).iter().filter_map(taken).collect();
        let debate =
            Candidate { id: &plan.id, setup: &setup, past: &past, used: self.used(&plan.id) };
        let answer = self.budget.ask(&debate, &self.now());
        if let Answer::Start = answer {
            self.budget.began(&debate);
        }
        answer
    }

    fn tell(&mut self, plan: &Plan, shortage: Shortage) {
        if !std::mem::replace(&mut self.told, true) {
            (self.batch.notify)(&format!(
                "not starting {} ({}): {shortage}; other debates that would exceed the limit are not started either",
                plan.short_id(),
                text::shorten(plan.heading(), 60)
            ));
        }
    }

    /// Notes that a debate is no longer open.
    pub(super) fn ended(&mut self, id: &DebateId, end: &End) {
        let took_ms = match end {
            End::Committed { trace, .. } => {
                self.take(trace);
                time_of(trace.timing.model_ms, trace.timing.total_ms)
            }
            _ => None,
        };
        self.budget.ended(id, took_ms);
    }

    /// Counts a debate that went wrong, and pauses after too many of them.
    fn take(&mut self, trace: &Trace) {
        self.failures.take(trace.shared_cause().map(|cause| cause.first));
        if self.paused {
            return;
        }
        if let Some(why) = self.failures.pause() {
            self.paused = true;
            (self.batch.notify)(&format!(
                "{why}: starting no more debates (--max-failures); those in progress continue"
            ));
        }
    }

    /// The cause of most debates that went wrong.
    pub(super) fn commonest_failure(&self) -> Option<String> {
        self.failures.commonest().map(|(cause, _)| cause.clone())
    }

    /// The tokens of the attempts in a debate's journal, at least one each.
    fn used(&self, id: &DebateId) -> u64 {
        let journal = self.batch.context.output.running_journal(id);
        let entries = journal::load(&journal, id).map_or_else(|_| Vec::new(), |it| it.entries);
        entries.iter().filter_map(Entry::tokens).fold(0, u64::saturating_add)
    }
}

/// What a debate took of its run's time and tokens, if its time is known.
fn taken(past: &Past) -> Option<Taken> {
    let facts = &past.facts;
    let tokens = facts.used.iter().map(|(_, it)| it.prompt_tokens.saturating_add(it.reply_tokens));
    Some(Taken {
        ms: time_of(facts.model_ms, facts.wall_ms)?,
        tokens: tokens.fold(past.panel_tokens, u64::saturating_add),
    })
}

/// The time that a debate took, of its models' and all: the smaller one, as it may have waited for others or been idle between two
/// runs, or its calls may have run in parallel. Not every server tells the first, and the second is unknown if the clock was set back.
fn time_of(model_ms: u64, wall_ms: Option<u64>) -> Option<u64> {
    Some(model_ms).filter(|ms| *ms > 0).into_iter().chain(wall_ms).min()
}
