//! Pages of finished debates, and files.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use mock_ollama::{Card, MockOllama};

use super::client::{Reply, Viewer};
use crate::harness::{Place, SHORT_JOB, TINY_JOB, has, has_all, lacks, name_of, with_job};

/// Two finished debates.
fn rehearsed() -> Place {
    let place = with_job(&format!("{SHORT_JOB}repeat: 2\n"));
    place.run_exits(0, &["--rehearse", "job.yaml"]);
    place
}

fn id_of(place: &Place) -> String {
    let name = name_of(&place.debates()[0]);
    name[name.len() - 12..].to_owned()
}

/// The addresses that a page leads to, or loads.
fn links(page: &str) -> Vec<String> {
    let parts = page.split(['"', '\'']).collect::<Vec<_>>();
    let pairs = parts.windows(2);
    let named = pairs.filter(|pair| {
        pair[0].ends_with("href=") || pair[0].ends_with("src=") || pair[0].ends_with("action=")
    });
    let links = named.map(|pair| pair[1].replace("&amp;", "&"));
    links
        .map(|link| link.split('#').next().unwrap_or_default().to_owned())
        .filter(|link| !link.is_empty())
        .collect()
}

/// All that can be reached from these addresses.
pub(super) fn crawled(viewer: &Viewer, from: &[String]) -> BTreeMap<String, Reply> {
    let (mut seen, mut open) = (BTreeMap::new(), from.to_vec());
    while let Some(path) = open.pop() {
        let reply = viewer.get(&path);
        let is_page = reply.header("content-type") == Some("text/html; charset=utf-8");
        let found = links(&reply.body)
            .into_iter()
            .filter(|_| is_page)
            .chain(reply.header("location").map(str::to_owned));
        for link in found {
            // The report may be read elsewhere: its links are relative.
            let link = link.trim_start_matches('.').to_owned();
            assert!(link.starts_with('/') && !link.starts_with("//"), "{path} leads to {link}");
            if !seen.contains_key(&link) {
                open.push(link);
            }
        }
        seen.insert(path, reply);
    }
    seen
}

#[test]
fn l3_every_link_of_every_page_leads_to_what_is_there() {
    let place = rehearsed();
    let viewer = Viewer::over(&place, &["--include-rehearsals"]);
    let seen = crawled(&viewer, &["/".to_owned()]);
    for (path, reply) in &seen {
        assert!([200, 303].contains(&reply.status), "{path}: {}", reply.head);
    }
    let seen: BTreeSet<&str> = seen.keys().map(String::as_str).collect();
    let id = id_of(&place);
    for path in [
        "/debates",
        "/report",
        &format!("/d/{id}"),
        &format!("/d/{id}/calls"),
        &format!("/d/{id}/file/trace.json"),
        &format!("/compare?a={id}"),
    ] {
        assert!(seen.contains(path), "{path} is not linked: {seen:#?}");
    }
    assert!(seen.iter().any(|link| link.starts_with("/topic/")), "{seen:#?}");
    assert!(
        seen.iter().any(|link| link.starts_with("/compare?a=") && link.contains("&b=")),
        "{seen:#?}"
    );
}

#[test]
fn l3_the_report_leads_back_and_shows_commands_as_such() {
    let place = with_job(&format!("{SHORT_JOB}repeat: 2\n"));
    place.write("more.yaml", &format!("{SHORT_JOB}repeat: 2\nmax_statement_tokens: 300\n"));
    place.run_exits(0, &["--rehearse", "job.yaml", "more.yaml"]);
    let viewer = Viewer::over(&place, &["--include-rehearsals"]);
    let report = viewer.page("/report");
    has_all(
        &report,
        &[
            "<a href=\"/debates\">Debates</a>",
            "<code>rebut stats --by setting.max_statement_tokens</code>",
        ],
    );
}

#[test]
fn l3_debates_are_found_by_words_status_format_and_model() {
    let place = rehearsed();
    let viewer = Viewer::over(&place, &[]);
    let found =
        |query: &str| viewer.page(&format!("/debates?{query}")).matches("<a href=\"/d/").count();
    for (query, expected) in [
        ("", 2),
        ("q=COMPULSORY+voting", 2),
        ("q=zebra", 0),
        ("status=done&format=knockout&model=llama3", 2),
        ("status=failed", 0),
        ("format=duel", 0),
        ("model=mistral", 0),
        ("before=2000", 0),
        ("before=2999", 2),
    ] {
        assert_eq!(found(query), expected, "{query}");
    }
    let id = id_of(&place);
    assert_eq!(found(&format!("q={}", &id[..8])), 1);
    // The two differ in which they are.
    has(&viewer.page("/debates"), "<span class=\"which\">run 2 · ");
    // A filter is shown also where no debate has it, and can be cleared.
    has_all(
        &viewer.page("/debates?status=nope"),
        &[
            "<option selected>nope</option>",
            "<a href=\"/debates\">Clear</a>",
            "There is no such status: use done, degraded, failed or unfinished.",
        ],
    );
    assert_eq!(viewer.page(&format!("/d/{id}/search?q=")).matches("#m").count(), 0);
    let all = viewer.page(&format!("/d/{id}"));
    let said = all.split("<div class=\"prose\"><p>").nth(1).expect("a statement");
    let word: String = said.split(' ').next().expect("a word").to_uppercase();
    assert!(viewer.page(&format!("/d/{id}/search?q={word}")).matches("#m").count() > 0, "{word}");
}

#[test]
fn l3_lists_are_the_same_with_and_without_the_file_that_lists_all() {
    let place = rehearsed();
    place.write("zoos.yaml", "topic: Should zoos be closed?\nrounds: 1\n");
    place.run_exits(0, &["--rehearse", "zoos.yaml"]);
    for args in [&[][..], &["--public"]] {
        place.rebut_exits(0, &["index"]);
        let lists = |of: &str| {
            let viewer = Viewer::over(&place, args);
            let paths = ["/debates", "/debates?q=ZOOS+llama3", "/debates?q=zoos+voting"];
            let counts = paths.map(|path| viewer.page(path).matches("<a href=\"/d/").count());
            assert_eq!(counts, [3, 1, 0], "{of}");
            paths.map(|path| viewer.page(path))
        };
        let listed = lists("a list");
        fs::remove_file(place.path().join("output/index.jsonl")).expect("gone");
        assert_eq!(listed, lists("directories"), "{args:?}");
    }
}

#[test]
fn l3_days_and_statements_have_addresses() {
    let place = rehearsed();
    let viewer = Viewer::over(&place, &[]);
    let (day, id) = (name_of(place.debates()[0].parent().expect("a day")), id_of(&place));
    for (path, leads) in [
        (format!("/day/{day}"), Some(format!("/debates?day={day}"))),
        ("/day/2026-13-01".to_owned(), None),
        ("/day/..".to_owned(), None),
        (format!("/d/{}", &id[..8]), Some(format!("/d/{id}"))),
        (format!("/d/{}", &id[..3]), None),
        (format!("/d/{id}/m/2"), Some(format!("/d/{id}#m002"))),
        (format!("/d/{id}/m/999"), None),
        (format!("/d/{id}/m/x"), None),
        ("/d/000000000000/m/1".to_owned(), None),
    ] {
        let reply = viewer.get(&path);
        assert_eq!(reply.header("location"), leads.as_deref(), "{path}");
        assert_eq!(reply.status, if leads.is_some() { 303 } else { 404 }, "{path}");
    }
    let found =
        |day: &str| viewer.page(&format!("/debates?day={day}")).matches("<a href=\"/d/").count();
    assert_eq!((found(&day), found("1999-01-01")), (2, 0));
}

#[test]
fn l3_more_debates_than_a_page_holds_are_had_page_by_page() {
    let place = with_job(&format!("{TINY_JOB}repeat: 103\n"));
    place.run_exits(0, &["--rehearse", "job.yaml"]);
    let viewer = Viewer::over(&place, &[]);
    let ids = |page: &str| {
        links(page).into_iter().filter(|link| link.starts_with("/d/")).collect::<BTreeSet<_>>()
    };
    let found = "/debates?q=voting".to_owned();
    let list = viewer.page(&found);
    let topic = links(&list).into_iter().find(|link| link.starts_with("/topic/")).expect("a topic");
    for (start, then) in
        [(found, "/debates?q=voting&before="), (topic.clone(), &*format!("{topic}?&before="))]
    {
        let (mut path, mut pages) = (Some(start), Vec::new());
        while let Some(next) = path {
            let page = viewer.page(&next);
            pages.push(ids(&page));
            path = links(&page).into_iter().find(|link| link.contains("before="));
            assert!(path.iter().all(|link| link.starts_with(then)), "{path:?}");
        }
        let counts: Vec<usize> = pages.iter().map(BTreeSet::len).collect();
        assert_eq!(counts, [50, 50, 3]);
        let all: BTreeSet<&String> = pages.iter().flatten().collect();
        assert_eq!(all.len(), 103);
    }
    has(&viewer.page(&topic), "103 debates, newest first, 50 on this page.");
}

#[test]
fn l3_a_debate_that_is_committed_or_removed_meanwhile_is_taken_in() {
    let place = rehearsed();
    let viewer = Viewer::over(&place, &[]);
    assert_eq!(viewer.page("/debates").matches("<a href=\"/d/").count(), 2);
    place.write("more.yaml", "topic: Should zoos be closed?\nrounds: 1\n");
    place.run_exits(0, &["--rehearse", "more.yaml"]);
    let name =
        name_of(place.debates().iter().find(|path| name_of(path).contains("_more_")).expect("it"));
    let id = &name[name.len() - 12..];
    viewer.page(&format!("/d/{id}"));
    let dir = place.debates().into_iter().find(|path| name_of(path) == name).expect("it");
    fs::remove_dir_all(dir).expect("gone");
    while viewer.page("/debates").contains(id) {}
    assert_eq!(viewer.get(&format!("/d/{id}")).status, 404);
}

#[cfg(unix)]
#[test]
fn l3_only_the_files_of_debates_are_given_and_as_plain_text() {
    let place = rehearsed();
    place.write("secret.txt", "precious");
    let dir = place.debates()[0].clone();
    std::os::unix::fs::symlink(place.path().join("secret.txt"), dir.join("link.md"))
        .expect("a link");
    std::os::unix::fs::symlink(place.path(), dir.join("dir")).expect("a link");
    place.write("output/.rebut/live/secret.jsonl", "precious");
    let viewer = Viewer::over(&place, &[]);
    let id = id_of(&place);
    let file = viewer.get(&format!("/d/{id}/file/trace.json"));
    assert_eq!(file.status, 200);
    assert_eq!(file.header("content-type"), Some("text/plain; charset=utf-8"));
    assert_eq!(file.header("x-content-type-options"), Some("nosniff"));
    let message = name_of(&crate::harness::list(&dir.join("messages"))[0]);
    assert_eq!(viewer.get(&format!("/d/{id}/file/messages/{message}")).status, 200);
    let here = place.path().display().to_string();
    let asked = [
        format!("/d/{id}/file/link.md"),
        format!("/d/{id}/file/dir/secret.txt"),
        format!("/d/{id}/file/messages"),
        format!("/d/{id}/file/../../../secret.txt"),
        format!("/d/{id}/file/..%2f..%2f..%2fsecret.txt"),
        format!("/d/{id}/file/%2e%2e/%2e%2e/%2e%2e/secret.txt"),
        format!("/d/{id}/file/messages/../../../../secret.txt"),
        format!("/d/{id}/file/{here}/secret.txt"),
        format!("/d/{id}/file/%2f{here}/secret.txt"),
        format!("/d/{id}/file/..%5c..%5csecret.txt"),
        format!("/d/{id}/file/trace.json%00"),
        format!("/d/{id}/file/"),
        "/d/..%2f..%2fsecret/file/txt".to_owned(),
        "/d/../secret.txt".to_owned(),
        "/d/secret".to_owned(),
        "/assets/..%2f..%2fsecret.txt".to_owned(),
        "/assets/pages/base.css".to_owned(),
        "/secret.txt".to_owned(),
        "//secret.txt".to_owned(),
        "/output/../secret.txt".to_owned(),
        "/2026-11-23/..%2f..%2fsecret.txt/debate.html".to_owned(),
        format!("/..%2f..%2f/{id}/debate.html"),
        "/d/%F0%28/file/x".to_owned(),
    ];
    for path in asked {
        let reply = viewer.get(&path);
        assert!(reply.status == 404 || reply.status == 400, "{path}: {}", reply.head);
        lacks(&reply.body, &["precious"]);
    }
}

#[test]
fn l3_every_answer_says_what_a_browser_may_do_with_it() {
    let place = rehearsed();
    let viewer = Viewer::over(&place, &["--include-rehearsals"]);
    let id = id_of(&place);
    for path in [
        "/",
        "/debates",
        "/report",
        "/nothing",
        "/healthz",
        &format!("/d/{id}"),
        &format!("/d/{id}/file/index.md"),
        "/assets/x",
    ] {
        let head = viewer.get(path).head;
        has_all(
            &head,
            &[
                "content-security-policy: default-src 'none'; script-src 'self'; style-src 'self'; ",
                "frame-ancestors 'none'; require-trusted-types-for 'script'\r\n",
                "x-content-type-options: nosniff",
                "referrer-policy: no-referrer",
            ],
        );
        lacks(&head, &["access-control", "set-cookie"]);
        let page = viewer.get(path).body;
        lacks(&page, &["<style", "<script>", " style=\"", " onload", "<script src=\"http"]);
    }
    let sheet =
        links(&viewer.page("/")).into_iter().find(|link| link.contains("base")).expect("a sheet");
    has_all(&viewer.get(&sheet).head, &["text/css", "immutable"]);
}

#[test]
fn l3_a_directory_without_a_debate_is_shown_as_such() {
    let place = Place::new();
    fs::create_dir_all(place.path().join("output/.rebut")).expect("a directory");
    let viewer = Viewer::over(&place, &[]);
    let page = viewer.page("/");
    has_all(&page, &["Nothing is running.", "id=\"open-box\" hidden"]);
    has_all(&viewer.page("/debates"), &["No finished debates yet."]);
    let report = viewer.get("/report");
    assert_eq!(report.status, 404);
    has_all(&report.body, &["no finished debates to count"]);
    let refused = place.rebut_exits(2, &["view", "nowhere"]);
    has_all(&refused.stderr, &["nowhere does not exist yet", "rebut run JOB.yaml --view"]);
}

#[test]
fn l3_a_page_says_where_it_is() {
    let place = rehearsed();
    let viewer = Viewer::over(&place, &["--include-rehearsals"]);
    for (path, current, title) in [
        ("/", "href=\"/\"", "<h1>Overview</h1>"),
        ("/debates", "href=\"/debates\"", "<h1>Debates</h1>"),
        ("/report", "href=\"/report\"", "<h1>Rehearsal of "),
    ] {
        let page = viewer.page(path);
        has_all(&page, &[&format!("{current} aria-current=\"page\""), title]);
        assert_eq!(page.matches("aria-current").count(), 1, "{path}");
    }
    let calls = viewer.page(&format!("/d/{}/calls", id_of(&place)));
    has(&calls, "<nav class=\"viewer\"");
    has_all(
        &calls,
        &["<bdi>Round 1: X&#39;s turn – ", " tokens, ", ">round-1/statement/position_x<"],
    );
    lacks(&calls, &["aria-current"]);
}

#[test]
fn l3_the_page_of_a_topic_tells_runs_apart_and_leads_nowhere_twice() {
    let place = rehearsed();
    let viewer = Viewer::over(&place, &[]);
    let list = viewer.page("/debates");
    has_all(
        &list,
        &[
            "<span class=\"which\">run 1 · <a href=\"/topic/",
            "<label>Find in topics, outcomes, sides, jobs and formats ",
        ],
    );
    let topic = list.split("href=\"/topic/").nth(1).and_then(|it| it.split('"').next());
    let page = viewer.page(&format!("/topic/{}", topic.expect("a topic")));
    has_all(&page, &["dir=\"auto\">run 1</a>", "dir=\"auto\">run 2</a>"]);
    lacks(&page, &["all on this topic", "Who won"]);
    assert_eq!(
        page.matches("Should voting be compulsory?</").count(),
        2,
        "the title and the heading"
    );
    has(&viewer.page("/debates?q=compulsory"), "2 debates found.");
}

#[test]
fn l3_the_page_of_a_topic_counts_who_won_but_in_rehearsals() {
    let cards = ["llama3", "mistral"].map(Card::new).to_vec();
    let place = Place::with(MockOllama::builder().models(cards).start());
    place.write("job.yaml", "format: duel\ntopic: Should voting be compulsory?\nrounds: 2\nallow_explicit: true\nb: {model: mistral}\n");
    place.run_exits(0, &["job.yaml"]);
    place.run_exits(0, &["--rehearse", "job.yaml"]);
    let viewer = Viewer::over(&place, &[]);
    let list = viewer.page("/debates");
    let topic = list.split("href=\"/topic/").nth(1).and_then(|it| it.split('"').next());
    let address = format!("/topic/{}", topic.expect("a topic"));
    let page = viewer.page(&address);
    has(&page, " won 1</bdi></p>");
    lacks(&page, &[" won 2", "draw<"]);
    place.run_exits(0, &["--seed", "7", "job.yaml"]);
    let page = loop {
        let page = viewer.page(&address);
        if page.contains("3 debates, newest first") {
            break page;
        }
    };
    let line = page.split("<p class=\"verdict\"><bdi>").nth(1).and_then(|it| it.split('<').next());
    let words = line.expect("a line").split([' ', ',']);
    let counted: u32 = words.filter_map(|word| word.parse::<u32>().ok()).sum();
    assert_eq!(counted, 2, "the rehearsal does not count: {page}");
}

#[test]
fn l3_a_search_in_a_debate_counts_and_marks_what_it_found() {
    let place = rehearsed();
    let viewer = Viewer::over(&place, &[]);
    let at = format!("/d/{}", id_of(&place));
    let page = viewer.page(&at);
    let said = page.split("<div class=\"prose\"><p>").nth(1).expect("a statement");
    let words: Vec<&str> = said.split([' ', '<']).take(3).collect();
    let found = viewer.page(&format!("{at}/search?q={}", words.join("+").to_uppercase()));
    has_all(
        &found,
        &[
            " with these words.",
            &format!("<mark>{}</mark>", words.join(" ")),
            "Search in the statements of this debate",
        ],
    );
    let after = found
        .split("</mark>")
        .nth(1)
        .and_then(|it| it.split("</bdi>").next())
        .expect("what follows")
        .trim_end_matches(" …");
    // Not in the middle of a word.
    let whole = said.split("</p>").next().unwrap_or_default();
    let next = whole.split(after).nth(1).and_then(|it| it.chars().next());
    assert!(next.is_none_or(|c| !c.is_alphanumeric()), "{after}");
}

#[test]
fn l3_two_debates_differ_in_who_took_part_by_name_and_once() {
    let place = with_job(
        "format: duel\ntopic: Should voting be compulsory?\nrounds: 2\nallow_explicit: true\na: {name: Ann}\nb: {name: Ben}\nmatrix:\n  a.model: [llama3, mistral]\n",
    );
    place.run_exits(0, &["--rehearse", "job.yaml"]);
    let ids: Vec<String> = place
        .debates()
        .iter()
        .map(|dir| name_of(dir))
        .map(|name| name[name.len() - 12..].to_owned())
        .collect();
    let viewer = Viewer::over(&place, &[]);
    let page = viewer.page(&format!("/compare?a={}&b={}", ids[0], ids[1]));
    let against = |who: &str| format!("Ann ({who}) against Ben (llama3)</bdi></p>");
    has_all(
        &page,
        &["<bdi>Ann: model</bdi>", "<bdi>First: Ann (", &against("llama3"), &against("mistral")],
    );
    has(&page, "<article class=\"said side-1\">");
    has(&viewer.page("/debates"), "<span class=\"which\">Ann (mistral) against Ben (llama3) · ");
    let one = viewer.page(&format!("/compare?a={}&b={}", ids[0], ids[0]));
    has_all(&one, &["The same in both", "None: this is one debate, beside itself."]);
    let columns = one.matches("<div class=\"pair\">").count();
    assert_eq!(columns, 1, "only what each came to");
    // Ann spoke first in both.
    lacks(&page, &["<bdi>a.model</bdi>", "agent_a: ", "speaks first"]);
}

#[test]
fn l3_an_announcement_is_compared_under_its_round_or_with_what_it_announces() {
    let place = with_job(
        "format: moderated\ntopic: Should voting be compulsory?\nround_count: 1\ninterruptions: false\nallow_explicit: true\nmatrix:\n  style: [formal, competitive]\n",
    );
    place.run_exits(0, &["--rehearse", "job.yaml"]);
    let names: Vec<String> = place.debates().iter().map(|dir| name_of(dir)).collect();
    let id = |at: usize| &names[at][names[at].len() - 12..];
    let page = Viewer::over(&place, &[]).page(&format!("/compare?a={}&b={}", id(0), id(1)));
    // One of the two rules on the round.
    let parts = page.split("<section aria-label=\"").skip(3).map(|part| {
        let title = part.split('"').next().unwrap_or_default();
        (title, part.matches("The rounds are over").count())
    });
    let told: Vec<(&str, usize)> = parts.collect();
    let expected =
        [("Introduction", 0), ("Opening", 0), ("Round 1", 1), ("Closing", 1), ("Summary", 0)];
    assert_eq!(told, expected);
}

#[test]
fn l3_who_took_the_other_part_is_compared_with_itself() {
    let place = with_job(
        "format: duel\ntopic: Should voting be compulsory?\nrounds: 2\na: {position: For}\nb: {position: Against}\nmatrix:\n  meeting:\n    - {a.name: Ann, a.model: llama3, b.name: Ben, b.model: mistral}\n    - {a.name: Ben, a.model: mistral, b.name: Ann, b.model: llama3}\n",
    );
    place.run_exits(0, &["--rehearse", "job.yaml"]);
    let name = |dir: &PathBuf| name_of(dir).rsplit('_').next().map(str::to_owned);
    let ids: Vec<String> = place.debates().iter().filter_map(name).collect();
    let page = Viewer::over(&place, &[]).page(&format!("/compare?a={}&b={}", ids[0], ids[1]));
    lacks(&page, &["Ann: model", "Ben: model", "Ann / Ben", "Ben / Ann", "Only chance", "<bdi>a."]);
    // The other of them spoke first, and for the other position.
    has_all(
        &page,
        &[
            "Ann: position</bdi>",
            "speaks first</bdi>",
            "<bdi>Ann (llama3)</bdi>",
            "<bdi>Ben (mistral)</bdi>",
        ],
    );
}
