//! Signals that ask a run to stop.

#[cfg(all(test, unix))]
mod tests;

use std::sync::Arc;
use std::sync::mpsc::channel;
use std::{io, thread};

use futures_util::future::join_all;
use tokio::runtime::{Builder, Runtime};

use super::failure::Failure;
use crate::cli::terminal::spool;
use crate::servers::OnNotice;
use crate::stop::{INTERRUPT, Stop};

/// The first Ctrl-C asks to stop, the second insists, and so does any once the run is over; so do SIGTERM and a closed terminal, unless this
/// process was started to outlive it. One stream per signal from now on: a signal between two listeners would be
/// lost.
pub(in crate::cli) fn listen(stop: &Stop, notify: &OnNotice) -> Result<(), Failure> {
    let (stop, notify) = (stop.clone(), Arc::clone(notify));
    on_interrupt(move || {
        let insists = stop.is_requested();
        // Stop first, then report it, so that the message is true and nothing can hold up the end.
        stop.request(INTERRUPT);
        let is_last = spool::is_last();
        if insists || is_last {
            spool::hurry();
        }
        notify(match (is_last, insists) {
            (true, _) => "leaving out what is not printed yet",
            (_, true) => "stopping now; the calls in flight will be asked again",
            _ => "stopping after the calls in flight; press Ctrl-C again to stop now",
        });
    })
}

/// The first Ctrl-C stops a command that has nothing to finish.
#[cfg(any(feature = "view", feature = "fleet"))]
pub(in crate::cli) fn stop_on_interrupt(stop: &Stop) -> Result<(), Failure> {
    let stop = stop.clone();
    on_interrupt(move || stop.request(INTERRUPT))
}

fn on_interrupt(act: impl Fn() + Clone + Send + 'static) -> Result<(), Failure> {
    listening(act).map_err(|e| Failure::input(format!("cannot listen for Ctrl-C: {e}"), ""))
}

/// Acts on signals on a thread of its own: whatever a run waits for, it can be ended. Its runtime is made there, since it must
/// not be dropped here if there can be no such thread.
fn listening(act: impl Fn() + Clone + Send + 'static) -> io::Result<()> {
    let (told, is_listening) = channel();
    let listen = move || match streams() {
        Ok((runtime, streams)) => {
            let _ = told.send(Ok(()));
            let streams = streams.into_iter();
            runtime.block_on(join_all(streams.map(|stream| acting(stream, act.clone()))));
        }
        Err(error) => drop(told.send(Err(error))),
    };
    thread::Builder::new().name("signals".to_owned()).spawn(listen)?;
    is_listening.recv().map_err(io::Error::other)?
}

/// The streams of the signals, and what they run on.
fn streams() -> io::Result<(Runtime, Vec<Interrupts>)> {
    let runtime = Builder::new_current_thread().enable_io().build()?;
    let within = runtime.enter();
    let streams = interrupts()?;
    drop(within);
    Ok((runtime, streams))
}

async fn acting(mut signals: Interrupts, act: impl Fn()) {
    while signals.recv().await.is_some() {
        act();
    }
}

#[cfg(unix)]
type Interrupts = tokio::signal::unix::Signal;
#[cfg(windows)]
type Interrupts = tokio::signal::windows::CtrlC;

#[cfg(unix)]
fn interrupts() -> io::Result<Vec<Interrupts>> {
    use tokio::signal::unix::{SignalKind, signal};
    // Once it is handled, a write beyond `ulimit -f` is an error instead of the end of the process without a word.
    #[cfg(any(target_os = "linux", target_os = "macos"))]
    drop(signal(SignalKind::from_raw(FILE_TOO_LARGE))?);
    let mut kinds = vec![SignalKind::interrupt(), SignalKind::terminate()];
    if !hangup_is_ignored() {
        kinds.push(SignalKind::hangup());
    }
    kinds.into_iter().map(signal).collect()
}

#[cfg(windows)]
fn interrupts() -> io::Result<Vec<Interrupts>> {
    Ok(vec![tokio::signal::windows::ctrl_c()?])
}

/// SIGXFSZ's number.
#[cfg(any(target_os = "linux", target_os = "macos"))]
const FILE_TOO_LARGE: i32 = 25;

/// SIGHUP's number on every Unix.
#[cfg(unix)]
const HANGUP: u32 = 1;

/// Whether this process was started to ignore SIGHUP, as by `nohup` and `trap '' HUP`. Must be asked before
/// a handler is installed, which hides the answer.
#[cfg(unix)]
fn hangup_is_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").ok();
    status.as_deref().and_then(of_status).or_else(of_child).unwrap_or(false)
}

/// Linux's answer: a mask of ignored signals in hexadecimal digits, the first one last.
#[cfg(unix)]
fn of_status(status: &str) -> Option<bool> {
    let mut lines = status.lines();
    let mask = lines.find_map(|line| line.strip_prefix("SigIgn:"))?;
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
