//! Rows J4, J8, J9, J11 and N: kills, stops, edits, and going on.

use std::process::Command;

use mock_ollama::{Answer, Gate};
use rebut::journal::ReplyEntry;
use serde_json::Value;

use crate::harness::{
    Kind, Place, SHORT_JOB, another_digest, blanked, good, has, has_all, kind, list, read, rewrite,
    shows, with_job,
};

/// Runs the job unbroken and returns its blanked files.
fn unbroken(job: &str) -> (Place, std::collections::BTreeMap<String, String>) {
    let place = Place::new();
    place.trace_of(job, &[]);
    let files = blanked(&place.debates()[0]);
    (place, files)
}

#[test]
fn j4_a_debate_killed_at_any_call_goes_on_without_asking_again_and_ends_equal() {
    let (whole, expected) = unbroken(SHORT_JOB);
    let needed = whole.server.chats().len();
    for calls in [1, 2, 4, 6, 8, 11] {
        let place = Place::new();
        place.write("job.yaml", SHORT_JOB);
        let gate = Gate::new();
        let held = gate.clone();
        let seen = std::sync::atomic::AtomicUsize::new(0);
        // The call with this number never answers, so the kill finds the run in the middle of it.
        place.reply_by(move |call| {
            (seen.fetch_add(1, std::sync::atomic::Ordering::SeqCst) >= calls)
                .then(|| good(call).after(held.clone()))
        });
        let mut child = place.spawn(&["job.yaml", "--concurrency", "1"]);
        place.server.wait_for_chats(calls + 1);
        child.kill().expect("a kill");
        child.wait().expect("an end");
        let kept = place.kept();
        // The third ballot is asked for while the replies of the two before it are being written.
        let being_written = if calls == 4 { 2 } else { 0 };
        assert!(
            (calls - being_written..=calls).contains(&kept),
            "{kept} of {calls} replies are kept"
        );
        place.server.script(good);
        gate.open();
        place.run_exits(0, &["job.yaml"]);
        assert_eq!(
            blanked(&place.debates()[0]),
            expected,
            "killed after {calls} calls"
        );
        assert_eq!(
            place.server.chats().len(),
            calls + 1 + needed - kept,
            "killed after {calls} calls, what is kept is not asked again"
        );
    }
}

#[test]
fn j4_finished_debates_are_skipped_and_the_exit_code_counts_them() {
    let place = Place::new();
    place.reply_by(|call| (kind(call) == Kind::Ballot).then(|| Answer::text("no")));
    place.write("job.yaml", SHORT_JOB);
    assert_eq!(place.run(&["job.yaml"]).code, 1, "degraded");
    let asked = place.server.chats().len();
    let again = place.run(&["job.yaml"]);
    assert_eq!(again.code, 1, "the skipped debate is still degraded");
    assert_eq!(place.server.chats().len(), asked);
    has(&again.stderr, "1 degraded (1 finished before)");
}

#[test]
fn j8_a_rehearsal_with_the_same_seed_writes_the_same_bytes_but_for_times() {
    let written = |seed: &str| {
        let place = Place::new();
        place.trace_of("topic: Should voting be compulsory?\nrounds: 4\noutput: {transcript: true, formats: [json, text]}\n", &["--rehearse", "--seed", seed]);
        blanked(&place.debates()[0])
    };
    assert_eq!(written("3"), written("3"));
    assert_ne!(written("3"), written("4"));
}

#[test]
fn j7_a_rehearsal_needs_no_server_and_says_so_on_every_face() {
    let place = Place::new();
    place.server.stop();
    let trace = place.trace_of(
        "topic: Should voting be compulsory?\noutput: {transcript: true, formats: [json, text]}\n",
        &["--rehearse"],
    );
    assert_eq!(trace["rehearsal"], true);
    let debate = place.debates().remove(0);
    let messages = list(&debate.join("messages"));
    assert!(messages.len() >= 18);
    for path in list(&debate)
        .into_iter()
        .chain(messages)
        .filter(|p| p.is_file())
    {
        let text = read(&path);
        assert!(
            text.to_lowercase().contains("rehears"),
            "{} does not say that it is a rehearsal",
            path.display()
        );
    }
    for list in ["output/index.jsonl", "output/index.md"] {
        let text = read(&place.path().join(list));
        assert!(text.contains("rehearsal"), "{list}: {text}");
    }
}

#[test]
fn j7_plain_rehearsals_rotate_tie_and_cut_and_never_fail() {
    let place = Place::new();
    place.write(
        "job.yaml",
        "topic: Should voting be compulsory?\nrepeat: 30\ny: [{}, {}, {}, {}, {}]\n",
    );
    place.run_exits(0, &["--rehearse", "job.yaml"]);
    let traces: Vec<Value> = place
        .debates()
        .iter()
        .map(|d| crate::harness::trace_in(d))
        .collect();
    let rotations = || {
        traces
            .iter()
            .flat_map(|t| t["rotations"].as_array().expect("rotations"))
    };
    assert!(
        rotations().any(|r| r["rotated"] == true) && rotations().any(|r| r["rotated"] == false)
    );
    assert!(
        rotations().any(|r| r["keeps"] == r["negatives"]),
        "no tie in 30 debates"
    );
    assert!(
        traces.iter().any(|t| t["statements"]
            .as_array()
            .expect("statements")
            .iter()
            .any(|s| s["cut"] == true)),
        "no cut in 30 debates"
    );
    assert!(traces.iter().all(|t| t["status"] == "done"));
}

#[test]
fn j9b_an_edited_template_or_persona_does_not_touch_a_debate_that_has_begun() {
    let place = Place::new();
    place.write("personas/mild.md", "Speaks mildly.");
    let job = format!("{SHORT_JOB}x: {{persona: mild}}\n");
    place.write("job.yaml", &job);
    place.write("mine/prompts/clerk.md.j2", "First version. Reply in JSON.");
    place.killed_at(Kind::Ballot, &["--templates", "mine"]);
    place.write("mine/prompts/clerk.md.j2", "Second version. Reply in JSON.");
    place.run_exits(0, &["job.yaml", "--templates", "mine"]);
    let clerks: Vec<String> = place
        .asked("*/clerk")
        .into_iter()
        .map(|c| c.last_message().to_owned())
        .collect();
    assert!(!clerks.is_empty() && clerks.iter().all(|text| text.contains("First version.")));
}

#[test]
fn j9b_debates_that_an_edit_orphaned_are_named_and_counted() {
    let place = Place::new();
    place.write("job.yaml", &format!("{SHORT_JOB}repeat: 2\n"));
    place.killed_at(Kind::Ballot, &["--limit", "1"]);
    let journal = place.running_journal();
    let id = journal.file_stem().expect("a name").to_string_lossy()[..12].to_owned();
    place.write(
        "job.yaml",
        "topic: Should voting be compulsory?\nrounds: 1\n",
    );
    let ended = place.run(&["job.yaml"]);
    shows!(ended, {
        "stderr contains": format!("1 debate from another version of these jobs left unfinished: {id} (job)"),
    });
    assert!(journal.exists(), "it is left alone");
}

#[test]
fn j9c_a_call_that_would_now_be_another_request_parks_the_debate_with_the_difference() {
    let place = Place::new();
    place.write("job.yaml", SHORT_JOB);
    place.killed_at(Kind::Ballot, &[]);
    another_digest(&place.running_journal());
    let asked = place.server.chats().len();
    let ended = place.run_exits(1, &["job.yaml"]);
    shows!(ended, {"stdout contains": [
        "the call round-1/statement/position_x (attempt 1) would now be another request (",
        "--restart",
    ]});
    assert_eq!(place.server.chats().len(), asked, "nothing is asked");
    place.run_exits(0, &["job.yaml", "--restart"]);
}

/// A debate that was killed after its ballots, with another journal, is parked for this difference and asks nothing.
fn parked_unasked(changed: impl Fn(ReplyEntry) -> Option<ReplyEntry>, difference: &str) {
    let place = with_job(SHORT_JOB);
    place.killed_at(Kind::Clerk, &[]);
    rewrite(&place.running_journal(), changed);
    let (asked, journal) = (place.server.chats().len(), read(&place.running_journal()));
    let ended = place.run_exits(1, &["job.yaml"]);
    assert!(ended.stdout.contains(difference), "{}", ended.stdout);
    assert_eq!(place.server.chats().len(), asked, "nothing is asked");
    assert_eq!(read(&place.running_journal()), journal);
    place.run_exits(0, &["job.yaml", "--restart"]);
}

#[test]
fn j9c_no_judge_is_asked_where_the_request_of_another_differs() {
    parked_unasked(
        |reply| match reply.call.as_str() {
            "round-1/ballot/position_y_2" => None,
            "round-1/ballot/position_y_3" => Some(ReplyEntry {
                digest: "0".repeat(64),
                ..reply
            }),
            _ => Some(reply),
        },
        "the call round-1/ballot/position_y_3 (attempt 1) would now be another request (",
    );
}

#[test]
fn j9c_a_journaled_call_that_would_not_be_made_parks_the_debate() {
    parked_unasked(
        |mut reply| {
            let other = reply
                .call
                .replace("statement/position_y_1", "statement/position_y_4");
            reply.call = other;
            Some(reply)
        },
        "the call round-1/ballot/position_y_2, which is in the journal, would now not be made before round-1/statement/position_y_1: its journal was changed, or another build of rebut",
    );
}

#[test]
fn j9c_restart_begins_finished_debates_anew_and_keeps_the_old_ones_aside() {
    let place = Place::new();
    place.trace_of(SHORT_JOB, &[]);
    let asked = place.server.chats().len();
    place.run_exits(0, &["job.yaml", "--restart"]);
    assert_eq!(place.server.chats().len(), 2 * asked);
    assert_eq!(place.debates().len(), 1);
    assert_eq!(
        list(&place.path().join("output/.rebut/replaced")).len(),
        2,
        "a directory and a journal"
    );
}

#[test]
fn j11_the_exit_codes_are_as_documented() {
    let place = Place::new();
    place.write("bad.yaml", "topic: x\n");
    place.run_exits(2, &["bad.yaml"]);
    place.run_exits(2, &["absent.yaml"]);
    place.rebut_exits(2, &["run"]);
    place.write("job.yaml", SHORT_JOB);
    place.server.stop();
    let ended = place.run_exits(3, &["job.yaml"]);
    shows!(ended, {"stderr contains": ["no connection to http://127.0.0.1:", "ollama serve"]});
    assert!(
        !place.path().join("output").exists(),
        "nothing is left behind"
    );
}

#[cfg(unix)]
fn interrupt(pid: u32) {
    let sent = Command::new("kill")
        .args(["-INT", &pid.to_string()])
        .status();
    assert!(sent.is_ok_and(|status| status.success()));
}

#[cfg(unix)]
#[test]
fn n_the_first_interrupt_finishes_the_calls_in_flight_and_prints_how_to_go_on() {
    let place = Place::new();
    place.write("job.yaml", SHORT_JOB);
    let (gate, seen) = (Gate::new(), std::sync::atomic::AtomicUsize::new(0));
    let held = gate.clone();
    place.reply_by(move |call| {
        (seen.fetch_add(1, std::sync::atomic::Ordering::SeqCst) == 1)
            .then(|| good(call).after(held.clone()))
    });
    let mut child = place.spawn(&["job.yaml"]);
    place.server.wait_for_chats(2);
    interrupt(child.id());
    let mut stderr = std::io::BufReader::new(child.stderr.take().expect("stderr"));
    let mut said = String::new();
    while !said.contains("stopping after the calls in flight") {
        assert!(
            std::io::BufRead::read_line(&mut stderr, &mut said).expect("a line") > 0,
            "{said}"
        );
    }
    gate.open();
    let output = child.wait_with_output().expect("an end");
    assert_eq!(output.status.code(), Some(130));
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    has_all(
        &stdout,
        &["resume with: ", "run --retry-delay 1ms job.yaml"],
    );
    assert_eq!(place.kept(), 2, "the call in flight was kept");
    assert_eq!(
        place.server.chats().len(),
        2,
        "no call was begun after the interrupt"
    );
    place.run_exits(0, &["job.yaml"]);
    assert_eq!(place.server.chats().len(), 12, "each call was made once");
}

#[cfg(unix)]
#[test]
fn n_the_second_interrupt_stops_at_once() {
    let place = Place::new();
    place.write("job.yaml", SHORT_JOB);
    place.server.script(|_| Answer::hang());
    let mut child = place.spawn(&["job.yaml"]);
    place.server.wait_for_chats(1);
    let mut stderr = std::io::BufReader::new(child.stderr.take().expect("stderr"));
    let mut said = String::new();
    interrupt(child.id());
    while !said.contains("press Ctrl-C again to stop now") {
        assert!(
            std::io::BufRead::read_line(&mut stderr, &mut said).expect("a line") > 0,
            "{said}"
        );
    }
    interrupt(child.id());
    let output = child.wait_with_output().expect("an end");
    assert_eq!(output.status.code(), Some(130));
    place.server.script(good);
    place.run_exits(0, &["job.yaml"]);
}

#[test]
fn j2_every_debate_starts_from_nothing() {
    let place = Place::new();
    place.write("job.yaml", &format!("{SHORT_JOB}repeat: 2\n"));
    place.run_exits(0, &["job.yaml", "--concurrency", "1"]);
    let first: Vec<String> = place
        .server
        .chats()
        .iter()
        .filter(|c| c.last_message().contains("Open the debate"))
        .map(|c| c.text())
        .collect();
    assert_eq!(first.len(), 2);
    assert_eq!(
        first[0], first[1],
        "the second debate's first prompt holds nothing of the first debate"
    );
}

#[test]
fn j10a_a_failed_debate_has_its_directory_which_says_so_first() {
    let place = Place::new();
    place.reply_by(|call| (kind(call) == Kind::Statement).then(|| Answer::text("")));
    let trace = place.trace_of(&format!("{SHORT_JOB}on_failure: abort\n"), &[]);
    shows!(trace, {"status": "failed", "outcome": null});
    let debate = place.debates().remove(0);
    for file in ["index.md", "summary.md", "metadata.md"] {
        let text = read(&debate.join(file));
        let body = text
            .split("\n# ")
            .nth(1)
            .or_else(|| text.strip_prefix("# "))
            .expect("a title");
        assert!(
            body.lines()
                .nth(2)
                .is_some_and(|line| line.starts_with("> **Failed.** X could not be made to reply")),
            "{file}: {text}"
        );
    }
}

#[test]
fn a5_a_kill_between_the_rename_and_the_journals_move_is_mended_by_the_next_run() {
    let place = Place::new();
    let trace = place.trace_of(SHORT_JOB, &[]);
    let name = format!("{}.jsonl", trace["id"].as_str().expect("an id"));
    let state = place.path().join("output/.rebut");
    std::fs::rename(
        state.join("journals").join(&name),
        state.join("running").join(&name),
    )
    .expect("a journal");
    let asked = place.server.chats().len();
    place.run_exits(0, &["job.yaml"]);
    assert_eq!(place.server.chats().len(), asked);
    assert_eq!(place.debates().len(), 1);
    assert!(
        state.join("journals").join(&name).is_file() && list(&state.join("running")).is_empty()
    );
}

#[test]
fn a5_what_a_kill_left_in_staging_does_not_get_into_the_directory() {
    let (_, expected) = unbroken(SHORT_JOB);
    let place = Place::new();
    place.write("job.yaml", SHORT_JOB);
    place.killed_at(Kind::Clerk, &[]);
    let header: Value = serde_json::from_str(
        read(&place.running_journal())
            .lines()
            .next()
            .expect("a line"),
    )
    .expect("JSON");
    let name = header["directory"]
        .as_str()
        .and_then(|path| path.split('/').nth(1))
        .expect("a name")
        .to_owned();
    place.write(
        &format!("output/.rebut/staging/{name}/messages/999_half_written.md"),
        "half",
    );
    place.run_exits(0, &["job.yaml"]);
    assert_eq!(blanked(&place.debates()[0]), expected);
}

#[test]
fn j9c_a_restart_that_is_stopped_goes_on_with_the_same_command_without_the_flag() {
    let place = Place::new();
    place.write("job.yaml", &format!("{SHORT_JOB}repeat: 2\n"));
    place.run_exits(0, &["job.yaml"]);
    let asked = place.server.chats().len();
    place.killed_at(Kind::Clerk, &["--restart", "--concurrency", "1"]);
    place.run_exits(0, &["job.yaml"]);
    let again = place.server.chats().len() - asked;
    assert!(
        again >= asked,
        "both debates were asked anew: {again} calls after {asked}"
    );
    assert_eq!(place.debates().len(), 2);
}

#[test]
fn j4_a_damaged_finished_debate_does_not_end_the_batch() {
    let place = Place::new();
    place.trace_of(SHORT_JOB, &[]);
    let index = place.debates()[0].join("index.md");
    std::fs::write(
        &index,
        read(&index)
            .replace("topic: ", "tropic: ")
            .replace("rehearsal: ", "x: "),
    )
    .expect("an index");
    place.write(
        "other.yaml",
        "topic: Should cities be smaller?\nrounds: 1\n",
    );
    let ended = place.run_exits(0, &["other.yaml", "job.yaml"]);
    assert!(ended.stdout.contains("done\t"), "{}", ended.stdout);
}
