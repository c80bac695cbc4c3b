//! The beginnings of lines in critiques and proposals: list markers, emphasis, numbers, words for a point.

use crate::text::line_starts::is_decoration;

/// Maximum digits of a point's number.
const MOST_DIGITS: usize = 4;

/// Words before a point's number that say nothing more.
const FILLERS: &str = "point points issue issues critique no number is not resolved unresolved partially partly \
     new";

/// The text after the decoration at its beginning.
pub(super) fn plain(text: &str) -> &str {
    text.trim_start_matches(is_decoration)
}

/// The letters or the digits at the beginning of a text, and the rest.
pub(super) fn word(text: &str) -> (&str, &str) {
    let digits = text.starts_with(|c: char| c.is_ascii_digit());
    let belongs = |c: char| {
        if digits { c.is_ascii_digit() } else { c.is_alphabetic() }
    };
    text.split_at(text.find(|c: char| !belongs(c)).unwrap_or(text.len()))
}

/// The number after decoration and words for a point, if there is one, and the rest.
pub(super) fn number(text: &str) -> (Option<u32>, &str) {
    let mut rest = plain(text);
    loop {
        let (first, after) = word(rest);
        if let Some(number) = point_number(first) {
            return (Some(number), after);
        }
        if !is_one_of(first, FILLERS) {
            return (None, rest);
        }
        rest = plain(after);
    }
}

/// The numbers at the beginning of a text, one, or several separated by commas, `&` or `and`; and the rest.
pub(super) fn numbers(text: &str) -> (Vec<u32>, &str) {
    let (Some(first), behind) = number(text) else { return (Vec::new(), text) };
    let (mut all, mut rest) = (vec![first], behind);
    while let (Some(number), after) = next_number(rest) {
        all.push(number);
        rest = after;
    }
    // "1, 3 studies were added" is about point 1.
    if ends_a_list(rest) { (all, rest) } else { (vec![first], behind) }
}

/// Whether a list of numbers can end before this text.
fn ends_a_list(rest: &str) -> bool {
    let rest = rest.trim_start_matches([' ', '*', '_']);
    let (first, _) = word(rest);
    first.is_empty() || is_one_of(first, FILLERS) || is_one_of(first, "are were have has")
}

/// Whether a word is one of these, which blanks separate, in any case.
pub(super) fn is_one_of(word: &str, words: &str) -> bool {
    let mut known = words.split(' ');
    known.any(|known| word.eq_ignore_ascii_case(known))
}

fn next_number(text: &str) -> (Option<u32>, &str) {
    let joined = text.trim_start_matches([' ', ',', '&']);
    let (first, after) = word(joined);
    if first.eq_ignore_ascii_case("and") {
        number(after)
    } else if text.trim_start().starts_with([',', '&']) {
        number(joined)
    } else {
        (None, text)
    }
}

fn point_number(word: &str) -> Option<u32> {
    (1..=MOST_DIGITS).contains(&word.len()).then(|| word.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::numbers;

    #[test]
    fn t3_numbers_are_read_behind_what_names_a_point() {
        for (text, expected, rest) in [
            ("1: yes", vec![1], ": yes"),
            (" **Point 2** – because", vec![2], "** – because"),
            ("RESOLVED (3)", vec![3], ")"),
            ("#4.", vec![4], "."),
            ("1, 2 and 5: all three", vec![1, 2, 5], ": all three"),
            ("1: 3 studies were added", vec![1], ": 3 studies were added"),
            ("1, 3 studies were added", vec![1], ", 3 studies were added"),
            ("1 and 2 are resolved", vec![1, 2], " are resolved"),
            ("3, 4", vec![3, 4], ""),
            ("the first one", vec![], "the first one"),
            ("12345: too long for a number", vec![], "12345: too long for a number"),
            ("", vec![], ""),
        ] {
            assert_eq!(numbers(text), (expected, rest), "{text}");
        }
    }
}
