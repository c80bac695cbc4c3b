//! The open voting windows: the last exchange of each, models hidden; and what was counted last, beside the judges.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::event::{AudienceVote, Phase, Statement, VoteWindow};
use crate::job::participant::role_of;
use crate::job::profile_of;
use crate::store::audience_ballots;
use crate::store::live::{self, ShortId};
use crate::trace::Trace;
use crate::view::app::{App, Votes};
use crate::view::debate::running;

/// For how long what was found is told to all who ask.
const KEPT: Duration = Duration::from_millis(500);

/// All of it.
pub(in crate::view) fn now(app: &App, votes: &Votes) -> Value {
    let last = votes.last.lock().clone();
    match last {
        Some((at, now)) if at.elapsed() < KEPT => now,
        // Who comes while another looks is told what was found before.
        Some((_, before)) => match votes.looking.try_lock() {
            Some(_looking) => look(app, votes),
            None => before,
        },
        None => look(app, votes),
    }
}

fn look(app: &App, votes: &Votes) -> Value {
    let now = found(app);
    *votes.last.lock() = Some((Instant::now(), now.clone()));
    now
}

fn found(app: &App) -> Value {
    let open = audience_ballots::open_windows(&app.output, &app.clock);
    let is_open = |id: &ShortId| open.iter().any(|(own, _)| own == id);
    let live = live::all(&app.output).into_iter();
    let closed = live.filter(|id| !is_open(id)).filter_map(|id| {
        let (trace, _) = running(app, &id)?;
        let vote = trace.audience.last()?;
        Some(closed(&trace, &id, vote))
    });
    let closed: Vec<Value> = closed.collect();
    let open = open.iter().filter_map(|(id, window)| {
        let (trace, _) = running(app, id)?;
        Some(opened(app, &trace, id, window))
    });
    json!({"open": open.collect::<Vec<_>>(), "closed": closed})
}

/// An open window. Judges' ballots are kept back as long.
fn opened(app: &App, trace: &Trace, id: &ShortId, window: &VoteWindow) -> Value {
    let said = trace.statements.iter();
    let said = said.filter(|s| s.round == window.round && s.phase == Phase::ARGUMENT);
    let said: Vec<&Statement> = said.collect();
    let team = profile_of(&trace.format).team;
    let debater = said.iter().find(|s| Some(role_of(&s.by)) == team);
    json!({
        "id": id.as_str(),
        "round": window.round,
        "topic": trace.topic,
        "debater": debater.map(|s| trace.name_of(&s.by)),
        "said": said.iter().map(|s| json!({"name": trace.name_of(&s.by), "text": s.text})).collect::<Vec<_>>(),
        "closes_at": window.closes_at,
        "ms_left": (window.closes_at - app.clock.now()).num_milliseconds().max(0),
    })
}

/// The last tally of a debate that continues, beside the judges' ballots.
fn closed(trace: &Trace, id: &ShortId, vote: &AudienceVote) -> Value {
    let judges = trace.ballots.iter();
    let judges = judges.filter(|b| b.round == vote.round && !b.by.is_audience());
    json!({
        "id": id.as_str(),
        "round": vote.round,
        "topic": trace.topic,
        "effect": vote.effect,
        "votes": vote.words(),
        "counted": vote.counted,
        "judges": judges.map(|b| json!({"name": trace.name_of(&b.by.id), "keep": b.keep})).collect::<Vec<_>>(),
    })
}
