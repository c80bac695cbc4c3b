//! Claims: who may write to what.

use std::fs::{OpenOptions, TryLockError};
use std::io::ErrorKind::{self, QuotaExceeded, StorageFull};
use std::io::{Read, Write};
use std::path::Path;

use super::error::{Result, naming, unless};
use super::names::{list, name_of, remove_file};
use super::own::{OpenPath, own};
use super::staged::remove_if_free;

/// Maximum of a holder's note that is read, in bytes.
const MOST_NOTE: u64 = 200;

/// A claim that one process holds at a time: a locked file, removed when the claim is dropped. The lock of a process
/// that was killed holds nobody up.
#[derive(Debug)]
pub struct Claim(OpenPath);

impl Claim {
    /// Takes the claim and writes `note` (who holds it) into its file, if the disk has room. `Ok(Err(note))` is the holder's note.
    pub fn take(path: &Path, note: &str) -> Result<Result<Self, String>> {
        loop {
            let mut options = OpenOptions::new();
            let options = options.create(true).read(true).write(true).truncate(false);
            let file = own(options, path).map_err(naming("open", path))?;
            let mut held = OpenPath::new(path, file);
            match held.file.try_lock() {
                Ok(()) if held.is_there() => {}
                // Its holder removed it after we opened it: we locked what has no name.
                Ok(()) => continue,
                Err(TryLockError::WouldBlock) => return Ok(Err(held.note())),
                Err(TryLockError::Error(e)) => return Err(naming("lock", &held.path)(e)),
            }
            if held.has_other_names() {
                // What another name leads to is not ours to write to; without this one it is none of our business.
                remove_file(&held.path)?;
                continue;
            }
            let written = held.file.set_len(0).and_then(|()| held.file.write_all(note.as_bytes()));
            match written {
                // The lock is what counts, and what frees room must not need any.
                Err(error) if matches!(error.kind(), StorageFull | QuotaExceeded) => {}
                other => other.map_err(naming("write", &held.path))?,
            }
            return Ok(Ok(Self(held)));
        }
    }

    /// Who holds the claim, if anyone does. It is neither taken nor made.
    pub fn holder(path: &Path) -> Result<Option<String>> {
        let file = own(OpenOptions::new().read(true), path);
        let file = unless(ErrorKind::NotFound, file).map_err(naming("open", path))?;
        match file.map(|file| (file.try_lock_shared(), file)) {
            None | Some((Ok(()), _)) => Ok(None),
            Some((Err(TryLockError::WouldBlock), file)) => {
                Ok(Some(OpenPath::new(path, file).note()))
            }
            Some((Err(TryLockError::Error(e)), _)) => Err(naming("lock", path)(e)),
        }
    }

    /// Whether it is still held. Someone may have removed its file, and someone else have taken the claim since.
    pub fn is_held(&self) -> bool {
        self.0.is_there()
    }
}

impl OpenPath {
    fn note(&self) -> String {
        let mut note = Vec::new();
        let read = (&self.file).take(MOST_NOTE).read_to_end(&mut note);
        read.map_or(String::new(), |_| String::from_utf8_lossy(&note).into_owned())
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        // A file that stays is an unlocked claim: anyone can take it. One that is not ours is left to its holder.
        if self.is_held() {
            let _ = remove_file(&self.0.path);
        }
    }
}

/// Removes the claims of killed processes from a directory: those files whose names `is_claim` knows.
pub fn sweep_claims(dir: &Path, is_claim: impl Fn(&str) -> bool) -> Result<()> {
    let mut claims = list(dir)?.into_iter().filter(|path| is_claim(&name_of(path)));
    claims.try_for_each(|path| remove_if_free(&path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn b4_a_claim_has_one_holder_who_is_named_and_leaves_nothing_behind() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("c");
        let claim = Claim::take(&path, "process 1").unwrap().unwrap();
        assert_eq!(Claim::take(&path, "process 2").unwrap().unwrap_err(), "process 1");
        let holder = || Claim::holder(&path).unwrap();
        assert_eq!(holder().as_deref(), Some("process 1"));
        drop(claim);
        assert!(!path.exists());
        assert_eq!(holder(), None, "and it is not made by looking");
        assert!(!path.exists());
        assert!(Claim::take(&path, "process 2").unwrap().is_ok());
    }

    #[test]
    fn b4_a_claim_whose_file_was_removed_is_lost_and_takes_no_other_with_it() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("c");
        // In two containers both may be called the same.
        let first = Claim::take(&path, "process 1").unwrap().unwrap();
        assert!(first.is_held());
        std::fs::remove_file(&path).unwrap();
        assert!(!first.is_held());
        let second = Claim::take(&path, "process 1").unwrap().unwrap();
        assert!(!first.is_held() && second.is_held());
        drop(first);
        assert!(second.is_held() && path.exists());
    }

    #[cfg(unix)]
    #[test]
    fn a3_what_is_no_claim_of_ours_is_not_written_to() {
        let dir = tempfile::tempdir().unwrap();
        let [theirs, link, twin] = ["theirs", "link", "twin"].map(|name| dir.path().join(name));
        std::fs::write(&theirs, "precious").unwrap();
        std::os::unix::fs::symlink(&theirs, &link).unwrap();
        std::fs::hard_link(&theirs, &twin).unwrap();
        let refused = Claim::take(&link, "process 1").unwrap_err().to_string();
        assert!(
            refused.ends_with("link: it is a link, and links are not followed here"),
            "{refused}"
        );
        assert!(Claim::take(&twin, "process 1").unwrap().is_ok());
        sweep_claims(dir.path(), |name| name != "theirs").unwrap();
        assert_eq!(std::fs::read(&theirs).unwrap(), b"precious");
        assert!(link.is_symlink() && !twin.exists());
    }
}
