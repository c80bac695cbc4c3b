//! One attempt of a call: looked up in the journal, or asked, written down, synced, and only then returned.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use super::account::ms;
use super::call::{Ask, Purpose};
use super::counts::plausible;
use super::{Floor, Halt, READING, thoughts};
use crate::event::{EventKind, TokenCount, alias};
use crate::journal::{Entry, FailureEntry, ReplyEntry};
use crate::model::{CallError, Chunk, DoneReason, Durations, Fault, NoReply, Reply, Request};
use crate::text;

impl Floor {
    /// The journal's entry of an attempt; asked for now where there is none.
    pub(super) async fn attempt(
        &self,
        request: &Request,
        ask: &Ask<'_>,
        pause: Duration,
    ) -> Result<Entry, Halt> {
        if let Some(entry) = self.journaled(request)? {
            return Ok(entry.clone());
        }
        self.check_place(request)?;
        if !pause.is_zero() {
            tokio::time::sleep(pause).await;
        }
        self.live(
            request,
            ask,
            EventKind::CallStart {
                num_predict: request.num_predict,
            },
        );
        let said = AtomicUsize::new(0);
        let on_chunk = |chunk: Chunk<'_>| match (chunk, ask.purpose) {
            (Chunk::Said(text), Purpose::Speak | Purpose::Comment) => {
                let length = text.chars().count();
                let from = said.fetch_add(length, Ordering::Relaxed);
                let (to, text) = (from + length, text.to_owned());
                self.live(request, ask, EventKind::StatementChunk { from, to, text });
            }
            (Chunk::Again, _) => {
                said.store(0, Ordering::Relaxed);
                self.live(
                    request,
                    ask,
                    EventKind::CallStart {
                        num_predict: request.num_predict,
                    },
                );
            }
            (Chunk::Said(_) | Chunk::Thought(_), _) => {}
        };
        let answered = self.model.chat(request, &on_chunk).await;
        let entry = self.entry(request, answered)?;
        self.append(entry.clone()).await?;
        self.live(request, ask, call_end(&plausible(entry.clone(), request).0));
        Ok(entry)
    }

    /// The journal's entry of an attempt. One of another request means that this program asks differently than the one that
    /// began.
    pub(super) fn journaled(&self, request: &Request) -> Result<Option<&Entry>, Halt> {
        let entry = self.past.get(&(request.call.clone(), request.attempt));
        if let Some(digest) = entry.and_then(Entry::digest) {
            let what = format!("the call {} (attempt {})", request.call, request.attempt);
            self.check_same(&what, digest, &request.digest())?;
        }
        Ok(entry)
    }

    /// What is asked now comes behind all calls of the journal. One that the debate has not come to would be dropped without
    /// a word, or come in another place.
    fn check_place(&self, request: &Request) -> Result<(), Halt> {
        let state = self.state();
        let unmade = |(name, attempt): &&(String, u32)| {
            *attempt != READING && !state.names.contains(name.as_str())
        };
        match self.past.keys().filter(unmade).min() {
            None => Ok(()),
            Some((name, _)) => Err(self.changed(&format!(
                "the call {name}, which is in the journal, would now not be made before {}",
                request.call
            ))),
        }
    }

    /// Refuses to go on where `what` is not what it was when the debate began.
    pub(super) fn check_same(&self, what: &str, journaled: &str, now: &str) -> Result<(), Halt> {
        if journaled == now {
            return Ok(());
        }
        Err(self.changed(&format!(
            "{what} would now be another request ({} instead of {})",
            &now[..12],
            &journaled[..12.min(journaled.len())],
        )))
    }

    fn changed(&self, difference: &str) -> Halt {
        let (began, this) = (&self.header.rebut, env!("CARGO_PKG_VERSION"));
        let (who, remedy) = if began == this {
            (
                format!("its journal was changed, or another build of rebut {this} wrote it"),
                "Put back the journal, go on with that build",
            )
        } else {
            (
                format!("rebut {began} began this debate, this is {this}"),
                "Go on with the version that began it",
            )
        };
        Halt::Changed(format!(
            "{difference}: {who}. {remedy}, or begin anew with --restart"
        ))
    }

    fn entry(&self, request: &Request, answered: Result<Reply, NoReply>) -> Result<Entry, Halt> {
        let (call, attempt, digest) = (request.call.clone(), request.attempt, request.digest());
        let (at, model) = (self.clock.now(), request.model.clone());
        let failed = |error: CallError| {
            Entry::Failure(FailureEntry {
                call: call.clone(),
                attempt,
                digest: digest.clone(),
                at,
                model: model.clone(),
                error: error.fault,
                message: error.message,
            })
        };
        match answered.map(thoughts::apart) {
            Err(NoReply::Failed(error)) => Ok(failed(error)),
            Err(other) => Err(other.into()),
            Ok(reply) => match fault_of(&reply, request) {
                Some(error) => Ok(failed(error)),
                None => {
                    let Reply {
                        text,
                        thinking,
                        done_reason,
                        tokens,
                        ns,
                    } = reply;
                    Ok(Entry::Reply(ReplyEntry {
                        call,
                        attempt,
                        digest,
                        at,
                        model,
                        text,
                        thinking,
                        done_reason,
                        tokens,
                        ns,
                    }))
                }
            },
        }
    }

    /// Shows what happens now. What was said since the call began is not in the debate's count yet; here it is.
    fn live(&self, request: &Request, ask: &Ask<'_>, kind: EventKind) {
        let said = tokens_said(&kind);
        let event = {
            let state = self.state();
            let mut event = self.event(&state, kind, Some(&ask.by.id), Some(&request.model));
            event.metadata.tokens_so_far = event.metadata.tokens_so_far.saturating_add(said);
            event.metadata.call = Some(request.call.clone());
            event.metadata.attempt = Some(request.attempt);
            event
        };
        (self.watch)(&event);
        let alias = alias::of(&event, self.plan.format.format());
        alias.iter().for_each(|alias| (self.watch)(alias));
    }
}

/// What is wrong with a reply that the server called whole (rows K8b, M2).
fn fault_of(reply: &Reply, request: &Request) -> Option<CallError> {
    let num_predict = request.num_predict;
    let silent = reply.text.trim().is_empty();
    let counted = reply.tokens.reply > 0;
    let at_limit = reply.tokens.reply.saturating_add(1) >= u64::from(num_predict);
    let error = |fault, message: String| Some(CallError::new(fault, message));
    match reply.done_reason {
        DoneReason::Length if counted && !at_limit => error(
            Fault::ContextFull,
            format!(
                "the context was full after {} of at most {num_predict}",
                text::count(reply.tokens.reply, "token")
            ),
        ),
        DoneReason::Length | DoneReason::Overrun if silent => error(
            Fault::NoRoomToSpeak,
            match reply.thinking {
                Some(_) if request.think => format!(
                    "all {num_predict} tokens went into thinking, none into words; thinking_tokens gives it more"
                ),
                Some(_) => format!(
                    "all {num_predict} tokens went into thinking that was not asked for, none into words"
                ),
                None => format!("all {num_predict} tokens went by before a word was said"),
            },
        ),
        _ if silent => error(Fault::EmptyReply, "the reply is empty".to_owned()),
        _ if text::ends_in_loop(&reply.text) => {
            error(Fault::LoopingReply, "the reply ends in a loop".to_owned())
        }
        _ => None,
    }
}

/// Tokens of a call's reply up to a live event: estimated while it arrives, counted when it is there.
fn tokens_said(kind: &EventKind) -> u64 {
    match kind {
        EventKind::StatementChunk { to, .. } => (*to as f64 / text::CHARS_PER_TOKEN).ceil() as u64,
        EventKind::CallEnd { tokens, .. } => tokens.reply,
        _ => 0,
    }
}

fn call_end(entry: &Entry) -> EventKind {
    let none = Durations::default();
    let (tokens, ns, error) = match entry {
        Entry::Reply(reply) => (reply.tokens.into(), reply.ns, None),
        Entry::Failure(failure) => (TokenCount::default(), none, Some(failure.message.clone())),
        Entry::Reading(_) | Entry::Debate(_) => (TokenCount::default(), none, None),
    };
    EventKind::CallEnd {
        tokens,
        reply_ms: ms(ns.reply),
        error,
    }
}
