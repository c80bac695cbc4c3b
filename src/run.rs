//! Many debates at once: what is finished is skipped, what was interrupted goes on, what ends is published.

pub mod batch;
pub mod debate;
pub mod embeddings;
pub mod finished;
pub mod gate;
pub mod lists;
pub mod orphans;
pub mod output;
pub mod rating;
pub mod rendering;
pub mod replacing;
pub mod replay;
pub mod retry;
pub mod stop;
pub mod store;
