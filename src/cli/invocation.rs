//! The command as given, to be repeated or shown.

use crate::text::shell;

/// The arguments.
pub(super) fn arguments() -> impl Iterator<Item = String> {
    std::env::args_os().map(|arg| arg.to_string_lossy().into_owned())
}

/// The command that resumes: all flags but `--restart` and `--retry`, which would apply again.
pub(super) fn resume_command(args: impl Iterator<Item = String>) -> String {
    let mut is_value = false;
    let kept = args.filter(|arg| {
        let of_retry = std::mem::replace(&mut is_value, arg == "--retry");
        !of_retry && arg != "--retry" && arg != "--restart" && !arg.starts_with("--retry=")
    });
    shell::command(kept)
}

/// The command without the value of `--notify`, which may contain a key; others may read the file.
pub(super) fn without_notify(args: impl Iterator<Item = String>) -> impl Iterator<Item = String> {
    let mut is_value = false;
    args.map(move |arg| {
        if std::mem::replace(&mut is_value, arg == "--notify") {
            return "…".to_owned();
        }
        match arg.starts_with("--notify=") {
            true => "--notify=…".to_owned(),
            false => arg,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn b3_the_command_of_a_running_batch_is_told_without_what_notify_runs() {
        let told = |line: &str| {
            let args = line.split(' ').map(str::to_owned);
            without_notify(args).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(told("run --notify key job.yaml"), "run --notify … job.yaml");
        assert_eq!(told("run --notify=key job.yaml"), "run --notify=… job.yaml");
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
            "--set",
            "topic=It's so, is it?",
            "--seed",
            "7",
        ];
        let command = resume_command(args.into_iter().map(str::to_owned));
        assert_eq!(
            command,
            r"rebut run 'jobs/a b.yaml' --set 'topic=It'\''s so, is it?' --seed 7"
        );
    }
}
