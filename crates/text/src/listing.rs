//! Counts with their nouns, and lists in words.

use std::fmt::Display;

/// `1 round`, `2,000 rounds`: a count with its noun.
pub fn count<N: Display + PartialEq + From<u8>>(n: N, noun: &str) -> String {
    let plural = if n == N::from(1) { "" } else { "s" };
    format!("{} {noun}{plural}", grouped(n))
}

/// `12 done, 1 failed`: how many of each, without what is 0.
pub fn counts<N: Display + PartialEq + From<u8>>(of: &[(N, impl Display)]) -> String {
    further_counts(of).trim_start_matches(", ").to_owned()
}

/// The same behind something else: `, 12 done, 1 failed`.
pub fn further_counts<N: Display + PartialEq + From<u8>>(of: &[(N, impl Display)]) -> String {
    let some = of.iter().filter(|(n, _)| *n != N::from(0));
    some.map(|(n, what)| format!(", {} {what}", grouped(n))).collect()
}

/// A number with its digits in threes: `1,000,000`.
pub fn grouped(n: impl Display) -> String {
    let digits = n.to_string();
    separated(digits.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy), ",")
}

/// The first of many words, and how many more there are: `a, b and 7 more`.
pub fn some_of(words: impl IntoIterator<Item: AsRef<str>>, most: usize) -> String {
    let mut words = words.into_iter();
    let shown = separated(words.by_ref().take(most), ", ");
    match words.count() {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

/// The first of many names, as a sentence has them: `parks, trams, walks and 4 more`.
pub fn first_of(names: impl ExactSizeIterator<Item: Into<String>>, most: usize) -> String {
    let more = names.len().saturating_sub(most);
    let more = (more > 0).then(|| format!("{more} more"));
    joined(names.take(most).map(Into::into).chain(more), "and")
}

/// Each once, in the order in which they come first.
pub fn distinct<T: PartialEq>(all: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut found = Vec::new();
    for one in all {
        if !found.contains(&one) {
            found.push(one);
        }
    }
    found
}

/// What goes by each name, in the order in which the names come first.
pub fn gathered<K: PartialEq, V>(all: impl IntoIterator<Item = (K, V)>) -> Vec<(K, Vec<V>)> {
    let mut found: Vec<(K, Vec<V>)> = Vec::new();
    for (name, one) in all {
        match found.iter_mut().find(|(known, _)| *known == name) {
            Some((_, own)) => own.push(one),
            None => found.push((name, vec![one])),
        }
    }
    found
}

/// Things by turns: the first that goes by each name before the second of any.
pub fn by_turns<K: PartialEq, V>(all: impl IntoIterator<Item = (K, V)>) -> Vec<V> {
    let own = gathered(all).into_iter().flat_map(|(_, own)| own.into_iter().enumerate());
    let mut places: Vec<(usize, V)> = own.collect();
    places.sort_by_key(|(place, _)| *place);
    places.into_iter().map(|(_, one)| one).collect()
}

/// Words with the same text between every two: `a, b, c`.
pub fn separated(words: impl IntoIterator<Item: AsRef<str>>, by: &str) -> String {
    let mut all = String::new();
    for (place, word) in words.into_iter().enumerate() {
        all.push_str(if place > 0 { by } else { "" });
        all.push_str(word.as_ref());
    }
    all
}

/// Words in a sentence, with `last` before the last one: `a`, `a and b`, `a, b and c`.
pub fn joined(words: impl IntoIterator<Item: AsRef<str>>, last: &str) -> String {
    let words: Vec<_> = words.into_iter().collect();
    match words.as_slice() {
        [] => String::new(),
        [one] => one.as_ref().to_owned(),
        [most @ .., end] => format!("{} {last} {}", separated(most, ", "), end.as_ref()),
    }
}
