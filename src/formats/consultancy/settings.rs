//! The settings of a consultancy, which are derived from the debate that it controls.

use crate::job::cast::Role;
use crate::job::settings_macro::settings;
use crate::job::shape::whole;
use crate::job::{Format, Profile};

/// The consultant's id.
pub const CONSULTANT: &str = "consultant";

settings! {
    /// The settings of a consultancy.
    pub struct Consultancy {
        /// Statements of the consultant: as many as a side has in the debate
        statements: u32 = 1, whole(1..=100);
    }
}

const PROFILE: Profile = Profile {
    arguing: &[CONSULTANT],
    ..Profile::new("consultancy", "One consultant for an assigned choice, and judges who answer")
};

impl Format for Consultancy {
    const PROFILE: &'static Profile = &PROFILE;
    const ROLES: &'static [Role] = &[];

    fn most_rounds(&self) -> u32 {
        self.statements
    }
}
