//! From rows to questions, by the layouts in which files of questions are written.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::csv_layout;
use super::draft::{Draft, scalar};
use super::faults::{Fault, Faults};
use super::json_layout;
use super::known::{Expected, Kind, Question, QuestionSet};
use super::number::Exact;
use super::rows::{Row, rows};
use crate::digest;
use crate::text;

/// The longest question, in characters: it stands in every prompt.
const LONGEST: usize = 20_000;
/// The longest choice, in characters.
const LONGEST_CHOICE: usize = 2_000;
/// The longest id or name of a cluster, in characters.
const LONGEST_ID: usize = 100;
/// The most choices: each has a letter.
const MOST_CHOICES: usize = 26;

/// How a file of questions is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Layout {
    /// By its first row.
    #[default]
    Auto,
    /// `id`, `question`, `choices`, `answer`, `accept`, `tolerance`, `cluster`.
    Rebut,
    /// `input`, `target`, `choices`, `id`, as Inspect has samples.
    Inspect,
    /// `inputs` with the choices in them, `references`, as MALLM has examples.
    Mallm,
    /// `question`, and an `answer` that ends in `#### 42`.
    Gsm8k,
    /// Question, choices and the letter of the answer, without a header.
    MmluCsv,
}

/// The columns or keys of a file with names of its own.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Columns {
    /// That of the question.
    pub question: Option<String>,
    /// That of the answer.
    pub answer: Option<String>,
    /// Those of the choices: one with a list, or one for each choice.
    pub choices: Vec<String>,
    /// That of the id.
    pub id: Option<String>,
    /// That of what questions share.
    pub cluster: Option<String>,
}

impl Columns {
    fn names(&self) -> Vec<&str> {
        let single = [&self.question, &self.answer, &self.id, &self.cluster];
        let single = single.into_iter().flatten();
        single.chain(&self.choices).map(String::as_str).collect()
    }

    /// A row with the names that `rebut` gives.
    fn renamed(&self, row: &Row) -> Row {
        let mut fields = row.fields.clone();
        let single = [
            ("question", &self.question),
            ("answer", &self.answer),
            ("id", &self.id),
            ("cluster", &self.cluster),
        ];
        for (name, column) in single {
            if let Some(value) = column.as_ref().and_then(|column| row.fields.get(column)) {
                fields.insert(name.to_owned(), value.clone());
            }
        }
        let choices = self
            .choices
            .iter()
            .filter_map(|column| row.fields.get(column));
        let choices: Vec<Value> = choices.cloned().collect();
        let listed = match choices.as_slice() {
            [Value::Array(all)] => all.clone(),
            _ => choices,
        };
        if !listed.is_empty() {
            fields.insert("choices".to_owned(), Value::Array(listed));
        }
        Row {
            line: row.line,
            fields,
        }
    }
}

/// Reads a file of questions, each with its line.
pub fn read(
    name: &str,
    source: &str,
    layout: Layout,
    columns: &Columns,
) -> (Vec<(usize, Question)>, Faults) {
    let (rows, mut faults) = rows(name, source, &columns.names());
    let rows: Vec<Row> = rows.iter().map(|row| columns.renamed(row)).collect();
    let layout = match layout {
        Layout::Auto => rows.first().map_or(Layout::Rebut, guessed),
        chosen => chosen,
    };
    let set = QuestionSet {
        name: stem(name),
        digest: digest::of_bytes(source.as_bytes()),
    };
    let mut questions = Vec::new();
    for (number, row) in rows.iter().enumerate() {
        let drafted = draft(layout, &row.fields);
        let checked = drafted.and_then(|draft| checked(draft, number + 1, &set));
        match checked {
            Ok(question) => questions.push((row.line, question)),
            Err((cause, remedy)) => faults.push(Fault::new(row.line, cause, remedy)),
        }
    }
    faults.extend(repeated(&questions));
    (questions, faults)
}

fn stem(name: &str) -> String {
    let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let stem = file.split_once('.').map_or(file, |(stem, _)| stem);
    text::shorten(stem, LONGEST_ID)
}

type Refused = (String, String);

fn refused<T>(cause: impl Into<String>, remedy: &str) -> Result<T, Refused> {
    Err((cause.into(), remedy.to_owned()))
}

/// The layout that a first row shows.
fn guessed(row: &Row) -> Layout {
    let has = |key: &str| row.fields.contains_key(key);
    let gsm8k = row
        .fields
        .get("answer")
        .and_then(Value::as_str)
        .is_some_and(|answer| answer.contains("####"));
    match () {
        () if has("references") => Layout::Mallm,
        () if has("input") && has("target") => Layout::Inspect,
        () if has("question") && gsm8k && !has("choices") => Layout::Gsm8k,
        () if has("1") && has("3") && !has("question") => Layout::MmluCsv,
        () => Layout::Rebut,
    }
}

fn draft(layout: Layout, fields: &Map<String, Value>) -> Result<Draft, Refused> {
    let drafted = match layout {
        Layout::Auto | Layout::Rebut => json_layout::rebut(fields),
        Layout::Inspect => json_layout::inspect(fields),
        Layout::Mallm => json_layout::mallm(fields),
        Layout::Gsm8k => json_layout::gsm8k(fields),
        Layout::MmluCsv => csv_layout::mmlu(fields),
    };
    drafted.map_err(|cause| {
        (
            cause,
            "mend the row, or name the file's `layout` or `columns`".to_owned(),
        )
    })
}

fn checked(draft: Draft, number: usize, set: &QuestionSet) -> Result<Question, Refused> {
    let text = draft.text.trim().to_owned();
    check_text("the question", &text, LONGEST)?;
    let choices: Vec<String> = draft
        .choices
        .iter()
        .map(|choice| choice.trim().to_owned())
        .collect();
    check_choices(&choices)?;
    let kind = draft
        .kind
        .unwrap_or_else(|| kind_of(&choices, &draft.answer));
    let expected = expected(kind, &choices, &draft)?;
    let id = draft.id.unwrap_or_else(|| format!("q{number}"));
    check_line("its id", &id)?;
    draft
        .cluster
        .iter()
        .try_for_each(|cluster| check_line("its cluster", cluster))?;
    Ok(Question {
        id,
        set: set.clone(),
        cluster: draft.cluster,
        kind,
        text,
        choices: if kind == Kind::Choice {
            choices
        } else {
            Vec::new()
        },
        expected,
    })
}

fn check_text(what: &str, text: &str, most: usize) -> Result<(), Refused> {
    let count = text.chars().count();
    let acts = |c: &char| text::acts(*c) && !matches!(c, '\r' | '\n' | '\t');
    match text.chars().find(acts).map(u32::from) {
        _ if count == 0 => refused(format!("{what} is empty"), "write it, or remove the row"),
        _ if count > most => refused(
            format!("{what} has {count} characters; the limit is {most}"),
            "shorten it: it goes into every prompt",
        ),
        Some(code) => refused(
            format!("{what} contains U+{code:04X}, a control or invisible character"),
            "remove it",
        ),
        None => Ok(()),
    }
}

fn check_line(what: &str, text: &str) -> Result<(), Refused> {
    check_text(what, text, LONGEST_ID)?;
    match text.contains(text::is_line_end) {
        true => refused(format!("{what} has several lines"), "put it on one line"),
        false => Ok(()),
    }
}

fn check_choices(choices: &[String]) -> Result<(), Refused> {
    match choices.len() {
        1 => return refused("there is only one choice", "list two or more, or none"),
        n if n > MOST_CHOICES => {
            return refused(
                format!("there are {n} choices; the limit is {MOST_CHOICES}"),
                "remove some",
            );
        }
        _ => {}
    }
    for (at, choice) in choices.iter().enumerate() {
        check_text("a choice", choice, LONGEST_CHOICE)?;
        if choices[..at].contains(choice) {
            return refused(
                format!(
                    "the choice \"{}\" is listed twice",
                    text::shorten(choice, 60)
                ),
                "list each choice once",
            );
        }
    }
    Ok(())
}

fn kind_of(choices: &[String], answer: &Value) -> Kind {
    match answer {
        _ if !choices.is_empty() => Kind::Choice,
        Value::Number(_) => Kind::Number,
        Value::String(text) if Exact::parse(text).is_some() => Kind::Number,
        _ => Kind::Text,
    }
}

fn expected(kind: Kind, choices: &[String], draft: &Draft) -> Result<Expected, Refused> {
    let value = scalar(&draft.answer).map(|value| value.trim().to_owned());
    let value = value.filter(|value| !value.is_empty());
    let Some(value) = value else {
        return refused(
            "there is no answer",
            "give the correct answer, or remove the row",
        );
    };
    let is_number = |text: &String| Exact::parse(text).is_some();
    match kind {
        Kind::Choice => {
            let choice = correct_choice(choices, &draft.answer, &value)?;
            Ok(Expected {
                choice: Some(choice),
                ..Expected::default()
            })
        }
        Kind::Number
            if ![&value]
                .into_iter()
                .chain(&draft.accept)
                .chain(&draft.tolerance)
                .all(is_number) =>
        {
            refused(
                "the answer, what is accepted or the tolerance is no number",
                "write numbers such as 1234.5 or 3/4, or `kind: text`",
            )
        }
        Kind::Number | Kind::Text => Ok(Expected {
            choice: None,
            value: Some(value),
            accept: draft.accept.clone(),
            tolerance: draft.tolerance.clone(),
        }),
    }
}

/// The correct choice: by its words, its letter or, where the answer is a number, its place from 0.
fn correct_choice(choices: &[String], answer: &Value, value: &str) -> Result<usize, Refused> {
    let by_words = choices.iter().position(|choice| choice == value);
    let mut letters = value.chars();
    let letter = letters.next().filter(|_| letters.next().is_none());
    let by_letter = letter
        .map(|c| c.to_ascii_uppercase())
        .filter(char::is_ascii_uppercase);
    let by_letter = by_letter.map(|c| (c as u8 - b'A') as usize);
    let by_place = match answer {
        Value::Number(_) => value.parse().ok(),
        _ => None,
    };
    let found = by_words
        .or(by_letter)
        .or(by_place)
        .filter(|at| *at < choices.len());
    let shown = text::shorten(value, 60);
    found.map_or_else(
        || {
            refused(
                format!("the answer \"{shown}\" is none of the choices"),
                "give a choice's letter, its words or its place from 0",
            )
        },
        Ok,
    )
}

/// Questions with the id or the words of an earlier one.
fn repeated(questions: &[(usize, Question)]) -> Faults {
    let (mut ids, mut texts) = (HashMap::new(), HashMap::new());
    let mut faults = Faults::default();
    for (line, question) in questions {
        if let Some(first) = ids.insert(&question.id, line) {
            let cause = format!("the id `{}` is that of line {first}", question.id);
            faults.push(Fault::new(
                *line,
                cause,
                "give each question an id of its own",
            ));
        }
        if let Some(first) = texts.insert((&question.text, &question.choices), line) {
            faults.push(Fault::new(
                *line,
                format!("this question is that of line {first}"),
                "remove one of them",
            ));
        }
    }
    faults
}
