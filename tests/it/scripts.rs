//! Rehearsals whose replies are written down, and debates written down to rehearse with.

use std::path::{Path, PathBuf};

use mock_ollama::Answer;
use rebut::job::problem::Problems;
use rebut::job::script::{Script, Written, write_reply, write_topic};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::formats::FORMATS;
use crate::harness::rehearsed::{Rehearsed, rehearsed};
use crate::harness::{
    Place, arguments, has, has_all, lacks, list, name_of, play, read, shows, trace_in, with_job,
};

const JOB: &str = "topic: Should zoos be closed?\nrounds: 1\nallow_explicit: true\n";

/// A place whose job has this script.
fn scripted(script: &str) -> Place {
    let place = with_job(JOB);
    place.write("job.script.txt", script);
    place
}

fn parsed(source: &str) -> Script {
    let problems = Problems::new(Path::new("s"), source);
    let script = Script::parse("s", source, &problems);
    assert!(problems.is_empty(), "{:?}", problems.into_sorted());
    script
}

#[test]
fn j7_a_rehearsal_replies_what_is_written_beside_its_job() {
    let place = scripted(
        "A comment.\n=== round-1/statement/position_x\n\nZoos keep **animals**.\n\nThey should not.\n",
    );
    let ended = place.run_exits(0, &["--rehearse", "job.yaml"]);
    let trace = place.trace();
    let first = arguments(&trace)[0];
    assert_eq!(first["text"], "Zoos keep **animals**.\n\nThey should not.");
    shows!(trace, {"rehearsal": true, "script": "job.script.txt", "status": "done"});
    has(&ended.stderr, "not in job.script.txt were made up: ");
    lacks(&ended.stderr, &["were not used", "was not used"]);
    let debate = place.debates().remove(0);
    let lacking = trace["calls"].as_array().expect("calls").len() - 1;
    assert_eq!(trace["made_up"], lacking, "all calls but one");
    let told = format!(
        "o model was asked: the replies are from job.script.txt; {lacking} that it lacks were made up."
    );
    for file in ["summary.md", "index.md", "metadata.md"] {
        has(&read(&debate.join(file)), &told);
    }
    has(&place.rebut(&["show", &name_of(&debate)]).stdout, &told);
}

/// The first debate that anybody sees: what it is there to show.
#[test]
fn j7_the_quickstarts_debate_is_written_whole() {
    let place = TempDir::new().expect("a directory");
    let Rehearsed { plan, trace, dir } = rehearsed("jobs/quickstart.yaml", place.path());
    let asked = trace.calls.iter().map(|call| (call.call.as_str(), call.attempt));
    assert_eq!(plan.script.expect("a script").notes(&plan.topic, asked), [""; 0]);
    let trace = trace_in(&dir);
    let told = "No model was asked: every reply is from quickstart.script.txt.";
    has(&read(&dir.join("summary.md")), told);
    shows!(trace, {"status": "done", "incidents": [], "made_up": 0, "outcome/line": "No winner: Shopkeeper was voted out after round 1; Commuter debated to the end"});
    let statuses = |list: &str, key: &str| {
        let all = trace["flow"][list].as_array().expect("a list").iter();
        all.map(|it| it[key].as_str().unwrap_or_default().to_owned()).collect::<Vec<_>>()
    };
    for status in ["dropped", "conceded", "answered", "partly_answered"] {
        assert!(statuses("points", "status").contains(&status.to_owned()), "{status}");
    }
    for ballot in trace["ballots"].as_array().expect("ballots") {
        assert_eq!(ballot.get("read_as"), None, "{ballot}");
    }
    for note in trace["notes"].as_array().expect("notes") {
        assert_eq!(note.get("read_as"), None, "{note}");
    }
}

#[test]
fn j7_what_a_script_holds_in_vain_is_named_with_the_nearest_call() {
    let place =
        scripted("=== round-1/statement/position_x\nYes.\n=== round-1/balot/position_y_2\n{}\n");
    let ended = place.run_exits(0, &["--rehearse", "job.yaml"]);
    has(
        &ended.stderr,
        "1 of 2 replies in job.script.txt was not used: round-1/balot/position_y_2 (the nearest call is round-1/ballot/position_y_2)",
    );
}

#[test]
fn j7_a_written_reply_that_is_not_taken_is_named_where_the_next_is_made_up() {
    let place =
        scripted("=== round-1/clerk\nNo notes today.\n=== round-1/statement/position_x\nYes.\n");
    let ended = place.run_exits(0, &["--rehearse", "job.yaml"]);
    has(
        &ended.stderr,
        "1 of 2 replies in job.script.txt was rejected, and the next made up: round-1/clerk",
    );
    lacks(&ended.stderr, &["round-1/clerk 2"]);
}

#[test]
fn j7_a_directory_of_jobs_takes_no_script_for_a_job() {
    let place = Place::new();
    place.write("jobs/zoos.yaml", JOB);
    place.write("jobs/zoos.script.txt", "=== round-1/statement/position_x\nYes.\n");
    place.run_exits(0, &["--rehearse", "jobs"]);
    shows!(place.trace(), {"job": "zoos", "script": "zoos.script.txt"});
}

#[test]
fn j7_a_script_is_for_the_topics_that_it_names() {
    let script = "=== topic: Should zoos be closed?\n=== round-1/statement/position_x\nZoos.\n\
                  === topic: Should circuses be closed?\n=== round-1/statement/position_x\nCircuses.\n";
    let place = scripted(script);
    let matrix = "matrix: {topic: [Should zoos be closed?, Should circuses be closed?, Should parks be closed?]}\n";
    place.write("job.yaml", &(matrix.to_owned() + JOB.split_once('\n').expect("lines").1));
    place.run_exits(0, &["--rehearse", "job.yaml"]);
    let mut said: Vec<String> = place
        .debates()
        .iter()
        .map(|debate| {
            let trace = trace_in(debate);
            let text = arguments(&trace)[0]["text"].as_str().expect("a text").to_owned();
            if trace["script"].is_string() { text } else { "made up".to_owned() }
        })
        .collect();
    said.sort_unstable();
    assert_eq!(said, ["Circuses.", "Zoos.", "made up"]);
}

#[test]
fn j7_topics_of_a_script_that_no_debate_is_on_are_told_before_the_run() {
    let reply = "=== round-1/statement/position_x\nYes.\n";
    let other = format!("=== topic: Should circuses be closed?\n{reply}");
    let told = "warning: job.yaml: job.script.txt has replies for 1 topic without a debate here: Should circuses be closed?";
    let place = scripted(&other);
    for args in [
        &["check", "--rehearse", "job.yaml"][..],
        &["run", "--rehearse", "job.yaml"],
        &["run", "--rehearse", "job.yaml", "--script", "job.script.txt"],
    ] {
        has(&place.rebut_exits(0, args).stderr, told);
    }
    // It is told of what fits no debate of the job, whichever are chosen.
    let fitting = format!("=== topic: Should zoos be closed?\n{reply}");
    for script in [fitting.clone(), format!("{reply}{fitting}"), reply.to_owned()] {
        place.write("job.script.txt", &script);
        let ended = place.rebut_exits(0, &["check", "--rehearse", "job.yaml", "--limit", "1"]);
        assert_eq!(ended.stderr, "", "{script}");
    }
    place.write("job.script.txt", &(fitting + &other));
    has(&place.rebut_exits(0, &["check", "--rehearse", "job.yaml"]).stderr, told);
}

#[test]
fn j7_a_real_run_and_the_expected_cost_know_no_script() {
    let place = scripted("=== no-call\n");
    let ended = place.rebut(&["check", "job.yaml"]);
    assert_eq!(ended.code, 0, "{}", ended.stderr);
}

#[test]
fn j7_the_mistakes_of_a_script_are_told_with_their_lines() {
    let place = scripted(
        "=== round-1/statment\nA.\n=== round-1/clerk 0\nB.\n=== round-1/clerk\nC.\n=== round-1/clerk 1\nD.\n=== a b c\n",
    );
    let ended = place.run(&["--rehearse", "job.yaml"]);
    assert_eq!(ended.code, 2);
    has_all(
        &ended.stderr,
        &[
            "job.script.txt:3:1: an attempt must be a number from 1",
            "job.script.txt:7:1: line 5 already has a reply to round-1/clerk\n    7 | === round-1/clerk 1\n",
            "job.script.txt:9:1: there is no call on this line",
            "hint: write `=== CALL`",
        ],
    );
    for (script, told) in [
        ("no head\n", "job.script.txt:1:1: the script has no replies"),
        ("=== clerk\nA.\n", "job.script.txt:1:1: there is no call `clerk`"),
        ("a\u{0}b", "`job.script.txt` is not UTF-8 text: it has zero bytes"),
    ] {
        place.write("job.script.txt", script);
        let ended = place.run(&["--rehearse", "job.yaml"]);
        assert_eq!(ended.code, 2, "{script}");
        has(&ended.stderr, told);
    }
    let ended = place.run(&["--rehearse", "--script", "none.txt", "job.yaml"]);
    assert_eq!(ended.code, 2);
    has_all(&ended.stderr, &["there is no file `none.txt`", "rebut export DEBATE --to script"]);
}

#[test]
fn j9a_a_script_is_in_the_id_by_its_replies() {
    let id = |place: &Place| {
        place.rebut(&["check", "--rehearse", "job.yaml"]).exits(0).stdout[..20].to_owned()
    };
    let reply = "=== round-1/statement/position_x\nYes.\n";
    let plain = id(&with_job(JOB));
    let one = id(&scripted(reply));
    assert_ne!(one, plain);
    assert_eq!(id(&scripted(&format!("A comment.\n{reply}\n\n"))), one);
    assert_ne!(id(&scripted(&reply.replace("Yes", "No"))), one);
    assert_eq!(id(&scripted(&format!("=== topic: Should circuses be closed?\n{reply}"))), plain);
}

/// What a debate came to, without what tells of who replied and when.
fn told(trace: &Value) -> Value {
    let statements = trace["statements"].as_array().expect("statements").iter();
    let said: Vec<Value> = statements
        .map(|it| json!([it["n"], it["by"], it["text"], it["cut"], it["origin"]]))
        .collect();
    json!([
        said,
        trace["flow"],
        trace["notes"].as_array().map(Vec::len),
        trace["status"],
        trace["outcome"]["details"]
    ])
}

/// Exports the only debate of a place as a script and rehearses its job with it in another place.
fn again(place: &Place, job: &str) -> (PathBuf, Value) {
    place.rebut_exits(0, &["export", "output", "--to", "script", "-o", "scripts"]);
    let script = list(&place.path().join("scripts")).remove(0);
    let other = with_job(job);
    let path = script.display().to_string();
    let ended = other.run(&["--rehearse", "--script", &path, "job.yaml"]);
    assert!(ended.code < 2, "{}", ended.said());
    lacks(&ended.stderr, &["not used", "made up"]);
    (script, other.trace())
}

#[test]
fn s5_a_debate_rehearsed_from_its_own_script_is_the_same() {
    for format in FORMATS {
        let place = with_job(format.tiny);
        place.run_exits(0, &["--rehearse", "job.yaml"]);
        let (_, now) = again(&place, format.tiny);
        assert_eq!(told(&now), told(&place.trace()), "{}", format.name);
    }
}

/// What looks like the head of another reply, what acts on a terminal, line ends of all kinds.
const HOSTILE: &str = "First words.\n=== round-1/clerk\n\\=== round-1/clerk\n=== topic: x\n\u{1b}[31m\u{2028}<b>\n===\nLast words.";

#[test]
fn s5_replies_of_models_and_attempts_that_failed_are_in_a_script() {
    let rows = [
        ("round-1/statement/position_x", Answer::text(HOSTILE)),
        ("round-1/ballot/position_y_2", Answer::text("")),
        ("round-1/clerk", Answer::status(400, "this cannot be answered")),
    ];
    let played = play(JOB, rows);
    let (script, now) = again(&played.place, JOB);
    assert_eq!(told(&now), told(&played.json));
    assert!(played.json["incidents"].as_array().is_some_and(|all| all.len() > 2));
    let parts = ["\n\\=== round-1/clerk\n", "\n\\\\=== round-1/clerk\n", "\n=== round-1/clerk\n\n"];
    has_all(&read(&script), &parts);
}

#[test]
fn s5_a_script_reads_as_it_is_written() {
    let texts = ["", "a", HOSTILE, "\\", "\\\\=== x", "=== ", "  indented\n\n\tlast"];
    let mut written = String::from("=");
    written.push_str(" a comment\n");
    write_topic(&mut written, "Should zoos  be closed?");
    for (n, text) in texts.iter().enumerate() {
        let reply = Written { text: (*text).to_owned(), cut: n % 2 == 0 };
        write_reply(&mut written, "round-1/clerk", n as u32 + 1, &reply);
    }
    let script = parsed(&written);
    for (n, text) in texts.iter().enumerate() {
        let reply = script
            .reply("Should zoos  be closed?", "round-1/clerk", n as u32 + 1)
            .expect("a reply");
        assert_eq!((reply.text.as_str(), reply.cut), (*text, n % 2 == 0));
        assert_eq!(script.reply("Another?", "round-1/clerk", 1), None);
    }
}

#[test]
fn s5_an_attempt_that_failed_fails_again() {
    let script = parsed("=== round-1/clerk\n\n=== round-2/clerk\nA.\n");
    let reply = |call: &str, attempt| script.reply("x", call, attempt).map(|it| it.text.clone());
    assert_eq!(reply("round-1/clerk", 1), Some(String::new()));
    assert_eq!(reply("round-1/clerk", 7), Some(String::new()));
    assert_eq!(reply("round-2/clerk", 1), Some("A.".to_owned()));
    assert_eq!(reply("round-2/clerk", 2), None);
}

#[test]
fn s5_a_debate_without_its_journal_has_no_script() {
    let place = with_job(JOB);
    place.run_exits(0, &["--rehearse", "job.yaml"]);
    let debate = place.debates().remove(0);
    let id = name_of(&debate).rsplit('_').next().expect("an id").to_owned();
    let named = place.rebut_exits(0, &["export", &id, "--to", "script"]);
    has(&named.stdout, &format!("wrote export/job_{id}.script.txt: "));
    std::fs::remove_dir_all(place.path().join("output/.rebut/journals")).expect("removed");
    let ended = place.rebut_exits(2, &["export", &id, "--to", "script"]);
    has_all(&ended.stderr, &["its replies are gone", "error: no script was written"]);
}
