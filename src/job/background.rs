//! `background:`: facts that every participant is given: mappings of lists, or files beside the job.

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::beside;
use super::problem::{Place, Problems};
use super::reader::Reader;
use super::shape::{Shape, by_name, list, text};
use super::tree::{Data, Node};
use super::words;
use super::yaml;

/// The most background text of a debate, in bytes.
const MAX_BYTES: usize = words::MOST_BYTES;

/// One piece of background.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Background {
    /// Lists of facts, each under a name.
    Facts(Vec<(String, Vec<String>)>),
    /// A text, from a Markdown or plain file.
    Text(String),
}

/// The shape of `background`; file names are looked up beside the job and may not leave its directory.
pub(super) fn shape() -> Shape {
    let facts = by_name(list(Shape::Any, 0..=200));
    let one = Shape::Either(vec![text(1..=300), facts]);
    Shape::Either(vec![one.clone(), list(one, 0..=50)])
        .read_by(|reader, _, node| Some(read(reader, node)))
}

fn read(reader: &Reader<'_>, node: &Node) -> Value {
    let (beside, problems) = (reader.library.beside, reader.problems);
    let pieces = node.items().iter();
    let pieces = pieces.filter_map(|item| piece(item, beside, problems));
    let pieces: Vec<Background> = pieces.collect();
    let size: usize = pieces.iter().map(size).sum();
    if size > MAX_BYTES {
        problems.add(
            &node.place,
            format!("the background has {size} bytes; the limit is {MAX_BYTES}"),
            "shorten it: it goes into every prompt",
        );
    }
    json!(pieces)
}

/// The bytes of a piece's text.
fn size(piece: &Background) -> usize {
    match piece {
        Background::Text(text) => text.len(),
        Background::Facts(lists) => lists
            .iter()
            .flat_map(|(name, facts)| std::iter::once(name).chain(facts))
            .map(String::len)
            .sum(),
    }
}

fn piece(node: &Node, beside: &Path, problems: &Problems) -> Option<Background> {
    match &node.data {
        Data::Map(_) => Some(Background::Facts(facts(node, problems))),
        Data::Text(name) => file(node, name, beside, problems),
        _ => {
            let cause = format!(
                "background is a mapping of lists or the name of a file, not {}",
                node.kind()
            );
            problems.add(
                &node.place,
                cause,
                "write `background: {key_concepts: [autonomy]}` or `background: facts.md`",
            );
            None
        }
    }
}

fn facts(node: &Node, problems: &Problems) -> Vec<(String, Vec<String>)> {
    let list = |value: &Node| -> Vec<String> {
        let facts = value.items().iter();
        facts.filter_map(|item| fact(item, problems)).collect()
    };
    let entries = node.entries().iter();
    entries
        .map(|(name, value)| {
            check(
                "a name in `background`",
                &name.text,
                &name.place,
                false,
                problems,
            );
            (name.text.clone(), list(value))
        })
        .collect()
}

fn fact(node: &Node, problems: &Problems) -> Option<String> {
    if let Some(text) = node.text().map(str::trim) {
        check("a fact", text, &node.place, true, problems);
        return Some(text.to_owned());
    }
    let remedy = match node.data {
        Data::Flag(_) => "put it in quotes",
        Data::Null => "write a text, or remove it",
        _ => {
            "background goes two levels deep: `name: [fact, fact]`; text containing `: ` must be quoted"
        }
    };
    let cause = format!("a fact must be text, not {}", words::shown(node));
    problems.add(&node.place, cause, remedy);
    None
}

fn check(what: &str, text: &str, place: &Place, lines: bool, problems: &Problems) {
    if let Err((cause, remedy)) = words::check_text(text, &(1..=MAX_BYTES), lines) {
        problems.add(place, format!("{what} {cause}"), remedy);
    }
}

fn file(node: &Node, name: &str, beside: &Path, problems: &Problems) -> Option<Background> {
    let refuse = |cause: String, remedy: &str| {
        problems.add(&node.place, cause, remedy);
        None
    };
    let ending = Path::new(name)
        .extension()
        .and_then(|e| e.to_str())
        .unwrap_or("")
        .to_lowercase();
    if !matches!(ending.as_str(), "md" | "markdown" | "txt" | "yaml" | "yml") {
        return refuse(
            format!("`{name}` is not a background file"),
            elsewhere(name).unwrap_or("name a .md, .txt or .yaml file; facts go into a mapping: `background: {facts: [one, two]}`"),
        );
    }
    match beside::read(beside, name) {
        Err((cause, remedy)) => refuse(cause, elsewhere(name).unwrap_or(&remedy)),
        Ok(text) if text.trim().is_empty() => refuse(
            format!("`{name}` is empty"),
            "write the background into it, or remove it here",
        ),
        Ok(text) if text.len() > MAX_BYTES => refuse(
            format!(
                "`{name}` has {} bytes; the limit is {MAX_BYTES}",
                text.len()
            ),
            "shorten it: it goes into every prompt",
        ),
        Ok(text) if ending.starts_with('y') => facts_file(name, &text, problems),
        Ok(text) => Some(Background::Text(text.trim().to_owned())),
    }
}

/// What to do about a name that means no file here.
fn elsewhere(name: &str) -> Option<&'static str> {
    if name.contains("://") {
        Some("nothing is downloaded: save it beside the job and name the file")
    } else if name.contains('\\') {
        Some("write the path with `/`, relative to the job file")
    } else {
        None
    }
}

/// Reads a background file in YAML; what is wrong in it is reported with its own lines.
fn facts_file(name: &str, text: &str, problems: &Problems) -> Option<Background> {
    let inner = Problems::new(&problems.beside(name), text);
    let tree = yaml::parse(text, &inner);
    let found = tree.and_then(|tree| {
        if matches!(tree.data, Data::Map(_)) {
            return Some(Background::Facts(facts(&tree, &inner)));
        }
        let cause = format!(
            "a background file in YAML is a mapping of lists, not {}",
            tree.kind()
        );
        inner.add(&tree.place, cause, "write `name: [fact, fact]` lines");
        None
    });
    problems.absorb(inner);
    found
}
