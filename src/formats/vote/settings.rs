//! The settings of a vote, taken from a job's `match`.

use crate::job::cast::Role;
use crate::job::settings_macro::settings;
use crate::job::shape::whole;
use crate::job::{Format, Profile};

settings! {
    /// The settings of a vote.
    pub struct Vote {
        /// Maximum samples
        max_samples: u32 = 1, whole(1..=1000);
    }
}

const PROFILE: Profile = Profile {
    calls: &[("sample", "{name} answers")],
    ..Profile::new("vote", "Answers to a question without a debate, counted")
};

impl Format for Vote {
    const PROFILE: &'static Profile = &PROFILE;
    const ROLES: &'static [Role] = &[];

    fn most_rounds(&self) -> u32 {
        self.max_samples
    }
}
