//! The open voting windows: the last exchange of each, models hidden; and what was counted last, beside the judges.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::vote_state::{OpenVote, VoteState};
use crate::clock;
use crate::event::{AudienceVote, Phase, Statement, VoteWindow};
use crate::job::participant::role_of;
use crate::job::profile_of;
use crate::store::audience_ballots::{self, Ballots};
use crate::store::live::{self, ShortId};
use crate::trace::Trace;
use crate::view::app::{App, Votes};
use crate::view::debate::running;

/// For how long what was found is told to all who ask.
const KEPT: Duration = Duration::from_millis(500);

/// All of it.
pub(in crate::view) fn now(app: &App, votes: &Votes) -> Arc<VoteState> {
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

fn look(app: &App, votes: &Votes) -> Arc<VoteState> {
    let now = Arc::new(found(app));
    *votes.last.lock() = Some((Instant::now(), Arc::clone(&now)));
    now
}

fn found(app: &App) -> VoteState {
    let live = live::all(&app.output).into_iter();
    let closed = live
        .filter_map(|id| {
            let (trace, _) = running(app, &id)?;
            Some(closed(app, &trace, &id, trace.audience.last()?))
        })
        .collect();
    let open = audience_ballots::open_windows(&app.output, &app.clock)
        .into_iter()
        .filter_map(|(id, window)| {
            let (trace, live) = running(app, &id)?;
            let is_cut = live.is_some_and(|live| live.is_cut);
            let said = said(&trace, &window);
            let team = profile_of(&trace.format).team;
            if !is_cut && !are_both_heard(said.iter().map(|s| &*s.by), team) {
                return None;
            }
            Some(OpenVote {
                id,
                told: opened(app, &trace, &id, &window),
                choices: Ballots::of(&app.output, &id, window.round).choices(),
            })
        })
        .collect();
    VoteState { open, closed }
}

/// What was said in the round that a window is about.
fn said<'t>(trace: &'t Trace, window: &VoteWindow) -> Vec<&'t Statement> {
    let is_of_it = |s: &&Statement| s.round == window.round && s.phase == Phase::ARGUMENT;
    trace.statements.iter().filter(is_of_it).collect()
}

/// Whether the debate's live file, which is written later than the window, has both sides' statements: voters read them first.
fn are_both_heard<'s>(speakers: impl Iterator<Item = &'s str>, team: Option<&str>) -> bool {
    let sides: BTreeSet<bool> = speakers.map(|by| Some(role_of(by)) == team).collect();
    sides.len() == 2
}

/// An open window. Judges' ballots are kept back as long.
fn opened(app: &App, trace: &Trace, id: &ShortId, window: &VoteWindow) -> Value {
    let said = said(trace, window);
    let team = profile_of(&trace.format).team;
    let debater =
        said.iter().find(|s| Some(role_of(&s.by)) == team).and_then(|s| trace.participant(&s.by));
    json!({
        "id": id.as_str(),
        "page": page_of(app, id),
        "round": window.round,
        "topic": topic(trace),
        "debater": debater.map(|it| &it.name),
        "position": debater.map(|it| &it.position),
        "on_position": window.on_position,
        "effect": settings(trace)["effect"],
        "min_votes": settings(trace)["min_votes"],
        "said": said.iter().map(|s| json!({"name": trace.name_of(&s.by), "text": s.text})).collect::<Vec<_>>(),
        "closes_at": clock::text(window.closes_at),
        "ms_left": (window.closes_at - app.clock.now()).num_milliseconds().max(0),
    })
}

/// The last tally of a debate that continues, beside the judges' ballots, and what came of them.
fn closed(app: &App, trace: &Trace, id: &ShortId, vote: &AudienceVote) -> Value {
    let judges = trace.ballots.iter().filter(|b| b.round == vote.round && !b.by.is_audience());
    let rotation = trace.rotations.iter().find(|r| r.round == vote.round);
    json!({
        "id": id.as_str(),
        "page": page_of(app, id),
        "round": vote.round,
        "topic": topic(trace),
        "on_position": vote.on_position,
        "effect": vote.effect,
        "votes": vote.words(),
        "voters": vote.tally.voters,
        "tie": vote.tally.keep == vote.tally.rotate,
        "min_votes": settings(trace)["min_votes"],
        "counted": vote.counted,
        "judges": judges.map(|b| json!({"name": trace.name_of(&b.by.id), "keep": b.keep})).collect::<Vec<_>>(),
        "debater": rotation.map(|r| trace.name_of(&r.debater)),
        "next": rotation.filter(|r| r.rotated).map(|r| trace.name_of(&r.next)),
        "voted_out": rotation.is_some_and(|r| r.voted_out),
        "out_since": rotation.and_then(|r| r.out_since),
    })
}

/// The topic, with what tells it from those of debates that repeat it.
fn topic(trace: &Trace) -> String {
    match trace.plan.pairing.repetition {
        0 | 1 => trace.topic.clone(),
        n => format!("{} (run {n})", trace.topic),
    }
}

fn settings(trace: &Trace) -> &Value {
    &trace.plan.settings["audience"]
}

/// The debate's page, where voters may see it.
fn page_of(app: &App, id: &ShortId) -> Option<String> {
    let is_open = app.access.key.is_none();
    is_open.then(|| format!("/d/{}", id.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn l4_a_window_is_told_once_both_sides_statements_can_be_read() {
        let team = profile_of("knockout").team;
        let debater = format!("{}_1", team.expect("a team"));
        let are_heard = |speakers: &[&str]| are_both_heard(speakers.iter().copied(), team);
        assert!(!are_heard(&[]) && !are_heard(&["x"]) && !are_heard(&[&debater]));
        assert!(are_heard(&[&debater, "x"]));
    }
}
