//! Participants' own models besides `defaults.model`, and replacing all models by one.

use std::sync::Arc;

use super::model_name::names_models;
use crate::job::matrix;
use crate::job::problem::Place;
use crate::job::shape::Key;
use crate::job::tree::{Data, Node};

/// The keys of a job below which participants stand: their entries may have a model and fallbacks.
pub(in crate::job) fn people(keys: &[Key]) -> Vec<String> {
    let has = |key: &Key, wanted: &str| key.shape.keys().iter().any(|inner| inner.name == wanted);
    let people = keys
        .iter()
        .filter(|key| key.name != "defaults" && has(key, "model") && has(key, "fallback"));
    people.map(|key| key.name.clone().into_owned()).collect()
}

/// Who does not follow `defaults.model`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OwnModels {
    /// The paths of models that the job file sets: `x.model`, `judges.0.model`.
    pub named: Vec<String>,
    /// The paths of models that the matrix varies.
    pub varied: Vec<String>,
}

impl OwnModels {
    pub(in crate::job) fn new(job: &Node, people: &[String]) -> Self {
        let mut varied: Vec<String> = matrix::paths(job)
            .into_iter()
            .filter(|path| {
                let (first, rest) = path.split_once('.').unwrap_or((path, ""));
                people.iter().any(|key| key == first)
                    && rest.split('.').next_back() == Some("model")
            })
            .collect();
        varied.sort();
        varied.dedup();
        Self { named: people.iter().flat_map(|key| named(job, key)).collect(), varied }
    }
}

/// The models that a file sets below a key; those of `--set` were chosen on the same command line.
fn named(job: &Node, key: &str) -> Vec<String> {
    let in_file = |node: &Node| {
        let model = node.get("model");
        model.is_some_and(|model| matches!(model.place, Place::At { .. }))
    };
    let Some(node) = job.get(key) else { return Vec::new() };
    if let Data::List(items) = &node.data {
        let items = (0..).zip(items).filter(|(_, item)| in_file(item));
        return items.map(|(i, _)| format!("{key}.{i}.model")).collect();
    }
    in_file(node).then(|| format!("{key}.model")).into_iter().collect()
}

/// Gives every participant this model, without fallbacks.
pub(in crate::job) fn replace_all(job: &mut Node, people: &[String], model: &str) {
    if let Data::Map(entries) = &mut job.data {
        let of_people = |name: &str| name == "defaults" || people.iter().any(|known| known == name);
        let people = entries.iter_mut().filter(|(name, _)| of_people(&name.text));
        people.for_each(|(_, node)| strip(node));
    }
    let place = Place::Flag(Arc::from(format!("--all-models {model}")));
    let value = Node::at(&place, Data::Text(model.to_owned()));
    // Where `defaults` cannot hold it, reading the job says so.
    let _ = job.set(&["defaults", "model"], &place, value);
}

/// Whether a path of the matrix leads to someone's models, which `--all-models` replaces.
pub(in crate::job) fn is_of_model(path: &str) -> bool {
    path.rsplit('.').any(names_models)
}

fn strip(node: &mut Node) {
    match &mut node.data {
        Data::Map(entries) => entries.retain(|(name, _)| !names_models(&name.text)),
        Data::List(items) => items.iter_mut().for_each(strip),
        _ => {}
    }
}
