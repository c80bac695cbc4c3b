//! What a format may do: speak, ask, announce, draw, remember, conclude. Retries, fallbacks, budgets, repairs and the
//! journal are all below, once, so that a format reads like the minutes of a debate. What may be done is in the module of the part
//! that does it: statements in `speech`, judgments in `structured`, notes in `clerk`.

mod allowance;
mod asking;
mod attempts;
mod audience;
mod budget;
mod call;
mod calls;
mod cards;
mod clerk;
mod counts;
mod halt;
mod ledger;
mod live;
mod log;
mod lookup;
mod matched;
mod memory;
mod nearest;
mod open;
mod pace;
mod parts;
mod prompts;
mod retrieval;
mod speech;
mod structured;
mod thoughts;
mod transcript;
mod voices;
mod vote;

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use serde_json::Value;

pub use self::allowance::{CUT_MARK, TOKENS_A_SECOND, spoken_seconds, without_mark};
pub use self::audience::{Audience, opening_of};
pub use self::halt::Halt;
pub use self::log::Watch;
pub use self::parts::FloorParts;
pub use self::retrieval::Retrieve;
pub use self::speech::{Demand, Doubt, Doubts, Form, Speech};
pub use self::structured::{Answer, Question, object};

use self::calls::Calls;
use self::ledger::Ledger;
use self::log::EventLog;
use self::pace::RoundClock;
use self::parts::Speakers;
use self::prompts::Prompts;
use self::transcript::Section;
use crate::digest;
use crate::event::{
    Allotted, Complete, DebateStart, Event, EventKind, Incident, IncidentKind, Outcome, RoundNotes,
    Statement,
};
use crate::flow::Flow;
use crate::job::script::{self, Script};
use crate::plan::Plan;
use crate::sent::SentRequests;
use crate::shared::Shared;
use crate::templates::{SharedFields, Templates};

/// Everything that a debate's format works with.
pub struct Floor {
    plan: Arc<Plan>,
    templates: Arc<Templates>,
    /// What every text of this debate may use.
    common: SharedFields,
    calls: Calls,
    allotted: Option<Allotted>,
    audience: Option<Arc<dyn Audience>>,
    log: EventLog,
    prompts: Shared<Prompts>,
    ledger: Shared<Ledger>,
    pace: Shared<RoundClock>,
    speakers: Shared<Speakers>,
    retry_delay: Duration,
}

impl Floor {
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

    /// Begins the debate: reads the models' cards, and makes the system text, with which every prompt begins.
    pub async fn open(&self, system_template: &str, context: &Value) -> Result<(), Halt> {
        self.prompts.lock().system = self.render(system_template, context)?;
        let header = &self.calls.header;
        let start = DebateStart {
            plan: Box::new(self.plan().clone()),
            models: cards::read(self).await?,
            inputs: header.inputs.clone(),
            rebut: header.rebut.clone(),
        };
        self.emit(EventKind::DebateStart(start), None, None);
        Ok(())
    }

    /// Begins a round: the estimates of token counts and speeds take in what the last one showed.
    pub fn begin_round(&self, round: u32, speakers: &[&str]) {
        self.log.set_round(Some(round));
        self.prompts.lock().begin(Section::Round(round));
        let usage = self.ledger.lock().usage.clone();
        let now = self.log.now();
        self.pace.lock().begin_round(&usage, now);
        let speakers = speakers.iter().map(|id| (*id).to_owned()).collect();
        self.emit(EventKind::RoundStart { speakers }, None, None);
    }

    /// Begins a part of the debate that is no round, such as the closing statements; its title is a heading in prompts.
    pub fn begin_phase(&self, title: &str) {
        self.log.set_round(None);
        let section = Section::Phase(title.to_owned());
        self.prompts.lock().begin(section);
    }

    /// The model time of the debate so far in milliseconds: what would pass with calls that run side by side doing so.
    pub fn model_ms(&self) -> u64 {
        self.pace.lock().total_ms()
    }

    /// The flow as it stands.
    pub fn flow(&self) -> Flow {
        self.prompts.lock().sheet.flow(false)
    }

    /// Ends a round with what it came to.
    pub fn close_round(&self, mut notes: RoundNotes) {
        let now = self.log.now();
        notes.model_ms = self.pace.lock().model_ms();
        notes.wall_ms = self.pace.lock().wall_ms(now);
        self.prompts.lock().close_round();
        self.emit(EventKind::Summary(notes), Some("clerk"), None);
    }

    /// Puts a change of the cast on the transcript: whatever is folded later, prompts keep it.
    pub fn note_change(&self, round: u32, change: String) {
        let mut prompts = self.prompts.lock();
        prompts.transcript.add_change(round, change);
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

    /// Emits an event that belongs to the debate: numbered, kept, and shown to whoever watches.
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

    /// Ends the debate with what it came to.
    pub fn conclude(&self, outcome: Outcome) {
        let end = self.ledger.lock().concluded(outcome);
        self.complete(end);
    }

    /// Ends the debate as failed.
    pub fn fail(&self, cause: String) {
        let end = self.ledger.lock().failed(cause);
        self.complete(end);
    }

    fn complete(&self, end: Complete) {
        self.log.set_round(None);
        let made_up = self.made_up(&end);
        self.emit(EventKind::Complete(Complete { made_up, ..end }), None, None);
    }

    /// How many replies a rehearsal's script lacks; none without a script.
    fn made_up(&self, end: &Complete) -> Option<u32> {
        let script = self.source(script::IN_SNAPSHOT)?;
        let asked = end.calls.iter();
        let asked = asked.map(|call| (call.call.as_str(), call.attempt));
        let script = Script::of_snapshot(script);
        Some(script.lacks(&self.plan().topic, asked))
    }
}
