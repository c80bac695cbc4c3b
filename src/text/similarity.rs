//! How much of one text is in another: the ratio of Ratcliff and Obershelp, as Python's `difflib` computes it.

use std::collections::HashMap;

use super::words::words;

/// Replies at least this similar to an earlier one count as repeats by default.
pub const SIMILARITY: f64 = 0.95;

/// `difflib.SequenceMatcher(None, new, earlier, autojunk=False).ratio()` over the words of the texts, as Unicode
/// finds them (UAX #29; in scripts without spaces each character), in lower case: 1 for the same words in the same order
/// and for two texts without words, 0 where they share none. Case, punctuation and spacing do not count. The order of the arguments matters: of equally long matches, the first one in `new` is taken.
pub fn similarity(new: &str, earlier: &str) -> f64 {
    let (new, earlier) = (words(new), words(earlier));
    let (new, earlier) = numbered(&new, &earlier);
    match new.len() + earlier.len() {
        0 => 1.0,
        both => 2.0 * matched(&new, &earlier) as f64 / both as f64,
    }
}

/// The words of both texts as numbers, equal words by equal numbers, which are faster to compare.
fn numbered(new: &[String], earlier: &[String]) -> (Vec<u32>, Vec<u32>) {
    let mut numbers: HashMap<&str, u32> = HashMap::new();
    let mut number = |word| {
        let next = numbers.len() as u32;
        *numbers.entry(word).or_insert(next)
    };
    let new = new.iter().map(|word| number(word.as_str())).collect();
    let earlier = earlier.iter().map(|word| number(word.as_str())).collect();
    (new, earlier)
}

/// How many words match: the longest common run, then the same before it and behind it.
fn matched(new: &[u32], earlier: &[u32]) -> usize {
    let mut open = vec![(new, earlier)];
    let mut total = 0;
    while let Some((a, b)) = open.pop() {
        let run = longest_run(a, b);
        if run.length > 0 {
            total += run.length;
            open.push((&a[..run.a], &b[..run.b]));
            open.push((&a[run.a + run.length..], &b[run.b + run.length..]));
        }
    }
    total
}

/// A run of words that stands in both texts: where it begins in each, and how long it is.
#[derive(Default)]
struct CommonRun {
    a: usize,
    b: usize,
    length: usize,
}

/// The longest common run; of several, the first one in `a`, and of these the first one in `b`.
fn longest_run(a: &[u32], b: &[u32]) -> CommonRun {
    let mut best = CommonRun::default();
    // ending[j + 1]: the length of the common run that ends with the current word of `a` and with b[j].
    let mut ending = vec![0; b.len() + 1];
    for (i, word) in a.iter().enumerate() {
        let mut diagonal = 0;
        for (j, other) in b.iter().enumerate() {
            let length = if word == other { diagonal + 1 } else { 0 };
            diagonal = std::mem::replace(&mut ending[j + 1], length);
            if length > best.length {
                (best.a, best.b, best.length) = (i + 1 - length, j + 1 - length, length);
            }
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn u2a_the_ratio_depends_on_which_text_is_new() {
        assert_eq!(similarity("t i d e", "d i e t"), 0.25);
        assert_eq!(similarity("d i e t", "t i d e"), 0.5);
        assert_eq!(similarity("", " … "), 1.0);
        assert_eq!(similarity("words", ""), 0.0);
    }

    #[test]
    fn u2a_case_punctuation_and_spacing_do_not_hide_a_repetition() {
        assert_eq!(similarity("**We must — act!**", "we must act"), 1.0);
        assert_eq!(similarity("自由な意志。", "自由な意思。"), 0.8);
    }
}
