//! Whether people vote beside the judges, and what their votes are for (row L4).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::settings_macro::settings;
use super::shape::{choice, whole};

/// What the audience's votes are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AudienceEffect {
    /// They are told, and change nothing.
    Shown,
    /// Their majority is one more ballot beside the judges'.
    Ballot,
}

settings! {
    /// How the audience votes.
    pub struct AudienceSettings {
        /// What the votes are for: shown (told beside the judges' ballots) or ballot (their majority counts as one more judge's vote)
        effect: AudienceEffect = AudienceEffect::Shown, choice::<AudienceEffect>();
        /// Seconds for which people can vote on a round, while the judges judge; nobody is waited for if nobody is there
        window_seconds: u32 = 45, whole(1..=3_600);
        /// Voters below which the audience abstains
        min_votes: u32 = 3, whole(1..=10_000);
        /// Negative votes that replace the debater where the audience casts one: as given, or a majority of judges and audience.
        threshold: u32 = 0;
    }
}
