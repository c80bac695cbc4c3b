//! Row J1: whatever is wrong with a job file is said with its line and what to do about it, all at once, never by a panic.
//!
//! A file in `tests/bad-jobs` is named after its fault; the `.txt` beside it is the whole message. `SNAPSHOTS=overwrite`
//! writes the messages anew.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::harness::properties::properties;
use proptest::prelude::{Strategy, any};
use proptest::sample::{Index, select};
use proptest::test_runner::TestRunner;
use proptest::{collection, prop_oneof};
use rebut::job::problem::{self, Problem};
use rebut::templates::Templates;
use snapbox::assert::DEFAULT_ACTION_ENV;
use snapbox::data::DataFormat;
use snapbox::{Assert, Data, IntoData};

use crate::harness::{Place, ended, list, parsed_job, read};

/// Keys whose own keys are free: names, paths or scores that the user chooses.
const FREE: [&str; 9] = [
    // A text of several lines, in which a colon may stand.
    "query",
    "tags",
    "background",
    "criteria",
    "guide",
    "matrix",
    "exclude",
    "include",
    "stances",
];

/// What mutations put into a job: what means something in YAML, and what often goes wrong in it.
const PIECES: [&str; 36] = [
    "", " ", "  ", "\n", "\n  ", "\n- ", "\t", "\r\n", ": ", ":", "- ", ", ", "{", "}", "[", "]",
    "\"", "'", "#", "&a ", "*a", "!!int ", "? ", "| ", ">-\n", "---\n", "...\n", "%YAML\n", "null",
    "~", "-1", "1e999", "topic: ", "y.0.", "\u{feff}", "\u{0}",
];

#[test]
fn j1_every_faulty_job_is_refused_with_its_whole_message() {
    let place = Place::new();
    let files = list(&below_manifest("tests/bad-jobs")).into_iter().filter(|path| path.is_file());
    let (messages, jobs): (Vec<PathBuf>, Vec<PathBuf>) =
        files.partition(|path| path.extension() == Some(OsStr::new("txt")));
    assert!(jobs.len() >= 170, "only {} faulty jobs", jobs.len());
    for message in &messages {
        let has_job = jobs.iter().any(|job| job.file_stem() == message.file_stem());
        assert!(has_job, "{} has no job file", message.display());
    }
    let wrong: Vec<String> = jobs.iter().filter_map(|job| refusal(&place, job).err()).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Checks that a faulty job is refused with the message beside it; says what differs.
fn refusal(place: &Place, job: &Path) -> Result<(), String> {
    let name = job.file_name().expect("a file has a name").to_string_lossy().into_owned();
    let output = place
        .command(&["check", &name])
        .current_dir(job.parent().expect("a file has a directory"))
        .output();
    let ended = ended(&output.expect("the binary starts"));
    if ended.code != 2 || !ended.stdout.is_empty() || ended.stderr.contains("panicked") {
        return Err(format!("{name}: exit {}\n{}\n{}", ended.code, ended.stdout, ended.stderr));
    }
    let expected = Data::read_from(&job.with_extension("txt"), Some(DataFormat::Text)).raw();
    let compared = Assert::new().action_env(DEFAULT_ACTION_ENV).try_eq(
        Some(&name),
        ended.stderr.into_data(),
        expected,
    );
    compared.map_err(|difference| difference.to_string())
}

#[test]
fn j1_every_key_of_the_shipped_jobs_misspelt_is_refused_with_the_right_key_named() {
    let templates = Templates::load(None).expect("the built-in templates");
    // A key at the same depth is tried once: jobs have most of them in common.
    let mut tried = BTreeSet::new();
    for (path, source) in shipped_jobs() {
        let unedited = parse(&path, &source, &templates);
        assert!(unedited.is_empty(), "{unedited:?}");
        for key in schema_keys(&source) {
            if tried.insert((key.start, key.key.clone())) {
                assert_refused(&path, &source, &key, &templates);
            }
        }
    }
    let keys = tried.len();
    assert!(keys >= 80, "only {keys} keys were found in the shipped jobs");
}

/// A key in a job's text: its line and its first byte there, both counted from 0.
#[derive(Debug)]
struct KeyAt {
    line: usize,
    start: usize,
    key: String,
}

fn assert_refused(path: &Path, source: &str, key: &KeyAt, templates: &Templates) {
    let misspelt = format!("{}{}", key.key, &key.key[key.key.len() - 1..]);
    let problems = parse(path, &with_key(source, key, &misspelt), templates);
    let (cause, remedy) =
        (format!("unknown key `{misspelt}`"), format!("did you mean `{}`?", key.key));
    let place = problem::Place::At { line: key.line + 1, column: key.start + 1 };
    let named =
        |p: &Problem| p.place == place && p.cause.contains(&cause) && p.remedy.contains(&remedy);
    assert!(problems.iter().any(named), "{}: {key:?} misspelt gives {problems:#?}", path.display());
    // What was meant for it is told; that it is missing need not be, too.
    let absent = ["there is no", "has no"].map(|words| format!("{words} `{}`", key.key));
    let is_absent = |p: &Problem| absent.iter().any(|words| p.cause.contains(words));
    assert!(!problems.iter().any(is_absent), "{key:?} misspelt gives {problems:#?}");
}

fn with_key(source: &str, key: &KeyAt, written: &str) -> String {
    let mut lines: Vec<String> = source.lines().map(str::to_owned).collect();
    lines[key.line].replace_range(key.start..key.start + key.key.len(), written);
    lines.join("\n")
}

/// The keys in a job that belong to the schema, found line by line. What stands below a key of `FREE` is left out.
fn schema_keys(source: &str) -> Vec<KeyAt> {
    let mut found = Vec::new();
    let mut free_below: Option<usize> = None;
    for (line, text) in source.lines().enumerate() {
        let code = without_comment(text);
        let indent = code.len() - code.trim_start().len();
        if code.trim().is_empty() || free_below.is_some_and(|free| indent > free) {
            continue;
        }
        let keys = keys_in(code);
        let free = keys.iter().position(|(_, key)| FREE.contains(key));
        free_below = free.map(|_| indent);
        let belonging = keys.into_iter().take(free.map_or(usize::MAX, |free| free + 1));
        found.extend(belonging.map(|(start, key)| KeyAt { line, start, key: key.to_owned() }));
    }
    found
}

fn without_comment(line: &str) -> &str {
    if line.trim_start().starts_with('#') { "" } else { line.split(" #").next().unwrap_or(line) }
}

/// Every `key:` of a line with its first byte: at the line's start, behind a dash, or inside a flow mapping.
fn keys_in(code: &str) -> Vec<(usize, &str)> {
    let ends = code
        .match_indices(':')
        .map(|(at, _)| at)
        .filter(|at| matches!(code[at + 1..].chars().next(), None | Some(' ')));
    let keys = ends.map(|end| {
        let start = code[..end]
            .rfind(|c: char| !c.is_ascii_lowercase() && c != '_')
            .map_or(0, |before| before + 1);
        (start, &code[start..end])
    });
    keys.filter(|(start, key)| !key.is_empty() && is_before_key(&code[..*start])).collect()
}

fn is_before_key(before: &str) -> bool {
    let before = before.trim_end();
    before.is_empty() || before.ends_with(['-', '{', ','])
}

#[test]
fn j1_several_problems_are_reported_in_one_go() {
    let place = Place::new();
    place.write(
        "night.yaml",
        "topic: Why?\nround: 4\nx: {persona: pro-choise}\ny:\n  - {name: Bob, name: Bert}\n  - {modle: mistral}\nseed:\nbackground: facts.md\n",
    );
    let expected = [
        (1, "`topic` has 4 characters"),
        (2, "unknown key `round`"),
        (3, "there is no persona \"pro-choise\""),
        (5, "`name` is given twice"),
        (6, "unknown key `modle` in `y.1`"),
        (7, "`seed` has no value"),
        (8, "facts.md"),
    ];
    let ended = place.rebut_exits(2, &["check", "night.yaml"]);
    let reported: Vec<&str> = ended.stderr.split("night.yaml:").skip(1).collect();
    assert_eq!(reported.len(), expected.len(), "{}", ended.stderr);
    for (message, (line, cause)) in reported.iter().zip(expected) {
        let complete = message.starts_with(&format!("{line}:"))
            && message.contains(cause)
            && message.contains("\n    hint: ");
        assert!(complete, "line {line}, {cause}, a remedy: {message}");
    }
}

#[test]
fn j1_no_text_makes_the_parser_panic() {
    let templates = Templates::load(None).expect("the built-in templates");
    let path = below_manifest("jobs/any.yaml");
    let config = properties(200);
    let result =
        TestRunner::new(config).run(&prop_oneof![1 => any_text(), 3 => mutated_job()], |text| {
            parse(&path, &text, &templates).iter().for_each(|problem| drop(problem.to_string()));
            Ok(())
        });
    assert!(result.is_ok(), "{result:?}");
}

fn any_text() -> impl Strategy<Value = String> {
    let anything = collection::vec(any::<char>(), 0..300).prop_map(String::from_iter);
    let yaml_like = collection::vec(piece(), 0..60).prop_map(|pieces| pieces.concat());
    prop_oneof![anything, yaml_like]
}

fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        select(PIECES.as_slice()).prop_map(str::to_owned),
        any::<char>().prop_map(String::from)
    ]
}

/// A shipped job in which up to eight stretches are replaced by pieces.
fn mutated_job() -> impl Strategy<Value = String> {
    let sources: Vec<String> = shipped_jobs().into_iter().map(|(_, source)| source).collect();
    let length = prop_oneof![3 => 0_usize..4, 1 => 4_usize..80];
    let edits = collection::vec((any::<Index>(), length, piece()), 1..8);
    (select(sources), edits)
        .prop_map(|(source, edits)| edits.iter().fold(source, |text, edit| replaced(&text, edit)))
}

fn replaced(text: &str, (at, length, piece): &(Index, usize, String)) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    let from = at.index(chars.len() + 1);
    let to = chars.len().min(from + length);
    chars.splice(from..to, piece.chars());
    chars.into_iter().collect()
}

fn parse(path: &Path, source: &str, templates: &Templates) -> Vec<Problem> {
    parsed_job(path, source, templates).err().unwrap_or_default()
}

/// The jobs that come with the program: the examples and the starter job.
fn shipped_jobs() -> Vec<(PathBuf, String)> {
    let examples = list(&below_manifest("jobs"))
        .into_iter()
        .filter(|path| path.extension() == Some(OsStr::new("yaml")));
    let starter = below_manifest("templates/jobs/knockout.yaml");
    examples.chain([starter]).map(|path| (path.clone(), read(&path))).collect()
}

fn below_manifest(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}
