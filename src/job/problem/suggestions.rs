//! Suggestions for unknown words.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use crate::text;

/// A hint that names the nearest of `known`, if one is near.
pub(in crate::job) fn did_you_mean<'k>(
    written: &str,
    known: impl Iterator<Item = &'k str>,
) -> Option<String> {
    nearest(written, known).map(|best| format!("did you mean `{best}`?"))
}

/// Maximum bytes of a word to compare; known words are far shorter.
const MOST_COMPARED: usize = 200;

/// The known word closest in spelling, if one is close.
pub(crate) fn nearest<'k>(written: &str, known: impl Iterator<Item = &'k str>) -> Option<&'k str> {
    nearest_within(written, known, |length| match length.min(written.len()) {
        // Of one letter, any other is as near, but for those of other alphabets, which look alike.
        0..=1 if written.is_ascii() && written.len() == 1 => 0,
        0..=3 => 1,
        length => 1 + length / 3,
    })
}

/// Whether two words have the same first letter.
pub(in crate::job) fn begins_alike(one: &str, other: &str) -> bool {
    let [one, other] = [one, other].map(|word| word.chars().next());
    one.zip(other).is_some_and(|(one, other)| one.eq_ignore_ascii_case(&other))
}

/// Letters of a name from which the model that begins with it is likely meant.
const BEGINS: usize = 3;

/// The model that is meant by a name: one that lacks only its tag, or that has a slip before it, or whose name was begun. The names of
/// different models are often alike, but for their numbers and tags.
pub(crate) fn nearest_model<'k>(written: &str, known: &BTreeSet<&'k str>) -> Option<&'k str> {
    let (known, tag) = (known.iter().copied(), tag_of(written));
    let has_tag = |it: &str| [tag, None].contains(&tag_of(it)) || tag.is_none();
    let like = known.clone().filter(|it| numbers(it) == numbers(written) && has_tag(it));
    let begun = written.len() >= BEGINS && numbers(written).is_empty();
    let is_tagged = |it: &&str| it.split(':').next() == Some(written);
    (known.clone().find(is_tagged))
        .or_else(|| nearest_within(written, like, |length| 1 + length / 8))
        .or_else(|| known.clone().find(|it| begun && it.starts_with(written)))
}

fn tag_of(model: &str) -> Option<&str> {
    model.split_once(':').map(|(_, tag)| tag)
}

/// The digits in a model's name and tag.
fn numbers(model: &str) -> String {
    model.replace(|c: char| !c.is_ascii_digit(), "")
}

/// The known word closest in spelling, if no more letters differ than its length allows.
fn nearest_within<'k>(
    written: &str,
    known: impl Iterator<Item = &'k str>,
    limit: impl Fn(usize) -> usize,
) -> Option<&'k str> {
    if written.len() > MOST_COMPARED {
        return None;
    }
    let plain = |word: &str| word.to_lowercase().replace('-', "_");
    let written = plain(written);
    let distance = |word: &str| strsim::damerau_levenshtein(&written, &plain(word));
    let near = known.filter(|word| distance(word) <= limit(word.len()));
    near.min_by_key(|word| distance(word))
}

/// Parts of keys without meaning of their own.
const EMPTY: [&str; 9] = ["max", "min", "per", "of", "on", "allow", "count", "number", "num"];

/// A hint that names the keys sharing the most words with the written one, if any; of these, the shortest.
pub(in crate::job) fn like_name(written: &str, known: &[&str]) -> Option<String> {
    let wanted = key_words(written);
    let rank = |key: &str| {
        let words = key_words(key);
        let shared = words.intersection(&wanted).count();
        (shared > 0).then_some((shared, Reverse(words.len())))
    };
    let best = known.iter().filter_map(|key| rank(key)).max()?;
    let like: Vec<String> = known
        .iter()
        .filter(|key| rank(key) == Some(best))
        .take(3)
        .map(|key| format!("`{key}`"))
        .collect();
    Some(format!("did you mean {}?", text::joined(&like, "or")))
}

/// The meaningful words of a key, in the singular.
fn key_words(key: &str) -> BTreeSet<String> {
    let key = key.to_lowercase();
    let words = key.split(['_', '-', '.', ' ']).map(|word| word.strip_suffix('s').unwrap_or(word));
    words.filter(|word| word.len() > 1 && !EMPTY.contains(word)).map(str::to_owned).collect()
}
