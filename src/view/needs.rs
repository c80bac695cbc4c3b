//! What needs someone: debates that are not done, why, and the commands that go on with them.

use serde_json::{Value, json};

use super::app::App;
use crate::artifacts::batch::{BatchSummary, Cause, DebateLink, NOT_JUDGED, RETRY};
use crate::store::live::{self, ShortId};
use crate::store::state::RunState;
use crate::text::{count, one_line, shorten, told_if};
use crate::trace::cause_in_brief;

/// Debates that are listed.
pub(super) const LISTED: usize = 12;
/// Characters of a topic.
const LINE: usize = 160;

/// When a command may be run, while a run is in progress.
const AFTERWARDS: &str = "once this run has ended";
/// What a command is for, if debates of the run went wrong.
const AGAIN: &str = "to ask again for what is missing, and to try what is unfinished again";
/// The same if it has left debates unfinished. What their causes say may come first.
const TRY_AGAIN: &str = "to try what is unfinished again";

/// As the overview shows it.
#[derive(Default)]
pub(super) struct Needs {
    pub(super) debates: Vec<Value>,
    /// How many there are beyond these.
    pub(super) more: usize,
    /// Each with what it does.
    pub(super) commands: Vec<[String; 2]>,
    /// What other batches left, in a sentence; empty if nothing.
    pub(super) earlier: String,
}

impl Needs {
    /// What needs someone of runs in progress, as far as they have come.
    pub(super) fn of_runs(app: &App, states: &[RunState]) -> Self {
        let causes = || states.iter().flat_map(|state| &state.causes);
        let others = states.iter().map(|state| state.other_causes);
        let all = causes().map(|cause| cause.debates).chain(others).fold(0, usize::saturating_add);
        let debates = named(causes()).take(LISTED).map(|it| shown_for(app, it));
        let debates: Vec<Value> = debates.collect();
        Self {
            more: all.saturating_sub(debates.len()),
            debates,
            commands: states.iter().filter_map(afterwards).collect(),
            earlier: String::new(),
        }
    }

    pub(super) fn put_into(self, now: &mut Value) {
        let commands = self.commands.iter();
        let command = |[command, does]: &[String; 2]| json!({"command": command, "does": does});
        now["needs"] = json!(self.debates);
        now["more_needs"] = json!(self.more);
        now["earlier"] = json!(self.earlier);
        now["commands"] = commands.map(command).collect();
    }
}

/// The debates that causes name, each with its cause.
pub(super) fn named<'c>(
    causes: impl Iterator<Item = &'c Cause>,
) -> impl Iterator<Item = (&'c DebateLink, &'c Cause)> {
    causes.flat_map(|cause| cause.first.iter().map(move |link| (link, cause)))
}

/// A debate that one of the causes names, with that cause.
pub(super) fn named_in<'c>(
    causes: impl Iterator<Item = &'c Cause>,
    id: &str,
) -> Option<(&'c DebateLink, &'c Cause)> {
    named(causes).find(|(link, _)| link.id == id)
}

/// What to run once a run has ended, if debates of it are not done so far.
fn afterwards(state: &RunState) -> Option<[String; 2]> {
    if state.next.is_empty() {
        return None;
    }
    let has = |standing: &str| state.causes.iter().any(|cause| cause.standing == standing);
    // A control may be kept from beginning by what went wrong in an earlier run, if that debate is among those of the command.
    let is_kept = has("not started") && !state.chooses();
    let is_again = has("degraded") || has("failed") || is_kept;
    if is_again {
        let command = format!("{} {RETRY}", one_line(&state.next));
        return Some([command, format!("{AGAIN}, {AFTERWARDS}")]);
    }
    let cause = unfinished_for(&state.causes)?;
    let [command, does] = continuing(state);
    Some([command, format!("{does}. {cause}")])
}

/// The command that continues what a run in progress has left.
pub(super) fn continuing(state: &RunState) -> [String; 2] {
    [one_line(&state.next), format!("{TRY_AGAIN}, {AFTERWARDS}")]
}

/// What a batch that ended says to run next, and what for: with the cause, where something must be done about that first.
pub(super) fn next_of(batch: &BatchSummary, is_running: bool) -> [String; 2] {
    let stuck = unfinished_for(&batch.causes).filter(|_| batch.is_stuck());
    let does = if stuck.is_some() { TRY_AGAIN.to_owned() } else { batch.purpose() };
    let when = [
        stuck.as_ref().map(|_| "once you have done what the cause says"),
        is_running.then_some(AFTERWARDS),
    ];
    let when: Vec<&str> = when.into_iter().flatten().collect();
    let comma = if when.is_empty() { "" } else { ", " };
    let cause = stuck.map(|cause| format!(". {cause}")).unwrap_or_default();
    [one_line(&batch.next), format!("{does}{comma}{}{cause}", when.join(", and "))]
}

/// `Cause: the server has no model qwen3 (and 2 others)`, of the debates that are unfinished or without their panel's verdict, if any
/// are.
fn unfinished_for(causes: &[Cause]) -> Option<String> {
    let open = ["unfinished", NOT_JUDGED];
    let mut all = causes.iter().filter(|cause| open.contains(&&*cause.standing));
    let first = cause_in_brief(&all.next()?.cause);
    let others = all.count();
    let more = told_if(others > 0, || format!(" (and {})", count(others, "other")));
    Some(format!("Cause: {first}{more}"))
}

/// A debate that a cause names.
pub(super) fn shown_for(app: &App, (link, cause): (&DebateLink, &Cause)) -> Value {
    shown(app, &link.id, &link.topic, &cause.standing, &cause.cause)
}

/// A debate that needs someone.
pub(super) fn shown(app: &App, id: &str, topic: &str, standing: &str, cause: &str) -> Value {
    let is_there = |id: &ShortId| {
        let has_row = app.index(|index| index.get(id).is_some());
        has_row || live::path(&app.output, id).exists()
    };
    json!({
        "id": id,
        "topic": shorten(topic, LINE),
        // A debate without a page has no link.
        "page": ShortId::parse(id).is_some_and(|id| is_there(&id)),
        "standing": standing,
        "cause": cause_in_brief(cause),
    })
}
