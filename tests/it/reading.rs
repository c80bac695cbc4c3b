//! Row S1: traces are read for statistics whatever state they are in, and those that did not change are not read again.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use proptest::prelude::*;
use rebut::stats::facts::Facts;
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
        let ended = place.run(&["a.yaml", "b.yaml", "--rehearse"]);
        assert_eq!(ended.code, 0, "{}", ended.stderr);
        let traces = place.debates().into_iter();
        traces
            .map(|dir| fs::read_to_string(dir.join("trace.json")).expect("a trace"))
            .collect()
    })
}

/// An output directory: working state, and a debate for each text, settled for long.
struct Output {
    dir: TempDir,
}

impl Output {
    fn of(texts: &[String]) -> Self {
        let output = Self {
            dir: TempDir::new().expect("a directory"),
        };
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

    fn index(&self) -> PathBuf {
        self.path().join(".rebut/stats/index")
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
    read(&dirs, |_, _| {}).expect("directories")
}

fn facts(corpus: Corpus) -> Vec<Facts> {
    assert_eq!(corpus.damaged, [], "nothing is damaged");
    corpus
        .debates
        .into_iter()
        .map(|debate| debate.facts)
        .collect()
}

/// Dates a file back by so many seconds from the start of 2026-11-01, which is a time long gone.
fn date(path: &Path, seconds: u64) {
    let then = SystemTime::UNIX_EPOCH + Duration::from_secs(1_761_955_200 - seconds);
    let file = File::options().write(true).open(path).expect("a file");
    file.set_modified(then).expect("a time");
}

fn cause(corpus: &Corpus, path: &Path) -> String {
    let path = path
        .parent()
        .expect("a parent")
        .canonicalize()
        .expect("a path")
        .join("trace.json");
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
            whole[..whole.len() / 2].to_owned(),
            "EOF while parsing",
        ),
        ("empty", String::new(), "EOF while parsing a value"),
        (
            "foreign",
            "{\"name\": \"npm\", \"version\": 1}".to_owned(),
            "missing field `schema_version`",
        ),
        ("list", "[1, 2]".to_owned(), "it is no trace"),
        (
            "binary",
            "\u{7f}ELF\u{0}\u{1}\u{0}".to_owned(),
            "expected value at line 1",
        ),
        (
            "older",
            changed(|t| t["schema_version"] = json!("0.9")),
            "its schema version is 0.9, this program reads 1.1",
        ),
        (
            "other",
            "{\"schema_version\": \"2.0\", \"said\": 1}".to_owned(),
            "its schema version is 2.0",
        ),
        (
            "nested",
            format!("{{\"schema_version\": \"1.0\", \"tags\": {deep}}}"),
            "it is no trace",
        ),
        (
            "twice",
            whole.replacen("\"status\"", "\"status\": \"done\",\n  \"status\"", 1),
            "duplicate field `status`",
        ),
        (
            "typed",
            changed(|t| t["ballots"] = json!("none")),
            "invalid type: string",
        ),
        (
            "infinite",
            changed(|t| t["ballots"][0]["reading"]["scores"]["clarity"] = json!(0.125))
                .replace("0.125", "1e999"),
            "number out of range",
        ),
        (
            "stranger",
            changed(|t| t["ballots"][0]["about"] = json!("nobody")),
            "it names somebody who took no part",
        ),
        (
            "hostile",
            changed(|t| t["id"] = json!("../../etc")),
            "`../../etc` names nothing in a debate",
        ),
        (
            "nul",
            changed(|t| t["id"] = json!("\u{0}")),
            "names nothing in a debate",
        ),
        (
            "crowded",
            changed(crowd),
            "it names somebody who took no part",
        ),
        (
            "negative",
            changed(|t| t["timing"]["model_ms"] = json!(-1)),
            "invalid value",
        ),
    ];
    let output = Output::of(&traces()[..1]);
    let paths = cases.iter().map(|(name, text, _)| output.put(name, text));
    let paths: Vec<PathBuf> = paths.collect();
    // The second time the others come from the index.
    for _ in 0..2 {
        let corpus = output.read();
        let read: Vec<_> = corpus.debates.iter().map(|debate| &debate.dir).collect();
        assert_eq!(read.len(), 1, "{read:?}");
        assert_eq!(corpus.damaged.len(), cases.len());
        for ((name, _, expected), path) in cases.iter().zip(&paths) {
            let cause = cause(&corpus, path);
            assert!(
                cause.contains(expected) && cause.contains(name),
                "{name}: {cause}"
            );
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
    has(&large, "it has 68157440 bytes, the most is 67108864");
    assert!(cause(&corpus, &directory).contains("it is no file"));
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
    assert_eq!(
        corpus.debates.len(),
        1,
        "links to directories are not followed"
    );
    assert!(
        cause(&corpus, &round).contains("symbolic links"),
        "{:?}",
        corpus.damaged
    );
    assert!(cause(&corpus, &pipe).contains("it is no file"));
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
        t["added"] = json!(0.125);
        t["participants"][0]["mood"] = json!({"of": [1, null]});
    });
    // What is not known may hold anything, and be nested as deeply as it likes.
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let facts = Output::of(&[text.replace("0.125", &deep)]).facts();
    assert_eq!((&*facts[0].version, facts.len()), ("1.7", 1));
}

#[test]
fn s1_the_command_names_damaged_files_and_counts_the_rest() {
    let output = Output::of(traces());
    let path = output.put("broken", "{");
    let place = Place::new();
    let args = [
        "stats",
        output.path().to_str().expect("a path"),
        "--include-rehearsals",
    ];
    for _ in 0..2 {
        let ended = place.rebut(&args);
        assert_eq!(ended.code, 0, "{}", ended.stderr);
        let named = format!(
            "{}: it is no trace",
            path.canonicalize().expect("a path").display()
        );
        assert!(ended.stderr.contains(&named), "{}", ended.stderr);
    }
}

#[test]
fn s1_the_same_facts_at_any_number_of_threads() {
    let texts: Vec<String> = (0..9)
        .map(|n| traces()[n % traces().len()].clone())
        .collect();
    let output = Output::of(&texts);
    let expected = output.facts();
    assert_eq!(expected.len(), 9);
    for threads in [1, 2, 16] {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .expect("threads");
        for index in [true, false] {
            if !index {
                fs::remove_file(output.index()).expect("an index");
            }
            assert_eq!(pool.install(|| output.facts()), expected);
        }
    }
}

#[test]
fn s1_progress_goes_from_nothing_to_all() {
    let output = Output::of(traces());
    let mut told = Vec::new();
    read(&[output.path().to_path_buf()], |done, all| {
        told.push((done, all));
    })
    .expect("a directory");
    assert_eq!(told, [(0, 2), (2, 2)]);
}

/// Damages a trace so that its size and its time stay the same: who reads it fails, who takes the index does not see it.
fn damage_unseen(path: &Path) {
    let size = fs::metadata(path).expect("a file").len();
    let modified = fs::metadata(path)
        .expect("a file")
        .modified()
        .expect("a time");
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
    assert_eq!(output.facts(), first, "it was taken from the index");
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
fn s1_a_file_that_was_written_just_now_is_not_put_into_the_index() {
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

#[test]
fn s1_without_its_index_or_with_a_damaged_one_the_result_is_the_same() {
    let output = Output::of(traces());
    let expected = output.facts();
    let whole = fs::read(output.index()).expect("an index");
    let header = whole
        .iter()
        .position(|byte| *byte == b'\n')
        .expect("a header");
    let places: Vec<usize> = (0..whole.len()).step_by(41).chain(0..header + 40).collect();
    for at in places {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x20;
        for bytes in [&damaged, &whole[..at], &[&whole[..], &whole[at..]].concat()] {
            fs::write(output.index(), bytes).expect("a file");
            assert_eq!(output.facts(), expected, "damaged at {at}");
            let healed = fs::read(output.index()).expect("an index");
            assert!(healed == whole, "damaged at {at}, it is not whole again");
        }
    }
    fs::remove_dir_all(output.path().join(".rebut/stats")).expect("an index");
    assert_eq!(output.facts(), expected);
    assert!(fs::read(output.index()).expect("an index") == whole);
}

#[test]
fn s1_the_index_of_another_version_is_not_used() {
    let output = Output::of(traces());
    let expected = output.facts();
    let whole = fs::read(output.index()).expect("an index");
    let end = whole
        .iter()
        .position(|byte| *byte == b'\n')
        .expect("a header");
    let mut other = whole.clone();
    other[end - 1] += 1;
    fs::write(output.index(), &other).expect("a file");
    damage_unseen(&output.trace("2026-01-00/debate"));
    assert_eq!(output.read().damaged.len(), 1, "the index was not believed");
    output.put("2026-01-00/debate", &traces()[0]);
    assert_eq!(output.facts(), expected);
}

#[test]
fn s1_an_index_holds_other_directories_and_forgets_files_that_are_gone() {
    let output = Output::of(traces());
    output.facts();
    let both = fs::metadata(output.index()).expect("an index").len();
    // Reading one day leaves the other's entry, even where the day's own is written anew.
    let day = output.path().join("2026-01-01");
    output.put("2026-01-01/another", &traces()[1]);
    assert_eq!(facts(corpus(&[&day])).len(), 2);
    damage_unseen(&output.trace("2026-01-00/debate"));
    assert_eq!(
        output.facts().len(),
        3,
        "the first day is taken from the index"
    );
    fs::remove_dir_all(output.path().join("2026-01-01/another")).expect("a debate");
    fs::remove_dir_all(output.path().join("2026-01-00")).expect("a day");
    assert_eq!(facts(corpus(&[&day])).len(), 1);
    let left = fs::metadata(output.index()).expect("an index").len();
    assert_eq!(
        left, both,
        "the first day's entry stays: nobody looked there"
    );
    assert_eq!(output.facts().len(), 1);
    assert!(fs::metadata(output.index()).expect("an index").len() < both);
}

#[test]
fn s1_an_index_is_written_only_if_something_changed_and_only_in_an_output_directory() {
    let output = Output::of(traces());
    output.facts();
    date(&output.index(), 0);
    let before = fs::metadata(output.index())
        .expect("an index")
        .modified()
        .expect("a time");
    assert_eq!(output.facts().len(), 2);
    let after = fs::metadata(output.index())
        .expect("an index")
        .modified()
        .expect("a time");
    assert_eq!(before, after);
    fs::remove_dir_all(output.path().join(".rebut")).expect("the working state");
    assert_eq!(output.facts().len(), 2);
    assert!(!output.path().join(".rebut").exists());
}

#[test]
fn s1_an_index_that_cannot_be_written_is_a_warning() {
    let output = Output::of(traces());
    fs::write(output.path().join(".rebut/stats"), "in the way").expect("a file");
    let corpus = output.read();
    assert_eq!((corpus.debates.len(), corpus.warnings.len()), (2, 1));
    assert!(
        corpus.warnings[0].contains(".rebut/stats"),
        "{:?}",
        corpus.warnings
    );
}

#[test]
fn s1_an_index_that_lies_does_no_harm() {
    // Facts that no trace has: a place beyond the people. It is written by changing the numbers of a whole index, sums included,
    // in every place in turn; whatever is believed can be counted.
    let output = Output::of(&traces()[..1]);
    output.facts();
    let whole = fs::read(output.index()).expect("an index");
    let start = whole
        .iter()
        .position(|byte| *byte == b'\n')
        .expect("a header")
        + 1;
    for at in start + 12..whole.len() {
        let mut lie = whole.clone();
        lie[at] = 0x7f;
        let sum = checksum(&lie[start + 12..]);
        lie[start + 4..start + 12].copy_from_slice(&sum.to_le_bytes());
        fs::write(output.index(), &lie).expect("a file");
        for facts in output.facts() {
            let person = |place: u8| usize::from(place) < facts.people.len();
            assert!(
                facts
                    .readings
                    .iter()
                    .all(|r| r.order.iter().all(|p| person(*p)))
            );
            assert!(
                facts
                    .scores
                    .iter()
                    .all(|s| person(s.about) && s.value.is_finite())
            );
        }
    }
}

/// The sum of a record, as the index has it.
fn checksum(bytes: &[u8]) -> u64 {
    let step = |sum: u64, word: u64| {
        let mixed = (sum ^ word).wrapping_mul(0x0000_0100_0000_01b3);
        mixed ^ (mixed >> 29)
    };
    let word = |chunk: &[u8]| {
        (0..8).fold(0, |word, n| {
            word | u64::from(*chunk.get(n).unwrap_or(&0)) << (8 * n)
        })
    };
    bytes
        .chunks(8)
        .map(word)
        .fold(step(0xcbf2_9ce4_8422_2325, bytes.len() as u64), step)
}

#[test]
fn s1_two_processes_may_read_at_once() {
    let output = Output::of(traces());
    let expected = output.facts();
    let place = Place::new();
    let dir = output.path().to_str().expect("a path");
    let read = |_: &u8| {
        for _ in 0..3 {
            let _ = fs::remove_file(output.index());
            let ended = place.rebut(&["stats", dir, "--include-rehearsals"]);
            assert_eq!((ended.code, &*ended.stderr), (0, ""));
        }
    };
    each(&[0, 1, 2, 3], read);
    assert_eq!(output.facts(), expected);
    assert_eq!(
        list(&output.path().join(".rebut/stats")).len(),
        1,
        "nothing is left beside the index"
    );
}

proptest! {
    #![proptest_config(ProptestConfig {
        rng_seed: proptest::test_runner::RngSeed::Fixed(1),
        cases: 256,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

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
    assert!(
        corpus
            .damaged
            .iter()
            .all(|(_, cause)| cause.contains("trace.json: "))
    );
    corpus
}
