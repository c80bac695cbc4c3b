//! The place of live files, their owners, and whether someone is watching.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::clock::Clock;
use crate::files;
use crate::id::DebateId;
use crate::store::layout::OutputDir;
use crate::store::requests::RunningBatch;

/// The version of the shape of these files.
pub(super) const VERSION: u32 = 1;
/// How many digits of an id name a live file.
const DIGITS: usize = 12;
/// Seconds for which a look at a debate lasts: text that arrives is written for so long.
const LOOK: i64 = 10;

/// The first line of a live file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiveHeader {
    /// The version of the shape.
    pub live: u32,
    /// The debate's id.
    pub debate: DebateId,
    /// Who runs it.
    pub run: String,
    /// The process.
    pub pid: u32,
    /// How many such files the run had begun before this one.
    pub n: u64,
}

/// The first twelve digits of a debate's id.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ShortId(String);

impl ShortId {
    /// These digits, if they are twelve.
    pub fn parse(text: &str) -> Option<Self> {
        let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        let is_one = text.len() == DIGITS && text.bytes().all(is_digit);
        is_one.then(|| Self(text.to_owned()))
    }

    /// Those of this id.
    pub fn of(id: &DebateId) -> Self {
        Self(id.short().to_owned())
    }

    /// The digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The live file of a debate.
pub fn path(output: &OutputDir, id: &ShortId) -> PathBuf {
    output.live().join(format!("{}.jsonl", id.0))
}

/// The debates that have live files.
pub fn all(output: &OutputDir) -> Vec<ShortId> {
    let names = files::list(&output.live()).unwrap_or_default();
    let id = |path: &PathBuf| ShortId::parse(files::name_of(path).strip_suffix(".jsonl")?);
    names.iter().filter_map(id).collect()
}

/// Whether the process that writes this file continues. Its own announcement tells: to look at a debate's claim would be to
/// hold it for a moment, in which a run could not take it.
pub fn is_running(output: &OutputDir, header: &LiveHeader) -> bool {
    let runs = RunningBatch::seen(output).unwrap_or_default();
    let process = format!("process {} since ", header.pid);
    runs.iter().any(|run| run.holder.starts_with(&process))
}

/// Says that someone is watching, for ten seconds from now. Where that cannot be said, text comes when it is complete.
pub fn look(output: &OutputDir, clock: &Clock) {
    let _ = files::touch(&watched(output), clock.now().into());
}

/// Whether someone is watching.
pub(super) fn is_watched(output: &OutputDir, clock: &Clock) -> bool {
    let touched = watched(output).symlink_metadata();
    let touched = touched.and_then(|found| found.modified()).ok();
    touched.is_some_and(|at| (clock.now() - chrono::DateTime::from(at)).num_seconds() < LOOK)
}

fn watched(output: &OutputDir) -> PathBuf {
    output.live().join("watched")
}

/// Whether a line of JSON on disk can go into a stream of lines as it is.
pub(super) fn is_one_line(line: &[u8]) -> bool {
    !line.iter().any(u8::is_ascii_control)
}

/// The file of a finished debate's logged events.
pub fn logged(dir: &Path) -> PathBuf {
    dir.join("events.jsonl")
}
