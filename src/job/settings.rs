//! The settings of a debate that all formats share; the subject, the participants and the format's own settings are read elsewhere.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::arms::{Arm, Matching};
use super::background::{self, Background};
use super::checks;
use super::format_registry::{AnyFormat, FormatSettings};
use super::job_text::JobText;
use super::matrix;
use super::models::cloud;
use super::models::loading;
use super::output::OutputOptions;
use super::panel::{self, Panel};
use super::participant::{self, Participant};
use super::problem::unknown_keys::Home;
use super::problem::{Place, Problems, Refusal};
use super::reader::Reader;
use super::settings_macro::{SettingsGroup, section, settings};
use super::shape::{Key, Shape, by_name, choice, flag, list, nullable, text, whole};
use super::subjects::keys::SubjectSettings;
use super::subjects::subject;
use super::tree::{Data, Name, Node};
use crate::question::Posed;
use crate::text as texts;

/// What to do if a participant cannot be made to reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnFailure {
    /// Put a marked emergency reply in its place and continue.
    Emergency,
    /// End the debate as failed.
    Abort,
}

settings! {
    /// What a job of any format may say.
    pub struct General {
        /// The job's name in directory names and statistics; by default, the file name without its extension
        name: String = "job".to_owned(), text(1..=60).checked(|_, _, _, name| Some(slug(name.as_str()?).into()));
        /// Runs per cell of the matrix, each with a different seed
        repeat: u32 = 1, whole(1..=10_000);
        /// Priority within a run: jobs with higher numbers come first
        priority: i32 = 0, whole(-1000..=1000);
        /// Whether the topic or query may contain a severe slur
        allow_explicit: bool = false, flag();
        /// Whether to allow models that run in Ollama's cloud
        allow_cloud: bool = false, flag();
        /// Seed of all random choices
        seed: u64 = 1, whole(0..=i64::MAX);
        /// Your own keys and values, for grouping in statistics
        tags: BTreeMap<String, String> = BTreeMap::new(), by_name(Shape::Any).read_by(|reader, _, node| Some(tags(reader.problems, node)));
        /// Facts for every participant: a mapping of lists, a .md, .txt or .yaml file next to the job, or a list of these
        background: Vec<Background> = Vec::new(), background::shape();
        /// Rules for all participants and judges
        rules: Vec<String> = Vec::new(), list(text(1..=500), 0..=50);
        /// The language of the debate, such as German
        language: Option<String> = None, nullable(text(1..=60));
        /// A panel file next to the job: its judges read each debate after it finishes; not part of debate ids
        panel: Option<Panel> = None, panel::shape();
        /// What to do if no model replies for a participant: emergency (use a marked emergency reply) or abort
        on_failure: OnFailure = OnFailure::Emergency, choice::<OnFailure>();
        /// Additional output files
        output: OutputOptions = OutputOptions::default(), section::<OutputOptions>();
    }
}

/// One cell of a job, read and validated.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// What a job of any format may say.
    pub general: General,
    /// The motion; the first line of a query.
    pub topic: String,
    /// The whole query, in formats that take one.
    pub query: Option<String>,
    /// The question with a known answer, where the debate is about one.
    pub question: Option<Posed>,
    /// What makes it a control of other debates, where it is one.
    pub control: Option<Box<ControlSettings>>,
    /// Everyone who takes part, in the order of the format.
    pub participants: Vec<Participant>,
    /// The format's own settings.
    pub format: FormatSettings,
    /// Values from the matrix, by path.
    pub cell: Map<String, Value>,
    /// Where the cell's first assignment is in the job file, for messages.
    pub place: Place,
}

/// What makes a cell's settings those of a control.
#[derive(Debug, Clone, PartialEq)]
pub struct ControlSettings {
    /// The kind.
    pub arm: Arm,
    /// How it is matched.
    pub matching: Matching,
    /// The debates on the same question: one, or two where sides are swapped.
    pub debates: Vec<Settings>,
}

/// The key that says which others there are.
pub(super) fn format_key() -> Key {
    let names: Vec<&str> = AnyFormat::all().map(AnyFormat::name).collect();
    let shape = Shape::Choice(names.iter().map(|name| (*name).to_owned()).collect());
    Key::new("format", "The debate's format", shape, names[0])
}

/// The keys of a job of a format, with `defaults` for model and sampling of participants.
pub(super) fn keys(format: AnyFormat, defaults: &Participant) -> Vec<Key> {
    let doc = "Model and sampling for participants that do not set their own";
    let sampling = Shape::Section(participant::sampling_keys());
    let mut keys = vec![format_key()];
    keys.extend(General::default().keys());
    keys.extend(subject::keys(format));
    keys.extend(SubjectSettings::default().keys());
    keys.push(Key::new("defaults", doc, sampling, json!({})));
    let doc = "How to load each model and how long to keep it loaded; one value per model in a run; not part of debate ids";
    keys.push(Key::new("models", doc, loading::shape(), json!({})));
    keys.extend(format.keys(defaults));
    keys.extend(matrix::keys());
    keys
}

/// Reads a whole job file (of a matrix, one cell), and how models are loaded. `is_posed`: a question says what is debated.
pub(super) fn read(
    reader: Reader<'_>,
    node: &Node,
    format: AnyFormat,
    stem: &str,
    home: &Home<'_>,
    is_posed: bool,
) -> (Settings, Vec<loading::LoadEntry>) {
    let defaults = read_defaults(reader, node);
    let mut keys = keys(format, &defaults);
    if !is_posed {
        keys.extend(subject::missing(node, format, &keys, reader.problems));
    }
    let job = JobText::read(reader, node, &keys);
    reader.refuse_unknown("", &keys, node, home);
    let general = job.group(&General { name: slug(stem), ..General::default() });
    let (topic, query) = subject::read(&job, format, general.allow_explicit);
    let (participants, format) = format.read(&job, &defaults);
    if !general.allow_cloud {
        cloud::check(&job, &participants, format.embedding_model.as_deref());
    }
    let settings = Settings {
        general,
        topic,
        query,
        question: None,
        control: None,
        participants,
        format,
        cell: Map::new(),
        place: Place::START,
    };
    (settings, loading::entries(&job))
}

/// The participant that `defaults` describes.
fn read_defaults(reader: Reader<'_>, node: &Node) -> Participant {
    let keys = participant::sampling_keys();
    let key = Key::new("defaults", "", Shape::Section(keys), json!({}));
    let job = JobText::read(reader, node, &[key]);
    let base = Participant::default();
    let own = job.section("defaults").map(|own| participant::read(&job, &own, &base));
    own.unwrap_or(base)
}

fn slug(name: &str) -> String {
    texts::slug(name, 60)
}

fn tags(problems: &Problems, node: &Node) -> Value {
    if !matches!(node.data, Data::Map(_)) {
        node.refuse(problems, "`tags` is a mapping", "write `tags: {series: ethics}`");
    }
    let read = |(name, value): &(Name, Node)| {
        let checked = checks::check_text(&name.text, &(1..=200), false);
        problems.accept_named("a tag's name", &name.place, checked);
        let tag = problems.accept_named(&format!("`tags.{}`", name.text), &value.place, tag(value));
        Some((name.text.clone(), Value::from(tag?)))
    };
    Value::Object(node.entries().iter().filter_map(read).collect())
}

fn tag(value: &Node) -> Result<String, Refusal> {
    let text = match value.data {
        Data::Flag(flag) => Some(flag.to_string()),
        _ => value.text().map(str::to_owned),
    };
    let text = text.ok_or_else(|| {
        let remedy = "write text or a number, or remove the tag";
        (format!("must be text or a number, not {}", value.shown()), remedy.to_owned())
    })?;
    checks::check_text(&text, &(0..=200), false).map(|()| text)
}
