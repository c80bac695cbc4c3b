//! The page of one published debate: its place, its neighbours, and whether it must be written again.

use std::path::{Component, Path, PathBuf};

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
use crate::trace::{self, Trace};

/// From a debate's page to the folder that all pages are in.
const UP: &str = "../..";

/// A debate that is published.
#[derive(Debug)]
pub struct PublishedDebate {
    debate: FinishedDebate,
    /// Where it is below the folder, as below the output directory.
    place: String,
}

/// A page of a debate.
#[derive(Default)]
pub(super) struct Made {
    /// Its path below the folder.
    pub(super) file: String,
    /// What it was made of, in a few digits; nothing if that is not known.
    pub(super) key: String,
    /// Its content; nothing if it is there already.
    pub(super) content: Option<String>,
    /// What could not be read of what it should show.
    pub(super) fault: Option<String>,
}

/// The finished debates of these directories, which are below `root`, and why others are omitted.
pub fn debates(root: &Path, dirs: Vec<PathBuf>) -> (Vec<PublishedDebate>, Vec<String>) {
    let (mut found, mut left_out) = (Vec::new(), Vec::new());
    for dir in dirs {
        let place = dir.strip_prefix(root).ok().and_then(place);
        match (FinishedDebate::read(&dir), place) {
            (Some(debate), Some(place)) => found.push(PublishedDebate { debate, place }),
            (_, None) => left_out.push(format!("{}: this path cannot be published", dir.display())),
            (None, _) => left_out.push(format!(
                "{}: neither its index.md nor its trace.json is readable",
                dir.display()
            )),
        }
    }
    (found, left_out)
}

/// A path as addresses have it; none if a part of it leads elsewhere, or would where `\` parts names.
fn place(below: &Path) -> Option<String> {
    let name = |part: Component<'_>| match part {
        Component::Normal(name) => Some(name.to_str()?.to_owned()),
        _ => None,
    };
    let names: Vec<String> = below.components().map(name).collect::<Option<_>>()?;
    let is_plain = names.iter().all(|name| !name.contains('\\'));
    is_plain.then(|| names.join("/"))
}

/// What stands around one of these debates.
pub(super) fn around(all: &[PublishedDebate], at: usize, with_calls: Option<&OutputDir>) -> Around {
    let to = |at: Option<usize>| {
        let other = at.and_then(|at| all.get(at))?;
        Some(format!("{UP}/{}", other.href().trim_start_matches("./")))
    };
    let has_calls = with_calls.is_some_and(|output| all[at].has_calls(output));
    Around {
        list: Some(format!("{UP}/index.html")),
        previous: to(at.checked_sub(1)),
        next: to(Some(at + 1)),
        calls: has_calls.then(|| calls::NAME.to_owned()),
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

    /// The paths of all its pages below the folder.
    pub fn files(&self) -> [String; 2] {
        [page::NAME, calls::NAME].map(|name| self.file(name))
    }

    /// Whether its calls are kept.
    pub(super) fn has_calls(&self, output: &OutputDir) -> bool {
        Calls::of(output, &self.debate.id).is_some()
    }

    /// The path of one of its files below the folder.
    fn file(&self, name: &str) -> String {
        format!("{}/{name}", self.place)
    }

    /// The address of its page, as seen from the folder.
    pub(super) fn href(&self) -> String {
        href(&self.place)
    }

    /// Its page, unless that is there already: made of the same trace by the same templates for the same place. Where
    /// there is none, why.
    pub(super) fn made(
        &self,
        site: &Site,
        around: &Around,
        templates: &Templates,
        version: &str,
    ) -> Result<Made, String> {
        let path = self.dir().join("trace.json");
        // Nothing is read that is too long for a trace.
        trace::metadata(&path).map_err(|e| e.to_string())?;
        let bytes = files::read_own(&path).map_err(|e| e.to_string())?;
        let key = digest::of_json(&json!([version, around, digest::of_bytes(&bytes)]));
        let file = self.file(page::NAME);
        let content = if site.has(&file, &key) {
            None
        } else {
            let trace = Trace::read(&path).map_err(|e| e.to_string())?;
            let page = page::page(&trace, around, templates);
            Some(page.map_err(|e| self.not_rendered(&e))?)
        };
        Ok(Made { file, key, content, ..Made::default() })
    }

    /// The page of its calls, where they are kept; if they cannot be read, a page that says so.
    pub(super) fn made_calls(
        &self,
        site: &Site,
        output: &OutputDir,
        templates: &Templates,
        version: &str,
    ) -> Result<Option<Made>, String> {
        let Some(calls) = Calls::of(output, &self.debate.id) else { return Ok(None) };
        let topic = self.front().get("topic").and_then(Value::as_str).unwrap_or_default();
        let file = self.file(calls::NAME);
        let shown = match calls.key(version, topic) {
            Ok(key) if site.has(&file, &key) => {
                return Ok(Some(Made { file, key, ..Made::default() }));
            }
            key => {
                key.and_then(|key| Ok((key, calls.shown(Trace::in_dir(self.dir()).ok().as_ref())?)))
            }
        };
        let (key, shown, fault) = match shown {
            Ok((key, shown)) => (key, Some(shown), None),
            Err(fault) => (String::new(), None, Some(fault)),
        };
        let page = Calls::page(topic, page::NAME, shown.as_deref(), templates);
        let content = Some(page.map_err(|e| self.not_rendered(&e))?);
        Ok(Some(Made { file, key, content, fault }))
    }

    fn not_rendered(&self, error: &TemplateError) -> String {
        format!("{}: {error}", self.dir().display())
    }
}
