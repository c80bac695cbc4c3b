//! Checks of texts and lists: why one is refused, and what to do about it.

use std::ops::RangeInclusive;

use unicode_width::UnicodeWidthStr;

use super::problem::{Refusal, named};
use crate::text;

/// Fewest characters of what a debate is about, full-width ones counted twice. No other text needs as many.
pub(super) const FEWEST: usize = 10;
/// What to write where what a debate is about is too short.
const QUESTION: &str = "write a question, such as \"Should zoos be closed?\"";

/// Checks length, line ends and invisible characters of a text. A full-width character says more than another: it counts as two
/// of the fewest.
pub(super) fn check_text(
    text: &str,
    length: &RangeInclusive<usize>,
    lines: bool,
) -> Result<(), Refusal> {
    let (found, least, most) = (text.chars().count(), *length.start(), *length.end());
    let refuse = |cause: String, remedy: &str| Err((cause, remedy.to_owned()));
    let longer = if least >= FEWEST { QUESTION } else { "write some text, or remove it" };
    if found == 0 && least > 0 {
        return refuse("is empty".to_owned(), longer);
    }
    let columns = text.width().max(found);
    if columns < least || found > most {
        let characters = text::count(found, "character");
        let remedy = if found > most { "shorten it" } else { longer };
        let wide = if found < columns.min(least) { " (full-width ones count as two)" } else { "" };
        return refuse(format!("has {characters}; it must have {least} to {most}{wide}"), remedy);
    }
    if !lines && text.contains(text::is_line_end) {
        let remedy = "put it on one line (a folded `>-` block joins lines)";
        return refuse("must be one line".to_owned(), remedy);
    }
    text.chars().find(|c| text::acts(*c)).map(u32::from).map_or(Ok(()), |code| {
        refuse(format!("contains U+{code:04X}, a control or invisible character"), "remove it")
    })
}

/// The same; the cause follows the name of the text.
pub(super) fn check_named(
    name: &str,
    text: &str,
    length: &RangeInclusive<usize>,
    lines: bool,
) -> Result<(), Refusal> {
    named(name, check_text(text, length, lines))
}

/// `1 entry`, `2 entries`.
pub(super) fn entries(n: usize) -> String {
    format!("{n} {}", if n == 1 { "entry" } else { "entries" })
}

/// Why a list of `found` entries is refused, if it is.
pub(super) fn check_count(found: usize, count: &RangeInclusive<usize>) -> Result<(), Refusal> {
    let (least, most) = (*count.start(), *count.end());
    if count.contains(&found) {
        return Ok(());
    }
    let remedy = if found < least {
        format!("add {}{}", least - found, if found > 0 { " more" } else { "" })
    } else {
        format!("remove {}", found - most)
    };
    let entries = entries(found);
    Err((format!("has {entries}; it must have {least} to {most}"), remedy))
}
