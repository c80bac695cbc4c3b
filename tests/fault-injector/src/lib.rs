//! A library for `LD_PRELOAD` that stands between a program and the C library's file operations. It logs them in order,
//! kills the program at one of them, or lets one fail. Tests only; it must never be linked into a program.
//!
//! Environment:
//! - `INJECT_ROOT`: operations on this directory and below it are numbered, from 1.
//! - `INJECT_EXCEPT`: operations on paths that contain one of these, which colons part, are let through as if they were
//!   elsewhere: what is written as time passes would number the others differently each time.
//! - `INJECT_LOG`: a file that gets two lines for each, `N > OPERATION PATH DATA` before it and
//!   `N < OPERATION PATH = RESULT` after it, and `0 >` and `0 <` lines for what goes through sockets.
//! - `INJECT_ACT`: what happens at operation N: `kill before N`, `kill half N` (of a write's bytes), `kill after N`,
//!   `kill received N` (when N bytes have come in through sockets), `fail ENOSPC N`, `fail EIO N`, `fail EMFILE N`, and with `from N`
//!   in place of `N` every operation from that one on.
//! - `INJECT_READ`: `ERROR N PART`: opening a file that is there fails with this error the first N times, on paths that contain PART.
#![cfg(target_os = "linux")]

mod act;
mod symbols;
mod sys;

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use act::{Act, Refusal, When};

/// What the environment says.
struct Settings {
    root: Vec<u8>,
    except: Vec<u8>,
    log: Option<i32>,
    act: Option<Act>,
    read: Option<Refusal>,
}

static SETTINGS: OnceLock<Settings> = OnceLock::new();
static OPERATIONS: AtomicUsize = AtomicUsize::new(0);
static RECEIVED: AtomicUsize = AtomicUsize::new(0);
static REFUSED: AtomicUsize = AtomicUsize::new(0);

fn settings() -> &'static Settings {
    let variable = |name| std::env::var_os(name).map(OsString::into_vec);
    SETTINGS.get_or_init(|| Settings {
        root: variable("INJECT_ROOT").unwrap_or_default(),
        except: variable("INJECT_EXCEPT").unwrap_or_default(),
        log: variable("INJECT_LOG").map(|path| sys::open_log(&path)),
        act: std::env::var("INJECT_ACT").ok().map(|text| Act::parse(&text)),
        read: std::env::var("INJECT_READ").ok().map(|text| Refusal::parse(&text)),
    })
}

/// Whether operations on a path are numbered.
fn is_watched(path: &[u8]) -> bool {
    let Settings { root, except, .. } = settings();
    let rest = path.strip_prefix(root.as_slice());
    let is_below = rest.is_some_and(|rest| rest.is_empty() || rest[0] == b'/');
    let mut excepted = except.split(|byte| *byte == b':').filter(|it| !it.is_empty());
    let is_excepted = excepted.any(|it| path.windows(it.len()).any(|part| part == it));
    !root.is_empty() && is_below && !is_excepted
}

fn log(line: &str) {
    if let Some(fd) = settings().log {
        sys::write(fd, format!("{line}\n").as_bytes());
    }
}

/// Bytes as one line of text.
fn shown(bytes: &[u8]) -> String {
    format!("\"{}\"", bytes.escape_ascii())
}

/// Numbers, logs and does an operation, unless it is the one that the program does not survive or that fails. `half`
/// does a part of it, where it has parts.
fn operation(what: &str, data: &[u8], half: impl Fn(), whole: impl Fn() -> i64) -> i64 {
    let n = OPERATIONS.fetch_add(1, Ordering::SeqCst) + 1;
    let due = settings().act.as_ref().and_then(|act| act.at(n));
    log(&format!("{n} > {what} {}", shown(data)));
    match due {
        Some(When::Before) => sys::die(),
        Some(When::Half) => {
            half();
            sys::die()
        }
        Some(When::Fail(errno)) => {
            log(&format!("{n} < {what} = fault {errno}"));
            sys::set_errno(errno);
            return -1;
        }
        Some(When::After | When::Received) | None => {}
    }
    let result = whole();
    let errno = sys::errno();
    log(&format!("{n} < {what} = {result}"));
    if matches!(due, Some(When::After)) {
        sys::die();
    }
    sys::set_errno(errno);
    result
}

/// Opens what is there, unless it is one of the openings that fail.
fn opening(path: &[u8], whole: impl Fn() -> i64) -> i64 {
    let refusal = settings().read.as_ref().filter(|it| it.means(path));
    match refusal {
        Some(it) if REFUSED.fetch_add(1, Ordering::SeqCst) < it.most => {
            sys::set_errno(it.errno);
            -1
        }
        _ => whole(),
    }
}

/// Logs what goes out through a socket, before it goes.
fn sent(data: &[u8]) {
    log(&format!("0 > send {}", shown(data)));
}

/// Logs and counts what came in through a socket.
fn received(length: i64) {
    let errno = sys::errno();
    if let Ok(length) = usize::try_from(length) {
        let before = RECEIVED.fetch_add(length, Ordering::SeqCst);
        log(&format!("0 < recv = {length}"));
        let act = settings().act.as_ref();
        if act.is_some_and(|act| act.within(before, before + length)) {
            sys::die();
        }
    }
    sys::set_errno(errno);
}
