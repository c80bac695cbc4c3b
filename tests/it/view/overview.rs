//! The overview: what runs, what waits, what was cut off, and what needs someone.

use mock_ollama::{Answer, Gate};
use serde_json::Value;

use super::client::{Viewer, running};
use crate::budgets::two_held;
use crate::harness::{TINY_JOB, good, has, has_all, is, lacks, list, read, with_job};

/// The page, once it has this.
fn page_with(viewer: &Viewer, part: &str) -> String {
    loop {
        let page = viewer.page("/");
        if page.contains(part) {
            return page;
        }
    }
}

#[cfg(unix)]
#[test]
fn l3_after_a_kill_the_overview_tells_what_was_cut_off_and_how_to_go_on() {
    let (place, gate, run) = two_held();
    let viewer = Viewer::over(&place, &[]);
    page_with(&viewer, "0 of 2 debates ended");
    let id = running(&place);
    let mut events = viewer.stream(&format!("/d/{id}/events"), "");
    events.until("now");
    run.kill();
    // Who watches is told, and that nobody speaks any more.
    events.until("stopped");
    assert_eq!(events.until("now")[0].data, "[]");
    let page = viewer.page("/");
    let command = "rebut run --retry-delay 1ms job.yaml</code>";
    has_all(
        &page,
        &[
            "was killed, or lost to a power cut: 0 of 2 debates ended",
            &format!("<a href=\"/d/{id}\"><bdi>Should voting be compulsory?</bdi></a>"),
            &format!("{id} · unfinished · cut off"),
            command,
        ],
    );
    let debate = viewer.page(&format!("/d/{id}"));
    has_all(&debate, &["unfinished and not running", command]);
    let mut late = viewer.stream(&format!("/d/{id}/events"), "");
    late.until("stopped");
    let public = Viewer::over(&place, &["--public"]);
    let told = [public.page("/"), public.page(&format!("/d/{id}"))];
    has(&told[0], &format!("{id} · unfinished"));
    told.iter().for_each(|page| lacks(page, &["rebut run"]));
    gate.open();
}

#[test]
fn l3_debates_that_are_not_done_are_named_with_their_causes() {
    let place = with_job(TINY_JOB);
    place.reply_by(|call| {
        is(call, "round-1/statement/*").then(|| Answer::load_failed("exit status 1"))
    });
    place.run(&["--model-timeout", "0s", "job.yaml"]);
    let batches = list(&place.path().join("output/batches"));
    let batch: Value = serde_json::from_str(&read(&batches[0])).expect("JSON");
    let id = batch["causes"][0]["first"][0]["id"]
        .as_str()
        .expect("an id");
    let viewer = Viewer::over(&place, &[]);
    let page = viewer.page("/");
    has_all(
        &page,
        &[
            "Needs attention",
            "Should voting be compulsory?",
            &format!("{id} · unfinished · gave up on the server with llama3"),
        ],
    );
    let public = Viewer::over(&place, &["--public"]).page("/");
    has(&public, &format!("{id} · unfinished<"));
    lacks(&public, &["gave up"]);
    // Nothing of it can be shown.
    lacks(&viewer.page("/"), &[&format!("<a href=\"/d/{id}\">")]);
    let reply = viewer.get(&format!("/d/{id}"));
    assert_eq!(reply.status, 404);
    has(&reply.body, "This debate is unfinished");
}

#[test]
fn l3_what_was_finished_before_a_batch_is_told_with_it() {
    let place = with_job(TINY_JOB);
    place.run_exits(0, &["--rehearse", "job.yaml"]);
    place.write("more.yaml", &format!("{TINY_JOB}seed: 7\n"));
    place.run_exits(0, &["--rehearse", "job.yaml", "more.yaml"]);
    let page = Viewer::over(&place, &[]).page("/");
    has(&page, "Last batch: 1 done in ");
    has(&page, " (1 finished before)");
}

#[test]
fn l3_while_no_server_answers_the_overview_says_so_and_promises_no_end() {
    let place = with_job(TINY_JOB);
    let gate = Gate::new();
    let held = gate.clone();
    place
        .server
        .script(move |call| good(call).after(held.clone()));
    let run = place.start(&["--outage-timeout", "never", "job.yaml"]);
    place.server.wait_for_chats(1);
    let viewer = Viewer::over(&place, &[]);
    let public = Viewer::over(&place, &["--public"]);
    place.server.stop();
    let url = place.server.url();
    let page = page_with(&viewer, &format!("Waiting: {url} does not answer."));
    lacks(&page, &["\u{a0}left"]);
    let page = public.page("/");
    has(&page, "Waiting: a server does not answer.");
    lacks(&page, &[&url]);
    run.kill();
}

#[test]
fn l3_whoever_comes_is_told_the_newest_state() {
    let place = with_job(TINY_JOB);
    place.run_exits(0, &["--rehearse", "job.yaml"]);
    let viewer = Viewer::over(&place, &[]);
    let first = || viewer.stream("/events", "").until("state").remove(0).json();
    // It was told something, and nobody looks on any more.
    assert_eq!(first()["finished"], 1);
    place.run_exits(0, &["--rehearse", "--seed", "7", "job.yaml"]);
    page_with(&viewer, "<span id=\"finished\">2</span>");
    assert_eq!(first()["finished"], 2);
}
