//! What a floor is built from, and what its parts need of one another.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use super::Floor;
use super::audience::Audience;
use super::calls::Calls;
use super::halt::Halt;
use super::log::{EventLog, Watch};
use super::prompts::Prompts;
use crate::clock::Clock;
use crate::event::{Allotted, IncidentKind, Memory};
use crate::job::OnFailure;
use crate::job::participant::Participant;
use crate::journal::{Entry, Header, Journal};
use crate::model::Model;
use crate::plan::Plan;
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

    pub(super) fn participant(&self, id: &str) -> Result<&Participant, Halt> {
        self.plan.participant(id).ok_or_else(|| {
            Halt::Failed(format!("a mistake in rebut: there is no participant {id}"))
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

    /// Something that matters is missing, for want of these calls' replies: the debate is degraded, or fails where the
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
