//! File operations whose errors name the path: reading, atomic replacement, synced append, claims.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// A file operation that failed, with what was tried and where.
#[derive(Debug, thiserror::Error)]
#[error("cannot {action} {}: {source}", path.display())]
pub struct FileError {
    /// What was tried, as a verb: `read`, `write`, `rename`…
    pub action: &'static str,
    /// The path it was tried on.
    pub path: PathBuf,
    /// The operating system's answer.
    pub source: io::Error,
}

/// Turns an [`io::Error`] into a [`FileError`] that says what was tried on which path.
fn naming<'a>(action: &'static str, path: &'a Path) -> impl FnOnce(io::Error) -> FileError + 'a {
    move |source| FileError {
        action,
        path: path.to_path_buf(),
        source,
    }
}

/// Reads a whole file.
pub fn read(path: &Path) -> Result<Vec<u8>, FileError> {
    fs::read(path).map_err(naming("read", path))
}

/// Reads a whole UTF-8 file.
pub fn read_text(path: &Path) -> Result<String, FileError> {
    fs::read_to_string(path).map_err(naming("read", path))
}

/// Creates a directory and its parents; existing ones are fine.
pub fn create_dir(path: &Path) -> Result<(), FileError> {
    fs::create_dir_all(path).map_err(naming("create the directory", path))
}

/// Removes a directory tree; one that is not there is fine.
pub fn remove_dir(path: &Path) -> Result<(), FileError> {
    match fs::remove_dir_all(path) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other.map_err(naming("remove the directory", path)),
    }
}

/// Removes a file; one that is not there is fine.
pub fn remove_file(path: &Path) -> Result<(), FileError> {
    match fs::remove_file(path) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other.map_err(naming("remove", path)),
    }
}

/// Renames within one file system and syncs the directory that holds the new name.
pub fn rename(from: &Path, to: &Path) -> Result<(), FileError> {
    fs::rename(from, to).map_err(naming("rename", from))?;
    sync_parent(to)
}

/// Writes a file and syncs its content; the caller renames what it stands in.
pub fn write_synced(path: &Path, content: &[u8]) -> Result<(), FileError> {
    let mut file = File::create(path).map_err(naming("write", path))?;
    file.write_all(content)
        .and_then(|()| file.sync_all())
        .map_err(naming("write", path))
}

/// Replaces a file's content in one step: a reader sees the old content or the new, never a part.
pub fn replace(path: &Path, content: &[u8]) -> Result<(), FileError> {
    let mut staged = Staged::create(path)?;
    staged.write(content)?;
    staged.commit()
}

/// The same for what can be had again: written as it comes, and not synced. After a power cut it may hold anything.
pub fn replace_unsynced(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), FileError> {
    let mut staged = Staged::create(path)?;
    write(&mut staged.file).map_err(naming("write", path))?;
    staged.file.flush().map_err(naming("write", path))?;
    staged.take_its_place()
}

/// A file's new content, written beside it until it takes its place. What is dropped before that is removed.
#[derive(Debug)]
pub struct Staged {
    file: BufWriter<File>,
    beside: PathBuf,
    path: PathBuf,
    committed: bool,
}

impl Staged {
    /// Begins the new content of `path`.
    pub fn create(path: &Path) -> Result<Self, FileError> {
        let mut name = path.file_name().unwrap_or_default().to_os_string();
        // Two processes may replace the same file: each has a staged file of its own.
        name.push(format!(".{}.new", std::process::id()));
        let beside = path.with_file_name(name);
        let file = File::create(&beside).map_err(naming("write", &beside))?;
        Ok(Self {
            file: BufWriter::new(file),
            beside,
            path: path.to_path_buf(),
            committed: false,
        })
    }

    /// Adds to it.
    pub fn write(&mut self, content: &[u8]) -> Result<(), FileError> {
        let written = self.file.write_all(content);
        written.map_err(naming("write", &self.beside))
    }

    /// Adds what `write` writes.
    pub fn fill(
        &mut self,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), FileError> {
        write(&mut self.file).map_err(naming("write", &self.beside))
    }

    /// Syncs it and puts it in its place.
    pub fn commit(mut self) -> Result<(), FileError> {
        let flushed = self.file.flush();
        flushed
            .and_then(|()| self.file.get_ref().sync_all())
            .map_err(naming("write", &self.beside))?;
        self.take_its_place()?;
        sync_parent(&self.path)
    }

    fn take_its_place(&mut self) -> Result<(), FileError> {
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

/// Removes what killed processes left of their calls of [`replace`] in a directory.
pub fn sweep(dir: &Path) -> Result<(), FileError> {
    list(dir)?
        .iter()
        .filter(|path| is_left_over(path))
        .try_for_each(|path| remove_file(path))
}

/// Removes what killed processes left of the new content of one file.
pub fn sweep_for(path: &Path) -> Result<(), FileError> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let is_of_it = |left: &&PathBuf| {
        let left = left.file_name().unwrap_or_default().to_string_lossy();
        left.strip_prefix(&*name)
            .is_some_and(|end| end.starts_with('.'))
    };
    list(path.parent().unwrap_or(path))?
        .iter()
        .filter(is_of_it)
        .filter(|path| is_left_over(path))
        .try_for_each(|path| remove_file(path))
}

/// Whether this is a staged file of a process that is gone. Where the system does not list processes as files, none is.
fn is_left_over(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let staged = name.strip_suffix(".new").and_then(|n| n.rsplit_once('.'));
    let processes = Path::new("/proc");
    staged.is_some_and(|(_, process)| {
        process.parse::<u32>().is_ok()
            && processes.join("self").exists()
            && !processes.join(process).exists()
    })
}

/// Syncs a directory, so that the names in it survive a power cut.
pub fn sync_dir(path: &Path) -> Result<(), FileError> {
    File::open(path)
        .and_then(|dir| dir.sync_all())
        .map_err(naming("sync", path))
}

fn sync_parent(path: &Path) -> Result<(), FileError> {
    path.parent().map_or(Ok(()), sync_dir)
}

/// The entries of a directory, by name; a directory that is not there has none.
pub fn list(path: &Path) -> Result<Vec<PathBuf>, FileError> {
    let entries = match fs::read_dir(path) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        other => other.map_err(naming("list", path))?,
    };
    let mut paths = entries
        .map(|entry| entry.map(|e| e.path()))
        .collect::<Result<Vec<_>, _>>()
        .map_err(naming("list", path))?;
    paths.sort();
    Ok(paths)
}

/// A file to which whole lines are added, each on disk before `append` returns. After a failure it takes no more: what
/// came next would stand behind half a line.
#[derive(Debug)]
pub struct Appender {
    file: File,
    path: PathBuf,
    /// Bytes of the lines that are on disk.
    length: u64,
    /// What an append failed of.
    broken: Option<String>,
}

impl Appender {
    /// Opens `path` for appending after its first `keep` bytes; what stands behind them is dropped. The kept ones are on
    /// disk when this returns: who wrote them may have been killed before the sync.
    pub fn open(path: &Path, keep: u64) -> Result<Self, FileError> {
        let file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(path)
            .map_err(naming("open", path))?;
        let length = file.metadata().map_err(naming("open", path))?.len();
        if length != keep {
            file.set_len(keep).map_err(naming("truncate", path))?;
        }
        file.sync_all().map_err(naming("sync", path))?;
        sync_parent(path)?;
        Ok(Self {
            file,
            path: path.to_path_buf(),
            length: keep,
            broken: None,
        })
    }

    /// Adds one line and syncs it. One that could not be synced is taken back: the next process would find it and rely on
    /// what may not be on disk.
    pub fn append(&mut self, line: &str) -> Result<(), FileError> {
        if let Some(cause) = &self.broken {
            let earlier = format!("an earlier line could not be written: {cause}");
            let earlier = io::Error::other(earlier);
            return Err(naming("append to", &self.path)(earlier));
        }
        let whole = format!("{line}\n");
        let written = self.file.write_all(whole.as_bytes());
        let done = written.and_then(|()| self.file.sync_data());
        if let Err(cause) = &done {
            self.broken = Some(cause.to_string());
            // Where even this fails there is no more to be done: a line without its end is dropped on loading.
            let _ = self.file.set_len(self.length);
        }
        self.length += whole.len() as u64;
        done.map_err(naming("append to", &self.path))
    }
}

/// A claim that one process holds at a time: a locked file, removed when the claim is dropped. The lock of a process
/// that was killed holds nobody up.
#[derive(Debug)]
pub struct Claim {
    path: PathBuf,
    _file: File,
}

impl Claim {
    /// Takes the claim and writes `note` (who holds it, and nobody else's words) into its file. `Ok(Err(note))` is the
    /// holder's note.
    pub fn take(path: &Path, note: &str) -> Result<Result<Self, String>, FileError> {
        loop {
            let options = OpenOptions::new()
                .create(true)
                .read(true)
                .write(true)
                .truncate(false)
                .open(path);
            let mut file = options.map_err(naming("open", path))?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    return Ok(Err(fs::read_to_string(path).unwrap_or_default()));
                }
                Err(TryLockError::Error(e)) => return Err(naming("lock", path)(e)),
            }
            file.set_len(0)
                .and_then(|()| file.write_all(note.as_bytes()))
                .map_err(naming("write", path))?;
            // The holder before us may have removed the file after we opened it: then we locked what has no name.
            if fs::read(path).is_ok_and(|there| there == note.as_bytes()) {
                let path = path.to_path_buf();
                return Ok(Ok(Self { path, _file: file }));
            }
        }
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        // A file that stays is an unlocked claim: anyone can take it.
        let _ = fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn after_a_line_that_failed_no_other_is_taken() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("j");
        std::fs::write(&path, "").unwrap();
        // A file that is open for reading only refuses every write, as a full disk does.
        let file = File::open(&path).unwrap();
        let mut appender = Appender {
            file,
            path,
            length: 0,
            broken: None,
        };
        assert!(appender.append("one").is_err());
        let again = appender.append("two").unwrap_err().to_string();
        assert!(
            again.contains("an earlier line could not be written: Bad file descriptor"),
            "{again}"
        );
    }

    #[test]
    fn b4_a_claim_has_one_holder_who_is_named_and_leaves_nothing_behind() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("c");
        let claim = Claim::take(&path, "process 1").unwrap().unwrap();
        assert_eq!(
            Claim::take(&path, "process 2").unwrap().unwrap_err(),
            "process 1"
        );
        drop(claim);
        assert!(!path.exists());
        assert!(Claim::take(&path, "process 2").unwrap().is_ok());
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn what_a_killed_process_staged_is_swept_and_what_a_living_one_stages_is_not() {
        let dir = tempfile::tempdir().unwrap();
        // No process has the number 0, nor this one with its nine digits.
        let living = format!("index.md.{}.new", std::process::id());
        for name in [
            "index.md.999999999.new",
            "index.md.0.new",
            &living,
            "brand.new",
            "index.md",
        ] {
            std::fs::write(dir.path().join(name), "").unwrap();
        }
        sweep(dir.path()).unwrap();
        let left = list(dir.path()).unwrap();
        let names = left.iter().map(|path| path.file_name().unwrap());
        let mut expected = ["brand.new", "index.md", &living];
        expected.sort_unstable();
        assert!(names.eq(expected), "{left:?}");
    }

    #[test]
    fn what_stands_behind_the_known_part_is_dropped_on_opening() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("j");
        std::fs::write(&path, "whole\nto").unwrap();
        Appender::open(&path, 6).unwrap().append("next").unwrap();
        assert_eq!(read_text(&path).unwrap(), "whole\nnext\n");
    }
}
