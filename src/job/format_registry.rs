//! The list of formats, and the settings of any of them.

use std::any::Any;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value, json};

use super::cast::{self, Role};
use super::job_text::JobText;
use super::participant::Participant;
use super::problem::suggestions;
use super::profile::{Format, Profile};
use super::shape::Key;

/// The formats, the default first: a new one is its folder in `src/formats` and a line here.
macro_rules! each_format {
    ($each:ident) => {
        [
            $each::<crate::formats::knockout::settings::Knockout>(),
            $each::<crate::formats::moderated::settings::Moderated>(),
            $each::<crate::formats::duel::settings::Duel>(),
            $each::<crate::formats::roundtable::settings::Roundtable>(),
            $each::<crate::formats::dialectic::settings::Dialectic>(),
        ]
    };
}
pub(crate) use each_format;

/// The formats of controls, which no job names.
macro_rules! each_control {
    ($each:ident) => {
        [
            $each::<crate::formats::vote::settings::Vote>(),
            $each::<crate::formats::consultancy::settings::Consultancy>(),
            $each::<crate::formats::compare::settings::Compare>(),
        ]
    };
}
pub(crate) use each_control;

static CONTROLS: &[AnyFormat] = &each_control!(any);
static BUILT_IN: &[AnyFormat] = &each_format!(any);
static ADDED: OnceLock<Vec<AnyFormat>> = OnceLock::new();

const fn any<T: Format>() -> AnyFormat {
    AnyFormat::new::<T>()
}

/// One of the formats.
#[derive(Debug, Clone, Copy)]
pub struct AnyFormat {
    /// Its profile.
    pub profile: &'static Profile,
    roles: &'static [Role],
    keys: fn() -> Vec<Key>,
    read: fn(&JobText<'_>, &[Participant]) -> FormatSettings,
    parse: fn(Value) -> serde_json::Result<FormatSettings>,
}

impl AnyFormat {
    /// The format of these settings.
    pub const fn new<T: Format>() -> Self {
        Self {
            profile: T::PROFILE,
            roles: T::ROLES,
            keys: || T::default().keys(),
            read: |job, cast| FormatSettings::of(T::read(job, cast)),
            parse: |value| serde_json::from_value::<T>(value).map(FormatSettings::of),
        }
    }

    /// All formats.
    pub fn all() -> impl Iterator<Item = Self> {
        let added = ADDED.get().into_iter().flatten();
        BUILT_IN.iter().chain(added).copied()
    }

    /// The format of jobs that name none.
    pub fn default_one() -> Self {
        BUILT_IN[0]
    }

    /// The format of a name, that of a control too.
    pub fn named(name: &str) -> Option<Self> {
        Self::all().chain(CONTROLS.iter().copied()).find(|format| format.name() == name)
    }

    /// The format of a name, or of the nearest one where it is misspelt.
    pub(super) fn nearest(name: &str) -> Option<Self> {
        let nearest = suggestions::nearest(name, Self::all().map(Self::name))?;
        Self::all().find(|format| format.name() == nearest)
    }

    /// Its name in job files and traces.
    pub fn name(self) -> &'static str {
        self.profile.name
    }

    /// Its keys: who takes part, and its own settings.
    pub(super) fn keys(self, defaults: &Participant) -> Vec<Key> {
        let roles = self.roles.iter().map(|role| role.key(defaults));
        roles.chain((self.keys)()).collect()
    }

    /// Whether its jobs have this key.
    pub fn has_key(self, key: &str) -> bool {
        self.keys(&Participant::default()).iter().any(|it| it.name == key)
    }

    /// Reads who takes part and the format's own settings.
    pub(super) fn read(
        self,
        job: &JobText<'_>,
        defaults: &Participant,
    ) -> (Vec<Participant>, FormatSettings) {
        let cast = cast::read(job, self.roles, defaults);
        let settings = (self.read)(job, &cast);
        (cast, settings)
    }
}

/// Adds formats to the built-in ones, once.
pub fn add_formats(formats: Vec<AnyFormat>) {
    ADDED.get_or_init(|| formats);
}

/// The profile of a trace's format; an empty one for a format that this program does not know.
pub fn profile_of(name: &str) -> &'static Profile {
    static UNKNOWN: Profile = Profile::new("", "");
    AnyFormat::named(name).map_or(&UNKNOWN, |format| format.profile)
}

/// What lists call a format: its name, or that it is of a control, which no job names.
pub fn listed_as(format: &str) -> &str {
    let is_control = CONTROLS.iter().any(|control| control.name() == format);
    if is_control { "control" } else { format }
}

/// The settings that belong to one format.
#[derive(Debug, Clone)]
pub struct FormatSettings {
    /// The profile of the format.
    pub profile: &'static Profile,
    /// [`Format::most_rounds`]
    pub most_rounds: u32,
    /// [`Format::judging_role`]
    pub judging_role: Option<&'static str>,
    /// [`Format::meanings`]
    pub meanings: BTreeMap<String, String>,
    /// [`Format::embedding_model`]
    pub embedding_model: Option<String>,
    settings: Arc<dyn Any + Send + Sync>,
    values: fn(&Self) -> (Value, Value),
    doubt: fn(&Self, &[Participant]) -> Option<String>,
}

impl FormatSettings {
    /// These settings.
    pub fn of<T: Format>(settings: T) -> Self {
        Self {
            profile: T::PROFILE,
            most_rounds: settings.most_rounds(),
            judging_role: settings.judging_role(),
            meanings: settings.meanings(),
            embedding_model: settings.embedding_model().map(str::to_owned),
            settings: Arc::new(settings),
            values: |own| (json!(own.get::<T>()), json!(T::default())),
            doubt: |own, cast| own.get::<T>()?.doubt(cast),
        }
    }

    /// The format's name in job files and traces.
    pub fn name(&self) -> &'static str {
        self.profile.name
    }

    /// The settings as those of a format, if they are.
    pub fn get<T: Format>(&self) -> Option<&T> {
        self.settings.downcast_ref()
    }

    /// The settings by key, and those of a job that sets none.
    pub fn values(&self) -> (Value, Value) {
        (self.values)(self)
    }

    /// [`Format::doubt`]
    pub fn doubt(&self, cast: &[Participant]) -> Option<String> {
        (self.doubt)(self, cast)
    }
}

impl PartialEq for FormatSettings {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name() && self.values().0 == other.values().0
    }
}

impl Serialize for FormatSettings {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map([(self.name(), self.values().0)])
    }
}

impl<'de> Deserialize<'de> for FormatSettings {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut entries = Map::deserialize(deserializer)?.into_iter();
        let (Some((name, value)), None) = (entries.next(), entries.next()) else {
            return Err(D::Error::custom("settings stand under one format's name"));
        };
        let format = AnyFormat::named(&name);
        let format = format.ok_or_else(|| D::Error::custom(format!("unknown format {name}")))?;
        (format.parse)(value).map_err(D::Error::custom)
    }
}
