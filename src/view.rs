//! `rebut view`: the pages of an output directory by HTTP, and one stream of what goes on in it. It reads files, and writes
//! only that somebody looks on. The directory and whoever asks are both taken for hostile.

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
mod guard;
mod hub;
mod index;
mod limits;
mod lists;
mod made;
mod overview;
mod patience;
mod public;
mod report;
mod respond;
mod routes;
mod server;
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
