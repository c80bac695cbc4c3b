//! Whether a batch begins another debate, given the limits of the run, and whether the run should continue at all.

use std::time::{Duration, Instant};

use super::batch::Batch;
use super::debate::End;
use super::failures::Failures;
use super::history::{History, Past};
use super::run_limits::{Answer, Budget, Candidate, Now, Taken, Whole};
use super::shortage::Shortage;
use crate::files;
use crate::id::DebateId;
use crate::plan::Plan;
use crate::servers::ServerPool;
use crate::store::finished::FinishedDebates;
use crate::text;
use crate::trace::Trace;

/// The most that counts between two looks at the time. They are a second apart: in a longer gap this process was halted.
const MOST_BETWEEN: Duration = Duration::from_secs(3);

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
    /// How long the run was at work, and when it last looked at the time.
    worked: Duration,
    looked: Instant,
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
            worked: Duration::ZERO,
            looked: Instant::now(),
        }
    }

    /// Looks at the time, and whether debates wait for servers. Time in which nothing can be done is nobody's.
    pub(super) fn look(&mut self) {
        let passed = self.looked.elapsed().min(MOST_BETWEEN);
        self.looked = Instant::now();
        let servers = self.batch.context.servers.as_deref();
        let is_halted = servers.is_some_and(ServerPool::is_halted);
        if is_halted || servers.is_some_and(ServerPool::holds_up) {
            self.budget.disturbed();
        }
        if !is_halted {
            self.worked += passed;
        }
    }

    fn now(&self) -> Now {
        Now { date: self.batch.context.clock.now(), instant: Instant::now(), worked: self.worked }
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

    /// Whether the run has to stop now. If so, the user is told.
    pub(super) fn stops(&self) -> bool {
        let (limit, flag) = if self.budget.is_late(&self.now()) {
            ("the time is up", "--until, --max-time")
        } else if self.budget.is_used_up() {
            ("all tokens are used up", "--max-tokens")
        } else {
            return false;
        };
        (self.batch.notify)(&format!("{limit} ({flag}): stopping after the calls in flight"));
        true
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
        let past: Vec<Taken> = self.history.of(plan, &setup, finished).iter().map(taken).collect();
        let debate = Candidate {
            id: &plan.id,
            setup: &setup,
            past: &past,
            answered: self.answered(&plan.id),
        };
        let now = self.now();
        let answer = self.budget.ask(&debate, &now);
        if let Answer::Start = answer {
            self.budget.began(&debate, &now);
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
        let whole = match end {
            End::Committed { trace, .. } => {
                self.take(trace);
                Some(Whole { calls: trace.calls.len() as u64, model_ms: trace.timing.model_ms })
            }
            _ => None,
        };
        let now = self.now();
        self.budget.ended(id, whole, &now);
    }

    /// Counts a debate that went wrong, and pauses after too many of them.
    fn take(&mut self, trace: &Trace) {
        let cause = trace.shared_cause().map(|cause| cause.first);
        self.failures.take(cause);
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

    /// The number of calls answered in a debate's journal: one per line after the first.
    fn answered(&self, id: &DebateId) -> u64 {
        let journal = self.batch.context.output.running_journal(id);
        let lines = files::read_own(&journal)
            .map_or(0, |text| text.iter().filter(|byte| **byte == b'\n').count());
        (lines as u64).saturating_sub(1)
    }
}

/// What a debate took of its run's time and tokens. The smaller of its times is used: it may have waited for others or been
/// idle between two runs, or its calls may have run in parallel.
fn taken(past: &Past) -> Taken {
    let facts = &past.facts;
    let (calls, tokens) = facts.used.iter().fold((0, 0), |(calls, tokens): (u64, u64), (_, it)| {
        let its = it.prompt_tokens.saturating_add(it.reply_tokens);
        (calls + it.calls + it.failures, tokens.saturating_add(its))
    });
    Taken { ms: facts.model_ms.min(facts.wall_ms), tokens, calls }
}
