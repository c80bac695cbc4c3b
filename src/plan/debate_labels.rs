//! What distinguishes the debates of a job, for lists with little room: for each varying path, the part of its value
//! that differs from the others.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound::{Excluded, Unbounded};

use serde_json::{Map, Value};

use crate::text;

/// Characters of one value.
const VALUE: usize = 40;
/// Characters of all values together.
const ALL: usize = 120;
/// Characters of a value's end that are shown at least.
const END: usize = 24;
/// Characters before the difference that are shown at most, to its word's beginning.
const LEAD: usize = 12;

/// The debates of jobs, by the jobs' names.
#[derive(Debug, Clone, Default)]
pub struct DebateLabels(BTreeMap<String, JobCells>);

/// The cells of one job's debates.
#[derive(Debug, Clone, Default)]
struct JobCells {
    count: usize,
    /// Whether some debate is not the first run of its setting.
    is_repeated: bool,
    paths: BTreeMap<String, PathValues>,
}

/// The values of one path.
#[derive(Debug, Clone, Default)]
struct PathValues {
    /// Each value, and its number in the order of their first appearance, from 1.
    known: BTreeMap<String, u64>,
    /// Whether some cell lacks the path.
    is_absent: bool,
    /// Bytes of all values.
    length: usize,
    /// A number that is the same for paths whose values always change together.
    course: u64,
}

impl PathValues {
    fn take(&mut self, value: Option<String>) {
        let next = self.known.len() as u64 + 1;
        let number = value.map_or(0, |value| {
            *self.known.entry(value).or_insert_with_key(|value| {
                self.length += value.len();
                next
            })
        });
        self.is_absent |= number == 0;
        // Multiplication spreads the numbers over all bits.
        self.course = (self.course.rotate_left(7) ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn varies(&self) -> bool {
        self.known.len() > 1 || self.is_absent
    }

    /// How many characters a value shares with the one that is most like it.
    fn shared(&self, value: &str) -> usize {
        // Values stand in order, so that is the one before or behind it.
        let mut before = self.known.range::<str, _>((Unbounded, Excluded(value)));
        let mut after = self.known.range::<str, _>((Excluded(value), Unbounded));
        let beside = [before.next_back(), after.next()];
        let shared = |(other, _): (&String, &u64)| {
            value.chars().zip(other.chars()).take_while(|(a, b)| a == b).count()
        };
        beside.into_iter().flatten().map(shared).max().unwrap_or(0)
    }
}

impl DebateLabels {
    /// How many debates of each job were taken in.
    pub fn counts(&self) -> impl Iterator<Item = (&String, usize)> {
        self.0.iter().map(|(job, cells)| (job, cells.count))
    }

    /// Notes a debate of a job.
    pub fn take(&mut self, job: &str, cell: &Map<String, Value>, repetition: u32) {
        let cells = self.0.entry(job.to_owned()).or_default();
        cells.is_repeated |= repetition > 1;
        for path in cell.keys() {
            if !cells.paths.contains_key(path) {
                let mut values = PathValues::default();
                (0..cells.count).for_each(|_| values.take(None));
                cells.paths.insert(path.clone(), values);
            }
        }
        for (path, values) in &mut cells.paths {
            values.take(cell.get(path).map(shown));
        }
        cells.count += 1;
    }

    /// What distinguishes a debate from others of its job, besides its topic or query: `x.model=llama3 run 2`. The first run is
    /// told where others are.
    pub fn label(&self, job: &str, cell: &Map<String, Value>, repetition: u32) -> String {
        let parts = self.parts(job, cell).into_iter();
        let parts = parts.map(|(path, value)| format!("{path}={value}"));
        text::shorten(&text::separated(parts.chain(self.run(job, repetition)), " "), ALL)
    }

    /// The same in words, given who argues against whom, or nothing where that cannot be told in a line:
    /// `Pro (llama3, economist) against Con (mistral, philosopher), run 2`.
    pub fn words(
        &self,
        job: &str,
        cell: &Map<String, Value>,
        repetition: u32,
        pairing: &str,
    ) -> String {
        let (mut parts, cells) = (self.parts(job, cell), self.0.get(job));
        let is_alone = cells.is_none_or(|cells| cells.count < 2);
        let before = parts.len();
        parts.retain(|(path, _)| pairing.is_empty() || !is_of_side(path, is_alone));
        let pairing = (parts.len() < before).then(|| pairing.to_owned());
        let has_controls = cells.is_some_and(|cells| cells.paths.contains_key(ARM));
        let is_debate = has_controls && !cell.contains_key(ARM) && pairing.is_none();
        let debate = is_debate.then(|| "debate".to_owned());
        let others = parts.into_iter().map(|(path, value)| in_words(path, &value));
        let all = pairing.into_iter().chain(debate).chain(others).chain(self.run(job, repetition));
        text::shorten(&all.collect::<Vec<_>>().join(", "), ALL)
    }

    /// The paths that tell a debate apart, each with its value, in the same order whatever debates are chosen: models first, which
    /// most lists have room for.
    fn parts<'c>(&self, job: &str, cell: &'c Map<String, Value>) -> Vec<(&'c str, String)> {
        let cells = self.0.get(job);
        let others = cell.iter().filter(|(path, _)| !SUBJECTS.contains(&path.as_str()));
        let mut parts: Vec<Part<'c>> =
            others.filter_map(|(path, value)| part(cells, path, value)).collect();
        parts.sort_by_key(|part| (part.length, part.path));
        // Of paths that always change together, the shortest is enough.
        // Nor need be told what changes with topic or query.
        let subjects = cells.into_iter().flat_map(JobCells::subjects);
        let mut told: BTreeSet<u64> = subjects.map(|values| values.course).collect();
        parts.retain(|part| part.course.is_none_or(|course| told.insert(course)));
        parts.sort_by_key(|part| (!part.path.ends_with("model"), part.path));
        parts.into_iter().map(|part| (part.path, part.value)).collect()
    }

    /// Which run of its setting a debate is, where there are several.
    fn run(&self, job: &str, repetition: u32) -> Option<String> {
        let is_repeated = repetition > 1 || self.0.get(job).is_some_and(|it| it.is_repeated);
        is_repeated.then(|| format!("run {repetition}"))
    }

    /// Whether all debates that were taken in have the same topic or query.
    pub fn have_one_subject(&self) -> bool {
        let mut subjects = self.0.values().flat_map(JobCells::subjects);
        self.0.len() == 1 && !subjects.any(PathValues::varies)
    }

    /// A topic or query in at most `most` characters, from where it differs from the others of its job.
    pub fn subject(&self, job: &str, question: &str, most: usize) -> String {
        let question = text::one_line(question);
        let subjects = self.0.get(job).into_iter().flat_map(JobCells::subjects);
        let shared = subjects.map(|values| values.shared(&question)).max();
        excerpt(&question, shared.unwrap_or(0), most)
    }
}

/// The paths of the subject, which lists show separately.
const SUBJECTS: [&str; 2] = ["topic", "query"];

impl JobCells {
    /// The values of topic and query.
    fn subjects(&self) -> impl Iterator<Item = &PathValues> {
        SUBJECTS.iter().filter_map(|path| self.paths.get(*path))
    }
}

/// The path of a control's kind.
pub const ARM: &str = "arm";

/// The keys of those who argue alone for a side.
pub const ALONE: [&str; 5] = ["a", "b", "x", "proposer", "skeptic"];

/// Whether the path is told by who argues against whom; positions only are of a debate that is alone.
pub fn is_of_side(path: &str, is_alone: bool) -> bool {
    path.split_once('.').is_some_and(|(who, what)| {
        let is_told = ["name", "model", "persona"].contains(&what);
        ALONE.contains(&who) && (is_told || (is_alone && what == "position"))
    })
}

/// What people read for a control's kind.
pub fn arm_in_words(arm: &str) -> String {
    if arm == "compare" { "one model alone".to_owned() } else { arm.replace('_', "-") }
}

/// A path with its value, for people: `control: self-consistency`, `a temperature 0.2`.
pub fn in_words(path: &str, value: &str) -> String {
    match (path, value) {
        (ARM, arm) => format!("control: {}", arm_in_words(arm)),
        ("swap", "0") => "sides not swapped".to_owned(),
        ("swap", _) => "sides swapped".to_owned(),
        _ => format!("{} {value}", path.replace(['.', '_'], " ")),
    }
}

/// A path of a cell.
struct Part<'c> {
    path: &'c str,
    value: String,
    course: Option<u64>,
    /// Of all its values and the path.
    length: usize,
}

/// A path with its value; nothing if it is the same in all debates of the job. All of the cell is shown for a debate that is
/// alone.
fn part<'c>(cells: Option<&JobCells>, path: &'c str, value: &Value) -> Option<Part<'c>> {
    let value = shown(value);
    let others = cells.filter(|cells| cells.count > 1);
    let Some(values) = others.and_then(|cells| cells.paths.get(path)) else {
        let value = excerpt(&value, 0, VALUE);
        return Some(Part { path, value, course: None, length: 0 });
    };
    let value = excerpt(&value, values.shared(&value), VALUE);
    let length = values.length + path.len() * values.known.len();
    values.varies().then_some(Part { path, value, course: Some(values.course), length })
}

/// A value in at most `most` characters. Where its beginning is shared with another value, its end is shown, or what stands
/// from the word on in which they begin to differ.
fn excerpt(value: &str, shared: usize, most: usize) -> String {
    let head = text::shorten(value, most);
    if head == value || head.chars().count() > shared + 1 {
        return head;
    }
    let chars: Vec<char> = value.chars().collect();
    let begins_word = |at: &usize| *at == 0 || chars[at - 1] == ' ';
    let word = (0..=shared).rfind(begins_word).unwrap_or(0).max(shared.saturating_sub(LEAD));
    // A short end alone says little.
    let room = chars.len().saturating_sub(END.min(most).saturating_sub(1));
    let from = (room..word).find(begins_word).unwrap_or(word);
    let rest: String = chars[from..].iter().collect();
    format!("…{}", text::shorten(&rest, most.saturating_sub(1)))
}

/// A value of a cell on one line.
pub(super) fn shown(value: &Value) -> String {
    let json = value.to_string();
    text::one_line(value.as_str().unwrap_or(&json))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn cell(value: Value) -> Map<String, Value> {
        value.as_object().unwrap().clone()
    }

    /// What is told of each of these cells.
    fn told(cells: &[Value]) -> Vec<String> {
        let mut labels = DebateLabels::default();
        let cells: Vec<_> = cells.iter().cloned().map(cell).collect();
        cells.iter().for_each(|cell| labels.take("job", cell, 1));
        cells.iter().map(|cell| labels.label("job", cell, 1)).collect()
    }

    const LONG: &str = "Everyone here has read the same report on traffic and air";

    #[test]
    fn j3_long_values_are_told_from_where_they_differ() {
        let values = ["in Leeds", "in Lisbon", "in Lima and Leeds"];
        let cells =
            values.map(|end| json!({"x.description": format!("{LONG} {end}"), "y.0.name": "Ann"}));
        assert_eq!(
            told(&cells),
            [
                "x.description=…and air in Leeds",
                "x.description=…and air in Lisbon",
                "x.description=…air in Lima and Leeds"
            ]
        );
        let word = "a".repeat(60);
        let cells = ["b", "c"].map(|end| json!({"x.name": format!("{word}{end}")}));
        assert_eq!(told(&cells), ["x.name=…aaaaaaaaaaaab", "x.name=…aaaaaaaaaaaac"]);
    }

    #[test]
    fn j3_what_is_the_same_or_changes_with_something_shorter_is_not_told() {
        let one = |topic: &str, position: &str, model: &str| {
            json!({"topic": topic, "x.position": position, "y.0.position": format!("Not {position}"),
                "x.model": model, "y.0.model": "phi4"})
        };
        assert_eq!(
            told(&[
                one("A?", "a", "llama3"),
                one("A?", "a", "qwen3"),
                one("B?", "b", "llama3"),
                one("B?", "b", "qwen3")
            ]),
            ["x.model=llama3", "x.model=qwen3", "x.model=llama3", "x.model=qwen3"]
        );
        // Without a topic that varies, the shorter of the positions tells.
        let one = |position: &str| json!({"x.position": position, "y.0.position": format!("Not {position}")});
        assert_eq!(told(&[one("a"), one("b")]), ["x.position=a", "x.position=b"]);
    }

    #[test]
    fn j3_included_cells_are_told_by_what_only_they_have() {
        let cells = [json!({"rounds": 2}), json!({"rounds": 2, "seed": 7}), json!({"seed": 7})];
        assert_eq!(told(&cells), ["rounds=2", "rounds=2 seed=7", "seed=7"]);
    }

    #[test]
    fn j3_sides_and_controls_are_told_in_words_and_keys_in_one_order() {
        let debate = |a: &str, b: &str| json!({"b.model": b, "a.model": a, "a.name": a});
        let cells = [
            debate("llama3", "phi4"),
            debate("phi4", "llama3"),
            debate("phi4", "phi4"),
            json!({"arm": "single"}),
        ];
        let mut labels = DebateLabels::default();
        let cells: Vec<_> = cells.into_iter().map(cell).collect();
        cells.iter().for_each(|cell| labels.take("job", cell, 1));
        let words = |at: usize, pairing| labels.words("job", &cells[at], 1, pairing);
        let pairing = "Ann (llama3) against Ben (phi4)";
        assert_eq!(words(0, pairing), pairing);
        assert_eq!(words(1, ""), "debate, b model llama3, a name phi4");
        assert_eq!(words(3, ""), "control: single");
    }

    #[test]
    fn j3_a_debate_that_is_alone_or_repeated_is_told_too() {
        let cell = cell(json!({"x.model": "llama3", "topic": "Why not?"}));
        let mut labels = DebateLabels::default();
        assert_eq!(labels.label("job", &cell, 1), "x.model=llama3");
        labels.take("job", &cell, 1);
        assert_eq!(labels.label("job", &cell, 1), "x.model=llama3");
        labels.take("job", &cell, 2);
        assert!(labels.have_one_subject());
        assert_eq!([1, 2].map(|run| labels.label("job", &cell, run)), ["run 1", "run 2"]);
    }

    #[test]
    fn j3_topics_are_told_from_where_they_differ() {
        let topics = ["in Leeds?", "in Lisbon?"].map(|end| format!("{LONG}: is it {end}"));
        let mut labels = DebateLabels::default();
        for topic in &topics {
            labels.take("job", &cell(json!({"topic": topic})), 1);
        }
        assert_eq!(labels.subject("job", &topics[0], 40), "…air: is it in Leeds?");
        assert!(!labels.have_one_subject());
        assert_eq!(labels.subject("job", "Is it so?", 40), "Is it so?");
        assert_eq!(labels.subject("other", &topics[0], 20), "Everyone here has…");
    }
}
