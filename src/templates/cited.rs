//! Numbers of statements that somebody cites, as links to these.

use std::sync::LazyLock;

use minijinja::Value;
use regex::{Captures, Regex};

use crate::html::escape::escaped;

/// A number in escaped Markdown, with what would make an image or a link of its own out of it.
static IN_MARKDOWN: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(!?)\\\[(\d{3,})\\\](\\\[|[(:]|)").expect("a pattern"));
static IN_HTML: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\[(\d{3,})\]").expect("a pattern"));

/// An escaped line of Markdown in which `[002]` is a link, whose target stands elsewhere.
pub(super) fn in_markdown(line: &str) -> String {
    let link = |found: &Captures<'_>| match (&found[1], &found[3]) {
        ("", "") => format!("[{}]", &found[2]),
        _ => found[0].to_owned(),
    };
    IN_MARKDOWN.replace_all(line, link).into_owned()
}

/// Escaped HTML in which it is one, if `pages` has the page of that statement.
pub(super) fn in_html(said: &str, pages: &Value) -> String {
    let link = |found: &Captures<'_>| match pages.get_attr(&found[1]) {
        Ok(page) if !page.is_undefined() => {
            let (page, n) = (escaped(&page.to_string()), &found[1]);
            format!("<a href=\"{page}#m{n}\">{n}</a>")
        }
        _ => found[0].to_owned(),
    };
    IN_HTML.replace_all(said, link).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::templates::inline;

    #[test]
    fn a8_a_number_in_brackets_is_a_link_and_nothing_else_is() {
        for (said, told) in [
            ("It fell in [006], [x](y).", "It fell in [006], \\[x\\](y)."),
            ("[006](http://x)", "\\[006\\](http:\\//x)"),
            ("![006] and [006]: x", "!\\[006\\] and \\[006\\]: x"),
            ("[12] [006] [007]", "\\[12\\] [006] [007]"),
        ] {
            assert_eq!(in_markdown(&inline(said)), told);
        }
        let pages = Value::from_pairs([("006", "?page=2")]);
        let told = "<a href=\"?page=2#m006\">006</a>, [007]";
        assert_eq!(in_html("[006], [007]", &pages), told);
    }
}
