//! The scheduler's types of identifiers.

use std::sync::Arc;
use std::time::Duration;

/// Time since the pool was created.
pub type Moment = Duration;
/// A call's number, unique in a pool.
pub type Ticket = u64;
/// A debate's number, unique in a pool; older debates have smaller numbers.
pub type DebateNumber = u64;
/// A model's name, as jobs spell it.
pub type ModelName = Arc<str>;
