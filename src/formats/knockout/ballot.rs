//! The judges' ballots (row K5): every Y who is not debating scores the debating Y, and votes.

use serde_json::{Value, json};

use super::bench::Bench;
use super::turns::{is_last, speaking_order};
use crate::call_id::{CallId, CallStage};
use crate::event::{Ballot, BallotChecks, EventKind, Statement};
use crate::floor::{Answer, Floor, Question, Result, object};
use crate::formats::knockout::settings::{SCALE, X};
use crate::formats::own_judges;
use crate::job::criteria::Criteria;
use crate::job::participant::Participant;
use crate::text::{self, room_for};

/// Asks all judges of a round in parallel and puts their ballots into the debate, in the order of the job.
pub(super) async fn poll(floor: &Floor, round: u32, bench: &Bench<'_>) -> Result<Vec<Ballot>> {
    let (judges, criteria) = (bench.judges(), &bench.settings.criteria);
    let [first, _] = speaking_order(bench.settings, round, bench.debater);
    let spoke_first = first == bench.debater;
    let has_past = has_past(floor, round, bench.debater);
    let mut said = floor.statements().into_iter().rev();
    let is_cut = said.find(|s| s.by == bench.debater).is_some_and(|s| s.cut);
    let (flow, debater) = (floor.flow(), floor.plan().participant(bench.debater));
    let stood = debater.map(|by| floor.holds(&flow, by)["own"].clone());
    let context = |judge: &Participant| {
        json!({"round": round, "debater": debater, "spoke_first": spoke_first, "has_past": has_past, "cut": is_cut,
            "last": is_last(bench.settings, round), "could_come_in": bench.could_come_in(round), "out_since": bench.out_since(),
            "flow": floor.holds(&flow, judge), "stood": stood})
    };
    let questions: Vec<Question<'_>> = judges
        .iter()
        .map(|judge| Question {
            call: CallId::new(CallStage::Round(round), "ballot", &judge.id),
            by: &judge.id,
            template: "prompts/knockout/ballot.md.j2",
            context: context(judge),
            blind: false,
            schema: schema(criteria, has_past, round),
        })
        .collect();
    let answers = floor.poll(&questions).await?;
    let cast = answers.iter().zip(&judges);
    let ballots: Vec<Ballot> =
        cast.map(|(answer, judge)| ballot(bench, round, judge, answer)).collect();
    for ballot in &ballots {
        let (by, model) = (ballot.by.id.as_str(), ballot.by.model.as_deref());
        floor.emit(EventKind::Ballot(ballot.clone()), Some(by), model);
    }
    Ok(ballots)
}

/// Whether the other side was heard before the debater spoke in a round: an emergency reply leaves nothing to answer.
fn has_past(floor: &Floor, round: u32, debater: &str) -> bool {
    let is_turn = |s: &Statement| s.by == debater && s.round == round;
    let mut before = floor.statements().into_iter().take_while(|s| !is_turn(s));
    before.any(|s| s.by == X && s.was_heard())
}

/// Keys of what is settled before the scores. They must sort in this order.
const POINT_AGAINST: &str = "a_strongest_point_against";
const ANSWERED: &str = "b_answered";
const REPEATS: &str = "c_repeats_itself";

/// The schema of a ballot. Its declared order is alphabetical, with reasons first. Where nothing was said before the debater spoke,
/// there is nothing to have answered; in the first round, nothing of its side to have repeated.
fn schema(criteria: &Criteria, has_past: bool, round: u32) -> Value {
    let mut keys = json!({
        POINT_AGAINST: {"type": "string", "minLength": 8, "maxLength": room_for(20), "default": ""},
        ANSWERED: {"type": "string", "enum": ["fully", "partly", "no"], "default": ""},
        REPEATS: {"type": "boolean", "default": false},
        "comments": {"type": "string", "minLength": 8, "maxLength": room_for(70)},
        "scores": own_judges::scores(criteria, SCALE),
        "vote_to_continue": {"type": "boolean"},
    });
    let is_asked = |key: &String| match key.as_str() {
        POINT_AGAINST | ANSWERED => has_past,
        REPEATS => has_past && round > 1,
        _ => true,
    };
    if let Some(keys) = keys.as_object_mut() {
        keys.retain(|key, _| is_asked(key));
    }
    object(keys)
}

/// What a ballot settled before its scores; `None` if part of it is missing, which does not make the ballot invalid.
fn checks(value: &Value) -> Option<BallotChecks> {
    Some(BallotChecks {
        strongest_point_against: text::one_line(value[POINT_AGAINST].as_str()?),
        answered: serde_json::from_value(value[ANSWERED].clone()).ok()?,
        repeats_itself: value[REPEATS].as_bool(),
    })
}

fn ballot(bench: &Bench<'_>, round: u32, judge: &Participant, answer: &Answer) -> Ballot {
    let about = bench.debater;
    let mut reading = answer.reading(vec![about.to_owned()], "comments");
    if reading.is_valid() {
        let given = &answer.value["scores"];
        reading.score(&bench.settings.criteria, about, |name| given[name].as_f64());
    }
    Ballot {
        round,
        by: answer.judge(judge),
        about: about.to_owned(),
        keep: answer.value["vote_to_continue"].as_bool(),
        on_position: bench.could_come_in(round).is_empty(),
        checks: checks(&answer.value),
        reading,
    }
}
