//! The fact checker's doubts, as told to opponents and judges, with the speaker's answer if it was interrupted.

use std::collections::{BTreeSet, HashMap};

use serde_json::{Value, json};

use super::check::VERDICTS;
use super::session::Session;
use super::turn::TurnKind;
use crate::event::{Claim, FactCheck, Interjection};
use crate::text;

/// Maximum claims that a task lists, not counting false ones, which are always listed.
const CLAIMS: usize = 6;
/// Maximum own claims that a task lists.
const OWN: usize = 3;
/// Characters of a speaker's answer to an interjection.
const ANSWERED: usize = 200;

/// A claim in doubt, with the check that found it.
type Doubt<'s> = (&'s FactCheck, &'s Claim);

/// What the fact checker doubts in others' claims since a statement, and at any time in the claims of whoever is asked. False
/// claims come first, then equally many of each speaker.
pub(super) fn shown(session: &Session<'_>, by: Option<&str>, since: u32) -> Value {
    let is_others = |speaker: &str| Some(speaker) != by;
    let mut doubts = in_order(session, doubts(session, since, is_others));
    let is_false = |(_, claim): &&Doubt<'_>| claim.is_false();
    let most = CLAIMS.max(doubts.iter().filter(is_false).count());
    let more = doubts.split_off(most.min(doubts.len()));
    let more = text::gathered(more.iter().map(|(check, claim)| (speaker(session, check), claim)));
    let more = more.iter().map(|(name, all)| json!({"name": name, "n": all.len()}));
    let claims = doubts.iter().map(|doubt| row(session, doubt));
    json!({
        "claims": claims.collect::<Vec<_>>(),
        "more": more.collect::<Vec<_>>(),
        "own": own(session, by),
        "tally": by.is_none().then(|| tally(session)),
        "interrupted": by.is_none() && !session.interjections.is_empty(),
    })
}

/// Of each side whose claims were checked, how many were found what: `Ann 2 true, 1 false`.
fn tally(session: &Session<'_>) -> Vec<String> {
    let of_check = |check: &'_ FactCheck| {
        let name = speaker(session, check).to_owned();
        let verdicts = check.countable().map(|claim| claim.verdict.clone());
        verdicts.map(|verdict| (name.clone(), verdict)).collect::<Vec<_>>()
    };
    let found = session.checks.iter().flat_map(of_check);
    let side = |(name, own): &(String, Vec<String>)| {
        let count = |verdict: &'static str| (own.iter().filter(|v| *v == verdict).count(), verdict);
        format!("{name} {}", text::counts(&VERDICTS.map(count)))
    };
    text::gathered(found).iter().map(side).collect()
}

fn speaker<'s>(session: &'s Session<'_>, check: &FactCheck) -> &'s str {
    session.speaker_of(check.about).map_or("", |id| session.name(id))
}

/// The claims of whoever is asked, each once: false ones, then the newest.
fn own(session: &Session<'_>, by: Option<&str>) -> Vec<Value> {
    let mut doubts = doubts(session, 0, |speaker| Some(speaker) == by);
    doubts.reverse();
    doubts.sort_by_key(|(_, claim)| !claim.is_false());
    let mut listed = BTreeSet::new();
    doubts.retain(|(_, claim)| listed.insert(&claim.claim));
    doubts.truncate(OWN);
    doubts.iter().map(|doubt| row(session, doubt)).collect()
}

/// What the fact checker found out about a statement, for the moderator's look at broken rules; without claims that are not its.
pub(super) fn about(session: &Session<'_>, n: u32) -> Vec<Value> {
    let checks = session.checks.iter().filter(|check| check.about == n);
    let claims = checks
        .flat_map(|check| check.claims.iter().map(move |claim| (check, claim)))
        .filter(|(_, claim)| claim.note.is_none());
    claims.map(|doubt| row(session, &doubt)).collect()
}

fn doubts<'s>(
    session: &'s Session<'_>,
    since: u32,
    is_such: impl Fn(&str) -> bool,
) -> Vec<Doubt<'s>> {
    let is_meant = |check: &&FactCheck| {
        let speaker = session.speaker_of(check.about);
        check.about > since && speaker.is_some_and(&is_such)
    };
    let claims = |check: &'s FactCheck| {
        let claims = check.claims.iter().filter(|claim| claim.is_doubted());
        claims.map(move |claim| (check, claim))
    };
    session.checks.iter().filter(is_meant).flat_map(claims).collect()
}

/// False claims first, then one per speaker in turn: otherwise a list that is cut might hold only one side's.
fn in_order<'s>(session: &Session<'_>, doubts: Vec<Doubt<'s>>) -> Vec<Doubt<'s>> {
    let mut of_each: HashMap<(Option<&str>, bool), usize> = HashMap::new();
    let mut placed: Vec<((bool, usize), Doubt<'s>)> = Vec::new();
    for (check, claim) in doubts {
        let unproven = !claim.is_false();
        let place = of_each.entry((session.speaker_of(check.about), unproven)).or_default();
        placed.push(((unproven, *place), (check, claim)));
        *place += 1;
    }
    placed.sort_by_key(|(place, _)| *place);
    placed.into_iter().map(|(_, doubt)| doubt).collect()
}

fn row(session: &Session<'_>, (check, claim): &Doubt<'_>) -> Value {
    json!({
        "name": speaker(session, check),
        "claim": text::sentence(&claim.claim),
        "verdict": claim.verdict,
        "reason": text::sentence(&claim.reason),
        "answer": answer_to(session, check.about, claim),
    })
}

/// The speaker's answer to the interruption for this claim. One for another claim or for a broken rule says nothing of it.
fn answer_to(session: &Session<'_>, about: u32, claim: &Claim) -> Option<String> {
    let for_this = |i: &&Interjection| i.about == about && i.is_for(&claim.claim);
    let interjection = session.interjections.iter().find(for_this)?;
    let phase = TurnKind::Answer(about).phase();
    let answer = session.said.iter().find(|s| {
        s.n > interjection.statement && s.by == interjection.speaker && s.phase == phase
    })?;
    answer.was_heard().then(|| text::beginning(&answer.text, ANSWERED))
}
