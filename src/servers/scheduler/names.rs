//! The scheduler's types of identifiers.

use std::sync::Arc;
use std::time::Duration;

/// Time since the pool was created.
pub(in crate::servers) type Moment = Duration;
/// A call's number, unique in a pool.
pub(in crate::servers) type Ticket = u64;
/// A debate's number, unique in a pool; older debates have smaller numbers.
pub(in crate::servers) type DebateNumber = u64;
pub(in crate::servers) type ModelName = Arc<str>;
