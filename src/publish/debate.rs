//! A debate as it is published.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::calls::{self, Calls};
use super::site::Site;
use crate::artifacts::page::{self, Around};
use crate::digest;
use crate::files;
use crate::report::href;
use crate::store::finished::FinishedDebate;
use crate::store::layout::OutputDir;
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

/// A page of a debate.
pub(super) struct Made {
    /// Its path below the folder.
    pub(super) file: String,
    /// What it was made of, in a few digits.
    pub(super) key: String,
    /// Its content; nothing where it stands there already.
    pub(super) content: Option<Result<String, TemplateError>>,
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
pub(super) fn around(all: &[PublishedDebate], at: usize, with_calls: Option<&OutputDir>) -> Around {
    let to = |at: Option<usize>| {
        let other = at.and_then(|at| all.get(at))?;
        Some(format!("{UP}/{}", other.href().trim_start_matches("./")))
    };
    Around {
        list: Some(format!("{UP}/index.html")),
        previous: to(at.checked_sub(1)),
        next: to(Some(at + 1)),
        calls: with_calls
            .and_then(|output| Calls::of(output, &all[at].debate.id))
            .map(|_| calls::NAME.to_owned()),
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

    /// The path of one of its files below the folder.
    fn file(&self, name: &str) -> String {
        format!("{}/{name}", self.place)
    }

    /// The address of its page, as seen from the folder.
    pub(super) fn href(&self) -> String {
        href(&self.place)
    }

    /// Its page, unless that stands there already: made of the same trace by the same templates for the same place. Where
    /// there is no trace, why.
    pub(super) fn made(
        &self,
        site: &Site,
        around: &Around,
        templates: &Templates,
        version: &str,
    ) -> Result<Made, String> {
        let path = self.dir().join("trace.json");
        let bytes = files::read_own(&path).map_err(|e| e.to_string())?;
        let key = digest::of_json(&json!([version, around, digest::of_bytes(&bytes)]));
        let file = self.file(page::NAME);
        let content = match site.has(&file, &key) {
            true => None,
            false => {
                let trace = Trace::read(&path).map_err(|e| e.to_string())?;
                Some(page::page(&trace, around, templates))
            }
        };
        Ok(Made { file, key, content })
    }

    /// The page of its calls, where they are kept.
    pub(super) fn made_calls(
        &self,
        site: &Site,
        output: &OutputDir,
        templates: &Templates,
        version: &str,
    ) -> Option<Made> {
        let calls = Calls::of(output, &self.debate.id)?;
        let (file, key) = (self.file(calls::NAME), calls.key(version));
        let topic = self.front().get("topic").and_then(Value::as_str);
        let is_there = site.has(&file, &key);
        let content = (!is_there).then(|| calls.page(topic.unwrap_or_default(), templates));
        Some(Made { file, key, content })
    }
}
