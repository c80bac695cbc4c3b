//! The ledger of a dialectic, as `summary.md` shows it: each point with its answers and how it stands, and how the first
//! answer compares with the final one.

use std::sync::LazyLock;

use regex::Regex;
use serde::Serialize;
use serde_json::{Value, json};

use crate::artifacts::statement_place::number;
use crate::event::{How, Phase, Statement};
use crate::flow::Edge;
use crate::formats::dialectic::{
    self, Answer, Answered, Compared, Issue, MOST_LISTED, Point, Reading, Resolution,
};
use crate::text::{self, mentions};
use crate::trace::Trace;

/// Characters of what is wrong with a point where room is scarce: its first sentence alone may grant what the next disputes.
const CORE: usize = 240;
/// Characters of the words that it quotes.
const CLAIM: usize = 70;
/// Characters of the line that answers it.
const LINE: usize = 120;

/// The points of the skeptic as rows of a table; none in other formats.
pub(in crate::artifacts) fn rows(trace: &Trace) -> Vec<Value> {
    points(trace).map(|point| row(trace, &point)).collect()
}

/// The points of the skeptic, with all that is known of them.
pub(in crate::artifacts) fn points(trace: &Trace) -> impl Iterator<Item = Point> {
    dialectic::points(trace.outcome.as_ref())
}

/// Whether there are any.
pub(in crate::artifacts) fn is_kept(trace: &Trace) -> bool {
    points(trace).next().is_some()
}

/// A point by its core: so much of the words of the answer that it is about, and what is wrong with them.
fn core(point: &Point, most: usize) -> String {
    let fault = text::shorten(&text::unmarked(&point.issue.text), CORE);
    issue(point).quoting(most, fault)
}

/// A point in sentences: of one that is open, first what remains of it as the skeptic last saw it.
pub(in crate::artifacts) fn sentences(point: &Point) -> Vec<String> {
    let mut fault = text::split_sentences(&text::unmarked(&point.issue.text)).into_iter();
    let raised = issue(point).quoting(CLAIM, fault.next().unwrap_or_default());
    let remains = point.said_last().filter(|_| point.is_open());
    let remains = remains.map(|it| format!("What remains: {}", text::sentence(&it)));
    let first = if remains.is_some() { "First raised: " } else { "" };
    remains.into_iter().chain([format!("{first}{raised}")]).chain(fault).collect()
}

/// What a point raises. Of a claim that begins with a quotation, reading took the mark before it for the claim's own.
fn issue(point: &Point) -> Issue {
    let mut issue = point.issue.clone();
    let claim = issue.claim.take();
    issue.claim = claim.map(|claim| match claim.matches('"').count() % 2 {
        0 => claim,
        _ => format!("\"{claim}"),
    });
    issue
}

/// Whether the proposer had no turn left in which to reply.
pub(in crate::artifacts) fn is_late(trace: &Trace, point: &Point) -> bool {
    point.answers.is_empty() && point.round as usize == trace.rounds_held()
}

/// How the point behind a point of the flow stands.
pub(in crate::artifacts) fn behind(trace: &Trace, id: &str) -> Option<&'static str> {
    Some(stands(trace, &of_flow(trace, id)?))
}

/// What a table of arguments calls a point of the flow: a skeptic's points go by the numbers of its ledger.
pub(in crate::artifacts) fn name(trace: &Trace, id: &str) -> String {
    of_flow(trace, id).map_or_else(|| id.to_owned(), |point| format!("point {}", point.n))
}

/// What a statement does about a point of the flow, in the words of the ledger; nothing in other formats.
pub(in crate::artifacts) fn did(trace: &Trace, edge: &Edge) -> Option<&'static str> {
    let (point, said) = (of_flow(trace, &edge.at)?, trace.statement(edge.statement)?);
    let answer = point.answers.iter().find(|it| it.round == said.round);
    Some(match answer {
        _ if edge.how.is_own() => {
            dialectic::resolution(trace.outcome.as_ref(), point.n, said.round)?.word()
        }
        Some(it) => it.answer.word(),
        // A draft may mend what it says nothing about.
        None if edge.how == How::Partial => "fixed in part",
        None => "fixed",
    })
}

/// The points of the flow that a critique calls resolved. The flow has no move for it.
pub(in crate::artifacts) fn resolved_by<'t>(trace: &'t Trace, s: &Statement) -> Vec<&'t str> {
    if s.phase != Phase::new("critique") {
        return Vec::new();
    }
    let round = s.round;
    let called = |point: &Point| dialectic::resolution(trace.outcome.as_ref(), point.n, round);
    let all = points(trace).zip(&trace.flow.points);
    let resolved = all.filter(|(point, _)| called(point) == Some(Resolution::Resolved));
    resolved.map(|(_, point)| point.id.as_str()).collect()
}

/// The open points that a skeptic was given and said nothing of: `005, Skeptic: nothing on points 4 and 6, still open`.
pub(in crate::artifacts) fn passed_over(trace: &Trace) -> Vec<String> {
    let called = |it: &Point, round| dialectic::resolution(trace.outcome.as_ref(), it.n, round);
    let was_open = |it: &Point, round: u32| {
        let last = (it.round..round).rev().find_map(|round| called(it, round));
        it.round < round && last != Some(Resolution::Resolved)
    };
    let critiques = trace.statements.iter().filter(|s| is_critique(s));
    let told = critiques.filter_map(|s| {
        let mut open: Vec<Point> = points(trace).filter(|it| was_open(it, s.round)).collect();
        open.sort_by_key(|it| it.issue.severity);
        open.truncate(MOST_LISTED);
        open.retain(|it| called(it, s.round).is_none());
        let mut passed: Vec<u32> = open.iter().map(|it| it.n).collect();
        passed.sort_unstable();
        let points = if passed.len() == 1 { "point" } else { "points" };
        let passed = text::if_any(text::joined(passed.iter().map(u32::to_string), "and"))?;
        let (n, name) = (number(s.n), trace.name_of(&s.by));
        Some(format!("{n}, {name}: nothing on {points} {passed}, still open."))
    });
    told.collect()
}

/// The point behind a point of the flow: both are numbered in the order in which they were raised.
fn of_flow(trace: &Trace, id: &str) -> Option<Point> {
    let at = trace.flow.points.iter().position(|point| point.id == id)?;
    points(trace).nth(at)
}

/// What a critique came to, in a few words: how many points it raised, how many were open then, and the quality that it states.
pub(in crate::artifacts) fn came_to<'t>(trace: &'t Trace, s: &Statement) -> Option<&'t str> {
    let notes = trace.rounds.iter().find(|notes| notes.round == s.round)?;
    is_critique(s).then_some(notes.headline.as_str())
}

fn is_critique(s: &Statement) -> bool {
    s.phase == Phase::new("critique") && s.was_heard()
}

/// How the judges compare the first answer with the final one, all in all.
pub(in crate::artifacts) fn comparison(trace: &Trace) -> Option<String> {
    dialectic::comparison(trace.outcome.as_ref()).map(|it| it.words())
}

/// How each judge compares the first answer with the final one, in the words that decided it.
pub(in crate::artifacts) fn compared(trace: &Trace) -> Vec<Value> {
    let judge = |compared: Compared| json!({"judge": trace.name_of(&compared.judge.id), "reasons": reasons(&compared)});
    judges(trace).map(judge).collect()
}

/// The judges that compared them.
pub(in crate::artifacts) fn judges(trace: &Trace) -> impl Iterator<Item = Compared> {
    dialectic::comparison(trace.outcome.as_ref()).into_iter().flat_map(|it| it.judges)
}

/// The same, a line each: `Ada prefers the final answer: …`.
pub(in crate::artifacts) fn comparisons(trace: &Trace) -> Vec<String> {
    let lines = judges(trace).flat_map(|compared| {
        let name = trace.name_of(&compared.judge.id).to_owned();
        let told = reasons(&compared).into_iter();
        told.map(move |it| format!("{name} prefers {}{}: {}", it.said, it.when(), it.reason))
    });
    lines.map(|line| text::one_line(&line)).collect()
}

fn row(trace: &Trace, point: &Point) -> Value {
    let issue = issue(point);
    let is_settled = point.status == Some(Resolution::Resolved);
    let sign = point.status.map(|status| format!("{} ", status.mark()));
    json!({
        "n": point.n,
        "mark": issue.severity.mark(),
        "severity": issue.severity.to_string(),
        "attack": issue.attack(),
        "claim": issue.claim,
        "text": issue.text,
        // In few words, of what is settled.
        "settled": is_settled.then(|| core(point, CLAIM)),
        // What was mended needs no word on how.
        "mend": point.is_open().then_some(issue.mend),
        "in": number(point.statement),
        "answers": match point.answers[..] {
            [] if is_late(trace, point) => "no turn left".to_owned(),
            [] => "not answered".to_owned(),
            _ => answers(trace, point),
        },
        "stands": sign.into_iter().chain([stands(trace, point).to_owned()]).collect::<String>(),
        "last": point.said_last(),
    })
}

/// How a point stands, as the skeptic last saw it.
fn stands(trace: &Trace, point: &Point) -> &'static str {
    match point.status {
        Some(status) => status.word(),
        None if is_late(trace, point) => "raised in the last round",
        None if !point.answers.is_empty() => "the skeptic did not mention it again",
        None => "open",
    }
}

/// `defended in round 2 (“It pays.”); accepted in rounds 3 and 4 (“I name who pays.”)`: of each kind, the last line.
fn answers(trace: &Trace, point: &Point) -> String {
    let told = point.answers.chunk_by(|one, other| one.answer == other.answer);
    let words = told.map(|same| {
        let word = same[0].answer.word();
        let rounds: Vec<String> = same.iter().map(|it| it.round.to_string()).collect();
        let noun = if rounds.len() == 1 { "round" } else { "rounds" };
        let draft = same.last().and_then(|it| draft(trace, it.round));
        let said = draft.and_then(|draft| dialectic::said_to(&draft.text, point.n));
        let said = said.map(|said| format!(" (“{}”)", text::shorten(&said, LINE)));
        format!("{word} in {noun} {}{}", text::joined(&rounds, "and"), said.unwrap_or_default())
    });
    text::separated(words, "; ")
}

/// The proposals that were heard.
fn drafts(trace: &Trace) -> impl DoubleEndedIterator<Item = &Statement> {
    trace.statements.iter().filter(|s| s.phase == Phase::PROPOSAL && s.was_heard())
}

/// The proposal of a round.
pub(in crate::artifacts) fn draft(trace: &Trace, round: u32) -> Option<&Statement> {
    drafts(trace).find(|s| s.round == round)
}

/// The last one before it.
pub(in crate::artifacts) fn draft_before(trace: &Trace, round: u32) -> Option<&Statement> {
    drafts(trace).rfind(|s| s.round < round)
}

/// What the proposal of a round accepts, with what it says to the gravest of the points that it had not accepted before: `Accepted: 1
/// and 4; partly accepted: 2; to 4: “I name who pays”.`
pub(in crate::artifacts) fn accepted(trace: &Trace, round: u32) -> Option<String> {
    let own = [Answer::Accept, Answer::Part].map(|answer| {
        let is_so = |point: &Point| point.answers.contains(&Answered { round, answer });
        (answer.word(), points(trace).filter(is_so).collect::<Vec<Point>>())
    });
    let is_before = |it: &Answered| it.round < round && it.answer != Answer::Defend;
    let is_old = |point: &Point| point.answers.iter().any(is_before);
    let all = own.iter().flat_map(|(_, points)| points);
    let point = all.min_by_key(|point| (is_old(point), point.issue.severity))?;
    let said = dialectic::said_to(&draft(trace, round)?.text, point.n);
    let said = said.map(|said| text::shorten(&said, LINE));
    let said = said.map(|said| format!("to {}: “{}”", point.n, text::clause(&said)));
    let told = own.iter().filter(|(_, points)| !points.is_empty()).map(|(word, points)| {
        let numbers = points.iter().map(|point| point.n.to_string());
        format!("{word}: {}", text::joined(numbers, "and"))
    });
    Some(text::capitalised(&format!("{}.", text::separated(told.chain(said), "; "))))
}

/// What a reading prefers and why, and of several, in which order it read.
#[derive(Serialize)]
struct Preferred {
    order: Option<String>,
    said: &'static str,
    reason: String,
}

impl Preferred {
    /// `, reading the first answer first`.
    fn when(&self) -> String {
        let order = self.order.iter();
        order.map(|order| format!(", {order}")).collect()
    }
}

/// A judge's readings: each has a reason of its own.
fn reasons(compared: &Compared) -> Vec<Preferred> {
    let both = compared.readings.iter().filter(|reading| reading.better.is_some()).count() > 1;
    let reason = |reading: &Reading| {
        let order = both.then(|| format!("reading {} first", reading.order[0].words()));
        let said = reading.better?.words();
        let reason = by_name(reading);
        Some(Preferred { order, said, reason })
    };
    compared.readings.iter().filter_map(reason).collect()
}

/// What a judge calls the first and the second of two texts.
static TEXTS: LazyLock<[Regex; 2]> = LazyLock::new(|| {
    [("1", "first"), ("2", "second")].map(|(n, nth)| {
        let words = format!(r"(?i)\b(?:text[ _]{n}|the {nth} text)\b");
        Regex::new(&words).expect("a pattern")
    })
});

/// A judge's reason with the answers in place of `text 1` and `the second text`, which only the judge can tell apart.
fn by_name(reading: &Reading) -> String {
    let order = reading.order.iter().zip(TEXTS.iter());
    order.fold(reading.reason.clone(), |reason, (which, text)| {
        mentions::renamed(&reason, text, which.words())
    })
}
