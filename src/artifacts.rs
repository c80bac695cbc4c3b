//! From a trace to the files that people and tools read. Everything here is rendered; nothing is decided.

mod arguments;
mod artifact;
mod banner;
pub mod batch;
pub mod brief;
mod call_costs;
pub mod call_words;
pub mod calls;
mod context;
pub mod front;
mod gist;
mod index;
mod interruptions;
mod judgments;
mod kind;
mod known_answer;
pub mod listing;
mod messages;
mod metadata;
mod models_replied;
mod other_participants;
pub mod page;
mod plain;
mod positions;
mod query;
mod quotes;
pub mod show;
mod stances;
pub(crate) mod statement_place;
mod summary;
mod who_argued;

pub use self::artifact::Artifact;
use self::artifact::rendered;
pub(crate) use self::judgments::panels;
use self::page::Around;
use crate::event::Event;
use crate::templates::{TemplateError, Templates, inert_json};
use crate::trace::Trace;

/// The directory of a debate's messages, in its own. It holds files only.
pub const MESSAGES: &str = "messages";

/// The files that are rendered from a trace: index, metadata, summary, messages, the page and, where wanted, the transcript.
/// `path` is the debate's directory below the output directory.
pub fn render(
    trace: &Trace,
    path: &str,
    templates: &Templates,
) -> Result<Vec<Artifact>, TemplateError> {
    let told = summary::context(trace);
    let (name, template) = ("metadata.md", "artifacts/metadata.md.j2");
    let metadata = rendered(name, template, templates, &metadata::context(trace))?;
    let others = [metadata, summary::summary(trace, &told, templates)?];
    let mut files = index::index(trace, path, templates, &others)?;
    files.extend(others);
    files.extend(messages::files(trace, templates)?);
    let page = page::rendered(trace, told, &Around::beside_files(), templates)?;
    files.push(Artifact::new(page::NAME, page));
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
    let lines = events.iter().map(|event| inert_json(&event.line()) + "\n");
    files.push(Artifact::new("trace.json", trace_json(trace)));
    files.push(Artifact::new("events.jsonl", lines.collect()));
    Ok(files)
}

/// The trace as it stands in `trace.json`.
pub fn trace_json(trace: &Trace) -> String {
    // A trace holds strings, numbers and maps with string keys: writing it as JSON cannot fail.
    inert_json(&serde_json::to_string_pretty(trace).expect("a trace is JSON")) + "\n"
}
