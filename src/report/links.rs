//! The debates behind the numbers: each list of debates once, however many numbers refer to it, and each debate once, however
//! many lists it is in.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Serialize;

use crate::artifacts::page;
use crate::stats::findings::{DebateLine, Findings};
use crate::text::{self, shell};

/// Links that a list of debates has at most.
const IN_A_SET: usize = 200;
/// Links that all lists together have before further lists are cut to a few: a page must stay one that opens.
const IN_ALL: usize = 20_000;
/// Links of a list behind that.
const FEW: usize = 20;
/// What there is to read of a debate without a page.
const INDEX: &str = "index.md";
/// Characters of a topic in a link.
const TOPIC_CHARS: usize = 70;
/// Characters of what came of it.
const ENDED_CHARS: usize = 90;

/// What is encoded in an address: all but letters, digits, `/` and a few signs.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'/')
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// A number's reference to the debates behind it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct SetRef {
    /// The list's number, from 1.
    pub set: usize,
}

/// A list of debates.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Set {
    /// Its number, from 1.
    pub n: usize,
    /// Its debates, in words.
    pub count: String,
    /// What first stood on it.
    pub what: String,
    /// The debates.
    pub links: Vec<Link>,
    /// Their numbers, runs of them as `1-5`.
    pub numbers: String,
    /// How many are omitted, and the command that lists them.
    pub more: Option<More>,
}

/// A link to a debate.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Link {
    /// The debate's number in the report.
    pub n: usize,
    /// Where it is, safe as it is in HTML and Markdown.
    pub href: String,
    /// Its topic.
    pub topic: String,
    /// What came of it.
    pub ended: String,
}

/// What is omitted of a list.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct More {
    /// How many.
    pub count: usize,
    /// The command that lists them.
    pub command: String,
}

/// Conditions that choose exactly a list's debates on the command line, keys and values of `--where`; none if no
/// conditions do.
pub(crate) type Conditions<'a> = &'a [(&'a str, &'a str)];

/// The lists of a report, as they are asked for.
#[derive(Debug)]
pub(crate) struct Links<'f> {
    debates: &'f [DebateLine],
    known: HashMap<Cow<'f, [usize]>, usize>,
    sets: Vec<Set>,
    links: usize,
    export: String,
}

impl<'f> Links<'f> {
    /// No list yet.
    pub(crate) fn new(findings: &'f Findings) -> Self {
        Self {
            debates: &findings.debates,
            export: export(findings),
            known: HashMap::new(),
            sets: Vec::new(),
            links: 0,
        }
    }

    /// The reference to a list of debates; `None` where it is empty. `what` says what stands on it, `conditions` choose it.
    pub(crate) fn set(
        &mut self,
        debates: Cow<'f, [usize]>,
        what: &str,
        conditions: Conditions<'_>,
    ) -> Option<SetRef> {
        if debates.is_empty() {
            return None;
        }
        let known = self.known.get(&debates).copied();
        let set = known.unwrap_or_else(|| self.add(debates, what, conditions));
        Some(SetRef { set })
    }

    /// The lists that were asked for, and all debates in them by their numbers.
    pub(crate) fn into_sets(self) -> (Vec<Set>, Vec<Link>) {
        let links = self.sets.iter().flat_map(|set| &set.links);
        let all: BTreeMap<usize, &Link> = links.map(|link| (link.n, link)).collect();
        let all = all.into_values().cloned().collect();
        (self.sets, all)
    }

    fn add(&mut self, debates: Cow<'f, [usize]>, what: &str, conditions: Conditions<'_>) -> usize {
        let most = if self.links < IN_ALL { IN_A_SET } else { FEW };
        let lines = debates.iter().filter_map(|n| self.line(*n));
        let links: Vec<Link> = lines.take(most).map(link).collect();
        let (all, left) = (debates.len(), debates.len() - links.len());
        let n = self.sets.len() + 1;
        self.links += links.len();
        self.known.insert(debates, n);
        self.sets.push(Set {
            n,
            count: text::count(all as u64, "debate"),
            what: text::shorten(what, 160),
            numbers: numbers(&links),
            links,
            more: (left > 0).then(|| More {
                count: left,
                command: command(&self.export, conditions),
            }),
        });
        n
    }

    fn line(&self, n: usize) -> Option<&'f DebateLine> {
        self.debates.get(n.checked_sub(1)?)
    }
}

fn link(line: &DebateLine) -> Link {
    Link {
        n: line.n,
        href: href_of(line),
        topic: text::shorten(&line.topic, TOPIC_CHARS),
        ended: came_of(line),
    }
}

/// The result of a debate: its outcome, otherwise why there is none; and whether it is a rehearsal.
fn came_of(line: &DebateLine) -> String {
    let ended = line.outcome.as_deref().or(line.cause.as_deref());
    let ended = text::shorten(ended.unwrap_or_default(), ENDED_CHARS);
    match line.rehearsal {
        true => format!("{ended} (rehearsal)"),
        false => ended,
    }
}

/// The result of a debate: why it fell short, otherwise its outcome.
pub(crate) fn ended(line: &DebateLine) -> &str {
    let ended = line.cause.as_deref().or(line.outcome.as_deref());
    ended.unwrap_or_default()
}

/// Numbers in order, runs of them as `1-5`.
fn numbers(links: &[Link]) -> String {
    let mut sorted: Vec<usize> = links.iter().map(|link| link.n).collect();
    sorted.sort_unstable();
    let runs = sorted.chunk_by(|one, next| one + 1 == *next);
    let run = |run: &[usize]| match run {
        [first, .., last] => format!("{first}-{last}"),
        _ => run.iter().map(usize::to_string).collect(),
    };
    runs.map(run).collect::<Vec<_>>().join(" ")
}

/// The command that lists the debates of a report.
fn export(findings: &Findings) -> String {
    let rehearsals = match findings.counts.rehearsals {
        0 => "",
        _ => " --include-rehearsals",
    };
    let filters = findings.provenance.filters.iter();
    let filters: String = filters
        .map(|filter| format!(" --where {}", shell::quoted(filter)))
        .collect();
    format!("rebut export DIR --to csv{rehearsals}{filters}")
}

/// The command that lists what a list has no room for. Where no conditions choose its debates, only the findings list them.
fn command(export: &str, conditions: Conditions<'_>) -> String {
    if conditions.is_empty() {
        return "rebut report DIR -o report.json".to_owned();
    }
    let condition = |(key, value): &(&str, &str)| {
        format!(" --where {}", shell::quoted(&format!("{key}={value}")))
    };
    let conditions: String = conditions.iter().map(condition).collect();
    text::one_line(&format!("{export}{conditions}"))
}

/// The address of what to read of a debate, relative to the report.
pub(crate) fn href_of(line: &DebateLine) -> String {
    match line.page {
        true => href(&line.path),
        false => address(&line.path, INDEX),
    }
}

/// The address of a debate's page, relative to the report.
pub(crate) fn href(path: &str) -> String {
    address(path, page::NAME)
}

/// The address of a file in a directory: whatever the path holds, it names no other scheme or host.
fn address(path: &str, file: &str) -> String {
    let trimmed = path.trim_start_matches('/');
    let start = match path.len() - trimmed.len() {
        0 if path.starts_with('.') => "",
        0 => "./",
        _ => "/",
    };
    let end = if trimmed.ends_with('/') || trimmed.is_empty() {
        ""
    } else {
        "/"
    };
    format!(
        "{start}{}{end}{file}",
        utf8_percent_encode(trimmed, ENCODED)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s5_a_path_leads_nowhere_but_below_the_report() {
        assert_eq!(href("2026-11-22/a-b"), "./2026-11-22/a-b/debate.html");
        assert_eq!(href("../out/x y"), "../out/x%20y/debate.html");
        assert_eq!(
            href("javascript:alert(1)"),
            "./javascript%3Aalert%281%29/debate.html"
        );
        assert_eq!(href("//host/x"), "/host/x/debate.html");
        assert_eq!(href("é\"<"), "./%C3%A9%22%3C/debate.html");
    }

    #[test]
    fn s5_a_command_is_safe_to_paste() {
        assert_eq!(
            command(
                "rebut export DIR --to csv",
                &[("model", "a:1b"), ("topic", "it's; rm")]
            ),
            r"rebut export DIR --to csv --where model=a:1b --where 'topic=it'\''s; rm'"
        );
    }
}
