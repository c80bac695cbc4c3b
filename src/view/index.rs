//! The finished debates, as lists show them.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, OnceLock};

use serde::Serialize;

use super::row::Row;
use crate::store::live::ShortId;

/// All finished debates, as they were at one time. Whoever holds it holds nobody up.
#[derive(Default, Clone)]
pub(super) struct Index {
    /// By their keys.
    rows: Vec<Arc<Row>>,
    by_id: HashMap<ShortId, Arc<Row>>,
    choices: OnceLock<Choices>,
    /// How often anything changed.
    pub(super) revision: u64,
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

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// What they can be chosen by.
    pub(super) fn choices(&self) -> &Choices {
        self.choices.get_or_init(|| Choices::of(self))
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
        let Ok(at) = self.place(row) else {
            return;
        };
        self.rows.remove(at);
        if self
            .get(&row.id)
            .is_some_and(|known| known.key() == row.key())
        {
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
        self.choices = OnceLock::new();
    }
}

impl Choices {
    fn of(index: &Index) -> Self {
        let mut all = Self::default();
        for row in index.newest(None) {
            insert(&mut all.status, row.status.word());
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
