//! All debates below some directories: found, read in parallel, damaged ones reported.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use chrono::{DateTime, Utc};
use foldhash::fast::RandomState;
use rayon::prelude::*;

use super::not_ended::{Ended, NotEnded};
use crate::artifacts::batch::{Cause, NOT_JUDGED};
use crate::facts::cache::Cache;
use crate::facts::{Facts, Text};
use crate::id::short;
use crate::store::batches;
use crate::store::finished::FinishedDebate;
use crate::store::layout::{NotOutput, OutputDir, is_dated};
use crate::text::folded_topic;
use crate::trace::{FILE as TRACE, ReadError};

/// How many files are read between two reports of progress.
const BATCH: usize = 2048;

/// All debates below some directories.
#[derive(Debug, Default)]
pub struct Corpus {
    /// The debates, in order of their paths.
    pub debates: Vec<Debate>,
    /// Debates without one of the verdicts that count.
    pub aside: Vec<Debate>,
    /// Files that could not be read as traces, and directories that could not be read, and why; in order of their paths.
    pub damaged: Vec<(PathBuf, String)>,
    /// How many debates, and how many rehearsals, can be read nowhere because of that.
    pub unreadable: [usize; 2],
    /// Directories of debates that count under another path.
    pub copies: Vec<PathBuf>,
    /// Debates that have not ended; `None` if that cannot be told from the directories that were read.
    pub not_ended: Option<NotEnded>,
    /// Why the last batches had debates left without their panels' verdicts.
    pub not_judged: Vec<Cause>,
    /// Why the next reading of the same directories will take as long as this one, where it will; and which directories were not
    /// read because they are links.
    pub warnings: Vec<String>,
}

/// One debate.
#[derive(Debug)]
pub struct Debate {
    /// Its directory.
    pub dir: PathBuf,
    /// What is known of it.
    pub facts: Box<Facts>,
}

/// Reads the facts of every debate below the directories, in parallel. Damaged files are named, not fatal. `progress` hears of how many
/// files were read, and how many there are. In output directories, facts that had to be made from a trace are kept next to it, unless the
/// trace is about as young as `now`.
pub fn read(
    dirs: &[PathBuf],
    now: DateTime<Utc>,
    mut progress: impl FnMut(usize, usize),
) -> Result<Corpus, NotOutput> {
    let found = TraceFiles::below(dirs)?;
    let mut corpus = Corpus { damaged: found.damaged, ..Corpus::default() };
    let all = found.files.len();
    // Growing, it would move, and stand twice in memory.
    corpus.debates.reserve_exact(all);
    let cache = Cache::new(now);
    progress(0, all);
    let mut done = 0;
    for batch in found.files.chunks(BATCH) {
        let read: Vec<_> = batch.par_iter().map(|file| file.read(&cache)).collect();
        for read in read {
            match read {
                Ok(debate) => corpus.debates.push(debate),
                Err(damaged) => corpus.damaged.push(damaged),
            }
        }
        done += batch.len();
        progress(done, all);
    }
    let slow = |e| format!("{e}; the next reading will be as slow as this one");
    corpus.warnings.extend(cache.failure.into_inner().map(slow));
    let linked = dirs.iter().flat_map(|dir| OutputDir::at(dir).linked_days());
    corpus.warnings.extend(linked);
    corpus.damaged.sort();
    let ended = corpus.debates.iter().map(|debate| Ended {
        dir: &debate.dir,
        id: &debate.facts.id,
        began: debate.facts.started_at,
    });
    let unreadable: Vec<Ended<'_>> =
        corpus.damaged.iter().filter_map(|(path, _)| damaged_debate(path)).collect();
    corpus.unreadable = number_unreadable(&corpus.debates, &unreadable);
    corpus.not_ended = NotEnded::of(dirs, &ended.chain(unreadable).collect::<Vec<_>>());
    let last = |dir: &PathBuf| batches::last(&OutputDir::at(dir)).ok().flatten();
    let causes = dirs.iter().filter_map(last).flat_map(|(_, batch)| batch.causes);
    corpus.not_judged = causes.filter(|cause| cause.standing == NOT_JUDGED).collect();
    corpus.set_copies_aside();
    corpus.unify_topics();
    Ok(corpus)
}

/// How many debates these are, and how many rehearsals, each once, without copies of those that can be read.
fn number_unreadable(debates: &[Debate], unreadable: &[Ended<'_>]) -> [usize; 2] {
    let mut known: HashSet<&str> = debates.iter().map(|it| short(&it.facts.id)).collect();
    let mut numbers = [0; 2];
    for debate in unreadable.iter().filter(|it| known.insert(short(it.id))) {
        let is_rehearsal = FinishedDebate::read(debate.dir).is_some_and(|it| it.rehearsal);
        numbers[usize::from(is_rehearsal)] += 1;
    }
    numbers
}

/// The debate with a trace that cannot be read, going by its directory: it has ended, nobody knows when it began.
fn damaged_debate(trace: &Path) -> Option<Ended<'_>> {
    let dir = trace.parent().filter(|_| trace.ends_with(TRACE))?;
    let name = dir.file_name()?.to_str().filter(|name| is_dated(name))?;
    let (_, id) = name.rsplit_once('_')?;
    Some(Ended { dir, id, began: DateTime::UNIX_EPOCH })
}

/// The paths of all traces below the directories, absolute, each once.
pub fn trace_paths(dirs: &[PathBuf]) -> Result<BTreeSet<PathBuf>, NotOutput> {
    Ok(TraceFiles::below(dirs)?.files.into_iter().map(|file| file.path).collect())
}

/// The traces below directories.
#[derive(Default)]
struct TraceFiles {
    /// In order of their paths.
    files: Vec<TraceFile>,
    /// Directories that could not be listed, and why.
    damaged: Vec<(PathBuf, String)>,
}

struct TraceFile {
    path: PathBuf,
    /// Whether it was found by way of an output directory, which facts may be written to.
    in_output: bool,
}

impl TraceFile {
    /// The debate; where it cannot be read, the path and why.
    fn read(&self, cache: &Cache) -> Result<Debate, (PathBuf, String)> {
        let path = &self.path;
        let dir = path.parent().unwrap_or(path).to_path_buf();
        let facts = cache.read(path, self.in_output);
        let damaged = |reason: ReadError| (path.clone(), reason.to_string());
        Ok(Debate { dir, facts: facts.map_err(damaged)? })
    }
}

impl TraceFiles {
    fn below(dirs: &[PathBuf]) -> Result<Self, NotOutput> {
        let mut found = Self::default();
        for dir in dirs {
            let before = found.len();
            let whole = dir.canonicalize().unwrap_or_else(|_| dir.clone());
            // Whether it is one of debates, or in one: that has the working state of `rebut run`.
            let is_part = whole.ancestors().any(|dir| dir.join(".rebut").is_dir());
            found.add(&whole, is_part);
            // Whatever debates are in is fine: copies of days, directories of output directories.
            let has_none = found.len() == before && !is_part;
            if has_none || !dir.is_dir() {
                OutputDir::existing(dir)?;
            }
        }
        // Of a file that was found twice the one that is below an output directory stays.
        found.files.sort_by(|a, b| a.path.cmp(&b.path).then(b.in_output.cmp(&a.in_output)));
        found.files.dedup_by(|a, b| a.path == b.path);
        Ok(found)
    }

    /// How much was found, sound or not.
    fn len(&self) -> usize {
        self.files.len() + self.damaged.len()
    }

    /// Adds the traces in and below a directory, one level after the other: a tree may be deeper than a stack.
    fn add(&mut self, dir: &Path, in_output: bool) {
        let mut level = vec![dir.to_path_buf()];
        for depth in 0.. {
            let looked: Vec<Look> = level.par_iter().map(|dir| Look::into(dir, depth)).collect();
            level.clear();
            for Look { trace, below } in looked {
                self.files.extend(trace.map(|path| TraceFile { path, in_output }));
                match below {
                    Ok(below) => level.extend(below),
                    Err(unlisted) => self.damaged.push(unlisted),
                }
            }
            if level.is_empty() {
                return;
            }
        }
    }
}

/// Where debates stand below an output directory: `DAY/DEBATE`.
const DEBATES: usize = 2;

/// What a directory holds: its trace, and further directories, or itself and why it could not be listed.
struct Look {
    trace: Option<PathBuf>,
    below: Result<Vec<PathBuf>, (PathBuf, String)>,
}

impl Look {
    /// Looks into a directory that is so many levels deep. A debate's has no other debates below it. Links to directories and hidden
    /// directories are not looked into.
    fn into(dir: &Path, depth: usize) -> Self {
        let trace = dir.join(TRACE);
        // Of whatever kind it is: reading it tells what is wrong with it, also where a debate has lost it.
        let is_debate = trace.symlink_metadata().is_ok() || FinishedDebate::is_in(dir);
        let trace = is_debate.then_some(trace);
        if trace.is_some() && depth >= DEBATES {
            return Self { trace, below: Ok(Vec::new()) };
        }
        let unlisted = |e| (dir.to_path_buf(), format!("cannot list {}: {e}", dir.display()));
        Self { trace, below: directories(dir).map_err(unlisted) }
    }
}

/// The directories in a directory, in order of their names.
fn directories(dir: &Path) -> io::Result<Vec<PathBuf>> {
    let mut names = Vec::new();
    for entry in dir.read_dir()? {
        let entry = entry?;
        let is_hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
        if !is_hidden && entry.file_type()?.is_dir() {
            names.push(entry.file_name());
        }
    }
    names.sort_unstable();
    Ok(names.iter().map(|name| dir.join(name)).collect())
}

impl Facts {
    /// How much was said of it later.
    fn said_later(&self) -> usize {
        let labels = self.labels.as_ref().map_or(0, |own| own.said.len());
        self.panels.len() + labels + usize::from(self.rating.is_some())
    }
}

impl Corpus {
    /// Keeps one of the debates with the same id and start: a copy of a directory is not a second debate, even if one of the two was
    /// judged, labelled, rated or graded since. The one of which more was said stays, of equals the first. One with the same id and
    /// another start is a second debate: the job was run again elsewhere.
    fn set_copies_aside(&mut self) {
        let start = |facts: &Facts| (Arc::clone(&facts.id), facts.started_at);
        let mut kept: HashMap<_, (usize, usize), RandomState> = HashMap::default();
        for (place, Debate { facts, .. }) in self.debates.iter().enumerate() {
            let said = facts.said_later();
            let fullest = kept.entry(start(facts)).or_insert((said, place));
            if said > fullest.0 {
                *fullest = (said, place);
            }
        }
        let mut places = 0..;
        let copies = self.debates.extract_if(.., |debate| {
            let (_, fullest) = kept[&start(&debate.facts)];
            places.next() != Some(fullest)
        });
        self.copies = copies.map(|copy| copy.dir).collect();
    }

    /// Gives topics that differ only in letter case or in blanks around them one spelling: that of the first debate on them.
    fn unify_topics(&mut self) {
        let mut firsts: HashMap<&Text, &Facts, RandomState> = HashMap::default();
        for facts in self.debates.iter().map(|debate| &*debate.facts) {
            let first = firsts.entry(&facts.topic).or_insert(facts);
            *first = earlier(first, facts);
        }
        let mut folded: HashMap<String, &Facts> = HashMap::new();
        for (topic, facts) in &firsts {
            let first = folded.entry(folded_topic(topic)).or_insert(facts);
            *first = earlier(first, facts);
        }
        let spelling = |topic: &Text| folded[&folded_topic(topic)].topic.clone();
        let spellings: HashMap<Text, Text, RandomState> =
            firsts.keys().map(|topic| ((*topic).clone(), spelling(topic))).collect();
        for debate in &mut self.debates {
            let topic = &mut debate.facts.topic;
            topic.clone_from(&spellings[topic]);
        }
    }
}

/// The one of two debates that began first.
fn earlier<'f>(a: &'f Facts, b: &'f Facts) -> &'f Facts {
    let begun = |facts: &'f Facts| (facts.started_at, &*facts.id);
    if begun(b) < begun(a) { b } else { a }
}
