//! The table of calls: every attempt, with its tokens and times.

use serde_json::json;

use super::table::{Column, ExportTable, OfDebate, cells, column, model, names, with_debate};
use crate::event::Call;
use crate::trace::Trace;

/// One row an attempt.
pub(super) const TABLE: ExportTable = ExportTable {
    name: "calls",
    columns: || names(&columns()),
    rows: |debate| {
        let calls = (1..).zip(&debate.trace.calls);
        let row = |(n, call)| CallRow {
            trace: debate.trace,
            n,
            call,
        };
        cells(&columns(), calls.map(row))
    },
};

struct CallRow<'t> {
    trace: &'t Trace,
    n: u64,
    call: &'t Call,
}

impl OfDebate for CallRow<'_> {
    fn trace(&self) -> &Trace {
        self.trace
    }
}

fn columns<'t>() -> Vec<Column<CallRow<'t>>> {
    with_debate(vec![
        column("n", |r: &CallRow<'_>| json!(r.n)),
        column("call", |r| json!(r.call.call)),
        column("attempt", |r| json!(r.call.attempt)),
        column("purpose", |r| json!(r.call.purpose)),
        column("participant", |r| json!(r.call.by)),
        column("model", |r| model(Some(&r.call.model))),
        column("outcome", |r| json!(r.call.outcome)),
        column("seed", |r| json!(r.call.seed)),
        column("prompt_tokens", |r| json!(r.call.prompt_tokens)),
        column("reply_tokens", |r| json!(r.call.reply_tokens)),
        column("prompt_ms", |r| json!(r.call.prompt_ms)),
        column("reply_ms", |r| json!(r.call.reply_ms)),
        column("load_ms", |r| json!(r.call.load_ms)),
        column("ended_at", |r| json!(r.call.at)),
    ])
}
