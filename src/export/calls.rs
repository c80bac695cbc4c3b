//! The table of calls: every attempt, with its tokens and times.

use serde_json::json;

use super::table::{Column, ExportTable, cells, column, model, names, with_debate};
use crate::clock;
use crate::event::Call;

/// One row per attempt.
pub(super) const TABLE: ExportTable = ExportTable {
    name: "calls",
    columns: || names(&columns()),
    rows: |debate| {
        let calls = (1..).zip(&debate.trace.calls);
        cells(&columns(), debate.trace, calls)
    },
};

/// The columns of a call and its number, from 1.
fn columns<'t>() -> Vec<Column<(u64, &'t Call)>> {
    with_debate(vec![
        column("n", |_, (n, _)| json!(n)),
        column("call", |_, (_, c)| json!(c.call)),
        column("attempt", |_, (_, c)| json!(c.attempt)),
        column("purpose", |_, (_, c)| match c.known_purpose() {
            Some(purpose) => json!(purpose),
            None => json!(c.purpose),
        }),
        column("participant", |_, (_, c)| json!(c.by)),
        column("model", |_, (_, c)| model(Some(&c.model))),
        column("outcome", |_, (_, c)| json!(c.outcome)),
        column("seed", |_, (_, c)| json!(c.seed)),
        column("prompt_tokens", |_, (_, c)| json!(c.prompt_tokens)),
        column("reply_tokens", |_, (_, c)| json!(c.reply_tokens)),
        column("prompt_ms", |_, (_, c)| json!(c.prompt_ms)),
        column("reply_ms", |_, (_, c)| json!(c.reply_ms)),
        column("load_ms", |_, (_, c)| json!(c.load_ms)),
        column("ended_at", |_, (_, c)| json!(clock::text(c.at))),
    ])
}
