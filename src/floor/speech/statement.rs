//! Statements in the debate: numbered, added to the transcript, and emitted.

use serde_json::{Value, json};

use super::cut::Kept;
use super::wanted::Speech;
use crate::event::{EventKind, Origin, Phase, Statement};
use crate::floor::Floor;
use crate::floor::allowance;
use crate::floor::call::Called;
use crate::floor::halt::Result;
use crate::floor::transcript::Said;
use crate::job::participant::Participant;
use crate::journal::ReplyEntry;
use crate::text;

impl Floor {
    /// Puts a text of ours on the transcript; `gist` is its line in indexes. Prompts need not show all that readers need.
    pub fn announce(
        &self,
        phase: Phase,
        gist: String,
        template: &str,
        context: &Value,
    ) -> Result<()> {
        let text = |in_prompts: bool| {
            let known = json!({"in_prompts": in_prompts});
            self.task(template, known, context)
        };
        let statement = Statement { gist, ..blank(self, phase, "moderator", text(false)?) };
        put_as(self, &statement, &text(true)?);
        Ok(())
    }

    /// Shows in prompts, under the part that ends, what the announcement of the next part tells of it.
    pub fn foretell(&self, template: &str, context: &Value) -> Result<()> {
        let (label, text) = (self.plan.name_of("moderator"), self.render(template, context)?);
        let said = Said { label, text: &text, side: None, voices: &[], n: 0, is_apart: true };
        if !text.is_empty() {
            self.prompts.lock().add(said);
        }
        Ok(())
    }

    /// Whether prompts from now on show the record as judges of the whole debate read it.
    pub fn show_to_judges(&self, shows: bool) {
        self.prompts.lock().transcript.is_for_judges = shows;
    }

    /// Puts the answer of a debate on the record. No prompt shows it.
    pub fn present(&self, by: &str, phase: Phase, text: String) {
        let statement = Statement { origin: Origin::Debate, ..blank(self, phase, by, text) };
        self.emit(EventKind::Statement(statement), Some(by), None);
    }
}

/// A participant's statement, from the accepted part of a reply.
pub(super) fn said(
    floor: &Floor,
    speech: &Speech<'_>,
    called: &Called<'_, Kept>,
    kept: &Kept,
    entry: &ReplyEntry,
    most: u32,
) -> Statement {
    let by = called.by;
    let origin = if entry.model == by.model { Origin::Model } else { Origin::Fallback };
    Statement {
        tokens: kept.tokens,
        tokens_estimated: kept.tokens_estimated,
        origin,
        cut: kept.cut,
        breaks_off: kept.breaks_off,
        asked_words: speech.form.is_none().then(|| allowance::words_within(most)),
        objections: kept.objections.clone(),
        voices: kept.voices.clone(),
        read_as: kept.read_as.clone(),
        rounded: kept.rounded.clone(),
        model: Some(entry.model.clone()),
        call: Some(called.call.clone()),
        attempt: Some(entry.attempt),
        thinking: entry.reply.thinking.clone(),
        usage: Some(called.tokens()),
        ..blank(floor, speech.phase.clone(), &by.id, kept.shown())
    }
}

/// The emergency reply for a statement that cannot be obtained.
pub(super) fn emergency(floor: &Floor, speech: &Speech<'_>, by: &Participant) -> Result<Statement> {
    let template = format!("emergency/{}.md.j2", by.role());
    let text = floor.render(&template, &json!(by))?;
    Ok(Statement {
        origin: Origin::Emergency,
        call: Some(speech.call.to_string()),
        ..blank(floor, speech.phase.clone(), &by.id, text)
    })
}

/// Adds a statement to the transcript that prompts show, and emits it.
pub(super) fn put_on_transcript(floor: &Floor, statement: &Statement) {
    if statement.breaks_off && floor.marks_breaks() {
        let marked = format!("{}\n\n{}", statement.text, text::BREAK_MARK);
        put_as(floor, statement, &marked);
    } else {
        put_as(floor, statement, &statement.text);
    }
}

/// The same, with the text that prompts show.
fn put_as(floor: &Floor, statement: &Statement, text: &str) {
    let by = floor.plan.participant(&statement.by);
    let heard = by.filter(|_| statement.was_heard());
    let label = label(floor, statement);
    {
        let mut prompts = floor.prompts.lock();
        prompts.sheet.hear(&floor.plan, statement);
        prompts.add(Said {
            label: &label,
            text,
            side: heard.and_then(|by| floor.plan.format.profile.side(by)),
            voices: &statement.voices,
            n: statement.n,
            is_apart: statement.origin == Origin::Template
                || statement.phase == Phase::ROUND_SUMMARY,
        });
        if let Some(by) = by {
            prompts.transcript.name(&by.id, &by.name);
        }
    }
    let said = EventKind::Statement(statement.clone());
    floor.emit(said, Some(&statement.by), statement.model.as_deref());
}

/// The speaker as the record names it; with the kind of statement if a round has several kinds.
fn label(floor: &Floor, statement: &Statement) -> String {
    let profile = floor.plan.format.profile;
    let by = floor.plan.participant(&statement.by);
    let name = by.map_or(profile.announced_by, |by| by.name.as_str());
    let argues = by.is_some_and(|by| profile.argues(by));
    match profile.label_of(statement.phase.name()).filter(|_| argues) {
        Some(kind) => format!("{name}, {kind}"),
        None => name.to_owned(),
    }
}

/// A statement with nothing but its text and place.
fn blank(floor: &Floor, phase: Phase, by: &str, text: String) -> Statement {
    Statement {
        n: floor.log.next_statement(),
        saw: floor.log.next_statement() - 1,
        phase,
        round: floor.log.round().unwrap_or(0),
        by: by.to_owned(),
        gist: text::gist(text::without_mark(&text), 160),
        tokens: text::estimate_tokens(&text),
        text,
        tokens_estimated: true,
        at: floor.log.now(),
        ..Statement::default()
    }
}
