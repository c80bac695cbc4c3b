//! What a worker leaves to others because of versions: debates that another `rebut` or other weights began, and old servers.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_nats::HeaderMap;
use async_nats::jetstream::{self, message::StreamMessage};
use mock_ollama::{Answer, Card, MockOllama};
use rebut::journal::{self, Entry};

use super::nats::{Nats, server};
use super::{enqueue, kill, place, status, worker, worker_command};
use crate::harness::{Place, good, has};

/// A debate whose worker has been killed amid its fourth call.
fn begun(nats: &Nats) -> Place {
    let (place, asked) = (place(1), AtomicUsize::new(0));
    place.server.script(move |call| match asked.fetch_add(1, Ordering::SeqCst) {
        3 => Answer::hang(),
        _ => good(call),
    });
    enqueue(&place, nats, &[]);
    let victim = worker(&place, &nats.url());
    place.server.wait_for_chats(4);
    kill(victim);
    place.server.script(good);
    place
}

/// What a worker says of the first debate that leaves its hands.
fn said_by_worker(place: &Place, nats: &Nats) -> String {
    let command = worker_command(place, &nats.url(), &["-j", "1", "--max-debates", "1"]);
    let mut worker = place.spawn_command(command);
    let stderr = BufReader::new(worker.stderr.take().expect("a pipe"));
    let mut lines = stderr.lines().map(|line| line.expect("a line"));
    let said = lines.find(|line| line.contains(" given back") || line.contains(" done: "));
    kill(worker);
    said.expect("a debate")
}

/// Has another version of `rebut` have begun all debates, by what the server holds.
fn begun_by(nats: &Nats, version: &str) {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let client = async_nats::connect(nats.url()).await.expect("a server");
        let jetstream = jetstream::new(client);
        let journals = jetstream.get_stream("REBUT_JOURNALS").await.expect("a stream");
        let mut messages = Vec::new();
        for sequence in 1..=journals.cached_info().state.last_sequence {
            let message = journals.get_raw_message(sequence).await;
            messages.push(message.expect("a message"));
        }
        journals.purge().await.expect("an answer");
        for message in messages {
            let (headers, line) = (own_headers(&message), of_version(&message.payload, version));
            let sent = jetstream.publish_with_headers(message.subject, headers, line.into());
            sent.await.expect("sent").await.expect("taken");
        }
    });
}

/// The headers that are `rebut`'s.
pub(super) fn own_headers(message: &StreamMessage) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for (name, values) in message.headers.iter() {
        if name.to_string().starts_with("Rebut-") {
            headers.insert(name.clone(), values[0].clone());
        }
    }
    headers
}

/// The first line of a journal as another version writes it; any other message as it is.
fn of_version(payload: &[u8], version: &str) -> Vec<u8> {
    let as_file = [payload, b"\n"].concat();
    let parsed = journal::parse(Path::new("journal"), &as_file);
    let header = parsed.ok().and_then(|contents| contents.header().cloned());
    header.map_or_else(
        || payload.to_vec(),
        |mut header| {
            version.clone_into(&mut header.rebut);
            journal::line(&Entry::Debate(header)).into_bytes()
        },
    )
}

#[test]
fn f2_a_worker_gives_back_a_debate_that_another_version_began() {
    let Some(nats) = server() else { return };
    let place = begun(&nats);
    begun_by(&nats, "0.0.9");
    let asked = place.server.chats().len();
    let this = env!("CARGO_PKG_VERSION");
    let why = format!(
        "given back: rebut 0.0.9 began it, but this is {this}: start a worker with that version"
    );
    has(&said_by_worker(&place, &nats), &why);
    assert_eq!(place.server.chats().len(), asked);
    has(&status(&place, &nats), "run batch: 0 of 1 debate done\n");
}

#[test]
fn f2_a_worker_gives_back_a_debate_that_other_weights_began() {
    let Some(nats) = server() else { return };
    let _begun = begun(&nats);
    let other = "0123456789abcdef".repeat(4);
    let models = [Card::new("llama3").digest(&other), Card::new("mistral")];
    let elsewhere = Place::with(MockOllama::builder().models(models).start());
    let why = "given back: it began with weights of llama3 that differ from those pulled here";
    has(&said_by_worker(&elsewhere, &nats), why);
    assert_eq!(elsewhere.server.chats().len(), 0);
    has(&status(&elsewhere, &nats), "run batch: 0 of 1 debate done\n");
}

/// A server that says it is an old one.
fn old_server() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    std::thread::spawn(move || {
        for mut client in listener.incoming().flatten() {
            let info = r#"INFO {"server_id":"x","server_name":"x","version":"2.9.10","go":"x","host":"127.0.0.1","port":1,"headers":true,"max_payload":1048576,"proto":1,"jetstream":true}"#;
            let _ = write!(client, "{info}\r\n");
            let mut lines = BufReader::new(client.try_clone().expect("a socket"));
            let mut line = String::new();
            while lines.read_line(&mut line).is_ok_and(|n| n > 0) {
                if line.starts_with("PING") {
                    let _ = write!(client, "PONG\r\n");
                }
                line.clear();
            }
        }
    });
    port
}

#[test]
fn f2_a_server_that_loses_messages_in_a_crash_is_refused() {
    let place = place(1);
    let url = format!("nats://127.0.0.1:{}", old_server());
    for command in [&["enqueue", "job.yaml"][..], &["worker"], &["collect"], &["status"]] {
        let ended = place.rebut_exits(2, &[command, &["--nats", &url]].concat());
        has(&ended.stderr, "the NATS server has version 2.9.10, but rebut needs 2.10.23 or later");
        has(&ended.stderr, "--allow-old-server");
    }
}
