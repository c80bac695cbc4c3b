//! Findings for people and tools. Pure. One presentation tree (`document`) is rendered as text, as Markdown and as a page:
//! one HTML file with charts that needs neither a network nor a script. JSON holds the findings themselves.

mod brief;
mod charts;
mod commands;
mod cut;
mod document;
mod figures;
mod full;
pub mod groups_csv;
mod html;
mod json;
mod links;
mod list_limits;
mod markdown;
mod number;
mod one_topic;
mod sections;
mod text;
mod worth;

pub use self::figures::{FigureFile, figures};
pub use self::html::html;
pub use self::json::json;
pub(crate) use self::links::href;
pub use self::markdown::{brief, markdown};
pub use self::text::{WIDTH, short_text, text};
