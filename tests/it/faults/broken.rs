//! Servers that are there and fail calls: one of two, all calls, or those of one debate.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use mock_ollama::{Answer, Call, Gate};

use super::Row;
use super::scenes::{JOB, Scene, is_first, is_on_llama};
use crate::harness::{Run, good, has, shows, trace_in};

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
