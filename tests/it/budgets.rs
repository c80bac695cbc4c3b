//! What a run may take (row B2): time, tokens, failures; and how it is stopped from outside (row B3).

use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};

use mock_ollama::{Answer, Gate};
use serde_json::{Value, json};

use crate::formats::FORMATS;
use crate::harness::found::squeezed;
use crate::harness::{
    Kind, Place, Run, TINY_JOB, entries_of, good, has, has_all, lacks, list, name_of, read, shows,
    with_job,
};

/// Calls of two debates of [`TINY_JOB`] that nothing stops.
fn calls_of_two() -> usize {
    let place = with_job(&format!("{TINY_JOB}repeat: 2\n"));
    place.run_exits(0, &["job.yaml"]);
    place.server.chats().len()
}

/// Runs the first debate of a job of some, and says afterwards that it took so many hours.
fn after_one(count: u32, hours: u64) -> Place {
    let place = with_job(&format!("{TINY_JOB}repeat: {count}\n"));
    place.run_exits(0, &["job.yaml", "--limit", "1"]);
    let path = place.debates()[0].join("trace.json");
    let trace = fs::read_to_string(&path).expect("a trace");
    let mut trace: Value = serde_json::from_str(&trace).expect("JSON");
    for key in ["model_ms", "total_ms"] {
        trace["timing"][key] = json!(hours * 3_600_000);
    }
    fs::write(&path, trace.to_string()).expect("a trace");
    place
}

#[test]
fn b2_what_cannot_finish_in_time_is_not_started_and_the_rest_is_told() {
    let place = after_one(3, 10);
    let asked = place.server.chats().len();
    let ended = place.run_exits(4, &["job.yaml", "--max-time", "8h"]);
    let told = [
        ", for 8.0 h",
        "expected to take 10.0 h, more than what is left (8.0 h)",
        "2 not started; 1 finished before",
    ];
    has_all(&ended.stderr, &told);
    let next = ended.stdout.lines().find(|line| line.starts_with("next: ")).expect("a command");
    has(next, " job.yaml");
    lacks(next, &["--max-time"]);
    assert_eq!(place.server.chats().len(), asked);
    place.run_exits(0, &["job.yaml", "--max-time", "30h"]);
    assert_eq!(place.statuses(), ["done"; 3]);
    place.run_exits(0, &["job.yaml", "--max-time", "1ns"]);
}

#[test]
fn b2_when_the_time_is_up_nothing_starts() {
    let place = with_job(TINY_JOB);
    let ended = place.run_exits(4, &["job.yaml", "--max-time", "1ns"]);
    has_all(&ended.stderr, &["the time is up (--max-time): stopping", "1 not started"]);
    assert!(place.server.chats().is_empty());
}

#[test]
fn b2_when_the_tokens_are_used_up_what_is_open_stops_and_goes_on_later() {
    let place = with_job(&format!("{TINY_JOB}repeat: 2\n"));
    let limits = ["--max-tokens", "1", "--max-time", "9h"];
    let ended = place.run_exits(4, &[&["job.yaml", "--concurrency", "1"][..], &limits].concat());
    let told = "all tokens are used up (--max-tokens): stopping after the calls in flight";
    has_all(&ended.stderr, &[told, "1 unfinished, 1 not started", "more than --max-tokens allows"]);
    has_all(&ended.stdout, &["stopped before the end by --max-tokens"]);
    let batches = list(&place.path().join("output/batches"));
    has(&read(&batches[1]), "; stopped by --max-tokens.");
    // With the same limit, it would stop again; that of the time was not reached.
    let next = ended.stdout.lines().find(|line| line.starts_with("next: ")).expect("a command");
    assert!(next.ends_with(" job.yaml --concurrency 1 --max-time 9h"), "{next}");
    let told =
        format!("{}  (to continue, without --max-tokens)", next.trim_start_matches("next: "));
    has(&place.rebut_exits(0, &["status"]).stdout, &told);
    assert_eq!((place.server.chats().len(), place.kept()), (1, 1), "none begins then");
    let told = place.rebut_exits(0, &["stats", "output", "--full"]).stdout;
    let counts = ["unfinished 1 of 2 planned", "not started 1 of 2 planned"];
    has_all(&told, &counts);
    place.run_exits(0, &["job.yaml"]);
    assert_eq!(place.server.chats().len(), calls_of_two(), "nothing twice");
    assert_eq!(place.statuses(), ["done"; 2]);
    let told = place.rebut_exits(0, &["stats", "output", "--full"]).stdout;
    has_all(&told, &["done 2 of 2 planned"]);
    // A batch of another job knows nothing of how many this one has.
    place.write("other.yaml", &TINY_JOB.replace("compulsory", "public"));
    place.run_exits(0, &["other.yaml"]);
    let told = place.rebut_exits(0, &["stats", "output", "output"]).stdout;
    has_all(&told, &["done 3 of 3 counted"]);
}

#[test]
fn b2_tokens_that_a_server_does_not_count_are_estimated() {
    let place = with_job(&format!("{TINY_JOB}repeat: 4\n"));
    place.server.script(|call| good(call).without_metrics());
    let few = place.run_exits(4, &["job.yaml", "--max-tokens", "1", "--concurrency", "1"]);
    let told = "a server leaves out token counts: --max-tokens counts an estimate from characters in their place";
    assert_eq!(few.stderr.matches(told).count(), 1, "{}", few.stderr);
    has(&few.stderr, "all tokens are used up (--max-tokens)");
    lacks(&place.run_exits(0, &["job.yaml"]).stderr, &["token counts"]);
}

/// The summaries of batches, in order.
fn summaries(place: &Place) -> Vec<Value> {
    let files = list(&place.path().join("output/batches"));
    let json = files.iter().filter(|it| it.extension().is_some_and(|it| it == "json"));
    json.map(|it| serde_json::from_str(&read(it)).expect("JSON")).collect()
}

#[test]
fn b2_replies_that_are_thrown_away_count_too() {
    let place = with_job(TINY_JOB);
    let asked = AtomicUsize::new(0);
    place.server.script(move |call| match asked.fetch_add(1, Ordering::Relaxed) {
        0 => Answer::text("").tokens(300, 40),
        _ => good(call),
    });
    let ended = place.run_exits(4, &["job.yaml", "--max-tokens", "250", "--concurrency", "1"]);
    has(&ended.stderr, "all tokens are used up (--max-tokens)");
    assert_eq!(place.server.chats().len(), 1);
    place.run_exits(0, &["job.yaml"]);
    let call = &place.trace()["calls"][0];
    assert_eq!((&call["outcome"], &call["reply_tokens"]), (&json!("empty_reply"), &json!(40)));
    let metadata = read(&place.debates()[0].join("metadata.md"));
    has(&metadata, "tokens of failed attempts stand apart (300 in prompts, 40 in replies).");
    let [first, second] = &summaries(&place)[..] else { panic!("two batches") };
    let kept =
        |summary: &Value| (summary["tokens"]["reply"] == 0, summary["failed_tokens"].clone());
    assert_eq!(kept(first), (true, json!({"prompt": 300, "reply": 40})));
    shows!(first, {"calls/failures": 1, "calls/failures_uncounted": 0});
    assert_eq!(kept(second), (false, json!({"prompt": 0, "reply": 0})), "the first one's own");
}

#[test]
fn b3_a_sum_of_counts_that_are_partly_missing_says_of_how_many_calls_it_is() {
    let place = with_job(TINY_JOB);
    let asked = AtomicUsize::new(0);
    place.server.script(move |call| match asked.fetch_add(1, Ordering::Relaxed) {
        0 => good(call).tokens(0, 10),
        1 => good(call).without_metrics(),
        _ => good(call),
    });
    place.run_exits(0, &["job.yaml", "--concurrency", "1"]);
    let all = place.server.chats().len();
    let page = read(&list(&place.path().join("output/batches"))[1]);
    has(&page, &format!(" in prompts (of {} of {all} calls), ", all - 2));
    has(&page, &format!(" in replies (of {} of {all} calls) |", all - 1));
    shows!(summaries(&place)[0], {"calls/uncounted": 1, "calls/prompts_uncounted": 2});
    let stats = place.rebut_exits(0, &["stats", "output", "--full"]).stdout;
    has(&squeezed(&stats), "The tokens or times of 2 calls are not known: ");
}

#[test]
fn b3_counts_that_a_server_leaves_out_are_not_told_as_zero() {
    let place = with_job(TINY_JOB);
    place.server.script(|call| good(call).without_metrics());
    place.run_exits(0, &["job.yaml"]);
    let call = &place.trace()["calls"][0];
    for key in ["prompt_tokens", "reply_tokens", "prompt_ms", "reply_ms"] {
        assert!(call.get(key).is_none(), "{call}");
    }
    let metadata = read(&place.debates()[0].join("metadata.md"));
    has(&metadata, " are missing or impossible.");
    lacks(&metadata, &["failed attempts have no token counts", "nobody counted"]);
    has(&read(&place.debates()[0].join("index.md")), "\nuncounted: ");
    place.rebut_exits(0, &["export", "--to", "jsonl"]);
    let rows = read(&place.path().join("export/debates.jsonl"));
    let row: Value = serde_json::from_str(rows.lines().next().expect("a row")).expect("JSON");
    shows!(row, {"prompt_tokens": null, "reply_tokens": null});
    has(&metadata, "| not reported | not reported | not reported | – |");
    lacks(&metadata, &["| 0 | 0 | 0.0 |", ": 0.0 s"]);
    let batches = list(&place.path().join("output/batches"));
    has(&read(&batches[1]), "| tokens | missing or impossible |");
    let report = place.rebut(&["report", "output", "--format", "markdown"]).stdout;
    lacks(&report, &["takes longest", "| Reply tokens | 0"]);
}

#[test]
fn b2_no_debate_starts_that_would_take_more_tokens_than_are_left() {
    let place = with_job(&format!("{TINY_JOB}repeat: 5\n"));
    place.run_exits(0, &["job.yaml", "--limit", "1"]);
    let used = &place.trace()["usage"]["by_model"];
    let used = used.as_object().expect("models").values();
    let tokens = |used: &Value| {
        let of = |key: &str| used[key].as_u64().expect("tokens");
        of("prompt_tokens") + of("reply_tokens")
    };
    let one: u64 = used.map(tokens).sum();
    let most = (one * 5 / 2).to_string();
    let ended = place.run_exits(4, &["job.yaml", "--max-tokens", &most]);
    // Seeds differ, and with them what is said and how much.
    has_all(&ended.stderr, &["2 done, 2 not started; 1 finished before", "tokens, "]);
    lacks(&ended.stderr, &["unfinished"]);
}

#[test]
fn b2_under_a_budget_no_more_debates_are_open_than_can_be_served() {
    let job = format!("{TINY_JOB}repeat: 4\n");
    for (budget, open) in [(&["--max-time", "9h", "-j", "2"][..], 2), (&[], 4)] {
        let place = with_job(&job);
        let args = [&["job.yaml", "--max-debates", "4"], budget].concat();
        let (gate, run) = place.start_held(&args, 2);
        let running = list(&place.path().join("output/.rebut/running"));
        assert!(running.len() <= open, "{running:?}");
        gate.open();
        run.ends().exits(0);
    }
}

#[test]
fn b2_a_useless_night_pauses_and_says_why() {
    let place = with_job(&format!("{TINY_JOB}repeat: 13\n"));
    place.server.script(|_| Answer::text(""));
    let one = ["job.yaml", "--max-debates", "1"];
    let ended = place.run_exits(1, &one);
    let told = [
        "10 of 10 debates degraded or failed, 10 of them because ",
        "starting no more debates (--max-failures)",
        "10 degraded, 3 not started",
    ];
    has_all(&ended.stderr, &told);
    let cause = "fix the cause (llama3 gave no usable statement (empty reply)";
    let remedy = [cause, "--retry failed,degraded also tries these debates again"];
    has_all(&ended.stdout, &[remedy[0], remedy[1], "\nfirst fix", "\nnext: "]);
    has_all(&squeezed(&place.rebut_exits(0, &["status"]).stdout), &remedy);
    let mut pages = list(&place.path().join("output/batches")).into_iter();
    let page = pages.find(|it| it.extension().is_some_and(|it| it == "md"));
    has_all(&read(&page.expect("a page")).replace('\\', ""), &remedy);
    let two = [&one[..], &["--max-failures", "2"]].concat();
    let ended = place.run_exits(1, &two);
    has_all(&ended.stderr, &["2 degraded, 1 not started; 10 finished before (10 degraded)"]);
    let never = [&one[..], &["--restart", "--max-failures", "never"]].concat();
    let ended = place.run_exits(1, &never);
    has_all(&ended.stderr, &["13 degraded"]);
    lacks(&ended.stderr, &["not started", "starting no more"]);
}

#[test]
fn b2_faulty_limits_are_bad_input() {
    let place = with_job(TINY_JOB);
    for (flag, value, told) in [
        ("--until", "25:00", "use a time of day such as 07:00"),
        ("--max-tokens", "many", "such as 500000, 500k or 2M"),
        ("--max-time", "0", "use a time longer than 0"),
        ("--max-failures", "0", "a percentage from 1% to 100%, or never"),
    ] {
        let ended = place.run_exits(2, &["job.yaml", flag, value]);
        has_all(&ended.stderr, &[told]);
    }
}

/// Two debates of which each waits in a call, on two slots.
pub(crate) fn two_held() -> (Place, Gate, Run) {
    held(&[], 2)
}

/// Two debates run with these options, so many of whose calls wait for their replies.
fn held(options: &[&str], calls: usize) -> (Place, Gate, Run) {
    let place = with_job(&format!("{TINY_JOB}repeat: 2\n"));
    let (gate, run) = place.start_held(&[&["job.yaml"], options].concat(), calls);
    (place, gate, run)
}

#[test]
fn b3_a_directory_is_not_taken_for_what_is_to_be_stopped_in_another() {
    let place = with_job(TINY_JOB);
    place.run_exits(0, &["job.yaml", "--output", "elsewhere"]);
    place.run_exits(0, &["job.yaml"]);
    let refused = place.rebut_exits(2, &["stop", "elsewhere"]).stderr;
    has_all(
        &refused,
        &[
            "elsewhere is an output directory, not a debate or a job",
            "rebut stop --output elsewhere",
        ],
    );
}

#[test]
fn b3_a_batch_is_stopped_from_elsewhere_as_by_an_interrupt() {
    let (place, gate, run) = two_held();
    let told = place.rebut_exits(0, &["stop"]).stdout;
    has_all(&told, &["asked process ", " to stop: calls in flight end first"]);
    gate.open();
    let ended = run.ends().exits(130);
    has_all(&ended.stderr, &["asked to stop (`rebut stop`)", "2 unfinished"]);
    let told = "stopped before the end by `rebut stop`";
    has_all(&ended.stdout, &["next: ", told]);
    assert_eq!(place.server.chats().len(), 2, "none after the request");
    let several = "`job` names 2 unfinished debates: ";
    for command in ["show", "watch"] {
        has(&place.rebut_exits(2, &[command, "job"]).stderr, several);
    }
    assert!(list(&place.path().join("output/.rebut/runs")).is_empty());
    place.run_exits(0, &["job.yaml"]);
    assert_eq!(place.server.chats().len(), calls_of_two(), "nothing twice");
}

#[test]
fn b3_one_debate_is_stopped_and_the_others_go_on() {
    let (place, gate, run) = two_held();
    let running = list(&place.path().join("output/.rebut/running"));
    let id = running[0].file_stem().expect("an id").to_string_lossy();
    let slip = format!("{}0{}", &id[..5], &id[6..9]);
    let told = place.rebut_exits(2, &["stop", &slip]).stderr;
    has_all(&told, &[&format!("is called `{slip}`"), &format!("did you mean `{}`?", &id[..9])]);
    let told = place.rebut_exits(0, &["stop", &id[..6]]).stdout;
    has_all(&told, &[&format!(" to stop {}: calls in flight end first\n", &id[..6])]);
    gate.open();
    let ended = run.ends().exits(1);
    has_all(&ended.stderr, &["1 done, 1 unfinished"]);
    has_all(&ended.stdout, &["stopped before the end by `rebut stop`"]);
    let left = list(&place.path().join("output/.rebut/running"));
    assert_eq!(left, running[..1]);
    assert_eq!(place.kept(), 1);
    let (gate, run) = place.start_held(&["job.yaml"], 1);
    let done = name_of(&place.debates()[0]);
    let done = done.rsplit('_').next().expect("an id");
    let told = place.rebut_exits(2, &["stop", done]).stderr;
    has(&told, &format!("debate `{done}` is finished"));
    gate.open();
    run.ends().exits(0);
}

#[test]
fn b3_an_unfinished_debate_that_nobody_runs_is_not_stopped() {
    let place = with_job(TINY_JOB);
    place.killed_at(Kind::Statement, &[]);
    let id = name_of(&place.running_journal())[..12].to_owned();
    place.write("other.yaml", &TINY_JOB.replace("compulsory", "public"));
    let (gate, run) = place.start_held(&["other.yaml"], 1);
    let told = place.rebut_exits(2, &["stop", &id]).stderr;
    has(&told, &format!("error: debate `{id}` is unfinished, but not running\n"));
    gate.open();
    run.ends().exits(0);
}

#[cfg(unix)]
#[test]
fn b3_a_run_that_ends_before_it_sees_a_request_was_asked_nothing() {
    let (place, _gate, run) = two_held();
    let runs = place.path().join("output/.rebut/runs");
    let is_there =
        |end: &str| list(&runs).iter().any(|path| path.extension().is_some_and(|it| it == end));
    while !is_there("state") {}
    run.signal("-STOP");
    let asked = || is_there("ask");
    // A run that tells all its jobs need not be asked for one that it does not have.
    let told = place.rebut_exits(2, &["stop", "jobs"]).stderr;
    has_all(&told, &["is called `jobs`", "did you mean `job`?"]);
    std::thread::scope(|scope| {
        let stop = scope.spawn(|| place.rebut(&["stop", "0123abc"]));
        while !asked() {}
        run.kill();
        let ended = stop.join().expect("an answer");
        assert_eq!((ended.code, ended.stdout), (2, String::new()), "{}", ended.stderr);
        has(&ended.stderr, " ended before it saw the request\n");
    });
    assert!(!asked());
}

#[test]
fn b3_a_debate_that_waits_for_its_turn_is_stopped_at_once() {
    let (place, gate, run) = held(&["--concurrency", "1", "--max-debates", "2"], 1);
    let state = place.path().join("output/.rebut");
    let journals = || list(&state.join("running"));
    // The first line of each, behind which its calls are made.
    while journals().iter().filter(|it| !entries_of(it).is_empty()).count() < 2 {}
    place.rebut_exits(0, &["stop", "job"]);
    // Only the one with the call in flight is still at work.
    while list(&state.join("claims")).len() > 1 {}
    gate.open();
    let ended = run.ends().exits(1);
    has_all(&ended.stderr, &["2 unfinished"]);
    assert_eq!(place.server.chats().len(), 1, "what was queued is not asked");
}

#[test]
fn b3_a_debate_that_waits_for_a_dead_server_is_stopped() {
    let place = with_job(TINY_JOB);
    place.server.script(|_| Answer::hang());
    let mut run = place.start(&["job.yaml"]);
    place.server.wait_for_chats(1);
    place.server.stop();
    run.hears("without limit (--outage-timeout never)");
    place.rebut_exits(0, &["stop", "job"]);
    let ended = run.ends().exits(1);
    has_all(&ended.stderr, &["stopping 1 debate after the calls in flight", "1 unfinished"]);
}

#[test]
fn b3_a_job_is_stopped_with_what_it_has_not_begun() {
    let place = Place::new();
    place.write("jobs/a.yaml", &format!("{TINY_JOB}repeat: 3\n"));
    place.write("jobs/b.yaml", &TINY_JOB.replace("compulsory", "secret"));
    let (gate, run) = place.start_held(&["jobs", "--max-debates", "1"], 1);
    place.rebut_exits(0, &["stop", "a"]);
    while !list(&place.path().join("output/.rebut/runs"))
        .iter()
        .any(|path| path.extension().is_some_and(|it| it == "state"))
    {}
    let told = place.rebut_exits(2, &["stop", "nobody"]).stderr;
    has_all(&told, &["no running debate or job is called `nobody`"]);
    // Only the run knows what it has still to begin: it is asked, and refuses what is not its.
    let told = place.rebut_exits(2, &["stop", "0123abc"]);
    let unknown = "error: no running debate or job is called `0123abc`\nhint: `rebut status` lists the jobs and the debates in progress\n";
    assert_eq!((told.stdout, told.stderr), (String::new(), unknown.to_owned()));
    let planned = place.rebut(&["check", "jobs/b.yaml"]).stdout;
    let id = &planned.split('\t').nth(1).expect("an id")[..6];
    let told = place.rebut_exits(0, &["stop", id]).stdout;
    has(&told, &format!(" not to start {id}, which is not in progress\n"));
    gate.open();
    let ended = run.ends().exits(1);
    let refused = format!(
        "asked to stop {id} (`rebut stop`): {id} is not in progress, and will not be started"
    );
    has_all(&ended.stderr, &[&refused, "1 unfinished, 3 not started"]);
    lacks(&ended.stderr, &["0123abc"]);
}

#[test]
fn b3_where_nothing_runs_that_is_said_and_what_dead_runs_left_is_removed() {
    let place = with_job(TINY_JOB);
    place.rebut_exits(2, &["stop"]);
    place.run_exits(0, &["--rehearse", "job.yaml"]);
    let runs = place.path().join("output/.rebut/runs");
    for name in ["1-1-0", "1-1-0.7.ask", "1-2-0.7.answer"] {
        place.write(&format!("output/.rebut/runs/{name}"), "{\"target\": null}");
    }
    place.write("output/.rebut/runs/notes", "mine");
    assert_eq!(place.rebut_exits(0, &["stop"]).stdout, "nothing is running in output\n");
    for target in ["job", "0123abc"] {
        let told = place.rebut_exits(2, &["stop", target]).stderr;
        let nothing =
            "error: nothing is running in output\nhint: `rebut status` says what is left there\n";
        assert_eq!(told, nothing);
    }
    // `rebut status` may still tell the command of a run that was cut off.
    assert_eq!(list(&runs).len(), 4);
    place.run_exits(0, &["job.yaml"]);
    assert_eq!(list(&runs), [runs.join("notes")]);
}

#[test]
fn b3_a_faulty_request_stops_nothing() {
    let (place, gate, run) = two_held();
    let runs = list(&place.path().join("output/.rebut/runs"));
    let ask = runs[0].with_extension("7.ask");
    fs::write(&ask, "stop!").expect("a file");
    let told = place.rebut(&["stop", "a\u{1b}[2Jb"]).said();
    lacks(&told, &["\u{1b}"]);
    gate.open();
    run.ends().exits(0);
    assert!(!ask.exists());
}

#[test]
fn b3_jobs_of_higher_priority_come_first() {
    let place = Place::new();
    let job = |topic: &str, priority: &str| {
        format!("topic: Should {topic} be free?\nrounds: 1\nallow_explicit: true\n{priority}")
    };
    place.write("jobs/a.yaml", &job("apples", ""));
    place.write("jobs/b.yaml", &job("bridges", "priority: 5\n"));
    place.write("jobs/c.yaml", &job("cinemas", "priority: -5\n"));
    let one = ["jobs", "--max-debates", "1", "--rehearse"];
    let ended = place.run_exits(0, &one);
    let order = |stdout: &str| -> Vec<String> {
        let lines = stdout.lines().filter_map(|line| line.split('\t').nth(2));
        lines.map(str::to_owned).collect()
    };
    let topics = ["bridges", "apples", "cinemas"].map(|it| format!("Should {it} be free?"));
    assert_eq!(order(&ended.stdout), topics);
    let checked = place.rebut_exits(0, &["check", "jobs", "--limit", "1"]).stdout;
    has_all(&checked, &["bridges", "1 debate in"]);
    // It is no part of what a debate is.
    place.write("jobs/a.yaml", &job("apples", "priority: 9\n"));
    let again = place.run_exits(0, &one);
    has_all(
        &again.stderr,
        &["nothing new; 3 finished before\n", "\nnext: rebut report --include-rehearsals\n"],
    );
    place.write("jobs/a.yaml", &job("apples", "matrix: {priority: [1, 2]}\n"));
    has_all(&place.rebut_exits(2, &["check", "jobs"]).stderr, &["priority"]);
}

#[test]
fn b3_an_added_job_of_higher_priority_goes_before_what_waits() {
    let place = Place::new();
    place.write("jobs/a.yaml", &format!("{TINY_JOB}repeat: 3\n"));
    let (gate, mut run) = place.start_held(&["jobs", "--max-debates", "1"], 1);
    let urgent = TINY_JOB.replace("compulsory", "secret");
    place.write("jobs/b.yaml", &format!("{urgent}priority: 1\n"));
    run.hears("b.yaml was added: 1 debate");
    gate.open();
    let ended = run.ends().exits(0);
    let secret = ended.stdout.lines().position(|line| line.contains("secret"));
    assert_eq!(secret, Some(1), "after the one in progress: {}", ended.stdout);
}

/// Says of every finished debate that it ended in another year.
fn aged(place: &Place) {
    for debate in place.debates() {
        let index = debate.join("index.md");
        let text = fs::read_to_string(&index).expect("an index");
        let aged = text
            .lines()
            .map(|line| {
                if line.starts_with("ended_at: ") {
                    "ended_at: \"2020-01-01T00:00:00Z\""
                } else {
                    line
                }
            })
            .collect::<Vec<_>>()
            .join("\n");
        fs::write(&index, aged).expect("an index");
    }
}

#[test]
fn b3_clean_frees_what_only_finished_debates_of_long_ago_need() {
    let place = with_job(&format!("{TINY_JOB}repeat: 2\n"));
    place.run_exits(0, &["job.yaml", "--limit", "1", "--rehearse"]);
    let nothing = place.rebut_exits(0, &["clean"]).stdout;
    assert_eq!(nothing, "nothing to remove\n", "it is of today");
    place.run_exits(0, &["job.yaml", "--limit", "1", "--rehearse", "--restart"]);
    aged(&place);
    let state = |name: &str| list(&place.path().join("output/.rebut").join(name)).len();
    let kept = || ["journals", "prompts", "inputs", "replaced"].map(state);
    let full = kept();
    let told = place.rebut_exits(0, &["clean", "--older", "90d", "--dry-run"]);
    has_all(
        &told.stdout,
        &["would free ", "journals and prompts of 1 debate, 2 snapshots that no journal needs"],
    );
    assert_eq!(kept(), full);
    let told = place.rebut_exits(0, &["clean", "--older", "90d"]);
    has_all(
        &told.stdout,
        &["freed ", "journals and prompts of 1 debate, 2 snapshots that no journal needs"],
    );
    assert_eq!(kept(), [0, 0, 0, full[3]], "what was replaced today stays");
    // The debate is still finished, and can be read.
    place.run_exits(0, &["job.yaml", "--limit", "1", "--rehearse"]);
    has_all(&place.rebut_exits(0, &["show", "job"]).stdout, &["compulsory"]);
    let told = place.rebut_exits(0, &["clean", "--older", "0s"]);
    has_all(&told.stdout, &["replaced result"]);
    assert_eq!(kept(), [0; 4]);
    // The other one has the same to begin with, and gets it.
    place.run_exits(0, &["job.yaml", "--rehearse"]);
    assert_eq!(place.debates().len(), 2);
}

#[test]
fn b3_clean_frees_room_on_a_full_disk_and_a_dry_run_writes_nothing() {
    let old = || {
        let place = with_job(TINY_JOB);
        place.run_exits(0, &["job.yaml", "--rehearse"]);
        aged(&place);
        place
    };
    let place = old();
    let claims = |args: &[&str], told: &str| {
        has(&place.injected(args, "").exits(0).stdout, told);
        let seen = place.seen().into_iter();
        let of_claims = seen.filter(|line| line.path.contains("/claims/") && line.begins);
        of_claims.collect::<Vec<_>>()
    };
    assert_eq!(claims(&["clean", "--dry-run"], "would free "), []);
    let claims = claims(&["clean"], "freed ");
    let note = claims.iter().find(|line| line.what == "write");
    let act = format!("fail ENOSPC {}", note.expect("a note").n);
    has(&old().injected(&["clean"], &act).exits(0).stdout, "freed ");
}

#[test]
fn b3_clean_leaves_alone_what_runs_and_what_is_not_finished() {
    let (place, gate, run) = two_held();
    let ended = place.rebut_exits(2, &["clean", "--older", "0s"]);
    has_all(&ended.stderr, &["is running on output", "`rebut stop`"]);
    run.kill();
    gate.open();
    let state =
        || ["running", "inputs"].map(|name| list(&place.path().join("output/.rebut").join(name)));
    let before = state();
    place.rebut_exits(0, &["clean", "--older", "0s"]);
    assert_eq!(state(), before);
    place.run_exits(0, &["job.yaml"]);
}

#[test]
fn b3_clean_gives_up_unfinished_debates_when_told_to() {
    let (place, gate, run) = two_held();
    run.kill();
    gate.open();
    let running = || list(&place.path().join("output/.rebut/running")).len();
    assert_eq!(running(), 2);
    let recent = place.rebut_exits(0, &["clean", "--unfinished"]).stdout;
    let kept =
        "nothing to remove; 2 unfinished debates kept: younger than --older, or being retried\n";
    assert_eq!(recent, kept, "they are of today");
    let clean = ["clean", "--unfinished", "--older", "0s"];
    let would = place.rebut_exits(0, &[&clean[..], &["--dry-run"]].concat());
    has_all(&would.stdout, &["would free ", "2 unfinished debates, 2 snapshots"]);
    assert_eq!(running(), 2);
    let told = place.rebut_exits(0, &clean).stdout;
    has_all(&told, &["freed ", "2 unfinished debates, 2 snapshots"]);
    assert_eq!(running(), 0);
    place.run_exits(0, &["job.yaml"]);
    // What a retry begins anew stays what it was.
    place.rebut_exits(0, &clean);
    assert_eq!(place.debates().len(), 2);
}

#[test]
fn b3_a_snapshot_that_another_debate_needs_stays() {
    // The same plan begins in two places with the same snapshot where only its journal is another's.
    let place = with_job(TINY_JOB);
    place.run_exits(0, &["job.yaml", "--rehearse"]);
    aged(&place);
    let state = place.path().join("output/.rebut");
    let journal = &list(&state.join("journals"))[0];
    let other = state.join(format!("running/{}.jsonl", "a".repeat(64)));
    fs::copy(journal, &other).expect("a copy");
    let told = place.rebut_exits(0, &["clean"]).stdout;
    has_all(&told, &["journals and prompts of 1 debate"]);
    lacks(&told, &["snapshot"]);
    assert_eq!(list(&state.join("inputs")).len(), 2);
}

#[test]
fn j3_check_says_that_begun_debates_count_in_full_and_of_a_rehearsal_no_time() {
    let place = with_job(TINY_JOB);
    place.killed_while("round-1/clerk", &[]);
    let begun = place.rebut_exits(0, &["check", "job.yaml"]).stdout;
    has_all(
        &begun,
        &[
            "expected (from a rehearsal; begun debates count in full): ",
            "no time estimate yet: no debate with llama3 has finished in the directory output\n",
            "model llama3, to be loaded with a context of ",
        ],
    );
    let rehearsal = place.rebut_exits(0, &["check", "job.yaml", "--rehearse"]).stdout;
    has(&rehearsal, "expected (from a rehearsal): ");
    lacks(&rehearsal, &["time", "loaded"]);
}

/// The tokens of replies in the line of a check that begins so.
fn reply_tokens(checked: &str, line: &str) -> u64 {
    let line = checked
        .lines()
        .find(|it| it.starts_with(line))
        .unwrap_or_else(|| panic!("none begins so: {checked}"));
    let tokens = line.split(", ").find_map(|part| part.strip_suffix(" reply tokens"));
    tokens.and_then(|n| n.replace(',', "").parse().ok()).expect("tokens")
}

#[test]
fn j3_check_expects_what_the_same_job_took_here_and_says_what_it_takes_at_full_length() {
    for format in FORMATS {
        let place = with_job(&format!("{}repeat: 3\n", format.tiny));
        let check = || place.rebut_exits(0, &["check", "job.yaml"]).stdout;
        let before = check();
        has_all(&before, &["expected (from a rehearsal): ", "no time estimate"]);
        let most = reply_tokens(&before, "at full length (every reply at its limit");
        assert!(most > reply_tokens(&before, "expected"), "{}", format.name);
        place.run_exits(0, &["job.yaml", "--limit", "1"]);
        let used = place.trace()["usage"]["by_model"].clone();
        let used = used.as_object().expect("models").values();
        let tokens = used.filter_map(|it| it["reply_tokens"].as_u64()).sum::<u64>();
        let after = check();
        has_all(&after, &["expected (from similar debates here): ", "2 to run"]);
        assert_eq!(reply_tokens(&after, "expected"), 2 * tokens, "{}", format.name);
        assert!(tokens * 3 <= most, "{}: {tokens} of {most}", format.name);
        // One of another setup is not known.
        place.write("other.yaml", &format!("{}rules: [Be brief]\n", format.tiny));
        let both = place.rebut_exits(0, &["check", "job.yaml", "other.yaml"]).stdout;
        has_all(&both, &["2 of 3 from similar debates here, the rest"]);
    }
}
