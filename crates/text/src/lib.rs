//! Plain text: displayable characters, ends of sentences, token estimates.

use std::fmt::Display;

mod amounts;
pub mod answer_parts;
pub mod csv;
mod hidden;
pub mod line_starts;
pub mod lines;
pub mod mentions;
pub mod overlap;
mod quotation;
pub mod shell;
pub mod similarity;
mod words;

pub use self::amounts::{fixed, lasting, rounded, sized};
pub use self::quotation::{has_words, is_quotation_mark, unquoted};

/// Characters per token if nothing better is known: a cautious value for English.
pub const CHARS_PER_TOKEN: f64 = 3.5;

/// Characters of a word that is asked for, with the blank after it: more than most have, so that what keeps to the words
/// keeps to the characters.
const CHARS_PER_WORD: u32 = 9;

/// The characters that a text of this many words is given.
pub const fn room_for(words: u32) -> u32 {
    words * CHARS_PER_WORD
}

/// What stands for the end of a text that was omitted.
pub const LEFT_OUT: &str = "[…]";

/// The mark at the end of a statement that was cut (row K8b).
pub const CUT_MARK: &str = "[Time limit reached]";

/// A statement's text without the mark of a cut.
pub fn without_mark(text: &str) -> &str {
    text.strip_suffix(CUT_MARK).unwrap_or(text).trim_end()
}

/// Estimated tokens of a text, from its length.
pub fn estimate_tokens(text: &str) -> u64 {
    (text.chars().count() as f64 / CHARS_PER_TOKEN).ceil() as u64
}

/// The text without anything that could act on a terminal or hide from a reader: line ends become `\n`, tabs stay,
/// control and invisible characters become `U+FFFD`.
pub fn visible(text: &str) -> String {
    let text = text.replace("\r\n", "\n");
    replaced(&text, |c, hidden| match c {
        c if is_line_end(c) => '\n',
        c if hidden || acts(c) => '\u{fffd}',
        c => c,
    })
}

/// The text with invisible characters as `U+FFFD`. Characters that act on a terminal are data and stay.
pub fn without_hidden(text: &str) -> String {
    replaced(text, |c, hidden| match c {
        c if hidden && !c.is_control() => '\u{fffd}',
        c => c,
    })
}

/// The text with each character replaced by `shown`, given whether it is hidden between its neighbours.
fn replaced(text: &str, shown: impl Fn(char, bool) -> char) -> String {
    if text.chars().all(is_plain) {
        return text.to_owned();
    }
    let mut before = None;
    let mut rest = text.chars().peekable();
    let mut all = String::with_capacity(text.len());
    while let Some(c) = rest.next() {
        // A neighbour that is not shown joins nothing.
        let mut after = || rest.peek().copied().filter(|c| !hidden::always(*c));
        let is_hidden = !is_plain(c) && hidden::here(c, before, after());
        let c = shown(c, is_hidden);
        all.push(c);
        before = Some(c);
    }
    all
}

/// Whether [`visible`] would replace a character, wherever it stands.
pub fn acts(c: char) -> bool {
    !is_plain(c) && (is_line_end(c) || hidden::always(c))
}

/// Whether a character is one that most texts consist of, which is shown as it is.
fn is_plain(c: char) -> bool {
    matches!(c, '\n' | ' '..='~')
}

/// Whether a character ends a line somewhere: in a terminal, in Markdown, in JavaScript.
pub fn is_line_end(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// A topic as topics are compared: surrounding blanks and case do not matter.
pub fn folded_topic(topic: &str) -> String {
    topic.trim().to_lowercase()
}

/// The text on one line, white space collapsed, everything visible.
pub fn one_line(text: &str) -> String {
    let text = visible(text);
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ")
}

/// The text, everything visible, each line indented by two blanks so that it cannot pass for an unindented one.
pub fn indented(text: &str) -> String {
    let indent = |line: &str| format!("  {line}").trim_end().to_owned();
    let lines: Vec<String> = visible(text.trim()).lines().map(indent).collect();
    lines.join("\n")
}

/// One line of at most `max` characters; what is longer ends at a word with an ellipsis.
pub fn shorten(text: &str, max: usize) -> String {
    let line = one_line(text);
    if line.chars().count() <= max {
        return line;
    }
    let head: String = line.chars().take(max.saturating_sub(1)).collect();
    let word = head.rfind(' ').filter(|at| at * 2 > head.len());
    let head = &head[..word.unwrap_or(head.len())];
    format!("{}…", head.trim_end_matches([',', ';', ':', '.', '…', ' ']))
}

/// The text with a full stop, unless it ends like a sentence.
pub fn sentence(text: &str) -> String {
    let ends = text.ends_with(['.', '?', '!', '…', '。', '？', '！']);
    if ends || text.ends_with(LEFT_OUT) || text.is_empty() {
        text.to_owned()
    } else {
        format!("{text}.")
    }
}

/// The text with its first letter as a capital.
pub fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(char::to_uppercase);
    first.into_iter().flatten().chain(letters).collect()
}

/// What a text in Markdown says, on one line: without emphasis, marks of lists and quotations, rules, and headings where
/// anything else is said.
pub fn unmarked(text: &str) -> String {
    let is_heading = |line: &&str| line.trim_start().starts_with('#');
    let has_words = |line: &&str| line.contains(char::is_alphanumeric);
    let said: Vec<&str> = text.lines().filter(has_words).collect();
    if said.is_empty() {
        return one_line(text);
    }
    let below: Vec<&str> = said.iter().copied().filter(|l| !is_heading(l)).collect();
    let lines = if below.is_empty() { said } else { below };
    let words = |line: &str| without_emphasis(without_marks(line));
    one_line(&lines.into_iter().map(words).collect::<Vec<_>>().join(" "))
}

/// A line without the marks of headings, lists and quotations before it.
fn without_marks(line: &str) -> &str {
    let mut rest = line.trim();
    loop {
        let body = rest.trim_start_matches(['#', '>', '-', '+', '*']);
        let marked = body.len() < rest.len() && body.starts_with(char::is_whitespace);
        if !marked {
            return rest;
        }
        rest = body.trim_start();
    }
}

/// A line without the signs around words that make them bold, italic or code. A sign with blanks around it is none.
pub fn without_emphasis(line: &str) -> String {
    let mut before = ' ';
    let mut rest = line.chars().peekable();
    let mut kept = String::with_capacity(line.len());
    while let Some(c) = rest.next() {
        let after = rest.peek().copied().unwrap_or(' ');
        let alone = before.is_whitespace() && after.is_whitespace() && !kept.is_empty();
        let inside = before.is_alphanumeric() && after.is_alphanumeric();
        let marks = matches!(c, '*' | '_') && !inside && !alone || c == '`' && !alone;
        if !marks {
            kept.push(c);
        }
        before = c;
    }
    kept
}

/// The first sentence of a text in Markdown, on one line of at most `max` characters.
pub fn first_sentence(text: &str, max: usize) -> String {
    let line = unmarked(text);
    let end = sentence_ends(&line).next().unwrap_or(line.len());
    shorten(&line[..end], max)
}

/// What a text in Markdown says first, on one line of at most `max` characters: its first sentence, with the next if the
/// first is too short to say anything (`Thank you.`).
pub fn gist(text: &str, max: usize) -> String {
    let line = unmarked(text);
    let line = unnumbered(&line);
    let says = |end: &usize| line[..*end].chars().count() >= LEAST_GIST;
    let end = sentence_ends(line).find(says).unwrap_or(line.len());
    shorten(&line[..end], max)
}

/// A text without the number of a paragraph or list before it: `1. Not this year` or `2) Not this year`.
fn unnumbered(line: &str) -> &str {
    let body = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_number = (1..=2).contains(&(line.len() - body.len()));
    let rest = body.strip_prefix(". ").or_else(|| body.strip_prefix(") "));
    rest.filter(|_| is_number).map_or(line, str::trim_start)
}

/// The beginning of a text on one line: as many whole sentences as fit into `max` characters, otherwise as much of the first as
/// fits.
pub fn beginning(text: &str, max: usize) -> String {
    let line = one_line(text);
    if line.chars().count() <= max {
        return line;
    }
    let fits = |end: &usize| line[..*end].chars().count() <= max;
    let end = sentence_ends(&line).take_while(fits).last();
    end.map_or_else(|| shorten(&line, max), |end| line[..end].to_owned())
}

/// The text up to the end of its last whole sentence; `None` where it holds no whole sentence.
pub fn cut_at_sentence(text: &str) -> Option<&str> {
    sentence_ends(text).last().map(|end| &text[..end])
}

/// Whether a text does not break off: it ends with a sentence, or with what closes JSON or a code block.
pub fn ends_whole(text: &str) -> bool {
    let text = text.trim_end();
    text.ends_with(['}', ']', '`']) || cut_at_sentence(text) == Some(text)
}

/// The sentences of a text, each on one line. The end of a paragraph ends one, too.
pub fn split_sentences(text: &str) -> Vec<String> {
    let paragraphs = text.split("\n\n");
    let sentences = paragraphs.flat_map(|paragraph| {
        let ends = sentence_ends(paragraph).chain([paragraph.len()]);
        let mut begin = 0;
        ends.map(|end| one_line(&paragraph[std::mem::replace(&mut begin, end)..end]))
            .collect::<Vec<_>>()
    });
    sentences.filter(|sentence| !sentence.is_empty()).collect()
}

/// How many sentences a text in Markdown has; a rest without an end counts as one.
pub fn sentences(text: &str) -> usize {
    let line = unmarked(text);
    let ends: Vec<usize> = sentence_ends(&line).collect();
    let rest = ends.last().is_none_or(|end| *end < line.trim_end().len());
    ends.len() + usize::from(rest && !line.is_empty())
}

/// Byte offsets behind each sentence: after `.`, `!`, `?`, `…` or their full-width forms and closing quotes, before
/// white space or the end. A number and its dot (`1.`) or initials (`J.`, `U.S.`) end no sentence.
fn sentence_ends(text: &str) -> impl Iterator<Item = usize> + '_ {
    let marks = text.match_indices(['.', '!', '?', '…', '。', '！', '？']);
    marks.filter_map(|(at, mark)| {
        let wide = matches!(mark, "。" | "！" | "？");
        let rest = &text[at + mark.len()..];
        let behind = rest.trim_start_matches(['"', '\'', '”', '’', ')', ']', '*', '_', '»']);
        let ends = wide || behind.chars().next().is_none_or(char::is_whitespace);
        let goes_on = behind.trim_start().starts_with(char::is_lowercase);
        let ends = ends && !(mark == "." && is_abbreviation(&text[..at], goes_on));
        ends.then_some(text.len() - behind.len())
    })
}

/// Words whose dot ends no sentence.
const ABBREVIATIONS: [&str; 10] = ["Mr", "Mrs", "Ms", "Dr", "Prof", "St", "vs", "e.g", "i.e", "v"];

/// Words whose dot ends a sentence, unless that goes on behind it.
const MAY_END: [&str; 3] = ["a.m", "p.m", "etc"];

/// Whether a dot behind `before` belongs to a list number, an initial or a title, or to a word in a sentence that goes on.
fn is_abbreviation(before: &str, goes_on: bool) -> bool {
    let word = before
        .rsplit(char::is_whitespace)
        .next()
        .unwrap_or("")
        .trim_start_matches(['(', '"', '*', '_']);
    let ahead = &before[..before.len() - word.len()];
    let begins_line = ahead.is_empty() || ahead.ends_with('\n');
    let number = begins_line && !word.is_empty() && word.chars().all(|c| c.is_ascii_digit());
    let is_initial = |part: &str| part.chars().count() == 1 && part.chars().all(char::is_uppercase);
    let initial = word.split('.').all(is_initial) && word != "I";
    number || initial || ABBREVIATIONS.contains(&word) || goes_on && MAY_END.contains(&word)
}

/// Minimum characters of a gist.
const LEAST_GIST: usize = 24;

/// The longest unit, in characters, whose repetition counts as a loop.
const LOOP_UNIT: usize = 400;
/// How much of the end of a text must be one unit repeated to count as a loop, in characters.
const LOOP_LENGTH: usize = 240;
/// How often the unit must occur.
const LOOP_TIMES: usize = 4;

/// Whether a text ends in a loop: its end is one unit repeated at least four times over at least 240 characters.
pub fn ends_in_loop(text: &str) -> bool {
    let reversed: Vec<char> =
        text.trim_end().chars().rev().take(LOOP_UNIT * (LOOP_TIMES + 1)).collect();
    (1..=LOOP_UNIT).any(|unit| {
        let needed = LOOP_LENGTH.max(unit * LOOP_TIMES);
        reversed.len() >= needed && (unit..needed).all(|i| reversed[i] == reversed[i - unit])
    })
}

/// Whether a text has a loop anywhere: one unit repeated at least four times over at least 240 characters. A reply that was
/// cut or closed behind its loop does not end in it.
pub fn has_loop(text: &str) -> bool {
    let all: Vec<char> = text.chars().collect();
    (1..=LOOP_UNIT).any(|unit| {
        let needed = LOOP_LENGTH.max(unit * LOOP_TIMES) - unit;
        let repeats = |i: &usize| all[*i] == all[*i - unit];
        // A run of so many repeated characters has one of these places in it.
        let mut places = (unit..all.len()).skip(needed - 1).step_by(needed);
        places.any(|at| {
            let before = (unit..=at).rev().take_while(repeats).count();
            let behind = (at + 1..all.len()).take_while(repeats).count();
            before > 0 && before + behind >= needed
        })
    })
}

/// A name for files and jobs: lower-case ASCII letters, digits and single dashes, at most `max` long; never empty.
pub fn slug(text: &str, max: usize) -> String {
    let text = text.to_ascii_lowercase();
    let parts: Vec<&str> =
        text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|part| !part.is_empty()).collect();
    let cut: String = parts.join("-").chars().take(max).collect();
    match cut.trim_end_matches('-') {
        "" => "debate".to_owned(),
        slug => slug.to_owned(),
    }
}

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
    let groups: Vec<_> = digits.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy).collect();
    groups.join(",")
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

/// A text, unless it is empty.
pub fn if_any(text: String) -> Option<String> {
    Some(text).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a8_what_is_hidden_joins_nothing() {
        for (text, shown) in [
            ("\u{17b4}\u{200d}\u{61c}", "\u{fffd}\u{fffd}\u{fffd}"),
            ("\u{fe0f}\u{200d}😀", "\u{fffd}\u{fffd}😀"),
            ("👩\u{200d}💻 ❤\u{fe0f}", "👩\u{200d}💻 ❤\u{fe0f}"),
        ] {
            assert_eq!(without_hidden(text), shown, "{text:?}");
            assert_eq!(visible(&visible(text)), visible(text), "{text:?}");
        }
    }

    #[test]
    fn a2_what_markdown_says_is_told_from_its_marks() {
        for (text, said) in [
            ("# Final Answer\n## Answer\n**No, it is not.**", "No, it is not."),
            ("## A norm\n\nThe week *can* be `short`.", "The week can be short."),
            ("> **quoted** text\n\n---\n- and a list", "quoted text and a list"),
            ("2 * 3 is 6, and snake_case stays.", "2 * 3 is 6, and snake_case stays."),
            ("# Only a heading", "Only a heading"),
            ("-5% growth, +3 points, 2*3", "-5% growth, +3 points, 2*3"),
            ("💡\n💡", "💡 💡"),
            ("", ""),
        ] {
            assert_eq!(unmarked(text), said, "{text}");
        }
    }

    #[test]
    fn a8_visible_text_keeps_words_and_drops_what_acts() {
        assert_eq!(
            visible("a\u{1b}[31mb\0c\r\nd\te\u{202e}f\u{2028}g"),
            "a\u{fffd}[31mb\u{fffd}c\nd\te\u{fffd}f\ng"
        );
        assert_eq!(one_line("  a\n\n b\tc "), "a b c");
    }

    #[test]
    fn a5_what_is_shortened_twice_ends_in_one_ellipsis() {
        let once = shorten("a=a long value of a cell", 12);
        assert_eq!(once, "a=a long…");
        assert_eq!(shorten(&format!("{once} b=x"), 12), "a=a long…");
    }

    #[test]
    fn k8b_the_cut_falls_behind_the_last_whole_sentence() {
        assert_eq!(cut_at_sentence("One. Two! Three is cu"), Some("One. Two!"));
        assert_eq!(cut_at_sentence("He said \"no.\" And th"), Some("He said \"no.\""));
        assert_eq!(cut_at_sentence("Pi is 3.14 and so o"), None);
        assert_eq!(cut_at_sentence("Done.\n2. The next point is"), Some("Done."));
        assert_eq!(cut_at_sentence("これは文です。つぎ"), Some("これは文です。"));
    }

    #[test]
    fn k8b_a_word_with_dots_ends_a_sentence_that_does_not_go_on() {
        for (text, sentences) in [
            ("It opens at 10 a.m. Nobody comes.", &["It opens at 10 a.m.", "Nobody comes."][..]),
            (
                "It closes at 6 p.m. on Sundays. So be it.",
                &["It closes at 6 p.m. on Sundays.", "So be it."],
            ),
            ("It opens at 10 a.m.", &["It opens at 10 a.m."]),
            (
                "Fares, passes etc. are dear, e.g. Fares for two.",
                &["Fares, passes etc. are dear, e.g. Fares for two."],
            ),
        ] {
            assert_eq!(split_sentences(text), sentences, "{text}");
        }
    }

    #[test]
    fn m2_a_loop_is_seen_and_ordinary_text_is_not() {
        assert!(ends_in_loop(&format!("It is so. {}", "We must act now. ".repeat(20))));
        assert!(ends_in_loop(&"ha".repeat(150)));
        assert!(!ends_in_loop("We must act now. We must act now. We must act now."));
        assert!(!ends_in_loop(
            &(0..200).map(|n| format!("Point {n} differs. ")).collect::<String>()
        ));
    }

    #[test]
    fn m2_a_loop_is_seen_wherever_it_stands_if_it_is_long_enough() {
        let letters = |n: u32| (n..).map(|n| char::from_u32(0x4e00 + n).unwrap());
        for (unit, least) in [(1, 240), (7, 240), (60, 240), (61, 244), (400, 1600)] {
            let around = |length, before| -> String {
                let looped: Vec<char> = letters(0).take(unit).collect();
                let looped = looped.iter().cycle().take(length);
                let before = letters(5000).take(before);
                before.chain(looped.copied()).chain(letters(9000).take(50)).collect()
            };
            for before in [0, 1, 50, 179, 180, 238, 239, 240, 1199, 1200, 1201] {
                assert!(has_loop(&around(least, before)), "{unit} {before}");
                assert!(!has_loop(&around(least - 1, before)), "{unit} {before}");
            }
        }
        assert!(!has_loop(""));
    }

    #[test]
    fn shortened_lines_end_at_a_word() {
        assert_eq!(shorten("one two three four", 12), "one two…");
        assert_eq!(first_sentence("Dr. Smith agrees. So do I.", 80), "Dr. Smith agrees.");
        assert_eq!(slug("Does God exist? (2)", 60), "does-god-exist-2");
        assert_eq!(slug("……", 60), "debate");
    }
}

#[cfg(test)]
#[path = "../../../tests/it/harness/properties.rs"]
mod properties;
