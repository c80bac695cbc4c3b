//! The settings of a duel (rows U1 to U3), its participants, and what the rest of the program needs to know about it.

use crate::job::cast::{self, CLERK, ParticipantDefaults, Role};
pub use crate::job::criteria::SCALE_OF_TWO as SCALE;
use crate::job::criteria::{self, Criteria};
use crate::job::settings_macro::settings;
use crate::job::shape::{flag, number, whole};
use crate::job::{Format, Profile};
use crate::text::overlap::COHERENCE;
use crate::text::similarity::SIMILARITY;

/// The id of the agent that speaks in odd rounds.
pub const A: &str = "agent_a";
/// The id of the agent that speaks in even rounds.
pub const B: &str = "agent_b";

/// The id of the agent that speaks in a round.
pub fn speaker(round: u32) -> &'static str {
    if round % 2 == 1 { A } else { B }
}

settings! {
    /// The settings of a duel.
    pub struct Duel {
        /// Turns, one per round; with an even number, both agents have the same number
        rounds: u32 = 8, whole(2..=100);
        /// Maximum tokens per turn
        max_tokens_per_response: u32 = 200, whole(16..=100_000);
        /// Replies at least this similar to an earlier turn are rejected (1 = only verbatim repeats); from 0.6 on, the clerk decides
        similarity_threshold: f64 = SIMILARITY, number(0.0..=1.0);
        /// Replies less coherent with the topic than this are shown to the clerk, who decides whether they are off topic (0 = none)
        coherence_threshold: f64 = COHERENCE, number(0.0..=1.0);
        /// Criteria that judges score from 0 to 10; the ones listed replace all defaults
        criteria: Criteria = criteria::of_two(), criteria::shape(SCALE, criteria::of_two());
        /// Whether each judge is asked twice, with the sides named in both orders, so that neither side gains by being named first
        both_orders: bool = true, flag();
    }
}

/// The participants.
const ROLES: &[Role] = &[
    Role::one(
        "a",
        "The agent that starts and speaks in odd rounds; by default a scientist without a position",
        |_, _| ParticipantDefaults::new(A, "Scientist").with_persona("scientist"),
    ),
    Role::one(
        "b",
        "The agent that answers, in even rounds; by default a philosopher without a position",
        |_, _| ParticipantDefaults::new(B, "Philosopher").with_persona("philosopher"),
    ),
    cast::judges(
        1,
        "Score both agents at the end; with several judges, the mean of their margins decides",
    ),
    CLERK,
];

const PROFILE: Profile = Profile {
    alone: "Run one duel without a job file: two sides in turn, and a judge",
    arguing: &[A, B],
    has_winner: true,
    turn: Some(speaker),
    refuses_echoes: true,
    cast: |[yes, no]| vec![("a", yes), ("b", no)],
    ..Profile::new("duel", "Two agents in turn, and judges")
};

impl Format for Duel {
    const PROFILE: &'static Profile = &PROFILE;
    const ROLES: &'static [Role] = ROLES;

    fn most_rounds(&self) -> u32 {
        self.rounds
    }
}
