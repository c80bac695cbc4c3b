//! Writing the lists above the debates, anew from the directories.

use serde_json::{Map, Value};

use super::finished;
use super::output::Output;
use crate::artifacts::listing;
use crate::files;
use crate::templates::Templates;

/// What was listed.
#[derive(Debug, Default)]
pub struct Listed {
    /// Debates in the lists.
    pub debates: usize,
    /// Directories whose `index.md` could not be read.
    pub unreadable: Vec<std::path::PathBuf>,
}

/// Rebuilds `index.md`, each day's index and `index.jsonl` (row A5).
pub fn rebuild(output: &Output, templates: &Templates) -> Result<Listed, super::store::StoreError> {
    let mut listed = Listed::default();
    let mut fronts: Vec<Map<String, Value>> = Vec::new();
    for path in finished::directories(output)? {
        let Some(found) = finished::found(&path) else {
            listed.unreadable.push(path);
            continue;
        };
        let mut front = found.front;
        // Where it stands now counts, not where it was written.
        let here = path
            .strip_prefix(output.root())
            .unwrap_or(&path)
            .to_string_lossy()
            .replace('\\', "/");
        front.insert("path".to_owned(), here.into());
        fronts.push(front);
    }
    listed.debates = fronts.len();
    for artifact in listing::files(&fronts, templates)? {
        files::replace(
            &output.root().join(&artifact.path),
            artifact.content.as_bytes(),
        )?;
    }
    Ok(listed)
}
