//! Plain text: displayable characters, ends of sentences, token estimates.

mod amounts;
pub mod answer_parts;
pub mod csv;
mod hidden;
pub mod line_starts;
pub mod lines;
mod listing;
mod loops;
pub mod mentions;
pub mod overlap;
mod quotation;
mod sentences;
pub mod shell;
pub mod similarity;
mod words;

pub use self::amounts::{fixed, lasting, rounded, sized};
pub use self::listing::{
    by_turns, count, counts, distinct, first_of, further_counts, gathered, grouped, joined,
    separated, some_of,
};
pub use self::loops::{ends_in_loop, has_loop};
pub use self::quotation::{has_words, is_quotation_mark, spaced, unquoted};
pub use self::sentences::{
    LEAST_GIST, beginning, behind, breaks_off, clause, cut_at_sentence, ends_whole, first_sentence,
    gist, lacks_end, sentence, sentences, split_sentences, unmarked, without_emphasis,
};
pub use self::words::{plain_words, words};

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

/// The mark behind a statement that its model ended in mid-sentence, which only the record in prompts has.
pub const BREAK_MARK: &str = "[breaks off here]";

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
    replaced(&text.replace("\r\n", "\n"), |c, hidden| match c {
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
    separated(visible(text).split_whitespace(), " ")
}

/// The text, everything visible, each line indented by two blanks so that it cannot pass for an unindented one.
pub fn indented(text: &str) -> String {
    let indent = |line: &str| format!("  {line}").trim_end().to_owned();
    separated(visible(text.trim()).lines().map(indent), "\n")
}

/// The last words of a text on one line, of at most `max` characters; what is longer begins at a word after an ellipsis.
pub fn ending(text: &str, max: usize) -> String {
    let line = one_line(text);
    let left_out = line.chars().count().saturating_sub(max);
    let tail: String = line.chars().skip(left_out).collect();
    let whole_words = tail.split_once(' ').filter(|_| left_out > 0);
    whole_words.map_or(tail.clone(), |(_, words)| format!("…{words}"))
}

/// The text without more than one blank line in a row: what a template leaves out leaves blank lines.
pub fn without_gaps(mut text: String) -> String {
    while text.contains("\n\n\n") {
        text = text.replace("\n\n\n", "\n\n");
    }
    text
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

/// `Ann's`, `Residents'`.
pub fn possessive(name: &str) -> String {
    let ending = if name.ends_with(['s', 'S']) { "'" } else { "'s" };
    format!("{name}{ending}")
}

/// The text with its first letter as a capital.
pub fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(char::to_uppercase);
    first.into_iter().flatten().chain(letters).collect()
}

/// A name for files and jobs: lower-case ASCII letters, digits and single dashes, at most `max` long; never empty.
pub fn slug(text: &str, max: usize) -> String {
    let text = text.to_ascii_lowercase();
    let parts = text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|part| !part.is_empty());
    let cut: String = separated(parts, "-").chars().take(max).collect();
    match cut.trim_end_matches('-') {
        "" => "debate".to_owned(),
        slug => slug.to_owned(),
    }
}

/// What is told only where something holds; elsewhere nothing.
pub fn told_if(holds: bool, told: impl FnOnce() -> String) -> String {
    if holds { told() } else { String::new() }
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
