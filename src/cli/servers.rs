//! The servers that a command uses: their addresses, connecting to them, which of them answer.

pub(super) mod addresses;
pub(super) mod connect;
pub(super) mod roll_call;
