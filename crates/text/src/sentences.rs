//! Sentences: where they end, what a text in Markdown says, and how much of it fits.

use super::{LEFT_OUT, one_line, shorten};

/// Minimum characters of a gist: a shorter sentence says nothing alone.
pub const LEAST_GIST: usize = 24;

/// The text with a full stop, unless it ends like a sentence.
pub fn sentence(text: &str) -> String {
    let ends = text.ends_with(['.', '?', '!', '…', '。', '？', '！']);
    if ends || text.ends_with(LEFT_OUT) || text.is_empty() {
        text.to_owned()
    } else {
        format!("{text}.")
    }
}

/// The text without its full stop, to stand within a sentence.
pub fn clause(text: &str) -> &str {
    text.strip_suffix(['.', '。']).unwrap_or(text)
}

/// What a text says behind a sentence with which it begins. Another may begin with the same words: `No consensus` is no `No.`.
pub fn behind<'t>(text: &'t str, sentence: &str) -> Option<&'t str> {
    let bare = sentence.trim_end_matches('.');
    let is_closed = bare.ends_with(|c: char| !c.is_alphanumeric());
    let rest = text.strip_prefix(bare)?;
    let ends = rest.is_empty() || [".", "…", " ("].iter().any(|end| rest.starts_with(end));
    (is_closed || ends).then(|| rest.trim_start_matches(['.', ' ']))
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

/// Words of a last line from which on a missing end is one. Fewer may be a greeting, a name or a verse.
const BEGUN: usize = 8;

/// English words that hardly any sentence ends on, between blanks.
const UNENDING: &str = " a although an and as because but by every for from if into its my of or our than the \
    their to unless whether which whose with your ";

/// Words of a last sentence that may be a signature or a cry: `Yours, Ann`, `Vote No`.
const SIGNED: usize = 4;

/// Whether a text plainly ends in mid-sentence: on a comma or a word such as "the", well behind its last whole sentence. A full stop
/// that is missing alone doesn't count, nor does what lists, headings and short lines end on.
pub fn breaks_off(text: &str) -> bool {
    let begun = begun(text.lines().next_back().unwrap_or_default());
    let last = begun.split_whitespace().next_back().unwrap_or_default();
    let is_inside = last.ends_with(',') || UNENDING.contains(&format!(" {last} "));
    is_inside && begun.split_whitespace().count() >= BEGUN
}

/// Whether a text that has whole sentences ends in prose without a full stop, for whatever reason. Lists, headings, signatures,
/// addresses and quotations may, and so may a script without capital letters.
pub fn lacks_end(text: &str) -> bool {
    let (above, line) = text.rsplit_once('\n').unwrap_or(("", text));
    let begun = begun(line).trim();
    let words: Vec<&str> = begun.split_whitespace().collect();
    let Some(last) = words.last() else { return false };
    let is_long = words.len() >= BEGUN || UNENDING.contains(&format!(" {last} "));
    let follows = begun.len() < line.trim().len() || is_long && ends_whole(above);
    let is_named = last.starts_with(|c: char| c.is_uppercase() || c.is_numeric());
    let is_signed = words.len() <= SIGNED && is_named;
    let letter = begun.chars().rfind(|c| c.is_alphabetic());
    let mut letters = begun.chars().filter(|c| c.is_alphabetic());
    let has_capitals = letters.all(|c| c.is_lowercase() || c.is_uppercase());
    let is_marked = begun.contains(|c: char| "*`#&|<>{}=\\".contains(c));
    let is_words = words.len() > 1
        && !is_marked
        && begun.starts_with(|c: char| c.is_alphanumeric() || "\"“(".contains(c));
    let is_open = begun.ends_with(|c: char| c.is_alphanumeric() || ",:;(-–—".contains(c));
    // In Greek, it is the question mark.
    let is_asked = begun.ends_with(';') && letter.is_some_and(is_greek);
    let is_cased = letter.is_some() && has_capitals;
    // An ellipsis need not end a sentence.
    let whole = line.trim_end().strip_suffix(begun).unwrap_or_default().trim_end();
    let is_told = follows && is_words && is_open && !is_asked && is_cased && !whole.ends_with('…');
    is_told && !is_signed && !last.contains(['.', '/', '@'])
}

fn is_greek(letter: char) -> bool {
    matches!(letter, '\u{370}'..='\u{3ff}' | '\u{1f00}'..='\u{1fff}')
}

/// What stands behind the last whole sentence of a line of prose; nothing of another line.
fn begun(line: &str) -> &str {
    let line = line.trim();
    let is_prose = line.starts_with(|c: char| c.is_alphabetic() || matches!(c, '"' | '“'));
    let from = if is_prose { sentence_ends(line).last().unwrap_or(0) } else { line.len() };
    &line[from..]
}

/// The sentences of a text, each on one line. The end of a paragraph ends one, too.
pub fn split_sentences(text: &str) -> Vec<String> {
    let sentences = text.split("\n\n").flat_map(|paragraph| {
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

#[cfg(test)]
mod tests {
    use super::*;

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
    fn a2_a_text_begins_with_a_sentence_and_not_only_with_its_words() {
        for (text, sentence, rest) in [
            (
                "No. It should wait (stated confidence: high)",
                "No.",
                Some("It should wait (stated confidence: high)"),
            ),
            ("No (not scored)", "No.", Some("(not scored)")),
            ("Should it? It should", "Should it?", Some("It should")),
            ("It pays", "It pays.", Some("")),
            ("No consensus after 1 round", "No.", None),
            ("A vote: No. It should wait", "No.", None),
        ] {
            assert_eq!(behind(text, sentence), rest, "{text}");
        }
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
    fn k8b_only_prose_that_stops_in_mid_sentence_breaks_off() {
        for (text, breaks) in [
            ("It costs less. And both could be done in the same summer, with", true),
            ("Costs fall.\n\nSo be it. “The mud” is no reason to wait any longer,", true),
            ("What would be lost if we waited one more summer for the", true),
            ("It costs less. So I ask all of you to vote against the motion tonight", false),
            ("It costs less. And both could be done in the same summer.", false),
            ("It costs less. And both could be done in the same summer 🌳", false),
            ("It costs less. And both could be done in the same summer:", false),
            ("It costs less. He said: “And both could be done in the same summer.”", false),
            ("It costs less. Thank you all, and vote no", false),
            ("It costs less. So the only answer that is left is B", false),
            ("The mill is old\nand the water is slow\nand the miller is gone", false),
            ("1. It costs less. And both could be done in the same summer", false),
            ("- It costs less. And both could be done in the same summer", false),
            ("ราคาถูกกว่า. และ ทำ ได้ ใน ฤดู ร้อน เดียว กัน", false),
            ("这样更便宜。而且可以在同一个夏天完成", false),
            ("", false),
        ] {
            assert_eq!(breaks_off(text), breaks, "{text}");
        }
    }

    #[test]
    fn k8b_prose_that_stops_without_a_full_stop_is_seen_and_nothing_else() {
        for (end, is_long) in [
            ("The most important reason why all of this matters to a city like ours is", true),
            ("If we look at what the animals themselves do all day long, we find that", true),
            ("Therefore the honest answer to the question before us is that zoos sho", true),
            ("The keepers who look after these animals every day of the year are not", true),
            ("It follows that zoos,", false),
            ("They keep animals (such as", true),
            ("Because the", true),
            ("As the biologist Smith wrote, \"animals in", false),
            ("There are three reasons for this:", false),
            ("Es kostet weniger, weil die", false),
        ] {
            let whole = "It costs less. Both are possible.";
            assert!(lacks_end(&format!("{whole} {end}")), "{end}");
            assert_eq!(lacks_end(&format!("{whole}\n\n{end}")), is_long, "{end}");
        }
        for text in [
            "",
            "It costs less. Both are possible.",
            "One fragment is no proof of that",
            "It costs less. He said: “Both are possible.”",
            "It costs less. He calls it “the honest answer to all of our questions”",
            "It costs less. And both could be done in the same summer 🌳",
            "It costs less. And both could be **done in the same summer**",
            "It costs less. See www.example.org/zoo",
            "It costs less. Write to zoo@example.org",
            "It costs less. Vote No",
            "It costs less. Yours, Ann",
            "a b;c,d | e: f = g -- h — i … j · k",
            "It costs less. Final answer: 42",
            "Κοστίζει λιγότερο. Ποιος λοιπόν θα πληρώσει το κόστος αυτό για όλους εμάς;",
            "It costs less. – Ann, who keeps the animals of this zoo",
            "It costs less.\n\nAnn, for the zoo",
            "It costs less.\n\n## What follows from this for the zoos of our city",
            "It costs less.\n\n- Both could be done in the same summer. And so on",
            "It costs less.\n2. Both could be done. And both in the same summer",
            "The mill is old.\nThe water is slow\nand the miller is gone from here for good now",
            "It costs less. The zoo opens at 10 a.m.",
            "It costs less (Smith 2019) [3]",
            "It costs less. See [3]",
            "这样更便宜。而且可以在同一个夏天完成",
            "这样更便宜。真的！是吗？",
            "这样更便宜。全角 ＡＢＣ 空白 한국어 עברית 𝕬𝖇𝖈 x and so on",
            "ราคาถูกกว่า. และ ทำ ได้ ใน ฤดู ร้อน เดียว กัน",
            "비용이 적게 듭니다. 그리고 둘 다 같은 여름에 할 수 있습니다",
            "यह सस्ता है। Yes. और दोनों एक ही गर्मी में हो सकते हैं",
        ] {
            assert!(!lacks_end(text), "{text}");
        }
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
}
