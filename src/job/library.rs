//! Personas and where they are found.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::input_files;
use super::problem::Refusal;
use super::problem::suggestions::{begins_alike, nearest};
use crate::files;
use crate::templates::Templates;
use crate::text;

/// A named attitude: values, focus and tone, as Markdown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Persona {
    /// The file's stem.
    pub name: String,
    /// The file's text.
    pub text: String,
}

/// Where personas are found: the folder `personas` next to the job file, then the templates.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Library<'a> {
    /// The job file's directory.
    pub beside: &'a Path,
    /// The built-in templates and what overrides them.
    pub templates: &'a Templates,
}

impl<'a> Library<'a> {
    /// The personas for a job file.
    pub(super) fn new(job: &'a Path, templates: &'a Templates) -> Self {
        Self { beside: beside(job), templates }
    }

    /// A persona by name: its own file, otherwise the built-in one. `Err` where its own file cannot be read.
    pub(super) fn persona(&self, name: &str) -> Result<Option<Persona>, Refusal> {
        let file = format!("personas/{name}.md");
        // What cannot be looked at is not missing: reading it says why.
        let there = self.beside.join(&file).try_exists().unwrap_or(true);
        let own = there.then(|| input_files::read_beside(self.beside, &file)).transpose()?;
        if own.as_ref().is_some_and(|text| text.trim().is_empty()) {
            let remedy = "describe the persona in it, or write `persona: null` for none";
            return Err((format!("`{file}` is empty"), remedy.to_owned()));
        }
        let text = own.or_else(|| self.templates.source(&file).map(str::to_owned));
        Ok(text.map(|text| Persona { name: name.to_owned(), text: text.trim().to_owned() }))
    }

    /// The persona of a name.
    ///
    /// # Errors
    /// Where there is none, or its own file cannot be read.
    pub(super) fn named(&self, name: &str) -> Result<Persona, Refusal> {
        let valid = is_persona_name(name).then(|| self.persona(name));
        valid.transpose()?.flatten().ok_or_else(|| self.unknown(name))
    }

    fn names(&self) -> BTreeSet<String> {
        let own = files::list(&self.beside.join("personas")).unwrap_or_default();
        let own = own
            .iter()
            .filter(|path| path.extension() == Some(OsStr::new("md")) && path.is_file())
            .filter_map(|path| path.file_stem().and_then(OsStr::to_str));
        own.chain(self.templates.names("personas"))
            .filter(|name| is_persona_name(name))
            .map(str::to_owned)
            .collect()
    }

    fn unknown(&self, name: &str) -> Refusal {
        let names = self.names();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let file = name.rsplit('/').next().unwrap_or(name);
        let file = file.trim_end_matches(".md");
        // Of a name that is only spelt alike, `ecologist` for a sociologist, all are told.
        let near = nearest(file, names.iter().copied()).filter(|near| begins_alike(near, file));
        let listed = || {
            let there_are = "to add one, write personas/NAME.md next to the job; known personas:";
            format!("{there_are} {}", names.join(", "))
        };
        let cause = format!("there is no persona \"{}\"", text::shorten(name, 80));
        (cause, near.map_or_else(listed, |near| format!("did you mean `{near}`?")))
    }
}

/// The directory of a job file.
pub(super) fn beside(job: &Path) -> &Path {
    let dir = job.parent().filter(|dir| !dir.as_os_str().is_empty());
    dir.unwrap_or(Path::new("."))
}

fn is_persona_name(name: &str) -> bool {
    let valid = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    !name.is_empty() && name.chars().all(valid)
}
