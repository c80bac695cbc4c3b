//! The command that a record says to run next, for one reader: somebody may read it in another directory, or in a copy of the output
//! directory, and copies what is printed.

use std::env;
use std::path::Path;

use super::layout::{OutputDir, default_root};
use super::state::RunState;
use crate::artifacts::batch::BatchSummary;
use crate::text::shell;

/// Nothing behind it is a flag.
const NO_FLAGS: &str = "--";

/// A batch of this output directory, as it is told here.
pub fn of_batch(output: &OutputDir, batch: BatchSummary) -> BatchSummary {
    BatchSummary { next: told(&batch.next, &batch.working_directory, output), ..batch }
}

/// The same of a run.
pub fn of_run(output: &OutputDir, run: RunState) -> RunState {
    RunState { next: told(&run.next, &run.working_directory, output), ..run }
}

/// The place of the word with which a command names the output directory, made a word of its own; `None` if that is left to the
/// environment.
pub fn output_in(words: &mut Vec<String>) -> Option<usize> {
    if takes_it_bare(words) {
        return words.get(2).filter(|word| !word.starts_with('-')).map(|_| 2);
    }
    let mut flags = words.iter().take_while(|word| *word != NO_FLAGS).enumerate();
    let (n, joined) = flags.find_map(|(n, word)| Some((n, of_flag(word)?.to_owned())))?;
    if !joined.is_empty() {
        let flag = words[n].len() - joined.len();
        words[n].truncate(flag);
        words.insert(n + 1, joined.trim_start_matches('=').to_owned());
    }
    (n + 1 < words.len()).then_some(n + 1)
}

/// What follows the flag in its own word; `None` for any other word. It may stand behind `-v`, the only other short one
/// without a value.
fn of_flag(word: &str) -> Option<&str> {
    let short = || word.strip_prefix('-')?.trim_start_matches('v').strip_prefix('o');
    word.strip_prefix("--output").or_else(short)
}

/// The words of a command that names this output directory.
pub fn with_output(mut words: Vec<String>, dir: &Path) -> Vec<String> {
    let dir = dir.to_string_lossy().into_owned();
    match output_in(&mut words) {
        Some(at) => words[at] = dir,
        None if takes_it_bare(&words) => words.insert(2, dir),
        None => add(&mut words, ["--output".to_owned(), dir]),
    }
    words
}

/// A command with further flags.
pub fn with_flags(command: &str, flags: &str) -> String {
    let mut words = shell::words(command);
    add(&mut words, flags.split(' ').map(str::to_owned));
    shell::command(words.into_iter())
}

fn add(words: &mut Vec<String>, flags: impl IntoIterator<Item = String>) {
    let end = words.iter().position(|word| word == NO_FLAGS).unwrap_or(words.len());
    words.splice(end..end, flags);
}

/// Whether a command takes the output directory without a flag.
fn takes_it_bare(words: &[String]) -> bool {
    words.get(1).is_some_and(|command| command == "report")
}

fn told(next: &str, there: &str, output: &OutputDir) -> String {
    let Ok(here) = env::current_dir() else { return next.to_owned() };
    // Earlier versions did not record it.
    let there = if there.is_empty() { &here } else { Path::new(there) };
    from(&here, next, there, output.root())
}

/// The command to be run `there`, for somebody `here` who calls the output directory `root`.
fn from(here: &Path, next: &str, there: &Path, root: &Path) -> String {
    if next.is_empty() {
        return String::new();
    }
    let mut words = shell::words(next);
    let named = output_in(&mut words).map_or_else(default_root, |at| words[at].clone().into());
    let is_named = |from: &Path| is_same(&from.join(&named), &here.join(root));
    // Where all of it was moved or copied together, the command does here what it did there.
    let is_alike = named.is_relative() && is_named(here) && !is_named(there);
    if is_alike || is_named(here) && there == here {
        return next.to_owned();
    }
    let naming = |dir: &Path| shell::command(with_output(words, dir).into_iter());
    if there == here || !there.is_dir() {
        return naming(root);
    }
    let whole = here.join(root);
    let whole = whole.canonicalize().unwrap_or(whole);
    let next = if is_named(there) { next.to_owned() } else { naming(&whole) };
    shell::within(&there.to_string_lossy(), &next)
}

/// Whether both paths lead to one directory.
fn is_same(one: &Path, other: &Path) -> bool {
    one.canonicalize().is_ok_and(|one| other.canonicalize().is_ok_and(|other| one == other))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;

    use super::*;

    /// A directory `w` with output directories, and another beside it.
    fn places() -> (tempfile::TempDir, [PathBuf; 2]) {
        let dir = tempfile::tempdir().unwrap();
        let at = dir.path().canonicalize().unwrap();
        for output in ["w/output", "w/s1", "w/output copied", "other"] {
            fs::create_dir_all(at.join(output)).unwrap();
        }
        (dir, [at.join("w"), at.join("other")])
    }

    #[test]
    fn j9c_a_command_to_run_next_names_the_output_directory_as_the_reader_does() {
        let (_dir, [w, _]) = places();
        for (next, root, told) in [
            ("rebut run j.yaml", "output", "rebut run j.yaml"),
            ("rebut run j.yaml", "output copied", "rebut run j.yaml --output 'output copied'"),
            ("rebut run j.yaml -o s1 --limit 2", "s1/", "rebut run j.yaml -o s1 --limit 2"),
            ("rebut run -os1 j.yaml", "output", "rebut run -o output j.yaml"),
            ("rebut run -vo s1 j.yaml", "s1", "rebut run -vo s1 j.yaml"),
            ("rebut run -vogone j.yaml", "s1", "rebut run -vo s1 j.yaml"),
            ("rebut run -o gone j.yaml --seed 2", "s1", "rebut run -o s1 j.yaml --seed 2"),
            ("rebut duel -v -- -on", "s1", "rebut duel -v --output s1 -- -on"),
            ("rebut show 51f6 --output=gone", "s1", "rebut show 51f6 --output s1"),
            ("rebut report gone --strict", "s1", "rebut report s1 --strict"),
            ("rebut report --strict", "s1", "rebut report s1 --strict"),
        ] {
            assert_eq!(from(&w, next, &w, Path::new(root)), told, "{next} {root}");
        }
    }

    #[test]
    fn j9c_a_command_to_run_next_leads_to_where_it_was_run() {
        let (_dir, [w, other]) = places();
        let [cd, whole] = [format!("cd {} && ", w.display()), w.join("s1").display().to_string()];
        let copied = w.join("output copied");
        for (next, root, told) in [
            ("rebut run j.yaml -o s1", "../w/s1", format!("{cd}rebut run j.yaml -o s1")),
            ("rebut run j.yaml -o ../w/s1", "../w/s1", format!("{cd}rebut run j.yaml -o ../w/s1")),
            ("rebut run j.yaml -o x", &whole, format!("{cd}rebut run j.yaml -o {whole}")),
            (
                "rebut report",
                "../w/output copied",
                format!("{cd}rebut report '{}'", copied.display()),
            ),
            ("", "../w/s1", String::new()),
        ] {
            assert_eq!(from(&other, next, &w, Path::new(root)), told, "{next} {root}");
        }
    }

    #[test]
    fn j9c_a_command_to_run_next_leads_to_no_directory_that_is_gone() {
        let (_dir, [w, other]) = places();
        let gone = other.join("gone");
        let again = |next, root| from(&w, next, &gone, Path::new(root));
        // A whole working directory was moved.
        assert_eq!(again("rebut run j.yaml -o s1", "s1"), "rebut run j.yaml -o s1");
        assert_eq!(again("rebut run j.yaml -o x", "s1"), "rebut run j.yaml -o s1");
    }
}
