//! Statements that were cut at their limits: the odd one is no matter, but many are a limit that is too small.

use std::collections::BTreeSet;

use super::earlier_attempts::Earlier;
use crate::event::IncidentKind;
use crate::text;
use crate::trace::Trace;

/// One of so many statements may be cut without a word about it.
const ODD: u64 = 4;
/// The limit that counts for every statement, whatever its format.
const OF_SPEAKERS: &str = "max_tokens";

/// The statements of a batch by models, and those of them that were cut.
#[derive(Debug, Default)]
pub(super) struct StatementCuts {
    statements: u64,
    cuts: u64,
    /// The settings that limit them.
    limits: BTreeSet<String>,
}

impl StatementCuts {
    /// Counts the statements of a debate that this run asked for. What a rehearsal's filler would need says nothing.
    pub(super) fn take(&mut self, trace: &Trace, earlier: &Earlier) {
        if trace.rehearsal {
            return;
        }
        let thinkers = thinkers(trace);
        let all = trace
            .statements
            .iter()
            .filter(|s| earlier.lacks_what_came_of(s.call.as_deref(), s.attempt))
            .filter(|s| s.model.as_ref().is_some_and(|it| !thinkers.contains(it)));
        let cuts = all.clone().filter(|s| s.cut).count() as u64;
        self.statements += all.count() as u64;
        self.cuts += cuts;
        if cuts > 0 {
            let settings = trace.plan.settings.keys();
            self.limits.extend(settings.filter(|key| limits(key)).cloned());
        }
    }

    /// How many were cut, and what to raise, if that is not the odd one.
    pub(super) fn in_words(&self) -> Option<String> {
        if self.cuts.saturating_mul(ODD) <= self.statements {
            return None;
        }
        let cuts = text::grouped(self.cuts);
        let all = text::count(self.statements, "statement");
        let limits: Vec<String> = self.limits.iter().map(|key| format!("`{key}`")).collect();
        let raise = match limits.as_slice() {
            [] => format!("`{OF_SPEAKERS}`"),
            limits => {
                format!("{} (and `{OF_SPEAKERS}`, where that is less)", text::joined(limits, "or"))
            }
        };
        Some(format!("{cuts} of {all} cut at the limit: raise {raise}"))
    }
}

/// The models that used up the room for their words with thoughts, which a higher limit does not help.
fn thinkers(trace: &Trace) -> BTreeSet<String> {
    let all = trace.incidents.iter().filter(|it| it.kind == IncidentKind::Thinking);
    let call = |name: &String| trace.calls.iter().find(|call| call.call == *name);
    let calls = all.filter_map(|incident| call(incident.call.as_ref()?));
    calls.map(|call| call.model.clone()).collect()
}

/// Whether a setting limits what speakers say in their turns.
fn limits(key: &str) -> bool {
    let of_turns = [
        "max_tokens_per_response",
        "max_statement_tokens",
        "opening_max_tokens",
        "argument_max_tokens",
        "closing_max_tokens",
        "time_limit_seconds",
    ];
    of_turns.contains(&key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn k8b_statements_that_are_cut_everywhere_are_told_with_the_limit_to_raise() {
        let cuts = |statements, cuts, limits: &[&str]| {
            let limits = limits.iter().map(|key| (*key).to_owned()).collect();
            let cuts = StatementCuts { statements, cuts, limits };
            cuts.in_words()
        };
        assert_eq!(cuts(8, 2, &["max_tokens_per_response"]), None);
        assert_eq!(cuts(0, 0, &[]), None);
        let told = "24 of 24 statements cut at the limit: raise `max_tokens_per_response` (and `max_tokens`, where that is less)";
        assert_eq!(cuts(24, 24, &["max_tokens_per_response"]).as_deref(), Some(told));
        let told = "1 of 1 statement cut at the limit: raise `max_tokens`";
        assert_eq!(cuts(1, 1, &[]).as_deref(), Some(told));
    }
}
