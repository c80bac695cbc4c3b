//! Drives the server over raw sockets.

mod client;
mod endpoints;
mod faults;
mod life;
mod replies;
mod streams;
