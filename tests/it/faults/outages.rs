//! Servers that go away and come back in the middle of a batch.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;

use mock_ollama::{Answer, Call, Gate, MockOllama};

use super::Row;
use super::scenes::{JOB, Scene, is_first, is_on_llama, page};
use crate::harness::found::squeezed;
use crate::harness::{Place, Run, TINY_JOB, good, has, is, round_of, shows, trace_in, with_job};

/// One debate at a time; X's first statement is answered like that the first time.
fn scene(answer: impl Fn() -> Answer + Send + Sync + 'static) -> Scene {
    Scene::new().flags(&["--max-debates", "1"]).script(is_first, move |n| (n == 0).then(&answer))
}

/// Stops the server when the statement is under way, and starts it when the user knows. It goes just after it was asked
/// whether it is there, so that the broken reply tells of it and not the next such question.
fn goes_and_comes(row: &Row, scene: &Scene, under_way: impl Fn(&mut Run)) {
    scene.write();
    let mut run = scene.place.start(&scene.args());
    under_way(&mut run);
    let server = &scene.place.server;
    let questions = |calls: &[Call]| calls.iter().filter(|c| is_question(c)).count();
    let asked = questions(&server.calls());
    server.wait_until(|calls| questions(calls) > asked);
    server.stop();
    run.hears("waiting for the server: ");
    scene.place.server.resume();
    scene.check(row, &run.ends());
}

/// Whether the server is there.
fn is_question(call: &Call) -> bool {
    call.path == "/api/version" && call.completed
}

pub(super) fn gone_before_the_first_token(row: &Row) {
    let scene = scene(Answer::hang);
    goes_and_comes(row, &scene, |_| scene.place.server.wait_for_chats(1));
}

pub(super) fn gone_in_mid_stream(row: &Row) {
    let scene = scene(|| Answer::text("one two three").hang_after(1)).flags(&["--json"]);
    goes_and_comes(row, &scene, |run| run.prints("\"statement_chunk\""));
}

pub(super) fn another_version(row: &Row) {
    let newer = Arc::new(AtomicBool::new(false));
    let is_newer = Arc::clone(&newer);
    let scene = scene(Answer::hang).intercept(move |call| {
        let asked = call.path == "/api/version" && is_newer.load(Ordering::SeqCst);
        asked.then(|| Answer::raw(200, "application/json", r#"{"version":"0.99.0"}"#))
    });
    goes_and_comes(row, &scene, |_| {
        scene.place.server.wait_for_chats(1);
        newer.store(true, Ordering::SeqCst);
    });
    // Each debate records what it began with.
    for (topic, version) in [("voting be", "0.33.0"), ("cities be", "0.99.0")] {
        shows!(scene.trace(topic), {"models/0/server": version});
    }
}

/// No connection breaks, as when a host vanishes or a process is halted; the reply goes on when it is there again.
pub(super) fn gone_without_a_word(row: &Row) {
    let (gate, mute) = (Gate::new(), Arc::new(AtomicBool::new(false)));
    let (held, is_mute) = (gate.clone(), Arc::clone(&mute));
    let scene = scene(move || Answer::text("one two three").gate_after(1, held.clone())).intercept(
        move |call| {
            let mute = is_mute.load(Ordering::SeqCst) && !call.is_chat();
            mute.then(Answer::hang)
        },
    );
    scene.write();
    let mut run = scene.place.start(&scene.args());
    scene.place.server.wait_for_chats(1);
    mute.store(true, Ordering::SeqCst);
    let since = Instant::now();
    run.hears("waiting for the server: ");
    measured("fell silent", since);
    mute.store(false, Ordering::SeqCst);
    run.hears("the server answers again after ");
    gate.open();
    scene.check(row, &run.ends());
    assert_eq!(scene.asked(is_first).len(), 1, "the reply was not given up");
}

/// Everything, `/api/version` too, is answered with a login page for a while.
pub(super) fn login_page(row: &Row) {
    let pages = AtomicUsize::new(0);
    let scene = Scene::new().intercept(move |call| {
        let sent = pages.load(Ordering::SeqCst);
        let chat = sent == 0 && call.is_chat() && is_on_llama(call);
        let later = (1..3).contains(&sent) && call.path == "/api/version";
        (chat || later).then(|| {
            pages.fetch_add(1, Ordering::SeqCst);
            page(200, "Sign in")
        })
    });
    scene.flags(&["--max-debates", "1"]).plays(row);
}

/// The first round is over when it happens; that round is not asked again.
pub(super) fn model_removed(row: &Row) {
    let scene = of_two_rounds(|_| Some(Answer::model_not_found("llama3")));
    let scene = scene.flags(&["--model-timeout", "0s"]).plays(row);
    let status = scene.place.rebut_exits(0, &["status"]).stdout;
    has(&squeezed(&status), "first run `ollama pull llama3`");
    scene.goes_on();
    assert_eq!(scene.asked(is_first).len(), 1);
}

/// The first round is over when the model is gone for a moment.
pub(super) fn model_away(row: &Row) {
    of_two_rounds(|n| (n == 0).then(|| Answer::model_not_found("llama3"))).plays(row);
}

/// What the first debate's model answers in the second round.
fn of_two_rounds(answer: impl Fn(usize) -> Option<Answer> + Send + Sync + 'static) -> Scene {
    let scene = Scene::new().job(&JOB.replace("rounds: 1", "rounds: 2"));
    scene.script(|call| is_on_llama(call) && round_of(call) == 2, answer)
}

pub(super) fn gone_for_good(row: &Row) {
    let scene = scene(Answer::hang).flags(&["--outage-timeout", "1s"]);
    scene.write();
    let run = scene.place.start(&scene.args());
    scene.place.server.wait_for_chats(1);
    scene.place.server.stop();
    scene.check(row, &run.ends());
    scene.place.server.resume();
    scene.goes_on();
}

pub(super) fn gone_at_the_start(row: &Row) {
    let scene = Scene::new();
    scene.place.server.stop();
    let scene = scene.plays(row);
    scene.place.server.resume();
    scene.goes_on();
}

/// Shows how soon it was said, for who runs the test to see it; how busy the machine is decides over it too.
#[allow(clippy::print_stderr)]
fn measured(what: &str, since: Instant) {
    eprintln!("said {:?} after the server {what}", since.elapsed());
}

fn is_first_clerk(call: &Call) -> bool {
    is(call, "round-*/clerk") && call.attempt_of_same_body == 1
}

/// Holds back the first request for each of the clerk's notes until the server is gone.
fn holds_clerks(place: &Place) {
    place.reply_by(|call| is_first_clerk(call).then(Answer::hang));
}

/// Runs a debate whose clerk answers like that the first time; the server goes like that meanwhile, and comes back.
fn outage(
    clerk: impl Fn(&Call, &Gate) -> Answer + Send + Sync + 'static,
    goes: impl Fn(&MockOllama),
) {
    let place = with_job(TINY_JOB);
    let gate = Gate::new();
    let held = gate.clone();
    place.reply_by(move |call| is_first_clerk(call).then(|| clerk(call, &held)));
    let mut run = place.start(&["job.yaml"]);
    place.wait_for_clerks(1);
    goes(&place.server);
    gate.open();
    run.hears("waiting for the server: ");
    place.server.stop();
    place.server.resume();
    run.ends().exits(0);
    // An outage is no attempt.
    shows!(place.trace(), {"status": "done", "incidents": []});
}

#[test]
fn j10c_a_server_that_goes_away_is_waited_for_and_nothing_is_degraded() {
    outage(|call, held| good(call).after(held.clone()), MockOllama::stop);
}

/// Over the connections of the ballots, which are open still, it would answer.
#[test]
fn j10c_a_server_that_takes_no_more_connections_is_gone() {
    let breaks_off = |call: &Call, held: &Gate| {
        let reply = good(call).gate_after(1, held.clone());
        reply.disconnect_after(2)
    };
    outage(breaks_off, MockOllama::stop_listening);
}

#[test]
fn j10c_a_server_that_goes_away_again_and_again_is_told_of_once_each_time_and_harms_no_debate() {
    let place = Place::new();
    holds_clerks(&place);
    let job = JOB.replace("rounds: 1", "rounds: 3\nrepeat: 4");
    place.write("job.yaml", &job);
    let mut run = place.start(&["job.yaml", "--concurrency", "4"]);
    for outage in 1..=3 {
        place.server.wait_until(|calls| {
            let held = calls.iter().filter(|call| is_first_clerk(call));
            held.count() == 4 * outage
        });
        let since = Instant::now();
        place.server.stop();
        run.hears("waiting for the server: ");
        measured("was stopped", since);
        place.server.resume();
    }
    let ended = run.ends().exits(0);
    for told in ["waiting for the server", "the server answers again after"] {
        assert_eq!(ended.stderr.matches(told).count(), 3, "{}", ended.stderr);
    }
    assert_eq!(place.debates().len(), 4);
    for debate in place.debates() {
        shows!(trace_in(&debate), {"status": "done", "incidents": []});
    }
}
