//! Rows J4, J10, A5 and N: the order in which things reach the disk, and disks that fail, are full, or hold something
//! else where a file or directory should be.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use rebut::journal::{self, Entry};
use stand_in::Answer;

use crate::harness::{Ended, Kind, Place, SHORT_JOB, blanked, ended, good, kind, list, read};
use crate::witness::Line;

/// A debate of one round; explicit topics are allowed because loading the filter takes half of such a run's time.
const TINY_JOB: &str = "topic: Should voting be compulsory?\nrounds: 1\nallow_explicit: true\n";

/// Does something with every item, on as many threads as there are processors.
fn each<T: Sync>(items: &[T], work: impl Fn(&T) + Sync) {
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(|| {
                while let Some(item) = items.get(next.fetch_add(1, Ordering::SeqCst)) {
                    work(item);
                }
            });
        }
    });
}

fn at(path: &str, job: &str) -> Place {
    let place = Place::new();
    place.write(path, job);
    place
}

/// The files that a job's only debate has, blanked, when nothing goes wrong.
fn unbroken(job: &str) -> std::collections::BTreeMap<String, String> {
    let place = Place::new();
    place.trace_of(job, &[]);
    blanked(&place.debates()[0])
}

fn is_journal(line: &Line) -> bool {
    line.path.starts_with(".rebut/running/") && line.path.ends_with(".jsonl")
}

/// What is said by a participant, in what a prompt or a journal holds; each statement of the stand-in has its own number.
fn statements(text: &str) -> BTreeSet<&str> {
    let said = text.split("Number ").skip(1);
    said.map(|rest| rest.split('.').next().unwrap_or_default())
        .collect()
}

#[test]
fn a5_a_reply_is_written_then_synced_and_only_then_used() {
    let place = at(
        "job.yaml",
        &format!("{TINY_JOB}rounds_: 0\n").replace("rounds_: 0\n", "repeat: 3\n"),
    );
    assert_eq!(
        place
            .run_witnessed(&["job.yaml", "--at-once", "3", "--max-open", "3"], "")
            .code,
        0
    );
    let (mut written, mut on_disk, mut used) = (BTreeSet::new(), BTreeSet::new(), 0);
    let seen = place.seen();
    for line in &seen {
        match (line.what.as_str(), line.begins) {
            ("write", false) => {}
            ("write", true) if is_journal(line) => {
                let said = statements(&line.rest).into_iter();
                written.extend(said.map(|said| (line.path.as_str(), said)));
            }
            ("fdatasync", false) if is_journal(line) => {
                assert_eq!(line.rest, "= 0");
                let synced = written.iter().filter(|(path, _)| *path == line.path);
                on_disk.extend(synced.map(|(_, said)| *said));
            }
            ("send", _) => {
                for said in statements(&line.rest) {
                    used += 1;
                    assert!(on_disk.contains(said), "used before it was on disk: {said}");
                }
            }
            _ => {}
        }
    }
    assert!(
        used >= 3 * 5,
        "each prompt but the first holds what was said: {used}"
    );
}

#[test]
fn a5_each_line_of_a_journal_is_synced_before_the_next_request() {
    let place = at("job.yaml", TINY_JOB);
    assert_eq!(
        place
            .run_witnessed(&["job.yaml", "--at-once", "1"], "")
            .code,
        0
    );
    let steps: Vec<String> = place.seen().iter().filter_map(step).collect();
    let expected: Vec<&str> = std::iter::repeat_n(["ask", "write", "written", "sync", "synced"], 6)
        .flatten()
        .collect();
    let first = steps
        .iter()
        .position(|step| step == "ask")
        .expect("a request");
    assert_eq!(steps[first..first + expected.len()], expected);
}

/// A step of one call after another: asked, written down, on disk.
fn step(line: &Line) -> Option<String> {
    let step = match (line.what.as_str(), line.begins) {
        ("send", _) if line.rest.starts_with("\"POST /api/chat") => "ask",
        ("write", true) if is_journal(line) => "write",
        ("write", false) if is_journal(line) => "written",
        ("fdatasync", true) if is_journal(line) => "sync",
        ("fdatasync", false) if is_journal(line) => "synced",
        _ => return None,
    };
    Some(step.to_owned())
}

#[test]
fn a5_what_is_published_is_synced_before_its_rename_and_its_new_name_after_it() {
    let place = at("job.yaml", TINY_JOB);
    assert_eq!(place.run_witnessed(&["job.yaml"], "").code, 0);
    let seen = place.seen();
    let renames: Vec<&Line> = seen
        .iter()
        .filter(|l| l.what == "rename" && l.begins)
        .collect();
    assert!(
        renames.len() >= 6,
        "snapshot, directory, journal, three lists: {renames:?}"
    );
    for rename in renames {
        let (before, after): (Vec<&Line>, Vec<&Line>) =
            seen.iter().partition(|line| line.n < rename.n);
        let below = |line: &Line| {
            line.path == rename.from || line.path.starts_with(&format!("{}/", rename.from))
        };
        for made in before.iter().filter(|l| l.begins && below(l)) {
            let target = match made.what.as_str() {
                "create" | "write" | "mkdir" => made.path.as_str(),
                _ => continue,
            };
            let synced = |l: &&&Line| {
                !l.begins && l.n > made.n && l.path == target && l.what.ends_with("sync")
            };
            assert!(
                before.iter().any(|l| synced(&l)),
                "{target} is renamed before it is synced"
            );
        }
        let holder = Path::new(&rename.path).parent().expect("a directory");
        let synced = after
            .iter()
            .find(|l| l.n == rename.n + 1 && l.what == "fsync");
        let synced = synced.unwrap_or_else(|| panic!("no sync follows {rename:?}"));
        assert!(
            Path::new(&synced.path).ends_with(holder),
            "{synced:?} follows {rename:?}"
        );
    }
}

#[test]
fn j4_what_a_killed_run_wrote_and_did_not_sync_is_synced_before_it_is_relied_on() {
    let place = at("job.yaml", TINY_JOB);
    let unbroken = at("job.yaml", TINY_JOB);
    unbroken.run_witnessed(&["job.yaml", "--at-once", "1"], "");
    let syncs: Vec<Line> = unbroken
        .seen()
        .into_iter()
        .filter(|l| l.what == "fdatasync" && l.begins)
        .collect();
    let killed = place.run_witnessed(
        &["job.yaml", "--at-once", "1"],
        &format!("kill before {}", syncs[3].n),
    );
    assert_eq!(killed.code, -1);
    place.seen();
    assert_eq!(
        place
            .run_witnessed(&["job.yaml", "--at-once", "1"], "")
            .code,
        0
    );
    let seen = place.seen();
    let asked = seen
        .iter()
        .position(|l| step(l).as_deref() == Some("ask"))
        .expect("a request");
    let synced = seen
        .iter()
        .position(|l| is_journal(l) && l.what == "fsync" && !l.begins);
    assert!(synced.is_some_and(|synced| synced < asked));
}

/// What an error of the system is called.
fn words(error: &str) -> &'static str {
    match error {
        "ENOSPC" => "No space left on device",
        _ => "Input/output error",
    }
}

/// Lets one operation fail, or all from it on, and goes on afterwards.
fn fails_and_goes_on(
    act: &str,
    error: &str,
    line: &Line,
    expected: &std::collections::BTreeMap<String, String>,
) {
    let place = at("job.yaml", TINY_JOB);
    let failed = place.run_witnessed(&["job.yaml"], act);
    let said = format!("{}{}", failed.stdout, failed.stderr);
    let about = format!("{act}, {} {}: {said}", line.what, line.path);
    assert!(
        (0..=2).contains(&failed.code),
        "exit {}: {about}",
        failed.code
    );
    assert!(
        !said.contains("panicked") && !said.contains("a mistake in rebut"),
        "{about}"
    );
    assert!(
        said.contains(words(error)) && said.contains("output"),
        "{about}"
    );
    if failed.code == 0 {
        assert!(said.contains("the lists could not be written"), "{about}");
    }
    for debate in place.debates() {
        assert!(blanked(&debate) == *expected, "{about}");
    }
    let again = place.run(&["job.yaml"]);
    assert_eq!(
        again.code, 0,
        "{about}\nthen {}{}",
        again.stdout, again.stderr
    );
    assert!(
        place.debates().len() == 1 && blanked(&place.debates()[0]) == *expected,
        "{about}"
    );
    for left in ["running", "staging"] {
        assert!(
            list(&place.path().join("output/.rebut").join(left)).is_empty(),
            "{left}: {about}"
        );
    }
}

#[test]
fn n_each_file_operation_that_fails_is_told_with_path_and_cause_and_loses_nothing() {
    let place = at("job.yaml", TINY_JOB);
    assert_eq!(place.run_witnessed(&["job.yaml"], "").code, 0);
    let expected = blanked(&place.debates()[0]);
    let seen: Vec<Line> = place
        .seen()
        .into_iter()
        .filter(|l| l.n > 0 && l.begins)
        .collect();
    each(&seen, |line| {
        let error = ["ENOSPC", "EIO"][line.n % 2];
        fails_and_goes_on(&format!("fail {error} {}", line.n), error, line, &expected);
        if line.n % 5 == 0 {
            fails_and_goes_on(
                &format!("fail ENOSPC from {}", line.n),
                "ENOSPC",
                line,
                &expected,
            );
        }
    });
}
