//! The folder that pages are published to: ours from the first file on, with a list of written files and their sources.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::error::PublishError;
use crate::artifacts::page;
use crate::files::{self, Claim, ContentSync};

/// How the names of our own files in the folder begin: of these two, and of a list that a killed run had begun to write.
const OWN: &str = ".rebut-pages.";
/// Held by whoever publishes to the folder.
const CLAIM: &str = ".rebut-pages.lock";
/// The list of what was written; where it stands, the folder is ours.
const LIST: &str = ".rebut-pages.json";
/// The version of that list.
const VERSION: u32 = 1;
/// Its most bytes.
const MOST_BYTES: u64 = 64 << 20;

/// A folder under work.
#[derive(Debug)]
pub struct Site {
    root: PathBuf,
    /// That no other process publishes to it meanwhile.
    _claim: Claim,
    /// What an earlier run wrote: files with the key of what each was made of, empty if that is not known.
    before: BTreeMap<String, String>,
    /// What may have been written since: the list names it, without a key.
    expected: BTreeSet<String>,
    /// What is there now.
    now: BTreeMap<String, String>,
    /// Files that were written.
    written: BTreeSet<String>,
    sync: ContentSync,
}

#[derive(Serialize, Deserialize)]
struct Listed {
    rebut_pages: u32,
    files: BTreeMap<String, String>,
}

impl Site {
    /// Takes a folder: a new one, an empty one or one that was published to.
    pub fn open(root: &Path) -> Result<Self, PublishError> {
        files::no_link(root)?;
        let list = root.join(LIST);
        let is_ours = || fs::symlink_metadata(&list).is_ok();
        if !is_ours() && !files::list(root)?.iter().all(|path| is_own(path)) {
            return Err(PublishError::NotOurs(root.to_owned()));
        }
        files::create_dir(root)?;
        let claim = Claim::take(&root.join(CLAIM), &format!("process {}", std::process::id()))?
            .map_err(|holder| PublishError::Claimed(root.to_owned(), holder))?;
        let before = if is_ours() { listed(&list)? } else { BTreeMap::new() };
        let site = Self {
            root: root.to_owned(),
            _claim: claim,
            before,
            expected: BTreeSet::new(),
            now: BTreeMap::new(),
            written: BTreeSet::new(),
            sync: ContentSync::new(&[root]),
        };
        // What a killed run leaves is ours too.
        site.note(&site.before)?;
        Ok(site)
    }

    /// Fails if it has pages of debates, and of none that has these files: it may belong to another output directory.
    pub fn is_for(&self, files: impl IntoIterator<Item = String>) -> Result<(), PublishError> {
        let is_page = |file: &String| Path::new(file).ends_with(page::NAME);
        let has_pages = self.before.keys().any(is_page);
        if has_pages && !files.into_iter().any(|file| self.before.contains_key(&file)) {
            return Err(PublishError::OfOthers(self.root.clone()));
        }
        Ok(())
    }

    /// Notes files that may be written from now on, so that the next run knows what a killed one leaves: files of ours, made of
    /// nobody knows what.
    pub(super) fn expect(
        &mut self,
        files: impl IntoIterator<Item = String>,
    ) -> Result<(), PublishError> {
        self.expected.extend(files);
        let unknown = self.expected.iter().map(|file| (file.clone(), String::new()));
        let mut listed = self.before.clone();
        listed.extend(unknown);
        self.note(&listed)
    }

    /// Whether a file is there that was made of this.
    pub(super) fn has(&self, file: &str, key: &str) -> bool {
        let made_of = self.now.get(file).or_else(|| self.before.get(file));
        made_of.is_some_and(|made_of| made_of == key)
            && fs::symlink_metadata(self.root.join(file)).is_ok_and(|found| found.is_file())
    }

    /// Leaves a file as it is.
    pub(super) fn keep(&mut self, file: String, key: String) {
        self.now.insert(file, key);
    }

    /// Writes a file in one step.
    pub fn write(&mut self, file: &str, key: String, content: &[u8]) -> Result<(), PublishError> {
        if !self.expected.contains(file) {
            self.expect([file.to_owned()])?;
        }
        let path = Path::new(file);
        let dir = files::own_dirs(&self.root, path.parent().unwrap_or(Path::new("")))?;
        let path = dir.join(path.file_name().unwrap_or_default());
        files::sweep_for(&path)?;
        files::replace_unsynced(&path, |to| to.write_all(content))?;
        self.now.insert(file.to_owned(), key);
        self.written.insert(file.to_owned());
        Ok(())
    }

    /// Removes what earlier runs wrote and this one did not, and notes what is there. Returns how many files were written
    /// and removed.
    pub fn close(self) -> Result<(usize, usize), PublishError> {
        let stale = self.before.keys().filter(|file| !self.now.contains_key(*file));
        let mut removed = 0;
        for file in stale.filter(|file| self.is_ours(file)) {
            removed += usize::from(fs::symlink_metadata(self.root.join(file)).is_ok());
            files::remove_file(&self.root.join(file))?;
            self.remove_empty(file);
        }
        self.sync_written()?;
        self.note(&self.now)?;
        Ok((self.written.len(), removed))
    }

    /// Makes what was written durable: the list is to vouch for it.
    fn sync_written(&self) -> Result<(), PublishError> {
        let trees: BTreeSet<PathBuf> = self
            .written
            .iter()
            .map(|file| {
                let dir = Path::new(file).parent().filter(|dir| *dir != Path::new(""));
                self.root.join(dir.unwrap_or(Path::new(file)))
            })
            .collect();
        let trees: Vec<&Path> = trees.iter().map(PathBuf::as_path).collect();
        Ok(self.sync.sync(&trees, &self.root)?)
    }

    /// Whether a listed file is below the folder, in directories and not behind links.
    fn is_ours(&self, file: &str) -> bool {
        let mut parts = Path::new(file).components();
        let is_plain = parts.all(|part| matches!(part, Component::Normal(_)));
        is_plain && self.above(&self.root.join(file)).all(files::is_own_dir)
    }

    /// Removes the directories that a removed file leaves empty.
    fn remove_empty(&self, file: &str) {
        let path = self.root.join(file);
        // One that is not empty is not removed, nor what is above it.
        let emptied = |dir: &&Path| fs::remove_dir(dir).is_ok();
        self.above(&path).take_while(emptied).count();
    }

    /// The directories between the folder and a path in it, from below.
    fn above<'p>(&'p self, path: &'p Path) -> impl Iterator<Item = &'p Path> {
        path.ancestors().skip(1).take_while(|dir| **dir != *self.root)
    }

    fn note(&self, written: &BTreeMap<String, String>) -> Result<(), PublishError> {
        let list = Listed { rebut_pages: VERSION, files: written.clone() };
        // Texts and numbers: writing them as JSON cannot fail.
        let text = serde_json::to_string_pretty(&list).expect("a list is JSON");
        let path = self.root.join(LIST);
        files::sweep_for(&path)?;
        Ok(files::replace(&path, format!("{text}\n").as_bytes())?)
    }
}

/// Whether a file in the folder is one of our own.
fn is_own(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(OWN))
}

/// What a list names.
fn listed(path: &Path) -> Result<BTreeMap<String, String>, PublishError> {
    let dir = || path.parent().unwrap_or(path).to_owned();
    let _own = files::open_own(path)?;
    let bytes = files::read_at_most(path, MOST_BYTES)?;
    let list: Listed = serde_json::from_slice(&bytes).map_err(|_| PublishError::NotOurs(dir()))?;
    if list.rebut_pages == VERSION { Ok(list.files) } else { Err(PublishError::Version(dir())) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(root: &Path) -> Site {
        Site::open(root).expect("a folder")
    }

    /// A folder with one page, made of `old`.
    fn with_a_page(root: &Path) {
        let mut site = open(root);
        site.write("a/x.html", "old".into(), b"old").expect("written");
        site.close().expect("closed");
        assert!(open(root).has("a/x.html", "old"));
    }

    #[test]
    fn l2_what_a_killed_run_wrote_is_not_taken_for_what_was_there_and_is_removed() {
        let dir = tempfile::tempdir().expect("a directory");
        with_a_page(dir.path());
        let mut killed = open(dir.path());
        let names = ["a/x.html", "a/calls.html"];
        let never_written = ["a/y.html", "b/y.html"];
        let all = names.iter().chain(&never_written).map(|name| (*name).to_owned());
        killed.expect(all).expect("noted");
        for name in names {
            killed.write(name, "new".into(), b"new").expect("written");
        }
        drop(killed);
        let mut next = open(dir.path());
        assert!(!next.has("a/x.html", "old") && !next.has("a/x.html", "new"));
        next.write("a/x.html", "old".into(), b"old").expect("written");
        assert_eq!(next.close().expect("closed"), (1, 1));
        assert!(!dir.path().join("a/calls.html").exists());
    }

    #[test]
    fn l2_one_process_at_a_time_publishes_to_a_folder() {
        let dir = tempfile::tempdir().expect("a directory");
        let first = open(dir.path());
        let second = Site::open(dir.path()).map(|_| ()).unwrap_err().to_string();
        assert!(second.contains("another `rebut publish` (process "), "{second}");
        drop(first);
        drop(open(dir.path()));
    }

    #[test]
    fn l2_what_a_run_killed_in_its_first_moments_leaves_is_ours() {
        let dir = tempfile::tempdir().expect("a directory");
        fs::write(dir.path().join(".rebut-pages.json.1.new"), "{").expect("written");
        drop(open(dir.path()));
        let theirs = tempfile::tempdir().expect("a directory");
        fs::write(theirs.path().join("index.html"), "theirs").expect("written");
        assert!(matches!(Site::open(theirs.path()), Err(PublishError::NotOurs(_))));
    }

    #[test]
    fn l2_a_folder_of_other_debates_is_told_from_one_of_some_of_these() {
        let dir = tempfile::tempdir().expect("a directory");
        let is_for = |site: &Site, names: &[&str]| {
            site.is_for(names.iter().map(|name| format!("{name}/debate.html"))).is_ok()
        };
        let mut site = open(dir.path());
        assert!(is_for(&site, &["a"]), "it is new");
        site.write("a/debate.html", "a".into(), b"a").expect("written");
        site.close().expect("closed");
        let site = open(dir.path());
        assert!(is_for(&site, &["b", "a"]) && !is_for(&site, &["b", "c"]));
    }

    #[test]
    fn l2_what_was_written_a_moment_ago_is_there() {
        let dir = tempfile::tempdir().expect("a directory");
        let mut site = open(dir.path());
        site.write("x.html", "one".into(), b"one").expect("written");
        assert!(site.has("x.html", "one") && !site.has("x.html", ""));
    }

    #[test]
    fn l2_nothing_is_written_outside() {
        let dir = tempfile::tempdir().expect("a directory");
        let mut site = open(&dir.path().join("site"));
        for name in ["../y/x.html", "a/../../y/x.html", "/y/x.html"] {
            assert!(site.write(name, String::new(), b"x").is_err(), "{name}");
        }
        assert!(!dir.path().join("y").exists());
    }
}
