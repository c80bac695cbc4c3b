//! Reading `trace.json`: anything else, or another version, is refused with the path and the reason.

use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};

use super::{SCHEMA_VERSION, Trace};
use crate::files::FileError;
use crate::job::profile_of;

/// Why a file is not a trace that this program reads.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// It cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// It is too large to be one.
    #[error("{}: it has {size} bytes; the limit is {MOST_BYTES}", path.display())]
    Large {
        /// The file.
        path: PathBuf,
        /// Its size.
        size: u64,
    },
    /// Its end is missing: the disk was full, or a copy was cut off.
    #[error("{}: incomplete: it ends at line {line}", path.display())]
    Cut {
        /// The file.
        path: PathBuf,
        /// Its last line.
        line: usize,
    },
    /// Its JSON is damaged or something else.
    #[error("{}: not a trace: {reason}", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// Another version wrote it.
    #[error("{}: {} rebut wrote it (its schema version is {version}, but this program reads {SCHEMA_VERSION})", path.display(), if is_newer(version) { "a newer" } else { "an older" })]
    Version {
        /// The file.
        path: PathBuf,
        /// The version.
        version: String,
    },
}

impl ReadError {
    /// The error of the file system, if it is one.
    pub fn of_file(self) -> Option<FileError> {
        match self {
            Self::File(error) => Some(error),
            Self::Large { .. } | Self::Cut { .. } | Self::Foreign { .. } | Self::Version { .. } => {
                None
            }
        }
    }

    /// Whether the trace is gone or damaged.
    fn is_lost(&self) -> bool {
        match self {
            Self::Cut { .. } | Self::Foreign { .. } => true,
            Self::File(error) => error.source.kind() == io::ErrorKind::NotFound,
            Self::Large { .. } | Self::Version { .. } => false,
        }
    }

    /// What to do about it; nothing if only the error says. `has_journal` tells whether a trace's debate still has its journal.
    pub fn remedy(&self, has_journal: impl Fn(&Path) -> bool) -> &'static str {
        match self {
            Self::Cut { path, .. }
            | Self::Foreign { path, .. }
            | Self::File(FileError { path, .. })
                if self.is_lost() && has_journal(path) =>
            {
                "to rebuild a debate from its journal, move its directory away and run its job again"
            }
            _ if self.is_lost() => {
                "there is no journal to rebuild a debate from: restore a copy of the file, or run its job with `--restart --only ID`, which asks the models again"
            }
            Self::Version { version, .. } if is_newer(version) => "update rebut",
            _ => "",
        }
    }
}

/// The name of a trace's file in its debate's directory.
pub const FILE: &str = "trace.json";
/// The largest trace that is read, in bytes.
const MOST_BYTES: u64 = 64 << 20;

#[derive(Deserialize)]
struct Version {
    schema_version: String,
}

impl Trace {
    /// Reads `trace.json`; another major version is refused, any minor is accepted.
    pub fn read(path: &Path) -> Result<Self, ReadError> {
        read(path)
    }

    /// The trace in a debate's directory.
    pub fn in_dir(dir: &Path) -> Result<Self, ReadError> {
        read(&dir.join(FILE))
    }

    /// The same without the format's own record, which is as long as all the rest.
    pub fn read_without_record(path: &Path) -> Result<Trace<IgnoredAny>, ReadError> {
        read(path)
    }
}

fn read<R: DeserializeOwned>(path: &Path) -> Result<Trace<R>, ReadError> {
    let mut trace = parse(path, &bytes(path)?)?;
    complete(&mut trace);
    match fault(&trace) {
        None => Ok(trace),
        Some(reason) => Err(ReadError::Foreign { path: path.to_path_buf(), reason }),
    }
}

/// Tells of each vote what it was on, which some traces have only with what the votes came to, and what replies to points are worth.
fn complete<R>(trace: &mut Trace<R>) {
    trace.refuse();
    for rotation in trace.rotations.iter().filter(|rotation| rotation.on_position) {
        let ballots = trace.ballots.iter_mut().filter(|ballot| ballot.round == rotation.round);
        ballots.for_each(|ballot| ballot.on_position = true);
        let votes = trace.audience.iter_mut().filter(|vote| vote.round == rotation.round);
        votes.for_each(|vote| vote.on_position = true);
    }
}

/// What the file system says of a file that can be a trace: one that can be read to its end and is not too large.
pub fn metadata(path: &Path) -> Result<Metadata, ReadError> {
    let metadata = path.metadata().map_err(|e| unreadable(path, e))?;
    if !metadata.is_file() {
        // To open a pipe would be to wait for who writes to it.
        return Err(unreadable(path, io::Error::other("not a file")));
    }
    small(path, metadata.len())?;
    Ok(metadata)
}

/// The bytes of a file that can be a trace.
fn bytes(path: &Path) -> Result<Vec<u8>, ReadError> {
    let size = metadata(path)?.len();
    let mut bytes = Vec::with_capacity(size as usize + 1);
    let read = File::open(path).and_then(|file| file.take(MOST_BYTES + 1).read_to_end(&mut bytes));
    // It may have grown since.
    small(path, read.map_err(|e| unreadable(path, e))? as u64)?;
    Ok(bytes)
}

fn small(path: &Path, size: u64) -> Result<(), ReadError> {
    if size > MOST_BYTES {
        return Err(ReadError::Large { path: path.to_path_buf(), size });
    }
    Ok(())
}

fn unreadable(path: &Path, source: io::Error) -> ReadError {
    ReadError::File(FileError { action: "read", path: path.to_path_buf(), source })
}

/// Reads a trace's bytes; another major version is refused, any minor is accepted.
fn parse<R: DeserializeOwned>(path: &Path, bytes: &[u8]) -> Result<Trace<R>, ReadError> {
    let foreign = |e: serde_json::Error| {
        let path = path.to_path_buf();
        if e.is_eof() {
            return ReadError::Cut { path, line: e.line() };
        }
        ReadError::Foreign { path, reason: e.to_string() }
    };
    let read = serde_json::from_slice::<Trace<R>>(bytes);
    // Another version is the reason to name where the rest of the file cannot be read either.
    let version = match &read {
        Ok(read) => read.schema_version.clone(),
        Err(_) => serde_json::from_slice::<Version>(bytes).map_err(foreign)?.schema_version,
    };
    if major(&version) != major(SCHEMA_VERSION) {
        return Err(ReadError::Version { path: path.to_path_buf(), version });
    }
    read.map_err(foreign)
}

/// The major part of a format's version, which readers compare.
pub(crate) fn major(version: &str) -> Option<u64> {
    version.split('.').next()?.parse().ok()
}

/// Whether a version is of a time after this program.
fn is_newer(version: &str) -> bool {
    major(version) > major(SCHEMA_VERSION)
}

/// What no debate of this program can be: a speaker that could not have come from a plan (ids become parts of file names), a turn out
/// of order.
fn fault<R>(trace: &Trace<R>) -> Option<String> {
    let turns = trace.statements.iter().map(|s| (s.n, s.round, &*s.by));
    let mut speakers = turns.clone().map(|(_, _, by)| by);
    let foreign = speakers.find(|by| !is_slug(by));
    let mut points = trace.flow.points.iter().map(|point| point.id.as_str());
    let foreign = foreign
        .or_else(|| points.find(|id| !is_point(id)))
        .map(|name| format!("`{name}` is not part of a debate"));
    foreign.or_else(|| out_of_turn(&trace.format, turns))
}

/// Ids of points become names of nodes on the map of arguments.
fn is_point(id: &str) -> bool {
    let digits = id.strip_prefix(|c: char| c.is_ascii_uppercase());
    digits.is_some_and(|n| !n.is_empty() && n.len() <= 6 && n.bytes().all(|b| b.is_ascii_digit()))
}

fn is_slug(id: &str) -> bool {
    let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_';
    !id.is_empty() && id.len() <= 40 && id.bytes().all(plain)
}

/// The first turn that a debate cannot have in a format where one speaks a round (row U1): such a trace is not from this
/// program. A statement is given by its number, its round and its speaker.
fn out_of_turn<'a>(
    format: &str,
    statements: impl Iterator<Item = (u32, u32, &'a str)>,
) -> Option<String> {
    let format = profile_of(format);
    let speaker = format.turn?;
    let turns = statements.filter(|(_, _, by)| format.arguing.iter().any(|id| id == by));
    let (due, (n, round, by)) =
        (1..).zip(turns).find(|(due, (_, round, by))| round != due || *by != speaker(*due))?;
    Some(format!(
        "statement {n} is a turn of {by} in round {round}, but {} was due in round {due}",
        speaker(due)
    ))
}
