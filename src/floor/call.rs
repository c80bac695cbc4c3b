//! A durable call: every attempt is looked up in the journal, or asked, written down, synced, and only then returned.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::Value;

use super::attempts::{Attempts, Next};
use super::budget::{Budget, Room};
use super::record::View;
use super::{Floor, Halt};
use crate::event::{TokenCount, What};
use crate::job::participant::Participant;
use crate::journal::{Entry, FailureEntry, ReplyEntry};
use crate::model::{
    CallError, Chunk, DoneReason, Durations, Fault, Message, NoReply, Reply, Request, Role,
};
use crate::text;

/// What a call is for, as usage is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    Speak,
    Judge,
    Clerk,
}

impl Purpose {
    fn name(self) -> &'static str {
        match self {
            Purpose::Speak => "speak",
            Purpose::Judge => "judge",
            Purpose::Clerk => "clerk",
        }
    }
}

/// A named call before its first attempt.
#[derive(Debug, Clone)]
pub(super) struct Ask<'a> {
    pub(super) call: String,
    pub(super) by: &'a Participant,
    pub(super) purpose: Purpose,
    /// What stands behind the record in the prompt.
    pub(super) task: String,
    pub(super) schema: Option<Value>,
    /// The most tokens that may be said.
    pub(super) most_tokens: u32,
}

impl Ask<'_> {
    /// Structured replies are never thought over: with thinking, servers apply a schema late or not at all.
    fn thinks(&self) -> bool {
        self.by.think && self.schema.is_none()
    }

    fn num_predict(&self) -> u32 {
        self.most_tokens
            + if self.thinks() {
                self.by.thinking_tokens
            } else {
                0
            }
    }
}

/// A call whose view of the record is settled.
#[derive(Debug, Clone)]
pub(super) struct Prepared<'a> {
    pub(super) ask: Ask<'a>,
    view: View,
}

/// One attempt, as the journal has it.
#[derive(Debug, Clone)]
pub(super) struct Step {
    entry: Entry,
    /// Characters of the prompt.
    characters: usize,
    /// What kind of incident it is, if it is one, and the cause in words.
    incident: Option<(&'static str, String)>,
}

/// How a call ended.
#[derive(Debug, Clone)]
pub(super) enum End<T> {
    /// A reply was taken.
    Taken(T, ReplyEntry),
    /// There was a reply, but it could not be used.
    Unusable(String),
    /// There was no reply.
    Exhausted(String),
}

/// A call with all its attempts.
#[derive(Debug, Clone)]
pub(super) struct Called<T> {
    pub(super) call: String,
    pub(super) steps: Vec<Step>,
    pub(super) end: End<T>,
    pub(super) on_fallback: bool,
    /// The last attempt's seed and request digest.
    pub(super) seed: u32,
    pub(super) digest: String,
}

impl<T> Called<T> {
    /// Tokens over all replies.
    pub(super) fn tokens(&self) -> TokenCount {
        let replies = self.steps.iter().filter_map(|step| {
            if let Entry::Reply(reply) = &step.entry {
                Some(reply.tokens)
            } else {
                None
            }
        });
        replies.fold(TokenCount::default(), |sum, t| TokenCount {
            prompt: sum.prompt + t.prompt,
            reply: sum.reply + t.reply,
        })
    }

    pub(super) fn attempts(&self) -> u32 {
        self.steps.len() as u32
    }

    /// Time the server spent on it, in milliseconds.
    fn model_ms(&self) -> u64 {
        self.steps
            .iter()
            .map(|step| {
                if let Entry::Reply(reply) = &step.entry {
                    ms(reply.ns.prompt + reply.ns.reply)
                } else {
                    0
                }
            })
            .sum()
    }
}

/// Whether calls run one after the other or side by side, for a round's model time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pace {
    InTurn,
    Together,
}

impl Floor {
    /// Names the call and settles how much of the record it shows.
    pub(super) fn prepare<'a>(&self, ask: Ask<'a>) -> Result<Prepared<'a>, Halt> {
        let mut state = self.state();
        if !state.names.insert(ask.call.clone()) {
            return Err(Halt::Failed(format!(
                "a mistake in rebut: the call {} was made twice",
                ask.call
            )));
        }
        let around = state.system.chars().count() + ask.task.chars().count() + 200;
        let room = Room {
            model: &ask.by.model,
            context: ask.by.context_window,
            reply: ask.num_predict(),
            around,
        };
        let state = &mut *state;
        let choice = state.budget.choose(&state.record, room);
        if choice.changed {
            state
                .pending
                .push((ask.call.clone(), choice.view.describe()));
        }
        if choice.tight {
            state.pending.push((
                ask.call.clone(),
                "even the shortest form of the record may not fit into the context".to_owned(),
            ));
        }
        Ok(Prepared {
            ask,
            view: choice.view,
        })
    }

    /// Asks until a reply is taken or nothing is left to try. `read` turns a reply into what is wanted, or says what is
    /// wrong with it.
    pub(super) async fn call<T>(
        &self,
        prepared: &Prepared<'_>,
        read: &(dyn Fn(&ReplyEntry) -> Result<T, String> + Sync),
    ) -> Result<Called<T>, Halt> {
        let ask = &prepared.ask;
        let mut attempts = Attempts::of(ask.by);
        let mut steps: Vec<Step> = Vec::new();
        loop {
            let request = self.request(prepared, &attempts);
            let characters = request
                .messages
                .iter()
                .map(|m| m.content.chars().count())
                .sum();
            let pause = attempts.pause(self.retry_delay, self.plan.seed, &ask.call);
            let entry = self.attempt(&request, ask, pause).await?;
            let (incident, end) = judge(&entry, &mut attempts, read);
            steps.push(Step {
                entry,
                characters,
                incident,
            });
            if let Some(end) = end {
                let (call, on_fallback) = (ask.call.clone(), attempts.on_fallback());
                return Ok(Called {
                    call,
                    steps,
                    end,
                    on_fallback,
                    seed: request.seed,
                    digest: request.digest(),
                });
            }
        }
    }

    fn request(&self, prepared: &Prepared<'_>, attempts: &Attempts) -> Request {
        let ask = &prepared.ask;
        let mut messages = self.messages(prepared, attempts.share);
        if let Some((reply, complaint)) = &attempts.repair {
            let remedy = format!(
                "That reply cannot be used: {complaint}. Reply again with the whole JSON object and nothing else."
            );
            messages.push(Message {
                role: Role::Assistant,
                content: text::shorten(reply, 4000),
            });
            messages.push(Message {
                role: Role::User,
                content: remedy,
            });
        }
        Request {
            call: ask.call.clone(),
            attempt: attempts.number,
            model: attempts.model().to_owned(),
            messages,
            temperature: ask.by.temperature,
            num_predict: ask.num_predict(),
            seed: attempts.seed(self.plan.seed, &ask.call),
            schema: ask.schema.clone(),
            think: ask.thinks(),
        }
    }

    /// Text that holds for all, then the record, then what differs: so prompts share their beginning.
    fn messages(&self, prepared: &Prepared<'_>, share: f64) -> Vec<Message> {
        let state = self.state();
        let task = &prepared.ask.task;
        let around = state.system.chars().count() + task.chars().count();
        let view = if share < 1.0 {
            Budget::squeeze(&state.record, prepared.view, around, share)
        } else {
            prepared.view
        };
        let user = format!(
            "# The record of the debate so far\n\n{}\n\n# Your task\n\n{task}",
            state.record.text(view)
        );
        let message = |role, content| Message { role, content };
        vec![
            message(Role::System, state.system.clone()),
            message(Role::User, user),
        ]
    }

    async fn attempt(
        &self,
        request: &Request,
        ask: &Ask<'_>,
        pause: Duration,
    ) -> Result<Entry, Halt> {
        if let Some(entry) = self.past.get(&(request.call.clone(), request.attempt)) {
            self.check_digest(entry, request)?;
            return Ok(entry.clone());
        }
        if !pause.is_zero() {
            tokio::time::sleep(pause).await;
        }
        self.live(
            request,
            ask,
            What::CallStart {
                num_predict: request.num_predict,
            },
        );
        let said = AtomicUsize::new(0);
        let on_chunk = |chunk: Chunk<'_>| {
            if let (Chunk::Said(text), Purpose::Speak) = (chunk, ask.purpose) {
                let length = text.chars().count();
                let from = said.fetch_add(length, Ordering::Relaxed);
                self.live(
                    request,
                    ask,
                    What::StatementChunk {
                        from,
                        to: from + length,
                        text: text.to_owned(),
                    },
                );
            }
        };
        let answered = self.model.chat(request, &on_chunk).await;
        let entry = self.entry(request, answered)?;
        self.append(entry.clone()).await?;
        self.live(request, ask, call_end(&entry));
        Ok(entry)
    }

    /// A journaled attempt of another request means that this program asks differently than the one that began.
    fn check_digest(&self, entry: &Entry, request: &Request) -> Result<(), Halt> {
        let journaled = match entry {
            Entry::Reply(reply) => &reply.digest,
            Entry::Failure(failure) => &failure.digest,
            Entry::Reading(_) | Entry::Debate(_) => return Ok(()),
        };
        let now = request.digest();
        if *journaled == now {
            return Ok(());
        }
        Err(Halt::Parked(format!(
            "the call {} (attempt {}) would now be another request ({} instead of {}): rebut {} began this debate, this is {}. \
             Go on with the version that began it, or begin anew with --restart",
            request.call,
            request.attempt,
            &now[..12],
            &journaled[..12.min(journaled.len())],
            self.header.rebut,
            env!("CARGO_PKG_VERSION"),
        )))
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
        match answered {
            Err(NoReply::Failed(error)) => Ok(failed(error)),
            Err(other) => Err(other.into()),
            Ok(reply) => match fault_of(&reply, request.num_predict) {
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

    fn live(&self, request: &Request, ask: &Ask<'_>, what: What) {
        let event = {
            let state = self.state();
            let mut event = self.event(&state, what, Some(&ask.by.id), Some(&request.model));
            event.metadata.call = Some(request.call.clone());
            event.metadata.attempt = Some(request.attempt);
            event
        };
        (self.watch)(&event);
    }

    /// Takes a call's attempts into account and reports what did not go as asked. In declared order, so that a resumed
    /// debate does the same.
    pub(super) fn settle<T>(&self, called: &Called<T>, purpose: Purpose, pace: Pace) {
        for step in &called.steps {
            self.state().account(step, purpose);
            if let Some((kind, message)) = &step.incident {
                let attempt = if let Entry::Reply(ReplyEntry { attempt, .. })
                | Entry::Failure(FailureEntry { attempt, .. }) = &step.entry
                {
                    Some(*attempt)
                } else {
                    None
                };
                self.report(kind, Some(&called.call), attempt, message.clone());
            }
        }
        let time = &mut self.state().round_time;
        match pace {
            Pace::InTurn => time.in_turn += called.model_ms(),
            Pace::Together => time.slowest_together = time.slowest_together.max(called.model_ms()),
        }
    }

    /// Reports the compactions that were made while calls were prepared.
    pub(super) fn report_pending(&self) {
        let pending = std::mem::take(&mut self.state().pending);
        pending
            .into_iter()
            .for_each(|(call, message)| self.report("compaction", Some(&call), None, message));
    }
}

impl super::State {
    fn account(&mut self, step: &Step, purpose: Purpose) {
        let (at, model) = match &step.entry {
            Entry::Reply(reply) => (reply.at, reply.model.clone()),
            Entry::Failure(failure) => (failure.at, failure.model.clone()),
            Entry::Reading(_) | Entry::Debate(_) => return,
        };
        self.now = self.now.max(at);
        let mut uses = [
            self.usage
                .by_purpose
                .entry(purpose.name().to_owned())
                .or_default(),
            self.usage.by_model.entry(model.clone()).or_default(),
        ];
        let Entry::Reply(reply) = &step.entry else {
            uses.iter_mut().for_each(|used| used.failures += 1);
            return;
        };
        for used in &mut uses {
            used.calls += 1;
            used.prompt_tokens += reply.tokens.prompt;
            used.reply_tokens += reply.tokens.reply;
            used.prompt_ms += ms(reply.ns.prompt);
            used.reply_ms += ms(reply.ns.reply);
            used.load_ms += ms(reply.ns.load);
        }
        self.tokens_so_far += reply.tokens.reply;
        self.budget
            .learn(&model, step.characters, reply.tokens.prompt);
    }
}

/// What an attempt means for the call: an incident, an end, or both.
fn judge<T>(
    entry: &Entry,
    attempts: &mut Attempts,
    read: &(dyn Fn(&ReplyEntry) -> Result<T, String> + Sync),
) -> (Option<(&'static str, String)>, Option<End<T>>) {
    match entry {
        Entry::Reply(reply) => match read(reply) {
            Ok(value) => (None, Some(End::Taken(value, reply.clone()))),
            Err(complaint) if attempts.unusable(&reply.text, &complaint) => (
                Some((
                    "repair",
                    format!(
                        "the reply could not be used ({complaint}); the model was shown the error and asked again"
                    ),
                )),
                None,
            ),
            Err(complaint) => (None, Some(End::Unusable(complaint))),
        },
        Entry::Failure(FailureEntry {
            model,
            error,
            message,
            ..
        }) => {
            let what = format!("{model}: {} ({message})", error.name());
            match attempts.failed(*error) {
                Next::Again => (Some(("retry", format!("{what}; asked again"))), None),
                Next::Fallback => (
                    Some((
                        "fallback",
                        format!("{what}; {} takes over", attempts.model()),
                    )),
                    None,
                ),
                Next::Exhausted => (
                    Some(("gave_up", format!("{what}; nothing is left to try"))),
                    Some(End::Exhausted(what)),
                ),
            }
        }
        Entry::Reading(_) | Entry::Debate(_) => (
            None,
            Some(End::Exhausted(
                "a mistake in rebut: not an attempt".to_owned(),
            )),
        ),
    }
}

/// What is wrong with a reply that the server called whole (rows K8b, M2).
fn fault_of(reply: &Reply, num_predict: u32) -> Option<CallError> {
    let silent = reply.text.trim().is_empty();
    let counted = reply.tokens.reply > 0;
    let at_limit = reply.tokens.reply + 1 >= u64::from(num_predict);
    let error = |fault, message: String| Some(CallError::new(fault, message));
    match reply.done_reason {
        DoneReason::Other => error(
            Fault::BrokenStream,
            "the server ended the reply for no reason that a reply has".to_owned(),
        ),
        DoneReason::Length if counted && !at_limit => error(
            Fault::ContextFull,
            format!(
                "the context was full after {} tokens of at most {num_predict}",
                reply.tokens.reply
            ),
        ),
        DoneReason::Length if silent => error(
            Fault::NoRoomToSpeak,
            format!("all {num_predict} tokens went by before a word was said"),
        ),
        _ if silent => error(Fault::EmptyReply, "the reply is empty".to_owned()),
        _ if text::ends_in_loop(&reply.text) => {
            error(Fault::LoopingReply, "the reply ends in a loop".to_owned())
        }
        _ => None,
    }
}

fn call_end(entry: &Entry) -> What {
    let none = Durations::default();
    let (tokens, ns, error) = match entry {
        Entry::Reply(reply) => (reply.tokens.into(), reply.ns, None),
        Entry::Failure(failure) => (TokenCount::default(), none, Some(failure.message.clone())),
        Entry::Reading(_) | Entry::Debate(_) => (TokenCount::default(), none, None),
    };
    What::CallEnd {
        tokens,
        reply_ms: ms(ns.reply),
        error,
    }
}

fn ms(ns: u64) -> u64 {
    ns / 1_000_000
}
