//! What the matrix assigned to a debate, as statistics go by it.

use serde_json::{Map, Value};

use crate::facts::{Facts, Text};
use crate::text::separated;

/// What differs between the debates of a cell, over which tokens are averaged, besides tags.
const WITHIN: [&str; 7] = ["question", "topic", "query", "title", "seed", "arm", "swap"];

/// The first word of paths of tags.
const TAGS: &str = "tags";

/// The last words of paths that go with a participant's model: a name is a label.
const OWN: [&str; 2] = ["model", "name"];

/// What the matrix assigned besides what is debated, its sides, the arm and the seed.
pub(super) fn besides_debated(facts: &Facts) -> String {
    let cell = facts.private.cell.iter();
    let others = cell.filter(|(path, _)| !WITHIN.contains(&&**path) && !path.starts_with(TAGS));
    separated(others.map(|(path, value)| format!("{path}={value}")), " ")
}

/// What the matrix assigned beside models, by path. The topic stands on its own; in the cell it may be spelt otherwise.
pub(super) fn without_models(facts: &Facts) -> Vec<(String, String)> {
    let mut leaves = Vec::new();
    for (path, value) in facts.private.cell.iter().filter(|(path, _)| **path != *"topic") {
        match serde_json::from_str(value) {
            Ok(value) => flatten(path, &value, &mut leaves),
            Err(_) => leaves.push((path.to_string(), value.to_string())),
        }
    }
    leaves.retain(|(path, _)| !is_of_model(path));
    leaves.sort_unstable();
    leaves
}

fn is_of_model(path: &str) -> bool {
    let [model, name] = OWN;
    path == model || path.ends_with(&format!(".{model}")) || path.ends_with(&format!(".{name}"))
}

/// The paths below a path with their values: an item of a matrix may be a whole participant.
fn flatten(path: &str, value: &Value, leaves: &mut Vec<(String, String)>) {
    match value {
        Value::Object(map) => {
            map.iter().for_each(|(key, value)| flatten(&format!("{path}.{key}"), value, leaves));
        }
        Value::Array(items) => {
            let each = items.iter().enumerate();
            each.for_each(|(at, value)| flatten(&format!("{path}.{at}"), value, leaves));
        }
        _ => leaves.push((path.to_owned(), value.to_string())),
    }
}

/// What names something anew, by its kind.
type Name<'n> = dyn FnMut(&'static str, &str) -> Text + 'n;

/// Gives all that the matrix assigned other names, each `setting` (a word of a path) and each `value` the same for the same:
/// statistics stay what they are, and tell nothing of it. The words of paths that they go by stay.
pub fn rename(cell: &mut [(Text, Text)], name: &mut Name<'_>) {
    for (path, value) in cell {
        let words = path.split('.').map(|word| renamed_word(word, name));
        let words: Vec<Text> = words.collect();
        *path = words.join(".").as_str().into();
        let known = serde_json::from_str(value).unwrap_or_else(|_| value.to_string().into());
        *value = renamed(&known, name).to_string().as_str().into();
    }
}

fn renamed_word(word: &str, name: &mut Name<'_>) -> Text {
    let mut known = WITHIN.iter().chain(&OWN).chain([&TAGS]);
    if known.any(|known| *known == word) { word.into() } else { name("setting", word) }
}

fn renamed(value: &Value, name: &mut Name<'_>) -> Value {
    match value {
        Value::Object(map) => {
            let each = map
                .iter()
                .map(|(key, value)| (renamed_word(key, name).to_string(), renamed(value, name)));
            Value::Object(each.collect::<Map<_, _>>())
        }
        Value::Array(items) => items.iter().map(|item| renamed(item, name)).collect(),
        leaf => Value::from(&*name("value", &leaf.to_string())),
    }
}
