//! Messages of the YAML and JSON parsers, reworded and with remedies.

use serde_json::Value;

use crate::job::problem::{Place, Problems, Refusal};

/// An opening bracket that is not closed yet.
#[derive(Debug)]
pub(in crate::job) struct Bracket {
    /// `[` or `{`.
    pub(in crate::job) opening: char,
    /// Where it stands.
    pub(in crate::job) place: Place,
}

impl Bracket {
    fn is_on_line_of(&self, place: &Place) -> bool {
        matches!((&self.place, place), (Place::At { line: a, .. }, Place::At { line: b, .. }) if a == b)
    }
}

/// Cause and remedy for a message of the YAML parser.
pub(in crate::job) fn explain(
    message: &str,
    at: &Place,
    open: Option<&Bracket>,
    problems: &Problems,
) -> Refusal {
    known(message, at, open, problems).unwrap_or_else(|| {
        let remedy = "check indentation, quotes and colons near here; text containing `: ` or ` #` must be quoted";
        (message.to_owned(), remedy.to_owned())
    })
}

fn known(
    message: &str,
    at: &Place,
    open: Option<&Bracket>,
    problems: &Problems,
) -> Option<Refusal> {
    let has = |part: &str| message.contains(part);
    let colon = has("mapping values are not allowed") || has("illegal placement of ':'");
    let in_flow = FLOW.iter().any(|part| has(part));
    if let Some(bracket) = open.filter(|_| in_flow || colon) {
        let inside_text = bracket.is_on_line_of(at) && problems.rest_of_line(at).starts_with(':');
        return Some(if inside_text { colon_in_text() } else { unclosed(bracket) });
    }
    if colon {
        return Some(misplaced_colon(at, problems));
    }
    if problems.rest_of_line(at).starts_with("```") {
        let remedy = "remove it: it marks code in Markdown and does not belong in a job";
        return Some(("there are three backticks here".into(), remedy.into()));
    }
    let (_, what, remedy) = KNOWN.iter().find(|(part, ..)| has(part))?;
    let begins: String = problems.rest_of_line(at).chars().take(1).collect();
    let what = match begins.as_str() {
        "" => (*what).to_owned(),
        begins => what.replace('…', begins),
    };
    Some((what, (*remedy).to_owned()))
}

/// Where the fault is: the parser reports a line that is not `key: value` at the start of the next one.
pub(in crate::job) fn blamed(message: &str, at: Place, problems: &Problems) -> Place {
    let Place::At { line, .. } = at else { return at };
    let is_written = |line: &usize| problems.line(*line).is_some_and(|text| !text.is_empty());
    match (1..line).rev().find(is_written) {
        Some(line) if message.contains("simple key") => Place::At { line, column: 1 },
        _ => at,
    }
}

/// Parts of the parser's messages that mean, inside brackets, that a bracket or a comma is missing.
const FLOW: [&str; 4] = ["flow", "misplaced", "simple key", "node content"];

/// Parts of the parser's messages with our cause and remedy; `…` is the character that is there.
const KNOWN: [(&str, &str, &str); 9] = [
    (
        "simple key",
        "this line is not `key: value`",
        "write `key: value`, with a space after the colon; indent text that continues the line above",
    ),
    (
        "byte order mark",
        "there is an invisible mark (U+FEFF) here",
        "delete it, or retype the line: the mark is only allowed at the start of a file",
    ),
    ("unknown anchor", "text cannot start with `…`", "put the text in quotes"),
    ("unexpected character", "text cannot start with `…`", "put the text in quotes"),
    (
        "unknown escape",
        "`\\` starts an escape in double quotes",
        "write `\\\\`, or use single quotes",
    ),
    (
        "character escape code",
        "an escape in double quotes is not a character",
        "write the character itself",
    ),
    (
        "trailing content",
        "there is text after the closing quote",
        "quote the whole text; inside double quotes write a quote as `\\\"`, inside single quotes as `''`",
    ),
    (
        "quoted scalar",
        "the quote opened here is never closed",
        "close it on the same line, or indent the lines that follow",
    ),
    (
        "expected <document start>",
        "there is text after the end of the job",
        "remove it, or indent it as far as what it belongs to",
    ),
];

fn unclosed(bracket: &Bracket) -> Refusal {
    let (opening, place) = (bracket.opening, bracket.place.in_words());
    let closing = if opening == '[' { ']' } else { '}' };
    let what = format!("the `{opening}` {place} is not closed, or a comma is missing before this");
    let remedy = format!(
        "write `{closing}` after its last entry and a comma between entries; text containing any of `{{}}[],` must be quoted"
    );
    (what, remedy)
}

fn colon_in_text() -> Refusal {
    ("`: ` is not allowed here".into(), "quote text containing `: `".into())
}

fn misplaced_colon(at: &Place, problems: &Problems) -> Refusal {
    let (what, remedy) = colon_in_text();
    let Place::At { line, column } = at else { return (what, remedy) };
    let text = problems.line(*line).unwrap_or_default();
    let before: String = text.chars().take(column - 1).collect();
    if let Some((key, _)) = before.trim_start().split_once(": ") {
        let value = text.split_once(": ").map_or("", |(_, value)| value);
        let quoted = Value::from(value).to_string();
        return (what, format!("{remedy}: `{key}: {quoted}`"));
    }
    let above = problems.line(line.saturating_sub(1)).unwrap_or_default();
    let remedy = match glued_key(above) {
        Some((key, value)) => {
            format!("put a space after the colon of the line above: `{key}: {value}`")
        }
        None if !above.contains(':') && !above.trim().is_empty() => {
            "the line above has no colon: write `key: value` there too, or `#` before it if it is a comment".to_owned()
        }
        None => "check the indentation: the keys of a mapping start in the same column".to_owned(),
    };
    (what, remedy)
}

/// A key and its value without the space after the colon.
pub(in crate::job) fn glued_key(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.trim().split_once(':')?;
    let is_key = !key.is_empty() && key.chars().all(|c| c.is_ascii_lowercase() || c == '_');
    (is_key && value.starts_with(|c: char| !c.is_whitespace() && c != '/')).then_some((key, value))
}

/// Reports text that is not JSON; `None` if it is not.
pub(in crate::job) fn check_json(source: &str, problems: &Problems) -> Option<()> {
    let Err(error) = serde_json::from_str::<Value>(source) else { return Some(()) };
    let (line, bytes) = (error.line(), error.column().saturating_sub(1));
    let text = problems.line(line).unwrap_or_default();
    let column = text.get(..bytes).map_or(bytes, |part| part.chars().count()) + 1;
    let message = error.to_string();
    let what = message.split(" at line ").next().unwrap_or_default();
    let (what, remedy) = in_json(what);
    problems.add(&Place::At { line, column }, format!("this is not JSON: {what}"), remedy);
    None
}

/// Cause and remedy for a message of the JSON parser.
fn in_json(message: &str) -> (&str, &'static str) {
    match message {
        "expected ident" | "expected value" => (
            "a value is expected here",
            "text and keys need double quotes; only true, false and null go without; JSON allows no comments and no trailing comma",
        ),
        "key must be a string" => (
            "a key in double quotes is expected here",
            "write `\"key\": value`; JSON has no comments",
        ),
        "trailing comma" => ("there is a comma after the last entry", "remove that comma"),
        "trailing characters" => {
            ("there is text after the end of the job", "remove it; each job needs its own file")
        }
        "recursion limit exceeded" => ("it is nested too deeply", "reduce the nesting"),
        _ if message.starts_with("EOF") => {
            ("the file ends inside a quote or bracket", "complete it; it may have been cut off")
        }
        _ if message.contains("control character") => (
            "a text contains a line break or another control character",
            "write `\\n` for a line break",
        ),
        _ if message.contains("hex escape") => (
            "there is an unpaired surrogate escape",
            "write the character itself, or the whole pair, such as `\\ud83d\\ude00`",
        ),
        _ => (
            message,
            "check commas, quotes and brackets near here; JSON allows no comments and no trailing comma",
        ),
    }
}

/// JSON with each escaped surrogate pair as one escape, as YAML writes it.
pub(in crate::job) fn with_joined_surrogates(json: &str) -> String {
    let mut joined = String::with_capacity(json.len());
    let mut rest = json;
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        joined.push_str(before);
        let (written, length) = surrogates(escape).map_or_else(
            || (escape.chars().take(2).collect(), 2),
            |c| (format!("\\U{:08x}", u32::from(c)), 12),
        );
        joined.push_str(&written);
        rest = escape.get(length..).unwrap_or_default();
    }
    joined + rest
}

/// The character of an escaped surrogate pair at the start of a text.
fn surrogates(text: &str) -> Option<char> {
    let unit = |at: usize| {
        let digits = text.get(at..at + 6)?.strip_prefix("\\u")?;
        u16::from_str_radix(digits, 16).ok()
    };
    let units = [unit(0)?, unit(6)?];
    let is_pair = (0xd800..0xdc00).contains(&units[0]);
    char::decode_utf16(units).next()?.ok().filter(|_| is_pair)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escaped_surrogates_are_joined_and_other_escapes_kept() {
        let json = r#"{"a": "\ud83d\ude00 \\ud83d\ude00 \n\u00e9 é"}"#;
        let joined = with_joined_surrogates(json);
        assert_eq!(joined, r#"{"a": "\U0001f600 \\ud83d\ude00 \n\u00e9 é"}"#);
    }
}
