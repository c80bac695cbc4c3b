//! The scheduler's types of identifiers.

use std::sync::Arc;
use std::time::Duration;

/// Time since the pool began.
pub(in crate::servers) type Moment = Duration;
/// A call's number, unique in a pool.
pub(in crate::servers) type Ticket = u64;
/// A debate's number, unique in a pool; the older, the smaller.
pub(in crate::servers) type DebateNumber = u64;
/// A model's name.
pub(in crate::servers) type ModelName = Arc<str>;
