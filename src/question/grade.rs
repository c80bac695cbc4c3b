//! Whether an answer is correct, and the result of several answers.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::answer::GivenAnswer;
use super::known::{Expected, Kind};
use super::number::Exact;
use super::posed::Posed;
use crate::digest;

/// Whether an answer is the expected one.
pub fn grade(posed: &Posed, answer: &GivenAnswer) -> bool {
    let expected = &posed.question.expected;
    match answer {
        GivenAnswer::Choice(choice) => expected.choice == Some(*choice),
        GivenAnswer::Number(number) => {
            accepted(expected).any(|known| is_number(expected, known, number))
        }
        GivenAnswer::Text(text) => {
            let plain = folded(text);
            posed.question.kind == Kind::Text
                && accepted(expected).any(|known| folded(known) == plain)
        }
    }
}

fn accepted(expected: &Expected) -> impl Iterator<Item = &str> {
    expected.value.iter().chain(&expected.accept).map(String::as_str)
}

fn is_number(expected: &Expected, known: &str, given: &str) -> bool {
    let (Some(known), Some(given)) = (Exact::parse(known), Exact::parse(given)) else {
        return false;
    };
    let tolerance = expected.tolerance.as_deref().and_then(Exact::parse);
    let near = tolerance.and_then(|tolerance| known.is_within(given, tolerance));
    near.unwrap_or(known == given)
}

/// A text as answers are compared: without letter case, punctuation, articles and blanks that differ.
pub(super) fn folded(text: &str) -> String {
    let chars: Vec<char> = text.replace('−', "-").chars().collect();
    let kept = |(at, c): (usize, &char)| {
        let before = at.checked_sub(1).map_or(' ', |at| chars[at]);
        let after = chars.get(at + 1).copied().unwrap_or(' ');
        let is_kept = match c {
            // Signs of numbers are no punctuation: -1 is not 1, and 1.5 is not 15.
            '-' => after.is_ascii_digit() && !before.is_alphanumeric(),
            '.' | ',' | '/' => after.is_ascii_digit() && before.is_ascii_digit(),
            _ => c.is_alphanumeric() || "%°+".contains(*c),
        };
        if is_kept { *c } else { ' ' }
    };
    let plain: String = chars.iter().enumerate().map(kept).collect();
    let lower = plain.to_lowercase();
    let mut words: Vec<&str> = lower.split_whitespace().collect();
    let is_article = |word: &&str| ["a", "an", "the"].contains(word);
    // `A` alone is the letter of a choice.
    if !words.iter().all(is_article) {
        words.retain(|word| !is_article(word));
    }
    words.join(" ")
}

/// The different answers, each with how often it was given, the most frequent first.
pub fn tally<'a>(
    answers: impl IntoIterator<Item = &'a GivenAnswer>,
) -> Vec<(&'a GivenAnswer, usize)> {
    let mut counts: BTreeMap<String, (&GivenAnswer, usize)> = BTreeMap::new();
    for answer in answers {
        counts.entry(key(answer)).or_insert((answer, 0)).1 += 1;
    }
    let mut tally: Vec<(&GivenAnswer, usize)> = counts.into_values().collect();
    tally.sort_by_key(|(_, count)| Reverse(*count));
    tally
}

/// The answer that was given most often, and whether lot decided between several; `None` without any.
pub fn plurality(posed: &Posed, answers: &[GivenAnswer], seed: u64) -> Option<(GivenAnswer, bool)> {
    let tally = tally(answers);
    let (_, most) = *tally.first()?;
    let leading: Vec<&GivenAnswer> =
        tally.iter().take_while(|(_, count)| *count == most).map(|(answer, _)| *answer).collect();
    let drawn = digest::derive(seed, &format!("plurality/{}", posed.question.id));
    let at = (drawn % leading.len() as u64) as usize;
    Some((leading[at].clone(), leading.len() > 1))
}

/// How likely the most frequent of some answers is correct, where equals are decided by lot; 0 without an answer. Each answer comes with
/// whether it is correct.
pub fn plurality_correct<'a>(answers: impl IntoIterator<Item = (&'a GivenAnswer, bool)>) -> f64 {
    let mut counts: BTreeMap<String, (usize, bool)> = BTreeMap::new();
    for (answer, correct) in answers {
        counts.entry(key(answer)).or_insert((0, correct)).0 += 1;
    }
    let most = counts.values().map(|(count, _)| *count).max();
    let leading: Vec<bool> = counts
        .into_values()
        .filter(|(count, _)| Some(*count) == most)
        .map(|(_, correct)| correct)
        .collect();
    let correct = leading.iter().filter(|correct| **correct).count();
    correct as f64 / leading.len().max(1) as f64
}

/// What is the same answer has the same key.
fn key(answer: &GivenAnswer) -> String {
    match answer {
        GivenAnswer::Choice(choice) => format!("choice {choice}"),
        GivenAnswer::Number(number) => format!("number {number}"),
        GivenAnswer::Text(text) => format!("text {}", folded(text)),
    }
}
