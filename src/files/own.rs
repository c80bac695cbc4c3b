//! Our own files and directories: never reached through a link, and always a regular file or a directory.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
#[cfg(unix)]
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Component, Path, PathBuf};

use super::error::{Result, naming, unless};

/// Opens a regular file, wherever a link leads. What else is there is refused at once: to open a pipe would be to wait
/// for who writes to it.
pub(super) fn plain(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    #[cfg(unix)]
    options.custom_flags(libc::O_NONBLOCK);
    checked(options.open(path)?)
}

/// Opens a regular file that is no link.
#[cfg(unix)]
pub(super) fn own(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    let flags = libc::O_NONBLOCK | libc::O_NOFOLLOW;
    match options.custom_flags(flags).open(path) {
        Ok(file) => checked(file),
        Err(e) if e.raw_os_error() == Some(libc::ELOOP) => Err(is_link()),
        Err(e) => Err(e),
    }
}

/// Opens a regular file that is no link.
#[cfg(not(unix))]
pub(super) fn own(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    if path.is_symlink() { Err(is_link()) } else { plain(options, path) }
}

/// What is made with these options only its owner may read.
pub(super) fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    #[cfg(unix)]
    options.mode(0o600);
    options
}

/// Refuses all but regular files.
fn checked(file: File) -> io::Result<File> {
    let kind = file.metadata()?.file_type();
    if kind.is_file() {
        Ok(file)
    } else if kind.is_dir() {
        Err(io::ErrorKind::IsADirectory.into())
    } else {
        Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"))
    }
}

fn is_link() -> io::Error {
    io::Error::other("it is a link, and links are not followed here")
}

/// Creates our own directory; one that is there already is fine.
pub fn own_dir(path: &Path) -> Result<()> {
    let made = unless(io::ErrorKind::AlreadyExists, fs::create_dir(path));
    match made.map_err(naming("create the directory", path))? {
        Some(()) => Ok(()),
        None => is_dir(path).map_err(naming("use", path)),
    }
}

/// Creates the directories of our own that lead down from `root`, and returns the last. A path that leads elsewhere is refused.
pub fn own_dirs(root: &Path, below: &Path) -> Result<PathBuf> {
    let mut path = root.to_path_buf();
    for part in below.components() {
        path.push(part);
        match part {
            Component::Normal(_) => own_dir(&path)?,
            _ => {
                let leads_out = "it leads out of its directory";
                let cause = io::Error::new(io::ErrorKind::InvalidInput, leads_out);
                return Err(naming("use", &path)(cause));
            }
        }
    }
    Ok(path)
}

fn is_dir(path: &Path) -> io::Result<()> {
    let kind = fs::symlink_metadata(path)?.file_type();
    if kind.is_dir() {
        Ok(())
    } else if kind.is_symlink() {
        Err(is_link())
    } else {
        Err(io::ErrorKind::NotADirectory.into())
    }
}

/// Makes an empty file of our own that only its owner may read, unless one is there.
pub fn make_private(path: &Path) -> Result<()> {
    let made = own(private(OpenOptions::new().create(true).append(true)), path);
    made.map(drop).map_err(naming("create", path))
}

/// Whether a directory is here, and no link to one.
pub fn is_own_dir(path: &Path) -> bool {
    is_dir(path).is_ok()
}

/// Refuses a link where our own directory stands, or will stand.
pub fn no_link(path: &Path) -> Result<()> {
    unless(io::ErrorKind::NotFound, is_dir(path)).map(drop).map_err(naming("use", path))
}

#[cfg(unix)]
fn identity(metadata: fs::Metadata) -> (u64, u64) {
    (metadata.dev(), metadata.ino())
}

#[cfg(not(unix))]
fn identity(metadata: fs::Metadata) -> Option<std::time::SystemTime> {
    metadata.created().ok()
}

/// A lock on what is in a directory: some who add to it, or one who clears up.
#[derive(Debug)]
pub struct DirLock {
    _held: File,
}

impl DirLock {
    /// Waits until nobody clears up.
    pub fn shared(path: &Path) -> Result<Self> {
        Self::locked(path, File::lock_shared)
    }

    /// Waits until nobody else has a lock.
    pub fn exclusive(path: &Path) -> Result<Self> {
        Self::locked(path, File::lock)
    }

    fn locked(path: &Path, lock: fn(&File) -> io::Result<()>) -> Result<Self> {
        let file = File::open(path).map_err(naming("open", path))?;
        lock(&file).map_err(naming("lock", path))?;
        Ok(Self { _held: file })
    }
}

/// A file or directory that is open, and the path that it was opened at.
#[derive(Debug)]
pub struct OpenPath {
    pub(super) path: PathBuf,
    pub(super) file: File,
}

impl OpenPath {
    pub(super) fn new(path: &Path, file: File) -> Self {
        Self { path: path.to_path_buf(), file }
    }

    /// Holds a directory.
    pub fn dir(path: &Path) -> Result<Self> {
        Ok(Self::new(path, File::open(path).map_err(naming("open", path))?))
    }

    /// Whether the file has another name: then it may be someone else's.
    #[cfg(unix)]
    pub(super) fn has_other_names(&self) -> bool {
        self.file.metadata().is_ok_and(|found| found.nlink() > 1)
    }

    /// Elsewhere nothing tells.
    #[cfg(not(unix))]
    pub(super) fn has_other_names(&self) -> bool {
        false
    }

    /// Adds bytes behind the first `length`, and syncs them. What cannot be synced is taken back: who finds it would rely on what may
    /// not be on disk.
    pub(super) fn append(&self, bytes: &[u8], length: u64) -> io::Result<()> {
        let written = (&self.file).write_all(bytes);
        let done = written.and_then(|()| self.file.sync_data());
        if done.is_err() {
            // Where even this fails there is no more to be done: a line without its end is dropped on loading.
            let _ = self.file.set_len(length);
        }
        done
    }

    /// Adds bytes. Nothing is synced.
    pub fn add(&self, bytes: &[u8]) -> Result<()> {
        (&self.file).write_all(bytes).map_err(naming("write", &self.path))
    }

    /// Whether the path still leads to it: that it was not removed, moved or replaced.
    pub fn is_there(&self) -> bool {
        let there = fs::symlink_metadata(&self.path).map(identity);
        let held = self.file.metadata().map(identity);
        there.is_ok_and(|there| held.is_ok_and(|held| there == held))
    }

    /// Locks it, if nobody else has locked it and the path still leads to it. Who finds a file locked leaves it alone; who
    /// locks one that has lost its name holds nothing.
    pub(super) fn lock(&self) -> Result<bool> {
        match self.file.try_lock() {
            Ok(()) => Ok(self.is_there()),
            Err(fs::TryLockError::WouldBlock) => Ok(false),
            Err(fs::TryLockError::Error(e)) => Err(naming("lock", &self.path)(e)),
        }
    }
}
