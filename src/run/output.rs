//! The output directory: every path in it, named once, and the lock that says who writes to it.

use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};

use crate::files::{self, FileError, Lock};
use crate::plan::Plan;

/// An output directory. Working state lives below `.rebut`.
#[derive(Debug, Clone)]
pub struct Output {
    root: PathBuf,
}

/// Why an output directory cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum OutputError {
    /// The file system said no.
    #[error(transparent)]
    File(#[from] FileError),
    /// Another process writes to it.
    #[error("another rebut writes to {}: {holder}", path.display())]
    Held {
        /// The directory.
        path: PathBuf,
        /// What the holder wrote about itself.
        holder: String,
    },
}

impl Output {
    /// The output directory at `root`; nothing is created yet.
    pub fn at(root: &Path) -> Self {
        Self {
            root: root.to_path_buf(),
        }
    }

    /// The directory itself.
    pub fn root(&self) -> &Path {
        &self.root
    }

    fn state(&self, name: &str) -> PathBuf {
        self.root.join(".rebut").join(name)
    }

    /// The journals of debates that are not finished.
    pub fn running(&self) -> PathBuf {
        self.state("running")
    }

    /// The journal of a debate that is not finished.
    pub fn running_journal(&self, id: &str) -> PathBuf {
        self.running().join(format!("{id}.jsonl"))
    }

    /// The journal of a finished debate.
    pub fn finished_journal(&self, id: &str) -> PathBuf {
        self.state("journals").join(format!("{id}.jsonl"))
    }

    /// A snapshot of inputs, by its digest.
    pub fn inputs(&self, digest: &str) -> PathBuf {
        self.state("inputs").join(format!("{digest}.json"))
    }

    /// Where a debate's directory is put together before it gets its name.
    pub fn staging(&self, name: &str) -> PathBuf {
        self.state("staging").join(name)
    }

    /// Where what `--restart` sets aside is kept.
    pub fn replaced(&self, name: &str) -> PathBuf {
        self.state("replaced").join(name)
    }

    /// The directory of a debate below the output directory: day, then first start, job and id (row A1).
    pub fn directory_of(plan: &Plan, started_at: DateTime<Utc>) -> String {
        let name = format!(
            "{}_{}_{}",
            started_at.format("%Y-%m-%dT%H-%M-%S"),
            plan.job,
            plan.short_id()
        );
        format!("{}/{name}", started_at.format("%Y-%m-%d"))
    }

    /// Creates the directories and takes the lock; `note` tells others who holds it.
    pub fn open(&self, note: &str) -> Result<Lock, OutputError> {
        for name in ["running", "journals", "inputs", "staging", "replaced"] {
            files::create_dir(&self.state(name))?;
        }
        files::sync_dir(&self.root)?;
        files::sync_dir(&self.root.join(".rebut"))?;
        match Lock::take(&self.state("lock"), note)? {
            Ok(lock) => {
                files::sweep(&self.state("inputs"))?;
                Ok(lock)
            }
            Err(holder) => Err(OutputError::Held {
                path: self.root.clone(),
                holder: crate::text::one_line(&holder),
            }),
        }
    }
}
