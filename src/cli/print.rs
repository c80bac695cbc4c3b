//! Printing: to stdout what others read, to stderr what the user is told. A reader that goes away is no error.

use std::io::{self, BufWriter, ErrorKind, Write};

use super::failure::Failure;
use crate::text;

/// One line to stdout.
pub(super) fn out(line: &str) {
    let mut stdout = io::stdout().lock();
    // Whoever reads may stop reading (`| head`): there is nobody left to tell.
    let _ = writeln!(stdout, "{line}").and_then(|()| stdout.flush());
}

/// A whole text to stdout, as it is: what a command is run for, so that not all of it being written is a failure.
pub(super) fn whole(text: &str) -> Result<(), Failure> {
    written(|stdout| stdout.write_all(text.as_bytes()))
}

/// The same for what is written as it comes.
pub(super) fn written(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Failure> {
    let mut stdout = BufWriter::new(io::stdout().lock());
    match write(&mut stdout).and_then(|()| stdout.flush()) {
        Err(e) if e.kind() != ErrorKind::BrokenPipe => Err(Failure::input(
            format!("cannot write to stdout: {e}"),
            "make room where stdout leads to, or let it lead elsewhere",
        )),
        _ => Ok(()),
    }
}

/// One line to stdout, of what a server said: everything in it visible.
pub(super) fn told(line: &str) {
    out(&text::one_line(line));
}

/// One line to stderr.
pub(super) fn err(line: &str) {
    let _ = writeln!(io::stderr().lock(), "{line}");
}
