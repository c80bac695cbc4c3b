//! Reading `trace.json`: what is no trace, or another version's, is refused with its path and the reason.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::{SCHEMA_VERSION, Trace};
use crate::files::{self, FileError};

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
        let size = path.metadata().map(|m| m.len()).unwrap_or(0);
        if size > MOST_BYTES {
            return Err(ReadError::Large {
                path: path.to_path_buf(),
                size,
            });
        }
        let bytes = files::read(path)?;
        let foreign = |e: serde_json::Error| ReadError::Foreign {
            path: path.to_path_buf(),
            reason: e.to_string(),
        };
        let version = serde_json::from_slice::<Version>(&bytes)
            .map_err(foreign)?
            .schema_version;
        if version.split('.').next() != SCHEMA_VERSION.split('.').next() {
            return Err(ReadError::Version {
                path: path.to_path_buf(),
                version,
            });
        }
        let trace: Self = serde_json::from_slice(&bytes).map_err(foreign)?;
        match trace.unsafe_name().or_else(|| trace.out_of_turn()) {
            None => Ok(trace),
            Some(reason) => Err(ReadError::Foreign {
                path: path.to_path_buf(),
                reason,
            }),
        }
    }

    /// An id that could not have come from a plan: ids become parts of file names.
    fn unsafe_name(&self) -> Option<String> {
        let hex = self.id.len() == 64 && self.id.bytes().all(|b| b.is_ascii_hexdigit());
        let slug = |id: &str| {
            !id.is_empty()
                && id.len() <= 40
                && id
                    .bytes()
                    .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
        };
        let speakers = self.statements.iter().map(|s| s.by.as_str());
        let found = if hex {
            speakers.into_iter().find(|by| !slug(by))
        } else {
            Some(self.id.as_str())
        };
        found.map(|name| format!("`{name}` names nothing in a debate"))
    }
}
