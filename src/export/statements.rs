//! The table of statements: everything that stands on the record.

use serde_json::{Value, json};

use super::table::{Column, ExportTable, OfDebate, cells, column, model, names, with_debate};
use crate::artifacts::place;
use crate::event::Statement;
use crate::trace::{Trace, TraceParticipant};

/// One row a statement.
pub(super) const TABLE: ExportTable = ExportTable {
    name: "statements",
    columns: || names(&columns()),
    rows: |debate| {
        cells(
            &columns(),
            debate.trace.statements.iter().map(|s| row(debate.trace, s)),
        )
    },
};

struct StatementRow<'t> {
    trace: &'t Trace,
    statement: &'t Statement,
    /// Who made it; nobody where the text is ours.
    speaker: Option<&'t TraceParticipant>,
}

impl OfDebate for StatementRow<'_> {
    fn trace(&self) -> &Trace {
        self.trace
    }
}

fn row<'t>(trace: &'t Trace, statement: &'t Statement) -> StatementRow<'t> {
    let mut participants = trace.participants.iter();
    let speaker = participants.find(|p| p.id == statement.by);
    StatementRow {
        trace,
        statement,
        speaker,
    }
}

fn columns<'t>() -> Vec<Column<StatementRow<'t>>> {
    let mut columns = who();
    columns.extend(what());
    with_debate(columns)
}

/// When it was made and by whom.
fn who<'t>() -> Vec<Column<StatementRow<'t>>> {
    vec![
        column("n", |r| json!(r.statement.n)),
        column("phase", |r| json!(r.statement.phase)),
        column("round", |r| json!(place::round_of(r.trace, r.statement))),
        column("speaker", |r| json!(r.statement.by)),
        column("name", |r| json!(r.trace.name_of(&r.statement.by))),
        column("position", |r| of_speaker(r, |p| json!(p.position))),
        column("persona", |r| of_speaker(r, |p| json!(p.persona))),
        column("contestant", |r| of_speaker(r, |p| json!(p.contestant))),
    ]
}

/// What was said, and where it comes from.
fn what<'t>() -> Vec<Column<StatementRow<'t>>> {
    vec![
        column("model", |r| model(r.statement.model.as_deref())),
        column("origin", |r| json!(r.statement.origin)),
        column("cut", |r| json!(r.statement.cut)),
        column("tokens", |r| json!(r.statement.tokens)),
        column("tokens_estimated", |r| json!(r.statement.tokens_estimated)),
        column("text", |r| json!(r.statement.text)),
        column("gist", |r| json!(r.statement.gist)),
        column("objections", |r| json!(r.statement.objections)),
        column("thinking", |r| json!(r.statement.thinking)),
        column("call", |r| json!(r.statement.call)),
        column("attempt", |r| json!(r.statement.attempt)),
        column("said_at", |r| json!(r.statement.at)),
    ]
}

fn of_speaker(row: &StatementRow<'_>, value: fn(&TraceParticipant) -> Value) -> Value {
    row.speaker.map_or(Value::Null, value)
}
