//! What more than one store of debates is tested with.

pub(crate) mod conformance;
