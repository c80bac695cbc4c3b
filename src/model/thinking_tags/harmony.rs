//! Replies in OpenAI's harmony form, which a server has not taken apart: thoughts and words come in channels of one text.

use std::sync::LazyLock;

use regex::Regex;

use super::marks;

/// The beginning of a channel's text: `<|channel|>analysis<|message|>`.
static HEAD: LazyLock<Regex> = LazyLock::new(|| {
    let head = r"<\|channel\|>\s*([a-z]+)[^<]*(?:<\|constrain\|>[^<]*)?<\|message\|>";
    Regex::new(head).expect("a pattern of ours")
});
/// What ends it.
const ENDS: [&str; 4] = ["<|end|>", "<|start|>", "<|return|>", "<|call|>"];
/// The channel of what is said.
const FINAL: &str = "final";
/// The same heads where a server has dropped their marks.
const BARE: [&str; 2] = ["analysis", "assistantfinal"];

/// The thoughts and the words of a text in channels; nothing of another text. Thoughts whose head was in the prompt come first.
pub(super) fn split(text: &str) -> Option<(Vec<&str>, String)> {
    let heads: Vec<_> = HEAD.captures_iter(text).collect();
    let places: Vec<_> = heads.iter().filter_map(|head| head.get(0)).collect();
    let Some(first) = places.first() else { return bare(text) };
    if marks::is_quoted(text, &first.range()) {
        return None;
    }
    let (mut thoughts, mut said) = (vec![until_end(&text[..first.start()])], String::new());
    for (n, head) in heads.iter().enumerate() {
        let next = places.get(n + 1).map_or(text.len(), |next| next.start());
        let body = until_end(&text[places[n].end()..next]);
        if &head[1] == FINAL {
            said.push_str(body);
        } else {
            thoughts.push(body);
        }
    }
    Some((thoughts, said))
}

fn until_end(body: &str) -> &str {
    let ends = ENDS.iter().filter_map(|end| body.find(end));
    &body[..ends.min().unwrap_or(body.len())]
}

/// The same for a text whose marks are gone: `analysisWe must argue.assistantfinalIt is so.`
fn bare(text: &str) -> Option<(Vec<&str>, String)> {
    let [analysis, said] = BARE;
    let thought = text.strip_prefix(analysis);
    if let Some((thoughts, said)) = thought.unwrap_or(text).split_once(said) {
        return Some((vec![thoughts], said.to_owned()));
    }
    // Glued to a capital, it is no word of a sentence.
    let unfinished = thought.filter(|thought| thought.starts_with(char::is_uppercase));
    unfinished.map(|thought| (vec![thought], String::new()))
}
