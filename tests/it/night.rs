//! A night unattended: what must not end it, and what must not harm it. Attacks A1, A2, A4, B5, C5 and C8, and rows J10c
//! and J11 for whole batches.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use mock_ollama::{Answer, Call, Card, Gate, MockOllama};
use serde_json::{Value, json};

#[cfg(all(target_os = "linux", target_env = "gnu"))]
use crate::fault_injector::Line;
use crate::formats::FORMATS;
use crate::harness::{
    Ended, Place, Run, TINY_JOB, arguments, ended, good, has, has_all, incidents, is, json_lines,
    lacks, list, read, shows, trace_in, with_job,
};
#[cfg(all(target_os = "linux", target_env = "gnu"))]
use crate::harness::{blanked, each, name_of};

const KEY: &str = "sk-SECRETKEY123";

/// Everything that a run left behind or printed.
fn everything(place: &Place, ended: &Ended) -> String {
    let mut all = ended.said();
    let mut paths = vec![place.path().to_path_buf()];
    while let Some(path) = paths.pop() {
        if path.is_dir() {
            paths.extend(list(&path));
        } else {
            let bytes = std::fs::read(&path).expect("a file");
            all += &String::from_utf8_lossy(&bytes);
        }
    }
    all
}

/// X's statement, the first call of a knockout.
fn is_first(call: &Call) -> bool {
    is(call, "*/statement/position_x")
}

/// A debate that a shell starts so, in the middle of its first call, which the gate holds.
#[cfg(target_os = "linux")]
fn under_way(start: &str) -> (Place, Run, Gate) {
    let place = with_job(TINY_JOB);
    let gate = Gate::new();
    let held = gate.clone();
    let script = move |call: &Call| good(call).after(held.clone());
    place.server.script(script);
    let run = Run::over(place.spawn_command(place.in_shell(start, &["job.yaml"])));
    place.server.wait_for_chats(1);
    (place, run, gate)
}

#[cfg(target_os = "linux")]
#[test]
fn j10c_a_hangup_that_was_ignored_at_the_start_stays_ignored() {
    let (place, run, gate) = under_way("trap '' HUP; exec");
    run.signal("-HUP");
    gate.open();
    let ended = run.ends().exits(0);
    assert_eq!(place.statuses(), ["done"]);
    lacks(&ended.stderr, &["stopping"]);
}

#[cfg(target_os = "linux")]
#[test]
fn n_a_hangup_stops_like_an_interrupt() {
    // Also where the tests themselves were started with `nohup`.
    let (place, mut run, gate) = under_way("exec env --default-signal=HUP");
    run.signal("-HUP");
    run.hears("stopping after the calls in flight");
    gate.open();
    run.ends().exits(130);
    assert_eq!(place.kept(), 1);
}

/// Runs what hangs in its first call; the server goes then. When that is said and `until` has seen enough, it comes back.
fn outage(place: &Place, args: &[&str], until: impl Fn()) -> Ended {
    let first = AtomicBool::new(true);
    place.reply_by(move |_| first.swap(false, Ordering::SeqCst).then(Answer::hang));
    let mut run = place.start(args);
    place.server.wait_for_chats(1);
    place.server.stop();
    run.hears("without limit (--outage-timeout never)");
    until();
    place.server.resume();
    run.ends()
}

#[test]
fn j10c_an_outage_is_no_models_trouble_and_by_default_no_limit_ends_it() {
    let place = with_job(&format!("{TINY_JOB}repeat: 2\n"));
    outage(&place, &["job.yaml", "--model-timeout", "0s"], || {}).exits(0);
    assert_eq!(place.statuses(), ["done"; 2]);
}

#[test]
fn j11_debates_that_were_never_begun_are_not_given_up_with_the_server() {
    let place = with_job(&format!("{TINY_JOB}repeat: 4\n"));
    let args = ["job.yaml", "--max-debates", "1", "--outage-timeout", "0"];
    place.server.script(|_| Answer::hang());
    let run = place.start(&args);
    place.server.wait_for_chats(1);
    place.server.stop();
    let ended = run.ends().exits(1);
    let given_up = "gave up on the server after 0s (--outage-timeout): ";
    has_all(&ended.stderr, &[given_up, "1 unfinished, 3 not started"]);
    assert_eq!(ended.stdout.matches("unfinished\t").count(), 1);
    // The one that was begun has no reply to keep, either.
    assert!(list(&place.path().join("output/.rebut/running")).is_empty());
    place.server.script(good);
    place.server.resume();
    place.run_exits(0, &args);
    assert_eq!(place.debates().len(), 4);
}

/// Two servers with a model each, and three debates on each model; those on the first server's come first.
fn a_model_each() -> (Place, MockOllama, Vec<String>) {
    let only = |name: &str| MockOllama::builder().models([Card::new(name)]).start();
    let (place, other) = (Place::with(only("llama3")), only("mistral"));
    place.serve_well(&other);
    let job = |model: &str| format!("{TINY_JOB}repeat: 3\ndefaults: {{model: {model}}}\n");
    place.write("jobs/a.yaml", &job("llama3"));
    place.write("jobs/b.yaml", &job("mistral"));
    let hosts = [place.server.url(), other.url()].map(|url| ["--host".to_owned(), url]).concat();
    let rest = ["jobs", "--concurrency", "1", "--max-debates", "1"].map(str::to_owned);
    (place, other, [hosts, rest.to_vec()].concat())
}

/// Calls of a debate of [`TINY_JOB`].
const CALLS: usize = 6;

/// A server whose llama3 has these weights.
fn with_weights(digit: &str) -> MockOllama {
    let card = Card::new("llama3").digest(&digit.repeat(64));
    MockOllama::builder().models([card]).start()
}

#[test]
fn j10c_a_debate_whose_weights_were_replaced_in_it_is_not_done_with_the_new_ones() {
    let place = Place::with(with_weights("a"));
    place.write("job.yaml", TINY_JOB);
    let replaced = Arc::new(AtomicBool::new(false));
    let (last, seen) = (Arc::clone(&replaced), AtomicUsize::new(0));
    place.reply_by(move |_| {
        last.fetch_or(seen.fetch_add(1, Ordering::SeqCst) + 1 == CALLS, Ordering::SeqCst);
        None
    });
    place.server.intercept(move |call| {
        let asked = call.path == "/api/tags" && replaced.load(Ordering::SeqCst);
        let model = json!({"name": "llama3:latest", "digest": "b".repeat(64)});
        let listed = json!({"models": [model]}).to_string();
        asked.then(|| Answer::raw(200, "application/json", listed))
    });
    for _ in 0..2 {
        let ended = place.run_exits(1, &["job.yaml"]);
        let told = "the server has other weights for llama3 (digest bbbbbbbbbbbb) than this debate began with (digest aaaaaaaaaaaa): restore them, or run --restart --only ID";
        has(&ended.stdout, told);
        has(&ended.stdout, " --restart --only ");
        has(&place.rebut(&["status"]).stdout, told);
        assert_eq!(place.statuses(), [""; 0]);
    }
    let asked = place.server.chats().len();
    place.server.intercept(|_| None);
    place.run_exits(0, &["job.yaml"]);
    assert_eq!(place.statuses(), ["done"]);
    assert_eq!(place.server.chats().len(), asked);
}

#[test]
fn j10c_a_debate_goes_on_only_with_the_weights_that_it_began_with() {
    let (place, other) = (Place::with(with_weights("a")), with_weights("b"));
    place.serve_well(&other);
    place.write("job.yaml", TINY_JOB);
    place.killed_after(2, &[], good);
    let ended = place.run_exits(1, &["job.yaml", "--host", &other.url()]);
    let told = "the server has other weights for llama3 (digest bbbbbbbbbbbb) than this debate began with (digest aaaaaaaaaaaa): restore them, or run --restart --only ID";
    has(&ended.stdout, told);
    assert!(other.chats().is_empty());
    let (first, second) = (other.url(), place.server.url());
    let ended = place.run_exits(0, &["job.yaml", "--host", &first, "--host", &second]);
    let warned = "warning: llama3 differs between servers (";
    has(&ended.stderr, warned);
    assert!(other.chats().is_empty(), "{:?}", other.chats());
    let checked = place.rebut_exits(0, &["check", "job.yaml", "--host", &first, "--host", &second]);
    has(&checked.said(), "llama3 differs between servers (");
    let args = ["doctor", "job.yaml", "--host", &first, "--host", &second];
    has(&place.rebut(&args).stdout, "note  llama3 differs between servers (");
}

#[test]
fn j10c_while_one_server_is_gone_the_other_does_its_own_work_and_then_the_rest_goes_on() {
    let (place, other, args) = a_model_each();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    outage(&place, &args, || other.wait_for_chats(3 * CALLS)).exits(0);
    assert_eq!(place.statuses(), ["done"; 6]);
    for debate in place.debates() {
        shows!(trace_in(&debate), {"incidents": []});
    }
    let [json, page] = &list(&place.path().join("output/batches"))[..] else {
        panic!("one summary");
    };
    let summary: Value = serde_json::from_str(&read(json)).expect("JSON");
    let refused = &summary["servers"][0]["failed"];
    shows!(summary, {"calls/failures": 0, "servers/1/failed": 0});
    let beside = format!("0 attempts failed; servers failed {refused} call");
    has_all(&read(page), &[&*beside, &format!(" | {refused} |\n")]);
}

#[test]
fn m2_a_server_that_fails_what_another_answers_harms_no_debate() {
    for bad in [
        Answer::text(""),
        Answer::text("G".repeat(900)),
        Answer::status(400, "bad flags"),
        Answer::runner_stopped(),
    ] {
        let (place, other) = (with_job(&format!("{TINY_JOB}repeat: 8\n")), MockOllama::start());
        place.serve_well(&other);
        other.script(move |_| bad.clone());
        let (first, second) = (other.url(), place.server.url());
        let ended = place.run_exits(0, &["job.yaml", "--host", &first, "--host", &second]);
        assert_eq!(place.statuses(), ["done"; 8]);
        assert!(other.chats().len() >= 3);
        let told = format!("{first} is failing with llama3: ");
        assert_eq!(ended.stderr.matches(&told).count(), 1, "{}", ended.stderr);
        let page = list(&place.path().join("output/batches")).remove(1);
        let bad = format!("| `{first}` | 0 | ");
        has_all(&read(&page), &["| server | calls answered | failed |", &bad]);
    }
}

/// Lines of a stream that brings a reply no further, or never to its end.
const WITHOUT_PROGRESS: [&str; 3] = [
    "",
    r#"{"message":{"role":"assistant","content":""},"done":false}"#,
    r#"{"message":{"role":"assistant","content":"on "},"done":false}"#,
];

fn endless(line: &str) -> Answer {
    Answer::endless(line, Duration::from_millis(1))
}

const LIMITS: [&str; 4] = ["--idle-timeout", "3s", "--first-token-timeout", "3s"];

#[test]
fn a1_streams_without_progress_cost_an_attempt_and_stop_no_batch() {
    for line in WITHOUT_PROGRESS {
        let place = with_job(&format!("{TINY_JOB}repeat: 6\nx: {{max_tokens: 60}}\n"));
        let seen = AtomicUsize::new(0);
        place.reply_by(move |call| {
            let is_bad = is_first(call) && seen.fetch_add(1, Ordering::SeqCst) < 2;
            is_bad.then(|| endless(line))
        });
        place.run_exits(0, &[&["job.yaml"], &LIMITS[..]].concat());
        let traces: Vec<Value> = place.debates().iter().map(|it| trace_in(it)).collect();
        let retries = traces.iter().map(|trace| incidents(trace, "retry").len());
        let all: Vec<&Value> = traces.iter().map(|it| &it["incidents"]).collect();
        assert_eq!(traces.len(), 6, "{line}: {all:?}");
        assert_eq!(retries.sum::<usize>(), 2, "{line}: {all:?}");
    }
}

#[cfg(unix)]
#[test]
fn a1_a_stop_ends_though_a_stream_does_not() {
    for line in &WITHOUT_PROGRESS[..2] {
        let place = with_job(TINY_JOB);
        place.server.script(|_| endless(line));
        let run = place.start(&[&["job.yaml"], &LIMITS[..]].concat());
        place.server.wait_for_chats(1);
        run.signal("-TERM");
        run.ends().exits(130);
        assert_eq!(place.server.chats().len(), 1);
    }
}

#[test]
fn a1_a_reply_beyond_its_limit_is_ended_and_taken_as_one_that_ran_into_it() {
    let place = with_job(&format!("{TINY_JOB}x: {{max_tokens: 60}}\n"));
    let long: String = (0..400).map(|n| format!("Reason {n} is good. ")).collect();
    place.reply([("*/statement/position_x", Answer::text(long).hang_after(200))]);
    place.run_exits(0, &["job.yaml"]);
    let trace = place.trace();
    shows!(trace, {
        "incidents count": 2, "incidents/0/kind": "overrun", "incidents/1/kind": "cut",
        "incidents/0/message": "llama3: the server did not stop the reply at its limit; it was ended after about 108 tokens",
    });
    let text = arguments(&trace)[0]["text"].as_str().expect("a text");
    let is_cut = text.ends_with("[Time limit reached]");
    assert!(text.len() < 600 && is_cut, "{text}");
    let server = &place.server;
    server.wait_until(|calls| calls.iter().any(|it| is_first(it) && it.client_left));
    let id = &trace["id"].as_str().expect("an id")[..12];
    let shown = place.rebut(&["show", id, "round-1/statement/position_x"]);
    has(&shown.stdout, "ended by rebut: it went on beyond its limit");
    let metadata = read(&place.debates()[0].join("metadata.md"));
    has(&metadata, ", but estimates where a reply was ended at its limit (1)");
}

#[test]
fn a2_what_a_server_does_not_offer_is_said_once_and_harms_no_debate() {
    let lacking: [(&[&str], u16); 3] = [
        (&["/api/embed"], 404),
        (&["/api/show"], 405),
        (&["/api/embed", "/api/show", "/api/tags"], 404),
    ];
    for (paths, status) in lacking {
        let nomic = Card::new("nomic-embed-text").capabilities(["embedding"]);
        let cards = [Card::new("llama3"), nomic];
        let place = Place::with(MockOllama::builder().models(cards).start());
        place.server.intercept(move |call| {
            let text = format!("{status} page not found");
            let lacking = paths.contains(&&*call.path);
            lacking.then(|| Answer::raw(status, "text/plain", text))
        });
        for format in FORMATS {
            place.write(&format!("jobs/{}.yaml", format.name), format.tiny);
        }
        let ended = place.run_exits(0, &["jobs", "--model-timeout", "0s"]);
        assert_eq!(place.statuses(), ["done"; 5]);
        let url = place.server.url();
        for path in paths {
            let told = format!("{url}{path} answered {status}: {status} page not found");
            assert_eq!(ended.stderr.matches(&told).count(), 1, "{told}: {}", ended.said());
        }
        lacks(&ended.stderr, &["waiting for"]);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a4_with_few_files_few_debates_are_open_and_all_are_done() {
    for (limit, is_hard) in [("ulimit -n 64", true), ("ulimit -S -n 64", false)] {
        let place = with_job(&format!("{TINY_JOB}repeat: 14\n"));
        let args = ["job.yaml", "--max-debates", "14", "--concurrency", "16"];
        let mut run = place.in_shell(&format!("{limit}; exec"), &args);
        let ended = ended(&run.output().expect("an end")).exits(0);
        assert_eq!(place.statuses(), ["done"; 14]);
        let bounded = "running at most 4 debates at a time: this process may open only 64 files (`ulimit -n`)";
        assert_eq!(ended.stderr.contains(bounded), is_hard, "{}", ended.stderr);
        lacks(&ended.stderr, &["waiting for"]);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a4_a_process_that_may_open_hardly_a_file_says_so_and_does_not_begin() {
    let place = with_job(TINY_JOB);
    for files in [7, 20] {
        let mut run = place.in_shell(&format!("ulimit -n {files}; exec"), &["job.yaml"]);
        let ended = ended(&run.output().expect("an end")).exits(2);
        let told = format!("error: this process may open only {files} files\n");
        has_all(&ended.stderr, &[&told, "`ulimit -n`"]);
        lacks(&ended.stderr, &["panicked"]);
    }
}

/// At what a debate creates: claim, snapshot, journal, the files that it stages.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[test]
fn a4_a_debate_that_may_open_no_file_now_is_tried_again_in_the_same_run() {
    let place = with_job(TINY_JOB);
    place.run_injected(&["job.yaml"], "").exits(0);
    let expected = blanked(&place.debates()[0]);
    let parts = ["claims/", "running/", "inputs/", "staging/"].map(|it| format!(".rebut/{it}"));
    let is_there = |line: &Line| parts.iter().any(|part| line.path.contains(part));
    let seen = place.seen().into_iter();
    let opened: Vec<usize> = seen
        .filter(|line| line.begins && line.what == "create" && is_there(line))
        .map(|line| line.n)
        .collect();
    assert!(opened.len() > 8, "{opened:?}");
    let some: Vec<usize> = opened.iter().copied().step_by(2).collect();
    each(&some, |n| {
        let place = with_job(TINY_JOB);
        let act = format!("fail EMFILE {n}");
        let ended = place.run_injected(&["job.yaml"], &act).exits(0);
        let said = "Too many open files (os error 24); debates are waiting: raise the limit";
        assert_eq!(ended.stderr.matches(said).count(), 1, "{n}: {}", ended.stderr);
        assert_eq!(place.debates().len(), 1, "{n}");
        assert!(blanked(&place.debates()[0]) == expected, "{n}");
    });
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[test]
fn a4_a_finished_debate_that_cannot_be_opened_now_is_not_asked_again() {
    let place = with_job(TINY_JOB);
    place.run_exits(0, &["job.yaml"]);
    place.rebut_exits(0, &["clean", "--older", "0s"]);
    let asked = place.server.chats().len();
    let name = name_of(&place.debates()[0]);
    for (error, code) in [("EMFILE", 0), ("EIO", 1)] {
        // Its index and its trace, twice: an estimate of the space looks at them before.
        let refused = format!("{error} 4 {name}/");
        let ended = place.run_unread(&["job.yaml"], &refused).exits(code);
        assert_eq!(place.server.chats().len(), asked, "{}", ended.said());
        assert_eq!(place.debates().len(), 1, "{error}");
    }
}

#[test]
fn m1_a_key_that_the_server_echoes_reaches_no_file_and_no_output() {
    for echo in [
        Answer::status(400, &format!("bad credentials: Bearer {KEY}")),
        Answer::text("one two").error_after(1, &format!("Bearer {KEY}")),
        Answer::text(format!("Your key is {KEY}, is it?")).chunks(40),
        Answer::text("Fine.").thinking(&format!("They use {KEY} here.")),
    ] {
        let place = with_job(TINY_JOB);
        place.server.intercept(|call| {
            let version = format!("{{\"version\":\"0.33 {KEY}\"}}");
            (call.path == "/api/version").then(|| Answer::raw(200, "application/json", version))
        });
        place.reply([("*/statement/position_x", echo)]);
        let mut run = place.command(&["run", "job.yaml", "--json", "-v", "--retry-delay", "1ms"]);
        let ended = ended(&run.env("OLLAMA_API_KEY", KEY).output().expect("an end"));
        assert!(!json_lines(&ended.stdout).is_empty());
        let all = everything(&place, &ended);
        assert!(!all.contains("SECRET"), "{}", ended.said());
        assert!(all.contains("***"));
        let sent = format!("Bearer {KEY}");
        let chats = place.server.chats().into_iter();
        chats.for_each(|it| assert_eq!(it.header("authorization"), Some(&*sent)));
    }
}

#[test]
fn m1_a_host_with_a_secret_is_refused_and_not_shown() {
    let place = with_job(TINY_JOB);
    let hosts = [
        ("http://user:PASSWORD@127.0.0.1:9", "http://***@127.0.0.1:9"),
        ("http://127.0.0.1:9/p?key=PASSWORD", "http://127.0.0.1:9/p?***"),
    ];
    for (host, shown) in hosts {
        for command in ["run", "check", "doctor"] {
            let ended = place.rebut_exits(2, &[command, "job.yaml", "--host", host]);
            let refused = format!("the host `{shown}` cannot be used: a host can't contain a ");
            assert!(ended.stderr.contains(&refused), "{}", ended.stderr);
            lacks(&everything(&place, &ended), &["PASSWORD"]);
        }
    }
}

#[test]
fn m2_a_connection_that_is_closed_twice_before_the_first_byte_costs_one_attempt() {
    let place = with_job(TINY_JOB);
    let seen = AtomicUsize::new(0);
    place.reply_by(move |call| {
        let closes = is_first(call) && seen.fetch_add(1, Ordering::SeqCst) < 2;
        closes.then(|| good(call).disconnect_after(0))
    });
    place.run_exits(0, &["job.yaml"]);
    shows!(place.trace(), {
        "incidents count": 1, "incidents/0/kind": "retry",
        "incidents/0/message contains": "broken stream (the connection to http://127.0.0.1",
    });
}

#[test]
fn m1_a_scheme_may_be_written_in_any_case() {
    let place = with_job(TINY_JOB);
    let host = place.server.url().replace("http://", "HTTP://");
    place.run_exits(0, &["job.yaml", "--host", &host]);
}

#[test]
fn m1_a_server_that_is_slow_to_list_its_models_is_there() {
    let place = with_job(TINY_JOB);
    let first = AtomicBool::new(true);
    place.server.intercept(move |call| {
        let first = call.path == "/api/tags" && first.swap(false, Ordering::SeqCst);
        first.then(Answer::hang)
    });
    let ended = place.run_exits(0, &["job.yaml", "--connect-timeout", "500ms"]);
    let said = "did not answer within 3 s (raise --connect-timeout to allow more time)";
    has(&ended.stderr, said);
}

#[test]
fn m1_where_nobody_answers_the_flag_is_named_that_gives_it_longer() {
    let place = with_job(TINY_JOB);
    place.server.intercept(|_| Some(Answer::hang()));
    let ended = place.run_exits(3, &["job.yaml", "--connect-timeout", "100ms"]);
    let hint = "hint: allow more time with --connect-timeout, for example 5m";
    assert!(ended.stderr.contains(hint), "{}", ended.stderr);
}
