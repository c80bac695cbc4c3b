//! A durable call: a named question that is asked until a reply is taken or nothing is left to try.

use std::future::Future;

use serde_json::{Value, json};

use super::account::ms;
use super::attempts::{Attempts, Next};
use super::budget::{Budget, Room};
use super::counts::plausible;
use super::record::View;
use super::{Floor, Halt};
use crate::event::TokenCount;
use crate::job::participant::Participant;
use crate::journal::{Entry, FailureEntry, ReplyEntry};
use crate::model::{Message, Request, Role};
use crate::text;

/// Characters of an unusable reply that the model is shown again.
const REPAIRED: usize = 1200;
/// What a model is told that declines to argue for a position.
const EXERCISE: &str = "That reply declines the task. This is a debating exercise, as in a debating club: positions are assigned, \
    others argue the other side, and readers know that nobody here states their own view. Do the task as it stands. Write only \
    the statement.";

/// What a model is told that declines to speak in a part without one.
const PART: &str = "That reply declines the task. This is an exercise in reasoning together: the parts are assigned, and readers \
    know that nobody here states their own view or gives advice to act on. Do the task as it stands, in the part you were given. \
    Write only what it asks for.";

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
    /// Whether the debate's end rests on it, and no later prompt reuses this one's beginning.
    pub(super) last: bool,
    /// Characters of the longest task among the calls made together: they are all to see the same of the record.
    pub(super) longest_task: usize,
    /// Whether nothing of the record is shown.
    pub(super) blind: bool,
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

/// Why a reply is not taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Complaint {
    /// Something is to be mended, in words for the model.
    Mend(String),
    /// The model declines the task.
    Declined,
}

/// What becomes of a reply, or why it is not taken. To find out may take another call.
pub(super) trait Reader<T>: Sync {
    fn read(
        &self,
        reply: &ReplyEntry,
    ) -> impl Future<Output = Result<Result<T, Complaint>, Halt>> + Send;
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
    /// What was counted and cannot be, in words.
    pub(super) doubt: Option<String>,
}

/// How a call ended.
#[derive(Debug, Clone)]
pub(super) enum End<T> {
    /// A reply was taken.
    Taken(T, ReplyEntry),
    /// Something is wrong with the last reply that was asked for, in words.
    Unusable(String),
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
    /// Whether the last attempt saw less of the record than each side's newest statement and points.
    pub(super) below_floor: bool,
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
        ask.longest_task += language.chars().count();
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
        if ask.blind {
            let view = View::default();
            return Ok(Prepared {
                ask,
                view,
                language,
            });
        }
        let state = &mut *state;
        let room = room_of(&ask, state.system.chars().count(), 0);
        let choice = state.budget.choose(&state.record, room);
        if choice.changed {
            let what = state.record.describe(choice.view);
            state.note_compaction(&ask.call, what);
        }
        if choice.tight {
            let what = "even the shortest form of the record may not fit into the context";
            state.note_compaction(&ask.call, what.to_owned());
        }
        Ok(Prepared {
            ask,
            view: choice.view,
            language,
        })
    }

    /// Asks until a reply is taken or nothing is left to try. The reader turns a reply into what is wanted, or says what is
    /// wrong with it.
    pub(super) async fn call<T>(
        &self,
        prepared: &Prepared<'_>,
        reader: &impl Reader<T>,
    ) -> Result<Called<T>, Halt> {
        let ask = &prepared.ask;
        let mut attempts = Attempts::of(ask.by);
        let mut steps: Vec<Step> = Vec::new();
        loop {
            let view = self.view_of(prepared, &attempts);
            let request = self.request(prepared, &attempts);
            let characters = request
                .messages
                .iter()
                .map(|m| m.content.chars().count())
                .sum();
            let pause = attempts.pause(self.retry_delay, &self.plan.id, &ask.call);
            let entry = self.attempt(&request, ask, pause).await?;
            let (entry, doubt) = plausible(entry, &request);
            let before = attempts.share;
            let read = match &entry {
                Entry::Reply(reply) => Some(reader.read(reply).await?),
                _ => None,
            };
            let (mut incident, end) = judge(ask, &entry, read, &mut attempts);
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
                doubt,
            });
            if let Some(end) = end {
                return Ok(Called {
                    call: ask.call.clone(),
                    by: ask.by.id.clone(),
                    steps,
                    end,
                    below_floor: !view.keeps_floor(),
                    seed: request.seed,
                    digest,
                });
            }
        }
    }

    fn request(&self, prepared: &Prepared<'_>, attempts: &Attempts) -> Request {
        let ask = &prepared.ask;
        let mut messages = self.messages(prepared, attempts);
        if let Some((reply, remedy)) = &attempts.repair {
            messages.push(Message {
                role: Role::Assistant,
                content: text::shorten(reply, REPAIRED),
            });
            messages.push(Message {
                role: Role::User,
                content: remedy.clone() + &prepared.language,
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
        if prepared.ask.blind {
            return View::default();
        }
        let state = self.state();
        let repair = attempts.repair.as_ref().map_or(0, |(reply, remedy)| {
            let told = remedy.chars().count() + prepared.language.chars().count();
            reply.chars().count().min(REPAIRED) + told
        });
        let room = room_of(&prepared.ask, state.system.chars().count(), repair);
        let around = room.around - repair;
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
        let record = match prepared.ask.blind {
            true => String::new(),
            false => format!(
                "# The record of the debate so far\n\n{}\n\n",
                state.record.text(view)
            ),
        };
        let user = format!("{record}# Your task\n\n{}", prepared.ask.task);
        let message = |role, content| Message { role, content };
        vec![
            message(Role::System, state.system.clone()),
            message(Role::User, user),
        ]
    }
}

/// Characters that the headings around record and task take, and a few to spare.
const HEADINGS: usize = 200;

/// What a call's prompt has to fit into, with so many characters of a reply that is to be repaired.
fn room_of<'a>(ask: &'a Ask<'_>, system: usize, repair: usize) -> Room<'a> {
    let task = ask.task.chars().count().max(ask.longest_task);
    Room {
        model: &ask.by.model,
        context: ask.by.context_window,
        reply: ask.num_predict(),
        around: system + task + HEADINGS + repair,
        last: ask.last,
    }
}

/// What goes otherwise than asked, by kind and in words.
type Deviation = (&'static str, String);

/// What an attempt means for the call: an incident, an end, or both.
fn judge<T>(
    ask: &Ask<'_>,
    entry: &Entry,
    read: Option<Result<T, Complaint>>,
    attempts: &mut Attempts,
) -> (Option<Deviation>, Option<End<T>>) {
    match (entry, read) {
        (Entry::Reply(reply), Some(Ok(value))) => (None, Some(End::Taken(value, reply.clone()))),
        (Entry::Reply(reply), Some(Err(Complaint::Mend(complaint)))) => {
            if attempts.unusable(&reply.text, &remedy(ask, &complaint), ask.repairs) {
                (Some(asked_again(ask, &complaint)), None)
            } else {
                (None, Some(End::Unusable(complaint)))
            }
        }
        (Entry::Reply(reply), Some(Err(Complaint::Declined))) => {
            let what = format!("{} declines the task", reply.model);
            let explained = if ask.by.position.is_empty() {
                PART
            } else {
                EXERCISE
            };
            let next = attempts.declined(&reply.text, explained);
            let told = followed(
                &what,
                next,
                attempts,
                "told what the exercise is and asked again",
            );
            (Some(("refusal", told)), ended(next, what))
        }
        (Entry::Failure(failure), _) => {
            let FailureEntry {
                model,
                error,
                message,
                ..
            } = failure;
            let what = format!("{model}: {} ({message})", error.name());
            let next = attempts.failed(*error);
            let told = followed(&what, next, attempts, "asked again");
            (Some((kind_of(next), told)), ended(next, what))
        }
        _ => {
            let mistake = "a mistake in rebut: not an attempt".to_owned();
            (None, Some(End::Exhausted(mistake)))
        }
    }
}

/// What follows an attempt that came to nothing, in words.
fn followed(what: &str, next: Next, attempts: &Attempts, again: &str) -> String {
    match next {
        Next::Again => format!("{what}; {again}"),
        Next::Fallback => format!("{what}; {} takes over", attempts.model()),
        Next::Exhausted => format!("{what}; nothing is left to try"),
    }
}

/// The kind of incident that a failed attempt is.
fn kind_of(next: Next) -> &'static str {
    match next {
        Next::Again => "retry",
        Next::Fallback => "fallback",
        Next::Exhausted => "gave_up",
    }
}

fn ended<T>(next: Next, what: String) -> Option<End<T>> {
    (next == Next::Exhausted).then(|| End::Exhausted(what))
}

/// What a model is told of a reply that is to be mended.
fn remedy(ask: &Ask<'_>, complaint: &str) -> String {
    match &ask.schema {
        Some(_) => format!(
            "That reply cannot be used: {complaint}. Reply again with the whole JSON object and nothing else."
        ),
        None => format!(
            "That reply was not taken: {complaint}. Do the same task again, so that this no longer holds. Write only the new reply."
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
