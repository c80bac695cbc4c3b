//! `rebut status`: the progress of running batches, from another terminal.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::path::Path;
use std::process::ExitCode;

use chrono::{DateTime, Local, Utc};
use schemars::JsonSchema;
use serde::Serialize;

use super::args::output_directory::{self, OutputDirArg};
use super::fleet::args::StatusArgs;
use super::process::failure::Failure;
use super::run_end::usage_and_causes::{self, Next};
use super::terminal::color::Paint;
use super::terminal::screen::{self, lasting, padded};
use super::terminal::{print, server_failures};
use crate::artifacts::batch::{BatchSummary, CONTINUES, Cause, causes_in_words};
use crate::clock::Clock;
use crate::id::DebateId;
use crate::journal;
use crate::plan::{DebateLabels, Plan};
use crate::servers::ServerView;
use crate::store::batches;
use crate::store::finished::FinishedDebates;
use crate::store::layout::OutputDir;
use crate::store::running_batches::RunningBatch;
use crate::store::snapshot;
use crate::store::state::{OpenDebate, RunState};
use crate::text::{self, grouped, one_line, some_of};

/// The version of the format of `--json`: readers refuse another major version and accept any minor.
const SCHEMA_VERSION: &str = "1.7";
/// Column at which a line's text begins, after its label.
const LABEL: usize = 12;
/// The widest column of models.
const MODELS: usize = 24;
/// What becomes of debates that no known command continues.
const ORPHANED: &str = "only the jobs and options with which they began finish them; `rebut clean --unfinished` gives up old ones";
/// Names in a list.
const NAMED: usize = 12;
/// Unfinished debates that are printed.
const BEGUN: usize = 5;
/// Notices that are printed.
const NOTICES: usize = 5;
/// Seconds without a change before that is reported.
const STILL: u64 = 10;

/// Show running batches: progress, open debates, servers
///
/// It only reads and does not slow down a run. If nothing is running, it shows the result of the last batch.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    output: OutputDirArg,
    /// Print JSON (see `rebut schema status`, with --nats `rebut schema fleet`)
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    fleet: StatusArgs,
}

/// The runs on an output directory, and the last one that ended.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct StatusReport {
    /// The version of this format, MAJOR.MINOR.
    schema_version: String,
    /// The output directory, as given.
    output: String,
    /// Running batches.
    running: Vec<Running>,
    /// Debates that have not ended: those begun, in progress or not, and those that batches left before they began.
    unfinished: usize,
    /// The first twelve of those begun.
    begun: Vec<Begun>,
    /// The first twelve of those that never began.
    never_begun: Vec<Begun>,
    /// The commands that continue those of them that a batch has left unfinished, as far as its summary names them.
    continue_with: Vec<String>,
    /// Debates begun that no known command continues.
    #[serde(skip)]
    orphaned: usize,
    /// The batches that left those that never began.
    #[serde(skip)]
    left_by: Vec<BatchSummary>,
    /// The last known progress of the newest batch that was killed or lost to a power cut; `null` if there is none, or if a later
    /// batch or `rebut clean` has removed it.
    cut_off: Option<RunState>,
    /// The last batch that ended; `null` if none left a summary.
    last: Option<LastBatch>,
    /// Batches that ended while the last one ran.
    beside: Vec<BatchSummary>,
    /// Why the last batch's summary can't be used, if it can't.
    problem: Option<String>,
}

/// A running batch.
#[derive(Debug, Serialize, JsonSchema)]
struct Running {
    /// The process that runs it.
    holder: String,
    /// Its progress; `null` if there is none yet or it is unusable.
    state: Option<RunState>,
    /// Why its progress can't be used, if it can't.
    problem: Option<String>,
}

/// An unfinished debate.
#[derive(Debug, Serialize, JsonSchema)]
struct Begun {
    /// The first twelve digits of its id.
    id: String,
    /// The name of its job; `null` if its journal is unusable.
    job: Option<String>,
    /// What tells it from the job's others listed here besides the topic, in a few words.
    label: String,
}

/// A finished batch.
#[derive(Debug, Serialize, JsonSchema)]
struct LastBatch {
    /// Its summary, for people to read.
    page: String,
    /// Its summary, as data.
    summary: BatchSummary,
}

pub(super) fn main(args: &Args) -> Result<ExitCode, Failure> {
    #[cfg(feature = "fleet")]
    if let Some(shown) = super::fleet::status::main(&args.fleet, args.json) {
        return shown;
    }
    #[cfg(not(feature = "fleet"))]
    if args.fleet.nats.is_some() {
        return Err(super::fleet::args::not_built_in());
    }
    let dir = &args.output.dir();
    let output = output_directory::existing(dir)?;
    let report = report(&output, dir)?;
    if args.json {
        print::json(&report);
    } else {
        let view = View {
            width: screen::width_of_stdout(),
            paint: Paint::on(&std::io::stdout()),
            now: Clock::system().now(),
        };
        print::whole(&(view.lines(&report).join("\n") + "\n"));
    }
    Ok(ExitCode::SUCCESS)
}

fn report(output: &OutputDir, named: &Path) -> Result<StatusReport, Failure> {
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
    let others = left_by.iter().filter_map(|it| it.continues()).map(str::to_owned);
    let commands: BTreeSet<_> = others.chain(batches::continuing(&all, &begun)).collect();
    let beside = last.as_ref().map(|(_, last)| batches::beside(output, last));
    Ok(StatusReport {
        schema_version: SCHEMA_VERSION.to_owned(),
        output: named.display().to_string(),
        running: running.iter().map(seen).collect(),
        unfinished: begun.len() + never_begun.len(),
        continue_with: commands.into_iter().collect(),
        orphaned: begun.iter().filter(|id| left(id).is_none()).count(),
        begun: first(output, &begun),
        never_begun: planned(&never_begun),
        left_by: left_by.into_iter().cloned().collect(),
        cut_off: RunningBatch::cut_off(output)?,
        beside: beside.unwrap_or_default(),
        last: last.map(|(page, summary)| LastBatch { page: page.display().to_string(), summary }),
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
    let named = begun.iter().zip(&plans).map(|(id, plan)| {
        let label = plan.as_ref().map(|it| labels.label(&it.job, &it.cell, it.repetition));
        Begun {
            id: id.short().to_owned(),
            job: output_directory::job_of_begun(output, id),
            label: label.unwrap_or_default(),
        }
    });
    named.collect()
}

/// Debates that never began, as many as are listed.
fn planned(all: &BTreeMap<&str, &BatchSummary>) -> Vec<Begun> {
    let named = all.iter().take(NAMED).map(|(id, batch)| Begun {
        id: (*id).to_owned(),
        job: batch.job_of(id).map(str::to_owned),
        label: String::new(),
    });
    named.collect()
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

/// The layout: cut and wrapped to the width of a terminal, whole elsewhere.
struct View {
    width: Option<usize>,
    paint: Paint,
    now: DateTime<Utc>,
}

impl View {
    fn lines(&self, report: &StatusReport) -> Vec<String> {
        let runs: Vec<Vec<String>> = report.running.iter().map(|run| self.run(run)).collect();
        if runs.is_empty() { self.nothing(report) } else { runs.join(&String::new()) }
    }

    /// What is unfinished comes first, with the next step.
    fn nothing(&self, report: &StatusReport) -> Vec<String> {
        let nothing = format!("no run in `{}`", one_line(&report.output));
        let (past, steps) = (self.past(report), self.next_steps(report));
        let (first, parts) = match unfinished(report) {
            None => (nothing, [past, steps]),
            Some(unfinished) => (format!("{unfinished}; {nothing}"), [steps, past]),
        };
        let width = self.width.unwrap_or(usize::MAX);
        let first = text::lines::wrapped(&first, "", "  ", width);
        let first = first.iter().map(|line| self.paint.bold(line));
        first.chain(parts.into_iter().flatten()).collect()
    }

    /// How the last batches ended.
    fn past(&self, report: &StatusReport) -> Vec<String> {
        let mut lines = Vec::new();
        if let Some(LastBatch { page, summary }) = &report.last {
            lines.extend(self.ended("last batch", summary));
            lines.push(format!("{:LABEL$}{}", "summary", one_line(page)));
            for other in report.beside.iter().filter(|it| !it.causes.is_empty()) {
                lines.extend(self.ended("beside it", other));
                if report.left_by.iter().all(|it| it.next != other.next) {
                    lines.extend(self.next(other));
                }
            }
        } else if report.problem.is_none() {
            lines.extend(self.field("last batch", "no summary here"));
        }
        let problem = report.problem.iter();
        lines.extend(problem.flat_map(|it| self.field("last batch", it)));
        lines
    }

    fn next_steps(&self, report: &StatusReport) -> Vec<String> {
        let last = report.last.as_ref().map(|last| &last.summary);
        // A batch that was cut off came after the last one that ended.
        let (mut lines, told) = match (&report.cut_off, last) {
            (Some(state), _) => (self.cut_off(state), Some(&state.command)),
            (None, Some(summary)) if !summary.given_up => (self.next(summary), Some(&summary.next)),
            (None, _) => (Vec::new(), None),
        };
        let mut told: BTreeSet<&String> = told.into_iter().collect();
        let left_by = report.left_by.iter().filter(|it| told.insert(&it.next));
        lines.extend(left_by.flat_map(|it| self.next(it)));
        let other = report.continue_with.iter().filter(|it| told.insert(it));
        lines.extend(other.flat_map(|it| self.step(it, CONTINUES, None)));
        if report.orphaned > 0 && report.cut_off.is_none() {
            let debates = text::count(report.orphaned, "debate");
            lines.extend(self.field("orphaned", &format!("{debates}: {ORPHANED}")));
        }
        lines
    }

    fn next(&self, summary: &BatchSummary) -> Vec<String> {
        self.step(&summary.next, &summary.next_does, summary.next_first.clone())
    }

    fn step(&self, command: &str, does: &str, first: Option<String>) -> Vec<String> {
        let next = Next { command: command.to_owned(), does: does.to_owned(), first };
        usage_and_causes::next(&next, LABEL, self.width.unwrap_or(usize::MAX))
    }

    /// How a batch ended, and why debates of it are not done.
    fn ended(&self, label: &str, summary: &BatchSummary) -> Vec<String> {
        let ended = summary.ended_at.format("%Y-%m-%d %H:%M:%S UTC");
        let mut lines = self.field(label, &format!("{}, ended {ended}", summary.headline()));
        lines.extend(self.causes(&summary.causes, summary.other_causes));
        lines
    }

    /// A batch that did not end itself, and how to go on with it.
    fn cut_off(&self, state: &RunState) -> Vec<String> {
        let since = state.started_at.format("%Y-%m-%d %H:%M:%S UTC");
        let how = "was killed, or lost to a power cut";
        let mut lines = self.field("cut off", &format!("the batch of {since} {how}"));
        let command = one_line(&state.command);
        let repeats = state.repeats();
        if repeats.is_empty() {
            lines.push(format!("{:LABEL$}{command}", "next"));
            return lines;
        }
        lines.push(format!("{:LABEL$}{command}", "command"));
        let next = text::joined(&repeats, "and");
        lines.extend(self.field("next", &format!("run that command again, without {next}")));
        lines
    }

    fn run(&self, run: &Running) -> Vec<String> {
        let Some(state) = &run.state else {
            let why = run.problem.as_deref().unwrap_or("no progress yet");
            let mut lines = vec![self.paint.bold(&one_line(&run.holder))];
            lines.extend(self.field("state", why));
            return lines;
        };
        let mut lines = vec![self.paint.bold(&one_line(&run.holder))];
        lines.push(format!("{:LABEL$}{}", "command", one_line(&state.command)));
        lines.extend(self.field("jobs", &jobs(state)));
        lines.extend(self.field("debates", &debates(state)));
        lines.extend(self.field("calls", &calls(state)));
        lines.extend(self.field("time", &self.time(state)));
        let servers = state.servers.iter();
        lines.extend(servers.flat_map(|it| self.field("server", &server(it, self.now))));
        lines.extend(self.causes(&state.causes, state.other_causes));
        lines.extend(self.notices(state));
        lines.extend(self.table(state));
        lines
    }

    /// A label and its text.
    fn field(&self, label: &str, text: &str) -> Vec<String> {
        text::lines::labelled(label, LABEL, text, self.width.unwrap_or(usize::MAX))
    }

    fn time(&self, state: &RunState) -> String {
        let so_far = lasting(seconds(state.started_at, self.now));
        let still = seconds(state.written_at, self.now);
        let left = state.seconds_left.and_then(|left| left.checked_sub(still));
        let left = left.map(|left| format!(", about {} left (estimate)", lasting(left)));
        let quiet = match still {
            0..STILL => String::new(),
            still => format!("; no change for {}", lasting(still)),
        };
        format!("{so_far} so far{}{quiet}", left.unwrap_or_default())
    }

    /// Why debates are not done, by the number of those that each cause stops.
    fn causes(&self, causes: &[Cause], others: usize) -> Vec<String> {
        let told = causes_in_words(causes, others).into_iter();
        told.flat_map(|(standing, told)| self.field(standing, &told)).collect()
    }

    fn notices(&self, state: &RunState) -> Vec<String> {
        let skipped = state.notices.len().saturating_sub(NOTICES);
        let notices = state.notices.iter().skip(skipped);
        let labels = std::iter::once("messages").chain(std::iter::repeat(""));
        let lines = notices.zip(labels).flat_map(|(notice, label)| {
            let at = notice.at.with_timezone(&Local).format("%H:%M:%S");
            self.field(label, &format!("{at} {}", notice.text))
        });
        lines.collect()
    }

    /// The open debates, those first that a server is working on.
    fn table(&self, state: &RunState) -> Vec<String> {
        let mut open: Vec<&OpenDebate> = state.open.iter().collect();
        open.sort_by_key(|debate| !debate.is_busy());
        let rows: Vec<[String; 6]> = open.iter().map(|it| self.row(it)).collect();
        if rows.is_empty() {
            return Vec::new();
        }
        let heading = ["debate", "format", "round", "activity", "model", "time"];
        let widths = self.widths(&rows);
        let line = |row: &[String; 6]| {
            let cells: Vec<String> =
                row.iter().zip(widths).map(|(cell, width)| padded(cell, width)).collect();
            cells.join("  ").trim_end().to_owned()
        };
        let heading = self.paint.dim(&line(&heading.map(str::to_owned)));
        let mut lines = vec![String::new(), heading];
        let about = |debate: &OpenDebate| {
            let about = format!("{:14}{} {}", "", debate.topic, debate.label);
            screen::cut(about.trim_end(), self.width.unwrap_or(usize::MAX))
        };
        lines.extend(rows.iter().zip(open).flat_map(|(row, debate)| {
            let lines = [line(row), about(debate)];
            if debate.is_busy() { lines } else { lines.map(|line| self.paint.dim(&line)) }
        }));
        if state.more_open > 0 {
            lines.push(self.paint.dim(&format!("… and {} more", state.more_open)));
        }
        lines
    }

    fn row(&self, debate: &OpenDebate) -> [String; 6] {
        let (round, models) = (debate.in_round(), models(debate));
        let doing = debate.doing(|call| call.doing.clone());
        let time = screen::clock(seconds(debate.opened_at, self.now));
        let cells = [&debate.id, &debate.format, &round, &doing, &models, &time];
        cells.map(|cell| one_line(cell))
    }

    /// As wide as their contents; on a terminal, models and activity give way.
    fn widths(&self, rows: &[[String; 6]]) -> [usize; 6] {
        let of = |n: usize, least: usize| {
            let widths = rows.iter().map(|row| row[n].chars().count());
            widths.max().unwrap_or(0).max(least)
        };
        let [id, format, round, time] = [of(0, 12), of(1, 10), of(2, 5), of(5, 4)];
        let (doing, models) = (of(3, 13), of(4, 5));
        let Some(width) = self.width else {
            return [id, format, round, doing, models, time];
        };
        let models = models.min(MODELS);
        let left = width.saturating_sub(id + format + round + models + time + 5 * 2);
        [id, format, round, doing.min(left), models, time]
    }
}

/// `2 debates unfinished: 51f6a7a57cb2 (zoos) and 1 more`
fn unfinished(report: &StatusReport) -> Option<String> {
    let left = report.unfinished;
    let debates = format!("{} unfinished", text::count(left, "debate"));
    let name = |it: &Begun| match &it.job {
        Some(job) => format!("{} ({})", it.id, format!("{job} {}", it.label).trim_end()),
        None => it.id.clone(),
    };
    let named = report.begun.iter().chain(&report.never_begun);
    let mut names: Vec<String> = named.take(BEGUN).map(name).collect();
    if left == 0 || names.is_empty() {
        return (left > 0).then_some(debates);
    }
    if left > names.len() {
        names.push(format!("{} more", left - names.len()));
    }
    Some(format!("{debates}: {}", text::joined(&names, "and")))
}

fn jobs(state: &RunState) -> String {
    let named: Vec<&str> = state.jobs.iter().take(NAMED).map(String::as_str).collect();
    let unnamed = state.jobs.len() - named.len();
    // The number comes from the file.
    match unnamed.saturating_add(state.more_jobs) {
        0 => named.join(", "),
        more => format!("{} and {more} more", named.join(", ")),
    }
}

/// `13 of 200 ended: 12 done, 1 degraded; 24 in progress, 163 queued`.
fn debates(state: &RunState) -> String {
    let it = &state.debates;
    let (ended, all, ends) = (it.ended(), it.chosen, it.by_end());
    let (in_progress, queued) = (it.in_progress, it.queued);
    format!("{ended} of {all} ended{ends}; {in_progress} in progress, {queued} queued")
}

/// `412 done, 4 on servers, 20 waiting, 5 failed; about 6,400 left`.
fn calls(state: &RunState) -> String {
    let it = &state.calls;
    let failed = text::further_counts(&[(it.failed, "failed")]);
    let told = |left| format!("; about {} left", grouped(left));
    let left = it.left.map(told);
    format!(
        "{} done, {} on servers, {} waiting{failed}{}",
        grouped(it.done),
        it.in_flight,
        it.waiting,
        left.unwrap_or_default()
    )
}

/// `http://127.0.0.1:11434: 2 of 4 slots busy, llama3 loaded`, and what fails there.
fn server(server: &ServerView, now: DateTime<Utc>) -> String {
    let name = &server.name;
    let holds = match server.models.as_slice() {
        [] => String::new(),
        models => format!(", {} loaded", some_of(models, NAMED)),
    };
    let busy = match (server.is_out, server.failing.is_empty()) {
        (true, true) => "does not answer".to_owned(),
        (true, false) => String::new(),
        (false, _) => format!("{} of {} slots busy{holds}", server.in_flight, server.slots),
    };
    let failing = server.failing.iter().map(|it| server_failures::in_words(it, server.is_out, now));
    let busy = Some(busy).filter(|busy| !busy.is_empty());
    let said: Vec<String> = busy.into_iter().chain(failing).collect();
    format!("{name}: {}", said.join("; "))
}

/// The models of the calls that are shown.
fn models(debate: &OpenDebate) -> String {
    let shown = debate.shown().into_iter();
    let mut models: Vec<String> = shown.map(|call| call.model.clone()).collect();
    models.dedup();
    some_of(&models, 2)
}

/// Seconds between two times; 0 if the first is later.
fn seconds(from: DateTime<Utc>, to: DateTime<Utc>) -> u64 {
    u64::try_from((to - from).num_seconds()).unwrap_or(0)
}
