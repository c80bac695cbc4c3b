//! What viewers see of a call while it runs. None of it is logged.

mod values;

use self::values::Values;
use super::call::{Ask, Attempted, ms};
use super::log::EventLog;
use crate::event::{EventKind, Purpose, TokenCount, alias};
use crate::model::{Chunk, Reply, Request};
use crate::shared::Shared;
use crate::text;

/// One attempt as watchers see it.
pub(super) struct Live<'a> {
    log: &'a EventLog,
    ask: &'a Ask<'a>,
    request: &'a Request,
    said: Shared<Said>,
}

/// The part of a statement that has arrived.
#[derive(Default)]
struct Said {
    /// Characters shown so far.
    shown: usize,
    /// Text not shown yet because nobody was watching.
    unseen: String,
    /// The values of a structured statement.
    values: Values,
}

impl<'a> Live<'a> {
    pub(super) fn new(log: &'a EventLog, ask: &'a Ask<'a>, request: &'a Request) -> Self {
        Self { log, ask, request, said: Shared::default() }
    }

    pub(super) fn start(&self) {
        self.show(EventKind::CallStart { num_predict: self.request.num_predict });
    }

    pub(super) fn chunk(&self, chunk: Chunk<'_>) {
        match (chunk, self.ask.purpose) {
            (Chunk::Said(text), Purpose::Speak | Purpose::Comment) => self.say(text),
            (Chunk::Sent, _) => {
                *self.said.lock() = Said::default();
                self.show(EventKind::CallSent {});
            }
            (Chunk::Returned, _) => self.show(EventKind::CallWait {}),
            (Chunk::Said(_) | Chunk::Thought(_), _) => {}
        }
    }

    fn say(&self, text: &str) {
        let mut said = self.said.lock();
        match &self.ask.schema {
            Some(schema) => {
                let values = said.values.take(text, schema);
                said.unseen.push_str(&values);
            }
            None => said.unseen.push_str(text),
        }
        if self.log.wants_text() {
            self.show_unseen(&mut said);
        }
    }

    fn show_unseen(&self, said: &mut Said) {
        let text = std::mem::take(&mut said.unseen);
        if !text.is_empty() {
            let from = said.shown;
            said.shown += text.chars().count();
            let to = said.shown;
            self.show(EventKind::StatementChunk { from, to, text });
        }
    }

    /// Ends it, with the whole reply that came, if one did. One that was taken is shown whole even if nobody watched: it may wait for its
    /// check, or for others, when someone comes.
    pub(super) fn end(&self, attempted: &Attempted, whole: Option<&Reply>) {
        if attempted.is_ok() {
            self.show_unseen(&mut self.said.lock());
        }
        self.show(EventKind::CallEnd {
            tokens: whole.map_or_else(TokenCount::default, |reply| reply.tokens.into()),
            estimated: whole.and_then(|reply| estimated(reply, self.request)),
            reply_ms: whole.map_or(0, |reply| ms(reply.ns.reply)),
            error: attempted.as_ref().err().map(|failure| failure.message.clone()),
        });
    }

    /// Shows an event. Tokens said since the call began are not in the debate's count yet, so they are added here.
    fn show(&self, kind: EventKind) {
        let said = tokens_said(&kind);
        let request = self.request;
        let mut event = self.log.live(kind, &self.ask.by.id, &request.model);
        event.metadata.tokens_so_far = event.metadata.tokens_so_far.saturating_add(said);
        event.metadata.call = Some(request.call.clone());
        event.metadata.attempt = Some(request.attempt);
        self.log.show(&event);
        if let Some(alias) = alias::of(&event) {
            self.log.show(&alias);
        }
    }
}

/// The tokens of a call, with estimates in place of counts that the server left out; nothing if it left out none.
fn estimated(reply: &Reply, request: &Request) -> Option<TokenCount> {
    let by_characters = |n: usize| (n as f64 / text::CHARS_PER_TOKEN).ceil() as u64;
    let or_estimate = |counted, characters| match counted {
        0 => by_characters(characters),
        counted => counted,
    };
    let thought = reply.thinking.iter().map(|it| it.chars().count());
    let said = reply.text.chars().count() + thought.sum::<usize>();
    let tokens = TokenCount {
        prompt: or_estimate(reply.tokens.prompt, request.characters()),
        reply: or_estimate(reply.tokens.reply, said),
    };
    (tokens != reply.tokens.into()).then_some(tokens)
}

/// Tokens of a call's reply up to a live event: estimated while it arrives, counted once it has arrived.
fn tokens_said(kind: &EventKind) -> u64 {
    match kind {
        EventKind::StatementChunk { to, .. } => (*to as f64 / text::CHARS_PER_TOKEN).ceil() as u64,
        EventKind::CallEnd { tokens, error: None, .. } => tokens.reply,
        _ => 0,
    }
}
