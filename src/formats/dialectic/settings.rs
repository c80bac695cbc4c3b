//! The settings of a dialectic (rows T1 to T6).

use crate::job::cast::{self, named, with_persona};
use crate::job::criteria::{self, Criteria, Scale};
use crate::job::keys::Keys;
use crate::job::participant::{self, Library, Participant};
use crate::job::setting::{section, settings};
use crate::job::shape::{nullable, number, whole};

/// The final answer is scored from 1 to 10.
pub const SCALE: Scale = (1, 10);

/// The three who debate: key and role, shown name, temperature, what they do.
const CAST: [(&str, &str, f64, &str); 3] = [
    (
        "proposer",
        "Proposer",
        0.7,
        "Answers the query and revises the answer after each critique",
    ),
    (
        "skeptic",
        "Skeptic",
        0.8,
        "Criticises the answer in each round and says what of it has been resolved",
    ),
    (
        "synthesizer",
        "Synthesizer",
        0.5,
        "Writes the final answer from the whole debate",
    ),
];

settings! {
    /// Which reasoning templates the proposer is shown.
    pub struct Retrieval {
        /// Name of the embedding model in Ollama
        model: String = "nomic-embed-text".to_owned(), participant::model_name();
        /// Maximum number of templates
        top: u32 = 3, whole(1..=10);
        /// Minimum similarity to the query
        threshold: f64 = 0.65, number(0.0..=1.0);
    }
}

settings! {
    /// The settings of a dialectic.
    pub struct Dialectic {
        /// Rounds before which only early_stop_score ends the debate
        min_rounds: u32 = 3, whole(1..=50);
        /// Maximum rounds
        max_rounds: u32 = 5, whole(1..=50);
        /// Quality, from 1 to 10, at which the debate may end before min_rounds if no critical point is open
        early_stop_score: u32 = 8, whole(1..=10);
        /// Reasoning templates that the proposer is shown, chosen by similarity to the query; null for none
        retrieval: Option<Retrieval> = Some(Retrieval::default()), nullable(section::<Retrieval>());
        /// What judges score, from 1 to 10; those listed replace all of the defaults
        criteria: Criteria = default_criteria(), criteria::shape(SCALE, default_criteria());
    }
}

/// The criteria of the source, with its weights.
fn default_criteria() -> Criteria {
    let rows = [
        (
            "correctness",
            0.4,
            [
                "Wrong in fact or logic on what matters",
                "Right in the main, with errors or doubtful steps",
                "Nothing in it is wrong in fact or logic",
            ],
        ),
        (
            "completeness",
            0.25,
            [
                "Leaves most of the question unanswered",
                "Answers the question but leaves out a part that matters",
                "Answers every part of the question",
            ],
        ),
        (
            "clarity",
            0.2,
            [
                "Hard to follow",
                "Understandable with some effort",
                "Well ordered and easy to understand",
            ],
        ),
        (
            "depth",
            0.15,
            [
                "Stays on the surface",
                "Goes beyond the obvious here and there",
                "Shows what lies beneath and how much depends on it",
            ],
        ),
    ];
    criteria::built_in(SCALE, &rows)
}

/// Reads who takes part and the settings. `defaults` holds model and sampling.
pub(crate) fn read(
    keys: &mut Keys<'_>,
    defaults: &Participant,
    library: Library<'_>,
) -> (Vec<Participant>, Dialectic) {
    let mut participants: Vec<Participant> = CAST
        .iter()
        .map(|one| read_debater(keys, *one, defaults, library))
        .collect();
    let doc = "Score the final answer from 1 to 10, each on its own";
    participants.extend(cast::judges(keys, 1, doc, defaults, library));
    let seats = CAST.iter().flat_map(|(key, ..)| cast::seat(key));
    let seats: Vec<_> = seats
        .chain(cast::seats("judges", participants.len() - CAST.len()))
        .collect();
    cast::check_names(keys, &participants, &seats);
    participants.push(cast::clerk(keys, defaults, library));
    let settings: Dialectic = keys.group(&Dialectic::default());
    check_rounds(keys, settings.min_rounds, settings.max_rounds);
    (participants, settings)
}

/// Reads one of the three; a temperature for everyone goes before its own default.
fn read_debater(
    keys: &mut Keys<'_>,
    (key, name, temperature, doc): (&str, &str, f64, &str),
    defaults: &Participant,
    library: Library<'_>,
) -> Participant {
    let persona = library.persona_of_role(key, keys.place(), keys.problems);
    let mut base = with_persona(named(defaults, key, name, ""), persona.as_ref());
    let for_all = keys
        .node()
        .get("defaults")
        .and_then(|d| d.get("temperature"));
    if for_all.is_none() {
        base.temperature = temperature;
    }
    cast::one(keys, key, doc, &base, library)
}

fn check_rounds(keys: &Keys<'_>, min: u32, max: u32) {
    if min <= max {
        return;
    }
    let key = if keys.has("max_rounds") {
        "max_rounds"
    } else {
        "min_rounds"
    };
    let cause = format!("`min_rounds` is {min}, but `max_rounds` is {max}");
    let remedy = format!("set `min_rounds` to {max} or less, or raise `max_rounds`");
    keys.problems.add(keys.place_of(key), cause, remedy);
}
