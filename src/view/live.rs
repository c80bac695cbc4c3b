//! Debates in progress: each is read once, folded for its pages, and streamed to all who watch it.

pub(super) mod broadcast;
pub(super) mod following;
mod ongoing;
pub(super) mod open_debates;
pub(super) mod sse;
pub(super) mod stream;
mod trace_so_far;
