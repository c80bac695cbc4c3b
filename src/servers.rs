//! The model servers of a run: a pool that routes calls, waits out server failures and caches embeddings.

mod answer;
mod as_wanted;
mod breaker;
mod concurrency;
pub mod embedding_cache;
mod handle;
mod liveness;
mod messages;
mod pool;
mod pooled_server;
mod pulled;
mod resend_limit;
mod routing;
mod streaks;
mod tally;
mod turns;
mod view;

pub(crate) use self::as_wanted::as_wanted;
pub use self::concurrency::Concurrency;
pub use self::handle::PoolHandle;
pub use self::pool::{OnNotice, PoolConfig, ServerPool};
pub use self::routing::Outlook;
pub use self::tally::ServerSums;
pub use self::view::{ServerFailure, ServerView};

#[cfg(test)]
mod tests;
