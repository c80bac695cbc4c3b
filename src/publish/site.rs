//! The folder that pages are published to: ours from the first file on, with a list of what we wrote and of what.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::files::{self, FileError};

/// The list of what was written; where it stands, the folder is ours.
const LIST: &str = ".rebut-pages.json";
/// The version of that list.
const VERSION: u32 = 1;
/// Its most bytes.
const MOST_BYTES: u64 = 64 << 20;

/// Why a folder cannot be published to.
#[derive(Debug, thiserror::Error)]
pub enum SiteError {
    /// A file in it cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// Something else stands in it.
    #[error("{} is not empty and was not written by `rebut publish`", .0.display())]
    NotOurs(PathBuf),
    /// Its list was written by another version of the program.
    #[error("{} was written by another version of rebut", .0.display())]
    Version(PathBuf),
}

/// A folder under work.
#[derive(Debug)]
pub struct Site {
    root: PathBuf,
    /// What an earlier run wrote: files with the key of what each was made of.
    before: BTreeMap<String, String>,
    /// What stands there now.
    now: BTreeMap<String, String>,
    /// Files that were written.
    written: usize,
}

#[derive(Serialize, Deserialize)]
struct Listed {
    rebut_pages: u32,
    files: BTreeMap<String, String>,
}

impl Site {
    /// Takes a folder: a new one, an empty one or one that was published to.
    pub fn open(root: &Path) -> Result<Self, SiteError> {
        let list = root.join(LIST);
        let is_there = fs::symlink_metadata(root).is_ok();
        files::no_link(root)?;
        let before = match is_there && fs::symlink_metadata(&list).is_ok() {
            true => listed(&list)?,
            false if files::list(root)?.is_empty() => BTreeMap::new(),
            false => return Err(SiteError::NotOurs(root.to_owned())),
        };
        files::create_dir(root)?;
        let site = Self {
            root: root.to_owned(),
            before,
            now: BTreeMap::new(),
            written: 0,
        };
        // What a killed run leaves is ours too.
        site.note(&site.before)?;
        Ok(site)
    }

    /// Whether a file stands there that was made of this.
    pub(super) fn has(&self, file: &str, key: &str) -> bool {
        self.before.get(file).is_some_and(|made_of| made_of == key)
            && fs::symlink_metadata(self.root.join(file)).is_ok_and(|found| found.is_file())
    }

    /// Leaves a file as it is.
    pub(super) fn keep(&mut self, file: String, key: String) {
        self.now.insert(file, key);
    }

    /// Writes a file in one step.
    pub fn write(&mut self, file: &str, key: String, content: &[u8]) -> Result<(), SiteError> {
        let path = Path::new(file);
        let dir = files::own_dirs(&self.root, path.parent().unwrap_or(Path::new("")))?;
        let path = dir.join(path.file_name().unwrap_or_default());
        files::sweep_for(&path)?;
        files::replace_unsynced(&path, |to| to.write_all(content))?;
        self.now.insert(file.to_owned(), key);
        self.written += 1;
        Ok(())
    }

    /// Removes what earlier runs wrote and this one did not, and notes what stands there. Returns how many files were written
    /// and removed.
    pub fn close(self) -> Result<(usize, usize), SiteError> {
        let stale = self
            .before
            .keys()
            .filter(|file| !self.now.contains_key(*file));
        let stale: Vec<&String> = stale.filter(|file| self.is_ours(file)).collect();
        for file in &stale {
            files::remove_file(&self.root.join(file))?;
            self.remove_empty(file);
        }
        self.note(&self.now)?;
        Ok((self.written, stale.len()))
    }

    /// Whether a listed file stands below the folder, in directories and not behind links.
    fn is_ours(&self, file: &str) -> bool {
        let mut parts = Path::new(file).components();
        let is_plain = parts.all(|part| matches!(part, Component::Normal(_)));
        let path = self.root.join(file);
        let mut above = path
            .ancestors()
            .skip(1)
            .take_while(|dir| **dir != *self.root);
        is_plain && above.all(files::is_own_dir)
    }

    /// Removes the directories that a removed file leaves empty.
    fn remove_empty(&self, file: &str) {
        let path = self.root.join(file);
        let above = path
            .ancestors()
            .skip(1)
            .take_while(|dir| **dir != *self.root);
        // One that is not empty is not removed, nor what stands above it.
        above.take_while(|dir| fs::remove_dir(dir).is_ok()).count();
    }

    fn note(&self, written: &BTreeMap<String, String>) -> Result<(), SiteError> {
        let list = Listed {
            rebut_pages: VERSION,
            files: written.clone(),
        };
        // Texts and numbers: writing them as JSON cannot fail.
        let text = serde_json::to_string_pretty(&list).expect("a list is JSON");
        let path = self.root.join(LIST);
        files::sweep_for(&path)?;
        Ok(files::replace(&path, format!("{text}\n").as_bytes())?)
    }
}

/// What a list names.
fn listed(path: &Path) -> Result<BTreeMap<String, String>, SiteError> {
    let dir = || path.parent().unwrap_or(path).to_owned();
    let _own = files::open_own(path)?;
    let bytes = files::read_at_most(path, MOST_BYTES)?;
    let list: Listed = serde_json::from_slice(&bytes).map_err(|_| SiteError::NotOurs(dir()))?;
    match list.rebut_pages {
        VERSION => Ok(list.files),
        _ => Err(SiteError::Version(dir())),
    }
}
