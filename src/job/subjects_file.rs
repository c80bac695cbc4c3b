//! `topics:` and `questions:`: files with what the debates of a job are about, each a cell (row C4).

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::cell::{Assignment, Cell};
use super::checks;
use super::format_registry::AnyFormat;
use super::input_files;
use super::matching::{self, ARM, Arm, Matching};
use super::matrix::MAX_CELLS;
use super::problem::{Place, Problems, Refusal};
use super::reader::Reader;
use super::shape::{Key, Shape, by_name, choice, flag, nullable, text};
use super::subject;
use super::tree::{Data, Node};
use crate::digest;
use crate::question::{self, Columns, Fault, Layout, Question, Row};

/// The path of a cell's question, which is no key of a job.
pub(super) const QUESTION: &str = "question";
/// The path of which assignment of sides a cell has.
pub(super) const SWAP: &str = "swap";

/// Who argues for which choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Assign {
    /// One side for the correct choice, the other for a drawn one of the others.
    CorrectVsDistractor,
}

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

/// The keys of the files.
pub(super) fn keys() -> Vec<Key> {
    let file = Key::new(
        "file",
        "A .jsonl, .json or .csv file beside the job",
        text(1..=300),
        (),
    )
    .required();
    let layout = Key::new(
        "layout",
        "How the file is written: auto, rebut, inspect, mallm, gsm8k or mmlu-csv",
        choice::<Layout>(),
        Layout::Auto,
    );
    let doc = "Columns or keys with other names, by ours: question, answer, choices, id, cluster";
    let columns = Key::new(
        "columns",
        doc,
        by_name(Shape::Any).read_by(|reader, _, node| Some(columns(reader, node))),
        json!({}),
    );
    let shuffle = Key::new(
        "shuffle",
        "Whether the choices of each question are shown in a drawn order",
        flag(),
        false,
    );
    let topics =
        "A .csv, .jsonl or .txt file beside the job with a topic per row: each is a debate";
    let questions =
        "A file of questions with known answers: each is a debate that ends in an answer";
    let assign = "Who argues for which choice: correct_vs_distractor (one side for the correct one), or null";
    vec![
        Key::new("topics", topics, nullable(file_of_topics()), Value::Null),
        Key::new(
            "questions",
            questions,
            nullable(Shape::Section(vec![file, layout, columns, shuffle])),
            Value::Null,
        ),
        Key::new("assign", assign, nullable(choice::<Assign>()), Value::Null),
        Key::new(
            SWAP,
            "Whether each question is also debated with the sides assigned the other way round",
            flag(),
            false,
        ),
    ]
}

fn file_of_topics() -> Shape {
    let name = text(1..=300);
    name.clone()
        .read_by(move |reader, at, node| match node.data {
            Data::List(_) => {
                let remedy = "name a file, or list the topics here: `matrix: {topic: [one, two]}`";
                reader.refuse(at, node, "the name of a file", remedy)
            }
            _ => reader.value(at, &name, node),
        })
}

fn columns(reader: &Reader<'_>, node: &Node) -> Value {
    let known = ["question", "answer", "choices", "id", "cluster"];
    let mut all = Map::new();
    for (name, value) in node.entries() {
        if !known.contains(&name.text.as_str()) {
            let cause = format!("`columns` has no `{}`", name.text);
            reader.problems.add(
                &name.place,
                cause,
                format!("known keys here: {}", known.join(", ")),
            );
        }
        let column = |node: &Node| node.text().map(str::to_owned);
        let read = match &value.data {
            Data::List(items) if name.text == "choices" => items
                .iter()
                .map(column)
                .collect::<Option<Vec<_>>>()
                .map(|all| json!(all)),
            _ if name.text == "choices" => column(value).map(|one| json!([one])),
            _ => column(value).map(Value::from),
        };
        match read {
            Some(read) => drop(all.insert(name.text.clone(), read)),
            None => reader.problems.add(
                &value.place,
                "a column is named in text",
                "write `columns: {question: prompt}`",
            ),
        }
    }
    Value::Object(all)
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
        found.axis = Some(topics(job, format, name, reader)?);
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

/// What of a file is wrong is told with its own lines.
fn told<T>(
    name: &str,
    source: &str,
    problems: &Problems,
    faults: Vec<Fault>,
    read: T,
) -> Option<T> {
    let inner = Problems::new(
        &problems.beside(name),
        source.trim_start_matches('\u{feff}'),
    );
    for fault in &faults {
        let place = Place::At {
            line: fault.line,
            column: 1,
        };
        inner.add(&place, fault.cause.clone(), fault.remedy.clone());
    }
    problems.absorb(inner);
    faults.is_empty().then_some(read)
}

fn source(
    job: &Node,
    keys: &[&str],
    name: &str,
    endings: &[&str],
    reader: Reader<'_>,
) -> Option<String> {
    let node = keys.iter().try_fold(job, |node, key| node.get(key));
    let place = node.map_or(&job.place, |node| &node.place);
    let text = file_text(name, endings, reader.library.beside);
    reader.problems.accept(place, text)
}

fn file_text(name: &str, endings: &[&str], beside: &Path) -> Result<String, Refusal> {
    let ending = Path::new(name)
        .extension()
        .unwrap_or_default()
        .to_string_lossy()
        .to_lowercase();
    if !endings.contains(&ending.as_str()) {
        let cause = format!("`{name}` is no file of this kind");
        return Err((cause, format!("name a .{} file", endings.join(", ."))));
    }
    input_files::read_list_beside(beside, name)
}

/// The cells of a file of topics.
fn topics(job: &Node, format: AnyFormat, name: &str, reader: Reader<'_>) -> Option<Vec<Cell>> {
    let source = source(
        job,
        &["topics"],
        name,
        &["csv", "jsonl", "json", "txt", "md"],
        reader,
    )?;
    let key = subject::key(format);
    let (rows, mut faults) =
        match name.to_lowercase().ends_with(".txt") || name.to_lowercase().ends_with(".md") {
            true => plain_rows(key, &source),
            false => question::rows(name, &source, &[]),
        };
    let place = job
        .get("topics")
        .map_or(Place::START, |node| node.place.clone());
    let slurs = allows_slurs(job);
    let (mut cells, mut seen) = (Vec::new(), BTreeMap::new());
    for row in &rows {
        match topic_cell(row, key, format, slurs, &place) {
            Ok((topic, cell)) => {
                if let Some(first) = seen.insert(topic, row.line) {
                    faults.push(fault(
                        row,
                        format!("this topic is that of line {first}"),
                        "remove one of them",
                    ));
                }
                cells.push(cell);
            }
            Err((cause, remedy)) => faults.push(fault(row, cause, &remedy)),
        }
    }
    told(name, &source, reader.problems, faults, cells)
}

fn fault(row: &Row, cause: String, remedy: &str) -> Fault {
    Fault {
        line: row.line,
        cause,
        remedy: remedy.to_owned(),
    }
}

/// A topic per line; empty lines and those that begin with `#` are passed over.
fn plain_rows(key: &str, source: &str) -> (Vec<Row>, Vec<Fault>) {
    let source = source.strip_prefix('\u{feff}').unwrap_or(source);
    let lines = source
        .lines()
        .enumerate()
        .map(|(at, line)| (at + 1, line.trim()));
    let said = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    let row = |(line, text): (usize, &str)| Row {
        line,
        fields: Map::from_iter([(key.to_owned(), Value::from(text))]),
    };
    let rows: Vec<Row> = said.map(row).collect();
    let empty = rows.is_empty().then(|| Fault {
        line: 1,
        cause: "the file holds no topic".to_owned(),
        remedy: "write one per line".to_owned(),
    });
    (rows, empty.into_iter().collect())
}

/// The topic of a row and its cell; further columns are tags.
fn topic_cell(
    row: &Row,
    key: &str,
    format: AnyFormat,
    slurs: bool,
    place: &Place,
) -> Result<(String, Cell), Refusal> {
    let names = [key, "topic", "query", "question"];
    let named = names.iter().find(|name| row.fields.contains_key(**name));
    let missing = || {
        (
            format!("there is no `{key}`"),
            format!("name the column or key `{key}`"),
        )
    };
    let named = *named.ok_or_else(missing)?;
    let topic = row.fields[named]
        .as_str()
        .unwrap_or_default()
        .trim()
        .to_owned();
    let about = |(cause, remedy)| (format!("its `{named}` {cause}"), remedy);
    let (length, lines) = subject::length(format);
    checks::check_text(&topic, &length, lines).map_err(about)?;
    if !slurs && subject::holds_slur(&topic) {
        return Err((
            format!("its `{named}` contains what the filter considers a severe slur"),
            "reword it, or set `allow_explicit: true` in the job".to_owned(),
        ));
    }
    let mut cell = vec![assigned(key, Data::Text(topic.clone()), place)];
    for (name, value) in row.fields.iter().filter(|(name, _)| **name != named) {
        let value = match value {
            Value::Null => continue,
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        checks::check_text(name, &(1..=200), false)
            .map_err(|(cause, remedy)| (format!("the name of a column {cause}"), remedy))?;
        checks::check_text(&value, &(0..=200), false)
            .map_err(|(cause, remedy)| (format!("its `{name}` {cause}"), remedy))?;
        cell.push(assigned(
            &format!("tags.{}", name.replace('.', "_")),
            Data::Text(value),
            place,
        ));
    }
    Ok((topic, cell))
}

fn assigned(path: &str, data: Data, place: &Place) -> Assignment {
    Assignment {
        path: path.to_owned(),
        place: place.clone(),
        value: Node {
            place: place.clone(),
            data,
        },
    }
}

/// Whether the whole job may have slurs in what it is about.
fn allows_slurs(job: &Node) -> bool {
    job.get("allow_explicit")
        .is_some_and(|node| matches!(node.data, Data::Flag(true)))
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
