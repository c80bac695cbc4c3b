//! The table of ballots: every judgment in a trace, one row per contestant judged.

use serde_json::{Map, Value, json};

use super::table::{Column, ExportTable, cells, column, model, names, with_debate};
use crate::event::{Interjection, InterjectionCause, Judge, Reading, Verdict};
use crate::trace::Trace;

/// One row per reading and contestant.
pub(super) const TABLE: ExportTable = ExportTable {
    name: "ballots",
    columns: || names(&columns()),
    rows: |debate| cells(&columns(), debate.trace, rows(debate.trace)),
};

struct BallotRow<'t> {
    kind: &'static str,
    /// The round; none if the whole debate is judged.
    round: Option<u32>,
    judge: &'t Judge,
    reading: &'t Reading,
    /// Who is judged; nobody where a stance is taken.
    about: Option<&'t str>,
    /// What only this kind of judgment has, by column.
    own: Vec<(&'static str, Value)>,
}

impl BallotRow<'_> {
    fn own(&self, column: &str) -> Value {
        let found = self.own.iter().find(|(name, _)| *name == column);
        found.map_or(Value::Null, |(_, value)| value.clone())
    }
}

/// All judgments: first those of the rounds, then those of the whole debate.
fn rows(trace: &Trace) -> Vec<BallotRow<'_>> {
    let mut rows = of_rounds(trace);
    rows.extend(trace.verdicts.iter().flat_map(of_verdict));
    rows
}

fn of_rounds(trace: &Trace) -> Vec<BallotRow<'_>> {
    let row = |kind, round, judge, reading, about, own| BallotRow {
        kind,
        round,
        judge,
        reading,
        about,
        own,
    };
    let ballots = trace.ballots.iter().map(|b| {
        let (about, own) = (Some(&*b.about), vec![("keep", json!(b.keep))]);
        row("ballot", Some(b.round), &b.by, &b.reading, about, own)
    });
    let checks = trace.fact_checks.iter().map(|c| {
        let own = vec![("statement", json!(c.about)), ("claims", json!(c.claims))];
        let about = c.reading.order.first().map(String::as_str);
        row("fact_check", Some(c.round), &c.by, &c.reading, about, own)
    });
    // The judgment behind the correction of a false claim is the fact check's.
    let broken = |i: &&Interjection| i.cause == InterjectionCause::Rule;
    let rules = trace.interjections.iter().filter(broken).map(|r| {
        let own = vec![("statement", json!(r.about)), ("rule", json!(r.point))];
        let round = trace.statements.iter().find(|s| s.n == r.about).map(|s| s.round);
        row("rule", round, &r.by, &r.reading, Some(&*r.speaker), own)
    });
    let stances = trace.stances.iter().map(|s| {
        let own = vec![
            ("stance", json!(s.stance)),
            ("confidence", json!(s.confidence)),
            ("moved_from", json!(s.moved_from)),
            ("moved_by", json!(s.moved_by)),
            ("weight", json!(s.weight)),
        ];
        row("stance", Some(s.round), &s.by, &s.reading, None, own)
    });
    ballots.chain(checks).chain(rules).chain(stances).collect()
}

fn of_verdict(verdict: &Verdict) -> impl Iterator<Item = BallotRow<'_>> {
    let own = [("source", json!(verdict.source)), ("winner", json!(verdict.winner))];
    let judges = verdict.judges.iter();
    let readings = judges.flat_map(|judge| judge.readings.iter().map(move |r| (judge, r)));
    let each = readings.flat_map(|(judge, r)| r.order.iter().map(move |about| (judge, r, about)));
    each.map(move |(judge, reading, about)| BallotRow {
        kind: "verdict",
        round: None,
        judge: &judge.judge,
        reading,
        about: Some(about),
        own: own.to_vec(),
    })
}

fn columns<'t>() -> Vec<Column<BallotRow<'t>>> {
    with_debate(vec![
        // Who judges whom.
        column("kind", |_, r| json!(r.kind)),
        column("source", |_, r| r.own("source")),
        column("round", |_, r| json!(r.round)),
        column("judge", |_, r| json!(r.judge.id)),
        column("judge_model", |_, r| model(r.reading.model(r.judge))),
        column("about", |_, r| json!(r.about)),
        column("statement", |_, r| r.own("statement")),
        column("reading_order", |_, r| json!(r.reading.order)),
        column("place", |_, r| json!(place(r))),
        // What the judgment is.
        column("status", |_, r| json!(r.reading.status)),
        column("keep", |_, r| r.own("keep")),
        column("stance", |_, r| r.own("stance")),
        column("confidence", |_, r| r.own("confidence")),
        column("moved_from", |_, r| r.own("moved_from")),
        column("moved_by", |_, r| r.own("moved_by")),
        column("weight", |_, r| r.own("weight")),
        column("total", |_, r| json!(r.about.and_then(|about| r.reading.totals.get(about)))),
        column("scores", |_, r| scores(r)),
        column("marks", |_, r| json!(r.reading.marks)),
        column("winner", |_, r| r.own("winner")),
        column("claims", |_, r| r.own("claims")),
        column("rule", |_, r| r.own("rule")),
        column("reason", |_, r| json!(reason(r))),
        column("turns", |_, r| json!(cited(r))),
        column("cause", |_, r| json!(r.reading.cause)),
        // How it was asked for.
        column("call", |_, r| json!(r.reading.call)),
        column("attempts", |_, r| json!(r.reading.attempts)),
        column("seed", |_, r| json!(r.reading.seed)),
        column("prompt_tokens", |_, r| known(r.reading.tokens.prompt)),
        column("reply_tokens", |_, r| known(r.reading.tokens.reply)),
    ])
}

/// Tokens that somebody counted.
fn known(tokens: u64) -> Value {
    json!((tokens > 0).then_some(tokens))
}

fn reason<'r>(row: &'r BallotRow<'_>) -> &'r str {
    row.about.map_or(&*row.reading.reason, |id| row.reading.reason_on(id))
}

/// The statements that the reasons cite.
fn cited<'r>(row: &'r BallotRow<'_>) -> &'r [u32] {
    row.about.and_then(|id| row.reading.reasons.get(id)).map_or(&[], |reason| &reason.turns)
}

/// Where the judged one stood in the order in which the judge saw them, from 1.
fn place(row: &BallotRow<'_>) -> Option<usize> {
    let order = &row.reading.order;
    let at = order.iter().position(|id| Some(id.as_str()) == row.about)?;
    Some(at + 1)
}

/// The scores of the judged one alone, by criterion.
fn scores(row: &BallotRow<'_>) -> Value {
    let own = row.about.into_iter().flat_map(|id| row.reading.scores_of(id));
    let named = own.map(|(criterion, score)| (criterion.to_owned(), json!(score)));
    Value::Object(named.collect::<Map<_, _>>())
}
