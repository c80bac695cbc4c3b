//! One file a message, in every form that was asked for, and the transcript.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::arguments::{dialectic_ledger, endings};
use super::artifact::{Artifact, file, rendered};
use super::context::{common, with};
use super::statement_place::{self, message_name};
use super::{front, index, positions, quotes, stances};
use crate::event::{Origin, Statement};
use crate::formats::dialectic::Resolution;
use crate::job::{OutputFormat, OutputOptions};
use crate::templates::{SharedFields, TemplateError, Templates, inert_json};
use crate::text;
use crate::trace::Trace;

/// The messages and, where wanted, the transcript.
pub(super) fn files(trace: &Trace, templates: &Templates) -> Result<Vec<Artifact>, TemplateError> {
    let options: OutputOptions =
        serde_json::from_value(trace.plan.output.clone()).unwrap_or_default();
    let common = SharedFields::new(&common(trace));
    let mut files = Vec::new();
    for (i, statement) in trace.statements.iter().enumerate() {
        let name = format!("messages/{}", message_name(trace, statement));
        files.push(markdown(trace, i, &name, templates, &common)?);
        if options.formats.contains(&OutputFormat::Json) {
            let content = pretty(&machine(trace, statement));
            files.push(Artifact::new(format!("{name}.json"), content));
        }
        if options.formats.contains(&OutputFormat::Text) {
            let content = plain(trace, statement, &text::visible(statement.text.trim()));
            files.push(Artifact::new(format!("{name}.txt"), content));
        }
    }
    if options.transcript {
        files.extend(transcript(trace, &options, templates)?);
    }
    Ok(files)
}

fn markdown(
    trace: &Trace,
    i: usize,
    path: &str,
    templates: &Templates,
    common: &SharedFields,
) -> Result<Artifact, TemplateError> {
    let statement = &trace.statements[i];
    let neighbour =
        |at: Option<usize>| Some(message_name(trace, trace.statements.get(at?)?) + ".md");
    let context = json!({
        "statement": shown(trace, statement),
        "previous": neighbour(i.checked_sub(1)),
        "next": neighbour(Some(i + 1)),
    });
    let content = templates.render_with("artifacts/message.md.j2", common, &context)?;
    let mut artifact = file(&format!("{path}.md"), &content);
    let front = front::text(&head(trace, statement));
    artifact.content.insert_str(0, &format!("{front}\n"));
    Ok(artifact)
}

fn head(trace: &Trace, s: &Statement) -> Map<String, Value> {
    let fields = json!({
        "debate": trace.id,
        "rehearsal": trace.rehearsal,
        "n": s.n,
        "round": statement_place::round_of(trace, s),
        "phase": s.phase,
        "by": s.by,
        "name": trace.name_of(&s.by),
        "model": s.model,
        "origin": s.origin,
        "tokens": s.tokens,
        "tokens_estimated": s.tokens_estimated,
        "cut": s.cut,
        "call": s.call,
        "claim": s.gist,
        "points": made(trace, s),
        "answers": answers(trace, s),
    });
    let mut fields: Map<String, Value> = serde_json::from_value(fields).unwrap_or_default();
    if let Some(question) = trace.flow.questions.iter().find(|it| it.statement == s.n) {
        fields.insert("asks".to_owned(), json!({&question.id: question.text}));
    }
    if s.breaks_off {
        fields.insert("breaks_off".to_owned(), json!(true));
    }
    if let Some(edge) = trace.flow.on_a_position_in(s.n) {
        let became = if edge.with.is_some() { "narrowed" } else { "given up" };
        fields.insert("position".to_owned(), json!({"became": became, "narrowed_to": edge.with}));
    }
    if let Some([start, end]) = stances::around(trace, s) {
        fields.insert("stance".to_owned(), json!({"start": start, "end": end}));
    }
    if let Some(quoted) = quotes::quoted(trace, s) {
        fields.insert("quotes".to_owned(), json!(quoted));
    }
    fields
}

/// The arguments that are new in a statement, as summaries call them.
fn made(trace: &Trace, s: &Statement) -> Vec<String> {
    let own = trace.flow.points.iter().filter(|point| point.statement == s.n);
    own.map(|point| dialectic_ledger::name(trace, &point.id)).collect()
}

/// What a statement does about earlier arguments.
fn answers(trace: &Trace, s: &Statement) -> BTreeMap<String, Value> {
    let edges = trace.flow.edges.iter().chain(&trace.flow.positions);
    let own = edges.filter(|edge| edge.statement == s.n);
    let does = |edge| dialectic_ledger::did(trace, edge).unwrap_or_else(|| endings::does(edge));
    let resolved = dialectic_ledger::resolved_by(trace, s).into_iter();
    let resolved = resolved.map(|id| (id, json!(Resolution::Resolved.word())));
    let all = own.map(|edge| (edge.at.as_str(), json!(does(edge)))).chain(resolved);
    all.map(|(id, did)| (dialectic_ledger::name(trace, id), did)).collect()
}

/// How what follows in an announcement of ours begins, if only readers are told it: prompts lack it.
const FOR_READERS: &str = "\n\nParticipants did not read the list";

/// What was said to participants, and what only readers are told.
fn parted(s: &Statement) -> (&str, &str) {
    let lists = s.text.find(FOR_READERS).filter(|_| s.origin == Origin::Template);
    s.text.split_at(lists.unwrap_or(s.text.len()))
}

fn shown(trace: &Trace, s: &Statement) -> Value {
    let stance = stances::spoken_for(trace, s).map(|stance| (stance, None));
    let (position, became) = stance.or_else(|| positions::held_in(trace, s)).unzip();
    let (text, for_readers) = parted(s);
    json!({
        "n": s.n, "round": statement_place::round_of(trace, s), "phase": s.phase.words(), "name": trace.name_of(&s.by), "position": position, "became": became.flatten(), "text": text, "for_readers": for_readers,
        "note": index::caution(trace, s), "model": s.model, "thinking": s.thinking, "cut": s.cut,
    })
}

fn machine(trace: &Trace, s: &Statement) -> Value {
    let mut fields = head(trace, s);
    fields.insert("text".to_owned(), json!(s.text));
    Value::Object(fields)
}

fn pretty(value: &Value) -> String {
    format!("{}\n", inert_json(&format!("{value:#}")))
}

/// A message as plain text, with what a reader must know before trusting it.
fn plain(trace: &Trace, s: &Statement, said: &str) -> String {
    let note = index::caution(trace, s);
    let note = note.map_or_else(String::new, |note| format!(" [{note}]"));
    let rehearsal = if trace.rehearsal { " (rehearsal)" } else { "" };
    let round = statement_place::round_of(trace, s);
    let round = round.map_or_else(String::new, |round| format!(", round {round}"));
    format!("{}{round}, {}{rehearsal}{note}:\n\n{said}\n", trace.name_of(&s.by), s.phase.words(),)
}

fn transcript(
    trace: &Trace,
    options: &OutputOptions,
    templates: &Templates,
) -> Result<Vec<Artifact>, TemplateError> {
    let statements: Vec<Value> = trace.statements.iter().map(|s| shown(trace, s)).collect();
    let (path, template) = ("transcript.md", "artifacts/transcript.md.j2");
    let context = with(trace, json!({"statements": statements}));
    let whole = rendered(path, template, templates, &context)?;
    let mut files = vec![whole];
    if options.formats.contains(&OutputFormat::Json) {
        let all: Value = trace.statements.iter().map(|s| machine(trace, s)).collect();
        files.push(Artifact::new("transcript.json", pretty(&all)));
    }
    if options.formats.contains(&OutputFormat::Text) {
        // Indented, so that no text can pass for the head of another's.
        let one = |s: &Statement| plain(trace, s, &text::indented(&s.text));
        let all = text::separated(trace.statements.iter().map(one), "\n");
        files.push(Artifact::new("transcript.txt", all));
    }
    Ok(files)
}
