//! What happened on the way, as `summary.md` shows it: interruptions, checked claims, replies that were not taken.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Value, json};

use crate::artifacts::arguments::dialectic_ledger;
use crate::artifacts::line::Line;
use crate::artifacts::statement_place::{self, Rounds};
use crate::artifacts::{interruptions, stances};
use crate::event::{
    Claim, FactCheck, Interjection, InterjectionCause, Notes, Origin, Phase, RoundNotes, Statement,
};
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
                let said = interruption.and_then(|i| self.said_on(i, claim));
                let said =
                    said.map(|said| format!(" Interrupted for this, {name} answered: {said}"));
                let taken_back = || Some(format!(" {}", self.taken_back(check, claim)?.whole()));
                let answer = said.or_else(taken_back).unwrap_or_default();
                format!("{name} ({verdict}): {words} {}{answer}", text::sentence(&claim.reason))
            } else {
                let withdrawn = match answer {
                    Some(s) => interruptions::withdrawn(self.trace, s)
                        .into_iter()
                        .map(|id| format!("{id} withdrawn"))
                        .collect(),
                    None => Vec::from_iter(self.taken_back(check, claim).map(|it| it.words)),
                };
                let withdrawn: String = withdrawn.iter().map(|it| format!("; {it}")).collect();
                format!("{name} ({verdict}{withdrawn}): {words}")
            };
            let cites = [check.about].into_iter().chain(answer.map(|s| s.n)).collect();
            Line::new(&line, cites)
        };
        doubted.map(line).collect()
    }

    /// What was answered to an interruption, on this claim where it was for several.
    fn said_on(&self, i: &Interjection, claim: &Claim) -> Option<String> {
        let answer = self.answer(i)?;
        if i.also.is_empty() {
            Some(interruptions::in_a_line(self.trace, answer))
        } else {
            interruptions::on_claim(answer, &claim.claim)
        }
    }

    /// How many claims of each speaker were found true: `Of the checked claims, 2 of Ann's 3 and 1 of Ben's 1 were found true.`
    /// Nothing where none counts.
    fn found_true(&self) -> Option<String> {
        let checks = self.trace.fact_checks.iter();
        let own = checks
            .flat_map(|check| check.countable().map(move |claim| (check, claim)))
            .filter_map(|(check, claim)| {
                let said = self.trace.statement(check.about)?;
                Some((self.trace.name_of(&said.by), claim.is_true()))
            });
        let mut each = text::gathered(own);
        each.sort_by_key(|(name, _)| self.trace.participants.iter().position(|p| p.name == *name));
        let each = each.iter().map(|(name, found)| {
            let found_true = found.iter().filter(|is_true| **is_true).count();
            format!("{found_true} of {} {}", text::possessive(name), found.len())
        });
        let each = text::joined(each, "and");
        let rest = self.uncounted();
        (!each.is_empty()).then(|| format!("Of the checked claims, {each} were found true{rest}."))
    }

    /// How many of the rows do not count, and why: `; 1 more does not count (few of its words are in the statement, or it has two
    /// verdicts)`.
    fn uncounted(&self) -> String {
        let counted: usize =
            self.trace.fact_checks.iter().map(|check| check.countable().count()).sum();
        match self.claims.len() - counted {
            0 => String::new(),
            1 => "; 1 more does not count (few of its words are in the statement, or it has two verdicts)".to_owned(),
            n => format!("; {n} more do not count (few of their words are in the statement, or they have two verdicts)"),
        }
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
                "found_true": self.found_true(),
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
        let mut about = self.about(check);
        about.find(|i| i.is_for(&claim.claim))
    }

    /// What the speaker itself said to an interruption: an emergency reply is none of its words.
    fn answer(&self, i: &Interjection) -> Option<&'a Statement> {
        interruptions::reply(self.trace, i).filter(|s| s.was_heard())
    }

    /// The interruptions of the statement that a check is of.
    fn about(&self, check: &FactCheck) -> impl Iterator<Item = &'a Interjection> {
        let n = check.about;
        let all = self.trace.interjections.iter();
        all.filter(move |i| i.about == n)
    }

    /// What followed from a claim, with where and how its speaker answered for it; an interruption for something else did not.
    /// Why a false one was only noted is said where the trace tells.
    fn followed(&self, check: &FactCheck, claim: &Claim) -> Value {
        match self.interruption(check, claim) {
            Some(i) => {
                let answer = self.answer(i);
                json!({
                    "words": "interruption",
                    "in": answer.map(|s| statement_place::number(s.n)),
                    "said": self.said_on(i, claim),
                    "unasked": false,
                })
            }
            None => {
                let noted = claim.is_false().then(|| self.only_noted(check, claim));
                let taken_back = self.taken_back(check, claim);
                let words: Vec<String> =
                    noted.into_iter().chain(taken_back.iter().map(|it| it.words.clone())).collect();
                let row = json!({
                    "words": words.join("; "),
                    "in": taken_back.as_ref().map(|it| &it.within),
                    "said": taken_back.as_ref().and_then(|it| it.said.as_ref()),
                    "unasked": true,
                });
                if words.is_empty() { Value::Null } else { row }
            }
        }
    }

    /// What its speaker did unasked to take a claim back: it withdrew the argument, or said so of something that is none.
    fn taken_back(&self, check: &FactCheck, claim: &Claim) -> Option<TakenBack> {
        let within = statement_place::number;
        if let Some(edge) = self.trace.flow.given_up(check.about, &claim.claim) {
            return Some(TakenBack {
                words: format!("{} withdrawn", edge.at),
                within: within(edge.statement),
                said: None,
            });
        }
        let by = &self.trace.statement(check.about)?.by;
        let mut own = self.trace.statements.iter().filter(|s| s.by == *by && s.n > check.about);
        own.find_map(|s| {
            Some(TakenBack {
                words: "taken back".to_owned(),
                within: within(s.n),
                said: Some(interruptions::taking_back(s, &claim.claim)?),
            })
        })
    }

    /// Why a false claim led to no interruption.
    fn only_noted(&self, check: &FactCheck, claim: &Claim) -> String {
        let mut same = check.claims.iter().filter(|c| c.claim == claim.claim);
        let silent = self.trace.plan.settings.get("interruptions") == Some(&json!(false));
        let why = match (
            same.find(|c| !c.is_false()),
            &claim.note,
            self.about(check).next().map(|i| i.cause),
        ) {
            (Some(other), ..) => format!("called {} too", other.verdict),
            (None, Some(note), _) => note.clone(),
            (None, None, Some(InterjectionCause::Fact)) => {
                "the interruption was for another claim".to_owned()
            }
            (None, None, Some(InterjectionCause::Rule)) => {
                "the interruption was for a broken rule".to_owned()
            }
            (None, None, None) if silent => "the job wants no interruptions".to_owned(),
            (None, None, None) => return "noted".to_owned(),
        };
        format!("noted: {why}")
    }
}

/// How a claim was taken back, where, and in whose words if not the clerk's.
struct TakenBack {
    words: String,
    within: String,
    said: Option<String>,
}

impl TakenBack {
    /// `A3 withdrawn in 004`, `taken back in 010: “I take back the figure.”`
    fn whole(&self) -> String {
        let said = self.said.as_ref().map(|said| format!(": {said}")).unwrap_or_default();
        format!("{} in {}{said}", self.words, self.within)
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
