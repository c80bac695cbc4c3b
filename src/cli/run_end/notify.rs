//! `--notify`: a user's command that runs at the end of a batch.

#[cfg(all(test, unix))]
mod tests;

use std::io::{ErrorKind, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

/// How long the command is waited for.
pub(in crate::cli) const LIMIT: Duration = Duration::from_secs(60);
/// After this time the user is told what is waited for.
const TOLD_AFTER: Duration = Duration::from_secs(2);
/// Pause between two looks whether it has ended.
const LOOK: Duration = Duration::from_millis(20);

/// Runs a shell command with this text on its standard input, for at most `limit`; the error says how it failed. What it is is
/// not told: it may contain a key, and messages are often kept in a file.
pub(in crate::cli) fn run(
    command: &str,
    input: &str,
    limit: Duration,
    tell: impl FnOnce(&str),
) -> Result<(), String> {
    let mut child = shell(command)
        .stdin(Stdio::piped())
        // Its output is for the user, not one of our results.
        .stdout(Stdio::from(std::io::stderr()))
        .spawn()
        .map_err(|e| format!("cannot start the shell: {e}"))?;
    let (stdin, input) = (child.stdin.take(), input.to_owned());
    // On a thread of its own: a command that does not read would hold up the rest.
    let (tell_written, written) = mpsc::channel();
    thread::spawn(move || {
        let written = stdin.map(|mut stdin| stdin.write_all(input.as_bytes()));
        // Nobody hears it once the limit is over.
        let _ = tell_written.send(written);
    });
    let began = Instant::now();
    let limit_in_words = humantime::format_duration(limit);
    let Some(status) = waited(&mut child, limit, || {
        tell(&format!("waiting for the --notify command, for at most {limit_in_words}"));
    })?
    else {
        return Err(format!("the command still runs after {limit_in_words} and is left to itself"));
    };
    if !status.success() {
        return Err(format!("the command failed ({status})"));
    }
    match written.recv_timeout(limit.saturating_sub(began.elapsed())) {
        // A command need not read its input.
        Ok(Some(Err(e))) if e.kind() != ErrorKind::BrokenPipe => Err(e.to_string()),
        _ => Ok(()),
    }
}

/// How a command ended; `None` if it has not within `limit`.
fn waited(
    child: &mut Child,
    limit: Duration,
    tell: impl FnOnce(),
) -> Result<Option<ExitStatus>, String> {
    let (began, mut tell) = (Instant::now(), Some(tell));
    loop {
        match child.try_wait().map_err(|e| e.to_string())? {
            None if began.elapsed() < limit => thread::sleep(LOOK),
            ended => return Ok(ended),
        }
        if began.elapsed() > TOLD_AFTER
            && let Some(tell) = tell.take()
        {
            tell();
        }
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
