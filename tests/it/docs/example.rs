//! The debate of the quickstart as its page shows it: rehearsed, its files as they are, their links led to places on the page.

use std::fmt::Write;
use std::path::Path;

use regex::{Captures, Regex};
use tempfile::TempDir;

use super::{BEGIN, is_current, pages, root};
use crate::harness::rehearsed::{Rehearsed, rehearsed};
use crate::harness::{list, name_of, read};

/// The job whose debate it is.
const JOB: &str = "jobs/quickstart.yaml";

/// A part of the page.
pub(super) fn part(name: &str) -> String {
    let place = TempDir::new().expect("a directory");
    let Rehearsed { trace, dir, .. } = rehearsed(JOB, place.path());
    match name {
        "directory" => directory(&dir),
        "messages" => messages(&dir),
        "a message" => format!("````markdown\n{}````\n", read(&message(&dir, 6))),
        "job" => format!("```yaml\n{}```\n", without_comments(&read(&root().join(JOB)))),
        "outcome" => {
            trace.outcome.map_or(String::new(), |outcome| format!("> {}.\n", outcome.line))
        }
        file => shown(&read(&dir.join(file))),
    }
}

fn without_comments(job: &str) -> String {
    let lines = job.lines().filter(|line| !line.starts_with('#'));
    let text: Vec<&str> = lines.collect();
    text.join("\n").trim_start().replace("\n\n\n", "\n\n") + "\n"
}

fn message(dir: &Path, n: usize) -> std::path::PathBuf {
    list(&dir.join("messages")).remove(n - 1)
}

/// What the directory holds.
fn directory(dir: &Path) -> String {
    let mut text = format!("```text\n{}/\n", name_of(dir));
    for path in list(dir) {
        let _ = writeln!(text, "├── {}", name_of(&path));
        let below = if path.is_dir() { list(&path) } else { Vec::new() };
        for file in below {
            let _ = writeln!(text, "│   ├── {}", name_of(&file));
        }
    }
    text + "```\n"
}

/// All messages, each under a heading of its number.
fn messages(dir: &Path) -> String {
    let all = list(&dir.join("messages"));
    all.iter().enumerate().fold(String::new(), |text, (n, path)| {
        let file = read(path);
        let (head, said) = body(&file);
        format!(
            "{text}### Message {}\n\n**{}**\n\n{said}\n\n",
            n + 1,
            head.trim_start_matches("# ")
        )
    })
}

/// A message's heading, and what is said in it.
fn body(file: &str) -> (&str, &str) {
    let (_, rest) = file[4..].split_once("\n---\n").expect("an end of what stands in front");
    let (head, rest) = rest.trim_start().split_once('\n').expect("a heading");
    let (said, _) = rest.rsplit_once("\n---\n").expect("links at the end");
    let said = said.trim().trim_start_matches("> **Rehearsal.** No model was asked.");
    (head, said.trim())
}

/// A file as a part of the page: without what stands in front, headings two levels lower, links to places on the page.
fn shown(file: &str) -> String {
    let fronted = file.strip_prefix("---\n");
    let file = match fronted.and_then(|rest| rest.split_once("\n---\n")) {
        Some((_, rest)) => rest.trim_start(),
        None => file,
    };
    let link = Regex::new(r"\[([^\]]*)\]\(([^)\s]+)\)").expect("a pattern");
    let placed = link.replace_all(file, |found: &Captures<'_>| match place(&found[2]) {
        Some(place) => format!("[{}]({place})", &found[1]),
        None => format!("`{}`", &found[1]),
    });
    let definition = Regex::new(r"(?m)^(\[[^\]]*\]): (\S+)$").expect("a pattern");
    let placed = definition.replace_all(&placed, |found: &Captures<'_>| {
        let place = place(&found[2]).expect("a place on the page");
        format!("{}: {place}", &found[1])
    });
    let lines = placed
        .lines()
        .map(|line| if line.starts_with('#') { format!("##{line}") } else { line.to_owned() });
    lines.collect::<Vec<_>>().join("\n").trim_end().to_owned() + "\n"
}

/// Where on the page a file of the debate stands.
fn place(target: &str) -> Option<String> {
    let message = Regex::new(r"^messages/0*(\d+)_").expect("a pattern");
    match target {
        "summary.md" => Some("#summarymd".to_owned()),
        "index.md" => Some("#indexmd".to_owned()),
        _ => Some(format!("#message-{}", &message.captures(target)?[1])),
    }
}

/// Documents quote a rehearsal of the quickstart by its id, which follows from texts that may change.
#[test]
fn j9a_the_documents_quote_the_id_of_the_quickstart() {
    let place = TempDir::new().expect("a directory");
    let id = rehearsed(JOB, place.path()).plan.id.to_string();
    let quoted = Regex::new(r"quickstart_([0-9a-f]{12})").expect("a pattern");
    let old = quoted.captures(&read(&root().join("README.md"))).expect("an id")[1].to_owned();
    let all = format!(r"(quickstart_|\b)({}(?:{}[0-9a-f]*)?)\b", &old[..4], &old[4..]);
    let all = Regex::new(&all).expect("a pattern");
    for path in pages() {
        let page = read(&path);
        if page.contains(BEGIN) {
            continue;
        }
        let now = all.replace_all(&page, |found: &Captures<'_>| {
            let (before, old) = (&found[1], &found[2]);
            format!("{before}{}", &id[..old.len()])
        });
        is_current(&path, &now);
    }
}
