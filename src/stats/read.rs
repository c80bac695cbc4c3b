//! All debates below some directories: found, read in parallel, damaged ones named; what was read before is not read again.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fs::{self, DirEntry};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use rayon::prelude::*;

use super::facts::{Facts, Names, Text};
use super::index::{Index, Record, Stamp};
use crate::text::folded_topic;
use crate::trace::{self, ReadError};

/// The name of every trace.
const TRACE: &str = "trace.json";

/// How many files are read before their names are shared: the memory for what is not shared yet, and for the progress.
const BATCH: usize = 512;

/// All debates below some directories.
#[derive(Debug, Default)]
pub struct Corpus {
    /// The debates, in order of their paths.
    pub debates: Vec<Debate>,
    /// Files that could not be read as traces, and directories that could not be read, and why; in order of their paths.
    pub damaged: Vec<(PathBuf, String)>,
    /// Directories of debates that were read under another path already.
    pub copies: Vec<PathBuf>,
    /// Why the next reading of the same directories will take as long as this one, where it will.
    pub warnings: Vec<String>,
}

/// One debate.
#[derive(Debug)]
pub struct Debate {
    /// Its directory.
    pub dir: PathBuf,
    /// What is known of it.
    pub facts: Facts,
}

/// Why directories cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("{} is no directory", .0.display())]
pub struct NoDirectory(PathBuf);

/// Reads every `trace.json` below the directories, in parallel. Damaged files are named, not fatal. `progress` is told now and
/// then how many files were read, and how many there are. What was read is kept in the index of the output directory.
pub fn read(dirs: &[PathBuf], progress: impl FnMut(usize, usize)) -> Result<Corpus, NoDirectory> {
    let found = Found::below(dirs)?;
    let mut reading = Reading::of(&found);
    reading.all(found.files, progress);
    Ok(reading.end())
}

/// The paths of all traces below the directories, absolute, each once.
pub fn trace_paths(dirs: &[PathBuf]) -> Result<BTreeSet<PathBuf>, NoDirectory> {
    let found = Found::below(dirs)?;
    Ok(found.files.into_iter().map(|file| file.path).collect())
}

/// What was found below directories.
struct Found {
    /// The traces, in order of their paths.
    files: Vec<Place>,
    /// Output directories, and what was asked for below each.
    outputs: Vec<(PathBuf, Vec<PathBuf>)>,
    /// What could not be listed.
    damaged: Vec<(PathBuf, String)>,
}

/// Where a trace is.
struct Place {
    path: PathBuf,
    /// Its output directory, by its place among them.
    output: Option<usize>,
}

impl Found {
    fn below(dirs: &[PathBuf]) -> Result<Self, NoDirectory> {
        if let Some(missing) = dirs.iter().find(|dir| !dir.is_dir()) {
            return Err(NoDirectory(missing.clone()));
        }
        let mut found = Self {
            files: Vec::new(),
            outputs: Vec::new(),
            damaged: Vec::new(),
        };
        for dir in dirs {
            found.add(dir.canonicalize().unwrap_or_else(|_| dir.clone()));
        }
        // Of a file that was found twice the one that is below an output directory stays.
        let rank = |file: &Place| file.output.map_or(usize::MAX, |output| output);
        found
            .files
            .sort_by(|a, b| a.path.cmp(&b.path).then(rank(a).cmp(&rank(b))));
        found.files.dedup_by(|a, b| a.path == b.path);
        Ok(found)
    }

    fn add(&mut self, dir: PathBuf) {
        let output = self.output_of(&dir);
        let place = |path| Place { path, output };
        if dir.file_name().is_some_and(|name| name == TRACE) {
            self.files.push(place(dir.clone()));
        }
        // Level by level, each in order of paths: to go down from directory to directory takes stack that deep ones use up.
        let mut level = vec![dir.clone()];
        while !level.is_empty() {
            let listed: Vec<Listed> = level.par_iter().map(|dir| Listed::of(dir)).collect();
            level.clear();
            for one in listed {
                self.files.extend(one.trace.into_iter().map(place));
                level.extend(one.dirs);
                self.damaged.extend(one.damaged);
            }
        }
        if let Some(output) = output {
            self.outputs[output].1.push(dir);
        }
    }

    /// The output directory that a directory is or is part of: it has the working state of `rebut run`.
    fn output_of(&mut self, dir: &Path) -> Option<usize> {
        let root = dir.ancestors().find(|dir| dir.join(".rebut").is_dir())?;
        let known = self.outputs.iter().position(|(known, _)| known == root);
        Some(known.unwrap_or_else(|| {
            self.outputs.push((root.to_path_buf(), Vec::new()));
            self.outputs.len() - 1
        }))
    }
}

/// What stands in one directory. Links to directories are not followed.
#[derive(Default)]
struct Listed {
    trace: Option<PathBuf>,
    /// Those that are not hidden, in order of their names.
    dirs: Vec<PathBuf>,
    damaged: Vec<(PathBuf, String)>,
}

impl Listed {
    fn of(dir: &Path) -> Self {
        let mut listed = Self::default();
        let named = |e: io::Error| {
            let reason = format!("cannot list {}: {e}", dir.display());
            (dir.to_path_buf(), reason)
        };
        match fs::read_dir(dir) {
            Ok(entries) => {
                for entry in entries {
                    let added = entry.and_then(|entry| listed.add(&entry));
                    listed.damaged.extend(added.err().map(named));
                }
            }
            Err(e) => listed.damaged.push(named(e)),
        }
        // In one directory the order of names is that of paths, and cheaper.
        listed.dirs.sort_by(|a, b| a.as_os_str().cmp(b.as_os_str()));
        listed
    }

    fn add(&mut self, entry: &DirEntry) -> io::Result<()> {
        let name = entry.file_name();
        if name.as_encoded_bytes().starts_with(b".") {
            return Ok(());
        }
        if name == TRACE {
            self.trace = Some(entry.path());
        }
        if entry.file_type()?.is_dir() {
            self.dirs.push(entry.path());
        }
        Ok(())
    }
}

/// What is read, while it is read.
struct Reading {
    began: SystemTime,
    corpus: Corpus,
    workers: Vec<Mutex<Worker>>,
    outputs: Vec<Output>,
    /// Of each debate its output directory and its file's stamp, where the index is to hold it.
    kept: Vec<Option<(usize, Stamp)>>,
}

/// An output directory that is read.
struct Output {
    index: Index,
    /// Whether something was read that its index does not hold.
    new: bool,
}

/// What one thread uses again and again: memory for a file, and names (each thread has its own, so that none waits).
#[derive(Default)]
struct Worker {
    bytes: Vec<u8>,
    names: Names,
}

/// One trace that was read.
struct One {
    facts: Facts,
    stamp: Option<Stamp>,
    new: bool,
}

impl Reading {
    fn of(found: &Found) -> Self {
        let output = |(root, asked): &(PathBuf, Vec<PathBuf>)| Output {
            index: Index::open(root, asked),
            new: false,
        };
        let damaged = found.damaged.clone();
        Self {
            began: SystemTime::now(),
            corpus: Corpus {
                damaged,
                ..Corpus::default()
            },
            workers: (0..rayon::current_num_threads())
                .map(|_| Mutex::default())
                .collect(),
            outputs: found.outputs.iter().map(output).collect(),
            kept: Vec::new(),
        }
    }

    fn all(&mut self, files: Vec<Place>, mut progress: impl FnMut(usize, usize)) {
        let (mut done, all) = (0, files.len());
        // Growing, it would move, and stand twice in memory.
        self.corpus.debates.reserve_exact(all);
        progress(done, all);
        let mut files = files.into_iter();
        while done < all {
            let batch: Vec<Place> = files.by_ref().take(BATCH).collect();
            done += batch.len();
            self.batch(batch);
            progress(done, all);
        }
    }

    fn batch(&mut self, files: Vec<Place>) {
        let known: Vec<(Place, Option<Record>)> = files
            .into_iter()
            .map(|file| {
                let known = file
                    .output
                    .and_then(|output| self.outputs[output].index.of(&file.path));
                (file, known)
            })
            .collect();
        let read: Vec<(Place, Result<One, ReadError>)> = known
            .into_par_iter()
            .map(|(file, known)| {
                let read = self.worker().read(&file.path, known.as_ref());
                (file, read)
            })
            .collect();
        for (file, read) in read {
            match read {
                Ok(one) => self.add(file, one),
                Err(reason) => self.corpus.damaged.push((file.path, reason.to_string())),
            }
        }
    }

    /// What the thread that asks has to itself.
    fn worker(&self) -> MutexGuard<'_, Worker> {
        let number = rayon::current_thread_index().unwrap_or(0);
        self.workers[number % self.workers.len()]
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&mut self, file: Place, one: One) {
        let stamp = one.stamp.filter(|stamp| stamp.settled(self.began));
        let kept = file.output.zip(stamp);
        if let Some((output, _)) = kept {
            self.outputs[output].new |= one.new;
        }
        self.kept.push(kept);
        let mut dir = file.path;
        dir.pop();
        let facts = one.facts;
        self.corpus.debates.push(Debate { dir, facts });
    }

    fn end(mut self) -> Corpus {
        for number in 0..self.outputs.len() {
            let output = &mut self.outputs[number];
            if !output.index.is_stale() && !output.new {
                continue;
            }
            let debates = self.corpus.debates.iter().zip(&self.kept);
            let kept = debates.filter_map(|(debate, kept)| {
                let (output, stamp) = (*kept)?;
                (output == number).then(|| (debate.dir.join(TRACE), stamp, &debate.facts))
            });
            if let Err(e) = self.outputs[number].index.write(kept) {
                let slow = "the next reading will take as long as this one";
                self.corpus.warnings.push(format!("{e}; {slow}"));
            }
        }
        self.corpus.damaged.sort();
        self.corpus.set_copies_aside();
        self.corpus.unify_topics();
        self.corpus
    }
}

impl Corpus {
    /// Keeps the first of debates with the same id: a copy of a directory is no second debate.
    fn set_copies_aside(&mut self) {
        let mut seen = HashSet::with_capacity(self.debates.len());
        let is_copy = |debate: &mut Debate| !seen.insert(debate.facts.id.clone());
        let copies = self.debates.extract_if(.., is_copy);
        self.copies = copies.map(|copy| copy.dir).collect();
    }

    /// Gives topics that differ only in letter case or in blanks around them one spelling: that of the first debate on them.
    fn unify_topics(&mut self) {
        let mut first: HashMap<String, &Facts> = HashMap::new();
        for facts in self.debates.iter().map(|debate| &debate.facts) {
            let begun = |facts: &Facts| (facts.started_at, facts.id.clone());
            let known = first.entry(folded_topic(&facts.topic)).or_insert(facts);
            if begun(facts) < begun(known) {
                *known = facts;
            }
        }
        let spelling = |(folded, facts): (String, &Facts)| (folded, facts.topic.clone());
        let spellings: HashMap<String, Text> = first.into_iter().map(spelling).collect();
        for debate in &mut self.debates {
            let topic = &mut debate.facts.topic;
            topic.clone_from(&spellings[&folded_topic(topic)]);
        }
    }
}

impl Worker {
    /// Reads one trace, or takes what is known of it where its file did not change.
    fn read(&mut self, path: &Path, known: Option<&Record>) -> Result<One, ReadError> {
        let stamp = Stamp::of(&trace::metadata(path)?);
        let known = known.zip(stamp);
        if let Some(facts) = known.and_then(|(known, stamp)| known.facts(stamp, &mut self.names)) {
            let new = false;
            return Ok(One { facts, stamp, new });
        }
        trace::load(path, &mut self.bytes)?;
        let facts = Facts::read(path, &self.bytes, &mut self.names)?;
        let new = true;
        Ok(One { facts, stamp, new })
    }
}
