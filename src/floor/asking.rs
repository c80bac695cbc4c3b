//! Makes a prepared call until a reply is accepted or nothing is left to try, and accounts for it.

use std::mem;

use chrono::{DateTime, Utc};
use serde_json::json;

use super::Floor;
use super::attempts::{Attempts, Next};
use super::call::{Ask, Called, Deviation, End, Prepared, Reader, Review, Step};
use super::conduct;
use super::halt::Result;
use super::live::Live;
use super::plausible_counts::plausible;
use super::round_clock::Pace;
use crate::event::{CUT_OFF, IncidentKind, Purpose};
use crate::journal::{FailureEntry, ReplyEntry};
use crate::model::{DoneReason, Request};
use crate::text;

/// The answer to a model that declines to argue for a position.
const EXERCISE: &str = "That reply declines the task. This is a debating exercise, as in a debating club: positions are assigned, \
    others argue the other side, and readers know that nobody here states their own view. Do the task as it stands. Write only \
    the statement.";

/// The answer to a model that declines to speak in a part without a position.
const PART: &str = "That reply declines the task. This is an exercise in reasoning together: the parts are assigned, and readers \
    know that nothing here is advice to act on. Do the task as it stands, in the part you were given. Write only what it asks for.";

/// Settles what is asked. If the journal has the call, the request must be the same. A poll prepares all of its calls
/// before it asks any, so that nothing is asked in a debate that cannot continue.
pub(super) fn prepare<'a>(floor: &Floor, mut ask: Ask<'a>) -> Result<Prepared<'a>> {
    let language = language_of(floor, &ask)?;
    ask.task += &language;
    ask.longest_task += language.chars().count();
    let name = ask.call.to_string();
    floor.calls.take_name(&name)?;
    let prepared = Prepared { view: floor.prompts.lock().settle_view(&ask), ask, language };
    if floor.calls.has(&name) {
        let first = Attempts::new(prepared.ask.by);
        floor.calls.journaled(&request(floor, &prepared, &first))?;
    }
    Ok(prepared)
}

/// Settles calls that are made together, before any is asked. All of them see the same view of the transcript, no matter
/// which has the longest task.
pub(super) fn prepare_all<'a>(floor: &Floor, asks: Vec<Ask<'a>>) -> Result<Vec<Prepared<'a>>> {
    let longest_task = asks.iter().map(|ask| ask.task.chars().count()).max().unwrap_or_default();
    let all = |ask| Ask { longest_task, ..ask };
    let prepared =
        asks.into_iter().map(|ask| prepare(floor, all(ask))).collect::<Result<Vec<_>, _>>()?;
    report_compactions(floor);
    Ok(prepared)
}

/// The sentence that ends each task if the debate has a language; otherwise empty.
fn language_of(floor: &Floor, ask: &Ask<'_>) -> Result<String> {
    if floor.plan.language.is_none() {
        return Ok(String::new());
    }
    let shaped = json!({"shaped": ask.schema.is_some()});
    let words = floor.render("prompts/language.md.j2", &shaped)?;
    Ok(format!("\n\n{words}"))
}

/// Asks until a reply is accepted or nothing is left to try.
pub(super) async fn ask<'a, T>(
    floor: &Floor,
    prepared: &Prepared<'a>,
    reader: &impl Reader<T>,
) -> Result<Called<'a, T>> {
    let ask = &prepared.ask;
    let (mut attempts, mut steps) = (Attempts::new(ask.by), Vec::new());
    loop {
        let view = floor.prompts.lock().view_for(prepared, &attempts);
        let request = request(floor, prepared, &attempts);
        let pause = attempts.pause(floor.retry_delay, &floor.plan.id, &request.call);
        let live = Live::new(&floor.log, ask, &request);
        let theirs = || theirs(floor, ask, &request);
        let attempted = floor.calls.attempt(&request, pause, &live, &theirs).await?;
        let (attempted, doubt) = plausible(attempted, &request);
        let share = attempts.share;
        let digest = match &attempted {
            Ok(reply) => reply.digest.clone(),
            Err(failure) => failure.digest.clone(),
        };
        let (mut incident, end) = match &attempted {
            Ok(reply) => reviewed(ask, reply, reader.read(reply).await?, &mut attempts),
            Err(failure) => failed(failure, &mut attempts),
        };
        if let (Some((_, message)), true) = (&mut incident, attempts.share < share) {
            *message += &shorter(floor, prepared, &attempts);
        }
        steps.push(Step {
            attempted,
            attempt: request.attempt,
            seed: request.seed,
            characters: request.characters(),
            think: request.think,
            incident,
            doubt,
        });
        if let Some(end) = end {
            return Ok(Called {
                digest,
                seed: request.seed,
                call: request.call,
                by: ask.by,
                purpose: ask.purpose,
                steps,
                end,
                below_floor: !view.keeps_floor(),
            });
        }
    }
}

fn request(floor: &Floor, prepared: &Prepared<'_>, attempts: &Attempts) -> Request {
    let ask = &prepared.ask;
    let call = ask.call.to_string();
    let messages = {
        let prompts = floor.prompts.lock();
        let view = prompts.view_for(prepared, attempts);
        prompts.messages(prepared, view, attempts)
    };
    Request {
        attempt: attempts.number,
        model: attempts.model().to_owned(),
        messages,
        temperature: ask.by.temperature_of(ask.schema.is_some()),
        num_predict: ask.num_predict(),
        seed: attempts.seed(floor.plan.seed, &call),
        schema: ask.schema.clone(),
        think: ask.thinks(),
        options: ask.by.options.clone(),
        call,
    }
}

/// What a prompt has of others: the record, what its task was given, and what the debate is about.
fn theirs(floor: &Floor, ask: &Ask<'_>, request: &Request) -> String {
    let prompt = request.messages.get(1).map_or("", |message| &message.content);
    let record = prompt.strip_suffix(&ask.task).unwrap_or_default();
    let (_, record) = record.split_once('\n').unwrap_or_default();
    let plan = &floor.plan;
    let positions: Vec<&String> = plan.participants.iter().map(|it| &it.position).collect();
    let given = json!([plan.motion(), plan.query, plan.background, positions, ask.given]);
    given.to_string().replace("\\n", " ").replace("\\t", " ") + record
}

/// How the next attempt's prompt is shorter, in words.
fn shorter(floor: &Floor, prepared: &Prepared<'_>, attempts: &Attempts) -> String {
    let prompts = floor.prompts.lock();
    let view = prompts.view_for(prepared, attempts);
    let shorter = prompts.transcript.describe(view);
    format!(" with a shorter prompt: {shorter}")
}

/// Reports the compactions made while calls were prepared.
pub(super) fn report_compactions(floor: &Floor) {
    let compactions = mem::take(&mut floor.prompts.lock().pending);
    for it in compactions {
        floor.report(IncidentKind::Compaction, Some(&it.call), None, it.message);
    }
}

/// Accounts for a call's attempts and reports what did not go as asked. Calls are settled in declared order, so that a
/// resumed debate does the same.
pub(super) fn settle<T>(floor: &Floor, called: &Called<'_, T>, pace: Pace) {
    for step in &called.steps {
        count(floor, step, called);
        let overrun = overrun(step).map(|message| (IncidentKind::Overrun, message));
        let doubt = step.doubt.clone().map(|doubt| (IncidentKind::Count, doubt));
        for (kind, message) in [overrun, doubt, step.incident.clone()].into_iter().flatten() {
            let attempt = Some(step.attempt);
            floor.report(kind, Some(&called.call), attempt, message);
        }
        let in_form = !matches!(called.purpose, Purpose::Speak | Purpose::Comment);
        conduct::report(floor, &called.call, in_form, step);
    }
    let mut clock = floor.pace.lock();
    clock.take(called.model_ms(), pace);
    // Statements made in parallel say nothing about how long a turn takes.
    if called.purpose == Purpose::Speak && pace == Pace::InTurn {
        clock.spoke(called.reply_ms());
    }
}

fn count<T>(floor: &Floor, step: &Step, called: &Called<'_, T>) {
    floor.ledger.lock().count(step, &called.by.id, called.purpose);
    match &step.attempted {
        Ok(entry) => {
            let tokens = entry.reply.tokens;
            advance(floor, called, step.attempt, (entry.at, tokens.reply));
            let budget = &mut floor.prompts.lock().budget;
            budget.learn(&entry.model, step.characters, tokens.prompt);
        }
        Err(failure) => advance(floor, called, step.attempt, (failure.at, 0)),
    }
}

/// Takes in when an attempt was journaled and its tokens, and reports, once, if the clock was set back before.
fn advance<T>(
    floor: &Floor,
    called: &Called<'_, T>,
    attempt: u32,
    (at, tokens): (DateTime<Utc>, u64),
) {
    let set_back = floor.calls.set_back_before(&called.call, attempt);
    let known = floor.log.advance(at, tokens, set_back.len());
    for told in set_back.into_iter().skip(known) {
        floor.pace.lock().lose_wall_time();
        floor.report(IncidentKind::Clock, None, None, told);
    }
}

/// Notes a shortfall if a judgment or final text rests on less than each side's newest statement and points: that is not
/// what the debate was held for (row M3c).
pub(super) fn check_floor<T>(floor: &Floor, called: &Called<'_, T>) -> Result<()> {
    if !called.below_floor || matches!(called.end, End::Exhausted(_)) {
        return Ok(());
    }
    let reason = format!(
        "{} could not be shown each side's newest statement and main points: a context_window of {} is too small for this debate",
        called.by.name, called.by.context_window
    );
    floor.fall_short_by(IncidentKind::Context, [&*called.call], reason)
}

/// The incident of a reply that the server did not stop at its limit. What had arrived when we ended it is taken as the reply.
fn overrun(step: &Step) -> Option<String> {
    let entry = step.attempted.as_ref().ok()?;
    let (model, tokens) = (&entry.model, entry.reply.tokens.reply);
    (entry.reply.done_reason == DoneReason::Overrun).then(|| {
        format!(
            "{model}: the server did not stop the reply at its limit; it was ended after about {tokens} tokens"
        )
    })
}

/// What an attempt means for its call: an incident, an end, or both.
type Meaning<T> = (Option<Deviation>, Option<End<T>>);

fn reviewed<T>(
    ask: &Ask<'_>,
    entry: &ReplyEntry,
    review: Review<T>,
    attempts: &mut Attempts,
) -> Meaning<T> {
    let text = &entry.reply.text;
    match review {
        Review::Accepted(value) => (None, Some(End::Taken(value, Box::new(entry.clone())))),
        Review::Mend(complaint) => {
            let (remedy, incident) = mending(ask, &complaint);
            if attempts.unusable(text, &remedy, ask.repairs) {
                (Some(incident), None)
            } else {
                (None, Some(End::Unusable(complaint)))
            }
        }
        Review::Declined => {
            let what = format!("{} declines the task", entry.model);
            let explained = if ask.by.position.is_empty() { PART } else { EXERCISE };
            let next = attempts.declined(text, explained);
            let again = "told what the exercise is and asked again";
            let told = followed(&what, next, attempts, again);
            (Some((IncidentKind::Refusal, told)), ended(next, what))
        }
    }
}

fn failed<T>(failure: &FailureEntry, attempts: &mut Attempts) -> Meaning<T> {
    let FailureEntry { model, error, message, .. } = failure;
    let what = format!("{model}: {} ({message})", error.words());
    let next = attempts.failed(*error);
    let told = followed(&what, next, attempts, "asked again");
    let kind = match next {
        Next::Again => IncidentKind::Retry,
        Next::Fallback => IncidentKind::Fallback,
        Next::Exhausted => IncidentKind::GaveUp,
    };
    (Some((kind, told)), ended(next, what))
}

/// What follows a failed attempt, in words.
fn followed(what: &str, next: Next, attempts: &Attempts, again: &str) -> String {
    match next {
        Next::Again => format!("{what}; {again}"),
        Next::Fallback => format!("{what}; {} takes over", attempts.model()),
        Next::Exhausted => format!("{what}; nothing is left to try"),
    }
}

fn ended<T>(next: Next, what: String) -> Option<End<T>> {
    (next == Next::Exhausted).then(|| End::Exhausted(what))
}

/// What a model is told about a reply that has to be fixed, and the incident of asking it again.
fn mending(ask: &Ask<'_>, complaint: &str) -> (String, Deviation) {
    let less = if complaint == CUT_OFF { "; write less" } else { "" };
    if ask.schema.is_some() {
        let remedy = format!(
            "That reply cannot be used: {complaint}{less}. Reply again with the whole JSON object and nothing else."
        );
        let what = format!(
            "the reply could not be used ({complaint}); the model was shown the error and asked again"
        );
        return (remedy, (IncidentKind::Repair, what));
    }
    let fault = text::sentence(complaint);
    let remedy = format!(
        "That reply was not taken: {fault} Do the same task again, without that fault. Write only the new reply."
    );
    let what =
        format!("the reply was not taken ({complaint}); the model was told why and asked again");
    (remedy, (IncidentKind::Rejection, what))
}
