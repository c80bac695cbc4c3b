//! What happened on the way, as `summary.md` shows it: interruptions, checked claims, replies that were not taken.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::place;
use crate::event::{Claim, FactCheck, Interjection, InterjectionCause, Rejection};
use crate::trace::Trace;

pub(super) fn interjection(trace: &Trace, i: &Interjection) -> Value {
    let about = trace.statements.iter().find(|s| s.n == i.about);
    let cause = match i.cause {
        InterjectionCause::Rule => "a broken rule",
        InterjectionCause::Fact => "a false claim",
    };
    json!({
        "place": about.map(place::heading),
        "by": trace.name_of(&i.by.id),
        "speaker": trace.name_of(&i.speaker),
        "cause": cause,
        "point": i.point,
    })
}

/// The verdict that matters most to a reader.
const FALSE: &str = "false";
/// Claims that are shown; false ones always are.
const CLAIMS: usize = 12;

/// The claims that were checked, false ones first.
pub(super) struct Claims<'a> {
    trace: &'a Trace,
    claims: Vec<(&'a FactCheck, &'a Claim)>,
}

impl<'a> Claims<'a> {
    pub(super) fn of(trace: &'a Trace) -> Self {
        let of_check = |check: &'a FactCheck| check.claims.iter().map(move |claim| (check, claim));
        let mut claims: Vec<_> = trace.fact_checks.iter().flat_map(of_check).collect();
        claims.sort_by_key(|(_, claim)| claim.verdict != FALSE);
        Self { trace, claims }
    }

    /// The rows of a table and, by verdict, how many claims are not among them; `null` without any claim.
    pub(super) fn shown(&self) -> Option<Value> {
        let is_false = |(_, claim): &&(&FactCheck, &Claim)| claim.verdict == FALSE;
        let rows = CLAIMS.max(self.claims.iter().filter(is_false).count());
        let (shown, more) = self.claims.split_at(rows.min(self.claims.len()));
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for (_, claim) in more {
            *counts.entry(&claim.verdict).or_default() += 1;
        }
        let counts = counts.iter().map(|(verdict, n)| format!("{n} {verdict}"));
        (!shown.is_empty()).then(|| {
            json!({
                "rows": shown.iter().map(|(check, claim)| self.row(check, claim)).collect::<Vec<_>>(),
                "more": counts.collect::<Vec<_>>().join(", "),
            })
        })
    }

    fn row(&self, check: &FactCheck, claim: &Claim) -> Value {
        let said = self.trace.statements.iter().find(|s| s.n == check.about);
        json!({
            "n": format!("{:03}", check.about),
            "speaker": said.map(|s| self.trace.name_of(&s.by)),
            "claim": claim.claim,
            "verdict": claim.verdict,
            "reason": claim.reason,
            "followed": (claim.verdict == FALSE).then(|| self.followed(check, claim)),
        })
    }

    /// What followed from a false claim. Why it was only noted is said where the trace tells.
    fn followed(&self, check: &FactCheck, claim: &Claim) -> String {
        let mut about = self.trace.interjections.iter();
        let interruption = about.find(|i| i.about == check.about);
        let mut same = check.claims.iter().filter(|c| c.claim == claim.claim);
        let silent = self.trace.plan.settings.get("interruptions") == Some(&json!(false));
        match (interruption, same.find(|c| c.verdict != FALSE)) {
            (Some(i), _) if i.cause == InterjectionCause::Fact && i.point == claim.claim => {
                "interruption".to_owned()
            }
            (_, Some(other)) => format!("noted: called {} too", other.verdict),
            (Some(_), None) => "noted: the interruption was for something else".to_owned(),
            (None, None) if silent => "noted: the job wants no interruptions".to_owned(),
            (None, None) => "noted".to_owned(),
        }
    }
}

pub(super) fn rejection(trace: &Trace, r: &Rejection) -> Value {
    json!({"round": r.round, "by": trace.name_of(&r.by), "reasons": r.reasons.join("; ")})
}
