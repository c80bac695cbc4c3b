//! The marks that models put around their thoughts, and those of their templates that reach a reply.

use std::ops::Range;
use std::sync::LazyLock;

use regex::{Match, Regex};

/// What opens and what closes thoughts, by family of models.
const AROUND_THOUGHTS: [[&str; 2]; 6] = [
    [
        r"<(?:think|thinking|thoughts?|reasoning|reflection|scratchpad|seed:think)(?:\s[^<>\n]{0,80})?>",
        r"</\s*(?:think|thinking|thoughts?|reasoning|reflection|scratchpad|seed:think)\s*>",
    ],
    // Magistral.
    [r"\[think\]", r"\[/think\]"],
    // Kimi.
    [r"◁think▷", r"◁/think▷"],
    // OpenThinker, Sky-T1.
    [r"<\|begin_of_thought\|>", r"<\|end_of_thought\|>"],
    // Command A.
    [r"<\|start_thinking\|>", r"<\|end_thinking\|>"],
    // Gemma.
    [r"<\|channel>\s*thought", r"<channel\|>"],
];

/// What templates put around the words themselves.
const AROUND_WORDS: &str = r"</?answer>|<\|(?:begin|end)_of_solution\|>|<\|(?:start|end)_response\|>|<\|(?:start|end|return|call|message|channel|constrain|im_start|im_end|eot_id|end_of_text|endoftext)\|>|</s>";

/// What stands before or behind a mark that is only spoken of.
const QUOTES: [char; 14] = ['"', '\'', '`', '“', '”', '„', '‘', '’', '«', '»', '(', ')', '‹', '›'];

static PAIRS: LazyLock<Vec<[Regex; 2]>> =
    LazyLock::new(|| AROUND_THOUGHTS.iter().map(|pair| pair.map(ours)).collect());

/// Any of all marks.
static ANY: LazyLock<Regex> = LazyLock::new(|| {
    let thoughts = AROUND_THOUGHTS.as_flattened().join("|");
    ours(&format!("{thoughts}|{AROUND_WORDS}"))
});

/// What every mark has one of. Most replies have none, and need no pattern.
const SIGNS: [char; 3] = ['<', '[', '◁'];

/// Marks of a family that are looked at in a text.
const MOST: usize = 32;

fn ours(pattern: &str) -> Regex {
    Regex::new(&format!("(?i){pattern}")).expect("a pattern of ours")
}

/// Whether a text may have marks at all.
pub(super) fn are_possible(text: &str) -> bool {
    text.contains(SIGNS)
}

/// The marks of a text that open thoughts, each with what closes them.
pub(super) fn opening(text: &str) -> impl Iterator<Item = (Range<usize>, &Regex)> {
    PAIRS.iter().flat_map(move |[open, close]| {
        open.find_iter(text).take(MOST).map(move |mark| (mark.range(), close))
    })
}

/// The marks of a text that close thoughts.
pub(super) fn closing(text: &str) -> impl Iterator<Item = Range<usize>> {
    let found = PAIRS.iter().flat_map(move |[_, close]| close.find_iter(text).take(MOST));
    found.map(|mark| mark.range())
}

/// Whether a mark is only spoken of: it stands between quotation marks, or in a span of code.
pub(super) fn is_quoted(text: &str, mark: &Range<usize>) -> bool {
    let (before, behind) = (&text[..mark.start], &text[mark.end..]);
    let line = before.rsplit('\n').next().unwrap_or_default();
    let rest = behind.split('\n').next().unwrap_or_default();
    let in_code = rest.contains('`') && line.matches('`').count() % 2 == 1;
    in_code || before.ends_with(QUOTES) && behind.starts_with(QUOTES)
}

/// Whether a mark is the first of what is quoted.
pub(super) fn begins_quotation(text: &str, mark: &Range<usize>) -> bool {
    text[..mark.start].ends_with(QUOTES)
}

fn any_in(text: &str) -> impl Iterator<Item = Match<'_>> {
    are_possible(text).then(|| ANY.find_iter(text)).into_iter().flatten()
}

/// A mark at the beginning of a text, and the rest.
pub(crate) fn mark_before(text: &str) -> Option<(&str, &str)> {
    let first = any_in(text).next().filter(|mark| mark.start() == 0);
    first.map(|mark| text.split_at(mark.end()))
}

/// What comes before a mark at the end of a text, and the mark.
pub(crate) fn mark_behind(text: &str) -> Option<(&str, &str)> {
    let last = any_in(text).last().filter(|mark| mark.end() == text.len());
    last.map(|mark| text.split_at(mark.start()))
}

/// The first mark of thoughts or of a template that is left in a text and is not only spoken of.
pub(crate) fn mark_left(text: &str) -> Option<&str> {
    let used = any_in(text).find(|mark| !is_quoted(text, &mark.range()));
    used.map(|mark| mark.as_str())
}
