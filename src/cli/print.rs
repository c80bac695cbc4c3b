//! Printing: to stdout what others read, to stderr what the user is told.
//!
//! Every write to stdout goes through here. A reader that goes away is no error. Any other failure is reported once, on
//! stderr, and decides how the program ends ([`stdout_failed`]): what was asked for did not arrive.

use std::io::{self, BufWriter, ErrorKind, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use crate::text;

/// Whether a write to stdout has failed.
static FAILED: AtomicBool = AtomicBool::new(false);

/// One line to stdout.
pub(super) fn out(line: &str) {
    let mut stdout = io::stdout().lock();
    note(writeln!(stdout, "{line}").and_then(|()| stdout.flush()));
}

/// A whole text to stdout, as it is.
pub(super) fn whole(text: &str) {
    written(|stdout| stdout.write_all(text.as_bytes()));
}

/// The same for what is written as it comes.
pub(super) fn written(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) {
    let mut stdout = BufWriter::new(io::stdout().lock());
    note(write(&mut stdout).and_then(|()| stdout.flush()));
}

/// One line to stdout, of what a server said: everything in it visible.
pub(super) fn told(line: &str) {
    out(&text::one_line(line));
}

/// What clap has to say: help and version to stdout, usage errors to stderr.
pub(super) fn usage(said: &clap::Error) {
    let printed = said.print();
    if !said.use_stderr() {
        note(printed.and_then(|()| io::stdout().flush()));
    }
}

/// One line to stderr.
pub(super) fn err(line: &str) {
    let _ = writeln!(io::stderr().lock(), "{line}");
}

/// Whether something could not be written to stdout.
pub(super) fn stdout_failed() -> bool {
    FAILED.load(Ordering::Relaxed)
}

fn note(outcome: io::Result<()>) {
    let Err(error) = outcome else {
        return;
    };
    // Whoever reads may stop reading (`| head`): there is nobody left to tell.
    if error.kind() != ErrorKind::BrokenPipe && !FAILED.swap(true, Ordering::Relaxed) {
        err(&format!("error: cannot write to stdout: {error}"));
        err("hint: free space where stdout is written, or redirect it");
    }
}
