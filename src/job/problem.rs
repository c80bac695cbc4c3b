//! What is wrong with a job file: where, why, and what to do about it.

use std::cell::RefCell;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::text;

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

/// One thing that is wrong with a job file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// The job file.
    pub file: PathBuf,
    /// Where in it, or which flag.
    pub place: Place,
    /// The cause.
    pub cause: String,
    /// What would mend it.
    pub remedy: String,
    /// The line as it stands in the file, if it is known.
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
            write!(f, "\n    {line} | {}", text::shorten(excerpt, 100))?;
        }
        if self.remedy.is_empty() {
            Ok(())
        } else {
            write!(f, "\n    help: {}", self.remedy)
        }
    }
}

/// Collects the problems of one job file, each once.
#[derive(Debug)]
pub struct Problems {
    file: PathBuf,
    lines: Vec<String>,
    found: RefCell<Vec<Problem>>,
}

impl Problems {
    /// An empty collection for a file with this text.
    pub fn of(file: &Path, source: &str) -> Self {
        let lines = source.lines().map(str::to_owned).collect();
        Self {
            file: file.to_path_buf(),
            lines,
            found: RefCell::default(),
        }
    }

    /// Adds a problem unless it is already there. What users wrote is made visible before it is shown.
    pub fn add(&self, place: &Place, cause: impl Into<String>, remedy: impl Into<String>) {
        let excerpt = match place {
            Place::At { line, .. } => self
                .lines
                .get(line.saturating_sub(1))
                .map(|l| l.trim_end().to_owned()),
            Place::Flag(_) => None,
        };
        let (cause, remedy) = (
            text::shorten(&cause.into(), 400),
            text::shorten(&remedy.into(), 600),
        );
        let problem = Problem {
            file: self.file.clone(),
            place: place.clone(),
            cause,
            remedy,
            excerpt,
        };
        let mut found = self.found.borrow_mut();
        if !found.contains(&problem) {
            found.push(problem);
        }
    }

    /// Whether nothing is wrong so far.
    pub fn is_empty(&self) -> bool {
        self.found.borrow().is_empty()
    }

    /// All problems in the order of the file.
    pub fn into_sorted(self) -> Vec<Problem> {
        let mut found = self.found.into_inner();
        found.sort();
        found
    }
}
