//! What a format may do: speak, ask, announce, draw, remember, conclude. Retries, fallbacks, budgets, repairs and the
//! journal are all below, once, so that a format reads like the minutes of a debate.

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
mod desk;
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
mod prompts;
mod retrieval;
mod speech;
mod structured;
mod thoughts;
mod transcript;
mod voices;
mod vote;

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde_json::Value;

pub use self::allowance::{CUT_MARK, TOKENS_A_SECOND, spoken_seconds, without_mark};
pub use self::audience::{Audience, opening_of};
pub use self::desk::FloorParts;
pub use self::halt::Halt;
pub use self::log::Watch;
pub use self::retrieval::Retrieve;
pub use self::speech::{Demand, Doubt, Doubts, Form, Speech};
pub use self::structured::{Answer, Question, object};

use self::desk::Desk;
use self::transcript::Section;
use crate::call_id::CallStage;
use crate::digest;
use crate::event::{
    Allotted, Complete, DebateStart, Event, EventKind, IncidentKind, Memory, MemoryUpdate, Notes,
    Outcome, Phase, Purpose, Retrieval, RoundNotes, Statement, Tally, VoteWindow,
};
use crate::flow::{Flow, Noted};
use crate::job::TokenMeasure;
use crate::job::script::{self, Script};
use crate::plan::Plan;
use crate::sent::SentRequests;

/// Everything that a debate's format works with.
pub struct Floor {
    desk: Desk,
}

impl Floor {
    /// A floor for one debate.
    pub fn new(parts: FloorParts) -> Self {
        Self {
            desk: Desk::new(parts),
        }
    }

    /// The debate's plan.
    pub fn plan(&self) -> &Plan {
        &self.desk.plan
    }

    /// The text of one of the snapshot's files.
    pub fn source(&self, name: &str) -> Option<&str> {
        self.desk.templates.source(name)
    }

    /// The digest of a template's text.
    pub fn template_digest(&self, template: &str) -> Option<String> {
        self.desk.templates.digest(template)
    }

    /// Begins the debate: reads the models' cards, and makes the system text, with which every prompt begins.
    pub async fn open(&self, system_template: &str, context: &Value) -> Result<(), Halt> {
        self.desk.prompts.lock().system = self.desk.render(system_template, context)?;
        let header = &self.desk.calls.header;
        let start = DebateStart {
            plan: Box::new(self.plan().clone()),
            models: cards::read(&self.desk).await?,
            inputs: header.inputs.clone(),
            rebut: header.rebut.clone(),
        };
        self.emit(EventKind::DebateStart(start), None, None);
        Ok(())
    }

    /// Begins a round: the estimates of token counts and speeds take in what the last one showed.
    pub fn begin_round(&self, round: u32, speakers: &[&str]) {
        self.desk.log.set_round(Some(round));
        self.desk.prompts.lock().begin(Section::Round(round));
        let usage = self.desk.ledger.lock().usage.clone();
        let now = self.desk.log.now();
        self.desk.pace.lock().begin_round(&usage, now);
        let speakers = speakers.iter().map(|id| (*id).to_owned()).collect();
        self.emit(EventKind::RoundStart { speakers }, None, None);
    }

    /// Begins a part of the debate that is no round, such as the closing statements; its title is a heading in prompts.
    pub fn begin_phase(&self, title: &str) {
        self.desk.log.set_round(None);
        let section = Section::Phase(title.to_owned());
        self.desk.prompts.lock().begin(section);
    }

    /// The model time of the debate so far in milliseconds: what would pass with calls that run side by side doing so.
    pub fn model_ms(&self) -> u64 {
        self.desk.pace.lock().total_ms()
    }

    /// Puts a text of ours on the transcript; `gist` is its line in indexes.
    pub fn announce(
        &self,
        phase: Phase,
        gist: String,
        template: &str,
        context: &Value,
    ) -> Result<(), Halt> {
        speech::announce(&self.desk, phase, gist, template, context)
    }

    /// Asks a participant for a statement and puts it on the transcript; an emergency reply, where none can be had.
    pub async fn speak(&self, speech: Speech<'_>) -> Result<Statement, Halt> {
        speech::speak(&self.desk, speech).await
    }

    /// Asks for several statements at once, blind to each other, and puts them on the transcript in this order; emergency
    /// replies, where none can be had.
    pub async fn speak_blind(&self, speeches: &[Speech<'_>]) -> Result<Vec<Statement>, Halt> {
        speech::speak_blind(&self.desk, speeches).await
    }

    /// Asks for a statement in a form; with it comes the value, `null` where there is none.
    pub async fn speak_in_form(&self, speech: Speech<'_>) -> Result<(Statement, Value), Halt> {
        speech::speak_in_form(&self.desk, speech).await
    }

    /// Asks for a text that ends the debate and that nothing can stand in for, such as an answer or a summary, and puts it
    /// on the transcript. The debate falls short of one that cannot be had, or whose writer could not be shown enough.
    pub async fn deliver(&self, speech: Speech<'_>) -> Result<Option<Statement>, Halt> {
        speech::deliver(&self.desk, speech).await
    }

    /// Asks for a text that the debate can do without, such as the summary of a round, and puts it on the transcript. One
    /// that cannot be had is left out: an incident, and no more.
    pub async fn speak_if_can(&self, speech: Speech<'_>) -> Result<Option<Statement>, Halt> {
        speech::speak_if_can(&self.desk, speech).await
    }

    /// Asks for a comment, which stands among the messages but not on the transcript that models see. One that cannot be
    /// had is left out: an incident, and no more.
    pub async fn comment(&self, speech: Speech<'_>) -> Result<(), Halt> {
        speech::comment(&self.desk, speech).await
    }

    /// Asks one participant, with nobody else being asked meanwhile.
    pub async fn ask(&self, question: &Question<'_>) -> Result<Answer, Halt> {
        structured::ask(&self.desk, question, Purpose::Judge).await
    }

    /// Asks several participants at once; answers come in the order of the questions. Where no reply can be used, all are
    /// asked once more.
    pub async fn poll(&self, questions: &[Question<'_>]) -> Result<Vec<Answer>, Halt> {
        structured::poll(&self.desk, questions, false).await
    }

    /// Asks several participants at once for what the debate's end rests on: they see as much of the transcript as fits.
    pub async fn poll_finally(&self, questions: &[Question<'_>]) -> Result<Vec<Answer>, Halt> {
        structured::poll(&self.desk, questions, true).await
    }

    /// What a control that is matched to debates may spend; `None` where it is not matched.
    pub async fn allotted(&self) -> Result<Option<Allotted>, Halt> {
        matched::allotted(&self.desk).await
    }

    /// Tokens of the calls so far on which an answer depends.
    pub fn spent(&self, measure: TokenMeasure) -> u64 {
        matched::spent(&self.desk, measure)
    }

    /// Has the clerk note an exchange: every side that speaks in it has spoken.
    pub async fn note(&self, stage: CallStage, said: &[&Statement]) -> Result<Notes, Halt> {
        clerk::note(&self.desk, stage, said).await
    }

    /// Takes in the notes on an exchange that follow from its statements' own form: the clerk is not asked.
    pub fn take_notes(&self, round: u32, summary: String, noted: &[Noted]) -> Notes {
        clerk::take(&self.desk, round, summary, noted)
    }

    /// The flow as it stands.
    pub fn flow(&self) -> Flow {
        self.desk.prompts.lock().sheet.flow(false)
    }

    /// Looks for the texts of a folder that are nearest to a query, once per debate.
    pub async fn retrieve(&self, wanted: Retrieve<'_>) -> Result<Retrieval, Halt> {
        retrieval::retrieve(&self.desk, wanted).await
    }

    /// What those who spoke remember after an exchange: their own points and their opponents' (row K4).
    pub fn remembered(&self, said: &[&Statement], notes: &Notes) -> BTreeMap<String, Memory> {
        let speakers: Vec<&str> = said.iter().map(|s| s.by.as_str()).collect();
        self.remembered_by(&speakers, said, notes)
    }

    /// What these agents remember after an exchange, whether they spoke in it or listened.
    pub fn remembered_by(
        &self,
        agents: &[&str],
        said: &[&Statement],
        notes: &Notes,
    ) -> BTreeMap<String, Memory> {
        memory::after(&self.desk, agents, said, notes)
    }

    /// What agents remember after a round.
    pub fn remember(&self, round: u32, memories: BTreeMap<String, Memory>) {
        let mut speakers = self.desk.speakers.lock();
        speakers.memories.extend(memories.clone());
        drop(speakers);
        let update = MemoryUpdate { round, memories };
        self.emit(EventKind::Memory(update), None, None);
    }

    /// What an agent remembers so far.
    pub fn memory(&self, id: &str) -> Memory {
        self.desk.memory(id)
    }

    /// Ends a round with what it came to.
    pub fn close_round(&self, mut notes: RoundNotes) {
        let now = self.desk.log.now();
        notes.model_ms = self.desk.pace.lock().model_ms();
        notes.wall_ms = self.desk.pace.lock().wall_ms(now);
        self.desk.prompts.lock().close_round();
        self.emit(EventKind::Summary(notes), Some("clerk"), None);
    }

    /// Lets the audience vote on a round for so many seconds, beside all that goes on meanwhile.
    pub async fn open_vote(&self, round: u32, seconds: u32) -> Result<VoteWindow, Halt> {
        vote::open(&self.desk, round, seconds).await
    }

    /// Waits until the audience can vote no more, and counts: what was counted, and when.
    pub async fn close_vote(&self, window: &VoteWindow) -> Result<(Tally, DateTime<Utc>), Halt> {
        vote::close(&self.desk, window).await
    }

    /// Puts a change of the cast on the transcript: whatever is folded later, prompts keep it.
    pub fn note_change(&self, round: u32, change: String) {
        let mut prompts = self.desk.prompts.lock();
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
        self.desk.log.emit(kind, role, model);
    }

    /// Puts something that did not go as asked into the trace.
    pub fn report(
        &self,
        kind: IncidentKind,
        call: Option<&str>,
        attempt: Option<u32>,
        message: String,
    ) {
        self.desk.log.report(kind, call, attempt, message);
    }

    /// Something that matters is missing, for want of these calls' replies: the debate is degraded, or fails where the
    /// job says `on_failure: abort`.
    pub fn fall_short<'c>(
        &self,
        calls: impl IntoIterator<Item = &'c str>,
        reason: String,
    ) -> Result<(), Halt> {
        self.desk.fall_short(IncidentKind::Missing, calls, reason)
    }

    /// Writes a value into the journal that the next run finds there.
    pub async fn keep(&self, name: &str, value: Value) -> Result<(), Halt> {
        self.desk.calls.keep(name, value).await.map(drop)
    }

    /// When the last reply that was taken into account was on disk.
    pub fn now(&self) -> DateTime<Utc> {
        self.desk.log.now()
    }

    /// The events so far.
    pub fn events(&self) -> Vec<Event> {
        self.desk.log.events()
    }

    /// What was said on the record so far.
    pub fn statements(&self) -> Vec<Statement> {
        let said = |event: &Event| match &event.kind {
            EventKind::Statement(said) => Some(said.clone()),
            _ => None,
        };
        self.desk
            .log
            .look(|events| events.iter().filter_map(said).collect())
    }

    /// Every request so far, whether it was answered from the journal or by a model. They are handed over: the floor keeps none.
    pub fn take_sent(&self) -> SentRequests {
        std::mem::take(&mut self.desk.calls.sent.lock())
    }

    /// Ends the debate with what it came to.
    pub fn conclude(&self, outcome: Outcome) {
        let end = self.desk.ledger.lock().concluded(outcome);
        self.complete(end);
    }

    /// Ends the debate as failed.
    pub fn fail(&self, cause: String) {
        let end = self.desk.ledger.lock().failed(cause);
        self.complete(end);
    }

    fn complete(&self, end: Complete) {
        self.desk.log.set_round(None);
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
