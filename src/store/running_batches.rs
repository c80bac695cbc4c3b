//! Running batches as other commands see them, and requests to stop them (row B3). Each run announces itself in the working state and looks for files next to its
//! announcement. A request is addressed to one run, so that none outlives it.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::layout::OutputDir;
use super::next_command;
use super::state::{self, RunState, StateFile};
use crate::clock::Clock;
use crate::files::{self, Claim, Result, name_of};
use crate::text;

/// The ending of the names of requests.
const ASKED: &str = "ask";
/// The ending of the names of refused requests.
const REFUSED: &str = "refused";
/// Maximum bytes of a request to read.
const MOST_BYTES: u64 = 4_096;

/// The debates that a run is asked to stop.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StopRequest {
    /// A debate's id or its first digits, or a job's name; `None` for all debates.
    pub target: Option<String>,
}

/// Makes a run visible to others and open to their requests, until dropped.
#[derive(Debug)]
pub struct Presence {
    path: PathBuf,
    _claim: Claim,
}

/// A run in progress, seen from outside.
#[derive(Debug)]
pub struct RunningBatch {
    path: PathBuf,
    /// The run's name in its claims.
    pub holder: String,
}

/// A run that was cut off.
#[derive(Debug)]
pub struct CutOffRun {
    path: PathBuf,
    /// Its name in its claims.
    pub holder: String,
    /// Its last progress.
    pub state: RunState,
}

/// A request to a run, which removes it as it takes it.
#[derive(Debug)]
pub struct PendingRequest {
    request: PathBuf,
    run: PathBuf,
    /// The name of the run that was asked.
    pub holder: String,
}

impl Presence {
    /// Announces a run under the name `holder`.
    pub fn announce(output: &OutputDir, holder: &str, clock: &Clock) -> Result<Self> {
        sweep(output)?;
        let name = format!("{}-{}", std::process::id(), clock.now().timestamp_millis());
        // Processes in two containers can have the same number.
        let mut n = 0;
        loop {
            let path = output.runs().join(format!("{name}-{n}"));
            if let Ok(_claim) = Claim::take(&path, holder)? {
                return Ok(Self { path, _claim });
            }
            n += 1;
        }
    }

    /// The file into which the run writes its progress.
    pub fn state_file(&self) -> StateFile {
        StateFile::beside(&self.path)
    }

    /// Takes the requests to this run; `take` says whether it knows the target. Anything else in their place is removed.
    pub fn take_requests(&self, mut take: impl FnMut(StopRequest) -> bool) {
        for path in requests(&self.path) {
            let bytes = files::read_own_at_most(&path, MOST_BYTES).unwrap_or_default();
            let is_refused = serde_json::from_slice(&bytes).is_ok_and(|asked| !take(asked));
            // If that fails, the other command reports that the request was not taken.
            let no = path.with_extension(REFUSED);
            let _ = if is_refused { files::rename(&path, &no) } else { files::remove_file(&path) };
        }
    }
}

impl RunningBatch {
    /// The runs in progress in an output directory.
    pub fn seen(output: &OutputDir) -> Result<Vec<Self>> {
        let mut all = Vec::new();
        for path in files::list(&output.runs())? {
            if is_run(&name_of(&path))
                && is_file(&path)
                && let Some(holder) = Claim::holder(&path)?
            {
                all.push(Self { path, holder: text::one_line(&holder) });
            }
        }
        Ok(all)
    }

    /// The usable states of the runs in progress, with commands for a reader here.
    pub fn states(output: &OutputDir) -> Vec<RunState> {
        let runs = Self::seen(output).unwrap_or_default();
        let states = runs.iter().filter_map(|run| run.state()?.ok());
        states.map(|state| next_command::of_run(output, state)).collect()
    }

    /// The runs that were cut off by a kill or power cut, the newest last. A run that ends by itself leaves nothing; the next one,
    /// or `rebut clean`, sums up what is left of these, and removes it.
    pub fn all_cut_off(output: &OutputDir) -> Result<Vec<CutOffRun>> {
        let all = files::list(&output.runs())?.into_iter();
        let mut all: Vec<CutOffRun> = all.filter_map(CutOffRun::at).collect();
        all.sort_by_key(|run| run.state.written_at);
        Ok(all)
    }

    /// The run's state; `None` if it has not written any yet, an error if it can't be used.
    pub fn state(&self) -> Option<Result<RunState, String>> {
        state::read(&self.path)
    }

    /// Asks the run to stop debates.
    pub fn ask(self, request: &StopRequest) -> Result<PendingRequest> {
        let name = format!("{}.{}.{ASKED}", name_of(&self.path), std::process::id());
        let path = self.path.with_file_name(name);
        let content = serde_json::to_string(request).expect("a request is JSON");
        files::replace(&path, content.as_bytes())?;
        Ok(PendingRequest { request: path, run: self.path, holder: self.holder })
    }
}

impl CutOffRun {
    /// What is left of a run whose claim was at this path, if it can be continued.
    fn at(path: PathBuf) -> Option<Self> {
        let is_free =
            is_run(&name_of(&path)) && is_file(&path) && Claim::holder(&path).ok()?.is_none();
        let state =
            state::read(&path).filter(|_| is_free)?.ok().filter(|it| !it.next.is_empty())?;
        let holder = files::read_own_at_most(&path, MOST_BYTES).ok()?;
        let holder = String::from_utf8_lossy(&holder).into_owned();
        Some(Self { path, holder, state })
    }

    /// Removes it, unless its number was given to another run since.
    pub fn forget(self) -> Result<()> {
        files::remove_if_free(&self.path)
    }
}

impl PendingRequest {
    /// Whether the run has taken it, or has ended.
    pub fn is_over(&self) -> Result<bool> {
        Ok(!self.request.exists() || Claim::holder(&self.run)?.is_none())
    }

    /// Whether the run does not know the target. It is told once.
    pub fn was_refused(&self) -> bool {
        let refusal = self.request.with_extension(REFUSED);
        refusal.exists() && files::remove_file(&refusal).is_ok()
    }

    /// Whether the run has ended without taking it; then it goes.
    pub fn was_missed(&self) -> bool {
        self.request.exists() && files::remove_file(&self.request).is_ok()
    }
}

/// Removes what ended runs have left: their claims, and requests to them. What is to be summed up stays.
pub(super) fn sweep(output: &OutputDir) -> Result<()> {
    let runs = output.runs();
    files::sweep(&runs)?;
    let is_over = |name: &str| is_run(name) && CutOffRun::at(runs.join(name)).is_none();
    files::sweep_claims(&runs, is_over)?;
    for path in files::list(&runs)? {
        let name = name_of(&path);
        let of = name.split('.').next().unwrap_or_default();
        let is_left = !is_run(&name) && is_run(of) && !runs.join(of).exists();
        if is_left && is_file(&path) {
            files::remove_file(&path)?;
        }
    }
    Ok(())
}

/// Whether this is a regular file. The run writes nothing else here.
fn is_file(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|it| it.is_file())
}

/// Whether this is the name of a run's claim: three numbers joined by dashes.
fn is_run(name: &str) -> bool {
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    name.split('-').count() == 3 && name.split('-').all(is_number)
}

/// The requests to a run.
fn requests(run: &Path) -> Vec<PathBuf> {
    let all = run.parent().map(files::list).and_then(Result::ok).unwrap_or_default();
    let begins = format!("{}.", name_of(run));
    let is_one = |path: &PathBuf| {
        name_of(path).starts_with(&begins) && path.extension().is_some_and(|it| it == ASKED)
    };
    all.into_iter().filter(is_one).collect()
}
