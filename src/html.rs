//! Pages: their assets, their drawings, and models' texts in them.

mod markdown;
pub(crate) mod rows;
pub(crate) mod scale;
pub(crate) mod svg;

use serde::Serialize;

pub(crate) use self::markdown::prose;
use crate::digest;

/// Digits of a digest in the address of what a page loads.
const DIGITS: usize = 12;

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

/// What a page loads, by name.
#[derive(Debug, Clone, Serialize)]
struct Served {
    sheets: Vec<String>,
    scripts: Vec<String>,
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
    pub(crate) fn served(sheets: Vec<String>, scripts: Vec<String>) -> Self {
        Self {
            served: Some(Served { sheets, scripts }),
            ..Self::default()
        }
    }
}

/// The name under which a server gives a template: its own with a digest of its content, so that it can be kept forever.
pub(crate) fn asset_name(name: &str, content: &str) -> String {
    let digest = digest::of_bytes(content.as_bytes());
    let digest = &digest[..DIGITS];
    let name = name.replace('/', "-");
    match name.rsplit_once('.') {
        Some((stem, kind)) => format!("{stem}.{digest}.{kind}"),
        None => format!("{name}.{digest}"),
    }
}
