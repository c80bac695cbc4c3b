//! What judges score: criteria with their weights, and what a score means.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::keys::Keys;
use super::shape::Shape;
use super::tree::{Data, Node};
use super::words;

/// One thing that judges score.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Criterion {
    /// Its share of the total; the weights of a job sum to 1.
    pub weight: f64,
    /// What a score means, by score.
    pub guide: BTreeMap<String, String>,
}

/// What judges score, by name.
pub type Criteria = BTreeMap<String, Criterion>;

/// The least and the most that a criterion is scored with, in whole numbers.
pub type Scale = (u8, u8);

/// Criteria of a format: name, weight, and what the least, a middling and the best score mean.
pub(crate) fn built_in(scale: Scale, rows: &[(&str, f64, [&str; 3])]) -> Criteria {
    let criterion = |&(name, weight, meanings): &(&str, f64, [&str; 3])| {
        let guide = guide_of(scale, meanings);
        (name.to_owned(), Criterion { weight, guide })
    };
    rows.iter().map(criterion).collect()
}

fn guide_of(scale: Scale, meanings: [&str; 3]) -> BTreeMap<String, String> {
    let scores = marks(scale).map(|score| score.to_string());
    scores
        .into_iter()
        .zip(meanings.map(str::to_owned))
        .collect()
}

/// The scores that a guide of a format explains.
fn marks(scale: Scale) -> [u8; 3] {
    [scale.0, u8::midpoint(scale.0, scale.1), scale.1]
}

/// Reads `criteria`; those that are listed replace the format's own.
pub(crate) fn read(keys: &mut Keys<'_>, built_in: Criteria, scale: Scale) -> Criteria {
    let named = |(name, criterion): (&String, &Criterion)| format!("{name} {}", criterion.weight);
    let weights: Vec<String> = built_in.iter().map(named).collect();
    let doc = format!(
        "What judges score from {} to {}; those listed replace the default ones ({})",
        scale.0,
        scale.1,
        weights.join(", ")
    );
    let listed = keys.table("criteria", &doc, |name, keys| {
        read_criterion(keys, built_in.get(name), scale)
    });
    let Some(listed) = listed.filter(|listed| !listed.is_empty()) else {
        return built_in;
    };
    check_criteria_names(keys);
    let weights: Option<Vec<f64>> = listed.iter().map(|(_, (weight, _))| *weight).collect();
    let sum = weights.map_or(1.0, |weights| weights.iter().sum());
    if (sum - 1.0_f64).abs() > 1e-6 {
        let sum = (sum * 1e6).round() / 1e6;
        keys.problems.add(
            keys.place_of_key("criteria"),
            format!("the weights of `criteria` sum to {sum}"),
            "list every criterion that counts, with weights that sum to 1",
        );
    }
    let criterion = |(name, (weight, guide)): (String, (Option<f64>, _))| {
        let weight = weight.unwrap_or_default();
        (name, Criterion { weight, guide })
    };
    listed.into_iter().map(criterion).collect()
}

fn check_criteria_names(keys: &Keys<'_>) {
    let entries = keys.node().get("criteria").map_or(&[][..], Node::entries);
    for (name, _) in entries
        .iter()
        .filter(|(name, _)| !is_identifier(&name.text))
    {
        let cause = format!("`{}` cannot name a criterion", name.text);
        let remedy = "begin with a lower-case letter and go on with such letters, digits and underscores, 40 at most";
        keys.problems.add(&name.place, cause, remedy);
    }
}

fn is_identifier(name: &str) -> bool {
    let valid = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    (1..=40).contains(&name.len())
        && name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(valid)
}

/// The weight, if it is valid, and the guide.
fn read_criterion(
    keys: &mut Keys<'_>,
    built_in: Option<&Criterion>,
    scale: Scale,
) -> (Option<f64>, BTreeMap<String, String>) {
    let weight = built_in.map_or(0.0, |criterion| criterion.weight);
    let weight = keys.valid_number("weight", weight, 0.0..=1.0, "Its share of the total");
    let weight = weight.filter(|_| matches!(keys.node().data, Data::Map(_)));
    let text = Shape::Text {
        length: 1..=300,
        lines: false,
    };
    let doc = format!(
        "What the scores mean, by score from {} to {}",
        scale.0, scale.1
    );
    let guide = keys
        .raw("guide", Shape::Table(Box::new(text)), json!({}), &doc)
        .map(|node| read_guide(keys, node, scale));
    let plain = || guide_of(scale, ["Poor", "Fair", "Excellent"]);
    let guide = guide.unwrap_or_else(|| built_in.map_or_else(plain, |c| c.guide.clone()));
    (weight, guide)
}

fn read_guide(keys: &Keys<'_>, node: &Node, scale: Scale) -> BTreeMap<String, String> {
    let mut guide = BTreeMap::new();
    if !matches!(node.data, Data::Map(_)) {
        let cause = format!(
            "a guide is a mapping from scores to texts, not {}",
            node.kind()
        );
        let [low, middle, high] = marks(scale);
        let remedy = format!("write `guide: {{{low}: …, {middle}: …, {high}: …}}`");
        keys.problems.add(&node.place, cause, remedy);
    }
    for (name, value) in node.entries() {
        if !(scale.0..=scale.1).any(|score| score.to_string() == name.text) {
            let cause = format!("`{}` is no score", name.text);
            let remedy = format!("scores go from {} to {}", scale.0, scale.1);
            keys.problems.add(&name.place, cause, remedy);
            continue;
        }
        let text = value.text().map(str::trim).unwrap_or_default();
        match words::check_text(text, &(1..=300), false) {
            Ok(()) => drop(guide.insert(name.text.clone(), text.to_owned())),
            Err((_, _)) if value.text().is_none() => {
                let cause = format!("a guide's text must be text, not {}", words::shown(value));
                keys.problems
                    .add(&value.place, cause, "say in quotes what the score means");
            }
            Err((cause, remedy)) => {
                keys.problems
                    .add(&value.place, format!("a guide's text {cause}"), remedy);
            }
        }
    }
    guide
}
