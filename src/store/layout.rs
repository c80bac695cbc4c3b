//! The output directory: the only place that names the paths in it, and the claims that show which process writes to which
//! debate.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};

use crate::clock::Clock;
use crate::files::{self, Claim, OpenPath, Result, Staged};
use crate::id::DebateId;
use crate::journal::Header;
use crate::machine;
use crate::plan::Plan;
use crate::servers::embedding_cache::EMBEDDINGS;
use crate::text;

/// Bytes that a debate needs, journal and directory together.
const ROOM: usize = 1 << 20;

/// The default output directory.
pub const DEFAULT: &str = "output";
/// The environment variable that names another one.
pub const VARIABLE: &str = "REBUT_OUTPUT";

/// The output directory of a command that names none.
pub fn default_root() -> PathBuf {
    std::env::var_os(VARIABLE).map_or_else(|| DEFAULT.into(), PathBuf::from)
}

/// The directories of working state that `run` needs.
const STATE: [&str; 14] = [
    "running", "journals", "judging", "labels", "prompts", "inputs", "staging", "replaced",
    "swapping", "claims", "runs", "live", "ballots", "view",
];

/// Why a path is not an output directory.
#[derive(Debug, thiserror::Error)]
pub enum NotOutput {
    /// It is no directory.
    #[error("{} {}", .0.display(), if .0.exists() { "is not a directory" } else { "does not exist" })]
    Missing(PathBuf),
    /// It is another directory.
    #[error("{} is not an output directory", .0.display())]
    Foreign(PathBuf),
}

/// An output directory. Working state lives below `.rebut`.
#[derive(Debug, Clone)]
pub struct OutputDir {
    root: PathBuf,
}

impl OutputDir {
    /// The output directory at `root`. Creates nothing.
    pub fn at(root: &Path) -> Self {
        Self { root: root.to_path_buf() }
    }

    /// The directory itself.
    pub fn root(&self) -> &Path {
        &self.root
    }

    fn state(&self, name: &str) -> PathBuf {
        self.working().join(name)
    }

    fn working(&self) -> PathBuf {
        self.root.join(".rebut")
    }

    /// The directory of the journals of unfinished debates.
    fn running(&self) -> PathBuf {
        self.state("running")
    }

    /// The journal of an unfinished debate.
    pub fn running_journal(&self, id: &DebateId) -> PathBuf {
        self.running().join(format!("{id}.jsonl"))
    }

    /// The journal of a finished debate.
    pub fn finished_journal(&self, id: &DebateId) -> PathBuf {
        self.state("journals").join(format!("{id}.jsonl"))
    }

    /// The requests sent to models in a committed debate.
    pub fn prompts(&self, id: &DebateId) -> PathBuf {
        self.all_prompts().join(format!("{id}.jsonl.gz"))
    }

    /// The directory of the requests sent.
    pub fn all_prompts(&self) -> PathBuf {
        self.state("prompts")
    }

    /// The directory of the journals of a debate's judgings.
    pub fn judgings(&self, debate: &DebateId) -> PathBuf {
        self.state("judging").join(&**debate)
    }

    /// The journal of a judging.
    pub fn judging(&self, debate: &DebateId, id: &DebateId) -> PathBuf {
        self.judgings(debate).join(format!("{id}.jsonl"))
    }

    /// The directory of people's labels.
    pub(super) fn labels(&self) -> PathBuf {
        self.state("labels")
    }

    /// The labels of a debate.
    pub(super) fn labels_of(&self, debate: &DebateId) -> PathBuf {
        self.labels().join(format!("{debate}.json"))
    }

    /// The directory of the keys of label sheets.
    pub(super) fn sheets(&self) -> PathBuf {
        self.labels().join("sheets")
    }

    /// The key of a label sheet.
    pub fn sheet(&self, id: &str) -> PathBuf {
        self.sheets().join(format!("{id}.json"))
    }

    /// The directory of the snapshots of inputs.
    pub fn snapshots(&self) -> PathBuf {
        self.state("inputs")
    }

    /// A part of a snapshot of inputs, by its digest.
    pub fn inputs(&self, digest: &str) -> PathBuf {
        self.snapshots().join(format!("{digest}.json"))
    }

    /// The directory in which others are assembled before they get their names.
    pub fn staged(&self) -> PathBuf {
        self.state("staging")
    }

    /// What `--restart` and `--retry` replaced; set aside for good.
    pub fn replaced(&self, name: &str) -> PathBuf {
        self.state("replaced").join(name)
    }

    /// Old directories that are being replaced, whose successors may not be in place yet.
    pub fn swapping(&self) -> PathBuf {
        self.state("swapping")
    }

    /// The directory in which runs announce themselves and are asked to stop.
    pub fn runs(&self) -> PathBuf {
        self.state("runs")
    }

    /// The directory in which viewers follow debates in progress.
    pub fn live(&self) -> PathBuf {
        self.state("live")
    }

    /// The directory of the audience's ballots, by debate.
    pub fn ballots(&self) -> PathBuf {
        self.state("ballots")
    }

    /// The people who may vote in a viewer.
    pub fn voters(&self) -> PathBuf {
        self.of_viewers().join("voters.jsonl")
    }

    /// The claim of the viewer that serves these debates.
    pub fn viewer(&self) -> PathBuf {
        self.live().join("viewer")
    }

    /// The directory of viewers' own files.
    pub fn of_viewers(&self) -> PathBuf {
        self.state("view")
    }

    /// The journals of all debates, finished or not.
    pub fn journals(&self) -> Result<Vec<PathBuf>> {
        let running = files::list(&self.running())?;
        let finished = files::list(&self.state("journals"))?;
        // Listed again because a retry may have moved a journal back in the meantime.
        let again = files::list(&self.running())?;
        let all: BTreeSet<PathBuf> = [running, finished, again].concat().into_iter().collect();
        Ok(all.into_iter().collect())
    }

    /// The size in bytes of a finished debate: its directory `dir`, its journal and its prompts.
    pub fn bytes_of(&self, id: &DebateId, dir: &Path) -> u64 {
        let kept = [self.finished_journal(id), self.prompts(id)];
        let kept = kept.iter().map(|path| files::bytes_below(path));
        files::bytes_below(dir) + kept.sum::<u64>()
    }

    /// The directory of the summaries of batches.
    pub fn batches(&self) -> PathBuf {
        self.root.join("batches")
    }

    /// The dated path of the directory with this name; `None` if no debate's directory can have it.
    pub fn dated(&self, name: &str) -> Option<PathBuf> {
        let day = name.get(..10).filter(|_| is_dated(name))?;
        Some(self.root.join(day).join(name))
    }

    /// The directory of a debate below the output directory: day, then first start, job and id (row A1).
    pub fn directory_of(plan: &Plan, started_at: DateTime<Utc>) -> String {
        let start = started_at.format("%Y-%m-%dT%H-%M-%S");
        let name = format!("{start}_{}_{}", plan.job, plan.short_id());
        format!("{}/{name}", started_at.format("%Y-%m-%d"))
    }

    /// The debate's directory according to its journal, whether it exists yet or not; `None` if [`OutputDir::directory_of`]
    /// gives that name to no debate of any job.
    pub fn home(&self, header: &Header) -> Option<PathBuf> {
        let begun = header.started_at.format("%Y-%m-%d/%Y-%m-%dT%H-%M-%S_");
        let job = header
            .directory
            .strip_prefix(&begun.to_string())?
            .strip_suffix(header.id.short())?
            .strip_suffix('_')?;
        (text::slug(job, job.len()) == job).then(|| self.root.join(&header.directory))
    }

    /// The ids of unfinished debates.
    pub fn begun(&self) -> Result<Vec<DebateId>> {
        let journals = files::list(&self.running())?;
        Ok(journals.iter().filter_map(|it| debate_of(it)).collect())
    }

    /// The directories of days, in order. Links are not followed: an output directory contains its debates itself.
    pub fn days(&self) -> Result<Vec<PathBuf>> {
        let named = |path: &PathBuf| is_day(&files::name_of(path)) && files::is_own_dir(path);
        Ok(files::list(&self.root)?.into_iter().filter(named).collect())
    }

    /// Warnings of links in place of days: their debates are not read.
    pub fn linked_days(&self) -> Vec<String> {
        let is_linked = |path: &PathBuf| {
            is_day(&files::name_of(path)) && !files::is_own_dir(path) && path.is_dir()
        };
        let all = files::list(&self.root).unwrap_or_default().into_iter();
        let warning = |path: PathBuf| {
            let path = path.display();
            format!(
                "{path} is a link and is not followed: its debates are not read; put the directory itself in its place"
            )
        };
        all.filter(is_linked).map(warning).collect()
    }

    /// Every dated debate directory, in order of name.
    pub fn debates(&self) -> Result<Vec<PathBuf>> {
        let mut found = Vec::new();
        for day in self.days()? {
            found.extend(files::list(&day)?.into_iter().filter(|path| files::is_own_dir(path)));
        }
        Ok(found)
    }

    /// The output directory at `root`, which must exist.
    pub fn existing(root: &Path) -> Result<Self, NotOutput> {
        let output = Self::at(root);
        if !root.is_dir() {
            Err(NotOutput::Missing(output.root))
        } else if output.is_one() {
            Ok(output)
        } else {
            Err(NotOutput::Foreign(output.root))
        }
    }

    /// Whether this looks like an output directory: it has working state or days.
    pub fn is_one(&self) -> bool {
        let has_days = || self.days().is_ok_and(|days| !days.is_empty());
        self.working().is_dir() || has_days()
    }

    /// Creates the directories of working state, and removes what killed processes left in them.
    pub fn prepare(&self) -> Result<()> {
        self.make()?;
        self.sweep()
    }

    /// Creates the directories of working state.
    pub fn make(&self) -> Result<()> {
        // Named as part of it, so that the hint is that of an output directory.
        files::create_dir(&self.root)
            .map_err(|e| files::FileError { path: self.working(), ..e })?;
        files::own_dir(&self.working())?;
        for name in STATE {
            files::own_dir(&self.state(name))?;
        }
        self.refuse_links()?;
        files::sync_dir(&self.root)?;
        files::sync_dir(&self.working())
    }

    /// Creates the directories again to which debates are committed: most are empty most of the time, and may look like litter.
    pub(super) fn restore(&self) -> Result<()> {
        let mut needed = ["staging", "prompts", "journals", "swapping"].into_iter();
        needed.try_for_each(|name| files::own_dir(&self.state(name)))
    }

    /// Removes the half-written files of killed processes, and their claims.
    fn sweep(&self) -> Result<()> {
        files::sweep_claims(&self.state("claims"), |name| name.parse::<DebateId>().is_ok())?;
        files::sweep_dirs(&self.staged())?;
        files::sweep(&self.batches())?;
        let models = files::list(&self.root.join(EMBEDDINGS))?;
        let mut models = models.iter().filter(|path| files::is_own_dir(path));
        models.try_for_each(|model| files::sweep(model))?;
        files::sweep(&self.all_prompts())?;
        files::sweep(&self.snapshots())?;
        files::sweep(&self.labels())?;
        files::sweep(&self.sheets())?;
        files::sweep(&self.running())
    }

    /// Refuses links in place of directories of working state: what is written there would end up elsewhere.
    fn refuse_links(&self) -> Result<()> {
        files::no_link(&self.working())?;
        let state = STATE.iter().map(|name| self.state(name));
        state.chain([self.root.join(EMBEDDINGS)]).try_for_each(|path| files::no_link(&path))
    }

    /// Holds the working state open, to tell later whether it is still in its place.
    pub fn hold(&self) -> Result<OpenPath> {
        OpenPath::dir(&self.working())
    }

    /// Whether there is room for another debate. It is tried: quotas and places for files count too. Whatever else is wrong
    /// with the disk, the debate will tell.
    pub fn has_room(&self) -> bool {
        !self.try_room().is_err_and(|error| machine::is_full(&error))
    }

    fn try_room(&self) -> Result<()> {
        let mut staged = Staged::create(&self.inputs("room"))?;
        staged.write(&vec![1; ROOM])?;
        staged.sync()
    }

    /// Who has claimed a debate, if anyone has.
    pub fn holder_of(&self, id: &DebateId) -> Result<Option<String>> {
        let holder = Claim::holder(&self.state("claims").join(&**id))?;
        Ok(holder.map(|holder| named_holder(&holder)))
    }

    /// Claims a debate for `holder`, so that no other process writes to it; `Ok(Err(holder))` names the process that does.
    pub fn claim(&self, id: &DebateId, holder: &str) -> Result<Result<Claim, String>> {
        self.refuse_links()?;
        let taken = Claim::take(&self.state("claims").join(&**id), holder)?;
        Ok(taken.map_err(|holder| named_holder(&holder)))
    }
}

/// The process that a claim names. It may hold the lock and not have written its name yet.
fn named_holder(written: &str) -> String {
    match written.trim() {
        "" => "another process".to_owned(),
        holder => text::one_line(holder),
    }
}

/// Whether a name begins with a day, like those of debates' directories.
pub fn is_dated(name: &str) -> bool {
    name.get(..10).is_some_and(is_day)
}

/// Whether this can be the name of a day's directory.
fn is_day(name: &str) -> bool {
    chrono::NaiveDate::parse_from_str(name, "%Y-%m-%d").is_ok()
}

/// The debate that a file is named after.
pub(super) fn debate_of(path: &Path) -> Option<DebateId> {
    path.file_stem()?.to_str()?.parse().ok()
}

/// The name of this process in its claims, with its machine's: several containers may have a process of the same number.
pub fn holder(clock: &Clock) -> String {
    let since = clock.now().format("%Y-%m-%d %H:%M:%S UTC");
    let host = machine::host_name();
    let on = text::told_if(!host.is_empty(), || format!(" on {host}"));
    format!("process {} since {since}{on}", std::process::id())
}
