//! Escapes text for the place it is written to: a line or a block of Markdown, JSON, a label of a graph, a prompt.

use super::inline::{inline, unlinked};
use super::markdown_table;
use crate::text;

/// Text as Markdown paragraphs, lists and tables that cannot open a heading, rule, fence, front matter, HTML, link or image.
/// A heading becomes a line in bold, and lines stay apart.
pub fn block(value: &str) -> String {
    let text = text::visible(value);
    let lines: Vec<&str> = text.trim().lines().collect();
    let mut blocks = Blocks::default();
    let mut at = 0;
    while at < lines.len() {
        if let Some(table) = markdown_table::starting(&lines[at..]) {
            at += table.len();
            blocks.apart(table);
            continue;
        }
        match heading(lines[at]) {
            Some(title) => blocks.apart(vec![format!("**{title}**")]),
            // Between paragraphs it says no more than an empty line does.
            None if is_rule(lines[at]) => blocks.end(),
            None => blocks.line(block_line(lines[at])),
        }
        at += 1;
    }
    unlinked(&blocks.text())
}

/// The text of a heading, made inert.
fn heading(line: &str) -> Option<String> {
    let marks = line.trim_start();
    let rest = marks.trim_start_matches('#');
    let level = marks.len() - rest.len();
    let title = rest.trim().trim_end_matches('#').trim_matches(['*', '_', ' ']);
    let is_one = (1..=6).contains(&level) && rest.starts_with([' ', '\t']) && !title.is_empty();
    is_one.then(|| inline(&text::without_emphasis(title)))
}

/// Lines of Markdown being built.
#[derive(Default)]
struct Blocks {
    lines: Vec<String>,
    /// Whether the last line ends what it belongs to.
    ended: bool,
}

impl Blocks {
    /// Adds lines that are their own block.
    fn apart(&mut self, lines: Vec<String>) {
        self.end();
        self.lines.extend(lines);
        self.ended = true;
    }

    fn end(&mut self) {
        if self.lines.last().is_some_and(|last| !last.is_empty()) {
            self.lines.push(String::new());
        }
        self.ended = false;
    }

    /// Adds a line to the paragraph or list; within one, it stays its own line.
    fn line(&mut self, line: String) {
        if self.ended {
            self.end();
        }
        let is_apart = self.lines.last().is_none_or(String::is_empty);
        if is_apart && line.trim().is_empty() {
            return;
        }
        let goes_on = !line.trim().is_empty() && list_marks(&line).0.trim().is_empty();
        if let Some(last) = self.lines.last_mut()
            && goes_on
            && !last.is_empty()
        {
            last.push_str("  ");
        }
        self.lines.push(line.trim_end().to_owned());
    }

    fn text(&self) -> String {
        self.lines.join("\n")
    }
}

fn block_line(line: &str) -> String {
    let mut escaped = line
        .replace('\\', "\\\\")
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('`', "\\`")
        .replace('|', "\\|");
    // Brackets are only text unless a target or a definition follows.
    let links = ["](", "]:", "][", "[["];
    if links.iter().any(|link| escaped.contains(link)) {
        escaped = escaped.replace('[', "\\[").replace(']', "\\]");
    }
    // Signs alone may be a rule or underline a heading, even if they look like a list.
    if is_signs(escaped.trim()) {
        return format!("\\{}", escaped.trim());
    }
    let (containers, rest) = list_marks(&escaped);
    let body = rest.trim();
    // A quotation of a model's would look like one of our notes: it keeps a sign that is only text.
    if body.starts_with('>') {
        return format!("{containers}› {}", body.trim_start_matches(['>', ' ']));
    }
    let opens = body.starts_with(['#', '=', ':']) || body.starts_with("~~~") || is_signs(body);
    format!("{containers}{}{body}", if opens { "\\" } else { "" })
}

/// Whether a line holds only what rules, underlines of headings and delimiters of tables are made of.
fn is_signs(line: &str) -> bool {
    let sign = |c| matches!(c, '-' | '=' | '*' | '_' | '+' | ':' | ' ' | '\t');
    !line.is_empty() && line.chars().all(sign)
}

/// Whether a line is a rule, be it one that underlines a heading.
fn is_rule(line: &str) -> bool {
    let signs = line.trim();
    let same = |sign: char| signs.len() >= 3 && signs.chars().all(|c| c == sign);
    ['-', '*', '_'].into_iter().any(same)
}

/// Splits the marks of lists (`- `, `2. `) off a line, however many, with at most three blanks before the first: what
/// stands behind them can open a block just as a line can.
fn list_marks(line: &str) -> (String, &str) {
    let mut rest = line.trim_start();
    let mut marks = " ".repeat((line.len() - rest.len()).min(3));
    loop {
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let ordered = (1..=9).contains(&digits) && rest[digits..].starts_with(['.', ')']);
        let length =
            if ordered { digits + 1 } else { usize::from(rest.starts_with(['-', '+', '*'])) };
        if length == 0 || !rest[length..].starts_with([' ', '\t']) {
            return (marks, rest);
        }
        marks.push_str(&rest[..length]);
        marks.push(' ');
        rest = rest[length..].trim_start();
    }
}

/// JSON in which every character that [`text::visible`] would replace, and what could open HTML or a link, is an escape.
pub fn inert_json(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    let mut rest = json;
    // Nearly all bytes of long texts are inert, and whole stretches of them are copied.
    while let Some(at) = rest.bytes().position(|byte| !is_inert(byte)) {
        out.push_str(&rest[..at]);
        let mut behind = rest[at..].chars();
        let c = behind.next().unwrap_or_default();
        match c {
            '<' | '>' | '&' => escape(c, &mut out),
            // Outside strings, JSON never has these two in a row.
            '(' if out.ends_with(']') => escape(c, &mut out),
            c if text::acts(c) => escape(c, &mut out),
            c => out.push(c),
        }
        rest = behind.as_str();
    }
    out + rest
}

/// Whether a byte is a character of JSON that stays as it is wherever it stands.
fn is_inert(byte: u8) -> bool {
    matches!(byte, b'\n' | b' '..=b'~') && !matches!(byte, b'<' | b'>' | b'&' | b'(')
}

/// Writes a character as JSON escapes it.
fn escape(c: char, out: &mut String) {
    let mut buffer = [0; 2];
    let units = c.encode_utf16(&mut buffer).iter();
    out.extend(units.map(|unit| format!("\\u{unit:04x}")));
}

/// A Markdown text without its title, its headings turned into labels: models take headings for structure of the prompt.
pub(super) fn flat(value: &str) -> String {
    let says = |line: &&str| !line.starts_with("# ") && !line.trim().is_empty();
    let label = |line: &str| match line.strip_prefix('#') {
        Some(heading) => format!("{}:", heading.trim_start_matches('#').trim()),
        None => line.to_owned(),
    };
    let text = text::separated(value.lines().filter(says).map(label), "\n");
    // A label takes the sentence that follows it onto its line, but not a list.
    text.replace(":\n", ": ").replace(": - ", ":\n- ")
}

/// Text for a quoted Mermaid label: its words, one blank apart.
pub(super) fn mermaid_label(value: &str) -> String {
    let acts = ['<', '>', '&', '#', '`', '[', ']', '{', '}', '\\'];
    let line = text::one_line(value).replace(';', ",").replace('"', "'").replace(acts, " ");
    text::separated(line.split_whitespace(), " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a8_inline_text_is_never_markup() {
        assert_eq!(
            inline("a\n# <b> | [x](y) `c` *d*"),
            "a \\# &lt;b&gt; \\| \\[x\\](y) \\`c\\` \\*d\\*"
        );
    }

    #[test]
    fn a8_in_json_only_what_could_act_is_an_escape() {
        let json = "{\n \"a\": [\"<b>& [x](y) (z) é 世\u{202e}\u{1f600}\u{e0041}\u{7f}\"]\n}";
        assert_eq!(
            inert_json(json),
            "{\n \"a\": [\"\\u003cb\\u003e\\u0026 [x]\\u0028y) (z) é 世\\u202e\u{1f600}\\udb40\\udc41\\u007f\"]\n}"
        );
    }

    #[test]
    fn a2_labels_of_a_graph_keep_words_a_blank_apart() {
        assert_eq!(mermaid_label("X: on \"Why?\" <b> it; [so]"), "X: on 'Why?' b it, so");
    }

    #[test]
    fn a8_block_text_opens_no_structure() {
        let hostile = "---\n# Title\n```sh\n<script>\n![i](http://x)\n===\n> quote\n~~~\n| a |\n- item\n1. one\n***bold***";
        let escaped = block(hostile);
        for line in escaped.lines() {
            let start = line.trim_start();
            assert!(
                !start.starts_with(['#', '`', '<', '>', '=', '|', '!'])
                    || start.starts_with("!\\["),
                "{line}"
            );
            assert!(!start.starts_with("---") && !start.starts_with("~~~"), "{line}");
        }
        assert!(escaped.contains("- item\n1. one  \n***bold***"), "{escaped}");
        assert!(escaped.contains("!\\[i\\](http:\\//x)"), "{escaped}");
        assert_eq!(block("One.\n\n[Time limit reached]"), "One.\n\n[Time limit reached]");
    }
}
