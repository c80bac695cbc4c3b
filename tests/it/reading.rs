//! Row S1: traces are read for statistics whatever state they are in, and those that did not change are not read again.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::harness::properties::properties;
use proptest::prelude::*;
use rebut::clock::Clock;
use rebut::facts::Facts;
use rebut::stats::read::{Corpus, read};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::harness::{Place, each, has, list};

/// A trace of each of a few debates, as `rebut run` wrote them; made once.
fn traces() -> &'static [String] {
    static TRACES: std::sync::OnceLock<Vec<String>> = std::sync::OnceLock::new();
    TRACES.get_or_init(|| {
        let place = Place::new();
        let job = "rounds: 2\nallow_explicit: true\ntopic: Is \"this\" so?\n";
        place.write("a.yaml", job);
        place.write("b.yaml", &format!("{job}format: duel\n"));
        place.run_exits(0, &["a.yaml", "b.yaml", "--rehearse"]);
        let traces = place.debates().into_iter();
        traces.map(|dir| fs::read_to_string(dir.join("trace.json")).expect("a trace")).collect()
    })
}

/// An output directory: working state, and a debate for each text, settled for long.
struct Output {
    dir: TempDir,
}

impl Output {
    fn of(texts: &[String]) -> Self {
        let output = Self { dir: TempDir::new().expect("a directory") };
        fs::create_dir(output.path().join(".rebut")).expect("a directory");
        for (n, text) in texts.iter().enumerate() {
            output.put(&format!("2026-01-0{n}/debate"), text);
        }
        output
    }

    fn path(&self) -> &Path {
        self.dir.path()
    }

    fn trace(&self, debate: &str) -> PathBuf {
        self.path().join(debate).join("trace.json")
    }

    /// Writes a trace that looks as if it was written an hour ago.
    fn put(&self, debate: &str, text: &str) -> PathBuf {
        let path = self.trace(debate);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
        fs::write(&path, of_its_own(debate, text)).expect("a file");
        date(&path, 3600);
        path
    }

    /// Where the facts of one debate are kept.
    fn kept(&self, debate: &str) -> PathBuf {
        self.trace(debate).with_file_name("facts.json")
    }

    /// All files with facts.
    fn all_kept(&self) -> Vec<PathBuf> {
        let days = list(self.path()).into_iter().filter(|path| path.is_dir());
        let debates = days.flat_map(|day| list(&day));
        let kept = debates.map(|debate| debate.join("facts.json"));
        kept.filter(|path| path.is_file()).collect()
    }

    fn read(&self) -> Corpus {
        corpus(&[self.path()])
    }

    fn facts(&self) -> Vec<Facts> {
        facts(self.read())
    }
}

/// The text with an id after its directory: a debate that is there twice counts once.
fn of_its_own(debate: &str, text: &str) -> String {
    let key = "\"id\": \"";
    let own = text.split_once(key).and_then(|(head, rest)| {
        let id = rebut::digest::of_bytes(debate.as_bytes());
        Some(format!("{head}{key}{id}{}", rest.get(64..)?))
    });
    own.unwrap_or_else(|| text.to_owned())
}

fn corpus(dirs: &[&Path]) -> Corpus {
    let dirs: Vec<PathBuf> = dirs.iter().map(|dir| dir.to_path_buf()).collect();
    read(&dirs, Clock::system().now(), |_, _| {}).expect("directories")
}

fn facts(corpus: Corpus) -> Vec<Facts> {
    assert_eq!(corpus.damaged, [], "nothing is damaged");
    corpus.debates.into_iter().map(|debate| *debate.facts).collect()
}

/// Dates a file back by so many seconds from the start of 2026-11-01, which is a time long gone.
fn date(path: &Path, seconds: u64) {
    let then = SystemTime::UNIX_EPOCH + Duration::from_secs(1_761_955_200 - seconds);
    let file = File::options().write(true).open(path).expect("a file");
    file.set_modified(then).expect("a time");
}

fn cause(corpus: &Corpus, path: &Path) -> String {
    let path = path.parent().expect("a parent").canonicalize().expect("a path").join("trace.json");
    let found = corpus.damaged.iter().find(|(damaged, _)| *damaged == path);
    found
        .unwrap_or_else(|| panic!("{} is not named: {:?}", path.display(), corpus.damaged))
        .1
        .clone()
}

fn changed(change: impl Fn(&mut Value)) -> String {
    let mut trace = serde_json::from_str(&traces()[0]).expect("JSON");
    change(&mut trace);
    trace.to_string()
}

#[test]
fn s1_every_damaged_file_is_named_with_its_cause_and_the_others_are_read() {
    let whole = &traces()[0];
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let cases = [
        (
            "truncated",
            // At a line's end: within a number the cause is another.
            whole[..whole[..whole.len() / 2].rfind('\n').expect("lines")].to_owned(),
            "incomplete: it ends at line ",
        ),
        ("empty", String::new(), "incomplete"),
        (
            "foreign",
            "{\"name\": \"npm\", \"version\": 1}".to_owned(),
            "missing field `schema_version`",
        ),
        ("list", "[1, 2]".to_owned(), "not a trace"),
        ("binary", "\u{7f}ELF\u{0}\u{1}\u{0}".to_owned(), "expected value at line 1"),
        (
            "older",
            changed(|t| t["schema_version"] = json!("0.9")),
            "an older rebut wrote it (its schema version is 0.9, but this program reads 1.3)",
        ),
        (
            "other",
            "{\"schema_version\": \"2.0\", \"said\": 1}".to_owned(),
            "a newer rebut wrote it (its schema version is 2.0",
        ),
        ("nested", format!("{{\"schema_version\": \"1.0\", \"tags\": {deep}}}"), "not a trace"),
        (
            "twice",
            whole.replacen("\"status\"", "\"status\": \"done\",\n  \"status\"", 1),
            "duplicate field `status`",
        ),
        ("typed", changed(|t| t["ballots"] = json!("none")), "invalid type: string"),
        (
            "infinite",
            changed(|t| t["ballots"][0]["reading"]["scores"]["clarity"] = json!(0.12625))
                .replace("0.12625", "1e999"),
            "number out of range",
        ),
        (
            "stranger",
            changed(|t| t["ballots"][0]["about"] = json!("nobody")),
            "it names someone who took no part",
        ),
        (
            "hostile",
            changed(|t| t["id"] = json!("../../etc")),
            "a debate's id has 64 lowercase hexadecimal digits",
        ),
        (
            "nul",
            changed(|t| t["id"] = json!("\u{0}")),
            "a debate's id has 64 lowercase hexadecimal digits",
        ),
        ("crowded", changed(crowd), "it names someone who took no part"),
        ("negative", changed(|t| t["timing"]["model_ms"] = json!(-1)), "invalid value"),
    ];
    let output = Output::of(&traces()[..1]);
    let paths: Vec<PathBuf> = cases.iter().map(|(name, text, _)| output.put(name, text)).collect();
    // The second time the others' facts are beside them.
    for _ in 0..2 {
        let corpus = output.read();
        let read: Vec<_> = corpus.debates.iter().map(|debate| &debate.dir).collect();
        assert_eq!(read.len(), 1, "{read:?}");
        assert_eq!(corpus.damaged.len(), cases.len());
        for ((name, _, expected), path) in cases.iter().zip(&paths) {
            let cause = cause(&corpus, path);
            assert!(cause.contains(expected) && cause.contains(name), "{name}: {cause}");
        }
        assert!(corpus.damaged.is_sorted());
    }
}

/// Adds so many people that one of them cannot be counted, and has that one judged.
fn crowd(trace: &mut Value) {
    let someone = trace["participants"][0].clone();
    let people = trace["participants"].as_array_mut().expect("people");
    people.extend((0..300).map(|n| {
        let mut another = someone.clone();
        another["id"] = json!(format!("p{n}"));
        another
    }));
    trace["ballots"][0]["about"] = json!("p299");
}

#[test]
fn s1_what_is_no_small_file_is_named_and_not_read() {
    let output = Output::of(&traces()[..1]);
    let huge = output.put("huge", "");
    let file = File::options().write(true).open(&huge).expect("a file");
    file.set_len(65 << 20).expect("a sparse file");
    let directory = output.trace("directory");
    fs::create_dir_all(&directory).expect("a directory");
    let corpus = output.read();
    assert_eq!(corpus.debates.len(), 1);
    let large = cause(&corpus, &huge);
    has(&large, "it has 68157440 bytes; the limit is 67108864");
    assert!(cause(&corpus, &directory).contains("not a file"));
}

#[cfg(unix)]
#[test]
fn s1_links_that_lead_nowhere_and_pipes_hold_nothing_up() {
    let output = Output::of(&traces()[..1]);
    let [round, pipe] = ["round", "pipe"].map(|name| output.trace(name));
    for path in [&round, &pipe] {
        fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
    }
    std::os::unix::fs::symlink(&round, &round).expect("a link");
    std::os::unix::fs::symlink(output.path(), output.path().join("again")).expect("a link");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.expect("mkfifo").success());
    let corpus = output.read();
    assert_eq!(corpus.debates.len(), 1, "links to directories are not followed");
    assert!(cause(&corpus, &round).contains("symbolic links"), "{:?}", corpus.damaged);
    assert!(cause(&corpus, &pipe).contains("not a file"));
}

#[cfg(unix)]
#[test]
fn s1_what_may_not_be_read_is_named() {
    use std::os::unix::fs::PermissionsExt;
    let output = Output::of(&traces()[..1]);
    let file = output.put("file", &traces()[0]);
    let hidden = output.put("hidden/debate", &traces()[0]);
    let dir = output.path().join("hidden");
    let mode = |path: &Path, mode| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("a mode");
    };
    mode(&file, 0);
    mode(&dir, 0);
    let corpus = (File::open(&file).is_err()).then(|| output.read());
    mode(&dir, 0o700);
    let Some(corpus) = corpus else {
        crate::harness::say("SKIPPED: this user may read everything");
        return;
    };
    assert!(cause(&corpus, &file).contains("Permission denied"));
    assert_eq!(corpus.damaged.len(), 2, "{hidden:?}");
    assert!(
        corpus
            .damaged
            .iter()
            .any(|(path, cause)| path.ends_with("hidden") && cause.contains("Permission denied"))
    );
}

#[test]
fn s1_a_newer_minor_version_and_what_it_adds_are_accepted() {
    let text = changed(|t| {
        t["schema_version"] = json!("1.7");
        t["added"] = json!(0.12625);
        t["participants"][0]["mood"] = json!({"of": [1, null]});
    });
    // What is not known may hold anything, and be nested as deeply as it likes.
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let facts = Output::of(&[text.replace("0.12625", &deep)]).facts();
    assert_eq!(facts.len(), 1);
}

#[test]
fn s1_the_command_names_damaged_files_and_counts_the_rest() {
    let output = Output::of(traces());
    let path = output.put("broken", "{");
    let place = Place::new();
    let args = ["stats", output.path().to_str().expect("a path"), "--include-rehearsals"];
    for _ in 0..2 {
        let ended = place.rebut_exits(0, &args);
        let named = format!("{}: incomplete", path.canonicalize().expect("a path").display());
        assert!(ended.stderr.contains(&named), "{}", ended.stderr);
    }
}

#[test]
fn s1_the_same_facts_at_any_number_of_threads() {
    let texts: Vec<String> = (0..9).map(|n| traces()[n % traces().len()].clone()).collect();
    let output = Output::of(&texts);
    let expected = output.facts();
    assert_eq!(expected.len(), 9);
    for threads in [1, 2, 16] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        for kept in [true, false] {
            if !kept {
                assert_eq!(output.all_kept().len(), 9);
                each(&output.all_kept(), |path| {
                    fs::remove_file(path).expect("facts");
                });
            }
            assert_eq!(pool.install(|| output.facts()), expected);
        }
    }
}

#[test]
fn s1_progress_goes_from_nothing_to_all() {
    let output = Output::of(traces());
    let mut told = Vec::new();
    read(&[output.path().to_path_buf()], Clock::system().now(), |done, all| {
        told.push((done, all));
    })
    .expect("a directory");
    assert_eq!(told, [(0, 2), (2, 2)]);
}

/// Damages a trace so that its size and its time stay the same: who reads it fails, who takes the facts beside it does not see it.
fn damage_unseen(path: &Path) {
    let size = fs::metadata(path).expect("a file").len();
    let modified = fs::metadata(path).expect("a file").modified().expect("a time");
    fs::write(path, " ".repeat(size as usize)).expect("a file");
    let file = File::options().write(true).open(path).expect("a file");
    file.set_modified(modified).expect("a time");
}

#[test]
fn s1_what_did_not_change_is_not_read_again_and_what_did_is() {
    let output = Output::of(traces());
    let first = output.facts();
    let path = output.trace("2026-01-00/debate");
    damage_unseen(&path);
    assert_eq!(output.facts(), first, "they were beside it");
    date(&path, 1800);
    assert_eq!(output.read().damaged.len(), 1, "another time");
    let text = &traces()[0];
    output.put("2026-01-00/debate", text);
    assert_eq!(output.facts(), first);
    output.put("2026-01-00/debate", &format!("{text}\n"));
    damage_unseen(&path);
    assert_eq!(output.read().damaged.len(), 1, "another size");
}

/// Reads the corpus when one file's time is now, or so many seconds ahead of it; anew where that took so long that the file
/// was no longer of just now.
fn read_at_once(output: &Output, path: &Path, seconds_ahead: u64) {
    loop {
        let then = SystemTime::now() + Duration::from_secs(seconds_ahead);
        let file = File::options().write(true).open(path).expect("a file");
        file.set_modified(then).expect("a time");
        assert_eq!(output.facts().len(), 2);
        if then.elapsed().unwrap_or_default() < Duration::from_secs(2) {
            return;
        }
    }
}

#[test]
fn s1_the_facts_of_a_file_that_was_written_just_now_are_not_kept() {
    let output = Output::of(traces());
    let path = output.trace("2026-01-00/debate");
    for seconds_ahead in [0, 3600] {
        read_at_once(&output, &path, seconds_ahead);
        let text = fs::read_to_string(&path).expect("a trace");
        damage_unseen(&path);
        assert_eq!(output.read().damaged.len(), 1, "it is read again");
        fs::write(&path, text).expect("a file");
    }
}

/// The debate whose facts are tampered with.
const FIRST: &str = "2026-01-00/debate";

#[test]
fn s1_an_edit_of_the_same_length_is_seen() {
    let output = Output::of(traces());
    output.facts();
    let path = output.trace(FIRST);
    let text = fs::read_to_string(&path).expect("a trace");
    let edited = text.replacen("Is \\\"this\\\" so?", "Is \\\"that\\\" so?", 1);
    assert!(edited.len() == text.len() && edited != text);
    fs::write(&path, edited).expect("a file");
    for _ in 0..2 {
        assert_eq!(&*output.facts()[0].topic, "Is \"that\" so?");
        date(&path, 60);
    }
}

#[test]
fn s1_without_facts_or_with_damaged_ones_the_result_is_the_same() {
    let output = Output::of(traces());
    let expected = output.facts();
    let kept = output.kept(FIRST);
    let whole = fs::read(&kept).expect("facts");
    let foreign = [&b"{}"[..], b"null", b"[1, 2]", b"\xff\xfe", &[b'['; 100_000]];
    let cuts = (0..whole.len() - 1).step_by(7).map(|at| whole[..at].to_vec());
    let twice = [&whole[..], &whole].concat();
    let huge = [&whole[..], &vec![b' '; 5 << 20]].concat();
    let all = cuts.chain(foreign.map(<[u8]>::to_vec)).chain([twice, huge]);
    for damaged in all {
        fs::write(&kept, &damaged).expect("a file");
        assert_eq!(output.facts(), expected, "{} bytes", damaged.len());
        assert!(fs::read(&kept).expect("facts") == whole, "made again");
    }
    for kept in output.all_kept() {
        fs::remove_file(kept).expect("facts");
    }
    assert_eq!(output.facts(), expected);
    assert!(fs::read(&kept).expect("facts") == whole);
}

#[test]
fn s1_facts_of_another_version_or_another_trace_are_not_used() {
    let output = Output::of(traces());
    let expected = output.facts();
    let kept = output.kept(FIRST);
    let whole = fs::read_to_string(&kept).expect("facts");
    for (key, other) in [
        ("{\"facts_version\":", "{\"facts_version\":1"),
        ("\"bytes\":", "\"bytes\":1"),
        ("\"modified_ns\":", "\"modified_ns\":1"),
    ] {
        assert!(whole.contains(key), "{whole}");
        fs::write(&kept, whole.replacen(key, other, 1)).expect("a file");
        damage_unseen(&output.trace(FIRST));
        assert_eq!(output.read().damaged.len(), 1, "they were not believed");
        output.put(FIRST, &traces()[0]);
        assert_eq!(output.facts(), expected);
    }
}

#[test]
fn s1_facts_are_written_only_if_stale_and_only_in_an_output_directory() {
    let output = Output::of(traces());
    let day = output.path().join("2026-01-01");
    assert_eq!(facts(corpus(&[&day])).len(), 1);
    assert_eq!(output.all_kept(), [day.join("debate/facts.json")]);
    let kept = &output.all_kept()[0];
    date(kept, 0);
    let time = || fs::metadata(kept).expect("facts").modified().expect("a time");
    let before = time();
    assert_eq!(output.facts().len(), 2);
    assert_eq!((time(), output.all_kept().len()), (before, 2));
    fs::remove_dir_all(output.path().join(".rebut")).expect("the working state");
    fs::remove_file(output.kept(FIRST)).expect("facts");
    assert_eq!(output.facts().len(), 2);
    assert_eq!(output.all_kept(), std::slice::from_ref(kept));
}

#[test]
fn s1_facts_that_cannot_be_written_are_a_warning() {
    let output = Output::of(traces());
    fs::create_dir(output.kept(FIRST)).expect("a directory in the way");
    let corpus = output.read();
    assert_eq!((corpus.debates.len(), corpus.warnings.len()), (2, 1));
    assert!(corpus.warnings[0].contains("facts.json"), "{:?}", corpus.warnings);
}

#[cfg(unix)]
#[test]
fn s1_no_link_or_pipe_is_read_for_facts_or_written_through() {
    let output = Output::of(traces());
    let expected = output.facts();
    let kept = output.kept(FIRST);
    let elsewhere = output.path().join("elsewhere");
    fs::rename(&kept, &elsewhere).expect("facts");
    std::os::unix::fs::symlink(&elsewhere, &kept).expect("a link");
    damage_unseen(&output.trace(FIRST));
    assert_eq!(output.read().damaged.len(), 1, "the link was not followed");
    output.put(FIRST, &traces()[0]);
    fs::write(&elsewhere, "the user's").expect("a file");
    assert_eq!(output.facts(), expected);
    assert_eq!(fs::read_to_string(&elsewhere).expect("a file"), "the user's");
    assert!(!kept.is_symlink());
    fs::remove_file(&kept).expect("facts");
    let made = std::process::Command::new("mkfifo").arg(&kept).status();
    assert!(made.expect("mkfifo").success());
    assert_eq!(output.facts(), expected);
}

#[test]
fn s1_facts_that_lie_do_no_harm() {
    // Facts that no trace has: a place beyond the people, a count beyond all. Every other number is changed in turn; whatever is believed can
    // be counted.
    let output = Output::of(&traces()[..1]);
    output.facts();
    let kept = output.kept(FIRST);
    let whole = fs::read_to_string(&kept).expect("facts");
    let start = whole.find("\"facts\":").expect("facts");
    let is_digit = |at: usize| whole.as_bytes()[at].is_ascii_digit();
    let numbers = (start..whole.len()).filter(|at| is_digit(*at) && !is_digit(at - 1));
    for at in numbers.step_by(5) {
        let rest = whole[at..].trim_start_matches(|c: char| c.is_ascii_digit());
        for lie in
            ["127", "255", "2000000000", "18446744073709551615", "-1", "1e308", "1e999", "null"]
        {
            fs::write(&kept, format!("{}{lie}{rest}", &whole[..at])).expect("a file");
            for facts in output.facts() {
                countable(&facts);
            }
        }
    }
}

fn countable(facts: &Facts) {
    let person = |place: u8| usize::from(place) < facts.people.len();
    let order = |r: &rebut::facts::Reading| r.order.iter().all(|p| person(*p));
    assert!(facts.readings.iter().all(order));
    let score = |s: &rebut::facts::Score| person(s.about) && s.value.is_finite();
    assert!(facts.scores.iter().all(score));
    assert!(facts.used.iter().all(|(_, used)| used.calls <= 1 << 53));
    let asked: u64 = facts.people.iter().map(|p| u64::from(p.asked())).sum();
    assert!(asked < 1_000_000, "each is an observation: {asked}");
    for argued in facts.people.iter().filter_map(|person| person.argued) {
        assert!(argued.repeating.is_none_or(|n| n <= argued.noted));
        assert!(argued.withdrawn.is_none_or(|n| n <= argued.points));
        for fates in [argued.own, argued.others] {
            let parts = [fates.answered, fates.partly, fates.dropped, fates.conceded];
            assert!(parts.iter().sum::<u16>() <= fates.faced, "{fates:?}");
        }
    }
}

#[test]
fn s1_a_finished_debate_has_its_facts_beside_its_trace() {
    let place = Place::new();
    place.write("a.yaml", "rounds: 2\ntopic: Is this so?\n");
    place.run_exits(0, &["a.yaml", "--rehearse"]);
    let dir = place.debates().remove(0);
    let trace = dir.join("trace.json");
    let believed = || {
        let text = fs::read(&trace).expect("a trace");
        damage_unseen(&trace);
        let found = facts(corpus(&[&dir])).remove(0);
        let modified = fs::metadata(&trace).expect("a file").modified();
        fs::write(&trace, text).expect("a trace");
        let file = File::options().write(true).open(&trace).expect("a file");
        file.set_modified(modified.expect("a time")).expect("a time");
        found
    };
    assert_eq!(believed().rating, None, "the commit wrote them");
    let name = dir.to_str().expect("a path");
    for (args, rating) in [
        (["rate", name, "4"].as_slice(), 4.0),
        (&["render", name, "--formats", "json"], 4.0),
        (&["rate", name, "2"], 2.0),
    ] {
        let ended = place.rebut(args);
        assert_eq!(ended.code, 0, "{args:?}: {}", ended.stderr);
        assert_eq!(believed().rating, Some(rating), "{args:?}");
    }
    let small = fs::metadata(dir.join("facts.json")).expect("facts").len();
    assert!(small < 8 << 10, "{small} bytes");
}

#[test]
fn s1_two_processes_may_read_at_once() {
    let output = Output::of(traces());
    let expected = output.facts();
    let place = Place::new();
    let dir = output.path().to_str().expect("a path");
    let read = |_: &u8| {
        for _ in 0..3 {
            for kept in output.all_kept() {
                let _ = fs::remove_file(kept);
            }
            let ended = place.rebut(&["stats", dir, "--include-rehearsals"]);
            assert_eq!((ended.code, &*ended.stderr), (0, ""));
        }
    };
    each(&[0, 1, 2, 3], read);
    assert_eq!(output.facts(), expected);
    let beside = list(output.trace(FIRST).parent().expect("a directory"));
    assert_eq!(beside.len(), 2, "nothing is left beside the facts: {beside:?}");
}

proptest! {
    #![proptest_config(properties(256))]

    #[test]
    fn s1_a_trace_with_changed_bytes_is_read_or_named(which in 0_usize..2, changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4)) {
        let mut bytes = traces()[which].clone().into_bytes();
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        either(&bytes);
    }

    #[test]
    fn s1_a_trace_that_is_cut_is_named(which in 0_usize..2, at in any::<prop::sample::Index>()) {
        let whole = traces()[which].trim_end().as_bytes();
        let place = either(&whole[..at.index(whole.len())]);
        prop_assert_eq!(place.damaged.len(), 1);
    }
}

/// Reads these bytes as a trace: it is counted, or named with the reason.
fn either(bytes: &[u8]) -> Corpus {
    let place = TempDir::new().expect("a directory");
    fs::write(place.path().join("trace.json"), bytes).expect("a file");
    let corpus = corpus(&[place.path()]);
    assert_eq!(corpus.debates.len() + corpus.damaged.len(), 1);
    assert!(corpus.damaged.iter().all(|(_, cause)| cause.contains("trace.json: ")));
    corpus
}

/// Trees that no debate makes: two directories on each of very many levels, and traces where none belong.
#[test]
fn s1_debates_are_found_in_any_tree() {
    let output = Output::of(traces());
    let mut deep = output.path().to_path_buf();
    for _ in 0..1000 {
        fs::create_dir(deep.join("b")).expect("a directory");
        deep.push("a");
        fs::create_dir(&deep).expect("a directory");
    }
    output.put("copies/of/some/day", &traces()[0]);
    output.put(".hidden/debate", &traces()[0]);
    fs::write(output.trace("."), "astray").expect("a file");
    let found = corpus(&[output.path()]);
    assert_eq!(found.debates.len(), traces().len() + 1);
    assert_eq!(found.damaged.len(), 1, "{:?}", found.damaged);
}
