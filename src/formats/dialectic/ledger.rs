//! How the points of a dialectic go: raised, answered, resolved (row T3), and when the debate ends (row T4).

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::answers::{self, Answer};
use super::critique::{Critique, Issue, Resolution, Severity};
use crate::formats::dialectic::settings::Dialectic;
use crate::text;

/// The most points that a prompt lists: the gravest.
const MOST_LISTED: usize = 20;
/// Characters of a point in a prompt; the critique itself is on the record.
const LISTED: usize = 200;

/// A point of the skeptic, under our number.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Point {
    pub(super) n: u32,
    pub(super) round: u32,
    pub(super) issue: Issue,
    /// How the skeptic last said it stands; `None` until it says.
    pub(super) stands: Option<Resolution>,
}

impl Point {
    pub(super) fn is_open(&self) -> bool {
        self.stands != Some(Resolution::Resolved)
    }

    fn listed(&self) -> Value {
        json!({
            "n": self.n,
            "severity": self.issue.severity,
            "strategy": self.issue.strategy.map(|strategy| strategy.replace('_', " ")),
            "text": text::shorten(&self.issue.text, LISTED),
        })
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
#[derive(Debug, Default)]
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
        for n in self.open().iter().map(|point| point.n) {
            let found = given.iter().find(|(number, _)| *number == n);
            let list = match found {
                Some((_, Answer::Accept)) => &mut accepted,
                Some((_, Answer::Defend)) => &mut defended,
                None => &mut unanswered,
            };
            list.push(n);
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

    /// Takes in a critique: how earlier points stand, then new ones, numbered on.
    pub(super) fn criticise(&mut self, round: u32, critique: &Critique) {
        let mut resolutions = Vec::new();
        let mut unknown = critique.unnumbered;
        for (n, resolution) in &critique.settled {
            match self.points.iter_mut().find(|point| point.n == *n) {
                Some(point) => {
                    point.stands = Some(*resolution);
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
            issue: issue.clone(),
            stands: None,
        });
        self.points.extend(points);
        self.quality_score = critique.score.or(self.quality_score);
        self.critiques.push(json!({
            "round": round,
            "marked": critique.marked,
            "ready": critique.ready,
            "quality_score": critique.score,
            "points": self.points[before..].iter().map(raised_point).collect::<Vec<_>>(),
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
        let same = |point: &&Point| point.stands == stands;
        self.points.iter().filter(same).count()
    }
}

fn raised_point(point: &Point) -> Value {
    json!({
        "n": point.n,
        "severity": point.issue.severity,
        "strategy": point.issue.strategy,
        "text": point.issue.text,
    })
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
        let says_something = critique.marked || critique.ready;
        says_something && !critique.critical && ledger.count(Severity::Critical, true) == 0
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
