//! What a CommonMark parser with GitHub's extensions makes of an artifact: the oracle for text that must stay text.

use std::path::Path;

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

/// What a reader's program finds in a Markdown file.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Structure {
    /// Every mark in order: blocks, links, code, each with how many lists and quotes it stands in.
    pub(crate) marks: Vec<String>,
    /// Where its links lead.
    pub(crate) links: Vec<String>,
    /// Its text, without what stands in code blocks.
    pub(crate) text: String,
}

/// The structure of a Markdown text. With `prose`, paragraphs, lists and emphasis are left out: a speaker may use them.
pub(crate) fn structure(markdown: &str, prose: bool) -> Structure {
    let mut found = Structure::default();
    let (mut depth, mut in_code) = (0_usize, false);
    for event in Parser::new_ext(without_front_matter(markdown), extensions()) {
        match &event {
            Event::Start(Tag::CodeBlock(_)) => in_code = true,
            Event::End(TagEnd::CodeBlock) => in_code = false,
            Event::Start(Tag::Link { dest_url, .. }) => found.links.push(dest_url.to_string()),
            Event::Start(Tag::Item | Tag::BlockQuote(_)) => depth += 1,
            Event::End(TagEnd::Item | TagEnd::BlockQuote(_)) => depth -= 1,
            Event::Text(text) if !in_code => found.text.push_str(text),
            Event::SoftBreak | Event::HardBreak => found.text.push('\n'),
            _ => {}
        }
        let mark = mark(&event, in_code).filter(|mark| !(prose && is_prose(mark)));
        found.marks.extend(mark.map(|mark| format!("{mark} {depth}")));
    }
    found
}

fn extensions() -> Options {
    Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_GFM
        | Options::ENABLE_DEFINITION_LIST
        | Options::ENABLE_WIKILINKS
}

/// A name for what an event opens, closes or is; none for plain text.
fn mark(event: &Event<'_>, in_code: bool) -> Option<String> {
    match event {
        Event::Text(text) if in_code => Some(format!("code {}", signs(text))),
        Event::Text(_) | Event::SoftBreak | Event::HardBreak => None,
        Event::Start(Tag::Heading { level, .. }) => Some(format!("heading {level:?}")),
        Event::Start(Tag::Link { .. }) => Some("link".to_owned()),
        Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(kind))) => Some(format!("fence {kind}")),
        Event::Start(tag) => Some(format!("{tag:?}")),
        Event::End(tag) => Some(format!("end of {tag:?}")),
        other => Some(format!("{other:?}")),
    }
}

/// The signs of a Mermaid graph's syntax in a text, its names and numbers left out.
fn signs(text: &str) -> String {
    let acts = |c: &char| "\"[]{}<>#;`\n".contains(*c);
    text.chars().filter(acts).collect()
}

fn is_prose(mark: &str) -> bool {
    let words = [
        "Paragraph",
        "List(",
        "Item",
        "Emphasis",
        "Strong",
        "Strikethrough",
        "TaskListMarker",
        "Table",
    ];
    words.iter().any(|word| mark.starts_with(word) || mark.starts_with(&format!("end of {word}")))
}

/// A file's text behind its front matter.
fn without_front_matter(markdown: &str) -> &str {
    let body = markdown.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---\n"));
    body.map_or(markdown, |(_, body)| body)
}

/// The front matter of a file, read as any YAML library reads it.
pub(crate) fn front_matter(markdown: &str) -> serde_json::Value {
    let (yaml, _) = markdown
        .strip_prefix("---\n")
        .and_then(|rest| rest.split_once("\n---\n"))
        .expect("the file begins with front matter");
    serde_norway::from_str(yaml).unwrap_or_else(|e| panic!("no YAML: {e}\n{yaml}"))
}

/// The links of a file that do not lead to another file below its directory's neighbours.
pub(crate) fn stray_links(file: &Path, structure: &Structure) -> Vec<String> {
    let dir = file.parent().expect("a file has a directory");
    let links = structure.links.iter();
    links
        .filter(|link| link.contains(':') || link.starts_with('/') || !dir.join(link).is_file())
        .cloned()
        .collect()
}
