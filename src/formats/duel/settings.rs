//! The settings of a duel (rows U1 to U3).

use serde::{Deserialize, Serialize};

use crate::job::cast::{self, named, with_persona};
use crate::job::criteria::{self, Criteria, Scale};
use crate::job::keys::Keys;
use crate::job::participant::{Library, Participant};
use crate::text::overlap::COHERENCE;
use crate::text::similarity::SIMILARITY;

/// The id of the agent that has the odd rounds.
pub const A: &str = "agent_a";
/// The id of the agent that has the even rounds.
pub const B: &str = "agent_b";

/// A judge scores from 0 to 10.
pub const SCALE: Scale = (0, 10);

/// Whose turn a round is.
pub fn speaker(round: u32) -> &'static str {
    if round % 2 == 1 { A } else { B }
}

/// The settings of a duel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Duel {
    /// Turns, of both agents together.
    pub rounds: u32,
    /// The most tokens of a turn.
    pub max_tokens_per_response: u32,
    /// From this similarity on, a reply repeats an earlier turn.
    pub similarity_threshold: f64,
    /// Below this coherence, a reply is off the topic.
    pub coherence_threshold: f64,
    /// What judges score, by name.
    pub criteria: Criteria,
}

impl Default for Duel {
    fn default() -> Self {
        Self {
            rounds: 8,
            max_tokens_per_response: 200,
            similarity_threshold: SIMILARITY,
            coherence_threshold: COHERENCE,
            criteria: default_criteria(),
        }
    }
}

/// The criteria of the source with its weights; the guides are ours.
fn default_criteria() -> Criteria {
    let rows = [
        (
            "argument_quality",
            0.4,
            [
                "No arguments, or none with a reason behind it",
                "Sound points with thin reasons, or strong ones beside weak ones",
                "Strong reasons, and the best points of the opponent answered",
            ],
        ),
        (
            "coherence",
            0.3,
            [
                "The turns contradict each other or make no sense",
                "Mostly consistent, with gaps or leaps between the points",
                "One clear line of thought through all turns",
            ],
        ),
        (
            "relevance",
            0.3,
            [
                "About something else",
                "Related to the question, with long stretches beside it",
                "Every turn bears on the question and on what the opponent said",
            ],
        ),
    ];
    criteria::built_in(SCALE, &rows)
}

/// Reads the participants `a`, `b`, `judges` and `clerk` and the settings. `defaults` holds model and sampling.
pub fn read(
    keys: &mut Keys<'_>,
    defaults: &Participant,
    library: Library<'_>,
) -> (Vec<Participant>, Duel) {
    let doc =
        "The agent that begins and has the odd rounds; by default a scientist without a position";
    let a = read_agent(
        keys,
        ("a", A, "Scientist", "scientist"),
        doc,
        defaults,
        library,
    );
    let doc = "The agent that answers and has the even rounds; by default a philosopher without a position";
    let b = read_agent(
        keys,
        ("b", B, "Philosopher", "philosopher"),
        doc,
        defaults,
        library,
    );
    let doc = "Who scores both agents at the end; with several, the mean of their totals decides";
    let judges = cast::judges(keys, 1, doc, defaults, library);
    let seats = cast::seat("a").chain(cast::seat("b"));
    let seats: Vec<_> = seats.chain(cast::seats("judges", judges.len())).collect();
    let mut participants = vec![a, b];
    participants.extend(judges);
    cast::check_names(keys, &participants, &seats);
    participants.push(cast::clerk(keys, defaults, library));
    (participants, read_settings(keys))
}

/// Reads an agent: its key, id, name and persona by default.
fn read_agent(
    keys: &mut Keys<'_>,
    (key, id, name, persona): (&str, &str, &str, &str),
    doc: &str,
    defaults: &Participant,
    library: Library<'_>,
) -> Participant {
    let persona = library.persona_of_role(persona, keys.place(), keys.problems);
    let base = with_persona(named(defaults, id, name, ""), persona.as_ref());
    cast::one(keys, key, doc, &base, library)
}

fn read_settings(keys: &mut Keys<'_>) -> Duel {
    let defaults = Duel::default();
    let whole = |keys: &mut Keys<'_>, key: &str, default: u32, range, doc: &str| {
        keys.whole(key, default.into(), range, doc) as u32
    };
    let doc = "Turns, one a round; an even number gives both agents as many";
    let rounds = whole(keys, "rounds", defaults.rounds, 2..=100, doc);
    let doc = "The most tokens of a turn";
    let most = defaults.max_tokens_per_response;
    let most = whole(keys, "max_tokens_per_response", most, 16..=100_000, doc);
    let doc = "From this similarity to an earlier turn on, a reply is asked for again: 0 never lets one pass, 1 refuses only the same words in the same order";
    let similarity = defaults.similarity_threshold;
    let similarity = keys.number("similarity_threshold", similarity, 0.0..=1.0, doc);
    let doc = "Below this coherence with the topic, a reply is asked for again: 0 lets all pass, 1 nearly none";
    let coherence = defaults.coherence_threshold;
    let coherence = keys.number("coherence_threshold", coherence, 0.0..=1.0, doc);
    Duel {
        rounds,
        max_tokens_per_response: most,
        similarity_threshold: similarity,
        coherence_threshold: coherence,
        criteria: criteria::read(keys, defaults.criteria, SCALE),
    }
}
