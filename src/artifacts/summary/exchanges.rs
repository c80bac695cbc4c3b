//! What happened on the way, as `summary.md` shows it: interruptions, checked claims, replies that were not taken.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Value, json};

use crate::artifacts::arguments::dialectic_ledger;
use crate::artifacts::line::Line;
use crate::artifacts::statement_place::{self, Rounds};
use crate::artifacts::{interruptions, stances};
use crate::event::{Claim, FactCheck, Interjection, Notes, Origin, Phase, RoundNotes, Statement};
use crate::job::profile_of;
use crate::text;
use crate::trace::Trace;

/// A line of the course.
#[derive(Debug, Serialize)]
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

/// The course, a line for each exchange that is told: `Round 1: …`.
pub(in crate::artifacts) fn lines(trace: &Trace) -> Vec<Line> {
    let told = rounds(trace).into_iter().filter(Exchange::is_told);
    told.map(|it| Line::new(&format!("{}: {}", it.title, it.line), Vec::new())).collect()
}

/// A line for each exchange that the clerk summed up, openings and closings included; of rounds without a summary, how they
/// went. Of a skeptic's rounds, whose points stand in a table, what was answered and what that came to.
fn rounds(trace: &Trace) -> Vec<Exchange> {
    let mut lines: Vec<Exchange> = beyond(trace, true).collect();
    let said = &Rounds::of(trace);
    for (from, notes) in exchanges(trace) {
        let all: Vec<&Statement> = said.said(from, notes.round).collect();
        lines.push(Exchange {
            title: of_rounds(from, notes.round)
                + &part(said, from, notes.round)
                + weighing(trace, notes.round),
            line: line(trace, said, notes),
            said: all.iter().map(|s| s.n).collect(),
            cites: if dialectic_ledger::is_kept(trace) {
                all.iter().map(|s| statement_place::number(s.n)).collect()
            } else {
                Vec::new()
            },
            interjections: Vec::new(),
            tells: dialectic_ledger::is_kept(trace)
                || notes.summary.is_empty()
                || !is_label(&notes.summary)
                || is_headline_told(trace, said, notes.round),
        });
    }
    lines.extend(beyond(trace, false));
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

fn of_rounds(from: u32, to: u32) -> String {
    match to {
        to if to == from => format!("Round {to}"),
        to if to == from + 1 => format!("Rounds {from} and {to}"),
        to => format!("Rounds {from} to {to}"),
    }
}

/// The rounds that the summary of this one is about.
pub(in crate::artifacts) fn title(trace: &Trace, round: u32) -> String {
    let mut all = exchanges(trace).into_iter();
    let own = all.find(|(_, notes)| notes.round == round && !notes.summary.is_empty());
    of_rounds(own.map_or(round, |(from, _)| from), round)
}

/// Parts of a debate that some of its rounds are, with the words for one statement and for several.
static PARTS: [(Phase, &str, &str); 4] = [
    (Phase::OPENING, "opening", "openings"),
    (Phase::REBUTTAL, "rebuttal", "rebuttals"),
    (Phase::CLOSING, "closing", "closings"),
    (Phase::POSITION, "first answer", "first answers"),
];

/// What all statements of these rounds were, behind their number: ` (openings)`; nothing where they were of several kinds.
pub(in crate::artifacts) fn part(rounds: &Rounds<'_>, from: u32, to: u32) -> String {
    let said: Vec<&Phase> =
        rounds.said(from, to).filter(|s| s.origin != Origin::Template).map(|s| &s.phase).collect();
    let mut parts = PARTS.iter();
    match parts.find(|(phase, ..)| said.iter().all(|own| *own == phase)) {
        Some((_, one, _)) if said.len() == 1 => format!(" ({one})"),
        Some((.., several)) if !said.is_empty() => format!(" ({several})"),
        _ => String::new(),
    }
}

/// The rule of a round that was only for weighing what had been said: a knockout's last.
fn weighing(trace: &Trace, round: u32) -> &'static str {
    let is_last = trace.plan.settings.get("rounds").and_then(Value::as_u64) == Some(round.into());
    let weighs = round > 1 && is_last && profile_of(&trace.format).rotates;
    if weighs { ", the last, in which new arguments earn no credit" } else { "" }
}

/// What an exchange came to: in the clerk's words, behind what they leave out.
fn line(trace: &Trace, said: &Rounds<'_>, notes: &RoundNotes) -> String {
    let headline = text::sentence(&text::one_line(&notes.headline));
    let summary = text::one_line(&notes.summary);
    let headline_is_told = is_headline_told(trace, said, notes.round);
    let parts = match (summary.as_str(), dialectic_ledger::is_kept(trace), headline_is_told) {
        (_, true, _) => [answer(trace, notes.round), text::capitalised(&headline)],
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

/// What the answer of a round came to, in the proposer's words.
pub(super) fn answer(trace: &Trace, round: u32) -> String {
    let is_answer =
        |s: &&Statement| s.phase == Phase::PROPOSAL && s.round == round && s.was_heard();
    let said = trace.statements.iter().find(is_answer);
    let notes = trace.notes.iter().flat_map(|notes| &notes.statements);
    let of = |s: &Statement| notes.clone().find(|notes| notes.n == s.n);
    let claim = said.and_then(of).map(|notes| text::one_line(&notes.claim));
    claim.unwrap_or_default()
}

/// The lines on what was said outside of rounds, each with the number of its first statement: `Closings: …`.
pub(in crate::artifacts) fn outside(trace: &Trace) -> Vec<(u32, String)> {
    let all = beyond(trace, true).chain(beyond(trace, false));
    all.filter(Exchange::is_told)
        .map(|it| (it.said[0], format!("{}: {}", it.title, it.line)))
        .collect()
}

/// The clerk's summaries of what was said before the rounds, or after them.
fn beyond(trace: &Trace, before: bool) -> impl Iterator<Item = Exchange> + '_ {
    let is_there = move |n: u32| {
        let mut rounds =
            trace.statements.iter().filter(|s| statement_place::round_of(trace, s).is_some());
        if before {
            rounds.next().is_none_or(|first| n < first.n)
        } else {
            rounds.next_back().is_some_and(|last| n > last.n)
        }
    };
    let notes = trace.notes.iter();
    let notes = notes.filter(|notes| notes.by_clerk && notes.round == 0);
    notes.filter_map(move |notes| {
        let first = notes.statements.first().filter(|first| is_there(first.n))?;
        let first = trace.statement(first.n)?;
        // Answers to interruptions stand among them.
        let is_one = |n: u32| trace.statement(n).is_some_and(|s| s.phase == first.phase);
        let all = notes.statements.iter().filter(|s| is_one(s.n)).count();
        let blind = match (is_blind(trace, notes), all) {
            (false, _) => "",
            (true, 2) => ", each written without sight of the other",
            (true, _) => ", each written without sight of the others",
        };
        let is_outside = statement_place::round_of(trace, first).is_none();
        (is_outside && !notes.summary.is_empty()).then(|| Exchange {
            title: format!("{}s{blind}", first.phase.title()),
            line: text::one_line(&notes.summary),
            said: notes.statements.iter().map(|s| s.n).collect(),
            cites: Vec::new(),
            interjections: Vec::new(),
            tells: !is_label(&notes.summary),
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

/// What a list of the claims stands under that were checked and not found true.
pub(in crate::artifacts) const DOUBTED: &str = "Claims that a fact checker did not find true";
/// Claims that are shown; false ones always are.
const CLAIMS: usize = 12;

/// The claims that were checked: false ones first, true ones last.
pub(in crate::artifacts) struct Claims<'a> {
    trace: &'a Trace,
    claims: Vec<(&'a FactCheck, &'a Claim)>,
}

impl<'a> Claims<'a> {
    pub(in crate::artifacts) fn of(trace: &'a Trace) -> Self {
        let of_check = |check: &'a FactCheck| check.claims.iter().map(move |claim| (check, claim));
        let mut claims: Vec<_> = trace.fact_checks.iter().flat_map(of_check).collect();
        claims.sort_by_key(|(_, claim)| (!claim.is_false(), claim.is_true()));
        Self { trace, claims }
    }

    /// A line for each claim that was not found true: `Ann (unproven): …`, with the reasons if they are wanted.
    pub(in crate::artifacts) fn doubted(&self, with_reasons: bool) -> Vec<Line> {
        let doubted = self.claims.iter().filter(|(_, claim)| claim.is_doubted());
        let line = |(check, claim): &(&FactCheck, &Claim)| {
            let said = self.trace.statement(check.about);
            let name = said.map_or("", |s| self.trace.name_of(&s.by));
            let interruption = self.interruption(check, claim);
            let answer = interruption.and_then(|i| self.answer(i));
            let (verdict, words) = (&claim.verdict, text::sentence(&claim.claim));
            let line = if with_reasons {
                let said = answer.map(|s| interruptions::in_a_line(self.trace, s));
                let said =
                    said.map(|said| format!(" Interrupted for this, {name} answered: {said}"));
                let (reason, said) = (text::sentence(&claim.reason), said.unwrap_or_default());
                format!("{name} ({verdict}): {words} {reason}{said}")
            } else {
                format!("{name} ({verdict}): {words}")
            };
            let cites = [check.about].into_iter().chain(answer.map(|s| s.n)).collect();
            Line::new(&line, cites)
        };
        doubted.map(line).collect()
    }

    /// The rows of a table and, by verdict, how many claims are not among them; `null` without any claim.
    pub(in crate::artifacts) fn shown(&self) -> Option<Value> {
        let is_false = |(_, claim): &&(&FactCheck, &Claim)| claim.is_false();
        let rows = CLAIMS.max(self.claims.iter().filter(is_false).count());
        let (shown, more) = self.claims.split_at(rows.min(self.claims.len()));
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for (_, claim) in more {
            *counts.entry(&claim.verdict).or_default() += 1;
        }
        let counts = counts.iter().map(|(verdict, n)| format!("{n} {verdict}"));
        (!shown.is_empty()).then(|| {
            json!({
                "rows": shown.iter().map(|(check, claim)| self.row(check, claim)).collect::<Vec<_>>(),
                "more": text::separated(counts, ", "),
            })
        })
    }

    fn row(&self, check: &FactCheck, claim: &Claim) -> Value {
        let said = self.trace.statement(check.about);
        json!({
            "n": format!("{:03}", check.about),
            "speaker": said.map(|s| self.trace.name_of(&s.by)),
            "claim": claim.claim,
            "verdict": claim.verdict,
            "reason": claim.reason,
            "followed": self.followed(check, claim),
        })
    }

    /// The interruption for a claim.
    fn interruption(&self, check: &FactCheck, claim: &Claim) -> Option<&'a Interjection> {
        let mut all = self.trace.interjections.iter();
        all.find(|i| i.about == check.about && i.is_for(&claim.claim))
    }

    /// What the speaker itself said to an interruption: an emergency reply is none of its words.
    fn answer(&self, i: &Interjection) -> Option<&'a Statement> {
        interruptions::reply(self.trace, i).filter(|s| s.was_heard())
    }

    /// What followed from a claim, with where and how its speaker answered for it; an interruption for something else did not. Why
    /// a false one was only noted is said where the trace tells.
    fn followed(&self, check: &FactCheck, claim: &Claim) -> Value {
        let Some(i) = self.interruption(check, claim) else {
            let noted =
                claim.note.as_ref().map_or("noted".to_owned(), |why| format!("noted: {why}"));
            return if claim.is_false() {
                json!({"words": noted, "in": null})
            } else {
                Value::Null
            };
        };
        let answer = self.answer(i);
        json!({
            "words": "interruption",
            "in": answer.map(|s| statement_place::number(s.n)),
            "said": answer.map(|s| interruptions::in_a_line(self.trace, s)),
        })
    }
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
