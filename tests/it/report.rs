//! The report as people get it (row S5): a page, Markdown and JSON with the same numbers, whatever the findings hold.

mod large;
mod sample;

use std::collections::BTreeSet;
use std::path::PathBuf;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use rebut::report;
use rebut::stats::findings::Findings;
use rebut::templates::{Templates, inert_json};
use rebut::text::estimate_tokens;
use serde_json::Value;

use self::sample::HOSTILE;
use crate::harness::{Place, SHORT_JOB, has, has_all, lacks, read, shows};
use crate::html::{Part, all, content_of, parts, rows};
use crate::pages::check_policy;

fn templates() -> Templates {
    Templates::load(None).expect("built-in templates")
}

fn html(findings: &Findings) -> String {
    report::html(findings, &templates()).expect("a page")
}

fn markdown(findings: &Findings) -> String {
    report::markdown(findings, &templates()).expect("Markdown")
}

fn brief(findings: &Findings) -> String {
    report::brief(findings, &templates()).expect("Markdown")
}

fn json(findings: &Findings) -> String {
    let mut written = Vec::new();
    report::json(findings, &mut written).expect("room");
    String::from_utf8(written).expect("text")
}

/// Where `tests/report/look.mjs` finds pages to look at.
fn pages() -> PathBuf {
    let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("report");
    std::fs::create_dir_all(&dir).expect("a directory");
    dir
}

/// The text of all numbers of a JSON value.
fn numbers(json: &Value, found: &mut BTreeSet<String>) {
    match json {
        Value::Number(n) => {
            found.insert(n.to_string());
        }
        Value::Array(items) => items.iter().for_each(|item| numbers(item, found)),
        Value::Object(fields) => fields.values().for_each(|field| numbers(field, found)),
        _ => {}
    }
}

/// The rows of all tables of a Markdown text but those without a counterpart in the page's tables.
fn markdown_rows(text: &str) -> Vec<Vec<String>> {
    let mut tables: Vec<Vec<Vec<String>>> = Vec::new();
    let mut cell: Option<String> = None;
    for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
        let rows = tables.last_mut();
        match (event, rows) {
            (Event::Start(Tag::Table(_)), _) => tables.push(Vec::new()),
            (Event::Start(Tag::TableRow | Tag::TableHead), Some(rows)) => rows.push(Vec::new()),
            (Event::Start(Tag::TableCell), _) => cell = Some(String::new()),
            (Event::Text(text) | Event::InlineHtml(text), _) => {
                cell.iter_mut().for_each(|c| c.push_str(&text));
            }
            (Event::End(TagEnd::TableCell), Some(rows)) => {
                let row = rows.last_mut().expect("a cell is in a row");
                row.push(cell.take().expect("a cell was open"));
            }
            _ => {}
        }
    }
    tables.retain(|rows| rows[0][0] != "what");
    tables.concat()
}

#[test]
fn s5_pages_to_look_at_are_written() {
    let samples = [("rich", sample::rich(300)), ("empty", sample::empty())];
    for (name, findings) in samples {
        let write = |ending: &str, text: String| {
            std::fs::write(pages().join(format!("{name}.{ending}")), text).expect("a file");
        };
        write("html", html(&findings));
        write("md", markdown(&findings));
        write("json", json(&findings));
    }
}

#[test]
fn s5_a_page_loads_nothing_and_runs_its_own_script_only() {
    const ELEMENTS: &str = "html head meta title style body a header main footer nav section h1 h2 h3 p ul ol li dl div dt dd \
        figure figcaption span svg desc rect line circle path text details summary table caption thead tbody tr th td data bdi sup code \
        script input label output";
    for findings in [sample::rich(300), sample::empty()] {
        let parts = parts(&html(&findings));
        for part in &parts {
            let Part::Open(name, attributes) = part else {
                continue;
            };
            assert!(ELEMENTS.split_whitespace().any(|e| e == name), "{name}");
            for (attribute, value) in attributes {
                let acts = attribute.starts_with("on")
                    || ["src", "style", "xlink:href"].contains(&attribute.as_str());
                assert!(!acts, "{name} {attribute}={value}");
                if attribute == "href" {
                    let is_ours = ["#", "./", "../"].iter().any(|start| value.starts_with(start));
                    assert!(name == "a" && is_ours, "{value}");
                }
            }
        }
        check_policy(&parts);
    }
}

#[test]
fn s5_the_policy_of_a_page_allows_its_style_and_script_and_nothing_else() {
    let parts = parts(&html(&sample::rich(20)));
    check_policy(&parts);
    assert!(content_of(&parts, "script").len() < 3072, "it is a short script");
}

#[test]
fn s5_every_number_of_a_page_is_in_the_json_to_the_digit() {
    let findings = sample::rich(300);
    let mut known = BTreeSet::new();
    let json: Value = serde_json::from_str(&json(&findings)).expect("JSON");
    numbers(&json, &mut known);
    let parts = parts(&html(&findings));
    let shown = all(&parts, "data");
    assert!(shown.len() > 500, "{}", shown.len());
    for data in shown {
        assert!(known.contains(&data["value"]), "{}", data["value"]);
    }
}

#[test]
fn s5_markdown_has_the_tables_of_the_page_row_by_row() {
    let findings = sample::rich(300);
    let trimmed = |rows: Vec<Vec<String>>| -> Vec<Vec<String>> {
        let cells = |row: Vec<String>| {
            let mut cells: Vec<String> =
                row.into_iter().map(|cell| cell.trim().to_owned()).collect();
            let filled = cells.iter().rposition(|cell| !cell.is_empty());
            cells.truncate(filled.map_or(0, |at| at + 1));
            cells
        };
        rows.into_iter().map(cells).collect()
    };
    let page = trimmed(rows(&parts(&html(&findings))));
    let text = trimmed(markdown_rows(&markdown(&findings)));
    assert!(page.len() > 500, "{}", page.len());
    for (a, b) in page.iter().zip(&text) {
        assert_eq!(a, b);
    }
    assert_eq!(page.len(), text.len());
}

#[test]
fn s5_hostile_text_is_shown_as_it_is_and_acts_nowhere() {
    let findings = sample::rich(300);
    let page = html(&findings);
    let shown: String = parts(&page)
        .iter()
        .filter_map(|part| match part {
            Part::Text(text) => Some(text.as_str()),
            _ => None,
        })
        .collect();
    assert!(shown.contains("<script>alert(\"1\")</script> ]]> '\"><img src=x onerror=alert(2)>"));
    assert!(!page.contains('\u{202e}') && !shown.contains('\u{202e}'));
    let text = markdown(&findings);
    let acting = Parser::new_ext(&text, Options::ENABLE_TABLES).find(|event| match event {
        Event::Html(html) => {
            !["<details>\n", "<summary>Table</summary>\n", "</details>\n"].contains(&html.as_ref())
        }
        Event::InlineHtml(_) | Event::Start(Tag::Image { .. }) => true,
        Event::Start(Tag::Link { dest_url, .. }) => {
            !["#set-", "./", "../"].iter().any(|start| dest_url.starts_with(start))
        }
        _ => false,
    });
    assert_eq!(acting, None);
    assert!(!json(&findings).contains("<script>"));
    assert!(HOSTILE.contains('\u{202e}'));
}

#[test]
fn s5_every_chart_says_what_it_shows_and_has_its_table() {
    let parts = parts(&html(&sample::rich(300)));
    let charts: Vec<usize> = parts
        .iter()
        .enumerate()
        .filter(
            |(_, p)| matches!(p, Part::Open(name, a) if name == "svg" && a.contains_key("role")),
        )
        .map(|(at, _)| at)
        .collect();
    assert!(charts.len() >= 20, "{}", charts.len());
    for at in charts {
        let said: Vec<&Part> = parts[at + 1..at + 7].iter().collect();
        assert!(
            matches!(said[..], [Part::Open(t, _), Part::Text(_), Part::Close(_), Part::Open(d, _), Part::Text(_), Part::Close(_)]
                if t == "title" && d == "desc"),
            "{said:?}"
        );
        let figure = parts[at..].iter().position(|p| *p == Part::Close("figure".to_owned()));
        let behind = &parts[at + figure.expect("a chart is in a figure")..];
        let next: Vec<&str> = behind
            .iter()
            .filter_map(|p| match p {
                Part::Open(name, _) => Some(name.as_str()),
                _ => None,
            })
            .take(4)
            .collect();
        assert_eq!(next, ["details", "summary", "div", "table"]);
    }
}

#[test]
fn s5_every_anchor_is_there_and_every_id_once() {
    let parts = parts(&html(&sample::rich(300)));
    let mut ids = BTreeSet::new();
    for part in &parts {
        if let Part::Open(_, attributes) = part
            && let Some(id) = attributes.get("id")
        {
            assert!(ids.insert(id.clone()), "{id} twice");
        }
    }
    for link in all(&parts, "a") {
        if let Some(id) = link["href"].strip_prefix('#') {
            assert!(ids.contains(id), "#{id}");
        }
    }
    for svg in all(&parts, "svg").into_iter().filter(|svg| svg.contains_key("role")) {
        for id in svg["aria-labelledby"].split(' ') {
            assert!(ids.contains(id), "{id}");
        }
    }
}

#[test]
fn s5_what_is_missing_has_its_reason() {
    let rich = html(&sample::rich(300));
    for reason in [
        "all observations are on one topic: between topics nothing is known",
        "all differences are equal: their spread is unknown",
        "all judges gave the same to everything: no variation to agree on",
        "no two models debated the same topic in this format",
        "fewer than ten debates are not ranked",
    ] {
        assert!(rich.contains(reason), "{reason}");
    }
    let empty = html(&sample::empty());
    for reason in [
        "No findings: no debate was counted.",
        "No leaderboard: no debate between two contestants has a winner",
        "Paired differences (No two models debated the same topic)",
        "(No judge gave a score)",
        "(No debate was judged)",
        "(No roundtable has rounds to compare)",
        "(No knockout has a debater who came in)",
        "(No call was answered by a model)",
        "(Nothing went wrong)",
        "(Every trace was readable)",
        "Numbers by group (No debate was counted)",
    ] {
        assert!(empty.contains(reason), "{reason}");
    }
    assert_eq!(empty.matches("No data for: ").count(), 1);
    assert!(!empty.contains("<section id="));
    assert!(!empty.contains("<figure"));
    assert!(!rich.contains("NaN") && !rich.contains(">inf"));
}

#[test]
fn s5_traces_that_list_no_calls_are_not_called_unanswered() {
    let mut findings = sample::rich(20);
    findings.speeds.clear();
    let page = html(&findings);
    assert!(page.contains("The traces list no calls with token counts"));
    assert!(!page.contains("No call was answered"));
}

#[test]
fn s5_groups_are_long_tables_under_headings_that_count_what_is_there() {
    let findings = sample::rich(300);
    let (page, text) = (html(&findings), markdown(&findings));
    let rows = rows(&parts(&page));
    let wide = rows.iter().find(|row| row.len() > 10);
    assert!(wide.is_none(), "no wide table: {wide:?}");
    let counts = &findings.breakdowns[2].groups[0].counts;
    let heading = format!(
        "llama3.2:3b — 50 debates on 38 topics: {} done, 5 degraded, 2 failed, 17 with emergency replies; \
         weak evidence: {} of {}; judgments: 12940 requested, 12611 valid, 301 invalid, 28 missing; incidents in them: 3 invalid ballot",
        counts.done, counts.weak, counts.decided
    );
    let at = rows.iter().position(|row| *row == [heading.clone()]);
    let below = &rows[at.expect("a heading") + 1];
    assert_eq!(below[..3], ["win rate", "all", "share"]);
    assert!(text.contains(&format!("**[{heading}](#set-")), "Markdown");
    // Beside three groupings, what personas and what positions do.
    assert_eq!(text.matches("<details>").count(), 5);
    assert_eq!(page.matches("<details class=\"screen\">").count(), 5);
}

#[test]
fn s5_a_damaged_file_has_its_path_once() {
    let mut findings = sample::rich(20);
    findings.damaged[0].cause = "/abs/output/duel-1/trace.json: not a trace".to_owned();
    let page = html(&findings);
    assert!(page.contains(">not a trace</td>") && !page.contains("/abs/"));
}

#[test]
fn s5_a_row_without_a_value_is_in_the_table_and_not_in_the_chart() {
    let page = html(&sample::rich(300));
    assert!(!page.contains(r#"text-anchor="end">–</text>"#));
    assert!(page.contains("1 row without a value: in the table only, with the reason."));
}

#[test]
fn s5_a_chart_says_which_group_a_strength_is_of_and_who_won_or_lost_all() {
    let plain = html(&sample::rich(300));
    assert!(!plain.contains("· group ") && plain.contains("intervals clustered by topic; 1000 is the middle. Compare by the differences below: two can differ though their intervals overlap."));
    let mut findings = sample::rich(300);
    let rows = &mut findings.leaderboards.strengths[0].rows;
    rows[1].rating.group = 2;
    for (row, wins, losses) in [(0, 12, 0), (2, 0, 12)] {
        let row = &mut rows[row];
        (row.rating.elo, row.rating.low, row.rating.high) = (None, None, None);
        (row.rating.wins, row.rating.draws, row.rating.losses) = (wins, 0, losses);
    }
    let page = html(&findings);
    for words in [
        "· group 2</text>",
        "intervals clustered by topic; 1000 is the middle of each group.",
        ">won all</text>",
        ">lost all</text>",
    ] {
        assert_eq!(page.matches(words).count(), 1, "{words}");
    }
}

#[test]
fn s5_the_report_speaks_in_plain_words() {
    let mut findings = sample::rich(300);
    findings.leaderboards.strengths[0].rows[2].rating.group = 2;
    let page = html(&findings);
    for jargon in [
        "not told from",
        "score.total",
        "of no use",
        "not to be had",
        "natural logarithm",
        "A ridge held",
    ] {
        assert!(!page.contains(jargon), "{jargon}");
    }
    for word in [
        "duel: total score",
        "may be zero",
        "interval excludes zero (not corrected)",
        "missing judgments",
    ] {
        assert!(page.contains(word), "{word}");
    }
    assert_eq!(page.matches(">group</th>").count(), 1);
}

#[test]
fn s5_markdown_has_no_runs_of_blank_lines() {
    for findings in [sample::rich(60), sample::empty()] {
        assert!(!markdown(&findings).contains("\n\n\n"));
    }
}

#[test]
fn s5_a_report_in_short_has_what_matters_under_4000_tokens() {
    for findings in [sample::rich(60), sample::huge()] {
        let text = brief(&findings);
        let tokens = estimate_tokens(&text);
        assert!(tokens < 4000, "{tokens}: {text}");
        assert!(!text.contains("\n\n\n"), "{text}");
        let places = [
            "# Findings from",
            "**qwen2.5:7b-instruct leads",
            "## Caveats",
            "## Counts",
            "## Leaderboard",
            "## What debaters do",
            "## More",
        ]
        .map(|part| text.find(part).unwrap_or_else(|| panic!("no {part}: {text}")));
        assert!(places.is_sorted(), "{places:?}");
        // Links would lead to lists that it does not have.
        assert!(!text.contains("](#"), "{text}");
        assert!(!text.contains(" | 0 |\n"), "{text}");
    }
    let huge = brief(&sample::huge());
    assert!(huge.contains("more rows: see the full report."), "{huge}");
    assert!(huge.contains("more: see the full report."), "{huge}");
}

#[test]
fn s5_a_report_in_short_names_no_reason_that_it_does_not_need() {
    let text = brief(&sample::rich(300));
    for n in 1..9 {
        let (mark, reason) = (format!("({n}) |"), format!("- ({n}) "));
        assert_eq!(text.contains(&mark), text.contains(&reason), "({n}): {text}");
    }
}

/// How many numbers `1-3 7` stands for.
fn count(numbers: &str) -> usize {
    let ends = |run: &str| -> usize {
        let (first, last) = run.split_once('-').unwrap_or((run, run));
        let number = |text: &str| text.parse::<usize>().expect("a number");
        number(last) - number(first) + 1
    };
    numbers.split(' ').map(ends).sum()
}

#[test]
fn l1_every_debate_behind_a_number_has_one_row_with_its_page() {
    let parts = parts(&html(&sample::rich(60)));
    let shown: Vec<&String> = all(&parts, "a").into_iter().map(|a| &a["href"]).collect();
    let lists = all(&parts, "li").into_iter().filter_map(|li| li.get("data-debates"));
    let numbers: BTreeSet<&str> = lists.flat_map(|numbers| numbers.split([' ', '-'])).collect();
    let rows = rows(&parts);
    for n in numbers {
        let own = rows.iter().filter(|row| row.len() == 7 && row[0] == n);
        assert_eq!(own.count(), 1, "{n}");
    }
    // Of sixty debates two have no page.
    let lead_to = |file: &str| {
        let found = shown.iter().filter(|href| href.ends_with(file));
        found.collect::<BTreeSet<_>>().len()
    };
    assert_eq!((lead_to("/debate.html"), lead_to("/index.md")), (58, 2));
}

#[test]
fn s5_a_list_of_debates_is_cut_with_the_command_that_has_them_all() {
    let page = html(&sample::rich(1300));
    let lists = page.split("<li id=\"set-").skip(1);
    let mut cut = 0;
    for list in lists {
        let list = list.split("</li>").next().unwrap_or_default();
        let (_, numbers) = list.split_once("data-debates=\"").expect("numbers");
        let numbers = numbers.split('"').next().unwrap_or_default();
        assert!(count(numbers) <= 200, "{numbers}");
        cut += usize::from(list.contains(" more: <code>rebut "));
    }
    assert!(cut > 0);
    assert!(
        page.contains("and 936 more: <code>rebut export DIR --to csv --include-rehearsals")
            || page.contains("--where status=done")
    );
}

#[test]
fn s5_json_that_is_written_as_it_comes_is_inert_as_a_whole() {
    let findings = sample::rich(60);
    let whole = serde_json::to_string_pretty(&findings).expect("JSON");
    let written = json(&findings);
    assert_eq!(written, format!("{}\n", inert_json(&whole)));
    assert!(written.contains("]\\u0028") && !written.contains("]("));
}

#[test]
fn s5_two_reports_differ_in_their_time_only() {
    let first = sample::rich(60);
    let mut second = first.clone();
    second.generated_at += chrono::Duration::hours(1);
    for render in [html, markdown, json] {
        let (a, b) = (render(&first), render(&second));
        let differing: Vec<_> = a.lines().zip(b.lines()).filter(|(a, b)| a != b).collect();
        assert!(differing.len() == 1 && differing[0].0.contains("08:00:00"), "{differing:?}");
        assert_eq!(a, render(&first));
    }
}

#[test]
fn s5_a_report_of_debates_leads_to_them_and_its_forms_agree() {
    let place = Place::new();
    place.write("a.yaml", &format!("{SHORT_JOB}matrix: {{x.model: [llama3, mistral]}}\n"));
    place.write("b.yaml", "topic: Should cities be smaller?\nformat: duel\n");
    place.run_exits(0, &["a.yaml", "b.yaml"]);
    for file in ["pages/report.html", "pages/report.md", "pages/report.json"] {
        std::fs::create_dir_all(place.path().join("pages")).expect("a directory");
        let ended = place.rebut_exits(0, &["report", "output", "--full", "-o", file]);
        has(&ended.stdout, &format!("\nwrote {file}"));
    }
    let dir = place.path().join("pages");
    let parts = parts(&read(&dir.join("report.html")));
    let links: BTreeSet<&String> = all(&parts, "a").into_iter().map(|a| &a["href"]).collect();
    let outward: Vec<&&String> = links.iter().filter(|href| !href.starts_with('#')).collect();
    assert_eq!(outward.len(), 3, "{outward:?}");
    for href in outward {
        assert!(dir.join(href).is_file(), "{href}");
    }
    let mut known = BTreeSet::new();
    let json: Value = serde_json::from_str(&read(&dir.join("report.json"))).expect("JSON");
    numbers(&json, &mut known);
    for data in all(&parts, "data") {
        assert!(known.contains(&data["value"]), "{}", data["value"]);
    }
    assert_eq!(json["counts"]["planned"], 3);
    let here = place.rebut(&["report", "output"]);
    assert!(here.code == 0 && place.path().join("report.html").is_file(), "{}", here.stderr);
    assert!(read(&dir.join("report.md")).contains("| done | [3 of 3 planned](#set-1) |"));
    place.rebut_exits(0, &["report", "output", "-o", "pages/report.md"]);
    let short = read(&dir.join("report.md"));
    assert!(
        short.contains("| done | 3 of 3 planned |") && short.contains("`--full -o report.md`"),
        "{short}"
    );
}

#[test]
fn s5_zeros_are_left_out_of_the_counts_but_good_news_is_told_in_words() {
    let findings = sample::rich(300);
    for text in [html(&findings), markdown(&findings)] {
        assert_eq!(text.matches("None: with fallback models.").count(), 1);
        lacks(&text, &["older plans excluded", "filtered out"]);
    }
    lacks(&brief(&findings), &["None: ", "with fallback models"]);
    lacks(&html(&sample::empty()), &["None: ", "class=\"counts\""]);
}

#[test]
fn s5_a_report_in_no_known_form_is_refused_with_those_that_are_known() {
    let place = Place::new();
    let ended = place.rebut_exits(2, &["report", ".", "-o", "report.pdf"]);
    shows!(ended, {
        "stderr contains": ["unknown report format", ".html, .md or .json"],
    });
    place.write("out/index.md", "");
    let ended = place.rebut_exits(2, &["report", "-o", "out"]);
    has(&ended.stderr, "as in `rebut report DIR`");
}

/// Of a report's figures: each is one file of a kind, whatever the findings hold, and nothing in it acts.
#[test]
fn l6_figures_stand_alone_and_nothing_in_them_acts() {
    let figures = report::figures(&sample::rich(40));
    let names: BTreeSet<&str> = figures.iter().map(|figure| &*figure.name).collect();
    assert_eq!(names.len(), figures.len(), "every name once");
    for figure in &figures {
        let (name, content) = (&figure.name, &figure.content);
        assert!(!content.contains("<script") && !content.contains("var(--"), "{name}");
        match name.rsplit_once('.') {
            Some((_, "svg")) => {
                let page = parts(&format!("<!DOCTYPE html>\n{}", content.trim_end()));
                let Some(Part::Open(root, attributes)) = page.first() else {
                    panic!("{name} begins with text");
                };
                assert_eq!(root, "svg");
                assert_eq!(attributes["xmlns"], "http://www.w3.org/2000/svg");
            }
            Some((_, "tex")) => {
                assert!(content.contains("\\begin{tabular}{"), "{name}");
                let text = content.lines().filter(|line| !line.starts_with("% "));
                let bare = text.filter(|line| line.replace("\\%", "").contains('%'));
                assert_eq!(bare.count(), 0, "{name} has a comment");
            }
            _ => panic!("{name} is of no kind"),
        }
    }
    assert_eq!(report::figures(&sample::empty()), []);
}

#[test]
fn l6_figures_are_written_beside_the_report() {
    let place = Place::new();
    place.write("job.yaml", SHORT_JOB);
    place.rebut_exits(0, &["run", "--rehearse", "job.yaml"]);
    let ran = place.rebut_exits(0, &["report", "--include-rehearsals", "--figures", "for/paper"]);
    has(&ran.stdout, " (LaTeX) to for/paper");
    let table = read(&place.path().join("for/paper/debates-1.tex"));
    has(&table, "1 of 1 debate rehearsed: no model was asked");
}

/// Findings whose points are on one topic.
fn on_one_topic() -> Findings {
    let mut findings = sample::rich(300);
    for row in &mut findings.leaderboards.points[0].rows {
        row.mean.value = row.mean.value.map(|value| 2.7 + value / 20.0);
        (row.mean.low, row.mean.high) = (None, None);
        row.mean.reason = Some("one topic: no interval".to_owned());
    }
    findings
}

#[test]
fn s5_a_chart_of_points_shows_the_whole_scale_and_names_no_interval_that_it_lacks() {
    let page = html(&on_one_topic());
    let title = "<title id=\"chart-";
    let charts: Vec<&str> = page.split(title).collect();
    let chart = charts
        .iter()
        .find(|it| it.contains("Points by model as debaters in knockouts</title>"))
        .and_then(|it| it.split("</figcaption>").next())
        .expect("a chart");
    has_all(
        chart,
        &[
            ">1</text>",
            ">5</text>",
            "without intervals (one topic)",
            "Values without intervals (one topic).",
        ],
    );
    lacks(chart, &["95% intervals"]);
    // Of the others some have intervals.
    has(&page, "with 95% intervals");
}

#[test]
fn s5_a_value_without_an_interval_may_not_be_anything() {
    let mut findings = sample::rich(300);
    for row in &mut findings.alone {
        (row.preferred.low, row.preferred.high) = (None, None);
    }
    for row in &mut findings.judges.rows {
        (row.leniency.low, row.leniency.high) = (None, None);
    }
    let whole = html(&sample::rich(300)).matches("may be zero").count();
    assert!(html(&findings).matches("may be zero").count() < whole);
}

#[test]
fn s5_a_ranking_of_one_is_no_ranking() {
    let mut findings = sample::rich(300);
    findings.leaderboards.strengths.clear();
    findings.leaderboards.points[0].rows.truncate(1);
    let page = html(&findings);
    has(&page, "No leaderboard: ");
    lacks(&page, &["points per debater, whatever the topics"]);
}

#[test]
fn s5_what_was_not_checked_stands_in_one_sentence() {
    let mut findings = sample::rich(300);
    for (check, subject) in
        findings.design.iter_mut().zip(["Seats and turns", "Positions and personas"])
    {
        check.holds = None;
        check.sentence = format!(
            "{subject}: not checked in 1 pair of models, because another check is not met."
        );
    }
    let page = html(&findings);
    has(
        &page,
        "<li>Seats and turns; positions and personas: not checked in 1 pair of models, because another check is not met.</li>",
    );
    assert_eq!(page.matches("because another check is not met").count(), 1);
}

#[test]
fn s5_without_rows_a_figure_says_why_and_points_to_no_table() {
    let mut findings = sample::rich(300);
    let board = &mut findings.leaderboards.strengths[0];
    board.rows.clear();
    board.comparisons = 0;
    board.matches.clear();
    board.distances.clear();
    let page = html(&findings);
    has(
        &page,
        "<p class=\"empty\">No two different models met in a debate that can be compared.</p>",
    );
    lacks(&page, &["Nothing to draw"]);
}
