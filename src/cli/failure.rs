//! How a command that cannot go on ends: cause, hint, exit code.

use std::error::Error;
use std::fmt::Display;
use std::process::ExitCode;

use super::print;
use crate::job::problem::Problem;
use crate::model::CallError;
use crate::text;

/// Some debates are not done.
const SOME_NOT_DONE: u8 = 1;
/// A job, a path or an argument is at fault.
pub(super) const BAD_INPUT: u8 = 2;
const NO_SERVER: u8 = 3;
/// A budget was reached with work left.
pub(super) const OVER_BUDGET: u8 = 4;
/// Interrupted by Ctrl-C.
pub(super) const INTERRUPTED: u8 = 130;

/// The remedy where what was named is no output directory.
pub(super) const NAME_OUTPUT: &str = "name the directory that `rebut run --output` wrote to";

/// Why a command cannot go on.
#[derive(Debug)]
pub(super) struct Failure {
    causes: Vec<String>,
    /// What it comes to, where there are several causes.
    end: String,
    hint: String,
    code: u8,
}

impl Failure {
    /// The user's input is at fault.
    pub(super) fn input(cause: impl Display, hint: impl Into<String>) -> Self {
        Self {
            causes: vec![format!("error: {}", text::visible(&cause.to_string()))],
            end: String::new(),
            hint: hint.into(),
            code: BAD_INPUT,
        }
    }

    /// Job files are at fault: all their problems at once.
    pub(super) fn problems(problems: &[Problem]) -> Self {
        let files: std::collections::BTreeSet<_> = problems.iter().map(|p| &p.file).collect();
        let files = text::count(files.len(), "job file");
        let count = text::count(problems.len(), "problem");
        Self {
            causes: problems.iter().map(|p| p.to_string()).collect(),
            end: format!("{count} in {files}; nothing was run"),
            hint: String::new(),
            code: BAD_INPUT,
        }
    }

    /// The same failure of a job that stands in no file.
    pub(super) fn in_no_file(self) -> Self {
        let end = "nothing was run".to_owned();
        Self { end, ..self }
    }

    /// The same failure, where what is missing is a server.
    #[cfg(feature = "fleet")]
    pub(super) fn for_want_of_a_server(self) -> Self {
        let code = NO_SERVER;
        Self { code, ..self }
    }

    /// No server is there to start with; `start` is the command that starts one.
    pub(super) fn no_server(errors: &[CallError], start: &str) -> Self {
        let hint = match errors {
            [one] => one.remedy.clone().unwrap_or_default(),
            _ => {
                format!("start one of them with {start}, or try --rehearse, which needs no server")
            }
        };
        let cause = |error: &CallError| format!("error: {}", text::visible(&error.message));
        Self {
            causes: errors.iter().map(cause).collect(),
            end: String::new(),
            hint,
            code: NO_SERVER,
        }
    }

    /// Says what is wrong and gives the exit code.
    pub(super) fn report(&self) -> ExitCode {
        self.causes.iter().for_each(|cause| print::complaint(cause));
        if !self.end.is_empty() {
            print::complaint(&self.end);
        }
        if !self.hint.is_empty() {
            print::complaint(&format!("hint: {}", self.hint));
        }
        ExitCode::from(self.code)
    }
}

/// A failure for any error that the input or the file system is behind, where there is nothing to advise.
impl<E: Error> From<E> for Failure {
    fn from(error: E) -> Self {
        Self::input(error, "")
    }
}

/// How a command ends that went on to its end: whether all is done that it was to do.
pub(super) fn done_if(all: bool) -> ExitCode {
    match all {
        true => ExitCode::SUCCESS,
        false => ExitCode::from(SOME_NOT_DONE),
    }
}
