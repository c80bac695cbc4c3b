//! What a dialectic tells of itself.

use super::settings::{self, Dialectic};
use crate::job::cast::Role;
use crate::job::job_text::JobText;
use crate::job::participant::Participant;
use crate::job::{Format, Profile};

const PROFILE: Profile = Profile {
    alone: "Run one dialectic without a job file: an answer, its critique over several rounds, and a synthesis",
    takes_query: true,
    arguing: &["proposer", "skeptic"],
    answering: Some("synthesizer"),
    raising: Some("skeptic"),
    folders: &["reasoning/"],
    headline: Some(("auto_score", "final answers score {}")),
    calls: &[
        ("synthesis", "{name} writes the synthesis"),
        (
            "compare",
            "{name} compares the first answer with the final one",
        ),
        ("compare-reversed", "{name} compares them in reverse order"),
    ],
    ..Profile::new(
        "dialectic",
        "A proposal, its critique over several rounds, and a synthesis",
    )
};

impl Format for Dialectic {
    const PROFILE: &'static Profile = &PROFILE;
    const ROLES: &'static [Role] = settings::ROLES;

    fn read(job: &JobText<'_>, _cast: &[Participant]) -> Self {
        settings::read(job)
    }

    fn most_rounds(&self) -> u32 {
        self.max_rounds
    }

    fn embedding_model(&self) -> Option<&str> {
        Some(self.retrieval.as_ref()?.model.as_str())
    }
}
