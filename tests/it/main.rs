//! Tests of `rebut` from outside: the real binary, a real socket, a real directory. A test is named after the row of the
//! requirements that it shows.

mod architecture;
mod artifacts;
mod bad_jobs;
mod commands;
mod faults;
mod harness;
mod jobs;
mod knockout;
mod models;
mod resume;
mod statistics;
mod together;
