//! `rebut view`: the pages on an output directory over HTTP, and a stream of each open debate. It reads files, and writes
//! only the fact that someone is watching. The directory and clients are both considered hostile.

mod access;
mod app;
mod archive;
mod aside;
mod assets;
mod calls;
mod compare;
mod debate;
mod debates;
mod files;
mod following;
mod guard;
mod hub;
mod index;
mod interner;
mod kept;
mod limits;
mod line;
mod listed;
mod lists;
mod made;
mod ongoing;
mod overview;
mod patience;
mod public;
mod report;
mod respond;
mod routes;
mod row;
mod server;
mod so_far;
mod sse;
mod stream;
mod vote;
mod vote_box;
mod voters;
mod windows;

pub use self::access::{Access, key};
pub use self::app::Viewer;
pub use self::made::ReportPage;
pub use self::public::corpus as in_public;
pub use self::server::serve;
pub use self::voters::Voters;
