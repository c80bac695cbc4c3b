//! The cost of debates in this output directory, by setup: the expected cost of similar ones.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};
use serde::Deserialize;

use crate::event::Status;
use crate::facts::Facts;
use crate::facts::file::Cache;
use crate::files;
use crate::id::DebateId;
use crate::plan::{Plan, Setup};
use crate::store::finished::{FinishedDebate, FinishedDebates};

/// How many of a job's debates are looked at, the newest first: the newest know best, and each costs reading two files.
const MOST_LOOKED_AT: usize = 200;
/// How many debates of one setup are enough.
const ENOUGH: usize = 20;
/// The first event of a debate, which holds its plan, has at most this many bytes.
const MOST_BYTES: u64 = 8 << 20;

/// What one debate took.
#[derive(Debug)]
pub(crate) struct Past {
    /// Its numbers.
    pub(crate) facts: Facts,
    /// Its id.
    pub(crate) id: DebateId,
    /// Its directory.
    pub(crate) dir: PathBuf,
}

/// What the finished debates of an output directory took.
pub(crate) struct History {
    cache: Cache,
    jobs: HashMap<String, HashMap<Setup, Vec<Past>>>,
}

/// The beginning of an event's line, as far as it is looked at.
#[derive(Deserialize)]
struct FirstEvent {
    content: Start,
}

#[derive(Deserialize)]
struct Start {
    plan: Plan,
}

impl History {
    /// A history that is looked at from `now` on.
    pub(crate) fn new(now: DateTime<Utc>) -> Self {
        Self {
            cache: Cache::new(now),
            jobs: HashMap::new(),
        }
    }

    /// What those of the finished debates took that are of this plan's job and setup, rehearsed or not as it is; the newest
    /// first.
    pub(crate) fn of(&mut self, plan: &Plan, setup: &Setup, finished: &FinishedDebates) -> &[Past] {
        if !self.jobs.contains_key(&plan.job) {
            let read = self.read(&plan.job, plan.rehearsal, finished);
            self.jobs.insert(plan.job.clone(), read);
        }
        let job = self.jobs.get(&plan.job);
        job.and_then(|job| job.get(setup))
            .map_or(&[], Vec::as_slice)
    }

    fn read(
        &self,
        job: &str,
        rehearsal: bool,
        finished: &FinishedDebates,
    ) -> HashMap<Setup, Vec<Past>> {
        let mut all: HashMap<Setup, Vec<Past>> = HashMap::new();
        let newest = finished.newest_of_job(job).take(MOST_LOOKED_AT);
        let whole = newest.filter(|it| it.rehearsal == rehearsal && it.status != Status::Failed);
        for debate in whole {
            let Some(setup) = setup_of(&debate.path) else {
                continue;
            };
            let alike = all.entry(setup).or_default();
            if alike.len() < ENOUGH
                && let Ok(facts) = self.cache.read(&debate.path.join("trace.json"), true)
            {
                let FinishedDebate { id, path: dir, .. } = debate;
                alike.push(Past { facts, id, dir });
            }
        }
        all
    }
}

/// The setup of a finished debate, by the plan in its first event.
fn setup_of(dir: &Path) -> Option<Setup> {
    let line = files::first_line(&dir.join("events.jsonl"), MOST_BYTES).ok()?;
    let event: FirstEvent = serde_json::from_slice(&line).ok()?;
    Some(event.content.plan.setup())
}
