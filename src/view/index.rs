//! The finished debates, as lists show them.

pub(super) mod current_index;
pub(super) mod index_line;
mod interner;
pub(super) mod row;
mod stored_index;
mod unfinished;

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, OnceLock};

use serde::Serialize;

use self::row::Row;
use crate::event::Status;
use crate::store::live::ShortId;

/// Debates that ended last.
const LATEST: usize = 10;

/// All finished debates, as they were at one time. Whoever holds it holds nobody up.
#[derive(Default, Clone)]
pub(super) struct Index {
    /// By their keys.
    rows: Vec<Arc<Row>>,
    by_id: HashMap<ShortId, Arc<Row>>,
    derived: Derived,
    /// How often anything changed.
    pub(super) revision: u64,
}

/// What follows from the rows, from when it is asked for first until they change.
#[derive(Default, Clone)]
struct Derived {
    choices: OnceLock<Choices>,
    latest: OnceLock<Vec<Arc<Row>>>,
    went_wrong: OnceLock<Vec<Arc<Row>>>,
    /// Those on each topic, by its key in addresses.
    topics: OnceLock<HashMap<String, Arc<Index>>>,
    /// What they came to, in a line.
    sum: OnceLock<String>,
}

/// What there is to choose from.
#[derive(Debug, Default, Clone, Serialize)]
pub(super) struct Choices {
    status: BTreeSet<String>,
    format: BTreeSet<String>,
    model: BTreeSet<String>,
}

impl Index {
    /// The debate with these digits.
    pub(super) fn get(&self, id: &ShortId) -> Option<&Arc<Row>> {
        self.by_id.get(id)
    }

    /// The debate whose id begins so, if there is one only.
    pub(super) fn beginning(&self, digits: &str) -> Option<ShortId> {
        let mut its = self.by_id.keys().filter(|id| id.as_str().starts_with(digits));
        its.next().filter(|_| its.next().is_none()).copied()
    }

    /// The debate in a directory of this name on this day.
    pub(super) fn in_directory(&self, day: &str, name: &str) -> Option<&Arc<Row>> {
        let (_, id) = name.rsplit_once('_')?;
        let row = self.get(&ShortId::parse(id)?)?;
        (row.place() == (day, name)).then_some(row)
    }

    /// All of them, the newest first; those before a key, as addresses have it, if one is given.
    pub(super) fn newest(&self, before: Option<&str>) -> impl Iterator<Item = &Arc<Row>> {
        let end = before.map_or(self.rows.len(), |before| {
            let key = before.rsplit_once('_').unwrap_or((before, ""));
            self.rows.partition_point(|row| row.key() < key)
        });
        self.rows[..end].iter().rev()
    }

    /// Those that ended last, the last first.
    pub(super) fn latest(&self) -> &[Arc<Row>] {
        self.derived.latest.get_or_init(|| {
            let by_end = |row: &&Arc<Row>| std::cmp::Reverse(row.ended);
            let mut all: Vec<&Arc<Row>> = self.newest(None).collect();
            if all.len() > LATEST {
                all.select_nth_unstable_by_key(LATEST, by_end);
                all.truncate(LATEST);
            }
            all.sort_by_key(by_end);
            all.into_iter().cloned().collect()
        })
    }

    /// The degraded and the failed ones, rehearsals left aside.
    pub(super) fn went_wrong(&self) -> &[Arc<Row>] {
        self.derived.went_wrong.get_or_init(|| {
            let wrong = [Status::Degraded, Status::Failed].map(Status::word);
            let all =
                self.newest(None).filter(|row| !row.rehearsal && wrong.contains(&row.status()));
            all.cloned().collect()
        })
    }

    /// Those on one topic.
    pub(super) fn topic(&self, key: &str) -> Option<Arc<Self>> {
        let topics = self.derived.topics.get_or_init(|| {
            let mut topics: HashMap<&str, Self> = HashMap::new();
            for row in &self.rows {
                topics.entry(&row.topic).or_default().add(Arc::clone(row));
            }
            let keyed = |own: Self| Some((own.rows.first()?.topic_key(), Arc::new(own)));
            topics.into_values().filter_map(keyed).collect()
        });
        topics.get(key).cloned()
    }

    /// What they came to, as that is counted when it is asked for first.
    pub(super) fn sum(&self, count: impl FnOnce(&Self) -> String) -> &str {
        self.derived.sum.get_or_init(|| count(self))
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// What they can be chosen by.
    pub(super) fn choices(&self) -> &Choices {
        self.derived.choices.get_or_init(|| Choices::of(self))
    }

    pub(super) fn add(&mut self, row: Arc<Row>) {
        self.by_id.insert(row.id, Arc::clone(&row));
        match self.place(&row) {
            Ok(at) => self.rows[at] = row,
            Err(at) => self.rows.insert(at, row),
        }
        self.changed();
    }

    pub(super) fn remove(&mut self, row: &Row) {
        let Ok(at) = self.place(row) else { return };
        self.rows.remove(at);
        let known = self.get(&row.id);
        if known.is_some_and(|known| known.key() == row.key()) {
            self.by_id.remove(&row.id);
        }
        self.changed();
    }

    /// Where a row stands, or belongs: mostly at the end, since they come in order.
    fn place(&self, row: &Row) -> Result<usize, usize> {
        match self.rows.last() {
            Some(last) if last.key() < row.key() => Err(self.rows.len()),
            _ => self.rows.binary_search_by(|it| it.key().cmp(&row.key())),
        }
    }

    fn changed(&mut self) {
        self.revision += 1;
        self.derived = Derived::default();
    }
}

impl Choices {
    fn of(index: &Index) -> Self {
        let mut all = Self::default();
        for row in index.newest(None) {
            insert(&mut all.status, row.status());
            insert(&mut all.format, &row.format);
            row.models().for_each(|model| insert(&mut all.model, model));
        }
        all
    }
}

fn insert(into: &mut BTreeSet<String>, word: &str) {
    if !into.contains(word) {
        into.insert(word.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::index_line::Line;
    use super::interner::Interner;
    use super::*;

    fn row(begun: &str, digit: char) -> Arc<Row> {
        let id = digit.to_string().repeat(64);
        let line = serde_json::json!({
            "id": id, "path": format!("{}/{begun}_job_{}", &begun[..10], &id[..12]), "topic": "T", "outcome": null,
            "cause": null, "status": "done", "job": "job", "rehearsal": false,
        }).to_string();
        let line: Line<'_> = serde_json::from_str(&line).unwrap();
        Arc::new(Row::new(&line, &mut Interner::default()).unwrap())
    }

    fn starts(index: &Index, before: Option<&str>) -> String {
        let ids = index.newest(before).map(|row| row.id.as_str());
        ids.map(|id| &id[..1]).collect()
    }

    #[test]
    fn l3_the_debates_that_ended_last_are_the_latest_whenever_they_began() {
        let mut index = Index::default();
        for (n, digit) in "0123456789abcdef".chars().enumerate() {
            let row = row(&format!("2026-01-{:02}T00-00-00", n + 1), digit);
            let mut row = Arc::unwrap_or_clone(row);
            // The first that began ends last of all but one.
            row.ended = if n == 0 { 145 } else { 10 * i64::try_from(n).unwrap() };
            index.add(Arc::new(row));
        }
        let starts = |index: &Index| -> String {
            let ids = index.latest().iter().map(|row| row.id.as_str());
            ids.map(|id| &id[..1]).collect()
        };
        assert_eq!(starts(&index), "f0edcba987");
        let last = Arc::clone(&index.latest()[0]);
        index.remove(&last);
        assert_eq!(starts(&index), "0edcba9876");
    }

    #[test]
    fn l3_rows_are_in_order_however_they_come_and_go() {
        let mut index = Index::default();
        let all = [
            ("2026-01-02T00-00-00", 'b'),
            ("2026-01-01T00-00-00", 'd'),
            ("2026-01-02T00-00-00", 'a'),
            ("2026-02-01T00-00-00", 'c'),
        ]
        .map(|(begun, digit)| row(begun, digit));
        for row in &all {
            index.add(Arc::clone(row));
        }
        index.add(Arc::clone(&all[0]));
        assert_eq!(starts(&index, None), "cbad");
        assert_eq!(starts(&index, Some("2026-01-02T00-00-00_bbbbbbbbbbbb")), "ad");
        assert_eq!(starts(&index, Some("2026-02")), "bad");
        assert_eq!(starts(&index, Some("")), "");
        index.remove(&all[2]);
        index.remove(&all[2]);
        assert_eq!((starts(&index, None), index.len()), ("cbd".to_owned(), 3));
        assert!(index.get(&all[2].id).is_none() && index.get(&all[1].id).is_some());
        assert_eq!(index.beginning("dddd"), Some(all[1].id));
        assert!(index.beginning("eeee").is_none() && index.beginning("").is_none());
    }
}
