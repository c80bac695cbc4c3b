//! What a knockout tells of itself.

use serde_json::{Value, json};

use super::roles::{TEAM, X};
use super::settings::{self, Knockout};
use crate::job::cast::Role;
use crate::job::job_text::JobText;
use crate::job::participant::Participant;
use crate::job::{Format, Profile};

const PROFILE: Profile = Profile {
    alone: "Run one knockout without a job file: For against a team that judges and replaces its own debater",
    arguing: &[X, TEAM],
    team: Some(TEAM),
    rotates: true,
    ballot_scale: Some(settings::SCALE),
    headline: Some(("rotations", "{} rotations per debate")),
    calls: &[
        ("ballot", "getting the ballot of {name}"),
        ("comment", "{name} comments"),
        ("narrative", "{name} tells the debate"),
    ],
    cast,
    ..Profile::new(
        "knockout",
        "One X against several Y who judge and replace each other",
    )
};

impl Format for Knockout {
    const PROFILE: &'static Profile = &PROFILE;
    const ROLES: &'static [Role] = settings::ROLES;

    fn read(job: &JobText<'_>, cast: &[Participant]) -> Self {
        settings::read(job, cast)
    }

    fn most_rounds(&self) -> u32 {
        self.rounds
    }

    fn judging_role(&self) -> Option<&'static str> {
        Some(TEAM)
    }
}

/// Debaters in the team against.
const MEMBERS: usize = 4;

fn cast([yes, mut no]: [Value; 2]) -> Vec<(&'static str, Value)> {
    no["name"] = json!("Against-1");
    let others = (2..=MEMBERS).map(|n| json!({"name": format!("Against-{n}")}));
    let team = std::iter::once(no).chain(others).collect();
    vec![("x", yes), ("y", team)]
}
