//! Row B3: what a batch leaves for the morning, and who is told of it.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use chrono::TimeDelta;
use mock_ollama::{Answer, Call};
use rebut::journal::{self, Entry};
use serde_json::Value;

use crate::harness::{
    Kind, Place, TINY_JOB, good, has, has_all, is, kind, lacks, list, name_of, read, shows,
    trace_in, with_job,
};
use crate::markdown::structure;

/// The files of the summaries, in order.
fn summaries(place: &Place) -> Vec<PathBuf> {
    list(&place.path().join("output/batches"))
}

/// The last batch's summary: for programs, and for people.
fn last(place: &Place) -> (Value, String) {
    let files = summaries(place);
    let [.., json, page] = &files[..] else {
        panic!("{files:?}");
    };
    let summary: Value = serde_json::from_str(&read(json)).expect("JSON");
    let schema = place.rebut(&["schema", "batch"]).stdout;
    let schema = serde_json::from_str(&schema).expect("JSON");
    let validator = jsonschema::validator_for(&schema).expect("a valid schema");
    assert!(validator.is_valid(&summary), "{summary:#}");
    (summary, read(page))
}

/// A sum over the calls of all debates.
fn summed(place: &Place, key: &str) -> u64 {
    let traces = place.debates().into_iter().map(|it| trace_in(&it));
    let of = |trace: Value| -> u64 {
        let calls = trace["calls"].as_array().expect("calls").iter();
        let answered = calls.filter(|call| call["outcome"] == "reply");
        answered.filter_map(|call| call[key].as_u64()).sum()
    };
    traces.map(of).sum()
}

/// X says nothing.
fn silent(call: &Call) -> Option<Answer> {
    is(call, "*/statement/position_x").then(|| Answer::text(""))
}

#[test]
fn b3_a_batch_leaves_a_summary_of_its_debates_own_numbers() {
    let place = with_job(&format!("{TINY_JOB}repeat: 3\n"));
    place.run_exits(0, &["job.yaml", "--limit", "2"]);
    place.reply_by(silent);
    place.run_exits(1, &["job.yaml"]);
    assert_eq!(summaries(&place).len(), 4);
    let (summary, page) = last(&place);
    shows!(summary, {
        "debates/done": 0, "debates/degraded": 1, "debates/finished_before": 2,
        "causes count": 1, "causes/0/standing": "degraded", "causes/0/debates": 1,
        "causes/0/cause": "llama3 gave no usable statement (empty reply)",
        "stopped_by": null, "next ends": "--retry degraded",
        "calls/failures": 3, "calls/retries": 2, "failed_tokens/reply": 0,
    });
    let failed = summary["failed_tokens"]["prompt"].as_u64().expect("a sum");
    assert!(failed > 0, "whole replies came");
    has(&page, "| tokens of failed attempts | ");
    has_all(&page, &["1 degraded in ", "; 2 finished before"]);
    has(&page, "| made again | 2 after a failure, ");
    let links = structure(&page, false).links;
    assert!(!links.is_empty());
    for link in links {
        let target = place.path().join("output/batches").join(&link);
        assert!(target.is_file(), "{link}");
    }

    let all = Place::new();
    all.write("job.yaml", &format!("{TINY_JOB}repeat: 3\n"));
    all.run_exits(0, &["job.yaml"]);
    let (summary, page) = last(&all);
    lacks(&page, &["made again"]);
    assert_eq!(summary["tokens"]["prompt"], summed(&all, "prompt_tokens"));
    assert_eq!(summary["tokens"]["reply"], summed(&all, "reply_tokens"));
    assert_eq!(summary["models"]["llama3"]["reply_ms"], summed(&all, "reply_ms"));
    assert_eq!(summary["calls"]["replies"], all.server.chats().len());
    shows!(summary, {"debates/done": 3, "done count": 3, "causes": [], "next": "rebut report"});
    let before = summaries(&all);
    all.run_exits(0, &["job.yaml"]);
    assert_eq!(summaries(&all), before, "a batch in which nothing ran");
}

/// Makes a journal as of a run whose clock was a year ahead.
fn a_year_ahead(path: &Path) {
    let journal = journal::parse(path, read(path).as_bytes()).expect("a journal");
    let later = |mut entry: Entry| {
        match &mut entry {
            Entry::Debate(_) => {}
            Entry::Reply(it) => it.at += TimeDelta::days(365),
            Entry::Failure(it) => it.at += TimeDelta::days(365),
            Entry::External(it) => it.at += TimeDelta::days(365),
        }
        journal::line(&entry) + "\n"
    };
    let lines = journal.entries.into_iter().map(later);
    fs::write(path, lines.collect::<String>()).expect("it is written");
}

#[cfg(unix)]
#[test]
fn b3_an_interrupted_batch_counts_the_calls_of_what_it_left_and_the_next_one_its_own() {
    let place = with_job(&format!("{TINY_JOB}repeat: 2\n"));
    let gate = place.hold_clerks();
    let run = place.start(&["job.yaml", "--max-debates", "1"]);
    place.wait_for_clerks(1);
    run.signal("-INT");
    gate.open();
    run.ends().exits(130);
    let kept = place.kept();
    let (summary, page) = last(&place);
    shows!(summary, {
        "debates/unfinished": 1, "debates/not_started": 1, "calls/replies": kept,
        "stopped_by": "an interrupt", "next contains": "rebut run --retry-delay 1ms job.yaml",
        "causes/0/standing": "unfinished", "causes/0/cause": "stopped before the end by an interrupt",
    });
    has(&page, "stopped by an interrupt");
    has(&page, &name_of(&place.running_journal())[..12]);
    a_year_ahead(&place.running_journal());
    place.server.script(good);
    place.run_exits(0, &["job.yaml"]);
    let (summary, page) = last(&place);
    let asked = place.server.chats().len();
    shows!(summary, {"debates/done": 2, "debates/resumed": 1, "calls/replies": asked - kept});
    has(&page, "1 of these debates began in an earlier batch");
}

#[cfg(unix)]
#[test]
fn b3_a_batch_that_is_stopped_at_once_counts_what_it_did_not_begin() {
    let place = with_job(&format!("{TINY_JOB}repeat: 4\n"));
    let held = AtomicUsize::new(0);
    place.reply_by(move |call| {
        let is_second = kind(call) == Kind::Clerk && held.fetch_add(1, Ordering::SeqCst) >= 1;
        is_second.then(Answer::hang)
    });
    let mut run = place.start(&["job.yaml", "--max-debates", "1"]);
    place.wait_for_clerks(2);
    run.signal("-INT");
    run.hears("press Ctrl-C again to stop now");
    run.signal("-INT");
    let ended = run.ends().exits(130);
    has(&ended.stderr, "1 done, 1 unfinished, 2 not started");
    let (summary, page) = last(&place);
    shows!(summary, {"debates/done": 1, "debates/unfinished": 1, "debates/not_started": 2});
    has(&page, "1 done, 1 unfinished, 2 not started in ");
}

/// One debate at a time, until the first reply has used all tokens up.
const CUT_SHORT: [&str; 6] = ["--max-tokens", "1", "--concurrency", "1", "--max-debates", "1"];

#[test]
fn b3_a_batch_says_whether_it_rehearsed_and_what_it_did_not_begin_counts_as_that() {
    let place = |flags: &[&str]| {
        let place = with_job(&format!("{TINY_JOB}repeat: 3\n"));
        place.run_exits(4, &[&["job.yaml"], &CUT_SHORT[..], flags].concat());
        place
    };
    let not_started = |place: &Place, flags: &[&str]| {
        let told = place.rebut(&[&["stats", "output", "--full"], flags].concat()).stdout;
        told.contains("not started 2 of 3 planned")
    };
    let with = &["--include-rehearsals"];
    // The flag's name is a part of another word.
    let played = place(&["--set", "tags.note=once --rehearse twice"]);
    shows!(last(&played).0, {"rehearsal": false});
    assert!(not_started(&played, &[]));
    let rehearsed = place(&["--rehearse"]);
    shows!(last(&rehearsed).0, {"rehearsal": true});
    assert!(!not_started(&rehearsed, &[]) && not_started(&rehearsed, with));
}

/// The command that prints the only debate, whichever is the newest when it is run.
fn show_only(place: &Place) -> String {
    let name = name_of(&place.debates()[0]);
    format!("rebut show {}", name.rsplit('_').next().expect("an id"))
}

#[test]
fn b3_the_next_step_after_a_rehearsal_shows_it() {
    for repeat in [1, 2] {
        let place = with_job(&format!("{TINY_JOB}repeat: {repeat}\n"));
        place.run_exits(0, &["job.yaml", "--rehearse"]);
        let (summary, page) = last(&place);
        let next = match repeat {
            1 => show_only(&place),
            _ => "rebut report --include-rehearsals".to_owned(),
        };
        shows!(summary, {"next": next});
        let made_up = "Its replies are made up or from a script, and so are its times.";
        has_all(&page, &[made_up, &next]);
        let words: Vec<&str> = next.split(' ').skip(1).collect();
        place.rebut_exits(0, &words);
    }
}

#[test]
fn b3_many_debates_make_no_long_page_and_one_cause_is_told_once() {
    let place = with_job(&format!("{TINY_JOB}repeat: 7\n"));
    place.reply_by(|call| (kind(call) == Kind::Ballot).then(|| Answer::text("No.")));
    place.run_exits(1, &["job.yaml", "--max-failures", "never"]);
    let (summary, page) = last(&place);
    shows!(summary, {
        "debates/degraded": 7, "causes count": 1, "causes/0/debates": 7,
        "causes/0/first count": 5,
    });
    has(&page, "and 2 more");
    assert_eq!(page.matches("\n  - [").count(), 5, "{page}");
}

#[test]
fn b3_what_is_left_unfinished_is_named_with_its_cause() {
    let place = with_job(&format!("{TINY_JOB}repeat: 2\ndefaults: {{model: absent}}\n"));
    place.run_exits(1, &["job.yaml"]);
    let (summary, page) = last(&place);
    shows!(summary, {
        "debates/unfinished": 2, "causes count": 1, "causes/0/standing": "unfinished",
        "causes/0/cause": "the server has no model absent", "next_first contains": "run `ollama pull absent`",
    });
    has_all(&page, &["**unfinished, 2 debates**", "(run 1)\n", "(run 2)\n"]);
    let shown = place.rebut_exits(0, &["status"]).stdout;
    has_all(&shown, &["\nfirst       run `ollama pull absent`", "\nnext        "]);
}

#[test]
fn a8_a_topic_breaks_no_line_of_a_summary() {
    let topic = "Is <b>this</b> | [safe](http://x) # **or** `not`?";
    let place = with_job(&format!("rounds: 1\nallow_explicit: true\ntopic: '{topic}'\n"));
    place.run_exits(0, &["job.yaml"]);
    let (_, page) = last(&place);
    let found = structure(&page, false);
    has(&found.text, topic);
    let leads_out = |link: &&String| !link.starts_with("../2");
    assert_eq!(found.links.iter().find(leads_out), None);
}

#[cfg(unix)]
#[test]
fn b3_a_command_is_told_at_the_end_and_changes_no_exit_code() {
    let place = with_job(TINY_JOB);
    place.run_exits(0, &["job.yaml", "--notify", "cat > told.md"]);
    assert_eq!(read(&place.path().join("told.md")), last(&place).1);
    let again = ["job.yaml", "--notify", "cat > told.md; echo said; exit 3"];
    let ended = place.run_exits(0, &again);
    has_all(&ended.stderr, &["said\n", "warning: --notify: the command failed (exit status: 3)"]);
    has(&read(&place.path().join("told.md")), "nothing to run");
    assert!(!ended.stdout.contains("said"));
    let all = summaries(&place);
    let names: Vec<String> = all.iter().map(|path| name_of(path)).collect();
    assert_eq!(names.len(), 2, "{names:?}");
}

#[test]
fn b3_the_last_batch_is_the_one_that_ended_last_whatever_their_dates_say() {
    let place = with_job(TINY_JOB);
    place.reply_by(silent);
    place.run_exits(1, &["job.yaml"]);
    for file in summaries(&place) {
        let ending = file.extension().expect("an ending");
        let ahead = file.with_file_name("2099-01-01T00-00-00").with_extension(ending);
        fs::rename(&file, ahead).expect("it is renamed");
    }
    has(&place.rebut_exits(0, &["status"]).stdout, "1 degraded in ");
    place.server.script(good);
    place.run_exits(0, &["job.yaml", "--retry", "degraded"]);
    let shown = place.rebut_exits(0, &["status"]).stdout;
    has_all(&shown, &["1 done in ", &show_only(&place)]);
    let read = |path: PathBuf| serde_json::from_str::<Value>(&read(&path)).expect("JSON");
    let files = summaries(&place).into_iter();
    let numbers: Vec<Value> = files
        .filter(|it| it.extension().is_some_and(|it| it == "json"))
        .map(|it| read(it)["number"].clone())
        .collect();
    assert_eq!(numbers, [2, 1]);
}

#[test]
fn a1_working_directories_that_are_removed_during_a_run_are_made_again() {
    let place = with_job(TINY_JOB);
    let gate = place.hold_clerks();
    let run = place.start(&["job.yaml"]);
    place.wait_for_clerks(1);
    for name in ["staging", "prompts", "journals", "swapping"] {
        let dir = place.path().join("output/.rebut").join(name);
        fs::remove_dir_all(dir).expect("it is removed");
    }
    gate.open();
    run.ends().exits(0);
    assert_eq!(place.statuses(), ["done"]);
}

#[test]
fn j11_lists_and_summaries_that_cannot_be_written_show_in_the_exit_code() {
    for (path, told) in [
        ("index.md/x", "cannot write the lists (`rebut index output` will): "),
        ("batches", "warning: cannot write the summary of this batch: "),
    ] {
        let place = with_job(TINY_JOB);
        let gate = place.hold_clerks();
        let run = place.start(&["job.yaml"]);
        place.wait_for_clerks(1);
        place.write(&format!("output/{path}"), "in the way");
        gate.open();
        let ended = run.ends().exits(2);
        has(&ended.stderr, told);
        assert_eq!(place.statuses(), ["done"]);
    }
}

/// All that is below a directory, as text.
fn everything_below(dir: &Path) -> String {
    let of = |path: PathBuf| {
        if path.is_dir() {
            everything_below(&path)
        } else {
            String::from_utf8_lossy(&fs::read(&path).expect("bytes")).into_owned()
        }
    };
    list(dir).into_iter().map(of).collect()
}

#[cfg(unix)]
#[test]
fn b3_no_file_of_a_batch_has_the_command_that_it_tells_at_the_end() {
    let place = with_job(&format!("{TINY_JOB}repeat: 2\n"));
    let key = "cat > told.md # s3cr3t";
    let joined = format!("--notify={key}");
    for (limit, notify) in [("1", &["--notify", key][..]), ("2", &[&joined])] {
        let flags = ["job.yaml", "--limit", limit];
        place.run_exits(0, &[&flags, notify].concat());
        let (summary, page) = last(&place);
        let command = summary["command"].as_str().expect("a command");
        has_all(command, &["--notify", "…", &format!("--limit {limit}")]);
        let told = read(&place.path().join("told.md"));
        assert_eq!(told, page);
        let shown = place.rebut_exits(0, &["status"]).stdout;
        lacks(&(everything_below(&place.path().join("output")) + &told + &shown), &["s3cr3t"]);
    }
    let place = with_job(&format!("{TINY_JOB}repeat: 2\n"));
    place.reply_by(silent);
    // What is printed is often kept in a log.
    let ended = place.run_exits(1, &["job.yaml", "--notify", "true # s3cr3t"]);
    lacks(&ended.said(), &["s3cr3t"]);
    has(&ended.stderr, "job.yaml --retry degraded\n");
    let (summary, _) = last(&place);
    let next = summary["next"].as_str().expect("a command");
    lacks(next, &["--notify", "…"]);
    has_all(next, &["job.yaml", "--retry degraded"]);
    has(summary["next_does"].as_str().expect("words"), "; add --notify again");
    let again: Vec<&str> = next.split(' ').skip(1).collect();
    place.rebut_exits(1, &again);
    lacks(&everything_below(&place.path().join("output")), &["s3cr3t"]);
}
