//! All debates below some directories: found, read in parallel, damaged ones named.

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use walkdir::{DirEntry, WalkDir};

use super::facts::Facts;
use crate::trace::{self, ReadError};

/// All debates below some directories.
#[derive(Debug, Default)]
pub struct Corpus {
    /// The debates, in order of their paths.
    pub debates: Vec<Debate>,
    /// Files that could not be read as traces, and why; in order of their paths.
    pub damaged: Vec<(PathBuf, String)>,
}

/// One debate.
#[derive(Debug)]
pub struct Debate {
    /// Its directory.
    pub dir: PathBuf,
    /// What is known of it.
    pub facts: Facts,
}

/// Why directories cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("{} is no directory", .0.display())]
pub struct NoDirectory(PathBuf);

/// Reads every `trace.json` below the directories, in parallel. Damaged files are named, not fatal.
pub fn read(dirs: &[PathBuf]) -> Result<Corpus, NoDirectory> {
    let paths: Vec<PathBuf> = trace_paths(dirs)?.into_iter().collect();
    let read: Vec<Result<Facts, ReadError>> = paths.par_iter().map(|path| facts(path)).collect();
    let mut corpus = Corpus::default();
    let mut names = HashSet::new();
    for (path, result) in paths.into_iter().zip(read) {
        match result {
            Ok(mut facts) => {
                facts.share(&mut names);
                let dir = path.parent().unwrap_or(&path).to_path_buf();
                corpus.debates.push(Debate { dir, facts });
            }
            Err(reason) => corpus.damaged.push((path, reason.to_string())),
        }
    }
    Ok(corpus)
}

fn facts(path: &Path) -> Result<Facts, ReadError> {
    Facts::read(path, &trace::bytes(path)?)
}

/// The paths of all traces below the directories, absolute, each once.
pub fn trace_paths(dirs: &[PathBuf]) -> Result<BTreeSet<PathBuf>, NoDirectory> {
    if let Some(missing) = dirs.iter().find(|dir| !dir.is_dir()) {
        return Err(NoDirectory(missing.clone()));
    }
    let whole = |dir: &PathBuf| dir.canonicalize().unwrap_or_else(|_| dir.clone());
    let all = dirs.iter().flat_map(|dir| traces_below(&whole(dir)));
    Ok(all.collect())
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
