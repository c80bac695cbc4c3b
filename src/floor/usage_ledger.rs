//! What the debate has used, and where it fell short.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};

use super::call::{Step, ms};
use super::lookup::{self, Lookup};
use crate::call_id::CallId;
use crate::event::{Call, CallSums, Complete, Outcome, Purpose, REPLY, Status, Usage, Use};
use crate::journal::{Entry, FailureEntry, ReplyEntry, Spent};
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
        self.add(Call {
            purpose: purpose.to_string(),
            by: Some(by.to_owned()),
            seed: Some(step.seed),
            ..call_of(step.attempted.as_ref())
        });
    }

    /// Counts the retrieval's attempts.
    pub(super) fn count_lookup(&mut self, model: &str, lookup: &Lookup, at: DateTime<Utc>) {
        listed_lookup(model, lookup, at).into_iter().for_each(|call| self.add(call));
    }

    fn add(&mut self, call: Call) {
        let used = Use::from(&call);
        self.usage.by_purpose.entry(call.purpose.clone()).or_default().add(&used);
        self.usage.by_model.entry(call.model.clone()).or_default().add(&used);
        self.calls.push(call);
    }

    /// Tokens of replies per second by model, over the calls with both a count and a time.
    pub(super) fn speeds(&self) -> BTreeMap<String, f64> {
        let mut sums: BTreeMap<&str, CallSums> = BTreeMap::new();
        self.calls.iter().for_each(|call| sums.entry(&call.model).or_default().count(call));
        let speed = |(model, CallSums { used, gaps, .. }): (&str, CallSums)| {
            let [_, replies] = used.speeds(&gaps.alone);
            Some((model.to_owned(), replies?))
        };
        sums.into_iter().filter_map(speed).collect()
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
            calls: as_made(self.calls.clone()),
            made_up: None,
        }
    }
}

/// Checks of a call's replies are accounted for before the call: here each follows the reply that it checks.
fn as_made(mut calls: Vec<Call>) -> Vec<Call> {
    let principal = |call: &Call| CallId::principal(&call.call).to_owned();
    for own in calls.chunk_by_mut(|one, other| principal(one) == principal(other)) {
        own.sort_by_key(|call| match CallId::parse(&call.call).and_then(|id| id.about_attempt()) {
            Some(attempt) => (attempt, true),
            None => (call.attempt, false),
        });
    }
    calls
}

fn causes(all: &[String]) -> Option<String> {
    let shown: Vec<String> =
        all.iter().take(CAUSES).map(|cause| text::shorten(cause, 200)).collect();
    let more = all.len().saturating_sub(CAUSES);
    let rest = text::told_if(more > 0, || format!("; and {more} {SEE_INCIDENTS}"));
    (!all.is_empty()).then(|| shown.join("; ") + &rest)
}

/// An attempt as a journal tells it.
fn call_of(attempted: Result<&ReplyEntry, &FailureEntry>) -> Call {
    let (call, attempt, model, at) = match attempted {
        Ok(it) => (&it.call, it.attempt, &it.model, it.at),
        Err(it) => (&it.call, it.attempt, &it.model, it.at),
    };
    let (outcome, spent) = match attempted {
        Ok(it) => (REPLY.to_owned(), Some(Spent::on(&it.reply))),
        Err(it) => (it.error.to_string(), it.spent),
    };
    let counts = spent.map_or_else(Call::default, counted);
    Call { call: call.clone(), attempt, model: model.clone(), outcome, at, ..counts }
}

/// A call of which only the counts are known.
fn counted(Spent { tokens, ns }: Spent) -> Call {
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
        .map(|(attempt, fault)| Call { outcome: fault.to_string(), ..call(attempt) });
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
        Entry::Reply(it) => vec![call_of(Ok(it))],
        Entry::Failure(it) => vec![call_of(Err(it))],
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
    fn k10_a_models_speed_is_that_of_calls_with_both_a_count_and_a_time() {
        let mut ledger = Ledger::default();
        // A reply that was ended at its limit has an estimate and no time.
        for (model, tokens, ms) in [("m", 100, 1000), ("m", 900, 0), ("m", 0, 500), ("n", 0, 9)] {
            ledger.add(Call {
                model: model.to_owned(),
                outcome: REPLY.to_owned(),
                reply_tokens: Some(tokens),
                reply_ms: Some(ms),
                ..Call::default()
            });
        }
        assert_eq!(ledger.speeds(), BTreeMap::from([("m".to_owned(), 100.0)]));
    }

    #[test]
    fn k10_a_check_of_a_reply_is_listed_behind_it() {
        let mut ledger = Ledger::default();
        let call = |call: &str, attempt| Call { call: call.to_owned(), attempt, ..Call::default() };
        let [one, other] = ["round-1/statement/a", "round-1/statement/b"];
        ledger.add(call(other, 1));
        for (check, attempt) in [("doubt-1", 1), ("refusal-2", 1), ("refusal-2", 2), ("doubt-3", 1)]
        {
            ledger.add(call(&format!("{one}/{check}"), attempt));
        }
        (1..=3).for_each(|attempt| ledger.add(call(one, attempt)));
        let end = ledger.failed(String::new());
        let listed = end.calls.iter().map(|it| (it.call.rsplit('/').next(), it.attempt));
        let listed: Vec<_> = listed.map(|(name, attempt)| (name.unwrap(), attempt)).collect();
        let expected = [
            ("b", 1),
            ("a", 1),
            ("doubt-1", 1),
            ("a", 2),
            ("refusal-2", 1),
            ("refusal-2", 2),
            ("a", 3),
            ("doubt-3", 1),
        ];
        assert_eq!(listed, expected);
    }

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
