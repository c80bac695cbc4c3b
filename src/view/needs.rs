//! What needs someone: debates that are not done, why, and the commands that go on with them.

use serde_json::{Value, json};

use super::app::App;
use crate::artifacts::batch::{Cause, DebateLink, RETRY};
use crate::store::live::{self, ShortId};
use crate::store::state::RunState;
use crate::text::{joined, one_line, shorten};

/// Debates that are listed.
pub(super) const LISTED: usize = 12;
/// Characters of a topic and of a cause.
const LINE: usize = 160;

/// What a command does after a run, if debates of it went wrong.
const AGAIN: &str =
    "once this run has ended: asks again for what is missing, and continues the rest";
/// The same if it has left debates unfinished.
const CONTINUES: &str = "once this run has ended: continues what it left unfinished";

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
        let debates: Vec<Value> = named(app, causes()).take(LISTED).collect();
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

/// The debates that causes name.
fn named<'c>(app: &App, causes: impl Iterator<Item = &'c Cause>) -> impl Iterator<Item = Value> {
    causes.flat_map(move |cause| {
        let debates = cause.first.iter();
        debates.map(move |it| shown(app, &it.id, &it.topic, &cause.standing, &cause.cause))
    })
}

/// A debate that one of the causes names, with that cause.
pub(super) fn named_in<'c>(
    mut causes: impl Iterator<Item = &'c Cause>,
    id: &str,
) -> Option<(&'c DebateLink, &'c Cause)> {
    causes.find_map(|cause| {
        let link = cause.first.iter().find(|link| link.id == id)?;
        Some((link, cause))
    })
}

/// What to run once a run has ended, if debates of it are not done so far.
fn afterwards(state: &RunState) -> Option<[String; 2]> {
    let has = |standing: &str| state.causes.iter().any(|cause| cause.standing == standing);
    // A control may be kept from beginning by what went wrong in an earlier run, if that debate is among those of the command.
    let is_kept = has("not started") && !state.chooses();
    let is_again = has("degraded") || has("failed") || is_kept;
    // Who repeats an option that begins debates anew would begin them once more.
    if is_again && state.repeats().is_empty() {
        let command = format!("{} {RETRY}", one_line(&state.command));
        return Some([command, AGAIN.to_owned()]);
    }
    has("unfinished").then(|| continuing(state))
}

/// The command that continues what a run in progress has left.
pub(super) fn continuing(state: &RunState) -> [String; 2] {
    [one_line(&state.command), without_repeats(state, CONTINUES)]
}

/// What running the command of a batch again does, and which of its options to leave out.
pub(super) fn without_repeats(state: &RunState, does: &str) -> String {
    match state.repeats().as_slice() {
        [] => does.to_owned(),
        repeats => format!("{does} if run without {}", joined(repeats, "and")),
    }
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
        "cause": shorten(cause, LINE),
    })
}
