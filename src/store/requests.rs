//! Requests of other commands to a run (row B3): each run announces itself in the working state, and looks for files next to that.
//! Requests are addressed to one run, so that none outlives it.

use std::io::Read;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::layout::OutputDir;
use super::state::{self, RunState, StateFile};
use crate::clock::Clock;
use crate::files::{self, Claim, FileError, name_of};
use crate::text;

/// How the names of files end that ask something of a run.
const ASKED: &str = "ask";
/// How the names of files end in which a run answers.
const ANSWERED: &str = "answer";
/// Maximum bytes of a request or an answer that are read.
const MOST_BYTES: u64 = 4_096;

/// Which debates a run is to stop.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StopRequest {
    /// A debate's id or the first digits of it, or a job's name; all debates if there is none.
    pub target: Option<String>,
}

/// A run that can be found and asked as long as this lives.
#[derive(Debug)]
pub struct Presence {
    path: PathBuf,
    _claim: Claim,
}

/// A run that continues, seen from outside.
#[derive(Debug)]
pub struct RunningBatch {
    path: PathBuf,
    /// What it is called.
    pub holder: String,
}

/// A request that was made of a run.
#[derive(Debug)]
pub struct PendingRequest {
    request: PathBuf,
    run: PathBuf,
    /// Who was asked.
    pub holder: String,
}

impl Presence {
    /// Announces a run in the name of `holder`.
    pub fn announce(output: &OutputDir, holder: &str, clock: &Clock) -> Result<Self, FileError> {
        sweep(output)?;
        let name = format!("{}-{}", std::process::id(), clock.now().timestamp_millis());
        // In two containers both may be called the same.
        let mut n = 0;
        loop {
            let path = output.runs().join(format!("{name}-{n}"));
            if let Ok(_claim) = Claim::take(&path, holder)? {
                return Ok(Self { path, _claim });
            }
            n += 1;
        }
    }

    /// Where it says how far it is.
    pub fn state_file(&self) -> StateFile {
        StateFile::beside(&self.path)
    }

    /// The requests that wait for an answer. What is not a request is dropped.
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

    /// Answers a request. Where that fails, whoever asked waits in vain and says so.
    pub fn answer(&self, request: &Path, words: &str) {
        let _ = files::replace(&request.with_extension(ANSWERED), words.as_bytes());
        let _ = files::remove_file(request);
    }
}

impl RunningBatch {
    /// The runs over an output directory that continue. What ended runs left is removed.
    pub fn all(output: &OutputDir) -> Result<Vec<Self>, FileError> {
        sweep(output)?;
        Self::seen(output)
    }

    /// The same for who only looks: nothing is changed.
    pub fn seen(output: &OutputDir) -> Result<Vec<Self>, FileError> {
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

    /// The last progress of the newest run that was cut off: killed, or by a power cut. A run that ends itself leaves none, and the
    /// next one removes it.
    pub fn cut_off(output: &OutputDir) -> Result<Option<RunState>, FileError> {
        let mut newest: Option<RunState> = None;
        for path in files::list(&output.runs())? {
            let is_claim = is_run(&name_of(&path)) && is_file(&path);
            if is_claim
                && Claim::holder(&path)?.is_none()
                && let Some(Ok(state)) = state::read(&path)
                && newest
                    .as_ref()
                    .is_none_or(|it| it.written_at < state.written_at)
            {
                newest = Some(state);
            }
        }
        Ok(newest)
    }

    /// What it says of itself; nothing before it says anything, or why that can't be used.
    pub fn state(&self) -> Option<Result<RunState, String>> {
        state::read(&self.path)
    }

    /// Asks it to stop debates.
    pub fn ask(self, request: &StopRequest) -> Result<PendingRequest, FileError> {
        let name = format!("{}.{}.{ASKED}", name_of(&self.path), std::process::id());
        let path = self.path.with_file_name(name);
        let content = serde_json::to_string(request).unwrap_or_default();
        files::replace(&path, content.as_bytes())?;
        Ok(PendingRequest {
            request: path,
            run: self.path,
            holder: self.holder,
        })
    }
}

/// What is known of a request.
#[derive(Debug, PartialEq, Eq)]
pub enum Reaction {
    /// The run's words.
    Answered(String),
    /// The run has ended.
    Ended,
    /// Nothing yet.
    None,
}

impl PendingRequest {
    /// Looks for an answer; once there is one, or the run has ended, nothing is left of the request.
    pub fn look(&self) -> Result<Reaction, FileError> {
        let answer = self.request.with_extension(ANSWERED);
        // Looked at before the answer: a run may answer and end in between.
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

/// Removes what ended runs left: their claims, and what was asked of them.
fn sweep(output: &OutputDir) -> Result<(), FileError> {
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

/// Anything else there was put there by someone else.
fn is_file(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|it| it.is_file())
}

/// Whether this is the name of a run's claim: numbers between dashes.
fn is_run(name: &str) -> bool {
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    name.split('-').count() == 3 && name.split('-').all(is_number)
}

/// The files of a run whose names end so.
fn beside(run: &Path, ending: &str) -> Vec<PathBuf> {
    let all = run.parent().map(files::list);
    let all = all.and_then(Result::ok).unwrap_or_default();
    let begins = format!("{}.", name_of(run));
    let ends = |path: &Path| path.extension().is_some_and(|it| it == ending);
    let its = all.into_iter();
    its.filter(|path| name_of(path).starts_with(&begins) && ends(path))
        .collect()
}

fn read(path: &Path) -> Option<String> {
    let mut text = String::new();
    let file = files::open_own(path).ok()?;
    file.take(MOST_BYTES).read_to_string(&mut text).ok()?;
    Some(text)
}
