//! The place of live files, their owners, and whether someone is watching.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::clock::Clock;
use crate::digest;
use crate::files;
use crate::id::{self, DebateId};
use crate::store::layout::OutputDir;
use crate::store::running_batches::RunningBatch;

/// The version of the format of these files.
pub(super) const VERSION: u32 = 1;
/// Digits of an id in the name of a live file.
const DIGITS: usize = id::SHORT;
/// Seconds after a look at a debate for which arriving text is written.
const LOOK: i64 = 10;

/// The first line of a live file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiveHeader {
    /// The version of the format.
    pub live: u32,
    /// The debate's id.
    pub debate: DebateId,
    /// The name of the process that runs the debate, as in its claims.
    pub run: String,
    /// The process.
    pub pid: u32,
    /// Number of live files that the run had begun before this one.
    pub n: u64,
}

/// The first twelve digits of a debate's id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ShortId([u8; DIGITS]);

impl ShortId {
    /// These digits, if they are twelve.
    pub fn parse(text: &str) -> Option<Self> {
        let digits: [u8; DIGITS] = text.as_bytes().try_into().ok()?;
        digest::is_hex(&digits, DIGITS).then_some(Self(digits))
    }

    /// The digits of this id.
    pub fn of(id: &DebateId) -> Self {
        let digits = id.short().as_bytes().try_into();
        Self(digits.expect("an id is longer than its first digits"))
    }

    /// The digits.
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).expect("hexadecimal digits are UTF-8")
    }
}

/// The live file of a debate.
pub fn path(output: &OutputDir, id: &ShortId) -> PathBuf {
    output.live().join(format!("{}.jsonl", id.as_str()))
}

/// The debates that have live files.
pub fn all(output: &OutputDir) -> Vec<ShortId> {
    let names = files::list(&output.live()).unwrap_or_default();
    let id = |path: &PathBuf| ShortId::parse(files::name_of(path).strip_suffix(".jsonl")?);
    names.iter().filter_map(id).collect()
}

/// Whether the process that writes this file is still running, going by its own announcement. Checking the debate's claim would
/// mean holding it for a moment in which a run could not take it.
pub fn is_running(output: &OutputDir, header: &LiveHeader) -> bool {
    let runs = RunningBatch::seen(output).unwrap_or_default();
    runs.iter().any(|run| run.holder == header.run)
}

/// Signals for ten seconds that someone is watching. If that fails, text only appears when it is complete.
pub fn look(output: &OutputDir, clock: &Clock) {
    let _ = files::touch(&watched(output), clock.now().into());
}

/// Whether someone is watching.
pub(super) fn is_watched(output: &OutputDir, clock: &Clock) -> bool {
    let touched = watched(output).symlink_metadata().and_then(|found| found.modified()).ok();
    touched.is_some_and(|at| (clock.now() - chrono::DateTime::from(at)).num_seconds() < LOOK)
}

fn watched(output: &OutputDir) -> PathBuf {
    output.live().join("watched")
}

/// Whether a line of JSON on disk can be passed on in a stream of lines as it is.
pub(super) fn is_one_line(line: &[u8]) -> bool {
    !line.iter().any(u8::is_ascii_control)
}

/// The file of a finished debate's logged events.
pub fn logged(dir: &Path) -> PathBuf {
    dir.join("events.jsonl")
}
