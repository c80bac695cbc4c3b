//! Row C5: people read finished debates on label sheets, blind, and their labels come into the debates.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, SystemTime};

use mock_ollama::{Answer, Call, Card, MockOllama};
use regex::Regex;
use serde_json::{Value, json};

use crate::harness::{self, Ended, Place, has, lacks, list, read, shows, trace_in};

const JOB: &str = "\
format: duel
topic: Should Zephyrine and Quillon vote, asks canary-one?
allow_explicit: true
rounds: 2
a: {name: Zephyrine, model: 'canary-one:8b'}
b: {name: Quillon, model: canary-two}
judges: [{model: canary-judge}]
clerk: {model: canary-judge}
repeat: REPEAT
";

/// Names that no sheet may show.
const HIDDEN: [&str; 6] =
    ["zephyrine", "quillon", "canary-one", "canary-two", "canary-judge", "agent_a"];

fn speaks(call: &Call) -> Option<Answer> {
    let says = |text: &str| Some(Answer::text(text));
    match call.model() {
        _ if call.schema().is_some() => None,
        "canary-one:8b" => {
            says("I am Zephyrine, a canary-one:8b. Voting makes parliaments <b>listen</b>.")
        }
        "canary-two" => says("ZEPHYRINE forgets that whoever is forced resents it, says Quillon."),
        _ => None,
    }
}

/// A place with so many finished duels.
fn debated(debates: usize) -> Place {
    let models = ["canary-one:8b", "canary-two", "canary-judge"];
    let server = MockOllama::builder().models(models.map(Card::new)).start();
    let place = Place::with(server);
    place.reply_by(speaks);
    place.write("job.yaml", &JOB.replace("REPEAT", &debates.to_string()));
    place.run_exits(0, &["job.yaml"]);
    place
}

/// The key of the only sheet.
fn sheet(place: &Place) -> Value {
    let [key] = &list(&place.path().join("output/.rebut/labels/sheets"))[..] else {
        panic!("one sheet")
    };
    serde_json::from_str(&read(key)).expect("a key")
}

/// What the page saves where a rater says the same of all.
fn saved(sheet: &Value, rater: &str, value: &str) -> Value {
    let items = sheet["items"].as_array().expect("items");
    let answers = (1..=items.len())
        .map(|n| json!({"item": n, "value": value, "seconds": 30, "at": "2026-11-23T10:00:00Z"}));
    json!({"labels_version": 1, "sheet": sheet["id"], "rater": rater, "answers": answers.collect::<Vec<_>>()})
}

/// The labels of people in every debate's trace.
fn labels(place: &Place) -> Vec<Value> {
    let traces = place.debates().into_iter().map(|dir| trace_in(&dir));
    let labels = traces.flat_map(|trace| trace["labels"].as_array().expect("labels").clone());
    labels.filter(|label| label["name"] == "winner").collect()
}

fn import(place: &Place, answers: &Value) -> Ended {
    place.write("labels-1.json", &answers.to_string());
    place.rebut_exits(0, &["label", "import", "labels-1.json"])
}

#[test]
fn c5_a_sheet_shows_debates_whole_and_no_name_of_anybody() {
    let place = debated(3);
    let ended = place.rebut_exits(0, &["label", "export", "-o", "ballot.html"]);
    assert!(
        ended.stdout.starts_with("wrote ballot.html: 3 debates, 1 of them twice"),
        "{}",
        ended.stdout
    );
    let page = read(&place.path().join("ballot.html"));
    // For `tests/report/look.sh`.
    let looked_at = Path::new(env!("CARGO_TARGET_TMPDIR")).join("pages");
    fs::create_dir_all(&looked_at).expect("a directory");
    fs::write(looked_at.join("ballot.html"), &page).expect("a page");
    for name in HIDDEN {
        let found = Regex::new(&format!("(?i)\\b{name}")).expect("a pattern");
        assert!(!found.is_match(&page), "{name}");
    }
    for debate in place.debates() {
        let id = trace_in(&debate)["id"].as_str().expect("an id").to_owned();
        assert!(!page.contains(&id[..12]), "a debate's id");
    }
    assert_eq!(page.matches("<article").count(), 4);
    assert_eq!(page.matches("forgets that whoever is forced").count(), 4);
    assert!(page.contains("Voting makes parliaments &lt;b&gt;listen"), "what models write is text");
    let policy = "default-src 'none'; style-src 'sha256-";
    assert!(page.contains(policy) && page.contains("script-src 'sha256-"));
    let loads = Regex::new("(src|href)=|url\\(|@import").expect("a pattern");
    assert!(!loads.is_match(&page), "it loads nothing");
}

#[test]
fn c5_answers_become_labels_once_and_the_outcome_stays() {
    let place = debated(3);
    let before: Vec<Value> =
        place.debates().into_iter().map(|dir| trace_in(&dir)["outcome"].clone()).collect();
    place.rebut_exits(0, &["label", "export", "--sample", "2", "--seed", "7"]);
    let again = place.rebut_exits(2, &["label", "export"]);
    has(&again.stderr, "error: ballot.html exists\nhint: name another file with -o, or ");
    let sheet = sheet(&place);
    assert_eq!(sheet["items"].as_array().map(Vec::len), Some(3), "two, one of them twice");
    let answers = saved(&sheet, "r-1", "first");
    let ended = import(&place, &answers);
    assert_eq!(ended.stdout, "3 labels added, 0 already present\n");
    let given = labels(&place);
    for label in &given {
        let first = if label["order"] == "pq" { "agent_a" } else { "agent_b" };
        assert_eq!(label["value"], first);
        shows!(label["sampling"], {"method": "random", "seed": 7, "probability": 2.0 / 3.0, "frame/debates": 3, "frame/options": ""});
        // When it was read, and when it was added.
        assert_eq!(label["at"], "2026-11-23T10:00:00.000Z");
        assert!(label["imported_at"].is_string(), "{label}");
        assert_eq!([&label["rater"], &label["source"]], ["r-1", "labels-1.json"]);
        assert_eq!([&label["blind"], &label["seconds"]], [&json!(true), &json!(30)]);
    }
    let twice: Vec<&Value> = given.iter().filter(|label| label["repeat"] == 2).collect();
    assert_eq!(twice.len(), 1);
    let outcomes = place.debates().into_iter().map(|dir| trace_in(&dir)["outcome"].clone());
    assert_eq!(outcomes.collect::<Vec<_>>(), before);

    let whole: Vec<String> =
        place.debates().iter().map(|dir| read(&dir.join("trace.json"))).collect();
    let ended = import(&place, &answers);
    assert_eq!(ended.stdout, "0 labels added, 3 already present\n");
    let again: Vec<String> =
        place.debates().iter().map(|dir| read(&dir.join("trace.json"))).collect();
    assert_eq!(whole, again);

    let debate = sheet["items"][0]["debate"].as_str().expect("an id");
    place.rebut_exits(0, &["rate", debate, "8"]);
    place.rebut_exits(0, &["render", debate]);
    assert_eq!(labels(&place), given);
    let shown = place.rebut_exits(0, &["show", debate]);
    assert!(shown.stdout.contains("1 person read it without names: "), "{}", shown.stdout);
}

#[test]
fn c5_a_table_is_imported_and_a_later_answer_takes_the_place_of_an_earlier_one() {
    let place = debated(1);
    place.rebut_exits(0, &["label", "export"]);
    let id = sheet(&place)["id"].as_str().expect("an id").to_owned();
    let rows =
        |rows: &str| format!("sheet,item,rater,value,seconds,at\n{}", rows.replace("ID", &id));
    place.write("a.csv", &rows("ID,1,r-1,tie,9,2026-11-23T10:00:00Z\nID,1,r-2,both_bad,,\n"));
    place.write("b.csv", &rows("ID,1,r-1,cannot_say,9,2026-11-23T11:00:00Z\n"));
    let told =
        |files: &[&str]| place.rebut_exits(0, &[&["label", "import"], files].concat()).stdout;
    assert_eq!(told(&["a.csv"]), "2 labels added, 0 already present\n");
    assert_eq!(
        told(&["b.csv"]),
        "1 label added, 0 already present\n1 of them replace earlier ones\n"
    );
    // The first word said again last stays, whatever comes in afterwards.
    place.write("again.csv", &rows("ID,1,r-1,cannot_say,9,2026-11-23T13:00:00Z\n"));
    place.write("between.csv", &rows("ID,1,r-1,tie,9,2026-11-23T12:00:00Z\n"));
    assert_eq!(told(&["again.csv"]), "0 labels added, 1 already present\n");
    assert_eq!(told(&["between.csv"]), "0 labels added, 1 already present\n");
    // The same files in any order change nothing any more.
    assert_eq!(told(&["b.csv", "a.csv"]), "0 labels added, 3 already present\n");
    let values: Vec<Value> = labels(&place).iter().map(|it| it["value"].clone()).collect();
    assert_eq!(values, ["cannot_say", "both_bad"]);
}

#[test]
fn c5_a_file_without_times_is_as_old_as_its_last_change() {
    let place = debated(1);
    place.rebut_exits(0, &["label", "export"]);
    let id = sheet(&place)["id"].as_str().expect("an id").to_owned();
    for (seconds, name, value) in [(1_000, "n1.csv", "first"), (2_000, "n2.csv", "second")] {
        let rows = format!("sheet,item,rater,value\n{id},1,fred,tie\n{id},1,fred,{value}\n");
        let file = fs::File::options().write(true).open(place.write(name, &rows));
        let changed = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
        file.expect("a file").set_modified(changed).expect("a time");
    }
    let told = |file: &str| place.rebut_exits(0, &["label", "import", file]).stdout;
    let value = || labels(&place)[0]["value"].clone();
    assert!(told("n1.csv").starts_with("2 labels added"));
    let first = value();
    assert!(told("n2.csv").starts_with("2 labels added"));
    let second = value();
    assert_ne!(first, second);
    assert_eq!(told("n1.csv"), "0 labels added, 2 already present\n");
    assert_eq!((told("n2.csv").as_str(), value()), ("0 labels added, 2 already present\n", second));
}

#[test]
fn c5_what_cannot_be_imported_is_refused_with_a_word() {
    let place = debated(1);
    place.rebut_exits(0, &["label", "export"]);
    let sheet = sheet(&place);
    let mut other = saved(&sheet, "r-1", "tie");
    other["sheet"] = json!("0123456789abcdef");
    let mut beyond = saved(&sheet, "r-1", "tie");
    beyond["answers"][0]["item"] = json!(9);
    for (answers, says) in [
        (other.to_string(), "output has no key for the label sheet 0123456789abcdef"),
        (beyond.to_string(), "has no item 9"),
        ("[{\"sheet\": 1}]".to_owned(), "there is no column `sheet`"),
        ("sheet,item,value\n".to_owned(), "there is no column `rater`"),
        (saved(&sheet, "../x", "tie").to_string(), "is not a valid code"),
        (saved(&sheet, "r-1", "left").to_string(), "unknown variant `left`"),
    ] {
        place.write("answers", &answers);
        let ended = place.rebut_exits(2, &["label", "import", "answers"]);
        assert!(ended.stderr.contains(says), "{}", ended.stderr);
    }
    assert_eq!(labels(&place), Vec::<Value>::new());
}

#[test]
fn c5_labels_on_a_record_that_has_changed_are_dropped_and_that_is_told() {
    let place = debated(1);
    place.rebut_exits(0, &["label", "export"]);
    let sheet = sheet(&place);
    import(&place, &saved(&sheet, "r-1", "first"));
    let given = labels(&place);
    assert_eq!(given.len(), 1);
    // The directory is lost: it is rebuilt from the journal, labels and all.
    fs::remove_dir_all(&place.debates()[0]).expect("a directory");
    place.run_exits(0, &["job.yaml"]);
    assert_eq!(labels(&place), given);
    // Another course of it.
    place.reply_by(|call| match call.model() {
        "canary-one:8b" if call.schema().is_none() => {
            Some(Answer::text("Something else altogether, and at some length."))
        }
        _ => speaks(call),
    });
    place.run_exits(0, &["job.yaml", "--restart"]);
    assert_eq!(labels(&place), Vec::<Value>::new());
    let trace = place.trace();
    let told = harness::incidents(&trace, "stale_labels");
    assert!(told[0]["message"].as_str().is_some_and(|it| it.contains("dropped 1 label by people")));
    place.write("late.json", &saved(&sheet, "r-2", "first").to_string());
    let ended = place.rebut_exits(1, &["label", "import", "late.json"]);
    assert!(
        ended.stderr.contains("1 label skipped: their debates have changed"),
        "{}",
        ended.stderr
    );
}

#[test]
fn c5_statistics_tell_of_people_and_take_their_verdicts_where_wanted() {
    let place = debated(3);
    place.rebut_exits(0, &["label", "export", "--sample", "2"]);
    import(&place, &saved(&sheet(&place), "r-1", "tie"));
    let found = place.rebut_exits(0, &["stats", "--format", "json"]).stdout;
    let found: Value = serde_json::from_str(&found).expect("findings");
    assert_eq!(found["labels"]["raters"], 1);
    assert_eq!(found["labels"]["drawn"], 2);
    assert_eq!(found["labels"]["judges"][0]["verdicts"], "own");
    assert_eq!(found["labels"]["corrected"][0]["people"]["value"], 0.5);
    let corrected = found["labels"]["corrected"][0]["corrected"].to_string();
    assert!(corrected.contains("fewer than 50 debates"), "{corrected}");
    has(&found["headlines"], "People and the debates' own judges agree on ");
    has(&found["headlines"], " of 2 debates on 1 topic.");
    let text = place.rebut_exits(0, &["stats", "--full"]).stdout;
    let words: Vec<&str> = text.split_whitespace().collect();
    assert!(words.join(" ").contains("judges and people"), "{text}");
    let human = place.rebut_exits(0, &["stats", "--format", "json", "--verdicts", "human"]);
    assert!(
        human.stderr.contains("excluded: 1 debate without a verdict of people"),
        "{}",
        human.stderr
    );
    let found: Value = serde_json::from_str(&human.stdout).expect("findings");
    assert_eq!(found["provenance"]["verdicts"], "human");
    assert_eq!(found["counts"]["counted"], 2);
    has(&found["cautions"], "Verdicts are people's, on only 2 debates");
    has(&found["cautions"], "Verdicts are those of one person");
    lacks(&found["cautions"], &["not drawn at random"]);
    lacks(&text, &["Verdicts are"]);
}

#[test]
fn c5_tables_tell_how_many_people_read_how_many_debates() {
    let place = debated(3);
    place.rebut_exits(0, &["label", "export", "--sample", "2"]);
    let sheet = sheet(&place);
    for rater in ["r-1", "r-2"] {
        import(&place, &saved(&sheet, rater, "tie"));
    }
    let report = place.rebut_exits(0, &["stats", "--format", "md"]).stdout;
    has(&report, "| 2 people with each other |");
    let row = report.lines().find(|line| line.starts_with("| own judges | canary-two |"));
    let cells: Vec<&str> = row.expect("a row").split(" | ").collect();
    assert_eq!(cells[6], "2", "read, though nothing is corrected: {row:?}");
}

#[test]
fn c5_labels_and_open_sheets_go_along_with_a_merge() {
    let place = debated(1);
    place.rebut_exits(0, &["label", "export"]);
    let sheet = sheet(&place);
    import(&place, &saved(&sheet, "r-1", "first"));
    place.rebut_exits(0, &["merge", "output", "-o", "all"]);
    place.write("late.json", &saved(&sheet, "r-2", "tie").to_string());
    let late = place.rebut_exits(0, &["label", "import", "late.json", "-o", "all"]);
    assert_eq!(late.stdout, "1 label added, 0 already present\n");
    let kept = place.path().join("all/.rebut/labels");
    let debate = sheet["items"][0]["debate"].as_str().expect("an id");
    let kept: Value =
        serde_json::from_str(&read(&kept.join(format!("{debate}.json")))).expect("labels");
    assert_eq!(kept.as_array().map(Vec::len), Some(2));
}

#[test]
fn c5_what_cannot_be_read_is_told_by_its_path_and_stays() {
    let place = debated(1);
    place.rebut_exits(0, &["label", "export"]);
    let sheet = sheet(&place);
    import(&place, &saved(&sheet, "r-1", "first"));
    let kept = place.path().join("output/.rebut/labels");
    let debate = sheet["items"][0]["debate"].as_str().expect("an id");
    let key = sheet["id"].as_str().expect("an id");
    for file in [format!("{debate}.json"), format!("sheets/{key}.json")] {
        let file = kept.join(file);
        let whole = read(&file);
        fs::write(&file, "[{").expect("a damaged file");
        place.write("labels-2.json", &saved(&sheet, "r-2", "first").to_string());
        let ended = place.rebut(&["label", "import", "labels-2.json"]);
        assert_ne!(ended.code, 0, "{}", ended.said());
        let name = file.file_name().and_then(|it| it.to_str());
        assert!(ended.stderr.contains(name.expect("a name")), "{}", ended.stderr);
        assert_eq!(read(&file), "[{");
        fs::write(&file, whole).expect("a file");
    }
    assert_eq!(labels(&place).len(), 1);
}

#[test]
fn c5_what_a_kill_left_of_a_sheet_is_none() {
    let place = debated(1);
    votes(&place, "1\nq\n", &[]);
    let sheets = place.path().join("output/.rebut/labels/sheets");
    let [key] = &list(&sheets)[..] else { panic!("one sheet") };
    let left = sheets.join(format!("{}.1.new", harness::name_of(key)));
    fs::write(&left, "{").expect("a file");
    assert!(votes(&place, "", &[]).starts_with("0 labels added"));
    place.rebut_exits(0, &["merge", "output", "-o", "all"]);
    let merged = list(&place.path().join("all/.rebut/labels/sheets"));
    assert_eq!(merged.len(), 1, "{merged:?}");
    place.run_exits(0, &["job.yaml"]);
    assert!(!left.exists(), "it is swept");
}

/// `rebut label vote` with what is typed.
pub(crate) fn votes(place: &Place, typed: &str, more: &[&str]) -> String {
    let mut command = place.command(&[&["label", "vote"], more].concat());
    command.stdin(Stdio::piped());
    let mut child = command.spawn().expect("the binary starts");
    let mut stdin = child.stdin.take().expect("stdin");
    stdin.write_all(typed.as_bytes()).expect("it is read");
    drop(stdin);
    let ended = harness::ended(&child.wait_with_output().expect("it ends"));
    ended.exits(0).stdout
}

#[test]
fn c5_voting_in_a_terminal_is_blind_and_goes_on_where_it_ended() {
    let place = debated(2);
    let shown = votes(&place, "7\n1\nq\n", &[]);
    for name in HIDDEN {
        assert!(!shown.to_lowercase().contains(name), "{name} in\n{shown}");
    }
    assert!(shown.contains("━━ 1 of 3: ") && shown.contains("━━ 2 of 3: "), "{shown}");
    assert!(shown.ends_with("1 label added\n"), "{shown}");
    let shown = votes(&place, "0\n2\n", &[]);
    assert!(!shown.contains("━━ 1 of 3: "), "{shown}");
    assert!(shown.ends_with("2 labels added\n"), "{shown}");
    assert!(votes(&place, "", &[]).starts_with("0 labels added"));
    let other = votes(&place, "", &["--rater", "r-9"]);
    assert!(other.contains("━━ 1 of 3: "), "{other}");
    assert_eq!(labels(&place).len(), 3);
}

/// Another debate finishes while someone is voting: a new sample would be another sheet.
#[test]
fn c5_a_vote_goes_on_with_its_sheet_though_debates_have_finished_since() {
    let place = debated(4);
    let shown = votes(&place, "1\nq\n", &["--sample", "3"]);
    assert!(shown.contains("━━ 1 of 4: "), "{shown}");
    let begun = sheet(&place)["id"].clone();
    place.write("job.yaml", &JOB.replace("REPEAT", "6"));
    place.run_exits(0, &["job.yaml"]);
    let shown = votes(&place, "2\n0\n1\n", &["--sample", "3"]);
    assert!(!shown.contains("━━ 1 of 4: ") && shown.contains("━━ 4 of 4: "), "{shown}");
    let given = labels(&place);
    assert_eq!(given.len(), 4);
    for label in &given {
        shows!(label, {"sheet": begun, "sampling/frame/debates": 4, "sampling/probability": 0.75});
    }
    // It is done; the next one is drawn from all.
    votes(&place, "1\nq\n", &["--sample", "3"]);
    let sizes =
        labels(&place).into_iter().map(|label| label["sampling"]["frame"]["debates"].clone());
    assert_eq!(sizes.filter(|size| *size == 6).count(), 1);
    // Another size is another sheet.
    let other = votes(&place, "q\n", &["--sample", "2"]);
    assert!(other.contains("━━ 1 of 3: "), "{other}");
}

#[test]
fn c5_a_retried_debate_is_not_shown_on_a_sheet_that_goes_on() {
    let place = debated(3);
    votes(&place, "1\nq\n", &[]);
    let items = sheet(&place)["items"].as_array().expect("items").clone();
    let second = items[1]["debate"].as_str().expect("an id").to_owned();
    place.reply_by(|call| match call.schema() {
        None => Some(Answer::text("Another speech about voting, which nobody has read so far.")),
        Some(_) => None,
    });
    place.run_exits(0, &["job.yaml", "--restart", "--only", &second[..12]]);
    let shown = votes(&place, "1\n1\n1\n", &[]);
    assert!(!shown.contains("━━ 2 of 4: "), "{shown}");
    assert!(shown.contains("━━ 4 of 4: "), "{shown}");
}

#[test]
fn c5_debates_can_be_chosen_and_others_than_drawn_ones_have_no_probability() {
    let place = debated(2);
    let id = trace_in(&place.debates()[0])["id"].as_str().expect("an id").to_owned();
    place.rebut_exits(0, &["label", "export", "--chosen", &id[..6]]);
    let sheet = sheet(&place);
    assert_eq!(sheet["items"].as_array().map(Vec::len), Some(1));
    assert_eq!(sheet["sampling"]["method"], "chosen");
    assert_eq!(sheet["sampling"]["probability"], Value::Null);
    let ended = place.rebut_exits(2, &["label", "export", "-o", "other.html", "--disputed", "3"]);
    assert!(ended.stderr.contains("no debate to label"), "{}", ended.stderr);
    let all = place.rebut_exits(0, &["label", "export", "-o", "other.html", "--sample", "9"]);
    has(&all.stdout, "\nthese are all that people can label; 9 were asked for\n");
    let ended = place.rebut_exits(2, &["label", "export", "-o", "other.html", "--chosen", "zzzz"]);
    assert!(ended.stderr.contains("no debate `zzzz` to label"), "{}", ended.stderr);
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[test]
fn c5_an_import_killed_at_any_operation_is_done_by_the_same_command() {
    let place = debated(1);
    place.rebut_exits(0, &["label", "export"]);
    let sheet = sheet(&place);
    place.write("labels-1.json", &saved(&sheet, "r-1", "second").to_string());
    let output = place.path().join("output");
    let begun = place.path().join("begun");
    harness::copy(&output, &begun);
    let args = ["label", "import", "labels-1.json"];
    place.injected(&args, "").exits(0);
    let expected = without_import(&place);
    let kept = list(&output.join(".rebut/labels"));
    let kills = place.kills();
    assert!(kills.len() > 30, "{kills:?}");
    for act in kills.into_iter().step_by(4) {
        fs::remove_dir_all(&output).expect("a directory");
        harness::copy(&begun, &output);
        let ended = place.injected(&args, &act);
        assert_eq!(ended.code, -1, "{act}: {}", ended.said());
        place.rebut_exits(0, &args);
        assert_eq!(without_import(&place), expected, "{act}");
        assert_eq!(list(&output.join(".rebut/labels")), kept, "{act}");
    }
}

/// The labels without the time at which they were added, which is that of the command.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn without_import(place: &Place) -> Vec<Value> {
    let mut all = labels(place);
    for label in &mut all {
        let label = label.as_object_mut().expect("a label");
        assert!(label.remove("imported_at").is_some_and(|it| it.is_string()));
    }
    all
}
