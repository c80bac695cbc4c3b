//! Rows J4, J10, A5 and N: the order in which things reach the disk, and disks that fail, are full, or hold something
//! else where a file or directory should be.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::{Command, Stdio};

use mock_ollama::{Answer, Call};
use rebut::journal::Entry;

use crate::fault_injector::Line;
use crate::harness::{
    Ended, Files, Kind, Place, TINY_JOB, blanked, copy, copy_of, each, end_of, entries_of, good,
    has, has_all, is, lacks, list, name_of, read, say, with_job,
};

/// The files that a job's only debate has, blanked, when nothing goes wrong.
fn unbroken(job: &str) -> Files {
    let place = Place::new();
    place.trace_of(job, &[]);
    blanked(&place.debates()[0])
}

fn is_journal(line: &Line) -> bool {
    line.path.starts_with(".rebut/running/") && line.path.ends_with(".jsonl")
}

/// What is said by a participant, in what a prompt or a journal holds; each statement of the mock server has its own number.
fn statements(text: &str) -> BTreeSet<&str> {
    let said = text.split("Number ").skip(1);
    said.map(|rest| rest.split('.').next().unwrap_or_default()).collect()
}

#[test]
fn a5_a_reply_is_written_then_synced_and_only_then_used() {
    let place = with_job(&format!("{TINY_JOB}repeat: 3\n"));
    let args = ["job.yaml", "--concurrency", "3", "--max-debates", "3"];
    place.run_injected(&args, "").exits(0);
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
    // Each prompt but the first holds what was said.
    assert!(used >= 3 * 5, "{used}");
}

#[test]
fn a5_each_line_of_a_journal_is_synced_before_the_next_request() {
    // With one judge no two calls are independent of each other.
    let place = with_job(&format!("{TINY_JOB}y: [{{}}, {{}}]\n"));
    place.run_injected(&["job.yaml"], "").exits(0);
    let calls = place.server.chats().len();
    let steps: Vec<String> = place.seen().iter().filter_map(step).collect();
    let expected: Vec<&str> = ["ask", "write", "written", "sync", "synced"].repeat(calls);
    let first = steps.iter().position(|step| step == "ask");
    assert_eq!(steps[first.expect("a request")..], expected);
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

/// The number of the operation by which a journal is synced so many times before.
fn nth_sync(place: &Place, n: usize) -> usize {
    let seen = place.seen().into_iter();
    let mut syncs = seen.filter(|l| l.what == "fdatasync" && l.begins);
    syncs.nth(n).expect("a sync").n
}

#[test]
fn a5_what_is_committed_is_synced_before_its_rename_and_its_new_name_after_it() {
    let place = with_job(TINY_JOB);
    place.run_injected(&["job.yaml"], "").exits(0);
    let seen = place.seen();
    let renames: Vec<&Line> = seen.iter().filter(|l| l.what == "rename" && l.begins).collect();
    // Snapshot, directory, journal, three lists.
    assert!(renames.len() >= 6, "{renames:?}");
    for rename in renames {
        let (before, after): (Vec<&Line>, Vec<&Line>) =
            seen.iter().partition(|line| line.n < rename.n);
        let folder = format!("{}/", rename.from);
        let below = |line: &Line| line.path == rename.from || line.path.starts_with(&folder);
        let makes = |line: &Line| ["create", "write", "mkdir"].contains(&&*line.what);
        for made in before.iter().filter(|l| l.begins && below(l) && makes(l)) {
            let mut later = before.iter().filter(|l| !l.begins && l.n > made.n);
            let is_synced = later
                .any(|l| l.what == "syncfs" || l.what.ends_with("sync") && l.path == made.path);
            assert!(is_synced, "{} is renamed before it is synced", made.path);
        }
        let holder = Path::new(&rename.path).parent().expect("a directory");
        let mut syncs = after.iter().filter(|l| l.what == "fsync");
        let synced = syncs
            .find(|l| l.n == rename.n + 1)
            .unwrap_or_else(|| panic!("no sync follows {rename:?}"));
        let is_its = Path::new(&synced.path).ends_with(holder);
        assert!(is_its, "{synced:?} follows {rename:?}");
    }
}

#[test]
fn j4_what_a_killed_run_wrote_and_did_not_sync_is_synced_before_it_is_relied_on() {
    let args = ["job.yaml", "--concurrency", "1"];
    let unbroken = with_job(TINY_JOB);
    unbroken.run_injected(&args, "");
    let fourth = nth_sync(&unbroken, 3);
    let place = with_job(TINY_JOB);
    let act = format!("kill before {fourth}");
    place.run_injected(&args, &act).exits(-1);
    place.seen();
    place.run_injected(&args, "").exits(0);
    let seen = place.seen();
    let is_ask = |l: &Line| step(l).as_deref() == Some("ask");
    let asked = seen.iter().position(is_ask).expect("a request");
    let is_synced = |l: &Line| is_journal(l) && l.what == "fsync" && !l.begins;
    assert!(seen[..asked].iter().any(is_synced));
}

/// What an error of the system is called.
fn words(error: &str) -> &'static str {
    match error {
        "ENOSPC" => "No space left on device",
        _ => "Input/output error",
    }
}

/// Of the operations of one kind on one sort of file, such as the writes of messages: the first, and every tenth.
fn of_every_kind(seen: Vec<Line>) -> Vec<Line> {
    let mut counts = BTreeMap::new();
    let is_taken = |line: &Line| {
        let sort = line.path.replace(|c: char| c.is_ascii_hexdigit(), "");
        let count = counts.entry((line.what.clone(), sort)).or_insert(0);
        *count += 1;
        *count == 1 || *count % 10 == 0
    };
    seen.into_iter().filter(is_taken).collect()
}

/// Lets one operation fail, or all from it on, and goes on afterwards.
fn fails_and_goes_on(act: &str, error: &str, line: &Line, expected: &Files) {
    let place = with_job(TINY_JOB);
    let failed = place.run_injected(&["job.yaml", "--outage-timeout", "0"], act);
    let said = failed.said();
    let about = format!("{act}, {} {}: {said}", line.what, line.path);
    assert!((0..=2).contains(&failed.code), "{about}");
    for wrong in ["panicked", "internal error (please report)"] {
        assert!(!said.contains(wrong), "{about}");
    }
    // A claim's file that stays harms nobody: it is not locked.
    let is_claim = |dir: &&str| line.path.contains(*dir);
    let claims = [".rebut/claims/", ".rebut/runs/"];
    // Nor does one without a note: it is locked.
    let noteless = error == "ENOSPC" && matches!(&*line.what, "write" | "ftruncate");
    let harmless = (noteless || line.what == "unlink") && claims.iter().any(is_claim);
    let is_told = said.contains(words(error)) && said.contains("output");
    assert!(harmless || is_told, "{about}");
    if failed.code == 0 && !harmless {
        let what = ["the lists", "the summary of this batch"];
        let is_named = |what: &&str| said.contains(&format!("cannot write {what}"));
        assert!(what.iter().any(is_named), "{about}");
    }
    for debate in place.debates() {
        assert!(blanked(&debate) == *expected, "{about}");
    }
    let again = place.run(&["job.yaml"]);
    assert_eq!(again.code, 0, "{about}\nthen {}", again.said());
    assert_eq!(place.debates().len(), 1, "{about}");
    assert!(blanked(&place.debates()[0]) == *expected, "{about}");
    for left in ["running", "staging"] {
        let left = list(&place.path().join("output/.rebut").join(left));
        assert!(left.is_empty(), "{left:?}: {about}");
    }
}

#[test]
fn n_each_file_operation_that_fails_is_told_with_path_and_cause_and_loses_nothing() {
    let place = with_job(TINY_JOB);
    place.run_injected(&["job.yaml"], "").exits(0);
    let expected = blanked(&place.debates()[0]);
    let seen: Vec<Line> = place.seen().into_iter().filter(|l| l.n > 0 && l.begins).collect();
    assert!(seen.len() > 80, "{} operations", seen.len());
    each(&of_every_kind(seen), |line| {
        let error = ["ENOSPC", "EIO"][line.n % 2];
        fails_and_goes_on(&format!("fail {error} {}", line.n), error, line, &expected);
        if line.n % 5 == 0 {
            let act = format!("fail ENOSPC from {}", line.n);
            fails_and_goes_on(&act, "ENOSPC", line, &expected);
        }
    });
}

#[test]
fn a5_a_reply_whose_sync_failed_is_not_used_then_or_later() {
    let unbroken = with_job(TINY_JOB);
    unbroken.run_injected(&["job.yaml"], "");
    // The journal's first lines are the header, the model's card and the first statement.
    let third = nth_sync(&unbroken, 2);
    let place = with_job(TINY_JOB);
    let act = format!("fail EIO {third}");
    let failed = place.run_injected(&["job.yaml"], &act).exits(1);
    let journal = relative_journal(&place);
    let told = format!("cannot append to {journal}: Input/output error");
    has(&failed.stdout, &told);
    assert_eq!(place.server.chats().len(), 1, "nothing is asked after it");
    // The next run would trust it.
    lacks(&read(&place.running_journal()), &["\"reply\""]);
    place.run_exits(0, &["job.yaml"]);
    let asked = place.server.chats().len();
    assert_eq!(asked, 1 + unbroken.server.chats().len());
}

fn relative_journal(place: &Place) -> String {
    let journal = place.running_journal();
    let below = journal.strip_prefix(place.path()).expect("below");
    below.display().to_string()
}

#[test]
fn j10_a_disk_that_fails_one_debate_does_not_stop_the_others() {
    let job = format!("{TINY_JOB}repeat: 3\n");
    let args = ["job.yaml", "--max-debates", "1"];
    let unbroken = with_job(&job);
    unbroken.run_injected(&args, "");
    let seen = unbroken.seen();
    let is_write = |l: &&Line| is_journal(l) && l.what == "write" && l.begins;
    let write = seen.iter().filter(is_write).nth(3).expect("a write");
    let place = with_job(&job);
    let act = format!("fail EIO {}", write.n);
    let failed = place.run_injected(&args, &act).exits(1);
    has(&failed.stderr, "2 done, 1 unfinished");
    place.run_exits(0, &["job.yaml"]);
    let asked = place.server.chats().len();
    assert_eq!(asked, unbroken.server.chats().len() + 1);
    // What is full may have room again, so that the run goes on by itself.
    let place = with_job(&job);
    let act = format!("fail ENOSPC {}", write.n);
    let full = place.run_injected(&args, &act).exits(0);
    let told = [FULL, "there is room on the disk again", "3 done"];
    has_all(&full.stderr, &told);
    assert_eq!(place.server.chats().len(), asked);
}

/// What is said of a full disk, once.
const FULL: &str = "the disk is full: debates are waiting until there is room again";

/// Statements of some kilobytes, so that the journal is the largest file.
fn long_winded(call: &Call) -> Answer {
    if !is(call, "*/statement/*") {
        return good(call);
    }
    let seed = call.option("seed").cloned().unwrap_or_default();
    let reasons = (0..80).map(|n| format!("Reason {n} of {seed} weighs more. "));
    Answer::text(reasons.collect::<String>()).chunks(4)
}

#[test]
fn n_a_full_disk_stops_the_debate_with_its_cause_and_room_lets_it_go_on() {
    let job = "topic: Should voting be compulsory?\nrounds: 12\n";
    let whole = with_job(job);
    whole.server.script(long_winded);
    whole.run_exits(0, &["job.yaml"]);
    // The limit of `ulimit -f`, in half kilobytes, is below the journal and above the snapshot of inputs.
    let place = with_job(job);
    place.server.script(long_winded);
    let full = limited(&place, "ulimit -c 0; ulimit -f 100;").exits(1);
    let journal = relative_journal(&place);
    let told = format!("cannot append to {journal}: File too large");
    has(&full.stdout, &told);
    goes_on(&place, &whole);
}

/// Runs the job behind some commands of the shell.
fn limited(place: &Place, before: &str) -> Ended {
    let rebut = env!("CARGO_BIN_EXE_rebut");
    let line = format!("{before} exec '{rebut}' run job.yaml");
    let mut shell = Command::new("sh");
    shell.args(["-c", &line]).current_dir(place.path());
    shell.env("OLLAMA_HOST", place.server.url());
    end_of(&mut shell)
}

/// The same command again does the rest, without asking again what is in the journal.
fn goes_on(place: &Place, whole: &Place) {
    place.run_exits(0, &["job.yaml"]);
    assert!(blanked(&place.debates()[0]) == blanked(&whole.debates()[0]));
    let (asked, needed) = (place.server.chats().len(), whole.server.chats().len());
    assert!(
        asked <= needed + 4,
        "{asked} calls in place of {needed}, with two at the server and two being written"
    );
}

/// A file system of its own, while it lives.
struct Mounted(std::path::PathBuf);

impl Mounted {
    /// None where mounting is not permitted.
    fn at(path: &Path, size: &str) -> Option<Self> {
        std::fs::create_dir_all(path).expect("a directory");
        let options = format!("size={size}");
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &options, "none"]).arg(path).stderr(Stdio::null());
        let mounted = mount.status().is_ok_and(|status| status.success());
        mounted.then(|| Self(path.to_owned()))
    }
}

impl Mounted {
    fn grow(&self) {
        let mut mount = Command::new("mount");
        let grown = mount.args(["-o", "remount,size=16m"]).arg(&self.0).status();
        assert!(grown.is_ok_and(|status| status.success()));
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

#[test]
fn n_a_small_disk_that_fills_up_is_told_and_nothing_is_lost_when_it_grows() {
    let whole = with_job(&format!("{TINY_JOB}repeat: 6\n"));
    whole.run_exits(0, &["job.yaml"]);
    let files = |place: &Place| {
        let debates = place.debates().into_iter();
        debates.map(|it| blanked(&it)).collect::<BTreeSet<_>>()
    };
    for size in ["64k", "160k", "320k"] {
        let place = with_job(&format!("{TINY_JOB}repeat: 6\n"));
        let Some(disk) = Mounted::at(&place.path().join("output"), size) else {
            say("SKIPPED: this process may not mount a tmpfs");
            return;
        };
        let full = place.run(&["job.yaml", "--concurrency", "1", "--outage-timeout", "0"]);
        let said = format!("{size}: {}", full.said());
        assert!((1..=2).contains(&full.code), "{said}");
        has(&said, "No space left on device");
        lacks(&said, &["panicked"]);
        disk.grow();
        place.run_exits(0, &["job.yaml", "--concurrency", "1"]);
        assert!(files(&place) == files(&whole), "{said}");
    }
}

#[test]
fn n_a_full_disk_is_waited_for_until_it_has_room_or_the_run_is_interrupted() {
    for grows in [true, false] {
        let place = with_job(&format!("{TINY_JOB}repeat: 6\n"));
        let Some(disk) = Mounted::at(&place.path().join("output"), "320k") else {
            say("SKIPPED: this process may not mount a tmpfs");
            return;
        };
        let mut run = place.start(&["job.yaml", "--concurrency", "2"]);
        run.hears(FULL);
        let ended = if grows {
            disk.grow();
            run.ends().exits(0)
        } else {
            run.signal("-INT");
            run.ends().exits(130)
        };
        assert_eq!(ended.stderr.matches(FULL).count(), 1, "{}", ended.stderr);
        let done = place.statuses().len();
        assert_eq!(done == 6, grows, "{done} done");
    }
}

#[test]
fn n_a_file_where_a_directory_should_be_is_named_and_out_of_the_way_all_goes_well() {
    for below in ["", "/.rebut", "/.rebut/running", "/.rebut/staging"] {
        let path = format!("output{below}");
        let place = with_job(TINY_JOB);
        let file = place.write(&path, "");
        let ended = place.run_exits(2, &["job.yaml"]);
        has_all(&ended.stderr, &["error: ", &path, "director"]);
        let chats = place.server.chats();
        assert!(chats.is_empty(), "{path}: nothing is asked in vain");
        std::fs::remove_file(file).expect("a file");
        place.run_exits(0, &["job.yaml"]);
    }
}

/// The directory that the journal of the only running debate names, below the output directory.
fn promised(place: &Place) -> String {
    match entries_of(&place.running_journal()).first() {
        Some(Entry::Debate(header)) => header.directory.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a5_what_stands_in_the_way_of_a_dated_directory_is_named_and_not_touched() {
    let expected = unbroken(TINY_JOB);
    for (is_file, is_day) in [(true, true), (true, false), (false, false)] {
        let place = with_job(TINY_JOB);
        place.killed_at(Kind::Clerk, &[]);
        let name = promised(&place);
        let day = name.split('/').next().expect("a day");
        let name = if is_day { day } else { &name };
        let in_the_way = place.path().join("output").join(name);
        let theirs = if is_file { in_the_way.clone() } else { in_the_way.join("notes.txt") };
        place.write(theirs.to_str().expect("UTF-8"), "mine");
        let ended = place.run_exits(1, &["job.yaml"]);
        has(&ended.said(), &format!("output/{name}"));
        assert_eq!(read(&theirs), "mine");
        let asked = place.server.chats().len();
        std::fs::rename(&in_the_way, place.path().join("aside")).expect("a rename");
        place.run_exits(0, &["job.yaml"]);
        // All replies were in the journal.
        assert_eq!(place.server.chats().len(), asked);
        assert!(blanked(&place.debates()[0]) == expected);
    }
}

#[test]
fn n_a_directory_that_may_not_be_written_to_is_named() {
    use std::os::unix::fs::PermissionsExt;
    let place = with_job(TINY_JOB);
    let closed = place.path().join("closed");
    std::fs::create_dir(&closed).expect("a directory");
    std::fs::set_permissions(&closed, PermissionsExt::from_mode(0o555)).expect("permissions");
    if std::fs::write(closed.join("probe"), "").is_ok() {
        say("SKIPPED: this user may write to read-only directories");
        return;
    }
    let ended = place.run_exits(2, &["job.yaml", "--output", "closed/output"]);
    has_all(&ended.stderr, &["closed/output", "Permission denied"]);
}

#[test]
fn j4_a_last_line_torn_at_any_byte_goes_on_and_asks_only_that_call_again() {
    let expected = unbroken(TINY_JOB);
    let place = with_job(TINY_JOB);
    place.killed_at(Kind::Clerk, &[]);
    let whole = std::fs::read(place.running_journal()).expect("a journal");
    let lines = &whole[..whole.len() - 1];
    let last = lines.iter().rposition(|b| *b == b'\n').expect("lines") + 1;
    let lengths: Vec<usize> =
        (last..whole.len()).step_by(29).chain([last + 1, whole.len() - 1]).collect();
    each(&lengths, |length| {
        let torn = with_job(TINY_JOB);
        copy(&place.path().join("output"), &torn.path().join("output"));
        std::fs::write(torn.running_journal(), &whole[..*length]).expect("a journal");
        torn.run_exits(0, &["job.yaml"]);
        assert!(blanked(&torn.debates()[0]) == expected, "torn at {length}");
        let journal = list(&torn.path().join("output/.rebut/journals")).remove(0);
        assert!(!entries_of(&journal).is_empty(), "torn at {length}");
        // The torn call, the clerk's notes and its story.
        assert_eq!(torn.server.chats().len(), 3, "torn at {length}");
    });
}

#[test]
fn j4_damage_in_a_journal_parks_that_debate_says_what_to_do_and_the_others_go_on() {
    let place = with_job(&format!("{TINY_JOB}repeat: 3\n"));
    place.killed_at(Kind::Clerk, &["--max-debates", "1"]);
    let journal = place.running_journal();
    let damaged = read(&journal).replacen("fairness", "unfairness", 1);
    std::fs::write(&journal, damaged).expect("a journal");
    let ended = place.run_exits(1, &["job.yaml"]);
    let id = &name_of(&journal)[..12];
    let path = relative_journal(&place);
    let told = format!("{path}:3: the journal is damaged here: its checksum does not match");
    has_all(&ended.stdout, &[&told, &format!("--restart --only {id}")]);
    assert_eq!(place.debates().len(), 2, "the others are done");
    place.run_exits(0, &["job.yaml", "--restart", "--only", id]);
    place.run_exits(0, &["job.yaml"]);
    assert_eq!(place.debates().len(), 3);
    let aside = list(&place.path().join("output/.rebut/replaced"));
    assert_eq!(aside.len(), 1, "the damaged one is kept");
}

#[test]
fn n_a_rating_on_a_full_disk_is_refused_with_the_way_out_and_is_given_again_when_there_is_room() {
    let rated = with_job(TINY_JOB);
    rated.run_exits(0, &["job.yaml"]);
    let rate = |place: &Place, rating: &str, act: &str| {
        let debate = place.debates().remove(0);
        place.injected(&["rate", &debate.display().to_string(), rating], act)
    };
    rate(&rated, "3", "").exits(0);
    rated.seen();
    let whole = copy_of(&rated);
    rate(&whole, "8", "").exits(0);
    let writes = whole.seen().into_iter().filter(|line| line.what == "write" && line.begins);
    let writes = of_every_kind(writes.collect());
    let has_rating = |place: &Place, ratings: &[u64]| {
        let label = &place.trace()["labels"][0];
        assert_eq!(label["name"], "rating");
        label["value"].as_u64().is_some_and(|rating| ratings.contains(&rating))
    };
    each(&writes, |line| {
        let place = copy_of(&rated);
        let act = format!("fail ENOSPC from {}", line.n);
        let full = rate(&place, "8", &act).exits(2);
        let about = format!("{act}, {}: {}", line.path, full.said());
        has_all(&full.stderr, &["No space left on device", "hint: make room and rate it again"]);
        lacks(&full.stdout, &["rated"]);
        assert!(has_rating(&place, &[3, 8]), "{about}");
        rate(&place, "8", "").exits(0);
        assert!(has_rating(&place, &[8]), "{about}");
        assert!(blanked(&place.debates()[0]) == blanked(&whole.debates()[0]), "{about}");
    });
}
