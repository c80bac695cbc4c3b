//! The table of ballots: every judgment in a trace, one row for each contestant that it judges.

use serde_json::{Map, Value, json};

use super::table::{
    Column, Debate, ExportTable, OfDebate, cells, column, model, names, with_debate,
};
use crate::event::{
    Ballot, FactCheck, Interjection, InterjectionCause, Judge, Reading, Stance, Verdict,
    VerdictJudge,
};
use crate::trace::Trace;

/// One row a reading and contestant.
pub(super) const TABLE: ExportTable = ExportTable {
    name: "ballots",
    columns: || names(&columns()),
    rows: |debate| cells(&columns(), rows(debate)),
};

struct BallotRow<'t> {
    trace: &'t Trace,
    kind: &'static str,
    /// The round; none where the whole debate is judged.
    round: Option<u32>,
    judge: &'t Judge,
    reading: &'t Reading,
    /// Who is judged; nobody where a stance is taken.
    about: Option<&'t str>,
    more: BallotKind<'t>,
}

/// What only one kind of judgment has.
#[derive(Clone, Copy)]
enum BallotKind<'t> {
    Ballot(&'t Ballot),
    Verdict(&'t Verdict),
    Stance(&'t Stance),
    FactCheck(&'t FactCheck),
    Rule(&'t Interjection),
}

impl OfDebate for BallotRow<'_> {
    fn trace(&self) -> &Trace {
        self.trace
    }
}

/// All judgments: first those of the rounds, then those of the whole debate.
fn rows<'t>(debate: &Debate<'t>) -> Vec<BallotRow<'t>> {
    let trace = debate.trace;
    let ballots = trace.ballots.iter().map(|ballot| of_ballot(trace, ballot));
    let checks = trace.fact_checks.iter().map(|check| of_check(trace, check));
    // The judgment behind the correction of a false claim is the fact check's.
    let broken = |i: &&Interjection| i.cause == InterjectionCause::Rule;
    let rules = trace.interjections.iter().filter(broken);
    let rules = rules.map(|rule| of_rule(trace, rule));
    let stances = trace.stances.iter().map(|stance| of_stance(trace, stance));
    let verdicts = trace.verdicts.iter().flat_map(|v| of_verdict(trace, v));
    let of_rounds = ballots.chain(checks).chain(rules).chain(stances);
    of_rounds.chain(verdicts).collect()
}

fn of_ballot<'t>(trace: &'t Trace, ballot: &'t Ballot) -> BallotRow<'t> {
    BallotRow {
        trace,
        kind: "ballot",
        round: Some(ballot.round),
        judge: &ballot.by,
        reading: &ballot.reading,
        about: Some(&ballot.about),
        more: BallotKind::Ballot(ballot),
    }
}

fn of_check<'t>(trace: &'t Trace, check: &'t FactCheck) -> BallotRow<'t> {
    BallotRow {
        trace,
        kind: "fact_check",
        round: Some(check.round),
        judge: &check.by,
        reading: &check.reading,
        about: check.reading.order.first().map(String::as_str),
        more: BallotKind::FactCheck(check),
    }
}

fn of_rule<'t>(trace: &'t Trace, rule: &'t Interjection) -> BallotRow<'t> {
    let mut statements = trace.statements.iter();
    let statement = statements.find(|statement| statement.n == rule.about);
    BallotRow {
        trace,
        kind: "rule",
        round: statement.map(|statement| statement.round),
        judge: &rule.by,
        reading: &rule.reading,
        about: Some(&rule.speaker),
        more: BallotKind::Rule(rule),
    }
}

fn of_stance<'t>(trace: &'t Trace, stance: &'t Stance) -> BallotRow<'t> {
    BallotRow {
        trace,
        kind: "stance",
        round: Some(stance.round),
        judge: &stance.by,
        reading: &stance.reading,
        about: None,
        more: BallotKind::Stance(stance),
    }
}

fn of_verdict<'t>(trace: &'t Trace, verdict: &'t Verdict) -> impl Iterator<Item = BallotRow<'t>> {
    let row = move |judge: &'t VerdictJudge, reading: &'t Reading, about: &'t String| BallotRow {
        trace,
        kind: "verdict",
        round: None,
        judge: &judge.judge,
        reading,
        about: Some(about),
        more: BallotKind::Verdict(verdict),
    };
    let readings = verdict.judges.iter();
    let readings = readings.flat_map(|judge| judge.readings.iter().map(move |r| (judge, r)));
    readings.flat_map(move |(judge, reading)| {
        let about = reading.order.iter();
        about.map(move |about| row(judge, reading, about))
    })
}

fn columns<'t>() -> Vec<Column<BallotRow<'t>>> {
    let mut columns = who();
    columns.extend(what());
    columns.extend(how());
    with_debate(columns)
}

/// Who judges whom.
fn who<'t>() -> Vec<Column<BallotRow<'t>>> {
    vec![
        column("kind", |r| json!(r.kind)),
        column("source", |r| of_verdict_only(r, |v| json!(v.source))),
        column("round", |r| json!(r.round)),
        column("judge", |r| json!(r.judge.id)),
        column("judge_model", |r| model(r.judge.model.as_deref())),
        column("about", |r| json!(r.about)),
        column("statement", |r| json!(statement(r))),
        column("reading_order", |r| json!(r.reading.order)),
        column("place", |r| json!(place(r))),
    ]
}

/// What the judgment is.
fn what<'t>() -> Vec<Column<BallotRow<'t>>> {
    vec![
        column("status", |r| json!(r.reading.status)),
        column("keep", |r| match r.more {
            BallotKind::Ballot(ballot) => json!(ballot.keep),
            _ => Value::Null,
        }),
        column("stance", |r| of_stance_only(r, |s| json!(s.stance))),
        column("confidence", |r| of_stance_only(r, |s| json!(s.confidence))),
        column("moved_from", |r| of_stance_only(r, |s| json!(s.moved_from))),
        column("moved_by", |r| of_stance_only(r, |s| json!(s.moved_by))),
        column("weight", |r| of_stance_only(r, |s| json!(s.weight))),
        column("total", |r| {
            json!(r.about.and_then(|about| r.reading.totals.get(about)))
        }),
        column("scores", scores),
        column("marks", |r| json!(r.reading.marks)),
        column("winner", |r| of_verdict_only(r, |v| json!(v.winner))),
        column("claims", |r| match r.more {
            BallotKind::FactCheck(check) => json!(check.claims),
            _ => Value::Null,
        }),
        column("rule", |r| match r.more {
            BallotKind::Rule(rule) => json!(rule.point),
            _ => Value::Null,
        }),
        column("reason", |r| json!(reason(r))),
        column("cause", |r| json!(r.reading.cause)),
    ]
}

/// How it was asked for.
fn how<'t>() -> Vec<Column<BallotRow<'t>>> {
    vec![
        column("call", |r| json!(r.reading.call)),
        column("attempts", |r| json!(r.reading.attempts)),
        column("seed", |r| json!(r.reading.seed)),
        column("prompt_tokens", |r| json!(r.reading.tokens.prompt)),
        column("reply_tokens", |r| json!(r.reading.tokens.reply)),
    ]
}

fn of_verdict_only(row: &BallotRow<'_>, value: fn(&Verdict) -> Value) -> Value {
    match row.more {
        BallotKind::Verdict(verdict) => value(verdict),
        _ => Value::Null,
    }
}

fn of_stance_only(row: &BallotRow<'_>, value: fn(&Stance) -> Value) -> Value {
    match row.more {
        BallotKind::Stance(stance) => value(stance),
        _ => Value::Null,
    }
}

fn reason<'r>(row: &'r BallotRow<'_>) -> &'r str {
    row.about
        .map_or(&row.reading.reason, |id| row.reading.reason_on(id))
}

/// The number of the statement that was checked.
fn statement(row: &BallotRow<'_>) -> Option<u32> {
    match row.more {
        BallotKind::FactCheck(check) => Some(check.about),
        BallotKind::Rule(rule) => Some(rule.about),
        _ => None,
    }
}

/// Where the judged one stood in the order in which the judge saw them, from 1.
fn place(row: &BallotRow<'_>) -> Option<usize> {
    let order = &row.reading.order;
    let at = order.iter().position(|id| Some(id.as_str()) == row.about)?;
    Some(at + 1)
}

/// The scores of the judged one alone, by criterion.
fn scores(row: &BallotRow<'_>) -> Value {
    let of_it = row
        .about
        .into_iter()
        .flat_map(|id| row.reading.scores_of(id));
    let named = of_it.map(|(criterion, score)| (criterion.to_owned(), json!(score)));
    Value::Object(named.collect::<Map<_, _>>())
}
