//! Thoughts in the text of a reply. Ollama separates them only for models whose template describes them.

use crate::model::Reply;

/// The tags that models put around their thoughts.
const TAGS: [&str; 3] = ["think", "thinking", "thought"];

/// The reply with thoughts in its text moved to `thinking`.
pub(super) fn apart(reply: Reply) -> Reply {
    let Some((thought, said)) = split(&reply.text) else {
        return reply;
    };
    let all = reply.thinking.into_iter().chain([thought]);
    let thinking: Vec<String> = all.filter(|thought| !thought.is_empty()).collect();
    Reply {
        text: said,
        thinking: (!thinking.is_empty()).then(|| thinking.join("\n\n")),
        ..reply
    }
}

/// What was thought and what was said, if a text begins with thoughts. A reply that was cut may never close them.
fn split(text: &str) -> Option<(String, String)> {
    let (mut thoughts, mut rest) = (Vec::new(), text.trim_start());
    while let Some((thought, behind)) = TAGS.iter().find_map(|tag| first(rest, tag)) {
        thoughts.push(thought.trim());
        rest = behind.trim_start();
    }
    (!thoughts.is_empty()).then(|| (thoughts.join("\n\n"), rest.trim().to_owned()))
}

/// The thoughts at the beginning of a text, and what follows them. A template may have opened them already, so that only
/// their end shows, on its own line or right before an object.
fn first<'t>(text: &'t str, tag: &str) -> Option<(&'t str, &'t str)> {
    let (open, close) = (format!("<{tag}>"), format!("</{tag}>"));
    if let Some(thought) = text.strip_prefix(&open) {
        return Some(thought.split_once(&close).unwrap_or((thought, "")));
    }
    let (thought, behind) = text.split_once(&close)?;
    let alone = behind.is_empty() || behind.starts_with(['\n', '\r']);
    let before_json = !text.starts_with('{') && behind.trim_start().starts_with('{');
    (thought.ends_with('\n') && alone || before_json).then_some((thought, behind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn m4_thoughts_in_the_text_are_told_apart() {
        for (text, thought, said) in [
            ("<think>Is it 2?</think>\nIt is 3.", "Is it 2?", "It is 3."),
            ("Is it 2?\n</think>\n\nIt is 3.", "Is it 2?", "It is 3."),
            ("\n<thinking>2?</thinking>It is 3.", "2?", "It is 3."),
            (
                "<think>2?</think> <think>3?</think>It is 3.",
                "2?\n\n3?",
                "It is 3.",
            ),
            ("<think>\nIs it 2? Or", "Is it 2? Or", ""),
            ("<think></think>It is 3.", "", "It is 3."),
            (
                "Maybe {\"a\":2}?</think>{\"a\":1}",
                "Maybe {\"a\":2}?",
                "{\"a\":1}",
            ),
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
