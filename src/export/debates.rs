//! The table of debates: end, usage, matrix values.

use serde_json::{Value, json};

use super::table::{Column, ExportTable, cells, column, model, names, with_debate};
use crate::clock;
use crate::event::{CallSums, Gaps, Outcome, Use};
use crate::trace::Trace;
use statistics::groups::tally;

/// One row per debate.
pub(super) const TABLE: ExportTable = ExportTable {
    name: "debates",
    columns: || names(&columns()),
    rows: |debate| cells(&columns(), debate.trace, [debate.path]),
};

/// The columns of a debate and its path.
fn columns<'t>() -> Vec<Column<&'t str>> {
    with_debate(vec![
        // How it ended.
        column("path", |_, path| json!(path)),
        column("status", |t, _| json!(t.status)),
        column("cause", |t, _| json!(t.cause)),
        column("winner", |t, _| of_outcome(t, |o| json!(o.winner))),
        column("outcome", |t, _| of_outcome(t, |o| json!(o.line))),
        column("decided_by", |t, _| of_outcome(t, |o| json!(o.decided_by))),
        column("points", |t, _| of_outcome(t, |o| json!(o.points))),
        column("final_text", |t, _| of_outcome(t, |o| json!(o.final_text))),
        column("rating", |t, _| json!(t.rating())),
        // How long it took and what it used.
        column("started_at", |t, _| json!(clock::text(t.started_at))),
        column("ended_at", |t, _| json!(clock::text(t.ended_at))),
        column("wall_ms", |t, _| json!(t.timing.total_ms)),
        column("model_ms", |t, _| json!(t.timing.model_ms)),
        column("rounds", |t, _| json!(t.rounds_held())),
        column("statements", |t, _| json!(t.statements.len())),
        column("rotations", |t, _| json!(t.rotations.iter().filter(|r| r.rotated).count())),
        column("replies", |t, _| total(t, |used| used.calls)),
        column("failures", |t, _| total(t, |used| used.failures)),
        column("prompt_tokens", |t, _| tokens(t, |used| used.prompt_tokens, |of| of.prompts)),
        column("reply_tokens", |t, _| tokens(t, |used| used.reply_tokens, |of| of.replies)),
        column("incidents", |t, _| json!(t.incidents.len())),
        column("incident_kinds", |t, _| {
            json!(tally(t.incidents.iter().map(|i| i.kind.to_string())))
        }),
        // The plan.
        column("query", |t, _| json!(t.plan.query)),
        column("participants", |t, _| participants(t)),
        column("arm", |t, _| json!(t.plan.arm)),
        column("repetition", |t, _| json!(t.plan.pairing.repetition)),
        column("seed", |t, _| json!(t.plan.seed)),
        column("tags", |t, _| json!(t.tags)),
        column("cell", |t, _| json!(t.plan.pairing.cell)),
        column("inputs", |t, _| json!(t.plan.inputs)),
        column("rebut", |t, _| json!(t.rebut)),
    ])
}

fn of_outcome(trace: &Trace, value: fn(&Outcome) -> Value) -> Value {
    trace.outcome.as_ref().map_or(Value::Null, value)
}

fn total(trace: &Trace, value: fn(&Use) -> u64) -> Value {
    json!(trace.usage.by_purpose.values().map(value).sum::<u64>())
}

/// A sum of tokens, unless a server left out a count: then it is not known.
fn tokens(trace: &Trace, value: fn(&Use) -> u64, missing: fn(&Gaps) -> u64) -> Value {
    match missing(&CallSums::of(&trace.calls).gaps) {
        0 => total(trace, value),
        _ => Value::Null,
    }
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
