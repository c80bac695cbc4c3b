//! A verdict as `summary.md` shows it: means by contestant and criterion, and each judge's reasons.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::event::{Score, Verdict, VerdictJudge};
use crate::trace::{Trace, TraceParticipant};

pub(super) fn verdict(trace: &Trace, verdict: &Verdict) -> Value {
    let scores = verdict.scores();
    let criteria: BTreeSet<&String> = scores.values().flat_map(|s| s.breakdown.keys()).collect();
    // In the order in which they take part.
    let judged = trace
        .participants
        .iter()
        .filter_map(|p| Some((p, scores.get(&p.id)?)));
    let row = |(p, score): (&TraceParticipant, &Score)| {
        let means: Vec<Option<&f64>> = criteria.iter().map(|c| score.breakdown.get(*c)).collect();
        json!({"name": p.name, "means": means, "total": score.total})
    };
    json!({
        "valid": verdict.valid().count(),
        "scale": verdict.rubric.scale,
        "criteria": criteria.iter().map(|name| json!({"name": name, "weight": weight(trace, name)})).collect::<Vec<_>>(),
        "rows": judged.map(row).collect::<Vec<_>>(),
        "judges": verdict.judges.iter().map(|judge| reasons(trace, judge)).collect::<Vec<_>>(),
    })
}

fn reasons(trace: &Trace, judge: &VerdictJudge) -> Value {
    let reading = judge.readings.first();
    let total = |(id, total): (&String, &f64)| json!({"name": trace.name_of(id), "total": total});
    json!({
        "judge": trace.name_of(&judge.judge.id),
        "status": reading.map(|r| r.status),
        "totals": reading.map(|r| r.totals.iter().map(total).collect::<Vec<_>>()),
        "marks": reading.map(|r| r.marks.iter().map(|(name, yes)| json!([mark(name), yes])).collect::<Vec<_>>()),
        "reason": reading.map(|r| &r.reason),
        "cause": reading.and_then(|r| r.cause.clone()),
    })
}

/// A mark's name in words, as the facts of an outcome have it.
fn mark(name: &str) -> String {
    match name {
        "would_benefit_from_finetune" => "a good example to train on".to_owned(),
        other => other.replace('_', " "),
    }
}

pub(super) fn weight(trace: &Trace, criterion: &str) -> Value {
    let criteria = trace.plan.settings.get("criteria").unwrap_or(&Value::Null);
    criteria[criterion]["weight"].clone()
}
