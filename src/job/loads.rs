//! `models:`: how models are loaded, and how long they stay (row J5a). Another value loads a model anew, so there is one for each
//! model in a whole run: jobs that disagree are refused. It shapes no reply and belongs to no debate: it is not in ids.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::Value;

use super::Job;
use super::keys::Keys;
use super::model_name::{canonical, same_model};
use super::options::{self, GONE};
use super::problem::{Place, Problem};
use super::shape::Shape;
use super::tree::{Data, Name, Node};
use super::words;

/// Ollama's load options that are whole numbers: name, least, most, meaning.
const WHOLES: [(&str, i64, i64, &str); 5] = [
    (
        "num_gpu",
        -1,
        10_000,
        "Layers on graphics cards; 0 is none, -1 as many as the server finds room for",
    ),
    ("main_gpu", 0, 255, "The graphics card for small tensors"),
    (
        "num_batch",
        1,
        1_000_000,
        "Tokens of a prompt that are read at a time",
    ),
    (
        "num_thread",
        0,
        4096,
        "Threads on the processor; 0 leaves it to the server",
    ),
    (
        "draft_num_predict",
        0,
        1000,
        "Tokens that are drafted ahead, in models that can",
    ),
];

/// Load options that are `true` or `false`.
const FLAG: (&str, &str) = ("use_mmap", "Whether the model's file is mapped into memory");

/// How long a model stays loaded.
const KEEP_ALIVE: &str = "keep_alive";

/// The longest time that a model is kept, in seconds: a hundred years.
const LONGEST: f64 = 3.2e9;

/// How a model is loaded: load options by Ollama's names, and `keep_alive`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Load(BTreeMap<String, Value>);

impl Load {
    /// How long the model stays loaded after a call: seconds (negative for good), or a duration such as `30m`.
    pub fn keep_alive(&self) -> Option<&Value> {
        self.0.get(KEEP_ALIVE)
    }

    /// Its load options, by name.
    pub fn options(&self) -> impl Iterator<Item = (&String, &Value)> {
        self.0.iter().filter(|(name, _)| *name != KEEP_ALIVE)
    }

    /// All of it in a line: `num_gpu 0, keep_alive 1h`; empty where nothing is set.
    pub fn in_words(&self) -> String {
        let word = |value: &Value| value.as_str().map_or(value.to_string(), str::to_owned);
        let each = self.0.iter();
        let each = each.map(|(name, value)| format!("{name} {}", word(value)));
        each.collect::<Vec<_>>().join(", ")
    }
}

/// An entry of a job's `models`.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    /// The model, as it is written.
    model: String,
    load: Load,
    place: Place,
}

/// The names of what stands below a model.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    let wholes = WHOLES.iter().map(|(name, ..)| *name);
    wholes.chain([FLAG.0, KEEP_ALIVE])
}

/// Reads the key `models`.
pub(super) fn read(keys: &mut Keys<'_>) -> Vec<Entry> {
    if let Some(list) = keys.node().get("models").filter(|node| is_list(node)) {
        let remedy = "models to try in turn are listed under `matrix`, such as `matrix: {defaults.model: [llama3, mistral]}`";
        keys.refuse(
            "models",
            list,
            "a mapping from models to how they are loaded",
            remedy,
        );
        keys.pass_over("models");
        return Vec::new();
    }
    let doc = "How each model is loaded and how long it is kept: one value per model and run, part of no debate's id";
    let read = keys.table("models", doc, |_, keys| {
        let load = read_load(keys);
        refuse_others(keys);
        load
    });
    let nodes = keys.node().get("models").map_or(&[][..], Node::entries);
    let entry = |((model, load), (name, _)): ((String, Load), &(Name, Node))| Entry {
        model: model.trim().to_owned(),
        load,
        place: name.place.clone(),
    };
    let entries: Vec<Entry> = read.into_iter().flatten().zip(nodes).map(entry).collect();
    check_names(keys, &entries);
    entries
}

fn is_list(node: &Node) -> bool {
    matches!(node.data, Data::List(_))
}

fn read_load(keys: &mut Keys<'_>) -> Load {
    let mut load = BTreeMap::new();
    for (key, least, most, doc) in WHOLES {
        let value = keys.optional_integer(key, least..=most, doc);
        load.extend(value.map(|value| (key.to_owned(), Value::from(value))));
    }
    let (key, doc) = FLAG;
    let flag = keys.optional_flag(key, doc);
    load.extend(flag.map(|flag| (key.to_owned(), Value::from(flag))));
    let kept = read_keep_alive(keys);
    load.extend(kept.map(|kept| (KEEP_ALIVE.to_owned(), kept)));
    Load(load)
}

fn read_keep_alive(keys: &mut Keys<'_>) -> Option<Value> {
    let text = Shape::Text {
        length: 2..=40,
        lines: false,
    };
    let shape = Shape::Either(vec![Shape::Whole(-1..=LONGEST as i64), text]);
    let doc = "How long the model stays loaded after a call: seconds, or a duration such as `1h30m`; -1 is for good. By default 30m";
    let shape = Shape::Nullable(Box::new(shape));
    let node = keys.raw(KEEP_ALIVE, shape, Value::Null, doc)?;
    match &node.data {
        Data::Whole(seconds, _) if (-1..=LONGEST as i64).contains(seconds) => {
            Some(Value::from(*seconds))
        }
        Data::Text(text) if is_duration(text.trim()) => Some(Value::from(text.trim())),
        _ => {
            let remedy = "write seconds without quotes, or numbers with h, m or s: `keep_alive: 1h30m`; -1 keeps it for good";
            keys.refuse(KEEP_ALIVE, node, "a time", remedy);
            None
        }
    }
}

/// Whether Go's `time.ParseDuration` reads it, which Ollama uses: `90s`, `1h30m`, `1.5h`.
fn is_duration(text: &str) -> bool {
    let (mut rest, mut seconds) = (text, 0.0);
    while !rest.is_empty() {
        let number = rest.find(|c: char| !c.is_ascii_digit() && c != '.');
        let Some((number, after)) = number.map(|at| rest.split_at(at)) else {
            return false;
        };
        let units = [("ms", 0.001), ("h", 3600.0), ("m", 60.0), ("s", 1.0)];
        let unit = units
            .iter()
            .find_map(|(unit, in_seconds)| Some((after.strip_prefix(unit)?, in_seconds)));
        let (Some((after, in_seconds)), Ok(number)) = (unit, number.parse::<f64>()) else {
            return false;
        };
        seconds += number * in_seconds;
        rest = after;
    }
    !text.is_empty() && seconds <= LONGEST
}

/// Reports options of Ollama's that are not for a model in a run, with what to write instead.
fn refuse_others(keys: &mut Keys<'_>) {
    let remedy = "write `context_window` of participants or `defaults`: the largest one is loaded";
    keys.refuse_key("num_ctx", "has a setting of its own", remedy);
    let sampling = keys.node().entries().iter();
    let sampling: Vec<&str> = sampling
        .map(|(name, _)| name.text.as_str())
        .filter(|name| options::is_option(name))
        .collect();
    for key in sampling {
        let remedy = format!("write `options: {{{key}: …}}` in a participant or in `defaults`");
        keys.refuse_key(key, "says how to sample, not how to load", &remedy);
    }
    for key in GONE {
        let remedy = "leave it out: the server would pass over it without a word";
        keys.refuse_key(key, "is none of Ollama's options any more", remedy);
    }
}

fn check_names(keys: &Keys<'_>, entries: &[Entry]) {
    for (i, entry) in entries.iter().enumerate() {
        let name = &entry.model;
        if let Err((cause, remedy)) = words::check_text(name, &(1..=200), false) {
            let cause = format!("a name in `models` {cause}");
            keys.problems.add(&entry.place, cause, remedy);
        } else if name.contains(char::is_whitespace) {
            let remedy = "write it as `ollama list` shows it, such as `llama3:8b`";
            let cause = format!("`{name}` is no model's name");
            keys.problems.add(&entry.place, cause, remedy);
        }
        let is_it = |other: &&Entry| same_model(&other.model, name);
        if let Some(first) = entries[..i].iter().find(is_it) {
            let cause = format!("`{name}` is the same model as `{}`", first.model);
            keys.problems
                .add(&entry.place, cause, "write all of it under one name");
        }
    }
}

/// Who gave a setting: a job file, and where in it.
type Source = (PathBuf, Place);

/// How the models of a run are loaded: of each setting one value, and who gave it first.
#[derive(Debug, Clone, Default)]
pub struct Loads(BTreeMap<String, BTreeMap<String, (Value, Source)>>);

impl Loads {
    /// Takes in what a job says. `in_use` tells whether a model may be loaded by now: then what it was loaded with stands.
    ///
    /// # Errors
    /// Where another job says otherwise, a problem for each setting; nothing is taken in then.
    pub fn add(&mut self, job: &Job, in_use: impl Fn(&str) -> bool) -> Result<(), Vec<Problem>> {
        let mut all = self.clone();
        let mut problems = Vec::new();
        for entry in &job.loads {
            let known = all.0.entry(canonical(&entry.model).to_owned()).or_default();
            for (name, value) in &entry.load.0 {
                let source = (job.path.clone(), entry.place.clone());
                match known.get(name) {
                    Some((other, _)) if other == value => {}
                    Some((other, by)) => {
                        let other = format!("{other} {}", at(by));
                        problems.push(disagree(entry, (name, value), &other, source));
                    }
                    None if in_use(&entry.model) => {
                        let other = "not set where this run has loaded it already";
                        problems.push(disagree(entry, (name, value), other, source));
                    }
                    None => drop(known.insert(name.clone(), (value.clone(), source))),
                }
            }
        }
        if problems.is_empty() {
            *self = all;
            return Ok(());
        }
        Err(problems)
    }

    /// How a model is loaded.
    pub fn of(&self, model: &str) -> Load {
        let known = self.0.get(canonical(model)).into_iter().flatten();
        Load(
            known
                .map(|(name, (value, _))| (name.clone(), value.clone()))
                .collect(),
        )
    }

    /// The models of which something is said.
    pub fn models(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }
}

fn at((path, place): &Source) -> String {
    format!("in {}, {}", path.display(), place.in_words())
}

fn disagree(entry: &Entry, (name, value): (&str, &Value), other: &str, by: Source) -> Problem {
    let (file, place) = by;
    Problem {
        file,
        place,
        cause: format!(
            "`{name}` of {} is {value} here and {other}: a run loads a model one way",
            entry.model
        ),
        remedy: "give both the same value, or run one after the other".to_owned(),
        excerpt: None,
    }
}
