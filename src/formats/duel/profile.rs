//! What a duel tells of itself.

use super::settings::{self, Duel};
use crate::job::cast::Role;
use crate::job::{Format, Profile};

const PROFILE: Profile = Profile {
    alone: "Run one duel without a job file: For and Against in turn, and a judge",
    arguing: &[settings::A, settings::B],
    has_winner: true,
    turn: Some(settings::speaker),
    refuses_echoes: true,
    cast: |[yes, no]| vec![("a", yes), ("b", no)],
    ..Profile::new("duel", "Two agents in turn, and judges")
};

impl Format for Duel {
    const PROFILE: &'static Profile = &PROFILE;
    const ROLES: &'static [Role] = settings::ROLES;

    fn most_rounds(&self) -> u32 {
        self.rounds
    }
}
