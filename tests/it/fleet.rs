//! Rows F1 and F2: a batch on many machines, with a real NATS server between them.

mod collecting;
mod logins;
mod nats;
mod proxy;
mod versions;

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs::File;
#[cfg(feature = "view")]
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command};

use mock_ollama::{Answer, Gate};
use rebut::journal::Entry;
use serde_json::Value;

use self::nats::{Nats, Setup, server, server_with};
use self::proxy::{Proxy, Step};
use crate::harness::{
    Ended, Files, Place, TINY_JOB, blanked, debates_in, entries_of, good, has, lacks, list,
    name_of, read, say, shows,
};

/// A place with a job of so many debates.
fn place(debates: usize) -> Place {
    let place = Place::new();
    place.write("job.yaml", &format!("{TINY_JOB}repeat: {debates}\n"));
    place
}

fn enqueue(place: &Place, nats: &Nats, more: &[&str]) -> Ended {
    let url = nats.url();
    let args = ["enqueue", "job.yaml", "--ack-wait", "2s", "--nats", &url];
    place.rebut_exits(0, &[&args, more].concat())
}

fn collect(place: &Place, nats: &Nats, more: &[&str]) -> Ended {
    let url = nats.url();
    place.rebut(&[&["collect", "--nats", &url], more].concat())
}

fn status(place: &Place, nats: &Nats) -> String {
    let url = nats.url();
    place.rebut_exits(0, &["status", "--nats", &url]).stdout
}

/// A worker with one slot, started; it is killed when the test ends.
fn worker(place: &Place, url: &str) -> Child {
    worker_with(place, url, &["-j", "1", "--max-debates", "1"])
}

fn worker_with(place: &Place, url: &str, more: &[&str]) -> Child {
    let mut command = worker_command(place, url, more);
    let log = place.path().join("workers.log");
    let log = File::options().create(true).append(true).open(log);
    command.stderr(log.expect("a log"));
    place.spawn_command(command)
}

fn worker_command(place: &Place, url: &str, more: &[&str]) -> Command {
    let args = ["worker", "--nats", url, "--work-dir", "workers", "--retry-delay", "1ms"];
    place.command(&[&args, more].concat())
}

fn signal(name: &str, child: &Child) {
    let mut kill = std::process::Command::new("kill");
    let sent = kill.args([name, &child.id().to_string()]).status();
    assert!(sent.is_ok_and(|status| status.success()));
}

/// Ends a worker in good order.
fn end(mut worker: Child) {
    signal("-TERM", &worker);
    worker.wait().expect("an end");
}

fn kill(mut worker: Child) {
    worker.kill().expect("a kill");
    worker.wait().expect("an end");
}

/// The debates of an output directory, blanked, by id.
fn all_blanked(output: &Path) -> BTreeMap<String, Files> {
    let named = |dir: &Path| name_of(dir).rsplit('_').next().expect("an id").to_owned();
    let debates = debates_in(output);
    debates.iter().map(|dir| (named(dir), blanked(dir))).collect()
}

/// How many chats repeat one that was made before.
fn repeated(place: &Place) -> usize {
    let chats = place.server.chats();
    chats.iter().filter(|it| it.attempt_of_same_body > 1).count()
}

/// Checks that so many debates stand in `output`, each once, and that its journals hold each call once, and all that were made.
fn sound(place: &Place, debates: usize) {
    let output = place.path().join("output");
    let dirs = debates_in(&output);
    let ids: BTreeSet<String> = dirs.iter().map(|dir| name_of(dir)).collect();
    assert_eq!((dirs.len(), ids.len()), (debates, debates));
    let mut replies = 0;
    for journal in list(&output.join(".rebut/journals")) {
        let entries = entries_of(&journal);
        let calls = entries.iter().filter(|it| it.call().is_some());
        let mut seen = HashSet::new();
        for entry in calls {
            assert!(seen.insert((entry.call(), entry.attempt())), "{journal:?}");
        }
        replies += entries.iter().filter(|it| matches!(it, Entry::Reply(_))).count();
    }
    assert_eq!(replies, place.server.chats().len() - repeated(place));
}

#[test]
fn f1_any_number_of_workers_writes_what_one_machine_writes() {
    let Some(nats) = server() else { return };
    let alone = place(6);
    alone.run_exits(0, &["job.yaml"]);
    let expected = all_blanked(&alone.path().join("output"));
    assert_eq!(expected.len(), 6);
    for (run, workers) in [("one", 1), ("eight", 8)] {
        let place = place(6);
        let workers: Vec<Child> = (0..workers).map(|_| worker(&place, &nats.url())).collect();
        let said = enqueue(&place, &nats, &["--run", run]).stdout;
        has(&said, &format!("enqueued 6 debates for the run `{run}`"));
        let collected = collect(&place, &nats, &["--run", run]).exits(0);
        assert_eq!(collected.stdout, "collected 6 debates\nall debates: output/index.md\n");
        workers.into_iter().for_each(end);
        sound(&place, 6);
        assert_eq!(repeated(&place), 0);
        assert!(all_blanked(&place.path().join("output")) == expected, "{run}");
        // What was collected is a directory like any other.
        let again = place.run_exits(0, &["job.yaml"]);
        has(&again.stderr, "6 finished before");
        place.rebut_exits(0, &["show", "last", "calls"]);
    }
}

#[test]
fn f1_the_same_command_again_enqueues_only_what_is_neither_done_nor_waiting() {
    let Some(nats) = server() else { return };
    let place = place(3);
    let first = enqueue(&place, &nats, &["--limit", "2"]);
    assert_eq!(first.stdout, "enqueued 2 debates for the run `batch`\n");
    has(&first.stderr, "no worker is running: start one with `rebut worker");
    let second = enqueue(&place, &nats, &[]);
    assert_eq!(
        second.stdout,
        "enqueued 1 debate for the run `batch`, 2 already waiting or in progress\n"
    );
    has(&status(&place, &nats), "run batch: 0 of 3 debates done\n");
    let worker = worker(&place, &nats.url());
    collect(&place, &nats, &[]).exits(0);
    let third = enqueue(&place, &nats, &[]);
    assert_eq!(third.stdout, "enqueued 0 debates for the run `batch`, 3 already done\n");
    has(&status(&place, &nats), "run batch: finished, 3 of 3 debates done\n");
    end(worker);
    lacks(&status(&place, &nats), &["worker on"]);
    sound(&place, 3);
}

/// What `rebut status --nats URL --json` says, which is of the published shape.
fn status_json(place: &Place, url: &str) -> Value {
    let printed = place.rebut_exits(0, &["status", "--nats", url, "--json"]);
    let status = serde_json::from_str(&printed.stdout).expect("JSON");
    let schema = place.rebut(&["schema", "fleet"]).stdout;
    let schema = serde_json::from_str(&schema).expect("JSON");
    let validator = jsonschema::validator_for(&schema).expect("a valid schema");
    assert!(validator.is_valid(&status), "{status:#}");
    status
}

#[test]
fn f1_the_status_of_a_fleet_is_data_too() {
    let Some(nats) = server() else { return };
    let place = place(3);
    let url = format!("nats://me:secret@127.0.0.1:{}", nats.port());
    enqueue(&place, &nats, &["--limit", "2"]);
    let status = status_json(&place, &url);
    shows!(status, {
        "nats": nats.url(), "runs count": 1, "runs/0/name": "batch", "runs/0/state": "running",
        "runs/0/debates": {"chosen": 2, "done": 0, "left": 2},
        "pools/0/models": ["llama3"], "pools/0/queued": 2, "pools/0/in_progress": 0, "pools/0/workers": 0,
        "workers": [], "warnings/0 contains": "no worker is running",
    });
    let gate = Gate::new();
    let held = gate.clone();
    let script = move |call: &mock_ollama::Call| good(call).after(held.clone());
    place.server.script(script);
    let worker = worker(&place, &nats.url());
    place.server.wait_for_chats(1);
    let status = status_json(&place, &url);
    shows!(status, {
        "pools/0/queued": 1, "pools/0/in_progress": 1, "pools/0/workers": 1, "warnings": [],
        "workers count": 1, "workers/0/pid": worker.id(),
        "workers/0/models": ["llama3", "mistral"], "workers/0/rebut": env!("CARGO_PKG_VERSION"),
    });
    gate.open();
    collect(&place, &nats, &[]).exits(0);
    let status = status_json(&place, &url);
    shows!(status, {
        "runs/0/state": "finished", "runs/0/debates": {"chosen": 2, "done": 2, "left": 0}, "pools": [],
    });
    end(worker);
}

#[test]
fn f1_a_worker_takes_only_debates_whose_models_are_pulled() {
    let Some(nats) = server() else { return };
    let place = place(1);
    place.write("other.yaml", &format!("{TINY_JOB}defaults: {{model: nobody-has-this}}\n"));
    let worker = worker(&place, &nats.url());
    let url = nats.url();
    place.rebut_exits(0, &["enqueue", "job.yaml", "other.yaml", "--nats", &url]);
    place.server.wait_for_chats(1);
    has(&status(&place, &nats), "warning: no worker has pulled nobody-has-this: run `ollama pull`");
    end(worker);
    let asked = place.server.chats();
    assert!(asked.iter().all(|call| call.model() != "nobody-has-this"));
}

#[test]
fn f1_what_is_missing_is_said_with_what_to_do() {
    let place = place(1);
    let nobody = "nats://me:secret@127.0.0.1:1";
    for command in [&["worker"][..], &["enqueue", "job.yaml"], &["collect"], &["cancel"]] {
        let ended = place.rebut_exits(3, &[command, &["--nats", nobody]].concat());
        has(&ended.stderr, "error: cannot connect to the NATS server at nats://127.0.0.1:1");
        has(&ended.stderr, "hint: start it with `nats-server -c nats.conf`");
        lacks(&ended.stderr, &["secret"]);
    }
    let Some(nats) = server() else { return };
    enqueue(&place, &nats, &["--run", "night"]);
    let ended = collect(&place, &nats, &[]).exits(2);
    has(&ended.stderr, "error: the NATS server has no run `batch`");
    has(&ended.stderr, "hint: choose one with --run: night");
    place.write("loads.yaml", &format!("{TINY_JOB}models: {{llama3: {{keep_alive: 30m}}}}\n"));
    let url = nats.url();
    let ended = place.rebut_exits(2, &["enqueue", "loads.yaml", "--nats", &url]);
    has(&ended.stderr, "workers do not support `models`");
}

#[test]
fn f2_a_debate_goes_on_at_another_worker_from_its_journal() {
    let Some(nats) = server() else { return };
    let place = place(1);
    let (gate, held) = (Gate::new(), std::sync::atomic::AtomicUsize::new(0));
    let closed = gate.clone();
    place.server.script(move |call| match held.fetch_add(1, std::sync::atomic::Ordering::SeqCst) {
        3 => good(call).after(closed.clone()),
        _ => good(call),
    });
    let first = worker(&place, &nats.url());
    enqueue(&place, &nats, &[]);
    place.server.wait_for_chats(4);
    // In good order: the call in flight ends, and nothing is asked twice.
    signal("-TERM", &first);
    gate.open();
    end_of_stopped(first);
    let second = worker(&place, &nats.url());
    collect(&place, &nats, &[]).exits(0);
    end(second);
    sound(&place, 1);
    assert_eq!(repeated(&place), 0);
}

#[test]
fn f2_a_debate_that_began_on_one_machine_ends_on_another() {
    let Some(nats) = server() else { return };
    let alone = place(1);
    alone.run_exits(0, &["job.yaml"]);
    // Each has its own directory and its own Ollama server.
    let (one, other) = (place(1), Place::new());
    let (gate, asked) = (Gate::new(), std::sync::atomic::AtomicUsize::new(0));
    let closed = gate.clone();
    one.server.script(move |call| match asked.fetch_add(1, std::sync::atomic::Ordering::SeqCst) {
        // The first ballot: what was said before is in the journal by then. The reply to one ballot may not be yet when the next
        // is asked.
        2 => good(call).after(closed.clone()),
        _ => good(call),
    });
    other.server.script(good);
    enqueue(&one, &nats, &[]);
    let first = worker(&one, &nats.url());
    one.server.wait_for_chats(3);
    kill(first);
    gate.open();
    let second = worker(&other, &nats.url());
    collect(&other, &nats, &[]).exits(0);
    end(second);
    let output = other.path().join("output");
    assert!(all_blanked(&output) == all_blanked(&alone.path().join("output")));
    let made = one.server.chats().len() + other.server.chats().len();
    // The call that was in flight is asked once more, at the other.
    assert_eq!(made, alone.server.chats().len() + 1);
    assert_eq!(one.server.chats().len(), 3);
}

/// What a viewer answers to a request for a page.
#[cfg(feature = "view")]
fn page(address: &str, path: &str) -> String {
    let host = address.trim_start_matches("http://").trim_end_matches('/');
    let mut stream = std::net::TcpStream::connect(host).expect("a viewer");
    let request = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).expect("a request");
    let mut page = String::new();
    std::io::Read::read_to_string(&mut stream, &mut page).expect("a page");
    page
}

#[cfg(feature = "view")]
#[test]
fn f1_a_viewer_follows_workers_from_elsewhere() {
    let Some(nats) = server() else { return };
    let place = place(2);
    let (gate, asked) = (Gate::new(), std::sync::atomic::AtomicUsize::new(0));
    let closed = gate.clone();
    place.server.script(move |call| {
        match asked.fetch_add(1, std::sync::atomic::Ordering::SeqCst) {
            2 => good(call).after(closed.clone()),
            _ => good(call),
        }
    });
    enqueue(&place, &nats, &[]);
    let worker = worker(&place, &nats.url());
    place.server.wait_for_chats(3);
    let elsewhere = Place::new();
    let url = nats.url();
    let mut command =
        elsewhere.command(&["view", "out", "--listen", "127.0.0.1:0", "--nats", &url]);
    command.stdout(std::process::Stdio::piped());
    let mut viewer = elsewhere.spawn_command(command);
    let mut address = String::new();
    let mut stdout = BufReader::new(viewer.stdout.take().expect("stdout"));
    stdout.read_line(&mut address).expect("an address");
    let address = address.trim();
    let seen = |path: &str, wanted: &str| {
        let mut shown = page(address, path);
        while !shown.contains(wanted) {
            std::thread::sleep(std::time::Duration::from_millis(100));
            shown = page(address, path);
        }
        shown
    };
    let overview = seen("/", "0 of 2 debates ended");
    let id = loop {
        let shown = page(address, "/");
        if let Some((_, rest)) = shown.split_once("/d/") {
            break rest[..12].to_owned();
        }
    };
    has(&overview, "200 OK");
    seen(&format!("/d/{id}"), "A reason for it is fairness. Number ");
    let out = elsewhere.path().join("out");
    let live = read(&out.join(format!(".rebut/live/{id}.jsonl")));
    let is_logged = |line: &&str| line.contains("\"seq\":");
    let live: Vec<&str> = live.lines().filter(is_logged).collect();
    gate.open();
    let to = out.display().to_string();
    collect(&place, &nats, &["-o", &to]).exits(0);
    seen("/", "2 of 2 debates done");
    has(&page(address, &format!("/d/{id}")), "200 OK");
    // What was seen is how the debate's own log begins.
    let dirs = debates_in(&out);
    let dir = dirs.iter().find(|dir| name_of(dir).ends_with(&id));
    let log = read(&dir.expect("the debate").join("events.jsonl"));
    let log: Vec<&str> = log.lines().filter(is_logged).collect();
    assert!(live.len() > 3 && log.starts_with(&live), "{live:#?}");
    end(worker);
    signal("-TERM", &viewer);
    viewer.wait().expect("an end");
}

/// A certificate for 127.0.0.1 and the one that vouches for it, made by `openssl`; none, told loudly, where that is not there.
fn certificates(dir: &Path) -> Option<()> {
    let openssl = |args: &str| {
        let mut command = std::process::Command::new("openssl");
        command.current_dir(dir).args(args.split(' '));
        command.output().is_ok_and(|it| it.status.success())
    };
    let key = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2";
    let made = openssl(&format!("req -x509 {key} -subj /CN=ca -keyout ca.key -out ca.pem"))
        && openssl(&format!(
            "req -x509 {key} -subj /CN=127.0.0.1 -keyout key.pem -out cert.pem -CA ca.pem -CAkey ca.key -addext subjectAltName=IP:127.0.0.1 -addext basicConstraints=CA:FALSE"
        ));
    if !made {
        say("SKIPPED: the test of TLS needs openssl 3");
    }
    made.then_some(())
}

#[test]
fn f1_a_server_with_tls_and_users_takes_only_those_it_knows() {
    let place = place(2);
    let dir = place.path().to_owned();
    let Some(()) = certificates(&dir) else { return };
    let file = |name: &str| dir.join(name).display().to_string();
    let (cert, key) = (file("cert.pem"), file("key.pem"));
    let Some(nats) = server_with(Setup {
        more: format!(
            "tls {{ cert_file: {cert:?}, key_file: {key:?} }}\nauthorization {{ users: [{{user: rebut, password: secret}}] }}\n"
        ),
        ..Setup::default()
    }) else {
        return;
    };
    let url = |password: &str| format!("tls://rebut:{password}@127.0.0.1:{}", nats.port());
    let with = |args: &[&str], password: &str, ca: &[&str]| {
        place.rebut(&[args, &["--nats", &url(password)], ca].concat())
    };
    let ca = ["--nats-ca", "ca.pem"];
    let enqueue = ["enqueue", "job.yaml", "--rehearse"];
    for refused in [with(&enqueue, "secret", &[]), with(&enqueue, "wrong", &ca)] {
        let refused = refused.exits(3);
        has(&refused.stderr, "cannot connect to the NATS server at tls://127.0.0.1:");
        lacks(&refused.stderr, &["secret", "wrong@"]);
    }
    has(&with(&enqueue, "secret", &ca).exits(0).stdout, "enqueued 2 debates");
    let worker = ["worker", "--rehearse", "--leave-after", "1s", "--work-dir", "workers"];
    has(&with(&worker, "secret", &ca).exits(0).stderr, "finished 2 debates");
    has(&with(&["collect"], "secret", &ca).exits(0).stdout, "collected 2 debates");
}

fn end_of_stopped(mut worker: Child) {
    worker.wait().expect("an end");
}

#[test]
fn f2_a_worker_that_slept_is_refused_when_it_wakes_up() {
    let Some(nats) = server() else { return };
    let place = place(1);
    let gate = Gate::new();
    let (closed, asked) = (gate.clone(), std::sync::atomic::AtomicUsize::new(0));
    place.server.script(move |call| {
        match asked.fetch_add(1, std::sync::atomic::Ordering::SeqCst) {
            2 => good(call).after(closed.clone()),
            _ => good(call),
        }
    });
    let leaves = ["-j", "1", "--max-debates", "1", "--leave-after", "1s"];
    enqueue(&place, &nats, &[]);
    let mut sleeper = worker_with(&place, &nats.url(), &leaves);
    place.server.wait_for_chats(3);
    signal("-STOP", &sleeper);
    let second = worker(&place, &nats.url());
    collect(&place, &nats, &[]).exits(0);
    let made = place.server.chats().len();
    gate.open();
    signal("-CONT", &sleeper);
    sleeper.wait().expect("an end");
    end(second);
    has(&read(&place.path().join("workers.log")), "lost: another worker continues it");
    // Ballots of one round are asked beside each other: those that waited for its slot are not sent.
    assert_eq!((repeated(&place), place.server.chats().len()), (1, made));
    sound(&place, 1);
}

#[test]
fn f2_a_cancelled_run_asks_nothing_more_and_can_be_taken_up_again() {
    let Some(nats) = server() else { return };
    let place = place(3);
    let gate = Gate::new();
    let closed = gate.clone();
    place.server.script(move |call| good(call).after(closed.clone()));
    let worker = worker(&place, &nats.url());
    enqueue(&place, &nats, &[]);
    place.server.wait_for_chats(1);
    let url = nats.url();
    let cancelled = place.rebut_exits(0, &["cancel", "--nats", &url]);
    assert_eq!(cancelled.stdout, "cancelled the run `batch`: 3 debates not done\n");
    has(&status(&place, &nats), "run batch: cancelled, 0 of 0 debates done");
    // Collecting ends at once: nothing more comes.
    let collected = collect(&place, &nats, &[]).exits(0);
    has(&collected.stdout, "collected 0 debates");
    gate.open();
    end(worker);
    let asked = place.server.chats().len();
    assert!(asked <= 2, "{asked} calls");
    place.server.script(good);
    has(&enqueue(&place, &nats, &[]).stdout, "enqueued 3 debates");
    let worker = worker_with(&place, &url, &["-j", "1"]);
    collect(&place, &nats, &[]).exits(0);
    end(worker);
    sound(&place, 3);
    assert_eq!(repeated(&place), 0);
}

#[test]
fn f2_a_debate_that_workers_die_on_is_given_up_and_can_be_tried_once_more() {
    let Some(nats) = server() else { return };
    let place = place(1);
    place.server.script(|_| Answer::hang());
    enqueue(&place, &nats, &[]);
    // The first one still came further: it wrote down what model there is.
    for deaths in 1..=4 {
        let victim = worker(&place, &nats.url());
        place.server.wait_for_chats(deaths);
        kill(victim);
    }
    let fifth = worker(&place, &nats.url());
    let collected = collect(&place, &nats, &[]).exits(1);
    has(&collected.stderr, "given up: three workers in a row died on it");
    has(
        &collected.stdout,
        "collected 0 debates, 1 given up (try again with `rebut enqueue --again`",
    );
    place.server.script(good);
    has(
        &enqueue(&place, &nats, &[]).stdout,
        "enqueued 0 debates for the run `batch`, 1 already done",
    );
    has(&enqueue(&place, &nats, &["--again"]).stdout, "enqueued 1 debate");
    let collected = collect(&place, &nats, &[]).exits(0);
    has(&collected.stdout, "collected 1 debate\n");
    end(fifth);
    sound(&place, 1);
}

#[test]
fn f2_a_reply_longer_than_a_message_ends_its_debate_and_is_asked_once() {
    let Some(nats) = server_with(Setup { max_payload: "256KB", ..Setup::default() }) else {
        return;
    };
    let place = place(1);
    // Few words, each long: a reply of many tokens would be cut at the limit.
    let word = |from: u32| -> String { (from..from + 6_000).map(|n| n.to_string()).collect() };
    let words: Vec<String> = (1..=12).map(|n| word(n * 10_000)).collect();
    let long = words.join(" ");
    place.server.script(move |_| Answer::text(long.clone()));
    enqueue(&place, &nats, &[]);
    let worker = worker(&place, &nats.url());
    let collected = collect(&place, &nats, &[]).exits(1);
    has(&collected.stderr, "given up: a record of");
    has(&collected.stderr, "raise `max_payload` in nats.conf");
    end(worker);
    assert_eq!(repeated(&place), 0);
}

/// Each step at which a worker may die, before and after the server has got its message.
const STEPS: [(&str, usize); 6] = [
    // The attempt, the header, the first card, the first reply.
    ("HPUB rebut.journal.", 1),
    ("HPUB rebut.journal.", 2),
    ("HPUB rebut.journal.", 3),
    ("HPUB rebut.journal.", 5),
    // The result.
    ("HPUB rebut.done.", 1),
    // The answer to the message that brought the debate.
    ("+ACK", 1),
];

#[test]
fn f2_a_crash_at_any_step_of_the_protocol_loses_and_doubles_nothing() {
    let Some(nats) = server() else { return };
    for (at, (what, nth)) in STEPS.into_iter().enumerate() {
        for is_sent in [false, true] {
            let step = Step { what, nth, is_sent };
            let place = place(1);
            let run = format!("step-{at}-{is_sent}");
            let proxy = Proxy::new(nats.port(), step);
            let mut victim = worker(&place, &proxy.url());
            proxy.kills(victim.id());
            enqueue(&place, &nats, &["--run", &run]);
            assert_eq!(victim.wait().expect("an end").code(), None, "{step:?}");
            let next = worker(&place, &nats.url());
            collect(&place, &nats, &["--run", &run]).exits(0);
            end(next);
            sound(&place, 1);
            assert!(repeated(&place) <= 1, "{step:?}");
        }
    }
}

/// Numbers that look random and are the same in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 33) as usize % sides
    }
}

const DEBATES: usize = 20;
const WORKERS: usize = 3;

#[test]
fn f2_kills_zombies_and_a_dead_server_lose_and_double_nothing() {
    let Some(mut nats) = server() else { return };
    let place = place(DEBATES);
    let mut dice = Dice(17);
    let mut workers: Vec<Child> = (0..WORKERS).map(|_| worker(&place, &nats.url())).collect();
    let mut zombies = Vec::new();
    enqueue(&place, &nats, &[]);
    let events = ["kill", "stop", "kill", "server", "kill", "stop", "kill"];
    for (at, event) in events.iter().enumerate() {
        place.server.wait_for_chats(6 * (at + 1));
        let chosen = dice.roll(WORKERS);
        match *event {
            "server" => nats.kill_and_restart(),
            event => {
                let fresh = worker(&place, &nats.url());
                let old = std::mem::replace(&mut workers[chosen], fresh);
                match event {
                    "kill" => kill(old),
                    _ => {
                        signal("-STOP", &old);
                        zombies.push(old);
                    }
                }
            }
        }
    }
    collect(&place, &nats, &[]).exits(0);
    // They wake up when all is over, and want to go on.
    zombies.iter().for_each(|zombie| signal("-CONT", zombie));
    zombies.into_iter().chain(workers).for_each(end);
    let (kills, slept, server_kills) = (4, 2, 1);
    let most = kills + slept + WORKERS * server_kills;
    assert!(repeated(&place) <= most, "{} calls repeated", repeated(&place));
    let after = collect(&place, &nats, &[]).exits(0);
    has(&after.stdout, "collected 0 debates\n");
    sound(&place, DEBATES);
    has(&status(&place, &nats), "run batch: finished, 20 of 20 debates done");
}
