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
    pub opened_at: DateTime<Utc>,
    /// When it ends: until then a vote is taken, and may be changed.
    pub closes_at: DateTime<Utc>,
}

/// What was counted of an audience's ballots: of each voter, the last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Tally {
    /// Voters who would keep the debater.
    pub keep: u32,
    /// Voters who would replace it.
    pub rotate: u32,
    /// All voters.
    pub voters: u32,
    /// Voters whom no link of ours vouches for.
    pub unverified: u32,
    /// Ballots cast, changed ones included.
    pub ballots: u32,
    /// Lines that are no ballot.
    pub refused: u32,
}

/// The audience's votes on a round.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AudienceVote {
    /// The round.
    pub round: u32,
    /// What they were for.
    pub effect: AudienceEffect,
    /// How many were there when it began.
    pub present: u32,
    /// When they could begin to vote.
    pub opened_at: DateTime<Utc>,
    /// When the votes were counted.
    pub closed_at: DateTime<Utc>,
    /// What was counted; never who voted how.
    #[serde(flatten)]
    pub tally: Tally,
    /// What the majority would do: keep the debater or not; `null` on a tie or with too few votes.
    pub majority: Option<bool>,
    /// Whether it was one of the ballots that decided on the debater.
    pub counted: bool,
    /// Whether without it the round would have ended otherwise.
    pub decisive: bool,
}

impl AudienceVote {
    /// `5 keep, 2 replace`, or that there was nothing to count.
    pub fn words(&self) -> String {
        match (self.tally.voters, self.present) {
            (0, 0) => "nobody was there to vote".to_owned(),
            (0, _) => "nobody voted".to_owned(),
            _ => self.tally.words(),
        }
    }
}

impl Tally {
    /// What the majority of enough voters would do: keep the debater or not.
    pub fn majority(&self, min_votes: u32) -> Option<bool> {
        (self.voters >= min_votes && self.keep != self.rotate).then_some(self.keep > self.rotate)
    }

    /// `5 keep, 2 replace`, with how far the voters are known.
    pub fn words(&self) -> String {
        let unverified = match self.unverified {
            0 => String::new(),
            n if n == self.voters => ", unverified".to_owned(),
            n => format!(", {n} of them unverified"),
        };
        format!("{} keep, {} replace{unverified}", self.keep, self.rotate)
    }
}
