//! What `run` and `check` share: finding, reading and choosing debates.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::{Value, json};

use super::debate_selection::Bar;
use super::doubtful_settings;
use super::output_directory;
use super::shard::Shard;
use super::survey::Survey;
use super::templates::TemplatesArg;
use super::values::{any_number, number};
use crate::cli::process::failure::Failure;
use crate::cli::shell;
use crate::cli::terminal::print;
use crate::digest;
use crate::id;
use crate::job::discover::{self, DiscoverError};
use crate::job::models::model_name::same_model;
use crate::job::problem::Problem;
use crate::job::{Change, Draft, Job, NextCell, Overrides, OwnModels};
use crate::plan::{Plan, cells};
use crate::store::layout::OutputDir;
use crate::store::orphans::{Orphans, Search};
use crate::templates::Templates;
use crate::text;

/// The selected debates.
#[derive(Debug, Clone, Default, Args)]
pub(in crate::cli) struct JobArgs {
    /// Job files, or directories to search for job files
    #[arg(required = true, value_name = "PATH")]
    pub(in crate::cli) paths: Vec<PathBuf>,
    /// Select debates by id (at least 4 digits), directory, job name or a value of the matrix (`x.model=llama3`); repeatable
    #[arg(long, help_heading = "Debates", value_name = "TEXT")]
    pub(in crate::cli) only: Vec<String>,
    /// Select only the first N debates, counting finished ones
    #[arg(long, help_heading = "Debates", value_name = "N", value_parser = number::<usize>(1..=u64::MAX), allow_negative_numbers = true)]
    pub(in crate::cli) limit: Option<usize>,
    /// Select part K of N of the debates, to split a batch between N machines; `rebut merge` combines the results
    #[arg(long, help_heading = "Debates", value_name = "K/N")]
    pub(in crate::cli) shard: Option<Shard>,
    #[command(flatten)]
    pub(in crate::cli) options: JobOptions,
}

/// Changes to every job.
#[derive(Debug, Clone, Default, Args)]
pub(in crate::cli) struct JobOptions {
    /// Rehearse: replace every model with a built-in stand-in (no server, same files)
    #[arg(long, help_heading = "Jobs")]
    pub(in crate::cli) rehearse: bool,
    /// File of replies for the rehearsal, each under the name of its call [default: JOB.script.txt next to the job file, if present]
    #[arg(long, help_heading = "Jobs", value_name = "FILE", requires = "rehearse")]
    script: Option<PathBuf>,
    /// Model for participants without a model in the job; earlier results are not reused
    #[arg(long, help_heading = "Jobs", short, value_name = "NAME")]
    model: Option<String>,
    /// Model for all participants, overriding the job and removing fallbacks; earlier results are not reused
    #[arg(long, help_heading = "Jobs", value_name = "NAME", conflicts_with = "model")]
    all_models: Option<String>,
    /// Set a key in every job, for example `rounds=2` or `y.0.persona=pro-life`; repeatable; earlier results are not reused
    #[arg(long, help_heading = "Jobs", value_name = "PATH=VALUE", value_parser = assignment)]
    set: Vec<Change>,
    /// Seed of every job; results with another seed are not reused
    #[arg(long, help_heading = "Jobs", value_name = "N", value_parser = seed, allow_negative_numbers = true)]
    seed: Option<u64>,
    #[command(flatten)]
    pub(in crate::cli) templates: TemplatesArg,
}

fn assignment(text: &str) -> Result<Change, String> {
    match text.split_once('=') {
        Some((path, value)) if !path.trim().is_empty() => Ok(Change::set(path.trim(), value)),
        _ => Err("use PATH=VALUE, for example rounds=2".to_owned()),
    }
}

/// One seed; a list of them is likely meant as so many runs.
fn seed(text: &str) -> Result<u64, String> {
    any_number(text).map_err(|wanted| match text.split(',').count() {
        1 => wanted,
        n => format!("{wanted}; `--set repeat={n}` runs each debate with {n} seeds"),
    })
}

impl JobOptions {
    /// The keys that flags set in every job; a flag for one participant precedes a flag for all.
    pub(in crate::cli) fn overrides(&self) -> Overrides {
        let model = self.model.iter().map(|name| Change::model(name));
        let seed = self.seed.map(Change::seed);
        Overrides {
            changes: model.chain(self.set.iter().cloned()).chain(seed).collect(),
            all_models: self.all_models.clone(),
        }
    }

    /// Those of these options that shape debates.
    fn settings(&self) -> Value {
        let Overrides { changes, all_models } = self.overrides();
        let changes: Vec<[String; 2]> = changes.into_iter().map(|it| [it.path, it.value]).collect();
        let paths = [self.script.as_deref(), self.templates.dir()];
        let paths = paths.map(|path| path.map(Path::to_string_lossy));
        json!([changes, all_models, self.rehearse, paths])
    }

    /// Reads a job file.
    pub(in crate::cli) fn open(
        &self,
        file: &Path,
        templates: &Templates,
    ) -> Result<Draft, Vec<Problem>> {
        Ok(self.rehearsed(Draft::open(file, &self.overrides(), templates)?))
    }

    /// A job with its script for a rehearsal.
    fn rehearsed(&self, draft: Draft) -> Draft {
        if self.rehearse { draft.with_script(self.script.as_deref()) } else { draft }
    }

    /// Notes on a job before it runs: flags and scripted replies that have no effect on it, and settings in
    /// doubt.
    pub(in crate::cli) fn notes(&self, job: &Job, templates: &Templates) -> Vec<String> {
        let unfit = cells::unfit_script(job, templates);
        // Of the cells, there may be a million, most alike but for the seed.
        let doubtful = (0..job.cells().min(200)).find_map(|cell| {
            let NextCell::Read(settings) = job.next_cell(cell, templates) else { return None };
            Some(doubtful_settings::told(&settings)).filter(|told| !told.is_empty())
        });
        let doubtful = doubtful.into_iter().flatten();
        let file = job.path.display();
        let warning = |it: String| text::one_line(&format!("warning: {file}: {it}"));
        let warnings = unfit.into_iter().chain(doubtful).map(warning);
        self.left_alone(job).into_iter().chain(warnings).collect()
    }

    /// The models of a job that `--model` does not change, if any, and how to change them.
    fn left_alone(&self, job: &Job) -> Option<String> {
        let model = self.model.as_deref()?;
        let OwnModels { named, varied } = &job.own_models;
        let all: Vec<&String> = named.iter().chain(varied).collect();
        let remedy = || format!("; --all-models {} does", shell::quoted(model));
        let remedy = text::told_if(!named.is_empty(), remedy);
        let by_matrix = || format!("; the matrix sets {}", text::joined(varied, "and"));
        let varied = text::told_if(!varied.is_empty(), by_matrix);
        let (left, file) = (text::joined(&all, "and"), job.path.display());
        let note =
            format!("note: --model {model} does not change {left} of {file}{remedy}{varied}");
        (!all.is_empty()).then(|| text::one_line(&note))
    }
}

/// The jobs that were named, read and validated.
pub(in crate::cli) struct Jobs {
    pub(in crate::cli) templates: Templates,
    pub(in crate::cli) jobs: Vec<Job>,
    /// The request. Jobs may be added to the directories among the paths.
    pub(in crate::cli) args: JobArgs,
    /// A summary of the chosen debates.
    pub(in crate::cli) survey: Survey,
}

impl JobArgs {
    /// Reads all jobs, or reports every problem in all of them. Each debate is planned once, chosen or not, and
    /// passed to `planned`.
    pub(in crate::cli) fn load(&self, planned: impl FnMut(&Plan)) -> Result<Jobs, Failure> {
        let mut jobs = Jobs::new(self.clone())?;
        let (drafts, problems) = self.drafts(&jobs.templates)?;
        let debates = drafts.iter().map(Draft::debates);
        cells::check_count(debates.fold(0, usize::saturating_add))
            .map_err(|e| Failure::input(e, FEWER))?;
        jobs.take(drafts, problems, planned)?;
        Ok(jobs)
    }

    /// The same, with the debates in an output directory that belong to earlier versions of the jobs.
    pub(in crate::cli) fn load_beside(
        &self,
        output: &OutputDir,
    ) -> Result<(Jobs, Orphans), Failure> {
        let mut search = Search::new(output)?;
        let jobs = self.load(|plan| search.planned(plan))?;
        Ok((jobs, search.orphans()))
    }

    /// The jobs before their debates are planned, and the problems of those that cannot be read.
    fn drafts(&self, templates: &Templates) -> Result<(Vec<Draft>, Vec<Problem>), Failure> {
        let files = discover::job_files(&self.paths).map_err(|e| no_job(&e))?;
        let (mut drafts, mut problems) = (Vec::new(), Vec::new());
        for file in files {
            match self.options.open(&file, templates) {
                Ok(draft) => drafts.push(draft),
                Err(found) => problems.extend(found),
            }
        }
        Ok((drafts, problems))
    }

    fn limit(&self) -> usize {
        self.limit.unwrap_or(usize::MAX)
    }

    fn is_chosen(&self, plan: &Plan) -> bool {
        let in_shard = self.shard.is_none_or(|shard| shard.has(&plan.kin()));
        in_shard && (self.only.is_empty() || self.only.iter().any(|text| selects(text, plan)))
    }
}

/// Whether `--only` selects a debate by this.
fn selects(text: &str, plan: &Plan) -> bool {
    let in_cell = plan.cell.iter().any(|(path, value)| {
        let word = value.as_str().map(str::to_owned);
        let value = word.unwrap_or_else(|| value.to_string());
        // A model has several names; the job and the flag may use different ones.
        same_model(&format!("{path}={value}"), text)
    });
    in_cell || plan.job == text || (text.len() >= id::FEWEST && plan.id.starts_with(text))
}

/// The failure for a path that names no job.
fn no_job(error: &DiscoverError) -> Failure {
    let hint = match error {
        DiscoverError::Absent { near: Some(it), .. } => format!("did you mean {}?", it.display()),
        DiscoverError::Output(_) => "give job files, or a directory of them".to_owned(),
        _ => "write one with `rebut new FORMAT FILE`".to_owned(),
    };
    Failure::input(error, hint)
}

/// The remedy for more debates than one command plans.
pub(in crate::cli) const FEWER: &str = "lower `repeat`, drop cells with `exclude`, or split the matrix into several job files and run them one after another";

/// The number of debates from which planning a job, which then takes a second or more, is shown.
const LONG: usize = 10_000;

/// Plans all debates of a job, with a progress bar if there are many.
fn expand(
    draft: Draft,
    templates: &Templates,
    rehearse: bool,
    take: &mut impl FnMut(&Plan),
) -> Result<Job, Vec<Problem>> {
    let debates = draft.debates();
    if debates < LONG {
        return cells::expand(draft, templates, rehearse, take);
    }
    let (many, file) = (text::grouped(debates), draft.path().display());
    print::remark(&text::one_line(&format!("planning {many} debates of {file}")));
    let bar = Bar::new("debates");
    let mut done = 0;
    cells::expand(draft, templates, rehearse, |plan| {
        take(plan);
        done += 1;
        bar.at(done, debates);
    })
}

impl JobArgs {
    /// Whether only a part of the files' debates is meant.
    fn is_narrowed(&self) -> bool {
        !self.only.is_empty() || self.limit.is_some() || self.shard.is_some()
    }

    /// ` by --only zzzz and --limit 0`, for what narrows the selection.
    fn narrowed(&self) -> String {
        let only = self.only.iter().map(|text| format!("--only {text}"));
        let limit = self.limit.iter().map(|limit| format!("--limit {limit}"));
        let given = text::joined(only.chain(limit), "and");
        text::told_if(!given.is_empty(), || format!(" by {given}"))
    }
}

impl Jobs {
    /// A digest of the job files' names and of the options that shape debates.
    pub(in crate::cli) fn made_from(&self) -> String {
        let files = self.jobs.iter().map(|job| job.path.to_string_lossy());
        let files: BTreeSet<_> = files.collect();
        digest::brief(&digest::of_json(&json!([files, self.args.options.settings()]))).to_owned()
    }

    /// A failure if no debate is chosen, and warnings of what chooses none.
    pub(in crate::cli) fn any(&self) -> Result<(), Failure> {
        if self.survey.debates > 0 {
            let idle = self.survey.idle.iter();
            idle.for_each(|text| print::warn(&format!("--only {text} selects no debate")));
            return self.has_model();
        }
        let cause = format!("no debate was selected{}", self.args.narrowed());
        let paths = self.args.paths.iter().map(|path| path.to_string_lossy().into_owned());
        let all =
            shell::command(["rebut", "check", "--all"].map(str::to_owned).into_iter().chain(paths));
        let wants = text::told_if(!self.args.only.is_empty(), || {
            "--only takes an id, a directory, a job's name or a value of the matrix with its path, such as x.model=llama3; ".to_owned()
        });
        let hint = format!("{wants}`{all}` lists all ids and values of the matrix");
        let has_file = !self.args.paths.is_empty();
        Err(Failure::input(cause, if has_file { hint } else { String::new() }))
    }

    /// A failure if no debate has the model of `--model`: the same jobs would run as without it. A part of the debates may have models of
    /// their own only.
    fn has_model(&self) -> Result<(), Failure> {
        if self.args.is_narrowed() {
            return Ok(());
        }
        let used = self.survey.contexts.models();
        let model = self.args.options.model.as_deref();
        match model.filter(|model| !used.iter().any(|it| same_model(it, model))) {
            Some(model) => {
                let cause = format!(
                    "--model {model} changes no debate: all their participants have models of their own"
                );
                Err(Failure::input(
                    cause,
                    format!("leave it out, or use --all-models {}", shell::quoted(model)),
                ))
            }
            None => Ok(()),
        }
    }

    /// A request without its jobs yet. For a directory of a debate, `--only` uses the id in its name.
    fn new(mut args: JobArgs) -> Result<Self, Failure> {
        for text in &mut args.only {
            *text = output_directory::id_in(text).unwrap_or(text).to_owned();
        }
        let survey = Survey::of(args.only.iter().cloned().collect());
        Ok(Self { templates: args.options.templates.load()?, jobs: Vec::new(), args, survey })
    }

    /// One job without a file.
    pub(in crate::cli) fn from_draft(draft: Draft, options: JobOptions) -> Result<Self, Failure> {
        let mut jobs = Self::new(JobArgs { options, ..JobArgs::default() })?;
        let draft = jobs.args.options.rehearsed(draft);
        let taken = jobs.take(vec![draft], Vec::new(), |_| {});
        taken.map_err(Failure::of_one_debate)?;
        Ok(jobs)
    }

    /// Adds these jobs and plans their debates, unless any has problems.
    fn take(
        &mut self,
        mut drafts: Vec<Draft>,
        mut problems: Vec<Problem>,
        mut planned: impl FnMut(&Plan),
    ) -> Result<(), Failure> {
        let (args, survey) = (&self.args, &mut self.survey);
        let sound = drafts.iter().filter_map(Draft::job);
        let loads = sound.map(|job| survey.contexts.load_as(job));
        problems.extend(loads.filter_map(Result::err).flatten());
        let mut take = |plan: &Plan| {
            planned(plan);
            survey.idle.retain(|text| !selects(text, plan));
            if survey.debates < args.limit() && args.is_chosen(plan) {
                survey.take(plan);
            }
        };
        // Planned in the order of the run, in which `--limit` counts.
        drafts.sort_by_key(|draft| Reverse(draft.priority()));
        for draft in drafts {
            match expand(draft, &self.templates, args.options.rehearse, &mut take) {
                Ok(job) => self.jobs.push(job),
                Err(found) => problems.extend(found),
            }
        }
        if !problems.is_empty() {
            return Err(Failure::problems(&problems));
        }
        let options = &self.args.options;
        let notes = self.jobs.iter().flat_map(|job| options.notes(job, &self.templates));
        notes.for_each(|note| print::remark(&note));
        Ok(())
    }

    /// The chosen debates, in order.
    pub(in crate::cli) fn chosen(&self) -> impl Iterator<Item = Plan> + '_ {
        let plans = |job| cells::debates(job, &self.templates, self.args.options.rehearse);
        let plans = self.jobs.iter().flat_map(plans);
        plans.filter(|plan| self.args.is_chosen(plan)).take(self.args.limit())
    }

    /// How many more debates `--limit` allows.
    pub(in crate::cli) fn left(&self) -> usize {
        self.args.limit().saturating_sub(self.survey.debates)
    }

    /// Reads an added job and plans the first `most` debates that the flags other than `--limit` choose.
    pub(in crate::cli) fn added(
        &self,
        draft: Draft,
        most: usize,
    ) -> Result<(Job, Vec<Plan>), Vec<Problem>> {
        let mut plans = Vec::new();
        let rehearse = self.args.options.rehearse;
        let job = cells::expand(draft, &self.templates, rehearse, |plan| {
            if plans.len() < most && self.args.is_chosen(plan) {
                plans.push(plan.clone());
            }
        })?;
        self.survey.contexts.load_as(&job)?;
        Ok((job, plans))
    }
}
