//! Interruptions: by whom, of whom, for what, and how the speaker answered, in the speaker's own words. A clerk notes what an
//! answer claims, which is not whether it puts right what it was interrupted for.

use serde_json::{Value, json};

use super::statement_place;
use crate::event::{How, Interjection, InterjectionCause, Phase, Statement};
use crate::text;
use crate::trace::Trace;

/// Characters of an answer that are quoted.
const ANSWERED: usize = 200;
/// Characters of what an interruption is for, in a story.
const POINT: usize = 120;
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

/// For what each speaker was interrupted, and of a single interruption, how the answer begins: `Ann, interrupted for breaking a rule
/// (“Do not invent figures”), answered: “It was a guess.”`
pub(super) fn told(trace: &Trace) -> Vec<String> {
    let all = trace.interjections.iter().map(|i| (trace.name_of(&i.speaker), (cause(i), i)));
    let of_cause = |(cause, all): (&str, Vec<&Interjection>)| {
        let times = match all.len() {
            1 => String::new(),
            n => format!(" {n} times"),
        };
        let point = |i: &&Interjection| text::shorten(i.points().trim_end_matches('.'), POINT);
        let points = text::distinct(all.iter().map(|i| in_quotes(&point(i))));
        format!("for {cause}{times} ({})", text::separated(points, ", "))
    };
    let of_speaker = |(name, causes): (&str, Vec<(&str, &Interjection)>)| {
        let only = causes.first().filter(|_| causes.len() == 1);
        let answer = only.and_then(|(_, i)| reply(trace, i)).filter(|s| s.was_heard());
        let causes = text::joined(text::gathered(causes).into_iter().map(of_cause), "and");
        match answer.map(|s| quoted(trace, s, ANSWERED)) {
            Some(answer) => format!("{name}, interrupted {causes}, answered: {answer}"),
            None => format!("{name} was interrupted {causes}"),
        }
    };
    text::gathered(all).into_iter().map(of_speaker).collect()
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
    let mut all = trace.interjections.iter();
    all.any(|i| reply(trace, i).is_some_and(|answer| answer.n == s.n))
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

/// How an answer begins, in a line: `“I withdraw the figure.” (B2 withdrawn)`
pub(super) fn in_a_line(trace: &Trace, s: &Statement) -> String {
    quoted(trace, s, IN_A_LINE)
}

/// The beginning of an answer, quoted, with the points that it withdraws.
fn quoted(trace: &Trace, s: &Statement, most: usize) -> String {
    let said = text::one_line(&text::unmarked(text::without_mark(&s.text)));
    let begins = text::beginning(&said, most);
    let is_end = begins.ends_with('…') || said.ends_with(&begins);
    let more = if is_end { "" } else { " …" };
    in_quotes(&format!("{begins}{more}")) + &withdrawing(trace, s)
}

/// ` (B2 withdrawn)`: the points that a statement withdraws; nothing where it withdraws none.
pub(super) fn withdrawing(trace: &Trace, s: &Statement) -> String {
    let own = trace.flow.edges.iter().filter(|edge| edge.statement == s.n);
    let withdrawn = own.filter(|edge| edge.how == How::Withdrawn).map(|edge| &edge.at);
    match text::joined(withdrawn, "and") {
        points if points.is_empty() => points,
        points => format!(" ({points} withdrawn)"),
    }
}

/// A text in quotation marks; what it quotes itself stands in others.
fn in_quotes(said: &str) -> String {
    format!("“{}”", said.replace('“', "‘").replace('”', "’"))
}
