//! Models whose name stood for different weights (another version was pulled, or servers differ), and names that stood for the same.

use std::collections::{BTreeMap, BTreeSet};

use super::counted_debates::View;
use crate::digest::brief;
use crate::text::{count, if_any, joined, separated};

/// In how many debates each model's name stood for which weights; nothing if each stood for one.
pub(super) fn caution(view: &View<'_>) -> Option<String> {
    let mut models: BTreeMap<&str, BTreeMap<&str, u64>> = BTreeMap::new();
    for (model, digest) in view.debates.iter().flat_map(|facts| &facts.digests) {
        *models.entry(model).or_default().entry(brief(digest)).or_default() += 1;
    }
    let several = models.iter().filter(|(_, weights)| weights.len() > 1);
    let told = several.map(|(model, weights)| told(model, weights));
    let told = if_any(separated(told, "; "))?;
    Some(format!("Different weights under one name count as one model: {told}."))
}

/// The debaters' models that had the same weights under different names: they are compared, though nothing but chance, settings and
/// what a server adds can tell them apart.
pub(super) fn aliases(view: &View<'_>) -> Option<String> {
    let mut weights: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for facts in &view.debates {
        let argues = |name: &str| {
            let mut models = facts.contestants().map(|(_, person)| person.model.as_deref());
            models.any(|model| model == Some(name))
        };
        for (model, digest) in facts.digests.iter().filter(|(model, _)| argues(model)) {
            weights.entry(digest).or_default().insert(model);
        }
    }
    let several = weights.iter().filter(|(_, names)| names.len() > 1);
    let told = several.map(|(digest, names)| alike(digest, names));
    let told = if_any(separated(told, "; "))?;
    Some(format!(
        "The same weights under different names count as different models: {told}. What tells them apart is chance, or how they were set up."
    ))
}

/// `llama3 and my-llama (365c0bd3c000)`.
fn alike(digest: &str, names: &BTreeSet<&str>) -> String {
    format!("{} ({})", joined(names, "and"), brief(digest))
}

/// `llama3 (365c0bd3c000 in 24 debates, 91ab477bec9d in 1 debate)`.
fn told(model: &str, weights: &BTreeMap<&str, u64>) -> String {
    let each = weights
        .iter()
        .map(|(digest, debates)| format!("{digest} in {}", count(*debates, "debate")));
    format!("{model} ({})", separated(each, ", "))
}
