//! Tests of `rebut` from outside: the real binary, a real socket, a real directory. A test is named after the row of the
//! requirements that it shows.

mod architecture;
mod artifacts;
mod artifacts_of_formats;
mod bad_jobs;
mod commands;
mod dialectic;
mod draws;
mod duel;
mod embeddings;
mod export;
mod faults;
mod formats;
mod guarantees;
mod guide;
mod harness;
mod hostile;
mod jobs;
mod knockout;
mod markdown;
mod models;
mod moderated;
mod plan_ids;
mod planted;
mod reading;
mod report;
mod resume;
mod retrieval;
mod roundtable;
mod standings;
mod statistics;
mod store;
mod text_measures;
mod together;

// What needs the witness, which takes the place of functions of this C library.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod disk;
#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod kills;
#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod power;
mod prefix;
#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod witness;

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
#[test]
fn j4_kills_and_faults_of_the_disk() {
    harness::say("SKIPPED: kills and faults of the disk are tried on Linux with glibc only");
}
