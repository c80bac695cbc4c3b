//! Which debates a command looks at: the arguments that `stats`, `report` and `export` share, and what is told of them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::iter::once;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use indicatif::{ProgressBar, ProgressStyle};

use super::failure::{Failure, NAME_OUTPUT, done_if};
use super::invocation::arguments;
use super::output::OutputArg;
use super::print::warn;
use super::{output, shell};
use crate::artifacts::page;
use crate::clock::Clock;
use crate::facts::Facts;
use crate::files;
use crate::stats::findings::{Breakdown, Findings};
use crate::stats::key::{Filter, KEYS, Key, chosen};
use crate::stats::read::Corpus;
use crate::stats::verdicts::Verdicts;
use crate::stats::{self, Place, Question, read};
use crate::store::render::root_of;
use crate::text;

/// Values of a key that are named where a filter lets nothing pass.
const NAMED_VALUES: usize = 10;

/// Debates by the output directory that they stand in, with whether they are rehearsals.
pub(super) type Roots = BTreeMap<PathBuf, Vec<(PathBuf, bool)>>;

/// Which debates.
#[derive(Debug, clap::Args)]
pub(super) struct Chosen {
    /// Output directories, parts of them, or debates by their ids (4 digits or more)
    #[arg(value_name = "DEBATES", default_value = output::DEFAULT, env = output::VARIABLE)]
    dirs: Vec<PathBuf>,
    /// Only debates whose KEY is VALUE; repeatable (any of the values of one key, and all keys)
    #[arg(long = "where", value_name = "KEY=VALUE")]
    filters: Vec<String>,
    /// Include rehearsals
    #[arg(long)]
    pub(super) include_rehearsals: bool,
    /// Exit with code 1 if any file could not be read
    #[arg(long)]
    strict: bool,
}

impl Chosen {
    /// The filters, from their `KEY=VALUE`.
    pub(super) fn filters(&self) -> Result<Vec<Filter>, Failure> {
        let read = |text: &String| {
            let filter = text.parse();
            filter.map_err(|e| unknown(text.split('=').next().unwrap_or_default(), e))
        };
        self.filters.iter().map(read).collect()
    }

    /// How a command ends that did all it could, but for so many files that could not be read.
    pub(super) fn ended(&self, damaged: usize) -> ExitCode {
        done_if(!self.strict || damaged == 0)
    }

    /// The directories; for a file of a debate, or its id, that of the debate. What is neither there nor an id stays as it is.
    pub(super) fn debates(&self) -> Result<Vec<PathBuf>, Failure> {
        let output = OutputArg::default();
        let of_file = |path: &PathBuf| output::directory_of(path).filter(|_| path.is_file());
        let dirs = self.dirs.iter().map(|path| {
            let named = path.to_string_lossy();
            match path.exists() || !output::is_id(&named) {
                true => Ok(of_file(path).unwrap_or_else(|| path.clone())),
                false => Ok(output.debate(&named)?.dir),
            }
        });
        dirs.collect()
    }

    /// The finished debates that are meant; `nothing` says that there is none.
    pub(super) fn by_root(&self, nothing: &str) -> Result<Roots, Failure> {
        let filters = self.filters()?;
        let corpus = self.read()?;
        corpus.warnings.iter().for_each(|warning| warn(warning));
        warn_where_none_pass(&corpus, &filters);
        let mut roots = Roots::new();
        let wanted = |facts: &Facts| {
            (self.include_rehearsals || !facts.rehearsal) && chosen(facts, &filters)
        };
        for debate in corpus.debates.iter().filter(|it| wanted(&it.facts)) {
            let root = root_of(&debate.dir).ok_or_else(|| {
                let cause = format!("{} stands in no output directory", debate.dir.display());
                Failure::input(cause, NAME_OUTPUT)
            })?;
            let found = (debate.dir.clone(), debate.facts.rehearsal);
            roots.entry(root).or_default().push(found);
        }
        let hint = "rehearsals are left out unless --include-rehearsals is given";
        match roots.is_empty() {
            true => Err(Failure::input(nothing, hint)),
            false => Ok(roots),
        }
    }

    /// Everything below the directories.
    pub(super) fn read(&self) -> Result<Corpus, Failure> {
        let (bar, dirs, now) = (Bar::new("traces"), self.debates()?, Clock::system().now());
        let corpus = read::read(&dirs, now, |done, all| bar.at(done, all));
        drop(bar);
        corpus.map_err(|e| Failure::input(e, NAME_OUTPUT))
    }
}

/// Which debates, and how their numbers are computed.
#[derive(Debug, clap::Args)]
pub(super) struct Picked {
    #[command(flatten)]
    pub(super) chosen: Chosen,
    /// Whose verdicts count: `own`, those of the debates' own judges, or in their place `panel:NAME`, a panel's (`rebut judge`), or `human`, those of people (`rebut label`)
    #[arg(long, value_name = "WHOSE", default_value_t)]
    verdicts: Verdicts,
    /// Seed for resampling (intervals of strengths and of agreement)
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
}

impl Picked {
    /// These directories with everything in them, rehearsals where they are wanted.
    pub(super) fn all_of(dirs: Vec<PathBuf>, include_rehearsals: bool) -> Self {
        Self {
            chosen: Chosen {
                dirs,
                filters: Vec::new(),
                include_rehearsals,
                strict: false,
            },
            verdicts: Verdicts::Own,
            seed: 1,
        }
    }

    /// What is found in these debates, with paths as seen from `base`.
    pub(super) fn findings(
        &self,
        corpus: &Corpus,
        breakdowns: Vec<Vec<Key>>,
        base: &Path,
    ) -> Result<Findings, Failure> {
        let question = self.question(breakdowns)?;
        let base = base.canonicalize().unwrap_or_else(|_| base.to_path_buf());
        Ok(stats::findings(corpus, &question, |path| Place {
            page: path.join(page::NAME).is_file(),
            path: files::relative(path, &base),
        }))
    }

    /// The groups of these debates and nothing else.
    pub(super) fn groups(&self, corpus: &Corpus, by: Vec<Key>) -> Result<Vec<Breakdown>, Failure> {
        Ok(stats::groups(corpus, &self.question(vec![by])?))
    }

    fn question(&self, breakdowns: Vec<Vec<Key>>) -> Result<Question, Failure> {
        Ok(Question {
            breakdowns,
            filters: self.chosen.filters()?,
            verdicts: self.verdicts.clone(),
            rehearsals: self.chosen.include_rehearsals,
            seed: self.seed,
            command: shell::command(once("rebut".to_owned()).chain(arguments().skip(1))),
            asked_at: Clock::system().now(),
        })
    }

    /// A failure where nothing is counted, with the rehearsals that would be if they were asked for.
    pub(super) fn any(&self, corpus: &Corpus) -> Result<(), Failure> {
        let filters = self.chosen.filters()?;
        let all = corpus.debates.iter().map(|debate| &debate.facts);
        let (rehearsals, real): (Vec<&Facts>, Vec<&Facts>) = all
            .filter(|facts| chosen(facts, &filters))
            .partition(|facts| facts.rehearsal);
        if !real.is_empty() || (self.chosen.include_rehearsals && !rehearsals.is_empty()) {
            return Ok(());
        }
        let excluded = text::count(rehearsals.len(), "rehearsal");
        let hint = match rehearsals.len() {
            0 => String::new(),
            _ => format!("{excluded} excluded; --include-rehearsals includes rehearsals"),
        };
        let cause = "nothing to report: no debates counted, no file written";
        Err(Failure::input(cause, hint))
    }

    /// Everything below the directories. What is amiss is told.
    pub(super) fn corpus(&self) -> Result<Corpus, Failure> {
        let filters = self.chosen.filters()?;
        let mut corpus = self.chosen.read()?;
        let without = self.verdicts.choose(&mut corpus);
        if without > 0 {
            let debates = text::count(without, "debate");
            let whose = &self.verdicts;
            warn(&format!("left out: {debates} without a verdict of {whose}"));
        }
        corpus.warnings.iter().for_each(|warning| warn(warning));
        warn_where_none_pass(&corpus, &filters);
        tell_damage(corpus.damaged.iter().map(|(_, cause)| cause.clone()));
        Ok(corpus)
    }
}

/// Says which files could not be read, and then how many.
pub(super) fn tell_damage(causes: impl ExactSizeIterator<Item = String>) {
    let files = causes.len();
    causes.for_each(|cause| warn(&cause));
    if files > 0 {
        warn(&format!("{} could not be read", text::count(files, "file")));
    }
}

/// Where the filters let no debate pass: says so, and what there is instead.
pub(super) fn warn_where_none_pass(corpus: &Corpus, filters: &[Filter]) {
    let debates = || corpus.debates.iter().map(|debate| &debate.facts);
    if corpus.debates.is_empty() || debates().any(|facts| chosen(facts, filters)) {
        return;
    }
    let out = text::count(corpus.debates.len(), "debate");
    warn(&format!("--where excludes everything: {out}"));
    let mut keys: Vec<&Key> = Vec::new();
    for filter in filters {
        let alone = std::slice::from_ref(filter);
        if !keys.contains(&&filter.key) && !debates().any(|facts| chosen(facts, alone)) {
            keys.push(&filter.key);
            warn(&there_is(&filter.key, debates()));
        }
    }
}

/// Which values a key has.
fn there_is<'c>(key: &Key, debates: impl Iterator<Item = &'c Facts>) -> String {
    let values: BTreeSet<&str> = debates.flat_map(|facts| values(key, facts)).collect();
    if values.is_empty() {
        return format!("no debate has a value for `{key}`");
    }
    let mut named: Vec<&str> = values.iter().copied().take(NAMED_VALUES).collect();
    let more = values.len() - named.len();
    let more = format!("and {more} more");
    if values.len() > named.len() {
        named.push(&more);
    }
    format!("values of `{key}`: {}", named.join(", "))
}

/// The values that a filter of this key finds in a debate.
fn values<'c>(key: &Key, facts: &'c Facts) -> Vec<&'c str> {
    if *key == Key::Judge {
        let models = facts.readings.iter().filter_map(|r| r.model.as_deref());
        return models.collect();
    }
    let people = facts.contestants().filter_map(|(_, p)| key.of_person(p));
    key.of_debate(facts).into_iter().chain(people).collect()
}

/// How far long work is; seen on a terminal only, and gone when it is dropped.
pub(super) struct Bar(ProgressBar);

impl Bar {
    /// None of these things is done yet.
    pub(super) fn new(things: &str) -> Self {
        let style = format!("[{{bar:24}}] {{pos}} of {{len}} {things}");
        let style = ProgressStyle::with_template(&style);
        let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
        Self(ProgressBar::new(0).with_style(style.progress_chars("=> ")))
    }

    /// So many are done, of all.
    pub(super) fn at(&self, done: usize, all: usize) {
        self.0.set_length(all as u64);
        self.0.set_position(done as u64);
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

/// Keys to group by, from a comma-separated list; each once.
pub(super) fn keys(list: &[String]) -> Result<Vec<Key>, Failure> {
    let mut keys = Vec::new();
    for word in list.iter().map(|word| word.trim()) {
        let key = word.parse().map_err(|e| unknown(word, e))?;
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    Ok(keys)
}

/// A word that is no key.
fn unknown(word: &str, error: impl Display) -> Failure {
    let known = format!("the keys are\n{}", known_keys());
    match word.trim() {
        "tag." => Failure::input("`tag.` lacks the tag's name: write tag.NAME", known),
        _ => Failure::input(error, known),
    }
}

/// The keys, one a line, with what each means.
fn known_keys() -> String {
    let line = |(_, key, meaning): &(Key, &str, &str)| format!("  {key:12} {meaning}");
    KEYS.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// What stands at the end of a command's help: the keys, and examples.
pub(super) fn help(examples: [&str; 3]) -> String {
    let examples = examples.map(|line| format!("  {line}")).join("\n");
    format!("Keys:\n{}\n\nExamples:\n{examples}", known_keys())
}
