//! The output directory: every path in it, named once, and the claims that say who writes to which debate.

use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};

use super::finished;
use crate::clock::Clock;
use crate::files::{self, Claim, FileError};
use crate::plan::Plan;

/// The directories of the working state.
const STATE: [&str; 7] = [
    "running", "journals", "inputs", "staging", "replaced", "swapping", "claims",
];

/// An output directory. Working state lives below `.rebut`.
#[derive(Debug, Clone)]
pub struct Output {
    root: PathBuf,
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

    /// The kept embeddings of one model, by its digest.
    pub fn embeddings(&self, model: &str) -> PathBuf {
        self.state("embeddings").join(model)
    }

    /// One text's kept embedding, by its digest.
    pub fn embedding(&self, model: &str, text: &str) -> PathBuf {
        self.embeddings(model).join(format!("{text}.json"))
    }

    /// Where a debate's directory is put together before it gets its name.
    pub fn staging(&self, name: &str) -> PathBuf {
        self.state("staging").join(name)
    }

    /// Where what is set aside for good is kept: what `--restart` and `--retry` replaced.
    pub fn replaced(&self, name: &str) -> PathBuf {
        self.state("replaced").join(name)
    }

    /// Directories that are being replaced right now: old ones whose successor may not be in place yet.
    pub fn swapping(&self) -> PathBuf {
        self.state("swapping")
    }

    /// The dated path of a debate's directory, from its name.
    pub fn dated(&self, name: &str) -> PathBuf {
        self.root.join(name.get(..10).unwrap_or(name)).join(name)
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

    /// Whether this looks like an output directory: it has working state or days.
    pub fn is_one(&self) -> bool {
        let has_days = || finished::days(self).is_ok_and(|days| !days.is_empty());
        self.root.join(".rebut").is_dir() || has_days()
    }

    /// Creates the directories of the working state.
    pub fn prepare(&self) -> Result<(), FileError> {
        for name in STATE {
            files::create_dir(&self.state(name))?;
        }
        files::sync_dir(&self.root)?;
        files::sync_dir(&self.root.join(".rebut"))?;
        for claim in files::list(&self.state("claims"))? {
            // That of a killed process is taken, and with that removed; what another process holds stays.
            drop(Claim::take(&claim, "a sweep")?);
        }
        let models = files::list(&self.state("embeddings"))?;
        models
            .iter()
            .filter(|path| path.is_dir())
            .try_for_each(|model| files::sweep(model))?;
        files::sweep(&self.state("inputs"))?;
        files::sweep(&self.running())
    }

    /// Claims a debate in the name of `holder`, so that no other process writes to it; `Ok(Err(holder))` says who does.
    pub fn claim(&self, id: &str, holder: &str) -> Result<Result<Claim, String>, FileError> {
        let taken = Claim::take(&self.state("claims").join(id), holder)?;
        Ok(taken.map_err(|holder| match holder.trim() {
            // It holds the lock and has not written its name yet.
            "" => "another process".to_owned(),
            holder => crate::text::one_line(holder),
        }))
    }
}

/// What this process is called in its claims.
pub fn holder(clock: &Clock) -> String {
    let since = clock.now().format("%Y-%m-%d %H:%M:%S UTC");
    format!("process {} since {since}", std::process::id())
}
