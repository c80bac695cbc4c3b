//! Reports on more debates than a page can list.

use serde_json::Value;

use super::{all, count, html, markdown, parts, rows, sample};
use crate::harness::corpus::Debate;
use crate::harness::{Place, has_all, lacks, read};

/// Bytes of a report, however much was debated.
const MOST: usize = 600_000;
/// Debates of the corpus, which failed, and topics.
const DEBATES: usize = 600;
const FAILED: [usize; 3] = [77, 400, 501];
const TOPICS: usize = 150;

/// Duels of fourteen models and sixty personas, each on one of many topics.
fn corpus() -> Vec<Debate> {
    let model = |n: usize| format!("family{}-{n}", n % 5);
    let duel = |n: usize| {
        let (a, b) = (model(n % 14), model((n * 5 + 3) % 14));
        let scores = [("agent_a", 4.0 + (n % 7) as f64 / 2.0), ("agent_b", 5.0)];
        let persona = |n: usize| format!("A person of the kind {}", n % 60);
        Debate::of("duel", n)
            .topic(&format!("Should town number {} ban cars?", n % TOPICS))
            .model("agent_a", &a)
            .model("agent_b", &b)
            .who("agent_a", "name", persona(n))
            .who("agent_b", "name", persona(n * 7 + 1))
            .verdict("judge-1", scores)
            .verdict("judge-2", scores)
            .winner(["agent_a", "agent_b", "draw"][n % 3])
            .with("status", if FAILED.contains(&n) { "failed" } else { "done" })
    };
    (1..=DEBATES).map(duel).collect()
}

#[test]
fn s5_a_report_on_many_debates_is_small_and_says_what_it_leaves_out() {
    let place = Place::of_debates(&corpus());
    let made = |args: &[&str]| {
        let file = args[0];
        place.rebut_exits(0, &[&["report", "output", "-o"], args].concat());
        read(&place.path().join(file))
    };
    let page = made(&["report.html"]);
    assert!(page.len() <= MOST, "{}", page.len());
    has_all(
        &page,
        &[
            "<h1>Findings from 600 debates on 150 topics</h1>",
            "597 of 600 counted",
            " of 600 counted debates",
            "<summary>By topic: 150 groups (the main measures of the ",
            " with most debates)",
            "All measures of all groups: `rebut stats DIR --by topic --format csv`.",
            "and 587 more: <code>rebut export DIR --to csv --where status=done</code>",
            "lists and filters them at <code>/debates</code>",
        ],
    );
    let parts = parts(&page);
    let rows = rows(&parts);
    for n in FAILED {
        let leads =
            |row: &&Vec<String>| row[0] == n.to_string() && row[1].starts_with("Should town");
        let tables = rows.iter().filter(leads).count();
        assert_eq!(tables, 1, "{n} failed, and is in the table of debates");
    }
    for list in all(&parts, "li") {
        let few = list.get("data-debates").is_none_or(|numbers| count(numbers) <= 10);
        assert!(few, "{list:?}");
    }
    let text = made(&["report.md", "--full"]);
    assert!(text.len() <= MOST, "{}", text.len());
    has_all(&text, &["By topic: 150 groups", " of 600 counted debates", "587 more"]);
    let json: Value = serde_json::from_str(&made(&["report.json"])).expect("JSON");
    let len = |path: &str| json.pointer(path).and_then(Value::as_array).map(Vec::len);
    assert_eq!(len("/debates"), Some(DEBATES));
    let by = json["breakdowns"].as_array().expect("groupings");
    let topics = by.iter().find(|one| one["by"] == serde_json::json!(["topic"]));
    assert_eq!(topics.and_then(|one| one["groups"].as_array()).map(Vec::len), Some(TOPICS));
}

#[test]
fn s5_a_report_grows_no_further() {
    let sizes = [3_000, 20_000].map(|debates| {
        let findings = sample::rich(debates);
        [html(&findings).len(), markdown(&findings).len()]
    });
    for [page, text] in sizes {
        assert!(page <= MOST && text <= MOST, "{sizes:?}");
    }
}

#[test]
fn s5_a_report_on_few_debates_lists_them_all() {
    let page = html(&sample::rich(500));
    lacks(&page, &["to look at first", " of 500 counted debates</caption>", " (the first "]);
    has_all(&page, &["All counted debates", ">500</th>"]);
}
