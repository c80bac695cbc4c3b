//! Models whose name stood for different weights: another version was pulled, or servers differ.

use std::collections::BTreeMap;

use super::counted_debates::View;
use crate::digest::brief;
use crate::text::{count, if_any, separated};

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

/// `llama3 (365c0bd3c000 in 24 debates, 91ab477bec9d in 1 debate)`.
fn told(model: &str, weights: &BTreeMap<&str, u64>) -> String {
    let each = weights
        .iter()
        .map(|(digest, debates)| format!("{digest} in {}", count(*debates, "debate")));
    format!("{model} ({})", separated(each, ", "))
}
