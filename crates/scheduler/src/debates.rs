//! The open debates: which of them wait for replies, and which are about to call.

use std::collections::BTreeMap;
use std::time::Duration;

use super::names::{DebateNumber, ModelName, Moment};

/// The open debates of a pool.
#[derive(Default)]
pub struct Debates {
    all: BTreeMap<DebateNumber, Debate>,
    next: DebateNumber,
    /// Debates that the batch has open, including those that have not joined yet.
    pub(super) open: usize,
}

#[derive(Default)]
struct Debate {
    /// Its unanswered calls.
    pending: usize,
    /// Pending calls that wait for a server.
    queued: usize,
    /// Pending calls on a server.
    running: usize,
    /// Pending calls that wait for a server that is down.
    stuck: usize,
    /// The calls it has made, by model.
    made: BTreeMap<ModelName, usize>,
    /// When its last call was answered, or when it joined.
    answered_at: Moment,
    /// The server of its last call.
    at: Option<usize>,
}

impl Debate {
    /// Whether it has no pending call, or one that is neither waiting for a server nor on one yet.
    fn is_about_to_call(&self) -> bool {
        self.pending == 0 || self.pending > self.queued + self.running
    }
}

impl Debates {
    /// A debate begins.
    pub fn join(&mut self, now: Moment) -> DebateNumber {
        self.next += 1;
        let debate = Debate { answered_at: now, ..Debate::default() };
        self.all.insert(self.next, debate);
        self.next
    }

    /// A debate has ended.
    pub fn leave(&mut self, debate: DebateNumber) {
        self.all.remove(&debate);
    }

    /// Notes a call. If it is the debate's only pending one, returns how long the debate took to make it.
    pub(super) fn called(&mut self, debate: DebateNumber, now: Moment) -> Option<Duration> {
        let debate = self.all.get_mut(&debate)?;
        debate.pending += 1;
        (debate.pending == 1).then(|| now.saturating_sub(debate.answered_at))
    }

    /// A call that a debate wanted to make is over, with a reply or without.
    pub fn answered(&mut self, debate: DebateNumber, now: Moment) {
        self.of(debate, |it| {
            it.pending -= 1;
            it.answered_at = now;
        });
    }

    /// One of a debate's calls begins to wait for servers that are down, or no longer does.
    pub fn set_stuck(&mut self, debate: DebateNumber, is_stuck: bool) {
        self.of(debate, |it| if is_stuck { it.stuck += 1 } else { it.stuck -= 1 });
    }

    /// Debates that can do nothing but wait for servers that are down.
    pub fn stuck(&self) -> usize {
        let is_stuck = |debate: &&Debate| debate.pending > 0 && debate.pending == debate.stuck;
        self.all.values().filter(is_stuck).count()
    }

    pub(super) fn queued(&mut self, debate: DebateNumber, model: &ModelName) {
        self.of(debate, |it| {
            it.queued += 1;
            *it.made.entry(model.clone()).or_default() += 1;
        });
    }

    pub(super) fn unqueued(&mut self, debate: DebateNumber) {
        self.of(debate, |it| it.queued -= 1);
    }

    pub(super) fn started(&mut self, debate: DebateNumber, host: usize) {
        self.of(debate, |it| {
            it.at = Some(host);
            it.running += 1;
        });
    }

    pub(super) fn stopped(&mut self, debate: DebateNumber) {
        self.of(debate, |it| it.running -= 1);
    }

    /// Changes a debate unless it has left.
    fn of(&mut self, debate: DebateNumber, change: impl FnOnce(&mut Debate)) {
        if let Some(debate) = self.all.get_mut(&debate) {
            change(debate);
        }
    }

    pub(super) fn is_about_to_call(&self, debate: DebateNumber) -> bool {
        self.all.get(&debate).is_some_and(Debate::is_about_to_call)
    }

    /// Whether one of its calls is on a server.
    pub(super) fn is_running(&self, debate: DebateNumber) -> bool {
        self.all.get(&debate).is_some_and(|it| it.running > 0)
    }

    /// Calls that a debate has made.
    pub(super) fn made(&self, debate: DebateNumber) -> usize {
        self.all.get(&debate).map_or(0, |it| it.made.values().sum())
    }

    /// The model that a debate has called most.
    pub(super) fn most_called(&self, debate: DebateNumber) -> Option<&ModelName> {
        let made = self.all.get(&debate)?.made.iter();
        made.max_by_key(|(_, calls)| **calls).map(|(model, _)| model)
    }

    /// When the last call of each debate was answered, or when it joined.
    pub(super) fn all_answered_at(&self) -> impl Iterator<Item = Moment> {
        self.all.values().map(|debate| debate.answered_at)
    }

    /// When a debate's last call was answered, or when it joined.
    pub(super) fn answered_at(&self, debate: DebateNumber) -> Option<Moment> {
        Some(self.all.get(&debate)?.answered_at)
    }

    /// When the last call of each debate that is about to call was answered, and on which server it was.
    pub(super) fn idle_since_and_host(&self) -> impl Iterator<Item = (Moment, Option<usize>)> {
        let idle = self.all.values().filter(|debate| debate.is_about_to_call());
        idle.map(|debate| (debate.answered_at, debate.at))
    }

    /// Debates that have joined and not left.
    pub(super) fn joined(&self) -> usize {
        self.all.len()
    }

    /// Debates that the batch has open but that have not joined yet.
    pub(super) fn coming(&self) -> usize {
        self.open.saturating_sub(self.all.len())
    }
}
