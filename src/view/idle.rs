//! What is left of runs that ended: how the last batch went, which of its debates need someone, and how to go on.

use std::collections::BTreeSet;

use serde_json::Value;

use super::app::App;
use super::needs::{self, LISTED, Needs, shown};
use crate::artifacts::batch::{BatchSummary, Cause};
use crate::id::DebateId;
use crate::store::batches;
use crate::store::live::{self, ShortId};
use crate::store::running_batches::RunningBatch;
use crate::store::state::RunState;
use crate::text;
use crate::trace::Trace;

/// The last batch, and what it left.
pub(super) struct Idle {
    /// The newest run that did not end by itself: it came after the last summary.
    cut_off: Option<RunState>,
    last: Option<BatchSummary>,
    /// All batches that can be read, the last first.
    pub(super) batches: Vec<BatchSummary>,
    /// The debates that wait to be continued.
    begun: Vec<DebateId>,
    /// Those that batches left before they began.
    pub(super) never_begun: BTreeSet<String>,
}

impl Idle {
    pub(super) fn look(app: &App) -> Self {
        let (last, batches) = batches::last_and_all(&app.output);
        let never_begun = batches::never_begun(&app.output, &batches, |id| app.row(id).is_some());
        Self {
            never_begun: never_begun.into_keys().map(str::to_owned).collect(),
            cut_off: RunningBatch::cut_off(&app.output).ok().flatten(),
            last,
            batches,
            begun: app.output.begun().unwrap_or_default(),
        }
    }

    /// How it went, in a sentence.
    pub(super) fn line(&self) -> String {
        match (&self.cut_off, &self.last) {
            (Some(state), _) => format!(
                "Nothing is running. The batch of {} UTC was killed, or lost to a power cut: {}{}",
                state.started_at.format("%Y-%m-%d %H:%M"),
                state.debates.progress(),
                state.debates.by_end(),
            ),
            (None, Some(batch)) => format!("Nothing is running. Last batch: {}", batch.headline()),
            (None, None) => "Nothing is running.".to_owned(),
        }
    }

    /// What needs someone.
    pub(super) fn needs(&self, app: &App) -> Needs {
        let debates = self.debates(app);
        Needs {
            more: self.more(debates.len()),
            debates,
            commands: self.commands(),
            earlier: String::new(),
        }
    }

    /// How many degraded and failed debates of its batch it tells of.
    pub(super) fn told(&self) -> [usize; 2] {
        let batch = self.summary().filter(|batch| !batch.rehearsal);
        match (&self.cut_off, batch) {
            (Some(state), _) if state.rehearsal => [0, 0],
            (Some(state), _) => [state.debates.degraded, state.debates.failed],
            (None, Some(batch)) => [batch.debates.degraded, batch.debates.failed],
            (None, None) => [0, 0],
        }
    }

    /// The debates that need someone: those that were begun, and those of the last batch that are not done.
    fn debates(&self, app: &App) -> Vec<Value> {
        let begun = self.begun.iter().map(|id| self.unfinished(app, id.short()));
        let named = self
            .causes()
            .flat_map(|cause| {
                cause.first.iter().map(move |link| (link, &cause.standing, &cause.cause))
            })
            .filter(|(link, standing, _)| {
                *standing != "unfinished" || self.never_begun.contains(&link.id)
            })
            .map(|(link, standing, cause)| shown(app, &link.id, &link.topic, standing, cause));
        begun.chain(named).take(LISTED).collect()
    }

    /// How many there are beyond these.
    fn more(&self, listed: usize) -> usize {
        let counts = self.summary().map(|batch| batch.debates).unwrap_or_default();
        let own = |id: &&String| self.summary().is_some_and(|batch| batch.has_left(id));
        let unfinished = self.begun.len() + self.never_begun.iter().filter(own).count();
        let all = [counts.degraded, counts.failed, counts.not_judged, unfinished];
        all.into_iter().fold(0, usize::saturating_add).saturating_sub(listed)
    }

    /// Whether a debate waits to be continued.
    pub(super) fn has_begun(&self, id: &str) -> bool {
        self.begun.iter().any(|begun| begun.short() == id)
    }

    /// A debate that was begun, with what is told of it.
    fn unfinished(&self, app: &App, id: &str) -> Value {
        let so_far = ShortId::parse(id).and_then(|id| app.broadcast.so_far(&id));
        let causes = self.batches.iter().flat_map(|batch| &batch.causes);
        let link = needs::named_in(causes, id).map(|(link, _)| &link.topic);
        let topic = link.or(so_far.as_ref().map(|(it, _)| &it.trace.topic));
        let topic = topic.map_or(id, String::as_str);
        let left_for = self.left_for(id).map(|cause| cause.cause.clone());
        let cause = left_for.or_else(|| so_far.as_ref().map(|(it, _)| cut_off_in(&it.trace)));
        shown(app, id, topic, "unfinished", &cause.unwrap_or_default())
    }

    /// Why the newest batch that left a debate did so. It names the first debates of each cause.
    fn left_for(&self, id: &str) -> Option<&Cause> {
        // What was cut off since was not left for the cause that an earlier batch tells.
        let mut ended = self.batches.iter().filter(|_| self.cut_off.is_none());
        let batch = ended.find(|batch| batch.has_left(id))?;
        let mut all = batch.causes.iter().filter(|cause| cause.standing == "unfinished");
        let named = needs::named_in(all.clone(), id).map(|(_, cause)| cause);
        named.or_else(|| all.next().filter(|_| all.next().is_none()))
    }

    /// The summary of the last batch, if no other came after it.
    pub(super) fn summary(&self) -> Option<&BatchSummary> {
        self.last.as_ref().filter(|_| self.cut_off.is_none())
    }

    pub(super) fn causes(&self) -> impl Iterator<Item = &Cause> {
        self.summary().into_iter().flat_map(|batch| &batch.causes)
    }

    /// The command that continues a debate, and what that does.
    pub(super) fn continues(&self, app: &App, id: &str) -> Option<[String; 2]> {
        let runs = RunningBatch::seen(&app.output).unwrap_or_default();
        let state = ShortId::parse(id).and_then(|id| live::left_by(&app.output, &id));
        if let Some(state) = state.filter(|state| !state.next.is_empty()) {
            return Some(needs::continuing(&state));
        }
        let Some(begun) = self.begun.iter().find(|begun| begun.short() == id) else {
            let batch = self.batches.iter().find(|batch| batch.has_left(id))?;
            return Some(needs::next_of(batch, !runs.is_empty()));
        };
        let command = batches::continues(&self.batches, begun);
        // What a run had open when it was cut off is its own; it may not have told of all.
        let is_in = |state: &RunState| state.open.iter().any(|debate| debate.id == id);
        let cut_off = self.cut_off.as_ref();
        if let Some(state) = cut_off.filter(|state| command.is_none() || is_in(state)) {
            return Some(again(state));
        }
        // A run comes to debates one after another: it may have this one still before it.
        let does = if runs.is_empty() {
            "continues it"
        } else {
            "continues it, if the run in progress ends without it"
        };
        Some([text::one_line(command?), does.to_owned()])
    }

    /// The commands that continue these debates, as far as batches that ended have left them.
    pub(super) fn resuming(&self, ids: &[DebateId]) -> Vec<[String; 2]> {
        let mut all: Vec<[String; 2]> = self.cut_off.iter().map(again).collect();
        for command in batches::continuing(&self.batches, ids) {
            let command = text::one_line(&command);
            if all.iter().all(|[known, _]| *known != command) {
                all.push([command, "continues unfinished debates".to_owned()]);
            }
        }
        all
    }

    /// The commands to run next, each with what it does.
    fn commands(&self) -> Vec<[String; 2]> {
        let mut all = self.resuming(&self.begun);
        if let Some(batch) = self.summary().filter(|it| !it.causes.is_empty() && !it.given_up) {
            let next = needs::next_of(batch, false);
            all.retain(|[command, _]| *command != next[0]);
            all.insert(0, next);
        }
        all
    }
}

fn cut_off_in(trace: &Trace) -> String {
    let round = trace.statements.iter().map(|s| s.round).max();
    match round.unwrap_or_default() {
        0 => "cut off".to_owned(),
        round => format!("cut off in round {round}"),
    }
}

/// The command of a batch that was cut off, and what it does.
fn again(state: &RunState) -> [String; 2] {
    [text::one_line(&state.next), "continues the batch".to_owned()]
}
