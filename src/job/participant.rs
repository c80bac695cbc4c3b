//! Who takes part: a participant's identity, model and sampling, and the persona behind it.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::beside;
use super::keys::Keys;
use super::model_name::canonical;
use super::options::{self, Options};
use super::problem::{Place, Problems};
use super::shape::{Shape, text};
use super::tree::Node;
use super::words::{Refusal, did_you_mean};
use crate::files;
use crate::templates::Templates;
use crate::text as texts;

/// The persona of participants that name none.
const DEFAULT_PERSONA: &str = "advocate";

/// Roles that argue; all others moderate, judge or keep notes.
const ARGUING: [&str; 8] = [
    "position_x",
    "position_y",
    "position_advocate",
    "agent_a",
    "agent_b",
    "specialist",
    "proposer",
    "skeptic",
];

/// A named attitude: values, focus and tone, as Markdown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Persona {
    /// The file's stem.
    pub name: String,
    /// The file's text.
    pub text: String,
}

/// One who speaks, judges or keeps notes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Participant {
    /// The id in calls, files and statistics: `position_x`, `position_y_2`, `clerk`…
    pub id: String,
    /// The name that is shown.
    pub name: String,
    /// What the participant stands for; empty for those who take no side.
    pub position: String,
    /// The attitude it speaks with.
    pub persona: Option<Persona>,
    /// Anything else it should know about itself.
    pub description: String,
    /// Ollama's name of its model.
    pub model: String,
    /// Models to try, in order, when `model` cannot give a reply.
    pub fallback: Vec<String>,
    /// Sampling temperature.
    pub temperature: f64,
    /// The most tokens a reply may have.
    pub max_tokens: u32,
    /// Tokens of context that its prompts and replies must fit into.
    pub context_window: u32,
    /// Whether the model thinks before it speaks.
    pub think: bool,
    /// Tokens it may think, on top of `max_tokens`.
    pub thinking_tokens: u32,
    /// How its models sample, beyond the temperature.
    #[serde(default, skip_serializing_if = "Options::is_empty")]
    pub options: Options,
}

impl Default for Participant {
    /// The values of row K9.
    fn default() -> Self {
        Self {
            id: String::new(),
            name: String::new(),
            position: String::new(),
            persona: None,
            description: String::new(),
            model: "llama3".to_owned(),
            fallback: Vec::new(),
            temperature: 0.7,
            max_tokens: 1024,
            context_window: 8192,
            think: false,
            thinking_tokens: 1024,
            options: Options::new(),
        }
    }
}

impl Participant {
    /// Every model this participant may use: its own, then the fallbacks.
    pub fn models(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.model.as_str()).chain(self.fallback.iter().map(String::as_str))
    }

    /// Whether it argues; a moderator, a judge or a clerk takes no side, whatever is written beside its name.
    pub fn is_contestant(&self) -> bool {
        ARGUING.contains(&self.role())
    }

    /// Whose case it makes: its own, or its team's where several argue in turn for one side. `None` for those who take no
    /// side.
    pub fn side(&self) -> Option<&str> {
        let team = (self.role() == "position_y").then_some("position_y");
        self.is_contestant().then(|| team.unwrap_or(&self.id))
    }

    /// Whether it takes no side and is judged all the same: its text is the debate's answer.
    pub fn answers(&self) -> bool {
        self.role() == "synthesizer"
    }

    /// The id without its number: `position_y` for `position_y_2`.
    pub fn role(&self) -> &str {
        self.id
            .trim_end_matches(|c: char| c.is_ascii_digit())
            .trim_end_matches('_')
    }
}

/// Where personas are looked up: the folder `personas` beside the job file, then the templates.
#[derive(Debug, Clone, Copy)]
pub struct Library<'a> {
    /// The job file's directory.
    pub beside: &'a Path,
    /// The built-in templates and what overrides them.
    pub templates: &'a Templates,
}

impl Library<'_> {
    /// A persona by name: its own file, else the built-in one. `Err` where its own file cannot be read.
    fn persona(&self, name: &str) -> Result<Option<Persona>, Refusal> {
        let file = format!("personas/{name}.md");
        // What cannot be looked at is not missing: reading it says why.
        let there = self.beside.join(&file).try_exists().unwrap_or(true);
        let own = there
            .then(|| beside::read(self.beside, &file))
            .transpose()?;
        if own.as_ref().is_some_and(|text| text.trim().is_empty()) {
            let remedy = "describe the persona in it, or write `persona: null` for none";
            return Err((format!("`{file}` is empty"), remedy.to_owned()));
        }
        let text = own.or_else(|| self.templates.source(&file).map(str::to_owned));
        Ok(text.map(|text| Persona {
            name: name.to_owned(),
            text: text.trim().to_owned(),
        }))
    }

    /// The persona of participants that argue and name none.
    pub(crate) fn default_persona(&self, place: &Place, problems: &Problems) -> Option<Persona> {
        self.persona_of_role(DEFAULT_PERSONA, place, problems)
    }

    /// The persona that a role has where none is named, if there is one; an own file that cannot be read is a problem at
    /// `place`.
    pub(crate) fn persona_of_role(
        &self,
        name: &str,
        place: &Place,
        problems: &Problems,
    ) -> Option<Persona> {
        let found = self.persona(name);
        found.unwrap_or_else(|(cause, remedy)| {
            problems.add(place, cause, remedy);
            None
        })
    }

    fn names(&self) -> BTreeSet<String> {
        let own = files::list(&self.beside.join("personas")).unwrap_or_default();
        let own = own
            .iter()
            .filter(|path| path.extension() == Some(OsStr::new("md")) && path.is_file())
            .filter_map(|path| path.file_stem().and_then(OsStr::to_str));
        own.chain(self.templates.names("personas"))
            .filter(|name| is_persona_name(name))
            .map(str::to_owned)
            .collect()
    }
}

fn is_persona_name(name: &str) -> bool {
    !name.is_empty()
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
}

/// Reads what every participant may have, on top of `base`.
pub(crate) fn read(keys: &mut Keys<'_>, base: &Participant, library: Library<'_>) -> Participant {
    let name = keys.text(
        "name",
        Some(&base.name),
        1..=60,
        false,
        "The name that is shown",
    );
    let position = keys.text(
        "position",
        Some(&base.position),
        0..=200,
        false,
        "What the participant stands for",
    );
    let persona = read_persona(keys, base.persona.as_ref(), library);
    let doc = "Anything else the participant should know about itself";
    let description = keys.text("description", Some(&base.description), 0..=4000, true, doc);
    Participant {
        id: base.id.clone(),
        name,
        position,
        persona,
        description,
        ..sampling(keys, base)
    }
}

/// Reads the keys of `defaults:`: model and sampling.
pub(crate) fn sampling(keys: &mut Keys<'_>, base: &Participant) -> Participant {
    let doc = "Ollama's name of the model";
    let model = model(keys, &base.model, doc);
    let shared = Participant {
        fallback: fallback(keys, base),
        temperature: keys.number(
            "temperature",
            base.temperature,
            0.0..=2.0,
            "Sampling temperature",
        ),
        max_tokens: whole(
            keys,
            "max_tokens",
            base.max_tokens,
            16..=100_000,
            "The most tokens of one reply",
        ),
        context_window: whole(
            keys,
            "context_window",
            base.context_window,
            512..=10_000_000,
            "Tokens of context that prompt and reply fit into",
        ),
        think: keys.flag(
            "think",
            base.think,
            "Whether the model thinks before it speaks",
        ),
        thinking_tokens: whole(
            keys,
            "thinking_tokens",
            base.thinking_tokens,
            0..=100_000,
            "Tokens of thinking, on top of max_tokens",
        ),
        options: options::read(keys, &base.options, &model),
        model,
        ..base.clone()
    };
    check_models(keys);
    check_room(keys, &shared);
    shared
}

fn whole(
    keys: &mut Keys<'_>,
    key: &str,
    default: u32,
    range: std::ops::RangeInclusive<i64>,
    doc: &str,
) -> u32 {
    u32::try_from(keys.whole(key, default.into(), range, doc)).unwrap_or(default)
}

fn fallback(keys: &mut Keys<'_>, base: &Participant) -> Vec<String> {
    let given = keys.has("fallback");
    let models = keys.texts(
        "fallback",
        0..=8,
        1..=200,
        "Models to try in order when the first cannot reply",
    );
    let canonical = models.iter().map(|name| canonical(name).to_owned());
    if given {
        canonical.collect()
    } else {
        base.fallback.clone()
    }
}

/// The name of a model; each has one name from here on.
pub(crate) fn model_name() -> Shape {
    text(1..=200).checked(|reader, _, node, name| {
        let name = name.as_str().unwrap_or_default();
        if name.contains(char::is_whitespace) {
            let remedy = "write it as `ollama list` shows it, such as `llama3:8b`";
            let cause = format!("`{name}` is no model's name");
            reader.problems.add(&node.place, cause, remedy);
        }
        Some(canonical(name).into())
    })
}

/// Reads the name of a model, so that each model has one name from here on.
pub(crate) fn model(keys: &mut Keys<'_>, default: &str, doc: &str) -> String {
    let name = keys.text("model", Some(default), 1..=200, false, doc);
    canonical(&name).to_owned()
}

/// Checks the models that are named here; what is inherited was checked where it was written.
pub(crate) fn check_models(keys: &Keys<'_>) {
    let written = ["model", "fallback"]
        .into_iter()
        .filter_map(|key| keys.node().get(key));
    for node in written.flat_map(Node::items) {
        let name = node.text().unwrap_or_default().trim();
        if name.contains(char::is_whitespace) {
            let remedy = "write it as `ollama list` shows it, such as `llama3:8b`";
            keys.problems
                .add(&node.place, format!("`{name}` is no model's name"), remedy);
        }
    }
}

/// A reply must leave room for a prompt: at least 512 tokens of 95 % of the window (row M3b).
fn check_room(keys: &Keys<'_>, p: &Participant) {
    let reply = u64::from(p.max_tokens)
        + if p.think {
            u64::from(p.thinking_tokens)
        } else {
            0
        };
    let window = u64::from(p.context_window) * 95 / 100;
    let given = ["max_tokens", "context_window", "think", "thinking_tokens"]
        .into_iter()
        .find(|key| keys.has(key));
    if let Some(key) = given.filter(|_| reply + 512 > window) {
        let (thinking, lower) = if p.think {
            (" with its thinking", "max_tokens or thinking_tokens")
        } else {
            ("", "max_tokens")
        };
        let cause = format!(
            "a reply of {reply} tokens{thinking} leaves no room for a prompt in a context of {} tokens",
            p.context_window
        );
        let remedy = format!("lower {lower}, or raise context_window");
        keys.problems.add(keys.place_of(key), cause, remedy);
    }
}

fn read_persona(
    keys: &mut Keys<'_>,
    base: Option<&Persona>,
    library: Library<'_>,
) -> Option<Persona> {
    let text = Shape::Text {
        length: 1..=80,
        lines: false,
    };
    let default = base.map(|persona| persona.name.clone());
    let doc = "A persona: the stem of a Markdown file in `personas/` beside the job or in the templates; null for none";
    let given = keys.has("persona");
    let Some(node) = keys.raw(
        "persona",
        Shape::Nullable(Box::new(text)),
        json!(default),
        doc,
    ) else {
        return if given { None } else { base.cloned() };
    };
    let Some(name) = node.text() else {
        let remedy = "name one, such as `persona: advocate`; a new one is a file personas/NAME.md beside the job";
        keys.refuse("persona", node, "a persona's name", remedy);
        return None;
    };
    let found = if is_persona_name(name) {
        library.persona(name)
    } else {
        Ok(None)
    };
    let found = found.and_then(|found| found.ok_or_else(|| unknown_persona(name, library)));
    found
        .map_err(|(cause, remedy)| keys.problems.add(&node.place, cause, remedy))
        .ok()
}

fn unknown_persona(name: &str, library: Library<'_>) -> Refusal {
    let names = library.names();
    let stem = name
        .rsplit('/')
        .next()
        .unwrap_or(name)
        .trim_end_matches(".md");
    let near = did_you_mean(stem, names.iter().map(String::as_str));
    let remedy = near.unwrap_or_else(|| {
        let listed: Vec<&str> = names.iter().map(String::as_str).collect();
        format!(
            "a new one is a file personas/NAME.md beside the job; there are {}",
            listed.join(", ")
        )
    });
    (
        format!("there is no persona \"{}\"", texts::shorten(name, 80)),
        remedy,
    )
}
