//! Job files added to a directory during the run (row J3).

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use crate::cli::args::jobs::{FEWER, Jobs};
use crate::cli::terminal::progress::Progress;
use crate::job::discover;
use crate::job::problem::Problem;
use crate::plan::{Plan, cells};
use crate::run::batch::Added;
use crate::text;

/// Problems of a job that are printed.
const SHOWN: usize = 5;

/// Looks for new job files in the directories of a run.
pub(in crate::cli) struct AddedJobs<'a> {
    jobs: &'a Jobs,
    progress: Arc<Progress>,
    directories: Vec<PathBuf>,
    read: BTreeSet<PathBuf>,
    /// Files as they were at the last look: one that changes is still being written.
    seen: BTreeMap<PathBuf, Look>,
    /// How many more debates `--limit` allows.
    left: usize,
}

struct Look {
    size: u64,
    changed: Option<SystemTime>,
    refused: bool,
}

impl<'a> AddedJobs<'a> {
    pub(in crate::cli) fn new(jobs: &'a Jobs, progress: &Arc<Progress>) -> Self {
        let is_dir = |path: &&PathBuf| path.is_dir();
        Self {
            jobs,
            progress: Arc::clone(progress),
            directories: jobs.args.paths.iter().filter(is_dir).cloned().collect(),
            read: jobs.jobs.iter().map(|job| job.path.clone()).collect(),
            seen: BTreeMap::new(),
            left: jobs.left(),
        }
    }

    /// The debates of new, completely written job files.
    pub(in crate::cli) fn look(&mut self) -> Added {
        let mut added = Added::default();
        if self.directories.is_empty() || self.left == 0 {
            return added;
        }
        let files = self.files();
        self.seen.retain(|file, _| files.contains(file));
        for file in &files {
            if !self.read.contains(file) {
                self.look_at(file, &mut added);
            }
        }
        self.progress.expect(&added.plans);
        added
    }

    /// The job files in the directories now. An unreadable directory may be readable at the next look.
    fn files(&self) -> BTreeSet<PathBuf> {
        let found = |dir| discover::job_files(std::slice::from_ref(dir)).unwrap_or_default();
        self.directories.iter().flat_map(found).collect()
    }

    fn look_at(&mut self, file: &Path, added: &mut Added) {
        let Ok(found) = file.metadata() else { return };
        let (size, changed) = (found.len(), found.modified().ok());
        let before = self.seen.get(file);
        let is_same = before.is_some_and(|look| look.size == size && look.changed == changed);
        if is_same && before.is_some_and(|look| look.refused) {
            return;
        }
        let mut refused = false;
        if is_same {
            match self.load(file) {
                Some(plans) => added.plans.extend(plans),
                None => refused = true,
            }
        }
        added.more |= !is_same;
        let look = Look { size, changed, refused };
        self.seen.insert(file.to_path_buf(), look);
    }

    /// Reads a job; its problems are reported, and it is read again when it changes.
    fn load(&mut self, file: &Path) -> Option<Vec<Plan>> {
        let lines = match self.plans(file) {
            Ok(plans) => return Some(plans),
            Err(lines) => lines,
        };
        lines.iter().for_each(|line| self.progress.note(line));
        self.progress.notify(&format!(
            "{} was added but can't run; it will be read again when it changes",
            file.display()
        ));
        None
    }

    /// The debates of a job, or its problems.
    fn plans(&mut self, file: &Path) -> Result<Vec<Plan>, Vec<String>> {
        let (options, templates) = (&self.jobs.args.options, &self.jobs.templates);
        let draft = options.open(file, templates).map_err(lines)?;
        cells::check_count(draft.debates()).map_err(|e| {
            let problem = format!("{}: {e}", file.display());
            vec![problem, format!("    hint: {FEWER}")]
        })?;
        let (job, plans) = self.jobs.added(draft, self.left).map_err(lines)?;
        let notes = options.notes(&job, templates);
        notes.iter().for_each(|note| self.progress.note(note));
        self.left -= plans.len();
        let (count, file) = (text::count(plans.len(), "debate"), job.path.display());
        self.progress.notify(&format!("{file} was added: {count}"));
        self.read.insert(job.path);
        Ok(plans)
    }

    /// The job files that were added, refused and not fixed.
    pub(in crate::cli) fn refused(&self) -> Vec<String> {
        let refused = self.seen.iter().filter(|(_, look)| look.refused);
        let names = refused.map(|(file, _)| text::one_line(&file.display().to_string()));
        names.collect()
    }
}

/// The first problems, line by line, and how many there are beside them: nobody reads hundreds in the log of a night.
fn lines(problems: Vec<Problem>) -> Vec<String> {
    let texts: Vec<String> = problems.iter().take(SHOWN).map(Problem::to_string).collect();
    let lines = texts.iter().flat_map(|text| text.lines());
    let left = problems.len().saturating_sub(SHOWN);
    let more = text::count(left, "more problem");
    let more = (left > 0).then(|| format!("… and {more}: `rebut check` shows all"));
    lines.map(str::to_owned).chain(more).collect()
}
