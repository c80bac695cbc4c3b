//! The whole floor: its parts, each owning its state, and what they need from each other.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use serde_json::{Value, json};

use super::audience::Audience;
use super::calls::Calls;
use super::halt::Halt;
use super::ledger::Ledger;
use super::log::{EventLog, Watch};
use super::pace::RoundClock;
use super::prompts::Prompts;
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
    /// Who answers.
    pub model: Arc<dyn Model>,
    /// Where replies are kept; nowhere in a rehearsal that leaves nothing behind.
    pub journal: Option<Journal>,
    /// What a control that is matched to debates may spend; the journal has it once it has begun.
    pub allotted: Option<Allotted>,
    /// Who votes beside the judges, where people can.
    pub audience: Option<Arc<dyn Audience>>,
    /// What the journal held before.
    pub past: Vec<Entry>,
    /// The journal's first line.
    pub header: Header,
    /// The time.
    pub clock: Clock,
    /// The pause before a second attempt; it doubles with each further one.
    pub retry_delay: Duration,
    /// Who looks on.
    pub watch: Watch,
}

/// Everything that a debate's format works with.
pub struct Floor {
    pub(super) plan: Arc<Plan>,
    pub(super) templates: Arc<Templates>,
    /// What every text of this debate may use.
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

/// What speakers take from one turn to the next.
#[derive(Default)]
pub(super) struct Speakers {
    pub(super) memories: BTreeMap<String, Memory>,
    /// Last statements that were cut or used nearly all of their allowance, by speaker.
    pub(super) long_turns: HashMap<String, LongTurn>,
}

/// A statement that was cut or used nearly all of its allowance.
#[derive(Debug, Clone, Copy, serde::Serialize)]
pub(super) struct LongTurn {
    /// Words that stand of it.
    pub(super) words: usize,
    pub(super) cut: bool,
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
            calls: Calls::new(
                parts.model,
                parts.journal,
                parts.past,
                parts.header,
                parts.clock,
            ),
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

    /// The digest of a template's text.
    pub fn template_digest(&self, template: &str) -> Option<String> {
        self.templates.digest(template)
    }

    /// The model time of the debate so far in milliseconds: what would pass with calls that run side by side doing so.
    pub fn model_ms(&self) -> u64 {
        self.pace.lock().total_ms()
    }

    /// The flow as it is.
    pub fn flow(&self) -> Flow {
        self.prompts.lock().sheet.flow(false)
    }

    /// A number below `sides`, drawn from the debate's seed and topic and `what` it is drawn for.
    pub fn draw(&self, what: &str, sides: usize) -> usize {
        (digest::derive(self.plan().draw_seed(), what) % sides.max(1) as u64) as usize
    }

    /// The items from one on, in their order and round to the first: in turn 0 from a drawn one, in each further turn from
    /// the next. So order can be told from merit, and over as many turns as items each item is in every place once.
    pub fn draw_order<'a>(&self, what: &str, turn: usize, items: &[&'a str]) -> Vec<&'a str> {
        let sides = items.len().max(1);
        let mut order = items.to_vec();
        order.rotate_left((self.draw(what, sides) + turn) % sides);
        order
    }

    /// Writes a value into the journal that the next run finds there.
    pub async fn keep(&self, name: &str, value: Value) -> Result<(), Halt> {
        self.calls.keep(name, value).await.map(drop)
    }

    /// When the last reply that was taken into account was on disk.
    pub fn now(&self) -> DateTime<Utc> {
        self.log.now()
    }

    /// The events so far.
    pub fn events(&self) -> Vec<Event> {
        self.log.events()
    }

    /// What was said on the record so far.
    pub fn statements(&self) -> Vec<Statement> {
        let said = |event: &Event| match &event.kind {
            EventKind::Statement(said) => Some(said.clone()),
            _ => None,
        };
        self.log
            .look(|events| events.iter().filter_map(said).collect())
    }

    /// Every request so far, whether it was answered from the journal or by a model. They are handed over: the floor keeps none.
    pub fn take_sent(&self) -> SentRequests {
        std::mem::take(&mut self.calls.sent.lock())
    }

    pub(super) fn participant(&self, id: &str) -> Result<&Participant, Halt> {
        self.plan.participant(id).ok_or_else(|| {
            Halt::Failed(format!(
                "internal error (please report): there is no participant {id}"
            ))
        })
    }

    /// Renders a template with what every text of this debate may use, and `context` on top.
    pub(super) fn render(&self, template: &str, context: &Value) -> Result<String, Halt> {
        let rendered = self
            .templates
            .render_with(template, &self.common, context)?;
        Ok(rendered.trim().to_owned())
    }

    /// Renders a task: `context` on top of what the floor knows of whom it is for.
    pub(super) fn task(
        &self,
        template: &str,
        mut known: Value,
        context: &Value,
    ) -> Result<String, Halt> {
        if let (Value::Object(all), Value::Object(own)) = (&mut known, context) {
            all.extend(own.clone());
        }
        self.render(template, &known)
    }

    /// Emits an event that belongs to the debate: numbered, kept, and shown to viewers.
    pub fn emit(&self, kind: EventKind, role: Option<&str>, model: Option<&str>) {
        self.log.emit(kind, role, model);
    }

    /// Puts something that did not go as asked into the trace.
    pub fn report(
        &self,
        kind: IncidentKind,
        call: Option<&str>,
        attempt: Option<u32>,
        message: String,
    ) {
        let incident = Incident {
            kind,
            call: call.map(str::to_owned),
            attempt,
            message,
            at: self.now(),
        };
        self.emit(EventKind::Incident(incident), None, None);
    }

    /// Something that matters is missing, for lack of these calls' replies: the debate is degraded, or fails where the
    /// job says `on_failure: abort`.
    pub fn fall_short<'c>(
        &self,
        calls: impl IntoIterator<Item = &'c str>,
        reason: String,
    ) -> Result<(), Halt> {
        self.fall_short_by(IncidentKind::Missing, calls, reason)
    }

    /// The same as an incident of this kind.
    pub(super) fn fall_short_by<'c>(
        &self,
        kind: IncidentKind,
        calls: impl IntoIterator<Item = &'c str>,
        reason: String,
    ) -> Result<(), Halt> {
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

/// What every text of a debate may use.
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

/// Characters of a question that a task can repeat at its end; a longer one stands at the beginning of the prompt only.
const REPEATED: usize = 300;

/// A question that is short enough to be repeated, on one line. It is never cut.
fn short(question: &str) -> Option<String> {
    let line = text::one_line(question);
    let fits = line.chars().count() <= REPEATED && question.trim().lines().count() == 1;
    fits.then_some(line)
}
