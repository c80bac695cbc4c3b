//! What the debate has used, and where it fell short.

use chrono::{DateTime, Utc};

use super::call::{Step, ms};
use super::lookup::{self, Lookup};
use crate::event::{Call, Complete, Outcome, Purpose, REPLY, Status, Usage, Use};
use crate::journal::{Entry, FailureEntry, ReplyEntry};
use crate::model::{Durations, Tokens};
use crate::plan::Plan;
use crate::text;
use crate::trace::SEE_INCIDENTS;

/// Number of causes spelt out; the rest is only counted.
const CAUSES: usize = 3;

/// The debate's calls, its usage, and its shortfalls.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    pub(super) usage: Usage,
    calls: Vec<Call>,
    shortfalls: Vec<String>,
}

impl Ledger {
    /// Counts one attempt of a call.
    pub(super) fn count(&mut self, step: &Step, by: &str, purpose: Purpose) {
        let call = listed(step, by, purpose);
        self.add(purpose, &call.model, &Use::from(&call));
        self.calls.push(call);
    }

    /// Adds to the counters of a purpose and of a model.
    fn add(&mut self, purpose: Purpose, model: &str, used: &Use) {
        let purpose = self.usage.by_purpose.entry(purpose.to_string());
        purpose.or_default().add(used);
        let model = self.usage.by_model.entry(model.to_owned());
        model.or_default().add(used);
    }

    /// Counts the retrieval's attempts.
    pub(super) fn count_lookup(&mut self, model: &str, lookup: &Lookup, at: DateTime<Utc>) {
        self.calls.extend(listed_lookup(model, lookup, at));
        let used = Use {
            calls: u64::from(lookup.answered()),
            failures: lookup.failed.len() as u64,
            prompt_tokens: lookup.prompt_tokens,
            prompt_ms: ms(lookup.prompt_ns),
            load_ms: ms(lookup.load_ns),
            ..Use::default()
        };
        self.add(Purpose::Embed, model, &used);
    }

    /// Notes that something important is missing.
    pub(super) fn fall_short(&mut self, reason: String) {
        self.shortfalls.push(reason);
    }

    /// The end of a debate with an outcome; degraded if it fell short of something.
    pub(super) fn concluded(&self, outcome: Outcome) -> Complete {
        let cause = causes(&self.shortfalls);
        let status = if cause.is_some() { Status::Degraded } else { Status::Done };
        self.complete(status, cause, Some(outcome))
    }

    /// The end of a debate that failed.
    pub(super) fn failed(&self, cause: String) -> Complete {
        self.complete(Status::Failed, Some(cause), None)
    }

    fn complete(
        &self,
        status: Status,
        cause: Option<String>,
        outcome: Option<Outcome>,
    ) -> Complete {
        Complete {
            status,
            cause,
            outcome,
            usage: self.usage.clone(),
            calls: self.calls.clone(),
            made_up: None,
        }
    }
}

fn causes(all: &[String]) -> Option<String> {
    let shown: Vec<String> =
        all.iter().take(CAUSES).map(|cause| text::shorten(cause, 200)).collect();
    let more = all.len().saturating_sub(CAUSES);
    let rest = match more {
        0 => String::new(),
        more => format!("; and {more} {SEE_INCIDENTS}"),
    };
    (!all.is_empty()).then(|| shown.join("; ") + &rest)
}

/// An attempt as the trace lists it.
fn listed(step: &Step, by: &str, purpose: Purpose) -> Call {
    let attempted = match &step.attempted {
        Ok(entry) => call_of_reply(entry),
        Err(failure) => call_of_failure(failure),
    };
    Call {
        purpose: purpose.to_string(),
        by: Some(by.to_owned()),
        seed: Some(step.seed),
        ..attempted
    }
}

fn call_of_reply(entry: &ReplyEntry) -> Call {
    let (tokens, ns) = (entry.reply.tokens, entry.reply.ns);
    Call {
        call: entry.call.clone(),
        attempt: entry.attempt,
        model: entry.model.clone(),
        outcome: REPLY.to_owned(),
        at: entry.at,
        ..counted(tokens, ns)
    }
}

fn call_of_failure(entry: &FailureEntry) -> Call {
    Call {
        call: entry.call.clone(),
        attempt: entry.attempt,
        model: entry.model.clone(),
        outcome: entry.error.name(),
        at: entry.at,
        ..Call::default()
    }
}

/// A call of which only the counts are known.
fn counted(tokens: Tokens, ns: Durations) -> Call {
    // No prompt and no reply has no tokens: the server left out the count.
    let counted = |tokens: u64| (tokens > 0).then_some(tokens);
    let is_timed = tokens.reply > 0 || ns.prompt + ns.reply > 0;
    let timed = |ns: u64| is_timed.then(|| ms(ns));
    Call {
        prompt_tokens: counted(tokens.prompt),
        reply_tokens: counted(tokens.reply),
        prompt_ms: timed(ns.prompt),
        reply_ms: timed(ns.reply),
        load_ms: timed(ns.load),
        ..Call::default()
    }
}

/// The attempts to get embeddings, as the trace lists them: the failed ones, then the answered one, even if the cache
/// answered it.
fn listed_lookup(model: &str, lookup: &Lookup, at: DateTime<Utc>) -> Vec<Call> {
    let call = |attempt| Call {
        call: lookup::NAME.to_owned(),
        attempt,
        purpose: Purpose::Embed.to_string(),
        model: model.to_owned(),
        at,
        ..Call::default()
    };
    let failed = (1..)
        .zip(&lookup.faults)
        .map(|(attempt, fault)| Call { outcome: fault.name(), ..call(attempt) });
    let answered = lookup.answered().then(|| Call {
        outcome: REPLY.to_owned(),
        prompt_tokens: Some(lookup.prompt_tokens),
        prompt_ms: Some(ms(lookup.prompt_ns)),
        load_ms: Some(ms(lookup.load_ns)),
        ..call(lookup.faults.len() as u32 + 1)
    });
    failed.chain(answered).collect()
}

/// The attempts that an entry of a journal stands for, without what only the debate knows of them. Whose attempts to get embeddings
/// were, its plan tells.
pub(crate) fn calls_of_entry(entry: &Entry, plan: impl FnOnce() -> Option<Plan>) -> Vec<Call> {
    match entry {
        Entry::Debate(_) => Vec::new(),
        Entry::Reply(it) => vec![call_of_reply(it)],
        Entry::Failure(it) => vec![call_of_failure(it)],
        Entry::External(it) if it.name != lookup::NAME => Vec::new(),
        Entry::External(it) => {
            let plan = plan();
            let model = plan.as_ref().and_then(Plan::embedding_model);
            let lookup: Lookup = serde_json::from_value(it.value.clone()).unwrap_or_default();
            listed_lookup(model.unwrap_or_default(), &lookup, it.at)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_debate_that_fell_short_is_degraded_and_names_three_causes() {
        let mut ledger = Ledger::default();
        assert_eq!(ledger.concluded(Outcome::default()).status, Status::Done);
        for cause in ["a", "b", "c", "d", "e"] {
            ledger.fall_short(cause.to_owned());
        }
        let end = ledger.concluded(Outcome::default());
        assert_eq!(end.status, Status::Degraded);
        let cause = "a; b; c; and 2 more, see the incidents in metadata.md";
        assert_eq!(end.cause.as_deref(), Some(cause));
    }
}
