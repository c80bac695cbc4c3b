//! What one who looks can take from the others.

use std::io::{Read, Write};

use super::client::Viewer;
use crate::harness::{TINY_JOB, with_job};

#[test]
fn l3_heads_and_streams_have_limits() {
    let place = with_job(TINY_JOB);
    place.run_exits(0, &["--rehearse", "job.yaml"]);
    let viewer = Viewer::over(&place, &["--streams", "2"]);
    let long = format!("X-Long: {}\r\n", "a".repeat(9 << 10));
    let reply = viewer.get_with("/", &long);
    assert!([431, 400, 0].contains(&reply.status), "{}", reply.head);
    let path = format!("/?{}", "a".repeat(9 << 10));
    assert_ne!(viewer.get(&path).status, 200);

    let first = viewer.stream("/events", "");
    let second = viewer.stream("/events", "");
    assert_eq!((first.status, second.status), (200, 200));
    assert_eq!(viewer.get("/events").status, 429);
    assert_eq!(viewer.get("/").status, 200, "pages are had all the same");
    drop(first);
    while viewer.stream("/events", "").status == 429 {}
}

#[test]
fn l3_who_says_nothing_holds_nobody_up_and_the_end_comes_at_once() {
    let place = with_job(TINY_JOB);
    place.run_exits(0, &["--rehearse", "job.yaml"]);
    let viewer = Viewer::over(&place, &["--connections", "100"]);
    let silent: Vec<_> = (0..50).map(|_| viewer.connect()).collect();
    let mut half = viewer.connect();
    half.write_all(b"GET / HT").expect("half a request");
    assert_eq!(viewer.get("/").status, 200);
    let mut stream = viewer.stream("/events", "");
    viewer.ends().exits(0);
    assert!(stream.rest().iter().all(|event| event.name == "state"));
    drop(silent);
    let mut rest = Vec::new();
    let _ = half.read_to_end(&mut rest);
}

#[test]
fn l3_one_address_has_so_many_connections_and_no_more() {
    let place = with_job(TINY_JOB);
    place.run_exits(0, &["--rehearse", "job.yaml"]);
    let viewer = Viewer::over(&place, &["--connections", "3"]);
    let mut held: Vec<_> = (0..3).map(|_| viewer.stream("/events", "")).collect();
    assert!(held.iter().all(|stream| stream.status == 200));
    let mut refused = viewer.connect();
    let mut said = String::new();
    let _ = refused.read_to_string(&mut said);
    assert!(said.starts_with("HTTP/1.1 429 "), "{said}");
    let (_, body) = said.split_once("\r\n\r\n").expect("a body");
    assert!(said.contains(&format!("content-length: {}\r\n", body.len())));
    held.pop();
    while viewer.get("/healthz").status != 200 {}
}
