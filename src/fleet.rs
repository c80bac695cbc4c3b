//! Many machines on one batch: a NATS server with JetStream holds its debates, their journals and their results (rows F1, F2).
//!
//! A queue only says what may be done; journals say what was. A worker's first record in a debate's journal says who continues it,
//! and every later record says which one it follows: whoever lost the debate meanwhile is refused. A debate is committed once, as
//! the first message under its name.

mod address;
mod archive;
mod atomic_publish;
mod collect;
mod done;
mod enqueue;
mod error;
mod inputs;
mod journal;
mod lease;
mod local;
mod login;
mod models;
mod names;
mod nats;
mod overview;
mod pools;
mod presence;
mod runs;
mod sequenced_message;
mod spectator;
#[cfg(test)]
mod tests;
mod work_item;
mod worker;

pub use self::address::Address;
pub use self::collect::{Collected, Collector};
pub use self::enqueue::{Enqueued, Enqueuer};
pub use self::error::FleetError;
pub use self::lease::Ended;
pub use self::login::Logins;
pub use self::nats::Nats;
pub use self::overview::{Overview, PoolView, RunView};
pub use self::pools::Pool;
pub use self::presence::{WorkerNote, workers};
pub use self::runs::cancel;
pub use self::spectator::{Sight, Spectator};
pub use self::worker::Worker;
