//! Running batches as other commands see them, and requests to stop them (row B3). Each run announces itself in the working state and looks for files next to its
//! announcement. A request is addressed to one run, so that none outlives it.

use std::io::Read;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::layout::OutputDir;
use super::state::{self, RunState, StateFile};
use crate::clock::Clock;
use crate::files::{self, Claim, Result, name_of};
use crate::text;

/// The ending of the names of requests.
const ASKED: &str = "ask";
/// The ending of the names of answers.
const ANSWERED: &str = "answer";
/// Maximum bytes of a request or an answer to read.
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

/// A request that was made to a run.
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

    /// The requests waiting for an answer. Anything that is not a request is removed.
    pub fn requests(&self) -> Vec<(PathBuf, StopRequest)> {
        let mut found = Vec::new();
        for path in beside(&self.path, ASKED) {
            match read(&path).and_then(|text| serde_json::from_str(&text).ok()) {
                Some(request) => found.push((path, request)),
                None => drop(files::remove_file(&path)),
            }
        }
        found
    }

    /// Answers a request. If that fails, the other command reports that it got no answer.
    pub fn answer(&self, request: &Path, words: &str) {
        let _ = files::replace(&request.with_extension(ANSWERED), words.as_bytes());
        let _ = files::remove_file(request);
    }
}

impl RunningBatch {
    /// The runs in progress in an output directory. Removes what ended runs have left.
    pub fn all(output: &OutputDir) -> Result<Vec<Self>> {
        sweep(output)?;
        Self::seen(output)
    }

    /// The same without changing anything, for readers.
    pub fn seen(output: &OutputDir) -> Result<Vec<Self>> {
        let mut all = Vec::new();
        for path in files::list(&output.runs())? {
            if is_run(&name_of(&path))
                && is_file(&path)
                && let Some(holder) = Claim::holder(&path)?
            {
                let holder = text::one_line(&holder);
                all.push(Self { path, holder });
            }
        }
        Ok(all)
    }

    /// The usable states of the runs in progress.
    pub fn states(output: &OutputDir) -> Vec<RunState> {
        let runs = Self::seen(output).unwrap_or_default();
        runs.iter().filter_map(|run| run.state()?.ok()).collect()
    }

    /// The last progress of the newest run that was cut off by a kill or power cut. A run that ends by itself leaves none, and
    /// the next run, or `rebut clean`, removes it.
    pub fn cut_off(output: &OutputDir) -> Result<Option<RunState>> {
        let mut newest: Option<RunState> = None;
        for path in files::list(&output.runs())? {
            let is_claim = is_run(&name_of(&path)) && is_file(&path);
            if is_claim
                && Claim::holder(&path)?.is_none()
                && let Some(Ok(state)) = state::read(&path)
                && newest.as_ref().is_none_or(|it| it.written_at < state.written_at)
            {
                newest = Some(state);
            }
        }
        Ok(newest)
    }

    /// The run's state; `None` if it has not written any yet, an error if it can't be used.
    pub fn state(&self) -> Option<Result<RunState, String>> {
        state::read(&self.path)
    }

    /// Asks the run to stop debates.
    pub fn ask(self, request: &StopRequest) -> Result<PendingRequest> {
        let name = format!("{}.{}.{ASKED}", name_of(&self.path), std::process::id());
        let path = self.path.with_file_name(name);
        let content = serde_json::to_string(request).unwrap_or_default();
        files::replace(&path, content.as_bytes())?;
        Ok(PendingRequest { request: path, run: self.path, holder: self.holder })
    }
}

/// The run's reaction to a request so far.
#[derive(Debug, PartialEq, Eq)]
pub enum Reaction {
    /// The run's answer.
    Answered(String),
    /// The run has ended.
    Ended,
    /// There is no reaction yet.
    None,
}

impl PendingRequest {
    /// Looks for an answer. Once there is one, or the run has ended, the request is removed.
    pub fn look(&self) -> Result<Reaction> {
        let answer = self.request.with_extension(ANSWERED);
        // Checked before the answer, because the run may answer and end in between.
        let goes_on = Claim::holder(&self.run)?.is_some();
        let reaction = match read(&answer) {
            Some(words) => Reaction::Answered(text::one_line(&words)),
            None if goes_on => return Ok(Reaction::None),
            None => Reaction::Ended,
        };
        files::remove_file(&answer)?;
        files::remove_file(&self.request)?;
        Ok(reaction)
    }
}

/// Removes what ended runs have left: their claims, and requests to them.
fn sweep(output: &OutputDir) -> Result<()> {
    let runs = output.runs();
    files::sweep(&runs)?;
    files::sweep_claims(&runs, is_run)?;
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

/// The files of a run whose names have this ending.
fn beside(run: &Path, ending: &str) -> Vec<PathBuf> {
    let all = run.parent().map(files::list).and_then(Result::ok).unwrap_or_default();
    let begins = format!("{}.", name_of(run));
    let ends = |path: &Path| path.extension().is_some_and(|it| it == ending);
    all.into_iter().filter(|path| name_of(path).starts_with(&begins) && ends(path)).collect()
}

fn read(path: &Path) -> Option<String> {
    let mut text = String::new();
    let file = files::open_own(path).ok()?;
    file.take(MOST_BYTES).read_to_string(&mut text).ok()?;
    Some(text)
}
