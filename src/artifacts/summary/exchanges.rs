//! What happened on the way, as `summary.md` shows it: interruptions, checked claims, replies that were not taken.

use serde::Serialize;
use serde_json::{Value, json};

use crate::artifacts::arguments::dialectic_ledger;
use crate::artifacts::statement_place::{self, Rounds};
use crate::artifacts::{interruptions, stances};
use crate::event::{Claim, Interjection, Notes, Origin, Phase, RoundNotes, Statement};
use crate::formats::dialectic;
use crate::job::profile_of;
use crate::text;
use crate::trace::Trace;

/// A line of the course.
#[derive(Debug, Default, Serialize)]
pub(in crate::artifacts) struct Exchange {
    title: String,
    line: String,
    /// The numbers of the statements that it is about.
    said: Vec<u32>,
    /// The same of a skeptic's rounds, as links: what they are about, no list of points tells.
    cites: Vec<String>,
    /// The interruptions in them.
    interjections: Vec<Value>,
    /// Whether the line tells what happened, rather than naming what it was about.
    #[serde(skip)]
    tells: bool,
}

impl Exchange {
    /// Whether it says more than the lists of arguments do.
    pub(in crate::artifacts) fn is_told(&self) -> bool {
        self.tells || !self.interjections.is_empty()
    }
}

/// Whether a clerk's summary only names a subject, as one without a full stop does: `Whether a fine is just`.
pub(in crate::artifacts) fn is_label(summary: &str) -> bool {
    let said = summary.trim_end_matches(|c: char| c.is_whitespace() || "\"”*)_".contains(c));
    !said.ends_with(['.', '!', '?', '…', '。'])
}

/// The lines of the course, each with the interruptions in what it is about; those that no line is about stand apart.
pub(in crate::artifacts) fn shown(trace: &Trace) -> (Vec<Exchange>, Vec<Value>) {
    let mut left: Vec<&Interjection> = trace.interjections.iter().collect();
    let shown =
        |all: Vec<&Interjection>| all.iter().map(|i| interruptions::shown(trace, i)).collect();
    let mut lines = rounds(trace);
    for line in &mut lines {
        let own;
        (own, left) = left.into_iter().partition(|i| line.said.contains(&i.about));
        line.interjections = shown(own);
    }
    (lines, shown(left))
}

/// A line for each exchange that the clerk summed up, openings and closings included; of rounds without a summary, how they
/// went. Of a skeptic's rounds, whose points stand in a table, what was answered and what that came to.
fn rounds(trace: &Trace) -> Vec<Exchange> {
    let mut lines: Vec<Exchange> = beyond(trace).collect();
    let (said, kept) = (&Rounds::of(trace), dialectic_ledger::is_kept(trace));
    for (from, notes) in exchanges(trace) {
        let all: Vec<&Statement> = said.said(from, notes.round).collect();
        lines.push(Exchange {
            title: title(trace, said, from, notes.round),
            line: line(trace, said, notes),
            said: all.iter().map(|s| s.n).collect(),
            cites: all.iter().filter(|_| kept).map(|s| statement_place::number(s.n)).collect(),
            interjections: Vec::new(),
            tells: kept
                || notes.summary.is_empty()
                || !is_label(&notes.summary)
                || is_headline_told(trace, said, notes.round),
        });
    }
    lines.sort_by_key(|line| (line.said.is_empty(), line.said.first().copied()));
    lines
}

/// The rounds' notes that sum up an exchange, each with the round that it began in; the last rounds, and those of a skeptic, stand
/// for themselves.
fn exchanges(trace: &Trace) -> Vec<(u32, &RoundNotes)> {
    let mut all = Vec::new();
    let mut first = None;
    for (place, notes) in trace.rounds.iter().enumerate() {
        let from = *first.get_or_insert(notes.round);
        let mut later = trace.rounds[place..].iter();
        let goes_on = later.any(|later| !later.summary.is_empty());
        if notes.summary.is_empty() && goes_on && !dialectic_ledger::is_kept(trace) {
            continue;
        }
        all.push((from, notes));
        first = None;
    }
    all
}

/// What an exchange is called: `Round 2`, `Rounds 1 to 3 (openings)`.
pub(in crate::artifacts) fn title(trace: &Trace, said: &Rounds<'_>, from: u32, to: u32) -> String {
    let rounds = match to {
        to if to == from => format!("Round {to}"),
        to if to == from + 1 => format!("Rounds {from} and {to}"),
        to => format!("Rounds {from} to {to}"),
    };
    rounds + &part(said, from, to) + weighing(trace, to)
}

/// Parts of a debate that some of its rounds are, with the words for one statement and for several.
static PARTS: [(Phase, &str, &str); 4] = [
    (Phase::OPENING, "opening", "openings"),
    (Phase::REBUTTAL, "rebuttal", "rebuttals"),
    (Phase::CLOSING, "closing", "closings"),
    (Phase::POSITION, "first answer", "first answers"),
];

/// What all statements of these rounds were, behind their number: ` (openings)`; nothing where they were of several kinds.
fn part(rounds: &Rounds<'_>, from: u32, to: u32) -> String {
    let said: Vec<&Phase> =
        rounds.said(from, to).filter(|s| s.origin != Origin::Template).map(|s| &s.phase).collect();
    match PARTS.iter().find(|(phase, ..)| said.iter().all(|own| *own == phase)) {
        Some((_, one, _)) if said.len() == 1 => format!(" ({one})"),
        Some((.., several)) if !said.is_empty() => format!(" ({several})"),
        _ => String::new(),
    }
}

/// The rule of a round that was only for weighing what had been said: a knockout's last.
fn weighing(trace: &Trace, round: u32) -> &'static str {
    let is_last = trace.plan.settings.get("rounds").and_then(Value::as_u64) == Some(round.into());
    let weighs = round > 1 && is_last && profile_of(&trace.format).rotates;
    if weighs { ", the last, in which a wholly new line of argument does not count" } else { "" }
}

/// What an exchange came to: in the clerk's words, behind what they leave out.
fn line(trace: &Trace, said: &Rounds<'_>, notes: &RoundNotes) -> String {
    let headline = text::sentence(&text::one_line(&notes.headline));
    let summary = text::one_line(&notes.summary);
    let headline_is_told = is_headline_told(trace, said, notes.round);
    let parts = match (summary.as_str(), dialectic_ledger::is_kept(trace), headline_is_told) {
        (_, true, _) => [draft(trace, notes.round), text::capitalised(&headline)],
        ("", ..) => [headline, String::new()],
        (label, _, true) if is_label(label) => [headline, String::new()],
        (_, _, true) => [headline, summary],
        _ => [summary, stances::after(trace, notes.round)],
    };
    parts.join(" ").trim().to_owned()
}

/// Whether the course tells a round's headline: votes and stances are told elsewhere, and that of a single turn says nothing.
fn is_headline_told(trace: &Trace, said: &Rounds<'_>, round: u32) -> bool {
    trace.ballots.is_empty() && trace.stances.is_empty() && !said.is_turn(round)
}

/// Characters of a draft, and words with which it begins as the last one did that are not told again.
const DRAFT: usize = 160;
const SAME: usize = 6;

/// How the draft of a round begins, from where it differs from the last one, and what it accepts.
fn draft(trace: &Trace, round: u32) -> String {
    let Some(said) = dialectic_ledger::draft(trace, round) else { return String::new() };
    let opening = |s: &Statement| dialectic::opening(&s.text, usize::MAX);
    let before = dialectic_ledger::draft_before(trace, round).map(opening).unwrap_or_default();
    let begins = begins(&opening(said), &before);
    let told = begins.into_iter().chain(dialectic_ledger::accepted(trace, round));
    text::separated(told, " ")
}

/// How it begins, told with how the one before it does.
fn begins(now: &str, before: &str) -> Option<String> {
    let words = now.split(' ').zip(before.split(' '));
    let same = words.take_while(|(one, other)| one == other).count();
    let rest = text::separated(now.split(' ').skip(same), " ");
    let begins = if now == before {
        "The draft begins as before.".to_owned()
    } else if same < SAME || rest.is_empty() {
        format!("“{}”", text::shorten(now, DRAFT))
    } else {
        format!("“… {}”", text::shorten(&rest, DRAFT))
    };
    Some(begins).filter(|_| !now.is_empty())
}

/// The clerk's summaries of what was said outside of rounds.
fn beyond(trace: &Trace) -> impl Iterator<Item = Exchange> + '_ {
    let notes = trace.notes.iter().filter(|notes| notes.by_clerk && notes.round == 0);
    notes.filter_map(move |notes| {
        let first = trace.statement(notes.statements.first()?.n)?;
        // Answers to interruptions stand among them.
        let is_one = |n: u32| trace.statement(n).is_some_and(|s| s.phase == first.phase);
        let all = notes.statements.iter().filter(|s| is_one(s.n)).count();
        let blind = match (is_blind(trace, notes), all) {
            (false, _) => "",
            (true, 2) => ", each written without sight of the other",
            (true, _) => ", each written without sight of the others",
        };
        let is_outside = statement_place::filed_under(trace, first).is_none();
        (is_outside && !notes.summary.is_empty()).then(|| Exchange {
            title: format!("{}s{blind}", first.phase.title()),
            line: text::one_line(&notes.summary),
            said: notes.statements.iter().map(|s| s.n).collect(),
            tells: !is_label(&notes.summary),
            ..Exchange::default()
        })
    })
}

/// Whether none of an exchange's statements was asked for with another of them on the record. Answers to interruptions see all.
fn is_blind(trace: &Trace, notes: &Notes) -> bool {
    let noted = |n: u32| notes.statements.iter().any(|noted| noted.n == n);
    let said: Vec<&Statement> = trace
        .statements
        .iter()
        .filter(|s| s.phase != Phase::ANSWER)
        .filter(|s| noted(s.n))
        .collect();
    let first = said.first().map_or(0, |first| first.n);
    said.len() > 1 && said.iter().all(|s| s.saw < first)
}

/// Claims that are shown; false ones always are.
const CLAIMS: usize = 12;

/// The claims that were checked, false ones first and true ones last, and by verdict how many are not among them; nothing without
/// any.
pub(super) fn claims(trace: &Trace) -> Option<Value> {
    let checks = trace.fact_checks.iter();
    let all = checks.flat_map(|it| it.claims.iter().map(move |claim| (it.about, claim)));
    let mut claims: Vec<(u32, &Claim)> = all.collect();
    claims.sort_by_key(|(_, claim)| (!claim.is_false(), claim.is_true()));
    let always = claims.iter().filter(|(_, claim)| claim.is_false()).count();
    let (shown, more) = claims.split_at(CLAIMS.max(always).min(claims.len()));
    let more = text::gathered(more.iter().map(|(_, claim)| (&claim.verdict, ())));
    let more = more.into_iter().map(|(verdict, all)| format!("{} {verdict}", all.len()));
    let rows: Vec<Value> = shown.iter().map(|(n, claim)| row(trace, *n, claim)).collect();
    (!rows.is_empty()).then(|| json!({"rows": rows, "more": text::separated(more, ", ")}))
}

/// A claim in the statement with this number, and whether its speaker was interrupted for it and answered.
fn row(trace: &Trace, n: u32, claim: &Claim) -> Value {
    let mut interjections = trace.interjections.iter().filter(|i| i.about == n);
    let stopped = interjections.find(|i| i.is_for(&claim.claim));
    let answer = stopped.and_then(|i| interruptions::reply(trace, i)).filter(|s| s.was_heard());
    json!({
        "n": statement_place::number(n),
        "speaker": trace.statement(n).map(|s| trace.name_of(&s.by)),
        "claim": claim.claim,
        "verdict": claim.verdict,
        "reason": claim.reason,
        "interrupted": stopped.is_some(),
        "answered": answer.map(|s| statement_place::number(s.n)),
    })
}

#[cfg(test)]
mod tests {
    use super::is_label;

    #[test]
    fn a4_a_summary_that_names_its_subject_alone_is_told_from_one_that_tells() {
        for label in ["Whether a fine is just", "The fine, and who pays it", ""] {
            assert!(is_label(label), "{label}");
        }
        for told in ["Ann pressed the fine.", "Who pays?", "“It is fair.”", "Ann pressed…"] {
            assert!(!is_label(told), "{told}");
        }
    }
}
