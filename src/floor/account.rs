//! Taking calls into account: usage, times, what token counts teach, what did not go as asked.

use super::call::{Called, Purpose, Step};
use super::pace::Pace;
use super::retrieval::Looked;
use super::{Floor, State};
use crate::event::{Usage, Use};
use crate::journal::{Entry, FailureEntry, ReplyEntry};

impl Floor {
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
        let mut state = self.state();
        state.clock.take(called.model_ms(), pace);
        if purpose == Purpose::Speak {
            state.clock.spoke(called.reply_ms());
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
    fn account(&mut self, step: &Step, purpose: Purpose) {
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

    pub(super) fn account_retrieval(&mut self, model: &str, looked: &Looked) {
        for used in uses(&mut self.usage, Purpose::Embed, model) {
            used.calls += looked.calls;
            used.failures += looked.failed.len() as u64;
            used.prompt_tokens += looked.prompt_tokens;
            used.prompt_ms += ms(looked.prompt_ns);
            used.load_ms += ms(looked.load_ns);
        }
    }
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
