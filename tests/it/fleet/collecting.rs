//! What `rebut collect` does about results that it cannot use, and when it is interrupted.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command};

use async_nats::jetstream::{self, message::StreamMessage};

use super::nats::{Nats, server};
use super::versions::own_headers;
use super::{collect, end, enqueue, place, repeated, signal, worker, worker_command};
use crate::harness::{Place, TINY_JOB, debates_in, end_of, has, lacks, name_of, read};

/// Two debates that a worker has done, of which the server has damaged the second.
fn second_damaged(nats: &Nats) -> Place {
    let place = place(2);
    enqueue(&place, nats, &[]);
    let mut worker = place.spawn_command(worker_command(&place, &nats.url(), &["-j", "1"]));
    lines_until(&mut worker, 2, " done: ");
    end(worker);
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(damage_last(&nats.url()));
    place
}

/// Reads what a process says until so many lines contain this.
fn lines_until(
    child: &mut Child,
    count: usize,
    what: &str,
) -> BufReader<std::process::ChildStderr> {
    let mut stderr = BufReader::new(child.stderr.take().expect("a pipe"));
    let (mut seen, mut line) = (0, String::new());
    while seen < count {
        line.clear();
        assert!(stderr.read_line(&mut line).expect("a line") > 0, "no {what}");
        seen += usize::from(line.contains(what));
    }
    stderr
}

/// Cuts the last result in two.
async fn damage_last(url: &str) {
    let client = async_nats::connect(url).await.expect("a server");
    let jetstream = jetstream::new(client);
    let results = jetstream.get_stream("REBUT_DONE").await.expect("a stream");
    let last = results.cached_info().state.last_sequence;
    let message = results.get_raw_message(last).await.expect("a message");
    let purged = results.purge().filter(message.subject.to_string());
    purged.await.expect("an answer");
    let StreamMessage { subject, payload, .. } = &message;
    let half = payload.slice(..payload.len() / 2);
    let headers = own_headers(&message);
    let sent = jetstream.publish_with_headers(subject.clone(), headers, half);
    sent.await.expect("sent").await.expect("taken");
}

#[test]
fn f2_a_result_that_cannot_be_used_is_skipped_and_stays() {
    let Some(nats) = server() else { return };
    let place = second_damaged(&nats);
    for collected in ["collected 1 debate", "collected 0 debates"] {
        let ended = collect(&place, &nats, &[]).exits(1);
        let all = "1 skipped\nall debates: output/index.md\n";
        assert_eq!(ended.stdout, format!("{collected}, {all}"));
        has(&ended.stderr, "skipped: what the server has of it is damaged, or is not from rebut");
    }
    assert_eq!(debates_in(&place.path().join("output")).len(), 1);
}

#[test]
fn f1_collecting_stops_at_ctrl_c_and_the_same_command_goes_on() {
    let Some(nats) = server() else { return };
    let place = second_damaged(&nats);
    place.write("job.yaml", &format!("{TINY_JOB}repeat: 3\n"));
    has(&enqueue(&place, &nats, &[]).stdout, "enqueued 1 debate");
    let url = nats.url();
    let mut collecting = place.spawn_command(place.command(&["collect", "--nats", &url]));
    // The first result is collected by then, and the third is waited for.
    let mut stderr = lines_until(&mut collecting, 1, "skipped: ");
    signal("-INT", &collecting);
    let mut said = String::new();
    stderr.read_to_string(&mut said).expect("text");
    let ended = collecting.wait_with_output().expect("an end");
    assert_eq!(ended.status.code(), Some(130));
    assert_eq!(
        String::from_utf8_lossy(&ended.stdout),
        "collected 1 debate, 1 skipped\nall debates: output/index.md\n"
    );
    let command = said.trim().strip_prefix("next: ").expect("a command");
    let output = place.path().join("output");
    let [first] = &debates_in(&output)[..] else { panic!("one debate") };
    let day = first.parent().expect("a day").join("index.md");
    has(&read(&day), &name_of(first));
    let worker = worker(&place, &url);
    let mut shell = Command::new("sh");
    let ended = end_of(shell.args(["-c", command]).current_dir(place.path())).exits(1);
    end(worker);
    has(&ended.stdout, "collected 1 debate, ");
    lacks(&ended.stderr, &["next: "]);
    assert_eq!((debates_in(&output).len(), repeated(&place)), (2, 0));
}
