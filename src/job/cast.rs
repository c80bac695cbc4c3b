//! The cast as data: the keys of a job for participants, and their defaults.

use std::ops::RangeInclusive;

use serde_json::{Value, json};

use super::job_text::{JobText, Mapping};
use super::library::Persona;
use super::participant::{self, Participant};
use super::problem::Place;
use super::shape::{Key, Shape, nullable};

/// A key of a job below which participants stand.
#[derive(Debug)]
pub struct Role {
    pub(crate) key: &'static str,
    pub(crate) doc: &'static str,
    pub(crate) seats: Seats,
    pub(crate) base: DefaultsOf,
    /// Whether the others take over position and persona of the first.
    pub(crate) follows_first: bool,
    /// Keys of its participants that others do not have.
    pub(crate) more: fn() -> Vec<Key>,
}

/// What a participant is by default, from its number, from 0, and its name if the job gives one.
type DefaultsOf = fn(usize, Option<&str>) -> ParticipantDefaults;

/// How many participants are below a key.
#[derive(Debug)]
pub(crate) enum Seats {
    One,
    /// One, if the job has the key.
    Optional,
    /// A list of `count`; of `missing` if omitted.
    List {
        missing: usize,
        count: RangeInclusive<usize>,
    },
}

/// What a participant is by default, beyond model and sampling.
#[derive(Default)]
pub struct ParticipantDefaults {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) position: &'static str,
    pub(crate) persona: Option<&'static str>,
    /// Where `defaults` sets none.
    pub(crate) temperature: Option<f64>,
}

impl ParticipantDefaults {
    /// A participant with this id and name.
    pub fn new(id: impl Into<String>, name: impl Into<String>) -> Self {
        Self { id: id.into(), name: name.into(), ..Self::default() }
    }

    pub(crate) fn with_position(self, position: &'static str) -> Self {
        Self { position, ..self }
    }

    pub(crate) fn with_persona(self, persona: &'static str) -> Self {
        Self { persona: Some(persona), ..self }
    }

    /// The participant, on the model and sampling of `defaults`.
    fn participant(self, defaults: &Participant, persona: Option<Persona>) -> Participant {
        Participant {
            id: self.id,
            name: self.name,
            position: self.position.to_owned(),
            persona,
            temperature: self.temperature.unwrap_or(defaults.temperature),
            ..defaults.clone()
        }
    }
}

/// The temperature of judgments and notes, where neither job nor role sets one: the likeliest words are wanted.
pub(super) const JUDGING: f64 = 0.2;

/// The id of who keeps the notes.
pub const CLERK_ID: &str = "clerk";

/// Keeps the notes; every format has one.
pub const CLERK: Role = Role::one(
    CLERK_ID,
    "Keeps the flow: the arguments, their authors and the answers to them",
    |_, _| ParticipantDefaults::new(CLERK_ID, "Clerk"),
);

/// Judges of the whole debate; `missing` of them if the key is omitted.
pub(crate) const fn judges(missing: usize, doc: &'static str) -> Role {
    Role::list("judges", doc, missing, 1..=20, |i, _| judge(i).with_persona("judge"))
}

/// The judge at a place, without a persona.
pub(crate) fn judge(i: usize) -> ParticipantDefaults {
    ParticipantDefaults::new(format!("judge_{}", i + 1), format!("Judge-{}", i + 1))
}

impl Role {
    pub(crate) const fn one(key: &'static str, doc: &'static str, base: DefaultsOf) -> Self {
        Self { key, doc, seats: Seats::One, base, follows_first: false, more: Vec::new }
    }

    pub(crate) const fn optional(key: &'static str, doc: &'static str, base: DefaultsOf) -> Self {
        let mut role = Self::one(key, doc, base);
        role.seats = Seats::Optional;
        role
    }

    /// A key that holds a list of participants; `missing` of them if it is omitted.
    pub const fn list(
        key: &'static str,
        doc: &'static str,
        missing: usize,
        count: RangeInclusive<usize>,
        base: DefaultsOf,
    ) -> Self {
        let mut role = Self::one(key, doc, base);
        role.seats = Seats::List { missing, count };
        role
    }

    /// The key, with `defaults` for model and sampling.
    pub(crate) fn key(&self, defaults: &Participant) -> Key {
        let base = (self.base)(0, None);
        let persona =
            base.persona.map(|name| Persona { name: name.to_owned(), text: String::new() });
        let mut keys = participant::keys(&base.participant(defaults, persona));
        keys.extend((self.more)());
        let section = Shape::Section(keys);
        let (shape, default) = match &self.seats {
            Seats::One => (section, json!({})),
            Seats::Optional => (nullable(section), Value::Null),
            Seats::List { missing, count } => {
                (Shape::List(Box::new(section), count.clone()), json!(vec![json!({}); *missing]))
            }
        };
        Key::new(self.key, self.doc, shape, default)
    }

    fn read(&self, job: &JobText<'_>, defaults: &Participant) -> Vec<Participant> {
        let entries = match self.seats {
            Seats::One => vec![job.section(self.key).unwrap_or_else(|| job.nothing())],
            Seats::Optional => job.section(self.key).into_iter().collect(),
            Seats::List { missing, .. } => job.entries(self.key, missing),
        };
        let mut all: Vec<Participant> = Vec::new();
        for (i, entry) in entries.iter().enumerate() {
            let mut base = self.base(job, i, entry, defaults);
            if let Some(first) = all.first().filter(|_| self.follows_first) {
                (base.position, base.persona) = (first.position.clone(), first.persona.clone());
            }
            let mut participant = participant::read(job, entry, &base);
            if !self.sets_temperature(job, i, entry) {
                participant.judging_temperature = Some(JUDGING);
            }
            all.push(participant);
        }
        all
    }

    /// Whether the job or the role says how a participant samples.
    fn sets_temperature(&self, job: &JobText<'_>, i: usize, entry: &Mapping<'_>) -> bool {
        let by_role = (self.base)(i, None).temperature.is_some();
        by_role || entry.given.contains_key("temperature") || sets_temperature_for_all(job)
    }

    /// What a participant is before its own keys are read.
    fn base(
        &self,
        job: &JobText<'_>,
        i: usize,
        entry: &Mapping<'_>,
        defaults: &Participant,
    ) -> Participant {
        let name = entry.given.get("name").and_then(Value::as_str);
        let mut base = (self.base)(i, name);
        if sets_temperature_for_all(job) {
            base.temperature = None;
        }
        let reader = job.reader;
        let persona = base.persona.and_then(|name| {
            let persona = reader.library.persona(name);
            reader.problems.accept(&job.node.place, persona).flatten()
        });
        base.participant(defaults, persona)
    }
}

fn sets_temperature_for_all(job: &JobText<'_>) -> bool {
    job.node.get("defaults").is_some_and(|all| all.get("temperature").is_some())
}

/// Reads everyone who takes part, role by role.
pub(crate) fn read(
    job: &JobText<'_>,
    roles: &'static [Role],
    defaults: &Participant,
) -> Vec<Participant> {
    let read = |role: &'static Role| (role, role.read(job, defaults));
    let cast: Vec<(&Role, Vec<Participant>)> = roles.iter().map(read).collect();
    let speaking = cast.iter().filter(|(role, _)| !QUIET.contains(&role.key));
    let speakers = speaking.flat_map(|(role, all)| all.iter().enumerate().map(|it| (*role, it)));
    check_names(job, &speakers.collect::<Vec<_>>());
    cast.into_iter().flat_map(|(_, all)| all).collect()
}

/// Participants who never speak: others may have their names.
const QUIET: [&str; 2] = [CLERK_ID, "commentator"];

/// A participant who speaks under a name: its role, and which one of these it is.
type Speaker<'a> = (&'a Role, (usize, &'a Participant));

/// Where a name is written, if it is.
fn name_place<'a>(job: &JobText<'a>, role: &Role, i: usize) -> Option<&'a Place> {
    let node = job.node.get(role.key)?;
    let node = match role.seats {
        Seats::List { .. } => node.items().get(i)?,
        Seats::One | Seats::Optional => node,
    };
    node.get("name").map(|name| &name.place)
}

/// Reports names that two speakers share, at the second, and the moderator's.
fn check_names(job: &JobText<'_>, speakers: &[Speaker<'_>]) {
    for (n, (role, (i, speaker))) in speakers.iter().enumerate() {
        let name = speaker.name.to_lowercase();
        let first = speakers[..n].iter().find(|(_, (_, other))| other.name.to_lowercase() == name);
        let first_place = first.and_then(|(role, (i, _))| name_place(job, role, *i));
        let place = name_place(job, role, *i);
        let by = match (first, first_place, place) {
            _ if name == "moderator" && speaker.id != "moderator" => " by the moderator".to_owned(),
            (Some(_), Some(place), Some(_)) => format!("; first {}", place.in_words()),
            (Some(_), ..) => ", by default, by a participant without a `name`".to_owned(),
            (None, ..) => continue,
        };
        let place = place.or(first_place).unwrap_or_else(|| job.node.place_of_key(role.key));
        let cause = format!("the name \"{}\" is taken{by}", speaker.name);
        job.report(place, cause, "give each participant a unique name");
    }
}
