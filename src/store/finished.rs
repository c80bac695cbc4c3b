//! Which debates are finished, going by the dated directories. Ids are compared in full.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::layout::{OutputDir, is_dated};
use crate::artifacts::front;
use crate::event::Status;
use crate::files::{self, FileError, Result, name_of};
use crate::id::DebateId;
use crate::trace::{ReadError, Trace};

/// The finished debates of an output directory, by the twelve digits in their directories' names.
#[derive(Debug, Default)]
pub struct FinishedDebates {
    directories: HashMap<String, Vec<PathBuf>>,
}

/// A finished debate.
#[derive(Debug, Clone, PartialEq)]
pub struct FinishedDebate {
    /// Its directory.
    pub path: PathBuf,
    /// Its id.
    pub id: DebateId,
    /// Its status.
    pub status: Status,
    /// Its job.
    pub job: String,
    /// Whether no model was asked.
    pub rehearsal: bool,
    /// The front matter of its index.
    pub front: Map<String, Value>,
}

impl FinishedDebates {
    /// Reads the names of an output directory's debates.
    pub fn list(output: &OutputDir) -> Result<Self> {
        let mut all = Self::default();
        for path in output.debates()? {
            all.add(path);
        }
        Ok(all)
    }

    /// Adds a directory that has appeared since.
    pub fn add(&mut self, path: PathBuf) {
        let name = name_of(&path);
        if let Some((_, short)) = name.rsplit_once('_') {
            let alike = self.directories.entry(short.to_owned()).or_default();
            if !alike.contains(&path) {
                alike.push(path);
            }
        }
    }

    /// Whether a directory has these first twelve digits of an id. It may still be another debate's.
    pub fn may_have(&self, short: &str) -> bool {
        self.directories.contains_key(short)
    }

    /// The finished debate with this id, compared in full; an error if that can't be told now.
    pub fn get(&self, id: &DebateId) -> Result<Option<FinishedDebate>> {
        for path in self.directories.get(id.short()).into_iter().flatten() {
            let found = FinishedDebate::find(path)?;
            if found.as_ref().is_some_and(|found| found.id == *id) {
                return Ok(found);
            }
        }
        Ok(None)
    }

    /// A job's debates, the newest first, read one by one. Directory names contain the job's name and begin with the start
    /// time.
    pub fn newest_of_job<'a>(&'a self, job: &'a str) -> impl Iterator<Item = FinishedDebate> + 'a {
        let marked = format!("_{job}_");
        let all = self.directories.values().flatten();
        let mut named: Vec<&PathBuf> = all.filter(|path| name_of(path).contains(&marked)).collect();
        named.sort_by_key(|path| Reverse(name_of(path)));
        let found = named.into_iter().filter_map(|path| FinishedDebate::read(path));
        found.filter(move |found| found.job == job)
    }

    /// The debates whose directory names contain this job's name. A directory whose digits are known is not read, unless others
    /// have the same digits.
    pub fn of_job(&self, job: &str, is_known: impl Fn(&str) -> bool) -> Vec<FinishedDebate> {
        let marked = format!("_{job}_");
        let others =
            self.directories.iter().filter(|(digits, alike)| alike.len() > 1 || !is_known(digits));
        let all = others.flat_map(|(_, alike)| alike);
        let named = all.filter(|path| name_of(path).contains(&marked));
        let found = named.filter_map(|path| FinishedDebate::read(path));
        found.filter(|found| found.job == job).collect()
    }
}

impl FinishedDebate {
    /// A finished debate by its front matter, if that has all that lists show. It may have been edited, or come from elsewhere.
    pub fn from_front(path: &Path, front: Map<String, Value>) -> Option<Self> {
        let text = |key| front.get(key).and_then(Value::as_str);
        let shown = |key| matches!(front.get(key), Some(Value::Null | Value::String(_)));
        let whole = text("topic").is_some() && ["outcome", "cause"].into_iter().all(shown);
        Some(Self {
            path: path.to_path_buf(),
            id: text("id").filter(|_| whole)?.parse().ok()?,
            status: serde_json::from_value(front.get("status")?.clone()).ok()?,
            job: text("job")?.to_owned(),
            rehearsal: front.get("rehearsal")?.as_bool()?,
            front,
        })
    }

    /// Whether a directory is that of a debate, as lists know it, whatever became of its trace. Days have such names, too, but no
    /// debate's index.
    pub fn is_in(dir: &Path) -> bool {
        is_dated(&name_of(dir)) && Self::read(dir).is_some()
    }

    /// Reads the front matter of a directory's index or, if it is incomplete, its trace. `None` if neither can be read. For
    /// lists; whether a debate is finished is for [`FinishedDebate::find`] to say.
    pub fn read(path: &Path) -> Option<Self> {
        Self::find(path).ok().flatten()
    }

    /// The same, but an error if the files may be sound and just can't be read now: a finished debate taken for another would be
    /// asked again.
    pub fn find(path: &Path) -> Result<Option<Self>> {
        let index = files::read_text(&path.join("index.md"));
        let front = index.as_ref().ok().and_then(|text| front::parse(text));
        if let Some(found) = front.and_then(|front| Self::from_front(path, front)) {
            return Ok(Some(found));
        }
        let trace = Trace::in_dir(path);
        let front = trace.as_ref().ok().and_then(|it| front_of(it, path));
        if let Some(found) = front.and_then(|front| Self::from_front(path, front)) {
            return Ok(Some(found));
        }
        let trace = trace.err().and_then(ReadError::of_file);
        let mut faults = index.err().into_iter().chain(trace);
        faults.find(FileError::may_be_sound).map_or(Ok(None), Err)
    }
}

fn front_of(trace: &Trace, path: &Path) -> Option<Map<String, Value>> {
    let (day, name) = (name_of(path.parent()?), name_of(path));
    Some(front::of(trace, &format!("{day}/{name}")))
}
