//! The votes of a team's members on their own debater, and what they do to its seat.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::judgments::{Judge, Reading};
use crate::text;

/// Questions that a judge answers before scoring a round.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BallotChecks {
    /// The strongest point against the debater.
    pub strongest_point_against: String,
    /// How well the debater answered it.
    pub answered: Answered,
    /// Whether the debater repeated earlier points; absent where nobody was asked: in a first round.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeats_itself: Option<bool>,
}

/// How well a point was answered, in a judge's opinion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Answered {
    /// Completely.
    Fully,
    /// Partly.
    Partly,
    /// Not at all.
    No,
}

impl Answered {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Fully => "answered",
            Self::Partly => "answered in part",
            Self::No => "not answered",
        }
    }
}

/// A judge's scores and vote on a round.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Ballot {
    /// The round.
    pub round: u32,
    /// The judge.
    pub by: Judge,
    /// The participant judged.
    pub about: String,
    /// The vote to keep the debater; `null` without a valid ballot.
    #[serde(rename = "continue")]
    pub keep: Option<bool>,
    /// Whether nobody could come in, so that the vote is on whether the debater upheld the position; absent in earlier traces,
    /// whose ballots read as votes to keep or to replace.
    #[serde(default)]
    pub on_position: bool,
    /// The questions answered before scoring (since trace version 1.2); `null` without a valid ballot.
    #[serde(default)]
    pub checks: Option<BallotChecks>,
    /// The judgment.
    pub reading: Reading,
}

impl Ballot {
    /// The vote as it was asked for; nothing without a valid ballot.
    pub fn vote(&self) -> Option<&'static str> {
        Some(match (self.keep?, self.on_position) {
            (true, true) => "position upheld",
            (false, true) => "position not upheld",
            (true, false) => "keep",
            (false, false) => "replace",
        })
    }
}

/// The result of a round's votes: who holds the team's seat from then on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Rotation {
    /// The round it follows.
    pub round: u32,
    /// The debater.
    pub debater: String,
    /// The next debater, which may be the same.
    pub next: String,
    /// Whether these votes put the debater out, replaced or not.
    pub voted_out: bool,
    /// The earlier round after which the debater was put out and nobody came in: the seat is empty, and these votes change nothing
    /// (absent in earlier traces).
    #[serde(default)]
    pub out_since: Option<u32>,
    /// Whether another member of the team takes over.
    pub rotated: bool,
    /// Whether the next debater was drawn by lot from several (since trace version 1.2).
    #[serde(default)]
    pub by_lot: bool,
    /// Whether nobody could come in, so that the ballots asked whether the debater had upheld the position; absent in earlier
    /// traces, whose votes read as votes to keep or to replace.
    #[serde(default)]
    pub on_position: bool,
    /// Votes to keep.
    pub keeps: u32,
    /// Votes to replace.
    pub negatives: u32,
    /// Judges without a valid ballot.
    pub abstentions: u32,
    /// The mean total of valid ballots, if any.
    pub mean_total: Option<f64>,
    /// The result in one sentence.
    pub reason: String,
}

impl Rotation {
    /// Whether the debater keeps the seat.
    pub fn keeps_seat(&self) -> bool {
        !self.voted_out && self.out_since.is_none()
    }

    /// Whether anybody was asked to vote.
    pub fn is_judged(&self) -> bool {
        self.keeps + self.negatives + self.abstentions > 0
    }

    /// Whether at least as many voted to replace the debater as to keep it: unless so many suffice, the scores decide.
    pub fn is_up_to_scores(&self) -> bool {
        self.negatives > 0 && self.negatives >= self.keeps
    }

    /// Whether as many voted to replace the debater as to keep it.
    pub fn is_tie(&self) -> bool {
        self.negatives > 0 && self.negatives == self.keeps
    }

    /// `the mean score of 2.50`; of one ballot, `the score of 2.50`; nothing without scores.
    pub fn score(&self) -> Option<String> {
        let mean = if self.keeps + self.negatives == 1 { "" } else { "mean " };
        Some(format!("the {mean}score of {}", text::fixed(self.mean_total?, 2)))
    }

    /// The words after who comes in, if several could have.
    pub fn lot(&self) -> &'static str {
        if self.by_lot { " by lot" } else { "" }
    }

    /// Whether the votes are told by those for the debater.
    pub fn is_for_debater(&self) -> bool {
        !self.voted_out && !self.is_up_to_scores()
    }

    /// `1 of 3 voted to replace`; where nobody could come in, `2 of 3 found that Ann upheld the position`; `position` is what to
    /// call that.
    fn voted(&self, debater: &str, position: &str) -> String {
        let (keeps, replaces, all) = (self.keeps, self.negatives, self.keeps + self.negatives);
        match (self.on_position, self.is_for_debater()) {
            (false, _) => format!("{replaces} of {all} voted to replace"),
            (true, true) => format!("{keeps} of {all} found that {debater} upheld {position}"),
            (true, false) => {
                format!("{replaces} of {all} found that {debater} did not uphold {position}")
            }
        }
    }

    /// The same with ballots that could not be used.
    pub fn votes(&self, debater: &str, position: &str) -> String {
        self.votes_with(debater, position, "")
    }

    /// The same; where no majority put the debater out, also what did: of half the votes alone nobody sees it.
    pub fn votes_and_cause(&self, debater: &str, position: &str) -> String {
        if self.voted_out && self.negatives <= self.keeps {
            return self.reason.clone();
        }
        self.votes(debater, position)
    }

    /// The same with words behind those on the valid ballots: `1 of 3 voted to replace, 1 without a valid ballot`.
    pub fn votes_with(&self, debater: &str, position: &str, words: &str) -> String {
        let voted = self.voted(debater, position) + words;
        match (self.keeps + self.negatives, self.abstentions) {
            (0, 0) => "not judged".to_owned(),
            (0, n) => format!("{n} without a valid ballot"),
            (_, 0) => voted,
            (_, n) => format!("{voted}, {n} without a valid ballot"),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, from_value, json};

    use super::Rotation;

    #[test]
    fn k7_of_votes_without_a_valid_ballot_no_share_is_told() {
        for (keeps, abstentions, told) in [
            (0, 0, "not judged"),
            (0, 2, "2 without a valid ballot"),
            (1, 2, "0 of 1 voted to replace (the audience not), 2 without a valid ballot"),
        ] {
            let rotation = json!({"round": 1, "debater": "a", "next": "a", "voted_out": false, "rotated": false,
                "keeps": keeps, "negatives": 0, "abstentions": abstentions, "mean_total": Value::Null, "reason": ""});
            let rotation: Rotation = from_value(rotation).expect("a rotation");
            assert_eq!(rotation.votes_with("Ann", "", " (the audience not)"), told);
        }
    }
}
