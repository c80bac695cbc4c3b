//! The settings of a duel (rows U1 to U3).

use crate::job::cast::{self, named, with_persona};
use crate::job::criteria::{self, Criteria, Scale};
use crate::job::keys::Keys;
use crate::job::participant::{Library, Participant};
use crate::job::setting::settings;
use crate::job::shape::{number, whole};
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

settings! {
    /// The settings of a duel.
    pub struct Duel {
        /// Turns, one per round; with an even number, both agents have as many
        rounds: u32 = 8, whole(2..=100);
        /// Maximum tokens per turn
        max_tokens_per_response: u32 = 200, whole(16..=100_000);
        /// Replies at least this similar to an earlier turn are rejected (1 = only verbatim repeats)
        similarity_threshold: f64 = SIMILARITY, number(0.0..=1.0);
        /// Replies less coherent with the topic than this are rejected (0 = none)
        coherence_threshold: f64 = COHERENCE, number(0.0..=1.0);
        /// What judges score, from 0 to 10; those listed replace all of the defaults
        criteria: Criteria = default_criteria(), criteria::shape(SCALE, default_criteria());
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
pub(crate) fn read(
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
    (participants, keys.group(&Duel::default()))
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
