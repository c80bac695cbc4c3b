//! Taking calls into account: usage, times, what token counts teach, what did not go as asked.

use chrono::{DateTime, Utc};

use super::call::{Called, Purpose, Step};
use super::pace::Pace;
use super::retrieval::{self, Looked};
use super::{Floor, State};
use crate::event::{Call, REPLY, Usage, Use};
use crate::journal::{Entry, FailureEntry, ReplyEntry};
use crate::model::DoneReason;

impl Floor {
    /// Takes a call's attempts into account and reports what did not go as asked. In declared order, so that a resumed
    /// debate does the same.
    pub(super) fn settle<T>(&self, called: &Called<T>, purpose: Purpose, pace: Pace) {
        for step in &called.steps {
            self.state().account(step, &called.by, purpose);
            self.report_overrun(&called.call, &step.entry);
            let attempt = if let Entry::Reply(ReplyEntry { attempt, .. })
            | Entry::Failure(FailureEntry { attempt, .. }) = &step.entry
            {
                Some(*attempt)
            } else {
                None
            };
            let doubt = step.doubt.as_ref().map(|doubt| ("count", doubt));
            let incident = step.incident.as_ref().map(|(kind, what)| (*kind, what));
            for (kind, message) in doubt.into_iter().chain(incident) {
                self.report(kind, Some(&called.call), attempt, message.clone());
            }
        }
        let mut state = self.state();
        state.clock.take(called.model_ms(), pace);
        if purpose == Purpose::Speak {
            state.clock.spoke(called.reply_ms());
        }
    }

    /// Reports a reply that went on beyond its limit: what came until then is taken as one that ended there.
    fn report_overrun(&self, call: &str, entry: &Entry) {
        let Entry::Reply(reply) = entry else { return };
        if reply.done_reason == DoneReason::Overrun {
            let (model, tokens) = (&reply.model, reply.tokens.reply);
            let message = format!(
                "{model}: the server did not stop the reply at its limit; it was ended after about {tokens} tokens"
            );
            self.report("overrun", Some(call), Some(reply.attempt), message);
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

impl State {
    /// Keeps what was left out of a call's prompt until it is reported; calls made together that leave out the same say so
    /// once.
    pub(super) fn note_compaction(&mut self, call: &str, what: String) {
        if self.pending.iter().all(|(_, known)| *known != what) {
            self.pending.push((call.to_owned(), what));
        }
    }

    fn account(&mut self, step: &Step, by: &str, purpose: Purpose) {
        self.calls.extend(listed(step, by, purpose));
        let (at, model) = match &step.entry {
            Entry::Reply(reply) => (reply.at, reply.model.clone()),
            Entry::Failure(failure) => (failure.at, failure.model.clone()),
            Entry::Reading(_) | Entry::Debate(_) => return,
        };
        self.now = self.now.max(at);
        let mut uses = uses(&mut self.usage, purpose, &model);
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

    pub(super) fn account_retrieval(&mut self, model: &str, looked: &Looked, at: DateTime<Utc>) {
        self.calls.extend(listed_embeddings(model, looked, at));
        for used in uses(&mut self.usage, Purpose::Embed, model) {
            used.calls += u64::from(looked.answered());
            used.failures += looked.failed.len() as u64;
            used.prompt_tokens += looked.prompt_tokens;
            used.prompt_ms += ms(looked.prompt_ns);
            used.load_ms += ms(looked.load_ns);
        }
    }
}

/// An attempt as the trace lists it.
fn listed(step: &Step, by: &str, purpose: Purpose) -> Option<Call> {
    let call = |call: &str, attempt, model: &str, at| Call {
        call: call.to_owned(),
        attempt,
        purpose: purpose.name().to_owned(),
        by: Some(by.to_owned()),
        model: model.to_owned(),
        seed: Some(step.seed),
        at,
        ..Call::default()
    };
    match &step.entry {
        Entry::Reply(reply) => Some(Call {
            outcome: REPLY.to_owned(),
            prompt_tokens: Some(reply.tokens.prompt),
            reply_tokens: Some(reply.tokens.reply),
            prompt_ms: Some(ms(reply.ns.prompt)),
            reply_ms: Some(ms(reply.ns.reply)),
            load_ms: Some(ms(reply.ns.load)),
            ..call(&reply.call, reply.attempt, &reply.model, reply.at)
        }),
        Entry::Failure(failure) => Some(Call {
            outcome: failure.error.name(),
            ..call(&failure.call, failure.attempt, &failure.model, failure.at)
        }),
        Entry::Reading(_) | Entry::Debate(_) => None,
    }
}

/// The attempts to get embeddings as the trace lists them: those that failed, then the one that was answered, be it from what
/// was kept before.
fn listed_embeddings(model: &str, looked: &Looked, at: DateTime<Utc>) -> Vec<Call> {
    let call = |attempt| Call {
        call: retrieval::NAME.to_owned(),
        attempt,
        purpose: Purpose::Embed.name().to_owned(),
        model: model.to_owned(),
        at,
        ..Call::default()
    };
    let failed = (1..).zip(&looked.faults).map(|(attempt, fault)| Call {
        outcome: fault.name(),
        ..call(attempt)
    });
    let answered = looked.answered().then(|| Call {
        outcome: REPLY.to_owned(),
        prompt_tokens: Some(looked.prompt_tokens),
        prompt_ms: Some(ms(looked.prompt_ns)),
        load_ms: Some(ms(looked.load_ns)),
        ..call(looked.faults.len() as u32 + 1)
    });
    failed.chain(answered).collect()
}

/// Where a call is counted: by its purpose and by its model.
fn uses<'a>(usage: &'a mut Usage, purpose: Purpose, model: &str) -> [&'a mut Use; 2] {
    let purpose = purpose.name().to_owned();
    [
        usage.by_purpose.entry(purpose).or_default(),
        usage.by_model.entry(model.to_owned()).or_default(),
    ]
}

/// Nanoseconds as whole milliseconds.
pub(super) fn ms(ns: u64) -> u64 {
    ns / 1_000_000
}
