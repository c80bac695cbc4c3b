//! What `rebut status` tells, as data: runs, what is left, and the last batch.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use crate::artifacts::batch::BatchSummary;
use crate::artifacts::listing::{self, Side};
use crate::cli::args::output_directory;
use crate::cli::process::failure::Failure;
use crate::id::DebateId;
use crate::job::participant::Participant;
use crate::journal;
use crate::plan::{DebateLabels, Plan};
use crate::store::batches;
use crate::store::finished::FinishedDebates;
use crate::store::layout::OutputDir;
use crate::store::next_command;
use crate::store::running_batches::RunningBatch;
use crate::store::snapshot;
use crate::store::state::RunState;
use crate::text;

/// The version of the format of `--json`: readers refuse another major version and accept any minor.
const SCHEMA_VERSION: &str = "2.0";
/// Characters of a topic with its settings.
const LABEL: usize = 60;
/// Names in a list.
pub(super) const NAMED: usize = 12;

/// The runs on an output directory, and the last one that ended.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::cli) struct StatusReport {
    /// The version of this format, MAJOR.MINOR.
    pub(super) schema_version: String,
    /// The output directory, as given.
    pub(super) output: String,
    /// Running batches.
    pub(super) running: Vec<Running>,
    /// Debates that have not ended: those begun, in progress or not, and those that batches left before they began.
    pub(super) unfinished: usize,
    /// The first twelve of those begun.
    pub(super) begun: Vec<Begun>,
    /// The first twelve of those that never began.
    pub(super) never_begun: Vec<Begun>,
    /// The commands that continue those of them that a batch has left unfinished, as far as its summary names them.
    pub(super) continue_with: Vec<String>,
    /// All of them, each by the first twelve digits of its id.
    #[serde(skip)]
    pub(super) ids: Vec<String>,
    /// Debates begun that no known command continues, by the first digits of their ids.
    #[serde(skip)]
    pub(super) orphaned: Vec<String>,
    /// The batches that left debates unfinished, and say how to go on with them, the last first.
    #[serde(skip)]
    pub(super) left_by: Vec<BatchSummary>,
    /// The last known progress of the newest batch that was killed or lost to a power cut; `null` if there is none, or if a later
    /// batch or `rebut clean` has summed it up.
    pub(super) cut_off: Option<RunState>,
    /// The last batch that ended; `null` if none left a summary.
    pub(super) last: Option<LastBatch>,
    /// Batches that ended while the last one ran.
    pub(super) beside: Vec<BatchSummary>,
    /// Why the last batch's summary can't be used, if it can't.
    pub(super) problem: Option<String>,
}

/// A running batch.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Running {
    /// The process that runs it.
    pub(super) holder: String,
    /// Its progress; `null` if there is none yet or it is unusable.
    pub(super) state: Option<RunState>,
    /// Why its progress can't be used, if it can't.
    pub(super) problem: Option<String>,
}

/// An unfinished debate.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Begun {
    /// The first twelve digits of its id.
    pub(super) id: String,
    /// The name of its job; `null` if its journal is unusable.
    pub(super) job: Option<String>,
    /// What tells it from the others listed here, in a few words.
    pub(super) label: String,
}

/// A finished batch.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct LastBatch {
    /// Its summary, for people to read.
    pub(super) page: String,
    /// Its summary, as data.
    pub(super) summary: BatchSummary,
}

/// All that is known of an output directory, which was named so.
pub(super) fn look(output: &OutputDir, named: &Path) -> Result<StatusReport, Failure> {
    let running = RunningBatch::seen(output)?;
    let (last, problem) = usable(batches::last(output));
    let begun = output.begun()?;
    let (all, finished) = (batches::all(output), FinishedDebates::list(output)?);
    let never_begun = batches::never_begun(output, &all, |id| finished.may_have(id));
    let left = |id: &DebateId| batches::left_by(&all, id);
    let left_by = never_begun.values().copied().chain(begun.iter().filter_map(left));
    let mut left_by: Vec<&BatchSummary> = left_by.collect();
    left_by.sort_by_key(|batch| (Reverse(batch.number), &batch.next));
    left_by.dedup_by_key(|batch| (batch.number, &batch.next));
    let here = |batch: &BatchSummary| next_command::of_batch(output, batch.clone());
    let left_by: Vec<BatchSummary> = left_by.into_iter().map(here).collect();
    let commands: BTreeSet<&str> = left_by.iter().filter_map(|it| it.continues()).collect();
    let ids = begun.iter().map(|id| id.short()).chain(never_begun.keys().copied());
    let beside = last.as_ref().map(|(_, last)| batches::beside(output, last));
    let cut_off = RunningBatch::all_cut_off(output)?.pop().map(|run| run.state);
    Ok(StatusReport {
        schema_version: SCHEMA_VERSION.to_owned(),
        output: named.display().to_string(),
        running: running.iter().map(seen).collect(),
        unfinished: begun.len() + never_begun.len(),
        continue_with: commands.into_iter().map(str::to_owned).collect(),
        ids: ids.map(str::to_owned).collect(),
        orphaned: begun
            .iter()
            .filter(|id| left(id).is_none())
            .map(|id| id.short().to_owned())
            .collect(),
        begun: first(output, &begun),
        never_begun: planned(&never_begun),
        left_by,
        cut_off: cut_off.map(|state| next_command::of_run(output, state)),
        beside: beside.unwrap_or_default().iter().map(here).collect(),
        last: last.map(|(page, summary)| LastBatch {
            page: page.display().to_string(),
            summary: here(&summary),
        }),
        problem,
    })
}

/// Unfinished debates by name, as many as are listed.
fn first(output: &OutputDir, begun: &[DebateId]) -> Vec<Begun> {
    let plan = |id| {
        let header = journal::header_of(&output.running_journal(id))?;
        snapshot::plan(output, &header).ok()
    };
    let plans: Vec<Option<Plan>> = begun.iter().take(NAMED).map(plan).collect();
    let mut labels = DebateLabels::default();
    plans.iter().flatten().for_each(|it| labels.take(&it.job, &it.cell, it.repetition));
    let named = begun.iter().zip(&plans).map(|(id, plan)| Begun {
        id: id.short().to_owned(),
        job: output_directory::job_of_begun(output, id),
        label: plan.as_ref().map(|plan| in_words(plan, &labels)).unwrap_or_default(),
    });
    named.collect()
}

/// What tells a debate from the others, as lists of debates have it: its topic, unless all have the same, who argues against whom,
/// and its settings.
fn in_words(plan: &Plan, labels: &DebateLabels) -> String {
    let argue = plan.participants.iter().filter(|it| plan.format.profile.argues(it));
    let side = |it: &Participant| json!({"id": it.id, "side": it.id, "name": plan.name_of(&it.id), "models": [it.model]});
    let sides: Value = argue.map(side).collect();
    let pairing = listing::pairing(&Side::all(&sides), Some(&plan.cell)).unwrap_or_default();
    let subject = labels.subject(&plan.job, plan.heading(), LABEL);
    let subject = Some(subject).filter(|_| !labels.have_one_subject());
    let words = labels.words(&plan.job, &plan.cell, plan.repetition, &pairing);
    text::separated(subject.into_iter().chain(text::if_any(words)), ", ")
}

/// Debates that never began, as many as are listed.
fn planned(all: &BTreeMap<&str, &BatchSummary>) -> Vec<Begun> {
    let named = all.iter().take(NAMED).map(|(id, batch)| Begun {
        id: (*id).to_owned(),
        job: batch.job_of(id).map(str::to_owned),
        label: mark_in(batch, id),
    });
    named.collect()
}

/// The topic and the settings of a debate, if the causes of this batch name it.
fn mark_in(batch: &BatchSummary, id: &str) -> String {
    let mut all = batch.causes.iter().flat_map(|cause| &cause.first);
    let link = all.find(|link| link.id == id);
    let mark = link.map(|it| format!("{} {}", text::shorten(&it.topic, LABEL), it.label));
    mark.unwrap_or_default().trim_end().to_owned()
}

fn seen(run: &RunningBatch) -> Running {
    let (state, problem) = usable(run.state().transpose());
    Running { holder: run.holder.clone(), state, problem }
}

/// The value, or why it can't be used.
fn usable<T, E: Display>(found: Result<Option<T>, E>) -> (Option<T>, Option<String>) {
    match found {
        Ok(found) => (found, None),
        Err(why) => (None, Some(why.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::{Draft, Overrides};
    use crate::plan::cells;
    use crate::templates::Templates;

    #[test]
    fn b3_an_unfinished_debate_is_named_by_who_argues_against_whom() {
        let templates = Templates::load(None).unwrap();
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("jobs/tournament.yaml");
        let draft = Draft::open(&file, &Overrides::default(), &templates).unwrap();
        let job = draft.read(&templates, |_, _| {}).unwrap();
        let plans: Vec<Plan> = cells::debates(&job, &templates, true).take(2).collect();
        let mut labels = DebateLabels::default();
        plans.iter().for_each(|it| labels.take(&it.job, &it.cell, it.repetition));
        let told = in_words(&plans[0], &labels);
        assert!(told.contains(" against ") && !told.contains('='), "{told}");
    }
}
