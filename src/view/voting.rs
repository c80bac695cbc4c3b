//! The audience's votes: who may vote, on what, and how a vote reaches the disk.

pub(super) mod open_votes;
pub(super) mod vote;
pub(super) mod vote_state;
pub(super) mod vote_writer;
pub(super) mod voters;
mod windows;
