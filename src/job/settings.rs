//! The settings of a debate: what all formats share; the subject and the format's own part are read elsewhere.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::background::{self, Background};
use super::format::{Format, FormatSettings, read_format};
use super::keys::Keys;
use super::matrix;
use super::participant::{self, Library, Participant};
use super::problem::{Place, Problems};
use super::shape::Shape;
use super::subject::read_subject;
use super::tree::{Data, Name, Node};
use super::words;
use crate::text;

/// What to do when a participant cannot be made to reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnFailure {
    /// Put a marked emergency reply in its place and go on.
    Emergency,
    /// End the debate as failed.
    Abort,
}

/// A further form of messages and transcript, beside Markdown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Form {
    /// Markdown, always written.
    Md,
    /// JSON.
    Json,
    /// Plain text.
    Text,
}

/// What is written beside the artifacts that every debate has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutputOptions {
    /// The forms of messages and transcript.
    pub formats: Vec<Form>,
    /// Whether the whole debate is written into one file too.
    pub transcript: bool,
}

impl Default for OutputOptions {
    fn default() -> Self {
        Self {
            formats: vec![Form::Md],
            transcript: false,
        }
    }
}

/// One cell of a job, read and validated.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// The motion; the first line of a query.
    pub topic: String,
    /// The whole query, in formats that take one.
    pub query: Option<String>,
    /// The job's seed.
    pub seed: u64,
    /// Free keys and values that statistics can group by.
    pub tags: BTreeMap<String, String>,
    /// Facts for every participant.
    pub background: Vec<Background>,
    /// Rules for every participant and judge.
    pub rules: Vec<String>,
    /// Everyone who takes part, in the order of the format.
    pub participants: Vec<Participant>,
    /// The format's own settings.
    pub format: FormatSettings,
    /// What to do when a participant cannot be made to reply.
    pub on_failure: OnFailure,
    /// Whether cloud models may be used.
    pub allow_cloud: bool,
    /// What is written beside the usual artifacts.
    pub output: OutputOptions,
    /// What the matrix assigned, by path.
    pub cell: Map<String, Value>,
    /// Where the cell's first assignment stands in the job file, for messages.
    pub place: Place,
}

/// What a job file says about itself.
pub(super) struct Head {
    pub(super) name: String,
    pub(super) repeat: u32,
}

/// Reads the format's name.
pub(super) fn read_name(keys: &mut Keys<'_>) -> Format {
    let formats = Format::ALL.map(|format| (format.name(), format));
    keys.choice("format", &formats, "The debate's format")
}

/// Reads a whole job file (of a matrix, one cell).
pub(super) fn read(keys: &mut Keys<'_>, stem: &str, library: Library<'_>) -> (Settings, Head) {
    let format = read_name(keys);
    let head = read_head(keys, stem);
    let (topic, query) = read_subject(keys, format);
    let allow_cloud = keys.flag(
        "allow_cloud",
        false,
        "Whether models that run in Ollama's cloud may be used",
    );
    let seed = keys.whole(
        "seed",
        1,
        0..=i64::MAX,
        "The number all randomness is derived from",
    );
    let tags = read_tags(keys);
    let background = background::read(keys, library.beside);
    let rules = keys.texts(
        "rules",
        0..=50,
        1..=500,
        "Rules that every participant and judge is given",
    );
    let defaults = keys.section(
        "defaults",
        "Model and sampling of every participant that does not say otherwise",
        |keys| participant::sampling(keys, &Participant::default()),
    );
    let (participants, format) = read_format(keys, format, &defaults, library);
    check_cloud(keys, &participants, format.embedding_model(), allow_cloud);
    let failures = [
        ("emergency", OnFailure::Emergency),
        ("abort", OnFailure::Abort),
    ];
    let on_failure = keys.choice(
        "on_failure",
        &failures,
        "What to do when a participant cannot be made to reply",
    );
    let output = read_output(keys);
    describe_matrix(keys);
    let (cell, place) = (Map::new(), Place::At { line: 1, column: 1 });
    (
        Settings {
            topic,
            query,
            seed,
            tags,
            background,
            rules,
            participants,
            format,
            on_failure,
            allow_cloud,
            output,
            cell,
            place,
        },
        head,
    )
}

fn read_head(keys: &mut Keys<'_>, stem: &str) -> Head {
    let doc = "The job's name, in directory names and statistics; by default the file's stem";
    let default = text::slug(stem, 60);
    let name = text::slug(&keys.text("name", Some(&default), 1..=60, false, doc), 60);
    Head {
        name,
        repeat: keys.whole(
            "repeat",
            1,
            1..=10_000,
            "How often each cell of the matrix runs, each time with another seed",
        ) as u32,
    }
}

fn read_tags(keys: &mut Keys<'_>) -> BTreeMap<String, String> {
    let shape = Shape::Table(Box::new(Shape::Any));
    let doc = "Free keys and values that statistics can group by";
    let Some(node) = keys.raw("tags", shape, serde_json::json!({}), doc) else {
        return BTreeMap::new();
    };
    if !matches!(node.data, Data::Map(_)) {
        keys.problems.add(
            &node.place,
            format!("`tags` is a mapping, not {}", node.kind()),
            "write `tags: {series: ethics}`",
        );
    }
    let read = |(name, value): &(Name, Node)| {
        check_tag_name(name, keys.problems);
        Some((name.text.clone(), read_tag(name, value, keys.problems)?))
    };
    node.entries().iter().filter_map(read).collect()
}

fn check_tag_name(name: &Name, problems: &Problems) {
    if let Err((cause, remedy)) = words::check_text(&name.text, &(1..=200), false) {
        problems.add(&name.place, format!("a tag's name {cause}"), remedy);
    }
}

fn read_tag(name: &Name, value: &Node, problems: &Problems) -> Option<String> {
    let text = match value.data {
        Data::Flag(flag) => flag.to_string(),
        _ => value.text().map(str::to_owned).unwrap_or_default(),
    };
    let refused = match value.data {
        Data::List(_) | Data::Map(_) | Data::Null => Some((
            format!("must be one text, not {}", words::shown(value)),
            "write one text or number, or leave the tag out".to_owned(),
        )),
        _ => words::check_text(&text, &(0..=200), false).err(),
    };
    let Some((cause, remedy)) = refused else {
        return Some(text);
    };
    problems.add(
        &value.place,
        format!("`tags.{}` {cause}", name.text),
        remedy,
    );
    None
}

/// Keys of a job below which models are not named as such: free names, and cells that are put in place.
const FREE: [&str; 5] = ["tags", "background", "matrix", "exclude", "include"];

/// Reports models that run in the cloud, where they are named.
fn check_cloud(
    keys: &Keys<'_>,
    participants: &[Participant],
    embedding: Option<&str>,
    allowed: bool,
) {
    let used = participants.iter().flat_map(Participant::models);
    let used: BTreeSet<&str> = used.chain(embedding).collect();
    let entries = keys.node().entries().iter();
    let mut written = Vec::new();
    entries
        .filter(|(name, _)| !FREE.contains(&name.text.as_str()))
        .for_each(|(_, node)| models_below(node, &mut written));
    for (node, model) in written {
        if !allowed && used.contains(model) && is_cloud(model) {
            let remedy = "name a local model, or set `allow_cloud: true` to let the debate leave this machine";
            let cause = format!("`{model}` runs in Ollama's cloud");
            keys.problems.add(&node.place, cause, remedy);
        }
    }
}

/// The values of `model` and `fallback` below a node.
fn models_below<'a>(node: &'a Node, found: &mut Vec<(&'a Node, &'a str)>) {
    for (name, value) in node.entries() {
        if matches!(name.text.as_str(), "model" | "fallback") {
            let named = value
                .items()
                .iter()
                .filter_map(|item| Some((item, item.text()?.trim())));
            found.extend(named);
        }
    }
    if let Data::List(items) = &node.data {
        items.iter().for_each(|item| models_below(item, found));
    }
}

/// Whether a model's name says that it runs in Ollama's cloud: `name:cloud` or `name:tag-cloud`.
fn is_cloud(model: &str) -> bool {
    model
        .rsplit_once(':')
        .is_some_and(|(_, tag)| tag == "cloud" || tag.ends_with("-cloud"))
}

fn read_output(keys: &mut Keys<'_>) -> OutputOptions {
    keys.section(
        "output",
        "What is written beside the usual artifacts",
        |keys| {
            let shape = Shape::List(
                Box::new(Shape::Choice(
                    ["md", "json", "text"].map(str::to_owned).into(),
                )),
                0..=3,
            );
            let doc = "Forms of messages and transcript; md is always written";
            let formats = keys
                .raw("formats", shape, serde_json::json!(["md"]), doc)
                .map(|node| read_forms(keys, node));
            let transcript = keys.flag(
                "transcript",
                false,
                "Whether the whole debate is written into one file too",
            );
            OutputOptions {
                formats: formats.unwrap_or_else(|| vec![Form::Md]),
                transcript,
            }
        },
    )
}

fn read_forms(keys: &Keys<'_>, node: &Node) -> Vec<Form> {
    let mut forms = vec![Form::Md];
    for item in node.items() {
        match item.json().as_str() {
            Some("md") => {}
            Some("json") => forms.push(Form::Json),
            Some("text") => forms.push(Form::Text),
            _ => keys.problems.add(
                &item.place,
                format!("{} is no form of output", words::shown(item)),
                "the forms are md, json and text",
            ),
        }
    }
    forms.dedup();
    forms
}

fn describe_matrix(keys: &mut Keys<'_>) {
    let values = Shape::List(Box::new(Shape::Any), 1..=matrix::MAX_CELLS);
    let doc = "Paths and the values they take; every combination becomes a debate. A mapping in a list assigns several paths together";
    keys.raw(
        "matrix",
        Shape::Table(Box::new(values)),
        serde_json::json!({}),
        doc,
    );
    let cells = || {
        Shape::Nullable(Box::new(Shape::List(
            Box::new(Shape::Table(Box::new(Shape::Any))),
            0..=matrix::MAX_CELLS,
        )))
    };
    keys.raw(
        "exclude",
        cells(),
        serde_json::json!([]),
        "Drops the cells that match all keys of an entry",
    );
    keys.raw(
        "include",
        cells(),
        serde_json::json!([]),
        "Adds a cell for each entry",
    );
}
