//! Who may look.

use std::fs;
use std::path::Path;

use mock_ollama::Answer;
use serde_json::{Value, json};

use super::client::{Reply, Viewer};
use crate::harness::{Place, TINY_JOB, has, has_all, is, lacks, name_of, with_job};

fn rehearsed() -> (Place, String) {
    let place = with_job(TINY_JOB);
    place.run_exits(0, &["--rehearse", "job.yaml"]);
    let name = name_of(&place.debates()[0]);
    let id = name[name.len() - 12..].to_owned();
    (place, id)
}

fn with_host(viewer: &Viewer, hosts: &str) -> Reply {
    viewer.send(&format!(
        "GET / HTTP/1.1\r\n{hosts}Connection: close\r\n\r\n"
    ))
}

#[test]
fn l3_a_request_that_names_another_host_gets_nothing() {
    let (place, _) = rehearsed();
    let viewer = Viewer::over(&place, &["--name", "debates.lan", "--public"]);
    let port = viewer.port;
    for host in [
        "localhost",
        "LOCALHOST",
        "127.0.0.1",
        "debates.lan",
        "localhost:1",
    ] {
        assert_eq!(
            with_host(&viewer, &format!("Host: {host}\r\n")).status,
            200,
            "{host}"
        );
    }
    assert_eq!(
        with_host(&viewer, &format!("Host: 127.0.0.1:{port}\r\n")).status,
        200
    );
    for hosts in [
        "Host: evil.example\r\n".to_owned(),
        format!("Host: evil.example:{port}\r\n"),
        "Host: 127.0.0.2\r\n".to_owned(),
        "Host: 0.0.0.0\r\n".to_owned(),
        "Host: [::1]\r\n".to_owned(),
        "Host: localhost.evil.example\r\n".to_owned(),
        "Host: localhost@evil.example\r\n".to_owned(),
        "Host: evil@localhost\r\n".to_owned(),
        "Host: debates.lan.\r\n".to_owned(),
        "Host: \r\n".to_owned(),
        String::new(),
        "Host: localhost\r\nHost: evil.example\r\n".to_owned(),
    ] {
        let reply = with_host(&viewer, &hosts);
        assert!(
            [400, 421].contains(&reply.status),
            "{hosts}: {}",
            reply.head
        );
        lacks(&reply.body, &["compulsory"]);
    }
    let absolute =
        "GET http://evil.example/ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    assert_eq!(viewer.send(absolute).status, 421);
    let before_all = "DELETE /nothing HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n";
    assert_eq!(
        viewer.send(before_all).status,
        421,
        "it is looked at before all else"
    );
}

#[test]
fn l3_nothing_can_be_changed_and_no_other_site_may_read() {
    let (place, id) = rehearsed();
    let viewer = Viewer::over(&place, &[]);
    for method in [
        "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT",
    ] {
        for path in ["/", "/vote", &format!("/d/{id}")] {
            let request = format!(
                "{method} {path} HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost:{}\r\nAccess-Control-Request-Method: GET\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
                viewer.port
            );
            let reply = viewer.send(&request);
            assert!(
                [400, 405, 421].contains(&reply.status),
                "{method} {path}: {}",
                reply.head
            );
            lacks(&reply.head, &["access-control"]);
        }
    }
    let reply = viewer.get_with(&format!("/d/{id}"), "Origin: http://evil.example\r\n");
    lacks(&reply.head, &["access-control"]);
    has(&reply.head, "cross-origin-resource-policy: same-origin");
}

#[test]
fn l3_on_other_addresses_a_key_is_asked_for_and_kept_in_a_cookie() {
    let (place, id) = rehearsed();
    let viewer = Viewer::over(&place, &["--listen", "0.0.0.0:0"]);
    lacks(&viewer.printed, &["0.0.0.0"]);
    let (_, key) = viewer.printed.split_once("?key=").expect("a key");
    assert_eq!(key.len(), 32);
    let host = "Host: 127.0.0.1\r\n";
    let asked = |path: &str, lines: &str| {
        viewer.send(&format!(
            "GET {path} HTTP/1.1\r\n{host}{lines}Connection: close\r\n\r\n"
        ))
    };
    for path in [
        "/",
        "/debates",
        "/events",
        &format!("/d/{id}"),
        &format!("/d/{id}/events"),
        "/assets/x",
        "/nothing",
    ] {
        let reply = asked(path, "");
        assert_eq!(reply.status, 403, "{path}");
        lacks(&reply.body, &["compulsory", key]);
    }
    let wrong = "0".repeat(32);
    for path in [
        format!("/?key={wrong}"),
        "/?key=".to_owned(),
        format!("/?key={}", &key[..31]),
    ] {
        assert_eq!(asked(&path, "").status, 403, "{path}");
    }
    assert_eq!(
        asked("/", &format!("Cookie: rebut-{}={wrong}\r\n", viewer.port)).status,
        403
    );
    assert_eq!(asked("/healthz", "").status, 200);

    let entered = asked(
        &format!("//evil.example/debates?q=x&key={key}&status=done"),
        "",
    );
    assert_eq!(entered.status, 303);
    assert_eq!(
        entered.header("location"),
        Some("/evil.example/debates?q=x&status=done")
    );
    let backslashed = asked(&format!("/\\evil.example/?key={key}"), "");
    assert_eq!(backslashed.header("location"), Some("/evil.example/"));
    let cookie = entered.header("set-cookie").expect("a cookie").to_owned();
    has_all(&cookie, &["; httponly", "; samesite=lax", "; path=/"]);
    let cookie = cookie.split(';').next().expect("a pair").to_owned();
    let inside = asked("/", &format!("Cookie: other=1; {cookie}\r\n"));
    assert_eq!(inside.status, 200);
    lacks(&inside.body, &[key]);
    for file in crate::harness::list(&place.path().join("output/.rebut/live")) {
        lacks(&fs::read_to_string(file).expect("text"), &[key]);
    }
}

#[test]
fn l3_in_public_neither_prompts_nor_calls_nor_files_are_shown() {
    let (place, id) = rehearsed();
    let shown = Viewer::over(&place, &[]);
    has(&shown.page(&format!("/d/{id}")), "/calls");
    let calls = shown.page(&format!("/d/{id}/calls"));
    has(&calls, "round-1/statement/position_x");
    let call = shown.page(&format!("/d/{id}/call/round-1/statement/position_x"));
    has(&call, "── system");
    lacks(&call, &["round-1/ballot"]);
    assert_eq!(
        shown
            .get(&format!("/d/{id}/call/round-9/statement/position_x"))
            .status,
        404
    );

    let viewer = Viewer::over(&place, &["--public", "--listen", "0.0.0.0:0"]);
    lacks(&viewer.printed, &["key"]);
    let page = viewer.page(&format!("/d/{id}"));
    has(&page, "What was said");
    lacks(&page, &["/calls", "/file/"]);
    for path in [
        "calls",
        "call/round-1/statement/position_x",
        "file/trace.json",
        "file/events.jsonl",
    ] {
        assert_eq!(viewer.get(&format!("/d/{id}/{path}")).status, 404, "{path}");
    }
    let mut events = viewer.stream(&format!("/d/{id}/events"), "");
    let start = &events.until("debate_start")[0];
    assert_eq!(start.json()["content"], serde_json::json!({}));
    let complete = events.rest().pop().expect("an end").json();
    assert!(complete["content"]["status"].is_string() && complete["content"]["calls"].is_null());
    let mut events = shown.stream(&format!("/d/{id}/events"), "");
    assert!(events.until("debate_start")[0].json()["content"]["plan"].is_object());
}

#[test]
fn l3_a_viewer_with_a_name_asks_for_a_key_on_loopback_too() {
    let (place, _) = rehearsed();
    let viewer = Viewer::over(&place, &["--name", "debates.lan"]);
    has(&viewer.printed, "?key=");
    assert_eq!(with_host(&viewer, "Host: debates.lan\r\n").status, 403);
    assert_eq!(with_host(&viewer, "Host: localhost\r\n").status, 403);
}

#[test]
fn l3_in_public_a_debate_hides_what_is_not_named() {
    let (place, _) = rehearsed();
    let id = "aaaaaaaaaaaa";
    let debate = place.debates()[0].clone();
    let log = fs::read_to_string(debate.join("events.jsonl")).expect("a log");
    let first = log.lines().next().expect("a line");
    let start: serde_json::Value = serde_json::from_str(first).expect("an event");
    let whole = &start["debate"];
    let told = |seq: u32, name: &str, content: &str| {
        format!("{{\"event\":\"{name}\",\"seq\":{seq},\"secret\":1,\"content\":{content}}}\n")
    };
    let mut file =
        format!("{{\"live\":1,\"debate\":{whole},\"run\":\"x\",\"pid\":1,\"n\":0}}\n{first}\n");
    file += &told(2, "incident", "{\"kind\":\"retry\",\"message\":\"secret\"}");
    file += &told(3, "rejection", "{\"raw\":\"secret\"}");
    file += &told(4, "unheard_of", "\"secret\"");
    file += "{\"event\":\"call_end\",\"content\":{\"error\":\"secret\"}}\n";
    place.write(&format!("output/.rebut/live/{id}.jsonl"), &file);
    let told = |args: &[&str]| {
        let viewer = Viewer::over(&place, args);
        let told = viewer.stream(&format!("/d/{id}/events"), "").until("now");
        format!("{told:?}")
    };
    has(&told(&[]), "secret");
    let public = told(&["--public"]);
    lacks(&public, &["secret"]);
    has_all(&public, &["retry", "rejection", "unheard_of"]);
}

/// The words that stand for what is private.
const CANARY: &str = "canary";

/// A debate of a job with secrets wherever a job has room for them, with a failed ballot and a rating; and one that failed.
fn with_canaries() -> Place {
    let job = format!(
        "{TINY_JOB}tags: {{client: canary-tag}}\nbackground: {{facts: [canary-background]}}\nrules: [canary-rule]\n"
    );
    let place = Place::new();
    place.write("canary-job.yaml", &job);
    place.reply_by(|call| {
        let text = "canary-ballot is no ballot";
        is(call, "round-1/ballot/*").then(|| Answer::text(text))
    });
    let ended = place.start(&["canary-job.yaml"]).ends();
    assert!(!place.debates().is_empty(), "{}", ended.stderr);
    for dir in place.debates() {
        spoil(&dir);
    }
    place
}

/// Puts a canary wherever a trace tells why, how or where.
fn spoil(dir: &Path) {
    let path = dir.join("trace.json");
    let mut trace: Value = serde_json::from_slice(&fs::read(&path).expect("it")).expect("a trace");
    trace["status"] = json!("degraded");
    trace["cause"] = json!("canary-cause http://canary-server:11434 /home/canary");
    trace["rebut"] = json!("canary-version");
    trace["labels"] = json!([{"source": "canary-label", "name": "x", "value": 7}]);
    trace["models"] = json!([{"name": "canary-card"}]);
    trace["participants"][0]["persona"] = json!("canary-persona");
    trace["plan"]["query"] = json!("canary-query");
    trace["plan"]["pairing"]["cell"] = json!({"canary-cell": "canary-cell"});
    trace["plan"]["settings"]["canary"] = json!("canary-setting");
    for statement in trace["statements"].as_array_mut().expect("a list") {
        statement["thinking"] = json!("canary-thought");
        statement["call"] = json!("canary-call");
        statement["objections"] = json!(["canary-objection"]);
    }
    for ballot in trace["ballots"].as_array_mut().expect("a list") {
        ballot["reading"]["cause"] = json!("canary-invalid");
    }
    trace["incidents"] = json!([{"kind": "context", "call": "canary-call", "attempt": 1,
        "message": "canary-incident", "at": trace["started_at"]}]);
    fs::write(&path, trace.to_string()).expect("written");
    let index = dir.join("index.md");
    let text = fs::read_to_string(&index).expect("text");
    let cause = text
        .lines()
        .find(|line| line.starts_with("\"cause\"") || line.starts_with("cause:"));
    let cause = cause.expect("a cause").to_owned();
    fs::write(&index, text.replacen(&cause, "cause: \"canary-cause\"", 1)).expect("written");
}

#[test]
fn l3_in_public_no_route_shows_what_is_private() {
    let place = with_canaries();
    let name = name_of(&place.debates()[0]);
    let id = &name[name.len() - 12..];
    let shown = Viewer::over(&place, &["--include-rehearsals"]);
    has_all(
        &shown.page(&format!("/d/{id}")),
        &["canary-cause", "canary-invalid", "canary-thought"],
    );
    has(&shown.page("/debates"), "canary-job");
    let viewer = Viewer::over(&place, &["--public", "--include-rehearsals"]);
    let starts = [
        "/".to_owned(),
        "/report".to_owned(),
        format!("/compare?a={id}&b={id}"),
        format!("/compare?a={id}"),
        format!("/d/{id}/search?q=a"),
        format!("/d/{id}/events"),
        format!("/d/{id}/calls"),
        format!("/d/{id}/file/trace.json"),
        format!("/d/{id}/call/round-1/statement/position_x"),
        "/nothing".to_owned(),
    ];
    let all = super::pages::crawled(&viewer, &starts);
    for path in ["/debates", "/report", &format!("/d/{id}")] {
        assert_eq!(all[path].status, 200, "{path}");
    }
    for (path, reply) in &all {
        let here = place.path().display().to_string();
        lacks(
            &format!("{path} {} {}", reply.head, reply.body),
            &[CANARY, &here],
        );
    }
    // Nor do they find anything by it.
    for word in ["canary-job", "canary-cause"] {
        lacks(
            &viewer.page(&format!("/debates?q={word}")),
            &["<a href=\"/d/"],
        );
    }
    let day = name_of(place.debates()[0].parent().expect("a day"));
    assert_eq!(
        viewer.get(&format!("/{day}/{name}/debate.html")).status,
        404
    );
}

#[cfg(unix)]
#[test]
fn l3_the_key_is_kept_for_its_owner_and_leaves_the_address() {
    use std::os::unix::fs::PermissionsExt;

    let (place, _) = rehearsed();
    let start = || Viewer::over(&place, &["--listen", "0.0.0.0:0"]);
    let key_of = |viewer: &Viewer| {
        let (_, key) = viewer.printed.split_once("?key=").expect("a key");
        key.to_owned()
    };
    let first = start();
    let key = key_of(&first);
    let file = place.path().join("output/.rebut/view/key");
    let mode = fs::metadata(&file).expect("a file").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let cookie = format!("Cookie: rebut-{}={key}\r\n", first.port);
    // Who is in already is led to the clean address too, by a wrong key as well.
    for given in [key.clone(), "0".repeat(32)] {
        let reply = first.get_with(&format!("/debates?key={given}&q=x"), &cookie);
        let to = reply.header("location").map(str::to_owned);
        assert_eq!((reply.status, to.as_deref()), (303, Some("/debates?q=x")));
    }
    assert_eq!(first.get_with("/debates", &cookie).status, 200);
    first.kill();
    let second = start();
    assert_eq!(key_of(&second), key, "sessions go on");
    second.kill();
    // What others could have read, or is no key, is no key any more.
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).expect("a mode");
    let third = start();
    assert_ne!(key_of(&third), key);
    third.kill();
    fs::write(&file, "short").expect("written");
    let fourth = start();
    assert_eq!(key_of(&fourth).len(), 32);
    assert_eq!(fs::read_to_string(&file).expect("text"), key_of(&fourth));
}
