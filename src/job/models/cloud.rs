//! Models that run in Ollama's cloud are used only if the job allows it.

use std::collections::BTreeSet;

use super::model_name::{canonical, names_models};
use crate::job::job_text::JobText;
use crate::job::participant::Participant;
use crate::job::tree::{Data, Node};

/// Keys below which `model` is a free name, or a cell that was already put in place.
const FREE: [&str; 5] = ["tags", "background", "matrix", "exclude", "include"];

/// Reports models that run in the cloud, where they are named.
pub(in crate::job) fn check(
    job: &JobText<'_>,
    participants: &[Participant],
    embedding: Option<&str>,
) {
    let used: BTreeSet<&str> =
        participants.iter().flat_map(Participant::models).chain(embedding).map(canonical).collect();
    let bound = job.node.entries().iter().filter(|(name, _)| !FREE.contains(&&*name.text));
    let mut written = Vec::new();
    bound.for_each(|(_, node)| models_below(node, &mut written));
    for (node, model) in written {
        if used.contains(canonical(model)) && is_cloud(model) {
            let remedy = "name a local model, or set `allow_cloud: true` to let the debate leave this machine";
            job.report(&node.place, format!("`{model}` runs in Ollama's cloud"), remedy);
        }
    }
}

/// The values of `model` and `fallback` below a node.
fn models_below<'a>(node: &'a Node, found: &mut Vec<(&'a Node, &'a str)>) {
    for (name, value) in node.entries() {
        if names_models(&name.text) {
            found.extend(value.items().iter().filter_map(|item| Some((item, item.text()?.trim()))));
        }
    }
    if let Data::List(items) = &node.data {
        items.iter().for_each(|item| models_below(item, found));
    }
}

/// Whether a model's name says that it runs in Ollama's cloud: `name:cloud` or `name:tag-cloud`.
fn is_cloud(model: &str) -> bool {
    let mut tags = model.split(':').skip(1);
    tags.any(|tag| tag == "cloud" || tag.ends_with("-cloud"))
}
