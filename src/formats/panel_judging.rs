//! A judging: a panel reads a finished debate, blind to names and models. It is a small debate of one phase, so that its
//! calls are journaled, retried and resumed like any others. The debate itself is not changed, and nothing of it is asked
//! again.

mod reading;
mod task;

use std::collections::BTreeSet;

use serde_json::{Value, json};

use self::reading::Asked;
pub use self::task::{Task, named};
use self::task::{Template, VERSION};
use crate::call_id::{CallId, CallStage};
use crate::digest;
use crate::event::{
    Candidate, EventKind, Judge, Judging, PanelReading, Reading, Rubric, Rule, Seat, SeatStatus,
    Side, Verdict, VerdictJudge, Vote, Votes, Winner,
};
use crate::floor::{Floor, Question, Result};
use crate::job::criteria::SCALE_OF_TWO;
use crate::model::Card;
use crate::panel::candidates::{debaters, has_part};
use crate::panel::reading_order::turns;
use crate::panel::recusal::ModelOrigin;
use crate::panel::seats::{Seated, seats};
use crate::panel::shown_record::ShownRecord;
use crate::panel::votes;

/// Has the panel read the debate, and returns its verdict.
pub async fn judge(floor: &Floor, task: &Task) -> Result<Verdict> {
    floor.open(task.template(Template::System), &Value::Null).await?;
    let seats = seated(floor, task);
    let shown = ShownRecord::new(&task.trace, &task.candidates, task.panel.settings.view);
    let mut asked = Vec::new();
    for (place, seat) in seats.iter().enumerate().filter(|(_, seat)| seat.is_asked()) {
        for turn in turns(&task.panel, task.criteria(), &task.trace.id, place) {
            let call = CallId::new(CallStage::Verdict, turn.name(), &seat.judge.id);
            asked.push(Asked::new(task, &shown, seat, turn, call));
        }
    }
    let questions: Vec<Question<'_>> = asked.iter().filter_map(Asked::question).collect();
    let answers = floor.poll_finally(&questions).await?;
    let mut answers = answers.iter();
    let readings: Vec<(String, Reading)> = asked
        .iter()
        .map(|asked| {
            let answer = asked.is_put().then(|| answers.next()).flatten();
            (asked.seat.judge.id.clone(), asked.reading(answer))
        })
        .collect();
    let judges = seats.iter().map(|seat| judged(task, seat, &readings));
    Ok(verdict(floor, task, &shown, judges.collect()))
}

/// The seats of the panel for this debate, given what the servers report about the judges' models.
fn seated<'t>(floor: &Floor, task: &'t Task) -> Vec<Seated<'t>> {
    let families = &task.panel.settings.families;
    let events = floor.events();
    let cards = events.first().map(|event| &event.kind);
    let card = |name: &str| -> Card {
        let Some(EventKind::DebateStart(start)) = cards else { return Card::default() };
        start.models.iter().find(|it| it.name == name).map(|it| it.card.clone()).unwrap_or_default()
    };
    seats(&task.panel, &debaters(&task.trace, families), |judge| {
        ModelOrigin::new(&judge.model, &card(&judge.model), families)
    })
}

/// Whether enough judges may vote for a verdict, as far as their models' names tell. What servers report of them may recuse more.
pub fn may_reach_quorum(task: &Task) -> bool {
    let families = &task.panel.settings.families;
    let seats = seats(&task.panel, &debaters(&task.trace, families), |judge| {
        ModelOrigin::new(&judge.model, &Card::default(), families)
    });
    let voting = seats.iter().filter(|seat| seat.recusal.is_none()).count();
    voting >= task.panel.quorum() as usize
}

/// A judge with its readings and the vote that follows from them.
fn judged(task: &Task, seat: &Seated<'_>, readings: &[(String, Reading)]) -> VerdictJudge {
    let own = readings.iter().filter(|(by, _)| *by == seat.judge.id);
    let readings: Vec<Reading> = own.map(|(_, reading)| reading.clone()).collect();
    let put: Vec<(Side, &PanelReading)> = readings
        .iter()
        .filter_map(|reading| {
            let put = reading.of_panel.as_ref()?;
            Some((task.side(reading.order.first()?)?, put))
        })
        .collect();
    let (vote, reason, margin) = votes::vote(&put, task.panel.settings.orders);
    let votes = seat.status == SeatStatus::Voting;
    let status = if votes && vote.is_none() && !readings.iter().any(Reading::is_valid) {
        SeatStatus::Failed
    } else {
        seat.status
    };
    VerdictJudge {
        judge: Judge {
            kind: "model".to_owned(),
            id: seat.judge.id.clone(),
            model: Some(seat.judge.model.clone()),
        },
        seat: Some(Seat {
            digest: seat.origin.digest.clone(),
            families: seat.origin.families.iter().cloned().collect(),
            status,
            recusal: seat.recusal.clone(),
            vote: vote.filter(|_| votes),
            vote_reason: votes.then_some(reason),
            margin,
        }),
        readings,
    }
}

fn verdict(
    floor: &Floor,
    task: &Task,
    shown: &ShownRecord<'_>,
    judges: Vec<VerdictJudge>,
) -> Verdict {
    let seats = judges.iter().filter_map(|judge| judge.seat.as_ref());
    let votes = Votes::count(seats.filter_map(|seat| seat.vote));
    let quorum = task.panel.quorum();
    let (winner, reason) = votes.winner(quorum);
    let winner = winner.map(|vote| match vote {
        Vote::P => Winner::Side(task.participant(Side::P).to_owned()),
        Vote::Q => Winner::Side(task.participant(Side::Q).to_owned()),
        Vote::Tie => Winner::Draw,
    });
    let settings = &task.panel.settings;
    Verdict {
        source: "panel".to_owned(),
        rubric: rubric(floor, task),
        judges,
        winner,
        winner_reason: json!(reason).as_str().map(str::to_owned),
        judging: Some(Judging {
            id: task.plan.id.to_string(),
            panel: task.named.clone(),
            basis: "scores".to_owned(),
            record_digest: task.record_digest.clone(),
            candidates: candidates(task),
            view: shown.sight(),
            rule: Rule {
                reconcile: "both_or_tie".to_owned(),
                orders: settings.orders,
                tie_within: settings.rule.tie_within,
                aggregate: "votes".to_owned(),
                quorum,
            },
            votes,
            at: floor.now(),
        }),
    }
}

/// The candidates, with the families of the models that spoke for them.
fn candidates(task: &Task) -> Vec<Candidate> {
    let debaters = debaters(&task.trace, &task.panel.settings.families);
    let with_families = |candidate: &Candidate| {
        let own = debaters.iter().filter(|(id, _)| has_part(&task.trace, id, candidate));
        let families: BTreeSet<String> =
            own.flat_map(|(_, origin)| origin.families.clone()).collect();
        Candidate { families: families.into_iter().collect(), ..candidate.clone() }
    };
    task.candidates.iter().map(with_families).collect()
}

fn rubric(floor: &Floor, task: &Task) -> Rubric {
    let template = floor.template_digest(task.template(Template::Verdict));
    let text = json!({"template": template, "criteria": task.criteria(), "scale": SCALE_OF_TWO});
    Rubric {
        name: task.named.name.clone(),
        version: VERSION.to_string(),
        digest: digest::of_json(&text),
        scale: Some(SCALE_OF_TWO),
    }
}
