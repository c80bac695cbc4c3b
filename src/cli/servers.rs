//! The servers that a command uses: their addresses, connecting to them, the weights of their models.

pub(super) mod addresses;
pub(super) mod connect;
pub(super) mod differing_weights;
