//! Numbers of statements that somebody cites, as links to these.

use std::sync::LazyLock;

use minijinja::Value;
use regex::{Captures, Regex};

use crate::html::escape::escaped;

/// Such a number in escaped text, with what would make an image or a link of its own out of it in Markdown.
static CITED: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(!?)\\?\[(\d{3,})\\?\](\\?\[|\(|)").expect("a pattern"));

/// Escaped text in which `[002]` is a link: in Markdown one whose target stands elsewhere; on a page one to the statement's address,
/// if it has one.
pub(super) fn linked(said: &str, addresses: Option<&Value>) -> String {
    let link = |found: &Captures<'_>| {
        let n = &found[2];
        let address = addresses.map(|all| all.get_attr(&format!("m{n}")).unwrap_or_default());
        let (start, end) = found.get(0).map_or((0, 0), |all| (all.start(), all.end()));
        // Where a line begins, `[006]:` would say where links lead.
        let begins = start == 0 || said[..start].ends_with('\n');
        let is_target = begins && addresses.is_none() && said[end..].starts_with(':');
        match address {
            _ if !found[1].is_empty() || !found[3].is_empty() || is_target => found[0].to_owned(),
            None => format!("[{n}]"),
            Some(page) if page.is_undefined() => found[0].to_owned(),
            Some(page) => format!("<a href=\"{}#m{n}\">{n}</a>", escaped(&page.to_string())),
        }
    };
    CITED.replace_all(said, link).into_owned()
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
            ("![006] and in [006]: x", "!\\[006\\] and in [006]: x"),
            ("[006]: x", "\\[006\\]: x"),
            ("[12] [006] [007]", "\\[12\\] [006] [007]"),
        ] {
            assert_eq!(linked(&inline(said), None), told);
        }
        let addresses = Value::from_pairs([("m006", "?page=2")]);
        let told = "<a href=\"?page=2#m006\">006</a>: x, [007]";
        assert_eq!(linked("[006]: x, [007]", Some(&addresses)), told);
    }
}
