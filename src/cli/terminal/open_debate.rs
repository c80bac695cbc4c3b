//! The state of an open debate: for the screen, the lines of a run, and other processes.

use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};

use super::debate_log;
use super::screen::Row;
use crate::artifacts::batch::DebateLink;
use crate::event::{Event, EventKind, IncidentKind};
use crate::plan::Plan;
use crate::store::state::{AskedCall, OpenDebate};
use crate::text;

/// Incidents after which the same is asked again.
const ASK_AGAIN: [IncidentKind; 3] =
    [IncidentKind::Refusal, IncidentKind::Repair, IncidentKind::Rejection];
/// Seconds by which two clocks may differ without one having been set.
const DRIFT: i64 = 2;

/// When something began that has lasted this long, for a reader who subtracts it from the time now. If the clock was set
/// meanwhile, the time that it showed then would tell something else.
pub(super) fn as_of(now: DateTime<Utc>, began: DateTime<Utc>, lasted: Duration) -> DateTime<Utc> {
    let as_of_now = now - lasted;
    if (as_of_now - began).num_seconds().abs() < DRIFT { began } else { as_of_now }
}

/// An open debate.
pub(in crate::cli) struct Open {
    /// Its place in the batch, in the order of opening.
    pub(in crate::cli) place: usize,
    /// Its state as others read it, without calls in progress.
    pub(in crate::cli) seen: OpenDebate,
    /// What tells it from the others of the batch.
    pub(super) mark: String,
    /// Whether an earlier run began it.
    resumed: bool,
    /// Calls answered before this run opened it.
    earlier: u64,
    /// Replies of this run that were not taken, so that they were asked for again.
    pub(super) redone: u64,
    begun: Instant,
    /// Calls in progress, by name.
    asked: Vec<(Option<String>, AskedCall)>,
    /// Its id, its topic, and its distinguishing settings within its job.
    title: String,
    log: debate_log::Debate,
    /// Whether this run has made a call: everything before is from the journal.
    live: bool,
    /// Statements of the round so far.
    said: usize,
    /// Log lines that may describe the journal only.
    held: Vec<String>,
    /// The part of the debate last reported.
    told: String,
    speed: f64,
}

impl Open {
    /// A debate that begins now, or resumes after an earlier run. `opened_at` is what the clock shows now.
    pub(in crate::cli) fn new(
        plan: &Plan,
        [topic, heading, label, mark]: [String; 4],
        opened_at: DateTime<Utc>,
        place: usize,
        (resumed, earlier): (bool, u64),
    ) -> Self {
        let seen = OpenDebate {
            id: plan.short_id().to_owned(),
            job: plan.job.clone(),
            format: plan.format.name().to_owned(),
            topic: topic.clone(),
            heading,
            label: label.clone(),
            round: 0,
            repetition: plan.repetition,
            rounds: plan.format.most_rounds.into(),
            standing: String::new(),
            opened_at,
            calls: 0,
            asked: Vec::new(),
        };
        Self {
            place,
            seen,
            mark,
            resumed,
            earlier,
            redone: 0,
            begun: Instant::now(),
            asked: Vec::new(),
            title: format!("{} {topic} {label}", plan.short_id()).trim_end().to_owned(),
            log: debate_log::Debate::new(plan),
            live: false,
            said: 0,
            held: Vec::new(),
            told: String::new(),
            speed: 0.0,
        }
    }

    /// Adds an event; returns its lines.
    pub(in crate::cli) fn take(&mut self, event: &Event, verbose: bool) -> Vec<String> {
        let mut logged = self.log.lines(event);
        if !verbose {
            logged.clear();
        }
        match &event.kind {
            EventKind::RoundStart { .. } => {
                (self.seen.round, self.said) = (event.round.unwrap_or(0).into(), 0);
            }
            EventKind::Statement(_) => self.said += 1,
            EventKind::Summary(notes) if self.said > 1 => {
                self.seen.standing.clone_from(&notes.headline);
            }
            EventKind::CallStart { .. } => return self.call_start(event, verbose, logged),
            EventKind::CallSent {} => self.set_in_flight(event, true),
            EventKind::CallWait {} => self.set_in_flight(event, false),
            EventKind::CallEnd { tokens, reply_ms, error, .. } => {
                self.seen.calls += u64::from(error.is_none());
                self.asked.retain(|(call, _)| *call != event.metadata.call);
                if *reply_ms > 0 {
                    self.speed = tokens.reply as f64 * 1000.0 / *reply_ms as f64;
                }
            }
            EventKind::Incident(it) if self.live && ASK_AGAIN.contains(&it.kind) => {
                self.redone += 1;
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
        let asked = self.asked.iter_mut();
        let its = asked.filter(|(call, _)| *call == event.metadata.call);
        its.for_each(|(_, it)| it.in_flight = in_flight);
    }

    /// At the first call, reports what came before: in full, or as resumed from the journal.
    fn call_start(&mut self, event: &Event, verbose: bool, logged: Vec<String>) -> Vec<String> {
        let stage = self.log.stage(event);
        self.seen.round = match stage {
            debate_log::Stage::Round(round) => round.into(),
            debate_log::Stage::Before | debate_log::Stage::After => 0,
        };
        let place = match stage {
            debate_log::Stage::Before => "before the first round".to_owned(),
            debate_log::Stage::Round(0) => "the initial round".to_owned(),
            debate_log::Stage::Round(round) => format!("round {round} of {}", self.seen.rounds),
            debate_log::Stage::After => "after the rounds".to_owned(),
        };
        let asked = AskedCall {
            doing: self.log.doing(event),
            model: event.metadata.model.clone().unwrap_or_default(),
            in_flight: false,
        };
        self.asked.push((event.metadata.call.clone(), asked));
        let first = !std::mem::replace(&mut self.live, true);
        let resumed = first && self.resumed;
        let new_part = self.told != place;
        self.told.clone_from(&place);
        let mut lines = std::mem::take(&mut self.held);
        if resumed {
            lines = vec![format!("{}: {place}, resumed", self.title)];
        } else if new_part && !verbose {
            lines = vec![format!("{}: {place}", self.title)];
        }
        lines.extend(logged);
        lines
    }

    /// Its calls have come to nothing.
    pub(super) fn drop_calls(&mut self) {
        self.asked.clear();
    }

    /// Whether it was begun by an earlier run, and this one has not asked for anything yet.
    pub(super) fn is_to_resume(&self) -> bool {
        self.resumed && !self.live
    }

    /// Its calls answered so far, in whatever run, without those that were only asked again.
    pub(super) fn answered(&self) -> u64 {
        (self.earlier + self.seen.calls).saturating_sub(self.redone)
    }

    /// How many of its calls are on a server, and how many wait.
    pub(in crate::cli) fn in_flight(&self) -> (u64, u64) {
        let on_server = self.asked.iter().filter(|(_, it)| it.in_flight).count();
        (on_server as u64, (self.asked.len() - on_server) as u64)
    }

    /// The debate, for the summary of a batch that leaves it unfinished.
    pub(super) fn link(&self) -> DebateLink {
        DebateLink {
            id: self.seen.id.clone(),
            topic: self.seen.heading.clone(),
            label: self.seen.label.clone(),
            outcome: None,
            path: None,
        }
    }

    /// Its row on the screen.
    pub(in crate::cli) fn row(&self) -> Row {
        let topic = text::if_any(self.mark.clone()).unwrap_or_else(|| self.seen.topic.clone());
        Row {
            debate: OpenDebate { topic, ..self.state() },
            tokens_per_second: self.speed,
            seconds: self.begun.elapsed().as_secs(),
        }
    }

    /// Its state as others read it whose clock shows this.
    pub(super) fn state_as_of(&self, now: DateTime<Utc>) -> OpenDebate {
        let state = self.state();
        OpenDebate { opened_at: as_of(now, state.opened_at, self.begun.elapsed()), ..state }
    }

    /// Its state as others read it.
    pub(in crate::cli) fn state(&self) -> OpenDebate {
        OpenDebate {
            asked: self.asked.iter().map(|(_, it)| it.clone()).collect(),
            ..self.seen.clone()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn b3_a_debate_has_lasted_as_long_whatever_became_of_the_clock() {
        let began = DateTime::from_timestamp(1_000_000, 500_000_000).unwrap();
        let lasted = Duration::from_secs(90);
        let seen = |set: i64| {
            let now = began + lasted + chrono::TimeDelta::seconds(set);
            now - as_of(now, began, lasted)
        };
        for set in [18_000, -18_000, 0] {
            assert_eq!(seen(set).num_seconds(), 90, "{set}");
        }
        let now = began + lasted + Duration::from_millis(3);
        assert_eq!(as_of(now, began, lasted), began);
    }
}
