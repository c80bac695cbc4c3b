//! The points of a critique, collected from its lines.

use super::labels::unlabelled;
use super::mark::{Mark, Resolution, Severity, mark_of};
use crate::formats::dialectic::lines::{number, numbers, plain, word};
use crate::text::line_starts::strip;

/// A point as written in the critique.
#[derive(Debug)]
pub(super) struct MarkedPoint {
    pub(super) mark: Mark,
    pub(super) numbers: Vec<u32>,
    pub(super) text: String,
}

/// The points found so far while the lines of a critique are read.
#[derive(Debug, Default)]
pub(super) struct Points {
    pub(super) found: Vec<MarkedPoint>,
    /// The mark of a line that heads a list.
    section: Option<Mark>,
    /// Whether the next line may continue the last point.
    open: bool,
}

impl Points {
    /// Ends the last point: no further line continues it.
    pub(super) fn end(&mut self) {
        (self.section, self.open) = (None, false);
    }

    /// Reads a line.
    pub(super) fn take(&mut self, line: &str) {
        let trimmed = line.trim();
        if trimmed.is_empty() {
            self.open = false;
        } else if let Some((mark, before, behind)) = marked(trimmed).or_else(|| labelled(trimmed)) {
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

    fn push(&mut self, found: MarkedPoint) {
        self.found.push(found);
        self.open = true;
    }

    /// Adds a line to the last point. A mark on a line of its own takes it even after a blank line.
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

fn found(mark: Mark, before: Option<u32>, behind: &str) -> MarkedPoint {
    let after = match mark {
        Mark::Issue(_) => Vec::new(),
        Mark::Settled(_) => numbers(behind).0,
    };
    let numbers = match mark {
        Mark::Settled(_) if after.is_empty() => before.into_iter().collect(),
        _ => after,
    };
    let text = unlabelled(plain(behind)).trim().to_owned();
    MarkedPoint { mark, numbers, text }
}

/// The number at the beginning of a line and the rest; without a number, the whole line.
fn numbered(line: &str) -> (Option<u32>, &str) {
    match number(line) {
        (None, _) => (None, line),
        numbered => numbered,
    }
}

/// The mark at the beginning of a line, the number before it, and the text after it. Of several marks, one that settles a
/// point counts, or else the first.
fn marked(line: &str) -> Option<(Mark, Option<u32>, &str)> {
    let (before, mut rest) = numbered(line);
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

/// Labels used instead of a mark, longer ones first.
const LABELS: [(&str, Mark); 8] = [
    ("critical", Mark::Issue(Severity::Critical)),
    ("major", Mark::Issue(Severity::Major)),
    ("minor", Mark::Issue(Severity::Minor)),
    ("partially resolved", Mark::Settled(Resolution::Partial)),
    ("partly resolved", Mark::Settled(Resolution::Partial)),
    ("not resolved", Mark::Settled(Resolution::Unresolved)),
    ("unresolved", Mark::Settled(Resolution::Unresolved)),
    ("resolved", Mark::Settled(Resolution::Resolved)),
];
/// Words that may follow the label of an issue.
const KINDS: [&str; 7] = ["issues", "issue", "points", "point", "problems", "problem", "flaws"];

/// The same for a line with a label instead of a mark, such as `**Critical:**`, `### Major issues` or `Point 2: Resolved`. The
/// label must be separate from the text after it, and a label that settles a point must name the point.
fn labelled(line: &str) -> Option<(Mark, Option<u32>, &str)> {
    let (before, rest) = numbered(line);
    let rest = plain(rest);
    let mut labels = LABELS.iter();
    let (mark, behind) = labels.find_map(|(label, mark)| Some((*mark, strip(rest, label)?)))?;
    let kind = behind.trim_start();
    let kind = KINDS.iter().find_map(|word| strip(kind, word));
    let behind = kind.unwrap_or(behind);
    let bare = behind.trim_start_matches(['*', '_', ' ']);
    let heads = bare.is_empty() && (line.starts_with('#') || behind.contains('*'));
    let apart = heads || bare.starts_with([':', '–', '—', ')', ']']);
    let named = before.is_some() || !numbers(behind).0.is_empty();
    let stands = match mark {
        Mark::Issue(_) => apart,
        Mark::Settled(_) => named && (apart || bare.is_empty() || bare.starts_with(['.', '('])),
    };
    stands.then_some((mark, before, behind))
}

/// Whether a line is an item of a list.
fn is_item(line: &str) -> bool {
    let (digits, after) = word(line);
    let numbered = digits.parse::<u32>().is_ok() && after.starts_with(['.', ')']);
    numbered || ["- ", "* ", "+ ", "• "].iter().any(|marker| line.starts_with(marker))
}
