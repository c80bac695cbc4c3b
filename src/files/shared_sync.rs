//! Shared syncs: a caller that arrives while a sync is in progress waits for its end, and shares the next one with the others.

use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError};

use super::error::{Result, naming};
use super::names::{list, sync_dir};
use super::own::is_own_dir;
use crate::shared::Shared;

/// How a sync ended: the system's answer where it failed.
type Outcome = Result<(), Arc<io::Error>>;

/// One thing that is synced again and again.
#[derive(Debug, Default)]
struct SharedSync {
    state: Mutex<State>,
    ended: Condvar,
}

#[derive(Debug, Default)]
struct State {
    is_running: bool,
    /// Of the sync that begins next.
    next: Arc<OnceLock<Outcome>>,
}

impl SharedSync {
    /// Returns once a sync has ended that began after this was called.
    fn share(&self, sync: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let mine = Arc::clone(&state.next);
        while state.is_running && mine.get().is_none() {
            let woken = self.ended.wait(state);
            state = woken.unwrap_or_else(PoisonError::into_inner);
        }
        if mine.get().is_none() {
            state.is_running = true;
            state.next = Arc::default();
            drop(state);
            // Nobody else sets it: the others wait.
            let _ = mine.set(sync().map_err(Arc::new));
            state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            state.is_running = false;
            self.ended.notify_all();
        }
        drop(state);
        match mine.get() {
            Some(Err(error)) => Err(again(error)),
            _ => Ok(()),
        }
    }
}

/// The same error for another who waited.
fn again(error: &io::Error) -> io::Error {
    match error.raw_os_error() {
        Some(code) => io::Error::from_raw_os_error(code),
        None => io::Error::new(error.kind(), error.to_string()),
    }
}

/// Makes what was written in some directories durable: with one sync of their file system where that keeps as much as a sync of
/// each file does, otherwise file by file.
#[derive(Debug)]
pub struct ContentSync {
    dir: PathBuf,
    /// Open from before anything is written, so that it learns of every write that fails.
    file_system: Option<File>,
    sync: SharedSync,
    /// Whether a sync of the file system has failed: the system tells of a lost write once, to whoever syncs next.
    has_failed: AtomicBool,
}

impl ContentSync {
    /// Of what is written below these directories.
    pub fn new(dirs: &[&Path]) -> Self {
        let dir = dirs.first().map_or(PathBuf::new(), |dir| dir.to_path_buf());
        Self {
            file_system: file_system::of(dirs),
            dir,
            sync: SharedSync::default(),
            has_failed: AtomicBool::new(false),
        }
    }

    /// Syncs these files and trees, and the names in `holder`.
    pub fn sync(&self, written: &[&Path], holder: &Path) -> Result<()> {
        if let Some(file) = self.file_system.as_ref().filter(|_| !self.has_failed()) {
            let done = self.sync.share(|| file_system::sync(file));
            self.has_failed.fetch_or(done.is_err(), Ordering::SeqCst);
            done.map_err(naming("sync", &self.dir))?;
            // Else one that failed since this began may have been told of a write that was lost here.
            if !self.has_failed() {
                return Ok(());
            }
        }
        written.iter().try_for_each(|path| sync_tree(path))?;
        sync_dir(holder)
    }

    fn has_failed(&self) -> bool {
        self.has_failed.load(Ordering::SeqCst)
    }
}

/// Syncs a file, or all that is in a directory.
fn sync_tree(path: &Path) -> Result<()> {
    if is_own_dir(path) {
        list(path)?.iter().try_for_each(|path| sync_tree(path))?;
        return sync_dir(path);
    }
    // Open for writing: some file systems flush nothing for a reader.
    let file = File::options().write(true).open(path);
    file.and_then(|file| file.sync_all()).map_err(naming("sync", path))
}

/// Syncs of names in directories.
#[derive(Debug, Default)]
pub struct NameSync {
    dirs: Shared<HashMap<PathBuf, Arc<SharedSync>>>,
}

impl NameSync {
    /// Syncs a directory, so that the names in it survive a power cut.
    pub fn sync(&self, dir: &Path) -> Result<()> {
        let sync = Arc::clone(self.dirs.lock().entry(dir.to_path_buf()).or_default());
        sync.share(|| File::open(dir)?.sync_all()).map_err(naming("sync", dir))
    }
}

#[cfg(target_os = "linux")]
mod file_system {
    use std::fs::File;
    use std::io;
    use std::os::unix::fs::MetadataExt;
    use std::path::Path;

    /// File systems whose sync waits for the disk: ext, XFS, Btrfs, F2FS, and memory, where there is nothing to wait for.
    /// Those behind a network or another program may only hand the data on.
    const WHOLE: [i64; 5] = [0xEF53, 0x5846_5342, 0x9123_683E, 0xF2F5_2010, 0x0102_1994];

    /// The first version of Linux whose sync of a file system tells of every write that failed (syncfs(2), fs/sync.c).
    const TELLING: (u32, u32) = (5, 17);

    /// The one that all these directories are on, if it is one of those.
    pub(super) fn of(dirs: &[&Path]) -> Option<File> {
        let system = rustix::system::uname();
        if version(&system.release().to_string_lossy()) < Some(TELLING) {
            return None;
        }
        let devices =
            dirs.iter().map(|dir| Some(dir.metadata().ok()?.dev())).collect::<Option<Vec<_>>>()?;
        let file = File::open(dirs.first()?).ok()?;
        let kind = rustix::fs::fstatfs(&file).ok()?.f_type;
        let is_one = devices.windows(2).all(|two| two[0] == two[1]);
        (is_one && WHOLE.contains(&kind)).then_some(file)
    }

    pub(super) fn sync(file: &File) -> io::Result<()> {
        Ok(rustix::fs::syncfs(file)?)
    }

    /// The first two numbers of a release such as `6.1.0-18-amd64`.
    pub(super) fn version(release: &str) -> Option<(u32, u32)> {
        let mut numbers = release.split(|c: char| !c.is_ascii_digit());
        let mut next = || numbers.next()?.parse().ok();
        Some((next()?, next()?))
    }
}

#[cfg(not(target_os = "linux"))]
mod file_system {
    use std::fs::File;
    use std::io;
    use std::path::Path;

    pub(super) fn of(_: &[&Path]) -> Option<File> {
        None
    }

    pub(super) fn sync(file: &File) -> io::Result<()> {
        file.sync_all()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc;
    use std::thread;

    use super::*;

    /// Has `count` threads wait for a sync while one is in progress, which ends once all wait; then how often it was synced, and
    /// whether each was told of a sync that began after it came.
    fn synced(count: usize, fails: bool) -> (usize, usize) {
        let (shared, syncs) = (SharedSync::default(), AtomicUsize::new(0));
        let (begun, begins) = mpsc::channel();
        let (end, ends) = mpsc::channel::<()>();
        let next = || {
            syncs.fetch_add(1, Ordering::SeqCst);
            if fails { Err(io::Error::from_raw_os_error(5)) } else { Ok(()) }
        };
        let failed = thread::scope(|scope| {
            let first = scope.spawn(|| {
                let first = move || {
                    begun.send(()).unwrap();
                    ends.recv().unwrap();
                    Ok(())
                };
                shared.share(first)
            });
            begins.recv().unwrap();
            let others: Vec<_> = (0..count).map(|_| scope.spawn(|| shared.share(next))).collect();
            let waiting = || Arc::strong_count(&shared.state.lock().unwrap().next) - 1;
            while waiting() < count {
                thread::yield_now();
            }
            assert_eq!(syncs.load(Ordering::SeqCst), 0, "the first goes on");
            end.send(()).unwrap();
            assert!(first.join().unwrap().is_ok());
            let ended = others.into_iter().map(|it| it.join().unwrap());
            ended.filter(Result::is_err).count()
        });
        (syncs.into_inner(), failed)
    }

    #[test]
    fn a5_who_comes_while_a_sync_goes_on_shares_the_next_with_the_others() {
        assert_eq!(synced(5, false), (1, 0));
    }

    #[test]
    fn a5_a_sync_that_fails_fails_for_all_who_share_it() {
        assert_eq!(synced(5, true), (1, 5));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a5_after_a_sync_that_failed_each_file_is_synced() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("f");
        let sync =
            ContentSync { has_failed: AtomicBool::new(true), ..ContentSync::new(&[dir.path()]) };
        let missing = sync.sync(&[&file], dir.path()).unwrap_err();
        assert_eq!(missing.path, file);
        assert!(file_system::version("5.15.0-91-generic") < Some((5, 17)));
        assert!(file_system::version("6.1.0-18-amd64") > Some((5, 17)));
    }

    #[test]
    fn a5_where_the_file_system_is_not_synced_as_a_whole_each_file_is() {
        let dir = tempfile::tempdir().unwrap();
        let [tree, file] = ["t", "f"].map(|name| dir.path().join(name));
        std::fs::create_dir_all(tree.join("inner")).unwrap();
        std::fs::write(tree.join("inner/x"), "x").unwrap();
        let by_file = ContentSync {
            dir: dir.path().to_path_buf(),
            file_system: None,
            sync: SharedSync::default(),
            has_failed: AtomicBool::new(false),
        };
        let missing = by_file.sync(&[&tree, &file], dir.path()).unwrap_err();
        assert_eq!(missing.path, file);
        std::fs::write(&file, "f").unwrap();
        by_file.sync(&[&tree, &file], dir.path()).unwrap();
    }
}
