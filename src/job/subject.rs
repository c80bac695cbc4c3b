//! What a debate is about: a topic on one line or a query, without severe slurs (row J6).

use rustrict::{CensorStr, Type};

use super::format::Format;
use super::keys::Keys;
use crate::text;

/// The motion and, in formats that take one, the whole query.
pub(super) fn read_subject(keys: &mut Keys<'_>, format: Format) -> (String, Option<String>) {
    let explicit = keys.flag(
        "allow_explicit",
        false,
        "Whether the topic or query may hold a severe slur",
    );
    let key = if format.takes_query() {
        "query"
    } else {
        "topic"
    };
    if !keys.has(key) {
        report_no_subject(keys, format, key);
    }
    let text = if format.takes_query() {
        let doc = "What is asked: one line or several";
        keys.text(key, None, 10..=4000, true, doc)
    } else {
        let doc = "What is debated, on one line";
        keys.text(key, None, 10..=200, false, doc)
    };
    let title = if format.takes_query() {
        let doc =
            "What lists and headings call the debate; without it, the first line of the query";
        keys.text("title", Some(""), 0..=TITLE, false, doc)
    } else {
        String::new()
    };
    if !explicit && holds_slur(&format!("{text} {title}")) {
        let remedy =
            format!("reword it, or set `allow_explicit: true` if the {key} needs the word");
        let cause = format!("`{key}` holds what the filter takes for a severe slur");
        keys.problems.add(keys.place_of(key), cause, remedy);
    }
    if format.takes_query() {
        (titled(&text, &title), Some(text))
    } else {
        (text, None)
    }
}

/// What stands for a query where there is room for one line: its title, else its first line; of one that is too long, as
/// many whole sentences as fit.
fn titled(query: &str, title: &str) -> String {
    let mut lines = query.lines().map(text::one_line);
    match title {
        "" => text::beginning(
            &lines.find(|line| !line.is_empty()).unwrap_or_default(),
            TITLE,
        ),
        title => text::one_line(title),
    }
}

/// The longest title, in characters.
const TITLE: usize = 200;

/// Reports that the job does not say what it is about; what it says under the other key is likely meant, and then that
/// key is not reported as unknown too.
fn report_no_subject(keys: &mut Keys<'_>, format: Format, key: &str) {
    let other = if key == "query" { "topic" } else { "query" };
    let example = if key == "query" {
        "query: Should our town buy electric buses?"
    } else {
        "topic: Should voting be compulsory?"
    };
    let cause = format!("there is no `{key}`");
    if !keys.has(other) {
        let remedy = format!("add a line such as `{example}`");
        keys.problems.add(keys.place(), cause, remedy);
        return;
    }
    let rename = format!("a {} takes `{key}`: rename `{other}`", format.name());
    let remedy = if keys.has("format") {
        rename
    } else {
        let takers = Format::ALL.iter();
        let takers = takers.filter(|f| f.takes_query() == (other == "query"));
        let takers: Vec<String> = takers.map(|f| format!("`format: {}`", f.name())).collect();
        let takers: Vec<&str> = takers.iter().map(String::as_str).collect();
        format!("{rename}, or say {}", text::joined(&takers, "or"))
    };
    keys.problems.add(keys.place_of_key(other), cause, remedy);
    keys.pass_over(other);
}

/// Names that the filter takes for a slur.
const NAMES: [&str; 1] = ["Niger"];

/// Whether the filter finds something of its severest class in a topic, names left out.
fn holds_slur(topic: &str) -> bool {
    let is_name = |word: &&str| NAMES.contains(&word.trim_matches(|c: char| !c.is_alphabetic()));
    let checked: Vec<&str> = topic
        .split_whitespace()
        .filter(|word| !is_name(word))
        .collect();
    checked.join(" ").is(Type::OFFENSIVE & Type::SEVERE)
}
