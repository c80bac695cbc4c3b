//! The settings of a knockout debate (rows K1, K2, K5, K6, K8).

use serde::{Deserialize, Serialize};

use crate::job::cast::{self, Seat, named, with_persona};
use crate::job::criteria::{self, Criteria, Scale};
use crate::job::keys::Keys;
use crate::job::participant::{self, Library, Participant};
use crate::job::setting::{section, settings};
use crate::job::shape::{choice, derived, nullable, whole};

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

settings! {
    /// When a Y agent is replaced.
    pub struct Rotation {
        /// Negative votes that replace the debater; by default a majority of the judges
        threshold: u32 = 2, derived(whole(1..=20));
        /// Maximum replacements per debate
        limit: u32 = 3, whole(0..=20);
    }
}

settings! {
    /// The settings of a knockout debate.
    pub struct Knockout {
        /// Exchanges between the sides
        rounds: u32 = 6, whole(1..=100);
        /// Who speaks first in a round: X, Y, or alternate (X in odd rounds)
        starting_position: Start = Start::X, choice::<Start>();
        /// Simulated speaking time per statement, in seconds, at 3.75 tokens per second
        time_limit_seconds: u32 = 300, whole(5..=36_000);
        /// Maximum tokens per statement
        max_statement_tokens: u32 = 800, whole(16..=100_000);
        /// Target model time per round, in seconds: statements get shorter to meet it, as the measured speed requires
        enforce_round_seconds: Option<u32> = None, nullable(whole(5..=36_000));
        /// What judges score, from 1 to 5; those listed replace all of the defaults
        criteria: Criteria = default_criteria(), criteria::shape(SCALE, default_criteria());
        /// When the debating Y is replaced
        rotation: Rotation = Rotation::default(), section::<Rotation>();
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
pub(crate) fn read(
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
    let threshold = judges / 2 + 1;
    let settings = keys.group(&Knockout {
        rotation: Rotation {
            threshold,
            ..Rotation::default()
        },
        ..Knockout::default()
    });
    let given = keys
        .node()
        .get("rotation")
        .and_then(|node| node.get("threshold"));
    if let Some(node) = given.filter(|_| settings.rotation.threshold > judges) {
        let threshold = settings.rotation.threshold;
        let cause = format!("`rotation.threshold` is {threshold}, but only {judges} judge a round");
        let remedy = "lower it, or list more participants under `y`";
        keys.problems.add(&node.place, cause, remedy);
    }
    settings
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
