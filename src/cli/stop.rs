//! `rebut stop`: asks running batches to stop.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use super::args::output_directory::{self, OutputArg};
use super::process::failure::{Failure, done_if};
use super::terminal::print;
use crate::id::{self, DebateId};
use crate::job::problem::suggestions::nearest;
use crate::store::layout::OutputDir;
use crate::store::running_batches::{PendingRequest, RunningBatch, StopRequest};
use crate::store::state::RunState;

/// How often it looks whether a request was taken. A run looks for requests every second.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// How long it waits for that.
const PATIENCE: Duration = Duration::from_secs(30);

/// Stop a running batch, or some of its debates, cleanly
///
/// Calls in flight finish, and the same `rebut run` continues later. This stops every `rebut run` on the output directory,
/// wherever it was started.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Stop only this debate (id of at least 4 digits, or directory) or the debates of this job [default: everything]
    #[arg(value_name = "DEBATE|JOB")]
    target: Option<String>,
    #[command(flatten)]
    output: OutputArg,
}

pub(super) fn main(args: &Args) -> Result<ExitCode, Failure> {
    let output = args.output.existing()?;
    let target = args.target.as_deref();
    if let Some(dir) = target.filter(|named| OutputDir::at(Path::new(named)).is_one()) {
        let command = format!("rebut stop{}", output_directory::flag(Path::new(dir)));
        let cause = format!("{dir} is an output directory, not a debate or a job");
        return Err(Failure::input(cause, format!("to stop what is running there: {command}")));
    }
    let target = target.map(|named| output_directory::id_in(named).unwrap_or(named).to_owned());
    let request = StopRequest { target };
    let runs = RunningBatch::seen(&output)?;
    let status = format!("`rebut status{}`", output_directory::positional(&args.output.dir));
    if runs.is_empty() {
        let nothing = format!("nothing is running in {}", args.output.dir.display());
        if request.target.is_some() {
            return Err(Failure::input(nothing, format!("{status} says what is left there")));
        }
        print::told(&nothing);
        return Ok(ExitCode::SUCCESS);
    }
    let told = Told::of(&output, &runs)?;
    let what = match &request.target {
        None => "to stop: calls in flight end first".to_owned(),
        Some(it) if told.has(it) => format!("to stop {it}: calls in flight end first"),
        Some(target) if id::may_be(target) && args.output.debate(target).is_ok() => {
            return Err(Failure::input(format!("debate `{target}` is finished"), ""));
        }
        Some(target) if told.has_all_jobs && !id::may_be(target) => {
            return Err(told.lacks(target, &status));
        }
        Some(target) => format!("not to start {target}, which is not in progress"),
    };
    let asked = runs.into_iter().map(|run| run.ask(&request)).collect::<Result<Vec<_>, _>>()?;
    let answers = asked.iter().map(|pending| report(pending, &what));
    let taken: Vec<bool> = answers.filter_map(Result::transpose).collect::<Result<_, _>>()?;
    match request.target {
        // Where its run ended first, it runs no longer.
        Some(target) if taken.is_empty() && !told.has(&target) => Err(told.lacks(&target, &status)),
        _ => Ok(done_if(taken.into_iter().all(|it| it))),
    }
}

/// The debates begun and the jobs, as far as the runs tell theirs. Only a run knows all that it has still to begin.
struct Told {
    /// The debates in progress.
    ids: BTreeSet<String>,
    /// Those that no process is at.
    left: Vec<DebateId>,
    jobs: BTreeSet<String>,
    /// Whether these are all jobs of the runs.
    has_all_jobs: bool,
}

impl Told {
    fn of(output: &OutputDir, runs: &[RunningBatch]) -> Result<Self, Failure> {
        let states: Vec<RunState> = runs.iter().filter_map(|run| run.state()?.ok()).collect();
        let is_whole = states.len() == runs.len() && states.iter().all(|it| it.more_jobs == 0);
        let (begun, left): (Vec<_>, Vec<_>) =
            (output.begun()?.into_iter()).partition(|id| !matches!(output.holder_of(id), Ok(None)));
        let begun = begun.iter().map(|id| id.short().to_owned());
        let open = states.iter().flat_map(|it| &it.open).map(|it| it.id.clone());
        let jobs = states.iter().flat_map(|it| &it.jobs).cloned();
        let (ids, jobs) = (begun.chain(open).collect(), jobs.collect());
        Ok(Self { ids, left, jobs, has_all_jobs: is_whole })
    }

    fn has(&self, target: &str) -> bool {
        self.jobs.contains(target) || self.ids.iter().any(|id| id::names(target, id))
    }

    /// The failure for a target that no run knows; `status` is the command that tells more.
    fn lacks(&self, target: &str, status: &str) -> Failure {
        if self.left.iter().any(|id| id::names(target, id)) {
            let cause = format!("debate `{target}` is unfinished, but not running");
            return Failure::input(cause, format!("{status} says what continues it"));
        }
        let ids = self.ids.iter().filter(|_| target.len() >= id::MOST_ALIKE);
        let ids = ids.map(|id| id.get(..target.len()).unwrap_or(id)).filter(|id| *id != target);
        let near = nearest(target, self.jobs.iter().map(String::as_str).chain(ids));
        let near = near.map(|near| format!("did you mean `{near}`? ")).unwrap_or_default();
        let hint = format!("{near}{status} lists the jobs and the debates in progress");
        Failure::input(format!("no running debate or job is called `{target}`"), hint)
    }
}

/// Waits until a run has taken the request to stop, and says so; returns whether it did, or nothing if it has nothing of that name or
/// has ended.
fn report(pending: &PendingRequest, what: &str) -> Result<Option<bool>, Failure> {
    let (asked, holder) = (Instant::now(), &pending.holder);
    while !pending.is_over()? {
        if asked.elapsed() >= PATIENCE {
            let seconds = PATIENCE.as_secs();
            print::remark(&format!(
                "{holder} has not answered for {seconds} s: it stops when it sees the request"
            ));
            return Ok(Some(false));
        }
        std::thread::sleep(LOOK_EVERY);
    }
    if pending.was_refused() {
        return Ok(None);
    }
    if pending.was_missed() {
        print::remark(&format!("{holder} ended before it saw the request"));
        return Ok(None);
    }
    print::told(&format!("asked {holder} {what}"));
    Ok(Some(true))
}
