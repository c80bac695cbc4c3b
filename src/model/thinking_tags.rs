//! Thoughts in the text of a reply. Ollama separates them only for models whose template describes them.

mod harmony;
mod marks;

use std::ops::Range;

pub(crate) use self::marks::{mark_before, mark_behind, mark_left};
use crate::model::{DoneReason, Reply};

/// Words from which on what stands between two marks in the middle of a line is a thought. In a text about such marks, it is
/// an "and" or a comma.
const THOUGHT: usize = 3;
/// Thoughts in one text that are told apart; a reply with more is out of its mind.
const MOST: usize = 32;

/// The reply with thoughts in its text moved to `thinking`.
pub(super) fn apart(reply: Reply) -> Reply {
    let is_whole = reply.done_reason == DoneReason::Stop;
    let Some((thought, said)) = split(&reply.text, is_whole) else { return reply };
    let all = reply.thinking.into_iter().chain([thought]);
    let thinking: Vec<String> = all.filter(|thought| !thought.is_empty()).collect();
    Reply { text: said, thinking: (!thinking.is_empty()).then(|| thinking.join("\n\n")), ..reply }
}

/// What was thought and what was said; nothing if a text has no thoughts. A reply that was cut may never close them.
fn split(text: &str, is_whole: bool) -> Option<(String, String)> {
    let text = text.trim();
    let (mut thoughts, mut said) = match harmony::split(text) {
        Some(channels) => channels,
        None if marks::are_possible(text) => in_marks(text, is_whole),
        None => return None,
    };
    if thoughts.is_empty() {
        return None;
    }
    thoughts.iter_mut().for_each(|it| *it = it.trim());
    thoughts.retain(|it| !it.is_empty());
    said.truncate(said.trim_end().len());
    Some((thoughts.join("\n\n"), said.trim_start().to_owned()))
}

/// The thoughts between marks, and all else.
fn in_marks(text: &str, is_whole: bool) -> (Vec<&str>, String) {
    let (mut thoughts, mut said, mut rest) = (Vec::new(), String::new(), text);
    while thoughts.len() < MOST
        && let Some(thought) = first(rest, is_whole, thoughts.is_empty())
    {
        said.push_str(rest[..thought.all.start].trim_end());
        thoughts.push(&rest[thought.inner]);
        rest = &rest[thought.all.end..];
        if said.is_empty() {
            rest = rest.trim_start();
        }
    }
    said.push_str(rest);
    (thoughts, said)
}

/// Where a thought is in a text, with its marks and without them.
struct Thought {
    all: Range<usize>,
    inner: Range<usize>,
}

/// The first thought of a text. A template may have opened the first one of a reply already, so that only its end shows.
fn first(text: &str, is_whole: bool, may_be_open: bool) -> Option<Thought> {
    let opened = marks::opening(text).filter_map(|(open, close)| {
        let close = close.find_at(text, open.end);
        opened(text, &open, close.map(|mark| mark.range()))
    });
    let first = opened.min_by_key(|thought| thought.all.start);
    // Within that thought, a mark closes nothing else; behind it, it is looked at next.
    let begins = first.as_ref().map_or(text.len(), |first| first.all.start);
    let closing = marks::closing(text)
        .filter(|close| may_be_open && close.start < begins)
        .filter(|close| ends_thoughts(text, close, is_whole));
    let close = closing.min_by_key(|close| close.start);
    let closed = close.map(|close| Thought { inner: 0..close.start, all: 0..close.end });
    closed.or(first)
}

/// A thought with this beginning. In the middle of a text it begins a line or follows a sentence, and within a line it has an
/// end: `between <think> and </think>` is none.
fn opened(text: &str, open: &Range<usize>, close: Option<Range<usize>>) -> Option<Thought> {
    let before = text[..open.start].trim_end_matches([' ', '\t']);
    let on_own_line = before.is_empty() || before.ends_with('\n');
    let begins = on_own_line || ends_sentence(before);
    let in_object = is_object(text);
    let quotes = marks::is_quoted(text, open) || marks::begins_quotation(text, open);
    if in_object || quotes || !begins {
        return None;
    }
    let Some(close) = close else {
        return on_own_line
            .then_some(Thought { inner: open.end..text.len(), all: open.start..text.len() });
    };
    let inner = &text[open.end..close.start];
    let words = inner.split_whitespace().count();
    let is_thought = on_own_line || inner.contains('\n') || words == 0 || words >= THOUGHT;
    is_thought.then_some(Thought { inner: open.end..close.start, all: open.start..close.end })
}

/// Whether all before a mark is thought. If it stands within a line, no mark may precede it: the text may be about them. Behind
/// a whole reply, it is only left over.
fn ends_thoughts(text: &str, close: &Range<usize>, is_whole: bool) -> bool {
    let (before, behind) = (&text[..close.start], &text[close.end..]);
    if behind.trim().is_empty() && is_whole && !before.trim().is_empty() {
        return false;
    }
    let ends_line = behind.trim_start_matches([' ', '\t']);
    let ends_line = ends_line.is_empty() || ends_line.starts_with(['\n', '\r']);
    let begins_line = before.trim_end_matches([' ', '\t']);
    let begins_line = begins_line.is_empty() || begins_line.ends_with('\n');
    let is_object = is_object(text);
    if begins_line && ends_line || !is_object && behind.trim_start().starts_with('{') {
        return true;
    }
    let follows = !before.ends_with(char::is_whitespace) || ends_sentence(before.trim_end());
    let is_alone = || marks::opening(before).next().is_none();
    (follows || ends_line) && !is_object && !marks::is_quoted(text, close) && is_alone()
}

/// Whether a text is JSON, in whose strings marks are only quoted.
fn is_object(text: &str) -> bool {
    text.starts_with(['{', '`'])
}

/// Whether a text ends with a sentence, or with a label.
fn ends_sentence(text: &str) -> bool {
    text.ends_with(['.', '!', '?', ':', '…', '"', '”', '*', '。', '！', '？'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, thought: &str, said: &str) {
        let expected = Some((thought.to_owned(), said.to_owned()));
        assert_eq!(split(text, true), expected, "{text}");
    }

    #[test]
    fn m4_thoughts_in_the_text_are_told_apart() {
        for (text, thought, said) in [
            ("<think>Is it 2?</think>\nIt is 3.", "Is it 2?", "It is 3."),
            ("Is it 2?\n</think>\n\nIt is 3.", "Is it 2?", "It is 3."),
            ("\n<thinking>2?</thinking>It is 3.", "2?", "It is 3."),
            ("<think>2?</think> <think>3?</think>It is 3.", "2?\n\n3?", "It is 3."),
            ("<think>\nIs it 2? Or", "Is it 2? Or", ""),
            ("<think></think>It is 3.", "", "It is 3."),
            ("Maybe {\"a\":2}?</think>{\"a\":1}", "Maybe {\"a\":2}?", "{\"a\":1}"),
            ("Is it 2?</think>\nIt is 3.", "Is it 2?", "It is 3."),
            ("Is it 2?</think> It is 3.", "Is it 2?", "It is 3."),
            ("I would say 2</think>It is 3.", "I would say 2", "It is 3."),
            ("<Think>\n2?\n</THINK>\nIt is 3.", "2?", "It is 3."),
            ("<think >2?</think >\nIt is 3.", "2?", "It is 3."),
            ("<think effort=\"low\">2?</think>It is 3.", "2?", "It is 3."),
            ("X: <think>\n2?\n</think>\nIt is 3.", "2?", "X:\nIt is 3."),
            ("So. <think>Is it 2?</think> It is 3.", "Is it 2?", "So. It is 3."),
            ("<think>2?</think>\nIt is 3.\n<think>\nOr 4?", "2?\n\nOr 4?", "It is 3."),
        ] {
            check(text, thought, said);
        }
    }

    #[test]
    fn m4_every_family_of_models_has_its_marks() {
        for text in [
            "<seed:think>2?</seed:think>It is 3.",
            "<reasoning>\n2?\n</reasoning>\n\nIt is 3.",
            "[THINK]2?[/THINK]It is 3.",
            "2?[/THINK]It is 3.",
            "◁think▷2?◁/think▷It is 3.",
            "<|begin_of_thought|>\n2?\n<|end_of_thought|>\n\nIt is 3.",
            "<|START_THINKING|>2?<|END_THINKING|>It is 3.",
            "<|channel>thought\n2?<channel|>It is 3.",
            "<|channel|>analysis<|message|>2?<|end|><|start|>assistant<|channel|>final<|message|>It is 3.<|return|>",
            "2?<|end|><|start|>assistant<|channel|>final <|constrain|>json<|message|>It is 3.",
            "analysis2?assistantfinalIt is 3.",
        ] {
            check(text, "2?", "It is 3.");
        }
        check("<|channel|>analysis<|message|>Is it 2? Or", "Is it 2? Or", "");
        check("analysisWe need 2 or", "We need 2 or", "");
    }

    #[test]
    fn m4_marks_that_are_spoken_of_stay() {
        for text in [
            "I think so.",
            "It is <think> that I mean.",
            "</thinker>",
            "",
            "Models write between <think> and </think>. Others do not.",
            "The marks are: <think> and </think>.",
            "A model wrote \"<think>I must lie to them</think>\" and lied.",
            "It puts `<think>Say nothing of it.</think>` first.",
            "The mark “</think>” ends it.",
            "In GPT-OSS, `<|channel|>analysis<|message|>` begins it.",
            "{\"reason\": \"It ends.</think> Well.\"}",
            "{\"reason\": \"It began. <think>I must lie to them</think> So.\"}",
            "Analysis shows it. The assistant is final.",
            "analysis is due",
        ] {
            assert_eq!(split(text, true), None, "{text}");
        }
    }

    #[test]
    fn m4_an_end_of_thoughts_behind_a_whole_reply_is_left_over() {
        assert_eq!(split("It is 3.\n</think>", true), None);
        let cut = Some(("Is it 3?".to_owned(), String::new()));
        assert_eq!(split("Is it 3?\n</think>", false), cut);
        check("2?</think>It is 3.\n</think>", "2?", "It is 3.\n</think>");
        let said = "It is 3.\n</think>\nMore.";
        check(&format!("<think>2?</think>\n{said}"), "2?", said);
    }

    #[test]
    fn m4_marks_that_are_left_are_found_unless_they_are_spoken_of() {
        for (text, left) in [
            ("Streets. Then <think>is it so", Some("<think>")),
            ("It is so.<|im_end|>", Some("<|im_end|>")),
            ("It is so.", None),
            ("It writes `<think>` and \"</think>\" [1].", None),
        ] {
            assert_eq!(mark_left(text), left, "{text}");
        }
        assert_eq!(mark_behind("So.\n</think>"), Some(("So.\n", "</think>")));
        assert_eq!(mark_behind("`</think>`"), None);
        let words = ("<answer>", "So.</answer>");
        assert_eq!(mark_before("<answer>So.</answer>"), Some(words));
    }

    #[test]
    fn m4_a_reply_full_of_marks_is_read_soon() {
        for mark in ["<think>", "</think>", "\n<think>", ". <think>a b c</think>"] {
            split(&mark.repeat(100_000), true);
        }
    }
}
