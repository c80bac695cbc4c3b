//! The layouts with named values: our own, Inspect's, MALLM's and that of GSM8K.

use serde_json::{Map, Value};

use super::draft::{Draft, scalar};
use super::known::Kind;

type Fields = Map<String, Value>;

fn text(fields: &Fields, key: &str) -> Option<String> {
    fields.get(key).and_then(scalar)
}

/// A value that may be a list, or one text.
fn texts(fields: &Fields, key: &str) -> Result<Vec<String>, String> {
    let wrong = || format!("`{key}` is no list of texts");
    match fields.get(key) {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::Array(items)) => items
            .iter()
            .map(|item| scalar(item).ok_or_else(wrong))
            .collect(),
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
    let kind = match text(fields, "kind").as_deref() {
        None | Some("") => None,
        Some("choice") => Some(Kind::Choice),
        Some("number") => Some(Kind::Number),
        Some("text") => Some(Kind::Text),
        Some(_) => return Err("`kind` is none of choice, number and text".to_owned()),
    };
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
    let said: Vec<String> = by_user
        .filter_map(|message| scalar(&message["content"]))
        .collect();
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
    let first = references
        .first()
        .ok_or("there is no reference in `references`")?;
    let answer = match choices.is_empty() {
        true => after_marks(first).to_owned(),
        false => first
            .split([')', '.', ' '])
            .next()
            .unwrap_or_default()
            .to_owned(),
    };
    let context = texts(fields, "context")?.join("\n\n");
    let question = [context, question].join("\n\n");
    Ok(Draft {
        id: named(fields, "example_id").or_else(|| named(fields, "exampleId")),
        text: question.trim().to_owned(),
        choices,
        answer: Value::String(answer),
        accept: references[1..]
            .iter()
            .map(|other| after_marks(other).to_owned())
            .collect(),
        ..Draft::default()
    })
}

/// A text, and the choices that its last lines list as `A) …`, `B) …`.
fn with_choices(text: &str) -> (String, Vec<String>) {
    let lines: Vec<&str> = text.lines().collect();
    let choice = |line: &str, letter: char| {
        line.trim()
            .strip_prefix(letter)?
            .strip_prefix(')')
            .map(|rest| rest.trim().to_owned())
    };
    let begins = lines.iter().rposition(|line| choice(line, 'A').is_some());
    let listed = |begins: usize| -> Option<Vec<String>> {
        let last = lines[begins..]
            .iter()
            .filter(|line| !line.trim().is_empty());
        last.zip('A'..='Z')
            .map(|(line, letter)| choice(line, letter))
            .collect()
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
