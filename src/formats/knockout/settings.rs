//! The settings of a knockout debate (rows K1, K2, K5, K6, K8).

use serde::{Deserialize, Serialize};

use crate::job::cast::{self, Seat, named, with_persona};
use crate::job::criteria::{self, Criteria, Scale};
use crate::job::keys::Keys;
use crate::job::participant::{self, Library, Participant};

/// Who speaks first in a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Start {
    /// Position X, in every round.
    X,
    /// Position Y, in every round.
    Y,
    /// X in odd rounds, Y in even ones.
    #[serde(rename = "alternate")]
    Alternate,
}

/// A ballot scores from 1 to 5.
pub const SCALE: Scale = (1, 5);

/// When a Y agent is replaced.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rotation {
    /// Negative votes that replace the debater.
    pub threshold: u32,
    /// The most replacements in a debate.
    pub limit: u32,
}

/// The settings of a knockout debate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Knockout {
    /// Exchanges of both sides.
    pub rounds: u32,
    /// Who speaks first.
    pub starting_position: Start,
    /// Simulated speaking time of a statement, in seconds.
    pub time_limit_seconds: u32,
    /// The most tokens of a statement.
    pub max_statement_tokens: u32,
    /// Rounds are kept to so many seconds of model time, by shorter statements; `None` for no such limit.
    #[serde(default)]
    pub enforce_round_seconds: Option<u32>,
    /// What ballots score, by name.
    pub criteria: Criteria,
    /// When a Y agent is replaced.
    pub rotation: Rotation,
}

impl Default for Knockout {
    fn default() -> Self {
        Self {
            rounds: 6,
            starting_position: Start::X,
            time_limit_seconds: 300,
            max_statement_tokens: 800,
            enforce_round_seconds: None,
            criteria: default_criteria(),
            rotation: Rotation {
                threshold: 2,
                limit: 3,
            },
        }
    }
}

/// The criteria of the source, with its weights and guides.
pub fn default_criteria() -> Criteria {
    let rows = [
        (
            "argument_strength",
            0.4,
            [
                "No substantial arguments or evidence presented",
                "Some valid points but weak supporting evidence",
                "Strong arguments with compelling evidence",
            ],
        ),
        (
            "relevance",
            0.2,
            [
                "Arguments mostly off-topic or tangential",
                "Arguments somewhat related to the debate topic",
                "Arguments directly address the central question",
            ],
        ),
        (
            "persuasiveness",
            0.3,
            [
                "Unconvincing presentation of arguments",
                "Moderately persuasive delivery",
                "Highly compelling and convincing rhetoric",
            ],
        ),
        (
            "clarity",
            0.1,
            [
                "Confusing or poorly structured arguments",
                "Reasonably clear but some disorganization",
                "Exceptionally clear, well-organized arguments",
            ],
        ),
    ];
    criteria::built_in(SCALE, &rows)
}

/// Reads the participants `x`, `y`, `clerk` and `commentator` and the settings. `defaults` holds model and sampling.
pub fn read(
    keys: &mut Keys<'_>,
    defaults: &Participant,
    library: Library<'_>,
) -> (Vec<Participant>, Knockout) {
    let mut participants = read_sides(keys, defaults, library);
    let judges = participants.len().saturating_sub(2) as u32;
    participants.push(cast::clerk(keys, defaults, library));
    participants.extend(keys.optional_section(
        "commentator",
        "Comments on each round for readers; nobody in the debate sees it. `{}` for one with the defaults",
        |keys| participant::read(keys, &named(defaults, "commentator", "Commentator", ""), library),
    ));
    (participants, read_settings(keys, judges))
}

fn read_settings(keys: &mut Keys<'_>, judges: u32) -> Knockout {
    let defaults = Knockout::default();
    let whole = |keys: &mut Keys<'_>, key: &str, default: u32, range, doc: &str| {
        keys.whole(key, default.into(), range, doc) as u32
    };
    let starts = [
        ("X", Start::X),
        ("Y", Start::Y),
        ("alternate", Start::Alternate),
    ];
    Knockout {
        rounds: whole(
            keys,
            "rounds",
            defaults.rounds,
            1..=100,
            "Exchanges of both sides",
        ),
        starting_position: keys.choice("starting_position", &starts, "Who speaks first in a round"),
        time_limit_seconds: whole(
            keys,
            "time_limit_seconds",
            defaults.time_limit_seconds,
            5..=36_000,
            "Simulated speaking time of a statement, in seconds; 3.75 tokens are spoken a second",
        ),
        max_statement_tokens: whole(
            keys,
            "max_statement_tokens",
            defaults.max_statement_tokens,
            16..=100_000,
            "The most tokens of a statement",
        ),
        enforce_round_seconds: keys
            .optional_whole(
                "enforce_round_seconds",
                5..=36_000,
                "Keep rounds to so many seconds of model time: statements get shorter as the debate's measured speed demands",
            )
            .map(|seconds| seconds as u32),
        criteria: criteria::read(keys, defaults.criteria, SCALE),
        rotation: read_rotation(keys, judges),
    }
}

fn read_sides(
    keys: &mut Keys<'_>,
    defaults: &Participant,
    library: Library<'_>,
) -> Vec<Participant> {
    let persona = library.default_persona(keys.place(), keys.problems);
    let x = keys.section("x", "The side that stays throughout", |keys| {
        participant::read(
            keys,
            &with_persona(
                named(defaults, "position_x", "X", "For the motion"),
                persona.as_ref(),
            ),
            library,
        )
    });
    let first = with_persona(
        named(defaults, "position_y_1", "Y-1", "Against the motion"),
        persona.as_ref(),
    );
    let mut lead: Option<Participant> = None;
    let doc = "The side of two or more of whom one debates and the others judge; the first listed begins, the others take over its position and persona unless they have their own";
    let ys = keys.sections("y", 4, 2..=20, doc, |i, keys| {
        let mut base = named(
            &first,
            &format!("position_y_{}", i + 1),
            &format!("Y-{}", i + 1),
            &first.position,
        );
        if let Some(lead) = &lead {
            base = Participant {
                position: lead.position.clone(),
                persona: lead.persona.clone(),
                ..base
            };
        }
        let y = participant::read(keys, &base, library);
        lead.get_or_insert_with(|| y.clone());
        y
    });
    let sides: Vec<Participant> = std::iter::once(x).chain(ys).collect();
    let places: Vec<Seat<'_>> = cast::seat("x")
        .chain(cast::seats("y", sides.len() - 1))
        .collect();
    cast::check_names(keys, &sides, &places);
    sides
}

fn read_rotation(keys: &mut Keys<'_>, judges: u32) -> Rotation {
    keys.section("rotation", "When the debating Y is replaced", |keys| {
        let doc = "Negative votes that replace the debater; by default a majority of the judges";
        let threshold = keys
            .optional_whole("threshold", 1..=20, doc)
            .map(|n| n as u32);
        let limit = keys.whole("limit", 3, 0..=20, "The most replacements in a debate") as u32;
        if let Some(threshold) = threshold.filter(|&n| n > judges) {
            let cause =
                format!("`rotation.threshold` is {threshold}, but only {judges} judge a round");
            keys.problems.add(
                keys.place_of("threshold"),
                cause,
                "lower it, or list more participants under `y`",
            );
        }
        Rotation {
            threshold: threshold.unwrap_or(judges / 2 + 1),
            limit,
        }
    })
}
