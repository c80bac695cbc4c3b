//! Thoughts in the text of a reply: Ollama tells them apart only for models whose template says how they think.

use crate::model::Reply;

/// What models put around their thoughts.
const TAGS: [&str; 3] = ["think", "thinking", "thought"];

/// The reply with thoughts that stand in its text told apart from what was said.
pub(super) fn apart(reply: Reply) -> Reply {
    let Some((thought, said)) = split(&reply.text) else {
        return reply;
    };
    let before = reply.thinking.into_iter();
    let thinking: Vec<String> = before.chain([thought]).collect();
    Reply {
        text: said,
        thinking: Some(thinking.join("\n\n")),
        ..reply
    }
}

/// What was thought and what was said, where a text has thoughts in it. A template may open them itself, so that only
/// their end shows; a reply that was cut may never close them.
fn split(text: &str) -> Option<(String, String)> {
    TAGS.iter().find_map(|tag| {
        let (open, close) = (format!("<{tag}>"), format!("</{tag}>"));
        let opened = text.find(&open);
        let begins = opened.map_or(0, |at| at + open.len());
        let closed = text.rfind(&close).filter(|at| *at >= begins);
        let ends = closed.or_else(|| text.trim_start().starts_with(&open).then_some(text.len()))?;
        let behind = closed.map_or("", |at| &text[at + close.len()..]);
        let said = [&text[..opened.unwrap_or(0)], behind].concat();
        Some((text[begins..ends].trim().to_owned(), said.trim().to_owned()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn m4_thoughts_in_the_text_are_told_apart() {
        for (text, thought, said) in [
            ("<think>Is it 2?</think>\nIt is 3.", "Is it 2?", "It is 3."),
            ("Is it 2?</think>It is 3.", "Is it 2?", "It is 3."),
            (
                "Well.\n<thinking>2?</thinking>\nIt is 3.",
                "2?",
                "Well.\n\nIt is 3.",
            ),
            (
                "<think>2? </think> <think>3?</think>It is 3.",
                "2? </think> <think>3?",
                "It is 3.",
            ),
            ("<think>\nIs it 2? Or", "Is it 2? Or", ""),
            ("<think></think>It is 3.", "", "It is 3."),
        ] {
            let expected = Some((thought.to_owned(), said.to_owned()));
            assert_eq!(split(text), expected, "{text}");
        }
        for text in [
            "I think so.",
            "It is <think> that I mean.",
            "</thinker>",
            "",
        ] {
            assert_eq!(split(text), None, "{text}");
        }
    }
}
