//! Rows J4, J8, J9, J11 and N: kills, stops, edits, and going on.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};

use chrono::TimeDelta;
use mock_ollama::{Answer, Gate};
use rebut::digest;
use rebut::journal::{Entry, ReplyEntry};
use rebut::trace::Trace;
use serde_json::{Value, json};

use crate::harness::{
    Kind, Place, SHORT_JOB, TINY_JOB, another_digest, blanked, entries_of, good, has, has_all,
    incidents, json_lines, list, name_of, play, read, rewrite, shows, trace_in, with_job,
};

#[test]
fn j9b_what_debates_begin_with_is_stored_once_but_for_what_is_their_own() {
    let place = with_job(&format!(
        "{TINY_JOB}repeat: 3\nmatrix: {{topic: [Is one enough?, Is two better?]}}\n"
    ));
    place.run_exits(0, &["job.yaml", "--rehearse"]);
    assert_eq!(place.debates().len(), 6);
    let state = |name: &str| list(&place.path().join("output/.rebut").join(name));
    // The templates and the plan.
    assert_eq!(state("inputs").len(), 2);
    let headers = state("journals").into_iter().map(|path| entries_of(&path));
    let of_plans = headers.map(|entries| match &entries[0] {
        Entry::Debate(header) => place.inputs_of(header)["plan"].clone(),
        _ => panic!("a journal begins with its header"),
    });
    let its_own = |plan: Value| json!([plan["id"], plan["topic"], plan["seed"]]).to_string();
    assert_eq!(of_plans.map(its_own).collect::<BTreeSet<_>>().len(), 6);
}

#[test]
fn j4_finished_debates_are_skipped_and_the_exit_code_counts_them() {
    let place = with_job(SHORT_JOB);
    place.reply([("*/ballot*", Answer::text("no"))]);
    place.run_exits(1, &["job.yaml"]);
    let asked = place.server.chats().len();
    let again = place.run_exits(1, &["job.yaml"]);
    assert_eq!(place.server.chats().len(), asked);
    has(&again.stderr, "nothing new; 1 finished before (1 degraded)");
    has_all(&again.stderr, &["\nnext: ", " job.yaml --retry degraded\n"]);
}

#[test]
fn j4_a_dry_run_shows_what_would_run_again() {
    let place = with_job(&format!("{SHORT_JOB}matrix: {{seed: [1, 2]}}\n"));
    place.reply([("*/ballot*", Answer::text("no"))]);
    place.run_exits(1, &["job.yaml", "--only", "seed=1"]);
    place.reply_by(|_| None);
    place.run_exits(1, &["job.yaml"]);
    for (flags, told, left) in [
        (&[][..], "degraded\t", "0 to run"),
        (&["--retry", "failed"], "degraded\t", "0 to run"),
        (&["--retry", "failed,degraded"], "to retry\t", "1 to run"),
        (&["--restart"], "to restart\t", "2 to run"),
    ] {
        let ended = place.run_exits(0, &[&["job.yaml", "--dry-run"], flags].concat());
        shows!(ended, {"stdout contains": [told, left]});
        let checked = place.rebut_exits(0, &[&["check", "job.yaml"], flags].concat());
        assert_eq!(checked.stdout, ended.stdout);
    }
    // All replies of the one whose directory is gone are still there, unless it starts over.
    std::fs::remove_dir_all(&place.debates()[0]).expect("removed");
    let ended = place.run_exits(0, &["job.yaml", "--dry-run"]);
    has(&ended.stdout, "to rebuild\t");
    let ended = place.run_exits(0, &["job.yaml", "--dry-run", "--restart"]);
    assert_eq!(ended.stdout.matches("to restart\t").count(), 2);
}

#[test]
fn j7_a_rehearsal_needs_no_server_and_says_so_on_every_face() {
    let place = Place::new();
    place.server.stop();
    let job =
        "topic: Should voting be compulsory?\noutput: {transcript: true, formats: [json, text]}\n";
    let trace = place.trace_of(job, &["--rehearse"]);
    assert_eq!(trace["rehearsal"], true);
    let debate = place.debates().remove(0);
    let messages = list(&debate.join("messages"));
    assert!(messages.len() >= 18);
    let lists = ["index.jsonl", "index.md"].map(|name| place.path().join("output").join(name));
    let files = list(&debate).into_iter().chain(messages).chain(lists);
    // The cache for statistics has no words.
    let is_face = |path: &std::path::PathBuf| path.is_file() && !path.ends_with("facts.json");
    for path in files.filter(is_face) {
        let says = read(&path).to_lowercase().contains("rehears");
        assert!(says, "{} does not say that it is a rehearsal", path.display());
    }
}

#[test]
fn j7_plain_rehearsals_rotate_tie_and_cut_and_never_fail() {
    let place =
        with_job("topic: Should voting be compulsory?\nrepeat: 12\ny: [{}, {}, {}, {}, {}]\n");
    place.run_exits(0, &["--rehearse", "job.yaml"]);
    let traces: Vec<Trace> = place
        .debates()
        .into_iter()
        .map(|it| trace_in(&it))
        .map(|trace| serde_json::from_value(trace).expect("a trace"))
        .collect();
    let rotations = || traces.iter().flat_map(|trace| &trace.rotations);
    assert!(rotations().any(|r| r.rotated) && rotations().any(|r| !r.rotated));
    assert!(rotations().any(|r| r.keeps == r.negatives), "no tie");
    let mut statements = traces.iter().flat_map(|trace| &trace.statements);
    assert!(statements.any(|statement| statement.cut), "no cut");
    assert_eq!(place.statuses(), ["done"; 12]);
}

#[test]
fn j9b_an_edited_template_or_persona_does_not_touch_a_debate_that_has_begun() {
    let place = with_job(&format!("{SHORT_JOB}x: {{persona: mild}}\n"));
    place.write("personas/mild.md", "Speaks mildly.");
    place.write("mine/prompts/clerk.md.j2", "First version. Reply in JSON.");
    place.killed_at(Kind::Ballot, &["--templates", "mine"]);
    place.write("mine/prompts/clerk.md.j2", "Second version. Reply in JSON.");
    place.run_exits(0, &["job.yaml", "--templates", "mine"]);
    let clerks = place.asked("round-*/clerk");
    assert!(!clerks.is_empty());
    clerks.iter().for_each(|call| has(&call.last_message(), "First version."));
}

#[test]
fn j9b_a_template_that_cannot_be_rendered_is_told_with_the_way_out() {
    let place = with_job(SHORT_JOB);
    place.write("mine/prompts/clerk.md.j2", "{{ nosuch }}");
    let args = ["--rehearse", "job.yaml", "--templates", "mine"];
    let failed = place.run_exits(1, &args);
    has(&failed.stdout, "prompts/clerk.md.j2: undefined value");
    has(&failed.stdout, "start it over with --restart --only ");
    assert!(!failed.stdout.contains("next: "), "{}", failed.stdout);
    place.write("mine/prompts/clerk.md.j2", "Mended. Reply in JSON.");
    place.run_exits(1, &args);
    place.run_exits(0, &[&args[..], &["--restart"]].concat());
}

#[test]
fn j9b_templates_that_change_nothing_are_told() {
    let place = with_job(SHORT_JOB);
    place.write("mine/prompts/clerk.md.j2", "Mine. Reply in JSON.");
    let args = ["--rehearse", "job.yaml", "--templates", "mine"];
    let told = "--templates changed nothing: ";
    let first = place.rebut(&[&["run"], &args[..]].concat());
    assert!(!first.stderr.contains(told), "{}", first.stderr);
    has(&place.rebut(&[&["run"], &args[..]].concat()).stderr, told);
    let plain = place.rebut(&["run", "--rehearse", "job.yaml"]);
    assert!(!plain.stderr.contains(told), "{}", plain.stderr);
}

#[test]
fn j9b_debates_that_an_edit_orphaned_are_named_and_counted() {
    let place = with_job(&format!("{SHORT_JOB}repeat: 2\n"));
    place.killed_at(Kind::Ballot, &["--limit", "1"]);
    let journal = place.running_journal();
    let id = &name_of(&journal)[..12];
    place.write("job.yaml", &SHORT_JOB.replace("rounds: 2", "rounds: 1"));
    let ended = place.run(&["job.yaml"]);
    let told = format!(
        "1 earlier debate left unfinished with other settings: {id} (`rebut status` says how to continue"
    );
    has(&ended.stderr, &told);
    assert!(journal.exists(), "it is left alone");
    let finished = place.trace()["id"].as_str().expect("an id")[..12].to_owned();
    place.write("job.yaml", &SHORT_JOB.replace("rounds: 2", "rounds: 3"));
    let checked = place.rebut_exits(0, &["check", "job.yaml"]).stdout;
    let stays = format!(
        "1 earlier debate finished with other settings: {finished} (kept, and counted in reports; with the settings of now, the job has other debates)\n"
    );
    has_all(&checked, &[&told, &stays]);
}

#[test]
fn j9c_a_call_that_would_now_be_another_request_parks_the_debate_with_the_difference() {
    let place = with_job(SHORT_JOB);
    place.killed_at(Kind::Ballot, &[]);
    another_digest(&place.running_journal());
    let asked = place.server.chats().len();
    let ended = place.run_exits(1, &["job.yaml"]);
    let told =
        "the call round-1/statement/position_x (attempt 1) would now be a different request (";
    has_all(&ended.stdout, &[told, "--restart"]);
    assert_eq!(place.server.chats().len(), asked, "nothing is asked");
    place.run_exits(0, &["job.yaml", "--restart"]);
}

#[test]
fn m2_an_echo_that_a_journal_kept_stays_on_the_record() {
    let echo = "Open the debate: state your position and give your two strongest reasons for it.";
    let place = with_job(TINY_JOB);
    place.killed_while("round-1/statement/position_y_1", &[]);
    rewrite(&place.running_journal(), |mut reply| {
        reply.reply.text = echo.to_owned();
        Some(reply)
    });
    place.run_exits(0, &["job.yaml"]);
    let trace = trace_in(&place.debates()[0]);
    let said = trace["statements"].as_array().expect("statements");
    assert!(said.iter().any(|statement| statement["text"] == echo), "{said:?}");
    assert_eq!(trace["incidents"], json!([]));
}

/// A debate that was killed after its ballots, with another journal, is parked for this difference and asks nothing.
fn parked_unasked(changed: impl Fn(ReplyEntry) -> Option<ReplyEntry>, difference: &str) {
    let place = with_job(SHORT_JOB);
    place.killed_at(Kind::Clerk, &[]);
    rewrite(&place.running_journal(), changed);
    let (asked, journal) = (place.server.chats().len(), read(&place.running_journal()));
    let ended = place.run_exits(1, &["job.yaml"]);
    has(&ended.stdout, difference);
    assert_eq!(place.server.chats().len(), asked, "nothing is asked");
    assert_eq!(read(&place.running_journal()), journal);
    place.run_exits(0, &["job.yaml", "--restart"]);
}

#[test]
fn j9c_no_judge_is_asked_where_the_request_of_another_differs() {
    parked_unasked(
        |reply| match reply.call.as_str() {
            "round-1/ballot/position_y_2" => None,
            "round-1/ballot/position_y_3" => Some(ReplyEntry { digest: "0".repeat(64), ..reply }),
            _ => Some(reply),
        },
        "the call round-1/ballot/position_y_3 (attempt 1) would now be a different request (",
    );
}

#[test]
fn j9c_a_journaled_call_that_would_not_be_made_parks_the_debate() {
    parked_unasked(
        |mut reply| {
            let other = reply.call.replace("statement/position_y_1", "statement/position_y_4");
            reply.call = other;
            Some(reply)
        },
        "the call round-1/ballot/position_y_2 is in the journal but would no longer be made before round-1/statement/position_y_1: its journal was changed, or written by another build of rebut",
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
    // A directory, a journal and prompts.
    let aside = list(&place.path().join("output/.rebut/replaced"));
    assert_eq!(aside.len(), 3);
}

#[test]
fn j11_the_exit_codes_are_as_documented() {
    let place = with_job(SHORT_JOB);
    place.write("bad.yaml", "topic: x\n");
    place.run_exits(2, &["bad.yaml"]);
    place.run_exits(2, &["absent.yaml"]);
    place.rebut_exits(2, &["run"]);
    place.server.stop();
    let ended = place.run_exits(3, &["job.yaml"]);
    let told = "no connection to http://127.0.0.1:";
    has_all(&ended.stderr, &[told, ": connection refused\n", "ollama serve"]);
    let output = place.path().join("output");
    assert!(!output.exists(), "nothing is left behind");
}

#[cfg(unix)]
#[test]
fn n_the_first_interrupt_finishes_the_calls_in_flight_and_prints_how_to_go_on() {
    let place = with_job(SHORT_JOB);
    let (gate, seen) = (Gate::new(), AtomicUsize::new(0));
    let held = gate.clone();
    place.reply_by(move |call| {
        let second = seen.fetch_add(1, Ordering::SeqCst) == 1;
        second.then(|| good(call).after(held.clone()))
    });
    let mut run = place.start(&["job.yaml"]);
    place.server.wait_for_chats(2);
    run.signal("-INT");
    run.hears("stopping after the calls in flight");
    gate.open();
    let ended = run.ends().exits(130);
    let resume = "run --retry-delay 1ms job.yaml";
    has_all(&ended.stdout, &["next: ", resume]);
    assert_eq!(place.kept(), 2, "the call in flight was kept");
    // No call was begun after the interrupt, and then each was made once.
    assert_eq!(place.server.chats().len(), 2);
    place.run_exits(0, &["job.yaml"]);
    assert_eq!(place.server.chats().len(), 13);
}

/// Interrupts of one batch, and its debates, of 13 calls each: more than run between so many interrupts.
#[cfg(unix)]
const INTERRUPTS: usize = 50;
#[cfg(unix)]
const DEBATES: usize = 45;

#[cfg(unix)]
#[test]
fn n_an_interrupt_at_any_moment_loses_nothing_and_repeats_nothing() {
    let place = with_job(&format!("{SHORT_JOB}repeat: {DEBATES}\n"));
    for moment in 0..INTERRUPTS {
        let more = digest::derive(moment as u64, "calls before the interrupt") as usize % 8;
        let before = place.server.chats().len();
        let run = place.start(&["job.yaml", "-j", "2"]);
        place.server.wait_for_chats(before + 1 + more);
        run.signal("-INT");
        let ended = run.ends().exits(130);
        has(&ended.stdout, "next: ");
    }
    place.run_exits(0, &["job.yaml"]);
    assert_eq!(place.server.chats().len(), 13 * DEBATES);
    assert_eq!(place.statuses(), vec!["done"; DEBATES]);
}

#[cfg(unix)]
#[test]
fn n_the_second_interrupt_stops_at_once() {
    let place = with_job(SHORT_JOB);
    place.server.script(|_| Answer::hang());
    let mut run = place.start(&["job.yaml"]);
    place.server.wait_for_chats(1);
    run.signal("-INT");
    run.hears("press Ctrl-C again to stop now");
    run.signal("-INT");
    run.ends().exits(130);
    place.server.script(good);
    place.run_exits(0, &["job.yaml"]);
}

#[test]
fn j2_every_debate_starts_from_nothing() {
    let place = with_job(&format!("{SHORT_JOB}repeat: 2\n"));
    place.run_exits(0, &["job.yaml", "--concurrency", "1"]);
    let first = place.asked("round-1/statement/position_x");
    assert_eq!(first.len(), 2);
    // The second debate's first prompt holds nothing of the first debate.
    assert_eq!(first[0].text(), first[1].text());
}

#[test]
fn j10a_a_failed_debate_has_its_directory_which_says_so_first() {
    let job = format!("{SHORT_JOB}on_failure: abort\n");
    let debate = play(&job, [("*/statement/*", Answer::text(""))]);
    shows!(debate, {"status": "failed", "outcome": null});
    let dir = debate.place.debates().remove(0);
    for file in ["index.md", "summary.md", "metadata.md"] {
        let text = read(&dir.join(file));
        let mut lines = text.lines().skip_while(|line| !line.starts_with("# "));
        let line = lines.nth(2).expect("a line below the title");
        let told = line.starts_with("> **Failed.** X gave no usable reply");
        assert!(told, "{file}: {text}");
    }
}

#[test]
fn a5_a_kill_between_the_rename_and_the_journals_move_is_mended_by_the_next_run() {
    let place = Place::new();
    let trace = place.trace_of(SHORT_JOB, &[]);
    let name = format!("{}.jsonl", trace["id"].as_str().expect("an id"));
    let state = place.path().join("output/.rebut");
    let kept = state.join("journals").join(&name);
    std::fs::rename(&kept, state.join("running").join(&name)).expect("a journal");
    let asked = place.server.chats().len();
    place.run_exits(0, &["job.yaml"]);
    assert_eq!(place.server.chats().len(), asked);
    assert_eq!(place.debates().len(), 1);
    assert!(kept.is_file() && list(&state.join("running")).is_empty());
}

#[test]
fn a5_what_a_kill_left_in_staging_does_not_get_into_the_directory() {
    let whole = Place::new();
    whole.trace_of(SHORT_JOB, &[]);
    let expected = blanked(&whole.debates()[0]);
    let place = with_job(SHORT_JOB);
    place.killed_at(Kind::Clerk, &[]);
    let header = json_lines(&read(&place.running_journal())).remove(0);
    let name = header["directory"].as_str().and_then(|path| path.split('/').nth(1));
    let staged = format!("output/.rebut/staging/{}/messages", name.expect("a name"));
    place.write(&format!("{staged}/999_half_written.md"), "half");
    place.run_exits(0, &["job.yaml"]);
    assert_eq!(blanked(&place.debates()[0]), expected);
}

#[test]
fn j9c_a_restart_that_is_stopped_goes_on_with_the_same_command_without_the_flag() {
    let place = with_job(&format!("{SHORT_JOB}repeat: 2\n"));
    place.run_exits(0, &["job.yaml"]);
    let asked = place.server.chats().len();
    place.killed_at(Kind::Clerk, &["--restart", "--concurrency", "1"]);
    place.run_exits(0, &["job.yaml"]);
    let again = place.server.chats().len() - asked;
    assert!(again >= asked, "both are asked anew: {again} after {asked}");
    assert_eq!(place.debates().len(), 2);
}

#[test]
fn j4_a_damaged_finished_debate_does_not_end_the_batch() {
    let place = Place::new();
    place.trace_of(SHORT_JOB, &[]);
    let index = place.debates()[0].join("index.md");
    let damaged = read(&index).replace("topic: ", "tropic: ").replace("rehearsal: ", "x: ");
    std::fs::write(&index, damaged).expect("an index");
    place.write("other.yaml", "topic: Should cities be smaller?\nrounds: 1\n");
    let ended = place.run_exits(0, &["other.yaml", "job.yaml"]);
    has(&ended.stdout, "done\t");
}

#[test]
fn j9_a_clock_set_back_is_told_once_and_durations_across_it_are_left_out() {
    let place = with_job(SHORT_JOB);
    place.killed_after(2, &[], good);
    rewrite(&place.running_journal(), |mut reply| {
        reply.at += TimeDelta::hours(3);
        Some(reply)
    });
    place.run_exits(0, &["job.yaml"]);
    let dir = place.debates().remove(0);
    let live = trace_in(&dir);
    let told = incidents(&live, "clock");
    assert_eq!(told.len(), 1, "{told:?}");
    has(&told[0]["message"], "the clock was set back by 3.0 h or more between ");
    assert_eq!(live["timing"].get("total_ms"), None);
    let walls = [0, 1].map(|n| live["rounds"][n].get("wall_ms").is_some());
    assert_eq!(walls, [false, true], "the second round is of one clock again");
    has(&read(&dir.join("metadata.md")), "| duration | unknown |");
    has(&read(&dir.join("metadata.md")), " 1: unknown, 2: ");
    has(&read(&dir.join("summary.md")), "1 step back of the clock: ");
    place.rebut_exits(0, &["stats"]);
    // Its journal alone says the same.
    std::fs::remove_dir_all(&dir).expect("removed");
    place.run_exits(0, &["job.yaml"]);
    let rebuilt = place.trace();
    let keys = ["incidents", "rounds", "timing", "statements"];
    assert_eq!(keys.map(|key| &rebuilt[key]), keys.map(|key| &live[key]));
}

#[test]
fn j9_a_journal_with_times_of_the_old_form_goes_on_and_new_times_have_three_digits() {
    let place = with_job(TINY_JOB);
    place.killed_after(2, &[], good);
    let path = place.running_journal();
    let old = |line: &str| {
        let mut entry: Value = serde_json::from_str(line).expect("JSON");
        let fields = entry.as_object_mut().expect("an object");
        fields.remove("sum");
        if let Some(at) = fields.get_mut("at") {
            let second = at.as_str().expect("a time").split('.').next().expect("a second");
            *at = json!(format!("{second}Z"));
        }
        entry["sum"] = json!(digest::of_json(&entry)[..16]);
        entry.to_string() + "\n"
    };
    let journal: String = read(&path).lines().map(old).collect();
    std::fs::write(&path, journal).expect("a journal");
    place.run_exits(0, &["job.yaml"]);
    let dir = place.debates().remove(0);
    let batch = list(&place.path().join("output/batches"));
    let batch = batch.into_iter().filter(|path| name_of(path).ends_with(".json"));
    let texts = ["trace.json", "events.jsonl", "index.md"].map(|name| dir.join(name));
    for path in texts.into_iter().chain(batch) {
        let text = read(&path);
        let times: Vec<&str> = text.split('"').filter(|it| is_time(it)).collect();
        assert!(!times.is_empty(), "{}", path.display());
        let odd: Vec<_> = times.iter().filter(|it| it.len() != TIME.len()).collect();
        assert!(odd.is_empty(), "{}: {odd:?}", path.display());
    }
}

/// The form of times in files.
const TIME: &str = "2026-12-01T02:03:04.005Z";

fn is_time(text: &str) -> bool {
    let shape = |text: &str| text.replace(|c: char| c.is_ascii_digit(), "0");
    text.ends_with('Z') && text.get(..19).is_some_and(|it| shape(it) == shape(&TIME[..19]))
}
