//! One line of Markdown in which nothing is markup.

use crate::text;

/// Text as one line of Markdown in which nothing is markup, a link, an image, HTML or a table's cell.
pub fn inline(value: &str) -> String {
    let line = text::one_line(value);
    let mut escaped = String::with_capacity(line.len());
    let mut before = ' ';
    let mut rest = line.chars().peekable();
    while let Some(c) = rest.next() {
        let after = rest.peek().copied().unwrap_or(' ');
        match c {
            '\\' | '`' | '*' | '[' | ']' | '|' | '~' => escaped.extend(['\\', c]),
            '_' if !(before.is_alphanumeric() && after.is_alphanumeric()) => {
                escaped.push_str("\\_");
            }
            '#' if before == ' ' => escaped.push_str("\\#"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            _ => escaped.push(c),
        }
        before = c;
    }
    unlinked(&unlisted(&escaped))
}

/// One line whose first characters open neither a list nor a rule, should a template print it where a block can begin.
fn unlisted(line: &str) -> String {
    let digits = line.len() - line.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, rest) = line.split_at(digits);
    let after = rest.chars().nth(1).unwrap_or(' ');
    let opens = match rest.chars().next() {
        Some('.' | ')') => digits > 0 && after == ' ',
        Some('-' | '+' | ':') => digits == 0 && !after.is_alphanumeric(),
        _ => false,
    };
    if opens { format!("{number}\\{rest}") } else { line.to_owned() }
}

/// Text in which no bare address becomes a link: GitHub makes links of `http://…` and `www.…`.
pub(super) fn unlinked(escaped: &str) -> String {
    let mut out = String::with_capacity(escaped.len());
    for (at, c) in escaped.char_indices() {
        let before = |word: &str| {
            let start = at.checked_sub(word.len());
            let found = start.and_then(|start| escaped.get(start..at));
            found.is_some_and(|found| found.eq_ignore_ascii_case(word))
        };
        if (c == '/' && before(":")) || (c == '.' && before("www")) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}
