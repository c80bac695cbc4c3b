//! What a critique says (row T3): its issues, how earlier points stand, the skeptic's score and signal.
//!
//! A line that begins with a mark is a point; list markers, emphasis and numbers may stand before the mark. A mark with
//! nothing behind it heads a list: each of the list's items is a point. The numbers of issues are ours, not the skeptic's.

use serde::{Deserialize, Serialize};

use super::lines::{is_decoration, is_variation, number, numbers, plain, word};
use crate::text;

/// Characters of a point that are kept.
const MOST_CHARACTERS: usize = 600;
/// The signal, without its mark.
const SIGNAL: &str = "ready for synthesis";
/// What stands before a stated score.
const SCORE: &str = "quality score";
/// Words that say only how grave a point is or that it is one.
const LABELS: [&str; 9] = [
    "critical", "major", "minor", "issue", "issues", "point", "points", "problem", "problems",
];

/// The attack strategies, each with the words that name it. Longer words may begin with these.
const STRATEGIES: [(&str, &[&str]); 8] = [
    ("hidden_assumption", &["hidden assumption"]),
    ("counter_example", &["counter example", "counterexample"]),
    ("logical_gap", &["logical gap"]),
    ("weak_evidence", &["weak evidence"]),
    ("alternative_explanation", &["alternative explanation"]),
    ("edge_case", &["edge case"]),
    (
        "overgeneralisation",
        &[
            "overgeneralisation",
            "overgeneralization",
            "over generalisation",
            "over generalization",
        ],
    ),
    ("practical_consequence", &["practical consequence"]),
];

/// How grave an issue is; graver ones come first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Severity {
    /// 🔴
    Critical,
    /// 🟡
    Major,
    /// 🟢
    Minor,
}

/// How an earlier point stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Resolution {
    /// ✅
    Resolved,
    /// ⚠️
    Partial,
    /// ❌
    Unresolved,
}

/// What a line begins with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mark {
    Issue(Severity),
    Settled(Resolution),
}

/// An issue that a critique raises.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Issue {
    pub(super) severity: Severity,
    pub(super) strategy: Option<&'static str>,
    pub(super) text: String,
}

/// What a critique says.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Critique {
    /// New issues, in order.
    pub(super) issues: Vec<Issue>,
    /// How earlier points stand, by the numbers that the skeptic was shown.
    pub(super) settled: Vec<(u32, Resolution)>,
    /// Lines that settle something without saying which point.
    pub(super) unnumbered: u32,
    /// Whether any line begins with a mark.
    pub(super) marked: bool,
    /// Whether it raises a critical issue, or shows the mark of one with an earlier point that is not resolved.
    pub(super) critical: bool,
    /// Whether the skeptic gave the signal.
    pub(super) ready: bool,
    /// The last score it states.
    pub(super) score: Option<f64>,
}

/// Reads a critique.
pub(super) fn read(text: &str) -> Critique {
    let mut critique = Critique::default();
    let mut points = Points::default();
    for line in text.lines() {
        if is_signal(line) {
            critique.ready = true;
            points.end();
        } else if let Some(score) = score(line) {
            critique.score = score.or(critique.score);
            points.end();
        } else {
            points.take(line);
        }
    }
    critique.marked = !points.found.is_empty();
    points.found.iter().for_each(|found| critique.add(found));
    critique
}

impl Critique {
    fn raise(&mut self, severity: Severity, text: &str) {
        let text = text::shorten(&text.replace("**", ""), MOST_CHARACTERS);
        if text.is_empty() || is_nothing(&text) {
            return;
        }
        self.critical |= severity == Severity::Critical;
        self.issues.push(Issue {
            severity,
            strategy: strategy(&text),
            text: without_strategy(&text).to_owned(),
        });
    }

    fn add(&mut self, found: &Found) {
        match found.mark {
            Mark::Issue(severity) => self.raise(severity, &found.text),
            Mark::Settled(resolution) => {
                let settled = found.numbers.iter().map(|n| (*n, resolution));
                self.settled.extend(settled);
                let says = !found.text.is_empty() && !is_nothing(&found.text);
                self.unnumbered += u32::from(found.numbers.is_empty() && says);
                self.critical |= resolution != Resolution::Resolved && found.text.contains('🔴');
            }
        }
    }
}

/// Whether a text says that there is no point: `None.`, `No critical issues remain`.
fn is_nothing(text: &str) -> bool {
    let folded = text.to_lowercase();
    let mut words = folded
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty());
    let first = words.next();
    let is_short = words.clone().count() < 6;
    let names_points = words.any(|word| LABELS.contains(&word));
    is_short && (matches!(first, Some("none" | "nothing")) || (first == Some("no") && names_points))
}

/// A point as its lines say it.
#[derive(Debug)]
struct Found {
    mark: Mark,
    numbers: Vec<u32>,
    text: String,
}

/// Points while the lines of a critique are read.
#[derive(Debug, Default)]
struct Points {
    found: Vec<Found>,
    /// The mark of a line that heads a list.
    section: Option<Mark>,
    /// Whether the next line may go on with the last point.
    open: bool,
}

impl Points {
    fn end(&mut self) {
        (self.section, self.open) = (None, false);
    }

    fn take(&mut self, line: &str) {
        let trimmed = line.trim();
        if trimmed.is_empty() {
            self.open = false;
        } else if let Some((mark, before, behind)) = marked(trimmed) {
            let found = found(mark, before, behind);
            let heads = found.text.is_empty() && found.numbers.is_empty();
            self.section = heads.then_some(mark);
            self.push(found);
        } else if trimmed.starts_with('#') {
            self.end();
        } else if let Some(mark) = self.section.filter(|_| is_item(trimmed)) {
            let (before, behind) = number(trimmed);
            self.push(found(mark, before, behind));
        } else {
            self.go_on(trimmed);
        }
    }

    fn push(&mut self, found: Found) {
        self.found.push(found);
        self.open = true;
    }

    /// A further line of the last point; a mark that stood alone takes it even behind a blank line.
    fn go_on(&mut self, line: &str) {
        let heads = self.section.is_some();
        let last = self.found.last_mut();
        if let Some(last) = last.filter(|last| self.open || (heads && last.text.is_empty())) {
            last.text.push(' ');
            last.text.push_str(line);
            self.open = true;
        }
    }
}

fn found(mark: Mark, before: Option<u32>, behind: &str) -> Found {
    let after = match mark {
        Mark::Issue(_) => Vec::new(),
        Mark::Settled(_) => numbers(behind),
    };
    let numbers = match mark {
        Mark::Settled(_) if after.is_empty() => before.into_iter().collect(),
        _ => after,
    };
    let text = unlabelled(plain(behind)).trim().to_owned();
    Found {
        mark,
        numbers,
        text,
    }
}

/// The mark that a line begins with, the number before it, and what stands behind it. Of several marks one that settles
/// a point counts, else the first.
fn marked(line: &str) -> Option<(Mark, Option<u32>, &str)> {
    let (before, mut rest) = number(line);
    let mut marks = Vec::new();
    while let Some(mark) = plain(rest).chars().next().and_then(mark_of) {
        marks.push(mark);
        rest = plain(rest);
        rest = &rest[rest.chars().next().map_or(0, char::len_utf8)..];
    }
    let settles = |mark: &&Mark| matches!(mark, Mark::Settled(_));
    let mark = marks.iter().find(settles).or(marks.first())?;
    Some((*mark, before, rest))
}

fn mark_of(c: char) -> Option<Mark> {
    Some(match c {
        '🔴' => Mark::Issue(Severity::Critical),
        '🟡' => Mark::Issue(Severity::Major),
        '🟢' => Mark::Issue(Severity::Minor),
        '✅' => Mark::Settled(Resolution::Resolved),
        '⚠' => Mark::Settled(Resolution::Partial),
        '❌' => Mark::Settled(Resolution::Unresolved),
        _ => return None,
    })
}

/// Whether a line is an item of a list.
fn is_item(line: &str) -> bool {
    let (digits, after) = word(line);
    let numbered = digits.parse::<u32>().is_ok() && after.starts_with(['.', ')']);
    numbered
        || ["- ", "* ", "+ ", "• "]
            .iter()
            .any(|marker| line.starts_with(marker))
}

/// An issue's text without a label such as `Critical issue 1:`.
fn unlabelled(text: &str) -> &str {
    let (mut kept, mut rest) = (text, text);
    loop {
        let (first, after) = word(rest);
        let label = LABELS.iter().any(|label| first.eq_ignore_ascii_case(label));
        if !label && first.parse::<u32>().is_err() {
            return kept;
        }
        let next = plain(after);
        let gap = &after[..after.len() - next.len()];
        let parts = gap.len() > 1 && gap.chars().any(|c| !c.is_whitespace());
        if parts || next.is_empty() {
            kept = next;
        }
        rest = next;
    }
}

/// A text's words in lower case, each behind one blank.
fn folded(text: &str) -> String {
    let parts = text.split(|c: char| !c.is_alphanumeric());
    let words = parts.filter(|part| !part.is_empty());
    words
        .map(|word| format!(" {}", word.to_lowercase()))
        .collect()
}

/// A text that begins with a strategy and a colon or dash, without these.
fn without_strategy(text: &str) -> &str {
    let Some((head, tail)) = text.split_once([':', '–', '—']) else {
        return text;
    };
    let head = folded(head);
    let mut names = STRATEGIES.iter().flat_map(|(_, names)| *names);
    if names.any(|name| head.trim_start() == *name) && !plain(tail).is_empty() {
        plain(tail)
    } else {
        text
    }
}

/// The strategy that a text names first.
fn strategy(text: &str) -> Option<&'static str> {
    let folded = folded(text);
    let place = |names: &[&str]| {
        let places = names
            .iter()
            .filter_map(|name| folded.find(&format!(" {name}")));
        places.min()
    };
    let named = STRATEGIES
        .iter()
        .filter_map(|(strategy, names)| Some((place(names)?, *strategy)));
    named.min().map(|(_, strategy)| strategy)
}

/// Whether a line consists of the signal: the phrase with its mark, emphasis and a list marker allowed. A sentence that
/// mentions it, or a quotation, is none.
fn is_signal(line: &str) -> bool {
    let around = |c: char| c.is_whitespace() || is_variation(c) || "*_#-+•.!".contains(c);
    let bare = line.trim_matches(around);
    let without = bare.trim_matches(|c| c == '✅' || around(c));
    let words: Vec<&str> = without.split_whitespace().collect();
    bare.len() > without.len() && bare.contains('✅') && words.join(" ").to_lowercase() == SIGNAL
}

/// The score that a line states, where it states one; one that is off the scale of 1 to 10 is none.
fn score(line: &str) -> Option<Option<f64>> {
    let folded = line.to_lowercase();
    let at = folded.find(SCORE)?;
    let mut rest = behind_decoration(&folded[at + SCORE.len()..]);
    while let ("is" | "of" | "now", after) = word(rest) {
        rest = behind_decoration(after);
    }
    let end = rest.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | ',')));
    let (digits, after) = rest.split_at(end.unwrap_or(rest.len()));
    let digits = digits.trim_end_matches(['.', ',']).replace(',', ".");
    let value: f64 = digits.parse().ok()?;
    let fits = (1.0..=10.0).contains(&value) && is_of_ten(after);
    Some(fits.then_some(value))
}

fn behind_decoration(text: &str) -> &str {
    text.trim_start_matches(|c| is_decoration(c) || c == '=')
}

/// Whether what follows a number leaves it on a scale of ten.
fn is_of_ten(after: &str) -> bool {
    let after = after.trim_start_matches(|c: char| c.is_whitespace() || c == '*');
    let whole = after
        .strip_prefix('/')
        .map(|rest| word(rest.trim_start()).0);
    !after.starts_with('%') && whole.is_none_or(|whole| whole == "10")
}
