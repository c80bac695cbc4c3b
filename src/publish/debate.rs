//! A debate as it is published.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::site::Site;
use crate::artifacts::page::{self, Around};
use crate::digest;
use crate::files;
use crate::report::href;
use crate::store::finished::FinishedDebate;
use crate::templates::{TemplateError, Templates};
use crate::trace::Trace;

/// From a debate's page to the folder that all pages are in.
const UP: &str = "../..";

/// A debate that is published.
#[derive(Debug)]
pub struct PublishedDebate {
    debate: FinishedDebate,
    /// Where it stands below the folder, as below the output directory.
    place: String,
}

/// What comes of a debate's page.
pub(super) enum Made {
    /// It stands there as it would be written.
    Same(String),
    /// It is to be written.
    New(String, Result<String, TemplateError>),
    /// There is no trace to make it of.
    Unreadable(String),
}

/// The finished debates of these directories, which stand below `root`, and those that do not say what they are.
pub fn debates(root: &Path, dirs: Vec<PathBuf>) -> (Vec<PublishedDebate>, Vec<PathBuf>) {
    let (mut found, mut unreadable) = (Vec::new(), Vec::new());
    for dir in dirs {
        let below = dir.strip_prefix(root).ok().and_then(Path::to_str);
        match (FinishedDebate::read(&dir), below) {
            (Some(debate), Some(below)) => found.push(PublishedDebate {
                debate,
                place: below.replace('\\', "/"),
            }),
            _ => unreadable.push(dir),
        }
    }
    (found, unreadable)
}

/// What stands around one of these debates.
pub(super) fn around(all: &[PublishedDebate], at: usize) -> Around {
    let to = |at: Option<usize>| {
        let other = at.and_then(|at| all.get(at))?;
        Some(format!("{UP}/{}", other.href().trim_start_matches("./")))
    };
    Around {
        list: Some(format!("{UP}/index.html")),
        previous: to(at.checked_sub(1)),
        next: to(Some(at + 1)),
        ..Around::default()
    }
}

impl PublishedDebate {
    /// Its directory.
    pub fn dir(&self) -> &Path {
        &self.debate.path
    }

    /// The front matter of its index.
    pub(super) fn front(&self) -> &Map<String, Value> {
        &self.debate.front
    }

    /// Its page below the folder.
    pub(super) fn page(&self) -> String {
        format!("{}/{}", self.place, page::NAME)
    }

    /// The address of its page, as seen from the folder.
    pub(super) fn href(&self) -> String {
        href(&self.place)
    }

    /// Its page, unless that stands there already: made of the same trace by the same templates for the same place.
    pub(super) fn made(
        &self,
        site: &Site,
        around: &Around,
        templates: &Templates,
        version: &str,
    ) -> Made {
        let path = self.dir().join("trace.json");
        let bytes = match files::read_own(&path) {
            Ok(bytes) => bytes,
            Err(error) => return Made::Unreadable(error.to_string()),
        };
        let key = json!([
            env!("CARGO_PKG_VERSION"),
            version,
            around,
            digest::of_bytes(&bytes)
        ]);
        let key = digest::of_json(&key);
        if site.has(&self.page(), &key) {
            return Made::Same(key);
        }
        match Trace::read(&path) {
            Ok(trace) => Made::New(key, page::page(&trace, around, templates)),
            Err(error) => Made::Unreadable(error.to_string()),
        }
    }
}
