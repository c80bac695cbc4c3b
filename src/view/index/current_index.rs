//! Keeping the index as new as the disk: read once from `index.jsonl` and from the directories that are newer, then only where a
//! day has changed. One looks at a time; all others have what was known before.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use tokio::time::Instant;

use super::Index;
use super::index_line::Line;
use super::interner::Interner;
use super::row::Row;
use super::stored_index::StoredIndex;
use crate::clock::Clock;
use crate::files::{self, name_of};
use crate::shared::Shared;
use crate::store::finished::FinishedDebate;
use crate::store::layout::OutputDir;
use crate::store::live::ShortId;
use crate::view::blocking_work::{aside, look_aside};
use crate::view::public;

/// How old the index may be.
const FRESH: Duration = Duration::from_secs(1);
/// A directory that changed so lately may change again within the same tick of its clock.
const SETTLED: Duration = Duration::from_secs(2);

/// The index, and who keeps it.
pub(in crate::view) struct CurrentIndex {
    output: OutputDir,
    clock: Clock,
    public: bool,
    now: Shared<Arc<Index>>,
    known: Shared<Known>,
    /// When it was looked for what is not known.
    sought: tokio::sync::Mutex<Option<Instant>>,
}

/// What was found on disk.
#[derive(Default)]
struct Known {
    days: BTreeMap<PathBuf, Day>,
    /// The texts of rows: those that come later share them.
    words: Interner,
    looked: Option<Instant>,
}

/// The directories of a day, by their names.
#[derive(Default)]
struct Day {
    /// When it was changed, unless that was a moment ago.
    settled: Option<SystemTime>,
    dirs: HashMap<Arc<str>, Seen>,
}

/// A directory: when it was changed, and the debate in it, if there is one.
struct Seen {
    at: Option<SystemTime>,
    row: Option<Arc<Row>>,
}

impl CurrentIndex {
    pub(in crate::view) fn new(output: &OutputDir, clock: &Clock, public: bool) -> Self {
        Self {
            output: output.clone(),
            clock: clock.clone(),
            public,
            now: Shared::default(),
            known: Shared::default(),
            sought: tokio::sync::Mutex::default(),
        }
    }

    /// The index as of a second ago; while someone looks, the one before.
    pub(in crate::view) fn now(&self) -> Arc<Index> {
        match self.known.try_lock() {
            Some(mut known) if known.looked.is_none_or(|at| at.elapsed() >= FRESH) => {
                self.look(&mut known);
            }
            Some(_) => {}
            // The first look is waited for.
            None if self.now.lock().revision == 0 => drop(self.known.lock()),
            None => {}
        }
        Arc::clone(&self.now.lock())
    }

    /// A finished debate. One that is not known yet is looked for on disk.
    pub(in crate::view) async fn find(self: &Arc<Self>, id: &ShortId) -> Option<Arc<Row>> {
        let find = || {
            let (its, id) = (Arc::clone(self), *id);
            aside(move || its.now().get(&id).cloned())
        };
        if let Some(found) = find().await.flatten() {
            return Some(found);
        }
        let look = async || {
            let its = Arc::clone(self);
            let _ = look_aside(move || its.look(&mut its.known.lock())).await;
        };
        self.seek(look).await;
        find().await.flatten()
    }

    /// Looks at the disk for what is not known, once a second for all who seek: those who come meanwhile wait for the next look.
    async fn seek(&self, look: impl AsyncFnOnce()) {
        let come = Instant::now();
        let mut sought = self.sought.lock().await;
        if sought.is_some_and(|at| at > come) {
            return;
        }
        if let Some(at) = *sought {
            tokio::time::sleep_until(at + FRESH).await;
        }
        *sought = Some(Instant::now());
        look().await;
    }

    fn look(&self, known: &mut Known) {
        let mut words = std::mem::take(&mut known.words);
        let listed = match known.looked {
            None => StoredIndex::read(&self.output, self.public, &mut words),
            Some(_) => StoredIndex::default(),
        };
        known.looked = Some(Instant::now());
        let mut look = Look {
            listed,
            words,
            public: self.public,
            now: self.clock.now().into(),
            index: Arc::clone(&self.now.lock()),
        };
        known.look(&self.output.days().unwrap_or_default(), &mut look);
        known.words = look.words;
        *self.now.lock() = look.index;
    }
}

impl Known {
    /// Notes the days that have changed.
    fn look(&mut self, days: &[PathBuf], look: &mut Look) {
        self.days.retain(|day, known| {
            let stays = days.contains(day);
            if !stays {
                known.dirs.values().for_each(|seen| look.forget(seen));
            }
            stays
        });
        for path in days {
            let (day, at) = (self.days.entry(path.clone()).or_default(), changed(path));
            if at.is_none() || day.settled != at {
                day.read(path, look);
                let age = |at: &SystemTime| look.now.duration_since(*at);
                day.settled = at.filter(|at| age(at).is_ok_and(|age| age > SETTLED));
            }
        }
    }
}

impl Day {
    fn read(&mut self, path: &Path, look: &mut Look) {
        let mut before = std::mem::take(&mut self.dirs);
        for (name, at) in files::dirs(path).unwrap_or_default() {
            let (name, seen) = match before.remove_entry(name.as_str()) {
                Some((name, seen)) if seen.at == at => (name, seen),
                other => {
                    other.iter().for_each(|(_, seen)| look.forget(seen));
                    let row = look.add(path, &name, at);
                    let name = row.as_ref().map_or_else(|| name.into(), |row| row.name());
                    (name, Seen { at, row })
                }
            };
            self.dirs.insert(name, seen);
        }
        before.values().for_each(|gone| look.forget(gone));
    }
}

/// A look at the disk. The index is copied if anything is another.
struct Look {
    listed: StoredIndex,
    words: Interner,
    public: bool,
    now: SystemTime,
    index: Arc<Index>,
}

impl Look {
    /// Adds the debate in a directory, if it has one.
    fn add(&mut self, day: &Path, name: &str, at: Option<SystemTime>) -> Option<Arc<Row>> {
        let row = match self.listed.of(&name_of(day), name, at) {
            Some(row) => row,
            None => self.read(&day.join(name))?,
        };
        Arc::make_mut(&mut self.index).add(Arc::clone(&row));
        Some(row)
    }

    fn read(&mut self, dir: &Path) -> Option<Arc<Row>> {
        let found = FinishedDebate::read(dir)?;
        let line = public::listed(Line::of(&found), self.public);
        Row::new(&line, &mut self.words).map(Arc::new)
    }

    fn forget(&mut self, seen: &Seen) {
        if let Some(row) = &seen.row {
            Arc::make_mut(&mut self.index).remove(row);
        }
    }
}

fn changed(path: &Path) -> Option<SystemTime> {
    path.symlink_metadata().and_then(|found| found.modified()).ok()
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    fn lists() -> CurrentIndex {
        CurrentIndex::new(&OutputDir::at(Path::new("/nowhere")), &Clock::system(), false)
    }

    #[tokio::test(start_paused = true)]
    async fn l3_what_is_not_known_is_looked_for_once_a_second() {
        let (lists, looks) = (lists(), Cell::new(0));
        let begun = Instant::now();
        for _ in 0..3 {
            let all = (0..50).map(|_| lists.seek(async || looks.set(looks.get() + 1)));
            futures_util::future::join_all(all).await;
        }
        // Each of these may have come to be after the look before it.
        let passed = begun.elapsed().as_secs();
        assert!(looks.get() <= 1 + passed && looks.get() >= 3, "{looks:?} in {passed} s");
    }

    #[test]
    fn l3_while_somebody_looks_others_have_what_was_known() {
        let lists = lists();
        let mut next = Arc::clone(&lists.now());
        Arc::make_mut(&mut next).revision = 7;
        *lists.now.lock() = next;
        let _looks = lists.known.lock();
        assert_eq!(lists.now().revision, 7);
    }
}
