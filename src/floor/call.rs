//! A durable call: a named question that is asked until a reply is taken or nothing is left to try.

use serde_json::{Value, json};

use super::account::ms;
use super::attempts::{Attempts, Next};
use super::budget::{Budget, Room};
use super::record::View;
use super::{Floor, Halt};
use crate::event::TokenCount;
use crate::job::participant::Participant;
use crate::journal::{Entry, FailureEntry, ReplyEntry};
use crate::model::{Message, Request, Role};
use crate::text;

/// Characters of an unusable reply that the model is shown again.
const REPAIRED: usize = 1200;

/// What a call is for, as usage is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    Speak,
    Judge,
    Clerk,
    Comment,
    Embed,
}

impl Purpose {
    pub(super) fn name(self) -> &'static str {
        match self {
            Purpose::Speak => "speak",
            Purpose::Judge => "judge",
            Purpose::Clerk => "clerk",
            Purpose::Comment => "comment",
            Purpose::Embed => "embed",
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
    /// How often the model is shown what is wrong with its reply and asked again.
    pub(super) repairs: u32,
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
    /// In which language to reply, where the debate has one. The task ends with it: what stands last is heeded most.
    language: String,
}

/// One attempt, as the journal has it.
#[derive(Debug, Clone)]
pub(super) struct Step {
    pub(super) entry: Entry,
    pub(super) seed: u32,
    /// Characters of the prompt.
    pub(super) characters: usize,
    /// What kind of incident it is, if it is one, and the cause in words.
    pub(super) incident: Option<(&'static str, String)>,
}

/// How a call ended.
#[derive(Debug, Clone)]
pub(super) enum End<T> {
    /// A reply was taken.
    Taken(T, ReplyEntry),
    /// There was a reply, the last that was asked for, but something is wrong with it.
    Unusable(String, ReplyEntry),
    /// There was no reply.
    Exhausted(String),
}

/// A call with all its attempts.
#[derive(Debug, Clone)]
pub(super) struct Called<T> {
    pub(super) call: String,
    /// Who was asked, by id.
    pub(super) by: String,
    pub(super) steps: Vec<Step>,
    pub(super) end: End<T>,
    /// The last attempt's seed and request digest.
    pub(super) seed: u32,
    pub(super) digest: String,
}

impl<T> Called<T> {
    /// Tokens over all replies.
    pub(super) fn tokens(&self) -> TokenCount {
        let sum = |sum: TokenCount, reply: &ReplyEntry| TokenCount {
            prompt: sum.prompt + reply.tokens.prompt,
            reply: sum.reply + reply.tokens.reply,
        };
        self.replies().fold(TokenCount::default(), sum)
    }

    pub(super) fn attempts(&self) -> u32 {
        self.steps.len() as u32
    }

    /// Time the server spent on it, in milliseconds.
    pub(super) fn model_ms(&self) -> u64 {
        self.replies().map(|r| ms(r.ns.prompt + r.ns.reply)).sum()
    }

    /// Time the server spent on replying alone, in milliseconds.
    pub(super) fn reply_ms(&self) -> u64 {
        self.replies().map(|r| ms(r.ns.reply)).sum()
    }

    /// The last reply of all, taken or not.
    pub(super) fn last_reply(&self) -> Option<&ReplyEntry> {
        self.replies().last()
    }

    fn replies(&self) -> impl Iterator<Item = &ReplyEntry> {
        self.steps.iter().filter_map(|step| match &step.entry {
            Entry::Reply(reply) => Some(reply),
            _ => None,
        })
    }
}

impl Floor {
    /// Settles what is asked. Where the journal has the call it must be the same: whoever polls several prepares all before
    /// any is asked, so that nothing is asked in a debate that cannot go on.
    pub(super) fn prepare<'a>(&self, mut ask: Ask<'a>) -> Result<Prepared<'a>, Halt> {
        let language = self.language_of(&ask)?;
        ask.task += &language;
        let prepared = self.fit(ask, language)?;
        if self.past.contains_key(&(prepared.ask.call.clone(), 1)) {
            self.journaled(&self.request(&prepared, &Attempts::of(prepared.ask.by)))?;
        }
        Ok(prepared)
    }

    /// The words that end a task in a debate with a language.
    fn language_of(&self, ask: &Ask<'_>) -> Result<String, Halt> {
        if self.plan.language.is_none() {
            return Ok(String::new());
        }
        let shaped = json!({"shaped": ask.schema.is_some()});
        let words = self.render("prompts/language.md.j2", &shaped)?;
        Ok(format!("\n\n{}", words.trim()))
    }

    /// Names the call and settles how much of the record it shows.
    fn fit<'a>(&self, ask: Ask<'a>, language: String) -> Result<Prepared<'a>, Halt> {
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
                .push((ask.call.clone(), state.record.describe(choice.view)));
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
            language,
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
            let pause = attempts.pause(self.retry_delay, &self.plan.id, &ask.call);
            let entry = self.attempt(&request, ask, pause).await?;
            let before = attempts.share;
            let (mut incident, end) = judge(ask, &entry, &mut attempts, read);
            let digest = entry.digest().unwrap_or_default().to_owned();
            if let (Some((_, message)), true) = (&mut incident, attempts.share < before) {
                let view = self.view_of(prepared, &attempts);
                let shorter = self.state().record.describe(view);
                *message = format!("{message} with a shorter prompt: {shorter}");
            }
            steps.push(Step {
                entry,
                seed: request.seed,
                characters,
                incident,
            });
            if let Some(end) = end {
                return Ok(Called {
                    call: ask.call.clone(),
                    by: ask.by.id.clone(),
                    steps,
                    end,
                    seed: request.seed,
                    digest,
                });
            }
        }
    }

    fn request(&self, prepared: &Prepared<'_>, attempts: &Attempts) -> Request {
        let ask = &prepared.ask;
        let mut messages = self.messages(prepared, attempts);
        if let Some((reply, complaint)) = &attempts.repair {
            let remedy = match &ask.schema {
                Some(_) => format!(
                    "That reply cannot be used: {complaint}. Reply again with the whole JSON object and nothing else."
                ),
                None => format!(
                    "That reply was not taken: {complaint}. Do the same task again, so that this no longer holds. Write only the new reply."
                ),
            };
            messages.push(Message {
                role: Role::Assistant,
                content: text::shorten(reply, REPAIRED),
            });
            messages.push(Message {
                role: Role::User,
                content: remedy + &prepared.language,
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
            options: ask.by.options.clone(),
        }
    }

    /// What an attempt shows of the record: less than was settled where the server found the prompt too long, or where a
    /// reply to be repaired takes its room.
    fn view_of(&self, prepared: &Prepared<'_>, attempts: &Attempts) -> View {
        let state = self.state();
        let around = state.system.chars().count() + prepared.ask.task.chars().count();
        let repair = attempts.repair.as_ref().map_or(0, |(reply, complaint)| {
            let language = prepared.language.chars().count();
            reply.chars().count().min(REPAIRED) + complaint.chars().count() + language + 200
        });
        let room = Room {
            model: &prepared.ask.by.model,
            context: prepared.ask.by.context_window,
            reply: prepared.ask.num_predict(),
            around: around + repair,
        };
        let fits = repair == 0 || state.budget.fits(&state.record, prepared.view, room);
        if attempts.share >= 1.0 && fits {
            return prepared.view;
        }
        let whole = around + state.record.text(prepared.view).chars().count();
        let kept = whole.saturating_sub(repair) as f64 / whole.max(1) as f64;
        Budget::squeeze(&state.record, prepared.view, around, attempts.share * kept)
    }

    /// Text that holds for all, then the record, then what differs: so prompts share their beginning.
    fn messages(&self, prepared: &Prepared<'_>, attempts: &Attempts) -> Vec<Message> {
        let view = self.view_of(prepared, attempts);
        let state = self.state();
        let task = &prepared.ask.task;
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
}

/// What an attempt means for the call: an incident, an end, or both.
fn judge<T>(
    ask: &Ask<'_>,
    entry: &Entry,
    attempts: &mut Attempts,
    read: &(dyn Fn(&ReplyEntry) -> Result<T, String> + Sync),
) -> (Option<(&'static str, String)>, Option<End<T>>) {
    match entry {
        Entry::Reply(reply) => match read(reply) {
            Ok(value) => (None, Some(End::Taken(value, reply.clone()))),
            Err(complaint) if attempts.unusable(&reply.text, &complaint, ask.repairs) => {
                (Some(asked_again(ask, &complaint)), None)
            }
            Err(complaint) => (None, Some(End::Unusable(complaint, reply.clone()))),
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

/// The incident of a reply that is asked for again because of what is wrong with it.
fn asked_again(ask: &Ask<'_>, complaint: &str) -> (&'static str, String) {
    match &ask.schema {
        Some(_) => (
            "repair",
            format!(
                "the reply could not be used ({complaint}); the model was shown the error and asked again"
            ),
        ),
        None => (
            "rejection",
            format!(
                "the reply was not taken ({complaint}); the model was told why and asked again"
            ),
        ),
    }
}
