//! A debate in so many tokens (row A9), for readers with small contexts: outcome and summaries first, then gists, then texts.

use super::index;
use crate::event::Statement;
use crate::text;
use crate::trace::Trace;

/// The fewest tokens that say anything.
pub const LEAST_TOKENS: u64 = 100;

/// Characters that are kept free for the line that says what was left out.
const TAIL: usize = 120;

/// A round's summary, or a statement as its gist or its text.
struct Part {
    is_statement: bool,
    /// The shorter form, then the longer one.
    forms: Vec<String>,
    /// How many of them have had room: the last of these is shown.
    shown: usize,
}

/// The debate in at most `budget` estimated tokens, [`LEAST_TOKENS`] or more. What is left out is said.
pub fn brief(trace: &Trace, budget: u64) -> String {
    let most = (budget as f64 * text::CHARS_PER_TOKEN) as usize;
    let head = head(trace);
    let head = shortened(&head, most.saturating_sub(TAIL));
    let mut room = most.saturating_sub(head.chars().count() + TAIL);
    let mut parts = parts(trace);
    for wanted in [Wanted::Summaries, Wanted::Gists, Wanted::Texts] {
        parts
            .iter_mut()
            .for_each(|part| part.grow(wanted, &mut room));
    }
    let shown = parts.iter().filter_map(Part::text);
    let all: Vec<&str> = std::iter::once(head.as_str()).chain(shown).collect();
    format!("{}{}", all.join("\n"), left_out(trace, &parts, budget))
}

/// What the room is spent on, in this order.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Summaries,
    Gists,
    Texts,
}

impl Part {
    fn text(&self) -> Option<&str> {
        let form = self.shown.checked_sub(1)?;
        self.forms.get(form).map(String::as_str)
    }

    /// Shows more of this part if there is room for it.
    fn grow(&mut self, wanted: Wanted, room: &mut usize) {
        let form = match (wanted, self.is_statement) {
            (Wanted::Summaries, false) | (Wanted::Gists, true) => 1,
            (Wanted::Texts, true) => 2,
            _ => return,
        };
        let length = |text: &str| text.chars().count() + 1;
        let (Some(next), now) = (self.forms.get(form - 1), self.text()) else {
            return;
        };
        let more = length(next).saturating_sub(now.map_or(0, length));
        if more <= *room {
            *room -= more;
            self.shown = form;
        }
    }
}

/// Statements in order; each round's summary stands before its statements.
fn parts(trace: &Trace) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut round = 0;
    for statement in &trace.statements {
        if statement.round != round {
            round = statement.round;
            parts.extend(summary(trace, round));
        }
        parts.push(said(trace, statement));
    }
    parts
}

fn summary(trace: &Trace, round: u32) -> Option<Part> {
    let notes = trace.rounds.iter().find(|notes| notes.round == round)?;
    let (headline, summary) = (
        text::one_line(&notes.headline),
        text::one_line(&notes.summary),
    );
    Some(Part {
        is_statement: false,
        forms: vec![format!("\nRound {round}. {headline}. {summary}")],
        shown: 0,
    })
}

fn said(trace: &Trace, s: &Statement) -> Part {
    let name = text::one_line(trace.name_of(&s.by));
    let note = index::note(s)
        .map(|note| format!(" ({note})"))
        .unwrap_or_default();
    let line = |what: &str| format!("{:03} {name}, {}{note}: {what}", s.n, s.phase);
    Part {
        is_statement: true,
        forms: vec![
            line(&text::one_line(&s.gist)),
            line(&format!("\n{}\n", text::visible(s.text.trim()))),
        ],
        shown: 0,
    }
}

fn head(trace: &Trace) -> String {
    let mut lines = vec![
        text::one_line(&trace.topic),
        format!(
            "{} debate {}, {}",
            trace.format,
            &trace.id[..12.min(trace.id.len())],
            trace.status.word()
        ),
    ];
    if trace.rehearsal {
        lines.push("Rehearsal: no model was asked.".to_owned());
    }
    let cause = trace
        .cause
        .iter()
        .map(|cause| format!("Cause: {}", text::one_line(cause)));
    lines.extend(cause);
    if let Some(outcome) = &trace.outcome {
        lines.push(format!("Outcome: {}", text::one_line(&outcome.line)));
        lines.push(format!(
            "Decided by: {}",
            text::one_line(&outcome.decided_by)
        ));
        let facts = outcome.facts.iter();
        lines.extend(
            facts.map(|(name, value)| {
                format!("{}: {}", text::one_line(name), text::one_line(value))
            }),
        );
    }
    lines.join("\n")
}

fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let kept: String = text.chars().take(most.saturating_sub(1)).collect();
    format!("{kept}…")
}

/// What was left out for want of room, and how to see it.
fn left_out(trace: &Trace, parts: &[Part], budget: u64) -> String {
    let statements = || parts.iter().filter(|part| part.is_statement);
    let short = statements().filter(|part| part.shown < 2).count();
    if short == 0 {
        return String::new();
    }
    let all = statements().count();
    let id = &trace.id[..12.min(trace.id.len())];
    format!(
        "\n\n[{short} of {all} texts do not fit into {budget} tokens; `rebut show {id}` prints all]"
    )
}
