//! Whether a debate may still make calls, checked when a call gets its turn, since it may have waited for long.

use futures_util::future::BoxFuture;

/// Says before each call of a debate whether the debate is still this process's.
pub trait Permit: std::fmt::Debug + Send + Sync {
    /// Whether the call may be sent.
    fn may_ask(&self) -> BoxFuture<'_, bool>;
}
