//! Debates that a job shares with another one that ran them first: they stay filed under that one.

use std::collections::{BTreeMap, BTreeSet};

use crate::id::DebateId;
use crate::plan::Plan;
use crate::store::finished::FinishedDebate;
use crate::text;

/// Those debates, each once, by the job that plans them and the one that they are filed under.
#[derive(Debug, Default)]
pub(crate) struct FiledElsewhere(BTreeMap<[String; 2], BTreeSet<DebateId>>);

impl FiledElsewhere {
    /// Notes a finished debate, if it is filed under another job.
    pub(crate) fn note(&mut self, plan: &Plan, found: &FinishedDebate) {
        if found.job != plan.job {
            let jobs = [plan.job.clone(), found.job.clone()];
            self.0.entry(jobs).or_default().insert(plan.id.clone());
        }
    }

    /// What is said of the debates of each two jobs.
    pub(crate) fn lines(&self) -> Vec<String> {
        let line = |([job, other], debates): (&[String; 2], &BTreeSet<DebateId>)| {
            let debates = text::count(debates.len(), "finished debate");
            format!(
                "filed under job {other}, which ran them first: {debates} of {job}; `--where job={job}` does not count them, `--where job={job} --where job={other}` counts all of both"
            )
        };
        self.0.iter().map(line).collect()
    }
}
