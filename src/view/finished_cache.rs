//! The finished debates that were asked for last: each is read once, and its page made once, as long as its files are the same.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::SystemTime;

use axum::body::Bytes;

use super::blocking_work::aside;
use super::live::sse::{self, Told};
use super::public;
use crate::shared::Shared;
use crate::store::live;
use crate::trace::Trace;

/// Maximum debates that are kept.
const MOST: usize = 16;
/// Maximum bytes that they may have together, as files and pages count them.
const MOST_BYTES: usize = 64 << 20;

/// The finished debates that were asked for last, the newest at the end.
pub(super) struct FinishedCache {
    public: bool,
    kept: Shared<VecDeque<Arc<Finished>>>,
}

/// A finished debate, as far as it was asked for.
pub(super) struct Finished {
    dir: PathBuf,
    state: State,
    public: bool,
    trace: OnceLock<Option<Trace>>,
    log: OnceLock<Vec<Told>>,
    page: Shared<Option<(String, Bytes)>>,
}

/// What tells whether its files are the same: when each was changed, and its bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
struct State([Option<(SystemTime, u64)>; 2]);

impl FinishedCache {
    pub(super) fn new(public: bool) -> Self {
        Self { public, kept: Shared::default() }
    }

    /// The same with its log read, on its own thread.
    pub(super) async fn with_log(self: &Arc<Self>, dir: &Path) -> Option<Arc<Finished>> {
        let (its, dir) = (Arc::clone(self), dir.to_path_buf());
        aside(move || {
            let found = its.get(&dir);
            found.log();
            found
        })
        .await
    }

    /// The debate in this directory.
    pub(super) fn get(&self, dir: &Path) -> Arc<Finished> {
        let state = State::of(dir);
        let mut kept = self.kept.lock();
        let known = kept.iter().position(|it| it.dir == dir).and_then(|at| kept.remove(at));
        let found = known
            .filter(|it| it.state == state)
            .unwrap_or_else(|| Arc::new(Finished::new(dir, state, self.public)));
        kept.push_back(Arc::clone(&found));
        let mut bytes: usize = kept.iter().map(|it| it.bytes()).sum();
        while kept.len() > MOST || (bytes > MOST_BYTES && kept.len() > 1) {
            bytes -= kept.pop_front().map_or(0, |it| it.bytes());
        }
        found
    }
}

impl Finished {
    fn new(dir: &Path, state: State, public: bool) -> Self {
        Self {
            dir: dir.to_path_buf(),
            state,
            public,
            trace: OnceLock::new(),
            log: OnceLock::new(),
            page: Shared::default(),
        }
    }

    /// All of it; `None` if that cannot be read.
    pub(super) fn trace(&self) -> Option<&Trace> {
        let read = || {
            let trace = Trace::in_dir(&self.dir).ok()?;
            if self.public { public::trace(&trace) } else { Some(trace) }
        };
        self.trace.get_or_init(read).as_ref()
    }

    /// Its log, as streams tell it.
    pub(super) fn log(&self) -> &[Told] {
        self.log.get_or_init(|| {
            let lines = live::logged_lines(&live::logged(&self.dir));
            lines.iter().filter_map(|line| sse::told(line, self.public)).collect()
        })
    }

    /// Its page, made again where what stands around it, told in a few words, is another.
    pub(super) fn page<E>(
        &self,
        around: &str,
        make: impl FnOnce() -> Result<String, E>,
    ) -> Result<Bytes, E> {
        let mut page = self.page.lock();
        if let Some((_, page)) = page.as_ref().filter(|(of, _)| of == around) {
            return Ok(page.clone());
        }
        let made = Bytes::from(make()?);
        *page = Some((around.to_owned(), made.clone()));
        Ok(made)
    }

    /// What is kept of it.
    fn bytes(&self) -> usize {
        let [trace, log] = self.state.0.map(|file| file.map_or(0, |(_, bytes)| bytes));
        let of =
            |is_kept: bool, bytes: u64| usize::try_from(bytes).unwrap_or(0) * usize::from(is_kept);
        // While its page is made it counts for nothing: nobody waits for that here.
        let page = self.page.try_lock();
        let page = page.and_then(|page| page.as_ref().map(|(_, page)| page.len()));
        of(self.trace.get().is_some(), trace)
            + of(self.log.get().is_some(), log)
            + page.unwrap_or(0)
    }
}

impl State {
    fn of(dir: &Path) -> Self {
        let state = |path: PathBuf| {
            let found = path.symlink_metadata().ok()?;
            Some((found.modified().ok()?, found.len()))
        };
        Self([dir.join("trace.json"), live::logged(dir)].map(state))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn debates(archive: &FinishedCache, names: std::ops::Range<usize>) -> Vec<Arc<Finished>> {
        names.map(|n| archive.get(Path::new(&format!("/nowhere/{n}")))).collect()
    }

    fn fill(debate: &Finished, bytes: usize) {
        let made = debate.page("x", || Ok::<_, ()>("a".repeat(bytes)));
        assert_eq!(made.map(|page| page.len()), Ok(bytes));
    }

    fn is_kept(archive: &FinishedCache, debate: &Arc<Finished>) -> bool {
        archive.kept.lock().iter().any(|it| Arc::ptr_eq(it, debate))
    }

    #[test]
    fn l3_sixteen_debates_are_kept_those_that_were_asked_for_last() {
        let archive = FinishedCache::new(false);
        let first = debates(&archive, 0..16);
        debates(&archive, 0..1);
        debates(&archive, 16..17);
        let kept: Vec<bool> = first.iter().map(|it| is_kept(&archive, it)).collect();
        assert!(kept[0] && !kept[1] && kept[2..].iter().all(|kept| *kept));
    }

    #[test]
    fn l3_large_debates_take_no_more_than_their_bytes() {
        let archive = FinishedCache::new(false);
        let all = debates(&archive, 0..3);
        all.iter().for_each(|it| fill(it, 30 << 20));
        let last = debates(&archive, 3..4);
        assert!(!is_kept(&archive, &all[0]) && is_kept(&archive, &all[1]));
        fill(&last[0], 100 << 20);
        debates(&archive, 3..4);
        assert_eq!(archive.kept.lock().len(), 1);
    }

    #[test]
    fn l3_a_page_is_made_once_until_its_files_change() {
        let dir = tempfile::tempdir().unwrap();
        let archive = FinishedCache::new(false);
        let made = |around: &str, text: &str| {
            let page = archive.get(dir.path()).page(around, || Ok::<_, ()>(text.to_owned()));
            String::from_utf8(page.unwrap().to_vec()).unwrap()
        };
        assert_eq!(made("calls", "one"), "one");
        assert_eq!(made("calls", "two"), "one");
        assert_eq!(made("", "three"), "three");
        std::fs::write(dir.path().join("trace.json"), "{}").unwrap();
        assert_eq!(made("", "four"), "four");
    }
}
