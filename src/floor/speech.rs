//! Statements: asked for, cut at the allowance where they run over, replaced by an emergency reply where none comes.

mod clean;
mod heard;
mod refusal;
mod refused;

use serde_json::{Value, json};

pub(super) use self::clean::speaks_as;
use self::heard::Heard;
use self::refused::{Listener, Refused};
use super::call::{Ask, Called, End, Purpose};
use super::pace::Pace;
use super::record::Said;
use super::{Floor, Halt, LongTurn, allowance};
use crate::event::{self, EventKind, Origin, Rejection, Statement};
use crate::job::OnFailure;
use crate::job::participant::Participant;
use crate::journal::ReplyEntry;
use crate::text;

/// What closes a statement that was cut (row K8b).
pub const CUT_MARK: &str = "[Time limit reached]";

/// A statement's text without the mark of one that was cut.
pub fn without_mark(text: &str) -> &str {
    text.strip_suffix(CUT_MARK).unwrap_or(text).trim_end()
}

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

/// What a free text is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A turn in the debate.
    Turn,
    /// The text that the debate ends with.
    Final,
    /// A word for readers, which nobody in the debate sees.
    Comment,
}

impl Kind {
    fn purpose(self) -> Purpose {
        match self {
            Kind::Turn | Kind::Final => Purpose::Speak,
            Kind::Comment => Purpose::Comment,
        }
    }
}

impl Floor {
    /// Asks a participant for a statement and puts it on the record; an emergency reply, where none can be had.
    pub async fn speak(&self, speech: Speech<'_>) -> Result<Statement, Halt> {
        let statement = match self.hear(&speech, Kind::Turn).await? {
            Ok(statement) => statement,
            Err(cause) => self.emergency(&speech, &cause)?,
        };
        self.put_on_record(statement.clone());
        Ok(statement)
    }

    /// Asks for a text that ends the debate and that nothing can stand in for, such as an answer or a summary, and puts it
    /// on the record. The debate falls short of one that cannot be had, or whose writer could not be shown enough.
    pub async fn deliver(&self, speech: Speech<'_>) -> Result<Option<Statement>, Halt> {
        match self.hear(&speech, Kind::Final).await? {
            Ok(statement) => {
                self.put_on_record(statement.clone());
                if !statement.objections.is_empty() {
                    let lacks = statement.objections.join("; ");
                    let reason = format!(
                        "the text of {} is not as it must be ({}): {lacks}",
                        self.plan.name_of(speech.by),
                        speech.call
                    );
                    self.fall_short(&[&speech.call], reason)?;
                }
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
        let heard = self.hear(&speech, Kind::Turn).await?;
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
        match self.hear(&speech, Kind::Comment).await? {
            Ok(comment) => {
                self.state().statements = comment.n;
                let model = comment.model.clone();
                self.emit(
                    EventKind::Comment(comment),
                    Some(speech.by),
                    model.as_deref(),
                );
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
        kind: Kind,
    ) -> Result<Result<Statement, String>, Halt> {
        let (by, most, called) = self.ask_to_speak(speech, kind).await?;
        if kind == Kind::Final {
            self.check_floor(&called)?;
        }
        Ok(match &called.end {
            End::Taken(heard, reply) => Ok(self.said(speech, by, most, (heard, reply), &called)),
            End::Unusable(cause) | End::Exhausted(cause) => Err(cause.clone()),
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
        kind: Kind,
    ) -> Result<(&Participant, u32, Called<Heard>), Halt> {
        let by = self.participant(speech.by)?;
        let most = allowance::most_tokens(by, speech.most_tokens, speech.seconds);
        let most = self.in_time(&speech.call, by, most, speech.round_seconds);
        let prepared = self.prepare(Ask {
            call: speech.call.clone(),
            by,
            purpose: kind.purpose(),
            task: self.task(speech, by, most)?,
            schema: None,
            most_tokens: most,
            last: kind == Kind::Final,
            longest_task: 0,
            blind: false,
            repairs: speech.demand.map_or(0, |demand| demand.again),
        })?;
        self.report_pending();
        let listener = Listener::new(self, speech, by, most);
        let mut called = self.call(&prepared, &listener).await?;
        let refused = listener.into_refused();
        // A reply that was not taken is better than none.
        if let End::Exhausted(_) | End::Unusable(_) = &called.end
            && let Some((heard, reply)) = refused.last_usable(&called)
        {
            called.end = End::Taken(heard, reply);
        }
        self.settle(&called, kind.purpose(), Pace::InTurn);
        self.emit_rejections(speech, &refused, &called);
        Ok((by, most, called))
    }

    /// Emits the replies of a call that were not taken; the one that stands in the end is none of them.
    fn emit_rejections(&self, speech: &Speech<'_>, refused: &Refused, called: &Called<Heard>) {
        let stands = match &called.end {
            End::Taken(_, reply) => Some(reply.attempt),
            End::Unusable(_) | End::Exhausted(_) => None,
        };
        for (reply, (text, reasons)) in refused.of(called) {
            if stands == Some(reply.attempt) {
                continue;
            }
            let rejection = Rejection {
                round: self.state().round.unwrap_or(0),
                by: speech.by.to_owned(),
                call: speech.call.clone(),
                text,
                reasons,
            };
            self.emit(
                EventKind::Rejection(rejection),
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
        let mut context = json!({
            "me": by,
            "words": allowance::in_words(most),
            "last_turn": self.state().long_turns.get(&by.id),
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
        (heard, reply): (&Heard, &ReplyEntry),
        called: &Called<Heard>,
    ) -> Statement {
        self.report_heard(speech, by, most, heard, reply.attempt);
        self.note_length(by, most, heard);
        Statement {
            tokens: heard.tokens,
            tokens_estimated: heard.tokens_estimated,
            origin: if reply.model == by.model {
                Origin::Model
            } else {
                Origin::Fallback
            },
            cut: heard.cut,
            objections: heard.objections.clone(),
            voices: heard.voices.clone(),
            model: Some(reply.model.clone()),
            call: Some(speech.call.clone()),
            attempt: Some(reply.attempt),
            thinking: reply.thinking.clone(),
            usage: Some(called.tokens()),
            ..blank(self, speech.phase, &by.id, heard.shown())
        }
    }

    /// Reports what of a reply is not as asked, though it stands.
    fn report_heard(
        &self,
        speech: &Speech<'_>,
        by: &Participant,
        most: u32,
        heard: &Heard,
        attempt: u32,
    ) {
        let name = &by.name;
        let removed: Vec<String> = heard
            .removed
            .iter()
            .map(|label| format!("\"{}\"", text::shorten(label, 80)))
            .collect();
        let cleaned = (!removed.is_empty()).then(|| {
            let what = format!(
                "taken off the statement of {name}, as no part of it: {}",
                removed.join(", ")
            );
            ("cleaned", what)
        });
        let voices: Vec<&str> = heard.voices.iter().map(String::as_str).collect();
        let voiced = (!voices.is_empty()).then(|| {
            let what = format!(
                "the statement of {name} has lines in the name of {}",
                text::joined(&voices, "and")
            );
            ("voice", what)
        });
        let cut = heard.cut.then(|| {
            let what = format!("{name} ran over the allowance of {most} tokens; the statement was cut at its last whole sentence");
            ("cut", what)
        });
        for (kind, what) in [cleaned, voiced, cut].into_iter().flatten() {
            self.report(kind, Some(&speech.call), Some(attempt), what);
        }
    }

    /// A speaker whose statement used all or nearly all of its allowance is told so at its next turn, and others are not.
    fn note_length(&self, by: &Participant, most: u32, heard: &Heard) {
        let used = heard.tokens as f64 / f64::from(most);
        let mut state = self.state();
        if heard.cut || used >= allowance::NEARLY_ALL {
            let long = LongTurn {
                words: heard.text.split_whitespace().count(),
                cut: heard.cut,
            };
            state.long_turns.insert(by.id.clone(), long);
        } else {
            state.long_turns.remove(&by.id);
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
            let heard = by.filter(|_| statement.was_heard());
            let said = Said {
                label: &label,
                text: &statement.text,
                side: heard.and_then(Participant::side),
                voices: &statement.voices,
            };
            state.record.add(part, said);
            if let Some(by) = by {
                state.record.name(&by.id, &by.name);
            }
        }
        let (role, model) = (statement.by.clone(), statement.model.clone());
        self.emit(
            EventKind::Statement(statement),
            Some(&role),
            model.as_deref(),
        );
    }
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
        gist: text::gist(without_mark(&text), 160),
        tokens: text::estimate_tokens(&text),
        text,
        tokens_estimated: true,
        origin: Origin::Template,
        cut: false,
        objections: Vec::new(),
        voices: Vec::new(),
        model: None,
        call: None,
        attempt: None,
        thinking: None,
        usage: None,
        at: state.now,
    }
}
