//! Row S5: debates as tables and as examples to train on, read back as other tools read them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use mock_ollama::{Answer, Call};
use serde_json::{Value, json};

use crate::controls;
use crate::formats::FORMATS;
use crate::harness::found::columns;
use crate::harness::{
    Ended, Kind, Place, TINY_JOB, copy, end_of, good, has, json_lines, kind, list, name_of, read,
    shows, trace_in, well,
};

const TABLES: [&str; 5] = ["debates", "statements", "ballots", "calls", "flow"];

/// What hostile models say: separators, quotes, line ends, a formula, what acts on a terminal.
const HOSTILE: &str =
    "=1+1, \"quoted\",\r\nnext;\tline\u{0}\u{1b}[31m\u{2028}é \u{1f600} <b>](x) \\ ',\"\"";

fn export(place: &Place, args: &[&str]) -> Ended {
    place.rebut(&[&["export"], args].concat())
}

fn exported(place: &Place, args: &[&str]) -> String {
    export(place, args).exits(0).stdout
}

fn file(place: &Place, name: &str) -> String {
    read(&place.path().join("export").join(name))
}

/// Header and records of a table.
fn csv(place: &Place, table: &str) -> (Vec<String>, Vec<Vec<String>>) {
    let text = file(place, &format!("{table}.csv"));
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_bytes());
    let owned = |record: csv::StringRecord| record.iter().map(str::to_owned).collect();
    let mut records = reader.records().map(|r| owned(r.expect("a record")));
    (records.next().expect("a header"), records.collect())
}

fn jsonl(place: &Place, name: &str) -> Vec<Value> {
    let text = file(place, &format!("{name}.jsonl"));
    assert!(text.is_empty() || text.ends_with('\n'));
    json_lines(&text)
}

/// A cell as CSV should have it.
fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// A place with the shortest debate of every format, of a script.
fn all_formats(script: impl Fn(&Call) -> Answer + Send + Sync + 'static) -> Place {
    let place = Place::new();
    place.server.script(script);
    for format in FORMATS {
        let job = format!("{}tags: {{kind: 'a, \"b\"'}}\n", format.tiny);
        place.write(&format!("jobs/{}.yaml", format.name), &job);
    }
    let ended = place.run(&["jobs"]);
    assert!(ended.code < 2, "{}", ended.said());
    place
}

fn traces(place: &Place) -> Vec<Value> {
    let debates = place.debates();
    debates.iter().map(|debate| trace_in(debate)).collect()
}

fn items<'t>(trace: &'t Value, key: &str) -> &'t Vec<Value> {
    trace[key].as_array().expect("a list")
}

/// The first of some that has this there.
fn one<'a>(all: &'a [Value], key: &str, wanted: &str) -> &'a Value {
    let found = all.iter().find(|item| item[key] == wanted);
    found.unwrap_or_else(|| panic!("no {key} {wanted}"))
}

/// The cells of a column.
fn column<'r>(header: &[String], records: &'r [Vec<String>], name: &str) -> Vec<&'r str> {
    let at = header.iter().position(|known| known == name).expect("a column");
    records.iter().map(|record| record[at].as_str()).collect()
}

#[test]
fn s5_every_format_gives_rows_and_jsonl_has_the_cells_of_csv() {
    let place = all_formats(good);
    let said = exported(&place, &["--to", "csv"]) + &exported(&place, &["--to", "jsonl"]);
    for table in TABLES {
        let (header, records) = csv(&place, table);
        let objects = jsonl(&place, table);
        assert_eq!(records.len(), objects.len(), "{table}");
        for (record, object) in records.iter().zip(&objects) {
            let fields = object.as_object().expect("an object");
            assert!(fields.keys().eq(&header), "{table}: {object}");
            assert!(!fields.values().any(|value| value == ""), "{object}");
            let cells: Vec<String> = fields.values().map(cell).collect();
            assert_eq!(record, &cells, "{table}");
        }
        for ending in ["csv", "jsonl"] {
            let line = format!("wrote export/{table}.{ending}: {} rows\n", records.len());
            has(&said, &line);
        }
        let formats: BTreeSet<&str> = objects.iter().filter_map(|o| o["format"].as_str()).collect();
        assert_eq!(formats.len(), 5, "{table}: {formats:?}");
    }
}

#[test]
fn s5_rows_are_what_the_traces_have() {
    let place = all_formats(good);
    exported(&place, &["--to", "jsonl"]);
    let traces = traces(&place);
    let own = |key: &str, paths: &str| -> Value {
        let all = traces.iter().flat_map(|trace| items(trace, key)).cloned();
        columns(&all.collect(), paths)
    };
    for (table, paths, own) in [
        ("debates", "debate outcome", columns(&json!(traces), "id outcome/line")),
        ("statements", "n speaker text call tokens", own("statements", "n by text call tokens")),
        (
            "calls",
            "call attempt participant outcome reply_tokens prompt_ms",
            own("calls", "call attempt by outcome reply_tokens prompt_ms"),
        ),
    ] {
        assert_eq!(columns(&json!(jsonl(&place, table)), paths), own);
    }
    let debates = jsonl(&place, "debates");
    let knockout = one(&debates, "format", "knockout");
    shows!(knockout, {"tags": {"kind": "a, \"b\""}, "status": "done", "rounds": 1});
    let path = knockout["path"].as_str().expect("a path");
    let path = place.path().join("output").join(path);
    assert!(path.join("trace.json").is_file(), "{}", path.display());
    let persona = |row: &&Value| row["contestant"] == true && row["position"].is_string();
    assert!(jsonl(&place, "statements").iter().any(|row| persona(&row)));
}

#[test]
fn s5_a_call_for_an_answer_to_a_question_is_not_named_a_judgment() {
    let place = controls::place(1, "arms: [single, self_consistency]\n");
    place.run_exits(0, &["job.yaml"]);
    exported(&place, &["--to", "jsonl"]);
    let calls = jsonl(&place, "calls");
    let of = |purpose: &str| -> BTreeSet<&str> {
        let its = calls.iter().filter(|call| call["purpose"] == purpose);
        let names = its.map(|call| call["call"].as_str().expect("a name"));
        names.filter_map(|name| name.split('/').nth(1)).collect()
    };
    assert_eq!(of("answer"), ["final-answer", "sample"].into());
    assert!(!of("judge").contains("final-answer") && of("judge").contains("verdict"));
}

#[test]
fn s5_every_judgment_is_a_row_for_each_contestant() {
    let place = all_formats(good);
    exported(&place, &["--to", "jsonl"]);
    let rows = jsonl(&place, "ballots");
    let traces = traces(&place);
    let all = |key: &str| traces.iter().map(|trace| items(trace, key).len()).sum();
    let verdicts = traces.iter().flat_map(|trace| items(trace, "verdicts"));
    let judges = verdicts.flat_map(|verdict| items(verdict, "judges"));
    let readings = judges.flat_map(|judge| items(judge, "readings"));
    let verdicts: usize = readings.map(|reading| items(reading, "order").len()).sum();
    for (kind, wanted) in [
        ("ballot", all("ballots")),
        ("fact_check", all("fact_checks")),
        ("stance", all("stances")),
        ("verdict", verdicts),
    ] {
        let count = rows.iter().filter(|row| row["kind"] == kind).count();
        assert!(count > 0 && count == wanted, "{count} {kind}, not {wanted}");
    }
    let duel = rows.iter().filter(|row| row["format"] == "duel");
    for (i, row) in duel.enumerate() {
        let place = i % 2;
        assert_eq!(row["place"], json!(place + 1));
        assert_eq!(row["about"], row["reading_order"][place]);
        let scores = row["scores"].as_object().expect("scores");
        assert!(scores.len() > 1, "{row}");
        assert!(scores.keys().all(|name| !name.contains('.')), "{row}");
        assert!(row["reason"].is_string(), "{row}");
        assert!(row["turns"].is_array(), "{row}");
        let total = row["total"].as_f64().expect("a total");
        let of_scores = scores.values().filter_map(Value::as_f64);
        let (least, most) = of_scores.fold((10.0_f64, 0.0_f64), |(a, b), s| (a.min(s), b.max(s)));
        assert!((least..=most).contains(&total), "{row}");
    }
    let ballot = one(&rows, "kind", "ballot");
    shows!(ballot, {"keep": true, "total": 4.0, "scores/clarity": 4.0});
}

#[test]
fn s5_a_breach_of_a_rule_is_a_row_and_so_is_a_judgment_that_cannot_be_used() {
    let breach = json!({"because": "It shouts all the time.", "breach": true, "rule": 1});
    let place = Place::replying([
        ("*/check/*", Answer::json(&breach)),
        ("*/verdict*", Answer::text("I would rather not say.")),
    ]);
    let moderated = FORMATS.iter().find(|f| f.name == "moderated").expect("it");
    place.trace_of(&format!("{}rules: [Do not shout.]\n", moderated.tiny), &[]);
    exported(&place, &["--to", "jsonl"]);
    let rows = jsonl(&place, "ballots");
    let rule = one(&rows, "kind", "rule");
    assert_eq!(rule["reason"], "It shouts all the time.");
    assert!(rule["rule"].is_string() && rule["statement"].is_u64() && rule["round"].is_u64());
    let verdict = one(&rows, "kind", "verdict");
    shows!(verdict, {"status": "invalid", "total": null, "scores": {}});
    assert!(verdict["cause"].is_string(), "{verdict}");
}

#[test]
fn s5_hostile_texts_come_back_as_they_were_said() {
    let place = Place::new();
    place.server.script(|call| well(call, &|_| HOSTILE.to_owned()));
    let trace = place.trace_of(TINY_JOB, &[]);
    exported(&place, &["--to", "csv"]);
    exported(&place, &["--to", "jsonl"]);
    let said: Vec<&str> =
        items(&trace, "statements").iter().filter_map(|s| s["text"].as_str()).collect();
    let has_both = |text: &&str| text.contains('"') && text.contains("=1+1,");
    assert!(said.iter().any(has_both), "{said:?}");
    let acts = |text: &&str| text.contains(['\u{0}', '\u{2028}']);
    assert!(said.iter().any(acts), "{said:?}");
    let (header, records) = csv(&place, "statements");
    assert_eq!(column(&header, &records, "text"), said);
    let lines = file(&place, "statements.csv");
    assert!(lines.starts_with("debate,format,") && lines.contains("\r\n"));
    let acts = |c: char| c == '\u{2028}' || (c.is_control() && c != '\n');
    assert!(!file(&place, "statements.jsonl").contains(acts));
}

#[test]
fn s5_the_reference_describes_every_column() {
    let place = Place::new();
    place.write("output/.rebut/readme.txt", "");
    exported(&place, &["--to", "csv"]);
    let readme =
        read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/src/reference/export-columns.md"));
    let described = |heading: &str| -> Vec<String> {
        let after = readme.split(heading).nth(1).unwrap_or_default();
        let rows = after.lines().skip(2).take_while(|line| line.starts_with("| `"));
        let name = |row: &str| row.split('`').nth(1).map(str::to_owned);
        rows.filter_map(name).collect()
    };
    let common = described("| column of all tables | what it is |");
    for table in TABLES {
        let own = described(&format!("| column of `{table}` | what it is |"));
        let columns = [common.clone(), own].concat();
        assert_eq!(csv(&place, table).0, columns, "{table}");
    }
}

/// A dialectic whose three judges say whether it makes a good example to train on.
fn judged(query: &str) -> String {
    format!(
        "format: dialectic\nquery: {query}\nmin_rounds: 1\nmax_rounds: 1\nretrieval: null\nallow_explicit: true\njudges: [{{name: Ada}}, {{name: Ben}}, {{name: Cy}}]\n"
    )
}

/// Two of three judges say yes but where the query speaks of trams; boats get a low score.
fn two_of_three(call: &Call) -> Answer {
    let text = call.text();
    let synthesis = text.contains("you write its final answer");
    if synthesis && text.contains("trains") {
        return Answer::status(400, "no");
    }
    if synthesis && text.contains("ferries") {
        let most = call.option("num_predict").and_then(Value::as_u64);
        return Answer::text(
            "Answer: yes.\nReasoning: it helps.\nConfidence: low.\nOpen points: none. It helps",
        )
        .done_reason("length")
        .tokens(100, most.expect("a limit"));
    }
    let Some(schema) = call.schema().filter(|_| kind(call) == Kind::Verdict) else {
        return good(call);
    };
    let mut reply = crate::harness::modest(schema);
    if text.contains("boats") {
        let scores = reply["scores"].as_object_mut().expect("scores");
        scores.values_mut().for_each(|score| *score = json!(6));
    }
    let yes = if text.contains("trams") {
        text.contains("You are Ada")
    } else {
        !text.contains("You are Ada")
    };
    reply["would_benefit_from_finetune"] = json!(yes);
    Answer::json(&reply)
}

#[test]
fn s5_examples_to_train_on_are_what_most_judges_hold_worth_it() {
    let place = Place::new();
    place.server.script(two_of_three);
    for subject in ["buses", "trams", "trains", "ferries", "boats"] {
        let query = format!("Should {subject} be free for everyone?");
        place.write(&format!("jobs/{subject}.yaml"), &judged(&query));
    }
    place.write("jobs/other.yaml", TINY_JOB);
    place.run_exits(1, &["jobs"]);
    let said = exported(&place, &["--to", "finetune"]);
    assert_eq!(
        said,
        "wrote export/finetune.jsonl: 1 row\n1 debate excluded: not dialectic\n1 debate excluded: degraded or failed\n\
         1 debate excluded: not judged worth it\n1 debate excluded: with a score and rating below 7\n1 debate excluded: with an unfinished final answer\n"
    );
    let traces = traces(&place);
    let trace = one(&traces, "job", "buses");
    let last = items(trace, "statements").last().expect("a final answer");
    shows!(jsonl(&place, "finetune")[0], {
        "messages count": 3, "messages/0/role": "system", "messages/1/role": "user", "messages/2/role": "assistant",
        "messages/1/content": "Should buses be free for everyone?", "messages/2/content": last["text"],
        "metadata/debate": trace["id"], "metadata/score": 7.0,
    });
}

#[test]
fn s5_damaged_traces_are_named_and_the_rest_is_exported() {
    let place = Place::new();
    place.trace_of(TINY_JOB, &[]);
    for (name, version) in [("torn", "\"1.0\", "), ("later", "\"2.0\"}")] {
        let text = format!("{{\"schema_version\": {version}");
        place.write(&format!("output/2026-01-01/{name}/trace.json"), &text);
    }
    for form in ["csv", "jsonl", "finetune"] {
        shows!(export(&place, &["--to", form]).exits(0), {"stderr contains": [
            "torn/trace.json: incomplete: it ends at line 1",
            "its schema version is 2.0",
            "later/trace.json: a newer rebut wrote it",
            "2 files could not be read; `rebut show FILE` says what to do",
        ]});
    }
    assert_eq!(csv(&place, "debates").1.len(), 1);
}

#[test]
fn s5_where_no_debates_are_no_table_is_written() {
    let place = Place::new();
    place.trace_of(TINY_JOB, &[]);
    export(&place, &["--to", "csv"]).exits(0);
    let before = csv(&place, "debates");
    fs::create_dir(place.path().join("empty")).expect("a directory");
    let refused = "error: empty is not an output directory\nhint: give the directory that `rebut run` wrote to";
    for args in [&["export", "--to", "csv"][..], &["stats"], &["report"]] {
        let ended = place.rebut_exits(2, &[args, &["empty"]].concat());
        has(&ended.stderr, refused);
    }
    export(&place, &["--to", "csv", "--where", "job=nosuch"]).exits(2);
    assert_eq!(csv(&place, "debates"), before);
}

#[test]
fn s5_of_copies_of_a_debate_the_first_path_is_exported() {
    let place = Place::new();
    place.trace_of(TINY_JOB, &[]);
    let debate = place.debates().remove(0);
    // More than are read at a time, so that copies are known from one batch to the next.
    for n in 0..40 {
        copy(&debate, &place.path().join(format!("many/{n:02}")));
    }
    let ended = export(&place, &["--to", "jsonl", "many"]).exits(0);
    shows!(ended, {"stdout ends": "\n39 copies of debates excluded\n"});
    let debates = json!(jsonl(&place, "debates"));
    assert_eq!(columns(&debates, "path"), json!(["00"]));
    let ended = export(&place, &["--to", "csv", "output", "many/07"]).exits(0);
    shows!(ended, {"stdout ends": "\n1 copy of a debate excluded\n"});
}

#[test]
fn s5_an_empty_directory_gives_headers_and_one_that_is_missing_an_error() {
    let place = Place::new();
    shows!(export(&place, &["--to", "csv", "nowhere"]).exits(2), {
        "stderr contains": "error: nothing has been run there yet: nowhere does not exist\nhint: start with `rebut run JOB.yaml`, or",
    });
    assert!(!place.path().join("export").exists(), "nothing is begun");
    fs::create_dir_all(place.path().join("output/.rebut")).expect("a directory");
    let ended = export(&place, &["--to", "csv"]).exits(0);
    shows!(ended, {"stdout starts": "wrote export/debates.csv: 0 rows\n"});
    for table in TABLES {
        assert!(csv(&place, table).1.is_empty(), "{table}");
    }
    exported(&place, &["--to", "jsonl"]);
    assert_eq!(file(&place, "debates.jsonl"), "");
}

#[test]
fn s5_rehearsals_are_left_out_unless_asked_for() {
    let place = Place::new();
    place.trace_of(TINY_JOB, &["--rehearse"]);
    let ended = export(&place, &["--to", "csv"]).exits(0);
    let told = "1 rehearsal excluded; include them with --include-rehearsals\n";
    shows!(ended, {"stdout ends": told});
    assert!(csv(&place, "debates").1.is_empty());
    exported(&place, &["--to", "csv", "--include-rehearsals"]);
    assert_eq!(csv(&place, "debates").1.len(), 1);
}

#[test]
fn s5_only_whole_files_stand_under_their_names_and_leftovers_go() {
    let place = Place::new();
    place.trace_of(TINY_JOB, &[]);
    // No process has nine digits.
    let mine = "mine.csv.999999999.new";
    for name in ["debates.csv.999999999.new", mine, "debates.csv"] {
        place.write(&format!("export/{name}"), "of before");
    }
    exported(&place, &["--to", "csv"]);
    let there = || -> Vec<String> {
        let paths = list(&place.path().join("export"));
        paths.iter().map(|path| name_of(path)).collect()
    };
    let mut names = TABLES.map(|table| format!("{table}.csv")).to_vec();
    names.push(mine.to_owned());
    names.sort();
    assert_eq!(there(), names);
    assert_eq!(csv(&place, "debates").1.len(), 1);
    place.write("in-the-way", "");
    let ended = export(&place, &["--to", "csv", "-o", "in-the-way"]).exits(2);
    let hint = "hint: write to another directory with -o";
    has(&ended.stderr, hint);
    fs::remove_file(place.path().join("export/debates.csv")).expect("gone");
    fs::create_dir(place.path().join("export/debates.csv")).expect("a directory");
    assert_eq!(export(&place, &["--to", "csv"]).code, 2);
    assert_eq!(there(), names, "what was begun is taken away");
}

#[test]
fn s5_the_same_bytes_in_order_of_paths_at_any_number_of_threads() {
    let place = Place::new();
    let mut trace = place.trace_of(TINY_JOB, &[]);
    let debate = place.debates().remove(0);
    for n in 0..40 {
        let own = place.path().join(format!("many/day/{:02}", (n * 7) % 40));
        copy(&debate, &own);
        trace["id"] = json!(format!("{n:064}"));
        fs::write(own.join("trace.json"), trace.to_string()).expect("a file");
    }
    let with_threads = |n: &str| {
        let mut command = place.command(&["export", "--to", "csv", "many"]);
        end_of(command.env("RAYON_NUM_THREADS", n)).exits(0);
        TABLES.map(|table| file(&place, &format!("{table}.csv")))
    };
    let one = with_threads("1");
    assert!(one == with_threads("7"));
    let (header, records) = csv(&place, "debates");
    let expected: Vec<String> = (0..40).map(|n| format!("day/{n:02}")).collect();
    assert_eq!(column(&header, &records, "path"), expected);
}

#[test]
fn s5_the_calls_of_a_trace_add_up_to_what_it_used() {
    let first = std::sync::Mutex::new(BTreeSet::new());
    let place = all_formats(move |call| {
        let prompt = call.body["messages"].to_string();
        let fresh = first.lock().expect("a lock").insert(prompt);
        let speaks = kind(call) == Kind::Statement && !call.name().starts_with("end/compare");
        if fresh && speaks { Answer::text("") } else { good(call) }
    });
    for trace in traces(&place) {
        let mut sums: BTreeMap<(&str, &str), u64> = BTreeMap::new();
        let mut failures = 0;
        for call in items(&trace, "calls") {
            let purpose = call["purpose"].as_str().expect("a purpose");
            let answered = call["outcome"] == "reply";
            let keys = "prompt_tokens reply_tokens prompt_ms reply_ms load_ms".split(' ');
            for key in keys.filter(|_| answered) {
                *sums.entry((purpose, key)).or_default() += call[key].as_u64().unwrap_or(0);
            }
            if call["outcome"] == "empty_reply" {
                failures += 1;
                assert!(call["seed"].is_u64(), "{call}");
                assert!(
                    call["prompt_tokens"].is_u64() && call.get("reply_tokens").is_none(),
                    "{call}"
                );
            }
            let known = |p: &Value| p["id"] == call["by"];
            let by_known = items(&trace, "participants").iter().any(known);
            assert!(purpose == "embed" || by_known, "{call}");
        }
        let used = &trace["usage"]["by_purpose"];
        for ((purpose, key), sum) in sums {
            assert_eq!(used[purpose][key], json!(sum), "{purpose} {key}");
        }
        assert!(failures > 0 && trace["schema_version"] == "1.3");
        assert_eq!(used["speak"]["failures"], failures, "{}", trace["format"]);
    }
}

#[test]
fn s5_a_trace_of_before_has_no_calls_and_is_exported_all_the_same() {
    let place = Place::new();
    let mut trace = place.trace_of(TINY_JOB, &[]);
    trace["schema_version"] = json!("1.0");
    trace.as_object_mut().expect("a trace").remove("calls");
    fs::write(place.debates()[0].join("trace.json"), trace.to_string()).expect("a file");
    let said = exported(&place, &["--to", "csv"]);
    has(&said, "wrote export/calls.csv: 0 rows");
    assert_eq!(csv(&place, "debates").1.len(), 1);
}
