//! Two debates beside each other: what they differ in, what each came to, and what was said part by part.

use std::collections::BTreeSet;
use std::sync::Arc;

use axum::extract::{Query, State};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::app::App;
use super::debate::{Known, NONE, known};
use super::index::Index;
use super::index::row::{Row, listed};
use super::respond::{Answer, answer_aside, missing, page as answer};
use crate::artifacts::page::{self, Pages};
use crate::artifacts::statement_place;
use crate::event::{Phase, Statement};
use crate::job::participant::role_of;
use crate::job::profile_of;
use crate::plan::{ARM, in_words, is_of_side};
use crate::trace::{Trace, TraceParticipant};

/// Stands where one has no such setting.
const NO_VALUE: &str = "–";
/// Partners that are offered.
const OFFERED: usize = 50;

/// Which two.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Pair {
    a: String,
    b: String,
}

pub(super) async fn page(State(app): State<App>, Query(pair): Query<Pair>) -> Answer {
    if pair.b.is_empty() {
        return answer_aside(move || partners(&app, &pair.a)).await;
    }
    let found = [known(&app, &pair.a).await, known(&app, &pair.b).await];
    answer_aside(move || {
        let traces = found.each_ref().map(|it| it.as_ref()?.trace());
        let [Some(a), Some(b)] = traces else { return missing(&app, NONE) };
        let context = json!({
            "title": "Two debates",
            "sides": [side(&pair.a, a), side(&pair.b, b)],
            "heads": heads(&found, [a, b]),
            "differences": differences(a, b),
            "rounds": rounds(a, b),
        });
        answer(&app, "view/compare.html.j2", &[], context)
    })
    .await
}

/// The debates that one can be compared with: those that differ in one setting first.
fn partners(app: &App, id: &str) -> Answer {
    let Some(row) = app.row(id) else {
        return missing(app, "No such debate, or it is unfinished.");
    };
    let offered = listed(&app.index(|index| offered(index, &row)));
    let context = json!({"title": "Compare", "of": row.shown(), "rows": offered});
    answer(app, "view/partners.html.j2", &[], context)
}

fn offered(index: &Index, of: &Row) -> Vec<Arc<Row>> {
    let others = index.newest(None).filter(|row| row.id != of.id && row.format == of.format);
    let is_of_job = |row: &Row| row.job == of.job && !of.job.is_empty();
    let alike = others.filter(|row| row.topic == of.topic || is_of_job(row));
    let mut all: Vec<(usize, &Arc<Row>)> = alike.map(|row| (distance(of, row), row)).collect();
    all.sort_by_key(|(distance, _)| *distance);
    all.into_iter().take(OFFERED).map(|(_, row)| row.clone()).collect()
}

/// In how many settings of their matrix two debates differ; more than any where they come from different ones.
fn distance(one: &Row, other: &Row) -> usize {
    if one.cell.is_empty() || other.cell.is_empty() {
        return usize::MAX;
    }
    let differ = differing(&one.cell(), &other.cell()).count();
    differ + if one.job == other.job { 0 } else { 1000 }
}

/// What stands over the columns: `First: run 2`, or `First` where nothing short tells the two apart. Of a debate that goes on,
/// only its run is told.
fn heads(found: &[Option<Known>; 2], traces: [&Trace; 2]) -> [String; 2] {
    let row = |known: &Option<Known>| match known {
        Some(Known::Finished(_, row)) => Some(Arc::clone(row)),
        _ => None,
    };
    let rows: Vec<Arc<Row>> = found.iter().filter_map(row).collect();
    let told = if rows.len() == 2 { listed(&rows) } else { Vec::new() };
    let runs = traces.map(|trace| trace.plan.pairing.repetition);
    std::array::from_fn(|at| {
        let run = || (runs[0] != runs[1]).then(|| format!("run {}", runs[at]));
        let which = told.get(at).and_then(|row| row["which"].as_str()).map(str::to_owned);
        let which = which.filter(|which| !which.is_empty()).or_else(run);
        let head = ["First", "Second"][at];
        which.map_or_else(|| head.to_owned(), |which| format!("{head}: {which}"))
    })
}

fn side(id: &str, trace: &Trace) -> Value {
    json!({
        "href": format!("/d/{id}"),
        "topic": trace.topic,
        "outcome": trace.line().unwrap_or_else(|| "not finished".to_owned()),
        "rehearsal": trace.rehearsal,
        "scored": if profile_of(&trace.format).team.is_some() { "Mean score per round" } else { "Score" },
        "points": scores(trace),
    })
}

/// Who has which score. Where judges replace their own debater, the other side has none: its points are knockouts.
fn scores(trace: &Trace) -> Vec<Value> {
    let team = profile_of(&trace.format).team;
    let points = trace.outcome.iter().flat_map(|outcome| &outcome.points);
    let scored = points.filter(|(by, _)| team.is_none_or(|team| role_of(by) == team));
    scored.map(|(by, points)| json!({"name": trace.name_of(by), "points": points})).collect()
}

/// What the settings of the two differ in: what the matrix assigned, and who took part how, by name.
fn differences(a: &Trace, b: &Trace) -> Vec<Value> {
    let cast = rows(&cast(a, b), &cast(b, a), |key| cast_label(a, b, key));
    let told: BTreeSet<[String; 2]> = cast.iter().map(|row| row.values.clone()).collect();
    let mut others = rows(&settings(a), &settings(b), str::to_owned);
    // A matrix assigns models and personas, too. Where the same took other seats, only what that makes of them differs.
    let is_of_cast = |path: &str| path.ends_with(".model") || path.ends_with(".persona");
    let names =
        [a, b].map(|trace| trace.participants.iter().map(|p| &p.name).collect::<BTreeSet<_>>());
    others.retain(|row| !is_of_cast(&row.key) || !told.contains(&row.values));
    others.retain(|row| !is_of_side(&row.key, true) || names[0] != names[1]);
    let others = others.into_iter().map(Difference::in_words);
    let all = others.chain(cast).chain(first_speakers(a, b));
    all.map(|Difference { key, values }| json!({"key": key, "a": values[0], "b": values[1]}))
        .collect()
}

/// A setting with its values in both.
struct Difference {
    key: String,
    values: [String; 2],
}

impl Difference {
    /// The same of a path of the matrix for people.
    fn in_words(self) -> Self {
        let Self { key, values } = self;
        let word = |value: String| match key.as_str() {
            "swap" | ARM if value != NO_VALUE => in_words(&key, &value),
            _ => value,
        };
        Self { values: values.map(word), key: key.replace(['.', '_'], " ") }
    }
}

fn rows(
    a: &Map<String, Value>,
    b: &Map<String, Value>,
    label: impl Fn(&str) -> String,
) -> Vec<Difference> {
    let value = |of: &Map<String, Value>, key: &str| match of.get(key) {
        None => NO_VALUE.to_owned(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    };
    let row = |key: &String| Difference { key: label(key), values: [value(a, key), value(b, key)] };
    differing(a, b).map(row).collect()
}

/// Who made the first argument, where somebody did in one debate and argued later in the other.
fn first_speakers(a: &Trace, b: &Trace) -> Option<Difference> {
    let both = [a, b].map(|trace| trace.participants.iter().find(|p| p.spoke_first));
    let both = [both[0]?, both[1]?];
    let spoke_first = |trace: &Trace, name: &str| {
        let own = trace.participants.iter().find(|p| p.contestant && p.name == name);
        own.map(|p| p.spoke_first)
    };
    let has_moved = both.iter().any(|who| {
        let places = [a, b].map(|trace| spoke_first(trace, &who.name));
        places[0].zip(places[1]).is_some_and(|(one, other)| one != other)
    });
    let values = both.map(|p| format!("{} ({})", p.name, model_of(p)));
    has_moved.then(|| Difference { key: "speaks first".to_owned(), values })
}

/// The model it was to speak through.
fn model_of(p: &TraceParticipant) -> &str {
    p.sampling.get("model").and_then(Value::as_str).unwrap_or_default()
}

/// `Commuter: model`, or with both names where another took the same part.
fn cast_label(a: &Trace, b: &Trace, key: &str) -> String {
    let (who, what) = key.rsplit_once(": ").unwrap_or((key, ""));
    let names = [a, b]
        .map(|trace| trace.participants.iter().find(|p| p.name == who || p.id == who))
        .map(|found| found.map(|p| &*p.name));
    match names {
        [Some(one), Some(other)] if one != other => format!("{one} / {other}: {what}"),
        [Some(name), _] | [None, Some(name)] => format!("{name}: {what}"),
        [None, None] => key.to_owned(),
    }
}

/// The names of which the two have other values, in order.
fn differing<'v>(
    a: &'v Map<String, Value>,
    b: &'v Map<String, Value>,
) -> impl Iterator<Item = &'v String> {
    let keys: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
    keys.into_iter().filter(|key| a.get(*key) != b.get(*key))
}

fn settings(trace: &Trace) -> Map<String, Value> {
    let mut all = trace.plan.pairing.cell.clone();
    all.insert("topic".to_owned(), json!(trace.topic));
    all.insert("format".to_owned(), json!(trace.format));
    all.insert("run".to_owned(), json!(trace.plan.pairing.repetition));
    all
}

/// The models, personas and positions of those who took part: by their names where the other debate has somebody of that name, whatever
/// their part in it, or else by their ids.
fn cast(trace: &Trace, other: &Trace) -> Map<String, Value> {
    let of = |p: &TraceParticipant| {
        let is_shared = other.participants.iter().any(|it| it.name == p.name);
        let who = if is_shared { &p.name } else { &p.id };
        let model = p.sampling.get("model").cloned().unwrap_or_default();
        let told =
            [("model", model), ("persona", json!(p.persona)), ("position", json!(p.position))];
        told.map(|(what, value)| (format!("{who}: {what}"), value))
    };
    trace.participants.iter().flat_map(of).collect()
}

/// The statements of both, round by round.
fn rounds<'t>(a: &'t Trace, b: &'t Trace) -> Vec<Value> {
    let parts = |trace: &'t Trace| trace.statements.iter().map(move |s| part(trace, s));
    let held: BTreeSet<Part<'_>> = parts(a).chain(parts(b)).collect();
    let pages = [Pages::of(a), Pages::of(b)];
    let shown = |part| {
        let sides = [said(a, &pages[0], part), said(b, &pages[1], part)];
        json!({"title": title(part), "is_same": is_same(&sides), "sides": sides})
    };
    held.into_iter().map(shown).collect()
}

/// Whether in both the same was said by the same.
fn is_same([a, b]: &[Vec<Value>; 2]) -> bool {
    let said = |all: &[Value]| Vec::from_iter(all.iter().map(|s| json!([s["name"], s["text"]])));
    said(a) == said(b)
}

/// Where a statement belongs: to a round, or else to a phase before or after all.
type Part<'a> = (u32, Option<&'a Phase>);

fn part<'t>(trace: &'t Trace, s: &'t Statement) -> Part<'t> {
    let phase = statement_place::phase_of(trace, s);
    let is_last = [Phase::CLOSING, Phase::SUMMARY].contains(phase);
    match statement_place::filed_under(trace, s).filter(|round| *round > 0) {
        Some(round) => (round, None),
        None if is_last => (u32::MAX, Some(phase)),
        None => (0, Some(phase)),
    }
}

fn title((round, phase): Part<'_>) -> String {
    phase.map_or_else(|| format!("Round {round}"), Phase::title)
}

fn said(trace: &Trace, pages: &Pages<'_>, of: Part<'_>) -> Vec<Value> {
    let own = trace.statements.iter().filter(|s| part(trace, s) == of);
    own.map(|s| json!({"n": format!("{:03}", s.n), "page": pages.address_of(s.n), "name": trace.name_of(&s.by), "side": page::side(trace, &s.by), "model": s.model, "text": s.text}))
        .collect()
}
