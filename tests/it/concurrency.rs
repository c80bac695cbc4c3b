//! Rows B4, J3, J10b and M1: two runs over one output, jobs that are added, debates that are retried, several servers.

use mock_ollama::{Answer, Call, Card, Gate, MockOllama};
use serde_json::Value;

use crate::harness::{
    Kind, Place, Run, SHORT_JOB, another_digest, blanked, good, has, has_all, incidents, lacks,
    list, name_of, read, shows, trace_in, with_job,
};

const THREE: &str = "topic: Should voting be compulsory?\nrounds: 1\nrepeat: 3\n";
const OTHER: &str = "topic: Should cities be smaller?\nrounds: 1\n";

const FAULTY: &str = "topik: Should cities be smaller?\n";

/// In the result table of a single debate.
const TABLE: &str = "  Standing at the end ";

/// Puts a job into a directory that a run looks at, whole at once: a run may look while a file is being written.
fn add(place: &Place, name: &str, job: &str) {
    let written = place.write("added.yaml", job);
    std::fs::rename(written, place.path().join(name)).expect("a rename");
}

/// A run of this job, the only one in `jobs`, whose clerks wait for the gate.
fn under_way(job: &str, most: &str) -> (Place, Gate, Run) {
    under_way_in(Place::new(), job, most)
}

fn under_way_in(place: Place, job: &str, most: &str) -> (Place, Gate, Run) {
    place.write("jobs/first.yaml", job);
    let gate = place.hold_clerks();
    let run = place.start(&["jobs", "--max-debates", most]);
    place.server.wait_for_chats(1);
    (place, gate, run)
}

/// Two runs of one job: the first is held in its debate, the other waits for that.
fn one_waits_for_another() -> (Place, Gate, Run, Run) {
    let place = with_job(SHORT_JOB);
    let gate = place.hold_clerks();
    let first = place.start(&["job.yaml"]);
    place.wait_for_clerks(1);
    let mut second = place.start(&["job.yaml"]);
    second.hears("waiting for it");
    (place, gate, first, second)
}

#[test]
fn b4_two_runs_over_one_output_share_the_work_and_ask_nothing_twice() {
    let place = with_job(THREE);
    let gate = place.hold_clerks();
    let first = place.start(&["job.yaml", "--max-debates", "1"]);
    place.wait_for_clerks(1);
    let mut second = place.start(&["job.yaml", "--max-debates", "2"]);
    let holder = format!("another rebut (process {} since ", first.id());
    has(second.hears("waiting for it"), &holder);
    place.wait_for_clerks(3);
    gate.open();
    for run in [first, second] {
        let ended = run.ends().exits(0);
        let lost = "directories of finished debates are missing";
        lacks(&ended.stderr, &[lost]);
    }
    assert_eq!(place.debates().len(), 3);
    assert_eq!(place.server.chats().len(), 21, "each call is made once");
    assert!(list(&place.path().join("output/.rebut/claims")).is_empty());
}

#[cfg(unix)]
#[test]
fn b3_a_run_that_stops_does_not_say_that_it_left_what_another_one_runs() {
    let (place, gate, first, second) = one_waits_for_another();
    second.signal("-INT");
    let ended = second.ends().exits(130);
    has(&ended.stderr, "1 unfinished");
    let holder = format!("another rebut (process {} since ", first.id());
    has(&ended.stdout, &holder);
    let summary = list(&place.path().join("output/batches"));
    let summary: Value = serde_json::from_str(&read(&summary[0])).expect("JSON");
    shows!(summary, {
        "left": [], "debates/unfinished": 1, "calls/replies": 0,
        "causes/0/standing": "unfinished", "causes/0/cause contains": holder,
    });
    gate.open();
    first.ends().exits(0);
}

#[test]
fn b4_what_a_killed_run_left_is_taken_over_by_the_other() {
    let (place, gate, first, second) = one_waits_for_another();
    first.kill();
    gate.open();
    second.ends().exits(0);
    assert_eq!(place.statuses(), ["done"]);
}

#[test]
fn b4_a_restart_does_not_take_a_debate_from_under_another_run() {
    let place = with_job(SHORT_JOB);
    let gate = place.hold_clerks();
    let first = place.start(&["job.yaml"]);
    place.wait_for_clerks(1);
    let second = place.run_exits(2, &["job.yaml", "--restart"]);
    let by = format!("another rebut (process {} since ", first.id());
    has(&second.stderr, &format!("is being written by {by}"));
    gate.open();
    first.ends().exits(0);
}

#[test]
fn b4_a_restart_that_cannot_have_all_debates_sets_none_aside() {
    let place = with_job(THREE);
    place.run_exits(0, &["job.yaml"]);
    let last = trace_in(&place.debates()[2])["id"].clone().as_str().expect("an id").to_owned();
    let gate = place.hold_clerks();
    let restarted = ["job.yaml", "--restart", "--only", &last[..12]];
    let before = place.server.chats().len();
    let first = place.start(&restarted);
    place.server.wait_for_chats(before + 1);
    let second = place.run_exits(2, &["job.yaml", "--restart"]);
    has(&second.stderr, "hint: no debate was started over");
    assert_eq!(place.debates().len(), 2, "the others stay where they are");
    gate.open();
    first.ends().exits(0);
    assert_eq!(place.debates().len(), 3);
}

#[test]
fn j3_a_job_that_is_added_to_the_directory_while_it_runs_is_run_too() {
    let (place, gate, run) = under_way(SHORT_JOB, "2");
    add(&place, "jobs/second.yaml", OTHER);
    place.server.wait_until(|calls| {
        let about_cities = |c: &Call| c.is_chat() && c.text().contains("cities be smaller");
        calls.iter().any(about_cities)
    });
    gate.open();
    let ended = run.ends().exits(0);
    has(&ended.stderr, "jobs/second.yaml was added: 1 debate");
    assert_eq!(place.debates().len(), 2);
    // Row A4: below two results, a table would seem to be of the last.
    lacks(&ended.stderr, &[TABLE]);
    let again = place.run(&["--rehearse", "jobs/first.yaml"]);
    has(&again.stderr, TABLE);
}

#[test]
fn j3_a_faulty_job_that_is_added_is_told_of_and_harms_nobody() {
    let (place, gate, mut run) = under_way(SHORT_JOB, "2");
    add(&place, "jobs/second.yaml", FAULTY);
    let said = run.hears("jobs/second.yaml was added but can't run");
    has_all(said, &["jobs/second.yaml:1", "did you mean `topic`"]);
    gate.open();
    let ended = run.ends().exits(2);
    has(&ended.stderr, "not run (see above): jobs/second.yaml");
    let [json, page] = &list(&place.path().join("output/batches"))[..] else { panic!("a batch") };
    has(&read(page), "Not run, since they were added with faults: ");
    has(&read(json), "\"refused\": [\n    \"jobs/second.yaml\"");
    let told = place.rebut_exits(0, &["status"]).stdout;
    has_all(&told, &["not run", "jobs/second.yaml", "correct the job files"]);
    assert_eq!(place.debates().len(), 1, "the other job's debate is done");
}

#[test]
fn j3_of_many_faults_of_an_added_job_the_first_are_told_and_the_number_of_the_others() {
    let (place, gate, mut run) = under_way(SHORT_JOB, "2");
    let faults: String = (1..=101).map(|n| format!("tpic{n}: no\n")).collect();
    add(&place, "jobs/second.yaml", &format!("{OTHER}{faults}"));
    let said = run.hears("jobs/second.yaml was added but can't run");
    has_all(said, &["`tpic5`", "… and 96 more problems: `rebut check` shows all"]);
    lacks(said, &["`tpic6`"]);
    gate.open();
    run.ends().exits(2);
}

#[test]
fn m3a_a_job_that_is_added_and_wants_more_context_drains_the_model_and_not_the_batch() {
    let card = Card::new("llama3").context(32_768);
    let server = MockOllama::builder().models([card]).start();
    let (place, gate, mut run) = under_way_in(Place::with(server), SHORT_JOB, "2");
    let wide = format!("{OTHER}defaults: {{context_window: 16384}}\n");
    add(&place, "jobs/second.yaml", &wide);
    run.hears("jobs/second.yaml was added");
    // Each debate asks for its model's card first.
    let cards = |calls: &[Call]| calls.iter().filter(|it| it.path == "/api/show").count();
    place.server.wait_until(|calls| cards(calls) == 2);
    gate.open();
    run.ends().exits(0);
    let chats = place.server.chats().into_iter();
    let asked: Vec<u64> =
        chats.filter_map(|call| call.option("num_ctx").and_then(Value::as_u64)).collect();
    assert!(asked.is_sorted(), "the model is loaded again once: {asked:?}");
    let narrow = asked.iter().filter(|context| **context == 8192).count();
    assert!((1..13).contains(&narrow), "the first debate goes on: {asked:?}");
}

/// Runs `job` with X silent in round 2, which degrades the debate.
fn degraded(place: &Place, job: &str) -> Value {
    place.reply([("round-2/statement/position_x", Answer::text(""))]);
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
    // Without the flag nothing happens, and it has not failed.
    place.run_exits(1, &["job.yaml"]);
    place.run_exits(1, &["job.yaml", "--retry", "failed"]);
    assert_eq!(place.server.chats().len(), asked);

    place.run_exits(0, &["job.yaml", "--retry", "degraded"]);
    assert_eq!(place.debates(), before, "the directory keeps its name");
    assert_eq!(blanked(&place.debates()[0]), blanked(&whole.debates()[0]));
    // Round 2 and the clerk's story are asked for again, round 1 is not.
    assert_eq!(place.server.chats().len() - asked, 7);
    let aside = list(&place.path().join("output/.rebut/replaced"));
    assert_eq!(aside.len(), 3, "the old directory, its journal and its prompts are kept");
    let old = aside.iter().find(|path| path.is_dir());
    let old = trace_in(old.expect("a directory"));
    assert_eq!(old["status"], "degraded");
    assert!(list(&place.path().join("output/.rebut/running")).is_empty());
}

#[test]
fn j10b_a_failed_debate_is_retried_too() {
    let place = Place::new();
    let trace = degraded(&place, &format!("{SHORT_JOB}on_failure: abort\n"));
    assert_eq!(trace["status"], "failed");
    assert_eq!(incidents(&trace, "missing").len(), 1);
    place.run_exits(0, &["job.yaml", "--retry", "failed,degraded"]);
    assert_eq!(place.statuses(), ["done"]);
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
    // Three ballots, the clerk's notes and its story.
    assert_eq!(place.server.chats().len() - asked, 5);
}

#[test]
fn j10b_a_retry_that_was_cut_off_goes_on_with_the_plain_command() {
    let place = Place::new();
    degraded(&place, SHORT_JOB);
    place.killed_at(Kind::Ballot, &["--retry", "degraded"]);
    assert_eq!(place.statuses(), ["degraded"], "the old directory stands");
    place.run_exits(0, &["job.yaml"]);
    assert_eq!(place.statuses(), ["done"]);
}

#[test]
fn j10b_an_orphan_is_put_back_by_run_and_by_index() {
    for command in [&["index"][..], &["run", "job.yaml"]] {
        let place = Place::new();
        place.trace_of(SHORT_JOB, &[]);
        let debate = place.debates().remove(0);
        // As a kill between the two renames of a replacement leaves it.
        let swapping = place.path().join("output/.rebut/swapping");
        std::fs::rename(&debate, swapping.join(name_of(&debate))).expect("a directory");
        let asked = place.server.chats().len();
        let ended = place.rebut_exits(0, command);
        has(&ended.said(), "restored ");
        assert_eq!(place.debates(), [debate]);
        assert_eq!(place.server.chats().len(), asked);
        assert!(list(&swapping).is_empty());
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
    has_all(&ended.stderr, &[&format!("{journal} is missing"), "--restart"]);
    assert_eq!(place.statuses(), ["degraded"]);
}

#[test]
fn j10b_a_retry_that_another_version_began_is_given_back() {
    let place = Place::new();
    degraded(&place, SHORT_JOB);
    another_digest(&list(&place.path().join("output/.rebut/journals"))[0]);
    let asked = place.server.chats().len();
    let ended = place.run_exits(1, &["job.yaml", "--retry", "degraded"]);
    has(&ended.stdout, "would now be a different request (");
    let again = place.run(&["job.yaml"]);
    has(&again.stderr, "nothing new; 1 finished before (1 degraded)");
    assert_eq!(place.server.chats().len(), asked, "nothing is asked");
}

/// A place, a second server, and arguments that name both.
fn two_servers(other: MockOllama) -> (Place, MockOllama, [String; 5]) {
    let place = Place::new();
    place.serve_well(&other);
    let [here, there] = [&place.server, &other].map(MockOllama::url);
    let args = ["job.yaml", "--host", &here, "--host", &there].map(str::to_owned);
    (place, other, args)
}

fn run_on(place: &Place, args: &[String]) -> Run {
    place.start(&args.iter().map(String::as_str).collect::<Vec<_>>())
}

#[test]
fn m1_several_servers_share_the_debates() {
    let (place, other, args) = two_servers(MockOllama::start());
    place.write("job.yaml", &THREE.replace("repeat: 3", "repeat: 4"));
    run_on(&place, &args).ends().exits(0);
    let (here, there) = (place.server.chats(), other.chats());
    assert_eq!(here.len() + there.len(), 28);
    assert!(!here.is_empty() && !there.is_empty());
    assert_eq!(place.debates().len(), 4);
}

#[test]
fn m1_the_work_of_a_server_that_goes_away_moves_to_the_others() {
    let (place, other, args) = two_servers(MockOllama::start());
    let gate = place.hold_clerks();
    place.write("job.yaml", &format!("{SHORT_JOB}repeat: 2\n"));
    let run = run_on(&place, &args);
    place.wait_for_clerks(1);
    place.server.stop();
    gate.open();
    let ended = run.ends().exits(0);
    let told = "; sending its calls to the other servers";
    has(&ended.stderr, told);
    assert_eq!(place.debates().len(), 2);
    for trace in place.debates().iter().map(|d| trace_in(d)) {
        // An outage is no attempt.
        shows!(trace, {"status": "done", "incidents": []});
    }
    assert!(other.chats().len() > 12);
}

#[test]
fn m1_a_server_that_is_not_there_at_the_start_is_told_of_and_the_others_do_the_work() {
    let (place, other, args) = two_servers(MockOllama::start());
    other.stop();
    place.write("job.yaml", THREE);
    let ended = run_on(&place, &args).ends().exits(0);
    has(&ended.stderr, "warning: no connection to ");
    // None is there.
    place.server.stop();
    place.write("job.yaml", OTHER);
    run_on(&place, &args).ends().exits(3);
}

#[test]
fn m1_a_model_that_only_one_server_has_is_asked_for_there() {
    let phi = [Card::new("phi").context(8192)];
    let (place, other, args) = two_servers(MockOllama::builder().models(phi).start());
    place.write("job.yaml", &format!("{THREE}x: {{model: phi}}\n"));
    let ended = run_on(&place, &args).ends().exits(0);
    has(&ended.stderr, "has no model phi; using the other servers");
    assert!(other.chats().iter().all(|c| c.model() == "phi"));
}

#[test]
fn m1_a_server_named_twice_is_bad_input() {
    let place = with_job(THREE);
    let url = place.server.url();
    let local = url.replace("127.0.0.1", "localhost");
    for again in [&url, &local] {
        let ended = place.run_exits(2, &["job.yaml", "--host", &url, "--host", again]);
        has(&ended.stderr, "is given twice");
    }
    assert!(place.debates().is_empty());
    assert_eq!(read(&place.path().join("job.yaml")), THREE);
}

#[test]
fn j3_a_fault_in_an_added_job_is_told_while_the_batch_is_full_and_the_mended_job_is_run() {
    let (place, gate, mut run) = under_way(THREE, "1");
    add(&place, "jobs/second.yaml", FAULTY);
    run.hears("jobs/second.yaml was added but can't run");
    add(&place, "jobs/second.yaml", OTHER);
    gate.open();
    run.ends().exits(0);
    assert_eq!(place.debates().len(), 4);
}

#[test]
fn j3_an_empty_directory_beside_keeps_no_added_job_from_running() {
    let place = Place::new();
    place.write("jobs/first.yaml", SHORT_JOB);
    let gone = place.write("inbox/gone.yaml", OTHER);
    let gate = place.hold_clerks();
    let run = place.start(&["jobs", "inbox", "--max-debates", "2"]);
    place.server.wait_for_chats(2);
    std::fs::remove_file(gone).expect("a file");
    let late = "topic: Should trams be free?\nrounds: 1\n";
    add(&place, "jobs/late.yaml", late);
    place.wait_for_clerks(2);
    gate.open();
    run.ends().exits(0);
    assert_eq!(place.debates().len(), 3);
}

#[test]
fn j5a_an_added_job_that_loads_a_model_otherwise_is_not_run() {
    let (place, gate, mut run) = under_way(SHORT_JOB, "2");
    let otherwise = format!("{OTHER}models: {{llama3: {{num_gpu: 0}}}}\n");
    add(&place, "jobs/second.yaml", &otherwise);
    let said = run.hears("jobs/second.yaml was added but can't run");
    let told = "`num_gpu` of llama3 is 0 here and not set in the jobs for which this run has already loaded it";
    has(said, told);
    gate.open();
    run.ends().exits(2);
    assert_eq!(place.debates().len(), 1, "the other job's debate is done");
}

#[cfg(unix)]
#[test]
fn j10b_a_retry_that_is_stopped_goes_on_with_the_command_that_it_prints() {
    let place = with_job(THREE);
    place.reply([("*/ballot*", Answer::text("no"))]);
    place.run_exits(1, &["job.yaml"]);
    let gate = place.hold_clerks();
    let asked = place.server.chats().len();
    let mut run = place.start(&["job.yaml", "--retry", "degraded", "--max-debates", "1"]);
    place.server.wait_for_chats(asked + 4);
    // As a service manager stops it.
    run.signal("-TERM");
    run.hears("stopping after the calls in flight");
    gate.open();
    let ended = run.ends().exits(130);
    shows!(ended, {"stdout contains": "next: ", "stdout lacks": "--retry "});
    place.run_exits(0, &["job.yaml"]);
    assert_eq!(place.statuses(), ["done"; 3], "all three are retried");
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
    let place = with_job(THREE);
    let ended = place.run_exits(2, &["job.yaml", "--host", ""]);
    has(&ended.stderr, "`--host ''` is empty");
}

#[test]
fn a5_index_refuses_what_is_no_output_directory() {
    let place = Place::new();
    place.trace_of(SHORT_JOB, &[]);
    let debate = place.debates().remove(0);
    let index = read(&debate.join("index.md"));
    let day = debate.parent().expect("a day");
    for wrong in [&debate, day, place.path()] {
        let ended = place.rebut_exits(2, &["index", &wrong.display().to_string()]);
        has(&ended.stderr, "is not an output directory");
    }
    assert_eq!(read(&debate.join("index.md")), index);
    place.rebut_exits(0, &["index", "output"]);
}
