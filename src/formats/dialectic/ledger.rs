//! The points of a dialectic: raised, answered, resolved (row T3), and the end of the debate (row T4).

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::answers::{self, Answer};
use super::critique::{Critique, Issue, Resolution, Settled, Severity};
use crate::event::How;
use crate::formats::dialectic::settings::Dialectic;
use crate::text;

/// Maximum points that a prompt lists: the gravest.
pub const MOST_LISTED: usize = 12;
/// Characters of a point in a prompt; the critique itself is on the record.
const LISTED: usize = 320;

/// A point made by the skeptic, under our number.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// Our number.
    pub n: u32,
    /// The round in which it was raised.
    pub round: u32,
    /// The statement number of the critique.
    pub statement: u32,
    /// Its content.
    #[serde(flatten)]
    pub issue: Issue,
    /// The proposer's answers, by round.
    pub answers: Vec<Answered>,
    /// The status that the skeptic last gave it; `None` until the skeptic returns to it.
    pub status: Option<Resolution>,
    /// The round in which the skeptic last returned to it.
    pub last_round: Option<u32>,
    /// The skeptic's last words on it.
    pub last: Option<String>,
    /// Whether an earlier draft than the last fixed it, as the skeptic saw when it last returned to it.
    #[serde(skip)]
    fixed_before: bool,
}

/// A proposal's answer to a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answered {
    /// The round of the proposal.
    pub round: u32,
    /// The answer.
    pub answer: Answer,
}

impl Point {
    /// Whether it is not fully settled.
    pub fn is_open(&self) -> bool {
        self.status != Some(Resolution::Resolved)
    }

    /// What the skeptic last said of it, without words that only repeat how it stands.
    pub fn said_last(&self) -> Option<String> {
        let said = self.last.as_deref()?.trim();
        let repeats: &[&str] = match self.status {
            Some(Resolution::Resolved) => &["Settled", "Resolved"],
            Some(Resolution::Partial) => {
                &["Better, but not resolved", "Better, but", "Better", "Partly resolved"]
            }
            _ => &["Unresolved", "Not resolved"],
        };
        let without = repeats
            .iter()
            .find_map(|word| said.strip_prefix(word))
            .map_or(said, |rest| rest.trim_start_matches([':', '.', ',', ';', ' ']));
        text::if_any(text::capitalised(without))
    }

    /// Whether the proposer has accepted it, and the skeptic has not returned to it since.
    fn is_unchecked(&self) -> bool {
        let last = self.answers.last().filter(|it| it.answer == Answer::Accept);
        last.is_some_and(|it| self.last_round.is_none_or(|round| round < it.round))
    }

    fn listed(&self) -> Value {
        let last = self.answers.last();
        json!({
            "n": self.n,
            "round": self.round,
            "claim": self.issue.claim,
            "severity": self.issue.severity,
            "strategy": self.issue.attack(),
            "text": text::shorten(&self.issue.text, LISTED),
            "mend": self.issue.mend,
            "answer": last.map(|it| it.answer.word()),
            "answered_in": last.map(|it| it.round),
            "unchecked": self.is_unchecked(),
            "partial": self.status == Some(Resolution::Partial),
            "stands": self.status.map(Resolution::word),
            "last": self.said_last().map(|last| text::shorten(&last, LISTED)),
        })
    }

    /// What the proposal of a round did about it, as judged by the skeptic in that round.
    fn outcome_in(&self, round: u32) -> Option<How> {
        let answer = self.answers.iter().find(|it| it.round == round);
        let judged = self.status.filter(|_| self.last_round == Some(round));
        match (answer.map(|it| it.answer), judged) {
            (_, Some(Resolution::Partial)) => Some(How::Partial),
            (Some(Answer::Accept), _) => Some(How::Conceded),
            (Some(Answer::Part), Some(Resolution::Resolved)) | (Some(Answer::Defend), _) => {
                Some(How::Full)
            }
            (Some(Answer::Part), _) => Some(How::Partial),
            // What an earlier draft fixed, this one did not.
            (None, Some(Resolution::Resolved)) if !self.fixed_before => Some(How::Full),
            (None, _) => None,
        }
    }
}

/// Why the debate ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Stop {
    /// The skeptic's stated quality is high enough, and no critical point is open.
    Ready,
    /// No critical point is open after enough rounds.
    NoCritical,
    /// The maximum of rounds was reached.
    MaxRounds,
}

/// The debate so far in terms of its points.
#[derive(Debug, Clone, Default)]
pub(super) struct Ledger {
    pub(super) points: Vec<Point>,
    /// The last score that the skeptic stated.
    pub(super) quality_score: Option<f64>,
    /// Points that revised proposals should have answered but did not, over all rounds.
    pub(super) unanswered: usize,
    /// The result of each critique and of each revised proposal, for programs.
    pub(super) critiques: Vec<Value>,
    pub(super) answers: Vec<Value>,
}

impl Ledger {
    /// The open points, critical first.
    pub(super) fn open(&self) -> Vec<&Point> {
        let mut open: Vec<&Point> = self.points.iter().filter(|point| point.is_open()).collect();
        open.sort_by_key(|point| point.issue.severity);
        open
    }

    /// The open points that a prompt lists, as templates show them.
    pub(super) fn listed(&self) -> Vec<Value> {
        self.open().into_iter().take(MOST_LISTED).map(Point::listed).collect()
    }

    /// Number of open points for which a prompt has no room.
    pub(super) fn left_out(&self) -> usize {
        self.open().len().saturating_sub(MOST_LISTED)
    }

    /// The listed points that a revised proposal should answer and does not.
    pub(super) fn unanswered_by(&self, proposal: &str) -> Vec<u32> {
        let given = answers::read(proposal);
        self.due(|it| !it.is_unchecked() && given.iter().all(|(n, _)| *n != it.n))
    }

    /// The listed points of which a critique does not say how they stand.
    pub(super) fn passed_over(&self, settled: &[Settled]) -> Vec<u32> {
        self.due(|it| settled.iter().all(|settled| settled.n != it.n))
    }

    /// The numbers of listed points for which something is due, counted up.
    fn due(&self, is_due: impl Fn(&Point) -> bool) -> Vec<u32> {
        let listed = self.open().into_iter().take(MOST_LISTED);
        let mut due: Vec<u32> = listed.filter(|it| is_due(it)).map(|it| it.n).collect();
        due.sort_unstable();
        due
    }

    /// Records which open points a revised proposal answers, and returns those that it does not. One that it accepted before need
    /// not be answered again until the skeptic returns to it.
    pub(super) fn answer(&mut self, round: u32, proposal: &str) -> Vec<u32> {
        let given = answers::read(proposal);
        let answer_to = |n: u32| Some(given.iter().find(|(number, _)| *number == n)?.1);
        let open = self.open();
        let with = |answer: Option<Answer>| -> Vec<u32> {
            let found = open.iter().filter(|point| answer_to(point.n) == answer);
            found.filter(|it| answer.is_some() || !it.is_unchecked()).map(|it| it.n).collect()
        };
        let [accepted, partly, defended] =
            [Answer::Accept, Answer::Part, Answer::Defend].map(|answer| with(Some(answer)));
        let unanswered = with(None);
        self.unanswered += unanswered.len();
        self.answers.push(json!({
            "round": round,
            "accepted": accepted,
            "partly_accepted": partly,
            "defended": defended,
            "unanswered": unanswered,
        }));
        for point in self.points.iter_mut().filter(|point| point.is_open()) {
            let answer = answer_to(point.n).map(|answer| Answered { round, answer });
            point.answers.extend(answer);
        }
        unanswered
    }

    /// Records a critique, which is statement `statement`: the status of earlier points, then new ones with the next numbers.
    pub(super) fn criticise(&mut self, round: u32, statement: u32, critique: &Critique) {
        let mut resolutions = Vec::new();
        let mut unknown = critique.unnumbered;
        for settled in &critique.settled {
            let (n, resolution) = (settled.n, settled.resolution);
            match self.points.iter_mut().find(|point| point.n == n) {
                Some(point) => {
                    let is_answered = point.answers.iter().any(|it| it.round == round);
                    point.fixed_before = point.is_unchecked() && !is_answered;
                    point.status = Some(resolution);
                    point.last_round = Some(round);
                    point.last = Some(settled.words.clone());
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
            statement,
            issue: issue.clone(),
            answers: Vec::new(),
            status: None,
            last_round: None,
            last: None,
            fixed_before: false,
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

    /// Number of points with this status.
    pub(super) fn standing(&self, stands: Option<Resolution>) -> usize {
        let same = |point: &&Point| point.status == stands;
        self.points.iter().filter(same).count()
    }

    /// The points raised in a round.
    pub(super) fn raised_in(&self, round: u32) -> Vec<&Point> {
        self.points.iter().filter(|point| point.round == round).collect()
    }

    /// The numbers of the critical points.
    pub(super) fn critical(&self) -> Vec<u32> {
        let critical = |point: &&Point| point.issue.severity == Severity::Critical;
        self.points.iter().filter(critical).map(|point| point.n).collect()
    }

    /// What the proposal of a round did about earlier points, by number.
    pub(super) fn outcomes_in(&self, round: u32) -> Vec<(u32, How)> {
        let earlier = self.points.iter().filter(|point| point.round < round);
        earlier.filter_map(|point| Some((point.n, point.outcome_in(round)?))).collect()
    }

    /// The earlier points that the skeptic called open in a round, by number.
    pub(super) fn upheld_in(&self, round: u32) -> Vec<u32> {
        let upheld = |point: &&Point| point.last_round == Some(round) && point.is_open();
        self.points.iter().filter(upheld).map(|point| point.n).collect()
    }
}

/// Whether a debate ends after a round, and why (row T4). This is computed from the ledger: neither the skeptic's own signal
/// nor a round without a readable critique ends a debate.
pub(super) fn stop(
    settings: &Dialectic,
    round: u32,
    critique: Option<&Critique>,
    ledger: &Ledger,
) -> Option<Stop> {
    let enough = f64::from(settings.early_stop_score);
    let mut open = ledger.open().into_iter();
    let critical = open.any(|point| point.issue.severity == Severity::Critical);
    let settled = |it: &&Critique| it.says_something() && !it.critical && !critical;
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
