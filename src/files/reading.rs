//! Reading whole files: those that a user names, and our own.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use super::error::{Result, naming};
use super::own::{own, plain};

/// Reads a whole file. Anything but a regular file, such as a pipe, is refused and not waited for.
pub fn read(path: &Path) -> Result<Vec<u8>> {
    read_at_most(path, u64::MAX)
}

/// The same for a file of at most this many bytes: a larger one is refused before it is read.
pub fn read_at_most(path: &Path, most: u64) -> Result<Vec<u8>> {
    let file = plain(OpenOptions::new().read(true), path);
    file.and_then(|file| whole(&file, most)).map_err(naming("read", path))
}

/// The bytes of a file that has at most so many, and no more of it if it grows.
pub(super) fn whole(file: &File, most: u64) -> io::Result<Vec<u8>> {
    let size = file.metadata()?.len();
    if size > most {
        let reason = format!("it has {size} bytes; the limit is {most}");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, reason));
    }
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads what a user named, a file or the pipe that another program writes to, to its end or as far as `most` bytes.
pub fn read_stream(path: &Path, most: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(most).read_to_end(&mut bytes));
    read.map_err(naming("read", path))?;
    Ok(bytes)
}

/// Reads a whole UTF-8 file, as [`read`] does.
pub fn read_text(path: &Path) -> Result<String> {
    let text = |bytes| String::from_utf8(bytes).map_err(io::Error::other);
    read(path).and_then(|bytes| text(bytes).map_err(naming("read", path)))
}

/// Opens our own file for reading.
pub fn open_own(path: &Path) -> Result<File> {
    own(OpenOptions::new().read(true), path).map_err(naming("read", path))
}

/// Reads a whole file of our own.
pub fn read_own(path: &Path) -> Result<Vec<u8>> {
    read_own_at_most(path, u64::MAX)
}

/// Reads a whole file of our own of at most this many bytes: a larger one is refused before it is read.
pub fn read_own_at_most(path: &Path, most: u64) -> Result<Vec<u8>> {
    whole(&open_own(path)?, most).map_err(naming("read", path))
}

/// The first line of our own file, with its end: as much of it as has at most this many bytes.
pub fn first_line(path: &Path, most: u64) -> Result<Vec<u8>> {
    let mut line = Vec::new();
    let mut file = BufReader::new(open_own(path)?.take(most));
    let read = file.read_until(b'\n', &mut line);
    read.map_err(naming("read", path))?;
    Ok(line)
}

/// The lines of a file that have their ends.
pub fn whole_lines(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().rposition(|byte| *byte == b'\n');
    &bytes[..end.map_or(0, |end| end + 1)]
}

/// Reads our own file of at most so many bytes that nobody else may read: others are refused.
pub fn read_private(path: &Path, most: u64) -> Result<Vec<u8>> {
    let file = open_own(path)?;
    only_ours(&file).and_then(|()| whole(&file, most)).map_err(naming("read", path))
}

#[cfg(unix)]
fn only_ours(file: &File) -> io::Result<()> {
    let mode = std::os::unix::fs::MetadataExt::mode(&file.metadata()?);
    if mode & 0o077 == 0 { Ok(()) } else { Err(io::Error::other("other users can read it")) }
}

#[cfg(not(unix))]
fn only_ours(_: &File) -> io::Result<()> {
    Ok(())
}
