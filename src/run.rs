//! Many debates at once: what is finished is skipped, what was interrupted goes on, what ends is published.

pub mod batch;
pub mod debate;
mod schedule;
