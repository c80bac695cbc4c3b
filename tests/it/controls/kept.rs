//! What is told of controls that a debate keeps from beginning, and what makes them begin.

use mock_ollama::Answer;
use serde_json::Value;

use super::{by_arm, place, reply};
use crate::harness::{Ended, Place, has, is, lacks, list, read};

const ONLY_CONTROLS: [&str; 3] = ["job.yaml", "--only", "arm=self_consistency"];
const RETRY: &str = "--retry degraded,failed";
/// What makes controls begin, whatever keeps them.
const BEGIN: &str = "controls begin once the debates they are matched to have ended well: ";

/// The line on the control that did not start.
fn line(ended: &Ended) -> &str {
    let mut lines = ended.stdout.lines();
    let found = lines.find(|line| line.starts_with("not started\t"));
    found.expect("a line for the control")
}

/// What the newest batch says is to be run next.
fn next(place: &Place) -> String {
    let files = list(&place.path().join("output/batches"));
    let mut files = files.iter().rev();
    let json = files.find(|it| it.extension().is_some_and(|own| own == "json"));
    let summary: Value = serde_json::from_str(&read(json.expect("a summary"))).expect("JSON");
    summary["next"].as_str().expect("a command").to_owned()
}

fn arms(place: &Place) -> Vec<String> {
    by_arm(place).into_keys().collect()
}

#[test]
fn c3_a_control_whose_debate_has_not_ended_needs_that_run_and_no_retry() {
    let place = place(1, "arms: [self_consistency]\n");
    let ended = place.run_exits(1, &ONLY_CONTROLS);
    has(line(&ended), ", which it is matched to, has not ended");
    has(&ended.stderr, &format!("{BEGIN}run these too"));
    lacks(&ended.stderr, &["--retry"]);
    lacks(&next(&place), &["--retry"]);
    place.run_exits(0, &["job.yaml"]);
    assert_eq!(arms(&place), ["debate", "self_consistency"]);
}

#[test]
fn c3_a_control_whose_debate_failed_needs_a_retry_of_that() {
    let place = place(1, "arms: [self_consistency]\non_failure: abort\n");
    place.server.script(|call| {
        if is(call, "*/statement/*") { Answer::status(400, "no") } else { reply(call) }
    });
    let ended = place.run_exits(1, &["job.yaml"]);
    has(line(&ended), ", which it is matched to, failed");
    let told = ended.stderr.lines().find(|line| line.contains(BEGIN)).expect("what makes it begin");
    assert!(told.ends_with(&format!("job.yaml {RETRY}")), "{told}");
    has(&next(&place), RETRY);
    // A retry of what was asked for is of no use if that is the control alone.
    let ended = place.run_exits(1, &ONLY_CONTROLS);
    has(line(&ended), ", which it is matched to, failed");
    has(&ended.stderr, &format!("{BEGIN}run these too, with {RETRY}"));
    lacks(&next(&place), &["--retry"]);
    place.server.script(reply);
    let again = [&ONLY_CONTROLS[..], &["--retry", "degraded,failed"]].concat();
    place.run_exits(1, &again);
    assert_eq!(arms(&place), ["debate"]);
    place.run_exits(0, &["job.yaml", "--retry", "degraded,failed"]);
    assert_eq!(arms(&place), ["debate", "self_consistency"]);
}
