//! `facts.json`: a debate's facts next to its trace, so that reading many debates parses no traces.
//!
//! It is a cache. The commit writes it, as does whatever replaces a trace; it is made again if it is missing, damaged, of another
//! version or of another state of the trace. That state is the trace's size and time of modification as they were when the facts were
//! made. Which of the two files is newer would say nothing after a copy, and a digest would take reading every trace. A copy that
//! doesn't keep times makes the facts stale, and an edit that keeps both size and time goes unnoticed.

use std::cell::RefCell;
use std::fs::Metadata;
use std::io::Read;
use std::path::Path;
use std::sync::OnceLock;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::Facts;
use crate::files::{self, FileError};
use crate::templates::inert_json;
use crate::trace::{self, ReadError, Trace};

/// The name of the file.
pub const FACTS: &str = "facts.json";

/// The version of the meaning of [`Facts`]: to be raised when a field or what is put into it changes.
const VERSION: u32 = 38;

/// The largest file that is believed.
const MOST_BYTES: usize = 4 << 20;

/// What most files have room in, so that one reading suffices.
const USUAL_BYTES: usize = 16 << 10;

/// How old a trace must be before facts made from it are kept, in nanoseconds. One that was written just now may be written again
/// within what the file system takes for the same time (two seconds on FAT), and nobody would notice.
const SETTLED_NS: u64 = 2_000_000_000;

thread_local! {
    /// What a thread reads files into, one after the other.
    static BUFFER: RefCell<Vec<u8>> = RefCell::default();
}

/// What is in the file.
#[derive(Serialize, Deserialize)]
struct FactsFile<F> {
    facts_version: u32,
    trace: Stamp,
    facts: F,
}

/// What tells that a trace did not change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Stamp {
    bytes: u64,
    modified_ns: u64,
}

impl Stamp {
    /// That of a file whose time is known.
    fn from_metadata(metadata: &Metadata) -> Option<Self> {
        Some(Self {
            bytes: metadata.len(),
            modified_ns: nanoseconds(metadata.modified().ok()?.into())?,
        })
    }
}

fn nanoseconds(time: DateTime<Utc>) -> Option<u64> {
    u64::try_from(time.timestamp_nanos_opt()?).ok()
}

/// The content of `facts.json` beside the trace that was just written to `path`.
pub fn content(path: &Path, facts: &Facts) -> Option<Vec<u8>> {
    encode(facts, Stamp::from_metadata(&path.metadata().ok()?)?)
}

fn encode(facts: &Facts, trace: Stamp) -> Option<Vec<u8>> {
    let file = FactsFile { facts_version: VERSION, trace, facts };
    let text = inert_json(&serde_json::to_string(&file).ok()?) + "\n";
    (text.len() <= MOST_BYTES).then(|| text.into_bytes())
}

/// The facts in these bytes, if they are of this state of the trace and sound.
fn decode(bytes: &[u8], trace: Stamp) -> Option<Box<Facts>> {
    // The whole is checked once, instead of each string in it.
    let text = std::str::from_utf8(bytes).ok()?;
    let file: FactsFile<Box<Facts>> = serde_json::from_str(text).ok()?;
    let current = file.facts_version == VERSION && file.trace == trace;
    (current && file.facts.is_sound()).then_some(file.facts)
}

/// Reads facts, and keeps beside their traces those that had to be made.
pub struct Cache {
    began: DateTime<Utc>,
    /// Why facts could not be kept, if they could not.
    pub failure: OnceLock<FileError>,
}

impl Cache {
    /// For one reading of a corpus, which begins at this time.
    pub fn new(began: DateTime<Utc>) -> Self {
        Self { began, failure: OnceLock::new() }
    }

    /// The facts of a trace: those next to it, or made from it and, if wanted, kept.
    pub fn read(&self, path: &Path, keep: bool) -> Result<Box<Facts>, ReadError> {
        let stamp = Stamp::from_metadata(&trace::metadata(path)?);
        if let Some(facts) = stamp.and_then(|stamp| known(path, stamp)) {
            return Ok(facts);
        }
        let facts = made(path)?;
        let Some((stamp, bytes)) = stamp.and_then(|stamp| Some((stamp, encode(&facts, stamp)?)))
        else {
            return Ok(facts);
        };
        if keep && self.is_settled(stamp) {
            self.keep(&path.with_file_name(FACTS), &bytes);
        }
        // From their bytes, so that they share their names.
        Ok(decode(&bytes, stamp).unwrap_or(facts))
    }

    /// Whether a trace with this stamp can be told from a later one.
    fn is_settled(&self, stamp: Stamp) -> bool {
        let settled = stamp.modified_ns.saturating_add(SETTLED_NS);
        nanoseconds(self.began).is_some_and(|began| settled < began)
    }

    /// Writes facts without the debate's claim: whatever replaces the trace meanwhile makes them stale. After a failure no more are
    /// written: the next would fail too.
    fn keep(&self, path: &Path, bytes: &[u8]) {
        if self.failure.get().is_some() {
            return;
        }
        let written = files::sweep_for(path)
            .and_then(|()| files::replace_unsynced(path, |file| file.write_all(bytes)));
        if let Err(e) = written {
            // Another thread may have failed first.
            self.failure.get_or_init(|| e);
        }
    }
}

/// The facts of the trace at `path`: those next to it, or made from it.
pub fn read(path: &Path) -> Result<Box<Facts>, ReadError> {
    let stamp = Stamp::from_metadata(&trace::metadata(path)?);
    stamp.and_then(|stamp| known(path, stamp)).map_or_else(|| made(path), Ok)
}

/// The facts beside a trace, if they are of this state of it.
fn known(path: &Path, trace: Stamp) -> Option<Box<Facts>> {
    let facts = path.with_file_name(FACTS);
    BUFFER.with_borrow_mut(|buffer| load(&facts, buffer).and_then(|bytes| decode(bytes, trace)))
}

fn load<'b>(path: &Path, buffer: &'b mut Vec<u8>) -> Option<&'b [u8]> {
    let mut file = files::open_own(path).ok()?;
    buffer.resize(USUAL_BYTES, 0);
    let read = file.read(buffer).ok()?;
    // A shorter reading is the whole file; if not, it does not decode.
    if read < USUAL_BYTES {
        return Some(&buffer[..read]);
    }
    file.take((MOST_BYTES + 1 - read) as u64).read_to_end(buffer).ok()?;
    (buffer.len() <= MOST_BYTES).then_some(buffer)
}

fn made(path: &Path) -> Result<Box<Facts>, ReadError> {
    let trace = Trace::read_without_record(path)?;
    let facts = Facts::from_trace(&trace).map_err(|reason| ReadError::Foreign {
        path: path.to_path_buf(),
        reason: reason.to_owned(),
    });
    facts.map(Box::new)
}
