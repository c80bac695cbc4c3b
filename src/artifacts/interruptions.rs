//! Interruptions: by whom, of whom, for what, and how the speaker answered, in the speaker's own words. A clerk notes what an
//! answer claims, which is not whether it puts right what it was interrupted for.

use serde_json::{Value, json};

use super::statement_place;
use crate::event::{How, Interjection, InterjectionCause, Phase, Statement};
use crate::flow::FlowPoint;
use crate::text;
use crate::trace::Trace;

/// Characters of an answer that are quoted.
const ANSWERED: usize = 200;
/// Characters of it in a table or a list.
const IN_A_LINE: usize = 120;

/// An interruption for the template.
pub(super) fn shown(trace: &Trace, i: &Interjection) -> Value {
    // Of a false claim, the table of claims says why.
    let is_rule = i.cause == InterjectionCause::Rule;
    let points = i.points();
    json!({
        "by": trace.name_of(&i.by.id),
        "speaker": trace.name_of(&i.speaker),
        "in": statement_place::number(i.about),
        "cause": cause(i),
        "point": if is_rule { points.trim_end_matches('.') } else { &points },
        "reason": Some(&i.reading.reason).filter(|_| is_rule),
        "reply": reply(trace, i).map(|s| answered(trace, s)),
    })
}

/// What an interruption is for, in words.
fn cause(i: &Interjection) -> &'static str {
    match i.cause {
        InterjectionCause::Rule => "breaking a rule",
        InterjectionCause::Fact if !i.also.is_empty() => "false claims",
        InterjectionCause::Fact => "a false claim",
    }
}

/// What the speaker said to an interruption.
pub(super) fn reply<'t>(trace: &'t Trace, i: &Interjection) -> Option<&'t Statement> {
    let mut after = trace.statements.iter().filter(|s| s.n > i.statement);
    after.next().filter(|s| s.by == i.speaker && s.phase == Phase::ANSWER)
}

/// An answer for the template: where it stands and how it begins.
fn answered(trace: &Trace, s: &Statement) -> Value {
    json!({"n": statement_place::number(s.n), "said": s.was_heard().then(|| quoted(trace, s, ANSWERED))})
}

/// Whether a statement answers an interruption.
pub(super) fn is_answer(trace: &Trace, s: &Statement) -> bool {
    trace.interjections.iter().any(|i| reply(trace, i).is_some_and(|answer| answer.n == s.n))
}

/// Whether a statement was interrupted, what for, and where it was answered: `interrupted in 006 for breaking a rule, answered in
/// 007`.
pub(super) fn of<'t>(trace: &'t Trace, s: &Statement) -> impl Iterator<Item = String> + use<'t> {
    let n = s.n;
    let own = trace.interjections.iter().filter(move |i| i.about == n);
    own.map(|i| {
        let number = statement_place::number;
        let answered = reply(trace, i).map(|s| format!(", answered in {}", number(s.n)));
        let (at, cause) = (number(i.statement), cause(i));
        format!("interrupted in {at} for {cause}{}", answered.unwrap_or_default())
    })
}

/// How an answer begins, in a line: `“I withdraw the figure.” (B2 withdrawn: It costs little)`
pub(super) fn in_a_line(trace: &Trace, s: &Statement) -> String {
    quoted(trace, s, IN_A_LINE)
}

/// How an answer begins, quoted, with the points that it withdraws.
fn quoted(trace: &Trace, s: &Statement, most: usize) -> String {
    let said = text::one_line(&text::unmarked(text::without_mark(&s.text)));
    let begins = text::beginning(&said, most);
    let is_end = begins.ends_with('…') || said.ends_with(&begins);
    let more = if is_end { "" } else { " …" };
    // What it quotes itself stands in other marks.
    format!("“{}{more}”{}", begins.replace('“', "‘").replace('”', "’"), withdrawing(trace, s))
}

/// ` (B2 withdrawn: It costs little)`: the points that a statement gives up for no narrower ones; nothing where there are none.
pub(super) fn withdrawing(trace: &Trace, s: &Statement) -> String {
    let own = trace.flow.edges.iter().filter(|edge| edge.statement == s.n);
    let withdrawn = own.filter(|edge| edge.how == How::Withdrawn && edge.with.is_none());
    let withdrawn = withdrawn.filter_map(|edge| trace.flow.point(&edge.at));
    let told = |point: &FlowPoint| {
        let text = text::one_line(point.text.trim_end_matches('.'));
        format!(" ({} withdrawn: {text})", point.id)
    };
    withdrawn.map(told).collect()
}
