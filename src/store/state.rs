//! A run's state for other processes (row B3): a file next to its announcement, replaced after changes and removed with the run. It is
//! not synced, so a power cut may take its newest state along. The run's lock tells a live run from one that was cut off.

use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::artifacts::batch::{Cause, DebateCounts, DebateLink};
use crate::files;
use crate::machine;
use crate::servers::ServerView;
use crate::text::{self, grouped};
use crate::trace::major;

/// The version of the format. Readers refuse another major version and accept any minor one.
pub const SCHEMA_VERSION: &str = "3.1";
/// The ending of the names of these files.
pub(super) const STATE: &str = "state";
/// Maximum jobs and maximum open debates listed; the rest is counted.
pub const LISTED: usize = 200;
/// Maximum orphaned debates listed.
pub const ORPHANED: usize = 10_000;
/// Maximum characters of the command.
const COMMAND: usize = 4000;
/// Maximum bytes of the command that continues it.
const NEXT: usize = 1 << 16;
/// Maximum bytes of a state file to read. A listed debate takes less than 3 KB.
const MOST_BYTES: u64 = 1 << 20;

/// A run's progress.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunState {
    /// The version of this format, MAJOR.MINOR.
    pub schema_version: String,
    /// The version of `rebut`.
    pub rebut: String,
    /// The process.
    pub pid: u32,
    /// The machine's name; empty if it has none.
    pub host: String,
    /// The command, quoted for a shell; cut with an ellipsis after 4,000 characters.
    pub command: String,
    /// Where it is run; absent if that is unknown.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub working_directory: String,
    /// The command that continues it: without `--restart`, `--retry`, `--until` and `--notify`. Empty if it has more than 65,536
    /// characters, or continues nothing.
    pub next: String,
    /// A digest of its job files' names and of its options that shape debates.
    pub made_from: String,
    /// The debates left by an earlier batch of the same origin that its jobs no longer contain, each by the first twelve digits of its
    /// id, at most 10,000.
    #[serde(default)]
    pub orphaned: Vec<String>,
    /// Whether its debates are rehearsals.
    pub rehearsal: bool,
    /// When the run began.
    #[serde(serialize_with = "crate::clock::serialize")]
    pub started_at: DateTime<Utc>,
    /// When this was written; nothing has changed since.
    #[serde(serialize_with = "crate::clock::serialize")]
    pub written_at: DateTime<Utc>,
    /// The names of its jobs, at most 200.
    pub jobs: Vec<String>,
    /// The number of further jobs.
    pub more_jobs: usize,
    /// Its debates.
    pub debates: DebateState,
    /// Its calls.
    pub calls: CallState,
    /// Estimated seconds left, from `written_at`; `null` if there is no estimate yet.
    pub seconds_left: Option<u64>,
    /// The debates in progress, oldest first, at most 200.
    pub open: Vec<OpenDebate>,
    /// The number of further debates in progress.
    pub more_open: usize,
    /// Its servers.
    pub servers: Vec<ServerView>,
    /// Its last messages to the user, newest last.
    pub notices: Vec<Notice>,
    /// Why debates of this run are degraded, failed or unfinished so far, those with the most debates first.
    pub causes: Vec<Cause>,
    /// How many debates have causes that are not listed.
    pub other_causes: usize,
}

impl RunState {
    /// A run of this process with this command, continued by the next one.
    pub fn new(command: &str, next: &str) -> Self {
        let next = text::one_line(next);
        Self {
            schema_version: SCHEMA_VERSION.to_owned(),
            rebut: env!("CARGO_PKG_VERSION").to_owned(),
            pid: std::process::id(),
            host: machine::host_name(),
            command: text::shorten(command, COMMAND),
            working_directory: machine::working_directory(),
            next: if next.len() > NEXT { String::new() } else { next },
            ..Self::default()
        }
    }

    /// Whether anything ran in it.
    pub fn has_done_anything(&self) -> bool {
        let DebateState { done, degraded, failed, parked, in_progress, .. } = self.debates;
        let counts = [done, degraded, failed, parked, in_progress];
        counts.iter().any(|n| *n > 0) || self.calls.done + self.calls.failed > 0
    }

    /// Whether its command chooses among the debates of its jobs.
    pub fn chooses(&self) -> bool {
        ["--only", "--limit"].iter().any(|flag| self.has(flag))
    }

    /// Whether its command has this option.
    fn has(&self, flag: &str) -> bool {
        self.command.split_whitespace().any(|word| word.split('=').next() == Some(flag))
    }
}

/// Numbers of debates in a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DebateState {
    /// All debates.
    pub chosen: usize,
    /// Done in this run.
    pub done: usize,
    /// Degraded in this run: something important is missing.
    pub degraded: usize,
    /// Failed in this run: ended early.
    pub failed: usize,
    /// Left unfinished in this run.
    pub parked: usize,
    /// In progress.
    pub in_progress: usize,
    /// Not begun in this run.
    pub queued: usize,
    /// Finished earlier, or by another run.
    pub finished_before: usize,
}

impl DebateState {
    /// How debates ended so far, in the words of a batch's summary, unless all are done, and how many were left unfinished, which is no end:
    /// `: 59 done, 2 degraded; 3 finished before; 1 unfinished`.
    pub fn by_end(&self) -> String {
        let counts = DebateCounts {
            done: self.done,
            degraded: self.degraded,
            failed: self.failed,
            finished_before: self.finished_before,
            ..DebateCounts::default()
        };
        let ends = Some(counts).filter(|_| self.done < self.ended());
        let ends = ends.map(|it| format!(": {}", it.in_words())).unwrap_or_default();
        let left = Some(self.parked).filter(|it| *it > 0);
        let left = left.map(|it| format!("; {} unfinished", grouped(it))).unwrap_or_default();
        ends + &left
    }

    /// How many have ended: `12 of 200 debates ended`, or `done` where all of these are.
    pub fn progress(&self) -> String {
        let noun = if self.chosen == 1 { "debate" } else { "debates" };
        let [ended, chosen] = [self.ended(), self.chosen].map(grouped);
        format!("{ended} of {chosen} {noun} {}", self.word())
    }

    /// What has become of those that have ended.
    pub fn word(&self) -> &'static str {
        if self.done > 0 && self.done == self.ended() { "done" } else { "ended" }
    }

    /// Debates that came to their end. What was stopped or left unfinished did not.
    pub fn ended(&self) -> usize {
        let ends = [self.done, self.degraded, self.failed, self.finished_before];
        ends.into_iter().fold(0, usize::saturating_add)
    }
}

/// The calls of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CallState {
    /// Answered.
    pub done: u64,
    /// On a server.
    pub in_flight: u64,
    /// Waiting for their turn.
    pub waiting: u64,
    /// Failed attempts.
    pub failed: u64,
    /// Estimated calls left; `null` if there is no estimate yet.
    pub left: Option<u64>,
}

/// A debate in progress.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OpenDebate {
    /// The first twelve digits of its id.
    pub id: String,
    /// Its job.
    pub job: String,
    /// Its format.
    pub format: String,
    /// What tells its topic from those of the job's other debates, in a few words.
    pub topic: String,
    /// Its topic, as lists show it.
    pub heading: String,
    /// What tells it from the job's other debates besides the topic, in a few words.
    pub label: String,
    /// The round; 0 before the first and after the last.
    pub round: u64,
    /// Which of the runs of its setting it is, from 1.
    pub repetition: u32,
    /// The maximum number of rounds.
    pub rounds: u64,
    /// How its last round ended, in a line, if that says more than who spoke.
    pub standing: String,
    /// When this run opened it.
    #[serde(serialize_with = "crate::clock::serialize")]
    pub opened_at: DateTime<Utc>,
    /// Calls answered in this run.
    pub calls: u64,
    /// Its calls in progress.
    pub asked: Vec<AskedCall>,
}

impl OpenDebate {
    /// The debate, for the summary of a batch that leaves it unfinished.
    pub fn link(&self) -> DebateLink {
        let Self { id, heading, label, .. } = self.clone();
        DebateLink { id, topic: heading, label, ..DebateLink::default() }
    }

    /// Whether a server is working on it.
    pub fn is_busy(&self) -> bool {
        self.asked.iter().any(|call| call.in_flight)
    }

    /// Whether all of its calls wait for their turn.
    pub fn waits(&self) -> bool {
        !self.asked.is_empty() && !self.is_busy()
    }

    /// The calls to show: those on a server, or the waiting ones if there are none.
    pub fn shown(&self) -> Vec<&AskedCall> {
        let (is_busy, calls) = (self.is_busy(), self.asked.iter());
        calls.filter(|call| call.in_flight == is_busy).collect()
    }

    /// What the debate is doing, in a few words; `told` describes a call.
    pub fn doing(&self, told: impl Fn(&AskedCall) -> String) -> String {
        let waits = if self.is_busy() { "" } else { "waiting: " };
        match self.shown().as_slice() {
            [] => "between two calls".to_owned(),
            [one] => format!("{waits}{}", told(one)),
            [one, more @ ..] => format!("{waits}{}, {} more", told(one), more.len()),
        }
    }

    /// The current round: `2/5`, or a dash before the first and after the last.
    pub fn in_round(&self) -> String {
        if self.round == 0 { "–".to_owned() } else { format!("{}/{}", self.round, self.rounds) }
    }
}

/// A call in progress.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AskedCall {
    /// The activity, in words.
    pub doing: String,
    /// The model.
    pub model: String,
    /// Whether it is on a server; otherwise it is waiting for its turn.
    pub in_flight: bool,
}

/// A message to the user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Notice {
    /// The time.
    #[serde(serialize_with = "crate::clock::serialize")]
    pub at: DateTime<Utc>,
    /// The message.
    pub text: String,
}

/// The state file of a run, removed when dropped.
#[derive(Debug)]
pub struct StateFile {
    path: PathBuf,
}

impl StateFile {
    /// The file of the run announced at this path.
    pub(super) fn beside(run: &Path) -> Self {
        Self { path: run.with_extension(STATE) }
    }

    /// Replaces the file. A failure is ignored, because a run should not end just because nobody can watch it.
    pub fn write(&self, state: &RunState) {
        let _ = files::replace_unsynced(&self.path, |file| Ok(serde_json::to_writer(file, state)?));
    }
}

impl Drop for StateFile {
    fn drop(&mut self) {
        // If that fails, it is removed with the run's other files.
        let _ = files::remove_file(&self.path);
    }
}

/// The state written by the run announced at this path; `None` if there is none yet, an error if it can't be read.
pub(super) fn read(run: &Path) -> Option<Result<RunState, String>> {
    let path = run.with_extension(STATE);
    path.symlink_metadata().is_ok().then(|| parse(&path))
}

fn parse(path: &Path) -> Result<RunState, String> {
    let unreadable = |why: String| format!("{} can't be used: {why}", path.display());
    let bytes = files::read_own_at_most(path, MOST_BYTES).map_err(|e| e.to_string())?;
    let state: RunState = serde_json::from_slice(&bytes).map_err(|e| unreadable(e.to_string()))?;
    if major(&state.schema_version) == major(SCHEMA_VERSION) {
        Ok(state)
    } else {
        Err(unreadable(format!(
            "it has version {}, but this rebut reads {SCHEMA_VERSION}",
            state.schema_version
        )))
    }
}
