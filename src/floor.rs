//! What a format may do: speak, ask, announce, draw, remember, conclude. Retries, fallbacks, budgets, repairs and the
//! journal are all in here, once, so that a format reads like the minutes of a debate.

mod account;
mod allowance;
mod attempt;
mod attempts;
mod budget;
mod call;
mod clerk;
mod counts;
mod ending;
mod nearest;
mod pace;
mod record;
mod retrieval;
mod speech;
mod structured;
mod thoughts;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use chrono::{DateTime, Utc};
use serde_json::{Value, json};

pub use self::allowance::{TOKENS_A_SECOND, spoken_seconds};
pub use self::clerk::Focus;
pub use self::retrieval::Retrieve;
pub use self::speech::{CUT_MARK, Demand, Speech, without_mark};
pub use self::structured::{Answer, Question, object};

use self::attempts::{Attempts, Next};
use self::budget::Budget;
use self::pace::RoundClock;
use self::record::{Part, Record};
use crate::clock::Clock;
use crate::digest;
use crate::event::{
    self, DebateStart, Event, EventKind, Memory, MemoryUpdate, Metadata, ModelCard, RoundNotes,
    Statement, TokenCount, Usage,
};
use crate::job::participant::Participant;
use crate::journal::{Entry, Header, Journal, JournalError, ReadingEntry};
use crate::model::{Card, Fault, Model, NoReply};
use crate::plan::Plan;
use crate::templates::{Common, TemplateError, Templates};
use crate::text;

/// Why a debate goes no further.
#[derive(Debug, thiserror::Error)]
pub enum Halt {
    /// The run is stopping; the debate goes on with the next run.
    #[error("stopped before the end")]
    Stopped,
    /// The debate cannot go on now; it stays unfinished, with the cause.
    #[error("{0}")]
    Parked(String),
    /// This program would ask something else than the one that began the debate; it stays unfinished, with the difference.
    #[error("{0}")]
    Changed(String),
    /// The debate has failed for good, with the cause.
    #[error("{0}")]
    Failed(String),
    /// The journal cannot be written.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// A template is wrong.
    #[error(transparent)]
    Template(#[from] TemplateError),
}

impl From<NoReply> for Halt {
    fn from(reason: NoReply) -> Self {
        match reason {
            NoReply::Stopped => Halt::Stopped,
            NoReply::Parked(cause) => Halt::Parked(cause),
            NoReply::Failed(error) => Halt::Parked(error.message),
        }
    }
}

/// Sees every event as it happens: logged ones in order, live ones in between.
pub type Watch = Arc<dyn Fn(&Event) + Send + Sync>;

/// What a floor stands on.
pub struct Ground {
    /// The debate.
    pub plan: Arc<Plan>,
    /// The snapshot's templates.
    pub templates: Arc<Templates>,
    /// Who answers.
    pub model: Arc<dyn Model>,
    /// Where replies are kept; nowhere in a rehearsal that leaves nothing behind.
    pub journal: Option<Journal>,
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
    plan: Arc<Plan>,
    templates: Arc<Templates>,
    model: Arc<dyn Model>,
    journal: Option<Arc<Mutex<Journal>>>,
    /// What every text of this debate may use.
    common: Common,
    past: HashMap<(String, u32), Entry>,
    header: Header,
    clock: Clock,
    retry_delay: Duration,
    watch: Watch,
    state: Mutex<State>,
}

/// What has happened so far in this debate, all of it computed from plan and journal.
#[derive(Default)]
struct State {
    seq: u64,
    now: DateTime<Utc>,
    round: Option<u32>,
    part: Part,
    tokens_so_far: u64,
    names: HashSet<String>,
    system: String,
    record: Record,
    budget: Budget,
    usage: Usage,
    calls: Vec<event::Call>,
    shortfalls: Vec<String>,
    memories: BTreeMap<String, Memory>,
    /// Last statements that were cut or used nearly all of their allowance, by speaker.
    long_turns: HashMap<String, LongTurn>,
    clock: RoundClock,
    statements: u32,
    /// Compactions that are not reported yet: the call that made one, and what it did.
    pending: Vec<(String, String)>,
    events: Vec<Event>,
}

/// A statement that was cut or used nearly all of its allowance.
#[derive(Debug, Clone, Copy, serde::Serialize)]
struct LongTurn {
    /// Words that stand of it.
    words: usize,
    cut: bool,
}

/// The readings' place among the calls: they have one attempt.
const READING: u32 = 0;

impl Floor {
    /// A floor for one debate.
    pub fn new(ground: Ground) -> Self {
        let past = ground.past.into_iter().filter_map(keyed).collect();
        let state = State {
            now: ground.header.started_at,
            ..State::default()
        };
        Self {
            common: common(&ground.plan),
            plan: ground.plan,
            templates: ground.templates,
            model: ground.model,
            journal: ground.journal.map(|journal| Arc::new(Mutex::new(journal))),
            past,
            header: ground.header,
            clock: ground.clock,
            retry_delay: ground.retry_delay,
            watch: ground.watch,
            state: Mutex::new(state),
        }
    }

    /// The debate's plan.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The text of one of the snapshot's files as it stands.
    pub fn source(&self, name: &str) -> Option<&str> {
        self.templates.source(name)
    }

    /// Begins the debate: reads the models' cards, and makes `system` the text that every prompt begins with.
    pub async fn open(&self, system_template: &str, context: &Value) -> Result<(), Halt> {
        let system = self.render(system_template, context)?;
        self.state().system = system.trim().to_owned();
        let mut models = Vec::new();
        for name in self.plan.models() {
            models.push(self.read_card(name).await?);
        }
        let start = DebateStart {
            plan: Box::new(Plan::clone(&self.plan)),
            models,
            inputs: self.header.inputs.clone(),
            rebut: self.header.rebut.clone(),
        };
        self.emit(EventKind::DebateStart(start), None, None);
        Ok(())
    }

    /// A model's card, checked before it is written down; that of a model which only stands in for others may be missing, and
    /// all where the server has none.
    async fn read_card(&self, name: &str) -> Result<ModelCard, Halt> {
        let reading = format!("model/{name}");
        let name = name.to_owned();
        if let Some(Entry::Reading(entry)) = self.past.get(&(reading.clone(), READING)) {
            let card = serde_json::from_value(entry.value.clone()).unwrap_or_default();
            return Ok(ModelCard { name, card });
        }
        let needed = self.plan.participants.iter().any(|p| p.model == name);
        let card = match self.ask_for_card(&name).await {
            Ok(card) => card,
            Err(NoReply::Stopped) => return Err(Halt::Stopped),
            Err(NoReply::Failed(error)) if error.fault == Fault::Unsupported => Card::default(),
            Err(error) if needed => return Err(error.into()),
            Err(_) => Card::default(),
        };
        let model = ModelCard { name, card };
        self.check_context(&model)?;
        self.append(Entry::Reading(ReadingEntry {
            name: reading,
            at: self.clock.now(),
            value: json!(model.card),
        }))
        .await?;
        Ok(model)
    }

    /// Asks for a card, like any call three times where that may help.
    async fn ask_for_card(&self, name: &str) -> Result<Card, NoReply> {
        let mut attempts = Attempts::of(&Participant::default());
        loop {
            let pause = attempts.pause(self.retry_delay, &self.plan.id, name);
            tokio::time::sleep(pause).await;
            match self.model.card(name).await {
                Err(NoReply::Failed(error)) if attempts.failed(error.fault) == Next::Again => {}
                other => return other,
            }
        }
    }

    /// A model that was trained for less context than a participant wants is refused before its first call (row M3a).
    fn check_context(&self, model: &ModelCard) -> Result<(), Halt> {
        let Some(trained) = model.card.context_length else {
            return Ok(());
        };
        let short = |p: &&Participant| {
            p.models().any(|name| name == model.name) && trained < u64::from(p.context_window)
        };
        match self.plan.participants.iter().find(short) {
            None => Ok(()),
            Some(p) => Err(Halt::Parked(format!(
                "{} was trained for {trained} tokens of context, but {} wants a context_window of {}: lower it in the job, or take another model",
                model.name, p.name, p.context_window
            ))),
        }
    }

    /// Begins a round: the estimates of token counts and speeds take in what the last one showed.
    pub fn begin_round(&self, round: u32, speakers: &[&str]) {
        {
            let mut state = self.state();
            let state = &mut *state;
            state.round = Some(round);
            state.part = Part::Round(round);
            state.budget.begin_round();
            state.clock.begin_round(&state.usage, state.now);
        }
        let speakers = speakers.iter().map(|id| (*id).to_owned()).collect();
        self.emit(EventKind::RoundStart { speakers }, None, None);
    }

    /// Begins a part of the debate that is no round, such as the closing statements; the record gets its title as a heading.
    pub fn begin_phase(&self, title: &str) {
        let mut state = self.state();
        state.round = None;
        state.part = Part::Phase(title.to_owned());
        state.budget.begin_round();
    }

    /// The model time of the debate so far in milliseconds: what would pass with calls that run side by side doing so.
    pub fn model_ms(&self) -> u64 {
        self.state().clock.total_ms()
    }

    /// Puts a text of ours on the record; `gist` is its line in indexes.
    pub fn announce(
        &self,
        phase: &str,
        gist: String,
        template: &str,
        context: &Value,
    ) -> Result<(), Halt> {
        let text = self.render(template, context)?.trim().to_owned();
        let statement = Statement {
            gist,
            ..speech::announced(self, phase, text)
        };
        self.put_on_record(statement);
        Ok(())
    }

    /// What agents remember after a round.
    pub fn remember(&self, round: u32, memories: BTreeMap<String, Memory>) {
        self.state().memories.extend(memories.clone());
        self.emit(
            EventKind::Memory(MemoryUpdate { round, memories }),
            None,
            None,
        );
    }

    /// Ends a round with the notes on it.
    pub fn close_round(&self, mut notes: RoundNotes) {
        {
            let mut state = self.state();
            notes.model_ms = state.clock.model_ms();
            notes.wall_ms = state.clock.wall_ms(state.now);
            state.record.add_notes(notes.clone());
        }
        self.emit(EventKind::Summary(notes), Some("clerk"), None);
    }

    /// Puts a change of the cast on the record: whatever is folded later, prompts keep it.
    pub fn note_change(&self, round: u32, change: String) {
        self.state().record.add_change(round, change);
    }

    /// What an agent remembers so far.
    pub fn memory(&self, id: &str) -> Memory {
        self.state().memories.get(id).cloned().unwrap_or_default()
    }

    /// A number below `sides`, drawn from the debate's seed and topic and `what` it is drawn for.
    pub fn draw(&self, what: &str, sides: usize) -> usize {
        (digest::derive(self.plan.draw_seed(), what) % sides.max(1) as u64) as usize
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
        let event = {
            let mut state = self.state();
            state.seq += 1;
            let mut event = self.event(&state, kind, role, model);
            event.seq = Some(state.seq);
            state.events.push(event.clone());
            event
        };
        (self.watch)(&event);
    }

    fn event(
        &self,
        state: &State,
        kind: EventKind,
        role: Option<&str>,
        model: Option<&str>,
    ) -> Event {
        let metadata = Metadata {
            model: model.map(str::to_owned),
            role: role.map(str::to_owned),
            tokens_so_far: state.tokens_so_far,
            ..Metadata::default()
        };
        Event {
            debate: self.plan.id.to_string(),
            seq: None,
            time: state.now,
            round: state.round,
            kind,
            metadata,
        }
    }

    /// The events so far.
    pub fn events(&self) -> Vec<Event> {
        self.state().events.clone()
    }

    /// The digest of a template's text.
    pub fn template_digest(&self, template: &str) -> Option<String> {
        self.templates.digest(template)
    }

    /// Renders a template with what every text of this debate may use, and `context` on top.
    fn render(&self, template: &str, context: &Value) -> Result<String, Halt> {
        let rendered = self.templates.render_with(template, &self.common, context);
        Ok(rendered?)
    }

    /// Appends to the journal and returns when the entry is on disk.
    async fn append(&self, entry: Entry) -> Result<(), Halt> {
        let Some(journal) = self.journal.clone() else {
            return Ok(());
        };
        let write = move || {
            journal
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .append(&entry)
        };
        let written = tokio::task::spawn_blocking(write).await;
        written
            .map_err(|e| Halt::Parked(format!("the journal's writer broke: {e}")))?
            .map_err(Halt::from)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What every text of a debate may use.
fn common(plan: &Plan) -> Common {
    Common::of(&json!({
        "topic": plan.topic,
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

fn keyed(entry: Entry) -> Option<((String, u32), Entry)> {
    let key = match &entry {
        Entry::Debate(_) => return None,
        Entry::Reply(reply) => (reply.call.clone(), reply.attempt),
        Entry::Failure(failure) => (failure.call.clone(), failure.attempt),
        Entry::Reading(reading) => (reading.name.clone(), READING),
    };
    Some((key, entry))
}

impl From<crate::model::Tokens> for TokenCount {
    fn from(tokens: crate::model::Tokens) -> Self {
        Self {
            prompt: tokens.prompt,
            reply: tokens.reply,
        }
    }
}
