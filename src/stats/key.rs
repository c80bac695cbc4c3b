//! The keys for grouping and filtering debates.

use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};

use crate::facts::{Facts, Person};
use crate::job::models::model_name::canonical;
use crate::job::problem::suggestions::nearest;
use crate::text::folded_topic;

/// What debates can be grouped by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Key {
    /// How they ended.
    Status,
    /// The format.
    Format,
    /// The job's name.
    Job,
    /// The topic.
    Topic,
    /// One of the job's tags.
    Tag(String),
    /// A setting.
    Setting(String),
    /// The model of a contestant.
    Model,
    /// The persona of a contestant.
    Persona,
    /// What a contestant stands for.
    Position,
    /// When a contestant spoke: first, last…
    Order,
    /// A contestant's name.
    Participant,
    /// The model of a judge.
    Judge,
    /// What the audience's votes were for.
    Audience,
    /// The plan version.
    Plan,
}

/// The keys with the words for them and what each means.
pub static KEYS: [(Key, &str, &str); 14] = [
    (Key::Status, "status", "how debates ended"),
    (Key::Format, "format", "the format"),
    (Key::Job, "job", "the job's name"),
    (Key::Topic, "topic", "the topic"),
    (Key::Tag(String::new()), "tag.NAME", "the job's tag NAME"),
    (
        Key::Setting(String::new()),
        "setting.NAME",
        "a setting of the format or of contestants: setting.rounds, setting.temperature",
    ),
    (Key::Model, "model", "the model of a contestant"),
    (Key::Persona, "persona", "the persona of a contestant"),
    (Key::Position, "position", "the position of a contestant"),
    (Key::Order, "order", "when a contestant speaks: first, last, first and last, or between"),
    (Key::Participant, "participant", "the name of a contestant"),
    (Key::Judge, "judge", "the model that judged"),
    (Key::Audience, "audience", "the effect of the audience's votes: shown only, or a ballot"),
    (
        Key::Plan,
        "plan",
        "the plan version: debates with different ones had different prompts or rules",
    ),
];

/// A word that is no key, with the nearest key, if one is near.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown key `{word}`{}", near.map_or_else(String::new, |near| format!("; did you mean `{near}`?")))]
pub struct UnknownKey {
    word: String,
    near: Option<&'static str>,
}

/// What a group is called where its debates lack the key.
pub const NONE: &str = "(none)";

impl FromStr for Key {
    type Err = UnknownKey;

    fn from_str(word: &str) -> Result<Self, UnknownKey> {
        let named = |kind| word.strip_prefix(kind).filter(|name| !name.is_empty());
        if let Some(tag) = named("tag.") {
            return Ok(Key::Tag(tag.to_owned()));
        }
        if let Some(setting) = named("setting.") {
            return Ok(Key::Setting(setting.to_owned()));
        }
        let key = KEYS.iter().find(|(_, known, _)| *known == word).map(|(key, ..)| key.clone());
        key.ok_or_else(|| UnknownKey {
            word: word.to_owned(),
            near: nearest(word, KEYS.iter().map(|(_, known, _)| *known)),
        })
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Key::Tag(name) => return write!(f, "tag.{name}"),
            Key::Setting(name) => return write!(f, "setting.{name}"),
            _ => (),
        }
        let found = KEYS.iter().find(|(key, ..)| key == self);
        f.write_str(found.map_or("", |(_, word, _)| word))
    }
}

impl Serialize for Key {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl Key {
    /// A debate's value, for keys that a debate has one of.
    pub fn of_debate<'a>(&self, facts: &'a Facts) -> Option<&'a str> {
        Some(match self {
            Key::Status => facts.status.word(),
            Key::Format => &facts.format,
            Key::Job => &facts.private.job,
            Key::Topic => &facts.topic,
            Key::Plan => &facts.plan,
            Key::Audience => {
                let audience = facts.audience.as_ref();
                audience.map_or(NONE, |audience| &audience.effect)
            }
            Key::Tag(name) => {
                let tag = facts.private.tags.iter().find(|(known, _)| **known == **name);
                tag.map_or(NONE, |(_, value)| value)
            }
            Key::Setting(name) => {
                let setting = facts.settings().find(|(known, _)| known == name);
                setting.map_or(NONE, |(_, value)| value)
            }
            _ => return None,
        })
    }

    /// A contestant's value, for keys that a contestant has one of.
    pub fn of_person<'a>(&self, person: &'a Person) -> Option<&'a str> {
        Some(match self {
            Key::Model => person.model.as_deref().unwrap_or(NONE),
            Key::Persona => person.persona.as_deref().unwrap_or(NONE),
            Key::Position if person.position.is_empty() => NONE,
            Key::Position => &person.position,
            Key::Order => order(person),
            Key::Participant => &person.name,
            _ => return None,
        })
    }

    /// Whether it tells contestants apart.
    pub fn is_of_person(&self) -> bool {
        matches!(self, Key::Model | Key::Persona | Key::Position | Key::Order | Key::Participant)
    }
}

fn order(person: &Person) -> &'static str {
    if person.asked() == 0 {
        return NONE;
    }
    match (person.first, person.last) {
        (true, true) => "first and last",
        (true, false) => "first",
        (false, true) => "last",
        (false, false) => "between",
    }
}

/// What debates are chosen by: those whose key has the value; for keys of contestants and judges, those in which one has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filter {
    /// The key.
    pub key: Key,
    /// The value.
    pub value: String,
}

/// Why a filter cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FilterError {
    /// It has no `=`.
    #[error("`{0}` is not a filter: use KEY=VALUE")]
    NoValue(String),
    /// It names no key.
    #[error(transparent)]
    Key(#[from] UnknownKey),
}

impl FromStr for Filter {
    type Err = FilterError;

    fn from_str(text: &str) -> Result<Self, FilterError> {
        let (key, value) =
            text.split_once('=').ok_or_else(|| FilterError::NoValue(text.to_owned()))?;
        let key = key.trim().parse()?;
        let value = if let Key::Model | Key::Judge = key { canonical(value) } else { value };
        Ok(Self { key, value: value.to_owned() })
    }
}

impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.key, self.value)
    }
}

impl Filter {
    fn holds(&self, facts: &Facts) -> bool {
        if self.key == Key::Topic {
            return folded_topic(&facts.topic) == folded_topic(&self.value);
        }
        if let Some(value) = self.key.of_debate(facts) {
            return value == self.value;
        }
        if self.key == Key::Judge {
            let mut models = facts.readings.iter().filter_map(|r| r.model.as_deref());
            return models.any(|model| model == self.value);
        }
        let mut values = facts.contestants().filter_map(|(_, p)| self.key.of_person(p));
        values.any(|value| value == self.value)
    }
}

/// Whether all filters hold: of several with the same key, one is enough.
pub fn chosen(facts: &Facts, filters: &[Filter]) -> bool {
    filters.iter().all(|filter| {
        let mut same = filters.iter().filter(|other| other.key == filter.key);
        same.any(|other| other.holds(facts))
    })
}
