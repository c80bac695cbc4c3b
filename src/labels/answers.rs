//! Answers on label sheets: their files, and the resulting labels.

use chrono::{DateTime, SubsecRound, Utc};
use csv::StringRecord;
use serde::de::IntoDeserializer;
use serde::de::value::Error as ValueError;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::sheet::{Item, Sheet, VERSION, is_id};
use crate::digest;
use crate::event::Preference;
use crate::text;
use crate::trace::Label;

/// The name of the labels that people give on sheets.
pub const WINNER: &str = "winner";
/// Characters of a rater's code.
const RATER: usize = 40;
/// Hexadecimal digits of a label's id.
const DIGITS: usize = 16;

/// What a person may say of two sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Value {
    /// The side that is shown first is ahead.
    First,
    /// The other.
    Second,
    /// Neither.
    Tie,
    /// Neither, and both are bad.
    BothBad,
    /// The person cannot say.
    CannotSay,
}

impl Value {
    /// All, with the key for each.
    pub const KEYS: [(char, Self); 5] = [
        ('1', Self::First),
        ('2', Self::Second),
        ('0', Self::Tie),
        ('9', Self::BothBad),
        ('8', Self::CannotSay),
    ];

    /// What a key stands for.
    pub fn of_key(key: &str) -> Option<Self> {
        Self::KEYS.iter().find(|(own, _)| key.chars().eq([*own])).map(|(_, value)| *value)
    }

    /// The value of the label on an item.
    fn on(self, item: &Item) -> String {
        let side = |at: usize| item.candidates[item.order.sides()[at] as usize].clone();
        match self {
            Self::First => side(0),
            Self::Second => side(1),
            Self::Tie => "tie".to_owned(),
            Self::BothBad => "both_bad".to_owned(),
            Self::CannotSay => "cannot_say".to_owned(),
        }
    }
}

/// One answer.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Answer {
    /// The sheet's id.
    #[serde(default)]
    pub sheet: String,
    /// Who answered, by a code.
    #[serde(default)]
    pub rater: String,
    /// The item on the sheet, from 1.
    pub item: u32,
    /// The text.
    pub value: Value,
    /// Seconds that it took.
    pub seconds: Option<u32>,
    /// When it was said.
    pub at: Option<DateTime<Utc>>,
}

/// What the page saves: sheet and rater once for all answers.
#[derive(Deserialize)]
struct Saved {
    labels_version: u32,
    sheet: String,
    rater: String,
    answers: Vec<Answer>,
}

/// The answers in a file: JSON as the page saves it, or CSV with the columns `sheet`, `item`, `rater`, `value` and, if wanted,
/// `seconds` and `at`.
///
/// # Errors
/// What is wrong with it, in words.
pub fn read(text: &str) -> Result<Vec<Answer>, String> {
    let text = text.trim_start_matches('\u{feff}');
    let answers = if text.trim_start().starts_with('{') { saved(text)? } else { table(text)? };
    answers.iter().try_for_each(check)?;
    Ok(answers)
}

fn saved(text: &str) -> Result<Vec<Answer>, String> {
    let no_json = |e| format!("not a file saved by a label sheet: {e}");
    let saved: Saved = serde_json::from_str(text).map_err(no_json)?;
    let version = saved.labels_version;
    if version != VERSION {
        return Err(format!("its labels_version is {version}, but this program reads {VERSION}"));
    }
    let answer =
        |said: Answer| Answer { sheet: saved.sheet.clone(), rater: saved.rater.clone(), ..said };
    Ok(saved.answers.into_iter().map(answer).collect())
}

fn table(text: &str) -> Result<Vec<Answer>, String> {
    let header = text.lines().next().unwrap_or_default();
    // As spreadsheets write it where a comma is part of numbers.
    let mark = if header.contains(';') && !header.contains(',') { b';' } else { b',' };
    let mut reader = csv::ReaderBuilder::new();
    let mut reader = reader.delimiter(mark).trim(csv::Trim::All).from_reader(text.as_bytes());
    let columns = reader.headers().map_err(|e| e.to_string())?.clone();
    let mut needed = ["sheet", "item", "rater", "value"].into_iter();
    if let Some(column) = needed.find(|column| !columns.iter().any(|own| own == *column)) {
        return Err(format!(
            "neither a file saved by a label sheet nor a table of answers: there is no column `{column}`"
        ));
    }
    let answer = |row: Result<StringRecord, csv::Error>| {
        let row = row.map_err(|e| e.to_string())?;
        row.deserialize(Some(&columns)).map_err(|e| misread(&row, &columns, &e))
    };
    reader.records().map(answer).collect()
}

/// Why a row is no answer, with the line and the column, where one is at fault.
fn misread(row: &StringRecord, columns: &StringRecord, error: &csv::Error) -> String {
    let line = row.position().map_or(0, csv::Position::line);
    let mut cells = columns.iter().zip(row);
    let fault = cells.find_map(|(column, text)| Some((column, fault(column, text)?)));
    fault.map_or_else(
        || error.to_string(),
        |(column, why)| format!("line: {line}, column `{column}`: {why}"),
    )
}

/// What is wrong with a text in a column, if anything is.
fn fault(column: &str, text: &str) -> Option<String> {
    let is_optional = matches!(column, "seconds" | "at");
    let why = match column {
        _ if is_optional && text.is_empty() => return None,
        "item" | "seconds" => text.parse::<u32>().err()?.to_string(),
        "at" => text.parse::<DateTime<Utc>>().err()?.to_string(),
        "value" => {
            let read: Result<Value, ValueError> = Value::deserialize(text.into_deserializer());
            read.err()?;
            let (what, values) = match Value::of_key(text) {
                Some(value) => ("a key of the page", vec![value]),
                None => ("no answer", Value::KEYS.map(|(_, value)| value).to_vec()),
            };
            let values = values.iter().map(|value| json!(value).to_string());
            return Some(format!("`{text}` is {what}: write {}", text::joined(values, "or")));
        }
        _ => return None,
    };
    Some(format!("`{text}`: {why}"))
}

fn check(answer: &Answer) -> Result<(), String> {
    if !is_id(&answer.sheet) {
        let sheet = &answer.sheet;
        return Err(format!(
            "`{sheet}` is not the id of a sheet: use `sheet` of a file saved by the page"
        ));
    }
    rater(&answer.rater).map(drop)
}

/// A rater's code.
///
/// # Errors
/// If it is none, in words.
pub fn rater(code: &str) -> Result<&str, String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if (1..=RATER).contains(&code.len()) && code.chars().all(is_plain) {
        Ok(code)
    } else {
        Err(format!(
            "`{code}` is not a valid code: use up to {RATER} letters, digits, `-`, `_` and `.`"
        ))
    }
}

/// The label that an answer on an item is. `source` names where it comes from, `now` stands in where the time is not told.
pub fn label(
    sheet: &Sheet,
    item: &Item,
    answer: &Answer,
    source: &str,
    now: DateTime<Utc>,
) -> Label {
    let place = json!([sheet.id, answer.item, answer.rater]);
    Label {
        source: source.to_owned(),
        name: WINNER.to_owned(),
        value: answer.value.on(item).into(),
        preference: Some(Preference {
            id: digest::of_json(&place)[..DIGITS].to_owned(),
            rater: answer.rater.clone(),
            sheet: sheet.id.clone(),
            item: answer.item,
            candidates: item.candidates.clone(),
            order: item.order,
            repeat: item.repeat,
            blind: true,
            sampling: sheet.sampling.clone(),
            seconds: answer.seconds,
            record_digest: item.record_digest.clone(),
            // As it is written: else the same answer would be a later one when it's imported again.
            at: answer.at.unwrap_or(now).trunc_subsecs(3),
            imported_at: Some(now),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c5_what_a_page_saves_and_a_table_say_the_same() {
        let json = r#"{"labels_version": 1, "sheet": "0123456789abcdef", "rater": "r-1",
            "answers": [{"item": 3, "value": "both_bad", "seconds": 9, "at": null}]}"#;
        let csv = "rater,sheet,item,value,seconds\nr-1, 0123456789abcdef ,3,both_bad,9\n";
        let answers = read(json).expect("answers");
        assert_eq!(answers.len(), 1);
        assert_eq!(read(csv).expect("answers"), answers);
        let short = "\u{feff}rater,sheet,item,value\nr-1,0123456789abcdef,3,both_bad\n";
        assert_eq!(read(short).expect("answers")[0].seconds, None);
        assert_eq!(read(&csv.replace(',', ";")).expect("answers"), answers);
    }

    #[test]
    fn c5_a_file_that_says_something_else_is_refused_with_the_place() {
        let row = |row: &str| read(&format!("sheet,item,rater,value\n{row}\n"));
        for (row, says) in [
            (
                row("0123456789abcdef,1,r-1,left"),
                "`left` is no answer: write \"first\", \"second\", \"tie\", \"both_bad\" or \"cannot_say\"",
            ),
            (row("0123456789abcdef,1,r-1,9"), "`9` is a key of the page: write \"both_bad\""),
            (row("0123456789abcdef,x,r-1,tie"), "line: 2, column `item`: `x`: "),
            (row("0123456789abcdef,1,r-1,left"), "line: 2, column `value`: "),
            (
                read("sheet,item,rater,value,at\n0123456789abcdef,1,r-1,tie,soon\n"),
                "line: 2, column `at`: `soon`: ",
            ),
            (row("../../etc,1,r-1,tie"), "is not the id of a sheet"),
            (row("0123456789abcdef,1,a b,tie"), "is not a valid code"),
            (read("{\"labels_version\": 2}"), "missing field"),
            (read("rater,item\n"), ""),
        ] {
            match row {
                Ok(answers) => assert!(answers.is_empty() && says.is_empty()),
                Err(told) => assert!(told.contains(says), "{told}"),
            }
        }
    }
}
