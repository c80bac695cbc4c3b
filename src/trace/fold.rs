//! From a debate's events to its trace.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde_json::{Map, Value, json};

use super::{
    DEBATE_ARM, ModelUse, Pairing, SCHEMA_VERSION, Timing, Trace, TraceParticipant, TracePlan,
    settings_of,
};
use crate::event::{Complete, DebateStart, Event, EventKind, Notes, Statement};
use crate::flow::{Flow, Sheet};
use crate::job::participant::Participant;
use crate::plan::Plan;

/// Why events do not make a trace.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TraceError {
    /// The first event does not begin a debate.
    #[error("the first event is not debate_start")]
    NoStart,
    /// No event ends the debate.
    #[error("the events do not end with complete")]
    NoEnd,
}

impl Trace {
    /// Folds events into a trace. `record` is the format's own part, which the format makes.
    pub fn fold(events: &[Event], record: Value) -> Result<Self, TraceError> {
        let Some((
            Event {
                kind: EventKind::DebateStart(start),
                time,
                ..
            },
            rest,
        )) = events.split_first()
        else {
            return Err(TraceError::NoStart);
        };
        let Some(Event {
            kind: EventKind::Complete(complete),
            ..
        }) = rest.last()
        else {
            return Err(TraceError::NoEnd);
        };
        let ended_at = events.iter().map(|e| e.time).max().unwrap_or(*time);
        let mut trace = Self::begin(start, *time, complete, ended_at);
        rest.iter().for_each(|event| trace.add(&event.kind));
        trace.finish(start, complete);
        trace.record = record;
        Ok(trace)
    }

    fn begin(
        start: &DebateStart,
        started_at: DateTime<Utc>,
        complete: &Complete,
        ended_at: DateTime<Utc>,
    ) -> Self {
        let plan = &start.plan;
        Self {
            schema_version: SCHEMA_VERSION.to_owned(),
            id: plan.id.clone(),
            status: complete.status,
            cause: complete.cause.clone(),
            rehearsal: plan.rehearsal,
            script: plan.script.as_ref().map(|script| script.name.clone()),
            made_up: complete.made_up,
            format: plan.format.name().to_owned(),
            topic: plan.topic.clone(),
            job: plan.job.clone(),
            tags: plan.tags.clone(),
            started_at,
            ended_at,
            rebut: start.rebut.clone(),
            plan: TracePlan::new(plan, &start.inputs),
            participants: Vec::new(),
            models: start.models.clone(),
            statements: Vec::new(),
            ballots: Vec::new(),
            audience: Vec::new(),
            rotations: Vec::new(),
            notes: Vec::new(),
            flow: Flow::default(),
            rounds: Vec::new(),
            memories: BTreeMap::new(),
            interjections: Vec::new(),
            fact_checks: Vec::new(),
            stances: Vec::new(),
            rejections: Vec::new(),
            retrievals: Vec::new(),
            record_digest: None,
            verdicts: Vec::new(),
            answers: Vec::new(),
            labels: Vec::new(),
            outcome: complete.outcome.clone(),
            usage: complete.usage.clone(),
            calls: complete.calls.clone(),
            timing: Timing::default(),
            incidents: Vec::new(),
            record: Value::Null,
        }
    }

    fn add(&mut self, kind: &EventKind) {
        match kind {
            EventKind::Statement(statement) | EventKind::Comment(statement) => {
                self.statements.push(statement.clone());
            }
            EventKind::Ballot(ballot) => self.ballots.push(ballot.clone()),
            EventKind::Audience(vote) => self.audience.push(vote.clone()),
            EventKind::Rotation(rotation) => self.rotations.push(rotation.clone()),
            EventKind::Interjection(interjection) => self.interjections.push(interjection.clone()),
            EventKind::FactCheck(check) => self.fact_checks.push(check.clone()),
            EventKind::Stance(stance) => self.stances.push(stance.clone()),
            EventKind::Rejection(rejection) => self.rejections.push(rejection.clone()),
            EventKind::Verdict(verdict) => self.verdicts.push(verdict.clone()),
            EventKind::Answer(answer) => self.answers.push(answer.clone()),
            EventKind::Budget(budget) => self.plan.budget = Some(budget.clone()),
            EventKind::Memory(update) => self.memories.extend(update.memories.clone()),
            EventKind::Notes(notes) => self.add_notes(notes),
            EventKind::Summary(round) => {
                self.timing.rounds_ms.push(round.model_ms);
                self.rounds.push(round.clone());
            }
            EventKind::Retrieval(retrieval) => self.retrievals.push(retrieval.clone()),
            EventKind::Incident(incident) => self.incidents.push(incident.clone()),
            _ => {}
        }
    }

    fn add_notes(&mut self, notes: &Notes) {
        for noted in &notes.statements {
            let mut statements = self.statements.iter_mut();
            if let Some(statement) = statements.find(|s| s.n == noted.n) {
                statement.gist.clone_from(&noted.claim);
            }
        }
        self.notes.push(notes.clone());
    }

    /// The flow of all that was noted.
    fn flow(&self, plan: &Plan) -> Flow {
        let mut sheet = Sheet::new(plan);
        self.statements.iter().for_each(|s| sheet.hear(plan, s));
        self.notes
            .iter()
            .for_each(|notes| sheet.take(&notes.statements));
        sheet.flow(true)
    }

    fn finish(&mut self, start: &DebateStart, complete: &Complete) {
        self.flow = self.flow(&start.plan);
        let all = &start.plan.participants;
        let contestants: Vec<&str> = all
            .iter()
            .filter(|p| start.plan.format.profile().argues(p))
            .map(|p| p.id.as_str())
            .collect();
        let participants = all.iter().map(|p| self.took_part(p, &contestants));
        self.participants = participants.collect();
        self.record_digest = Some(self.digest_of_record());
        self.timing.total_ms = (self.ended_at - self.started_at)
            .num_milliseconds()
            .max(0)
            .unsigned_abs();
        self.timing.model_ms = complete
            .usage
            .by_purpose
            .values()
            .map(|u| u.prompt_ms + u.reply_ms)
            .sum();
    }

    fn took_part(&self, p: &Participant, contestants: &[&str]) -> TraceParticipant {
        // An emergency reply is nobody's work, and what a template says is ours.
        let own = || {
            self.statements
                .iter()
                .filter(|s| s.by == p.id && s.is_by_a_model())
        };
        let mut arguments = self
            .statements
            .iter()
            .filter(|s| contestants.contains(&s.by.as_str()));
        TraceParticipant {
            id: p.id.clone(),
            name: p.name.clone(),
            position: p.position.clone(),
            persona: p.persona.as_ref().map(|persona| persona.name.clone()),
            contestant: contestants.contains(&p.id.as_str()),
            spoke_first: arguments.clone().next().is_some_and(|s| s.by == p.id),
            spoke_last: arguments.next_back().is_some_and(|s| s.by == p.id),
            models: self.models_of(p),
            statements: own().count() as u64,
            tokens: own().map(|s| s.tokens).sum(),
            sampling: sampling(p),
        }
    }

    fn models_of(&self, p: &Participant) -> Vec<ModelUse> {
        let used = p.models().enumerate().map(|(i, model)| {
            let by_it = |s: &&Statement| s.by == p.id && s.model.as_deref() == Some(model);
            let known = self.models.iter().find(|known| known.name == model);
            let card = known.map(|known| known.card.clone()).unwrap_or_default();
            let used = ModelUse {
                name: model.to_owned(),
                digest: card.digest,
                quantization: card.quantization,
                family: card.family,
                statements: self.statements.iter().filter(by_it).count() as u64,
            };
            (i, used)
        });
        let spoke = used.filter(|(i, used)| *i == 0 || used.statements > 0);
        spoke.map(|(_, used)| used).collect()
    }
}

impl TracePlan {
    fn new(plan: &Plan, inputs: &str) -> Self {
        Self {
            arm: plan
                .control
                .as_ref()
                .map_or(DEBATE_ARM, |it| it.arm.name())
                .to_owned(),
            pairing: Pairing {
                cell: plan.cell.clone(),
                repetition: plan.repetition,
                swap: swap(plan),
                swap_group: swap(plan).map(|_| plan.kin()[..12].to_owned()),
            },
            seed: plan.seed,
            expected: None,
            budget: None,
            question: plan.posed.clone(),
            version: plan.version,
            background: json!(plan.background),
            rules: plan.rules.clone(),
            query: plan.query.clone(),
            language: plan.language.clone(),
            settings: settings_of(&plan.format),
            on_failure: json!(plan.on_failure)
                .as_str()
                .unwrap_or_default()
                .to_owned(),
            output: json!(plan.output),
            inputs: inputs.to_owned(),
        }
    }
}

/// Which assignment of sides a debate has, where its job swaps them.
fn swap(plan: &Plan) -> Option<u32> {
    u32::try_from(plan.cell.get("swap")?.as_u64()?).ok()
}

fn sampling(p: &Participant) -> Map<String, Value> {
    let all = json!(p);
    let keys = [
        "model",
        "fallback",
        "temperature",
        "max_tokens",
        "context_window",
        "think",
        "thinking_tokens",
        "description",
    ];
    let keys = keys
        .iter()
        .chain(Some(&"judging_temperature").filter(|_| p.judging_temperature.is_some()))
        .chain(Some(&"options").filter(|_| !p.options.is_empty()));
    keys.map(|key| ((*key).to_owned(), all[*key].clone()))
        .collect()
}
