//! What a request is for, told from its seed: that follows from the debate's seed, the call's name and the attempt (row M6).
//! Journals and the snapshots that they name hold the seeds of debates, so no word of a prompt is looked at.

use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
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
    /// The names of the journals that were read; a finished debate's keeps its name elsewhere.
    read: HashSet<OsString>,
    debates: Vec<Debate>,
    /// Name and attempt.
    by_seed: HashMap<u32, String>,
}

#[derive(Deserialize)]
struct Debate {
    seed: u64,
    participants: Vec<Participant>,
    /// Where its journal was.
    #[serde(skip)]
    journal: PathBuf,
    /// How far its names are worked out.
    #[serde(skip)]
    level: usize,
}

#[derive(Deserialize)]
struct Participant {
    id: String,
}

/// Which calls are thought of together: most runs need the few of the first level, and thousands of digests take long.
struct Level {
    /// The last round.
    rounds: u32,
    /// The last attempt.
    attempts: u32,
    /// With calls that follow on so many attempts of others, each with so many attempts.
    asides: u32,
}

const LEVELS: [Level; 5] =
    [level(3, 1, 0), level(3, 3, 1), level(9, 3, 1), level(4, 3, 3), level(40, 12, 3)];

const fn level(rounds: u32, attempts: u32, asides: u32) -> Level {
    Level { rounds, attempts, asides }
}

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
        // Whoever calls is hardly ever done: of hundreds of debates a few are thought of.
        for of_all in [false, true] {
            for level in 1..=LEVELS.len() {
                if !self.by_seed.contains_key(&seed) {
                    self.work_out(level, of_all);
                }
            }
        }
        self.by_seed.get(&seed).cloned().unwrap_or_default()
    }

    /// Reads the journals in output directories, which may be so far below.
    fn look_for_debates(&mut self, directory: &Path, depth: usize) {
        let state = directory.join(".rebut");
        for path in ["running", "journals"].map(|name| list(&state.join(name))).concat() {
            let name = path.file_name().expect("a name");
            if !self.read.contains(name)
                && let Some(debate) = debate_of(directory, &path)
            {
                self.debates.push(debate);
                self.read.insert(name.to_owned());
            }
        }
        for below in list(directory).iter().filter(|_| depth > 0) {
            self.look_for_debates(below, depth - 1);
        }
    }

    fn work_out(&mut self, level: usize, of_all: bool) {
        let is_meant = |it: &&mut Debate| it.level < level && (of_all || it.is_running());
        for debate in self.debates.iter_mut().filter(is_meant) {
            debate.level = level;
            for (name, attempt) in debate.names(&LEVELS[level - 1]) {
                let seed = call_seed(debate.seed, &name, attempt);
                self.by_seed.insert(seed, format!("{name}#{attempt}"));
            }
        }
    }
}

impl Debate {
    fn is_running(&self) -> bool {
        let is_where_running_are = |it: &Path| it.ends_with(".rebut/running");
        self.journal.parent().is_some_and(is_where_running_are) && self.journal.is_file()
    }

    fn names(&self, level: &Level) -> Vec<(String, u32)> {
        let mut names: Vec<String> = (0..=level.rounds)
            .flat_map(|n| self.names_of(&format!("round-{n}"), &IN_ROUNDS))
            .collect();
        for stage in ["opening", "closing", "extra-1", "extra-2", "extra-3", "final", "end"] {
            names.extend(self.names_of(stage, &OUTSIDE_ROUNDS));
        }
        if self.participants.iter().any(|it| it.id == "moderator") {
            let statements = 1..=60;
            names.extend(
                statements.flat_map(|n| self.names_of(&format!("statement-{n}"), &ON_STATEMENTS)),
            );
        }
        let attempts = |name: String| (1..=level.attempts).map(move |n| (name.clone(), n));
        let asides = asides(&names, level.asides);
        names.into_iter().flat_map(attempts).chain(asides).collect()
    }

    fn names_of(&self, stage: &str, kinds: &[&str]) -> Vec<String> {
        let ids = self.participants.iter().map(|it| &it.id);
        let each = |id: &String| -> Vec<String> {
            kinds.iter().map(|kind| format!("{stage}/{kind}/{id}")).collect()
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

/// Calls that follow on so many attempts of others, each with so many attempts.
fn asides(names: &[String], most: u32) -> Vec<(String, u32)> {
    let following = |name: &String| {
        let again = name.rsplit_once('/').map(|(stage, who)| format!("{stage}-again/{who}"));
        let asides: Vec<String> = ["refusal", "doubt"]
            .into_iter()
            .flat_map(|aside| (1..=most).map(move |n| format!("{aside}-{n}")))
            .map(|aside| format!("{name}/{aside}"))
            .collect();
        asides.into_iter().chain(again)
    };
    let attempts = |name: String| (1..=most).map(move |n| (name.clone(), n));
    names.iter().flat_map(following).flat_map(attempts).collect()
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
    let text = journal.is_file().then(|| std::fs::read(journal))?.ok()?;
    let first = text.split_inclusive(|byte| *byte == b'\n').next()?;
    let contents = rebut::journal::parse(journal, first).ok()?;
    let inputs = snapshot::read(&OutputDir::at(output), contents.header()?).ok()?;
    let debate: Debate = serde_json::from_value(inputs["plan"].clone()).ok()?;
    Some(Debate { journal: journal.to_owned(), ..debate })
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
        ("opening/*, */verdict/*", "end/verdict-again/judge_1#1", false),
    ] {
        assert_eq!(matches(pattern, name), is_meant, "{pattern} {name}");
    }
}
