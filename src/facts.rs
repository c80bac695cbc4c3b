//! A debate's data for statistics, compactly: numbers and names, no texts. In JSON, structures are arrays without names,
//! but for what models used, which stands as in traces.

mod answered;
mod argued;
mod audience;
pub mod cache;
mod compared;
mod fold;
pub mod labels;
mod open_answer;
pub mod panels;
mod rows;
mod settings;
mod text;
mod winner;

use std::cmp::Ordering;
use std::fmt::Display;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_tuple::Serialize_tuple;

pub use crate::event::Purpose;
use crate::event::{Gaps, MOST_COUNT, ReadingStatus, Status, Use, hundredths};
use crate::id::DebateId;
use crate::job::{Profile, profile_of};
use crate::trace::DEBATE_ARM;

pub use self::answered::{AnswerFacts, Prefix};
pub use self::argued::{Argued, Fates};
pub use self::audience::{AudienceFacts, AudienceRound};
pub use self::compared::ComparedFacts;
use self::labels::LabelFacts;
pub use self::open_answer::OpenFacts;
use self::panels::{PanelFacts, is_on};
pub use self::text::Text;
pub use self::winner::Winner;

/// Maximum statements, points and turns on points that facts are believed to be of: each becomes an observation. Debates have
/// some thousands.
const MOST_CASES: u64 = 1 << 17;

/// One debate. Many are held at once: lists have no room to grow, and names are shared. What is added here, or to what it is made
/// of, the public sees in reports; what it may not see belongs into [`Private`].
#[derive(Debug, Clone, PartialEq, Serialize_tuple, Deserialize)]
pub struct Facts {
    /// The debate's id, 64 hexadecimal digits.
    pub id: Arc<str>,
    /// How it ended.
    pub status: Status,
    /// What the public may not see.
    pub private: Private,
    /// Whether the built-in participant played.
    pub rehearsal: bool,
    /// The version of the plan's meaning, as text: debates of different versions had other prompts and another course.
    pub plan: Text,
    /// The format.
    pub format: Text,
    /// The motion. In a corpus, motions that differ only in letter case or in blanks around them are spelt alike.
    pub topic: Text,
    /// The number of the run in its cell, from 1.
    pub repetition: u32,
    /// The debate's seed.
    pub seed: u64,
    /// When it began.
    pub started_at: DateTime<Utc>,
    /// Who took part, in the order of the plan.
    pub people: Box<[Person]>,
    /// The digests of models' weights, by model, where the trace has them.
    pub digests: Box<[(Text, Text)]>,
    /// What models were made from, by model, where the trace has it.
    pub ancestors: Box<[(Text, Text)]>,
    /// The names of the criteria that [`Score::criterion`] numbers.
    pub criteria: Box<[Text]>,
    /// The least and the most of a score, where its rubric says so; knockout's is 1 to 5.
    pub scale: Option<(u8, u8)>,
    /// The digest of what judges of the whole debate were told: instructions, criteria, weights and guides. `None` if it is unknown.
    pub rubric: Option<Text>,
    /// Every judgment with scores that was asked for: ballots and readings of verdicts.
    pub readings: Box<[Reading]>,
    /// What they gave.
    #[serde(with = "rows::scores")]
    pub scores: Box<[Score]>,
    /// The outcome in one line.
    pub line: Option<Arc<str>>,
    /// Whether someone was to win: in some formats only if the job lists judges.
    pub has_winner: bool,
    /// Who won, in formats with a winner.
    pub winner: Option<Winner>,
    /// Who won by the debate itself, where statistics take a panel's verdict for its own.
    pub own_winner: Option<Winner>,
    /// Whether the verdict by which it was won is weak evidence; `None` without one, or where statistics take another for it.
    pub weak: Option<bool>,
    /// The verdicts of panels that read it afterwards.
    pub panels: Box<[PanelFacts]>,
    /// The rounds that were held.
    pub rounds: u32,
    /// The model time of each, in milliseconds.
    pub rounds_ms: Box<[u64]>,
    /// How often a debater was replaced.
    pub rotations: u32,
    /// How long debaters stood, in formats that rotate.
    pub stints: Box<[Stint]>,
    /// The share of weight behind the leading stance, by round, in formats with stances.
    pub leading: Box<[(u32, f64)]>,
    /// Whether consensus was reached, where it was sought.
    pub consensus: Option<bool>,
    /// Whether it ended before its last round, in formats that may.
    pub early: Option<bool>,
    /// The score of the final answer.
    pub auto_score: Option<f64>,
    /// How judges compared the final answer with the first, in formats in which they do.
    pub comparison: Option<ComparedFacts>,
    /// The skeptic's last score.
    pub quality_score: Option<f64>,
    /// The graded answer, of debates on a question with a known answer.
    pub answer: Option<AnswerFacts>,
    /// The answer that is compared with another, in formats that end with one.
    pub open: Option<OpenFacts>,
    /// What people said of it on label sheets.
    pub labels: Option<LabelFacts>,
    /// The audience, where the debate was planned with one.
    pub audience: Option<AudienceFacts>,
    /// The user's rating.
    pub rating: Option<f64>,
    /// What each model used.
    pub used: Box<[(Text, Use)]>,
    /// What is missing from that, of models of which something is.
    pub gaps: Box<[(Text, Gaps)]>,
    /// Every call's model (a place in `used`), purpose and time, where the trace has them.
    #[serde(with = "rows::calls")]
    pub calls: Box<[Call]>,
    /// Model time in milliseconds.
    pub model_ms: u64,
    /// From the first start to the last reply, in milliseconds, interruptions included, if the clock was not set back.
    pub wall_ms: Option<u64>,
    /// Incidents by kind.
    pub incidents: Box<[(Text, u32)]>,
    /// What readers of structured replies had to do, by word: in how many replies.
    pub read_as: Box<[(Text, u32)]>,
}

/// What the public may not see of a debate: other names stand for these in its reports.
#[derive(Debug, Clone, PartialEq, Serialize_tuple, Deserialize)]
pub struct Private {
    /// Why it is not `done`.
    pub cause: Option<Text>,
    /// The job's name.
    pub job: Text,
    /// The job's tags, by name.
    pub tags: Box<[(Text, Text)]>,
    /// What the matrix assigned, by path; values as JSON.
    pub cell: Box<[(Text, Text)]>,
    /// The format's settings, such as the number of rounds, and what contestants and judges sample with: as `name=value`, with `;`
    /// between two. Of a long value there is the digest, behind `#`.
    pub settings: Text,
}

/// Someone who took part.
#[derive(Debug, Clone, PartialEq, Serialize_tuple, Deserialize)]
pub struct Person {
    /// The id.
    pub id: Text,
    /// The displayed name.
    pub name: Text,
    /// The position.
    pub position: Text,
    /// The persona.
    pub persona: Option<Text>,
    /// Its own model.
    pub model: Option<Text>,
    /// Whether it argues.
    pub contestant: bool,
    /// Whether it made the first argument.
    pub first: bool,
    /// Whether it made the last argument.
    pub last: bool,
    /// Statements that a model gave.
    pub statements: u32,
    /// Of these, those of a fallback model.
    pub fallbacks: u32,
    /// Statements that an emergency reply stands for.
    pub emergencies: u32,
    /// Statements that were cut at their allowance.
    pub cuts: u32,
    /// Statements for which a reply declined the task.
    pub declined: u32,
    /// Tokens spoken.
    pub tokens: u64,
    /// Points, in formats that give them.
    pub points: Option<f64>,
    /// What it did about arguments, where the whole debate was noted.
    pub argued: Option<Argued>,
}

/// Where a judgment stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// On one round of one contestant.
    Ballot,
    /// On the whole debate.
    Verdict,
}

impl Kind {
    /// What is judged.
    pub fn judged(self) -> &'static str {
        match self {
            Self::Ballot => "rounds",
            Self::Verdict => "debates",
        }
    }
}

/// A judgment of one judge.
#[derive(Debug, Clone, PartialEq, Serialize_tuple, Deserialize)]
pub struct Reading {
    /// What it is on.
    pub kind: Kind,
    /// The round of a ballot; 0 for a verdict.
    pub round: u32,
    /// The judge's id.
    pub judge: Text,
    /// The model that judged.
    pub model: Option<Text>,
    /// Whether it is usable.
    pub status: ReadingStatus,
    /// Whether its reader had to make allowances.
    pub generous: bool,
    /// The vote to keep the debater.
    pub keep: Option<bool>,
    /// The contestants (places in `people`) in the order in which the judge saw them.
    pub order: Box<[u8]>,
    /// The tokens of the statement that a ballot is on.
    pub tokens: Option<u32>,
    /// What a usable verdict gave to two sides in total, in the order in which they were read. That of a team is nobody's score.
    pub totals: Option<[f64; 2]>,
}

impl Reading {
    /// Which of two sides was named to it first: 0 for the one that the plan names first, or 1.
    pub fn first_side(&self) -> u8 {
        u8::from(self.order.first() > self.order.last())
    }

    /// How far it has the side named first ahead of the other, in points of the total.
    pub fn first_ahead(&self) -> Option<f64> {
        self.totals.map(|[first, second]| first - second)
    }

    /// Which of two sides it has ahead: `Some(None)` for neither, `None` if it weighs no two. Totals are compared at two decimals, as
    /// winners are (row O1).
    pub fn leader(&self) -> Option<Option<u8>> {
        let [first, second] = self.totals?.map(hundredths);
        Some(match first.cmp(&second) {
            Ordering::Greater => Some(self.first_side()),
            Ordering::Less => Some(1 - self.first_side()),
            Ordering::Equal => None,
        })
    }
}

/// One score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Score {
    /// The judgment it belongs to: a place in `readings`.
    pub reading: u16,
    /// Who was scored: a place in `people`.
    pub about: u8,
    /// By which criterion: a place in `criteria`; `None` for the weighted total.
    pub criterion: Option<u8>,
    /// The score.
    pub value: f64,
}

/// A debater's stand from coming in to going out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize_tuple, Deserialize)]
pub struct Stint {
    /// Who: a place in `people`.
    pub who: u8,
    /// Rounds debated.
    pub rounds: u32,
    /// Whether the judges voted it out; else the debate ended before.
    pub ended: bool,
}

/// How long one call took.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Call {
    /// The model: a place in `used`.
    pub model: u8,
    /// What it was for.
    pub purpose: Purpose,
    /// Tokens of the reply.
    pub tokens: u32,
    /// Model time in milliseconds.
    pub ms: u32,
}

impl Facts {
    /// Whether it is a control, which answers the question of debates without debating it.
    pub fn is_control(&self) -> bool {
        let answered = self.answer.as_ref().map(|answer| &*answer.arm);
        let arm = answered.or(self.open.as_ref().map(|open| &*open.arm));
        arm.is_some_and(|arm| arm != DEBATE_ARM)
    }

    /// The settings: names and values.
    pub fn settings(&self) -> impl Iterator<Item = (&str, &str)> {
        self.private.settings.split(';').filter_map(|it| it.split_once('='))
    }

    /// Those who argue, with their places in `people`.
    pub fn contestants(&self) -> impl Iterator<Item = (u8, &Person)> {
        (0..).zip(&self.people).filter(|(_, p)| p.contestant)
    }

    /// The verdict of a panel of this name, whose id begins so; of several the last counts.
    pub fn panel(&self, name: &str, id: &str) -> Option<&PanelFacts> {
        self.panels.iter().rfind(|panel| panel.is_of(name, id))
    }

    /// How the debate's own judges compared its answers, whatever statistics take for that.
    pub fn own_comparison(&self) -> Option<ComparedFacts> {
        self.open.as_ref()?.own
    }

    /// Whether an audience cast a ballot.
    pub fn audience_counted(&self) -> bool {
        self.audience.iter().any(|it| it.rounds.iter().any(|round| round.counted))
    }

    /// Whether its outcome may be compared (row O3): it was played to the end, every contestant spoke through its own
    /// model only, and no audience's ballot counted. Whether one decided depends on how the judges voted: debates omitted by
    /// that would be omitted by their outcome.
    pub fn comparable(&self) -> bool {
        self.status != Status::Failed
            && !self.audience_counted()
            && self.contestants().all(|(_, p)| p.spoke_itself())
    }

    /// The least and the most of a score: a verdict's rubric says it, of ballots the format.
    pub fn scale(&self) -> Option<(u8, u8)> {
        self.scale.or(self.profile().ballot_scale)
    }

    /// What its format tells of itself.
    pub fn profile(&self) -> &'static Profile {
        profile_of(&self.format)
    }

    /// Whether a score lies outside of its scale, as none does that a format took.
    fn is_off_scale(&self) -> bool {
        let scale = self.scale();
        let totals = self.readings.iter().filter_map(|reading| reading.totals).flatten();
        self.scores.iter().map(|score| score.value).chain(totals).any(|value| !is_on(scale, value))
    }

    /// Whether it can be counted: what was not made from a trace just now may hold anything.
    fn is_sound(&self) -> bool {
        self.id.parse::<DebateId>().is_ok()
            && self.has_its_places()
            && self.has_its_numbers()
            && self.has_its_counts()
            && !self.is_off_scale()
            && self.answer.iter().all(AnswerFacts::is_sound)
            && self.open.iter().all(OpenFacts::is_sound)
            && self.panels.iter().all(|it| it.is_sound(self.people.len()))
            && self.labels.iter().all(|it| it.is_sound(self.people.len()))
    }

    /// Whether all places in it exist.
    fn has_its_places(&self) -> bool {
        let person = |place: u8| usize::from(place) < self.people.len();
        let score = |score: &Score| {
            let criterion = score.criterion.map(usize::from);
            usize::from(score.reading) < self.readings.len()
                && person(score.about)
                && criterion.is_none_or(|place| place < self.criteria.len())
        };
        let model = |call: &Call| usize::from(call.model) < self.used.len();
        let mut orders = self.readings.iter().flat_map(|r| &r.order);
        orders.all(|p| person(*p))
            && self.scores.iter().all(score)
            && self.stints.iter().all(|stint| person(stint.who))
            && !matches!(self.winner, Some(Winner::Person(place)) if !person(place))
            && self.calls.iter().all(model)
    }

    /// Whether all numbers are numbers, and no count is larger than one can be.
    fn has_its_numbers(&self) -> bool {
        let compared = [self.comparison, self.own_comparison()]
            .into_iter()
            .flatten()
            .map(|it| [it.gain, it.flips]);
        let more = [self.auto_score, self.quality_score, self.rating];
        let points = self.people.iter().filter_map(|person| person.points);
        let shares = self.leading.iter().map(|(_, share)| *share);
        let values = self.scores.iter().map(|score| score.value);
        let totals = self.readings.iter().filter_map(|reading| reading.totals).flatten();
        let mut numbers = values.chain(points).chain(shares).chain(totals);
        let tokens = self.people.iter().map(|person| person.tokens);
        let times = [self.model_ms, self.wall_ms.unwrap_or_default()];
        let times = times.iter().chain(&self.rounds_ms).copied();
        let times = times.chain(self.gaps.iter().map(|(_, gaps)| gaps.calls));
        numbers.all(f64::is_finite)
            && more.into_iter().flatten().all(f64::is_finite)
            && compared.flatten().flatten().all(|share| (0.0..=1.0).contains(&share))
            && tokens.chain(times).all(|n| n <= MOST_COUNT)
    }

    /// Whether what is counted case by case is no more than a debate holds, and no part is more than its whole.
    fn has_its_counts(&self) -> bool {
        let cases = self.people.iter().map(Person::cases);
        let sum = cases.fold(0, u64::saturating_add);
        sum <= MOST_CASES && self.people.iter().all(Person::adds_up)
    }
}

/// Settings as [`Facts::settings`] has them.
pub fn settings_text(all: impl IntoIterator<Item = (impl Display, impl Display)>) -> Text {
    let each = all.into_iter().map(|(name, value)| format!("{name}={value}"));
    each.collect::<Vec<_>>().join(";").as_str().into()
}

impl Person {
    /// How many cases its counts are of.
    fn cases(&self) -> u64 {
        let argued = self.argued.map_or(0, |argued| argued.cases());
        u64::from(self.statements) + u64::from(self.emergencies) + argued
    }

    /// Whether no part of its counts is more than the whole.
    fn adds_up(&self) -> bool {
        self.fallbacks <= self.statements && self.argued.is_none_or(|argued| argued.adds_up())
    }

    /// Statements it was asked for.
    pub fn asked(&self) -> u32 {
        self.statements.saturating_add(self.emergencies)
    }

    /// Whether what it said is its own model's work.
    pub fn spoke_itself(&self) -> bool {
        self.fallbacks == 0 && self.emergencies == 0
    }
}
