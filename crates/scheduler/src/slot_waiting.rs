//! Waiting for a debate's next call, so that its slot and its model are still there for it, and when to stop waiting.

use std::time::Duration;

use super::next_call::Call;
use super::server_memory::Host;
use super::{DebateNumber, ModelName, Moment, Scheduler, Ticket, Waiting};

/// A slot is kept for its debate for this many times the usual time to a next call, within limits in seconds.
const THOUGHTS: f64 = 5.0;
const SHORTEST_GRACE: f64 = 0.02;
const LONGEST_GRACE: f64 = 1.0;
/// Against an older debate, a debate keeps its slot only for as long as this many calls take.
const LONGEST_KEPT: f64 = 20.0;
/// Before a load, debates that may still call the loaded models are waited for: this share of the load's cost, with a
/// maximum in seconds.
const PART_OF_LOAD: f64 = 0.25;
const LONGEST_PATIENCE: f64 = 5.0;
/// A load pays without more debates if the waiting work takes this many times as long.
const ENOUGH_LOADS: f64 = 10.0;
/// No call waits for its model's turn longer than this many seconds or this many loads of it, whichever is longer.
const LONGEST_WAIT: f64 = 900.0;
const LONGEST_WAIT_IN_LOADS: f64 = 40.0;

/// Whether a call has waited too long for others to go first.
pub(super) fn is_overdue(call: &Waiting, now: Moment) -> bool {
    now.saturating_sub(call.since).as_secs_f64() >= LONGEST_WAIT
}

impl Scheduler {
    /// How long a slot is kept for the debate that it served last.
    pub(super) fn grace(&self) -> Duration {
        let thought = THOUGHTS * self.costs.thought;
        Duration::from_secs_f64(thought.clamp(SHORTEST_GRACE, LONGEST_GRACE))
    }

    /// The last server of each debate that has been about to call for less than `limit`.
    fn thinking(&self, limit: Duration, now: Moment) -> impl Iterator<Item = Option<usize>> {
        let idle =
            self.debates.idle_since_and_host().filter(move |(since, _)| now < *since + limit);
        idle.map(|(_, host)| host)
    }

    /// Idle slots of a server that are not kept for a debate.
    fn spare(&self, at: usize, now: Moment) -> usize {
        let slots = self.hosts[at].spare(|debate, model| self.will_call(debate, model, now));
        slots.min(self.spare_calls(at, now))
    }

    /// Whether the call's model has such a slot on a server, or one that is no longer kept from an older debate's call.
    pub(super) fn has_spare(&self, at: usize, call: Call<'_>, now: Moment) -> bool {
        let ((debate, _), waiting) = call;
        let waited = now.saturating_sub(waiting.since).as_secs_f64();
        let is_patient = waited < LONGEST_KEPT * self.costs.call(at);
        let model = &waiting.model;
        let is_kept = |by| self.will_call(by, model, now) && (is_patient || by < *debate);
        self.hosts[at].has_spare(model, is_kept) && self.spare_calls(at, now) > 0
    }

    /// Calls that a server could get on top of those in flight and those about to come.
    fn spare_calls(&self, at: usize, now: Moment) -> usize {
        let thinking = self.thinking(self.grace(), now);
        let coming = thinking.filter(|host| *host == Some(at)).count();
        self.hosts[at].room().saturating_sub(coming)
    }

    /// Whether a debate has just had a reply and will or may call that model next.
    fn will_call(&self, debate: DebateNumber, model: &str, now: Moment) -> bool {
        let answered_at = self.debates.answered_at(debate);
        let is_recent = answered_at.is_some_and(|at| now < at + self.grace());
        is_recent && (self.debates.is_about_to_call(debate) || self.waits_for(debate, model))
    }

    /// Whether one of a debate's calls is waiting for that model.
    fn waits_for(&self, debate: DebateNumber, model: &str) -> bool {
        let mut its = self.waiting.range((debate, Ticket::MIN)..=(debate, Ticket::MAX));
        its.any(|(_, call)| &*call.model == model)
    }

    /// How long to wait for debates without a call before a model is loaded.
    pub(super) fn patience(&self, model: &str) -> Duration {
        let part = PART_OF_LOAD * self.costs.load(model);
        Duration::from_secs_f64(part.min(LONGEST_PATIENCE)).max(self.grace())
    }

    /// Whether a debate without a call may still call a loaded model.
    pub(super) fn awaits_calls(&self, patience: Duration, now: Moment) -> bool {
        self.debates.coming() > 0 || self.thinking(patience, now).next().is_some()
    }

    /// How many more debates would find an idle slot, on servers that are up.
    pub fn wanted(&self, is_up: impl Fn(usize) -> bool, now: Moment) -> usize {
        if self.has_enough() { 0 } else { self.unclaimed(is_up, now) }
    }

    /// Idle slots, on servers that are up, that no debate is about to use.
    fn unclaimed(&self, is_up: impl Fn(usize) -> bool, now: Moment) -> usize {
        let up = (0..self.hosts.len()).filter(|at| is_up(*at) && !self.hosts[*at].is_draining);
        let spare: usize = up.map(|at| self.spare(at, now)).sum();
        let new = self
            .thinking(Duration::from_secs_f64(LONGEST_GRACE), now)
            .filter(Option::is_none)
            .count();
        spare.saturating_sub(self.debates.coming() + new)
    }

    /// Whether the waiting work alone is worth loading its models.
    fn has_enough(&self) -> bool {
        let slots: usize = self.hosts.iter().map(Host::width).sum();
        let (mut work, mut load) = (0.0, 0.0_f64);
        for call in self.waiting.values() {
            let host = call.hosts.first().copied().unwrap_or_default();
            work += self.costs.call(host);
            load = load.max(self.costs.load(&call.model));
        }
        work > 0.0 && work / slots as f64 > ENOUGH_LOADS * load
    }

    /// Whether the batch is about to fill idle slots with more debates.
    pub(super) fn is_growing(&self, now: Moment) -> bool {
        self.has_more && self.wanted(|_| true, now) > 0
    }

    /// Whether idle slots are left for several calls of one debate.
    pub(super) fn has_slots_to_spare(&self, now: Moment) -> bool {
        let brings_more = self.has_more && !self.has_enough();
        !brings_more && self.unclaimed(|_| true, now) > 0
    }

    /// Adds up the slot time that was idle while calls waited for other models. Once that time would have paid for a load, or a
    /// call has waited too long, the loaded models get no more calls.
    pub(super) fn count_losses(&mut self, now: Moment) {
        let are_old = self.waiting.values().any(|call| is_overdue(call, now));
        for at in 0..self.hosts.len() {
            let host = &self.hosts[at];
            if host.may_try() || host.blocked_since.is_some() || host.is_draining || are_old {
                self.count_loss(at, now);
            }
        }
    }

    fn count_loss(&mut self, at: usize, now: Moment) {
        let since = self.hosts[at].blocked_since.take();
        let Some(model) = self.next_model(at, now) else {
            // The calls that the server was drained for no longer wait.
            self.hosts[at].is_draining = false;
            return;
        };
        if self.hosts[at].takes_its_own_place(&model) {
            return;
        }
        let price = self.price(at, &model);
        let is_old = self.has_waited_long(at, &model, now);
        let host = &mut self.hosts[at];
        if let Some(since) = since {
            host.lost += host.idle() as f64 * now.saturating_sub(since).as_secs_f64();
        }
        // It pays to learn early whether models fit together.
        host.is_draining |= host.may_try() || host.lost >= price || is_old;
    }

    /// The slot seconds that a load costs.
    fn price(&self, at: usize, model: &ModelName) -> f64 {
        self.costs.load(model) * self.hosts[at].width() as f64
    }

    /// Whether a call has waited for that model on a server for as long as allowed.
    pub(super) fn has_waited_long(&self, at: usize, model: &str, now: Moment) -> bool {
        self.waiting.values().any(|call| {
            let is_for_it = &*call.model == model && call.hosts.contains(&at);
            is_for_it && now >= self.longest_wait(call)
        })
    }

    /// Until when a call waits at most for its model's turn.
    fn longest_wait(&self, call: &Waiting) -> Moment {
        let limit = LONGEST_WAIT.max(LONGEST_WAIT_IN_LOADS * self.costs.load(&call.model));
        call.since + Duration::from_secs_f64(limit)
    }

    /// Notes which servers have idle slots that calls to other models could use.
    pub(super) fn note_blocked(&mut self, now: Moment) {
        let growing = self.is_growing(now);
        for at in 0..self.hosts.len() {
            let is_idle = self.hosts[at].idle() > 0 && !growing;
            let is_blocked = is_idle && self.next_model(at, now).is_some();
            self.hosts[at].blocked_since = is_blocked.then_some(now);
        }
    }

    /// The time to decide again if nothing happens: when the wait for a next call ends, a server has lost enough, or a call has
    /// waited for as long as allowed.
    pub fn look_again(&self, now: Moment) -> Option<Moment> {
        if self.waiting.is_empty() {
            return None;
        }
        let hosts = (0..self.hosts.len()).filter_map(|at| self.drains_at(at, now));
        let limits = self.waiting.values().map(|call| self.longest_wait(call));
        let times = self.patience_ends().chain(hosts).chain(limits);
        let next = times.filter(|at| *at > now).min();
        next.map(|at| at + Duration::from_millis(1))
    }

    /// The times when a slot stops being kept or a debate stops being waited for.
    fn patience_ends(&self) -> impl Iterator<Item = Moment> {
        let grace = self.grace();
        let kept = self.debates.all_answered_at().map(move |at| at + grace);
        let patience = self.waiting.values().map(|call| self.patience(&call.model));
        let limits = [patience.max(), Some(Duration::from_secs_f64(LONGEST_GRACE))];
        let idle = self.debates.idle_since_and_host();
        let awaited = idle.flat_map(move |(since, _)| {
            limits.into_iter().flatten().map(move |limit| since + limit)
        });
        kept.chain(awaited)
    }

    /// When a server will have lost as much as a load costs, if its slots stay idle.
    fn drains_at(&self, at: usize, now: Moment) -> Option<Moment> {
        let host = &self.hosts[at];
        let since = host.blocked_since.filter(|_| !host.is_draining)?;
        let left = self.price(at, &self.next_model(at, now)?) - host.lost;
        let seconds = left / host.idle().max(1) as f64;
        Some(since + Duration::from_secs_f64(seconds.max(0.0)))
    }
}
