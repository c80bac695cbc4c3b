//! The table of debates: how each ended, what it used, what was varied.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::table::{Column, Debate, ExportTable, cells, column, model, names, with_debate};
use crate::event::{Outcome, Use};
use crate::trace::Trace;

/// One row a debate.
pub(super) const TABLE: ExportTable = ExportTable {
    name: "debates",
    columns: || names(&columns()),
    rows: |debate| {
        let Debate { trace, path } = *debate;
        cells(&columns(), [Debate { trace, path }])
    },
};

fn columns<'t>() -> Vec<Column<Debate<'t>>> {
    let mut columns = ended();
    columns.extend(used());
    columns.extend(planned());
    with_debate(columns)
}

/// How it ended.
fn ended<'t>() -> Vec<Column<Debate<'t>>> {
    vec![
        column("path", |d| json!(d.path)),
        column("status", |d| json!(d.trace.status)),
        column("cause", |d| json!(d.trace.cause)),
        column("winner", |d| of_outcome(d, |o| json!(o.winner))),
        column("outcome", |d| of_outcome(d, |o| json!(o.line))),
        column("decided_by", |d| of_outcome(d, |o| json!(o.decided_by))),
        column("points", |d| of_outcome(d, |o| json!(o.points))),
        column("final_text", |d| of_outcome(d, |o| json!(o.final_text))),
        column("rating", |d| rating(d.trace)),
    ]
}

/// How long it took and what it used.
fn used<'t>() -> Vec<Column<Debate<'t>>> {
    vec![
        column("started_at", |d| json!(d.trace.started_at)),
        column("ended_at", |d| json!(d.trace.ended_at)),
        column("wall_ms", |d| json!(d.trace.timing.total_ms)),
        column("model_ms", |d| json!(d.trace.timing.model_ms)),
        column("rounds", |d| json!(d.trace.rounds_held())),
        column("statements", |d| json!(d.trace.statements.len())),
        column("rotations", |d| {
            json!(d.trace.rotations.iter().filter(|r| r.rotated).count())
        }),
        column("replies", |d| total(d.trace, |used| used.calls)),
        column("failures", |d| total(d.trace, |used| used.failures)),
        column("prompt_tokens", |d| {
            total(d.trace, |used| used.prompt_tokens)
        }),
        column("reply_tokens", |d| total(d.trace, |used| used.reply_tokens)),
        column("incidents", |d| json!(d.trace.incidents.len())),
        column("incident_kinds", |d| kinds(d.trace)),
    ]
}

/// What was planned.
fn planned<'t>() -> Vec<Column<Debate<'t>>> {
    vec![
        column("query", |d| json!(d.trace.plan.query)),
        column("participants", |d| participants(d.trace)),
        column("arm", |d| json!(d.trace.plan.arm)),
        column("repetition", |d| json!(d.trace.plan.pairing.repetition)),
        column("seed", |d| json!(d.trace.plan.seed)),
        column("tags", |d| json!(d.trace.tags)),
        column("cell", |d| json!(d.trace.plan.pairing.cell)),
        column("inputs", |d| json!(d.trace.plan.inputs)),
        column("rebut", |d| json!(d.trace.rebut)),
    ]
}

fn of_outcome(debate: &Debate<'_>, value: fn(&Outcome) -> Value) -> Value {
    debate.trace.outcome.as_ref().map_or(Value::Null, value)
}

/// The user's rating.
pub(super) fn rating(trace: &Trace) -> Value {
    let mut labels = trace.labels.iter();
    let rating = labels.find(|label| label.source == "user" && label.name == "rating");
    rating.map_or(Value::Null, |label| label.value.clone())
}

fn total(trace: &Trace, value: fn(&Use) -> u64) -> Value {
    json!(trace.usage.by_purpose.values().map(value).sum::<u64>())
}

fn kinds(trace: &Trace) -> Value {
    let mut kinds: BTreeMap<&str, u64> = BTreeMap::new();
    for incident in &trace.incidents {
        *kinds.entry(&incident.kind).or_default() += 1;
    }
    json!(kinds)
}

fn participants(trace: &Trace) -> Value {
    let one = |p: &crate::trace::TraceParticipant| {
        json!({
            "id": p.id,
            "name": p.name,
            "position": p.position,
            "persona": p.persona,
            "contestant": p.contestant,
            "model": model(p.models.first().map(|model| model.name.as_str())),
        })
    };
    trace.participants.iter().map(one).collect()
}
