//! Traces into files for other tools: tables of debates, statements, ballots, calls and arguments, or examples to train on.
//!
//! A few traces are read at a time; their rows are written in order of their paths. A file takes its name when it is
//! complete.

mod ballots;
mod calls;
mod debates;
mod finetune;
mod flow;
pub mod script;
mod sources;
mod statements;
mod table;

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use rayon::prelude::*;

pub use self::finetune::LeftOut;
use self::sources::Sources;
pub use self::table::Encoding;
use self::table::{Debate, ExportTable};
use crate::facts;
use crate::files::{self, FileError, Result, Staged};
use crate::stats::key::{Filter, chosen};
use crate::store::layout::NotOutput;
use crate::trace::{ReadError, Trace};

/// Traces that are read before their rows are written.
const AHEAD: usize = 32;

/// The tables, a file each.
const TABLES: [ExportTable; 5] =
    [debates::TABLE, statements::TABLE, ballots::TABLE, calls::TABLE, flow::TABLE];

/// What traces are turned into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum To {
    /// Tables.
    Tables(Encoding),
    /// Chats to train a model on.
    Finetune,
}

/// What is exported.
#[derive(Debug, Clone, Copy)]
pub struct Wanted<'a> {
    /// Directories with debates below them.
    pub dirs: &'a [PathBuf],
    /// What they are turned into.
    pub to: To,
    /// The directory of the files.
    pub out: &'a Path,
    /// Which debates are in.
    pub filters: &'a [Filter],
    /// Whether rehearsals are in.
    pub rehearsals: bool,
}

/// The result of an export.
#[derive(Debug, Default)]
pub struct Exported {
    /// The files, and their rows without the header.
    pub files: Vec<(PathBuf, u64)>,
    /// Debates that the filters let pass.
    pub passed: u64,
    /// Debates that were found under an earlier path already.
    pub copies: u64,
    /// Debates that were omitted because they are rehearsals.
    pub rehearsals: u64,
    /// Debates that are no example to train on, by reason.
    pub left_out: BTreeMap<LeftOut, u64>,
    /// Files that could not be read as traces.
    pub damaged: Vec<ReadError>,
}

/// Why nothing is exported.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// A directory is not one of debates.
    #[error(transparent)]
    NotOutput(#[from] NotOutput),
    /// The file system said no.
    #[error(transparent)]
    File(#[from] FileError),
}

/// What one debate gives to each file: text and its rows.
type Parts = Vec<(Vec<u8>, u64)>;

/// What one trace comes to.
enum Share {
    Parts(Parts),
    FilteredOut,
    Rehearsal,
    LeftOut(LeftOut),
}

/// Exports all debates below the directories. `progress` is told how many traces are done, of how many.
pub fn export(
    wanted: &Wanted<'_>,
    progress: &dyn Fn(usize, usize),
) -> Result<Exported, ExportError> {
    let sources = Sources::below(wanted.dirs)?;
    let mut files = begin(wanted)?;
    let mut exported = Exported::default();
    let mut seen = HashSet::new();
    let mut done = 0;
    for batch in sources.paths.chunks(AHEAD) {
        let read = |path: &PathBuf| read(wanted, path, &sources);
        let read: Vec<Result<(String, Share), ReadError>> = batch.par_iter().map(read).collect();
        for one in read {
            match one {
                Err(damage) => exported.damaged.push(damage),
                Ok((id, _)) if seen.contains(&id) => exported.copies += 1,
                Ok((id, share)) => {
                    seen.insert(id);
                    exported.take(share, &mut files)?;
                }
            }
        }
        done += batch.len();
        progress(done, sources.paths.len());
    }
    if exported.passed == 0 && !wanted.filters.is_empty() {
        // A mistaken filter must not empty the files of an earlier export.
        return Ok(exported);
    }
    for file in files {
        exported.files.push((file.path, file.rows));
        file.staged.commit()?;
    }
    Ok(exported)
}

/// A file that is being written.
struct Growing {
    path: PathBuf,
    staged: Staged,
    rows: u64,
}

/// Creates the files, with headers where they have them.
fn begin(wanted: &Wanted<'_>) -> Result<Vec<Growing>> {
    files::create_dir(wanted.out)?;
    let files = match wanted.to {
        To::Tables(form) => TABLES.iter().map(|table| table.file(form)).collect(),
        To::Finetune => vec![("finetune.jsonl".to_owned(), Vec::new())],
    };
    let begun = files.into_iter().map(|(name, header)| {
        let path = wanted.out.join(name);
        files::sweep_for(&path)?;
        let mut staged = Staged::create(&path)?;
        staged.write(&header)?;
        Ok(Growing { path, staged, rows: 0 })
    });
    begun.collect()
}

/// A trace's id, by which copies are known, and what it comes to.
fn read(wanted: &Wanted<'_>, path: &Path, sources: &Sources) -> Result<(String, Share), ReadError> {
    if !wanted.filters.is_empty() {
        let facts = facts::cache::read(path)?;
        if !chosen(&facts, wanted.filters) {
            return Ok((facts.id.to_string(), Share::FilteredOut));
        }
    }
    let trace = Trace::read(path)?;
    let share = share(wanted, &trace, &sources.place(path));
    Ok((trace.id.to_string(), share))
}

/// What a trace gives to the files.
fn share(wanted: &Wanted<'_>, trace: &Trace, path: &str) -> Share {
    if trace.rehearsal && !wanted.rehearsals {
        return Share::Rehearsal;
    }
    let debate = Debate { trace, path };
    match wanted.to {
        To::Tables(form) => Share::Parts(TABLES.iter().map(|t| t.rows(&debate, form)).collect()),
        To::Finetune => match finetune::example(&debate) {
            Ok(line) => Share::Parts(vec![(line, 1)]),
            Err(reason) => Share::LeftOut(reason),
        },
    }
}

impl Exported {
    fn take(&mut self, share: Share, files: &mut [Growing]) -> Result<()> {
        self.passed += u64::from(!matches!(share, Share::FilteredOut));
        match share {
            Share::FilteredOut => {}
            Share::Rehearsal => self.rehearsals += 1,
            Share::LeftOut(reason) => *self.left_out.entry(reason).or_default() += 1,
            Share::Parts(parts) => {
                for (file, (text, rows)) in files.iter_mut().zip(parts) {
                    file.staged.write(&text)?;
                    file.rows += rows;
                }
            }
        }
        Ok(())
    }
}
