//! What `run` and `check` share: finding, reading and choosing debates.

use std::path::PathBuf;

use clap::Args;

use super::failure::{Failure, from_error};
use crate::job::model_name::same_model;
use crate::job::problem::Problem;
use crate::job::{Job, Overrides, discover};
use crate::model::contexts::Contexts;
use crate::plan::{self, Plan};
use crate::templates::Templates;

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
    /// How the models of this run are loaded.
    contexts: Contexts,
    rehearse: bool,
    only: Vec<String>,
    limit: usize,
}

impl JobArgs {
    /// Reads all jobs, or reports every problem in all of them.
    pub(super) fn load(&self) -> Result<Jobs, Failure> {
        let templates = Templates::load(self.templates.as_deref()).map_err(from_error)?;
        let files = discover::job_files(&self.paths)
            .map_err(|e| Failure::input(e, "`rebut new FORMAT FILE` writes a job to start from"))?;
        let overrides = self.overrides();
        let contexts = Contexts::default();
        let mut jobs = Vec::new();
        let mut problems = Vec::new();
        for file in files {
            match Job::load(&file, &overrides, &templates) {
                Ok(job) => {
                    problems.extend(plan::check_distinct(&job, &templates));
                    problems.extend(contexts.load_as(&job).err().into_iter().flatten());
                    jobs.push(job);
                }
                Err(found) => problems.extend(found),
            }
        }
        if !problems.is_empty() {
            return Err(Failure::problems(&problems));
        }
        let limit = self.limit.unwrap_or(usize::MAX);
        Ok(Jobs {
            templates,
            jobs,
            contexts,
            rehearse: self.rehearse,
            only: self.only.clone(),
            limit,
        })
    }

    /// What flags set in every job.
    pub(super) fn overrides(&self) -> Overrides {
        Overrides {
            set: self.set.clone(),
            seed: self.seed,
        }
    }
}

impl Jobs {
    /// How each model of the chosen debates is loaded.
    pub(super) fn contexts(&self) -> Contexts {
        self.chosen()
            .for_each(|plan| self.contexts.want(plan.contexts()));
        self.contexts.clone()
    }

    /// Takes in how a job that was added wants models to be loaded.
    pub(super) fn load_as(&self, job: &Job) -> Result<(), Vec<Problem>> {
        self.contexts.load_as(job)
    }

    /// Every debate of the jobs, whatever was chosen.
    pub(super) fn all(&self) -> impl Iterator<Item = Plan> + '_ {
        self.jobs
            .iter()
            .flat_map(|job| plan::debates(job, &self.templates, self.rehearse))
    }

    /// The debates of a job that the flags but `--limit` choose, in order.
    pub(super) fn chosen_of<'a>(&'a self, job: &'a Job) -> impl Iterator<Item = Plan> + 'a {
        plan::debates(job, &self.templates, self.rehearse).filter(|plan| self.is_chosen(plan))
    }

    /// The debates that were chosen, in order.
    pub(super) fn chosen(&self) -> impl Iterator<Item = Plan> + '_ {
        self.all()
            .filter(|plan| self.is_chosen(plan))
            .take(self.limit)
    }

    fn is_chosen(&self, plan: &Plan) -> bool {
        let has = |text: &String| {
            let in_cell = plan.cell.iter().any(|(path, value)| {
                let value = value
                    .as_str()
                    .map_or_else(|| value.to_string(), str::to_owned);
                // Whichever of a model's names the job and the flag use.
                same_model(&format!("{path}={value}"), text)
            });
            in_cell || plan.job == *text || (text.len() >= 4 && plan.id.starts_with(text.as_str()))
        };
        self.only.is_empty() || self.only.iter().any(has)
    }
}
