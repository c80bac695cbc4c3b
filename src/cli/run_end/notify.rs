//! `--notify`: a user's command that runs at the end of a batch.

use std::io::{ErrorKind, Write};
use std::process::{Command, Stdio};

/// Runs a shell command with this text on its standard input; the error says how it failed.
pub(in crate::cli) fn run(command: &str, input: &str) -> Result<(), String> {
    let mut child = shell(command)
        .stdin(Stdio::piped())
        // Its output is for the user, not one of our results.
        .stdout(Stdio::from(std::io::stderr()))
        .spawn()
        .map_err(|e| format!("cannot start the shell: {e}"))?;
    let written = child
        .stdin
        .take()
        .map(|mut stdin| stdin.write_all(input.as_bytes()));
    let status = child.wait().map_err(|e| e.to_string())?;
    match written {
        _ if !status.success() => Err(format!("the command failed ({status})")),
        // A command need not read its input.
        Some(Err(e)) if e.kind() != ErrorKind::BrokenPipe => Err(e.to_string()),
        _ => Ok(()),
    }
}

#[cfg(unix)]
fn shell(command: &str) -> Command {
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", command]);
    shell
}

#[cfg(windows)]
fn shell(command: &str) -> Command {
    let mut shell = Command::new("cmd");
    shell.args(["/C", command]);
    shell
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn b3_a_command_is_told_on_its_standard_input_and_its_failure_is_told_back() {
        assert_eq!(
            run("read line && test \"$line\" = '3 done'", "3 done\n"),
            Ok(())
        );
        assert_eq!(run("true", &"long ".repeat(1 << 20)), Ok(()));
        let failed = run("exit 3", "").unwrap_err();
        assert_eq!(failed, "the command failed (exit status: 3)");
    }
}
