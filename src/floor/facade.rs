//! `Floor`, a facade over its parts, each owning its state, and what they need from each other.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use serde_json::{Value, json};

use super::audience::Audience;
use super::calls::Calls;
use super::halt::{Halt, Result};
use super::log::{EventLog, Watch};
use super::prompts::Prompts;
use super::round_clock::RoundClock;
use super::usage_ledger::Ledger;
use crate::clock::Clock;
use crate::digest;
use crate::event::{Allotted, Event, EventKind, Incident, IncidentKind, Memory, Statement};
use crate::flow::Flow;
use crate::job::OnFailure;
use crate::job::participant::Participant;
use crate::journal::{Entry, Header, Journal};
use crate::model::Model;
use crate::plan::Plan;
use crate::sent::SentRequests;
use crate::shared::Shared;
use crate::templates::{SharedFields, Templates};
use crate::text;

/// What a floor is built from.
pub struct FloorParts {
    /// The debate.
    pub plan: Arc<Plan>,
    /// The snapshot's templates.
    pub templates: Arc<Templates>,
    /// The model that answers.
    pub model: Arc<dyn Model>,
    /// Where replies are kept; `None` for a rehearsal that leaves nothing behind.
    pub journal: Option<Journal>,
    /// The budget of a control that is matched to debates. Once the debate has begun, the journal has it.
    pub allotted: Option<Allotted>,
    /// The people who vote besides the judges, if people can.
    pub audience: Option<Arc<dyn Audience>>,
    /// The journal's entries at the start.
    pub past: Vec<Entry>,
    /// The journal's first line.
    pub header: Header,
    /// The time.
    pub clock: Clock,
    /// The pause before a second attempt; it doubles with each further one.
    pub retry_delay: Duration,
    /// The observer.
    pub watch: Watch,
}

/// Everything that a format works with.
pub struct Floor {
    pub(super) plan: Arc<Plan>,
    pub(super) templates: Arc<Templates>,
    /// Values for every template of this debate.
    common: SharedFields,
    pub(super) calls: Calls,
    pub(super) allotted: Option<Allotted>,
    pub(super) audience: Option<Arc<dyn Audience>>,
    pub(super) log: EventLog,
    pub(super) prompts: Shared<Prompts>,
    pub(super) ledger: Shared<Ledger>,
    pub(super) pace: Shared<RoundClock>,
    pub(super) speakers: Shared<Speakers>,
    pub(super) retry_delay: Duration,
}

/// What speakers carry from one turn to the next.
#[derive(Default)]
pub(super) struct Speakers {
    pub(super) memories: BTreeMap<String, Memory>,
    /// Latest statements that were cut, break off, or used nearly all of their allowance, by speaker.
    pub(super) long_turns: HashMap<String, LongTurn>,
}

/// A statement that was cut, breaks off, or used nearly all of its allowance.
#[derive(Debug, Clone, Copy, serde::Serialize)]
pub(super) struct LongTurn {
    /// Words kept of it.
    pub(super) words: usize,
    /// Words asked for at most.
    pub(super) asked: u32,
    pub(super) cut: bool,
    pub(super) breaks_off: bool,
}

impl Floor {
    /// A floor for one debate.
    pub fn new(parts: FloorParts) -> Self {
        let plan = parts.plan;
        let (id, started_at) = (plan.id.clone(), parts.header.started_at);
        let prompts = Prompts::new(&plan);
        Self {
            common: common(&plan),
            plan,
            templates: parts.templates,
            allotted: parts.allotted,
            audience: parts.audience,
            calls: Calls::new(parts.model, parts.journal, parts.past, parts.header, parts.clock),
            log: EventLog::new(id, started_at, parts.watch),
            prompts: Shared::new(prompts),
            ledger: Shared::default(),
            pace: Shared::default(),
            speakers: Shared::default(),
            retry_delay: parts.retry_delay,
        }
    }

    /// The debate's plan.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The text of one of the snapshot's files.
    pub fn source(&self, name: &str) -> Option<&str> {
        self.templates.source(name)
    }

    /// Whether the debate's prompts explain [`text::BREAK_MARK`]; those of one that began before there was this mark do not.
    pub(super) fn marks_breaks(&self) -> bool {
        self.source("prompts/setting.md.j2").is_some_and(|text| text.contains(text::BREAK_MARK))
    }

    /// The digest of a template's text.
    pub fn template_digest(&self, template: &str) -> Option<String> {
        self.templates.digest(template)
    }

    /// The model time of the debate so far in milliseconds: the time it takes if calls that can run in parallel do so.
    pub fn model_ms(&self) -> u64 {
        self.pace.lock().total_ms()
    }

    /// The current flow.
    pub fn flow(&self) -> Flow {
        self.prompts.lock().sheet.flow(false)
    }

    /// A number below `sides`, drawn from the debate's seed and topic and the purpose `what`.
    pub fn draw(&self, what: &str, sides: usize) -> usize {
        (digest::derive(self.plan().draw_seed(), what) % sides.max(1) as u64) as usize
    }

    /// The items in rotation: turn 0 begins with a drawn item, and each further turn with the next one. This separates order
    /// from merit: over as many turns as there are items, each item is in each place once.
    pub fn draw_order<'a>(&self, what: &str, turn: usize, items: &[&'a str]) -> Vec<&'a str> {
        let sides = items.len().max(1);
        let mut order = items.to_vec();
        order.rotate_left((self.draw(what, sides) + turn) % sides);
        order
    }

    /// Journals a value, which the next run finds there.
    pub async fn keep(&self, name: &str, value: Value) -> Result<()> {
        self.calls.keep(name, value).await.map(drop)
    }

    /// When the last reply taken into account was on disk.
    pub fn now(&self) -> DateTime<Utc> {
        self.log.now()
    }

    /// The events so far.
    pub fn events(&self) -> Vec<Event> {
        self.log.events()
    }

    /// The statements on the record so far.
    pub fn statements(&self) -> Vec<Statement> {
        self.log.look(|events| Event::statements(events).cloned().collect())
    }

    /// Takes every request so far, whether answered from the journal or by a model. The floor keeps none of them.
    pub fn take_sent(&self) -> SentRequests {
        std::mem::take(&mut self.calls.sent.lock())
    }

    pub(super) fn participant(&self, id: &str) -> Result<&Participant> {
        self.plan.participant(id).ok_or_else(|| {
            Halt::Failed(format!("internal error (please report): there is no participant {id}"))
        })
    }

    /// Renders a template with the values shared by this debate's templates, and `context` on top.
    pub fn render(&self, template: &str, context: &Value) -> Result<String> {
        let rendered = self.templates.render_with(template, &self.common, context)?;
        Ok(text::without_gaps(rendered.trim().to_owned()))
    }

    /// Renders a task with what the floor knows about its participant, and `context` on top.
    pub(super) fn task(&self, template: &str, mut known: Value, context: &Value) -> Result<String> {
        if let (Value::Object(all), Value::Object(own)) = (&mut known, context) {
            all.extend(own.clone());
        }
        self.render(template, &known)
    }

    /// Emits an event that belongs to the debate: numbered, kept, and shown to viewers.
    pub fn emit(&self, kind: EventKind, role: Option<&str>, model: Option<&str>) {
        self.log.emit(kind, role, model);
    }

    /// Puts a deviation from what was asked into the trace.
    pub fn report(
        &self,
        kind: IncidentKind,
        call: Option<&str>,
        attempt: Option<u32>,
        message: String,
    ) {
        let incident =
            Incident { kind, call: call.map(str::to_owned), attempt, message, at: self.now() };
        self.emit(EventKind::Incident(incident), None, None);
    }

    /// Puts what a model does in call after call into the trace, the first time.
    pub(super) fn report_once(&self, kind: IncidentKind, model: &str, call: &str, message: String) {
        let is_known = |event: &Event| {
            matches!(&event.kind, EventKind::Incident(it) if it.kind == kind)
                && event.metadata.model.as_deref() == Some(model)
        };
        if self.log.look(|events| events.iter().any(is_known)) {
            return;
        }
        let incident =
            Incident { kind, call: Some(call.to_owned()), attempt: None, message, at: self.now() };
        self.emit(EventKind::Incident(incident), None, Some(model));
    }

    /// Something important is missing for lack of these calls' replies. The debate is degraded, or fails if the job says
    /// `on_failure: abort`.
    pub fn fall_short<'c>(
        &self,
        calls: impl IntoIterator<Item = &'c str>,
        reason: String,
    ) -> Result<()> {
        self.fall_short_by(IncidentKind::Missing, calls, reason)
    }

    /// The same, with an incident of this kind.
    pub(super) fn fall_short_by<'c>(
        &self,
        kind: IncidentKind,
        calls: impl IntoIterator<Item = &'c str>,
        reason: String,
    ) -> Result<()> {
        for call in calls {
            self.report(kind.clone(), Some(call), None, reason.clone());
        }
        match self.plan.on_failure {
            OnFailure::Abort => Err(Halt::Failed(reason)),
            OnFailure::Emergency => {
                self.ledger.lock().fall_short(reason);
                Ok(())
            }
        }
    }
}

/// Values for every template of a debate.
fn common(plan: &Plan) -> SharedFields {
    SharedFields::new(&json!({
        "topic": plan.motion(),
        "query": plan.query,
        "short_question": short(plan.question()),
        "rules": plan.rules,
        "background": plan.background,
        "language": plan.language,
        "participants": plan.participants,
        "settings": crate::trace::settings_of(&plan.format),
    }))
}

/// Maximum characters of a question that a task repeats at its end; a longer one is only at the beginning of the prompt.
const REPEATED: usize = 300;

/// A question short enough to be repeated, on one line. It is never cut.
fn short(question: &str) -> Option<String> {
    let line = text::one_line(question);
    let fits = line.chars().count() <= REPEATED && question.trim().lines().count() == 1;
    fits.then_some(line)
}
