//! The debates of a batch that have not begun: which one is next, and which ones wait for something.

use std::collections::{HashSet, VecDeque};
use std::iter::Peekable;
use std::time::{Duration, Instant};

use super::deferred::{Deferred, Models};
use super::passed_over::{MakePlans, PassedOver, Plans};
use super::stop_requests::names;
use crate::id::{self, DebateId};
use crate::plan::Plan;

/// Maximum debates deferred whose plans are kept.
const MOST_DEFERRED: usize = 5_000;
/// Maximum debates passed at a time that wait for others to show what they take.
const MOST_PASSED: usize = 1_000;

/// How long a name is looked for among debates that have not begun: meanwhile nothing else goes on.
const LONGEST_SEARCH: Duration = Duration::from_secs(1);

/// Why a debate is next.
#[derive(Clone, Copy)]
pub(super) enum Reason {
    Usual,
    /// It was deferred, and nothing else can start.
    Last,
}

pub(super) struct Queue<'c> {
    plans: Peekable<Plans<'c>>,
    /// Whether all plans have been looked at.
    is_through: bool,
    /// Debates of added jobs, and debates that come back; the most urgent first.
    later: VecDeque<Plan>,
    /// The next debate, if the budget lets it begin only once others have ended.
    held: Option<Plan>,
    /// Debates that begin once others have ended, and those that may now.
    passed: VecDeque<Plan>,
    retried: VecDeque<Plan>,
    deferred: Deferred,
    most_deferred: usize,
    passed_over: PassedOver<'c>,
    /// The jobs added, whose plans can't be made again.
    added: HashSet<String>,
    /// Debates that other processes run.
    elsewhere: Vec<Plan>,
    seen: HashSet<DebateId>,
    /// Number of plans that occurred before.
    pub(super) repeated: usize,
}

impl<'c> Queue<'c> {
    /// The debates whose plans this makes.
    pub(super) fn new(plans: MakePlans<'c>) -> Self {
        Self {
            plans: plans().peekable(),
            passed_over: PassedOver::new(plans),
            most_deferred: MOST_DEFERRED,
            added: HashSet::new(),
            is_through: false,
            later: VecDeque::new(),
            held: None,
            passed: VecDeque::new(),
            retried: VecDeque::new(),
            deferred: Deferred::default(),
            elsewhere: Vec::new(),
            seen: HashSet::new(),
            repeated: 0,
        }
    }

    /// Adds a debate of an added job.
    pub(super) fn add(&mut self, plan: Plan) {
        if self.is_new(&plan) {
            if !self.added.contains(&plan.job) {
                self.added.insert(plan.job.clone());
            }
            self.put(plan);
        }
    }

    /// Whether a job or a debate of the batch, begun or not, is called so, or may be: the batch must not wait long.
    pub(super) fn has(&self, target: &str) -> bool {
        let is_seen = self.seen.iter().any(|id| id::names(target, id));
        let mut planned = (self.passed_over.make)();
        let begun = Instant::now();
        let is_it =
            |plan: Plan| names(target, &plan.id, &plan.job) || begun.elapsed() > LONGEST_SEARCH;
        is_seen || self.added.contains(target) || planned.any(is_it)
    }

    /// Puts a debate behind the others of its priority.
    fn put(&mut self, plan: Plan) {
        let ahead = |it: &Plan| it.priority >= plan.priority;
        self.later.insert(self.later.partition_point(ahead), plan);
    }

    fn is_new(&mut self, plan: &Plan) -> bool {
        let is_new = self.seen.insert(plan.id.clone());
        self.repeated += usize::from(!is_new);
        is_new
    }

    /// Takes back a debate that is to begin again soon.
    pub(super) fn again(&mut self, plan: Plan) {
        let ahead = |it: &Plan| it.priority > plan.priority;
        self.later.insert(self.later.partition_point(ahead), plan);
    }

    /// Takes in debates that were waiting for one that has ended.
    pub(super) fn released(&mut self, plans: Vec<Plan>) {
        plans.into_iter().for_each(|plan| self.put(plan));
    }

    /// Holds the next debate back until the budget lets it begin.
    pub(super) fn hold(&mut self, plan: Plan) {
        self.held = Some(plan);
    }

    /// Whether another debate may be passed.
    pub(super) fn may_pass(&self) -> bool {
        self.passed.len() < MOST_PASSED
    }

    /// Passes a debate until others have ended; those behind it may begin.
    pub(super) fn pass(&mut self, plan: Plan) {
        self.passed.push_back(plan);
    }

    /// Looks again at the debates that were passed, before all others.
    pub(super) fn look_at_passed(&mut self) {
        self.passed.append(&mut self.retried);
        self.retried = std::mem::take(&mut self.passed);
    }

    /// Defers a debate until its servers are back.
    pub(super) fn defer(&mut self, plan: Plan) {
        if self.deferred.len() < self.most_deferred || self.added.contains(&plan.job) {
            self.deferred.add(plan);
        } else {
            self.passed_over.add(plan);
        }
    }

    /// Sets aside a debate that another process runs.
    pub(super) fn set_aside(&mut self, plan: Plan) {
        self.elsewhere.push(plan);
    }

    /// Looks again at the debates that other processes were running.
    pub(super) fn look_elsewhere(&mut self) {
        self.take_elsewhere().into_iter().for_each(|plan| self.put(plan));
    }

    /// The debates that other processes still run.
    pub(super) fn take_elsewhere(&mut self) -> Vec<Plan> {
        std::mem::take(&mut self.elsewhere)
    }

    /// Whether, of the debates looked at, none is left to begin here or elsewhere.
    pub(super) fn is_done(&self) -> bool {
        let none_waits = self.deferred.len() == 0 && self.passed_over.is_empty();
        let none_passed = self.passed.is_empty() && self.retried.is_empty();
        self.later.is_empty() && none_waits && none_passed && self.elsewhere.is_empty()
    }

    /// Whether debates were added or came back.
    pub(super) fn has_later(&self) -> bool {
        !self.later.is_empty()
    }

    /// Whether another debate may be looked at: none is held back.
    pub(super) fn takes_more(&self) -> bool {
        self.held.is_none()
    }

    /// Whether another debate may come from the queue while these models are served.
    pub(super) fn may_bring(&self, is_served: impl Fn(&Models) -> bool) -> bool {
        let is_empty = self.later.is_empty() && self.retried.is_empty();
        let is_any_back = || self.deferred.has(&is_served) || self.passed_over.has(&is_served);
        self.takes_more() && (!self.is_through || !is_empty || is_any_back())
    }

    /// The next debate whose models are served; with `anyway`, if there is none, one whose servers are down.
    pub(super) fn next(
        &mut self,
        is_served: impl Fn(&Models) -> bool,
        anyway: bool,
    ) -> Option<(Plan, Reason)> {
        let next = self
            .held
            .take()
            .or_else(|| self.retried.pop_front())
            .or_else(|| self.deferred.first_where(&is_served))
            .or_else(|| self.passed_over.first_where(&is_served))
            .or_else(|| self.fresh());
        if let Some(plan) = next {
            return Some((plan, Reason::Usual));
        }
        let last = anyway
            .then(|| self.deferred.first_where(|_| true))?
            .or_else(|| self.passed_over.first_where(|_| true));
        last.map(|plan| (plan, Reason::Last))
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

#[cfg(test)]
mod tests {
    use std::path::Path;

    use serde_json::json;

    use super::*;
    use crate::job::{Draft, Overrides};
    use crate::plan::cells;
    use crate::templates::Templates;

    /// So many debates of a job with this model and priority.
    fn job(model: &str, priority: i32, count: u32) -> Vec<Plan> {
        let templates = Templates::load(None).unwrap();
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("jobs/quickstart.yaml");
        let draft = Draft::open(&file, &Overrides::default(), &templates).unwrap();
        let job = draft.read(&templates, |_, _| {}).unwrap();
        let any = cells::debates(&job, &templates, true).next().unwrap();
        let plan = |n: u32| {
            let mut plan = any.clone();
            plan.id = DebateId::from_identity(&json!([model, priority, n]));
            (plan.job, plan.priority) = (format!("{model}{priority}"), priority);
            let people = plan.participants.iter_mut();
            people.for_each(|it| it.model = model.to_owned());
            plan
        };
        (0..count).map(plan).collect()
    }

    fn queue(plans: Vec<Plan>) -> Queue<'static> {
        Queue::new(Box::new(move || Box::new(plans.clone().into_iter())))
    }

    /// Takes debates until there is none, and defers those on models other than `up`; returns the jobs of the rest.
    fn begun(queue: &mut Queue<'_>, up: &str, anyway: bool) -> Vec<String> {
        let mut begun = Vec::new();
        while let Some((plan, reason)) =
            queue.next(|models| models.iter().all(|it| up.contains(it)), anyway)
        {
            if up.contains(&plan.participants[0].model) || matches!(reason, Reason::Last) {
                begun.push(plan.job);
            } else {
                queue.defer(plan);
            }
        }
        begun
    }

    #[test]
    fn j11_however_many_debates_wait_for_a_server_those_of_others_are_offered() {
        let plans = [job("a", 0, 6), job("b", 0, 2), job("c", 0, 3)].concat();
        let mut queue = queue(plans);
        queue.most_deferred = 4;
        job("a", 1, 3).into_iter().for_each(|plan| queue.add(plan));
        assert_eq!(begun(&mut queue, "b", false), ["b0"; 2]);
        assert!(!queue.is_done());
        // A server comes back, and the other goes: what was passed over begins, and nothing else.
        assert_eq!(begun(&mut queue, "c", false), ["c0"; 3]);
        assert_eq!(begun(&mut queue, "a", false).len(), 9);
        assert!(queue.is_done());
        assert_eq!(queue.repeated, 0);
    }

    #[test]
    fn b3_a_name_is_looked_for_no_longer_than_a_batch_can_wait() {
        let plan = job("a", 0, 1).remove(0);
        let few = queue(vec![plan.clone()]);
        assert!(few.has("a0") && few.has(plan.id.short()) && !few.has("0123abc"));
        let endless = Queue::new(Box::new(move || Box::new(std::iter::repeat(plan.clone()))));
        assert!(endless.has("0123abc"), "it may have it");
    }

    #[test]
    fn b2_debates_that_are_passed_let_others_begin_and_come_first_once_one_has_ended() {
        let mut queue = queue([job("a", 0, 2), job("b", 0, 1), job("c", 0, 1)].concat());
        let next = |queue: &mut Queue<'_>| Some(queue.next(|_| true, false)?.0);
        let mut passed = vec![next(&mut queue), next(&mut queue)];
        passed.drain(..).flatten().for_each(|plan| queue.pass(plan));
        assert_eq!(next(&mut queue).map(|plan| plan.job), Some("b0".to_owned()));
        assert!(!queue.is_done());
        queue.look_at_passed();
        assert!(queue.may_bring(|_| false));
        assert_eq!(begun(&mut queue, "abc", false), ["a0", "a0", "c0"]);
        assert!(queue.is_done());
    }

    #[test]
    fn j11_in_the_end_those_that_were_passed_over_are_offered_too() {
        let mut queue = queue(job("a", 0, 6));
        queue.most_deferred = 2;
        assert_eq!(begun(&mut queue, "", false).len(), 0);
        assert_eq!(begun(&mut queue, "", true).len(), 6);
        assert!(queue.is_done());
    }

    #[test]
    fn b3_a_debate_that_comes_back_hides_none_of_higher_priority() {
        let mut queue = queue(job("a", 1, 1));
        let [first, second] = &job("b", 0, 2)[..] else { panic!("two") };
        queue.released(job("c", 2, 1));
        queue.again(first.clone());
        queue.set_aside(second.clone());
        queue.look_elsewhere();
        job("d", 2, 1).into_iter().for_each(|plan| queue.again(plan));
        queue.released(job("e", 3, 1));
        let all = begun(&mut queue, "abcde", false);
        assert_eq!(all, ["e3", "d2", "c2", "a1", "b0", "b0"]);
    }
}
