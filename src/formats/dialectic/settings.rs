//! The settings of a dialectic (rows T1 to T6), its participants, and what the rest of the program needs to know about it.

use crate::job::cast::{CLERK, ParticipantDefaults, Role, judge};
use crate::job::criteria::{self, Criteria, Scale};
use crate::job::job_text::JobText;
use crate::job::participant::{Participant, model_name};
use crate::job::settings_macro::{section, settings};
use crate::job::shape::{nullable, number, whole};
use crate::job::{Format, Profile, TwoAnswers};

/// The id of the participant who answers and revises.
pub(super) const PROPOSER: &str = "proposer";
/// The id of the participant who criticises.
pub(super) const SKEPTIC: &str = "skeptic";
/// The id of the participant who writes the final answer.
pub(super) const SYNTHESIZER: &str = "synthesizer";

/// The scale for the final answer.
pub const SCALE: Scale = (1, 10);

settings! {
    /// Which reasoning templates the proposer is shown.
    pub struct Retrieval {
        /// Name of the embedding model in Ollama
        model: String = "nomic-embed-text".to_owned(), model_name();
        /// Maximum number of templates
        top: u32 = 3, whole(1..=10);
        /// Minimum similarity to the query
        threshold: f64 = 0.65, number(0.0..=1.0);
    }
}

settings! {
    /// The settings of a dialectic.
    pub struct Dialectic {
        /// Rounds before which only early_stop_score can end the debate
        min_rounds: u32 = 3, whole(1..=50);
        /// Maximum rounds
        max_rounds: u32 = 5, whole(1..=50);
        /// Quality, from 1 to 10, at which the debate may end before min_rounds if no critical point is open
        early_stop_score: u32 = 8, whole(1..=10);
        /// Reasoning templates for the proposer, chosen by similarity to the query; null for none
        retrieval: Option<Retrieval> = Some(Retrieval::default()), nullable(section::<Retrieval>());
        /// Criteria that judges score from 1 to 10; the ones listed replace all defaults
        criteria: Criteria = criteria::of_an_answer(SCALE), criteria::shape(SCALE, criteria::of_an_answer(SCALE));
    }
}

/// The participants.
const ROLES: &[Role] = &[
    Role::one(PROPOSER, "Answers the query and revises the answer after each critique", |_, _| {
        debater(PROPOSER, "Proposer", 0.7)
    }),
    Role::one(
        SKEPTIC,
        "Criticises the answer in each round and says which criticisms are resolved",
        |_, _| debater(SKEPTIC, "Skeptic", 0.8),
    ),
    Role::one(SYNTHESIZER, "Writes the final answer from the whole debate", |_, _| {
        debater(SYNTHESIZER, "Synthesizer", 0.5)
    }),
    Role::list(
        "judges",
        "Score the final answer from 1 to 10, each independently, and compare it with the first",
        1,
        1..=20,
        |i, _| judge(i).with_persona("answer-judge"),
    ),
    CLERK,
];

fn debater(id: &'static str, name: &str, temperature: f64) -> ParticipantDefaults {
    ParticipantDefaults {
        temperature: Some(temperature),
        ..ParticipantDefaults::new(id, name).with_persona(id)
    }
}

const PROFILE: Profile = Profile {
    alone: "Run one dialectic without a job file: an answer, its critique over several rounds, and a synthesis",
    takes_query: true,
    arguing: &[PROPOSER, SKEPTIC],
    announced_by: "Announcement",
    answering: Some(SYNTHESIZER),
    two_answers: Some(TwoAnswers {
        other: PROPOSER,
        called: ["the first answer", "the final answer"],
    }),
    raising: Some(SKEPTIC),
    folders: &["reasoning/"],
    headlines: &[
        ("auto_score", "final answers score {} on a scale from 1 to 10"),
        (
            "improved",
            "judges prefer the final answer to the first in {} of debates, an even result counting half",
        ),
    ],
    calls: &[
        ("synthesis", "{name} writes the synthesis"),
        ("compare", "{name} compares the first answer with the final one"),
        ("compare-reversed", "{name} compares them in reverse order"),
    ],
    ..Profile::new("dialectic", "A proposal, its critique over several rounds, and a synthesis")
};

impl Format for Dialectic {
    const PROFILE: &'static Profile = &PROFILE;
    const ROLES: &'static [Role] = ROLES;

    fn read(job: &JobText<'_>, _cast: &[Participant]) -> Self {
        let settings: Dialectic = job.group(&Dialectic::default());
        let (min, max) = (settings.min_rounds, settings.max_rounds);
        if min > max {
            let given = job.node.get("max_rounds").map(|node| &node.place);
            let cause = format!("`min_rounds` is {min}, but `max_rounds` is {max}");
            let remedy = format!("set `min_rounds` to {max} or less, or raise `max_rounds`");
            let place = given.unwrap_or(job.place_of("min_rounds"));
            job.report(place, cause, remedy);
        }
        settings
    }

    fn most_rounds(&self) -> u32 {
        self.max_rounds
    }

    fn embedding_model(&self) -> Option<&str> {
        Some(self.retrieval.as_ref()?.model.as_str())
    }
}
