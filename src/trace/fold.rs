//! From a debate's events to its trace.

use std::collections::BTreeMap;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use serde_json::{Value, json};

use super::{DEBATE_ARM, Pairing, SCHEMA_VERSION, Timing, Trace, TracePlan, settings_of};
use crate::event::{Complete, DebateStart, Event, EventKind, IncidentKind, Notes, Status, Usage};
use crate::flow::{Flow, Sheet};
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

/// A trace in the making: events are added as they come, each once.
#[derive(Debug, Clone)]
pub struct Fold {
    /// All but what is derived of several events. Shared with whoever was given it.
    trace: Arc<Trace>,
    plan: Box<Plan>,
    sheet: Sheet,
    is_over: bool,
    /// Whether what is derived is that of all events.
    is_settled: bool,
}

impl Fold {
    /// Begins with the first event.
    ///
    /// # Errors
    /// If that does not begin a debate.
    pub fn begin(event: &Event) -> Result<Self, TraceError> {
        let EventKind::DebateStart(start) = &event.kind else { return Err(TraceError::NoStart) };
        Ok(Self {
            trace: Arc::new(Trace::begin(start, event.time)),
            plan: start.plan.clone(),
            sheet: Sheet::new(&start.plan),
            is_over: false,
            is_settled: false,
        })
    }

    /// Adds the next event.
    pub fn add(&mut self, event: &Event) {
        match &event.kind {
            EventKind::Statement(s) | EventKind::Comment(s) => self.sheet.hear(&self.plan, s),
            EventKind::Notes(notes) => self.sheet.take(&notes.statements),
            _ => {}
        }
        self.is_over = matches!(event.kind, EventKind::Complete(_));
        self.is_settled = false;
        // Copied only while somebody looks at what it was before.
        let trace = Arc::make_mut(&mut self.trace);
        trace.ended_at = trace.ended_at.max(event.time);
        trace.add(&event.kind);
    }

    /// Whether the last event ends the debate.
    pub fn is_over(&self) -> bool {
        self.is_over
    }

    /// The trace as if the debate ended now, without what is made for finished ones: the digest of its record, and the format's
    /// own part.
    pub fn so_far(&mut self) -> Arc<Trace> {
        if !self.is_settled {
            let flow = self.sheet.flow(true);
            Arc::make_mut(&mut self.trace).settle(&self.plan, flow);
            self.is_settled = true;
        }
        Arc::clone(&self.trace)
    }
}

impl Trace {
    /// Folds events into a trace. The format's own part is left to the format.
    ///
    /// # Errors
    /// If the events are not those of a debate that has ended.
    pub fn fold(events: &[Event]) -> Result<Self, TraceError> {
        let (first, rest) = events.split_first().ok_or(TraceError::NoStart)?;
        let mut fold = Fold::begin(first)?;
        rest.iter().for_each(|event| fold.add(event));
        if !fold.is_over {
            return Err(TraceError::NoEnd);
        }
        let so_far = fold.so_far();
        drop(fold);
        let mut trace = Arc::unwrap_or_clone(so_far);
        trace.record_digest = Some(trace.digest_of_record());
        Ok(trace)
    }

    fn begin(start: &DebateStart, started_at: DateTime<Utc>) -> Self {
        let plan = &start.plan;
        Self {
            schema_version: SCHEMA_VERSION.to_owned(),
            id: plan.id.clone(),
            status: Status::Done,
            cause: None,
            rehearsal: plan.rehearsal,
            script: plan.script.as_ref().map(|script| script.name.clone()),
            made_up: None,
            format: plan.format.name().to_owned(),
            topic: plan.topic.clone(),
            job: plan.job.clone(),
            tags: plan.tags.clone(),
            started_at,
            ended_at: started_at,
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
            outcome: None,
            usage: Usage::default(),
            calls: Vec::new(),
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
            EventKind::Complete(complete) => self.end(complete),
            _ => {}
        }
    }

    fn add_notes(&mut self, notes: &Notes) {
        for noted in &notes.statements {
            let mut statements = self.statements.iter_mut().rev();
            if let Some(statement) = statements.find(|s| s.n == noted.n) {
                statement.gist.clone_from(&noted.claim);
            }
        }
        self.notes.push(notes.clone());
    }

    fn end(&mut self, complete: &Complete) {
        self.status = complete.status;
        self.cause.clone_from(&complete.cause);
        self.made_up = complete.made_up;
        self.outcome.clone_from(&complete.outcome);
        self.usage.clone_from(&complete.usage);
        self.calls.clone_from(&complete.calls);
    }

    /// Derives what follows from several events.
    fn settle(&mut self, plan: &Plan, flow: Flow) {
        self.flow = flow;
        self.refuse();
        self.participants = self.taking_part(plan);
        let is_set_back = self.incidents.iter().any(|it| it.kind == IncidentKind::Clock);
        let lasted = u64::try_from((self.ended_at - self.started_at).num_milliseconds());
        self.timing.total_ms = lasted.ok().filter(|_| !is_set_back);
        let by_purpose = self.usage.by_purpose.values();
        self.timing.model_ms = by_purpose.map(|u| u.prompt_ms + u.reply_ms).sum();
    }
}

impl TracePlan {
    fn new(plan: &Plan, inputs: &str) -> Self {
        Self {
            arm: plan.control.as_ref().map_or(DEBATE_ARM, |it| it.arm.name()).to_owned(),
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
            on_failure: json!(plan.on_failure).as_str().unwrap_or_default().to_owned(),
            output: json!(plan.output),
            inputs: inputs.to_owned(),
        }
    }
}

/// Which assignment of sides a debate has, where its job swaps them.
fn swap(plan: &Plan) -> Option<u32> {
    u32::try_from(plan.cell.get("swap")?.as_u64()?).ok()
}
