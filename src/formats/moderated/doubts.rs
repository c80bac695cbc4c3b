//! What the fact checker doubts, as opponents and judges are told it: with what its speaker said to it when interrupted.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::check::{FALSE, TRUE};
use super::session::Session;
use super::turn::TurnKind;
use crate::event::{Claim, EventKind, FactCheck, Interjection, InterjectionCause};
use crate::text;

/// Claims that a task lists; false ones always are.
const CLAIMS: usize = 6;
/// Characters of what a speaker answered to an interjection.
const ANSWERED: usize = 200;

/// A claim in doubt, with the check that found it.
type Doubt = (FactCheck, Claim);

/// What the fact checker held of others' claims since a statement, but for those it found true; false ones first, then of
/// each speaker as many as of the others.
pub(super) fn shown(session: &Session<'_>, by: Option<&str>, since: u32) -> Value {
    let mut doubts = in_order(session, doubts(session, by, since));
    let is_false = |(_, claim): &&Doubt| claim.verdict == FALSE;
    let most = CLAIMS.max(doubts.iter().filter(is_false).count());
    let more = doubts.len().saturating_sub(most);
    doubts.truncate(most);
    let answers = Answers::of(session);
    let row = |doubt: &Doubt| row(session, &answers, doubt);
    json!({"claims": doubts.iter().map(row).collect::<Vec<_>>(), "more": more})
}

fn doubts(session: &Session<'_>, by: Option<&str>, since: u32) -> Vec<Doubt> {
    let checks = session.floor.events().into_iter();
    let checks = checks.filter_map(|event| match event.kind {
        EventKind::FactCheck(check) if check.about > since => Some(check),
        _ => None,
    });
    let of_others = |check: &FactCheck| {
        let speaker = session.speaker_of(check.about);
        speaker.is_some_and(|speaker| Some(speaker) != by)
    };
    let claims = |check: FactCheck| {
        let claims = check.claims.clone().into_iter();
        let doubted = claims.filter(|c| c.verdict != TRUE && c.note.is_none());
        doubted.map(move |claim| (check.clone(), claim))
    };
    checks.filter(of_others).flat_map(claims).collect()
}

/// False claims first, then one of each speaker in turn: a list that is cut would else hold one side's only.
fn in_order(session: &Session<'_>, doubts: Vec<Doubt>) -> Vec<Doubt> {
    let mut of_each: HashMap<(Option<&str>, bool), usize> = HashMap::new();
    let mut placed: Vec<((bool, usize), Doubt)> = Vec::new();
    for (check, claim) in doubts {
        let unproven = claim.verdict != FALSE;
        let place = of_each
            .entry((session.speaker_of(check.about), unproven))
            .or_default();
        placed.push(((unproven, *place), (check, claim)));
        *place += 1;
    }
    placed.sort_by_key(|(place, _)| *place);
    placed.into_iter().map(|(_, doubt)| doubt).collect()
}

fn row(session: &Session<'_>, answers: &Answers, (check, claim): &Doubt) -> Value {
    let name = session.speaker_of(check.about).map(|id| session.name(id));
    json!({
        "name": name,
        "claim": text::sentence(&claim.claim),
        "verdict": claim.verdict,
        "reason": text::sentence(&claim.reason),
        "answer": answers.to(check.about, claim),
    })
}

/// What speakers answered when they were interrupted, by the number of the statement that gave cause.
struct Answers(HashMap<u32, (Interjection, String)>);

impl Answers {
    fn of(session: &Session<'_>) -> Self {
        let events = session.floor.events().into_iter();
        let interjections = events.filter_map(|event| match event.kind {
            EventKind::Interjection(interjection) => Some(interjection),
            _ => None,
        });
        let answered = interjections.filter_map(|interjection| {
            let phase = TurnKind::Answer(interjection.about).phase();
            let mut later = session.said.iter();
            let answer = later.find(|s| {
                s.n > interjection.statement && s.by == interjection.speaker && s.phase == phase
            })?;
            let said = text::beginning(&answer.text, ANSWERED);
            let heard = answer.was_heard();
            heard.then_some((interjection.about, (interjection, said)))
        });
        Self(answered.collect())
    }

    /// What was answered that may bear on a claim: to an interruption for this claim, or for a rule that the statement broke.
    fn to(&self, about: u32, claim: &Claim) -> Option<&str> {
        let (interjection, said) = self.0.get(&about)?;
        let bears = match interjection.cause {
            InterjectionCause::Fact => interjection.point == claim.claim,
            InterjectionCause::Rule => true,
        };
        bears.then_some(said.as_str())
    }
}
