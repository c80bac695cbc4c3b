//! Judgments and checks of statements, and their consequences.

use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::TokenCount;
use super::how_read::is_fault_of_form;
use super::panel_judging::PanelReading;
use crate::call_id::{CallId, CallStage};
use crate::text;

/// A judge: a model, an audience…
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Judge {
    /// `model`, or `audience` for the majority of the voters.
    pub kind: String,
    /// The participant's id.
    pub id: String,
    /// The model's name.
    pub model: Option<String>,
}

impl Judge {
    /// The audience, whose majority casts one ballot.
    pub fn audience() -> Self {
        Self { kind: AUDIENCE.to_owned(), id: AUDIENCE.to_owned(), model: None }
    }

    /// Whether it is the audience, and none of the participants.
    pub fn is_audience(&self) -> bool {
        self.kind == AUDIENCE
    }
}

/// The kind of judge that an audience is, and its id.
pub const AUDIENCE: &str = "audience";

/// Whether a judgment is usable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReadingStatus {
    /// It is complete.
    Valid,
    /// It is unusable, even after a repair.
    Invalid,
    /// No reply was obtained.
    #[default]
    Abstained,
}

/// A judge's reasons for one contestant's scores.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Reason {
    /// The reasons.
    pub text: String,
    /// The contestant's statements they are based on, by number.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub turns: Vec<u32>,
}

/// Words below which a remark is no sentence.
const SHORTEST_REMARK: usize = 3;

/// A judge's judgment.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Reading {
    /// The call that asked for it.
    pub call: String,
    /// The model it came from; a fallback if the judge's own model gave none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The contestants in the order the judge saw them.
    pub order: Vec<String>,
    /// Whether it is usable.
    pub status: ReadingStatus,
    /// Scores by criterion; by `contestant.criterion` if the reading judges several contestants.
    pub scores: BTreeMap<String, f64>,
    /// The weighted total by contestant, computed by `rebut`.
    pub totals: BTreeMap<String, f64>,
    /// Scores as they were given where they were no whole numbers, by the keys of `scores`, which has what they count as.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub rounded: BTreeMap<String, f64>,
    /// Yes-or-no answers requested in addition to the scores, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub marks: BTreeMap<String, bool>,
    /// The judge's reasons; empty without a judgment, or if given by contestant.
    pub reason: String,
    /// The reasons by contestant, if several are judged.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub reasons: BTreeMap<String, Reason>,
    /// The judge's summary of the debate, where one was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// Why there is no judgment, if there is none.
    pub cause: Option<String>,
    /// How the reply had to be read, as keywords: `fenced` and `prose` around it, `thought` before it, or all of it `in_thoughts`,
    /// JSON that was `mended` or put together from `parts`, an object `wrapped` in another or one that was `flat`, a key or word `spelt` differently or
    /// `named` by a participant's name, an option `defined` in place of named, `extra_keys`, `number_in_text`, a half that was `rounded`, `yes_or_no`, texts
    /// `joined`, one entry `listed`, an entry `dropped`, a long text `shortened`, entries that were `too_many`, something
    /// irrelevant `left_out`, an `idle_credit` for a move that was not made, ids `renamed` to names in a text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub read_as: Vec<String>,
    /// The digest of the request.
    pub prompt_digest: Option<String>,
    /// The digest of the prompt's template.
    pub template_digest: Option<String>,
    /// The seed of the last attempt.
    pub seed: Option<u32>,
    /// Number of attempts.
    pub attempts: u32,
    /// Tokens of all answered attempts.
    pub tokens: TokenCount,
    /// How a panel's judge read, and what follows from it.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub of_panel: Option<PanelReading>,
}

impl Reading {
    /// Whether it is usable.
    pub fn is_valid(&self) -> bool {
        self.status == ReadingStatus::Valid
    }

    /// Whether its reader had to make allowances for its form.
    pub fn is_generous(&self) -> bool {
        self.read_as.iter().any(|step| is_fault_of_form(step))
    }

    /// What it says of the whole debate, if that is more than a placeholder.
    pub fn remark(&self) -> Option<&str> {
        self.summary.as_deref().filter(|said| text::words(said).len() >= SHORTEST_REMARK)
    }

    /// The model that gave it: its own word, or that of traces before 1.2.
    pub fn model<'a>(&'a self, judge: &'a Judge) -> Option<&'a str> {
        self.model.as_deref().or(judge.model.as_deref())
    }

    /// The reasons for the scores of one of the contestants.
    pub fn reason_on(&self, id: &str) -> &str {
        self.reasons.get(id).map_or(self.reason.as_str(), |reason| &reason.text)
    }

    /// The scores of one of the contestants, by criterion.
    pub fn scores_of<'a>(&'a self, id: &'a str) -> impl Iterator<Item = (&'a str, f64)> {
        let alone = matches!(self.order.as_slice(), [only] if only == id);
        self.scores.iter().filter_map(move |(name, score)| {
            let (whose, criterion) = of_score(name);
            whose.map_or(alone, |whose| whose == id).then_some((criterion, *score))
        })
    }
}

/// Whose score a key of `scores` is of, if several were judged, and its criterion.
pub fn of_score(key: &str) -> (Option<&str>, &str) {
    key.split_once('.').map_or((None, key), |(whose, criterion)| (Some(whose), criterion))
}

/// An interruption of a speaker. It is on the record after the statement, and is answered at once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Interjection {
    /// The number of the interrupted statement.
    pub about: u32,
    /// The speaker.
    pub speaker: String,
    /// The statement number of the interjection.
    pub statement: u32,
    /// The cause: a broken rule or a false claim.
    pub cause: InterjectionCause,
    /// The broken rule or the false claim.
    pub point: String,
    /// Further false claims of the statement that it is for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<String>,
    /// The judge of this, and the reason.
    pub by: Judge,
    /// The judgment behind it.
    pub reading: Reading,
}

impl Interjection {
    /// Whether it is for this false claim.
    pub fn is_for(&self, claim: &str) -> bool {
        let mut points = std::iter::once(&self.point).chain(&self.also);
        self.cause == InterjectionCause::Fact && points.any(|point| point == claim)
    }

    /// The broken rule, or the false claims one behind the other.
    pub fn points(&self) -> String {
        if self.also.is_empty() {
            return self.point.clone();
        }
        let points = std::iter::once(&self.point).chain(&self.also);
        text::separated(points.map(|point| text::sentence(point)), " ")
    }
}

/// The cause of an interruption.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum InterjectionCause {
    /// A broken rule.
    Rule,
    /// A claim found to be false.
    Fact,
}

/// A fact check of a statement.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FactCheck {
    /// The round; 0 outside rounds.
    pub round: u32,
    /// The number of the statement.
    pub about: u32,
    /// The fact checker.
    pub by: Judge,
    /// The claims checked.
    pub claims: Vec<Claim>,
    /// The judgment.
    pub reading: Reading,
}

/// When a stance is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum StanceTime {
    /// After a round; after round 0, with the first answer.
    AfterRound(u32),
    /// Once more at the end.
    AtEnd,
}

impl fmt::Display for StanceTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AfterRound(0) => f.write_str("after the first answers"),
            Self::AfterRound(round) => write!(f, "after round {round}"),
            Self::AtEnd => f.write_str("at the end"),
        }
    }
}

impl Stance {
    /// The stance for which somebody spoke in a round, if it had it before and after its turn and has another one now. It is
    /// told of points, and from turns beyond the rounds, which have no round, the clerk notes none.
    pub fn left_since<'s>(
        all: impl DoubleEndedIterator<Item = &'s Self> + Clone,
        by: &str,
        round: u32,
    ) -> Option<&'s str> {
        let own = all.filter(|stance| stance.by.id == by);
        let mut held = own.filter_map(|stance| Some((stance.round, stance.stance.as_deref()?)));
        let before = held.clone().rfind(|(taken, _)| *taken < round);
        let (_, after) = held.clone().find(|(taken, _)| *taken >= round)?;
        let (_, now) = held.next_back()?;
        let spoke_for_it = before.is_none_or(|(_, before)| before == after);
        (spoke_for_it && after != now).then_some(after)
    }

    /// When it was taken.
    pub fn time(&self) -> StanceTime {
        let call = CallId::parse(&self.reading.call);
        match call.map(|call| call.stage) {
            Some(CallStage::Final) => StanceTime::AtEnd,
            _ => StanceTime::AfterRound(self.round),
        }
    }
}

impl FactCheck {
    /// The claims that count as found to be what they were called: made by the speaker, and called one thing only.
    pub fn countable(&self) -> impl Iterator<Item = &Claim> {
        let is_called_otherwise = |claim: &Claim| {
            let mut all = self.claims.iter();
            all.any(|other| other.claim == claim.claim && other.verdict != claim.verdict)
        };
        let own = self.claims.iter().filter(|claim| claim.note.is_none());
        own.filter(move |claim| !is_called_otherwise(claim))
    }
}

/// A claim in a statement, with the fact checker's verdict.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Claim {
    /// The claim.
    pub claim: String,
    /// The reason for the verdict.
    pub reason: String,
    /// `true`, `false`, `unproven` or another word of the format.
    pub verdict: String,
    /// Why a false claim was only noted, if so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl Claim {
    /// The verdict that matters most: the speaker is interrupted for it.
    pub const FALSE: &'static str = "false";
    /// The verdict that matters least: nobody is told of it.
    pub const TRUE: &'static str = "true";

    /// Whether it was found false.
    pub fn is_false(&self) -> bool {
        self.verdict == Self::FALSE
    }

    /// Whether it was found true.
    pub fn is_true(&self) -> bool {
        self.verdict == Self::TRUE
    }

    /// Whether it was not found true, and not only noted.
    pub fn is_doubted(&self) -> bool {
        !self.is_true() && self.note.is_none()
    }
}

/// A participant's stance after a round. After round 0: with its first answer, before reading the others'.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Stance {
    /// The round; for a stance taken once more after extra turns (its call begins with `final/`), the last one.
    pub round: u32,
    /// The participant whose stance this is.
    pub by: Judge,
    /// One of the job's stances; `null` if none was obtained.
    pub stance: Option<String>,
    /// Its stated confidence, from 0 to 100.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<u8>,
    /// Its previous stance, if different.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moved_from: Option<String>,
    /// The participant whose argument changed its stance, as it says itself, if it names one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moved_by: Option<String>,
    /// Its weight.
    pub weight: f64,
    /// The judgment.
    pub reading: Reading,
}
