//! Reading whole files: those that a user names, and our own.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::path::Path;

use super::error::{FileError, naming};
use super::own::{own, plain};

/// Reads a whole file. Anything but a regular file, such as a pipe, is refused and not waited for.
pub fn read(path: &Path) -> Result<Vec<u8>, FileError> {
    let file = plain(OpenOptions::new().read(true), path);
    file.and_then(whole).map_err(naming("read", path))
}

/// The same for a file of at most so many bytes: a larger one is refused before it is read.
pub fn read_at_most(path: &Path, most: u64) -> Result<Vec<u8>, FileError> {
    let file = plain(OpenOptions::new().read(true), path);
    file.and_then(|file| small(file, most))
        .and_then(whole)
        .map_err(naming("read", path))
}

/// A file of at most so many bytes, and no more of it if it grows.
fn small(file: File, most: u64) -> io::Result<impl Read> {
    match file.metadata()?.len() {
        size if size > most => Err(too_large(size, most)),
        _ => Ok(file.take(most)),
    }
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

/// Reads a whole file of our own of at most so many bytes: a larger one is refused before it is read.
pub fn read_own_at_most(path: &Path, most: u64) -> Result<Vec<u8>, FileError> {
    let file = open_own(path)?;
    small(file, most)
        .and_then(whole)
        .map_err(naming("read", path))
}

/// Reads a file of our own of at most so many bytes that nobody else may read: others are refused.
pub fn read_private(path: &Path, most: u64) -> Result<Vec<u8>, FileError> {
    let file = open_own(path)?;
    only_ours(&file)
        .and_then(|()| small(file, most))
        .and_then(whole)
        .map_err(naming("read", path))
}

#[cfg(unix)]
fn only_ours(file: &File) -> io::Result<()> {
    let mode = std::os::unix::fs::MetadataExt::mode(&file.metadata()?);
    match mode & 0o077 {
        0 => Ok(()),
        _ => Err(io::Error::other("others may read it")),
    }
}

#[cfg(not(unix))]
fn only_ours(_: &File) -> io::Result<()> {
    Ok(())
}

/// Reads a whole file of our own.
pub fn read_own(path: &Path) -> Result<Vec<u8>, FileError> {
    open_own(path).and_then(|file| whole(file).map_err(naming("read", path)))
}
