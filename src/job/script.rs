//! A rehearsal's script: replies by the names of their calls, in a text file next to the job.
//!
//! `=== round-1/clerk` begins the reply to a call, `=== round-1/clerk 2` the reply to its second attempt; `cut` after either means
//! that the reply ended at its limit. `=== topic: …` begins replies for debates on that topic only. Text before the
//! first such line is a comment.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::input_files;
use super::library::beside;
use super::problem::suggestions;
use super::problem::{Place, Problems};
use crate::call_id::CallId;
use crate::digest;
use crate::text;

/// What a debate's snapshot calls its script.
pub const IN_SNAPSHOT: &str = "rehearsal/script.txt";
/// How the name of a script ends that belongs to the job of the same stem.
pub const ENDING: &str = ".script.txt";
/// What begins a line that is no part of a reply.
const HEAD: &str = "=== ";
/// What is before the topic in such a line.
const TOPIC: &str = "topic:";
/// The word for a reply that ended at its limit.
const CUT: &str = "cut";
/// Names of calls that a note gives.
const NAMED: usize = 3;
/// What to do about a line that names no call.
const HOW_TO_NAME: &str = "write `=== CALL`, `=== CALL ATTEMPT` or `=== topic: TOPIC`; `rebut show DEBATE calls` lists the calls of a debate, such as round-1/statement/position_x. In a reply, put a backslash before such a line: `\\=== `";

/// What is replied to an attempt of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// The text; none for an attempt that fails.
    pub text: String,
    /// Whether it ended at its limit.
    pub cut: bool,
}

/// An attempt of a call: its name and a number from 1.
type Attempt = (String, u32);

/// What is replied in debates on one topic, or on any.
#[derive(Debug, Clone, Default, PartialEq)]
struct Part {
    replies: BTreeMap<Attempt, Written>,
    /// The digest of these.
    digest: String,
}

/// The replies of a script. It is stored as its file's name; a debate's snapshot holds the text.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Script {
    /// The file's name.
    pub name: String,
    /// The file's text.
    #[serde(skip)]
    pub source: Arc<str>,
    /// By topic; those for any topic under none.
    #[serde(skip)]
    parts: Arc<BTreeMap<Option<String>, Part>>,
}

impl Script {
    /// The script that is beside a job, if there is one.
    pub(super) fn beside(job: &Path, problems: &Problems) -> Option<Self> {
        let stem = job.file_stem().filter(|_| job.is_file())?;
        let name = stem.to_string_lossy().into_owned() + ENDING;
        let path = job.with_file_name(&name);
        // What cannot be looked at is not missing: reading it says why.
        if !path.try_exists().unwrap_or(true) {
            return None;
        }
        let source = input_files::read_script_beside(beside(job), &name);
        let source = problems.accept(&Place::START, source)?;
        Some(Self::checked(&path, &source, problems))
    }

    /// The script that a user names.
    pub(super) fn named(path: &Path, problems: &Problems) -> Option<Self> {
        let flag = Place::Flag(format!("--script {}", path.display()).into());
        let source = problems.accept(&flag, input_files::read_script(path))?;
        Some(Self::checked(path, &source, problems))
    }

    fn checked(path: &Path, source: &str, problems: &Problems) -> Self {
        let own = Problems::new(path, source);
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let script = Self::parse(&name, source, &own);
        problems.absorb(own);
        script
    }

    /// Reads a script; what is wrong with it is reported.
    pub fn parse(name: &str, source: &str, problems: &Problems) -> Self {
        let mut reading = Reading {
            problems,
            topic: None,
            open: None,
            lines: BTreeMap::new(),
            parts: BTreeMap::new(),
        };
        let text = source.strip_prefix('\u{feff}').unwrap_or(source);
        for (at, line) in text.lines().enumerate() {
            reading.line(at + 1, line);
        }
        reading.close();
        if reading.parts.is_empty() && problems.is_empty() {
            problems.add(&Place::START, "the script has no replies", HOW_TO_NAME);
        }
        let digested = |part: &mut Part| part.digest = digest_of(&part.replies);
        reading.parts.values_mut().for_each(digested);
        Self { name: name.to_owned(), source: source.into(), parts: Arc::new(reading.parts) }
    }

    /// Whether it holds a reply for debates on a topic.
    pub fn is_for(&self, topic: &str) -> bool {
        self.parts_for(topic).next().is_some()
    }

    /// Says which of its topics are none of these, if any: their replies are for no debate.
    pub fn unfit(&self, topics: impl Iterator<Item = String>) -> Option<String> {
        let mut left: BTreeSet<&str> = self.parts.keys().filter_map(Option::as_deref).collect();
        for topic in topics {
            if left.is_empty() {
                break;
            }
            left.remove(&*text::one_line(&topic));
        }
        let named: Vec<String> = left.iter().map(|topic| text::shorten(topic, 100)).collect();
        let topics = text::count(named.len(), "topic");
        let (name, first) = (&self.name, text::some_of(&named, NAMED));
        let unfit = format!("{name} has replies for {topics} without a debate here: {first}");
        (!named.is_empty()).then_some(unfit)
    }

    /// What distinguishes its replies in debates on a topic from any others.
    pub fn identity(&self, topic: &str) -> Vec<&str> {
        self.parts_for(topic).map(|part| &*part.digest).collect()
    }

    /// The replies for a topic, then those for any.
    fn parts_for(&self, topic: &str) -> impl Iterator<Item = &Part> {
        self.parts.get(&Some(text::one_line(topic))).into_iter().chain(self.parts.get(&None))
    }

    /// What is replied to an attempt of a call. After an attempt that fails, each that is not written down fails too.
    pub fn reply(&self, topic: &str, call: &str, attempt: u32) -> Option<&Written> {
        let key = |attempt| (call.to_owned(), attempt);
        let mut found = self.parts_for(topic).filter_map(|part| {
            let ((_, last), written) = part.replies.range(key(1)..=key(attempt)).last()?;
            (*last == attempt || written.text.is_empty()).then_some(written)
        });
        found.next()
    }

    /// A script that was checked when its job was read.
    pub fn of_snapshot(source: &str) -> Self {
        Self::parse("", source, &Problems::new(Path::new(""), ""))
    }

    /// How many of these attempts it holds no reply to.
    pub fn lacks<'c>(&self, topic: &str, asked: impl Iterator<Item = (&'c str, u32)>) -> u32 {
        let asked = asked.filter(|(call, _)| CallId::parse(call).is_some());
        let lacking = asked.filter(|(call, n)| self.reply(topic, call, *n).is_none());
        lacking.count() as u32
    }

    /// What a debate that was played from it did not ask for, and what it asked for in vain, in words.
    pub fn notes<'c>(
        &self,
        topic: &str,
        asked: impl Iterator<Item = (&'c str, u32)>,
    ) -> Vec<String> {
        // What is only embedded has another kind of name, and no reply.
        let asked: BTreeSet<(&str, u32)> =
            asked.filter(|it| CallId::parse(it.0).is_some()).collect();
        let missing = asked.iter().filter(|(call, n)| self.reply(topic, call, *n).is_none());
        // Behind a reply that is written down, it was not taken.
        let is_behind =
            |(call, n): &&(&str, u32)| *n > 1 && self.reply(topic, call, n - 1).is_some();
        let (refused, missing): (Vec<_>, Vec<_>) = missing.partition(is_behind);
        let refused: Vec<String> = refused.iter().map(|(call, n)| shown(call, n - 1)).collect();
        let missing: Vec<String> = missing.iter().map(|(call, n)| shown(call, *n)).collect();
        let all: BTreeSet<&Attempt> =
            self.parts_for(topic).flat_map(|part| part.replies.keys()).collect();
        let calls: BTreeSet<&str> = asked.iter().map(|(call, _)| *call).collect();
        let is_left = |(call, n): &&&Attempt| !asked.contains(&(call.as_str(), *n));
        let left: Vec<String> =
            all.iter().filter(is_left).map(|it| left_over(it, &calls)).collect();
        let name = &self.name;
        let of = match all.len() {
            1 => format!("of 1 reply in {name}"),
            n => format!("of {n} replies in {name}"),
        };
        let notes = [
            note(&left, &of, "not used"),
            note(&refused, &of, "rejected, and the next made up"),
            note(&missing, &format!("not in {name}"), "made up"),
        ];
        notes.into_iter().flatten().collect()
    }
}

fn digest_of(replies: &BTreeMap<Attempt, Written>) -> String {
    let all = replies.iter().map(|(at, it)| json!([at, it.text, it.cut]));
    digest::of_json(&all.collect())
}

/// `1 not in quickstart.script.txt was made up: round-1/clerk`; nothing of none.
fn note(found: &[String], which: &str, what: &str) -> Option<String> {
    let n = found.len();
    let were = if n == 1 { "was" } else { "were" };
    let first = text::some_of(found, NAMED);
    (n > 0).then(|| format!("{n} {which} {were} {what}: {first}"))
}

/// A reply that nobody asked for, with the call that was probably meant.
fn left_over((call, attempt): &Attempt, asked: &BTreeSet<&str>) -> String {
    let shown = shown(call, *attempt);
    match suggestions::nearest(call, asked.iter().copied()) {
        Some(near) if !asked.contains(call.as_str()) => {
            format!("{shown} (the nearest call is {near})")
        }
        _ => shown,
    }
}

fn shown(call: &str, attempt: u32) -> String {
    let attempt = (attempt > 1).then(|| format!(" {attempt}"));
    text::shorten(call, 100) + &attempt.unwrap_or_default()
}

/// A script that is being read.
struct Reading<'p> {
    problems: &'p Problems,
    topic: Option<String>,
    /// Whose reply the lines belong to, and these.
    open: Option<(Attempt, Written)>,
    /// The line in which each reply begins.
    lines: BTreeMap<(Option<String>, Attempt), usize>,
    parts: BTreeMap<Option<String>, Part>,
}

impl Reading<'_> {
    fn line(&mut self, number: usize, line: &str) {
        let Some(head) = line.strip_prefix(HEAD) else {
            if let Some((_, written)) = &mut self.open {
                written.text += unescaped(line);
                written.text.push('\n');
            }
            return;
        };
        self.close();
        if let Some(topic) = head.trim_start().strip_prefix(TOPIC) {
            self.topic = Some(topic.trim().to_owned());
            return;
        }
        match self.head(head) {
            Ok(opened) => self.begin(number, opened),
            Err(cause) => self.problem(number, cause),
        }
    }

    /// Reads `round-1/clerk 2 cut`.
    fn head(&self, head: &str) -> Result<(Attempt, Written), String> {
        let mut words: Vec<&str> = head.split_whitespace().collect();
        let cut = words.len() > 1 && words.last() == Some(&CUT);
        words.truncate(words.len() - usize::from(cut));
        let (call, attempt) = match words.as_slice() {
            [call] => (*call, Some(1)),
            [call, attempt] => (*call, attempt.parse().ok().filter(|n| *n > 0)),
            _ => return Err("there is no call on this line".to_owned()),
        };
        let call_shown = text::shorten(call, 100);
        if CallId::parse(call).is_none_or(|id| id.to_string() != call) {
            return Err(format!("there is no call `{call_shown}`"));
        }
        let attempt = attempt.ok_or_else(|| "an attempt must be a number from 1".to_owned())?;
        Ok(((call.to_owned(), attempt), Written { text: String::new(), cut }))
    }

    fn begin(&mut self, line: usize, (attempt, written): (Attempt, Written)) {
        let place = (self.topic.clone(), attempt.clone());
        if let Some(first) = self.lines.insert(place, line) {
            let shown = shown(&attempt.0, attempt.1);
            self.problem(line, format!("line {first} already has a reply to {shown}"));
        }
        self.open = Some((attempt, written));
    }

    fn close(&mut self) {
        if let Some((attempt, mut written)) = self.open.take() {
            written.text = written.text.trim_matches('\n').to_owned();
            let part = self.parts.entry(self.topic.clone()).or_default();
            part.replies.insert(attempt, written);
        }
    }

    fn problem(&self, line: usize, cause: String) {
        self.problems.add(&Place::At { line, column: 1 }, cause, HOW_TO_NAME);
    }
}

/// A line of a reply as it is in a script, without the backslash that keeps it from being read as the head of another.
fn unescaped(line: &str) -> &str {
    match line.strip_prefix('\\') {
        Some(rest) if looks_like_head(rest) => rest,
        _ => line,
    }
}

fn looks_like_head(line: &str) -> bool {
    line.trim_start_matches('\\').starts_with(HEAD)
}

/// Writes the head and the text of a reply as [`Script::parse`] reads them.
pub fn write_reply(script: &mut String, call: &str, attempt: u32, reply: &Written) {
    let attempt = (attempt > 1).then(|| format!(" {attempt}"));
    let cut = if reply.cut { " cut" } else { "" };
    let _ = writeln!(script, "{HEAD}{call}{}{cut}", attempt.unwrap_or_default());
    for line in reply.text.lines() {
        let escape = if looks_like_head(line) { "\\" } else { "" };
        let _ = writeln!(script, "{escape}{line}");
    }
    script.push('\n');
}

/// Writes the line that says which topic the replies below it are for.
pub fn write_topic(script: &mut String, topic: &str) {
    let _ = writeln!(script, "{HEAD}{TOPIC} {}\n", text::one_line(topic));
}
