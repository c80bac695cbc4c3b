//! `background:`: facts that every participant is given: mappings of lists, or files next to the job.

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::checks;
use super::input_files::{self, TOO_LONG};
use super::problem::{Problems, Refusal};
use super::reader::Reader;
use super::shape::{Shape, by_name, list, text};
use super::tree::{Data, Name, Node};
use super::yaml;

/// Maximum background per debate, in bytes.
const MAX_BYTES: usize = input_files::MOST_BYTES;

/// One piece of background.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Background {
    /// Lists of facts, each under a name.
    Facts(Vec<(String, Vec<String>)>),
    /// A text, from a Markdown or plain file.
    Text(String),
}

impl Background {
    /// The same with each text changed, and each name of a list, in words.
    pub fn map_texts(&self, change: impl Fn(&str) -> String) -> Self {
        let list = |(name, facts): &(String, Vec<String>)| {
            (change(&name.replace('_', " ")), facts.iter().map(|fact| change(fact)).collect())
        };
        match self {
            Self::Text(text) => Self::Text(change(text)),
            Self::Facts(lists) => Self::Facts(lists.iter().map(list).collect()),
        }
    }
}

/// The shape of `background`; file names are looked up next to the job and may not leave its directory.
pub(super) fn shape() -> Shape {
    let facts = by_name(list(Shape::Any, 0..=200));
    let one = Shape::Either(vec![text(1..=300), facts]);
    Shape::Either(vec![one.clone(), list(one, 0..=50)])
        .read_by(|reader, _, node| Some(read(reader, node)))
}

fn read(reader: &Reader<'_>, node: &Node) -> Value {
    let (beside, problems) = (reader.library.beside, reader.problems);
    let read = |item| piece(item, beside, problems);
    let pieces: Vec<Background> = node.items().iter().filter_map(read).collect();
    let size: usize = pieces.iter().map(size).sum();
    if size > MAX_BYTES {
        problems.add(&node.place, too_large("the background", size), TOO_LONG);
    }
    json!(pieces)
}

/// The bytes of a piece's text.
fn size(piece: &Background) -> usize {
    match piece {
        Background::Text(text) => text.len(),
        Background::Facts(lists) => {
            let texts = lists.iter().flat_map(|(name, facts)| facts.iter().chain([name]));
            texts.map(String::len).sum()
        }
    }
}

fn piece(node: &Node, beside: &Path, problems: &Problems) -> Option<Background> {
    match &node.data {
        Data::Map(_) => Some(Background::Facts(facts(node, problems))),
        Data::Text(name) => file(node, name, beside, problems),
        _ => {
            let what = if matches!(node.data, Data::List(_)) {
                "an entry of background"
            } else {
                "background"
            };
            let wanted = format!("{what} is a mapping of lists or the name of a file");
            let remedy = "write `background: {key_concepts: [autonomy]}` or `background: facts.md`";
            node.refuse(problems, &wanted, remedy);
            None
        }
    }
}

fn facts(node: &Node, problems: &Problems) -> Vec<(String, Vec<String>)> {
    let list = |(name, value): &(Name, Node)| {
        let checked = checks::check_text(&name.text, &(1..=MAX_BYTES), false);
        problems.accept_named("a name in `background`", &name.place, checked);
        let facts = value.items().iter().filter_map(|item| fact(item, problems)).collect();
        (name.text.clone(), facts)
    };
    node.entries().iter().map(list).collect()
}

fn fact(node: &Node, problems: &Problems) -> Option<String> {
    if let Some(text) = node.text().map(str::trim) {
        let checked = checks::check_text(text, &(1..=MAX_BYTES), true);
        problems.accept_named("a fact", &node.place, checked);
        return Some(text.to_owned());
    }
    let remedy = match node.data {
        Data::Flag(_) => "put it in quotes",
        Data::Null => "write some text, or remove it",
        _ => {
            "background goes two levels deep: `name: [fact, fact]`; text containing `: ` must be quoted"
        }
    };
    problems.add(&node.place, format!("a fact must be text, not {}", node.shown()), remedy);
    None
}

fn file(node: &Node, name: &str, beside: &Path, problems: &Problems) -> Option<Background> {
    let ending = Path::new(name).extension().unwrap_or_default().to_string_lossy().to_lowercase();
    let text = problems.accept(&node.place, file_text(name, &ending, beside))?;
    if ending.starts_with('y') {
        return facts_file(name, &text, problems);
    }
    Some(Background::Text(text.trim().to_owned()))
}

fn file_text(name: &str, ending: &str, beside: &Path) -> Result<String, Refusal> {
    let refuse = |cause: String, remedy: &str| Err((cause, remedy.to_owned()));
    if !matches!(ending, "md" | "markdown" | "txt" | "yaml" | "yml") {
        let remedy = "use a .md, .txt or .yaml file; facts go into a mapping: `background: {facts: [one, two]}`";
        let cause = format!("`{name}` is not a background file");
        return refuse(cause, elsewhere(name).unwrap_or(remedy));
    }
    match input_files::read_beside(beside, name) {
        Err((cause, remedy)) => refuse(cause, elsewhere(name).unwrap_or(&remedy)),
        Ok(text) if text.trim().is_empty() => {
            refuse(format!("`{name}` is empty"), "write the background into it, or remove it here")
        }
        Ok(text) if text.len() > MAX_BYTES => {
            refuse(too_large(&format!("`{name}`"), text.len()), TOO_LONG)
        }
        text => text,
    }
}

fn too_large(what: &str, bytes: usize) -> String {
    format!("{what} has {bytes} bytes; the limit is {MAX_BYTES}")
}

/// What to do about a name that cannot be a file next to the job.
fn elsewhere(name: &str) -> Option<&'static str> {
    if name.contains("://") {
        Some("nothing is downloaded: save the file next to the job and give its name")
    } else if name.contains('\\') {
        Some("write the path with `/`, relative to the job file")
    } else {
        None
    }
}

/// Reads a background file in YAML; its problems are reported with its own lines.
fn facts_file(name: &str, text: &str, problems: &Problems) -> Option<Background> {
    let inner = Problems::new(&problems.beside(name), text);
    let tree = yaml::parse(text, &inner);
    let found = tree.map(|tree| {
        if !matches!(tree.data, Data::Map(_)) {
            let wanted = "a background file in YAML is a mapping of lists";
            tree.refuse(&inner, wanted, "write `name: [fact, fact]` lines");
        }
        Background::Facts(facts(&tree, &inner))
    });
    problems.absorb(inner);
    found
}
