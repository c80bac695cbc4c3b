//! Findings for people and tools: plain text, Markdown, CSV, HTML. Pure.

pub mod groups_csv;
pub mod text;
