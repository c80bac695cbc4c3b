//! The runtime that commands run on.

use std::io;
use std::sync::{Mutex, PoisonError};
use std::thread;

use tokio::runtime::Builder;

use super::failure::Failure;
use crate::machine;

/// Threads that a command needs beside its first and one for each processor: two that print, one each for signals, the run's state,
/// live files, and work that waits for the disk.
const THREADS: usize = 6;

/// Runs a future to its end on its own runtime.
pub(in crate::cli) fn block_on<T>(future: impl Future<Output = T>) -> Result<T, Failure> {
    check_limits()?;
    let runtime = Builder::new_multi_thread().enable_all().build();
    let cannot = |e| Failure::input(format!("cannot start the runtime: {e}"), "");
    let runtime = runtime.map_err(cannot)?;
    let value = runtime.block_on(future);
    // Anything still running was cut off on purpose, by a second Ctrl-C.
    runtime.shutdown_background();
    Ok(value)
}

/// Refuses to begin where this process may have too few files or threads: the runtime would panic, or wait for ever.
fn check_limits() -> Result<(), Failure> {
    let (files, least) = (machine::raise_file_limit(), machine::RESERVED);
    if files < least {
        let cause = format!("this process may open only {files} files");
        let hint = format!("raise the limit (`ulimit -n`) to {least} at least, better to 1024");
        return Err(Failure::input(cause, hint));
    }
    try_threads().map_err(|e| {
        let hint = "raise the limit on this user's processes (`ulimit -u`), or on the container's";
        Failure::input(format!("cannot start threads: {e}"), hint)
    })
}

/// Has as many threads at a time as a command needs.
fn try_threads() -> io::Result<()> {
    let threads = thread::available_parallelism().map_or(1, usize::from) + THREADS;
    let gate = Mutex::new(());
    let pass = || drop(gate.lock());
    thread::scope(|scope| {
        let _closed = gate.lock().unwrap_or_else(PoisonError::into_inner);
        (0..threads).try_for_each(|_| thread::Builder::new().spawn_scoped(scope, pass).map(drop))
    })
}
