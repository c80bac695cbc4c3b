//! Participants: identity, model and sampling.

use serde_json::json;

use super::job_text::{JobText, Mapping};
use super::library::Persona;
use super::models::model_name::{canonical, check_model_name};
use super::models::sampling_options::{self, SamplingOptions};
use super::settings_macro::{SettingsGroup, settings};
use super::shape::{Key, Shape, flag, lines, list, nullable, number, text, whole};

settings! {
    /// One who speaks, judges or keeps notes.
    pub struct Participant {
        /// The id in calls, files and statistics: `position_x`, `position_y_2`, `clerk`…
        id: String = String::new();
        /// Display name
        name: String = String::new(), text(1..=60);
        /// The position to argue for
        position: String = String::new(), text(0..=200);
        /// A persona: the name (without .md) of a file in `personas/` next to the job or in the templates; null for none
        persona: Option<Persona> = None, persona();
        /// Anything else that the participant should know about itself
        description: String = String::new(), lines(0..=4000);
        /// Name of the model in Ollama
        model: String = "llama3".to_owned(), model_name();
        /// Models to try, in this order, if the model cannot reply
        fallback: Vec<String> = Vec::new(), list(model_name(), 0..=8);
        /// Sampling temperature; if not set, 0.2 for judgments, stances, checks and notes
        temperature: f64 = 0.7, number(0.0..=2.0);
        /// The sampling temperature of replies in a given shape, where it is another.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        judging_temperature: Option<f64> = None;
        /// Maximum tokens per statement; a JSON reply, such as a ballot, may always use 1024 (or an eighth of a smaller context)
        max_tokens: u32 = 1024, whole(16..=100_000);
        /// Context window in tokens, shared by prompt and reply
        context_window: u32 = 8192, whole(512..=10_000_000);
        /// Whether the model thinks before it speaks
        think: bool = false, flag();
        /// Maximum tokens of thinking, on top of max_tokens
        thinking_tokens: u32 = 1024, whole(0..=100_000);
        /// Sampling options by Ollama's names; the model decides those that are omitted or null
        #[serde(default, skip_serializing_if = "SamplingOptions::is_empty")]
        options: SamplingOptions = SamplingOptions::new(), sampling_options::shape();
    }
}

impl Participant {
    /// Every model this participant may use: its own, then the fallbacks.
    pub fn models(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.model.as_str()).chain(self.fallback.iter().map(String::as_str))
    }

    /// The sampling temperature of a statement, or of a reply in a given shape.
    pub fn temperature_of(&self, is_shaped: bool) -> f64 {
        let judging = self.judging_temperature.filter(|_| is_shaped);
        judging.unwrap_or(self.temperature)
    }

    /// Tokens that a reply in a given shape may have whatever `max_tokens` is: that is about statements, and such a reply
    /// is of no use once it is cut. A small context keeps room for the debate.
    pub fn least_shaped(&self) -> u32 {
        SHAPED.min(self.context_window / 8)
    }

    /// The id without its number: `position_y` for `position_y_2`.
    pub fn role(&self) -> &str {
        role_of(&self.id)
    }
}

/// The role of the participant with this id.
pub fn role_of(id: &str) -> &str {
    id.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end_matches('_')
}

/// Tokens that are enough for most replies in a given shape: as many as all replies may have by default.
const SHAPED: u32 = 1024;

/// The keys of a participant that are not in `defaults:`.
const OWN: [&str; 4] = ["name", "position", "persona", "description"];

/// The keys of a participant that is like `base` where they are omitted.
pub(super) fn keys(base: &Participant) -> Vec<Key> {
    let mut keys = base.keys();
    let persona = base.persona.as_ref().map(|persona| &persona.name);
    for key in keys.iter_mut().filter(|key| key.name == "persona") {
        key.default = Some(json!(persona));
    }
    keys
}

/// The keys of `defaults:`: model and sampling.
pub(super) fn sampling_keys() -> Vec<Key> {
    Participant::default().keys().into_iter().filter(|key| !OWN.contains(&&*key.name)).collect()
}

/// Reads a participant, on top of `base`.
pub(super) fn read(job: &JobText<'_>, entry: &Mapping<'_>, base: &Participant) -> Participant {
    let mut participant = job.with(base, entry.node, &entry.given);
    participant.options.retain(|_, value| !value.is_null());
    check_room(job, entry, &participant);
    participant
}

/// A reply must leave room for a prompt: at least 512 tokens of 95% of the window (row M3b).
fn check_room(job: &JobText<'_>, entry: &Mapping<'_>, p: &Participant) {
    let thinking = if p.think { p.thinking_tokens } else { 0 };
    let reply = u64::from(p.max_tokens) + u64::from(thinking);
    let window = u64::from(p.context_window) * 95 / 100;
    let given = ["max_tokens", "context_window", "think", "thinking_tokens"]
        .into_iter()
        .find_map(|key| entry.node.get(key));
    if let Some(node) = given.filter(|_| reply + 512 > window) {
        let (thinking, lower) = if p.think {
            (" with its thinking", "max_tokens or thinking_tokens")
        } else {
            ("", "max_tokens")
        };
        let cause = format!(
            "a reply of {reply} tokens{thinking} leaves no room for a prompt in a context of {} tokens",
            p.context_window
        );
        job.report(&node.place, cause, format!("lower {lower}, or raise context_window"));
    }
}

/// The name of a model; each has one name from here on.
pub(crate) fn model_name() -> Shape {
    text(1..=200).checked(|reader, _, node, name| {
        let name = name.as_str().unwrap_or_default();
        check_model_name(name, &node.place, reader.problems);
        Some(canonical(name).into())
    })
}

/// The stem of a persona's file.
fn persona() -> Shape {
    nullable(text(1..=80).read_by(|reader, at, node| {
        let Some(name) = node.text() else {
            let remedy = "use one, such as `persona: advocate`; to add one, write personas/NAME.md next to the job";
            return reader.refuse(at, node, "a persona's name", remedy);
        };
        let found = reader.library.named(name);
        Some(json!(reader.problems.accept(&node.place, found)?))
    }))
}
