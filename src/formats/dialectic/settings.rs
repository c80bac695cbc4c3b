//! The settings of a dialectic (rows T1 to T6).

use serde::{Deserialize, Serialize};

use crate::job::cast::{self, named, with_persona};
use crate::job::criteria::{self, Criteria, Scale};
use crate::job::keys::Keys;
use crate::job::participant::{self, Library, Participant};

/// The final answer is scored from 1 to 10.
pub const SCALE: Scale = (1, 10);

/// The most rounds of a debate.
const MOST_ROUNDS: i64 = 50;

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

/// Which reasoning templates the proposer is shown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Retrieval {
    /// The embedding model.
    pub model: String,
    /// How many templates at most.
    pub top: u32,
    /// The least similarity to the query.
    pub threshold: f64,
}

impl Default for Retrieval {
    fn default() -> Self {
        Self {
            model: "nomic-embed-text".to_owned(),
            top: 3,
            threshold: 0.65,
        }
    }
}

/// The settings of a dialectic.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Dialectic {
    /// Rounds before which the debate ends only if the quality reaches `early_stop_score` with no critical point open.
    pub min_rounds: u32,
    /// Rounds after which it ends in any case.
    pub max_rounds: u32,
    /// The quality, from 1 to 10, at which the debate may end before `min_rounds`, with no critical point open.
    pub early_stop_score: u32,
    /// Which reasoning templates the proposer is shown; `None` for none.
    pub retrieval: Option<Retrieval>,
    /// What judges score the final answer by.
    pub criteria: Criteria,
}

impl Default for Dialectic {
    fn default() -> Self {
        Self {
            min_rounds: 3,
            max_rounds: 5,
            early_stop_score: 8,
            retrieval: Some(Retrieval::default()),
            criteria: default_criteria(),
        }
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
pub fn read(
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
    (participants, read_settings(keys))
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

fn read_settings(keys: &mut Keys<'_>) -> Dialectic {
    let defaults = Dialectic::default();
    let mut whole = |key: &str, default: u32, most: i64, doc: &str| {
        keys.whole(key, default.into(), 1..=most, doc) as u32
    };
    let (min_rounds, max_rounds, early_stop_score) = (
        whole(
            "min_rounds",
            defaults.min_rounds,
            MOST_ROUNDS,
            "Rounds before which only early_stop_score ends the debate",
        ),
        whole(
            "max_rounds",
            defaults.max_rounds,
            MOST_ROUNDS,
            "Rounds after which the debate ends in any case",
        ),
        whole(
            "early_stop_score",
            defaults.early_stop_score,
            10,
            "The quality from 1 to 10 that ends the debate before min_rounds, with no critical point open",
        ),
    );
    check_rounds(keys, min_rounds, max_rounds);
    Dialectic {
        min_rounds,
        max_rounds,
        early_stop_score,
        retrieval: read_retrieval(keys),
        criteria: criteria::read(keys, defaults.criteria, SCALE),
    }
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

fn read_retrieval(keys: &mut Keys<'_>) -> Option<Retrieval> {
    let defaults = Retrieval::default();
    let doc = "Which reasoning templates the proposer is shown, by their likeness to the query; null for none";
    keys.section_or_null("retrieval", doc, |keys| {
        let doc = "Ollama's name of the embedding model";
        let model = participant::model(keys, &defaults.model, doc);
        participant::check_models(keys);
        Retrieval {
            model,
            top: keys.whole("top", defaults.top.into(), 1..=10, "How many at most") as u32,
            threshold: keys.number(
                "threshold",
                defaults.threshold,
                0.0..=1.0,
                "The least similarity to the query",
            ),
        }
    })
}
