//! Tabs that YAML refuses. Its parser stops behind one, or where the text began that one is in.

use crate::job::problem::{Place, Problems, Refusal};

/// Parts of the parser's messages where a tab is at fault, if one is there.
const AT_FAULT: [&str; 3] = ["tab", "a valid YAML whitespace", "did not find expected key"];

/// The tab that is at fault, given where the parser stopped.
pub(in crate::job) fn place(message: &str, at: &Place, problems: &Problems) -> Option<Place> {
    let Place::At { line, column } = *at else { return None };
    match message {
        _ if message.contains("scalar content") => Some(Place::At { line: line + 1, column: 1 }),
        _ if message.contains("plain scalar, found a tab") => below(line, problems),
        _ if AT_FAULT.iter().any(|part| message.contains(part)) => before(line, column, problems),
        _ => None,
    }
}

/// The first tab in the indentation of a line below.
fn below(line: usize, problems: &Problems) -> Option<Place> {
    let mut below = (line + 1..).map_while(|line| Some((line, problems.line(line)?)));
    below.find_map(|(line, text)| {
        let (indentation, _) = text.split_at(text.len() - text.trim_start().len());
        let column = indentation.chars().position(|c| c == '\t')? + 1;
        Some(Place::At { line, column })
    })
}

/// The first tab among the blanks before this column, or at it.
fn before(line: usize, column: usize, problems: &Problems) -> Option<Place> {
    let text: Vec<char> = problems.line(line)?.chars().take(column).collect();
    let ahead = text.get(..column - 1)?;
    let blanks = ahead.iter().rev().take_while(|c| c.is_whitespace()).count();
    let from = ahead.len() - blanks;
    let column = text[from..].iter().position(|c| *c == '\t')? + from + 1;
    Some(Place::At { line, column })
}

/// Cause and remedy for the tab at this place.
pub(in crate::job) fn refusal(at: &Place, problems: &Problems) -> Refusal {
    let what = "there is a tab where only spaces are allowed";
    let remedy = if is_indentation(at, problems) {
        "indent with spaces, not tabs, on this line and all others"
    } else {
        "replace the tab with a space"
    };
    (what.to_owned(), remedy.to_owned())
}

fn is_indentation(at: &Place, problems: &Problems) -> bool {
    let Place::At { line, .. } = at else { return false };
    let text = problems.line(*line).unwrap_or_default();
    let before = text.len() - problems.rest_of_line(at).len();
    text[..before].trim().is_empty()
}
