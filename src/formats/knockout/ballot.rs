//! The judges' ballots (row K5): every Y who does not debate scores the one who does, and votes.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::bench::Bench;
use super::roles::{X, named};
use crate::call_id::{CallId, CallStage};
use crate::event::{Ballot, BallotChecks, EventKind, Reading, ReadingStatus, rounded};
use crate::floor::{Answer, Floor, Halt, Question, object};
use crate::formats::knockout::settings::{Knockout, SCALE};
use crate::job::criteria::Criteria;
use crate::job::participant::Participant;
use crate::text;

/// Asks all judges of a round at once and puts their ballots into the debate, in the order of the job.
pub(super) async fn poll(
    floor: &Floor,
    settings: &Knockout,
    round: u32,
    bench: &Bench,
) -> Result<Vec<Ballot>, Halt> {
    let judges = bench.judges(floor.plan());
    let context = json!({"round": round, "debater": named(floor, bench.debater()), "x": named(floor, X),
        "last": round > 1 && round == settings.rounds, "could_come_in": bench.could_come_in(floor.plan(), round)});
    let questions: Vec<Question<'_>> = judges
        .iter()
        .map(|judge| Question {
            call: CallId::new(CallStage::Round(round), "ballot", &judge.id),
            by: &judge.id,
            template: "prompts/knockout/ballot.md.j2",
            context: context.clone(),
            blind: false,
            schema: schema(&settings.criteria),
        })
        .collect();
    let answers = floor.poll(&questions).await?;
    let ballots: Vec<Ballot> = answers
        .iter()
        .zip(&judges)
        .map(|(a, j)| ballot(settings, round, bench, j, a))
        .collect();
    for ballot in &ballots {
        floor.emit(
            EventKind::Ballot(ballot.clone()),
            Some(&ballot.by.id),
            ballot.by.model.as_deref(),
        );
    }
    Ok(ballots)
}

/// Keys of what is settled before the scores: in this order in the alphabet too.
const POINT_AGAINST: &str = "a_strongest_point_against";
const ANSWERED: &str = "b_answered";
const REPEATS: &str = "c_repeats_itself";

/// The shape of a ballot. Declared and alphabetical order are the same, reasons first.
fn schema(criteria: &Criteria) -> Value {
    let score = json!({"type": "integer", "minimum": SCALE.0, "maximum": SCALE.1});
    let scores: Map<String, Value> = criteria
        .keys()
        .map(|name| (name.clone(), score.clone()))
        .collect();
    object(json!({
        POINT_AGAINST: {"type": "string", "minLength": 8, "maxLength": 160, "default": ""},
        ANSWERED: {"type": "string", "enum": ["fully", "partly", "no"], "default": ""},
        REPEATS: {"type": "boolean", "default": false},
        "comments": {"type": "string", "minLength": 8, "maxLength": 500},
        "scores": object(Value::Object(scores)),
        "vote_to_continue": {"type": "boolean"},
    }))
}

/// What a ballot settled before its scores; nothing where it leaves a part of that out, which makes it no less valid.
fn checks(value: &Value) -> Option<BallotChecks> {
    Some(BallotChecks {
        strongest_point_against: text::one_line(value[POINT_AGAINST].as_str()?),
        answered: serde_json::from_value(value[ANSWERED].clone()).ok()?,
        repeats_itself: value[REPEATS].as_bool()?,
    })
}

fn ballot(
    settings: &Knockout,
    round: u32,
    bench: &Bench,
    judge: &Participant,
    answer: &Answer,
) -> Ballot {
    let about = bench.debater().to_owned();
    let valid = answer.status == ReadingStatus::Valid;
    let scores = if valid {
        scores(&answer.value)
    } else {
        BTreeMap::new()
    };
    let totals = if valid {
        BTreeMap::from([(about.clone(), total(settings, &scores))])
    } else {
        BTreeMap::new()
    };
    let reading = answer.reading(vec![about.clone()], "comments");
    Ballot {
        round,
        by: answer.judge(judge),
        keep: answer.value["vote_to_continue"].as_bool(),
        checks: checks(&answer.value),
        reading: Reading {
            scores,
            totals,
            ..reading
        },
        about,
    }
}

fn scores(value: &Value) -> BTreeMap<String, f64> {
    let scores = value["scores"].as_object().into_iter().flatten();
    scores
        .filter_map(|(name, score)| Some((name.clone(), score.as_f64()?)))
        .collect()
}

/// The weighted total, by our own arithmetic.
fn total(settings: &Knockout, scores: &BTreeMap<String, f64>) -> f64 {
    let weighted = settings
        .criteria
        .iter()
        .map(|(name, criterion)| criterion.weight * scores.get(name).copied().unwrap_or(0.0));
    rounded(weighted.sum())
}
