//! The finished debates, as lists show them: read once from `index.jsonl`, and from the directories that are newer.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::artifacts::listing;
use crate::clock::Clock;
use crate::digest;
use crate::files::{self, name_of};
use crate::store::finished::FinishedDebate;
use crate::store::layout::OutputDir;
use crate::store::live::ShortId;

/// How old the index may be.
const FRESH: Duration = Duration::from_secs(1);
/// A directory that changed so lately may change again within the same tick of its clock.
const SETTLED: Duration = Duration::from_secs(2);
/// Hex digits of a topic in an address.
const TOPIC: usize = 12;

/// All finished debates.
#[derive(Default)]
pub(super) struct Index {
    /// By the names of their directories, which begin with the time of their start.
    rows: BTreeMap<String, Row>,
    by_id: HashMap<ShortId, String>,
    days: HashMap<PathBuf, SystemTime>,
    looked: Option<Instant>,
    /// How often anything changed.
    pub(super) revision: u64,
}

/// A finished debate.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Row {
    pub(super) id: String,
    /// Its directory's name.
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
    #[serde(skip)]
    changed: Option<SystemTime>,
}

impl Index {
    /// Takes in what has changed, unless it did so a moment ago.
    pub(super) fn refresh(&mut self, output: &OutputDir, clock: &Clock) {
        if self.looked.is_some_and(|at| at.elapsed() < FRESH) {
            return;
        }
        self.look(output, clock);
    }

    /// The same at once: for a debate that is not known.
    pub(super) fn look(&mut self, output: &OutputDir, clock: &Clock) {
        let listed = match self.looked {
            None => Listed::read(output),
            Some(_) => Listed::default(),
        };
        self.looked = Some(Instant::now());
        let days = output.days().unwrap_or_default();
        let gone = |day: &PathBuf| !days.contains(day);
        let gone: Vec<PathBuf> = self.days.keys().filter(|day| gone(day)).cloned().collect();
        for day in gone {
            self.days.remove(&day);
            self.keep(&day, &HashSet::new());
        }
        let now = SystemTime::from(clock.now());
        for day in days {
            let changed = changed(&day);
            if changed.is_none() || self.days.get(&day) != changed.as_ref() {
                self.read_day(&day, &listed);
                let is_settled =
                    |at: &SystemTime| now.duration_since(*at).is_ok_and(|age| age > SETTLED);
                match changed.filter(is_settled) {
                    Some(at) => drop(self.days.insert(day, at)),
                    None => drop(self.days.remove(&day)),
                }
            }
        }
    }

    fn read_day(&mut self, day: &Path, listed: &Listed) {
        let dirs = files::list(day).unwrap_or_default().into_iter();
        let dirs: Vec<PathBuf> = dirs.filter(|dir| files::is_own_dir(dir)).collect();
        let names = dirs.iter().map(|dir| name_of(dir).into_owned()).collect();
        self.keep(day, &names);
        for dir in dirs {
            let (name, at) = (name_of(&dir).into_owned(), changed(&dir));
            let known = self.rows.get(&name);
            if known.is_none_or(|row| row.changed != at || row.path != dir) {
                self.add(&dir, name, at, listed);
            }
        }
    }

    /// Drops the debates of a day that have none of these names.
    fn keep(&mut self, day: &Path, names: &HashSet<String>) {
        let before = self.rows.len();
        let by_id = &mut self.by_id;
        self.rows.retain(|name, row| {
            let stays = row.path.parent() != Some(day) || names.contains(name);
            if !stays && let Some(id) = ShortId::parse(&row.id) {
                by_id.remove(&id);
            }
            stays
        });
        self.revision += u64::from(self.rows.len() != before);
    }

    fn add(&mut self, dir: &Path, name: String, at: Option<SystemTime>, listed: &Listed) {
        let found = listed.of(dir, at).or_else(|| FinishedDebate::read(dir));
        let Some(found) = found else {
            return;
        };
        self.revision += 1;
        self.by_id.insert(ShortId::of(&found.id), name.clone());
        self.rows.insert(name.clone(), Row::new(found, name, at));
    }

    /// The debate with these digits.
    pub(super) fn get(&self, id: &ShortId) -> Option<&Row> {
        self.rows.get(self.by_id.get(id)?)
    }

    /// The debate in a directory of this name on this day.
    pub(super) fn in_directory(&self, day: &str, name: &str) -> Option<&Row> {
        let row = self.rows.get(name)?;
        let parent = row.path.parent()?;
        (name_of(parent) == day).then_some(row)
    }

    /// All of them, the newest first; those before a name where one is given.
    pub(super) fn newest<'i>(
        &'i self,
        before: Option<&str>,
    ) -> Box<dyn Iterator<Item = &'i Row> + 'i> {
        match before {
            Some(name) => Box::new(self.rows.range(..name.to_owned()).rev().map(|(_, row)| row)),
            None => Box::new(self.rows.values().rev()),
        }
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }
}

impl Row {
    fn new(found: FinishedDebate, key: String, changed: Option<SystemTime>) -> Self {
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
            path: found.path,
            job: found.job,
            key,
            topic,
            outcome,
            format,
            sides,
            words,
            changed,
        }
    }

    /// Whether it has all of these words, which are in lower case.
    pub(super) fn has(&self, words: &[String]) -> bool {
        words.iter().all(|word| self.words.contains(word))
    }
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

fn changed(path: &Path) -> Option<SystemTime> {
    path.symlink_metadata()
        .and_then(|found| found.modified())
        .ok()
}

/// What `index.jsonl` says of directories that have not changed since it was written: lines by the paths in them.
#[derive(Default)]
struct Listed {
    bytes: Vec<u8>,
    lines: HashMap<String, Range<usize>>,
    written: Option<SystemTime>,
}

/// What is read of a line to find it again.
#[derive(Deserialize)]
struct Place {
    path: String,
}

impl Listed {
    fn read(output: &OutputDir) -> Self {
        let path = output.root().join("index.jsonl");
        let mut listed = Self {
            bytes: files::read_own(&path).unwrap_or_default(),
            lines: HashMap::new(),
            written: changed(&path),
        };
        let mut end = 0;
        for line in listed.bytes.split_inclusive(|byte| *byte == b'\n') {
            let start = end;
            end += line.len();
            if let Ok(Place { path }) = serde_json::from_slice(line) {
                listed.lines.insert(path, start..end);
            }
        }
        listed
    }

    /// The debate in this directory; the path in a list is compared, and never followed.
    fn of(&self, dir: &Path, at: Option<SystemTime>) -> Option<FinishedDebate> {
        if at? > self.written? {
            return None;
        }
        let place = format!("{}/{}", name_of(dir.parent()?), name_of(dir));
        let line = self.bytes.get(self.lines.get(&place)?.clone())?;
        FinishedDebate::known(dir, serde_json::from_slice(line).ok()?)
    }
}
