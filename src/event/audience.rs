//! The audience's votes on a round.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::job::audience::AudienceEffect;

/// The time in which the audience may vote on a round.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct VoteWindow {
    /// The round.
    pub round: u32,
    /// How many were there to vote; nobody is waited for where nobody was.
    pub present: u32,
    /// When it began.
    #[serde(serialize_with = "crate::clock::serialize")]
    pub opened_at: DateTime<Utc>,
    /// When it ends: until then a vote is taken, and may be changed.
    #[serde(serialize_with = "crate::clock::serialize")]
    pub closes_at: DateTime<Utc>,
    /// Whether nobody could come in, so that the vote is on whether the debater upheld the position (absent in earlier logs).
    #[serde(default)]
    pub on_position: bool,
}

/// What was counted of an audience's ballots: of each voter, the last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Tally {
    /// Votes to keep the debater.
    pub keep: u32,
    /// Votes to replace the debater.
    pub rotate: u32,
    /// All voters.
    pub voters: u32,
    /// Voters without a personal link.
    pub unverified: u32,
    /// Ballots cast, including changed ones.
    pub ballots: u32,
    /// Invalid lines.
    pub refused: u32,
}

/// The audience's votes on a round.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AudienceVote {
    /// The round.
    pub round: u32,
    /// Their effect.
    pub effect: AudienceEffect,
    /// Voters present when voting began.
    pub present: u32,
    /// When voting opened.
    #[serde(serialize_with = "crate::clock::serialize")]
    pub opened_at: DateTime<Utc>,
    /// When voting closed.
    #[serde(serialize_with = "crate::clock::serialize")]
    pub closed_at: DateTime<Utc>,
    /// What was counted; never who voted how.
    #[serde(flatten)]
    pub tally: Tally,
    /// The majority: whether to keep the debater; `null` for a tie or too few votes.
    pub majority: Option<bool>,
    /// Whether nobody could come in, so that the votes are on whether the debater upheld the position (absent in earlier traces).
    #[serde(default)]
    pub on_position: bool,
    /// Whether it counted as a ballot.
    pub counted: bool,
    /// Whether it changed the result of the round.
    pub decisive: bool,
}

impl AudienceVote {
    /// `5 keep, 2 replace`, `5 upheld, 2 not upheld`, or that there was nothing to count.
    pub fn words(&self) -> String {
        match (self.tally.voters, self.present) {
            (0, 0) => "nobody was there to vote".to_owned(),
            (0, _) => "nobody voted".to_owned(),
            _ => self.tally.words(self.on_position),
        }
    }
}

impl Tally {
    /// What the majority of enough voters would do: keep the debater or not.
    pub fn majority(&self, min_votes: u32) -> Option<bool> {
        (self.voters >= min_votes && self.keep != self.rotate).then_some(self.keep > self.rotate)
    }

    /// `5 keep, 2 replace`, with how far the voters are known.
    pub fn words(&self, on_position: bool) -> String {
        let unverified = match self.unverified {
            0 => String::new(),
            n if n == self.voters => ", unverified".to_owned(),
            n => format!(", {n} of them unverified"),
        };
        let [keep, replace] =
            if on_position { ["upheld", "not upheld"] } else { ["keep", "replace"] };
        format!("{} {keep}, {} {replace}{unverified}", self.keep, self.rotate)
    }
}
