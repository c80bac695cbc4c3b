//! Rows L1, L2 and L5: debates as pages, which load nothing, hold what was said, lead only where something is, and let no text
//! act.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use rebut::digest;
use serde_json::Value;
use tempfile::TempDir;

use crate::formats::FORMATS;
use crate::harness::rehearsed::rehearsed;
use crate::harness::{Place, TINY_JOB, each, has_all, lacks, name_of, read, trace_in};
use crate::html::{Part, all, content_of, parts, text};

/// What a page may be made of.
const ELEMENTS: &str = "html head meta title style script body a header main footer nav section article h1 h2 h3 h4 p ul ol li div \
    details summary figure figcaption span strong em del br pre code blockquote bdi time kbd table caption thead tbody tr th td \
    svg desc rect line circle path text input label output data sup dl dt dd";

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
        assert!(ELEMENTS.split_whitespace().any(|e| e == name), "{name} in {at}");
        for (attribute, value) in attributes {
            let acts = attribute.starts_with("on")
                || ["src", "style", "xlink:href", "action"].contains(&attribute.as_str());
            assert!(!acts, "{name} {attribute}={value} in {at}");
            assert!(attribute != "id" || ids.insert(value.clone()), "{value} twice in {at}");
        }
    }
    for link in all(&parts, "a") {
        check_link(path, link["href"].as_str(), link.get("rel").map(String::as_str), &ids);
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
    let path = href.split('#').next().unwrap_or_default();
    let target = page.parent().expect("a directory").join(decoded(path));
    assert!(is_relative && target.is_file(), "{href} in {at}");
}

/// Checks that the policy allows the page's own style and script, by their digests, and nothing else.
pub(crate) fn check_policy(parts: &[Part]) {
    let is_policy = |meta: &&_| -> bool {
        let meta: &std::collections::BTreeMap<String, String> = meta;
        meta.get("http-equiv").is_some_and(|name| name == "Content-Security-Policy")
    };
    let policy = all(parts, "meta").into_iter().find(is_policy).expect("a policy");
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

/// Where `tests/report/look.sh` finds pages to look at.
fn to_look_at() -> PathBuf {
    let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("pages");
    fs::create_dir_all(&dir).expect("a directory");
    dir
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
    let at = parts.iter().position(is_it).unwrap_or_else(|| panic!("no {id}"));
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
        let page = dir.join("debate.html");
        fs::copy(&page, to_look_at().join(format!("{format}.html"))).expect("a copy");
        let parts = check_page(&page);
        let trace = trace_in(&dir);
        check_statements(&parts, &trace);
        check_reasons(&parts, &trace);
        let shown = text(&parts);
        assert!(says(&shown, trace["outcome"]["line"].as_str().expect("a line")));
        assert!(shown.contains("No model was asked: every reply is from"), "{format}");
        for point in trace["flow"]["points"].as_array().expect("points") {
            let id = format!("p-{}", point["id"].as_str().expect("an id"));
            assert!(!text_of(&parts, &id).is_empty());
        }
        let own = match *format {
            "knockout" => "Who stood when",
            "roundtable" => "Where they stood",
            "dialectic" => "Each point of the skeptic",
            _ => "(weight 0.",
        };
        // The reasons of a team's votes stand with the rounds.
        let is_verdict = |part: &Part| matches!(part, Part::Open(_, own) if own.get("id").is_some_and(|own| own == "verdict"));
        let judged = ["dialectic", "duel", "moderated"].contains(format);
        assert_eq!(parts.iter().any(is_verdict), judged, "{format}");
        assert!(shown.contains(own), "{format}: {own}");
    });
}

fn check_statements(parts: &[Part], trace: &Value) {
    let shown = text(parts);
    for statement in trace["statements"].as_array().expect("statements") {
        let n = statement["n"].as_u64().expect("a number");
        let article = text_of(parts, &format!("m{n:03}"));
        let is_above = article.contains("The text is above, under ");
        let said = statement["text"].as_str().expect("a text");
        // What stands above has no announcement of it.
        let (place, said) = match said.rsplit("\n\n").next().filter(|_| is_above) {
            Some(last) => (&shown, last),
            None => (&article, said),
        };
        assert!(says(place, said), "{n}: {article}");
        let model = statement["model"].as_str().unwrap_or_default();
        assert!(article.contains(model), "{model}: {article}");
        let again = statement["attempt"].as_u64().unwrap_or(1) > 1;
        let is_told = article.contains("retried") || article.contains("first reply discarded: ");
        assert_eq!(is_told, again, "{article}");
    }
}

/// Every ballot's reason stands below the round that it judged, and every reason of a verdict on the page.
fn check_reasons(parts: &[Part], trace: &Value) {
    for ballot in trace["ballots"].as_array().expect("ballots") {
        let round = text_of(parts, &format!("round-{}", ballot["round"]));
        assert!(says(&round, ballot["reading"]["reason"].as_str().expect("a reason")));
    }
    let shown = text(parts);
    let verdicts = trace["verdicts"].as_array().expect("verdicts");
    let judges = verdicts.iter().flat_map(|v| v["judges"].as_array().expect("judges"));
    for judge in judges {
        let reading = &judge["readings"][0];
        let reasons =
            reading["reasons"].as_object().into_iter().flatten().map(|(_, reason)| &reason["text"]);
        for reason in reasons.chain([&reading["reason"]]) {
            assert!(says(&shown, reason.as_str().unwrap_or_default()), "{reason}");
        }
    }
}

#[test]
fn l1_a_knockout_is_told_by_its_strip_and_a_dot_per_ballot() {
    let place = TempDir::new().expect("a directory");
    let dir = rehearsed("tests/capable/knockout.yaml", place.path()).dir;
    let page = read(&dir.join("debate.html"));
    let parts = parts(&page);
    let trace = trace_in(&dir);
    let ballots = trace["ballots"].as_array().expect("ballots");
    assert_eq!(page.matches("<circle class=\"judge side-2").count(), ballots.len());
    // Votes decide, whatever the scores.
    let against = ballots.iter().filter(|ballot| ballot["continue"] == false).count();
    assert_eq!(page.matches("<circle class=\"judge side-2 against\"").count(), against);
    assert!(against > 0 && page.contains(" replace ✕</text>"));
    let strip: Vec<&String> = all(&parts, "a").into_iter().map(|a| &a["href"]).collect();
    let at = |href: &str| strip.iter().position(|own| *own == href).expect("a node");
    assert!(at("#round-1") < at("#round-1-votes") && at("#round-1-votes") < at("#round-2"));
    assert!(text_of(&parts, "seats").contains("debates, voted out"));
    assert!(page.contains(">✕ Shopkeeper out</a>"));
}

/// What stands below a statement that interrupts another has the moderator's reason and leads to the answer.
#[test]
fn l1_an_interruption_has_its_reason_and_its_answer() {
    let place = TempDir::new().expect("a directory");
    let dir = rehearsed("tests/capable/moderated.yaml", place.path()).dir;
    let parts = parts(&read(&dir.join("debate.html")));
    let trace = trace_in(&dir);
    let all = trace["interjections"].as_array().expect("interjections");
    let of_rules = all.iter().filter(|i| i["cause"] == "rule");
    assert!(of_rules.clone().count() > 0, "{all:?}");
    for i in of_rules {
        let n = i["statement"].as_u64().expect("a number");
        let article = text_of(&parts, &format!("m{n:03}"));
        let reason = i["reading"]["reason"].as_str().expect("a reason");
        assert!(says(&article, reason), "{article}");
        assert!(article.contains(&format!(" in {:03}", n + 1)), "{article}");
    }
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
    let kept = read(&kept);
    let mut lines = kept.lines().zip(found.lines());
    let differs = lines.find(|(kept, found)| kept != found);
    let how = "SNAPSHOTS=overwrite rewrites tests/capable/duel/debate.html";
    assert_eq!(differs, None, "{how}");
    assert_eq!(kept.len(), found.len(), "{how}");
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
    place.reply([("*/statement/position_x", mock_ollama::Answer::status(400, "no"))]);
    let job = format!("{TINY_JOB}on_failure: abort\n");
    place.write("jobs/job.yaml", &job);
    place.rebut_exits(1, &["run", "--retry-delay", "1ms", "jobs"]);
    let debate = place.debates().remove(0);
    let parts = check_page(&debate.join("debate.html"));
    let (shown, trace) = (text(&parts), trace_in(&debate));
    let cause = trace["cause"].as_str().expect("a cause");
    let cause = cause.replace(" (round-1/statement/position_x)", " in round 1");
    assert!(shown.contains(&format!("Failed. {cause}")), "{shown}");
    assert!(shown.contains("None: the debate did not reach its end."), "{shown}");
}

/// A folder of pages below `dir`.
fn html_below(dir: &Path) -> Vec<PathBuf> {
    let all = walkdir::WalkDir::new(dir)
        .sort_by_file_name()
        .into_iter()
        .map(|entry| entry.expect("an entry").into_path());
    all.filter(|path| path.extension().is_some_and(|ending| ending == "html")).collect()
}

/// Checks every page of a published folder: it acts nowhere, and its links stay in the folder. Returns how many there are.
pub(crate) fn check_site(site: &Path) -> usize {
    let whole = site.canonicalize().expect("a folder");
    let pages = html_below(site);
    for page in &pages {
        let parts = check_page(page);
        for link in all(&parts, "a") {
            let href = link["href"].split('#').next().unwrap_or_default();
            if href.is_empty() || href.contains("://") {
                continue;
            }
            let target = page
                .parent()
                .expect("a directory")
                .join(decoded(href))
                .canonicalize()
                .expect("a target");
            assert!(target.starts_with(&whole), "{href} in {} leaves it", page.display());
        }
    }
    pages.len()
}

/// An address as a path.
fn decoded(href: &str) -> String {
    percent_encoding::percent_decode_str(href).decode_utf8_lossy().into_owned()
}

/// A place with a rehearsed debate of every format, published to `site`.
fn published() -> Place {
    let place = Place::new();
    for format in FORMATS {
        place.write(&format!("jobs/{}.yaml", format.name), format.tiny);
    }
    place.run_exits(0, &["--rehearse", "jobs"]);
    publish(&place, &["--include-rehearsals"], 0);
    place
}

fn publish(place: &Place, args: &[&str], code: i32) -> String {
    let ended = place.rebut_exits(code, &[&["publish", "output", "--to", "site"], args].concat());
    format!("{}{}", ended.stdout, ended.stderr)
}

#[test]
fn l2_every_link_of_a_published_folder_leads_to_a_file_in_it() {
    let place = published();
    let site = place.path().join("site");
    let debates = place.debates();
    assert_eq!(check_site(&site), debates.len() + 2, "the list and the report");
    let list = site.join("index.html");
    fs::copy(&list, to_look_at().join("list.html")).expect("a copy");
    let list = parts(&read(&list));
    let links: Vec<String> = all(&list, "a").into_iter().map(|a| a["href"].clone()).collect();
    for debate in &debates {
        let (day, name) = (name_of(debate.parent().expect("a day")), name_of(debate));
        let href = format!("./{day}/{name}/debate.html");
        assert!(links.contains(&href), "{href}: {links:?}");
        assert!(read(&site.join("report.html")).contains(&href));
        // Prompts stay where they are, and so does everything else.
        let beside = fs::read_dir(site.join(day).join(name)).expect("a directory");
        assert_eq!(beside.count(), 1);
    }
    let shown = text(&list);
    assert!(shown.contains(&format!("{} debates, newest first. The report", debates.len())));
    let middle = read(&html_below(&site)[1]);
    assert!(middle.contains("rel=\"prev\"") && middle.contains("rel=\"next\""));
}

#[test]
fn l2_the_same_command_again_writes_what_changed_and_removes_what_is_gone() {
    let place = published();
    let site = place.path().join("site");
    let again = publish(&place, &["--include-rehearsals"], 0);
    assert!(again.contains("published 5 debates (2 files written)"), "{again}");
    let gone = place.debates().remove(2);
    let page = site.join(name_of(gone.parent().expect("a day"))).join(name_of(&gone));
    assert!(page.is_dir());
    fs::remove_dir_all(&gone).expect("removed");
    let again = publish(&place, &[], 0);
    assert!(again.contains("published 4 debates (3 files written, 2 removed)"), "{again}");
    assert!(again.contains("no report: there are only rehearsals"), "{again}");
    let list = read(&place.path().join("site/index.html"));
    assert!(list.contains("There is no report: all are rehearsals"), "{list}");
    assert!(!page.exists() && !site.join("report.html").exists());
    assert_eq!(check_site(&site), 5);
}

#[test]
fn l2_prompts_are_published_only_where_they_are_asked_for() {
    let place = published();
    let site = place.path().join("site");
    let asked = |page: &PathBuf| read(page).contains("── system");
    assert!(!html_below(&site).iter().any(asked));
    publish(&place, &["--with-calls"], 0);
    assert_eq!(check_site(&site), 11, "two per debate and the list");
    let calls = html_below(&site).into_iter().filter(|page| page.ends_with("calls.html"));
    for page in calls {
        let debate = page.parent().map(name_of).expect("a name");
        let told = place.rebut_exits(0, &["show", &debate, "calls"]).stdout;
        let calls: Vec<&str> = told.lines().collect();
        let parts = parts(&read(&page));
        let shown = text(&parts);
        assert_eq!(all(&parts, "details").len(), calls.len());
        let is_shown = |call: &&str| shown.contains(&format!("── {call} attempt 1"));
        assert!(calls.iter().all(is_shown), "{debate}");
        assert!(asked(&page) && !shown.contains("NOT STORED"));
    }
    let again = publish(&place, &[], 0);
    assert!(again.contains("6 files written, 5 removed"), "{again}");
    assert_eq!(check_site(&site), 6);
}

#[test]
fn l2_what_the_job_gave_is_on_a_debates_page_and_published_only_with_the_calls() {
    let place = Place::new();
    let fact = "The pump was built in 1911.";
    let duel = FORMATS.iter().find(|format| format.name == "duel").expect("a duel");
    place.write("job.yaml", &format!("{}background: {{facts: [{fact}]}}\n", duel.tiny));
    place.run_exits(0, &["--rehearse", "job.yaml"]);
    let told = text(&parts(&read(&place.debates()[0].join("debate.html"))));
    has_all(&told, &["Given by the job", fact]);
    let site = place.path().join("site");
    publish(&place, &[], 0);
    for page in html_below(&site) {
        lacks(&read(&page), &[fact, "Given by the job"]);
    }
    publish(&place, &["--with-calls"], 0);
    let is_told = |page: &PathBuf| read(page).contains("Given by the job");
    assert!(html_below(&site).iter().any(is_told));
}

#[test]
fn l2_a_debate_that_cannot_be_read_is_named_and_nothing_leads_to_it() {
    let place = published();
    let broken = place.debates().remove(1);
    fs::write(broken.join("trace.json"), "{}").expect("a file");
    let told = publish(&place, &["--include-rehearsals"], 1);
    assert!(told.contains("published 4 debates") && told.contains(&name_of(&broken)), "{told}");
    assert_eq!(check_site(&place.path().join("site")), 6);
}

#[cfg(unix)]
#[test]
fn l2_a_name_that_would_lead_out_of_the_folder_is_refused() {
    let place = published();
    let debate = place.debates().remove(0);
    let named = debate.with_file_name(r"..\..\..\led-out");
    fs::rename(&debate, &named).expect("renamed");
    let told = publish(&place, &["--include-rehearsals"], 1);
    assert!(
        told.contains("published 4 debates") && told.contains("this path cannot be published"),
        "{told}"
    );
    let beside = [".", "..", "site/.."].map(|at| place.path().join(at).join("led-out"));
    assert!(beside.iter().all(|path| !path.exists()));
    assert_eq!(check_site(&place.path().join("site")), 6);
}

#[test]
fn l2_a_debate_that_cannot_be_rendered_stops_no_other() {
    let place = published();
    let topic = trace_in(&place.debates()[1])["topic"].clone();
    let own = read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("templates/pages/debate.html.j2"));
    let broken =
        format!("{own}{{% if topic == {topic} %}}{{{{ no_such_function() }}}}{{% endif %}}");
    place.write("own/pages/debate.html.j2", &broken);
    let topics = place.debates();
    let hit = topics.iter().filter(|dir| trace_in(dir)["topic"] == topic);
    let left = topics.len() - hit.count();
    let told = publish(&place, &["--templates", "own"], 1);
    assert!(told.contains(&format!("published {left} debate")), "{told}");
    assert!(told.contains("no_such_function") && !told.contains("free space"), "{told}");
}

#[test]
fn l2_calls_that_cannot_be_read_or_are_not_kept_are_told() {
    let place = published();
    let prompts = place.path().join("output/.rebut/prompts");
    let kept: Vec<PathBuf> = fs::read_dir(&prompts)
        .expect("prompts")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    fs::write(&kept[0], "torn").expect("a file");
    fs::remove_file(&kept[1]).expect("removed");
    for _ in 0..2 {
        let told = publish(&place, &["--with-calls"], 1);
        assert!(
            told.contains("1 debate without calls") && told.contains(&name_of(&kept[0])),
            "{told}"
        );
    }
    let pages = html_below(&place.path().join("site"));
    let calls = pages.iter().filter(|page| page.ends_with("calls.html"));
    let says_so = calls.filter(|page| read(page).contains("The calls are unreadable."));
    assert_eq!(says_so.count(), 1);
    // Nothing tells where the files are.
    let whole = place.path().to_string_lossy().into_owned();
    assert!(!pages.iter().any(|page| read(page).contains(&whole)));
}

#[test]
fn l2_the_report_tells_no_path_of_the_machine() {
    let place = published();
    let to = place.path().join("elsewhere-42");
    let args = ["publish", "output", "--include-rehearsals", "--to"];
    place.rebut_exits(0, &[&args[..], &[&to.to_string_lossy()]].concat());
    let report = read(&to.join("report.html"));
    assert!(report.contains("rebut publish") && report.contains("done, rehearsal"));
    lacks(&report, &["elsewhere-42"]);
}

#[test]
fn l2_a_folder_of_somebody_else_is_refused_and_left_alone() {
    let place = published();
    place.write("home/letter.txt", "Dear");
    for (to, args) in [("home", &[][..]), ("output", &[])] {
        let args = [&["publish", "output", "--to", to], args].concat();
        let told = place.rebut_exits(2, &args).stderr;
        assert!(told.contains("is not empty and was not written by `rebut publish`"), "{told}");
    }
    assert_eq!(read(&place.path().join("home/letter.txt")), "Dear");
    assert_eq!(fs::read_dir(place.path().join("home")).expect("it").count(), 1);
    // A list that names what is not in the folder removes nothing.
    let list = place.path().join("site/.rebut-pages.json");
    let named =
        "{\"rebut_pages\": 1, \"files\": {\"../home/letter.txt\": \"\", \"/etc/hostname\": \"\"}}";
    fs::write(&list, named).expect("a file");
    publish(&place, &[], 0);
    assert_eq!(read(&place.path().join("home/letter.txt")), "Dear");
    // Nor are pages of other debates replaced unasked.
    let days: BTreeSet<PathBuf> =
        place.debates().iter().filter_map(|dir| dir.parent()).map(Path::to_path_buf).collect();
    for (day, n) in days.iter().zip(1..) {
        fs::rename(day, day.with_file_name(format!("2020-01-0{n}"))).expect("renamed");
    }
    let told = publish(&place, &[], 2);
    assert!(told.contains("it has pages of other debates only"), "{told}");
    assert!(told.contains("or add --replace"), "{told}");
    assert!(publish(&place, &["--replace"], 0).contains(" removed)"));
    fs::write(&list, "{\"rebut_pages\": 99, \"files\": {}}").expect("a file");
    assert!(publish(&place, &[], 2).contains("another version of rebut"));
}

#[cfg(unix)]
#[test]
fn l2_no_link_is_followed_out_of_a_folder_or_a_debate() {
    use std::os::unix::fs::symlink;
    let place = published();
    let (site, outside) = (place.path().join("site"), place.path().join("outside"));
    fs::create_dir(&outside).expect("a directory");
    symlink(&outside, place.path().join("linked")).expect("a link");
    let to_link = place.rebut_exits(2, &["publish", "output", "--to", "linked"]);
    assert!(to_link.stderr.contains("it is a link"), "{}", to_link.stderr);
    let debate = place.debates().remove(0);
    let day = name_of(debate.parent().expect("a day"));
    fs::remove_dir_all(site.join(&day)).expect("removed");
    symlink(&outside, site.join(&day)).expect("a link");
    assert!(publish(&place, &[], 2).contains("it is a link"));
    assert_eq!(fs::read_dir(&outside).expect("it").count(), 0);
    fs::remove_file(site.join(&day)).expect("removed");
    // A trace behind a link is none of the output directory's.
    let trace = debate.join("trace.json");
    fs::rename(&trace, outside.join("trace.json")).expect("moved");
    symlink(outside.join("trace.json"), &trace).expect("a link");
    assert!(publish(&place, &[], 1).contains("published 4 debates"));
}
