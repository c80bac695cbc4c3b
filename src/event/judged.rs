//! What judges and checkers made of what was said, and what followed from it.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::TokenCount;
use super::judging::PanelReading;

/// Who judges: a model, a person…
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Judge {
    /// `model`, or `audience` for the majority of those who look on.
    pub kind: String,
    /// The participant's id.
    pub id: String,
    /// The model's name.
    pub model: Option<String>,
}

impl Judge {
    /// The audience, whose majority casts one ballot.
    pub fn audience() -> Self {
        Self {
            kind: AUDIENCE.to_owned(),
            id: AUDIENCE.to_owned(),
            model: None,
        }
    }

    /// Whether it is the audience, and none of the participants.
    pub fn is_audience(&self) -> bool {
        self.kind == AUDIENCE
    }
}

/// The kind of judge that an audience is, and its id.
pub const AUDIENCE: &str = "audience";

/// Whether a judgment can be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReadingStatus {
    /// It has all it must have.
    Valid,
    /// It was given but cannot be used, even after a repair.
    Invalid,
    /// It could not be had.
    #[default]
    Abstained,
}

/// A judge's reasons for one contestant's scores.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Reason {
    /// The reasons.
    pub text: String,
    /// The contestant's statements that they rest on, by number.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub turns: Vec<u32>,
}

/// One judgment of one judge, as it was read.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Reading {
    /// The call that asked for it.
    pub call: String,
    /// The model that gave it; a fallback's where the judge's own gave none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The contestants in the order in which the judge saw them.
    pub order: Vec<String>,
    /// Whether it can be used.
    pub status: ReadingStatus,
    /// Scores by criterion; where one reading judges several contestants, by `contestant.criterion`.
    pub scores: BTreeMap<String, f64>,
    /// The weighted total by contestant, computed by us.
    pub totals: BTreeMap<String, f64>,
    /// Answers with yes or no that were asked for beside the scores, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub marks: BTreeMap<String, bool>,
    /// The judge's reasons; empty without a judgment, and where they come by contestant.
    pub reason: String,
    /// The reasons by contestant, where several are judged.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub reasons: BTreeMap<String, Reason>,
    /// Why there is no judgment, where there is none.
    pub cause: Option<String>,
    /// What its reader had to do to make sense of the reply, by word: `fenced` and `prose` around it, `thought` before it,
    /// JSON that was `mended`, an object `wrapped` in another or one that was `flat`, a key or word `spelt` otherwise or
    /// `named` by a participant's name, `extra_keys`, `number_in_text`, a half that was `rounded`, `yes_or_no`, texts
    /// `joined`, one entry `listed`, an entry `dropped`, what was too long `shortened`, something that does not count
    /// `left_out`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub read_as: Vec<String>,
    /// The digest of the request.
    pub prompt_digest: Option<String>,
    /// The digest of the prompt's template.
    pub template_digest: Option<String>,
    /// The seed of the last attempt.
    pub seed: Option<u32>,
    /// How many attempts it took.
    pub attempts: u32,
    /// Tokens over all attempts that were answered.
    pub tokens: TokenCount,
    /// How a panel's judge read, and what follows from it.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub of_panel: Option<PanelReading>,
}

impl Reading {
    /// Whether it can be used.
    pub fn is_valid(&self) -> bool {
        self.status == ReadingStatus::Valid
    }

    /// The model that gave it: its own word, or that of traces before 1.2.
    pub fn model<'a>(&'a self, judge: &'a Judge) -> Option<&'a str> {
        self.model.as_deref().or(judge.model.as_deref())
    }

    /// The reasons for the scores of one of the contestants.
    pub fn reason_on(&self, id: &str) -> &str {
        let own = self.reasons.get(id);
        own.map_or(self.reason.as_str(), |reason| &reason.text)
    }

    /// The scores of one of the contestants, by criterion.
    pub fn scores_of<'a>(&'a self, id: &'a str) -> impl Iterator<Item = (&'a str, f64)> {
        let alone = matches!(self.order.as_slice(), [only] if only == id);
        self.scores.iter().filter_map(move |(name, score)| {
            let criterion = match name.split_once('.') {
                Some((whose, criterion)) if whose == id => criterion,
                None if alone => name,
                _ => return None,
            };
            Some((criterion, *score))
        })
    }
}

/// What a judge had to settle before it scored a round.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BallotChecks {
    /// The strongest point that was made against the debater.
    pub strongest_point_against: String,
    /// How far the debater answered it.
    pub answered: Answered,
    /// Whether the debater said again what was said before.
    pub repeats_itself: bool,
}

/// How far a point was answered, in the eyes of a judge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Answered {
    /// As a whole.
    Fully,
    /// In part.
    Partly,
    /// Not at all.
    No,
}

/// A judge's scores and vote on one round.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Ballot {
    /// The round.
    pub round: u32,
    /// Who judged.
    pub by: Judge,
    /// Who was judged.
    pub about: String,
    /// The vote to keep the debater; `null` without a valid ballot.
    #[serde(rename = "continue")]
    pub keep: Option<bool>,
    /// What it settled first (since trace version 1.2); `null` without a valid ballot.
    #[serde(default)]
    pub checks: Option<BallotChecks>,
    /// The judgment.
    pub reading: Reading,
}

/// What the votes of a round came to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Rotation {
    /// The round after which it was decided.
    pub round: u32,
    /// Who debated.
    pub debater: String,
    /// Who debates next; the same where nothing changes.
    pub next: String,
    /// Whether the debater was voted out, replaced or not.
    pub voted_out: bool,
    /// Whether somebody else comes in.
    pub rotated: bool,
    /// Whether lot decided who: there were several (since trace version 1.2).
    #[serde(default)]
    pub by_lot: bool,
    /// Votes to keep.
    pub keeps: u32,
    /// Votes to replace.
    pub negatives: u32,
    /// Judges without a valid ballot.
    pub abstentions: u32,
    /// The valid ballots' mean total, if there is one.
    pub mean_total: Option<f64>,
    /// The votes' meaning in one sentence.
    pub reason: String,
}

/// A speaker was interrupted: what was said stands on the record behind the statement, and is answered at once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Interjection {
    /// The number of the statement that gave cause.
    pub about: u32,
    /// Who spoke then.
    pub speaker: String,
    /// The number of the interjection among the statements.
    pub statement: u32,
    /// What it is for: a broken rule or a false claim.
    pub cause: InterjectionCause,
    /// The rule that was broken or the claim that is false.
    pub point: String,
    /// Who judged so, and why.
    pub by: Judge,
    /// The judgment behind it.
    pub reading: Reading,
}

/// Why a speaker is interrupted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum InterjectionCause {
    /// A rule was broken.
    Rule,
    /// A claim was found to be false.
    Fact,
}

/// What a fact checker made of a statement.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FactCheck {
    /// The round; 0 outside of rounds.
    pub round: u32,
    /// The number of the statement.
    pub about: u32,
    /// Who checked.
    pub by: Judge,
    /// The claims that were looked at.
    pub claims: Vec<Claim>,
    /// The judgment.
    pub reading: Reading,
}

/// A claim in a statement, and what a fact checker holds of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Claim {
    /// The claim.
    pub claim: String,
    /// Why the verdict is so.
    pub reason: String,
    /// `true`, `false`, `unproven` or another word that the format offers.
    pub verdict: String,
    /// Why a false claim is only noted, where it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// Where a participant stands after a round; after round 0, with its first answer and before it has read another's.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Stance {
    /// The round.
    pub round: u32,
    /// Whose stance it is, in its own word.
    pub by: Judge,
    /// One of the stances of the job; `null` where none could be had.
    pub stance: Option<String>,
    /// How sure it says it is, from 0 to 100.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<u8>,
    /// The stance that it took before, where this is another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moved_from: Option<String>,
    /// The id of the participant whose argument moved it, by its own word, where it names one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moved_by: Option<String>,
    /// How much it counts.
    pub weight: f64,
    /// The judgment.
    pub reading: Reading,
}
