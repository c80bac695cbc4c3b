//! The table of arguments: each point of the flow and its final status, as noted by the clerk.

use serde_json::{Value, json};

use super::table::{Column, ExportTable, cells, column, names, with_debate};
use crate::event::How;
use crate::flow::{Edge, FlowPoint};
use crate::trace::Trace;

/// One row per point.
pub(super) const TABLE: ExportTable = ExportTable {
    name: "flow",
    columns: || names(&columns()),
    rows: |debate| cells(&columns(), debate.trace, &debate.trace.flow.points),
};

/// Whose point it is, how it stood, and which statements answered, conceded, repeated or withdrew it.
fn columns<'t>() -> Vec<Column<&'t FlowPoint>> {
    with_debate(vec![
        column("point", |_, p| json!(p.id)),
        column("side", |_, p| json!(p.side)),
        column("speaker", |_, p| json!(p.by)),
        column("statement", |_, p| json!(p.statement)),
        column("text", |_, p| json!(p.text)),
        column("point_status", |_, p| json!(p.status)),
        column("faced", |_, p| json!(p.faced)),
        column("answered_in", |t, p| done(t, p, How::Full)),
        column("answered_with", answered_with),
        column("partly_answered_in", |t, p| done(t, p, How::Partial)),
        column("conceded_in", |t, p| done(t, p, How::Conceded)),
        column("defended_in", |t, p| done(t, p, How::Defended)),
        column("repeated_in", |t, p| done(t, p, How::Repeated)),
        column("withdrawn_in", |t, p| done(t, p, How::Withdrawn)),
    ])
}

/// The numbers of the statements that did this about a point.
fn done(trace: &Trace, point: &FlowPoint, how: How) -> Value {
    let edges = trace.flow.about(&point.id).filter(|edge| edge.how == how);
    edges.map(|edge| json!(edge.statement)).collect()
}

/// The points that it was answered with, in whole or in part.
fn answered_with(trace: &Trace, point: &&FlowPoint) -> Value {
    let is_answer = |edge: &&Edge| edge.how.is_reply();
    let edges = trace.flow.about(&point.id).filter(is_answer);
    edges.filter_map(|edge| edge.with.as_deref()).map(Value::from).collect()
}
