//! Files and directories written under another name until complete. The name is the first free one of `NAME.1.new`,
//! `NAME.2.new`…, and who writes holds its lock, so that a sweep tells what a killed process left from what is being written,
//! also by a process in another container, where the same number may be another process.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

use super::error::{Result, naming, unless};
use super::names::{list, name_of, remove_dir, remove_file, sync_parent};
use super::own::{OpenPath, is_own_dir, own, private};

/// Replaces a file's content in one step: a reader sees the old content or the new, never a part.
pub fn replace(path: &Path, content: &[u8]) -> Result<()> {
    let mut staged = Staged::create(path)?;
    staged.write(content)?;
    staged.commit()
}

/// The same for what only its owner may read.
pub fn replace_private(path: &Path, content: &[u8]) -> Result<()> {
    let mut staged = Staged::new(path, private(&mut OpenOptions::new()))?;
    staged.write(content)?;
    staged.commit()
}

/// The same for what can be obtained again: written as it comes, and not synced. After a power cut it may hold anything.
pub fn replace_unsynced(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<()> {
    let mut staged = Staged::create(path)?;
    staged.fill(write)?;
    staged.flush()?;
    staged.take_its_place()
}

/// A file's new content, written next to it until it takes its place. What is dropped before that is removed.
#[derive(Debug)]
pub struct Staged {
    file: BufWriter<File>,
    beside: PathBuf,
    path: PathBuf,
    committed: bool,
}

impl Staged {
    /// Begins the new content of `path`.
    pub fn create(path: &Path) -> Result<Self> {
        Self::new(path, &OpenOptions::new())
    }

    fn new(path: &Path, options: &OpenOptions) -> Result<Self> {
        let held = first_free(path, "write", |path| new_file(&mut options.clone(), path))?;
        Ok(Self {
            file: BufWriter::new(held.file),
            beside: held.path,
            path: path.to_path_buf(),
            committed: false,
        })
    }

    /// Adds to it.
    pub fn write(&mut self, content: &[u8]) -> Result<()> {
        self.file.write_all(content).map_err(naming("write", &self.beside))
    }

    /// Adds what `write` writes.
    pub fn fill(&mut self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
        write(&mut self.file).map_err(naming("write", &self.beside))
    }

    /// Where it is now.
    pub fn beside(&self) -> &Path {
        &self.beside
    }

    /// Writes what is left to write.
    pub fn flush(&mut self) -> Result<()> {
        self.file.flush().map_err(naming("write", &self.beside))
    }

    /// Writes what is left to write, and syncs it where it is now.
    pub fn sync(&mut self) -> Result<()> {
        self.flush()?;
        self.file.get_ref().sync_all().map_err(naming("write", &self.beside))
    }

    /// Syncs it and puts it in its place.
    pub fn commit(mut self) -> Result<()> {
        self.sync()?;
        let holder = self.path.clone();
        self.take_its_place()?;
        sync_parent(&holder)
    }

    /// Puts it in its place; neither it nor its name there is synced.
    pub fn take_its_place(mut self) -> Result<()> {
        let placed = fs::rename(&self.beside, &self.path);
        placed.map_err(naming("rename", &self.beside))?;
        self.committed = true;
        Ok(())
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        if !self.committed {
            // What failed is told; that this fails too would tell nothing more.
            let _ = fs::remove_file(&self.beside);
        }
    }
}

/// A directory that is put together beside others until it takes its place. What is dropped before that is removed.
#[derive(Debug)]
pub struct StagedDir {
    held: OpenPath,
    committed: bool,
}

impl StagedDir {
    /// Begins what is to stand somewhere else under the name of `path`.
    pub fn create(path: &Path) -> Result<Self> {
        Ok(Self { held: first_free(path, "create the directory", new_dir)?, committed: false })
    }

    /// Where it is now.
    pub fn path(&self) -> &Path {
        &self.held.path
    }

    /// Puts it in its place, where nothing stands but perhaps an empty directory.
    pub fn commit(self, target: &Path) -> Result<()> {
        self.take_its_place(target)?;
        sync_parent(target)
    }

    /// The same; its name there is not synced.
    pub fn take_its_place(mut self, target: &Path) -> Result<()> {
        fs::rename(self.path(), target).map_err(naming("rename", self.path()))?;
        self.committed = true;
        Ok(())
    }
}

impl Drop for StagedDir {
    fn drop(&mut self) {
        if !self.committed {
            // What failed is told, and a sweep finds what stays.
            let _ = remove_dir(self.path());
        }
    }
}

/// Makes something new under the first free name beside `path`, and locks it.
fn first_free(
    path: &Path,
    action: &'static str,
    make: impl Fn(&Path) -> io::Result<Option<File>>,
) -> Result<OpenPath> {
    let mut number = 0_u64;
    loop {
        number += 1;
        let mut name = path.file_name().unwrap_or_default().to_os_string();
        name.push(format!(".{number}.new"));
        let path = path.with_file_name(name);
        let Some(file) = make(&path).map_err(naming(action, &path))? else { continue };
        let held = OpenPath { path, file };
        // A sweep may have been quicker.
        if held.lock()? {
            return Ok(held);
        }
    }
}

/// A new file; none if something stands already.
fn new_file(options: &mut OpenOptions, path: &Path) -> io::Result<Option<File>> {
    let file = own(options.write(true).create_new(true), path);
    unless(ErrorKind::AlreadyExists, file)
}

/// A new directory; none if something stands already, or a sweep took it.
fn new_dir(path: &Path) -> io::Result<Option<File>> {
    match unless(ErrorKind::AlreadyExists, fs::create_dir(path))? {
        Some(()) => unless(ErrorKind::NotFound, File::open(path)),
        None => Ok(None),
    }
}

/// Removes what killed processes left of the new content of files in a directory.
pub fn sweep(dir: &Path) -> Result<()> {
    let mut left = list(dir)?.into_iter().filter(|path| is_staged(path));
    left.try_for_each(|path| remove_if_free(&path))
}

/// Removes what killed processes left of the new content of one file.
pub fn sweep_for(path: &Path) -> Result<()> {
    let beginning = format!("{}.", name_of(path));
    let is_of_it = |left: &PathBuf| name_of(left).starts_with(&beginning) && is_staged(left);
    let left = list(path.parent().unwrap_or(path))?.into_iter();
    left.filter(is_of_it).try_for_each(|path| remove_if_free(&path))
}

/// Removes the directories that killed processes were putting together in one.
pub fn sweep_dirs(dir: &Path) -> Result<()> {
    let left = list(dir)?.into_iter().filter(|path| is_staged(path));
    for path in left.filter(|path| is_own_dir(path)) {
        // What another sweep has just removed is not there to be held.
        if let Ok(held) = OpenPath::dir(&path)
            && held.lock()?
        {
            remove_dir(&path)?;
        }
    }
    Ok(())
}

/// Whether this has the name of something staged.
fn is_staged(path: &Path) -> bool {
    let name = name_of(path);
    let staged = name.strip_suffix(".new").and_then(|n| n.rsplit_once('.'));
    staged.is_some_and(|(_, number)| number.parse::<u64>().is_ok())
}

/// Removes our own file that nobody has locked; what is not a regular file, or gone, is left alone.
pub fn remove_if_free(path: &Path) -> Result<()> {
    let Ok(file) = own(OpenOptions::new().read(true), path) else { return Ok(()) };
    let held = OpenPath::new(path, file);
    if held.lock()? {
        remove_file(path)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(dir: &Path) -> Vec<String> {
        let name = |path: &PathBuf| path.file_name().unwrap().to_string_lossy().into_owned();
        list(dir).unwrap().iter().map(name).collect()
    }

    #[test]
    fn a5_what_a_killed_process_staged_is_swept_and_what_a_living_one_stages_is_not() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("index.md");
        // As another container left it, or a build that named them after processes.
        for name in ["index.md.1.new", "index.md.999999999.new", "brand.new"] {
            fs::write(dir.path().join(name), "").unwrap();
        }
        let mut living = Staged::create(&path).unwrap();
        living.write(b"whole").unwrap();
        sweep(dir.path()).unwrap();
        assert_eq!(names(dir.path()), ["brand.new", "index.md.2.new"]);
        living.commit().unwrap();
        assert_eq!(names(dir.path()), ["brand.new", "index.md"]);
        assert_eq!(fs::read(path).unwrap(), b"whole");
    }

    #[test]
    fn a5_two_that_stage_the_same_have_names_of_their_own() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("d");
        let (first, second) =
            (StagedDir::create(&path).unwrap(), StagedDir::create(&path).unwrap());
        fs::write(first.path().join("f"), "first").unwrap();
        fs::create_dir(dir.path().join("d.9.new")).unwrap();
        sweep_dirs(dir.path()).unwrap();
        assert_eq!(names(dir.path()), ["d.1.new", "d.2.new"]);
        drop(second);
        first.commit(&path).unwrap();
        assert_eq!(names(dir.path()), ["d"]);
        assert_eq!(fs::read(path.join("f")).unwrap(), b"first");
    }

    #[cfg(unix)]
    #[test]
    fn a3_a_link_that_is_named_like_something_staged_is_left_alone() {
        let (dir, theirs) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::write(theirs.path().join("x.1.new"), "precious").unwrap();
        std::os::unix::fs::symlink(theirs.path(), dir.path().join("d.1.new")).unwrap();
        std::os::unix::fs::symlink(theirs.path().join("x.1.new"), dir.path().join("f.1.new"))
            .unwrap();
        sweep(dir.path()).unwrap();
        sweep_dirs(dir.path()).unwrap();
        assert_eq!(names(dir.path()), ["d.1.new", "f.1.new"]);
        replace(&dir.path().join("f"), b"new").unwrap();
        assert_eq!(fs::read(theirs.path().join("x.1.new")).unwrap(), b"precious");
    }
}
