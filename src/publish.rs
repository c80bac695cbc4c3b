//! Finished debates as a folder of pages that opens from `file://`: a page per debate, the list of all, the report. It leads
//! nowhere outside of itself.

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

/// Writes the pages that do not stand there yet as they would be written.
pub fn pages(
    site: &mut Site,
    debates: Vec<PublishedDebate>,
    templates: &Templates,
    mut progress: impl FnMut(usize, usize),
) -> Result<Published, PublishError> {
    let mut published = Published {
        debates,
        unreadable: Vec::new(),
    };
    loop {
        let faults = written(site, &published.debates, templates, &mut progress)?;
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

/// One round of writing; returns the debates that cannot be read.
fn written(
    site: &mut Site,
    debates: &[PublishedDebate],
    templates: &Templates,
    progress: &mut impl FnMut(usize, usize),
) -> Result<Vec<(PathBuf, String)>, PublishError> {
    let mut faults = Vec::new();
    let version = templates.digest_of("pages/");
    for start in (0..debates.len()).step_by(AT_ONCE) {
        let some = start..(start + AT_ONCE).min(debates.len());
        let known = &*site;
        let one = |at: usize| debates[at].made(known, &around(debates, at), templates, &version);
        let made: Vec<Made> = some.clone().into_par_iter().map(one).collect();
        for (at, made) in some.clone().zip(made) {
            let page = debates[at].page();
            match made {
                Made::Same(key) => site.keep(page, key),
                Made::New(key, content) => site.write(&page, key, content?.as_bytes())?,
                Made::Unreadable(cause) => faults.push((debates[at].dir().to_owned(), cause)),
            }
        }
        progress(some.end, debates.len());
    }
    Ok(faults)
}
