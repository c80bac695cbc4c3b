//! `topics:` and `questions:`: files with the subjects of a job's debates, one cell each (row C4).

use std::collections::BTreeMap;

use serde_json::Value;

use super::keys::{QuestionFile, SWAP, SubjectSettings};
use super::list_file::{assigned, check_slurs, source, told};
use super::subject;
use super::topics_file;
use crate::digest;
use crate::job::arms::{ARM, Arm};
use crate::job::format_registry::AnyFormat;
use crate::job::matrix::MAX_CELLS;
use crate::job::matrix::cell::{Assignment, Cell, value_at};
use crate::job::problem::unknown_keys::is_misspelt;
use crate::job::problem::{Place, Problems, Refusal, named};
use crate::job::reader::Reader;
use crate::job::settings_macro::SettingsGroup;
use crate::job::tree::{Data, Node};
use crate::question::{self, Question};

/// The path of a cell's question, which is no key of a job.
pub(in crate::job) const QUESTION: &str = "question";
/// The files in which questions may stand.
const ENDINGS: [&str; 3] = ["csv", "jsonl", "json"];

/// What the files of a job give its cells.
#[derive(Debug, Clone, Default)]
pub(in crate::job) struct SubjectsFile {
    /// What the job says of them.
    pub(in crate::job) settings: SubjectSettings,
    /// The axis that comes before those of the matrix, if there is one.
    pub(in crate::job) axis: Option<Vec<Cell>>,
    /// The questions by id.
    pub(in crate::job) questions: BTreeMap<String, Question>,
    /// Where `assign` stands.
    pub(in crate::job) assign_place: Option<Place>,
    /// Whether they could not be read; then no topic is missed.
    pub(in crate::job) is_faulty: bool,
}

/// Reads the files that a job names; `None` where something is wrong with them.
pub(in crate::job) fn read(
    job: &Node,
    format: AnyFormat,
    reader: Reader<'_>,
) -> Option<SubjectsFile> {
    let given = reader.keys("", &SubjectSettings::default().keys(), job);
    let has_file = given.get("questions").is_some_and(Value::is_object);
    let base = SubjectSettings {
        questions: has_file.then(QuestionFile::default),
        ..SubjectSettings::default()
    };
    let mut found = SubjectsFile {
        settings: base.with(&given).unwrap_or_default(),
        assign_place: job.get("assign").map(|node| node.place.clone()),
        ..SubjectsFile::default()
    };
    if !is_told_once(job, format, reader.problems) {
        return None;
    }
    check_needs(job, &found.settings, reader.problems);
    let compares = found.settings.arms.contains(&Arm::Compare);
    if compares && !check_compare(job, format, reader.problems) {
        found.settings.arms.retain(|arm| *arm != Arm::Compare);
    }
    if let Some(name) = &found.settings.topics {
        found.axis = Some(topics_file::topics(job, format, name, reader)?);
    } else if let Some(file) = found.settings.questions.clone() {
        found.take_questions(job, &file, reader)?;
    }
    let mut named = ["topics", "questions"].into_iter();
    found.is_faulty = found.axis.is_none() && named.any(|key| job.gives(key));
    Some(found)
}

/// Whether no two keys say what is debated.
fn is_told_once(job: &Node, format: AnyFormat, problems: &Problems) -> bool {
    let subjects = ["questions", "topics", subject::key(format)];
    let mut given = subjects.into_iter().filter(|key| job.gives(key));
    let (Some(first), Some(other)) = (given.next(), given.next()) else { return true };
    let cause = format!("`{first}` and `{other}` both set the topic");
    problems.add(job.place_of_key(other), cause, "keep only one of them");
    false
}

/// Reports a key that means nothing without another.
fn check_needs(job: &Node, settings: &SubjectSettings, problems: &Problems) {
    let has_questions = job.gives("questions");
    let (assigns, has_arms) = (settings.assign.is_some(), !settings.arms.is_empty());
    let has_graded = settings.arms.iter().any(|arm| !arm.is_for_open_topics());
    let mut needs = [
        ("assign", assigns, "questions", has_questions),
        (SWAP, settings.swap, "assign", assigns),
        ("arms", has_graded, "questions", has_questions),
        ("match", job.gives("match"), "arms", has_arms),
    ]
    .into_iter();
    if let Some((key, _, needed, _)) = needs.find(|(_, given, _, has)| *given && !has) {
        let remedy = format!("add `{needed}`, or remove `{key}`");
        problems.add(job.place_of_key(key), format!("`{key}` needs `{needed}`"), remedy);
    }
}

/// Whether a job's answers can be compared; reports what keeps them from it.
fn check_compare(job: &Node, format: AnyFormat, problems: &Problems) -> bool {
    let refuse = |cause: String, remedy: &str| {
        problems.add(job.place_of_key("arms"), cause, remedy);
        false
    };
    if job.gives("questions") {
        let cause = "`compare` is for topics without known answers".to_owned();
        return refuse(cause, "remove it: answers to `questions` are graded");
    }
    if format.profile.two_answers.is_none() {
        let cause = format!(
            "`compare` needs a format with an answer that judges can read blind; `{}` has none",
            format.name()
        );
        return refuse(cause, "use `format: dialectic`, or remove `compare`");
    }
    if !job.gives("panel") {
        let remedy = "add `panel: panel.yaml` (`rebut new panel` writes one), or remove `compare`";
        let cause = "`compare` needs `panel`: judges who take no part";
        return refuse(cause.to_owned(), remedy);
    }
    true
}

impl SubjectsFile {
    pub(in crate::job) fn faulty() -> Self {
        Self { is_faulty: true, ..Self::default() }
    }

    fn take_questions(
        &mut self,
        job: &Node,
        file: &QuestionFile,
        reader: Reader<'_>,
    ) -> Option<()> {
        let place = job.place_of_value("questions");
        let Some(name) = &file.file else {
            let remedy = "write `questions: {file: questions.jsonl}`";
            let cause = "`questions` has no `file`";
            if !is_misspelt("file", &file.keys(), job.get("questions")?) {
                reader.problems.add(place, cause, remedy);
            }
            return None;
        };
        let name_place = job.get("questions")?.place_of_value("file");
        let source = source(name_place, name, &ENDINGS, reader)?;
        let (read, mut faults) = question::read(name, &source, file.layout, &file.columns);
        for (line, question) in &read {
            if let Err((cause, remedy)) = self.check(question, job) {
                faults.add(*line, cause, remedy);
            }
        }
        let mut axis = Vec::new();
        for (_, question) in told(name, &source, reader.problems, faults, read)? {
            axis.extend(self.cells_of(&question, place));
            self.questions.insert(question.id.clone(), question);
        }
        self.axis = Some(axis);
        Some(())
    }

    /// Refuses a question that no debate of the job can be about.
    fn check(&self, question: &Question, job: &Node) -> Result<(), Refusal> {
        let SubjectSettings { assign, arms, .. } = &self.settings;
        let argues = assign.is_some() || arms.contains(&Arm::Consultancy);
        if argues && question.choices.is_empty() {
            let remedy = "give it `choices`, or remove `assign` and `consultancy` from the job";
            let cause = "this question has no choices to argue for";
            return Err((cause.to_owned(), remedy.to_owned()));
        }
        let texts = question.choices.iter().chain([&question.text]);
        named("it", check_slurs(job, texts.map(String::as_str)))
    }

    /// A cell for a question; two where sides are swapped.
    fn cells_of(&self, question: &Question, place: &Place) -> Vec<Cell> {
        let cell = |swap: Option<i64>| {
            let question = assigned(QUESTION, Data::Text(question.id.clone()), place);
            let swap = swap.map(|swap| assigned(SWAP, Data::Whole(swap, swap.to_string()), place));
            [question].into_iter().chain(swap).collect::<Cell>()
        };
        if self.settings.swap { vec![cell(Some(0)), cell(Some(1))] } else { vec![cell(None)] }
    }

    /// Adds a cell for each control of each question or topic, behind the debates: controls are matched to them.
    pub(in crate::job) fn add_arms(&self, job: &Node, cells: &mut Vec<Cell>, problems: &Problems) {
        let place = job.get("arms").map_or(Place::START, |node| node.place.clone());
        let is_open = self.questions.is_empty();
        let is_first =
            |cell: &&Cell| is_open || self.question_of(cell).is_some() && swap_of(cell) == 0;
        let first: Vec<Cell> = cells.iter().filter(is_first).cloned().collect();
        let arms: Vec<&Arm> =
            self.settings.arms.iter().filter(|arm| arm.is_for_open_topics() == is_open).collect();
        if cells.len() + first.len() * arms.len() > MAX_CELLS {
            let cause = format!("with its controls, the job has more than {MAX_CELLS} cells");
            problems.add(&place, cause, "split the job");
            return;
        }
        for arm in arms {
            let of = |cell: &Cell| {
                let kept = cell.iter().filter(|a| a.path != SWAP).cloned();
                let arm = assigned(ARM, Data::Text(arm.name().to_owned()), &place);
                kept.chain([arm]).collect::<Cell>()
            };
            cells.extend(first.iter().map(of));
        }
    }

    /// The arm of a cell, unless it is a debate.
    pub(in crate::job) fn arm_of(&self, cell: &[Assignment]) -> Option<Arm> {
        let arm = value_at(cell, ARM)?.text()?;
        self.settings.arms.iter().copied().find(|known| known.name() == arm)
    }

    /// Whether a consultant argues the truth on a question: on exactly half of a file's, drawn by their words alone.
    pub(in crate::job) fn consults_truly(&self, question: &Question) -> bool {
        let drawn = |it: &Question| digest::of_bytes(format!("consultant/{}", it.text).as_bytes());
        let own = drawn(question);
        let before = self.questions.values().filter(|other| drawn(other) < own);
        before.count() % 2 == 0
    }

    /// The question of a cell.
    pub(in crate::job) fn question_of(&self, cell: &[Assignment]) -> Option<&Question> {
        self.questions.get(value_at(cell, QUESTION)?.text()?)
    }
}

/// Which assignment of sides a cell has.
pub(in crate::job) fn swap_of(cell: &[Assignment]) -> usize {
    let swap = value_at(cell, SWAP);
    usize::from(swap.is_some_and(|swap| matches!(swap.data, Data::Whole(1, _))))
}

/// Whether an assignment sets a key of the job; the others say what the cell is.
pub(in crate::job) fn sets_key(assignment: &Assignment) -> bool {
    ![QUESTION, SWAP, ARM].contains(&assignment.path.as_str())
}
