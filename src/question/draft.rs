//! Reading a row by layout: our own, Inspect's, MALLM's, GSM8K's, and that of MMLU's CSV files.

use serde_json::{Map, Value};

use super::known::Kind;

/// What a layout makes of a row, before it is checked.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Draft {
    pub(super) id: Option<String>,
    pub(super) cluster: Option<String>,
    pub(super) kind: Option<Kind>,
    pub(super) text: String,
    pub(super) choices: Vec<String>,
    pub(super) answer: Value,
    pub(super) accept: Vec<String>,
    pub(super) tolerance: Option<String>,
}

/// A single value as text; `None` for lists, objects and nothing.
pub(super) fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        _ => None,
    }
}

type Fields = Map<String, Value>;

fn text(fields: &Fields, key: &str) -> Option<String> {
    fields.get(key).and_then(scalar)
}

/// A value that may be a list, or one text.
fn texts(fields: &Fields, key: &str) -> Result<Vec<String>, String> {
    let wrong = || format!("`{key}` is not a list of texts");
    match fields.get(key) {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::Array(items)) => {
            let texts: Option<Vec<String>> = items.iter().map(scalar).collect();
            texts.ok_or_else(wrong)
        }
        // A CSV file writes a list as JSON, or with bars between.
        Some(Value::String(list)) if list.trim_start().starts_with('[') => {
            serde_json::from_str(list).map_err(|_| wrong())
        }
        Some(Value::String(list)) if list.trim().is_empty() => Ok(Vec::new()),
        Some(Value::String(list)) => {
            Ok(list.split('|').map(|part| part.trim().to_owned()).collect())
        }
        Some(_) => Err(wrong()),
    }
}

fn required(fields: &Fields, keys: &[&str]) -> Result<String, String> {
    let found = keys.iter().find_map(|key| text(fields, key));
    found.ok_or_else(|| format!("there is no `{}`", keys[0]))
}

/// Our own layout.
pub(super) fn rebut(fields: &Fields) -> Result<Draft, String> {
    let kind = text(fields, "kind").filter(|kind| !kind.is_empty());
    let kind = kind
        .map(|kind| serde_json::from_value(kind.into()))
        .transpose()
        .map_err(|_| "`kind` must be choice, number or text")?;
    let choices = texts(fields, "choices")?;
    if kind == Some(Kind::Choice) && choices.is_empty() {
        return Err("there are no `choices`".to_owned());
    }
    Ok(Draft {
        id: named(fields, "id"),
        cluster: named(fields, "cluster"),
        kind,
        text: required(fields, &["question", "text"])?,
        choices,
        answer: fields.get("answer").cloned().unwrap_or_default(),
        accept: texts(fields, "accept")?,
        tolerance: named(fields, "tolerance"),
    })
}

fn named(fields: &Fields, key: &str) -> Option<String> {
    text(fields, key).filter(|value| !value.trim().is_empty())
}

/// A sample of Inspect: `input` is a text or messages, `target` a text or several that count.
pub(super) fn inspect(fields: &Fields) -> Result<Draft, String> {
    let input = match fields.get("input") {
        Some(Value::Array(messages)) => said_by_user(messages),
        _ => text(fields, "input"),
    };
    let mut targets = match fields.get("target") {
        Some(target @ (Value::String(_) | Value::Number(_))) => {
            scalar(target).into_iter().collect()
        }
        _ => texts(fields, "target")?,
    };
    if targets.is_empty() {
        return Err("there is no `target`".to_owned());
    }
    let choices = texts(fields, "choices")?;
    let answer = targets.remove(0);
    if !choices.is_empty() && !targets.is_empty() {
        return Err("`target` names several choices".to_owned());
    }
    let cluster = fields.get("metadata").and_then(Value::as_object);
    Ok(Draft {
        id: named(fields, "id"),
        cluster: cluster.and_then(|metadata| named(metadata, "cluster")),
        text: input.ok_or("there is no `input`")?,
        choices,
        answer: Value::String(answer),
        accept: targets,
        ..Draft::default()
    })
}

fn said_by_user(messages: &[Value]) -> Option<String> {
    let by_user = messages.iter().filter(|message| message["role"] == "user");
    let said: Vec<String> = by_user.filter_map(|message| scalar(&message["content"])).collect();
    (!said.is_empty()).then(|| said.join("\n\n"))
}

/// An example of MALLM: the choices stand at the end of the input, and a reference may begin with a letter.
pub(super) fn mallm(fields: &Fields) -> Result<Draft, String> {
    let inputs = match fields.get("inputs") {
        Some(_) => texts(fields, "inputs")?.join("\n\n"),
        None => required(fields, &["input", "input_str"])?,
    };
    let references = match fields.get("references") {
        Some(Value::String(one)) => vec![one.clone()],
        _ => texts(fields, "references")?,
    };
    let (question, choices) = with_choices(&inputs);
    let first = references.first().ok_or("there is no reference in `references`")?;
    let answer = if choices.is_empty() {
        after_marks(first)
    } else {
        first.split([')', '.', ' ']).next().unwrap_or_default()
    };
    let accept = references[1..].iter().map(|other| after_marks(other));
    let context = texts(fields, "context")?.join("\n\n");
    let question = [context, question].join("\n\n");
    Ok(Draft {
        id: named(fields, "example_id").or_else(|| named(fields, "exampleId")),
        text: question.trim().to_owned(),
        choices,
        answer: answer.into(),
        accept: accept.map(str::to_owned).collect(),
        ..Draft::default()
    })
}

/// A text, and the choices that its last lines list as `A) …`, `B) …`.
fn with_choices(text: &str) -> (String, Vec<String>) {
    let lines: Vec<&str> = text.lines().collect();
    let choice = |line: &str, letter: char| {
        let rest = line.trim().strip_prefix(letter)?.strip_prefix(')')?;
        Some(rest.trim().to_owned())
    };
    let begins = lines.iter().rposition(|line| choice(line, 'A').is_some());
    let listed = |begins: usize| -> Option<Vec<String>> {
        let last = lines[begins..].iter().filter(|line| !line.trim().is_empty());
        last.zip('A'..='Z').map(|(line, letter)| choice(line, letter)).collect()
    };
    match begins.and_then(|begins| Some((begins, listed(begins)?))) {
        Some((begins, choices)) if choices.len() > 1 => {
            (lines[..begins].join("\n").trim().to_owned(), choices)
        }
        _ => (text.to_owned(), Vec::new()),
    }
}

/// What stands behind `####`, where GSM8K has the answer; without such marks all of it.
fn after_marks(answer: &str) -> &str {
    answer.rsplit("####").next().unwrap_or(answer).trim()
}

/// GSM8K: the answer's last line is `#### 42`.
pub(super) fn gsm8k(fields: &Fields) -> Result<Draft, String> {
    let answer = required(fields, &["answer"])?;
    if !answer.contains("####") {
        return Err("its `answer` has no `#### ` before the result".to_owned());
    }
    Ok(Draft {
        id: named(fields, "id"),
        kind: Some(Kind::Number),
        text: required(fields, &["question"])?,
        answer: Value::String(after_marks(&answer).to_owned()),
        ..Draft::default()
    })
}

/// MMLU: a row without a header, whose fields have numbers as names: the question, its choices, the letter of the answer.
pub(super) fn mmlu(fields: &Fields) -> Result<Draft, String> {
    let mut values: Vec<String> = fields.values().filter_map(scalar).collect();
    if values.len() < 4 {
        return Err("an MMLU row has a question, at least two choices, and a letter".to_owned());
    }
    let answer = values.pop().unwrap_or_default();
    let text = values.remove(0);
    Ok(Draft { text, choices: values, answer: Value::String(answer), ..Draft::default() })
}
