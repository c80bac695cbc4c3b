//! Job files: YAML in, validated settings out, or every problem found.

mod arms;
pub mod audience;
pub mod background;
pub mod cast;
mod checks;
mod controls;
pub mod criteria;
pub mod discover;
mod format_registry;
mod input_files;
pub mod job_text;
mod library;
mod matrix;
pub mod models;
mod output;
mod overrides;
pub mod panel;
pub mod participant;
pub mod problem;
pub mod profile;
pub(crate) mod reader;
pub mod schema;
pub mod script;
mod settings;
pub mod settings_macro;
pub mod shape;
mod shape_reader;
pub mod subjects;
pub(crate) mod terms;
pub mod tree;
pub mod yaml;

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

pub use self::arms::{Arm, Matching, TokenMeasure};
pub use self::controls::WRITER;
pub use self::format_registry::{AnyFormat, FormatSettings, add_formats, listed_as, profile_of};
pub(crate) use self::format_registry::{each_control, each_format};
use self::matrix::assign::{DefaultLists, apply, assign};
use self::matrix::cell::{Assignment, Cell};
pub use self::models::own_models::OwnModels;
pub use self::output::{OutputFormat, OutputOptions};
pub use self::overrides::{Change, Overrides};
use self::participant::Participant;
use self::problem::{Place, Problem, Problems, suggestions};
pub use self::profile::{Format, Profile, THE_TEAM, TwoAnswers};
use self::reader::Reader;
use self::script::Script;
pub use self::settings::{ControlSettings, General, OnFailure, Settings};
use self::settings::{format_key, keys, read};
use self::shape::Key;
use self::subjects::subjects_file::SubjectsFile;
use self::tree::{Data, Name, Node};
use crate::templates::Templates;
use crate::text;

/// The path of the seed.
const SEED: &str = "seed";

/// A cell of a job, told by the one before where it can be.
#[derive(Debug)]
pub enum NextCell {
    /// It was read.
    Read(Box<Settings>),
    /// It has the settings of the one before, but for the seed.
    Reseeded {
        /// Its seed.
        seed: u64,
        /// Values from the matrix, by path.
        cell: Map<String, Value>,
        /// Where its first assignment is in the job file, for messages.
        place: Place,
    },
}

/// A job file that holds no problem.
#[derive(Debug, Clone)]
pub struct Job {
    /// The file.
    pub path: PathBuf,
    /// The job's name, a slug.
    pub name: String,
    /// How often each cell runs.
    pub repeat: u32,
    /// Jobs of a run with a higher one come first.
    pub priority: i32,
    /// How it wants models to be loaded.
    pub(crate) loads: Vec<models::loading::LoadEntry>,
    /// Which participants have their own model, beside `defaults.model`.
    pub own_models: OwnModels,
    /// The model that takes the place of all others (`--all-models`).
    pub all_models: Option<String>,
    /// What is replied when it is rehearsed, where that is written down.
    pub script: Option<Script>,
    tree: Node,
    cells: Vec<Cell>,
    subjects: SubjectsFile,
    lists: DefaultLists,
    /// The keys below which participants stand.
    people: Vec<String>,
}

impl Job {
    /// Reads all but the cells; `None` if the cells cannot be determined.
    fn read(
        path: &Path,
        source: &str,
        overrides: &Overrides,
        templates: &Templates,
        problems: &Problems,
    ) -> Option<Self> {
        let tree = yaml::parse(source, problems);
        let mut tree = tree.filter(|tree| is_job(tree, problems))?;
        let format = asked_format(&tree, &overrides.changes);
        let known = keys(format, &Participant::default());
        let (people, lists) = (models::own_models::people(&known), lists(known));
        apply(&mut tree, overrides, &lists, problems);
        let reader = Reader::new(problems, path, templates);
        if !settle_format(&mut tree, reader) {
            return None;
        }
        let format = asked_format(&tree, &[]);
        let found = subjects::subjects_file::read(&tree, format, reader);
        // Where they are faulty, the rest is read all the same, so that what else is wrong is told.
        let mut subjects = found.unwrap_or_else(SubjectsFile::faulty);
        let mut cells = matrix::cells(&tree, subjects.axis.take(), problems);
        subjects.add_arms(&tree, &mut cells, problems);
        if cells.is_empty() {
            // Without its matrix, it would seem to lack what that sets.
            return None;
        }
        let own_models = OwnModels::new(&tree, &people);
        matrix::forget(&mut tree);
        let mut job = Self {
            path: path.to_path_buf(),
            name: String::new(),
            repeat: 1,
            priority: 0,
            loads: Vec::new(),
            own_models,
            all_models: overrides.all_models.clone(),
            script: None,
            tree,
            cells,
            subjects,
            lists,
            people,
        };
        // None of these differs from cell to cell.
        let (settings, loads) = job.read_cell(0, templates, problems);
        (job.name, job.repeat) = (settings.general.name, settings.general.repeat);
        job.priority = settings.general.priority;
        job.loads = loads;
        (!job.subjects.is_faulty).then_some(job)
    }

    /// The format of all its debates.
    pub fn format(&self) -> AnyFormat {
        asked_format(&self.tree, &[])
    }

    /// How many cells the job has.
    pub fn cells(&self) -> usize {
        self.cells.len()
    }

    /// The settings of one cell, counted from 0.
    pub fn settings(&self, cell: usize, templates: &Templates) -> Settings {
        self.read_cell(cell, templates, &Problems::new(&self.path, "")).0
    }

    /// A cell, counted from 0, told by the one before where it can be.
    pub fn next_cell(&self, cell: usize, templates: &Templates) -> NextCell {
        self.read_next(cell, templates, &Problems::new(&self.path, ""))
    }

    fn read_next(&self, cell: usize, templates: &Templates, problems: &Problems) -> NextCell {
        self.reseeded(cell).filter(|_| problems.is_empty()).unwrap_or_else(|| {
            let (settings, _) = self.read_cell(cell, templates, problems);
            NextCell::Read(Box::new(settings))
        })
    }

    /// A cell that differs from the one before in nothing but its seed: most do in a large matrix, and reading takes long.
    fn reseeded(&self, cell: usize) -> Option<NextCell> {
        let (this, before) = (self.cells.get(cell)?, self.cells.get(cell.checked_sub(1)?)?);
        // What is drawn about a question follows from the seed, and a control's debates have the seed too.
        if !self.subjects.questions.is_empty() || self.subjects.arm_of(this).is_some() {
            return None;
        }
        let Data::Whole(seed @ 0.., _) = matrix::cell::value_at(this, SEED)?.data else {
            return None;
        };
        matrix::cell::is_same_without(SEED, this, before).then(|| NextCell::Reseeded {
            seed: seed.unsigned_abs(),
            cell: self.values(this),
            place: place_of(this),
        })
    }

    /// What a cell assigns, by path.
    fn values(&self, cell: &[Assignment]) -> Map<String, Value> {
        cell.iter()
            .filter(|a| self.all_models.is_none() || !models::own_models::is_of_model(&a.path))
            .map(|a| (a.path.clone(), a.value.json()))
            .collect()
    }

    fn read_cell(
        &self,
        index: usize,
        templates: &Templates,
        problems: &Problems,
    ) -> (Settings, Vec<models::loading::LoadEntry>) {
        let mut tree = self.tree.clone();
        let cell = self.cells.get(index).map(Vec::as_slice).unwrap_or_default();
        for assignment in cell.iter().filter(|a| subjects::subjects_file::sets_key(a)) {
            assign(&mut tree, assignment, &self.lists, problems);
        }
        if let Some(model) = &self.all_models {
            models::own_models::replace_all(&mut tree, &self.people, model);
        }
        let reader = Reader::new(problems, &self.path, templates);
        let stem = self.path.file_stem().unwrap_or_default().to_string_lossy();
        let format = asked_format(&tree, &[]);
        let home = |key: &str| other_format(key, format);
        let is_posed = self.subjects.is_faulty || self.subjects.question_of(cell).is_some();
        let (mut settings, loads) = read(reader, &tree, format, &stem, &home, is_posed);
        settings = subjects::pose_question::pose(settings, &self.subjects, cell, problems);
        settings.cell = self.values(cell);
        settings.place = place_of(cell);
        (settings, loads)
    }
}

/// Where a cell's first assignment is in the job file.
fn place_of(cell: &[Assignment]) -> Place {
    cell.first().map_or(Place::START, |a| a.value.place.clone())
}

/// A job file whose matrix is known and whose cells are not read yet: the number of debates is known before
/// the slow part.
#[derive(Debug)]
pub struct Draft {
    job: Job,
    problems: Problems,
}

impl Draft {
    /// Reads a job file. Its problems may not be all: reading the cells finds more.
    pub fn open(
        path: &Path,
        overrides: &Overrides,
        templates: &Templates,
    ) -> Result<Self, Vec<Problem>> {
        let source = input_files::read_job(path, "")?;
        Self::parse(path, &source, overrides, templates)
    }

    /// Like [`Draft::open`], from text.
    pub fn parse(
        path: &Path,
        source: &str,
        overrides: &Overrides,
        templates: &Templates,
    ) -> Result<Self, Vec<Problem>> {
        let problems = Problems::new(path, source);
        match Job::read(path, source, overrides, templates, &problems) {
            Some(job) => Ok(Self { job, problems }),
            None => Err(problems.into_sorted()),
        }
    }

    /// The same with the replies of a rehearsal: those of the script that is named, otherwise of the one next to the job.
    #[must_use]
    pub fn with_script(mut self, named: Option<&Path>) -> Self {
        self.job.script = match named {
            Some(path) => Script::named(path, &self.problems),
            None => Script::beside(&self.job.path, &self.problems),
        };
        self
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.job.path
    }

    /// The job, unless problems were found in it by now; its cells may still hold some.
    pub fn job(&self) -> Option<&Job> {
        self.problems.is_empty().then_some(&self.job)
    }

    /// Jobs of a run with a higher one come first.
    pub fn priority(&self) -> i32 {
        self.job.priority
    }

    /// How many debates the job gives.
    pub fn debates(&self) -> usize {
        let repeat = self.job.repeat as usize;
        self.job.cells.len().saturating_mul(repeat)
    }

    /// Reads every cell; `each` is given each, in order, until the first problem.
    ///
    /// # Errors
    /// Every problem of the file, in its order.
    pub fn read(
        self,
        templates: &Templates,
        mut each: impl FnMut(&Job, NextCell),
    ) -> Result<Job, Vec<Problem>> {
        let Self { job, problems } = self;
        for cell in 0..job.cells.len() {
            if problems.is_full() {
                break;
            }
            let next = job.read_next(cell, templates, &problems);
            if problems.is_empty() {
                each(&job, next);
            }
        }
        problems.unless_any(Some(job))
    }
}

/// The format that a job asks for: the nearest where it is misspelt, the first where it asks for none.
fn asked_format(tree: &Node, changes: &[Change]) -> AnyFormat {
    let set =
        changes.iter().rfind(|change| change.path == "format").map(|change| change.value.trim());
    let asked = set.or_else(|| format_node(tree)?.text());
    asked.and_then(AnyFormat::nearest).unwrap_or_else(AnyFormat::default_one)
}

/// What names the format, be it under a misspelt key: the other keys are then checked as that format's.
fn format_node(tree: &Node) -> Option<&Node> {
    let misspelt = |(key, node): &&(Name, Node)| {
        let is_format = node.text().and_then(AnyFormat::nearest).is_some();
        is_format && suggestions::nearest(&key.text, std::iter::once("format")).is_some()
    };
    let near = || tree.entries().iter().find(misspelt).map(|(_, node)| node);
    tree.get("format").or_else(near)
}

/// Reports an unknown format. The keys are then read as those of the nearest one; returns whether there is one, because
/// without it every key would seem wrong.
fn settle_format(tree: &mut Node, reader: Reader<'_>) -> bool {
    let Some(node) = format_node(tree) else { return true };
    reader.keys("", &[format_key()], tree);
    let Some(format) = node.text().and_then(AnyFormat::nearest) else { return false };
    let place = node.place.clone();
    let value = Node::at(&place, Data::Text(format.name().to_owned()));
    tree.set(&["format"], &place, value).is_ok()
}

/// The lists that a job may leave out, with their default entries.
fn lists(known: Vec<Key>) -> DefaultLists {
    let of = |key: Key| match key.default {
        Some(Value::Array(entries)) => Some((key.name.into_owned(), entries)),
        _ => None,
    };
    known.into_iter().filter_map(of).collect()
}

/// What to do about a key that only other formats have.
fn other_format(key: &str, format: AnyFormat) -> Option<String> {
    if format.name() == "duel" && ["c", "participants", "debaters", "agents"].contains(&key) {
        let more = "for more sides, use `format: moderated` with `advocates`";
        return Some(format!("a duel has two sides, `a` and `b`; {more}"));
    }
    let base = Participant::default();
    let has = |other: &AnyFormat| keys(*other, &base).iter().any(|known| known.name == key);
    let others = AnyFormat::all().filter(|other| other.name() != format.name());
    let names: Vec<&str> = others.filter(has).map(|other| other.name()).collect();
    let first = names.first()?;
    let have = if names.len() == 1 { "has" } else { "have" };
    Some(format!(
        "a {} job has no `{key}`; {} {have} it, so `format: {first}` may be meant",
        format.name(),
        text::joined(&names, "and")
    ))
}

/// Keys that only panels have, and keys of which a job has one.
const OF_PANELS: [&str; 6] =
    ["substitutes", "rule", "orders", "repeat_share", "recuse", "answer_criteria"];
const OF_JOBS: [&str; 6] = ["format", "topic", "query", "topics", "questions", "matrix"];

/// Whether a mapping is a panel, whose keys would otherwise be told one by one.
fn is_panel(tree: &Node) -> bool {
    let has = |keys: &[&str]| keys.iter().any(|key| tree.get(key).is_some());
    has(&["judges"]) && has(&OF_PANELS) && !has(&OF_JOBS)
}

/// Whether a tree is a mapping of a job; anything else is a problem.
fn is_job(tree: &Node, problems: &Problems) -> bool {
    let remedy = match &tree.data {
        Data::Map(_) if is_panel(tree) => {
            let remedy = "`rebut judge --panel FILE` lets it judge finished debates";
            problems.add(&tree.place, "this is a panel, not a job", remedy);
            return false;
        }
        Data::Map(_) => return true,
        Data::List(_) if problems.is_json() => {
            "remove the brackets around it; each job needs its own file".to_owned()
        }
        Data::List(_) => "remove the dash (`- `); each job needs its own file".to_owned(),
        _ => tree.text().and_then(yaml::parser_messages::glued_key).map_or_else(
            || "write `key: value` lines, such as `topic: Should voting be compulsory?`".to_owned(),
            |(key, _)| format!("put a space after the colon: `{key}: …`"),
        ),
    };
    tree.refuse(problems, "a job file is a mapping of keys", remedy);
    false
}
