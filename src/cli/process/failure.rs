//! How a command fails: cause, hint, exit code.

use std::error::Error;
use std::fmt::Display;
use std::io;
use std::io::ErrorKind::{
    NotADirectory, PermissionDenied, QuotaExceeded, ReadOnlyFilesystem, StorageFull,
};
use std::process::ExitCode;

use crate::cli::terminal::print;
use crate::files::FileError;
use crate::job::problem::Problem;
use crate::machine::io_causes;
use crate::model::CallError;
use crate::store::error::StoreError;
use crate::store::render::has_journal;
use crate::text;
use crate::trace::ReadError;

/// Some debates are not done.
const SOME_NOT_DONE: u8 = 1;
/// A job, a path or an argument is at fault.
pub(in crate::cli) const BAD_INPUT: u8 = 2;
const NO_SERVER: u8 = 3;
/// A budget was reached with work left.
pub(in crate::cli) const OVER_BUDGET: u8 = 4;
/// Interrupted by Ctrl-C.
pub(in crate::cli) const INTERRUPTED: u8 = 130;

/// The remedy if a path is not an output directory.
pub(in crate::cli) const NAME_OUTPUT: &str =
    "give the directory that `rebut run` wrote to (its --output)";

/// Why a command failed.
#[derive(Debug)]
pub(in crate::cli) struct Failure {
    causes: Vec<String>,
    /// A summary, if there are several causes.
    end: String,
    hint: String,
    code: u8,
}

impl Failure {
    /// The user's input is at fault.
    pub(in crate::cli) fn input(cause: impl Display, hint: impl Into<String>) -> Self {
        Self {
            causes: vec![format!("error: {cause}")],
            end: String::new(),
            hint: hint.into(),
            code: BAD_INPUT,
        }
    }

    /// Job files are at fault: all their problems at once.
    pub(in crate::cli) fn problems(problems: &[Problem]) -> Self {
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

    /// The same failure where there is no file to count.
    pub(in crate::cli) fn in_no_file(self) -> Self {
        Self { end: "nothing was run".to_owned(), ..self }
    }

    /// The same failure for a job without a file, whose topic is an argument.
    pub(in crate::cli) fn of_one_debate(self) -> Self {
        let causes = self.causes.iter().map(|it| of_argument(it)).collect();
        Self { causes, ..self.in_no_file() }
    }

    /// The same failure if a server is missing.
    #[cfg(feature = "fleet")]
    pub(in crate::cli) fn for_want_of_a_server(self) -> Self {
        Self { code: NO_SERVER, ..self }
    }

    /// No server at the start; `start` is the command that starts one. Some commands can do without.
    pub(in crate::cli) fn no_server(errors: &[CallError], start: &str, may_rehearse: bool) -> Self {
        let remedy = match errors {
            [one] => one.remedy.clone().unwrap_or_default(),
            _ => format!("start one of these servers with {start}"),
        };
        let rehearse =
            text::told_if(may_rehearse, || "; --rehearse runs without a server".to_owned());
        let hint = remedy + &rehearse;
        let cause = |error: &CallError| format!("error: {}", error.message);
        Self {
            causes: errors.iter().map(cause).collect(),
            end: String::new(),
            hint,
            code: NO_SERVER,
        }
    }

    /// Something could not be written; `elsewhere` names the option for another place.
    pub(in crate::cli) fn unwritten(error: impl Error + 'static, elsewhere: &str) -> Self {
        let hint = match io_kind(&error) {
            Some(StorageFull | QuotaExceeded) => format!("free disk space, or {elsewhere}"),
            Some(PermissionDenied | ReadOnlyFilesystem) => {
                format!("{elsewhere}, or get permission to write there")
            }
            _ => elsewhere.to_owned(),
        };
        Self::input(error, hint)
    }

    /// Reports the failure and returns the exit code.
    pub(in crate::cli) fn report(&self) -> ExitCode {
        self.causes.iter().for_each(|cause| print::remark(cause));
        if !self.end.is_empty() {
            print::remark(&self.end);
        }
        if !self.hint.is_empty() {
            print::remark(&format!("hint: {}", self.hint));
        }
        ExitCode::from(self.code)
    }
}

/// A failure for any error caused by input or the file system.
impl<E: Error + 'static> From<E> for Failure {
    fn from(error: E) -> Self {
        if let Some(cause) = of_output(&error) {
            return Self::input(cause, "use another output directory");
        }
        let hint = of_trace(&error).map_or_else(|| remedy(&error), |it| it.remedy(has_journal));
        Self::input(error, hint)
    }
}

/// What to do about an error of the file system; nothing where that is plain or unknown.
fn remedy(error: &(dyn Error + 'static)) -> &'static str {
    match io_kind(error) {
        Some(NotADirectory) => "something else is where a directory should be: move it away",
        Some(StorageFull | QuotaExceeded) => {
            "make room on the disk, then run the same command again"
        }
        _ => "",
    }
}

/// The error of a trace that was to be read.
fn of_trace<'e>(error: &'e (dyn Error + 'static)) -> Option<&'e ReadError> {
    match error.downcast_ref() {
        Some(StoreError::Trace(error)) => Some(error),
        _ => error.downcast_ref(),
    }
}

/// The kind of what the operating system said, however deep it lies.
fn io_kind(error: &(dyn Error + 'static)) -> Option<io::ErrorKind> {
    io_causes(error).next().map(io::Error::kind)
}

/// A cause with the topic as an argument where it is about that, and as a key elsewhere.
fn of_argument(cause: &str) -> String {
    let of = |key| ["has", "is", "must", "contains"].map(|verb| (format!("`{key}` {verb} "), verb));
    ["topic", "query"].into_iter().flat_map(of).fold(cause.to_owned(), |it, (said, verb)| {
        it.replacen(&format!(": {said}"), &format!(": the topic {verb} "), 1)
    })
}

/// Why an output directory cannot be used, if it is that. Which file of the working state failed means nothing to users.
fn of_output(error: &(dyn Error + 'static)) -> Option<String> {
    let file = match error.downcast_ref() {
        Some(StoreError::File(error)) => error,
        _ => error.downcast_ref::<FileError>()?,
    };
    let mut around = file.path.ancestors();
    let root = around.find(|path| path.ends_with(".rebut"))?.parent()?;
    match file.source.kind() {
        PermissionDenied | ReadOnlyFilesystem => {
            Some(format!("no permission to use {}", root.display()))
        }
        NotADirectory if root.is_file() => {
            Some(format!("{} is a file, not a directory", root.display()))
        }
        _ if !root.exists() => Some(format!("cannot use {}: {}", root.display(), file.source)),
        _ => None,
    }
}

/// The exit code of a command that finished: whether everything is done.
pub(in crate::cli) fn done_if(all: bool) -> ExitCode {
    if all { ExitCode::SUCCESS } else { ExitCode::from(SOME_NOT_DONE) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn n_a_command_without_advice_of_its_own_says_to_make_room_on_a_full_disk() {
        let failure = Failure::from(io::Error::from(StorageFull));
        assert!(failure.hint.starts_with("make room on the disk"), "{failure:?}");
    }
}
