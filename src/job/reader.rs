//! The reader of a job: collecting problems, and naming values in them.

use std::path::Path;

use serde_json::Value;

use super::library::Library;
use super::problem::{Place, Problems};
use super::tree::Node;
use crate::templates::Templates;

/// Reads values and collects their problems.
#[derive(Clone, Copy)]
pub struct Reader<'a> {
    pub(crate) problems: &'a Problems,
    pub(crate) library: Library<'a>,
}

/// Where a value stands.
pub struct KeyContext<'a> {
    /// The path of its key, such as `y.0.model`.
    pub(crate) path: &'a str,
    /// Where the key is written.
    pub(crate) key: &'a Place,
    /// What it is when omitted.
    pub(crate) default: Option<&'a Value>,
}

impl<'a> Reader<'a> {
    /// For a job file.
    pub(super) fn new(problems: &'a Problems, job: &'a Path, templates: &'a Templates) -> Self {
        Self { problems, library: Library::new(job, templates) }
    }

    /// Reports that a value must be something else, and returns `None`.
    pub(crate) fn refuse(
        &self,
        at: &KeyContext<'_>,
        node: &Node,
        wanted: &str,
        remedy: &str,
    ) -> Option<Value> {
        let cause = format!("`{}` must be {wanted}, not {}", at.path, node.shown());
        self.problems.add(&node.place, cause, remedy);
        None
    }
}

/// The path of a key below another.
pub(super) fn below(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}
