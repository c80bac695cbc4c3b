//! The finished debates, as lists show them.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Bound;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use serde::Serialize;
use serde_json::Value;

use crate::artifacts::listing;
use crate::digest;
use crate::files::name_of;
use crate::store::finished::FinishedDebate;
use crate::store::live::ShortId;

/// Hex digits of a topic in an address.
const TOPIC: usize = 12;

/// All finished debates, as they were at one time. Whoever holds it holds nobody up.
#[derive(Default, Clone)]
pub(super) struct Index {
    /// By the times of their starts and their ids.
    rows: BTreeMap<String, Arc<Row>>,
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

/// A finished debate.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Row {
    pub(super) id: String,
    /// Its place among all, which tells nothing else of it.
    pub(super) key: String,
    pub(super) topic: String,
    /// Its topic in addresses.
    pub(super) topic_key: String,
    pub(super) outcome: String,
    pub(super) status: String,
    pub(super) format: String,
    pub(super) job: String,
    pub(super) sides: String,
    #[serde(skip)]
    pub(super) models: Vec<String>,
    /// What the matrix assigned, as JSON.
    #[serde(skip)]
    pub(super) cell: String,
    pub(super) margin: Option<f64>,
    pub(super) rehearsal: bool,
    pub(super) begun: String,
    #[serde(skip)]
    pub(super) path: PathBuf,
    /// What a search looks through.
    #[serde(skip)]
    words: String,
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
        let is_it = name_of(&row.path) == name && name_of(row.path.parent()?) == day;
        is_it.then_some(row)
    }

    /// All of them, the newest first; those before a key if one is given.
    pub(super) fn newest(&self, before: Option<&str>) -> impl Iterator<Item = &Arc<Row>> {
        let end = before.map_or(Bound::Unbounded, Bound::Excluded);
        let rows = self.rows.range::<str, _>((Bound::Unbounded, end));
        rows.rev().map(|(_, row)| row)
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// What they can be chosen by.
    pub(super) fn choices(&self) -> &Choices {
        self.choices.get_or_init(|| Choices::of(self))
    }

    pub(super) fn add(&mut self, row: Row) {
        let row = Arc::new(row);
        if let Some(id) = ShortId::parse(&row.id) {
            self.by_id.insert(id, Arc::clone(&row));
        }
        self.rows.insert(row.key.clone(), row);
        self.changed();
    }

    pub(super) fn remove(&mut self, key: &str) {
        let Some(row) = self.rows.remove(key) else {
            return;
        };
        if let Some(id) = ShortId::parse(&row.id)
            && self.get(&id).is_some_and(|known| known.key == key)
        {
            self.by_id.remove(&id);
        }
        self.changed();
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
            insert(&mut all.status, &row.status);
            insert(&mut all.format, &row.format);
            let models = row.models.iter();
            models.for_each(|model| insert(&mut all.model, model));
        }
        all
    }
}

fn insert(into: &mut BTreeSet<String>, word: &str) {
    if !into.contains(word) {
        into.insert(word.to_owned());
    }
}

impl Row {
    pub(super) fn new(found: FinishedDebate) -> Self {
        let field = |name: &str| found.front.get(name).cloned().unwrap_or_default();
        let text = |name: &str| field(name).as_str().unwrap_or_default().to_owned();
        let (topic, outcome) = (text("topic"), text("outcome"));
        let outcome = if outcome.is_empty() {
            text("cause")
        } else {
            outcome
        };
        let sides = listing::sides(&field("sides"));
        let (format, started) = (text("format"), text("started_at"));
        let words = [&topic, &outcome, &sides, &found.job, &format];
        let words = words.map(String::as_str).join("\n").to_lowercase();
        Self {
            id: found.id.short().to_owned(),
            topic_key: topic_key(&topic),
            margin: field("margin").as_f64(),
            begun: started.get(..16).unwrap_or(&started).replace('T', " "),
            status: found.status.word().to_owned(),
            rehearsal: found.rehearsal,
            models: models(&field("sides")),
            cell: field("cell").to_string(),
            key: key(&found.path, found.id.short()),
            path: found.path,
            job: found.job,
            topic,
            outcome,
            format,
            sides,
            words,
        }
    }

    /// Whether it has all of these words, which are in lower case.
    pub(super) fn has(&self, words: &[String]) -> bool {
        words.iter().all(|word| self.words.contains(word))
    }
}

/// When a debate was begun, as its directory's name says, and its id.
fn key(dir: &Path, id: &str) -> String {
    let name = name_of(dir);
    let begun = name.split('_').next().unwrap_or_default();
    format!("{begun}_{id}")
}

/// A topic as addresses have it.
fn topic_key(topic: &str) -> String {
    digest::of_bytes(topic.as_bytes())[..TOPIC].to_owned()
}

fn models(sides: &Value) -> Vec<String> {
    let sides = sides.as_array().into_iter().flatten();
    let models = sides.flat_map(|side| side["models"].as_array().into_iter().flatten());
    let mut models: Vec<String> = models
        .filter_map(Value::as_str)
        .map(str::to_owned)
        .collect();
    models.sort();
    models.dedup();
    models
}
