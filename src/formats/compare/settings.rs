//! The settings of an answer that is compared with a debate's, taken from a job's `match`.

use crate::event::DEBATE;
use crate::job::cast::Role;
use crate::job::settings_macro::settings;
use crate::job::shape::whole;
use crate::job::{Format, Profile, TwoAnswers};

settings! {
    /// The settings of an answer by one model alone.
    pub struct Compare {
        /// Maximum drafts
        max_drafts: u32 = 1, whole(1..=1000);
    }
}

const PROFILE: Profile = Profile {
    takes_query: true,
    two_answers: Some(TwoAnswers {
        other: DEBATE,
        called: ["the debate's answer", "the answer of a model alone"],
    }),
    calls: &[("draft", "{name} writes a draft")],
    ..Profile::new("compare", "An answer by one model alone, to be compared with a debate's")
};

impl Format for Compare {
    const PROFILE: &'static Profile = &PROFILE;
    const ROLES: &'static [Role] = &[];

    fn most_rounds(&self) -> u32 {
        self.max_drafts
    }
}
