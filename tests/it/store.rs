//! Attacks on the store, by the names of `attacks.md`: output directories from somebody else, journals that are another debate's,
//! strange and lost directories, claims that are cleared away, pipes and links where files should be.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use mock_ollama::Answer;
use rebut::id::DebateId;
use rebut::plan::cells;
use rebut::templates::Templates;

use crate::harness::{
    Place, TINY_JOB, blanked, copy, debates_in, entries_of, good, has, has_all, lacks, list,
    loaded_job, name_of, read, shows, trace_in, with_job,
};

const PRECIOUS: &str = "precious";

/// A job of two debates.
const TWICE: &str =
    "topic: Should voting be compulsory?\nrounds: 1\nallow_explicit: true\nrepeat: 2\n";

/// A place whose only debate is done.
fn played() -> Place {
    let place = with_job(TINY_JOB);
    place.run_exits(0, &["job.yaml"]);
    place
}

/// The ids of the job's debates, in order.
fn ids(place: &Place) -> Vec<DebateId> {
    let templates = Templates::load(None).expect("templates");
    let job = loaded_job(&place.path().join("job.yaml"), &templates).expect("a job");
    cells::debates(&job, &templates, false).map(|plan| plan.id).collect()
}

fn state(place: &Place, name: &str) -> PathBuf {
    place.path().join("output/.rebut").join(name)
}

fn journal(place: &Place, kept: &str, id: &DebateId) -> PathBuf {
    state(place, kept).join(format!("{id}.jsonl"))
}

/// A file of the user's, outside of any output directory.
fn precious(place: &Place) -> PathBuf {
    place.write("theirs/prec", PRECIOUS)
}

fn is_untouched(place: &Place) {
    let theirs = list(&place.path().join("theirs"));
    let names: Vec<String> = theirs.iter().map(|path| name_of(path)).collect();
    assert_eq!(names, ["prec"]);
    assert_eq!(read(&theirs[0]), PRECIOUS);
}

fn fifo(path: &Path) {
    fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
    let made = Command::new("mkfifo").arg(path).status();
    assert!(made.expect("mkfifo").success());
}

#[test]
fn a3_an_id_from_elsewhere_names_no_file() {
    let place = with_job(TINY_JOB);
    let theirs = precious(&place);
    let (up, absolute) = ("../../../theirs/prec", theirs.display().to_string());
    for (name, id) in [
        ("x", up),
        ("2026-01-01T00-00-00_job_4643434fbc68", up),
        ("2026-01-01T00-00-00_job_4643434fbc69", &absolute),
    ] {
        let index = format!(
            "---\nid: \"{id}\"\nstatus: \"done\"\nrehearsal: false\ntopic: \"t\"\njob: \"job\"\noutcome: null\ncause: null\n---\n"
        );
        place.write(&format!("output/.rebut/swapping/{name}/index.md"), &index);
        place.write(&format!("output/2026-01-01/{name}/index.md"), &index);
    }
    for command in ["index", "run job.yaml --rehearse", "show 4643"] {
        let ended = place.rebut(&command.split(' ').collect::<Vec<_>>());
        assert!(ended.code < 3, "{}", ended.said());
        lacks(&ended.stderr, &["panicked"]);
        is_untouched(&place);
    }
    // The rehearsal, and theirs stay where they are.
    assert_eq!(place.debates().len(), 4);
}

#[test]
fn a3_a_journal_leads_to_no_directory_but_its_debates_own() {
    for directory in ["../theirs", "", ".", "2026-01-01/../../theirs", "/tmp"] {
        let place = with_job(TINY_JOB);
        precious(&place);
        let other = place.write("output/.rebut/staging/other/f", PRECIOUS);
        place.killed_while("round-*/clerk", &[]);
        let path = place.running_journal();
        let mut entries = entries_of(&path);
        if let Some(rebut::journal::Entry::Debate(header)) = entries.first_mut() {
            header.directory = directory.to_owned();
        }
        let line = |entry| rebut::journal::line(entry) + "\n";
        fs::write(&path, entries.iter().map(line).collect::<String>()).expect("a journal");
        let ended = place.run_exits(1, &["job.yaml"]);
        let cause = "jsonl:1: the journal is damaged here: its directory is not this debate's";
        has_all(&ended.stdout, &[cause, "--restart --only "]);
        assert_eq!(read(&other), PRECIOUS);
        is_untouched(&place);
    }
}

#[test]
fn a3_no_link_is_followed_below_the_working_state() {
    let below =
        "/claims /running /swapping /staging /replaced /inputs /journals /prompts /embeddings";
    for name in [""].into_iter().chain(below.split(' ')) {
        let name = format!("output/.rebut{name}");
        let place = played();
        precious(&place);
        let link = place.path().join(&name);
        fs::remove_dir_all(&link).ok();
        symlink(place.path().join("theirs"), &link).expect("a link");
        place.write("other.yaml", "topic: Should cities be smaller?\nrounds: 1\n");
        let ended = place.run_exits(2, &["other.yaml"]);
        has(&ended.stderr, &format!("{name}: it is a link"));
        let debate = place.debates().remove(0).display().to_string();
        for command in [&["index"][..], &["stats"], &["render", &debate], &["rate", &debate, "7"]] {
            lacks(&place.rebut(command).stderr, &["panicked"]);
        }
        is_untouched(&place);
    }
}

#[test]
fn a3_a_link_in_the_place_of_a_file_of_ours_is_that_debates_own_fate() {
    for kept in ["claims", "running", "journals"] {
        let place = with_job(TWICE);
        let theirs = precious(&place);
        let id = &ids(&place)[0];
        let link = match kept {
            "claims" => state(&place, kept).join(&**id),
            _ => journal(&place, kept, id),
        };
        fs::create_dir_all(state(&place, kept)).expect("a directory");
        symlink(&theirs, &link).expect("a link");
        // What is no claim's name is none of ours.
        fs::create_dir_all(state(&place, "claims")).expect("a directory");
        symlink(&theirs, state(&place, "claims").join("any")).expect("a link");
        let ended = place.run_exits(1, &["job.yaml"]);
        assert_eq!(place.debates().len(), 1, "{kept}");
        has(&ended.stdout, "it is a link");
        is_untouched(&place);
        fs::remove_file(link).expect("a link");
        place.run_exits(0, &["job.yaml"]);
    }
}

#[test]
fn a3_rendering_and_lists_follow_no_link() {
    let place = played();
    precious(&place);
    let debate = place.debates().remove(0);
    let messages = debate.join("messages");
    let aside = place.path().join("messages");
    fs::rename(&messages, &aside).expect("a directory");
    symlink(place.path().join("theirs"), &messages).expect("a link");
    let debate = debate.display().to_string();
    for command in [&["render", &debate][..], &["rate", &debate, "8"]] {
        let ended = place.rebut_exits(2, command);
        has(&ended.stderr, "messages: it is a link");
        is_untouched(&place);
    }
    // A day that leads elsewhere, where a page of lists would be removed or written.
    let page = place.write("elsewhere/index-2.md", PRECIOUS);
    let elsewhere = place.path().join("elsewhere");
    symlink(&elsewhere, place.path().join("output/2026-01-01")).expect("a link");
    let ended = place.rebut_exits(1, &["index"]);
    has(&ended.stderr, "output/2026-01-01 is a link and is not followed");
    assert_eq!(list(&elsewhere), [page]);
}

/// Stops a run of two debates in its first clerk's call, so that both have journals.
fn two_begun() -> (Place, [DebateId; 2]) {
    let place = with_job(TWICE);
    place.reply([("round-*/clerk", Answer::hang())]);
    let run = place.start(&["job.yaml", "--max-debates", "2"]);
    place.wait_for_clerks(2);
    run.kill();
    place.server.script(good);
    let ids = ids(&place).try_into().expect("two debates");
    (place, ids)
}

#[test]
fn b4_a_journal_that_is_another_debates_parks_the_debate_and_harms_nobody() {
    let (place, [first, second]) = two_begun();
    let [own, copied] = [&first, &second].map(|id| journal(&place, "running", id));
    let aside = place.path().join("aside.jsonl");
    fs::rename(&copied, &aside).expect("a journal");
    fs::copy(&own, &copied).expect("a copy");
    let ended = place.run_exits(1, &["job.yaml", "--max-debates", "2"]);
    assert_eq!(place.debates().len(), 1, "{}", ended.said());
    let told = format!(
        "output/.rebut/running/{second}.jsonl is the journal of another debate, {first}. Restore its own journal, or start the debate over with --restart --only {}",
        second.short()
    );
    has(&ended.stdout, &told);
    assert_eq!(trace_in(&place.debates()[0])["id"], *first);
    place.rebut_exits(2, &["show", second.short(), "calls"]);
    fs::rename(aside, copied).expect("a journal");
    place.run_exits(0, &["job.yaml"]);
    assert_eq!(place.debates().len(), 2);
}

#[test]
fn b4_journals_that_were_swapped_tell_of_no_debate() {
    let (place, [first, second]) = two_begun();
    let aside = place.path().join("aside.jsonl");
    let swap = |kept: &str| {
        let [one, other] = [&first, &second].map(|id| journal(&place, kept, id));
        for (from, to) in [(&one, &aside), (&other, &one), (&aside, &other)] {
            fs::rename(from, to).expect("a journal");
        }
    };
    let told = "is the journal of another debate";
    swap("running");
    let asked = place.server.chats().len();
    let ended = place.run_exits(1, &["job.yaml"]);
    assert_eq!(ended.stdout.matches(told).count(), 2);
    assert_eq!(place.server.chats().len(), asked);
    assert_eq!(place.debates().len(), 0);
    swap("running");
    place.run_exits(0, &["job.yaml"]);
    swap("journals");
    let ended = place.rebut_exits(2, &["show", first.short(), "calls"]);
    has(&ended.stderr, told);
}

#[test]
fn b4_a_snapshot_that_is_missing_or_anothers_parks_the_debate_with_what_to_do() {
    let place = with_job(TINY_JOB);
    place.killed_while("round-*/clerk", &[]);
    let snapshot = list(&state(&place, "inputs")).remove(0);
    let aside = place.path().join("aside.json");
    fs::rename(&snapshot, &aside).expect("a snapshot");
    let ended = place.run_exits(1, &["job.yaml"]);
    let path = snapshot.strip_prefix(place.path()).expect("below").display();
    let told = format!(
        "{path}: cannot use the snapshot of the debate's inputs: it is missing. Restore a sound copy of that file, or start the debate over with --restart --only "
    );
    has(&ended.stdout, &told);
    fs::rename(&aside, &snapshot).expect("a snapshot");
    place.run_exits(0, &["job.yaml"]);
}

/// Takes lines out of a debate's front matter, or changes them.
fn edit_front(debate: &Path, edit: impl Fn(&str) -> Option<String>) {
    let index = debate.join("index.md");
    let lines = read(&index);
    let lines = lines.lines().filter_map(edit).map(|line| line + "\n");
    fs::write(&index, lines.collect::<String>()).expect("an index");
}

#[test]
fn a5_what_a_front_matter_lacks_is_taken_from_the_trace_and_stops_no_list() {
    for key in "outcome id topic job status rehearsal cause".split(' ') {
        let place = with_job(TWICE);
        place.run_exits(0, &["job.yaml"]);
        let lines = || read(&place.path().join("output/index.jsonl"));
        let (whole, asked) = (lines(), place.server.chats().len());
        let strange = place.debates().remove(0);
        let lost = format!("{key}: ");
        edit_front(&strange, |line| (!line.starts_with(&lost)).then(|| line.to_owned()));
        place.rebut_exits(0, &["index"]);
        assert_eq!(lines(), whole, "{key}");
        let ended = place.run_exits(0, &["job.yaml"]);
        assert_eq!(place.server.chats().len(), asked, "{key}: {}", ended.said());
        has(&ended.stderr, "2 finished before");
    }
}

#[test]
fn a5_a_directory_that_says_nothing_of_itself_is_named_and_the_others_are_listed() {
    let place = with_job(TWICE);
    place.run_exits(0, &["job.yaml"]);
    let strange = place.debates().remove(0);
    fs::remove_file(strange.join("trace.json")).expect("a trace");
    edit_front(&strange, |line| {
        let other = line.replace("status: \"done\"", "status: \"excellent\"");
        (!line.starts_with("outcome: ")).then_some(other)
    });
    let name = name_of(&strange);
    let ended = place.rebut_exits(1, &["index"]);
    has(&ended.stderr, &format!("{name} is not listed"));
    let lines = read(&place.path().join("output/index.jsonl"));
    assert_eq!(lines.lines().count(), 1);
    let asked = place.server.chats().len();
    let ended = place.run_exits(1, &["job.yaml"]);
    has(&ended.stdout, &format!("{name} is in the way"));
    let told = "not listed, because neither index.md nor trace.json is readable: ";
    has(&ended.stderr, told);
    assert_eq!(place.server.chats().len(), asked, "the journal has it all");
    fs::rename(&strange, place.path().join("aside")).expect("a directory");
    place.run_exits(0, &["job.yaml"]);
    assert_eq!(place.debates().len(), 2);
    assert_eq!(place.server.chats().len(), asked);
}

#[test]
fn a5_a_lost_directory_is_made_anew_from_its_journal_and_nothing_is_asked() {
    let losses: [fn(&Path); 3] = [
        |debate| fs::remove_dir_all(debate).expect("a directory"),
        |debate| fs::rename(debate, debate.with_file_name("mine")).expect("a name"),
        |debate| {
            fs::remove_dir_all(debate).expect("a directory");
            fs::create_dir(debate).expect("a directory");
        },
    ];
    for lose in losses {
        let place = played();
        let debate = place.debates().remove(0);
        place.rebut_exits(0, &["rate", &debate.display().to_string(), "8"]);
        let (whole, asked) = (blanked(&debate), place.server.chats().len());
        let journals = list(&state(&place, "journals"));
        let kept = read(&journals[0]);
        lose(&debate);
        let check = place.rebut(&["check", "job.yaml"]);
        shows!(check, {"stdout starts": "to rebuild\t"});
        let ended = place.run_exits(0, &["job.yaml"]);
        assert_eq!(place.server.chats().len(), asked, "nothing is asked");
        let missing = "directories of finished debates are missing (such as ";
        has(&ended.stderr, missing);
        assert!(blanked(&debate) == whole, "the rating too");
        assert_eq!(list(&state(&place, "journals")), journals);
        assert_eq!(read(&journals[0]), kept);
        has(&place.run(&["job.yaml"]).stderr, "1 finished before");
    }
}

#[test]
fn a5_a_kept_journal_is_never_overwritten() {
    let place = played();
    let kept = list(&state(&place, "journals")).remove(0);
    let damaged = read(&kept).replacen("fairness", "unfairness", 1);
    fs::write(&kept, &damaged).expect("a journal");
    fs::remove_dir_all(place.debates().remove(0)).expect("a directory");
    let asked = place.server.chats().len();
    let ended = place.run_exits(1, &["job.yaml"]);
    assert_eq!(place.server.chats().len(), asked, "{}", ended.said());
    has(&ended.stdout, "the journal is damaged here");
    assert_eq!(read(&kept), damaged);
    place.run_exits(0, &["job.yaml", "--restart"]);
    let mut aside = list(&state(&place, "replaced"));
    aside.retain(|path| path.extension().is_some_and(|ending| ending == "jsonl"));
    assert_eq!(aside.len(), 1);
    assert_eq!(read(&aside[0]), damaged);
}

#[test]
fn s1_a_trace_that_is_missing_is_told_of() {
    let place = played();
    let debate = place.debates().remove(0);
    let (whole, asked) = (blanked(&debate), place.server.chats().len());
    fs::remove_file(debate.join("trace.json")).expect("a trace");
    let ended = place.run_exits(0, &["job.yaml"]);
    let told = format!("{} has no trace.json", name_of(&debate));
    has(&ended.stderr, &told);
    fs::rename(&debate, place.path().join("aside")).expect("a directory");
    place.run_exits(0, &["job.yaml"]);
    assert!(blanked(&debate) == whole && place.server.chats().len() == asked);
}

#[test]
fn s1_a_debate_that_has_lost_its_trace_counts_as_damaged() {
    let place = with_job(TWICE);
    place.run_exits(0, &["job.yaml"]);
    let [first, second] = &place.debates()[..] else { panic!("two debates") };
    fs::remove_file(first.join("trace.json")).expect("a trace");
    for args in [
        &["stats", "output", "--strict"][..],
        &["report", "output", "--strict", "-o", "report.html"],
        &["export", "output", "--strict", "--to", "csv"],
        &["export", "output", "--strict", "--to", "script"],
    ] {
        let ended = place.rebut_exits(1, args);
        has_all(&ended.stderr, &["trace.json", "1 file could not be read"]);
    }
    shows!(place.found(&[]), {"counts/counted": 1, "counts/planned": 2, "counts/damaged": 1, "counts/unfinished": 0});
    let told = place.rebut_exits(0, &["stats"]).stdout;
    has(&told, "1 file that cannot be read is not counted.");
    for named in [first.clone(), first.join("trace.json")] {
        let told = place.rebut_exits(2, &["show", &named.display().to_string()]).stderr;
        has_all(&told, &["trace.json: No such file", "hint: to rebuild a debate from its journal"]);
    }
    // A copy in which another one lost it has no further debates, nor has a directory that is no debate's.
    let copied = place.path().join("copied");
    copy(&place.path().join("output"), &copied);
    let lost = debates_in(&copied).into_iter().find(|dir| dir.ends_with(name_of(second)));
    fs::remove_file(lost.expect("a copy").join("trace.json")).expect("a trace");
    fs::create_dir(copied.join("notes_1")).expect("a directory");
    fs::write(copied.join("notes_1/trace.json"), "{").expect("a file");
    shows!(place.found(&["copied"]), {"counts/counted": 1, "counts/planned": 2, "counts/damaged": 4});
    // Without a journal, nobody is told to rebuild it from that.
    place.rebut_exits(0, &["clean", "--older", "0s"]);
    let ended = place.run_exits(0, &["job.yaml"]);
    has(&ended.stderr, "its journal is gone too: `--restart --only ");
    let ended = place.rebut_exits(2, &["export", "output", "--to", "script"]);
    has(&ended.stderr, "its replies are gone (`rebut clean` removes them");
    fs::write(second.join("trace.json"), "{").expect("a file");
    let ended = place.rebut_exits(2, &["show", &second.display().to_string()]);
    has(&ended.stderr, "hint: there is no journal to rebuild a debate from");
}

#[test]
fn b4_claims_that_are_cleared_away_under_a_run_double_no_call_and_no_debate() {
    let place = with_job(TWICE);
    let gate = place.hold_clerks();
    let first = place.start(&["job.yaml", "--max-debates", "2"]);
    place.wait_for_clerks(2);
    let asked = place.server.chats().len();
    for claim in list(&state(&place, "claims")) {
        fs::remove_file(claim).expect("a claim");
    }
    let mut second = place.start(&["job.yaml", "--max-debates", "2"]);
    let told = "another rebut (whose claim was removed) is running some";
    has(second.hears("waiting for it"), told);
    gate.open();
    let first = first.ends().exits(1);
    second.ends().exits(0);
    let parked = "its claim was removed while it ran, so another rebut may be running it";
    assert_eq!(first.stdout.matches(parked).count(), 2, "{}", first.said());
    let stories = place.asked("end/narrative/clerk").len();
    let chats = place.server.chats().len();
    assert_eq!((stories, chats), (2, asked + 2), "each call is made once");
    assert_eq!(place.statuses(), ["done"; 2]);
}

#[test]
fn b4_an_output_directory_that_goes_away_under_a_run_is_told_once_and_ends_it() {
    for (lost, goes_on) in [("output", true), ("output", false), ("output/.rebut", false)] {
        let place = with_job(&format!("{TINY_JOB}repeat: 6\n"));
        let gate = place.hold_clerks();
        let run = place.start(&["job.yaml", "--max-debates", "3", "--concurrency", "3"]);
        place.wait_for_clerks(3);
        let lost = place.path().join(lost);
        if goes_on {
            fs::rename(&lost, place.path().join("moved")).expect("a directory");
        } else {
            fs::remove_dir_all(&lost).expect("a directory");
        }
        let ended = run.ends().exits(2);
        let about = format!("moved: {goes_on}: {}", ended.said());
        let told = "error: output or its .rebut was moved, removed or replaced while debates were being written to it";
        assert_eq!(ended.stderr.matches(told).count(), 1, "{about}");
        shows!(ended, {"stderr lacks": "cannot ", "stdout": ""});
        assert!(!lost.exists(), "{about}: nothing of it is made anew");
        gate.open();
        if goes_on {
            let asked = place.server.chats().len();
            place.run_exits(0, &["job.yaml", "--output", "moved"]);
            assert_eq!(debates_in(&place.path().join("moved")).len(), 6);
            assert_eq!(place.server.chats().len() - asked, 3 * 2 + 3 * 7, "{about}");
        }
    }
}

#[test]
fn j5b_what_is_no_plain_file_is_refused_and_not_waited_for() {
    for (file, job) in
        [("personas/pipe.md", "x: {persona: pipe}\n"), ("pipe.md", "background: pipe.md\n")]
    {
        let place = with_job(&format!("{TINY_JOB}{job}"));
        fifo(&place.path().join(file));
        for command in ["check", "run"] {
            let ended = place.rebut_exits(2, &[command, "job.yaml"]);
            let told = format!("`{file}` is not a regular file");
            has(&ended.stderr, &told);
        }
    }
    for kept in ["running", "journals"] {
        let place = with_job(TWICE);
        fifo(&journal(&place, kept, &ids(&place)[0]));
        let ended = place.run_exits(1, &["job.yaml"]);
        assert_eq!(place.debates().len(), 1, "{kept}: {}", ended.said());
        has(&ended.stdout, "not a regular file");
    }
    let place = played();
    for pipe in ["index.md", "facts.json"] {
        let pipe = place.debates()[0].join(pipe);
        fs::remove_file(&pipe).ok();
        fifo(&pipe);
    }
    // The trace tells what the index would.
    place.rebut_exits(0, &["index"]);
    place.rebut_exits(0, &["stats"]);
}

#[test]
fn b4_a_claim_that_is_no_file_is_that_debates_own_fate() {
    let make: [fn(&Path); 2] = [|path| fs::create_dir_all(path).expect("a directory"), fifo];
    for make in make {
        let place = with_job(TWICE);
        let claim = state(&place, "claims").join(&*ids(&place)[0]);
        make(&claim);
        let ended = place.run_exits(1, &["job.yaml"]);
        assert_eq!(place.debates().len(), 1, "{}", ended.said());
        let told = format!("cannot open output/.rebut/claims/{}", name_of(&claim));
        has(&ended.stdout, &told);
        let removed = fs::remove_dir(&claim).or_else(|_| fs::remove_file(&claim));
        removed.expect("a claim");
        place.run_exits(0, &["job.yaml"]);
    }
}

#[test]
fn b4_a_claim_that_is_no_file_does_not_end_a_restart() {
    let place = with_job(TWICE);
    place.run_exits(0, &["job.yaml"]);
    let asked = place.server.chats().len();
    let claim = state(&place, "claims").join(&*ids(&place)[0]);
    fs::create_dir_all(&claim).expect("a directory");
    let ended = place.run(&["job.yaml", "--restart"]);
    assert_ne!(ended.code, 2, "{}", ended.said());
    // The other begins anew.
    assert_eq!(place.server.chats().len(), asked + asked / 2);
}

#[test]
fn a3_a_journal_with_another_name_is_not_written_to() {
    let place = with_job(TINY_JOB);
    let theirs = place.write("theirs", "precious");
    let journal = journal(&place, "running", &ids(&place)[0]);
    fs::create_dir_all(state(&place, "running")).expect("a directory");
    fs::hard_link(&theirs, &journal).expect("a link");
    let ended = place.run_exits(1, &["job.yaml"]);
    has(&ended.said(), "it has another name");
    assert_eq!(read(&theirs), "precious");
}

#[test]
fn j9c_a_journal_that_was_changed_is_not_said_to_be_another_builds() {
    let place = with_job(TINY_JOB);
    place.killed_while("round-*/clerk", &[]);
    crate::harness::rewrite(&place.running_journal(), |mut reply| {
        reply.reply.text = reply.reply.text.replace("fairness", "unfairness");
        Some(reply)
    });
    let ended = place.run_exits(1, &["job.yaml"]);
    let told = "its journal was changed, or written by another build of rebut";
    has(&ended.stdout, told);
}

#[test]
fn s5_what_a_killed_report_left_is_swept_and_a_large_background_is_not_read() {
    let place = played();
    let left = place.write("report.html.7.new", "half");
    place.rebut_exits(0, &["report"]);
    assert!(!left.exists());

    let place = with_job(&format!("{TINY_JOB}background: big.md\n"));
    // A hole: what is read of it would be 10 GB of zeros.
    let big = fs::File::create(place.path().join("big.md")).expect("a file");
    big.set_len(10_000_000_000).expect("a hole");
    let ended = place.rebut_exits(2, &["check", "job.yaml"]);
    let told = "`big.md` is too large: it has 10000000000 bytes; the limit is 200000";
    has(&ended.stderr, told);
    place.write("big.yaml", &format!("{TINY_JOB}# {}\n", "x".repeat(2_500_000)));
    let ended = place.rebut_exits(2, &["check", "big.yaml"]);
    has(&ended.stderr, "the file has more than 1000000 bytes");
}

#[cfg(unix)]
#[test]
fn a5_what_is_where_a_directory_should_be_is_to_be_moved_away() {
    let place = with_job(TINY_JOB);
    place.write("output/.rebut", "a file");
    let told = "hint: something else is where a directory should be: move it away";
    has(&place.run_exits(2, &["job.yaml"]).stderr, told);
    let place = with_job(TINY_JOB);
    let link = place.path().join("output");
    std::os::unix::fs::symlink("nowhere", link).expect("a link");
    let told = "what has that name is not a directory, but perhaps a link to nowhere";
    has(&place.run_exits(2, &["job.yaml"]).stderr, told);
}

#[test]
fn a5_what_another_container_stages_is_not_swept() {
    // A process of any number that is alive, or none: only the lock says whether somebody writes.
    let place = played();
    let [living, dead] =
        ["1", "2"].map(|n| place.write(&format!("output/index.md.{n}.new"), "half"));
    let held = fs::File::open(&living).expect("a file");
    held.lock().expect("a lock");
    let staging = state(&place, "staging");
    let dir = staging.join("x.1.new");
    fs::create_dir_all(&dir).expect("a directory");
    let held_dir = fs::File::open(&dir).expect("a directory");
    held_dir.lock().expect("a lock");
    fs::create_dir_all(staging.join("x.2.new/messages")).expect("a directory");
    place.rebut_exits(0, &["index"]);
    place.run_exits(0, &["job.yaml"]);
    assert!(living.exists() && !dead.exists());
    assert_eq!(list(&staging), [dir]);
}

#[test]
fn b4_more_debates_than_a_command_plans_are_refused_before_they_are_planned() {
    let place = Place::new();
    let many: Vec<String> = (0..2000).map(|n| format!("m{n}")).collect();
    let matrix = format!("matrix: {{x.model: [{}]}}\n", many.join(", "));
    place.write("jobs/a.yaml", &format!("{TINY_JOB}repeat: 501\n{matrix}"));
    place.write("jobs/b.yaml", TINY_JOB);
    for command in ["check", "run"] {
        let ended = place.rebut_exits(2, &[command, "jobs"]);
        shows!(ended, {
            "stderr contains": "error: 1,002,001 debates are too many for one command: the limit is 1,000,000\nhint: lower `repeat`",
            "stderr lacks": "planning",
        });
    }
    assert!(!place.path().join("output").exists());
}

#[test]
fn b4_planning_many_debates_is_told() {
    let place = with_job(&format!("{TINY_JOB}repeat: 10000\n"));
    let ended = place.run_exits(0, &["job.yaml", "--rehearse", "--limit", "1"]);
    has(&ended.stderr, "planning 10,000 debates of job.yaml\n");
    let few = with_job(TINY_JOB);
    lacks(&few.run(&["job.yaml", "--rehearse"]).stderr, &["planning"]);
}

#[test]
fn b4_problems_are_bounded_and_hints_are_not_sought_for_those_that_are_not_shown() {
    let keys: String = (0..5000).map(|n| format!("rouns{n}: 1\n")).collect();
    // Two hundred cells that are one debate.
    let same = format!("matrix: {{seed: [{}]}}\n", vec!["3"; 201].join(", "));
    for (faults, named, rest) in [
        (keys, "unknown key", "4900 more problems are not shown"),
        (same, "are the same debate", "100 more problems are not shown"),
    ] {
        let place = with_job(&format!("{TINY_JOB}{faults}"));
        let ended = place.rebut_exits(2, &["check", "job.yaml"]);
        assert_eq!(ended.stderr.matches(named).count(), 100, "{}", ended.said());
        has(&ended.stderr, rest);
    }
}

#[test]
fn b4_a_job_of_a_megabyte_on_one_line_is_read_in_one_pass() {
    let place = Place::new();
    for (items, told) in [
        ("[]".to_owned() + &",[]".repeat(330_000), "2 problems in"),
        ("&a 1".to_owned() + &",&a 1".repeat(190_000), "at least 9900 more problems"),
    ] {
        place.write("job.yaml", &format!("{{topic: Trams, a: [{items}]}}"));
        let ended = place.rebut_exits(2, &["check", "job.yaml"]);
        has(&ended.stderr, told);
        assert!(ended.stderr.len() < 50_000, "{} bytes", ended.stderr.len());
    }
}

#[test]
fn b4_many_entries_of_exclude_drop_just_the_cells_that_they_match() {
    let numbers = |most: usize| (0..most).map(|n| n.to_string()).collect::<Vec<_>>();
    let entry = |n: &String| format!("  - {{seed: {n}.0, x.temperature: 1}}\n");
    let entries: String = numbers(400).iter().map(entry).collect();
    let place = with_job(&format!(
        "{TINY_JOB}matrix:\n  seed: [{}]\n  x.temperature: [0.5, 1.0]\nexclude:\n{entries}  - {{seed: 450}}\n",
        numbers(500).join(", ")
    ));
    assert_eq!(ids(&place).len(), 1000 - 400 - 2);
    let job = read(&place.path().join("job.yaml"));
    for (wrong, told) in [
        ("seed: \"3\"", "matches no cell"),
        ("seed: 500", "matches no cell"),
        ("x.temperature: 1.5, seed: 2", "matches no cell"),
        ("rounds: 1", "does not vary in this matrix"),
    ] {
        place.write("wrong.yaml", &format!("{job}  - {{{wrong}}}\n"));
        let ended = place.rebut_exits(2, &["check", "wrong.yaml"]);
        assert_eq!(ended.stderr.matches(told).count(), 1, "{}", ended.said());
    }
}
