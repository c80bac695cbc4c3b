//! Pages: their assets, their drawings, and models' texts in them.

pub(crate) mod escape;
mod markdown;
pub(crate) mod rows;
pub(crate) mod scale;
pub(crate) mod svg;

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::{Captures, Regex};
use serde::Serialize;

pub(crate) use self::markdown::prose;
use crate::digest;

/// Digits of a digest in the address of what a page loads.
const DIGITS: usize = 12;
/// Maximum files that a server gives together.
const TOGETHER: usize = 8;

/// What a page needs beside its content: in itself, where it is to be whole on its own, with the digests by which its policy
/// allows just that; otherwise as addresses.
#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct Assets {
    style: String,
    style_digest: String,
    script: String,
    script_digest: String,
    /// The files of a page that a server gives; `None` of one that is whole on its own.
    served: Option<Served>,
}

/// What a page loads, by name: one file of a kind, since browsers have few connections for all windows together.
#[derive(Debug, Clone, Serialize)]
struct Served {
    sheet: String,
    script: Option<String>,
}

impl Assets {
    /// The sheet and the script of a page; an empty script is none.
    pub(crate) fn new(style: String, script: String) -> Self {
        let digest = |text: &str| digest::base64_of_bytes(text.as_bytes());
        Self {
            style_digest: digest(&style),
            script_digest: digest(&script),
            style,
            script,
            served: None,
        }
    }

    /// The same for a page that a server gives: the names of its files.
    pub(crate) fn served(sheet: String, script: Option<String>) -> Self {
        Self { served: Some(Served { sheet, script }), ..Self::default() }
    }
}

/// A sheet without comments and without blanks that only people need. None of ours has a mark of these before a blank in quotation
/// marks.
pub(crate) fn compact(sheet: &str) -> Cow<'_, str> {
    static NEEDLESS: LazyLock<Regex> = LazyLock::new(|| {
        let pattern = r"/\*[^*]*\*/\s*|\s*(?<mark>[{};])\s*|(?<behind>[:,])\s+|\s+";
        Regex::new(pattern).expect("a pattern of ours")
    });
    NEEDLESS.replace_all(sheet, |found: &Captures<'_>| match &found[0] {
        comment if comment.starts_with("/*") => String::new(),
        _ => found.name("mark").or(found.name("behind")).map_or(" ", |it| it.as_str()).to_owned(),
    })
}

/// The name under which a server gives files together: their own with a digest of their content, so that it can be kept forever.
pub(crate) fn asset_name(names: &[&str], content: &str) -> String {
    let digest = digest::of_bytes(content.as_bytes());
    let stems: Vec<String> = names.iter().map(|name| asset_stem(name)).collect();
    let kind = names.first().and_then(|name| name.rsplit('.').next());
    let (digest, kind) = (&digest[..DIGITS], kind.unwrap_or_default());
    format!("{}.{digest}.{kind}", stems.join("+"))
}

/// The names, before the dot, of the files that a server gives under this name, and their kind.
pub(crate) fn asset_parts(name: &str) -> Option<(Vec<&str>, &str)> {
    let (stems, rest) = name.split_once('.')?;
    let kind = rest.rsplit('.').next();
    let kind = kind.filter(|kind| ["css", "js"].contains(kind))?;
    let stems: Vec<&str> = stems.split('+').collect();
    (stems.len() <= TOGETHER).then_some((stems, kind))
}

/// The part that a file has in such a name.
pub(crate) fn asset_stem(name: &str) -> String {
    name.rsplit_once('.').map_or(name, |(stem, _)| stem).replace('/', "-")
}

#[cfg(test)]
mod tests {
    use super::compact;

    #[test]
    fn l1_a_sheet_loses_comments_and_the_blanks_that_mean_nothing() {
        let sheet = "/* Why. */\n.a :is(.b, .c) > i:hover {\n  font: 1rem/1.5 x, y;\n  content: \" ↑\";\n}\n@media (width: 1px) {\n  p { top: 0; }\n}\n";
        let compacted = ".a :is(.b,.c) > i:hover{font:1rem/1.5 x,y;content:\" ↑\";}@media (width:1px){p{top:0;}}";
        assert_eq!(compact(sheet), compacted);
    }
}
