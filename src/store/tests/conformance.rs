//! What every store of debates keeps to, as tests that run over each of them: a journal is loaded as it was written, one writer
//! continues it after the last entry known, and a debate is committed once (rows J9, F2).

mod directory;

use std::thread;

use chrono::DateTime;
use serde_json::{Value, json};

use crate::id::DebateId;
use crate::journal::{Entry, ExternalEntry, Header};

/// A store of debates.
pub(crate) trait DebateStore: Sync {
    /// One who continues a debate. What it has appended stays when it is dropped, as if its process had been killed.
    type Writer;

    /// The entries of a debate's journal.
    fn load(&self, id: &DebateId) -> Vec<Entry>;

    /// Continues a debate after the last entry known; `None` where somebody else does, or where it is done.
    fn continue_debate(&self, id: &DebateId) -> Option<Self::Writer>;

    /// Appends an entry; false where somebody else continues the debate.
    fn append(&self, writer: &Self::Writer, entry: &Entry) -> bool;

    /// Commits the debate with this text; false where it is done already.
    fn commit(&self, writer: &Self::Writer, text: &str) -> bool;

    /// The text that a debate was committed with.
    fn committed(&self, id: &DebateId) -> Option<String>;
}

/// Makes a test of each of these functions for a store; an expression that gives `None` skips them.
macro_rules! conforms {
    ($store:expr) => {
        $crate::store::tests::conformance::conforms! { $store;
            f2_what_is_appended_is_loaded,
            f2_a_debate_that_nobody_began_is_empty,
            f2_the_next_writer_continues_after_the_last_entry,
            f2_of_two_writers_one_continues,
            f2_writers_that_race_double_and_lose_no_entry,
            f2_debates_do_not_mix,
            f2_of_two_commits_the_first_stands,
            f2_a_committed_debate_keeps_its_journal_and_is_not_continued,
        }
    };
    ($store:expr; $($test:ident),* $(,)?) => {$(
        #[test]
        fn $test() {
            if let Some(store) = $store {
                $crate::store::tests::conformance::$test(&store);
            }
        }
    )*};
}
pub(crate) use conforms;

fn id(name: &str) -> DebateId {
    DebateId::from_identity(&json!(name))
}

/// The first line of a debate's journal.
fn first(id: &DebateId) -> Entry {
    let started_at = DateTime::UNIX_EPOCH;
    let directory = format!("1970-01-01/1970-01-01T00-00-00_job_{}", id.short());
    Entry::Debate(Header::new(id, "inputs".to_owned(), None, directory, started_at))
}

fn reading(name: impl Into<String>, value: impl Into<Value>) -> Entry {
    Entry::External(ExternalEntry {
        name: name.into(),
        at: DateTime::UNIX_EPOCH,
        value: value.into(),
    })
}

/// A debate that has begun, and who continues it.
fn begun<S: DebateStore>(store: &S, id: &DebateId) -> S::Writer {
    let writer = store.continue_debate(id).expect("nobody else does");
    assert!(store.append(&writer, &first(id)));
    writer
}

pub(crate) fn f2_what_is_appended_is_loaded<S: DebateStore>(store: &S) {
    let id = id("a");
    let writer = begun(store, &id);
    let odd = "two\nlines \"quoted\" \\ \u{0} \u{2028} é \u{1f600}";
    let entries = [
        first(&id),
        reading("odd", odd),
        reading("empty", ""),
        reading("long", "x".repeat(300_000)),
    ];
    for entry in &entries[1..] {
        assert!(store.append(&writer, entry));
    }
    assert!(store.load(&id) == entries);
    // Reading changes nothing.
    assert!(store.load(&id) == entries);
}

pub(crate) fn f2_a_debate_that_nobody_began_is_empty<S: DebateStore>(store: &S) {
    let id = id("a");
    assert_eq!((store.load(&id), store.committed(&id)), (vec![], None));
    drop(store.continue_debate(&id).expect("nobody else does"));
    assert_eq!((store.load(&id), store.committed(&id)), (vec![], None));
}

pub(crate) fn f2_the_next_writer_continues_after_the_last_entry<S: DebateStore>(store: &S) {
    let id = id("a");
    let mut expected = vec![first(&id)];
    drop(begun(store, &id));
    for n in 0..3 {
        assert_eq!(store.load(&id), expected);
        let next = store.continue_debate(&id).expect("nobody else does");
        expected.push(reading(n.to_string(), n));
        assert!(store.append(&next, &expected[expected.len() - 1]));
    }
    assert_eq!(store.load(&id), expected);
}

pub(crate) fn f2_of_two_writers_one_continues<S: DebateStore>(store: &S) {
    let id = id("a");
    let one = begun(store, &id);
    let other = store.continue_debate(&id);
    let (mut by_one, mut by_other) = (Vec::new(), Vec::new());
    // The one that is refused stays refused.
    for n in 0..3 {
        let entry = reading(format!("one/{n}"), n);
        by_one.extend(store.append(&one, &entry).then_some(entry));
        let entry = reading(format!("other/{n}"), n);
        let appends = |other| store.append(other, &entry);
        by_other.extend(other.as_ref().is_some_and(appends).then_some(entry.clone()));
    }
    assert!(by_one.len() + by_other.len() == 3, "{by_one:?} {by_other:?}");
    assert!(by_one.is_empty() || by_other.is_empty());
    assert_eq!(store.load(&id), [vec![first(&id)], by_one, by_other].concat());
}

pub(crate) fn f2_writers_that_race_double_and_lose_no_entry<S: DebateStore>(store: &S) {
    let id = id("a");
    drop(begun(store, &id));
    let race = || {
        let writers = (0..10).filter_map(|_| store.continue_debate(&id));
        // Each writes the number that comes next, as far as it knows.
        let taken = writers.filter(|writer| {
            let next = store.load(&id).len();
            store.append(writer, &reading(next.to_string(), next))
        });
        taken.count()
    };
    let taken: usize = thread::scope(|scope| {
        let racers: Vec<_> = (0..4).map(|_| scope.spawn(race)).collect();
        racers.into_iter().map(|racer| racer.join().expect("an end")).sum()
    });
    let numbers = (1..=taken).map(|n| reading(n.to_string(), n));
    let expected: Vec<Entry> = [first(&id)].into_iter().chain(numbers).collect();
    assert!(taken > 0 && store.load(&id) == expected, "{taken} taken");
}

pub(crate) fn f2_debates_do_not_mix<S: DebateStore>(store: &S) {
    let ids = ["a", "b"].map(id);
    let writers = ids.each_ref().map(|id| begun(store, id));
    for n in 0..3 {
        for (id, writer) in ids.iter().zip(&writers) {
            assert!(store.append(writer, &reading(format!("{n}"), id.short())));
        }
    }
    assert!(store.commit(&writers[0], "a's"));
    for id in &ids {
        let entries = (0..3).map(|n| reading(format!("{n}"), id.short()));
        let expected: Vec<Entry> = [first(id)].into_iter().chain(entries).collect();
        assert_eq!(store.load(id), expected);
    }
    assert_eq!(store.committed(&ids[0]).as_deref(), Some("a's"));
    assert_eq!(store.committed(&ids[1]), None);
}

pub(crate) fn f2_of_two_commits_the_first_stands<S: DebateStore>(store: &S) {
    let id = id("a");
    let one = begun(store, &id);
    let other = store.continue_debate(&id);
    let writers = [Some(one), other];
    let commits = |(writer, text)| {
        let writer: &Option<S::Writer> = writer;
        let commits = |writer| store.commit(writer, text);
        writer.as_ref().is_some_and(commits).then_some(text)
    };
    let stands: Vec<&str> = writers.iter().zip(["one", "other"]).filter_map(commits).collect();
    assert_eq!(stands.len(), 1);
    assert_eq!(store.committed(&id).as_deref(), Some(stands[0]));
}

pub(crate) fn f2_a_committed_debate_keeps_its_journal_and_is_not_continued<S: DebateStore>(
    store: &S,
) {
    let id = id("a");
    let writer = begun(store, &id);
    let entry = reading("x", 1);
    assert!(store.append(&writer, &entry));
    assert!(store.commit(&writer, "all"));
    drop(writer);
    assert!(store.continue_debate(&id).is_none());
    assert_eq!(store.load(&id), [first(&id), entry]);
    assert_eq!(store.committed(&id).as_deref(), Some("all"));
}
