//! Rows L1, L2 and L5: debates as pages, which load nothing, hold what was said, lead only where something is, and let no text
//! act.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use rebut::digest;
use serde_json::Value;
use tempfile::TempDir;

use crate::formats::FORMATS;
use crate::harness::rehearsed::rehearsed;
use crate::harness::{Place, TINY_JOB, each, lacks, name_of, read, trace_in};
use crate::html::{Part, all, content_of, parts, text};

/// What a page may be made of.
const ELEMENTS: &str = "html head meta title style script body a header main footer nav section article h1 h2 h3 h4 p ul ol li div \
    details summary figure figcaption span strong em del br pre code blockquote bdi time kbd table caption thead tbody tr th td \
    svg desc rect line circle path text input label output";

/// The page of a debate, read strictly; it loads nothing and runs its own script only, and every link leads somewhere.
pub(crate) fn check_page(path: &Path) -> Vec<Part> {
    let (page, at) = (read(path), path.display());
    let parts = parts(&page);
    check_policy(&parts);
    let mut ids = BTreeSet::new();
    for part in &parts {
        let Part::Open(name, attributes) = part else {
            continue;
        };
        assert!(
            ELEMENTS.split_whitespace().any(|e| e == name),
            "{name} in {at}"
        );
        for (attribute, value) in attributes {
            let acts = attribute.starts_with("on")
                || ["src", "style", "xlink:href", "action"].contains(&attribute.as_str());
            assert!(!acts, "{name} {attribute}={value} in {at}");
            assert!(
                attribute != "id" || ids.insert(value.clone()),
                "{value} twice in {at}"
            );
        }
    }
    for link in all(&parts, "a") {
        check_link(
            path,
            link["href"].as_str(),
            link.get("rel").map(String::as_str),
            &ids,
        );
    }
    parts
}

/// Checks where a link leads: into the page, to a file that is there, or, seen by the reader, into the web.
fn check_link(page: &Path, href: &str, rel: Option<&str>, ids: &BTreeSet<String>) {
    let at = page.display();
    if let Some(id) = href.strip_prefix('#') {
        return assert!(ids.contains(id), "#{id} in {at}");
    }
    if href.starts_with("https://") || href.starts_with("http://") {
        return assert_eq!(rel, Some("noreferrer noopener nofollow"), "{href} in {at}");
    }
    let is_relative = !href.contains(':') && !href.starts_with('/');
    let target = page.parent().expect("a directory").join(href);
    assert!(is_relative && target.is_file(), "{href} in {at}");
}

/// Checks that the policy allows the page's own style and script, by their digests, and nothing else.
fn check_policy(parts: &[Part]) {
    let is_policy = |meta: &&_| -> bool {
        let meta: &std::collections::BTreeMap<String, String> = meta;
        meta.get("http-equiv")
            .is_some_and(|name| name == "Content-Security-Policy")
    };
    let policy = all(parts, "meta")
        .into_iter()
        .find(is_policy)
        .expect("a policy");
    let [style, script] = ["style", "script"].map(|name| content_of(parts, name));
    assert!(!style.contains("url(") && !style.contains("@import"));
    let digest = |text: &str| digest::base64_of_bytes(text.as_bytes());
    let runs = match script.as_str() {
        "" => String::new(),
        script => format!(" script-src 'sha256-{}';", digest(script)),
    };
    let style = digest(&style);
    let wanted = format!(
        "default-src 'none'; style-src 'sha256-{style}';{runs} base-uri 'none'; form-action 'none'"
    );
    assert_eq!(policy["content"], wanted);
}

/// The words of a text, without signs and numbers: those of lists are drawn by the browser.
fn words(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric());
    let said = words.filter(|word| word.contains(char::is_alphabetic));
    said.map(str::to_owned).collect()
}

/// The text of the element with an id.
fn text_of(parts: &[Part], id: &str) -> String {
    let is_it = |part: &Part| matches!(part, Part::Open(_, own) if own.get("id").is_some_and(|own| own == id));
    let at = parts
        .iter()
        .position(is_it)
        .unwrap_or_else(|| panic!("no {id}"));
    let mut depth = 0;
    let ends = |part: &Part| {
        match part {
            Part::Open(..) => depth += 1,
            Part::Close(_) => depth -= 1,
            Part::Text(_) => {}
        }
        depth == 0
    };
    let length = parts[at..].iter().position({
        let mut ends = ends;
        move |part| ends(part)
    });
    text(&parts[at..=at + length.expect("an end")])
}

/// Whether these words stand in a text one after the other.
fn says(text: &str, said: &str) -> bool {
    let (text, said) = (words(text), words(said));
    said.is_empty() || text.windows(said.len()).any(|part| part == said)
}

#[test]
fn l1_the_page_of_every_format_has_all_that_was_said_and_why_it_ended_so() {
    let formats: Vec<&str> = FORMATS.iter().map(|format| format.name).collect();
    each(&formats, |format| {
        let place = TempDir::new().expect("a directory");
        let dir = rehearsed(&format!("tests/capable/{format}.yaml"), place.path()).dir;
        // The lists are written by a batch.
        fs::write(dir.join("../index.md"), "").expect("a file");
        let parts = check_page(&dir.join("debate.html"));
        let trace = trace_in(&dir);
        check_statements(&parts, &trace);
        check_reasons(&parts, &trace);
        let shown = text(&parts);
        assert!(says(
            &shown,
            trace["outcome"]["line"].as_str().expect("a line")
        ));
        assert!(
            shown.contains("No model was asked: every reply is from"),
            "{format}"
        );
        for point in trace["flow"]["points"].as_array().expect("points") {
            let id = format!("p-{}", point["id"].as_str().expect("an id"));
            assert!(!text_of(&parts, &id).is_empty());
        }
        let own = match *format {
            "knockout" => "Who stood when",
            "roundtable" => "Where they stood",
            "dialectic" => "Each point of the skeptic",
            _ => "the weight in the total",
        };
        assert!(shown.contains(own), "{format}: {own}");
    });
}

fn check_statements(parts: &[Part], trace: &Value) {
    for statement in trace["statements"].as_array().expect("statements") {
        let n = statement["n"].as_u64().expect("a number");
        let article = text_of(parts, &format!("m{n:03}"));
        assert!(
            says(&article, statement["text"].as_str().expect("a text")),
            "{n}: {article}"
        );
        let model = statement["model"].as_str().unwrap_or_default();
        assert!(article.contains(model), "{model}: {article}");
        let again = statement["attempt"].as_u64().unwrap_or(1) > 1;
        assert_eq!(article.contains("retried"), again, "{article}");
    }
}

/// Every ballot's reason stands below the round that it judged, and every reason of a verdict on the page.
fn check_reasons(parts: &[Part], trace: &Value) {
    for ballot in trace["ballots"].as_array().expect("ballots") {
        let round = text_of(parts, &format!("round-{}", ballot["round"]));
        assert!(says(
            &round,
            ballot["reading"]["reason"].as_str().expect("a reason")
        ));
    }
    let shown = text(parts);
    let verdicts = trace["verdicts"].as_array().expect("verdicts");
    let judges = verdicts
        .iter()
        .flat_map(|v| v["judges"].as_array().expect("judges"));
    for judge in judges {
        let reading = &judge["readings"][0];
        let reasons = reading["reasons"].as_object().into_iter().flatten();
        let reasons = reasons.map(|(_, reason)| &reason["text"]);
        for reason in reasons.chain([&reading["reason"]]) {
            assert!(
                says(&shown, reason.as_str().unwrap_or_default()),
                "{reason}"
            );
        }
    }
}

#[test]
fn l1_a_knockout_is_told_by_its_strip_and_a_dot_per_ballot() {
    let place = TempDir::new().expect("a directory");
    let dir = rehearsed("tests/capable/knockout.yaml", place.path()).dir;
    let page = read(&dir.join("debate.html"));
    let parts = parts(&page);
    let ballots = trace_in(&dir)["ballots"].as_array().map_or(0, Vec::len);
    assert_eq!(
        page.matches("<circle class=\"judge side-2\"").count(),
        ballots
    );
    let strip: Vec<&String> = all(&parts, "a").into_iter().map(|a| &a["href"]).collect();
    let at = |href: &str| strip.iter().position(|own| *own == href).expect("a node");
    assert!(at("#round-1") < at("#round-1-votes") && at("#round-1-votes") < at("#round-2"));
    assert!(text_of(&parts, "seats").contains("debates, voted out"));
    assert!(page.contains(">✕ Shopkeeper out</a>"));
}

#[test]
fn l1_a_page_is_compared_with_what_it_was() {
    let place = TempDir::new().expect("a directory");
    let dir = rehearsed("tests/capable/duel.yaml", place.path()).dir;
    let page = read(&dir.join("debate.html"));
    let (head, rest) = page.split_once("<style>").expect("a style");
    let (_, body) = rest.split_once("</style>").expect("its end");
    let (body, foot) = body.split_once("<script>").expect("a script");
    let (_, foot) = foot.split_once("</script>").expect("its end");
    let policy = |line: &&str| !line.contains("Content-Security-Policy");
    let head: Vec<&str> = head.lines().filter(policy).collect();
    let found = format!("{}{body}{foot}", head.join("\n"));
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/capable/duel/debate.html");
    if std::env::var_os("SNAPSHOTS").is_some_and(|how| how == "overwrite") {
        fs::write(&kept, &found).expect("a file");
    }
    assert_eq!(
        read(&kept),
        found,
        "SNAPSHOTS=overwrite rewrites {}",
        kept.display()
    );
}

#[test]
fn l1_lists_lead_to_pages_where_there_are_any_and_render_makes_them_for_old_debates() {
    let place = Place::new();
    place.trace_of(TINY_JOB, &["--rehearse"]);
    let debate = place.debates().remove(0);
    let page = debate.join("debate.html");
    let day = debate.parent().expect("a day").join("index.md");
    let link = format!("[page]({}/debate.html)", name_of(&debate));
    let listed = || {
        place.rebut_exits(0, &["index"]);
        read(&day)
    };
    assert!(read(&debate.join("index.md")).contains("(debate.html)"));
    assert!(listed().contains(&link));
    let first = read(&page);
    fs::remove_file(&page).expect("a page");
    lacks(&listed(), &["debate.html"]);
    place.rebut_exits(0, &["render", &debate.to_string_lossy()]);
    assert_eq!(read(&page), first);
    assert!(listed().contains(&link));
}

#[test]
fn l1_a_page_says_first_that_a_debate_failed() {
    let place = Place::new();
    place.reply([(
        "*/statement/position_x",
        mock_ollama::Answer::status(400, "no"),
    )]);
    let job = format!("{TINY_JOB}on_failure: abort\n");
    place.write("jobs/job.yaml", &job);
    place.rebut_exits(1, &["run", "--retry-delay", "1ms", "jobs"]);
    let debate = place.debates().remove(0);
    let parts = check_page(&debate.join("debate.html"));
    let (shown, trace) = (text(&parts), trace_in(&debate));
    let cause = trace["cause"].as_str().expect("a cause");
    assert!(shown.contains(&format!("Failed. {cause}")), "{shown}");
    assert!(
        shown.contains("None: the debate did not reach its end."),
        "{shown}"
    );
}
