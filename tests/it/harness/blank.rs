//! Debates as they are compared with equal ones (row J8): without their times.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::{list, name_of, read};

/// The files of a debate, blanked, by path.
pub(crate) type Files = BTreeMap<String, String>;

/// The files of a debate as a map from path to content, blanked of what may differ between equal debates (row J8).
pub(crate) fn blanked(debate: &Path) -> Files {
    let name = name_of(debate);
    let dated = format!("{}/{name}", name_of(debate.parent().expect("a day")));
    let paths = list(debate).into_iter().chain(list(&debate.join("messages")));
    let blank = |path: PathBuf| {
        let below = path.strip_prefix(debate).expect("below");
        let text = read(&path).replace(&dated, "DAY/DEBATE").replace(&name, "DEBATE");
        (below.display().to_string(), blank_file(below, &text))
    };
    paths.filter(|path| path.is_file()).map(blank).collect()
}

/// Blanks the times in a file, each where its kind of file has one; whatever else differs is to be seen.
pub(crate) fn blank_file(below: &Path, text: &str) -> String {
    let ending = below.extension().and_then(|ending| ending.to_str());
    let each_line = |blank: fn(&str) -> String| text.lines().map(blank).collect::<Vec<_>>();
    match (below.to_str(), ending) {
        // A cache of what the trace says: that it is there is all that is compared.
        (Some("facts.json"), _) => String::new(),
        (_, Some("json")) => blank_json(text),
        (_, Some("jsonl")) => each_line(blank_json).join("\n"),
        (Some("index.md"), _) => each_line(blank_index_line).join("\n"),
        (Some("debate.html"), _) => each_line(blank_page_line).join("\n"),
        (Some("metadata.md"), _) => each_line(blank_metadata_line).join("\n"),
        _ => text.to_owned(),
    }
}

/// Blanks the values of keys that hold times.
fn blank_json(text: &str) -> String {
    let mut value = serde_json::from_str(text).unwrap_or_else(|e| panic!("{e}: {text}"));
    blank_value(&mut value);
    value.to_string()
}

/// Blanks when a debate has begun and ended: in the front matter, and in the one sentence that says when it began.
fn blank_index_line(line: &str) -> String {
    if ["started_at: ", "ended_at: "].iter().any(|key| line.starts_with(key)) {
        return blank_numbers(line);
    }
    let sentence = ["A debate", "A control"].iter().any(|begins| line.starts_with(begins));
    let begun = line.split_once(", begun ").filter(|_| sentence);
    match begun.and_then(|(before, rest)| Some((before, rest.split_once(" UTC.")?))) {
        Some((before, (time, judges))) => {
            format!("{before}, begun {} UTC.{judges}", blank_numbers(time))
        }
        None => line.to_owned(),
    }
}

/// Blanks when a debate has begun: the page has it on a line of its own.
fn blank_page_line(line: &str) -> String {
    if line.starts_with("<time>") { blank_numbers(line) } else { line.to_owned() }
}

/// Blanks the three rows of times, and what a round took by the clock; the models' own times are the server's. A duration is
/// in seconds or in minutes, as it turns out.
fn blank_metadata_line(line: &str) -> String {
    let rows = ["| begun | ", "| ended | ", "| duration | "];
    if rows.iter().any(|row| line.starts_with(row)) {
        return blank_numbers(line).replacen("# minutes", "# s", 1);
    }
    match line.split_once(" Wall time, pauses included: ") {
        Some((models, walls)) if line.starts_with("Model time within each round") => {
            let rounds = walls.split(", ").map(|_| " TIME");
            format!("{models} Wall time:{}", rounds.collect::<String>())
        }
        _ => line.to_owned(),
    }
}

/// Puts one mark in the place of each number, of however many digits; what stands between numbers stays.
fn blank_numbers(text: &str) -> String {
    let mut blank = String::new();
    for c in text.chars() {
        let goes_on = blank.ends_with('#');
        match c {
            '0'..='9' | '.' if goes_on => {}
            '0'..='9' => blank.push('#'),
            _ => blank.push(c),
        }
    }
    blank
}

fn blank_value(value: &mut Value) {
    match value {
        Value::Object(map) => {
            for (key, value) in map.iter_mut() {
                let ends = ["_at", "_ms", "time", "duration"];
                if ["at", "timestamp"].contains(&key.as_str())
                    || ends.iter().any(|end| key.ends_with(end))
                {
                    *value = Value::Null;
                } else {
                    blank_value(value);
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(blank_value),
        _ => {}
    }
}

#[test]
fn j8_only_times_are_blanked_and_only_where_they_stand() {
    let said = "A plan, 2 completed, begun 2026-11-22, ended 1.5 s later: duration, path: 7 UTC.";
    for name in ["messages/001_x.md", "summary.md", "transcript.md", "metadata.md", "debate.html"] {
        assert_eq!(blank_file(Path::new(name), said), said, "{name}");
    }
    let message = json!({"text": said, "at": "2026-11-22T01:51:15Z", "wall_ms": 7}).to_string();
    let blank = json!({"text": said, "at": null, "wall_ms": null}).to_string();
    assert_eq!(blank_file(Path::new("messages/001_x.json"), &message), blank);
    for (name, first, second) in [
        (
            "index.md",
            "started_at: \"2026-11-22T01:51:15.120Z\"",
            "started_at: \"2027-01-02T11:00:00Z\"",
        ),
        (
            "index.md",
            "A debate, 2 rounds completed, begun 2026-11-22 01:51:15 UTC.",
            "A debate, 2 rounds completed, begun 2027-01-02 11:00:00 UTC.",
        ),
        (
            "debate.html",
            "<time>2026-11-22 01:51:15 UTC</time>",
            "<time>2027-01-02 11:00:00 UTC</time>",
        ),
        (
            "metadata.md",
            "| duration | 59.9 s, pauses included |",
            "| duration | 1.0 minutes, pauses included |",
        ),
    ] {
        let [first, second] = [first, second].map(|line| blank_file(Path::new(name), line));
        assert_eq!(first, second);
    }
}
