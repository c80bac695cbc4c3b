//! A file of lines that several processes add to, each under its lock.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;

use super::error::{Result, naming, unless};
use super::names::rename;
use super::own::{OpenPath, own};
use super::reading::{whole, whole_lines};

/// A file of lines, locked as long as this lives.
#[derive(Debug)]
pub struct LockedLines {
    held: OpenPath,
    /// Bytes of whole lines; known once they were read.
    length: u64,
}

impl LockedLines {
    /// Waits for the lock of the file at `path`; `None` where there is no file, or it lost its name in the meantime.
    pub fn open(path: &Path) -> Result<Option<Self>> {
        let file = own(OpenOptions::new().read(true).append(true), path);
        let file = unless(io::ErrorKind::NotFound, file).map_err(naming("open", path))?;
        file.map_or(Ok(None), |file| Self::locked(file, path))
    }

    fn locked(file: File, path: &Path) -> Result<Option<Self>> {
        file.lock().map_err(naming("lock", path))?;
        let held = OpenPath::new(path, file);
        let length = 0;
        Ok(held.is_there().then_some(Self { held, length }))
    }

    /// Its whole lines, of at most this many bytes. What a killed process left of a line behind them is dropped.
    pub fn text(&mut self, most: u64) -> Result<String> {
        let OpenPath { path, file } = &self.held;
        let read = lines_of(file, most);
        let (text, had) = read.map_err(naming("read", path))?;
        self.length = text.len() as u64;
        if had != self.length {
            file.set_len(self.length).map_err(naming("truncate", path))?;
        }
        Ok(text)
    }

    /// Adds lines behind those that were read, and syncs them. Those that cannot be synced are taken back.
    pub fn append(&mut self, lines: &str) -> Result<()> {
        let done = self.held.append(lines.as_bytes(), self.length);
        done.map_err(naming("append to", &self.held.path))
    }

    /// Gives it another name, for good: who waits for the lock finds that it has lost its own.
    pub fn rename(self, to: &Path) -> Result<()> {
        rename(&self.held.path, to)
    }
}

/// The whole lines of a file, and how many bytes it has.
fn lines_of(file: &File, most: u64) -> io::Result<(String, u64)> {
    let bytes = whole(file, most)?;
    let text = String::from_utf8(whole_lines(&bytes).to_vec()).map_err(io::Error::other)?;
    Ok((text, bytes.len() as u64))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn l4_who_gets_the_lock_of_a_file_that_has_lost_its_name_adds_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let [open, closed] = ["open", "closed"].map(|name| dir.path().join(name));
        fs::write(&open, "one\n").unwrap();
        let waits = own(OpenOptions::new().read(true).append(true), &open).unwrap();
        let first = LockedLines::open(&open).unwrap().unwrap();
        first.rename(&closed).unwrap();
        assert!(LockedLines::locked(waits, &open).unwrap().is_none());
        assert!(LockedLines::open(&open).unwrap().is_none());
    }

    #[test]
    fn l4_half_a_line_is_dropped_before_the_next_is_added() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("open");
        fs::write(&path, "one\ntw").unwrap();
        let mut lines = LockedLines::open(&path).unwrap().unwrap();
        assert_eq!(lines.text(100).unwrap(), "one\n");
        lines.append("three\n").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "one\nthree\n");
        assert!(lines.text(9).is_err(), "too large");
    }
}
