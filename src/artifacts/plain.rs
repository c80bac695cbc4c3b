//! The summary without Markdown, in sections: what texts for terminals and for models with little room are made of.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

use crate::templates::{TemplateError, Templates};
use crate::text;

/// A section of the summary: its title, which the first has none of, and its lines.
pub(super) struct Section {
    pub(super) title: String,
    pub(super) lines: Vec<String>,
}

/// The sections of the summary with something in them, in order.
pub(super) fn sections(told: &Value, templates: &Templates) -> Result<Vec<Section>, TemplateError> {
    let summary = templates.render("artifacts/summary.md.j2", told)?;
    let mut all = vec![Section { title: String::new(), lines: Vec::new() }];
    for line in summary.lines().skip(1).map(str::trim_end) {
        match line.strip_prefix("## ") {
            Some(title) => all.push(Section { title: unescaped(title), lines: Vec::new() }),
            None => all.last_mut().into_iter().for_each(|own| own.lines.extend(plain(line))),
        }
    }
    all.retain(|section| !section.lines.is_empty());
    Ok(all)
}

/// What the summary says of a mark that goes.
const ON_MARKS: &str = " Bold: a change.";

/// A line without marks of Markdown; nothing where it is only such.
fn plain(line: &str) -> Option<String> {
    let line = line.strip_suffix(ON_MARKS).unwrap_or(line);
    let line = match line.strip_prefix("### ") {
        Some(title) => format!("{title}:"),
        None => line.trim_start_matches("> ").to_owned(),
    };
    let cells = line.strip_prefix("| ").map(|row| row.trim_end_matches(" |").to_owned());
    let line = unescaped(&cells.unwrap_or(line));
    (!line.trim().is_empty() && !line.starts_with("|--")).then_some(line)
}

/// A link to a file. A statement's number in brackets is none: its target stands elsewhere.
static LINK: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\[([^\]\\]*)\]\([^)]*\)").expect("a pattern"));

/// Text as its author wrote it, without what made it bold or a link.
fn unescaped(line: &str) -> String {
    let line = LINK.replace_all(line, "$1");
    let mut kept = String::with_capacity(line.len());
    let mut rest = line.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\\' if rest.peek().is_some_and(char::is_ascii_punctuation) => kept.extend(rest.next()),
            '*' => {}
            _ => kept.push(c),
        }
    }
    let kept = kept.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    text::visible(&kept)
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn a9_marks_of_markdown_go_and_what_was_escaped_stands_as_it_was() {
        for (line, said) in [
            (
                "- **Ann** ([002]): a \\*b\\* &lt;i&gt; http:\\//x",
                "- Ann ([002]): a *b* <i> http://x",
            ),
            ("| Ann | 7.00 | a \\| b |", "Ann | 7.00 | a | b"),
            ("### Round 1", "Round 1:"),
            ("First answers were given first. Bold: a change.", "First answers were given first."),
            ("> [metadata.md](metadata.md) has \\[it\\](x)", "metadata.md has [it](x)"),
        ] {
            assert_eq!(plain(line).as_deref(), Some(said));
        }
        assert_eq!(plain("|---|---|"), None);
    }
}
