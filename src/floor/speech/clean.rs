//! Parts of a reply besides the statement: the speaker's own label, a heading, a preamble, a word count. Chat models
//! add these; on the record, they would look as if they had been said.

use std::sync::LazyLock;

use regex::Regex;

use super::pattern::pattern;
use crate::floor::speaker_labels::DECORATION;
use crate::model::thinking_tags::{mark_before, mark_behind};
use crate::text::mentions::after_name;
use crate::text::{BREAK_MARK, CUT_MARK, plain_words};

/// A statement without what does not belong to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Cleaned<'t> {
    pub(super) text: &'t str,
    /// What was removed, in order.
    pub(super) removed: Vec<&'t str>,
}

/// Words that make up a heading such as `Round 2: Opening statement`, besides numbers and the speaker's name. A heading that
/// a task asks for, such as `Answer`, is not among them.
const HEADING: &str = "round opening closing final statement argument rebuttal response reply turn speech remarks my the \
    by from of for against as debate summary motion";
/// Further words in brackets after the speaker's name, as in the record: `[Ann, as devil's advocate]`.
const IN_BRACKETS: &[&str] = &["answer", "devil", "s", "advocate", "in", "short"];
/// Maximum words of a line that can be a label or a preamble.
const MOST_WORDS: usize = 16;

/// Maximum words of a line that can be an aside.
const MOST_ASIDE: usize = 40;

/// `Certainly! Here's my opening statement:` on its own line.
static PREAMBLE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)^(?:i(?:'m| am|’m)? (?:sorry|apologi[sz]e) for [^.!?:]{1,60}[.!]\s*)?(?:(?:certainly|sure(?: thing)?|of course|absolutely|okay|ok|alright|understood|very well)\s*[,.!:–—-]*\s*)?(?:(?:here(?:'s|’s| is| are)|below is|this is|the following is)\s(?:my|the|our|a|an)\s(?:(?:\w|-)+\s){0,3}(?:statement|response|answer|argument|rebuttal|reply|speech|summary|closing|opening|proposal|critique|contribution|turn)s?\b(?:\s(?:as|for|in|from|of|to|on|by)\b[^.!?:]*)?:|)\s*$",
    )
});
/// `(Word count: 335)`, `Words: 335`, `[130 words]`.
static COUNT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)^[(\[*_ ]*(?:(?:total |approximate |final )?words?(?: count)?\s*[:=]\s*(?:~|about |approximately )?\d+(?: words)?|(?:~|about |approximately )?\d+ words)[)\]*_. ]*$",
    )
});

/// Words to the person asking, on their own line: `Let me know if you would like more!`, `I hope this helps.`
static ASIDE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)^[(\[*_ ]*(?:(?:please )?let me know (?:if|whether) you(?:['’]d|['’]ll| would| need| want| like| prefer| have)\b|(?:please )?feel free to (?:ask|reach out|let me know)\b|would you like me to\b|(?:i )?hope (?:this|that) (?:helps|clarifies)\b)",
    )
});
/// `*Thank you for this debate!*`: italics set it apart from the speech.
static THANKS: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)^(?:\*+|_+)(?:thank you|thanks)\b[^*_]*(?:\*+|_+)\W*$"));
/// `[End of closing statement]`, `*(This rebuttal stays within the requested length.)*`
static NOTE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)^[(\[*_ -]*end of (?:(?:my|the|opening|closing|final|round|\d+) )*(?:statement|argument|rebuttal|response|reply|turn|speech|remarks|summary)[)\]*_. -]*$|^[(\[*_]+(?:this|the above) (?:\w+ )?(?:statement|argument|rebuttal|response|reply|turn|speech|summary|answer)\b[^.]*\b(?:words?|length|limit)\b[^.]*\.?[)\]*_. ]*$",
    )
});

/// Removes what comes before and after a statement by someone with these names.
pub(super) fn clean<'t>(text: &'t str, own: &[&str]) -> Cleaned<'t> {
    let mut cleaned = Cleaned { text: text.trim(), removed: Vec::new() };
    while let Some((label, rest)) = heading(cleaned.text, own) {
        cleaned.take(label, rest.trim_start());
    }
    while let Some((rest, meta)) = trailer(cleaned.text) {
        cleaned.take(meta, rest.trim_end());
    }
    cleaned
}

impl<'t> Cleaned<'t> {
    fn take(&mut self, removed: &'t str, rest: &'t str) {
        self.removed.push(removed.trim());
        self.text = rest;
    }
}

/// What comes before and after a name in a text, not counting a remark in brackets right after it: `Ann (against the motion)`.
fn around_name<'t>(text: &'t str, name: &str) -> Option<[&'t str; 2]> {
    let begins = |at: &usize| !text[..*at].ends_with(char::is_alphanumeric);
    let places = text.char_indices().map(|(at, _)| at).filter(begins);
    let found = places.filter_map(|at| Some((at, after_name(&text[at..], name)?)));
    // After other words, it counts as the name only if it is spelt the same: `against` is also a word.
    let is_name = |(at, _): &(usize, &str)| *at == 0 || text[*at..].starts_with(name);
    let (at, behind) = { found }.find(is_name)?;
    let remark = behind.trim_start().strip_prefix('(').and_then(|rest| rest.split_once(')'));
    let behind = remark.map_or(behind, |(_, behind)| behind);
    Some([&text[..at], behind])
}

/// The part at the beginning that does not belong to the statement, and the rest.
fn heading<'t>(text: &'t str, own: &[&str]) -> Option<(&'t str, &'t str)> {
    let ruled = || text.split_once('\n').filter(|(line, _)| is_rule(line));
    let mark = || mark_before(text).filter(|(_, rest)| !rest.trim().is_empty());
    let label = label(text, own).or_else(|| preamble(text));
    label.or_else(ruled).or_else(mark)
}

/// Whether a line is only a horizontal rule.
fn is_rule(line: &str) -> bool {
    let bare = line.trim();
    bare.len() >= 3 && bare.chars().all(|c| matches!(c, '-' | '*' | '_'))
}

/// The speaker's own name or a heading at the beginning, and the rest; `None` if there is no rest.
fn label<'t>(text: &'t str, own: &[&str]) -> Option<(&'t str, &'t str)> {
    let (line, below) = text.split_once('\n').unwrap_or((text, ""));
    if is_label(line.trim_end_matches([':', '*', '_', ' ']), own) && !below.trim().is_empty() {
        return Some((line, below));
    }
    bracketed(text, own).or_else(|| before_colon(text, line, own))
}

/// A label in brackets, followed by the statement on the same line.
fn bracketed<'t>(text: &'t str, own: &[&str]) -> Option<(&'t str, &'t str)> {
    let end = text.find(']').filter(|_| text.starts_with('['))?;
    let (label, rest) = text.split_at(end + 1);
    let is_one = is_label(label, own) && label.lines().count() == 1;
    let goes_on = rest.trim_start_matches(DECORATION).starts_with(char::is_alphanumeric);
    (is_one && goes_on).then_some((label, rest))
}

/// A label that ends with a colon on the first line of the text.
fn before_colon<'t>(text: &'t str, line: &str, own: &[&str]) -> Option<(&'t str, &'t str)> {
    let colon = line.find(':')?;
    let (head, rest) = text.split_at(colon + 1);
    let rest = rest.trim_start_matches(['*', '_', ']']);
    let label = &text[..text.len() - rest.len()];
    (is_label(&head[..colon], own) && !rest.trim().is_empty()).then_some((label, rest))
}

/// Whether a line without its colon is a label: a name, the words of a heading, or both.
fn is_label(line: &str, own: &[&str]) -> bool {
    let bare = line.trim_matches(DECORATION);
    let marked = line.starts_with(['*', '#', '[', '_']);
    let name = own.iter().find_map(|name| around_name(bare, name));
    let [before, behind] = name.unwrap_or([bare, ""]);
    let mut words = [before, behind].into_iter().flat_map(plain_words).peekable();
    let in_brackets = name.is_some() && line.starts_with('[');
    let is_heading = |word: &str| {
        let more = IN_BRACKETS.iter().copied().filter(|_| in_brackets);
        let mut known = HEADING.split(' ').chain(more);
        known.any(|h| word.eq_ignore_ascii_case(h)) || word.chars().all(|c| c.is_ascii_digit())
    };
    let something = name.is_some() || (marked && words.peek().is_some()) || bare_heading(bare);
    something && words.all(is_heading)
}

/// Headings recognized without a mark: `Round 2`, `Opening statement`.
fn bare_heading(line: &str) -> bool {
    let first = line.split_whitespace().next().unwrap_or_default();
    let known = ["round", "opening", "closing", "rebuttal", "argument"];
    known.iter().any(|word| first.eq_ignore_ascii_case(word))
        && line.split_whitespace().count() <= 4
}

fn preamble(text: &str) -> Option<(&str, &str)> {
    let (line, below) = text.split_once('\n')?;
    let bare = line.trim_matches(['*', '_', ' ', '\r']);
    let short = bare.split_whitespace().count() <= MOST_WORDS;
    let is_one = !bare.is_empty() && short && PREAMBLE.is_match(bare);
    (is_one && !below.trim().is_empty()).then_some((line, below))
}

/// What comes before a mark or a last line that is not part of the statement, and that.
fn trailer(text: &str) -> Option<(&str, &str)> {
    let mark = mark_behind(text).filter(|(rest, _)| !rest.trim().is_empty());
    mark.or_else(|| last_line(text))
}

fn last_line(text: &str) -> Option<(&str, &str)> {
    let (above, line) = text.rsplit_once('\n')?;
    let bare = line.trim();
    let is_aside = ASIDE.is_match(bare) && bare.split_whitespace().count() <= MOST_ASIDE;
    let mut metas = [&COUNT, &NOTE, &THANKS].into_iter();
    let is_meta = metas.any(|meta| meta.is_match(bare));
    let is_one = is_rule(line) || is_aside || [CUT_MARK, BREAK_MARK].contains(&bare) || is_meta;
    (is_one && !above.trim().is_empty()).then_some((above, line))
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWN: &[&str] = &["Scientist", "agent_a"];

    /// Replies, and what is kept of each.
    const LABELLED: &[(&str, &str)] = &[
        ("**Scientist:** Evidence counts.", "Evidence counts."),
        ("**Scientist**: Evidence counts.", "Evidence counts."),
        ("Scientist: Evidence counts.", "Evidence counts."),
        ("[Scientist]\nEvidence counts.", "Evidence counts."),
        ("[Scientist]: Evidence counts.", "Evidence counts."),
        ("[Scientist] Evidence counts.", "Evidence counts."),
        ("[Scientist, rebuttal]\nEvidence counts.", "Evidence counts."),
        ("[Scientist, answer]: Evidence counts.", "Evidence counts."),
        ("[Scientist, as devil's advocate] Evidence counts.", "Evidence counts."),
        ("SCIENTIST (Round 2): Evidence counts.", "Evidence counts."),
        ("## Round 2\n\nEvidence counts.", "Evidence counts."),
        ("**Round 2 – Rebuttal**\nEvidence counts.", "Evidence counts."),
        ("Opening statement:\nEvidence counts.", "Evidence counts."),
        ("### Scientist's\nEvidence counts.", "### Scientist's\nEvidence counts."),
        ("Certainly! Here's my statement:\n\nEvidence counts.", "Evidence counts."),
        ("Sure, here is my closing argument for Round 2:\nEvidence counts.", "Evidence counts."),
        ("Here is my response:\n\n**Scientist:** Evidence counts.", "Evidence counts."),
        ("agent_a: Evidence counts.", "Evidence counts."),
        ("Scientist (against the motion): Evidence counts.", "Evidence counts."),
        ("**Scientist (revised answer, round 2):** Evidence counts.", "Evidence counts."),
        ("**Rebuttal (Scientist):** Evidence counts.", "Evidence counts."),
        ("**Closing statement of Scientist:**\n\nEvidence counts.", "Evidence counts."),
        ("**Scientist – Final Summary**\n\n---\n\nEvidence counts.", "Evidence counts."),
        (
            "I apologize for the confusion earlier. Here is my response:\n\n**Scientist:**\nEvidence counts.",
            "Evidence counts.",
        ),
    ];

    #[test]
    fn m2_own_labels_headings_and_preambles_are_taken_off() {
        for (text, kept) in LABELLED {
            assert_eq!(clean(text, OWN).text, *kept, "{text}");
        }
    }

    #[test]
    fn m2_counts_rules_and_marks_of_ours_are_taken_off_the_end() {
        for trailer in [
            "(Word count: 335)",
            "Word count: 335",
            "*(130 words)*",
            "[130 words]",
            "---",
            "(Words: 120)",
            "[Time limit reached]",
            "[breaks off here]",
            "Let me know if you'd like me to expand on any of these points! 🚋",
            "*(Let me know if you would like more.)*",
            "I hope this helps clarify the view of science! Feel free to ask for more.",
            "*[End of closing statement]*",
            "*Thank you for this respectful debate!* 🌳",
            "*This rebuttal stays within the requested length of 160 words.*",
        ] {
            let text = format!("Evidence counts.\n\n{trailer}");
            let cleaned = clean(&text, OWN);
            assert_eq!((cleaned.text, cleaned.removed), ("Evidence counts.", vec![trailer]));
        }
    }

    #[test]
    fn m4_marks_of_thoughts_and_templates_are_taken_off_both_ends() {
        for (text, removed) in [
            ("Evidence counts.\n</think>", vec!["</think>"]),
            ("Evidence counts.<|im_end|>", vec!["<|im_end|>"]),
            (
                "<|begin_of_solution|>\nEvidence counts.\n<|end_of_solution|>",
                vec!["<|begin_of_solution|>", "<|end_of_solution|>"],
            ),
        ] {
            let cleaned = clean(text, OWN);
            assert_eq!((cleaned.text, cleaned.removed), ("Evidence counts.", removed));
        }
    }

    #[test]
    fn m2_what_belongs_to_a_statement_stays() {
        for text in [
            "Scientists agree: evidence counts.",
            "Scientist or not, everyone can see it: evidence counts.",
            "The scientist in me says: evidence counts.",
            "Round numbers mislead: take 1,000.",
            "Answer: yes.\nReasoning: it helps.",
            "Here is the core of it: evidence counts.",
            "My argument: evidence counts.",
            "Certainly, evidence counts.",
            "First:\nevidence.",
            "Opening hours matter.\nThey do.",
            "**Scientist:**",
            "[Scientist, who counts] Evidence counts.",
            "[My answer] Evidence counts.",
            "(Word count: 335)",
            "In 500 words\none can say a lot.",
            "Evidence counts.\n\nThis argument has no words for the length of that limit.",
            "Evidence counts.\n\nThe end of the argument is near.",
            "Against the motion: evidence.",
            "Here are three reasons:\n1. Evidence counts.",
            "Here is what my opponent misses:\nevidence.",
            "This is why compulsion fails:\nevidence.",
            "Evidence counts.\n\nLet me know how you would fund it.",
            "Evidence counts.\n\nFeel free to name one study that says otherwise.",
            "Every Scientist: evidence counts.",
            "Evidence counts.\n\nThank you.",
            "Evidence counts, not `</think>`",
        ] {
            let cleaned = clean(text, OWN);
            assert_eq!((cleaned.text, cleaned.removed.len()), (text, 0));
        }
    }

    #[test]
    fn m2_a_name_that_is_a_word_is_a_label_only_as_a_name() {
        let own = &["Against", "agent_b"];
        let text = "The argument against the motion: it costs money.";
        assert_eq!(clean(text, own).text, text);
        for label in ["Against: ", "**Against:** ", "Statement of Against: "] {
            let labelled = format!("{label}It costs money.");
            assert_eq!(clean(&labelled, own).text, "It costs money.", "{label}");
        }
    }
}
