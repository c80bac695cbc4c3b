//! Reading the clerk's notes on a statement's moves: `A2 full B1`, `1.1 part`, `2.q full`, `answers A2 fully with B1`.

use crate::event::How;
use crate::flow::{Named, NotedMove};

/// How words begin for a point given up for a narrower one.
const NARROW: [&str; 2] = ["limit", "narrow"];
/// The words for moves that the task gives.
const KINDS: [&str; 7] = ["full", "part", "grant", "defend", "again", "limit", "drop"];

/// A move; `None` if no point or no kind of move can be found in the text.
pub(super) fn read(text: &str) -> Option<NotedMove> {
    let words = || {
        let all = text.split(|c: char| !(c.is_alphanumeric() || c == '.' || c == '_'));
        all.map(|word| word.trim_matches('.'))
    };
    if is_only_numbered(words()) {
        return None;
    }
    let mut named = words().filter_map(named);
    let at = named.next()?;
    let how = words().filter_map(how).max_by_key(|how| weight(*how))?;
    // A point is narrowed to another, or not at all; one that is dropped is replaced by none.
    let lower = text.to_lowercase();
    let is_narrowed = NARROW.iter().any(|word| lower.contains(word));
    let with = named.next().filter(|_| how != How::Withdrawn || is_narrowed);
    let is_possible = with.is_some() || !is_narrowed;
    is_possible.then(|| NotedMove { at, how, with, said: text.to_owned() })
}

/// Whether a move's point has a number and no letter: what `Point 2 full A3` meets is not A3.
fn is_only_numbered<'t>(words: impl Iterator<Item = &'t str>) -> bool {
    let before = words.filter(|word| !word.is_empty()).take_while(|word| how(word).is_none());
    let before: Vec<&str> = before.collect();
    let is_number = |word: &&str| word.bytes().all(|b| b.is_ascii_digit());
    before.last().is_some_and(is_number) && before.iter().all(|word| named(word).is_none())
}

/// Whether a move is put as the task asks for it: `A2 part B1`.
pub(super) fn is_as_asked(text: &str) -> bool {
    let words: Vec<&str> = text.split(' ').collect();
    match words[..] {
        [at, kind, ref with @ ..] if with.len() <= 1 => {
            KINDS.contains(&kind)
                && named(at).is_some()
                && with.iter().all(|it| named(it).is_some())
        }
        _ => false,
    }
}

/// Whether a text is nothing but a move: small models copy the task's examples where a claim is asked for.
pub(super) fn is_one(text: &str) -> bool {
    text.split_whitespace().count() <= 3 && read(text).is_some()
}

/// Whether a text is the word for a kind of move.
pub(super) fn is_kind(text: &str) -> bool {
    !text.contains(' ') && how(text).is_some()
}

/// A letter or two with a number, two numbers with a dot between them, or a number followed by `.q`.
fn named(word: &str) -> Option<Named> {
    if let Some((statement, place)) = word.split_once('.') {
        let number = statement.trim_start_matches(|c: char| !c.is_ascii_digit()).parse().ok()?;
        return match place {
            "q" | "Q" => Some(Named::Asked(number)),
            place => Some(Named::New(number, place.parse().ok()?)),
        };
    }
    let digits = word.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let letters = word.len() - digits.len();
    let number: u32 = digits.parse().ok()?;
    (1..=2)
        .contains(&letters)
        .then(|| Named::Id(format!("{}{number}", word[..letters].to_uppercase())))
}

/// Which of several words counts: "fully concedes" is a concession.
fn weight(how: How) -> u8 {
    match how {
        How::Full => 0,
        How::Partial => 1,
        How::Conceded | How::Repeated | How::Withdrawn | How::Defended | How::Upheld => 2,
    }
}

/// The kind of move that a word stands for, by its beginning.
fn how(word: &str) -> Option<How> {
    let word = word.to_lowercase();
    if word == "again" {
        return Some(How::Repeated);
    }
    let kinds = [
        ("part", How::Partial),
        ("conced", How::Conceded),
        ("grant", How::Conceded),
        ("repeat", How::Repeated),
        ("restat", How::Repeated),
        ("withdr", How::Withdrawn),
        ("drop", How::Withdrawn),
        (NARROW[0], How::Withdrawn),
        (NARROW[1], How::Withdrawn),
        ("defend", How::Defended),
        ("full", How::Full),
        ("answered", How::Full),
    ];
    let meant = kinds.iter().find(|(begins, _)| word.starts_with(begins));
    meant.map(|(_, how)| *how)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(id: &str) -> Named {
        Named::Id(id.to_owned())
    }

    #[test]
    fn m7_a_move_is_read_however_it_is_put() {
        for (text, at, how, with) in [
            ("A2 full B1", id("A2"), How::Full, Some(id("B1"))),
            ("O90 grant M90", id("O90"), How::Conceded, Some(id("M90"))),
            ("a2: FULL (b1)", id("A2"), How::Full, Some(id("B1"))),
            ("1.1 partial", Named::New(1, 1), How::Partial, None),
            ("A2 partial 2.1.", id("A2"), How::Partial, Some(Named::New(2, 1))),
            ("answers A2 fully with B1", id("A2"), How::Full, Some(id("B1"))),
            ("A2 partly", id("A2"), How::Partial, None),
            ("conceded B3", id("B3"), How::Conceded, None),
            ("B3 repeated", id("B3"), How::Repeated, None),
            ("withdraws B3", id("B3"), How::Withdrawn, None),
            ("A3 grant", id("A3"), How::Conceded, None),
            ("B3 again", id("B3"), How::Repeated, None),
            ("B3 drop", id("B3"), How::Withdrawn, None),
            ("B3 drop A1", id("B3"), How::Withdrawn, None),
            ("B3 limit 2.1", id("B3"), How::Withdrawn, Some(Named::New(2, 1))),
            ("B3 narrowed to 2.1", id("B3"), How::Withdrawn, Some(Named::New(2, 1))),
            ("A2 full against B1", id("A2"), How::Full, Some(id("B1"))),
            ("B3 defend", id("B3"), How::Defended, None),
            ("2.q full", Named::Asked(2), How::Full, None),
            ("Q1 full", id("Q1"), How::Full, None),
            ("ab2 full AA1", id("AB2"), How::Full, Some(id("AA1"))),
            ("A2 fully conceded", id("A2"), How::Conceded, None),
            ("statement_1.2 full", Named::New(1, 2), How::Full, None),
            ("2. A2 full B1", id("A2"), How::Full, Some(id("B1"))),
            ("conceded in round 2: B3", id("B3"), How::Conceded, None),
        ] {
            let found = read(text).map(|it| (it.at, it.how, it.with, it.said));
            let expected = (at, how, with, text.to_owned());
            assert_eq!(found, Some(expected), "{text}");
        }
    }

    #[test]
    fn m7_what_is_no_move_is_none() {
        for text in ["A2 full B1", "1.1 part", "2.q full", "B0 limit 2.1", "Q1 again", "B3 drop"] {
            assert!(is_as_asked(text), "{text}");
        }
        for text in ["A2 partly agreed", "A2 partial", "a2: FULL (b1)", "A2 full B1 C1", "A2"] {
            assert!(!is_as_asked(text), "{text}");
        }
        assert!(is_one("A1 full B2") && is_one("1.2 partial"));
        assert!(!is_one("Captive breeding is a full answer to A2"));
        for text in [
            "",
            "A2",
            "full",
            "the price is full",
            "ABC2 full",
            "1. full",
            "B3 limit",
            "Point 2 full A3",
            "#2: full A3",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
