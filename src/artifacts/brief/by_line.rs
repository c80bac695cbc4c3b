//! A text in Markdown by its lines, as far as these tell more than its sentences.

use crate::text;

/// Characters below which the first sentence of a line says too little without the next.
const SHORT: usize = 60;
/// The most characters that are told together or not at all.
const LONG: usize = 600;

/// The sentences of a text in Markdown; the first of a paragraph and of an item in a list begin a line.
pub(super) fn by_line(said: &str) -> Vec<String> {
    let lines: Vec<&str> = said.trim().lines().collect();
    let blocks =
        lines.chunk_by(|line, next| !line.trim().is_empty() && mark_of_item(next).is_none());
    let mut all = Vec::new();
    for block in blocks.filter(|block| !block[0].trim().is_empty()) {
        let is_heading = block.iter().all(|line| line.starts_with('#') || line.trim().is_empty());
        let mut said = sentences(&block.join("\n"));
        if let Some(first) = said.first_mut().filter(|_| !all.is_empty()) {
            first.insert_str(0, mark_of_item(block[0]).unwrap_or("\n"));
        }
        join_short(&mut said, SHORT);
        all.extend(said.into_iter().filter(|_| !is_heading).flat_map(pieces));
    }
    all
}

/// Puts a first sentence of fewer characters together with the next.
fn join_short(said: &mut Vec<String>, least: usize) {
    while said.len() > 1 && said[0].chars().count() < least {
        let next = said.remove(1);
        said[0].extend([" ", &next]);
    }
}

/// What is told sentence by sentence. A `No.` goes with what follows it.
pub(super) fn prose(said: &str) -> Vec<String> {
    let mut said = sentences(said);
    join_short(&mut said, text::LEAST_GIST);
    said.into_iter().flat_map(pieces).collect()
}

/// The sentences of a text in Markdown. What goes on in small letters behind a quoted question does not begin one.
fn sentences(said: &str) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for sentence in text::split_sentences(&text::unmarked(said)) {
        let goes_on = sentence.starts_with(char::is_lowercase);
        match all.last_mut().filter(|last| goes_on && last.ends_with(text::is_quotation_mark)) {
            Some(last) => last.extend([" ", &sentence]),
            None => all.push(sentence),
        }
    }
    all
}

/// A sentence, cut between words where it is very long.
fn pieces(sentence: String) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for word in sentence.split_inclusive(' ') {
        match all.last_mut().filter(|it| it.chars().count() + word.chars().count() <= LONG) {
            Some(piece) => piece.push_str(word),
            None => all.push(word.to_owned()),
        }
    }
    all.iter().map(|piece| piece.trim_end_matches(' ').to_owned()).collect()
}

/// What stands before an item of a list in place of its mark. A number stays.
fn mark_of_item(line: &str) -> Option<&'static str> {
    let line = line.trim_start();
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_numbered = rest.len() < line.len() && [". ", ") "].iter().any(|it| rest.starts_with(it));
    let is_item = ["- ", "* ", "+ "].iter().any(|it| line.starts_with(it));
    if is_item { Some("\n- ") } else { is_numbered.then_some("\n") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a9_a_sentence_that_says_nothing_alone_goes_with_the_next() {
        let said = "No. Not for good, and not yet. A trial costs little.";
        assert_eq!(prose(said), ["No. Not for good, and not yet.", "A trial costs little."]);
        assert_eq!(prose("No."), ["No."]);
    }

    #[test]
    fn a9_a_question_within_a_sentence_does_not_end_it() {
        let said = "Both argued on \"Is it just?\" and met. **So?** They agreed.";
        assert_eq!(
            sentences(said),
            ["Both argued on \"Is it just?\" and met.", "So?", "They agreed."]
        );
    }
}
