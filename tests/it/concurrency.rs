//! Rows B4, J3, J10b and M1: two runs over one output, jobs that are added, debates that are retried, several servers.

use std::io::BufRead;
use std::process::Child;

use mock_ollama::{Answer, Call, Gate, MockOllama};
use serde_json::{Value, json};

use crate::harness::{
    Ended, Kind, Place, SHORT_JOB, arguments, blanked, debates_in, ended, good, has, has_all,
    incidents, kind, list, read, trace_in,
};

const THREE: &str = "topic: Should voting be compulsory?\nrounds: 1\nrepeat: 3\n";
const OTHER: &str = "topic: Should cities be smaller?\nrounds: 1\n";

fn end_of(child: Child) -> Ended {
    ended(&child.wait_with_output().expect("the run ends"))
}

/// In the result table of a single debate.
const TABLE: &str = "  Standing at the end ";

/// Reads a child's stderr until it says something.
fn hears(child: &mut Child, wanted: &str) -> String {
    let mut stderr = std::io::BufReader::new(child.stderr.take().expect("stderr"));
    let mut said = String::new();
    while !said.contains(wanted) {
        assert!(stderr.read_line(&mut said).expect("a line") > 0, "{said}");
    }
    // What follows is not read: it must not fill the pipe.
    std::thread::spawn(move || std::io::copy(&mut stderr, &mut std::io::sink()));
    said
}

/// Puts a job into a directory that a run looks at, whole at once: a run may look while a file is being written.
fn add(place: &Place, name: &str, job: &str) {
    let written = place.write("added.yaml", job);
    std::fs::rename(written, place.path().join(name)).expect("a rename");
}

/// Lets the server hold back every clerk's reply until the gate opens.
fn hold_clerks(place: &Place) -> Gate {
    let gate = Gate::new();
    let held = gate.clone();
    place.reply_by(move |call| (kind(call) == Kind::Clerk).then(|| good(call).after(held.clone())));
    gate
}

#[test]
fn b4_two_runs_over_one_output_share_the_work_and_ask_nothing_twice() {
    let place = Place::new();
    place.write("job.yaml", THREE);
    let gate = hold_clerks(&place);
    let first = place.spawn(&["job.yaml", "--max-debates", "1"]);
    place
        .server
        .wait_until(|calls| calls.iter().any(|c| c.is_chat() && kind(c) == Kind::Clerk));
    let mut second = place.spawn(&["job.yaml", "--max-debates", "2"]);
    let said = hears(&mut second, "waiting for it");
    let holder = format!("another rebut (process {} since ", first.id());
    assert!(said.contains(&holder), "{said}");
    place.server.wait_until(|calls| {
        let clerks = calls
            .iter()
            .filter(|c| c.is_chat() && kind(c) == Kind::Clerk);
        clerks.count() == 3
    });
    gate.open();
    let (first, second) = (end_of(first), end_of(second));
    assert_eq!((first.code, second.code), (0, 0), "{}", first.stderr);
    let lost = |run: &Ended| {
        run.stderr
            .contains("directories of finished debates are missing")
    };
    assert!(!lost(&first) && !lost(&second), "{}", second.stderr);
    assert_eq!(place.debates().len(), 3);
    assert_eq!(place.server.chats().len(), 18, "each call is made once");
    assert!(list(&place.path().join("output/.rebut/claims")).is_empty());
}

#[test]
fn b4_what_a_killed_run_left_is_taken_over_by_the_other() {
    let place = Place::new();
    place.write("job.yaml", SHORT_JOB);
    let gate = hold_clerks(&place);
    let mut first = place.spawn(&["job.yaml"]);
    place
        .server
        .wait_until(|calls| calls.iter().any(|c| c.is_chat() && kind(c) == Kind::Clerk));
    let mut second = place.spawn(&["job.yaml"]);
    hears(&mut second, "waiting for it");
    first.kill().expect("a kill");
    first.wait().expect("an end");
    gate.open();
    end_of(second).exits(0);
    assert_eq!(place.trace()["status"], "done");
}

#[test]
fn b4_a_restart_does_not_take_a_debate_from_under_another_run() {
    let place = Place::new();
    place.write("job.yaml", SHORT_JOB);
    let gate = hold_clerks(&place);
    let first = place.spawn(&["job.yaml"]);
    place
        .server
        .wait_until(|calls| calls.iter().any(|c| c.is_chat() && kind(c) == Kind::Clerk));
    let second = place.run_exits(2, &["job.yaml", "--restart"]);
    let holder = format!(
        "is being written by another rebut (process {} since ",
        first.id()
    );
    assert!(second.stderr.contains(&holder), "{}", second.stderr);
    gate.open();
    end_of(first).exits(0);
}

#[test]
fn j3_a_job_that_is_added_to_the_directory_while_it_runs_is_run_too() {
    let place = Place::new();
    place.write("jobs/first.yaml", SHORT_JOB);
    let gate = hold_clerks(&place);
    let child = place.spawn(&["jobs", "--max-debates", "2"]);
    place.server.wait_for_chats(1);
    add(&place, "jobs/second.yaml", OTHER);
    place.server.wait_until(|calls| {
        let about_cities = |c: &Call| c.is_chat() && c.text().contains("cities be smaller");
        calls.iter().any(about_cities)
    });
    gate.open();
    let ended = end_of(child).exits(0);
    has(&ended.stderr, "jobs/second.yaml was added: 1 debate");
    assert_eq!(place.debates().len(), 2);
    // Row A4: below two results, a table would seem to be of the last.
    assert!(!ended.stderr.contains(TABLE), "{}", ended.stderr);
    let again = place.run(&["--rehearse", "jobs/first.yaml"]);
    assert!(again.stderr.contains(TABLE), "{}", again.stderr);
}

#[test]
fn j3_a_faulty_job_that_is_added_is_told_of_and_harms_nobody() {
    let place = Place::new();
    place.write("jobs/first.yaml", SHORT_JOB);
    let gate = hold_clerks(&place);
    let mut child = place.spawn(&["jobs", "--max-debates", "2"]);
    place.server.wait_for_chats(1);
    add(
        &place,
        "jobs/second.yaml",
        "topik: Should cities be smaller?\n",
    );
    let said = hears(&mut child, "jobs/second.yaml was added but cannot run");
    has_all(&said, &["jobs/second.yaml:1", "did you mean `topic`"]);
    gate.open();
    end_of(child).exits(2);
    assert_eq!(place.debates().len(), 1, "the other job's debate is done");
}

#[test]
fn m3a_a_job_that_is_added_and_wants_more_context_waits_until_the_model_is_drained() {
    let place = Place::with(
        MockOllama::builder()
            .models([mock_ollama::Card::new("llama3").context(32_768)])
            .start(),
    );
    place.write("jobs/first.yaml", SHORT_JOB);
    let gate = hold_clerks(&place);
    let mut child = place.spawn(&["jobs", "--max-debates", "2"]);
    place.server.wait_for_chats(1);
    let wide = format!("{OTHER}defaults: {{context_window: 16384}}\n");
    add(&place, "jobs/second.yaml", &wide);
    hears(&mut child, "jobs/second.yaml was added");
    gate.open();
    end_of(child).exits(0);
    let asked: Vec<Value> = place
        .server
        .chats()
        .iter()
        .map(|c| c.option("num_ctx").cloned().unwrap_or_default())
        .collect();
    let narrow = asked.iter().filter(|n| **n == 8192).count();
    assert_eq!(narrow, 13, "the first debate ends as it began");
    assert!(
        asked[..narrow].iter().all(|n| *n == 8192) && asked[narrow..].iter().all(|n| *n == 16384),
        "one value at a time: {asked:?}"
    );
}

/// Runs `job` with X silent in round 2, which degrades the debate.
fn degraded(place: &Place, job: &str) -> Value {
    place.server.script(|call| {
        let silent = kind(call) == Kind::Statement
            && call.last_message().contains("You are X.")
            && crate::harness::round_of(call) == 2;
        if silent { Answer::text("") } else { good(call) }
    });
    let trace = place.trace_of(job, &[]);
    place.server.script(good);
    trace
}

#[test]
fn j10b_a_retry_asks_again_from_what_was_missing_and_replaces_the_directory() {
    let (whole, place) = (Place::new(), Place::new());
    whole.trace_of(SHORT_JOB, &[]);
    let trace = degraded(&place, SHORT_JOB);
    assert_eq!(trace["status"], "degraded");
    assert_eq!(incidents(&trace, "emergency").len(), 1);
    let (before, asked) = (place.debates(), place.server.chats().len());
    assert_eq!(
        place.run(&["job.yaml"]).code,
        1,
        "without the flag nothing happens"
    );
    let ended = place.run(&["job.yaml", "--retry", "failed"]);
    assert_eq!(ended.code, 1, "it has not failed");
    assert_eq!(place.server.chats().len(), asked);

    place.run_exits(0, &["job.yaml", "--retry", "degraded"]);
    assert_eq!(place.debates(), before, "the directory keeps its name");
    assert_eq!(blanked(&place.debates()[0]), blanked(&whole.debates()[0]));
    assert_eq!(
        place.server.chats().len() - asked,
        6,
        "round 2 is asked again, round 1 is not"
    );
    let aside = list(&place.path().join("output/.rebut/replaced"));
    assert_eq!(aside.len(), 2, "the old directory and its journal are kept");
    let old = aside
        .iter()
        .find(|path| path.is_dir())
        .expect("a directory");
    assert_eq!(trace_in(old)["status"], "degraded");
    assert!(list(&place.path().join("output/.rebut/running")).is_empty());
}

#[test]
fn j10b_a_failed_debate_is_retried_too() {
    let place = Place::new();
    let trace = degraded(&place, &format!("{SHORT_JOB}on_failure: abort\n"));
    assert_eq!(trace["status"], "failed");
    assert_eq!(incidents(&trace, "missing").len(), 1);
    place.run_exits(0, &["job.yaml", "--retry", "failed,degraded"]);
    assert_eq!(place.trace()["status"], "done");
}

#[test]
fn j10b_a_round_without_a_valid_ballot_is_retried_from_its_first_ballot() {
    let place = Place::new();
    place.reply([("*/ballot*", Answer::text("no"))]);
    let trace = place.trace_of("topic: Should voting be compulsory?\nrounds: 1\n", &[]);
    assert_eq!(incidents(&trace, "missing").len(), 3);
    place.server.script(good);
    let asked = place.server.chats().len();
    place.run_exits(0, &["job.yaml", "--retry", "degraded"]);
    assert_eq!(
        place.server.chats().len() - asked,
        4,
        "three ballots and the clerk"
    );
}

#[test]
fn j10b_a_retry_that_was_cut_off_goes_on_with_the_plain_command() {
    let place = Place::new();
    degraded(&place, SHORT_JOB);
    place.killed_at(Kind::Ballot, &["--retry", "degraded"]);
    assert_eq!(
        place.trace()["status"],
        "degraded",
        "the old directory stands"
    );
    place.run_exits(0, &["job.yaml"]);
    assert_eq!(place.trace()["status"], "done");
}

#[test]
fn j10b_an_orphan_is_put_back_by_run_and_by_index() {
    for command in [&["index"][..], &["run", "job.yaml"]] {
        let place = Place::new();
        place.trace_of(SHORT_JOB, &[]);
        let debate = place.debates().remove(0);
        let name = debate.file_name().expect("a name");
        // As a kill between the two renames of a replacement leaves it.
        let aside = place.path().join("output/.rebut/swapping").join(name);
        std::fs::rename(&debate, &aside).expect("a directory");
        let asked = place.server.chats().len();
        let ended = place.rebut_exits(0, command);
        assert!(
            format!("{}{}", ended.stdout, ended.stderr).contains("put back "),
            "{}",
            ended.stdout
        );
        assert_eq!(place.debates(), [debate]);
        assert_eq!(place.server.chats().len(), asked);
        assert!(list(&place.path().join("output/.rebut/swapping")).is_empty());
    }
}

#[test]
fn j10b_a_retry_without_its_journal_says_so_and_changes_nothing() {
    let place = Place::new();
    let trace = degraded(&place, SHORT_JOB);
    let id = trace["id"].as_str().expect("an id");
    let journal = format!("output/.rebut/journals/{id}.jsonl");
    std::fs::remove_file(place.path().join(&journal)).expect("a journal");
    let ended = place.run_exits(1, &["job.yaml", "--retry", "degraded"]);
    has_all(
        &ended.stderr,
        &[&format!("{journal} is missing"), "--restart"],
    );
    assert_eq!(place.trace()["status"], "degraded");
}

#[test]
fn j10b_a_retry_that_another_version_began_is_given_back() {
    let place = Place::new();
    let trace = degraded(&place, SHORT_JOB);
    let id = trace["id"].as_str().expect("an id");
    let journal = place
        .path()
        .join(format!("output/.rebut/journals/{id}.jsonl"));
    crate::harness::another_digest(&journal);
    let asked = place.server.chats().len();
    let ended = place.run_exits(1, &["job.yaml", "--retry", "degraded"]);
    has(&ended.stdout, "would now be another request (");
    let again = place.run(&["job.yaml"]);
    has(&again.stderr, "1 degraded (1 finished before)");
    assert_eq!(place.server.chats().len(), asked, "nothing is asked");
}

/// A place whose runs have a second server.
fn two_servers() -> (Place, MockOllama, [String; 4]) {
    let (place, other) = (Place::new(), MockOllama::start());
    place.serve_well(&other);
    let hosts = [
        "--host".to_owned(),
        place.server.url(),
        "--host".to_owned(),
        other.url(),
    ];
    (place, other, hosts)
}

fn run_on(place: &Place, hosts: &[String], args: &[&str]) -> Ended {
    let hosts: Vec<&str> = hosts.iter().map(String::as_str).collect();
    place.run(&[args, &hosts].concat())
}

#[test]
fn m1_several_servers_are_taken_in_turn_and_a_debate_stays_on_one() {
    let (place, other, hosts) = two_servers();
    place.write(
        "job.yaml",
        "topic: Should voting be compulsory?\nrounds: 1\nrepeat: 4\n",
    );
    run_on(&place, &hosts, &["job.yaml"]).exits(0);
    let (here, there) = (place.server.chats(), other.chats());
    assert_eq!((here.len(), there.len()), (12, 12));
    let traces = place.debates();
    assert_eq!(traces.len(), 4);
    for trace in traces.iter().map(|d| trace_in(d)) {
        let seeds: Vec<&Value> = arguments(&trace).iter().map(|s| &s["text"]).collect();
        let on = |calls: &[Call]| {
            calls
                .iter()
                .filter(|c| {
                    c.is_chat()
                        && seeds
                            .iter()
                            .any(|s| c.text().contains(s.as_str().expect("text")))
                })
                .count()
        };
        assert!(
            on(&here) == 0 || on(&there) == 0,
            "a debate's prompts stay where their beginning is"
        );
    }
}

#[test]
fn m1_the_work_of_a_server_that_goes_away_moves_to_the_others() {
    let (place, other, hosts) = two_servers();
    let gate = hold_clerks(&place);
    place.write(
        "job.yaml",
        "topic: Should voting be compulsory?\nrounds: 2\nrepeat: 2\n",
    );
    let hosts_text: Vec<&str> = hosts.iter().map(String::as_str).collect();
    let child = place.spawn(&[&["job.yaml"], &hosts_text[..]].concat());
    place
        .server
        .wait_until(|calls| calls.iter().any(|c| c.is_chat() && kind(c) == Kind::Clerk));
    place.server.stop();
    gate.open();
    let ended = end_of(child).exits(0);
    has(
        &ended.stderr,
        "is failing; sending its calls to the other servers",
    );
    assert_eq!(place.debates().len(), 2);
    for trace in place.debates().iter().map(|d| trace_in(d)) {
        assert_eq!(trace["status"], "done", "an outage is no attempt");
        assert_eq!(trace["incidents"], json!([]), "an outage is no attempt");
    }
    assert!(other.chats().len() > 12);
}

#[test]
fn m1_a_server_that_is_not_there_at_the_start_is_told_of_and_the_others_do_the_work() {
    let (place, other, hosts) = two_servers();
    other.stop();
    place.write("job.yaml", THREE);
    let ended = run_on(&place, &hosts, &["job.yaml"]).exits(0);
    has(&ended.stderr, "warning: no connection to ");
    place.server.stop();
    place.write("more.yaml", OTHER);
    assert_eq!(
        run_on(&place, &hosts, &["more.yaml"]).code,
        3,
        "none is there"
    );
}

#[test]
fn m1_a_model_that_only_one_server_has_is_asked_for_there() {
    let place = Place::new();
    let other = MockOllama::builder()
        .models([mock_ollama::Card::new("phi").context(8192)])
        .start();
    place.serve_well(&other);
    let hosts = [
        "--host".to_owned(),
        place.server.url(),
        "--host".to_owned(),
        other.url(),
    ];
    place.write("job.yaml", &format!("{THREE}x: {{model: phi}}\n"));
    let ended = run_on(&place, &hosts, &["job.yaml"]).exits(0);
    has(&ended.stderr, "has no model phi; using the other servers");
    assert!(other.chats().iter().all(|c| c.model() == "phi"));
}

#[test]
fn m1_a_server_named_twice_is_bad_input() {
    let place = Place::new();
    place.write("job.yaml", THREE);
    let url = place.server.url();
    let ended = place.run_exits(2, &["job.yaml", "--host", &url, "--host", &url]);
    assert!(ended.stderr.contains("is named twice"), "{}", ended.stderr);
    assert!(debates_in(&place.path().join("output")).is_empty());
    assert!(read(&place.path().join("job.yaml")).contains("repeat"));
}

#[test]
fn j3_a_fault_in_an_added_job_is_told_while_the_batch_is_full_and_the_mended_job_is_run() {
    let place = Place::new();
    place.write("jobs/first.yaml", THREE);
    let gate = hold_clerks(&place);
    let mut child = place.spawn(&["jobs", "--max-debates", "1"]);
    place.server.wait_for_chats(1);
    add(
        &place,
        "jobs/second.yaml",
        "topik: Should cities be smaller?\n",
    );
    hears(&mut child, "jobs/second.yaml was added but cannot run");
    add(&place, "jobs/second.yaml", OTHER);
    gate.open();
    end_of(child).exits(0);
    assert_eq!(place.debates().len(), 4);
}

#[test]
fn j3_an_empty_directory_beside_keeps_no_added_job_from_running() {
    let place = Place::new();
    place.write("jobs/first.yaml", SHORT_JOB);
    place.write("inbox/gone.yaml", OTHER);
    let gate = hold_clerks(&place);
    let child = place.spawn(&["jobs", "inbox", "--max-debates", "2"]);
    place.server.wait_for_chats(2);
    std::fs::remove_file(place.path().join("inbox/gone.yaml")).expect("a file");
    add(
        &place,
        "jobs/late.yaml",
        "topic: Should trams be free?\nrounds: 1\n",
    );
    place.server.wait_until(|calls| {
        let wanted = |c: &Call| c.is_chat() && kind(c) == Kind::Clerk;
        calls.iter().filter(|c| wanted(c)).count() == 2
    });
    gate.open();
    end_of(child).exits(0);
    assert_eq!(place.debates().len(), 3);
}

#[test]
fn j5a_an_added_job_that_loads_a_model_otherwise_is_not_run() {
    let place = Place::new();
    place.write("jobs/first.yaml", SHORT_JOB);
    let gate = hold_clerks(&place);
    let mut child = place.spawn(&["jobs", "--max-debates", "2"]);
    place.server.wait_for_chats(1);
    let otherwise = format!("{OTHER}models: {{llama3: {{num_gpu: 0}}}}\n");
    add(&place, "jobs/second.yaml", &otherwise);
    let said = hears(&mut child, "jobs/second.yaml was added but cannot run");
    let told = "`num_gpu` of llama3 is 0 here and not set where this run has loaded it already";
    assert!(said.contains(told), "{said}");
    gate.open();
    end_of(child).exits(2);
    assert_eq!(place.debates().len(), 1, "the other job's debate is done");
}

#[cfg(unix)]
#[test]
fn j10b_a_retry_that_is_stopped_goes_on_with_the_command_that_it_prints() {
    let place = Place::new();
    place.write("job.yaml", THREE);
    place.reply([("*/ballot*", Answer::text("no"))]);
    assert_eq!(place.run(&["job.yaml"]).code, 1, "all three are degraded");
    let gate = hold_clerks(&place);
    let asked = place.server.chats().len();
    let child = place.spawn(&["job.yaml", "--retry", "degraded", "--max-debates", "1"]);
    place.server.wait_for_chats(asked + 4);
    // As a service manager stops it.
    let sent = std::process::Command::new("kill")
        .args(["-TERM", &child.id().to_string()])
        .status();
    assert!(sent.is_ok_and(|status| status.success()));
    let mut child = child;
    hears(&mut child, "stopping after the calls in flight");
    gate.open();
    let ended = end_of(child).exits(130);
    assert!(ended.stdout.contains("resume with: ") && !ended.stdout.contains("--retry "));
    assert_eq!(place.run(&["job.yaml"]).code, 0, "all three are retried");
    let statuses = place.debates();
    let statuses = statuses.iter().map(|d| trace_in(d)["status"].clone());
    assert!(statuses.into_iter().all(|status| status == "done"));
}

#[test]
fn j10b_where_there_is_nothing_to_retry_that_is_said() {
    let place = Place::new();
    place.trace_of(SHORT_JOB, &[]);
    let ended = place.run_exits(0, &["job.yaml", "--retry", "failed,degraded"]);
    has(&ended.stderr, "nothing to retry");
}

#[test]
fn m1_a_host_that_is_an_unset_variable_is_bad_input() {
    let place = Place::new();
    place.write("job.yaml", THREE);
    let ended = place.run_exits(2, &["job.yaml", "--host", ""]);
    assert!(ended.stderr.contains("names no server"), "{}", ended.stderr);
}

#[test]
fn a5_index_refuses_what_is_no_output_directory() {
    let place = Place::new();
    place.trace_of(SHORT_JOB, &[]);
    let debate = place.debates().remove(0);
    let index = read(&debate.join("index.md"));
    let day = debate.parent().expect("a day");
    for wrong in [&debate, day, place.path()] {
        let ended = place.rebut(&["index", &wrong.display().to_string()]);
        assert_eq!(ended.code, 2, "{}", wrong.display());
        assert!(ended.stderr.contains("is not an output directory"));
    }
    assert_eq!(read(&debate.join("index.md")), index);
    place.rebut_exits(0, &["index", "output"]);
}
