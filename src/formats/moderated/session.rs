//! The advocates and their statements so far.

use serde_json::{Value, json};

use super::turn::TurnKind;
use crate::event::{FactCheck, Interjection, Phase, Statement};
use crate::floor::Floor;
use crate::formats::moderated::settings::{Moderated, Style};
use crate::job::participant::Participant;

/// What an advocate who passes a rebuttal writes.
const PASS: &str = "PASS";

/// The advocates and their statements so far.
pub(super) struct Session<'a> {
    pub(super) floor: &'a Floor,
    pub(super) settings: &'a Moderated,
    /// The advocates' ids, in the order of the job.
    pub(super) advocates: Vec<&'a str>,
    pub(super) said: Vec<Statement>,
    /// The fact checks of the statements.
    pub(super) checks: Vec<FactCheck>,
    pub(super) interjections: Vec<Interjection>,
}

/// Whether a statement passes a rebuttal, which takes a reply with nothing else in it.
pub(super) fn is_pass(settings: &Moderated, statement: &Statement) -> bool {
    let word = statement.text.trim_matches(|c: char| !c.is_alphanumeric());
    settings.style == Style::Casual
        && statement.phase == TurnKind::Rebuttal.phase()
        && word.eq_ignore_ascii_case(PASS)
}

impl<'a> Session<'a> {
    pub(super) fn of(floor: &'a Floor, settings: &'a Moderated) -> Self {
        let profile = floor.plan().format.profile;
        let advocates = floor.plan().participants.iter().filter(|p| profile.argues(p));
        Self {
            floor,
            settings,
            advocates: advocates.map(|p| p.id.as_str()).collect(),
            said: Vec::new(),
            checks: Vec::new(),
            interjections: Vec::new(),
        }
    }

    pub(super) fn advocate(&self, id: &str) -> Option<&'a Participant> {
        self.floor.plan().participant(id)
    }

    pub(super) fn name<'s>(&'s self, id: &'s str) -> &'s str {
        self.floor.plan().name_of(id)
    }

    pub(super) fn named(&self, ids: &[&str]) -> Value {
        ids.iter().map(|id| json!(self.advocate(id))).collect()
    }

    /// Pairs of who argues and who rebuts, in the order of a round.
    pub(super) fn turns(&self) -> impl Iterator<Item = (&'a str, &'a str)> {
        let next = self.advocates.iter().cycle().skip(1);
        self.advocates.iter().zip(next).map(|(a, b)| (*a, *b))
    }

    /// The speakers of a round, in order.
    pub(super) fn order(&self) -> Vec<&'a str> {
        self.turns().flat_map(|(a, b)| [a, b]).collect()
    }

    /// The advocates' statements in a round.
    pub(super) fn said_in(&self, round: u32) -> Vec<&Statement> {
        self.said.iter().filter(|s| s.round == round).collect()
    }

    /// The advocates' statements of a kind outside rounds, with their answers to interruptions of these.
    pub(super) fn said_outside_rounds(&self, kind: TurnKind) -> Vec<&Statement> {
        let is_such = |s: &&Statement| s.round == 0 && s.phase == kind.phase();
        let first = self.said.iter().find(is_such).map_or(0, |s| s.n);
        let last = self.said.iter().rfind(is_such).map_or(0, |s| s.n);
        let answers = |n: u32| {
            let mut interrupted = self.interjections.iter();
            interrupted.any(|i| (first..=last).contains(&i.about) && n == i.statement + 1)
        };
        let of_phase = |s: &&Statement| {
            let is_answer = s.phase == Phase::ANSWER && answers(s.n);
            s.round == 0 && (s.phase == kind.phase() || is_answer)
        };
        self.said.iter().filter(of_phase).collect()
    }

    /// The round of an advocate's statement.
    pub(super) fn round_of(&self, n: u32) -> Option<u32> {
        self.said.iter().find(|s| s.n == n).map(|s| s.round)
    }

    /// The advocate who made a statement.
    pub(super) fn speaker_of(&self, n: u32) -> Option<&str> {
        self.said.iter().find(|s| s.n == n).map(|s| s.by.as_str())
    }

    /// The statements of a round that the clerk notes: every argument, or all of them if nobody could argue.
    pub(super) fn noted<'s>(&self, said: &[&'s Statement]) -> Vec<&'s Statement> {
        let argued = |s: &&&Statement| s.was_heard() && !is_pass(self.settings, s);
        let noted: Vec<&Statement> = said.iter().filter(argued).copied().collect();
        if noted.is_empty() { said.to_vec() } else { noted }
    }

    /// Whether a model has spoken for an advocate.
    pub(super) fn has_spoken(&self, id: &str) -> bool {
        self.said.iter().any(|s| s.by == id && s.was_heard())
    }

    /// The number of an advocate's last statement; 0 before the first.
    pub(super) fn last_turn(&self, id: &str) -> u32 {
        self.said.iter().rev().find(|s| s.by == id).map_or(0, |s| s.n)
    }

    /// The numbers of the rebuttals that were passed.
    pub(super) fn passes(&self) -> Vec<u32> {
        let passes = self.said.iter().filter(|s| is_pass(self.settings, s));
        passes.map(|s| s.n).collect()
    }
}
