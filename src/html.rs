//! Pages: what a self-contained one carries, what is drawn on it, and texts of models in it.

mod markdown;
pub(crate) mod rows;
pub(crate) mod scale;
pub(crate) mod svg;

use serde::Serialize;

pub(crate) use self::markdown::prose;
use crate::digest;

/// What a page carries because it loads nothing, with the digests by which its policy allows just that.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Assets {
    style: String,
    style_digest: String,
    script: String,
    script_digest: String,
}

impl Assets {
    /// The sheets of a page, in order, and its script; an empty script is none.
    pub(crate) fn new(sheets: &[&str], script: &str) -> Self {
        let digest = |text: &str| digest::base64_of_bytes(text.as_bytes());
        let style = sheets.concat();
        Self {
            style_digest: digest(&style),
            script_digest: digest(script),
            style,
            script: script.to_owned(),
        }
    }
}
