//! The subject of a debate: a topic on one line or a query, without severe slurs (row J6).

use std::ops::RangeInclusive;

use serde_json::Value;

use super::slurs::first_slur;
use crate::job::checks::FEWEST;
use crate::job::format_registry::AnyFormat;
use crate::job::job_text::JobText;
use crate::job::problem::Problems;
use crate::job::problem::unknown_keys::is_misspelt;
use crate::job::shape::{Key, lines, text};
use crate::job::tree::Node;
use crate::question::Posed;
use crate::text::{self as texts, joined};

/// How long a topic may be, in characters.
pub const TOPIC: RangeInclusive<usize> = FEWEST..=200;

/// The key of what a debate is about.
pub(in crate::job) fn key(format: AnyFormat) -> &'static str {
    if format.profile.takes_query { "query" } else { "topic" }
}

/// The keys of the subject.
pub(in crate::job) fn keys(format: AnyFormat) -> Vec<Key> {
    let (length, _) = length(format);
    if !format.profile.takes_query {
        let doc =
            "The topic, on one line; at least 10 characters, with full-width ones counted as two";
        return vec![Key::new("topic", doc, text(length), ()).required()];
    }
    let doc = "The question, on one line or several; at least 10 characters, with full-width ones counted as two";
    let query = Key::new("query", doc, lines(length), ()).required();
    let doc = "Title in lists and headings; by default, the query's first line, as far as it fits; if that asks nothing, how it begins and the last question";
    vec![query, Key::new("title", doc, text(0..=LONGEST_TITLE), "")]
}

/// How long what a debate is about may be, in characters, and whether on several lines.
pub(in crate::job) fn length(format: AnyFormat) -> (RangeInclusive<usize>, bool) {
    if format.profile.takes_query { (FEWEST..=4000, true) } else { (TOPIC, false) }
}

/// The motion and the whole text of a question.
pub(in crate::job) fn of_question(posed: &Posed) -> (String, Option<String>) {
    let whole = posed.text();
    (titled(&whole, ""), Some(whole))
}

/// The motion and, in formats that take one, the whole query.
pub(in crate::job) fn read(
    job: &JobText<'_>,
    format: AnyFormat,
    allow_explicit: bool,
) -> (String, Option<String>) {
    let key = key(format);
    let said = |key| job.given.get(key).and_then(Value::as_str).unwrap_or_default();
    let (subject, title) = (said(key), said("title"));
    // Looked for only where it is refused: the filter takes longer to load than all the rest of a small job.
    let slur = if allow_explicit { None } else { first_slur(&format!("{subject} {title}")) };
    if let Some(slur) = slur {
        let remedy =
            format!("reword it, or set `allow_explicit: true` if the {key} needs the word");
        job.report(job.place_of(key), format!("`{key}` contains {slur}"), remedy);
    }
    if format.profile.takes_query {
        (titled(subject, title), Some(subject.to_owned()))
    } else {
        (subject.to_owned(), None)
    }
}

/// What stands for a query where there is room for one line: its title, otherwise its first line, or of one that is too long as
/// many whole sentences as fit; if these ask nothing, how it begins and its last question.
fn titled(query: &str, title: &str) -> String {
    if !title.is_empty() {
        return texts::one_line(title);
    }
    let mut lines = query.lines().map(texts::one_line);
    let first = lines.by_ref().find(|line| !line.is_empty()).unwrap_or_default();
    let begun = texts::beginning(&first, LONGEST_TITLE);
    let asks = |it: &String| it.ends_with('?') && it.chars().count() <= LONGEST_ASKED;
    let said = [first.clone()].into_iter().chain(lines);
    match said.flat_map(|line| texts::split_sentences(&line)).rfind(asks) {
        Some(question) if !begun.contains('?') => {
            let room = LONGEST_TITLE - 3 - question.chars().count();
            let begins = texts::shorten(&first, room);
            let gap = if begins.ends_with('…') || follows(query, &first, &question) {
                " "
            } else {
                " … "
            };
            format!("{begins}{gap}{question}")
        }
        _ => begun,
    }
}

/// Whether a question comes directly behind the first line.
fn follows(query: &str, first: &str, question: &str) -> bool {
    texts::one_line(query).starts_with(&format!("{first} {question}"))
}

/// Whether a title says only what the query does: how that begins, and behind each `…` a later part of it.
pub fn is_cut_from(title: &str, query: &str) -> bool {
    let [title, query] = [title, query].map(texts::one_line);
    let mut parts = title.split('…').map(str::trim);
    let mut rest = query.strip_prefix(parts.next().unwrap_or_default());
    for part in parts {
        rest = rest.and_then(|rest| rest.split_once(part)).map(|(_, behind)| behind);
    }
    rest.is_some()
}

/// The longest title that is taken from a query's first line, in characters.
pub const LONGEST_TITLE: usize = 200;
/// The longest question that is put behind how a line begins, in characters.
const LONGEST_ASKED: usize = 150;

/// Reports a job that does not say what it is about. The key of other formats' jobs is likely meant where it has that: it is
/// returned, for the message.
pub(in crate::job) fn missing(
    job: &Node,
    format: AnyFormat,
    known: &[Key],
    problems: &Problems,
) -> Option<Key> {
    let key = key(format);
    let (other, example) = match key {
        "query" => ("topic", "query: Should our town buy electric buses?"),
        _ => ("query", "topic: Should voting be compulsory?"),
    };
    if job.get(key).is_some() || is_misspelt(key, known, job) {
        return None;
    }
    if job.get(other).is_none() {
        let remedy = format!("add a line such as `{example}`");
        problems.add(&job.place, format!("there is no `{key}`"), remedy);
        return None;
    }
    let why = format!("is given, but a {} takes `{key}`", format.name());
    let rename = format!("rename it to `{key}`");
    if job.get("format").is_some() {
        return Some(Key::refused(other, why, rename));
    }
    let takers: Vec<String> = AnyFormat::all()
        .filter(|f| f.profile.takes_query == (other == "query"))
        .map(|f| format!("`format: {}`", f.name()))
        .collect();
    Some(Key::refused(other, why, format!("{rename}, or add {}", joined(&takers, "or"))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn j6_a_long_line_is_titled_so_that_its_question_shows() {
        let told = "We run a shop in a town. ".repeat(9);
        let title = titled(&format!("{told}Should we move online?\nSales fell."), "");
        assert!(title.starts_with("We run a shop") && title.ends_with("… Should we move online?"));
        assert!(title.chars().count() <= LONGEST_TITLE, "{title}");
        assert!(is_cut_from(&title, &format!("{told}\n{told}Should we move online?\nSales fell.")));
        assert!(!is_cut_from(&title, &told) && !is_cut_from("Move online?", &told));
        // So does one that comes later.
        let two = "We run a shop.\nShould we move online? Say why.";
        assert_eq!(titled(two, ""), "We run a shop. Should we move online?");
        let three = "We run a shop.\nSales fell.\nShould we move online?";
        assert_eq!(titled(three, ""), "We run a shop. … Should we move online?");
        assert!([two, three].iter().all(|query| is_cut_from(&titled(query, ""), query)));
        // A question at its beginning shows as it is.
        let first = titled(&format!("Should we move online? {told}Or should we close?"), "");
        assert!(first.starts_with("Should we move online? We run"), "{first}");
        assert!(!first.contains('…') && !first.contains("Or should"), "{first}");
    }
}
