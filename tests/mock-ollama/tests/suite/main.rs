//! Drives the server over raw sockets.

mod client;
mod context;
mod endpoints;
mod faults;
mod life;
mod machine;
mod official;
mod program;
mod pull;
mod refusals;
mod replies;
mod streams;
