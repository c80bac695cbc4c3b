//! Drives the server over raw sockets.

mod client;
mod context;
mod endpoints;
mod faults;
mod generate;
mod life;
mod machine;
mod official;
mod program;
mod refusals;
mod replies;
mod streams;
