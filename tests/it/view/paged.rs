//! Debates of more statements than a page has.

use std::collections::BTreeSet;
use std::fs;
use std::ops::RangeInclusive;

use serde_json::{Value, json};

use super::client::Viewer;
use crate::harness::{Place, SHORT_JOB, has_all, lacks, name_of, read, with_job};

/// Rounds of a debate, and statements of each.
const ROUNDS: usize = 10;
const EACH: usize = 30;

/// A finished debate of one round.
fn short() -> (Place, String) {
    let place = with_job(SHORT_JOB);
    place.run_exits(0, &["--rehearse", "job.yaml"]);
    let name = name_of(&place.debates()[0]);
    let id = name[name.len() - 12..].to_owned();
    (place, id)
}

/// A statement at its place in a long debate.
fn nth(said: &Value, at: usize) -> Value {
    let mut said = said.clone();
    said["n"] = json!(at + 1);
    said["round"] = json!(at / EACH + 1);
    said["text"] = json!(format!("The zebra crossing number {} is **safe**.", at + 1));
    said
}

/// The same debate with ten rounds of thirty statements.
fn long() -> (Place, String) {
    let (place, id) = short();
    let path = place.debates()[0].join("trace.json");
    let mut trace: Value = serde_json::from_str(&read(&path)).expect("a trace");
    let statements = trace["statements"].as_array().expect("statements");
    let said = statements.iter().find(|s| s["round"] == 1).expect("one");
    let all: Vec<Value> = (0..ROUNDS * EACH).map(|at| nth(said, at)).collect();
    trace["statements"] = json!(all);
    fs::write(&path, trace.to_string()).expect("written");
    (place, id)
}

/// The anchors that a page has, and those that it leads to, each with the page that it names.
fn anchors(page: &str) -> (BTreeSet<&str>, BTreeSet<(&str, &str)>) {
    let ends = |part: &'_ str| part.find('"').unwrap_or(0);
    let ids = page.split(" id=\"").skip(1).map(|part| &part[..ends(part)]);
    let links = page
        .split("href=\"")
        .skip(1)
        .map(|part| &part[..ends(part)])
        .filter_map(|link| link.split_once('#'));
    (ids.collect(), links.collect())
}

fn statements(page: &str) -> Vec<usize> {
    let articles = page.split("<article id=\"m").skip(1);
    let number = |part: &str| part.split('"').next()?.parse().ok();
    articles.filter_map(number).collect()
}

#[test]
fn l3_a_long_debate_has_pages_of_whole_rounds_and_every_link_finds_its_page() {
    let (place, id) = long();
    let viewer = Viewer::over(&place, &[]);
    let at = format!("/d/{id}");
    let pages: Vec<String> = (1..=3).map(|n| viewer.page(&format!("{at}?page={n}"))).collect();
    let wanted: [RangeInclusive<usize>; 3] = [1..=120, 121..=240, 241..=300];
    for (page, wanted) in pages.iter().zip(wanted) {
        assert_eq!(statements(page), wanted.collect::<Vec<_>>());
    }
    let all: Vec<_> = pages.iter().map(|page| anchors(page)).collect();
    for (n, (own, links)) in all.iter().enumerate() {
        assert!(links.len() > ROUNDS, "{links:?}");
        for (page, id) in links {
            let there = match page.strip_prefix("?page=") {
                Some(page) => &all[page.parse::<usize>().expect("a number") - 1].0,
                None => own,
            };
            assert!(there.contains(id), "page {}: {page}#{id}", n + 1);
        }
    }
    has_all(&pages[0], &["href=\"?page=2\" rel=\"next\"", "?page=3#round-10\""]);
    has_all(
        &pages[1],
        &[
            "Page 2 of 3: statements 121 to 240",
            "href=\"?page=1\" rel=\"prev\"",
            "(page 2 of 3)</title>",
        ],
    );
    has_all(&pages[2], &["id=\"arguments\""]);
    lacks(&pages[0], &["id=\"arguments\""]);
    lacks(&pages[2], &["rel=\"next\""]);
    assert_eq!(viewer.page(&at), pages[0]);
    for none in ["0", "4", "-1", "x", "", "1e0"] {
        assert_eq!(viewer.get(&format!("{at}?page={none}")).status, 404, "{none}");
    }
}

#[test]
fn l3_a_search_and_the_address_of_a_statement_lead_to_its_page() {
    let (place, id) = long();
    let viewer = Viewer::over(&place, &[]);
    let at = format!("/d/{id}");
    let found = viewer.page(&format!("{at}/search?q=number+121+is"));
    assert_eq!(anchors(&found).1, [(format!("{at}?page=2").as_str(), "m121")].into());
    for (n, page) in [("1", 1), ("120", 1), ("121", 2), ("0300", 3)] {
        let reply = viewer.get(&format!("{at}/m/{n}"));
        let leads = format!("{at}?page={page}#m{:03}", n.parse::<u32>().expect("a number"));
        assert_eq!(reply.header("location"), Some(leads.as_str()));
    }
    let compared = viewer.page(&format!("/compare?a={id}&b={id}"));
    has_all(&compared, &[&format!("{at}?page=3#m300\"")]);
}

#[test]
fn l3_a_short_debate_has_one_page() {
    let (place, id) = short();
    let viewer = Viewer::over(&place, &[]);
    let page = viewer.page(&format!("/d/{id}"));
    lacks(&page, &["?page=", "Page 1", "(page"]);
    assert_eq!(viewer.page(&format!("/d/{id}?page=1")), page);
    assert_eq!(viewer.get(&format!("/d/{id}?page=2")).status, 404);
}

/// Puts this debate back to where it has the same events and goes on.
fn goes_on(place: &Place, id: &str, count: usize) {
    let dir = place.debates()[0].clone();
    let events: Vec<Value> = read(&dir.join("events.jsonl"))
        .lines()
        .map(|line| serde_json::from_str(line).expect("an event"))
        .collect();
    let is = |name: &'static str| move |event: &&Value| event["event"] == name;
    let start = events.iter().find(is("debate_start")).expect("a start");
    let mut said = events.iter().filter(is("statement"));
    let said = said.find(|event| event["content"]["round"] == 1).expect("one");
    let whole = &start["debate"];
    let mut lines =
        vec![json!({"live": 1, "debate": whole, "run": "x", "pid": 1, "n": 0}), start.clone()];
    lines.extend((0..count).map(|at| {
        let mut event = said.clone();
        event["seq"] = json!(at + 2);
        event["round"] = json!(at / EACH + 1);
        event["content"] = nth(&said["content"], at);
        event
    }));
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    place.write(&format!("output/.rebut/live/{id}.jsonl"), &text);
    fs::remove_dir_all(dir).expect("gone");
}

#[test]
fn l3_a_long_debate_that_goes_on_is_followed_on_its_last_page() {
    let (place, id) = short();
    goes_on(&place, &id, 250);
    let viewer = Viewer::over(&place, &[]);
    let at = format!("/d/{id}");
    let page = viewer.page(&at);
    assert_eq!(statements(&page), (241..=250).collect::<Vec<_>>());
    has_all(&page, &["id=\"live\"", "Page 3 of 3", "view-live"]);
    let first = viewer.page(&format!("{at}?page=1"));
    assert_eq!(statements(&first), (1..=120).collect::<Vec<_>>());
    has_all(&first, &["The debate goes on: ", "?page=3#live\""]);
    lacks(&first, &["id=\"live\"", "view-live"]);
    // Its earlier pages stay as they are.
    let reply = viewer.get(&format!("{at}/m/121"));
    assert_eq!(reply.header("location"), Some(format!("{at}?page=2#m121").as_str()));
}

#[test]
fn l3_a_page_of_a_debate_that_goes_on_has_what_its_run_tells_by_then() {
    let (place, id) = short();
    goes_on(&place, &id, 250);
    let live = format!("output/.rebut/live/{id}.jsonl");
    let told = read(&place.path().join(&live));
    let told: Vec<&str> = told.split_inclusive('\n').collect();
    let viewer = Viewer::over(&place, &[]);
    let shown = || statements(&viewer.page(&format!("/d/{id}?page=1")));
    assert_eq!(shown(), (1..=120).collect::<Vec<_>>());
    // The head and the start come first. A file that was cut goes on from there.
    for count in [4, 8, 9] {
        place.write(&live, &told[..2 + count].concat());
        assert_eq!(shown(), (1..=count).collect::<Vec<_>>());
        assert_eq!(shown(), (1..=count).collect::<Vec<_>>());
    }
    let other = told[..5].concat().replacen("\"n\":0", "\"n\":1", 1);
    place.write(&live, &other.replace("zebra crossing", "other crossing"));
    let page = viewer.page(&format!("/d/{id}"));
    assert_eq!(statements(&page), [1, 2, 3]);
    lacks(&page, &["zebra"]);
    fs::remove_file(place.path().join(&live)).expect("removed");
    assert_eq!(viewer.get(&format!("/d/{id}")).status, 404);
}

#[test]
fn l3_a_page_made_event_by_event_is_the_page_made_at_once() {
    let (place, id) = short();
    let dir = place.debates()[0].clone();
    let log = read(&dir.join("events.jsonl"));
    let log: Vec<&str> = log.split_inclusive('\n').collect();
    let start: Value = serde_json::from_str(log[0]).expect("an event");
    fs::remove_dir_all(dir).expect("gone");
    let tell = |claimant: usize, count: usize| {
        let debate = &start["debate"];
        let head = json!({"live": 1, "debate": debate, "run": "x", "pid": 1, "n": claimant});
        let text = format!("{head}\n{}", log[..count].concat());
        place.write(&format!("output/.rebut/live/{id}.jsonl"), &text);
    };
    for args in [&[][..], &["--public"]] {
        let viewer = Viewer::over(&place, args);
        let shown = |claimant: usize, count: usize| {
            tell(claimant, count);
            viewer.page(&format!("/d/{id}"))
        };
        let grown: Vec<String> = (1..=log.len()).map(|count| shown(0, count)).collect();
        has_all(&grown[log.len() - 1], &["id=\"arguments\"", "id=\"m001\""]);
        for (count, grown) in (1..).zip(&grown) {
            // The file of another claimant is read anew.
            assert_eq!(shown(count, count), *grown, "{args:?}, {count} events");
        }
    }
}

#[test]
fn l3_an_anchor_of_another_page_leads_to_its_page() {
    let (place, id) = long();
    let viewer = Viewer::over(&place, &[]);
    let at = format!("/d/{id}");
    let leads = |anchor: &str, from: &str| {
        let reply = viewer.get(&format!("{at}/at/{anchor}?from={from}"));
        assert_eq!(reply.status, 303, "{anchor}");
        reply.header("location").expect("an address").to_owned()
    };
    let last = viewer.page(&format!("{at}?page=3"));
    let point = last.split("id=\"p-").nth(1).expect("a point");
    let point = format!("p-{}", point.split('"').next().expect("its end"));
    for (anchor, page) in [
        ("m001", 1),
        ("m121", 2),
        ("m300", 3),
        ("round-4", 1),
        ("round-5", 2),
        ("round-10", 3),
        ("arguments", 3),
        (&point, 3),
    ] {
        let own = viewer.page(&format!("{at}?page={page}"));
        assert!(anchors(&own).0.contains(anchor), "{anchor} is on page {page}");
        has_all(&own, &[&format!("data-page=\"{page}\"")]);
        let other = (page % 3 + 1).to_string();
        let wanted = format!("{at}?page={page}#{}", anchor.to_lowercase());
        assert_eq!(leads(anchor, &other).to_lowercase(), wanted);
        // Where it is missing nevertheless, nobody is led in a circle.
        let own = page.to_string();
        assert_eq!(leads(anchor, &own), format!("{at}?page={page}"));
    }
    for nowhere in ["m301", "round-11", "p-none", "debate", "%0d%0ax", "%C3%A9"] {
        assert_eq!(leads(nowhere, "2"), format!("{at}?page=2"));
    }
    for strange in ["", "x", "//evil", "9%0a"] {
        assert_eq!(leads("m121", strange), format!("{at}?page=2#m121"));
        assert_eq!(leads("none", strange), format!("{at}?page=1"));
    }
    assert_eq!(viewer.get("/d/000000000000/at/m001?from=1").status, 404);
}
