//! Criteria, their weights, and the meaning of scores.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::checks::check_named;
use super::reader::{KeyContext, Reader};
use super::shape::{Key, Shape, by_name, number, text};
use super::tree::{Data, Node};

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

/// The lowest and highest score of a criterion.
pub type Scale = (u8, u8);

/// The scale of `of_two`.
pub const SCALE_OF_TWO: Scale = (0, 10);

/// What a mean of totals is called under a format's settings: weighted, unless all criteria weigh the same.
pub(crate) fn mean(settings: &Map<String, Value>) -> &'static str {
    let criteria = settings.get("criteria").and_then(Value::as_object);
    let mut weights = criteria.into_iter().flatten().map(|(_, it)| &it["weight"]);
    let first = weights.next();
    if weights.all(|weight| Some(weight) == first) { "mean" } else { "weighted mean" }
}

/// The criteria of a duel, and of a panel that compares two: those of the source with its weights; the guides are ours.
pub(crate) fn of_two() -> Criteria {
    let rows = [
        (
            "argument_quality",
            0.4,
            "No arguments, or none with a reason behind it",
            "Sound points with thin reasons, or strong ones beside weak ones",
            "Strong reasons, and the best points of the opponent answered",
        ),
        (
            "coherence",
            0.3,
            "The turns contradict each other or make no sense",
            "Mostly consistent, with gaps or leaps between the points",
            "One clear line of thought through all turns",
        ),
        (
            "relevance",
            0.3,
            "Off the question",
            "Related to the question, with long digressions",
            "Every turn bears on the question and on what the opponent said",
        ),
    ];
    built_in(SCALE_OF_TWO, &rows)
}

/// The criteria of an answer: those of a dialectic's source, with its weights.
pub(crate) fn of_an_answer(scale: Scale) -> Criteria {
    let rows = [
        (
            "correctness",
            0.4,
            "What it says on what matters is wrong in fact or logic",
            "What it says is right in the main, with errors or doubtful steps",
            "Nothing that it says is wrong in fact or logic, whatever it leaves out",
        ),
        (
            "completeness",
            0.25,
            "Most of what the question turns on has no answer in it, right or wrong",
            "Something that the question turns on has no answer in it, right or wrong",
            "All that the question turns on has an answer in it, right or wrong",
        ),
        (
            "clarity",
            0.2,
            "Hard to follow",
            "Understandable with some effort",
            "Well ordered and easy to understand",
        ),
        (
            "depth",
            0.15,
            "Stays on the surface",
            "Goes beyond the obvious here and there",
            "Shows what lies beneath and how much depends on it",
        ),
    ];
    built_in(scale, &rows)
}

/// A criterion with its weight, and what the least, the middle and the most of its scores mean.
pub(crate) type BuiltIn = (&'static str, f64, &'static str, &'static str, &'static str);

/// Criteria of a format: name, weight, and what the least, a middling and the best score mean.
pub(crate) fn built_in(scale: Scale, rows: &[BuiltIn]) -> Criteria {
    let criterion = |&(name, weight, low, middle, high): &BuiltIn| {
        let guide = guide_of(scale, [low, middle, high]);
        (name.to_owned(), Criterion { weight, guide })
    };
    rows.iter().map(criterion).collect()
}

fn guide_of(scale: Scale, meanings: [&str; 3]) -> BTreeMap<String, String> {
    let scores = marks(scale).into_iter().map(|score| score.to_string());
    scores.zip(meanings.map(str::to_owned)).collect()
}

/// The scores that a guide of a format explains.
fn marks(scale: Scale) -> [u8; 3] {
    [scale.0, u8::midpoint(scale.0, scale.1), scale.1]
}

const WEIGHT: &str = "Share of the total; optional for the format's own criteria";

/// The shape of `criteria`; those that are listed replace the format's own.
pub(crate) fn shape(scale: Scale, built_in: Criteria) -> Shape {
    let guide = by_name(text(1..=300)).read_by(move |reader, _, node| guide(reader, node, scale));
    let (least, most) = scale;
    let doc = format!("What the scores mean, by score from {least} to {most}");
    let keys = vec![
        Key::new("weight", WEIGHT, number(0.0..=1.0), ()).required(),
        Key::new("guide", doc, guide, json!({})),
    ];
    by_name(Shape::Section(keys)).checked(move |reader, at, node, listed| {
        check_names(reader, node);
        let listed = node.entries().iter().map(|(name, node)| {
            let name = name.text.as_str();
            let listed = listed[name].as_object();
            listed.and_then(|listed| criterion(name, listed, node, built_in.get(name), scale))
        });
        // The sum of weights that were refused says nothing.
        let listed = listed.collect::<Option<Criteria>>().filter(|listed| !listed.is_empty());
        if let Some(listed) = &listed {
            check_weights(reader, at, listed);
        }
        Some(json!(listed.unwrap_or_else(|| built_in.clone())))
    })
}

/// A criterion that is listed, what it omits as the format has it; `None` without a valid weight.
fn criterion(
    name: &str,
    listed: &Map<String, Value>,
    node: &Node,
    built_in: Option<&Criterion>,
    scale: Scale,
) -> Option<(String, Criterion)> {
    let weight = match node.get("weight") {
        Some(_) => listed.get("weight")?.as_f64()?,
        None => built_in.map_or(0.0, |criterion| criterion.weight),
    };
    let guide = listed.get("guide").and_then(|guide| serde_json::from_value(guide.clone()).ok());
    let plain = || guide_of(scale, ["Poor", "Fair", "Excellent"]);
    let guide = guide.unwrap_or_else(|| built_in.map_or_else(plain, |c| c.guide.clone()));
    Some((name.to_owned(), Criterion { weight, guide }))
}

fn check_weights(reader: &Reader<'_>, at: &KeyContext<'_>, listed: &Criteria) {
    let sum: f64 = listed.values().map(|criterion| criterion.weight).sum();
    if (sum - 1.0_f64).abs() > 1e-6 {
        let sum = (sum * 1e6).round() / 1e6;
        let cause = format!("the weights of `{}` sum to {sum}", at.path);
        let remedy = "list every criterion that counts, with weights that sum to 1";
        reader.problems.add(at.key, cause, remedy);
    }
}

fn check_names(reader: &Reader<'_>, node: &Node) {
    let names = node.entries().iter().map(|(name, _)| name);
    for name in names.filter(|name| !is_identifier(&name.text)) {
        let cause = format!("`{}` cannot name a criterion", name.text);
        let remedy =
            "use up to 40 lower-case letters, digits and underscores, starting with a letter";
        reader.problems.add(&name.place, cause, remedy);
    }
}

fn is_identifier(name: &str) -> bool {
    let valid = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    (1..=40).contains(&name.len())
        && name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(valid)
}

fn guide(reader: &Reader<'_>, node: &Node, scale: Scale) -> Option<Value> {
    let mut guide = BTreeMap::new();
    if !matches!(node.data, Data::Map(_)) {
        let [low, middle, high] = marks(scale);
        let remedy = format!("write `guide: {{{low}: …, {middle}: …, {high}: …}}`");
        node.refuse(reader.problems, "a guide is a mapping from scores to texts", remedy);
    }
    for (name, value) in node.entries() {
        if !(scale.0..=scale.1).any(|score| score.to_string() == name.text) {
            let cause = format!("`{}` is not a score", name.text);
            let remedy = format!("scores range from {} to {}", scale.0, scale.1);
            reader.problems.add(&name.place, cause, remedy);
            continue;
        }
        let Some(text) = value.text().map(str::trim) else {
            let cause = format!("a guide's text must be text, not {}", value.shown());
            reader.problems.add(&value.place, cause, "describe the meaning of the score in quotes");
            continue;
        };
        let checked = check_named("a guide's text", text, &(1..=300), false)
            .map(|()| guide.insert(name.text.clone(), text.to_owned()));
        reader.problems.accept(&value.place, checked);
    }
    Some(json!(guide))
}
