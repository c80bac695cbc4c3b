//! The place of a call: its server, and its turn there.

use super::super::turns::Turn;
use crate::model::NoReply;

/// The server of a call, and its turn there if it takes a slot.
pub(super) struct Place<'p> {
    pub(super) at: usize,
    pub(super) turn: Option<Turn<'p>>,
    /// Whether the server must load the model for it.
    pub(super) loads: bool,
}

/// The servers that cannot serve a call which a debate can do without, and the last one's failure.
#[derive(Default)]
pub(super) struct Refusals {
    pub(super) by: Vec<usize>,
    pub(super) last: Option<NoReply>,
}
