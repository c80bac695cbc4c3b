//! Where a call was placed: its server and its turn there; and which servers refused it.

use super::super::turns::Turn;
use crate::model::NoReply;

/// A call's server, and its turn there if it takes a slot.
pub(super) struct Place<'p> {
    pub(super) at: usize,
    pub(super) turn: Option<Turn<'p>>,
    /// Whether the server must load the model for the call.
    pub(super) loads: bool,
}

/// The servers that refused a call, or could not serve one that the debate can do without, and the failure on the last.
#[derive(Default)]
pub(super) struct Refusals {
    pub(super) by: Vec<usize>,
    pub(super) last: Option<NoReply>,
}
