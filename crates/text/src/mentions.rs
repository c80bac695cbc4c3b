//! Names in texts: as words of their own, in any case, but for words that are names as well where names are written as such.

use regex::{Captures, Regex};

use super::{capitalised, ends_whole};

/// A name at the beginning of a sentence: as it is written, such as `llama3`, but `The team` for `the team`.
pub fn at_beginning(name: &str) -> String {
    if name.starts_with("the ") { capitalised(name) } else { name.to_owned() }
}

/// A text with a name in place of each match of a pattern.
pub fn renamed(text: &str, pattern: &Regex, name: &str) -> String {
    let name = |found: &Captures<'_>| {
        let before = text[..found.get_match().start()].trim_end();
        if before.is_empty() || ends_whole(before) { at_beginning(name) } else { name.to_owned() }
    };
    pattern.replace_all(text, name).into_owned()
}

/// The first character of the scripts that have no blanks between words, or put particles after a name.
const WITHOUT_BLANKS: char = '\u{2e80}';

/// Whether a text names somebody, not counting longer names of others that contain this one, such as Ann-Marie for Ann. Where a name
/// is written as it is, another one in lower case is a word: `Ben, when no teacher is there?` does not name Teacher.
pub fn names<'n>(text: &str, name: &str, others: impl Iterator<Item = &'n str> + Clone) -> bool {
    if !is_written(text, name) && others.clone().any(|other| is_written(text, other)) {
        return false;
    }
    let longer = others.filter(|other| other.len() > name.len() && mentions(other, name));
    let without = |text: String, other: &str| text.replace(&other.to_lowercase(), " ");
    mentions(&longer.fold(text.to_lowercase(), without), name)
}

/// Whether a name occurs in a text, in any case and as a word of its own.
fn mentions(text: &str, name: &str) -> bool {
    let mut places = text.char_indices().map(|(at, _)| text.split_at(at));
    places.any(|(before, rest)| !before.ends_with(is_of_a_word) && after_name(rest, name).is_some())
}

/// Whether a name occurs as it is written.
pub fn is_written(text: &str, name: &str) -> bool {
    let mut places = text.match_indices(name);
    places.any(|(at, _)| mentions(&text[..at + name.len()], name) && mentions(&text[at..], name))
}

/// Whether a character continues an adjacent word. Chinese, Japanese and Korean text continues after a name without a blank.
fn is_of_a_word(c: char) -> bool {
    c.is_alphanumeric() && c < WITHOUT_BLANKS
}

/// What follows a name at the beginning of a text, in any case.
pub fn after_name<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let mut rest = text.chars();
    for wanted in name.chars() {
        rest.next()?.to_lowercase().eq(wanted.to_lowercase()).then_some(())?;
    }
    let rest = rest.as_str();
    let ends = !name.is_empty() && !rest.starts_with(is_of_a_word);
    ends.then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn m7_where_a_name_is_written_a_word_that_is_one_too_names_nobody() {
        let all = ["Teacher", "Counsellor", "Parent"];
        let named = |text: &str| all.map(|name| names(text, name, all.into_iter()));
        let asked = "So I ask Counsellor: who protects a child when no teacher is there?";
        assert_eq!(named(asked), [false, true, false]);
        assert_eq!(named("Teacher, who pays?"), [true, false, false]);
        assert_eq!(named("who pays, teacher?"), [true, false, false]);
        assert_eq!(named("Who pays?"), [false; 3]);
    }

    #[test]
    fn a4_a_name_in_place_of_an_id_has_a_capital_where_a_sentence_begins() {
        let id = Regex::new(r"\bposition_y\b").expect("a pattern");
        for (said, told) in [
            ("position_y held. So position_y's case", "The team held. So the team's case"),
            ("e.g. position_y; position_y_1", "e.g. the team; position_y_1"),
        ] {
            assert_eq!(renamed(said, &id, "the team"), told);
        }
        assert_eq!(renamed("position_y held.", &id, "llama3"), "llama3 held.");
    }

    #[test]
    fn m7_a_name_is_mentioned_as_a_word_of_its_own() {
        for (text, name, expected) in [
            ("Anna, who pays?", "Ann", false),
            ("Joann, who pays?", "Ann", false),
            ("Who pays, ann?", "Ann", true),
            ("And Ann's fine?", "Ann", true),
            ("Y-10, who pays?", "Y-1", false),
            ("Y-1, who pays?", "Y-1", true),
            ("那么安娜认为呢？", "安娜", true),
            ("안나는 누가 내나요?", "안나", true),
            ("Who pays?", "", false),
        ] {
            assert_eq!(mentions(text, name), expected, "{text}");
        }
    }

    #[test]
    fn l3_a_name_is_written_as_it_is_and_not_within_a_word() {
        for (text, name, expected) in [
            ("the eXtra reply of Y-1 was cut", "X", false),
            ("the reply of Y-12 was cut", "Y-1", false),
            ("the reply of Y-1 was cut", "Y-1", true),
            ("a reply was cut", "A", false),
        ] {
            assert_eq!(is_written(text, name), expected, "{text}");
        }
    }
}
