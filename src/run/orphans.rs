//! Debates that an edited job no longer gives (row J9b): they are named and counted, and left alone.

use std::collections::BTreeSet;

use serde_json::Value;

use super::finished::Finished;
use super::output::Output;
use super::store;
use crate::files;
use crate::journal::{self, Entry};
use crate::plan::Plan;

/// What an edit left behind.
#[derive(Debug, Default)]
pub struct Orphans {
    /// Job and id of debates that have begun and are not finished.
    pub unfinished: Vec<(String, String)>,
    /// Ids of finished debates of these jobs that come from another version of them.
    pub finished: Vec<String>,
}

/// Compares what an output directory holds with all debates of the jobs.
pub fn find(
    output: &Output,
    plans: impl Iterator<Item = Plan>,
) -> Result<Orphans, store::StoreError> {
    let (running, finished) = (files::list(&output.running())?, Finished::of(output)?);
    if running.is_empty() && finished.is_empty() {
        return Ok(Orphans::default());
    }
    let (mut ids, mut jobs, mut rehearsal) = (BTreeSet::new(), BTreeSet::new(), false);
    for plan in plans {
        rehearsal = plan.rehearsal;
        jobs.insert(plan.job);
        ids.insert(plan.id);
    }
    let mut orphans = Orphans::default();
    for path in running {
        let id = path
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        if !ids.contains(&id)
            && let Some(plan) = plan_of(output, &path)
            && jobs.contains(&plan.job)
            && plan.rehearsal == rehearsal
        {
            orphans.unfinished.push((plan.job, id));
        }
    }
    for found in jobs.iter().flat_map(|job| finished.of_job(job)) {
        let id = found
            .front
            .get("id")
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned();
        if found.front.get("rehearsal") == Some(&rehearsal.into())
            && id.len() == 64
            && !ids.contains(&id)
        {
            orphans.finished.push(id);
        }
    }
    Ok(orphans)
}

fn plan_of(output: &Output, path: &std::path::Path) -> Option<Plan> {
    let contents = journal::load(path).ok()?;
    let Some(Entry::Debate(header)) = contents.entries.first() else {
        return None;
    };
    let named = path
        .file_stem()
        .is_some_and(|stem| stem.to_string_lossy() == header.id);
    if named {
        Some(store::inputs(output, &header.inputs).ok()?.plan)
    } else {
        None
    }
}
