//! Problems of a job file: where, why, and the remedy.

pub(super) mod remedy;
pub(crate) mod suggestions;
pub(super) mod unknown_keys;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::text;

/// Maximum problems reported per file.
pub const MOST_REPORTED: usize = 100;
/// Problems of a file that are kept; what is wrong beyond them is not counted.
const MOST_KEPT: usize = 10_000;
/// Maximum characters of a remedy: it may list all personas.
const MOST_TOLD: usize = 1200;
/// Maximum leading blanks shown of an excerpt.
const MAX_INDENT: usize = 40;

/// Why something is refused: the cause and the remedy.
pub(crate) type Refusal = (String, String);

/// What was found, or the refusal whose cause follows the name of what was checked.
pub(crate) fn named<T>(name: &str, found: Result<T, Refusal>) -> Result<T, Refusal> {
    found.map_err(|(cause, remedy)| (format!("{name} {cause}"), remedy))
}

/// Where a value was written.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// In the job file, both counted from 1.
    At {
        /// The line.
        line: usize,
        /// The column, in characters.
        column: usize,
    },
    /// On the command line, such as `--set rounds=0`.
    Flag(Arc<str>),
}

impl Place {
    /// Where a file begins.
    pub(crate) const START: Self = Self::At { line: 1, column: 1 };

    /// The place inside a sentence: "on line 3", "with --set rounds=0".
    pub fn in_words(&self) -> String {
        match self {
            Place::At { line, .. } => format!("on line {line}"),
            Place::Flag(flag) => format!("with {flag}"),
        }
    }
}

/// One thing that is wrong with a job file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// The job file.
    pub file: PathBuf,
    /// Where in it, or which flag.
    pub place: Place,
    /// The cause.
    pub cause: String,
    /// How to fix it.
    pub remedy: String,
    /// The beginning of the line as it is in the file, if it is known.
    pub excerpt: Option<String>,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let file = text::one_line(&self.file.display().to_string());
        match &self.place {
            Place::At { line, column } => write!(f, "{file}:{line}:{column}: {}", self.cause)?,
            Place::Flag(flag) => write!(f, "{file} with {}: {}", text::one_line(flag), self.cause)?,
        }
        if let (Some(excerpt), Place::At { line, .. }) = (&self.excerpt, &self.place) {
            write!(f, "\n    {line} | {excerpt}")?;
        }
        match self.remedy.as_str() {
            "" => Ok(()),
            remedy => write!(f, "\n    hint: {remedy}"),
        }
    }
}

/// A line of a file, its indentation kept and tabs made visible.
fn shown(line: &str) -> String {
    let line = line.replace('\t', "⇥");
    let rest = line.trim_start_matches([' ', '⇥']);
    let blanks = &line[..line.len() - rest.len()];
    let indent: String = blanks.chars().take(MAX_INDENT).collect();
    indent + &text::shorten(rest, 100)
}

/// Collects the problems of one job file, each once.
#[derive(Debug)]
pub struct Problems {
    file: PathBuf,
    lines: Vec<String>,
    found: RefCell<BTreeSet<Problem>>,
}

impl Problems {
    /// An empty collection for a file with this text.
    pub fn new(file: &Path, source: &str) -> Self {
        let source = source.replace("\r\n", "\n");
        let lines = source.split(['\n', '\r']).map(|line| line.trim_end().to_owned()).collect();
        Self { file: file.to_path_buf(), lines, found: RefCell::default() }
    }

    /// Whether the file's name says that it is JSON.
    pub fn is_json(&self) -> bool {
        let ending = self.file.extension().and_then(OsStr::to_str);
        ending.is_some_and(|ending| ending.eq_ignore_ascii_case("json"))
    }

    /// The path of a file that is named as seen from this one.
    pub fn beside(&self, name: &str) -> PathBuf {
        self.file.parent().unwrap_or(Path::new("")).join(name)
    }

    /// A line of the file, counted from 1, without blanks at its end.
    pub fn line(&self, line: usize) -> Option<&str> {
        Some(self.lines.get(line.checked_sub(1)?)?)
    }

    /// What is in a line from a place on; nothing for a flag.
    pub fn rest_of_line(&self, place: &Place) -> &str {
        Looked::default().at(place, self)
    }

    /// Adds a problem unless it is already there. What users wrote is made visible before it is shown.
    pub fn add(&self, place: &Place, cause: impl Into<String>, remedy: impl Into<String>) {
        if self.found.borrow().len() >= MOST_KEPT {
            return;
        }
        self.found.borrow_mut().insert(Problem {
            file: self.file.clone(),
            place: place.clone(),
            cause: text::shorten(&cause.into(), 400),
            remedy: text::shorten(&remedy.into(), MOST_TOLD),
            excerpt: None,
        });
    }

    /// The value, or `None` after reporting the refusal.
    pub(crate) fn accept<T>(&self, place: &Place, found: Result<T, Refusal>) -> Option<T> {
        found.map_err(|(cause, remedy)| self.add(place, cause, remedy)).ok()
    }

    /// Like [`Problems::accept`]; the cause follows the name of what was checked.
    pub(crate) fn accept_named<T>(
        &self,
        name: &str,
        place: &Place,
        found: Result<T, Refusal>,
    ) -> Option<T> {
        self.accept(place, named(name, found))
    }

    /// Adds the problems of a file that this one names.
    pub fn absorb(&self, other: Problems) {
        self.found.borrow_mut().extend(other.into_sorted());
    }

    /// Whether the limit of reported problems is reached: no more hints are needed.
    pub fn is_full(&self) -> bool {
        self.found.borrow().len() >= MOST_REPORTED
    }

    /// Whether there is no problem so far.
    pub fn is_empty(&self) -> bool {
        self.found.borrow().is_empty()
    }

    /// What was read, unless there is a problem.
    pub(super) fn unless_any<T>(self, read: Option<T>) -> Result<T, Vec<Problem>> {
        read.filter(|_| self.is_empty()).ok_or_else(|| self.into_sorted())
    }

    /// The problems in the order of the file: the first ones, and how many more there are.
    pub fn into_sorted(self) -> Vec<Problem> {
        let found = self.found.take();
        let all = found.len();
        let first = found.into_iter().take(MOST_REPORTED);
        bounded(first.map(|problem| self.with_excerpt(problem)).collect(), all)
    }

    /// With its line, unless it is of another file, whose lines were known there.
    fn with_excerpt(&self, problem: Problem) -> Problem {
        let line = match problem.place {
            Place::At { line, .. } if problem.file == self.file => self.line(line),
            _ => None,
        };
        let line = line.filter(|line| !line.is_empty());
        Problem { excerpt: line.map(shown).or(problem.excerpt), ..problem }
    }
}

/// The place in the text that was looked at last: one behind it on the same line is found without counting from the line's
/// beginning, which may be far away.
#[derive(Default)]
pub(super) struct Looked {
    line: usize,
    column: usize,
    byte: usize,
}

impl Looked {
    /// What is in a line from a place on; nothing for a flag.
    pub(super) fn at<'p>(&mut self, place: &Place, problems: &'p Problems) -> &'p str {
        let Place::At { line, column } = *place else { return "" };
        if line != self.line || column < self.column {
            (self.line, self.column, self.byte) = (line, 1, 0);
        }
        let text = problems.line(line).unwrap_or_default();
        let rest = &text[self.byte..];
        let mut passed = rest.char_indices().skip(column - self.column);
        self.byte += passed.next().map_or(rest.len(), |(byte, _)| byte);
        self.column = column;
        &text[self.byte..]
    }
}

/// The first of `all` problems, and how many more there are.
pub fn bounded(mut found: Vec<Problem>, all: usize) -> Vec<Problem> {
    found.truncate(MOST_REPORTED);
    let more = all - found.len();
    if let Some(last) = found.last().filter(|_| more > 0).cloned() {
        let least = if all >= MOST_KEPT { "at least " } else { "" };
        found.push(Problem {
            cause: format!("{least}{more} more problems are not shown"),
            remedy: "fix those above first".to_owned(),
            excerpt: None,
            ..last
        });
    }
    found
}
