//! The settings of a debate: the head that all formats share, and the format's own part.

use std::collections::{BTreeMap, BTreeSet};

use rustrict::{CensorStr, Type};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::background::{self, Background};
use super::dialectic::{self, Dialectic};
use super::duel::{self, Duel};
use super::keys::Keys;
use super::knockout::{self, Knockout};
use super::matrix;
use super::moderated::{self, Moderated};
use super::participant::{self, Library, Participant};
use super::problem::{Place, Problems};
use super::roundtable::{self, Roundtable};
use super::shape::Shape;
use super::tree::{Data, Name, Node};
use super::words;
use crate::text;

/// The formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// One X against several Y, who judge and replace each other.
    Knockout,
    /// Advocates under a moderator: openings, arguments and rebuttals, closings.
    Moderated,
    /// Two agents in turn, and judges.
    Duel,
    /// Specialists who seek a common answer.
    Roundtable,
    /// A proposal, its critique, and a synthesis.
    Dialectic,
}

impl Format {
    /// All formats; the first is the default.
    pub const ALL: [Self; 5] = [
        Self::Knockout,
        Self::Moderated,
        Self::Duel,
        Self::Roundtable,
        Self::Dialectic,
    ];

    /// Its name in job files and traces.
    pub fn name(self) -> &'static str {
        match self {
            Self::Knockout => "knockout",
            Self::Moderated => "moderated",
            Self::Duel => "duel",
            Self::Roundtable => "roundtable",
            Self::Dialectic => "dialectic",
        }
    }

    /// The format of a name, or of the nearest one where it is misspelt.
    pub(super) fn nearest(name: &str) -> Option<Self> {
        let near = words::nearest(name, Self::ALL.iter().map(|format| format.name()))?;
        Self::ALL.into_iter().find(|format| format.name() == near)
    }

    /// Whether it is about a query of several lines instead of a topic on one.
    fn takes_query(self) -> bool {
        matches!(self, Self::Roundtable | Self::Dialectic)
    }
}

/// The settings that belong to one format.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FormatSettings {
    /// Of a knockout.
    Knockout(Knockout),
    /// Of a moderated debate.
    Moderated(Moderated),
    /// Of a duel.
    Duel(Duel),
    /// Of a roundtable.
    Roundtable(Roundtable),
    /// Of a dialectic.
    Dialectic(Dialectic),
}

impl FormatSettings {
    /// The format.
    pub fn format(&self) -> Format {
        match self {
            Self::Knockout(_) => Format::Knockout,
            Self::Moderated(_) => Format::Moderated,
            Self::Duel(_) => Format::Duel,
            Self::Roundtable(_) => Format::Roundtable,
            Self::Dialectic(_) => Format::Dialectic,
        }
    }

    /// The format's name in job files and traces.
    pub fn name(&self) -> &'static str {
        self.format().name()
    }

    /// The model that texts are compared with, where some are.
    pub fn embedding_model(&self) -> Option<&str> {
        match self {
            Self::Dialectic(settings) => Some(settings.retrieval.as_ref()?.model.as_str()),
            Self::Knockout(_) | Self::Moderated(_) | Self::Duel(_) | Self::Roundtable(_) => None,
        }
    }

    /// The most rounds that a debate may have; an initial round that is numbered 0 is none of them.
    pub fn most_rounds(&self) -> u32 {
        match self {
            Self::Knockout(settings) => settings.rounds,
            Self::Moderated(settings) => settings.round_count,
            Self::Duel(settings) => settings.rounds,
            Self::Roundtable(settings) => settings.max_rounds,
            Self::Dialectic(settings) => settings.max_rounds,
        }
    }

    /// The settings by key, and those of a job that sets none.
    pub fn values(&self) -> (Value, Value) {
        fn both<T: Serialize + Default>(settings: &T) -> (Value, Value) {
            (json!(settings), json!(T::default()))
        }
        match self {
            Self::Knockout(settings) => both(settings),
            Self::Moderated(settings) => both(settings),
            Self::Duel(settings) => both(settings),
            Self::Roundtable(settings) => both(settings),
            Self::Dialectic(settings) => both(settings),
        }
    }
}

/// Reads who takes part and the format's own settings.
fn read_format(
    keys: &mut Keys<'_>,
    format: Format,
    defaults: &Participant,
    library: Library<'_>,
) -> (Vec<Participant>, FormatSettings) {
    fn of<T>(
        (participants, settings): (Vec<Participant>, T),
        format: fn(T) -> FormatSettings,
    ) -> (Vec<Participant>, FormatSettings) {
        (participants, format(settings))
    }
    match format {
        Format::Knockout => of(
            knockout::read(keys, defaults, library),
            FormatSettings::Knockout,
        ),
        Format::Moderated => of(
            moderated::read(keys, defaults, library),
            FormatSettings::Moderated,
        ),
        Format::Duel => of(duel::read(keys, defaults, library), FormatSettings::Duel),
        Format::Roundtable => of(
            roundtable::read(keys, defaults, library),
            FormatSettings::Roundtable,
        ),
        Format::Dialectic => of(
            dialectic::read(keys, defaults, library),
            FormatSettings::Dialectic,
        ),
    }
}

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

/// The motion and, in formats that take one, the whole query.
fn read_subject(keys: &mut Keys<'_>, format: Format) -> (String, Option<String>) {
    let explicit = keys.flag(
        "allow_explicit",
        false,
        "Whether the topic or query may hold a severe slur",
    );
    let key = if format.takes_query() {
        "query"
    } else {
        "topic"
    };
    if !keys.has(key) {
        report_no_subject(keys, format, key);
    }
    let text = if format.takes_query() {
        let doc = "What is asked: one line or several";
        keys.text(key, None, 10..=4000, true, doc)
    } else {
        let doc = "What is debated, on one line";
        keys.text(key, None, 10..=200, false, doc)
    };
    if !explicit && holds_slur(&text) {
        let remedy =
            format!("reword it, or set `allow_explicit: true` if the {key} needs the word");
        let cause = format!("`{key}` holds what the filter takes for a severe slur");
        keys.problems.add(keys.place_of(key), cause, remedy);
    }
    if format.takes_query() {
        (text::shorten(&text::one_line(&text), TITLE), Some(text))
    } else {
        (text, None)
    }
}

/// Characters of a query that stand for it where there is room for one line.
const TITLE: usize = 200;

/// Reports that the job does not say what it is about; what it says under the other key is likely meant, and then that
/// key is not reported as unknown too.
fn report_no_subject(keys: &mut Keys<'_>, format: Format, key: &str) {
    let other = if key == "query" { "topic" } else { "query" };
    let example = if key == "query" {
        "query: Should our town buy electric buses?"
    } else {
        "topic: Should voting be compulsory?"
    };
    let cause = format!("there is no `{key}`");
    if !keys.has(other) {
        let remedy = format!("add a line such as `{example}`");
        keys.problems.add(keys.place(), cause, remedy);
        return;
    }
    let rename = format!("a {} takes `{key}`: rename `{other}`", format.name());
    let remedy = if keys.has("format") {
        rename
    } else {
        let takers = Format::ALL.iter();
        let takers = takers.filter(|f| f.takes_query() == (other == "query"));
        let takers: Vec<String> = takers.map(|f| format!("`format: {}`", f.name())).collect();
        let takers: Vec<&str> = takers.iter().map(String::as_str).collect();
        format!("{rename}, or say {}", words::joined(&takers, "or"))
    };
    keys.problems.add(keys.place_of_key(other), cause, remedy);
    keys.pass_over(other);
}

/// Names that the filter takes for a slur.
const NAMES: [&str; 1] = ["Niger"];

/// Whether the filter finds something of its severest class in a topic, names left out.
fn holds_slur(topic: &str) -> bool {
    let is_name = |word: &&str| NAMES.contains(&word.trim_matches(|c: char| !c.is_alphabetic()));
    let checked: Vec<&str> = topic
        .split_whitespace()
        .filter(|word| !is_name(word))
        .collect();
    checked.join(" ").is(Type::OFFENSIVE & Type::SEVERE)
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
