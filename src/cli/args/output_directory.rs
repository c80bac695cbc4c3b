//! Finding the output directory, and a debate in it.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::artifacts::MESSAGES;
use crate::artifacts::batch::BatchSummary;
use crate::cli::process::failure::{Failure, NAME_OUTPUT};
use crate::cli::shell;
use crate::files;
use crate::id::{self, DebateId, SHORT, short};
use crate::job::problem::suggestions::nearest;
use crate::journal;
use crate::store::batches;
use crate::store::finished::{FinishedDebate, FinishedDebates};
use crate::store::layout::{DEFAULT, NotOutput, OutputDir, VARIABLE, default_root, is_dated};
use crate::store::live::{self, ShortId};
use crate::store::next_command;
use crate::store::render::root_of;
use crate::store::running_batches::RunningBatch;
use crate::text::{self, some_of};

/// The name of the newest debate of all.
const LAST: &str = "last";

/// The output directory.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct OutputArg {
    /// Output directory, on a local file system
    #[arg(id = "output", long = "output", short, value_name = "DIR", default_value = DEFAULT, env = VARIABLE, value_parser = printable)]
    pub(in crate::cli) dir: PathBuf,
}

/// A path that can be printed in a line, put into JSON and copied from there: commands and lists name it so.
fn printable(path: &str) -> Result<PathBuf, String> {
    if path.is_empty() {
        return Err("its name is empty".to_owned());
    }
    if path.contains(text::is_line_end) || path.contains(char::is_control) {
        return Err("its name has a line break or another control character".to_owned());
    }
    Ok(path.into())
}

/// The output directory of a command that is about nothing else.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct OutputDirArg {
    /// Output directory [default: REBUT_OUTPUT, otherwise `output`]
    #[arg(id = "output-dir", value_name = "DIR", value_parser = printable)]
    named: Option<PathBuf>,
    /// The output directory, named as in other commands
    #[arg(
        id = "output-flag",
        long = "output",
        short,
        value_name = "DIR",
        value_parser = printable,
        conflicts_with = "output-dir"
    )]
    flag: Option<PathBuf>,
}

impl OutputDirArg {
    /// The directory, as given.
    pub(in crate::cli) fn dir(&self) -> PathBuf {
        let given = self.named.as_ref().or(self.flag.as_ref());
        given.cloned().unwrap_or_else(|| OutputArg::default().dir)
    }
}

/// A finished debate that was named.
#[derive(Debug)]
pub(in crate::cli) struct Debate {
    /// Its directory.
    pub(in crate::cli) dir: PathBuf,
    /// Its output directory, if it is in one.
    root: Option<PathBuf>,
}

impl Debate {
    /// Its output directory, otherwise the one given.
    pub(in crate::cli) fn root<'a>(&'a self, output: &'a OutputArg) -> &'a Path {
        self.root.as_deref().unwrap_or(&output.dir)
    }

    /// Its name for another command: the id and, if needed, the output directory.
    pub(in crate::cli) fn again(&self, id: &str) -> String {
        match &self.root {
            Some(root) => format!("{}{}", shell::quoted(short(id)), flag(root)),
            None => shell::quoted(&self.dir.to_string_lossy()),
        }
    }
}

/// The line that says where the list of these debates is: of `all`, or, if some are unfinished, of the `finished` ones.
pub(in crate::cli) fn listed(which: &str, index: &Path) -> String {
    text::one_line(&format!("{which} debates: {}", index.display()))
}

/// ` --output DIR` for a printed command, unless it is the default.
pub(in crate::cli) fn flag(dir: &Path) -> String {
    behind(" --output", dir)
}

/// ` DIR` for a printed command that takes it as an argument, unless it is the default.
pub(in crate::cli) fn positional(dir: &Path) -> String {
    behind("", dir)
}

/// What becomes of debates that no known command continues.
pub(in crate::cli) const ORPHANED: &str =
    "can be continued only with the job file and options as they were at the start";

/// The command that gives up these unfinished debates, and removes nothing of others.
pub(in crate::cli) fn gives_up<'i>(ids: impl Iterator<Item = &'i str>, dir: &Path) -> String {
    let only: String = ids.map(|id| format!(" --only {id}")).collect();
    format!("rebut clean --unfinished{only}{}", flag(dir))
}

fn behind(flag: &str, dir: &Path) -> String {
    if dir == OutputArg::default().dir {
        String::new()
    } else {
        format!("{flag} {}", shell::quoted(&dir.to_string_lossy()))
    }
}

impl Default for OutputArg {
    /// The default.
    fn default() -> Self {
        Self { dir: default_root() }
    }
}

impl OutputArg {
    /// The output directory, which must exist.
    pub(in crate::cli) fn existing(&self) -> Result<OutputDir, Failure> {
        existing(&self.dir)
    }

    /// The finished debate with a name that `rebut run` prints: its directory, a file in that, the directory's
    /// name, or its id or first digits. A job's name selects the newest of its debates, `last` the newest of all.
    pub(in crate::cli) fn debate(&self, named: &str) -> Result<Debate, Failure> {
        let found = directory_of(Path::new(named))
            .or_else(|| directory_of(&self.dir.join(named)))
            .or_else(|| self.of_name(named))
            .or_else(|| without_trace(Path::new(named)))
            .or_else(|| self.newest(named).filter(|_| !is_id(named)));
        if let Some(dir) = found {
            let root = root_of(&dir).map(|root| self.as_named(root));
            return Ok(Debate { dir, root });
        }
        if Path::new(named).is_dir() && !is_id(named) {
            let cause = "is not the directory of a finished debate: it has no trace.json";
            return Err(Failure::input(format!("{named} {cause}"), HOW_TO_NAME));
        }
        let (dir, root) = (self.of_id(named, HOW_TO_NAME)?, Some(self.dir.clone()));
        Ok(Debate { dir, root })
    }

    /// A directory's name, alone or after a path that does not lead there from here.
    fn of_name(&self, named: &str) -> Option<PathBuf> {
        let parts = Path::new(named).components().rev().take(3);
        let mut found = parts.filter_map(|part| {
            let name = part.as_os_str().to_str()?;
            directory_of(&OutputDir::at(&self.dir).dated(name)?)
        });
        found.next()
    }

    /// The newest finished debate of a job, or of all. Directory names begin with the second of the start; of several that
    /// started in one, it is the one that was written last.
    fn newest(&self, named: &str) -> Option<PathBuf> {
        let all = OutputDir::at(&self.dir).debates().ok()?.into_iter();
        let meant = |name: &str| named == LAST || job_in(name) == Some(named);
        let finished =
            all.filter(|path| meant(&files::name_of(path)) && directory_of(path).is_some());
        finished.max_by_key(|path| {
            let name = files::name_of(path).into_owned();
            let trace = path.join("trace.json").metadata();
            let written = trace.and_then(|trace| trace.modified()).ok();
            let start = name.split('_').next().map(str::to_owned);
            (start, written, name)
        })
    }

    /// Whether a finished debate is of this job.
    pub(in crate::cli) fn has_job(&self, named: &str) -> bool {
        named != LAST && self.newest(named).is_some()
    }

    /// The root as the user wrote it, if the same: hints repeat the user's words.
    pub(in crate::cli) fn as_named(&self, root: PathBuf) -> PathBuf {
        let same = self.dir.canonicalize().is_ok_and(|dir| dir == root);
        if same { self.dir.clone() } else { root }
    }

    /// The directory of the only finished debate whose id begins with these digits; `how` says how to name one.
    pub(in crate::cli) fn of_id(&self, id: &str, how: &str) -> Result<PathBuf, Failure> {
        let found = self.directories_of(id)?;
        match found.as_slice() {
            [one] => Ok(one.clone()),
            [] => Err(self.unended(id).unwrap_or_else(|| self.no_debate(id, how))),
            several => {
                let ids = several.iter().map(|dir| Some(FinishedDebate::read(dir)?.id));
                if ids.collect::<Option<BTreeSet<_>>>().is_some_and(|ids| ids.len() == 1) {
                    return Err(copies(id, several));
                }
                let debates = text::count(several.len(), "debate");
                let names: Vec<_> = several.iter().map(|dir| files::name_of(dir)).collect();
                let cause = format!("`{id}` matches {debates}: {}", some_of(&names, NAMED));
                Err(Failure::input(cause, "give more digits of the id"))
            }
        }
    }

    /// The failure for a debate that has not ended.
    pub(in crate::cli) fn unended(&self, named: &str) -> Option<Failure> {
        match self.all_begun(named).as_slice() {
            [] => self.never_begun(named),
            [one] => Some(self.unfinished(one, named)),
            several => {
                let debates = text::count(several.len(), "unfinished debate");
                let ids = some_of(several.iter().map(|id| id.short()), NAMED);
                let cause = format!("`{named}` names {debates}: {ids}");
                Some(Failure::input(cause, "name one of them by its id"))
            }
        }
    }

    /// The failure for a debate that has begun, with the command that finishes it.
    fn unfinished(&self, id: &DebateId, named: &str) -> Failure {
        let output = OutputDir::at(&self.dir);
        let is_running = RunningBatch::seen(&output)
            .is_ok_and(|runs| live::is_open(&output, &runs, &ShortId::of(id)));
        if is_running {
            let hint = format!("follow it with: rebut watch {}{}", id.short(), flag(&self.dir));
            return Failure::input(format!("debate `{named}` is still running"), hint);
        }
        let calls = format!("rebut show {named} calls{}", flag(&self.dir));
        let hint = format!("{}; `{calls}` lists the calls answered so far", self.finishes(id));
        Failure::input(format!("debate `{named}` is not finished"), hint)
    }

    /// What finishes a debate that was begun: `` `rebut run job.yaml` finishes it``.
    pub(in crate::cli) fn finishes(&self, id: &DebateId) -> String {
        let output = OutputDir::at(&self.dir);
        let batches = batches::all(&output);
        let left_by = batches::left_by(&batches, id);
        let command = match left_by.map(|it| next_command::of_batch(&output, it.clone())) {
            Some(batch) if batch.continues().is_none() => {
                return format!("`{}` {}", batch.next, batch.purpose());
            }
            Some(batch) => Some(batch.next),
            None if batches.iter().any(|it| it.has_left(id.short())) => None,
            None => live::left_by(&output, &ShortId::of(id)).map(|run| run.next),
        };
        let command = command.filter(|command| !command.is_empty());
        let given_up = gives_up(std::iter::once(id.short()), &self.dir);
        let orphaned = || format!("{ORPHANED}; `{given_up}` gives it up");
        command.map_or_else(orphaned, |it| format!("`{it}` finishes it"))
    }

    /// The batch that left such a debate before it began, with the command that runs it.
    pub(in crate::cli) fn not_begun(
        &self,
        is_it: impl Fn(&str, &BatchSummary) -> bool,
    ) -> Option<BatchSummary> {
        let output = OutputDir::at(&self.dir);
        let (batches, finished) = (batches::all(&output), FinishedDebates::list(&output).ok()?);
        let all = batches::never_begun(&output, &batches, |id| finished.may_have(id));
        let (_, batch) = all.into_iter().find(|(id, batch)| is_it(id, batch))?;
        Some(next_command::of_batch(&output, batch.clone()))
    }

    /// The failure for a debate that a batch left before it began, with the command that runs it.
    fn never_begun(&self, named: &str) -> Option<Failure> {
        let batch = self.not_begun(|id, _| id::names(named, id))?;
        let hint = format!("`{}` {}", batch.next, batch.purpose());
        Some(Failure::input(format!("debate `{named}` has not begun"), hint))
    }

    /// The failure for a name that no finished debate has.
    fn no_debate(&self, named: &str, how: &str) -> Failure {
        let dir = self.dir.display();
        if !self.dir.is_dir() {
            return not_output(NotOutput::Missing(self.dir.clone()));
        }
        let cause = if is_id(named) && named.len() < id::FEWEST {
            format!("no finished debate `{named}` in {dir}: too short for an id")
        } else {
            format!("no finished debate `{named}` in {dir}")
        };
        let path = Path::new(named);
        let job = path.file_stem().and_then(OsStr::to_str);
        let job = job.filter(|job| path.is_file() && self.newest(job).is_some());
        let newest = job.map(|job| format!("`{job}` names this job's newest debate"));
        let meant = || self.near(named).map(|near| format!("did you mean `{near}`?"));
        Failure::input(cause, newest.or_else(meant).unwrap_or_else(|| how.to_owned()))
    }

    /// The job or the digits that are meant by a name with a slip. Few digits are alike by chance.
    fn near(&self, named: &str) -> Option<String> {
        let dirs = OutputDir::at(&self.dir).debates().ok()?;
        let names: Vec<_> = dirs.iter().map(|dir| files::name_of(dir)).collect();
        let jobs = names.iter().filter_map(|name| job_in(name)).filter(|_| !is_id(named));
        let ids = names.iter().filter_map(|name| name.rsplit_once('_')?.1.get(..named.len()));
        let ids = ids.filter(|_| is_id(named) && named.len() >= id::MOST_ALIKE);
        nearest(named, jobs.chain(ids)).map(str::to_owned)
    }

    /// The directories of the finished debates whose ids begin with these digits, unless they are too few to mean one.
    fn directories_of(&self, id: &str) -> Result<Vec<PathBuf>, Failure> {
        if id.len() < id::FEWEST {
            return Ok(Vec::new());
        }
        let begins = |path: &PathBuf| {
            let name = files::name_of(path);
            let digits = name.rsplit('_').next().unwrap_or_default();
            let whole = || FinishedDebate::read(path).is_some_and(|found| found.id.starts_with(id));
            digits.starts_with(short(id)) && (id.len() <= SHORT || whole())
        };
        let all = OutputDir::at(&self.dir).debates()?;
        Ok(all.into_iter().filter(begins).collect())
    }

    /// The only unfinished debate of those that are named so.
    pub(in crate::cli) fn begun(&self, named: &str) -> Option<DebateId> {
        <[DebateId; 1]>::try_from(self.all_begun(named)).ok().map(|[id]| id)
    }

    /// The whole ids of the unfinished debates whose ids begin with these digits, or whose job has this name.
    pub(in crate::cli) fn all_begun(&self, named: &str) -> Vec<DebateId> {
        let output = OutputDir::at(&self.dir);
        let is_its_job = |id: &DebateId| job_of_begun(&output, id).as_deref() == Some(named);
        let mut begun = output.begun().unwrap_or_default();
        begun.retain(|id| id::names(named, id) || (!is_id(named) && is_its_job(id)));
        begun
    }
}

/// The failure for an id of a debate that is in several directories.
fn copies(id: &str, dirs: &[PathBuf]) -> Failure {
    let paths: Vec<_> = dirs.iter().map(|dir| dir.display().to_string()).collect();
    let cause = format!("debate `{id}` is in several directories: {}", some_of(&paths, NAMED));
    Failure::input(cause, "all but one are copies: name one by its path, or move the others away")
}

/// The output directory at a path, which must exist; the path may come from the environment.
pub(in crate::cli) fn existing(dir: &Path) -> Result<OutputDir, Failure> {
    if dir.as_os_str().is_empty() {
        let cause = format!("{VARIABLE} is empty, or the name of the output directory is");
        return Err(Failure::input(cause, format!("name a directory, or unset {VARIABLE}")));
    }
    let path = dir.to_str().ok_or("its name is not UTF-8".to_owned());
    if let Err(why) = path.and_then(printable) {
        let shown = text::one_line(&dir.to_string_lossy());
        let cause = format!("the output directory {shown} cannot be used: {why}");
        return Err(Failure::input(cause, "rename it"));
    }
    OutputDir::existing(dir).map_err(not_output)
}

/// The failure for a path that is not an output directory.
pub(in crate::cli) fn not_output(error: NotOutput) -> Failure {
    match &error {
        NotOutput::Missing(path) if !path.exists() => {
            let place = if *path == OutputArg::default().dir { "here" } else { "there" };
            let cause = format!("nothing has been run {place} yet: {error}");
            Failure::input(cause, format!("start with `rebut run JOB.yaml`, or {NAME_OUTPUT}"))
        }
        NotOutput::Missing(_) => Failure::input(&error, NAME_OUTPUT),
        NotOutput::Foreign(_) => {
            Failure::input(&error, format!("{NAME_OUTPUT}: it contains one directory per day"))
        }
    }
}

/// Debates that are listed if a name matches several.
const NAMED: usize = 10;

/// The ways to name a debate.
const HOW_TO_NAME: &str = "name a debate by its id (at least 4 digits), its job (for the newest; `last` is the newest of all), its directory (such as output/2026-11-21/…) or a file in it; --output selects another output directory";

/// Whether this can be an id, or its first digits.
pub(in crate::cli) fn is_id(named: &str) -> bool {
    named.bytes().all(|b| b.is_ascii_hexdigit())
}

/// The debate's directory at a path, or around the file or messages at that path.
pub(in crate::cli) fn directory_of(path: &Path) -> Option<PathBuf> {
    let dir = if path.is_file() { path.parent()? } else { path };
    let dir = match dir.file_name() {
        Some(name) if name == MESSAGES => dir.parent()?,
        _ => dir,
    };
    let here = dir.as_os_str().is_empty();
    let dir = if here { Path::new(".") } else { dir };
    dir.join("trace.json").is_file().then(|| dir.to_path_buf())
}

/// The directory of a debate that has lost its trace, which is at this path or was: reading it tells what to do.
fn without_trace(path: &Path) -> Option<PathBuf> {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    // A message is two levels below.
    let mut around = path.ancestors().take(3);
    around.find(|dir| FinishedDebate::is_in(dir)).map(Path::to_path_buf)
}

/// The digits of the id in the name of a debate's directory, with or without the path.
pub(in crate::cli) fn id_in(named: &str) -> Option<&str> {
    let parts = named.rsplit(['/', '\\']).take(3);
    let mut ids = parts.filter(|name| is_dated(name)).filter_map(|name| {
        let (_, id) = name.rsplit_once('_')?;
        (id.len() == SHORT && is_id(id)).then_some(id)
    });
    ids.next()
}

/// The name of an unfinished debate's job, as its directory will have it.
pub(in crate::cli) fn job_of_begun(output: &OutputDir, id: &DebateId) -> Option<String> {
    let header = journal::header_of(&output.running_journal(id))?;
    let home = output.home(&header)?;
    job_in(&files::name_of(&home)).map(str::to_owned)
}

/// The job's name in the name of a debate's directory.
fn job_in(name: &str) -> Option<&str> {
    let (_, after) = name.split_once('_')?;
    after.rsplit_once('_').map(|(job, _)| job)
}
