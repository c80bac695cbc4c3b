//! The table of statements: everything on the record.

use serde_json::{Value, json};

use super::table::{Column, ExportTable, cells, column, model, names, with_debate};
use crate::artifacts::statement_place;
use crate::clock;
use crate::event::Statement;
use crate::trace::{Trace, TraceParticipant};

/// One row per statement.
pub(super) const TABLE: ExportTable = ExportTable {
    name: "statements",
    columns: || names(&columns()),
    rows: |debate| cells(&columns(), debate.trace, &debate.trace.statements),
};

/// When a statement was made and by whom, what was said, and where it comes from.
fn columns<'t>() -> Vec<Column<&'t Statement>> {
    with_debate(vec![
        column("n", |_, s| json!(s.n)),
        column("phase", |_, s| json!(s.phase)),
        column("round", |t, s| json!(statement_place::round_of(t, s))),
        column("speaker", |_, s| json!(s.by)),
        column("name", |t, s| json!(t.name_of(&s.by))),
        column("position", |t, s| of_speaker(t, s, |p| json!(p.position))),
        column("persona", |t, s| of_speaker(t, s, |p| json!(p.persona))),
        column("contestant", |t, s| of_speaker(t, s, |p| json!(p.contestant))),
        column("model", |_, s| model(s.model.as_deref())),
        column("origin", |_, s| json!(s.origin)),
        column("cut", |_, s| json!(s.cut)),
        column("tokens", |_, s| json!(s.tokens)),
        column("tokens_estimated", |_, s| json!(s.tokens_estimated)),
        column("text", |_, s| json!(s.text)),
        column("gist", |_, s| json!(s.gist)),
        column("objections", |_, s| json!(s.objections)),
        column("thinking", |_, s| json!(s.thinking)),
        column("call", |_, s| json!(s.call)),
        column("attempt", |_, s| json!(s.attempt)),
        column("said_at", |_, s| json!(clock::text(s.at))),
    ])
}

/// Something of who made a statement; nothing if the text is ours.
fn of_speaker(trace: &Trace, by: &Statement, value: fn(&TraceParticipant) -> Value) -> Value {
    trace.participants.iter().find(|p| p.id == by.by).map_or(Value::Null, value)
}
