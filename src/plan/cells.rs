//! The plans of a job's cells: one per repetition, each cell a different debate.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::{Control, Plan, VERSION, debate_labels};
use crate::digest;
use crate::id::DebateId;
use crate::job::problem::{self, Place, Problem};
use crate::job::script::Script;
use crate::job::{Draft, Job, NextCell, Settings};
use crate::templates::Templates;
use crate::text::{self, grouped};

/// The same cells with the same repetition have the same seed, whatever else differs: they pair.
fn seed_of(job_seed: u64, repetition: u32) -> u64 {
    match repetition {
        1 => job_seed,
        _ => digest::derive(job_seed, &format!("repetition {repetition}")) >> 11,
    }
}

/// The plans of one cell: they differ in repetition and in what follows from it.
struct CellPlans {
    plan: Plan,
    /// The seed of the first.
    seed: u64,
    /// What distinguishes the plan from any other, except its repetition.
    identity: Value,
    /// Those of the debates that it controls.
    controlled: Vec<CellPlans>,
}

impl CellPlans {
    fn new(job: &Job, settings: Settings, rehearsal: bool) -> Self {
        let control = settings.control.as_deref();
        let debates = control.map(|control| control.debates.clone());
        let controlled: Vec<Self> =
            debates.into_iter().flatten().map(|debate| Self::new(job, debate, rehearsal)).collect();
        let general = settings.general;
        let is_for = |script: &&Script| rehearsal && script.is_for(&settings.topic);
        let script = job.script.as_ref().filter(is_for);
        let plan = Plan {
            version: VERSION,
            // What it is follows from the others.
            id: DebateId::from_identity(&Value::Null),
            job: job.name.clone(),
            file: job.path.clone(),
            topic: settings.topic,
            query: settings.query,
            background: general.background,
            rules: general.rules,
            language: general.language,
            participants: settings.participants,
            format: settings.format,
            on_failure: general.on_failure,
            seed: general.seed,
            repetition: 1,
            rehearsal,
            script: script.cloned(),
            posed: settings.question,
            control: control.map(Control::new),
            cell: settings.cell,
            tags: general.tags,
            output: general.output,
            priority: general.priority,
            panel: general.panel.map(Arc::new),
        };
        Self { identity: plan.identity(), seed: plan.seed, plan, controlled }
    }

    /// Goes on to the next cell; returns where it is in the job file.
    fn next(before: Option<Self>, job: &Job, next: NextCell, rehearsal: bool) -> (Self, Place) {
        match (next, before) {
            (NextCell::Reseeded { seed, cell, place }, Some(before)) => {
                (before.reseeded(seed, cell), place)
            }
            (NextCell::Read(settings), _) => {
                let place = settings.place.clone();
                (Self::new(job, *settings, rehearsal), place)
            }
            (NextCell::Reseeded { .. }, None) => unreachable!("the first cell is read"),
        }
    }

    /// Those of a cell with another seed and nothing else.
    fn reseeded(mut self, seed: u64, cell: Map<String, Value>) -> Self {
        self.seed = seed;
        self.plan.cell = cell;
        let identity = self.identity.as_object_mut();
        identity.and_then(|identity| identity.remove("repetition"));
        self
    }

    /// The plan of one repetition, from 1.
    fn run(&mut self, repetition: u32) -> &Plan {
        let debates: Vec<DebateId> =
            self.controlled.iter_mut().map(|debate| debate.run(repetition).id.clone()).collect();
        let plan = &mut self.plan;
        if let Some(control) = &mut plan.control {
            control.debates = debates;
            self.identity["control"] = control.identity();
        }
        plan.seed = seed_of(self.seed, repetition);
        plan.repetition = repetition;
        self.identity["seed"] = json!(plan.seed);
        if repetition > 1 {
            self.identity["repetition"] = json!(repetition);
        }
        plan.id = DebateId::from_identity(&self.identity);
        plan
    }
}

/// The debates of one job, in order: cell by cell, each repeated.
pub fn debates<'a>(
    job: &'a Job,
    templates: &'a Templates,
    rehearsal: bool,
) -> impl Iterator<Item = Plan> + 'a {
    let mut before = None;
    let runs = (0..job.cells()).flat_map(|cell| (1..=job.repeat).map(move |n| (cell, n)));
    runs.map(move |(cell, repetition)| {
        if repetition == 1 {
            let next = job.next_cell(cell, templates);
            before = Some(CellPlans::next(before.take(), job, next, rehearsal).0);
        }
        let plans = before.as_mut().expect("the first repetition is first");
        plans.run(repetition).clone()
    })
}

/// Says which topics of a job's script none of its debates is on, if any.
pub fn unfit_script(job: &Job, templates: &Templates) -> Option<String> {
    let topics = (0..job.cells()).map(|cell| job.settings(cell, templates).topic);
    job.script.as_ref()?.unfit(topics)
}

/// Maximum debates per command.
pub const MOST_DEBATES: usize = 1_000_000;

/// Too many debates for one command.
#[derive(Debug, thiserror::Error)]
#[error("{} debates are too many for one command: the limit is {}", grouped(*.0), grouped(MOST_DEBATES))]
pub struct TooManyDebates(usize);

/// Refuses more debates than one command plans.
pub fn check_count(debates: usize) -> Result<(), TooManyDebates> {
    if debates > MOST_DEBATES { Err(TooManyDebates(debates)) } else { Ok(()) }
}

/// Reads all of a job and passes on each of its debates, in order.
///
/// # Errors
/// Every problem of the file, or that cells of it are the same debate.
pub fn expand(
    draft: Draft,
    templates: &Templates,
    rehearsal: bool,
    mut each: impl FnMut(&Plan),
) -> Result<Job, Vec<Problem>> {
    let mut distinct = DistinctCells::default();
    let mut before = None;
    let job = draft.read(templates, |job, next| {
        let (runs, place) = CellPlans::next(before.take(), job, next, rehearsal);
        let runs = before.insert(runs);
        for repetition in 1..=job.repeat {
            let plan = runs.run(repetition);
            if repetition == 1 {
                distinct.take(job, templates, plan, &place);
            }
            each(plan);
        }
    })?;
    if distinct.same == 0 {
        Ok(job)
    } else {
        Err(problem::bounded(distinct.problems, distinct.same))
    }
}

/// Checks that no two cells of a job are the same debate.
#[derive(Default)]
struct DistinctCells {
    cells: HashMap<DebateId, usize>,
    /// How many cells repeat an earlier one, and the problems of the first of them.
    same: usize,
    problems: Vec<Problem>,
}

impl DistinctCells {
    /// Notes the next cell, by its first plan.
    fn take(&mut self, job: &Job, templates: &Templates, plan: &Plan, place: &Place) {
        let number = self.cells.len() + self.same + 1;
        let Some(first) = self.cells.get(&plan.id) else {
            self.cells.insert(plan.id.clone(), number);
            return;
        };
        self.same += 1;
        if self.same <= problem::MOST_REPORTED {
            let other = describe_cell(&job.settings(first - 1, templates).cell);
            let shown = describe_cell(&plan.cell);
            let problem = same(job, place.clone(), (*first, &other), (number, &shown));
            self.problems.push(problem);
        }
    }
}

fn same(job: &Job, place: Place, first: (usize, &str), second: (usize, &str)) -> Problem {
    let ((n, first), (m, second)) = (first, second);
    let model = job.all_models.as_ref();
    let with = model.map(|model| format!(" with --all-models {model}")).unwrap_or_default();
    let remedy = match model {
        Some(_) => "drop the flag: the matrix varies models",
        None => "exclude one of them, or use `repeat` to run a cell several times",
    };
    Problem {
        file: job.path.clone(),
        place,
        cause: format!(
            "cells {n} ({first}) and {m} ({second}) of the matrix are the same debate{with}"
        ),
        remedy: remedy.to_owned(),
        excerpt: None,
    }
}

/// A cell on one line: `x.model=llama3 seed=2`.
pub fn describe_cell(cell: &Map<String, Value>) -> String {
    let part = |(path, value): (&String, &Value)| {
        format!("{path}={}", text::shorten(&debate_labels::shown(value), 40))
    };
    text::shorten(&text::separated(cell.iter().map(part), " "), 120)
}
