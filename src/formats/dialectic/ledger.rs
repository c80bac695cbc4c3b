//! How the points of a dialectic go: raised, answered, resolved (row T3), and when the debate ends (row T4).

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::answers::{self, Answer};
use super::critique::{Critique, Issue, Resolution, Severity};
use crate::event::How;
use crate::formats::dialectic::settings::Dialectic;
use crate::text;

/// The most points that a prompt lists: the gravest.
const MOST_LISTED: usize = 12;
/// Characters of a point in a prompt; the critique itself is on the record.
const LISTED: usize = 320;

/// A point of the skeptic, under our number.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Point {
    pub(super) n: u32,
    pub(super) round: u32,
    /// The number of the critique among the statements.
    raised_in: u32,
    pub(super) issue: Issue,
    /// What the skeptic last said of it; `None` until it comes back to it.
    last: Option<Word>,
    /// What the proposer answered, by round.
    answers: Vec<(u32, Answer)>,
}

/// What the skeptic says of an earlier point.
#[derive(Debug, Clone, PartialEq)]
struct Word {
    round: u32,
    resolution: Resolution,
    text: String,
}

impl Point {
    pub(super) fn is_open(&self) -> bool {
        self.stands() != Some(Resolution::Resolved)
    }

    /// How the skeptic last said it stands; `None` until it says.
    pub(super) fn stands(&self) -> Option<Resolution> {
        self.last.as_ref().map(|last| last.resolution)
    }

    fn listed(&self) -> Value {
        json!({
            "n": self.n,
            "severity": self.issue.severity,
            "strategy": self.issue.strategy.map(|strategy| strategy.replace('_', " ")),
            "text": text::shorten(&self.issue.text, LISTED),
            "mend": self.issue.mend,
            "last": self.last.as_ref().map(|last| text::shorten(&last.text, LISTED)),
        })
    }

    /// All that is known of it, uncut.
    fn entry(&self) -> Value {
        let answer = |(round, answer): &(u32, Answer)| json!({"round": round, "answer": answer});
        json!({
            "n": self.n,
            "round": self.round,
            "statement": self.raised_in,
            "severity": self.issue.severity,
            "strategy": self.issue.strategy,
            "claim": self.issue.claim,
            "text": self.issue.text,
            "mend": self.issue.mend,
            "answers": self.answers.iter().map(answer).collect::<Vec<_>>(),
            "status": self.stands(),
            "last_round": self.last.as_ref().map(|last| last.round),
            "last": self.last.as_ref().map(|last| &last.text),
        })
    }

    /// What the proposal of a round did about it, as the skeptic judged it in that round.
    fn outcome_in(&self, round: u32) -> Option<How> {
        let answers = &mut self.answers.iter();
        let answer = answers.find(|(answered, _)| *answered == round);
        let judged = self.last.as_ref().filter(|last| last.round == round);
        match (answer, judged.map(|last| last.resolution)) {
            (_, Some(Resolution::Partial)) => Some(How::Partial),
            (Some((_, Answer::Accept)), _) => Some(How::Conceded),
            (Some((_, Answer::Defend)), _) | (None, Some(Resolution::Resolved)) => Some(How::Full),
            (None, _) => None,
        }
    }
}

/// Why the debate went no further.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Stop {
    /// The skeptic states a quality that is high enough, and no critical point is open.
    Ready,
    /// No critical point is open after enough rounds.
    NoCritical,
    /// There were as many rounds as there may be.
    MaxRounds,
}

/// The debate so far, as far as points go.
#[derive(Debug, Clone, Default)]
pub(super) struct Ledger {
    pub(super) points: Vec<Point>,
    /// The last score that the skeptic stated.
    pub(super) quality_score: Option<f64>,
    /// Points that revised proposals should have answered and did not, over all rounds.
    pub(super) unanswered: usize,
    /// What each critique came to, and each revised proposal, for machines.
    pub(super) critiques: Vec<Value>,
    pub(super) answers: Vec<Value>,
}

impl Ledger {
    /// The open points, critical first.
    fn open(&self) -> Vec<&Point> {
        let mut open: Vec<&Point> = self.points.iter().filter(|point| point.is_open()).collect();
        open.sort_by_key(|point| point.issue.severity);
        open
    }

    /// The open points that a prompt lists, as templates show them.
    pub(super) fn listed(&self) -> Vec<Value> {
        let open = self.open().into_iter();
        open.take(MOST_LISTED).map(Point::listed).collect()
    }

    /// How many open points a prompt has no room for.
    pub(super) fn left_out(&self) -> usize {
        self.open().len().saturating_sub(MOST_LISTED)
    }

    /// Takes in which of the open points a revised proposal answers; returns those that it does not.
    pub(super) fn answer(&mut self, round: u32, proposal: &str) -> Vec<u32> {
        let given = answers::read(proposal);
        let (mut accepted, mut defended, mut unanswered) = (Vec::new(), Vec::new(), Vec::new());
        for n in self.open().iter().map(|point| point.n).collect::<Vec<_>>() {
            let found = given.iter().find(|(number, _)| *number == n);
            let list = match found {
                Some((_, Answer::Accept)) => &mut accepted,
                Some((_, Answer::Defend)) => &mut defended,
                None => &mut unanswered,
            };
            list.push(n);
            let point = self.points.iter_mut().find(|point| point.n == n);
            let answer = found.map(|(_, answer)| (round, *answer));
            point
                .into_iter()
                .for_each(|point| point.answers.extend(answer));
        }
        self.unanswered += unanswered.len();
        self.answers.push(json!({
            "round": round,
            "accepted": accepted,
            "defended": defended,
            "unanswered": unanswered,
        }));
        unanswered
    }

    /// Takes in a critique that is statement `n`: how earlier points stand, then new ones, numbered on.
    pub(super) fn criticise(&mut self, round: u32, statement: u32, critique: &Critique) {
        let mut resolutions = Vec::new();
        let mut unknown = critique.unnumbered;
        for settled in &critique.settled {
            let (n, resolution) = (settled.n, settled.resolution);
            match self.points.iter_mut().find(|point| point.n == n) {
                Some(point) => {
                    point.last = Some(Word {
                        round,
                        resolution,
                        text: settled.words.clone(),
                    });
                    resolutions.push(json!({"n": n, "resolution": resolution}));
                }
                None => unknown += 1,
            }
        }
        let before = self.points.len();
        let raised = (before as u32 + 1..).zip(&critique.issues);
        let points = raised.map(|(n, issue)| Point {
            n,
            round,
            raised_in: statement,
            issue: issue.clone(),
            last: None,
            answers: Vec::new(),
        });
        self.points.extend(points);
        self.quality_score = critique.score.or(self.quality_score);
        self.critiques.push(json!({
            "round": round,
            "marked": critique.marked,
            "signalled": critique.signalled,
            "quality_score": critique.score,
            "points": self.points[before..].iter().map(|point| point.n).collect::<Vec<_>>(),
            "resolutions": resolutions,
            "unknown_resolutions": unknown,
        }));
    }

    /// Points of a severity, open ones only or all.
    pub(super) fn count(&self, severity: Severity, open_only: bool) -> usize {
        let counts = |point: &&Point| point.issue.severity == severity;
        let open = |point: &&Point| !open_only || point.is_open();
        self.points.iter().filter(counts).filter(open).count()
    }

    /// Points that stand so.
    pub(super) fn standing(&self, stands: Option<Resolution>) -> usize {
        let same = |point: &&Point| point.stands() == stands;
        self.points.iter().filter(same).count()
    }

    /// The points that are new in a round.
    pub(super) fn raised_in(&self, round: u32) -> Vec<&Point> {
        let new = self.points.iter().filter(|point| point.round == round);
        new.collect()
    }

    /// The numbers of the critical points.
    pub(super) fn critical(&self) -> Vec<u32> {
        let critical = |point: &&Point| point.issue.severity == Severity::Critical;
        let points = self.points.iter().filter(critical);
        points.map(|point| point.n).collect()
    }

    /// What the proposal of a round did about earlier points, by number.
    pub(super) fn outcomes_in(&self, round: u32) -> Vec<(u32, How)> {
        let earlier = self.points.iter().filter(|point| point.round < round);
        let outcomes = earlier.filter_map(|point| Some((point.n, point.outcome_in(round)?)));
        outcomes.collect()
    }

    /// The earlier points that the skeptic said in a round are still open, by number.
    pub(super) fn upheld_in(&self, round: u32) -> Vec<u32> {
        let upheld = |point: &&Point| {
            let judged = point.last.as_ref().filter(|last| last.round == round);
            judged.is_some_and(|last| last.resolution != Resolution::Resolved)
        };
        let points = self.points.iter().filter(upheld);
        points.map(|point| point.n).collect()
    }

    /// Every point with all that is known of it.
    pub(super) fn entries(&self) -> Vec<Value> {
        self.points.iter().map(Point::entry).collect()
    }
}

/// Whether a debate ends after a round, and why (row T4). It is computed from the ledger: the skeptic's own signal ends
/// nothing, and neither does a round without a critique that can be read.
pub(super) fn stop(
    settings: &Dialectic,
    round: u32,
    critique: Option<&Critique>,
    ledger: &Ledger,
) -> Option<Stop> {
    let enough = f64::from(settings.early_stop_score);
    let settled = |critique: &&Critique| {
        critique.says_something()
            && !critique.critical
            && ledger.count(Severity::Critical, true) == 0
    };
    let settled = critique.filter(settled);
    let good = |critique: &Critique| critique.score.is_some_and(|score| score >= enough);
    if settled.is_some_and(good) {
        Some(Stop::Ready)
    } else if round >= settings.min_rounds && settled.is_some() {
        Some(Stop::NoCritical)
    } else if round >= settings.max_rounds {
        Some(Stop::MaxRounds)
    } else {
        None
    }
}
