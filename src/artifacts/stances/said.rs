//! Stances that differ from the one with which their holder had just ended its statement.

use serde_json::Value;

use crate::artifacts::statement_place;
use crate::event::{Stance, StanceTime, Statement};
use crate::job::profile_of;
use crate::text::{self, mentions};
use crate::trace::Trace;

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

/// The other stance with which somebody ended the statement before it took this one, and that statement.
pub(super) fn otherwise<'t>(trace: &'t Trace, stance: &Stance) -> Option<(&'t Statement, &'t str)> {
    let taken = stance.stance.as_deref()?;
    let is_before = |s: &&Statement| match stance.time() {
        StanceTime::AtEnd => true,
        StanceTime::AfterRound(round) => statement_place::round_of(trace, s) == Some(round),
    };
    let mut own = trace.statements.iter().filter(|s| s.by == stance.by.id);
    let said = own.rfind(is_before)?;
    let is_whole = said.was_heard() && !said.cut;
    let is_own_case = profile_of(&trace.format)
        .advocacy_in(said.phase.name())
        .is_none();
    let ended = ended_with(&said.text, options(trace)).filter(|_| is_whole && is_own_case)?;
    (ended != taken).then_some((said, ended))
}

/// Each such stance as a sentence: `Ann ended 008 with “trial”, and when asked for a stance right after it chose “adopt”, which counts.`.
pub(in crate::artifacts) fn contradictions(trace: &Trace) -> impl Iterator<Item = String> + '_ {
    trace.stances.iter().filter_map(|stance| {
        let (said, ended) = otherwise(trace, stance)?;
        let (name, n) = (trace.name_of(&said.by), said.n);
        let taken = stance.stance.as_deref()?;
        Some(format!(
            "{name} ended {n:03} with “{ended}”, and when asked for a stance right after it chose “{taken}”, which counts."
        ))
    })
}

/// The stances of the job, in its order.
pub(super) fn options(trace: &Trace) -> impl Iterator<Item = &str> + Clone {
    let all = trace.plan.settings.get("stances").and_then(Value::as_array);
    all.into_iter().flatten().filter_map(Value::as_str)
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
    let is_turned = TURNS
        .iter()
        .any(|word| mentions::names(before, word, [].into_iter()));
    let is_turned = is_turned || ["n't", "n’t"].iter().any(|not| before.contains(not));
    let ends = after.chars().all(is_around) || HOLDS.iter().any(|held| before.ends_with(held));
    (ends && !is_turned).then_some(only)
}

#[cfg(test)]
mod tests {
    use super::ended_with;

    #[test]
    fn a4_only_a_sentence_that_ends_with_one_stance_says_where_somebody_stands() {
        let options = ["adopt", "trial", "reject"];
        for (said, expected) in [
            ("I move from adopt. I stay at trial.", Some("trial")),
            ("It costs much.\n\nI stand at **trial**.", Some("trial")),
            ("So: Reject!", Some("reject")),
            ("I move from adopt to trial.", None),
            (
                "I stay at “Reject” until somebody shows who pays.",
                Some("reject"),
            ),
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
