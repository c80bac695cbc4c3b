//! The debates that people label: the arguments that `export` and `vote` share, and the resulting sheet.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use crate::cli::failure::Failure;
use crate::cli::pick::Chosen;
use crate::cli::print;
use crate::event::Sampling;
use crate::id::DebateId;
use crate::labels::page::{Shown, shown};
use crate::labels::sample::{self, Eligible};
use crate::labels::sheet::{Item, Sheet};
use crate::store::labels::keep_sheet;
use crate::store::layout::OutputDir;
use crate::text;
use crate::trace::Trace;
use crate::verdict::record::NotJudged;

/// Minimum digits of an id that name a debate.
const LEAST_DIGITS: usize = 4;

/// The debates that people label.
#[derive(Debug, clap::Args)]
pub(super) struct SampleArgs {
    #[command(flatten)]
    debates: Chosen,
    /// Draw N debates at random, with equal chances: only these correct the judges' rates
    #[arg(long, value_name = "N", default_value_t = 200, conflicts_with_all = ["disputed", "only"])]
    sample: usize,
    /// Take the N debates on which the judges disagree most
    #[arg(long, value_name = "N", conflicts_with = "only")]
    disputed: Option<usize>,
    /// Take the debates with these ids (at least 4 digits)
    #[arg(id = "only", long = "chosen", value_name = "ID", num_args = 1..)]
    only: Vec<String>,
    /// Seed of the sample, the order of debates and the side shown first
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
}

/// A sheet with the debates on it.
#[derive(Debug)]
pub(super) struct Sampled {
    /// The output directory.
    pub(super) output: OutputDir,
    /// The sheet.
    pub(super) sheet: Sheet,
    dirs: HashMap<DebateId, PathBuf>,
}

impl SampleArgs {
    /// Draws the debates, and stores the key of their sheet in the output directory.
    pub(super) fn draw(&self) -> Result<Sampled, Failure> {
        let (root, dirs) = self.one_root()?;
        let output = OutputDir::at(&root);
        output.make()?;
        let (eligible, dirs) = eligible(&dirs)?;
        let (taken, sampling) = self.taken(eligible)?;
        if taken.is_empty() {
            return Err(Failure::input(
                "no debate to label",
                "a debate needs two sides and, with --disputed, judges who disagree",
            ));
        }
        let sheet = Sheet::new(taken, sampling);
        keep_sheet(&output, &sheet)?;
        Ok(Sampled {
            output,
            sheet,
            dirs,
        })
    }

    /// The output directory that holds all of them, and the key.
    fn one_root(&self) -> Result<(PathBuf, Vec<PathBuf>), Failure> {
        let roots = self.debates.by_root("no debate to label")?;
        let mut roots = roots.into_iter();
        match (roots.next(), roots.next()) {
            (Some((root, debates)), None) => {
                Ok((root, debates.into_iter().map(|(dir, _)| dir).collect()))
            }
            _ => Err(Failure::input(
                "the debates are in several output directories",
                "label one directory at a time, or combine them with `rebut merge`",
            )),
        }
    }

    fn taken(&self, all: Vec<Eligible>) -> Result<(Vec<Eligible>, Sampling), Failure> {
        if !self.only.is_empty() {
            return Ok(sample::chosen(named(&all, &self.only)?, self.seed));
        }
        Ok(match self.disputed {
            Some(most) => sample::disputed(all, most, self.seed),
            None => sample::drawn(all, self.sample, self.seed),
        })
    }
}

/// The debates that people can label, with their directories. The number of the others is reported.
fn eligible(dirs: &[PathBuf]) -> Result<(Vec<Eligible>, HashMap<DebateId, PathBuf>), Failure> {
    let (mut all, mut places) = (Vec::new(), HashMap::new());
    let mut not: BTreeMap<NotJudged, u64> = BTreeMap::new();
    for dir in dirs {
        match Eligible::new(&read(dir)?) {
            Ok(debate) => {
                places.insert(debate.id.clone(), dir.clone());
                all.push(debate);
            }
            Err(cause) => *not.entry(cause).or_default() += 1,
        }
    }
    for (cause, n) in &not {
        let debates = text::count(*n, "debate");
        print::err(&format!("excluded: {debates}: {cause}"));
    }
    Ok((all, places))
}

fn read(dir: &Path) -> Result<Trace, Failure> {
    Ok(Trace::read(&dir.join("trace.json"))?)
}

/// The debates whose ids begin with these digits, each once.
fn named(all: &[Eligible], ids: &[String]) -> Result<Vec<Eligible>, Failure> {
    let mut found: BTreeMap<&DebateId, &Eligible> = BTreeMap::new();
    for id in ids {
        let mut its = all.iter().filter(|it| it.id.starts_with(id.as_str()));
        match (its.next(), its.next()) {
            (Some(debate), None) if id.len() >= LEAST_DIGITS => {
                found.insert(&debate.id, debate);
            }
            (Some(_), _) => {
                let cause = format!("`{id}` matches several debates");
                return Err(Failure::input(cause, "give more digits of the id"));
            }
            (None, _) => {
                return Err(Failure::input(
                    format!("no debate `{id}` to label"),
                    "give at least 4 digits of an id; a debate needs two sides",
                ));
            }
        }
    }
    Ok(found.into_values().cloned().collect())
}

impl Sampled {
    /// The directory of an item's debate.
    pub(super) fn dir(&self, item: &Item) -> &Path {
        &self.dirs[&item.debate]
    }

    /// The trace of an item's debate.
    pub(super) fn trace(&self, item: &Item) -> Result<Trace, Failure> {
        read(self.dir(item))
    }

    /// The view of an item that people see.
    pub(super) fn shown(&self, item: &Item) -> Result<Shown, Failure> {
        Ok(shown(&self.trace(item)?, item)?)
    }
}
