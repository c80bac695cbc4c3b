//! Row F3: a batch in parts, on machines without a server between them, and its outputs in one.

use std::collections::BTreeSet;
use std::fs;

use crate::harness::{Place, SHORT_JOB, copy, debates_in, has, lacks, name_of, read};

const MODELS: &str = "matrix: {x.model: [a, b, c, d, e, f, g, h]}\n";

/// A batch of eight debates that two machines share.
fn shared() -> Place {
    let place = Place::new();
    place.write("job.yaml", &format!("{SHORT_JOB}{MODELS}"));
    for (shard, out) in [("1/2", "one"), ("2/2", "two")] {
        let run = ["run", "--rehearse", "job.yaml", "--shard", shard, "-o", out];
        place.rebut_exits(0, &run);
    }
    place
}

/// The names of the debates' directories.
fn debates(place: &Place, out: &str) -> BTreeSet<String> {
    let list = read(&place.path().join(out).join("index.jsonl"));
    let lines = list.lines().map(|line| {
        let line: serde_json::Value = serde_json::from_str(line).expect("JSON");
        line["id"].as_str().expect("an id").to_owned()
    });
    lines.collect()
}

#[test]
fn f3_shards_play_every_debate_once_and_merge_into_what_one_machine_would_have() {
    let place = shared();
    let (one, two) = (debates(&place, "one"), debates(&place, "two"));
    assert!(!one.is_empty() && !two.is_empty() && one.is_disjoint(&two));
    let merged = place.rebut_exits(0, &["merge", "one", "two", "-o", "all"]);
    assert_eq!(merged.stdout, "merged 8 debates\nall debates: all/index.md\n");
    let all: BTreeSet<String> = one.union(&two).cloned().collect();
    assert_eq!(debates(&place, "all"), all);
    // Nothing is left to run, and what was asked is known.
    let again = place.rebut_exits(0, &["run", "--rehearse", "job.yaml", "-o", "all"]);
    has(&(again.stdout + &again.stderr), "8");
    assert_eq!(debates(&place, "all"), all);
    let id = all.first().expect("a debate");
    let calls = place.rebut_exits(0, &["show", id, "calls", "-o", "all"]);
    has(&calls.stdout, "round-1");
    let again = place.rebut_exits(0, &["merge", "one", "two", "-o", "all"]);
    assert_eq!(again.stdout, "merged 0 debates, 8 already present\nall debates: all/index.md\n");
}

#[test]
fn f3_merging_replaces_nothing_and_follows_no_link() {
    let place = shared();
    place.rebut_exits(0, &["merge", "one", "-o", "all"]);
    let mut day = fs::read_dir(place.path().join("one"))
        .expect("a directory")
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.join("index.md").is_file());
    let day = day.next().expect("a day");
    let mut dir = fs::read_dir(&day)
        .expect("a day")
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.is_dir());
    let dir = dir.next().expect("a debate");
    let trace = dir.join("trace.json");
    fs::write(&trace, read(&trace).replacen("\"started_at\": \"2", "\"started_at\": \"1", 1))
        .expect("room");
    let merged = place.rebut_exits(1, &["merge", "one", "-o", "all"]);
    has(&merged.stderr, ": another run of this debate, with other replies, is here and stays; ");
    has(&merged.stdout, ", 1 skipped");
    let names = [&day, &dir].map(|path| path.file_name().expect("a name"));
    let here = names.iter().fold(place.path().join("all"), |path, name| path.join(name));
    fs::write(here.join("trace.json"), "{").expect("room");
    let merged = place.rebut_exits(1, &["merge", "one", "-o", "all"]);
    has(
        &merged.stderr,
        ": it exists here, but its trace cannot be read: move the directory here away and merge again",
    );
    #[cfg(unix)]
    {
        fs::write(place.path().join("secret"), "secret").expect("room");
        let link = dir.join("messages/999_link.md");
        std::os::unix::fs::symlink(place.path().join("secret"), link).expect("a link");
        place.rebut_exits(0, &["merge", "one", "-o", "other"]);
        let name = dir.file_name().expect("a name");
        let copy = place.path().join("other").join(day.file_name().expect("a day")).join(name);
        assert!(copy.join("trace.json").is_file());
        assert!(!copy.join("messages/999_link.md").exists());
    }
}

#[test]
fn f3_what_was_rated_since_is_present_and_what_is_not_copied_is_told() {
    let place = Place::new();
    place.write("job.yaml", SHORT_JOB);
    place.rebut_exits(0, &["run", "--rehearse", "job.yaml", "-o", "one"]);
    place.rebut_exits(0, &["merge", "one", "-o", "all"]);
    place.rebut_exits(0, &["rate", "last", "6", "-o", "all"]);
    let merge = || place.rebut_exits(0, &["merge", "one", "-o", "all"]);
    let merged = merge();
    has(&merged.stdout, "merged 0 debates, 1 already present");
    lacks(&merged.stderr, &["not copied"]);
    place.rebut_exits(0, &["rate", "last", "7", "-o", "one"]);
    has(&merge().stderr, "not copied: labels, verdicts or ratings of 1 debate already present");
}

#[test]
fn f3_a_debate_that_two_have_under_two_names_is_taken_once() {
    let place = Place::new();
    place.write("job.yaml", SHORT_JOB);
    place.rebut_exits(0, &["run", "--rehearse", "job.yaml", "-o", "one"]);
    copy(&place.path().join("one"), &place.path().join("two"));
    let [dir] = &debates_in(&place.path().join("two"))[..] else { panic!("one debate") };
    let name = name_of(dir);
    let (_, short) = name.rsplit_once('_').expect("an id");
    let day = place.path().join("two/2020-01-01");
    fs::create_dir(&day).expect("a day");
    fs::rename(dir, day.join(format!("2020-01-01T00-00-00_job_{short}"))).expect("a debate");
    let merged = place.rebut_exits(0, &["merge", "one", "two", "-o", "all"]);
    has(&merged.stdout, "merged 1 debate, 1 already present");
    assert_eq!(debates_in(&place.path().join("all")).len(), 1);
}

#[test]
fn f3_a_damaged_debate_is_left_and_said() {
    let place = shared();
    let damaged = debates_in(&place.path().join("one"));
    let all = debates(&place, "one").len();
    let whole = read(&damaged[0].join("trace.json"));
    for cut in [0, whole.len() / 2] {
        fs::write(damaged[0].join("trace.json"), &whole[..cut]).expect("room");
        let merged = place.rebut_exits(1, &["merge", "one", "-o", "all"]);
        has(&merged.stderr, ": trace.json: incomplete");
        has(&merged.stdout, ", 1 skipped");
        assert_eq!(debates(&place, "all").len(), all - 1);
    }
    fs::write(damaged[0].join("trace.json"), whole).expect("room");
    place.rebut_exits(0, &["merge", "one", "-o", "all"]);
    assert_eq!(debates(&place, "all").len(), all);
}

#[test]
fn f3_a_part_that_is_none_is_refused() {
    let place = Place::new();
    place.write("job.yaml", SHORT_JOB);
    let ran = place.rebut_exits(2, &["run", "--rehearse", "job.yaml", "--shard", "3/2"]);
    has(&ran.stderr, "use K/N with K from 1 to N, for example 2/8");
}
