//! `topics:` and `questions:`: files with what the debates of a job are about, each a cell (row C4).

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::cell::{Assignment, Cell};
use super::format_registry::AnyFormat;
use super::list_file::{allows_slurs, assigned, source, told};
use super::matching::{self, ARM, Arm, Matching};
use super::matrix::MAX_CELLS;
use super::problem::{Place, Problems};
use super::reader::Reader;
use super::subject;
use super::subjects_keys::{Assign, SWAP, keys};
use super::topics_file;
use super::tree::{Data, Node};
use crate::digest;
use crate::question::{self, Columns, Fault, Layout, Question};

/// The path of a cell's question, which is no key of a job.
pub(super) const QUESTION: &str = "question";

/// What the files of a job give its cells.
#[derive(Debug, Clone, Default)]
pub(super) struct SubjectsFile {
    /// The axis that comes before those of the matrix, if there is one.
    pub(super) axis: Option<Vec<Cell>>,
    /// The questions by id.
    pub(super) questions: BTreeMap<String, Question>,
    pub(super) shuffle: bool,
    pub(super) assign: Option<Assign>,
    /// Where `assign` stands.
    pub(super) assign_place: Option<Place>,
    pub(super) swap: bool,
    arms: Vec<Arm>,
    pub(super) matching: Matching,
}

/// Reads the files that a job names; `None` where something is wrong with them.
pub(super) fn read(job: &Node, format: AnyFormat, reader: Reader<'_>) -> Option<SubjectsFile> {
    let known = [keys(), matching::keys().to_vec()].concat();
    let given = reader.keys("", &known, job);
    let named = |key: &str| given.get(key).filter(|value| !value.is_null());
    let mut found = SubjectsFile {
        assign: named("assign").and_then(|value| serde_json::from_value(value.clone()).ok()),
        assign_place: job.get("assign").map(|node| node.place.clone()),
        swap: named(SWAP) == Some(&json!(true)),
        arms: named("arms")
            .and_then(|value| serde_json::from_value(value.clone()).ok())
            .unwrap_or_default(),
        matching: matching::matching(named("match")),
        ..SubjectsFile::default()
    };
    if !is_told_once(job, format, reader.problems) {
        return None;
    }
    check_needs(job, &found, reader.problems);
    if let Some(name) = named("topics").and_then(Value::as_str) {
        found.axis = Some(topics_file::topics(job, format, name, reader)?);
    } else if let Some(questions) = named("questions") {
        found.take_questions(job, questions, reader)?;
    }
    Some(found)
}

fn is_given(job: &Node, key: &str) -> bool {
    job.get(key)
        .is_some_and(|node| !matches!(node.data, Data::Null))
}

fn place_of<'j>(job: &'j Node, key: &str) -> &'j Place {
    job.entry(key).map_or(&job.place, |(name, _)| &name.place)
}

/// Whether no two keys say what is debated.
fn is_told_once(job: &Node, format: AnyFormat, problems: &Problems) -> bool {
    let subjects = ["questions", "topics", subject::key(format)];
    let mut given = subjects.into_iter().filter(|key| is_given(job, key));
    let (Some(first), Some(other)) = (given.next(), given.next()) else {
        return true;
    };
    let cause = format!("`{first}` and `{other}` both say what is debated");
    problems.add(place_of(job, other), cause, "keep one of them");
    false
}

/// Reports a key that means nothing without another.
fn check_needs(job: &Node, found: &SubjectsFile, problems: &Problems) {
    let has_questions = is_given(job, "questions");
    let (assigns, has_arms) = (found.assign.is_some(), !found.arms.is_empty());
    let needs = [
        ("assign", assigns, "questions", has_questions),
        (SWAP, found.swap, "assign", assigns),
        ("arms", has_arms, "questions", has_questions),
        ("match", is_given(job, "match"), "arms", has_arms),
    ];
    let unmet = needs
        .into_iter()
        .filter(|(_, given, _, has)| *given && !has);
    for (key, _, needed, _) in unmet.take(1) {
        let remedy = format!("add `{needed}`, or remove `{key}`");
        let cause = format!("`{key}` needs `{needed}`");
        problems.add(place_of(job, key), cause, remedy);
    }
}

impl SubjectsFile {
    fn take_questions(&mut self, job: &Node, given: &Value, reader: Reader<'_>) -> Option<()> {
        let Some(name) = given["file"].as_str() else {
            let place = job.get("questions").map_or(&job.place, |node| &node.place);
            reader.problems.add(
                place,
                "`questions` names no `file`",
                "write `questions: {file: questions.jsonl}`",
            );
            return None;
        };
        let source = source(
            job,
            &["questions", "file"],
            name,
            &["csv", "jsonl", "json"],
            reader,
        )?;
        let layout: Layout = serde_json::from_value(given["layout"].clone()).unwrap_or_default();
        let columns: Columns = serde_json::from_value(given["columns"].clone()).unwrap_or_default();
        let (read, mut faults) = question::read(name, &source, layout, &columns);
        let slurs = allows_slurs(job);
        faults.extend(
            read.iter()
                .filter_map(|(line, question)| self.unfit(*line, question, slurs)),
        );
        self.shuffle = given["shuffle"] == json!(true);
        let place = job
            .get("questions")
            .map_or(Place::START, |node| node.place.clone());
        let questions = told(name, &source, reader.problems, faults, read)?;
        self.axis = Some(
            questions
                .iter()
                .flat_map(|(_, question)| self.cells_of(question, &place))
                .collect(),
        );
        self.questions = questions
            .into_iter()
            .map(|(_, question)| (question.id.clone(), question))
            .collect();
        Some(())
    }

    fn unfit(&self, line: usize, question: &Question, slurs: bool) -> Option<Fault> {
        let argues = self.assign.is_some() || self.arms.contains(&Arm::Consultancy);
        if argues && question.choices.is_empty() {
            return Some(Fault {
                line,
                cause: "this question has no choices to argue for".to_owned(),
                remedy: "give it `choices`, or remove `assign` and `consultancy` from the job"
                    .to_owned(),
            });
        }
        let texts: BTreeSet<&str> = question
            .choices
            .iter()
            .chain([&question.text])
            .map(String::as_str)
            .collect();
        let has_slur = !slurs && texts.into_iter().any(subject::holds_slur);
        has_slur.then(|| Fault {
            line,
            cause: "it contains what the filter considers a severe slur".to_owned(),
            remedy: "reword it, or set `allow_explicit: true` in the job".to_owned(),
        })
    }

    /// A cell for a question; two where sides are swapped.
    fn cells_of(&self, question: &Question, place: &Place) -> Vec<Cell> {
        let cell = |swap: Option<i64>| {
            let question = assigned(QUESTION, Data::Text(question.id.clone()), place);
            let swap = swap.map(|swap| assigned(SWAP, Data::Whole(swap, swap.to_string()), place));
            [question].into_iter().chain(swap).collect::<Cell>()
        };
        match self.swap {
            true => vec![cell(Some(0)), cell(Some(1))],
            false => vec![cell(None)],
        }
    }

    /// Adds a cell for each control of each question, behind the debates: controls are matched to them.
    pub(super) fn add_arms(&self, job: &Node, cells: &mut Vec<Cell>, problems: &Problems) {
        let place = job
            .get("arms")
            .map_or(Place::START, |node| node.place.clone());
        let posed = cells
            .iter()
            .filter(|cell| self.question_of(cell).is_some() && swap_of(cell) == 0);
        let posed: Vec<Cell> = posed.cloned().collect();
        if cells.len() + posed.len() * self.arms.len() > MAX_CELLS {
            let cause = format!("with its controls the job has more than {MAX_CELLS} cells");
            problems.add(&place, cause, "split the job");
            return;
        }
        for arm in &self.arms {
            let of = |cell: &Cell| {
                let kept = cell.iter().filter(|a| a.path != SWAP).cloned();
                let arm = assigned(ARM, Data::Text(arm.name().to_owned()), &place);
                kept.chain([arm]).collect::<Cell>()
            };
            cells.extend(posed.iter().map(of));
        }
    }

    /// The arm of a cell, unless it is a debate.
    pub(super) fn arm_of(&self, cell: &[Assignment]) -> Option<Arm> {
        let arm = cell.iter().find(|a| a.path == ARM)?.value.text()?;
        self.arms.iter().copied().find(|known| known.name() == arm)
    }

    /// Whether a consultant argues the truth on a question: on exactly half of a file's, drawn by their words alone.
    pub(super) fn consults_truly(&self, question: &Question) -> bool {
        let drawn = |question: &Question| {
            digest::of_bytes(format!("consultant/{}", question.text).as_bytes())
        };
        let own = drawn(question);
        let before = self.questions.values().filter(|other| drawn(other) < own);
        before.count() % 2 == 0
    }

    /// The question of a cell.
    pub(super) fn question_of(&self, cell: &[Assignment]) -> Option<&Question> {
        let id = cell.iter().find(|a| a.path == QUESTION)?;
        self.questions.get(id.value.text()?)
    }
}

/// Which assignment of sides a cell has.
pub(super) fn swap_of(cell: &[Assignment]) -> usize {
    let swap = cell.iter().find(|a| a.path == SWAP);
    usize::from(swap.is_some_and(|a| matches!(a.value.data, Data::Whole(1, _))))
}

/// Whether an assignment sets a key of the job; the others say what the cell is.
pub(super) fn sets_key(assignment: &Assignment) -> bool {
    ![QUESTION, SWAP, ARM].contains(&assignment.path.as_str())
}
