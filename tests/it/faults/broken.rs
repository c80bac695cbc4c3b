//! Servers that are there and fail calls: one of two, all calls, or those of one debate.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use mock_ollama::{Answer, Call, Gate, MockOllama};

use super::Row;
use super::scenes::{JOB, Scene, is_first, is_on_llama};
use crate::harness::{Place, Run, good, has, lacks, shows, trace_in};

/// Four debates before the other one, which comes when they leave it a slot: were its model loaded first, a single call of
/// theirs would load the second model, and the others would wait for that.
fn four(flags: &[&'static str]) -> Scene {
    let job = JOB.replace("rounds: 1", "rounds: 1\nrepeat: 4");
    Scene::new().job(&job).flags(&["-j", "4"]).flags(flags)
}

/// Starts the debates on a server that fails each call to their model until told otherwise. No call fails before all four
/// debates have made one; they made `before` such calls in earlier runs.
fn failing(scene: &Scene, before: usize) -> (Run, Arc<AtomicBool>) {
    let (is_well, gate) = (Arc::new(AtomicBool::new(false)), Gate::new());
    let (well, held) = (Arc::clone(&is_well), gate.clone());
    scene.place.server.script(move |call| {
        if is_on_llama(call) && !well.load(Ordering::SeqCst) {
            Answer::runner_stopped().after(held.clone())
        } else {
            good(call)
        }
    });
    let run = scene.place.start(&scene.args());
    let firsts = |calls: &[Call]| calls.iter().filter(|call| is_first_on_llama(call)).count();
    scene.place.server.wait_until(|calls| firsts(calls) >= before + 4);
    gate.open();
    (run, is_well)
}

fn is_first_on_llama(call: &Call) -> bool {
    call.path == "/api/chat" && is_on_llama(call) && is_first(call)
}

pub(super) fn for_all(row: &Row) {
    let scene = four(&[]);
    scene.write();
    let (mut run, is_well) = failing(&scene, 0);
    run.hears("waiting for the server with llama3: ");
    is_well.store(true, Ordering::SeqCst);
    scene.check(row, &run.ends());
    for debate in scene.place.debates() {
        shows!(trace_in(&debate), {"status": "done", "incidents": []});
    }
}

pub(super) fn for_good(row: &Row) {
    let scene = four(&["--model-timeout", "0s"]);
    scene.write();
    let (run, _) = failing(&scene, 0);
    let ended = run.ends();
    scene.check(row, &ended);
    has(&ended.stderr, "1 done, 4 unfinished");
    scene.goes_on();
}

/// A debate has three attempts a call.
#[test]
fn j10c_nights_on_which_a_server_fails_every_call_cost_no_debate_its_attempts() {
    let scene = four(&["--model-timeout", "0s"]);
    scene.write();
    for night in 0..4 {
        let (run, _) = failing(&scene, 4 * night);
        let ended = run.ends().exits(1);
        has(&ended.stderr, "4 unfinished");
        assert_eq!(scene.place.debates().len(), 1);
    }
    scene.goes_on();
    assert_eq!(scene.place.debates().len(), 5);
    for debate in scene.place.debates() {
        shows!(trace_in(&debate), {"status": "done", "incidents": []});
    }
}

#[test]
fn j10c_a_server_that_fails_every_call_harms_no_debate_while_another_works() {
    let (place, other) = (Place::new(), MockOllama::start());
    place.serve_well(&other);
    place.server.script(|_| Answer::runner_stopped());
    place.write("job.yaml", &JOB.replace("rounds: 1", "rounds: 1\nrepeat: 12"));
    let (here, there) = (place.server.url(), other.url());
    let ended = place.run_exits(0, &["job.yaml", "--host", &here, "--host", &there]);
    assert_eq!(place.statuses(), ["done"; 12]);
    let line = "; sending its calls to the other servers, giving up after 10m (--model-timeout)";
    assert_eq!(ended.stderr.matches(line).count(), 1, "{}", ended.stderr);
}

#[test]
fn m2_a_debate_whose_calls_alone_fail_does_not_hold_up_the_others() {
    let place = Place::new();
    place.reply_by(|call| {
        let fails = is_first(call) && call.text().contains("voting be compulsory");
        fails.then(Answer::runner_stopped)
    });
    let lone = JOB.replace("x: {fallback: [mistral]}\n", "");
    place.write("jobs/a.yaml", &lone);
    let others = lone.replace("voting be compulsory", "cities be smaller");
    place.write("jobs/b.yaml", &others.replace("rounds: 1", "rounds: 1\nrepeat: 6"));
    let ended = place.run_exits(1, &["jobs"]);
    lacks(&ended.stderr, &["waiting for the server"]);
    let mut statuses = place.statuses();
    statuses.sort();
    assert_eq!(statuses[0], "degraded");
    assert_eq!(statuses[1..], ["done"; 6]);
    let asked = place.server.chats();
    let asked = asked.iter().filter(|call| is_first(call) && call.text().contains("voting"));
    assert_eq!(asked.count(), 3);
}
