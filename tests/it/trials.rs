//! The trials of the scheduler below `benches/night/`: their lower bound is right, and a small one runs from beginning to end.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::harness::say;

/// A Python that can read their settings, if there is one.
fn python() -> Option<Command> {
    let run = Command::new("python3").args(["-c", "import tomllib"]).output();
    if run.is_ok_and(|output| output.status.success()) {
        return Some(Command::new("python3"));
    }
    say("SKIPPED: the trials of the scheduler want Python 3.11");
    None
}

/// The mock server as a program, which `cargo test --workspace` builds.
fn mock() -> Option<PathBuf> {
    let mock = Path::new(env!("CARGO_BIN_EXE_rebut")).with_file_name("mock-ollama");
    let help = Command::new(&mock).arg("--help").output();
    if help.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains("--leaps")) {
        return Some(mock);
    }
    say("SKIPPED: a trial wants the mock server's program: cargo build -p mock-ollama");
    None
}

fn night() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/night")
}

#[test]
fn m1_the_bound_of_a_night_is_what_brute_force_finds() {
    let Some(mut python) = python() else { return };
    python.args(["-B", "-m", "unittest", "discover", "-s"]).arg(night());
    let output = python.output().expect("it runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.contains("\nOK"), "{said}");
}

#[test]
fn m1_a_small_trial_measures_a_run() {
    let (Some(mut python), Some(mock)) = (python(), mock()) else {
        return;
    };
    let place = tempfile::tempdir().expect("a directory");
    let figures = place.path().join("figures.json");
    python.arg("-B").arg(night().join("one_model.py"));
    python.args("--size tiny --format duel --clock leaps --naive no --rebut".split(' '));
    python.arg(env!("CARGO_BIN_EXE_rebut")).arg("--mock").arg(mock);
    let output = python.arg("-o").arg(&figures).output().expect("it runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let text = std::fs::read_to_string(figures).expect("figures");
    let duel = &serde_json::from_str::<Value>(&text).expect("JSON")["formats"]["duel"];
    let number = |pointer: &str| duel.pointer(pointer).and_then(Value::as_f64);
    assert_eq!(number("/debates"), Some(2.0), "{duel:#}");
    assert_eq!(number("/calls_of_no_finished_debate"), Some(0.0), "{duel:#}");
    // Nobody is faster than the bound, or reuses more than there is.
    assert!(number("/to_bound") >= Some(1.0), "{duel:#}");
    let reused = number("/reuse/share_of_repeatable");
    assert!(reused > Some(0.1) && reused <= Some(1.0), "{duel:#}");
    let busy = number("/busy/whole_run");
    assert!(busy > Some(0.1) && busy <= Some(1.0), "{duel:#}");
}

#[test]
fn j10c_a_bad_night_ends_as_a_calm_one() {
    let (Some(mut python), Some(mock)) = (python(), mock()) else {
        return;
    };
    let place = tempfile::tempdir().expect("a directory");
    let figures = place.path().join("figures.json");
    python.arg("-B").arg(night().join("bad.py"));
    python.args(["--size", "tiny", "--rebut", env!("CARGO_BIN_EXE_rebut")]);
    python.arg("--mock").arg(mock).arg("-o").arg(&figures);
    let output = python.output().expect("it runs");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}");
    let text = std::fs::read_to_string(figures).expect("figures");
    let figures: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(figures["finished"], figures["debates"], "{figures:#}");
    assert_eq!(figures["differ"], serde_json::json!([]), "{figures:#}");
    assert_eq!(figures["kills"], 2, "{figures:#}");
}
