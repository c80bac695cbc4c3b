//! What a request is for, told from its seed: that follows from the debate's seed, the call's name and the attempt (row M6).
//! Journals and the snapshots that they name hold the seeds of debates, so no word of a prompt is looked at.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use mock_ollama::Call;
use rebut::digest::call_seed;
use rebut::store::layout::OutputDir;
use rebut::store::snapshot;
use serde::Deserialize;

use super::list;

/// The calls of debates below a directory, by their seeds.
pub(super) struct Names {
    below: PathBuf,
    read: HashSet<PathBuf>,
    debates: Vec<Debate>,
    /// Name and attempt.
    by_seed: HashMap<u32, String>,
}

#[derive(Deserialize)]
struct Debate {
    seed: u64,
    participants: Vec<Participant>,
    /// How far its names are worked out.
    #[serde(skip)]
    level: usize,
}

#[derive(Deserialize)]
struct Participant {
    id: String,
}

/// How many levels of names there are, each less likely than the one before.
const LEVELS: usize = 3;

impl Names {
    pub(super) fn below(directory: &Path) -> Self {
        Self {
            below: directory.to_owned(),
            read: HashSet::new(),
            debates: Vec::new(),
            by_seed: HashMap::new(),
        }
    }

    /// The name of a call with its attempt, as `round-1/ballot/position_y_2#1`; empty where it is no debate's.
    pub(super) fn of(&mut self, call: &Call) -> String {
        let seed = call.option("seed").and_then(serde_json::Value::as_u64);
        let Some(seed) = seed.and_then(|seed| u32::try_from(seed).ok()) else {
            return String::new();
        };
        if !self.by_seed.contains_key(&seed) {
            self.look_for_debates(&self.below.clone(), 2);
        }
        for level in 1..=LEVELS {
            if !self.by_seed.contains_key(&seed) {
                self.work_out(level);
            }
        }
        self.by_seed.get(&seed).cloned().unwrap_or_default()
    }

    /// Reads the journals in output directories, which may be so far below.
    fn look_for_debates(&mut self, directory: &Path, depth: usize) {
        let state = directory.join(".rebut");
        for path in ["running", "journals"]
            .map(|name| list(&state.join(name)))
            .concat()
        {
            if !self.read.contains(&path)
                && let Some(debate) = debate_of(directory, &path)
            {
                self.debates.push(debate);
                self.read.insert(path);
            }
        }
        for below in list(directory).iter().filter(|_| depth > 0) {
            self.look_for_debates(below, depth - 1);
        }
    }

    fn work_out(&mut self, level: usize) {
        for debate in self.debates.iter_mut().filter(|it| it.level < level) {
            debate.level = level;
            for (name, attempt) in debate.names(level) {
                let seed = call_seed(debate.seed, &name, attempt);
                self.by_seed.insert(seed, format!("{name}#{attempt}"));
            }
        }
    }
}

impl Debate {
    fn names(&self, level: usize) -> Vec<(String, u32)> {
        let rounds = if level < LEVELS { 0..=9 } else { 0..=40 };
        let names = rounds.flat_map(|n| self.names_of(&format!("round-{n}"), &IN_ROUNDS));
        let mut names: Vec<String> = names.collect();
        for stage in [
            "opening", "closing", "extra-1", "extra-2", "extra-3", "final", "end",
        ] {
            names.extend(self.names_of(stage, &OUTSIDE_ROUNDS));
        }
        if self.participants.iter().any(|it| it.id == "moderator") {
            let statements = 1..=60;
            names.extend(
                statements.flat_map(|n| self.names_of(&format!("statement-{n}"), &ON_STATEMENTS)),
            );
        }
        match level {
            1 => names.into_iter().map(|name| (name, 1)).collect(),
            2 => again(names, &[2, 3]),
            _ => again(names, &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]),
        }
    }

    fn names_of(&self, stage: &str, kinds: &[&str]) -> Vec<String> {
        let ids = self.participants.iter().map(|it| &it.id);
        let each = |id: &String| -> Vec<String> {
            kinds
                .iter()
                .map(|kind| format!("{stage}/{kind}/{id}"))
                .collect()
        };
        let clerk = format!("{stage}/clerk");
        ids.flat_map(each).chain([clerk]).collect()
    }
}

const IN_ROUNDS: [&str; 9] = [
    "sample",
    "draft",
    "statement",
    "rebuttal",
    "ballot",
    "stance",
    "comment",
    "summary",
    "ruling",
];
const OUTSIDE_ROUNDS: [&str; 11] = [
    "final-answer",
    "compare",
    "compare-reversed",
    "narrative",
    "statement",
    "stance",
    "summary",
    "verdict",
    "verdict-reversed",
    "answer",
    "synthesis",
];
const ON_STATEMENTS: [&str; 4] = ["reply", "interjection", "fact_check", "check"];

/// Later attempts, and calls that follow on others.
fn again(names: Vec<String>, attempts: &[u32]) -> Vec<(String, u32)> {
    let mut all = Vec::new();
    for name in names {
        let asides = ["refusal", "doubt"].into_iter();
        let aside = |aside| (1..=3).map(move |n| format!("{aside}-{n}"));
        let asides = asides.flat_map(aside);
        let mut follow: Vec<String> = asides.map(|aside| format!("{name}/{aside}")).collect();
        if let Some((stage, who)) = name.rsplit_once('/') {
            follow.push(format!("{stage}-again/{who}"));
        }
        for name in follow {
            all.extend((1..=3).map(|n| (name.clone(), n)));
        }
        all.extend(attempts.iter().map(|n| (name.clone(), *n)));
    }
    all
}

/// Whether a name with its attempt is one of those that a pattern means: several stand between commas, a star takes the place
/// of anything, and without an attempt all are meant.
pub(super) fn matches(pattern: &str, name: &str) -> bool {
    pattern.split(", ").any(|pattern| {
        let whole = name.split('#').next().unwrap_or_default();
        glob(pattern, if pattern.contains('#') { name } else { whole })
    })
}

/// The debate that a journal says it is of, once it does.
fn debate_of(output: &Path, journal: &Path) -> Option<Debate> {
    let text = journal.is_file().then(|| std::fs::read(journal));
    let text = text?.ok()?;
    let first = text.split_inclusive(|byte| *byte == b'\n').next()?;
    let contents = rebut::journal::parse(journal, first).ok()?;
    let inputs = snapshot::read(&OutputDir::at(output), contents.header()?).ok()?;
    serde_json::from_value(inputs["plan"].clone()).ok()
}

fn glob(pattern: &str, text: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == text,
        Some((before, rest)) => text.strip_prefix(before).is_some_and(|text| {
            let mut ends = text.char_indices().map(|(at, _)| at).chain([text.len()]);
            ends.any(|at| glob(rest, &text[at..]))
        }),
    }
}

#[test]
fn m6_patterns_of_names_mean_what_they_say() {
    for (pattern, name, is_meant) in [
        ("round-1/ballot/*", "round-1/ballot/position_y_2#1", true),
        ("round-1/ballot/*", "round-11/ballot/position_y_2#1", false),
        ("round-*/clerk", "round-3/clerk#2", true),
        ("round-*/clerk#1", "round-3/clerk#2", false),
        ("opening/*, */verdict/*", "end/verdict/judge_1#1", true),
        (
            "opening/*, */verdict/*",
            "end/verdict-again/judge_1#1",
            false,
        ),
    ] {
        assert_eq!(matches(pattern, name), is_meant, "{pattern} {name}");
    }
}
