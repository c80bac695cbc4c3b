//! Where the traces are.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use walkdir::{DirEntry, WalkDir};

/// A directory that is none.
#[derive(Debug, thiserror::Error)]
#[error("{} is no directory", .0.display())]
pub struct NoDirectory(PathBuf);

/// The traces below some directories.
pub(super) struct Sources {
    /// The directories, whole.
    dirs: Vec<PathBuf>,
    /// The traces in order of their paths, each once.
    pub(super) paths: Vec<PathBuf>,
}

impl Sources {
    /// Finds every `trace.json` below the directories; hidden ones hold no finished debate.
    pub(super) fn below(dirs: &[PathBuf]) -> Result<Self, NoDirectory> {
        if let Some(missing) = dirs.iter().find(|dir| !dir.is_dir()) {
            return Err(NoDirectory(missing.clone()));
        }
        let whole = |dir: &PathBuf| dir.canonicalize().unwrap_or_else(|_| dir.clone());
        let dirs: Vec<PathBuf> = dirs.iter().map(whole).collect();
        let paths: BTreeSet<PathBuf> = dirs.iter().flat_map(|dir| traces_below(dir)).collect();
        let paths = paths.into_iter().collect();
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

fn traces_below(dir: &Path) -> Vec<PathBuf> {
    let visible = |entry: &DirEntry| {
        entry.depth() == 0 || !entry.file_name().to_string_lossy().starts_with('.')
    };
    let walk = WalkDir::new(dir)
        .into_iter()
        .filter_entry(visible)
        .filter_map(Result::ok);
    walk.filter(|entry| entry.file_name() == "trace.json")
        .map(DirEntry::into_path)
        .collect()
}
