//! The debate's events, in order, and its progress: round, time, tokens so far.

use std::cmp::Ordering;
use std::sync::Arc;

use chrono::{DateTime, Utc};

use crate::event::{Event, EventKind, Metadata};
use crate::id::DebateId;
use crate::shared::Shared;

/// An observer: sees every event as it happens, logged ones in order and live ones in between.
#[derive(Clone)]
pub struct Watch {
    see: Arc<dyn Fn(&Event) + Send + Sync>,
    wants_text: Arc<dyn Fn() -> bool + Send + Sync>,
}

impl Watch {
    /// Sees everything; the text of a reply when it has arrived.
    pub fn new(see: impl Fn(&Event) + Send + Sync + 'static) -> Self {
        Self { see: Arc::new(see), wants_text: Arc::new(|| false) }
    }

    /// Sees text as it arrives while `wants_text` says so: there are a hundred pieces for every other event. Text that arrived
    /// before comes with the next piece.
    #[must_use]
    pub fn wanting_text(self, wants_text: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        let wants_text = Arc::new(wants_text);
        Self { wants_text, ..self }
    }
}

/// The events of one debate.
pub(super) struct EventLog {
    debate: DebateId,
    watch: Watch,
    state: Shared<State>,
}

#[derive(Default)]
struct State {
    now: DateTime<Utc>,
    /// How often the clock was set back before.
    set_back: usize,
    round: Option<u32>,
    tokens_so_far: u64,
    statements: u32,
    events: Vec<Event>,
}

impl EventLog {
    pub(super) fn new(debate: DebateId, started_at: DateTime<Utc>, watch: Watch) -> Self {
        let state = State { now: started_at, ..State::default() };
        Self { debate, watch, state: Shared::new(state) }
    }

    /// Emits an event that belongs to the debate: numbered, kept, and shown to viewers.
    pub(super) fn emit(&self, kind: EventKind, role: Option<&str>, model: Option<&str>) {
        let event = {
            let mut state = self.state.lock();
            if let EventKind::Statement(_) | EventKind::Comment(_) = kind {
                state.statements += 1;
            }
            let mut event = self.event(&state, kind, role, model);
            event.seq = Some(state.events.len() as u64 + 1);
            state.events.push(event.clone());
            event
        };
        self.show(&event);
    }

    /// A live event: at the current time of the debate, and not logged.
    pub(super) fn live(&self, kind: EventKind, role: &str, model: &str) -> Event {
        self.event(&self.state.lock(), kind, Some(role), Some(model))
    }

    /// Shows an event to viewers.
    pub(super) fn show(&self, event: &Event) {
        (self.watch.see)(event);
    }

    /// Whether anyone watches text as it arrives.
    pub(super) fn wants_text(&self) -> bool {
        (self.watch.wants_text)()
    }

    fn event(
        &self,
        state: &State,
        kind: EventKind,
        role: Option<&str>,
        model: Option<&str>,
    ) -> Event {
        Event {
            debate: self.debate.clone(),
            seq: None,
            time: state.now,
            round: state.round,
            kind,
            metadata: Metadata {
                model: model.map(str::to_owned),
                role: role.map(str::to_owned),
                tokens_so_far: state.tokens_so_far,
                ..Metadata::default()
            },
        }
    }

    pub(super) fn events(&self) -> Vec<Event> {
        self.look(<[Event]>::to_vec)
    }

    /// Reads from the events so far.
    pub(super) fn look<T>(&self, at: impl FnOnce(&[Event]) -> T) -> T {
        at(&self.state.lock().events)
    }

    /// The time of the newest journal entry that the debate has taken in.
    pub(super) fn now(&self) -> DateTime<Utc> {
        self.state.lock().now
    }

    /// Takes in a journal entry of this time, with this many tokens of replies, before which the clock was set back so often.
    /// Returns how often it was as far as was known: what is news is now the debate's time, what is from before is late.
    pub(super) fn advance(&self, at: DateTime<Utc>, tokens: u64, set_back: usize) -> usize {
        let mut state = self.state.lock();
        state.tokens_so_far += tokens;
        let known = state.set_back;
        match set_back.cmp(&known) {
            Ordering::Greater => (state.now, state.set_back) = (at, set_back),
            Ordering::Equal => state.now = state.now.max(at),
            Ordering::Less => {}
        }
        known
    }

    pub(super) fn round(&self) -> Option<u32> {
        self.state.lock().round
    }

    pub(super) fn set_round(&self, round: Option<u32>) {
        self.state.lock().round = round;
    }

    /// The number of the next statement.
    pub(super) fn next_statement(&self) -> u32 {
        self.state.lock().statements + 1
    }
}
