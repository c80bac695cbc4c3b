//! What a moderated debate tells of itself.

use serde_json::json;

use super::settings::{self, Moderated};
use crate::job::cast::Role;
use crate::job::job_text::JobText;
use crate::job::participant::Participant;
use crate::job::{Format, Profile};

const PROFILE: Profile = Profile {
    alone: "Run one moderated debate without a job file: For and Against, led and scored by a moderator",
    arguing: &["position_advocate"],
    has_winner: true,
    calls: &[
        ("rebuttal", "{name} speaks"),
        ("reply", "{name} speaks"),
        ("interjection", "{name} interrupts {speaker}"),
        ("check", "{name} checks statement {statement}"),
        (
            "fact_check",
            "{name} checks the claims of statement {statement}",
        ),
        ("ruling", "{name} rules on the round"),
        ("summary", "{name} sums up"),
    ],
    cast: |sides| vec![("advocates", json!(sides))],
    ..Profile::new(
        "moderated",
        "Advocates under a moderator: openings, arguments and rebuttals, closings, scores",
    )
};

impl Format for Moderated {
    const PROFILE: &'static Profile = &PROFILE;
    const ROLES: &'static [Role] = settings::ROLES;

    fn read(job: &JobText<'_>, cast: &[Participant]) -> Self {
        settings::read(job, cast)
    }

    fn most_rounds(&self) -> u32 {
        self.round_count
    }

    fn judging_role(&self) -> Option<&'static str> {
        self.scoring.then_some("moderator")
    }
}
