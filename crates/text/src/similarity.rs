//! How much of one text is in another: the ratio of Ratcliff and Obershelp, as Python's `difflib` computes it.

use std::collections::HashMap;
use std::ops::Range;

use super::words::words;

/// Replies at least this similar to an earlier one count as repeats by default.
pub const SIMILARITY: f64 = 0.95;

/// `difflib.SequenceMatcher(None, new, earlier, autojunk=False).ratio()` over the words of the texts, as Unicode
/// finds them (UAX #29; in scripts without spaces each character), in lower case: 1 for the same words in the same order
/// and for two texts without words, 0 where they share none. Case, punctuation and spacing do not count. The order of the arguments matters: of equally long matches, the first one in `new` is taken.
pub fn similarity(new: &str, earlier: &str) -> f64 {
    let (new, earlier) = (words(new), words(earlier));
    let mut places: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, word) in earlier.iter().enumerate() {
        places.entry(word).or_default().push(at);
    }
    let places = |word: &String| places.get(word.as_str()).map_or(&[][..], Vec::as_slice);
    let search = Search {
        places: new.iter().map(places).collect(),
        ending: vec![Ending::default(); earlier.len()],
        step: 0,
    };
    match new.len() + earlier.len() {
        0 => 1.0,
        both => 2.0 * search.matched() as f64 / both as f64,
    }
}

/// A search for what two texts share. Like `difflib`, it looks only where words are equal.
struct Search<'a> {
    /// Where each word of the new text stands in the earlier one, ascending.
    places: Vec<&'a [usize]>,
    /// The common run that ended last with each word of the earlier text.
    ending: Vec<Ending>,
    /// Counts the words of the new text as they are compared, some of them several times.
    step: usize,
}

/// The end of a common run.
#[derive(Clone, Copy, Default)]
struct Ending {
    /// The step at which it was found.
    step: usize,
    length: usize,
}

/// A run of words that stands in both texts: where it begins in each, and how long it is.
#[derive(Default)]
struct CommonRun {
    new: usize,
    earlier: usize,
    length: usize,
}

impl Search<'_> {
    /// How many words match: the longest common run, then the same before it and behind it.
    fn matched(mut self) -> usize {
        let mut open = vec![(0..self.places.len(), 0..self.ending.len())];
        let mut total = 0;
        while let Some((new, earlier)) = open.pop() {
            let run = self.longest_run(new.clone(), &earlier);
            if run.length > 0 {
                total += run.length;
                let (new_end, end) = (run.new + run.length, run.earlier + run.length);
                open.push((new.start..run.new, earlier.start..run.earlier));
                open.push((new_end..new.end, end..earlier.end));
            }
        }
        total
    }

    /// The longest common run; of several, the first one in the new text, and of these the first one in the earlier text.
    fn longest_run(&mut self, new: Range<usize>, earlier: &Range<usize>) -> CommonRun {
        let mut best = CommonRun::default();
        // A step that compares nothing: no run goes on from the previous search.
        self.step += 1;
        for at in new {
            self.step += 1;
            // From the last one, so that the run that ends before it is that of the previous step.
            for &place in within(self.places[at], earlier).iter().rev() {
                let length = self.run_before(place, earlier) + 1;
                self.ending[place] = Ending { step: self.step, length };
                let (new, earlier) = (at + 1 - length, place + 1 - length);
                let is_first = length == best.length && new == best.new;
                if length > best.length || is_first {
                    best = CommonRun { new, earlier, length };
                }
            }
        }
        best
    }

    /// The length of the run that ended in the previous step just before this place.
    fn run_before(&self, place: usize, earlier: &Range<usize>) -> usize {
        let before = place.checked_sub(1).filter(|at| earlier.contains(at));
        match before.map(|at| self.ending[at]) {
            Some(it) if it.step + 1 == self.step => it.length,
            _ => 0,
        }
    }
}

/// The places within a range.
fn within<'a>(places: &'a [usize], range: &Range<usize>) -> &'a [usize] {
    let from = places.partition_point(|at| *at < range.start);
    let to = places.partition_point(|at| *at < range.end);
    &places[from..to]
}

#[cfg(test)]
mod tests {
    use crate::properties::properties;
    use proptest::collection::vec;
    use proptest::prelude::*;

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

    /// The words that match, by the definition: all pairs of places are tried.
    fn matched_by_definition(new: &[u8], earlier: &[u8]) -> usize {
        let mut best = (0, 0, 0);
        for a in 0..new.len() {
            for b in 0..earlier.len() {
                let pairs = new[a..].iter().zip(&earlier[b..]);
                let length = pairs.take_while(|(one, other)| one == other).count();
                if length > best.2 {
                    best = (a, b, length);
                }
            }
        }
        let (a, b, length) = best;
        match length {
            0 => 0,
            _ => {
                matched_by_definition(&new[..a], &earlier[..b])
                    + length
                    + matched_by_definition(&new[a + length..], &earlier[b + length..])
            }
        }
    }

    proptest! {
        #![proptest_config(properties(256))]

        #[test]
        fn u2a_the_ratio_is_that_of_its_definition(new in vec(b'a'..b'f', 0..24), earlier in vec(b'a'..b'f', 0..24)) {
            let text = |letters: &[u8]| letters.iter().map(|it| format!("{} ", *it as char)).collect::<String>();
            let both = new.len() + earlier.len();
            let expected = match both {
                0 => 1.0,
                _ => 2.0 * matched_by_definition(&new, &earlier) as f64 / both as f64,
            };
            prop_assert_eq!(similarity(&text(&new), &text(&earlier)), expected);
        }
    }
}
