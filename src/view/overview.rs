//! How far all of it is: what runs now, what needs someone, what ended last.

use std::time::Duration;

use axum::extract::State;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::app::App;
use super::blocking_work::look_aside;
use super::idle::Idle;
use super::index::row::{Row, listed};
use super::live::sse;
use super::needs::Needs;
use super::public;
use super::respond::{Answer, answer_aside, page as answer};
use super::voting::open_votes::OpenVotes;
use crate::event::Status;
use crate::job::listed_as;
use crate::store::live;
use crate::store::running_batches::RunningBatch;
use crate::store::state::{OpenDebate, RunState};
use crate::text::{self, one_line, shorten};

/// How often it is looked at while someone watches.
const LOOK: Duration = Duration::from_millis(500);
/// Open debates that are shown.
const OPEN: usize = 20;
/// Waiting ones that are shown without a fold.
const FEW: usize = 3;
/// Jobs that a run is named by.
const JOBS: usize = 2;
/// What runs told last.
const NOTICES: usize = 5;
/// Characters of a topic, of an outcome, of a notice.
const LINE: usize = 160;

pub(super) async fn page(State(app): State<App>) -> Answer {
    answer_aside(move || {
        let context = json!({"title": "Overview", "now": snapshot(&app)});
        let scripts = ["view/share.js", "view/overview.js"];
        answer(&app, "view/overview.html.j2", &scripts, context)
    })
    .await
}

/// Tells those who watch what is new, twice a second at most.
pub(super) async fn tell(app: App) {
    loop {
        tokio::time::sleep(LOOK).await;
        if app.overview.receiver_count() > 0 {
            look(&app).await;
        }
    }
}

/// Has the newest state ready for all who watch. Who comes while another looks waits for that.
pub(super) async fn look(app: &App) {
    let mut looked = app.looked.lock().await;
    if looked.is_some_and(|at| at.elapsed() < LOOK) {
        return;
    }
    let its = app.clone();
    let now = look_aside(move || sse::named("state", &snapshot(&its))).await;
    *looked = Some(Instant::now());
    app.overview.send_if_modified(|told| match now {
        Some(now) if now != *told => {
            *told = now;
            true
        }
        _ => false,
    });
}

/// All that the page shows as far as it may be seen, and what its script gets as things change: 16 KB at most.
fn snapshot(app: &App) -> Value {
    let states = RunningBatch::states(&app.output);
    let all = states.iter().map(|state| state.open.len() + state.more_open.min(1 << 20));
    let (open, waiting) = open(app, &states);
    let (left, idle) = (live::left(&app.output, &states).unwrap_or_default(), Idle::look(app));
    let (last, finished) = app.index(|index| {
        let rows = index.latest();
        let last = rows.iter().zip(listed(rows)).map(|(row, shown)| ended(row, &shown["which"]));
        (last.collect::<Vec<_>>(), index.len())
    });
    let mut now = json!({
        "open": open,
        "more_open": all.sum::<usize>() - open.len() - waiting.len(),
        // Behind a fold.
        "waiting": waiting,
        // What may need someone.
        "told": told(&states),
        "last": last,
        "finished": finished,
        "unfinished": left.len() + idle.never_begun.len(),
    });
    head(app, &states, &idle, &mut now);
    if app.access.public {
        public::overview(&mut now);
    }
    now
}

/// How far it is, in a sentence, and what needs someone.
fn head(app: &App, states: &[RunState], idle: &Idle, now: &mut Value) {
    let (line, needs) = if states.is_empty() {
        (idle.line(), idle.needs(app))
    } else {
        let lines = states.iter().map(|state| {
            let far = running(state, app.access.public);
            let is_named = states.len() > 1 && !app.access.public;
            let jobs = text::first_of(state.jobs.iter().map(|job| one_line(job)), JOBS);
            if is_named { format!("{jobs}: {far}") } else { far }
        });
        (text::separated(lines, "\n"), Needs::of_runs(app, states))
    };
    needs.with_other_batches(app, states, idle).put_into(now);
    now["line"] = json!(line);
}

/// `61 of 240 debates ended: 59 done, 2 degraded; about 3h left`. While no server answers, nobody knows how long it takes.
fn running(state: &RunState, public: bool) -> String {
    let it = &state.debates;
    let far = format!("{}{}", it.progress(), it.by_end());
    let out: Vec<&str> = state
        .servers
        .iter()
        .filter(|server| server.is_out)
        .map(|server| server.name.as_str())
        .collect();
    let silent = match (out.as_slice(), public) {
        ([], _) => None,
        ([_], true) => Some("a server does not answer".to_owned()),
        ([one], false) => Some(format!("{} does not answer", one_line(one))),
        (_, true) => Some("servers do not answer".to_owned()),
        (all, false) => Some(format!("{} do not answer", text::joined(all, "and"))),
    };
    match silent {
        Some(silent) if out.len() == state.servers.len() => format!("Waiting: {silent}. {far}"),
        silent => {
            let left = state.seconds_left.map(left);
            [Some(far), left, silent].into_iter().flatten().collect::<Vec<_>>().join("; ")
        }
    }
}

/// `about 3h left`; a number stays with its unit.
fn left(seconds: u64) -> String {
    let left = text::lasting(seconds.saturating_mul(1000)).replace(' ', "\u{a0}");
    format!("about\u{a0}{left}\u{a0}left")
}

/// What runs told last, which may name machines and paths.
fn told(states: &[RunState]) -> Vec<String> {
    let notices = states.iter().flat_map(|state| state.notices.iter().rev().take(NOTICES));
    let told = notices.map(|notice| {
        let (at, text) = (notice.at.format("%H:%M"), shorten(&notice.text, 2 * LINE));
        format!("{at} UTC: {text}")
    });
    told.collect()
}

/// The debates in progress: those that work first, and apart those that wait, where these are more than a few.
fn open(app: &App, states: &[RunState]) -> (Vec<Value>, Vec<Value>) {
    let mut all: Vec<&OpenDebate> = states.iter().flat_map(|state| &state.open).collect();
    all.sort_by_key(|debate| debate.waits());
    all.truncate(OPEN);
    let working = all.iter().filter(|debate| !debate.waits()).count();
    let votes = OpenVotes::look(app);
    let mut rows: Vec<Value> = all.iter().map(|it| shown(it, &votes, app.access.public)).collect();
    let first = if rows.len() - working > FEW { working.max(FEW) } else { rows.len() };
    let waiting = rows.split_off(first);
    (rows, waiting)
}

fn shown(debate: &OpenDebate, votes: &OpenVotes, public: bool) -> Value {
    let (round, all) = (debate.round, debate.rounds);
    let round = text::told_if(round > 0, || format!("round {round} of {all}"));
    let doing = votes.doing(debate, |call| format!("{} ({})", call.doing, call.model));
    json!({
        "id": debate.id,
        "topic": shorten(public::heading(debate, public), LINE),
        "format": one_line(listed_as(&debate.format)),
        // What varies in its job, which the public may not see.
        "which": if public { "" } else { &*debate.label },
        "round": round,
        "doing": shorten(&doing, LINE),
        "standing": shorten(&debate.standing, LINE),
    })
}

fn ended(row: &Row, which: &Value) -> Value {
    let which = which.as_str().filter(|which| !which.is_empty());
    let short = Some(row.status()).filter(|it| *it != Status::Done.word());
    let rehearsal = row.rehearsal.then_some("rehearsal");
    let marks: Vec<&str> = [which, short, rehearsal].into_iter().flatten().collect();
    json!({
        "id": row.id.as_str(),
        "topic": shorten(&row.topic, LINE),
        "outcome": shorten(&row.outcome, LINE),
        "marks": marks,
    })
}
