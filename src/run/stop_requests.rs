//! Requests to a running batch: to stop, or to stop some of its debates.

use std::collections::HashMap;

use super::batch::Batch;
use crate::id::{self, DebateId};
use crate::plan::Plan;
use crate::stop::{REQUEST, Stop};
use crate::text;

/// The debates asked to stop, and the means to stop those that are open.
pub(super) struct StopRequests<'b> {
    batch: &'b Batch,
    /// Ids, first digits of ids, and names of jobs.
    targets: Vec<String>,
    open: HashMap<DebateId, (String, Stop)>,
}

impl<'b> StopRequests<'b> {
    pub(super) fn new(batch: &'b Batch) -> Self {
        Self { batch, targets: Vec::new(), open: HashMap::new() }
    }

    /// Whether this debate must not begin.
    pub(super) fn refuses(&self, plan: &Plan) -> bool {
        self.targets.iter().any(|it| names(it, &plan.id, &plan.job))
    }

    /// Notes that a debate begins, and returns what stops it: a request for it or for the whole batch.
    pub(super) fn began(&mut self, plan: &Plan) -> Stop {
        let stop = self.batch.stop.of_part();
        let open = (plan.job.clone(), stop.clone());
        self.open.insert(plan.id.clone(), open);
        stop
    }

    pub(super) fn ended(&mut self, id: &DebateId) {
        self.open.remove(id);
    }

    /// Carries out the requests since the last look that are about debates of the batch.
    pub(super) fn look(&mut self, has: impl Fn(&str) -> bool) {
        self.batch.presence.take_requests(|asked| match asked.target {
            None => self.stop_all(),
            Some(target) => has(&target) && self.stop_some(&target),
        });
    }

    fn stop_all(&self) -> bool {
        if !self.batch.stop.is_requested() {
            self.batch.stop.request(REQUEST);
            (self.batch.notify)("asked to stop (`rebut stop`): stopping after the calls in flight");
        }
        true
    }

    fn stop_some(&mut self, target: &str) -> bool {
        let target = text::one_line(target);
        let meant = self.open.iter().filter(|(id, (job, _))| names(&target, id, job));
        let words = match meant.map(|(_, (_, stop))| stop.request(REQUEST)).count() {
            0 => format!("{target} is not in progress, and will not be started"),
            n => format!("stopping {} after the calls in flight", text::count(n as u64, "debate")),
        };
        (self.batch.notify)(&format!("asked to stop {target} (`rebut stop`): {words}"));
        self.targets.push(target);
        true
    }
}

/// Whether a target refers to a debate of a job.
pub(super) fn names(target: &str, id: &DebateId, job: &str) -> bool {
    target == job || id::names(target, id)
}
