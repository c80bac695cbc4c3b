//! From rows to questions, by the layouts in which files of questions are written.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::draft::{self, Draft, scalar};
use super::extract::only_character;
use super::faults::Faults;
use super::known::{Expected, Kind, Question, QuestionSet};
use super::number::Exact;
use super::rows::{Row, rows};
use crate::digest;
use crate::text;

/// The longest question, in characters: it is in every prompt.
const LONGEST: usize = 20_000;
/// The longest choice, in characters.
const LONGEST_CHOICE: usize = 2_000;
/// The longest id or name of a cluster, in characters.
const LONGEST_ID: usize = 100;
/// Maximum choices: each has a letter.
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

/// The columns or keys of a file with names of its own, by ours; those of choices are one with a list, or one for each choice.
pub type Columns = BTreeMap<String, Vec<String>>;

/// A row with the names that `rebut` gives.
fn renamed(columns: &Columns, row: &Row) -> Row {
    let mut fields = row.fields.clone();
    for (name, columns) in columns {
        let found: Vec<&Value> =
            columns.iter().filter_map(|column| row.fields.get(column)).collect();
        let value = match found.as_slice() {
            [one] if name != "choices" || one.is_array() => (*one).clone(),
            all => all.iter().copied().cloned().collect(),
        };
        let is_given = match name.as_str() {
            "choices" => value != json!([]),
            _ => !found.is_empty(),
        };
        if is_given {
            fields.insert(name.clone(), value);
        }
    }
    Row { line: row.line, fields }
}

/// Reads a file of questions, each with its line.
pub fn read(
    name: &str,
    source: &str,
    layout: Layout,
    columns: &Columns,
) -> (Vec<(usize, Question)>, Faults) {
    let named: Vec<&str> = columns.values().flatten().map(String::as_str).collect();
    let (rows, mut faults) = rows(name, source, &named);
    let rows: Vec<Row> = rows.iter().map(|row| renamed(columns, row)).collect();
    let layout = match layout {
        Layout::Auto => rows.first().map_or(Layout::Rebut, guessed),
        chosen => chosen,
    };
    let set = QuestionSet { name: stem(name), digest: digest::of_bytes(source.as_bytes()) };
    let mut questions = Vec::new();
    for (number, row) in rows.iter().enumerate() {
        let drafted = draft(layout, &row.fields);
        let checked = drafted.and_then(|draft| checked(draft, number + 1, &set));
        match checked {
            Ok(question) => questions.push((row.line, question)),
            Err((cause, remedy)) => faults.add(row.line, cause, remedy),
        }
    }
    find_repeated(&questions, &mut faults);
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
    let answer = row.fields.get("answer").and_then(Value::as_str);
    let gsm8k = answer.is_some_and(|answer| answer.contains("####"));
    if has("references") {
        Layout::Mallm
    } else if has("input") && has("target") {
        Layout::Inspect
    } else if has("question") && gsm8k && !has("choices") {
        Layout::Gsm8k
    } else if has("1") && has("3") && !has("question") {
        Layout::MmluCsv
    } else {
        Layout::Rebut
    }
}

fn draft(layout: Layout, fields: &Map<String, Value>) -> Result<Draft, Refused> {
    let drafted = match layout {
        Layout::Auto | Layout::Rebut => draft::rebut(fields),
        Layout::Inspect => draft::inspect(fields),
        Layout::Mallm => draft::mallm(fields),
        Layout::Gsm8k => draft::gsm8k(fields),
        Layout::MmluCsv => draft::mmlu(fields),
    };
    drafted.or_else(|cause| refused(cause, "fix the row, or set the file's `layout` or `columns`"))
}

fn checked(draft: Draft, number: usize, set: &QuestionSet) -> Result<Question, Refused> {
    let text = draft.text.trim().to_owned();
    check_text("the question", &text, LONGEST)?;
    let mut choices: Vec<String> =
        draft.choices.iter().map(|choice| choice.trim().to_owned()).collect();
    check_choices(&choices)?;
    let kind = draft.kind.unwrap_or_else(|| kind_of(&choices, &draft.answer));
    let expected = expected(kind, &choices, &draft)?;
    if kind != Kind::Choice {
        choices.clear();
    }
    let id = draft.id.unwrap_or_else(|| format!("q{number}"));
    check_line("its id", &id)?;
    if let Some(cluster) = &draft.cluster {
        check_line("its cluster", cluster)?;
    }
    Ok(Question { id, set: set.clone(), cluster: draft.cluster, kind, text, choices, expected })
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
    if text.contains(text::is_line_end) {
        refused(format!("{what} has several lines"), "put it on one line")
    } else {
        Ok(())
    }
}

fn check_choices(choices: &[String]) -> Result<(), Refused> {
    let count = choices.len();
    if count == 1 {
        return refused("there is only one choice", "list at least two, or none");
    }
    if count > MOST_CHOICES {
        let cause = format!("there are {count} choices; the limit is {MOST_CHOICES}");
        return refused(cause, "remove some");
    }
    for (at, choice) in choices.iter().enumerate() {
        check_text("a choice", choice, LONGEST_CHOICE)?;
        if choices[..at].contains(choice) {
            let shown = text::shorten(choice, 60);
            let cause = format!("the choice \"{shown}\" is listed twice");
            return refused(cause, "list each choice once");
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
    let Some(value) = value.filter(|value| !value.is_empty()) else {
        return refused("there is no answer", "give the correct answer, or remove the row");
    };
    if kind == Kind::Choice {
        return Ok(Expected {
            choice: Some(correct_choice(choices, &draft.answer, &value)?),
            ..Expected::default()
        });
    }
    let is_number = |text: &String| Exact::parse(text).is_some();
    let mut others = draft.accept.iter().chain(&draft.tolerance);
    if kind == Kind::Number && !(is_number(&value) && others.all(is_number)) {
        let cause = "the answer, an accepted answer or the tolerance is not a number";
        return refused(cause, "use numbers such as 1234.5 or 3/4, or set `kind: text`");
    }
    Ok(Expected {
        choice: None,
        value: Some(value),
        accept: draft.accept.clone(),
        tolerance: draft.tolerance.clone(),
    })
}

/// The correct choice: by its words, its letter or, where the answer is a number, its place from 0.
fn correct_choice(choices: &[String], answer: &Value, value: &str) -> Result<usize, Refused> {
    let by_words = choices.iter().position(|choice| choice == value);
    let letter = only_character(value).map(|c| c.to_ascii_uppercase());
    let by_letter = letter.and_then(|letter| ('A'..='Z').position(|c| c == letter));
    let by_place = match answer {
        Value::Number(_) => value.parse().ok(),
        _ => None,
    };
    by_words.or(by_letter).or(by_place).filter(|at| *at < choices.len()).ok_or_else(|| {
        let shown = text::shorten(value, 60);
        let cause = format!("the answer \"{shown}\" is not one of the choices");
        let remedy = "give the letter, the text or the index (from 0) of a choice";
        (cause, remedy.to_owned())
    })
}

/// Notes the questions with the id or the words of an earlier one.
fn find_repeated(questions: &[(usize, Question)], faults: &mut Faults) {
    let (mut ids, mut texts) = (HashMap::new(), HashMap::new());
    for (line, question) in questions {
        if let Some(first) = ids.insert(&question.id, line) {
            let cause = format!("the id `{}` is the same as on line {first}", question.id);
            faults.add(*line, cause, "give each question a unique id");
        }
        if let Some(first) = texts.insert((&question.text, &question.choices), line) {
            let cause = format!("this question is the same as on line {first}");
            faults.add(*line, cause, "remove one of them");
        }
    }
}
