//! `rebut check`: shows what a run would do, without calling a model.

mod cast;
mod comparisons;
mod design;
pub(super) mod estimate;
mod listing;
mod self_judging;
pub(super) mod servers;
mod wall_time;

use std::collections::{BTreeMap, BTreeSet};
use std::process::ExitCode;

use clap::Arg;

use self::comparisons::Comparisons;
use self::estimate::{Estimate, Estimates};
use self::listing::{Listing, Row};
use self::self_judging::OwnJudges;
use self::servers::ask_servers;
use super::args::jobs::{JobArgs, Jobs};
use super::args::running::{Again, RunArgs};
use super::args::survey::Survey;
use super::process::failure::{Failure, done_if};
use super::process::runtime::block_on;
use super::run_end::conclude;
use super::terminal::print;
use crate::clock::Clock;
use crate::event::Status;
use crate::job::models::model_name::spelt_differently;
use crate::panel::reading_order::readings;
use crate::plan::Plan;
use crate::store::finished::{FinishedDebate, FinishedDebates};
use crate::store::layout::OutputDir;
use crate::text;

/// Validate jobs and show what they would run, without calling a model
///
/// Takes all options of `rebut run` except `--dry-run` and `--json`. Options that affect neither what runs nor its cost have no effect.
#[derive(Debug, clap::Args)]
#[command(mut_args(hidden_if_idle))]
pub(super) struct Args {
    #[command(flatten)]
    jobs: JobArgs,
    /// List every debate [default: the first 10 of more than 20]
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    run: RunArgs,
}

/// Options of `rebut run` that change nothing here.
const IDLE: [&str; 11] = [
    "max_tokens",
    "concurrency",
    "max_debates",
    "max_failures",
    "json",
    "verbose",
    "outage_timeout",
    "model_timeout",
    "view",
    "retry_delay",
    "notify",
];

fn hidden_if_idle(arg: Arg) -> Arg {
    let is_idle = IDLE.iter().any(|idle| arg.get_id() == idle);
    arg.hide(is_idle)
}

impl Again {
    /// How a debate stands.
    fn standing(
        &self,
        output: &OutputDir,
        found: Option<&FinishedDebate>,
        plan: &Plan,
    ) -> Standing {
        let found = found.map(|found| found.status);
        let begun = output.running_journal(&plan.id).exists();
        let kept = output.finished_journal(&plan.id).exists();
        match (self, found) {
            (Self::All, found) if begun || kept || found.is_some() => Standing::ToRestart,
            _ if begun => Standing::ToResume,
            (Self::With(again), Some(status)) if again.contains(&status) => Standing::ToRetry,
            (_, Some(status)) => Standing::Done(status),
            _ if kept => Standing::ToRebuild,
            _ => Standing::ToRun,
        }
    }
}

/// What a run would do with a debate.
enum Standing {
    /// Nothing: it is finished.
    Done(Status),
    ToRestart,
    ToRetry,
    ToResume,
    /// Its directory is gone, but all its replies are still there.
    ToRebuild,
    ToRun,
}

impl Standing {
    fn word(&self) -> &'static str {
        match self {
            Self::Done(status) => status.word(),
            Self::ToRestart => "to restart",
            Self::ToRetry => "to retry",
            Self::ToResume => "to resume",
            Self::ToRebuild => "to rebuild",
            Self::ToRun => "to run",
        }
    }

    /// Whether a run would do anything with the debate.
    fn is_left(&self) -> bool {
        !matches!(self, Self::Done(_))
    }

    /// Whether a run would ask models.
    fn has_calls(&self) -> bool {
        self.is_left() && !matches!(self, Self::ToRebuild)
    }
}

/// Totals of the debates of all jobs.
#[derive(Debug, Default)]
struct Total {
    debates: u64,
    /// Those that are in an earlier job, too.
    twins: usize,
    /// Unfinished debates.
    left: u64,
    /// Their estimate.
    estimate: Estimate,
    judges: OwnJudges,
    comparisons: Comparisons,
    /// Who takes part in the first debate, in lines.
    cast: Vec<String>,
    /// Maximum readings by panels, by the panel's name.
    readings: BTreeMap<String, usize>,
}

pub(super) fn main(args: &Args) -> Result<ExitCode, Failure> {
    if args.run.json {
        let hint = "leave it out; `rebut run --json` prints events as it runs";
        return Err(Failure::input("`rebut check` prints text only, without --json", hint));
    }
    preview(&args.jobs, &args.run, args.all)
}

/// Prints what a run of these jobs would do.
pub(super) fn preview(jobs: &JobArgs, run: &RunArgs, list_all: bool) -> Result<ExitCode, Failure> {
    let output = OutputDir::at(&run.output.dir);
    let (jobs, orphans) = jobs.load_beside(&output)?;
    jobs.any()?;
    let list = Listing::new(jobs.survey.debates, list_all, &jobs.survey.labels);
    block_on(check(&jobs, run, list, &conclude::on_orphans(&orphans, &output)))?
}

async fn check(
    jobs: &Jobs,
    run: &RunArgs,
    list: Listing<'_>,
    notes: &[String],
) -> Result<ExitCode, Failure> {
    let total = list_debates(&OutputDir::at(&run.output.dir), jobs, &run.again(), list).await?;
    print_total(&total, jobs, run);
    print::told_all(notes);
    print_models(&jobs.survey, jobs.args.options.rehearse);
    if jobs.args.options.rehearse {
        return Ok(ExitCode::SUCCESS);
    }
    let servers = run.server.servers(&jobs.survey.contexts)?;
    Ok(done_if(ask_servers(&servers, &jobs.survey).await))
}

/// Prints a line per debate, and adds up the estimate of unfinished ones.
async fn list_debates(
    output: &OutputDir,
    jobs: &Jobs,
    again: &Again,
    mut list: Listing<'_>,
) -> Result<Total, Failure> {
    let finished = FinishedDebates::list(output)?;
    let mut estimates = Estimates::new(jobs, output, &finished);
    let mut total = Total::default();
    let mut seen = BTreeSet::new();
    for plan in jobs.chosen() {
        if !seen.insert(plan.id.clone()) {
            list.add(|_| row(&plan, "twice", "the same debate is in another job".to_owned()));
            total.twins += 1;
            continue;
        }
        let found = finished.get(&plan.id)?;
        let standing = again.standing(output, found.as_ref(), &plan);
        list.add(|labels| {
            let label = labels.label(&plan.job, &plan.cell, plan.repetition);
            row(&plan, standing.word(), label)
        });
        total.note(&plan);
        if comparisons::compares(&plan) {
            total.comparisons.note(&plan, estimates.counted(&plan).await?);
        }
        total.left += u64::from(standing.is_left());
        if standing.has_calls() {
            estimates.add(&plan).await?;
        }
    }
    list.end();
    total.estimate = estimates.sum;
    Ok(total)
}

impl Total {
    fn note(&mut self, plan: &Plan) {
        if self.debates == 0 {
            self.cast = cast::lines(plan);
        }
        self.debates += 1;
        self.judges.note(plan);
        if let Some(panel) = plan.panel.as_ref().filter(|_| can_be_judged(plan)) {
            let name = panel.settings.name.clone();
            *self.readings.entry(name).or_default() += readings(panel, &plan.id);
        }
    }
}

/// Whether a debate can have two sides, or two answers, for a panel to compare.
fn can_be_judged(plan: &Plan) -> bool {
    let profile = plan.format.profile;
    let people = plan.participants.iter();
    let sides: BTreeSet<&str> = people.filter_map(|person| profile.side(person)).collect();
    profile.two_answers.is_some() || sides.len() == 2
}

fn print_total(total: &Total, jobs: &Jobs, run: &RunArgs) {
    print::out("");
    let debates = text::count(total.debates, "debate");
    let (jobs_in_words, left) = (text::count(jobs.jobs.len(), "job"), total.left);
    print::out(&format!("{debates} in {jobs_in_words}, {left} to run"));
    if total.twins > 0 {
        let twins = text::grouped(total.twins);
        print::told(&format!("{twins} in several jobs, run once"));
    }
    if jobs.jobs.len() == 1 {
        tell_cast(total);
    }
    if total.left > 0 {
        let left = run.limits.left(Clock::system().now());
        let rehearses = jobs.args.options.rehearse;
        print::told_all(total.estimate.lines(&run.output.dir, rehearses, left));
        print::told_all(total.estimate.warnings(jobs.jobs.len() > 1));
    }
    for (panel, readings) in &total.readings {
        let readings = text::count(*readings, "reading");
        print::told(&format!(
            "panel {panel}: up to {readings} of finished debates, in addition to the estimate"
        ));
    }
    print::told_all(total.comparisons.warnings());
    print::told_all(total.judges.warnings());
}

/// Says who takes part. With several jobs it would take more lines than the debates.
fn tell_cast(total: &Total) {
    if total.debates > 1 {
        print::told("participants of the first:");
    }
    print::told_all(&total.cast);
}

/// Lists the models and how they are loaded. A rehearsal loads none.
fn print_models(survey: &Survey, rehearses: bool) {
    let (contexts, optional) = (&survey.contexts, &survey.embedding);
    let with = |model: &str| {
        let load = contexts.load(model).in_words();
        text::told_if(!load.is_empty(), || format!(", {load}"))
    };
    let loaded = contexts.list().into_iter().map(|(model, context)| {
        let load = with(&model);
        format!("model {model}, to be loaded with a context of {context}{load}")
    });
    let picks = optional.iter().map(|model| {
        let load = with(model);
        format!(
            "model {model}, which picks reasoning templates for the proposer; debates run without it too{load}"
        )
    });
    if !rehearses {
        loaded.chain(picks).for_each(|line| print::told(&line));
    }
    tell_spellings(&contexts.models());
    let unused = contexts.unused_loads().into_iter();
    for model in unused.filter(|model| !optional.contains(model)) {
        print::told(&format!("warning: `models` lists {model}, which no debate here uses"));
    }
}

/// Warns of models whose names differ in case only.
fn tell_spellings(models: &[String]) {
    for (n, model) in models.iter().enumerate() {
        let earlier = models[..n].iter().map(String::as_str);
        if let Some(other) = spelt_differently(model, earlier) {
            print::told(&format!(
                "warning: {other} and {model} are one model to Ollama, but two in results: use one spelling"
            ));
        }
    }
}

fn row(plan: &Plan, standing: &'static str, label: String) -> Row {
    Row {
        standing,
        id: plan.short_id().to_owned(),
        job: plan.job.clone(),
        heading: plan.heading().to_owned(),
        label,
    }
}
