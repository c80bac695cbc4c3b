//! What is known of a debate that is open: by the screen, the lines of a run, and those who look on from elsewhere.

use std::time::Instant;

use chrono::{DateTime, Utc};

use super::log;
use super::screen::Row;
use crate::event::{DebateStart, Event, EventKind};
use crate::store::state::{AskedCall, OpenDebate};

/// A debate that is open.
pub(super) struct Open {
    /// Among those of the batch, in the order in which they were opened.
    pub(super) place: usize,
    pub(super) job: String,
    /// Calls that were answered in this run.
    pub(super) calls: u64,
    /// Whether an earlier run began it.
    pub(super) resumed: bool,
    begun: Instant,
    opened_at: DateTime<Utc>,
    topic: String,
    format: &'static str,
    asked: Vec<Asked>,
    title: String,
    log: log::Debate,
    rounds: u64,
    round: u64,
    /// Whether this run has made a call: what came before is from the journal.
    live: bool,
    /// Log lines of what may have come from the journal.
    held: Vec<String>,
    /// The part of the debate that was told of last.
    told: String,
    speed: f64,
}

/// A call under way.
struct Asked {
    call: Option<String>,
    doing: String,
    model: String,
    /// Whether it is on a server: before that it waits for its turn.
    in_flight: bool,
}

/// What a debate is called in lists.
pub(super) struct Names {
    pub(super) topic: String,
    /// Its id, its topic, and what tells it from the others of its job.
    pub(super) title: String,
}

impl Open {
    /// A debate that begins, or goes on after an earlier run, now.
    pub(super) fn new(
        start: &DebateStart,
        names: Names,
        place: usize,
        resumed: bool,
        opened_at: DateTime<Utc>,
    ) -> Self {
        let plan = &start.plan;
        Self {
            place,
            job: plan.job.clone(),
            calls: 0,
            resumed,
            begun: Instant::now(),
            opened_at,
            topic: names.topic,
            format: plan.format.name(),
            asked: Vec::new(),
            title: names.title,
            log: log::Debate::new(plan),
            rounds: u64::from(plan.format.most_rounds()),
            round: 0,
            live: false,
            held: Vec::new(),
            told: String::new(),
            speed: 0.0,
        }
    }

    /// Takes in an event; the lines that tell of it.
    pub(super) fn take(&mut self, event: &Event, verbose: bool) -> Vec<String> {
        let mut logged = self.log.lines(event);
        if !verbose {
            logged.clear();
        }
        match &event.kind {
            EventKind::RoundStart { .. } => self.round = event.round.unwrap_or(0).into(),
            EventKind::CallStart { .. } => return self.call_start(event, verbose, logged),
            EventKind::CallSent {} => self.set_in_flight(event, true),
            EventKind::CallWait {} => self.set_in_flight(event, false),
            EventKind::CallEnd {
                tokens,
                reply_ms,
                error,
            } => {
                self.calls += u64::from(error.is_none());
                self.asked.retain(|it| it.call != event.metadata.call);
                if *reply_ms > 0 {
                    self.speed = tokens.reply as f64 * 1000.0 / *reply_ms as f64;
                }
            }
            _ => {}
        }
        let ends = matches!(event.kind, EventKind::Complete(_));
        if self.live || ends {
            return logged;
        }
        self.held.extend(logged);
        Vec::new()
    }

    fn set_in_flight(&mut self, event: &Event, in_flight: bool) {
        let call = &event.metadata.call;
        let asked = self.asked.iter_mut().filter(|it| it.call == *call);
        asked.for_each(|it| it.in_flight = in_flight);
    }

    /// A call is made, so what came before it is told now: all of it, or that it came from the journal.
    fn call_start(&mut self, event: &Event, verbose: bool, logged: Vec<String>) -> Vec<String> {
        let place = match self.log.stage(event) {
            log::Stage::Before => "before the first round".to_owned(),
            log::Stage::Round(0) => "the initial round".to_owned(),
            log::Stage::Round(round) => format!("round {round} of {}", self.rounds),
            log::Stage::After => "after the rounds".to_owned(),
        };
        self.asked.push(Asked {
            call: event.metadata.call.clone(),
            doing: self.log.doing(event),
            model: event.metadata.model.clone().unwrap_or_default(),
            in_flight: false,
        });
        let first = !std::mem::replace(&mut self.live, true);
        let resumed = first && self.resumed;
        let new_part = self.told != place;
        self.told.clone_from(&place);
        let mut lines = std::mem::take(&mut self.held);
        if resumed {
            lines = vec![format!("{}: {place}, resumed from its journal", self.title)];
        } else if new_part && !verbose {
            lines = vec![format!("{}: {place}", self.title)];
        }
        lines.extend(logged);
        lines
    }

    /// How many of its calls are on a server, and how many wait.
    pub(super) fn in_flight(&self) -> (u64, u64) {
        let on_server = self.asked.iter().filter(|it| it.in_flight).count();
        (on_server as u64, (self.asked.len() - on_server) as u64)
    }

    /// As the screen shows it: the calls on a server, or those that wait where there are none.
    pub(super) fn row(&self, id: &str) -> Row {
        let is_busy = self.in_flight().0 > 0;
        let mut shown = self.asked.iter().filter(|it| it.in_flight == is_busy);
        let doing = match (shown.next(), shown.count()) {
            (None, _) => String::new(),
            (Some(one), 0) => one.doing.clone(),
            (Some(one), more) => format!("{}, {more} more", one.doing),
        };
        Row {
            id: id.to_owned(),
            format: self.format,
            topic: self.topic.clone(),
            round: self.round,
            rounds: self.rounds,
            doing,
            is_busy,
            tokens_per_second: self.speed,
            seconds: self.begun.elapsed().as_secs(),
        }
    }

    /// As those see it who look on from elsewhere.
    pub(super) fn state(&self, id: &str) -> OpenDebate {
        let asked = self.asked.iter().map(|it| AskedCall {
            doing: it.doing.clone(),
            model: it.model.clone(),
            in_flight: it.in_flight,
        });
        OpenDebate {
            id: id.to_owned(),
            job: self.job.clone(),
            format: self.format.to_owned(),
            topic: self.topic.clone(),
            round: self.round,
            rounds: self.rounds,
            opened_at: self.opened_at,
            calls: self.calls,
            asked: asked.collect(),
        }
    }
}
