//! Debates that go on: streams, places in them, kills.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use mock_ollama::{Answer, Gate};
use serde_json::json;

use super::client::{Events, Sent, Viewer, look_on, port_of, running};
use crate::harness::{
    Place, SHORT_JOB, TINY_JOB, good, has, has_all, is, lacks, name_of, read, shows, with_job,
};

fn live_file(place: &Place, id: &str) -> PathBuf {
    place.path().join(format!("output/.rebut/live/{id}.jsonl"))
}

/// The logged events among these, as lines with their ids.
fn logged(events: &[Sent]) -> Vec<(String, String)> {
    let logged = events.iter().filter_map(|event| Some((event.id.clone()?, event.data.clone())));
    logged.collect()
}

/// The log of the only finished debate.
fn log_of(debate: &Path) -> Vec<String> {
    read(&debate.join("events.jsonl")).lines().map(str::to_owned).collect()
}

/// Follows from a place, over as many connections as it takes, to the end of the debate.
fn follow(viewer: &Viewer, path: &str, mut seen: Vec<(String, String)>) -> Vec<(String, String)> {
    loop {
        let last = seen.last().map(|(id, _)| format!("Last-Event-ID: {id}\r\n"));
        let mut events = viewer.stream(path, &last.unwrap_or_default());
        match events.status {
            200 => seen.extend(logged(&events.rest())),
            204 => return seen,
            // Nobody has begun to tell it again.
            _ => {}
        }
    }
}

#[test]
fn l3_text_is_streamed_as_it_comes_and_nothing_comes_twice() {
    let place = with_job(TINY_JOB);
    let (first, second, third) = (Gate::new(), Gate::new(), Gate::new());
    let (one, two, three) = (first.clone(), second.clone(), third.clone());
    let said =
        "Every word of this statement comes in a piece of its own, and all of them are seen.";
    place.reply_by(move |call| {
        let held = Answer::text(said).chunks(16).after(one.clone()).gate_after(9, two.clone());
        if is(call, "round-1/statement/position_x") {
            return Some(held);
        }
        // A debate that ends within the time for which words are gathered shows its statements only.
        is(call, "round-1/statement/*").then(|| good(call).after(three.clone()))
    });
    look_on(&place);
    let run = place.start(&["job.yaml"]);
    place.server.wait_for_chats(1);
    let id = running(&place);
    let viewer = Viewer::over(&place, &[]);
    let page = viewer.page(&format!("/d/{id}"));
    // The round has begun, though nobody has spoken in it.
    has_all(&page, &["<span id=\"now\">", "data-after=\"", "data-round=\"1\""]);
    let mut events = viewer.stream(&format!("/d/{id}/events"), "");
    assert_eq!(events.status, 200);
    has_all(
        &events.head,
        &["content-type: text/event-stream", "x-accel-buffering: no", "cache-control: no-store"],
    );
    let told = events.until("now");
    assert_eq!(told[0].name, "debate_start");
    let now = told.last().expect("now").json();
    assert_eq!(now[0]["call"], "round-1/statement/position_x");
    let mut text = now[0]["text"].as_str().expect("a text").to_owned();
    first.open();
    hear(&mut events, &mut text);
    assert!(said.starts_with(&text) && text != said, "{text}");
    second.open();
    while text != said {
        hear(&mut events, &mut text);
    }
    third.open();
    // It may be committed before it is looked at: then a page asks again from its cursor.
    let rest = logged(&events.rest());
    run.ends().exits(0);
    assert!(!live_file(&place, &id).exists(), "it is committed");

    let all = log_of(&place.debates()[0]);
    let rest: Vec<String> = follow(&viewer, &format!("/d/{id}/events"), rest)
        .into_iter()
        .map(|(_, line)| line)
        .collect();
    assert!(!rest.is_empty() && all.ends_with(&rest), "{rest:?}");
    assert!(rest.last().is_some_and(|line| line.contains("\"complete\"")));
    let seen = follow(&viewer, &format!("/d/{id}/events"), Vec::new());
    assert_eq!(seen.iter().map(|(_, line)| line.clone()).collect::<Vec<_>>(), all);
    let after = &seen[3].0;
    let mut events = viewer.stream(&format!("/d/{id}/events?after={after}"), "");
    assert_eq!(logged(&events.rest()), seen[4..]);
    let last = &seen.last().expect("an end").0;
    assert_eq!(viewer.get(&format!("/d/{id}/events?after={last}")).status, 204);
    for bad in
        ["x", "1", "-1-00000000", "1-zzzzzzzz", "1-%0d%0a", "99999999999999999999999-00000000"]
    {
        assert_eq!(viewer.get(&format!("/d/{id}/events?after={bad}")).status, 400, "{bad}");
    }
    let mut other = viewer.stream(&format!("/d/{id}/events?after=2-00000000"), "");
    assert_eq!(other.rest().last().expect("a reset").name, "reset");
    let mut beyond = viewer.stream(&format!("/d/{id}/events?after=9999-00000000"), "");
    assert_eq!(beyond.rest().last().expect("a reset").name, "reset");
}

#[test]
fn l3_a_text_that_the_clerk_checks_is_told_to_whoever_comes_then() {
    let place = with_job(TINY_JOB);
    let said = "I'm sorry, but I can't argue for this position.";
    let (check, ballots) = (Gate::new(), Gate::new());
    let (checked, voted) = (check.clone(), ballots.clone());
    place.reply_by(move |call| {
        let passes = json!({"because": "It argues.", "declines": false});
        if is(call, "round-1/statement/position_x") {
            return Some(Answer::text(said));
        }
        let held = is(call, "*/refusal-1").then(|| Answer::json(&passes).after(checked.clone()));
        held.or_else(|| is(call, "round-1/ballot/*").then(|| good(call).after(voted.clone())))
    });
    let run = place.start(&["job.yaml"]);
    // Nobody looks on while it arrives.
    place.server.wait_until(|calls| calls.iter().any(|call| is(call, "*/refusal-1")));
    let viewer = Viewer::over(&place, &[]);
    let path = format!("/d/{}/events", running(&place));
    let calls_with = |part: &str| loop {
        let now = viewer.stream(&path, "").until("now").pop().expect("now");
        if now.data.contains(part) {
            return now.json();
        }
    };
    let calls = calls_with("/refusal-1");
    shows!(calls[0], {"call": "round-1/statement/position_x", "ended": true, "text": said});
    shows!(calls[1], {"call": "round-1/statement/position_x/refusal-1", "ended": false});
    check.open();
    let calls = calls_with("/ballot/");
    assert!(calls.as_array().expect("calls").iter().all(|call| call["ended"] == false));
    ballots.open();
    run.ends().exits(0);
}

#[test]
fn l3_a_text_whose_call_failed_is_not_kept_for_those_who_come_later() {
    let place = with_job(&format!("{SHORT_JOB}allow_explicit: true\ncommentator: {{}}\n"));
    let gate = Gate::new();
    let held = gate.clone();
    place.reply_by(move |call| {
        let fails = || {
            Answer::text("Half a comment, and no more.").chunks(16).error_after(9, "no such luck")
        };
        let next = || good(call).after(held.clone());
        is(call, "round-1/comment/*").then(fails).or_else(|| is(call, "round-2/*").then(next))
    });
    look_on(&place);
    let run = place.start(&["job.yaml"]);
    place.server.wait_until(|calls| calls.iter().any(|call| is(call, "round-2/*")));
    let viewer = Viewer::over(&place, &[]);
    let path = format!("/d/{}/events", running(&place));
    let now = loop {
        let now = viewer.stream(&path, "").until("now").pop().expect("now").data;
        if now.contains("round-2/") {
            break now;
        }
    };
    lacks(&now, &["/comment/"]);
    gate.open();
    run.ends().exits(0);
}

/// Takes in the next piece of a text, which goes on where the last one ended.
fn hear(events: &mut Events, text: &mut String) {
    let event = events.until("statement_chunk").pop().expect("a chunk").json();
    assert_eq!(event["from"], text.chars().count());
    text.push_str(event["text"].as_str().expect("a text"));
    assert_eq!(event["to"], text.chars().count());
}

#[cfg(unix)]
#[test]
fn l3_nothing_is_lost_or_doubled_when_viewer_and_run_are_killed() {
    let place = with_job(SHORT_JOB);
    let gate = Gate::new();
    let held = gate.clone();
    place.reply_by(move |call| is(call, "round-2/*").then(|| good(call).after(held.clone())));
    let run = place.start(&["job.yaml"]);
    let id = running(&place);
    let viewer = Viewer::over(&place, &[]);
    let path = format!("/d/{id}/events");
    let mut events = viewer.stream(&path, "");
    let mut seen = logged(&events.until("ballot"));
    viewer.kill();
    seen.extend(logged(&events.rest()));

    // Another viewer goes on where the first was killed.
    let viewer = Viewer::over(&place, &[]);
    let last =
        |seen: &[(String, String)]| format!("Last-Event-ID: {}\r\n", seen.last().expect("some").0);
    place.server.wait_until(|calls| calls.iter().any(|call| is(call, "round-2/*")));
    let mut events = viewer.stream(&path, &last(&seen));
    seen.extend(logged(&events.until("now")));
    run.kill();
    has(&viewer.page(&format!("/d/{id}")), "unfinished and not running");
    // What the killed run told last still comes.
    let mut again = viewer.stream(&path, &last(&seen));
    seen.extend(logged(&again.until("now")));
    drop((events, again));

    gate.open();
    let run = place.start(&["job.yaml"]);
    let seen = follow(&viewer, &path, seen);
    run.ends().exits(0);
    let lines: Vec<String> = seen.iter().map(|(_, line)| line.clone()).collect();
    assert_eq!(lines, log_of(&place.debates()[0]));
    let ids: BTreeSet<&String> = seen.iter().map(|(id, _)| id).collect();
    assert_eq!(ids.len(), seen.len());
}

#[test]
fn l3_a_debate_that_is_started_over_is_told_from_the_start() {
    let place = with_job(TINY_JOB);
    place.run_exits(0, &["job.yaml"]);
    let viewer = Viewer::over(&place, &[]);
    let name = name_of(&place.debates()[0]);
    let path = format!("/d/{}/events", &name[name.len() - 12..]);
    let seen = follow(&viewer, &path, Vec::new());
    place.run_exits(0, &["--restart", "job.yaml"]);
    let told_anew = || {
        let mut events = viewer.stream(&format!("{path}?after={}", seen[5].0), "");
        events.rest().iter().any(|event| event.name == "reset")
    };
    while !told_anew() {}
}

#[test]
fn l3_the_overview_tells_what_runs_and_says_goodbye_on_streams() {
    let place = with_job(TINY_JOB);
    let (gate, run) = place.start_held(&["job.yaml"], 1);
    let id = running(&place);
    let viewer = Viewer::over(&place, &[]);
    let mut overview = viewer.stream("/events", "");
    let told = std::iter::from_fn(|| overview.next())
        .find(|event| event.json()["open"][0]["id"] == *id)
        .expect("the debate")
        .json();
    has(&told["open"][0]["doing"].to_string(), "'s turn (llama3)");
    has(&told["line"].to_string(), "0 of 1 debate ended");
    let mut events = viewer.stream(&format!("/d/{id}/events"), "");
    events.until("now");
    viewer.ends().exits(0);
    assert_eq!(events.rest().last().expect("a goodbye").name, "bye");
    gate.open();
    run.ends().exits(0);
}

#[test]
fn l3_what_models_say_ends_no_event_and_opens_no_element() {
    let hostile = "Well.\r\ndata: {\"x\": 1}\r\n\r\nevent: complete\r\ndata: {}\r\n\r\n</article><script>alert(1)</script>\u{2028}\u{2029}\u{85}\u{1b}[31m\u{202e}<img src=x onerror=alert(1)> javascript:alert(1) </textarea>";
    let place = with_job(&format!("{TINY_JOB}name: x\nx: {{name: \"<b>X</b>\"}}\n"));
    let gate = Gate::new();
    let held = gate.clone();
    place.reply_by(move |call| {
        let said = is(call, "round-*/statement/*").then(|| Answer::text(hostile).chunks(30));
        said.or_else(|| is(call, "round-*/ballot/*").then(|| good(call).after(held.clone())))
    });
    let run = place.start(&["job.yaml"]);
    let id = running(&place);
    let viewer = Viewer::over(&place, &["--include-rehearsals"]);
    let mut events = viewer.stream(&format!("/d/{id}/events"), "");
    let mut told = events.until("round_start");
    told.extend(events.until("statement"));
    harmless(&viewer, &id);
    gate.open();
    told.extend(events.rest());
    assert_eq!(told.iter().filter(|event| event.name == "complete").count(), 1);
    told.iter().for_each(|event| drop(event.json()));
    run.ends();
    harmless(&viewer, &id);
    for path in [
        format!("/d/{id}/search?q=%3Cscript%3E"),
        "/debates?q=%22%3E%3Cscript%3E&status=%22%3E%3Cscript%3E".to_owned(),
        "/".to_owned(),
        "/report".to_owned(),
        format!("/compare?a={id}&b={id}"),
    ] {
        lacks(&viewer.get(&path).body, &["<script>alert", "<img", "\"><script>", "<b>X"]);
    }
}

fn harmless(viewer: &Viewer, id: &str) {
    let page = viewer.page(&format!("/d/{id}"));
    has(&page, "&lt;script");
    lacks(
        &page,
        &[
            "<script>alert",
            "<img",
            "</textarea>",
            "\u{202e}",
            "\u{1b}",
            "<b>X",
            "href=\"javascript",
        ],
    );
}

#[test]
fn l3_a_live_file_of_somebody_else_is_read_as_far_as_it_is_sound() {
    let place = with_job(TINY_JOB);
    place.run_exits(0, &["--rehearse", "job.yaml"]);
    let debate = place.debates()[0].clone();
    let all = log_of(&debate);
    let whole: String =
        serde_json::from_str::<serde_json::Value>(&all[0]).expect("an event")["debate"]
            .as_str()
            .expect("an id")
            .to_owned();
    let id = "aaaaaaaaaaaa";
    let header = format!("{{\"live\":1,\"debate\":\"{whole}\",\"run\":\"x\",\"pid\":1,\"n\":0}}\n");
    let viewer = Viewer::over(&place, &[]);
    let told = |rest: &str| {
        fs::write(live_file(&place, id), format!("{header}{}\n{rest}", all[0])).expect("a file");
        let mut events = viewer.stream(&format!("/d/{id}/events"), "");
        assert_eq!(events.status, 200, "{rest}");
        let told = events.until("now");
        fs::remove_file(live_file(&place, id)).expect("gone");
        assert!(events.rest().is_empty());
        told.iter().map(|event| event.name.clone()).collect::<Vec<_>>()
    };
    assert_eq!(told(&format!("{}\n", all[1])), ["debate_start", "statement", "stopped", "now"]);
    for damaged in [
        "{\"event\":\"x\",\r\"a\":1}\n".to_owned(),
        "{\"event\":\"x\\ny: z\"}\n".to_owned(),
        "{\"event\":\"x\\r\\ndata: {}\"}\n".to_owned(),
        "\r\n\r\nevent: complete\r\ndata: {}\r\n\r\n".to_owned(),
        format!("{}\n", all[2]),
        "not json\n".to_owned(),
        format!("\u{0}\n{}\n", all[1]),
    ] {
        // Damage ends the stream; what came before it is told, by this stream or the next one.
        fs::write(live_file(&place, id), format!("{header}{}\n{damaged}", all[0])).expect("a file");
        let reply = viewer.get(&format!("/d/{id}/events"));
        lacks(&reply.body, &["event: x", "event: complete", "data: {}\n"]);
        let page = viewer.get(&format!("/d/{id}"));
        assert!([200, 404].contains(&page.status));
    }
    for header in [
        "{}\n",
        "{\"live\":2}\n",
        "",
        "\n",
        "{\"live\":1,\"debate\":\"../../x\",\"run\":\"x\",\"pid\":1,\"n\":0}\n",
    ] {
        fs::write(live_file(&place, id), header).expect("a file");
        assert_eq!(viewer.get(&format!("/d/{id}/events")).status, 404, "{header}");
        assert_eq!(viewer.get(&format!("/d/{id}")).status, 404, "{header}");
    }
    fs::remove_file(live_file(&place, id)).expect("gone");
    #[cfg(unix)]
    {
        place.write("secret.jsonl", &format!("{header}{}\n", all[0]));
        std::os::unix::fs::symlink(place.path().join("secret.jsonl"), live_file(&place, id))
            .expect("a link");
        assert_eq!(viewer.get(&format!("/d/{id}/events")).status, 404);
    }
}

#[cfg(unix)]
#[test]
fn l3_a_live_file_that_cannot_be_written_harms_no_debate() {
    let place = with_job(TINY_JOB);
    place.run_exits(0, &["job.yaml"]);
    let name = name_of(&place.debates()[0]);
    let id = &name[name.len() - 12..];
    // A directory stands in its place, a pipe that nobody reads in another's.
    fs::create_dir(live_file(&place, id)).expect("a directory");
    place.run_exits(0, &["--restart", "job.yaml"]);
    assert_eq!(place.statuses(), ["done"]);
    fs::remove_dir(live_file(&place, id)).expect("gone");
    place.write("elsewhere", "precious");
    std::os::unix::fs::symlink(place.path().join("elsewhere"), live_file(&place, id))
        .expect("a link");
    place.run_exits(0, &["--restart", "job.yaml"]);
    assert_eq!(
        (place.statuses(), read(&place.path().join("elsewhere"))),
        (vec!["done".to_owned()], "precious".to_owned())
    );
}

#[test]
fn l3_looking_on_shapes_no_request() {
    let place = with_job(TINY_JOB);
    place.run_exits(0, &["job.yaml"]);
    let alone: Vec<String> = place.server.chats().iter().map(mock_ollama::Call::text).collect();
    let digests = log_of(&place.debates()[0]).len();
    let viewer = Viewer::over(&place, &[]);
    let name = name_of(&place.debates()[0]);
    let gate = place.hold_ballots();
    let run = place.start(&["--restart", "job.yaml"]);
    let id = running(&place);
    assert_eq!(id, name[name.len() - 12..]);
    let mut events = viewer.stream(&format!("/d/{id}/events"), "");
    events.until("now");
    gate.open();
    events.rest();
    run.ends().exits(0);
    let watched: Vec<String> =
        place.server.chats().iter().skip(alone.len()).map(mock_ollama::Call::text).collect();
    let sorted = |mut all: Vec<String>| {
        all.sort();
        all
    };
    assert_eq!(sorted(watched), sorted(alone));
    assert_eq!(log_of(&place.debates()[0]).len(), digests);
}

#[cfg(unix)]
#[test]
fn l3_run_view_starts_a_viewer_that_stays_or_names_the_one_that_is_there() {
    let place = with_job(TINY_JOB);
    let ended = place.run_exits(0, &["--rehearse", "--view", "job.yaml"]);
    let line = ended
        .stderr
        .lines()
        .find(|line| line.contains("follow it at "))
        .expect("a line")
        .to_owned();
    let process = line
        .split("(process ")
        .nth(1)
        .and_then(|rest| rest.split(',').next())
        .expect("a process")
        .to_owned();
    let port = port_of(&line);
    let again = place.run_exits(0, &["--rehearse", "--view", "job.yaml"]);
    let named = format!("follow it at http://127.0.0.1:{port}/\n");
    let is_there = again.stderr.contains(&named);
    let ended = std::process::Command::new("kill").arg(&process).status();
    assert!(is_there, "{}", again.stderr);
    assert!(ended.is_ok_and(|status| status.success()));
}

/// A finished debate, its digits, its log and the first line of a live file of it.
fn finished() -> (Place, String, Vec<String>, String) {
    let place = with_job(TINY_JOB);
    place.run_exits(0, &["--rehearse", "job.yaml"]);
    let debate = place.debates()[0].clone();
    let all = log_of(&debate);
    let start: serde_json::Value = serde_json::from_str(&all[0]).expect("an event");
    let header =
        format!("{{\"live\":1,\"debate\":{},\"run\":\"x\",\"pid\":1,\"n\":0}}\n", start["debate"]);
    let name = name_of(&debate);
    (place, name[name.len() - 12..].to_owned(), all, header)
}

#[test]
fn l3_the_end_of_a_debate_that_is_committed_meanwhile_is_told() {
    let (place, id, all, header) = finished();
    let viewer = Viewer::over(&place, &[]);
    fs::write(live_file(&place, &id), format!("{header}{}\n{}\n", all[0], all[1])).expect("a file");
    let mut events = viewer.stream(&format!("/d/{id}/events"), "");
    let mut told = logged(&events.until("now"));
    assert_eq!(told.len(), 2);
    // It was committed, and the rest of its live file is never read.
    fs::remove_file(live_file(&place, &id)).expect("gone");
    told.extend(logged(&events.rest()));
    let lines: Vec<String> = told.into_iter().map(|(_, line)| line).collect();
    assert_eq!(lines, all);
    // What took another course is not told behind it.
    let other = all[1].replacen("\"time\":\"2", "\"time\":\"3", 1);
    fs::write(live_file(&place, &id), format!("{header}{}\n{other}\n", all[0])).expect("a file");
    let mut events = viewer.stream(&format!("/d/{id}/events"), "");
    events.until("now");
    fs::remove_file(live_file(&place, &id)).expect("gone");
    assert!(events.rest().is_empty());
}

#[test]
fn l3_a_place_that_a_debate_will_not_reach_again_is_reset_at_once() {
    let place = with_job(TINY_JOB);
    place.run_exits(0, &["job.yaml"]);
    let viewer = Viewer::over(&place, &[]);
    let name = name_of(&place.debates()[0]);
    let path = format!("/d/{}/events", &name[name.len() - 12..]);
    let seen = follow(&viewer, &path, Vec::new());
    let gate = Gate::new();
    let held = gate.clone();
    place.reply_by(move |call| {
        is(call, "round-1/statement/*").then(|| good(call).after(held.clone()))
    });
    let asked = place.server.chats().len();
    let run = place.start(&["--restart", "job.yaml"]);
    place.server.wait_for_chats(asked + 1);
    // It waits for its first statement; the reader has seen all of it once.
    let last = &seen.last().expect("an end").0;
    let mut events = viewer.stream(&format!("{path}?after={last}"), "");
    while events.status != 200 {
        // The run has not begun its file.
        events = viewer.stream(&format!("{path}?after={last}"), "");
    }
    assert_eq!(events.rest().last().expect("a reset").name, "reset");
    gate.open();
    run.ends().exits(0);
}

#[test]
fn l3_a_line_that_is_too_long_is_told_and_not_read() {
    let (place, id, all, header) = finished();
    let viewer = Viewer::over(&place, &[]);
    let long = "x".repeat(4 << 20);
    fs::write(live_file(&place, &id), format!("{header}{}\n{long}\n{}\n", all[0], all[1]))
        .expect("a file");
    // Whoever comes is told, not only the first.
    for _ in 0..2 {
        let mut events = viewer.stream(&format!("/d/{id}/events"), "");
        let told = events.rest();
        assert_eq!(told.last().expect("an end").name, "unreadable");
        assert_eq!(logged(&told).len(), 1);
    }
    let page = viewer.page(&format!("/d/{id}"));
    has(&page, "Only its beginning is shown");
    let watched = place.rebut_exits(0, &["watch", &id]);
    has(&watched.stderr, "a line too long to show");
    // A first line is shorter than that.
    let padded = header.replacen("\"x\"", &format!("\"{}\"", "x".repeat(64 << 10)), 1);
    fs::write(live_file(&place, &id), format!("{padded}{}\n", all[0])).expect("a file");
    let told = viewer.stream(&format!("/d/{id}/events"), "").rest();
    assert_eq!(logged(&told).len(), all.len(), "the finished debate is told");
}
