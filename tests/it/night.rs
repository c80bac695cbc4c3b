//! A night unattended: what must not end it, and what must not harm it. Attacks A1, A2, A4, B5, C5 and C8, and rows J10c
//! and J11 for whole batches.

use std::io::{BufRead, BufReader, Read};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use mock_ollama::{Answer, Call, Card, Gate, MockOllama};
use serde_json::{Value, json};

#[cfg(all(target_os = "linux", target_env = "gnu"))]
use crate::fault_injector::Line;
use crate::formats::FORMATS;
use crate::harness::{
    Ended, Kind, Place, TINY_JOB, arguments, ended, good, has, incidents, json_lines, kind, lacks,
    list, trace_in, with_job,
};
#[cfg(all(target_os = "linux", target_env = "gnu"))]
use crate::harness::{blanked, each};

const KEY: &str = "sk-SECRETKEY123";

/// Everything that a run left behind or printed.
fn everything(place: &Place, ended: &Ended) -> String {
    let mut all = format!("{}{}", ended.stdout, ended.stderr);
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
    kind(call) == Kind::Statement && call.last_message().contains("You are X.")
}

fn statuses(place: &Place) -> Vec<Value> {
    let debates = place.debates();
    let status = |debate| trace_in(debate)["status"].clone();
    debates.iter().map(|debate| status(debate)).collect()
}

#[cfg(unix)]
fn signal(name: &str, id: u32) {
    let sent = Command::new("kill").args([name, &id.to_string()]).status();
    assert!(sent.is_ok_and(|status| status.success()));
}

/// A debate that a shell starts so, in the middle of its first call, which the gate holds.
#[cfg(target_os = "linux")]
fn under_way(start: &str) -> (Place, std::process::Child, Gate) {
    let place = with_job(TINY_JOB);
    let gate = Gate::new();
    let held = gate.clone();
    let script = move |call: &Call| good(call).after(held.clone());
    place.server.script(script);
    let child = place.spawn_command(place.in_shell(start, &["job.yaml"]));
    place.server.wait_for_chats(1);
    (place, child, gate)
}

#[cfg(target_os = "linux")]
#[test]
fn j10c_a_hangup_that_was_ignored_at_the_start_stays_ignored() {
    let (place, child, gate) = under_way("trap '' HUP; exec");
    signal("-HUP", child.id());
    gate.open();
    let ended = ended(&child.wait_with_output().expect("an end"));
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    assert_eq!(statuses(&place), ["done"]);
    assert!(!ended.stderr.contains("stopping"), "{}", ended.stderr);
}

#[cfg(target_os = "linux")]
#[test]
fn n_a_hangup_stops_like_an_interrupt() {
    // Also where the tests themselves were started with `nohup`.
    let (place, mut child, gate) = under_way("exec env --default-signal=HUP");
    signal("-HUP", child.id());
    let mut stderr = BufReader::new(child.stderr.take().expect("stderr"));
    hears(&mut stderr, "stopping after the calls in flight");
    gate.open();
    let ended = ended(&child.wait_with_output().expect("an end"));
    assert_eq!((ended.code, place.kept()), (130, 1), "{}", ended.stdout);
}

/// Reads what a process says until it says that.
fn hears(stderr: &mut impl BufRead, wanted: &str) -> String {
    let mut said = String::new();
    while !said.contains(wanted) {
        let read = stderr.read_line(&mut said).expect("a line");
        assert!(read > 0, "`{wanted}` is not said: {said}");
    }
    said
}

/// Runs what hangs in its first call; the server goes then. When that is said and `until` has seen enough, it comes back.
fn outage(place: &Place, args: &[&str], until: impl Fn()) -> Ended {
    let seen = AtomicUsize::new(0);
    place
        .server
        .script(move |call| match seen.fetch_add(1, Ordering::SeqCst) {
            0 => Answer::hang(),
            _ => good(call),
        });
    let mut child = place.spawn(args);
    place.server.wait_for_chats(1);
    place.server.stop();
    let mut stderr = BufReader::new(child.stderr.take().expect("stderr"));
    let mut said = hears(&mut stderr, "without limit (--outage-timeout never): ");
    until();
    place.server.resume();
    stderr.read_to_string(&mut said).expect("text");
    let ended = ended(&child.wait_with_output().expect("an end"));
    Ended {
        stderr: said,
        ..ended
    }
}

#[test]
fn j10c_an_outage_is_no_models_trouble_and_by_default_no_limit_ends_it() {
    let place = with_job(&format!("{TINY_JOB}repeat: 2\n"));
    let ended = outage(&place, &["job.yaml", "--model-timeout", "0s"], || {});
    assert_eq!(ended.code, 0, "{}{}", ended.stdout, ended.stderr);
    assert_eq!(statuses(&place), ["done", "done"]);
}

#[test]
fn j11_debates_that_were_never_begun_are_not_given_up_with_the_server() {
    let place = with_job(&format!("{TINY_JOB}repeat: 4\n"));
    let args = ["job.yaml", "--max-debates", "1", "--outage-timeout", "0"];
    place.server.script(|_| Answer::hang());
    let child = place.spawn(&args);
    place.server.wait_for_chats(1);
    place.server.stop();
    let ended = ended(&child.wait_with_output().expect("an end"));
    assert_eq!(ended.code, 1, "{}", ended.stderr);
    let given_up = "gave up on the server after 0s (--outage-timeout): ";
    assert!(ended.stderr.contains(given_up), "{}", ended.stderr);
    assert_eq!(
        ended.stdout.matches("unfinished\t").count(),
        1,
        "{}",
        ended.stdout
    );
    has(&ended.stderr, "1 unfinished, 3 not started");
    assert_eq!(list(&place.path().join("output/.rebut/running")).len(), 1);
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
    let hosts = [place.server.url(), other.url()];
    let hosts = hosts.map(|url| ["--host".to_owned(), url]).concat();
    let rest = ["jobs", "--concurrency", "1", "--max-debates", "1"].map(str::to_owned);
    (place, other, [hosts, rest.to_vec()].concat())
}

/// Calls of a debate of [`TINY_JOB`].
const CALLS: usize = 6;

#[test]
fn j10c_while_one_server_is_gone_the_other_does_its_own_work_and_then_the_rest_goes_on() {
    let (place, other, args) = a_model_each();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let ended = outage(&place, &args, || other.wait_for_chats(3 * CALLS));
    assert_eq!(ended.code, 0, "{}{}", ended.stdout, ended.stderr);
    assert_eq!(statuses(&place), ["done"; 6]);
    for debate in place.debates() {
        assert_eq!(trace_in(&debate)["incidents"], json!([]));
    }
}

#[test]
fn j10c_with_a_limit_what_only_the_gone_server_has_is_left_when_the_other_is_done() {
    let (place, _other, args) = a_model_each();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    place.server.script(|_| Answer::hang());
    let child = place.spawn(&[&args[..], &["--outage-timeout", "0"]].concat());
    place.server.wait_for_chats(1);
    place.server.stop();
    let ended = ended(&child.wait_with_output().expect("an end"));
    assert_eq!(ended.code, 1, "{}{}", ended.stdout, ended.stderr);
    assert_eq!(statuses(&place), ["done"; 3]);
    let summary = "3 done, 1 unfinished, 2 not started";
    assert!(ended.stderr.contains(summary), "{}", ended.stderr);
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
        place.server.script(move |call| {
            let is_bad = is_first(call) && seen.fetch_add(1, Ordering::SeqCst) < 2;
            if is_bad { endless(line) } else { good(call) }
        });
        let ended = place.run(&[&["job.yaml"], &LIMITS[..]].concat());
        assert_eq!(ended.code, 0, "{line}: {}{}", ended.stdout, ended.stderr);
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
        let child = place.spawn(&[&["job.yaml"], &LIMITS[..]].concat());
        place.server.wait_for_chats(1);
        signal("-TERM", child.id());
        let ended = ended(&child.wait_with_output().expect("an end"));
        assert_eq!(ended.code, 130, "{}", ended.stderr);
        assert_eq!(place.server.chats().len(), 1);
    }
}

#[test]
fn a1_a_reply_beyond_its_limit_is_ended_and_taken_as_one_that_ran_into_it() {
    let place = with_job(&format!("{TINY_JOB}x: {{max_tokens: 60}}\n"));
    let long: String = (0..400).map(|n| format!("Reason {n} is good. ")).collect();
    place.server.script(move |call| match is_first(call) {
        true => Answer::text(long.clone()).hang_after(200),
        false => good(call),
    });
    place.run_exits(0, &["job.yaml"]);
    let trace = place.trace();
    let all = trace["incidents"].as_array().expect("incidents");
    let kinds: Vec<&Value> = all.iter().map(|it| &it["kind"]).collect();
    assert_eq!(kinds, ["overrun", "cut"], "{all:?}");
    let says = "llama3: the server did not stop the reply at its limit; it was ended after about 108 tokens";
    assert_eq!(all[0]["message"], says);
    let text = arguments(&trace)[0]["text"].as_str().expect("a text");
    assert!(
        text.len() < 600 && text.ends_with("[Time limit reached]"),
        "{text}"
    );
    place
        .server
        .wait_until(|calls| calls.iter().any(|it| is_first(it) && it.client_left));
    let shown = place.rebut(&[
        "show",
        &trace["id"].as_str().expect("an id")[..12],
        "round-1/statement/position_x",
    ]);
    has(&shown.stdout, "ended by rebut: it went on beyond its limit");
}

#[test]
fn a2_what_a_server_does_not_offer_is_said_once_and_harms_no_debate() {
    let lacks: [(&[&str], u16); 3] = [
        (&["/api/embed"], 404),
        (&["/api/show"], 405),
        (&["/api/embed", "/api/show", "/api/tags"], 404),
    ];
    for (paths, status) in lacks {
        let nomic = Card::new("nomic-embed-text").capabilities(["embedding"]);
        let cards = [Card::new("llama3"), nomic];
        let place = Place::with(MockOllama::builder().models(cards).start());
        place.server.intercept(move |call| {
            let text = format!("{status} page not found");
            let lacking = paths.contains(&&*call.path);
            lacking.then(|| Answer::raw(status, "text/plain", text))
        });
        for format in FORMATS {
            let job = format!("{}repeat: 2\n", format.tiny);
            place.write(&format!("jobs/{}.yaml", format.name), &job);
        }
        let ended = place.run(&["jobs", "--model-timeout", "0s"]);
        assert_eq!(ended.code, 0, "{paths:?}: {}{}", ended.stdout, ended.stderr);
        assert_eq!(statuses(&place), ["done"; 10]);
        for path in paths {
            let url = format!(
                "{}{path} answered {status}: {status} page not found",
                place.server.url()
            );
            assert_eq!(
                ended.stderr.matches(&url).count(),
                1,
                "{url}: {}",
                ended.stderr
            );
        }
        assert!(!ended.stderr.contains("waiting for"), "{}", ended.stderr);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a4_with_few_files_few_debates_are_open_and_all_are_done() {
    let limits = [("ulimit -n 64", true), ("ulimit -S -n 64", false)];
    for (limit, is_hard) in limits {
        let place = with_job(&format!("{TINY_JOB}repeat: 40\n"));
        let args = ["job.yaml", "--max-debates", "40", "--concurrency", "16"];
        let mut run = place.in_shell(&format!("{limit}; exec"), &args);
        let ended = ended(&run.output().expect("an end"));
        assert_eq!(ended.code, 0, "{limit}: {}{}", ended.stdout, ended.stderr);
        assert_eq!(statuses(&place), vec!["done"; 40]);
        let bounded =
            "running at most 4 debates at a time: this process may open 64 files (`ulimit -n`)";
        assert_eq!(ended.stderr.contains(bounded), is_hard, "{}", ended.stderr);
        assert!(!ended.stderr.contains("waiting for"), "{}", ended.stderr);
    }
}

/// At what a debate creates: claim, snapshot, journal, the files that it stages.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[test]
fn a4_a_debate_that_may_open_no_file_now_is_tried_again_in_the_same_run() {
    let place = with_job(TINY_JOB);
    assert_eq!(place.run_injected(&["job.yaml"], "").code, 0);
    let expected = blanked(&place.debates()[0]);
    let seen = place.seen();
    let of_debate = |line: &&Line| {
        let parts = ["claims/", "running/", "inputs/", "staging/"];
        let is_there = parts
            .iter()
            .any(|part| line.path.contains(&format!(".rebut/{part}")));
        line.begins && line.what == "create" && is_there
    };
    let opened: Vec<usize> = seen.iter().filter(of_debate).map(|line| line.n).collect();
    assert!(opened.len() > 8, "{opened:?}");
    let some: Vec<usize> = opened.iter().copied().step_by(2).collect();
    each(&some, |n| {
        let place = with_job(TINY_JOB);
        let ended = place.run_injected(&["job.yaml"], &format!("fail EMFILE {n}"));
        assert_eq!(ended.code, 0, "{n}: {}{}", ended.stdout, ended.stderr);
        let said = "Too many open files (os error 24); debates are waiting: raise the limit";
        assert_eq!(
            ended.stderr.matches(said).count(),
            1,
            "{n}: {}",
            ended.stderr
        );
        assert!(
            place.debates().len() == 1 && blanked(&place.debates()[0]) == expected,
            "{n}"
        );
    });
}

#[test]
fn m1_a_key_that_the_server_echoes_reaches_no_file_and_no_output() {
    let echoes: [fn() -> Answer; 4] = [
        || Answer::status(400, &format!("bad credentials: Bearer {KEY}")),
        || Answer::text("one two").error_after(1, &format!("Bearer {KEY}")),
        || Answer::text(format!("Your key is {KEY}, is it?")).chunks(40),
        || Answer::text("Fine.").thinking(&format!("They use {KEY} here.")),
    ];
    for echo in echoes {
        let place = with_job(TINY_JOB);
        place.server.intercept(|call| {
            let version = format!("{{\"version\":\"0.33 {KEY}\"}}");
            (call.path == "/api/version").then(|| Answer::raw(200, "application/json", version))
        });
        place.server.script(move |call| match is_first(call) {
            true => echo(),
            false => good(call),
        });
        let mut run = place.command(&["run", "job.yaml", "--json", "-v", "--retry-delay", "1ms"]);
        let ended = ended(&run.env("OLLAMA_API_KEY", KEY).output().expect("an end"));
        assert!(!json_lines(&ended.stdout).is_empty());
        let all = everything(&place, &ended);
        assert!(!all.contains("SECRET"), "{}{}", ended.stdout, ended.stderr);
        assert!(all.contains("***"));
        let sent = format!("Bearer {KEY}");
        assert!(
            place
                .server
                .chats()
                .iter()
                .all(|it| it.header("authorization") == Some(&sent))
        );
    }
}

#[test]
fn m1_a_host_with_a_secret_is_refused_and_not_shown() {
    let place = with_job(TINY_JOB);
    let hosts = [
        ("http://user:PASSWORD@127.0.0.1:9", "http://***@127.0.0.1:9"),
        (
            "http://127.0.0.1:9/p?key=PASSWORD",
            "http://127.0.0.1:9/p?***",
        ),
    ];
    for (host, shown) in hosts {
        for command in ["run", "check", "doctor"] {
            let ended = place.rebut_exits(2, &[command, "job.yaml", "--host", host]);
            let refused = format!("the host `{shown}` cannot be used: a host may hold no ");
            assert!(ended.stderr.contains(&refused), "{}", ended.stderr);
            lacks(&everything(&place, &ended), &["PASSWORD"]);
        }
    }
}

#[test]
fn m2_a_connection_that_is_closed_twice_before_the_first_byte_costs_one_attempt() {
    let place = with_job(TINY_JOB);
    let seen = AtomicUsize::new(0);
    place.server.script(move |call| {
        let closes = is_first(call) && seen.fetch_add(1, Ordering::SeqCst) < 2;
        let reply = good(call);
        if closes {
            reply.disconnect_after(0)
        } else {
            reply
        }
    });
    place.run_exits(0, &["job.yaml"]);
    let trace = place.trace();
    let message = &incidents(&trace, "retry")[0]["message"];
    let message = message.as_str().expect("a message");
    has(
        &message,
        "broken_stream (the connection to http://127.0.0.1",
    );
    assert_eq!(trace["incidents"].as_array().map(Vec::len), Some(1));
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
    let seen = AtomicUsize::new(0);
    place.server.intercept(move |call| {
        let first = call.path == "/api/tags" && seen.fetch_add(1, Ordering::SeqCst) == 0;
        first.then(Answer::hang)
    });
    let ended = place.run_exits(0, &["job.yaml", "--connect-timeout", "500ms"]);
    let said = "did not answer within 3 s (--connect-timeout gives it longer)";
    assert!(ended.stderr.contains(said), "{}", ended.stderr);
}

#[test]
fn m1_where_nobody_answers_the_flag_is_named_that_gives_it_longer() {
    let place = with_job(TINY_JOB);
    place.server.intercept(|_| Some(Answer::hang()));
    let ended = place.run_exits(3, &["job.yaml", "--connect-timeout", "100ms"]);
    let hint = "hint: allow more time with --connect-timeout, such as 5m";
    assert!(ended.stderr.contains(hint), "{}", ended.stderr);
}
