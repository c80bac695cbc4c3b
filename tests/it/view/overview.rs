//! The overview: what runs, what waits, what was cut off, and what needs someone.

use mock_ollama::{Answer, Call, Card, Gate, MockOllama};
use serde_json::Value;

use super::client::{Viewer, running};
use crate::budgets::two_held;
use crate::controls;
use crate::harness::{
    Place, Run, TINY_JOB, entries_of, good, has, has_all, is, lacks, list, read, trace_in, with_job,
};

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
    page_with(&viewer, &format!("href=\"/d/{id}\""));
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
            &format!("<a href=\"/d/{id}\"><bdi>Should voting be compulsory?</bdi></a>"),
            &format!("{id} · unfinished · cut off"),
            command,
        ],
    );
    // The second may have begun since the run last told of itself.
    let is_told =
        |counts| page.contains(&format!("was killed, or lost to a power cut: {counts} in "));
    assert!(["2 unfinished", "1 unfinished, 1 not started"].into_iter().any(is_told), "{page}");
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
    let id = batch["causes"][0]["first"][0]["id"].as_str().expect("an id");
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
    assert_eq!(reply.status, 200);
    has_all(
        &reply.body,
        &[
            "This debate has not begun.",
            "rebut run --retry-delay 1ms --model-timeout 0s job.yaml</code>",
        ],
    );
}

/// A batch names the first five debates of a cause only.
#[cfg(unix)]
#[test]
fn l3_what_one_stop_left_has_one_cause() {
    let place = with_job(&format!("{TINY_JOB}repeat: 7\n"));
    let (gate, mut run) = place.start_held(&["job.yaml", "--max-debates", "7"], 1);
    let running = || list(&place.path().join("output/.rebut/running"));
    while running().iter().filter(|it| !entries_of(it).is_empty()).count() < 7 {}
    run.signal("-INT");
    run.hears("stopping after the calls in flight");
    gate.open();
    run.ends().exits(130);
    let page = Viewer::over(&place, &[]).page("/");
    assert_eq!(page.matches("stopped before the end by an interrupt").count(), 7, "{page}");
}

#[test]
fn l3_what_was_finished_before_a_batch_is_told_with_it() {
    let place = with_job(TINY_JOB);
    place.run_exits(0, &["--rehearse", "job.yaml"]);
    place.write("more.yaml", &format!("{TINY_JOB}seed: 7\n"));
    place.run_exits(0, &["--rehearse", "job.yaml", "more.yaml"]);
    let page = Viewer::over(&place, &[]).page("/");
    has(&page, "Last batch: 1 done in ");
    has(&page, "; 1 finished before");
    place.write("output/batches/9999.json", "{");
    has(&Viewer::over(&place, &[]).page("/"), "Last readable batch: 1 done in ");
}

#[test]
fn l3_while_no_server_answers_the_overview_says_so_and_promises_no_end() {
    let place = with_job(TINY_JOB);
    let (_gate, run) = place.start_held(&["--outage-timeout", "never", "job.yaml"], 1);
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

/// A run with one debate that waits for its reply, and another on zoos whose ballots get another answer.
fn with_zoos(ballot: Answer) -> (Place, Gate, Run) {
    let place = with_job(TINY_JOB);
    let zoos = "topic: Should zoos be closed?\nrounds: 1\nallow_explicit: true\n";
    place.write("zoos.yaml", zoos);
    let gate = Gate::new();
    let held = gate.clone();
    place.server.script(move |call| {
        if !call.body.to_string().contains("zoos") {
            good(call).after(held.clone())
        } else if is(call, "round-1/ballot/*") {
            ballot.clone()
        } else {
            good(call)
        }
    });
    let run = place.start(&["zoos.yaml", "job.yaml"]);
    place.server.wait_for_chats(1);
    (place, gate, run)
}

#[test]
fn l3_what_goes_wrong_is_named_while_the_run_goes_on() {
    let (place, gate, run) = with_zoos(Answer::status(400, "no such luck"));
    let viewer = Viewer::over(&place, &[]);
    let page = page_with(&viewer, "id=\"needs-box\">");
    lacks(&page, &["From other batches"]);
    let needs = page.split("Needs attention").nth(1).expect("what needs someone");
    has_all(
        needs,
        &[
            "<bdi>Should zoos be closed?</bdi>",
            " · degraded · ",
            "no such luck",
            "rebut run --retry-delay 1ms zoos.yaml job.yaml --retry degraded,failed</code>",
            "once this run has ended",
        ],
    );
    let state = viewer.stream("/events", "").until("state").remove(0).json();
    assert_eq!(state["needs"][0]["standing"], "degraded");
    let public = Viewer::over(&place, &["--public"]).page("/");
    has(&public, " · degraded<");
    lacks(&public, &["no such luck", "rebut run"]);
    gate.open();
    run.ends().exits(1);
}

#[test]
fn l3_a_control_whose_debate_failed_before_is_named_with_what_asks_again() {
    let place = controls::place(1, "arms: [self_consistency]\non_failure: abort\n");
    place.server.script(|_| Answer::status(400, "no such luck"));
    place.run_exits(1, &["job.yaml"]);
    place.write("other.yaml", TINY_JOB);
    let (gate, run) = place.start_held(&["job.yaml", "other.yaml"], 1);
    let viewer = Viewer::over(&place, &[]);
    let is_told =
        |page: &str| page.contains(" of 3 debates ended") && page.contains(" · not started · ");
    let page = loop {
        let page = viewer.page("/");
        if is_told(&page) {
            break page;
        }
    };
    let command = "rebut run --retry-delay 1ms job.yaml other.yaml --retry degraded,failed</code>";
    has(&page, command);
    gate.open();
    run.ends().exits(1);
}

#[test]
fn l3_the_page_of_a_control_leads_to_the_debate_that_it_was_matched_to() {
    let place = controls::place(1, "arms: [self_consistency]\n");
    place.run_exits(0, &["job.yaml"]);
    let traces: Vec<Value> = place.debates().iter().map(|dir| trace_in(dir)).collect();
    let id_of = |arm: &str| {
        let trace = traces.iter().find(|trace| trace["plan"]["arm"] == arm).expect("one");
        trace["id"].as_str().expect("an id")[..12].to_owned()
    };
    let [control, debate] = ["self_consistency", "debate"].map(id_of);
    let page = Viewer::over(&place, &[]).page(&format!("/d/{control}"));
    has(&page, &format!("<li>Matched to debate <a href=\"/d/{debate}\">{debate}</a></li>"));
}

#[test]
fn l3_a_debate_that_its_run_has_left_is_listed_and_tells_how_to_continue_it() {
    let ballots = Gate::new();
    let (place, gate, run) = with_zoos(Answer::shaped().after(ballots.clone()));
    let is_ballot = |call: &Call| call.is_chat() && is(call, "round-1/ballot/*");
    place.server.wait_until(|calls| calls.iter().any(is_ballot));
    place.rebut_exits(0, &["stop", "zoos"]);
    ballots.open();
    let viewer = Viewer::over(&place, &[]);
    page_with(&viewer, "Unfinished debates: <span id=\"unfinished\">1</span>");
    let list = viewer.page("/debates?status=unfinished");
    let command = "rebut run --retry-delay 1ms zoos.yaml job.yaml</code>";
    has_all(
        &list,
        &[
            "<option selected>unfinished</option>",
            "Should zoos be closed?</a>",
            "stopped before the end by <code>rebut stop</code>",
            command,
        ],
    );
    lacks(&list, &["Should voting be compulsory?"]);
    has(&viewer.page("/debates"), "1 unfinished debate</a>");
    let found = |query: &str| {
        viewer.page(&format!("/debates?status=unfinished&{query}")).contains("zoos be closed")
    };
    assert!(found("q=zoos&format=knockout&model=llama3"));
    assert!(!found("q=voting") && !found("format=duel") && !found("model=mistral"));
    let id = list.split("href=\"/d/").nth(1).expect("a link")[..12].to_owned();
    let debate = format!("/d/{id}");
    has_all(&viewer.page(&debate), &["unfinished and not running", command]);
    let mut events = viewer.stream(&format!("{debate}/events"), "");
    events.until("stopped");
    let watched = place.rebut_exits(1, &["watch", &id]);
    let finishes = "rebut run --retry-delay 1ms zoos.yaml job.yaml` finishes it";
    has_all(&watched.stderr, &["is unfinished and not running: `", finishes]);
    let public = Viewer::over(&place, &["--public"]);
    let told = [public.page("/debates?status=unfinished"), public.page(&debate)];
    has(&told[0], "Should zoos be closed?");
    told.iter().for_each(|page| lacks(page, &["rebut stop", "rebut run"]));
    gate.open();
    run.ends().exits(1);
    // It is still there once the run has ended, and gone once it is finished.
    has_all(
        &viewer.page("/debates?status=unfinished"),
        &["Should zoos be closed?", "rebut stop", command],
    );
    place.server.script(good);
    place.run_exits(0, &["zoos.yaml"]);
    has(&viewer.page("/debates?status=unfinished"), "No debate was begun and not finished.");
}

#[test]
fn l3_trouble_of_an_earlier_batch_is_told_until_it_is_mended() {
    let place = with_job(TINY_JOB);
    place.write("other.yaml", &format!("{TINY_JOB}seed: 7\n"));
    place
        .reply_by(|call| is(call, "round-1/ballot/*").then(|| Answer::status(400, "no such luck")));
    place.run(&["job.yaml"]);
    place.server.script(good);
    place.run_exits(0, &["other.yaml"]);
    let viewer = Viewer::over(&place, &[]);
    has_all(
        &viewer.page("/"),
        &[
            "Last batch: 1 done in ",
            "<p id=\"earlier\">From other batches: 1 degraded.</p>",
            "rebut run --retry-delay 1ms job.yaml --retry degraded</code>",
        ],
    );
    let (gate, run) = place.start_held(&["--restart", "other.yaml"], 1);
    page_with(&viewer, "to ask again for missing replies, once this run has ended<");
    gate.open();
    run.ends().exits(0);
    place.server.script(good);
    let public = Viewer::over(&place, &["--public"]).page("/");
    has(&public, "From other batches: 1 degraded.");
    lacks(&public, &["rebut run"]);
    place.run_exits(0, &["job.yaml", "--retry", "degraded,failed"]);
    lacks(&Viewer::over(&place, &[]).page("/"), &["From earlier"]);
}

#[test]
fn l3_what_an_earlier_batch_left_is_named_with_its_cause_until_its_command_is_run_again() {
    let card = Card::new("llama3").context(4096);
    let place = Place::with(MockOllama::builder().models([card]).start());
    let seven = format!("{TINY_JOB}repeat: 7\n");
    place.write("job.yaml", &seven);
    place.run_exits(1, &["job.yaml"]);
    let low = "defaults: {context_window: 4096}\n";
    place.write("other.yaml", &format!("{TINY_JOB}seed: 7\n{low}"));
    place.run_exits(0, &["other.yaml"]);
    let viewer = Viewer::over(&place, &[]);
    let command = "rebut run --retry-delay 1ms job.yaml</code>";
    let trained = "llama3 was trained for a context of 4096 tokens";
    let purpose = "to try what is unfinished again, once you have done what the cause says";
    has_all(
        &viewer.page("/"),
        &[
            "Last batch: 1 done in ",
            "From other batches: 7 unfinished.",
            &format!(" · unfinished · {trained}"),
            command,
            &format!("{purpose}. Cause: {trained}"),
        ],
    );
    let list = viewer.page("/debates?status=unfinished");
    let named = format!(" · {trained}");
    has_all(&list, &["<p class=\"intro\">7 debates never began.</p>", &named, command, purpose]);
    lacks(&list, &["No debate was begun and not finished."]);
    let (gate, run) = place.start_held(&["--restart", "other.yaml"], 1);
    let page = page_with(&viewer, &format!("{purpose}, and once this run has ended. Cause: "));
    has(&page, &format!(" · unfinished · {trained}"));
    gate.open();
    run.ends().exits(0);
    place.server.script(good);
    // Who mends the job has another debate in its place.
    place.write("job.yaml", &format!("{seven}{low}"));
    place.run_exits(0, &["job.yaml"]);
    lacks(&Viewer::over(&place, &[]).page("/"), &["From other batches", trained]);
}

#[test]
fn l3_debates_that_their_panel_could_not_judge_are_named_with_the_cause_and_what_to_do() {
    let place = with_job(
        "format: duel\ntopic: Should voting be compulsory?\nrounds: 2\nallow_explicit: true\njudges: [{model: llama3}]\npanel: panel.yaml\n",
    );
    place.write("panel.yaml", "name: house\njudges: [{model: absent}]\n");
    place.run_exits(1, &["job.yaml"]);
    let cause = "the server has no model absent";
    let page = Viewer::over(&place, &[]).page("/");
    has_all(
        &page,
        &[
            "Last batch: 1 done, 1 not judged in ",
            "Needs attention",
            &format!(" · not judged · {cause}"),
            "job.yaml</code>",
            "to continue; first run <code>ollama pull absent</code>",
        ],
    );
    let public = Viewer::over(&place, &["--public"]).page("/");
    has(&public, " · not judged<");
    lacks(&public, &["absent"]);
    let told =
        place.rebut_exits(0, &["stats"]).stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    has(&told, &format!("The last batch left 1 debate without the verdict of its panel: {cause}"));
}

#[test]
fn l3_what_needs_someone_stands_first_and_what_waits_is_folded() {
    let place = with_job(&format!("{TINY_JOB}repeat: 4\nmatrix: {{x.temperature: [0.3, 0.7]}}\n"));
    let (gate, run) = place.start_held(&["--max-debates", "8", "-j", "1", "job.yaml"], 1);
    let viewer = Viewer::over(&place, &[]);
    let page = page_with(&viewer, "5 more waiting for a server</summary>");
    let place_of = |part: &str| page.find(part).unwrap_or_else(|| panic!("no {part}"));
    assert!(place_of("Needs attention") < place_of("id=\"open\""));
    let open = &page[place_of("id=\"open\"")..place_of("id=\"waiting-box\"")];
    let first = open.split("<li>").nth(1).expect("a row");
    lacks(first, &["waiting"]);
    has(first, "<span class=\"which\"><bdi>x.temperature=0.");
    let public = Viewer::over(&place, &["--public"]);
    lacks(&page_with(&public, "5 more waiting"), &["temperature"]);
    assert!(open.matches("<li>").count() <= 4, "{open}");
    run.kill();
    gate.open();
}

#[test]
fn l3_a_debate_that_runs_says_first_what_it_is_doing() {
    let (place, gate, run) = two_held();
    let viewer = Viewer::over(&place, &[]);
    let id = running(&place);
    let page = loop {
        let page = viewer.page(&format!("/d/{id}"));
        if page.contains("Round 1 of 1: ") {
            break page;
        }
    };
    let top = page.split("id=\"outcome-h\"").nth(1).expect("the top");
    has_all(
        &top[..600.min(top.len())],
        &[
            "label\">Now</h2>",
            "<span id=\"now\">Round 1 of 1: X",
            ".</span> <a href=\"#live\">Go there</a>",
        ],
    );
    lacks(&page, &["None yet: the debate is running"]);
    run.kill();
    gate.open();
}

#[test]
fn l3_what_follows_the_rounds_is_not_said_to_be_in_the_last() {
    let place = with_job(TINY_JOB);
    let gate = Gate::new();
    let held = gate.clone();
    place.reply_by(move |call| is(call, "end/*").then(|| good(call).after(held.clone())));
    let run = place.start(&["job.yaml"]);
    place.server.wait_until(|calls| calls.iter().any(|call| is(call, "end/*")));
    let viewer = Viewer::over(&place, &[]);
    let now = page_with(&viewer, "tells the debate");
    has(&now, " · X against Y-1: ");
    let pages = [viewer.page("/"), viewer.page(&format!("/d/{}", running(&place)))];
    pages.iter().for_each(|page| lacks(page, &["round 1 of 1", "Round 1 of 1"]));
    gate.open();
    run.ends().exits(0);
}
