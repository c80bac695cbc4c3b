//! Reading `trace.json`: what is no trace, or another version's, is refused with its path and the reason.

use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::order::out_of_turn;
use super::{SCHEMA_VERSION, Trace};
use crate::files::FileError;
use crate::id::DebateId;

/// Why a file is no trace that this program reads.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// It cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// It is too large to be one.
    #[error("{}: it has {size} bytes, the most is {MOST_BYTES}", path.display())]
    Large {
        /// The file.
        path: PathBuf,
        /// Its size.
        size: u64,
    },
    /// Its JSON is damaged or something else.
    #[error("{}: it is no trace: {reason}", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// Another version wrote it.
    #[error("{}: its schema version is {version}, this program reads {SCHEMA_VERSION}", path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// The version.
        version: String,
    },
}

/// The largest trace that is read, in bytes.
const MOST_BYTES: u64 = 64 << 20;

#[derive(Deserialize)]
struct Version {
    schema_version: String,
}

impl Trace {
    /// Reads `trace.json`; another major version is refused, any minor is accepted.
    pub fn read(path: &Path) -> Result<Self, ReadError> {
        let trace: Self = parse(path, &bytes(path)?, |trace: &Self| &trace.schema_version)?;
        let turns = trace.statements.iter().map(|s| (s.n, s.round, &*s.by));
        check(path, &trace.id, &trace.format, turns)?;
        Ok(trace)
    }
}

/// The bytes of a file that can be a trace.
fn bytes(path: &Path) -> Result<Vec<u8>, ReadError> {
    metadata(path)?;
    let mut bytes = Vec::new();
    load(path, &mut bytes)?;
    Ok(bytes)
}

/// What the file system says of a file that can be a trace: one that can be read to its end and is not too large.
pub fn metadata(path: &Path) -> Result<Metadata, ReadError> {
    let metadata = path.metadata().map_err(|e| unreadable(path, e))?;
    if !metadata.is_file() {
        // To open a pipe would be to wait for who writes to it.
        return Err(unreadable(path, io::Error::other("it is no file")));
    }
    small(path, metadata.len())?;
    Ok(metadata)
}

/// Reads a file that [`metadata`] let pass; `bytes` holds what was in it, and nothing else, afterwards.
pub fn load(path: &Path, bytes: &mut Vec<u8>) -> Result<(), ReadError> {
    bytes.clear();
    let read = File::open(path).and_then(|file| file.take(MOST_BYTES + 1).read_to_end(bytes));
    // It may have grown since.
    small(path, read.map_err(|e| unreadable(path, e))? as u64)
}

fn small(path: &Path, size: u64) -> Result<(), ReadError> {
    if size > MOST_BYTES {
        let path = path.to_path_buf();
        return Err(ReadError::Large { path, size });
    }
    Ok(())
}

fn unreadable(path: &Path, source: io::Error) -> ReadError {
    ReadError::File(FileError {
        action: "read",
        path: path.to_path_buf(),
        source,
    })
}

/// Reads a trace's bytes, or a part of what they hold; another major version is refused, any minor is accepted. `version`
/// finds the version in what was read.
pub fn parse<'a, T: Deserialize<'a>>(
    path: &Path,
    bytes: &'a [u8],
    version: impl Fn(&T) -> &str,
) -> Result<T, ReadError> {
    let foreign = |e: serde_json::Error| ReadError::Foreign {
        path: path.to_path_buf(),
        reason: e.to_string(),
    };
    let read = serde_json::from_slice::<T>(bytes);
    // Another version is the reason to name where the rest of the file cannot be read either.
    let version = match &read {
        Ok(read) => version(read).to_owned(),
        Err(_) => {
            serde_json::from_slice::<Version>(bytes)
                .map_err(foreign)?
                .schema_version
        }
    };
    if version.split('.').next() != SCHEMA_VERSION.split('.').next() {
        return Err(ReadError::Version {
            path: path.to_path_buf(),
            version,
        });
    }
    read.map_err(foreign)
}

/// Refuses what no debate of this program can be: an id or a speaker that could not have come from a plan (ids become parts
/// of file names), a turn out of order. A statement is given by its number, its round and its speaker.
pub fn check<'a>(
    path: &Path,
    id: &str,
    format: &str,
    statements: impl Iterator<Item = (u32, u32, &'a str)> + Clone,
) -> Result<(), ReadError> {
    let found = unsafe_name(id, statements.clone().map(|(_, _, by)| by));
    match found.or_else(|| out_of_turn(format, statements)) {
        None => Ok(()),
        Some(reason) => Err(ReadError::Foreign {
            path: path.to_path_buf(),
            reason,
        }),
    }
}

fn unsafe_name<'a>(id: &'a str, mut speakers: impl Iterator<Item = &'a str>) -> Option<String> {
    let slug = |id: &&str| {
        !id.is_empty()
            && id.len() <= 40
            && id
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
    };
    let found = if id.parse::<DebateId>().is_ok() {
        speakers.find(|by| !slug(by))
    } else {
        Some(id)
    };
    found.map(|name| format!("`{name}` names nothing in a debate"))
}
