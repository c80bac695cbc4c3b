//! The layout of MMLU's CSV files: question, choices, the letter of the answer.

use serde_json::{Map, Value};

use super::draft::{Draft, scalar};

/// A row without a header, whose fields have numbers as names.
pub(super) fn mmlu(fields: &Map<String, Value>) -> Result<Draft, String> {
    let mut values: Vec<String> = fields.values().filter_map(scalar).collect();
    if values.len() < 4 {
        return Err("an MMLU row has a question, two choices or more, and a letter".to_owned());
    }
    let answer = values.pop().unwrap_or_default();
    let text = values.remove(0);
    Ok(Draft {
        text,
        choices: values,
        answer: Value::String(answer),
        ..Draft::default()
    })
}
