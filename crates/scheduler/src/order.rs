//! The order in which debates get slots: the oldest first, except where that would leave slots idle, now or at the end.

use std::collections::BTreeSet;

use super::next_call::Call;
use super::server_memory::Host;
use super::slot_waiting::is_overdue;
use super::{ModelName, Moment, Scheduler};

/// Once no more debates come, the order changes when fewer than this many per slot are left.
const LAST_DEBATES: usize = 2;

impl Scheduler {
    /// Waiting calls of debates that have no call on a server, in the order in which they get slots.
    pub(super) fn in_order(&self, now: Moment) -> Vec<Call<'_>> {
        let is_first = |((debate, _), _): &Call<'_>| !self.debates.is_running(*debate);
        let mut calls: Vec<Call<'_>> = self.waiting.iter().filter(is_first).collect();
        if self.is_ending() {
            calls.sort_by_cached_key(|((debate, _), _)| self.debates.made(*debate));
        }
        let short = self.short_of_calls(&calls);
        if !short.is_empty() {
            // Age has the last word, so that no debate starves.
            let is_first = |call: &Call<'_>| is_overdue(call.1, now) || self.leads_to(call, &short);
            calls.sort_by_cached_key(|call| !is_first(call));
        }
        calls
    }

    /// Whether the last debates are open. A debate that still has many calls to make must then not wait for the others, or
    /// it will be left with a slot or two while the rest are idle.
    fn is_ending(&self) -> bool {
        let slots: usize = self.hosts.iter().map(Host::width).sum();
        !self.has_more && self.debates.joined() < LAST_DEBATES * slots
    }

    /// Models whose slots are about to be idle: fewer calls wait for them.
    fn short_of_calls(&self, waiting: &[Call<'_>]) -> BTreeSet<ModelName> {
        let is_short = |model: &&ModelName| {
            let slots: usize = self.hosts.iter().map(|host| host.slots(model)).sum();
            let calls = waiting.iter().filter(|(_, call)| call.model == **model);
            calls.take(slots).count() < slots
        };
        self.called.iter().filter(is_short).cloned().collect()
    }

    /// Whether the debate of a call to another model mostly calls one of those.
    fn leads_to(&self, call: &Call<'_>, models: &BTreeSet<ModelName>) -> bool {
        let ((debate, _), waiting) = call;
        let most = self.debates.most_called(*debate);
        most.is_some_and(|most| *most != waiting.model && models.contains(most))
    }
}
