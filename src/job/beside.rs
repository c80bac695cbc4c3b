//! Files beside a job file: background and personas are read from its directory and from nowhere else.

use std::path::{Component, Path};

use super::problem::Refusal;
use super::words;

/// Reads a text file by its name relative to the job's directory `dir`. A name or a link that leads out of the directory is
/// refused: a job from elsewhere must not put the user's other files into prompts.
pub(super) fn read(dir: &Path, name: &str) -> Result<String, Refusal> {
    let path = dir.join(name);
    if !is_below(name) || !stays_inside(dir, &path) {
        let cause = format!("`{name}` lies outside the job's directory");
        return Err((cause, "put the file beside the job".to_owned()));
    }
    words::read_text(&path, name)
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
