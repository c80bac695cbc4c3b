//! The record of a knockout (row K13), with its source's key names.

use serde_json::{Map, Value, json};

use super::roles::{TEAM, X};
use crate::event::{
    AudienceVote, Ballot, Event, EventKind, Origin, Phase, ReadingStatus, Results, Rotation,
    Statement,
};
use crate::floor::spoken_seconds;
use crate::formats::knockout::settings::Knockout;
use crate::plan::Plan;

/// The record, from the debate's events; what a failed debate did not reach is not in it.
pub(super) fn source_record(plan: &Plan, settings: &Knockout, events: &[Event]) -> Value {
    let by_kind = EventsByKind::of(events);
    let outcome = Event::completion(events).and_then(|end| end.outcome.as_ref());
    let rounds: Vec<Value> = by_kind
        .rounds()
        .map(|round| by_kind.round(round, settings))
        .collect();
    let rotations = by_kind.rotations.iter().filter(|r| r.rotated);
    let debated = |id: &str| by_kind.statements.iter().any(|s| s.by == id);
    let ys = plan.participants.iter().filter(|p| p.role() == TEAM);
    let tracking: Map<String, Value> = ys.map(|p| (p.id.clone(), debated(&p.id).into())).collect();
    json!({
        "rounds": rounds,
        "rotation_count": rotations.count(),
        "rotation_tracking": tracking,
        "knockouts": by_kind.knockouts().iter().map(|r| by_kind.knockout(r)).collect::<Vec<_>>(),
        "points": outcome.map(|outcome| &outcome.points),
        "standing": Results::of(outcome).standing,
    })
}

/// The events of a debate, by kind.
#[derive(Default)]
struct EventsByKind<'e> {
    statements: Vec<&'e Statement>,
    ballots: Vec<&'e Ballot>,
    rotations: Vec<&'e Rotation>,
    audience: Vec<&'e AudienceVote>,
}

impl<'e> EventsByKind<'e> {
    fn of(events: &'e [Event]) -> Self {
        let mut by_kind = Self::default();
        for event in events {
            match &event.kind {
                EventKind::Statement(statement) => by_kind.statements.push(statement),
                EventKind::Ballot(ballot) => by_kind.ballots.push(ballot),
                EventKind::Rotation(rotation) => by_kind.rotations.push(rotation),
                EventKind::Audience(vote) => by_kind.audience.push(vote),
                _ => {}
            }
        }
        by_kind
    }

    fn rounds(&self) -> impl Iterator<Item = u32> {
        1..=self.statements.iter().map(|s| s.round).max().unwrap_or(0)
    }

    fn round(&self, round: u32, settings: &Knockout) -> Value {
        let spoken: Vec<&&Statement> = self
            .statements
            .iter()
            .filter(|s| s.round == round && s.phase == Phase::ARGUMENT)
            .collect();
        let side = |s: &Statement| if s.by == X { "X" } else { "Y" };
        let of = |wanted: &str| spoken.iter().find(|s| side(s) == wanted);
        let transition = self
            .statements
            .iter()
            .find(|s| s.round == round && s.phase == Phase::TRANSITION);
        let seconds = |wanted: &str| {
            of(wanted)
                .filter(|s| s.origin != Origin::Emergency)
                .map(|s| (spoken_seconds(s.tokens) * 10.0).round() / 10.0)
        };
        let mut told = json!({
            "round_number": round,
            "speaking_order": spoken.iter().map(|s| side(s)).collect::<Vec<_>>(),
            "position_x_statement": of("X").map(|s| &s.text),
            "position_y_statement": of("Y").map(|s| &s.text),
            "debater": of("Y").map(|s| &s.by),
            "time_limit": settings.time_limit_seconds,
            "time_used": {"X": seconds("X"), "Y": seconds("Y")},
            "evaluations": self.judges(round).map(evaluation).collect::<Vec<_>>(),
            "transition": transition.map(|s| &s.text),
        });
        if let Some(vote) = self.audience.iter().find(|vote| vote.round == round) {
            told["audience"] = json!(vote);
        }
        told
    }

    /// The judges' ballots of a round.
    fn judges(&self, round: u32) -> impl Iterator<Item = &'e Ballot> {
        let own = self.ballots.iter().copied();
        own.filter(move |ballot| ballot.round == round && !ballot.by.is_audience())
    }

    /// The vote that each debater fell by, replaced or not.
    fn knockouts(&self) -> Vec<&'e Rotation> {
        let mut fell: Vec<&Rotation> = Vec::new();
        for rotation in self.rotations.iter().filter(|r| r.voted_out) {
            if fell.iter().all(|known| known.debater != rotation.debater) {
                fell.push(rotation);
            }
        }
        fell
    }

    fn knockout(&self, rotation: &Rotation) -> Value {
        let votes: Map<String, Value> = self
            .ballots
            .iter()
            .filter(|b| b.round == rotation.round)
            .map(|b| (b.by.id.clone(), json!(b.keep)))
            .collect();
        json!({
            "round": rotation.round,
            "out": rotation.debater,
            "in": rotation.rotated.then_some(&rotation.next),
            "continue_votes": votes,
            "mean_total_score": rotation.mean_total,
            "reason": rotation.reason,
        })
    }
}

fn evaluation(ballot: &Ballot) -> Value {
    let valid = ballot.reading.status == ReadingStatus::Valid;
    json!({
        "judge": ballot.by.id,
        "status": ballot.reading.status,
        "round_number": ballot.round,
        "position_y_performance": valid.then_some(&ballot.reading.scores),
        "total_score": ballot.reading.totals.get(&ballot.about),
        "comments": valid.then_some(&ballot.reading.reason),
        "continue_vote": ballot.keep,
    })
}
