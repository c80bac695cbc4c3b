//! Finished debates as a folder of pages that opens from `file://`: a page per debate, the list of all, the report. Only
//! web addresses in what models wrote lead out of it.

pub mod calls;
mod debate;
mod error;
mod list;
mod site;

use std::collections::BTreeMap;
use std::path::PathBuf;

use rayon::prelude::*;

pub use self::debate::{PublishedDebate, debates};
pub use self::error::PublishError;
pub use self::list::list;
pub use self::site::Site;

use self::debate::{Made, around};
use crate::store::layout::OutputDir;
use crate::templates::Templates;

/// What became of the debates.
#[derive(Debug, Default)]
pub struct Published {
    /// Those that have a page.
    pub debates: Vec<PublishedDebate>,
    /// Why others have none, and whose calls cannot be read.
    pub faults: Vec<String>,
    /// How many have no calls to show, where they are wanted.
    pub without_calls: usize,
}

/// Writes the pages that do not exist yet as they would be written; those of calls too, if they are wanted: they are kept
/// in the output directory.
pub fn pages(
    site: &mut Site,
    debates: Vec<PublishedDebate>,
    with_calls: Option<&OutputDir>,
    templates: &Templates,
    mut progress: impl FnMut(usize, usize),
) -> Result<Published, PublishError> {
    let mut published = Published { debates, ..Published::default() };
    site.expect(published.debates.iter().flat_map(PublishedDebate::files))?;
    let version = [env!("CARGO_PKG_VERSION"), &templates.digest_of("pages/")].concat();
    let press = Press { with_calls, templates, version };
    loop {
        let faults = press.write(site, &published.debates, &mut progress)?;
        if faults.debates.is_empty() {
            published.faults.extend(faults.calls);
            published.without_calls = press.without_calls(&published.debates);
            return Ok(published);
        }
        // Their neighbours must not lead to them.
        let out = faults.debates;
        (published.debates).retain(|debate| !out.contains_key(debate.dir()));
        published.faults.extend(out.into_values());
    }
}

/// What could not be made.
#[derive(Default)]
struct Faults {
    /// Debates that have no page, by directory with the reason.
    debates: BTreeMap<PathBuf, String>,
    /// Why calls cannot be shown.
    calls: Vec<String>,
}

/// What makes the pages.
struct Press<'p> {
    with_calls: Option<&'p OutputDir>,
    templates: &'p Templates,
    /// Of program and templates.
    version: String,
}

impl Press<'_> {
    /// Writes all pages once; returns what cannot be read or rendered.
    fn write(
        &self,
        site: &mut Site,
        debates: &[PublishedDebate],
        progress: &mut impl FnMut(usize, usize),
    ) -> Result<Faults, PublishError> {
        let mut faults = Faults::default();
        // As many pages are held as are made at once.
        let at_once = rayon::current_num_threads();
        for start in (0..debates.len()).step_by(at_once) {
            let some = start..(start + at_once).min(debates.len());
            let known = &*site;
            let made: Vec<_> =
                some.clone().into_par_iter().map(|at| self.made(known, debates, at)).collect();
            for (at, made) in some.clone().zip(made) {
                match made {
                    Ok(files) => faults.calls.extend(put(site, files)?),
                    Err(cause) => drop(faults.debates.insert(debates[at].dir().into(), cause)),
                }
            }
            progress(some.end, debates.len());
        }
        Ok(faults)
    }

    /// The pages of one of the debates, or why there are none.
    fn made(
        &self,
        site: &Site,
        debates: &[PublishedDebate],
        at: usize,
    ) -> Result<Vec<Made>, String> {
        let (debate, templates) = (&debates[at], self.templates);
        let around = around(debates, at, self.with_calls);
        let page = debate.made(site, &around, templates, &self.version)?;
        let calls = self
            .with_calls
            .map(|it| debate.made_calls(site, it, templates, &self.version))
            .transpose()?
            .flatten();
        Ok([page].into_iter().chain(calls).collect())
    }

    fn without_calls(&self, debates: &[PublishedDebate]) -> usize {
        let lacks =
            |debate: &&PublishedDebate| self.with_calls.is_some_and(|it| !debate.has_calls(it));
        debates.iter().filter(lacks).count()
    }
}

/// Writes what is new, and leaves the rest as it is; returns what could not be read of it.
fn put(site: &mut Site, files: Vec<Made>) -> Result<Vec<String>, PublishError> {
    let mut faults = Vec::new();
    for made in files {
        match made.content {
            Some(content) => site.write(&made.file, made.key, content.as_bytes())?,
            None => site.keep(made.file, made.key),
        }
        faults.extend(made.fault);
    }
    Ok(faults)
}
