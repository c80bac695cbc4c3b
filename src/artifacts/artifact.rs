//! A file of a debate's directory, and how one comes of a template.

use serde_json::Value;

use crate::templates::{TemplateError, Templates};
use crate::text;

/// One file of a debate's directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Artifact {
    /// Its path below the directory, with `/`.
    pub path: String,
    /// Its content.
    pub content: String,
}

impl Artifact {
    pub(super) fn new(path: impl Into<String>, content: String) -> Self {
        let path = path.into();
        Self { path, content }
    }
}

/// A template's rendering as a file.
pub(super) fn rendered(
    path: &str,
    template: &str,
    templates: &Templates,
    context: &Value,
) -> Result<Artifact, TemplateError> {
    let content = templates.render(template, context)?;
    Ok(file(path, &text::without_gaps(content)))
}

pub(super) fn file(path: &str, content: &str) -> Artifact {
    Artifact::new(path, format!("{}\n", content.trim_end()))
}
