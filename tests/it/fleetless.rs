//! Row F1: a build without the feature `fleet` knows the commands for several machines and says what they need.

use crate::harness::{Place, has};

#[test]
fn f1_a_build_without_the_fleet_says_how_to_get_it() {
    let place = Place::new();
    place.write("job.yaml", "format: knockout\ntopic: T\n");
    for command in [
        &["enqueue", "job.yaml"][..],
        &["worker"],
        &["collect"],
        &["cancel"],
        &["status"],
    ] {
        let url = ["--nats", "nats://127.0.0.1:1"];
        let ended = place.rebut_exits(2, &[command, &url].concat());
        has(
            &ended.stderr,
            "error: this build of rebut has no commands for several machines",
        );
        has(
            &ended.stderr,
            "hint: build it with them: cargo install --path . --features fleet",
        );
        let help = place.rebut(&[command[0], "--help"]);
        let words: Vec<&str> = help.stdout.split_whitespace().collect();
        has(&words.join(" "), "build with `--features fleet`");
    }
}
