//! Debates that an edited job no longer contains (row J9b). They are named or counted, and left alone.

use std::collections::{BTreeSet, HashSet};

use super::finished::FinishedDebates;
use super::layout::OutputDir;
use super::snapshot;
use crate::files::Result;
use crate::id::DebateId;
use crate::journal;
use crate::plan::Plan;

/// Debates that an edited job no longer contains.
#[derive(Debug, Default)]
pub struct Orphans {
    /// Unfinished debates.
    pub unfinished: Vec<DebateId>,
    /// Ids of finished debates that belong to an earlier version of these jobs.
    pub finished: Vec<DebateId>,
}

/// A search for orphans in an output directory, to which the debates of all jobs are reported one by one.
pub struct Search {
    output: OutputDir,
    running: BTreeSet<DebateId>,
    finished: FinishedDebates,
    /// The jobs' debates that the directory contains. Others need not be remembered.
    planned: BTreeSet<DebateId>,
    jobs: BTreeSet<String>,
    rehearsal: bool,
}

impl Search {
    /// Reads the contents of the output directory.
    pub fn new(output: &OutputDir) -> Result<Self> {
        Ok(Self {
            output: output.clone(),
            running: output.begun()?.into_iter().collect(),
            finished: FinishedDebates::list(output)?,
            planned: BTreeSet::new(),
            jobs: BTreeSet::new(),
            rehearsal: false,
        })
    }

    /// Reports a debate that the jobs contain.
    pub fn planned(&mut self, plan: &Plan) {
        self.rehearsal = plan.rehearsal;
        if !self.jobs.contains(&plan.job) {
            self.jobs.insert(plan.job.clone());
        }
        if self.running.contains(&plan.id) || self.finished.may_have(plan.id.short()) {
            self.planned.insert(plan.id.clone());
        }
    }

    /// Debates of these jobs in the directory that the jobs do not contain.
    pub fn orphans(&self) -> Orphans {
        let is_planned = |id: &DebateId| self.planned.contains(id);
        let begun = self.running.iter().filter(|id| !is_planned(id));
        let planned: HashSet<&str> = self.planned.iter().map(DebateId::short).collect();
        let is_planned_digits = |digits: &str| planned.contains(digits);
        let jobs = self.jobs.iter();
        let finished = jobs
            .flat_map(|job| self.finished.of_job(job, is_planned_digits))
            .filter(|found| found.rehearsal == self.rehearsal);
        // In their order, so that the same ones are named each time.
        let ids: BTreeSet<DebateId> =
            finished.map(|found| found.id).filter(|id| !is_planned(id)).collect();
        Orphans {
            unfinished: begun.filter(|id| self.is_of_these(id)).cloned().collect(),
            finished: Vec::from_iter(ids),
        }
    }

    /// Whether an unfinished debate is one of these jobs'.
    fn is_of_these(&self, id: &DebateId) -> bool {
        let header = journal::header_of(&self.output.running_journal(id));
        let snapshot = header.and_then(|header| snapshot::read(&self.output, &header).ok());
        snapshot.is_some_and(|snapshot| {
            let plan = &snapshot["plan"];
            let is_known = plan["job"].as_str().is_some_and(|job| self.jobs.contains(job));
            is_known && plan["rehearsal"] == self.rehearsal
        })
    }
}
