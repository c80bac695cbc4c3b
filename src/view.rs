//! `rebut view`: the pages on an output directory over HTTP, and a stream of each open debate. It reads files, and writes
//! only the fact that someone is watching. The directory and clients are both considered hostile.

mod access;
mod app;
mod assets;
mod blocking_work;
mod calls;
mod compare;
mod connection_limits;
mod debate;
mod debates;
mod files;
mod finished_cache;
mod idle;
mod index;
mod live;
mod needs;
mod other_batches;
mod overview;
mod public;
mod report;
mod report_cache;
mod request_guard;
mod respond;
mod routes;
mod serving;
mod voting;
mod write_timeout;

pub use self::access::{Access, key};
pub use self::app::Viewer;
pub use self::public::corpus as in_public;
pub use self::report_cache::ReportPage;
pub use self::serving::serve;
pub use self::voting::voters::Voters;
