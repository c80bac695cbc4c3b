//! `models:`: how models are loaded, and how long they stay (row J5a). A different value would reload a model, so there is one per
//! model in a whole run: jobs that disagree are refused. It affects no reply and belongs to no debate, so it is not in ids.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::load_options::{self, GONE, KEEP_ALIVE};
use super::model_name::{canonical, check_model_name, same_model};
use super::sampling_options;
use crate::job::checks::check_named;
use crate::job::job_text::JobText;
use crate::job::matrix::COMPARE_MODELS;
use crate::job::problem::{Place, Problem};
use crate::job::shape::{Key, Shape, by_name};
use crate::job::tree::{Data, Name, Node};
use crate::text;

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

    /// All of it in a line: `num_gpu 0, keep_alive 1h`; empty if nothing is set.
    pub fn in_words(&self) -> String {
        let word = |value: &Value| value.as_str().map_or(value.to_string(), str::to_owned);
        text::separated(self.0.iter().map(|(name, value)| format!("{name} {}", word(value))), ", ")
    }
}

/// An entry of a job's `models`.
#[derive(Debug, Clone)]
pub(crate) struct LoadEntry {
    /// The model, as it is written.
    model: String,
    load: Load,
    place: Place,
}

/// The shape of `models`.
pub(in crate::job) fn shape() -> Shape {
    let remedy = "write `context_window` of participants or `defaults`: the largest one is loaded";
    let context = Key::refused("num_ctx", "has its own setting", remedy);
    let sampling = sampling_options::allowed().into_iter().map(|Key { name, .. }| {
        let remedy = format!("write `options: {{{name}: …}}` in a participant or in `defaults`");
        Key::refused(name, "says how to sample, not how to load", remedy)
    });
    let remedy = "remove it: the server would ignore it silently";
    let gone = GONE.map(|key| Key::refused(key, "no longer exists in Ollama", remedy));
    let keys = load_options::keys().into_iter().chain([context]).chain(sampling).chain(gone);
    let models = by_name(Shape::Section(keys.collect()));
    models.clone().read_by(move |reader, at, node| {
        if matches!(node.data, Data::List(_)) {
            let wanted = "a mapping from models to how they are loaded";
            return reader.refuse(at, node, wanted, COMPARE_MODELS);
        }
        reader.value(at, &models, node)
    })
}

/// The entries of `models`.
pub(in crate::job) fn entries(job: &JobText<'_>) -> Vec<LoadEntry> {
    let Some(models) = job.section("models") else { return Vec::new() };
    let entry = |(name, _): &(Name, Node)| {
        let given = models.given.get(&name.text).and_then(Value::as_object);
        let set = given.into_iter().flatten().filter(|(_, value)| !value.is_null());
        LoadEntry {
            model: name.text.trim().to_owned(),
            load: Load(set.map(|(name, value)| (name.clone(), value.clone())).collect()),
            place: name.place.clone(),
        }
    };
    let entries: Vec<LoadEntry> = models.node.entries().iter().map(entry).collect();
    check_names(job, &entries);
    entries
}

fn check_names(job: &JobText<'_>, entries: &[LoadEntry]) {
    let problems = job.reader.problems;
    for (i, LoadEntry { model, place, .. }) in entries.iter().enumerate() {
        let checked = check_named("a name in `models`", model, &(1..=200), false);
        if problems.accept(place, checked).is_some() {
            check_model_name(model, place, problems);
        }
        let is_it = |other: &&LoadEntry| same_model(&other.model, model);
        if let Some(first) = entries[..i].iter().find(is_it) {
            let cause = format!("`{model}` is the same model as `{}`", first.model);
            problems.add(place, cause, "use one entry for both names");
        }
    }
}

/// Who gave a setting: a job file, and where in it.
type Source = (PathBuf, Place);

/// How the models of a run are loaded: of each setting one value, and who gave it first.
#[derive(Debug, Clone, Default)]
pub struct Loads(BTreeMap<String, BTreeMap<String, (Value, Source)>>);

impl Loads {
    /// Notes what a job says. `in_use` tells whether a model may be loaded by now: then what it was loaded with stands.
    ///
    /// # Errors
    /// Where another job says otherwise, a problem for each setting; nothing is taken in then.
    pub(crate) fn add(
        &mut self,
        job: &Path,
        entries: &[LoadEntry],
        in_use: impl Fn(&str) -> bool,
    ) -> Result<(), Vec<Problem>> {
        let mut all = self.clone();
        let mut problems = Vec::new();
        for entry in entries {
            let known = all.0.entry(canonical(&entry.model).to_owned()).or_default();
            for (name, value) in &entry.load.0 {
                let source = (job.to_path_buf(), entry.place.clone());
                let other = match known.get(name) {
                    Some((other, _)) if other == value => continue,
                    Some((other, by)) => format!("{other} {}", at(by)),
                    None if in_use(&entry.model) => {
                        "not set in the jobs for which this run has already loaded it".to_owned()
                    }
                    None => {
                        known.insert(name.clone(), (value.clone(), source));
                        continue;
                    }
                };
                problems.push(disagree(entry, (name, value), &other, source));
            }
        }
        if problems.is_empty() {
            *self = all;
            return Ok(());
        }
        Err(problems)
    }

    /// How a model is loaded.
    pub fn load_of(&self, model: &str) -> Load {
        let known = self.0.get(canonical(model)).into_iter().flatten();
        let settings = known.map(|(name, (value, _))| (name.clone(), value.clone()));
        Load(settings.collect())
    }

    /// The models of which something is said.
    pub fn models(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }
}

fn at((path, place): &Source) -> String {
    format!("in {}, {}", path.display(), place.in_words())
}

fn disagree(entry: &LoadEntry, (name, value): (&str, &Value), other: &str, by: Source) -> Problem {
    let (file, place) = by;
    Problem {
        file,
        place,
        cause: format!(
            "`{name}` of {} is {value} here and {other}: a run loads each model in one way",
            entry.model
        ),
        remedy: "give both the same value, or run one after the other".to_owned(),
        excerpt: None,
    }
}
