//! `rebut watch`.

use std::io::{BufRead, BufReader, Read};

use mock_ollama::{Answer, Gate};

use super::client::{look_on, running};
use crate::budgets::two_held;
use crate::harness::{
    Place, TINY_JOB, good, has, has_all, is, lacks, list, name_of, read, with_job,
};

#[test]
fn l3_a_debate_is_followed_in_the_terminal_and_acts_on_nothing() {
    let place = with_job(TINY_JOB);
    let (first, second) = (Gate::new(), Gate::new());
    let (one, two) = (first.clone(), second.clone());
    place.reply_by(move |call| {
        let said = "First words \u{1b}[31mred\u{1b}]0;title\u{7} and \u{202e}more words of it.";
        is(call, "round-1/statement/position_x")
            .then(|| Answer::text(said).chunks(12).after(one.clone()).gate_after(6, two.clone()))
    });
    look_on(&place);
    let run = place.start(&["job.yaml"]);
    running(&place);
    first.open();
    let mut watching = place.spawn_command(place.command(&["watch"]));
    let mut stdout = watching.stdout.take().expect("stdout");
    let mut said = Vec::new();
    // Half of the statement is seen while the rest is held.
    while !String::from_utf8_lossy(&said).contains("First words") {
        let mut some = [0; 64];
        let read = stdout.read(&mut some).expect("text");
        assert!(read > 0, "{}", String::from_utf8_lossy(&said));
        said.extend(&some[..read]);
    }
    second.open();
    stdout.read_to_end(&mut said).expect("text");
    let said = String::from_utf8(said).expect("text");
    assert!(watching.wait().expect("an end").success());
    run.ends().exits(0);
    has_all(&said, &["more words of it.", "── ", "votes on ", "\nnext: rebut show "]);
    lacks(&said, &["\u{1b}", "\u{7}", "\u{202e}"]);
    assert_eq!(said.matches("more words of it.").count(), 1, "{said}");
}

#[test]
fn l3_a_statement_is_printed_once_and_to_its_end() {
    let place = with_job(TINY_JOB);
    place.server.script(good);
    place.run_exits(0, &["job.yaml"]);
    let debate = place.debates()[0].clone();
    let name = crate::harness::name_of(&debate);
    let id = &name[name.len() - 12..];
    let log = crate::harness::read(&debate.join("events.jsonl"));
    let events: Vec<serde_json::Value> =
        log.lines().map(|line| serde_json::from_str(line).expect("an event")).collect();
    let said = |event: &&serde_json::Value| {
        event["event"] == "statement" && event["content"]["call"].is_string()
    };
    let at = events.iter().position(|event| said(&event)).expect("a statement");
    let (call, text) =
        (&events[at]["content"]["call"], events[at]["content"]["text"].as_str().expect("a text"));
    let passing = |event: &str, metadata: &str, content: &str| {
        format!(
            "{{\"event\":\"{event}\",\"metadata\":{{\"call\":{call},\"attempt\":1,\"role\":\"position_x\",\"model\":\"m\"{metadata}}},\"content\":{content}}}\n"
        )
    };
    let chunk = |text: &str| {
        let content = serde_json::json!({"from": 0, "to": text.chars().count(), "text": text});
        passing("statement_chunk", "", &content.to_string())
    };
    let start = || passing("call_start", "", "{\"num_predict\":1}");
    let alias = passing(
        "statement_chunk",
        ",\"alias_of\":\"x\"",
        "{\"from\":0,\"to\":5,\"text\":\"ALIAS\"}",
    );
    let first: String = text.chars().take(9).collect();
    // The clerk checks it, and someone else is heard, before it is taken.
    let check = passing("call_start", "", "{\"num_predict\":1}")
        .replace(&call.to_string(), "\"round-1/statement/position_x/check/position_x\"");
    let doubted = format!("{}{check}", chunk(text));
    for (came, times) in
        [(chunk(&first), 1), (chunk("Otherwise it began"), 1), (alias, 1), (doubted, 1)]
    {
        let header = format!(
            "{{\"live\":1,\"debate\":{},\"run\":\"x\",\"pid\":1,\"n\":0}}\n",
            events[0]["debate"]
        );
        let lines: Vec<&str> = log.lines().collect();
        let (before, after) = lines.split_at(at);
        let told =
            format!("{header}{}\n{}{came}{}\n", before.join("\n"), start(), after.join("\n"));
        place.write(&format!("output/.rebut/live/{id}.jsonl"), &told);
        let watched = place.rebut_exits(0, &["watch", id]);
        assert_eq!(watched.stdout.matches(text).count(), times, "{came}: {}", watched.stdout);
        lacks(&watched.stdout, &["ALIAS", "takes notes", "'s turn", "Starting ", "discarded"]);
    }
}

#[test]
fn l3_who_follows_a_debate_is_told_which_server_it_waits_for_and_how_to_go_on() {
    let place = with_job(TINY_JOB);
    place.server.script(|_| Answer::hang());
    look_on(&place);
    let mut run = place.start(&["job.yaml"]);
    running(&place);
    place.server.wait_for_chats(1);
    place.server.stop();
    run.hears("without limit (--outage-timeout never)");
    let mut watching = place.spawn_command(place.command(&["watch"]));
    let mut lines = BufReader::new(watching.stdout.take().expect("stdout")).lines();
    let waits = lines.find(|line| line.as_ref().is_ok_and(|line| line.contains("waiting: ")));
    let waits = waits.expect("a line").expect("text");
    has_all(
        &waits,
        &["the server does not answer (", ": the connection to ", " broke: the server closed it"],
    );
    place.rebut_exits(0, &["stop", "job"]);
    run.ends().exits(1);
    lines.for_each(|line| lacks(&line.expect("text"), &["waiting: "]));
    assert_eq!(watching.wait().expect("an end").code(), Some(1));
    let again = place.rebut(&["watch", &name_of(&place.running_journal())[..12]]).stderr;
    let command = "rebut run --retry-delay 1ms job.yaml` finishes it";
    has_all(&again, &["unfinished and not running: `", command]);
}

#[test]
fn l3_a_debate_that_is_not_running_cannot_be_followed() {
    let place = with_job(TINY_JOB);
    place.server.script(good);
    place.run_exits(0, &["job.yaml"]);
    let refused = place.rebut_exits(2, &["watch"]);
    has(&refused.stderr, "no debate is running here");
    let name = crate::harness::name_of(&place.debates()[0]);
    let refused = place.rebut_exits(2, &["watch", &name[name.len() - 12..]]);
    has_all(&refused.stderr, &["is running", "it is finished; print it with: rebut show "]);
    let refused = place.rebut_exits(2, &["watch", "ffffffff"]);
    has(&refused.stderr, "no debate `ffffffff` is running");
}

#[test]
fn l3_debates_of_a_run_that_was_killed_are_not_called_running() {
    let (place, gate, run) = two_held();
    let dir = place.path().join("output/.rebut/live");
    let begun = || list(&dir).iter().filter(|file| read(file).contains('\n')).count();
    while begun() < 2 {
        std::thread::yield_now();
    }
    let several = place.rebut_exits(2, &["watch"]);
    has_all(&several.stderr, &["2 debates are running:\n  ", "? run 1\n", "? run 2\n"]);
    run.kill();
    let refused = place.rebut_exits(2, &["watch"]);
    has(&refused.stderr, "no debate is running here");
    gate.open();
}

/// A finished debate of a job, and its id. The file that is followed is as the run left it that was killed
/// between the commit and removing it, with the second event changed so.
fn left(job: &str, change: impl Fn(&str) -> String) -> (Place, String) {
    let place = with_job(job);
    place.server.script(good);
    place.run_exits(0, &["job.yaml"]);
    let id = leave(&place, change);
    (place, id)
}

/// Leaves the debate of a place so; returns its id.
fn leave(place: &Place, change: impl Fn(&str) -> String) -> String {
    let debate = place.debates()[0].clone();
    let name = name_of(&debate);
    let id = name[name.len() - 12..].to_owned();
    let log = read(&debate.join("events.jsonl"));
    let lines: Vec<&str> = log.lines().collect();
    let start: serde_json::Value = serde_json::from_str(lines[0]).expect("an event");
    let header =
        format!("{{\"live\":1,\"debate\":{},\"run\":\"x\",\"pid\":1,\"n\":0}}", start["debate"]);
    let told = format!("{header}\n{}\n{}\n", lines[0], change(lines[1]));
    place.write(&format!("output/.rebut/live/{id}.jsonl"), &told);
    id
}

#[test]
fn l3_a_debate_that_ended_unseen_is_printed_to_its_end() {
    let (place, id) = left(TINY_JOB, str::to_owned);
    let watched = place.rebut_exits(0, &["watch", &id]);
    has_all(&watched.stdout, &["votes on ", "rebut show "]);
    // Another course of the debate: nothing of the finished one is printed behind it.
    let (place, id) = left(TINY_JOB, |line| line.replacen("\"time\":\"2", "\"time\":\"3", 1));
    let watched = place.rebut_exits(1, &["watch", &id]);
    has(&watched.stderr, "is unfinished");
    lacks(&watched.stdout, &["votes to "]);
}

const DUEL: &str =
    "format: duel\ntopic: Should voting be compulsory?\nrounds: 2\nallow_explicit: true\n";

#[test]
fn l3_what_judges_did_not_give_is_told_with_their_names_and_once() {
    let place = with_job(DUEL);
    place.reply([("end/verdict*", Answer::text("A draw."))]);
    place.run_exits(1, &["job.yaml"]);
    let id = leave(&place, str::to_owned);
    let watched = place.rebut_exits(0, &["watch", &id]).stdout;
    let unusable = "\nJudge-1: unusable reply: there is no JSON object in it\n";
    has_all(&watched, &[unusable, ". Turns: Philosopher 1, Scientist 1\n", "\nnext: rebut show "]);
    assert_eq!(watched.matches("No judge gave a valid verdict\n").count(), 1, "{watched}");
}

#[test]
fn l3_below_a_turn_no_line_reads_as_if_it_announced_the_next() {
    let (place, id) = left(DUEL, str::to_owned);
    let watched = place.rebut_exits(0, &["watch", &id]).stdout;
    has_all(&watched, &["\n\nRound 1\n\n── ", "── Philosopher"]);
    lacks(&watched, &["opens"]);
}
