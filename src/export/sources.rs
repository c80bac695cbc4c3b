//! Where the traces are.

use std::path::{Path, PathBuf};

use crate::stats::read::{NoDirectory, trace_paths};

/// The traces below some directories.
pub(super) struct Sources {
    /// The directories, whole.
    dirs: Vec<PathBuf>,
    /// The traces in order of their paths, each once.
    pub(super) paths: Vec<PathBuf>,
}

impl Sources {
    /// Finds every `trace.json` below the directories.
    pub(super) fn below(dirs: &[PathBuf]) -> Result<Self, NoDirectory> {
        let paths = trace_paths(dirs)?.into_iter().collect();
        let whole = |dir: &PathBuf| dir.canonicalize().unwrap_or_else(|_| dir.clone());
        let dirs: Vec<PathBuf> = dirs.iter().map(whole).collect();
        Ok(Self { dirs, paths })
    }

    /// The directory of a trace's debate, relative to the first of the directories that it is below.
    pub(super) fn place(&self, path: &Path) -> String {
        let debate = path.parent().unwrap_or(path);
        let mut below = self.dirs.iter().filter_map(|d| debate.strip_prefix(d).ok());
        let parts = below.next().unwrap_or(debate).components();
        let parts: Vec<_> = parts
            .map(|part| part.as_os_str().to_string_lossy())
            .collect();
        if parts.is_empty() {
            return ".".to_owned();
        }
        parts.join("/")
    }
}
