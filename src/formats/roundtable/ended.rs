//! The stance with which a statement ends, and whether its speaker then took another.

use crate::event::{Phase, Stance, StanceTime, Statement};
use crate::text::{self, mentions};

/// The phase of the turn that argues against everyone's first answer.
pub(super) const CHALLENGE: Phase = Phase::new("challenge");
/// The phase of the turns beyond the rounds.
pub(super) const EXTRA_TURN: Phase = Phase::new("extra_turn");

/// Words before a stance that turn what is said of it round, or make it depend on something. Such a sentence is not interpreted.
const TURNS: [&str; 10] = [
    "not",
    "never",
    "no longer",
    "cannot",
    "against",
    "unlike",
    "if",
    "unless",
    "i would",
    "i might",
];
/// Words with which a sentence takes the stance right after them, whatever it goes on to say.
const HOLDS: [&str; 3] = ["i stay at", "i stand at", "i remain at"];

/// The other stance with which somebody ended the statement before it took this one, and that statement. What it said as devil's
/// advocate was not its own view.
pub(crate) fn ended_otherwise<'s, 'o>(
    stance: &Stance,
    said: impl DoubleEndedIterator<Item = &'s Statement>,
    options: impl Iterator<Item = &'o str> + Clone,
) -> Option<(&'s Statement, &'o str)> {
    let taken = stance.stance.as_deref()?;
    let is_before = |s: &&Statement| match stance.time() {
        StanceTime::AtEnd => true,
        StanceTime::AfterRound(round) => s.round == round && s.phase != EXTRA_TURN,
    };
    let said = said.filter(|s| s.by == stance.by.id).rfind(is_before)?;
    let is_own_view = said.was_heard() && !said.cut && said.phase != CHALLENGE;
    let ended = ended_with(&said.text, options).filter(|_| is_own_view)?;
    (ended != taken).then_some((said, ended))
}

/// The only stance that the last sentence of a text names, if it ends with it or says `I stay at` it. To name one on the way need
/// not be to take it.
fn ended_with<'o>(said: &str, options: impl Iterator<Item = &'o str> + Clone) -> Option<&'o str> {
    let last = text::split_sentences(&text::unmarked(said)).pop()?;
    let others = options.clone();
    let mut named = options.filter(|option| mentions::names(&last, option, others.clone()));
    let only = named.next().filter(|_| named.next().is_none())?;
    let last = last.to_lowercase();
    let (before, after) = last.rsplit_once(&only.to_lowercase())?;
    let is_around = |c: char| !c.is_alphanumeric();
    let before = before.trim_end_matches(is_around);
    let is_turned = TURNS.iter().any(|word| mentions::names(before, word, [].into_iter()));
    let is_turned = is_turned || ["n't", "n’t"].iter().any(|not| before.contains(not));
    let ends = after.chars().all(is_around) || HOLDS.iter().any(|held| before.ends_with(held));
    (ends && !is_turned).then_some(only)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{Judge, Origin, Reading};

    #[test]
    fn a4_what_was_said_after_a_stance_does_not_contradict_it() {
        let said = |n: u32, phase: Phase, stance: &str| Statement {
            n,
            phase,
            round: 1,
            by: "ann".to_owned(),
            text: format!("It pays. I stay at {stance}."),
            origin: Origin::Model,
            ..Statement::default()
        };
        let stance = Stance {
            round: 1,
            by: Judge { kind: "model".to_owned(), id: "ann".to_owned(), model: None },
            stance: Some("adopt".to_owned()),
            confidence: None,
            moved_from: None,
            moved_by: None,
            weight: 1.0,
            reading: Reading::default(),
        };
        let options = || ["adopt", "trial", "reject"].into_iter();
        let found = |all: &[Statement]| {
            ended_otherwise(&stance, all.iter(), options()).map(|(s, ended)| (s.n, ended))
        };
        let turn = said(1, Phase::ARGUMENT, "trial");
        let later = said(2, EXTRA_TURN, "reject");
        assert_eq!(found(&[turn, later.clone()]), Some((1, "trial")));
        assert_eq!(found(&[said(1, CHALLENGE, "trial"), later]), None);
    }

    #[test]
    fn a4_only_a_sentence_that_ends_with_one_stance_says_where_somebody_stands() {
        let options = ["adopt", "trial", "reject"];
        for (said, expected) in [
            ("I move from adopt. I stay at trial.", Some("trial")),
            ("It costs much.\n\nI stand at **trial**.", Some("trial")),
            ("So: Reject!", Some("reject")),
            ("I move from adopt to trial.", None),
            ("I stay at “Reject” until somebody shows who pays.", Some("reject")),
            ("If many came, I would say trial.", None),
            ("If many came, I stay at trial for now.", None),
            ("I do not support a trial.", None),
            ("I don't want a trial.", None),
            ("My answer isn't trial.", None),
            ("It isn’t “reject”.", None),
            ("The school should adopt.", Some("adopt")),
            ("As far as I could see, reject.", Some("reject")),
            ("A trial has its price.", None),
            ("We learn by trials.", None),
        ] {
            assert_eq!(ended_with(said, options.into_iter()), expected, "{said}");
        }
    }
}
