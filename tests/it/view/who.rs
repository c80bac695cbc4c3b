//! Who may look.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::client::{Reply, Viewer};
use crate::harness::{Place, TINY_JOB, has, has_all, lacks, name_of, with_job};

fn rehearsed() -> (Place, String) {
    let place = with_job(TINY_JOB);
    place.run_exits(0, &["--rehearse", "job.yaml"]);
    let name = name_of(&place.debates()[0]);
    let id = name[name.len() - 12..].to_owned();
    (place, id)
}

fn with_host(viewer: &Viewer, hosts: &str) -> Reply {
    viewer.send(&format!("GET / HTTP/1.1\r\n{hosts}Connection: close\r\n\r\n"))
}

#[test]
fn l3_a_request_that_names_another_host_gets_nothing() {
    let (place, _) = rehearsed();
    let viewer = Viewer::over(&place, &["--name", "debates.lan", "--public"]);
    let port = viewer.port;
    for host in ["localhost", "LOCALHOST", "127.0.0.1", "debates.lan", "localhost:1"] {
        assert_eq!(with_host(&viewer, &format!("Host: {host}\r\n")).status, 200, "{host}");
    }
    assert_eq!(with_host(&viewer, &format!("Host: 127.0.0.1:{port}\r\n")).status, 200);
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
        assert!([400, 421].contains(&reply.status), "{hosts}: {}", reply.head);
        lacks(&reply.body, &["compulsory"]);
    }
    let absolute =
        "GET http://evil.example/ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    assert_eq!(viewer.send(absolute).status, 421);
    let before_all = "DELETE /nothing HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n";
    assert_eq!(viewer.send(before_all).status, 421, "it is looked at before all else");
}

#[test]
fn l3_nothing_can_be_changed_and_no_other_site_may_read() {
    let (place, id) = rehearsed();
    let viewer = Viewer::over(&place, &[]);
    for method in ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT"] {
        for path in ["/", "/vote", &format!("/d/{id}")] {
            let request = format!(
                "{method} {path} HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost:{}\r\nAccess-Control-Request-Method: GET\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
                viewer.port
            );
            let reply = viewer.send(&request);
            assert!([400, 405, 421].contains(&reply.status), "{method} {path}: {}", reply.head);
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
        viewer.send(&format!("GET {path} HTTP/1.1\r\n{host}{lines}Connection: close\r\n\r\n"))
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
        has_all(&reply.body, &["<!DOCTYPE html>", "it contains the key"]);
        lacks(&reply.body, &["compulsory", key]);
    }
    let wrong = "0".repeat(32);
    for path in [format!("/?key={wrong}"), "/?key=".to_owned(), format!("/?key={}", &key[..31])] {
        assert_eq!(asked(&path, "").status, 403, "{path}");
    }
    assert_eq!(asked("/", &format!("Cookie: rebut-{}={wrong}\r\n", viewer.port)).status, 403);
    assert_eq!(asked("/healthz", "").status, 200);

    let entered = asked(&format!("//evil.example/debates?q=x&key={key}&status=done"), "");
    assert_eq!(entered.status, 303);
    assert_eq!(entered.header("location"), Some("/evil.example/debates?q=x&status=done"));
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
    assert_eq!(shown.get(&format!("/d/{id}/call/round-9/statement/position_x")).status, 404);

    let viewer = Viewer::over(&place, &["--public", "--listen", "0.0.0.0:0"]);
    lacks(&viewer.printed, &["key"]);
    let page = viewer.page(&format!("/d/{id}"));
    has(&page, "What was said");
    lacks(&page, &["/calls", "/file/"]);
    for path in
        ["calls", "call/round-1/statement/position_x", "file/trace.json", "file/events.jsonl"]
    {
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

/// The word that stands in all that is private.
const CANARY: &str = "canary";

/// A call of each of the debates.
const CALL: &str = "round-1/statement/position_x";

/// What the owner finds somewhere.
const PRIVATE: [&str; 13] = [
    "canary-job",
    "canary-tag",
    "canary-background",
    "canary-rule",
    "canary-cause",
    "http://canary-server:11434",
    "/home/canary",
    "canary-invalid",
    "canary-incident",
    "canary-thought",
    "canary-details",
    "canary-fact",
    "canary-rotation",
];

/// Two debates with secrets wherever a job, a trace and a log have room for them: one that is done and one that failed. The log
/// of the first, without its end, is also told by a run.
fn with_canaries() -> Place {
    let job = format!(
        "{TINY_JOB}repeat: 2\ntags: {{client: canary-tag}}\nbackground: {{facts: [canary-background]}}\nrules: [canary-rule]\n"
    );
    let place = Place::new();
    place.write("canary-job.yaml", &job);
    place.run_exits(0, &["canary-job.yaml"]);
    let debates = place.debates();
    debates.iter().for_each(|dir| spoil(dir));
    fail(&debates[1]);
    fs::remove_file(place.path().join("output/index.jsonl")).expect("a list");
    let log = crate::harness::read(&debates[0].join("events.jsonl"));
    let start: Value = log.lines().next().map(parsed).expect("a start");
    let told: Vec<&str> = log.lines().filter(|line| parsed(line)["event"] != "complete").collect();
    let header = json!({"live": 1, "debate": start["debate"], "run": "x", "pid": 1, "n": 0});
    let live = format!("{header}\n{}\n", told.join("\n"));
    place.write(&format!("output/.rebut/live/{RUNNING}.jsonl"), &live);
    place
}

/// The digits of the debate that goes on.
const RUNNING: &str = "aaaaaaaaaaaa";

fn parsed(line: &str) -> Value {
    serde_json::from_str(line).expect("JSON")
}

/// Puts a canary wherever a debate tells why, how or where.
fn spoil(dir: &Path) {
    let path = dir.join("trace.json");
    let mut trace = parsed(&crate::harness::read(&path));
    trace["rebut"] = json!("canary-version");
    trace["labels"] = json!([{"source": "canary-label", "name": "x", "value": 7}]);
    trace["models"] = json!([{"name": "canary-card"}]);
    trace["participants"][0]["persona"] = json!("canary-persona");
    trace["plan"]["query"] = json!("canary-query");
    trace["plan"]["pairing"]["cell"] = json!({"canary-cell": "canary-cell"});
    trace["plan"]["settings"]["canary"] = json!("canary-setting");
    trace["incidents"] = json!([{"kind": "context", "call": "canary-call", "attempt": 1,
        "message": "canary-incident", "at": trace["started_at"]}]);
    trace["statements"].as_array_mut().expect("a list").iter_mut().for_each(spoil_statement);
    trace["rotations"][0]["reason"] = json!("canary-rotation");
    spoil_ballot(&mut trace["ballots"][0]);
    spoil_outcome(&mut trace["outcome"]);
    fs::write(&path, trace.to_string()).expect("written");
    let log: String =
        crate::harness::read(&dir.join("events.jsonl")).lines().map(spoilt_event).collect();
    fs::write(dir.join("events.jsonl"), log).expect("written");
    // What was made of the trace as it was.
    fs::remove_file(dir.join("facts.json")).expect("facts");
}

fn spoilt_event(line: &str) -> String {
    let mut event = parsed(line);
    let content = &mut event["content"];
    match line {
        _ if line.contains("\"event\":\"statement\"") => spoil_statement(content),
        _ if line.contains("\"event\":\"ballot\"") => spoil_ballot(content),
        _ if line.contains("\"event\":\"rotation\"") => {
            content["reason"] = json!("canary-rotation");
        }
        _ if line.contains("\"event\":\"complete\"") => {
            content["cause"] = json!("canary-cause");
            spoil_outcome(&mut content["outcome"]);
        }
        _ => {}
    }
    event["metadata"]["server"] = json!("http://canary-server:11434");
    event["canary"] = json!("canary-event");
    format!("{event}\n")
}

fn spoil_statement(statement: &mut Value) {
    statement["thinking"] = json!("canary-thought");
    statement["call"] = json!("canary-call");
    statement["objections"] = json!(["canary-objection"]);
}

/// A ballot that could not be read.
fn spoil_ballot(ballot: &mut Value) {
    (ballot["continue"], ballot["checks"]) = (Value::Null, Value::Null);
    let reading = &mut ballot["reading"];
    (reading["scores"], reading["totals"]) = (json!({}), json!({}));
    reading["status"] = json!("invalid");
    reading["cause"] = json!("canary-invalid");
    reading["call"] = json!("canary-call");
}

fn spoil_outcome(outcome: &mut Value) {
    let facts = outcome["facts"].as_array_mut().expect("a list");
    facts.push(json!(["Ways of reasoning", "none (canary-fact)"]));
    outcome["details"]["why"] = json!("canary-details");
    let compared =
        json!({"id": "position_y_2", "readings": [{"reason": "", "cause": "canary-comparison"}]});
    outcome["details"]["comparison"] = json!({"better": "equal", "judges": [compared]});
}

/// Lets a debate have failed, for a reason that names a server and a path.
fn fail(dir: &Path) {
    let cause = "canary-cause http://canary-server:11434 /home/canary";
    let path = dir.join("trace.json");
    let mut trace = parsed(&crate::harness::read(&path));
    (trace["status"], trace["cause"]) = (json!("failed"), json!(cause));
    trace["outcome"] = Value::Null;
    fs::write(&path, trace.to_string()).expect("written");
    let lines = crate::harness::read(&dir.join("index.md"));
    let lines = lines.lines().map(|line| match line.split_once(": ") {
        Some(("status", _)) => "status: \"failed\"".to_owned(),
        Some(("cause", _)) => format!("cause: \"{cause}\""),
        Some(("outcome", _)) => "outcome: null".to_owned(),
        _ => line.to_owned(),
    });
    let index = lines.collect::<Vec<_>>().join("\n");
    fs::write(dir.join("index.md"), index + "\n").expect("written");
}

/// All that a viewer answers, by address: what is linked, what can be guessed, and what streams tell.
fn answers(viewer: &Viewer, place: &Place) -> BTreeMap<String, String> {
    let mut starts: Vec<String> = [
        "/",
        "/report",
        "/join",
        "/vote",
        "/vote/state",
        "/assets/x",
        "/favicon.ico",
        "/healthz",
        "/nothing",
    ]
    .map(str::to_owned)
    .into();
    let names: Vec<String> = place.debates().iter().map(|dir| name_of(dir)).collect();
    let finished = names.iter().map(|name| name[name.len() - 12..].to_owned());
    let ids: Vec<String> = finished.chain([RUNNING.to_owned()]).collect();
    for id in &ids {
        starts.extend(
            [
                "",
                "/search?q=a",
                "/calls",
                "/m/1",
                "/at/arguments?from=1",
                "/at/nowhere",
                "/file/trace.json",
                "/file/index.md",
                "/file/events.jsonl",
            ]
            .map(|path| format!("/d/{id}{path}")),
        );
        starts.push(format!("/d/{id}/call/{CALL}"));
        starts.push(format!("/compare?a={id}"));
        starts.extend(ids.iter().map(|other| format!("/compare?a={id}&b={other}")));
    }
    let day = name_of(place.debates()[0].parent().expect("a day"));
    starts.extend(names.iter().map(|name| format!("/{day}/{name}/debate.html")));
    starts.push(format!("/day/{day}"));
    let found = super::pages::crawled(viewer, &starts).into_iter();
    let mut all: BTreeMap<String, String> =
        found.map(|(path, reply)| (path, format!("{}\n\n{}", reply.head, reply.body))).collect();
    let mut streams =
        vec![("/events".to_owned(), "state"), (format!("/d/{RUNNING}/events"), "now")];
    streams.extend(ids[..2].iter().map(|id| (format!("/d/{id}/events"), "complete")));
    for (path, last) in streams {
        let told = viewer.stream(&path, "").until(last);
        all.insert(path, format!("{told:?}"));
    }
    all
}

/// Whether an address is one of a route's.
fn is_of(route: &str, address: &str) -> bool {
    let path = address.split('?').next().unwrap_or_default();
    let (mut parts, mut route) = (path.split('/'), route.split('/'));
    loop {
        match (route.next(), parts.next()) {
            (None, None) => return true,
            (Some(any), Some(_)) if any.starts_with("{*") => return true,
            (Some(one), Some(part)) if one == part || one.starts_with('{') => {}
            _ => return false,
        }
    }
}

#[test]
fn l3_in_public_no_route_shows_what_is_private() {
    let place = with_canaries();
    let owners = answers(&Viewer::over(&place, &[]), &place);
    let shown: Vec<&str> = owners.values().map(String::as_str).collect();
    has_all(&shown.join("\n"), &PRIVATE);
    // Prompts and replies.
    for dir in place.debates() {
        let name = name_of(&dir);
        let id = &name[name.len() - 12..];
        has_all(&owners[&format!("/d/{id}/call/{CALL}")], &["canary-background", "canary-rule"]);
    }
    let viewer = Viewer::over(&place, &["--public"]);
    let all = answers(&viewer, &place);
    let table =
        crate::harness::read(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src/view/routes.rs")));
    let routes: Vec<&str> = table
        .split(".route(\"")
        .skip(1)
        .filter_map(|line| line.split_once("\", get("))
        .map(|(route, _)| route)
        .collect();
    assert!(routes.len() > 10, "{routes:?}");
    for route in routes {
        assert!(all.keys().any(|path| is_of(route, path)), "{route} is not tried");
    }
    let ids = place.debates().into_iter().map(|dir| name_of(&dir));
    let pages = ids.map(|name| format!("/d/{}", &name[name.len() - 12..])).chain([
        format!("/d/{RUNNING}"),
        "/debates".to_owned(),
        "/report".to_owned(),
    ]);
    for path in pages {
        assert!(all[&path].starts_with("http/1.1 200"), "{path}: {}", all[&path]);
    }
    let (here, server) = (place.path().display().to_string(), place.server.url());
    let secrets = [CANARY, &here, server.trim_start_matches("http://")];
    let leaks: Vec<String> = all
        .iter()
        .filter_map(|(path, answer)| {
            let at = secrets.iter().find_map(|secret| answer.find(secret))?;
            let found: String = answer[at..].chars().take(99).collect();
            Some(format!("{path}: {found}"))
        })
        .collect();
    assert!(leaks.is_empty(), "{leaks:#?}");
    // Nor do they find anything by it.
    for word in ["canary-job", "canary-cause"] {
        lacks(&viewer.page(&format!("/debates?q={word}")), &["<a href=\"/d/"]);
    }
}

/// A job whose matrix varies what only its owner may know, on questions that a matched control answers too.
const VARIED: &str = "format: duel
rounds: 2
allow_explicit: true
questions: {file: q.jsonl}
arms: [self_consistency]
matrix:
  tags.canary-tag: [canary-mark]
  a.temperature: [0.3, 0.7]
  a.description: [canary-first, canary-second]
  b.description: [canary-third, canary-fourth]
";

/// The values in the table of matched controls, in whatever order.
fn ratios(report: &str) -> Vec<&str> {
    let (_, table) = report.split_once("Tokens of matched controls").expect("a table");
    let table = table.split("</table>").next().unwrap_or_default();
    let mut all: Vec<&str> =
        table.split("data-v=\"").filter_map(|it| it.split('"').next()).collect();
    all.sort_unstable();
    all
}

#[test]
fn l3_in_public_the_report_names_no_setting_of_a_matrix() {
    let place = Place::new();
    let question = json!({"id": "canary-question", "question": "Which is it?", "choices": ["red", "blue"], "answer": "A", "cluster": "canary-cluster"});
    place.write("q.jsonl", &format!("{question}\n"));
    place.write("job.yaml", VARIED);
    place.run_exits(0, &["--rehearse", "job.yaml"]);
    let report = |args: &[&str]| {
        let args = [&["--include-rehearsals"], args].concat();
        Viewer::over(&place, &args).page("/report")
    };
    let owners = report(&[]);
    has_all(&owners, &["canary-first", "canary-second", "canary-third", "temperature"]);
    let public = report(&["--public"]);
    lacks(&public, &[CANARY, "temperature", "description"]);
    has(&public, "setting 2.setting 3=");
    assert_eq!(ratios(&public), ratios(&owners));
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
