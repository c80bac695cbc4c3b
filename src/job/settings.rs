//! The settings of a debate: what all formats share; the subject and the format's own part are read elsewhere.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::background::{self, Background};
use super::cloud;
use super::format::{Format, FormatSettings, read_format};
use super::keys::Keys;
use super::loads;
use super::matrix;
use super::output::{self, OutputOptions};
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
    /// The language of the debate; `None` where prompts do not say.
    pub language: Option<String>,
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
    /// How models are loaded.
    pub(super) loads: Vec<loads::Entry>,
}

/// Reads the format's name.
pub(super) fn read_name(keys: &mut Keys<'_>) -> Format {
    let formats = Format::ALL.map(|format| (format.name(), format));
    keys.choice("format", &formats, "The debate's format")
}

/// Reads a whole job file (of a matrix, one cell).
pub(super) fn read(keys: &mut Keys<'_>, stem: &str, library: Library<'_>) -> (Settings, Head) {
    let format = read_name(keys);
    let mut head = read_head(keys, stem);
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
    let doc = "Rules that every participant and judge is given";
    let rules = keys.texts("rules", 0..=50, 1..=500, doc);
    let doc = "The language in which everyone speaks and writes, such as German";
    let language = keys.optional_text("language", 1..=60, doc);
    let defaults = read_defaults(keys);
    head.loads = loads::read(keys);
    let (participants, format) = read_format(keys, format, &defaults, library);
    cloud::check(keys, &participants, format.embedding_model(), allow_cloud);
    let on_failure = read_on_failure(keys);
    let output = output::read(keys);
    matrix::describe(keys);
    (
        Settings {
            topic,
            query,
            seed,
            tags,
            background,
            rules,
            language,
            participants,
            format,
            on_failure,
            allow_cloud,
            output,
            cell: Map::new(),
            place: Place::At { line: 1, column: 1 },
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
        loads: Vec::new(),
    }
}

fn read_defaults(keys: &mut Keys<'_>) -> Participant {
    keys.section(
        "defaults",
        "Model and sampling of every participant that does not say otherwise",
        |keys| participant::sampling(keys, &Participant::default()),
    )
}

fn read_on_failure(keys: &mut Keys<'_>) -> OnFailure {
    let failures = [
        ("emergency", OnFailure::Emergency),
        ("abort", OnFailure::Abort),
    ];
    keys.choice(
        "on_failure",
        &failures,
        "What to do when a participant cannot be made to reply",
    )
}

fn read_tags(keys: &mut Keys<'_>) -> BTreeMap<String, String> {
    let shape = Shape::ByName(Box::new(Shape::Any));
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
