//! `rebut run`: runs every debate of the jobs that is not finished yet.

mod added_jobs;
mod expected_calls;
mod model_warnings;
mod state_writer;

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use self::added_jobs::AddedJobs;
use self::expected_calls::ExpectedCalls;
use self::model_warnings::ModelWarnings;
use self::state_writer::StateWriter;
use super::args::jobs::{JobArgs, Jobs};
use super::args::output_directory::flag;
use super::args::running::{Again, RunArgs};
use super::check::{self, estimate};
use super::process::failure::{BAD_INPUT, Failure};
use super::process::runtime::block_on;
use super::process::signals::listen;
use super::run_end::{batch_files, conclude};
use super::servers::connect::{Connected, connect};
use super::terminal::print;
use super::terminal::progress::Progress;
#[cfg(feature = "view")]
use super::view;
use crate::artifacts::batch::BatchSummary;
use crate::clock::Clock;
use crate::floor::Watch;
use crate::model::Model;
use crate::model::server::Server;
use crate::plan::Plan;
use crate::run::batch::Batch;
use crate::run::batch_summary::{BatchRecord, Origin};
use crate::run::batch_totals::Totals;
use crate::run::debate::{End, PanelWatch, RunContext};
use crate::run::meter::Meter;
use crate::servers::embedding_cache::EmbeddingCache;
use crate::servers::{OnNotice, PoolConfig, ServerPool};
use crate::stop::Stop;
use crate::store::batches;
use crate::store::error::StoreError;
use crate::store::finished::FinishedDebates;
use crate::store::layout::{OutputDir, holder};
use crate::store::live::LiveFiles;
use crate::store::orphans::Orphans;
use crate::store::running_batches::Presence;
use crate::trace::Trace;
use crate::{machine, text};

/// Run all debates of job files; run it again to resume
///
/// Finished debates are skipped; interrupted ones resume where they stopped. Ctrl-C stops after the calls in flight;
/// a second Ctrl-C stops at once, and those calls are asked again.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    jobs: JobArgs,
    /// Show what would run, without calling a model (same as `rebut check`)
    #[arg(long, conflicts_with = "json")]
    dry_run: bool,
    #[command(flatten)]
    run: RunArgs,
}

pub(super) fn main(args: &Args) -> Result<ExitCode, Failure> {
    if args.dry_run {
        return check::preview(&args.jobs, &args.run, false);
    }
    let (jobs, orphans) = args.jobs.load_beside(&OutputDir::at(&args.run.output.dir))?;
    start(&args.run, &jobs, &orphans)
}

/// Runs the chosen debates of these jobs.
pub(super) fn start(args: &RunArgs, jobs: &Jobs, orphans: &Orphans) -> Result<ExitCode, Failure> {
    jobs.any()?;
    block_on(run(args, jobs, orphans))?
}

async fn run(args: &RunArgs, jobs: &Jobs, orphans: &Orphans) -> Result<ExitCode, Failure> {
    let rehearse = jobs.args.options.rehearse;
    let connected = connect(&args.server, &jobs.survey, rehearse).await?;
    if let Some(slip) = &connected.slip {
        if is_left(args, jobs) {
            return Err(Failure::input(slip, connected.remedy.unwrap_or_default()));
        }
        print::warn(&format!("{slip}, but no debate is left to run"));
    }
    let output = OutputDir::at(&args.output.dir);
    output.prepare()?;
    let clock = Clock::system();
    let holder = holder(&clock);
    let summed_up = batches::sum_up(&output, &jobs.templates);
    let begun_after = batches::last_number(&output).ok();
    let presence = Presence::announce(&output, &holder, &clock)?;
    #[cfg(feature = "view")]
    let viewer = args.view.then(|| view::beside(&output));
    let (chosen, labels) = (jobs.survey.debates, jobs.survey.labels.clone());
    print::in_background();
    let progress = Arc::new(Progress::new(chosen, labels, args.json, args.verbose));
    progress.keep_moving();
    #[cfg(feature = "view")]
    viewer.iter().for_each(|line| progress.notify(line));
    if let Err(error) = summed_up {
        progress.notify(&format!("warning: no summary of a batch that was cut off: {error}"));
    }
    conclude::on_orphans(orphans, &output).iter().for_each(|line| progress.notify(line));
    for warning in output.linked_days() {
        progress.notify(&format!("warning: {warning}"));
    }
    let warning = estimate::warn_of_space(jobs, &output).await?;
    warning.iter().for_each(|line| progress.notify(line));
    let live = Arc::new(LiveFiles::start(&output, &holder, &clock));
    let watchers = (&progress, &live);
    let batch = batch(args, jobs, (output, presence), connected, watchers);
    prepare(args, jobs, &batch).map_err(|it| aborted(it, &args.output.dir))?;
    progress.resume(&batch.context.earlier);
    let servers = batch.context.servers.iter();
    servers.for_each(|servers| progress.watch(servers));
    let made_from = jobs.made_from();
    let orphaned = batches::orphaned(&batch.context.output, &made_from, &orphans.unfinished);
    let origin = Origin { run: holder, begun_after, made_from, orphaned };
    let state = batch.presence.state_file();
    let _telling = StateWriter::start(state, &progress, &origin, rehearse);
    listen(&batch.stop, &batch.notify)?;
    let ended = run_batch(args, (jobs, origin), &batch, watchers).await;
    live.close();
    ended
}

/// Whether a chosen debate is not finished, or begins anew.
fn is_left(args: &RunArgs, jobs: &Jobs) -> bool {
    let finished = FinishedDebates::list(&OutputDir::at(&args.output.dir)).unwrap_or_default();
    let is_finished = |plan: Plan| finished.get(&plan.id).is_ok_and(|found| found.is_some());
    matches!(args.again(), Again::All) || !jobs.chosen().all(is_finished)
}

async fn run_batch(
    args: &RunArgs,
    (jobs, origin): (&Jobs, Origin),
    batch: &Batch,
    (progress, live): (&Arc<Progress>, &Arc<LiveFiles>),
) -> Result<ExitCode, Failure> {
    let context = &batch.context;
    let mut record = BatchRecord::new(context.clock.now(), &jobs.survey.labels, &context.earlier);
    let began = Instant::now();
    let mut on_end = |plan: &Plan, end: &End| {
        record.end(plan, end);
        debate_ended(&batch.context.output, (progress, live), plan, end);
    };
    let mut arrivals = AddedJobs::new(jobs, progress);
    let totals = tokio::select! {
        () = batch.stop.insisted() => None,
        totals = batch.run(|| jobs.chosen(), || arrivals.look(), &mut on_end) => Some(totals),
    };
    progress.finish();
    let mut totals = match totals {
        Some(totals) => totals.map_err(|it| aborted(it, &args.output.dir))?,
        None => {
            progress.cut_off();
            Totals::cut_off(record.ends(), progress.open().len(), progress.queued())
        }
    };
    totals.refused = arrivals.refused();
    if !totals.refused.is_empty() {
        progress.whole(&format!("not run (see above): {}", totals.refused.join(", ")));
    }
    if totals.nothing_ran() {
        let in_vain = jobs.args.options.templates.in_vain();
        in_vain.iter().for_each(|note| progress.note(note));
    }
    let interrupted = batch.stop.is_requested() && !totals.early;
    let closing = batch_files::closing(batch, began.elapsed(), &totals, progress, origin);
    let ending = (&totals, interrupted, record.close(&context.output, closing));
    let code = sum_up(args, batch, ending, progress);
    Ok(if totals.refused.is_empty() || interrupted { code } else { ExitCode::from(BAD_INPUT) })
}

/// Tells users and viewers that a debate has ended.
fn debate_ended(
    output: &OutputDir,
    (progress, live): (&Progress, &LiveFiles),
    plan: &Plan,
    end: &End,
) {
    if let End::Committed { trace, .. } = end {
        script_notes(plan, trace).iter().for_each(|note| progress.note(note));
        if progress.is_of_one() {
            progress.table(trace);
        }
    }
    let is_forgotten = progress.is_open(&plan.id) && !output.running_journal(&plan.id).exists();
    if matches!(end, End::Committed { .. } | End::Finished(_)) || is_forgotten {
        live.end(&plan.id);
    } else if progress.is_open(&plan.id) {
        live.leave(&plan.id);
    }
    progress.end(plan, end);
}

/// Writes and prints how the batch went, and tells whom `--notify` names.
fn sum_up(
    args: &RunArgs,
    batch: &Batch,
    (totals, interrupted, summed_up): (&Totals, bool, Option<BatchSummary>),
    progress: &Progress,
) -> ExitCode {
    let whole = summed_up.as_ref();
    let mut totals = totals.clone();
    totals.unwritten |= whole.is_some_and(|whole| !batch_files::write(batch, whole, progress));
    let code = conclude::conclude(batch, (&totals, whole), interrupted, progress);
    if let Some(command) = &args.notify {
        batch_files::notify(batch, whole, command, progress);
    }
    code
}

/// Unused and missing replies of a rehearsal's script.
fn script_notes(plan: &Plan, trace: &Trace) -> Vec<String> {
    let Some(script) = &plan.script else { return Vec::new() };
    let calls = trace.calls.iter();
    let asked = calls.map(|call| (call.call.as_str(), call.attempt));
    let notes = script.notes(&plan.topic, asked).into_iter();
    let its = |note| text::one_line(&format!("{} {note}", plan.short_id()));
    notes.map(its).collect()
}

fn aborted(error: StoreError, output: &Path) -> Failure {
    let hint = match error {
        StoreError::Claimed { .. } => format!(
            "no debate was started over: run this again when that one has ended (`rebut stop{}` ends it)",
            flag(output)
        ),
        StoreError::Gone(_) => {
            "the earlier replies are in what was moved: put it back, or give the moved directory with --output, and run the same command again".to_owned()
        }
        _ => String::new(),
    };
    Failure::input(error, hint)
}

/// Repairs what a kill left behind, then applies `--restart` and `--retry`.
fn prepare(args: &RunArgs, jobs: &Jobs, batch: &Batch) -> Result<(), StoreError> {
    batch.put_back()?;
    match args.again() {
        Again::All => batch.set_aside(|| jobs.chosen()),
        Again::With(statuses) if statuses.is_empty() => Ok(()),
        Again::With(statuses) => batch.reopen(jobs.chosen(), &statuses),
    }
}

fn batch(
    args: &RunArgs,
    jobs: &Jobs,
    (output, presence): (OutputDir, Presence),
    Connected { servers, absent, remedy, .. }: Connected,
    (progress, live): (&Arc<Progress>, &Arc<LiveFiles>),
) -> Batch {
    let notifier = Arc::clone(progress);
    let notify: OnNotice = Arc::new(move |line: &str| notifier.notify(line));
    let (back, judged) = (Arc::clone(progress), Arc::clone(progress));
    let stop = Stop::default();
    let concurrency = args.concurrency.get();
    let in_flight = |calls: usize| calls * servers.len().max(1);
    let (slots, most) = (in_flight(concurrency.first), in_flight(concurrency.most));
    let config = PoolConfig {
        known_absent: absent,
        ..(args.concurrency).config(args.model_timeout, args.outage_timeout, &notify)
    };
    let (templates, clock) = (jobs.templates.clone(), Clock::system());
    let limits = args.limits.limits(clock.now(), progress);
    let meter = Arc::new(Meter::new(limits.tokens, &stop));
    let expected = ExpectedCalls::new(&templates, progress);
    let context = RunContext {
        servers: pool(servers, &output, config),
        panel_watch: panel_watch(args, progress, &meter),
        watch: watch(args, expected, (progress, live, &meter)),
        ..RunContext::new(&output, templates, clock, args.retry_delay)
    };
    Batch {
        limits,
        outage_timeout: args.outage_timeout,
        context,
        most_failures: args.limits.most_failures(),
        slots,
        presence,
        meter,
        max_debates: args.max_debates.map(usize::from),
        max_open: max_open(args, most, &notify),
        contexts: jobs.survey.contexts.clone(),
        remedy,
        stop,
        notify,
        on_put_back: Arc::new(move |id| back.put_back(id)),
        on_not_judged: Arc::new(move |plan, cause| judged.not_judged(plan, cause)),
    }
}

/// How many debates may be open, given the number of files this process may open.
fn max_open(args: &RunArgs, in_flight: usize, notify: &OnNotice) -> usize {
    let files = machine::raise_file_limit();
    let most = machine::most_debates(files, in_flight);
    if args.max_debates.is_some_and(|it| usize::from(it) > most) {
        notify(&format!(
            "running at most {most} debates at a time: this process may open only {files} files (`ulimit -n`)"
        ));
    }
    most
}

/// The servers of a run, with embeddings cached in its output directory; none for a rehearsal.
pub(super) fn pool(
    servers: Vec<Arc<dyn Server>>,
    output: &OutputDir,
    config: PoolConfig,
) -> Option<Arc<ServerPool>> {
    if servers.is_empty() {
        return None;
    }
    let cache = EmbeddingCache::new(output.root());
    let cached = servers.into_iter().map(|server| {
        let name = server.name();
        (name, Arc::new(cache.wrap(server)) as Arc<dyn Model>)
    });
    Some(Arc::new(ServerPool::new(cached.collect(), config)))
}

/// What is said once of servers that leave out counts.
const UNCOUNTED: &str = "a server leaves out token counts: --max-tokens counts an estimate from characters in their place";

/// The observer of the calls of panels that read finished debates.
fn panel_watch(args: &RunArgs, progress: &Arc<Progress>, meter: &Arc<Meter>) -> PanelWatch {
    let (progress, meter) = (Arc::clone(progress), Arc::clone(meter));
    let has_limit = args.limits.has_token_limit();
    Arc::new(move |debate, event| {
        if meter.take_panel(debate, event) && has_limit {
            progress.notify(UNCOUNTED);
        }
    })
}

/// Observers of a run: the progress, the limits, and other processes.
fn watch(
    args: &RunArgs,
    expected: ExpectedCalls,
    (progress, live, meter): (&Arc<Progress>, &Arc<LiveFiles>, &Arc<Meter>),
) -> Watch {
    let (progress, meter, wanted) = (Arc::clone(progress), Arc::clone(meter), Arc::clone(live));
    let live = Arc::clone(live);
    let warnings = ModelWarnings::default();
    let (json, has_limit) = (args.json, args.limits.has_token_limit());
    let watch = Watch::new(move |event| {
        if meter.take(event) && has_limit {
            progress.notify(UNCOUNTED);
        }
        if let Some(message) = warnings.first(event) {
            progress.notify(message);
        }
        progress.event(event);
        expected.see(event);
        live.see(event);
    });
    watch.wanting_text(move || json || wanted.is_watched())
}
