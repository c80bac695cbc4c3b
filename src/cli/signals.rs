//! Signals that ask a run to stop.

use std::sync::Arc;

use super::failure::Failure;
use crate::servers::OnNotice;
use crate::stop::Stop;

/// The first Ctrl-C asks to stop, the second insists; so do SIGTERM and a closed terminal, unless this
/// process was started to outlive it. One stream per signal from now on: a signal between two listeners would be
/// lost.
pub(super) fn listen(stop: &Stop, notify: &OnNotice) -> Result<(), Failure> {
    let (stop, notify) = (stop.clone(), Arc::clone(notify));
    on_interrupt(move || {
        if stop.is_requested() {
            notify("stopping now");
            stop.request();
        } else {
            // Stop first, then report it, so that the message is true.
            stop.request();
            notify("stopping after the calls in flight; press Ctrl-C again to stop now");
        }
    })
}

/// The first Ctrl-C stops a command that has nothing to finish.
#[cfg(any(feature = "view", feature = "fleet"))]
pub(super) fn stop_on_interrupt(stop: &Stop) -> Result<(), Failure> {
    let stop = stop.clone();
    on_interrupt(move || stop.request())
}

fn on_interrupt(act: impl Fn() + Clone + Send + 'static) -> Result<(), Failure> {
    let cannot = |e| Failure::input(format!("cannot listen for Ctrl-C: {e}"), "");
    for mut signals in interrupts().map_err(cannot)? {
        let act = act.clone();
        tokio::spawn(async move {
            while signals.recv().await.is_some() {
                act();
            }
        });
    }
    Ok(())
}

#[cfg(unix)]
fn interrupts() -> std::io::Result<Vec<tokio::signal::unix::Signal>> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut kinds = vec![SignalKind::interrupt(), SignalKind::terminate()];
    if !hangup_is_ignored() {
        kinds.push(SignalKind::hangup());
    }
    kinds.into_iter().map(signal).collect()
}

#[cfg(windows)]
fn interrupts() -> std::io::Result<Vec<tokio::signal::windows::CtrlC>> {
    Ok(vec![tokio::signal::windows::ctrl_c()?])
}

/// SIGHUP's number on every Unix.
#[cfg(unix)]
const HANGUP: u32 = 1;

/// Whether this process was started to ignore SIGHUP, as by `nohup` and `trap '' HUP`. Must be asked before
/// a handler is installed, which hides the answer.
#[cfg(unix)]
fn hangup_is_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").ok();
    let by_status = status.as_deref().and_then(of_status);
    by_status.or_else(of_child).unwrap_or(false)
}

/// Linux's answer: a mask of ignored signals in hexadecimal digits, the first one last.
#[cfg(unix)]
fn of_status(status: &str) -> Option<bool> {
    let mask = status
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))?;
    let mask = u64::from_str_radix(mask.trim(), 16).ok()?;
    Some(mask & (1 << (HANGUP - 1)) != 0)
}

/// Elsewhere, a child shows it: it inherits ignored signals, so it either survives the signal or not.
#[cfg(unix)]
fn of_child() -> Option<bool> {
    use std::process::{Command, Stdio};
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", "kill -HUP $$"]);
    let silent = shell.stdin(Stdio::null()).stdout(Stdio::null());
    Some(silent.stderr(Stdio::null()).status().ok()?.success())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn j10c_an_ignored_hangup_is_read_from_the_mask() {
        let status =
            |mask: &str| format!("SigBlk:\t0000000000000001\nSigIgn:\t{mask}\nSigCgt:\t1\n");
        assert_eq!(of_status(&status("0000000000000001")), Some(true));
        assert_eq!(of_status(&status("0000000000001003")), Some(true));
        assert_eq!(of_status(&status("0000000000001002")), Some(false));
        assert_eq!(of_status("Name:\tx\n"), None);
    }

    #[test]
    fn j10c_a_child_shows_the_same_as_the_mask() {
        if let Ok(status) = std::fs::read_to_string("/proc/self/status") {
            assert_eq!(of_child(), of_status(&status));
        }
    }
}
