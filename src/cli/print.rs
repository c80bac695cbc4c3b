//! Printing: to stdout what others read, to stderr what the user is told. A reader that goes away is no error.

use std::io::{self, Write};

use crate::text;

/// One line to stdout.
pub(super) fn out(line: &str) {
    let mut stdout = io::stdout().lock();
    // Whoever reads may stop reading (`| head`): there is nobody left to tell.
    let _ = writeln!(stdout, "{line}").and_then(|()| stdout.flush());
}

/// One line to stdout, of what a server said: everything in it visible.
pub(super) fn told(line: &str) {
    out(&text::one_line(line));
}

/// One line to stderr.
pub(super) fn err(line: &str) {
    let _ = writeln!(io::stderr().lock(), "{line}");
}
