//! The debates that people label: the arguments that `export` and `vote` share, and the resulting sheet.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};

use crate::cli::args::debate_selection::Chosen;
use crate::cli::args::values::{any_number, number};
use crate::cli::process::failure::Failure;
use crate::cli::terminal::print;
use crate::event::Sampling;
use crate::id::{self, DebateId};
use crate::labels::page::{Shown, shown};
use crate::labels::sample::{self, Eligible};
use crate::labels::sheet::{Item, Sheet};
use crate::panel::candidates::NotJudged;
use crate::store::labels::{self, keep_sheet};
use crate::store::layout::OutputDir;
use crate::text;
use crate::trace::Trace;

/// The size of a sample by default.
const SAMPLE: usize = 200;

/// The debates that people label.
#[derive(Debug, clap::Args)]
pub(super) struct SampleArgs {
    #[command(flatten)]
    debates: Chosen,
    /// Draw N debates at random, with equal chances: only these correct the judges' rates [default: 200]
    #[arg(long, value_name = "N", value_parser = number::<usize>(1..=u64::MAX), conflicts_with_all = ["disputed", "only"])]
    sample: Option<usize>,
    /// Take the N debates on which the judges disagree most
    #[arg(long, value_name = "N", value_parser = number::<usize>(1..=u64::MAX), conflicts_with = "only")]
    disputed: Option<usize>,
    /// Take the debates with these ids (at least 4 digits)
    #[arg(id = "only", long = "chosen", value_name = "ID", num_args = 1..)]
    only: Vec<String>,
    /// Seed of the sample, the order of debates and the side shown first
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = any_number::<u64>, allow_negative_numbers = true)]
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
        self.draw_or(|_, _, _| Ok(None))
    }

    /// The same, unless this rater has begun a sheet with the same options: then that one, though more debates may have finished since.
    pub(super) fn continue_or_draw(&self, rater: &str) -> Result<Sampled, Failure> {
        self.draw_or(|output, debates, sampling| {
            let begun = labels::sheets(output)?.into_iter();
            let mut like = begun.filter(|sheet| sheet.is_like(sampling, self.most()));
            Ok(like.find(|sheet| debates.is_begun(sheet, rater)))
        })
    }

    /// The sheet that `known` gives, otherwise a new one.
    fn draw_or(
        &self,
        known: impl Fn(&OutputDir, &Debates, &Sampling) -> Result<Option<Sheet>, Failure>,
    ) -> Result<Sampled, Failure> {
        let (root, dirs) = self.one_root()?;
        let output = OutputDir::at(&root);
        output.make()?;
        let debates = Debates::read(&dirs)?;
        let frame = sample::frame(&debates.eligible, self.options());
        let (taken, mut sampling) = self.taken(debates.eligible.clone())?;
        sampling.frame = Some(frame);
        let sheet = match known(&output, &debates, &sampling)? {
            Some(sheet) => sheet,
            None if taken.is_empty() => {
                let hint = "a debate needs two sides and, with --disputed, judges who disagree";
                return Err(Failure::input("no debate to label", hint));
            }
            None => Sheet::new(taken, sampling, self.most()),
        };
        keep_sheet(&output, &sheet)?;
        Ok(Sampled { output, sheet, dirs: debates.dirs })
    }

    /// How many debates are asked for, if a number is given.
    pub(super) fn asked_for(&self) -> Option<usize> {
        self.disputed.or(self.sample)
    }

    /// How many debates there are to be at most; `None` if they are named.
    fn most(&self) -> Option<u64> {
        let most = self.asked_for().unwrap_or(SAMPLE) as u64;
        self.only.is_empty().then_some(most)
    }

    /// The options that restrict the debates, as given.
    fn options(&self) -> String {
        let filters = self.debates.filters.iter();
        let mut options: Vec<String> = filters.map(|filter| format!("--where {filter}")).collect();
        options.sort();
        let rehearsals = self.debates.include_rehearsals;
        options.extend(rehearsals.then(|| "--include-rehearsals".to_owned()));
        options.join(" ")
    }

    /// The output directory that holds all of them, and the key.
    fn one_root(&self) -> Result<(PathBuf, Vec<PathBuf>), Failure> {
        let selected = self.debates.by_root("no debate to label")?;
        let mut roots = selected.roots.into_iter();
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
            None => sample::drawn(all, self.sample.unwrap_or(SAMPLE), self.seed),
        })
    }
}

/// The debates that people can label.
struct Debates {
    eligible: Vec<Eligible>,
    dirs: HashMap<DebateId, PathBuf>,
    /// Answers on them: the sheet, the item and the rater.
    answered: HashSet<(String, u32, String)>,
}

impl Debates {
    /// Those in these directories. The number of the others is reported.
    fn read(dirs: &[PathBuf]) -> Result<Self, Failure> {
        let mut found =
            Self { eligible: Vec::new(), dirs: HashMap::new(), answered: HashSet::new() };
        let mut not: BTreeMap<NotJudged, u64> = BTreeMap::new();
        for dir in dirs {
            let trace = Trace::in_dir(dir)?;
            match Eligible::new(&trace) {
                Ok(debate) => found.add(debate, dir, &trace),
                Err(cause) => *not.entry(cause).or_default() += 1,
            }
        }
        for (cause, n) in &not {
            let debates = text::count(*n, "debate");
            print::remark(&format!("excluded: {debates}: {cause}"));
        }
        Ok(found)
    }

    fn add(&mut self, debate: Eligible, dir: &Path, trace: &Trace) {
        let given =
            trace.preferences().map(|(_, own)| (own.sheet.clone(), own.item, own.rater.clone()));
        self.answered.extend(given);
        self.dirs.insert(debate.id.clone(), dir.to_path_buf());
        self.eligible.push(debate);
    }

    /// Whether a rater has answered on a sheet, and can still answer.
    fn is_begun(&self, sheet: &Sheet, rater: &str) -> bool {
        let is_answered = |n: u32| self.answered.contains(&(sheet.id.clone(), n, rater.to_owned()));
        let items = || (1..).zip(&sheet.items);
        let is_open = |n, item: &Item| !is_answered(n) && self.dirs.contains_key(&item.debate);
        items().any(|(n, _)| is_answered(n)) && items().any(|(n, item)| is_open(n, item))
    }
}

/// The debates whose ids begin with these digits, each once.
fn named(all: &[Eligible], ids: &[String]) -> Result<Vec<Eligible>, Failure> {
    let mut found: BTreeMap<&DebateId, &Eligible> = BTreeMap::new();
    for id in ids {
        let mut its = all.iter().filter(|it| it.id.starts_with(id.as_str()));
        match (its.next(), its.next()) {
            (Some(debate), None) if id.len() >= id::FEWEST => {
                found.insert(&debate.id, debate);
            }
            (Some(_), _) => {
                let cause = format!("`{id}` matches several debates");
                return Err(Failure::input(cause, "give more digits of the id"));
            }
            (None, _) => {
                let cause = format!("no debate `{id}` to label");
                let hint = "give at least 4 digits of an id; a debate needs two sides";
                return Err(Failure::input(cause, hint));
            }
        }
    }
    Ok(found.into_values().cloned().collect())
}

impl Sampled {
    /// The directory of an item's debate; `None` if it is not among the selected ones any more.
    pub(super) fn dir(&self, item: &Item) -> Option<&Path> {
        self.dirs.get(&item.debate).map(PathBuf::as_path)
    }

    /// The views of all items, as people see them; of a new sheet, whose debates are all here.
    pub(super) fn shown(&self) -> Result<Vec<Shown>, Failure> {
        let items = self.sheet.items.iter();
        let dirs = items.filter_map(|item| Some((item, self.dir(item)?)));
        dirs.map(|(item, dir)| Ok(shown(&Trace::in_dir(dir)?, item)?)).collect()
    }
}
