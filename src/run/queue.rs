//! The debates of a batch that have not begun: which one is next, and which ones wait for something.

use std::collections::{HashSet, VecDeque};
use std::iter::Peekable;

use super::deferred::{Deferred, Models, outlook};
use crate::id::DebateId;
use crate::plan::Plan;
use crate::servers::{Outlook, ServerPool};

/// Maximum debates deferred.
const MAX_DEFERRED: usize = 5_000;

/// Why a debate is next.
#[derive(Clone, Copy)]
pub(super) enum Turn {
    Usual,
    /// It was deferred, and nothing else can start.
    Last,
}

pub(super) struct Queue<'c> {
    plans: Peekable<Box<dyn Iterator<Item = Plan> + Send + 'c>>,
    /// Whether all plans have been looked at.
    is_through: bool,
    /// Debates of added jobs, and debates that come back.
    later: VecDeque<Plan>,
    /// The next debate, if the budget lets it begin only once others have ended.
    held: Option<Plan>,
    deferred: Deferred,
    /// Debates that other processes run.
    elsewhere: Vec<Plan>,
    seen: HashSet<DebateId>,
    /// Number of plans that occurred before.
    pub(super) repeated: usize,
}

impl<'c> Queue<'c> {
    pub(super) fn new(plans: Box<dyn Iterator<Item = Plan> + Send + 'c>) -> Self {
        Self {
            plans: plans.peekable(),
            is_through: false,
            later: VecDeque::new(),
            held: None,
            deferred: Deferred::default(),
            elsewhere: Vec::new(),
            seen: HashSet::new(),
            repeated: 0,
        }
    }

    /// Adds a debate of an added job according to its priority.
    pub(super) fn add(&mut self, plan: Plan) {
        if !self.is_new(&plan) {
            return;
        }
        let ahead = |it: &Plan| it.priority >= plan.priority;
        let place = self.later.partition_point(ahead);
        self.later.insert(place, plan);
    }

    fn is_new(&mut self, plan: &Plan) -> bool {
        let is_new = self.seen.insert(plan.id.clone());
        self.repeated += usize::from(!is_new);
        is_new
    }

    /// Takes back a debate that is to begin again soon.
    pub(super) fn again(&mut self, plan: Plan) {
        self.later.push_front(plan);
    }

    /// Takes in debates that were waiting for one that has ended.
    pub(super) fn released(&mut self, plans: Vec<Plan>) {
        self.later.extend(plans);
    }

    /// Holds the next debate back until the budget lets it begin.
    pub(super) fn hold(&mut self, plan: Plan) {
        self.held = Some(plan);
    }

    /// Defers a debate until its servers are back.
    pub(super) fn defer(&mut self, plan: Plan) {
        self.deferred.add(plan);
    }

    /// Sets aside a debate that another process runs.
    pub(super) fn set_aside(&mut self, plan: Plan) {
        self.elsewhere.push(plan);
    }

    /// Looks again at the debates that other processes were running.
    pub(super) fn look_elsewhere(&mut self) {
        self.later.extend(self.elsewhere.drain(..));
    }

    /// The debates that other processes still run.
    pub(super) fn take_elsewhere(&mut self) -> Vec<Plan> {
        std::mem::take(&mut self.elsewhere)
    }

    /// Whether, of the debates looked at, none is left to begin here or elsewhere.
    pub(super) fn is_done(&self) -> bool {
        self.later.is_empty() && self.deferred.len() == 0 && self.elsewhere.is_empty()
    }

    /// Whether debates were added or came back.
    pub(super) fn has_later(&self) -> bool {
        !self.later.is_empty()
    }

    /// Whether another debate may be looked at: none is held back, and not too many are deferred.
    pub(super) fn takes_more(&self) -> bool {
        self.held.is_none() && self.deferred.len() < MAX_DEFERRED
    }

    /// Whether another debate may come from the queue.
    pub(super) fn may_bring(&self) -> bool {
        self.takes_more() && !(self.is_through && self.later.is_empty())
    }

    /// The next debate; with `anyway`, also one whose servers are down.
    pub(super) fn next(
        &mut self,
        servers: Option<&ServerPool>,
        anyway: bool,
    ) -> Option<(Plan, Turn)> {
        if let Some(held) = self.held.take() {
            return Some((held, Turn::Usual));
        }
        let served = |models: &Models| outlook(servers, models) == Outlook::Served;
        if let Some(plan) = self.deferred.first_where(served) {
            return Some((plan, Turn::Usual));
        }
        if self.takes_more()
            && let Some(plan) = self.fresh()
        {
            return Some((plan, Turn::Usual));
        }
        let last = anyway.then(|| self.deferred.first_where(|_| true));
        last.flatten().map(|plan| (plan, Turn::Last))
    }

    /// The next debate not looked at yet. An added debate goes before the others only if it has a higher priority.
    fn fresh(&mut self) -> Option<Plan> {
        loop {
            let added = self.later.front().map(|plan| plan.priority);
            if added > self.plans.peek().map(|plan| plan.priority) {
                return self.later.pop_front();
            }
            let Some(plan) = self.plans.next() else {
                self.is_through = true;
                return None;
            };
            if self.is_new(&plan) {
                return Some(plan);
            }
        }
    }
}
