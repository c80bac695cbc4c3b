//! File operations whose errors name the path: reading, atomic replacement, synced append, claims.
//!
//! Two kinds of files are told apart. What a user names is read wherever a link leads. What is `rebut`'s own, below
//! `.rebut` and in dated directories, is written to through no link: an output directory may come from somebody else.

mod append;
mod claim;
mod own;
mod staged;

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

pub use self::append::Appender;
pub use self::claim::{Claim, sweep_claims};
pub use self::own::{Held, is_own_dir, no_link, own_dir, own_dirs};
pub use self::staged::{
    Staged, StagedDir, replace, replace_unsynced, sweep, sweep_dirs, sweep_for,
};

use self::own::{own, plain};

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

/// Reads a whole file. What is no plain file, such as a pipe, is refused and not waited for.
pub fn read(path: &Path) -> Result<Vec<u8>, FileError> {
    let file = plain(OpenOptions::new().read(true), path);
    file.and_then(whole).map_err(naming("read", path))
}

/// The same for a file of at most so many bytes: a larger one is refused before it is read.
pub fn read_at_most(path: &Path, most: u64) -> Result<Vec<u8>, FileError> {
    let small = |file: File| match file.metadata()?.len() {
        size if size > most => Err(too_large(size, most)),
        _ => Ok(file),
    };
    let file = plain(OpenOptions::new().read(true), path);
    file.and_then(small)
        .and_then(|file| whole(file.take(most)))
        .map_err(naming("read", path))
}

fn too_large(size: u64, most: u64) -> io::Error {
    let reason = format!("it has {size} bytes; it may have {most}");
    io::Error::new(io::ErrorKind::FileTooLarge, reason)
}

fn whole(mut file: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads what a user named, a file or the pipe that another program writes to, to its end or as far as `most` bytes.
pub fn read_stream(path: &Path, most: u64) -> Result<Vec<u8>, FileError> {
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(most).read_to_end(&mut bytes));
    read.map_err(naming("read", path))?;
    Ok(bytes)
}

/// Reads a whole UTF-8 file, as [`read`] does.
pub fn read_text(path: &Path) -> Result<String, FileError> {
    let text = |bytes| String::from_utf8(bytes).map_err(io::Error::other);
    read(path).and_then(|bytes| text(bytes).map_err(naming("read", path)))
}

/// Opens a file of our own for reading.
pub fn open_own(path: &Path) -> Result<File, FileError> {
    own(OpenOptions::new().read(true), path).map_err(naming("read", path))
}

/// Reads a whole file of our own.
pub fn read_own(path: &Path) -> Result<Vec<u8>, FileError> {
    open_own(path).and_then(|file| whole(file).map_err(naming("read", path)))
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

/// Writes a new file and syncs its content; the caller renames what it stands in.
pub fn write_synced(path: &Path, content: &[u8]) -> Result<(), FileError> {
    let mut file = File::create_new(path).map_err(naming("write", path))?;
    file.write_all(content)
        .and_then(|()| file.sync_all())
        .map_err(naming("write", path))
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
