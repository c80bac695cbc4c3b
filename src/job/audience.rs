//! Whether people vote in addition to the judges, and the effect of their votes (row L4).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::settings_macro::settings;
use super::shape::{choice, whole};

/// The effect of the audience's votes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AudienceEffect {
    /// They are shown but do not count.
    Shown,
    /// Their majority counts as one more ballot.
    Ballot,
}

settings! {
    /// How the audience votes.
    pub struct AudienceSettings {
        /// Effect of the votes: shown (next to the judges' ballots) or ballot (their majority counts like one more judge's vote)
        effect: AudienceEffect = AudienceEffect::Shown, choice::<AudienceEffect>();
        /// Seconds in which people can vote on a round, while the judges judge; no waiting if no voters are present
        window_seconds: u32 = 45, whole(1..=3_600);
        /// Minimum voters; with fewer, the audience abstains
        min_votes: u32 = 3, whole(1..=10_000);
        /// Negative votes that replace the debater where the audience casts one: as given, or a majority of judges and audience.
        threshold: u32 = 0;
    }
}
