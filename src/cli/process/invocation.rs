//! The command as given, to be repeated or shown.

use crate::store::layout::VARIABLE;
use crate::store::next_command::{output_in, with_output};
use crate::text::shell;

/// The arguments.
pub(in crate::cli) fn arguments() -> impl Iterator<Item = String> {
    std::env::args_os().map(|arg| arg.to_string_lossy().into_owned())
}

/// The arguments that mean the same in any shell: with the output directory, where the environment names it.
pub(in crate::cli) fn again() -> impl Iterator<Item = String> {
    named(arguments().collect(), std::env::var(VARIABLE).ok()).into_iter()
}

fn named(args: Vec<String>, output: Option<String>) -> Vec<String> {
    match output {
        Some(dir) if output_in(&mut args.clone()).is_none() => with_output(args, dir.as_ref()),
        _ => args,
    }
}

/// A command with the output directory that the environment names, where arguments may be debates in it.
pub(in crate::cli) fn in_environment(command: String) -> String {
    match std::env::var(VARIABLE) {
        Ok(dir) => format!("{VARIABLE}={} {command}", shell::quoted(&dir)),
        Err(_) => command,
    }
}

/// The command that resumes: all flags but `--restart` and `--retry`, which would apply again, `--until`, whose time of day may
/// have passed and then would be the next day's, and `--notify`, whose value may contain a key: the command may be printed into a file
/// that others read.
pub(in crate::cli) fn resume_command(args: impl Iterator<Item = String>) -> String {
    let args = without(without(without(args, "--retry"), "--until"), "--notify");
    shell::command(args.filter(|arg| arg != "--restart"))
}

/// The command for a file that others may read: without the value of `--notify`.
pub(in crate::cli) fn told_command(args: impl Iterator<Item = String>) -> String {
    shell::command(valueless(args, "--notify"))
}

/// Whether the command has a flag that takes a value.
pub(in crate::cli) fn has(mut args: impl Iterator<Item = String>, flag: &str) -> bool {
    args.any(|arg| value_of(&arg, flag).is_some())
}

/// What follows the flag in its own argument, after `=`; nothing if the value is the next argument; `None` for any other argument.
fn value_of<'a>(arg: &'a str, flag: &str) -> Option<&'a str> {
    let rest = arg.strip_prefix(flag)?;
    (rest.is_empty() || rest.starts_with('=')).then_some(rest)
}

/// The arguments without a flag and its value.
pub(in crate::cli) fn without(
    args: impl Iterator<Item = String>,
    flag: &'static str,
) -> impl Iterator<Item = String> {
    let mut is_value = false;
    args.filter(move |arg| {
        let was_value = std::mem::take(&mut is_value);
        let own = value_of(arg, flag).filter(|_| !was_value);
        is_value = own == Some("");
        !was_value && own.is_none()
    })
}

/// The arguments with `…` in place of a flag's value.
fn valueless(
    args: impl Iterator<Item = String>,
    flag: &'static str,
) -> impl Iterator<Item = String> {
    let mut is_value = false;
    args.map(move |arg| {
        if std::mem::take(&mut is_value) {
            return "…".to_owned();
        }
        match value_of(&arg, flag) {
            Some("") => {
                is_value = true;
                arg
            }
            Some(_) => format!("{flag}=…"),
            None => arg,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn b3_the_command_of_a_running_batch_is_told_without_what_notify_runs() {
        let args = |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<_>>();
        for (line, told, next) in [
            ("run --notify key job.yaml", "run --notify … job.yaml", "run job.yaml"),
            ("run --notify=key job.yaml", "run --notify=… job.yaml", "run job.yaml"),
            ("run --notify --notify job.yaml", "run --notify … job.yaml", "run job.yaml"),
            ("run --notifying job.yaml", "run --notifying job.yaml", "run --notifying job.yaml"),
        ] {
            let quoted = told_command(args(line).into_iter()).replace("'…'", "…");
            assert_eq!(quoted.replace("'--notify=…'", "--notify=…"), told);
            assert_eq!(resume_command(args(line).into_iter()), next);
        }
    }

    #[test]
    fn j9c_the_resume_command_repeats_every_flag_but_restart_and_retry() {
        let args = [
            "rebut",
            "run",
            "--restart",
            "--retry=failed",
            "--retry",
            "degraded",
            "jobs/a b.yaml",
            "--until",
            "07:00",
            "--set",
            "topic=It's so, is it?",
            "--seed",
            "7",
        ];
        let command = resume_command(args.into_iter().map(str::to_owned));
        assert_eq!(command, r"rebut run 'jobs/a b.yaml' --set 'topic=It'\''s so, is it?' --seed 7");
    }

    #[test]
    fn j9c_the_output_directory_that_the_environment_named_is_repeated() {
        let told = |line: &str, variable: Option<&str>| {
            let args = line.split(' ').map(str::to_owned).collect();
            named(args, variable.map(str::to_owned)).join(" ")
        };
        assert_eq!(told("rebut run a.yaml", None), "rebut run a.yaml");
        let repeated = "rebut run a.yaml --only x --output /night";
        assert_eq!(told("rebut run a.yaml --only x", Some("/night")), repeated);
        let behind = "rebut duel --output /night -- -o";
        assert_eq!(told("rebut duel -- -o", Some("/night")), behind);
        for own in ["a.yaml -o b", "--output=b a.yaml", "-ob a.yaml", "-vo b a.yaml", "-vob a.yaml"]
        {
            let own = format!("rebut run {own}");
            assert_eq!(told(&own, Some("/night")), own);
        }
    }
}
