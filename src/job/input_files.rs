//! Files read for a job: the job itself, and the background and personas next to it, only from its
//! directory.

use std::io::ErrorKind;
use std::path::{Component, Path};

use super::problem::{Place, Problem, Problems, Refusal};
use crate::files::{self, FileError, Result};

/// Maximum bytes of a file that goes into prompts.
pub(super) const MOST_BYTES: usize = 200_000;

/// How much of a job file is read, in bytes: more than one may have.
const MOST_OF_A_JOB: u64 = 2_000_000;

/// The text of a job file, or of a job that another program writes; `absent` says what to do where there is none.
pub(super) fn read_job(path: &Path, absent: &str) -> Result<String, Vec<Problem>> {
    let problems = Problems::new(path, "");
    // What is longer is refused by its first bytes: a device has no end.
    let bytes = files::read_stream(path, MOST_OF_A_JOB);
    let text = text_of(&files::name_of(path), bytes).map_err(|(cause, remedy)| {
        // This file is the one that the user named.
        (cause, if remedy == BESIDE { absent.to_owned() } else { remedy })
    });
    let text = problems.accept(&Place::START, text);
    problems.unless_any(text)
}

/// Maximum bytes of a rehearsal's script: the replies of some thousand calls.
const MOST_OF_A_SCRIPT: u64 = 16_000_000;

/// The text of the script beside a job.
pub(super) fn read_script_beside(dir: &Path, name: &str) -> Result<String, Refusal> {
    read_inside(dir, name, MOST_OF_A_SCRIPT)
}

/// The text of a script that a user names.
pub(super) fn read_script(path: &Path) -> Result<String, Refusal> {
    let name = path.display().to_string();
    let read = files::read_at_most(path, MOST_OF_A_SCRIPT);
    let remedy = "give a script; `rebut export DEBATE --to script` writes one";
    text_of(&name, read).map_err(|(cause, _)| (cause, remedy.to_owned()))
}

/// Reads a text file by its name relative to the job's directory `dir`. A name or a link that leads out of the directory is
/// refused: a job from elsewhere must not put the user's other files into prompts.
pub(super) fn read_beside(dir: &Path, name: &str) -> Result<String, Refusal> {
    read_inside(dir, name, MOST_BYTES as u64)
}

/// Maximum bytes of a file of topics or questions.
const MOST_OF_A_LIST: u64 = 16_000_000;

/// The text of a file of topics or questions, by its name relative to the job's directory; see [`read_beside`].
pub(super) fn read_list_beside(dir: &Path, name: &str) -> Result<String, Refusal> {
    let shorter = |(cause, remedy): Refusal| {
        if remedy == TOO_LONG { (cause, "split the file".to_owned()) } else { (cause, remedy) }
    };
    read_inside(dir, name, MOST_OF_A_LIST).map_err(shorter)
}

/// Where a file that a job names is looked for.
const BESIDE: &str = "the path is relative to the job file";

/// What to do about a file that is too large for a prompt.
pub(super) const TOO_LONG: &str = "shorten it: it goes into every prompt";

fn read_inside(dir: &Path, name: &str, most: u64) -> Result<String, Refusal> {
    let path = dir.join(name);
    if !is_below(name) || !stays_inside(dir, &path) {
        let cause = format!("`{name}` is outside the job's directory");
        return Err((cause, "put the file next to the job, or in a folder there".to_owned()));
    }
    text_of(name, files::read_at_most(&path, most))
}

/// Whether a name by itself leads down only.
fn is_below(name: &str) -> bool {
    let down = |part| matches!(part, Component::Normal(_) | Component::CurDir);
    Path::new(name).components().all(down)
}

/// Whether a path, links followed, lies in a directory; one that does not exist is judged when it is read.
fn stays_inside(dir: &Path, path: &Path) -> bool {
    match (dir.canonicalize(), path.canonicalize()) {
        (Ok(dir), Ok(path)) => path.starts_with(dir),
        _ => true,
    }
}

fn text_of(name: &str, bytes: Result<Vec<u8>>) -> Result<String, Refusal> {
    let bytes = bytes.map_err(|e| unreadable(name, &e))?;
    let why = if bytes.contains(&0) {
        "it has zero bytes, as UTF-16 and binary files have".to_owned()
    } else {
        match String::from_utf8(bytes) {
            Ok(text) => return Ok(text),
            Err(e) => {
                let good = &e.as_bytes()[..e.utf8_error().valid_up_to()];
                let line = good.split(|byte| *byte == b'\n').count();
                format!("line {line} is in another encoding")
            }
        }
    };
    Err((format!("`{name}` is not UTF-8 text: {why}"), "save it as UTF-8".to_owned()))
}

/// Why a file that was named cannot be read.
fn unreadable(name: &str, error: &FileError) -> Refusal {
    let source = &error.source;
    let (what, remedy) = match source.kind() {
        ErrorKind::NotFound => {
            return (format!("there is no file `{name}`"), BESIDE.to_owned());
        }
        ErrorKind::IsADirectory => ("is a directory".to_owned(), "name a file"),
        ErrorKind::InvalidInput => ("is not a regular file".to_owned(), "name a file"),
        ErrorKind::FileTooLarge => (format!("is too large: {source}"), TOO_LONG),
        _ => (format!("cannot be read: {source}"), "make it readable"),
    };
    (format!("`{name}` {what}"), remedy.to_owned())
}
