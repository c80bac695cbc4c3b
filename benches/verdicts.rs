//! How often the shipped statistics say what is not there, and miss what is: `cargo bench --bench verdicts -- 1..1000`.
//!
//! Each trial plants something in a corpus per seed and reads what is found. Every seed from the first to the last counts. The rate
//! is beside its 95% bound (Wilson) on the side that matters. Words after the seeds choose trials that have them in their names.

#![expect(clippy::print_stdout, reason = "a benchmark reports on its terminal")]

#[path = "../tests/it/planted/alone.rs"]
mod alone;
#[path = "../tests/it/planted/controls.rs"]
mod controls;
#[path = "../tests/it/planted/labels.rs"]
mod labels;
#[path = "../tests/it/planted/panels.rs"]
mod panels;
#[path = "../tests/it/planted/world.rs"]
mod world;

use std::process::ExitCode;

use rayon::prelude::*;
use statistics::wilson::wilson;

use world::{Must, TRIALS, Trial};

fn main() -> ExitCode {
    let given = std::env::args().skip(1).filter(|arg| arg != "--bench");
    let given: Vec<String> = given.collect();
    let seeds = given.first().map_or("1..200", String::as_str);
    let Some((first, last)) = seeds.split_once("..") else {
        println!("seeds are FIRST..LAST, such as 1..1000");
        return ExitCode::FAILURE;
    };
    let (Ok(first), Ok(last)) = (first.parse(), last.parse()) else {
        println!("`{seeds}` are no seeds");
        return ExitCode::FAILURE;
    };
    println!("seeds {first} to {last}");
    let words = given.get(1..).unwrap_or_default();
    let chosen = |trial: &&Trial| words.iter().all(|word| trial.name.contains(word.as_str()));
    let mut all_hold = true;
    let all = TRIALS.iter().chain(&controls::TRIALS);
    let all = all.chain(&alone::TRIALS).chain(&panels::TRIALS);
    for trial in all.chain(&labels::TRIALS).filter(chosen) {
        let (line, holds) = line(trial, first, last);
        println!("{line}");
        all_hold &= holds;
    }
    if all_hold { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// What a trial gave, and whether that is as it must be.
fn line(trial: &Trial, first: u64, last: u64) -> (String, bool) {
    let said: Vec<bool> = (first..=last).into_par_iter().filter_map(trial.found).collect();
    let found = said.iter().filter(|own| **own).count();
    let rate = found as f64 / said.len() as f64;
    let (low, high) = wilson(rate, said.len() as f64).unwrap_or((0.0, 1.0));
    let (must, holds) = match trial.must {
        Must::AtMost(most) => (format!("at most {:.0}%", most * 100.0), rate <= most),
        Must::AtLeast(least) => (format!("at least {:.0}%", least * 100.0), rate >= least),
        Must::Between(least, most) => (
            format!("{:.0} to {:.0}%", least * 100.0, most * 100.0),
            (least..=most).contains(&rate),
        ),
    };
    let line = format!(
        "{} {:5.1}% [{:.1}, {:.1}] = {found}/{}; {must}: {}",
        if holds { "ok  " } else { "FAIL" },
        rate * 100.0,
        low * 100.0,
        high * 100.0,
        said.len(),
        trial.name
    );
    (line, holds)
}
