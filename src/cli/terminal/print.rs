//! Printing: results to stdout, messages to stderr.
//!
//! Every write to stdout goes through here, and what is for people has all its characters visible ([`shown`]): most of it comes from
//! files that may be somebody else's. A closed pipe is not an error. Any other failure is reported once, on
//! stderr, and decides the exit code ([`stdout_failed`]), since the output did not arrive. While a run is in progress,
//! nothing here waits for a reader ([`spool`]); results that nobody read by its end did not arrive either.

use std::io::{self, BufWriter, ErrorKind, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use serde::Serialize;

use super::color::{Paint, shown};
use super::screen;
use super::spool::{self, Stream};
use crate::templates::inert_json;
use crate::text;

/// Whether a write to stdout has failed.
static FAILED: AtomicBool = AtomicBool::new(false);
/// Whether a user who insisted on the end gave up results.
static CUT_SHORT: AtomicBool = AtomicBool::new(false);
/// Whether stdout was closed by its reader.
static UNREAD: AtomicBool = AtomicBool::new(false);

/// One line to stdout.
pub(in crate::cli) fn out(line: &str) {
    result(format!("{}\n", shown(line)).into_bytes());
}

/// Bytes to stdout, in line or at once.
fn result(text: Vec<u8>) {
    if let Err(text) = spool::put(Stream::Out, text) {
        write(Stream::Out, &text);
    }
}

/// Bytes, however long that takes. Of those for stderr nobody can be told that they did not arrive.
fn write(stream: Stream, bytes: &[u8]) {
    if let Stream::Err = stream {
        let _ = io::stderr().lock().write_all(bytes);
        return;
    }
    let mut stdout = io::stdout().lock();
    note(stdout.write_all(bytes).and_then(|()| stdout.flush()));
}

/// From now on, printing waits for no reader.
pub(in crate::cli) fn in_background() {
    spool::start(write);
}

/// Waits for what is printed in the background, as long as it is read.
pub(in crate::cli) fn finish() {
    spool::only_prints();
    let lost = spool::end(Stream::Out);
    if lost > 0 {
        not_arrived(&text::count(lost, "byte"));
    }
    spool::end(Stream::Err);
}

/// Notes that so much for stdout did not arrive, because nobody read it or the user would not wait.
fn not_arrived(bytes: &str) {
    if spool::is_hurried() {
        CUT_SHORT.store(true, Ordering::Relaxed);
        warn(&format!("{bytes} for stdout not printed"));
    } else {
        FAILED.store(true, Ordering::Relaxed);
        err(&format!("error: nobody read stdout: {bytes} not printed"));
    }
}

/// A report to stdout as JSON, without characters that act on a terminal.
pub(in crate::cli) fn json(report: &impl Serialize) {
    // Strings, numbers and lists: writing them as JSON cannot fail.
    let json = serde_json::to_string_pretty(report).expect("a report is JSON");
    data(&(inert_json(&json) + "\n"));
}

/// A text to stdout.
pub(in crate::cli) fn whole(text: &str) {
    result(shown(text).into_bytes());
}

/// Data for programs to stdout: unchanged, but for people who see them on a terminal.
pub(in crate::cli) fn data(text: &str) {
    if io::stdout().is_terminal() {
        whole(text);
    } else {
        result(text.as_bytes().to_vec());
    }
}

/// What is written to stdout has no character that acts on a terminal.
pub(in crate::cli) fn written(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) {
    let mut stdout = BufWriter::new(io::stdout().lock());
    note(write(&mut stdout).and_then(|()| stdout.flush()));
}

/// Lines to stdout, each like [`told`].
pub(in crate::cli) fn told_all(lines: impl IntoIterator<Item: AsRef<str>>) {
    lines.into_iter().for_each(|line| told(line.as_ref()));
}

/// One line to stdout, for people: on a terminal broken between words.
pub(in crate::cli) fn told(line: &str) {
    match screen::width_of_stdout() {
        Some(width) => {
            let lines = text::lines::wrapped(line, "", "  ", width);
            lines.iter().for_each(|line| out(line));
        }
        None => out(&text::one_line(line)),
    }
}

/// A text to stdout, for people, with lines coloured by number and content: on a terminal they are broken between words,
/// after their indents.
pub(in crate::cli) fn read(text: &str, painted: impl Fn(usize, String) -> String) {
    let width = screen::width_of_stdout();
    let fit = |line: &str| width.map_or_else(|| line.to_owned(), |width| fitted(line, width));
    let lines = text.split('\n').enumerate().map(|(n, line)| painted(n, fit(line)));
    whole(&(text::separated(lines, "\n") + "\n"));
}

/// A text as its beginning may be printed before the rest has arrived: on a terminal broken between words.
pub(in crate::cli) fn laid_out(text: &str) -> String {
    let Some(width) = screen::width_of_stdout() else { return text.to_owned() };
    let broken = text.split('\n').map(|line| text::lines::broken(line, width).join("\n"));
    text::separated(broken, "\n")
}

/// One line to stdout: a coloured word of at most five letters, and the finding, on a terminal broken between words.
pub(in crate::cli) fn say(word: &str, about: &str) {
    let paint = Paint::on(&io::stdout());
    let label = format!("{word:5} ");
    let width = screen::width_of_stdout().unwrap_or(usize::MAX);
    let lines = text::lines::labelled(&label, 6, about, width).join("\n");
    let rest = lines.strip_prefix(&label).unwrap_or(&lines);
    out(&format!("{}{rest}", paint.status(word, &label)));
}

/// A line, broken if too wide; further lines are aligned with its text, after indent and list mark.
fn fitted(line: &str, width: usize) -> String {
    let text = line.trim_start_matches(' ').trim_start_matches("- ");
    let indent = line.chars().count() - text.chars().count();
    if line.chars().count() <= width || indent >= width / 2 {
        return line.to_owned();
    }
    let lines = text::lines::broken(text, width - indent);
    let others = format!("\n{}", " ".repeat(indent));
    line[..line.len() - text.len()].to_owned() + &lines.join(&others)
}

/// Clap's output: help and version to stdout, usage errors to stderr.
pub(in crate::cli) fn usage(said: &clap::Error) {
    if said.use_stderr() {
        remark(said.to_string().trim_end());
    } else {
        note(said.print().and_then(|()| io::stdout().flush()));
    }
}

/// One line to stderr.
pub(in crate::cli) fn err(line: &str) {
    let line = format!("{}\n", shown(line)).into_bytes();
    if let Err(line) = spool::put(Stream::Err, line) {
        write(Stream::Err, &line);
    }
}

/// A warning to stderr.
pub(in crate::cli) fn warn(text: &str) {
    remark(&text::one_line(&format!("warning: {text}")));
}

/// Lines to stderr, for people: on a terminal broken between words.
pub(in crate::cli) fn remark(text: &str) {
    match screen::width_of_stderr() {
        Some(width) => text.split('\n').for_each(|line| err(&fitted(line, width))),
        None => err(text),
    }
}

/// Whether a write to stdout failed.
pub(in crate::cli) fn stdout_failed() -> bool {
    FAILED.load(Ordering::Relaxed)
}

/// Whether a user who insisted on the end gave up results.
pub(in crate::cli) fn is_cut_short() -> bool {
    CUT_SHORT.load(Ordering::Relaxed)
}

/// Whether further printing is pointless.
pub(in crate::cli) fn is_in_vain() -> bool {
    UNREAD.load(Ordering::Relaxed) || stdout_failed()
}

fn note(outcome: io::Result<()>) {
    let Err(error) = outcome else { return };
    UNREAD.fetch_or(error.kind() == ErrorKind::BrokenPipe, Ordering::Relaxed);
    // The reader may stop reading (`| head`).
    if error.kind() != ErrorKind::BrokenPipe && !FAILED.swap(true, Ordering::Relaxed) {
        err(&format!("error: cannot write to stdout: {error}"));
        err("hint: free disk space for stdout, or redirect it");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn e2_a_line_that_is_too_wide_goes_on_below_its_text() {
        assert_eq!(fitted("  - one two three", 11), "  - one two\n    three");
        assert_eq!(fitted("one two", 7), "one two");
        assert_eq!(fitted("", 7), "");
    }
}
