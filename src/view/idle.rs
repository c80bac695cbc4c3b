//! What is left of runs that ended: how the last batch went, which of its debates need someone, and how to go on.

use std::collections::BTreeMap;

use serde_json::Value;

use super::app::App;
use super::needs::{self, LISTED, Needs, shown, shown_for};
use crate::artifacts::batch::{BatchSummary, Cause};
use crate::id::DebateId;
use crate::store::batches;
use crate::store::live::{self, ShortId};
use crate::store::next_command;
use crate::store::running_batches::RunningBatch;
use crate::text;
use crate::trace::Trace;

/// The last batch, and what it left.
pub(super) struct Idle {
    /// All batches that can be read, the last first.
    pub(super) batches: Vec<BatchSummary>,
    /// Whether the last that was written is among them.
    is_last_read: bool,
    /// The debates that wait to be continued.
    begun: Vec<DebateId>,
    /// Those that batches left before they began, each with the number of its batch.
    pub(super) never_begun: BTreeMap<String, u64>,
}

impl Idle {
    pub(super) fn look(app: &App) -> Self {
        let (batches, is_last_read) = batches::all_and_last(&app.output);
        let here = |batch| next_command::of_batch(&app.output, batch);
        let never_begun = batches::never_begun(&app.output, &batches, |id| app.row(id).is_some());
        Self {
            never_begun: never_begun
                .into_iter()
                .map(|(id, it)| (id.to_owned(), it.number))
                .collect(),
            batches: batches.into_iter().map(here).collect(),
            is_last_read,
            begun: app.output.begun().unwrap_or_default(),
        }
    }

    /// How it went, in a sentence.
    pub(super) fn line(&self) -> String {
        let Some(batch) = self.summary() else { return "Nothing is running.".to_owned() };
        let since = batch.started_at.format("%Y-%m-%d %H:%M");
        let cut_off = format!("The batch of {since} UTC was killed, or lost to a power cut");
        let last = if self.is_last_read { "Last batch" } else { "Last readable batch" };
        let which = if batch.is_cut_off() { &cut_off } else { last };
        format!("Nothing is running. {which}: {}", batch.headline())
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
        batch.map_or([0, 0], |batch| [batch.debates.degraded, batch.debates.failed])
    }

    /// The debates that need someone: those that were begun, and those of the last batch that are not done.
    fn debates(&self, app: &App) -> Vec<Value> {
        let begun = self.begun.iter().map(|id| self.unfinished(app, id.short()));
        let named = needs::named(self.causes()).filter(|(link, cause)| {
            cause.standing != "unfinished" || self.never_begun.contains_key(&link.id)
        });
        begun.chain(named.map(|it| shown_for(app, it))).take(LISTED).collect()
    }

    /// How many there are beyond these.
    fn more(&self, listed: usize) -> usize {
        let counts = self.summary().map(|batch| batch.debates).unwrap_or_default();
        let own = |id: &&String| self.summary().is_some_and(|batch| batch.has_left(id));
        let unfinished = self.begun.len() + self.never_begun.keys().filter(own).count();
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
        let batch = self.batches.iter().find(|batch| batch.has_left(id))?;
        // How far one came that was cut off says more than its cause.
        Some(batch).filter(|it| !it.is_cut_off())?;
        let mut all = batch.causes.iter().filter(|cause| cause.standing == "unfinished");
        let named = needs::named_in(all.clone(), id).map(|(_, cause)| cause);
        named.or_else(|| all.next().filter(|_| all.next().is_none()))
    }

    /// The last batch.
    pub(super) fn summary(&self) -> Option<&BatchSummary> {
        self.batches.first()
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
        // A run comes to debates one after another: it may have this one still before it.
        let does = if runs.is_empty() {
            "continues it"
        } else {
            "continues it, if the run in progress ends without it"
        };
        Some([text::one_line(command?), does.to_owned()])
    }

    /// The commands that continue these debates, as far as batches have left them.
    pub(super) fn resuming(&self, ids: &[DebateId]) -> Vec<[String; 2]> {
        let commands = batches::continuing(&self.batches, ids).into_iter();
        let does = "continues unfinished debates";
        commands.map(|command| [text::one_line(&command), does.to_owned()]).collect()
    }

    /// Debates that never began, as far as causes name them.
    pub(super) fn waiting(&self, app: &App) -> Vec<Value> {
        let causes = || self.batches.iter().flat_map(|batch| &batch.causes);
        let named = self.never_begun.keys().filter_map(|id| needs::named_in(causes(), id));
        named.take(LISTED).map(|it| shown_for(app, it)).collect()
    }

    /// The commands that begin these debates.
    pub(super) fn beginning(&self, is_running: bool) -> Vec<[String; 2]> {
        let has_left =
            |batch: &&BatchSummary| self.never_begun.values().any(|n| *n == batch.number);
        self.batches.iter().filter(has_left).map(|it| needs::next_of(it, is_running)).collect()
    }

    /// The commands to run next, each with what it does.
    fn commands(&self) -> Vec<[String; 2]> {
        let mut all = self.resuming(&self.begun);
        let is_left = |it: &&BatchSummary| !it.causes.is_empty() || it.is_cut_off();
        if let Some(batch) = self.summary().filter(is_left).filter(|it| !it.given_up) {
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
