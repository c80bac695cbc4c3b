//! Finished debates as a folder of pages that opens from `file://`: a page per debate, the list of all, the report. It leads
//! nowhere outside of itself.

mod calls;
mod debate;
mod error;
mod list;
mod site;

use std::collections::BTreeSet;
use std::path::PathBuf;

use rayon::prelude::*;

pub use self::debate::{PublishedDebate, debates};
pub use self::error::PublishError;
pub use self::list::list;
pub use self::site::{Site, SiteError};

use self::debate::{Made, around};
use crate::store::layout::OutputDir;
use crate::templates::Templates;

/// Pages that are held in memory at once.
const AT_ONCE: usize = 64;

/// What became of the debates.
#[derive(Debug, Default)]
pub struct Published {
    /// Those that have a page.
    pub debates: Vec<PublishedDebate>,
    /// Those whose trace cannot be read, with the reason.
    pub unreadable: Vec<(PathBuf, String)>,
}

/// Writes the pages that do not stand there yet as they would be written; those of calls too, if they are wanted: they are kept
/// in the output directory.
pub fn pages(
    site: &mut Site,
    debates: Vec<PublishedDebate>,
    with_calls: Option<&OutputDir>,
    templates: &Templates,
    mut progress: impl FnMut(usize, usize),
) -> Result<Published, PublishError> {
    let mut published = Published {
        debates,
        unreadable: Vec::new(),
    };
    let version = [env!("CARGO_PKG_VERSION"), &templates.digest_of("pages/")].concat();
    let press = Press {
        with_calls,
        templates,
        version,
    };
    loop {
        let faults = press.write(site, &published.debates, &mut progress)?;
        if faults.is_empty() {
            return Ok(published);
        }
        // Their neighbours must not lead to them.
        let out: BTreeSet<PathBuf> = faults.iter().map(|(dir, _)| dir.clone()).collect();
        published
            .debates
            .retain(|debate| !out.contains(debate.dir()));
        published.unreadable.extend(faults);
    }
}

/// What makes the pages.
struct Press<'p> {
    with_calls: Option<&'p OutputDir>,
    templates: &'p Templates,
    /// Of program and templates.
    version: String,
}

impl Press<'_> {
    /// Writes all pages once; returns the debates that cannot be read.
    fn write(
        &self,
        site: &mut Site,
        debates: &[PublishedDebate],
        progress: &mut impl FnMut(usize, usize),
    ) -> Result<Vec<(PathBuf, String)>, PublishError> {
        let mut faults = Vec::new();
        for start in (0..debates.len()).step_by(AT_ONCE) {
            let some = start..(start + AT_ONCE).min(debates.len());
            let known = &*site;
            let made = some.clone().into_par_iter();
            let made: Vec<_> = made.map(|at| self.made(known, debates, at)).collect();
            for (at, made) in some.clone().zip(made) {
                match made {
                    Ok(files) => put(site, files)?,
                    Err(cause) => faults.push((debates[at].dir().to_owned(), cause)),
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
        let calls = self.with_calls;
        let calls = calls.and_then(|it| debate.made_calls(site, it, templates, &self.version));
        Ok([page].into_iter().chain(calls).collect())
    }
}

/// Writes what is new, and leaves the rest as it is.
fn put(site: &mut Site, files: Vec<Made>) -> Result<(), PublishError> {
    for made in files {
        match made.content {
            Some(content) => site.write(&made.file, made.key, content?.as_bytes())?,
            None => site.keep(made.file, made.key),
        }
    }
    Ok(())
}
