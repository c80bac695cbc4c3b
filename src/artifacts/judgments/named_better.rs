//! Whether a judge's words name another side as better than its scores do. Only a plain sentence counts: to doubt a judge without
//! cause is worse than to miss something.

use std::collections::BTreeMap;

use crate::event::{Reading, VerdictJudge, hundredths};
use crate::text::{self, mentions};
use crate::trace::Trace;

/// What may stand before the side in such a sentence.
const BEFORE: [&str; 6] =
    ["overall", "on balance", "all in all", "on the whole", "in the end", "in sum"];

/// What follows the side in it.
const BETTER: [&str; 20] = [
    "argued better",
    "argued best",
    "argued the better case",
    "argued the stronger case",
    "made the better case",
    "made the stronger case",
    "makes the stronger case",
    "had the stronger case",
    "has the stronger case",
    "had the better case",
    "had the better of it",
    "deserves the win",
    "deserves to win",
    "is more convincing",
    "was more convincing",
    "is stronger",
    "was stronger",
    "is the winner",
    "wins",
    "won",
];

/// What says that the whole is meant.
const WHOLE: [&str; 3] = [" overall", " the debate", " this debate"];

/// What may follow that.
const BEHIND_WHOLE: [&str; 4] = [" and ", " by ", " than ", " with "];

/// What narrows it to a part.
const PARTS: [&str; 6] = ["about ", "as to ", "at ", "in ", "on ", "over "];

/// Words behind it that take something back or narrow it.
const DOUBTS: [&str; 18] = [
    "although",
    "but",
    "could",
    "despite",
    "except",
    "exception",
    "however",
    "if",
    "nevertheless",
    "nonetheless",
    "only",
    "still",
    "though",
    "unless",
    "whereas",
    "while",
    "would",
    "yet",
];

/// `its words put Ann ahead, its scores Ben`, of the totals that are shown with the words; nothing where they agree, where two
/// lead, or where it is not plain.
pub(in crate::artifacts) fn note(
    trace: &Trace,
    reading: &Reading,
    totals: &BTreeMap<String, f64>,
) -> Option<String> {
    let (named, first) = differing(trace, reading, totals)?;
    Some(format!("its words put {named} ahead, its scores {first}"))
}

/// The same of a judge, in a sentence: `Judge-2's words put Ann ahead, its scores Ben.`, or `Judge-2's words put Ann ahead in 1 of its
/// 2 readings, its scores Ben.`
pub(in crate::artifacts) fn sentence(trace: &Trace, judge: &VerdictJudge) -> Option<String> {
    let all: Vec<_> =
        judge.valid().map(|reading| differing(trace, reading, &reading.totals)).collect();
    let alike = |found: &&Option<(&str, &str)>| found.is_some();
    let (named, first) = (*all.iter().find(alike)?)?;
    let readings = match all.iter().filter(alike).count() {
        some if some < all.len() => format!(" in {some} of its {} readings", all.len()),
        _ => String::new(),
    };
    let judge = text::possessive(trace.name_of(&judge.judge.id));
    Some(format!("{judge} words put {named} ahead{readings}, its scores {first}."))
}

/// The side that the words name, and the other one that the totals do.
fn differing<'t>(
    trace: &'t Trace,
    reading: &'t Reading,
    totals: &'t BTreeMap<String, f64>,
) -> Option<(&'t str, &'t str)> {
    let named = named(trace, reading)?;
    let best = totals.values().map(|total| hundredths(*total)).max();
    let leads = |total: &f64| Some(hundredths(*total)) == best;
    let mut first = totals.iter().filter(|(_, total)| leads(total));
    let (first, None) = (first.next()?.0, first.next()) else {
        return None;
    };
    (first != named).then(|| (trace.name_of(named), trace.name_of(first)))
}

/// The only side that the reasons call better.
fn named<'r>(trace: &Trace, reading: &'r Reading) -> Option<&'r String> {
    let on_each = reading.reasons.values().map(|reason| &reason.text);
    let said: Vec<String> = on_each
        .chain([&reading.reason])
        .chain(&reading.summary)
        .flat_map(|text| text::split_sentences(text))
        .collect();
    let is_named = |id: &&String| {
        let name = trace.name_of(id);
        said.iter().any(|sentence| is_better(sentence, name))
    };
    let named: Vec<&String> = reading.totals.keys().filter(is_named).collect();
    match named[..] {
        [only] => Some(only),
        _ => None,
    }
}

/// Whether a sentence says of a side that it was better, and no more than that.
fn is_better(sentence: &str, name: &str) -> bool {
    let said = sentence.trim_end_matches(['.', '!', '…']);
    let name = name.strip_prefix("the ").unwrap_or(name);
    let rest = after_opening(said).strip_prefix(name);
    let rest = rest.and_then(|rest| rest.strip_prefix(' '));
    let mut better = BETTER.iter();
    rest.is_some_and(|rest| better.any(|words| rest.strip_prefix(words).is_some_and(is_plain)))
}

/// A sentence without `Overall, ` and the article before a name.
fn after_opening(sentence: &str) -> &str {
    let mut before = BEFORE.iter();
    let rest = before.find_map(|words| mentions::after_name(sentence, words));
    let rest = rest.map_or(sentence, |rest| rest.trim_start_matches([',', ' ']));
    let article = rest.strip_prefix("The ").or(rest.strip_prefix("the "));
    article.unwrap_or(rest)
}

/// Whether what follows narrows nothing: it ends there, says that the whole is meant, or gives a cause.
fn is_plain(rest: &str) -> bool {
    let whole = WHOLE.iter().find_map(|words| rest.strip_prefix(words));
    let rest = whole.unwrap_or(rest);
    let goes_on = [",", ";", ":", " because ", " since "].iter();
    let behind_whole = BEHIND_WHOLE.iter().filter(|_| whole.is_some());
    let mut goes_on = goes_on.chain(behind_whole);
    let is_behind = rest.is_empty() || goes_on.any(|begins| rest.starts_with(begins));
    let next = rest.trim_start_matches([',', ';', ':', ' ']);
    let is_of_part = PARTS.iter().any(|part| next.starts_with(part));
    let mut words = rest.split(|c: char| !c.is_alphanumeric());
    let is_doubted = words.any(|word| DOUBTS.contains(&word.to_lowercase().as_str()));
    is_behind && !is_of_part && !is_doubted
}

#[cfg(test)]
mod tests {
    use super::is_better;

    #[test]
    fn a4_only_a_plain_sentence_calls_a_side_better() {
        for plain in [
            "School leader argued better overall.",
            "School leader argued better overall, meeting each point on its terms.",
            "Overall, School leader wins because Parent did not answer.",
            "on balance the School leader won the debate",
            "School leader is stronger.",
            "School leader deserves the win: each point was met.",
            "School leader argued better overall than Parent.",
        ] {
            assert!(is_better(plain, "School leader"), "{plain}");
        }
        for other in [
            "School leader argued better on cost.",
            "School leader argued better overall on cost.",
            "School leader won round 2.",
            "School leader wins, on cost at least.",
            "School leader is stronger: on cost it gave figures.",
            "School leader wins; on style Parent did.",
            "School leader won overall, with cost the exception.",
            "School leader wins only if the figures hold.",
            "School leader argued better overall, but Parent answered more.",
            "School leader argued better than Parent expected.",
            "School leader did not argue better overall.",
            "If School leader is stronger, it is by little.",
            "Parent says that School leader won.",
            "“School leader won” is what Parent fears.",
            "Was it School leader?",
            "School leaders won.",
        ] {
            assert!(!is_better(other, "School leader"), "{other}");
        }
    }
}
