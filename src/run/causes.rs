//! Why debates of a batch are not done, and which they are: for its summary, and for others while it runs.

use std::collections::BTreeMap;
use std::path::Path;

use super::debate::End;
use crate::artifacts::batch::{Cause, DebateLink, NOT_JUDGED, elsewhere, stopped};
use crate::files::name_of;
use crate::plan::Plan;
use crate::text;
use crate::trace::{SharedCause, Trace, shared_cause};

/// Maximum debates named per cause.
const NAMED: usize = 5;
/// Maximum causes listed.
const CAUSES: usize = 20;

/// What debates are not done for, by their standing and what they fell short of first.
#[derive(Debug, Default, Clone)]
pub(crate) struct Causes(BTreeMap<(&'static str, String), Cause>);

impl Causes {
    /// Notes how a debate ended, unless it is done; `label` tells it from others.
    pub(crate) fn end(&mut self, plan: &Plan, end: &End, label: &str) {
        let link = || without_directory(plan, label);
        match end {
            End::Committed { path, trace, .. } => {
                if let Some(cause) = trace.shared_cause() {
                    self.take(trace.status.word(), cause, &link_to(trace, path, label));
                }
            }
            End::Parked(cause) | End::Outdated(cause) | End::Stuck(cause) | End::Unfit(cause) => {
                self.take("unfinished", shared_cause(cause).into(), &link());
            }
            End::Stopped(by) => self.interrupted(&link(), *by),
            End::Elsewhere(holder) => {
                let cause = elsewhere(holder);
                self.take("unfinished", shared_cause(&cause).into(), &link());
            }
            End::Unmatched(why) => {
                self.take("not started", shared_cause(&why.to_string()).into(), &link());
            }
            _ => {}
        }
    }

    /// Notes that a job's panel could not read a finished debate; `label` tells it from others.
    pub(crate) fn not_judged(&mut self, plan: &Plan, cause: &str, label: &str) {
        self.take(NOT_JUDGED, shared_cause(cause).into(), &without_directory(plan, label));
    }

    /// Notes that a debate was stopped, by this if it is known.
    pub(super) fn interrupted(&mut self, link: &DebateLink, by: Option<&str>) {
        self.take("unfinished", stopped(by).into(), link);
    }

    fn take(&mut self, standing: &'static str, cause: SharedCause, link: &DebateLink) {
        let SharedCause { first, told } = cause;
        let has_more = told != first;
        let known = self.0.entry((standing, first)).or_insert_with(|| Cause {
            standing: standing.to_owned(),
            cause: told.clone(),
            debates: 0,
            first: Vec::new(),
        });
        // One debate with other problems is enough to say so of all.
        if has_more {
            known.cause = told;
        }
        known.debates += 1;
        if known.first.len() < NAMED {
            known.first.push(link.clone());
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The causes with the most debates first, and the number of debates with other causes.
    pub(crate) fn listed(&self) -> (Vec<Cause>, usize) {
        let mut causes: Vec<&Cause> = self.0.values().collect();
        // Among equals by name, because they come in that order and the sort is stable.
        causes.sort_by_key(|cause| std::cmp::Reverse(cause.debates));
        let others =
            causes.split_off(causes.len().min(CAUSES)).iter().map(|cause| cause.debates).sum();
        (causes.into_iter().cloned().collect(), others)
    }
}

/// A debate without a directory.
fn without_directory(plan: &Plan, label: &str) -> DebateLink {
    let [id, topic, label] = [plan.short_id(), &plan.topic, label].map(str::to_owned);
    DebateLink { id, topic, label, ..DebateLink::default() }
}

/// A debate in its directory.
pub(super) fn link_to(trace: &Trace, path: &Path, label: &str) -> DebateLink {
    let day = path.parent().map(|day| name_of(day).into_owned());
    let outcome = trace.outcome.as_ref();
    DebateLink {
        id: trace.id.short().to_owned(),
        topic: text::one_line(&trace.topic),
        label: label.to_owned(),
        outcome: outcome.map(|outcome| text::one_line(&outcome.line)),
        path: day.map(|day| format!("{day}/{}", name_of(path))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn b3_debates_with_other_problems_beside_one_cause_are_of_that_cause() {
        let mut causes = Causes::default();
        let link = DebateLink::default();
        let first = "llama3 gave no usable notes (timeout)".to_owned();
        let more = format!("{first}, among other problems");
        for told in [&first, &more, &first] {
            let (first, told) = (first.clone(), told.clone());
            causes.take("degraded", SharedCause { first, told }, &link);
        }
        let (causes, _) = causes.listed();
        let told: Vec<_> = causes.iter().map(|it| (&it.cause, it.debates)).collect();
        assert_eq!(told, [(&more, 3)]);
    }
}
