//! What `run` and `check` share: finding, reading and choosing debates.

use std::path::PathBuf;

use clap::Args;

use super::failure::{Failure, from_error};
use super::{output, print, shell};
use crate::job::model_name::same_model;
use crate::job::problem::Problem;
use crate::job::{Change, Job, Overrides, OwnModels, discover};
use crate::model::contexts::Contexts;
use crate::plan::{self, Apart, Plan};
use crate::templates::Templates;
use crate::text;

/// Which debates are meant.
#[derive(Debug, Default, Args)]
pub(super) struct JobArgs {
    /// Job files, and directories to search for them
    #[arg(required = true, value_name = "PATH")]
    pub(super) paths: Vec<PathBuf>,
    /// Only debates whose id begins with TEXT (or that stand in the directory TEXT), whose job is called TEXT, or whose cell has TEXT (`x.model=llama3`); may be given several times
    #[arg(long, value_name = "TEXT")]
    pub(super) only: Vec<String>,
    /// Only the first N of them, finished ones counted
    #[arg(long, value_name = "N")]
    pub(super) limit: Option<usize>,
    #[command(flatten)]
    pub(super) options: JobOptions,
}

/// What is changed in every job.
#[derive(Debug, Clone, Default, Args)]
pub(super) struct JobOptions {
    /// Play every part with the built-in participant: no server, no model, same artifacts
    #[arg(long)]
    pub(super) rehearse: bool,
    /// Model of every participant for whom the job names none (it changes the debates' ids)
    #[arg(long, short, value_name = "NAME")]
    model: Option<String>,
    /// Model of every participant, whatever the job names, and no fallbacks (it changes the debates' ids)
    #[arg(long, value_name = "NAME", conflicts_with = "model")]
    all_models: Option<String>,
    /// Set a key in every job, such as `rounds=2` or `y.0.persona=pro-life` (it changes the debates' ids)
    #[arg(long, value_name = "PATH=VALUE", value_parser = assignment)]
    set: Vec<Change>,
    /// Replace every job's seed (it changes the debates' ids)
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// A directory whose files take the place of built-in templates of the same name, and may add personas and reasoning templates
    #[arg(long, value_name = "DIR")]
    templates: Option<PathBuf>,
}

fn assignment(text: &str) -> Result<Change, String> {
    let split = text
        .split_once('=')
        .filter(|(path, _)| !path.trim().is_empty());
    split
        .map(|(path, value)| Change::set(path.trim(), value))
        .ok_or_else(|| "write PATH=VALUE, such as rounds=2".to_owned())
}

impl JobOptions {
    /// What flags set in every job; what one says of a participant goes before what another says of all.
    pub(super) fn overrides(&self) -> Overrides {
        let model = self.model.iter().map(|name| Change::model(name));
        let seed = self.seed.map(Change::seed);
        Overrides {
            changes: model.chain(self.set.iter().cloned()).chain(seed).collect(),
            all_models: self.all_models.clone(),
        }
    }

    pub(super) fn load_templates(&self) -> Result<Templates, Failure> {
        Templates::load(self.templates.as_deref()).map_err(from_error)
    }

    /// Which models of a job `--model` leaves alone, and how to change them, if there are any.
    pub(super) fn left_alone(&self, job: &Job) -> Option<String> {
        let model = self.model.as_deref()?;
        let OwnModels { named, varied } = job.own_models();
        let all: Vec<&str> = named.iter().chain(&varied).map(String::as_str).collect();
        let set = |path: &String| format!(" --set {}", shell::quoted(&format!("{path}={model}")));
        let remedy = match named.as_slice() {
            [] => String::new(),
            named => format!(
                "; to change that:{}",
                named.iter().map(set).collect::<String>()
            ),
        };
        let varied = match &all[named.len()..] {
            [] => String::new(),
            varied => format!("; the matrix sets {}", text::joined(varied, "and")),
        };
        let (left, file) = (text::joined(&all, "and"), job.path.display());
        let note = format!("note: --model {model} leaves {left} of {file} alone{remedy}{varied}");
        (!all.is_empty()).then(|| text::one_line(&note))
    }
}

/// The jobs that were named, read and validated.
pub(super) struct Jobs {
    pub(super) templates: Templates,
    pub(super) jobs: Vec<Job>,
    /// How the models of this run are loaded.
    contexts: Contexts,
    /// Where they were found, and may be added to.
    pub(super) paths: Vec<PathBuf>,
    pub(super) options: JobOptions,
    only: Vec<String>,
    pub(super) limit: usize,
}

impl JobArgs {
    /// Reads all jobs, or reports every problem in all of them.
    pub(super) fn load(&self) -> Result<Jobs, Failure> {
        let templates = self.options.load_templates()?;
        let files = discover::job_files(&self.paths)
            .map_err(|e| Failure::input(e, "`rebut new FORMAT FILE` writes a job to start from"))?;
        let overrides = self.options.overrides();
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
        let notes = jobs.iter().filter_map(|job| self.options.left_alone(job));
        notes.for_each(|note| print::err(&note));
        Ok(Jobs {
            templates,
            jobs,
            contexts,
            paths: self.paths.clone(),
            options: self.options.clone(),
            only: self.only.iter().map(|text| named(text)).collect(),
            limit: self.limit.unwrap_or(usize::MAX),
        })
    }
}

/// What `--only` looks for: of a debate's directory, the id in its name.
fn named(text: &str) -> String {
    output::id_in(text).unwrap_or(text).to_owned()
}

impl Jobs {
    /// One job that stands in no file.
    pub(super) fn of_one(job: Job, options: JobOptions) -> Result<Self, Failure> {
        Ok(Self {
            templates: options.load_templates()?,
            jobs: vec![job],
            contexts: Contexts::default(),
            paths: Vec::new(),
            options,
            only: Vec::new(),
            limit: usize::MAX,
        })
    }

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
            .flat_map(|job| plan::debates(job, &self.templates, self.options.rehearse))
    }

    /// The debates of a job that the flags but `--limit` choose, in order.
    pub(super) fn chosen_of<'a>(&'a self, job: &'a Job) -> impl Iterator<Item = Plan> + 'a {
        plan::debates(job, &self.templates, self.options.rehearse)
            .filter(|plan| self.is_chosen(plan))
    }

    /// The debates that were chosen, in order.
    pub(super) fn chosen(&self) -> impl Iterator<Item = Plan> + '_ {
        self.all()
            .filter(|plan| self.is_chosen(plan))
            .take(self.limit)
    }

    /// What tells the debates that were chosen apart.
    pub(super) fn apart(&self) -> Apart {
        let mut apart = Apart::default();
        self.chosen()
            .for_each(|plan| apart.take(&plan.job, &plan.cell));
        apart
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
