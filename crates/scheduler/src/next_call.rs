//! The next call to start: the first in order of the debates without a call on a server, ideally in the slot that holds its
//! prompt; or, if no more debates come, one beside others of its debate; or one that needs a model to be loaded.

use std::collections::BTreeMap;

use super::{DebateNumber, ModelName, Moment, Scheduler, Start, Ticket, Waiting};

/// Rereading a prompt on another server pays if calls take more than this many times as long on the one that holds it,
const MUCH_FASTER: f64 = 1.5;
/// and more than this many seconds longer.
const MUCH: f64 = 1.0;

/// A waiting call, with its debate and ticket.
pub(super) type Call<'s> = (&'s (DebateNumber, Ticket), &'s Waiting);

impl Scheduler {
    pub(super) fn next_start(&self, now: Moment) -> Option<Start> {
        if self.waiting.is_empty() || self.hosts.iter().all(|host| host.room() == 0) {
            return None;
        }
        self.first(now).or_else(|| self.beside(now)).or_else(|| self.loading(now))
    }

    /// The first that can start. If calls with a prompt in a slot came first, all open debates would take turns and lose their
    /// slots to each other.
    fn first(&self, now: Moment) -> Option<Start> {
        let mut calls = self.in_order(now).into_iter();
        calls.find_map(|call| self.start_now(call, now))
    }

    fn start_now(&self, call: Call<'_>, now: Moment) -> Option<Start> {
        match self.home(call) {
            Some(home) => self.start_at_home(call, home, now),
            None => self.start_anywhere(call, now),
        }
    }

    /// The server on which an idle slot holds the prompt of the debate's last call to that model.
    fn home(&self, call: Call<'_>) -> Option<usize> {
        let ((debate, _), waiting) = call;
        let holds = |at: &usize| {
            let host = &self.hosts[*at];
            host.runs(&waiting.model) && host.remembers(*debate, &waiting.model)
        };
        waiting.hosts.iter().copied().find(holds)
    }

    /// A start at home, unless an idle server is so much faster that reading the prompt again pays.
    fn start_at_home(&self, call: Call<'_>, home: usize, now: Moment) -> Option<Start> {
        if self.hosts[home].room() == 0 {
            return None;
        }
        let moved = self
            .start_anywhere(call, now)
            .filter(|_| !self.has_more)
            .filter(|other| self.is_much_faster(other.host, home));
        Some(moved.unwrap_or(start(call, home)))
    }

    fn start_anywhere(&self, call: Call<'_>, now: Moment) -> Option<Start> {
        let (_, waiting) = call;
        let runs = |at: usize| self.hosts[at].runs(&waiting.model);
        let may = |at: &usize| runs(*at) && self.has_spare(*at, call, now);
        Some(start(call, self.by_speed(&waiting.hosts).find(may)?))
    }

    fn is_much_faster(&self, this: usize, than: usize) -> bool {
        let (fast, slow) = (self.costs.call(this), self.costs.call(than));
        this != than && slow > fast * MUCH_FASTER && slow > fast + MUCH
    }

    /// The fastest server first; among equals, the one with more idle slots.
    fn by_speed(&self, hosts: &[usize]) -> impl Iterator<Item = usize> + use<> {
        let mut hosts = hosts.to_vec();
        let idle = |at: usize| self.hosts[at].idle();
        hosts.sort_by(|a, b| {
            let speed = self.costs.call(*a).total_cmp(&self.costs.call(*b));
            speed.then_with(|| idle(*b).cmp(&idle(*a)))
        });
        hosts.into_iter()
    }

    fn beside(&self, now: Moment) -> Option<Start> {
        if !self.has_slots_to_spare(now) {
            return None;
        }
        self.waiting.iter().find_map(|call| self.start_now(call, now))
    }

    fn loading(&self, now: Moment) -> Option<Start> {
        let all: Vec<usize> = (0..self.hosts.len()).collect();
        self.by_speed(&all).find_map(|at| self.load_on(at, now))
    }

    fn load_on(&self, at: usize, now: Moment) -> Option<Start> {
        let host = &self.hosts[at];
        let model = self.next_model(at, now)?;
        if host.room() == 0 || !(host.fits(&model) || self.may_replace(at, &model, now)) {
            return None;
        }
        let its = |call: &Call<'_>| call.1.model == model && call.1.hosts.contains(&at);
        let first = self.waiting.iter().find(its)?;
        Some(Start { loads: true, ..start(first, at) })
    }

    /// Whether a server's models may be replaced: it has no call in flight, and no debate is about to call them.
    fn may_replace(&self, at: usize, model: &ModelName, now: Moment) -> bool {
        let host = &self.hosts[at];
        let is_settled = || {
            let awaits = self.awaits_calls(self.patience(model), now);
            !awaits && !self.is_growing(now) && !self.is_called(at)
        };
        host.busy() == 0 && (host.is_empty() || host.is_draining || is_settled())
    }

    /// Whether a call is waiting for a model that a server has loaded.
    fn is_called(&self, at: usize) -> bool {
        let mut calls = self.waiting.values();
        calls.any(|call| call.hosts.contains(&at) && self.hosts[at].runs(&call.model))
    }

    /// The model that a server should load next: one that has been waited for as long as allowed, or else the one with the
    /// most waiting calls, less the share of the servers that have it loaded.
    pub(super) fn next_model(&self, at: usize, now: Moment) -> Option<ModelName> {
        let waits = |call: &&Waiting| call.hosts.contains(&at) && self.hosts[at].lacks(&call.model);
        let waiting = self.waiting.values().filter(waits);
        let mut calls: BTreeMap<&ModelName, Vec<&Waiting>> = BTreeMap::new();
        waiting.for_each(|call| calls.entry(&call.model).or_default().push(call));
        let mut models = calls.keys();
        if let Some(model) = models.find(|model| self.has_waited_long(at, model, now)) {
            return Some((*model).clone());
        }
        let worth = calls.into_iter().map(|(model, calls)| (self.worth(at, model, &calls), model));
        let worth = worth.filter(|(worth, _)| *worth > 0.0);
        worth.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, model)| model.clone())
    }

    /// The number of calls that loading a model here would serve. It is 0 if the servers that have the model would finish the
    /// calls before it could replace another one here.
    fn worth(&self, at: usize, model: &ModelName, calls: &[&Waiting]) -> f64 {
        let having: Vec<usize> =
            (0..self.hosts.len()).filter(|at| self.hosts[*at].runs(model)).collect();
        let others_may = |call: &&&Waiting| call.hosts.iter().any(|at| having.contains(at));
        let only_here = calls.len() - calls.iter().filter(others_may).count();
        if only_here > 0 {
            return only_here as f64;
        }
        let slots: usize = having.iter().map(|at| self.hosts[*at].width()).sum();
        if let Some(first) = having.first().filter(|_| !self.hosts[at].has_room(model)) {
            let through = self.costs.call(*first) * calls.len() as f64 / slots as f64;
            if through < self.costs.load(model) {
                return 0.0;
            }
        }
        calls.len() as f64 / (having.len() + 1) as f64
    }
}

fn start(call: Call<'_>, host: usize) -> Start {
    let ((debate, ticket), _) = call;
    Start { ticket: *ticket, debate: *debate, host, loads: false }
}
