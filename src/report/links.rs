//! The debates behind the numbers: each list of debates once, however many numbers refer to it, and each debate once, however
//! many lists it is in.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Serialize;

use super::commands::{Commands, Conditions};
use super::list_limits::Limits;
use super::worth::Worth;
use crate::artifacts::page;
use crate::event::Status;
use crate::stats::findings::{DebateLine, Findings};
use crate::stats::verdicts::OWN;
use crate::text;

/// Links that all lists together have before further lists are cut to a few: a page must stay one that opens.
const IN_ALL: usize = 20_000;
/// Links of a list behind that.
const FEW: usize = 20;
/// What there is to read of a debate without a page.
const INDEX: &str = "index.md";
/// Up to so many debates have their outcomes told.
const ONE_BY_ONE: usize = 5;
/// Characters of a topic in a link.
const TOPIC_CHARS: usize = 70;
/// Characters of what stands on a list.
const WHAT_CHARS: usize = 160;

/// What is encoded in an address: all but letters, digits, `/` and a few signs.
const ENCODED: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'/').remove(b'-').remove(b'.').remove(b'_').remove(b'~');

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
}

/// How a debate ended.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Outcome {
    /// The debate.
    pub debate: Link,
    /// Why it fell short, otherwise its outcome.
    pub ended: String,
}

/// What is omitted of a list.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct More {
    /// How many.
    pub count: usize,
    /// The command that lists them; without one, only the findings do.
    pub command: Option<String>,
}

/// The lists of a report, as they are asked for.
#[derive(Debug)]
pub(crate) struct Links<'f> {
    findings: &'f Findings,
    known: HashMap<Cow<'f, [usize]>, usize>,
    asked: Vec<Asked>,
    /// What has the rest.
    pub commands: Commands,
}

/// A list that was asked for.
#[derive(Debug)]
struct Asked {
    /// What stands on it.
    what: String,
    /// The command that has all of it.
    command: Option<String>,
}

impl<'f> Links<'f> {
    /// No list yet.
    pub(crate) fn new(findings: &'f Findings) -> Self {
        Self {
            findings,
            commands: Commands::new(findings),
            known: HashMap::new(),
            asked: Vec::new(),
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
        let set = known.unwrap_or_else(|| {
            self.asked.push(Asked {
                what: text::shorten(what, WHAT_CHARS),
                command: (!conditions.is_empty()).then(|| self.commands.debates(conditions)),
            });
            self.known.insert(debates, self.asked.len());
            self.asked.len()
        });
        Some(SetRef { set })
    }

    /// The lists that are referred to, and the numbers of all debates in them.
    pub(crate) fn into_sets(
        self,
        is_referred_to: impl Fn(usize) -> bool,
        limits: Limits,
    ) -> (Vec<Set>, BTreeSet<usize>) {
        let mut lists: Vec<(Cow<'f, [usize]>, usize)> = self.known.into_iter().collect();
        lists.retain(|(_, n)| is_referred_to(*n));
        // Short lists first: where there is room for few debates, these have no others.
        lists.sort_by_key(|(debates, n)| (debates.len(), *n));
        let mut choice = Choice::new(self.findings, limits);
        let mut sets: Vec<Set> = Vec::with_capacity(lists.len());
        for (debates, n) in lists {
            let links = choice.links(&debates);
            sets.push(set(n, debates.len(), links, &self.asked[n - 1]));
        }
        sets.sort_by_key(|set| set.n);
        (sets, choice.named)
    }
}

/// A list with the debates that it names.
fn set(n: usize, all: usize, links: Vec<Link>, asked: &Asked) -> Set {
    let left = all - links.len();
    Set {
        n,
        count: text::count(all, "debate"),
        what: asked.what.clone(),
        numbers: numbers(&links),
        links,
        more: (left > 0).then(|| More { count: left, command: asked.command.clone() }),
    }
}

/// The choice of the debates that lists name.
struct Choice<'f> {
    findings: &'f Findings,
    limits: Limits,
    worth: Worth,
    /// The debates that were chosen, by number.
    named: BTreeSet<usize>,
    /// How many links they are in all lists together.
    links: usize,
}

impl<'f> Choice<'f> {
    fn new(findings: &'f Findings, limits: Limits) -> Self {
        Self { findings, limits, worth: Worth::of(findings), named: BTreeSet::new(), links: 0 }
    }

    /// The links of a list.
    fn links(&mut self, debates: &[usize]) -> Vec<Link> {
        let room = if self.links >= IN_ALL { FEW } else { usize::MAX };
        let chosen = self.chosen(debates, self.limits.named.min(room));
        self.named.extend(&chosen);
        self.links += chosen.len();
        let lines = chosen.iter().filter_map(|n| line(self.findings, *n));
        lines.map(link).collect()
    }

    /// So many debates of a list; preferably those that others name, where there is no room for all.
    fn chosen(&self, debates: &[usize], most: usize) -> Vec<usize> {
        let chosen = self.worth.first(debates, most);
        let new = chosen.iter().filter(|n| !self.named.contains(n)).count();
        let room = self.limits.behind - self.named.len();
        if new <= room {
            return chosen;
        }
        let (named, others): (Vec<usize>, Vec<usize>) =
            debates.iter().partition(|n| self.named.contains(n));
        let mut chosen = self.worth.first(&named, most);
        chosen.extend(self.worth.first(&others, room.min(most - chosen.len())));
        chosen.sort_unstable();
        chosen
    }
}

/// A debate by its number.
fn line(findings: &Findings, n: usize) -> Option<&DebateLine> {
    findings.debates.get(n.checked_sub(1)?)
}

/// A debate's link.
pub(crate) fn link(line: &DebateLine) -> Link {
    Link { n: line.n, href: href_of(line), topic: text::shorten(&line.topic, TOPIC_CHARS) }
}

/// The outcomes of debates that are few enough to be told one by one.
pub(crate) fn outcomes(findings: &Findings) -> Vec<Outcome> {
    let few = Some(&findings.debates).filter(|debates| debates.len() <= ONE_BY_ONE);
    let by = |line: &DebateLine| {
        let is_other = findings.provenance.verdicts != OWN && line.outcome.is_some();
        if is_other { "by its own judges: " } else { "" }
    };
    let outcome = |line: &DebateLine| {
        let ended = in_full(line.status, line.outcome.as_deref(), line.cause.as_deref());
        let ended = text::one_line(&format!("{}{ended}", by(line)));
        Outcome { debate: link(line), ended }
    };
    few.into_iter().flatten().map(outcome).collect()
}

/// What a debate came to and, if it is not done, why: `B beats A; degraded: the final text of B was kept`.
fn in_full(status: Status, outcome: Option<&str>, cause: Option<&str>) -> String {
    let outcome = outcome.unwrap_or_default();
    let Some(cause) = cause else { return outcome.to_owned() };
    let short = format!("{}: {cause}", status.word());
    if outcome.is_empty() {
        return text::capitalised(&short);
    }
    format!("{}; {short}", text::clause(outcome))
}

/// The result of a debate: why it fell short, otherwise its outcome.
pub(crate) fn ended(line: &DebateLine) -> &str {
    line.cause.as_deref().or(line.outcome.as_deref()).unwrap_or_default()
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

/// The address of what to read of a debate, relative to the report.
pub(crate) fn href_of(line: &DebateLine) -> String {
    if line.page { href(&line.path) } else { address(&line.path, INDEX) }
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
    let end = if trimmed.is_empty() || trimmed.ends_with('/') { "" } else { "/" };
    let path = utf8_percent_encode(trimmed, ENCODED);
    format!("{start}{path}{end}{file}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s5_of_a_debate_that_fell_short_outcome_and_cause_are_told() {
        let told = |outcome| in_full(Status::Degraded, outcome, Some("the judge is missing"));
        assert_eq!(told(Some("B wins.")), "B wins; degraded: the judge is missing");
        assert_eq!(told(None), "Degraded: the judge is missing");
        assert_eq!(in_full(Status::Done, Some("B wins."), None), "B wins.");
    }

    #[test]
    fn s5_a_path_leads_nowhere_but_below_the_report() {
        assert_eq!(href("2026-11-22/a-b"), "./2026-11-22/a-b/debate.html");
        assert_eq!(href("../out/x y"), "../out/x%20y/debate.html");
        assert_eq!(href("javascript:alert(1)"), "./javascript%3Aalert%281%29/debate.html");
        assert_eq!(href("//host/x"), "/host/x/debate.html");
        assert_eq!(href("é\"<"), "./%C3%A9%22%3C/debate.html");
    }
}
