//! Appending whole lines, each on disk before the next one.

use std::fs::{OpenOptions, TryLockError};
use std::io::{self, Read};
use std::path::Path;

use super::error::{Result, naming};
use super::names::sync_parent;
use super::own::{OpenPath, own};

/// A file to which whole lines are added, each on disk before `append` returns. After a failure it takes no more: what
/// came next would stand behind half a line. It is locked as long as it is open, and takes nothing once its path no longer
/// leads to it: nobody would find what was added then.
#[derive(Debug)]
pub struct Appender {
    held: OpenPath,
    /// Bytes of the lines that are on disk.
    length: u64,
    /// What an append failed of.
    broken: Option<(io::ErrorKind, String)>,
}

impl Appender {
    /// Opens `path`, or makes it, and reads what it holds. Nothing may be appended before [`Appender::keep`]. Where
    /// another process has it open, the error's kind is `WouldBlock`.
    pub fn open(path: &Path) -> Result<(Vec<u8>, Self)> {
        let mut file = own(OpenOptions::new().create(true).read(true).append(true), path)
            .map_err(naming("open", path))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let held = "another process has it open";
                let cause = io::Error::new(io::ErrorKind::WouldBlock, held);
                return Err(naming("open", path)(cause));
            }
            Err(TryLockError::Error(e)) => return Err(naming("lock", path)(e)),
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(naming("read", path))?;
        let held = OpenPath::new(path, file);
        if held.has_other_names() {
            let cause = "it has another name (a hard link), so it may belong to someone else";
            return Err(naming("open", path)(io::Error::other(cause)));
        }
        let appender = Self { held, length: bytes.len() as u64, broken: None };
        Ok((bytes, appender))
    }

    /// Drops what stands behind the first `length` bytes. These are on disk when this returns: who wrote them may have been
    /// killed before the sync.
    pub fn keep(&mut self, length: u64) -> Result<()> {
        let OpenPath { path, file } = &self.held;
        if length != self.length {
            file.set_len(length).map_err(naming("truncate", path))?;
        }
        self.length = length;
        file.sync_all().map_err(naming("sync", path))?;
        sync_parent(path)
    }

    /// Adds one line and syncs it. One that could not be synced is taken back.
    pub fn append(&mut self, line: &str) -> Result<()> {
        let refused = |cause: io::Error| Err(naming("append to", &self.held.path)(cause));
        if let Some((kind, cause)) = &self.broken {
            let cause = format!("writing an earlier line failed: {cause}");
            return refused(io::Error::new(*kind, cause));
        }
        if !self.held.is_there() {
            return refused(io::Error::other("it was moved or removed in the meantime"));
        }
        let whole = format!("{line}\n");
        let done = self.held.append(whole.as_bytes(), self.length);
        if let Err(cause) = &done {
            self.broken = Some((cause.kind(), cause.to_string()));
        }
        self.length += whole.len() as u64;
        done.map_err(naming("append to", &self.held.path))
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use super::*;
    use crate::files::read_text;

    #[test]
    fn after_a_line_that_failed_no_other_is_taken() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("j");
        std::fs::write(&path, "").unwrap();
        // A file that is open for reading only refuses every write, as a full disk does.
        let file = File::open(&path).unwrap();
        let mut appender = Appender { held: OpenPath { path, file }, length: 0, broken: None };
        assert!(appender.append("one").is_err());
        let again = appender.append("two").unwrap_err().to_string();
        assert!(again.contains("writing an earlier line failed: Bad file descriptor"), "{again}");
    }

    #[test]
    fn what_stands_behind_the_known_part_is_dropped_on_opening() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("j");
        std::fs::write(&path, "whole\nto").unwrap();
        let (bytes, mut appender) = Appender::open(&path).unwrap();
        assert_eq!(bytes, b"whole\nto");
        appender.keep(6).unwrap();
        appender.append("next").unwrap();
        assert_eq!(read_text(&path).unwrap(), "whole\nnext\n");
    }

    #[test]
    fn b4_one_process_appends_at_a_time_and_only_to_what_has_its_name() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("j");
        let (_, mut first) = Appender::open(&path).unwrap();
        let second = Appender::open(&path).unwrap_err();
        assert_eq!(second.source.kind(), io::ErrorKind::WouldBlock);
        first.append("one").unwrap();
        std::fs::rename(&path, dir.path().join("moved")).unwrap();
        let gone = first.append("two").unwrap_err().to_string();
        assert!(gone.ends_with("j: it was moved or removed in the meantime"), "{gone}");
        // Another file in its place is not the one that is open.
        let (bytes, _second) = Appender::open(&path).unwrap();
        assert!(bytes.is_empty() && first.append("two").is_err());
    }
}
