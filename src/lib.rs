//! `rebut` runs debates between language models on Ollama, unattended, and writes them down.
//!
//! The modules stand bottom-up; each uses only what stands above it in this list (`tests/architecture.rs` checks it).

pub mod artifacts;
pub mod cli;
pub mod clock;
pub mod digest;
pub mod event;
pub mod files;
pub mod floor;
pub mod formats;
pub mod job;
pub mod journal;
pub mod model;
pub mod plan;
pub mod run;
pub mod stats;
pub mod templates;
pub mod text;
pub mod trace;
