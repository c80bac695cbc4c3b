//! Words chosen by a job: a list, or a mapping to their meanings.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use serde_json::json;

use super::checks;
use super::problem::Place;
use super::reader::{KeyContext, Reader};
use super::shape::{Shape, by_name, list, text};
use super::tree::{Data, Name, Node};

/// The shape of this many words, each so many characters long. Read, it is the list of the words, in the order of the job.
pub(crate) fn terms(
    word: RangeInclusive<usize>,
    count: RangeInclusive<usize>,
    meaning: RangeInclusive<usize>,
) -> Shape {
    let listed = list(text(word.clone()), count.clone());
    let defined = by_name(text(meaning));
    let shapes = vec![listed.clone(), defined.clone()];
    Shape::Either(shapes).read_by(move |reader, at, node| {
        let read = match node.data {
            Data::Map(_) => {
                check_names(reader, at, node, &word, &count);
                let names = found(node).into_iter().map(|(name, _)| json!(name));
                reader.value(at, &defined, node).map(|_| names.collect())
            }
            _ => reader.value(at, &listed, node),
        };
        distinct(reader, at, node);
        read
    })
}

/// What words mean, where a mapping says so.
pub(crate) fn meanings(node: &Node) -> BTreeMap<String, String> {
    let meaning = |node: &Node| node.text().unwrap_or_default().trim().to_owned();
    let entry = |(name, node): &(Name, Node)| (name.text.trim().to_owned(), meaning(node));
    node.entries().iter().map(entry).collect()
}

fn check_names(
    reader: &Reader<'_>,
    at: &KeyContext<'_>,
    node: &Node,
    length: &RangeInclusive<usize>,
    count: &RangeInclusive<usize>,
) {
    let counted = checks::check_count(node.entries().len(), count);
    let problems = reader.problems;
    problems.accept_named(&format!("`{}`", at.path), at.key, counted);
    for (name, _) in node.entries() {
        let checked = checks::check_named("a word", name.text.trim(), length, false);
        problems.accept(&name.place, checked);
    }
}

/// Reports words that are there twice, in whatever case.
fn distinct(reader: &Reader<'_>, at: &KeyContext<'_>, node: &Node) {
    let found = found(node);
    let what = at.path.rsplit('.').next().unwrap_or(at.path);
    for (i, (word, place)) in found.iter().enumerate() {
        let folded = word.to_lowercase();
        let twin = |(other, _): &&(&str, &Place)| other.to_lowercase() == folded;
        if let Some((_, first)) = found[..i].iter().find(twin) {
            let first = first.in_words();
            let cause = format!("\"{word}\" is listed twice in `{what}`; first {first}");
            reader.problems.add(place, cause, "give every entry a different word");
        }
    }
}

/// The words with their places.
fn found(node: &Node) -> Vec<(&str, &Place)> {
    match &node.data {
        Data::Map(entries) => {
            let names = entries.iter().map(|(name, _)| name);
            names.map(|name| (name.text.trim(), &name.place)).collect()
        }
        _ => {
            let word = |item| Some((Node::text(item)?.trim(), &item.place));
            node.items().iter().filter_map(word).collect()
        }
    }
}
