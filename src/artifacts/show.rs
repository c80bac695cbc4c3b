//! A debate as plain text, whole: what `rebut show` prints. It ends with the outcome and the judges' reasons.

use super::plain::{self, Section};
use super::summary::{self, meaning, story};
use super::{banner, index, kind, query, statement_place};
use crate::event::Statement;
use crate::id::short;
use crate::templates::{TemplateError, Templates};
use crate::text;
use crate::trace::Trace;

/// Sections of the summary that stand before the outcome.
const BEFORE: [&str; 5] =
    ["Answers", "Panels", summary::ARGUMENTS, summary::COURSE, summary::PROBLEMS];

/// All of a debate, for a terminal.
pub fn whole(trace: &Trace, templates: &Templates) -> Result<String, TemplateError> {
    let mut sections = plain::sections(&summary::context(trace), templates)?;
    // What stands among the statements.
    let is_told = |title: &str| {
        let is_story = title == summary::STORY && story::summary(trace).is_some();
        is_story || title.starts_with(summary::ANSWER)
    };
    sections.retain(|section| !is_told(&section.title));
    let asked = query::of(trace).map_or("", |query| query.title);
    let is_before = |section: &Section| BEFORE.contains(&section.title.as_str());
    let (first, others): (Vec<Section>, Vec<Section>) =
        sections.into_iter().partition(|it| it.title.is_empty() || it.title == asked);
    let (before, last): (Vec<Section>, Vec<Section>) = others.into_iter().partition(is_before);
    let mut parts = vec![[title(trace), cast(&first)].concat().join("\n")];
    parts.extend(first.iter().filter(|it| !it.title.is_empty()).map(shown));
    parts.extend(trace.statements.iter().map(|s| statement(trace, s)));
    parts.extend(before.iter().map(shown));
    parts.extend(outcome(trace));
    parts.extend(last.iter().map(shown));
    Ok(parts.join("\n\n"))
}

/// A section under its title. No line of it can pass for a title.
fn shown(section: &Section) -> String {
    let lines: Vec<String> = section.lines.iter().map(|line| format!("  {line}")).collect();
    format!("── {}\n\n{}", section.title, lines.join("\n"))
}

/// What a rehearsal is.
pub(super) const REHEARSAL: &str = "Rehearsal, no model was asked";

/// What was debated, and how it stands.
fn title(trace: &Trace) -> Vec<String> {
    let mut lines = [vec![query::title(trace)], standing(trace)].concat();
    if trace.rehearsal {
        let replies = banner::scripted(trace);
        lines.insert(2, format!("{REHEARSAL}{replies}. {}", banner::LABELS));
    }
    lines
}

/// Which debate it is, how it stands, and why it is not done.
pub(super) fn standing(trace: &Trace) -> Vec<String> {
    let [what, which] = kind::words(trace);
    let (what, digits) = (text::capitalised(&what), short(&trace.id));
    let debate = format!("{what} {digits} {which}, {}", trace.status.word());
    let cause = banner::cause(trace).map(|cause| format!("Cause: {cause}"));
    [debate].into_iter().chain(cause).map(|line| text::one_line(&line)).collect()
}

/// Who took part and what they were given: the list below the outcome in the summary.
pub(super) fn cast(first: &[Section]) -> Vec<String> {
    let head = first.iter().find(|section| section.title.is_empty());
    let lines = head.into_iter().flat_map(|section| &section.lines);
    let listed = lines.filter(|line| line.trim_start().starts_with("- "));
    listed.map(|line| line.strip_prefix("- ").unwrap_or(line).to_owned()).collect()
}

/// What a reader must know of the mark in a text that was cut.
const CUT: &str = "; [Time limit reached] means that it was too long";

/// A message, with who gave it and when.
pub fn statement(trace: &Trace, s: &Statement) -> String {
    let round = statement_place::round_of(trace, s)
        .map(|round| format!("round {round}, "))
        .unwrap_or_default();
    let name = text::one_line(trace.name_of(&s.by));
    let said = text::indented(&s.text);
    let cut = if s.cut { CUT } else { "" };
    let note = index::caution(trace, s).map_or_else(String::new, |note| format!("; {note}{cut}"));
    let phase = text::one_line(&s.phase.words());
    format!(
        "── {:03} {name}, {round}{phase} ({}{note})\n\n{said}",
        s.n,
        text::count(s.tokens, "token")
    )
}

fn outcome(trace: &Trace) -> Option<String> {
    let line = text::one_line(&trace.outcome.as_ref()?.line);
    let means = text::if_any(text::indented(&meaning::sentences(trace).join(" ")));
    Some(text::separated([format!("── Outcome: {line}")].into_iter().chain(means), "\n\n"))
}
