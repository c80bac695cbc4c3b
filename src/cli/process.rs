//! The process of a command: its runtime, the signals it gets, how it fails, and the command as given.

pub(super) mod failure;
pub(super) mod invocation;
pub(super) mod runtime;
pub(super) mod signals;
