//! Tests of `rebut` from outside: the real binary, a real socket, a real directory. A test is named after the row of the
//! requirements that it shows.

// A test tells one story from beginning to end; samples and tables are data.
#![allow(clippy::too_many_lines)]

mod architecture;
mod artifacts;
mod artifacts_of_formats;
mod bad_jobs;
mod batches;
mod bias_detection;
mod budgets;
mod capable;
mod commands;
mod compared;
mod concurrency;
mod conduct;
mod context;
mod controls;
mod dialectic;
mod docs;
mod draws;
mod duel;
mod embeddings;
mod export;
mod faults;
#[cfg(all(feature = "fleet", unix))]
mod fleet;
mod formats;
mod guarantees;
mod harness;
mod hostile;
mod html;
mod jobs;
mod knockout;
mod labels;
mod leaderboards;
mod markdown;
mod merge;
mod model_names;
mod models;
mod moderated;
mod named_debates;
mod night;
mod own_judges;
mod pages;
mod panels;
mod plan_ids;
mod planted;
mod prompts;
mod questions;
mod reading;
mod rehearsed;
mod replies;
mod report;
mod resume;
mod retrieval;
mod roundtable;
mod scripts;
mod settings;
mod statistics;
mod status;
mod stdout;
mod store;
#[cfg(unix)]
mod terminal;
mod text_measures;
mod tournament;
mod trials;
mod view;
mod without_a_file;

// What needs the fault injector, which takes the place of functions of this C library.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod disk;
#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod fault_injector;
#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod kills;
#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod power;
mod prefix;

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
#[test]
fn j4_kills_and_faults_of_the_disk() {
    harness::say("SKIPPED: kills and faults of the disk are tried on Linux with glibc only");
}
