//! A judging: a panel reads a finished debate, blind to names and models. It is a small debate of one phase, so that its calls are
//! journaled, retried and resumed like any other's; nothing of the debate itself is asked again or changed.

mod mask;
mod reading;
mod sight;

use std::sync::Arc;

use chrono::{DateTime, Utc};
use serde_json::{Map, Value, json};

use self::reading::{Asked, TEMPLATE};
use self::sight::Sighted;
use crate::call_id::{CallId, CallStage};
use crate::digest;
use crate::event::{
    Candidate, EventKind, Judge, Judging, PanelReading, PanelRef, Reading, Rubric, Rule, Seat,
    SeatStatus, Side, Verdict, VerdictJudge, Vote, Votes,
};
use crate::floor::{Floor, Halt, Question};
use crate::formats::duel::settings::Duel;
use crate::id::DebateId;
use crate::job::criteria::SCALE_OF_TWO;
use crate::job::panel::{Panel, identity};
use crate::job::{FormatSettings, OnFailure, OutputOptions};
use crate::model::Card;
use crate::plan::{self, Plan};
use crate::templates::Templates;
use crate::trace::Trace;
use crate::verdict::kin::Kin;
use crate::verdict::record::{NotJudged, candidates, debaters};
use crate::verdict::schedule::turns;
use crate::verdict::seats::{Seated, seats};
use crate::verdict::tally;

/// The version of what a judging asks, beside its templates: to be raised when another prompt comes of the same ones.
const VERSION: u32 = 1;
/// The templates of a judging.
const TEMPLATES: &str = "prompts/panel/";

/// A judging that is to be done, or was.
#[derive(Debug, Clone)]
pub struct Task {
    /// Its plan: the judges, and what is debated.
    pub plan: Arc<Plan>,
    /// The debate.
    pub trace: Arc<Trace>,
    /// The panel.
    pub panel: Arc<Panel>,
    /// The panel, as verdicts name it.
    pub named: PanelRef,
    /// The digest of the debate's record.
    pub record_digest: String,
    /// Who is judged.
    candidates: [Candidate; 2],
}

/// A panel as verdicts name it: all that decides what it asks is in its id.
pub fn named(panel: &Panel, templates: &Templates) -> PanelRef {
    let whole = json!({"version": VERSION, "panel": identity(panel), "templates": templates.digest_of(TEMPLATES)});
    PanelRef {
        name: panel.settings.name.clone(),
        id: digest::of_json(&whole),
    }
}

impl Task {
    /// The judging of a debate by a panel.
    ///
    /// # Errors
    /// Why there can be none.
    pub fn new(
        trace: &Arc<Trace>,
        panel: &Arc<Panel>,
        named: &PanelRef,
    ) -> Result<Self, NotJudged> {
        let candidates = candidates(trace)?;
        let record_digest = trace.digest_of_record();
        let id = DebateId::from_identity(&json!([trace.id, record_digest, named.id]));
        Ok(Self {
            plan: Arc::new(plan_of(trace, panel, id)),
            trace: Arc::clone(trace),
            panel: Arc::clone(panel),
            named: named.clone(),
            record_digest,
            candidates,
        })
    }

    /// How many readings are asked for at most.
    pub fn most_readings(&self) -> usize {
        let judges = 0..self.panel.judges.len() + self.panel.substitutes.len();
        let each = judges.map(|place| turns(&self.panel, &self.trace.id, place).len());
        each.sum()
    }
}

/// The plan under which a panel's calls are made. What a format adds to prompts is not used: judges see their task alone.
fn plan_of(trace: &Trace, panel: &Panel, id: DebateId) -> Plan {
    let topic = mask::Mask::of(trace, &[]).apply(trace.question()).0;
    Plan {
        version: plan::VERSION,
        seed: digest::derive(trace.plan.seed, &id) >> 11,
        id,
        job: panel.settings.name.clone(),
        topic,
        query: None,
        background: Vec::new(),
        rules: Vec::new(),
        language: trace.plan.language.clone(),
        participants: panel.people().cloned().collect(),
        format: FormatSettings::of(Duel::default()),
        on_failure: OnFailure::Emergency,
        repetition: 1,
        rehearsal: trace.rehearsal,
        script: None,
        cell: Map::new(),
        tags: std::collections::BTreeMap::new(),
        output: OutputOptions::default(),
        priority: 0,
    }
}

/// Has the panel read the debate, and says what it comes to.
pub async fn judge(floor: &Floor, task: &Task) -> Result<Verdict, Halt> {
    floor
        .open("prompts/panel/system.md.j2", &Value::Null)
        .await?;
    let seats = seated(floor, task);
    let sighted = Sighted::new(task);
    let mut asked = Vec::new();
    for (place, seat) in seats.iter().enumerate().filter(|(_, seat)| seat.is_asked()) {
        for turn in turns(&task.panel, &task.trace.id, place) {
            let call = CallId::new(CallStage::Verdict, turn.name(), &seat.judge.id);
            asked.push(Asked::new(task, &sighted, seat, turn, call));
        }
    }
    let questions: Vec<Question<'_>> = asked.iter().filter_map(Asked::question).collect();
    let answers = match questions.is_empty() {
        true => Vec::new(),
        false => floor.poll_finally(&questions).await?,
    };
    let mut answers = answers.iter();
    let readings = asked.iter().map(|asked| {
        let answer = asked.is_put().then(|| answers.next()).flatten();
        (asked.seat.judge.id.clone(), asked.reading(answer))
    });
    let readings: Vec<(String, Reading)> = readings.collect();
    let judges = seats.iter().map(|seat| judged(task, seat, &readings));
    Ok(verdict(floor, task, &sighted, judges.collect()))
}

/// Who sits on the panel for this debate, by what the servers say of the judges' models.
fn seated<'t>(floor: &Floor, task: &'t Task) -> Vec<Seated<'t>> {
    let families = &task.panel.settings.families;
    let events = floor.events();
    let cards = events.first().map(|event| &event.kind);
    let card = |name: &str| -> Card {
        let Some(EventKind::DebateStart(start)) = cards else {
            return Card::default();
        };
        let found = start.models.iter().find(|it| it.name == name);
        found.map(|it| it.card.clone()).unwrap_or_default()
    };
    seats(&task.panel, &debaters(&task.trace, families), |judge| {
        Kin::new(&judge.model, &card(&judge.model), families)
    })
}

/// A judge with its readings, and what they come to.
fn judged(task: &Task, seat: &Seated<'_>, readings: &[(String, Reading)]) -> VerdictJudge {
    let own = readings.iter().filter(|(by, _)| *by == seat.judge.id);
    let readings: Vec<Reading> = own.map(|(_, reading)| reading.clone()).collect();
    let put = readings.iter().filter_map(|reading| {
        let put = reading.of_panel.as_ref()?;
        Some((task.side(reading.order.first()?)?, put))
    });
    let put: Vec<(Side, &PanelReading)> = put.collect();
    let (vote, reason, margin) = tally::vote(&put, task.panel.settings.orders);
    let votes = seat.status == SeatStatus::Voting;
    let status = match votes && vote.is_none() && !readings.iter().any(Reading::is_valid) {
        true => SeatStatus::Failed,
        false => seat.status,
    };
    VerdictJudge {
        judge: Judge {
            kind: "model".to_owned(),
            id: seat.judge.id.clone(),
            model: Some(seat.judge.model.clone()),
        },
        seat: Some(Seat {
            digest: seat.kin.digest.clone(),
            family: seat.kin.family.clone(),
            status,
            recusal: seat.recusal.clone(),
            vote: vote.filter(|_| votes),
            vote_reason: votes.then_some(reason),
            margin,
        }),
        readings,
    }
}

impl Task {
    /// The key of a candidate.
    fn side(&self, participant: &str) -> Option<Side> {
        let mut all = self.candidates.iter();
        all.find(|it| it.participant == participant)
            .map(|it| it.key)
    }

    /// The participant behind a key.
    fn participant(&self, side: Side) -> &str {
        &self.candidates[side as usize].participant
    }
}

fn verdict(floor: &Floor, task: &Task, sighted: &Sighted, judges: Vec<VerdictJudge>) -> Verdict {
    let seats = judges.iter().filter_map(|judge| judge.seat.as_ref());
    let votes = Votes::count(seats.filter_map(|seat| seat.vote));
    let quorum = task.panel.quorum();
    let (winner, reason) = votes.winner(quorum);
    let winner = winner.map(|vote| match vote {
        Vote::P => task.participant(Side::P).to_owned(),
        Vote::Q => task.participant(Side::Q).to_owned(),
        Vote::Tie => "draw".to_owned(),
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
            candidates: task.candidates.to_vec(),
            view: sighted.sight(),
            rule: Rule {
                reconcile: "both_or_tie".to_owned(),
                orders: settings.orders,
                tie_within: settings.rule.tie_within,
                aggregate: "votes".to_owned(),
                quorum,
            },
            votes,
            at: last(floor),
        }),
    }
}

fn rubric(floor: &Floor, task: &Task) -> Rubric {
    let criteria = &task.panel.settings.criteria;
    let text = json!({"template": floor.template_digest(TEMPLATE), "criteria": criteria, "scale": SCALE_OF_TWO});
    Rubric {
        name: task.named.name.clone(),
        version: VERSION.to_string(),
        digest: digest::of_json(&text),
        scale: Some(SCALE_OF_TWO),
    }
}

/// When the last reply was on disk.
fn last(floor: &Floor) -> DateTime<Utc> {
    floor.now()
}
