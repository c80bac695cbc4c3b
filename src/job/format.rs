//! The formats, their settings, and who reads them.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::cast::{self, Role};
use super::job_text::JobText;
use super::participant::Participant;
use super::setting::Group;
use super::shape::Key;
use super::words;
use crate::formats::dialectic::settings::{self as dialectic, Dialectic};
use crate::formats::duel::settings::{self as duel, Duel};
use crate::formats::knockout::settings::{self as knockout, Knockout};
use crate::formats::moderated::settings::{self as moderated, Moderated};
use crate::formats::roundtable::settings::{self as roundtable, Roundtable};

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
    pub fn takes_query(self) -> bool {
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

    /// The role of those who judge where the job lists no judges; `None` where nobody does.
    pub fn judging_role(&self) -> Option<&'static str> {
        match self {
            Self::Knockout(_) => Some("position_y"),
            Self::Moderated(settings) => settings.scoring.then_some("moderator"),
            Self::Duel(_) | Self::Roundtable(_) | Self::Dialectic(_) => None,
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

/// Who takes part.
fn roles(format: Format) -> &'static [Role] {
    match format {
        Format::Knockout => knockout::ROLES,
        Format::Moderated => moderated::ROLES,
        Format::Duel => duel::ROLES,
        Format::Roundtable => roundtable::ROLES,
        Format::Dialectic => dialectic::ROLES,
    }
}

/// The keys of a format: who takes part, and its own settings.
pub(super) fn keys(format: Format, defaults: &Participant) -> Vec<Key> {
    let settings = match format {
        Format::Knockout => Knockout::default().keys(),
        Format::Moderated => Moderated::default().keys(),
        Format::Duel => Duel::default().keys(),
        Format::Roundtable => Roundtable::default().keys(),
        Format::Dialectic => Dialectic::default().keys(),
    };
    let roles = roles(format).iter().map(|role| role.key(defaults));
    roles.chain(settings).collect()
}

/// Reads who takes part and the format's own settings.
pub(super) fn read(
    job: &JobText<'_>,
    format: Format,
    defaults: &Participant,
) -> (Vec<Participant>, FormatSettings) {
    let cast = cast::read(job, roles(format), defaults);
    let settings = match format {
        Format::Knockout => FormatSettings::Knockout(knockout::read(job, &cast)),
        Format::Moderated => FormatSettings::Moderated(moderated::read(job, &cast)),
        Format::Duel => FormatSettings::Duel(job.group(&Duel::default())),
        Format::Roundtable => FormatSettings::Roundtable(roundtable::read(job, &cast)),
        Format::Dialectic => FormatSettings::Dialectic(dialectic::read(job)),
    };
    (cast, settings)
}
