//! A debate in so many tokens (row A9), for readers with small contexts: outcome and summaries first, then gists, then texts.

use std::collections::BTreeSet;

use super::index;
use crate::event::{Origin, Statement};
use crate::text;
use crate::trace::Trace;

/// The fewest tokens that say anything.
pub const LEAST_TOKENS: u64 = 100;
/// Characters that are kept free for the line that says what was left out.
const TAIL: usize = 140;
/// Characters of a gist where there is little room.
const SHORT_GIST: usize = 60;

/// What room is spent on, in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Headline,
    Summary,
    ShortGist,
    Gist,
    Text,
}

/// A round or a statement: its forms, each longer than the one before.
struct Part {
    forms: Vec<(Form, String)>,
    /// How many of them have had room: the last of these is shown.
    shown: usize,
}

/// The debate in at most `budget` estimated tokens, [`LEAST_TOKENS`] or more. What is left out is said.
pub fn brief(trace: &Trace, budget: u64) -> String {
    let most = (budget as f64 * text::CHARS_PER_TOKEN) as usize;
    let head = shortened(&head(trace), most.saturating_sub(TAIL));
    let mut room = most.saturating_sub(head.chars().count() + TAIL);
    let mut parts = parts(trace);
    for wanted in [
        Form::Headline,
        Form::Summary,
        Form::ShortGist,
        Form::Gist,
        Form::Text,
    ] {
        for part in &mut parts {
            part.grow(wanted, &mut room);
        }
    }
    let shown = parts.iter().filter_map(Part::text);
    let all: Vec<&str> = std::iter::once(head.as_str()).chain(shown).collect();
    format!("{}{}", all.join("\n"), left_out(trace, &parts, budget))
}

impl Part {
    fn text(&self) -> Option<&str> {
        let (_, text) = self.forms.get(self.shown.checked_sub(1)?)?;
        Some(text)
    }

    /// Shows more of this part if there is room for it.
    fn grow(&mut self, wanted: Form, room: &mut usize) {
        let length = |text: &str| text.chars().count() + 1;
        let now = self.text().map_or(0, length);
        let Some(at) = self.forms.iter().position(|(form, _)| *form == wanted) else {
            return;
        };
        let more = length(&self.forms[at].1).saturating_sub(now);
        if more <= *room {
            *room -= more;
            self.shown = at + 1;
        }
    }

    fn is_statement(&self) -> bool {
        self.forms.iter().any(|(form, _)| *form == Form::Text)
    }
}

/// Statements in order; each round stands before its statements.
fn parts(trace: &Trace) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut noted = BTreeSet::new();
    for statement in &trace.statements {
        // What stands before a round that is numbered 0 has the same number.
        let is_said = statement.origin != Origin::Template || statement.round > 0;
        if is_said && noted.insert(statement.round) {
            parts.extend(summary(trace, statement.round));
        }
        parts.push(said(trace, statement));
    }
    parts
}

fn summary(trace: &Trace, round: u32) -> Option<Part> {
    let notes = trace.rounds.iter().find(|notes| notes.round == round)?;
    let headline = format!("\nRound {round}. {}.", text::one_line(&notes.headline));
    let whole = format!("{headline} {}", text::one_line(&notes.summary));
    Some(Part {
        forms: vec![(Form::Headline, headline), (Form::Summary, whole)],
        shown: 0,
    })
}

fn said(trace: &Trace, s: &Statement) -> Part {
    let name = text::one_line(trace.name_of(&s.by));
    let note = index::note(s)
        .map(|note| format!(" ({note})"))
        .unwrap_or_default();
    let phase = text::one_line(&s.phase);
    let line = |what: &str| format!("{:03} {name}, {phase}{note}:{what}", s.n);
    let gist = text::one_line(&s.gist);
    let short = text::shorten(&gist, SHORT_GIST);
    let indented = text::visible(s.text.trim()).replace('\n', "\n  ");
    Part {
        forms: vec![
            (Form::ShortGist, line(&format!(" {short}"))),
            (Form::Gist, line(&format!(" {gist}"))),
            (Form::Text, line(&format!("\n\n  {indented}\n"))),
        ],
        shown: 0,
    }
}

fn head(trace: &Trace) -> String {
    let mut lines = vec![
        text::one_line(&trace.topic),
        format!(
            "{} debate {}, {}",
            text::one_line(&trace.format),
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
    let statements = || parts.iter().filter(|part| part.is_statement());
    let short = statements()
        .filter(|part| part.shown < part.forms.len())
        .count();
    let rounds = || parts.iter().filter(|part| !part.is_statement());
    let bare = rounds().filter(|part| part.shown == 0).count();
    if short + bare == 0 {
        return String::new();
    }
    let missing = if bare > 0 {
        format!(", and {bare} of {} rounds,", rounds().count())
    } else {
        String::new()
    };
    let all = statements().count();
    let id = &trace.id[..12.min(trace.id.len())];
    format!(
        "\n\n[{short} of {all} messages{missing} shortened or left out for {budget} tokens; `rebut show {id}` prints all]"
    )
}
