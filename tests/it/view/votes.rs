//! Rows L4 and K12: the audience's votes in a knockout, by the real binary and by real sockets.

use std::collections::BTreeSet;
use std::path::PathBuf;

use chrono::{DateTime, TimeDelta, Utc};
use mock_ollama::Answer;
use rebut::clock::Clock;
use rebut::event::{Tally, VoteWindow};
use rebut::journal::{self, Entry};
use rebut::store::audience_ballots::{Ballots, Cast, CastBallot, Choice};
use rebut::store::layout::OutputDir;
use rebut::store::live::ShortId;
use serde_json::{Value, json};

use super::client::{Reply, Viewer};
use crate::fault_injector::{Line, kills_among};
use crate::harness::{
    Place, Run, TINY_JOB, ballot, blanked, copy_of, each, entries_of, good, has, has_all, is,
    lacks, list, name_of, read, shows, wait_for, with_job,
};

/// A job whose window nobody waits for to its end.
fn job(effect: &str) -> String {
    format!("{TINY_JOB}audience: {{effect: {effect}, window_seconds: 3600, min_votes: 2}}\n")
}

/// A place in which so many are there to vote, as long as it stands.
fn hall(job: &str, present: u32) -> Place {
    let place = with_job(job);
    let told = json!({"voters": present, "at": "2999-01-01T00:00:00Z"});
    place.write("output/.rebut/live/voters", &told.to_string());
    place
}

fn output(place: &Place) -> OutputDir {
    OutputDir::at(&place.path().join("output"))
}

/// The only file of ballots, if there is one.
fn ballots_file(place: &Place) -> Option<PathBuf> {
    let debates = list(&place.path().join("output/.rebut/ballots"));
    debates.iter().flat_map(|debate| list(debate)).next()
}

/// The id of the only debate with ballots, and the window that is open on it.
fn window(place: &Place) -> Option<(ShortId, VoteWindow)> {
    let file =
        ballots_file(place).filter(|file| file.extension().is_some_and(|it| it == "open"))?;
    let id = ShortId::parse(&name_of(file.parent()?))?;
    let window = serde_json::from_str(read(&file).lines().next()?).ok()?;
    Some((id, window))
}

/// The window, once it is open and told.
fn opened(place: &Place) -> (ShortId, VoteWindow) {
    // Those who vote see what was said as soon as the run has told it.
    wait_for(|| window(place).is_some_and(|(id, _)| is_told(place, &id)));
    window(place).expect("a window")
}

/// Runs `job.yaml` until people can vote, and kills it then.
fn killed_in_the_window(place: &Place) -> (ShortId, VoteWindow) {
    let run = place.start(&["job.yaml"]);
    let found = opened(place);
    run.kill();
    found
}

/// Whether it is told to those who look on that people can vote.
fn is_told(place: &Place, id: &ShortId) -> bool {
    let live = place.path().join("output/.rebut/live").join(format!("{}.jsonl", id.as_str()));
    std::fs::read_to_string(live).is_ok_and(|told| told.contains("\"audience_open\""))
}

/// A vote that reaches the disk while the window is open.
fn cast(place: &Place, voter: &str, choice: Choice) -> Cast {
    let Some((id, window)) = window(place) else {
        return Cast::Closed;
    };
    let ballot =
        CastBallot { voter: voter.to_owned(), choice, at: window.opened_at, unverified: false };
    let ballots = Ballots::of(&output(place), &id, window.round);
    let in_time = Clock::fixed(window.opened_at);
    ballots.cast(&[ballot], &in_time).expect("a vote")
}

/// Lets the window have ended, on the disk as in the journal.
fn expire(place: &Place) {
    let path = place.running_journal();
    let past = |window: &mut Value| window["closes_at"] = window["opened_at"].clone();
    let lines = entries_of(&path).into_iter().map(|mut entry| {
        if let Entry::External(reading) = &mut entry
            && reading.name.ends_with("/audience/opened")
        {
            past(&mut reading.value);
        }
        journal::line(&entry) + "\n"
    });
    std::fs::write(&path, lines.collect::<String>()).expect("a journal");
    if let Some(file) = ballots_file(place) {
        let text = read(&file);
        let (first, rest) = text.split_once('\n').expect("a line");
        let mut window: Value = serde_json::from_str(first).expect("a window");
        past(&mut window);
        std::fs::write(&file, format!("{window}\n{rest}")).expect("a file");
    }
}

/// Votes are cast, the run is killed, and goes on when the window is over.
fn voted(place: &Place, votes: &[(&str, Choice)]) -> Value {
    killed_in_the_window(place);
    for (voter, choice) in votes {
        assert!(matches!(cast(place, voter, *choice), Cast::Counted { .. }));
    }
    expire(place);
    place.run_exits(0, &["job.yaml"]);
    place.trace()
}

const KEEP: Choice = Choice::Keep;
const ROTATE: Choice = Choice::Rotate;

#[test]
fn l4_nobody_is_waited_for_where_nobody_is_there() {
    let place = with_job(&job("ballot"));
    place.run_exits(0, &["job.yaml"]);
    let trace = place.trace();
    shows!(trace, {"audience count": 1, "audience/0/present": 0, "audience/0/voters": 0, "audience/0/counted": false, "ballots count": 3, "status": "done"});
    let journal = list(&place.path().join("output/.rebut/journals")).remove(0);
    let opened = entries_of(&journal)
        .into_iter()
        .find_map(|entry| match entry {
            Entry::External(it) if it.name == "round-1/audience/opened" => Some(it.value),
            _ => None,
        })
        .expect("a reading");
    assert_eq!(opened["opened_at"], opened["closes_at"], "a window of length 0");
    let summary = read(&place.debates()[0].join("summary.md"));
    has(&summary, "- **Audience**: nobody was there to vote");
    assert_eq!(ballots_file(&place), None);
}

#[test]
fn l4_killed_in_the_window_what_was_acknowledged_is_counted_and_counted_once() {
    let place = hall(&job("shown"), 3);
    let votes = [("a", KEEP), ("b", ROTATE), ("a", ROTATE), ("c", KEEP)];
    let trace = voted(&place, &votes);
    shows!(trace, {
        "audience/0/keep": 1, "audience/0/rotate": 2, "audience/0/voters": 3, "audience/0/ballots": 4,
        "audience/0/refused": 0, "audience/0/majority": false, "audience/0/counted": false, "ballots count": 3
    });
    let directory = &place.debates()[0];
    has(&read(&directory.join("summary.md")), "- **Audience**: 1 upheld, 2 not upheld; shown only");
    has(
        &read(&directory.join("debate.html")),
        "<strong>Audience</strong>: 1 upheld, 2 not upheld; shown only",
    );
    has(&read(&directory.join("index.md")), "audience: \"shown\"");
    let shown = place.rebut(&["show", &directory.display().to_string()]).stdout;
    has(&shown, "Audience: 1 upheld, 2 not upheld; shown only");
    for file in ["trace.json", "events.jsonl", "debate.html"] {
        lacks(&read(&directory.join(file)), &["\"voter\""]);
    }
    assert_eq!(ballots_file(&place), None, "nothing is left of who voted how");
}

#[test]
fn l4_a_window_ends_by_itself() {
    let place = hall(&job("shown").replace("3600", "1"), 2);
    place.run_exits(0, &["job.yaml"]);
    shows!(place.trace(), {"audience/0/present": 2, "audience/0/voters": 0, "status": "done"});
}

/// A debate in which so many of three judges keep the debater with this score, and people vote so.
fn decided_in(keeps: usize, score: u64, votes: &[(&str, Choice)]) -> Place {
    let place = hall(&job("ballot"), 3);
    place.reply_by(move |call| {
        let judge = (2..=4).find(|n| is(call, &format!("round-1/ballot/position_y_{n}")))?;
        Some(ballot(score, judge - 2 < keeps))
    });
    voted(&place, votes);
    place
}

fn decided(keeps: usize, score: u64, votes: &[(&str, Choice)]) -> Value {
    decided_in(keeps, score, votes).trace()
}

#[test]
fn l4_statistics_know_the_audience_and_do_not_compare_what_it_decided() {
    let place = decided_in(1, 5, &[("a", KEEP), ("b", KEEP)]);
    let found = |args: &[&str]| {
        let all = [&["stats", "output", "--format", "json"], args].concat();
        let told = place.rebut_exits(0, &all).stdout;
        serde_json::from_str::<Value>(&told).expect("JSON")
    };
    let by = found(&["--by", "audience"]);
    has(&by["breakdowns"].to_string(), "\"ballot\"");
    let agreement = by["judges"]["agreement"].as_array().expect("rows");
    let own = agreement.iter().find(|row| row["what"] == "audience");
    shows!(own.expect("a row"), {"units": 1, "debates": [1]});
    has(
        &by["cautions"].to_string(),
        "The audience decided 1 round in 1 debate: without it, the judges would have decided differently.",
    );
    lacks(&by["judges"]["rows"].to_string(), &["audience"]);
    let none = place.rebut_exits(2, &["stats", "output", "--where", "audience=shown"]);
    has(&none.stderr, "ballot");
}

#[test]
fn l4_the_majority_of_enough_voters_is_one_more_ballot() {
    let against = [("a", ROTATE), ("b", ROTATE), ("c", KEEP)];
    let out = |trace: &Value| trace["rotations"][0]["voted_out"] == true;
    // 3 of 4 replace, whatever the scores.
    let three = decided(1, 5, &against);
    assert!(out(&three));
    has(
        &three["rotations"][0]["reason"].to_string(),
        "3 of 4 found that Y-1 did not uphold the position (the audience among them), and 3 are enough",
    );
    // Two of the three judges are no majority of four: the scores break the tie, or keep.
    let kept = decided(1, 5, &[("a", KEEP), ("b", KEEP)]);
    assert!(!out(&kept), "2 : 2 with good scores");
    shows!(kept, {"audience/0/decisive": true, "audience/0/counted": true, "ballots count": 4, "ballots/3/by/kind": "audience"});
    assert!(out(&decided(1, 2, &[("a", KEEP), ("b", KEEP)])), "2 : 2 with poor scores");
    // One voter is too few, and so is a tie: as if there were no audience.
    for votes in [&[("a", KEEP)][..], &[("a", KEEP), ("b", ROTATE)]] {
        let without = decided(1, 5, votes);
        assert!(out(&without));
        shows!(without, {"audience/0/counted": false, "audience/0/decisive": false, "ballots count": 3, "status": "done"});
    }
}

/// A debate without its times, its id and what says that people vote.
fn without_audience(place: &Place) -> Value {
    let files = blanked(&place.debates()[0]);
    let mut trace: Value = serde_json::from_str(&files["trace.json"]).expect("JSON");
    for record in [
        &["audience"][..],
        &["id"],
        &["plan", "inputs"],
        &["plan", "settings", "audience"],
        &["record", "rounds", "0", "audience"],
    ] {
        let (last, path) = record.split_last().expect("a key");
        let at = trace.pointer_mut(&path.iter().map(|key| format!("/{key}")).collect::<String>());
        at.and_then(Value::as_object_mut).map(|at| at.remove(*last));
    }
    trace
}

#[test]
fn l4_votes_that_are_only_shown_change_nothing() {
    let (with, without) = (hall(&job("shown"), 2), with_job(TINY_JOB));
    voted(&with, &[("a", ROTATE), ("b", ROTATE)]);
    without.run_exits(0, &["job.yaml"]);
    assert_eq!(without_audience(&with), without_audience(&without));
    shows!(without.trace(), {"audience": null, "plan/settings/audience": null});
}

#[test]
fn l4_a_rehearsal_casts_five_ballots_that_follow_from_the_seed() {
    let rehearsed = || {
        let place = with_job(&job("ballot"));
        place.run_exits(0, &["--rehearse", "job.yaml"]);
        place
    };
    let (one, other) = (rehearsed(), rehearsed());
    shows!(one.trace(), {"audience/0/voters": 5, "audience/0/ballots": 5, "audience/0/counted": true});
    assert_eq!(blanked(&one.debates()[0]), blanked(&other.debates()[0]));
    has(&read(&one.debates()[0].join("summary.md")), ", all rehearsed; counted as one ballot");
}

#[test]
fn l4_in_public_a_debate_with_an_audience_is_shown() {
    let place = with_job(&job("ballot"));
    place.run_exits(0, &["--rehearse", "job.yaml"]);
    let public = Viewer::over(&place, &["--public", "--include-rehearsals"]);
    let name = name_of(&place.debates()[0]);
    let page = public.page(&format!("/d/{}", &name[name.len() - 12..]));
    has(&page, "<strong>Audience</strong>: ");
}

#[test]
fn l4_what_was_acknowledged_is_counted_in_a_debate_that_aborts() {
    let place = hall(&format!("{}on_failure: abort\n", job("ballot")), 2);
    place.reply_by(|call| is(call, "round-1/ballot*").then(|| Answer::text("I cannot say.")));
    killed_in_the_window(&place);
    for voter in ["a", "b"] {
        assert!(cast(&place, voter, KEEP) != Cast::Closed);
    }
    expire(&place);
    place.run_exits(1, &["job.yaml"]);
    shows!(place.trace(), {"status": "failed", "audience count": 1, "audience/0/keep": 2, "audience/0/voters": 2});
    assert_eq!(ballots_file(&place), None);
}

#[test]
fn l4_links_are_made_before_the_first_run() {
    let place = Place::new();
    let command = place.command(&["view", "output", "--listen", "127.0.0.1:0", "--voters", "1"]);
    let hosts = Viewer::started(&place, command, 1);
    assert_eq!(post(&hosts, "/session", "", &token(&hosts.links[0])).status, 204);
    hosts.kill();
}

#[test]
fn l4_links_need_a_name_where_the_viewer_listens_on_all_addresses() {
    let place = with_job(&job("shown"));
    place.run_exits(0, &["job.yaml"]);
    let args = ["view", "output", "--listen", "0.0.0.0:0", "--voters", "1"];
    let refused = place.rebut_exits(2, &args);
    has(&refused.stderr, "--name");
}

#[test]
fn k7_a_threshold_of_null_is_none() {
    let place = Place::new();
    let checked = |rotation: &str| {
        let job = format!("{}{rotation}", job("ballot"));
        place.write("job.yaml", &job);
        let told = place.rebut_exits(0, &["check", "job.yaml"]).stdout;
        told.split('\t').nth(1).expect("an id").to_owned()
    };
    assert_eq!(checked("rotation: {threshold: null}\n"), checked(""));
}

#[test]
fn k12_an_audience_is_of_a_knockout_and_of_the_id_but_by_default_there_is_none() {
    let place = Place::new();
    place.write("job.yaml", "format: duel\ntopic: Should voting be compulsory?\naudience: {}\n");
    let refused = place.rebut_exits(2, &["check", "job.yaml"]);
    has(&refused.stderr, "a duel job has no `audience`; knockout has it");
    let id = |more: &str| {
        place.write("job.yaml", &format!("{TINY_JOB}{more}"));
        let told = place.rebut_exits(0, &["check", "job.yaml"]).stdout;
        told.split('\t').nth(1).expect("an id").to_owned()
    };
    let none = id("");
    assert_eq!(id("audience: null\n"), none);
    let shown = id("audience: {}\n");
    assert_ne!(shown, none);
    assert_eq!(id("audience: {effect: shown, window_seconds: 45, min_votes: 3}\n"), shown);
    assert_ne!(id("audience: {effect: ballot}\n"), shown);
}

/// A viewer that has printed so many links.
fn viewer(place: &Place, args: &[&str], links: usize) -> Viewer {
    let count = links.to_string();
    let mut all = vec!["view", "output", "--listen", "127.0.0.1:0"];
    if links > 0 {
        all.extend(["--voters", &count]);
    }
    // Each name that it is given has a line before the links, and the address for everybody one behind them.
    let lines = |flag: &str| args.iter().filter(|arg| **arg == flag).count();
    let (names, open) = (lines("--name"), lines("--open-vote"));
    let command = place.command(&[&all, args].concat());
    let mut viewer = Viewer::started(place, command, names + links + open);
    viewer.links.drain(..names);
    viewer.links.truncate(links);
    viewer
}

/// Sends JSON as a page of the viewer does.
fn post(viewer: &Viewer, path: &str, cookie: &str, body: &str) -> Reply {
    let port = viewer.port;
    let lines = format!("Origin: http://localhost:{port}\r\nContent-Type: application/json\r\n");
    posted(viewer, path, &format!("{lines}Cookie: {cookie}\r\n"), body)
}

fn posted(viewer: &Viewer, path: &str, lines: &str, body: &str) -> Reply {
    let (port, length) = (viewer.port, body.len());
    viewer.send(&format!(
        "POST {path} HTTP/1.1\r\nHost: localhost:{port}\r\n{lines}Content-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    ))
}

fn token(link: &str) -> String {
    let (_, token) = link.split_once("/join#").expect("a link");
    assert_eq!(token.len(), 32, "128 bits: {link}");
    json!({"token": token}).to_string()
}

/// The cookie of a session.
fn session(reply: &Reply) -> String {
    assert_eq!(reply.status, 204, "{}", reply.body);
    let cookie = reply.header("set-cookie").expect("a cookie");
    has_all(cookie, &["; httponly", "; samesite=strict"]);
    cookie.split(';').next().expect("a cookie").to_owned()
}

#[test]
fn l4_a_link_works_once_and_its_vote_is_counted_after_every_kind_of_kill() {
    let place = hall(&job("shown"), 3);
    let (id, _) = killed_in_the_window(&place);
    let hosts = viewer(&place, &[], 3);
    let links: Vec<String> = hosts.links.iter().map(|link| token(link)).collect();
    let cookie = session(&post(&hosts, "/session", "", &links[0]));
    let again = post(&hosts, "/session", "", &links[0]);
    assert_eq!((again.status, again.header("set-cookie")), (403, None));
    let at = format!("/vote/{}/1", id.as_str());
    let counted = post(&hosts, &at, &cookie, r#"{"choice": "rotate"}"#);
    assert_eq!(counted.status, 200, "{}", counted.body);
    let counted: Value = serde_json::from_str(&counted.body).expect("JSON");
    shows!(counted, {"counted": true});
    let state = hosts.get_with("/vote/state", &format!("Cookie: {cookie}\r\n"));
    let now: Value = serde_json::from_str(&state.body).expect("JSON");
    shows!(now, {"open count": 1, "open/0/round": 1, "open/0/debater": "Y-1", "open/0/said count": 2, "closed count": 0, "unverified": false,
        "open/0/own": "rotate", "open/0/effect": "shown", "open/0/min_votes": 2});
    lacks(&state.body, &["llama3", "keep"]);
    let secret = place.path().join("output/.rebut/view/voters.jsonl");
    lacks(&read(&secret), &[&links[0], &links[1], &cookie]);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let ballots = ballots_file(&place).expect("ballots");
        for file in [&secret, &ballots] {
            let mode = file.metadata().expect("a file").permissions().mode();
            assert_eq!(mode & 0o777, 0o600, "{}", file.display());
        }
    }
    hosts.kill();
    // Another viewer knows the links and sessions; its cookie has another port.
    let hosts = viewer(&place, &[], 0);
    let second = session(&post(&hosts, "/session", "", &links[1]));
    // Nobody is told how others vote.
    let state = hosts.get_with("/vote/state", &format!("Cookie: {second}\r\n"));
    let now: Value = serde_json::from_str(&state.body).expect("JSON");
    shows!(now, {"open/0/own": null});
    assert_eq!(post(&hosts, &at, &second, r#"{"choice": "keep"}"#).status, 200);
    let (_, kept) = cookie.split_once('=').expect("a value");
    let first = format!("rebut-vote-{}={kept}", hosts.port);
    assert_eq!(post(&hosts, &at, &first, r#"{"choice": "keep"}"#).status, 200);
    expire(&place);
    place.run_exits(0, &["job.yaml"]);
    shows!(place.trace(), {"audience/0/keep": 2, "audience/0/rotate": 0, "audience/0/voters": 2, "audience/0/ballots": 3, "audience/0/unverified": 0});
    let third = session(&post(&hosts, "/session", "", &links[2]));
    let late = post(&hosts, &at, &third, r#"{"choice": "keep"}"#);
    assert_eq!(late.status, 409, "{}", late.body);
}

#[test]
fn l4_how_judges_vote_is_shown_once_the_window_has_closed() {
    let place = hall(&job("shown"), 3);
    let run = place.start(&["job.yaml"]);
    let (id, _) = opened(&place);
    let live = place.path().join(format!("output/.rebut/live/{}.jsonl", id.as_str()));
    wait_for(|| read(&live).contains("\"ballot\""));
    let hosts = viewer(&place, &[], 0);
    let at = format!("/d/{}", id.as_str());
    // What the run is doing is told a moment later.
    wait_for(|| hosts.page("/").contains(" · audience votes, "));
    let page = hosts.page(&at);
    has_all(&page, &["Round 1 of 1: audience votes, ", " s left.</span>", "data-votes-left=\"3"]);
    lacks(&page, &["Votes on Y-1", "votes keep", "votes replace"]);
    let told = hosts.stream(&format!("{at}/events"), "").until("now");
    assert!(told.iter().any(|event| event.name == "audience_open"));
    assert!(told.iter().all(|event| event.name != "ballot"), "{told:?}");
    run.kill();
    expire(&place);
    place.run_exits(0, &["job.yaml"]);
    has(&viewer(&place, &[], 0).page(&at), "Votes on Y-1");
}

#[test]
fn l4_voters_are_told_what_came_of_the_last_vote_and_why_it_did_not_count() {
    let place = hall(&job("ballot").replace("rounds: 1", "rounds: 2"), 3);
    killed_in_the_window(&place);
    assert!(matches!(cast(&place, "a", KEEP), Cast::Counted { .. }));
    expire(&place);
    let gate = mock_ollama::Gate::new();
    let held = gate.clone();
    place.reply_by(move |call| is(call, "round-2/*").then(|| good(call).after(held.clone())));
    let run = place.start(&["job.yaml"]);
    place.server.wait_until(|calls| calls.iter().any(|call| is(call, "round-2/*")));
    let hosts = viewer(&place, &[], 1);
    let cookie = session(&post(&hosts, "/session", "", &token(&hosts.links[0])));
    let state = || hosts.get_with("/vote/state", &format!("Cookie: {cookie}\r\n")).body;
    // What is shown live may come a moment after the call that follows it.
    wait_for(|| !state().contains("\"closed\":[]"));
    let now: Value = serde_json::from_str(&state()).expect("JSON");
    shows!(now, {"open count": 0, "closed count": 1, "closed/0/votes": "1 keep, 0 replace", "closed/0/counted": false,
        "closed/0/voters": 1, "closed/0/min_votes": 2, "closed/0/debater": "Y-1", "closed/0/next": null, "closed/0/voted_out": false,
        "closed/0/page contains": "/d/"});
    run.kill();
    gate.open();
}

#[test]
fn k7_a_debater_who_is_voted_out_in_the_last_round_is_not_said_to_be_replaced() {
    let place = decided_in(0, 2, &[("a", ROTATE), ("b", ROTATE)]);
    let name = name_of(&place.debates()[0]);
    let page = Viewer::over(&place, &[]).page(&format!("/d/{}", &name[name.len() - 12..]));
    has_all(&page, &["✕ Y-1 voted out, not replaced", "debates, voted out, not replaced"]);
}

#[test]
fn l4_a_new_list_of_voters_voids_the_links_and_sessions_before() {
    let place = hall(&job("shown"), 1);
    killed_in_the_window(&place);
    let first = viewer(&place, &[], 2);
    let links: Vec<String> = first.links.iter().map(|link| token(link)).collect();
    let entered = session(&post(&first, "/session", "", &links[0]));
    let (_, kept) = entered.split_once('=').expect("a value");
    let votes = |hosts: &Viewer| {
        let cookie = format!("Cookie: rebut-vote-{}={kept}\r\n", hosts.port);
        hosts.get_with("/vote/state", &cookie).status
    };
    first.ends();
    let same = viewer(&place, &[], 0);
    assert_eq!(votes(&same), 200, "without --voters the list stays");
    same.ends();
    let anew = viewer(&place, &[], 1);
    assert_eq!(votes(&anew), 403);
    assert_eq!(post(&anew, "/session", "", &links[1]).status, 403);
    let new = token(&anew.links[0]);
    assert_eq!(post(&anew, "/session", "", &new).status, 204);
    has(&anew.ends().stderr, "earlier links and sessions are void");
}

#[test]
fn l4_who_comes_from_elsewhere_or_without_a_session_does_not_vote() {
    let place = hall(&job("shown"), 1);
    let (id, _) = killed_in_the_window(&place);
    let hosts = viewer(&place, &["--name", "hall.example"], 1);
    let at = format!("/vote/{}/1", id.as_str());
    let keep = r#"{"choice": "keep"}"#;
    assert_eq!(hosts.get("/").status, 403, "a key is asked for");
    for page in ["/join", "/vote"] {
        let page = hosts.page(page);
        has_all(&page, &["<noscript>", "needs JavaScript"]);
        lacks(&page, &["<script>", "onclick"]);
    }
    assert_eq!(hosts.get("/vote/state").status, 403);
    assert_eq!(post(&hosts, &at, "", keep).status, 403);
    assert_eq!(post(&hosts, "/session", "", "{}").status, 403, "no open vote");
    let wrong = json!({"token": "0".repeat(32)}).to_string();
    assert_eq!(post(&hosts, "/session", "", &wrong).status, 403);
    let cookie = session(&post(&hosts, "/session", "", &token(&hosts.links[0])));
    let json = "Content-Type: application/json\r\n";
    let own = format!("Origin: http://localhost:{}\r\n", hosts.port);
    let sent = |lines: &str, body: &str| {
        posted(&hosts, &at, &format!("Cookie: {cookie}\r\n{lines}"), body).status
    };
    assert_eq!(sent(json, keep), 403, "no origin");
    for origin in ["http://evil.example", "null", "http://localhost:1", "http://127.0.0.1"] {
        assert_eq!(sent(&format!("{json}Origin: {origin}\r\n"), keep), 403, "{origin}");
    }
    assert_eq!(sent(&own, keep), 415, "a form may be sent from anywhere");
    let plain = format!("{own}Content-Type: text/plain\r\n");
    assert_eq!(sent(&plain, keep), 415);
    let right = format!("{own}{json}");
    assert_eq!(sent(&right, &" ".repeat(1025)), 413);
    for body in ["", "{}", r#"{"choice": "both"}"#, r#"{"choice": "keep", "voter": "x"}"#] {
        assert_eq!(sent(&right, body), 400, "{body}");
    }
    let statuses: Vec<u16> = (0..20).map(|_| sent(&right, keep)).collect();
    assert_eq!(statuses[0], 200);
    assert!(statuses.contains(&429), "{statuses:?}");
    let cookie_line = format!("Cookie: {cookie}\r\n{right}");
    for method in ["PUT", "DELETE"] {
        let request = format!(
            "{method} {at} HTTP/1.1\r\nHost: localhost\r\n{cookie_line}Connection: close\r\n\r\n"
        );
        assert_eq!(hosts.send(&request).status, 405, "{method}");
    }
}

#[test]
fn l4_without_links_votes_are_capped_by_address_and_told_as_unverified() {
    let place = hall(&job("shown"), 1);
    let (id, _) = killed_in_the_window(&place);
    let hosts = viewer(&place, &["--open-vote"], 1);
    let linked = session(&post(&hosts, "/session", "", &token(&hosts.links[0])));
    let reloaded = post(&hosts, "/session", &linked, "{}");
    assert_eq!(
        (reloaded.status, reloaded.header("set-cookie")),
        (204, None),
        "who has a link keeps its vote"
    );
    let entered: Vec<Reply> = (0..6).map(|_| post(&hosts, "/session", "", "{}")).collect();
    let statuses: Vec<u16> = entered.iter().map(|reply| reply.status).collect();
    assert_eq!(statuses, [204, 204, 204, 204, 204, 429]);
    let cookie = session(&entered[0]);
    let again = post(&hosts, "/session", &cookie, "{}");
    assert_eq!(
        (again.status, again.header("set-cookie")),
        (204, None),
        "whoever loads the page again stays the same voter"
    );
    let at = format!("/vote/{}/1", id.as_str());
    assert_eq!(post(&hosts, &at, &cookie, r#"{"choice": "keep"}"#).status, 200);
    let state = hosts.get_with("/vote/state", &format!("Cookie: {cookie}\r\n"));
    has(&state.body, "\"unverified\":true");
    has(&hosts.page("/vote"), "votes without a link count as unverified");
    expire(&place);
    place.run_exits(0, &["job.yaml"]);
    shows!(place.trace(), {"audience/0/keep": 1, "audience/0/unverified": 1});
    has(
        &read(&place.debates()[0].join("summary.md")),
        "1 upheld, 0 not upheld, unverified; shown only",
    );
    let other = place.command(&["view", "output", "--listen", "127.0.0.1:0", "--open-vote"]);
    let refused = crate::harness::end_of(&mut { other });
    assert_eq!(refused.code, 2, "{}", refused.stderr);
    has(&refused.stderr, "another `rebut view` takes votes for this directory");
}

/// The operations of a run or viewer that are about ballots, or the readings of an audience, and the one behind each, such as
/// the sync of what was written.
fn about_ballots(seen: &[Line]) -> Vec<&Line> {
    let begun = seen.iter().filter(|line| line.n > 0 && line.begins);
    let is_about = |line: &&Line| line.path.contains("ballots/") || line.rest.contains("/audience");
    let about = begun.clone().filter(is_about);
    let numbers: BTreeSet<usize> = about.flat_map(|line| [line.n, line.n + 1]).collect();
    begun.filter(|line| numbers.contains(&line.n)).collect()
}

#[test]
fn b3_a_run_that_is_stopped_does_not_wait_for_the_end_of_a_window() {
    let by_signal = |_: &Place, run: &Run| run.signal("-INT");
    let by_command = |place: &Place, _: &Run| drop(place.rebut_exits(0, &["stop"]));
    for stop in [by_signal as fn(&Place, &Run), by_command] {
        let place = hall(&job("shown"), 1);
        let run = place.start(&["job.yaml"]);
        opened(&place);
        assert!(matches!(cast(&place, "a", ROTATE), Cast::Counted { .. }));
        stop(&place, &run);
        run.ends().exits(130);
        expire(&place);
        place.run_exits(0, &["job.yaml"]);
        shows!(place.trace(), {"audience/0/rotate": 1, "status": "done"});
    }
}

#[test]
fn l4_a_run_killed_at_any_operation_of_a_window_counts_what_was_acknowledged() {
    let job = job("shown").replace("3600", "1");
    let tried = hall(&job, 2);
    assert_eq!(tried.run_injected(&["job.yaml"], "").code, 0);
    let points = kills_among(&about_ballots(&tried.seen()));
    assert!(points.len() >= 20, "{points:?}");
    let hit = std::sync::atomic::AtomicUsize::new(0);
    each(&points, |act| {
        let place = hall(&job, 2);
        if place.run_injected(&["job.yaml"], act).code == -1 {
            hit.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        }
        let acknowledged = [("a", KEEP), ("b", ROTATE), ("a", ROTATE)]
            .map(|(voter, choice)| cast(&place, voter, choice) != Cast::Closed);
        if place.debates().is_empty() {
            place.run_exits(0, &["job.yaml"]);
        }
        let rotate = if acknowledged[0] { 2 } else { 0 };
        shows!(place.trace(), {"audience count": 1, "audience/0/rotate": rotate, "audience/0/keep": 0, "status": "done"});
        assert_eq!(acknowledged, [acknowledged[0]; 3], "{act}");
        assert_eq!(ballots_file(&place), None, "{act}");
    });
    let hit = hit.into_inner();
    assert!(hit * 10 >= points.len() * 9, "only {hit} of {} hit", points.len());
}

#[test]
fn l4_a_run_killed_at_any_operation_of_closing_counts_what_was_cast_before() {
    let before = hall(&job("ballot"), 2);
    killed_in_the_window(&before);
    for (voter, choice) in [("a", KEEP), ("b", KEEP), ("a", ROTATE), ("c", ROTATE)] {
        assert!(cast(&before, voter, choice) != Cast::Closed);
    }
    expire(&before);
    let tried = copy_of(&before);
    assert_eq!(tried.run_injected(&["job.yaml"], "").code, 0);
    let points = kills_among(&about_ballots(&tried.seen()));
    assert!(points.len() >= 12, "{points:?}");
    let tally = json!({"audience/0/keep": 1, "audience/0/rotate": 2, "audience/0/voters": 3, "audience/0/counted": true});
    crate::harness::compare(&tried.trace(), &tally);
    each(&points, |act| {
        let place = copy_of(&before);
        place.run_injected(&["job.yaml"], act);
        if let Some((id, window)) = window(&place) {
            let ballots = Ballots::of(&output(&place), &id, window.round);
            let late = CastBallot {
                voter: "late".to_owned(),
                choice: KEEP,
                at: window.closes_at,
                unverified: false,
            };
            let now = Clock::fixed(window.closes_at);
            assert_eq!(ballots.cast(&[late], &now).expect("an answer"), Cast::Closed);
        }
        if place.debates().is_empty() {
            place.run_exits(0, &["job.yaml"]);
        }
        crate::harness::compare(&place.trace(), &tally);
    });
}

/// A window that is open for an hour, without a run.
fn open_window(place: &Place) -> (Ballots, VoteWindow) {
    let opened_at: DateTime<Utc> = Clock::system().now();
    let window = VoteWindow {
        round: 1,
        present: 1,
        opened_at,
        closes_at: opened_at + TimeDelta::hours(1),
        on_position: false,
    };
    output(place).make().expect("directories");
    let ballots = Ballots::of(&output(place), &ShortId::parse(ID).expect("an id"), 1);
    ballots.open(&window).expect("a window");
    (ballots, window)
}

const ID: &str = "0123456789ab";

/// Votes through a viewer under the fault injector: what it answered, and what is counted then.
fn voted_under(act: &str) -> (Place, u16, Tally) {
    let place = Place::new();
    let (ballots, window) = open_window(&place);
    let mut command =
        place.command(&["view", "output", "--listen", "127.0.0.1:0", "--voters", "1"]);
    place.inject(&mut command, act);
    let hosts = Viewer::started(&place, command, 1);
    let entered = post(&hosts, "/session", "", &token(&hosts.links[0]));
    let status = match entered.status {
        204 => {
            let at = format!("/vote/{ID}/1");
            post(&hosts, &at, &session(&entered), r#"{"choice": "keep"}"#).status
        }
        _ => 0,
    };
    hosts.kill();
    // Whoever votes next finds no half of a line before its own.
    assert!(cast(&place, "another", ROTATE) != Cast::Closed);
    let tally = ballots.close(&window).expect("a tally");
    (place, status, tally)
}

#[test]
fn l4_a_viewer_killed_at_any_operation_of_a_vote_has_acknowledged_only_what_is_counted() {
    let (tried, status, tally) = voted_under("");
    assert_eq!((status, tally.keep, tally.rotate), (200, 1, 1));
    // It answers when an operation is done and before the next one.
    let seen = tried.seen();
    let points: Vec<String> =
        about_ballots(&seen).into_iter().flat_map(Line::kills).map(|(_, act)| act).collect();
    assert!(points.len() >= 5, "{points:?}");
    let unanswered = std::sync::atomic::AtomicUsize::new(0);
    each(&points, |act| {
        let (_, status, tally) = voted_under(act);
        match status {
            200 => assert_eq!(tally.keep, 1, "{act}"),
            _ => {
                unanswered.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
                assert!(tally.keep <= 1, "{act}");
            }
        }
        assert_eq!((tally.rotate, tally.refused), (1, 0), "{act}");
    });
    assert!(unanswered.into_inner() >= 4, "a kill leaves no answer");
}

#[test]
fn l4_a_vote_that_cannot_be_synced_is_not_acknowledged_and_not_counted() {
    let (tried, ..) = voted_under("");
    let seen = tried.seen();
    let on_ballots = |line: &&Line| line.path.contains("ballots/") && line.begins;
    let writes: Vec<usize> = seen
        .iter()
        .filter(on_ballots)
        .filter(|line| ["write", "fdatasync", "fsync"].contains(&line.what.as_str()))
        .map(|line| line.n)
        .collect();
    assert!(writes.len() >= 2, "{seen:?}");
    for n in writes {
        let (_, status, tally) = voted_under(&format!("fail ENOSPC {n}"));
        assert_eq!((status, tally.keep, tally.rotate, tally.refused), (500, 0, 1, 0), "{n}");
    }
}

#[test]
fn l4_ballots_of_an_attempt_that_was_set_aside_are_not_counted() {
    let place = hall(&job("shown"), 2);
    killed_in_the_window(&place);
    assert!(cast(&place, "a", KEEP) != Cast::Closed);
    let (id, window) = window(&place).expect("a window");
    // Nobody is there any more: the run that begins anew waits for nobody.
    place.write("output/.rebut/live/voters", "{}");
    place.run_exits(0, &["job.yaml", "--restart"]);
    shows!(place.trace(), {"audience/0/voters": 0, "audience/0/present": 0});
    assert_eq!(ballots_file(&place), None);
    let ballots = Ballots::of(&output(&place), &id, window.round);
    let clock = Clock::fixed(window.opened_at);
    assert_eq!(ballots.cast(&[], &clock).expect("an answer"), Cast::Closed);
}

#[test]
fn l4_silent_judges_are_no_fault_that_an_audience_mends() {
    let place = hall(&job("ballot"), 2);
    place.reply_by(|call| is(call, "round-1/ballot*").then(|| Answer::text("I cannot say.")));
    killed_in_the_window(&place);
    for voter in ["a", "b"] {
        assert!(cast(&place, voter, KEEP) != Cast::Closed);
    }
    expire(&place);
    place.run_exits(1, &["job.yaml"]);
    shows!(place.trace(), {"status": "degraded", "audience/0/counted": true});
    // The judges are asked again, the people are not: what they voted stands.
    place.server.script(good);
    place.run_exits(0, &["job.yaml", "--retry", "degraded"]);
    shows!(place.trace(), {"status": "done", "audience count": 1, "audience/0/keep": 2, "ballots count": 4});
}
