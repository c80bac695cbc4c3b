//! Where a statement stands in the debate: in which round, and in which part of it, in words.

use std::collections::BTreeMap;

use crate::call_id::{CallId, CallStage};
use crate::digest;
use crate::event::{Phase, Statement};
use crate::formats::moderated::CLOSINGS;
use crate::text::{self, answer_parts};
use crate::trace::Trace;

/// The round in which a statement was made. One outside of rounds has the number 0 like those of a roundtable's initial round:
/// that one has notes, and its calls are named after it.
pub(crate) fn round_of(trace: &Trace, s: &Statement) -> Option<u32> {
    let mut held = trace.rounds.iter().map(|notes| notes.round);
    let call = || s.call.as_deref().and_then(CallId::parse);
    let is_initial = || call().is_some_and(|call| call.stage == CallStage::Round(0));
    match s.round {
        0 => held.find(|round| *round == 0 && is_initial()),
        round => Some(round),
    }
}

/// The round under which readers find a statement: its own, or the last one if it is announced after it and rules on it.
pub(crate) fn filed_under(trace: &Trace, s: &Statement) -> Option<u32> {
    let rules = s.round == 0 && s.phase == Phase::ANNOUNCEMENT && s.gist != CLOSINGS;
    if rules { trace.rounds.last().map(|notes| notes.round) } else { round_of(trace, s) }
}

/// The phase outside of rounds that a statement belongs to: that of what is announced, if it announces that.
pub(crate) fn phase_of<'t>(trace: &'t Trace, s: &'t Statement) -> &'t Phase {
    let announced = trace.statement(s.n + 1).filter(|_| s.phase == Phase::ANNOUNCEMENT);
    &announced.unwrap_or(s).phase
}

/// What was said in each round.
pub(super) struct Rounds<'t>(BTreeMap<u32, Vec<&'t Statement>>);

impl<'t> Rounds<'t> {
    pub(super) fn of(trace: &'t Trace) -> Self {
        let said = trace.statements.iter().filter_map(|s| Some((filed_under(trace, s)?, s)));
        Self(text::gathered(said).into_iter().collect())
    }

    /// What was said in these rounds.
    pub(super) fn said(&self, from: u32, to: u32) -> impl Iterator<Item = &'t Statement> {
        let rounds = self.0.range(from..).take_while(move |(round, _)| **round <= to);
        rounds.flat_map(|(_, said)| said).copied()
    }

    /// Whether a round was a single turn: its headline says no more than who took it.
    pub(super) fn is_turn(&self, round: u32) -> bool {
        self.said(round, round).count() == 1
    }
}

/// Whether a statement sums up what others said, rather than being what the debate came to.
pub(super) fn is_summary(s: &Statement) -> bool {
    s.phase == Phase::SUMMARY
}

/// The statement that is the debate's answer, synthesis or summary.
pub(crate) fn final_text(trace: &Trace) -> Option<&Statement> {
    trace.statement(trace.outcome.as_ref()?.final_text?)
}

/// The answer that the debate came to; a summary of it is a statement like others.
pub(super) fn answer(trace: &Trace) -> Option<&Statement> {
    final_text(trace).filter(|s| !is_summary(s))
}

/// The file of a message, without ending: number, role and eight digits that follow from debate, number and text.
pub(super) fn message_name(trace: &Trace, statement: &Statement) -> String {
    let digest =
        digest::of_bytes(format!("{}\n{}\n{}", trace.id, statement.n, statement.text).as_bytes());
    format!("{:03}_{}_{}", statement.n, statement.by, &digest[..8])
}

/// The number of a statement as texts name it: `007`.
pub(super) fn number(n: u32) -> String {
    format!("{n:03}")
}

/// What an answer comes to, then its reasoning and the other parts that it is asked for, where these are known.
pub(super) fn by_parts(answer: &str) -> Vec<String> {
    let mut parts = answer_parts::read(answer).named().into_iter();
    let Some((_, said)) = parts.next() else { return vec![untitled(answer).to_owned()] };
    // The first item of a list stands behind the name.
    let unmarked = |said: &str| said.trim_start_matches("- ").trim_start_matches("* ").to_owned();
    let named = |(name, said): (&str, String)| {
        text::told_if(!said.is_empty(), || format!("{name}: {}", unmarked(said.trim_start())))
    };
    [said].into_iter().chain(parts.map(named)).collect()
}

/// What answers are headed with that only says that they are one.
const TITLES: [&str; 4] = ["answer", "the answer", "final answer", "the final answer"];

/// An answer without headings at its beginning that only say that it is one: it stands under ours.
pub(super) fn untitled(answer: &str) -> &str {
    let mut rest = answer.trim();
    loop {
        let (first, below) = rest.split_once('\n').unwrap_or((rest, ""));
        let bold = rest.strip_prefix("**").and_then(|bold| bold.split_once("**"));
        let is_bold = |label: &str| {
            let name = label.trim_matches(|c: char| !c.is_alphabetic()).to_lowercase();
            TITLES.contains(&name.as_str())
        };
        let is_title = first.starts_with('#') && first.to_lowercase().contains("answer");
        let below = match bold {
            Some((label, said)) if is_bold(label) => said.trim_start_matches([':', '.', ' ']),
            _ if is_title => below,
            _ => return rest,
        };
        if below.trim().is_empty() {
            return rest;
        }
        rest = below.trim_start();
    }
}
