//! `rebut` runs debates between language models on Ollama, unattended, and records them.
//!
//! The modules are listed bottom-up; each uses only those above it (checked by `tests/it/architecture.rs`).
//! The blank lines keep rustfmt from sorting the list.

pub mod clock;
pub mod digest;
pub mod shared;
pub mod stop;

pub mod call_id;
pub mod id;

pub mod files;
pub mod machine;
pub use text;

pub mod html;

pub mod templates;

pub mod question;

pub mod job;

pub mod plan;

pub mod model;

pub mod servers;

pub mod event;
pub mod flow;
pub mod journal;
pub mod sent;
pub mod trace;

pub mod panel;

pub mod labels;

pub mod facts;

pub mod floor;

pub mod formats;

pub mod artifacts;

pub mod store;

pub mod run;

#[cfg(feature = "fleet")]
pub mod fleet;

pub mod stats;

pub mod report;

pub mod export;

pub mod publish;

#[cfg(feature = "view")]
pub mod view;

pub mod cli;

#[cfg(test)]
#[path = "../tests/it/harness/properties.rs"]
mod properties;
