//! What is known of a run in progress: its open debates, how the others ended, its calls and the last notices.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Instant;

use chrono::{DateTime, Utc};

use crate::artifacts::batch::Cause;
use crate::cli::terminal::calls_left::CallsLeft;
use crate::cli::terminal::open_debate::{Open, as_of};
use crate::cli::terminal::screen::Total;
use crate::clock::Clock;
use crate::event::{Event, EventKind};
use crate::id::DebateId;
use crate::plan::{DebateLabels, Plan};
use crate::run::causes::Causes;
use crate::run::debate::End;
use crate::run::earlier_attempts::EarlierAttempts;
use crate::run::ends::Ends;
use crate::servers::ServerView;
use crate::store::state::{CallState, DebateState, LISTED, Notice, RunState};
use crate::text;

/// Characters of a topic in a line.
const TOPIC_CHARS: usize = 40;
/// Characters of a topic and settings in a column of the table.
const MARK_CHARS: usize = 32;
/// Characters of a topic for other processes.
const HEADING_CHARS: usize = 200;
/// Notices kept for other processes.
const NOTICES: usize = 10;
/// Characters of one of them.
const NOTICE_CHARS: usize = 400;
/// Calls needed before their pace can be estimated.
const FEW_CALLS: u64 = 10;

pub(super) struct State {
    pub(super) labels: DebateLabels,
    pub(super) clock: Clock,
    /// When the run began: debates that began before are resumed.
    pub(super) since: DateTime<Utc>,
    pub(super) debates: BTreeMap<DebateId, Open>,
    /// What the debates that this run opened had of earlier ones.
    pub(super) earlier: Arc<EarlierAttempts>,
    start: Instant,
    pub(super) drawn: Option<Instant>,
    /// Number of debates begun, hence the place of the next one.
    order: usize,
    /// All debates of the batch.
    pub(super) chosen: usize,
    ends: Ends,
    pub(super) causes: Causes,
    /// Counts of answered and failed calls; the others are counted on request.
    calls: CallState,
    pub(super) pace: CallsLeft,
    /// The last notices to the user.
    notices: VecDeque<Notice>,
    /// Replies that ended debates did not take.
    redone: u64,
    /// Whether a debate has gone back to the queue and no call was made since: how long that takes is unknown.
    pub(super) is_held: bool,
    /// Number of changes visible to other processes.
    pub(super) revision: u64,
    pub(super) over: bool,
}

impl State {
    /// Of a batch of this many debates.
    pub(super) fn new(chosen: usize, labels: DebateLabels) -> Self {
        let clock = Clock::system();
        Self {
            pace: CallsLeft::new(&labels),
            labels,
            since: clock.now(),
            clock,
            debates: BTreeMap::new(),
            earlier: Arc::default(),
            start: Instant::now(),
            drawn: None,
            order: 0,
            chosen,
            ends: Ends::default(),
            causes: Causes::default(),
            calls: CallState::default(),
            notices: VecDeque::new(),
            redone: 0,
            is_held: false,
            revision: 0,
            over: false,
        }
    }

    pub(super) fn begin(&mut self, plan: &Plan, resumed: bool) -> Open {
        self.order += 1;
        let topic = self.labels.subject(&plan.job, plan.heading(), TOPIC_CHARS);
        let label = self.labels.label(&plan.job, &plan.cell, plan.repetition);
        let heading = text::shorten(&plan.topic, HEADING_CHARS);
        let mark = plan.mark(&self.labels, MARK_CHARS);
        let now = self.clock.now();
        // One that went back to the queue is opened again.
        let again = self.debates.get(&plan.id).map(Open::answered);
        let past = again.unwrap_or_else(|| self.earlier.replies(&plan.id));
        Open::new(plan, [topic, heading, label, mark], now, self.order, (resumed, past))
    }

    /// Counts calls in an event.
    pub(super) fn count(&mut self, event: &Event) {
        match &event.kind {
            // It changes nothing that others see.
            EventKind::StatementChunk { .. } => return,
            EventKind::CallStart { .. } => self.is_held = false,
            EventKind::CallEnd { error: None, .. } => self.calls.done += 1,
            EventKind::CallEnd { error: Some(_), .. } => self.calls.failed += 1,
            _ => {}
        }
        self.revision += 1;
    }

    pub(super) fn end(&mut self, plan: &Plan, end: &End) {
        let open = self.debates.remove(&plan.id);
        self.revision += 1;
        self.ends.count(end);
        let label = self.labels.label(&plan.job, &plan.cell, plan.repetition);
        self.causes.end(plan, end, &label);
        self.redone += open.as_ref().map_or(0, |open| open.redone);
        let whole = open.filter(|_| matches!(end, End::Committed { .. }));
        self.pace.ended(&plan.job, whole.map(|open| open.answered()));
    }

    pub(super) fn not_judged(&mut self, plan: &Plan, cause: &str) {
        let label = self.labels.label(&plan.job, &plan.cell, plan.repetition);
        self.causes.not_judged(plan, cause, &label);
    }

    pub(super) fn keep(&mut self, line: &str) {
        self.notices
            .push_back(Notice { at: self.clock.now(), text: text::shorten(line, NOTICE_CHARS) });
        if self.notices.len() > NOTICES {
            self.notices.pop_front();
        }
        self.revision += 1;
    }

    /// The open debates, in order.
    pub(super) fn open(&self) -> Vec<&Open> {
        let mut open: Vec<_> = self.debates.values().collect();
        open.sort_by_key(|open| open.place);
        open
    }

    fn counts(&self) -> DebateState {
        let (ends, in_progress) = (&self.ends, self.debates.len());
        DebateState {
            chosen: self.chosen,
            done: ends.committed.done,
            degraded: ends.committed.degraded,
            failed: ends.committed.failed,
            parked: ends.unfinished(),
            in_progress,
            queued: self.chosen.saturating_sub(ends.all() + in_progress),
            finished_before: ends.skipped.all() + ends.shared.all(),
        }
    }

    /// The batch, with estimates from debates that ended in this run, or else from rehearsals.
    pub(super) fn total(&self, servers: &[ServerView]) -> Total {
        let seconds = self.start.elapsed().as_secs();
        let open = self.debates.values().map(|it| (it.seen.job.as_str(), it.answered()));
        let left = self.pace.left(open);
        let redone = self.redone + self.debates.values().map(|it| it.redone).sum::<u64>();
        let done = self.calls.done.saturating_sub(redone);
        let open = self.debates.values().map(Open::in_flight);
        let (in_flight, waiting) = open.fold((0, 0), |(a, b), (on, off)| (a + on, b + off));
        // How long servers take to come back is unknown.
        let is_out = in_flight == 0 && servers.iter().any(|it| it.is_out || !it.failing.is_empty());
        let pace = left.filter(|_| done >= FEW_CALLS && !self.is_held && !is_out);
        Total {
            debates: self.counts(),
            calls: CallState { in_flight, waiting, left, ..self.calls },
            seconds,
            seconds_left: pace.map(|left| left.saturating_mul(seconds) / done.max(1)),
        }
    }

    pub(super) fn seen(&self, begun: RunState, servers: Vec<ServerView>) -> RunState {
        let (open, total, now) = (self.open(), self.total(&servers), self.clock.now());
        let shown = open.iter().take(LISTED);
        let (causes, other_causes) = self.causes.listed();
        RunState {
            started_at: as_of(now, self.since, self.start.elapsed()),
            written_at: now,
            jobs: self.pace.jobs().take(LISTED).cloned().collect(),
            more_jobs: self.pace.jobs().skip(LISTED).count(),
            debates: total.debates,
            calls: total.calls,
            seconds_left: total.seconds_left,
            open: shown.map(|open| open.state_as_of(now)).collect(),
            more_open: open.len().saturating_sub(LISTED),
            servers,
            notices: self.notices.iter().cloned().collect(),
            causes: causes.into_iter().map(shortened).collect(),
            other_causes,
            ..begun
        }
    }
}

/// A cause for other processes: topics and outcomes have no limit of their own.
fn shortened(mut cause: Cause) -> Cause {
    for debate in &mut cause.first {
        debate.topic = text::shorten(&debate.topic, HEADING_CHARS);
        let outcome = debate.outcome.as_deref();
        debate.outcome = outcome.map(|it| text::shorten(it, HEADING_CHARS));
    }
    cause
}
