//! A verdict as `summary.md` shows it: means by contestant and criterion, and each judge's reasons.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::summary::{REASON, mean, weight};
use crate::event::{Reading, ReadingStatus, Verdict, VerdictJudge};
use crate::text;
use crate::trace::Trace;

pub(super) fn verdict(trace: &Trace, verdict: &Verdict) -> Value {
    let readings = || verdict.judges.iter().flat_map(|judge| &judge.readings);
    let valid: Vec<&Reading> = readings()
        .filter(|reading| reading.status == ReadingStatus::Valid)
        .collect();
    let contestants = contestants(trace, &valid);
    let table: Vec<(&str, BTreeMap<&str, Vec<f64>>)> = contestants
        .iter()
        .map(|id| (*id, scores_of(id, &valid)))
        .collect();
    let criteria: Vec<&str> = table
        .first()
        .map(|(_, scores)| scores.keys().copied().collect())
        .unwrap_or_default();
    let row = |(id, scores): &(&str, BTreeMap<&str, Vec<f64>>)| {
        let means = criteria
            .iter()
            .map(|name| mean(scores.get(name).into_iter().flatten().copied()));
        json!({
            "name": trace.name_of(id),
            "means": means.collect::<Vec<_>>(),
            "total": mean(valid.iter().filter_map(|reading| reading.totals.get(*id).copied())),
        })
    };
    json!({
        "valid": valid.len(),
        "scale": verdict.rubric.scale,
        "criteria": criteria.iter().map(|name| json!({"name": name, "weight": weight(trace, name)})).collect::<Vec<_>>(),
        "rows": table.iter().map(row).collect::<Vec<_>>(),
        "judges": verdict.judges.iter().map(|judge| reasons(trace, judge)).collect::<Vec<_>>(),
    })
}

/// Who was judged, in the order in which they take part.
fn contestants<'t>(trace: &'t Trace, valid: &[&Reading]) -> Vec<&'t str> {
    let ids = trace.participants.iter().map(|p| p.id.as_str());
    ids.filter(|id| valid.iter().any(|reading| reading.totals.contains_key(*id)))
        .collect()
}

/// A contestant's scores by criterion, one a valid reading.
fn scores_of<'r>(id: &'r str, valid: &[&'r Reading]) -> BTreeMap<&'r str, Vec<f64>> {
    let mut scores: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for (criterion, score) in valid.iter().flat_map(|reading| reading.scores_of(id)) {
        scores.entry(criterion).or_default().push(score);
    }
    scores
}

fn reasons(trace: &Trace, judge: &VerdictJudge) -> Value {
    let reading = judge.readings.first();
    let total = |(id, total): (&String, &f64)| json!({"name": trace.name_of(id), "total": total});
    json!({
        "judge": trace.name_of(&judge.judge.id),
        "status": reading.map(|r| r.status),
        "totals": reading.map(|r| r.totals.iter().map(total).collect::<Vec<_>>()),
        "marks": reading.map(|r| r.marks.iter().map(|(name, yes)| json!([name.replace('_', " "), yes])).collect::<Vec<_>>()),
        "reason": reading.map(|r| text::shorten(&r.reason, REASON)),
        "cause": reading.and_then(|r| r.cause.clone()),
    })
}
