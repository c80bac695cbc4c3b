//! Which debates are finished: what the dated directories say, whole ids compared.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::output::Output;
use crate::artifacts::front;
use crate::event::Status;
use crate::files::{self, FileError};
use crate::trace::Trace;

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

impl Found {
    /// The debate's whole id.
    pub fn id(&self) -> Option<&str> {
        self.front.get("id").and_then(Value::as_str)
    }
}

/// The directories of days, in order.
pub fn days(output: &Output) -> Result<Vec<PathBuf>, FileError> {
    let all = files::list(output.root())?;
    Ok(all
        .into_iter()
        .filter(|path| path.is_dir() && is_day(path))
        .collect())
}

/// Every dated debate directory, in order of name.
pub fn directories(output: &Output) -> Result<Vec<PathBuf>, FileError> {
    let mut found = Vec::new();
    for day in days(output)? {
        found.extend(files::list(&day)?.into_iter().filter(|path| path.is_dir()));
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

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.directories.is_empty()
    }

    /// The directory of the debate with this whole id.
    pub fn get(&self, id: &str) -> Option<Found> {
        let paths = self.directories.get(id.get(..12)?)?;
        paths
            .iter()
            .filter_map(|path| found(path))
            .find(|found| found.id() == Some(id))
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

/// Reads what a debate directory says of itself: the front matter of its index or, without one, its trace. `None` where
/// neither can be read.
pub fn found(path: &Path) -> Option<Found> {
    let index = files::read_text(&path.join("index.md")).ok();
    let front = index
        .and_then(|text| front::parse(&text))
        .or_else(|| of_trace(path))?;
    let status = serde_json::from_value(front.get("status")?.clone()).ok()?;
    Some(Found {
        path: path.to_path_buf(),
        status,
        front,
    })
}

fn of_trace(path: &Path) -> Option<Map<String, Value>> {
    let trace = Trace::read(&path.join("trace.json")).ok()?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let day = path
        .parent()
        .and_then(Path::file_name)
        .unwrap_or_default()
        .to_string_lossy();
    Some(front::of(&trace, &format!("{day}/{name}")))
}
