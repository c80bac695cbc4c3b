//! Row L3: `rebut view` and `rebut watch`, by real sockets.

mod client;
mod limits;
mod live;
mod overview;
mod paged;
mod pages;
mod votes;
mod watch;
mod who;
