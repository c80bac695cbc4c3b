//! Which debates are finished: what the dated directories say, whole ids compared.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::output::Output;
use crate::artifacts::front;
use crate::event::Status;
use crate::files::{self, FileError};

/// The finished debates of an output directory, by the twelve digits that their directories show.
#[derive(Debug, Default)]
pub struct Finished {
    directories: HashMap<String, Vec<PathBuf>>,
}

/// A finished debate.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// Its directory.
    pub path: PathBuf,
    /// How it ended.
    pub status: Status,
    /// The front matter of its index.
    pub front: Map<String, Value>,
}

/// Every dated debate directory, in order of name.
pub fn directories(output: &Output) -> Result<Vec<PathBuf>, FileError> {
    let mut found = Vec::new();
    for day in files::list(output.root())? {
        if day.is_dir() && is_day(&day) {
            found.extend(files::list(&day)?.into_iter().filter(|path| path.is_dir()));
        }
    }
    Ok(found)
}

fn is_day(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    chrono::NaiveDate::parse_from_str(&name, "%Y-%m-%d").is_ok()
}

impl Finished {
    /// Reads the names below an output directory.
    pub fn of(output: &Output) -> Result<Self, FileError> {
        let mut all = Self::default();
        for path in directories(output)? {
            let name = path
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            if let Some((_, short)) = name.rsplit_once('_') {
                all.directories
                    .entry(short.to_owned())
                    .or_default()
                    .push(path);
            }
        }
        Ok(all)
    }

    /// The directory of the debate with this whole id.
    pub fn get(&self, id: &str) -> Option<Found> {
        let paths = self.directories.get(id.get(..12)?)?;
        paths
            .iter()
            .filter_map(|path| found(path))
            .find(|found| found.front.get("id").and_then(Value::as_str) == Some(id))
    }

    /// The front matters of debates whose directory names carry this job's name.
    pub fn of_job(&self, job: &str) -> Vec<Found> {
        let marked = format!("_{job}_");
        let named = |path: &&PathBuf| {
            path.file_name()
                .is_some_and(|name| name.to_string_lossy().contains(&marked))
        };
        self.directories
            .values()
            .flatten()
            .filter(named)
            .filter_map(|path| found(path))
            .filter(|f| f.front.get("job").and_then(Value::as_str) == Some(job))
            .collect()
    }
}

/// Reads a debate directory's front matter; `None` where it has none that can be read.
pub fn found(path: &Path) -> Option<Found> {
    let front = front::parse(&files::read_text(&path.join("index.md")).ok()?)?;
    let status = serde_json::from_value(front.get("status")?.clone()).ok()?;
    Some(Found {
        path: path.to_path_buf(),
        status,
        front,
    })
}
