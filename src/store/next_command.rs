//! The command that a record says to run next, for one reader: somebody may read it in another directory, or in a copy of the output
//! directory, and copies what is printed.

use std::env;
use std::ops::Range;
use std::path::Path;

use super::layout::{OutputDir, default_root};
use super::state::RunState;
use crate::artifacts::batch::BatchSummary;
use crate::text::shell;

/// A batch of this output directory, as it is told here.
pub fn of_batch(output: &OutputDir, batch: BatchSummary) -> BatchSummary {
    BatchSummary { next: told(&batch.next, &batch.working_directory, output), ..batch }
}

/// The same of a run.
pub fn of_run(output: &OutputDir, run: RunState) -> RunState {
    RunState { next: told(&run.next, &run.working_directory, output), ..run }
}

/// The output directory that a command names, with the words that name it; `None` if that is left to the environment.
pub fn output_in(words: &[String]) -> Option<(Range<usize>, String)> {
    if takes_it_bare(words) {
        let named = words.get(2).filter(|word| !word.starts_with('-'))?;
        return Some((2..3, named.clone()));
    }
    words.iter().enumerate().find_map(|(n, word)| match word.as_str() {
        "-o" | "--output" => Some((n..n + 2, words.get(n + 1)?.clone())),
        word => {
            let joined = word.strip_prefix("--output=").or_else(|| word.strip_prefix("-o"))?;
            Some((n..n + 1, joined.trim_start_matches('=').to_owned()))
        }
    })
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
    let words = shell::words(next);
    let named = output_in(&words).map_or_else(default_root, |(_, named)| named.into());
    let is_named = |from: &Path| is_same(&from.join(&named), &here.join(root));
    // Where all of it was moved or copied together, the command does here what it did there.
    let is_alike = named.is_relative() && is_named(here);
    if next.is_empty() || is_alike || there == here {
        let is_right = next.is_empty() || is_named(here);
        return if is_right { next.to_owned() } else { with_output(words, root) };
    }
    let whole = here.join(root);
    let whole = whole.canonicalize().unwrap_or(whole);
    let next = if is_named(there) { next.to_owned() } else { with_output(words, &whole) };
    format!("cd {} && {next}", shell::quoted(&there.to_string_lossy()))
}

fn with_output(mut words: Vec<String>, dir: &Path) -> String {
    let named = output_in(&words).map(|(at, _)| at);
    let (flag, end) =
        if takes_it_bare(&words) { (None, 2) } else { (Some("--output"), words.len()) };
    let new = flag.map(str::to_owned).into_iter().chain([dir.to_string_lossy().into_owned()]);
    words.splice(named.unwrap_or(end..end), new);
    shell::command(words.into_iter())
}

/// Whether both paths lead to one directory.
fn is_same(one: &Path, other: &Path) -> bool {
    one.canonicalize().is_ok_and(|one| other.canonicalize().is_ok_and(|other| one == other))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn j9c_a_command_to_run_next_is_that_of_the_readers_place() {
        let dir = tempfile::tempdir().unwrap();
        let at = dir.path().canonicalize().unwrap();
        for output in ["w/output", "w/s1", "w/output copied", "other"] {
            fs::create_dir_all(at.join(output)).unwrap();
        }
        let w = at.join("w");
        let (whole, copied) = (at.join("w/s1").display().to_string(), at.join("w/output copied"));
        let copied = copied.display();
        let cd = format!("cd {} && ", w.display());
        let other = at.join("other");
        for (next, here, root, told) in [
            ("rebut run j.yaml", &w, "output", "rebut run j.yaml".to_owned()),
            (
                "rebut run j.yaml",
                &w,
                "output copied",
                "rebut run j.yaml --output 'output copied'".into(),
            ),
            (
                "rebut run j.yaml -o s1 --limit 2",
                &w,
                "s1/",
                "rebut run j.yaml -o s1 --limit 2".into(),
            ),
            ("rebut run -os1 j.yaml", &w, "output", "rebut run --output output j.yaml".into()),
            (
                "rebut run -o gone j.yaml --retry failed",
                &w,
                "s1",
                "rebut run --output s1 j.yaml --retry failed".into(),
            ),
            ("rebut show 51f6 --output=gone", &w, "s1", "rebut show 51f6 --output s1".into()),
            (
                "rebut report gone --include-rehearsals",
                &w,
                "s1",
                "rebut report s1 --include-rehearsals".into(),
            ),
            (
                "rebut report --include-rehearsals",
                &w,
                "s1",
                "rebut report s1 --include-rehearsals".into(),
            ),
            ("rebut run j.yaml -o s1", &other, "../w/s1", format!("{cd}rebut run j.yaml -o s1")),
            (
                "rebut run j.yaml -o gone",
                &other,
                &whole,
                format!("{cd}rebut run j.yaml --output {whole}"),
            ),
            ("rebut report", &other, "../w/output copied", format!("{cd}rebut report '{copied}'")),
            ("", &other, "../w/s1", String::new()),
        ] {
            assert_eq!(from(here, next, &w, Path::new(root)), told, "{next} {root}");
        }
        // A whole working directory was copied.
        let again = from(&w, "rebut run j.yaml -o s1", &at.join("gone"), Path::new("s1"));
        assert_eq!(again, "rebut run j.yaml -o s1");
    }
}
