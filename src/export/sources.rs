//! Where the traces are.

use std::path::{Path, PathBuf};

use crate::files;
use crate::stats::read::trace_paths;
use crate::store::layout::NotOutput;

/// The traces below some directories.
pub(super) struct Sources {
    /// The directories, whole.
    dirs: Vec<PathBuf>,
    /// The traces in order of their paths, each once.
    pub(super) paths: Vec<PathBuf>,
}

impl Sources {
    /// Finds every `trace.json` below the directories.
    pub(super) fn below(dirs: &[PathBuf]) -> Result<Self, NotOutput> {
        let paths = trace_paths(dirs)?.into_iter().collect();
        let whole = |dir: &PathBuf| dir.canonicalize().unwrap_or_else(|_| dir.clone());
        let dirs: Vec<PathBuf> = dirs.iter().map(whole).collect();
        Ok(Self { dirs, paths })
    }

    /// The directory of a trace's debate, relative to the first of the directories that it is below.
    pub(super) fn place(&self, path: &Path) -> String {
        let debate = path.parent().unwrap_or(path);
        let dir = self.dirs.iter().find(|dir| debate.starts_with(dir));
        files::relative(debate, dir.map_or(Path::new(""), PathBuf::as_path))
    }
}
