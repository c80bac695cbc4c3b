//! What all shipped jobs write when they are rehearsed, as it was written before; and debates that an older build began.
//! A change of prompts, formats or artifacts changes the digests: `SNAPSHOTS=overwrite cargo test --test it rehearsed`
//! writes them again, so that no file changes unseen. Times are blanked (row J8); `facts.json` is a cache and left out.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use rebut::digest;
use serde_json::{Value, json};

use crate::harness::{Place, blanked, list, name_of, read};

/// One line per debate: job and short id, the digest of its files, the digest of its requests.
const DIGESTS: &str = "tests/fixtures/rehearsed.txt";

/// As many debates as are rehearsed of the tournament, which has 480.
const OF_TOURNAMENT: &str = "12";

fn beside(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// The line of a debate.
fn line(output: &Path, debate: &Path) -> String {
    let name = name_of(debate);
    let (_, job_and_id) = name.split_once('_').expect("a time, a job and an id");
    let mut files = blanked(debate);
    files.remove("facts.json");
    let requests = requests(output, name.rsplit('_').next().expect("an id"));
    let [files, requests] = [json!(files), requests].map(|value| digest::of_json(&value));
    format!("{job_and_id} files {} requests {}\n", &files[..16], &requests[..16])
}

/// The names of a debate's calls with attempt and digest, sorted: those of one poll arrive in any order.
fn requests(output: &Path, short_id: &str) -> Value {
    let journals = list(&output.join(".rebut/journals")).into_iter();
    let mut journal = journals.filter(|path| name_of(path).starts_with(short_id));
    let journal = read(&journal.next_back().expect("a journal"));
    let entries = journal.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let keys = ["kind", "inputs", "name", "call", "attempt", "digest"];
    let told = |entry: Value| keys.map(|key| entry[key].to_string());
    json!(entries.map(told).collect::<BTreeSet<_>>())
}

fn lines_in(place: &Place) -> String {
    let output = place.path().join("output");
    let lines = place.debates().into_iter().map(|debate| line(&output, &debate));
    lines.collect::<BTreeSet<_>>().into_iter().collect()
}

#[test]
fn j8_shipped_jobs_rehearsed_write_what_they_wrote() {
    let place = Place::new();
    let (tournament, others): (Vec<_>, Vec<_>) = list(&beside("jobs"))
        .into_iter()
        .filter(|path| path.extension().is_some_and(|ending| ending == "yaml"))
        .map(|path| path.display().to_string())
        .partition(|path| path.ends_with("tournament.yaml"));
    let others: Vec<&str> = others.iter().map(String::as_str).collect();
    for args in [&others[..], &[&tournament[0], "--limit", OF_TOURNAMENT]] {
        place.run_exits(0, &[&["--rehearse"], args].concat());
    }
    let now = lines_in(&place);
    if std::env::var_os("SNAPSHOTS").is_some_and(|how| how == "overwrite") {
        fs::write(beside(DIGESTS), &now).expect("a snapshot");
    }
    assert_eq!(now, read(&beside(DIGESTS)));
}

/// One shipped job per format.
const ONE_PER_FORMAT: [&str; 5] =
    ["quickstart", "agi-impact", "carbon-tax", "incident-review", "dialectic"];

fn rehearsed(place: &Place) {
    let path = |job| beside("jobs").join(format!("{job}.yaml")).display().to_string();
    let jobs = ONE_PER_FORMAT.map(path);
    place.run_exits(0, &[&["--rehearse"], &jobs.each_ref().map(String::as_str)[..]].concat());
}

#[test]
fn j4_debates_that_were_cut_off_go_on_and_write_what_they_wrote() {
    let (whole, place) = (Place::new(), Place::new());
    rehearsed(&whole);
    let state = whole.path().join("output/.rebut");
    for file in list(&state.join("inputs")) {
        let path = format!("output/.rebut/inputs/{}", name_of(&file));
        place.write(&path, &read(&file));
    }
    let begun: BTreeMap<String, String> = journals_below(&state.join("journals"))
        .into_iter()
        .map(|(id, journal)| (id, three_fifths(&journal)))
        .collect();
    for (id, journal) in &begun {
        place.write(&format!("output/.rebut/running/{id}.jsonl"), journal);
    }
    rehearsed(&place);
    let ended = journals_below(&place.path().join("output/.rebut/journals"));
    assert!(ended.keys().eq(begun.keys()), "{:?}", ended.keys());
    for (id, journal) in &begun {
        assert!(ended[id].starts_with(journal), "{id} asked again");
    }
    let as_written: BTreeSet<_> = read(&beside(DIGESTS)).lines().map(str::to_owned).collect();
    let now: BTreeSet<_> = lines_in(&place).lines().map(str::to_owned).collect();
    assert!(now.is_subset(&as_written), "{now:#?}");
}

/// The first three fifths of a journal's lines.
fn three_fifths(journal: &str) -> String {
    let lines: Vec<&str> = journal.lines().collect();
    lines[..lines.len() * 3 / 5].join("\n") + "\n"
}

/// Version 2 of plans gives other ids: what 0.1 began stays as it is, and is named.
#[test]
fn j9a_debates_that_0_1_began_are_named_and_left_as_they_are() {
    let place = Place::new();
    for part in ["running", "inputs"] {
        for file in list(&beside("tests/fixtures/begun-by-0.1").join(part)) {
            let path = format!("output/.rebut/{part}/{}", name_of(&file));
            place.write(&path, &read(&file));
        }
    }
    let job = beside("jobs/quickstart.yaml").display().to_string();
    let ended = place.run_exits(0, &["--rehearse", &job]);
    let told = "1 earlier debate left unfinished with other settings: 80877c20e01e";
    assert!(ended.stderr.contains(told), "{}", ended.stderr);
    let begun = beside("tests/fixtures/begun-by-0.1/running");
    let left = place.path().join("output/.rebut/running");
    assert_eq!(journals_below(&left), journals_below(&begun));
}

fn journals_below(dir: &Path) -> BTreeMap<String, String> {
    let journals = list(dir).into_iter();
    journals.map(|path| (name_of(&path).replace(".jsonl", ""), read(&path))).collect()
}
