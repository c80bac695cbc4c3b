//! Selecting debates: the arguments that `stats`, `report` and `export` share, and messages about them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::iter::once;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use indicatif::{ProgressBar, ProgressStyle};

use super::output_directory::{self, OutputArg};
use super::values::any_number;
use crate::artifacts::page;
use crate::cli::process::failure::{Failure, NAME_OUTPUT, done_if};
use crate::cli::process::invocation::arguments;
use crate::cli::shell;
use crate::cli::terminal::print::warn;
use crate::clock::Clock;
use crate::facts::Facts;
use crate::files;
use crate::stats::findings::{Breakdown, Findings};
use crate::stats::key::{Filter, KEYS, Key, NONE, chosen};
use crate::stats::read::Corpus;
use crate::stats::verdicts::{Verdicts, in_words};
use crate::stats::{self, Place, Question, read};
use crate::store::layout;
use crate::store::render::root_of;
use crate::text::{self, some_of};

/// Values of a key that are listed if a filter matches nothing.
const NAMED_VALUES: usize = 10;

/// How to name debates where several may be named, and output directories, too.
const BY_ID: &str = "name a debate by its id (at least 4 digits), or, outside the output directory that REBUT_OUTPUT names (otherwise `output`), by its directory";

/// Debates by output directory, with whether they are rehearsals.
pub(in crate::cli) type Roots = BTreeMap<PathBuf, Vec<(PathBuf, bool)>>;

/// The selected debates, and how many files could not be read.
pub(in crate::cli) struct Selected {
    pub(in crate::cli) roots: Roots,
    pub(in crate::cli) damaged: usize,
}

/// Which debates.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Chosen {
    /// Output directories, parts of them, or ids of debates (at least 4 digits)
    #[arg(value_name = "DEBATES", default_value = layout::DEFAULT, env = layout::VARIABLE)]
    dirs: Vec<PathBuf>,
    /// Only debates whose KEY is VALUE; repeatable (values of one key are alternatives; all keys must match)
    #[arg(long = "where", value_name = "KEY=VALUE")]
    pub(in crate::cli) filters: Vec<String>,
    /// Include rehearsals
    #[arg(long)]
    pub(in crate::cli) include_rehearsals: bool,
    /// Exit with code 1 if a file could not be read
    #[arg(long)]
    strict: bool,
}

impl Selected {
    /// Whether no model had a part in any of them.
    pub(in crate::cli) fn are_rehearsals(&self) -> bool {
        let mut all = self.roots.values().flatten();
        all.all(|(_, rehearsal)| *rehearsal)
    }
}

impl Chosen {
    /// The filters, from their `KEY=VALUE`.
    pub(in crate::cli) fn filters(&self) -> Result<Vec<Filter>, Failure> {
        let read = |text: &String| {
            let filter = text.parse();
            filter.map_err(|e| unknown(text.split('=').next().unwrap_or_default(), e))
        };
        self.filters.iter().map(read).collect()
    }

    /// The exit code of a command that finished, except for this many unreadable files.
    pub(in crate::cli) fn ended(&self, damaged: usize) -> ExitCode {
        done_if(!self.strict || damaged == 0)
    }

    /// The directories; for a debate's file or id, the debate's directory. A path that is neither present nor an id is unchanged.
    pub(in crate::cli) fn debates(&self) -> Result<Vec<PathBuf>, Failure> {
        let output = OutputArg::default();
        let of_file =
            |path: &PathBuf| output_directory::directory_of(path).filter(|_| path.is_file());
        let dirs = self.dirs.iter().map(|path| {
            let named = path.to_string_lossy();
            if path.exists() || !output_directory::is_id(&named) {
                if !path.exists() && output.has_job(&named) {
                    let cause = format!("there is no directory or debate `{named}`");
                    let hint = format!("for the job {named}: `--where job={named}`");
                    return Err(Failure::input(cause, hint));
                }
                Ok(of_file(path).unwrap_or_else(|| path.clone()))
            } else {
                output.of_id(&named, BY_ID)
            }
        });
        dirs.collect()
    }

    /// The selected finished debates; `nothing` is the message if there is none. Unreadable files are reported.
    pub(in crate::cli) fn by_root(&self, nothing: &str) -> Result<Selected, Failure> {
        let filters = self.filters()?;
        let corpus = self.read()?;
        tell_problems(&corpus, &filters);
        let mut roots = Roots::new();
        let wanted = |facts: &Facts| {
            (self.include_rehearsals || !facts.rehearsal) && chosen(facts, &filters)
        };
        for debate in corpus.debates.iter().filter(|it| wanted(&it.facts)) {
            let root = root_of(&debate.dir).ok_or_else(|| {
                let cause = format!("{} is not in an output directory", debate.dir.display());
                Failure::input(cause, NAME_OUTPUT)
            })?;
            let found = (debate.dir.clone(), debate.facts.rehearsal);
            roots.entry(root).or_default().push(found);
        }
        if roots.is_empty() {
            let all = corpus.debates.iter().filter(|it| chosen(&it.facts, &filters));
            let hint = match all.count() as u64 {
                0 => "only finished debates count; `rebut status` shows the others".to_owned(),
                n => rehearsals_excluded(n),
            };
            return Err(Failure::input(nothing, hint));
        }
        Ok(Selected { roots, damaged: corpus.damaged.len() })
    }

    /// Everything below the directories.
    pub(in crate::cli) fn read(&self) -> Result<Corpus, Failure> {
        let (bar, dirs, now) = (Bar::new("traces"), self.debates()?, Clock::system().now());
        let corpus = read::read(&dirs, now, |done, all| bar.at(done, all));
        drop(bar);
        corpus.map_err(output_directory::not_output)
    }
}

/// The debates, and how their numbers are computed.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Picked {
    #[command(flatten)]
    pub(in crate::cli) chosen: Chosen,
    /// Verdicts to count: `own` (the debates' own judges), `panel:NAME` (a panel's, from `rebut judge`; `panel:NAME@ID` if panels of one name differ) or `human` (people's, from `rebut label`)
    #[arg(long, value_name = "WHOSE", default_value_t)]
    verdicts: Verdicts,
    /// Seed for resampling (intervals of strengths and agreement)
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = any_number::<u64>, allow_negative_numbers = true)]
    seed: u64,
}

impl Picked {
    /// These directories with all their debates, including rehearsals on request.
    pub(in crate::cli) fn all_of(dirs: Vec<PathBuf>, include_rehearsals: bool) -> Self {
        Self {
            chosen: Chosen { dirs, filters: Vec::new(), include_rehearsals, strict: false },
            verdicts: Verdicts::Own,
            seed: 1,
        }
    }

    /// The findings on these debates, with paths relative to `base`.
    pub(in crate::cli) fn findings(
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

    /// Only the groups of these debates.
    pub(in crate::cli) fn groups(
        &self,
        corpus: &Corpus,
        by: Vec<Key>,
    ) -> Result<Vec<Breakdown>, Failure> {
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

    /// A failure if nothing is counted, with the number of rehearsals that could be included.
    pub(in crate::cli) fn any(&self, corpus: &Corpus) -> Result<(), Failure> {
        let filters = self.chosen.filters()?;
        let all = corpus.debates.iter().map(|debate| &*debate.facts);
        let (rehearsals, real): (Vec<&Facts>, Vec<&Facts>) =
            all.filter(|facts| chosen(facts, &filters)).partition(|facts| facts.rehearsal);
        if !real.is_empty() || (self.chosen.include_rehearsals && !rehearsals.is_empty()) {
            return Ok(());
        }
        let excluded = rehearsals.len() as u64;
        let hint = text::told_if(excluded > 0, || rehearsals_excluded(excluded));
        Err(Failure::input("nothing to report: no debates counted", hint))
    }

    /// The same if filters or `--verdicts` left nothing: without debates, or with rehearsals only, a report is empty.
    pub(in crate::cli) fn any_of_these(&self, corpus: &Corpus) -> Result<(), Failure> {
        let filters = self.chosen.filters()?;
        let mut all = corpus.debates.iter();
        let is_any = filters.is_empty() || all.any(|debate| chosen(&debate.facts, &filters));
        if is_any && corpus.aside.is_empty() {
            return Ok(());
        }
        self.any(corpus)
    }

    /// Everything below the directories. Problems are reported.
    pub(in crate::cli) fn corpus(&self) -> Result<Corpus, Failure> {
        let filters = self.chosen.filters()?;
        let mut corpus = self.chosen.read()?;
        self.one_panel(&corpus)?;
        let without = self.verdicts.choose(&mut corpus);
        if without > 0 {
            let debates = text::count(without, "debate");
            let whose = in_words(&self.verdicts.to_string());
            warn(&format!("excluded: {debates} without a verdict of {whose}"));
        }
        tell_problems(&corpus, &filters);
        Ok(corpus)
    }

    /// A failure if the verdicts that count would be those of several panels.
    fn one_panel(&self, corpus: &Corpus) -> Result<(), Failure> {
        let question = self.question(Vec::new())?;
        let all = || {
            let all = corpus.debates.iter().map(|debate| &*debate.facts);
            all.filter(|facts| question.picks(facts))
        };
        let panels = self.verdicts.panels(all());
        if panels.is_empty() && matches!(self.verdicts, Verdicts::Panel { .. }) {
            warn(&panels_there(
                all().flat_map(|facts| facts.panels.iter()).map(|panel| &*panel.name),
            ));
        }
        let [(first, _), _, ..] = panels.as_slice() else { return Ok(()) };
        let told = |(panel, n): &(Verdicts, usize)| {
            let debates = text::count(*n, "debate");
            format!("{panel} ({debates})")
        };
        let hint = format!("choose one, such as --verdicts {first}");
        let cause = format!(
            "{} panels with different judges or instructions have this name: {}",
            panels.len(),
            text::joined(panels.iter().map(told), "and")
        );
        Err(Failure::input(cause, hint))
    }
}

/// Which panels there are, where none is the one that is asked for.
fn panels_there<'p>(names: impl Iterator<Item = &'p str>) -> String {
    let names: BTreeSet<&str> = names.collect();
    if names.is_empty() {
        return "no debate has a verdict of a panel".to_owned();
    }
    format!("panels with verdicts: {}", some_of(names, NAMED_VALUES))
}

/// Reports what is wrong with the debates, or with the filters.
fn tell_problems(corpus: &Corpus, filters: &[Filter]) {
    corpus.warnings.iter().for_each(|warning| warn(warning));
    warn_where_none_pass(corpus, filters);
    tell_damage(corpus.damaged.iter().map(|(_, cause)| cause.clone()));
}

/// Reports unreadable files and their number.
pub(in crate::cli) fn tell_damage(causes: impl ExactSizeIterator<Item = String>) {
    let files = causes.len();
    causes.for_each(|cause| warn(&cause));
    if files > 0 {
        let files = text::count(files, "file");
        warn(&format!("{files} could not be read; `rebut show FILE` says what to do"));
    }
}

/// If the filters match no debate: reports that, and the values there are.
pub(in crate::cli) fn warn_where_none_pass(corpus: &Corpus, filters: &[Filter]) {
    let debates = || corpus.debates.iter().map(|debate| &*debate.facts);
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
            let meant = alternatives(filter);
            if meant.len() > 1 && debates().any(|facts| chosen(facts, &meant)) {
                warn(&repeated(&meant));
            }
        }
    }
}

/// The filters that a value with commas may mean.
fn alternatives(filter: &Filter) -> Vec<Filter> {
    let one = |value: &str| format!("{}={}", filter.key, value.trim()).parse().ok();
    filter.value.split(',').filter_map(one).collect()
}

/// How to write alternatives.
fn repeated(filters: &[Filter]) -> String {
    let one = |filter: &Filter| format!(" --where {}", shell::quoted(&filter.to_string()));
    let all: String = filters.iter().map(one).collect();
    format!("for alternatives, repeat --where:{all}")
}

/// Warns of tags and settings to group by that no debate has.
pub(in crate::cli) fn warn_of_absent(corpus: &Corpus, keys: &[Key]) {
    let named = |key: &&Key| matches!(key, Key::Tag(_) | Key::Setting(_));
    for key in keys.iter().filter(named) {
        let all = corpus.debates.iter();
        let mut found = all.flat_map(|debate| values(key, &debate.facts));
        if !corpus.debates.is_empty() && found.all(|value| value == NONE) {
            warn(&format!("no debate has a value for `{key}`"));
        }
    }
}

/// The values of a key.
fn there_is<'c>(key: &Key, debates: impl Iterator<Item = &'c Facts>) -> String {
    let values: BTreeSet<&str> = debates.flat_map(|facts| values(key, facts)).collect();
    if values.iter().all(|value| *value == NONE) {
        return format!("no debate has a value for `{key}`");
    }
    format!("values of `{key}`: {}", some_of(values, NAMED_VALUES))
}

/// A debate's values of this key.
fn values<'c>(key: &Key, facts: &'c Facts) -> Vec<&'c str> {
    if *key == Key::Judge {
        let models = facts.readings.iter().filter_map(|r| r.model.as_deref());
        return models.collect();
    }
    let people = facts.contestants().filter_map(|(_, p)| key.of_person(p));
    key.of_debate(facts).into_iter().chain(people).collect()
}

/// A progress bar for long work; shown on a terminal only, and cleared when dropped.
pub(in crate::cli) struct Bar(ProgressBar);

impl Bar {
    /// A bar at zero.
    pub(in crate::cli) fn new(things: &str) -> Self {
        let style = format!("[{{bar:24}}] {{pos}} of {{len}} {things}");
        let style =
            ProgressStyle::with_template(&style).unwrap_or_else(|_| ProgressStyle::default_bar());
        Self(ProgressBar::new(0).with_style(style.progress_chars("=> ")))
    }

    /// Updates the count.
    pub(in crate::cli) fn at(&self, done: usize, all: usize) {
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
pub(in crate::cli) fn keys(list: &[String]) -> Result<Vec<Key>, Failure> {
    let mut keys = Vec::new();
    for word in list.iter().map(|word| word.trim()) {
        let key = word.parse().map_err(|e| unknown(word, e))?;
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    Ok(keys)
}

/// The failure for an unknown key.
fn unknown(word: &str, error: impl Display) -> Failure {
    let known = format!("the keys are\n{}", known_keys());
    match word.trim() {
        "tag." => Failure::input("`tag.` lacks the tag's name: use tag.NAME", known),
        "setting." => Failure::input("`setting.` lacks a name: use setting.NAME", known),
        _ => Failure::input(error, known),
    }
}

/// That rehearsals are excluded, and what includes them.
pub(in crate::cli) fn rehearsals_excluded(n: u64) -> String {
    let rehearsals = text::count(n, "rehearsal");
    format!("{rehearsals} excluded; include them with --include-rehearsals")
}

/// The keys and their meanings, one per line.
fn known_keys() -> String {
    let line = |(_, key, meaning): &(Key, &str, &str)| format!("  {key:12} {meaning}");
    KEYS.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// The end of a command's help: the keys, and examples.
pub(in crate::cli) fn help(examples: [&str; 3]) -> String {
    let examples = examples.map(|line| format!("  {line}")).join("\n");
    format!("Keys:\n{}\n\nExamples:\n{examples}", known_keys())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s4_the_panels_that_there_are_are_named() {
        let told = panels_there(["solo", "house", "house"].into_iter());
        assert_eq!(told, "panels with verdicts: house, solo");
        assert_eq!(panels_there(std::iter::empty()), "no debate has a verdict of a panel");
    }

    #[test]
    fn s1_a_filter_with_commas_is_told_as_alternatives() {
        let filter = "model=llama3, mistral:latest".parse().expect("a filter");
        let told = repeated(&alternatives(&filter));
        assert_eq!(
            told,
            "for alternatives, repeat --where: --where model=llama3 --where model=mistral"
        );
    }
}
