//! What `run` and `check` share: finding, reading and choosing debates.

use std::collections::BTreeSet;
use std::path::PathBuf;

use clap::Args;

use super::failure::{Failure, from_error};
use super::pick::Bar;
use super::print;
use crate::id::DebateId;
use crate::job::problem::Problem;
use crate::job::{Draft, Job, Overrides, discover};
use crate::model::contexts::Contexts;
use crate::plan::{self, Plan};
use crate::templates::Templates;
use crate::text;

/// Which debates are meant.
#[derive(Debug, Args)]
pub(super) struct JobArgs {
    /// Job files, and directories to search for them
    #[arg(required = true, value_name = "PATH")]
    pub(super) paths: Vec<PathBuf>,
    /// Play every part with the built-in participant: no server, no model, same artifacts
    #[arg(long)]
    pub(super) rehearse: bool,
    /// Only debates whose id begins with TEXT, whose job is called TEXT, or whose cell has TEXT (`x.model=llama3`); may be given several times
    #[arg(long, value_name = "TEXT")]
    pub(super) only: Vec<String>,
    /// Only the first N of them, finished ones counted
    #[arg(long, value_name = "N")]
    pub(super) limit: Option<usize>,
    /// Set a key in every job, such as `rounds=2` or `y.0.persona=pro-life` (it changes the debates' ids)
    #[arg(long, value_name = "PATH=VALUE", value_parser = assignment)]
    pub(super) set: Vec<(String, String)>,
    /// Replace every job's seed (it changes the debates' ids)
    #[arg(long, value_name = "N")]
    pub(super) seed: Option<u64>,
    /// A directory whose files take the place of built-in templates of the same name, and may add personas and reasoning templates
    #[arg(long, value_name = "DIR")]
    pub(super) templates: Option<PathBuf>,
}

fn assignment(text: &str) -> Result<(String, String), String> {
    let split = text
        .split_once('=')
        .filter(|(path, _)| !path.trim().is_empty());
    split
        .map(|(path, value)| (path.trim().to_owned(), value.to_owned()))
        .ok_or_else(|| "write PATH=VALUE, such as rounds=2".to_owned())
}

/// The jobs that were named, read and validated.
pub(super) struct Jobs {
    pub(super) templates: Templates,
    pub(super) jobs: Vec<Job>,
    /// What the chosen debates come to.
    pub(super) survey: Survey,
    choice: Choice,
}

/// Which debates of the jobs are meant.
struct Choice {
    rehearse: bool,
    only: Vec<String>,
    limit: usize,
}

/// What the chosen debates come to, gathered while they are planned for the first time: there may be a million.
#[derive(Debug, Default)]
pub(super) struct Survey {
    /// How many they are.
    pub(super) debates: usize,
    /// The first of them.
    pub(super) first: Option<DebateId>,
    /// The context each model is loaded with.
    pub(super) contexts: Contexts,
    /// The models that somebody speaks through; others only stand in for them.
    pub(super) first_choice: BTreeSet<String>,
    /// The models whose embeddings are compared. Debates go on without them.
    pub(super) embedding: BTreeSet<String>,
}

impl Survey {
    fn take(&mut self, plan: &Plan) {
        self.debates += 1;
        self.first.get_or_insert_with(|| plan.id.clone());
        self.contexts.want(plan.contexts());
        let first_choice = plan.participants.iter().map(|p| p.model.as_str());
        first_choice.for_each(|model| insert(&mut self.first_choice, model));
        let embedding = plan.embedding_model().into_iter();
        embedding.for_each(|model| insert(&mut self.embedding, model));
    }
}

fn insert(models: &mut BTreeSet<String>, model: &str) {
    if !models.contains(model) {
        models.insert(model.to_owned());
    }
}

impl JobArgs {
    /// Reads all jobs, or reports every problem in all of them. Each debate of theirs is planned once, chosen or not, and
    /// told to `planned`.
    pub(super) fn load(&self, mut planned: impl FnMut(&Plan)) -> Result<Jobs, Failure> {
        let templates = Templates::load(self.templates.as_deref()).map_err(from_error)?;
        let (drafts, mut problems) = self.drafts(&templates)?;
        let (choice, mut survey) = (self.choice(), Survey::default());
        let mut take = |plan: &Plan| {
            planned(plan);
            if survey.debates < choice.limit && choice.is_chosen(plan) {
                survey.take(plan);
            }
        };
        let mut jobs = Vec::new();
        for draft in drafts {
            match expand(draft, &templates, choice.rehearse, &mut take) {
                Ok(job) => jobs.push(job),
                Err(found) => problems.extend(found),
            }
        }
        if !problems.is_empty() {
            return Err(Failure::problems(&problems));
        }
        Ok(Jobs {
            templates,
            jobs,
            survey,
            choice,
        })
    }

    /// The jobs before their debates are planned, of which there may not be too many, and the problems of those that cannot be
    /// read.
    fn drafts(&self, templates: &Templates) -> Result<(Vec<Draft>, Vec<Problem>), Failure> {
        let files = discover::job_files(&self.paths)
            .map_err(|e| Failure::input(e, "`rebut new FORMAT FILE` writes a job to start from"))?;
        let overrides = self.overrides();
        let (mut drafts, mut problems) = (Vec::new(), Vec::new());
        for file in files {
            match Draft::open(&file, &overrides, templates) {
                Ok(draft) => drafts.push(draft),
                Err(found) => problems.extend(found),
            }
        }
        let debates = drafts.iter().map(Draft::debates);
        plan::check_count(debates.fold(0, usize::saturating_add))
            .map_err(|e| Failure::input(e, FEWER))?;
        Ok((drafts, problems))
    }

    fn choice(&self) -> Choice {
        Choice {
            rehearse: self.rehearse,
            only: self.only.clone(),
            limit: self.limit.unwrap_or(usize::MAX),
        }
    }

    /// What flags set in every job.
    pub(super) fn overrides(&self) -> Overrides {
        Overrides {
            set: self.set.clone(),
            seed: self.seed,
        }
    }
}

/// What to do about more debates than one command plans.
pub(super) const FEWER: &str = "lower `repeat`, leave out cells with `exclude`, or spread the matrix over several job files and run them one after another";

/// From how many debates on it is told that a job is being planned: that takes a second and more.
const LONG: usize = 10_000;

/// Plans all debates of a job; how far that is can be seen where there are many.
fn expand(
    draft: Draft,
    templates: &Templates,
    rehearse: bool,
    take: &mut impl FnMut(&Plan),
) -> Result<Job, Vec<Problem>> {
    let debates = draft.debates();
    if debates < LONG {
        return plan::expand(draft, templates, rehearse, take);
    }
    print::err(&text::one_line(&format!(
        "planning {} debates of {}",
        text::grouped(debates),
        draft.path().display()
    )));
    let bar = Bar::new("debates");
    let mut done = 0;
    plan::expand(draft, templates, rehearse, |plan| {
        take(plan);
        done += 1;
        bar.at(done, debates);
    })
}

impl Jobs {
    /// The debates that were chosen, in order.
    pub(super) fn chosen(&self) -> impl Iterator<Item = Plan> + '_ {
        let plans = |job| plan::debates(job, &self.templates, self.choice.rehearse);
        self.jobs
            .iter()
            .flat_map(plans)
            .filter(|plan| self.choice.is_chosen(plan))
            .take(self.choice.limit)
    }

    /// Reads a job that was added, and plans those of its debates that the flags but `--limit` choose: the first `most`.
    pub(super) fn added(
        &self,
        draft: Draft,
        most: usize,
    ) -> Result<(Job, Vec<Plan>), Vec<Problem>> {
        let mut plans = Vec::new();
        let job = plan::expand(draft, &self.templates, self.choice.rehearse, |plan| {
            if plans.len() < most && self.choice.is_chosen(plan) {
                plans.push(plan.clone());
            }
        })?;
        Ok((job, plans))
    }
}

impl Choice {
    fn is_chosen(&self, plan: &Plan) -> bool {
        let has = |text: &String| {
            let in_cell = plan.cell.iter().any(|(path, value)| {
                let value = value
                    .as_str()
                    .map_or_else(|| value.to_string(), str::to_owned);
                format!("{path}={value}") == *text
            });
            in_cell || plan.job == *text || (text.len() >= 4 && plan.id.starts_with(text.as_str()))
        };
        self.only.is_empty() || self.only.iter().any(has)
    }
}
