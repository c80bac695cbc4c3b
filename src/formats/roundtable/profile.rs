//! What a roundtable tells of itself.

use serde_json::{Value, json};

use super::settings::{self, Roundtable};
use crate::job::cast::Role;
use crate::job::job_text::JobText;
use crate::job::participant::Participant;
use crate::job::{Format, Profile};

const PROFILE: Profile = Profile {
    alone: "Run one roundtable without a job file: four specialists and a chair on a question",
    takes_query: true,
    arguing: &["specialist"],
    first_round: 0,
    headline: Some(("consensus", "consensus in {} of the debates that sought it")),
    calls: &[
        ("stance", "getting the stance of {name}"),
        ("answer", "{name} writes the answer"),
    ],
    cast: |_| cast(),
    ..Profile::new(
        "roundtable",
        "Specialists who seek a common answer to a question",
    )
};

impl Format for Roundtable {
    const PROFILE: &'static Profile = &PROFILE;
    const ROLES: &'static [Role] = settings::ROLES;

    fn read(job: &JobText<'_>, cast: &[Participant]) -> Self {
        settings::read(job, cast)
    }

    fn most_rounds(&self) -> u32 {
        self.max_rounds
    }
}

/// Specialists who have something to say on most questions, with their personas.
const SPECIALISTS: [(&str, &str); 4] = [
    ("Scientist", "scientist"),
    ("Economist", "economist"),
    ("Philosopher", "philosopher"),
    ("Engineer", "engineer"),
];

fn cast() -> Vec<(&'static str, Value)> {
    let all = SPECIALISTS.map(|(name, persona)| json!({"name": name, "persona": persona}));
    vec![
        ("specialists", json!(all)),
        ("stances", json!(["yes", "no", "it depends"])),
    ]
}
