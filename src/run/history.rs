//! The cost of debates in this output directory, by setup: what similar ones are expected to cost.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};
use serde::Deserialize;

use crate::event::Status;
use crate::facts::Facts;
use crate::facts::cache::Cache;
use crate::files;
use crate::id::DebateId;
use crate::plan::{Plan, Setup};
use crate::store::finished::{FinishedDebate, FinishedDebates};
use crate::store::layout::OutputDir;
use crate::store::panel_judging;
use crate::store::render::root_of;

/// Maximum debates of a job to look at, the newest first. The newest are the best guide, and each costs reading two files.
const MOST_LOOKED_AT: usize = 200;
/// Maximum debates per setup.
const ENOUGH: usize = 20;
/// Maximum bytes of a debate's first event, which contains its plan.
const MOST_BYTES: u64 = 8 << 20;

/// The cost of one debate.
#[derive(Debug)]
pub(crate) struct Past {
    /// Its numbers.
    pub(crate) facts: Box<Facts>,
    /// Its id.
    pub(crate) id: DebateId,
    /// Its directory.
    pub(crate) dir: PathBuf,
    /// The tokens that its job's panel took to read it, as far as they are known.
    pub(crate) panel_tokens: u64,
}

/// The cost of the finished debates in an output directory.
pub(crate) struct History {
    cache: Cache,
    jobs: HashMap<String, HashMap<Setup, Vec<Past>>>,
}

/// The part of an event that is read.
#[derive(Deserialize)]
struct FirstEvent {
    content: Start,
}

#[derive(Deserialize)]
struct Start {
    plan: Plan,
}

impl History {
    /// A history read from `now` on.
    pub(crate) fn new(now: DateTime<Utc>) -> Self {
        Self { cache: Cache::new(now), jobs: HashMap::new() }
    }

    /// The cost of the finished debates with this plan's job and setup, rehearsals if it is one itself and no rehearsals
    /// otherwise; the newest first.
    pub(crate) fn of(&mut self, plan: &Plan, setup: &Setup, finished: &FinishedDebates) -> &[Past] {
        if !self.jobs.contains_key(&plan.job) {
            let read = self.read(plan, finished);
            self.jobs.insert(plan.job.clone(), read);
        }
        let job = self.jobs.get(&plan.job);
        job.and_then(|job| job.get(setup)).map_or(&[], Vec::as_slice)
    }

    fn read(&self, plan: &Plan, finished: &FinishedDebates) -> HashMap<Setup, Vec<Past>> {
        let mut all: HashMap<Setup, Vec<Past>> = HashMap::new();
        let newest = finished.newest_of_job(&plan.job).take(MOST_LOOKED_AT);
        let whole =
            newest.filter(|it| it.rehearsal == plan.rehearsal && it.status != Status::Failed);
        for debate in whole {
            let Some(setup) = setup_of(&debate.path) else { continue };
            let alike = all.entry(setup).or_default();
            if alike.len() < ENOUGH
                && let Ok(facts) = self.cache.read(&debate.path.join("trace.json"), true)
            {
                let FinishedDebate { id, path: dir, .. } = debate;
                let panel_tokens = panel_tokens(plan, &dir, &id);
                alike.push(Past { facts, id, dir, panel_tokens });
            }
        }
        all
    }
}

/// The tokens that this plan's panel, if it has one, took to read a finished debate.
fn panel_tokens(plan: &Plan, dir: &Path, id: &DebateId) -> u64 {
    let read = plan.panel.as_ref().zip(root_of(dir)).map(|(panel, root)| {
        panel_judging::tokens(&OutputDir::at(&root), id, &panel.settings.name)
    });
    read.unwrap_or_default()
}

/// The setup of a finished debate, from the plan in its first event.
fn setup_of(dir: &Path) -> Option<Setup> {
    let line = files::first_line(&dir.join("events.jsonl"), MOST_BYTES).ok()?;
    let event: FirstEvent = serde_json::from_slice(&line).ok()?;
    Some(event.content.plan.setup())
}
