//! Interruptions: by whom, of whom, for what, and how the speaker answered, in the speaker's own words. A clerk notes what an
//! answer claims, which is not whether it puts right what it was interrupted for.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Value, json};

use super::statement_place;
use crate::event::{How, Interjection, InterjectionCause, Phase, Statement};
use crate::text;
use crate::text::overlap::terms;
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

/// What an answer says on one of several claims: the sentence that shares most terms with it. Nothing if none shares any.
pub(super) fn on_claim(s: &Statement, claim: &str) -> Option<String> {
    let wanted = terms(claim);
    let sentences = text::split_sentences(&text::unmarked(text::without_mark(&s.text)));
    let shared = |sentence: &String| {
        let own = terms(sentence);
        own.keys().filter(|term| wanted.contains_key(*term)).count()
    };
    let first_of_most = sentences.iter().rev().max_by_key(|it| shared(it))?;
    (shared(first_of_most) > 0).then(|| in_quotes(&text::shorten(first_of_most, IN_A_LINE)))
}

/// How a speaker, or one for a team, takes something back; in other languages, only what the clerk notes is known.
static TAKES_BACK: LazyLock<Regex> = LazyLock::new(|| {
    let words = r"^(?:I|We) (?:(?:take back|withdraw|retract|drop) (\w+)|take (?:that|it|this|these|both|the|my|our)\b[^,;:]{0,60} back(?:[.,;!]| and\b|$))";
    Regex::new(words).expect("a pattern")
});

/// Words behind these with which a speaker keeps what it said, or part of it.
const KEEPS: [&str; 6] = ["nothing", "neither", "none", "only", "not", "no"];

/// Whether a sentence takes something back.
fn takes_back(sentence: &str) -> bool {
    let taken = TAKES_BACK.captures(sentence);
    taken.is_some_and(|found| found.get(1).is_none_or(|it| !KEEPS.contains(&it.as_str())))
}

/// The sentence in which a statement takes a claim back, if it has most of that claim's terms.
pub(super) fn taking_back(s: &Statement, claim: &str) -> Option<String> {
    let wanted = terms(claim);
    let said = text::split_sentences(&text::unmarked(text::without_mark(&s.text)));
    let is_it = |sentence: &&String| {
        let own = terms(sentence);
        let shared = own.keys().filter(|term| wanted.contains_key(*term)).count();
        shared > 1 && shared * 2 >= wanted.len() && takes_back(sentence)
    };
    let sentence = said.iter().find(is_it)?;
    Some(in_quotes(&text::shorten(sentence, IN_A_LINE)))
}

/// The beginning of an answer and, if that comes later, the sentence that takes something back, quoted, with the points that it
/// withdraws.
fn quoted(trace: &Trace, s: &Statement, most: usize) -> String {
    let said = text::one_line(&text::unmarked(text::without_mark(&s.text)));
    let begins = text::beginning(&said, most);
    let mut sentences = text::split_sentences(&said).into_iter();
    let later = sentences.find(|sentence| takes_back(sentence) && !begins.contains(sentence));
    let told = match later {
        None => begins,
        Some(later) if said.contains(&format!("{begins} {later}")) => format!("{begins} {later}"),
        Some(later) => format!("{} … {later}", begins.trim_end_matches('…')),
    };
    let last = told.rsplit(" … ").next().unwrap_or_default();
    let is_end = last.ends_with('…') || said.ends_with(last);
    let more = if is_end { "" } else { " …" };
    in_quotes(&format!("{told}{more}")) + &withdrawing(trace, s)
}

/// ` (B2 withdrawn)`: the points that a statement withdraws; nothing where it withdraws none.
pub(super) fn withdrawing(trace: &Trace, s: &Statement) -> String {
    match withdrawn(trace, s) {
        points if points.is_empty() => String::new(),
        points => format!(" ({} withdrawn)", text::joined(&points, "and")),
    }
}

/// A text in quotation marks; what it quotes itself stands in others.
fn in_quotes(said: &str) -> String {
    format!("“{}”", said.replace('“', "‘").replace('”', "’"))
}

/// The ids of the points that a statement withdraws.
pub(super) fn withdrawn<'t>(trace: &'t Trace, s: &Statement) -> Vec<&'t str> {
    let own = trace
        .flow
        .edges
        .iter()
        .filter(|edge| edge.statement == s.n)
        .filter(|edge| edge.how == How::Withdrawn);
    own.map(|edge| edge.at.as_str()).collect()
}
