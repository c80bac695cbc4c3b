//! From a trace to the files that people and tools read. Everything here is rendered; nothing is decided.

pub mod brief;
mod course;
pub mod front;
pub(crate) mod index;
pub mod listing;
mod messages;
mod metadata;
mod own_judges;
pub(crate) mod place;
mod summary;
mod verdict;
mod who;
pub mod whole;

use serde_json::{Value, json};

use crate::digest;
use crate::event::{Event, Statement};
use crate::templates::{TemplateError, Templates, inert_json};
use crate::trace::Trace;

/// One file of a debate's directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Artifact {
    /// Its path below the directory, with `/`.
    pub path: String,
    /// Its content.
    pub content: String,
}

/// A template's rendering as a file.
fn rendered(
    path: &str,
    template: &str,
    templates: &Templates,
    context: &Value,
) -> Result<Artifact, TemplateError> {
    let content = templates.render(template, context)?;
    Ok(file(path, &content))
}

fn file(path: &str, content: &str) -> Artifact {
    Artifact {
        path: path.to_owned(),
        content: format!("{}\n", content.trim_end()),
    }
}

/// The files that are rendered from a trace: index, metadata, summary, messages and, where wanted, the transcript.
/// `path` is the debate's directory below the output directory.
pub fn render(
    trace: &Trace,
    path: &str,
    templates: &Templates,
) -> Result<Vec<Artifact>, TemplateError> {
    let others = [
        rendered(
            "metadata.md",
            "artifacts/metadata.md.j2",
            templates,
            &metadata::context(trace),
        )?,
        rendered(
            "summary.md",
            "artifacts/summary.md.j2",
            templates,
            &summary::context(trace),
        )?,
    ];
    let mut files = vec![index::index(trace, path, templates, &others)?];
    files.extend(others);
    files.extend(messages::files(trace, templates)?);
    Ok(files)
}

/// All files of a finished debate: the rendered ones, the trace and the events.
pub fn all(
    trace: &Trace,
    events: &[Event],
    path: &str,
    templates: &Templates,
) -> Result<Vec<Artifact>, TemplateError> {
    let mut files = render(trace, path, templates)?;
    files.push(Artifact {
        path: "trace.json".to_owned(),
        content: trace_json(trace),
    });
    let lines: String = events
        .iter()
        .map(|event| inert_json(&event.line()) + "\n")
        .collect();
    files.push(Artifact {
        path: "events.jsonl".to_owned(),
        content: lines,
    });
    Ok(files)
}

/// The trace as it stands in `trace.json`.
pub fn trace_json(trace: &Trace) -> String {
    // A trace holds strings, numbers and maps with string keys: writing it as JSON cannot fail.
    inert_json(&serde_json::to_string_pretty(trace).expect("a trace is JSON")) + "\n"
}

/// The file of a message, without ending: number, role and eight digits that follow from debate, number and text.
fn message_name(trace: &Trace, statement: &Statement) -> String {
    let digest =
        digest::of_bytes(format!("{}\n{}\n{}", trace.id, statement.n, statement.text).as_bytes());
    format!("{:03}_{}_{}", statement.n, statement.by, &digest[..8])
}

/// What every template may use.
fn common(trace: &Trace) -> Value {
    let participants: Vec<Value> = trace.participants.iter().map(|p| json!(p)).collect();
    json!({
        "topic": trace.topic,
        "format": trace.format,
        "status": trace.status,
        "cause": trace.cause,
        "rehearsal": trace.rehearsal,
        "outcome": trace.outcome,
        "job": trace.job,
        "id": trace.id,
        "short_id": &trace.id[..12.min(trace.id.len())],
        "started_at": trace.started_at.format("%Y-%m-%d %H:%M:%S UTC").to_string(),
        "ended_at": trace.ended_at.format("%Y-%m-%d %H:%M:%S UTC").to_string(),
        "participants": participants,
    })
}

/// `common` with further fields.
fn with(trace: &Trace, more: Value) -> Value {
    let mut context = common(trace);
    if let (Value::Object(all), Value::Object(own)) = (&mut context, more) {
        all.extend(own);
    }
    context
}
