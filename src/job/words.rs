//! Why a value is refused and what to write instead, by the shape that was wanted.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::ops::RangeInclusive;
use std::path::Path;

use serde_json::Value;

use super::problem::Refusal;
use super::tree::{Data, Node};
use crate::files::{self, FileError};
use crate::text;

/// Checks length, line ends and invisible characters of a text.
pub(super) fn check_text(
    text: &str,
    length: &RangeInclusive<usize>,
    lines: bool,
) -> Result<(), Refusal> {
    let (found, least, most) = (text.chars().count(), *length.start(), *length.end());
    let refuse = |cause: String, remedy: &str| Err((cause, remedy.to_owned()));
    if found == 0 && least > 0 {
        return refuse("is empty".to_owned(), "write a text, or remove it");
    }
    if !length.contains(&found) {
        let characters = text::count(found as u64, "character");
        let remedy = if found > most {
            "shorten it"
        } else {
            "make it longer"
        };
        let cause = format!("has {characters}; it must have {least} to {most}");
        return refuse(cause, remedy);
    }
    if !lines && text.contains(text::is_line_end) {
        let remedy = "put it on one line (a folded `>-` block joins lines)";
        return refuse("must be one line".to_owned(), remedy);
    }
    let hidden = text.chars().find(|c| text::acts(*c)).map(u32::from);
    hidden.map_or(Ok(()), |code| {
        let cause = format!("contains U+{code:04X}, a control or invisible character");
        refuse(cause, "remove it")
    })
}

/// `1 entry`, `2 entries`.
pub(super) fn counted(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

/// Why a list of `found` entries is refused, if it is.
pub(super) fn check_count(found: usize, count: &RangeInclusive<usize>) -> Result<(), Refusal> {
    let (least, most) = (*count.start(), *count.end());
    if count.contains(&found) {
        return Ok(());
    }
    let remedy = match found < least {
        true => format!("add {} more", least - found),
        false => format!("remove {}", found - most),
    };
    let entries = counted(found, "entry", "entries");
    Err((
        format!("has {entries}; it must have {least} to {most}"),
        remedy,
    ))
}

/// A value as a message shows it.
pub(super) fn shown(node: &Node) -> String {
    match &node.data {
        Data::List(_) | Data::Map(_) => node.kind().to_owned(),
        Data::Whole(_, text) | Data::Number(_, text) => text.clone(),
        Data::Text(text) => Value::from(text::shorten(text, 60)).to_string(),
        Data::Null => "an empty value".to_owned(),
        Data::Flag(flag) => flag.to_string(),
    }
}

/// What to write where a mapping was wanted.
pub(super) fn mapping_remedy(node: &Node) -> &'static str {
    match node.data {
        Data::List(_) => "remove the dashes: `key: value` lines, indented below it",
        _ if means(node, true) => {
            "write `{}` for its defaults, or `key: value` lines, indented below it"
        }
        _ => "write `key: value` lines, indented below it",
    }
}

/// Whether a value says yes (or no) in one of the words that people use for it.
pub(super) fn means(node: &Node, yes: bool) -> bool {
    let words = if yes { ["yes", "on"] } else { ["no", "off"] };
    match &node.data {
        Data::Flag(flag) => *flag == yes,
        Data::Text(text) => words.contains(&text.trim().to_lowercase().as_str()),
        _ => false,
    }
}

/// The most bytes of a file that goes into prompts.
pub(super) const MOST_BYTES: usize = 200_000;

/// The text of a file that a job names; it goes into prompts.
pub(super) fn read_text(path: &Path, name: &str) -> Result<String, Refusal> {
    text_of(name, files::read_at_most(path, MOST_BYTES as u64))
}

/// How much of a job file is read, in bytes: more than one may have.
const MOST_OF_A_JOB: u64 = 2_000_000;

/// The text of a job file, or of a job that another program writes.
pub(super) fn read_stream(path: &Path, name: &str) -> Result<String, Refusal> {
    // What is longer is refused by its first bytes: a device has no end.
    text_of(name, files::read_stream(path, MOST_OF_A_JOB))
}

fn text_of(name: &str, bytes: Result<Vec<u8>, FileError>) -> Result<String, Refusal> {
    let bytes = bytes.map_err(|e| unreadable(name, &e))?;
    let why = if bytes.contains(&0) {
        "it has zero bytes, as UTF-16 and binary files have".to_owned()
    } else {
        match String::from_utf8(bytes) {
            Ok(text) => return Ok(text),
            Err(e) => {
                let good = &e.as_bytes()[..e.utf8_error().valid_up_to()];
                let line = good.split(|byte| *byte == b'\n').count();
                format!("line {line} is in another encoding")
            }
        }
    };
    let cause = format!("`{name}` is not UTF-8 text: {why}");
    Err((cause, "save it as UTF-8".to_owned()))
}

/// Why a file that was named cannot be read.
fn unreadable(name: &str, error: &FileError) -> Refusal {
    let source = &error.source;
    let (what, remedy) = match source.kind() {
        ErrorKind::NotFound => {
            let cause = format!("there is no file `{name}`");
            return (cause, "the path is relative to the job file".to_owned());
        }
        ErrorKind::IsADirectory => ("is a directory".to_owned(), "name a file"),
        ErrorKind::InvalidInput => ("is not a regular file".to_owned(), "name a file"),
        ErrorKind::FileTooLarge => (
            format!("is too large: {source}"),
            "shorten it: it goes into every prompt",
        ),
        _ => (format!("cannot be read: {source}"), "make it readable"),
    };
    (format!("`{name}` {what}"), remedy.to_owned())
}

/// A hint that names the nearest of `known`, where one is near.
pub(super) fn did_you_mean<'k>(
    written: &str,
    known: impl Iterator<Item = &'k str>,
) -> Option<String> {
    nearest(written, known).map(|best| format!("did you mean `{best}`?"))
}

/// Bytes of a word that is compared with those that are known, none of which is nearly as long.
const MOST_COMPARED: usize = 200;

/// The one of `known` that is written nearly so, if one is.
pub(super) fn nearest<'k>(written: &str, known: impl Iterator<Item = &'k str>) -> Option<&'k str> {
    if written.len() > MOST_COMPARED {
        return None;
    }
    let written = written.to_lowercase().replace('-', "_");
    let distance = |word: &str| strsim::damerau_levenshtein(&written, word);
    let limit = |word: &str| {
        if word.len() <= 3 {
            1
        } else {
            1 + word.len() / 3
        }
    };
    let near = known.filter(|word| distance(word) <= limit(word));
    near.min_by_key(|word| distance(word))
}

/// Parts of keys that say nothing of what a key is about.
const EMPTY: [&str; 9] = [
    "max", "min", "per", "of", "on", "allow", "count", "number", "num",
];

/// A hint that names the keys that share most words with what was written and have fewest others, where some share one.
pub(super) fn of_like_name(written: &str, known: &[&str]) -> Option<String> {
    let wanted = key_words(written);
    let rank = |key: &str| {
        let words = key_words(key);
        let shared = words.intersection(&wanted).count();
        (shared > 0).then_some((shared, Reverse(words.len())))
    };
    let best = known.iter().filter_map(|key| rank(key)).max()?;
    let like = known.iter().filter(|key| rank(key) == Some(best));
    let like: Vec<String> = like.take(3).map(|key| format!("`{key}`")).collect();
    Some(format!("did you mean {}?", text::joined(&like, "or")))
}

/// The words of a key in the singular, those without meaning left out.
fn key_words(key: &str) -> BTreeSet<String> {
    let key = key.to_lowercase();
    let words = key.split(['_', '-', '.', ' ']);
    let words = words.map(|word| word.strip_suffix('s').unwrap_or(word));
    words
        .filter(|word| word.len() > 1 && !EMPTY.contains(word))
        .map(str::to_owned)
        .collect()
}
