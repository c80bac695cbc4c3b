//! Statements: asked for, cut at the allowance where they run over, replaced by an emergency reply where none comes.

use serde_json::{Value, json};

use super::call::{Ask, Called, End, Purpose};
use super::pace::Pace;
use super::{Floor, Halt, allowance};
use crate::event::{self, Origin, Rejection, Statement, What};
use crate::job::OnFailure;
use crate::job::participant::Participant;
use crate::journal::{Entry, ReplyEntry};
use crate::model::DoneReason;
use crate::text;

/// What closes a statement that was cut (row K8b).
pub const CUT_MARK: &str = "[Time limit reached]";

/// A statement that is wanted.
#[derive(Debug, Clone)]
pub struct Speech<'a> {
    /// The call's name.
    pub call: String,
    /// Who speaks, by id.
    pub by: &'a str,
    /// What part of the debate it belongs to.
    pub phase: &'a str,
    /// The format's limit, in tokens.
    pub most_tokens: u32,
    /// The format's limit, in seconds of simulated speech, where it has one.
    pub seconds: Option<u32>,
    /// The model time that the round may take, in seconds, where statements are shortened to keep it.
    pub round_seconds: Option<u32>,
    /// What the format demands of the text.
    pub demand: Option<Demand<'a>>,
    /// The template of the task.
    pub template: &'a str,
    /// What the template may use.
    pub context: Value,
}

impl<'a> Speech<'a> {
    /// A statement that only its speaker's own settings limit, and of which nothing is demanded.
    pub fn of(
        call: String,
        by: &'a str,
        phase: &'a str,
        template: &'a str,
        context: Value,
    ) -> Self {
        Self {
            call,
            by,
            phase,
            most_tokens: u32::MAX,
            seconds: None,
            round_seconds: None,
            demand: None,
            template,
            context,
        }
    }
}

/// What a format demands of a statement's text. A text that does not meet it is rejected: the speaker is told why and
/// asked again, and after so many times the text stands all the same, with the objection in the trace.
#[derive(Clone, Copy)]
pub struct Demand<'a> {
    /// How often the speaker is asked again.
    pub again: u32,
    /// Why a text cannot be taken; nothing where it can.
    pub objections: &'a (dyn Fn(&str) -> Vec<String> + Sync),
}

impl std::fmt::Debug for Demand<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Demand")
            .field("again", &self.again)
            .finish_non_exhaustive()
    }
}

impl Floor {
    /// Asks a participant for a statement and puts it on the record; an emergency reply, where none can be had.
    pub async fn speak(&self, speech: Speech<'_>) -> Result<Statement, Halt> {
        let statement = match self.hear(&speech, Purpose::Speak).await? {
            Ok(statement) => statement,
            Err(cause) => self.emergency(&speech, &cause)?,
        };
        self.put_on_record(statement.clone());
        Ok(statement)
    }

    /// Asks for a text that nothing can stand in for, such as an answer or a summary, and puts it on the record. Where it
    /// cannot be had there is none, and the debate falls short of it.
    pub async fn deliver(&self, speech: Speech<'_>) -> Result<Option<Statement>, Halt> {
        match self.hear(&speech, Purpose::Speak).await? {
            Ok(statement) => {
                self.put_on_record(statement.clone());
                Ok(Some(statement))
            }
            Err(cause) => {
                self.fall_short(&[&speech.call], self.no_reply(&speech, &cause))?;
                Ok(None)
            }
        }
    }

    /// Asks for a text that the debate can do without, such as the summary of a round, and puts it on the record. One that
    /// cannot be had is left out: an incident, and no more.
    pub async fn speak_if_can(&self, speech: Speech<'_>) -> Result<Option<Statement>, Halt> {
        let heard = self.hear(&speech, Purpose::Speak).await?;
        if let Err(cause) = &heard {
            let message = self.no_reply(&speech, cause);
            self.report("left_out", Some(&speech.call), None, message);
        }
        let heard = heard.ok();
        heard
            .iter()
            .for_each(|statement| self.put_on_record(statement.clone()));
        Ok(heard)
    }

    /// Asks for a comment, which stands among the messages but not on the record that models see. One that cannot be had is
    /// left out: an incident, and no more.
    pub async fn comment(&self, speech: Speech<'_>) -> Result<(), Halt> {
        match self.hear(&speech, Purpose::Comment).await? {
            Ok(comment) => {
                self.state().statements = comment.n;
                let model = comment.model.clone();
                self.emit(What::Comment(comment), Some(speech.by), model.as_deref());
            }
            Err(cause) => {
                let message = self.no_reply(&speech, &cause);
                self.report("comment", Some(&speech.call), None, message);
            }
        }
        Ok(())
    }

    /// What is said, or why nothing is.
    async fn hear(
        &self,
        speech: &Speech<'_>,
        purpose: Purpose,
    ) -> Result<Result<Statement, String>, Halt> {
        let (by, most, called) = self.ask_to_speak(speech, purpose).await?;
        Ok(match &called.end {
            End::Taken((), reply) | End::Unusable(_, reply) => {
                Ok(self.said(speech, by, most, reply, &called))
            }
            End::Exhausted(cause) => Err(cause.clone()),
        })
    }

    fn no_reply(&self, speech: &Speech<'_>, cause: &str) -> String {
        format!(
            "{} could not be made to reply ({}): {cause}",
            self.plan.name_of(speech.by),
            speech.call
        )
    }

    /// Asks for free text: who was asked, for how many tokens at most, and how it went.
    async fn ask_to_speak(
        &self,
        speech: &Speech<'_>,
        purpose: Purpose,
    ) -> Result<(&Participant, u32, Called<()>), Halt> {
        let by = self.participant(speech.by)?;
        let most = allowance::most_tokens(by, speech.most_tokens, speech.seconds);
        let most = self.in_time(&speech.call, by, most, speech.round_seconds);
        let prepared = self.prepare(Ask {
            call: speech.call.clone(),
            by,
            purpose,
            task: self.task(speech, by, most)?,
            schema: None,
            most_tokens: most,
            repairs: speech.demand.map_or(0, |demand| demand.again),
        })?;
        self.report_pending();
        let read = |reply: &ReplyEntry| match objections(speech, most, reply) {
            none if none.is_empty() => Ok(()),
            some => Err(some.join("; ")),
        };
        let mut called = self.call(&prepared, &read).await?;
        // A reply that was not taken is better than none.
        if let (End::Exhausted(cause), Some(reply)) = (&called.end, called.last_reply()) {
            called.end = End::Unusable(cause.clone(), reply.clone());
        }
        self.settle(&called, purpose, Pace::InTurn);
        self.emit_rejections(speech, most, &called);
        Ok((by, most, called))
    }

    /// Emits the replies of a call that were not taken; the one that stands in the end is none of them.
    fn emit_rejections(&self, speech: &Speech<'_>, most: u32, called: &Called<()>) {
        let stands = match &called.end {
            End::Taken((), reply) | End::Unusable(_, reply) => Some(reply.attempt),
            End::Exhausted(_) => None,
        };
        let replies = called.steps.iter().filter(|step| step.incident.is_some());
        for step in replies {
            let Entry::Reply(reply) = &step.entry else {
                continue;
            };
            if stands == Some(reply.attempt) {
                continue;
            }
            let rejection = Rejection {
                round: self.state().round.unwrap_or(0),
                by: speech.by.to_owned(),
                call: speech.call.clone(),
                text: standing(reply, most).1.to_owned(),
                reasons: objections(speech, most, reply),
            };
            self.emit(
                What::Rejection(rejection),
                Some(speech.by),
                Some(&reply.model),
            );
        }
    }

    pub(super) fn participant(&self, id: &str) -> Result<&Participant, Halt> {
        self.plan.participant(id).ok_or_else(|| {
            Halt::Failed(format!("a mistake in rebut: there is no participant {id}"))
        })
    }

    fn task(&self, speech: &Speech<'_>, by: &Participant, most: u32) -> Result<String, Halt> {
        let used = self
            .state()
            .allowance_used
            .get(&by.id)
            .copied()
            .unwrap_or(0.0);
        let mut context = json!({
            "me": by,
            "words": allowance::in_words(most),
            "be_brief": used >= allowance::NEARLY_ALL,
            "memory": self.memory(&by.id),
        });
        if let (Value::Object(all), Value::Object(own)) = (&mut context, &speech.context) {
            all.extend(own.clone());
        }
        Ok(self.render(speech.template, &context)?.trim().to_owned())
    }

    fn said(
        &self,
        speech: &Speech<'_>,
        by: &Participant,
        most: u32,
        reply: &ReplyEntry,
        called: &Called<()>,
    ) -> Statement {
        let (whole, kept, over) = standing(reply, most);
        let spoken = spoken_tokens(reply, whole, kept);
        self.state().allowance_used.insert(
            by.id.clone(),
            if over {
                1.0
            } else {
                spoken as f64 / f64::from(most)
            },
        );
        if over {
            let message = format!(
                "{} ran over the allowance of {most} tokens; the statement was cut at its last whole sentence",
                by.name
            );
            self.report("cut", Some(&speech.call), Some(reply.attempt), message);
        }
        let text = if over {
            format!("{kept}\n\n{CUT_MARK}")
        } else {
            kept.to_owned()
        };
        Statement {
            tokens: spoken,
            tokens_estimated: kept.len() < whole.len()
                || reply.thinking.is_some()
                || reply.tokens.reply == 0,
            origin: if reply.model == by.model {
                Origin::Model
            } else {
                Origin::Fallback
            },
            cut: over,
            objections: objections(speech, most, reply),
            model: Some(reply.model.clone()),
            call: Some(speech.call.clone()),
            attempt: Some(reply.attempt),
            thinking: reply.thinking.clone(),
            usage: Some(called.tokens()),
            ..blank(self, speech.phase, &by.id, text)
        }
    }

    fn emergency(&self, speech: &Speech<'_>, cause: &str) -> Result<Statement, Halt> {
        let by = self.participant(speech.by)?;
        let reason = self.no_reply(speech, cause);
        let kind = match self.plan.on_failure {
            OnFailure::Emergency => event::EMERGENCY,
            OnFailure::Abort => event::MISSING,
        };
        self.short(kind, &[&speech.call], reason)?;
        let template = format!("emergency/{}.md.j2", by.role());
        let text = self.render(&template, &json!(by))?.trim().to_owned();
        Ok(Statement {
            origin: Origin::Emergency,
            call: Some(speech.call.clone()),
            ..blank(self, speech.phase, &by.id, text)
        })
    }

    /// Numbers a statement, adds it to the record that prompts show, and emits it.
    pub(super) fn put_on_record(&self, statement: Statement) {
        let by = self.plan.participant(&statement.by);
        let label = by.map_or_else(|| "Moderator".to_owned(), |by| by.name.clone());
        {
            let mut state = self.state();
            state.statements = statement.n;
            let part = state.part.clone();
            state.record.add(part, &label, &statement.text);
            if let Some(by) = by {
                state.record.name(&by.id, &by.name);
            }
        }
        let (role, model) = (statement.by.clone(), statement.model.clone());
        self.emit(What::Statement(statement), Some(&role), model.as_deref());
    }
}

/// What the format has against what a reply would leave on the record.
fn objections(speech: &Speech<'_>, most: u32, reply: &ReplyEntry) -> Vec<String> {
    let (_, text, _) = standing(reply, most);
    speech
        .demand
        .map_or_else(Vec::new, |demand| (demand.objections)(text))
}

/// The part of a reply that its allowance covers, what of it stands, and whether more was said: then it is cut at the last
/// whole sentence.
fn standing(reply: &ReplyEntry, most: u32) -> (&str, &str, bool) {
    let (allowed, beyond) = within(reply, most);
    let over = beyond || reply.done_reason != DoneReason::Stop;
    let whole = allowed.trim();
    let kept = if over {
        text::cut_at_sentence(whole).unwrap_or(whole)
    } else {
        whole
    };
    (whole, kept, over)
}

/// The part of a reply that its allowance covers, and whether more was said. What a model did not use for thinking is
/// no allowance for speech.
fn within(reply: &ReplyEntry, most: u32) -> (&str, bool) {
    if reply.thinking.is_none() || text::estimate_tokens(&reply.text) <= u64::from(most) {
        return (&reply.text, false);
    }
    let characters = (f64::from(most) * text::CHARS_PER_TOKEN) as usize;
    let end = reply
        .text
        .char_indices()
        .nth(characters)
        .map_or(reply.text.len(), |(at, _)| at);
    (&reply.text[..end], true)
}

/// Tokens spoken: the server's count, or an estimate where the model also thought, was cut, or nothing was counted.
fn spoken_tokens(reply: &ReplyEntry, whole: &str, kept: &str) -> u64 {
    if reply.thinking.is_some() || reply.tokens.reply == 0 {
        return text::estimate_tokens(kept);
    }
    let share = kept.chars().count() as f64 / whole.chars().count().max(1) as f64;
    (reply.tokens.reply as f64 * share).round() as u64
}

/// A statement of ours.
pub(super) fn announced(floor: &Floor, phase: &str, text: String) -> Statement {
    Statement {
        origin: Origin::Template,
        ..blank(floor, phase, "moderator", text)
    }
}

fn blank(floor: &Floor, phase: &str, by: &str, text: String) -> Statement {
    let state = floor.state();
    Statement {
        n: state.statements + 1,
        phase: phase.to_owned(),
        round: state.round.unwrap_or(0),
        by: by.to_owned(),
        gist: text::first_sentence(&text, 160),
        tokens: text::estimate_tokens(&text),
        text,
        tokens_estimated: true,
        origin: Origin::Template,
        cut: false,
        objections: Vec::new(),
        model: None,
        call: None,
        attempt: None,
        thinking: None,
        usage: None,
        at: state.now,
    }
}
