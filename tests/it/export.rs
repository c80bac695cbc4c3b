//! Row S5: debates as tables and as examples to train on, read back as other tools read them.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use mock_ollama::{Answer, Call};
use serde_json::{Value, json};

use crate::formats::FORMATS;
use crate::harness::{
    Ended, Kind, Place, TINY_JOB, copy, good, kind, list, name_of, read, shows, well,
};

const TABLES: [&str; 4] = ["debates", "statements", "ballots", "calls"];

/// What hostile models say: separators, quotes, line ends, a formula, what acts on a terminal.
const HOSTILE: &str =
    "=1+1, \"quoted\",\r\nnext;\tline\u{0}\u{1b}[31m\u{2028}é \u{1f600} <b>](x) \\ ',\"\"";

fn export(place: &Place, args: &[&str]) -> Ended {
    place.rebut(&[&["export"], args].concat())
}

fn exported(place: &Place, args: &[&str]) -> String {
    let ended = export(place, args);
    assert_eq!(ended.code, 0, "{}{}", ended.stdout, ended.stderr);
    ended.stdout
}

fn file(place: &Place, name: &str) -> String {
    read(&place.path().join("export").join(name))
}

/// Header and records of a table.
fn csv(place: &Place, table: &str) -> (Vec<String>, Vec<Vec<String>>) {
    let text = file(place, &format!("{table}.csv"));
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .from_reader(text.as_bytes());
    let owned = |record: csv::StringRecord| record.iter().map(str::to_owned).collect();
    let mut records = reader.records().map(|r| owned(r.expect("a record")));
    (records.next().expect("a header"), records.collect())
}

fn jsonl(place: &Place, name: &str) -> Vec<Value> {
    let text = file(place, &format!("{name}.jsonl"));
    assert!(text.is_empty() || text.ends_with('\n'));
    let value = |line| serde_json::from_str(line).expect("JSON");
    text.split_terminator('\n').map(value).collect()
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
    let names: Vec<String> = FORMATS.iter().map(|f| format!("{}.yaml", f.name)).collect();
    for (format, name) in FORMATS.iter().zip(&names) {
        let tags = "tags: {kind: 'a, \"b\"'}\n";
        place.write(name, &format!("{}{tags}", format.tiny));
    }
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let ended = place.run(&names);
    assert!(ended.code < 2, "{}{}", ended.stdout, ended.stderr);
    place
}

fn traces(place: &Place) -> Vec<Value> {
    let debates = place.debates();
    debates
        .iter()
        .map(|d| crate::harness::trace_in(d))
        .collect()
}

fn items<'t>(trace: &'t Value, key: &str) -> &'t Vec<Value> {
    trace[key].as_array().expect("a list")
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
            assert!(said.contains(&line), "{line}{said}");
        }
        let mut formats: Vec<&str> = objects
            .iter()
            .filter_map(|o| o["format"].as_str())
            .collect();
        formats.sort_unstable();
        formats.dedup();
        assert_eq!(formats.len(), 5, "{table}: {formats:?}");
    }
}

#[test]
fn s5_rows_are_what_the_traces_have() {
    let place = all_formats(good);
    exported(&place, &["--to", "jsonl"]);
    let traces = traces(&place);
    let all = |key: &str| -> Vec<&Value> { traces.iter().flat_map(|t| items(t, key)).collect() };
    let pick = |rows: &[Value], keys: &[&str]| -> Vec<Value> {
        let one = |row: &Value| keys.iter().map(|key| row[*key].clone()).collect();
        rows.iter().map(one).collect()
    };
    let own = |key: &str, keys: &[&str]| -> Vec<Value> {
        let one = |item: &&Value| keys.iter().map(|key| item[*key].clone()).collect();
        all(key).iter().map(one).collect()
    };
    let ids: Vec<Value> = traces
        .iter()
        .map(|t| json!([t["id"], t["outcome"]["line"]]))
        .collect();
    assert_eq!(pick(&jsonl(&place, "debates"), &["debate", "outcome"]), ids);
    assert_eq!(
        pick(
            &jsonl(&place, "statements"),
            &["n", "speaker", "text", "call", "tokens"]
        ),
        own("statements", &["n", "by", "text", "call", "tokens"])
    );
    assert_eq!(
        pick(
            &jsonl(&place, "calls"),
            &[
                "call",
                "attempt",
                "participant",
                "outcome",
                "reply_tokens",
                "prompt_ms"
            ]
        ),
        own(
            "calls",
            &[
                "call",
                "attempt",
                "by",
                "outcome",
                "reply_tokens",
                "prompt_ms"
            ]
        )
    );
    let debates = jsonl(&place, "debates");
    let knockout = debates
        .iter()
        .find(|d| d["format"] == "knockout")
        .expect("one");
    shows!(knockout, {"tags": {"kind": "a, \"b\""}, "status": "done"});
    assert_eq!(knockout["rounds"], 1);
    let path = place
        .path()
        .join("output")
        .join(knockout["path"].as_str().expect("a path"));
    assert!(path.join("trace.json").is_file(), "{}", path.display());
    let persona = |row: &&Value| row["contestant"] == true && row["position"].is_string();
    assert!(jsonl(&place, "statements").iter().any(|row| persona(&row)));
}

#[test]
fn s5_every_judgment_is_a_row_for_each_contestant() {
    let place = all_formats(good);
    exported(&place, &["--to", "jsonl"]);
    let rows = jsonl(&place, "ballots");
    let count = |kind: &str| rows.iter().filter(|row| row["kind"] == kind).count();
    let (mut ballots, mut checks, mut stances, mut verdicts) = (0, 0, 0, 0);
    for trace in traces(&place) {
        ballots += items(&trace, "ballots").len();
        checks += items(&trace, "fact_checks").len();
        stances += items(&trace, "stances").len();
        let judges = items(&trace, "verdicts")
            .iter()
            .flat_map(|v| items(v, "judges"));
        let readings = judges.flat_map(|judge| items(judge, "readings"));
        verdicts += readings.map(|r| items(r, "order").len()).sum::<usize>();
    }
    assert!([ballots, checks, stances, verdicts].iter().all(|n| *n > 0));
    assert_eq!(count("ballot"), ballots);
    assert_eq!(count("fact_check"), checks);
    assert_eq!(count("stance"), stances);
    assert_eq!(count("verdict"), verdicts);
    let duel: Vec<&Value> = rows.iter().filter(|row| row["format"] == "duel").collect();
    for (i, row) in duel.iter().enumerate() {
        let place = i % 2;
        assert_eq!(row["place"], json!(place + 1));
        assert_eq!(row["about"], row["reading_order"][place]);
        let scores = row["scores"].as_object().expect("scores");
        assert!(
            scores.len() > 1 && scores.keys().all(|name| !name.contains('.')),
            "{row}"
        );
        let total = row["total"].as_f64().expect("a total");
        let of_scores = scores.values().filter_map(Value::as_f64);
        let (least, most) = of_scores.fold((10.0_f64, 0.0_f64), |(a, b), s| (a.min(s), b.max(s)));
        assert!((least..=most).contains(&total), "{row}");
    }
    let ballot = rows
        .iter()
        .find(|row| row["kind"] == "ballot")
        .expect("a ballot");
    shows!(ballot, {"keep": true, "total": 4.0, "scores/clarity": 4.0});
}

#[test]
fn s5_a_breach_of_a_rule_is_a_row_and_so_is_a_judgment_that_cannot_be_used() {
    let place = Place::new();
    place.server.script(|call| match kind(call) {
        Kind::Check => {
            Answer::json(&json!({"because": "It shouts all the time.", "breach": true, "rule": 1}))
        }
        Kind::Verdict => Answer::text("I would rather not say."),
        _ => good(call),
    });
    let moderated = FORMATS.iter().find(|f| f.name == "moderated").expect("it");
    place.trace_of(&format!("{}rules: [Do not shout.]\n", moderated.tiny), &[]);
    exported(&place, &["--to", "jsonl"]);
    let rows = jsonl(&place, "ballots");
    let rule = rows
        .iter()
        .find(|row| row["kind"] == "rule")
        .expect("a rule");
    assert_eq!(rule["reason"], "It shouts all the time.");
    assert!(rule["rule"].is_string() && rule["statement"].is_u64() && rule["round"].is_u64());
    let verdict = rows
        .iter()
        .find(|row| row["kind"] == "verdict")
        .expect("a verdict");
    shows!(verdict, {"status": "invalid", "total": null});
    assert!(
        verdict["cause"].is_string() && verdict["scores"] == json!({}),
        "{verdict}"
    );
}

#[test]
fn s5_hostile_texts_come_back_as_they_were_said() {
    let place = Place::new();
    place
        .server
        .script(|call| well(call, &|_| HOSTILE.to_owned()));
    let trace = place.trace_of(TINY_JOB, &[]);
    exported(&place, &["--to", "csv"]);
    exported(&place, &["--to", "jsonl"]);
    let said: Vec<&str> = items(&trace, "statements")
        .iter()
        .filter_map(|s| s["text"].as_str())
        .collect();
    assert!(
        said.iter()
            .any(|text| text.contains('"') && text.contains("=1+1,")),
        "{said:?}"
    );
    assert!(
        said.iter().any(|text| text.contains(['\u{0}', '\u{2028}'])),
        "{said:?}"
    );
    let (header, records) = csv(&place, "statements");
    let at = header
        .iter()
        .position(|name| name == "text")
        .expect("a column");
    let read: Vec<&str> = records.iter().map(|record| record[at].as_str()).collect();
    assert_eq!(read, said);
    let lines = file(&place, "statements.csv");
    assert!(lines.starts_with("debate,format,") && lines.contains("\r\n"));
    let acts = |c: char| c == '\u{2028}' || (c.is_control() && c != '\n');
    assert!(!file(&place, "statements.jsonl").contains(acts));
}

#[test]
fn s5_the_reference_describes_every_column() {
    let place = Place::new();
    place.write("output/readme.txt", "");
    exported(&place, &["--to", "csv"]);
    let readme =
        read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/src/reference/export-columns.md"));
    let described = |heading: &str| -> Vec<String> {
        let after = readme.split(heading).nth(1).unwrap_or_default();
        let rows = after
            .lines()
            .skip(2)
            .take_while(|line| line.starts_with("| `"));
        let name = |row: &str| row.split('`').nth(1).map(str::to_owned);
        rows.filter_map(name).collect()
    };
    let common = described("| column of all tables | what it is |");
    for table in TABLES {
        let own = described(&format!("| column of `{table}` | what it is |"));
        assert_eq!(
            csv(&place, table).0,
            [common.clone(), own].concat(),
            "{table}"
        );
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
    let yes = match () {
        () if text.contains("trams") => text.contains("You are Ada"),
        () => !text.contains("You are Ada"),
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
        place.write(&format!("{subject}.yaml"), &judged(&query));
    }
    place.write("other.yaml", TINY_JOB);
    let jobs = [
        "buses.yaml",
        "trams.yaml",
        "trains.yaml",
        "ferries.yaml",
        "boats.yaml",
        "other.yaml",
    ];
    place.run_exits(1, &jobs);
    let said = exported(&place, &["--to", "finetune"]);
    assert_eq!(
        said,
        "wrote export/finetune.jsonl: 1 row\n1 debate excluded: not dialectic\n1 debate excluded: degraded or failed\n\
         1 debate excluded: not judged worth it\n1 debate excluded: with a score and rating below 7\n1 debate excluded: with a final answer that was cut\n"
    );
    let lines = jsonl(&place, "finetune");
    let traces = traces(&place);
    let trace = traces.iter().find(|t| t["job"] == "buses").expect("it");
    let messages = &lines[0]["messages"];
    let roles: Vec<&Value> = messages
        .as_array()
        .expect("messages")
        .iter()
        .map(|m| &m["role"])
        .collect();
    assert_eq!(roles, ["system", "user", "assistant"]);
    assert_eq!(messages[1]["content"], "Should buses be free for everyone?");
    let last = items(trace, "statements").last().expect("a final answer");
    assert_eq!(messages[2]["content"], last["text"]);
    let metadata = &lines[0]["metadata"];
    assert_eq!(metadata["debate"], trace["id"]);
    assert_eq!(metadata["score"], 7.0);
}

#[test]
fn s5_damaged_traces_are_named_and_the_rest_is_exported() {
    let place = Place::new();
    place.trace_of(TINY_JOB, &[]);
    place.write(
        "output/2026-01-01/torn/trace.json",
        "{\"schema_version\": \"1.0\", ",
    );
    place.write(
        "output/2026-01-01/later/trace.json",
        "{\"schema_version\": \"2.0\"}",
    );
    for form in ["csv", "jsonl", "finetune"] {
        let ended = export(&place, &["--to", form]);
        assert_eq!(ended.code, 0, "{}", ended.stderr);
        for words in [
            "torn/trace.json: it is no trace",
            "its schema version is 2.0",
            "2 files could not be read",
        ] {
            assert!(ended.stderr.contains(words), "{words}: {}", ended.stderr);
        }
    }
    assert_eq!(csv(&place, "debates").1.len(), 1);
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
    let said = exported(&place, &["--to", "jsonl", "many"]);
    assert!(
        said.ends_with("\n39 copies of debates excluded\n"),
        "{said}"
    );
    let debates = jsonl(&place, "debates");
    let paths: Vec<&Value> = debates.iter().map(|debate| &debate["path"]).collect();
    assert_eq!(paths, ["00"]);
    let said = exported(&place, &["--to", "csv", "output", "many/07"]);
    assert!(said.ends_with("\n1 copy of a debate excluded\n"), "{said}");
}

#[test]
fn s5_an_empty_directory_gives_headers_and_one_that_is_missing_an_error() {
    let place = Place::new();
    let ended = export(&place, &["--to", "csv", "nowhere"]);
    assert_eq!(ended.code, 2);
    shows!(ended, {"stderr contains": "error: nowhere is no directory\nhint: name the directory"});
    assert!(!place.path().join("export").exists(), "nothing is begun");
    fs::create_dir(place.path().join("output")).expect("a directory");
    let said = exported(&place, &["--to", "csv"]);
    assert!(
        said.starts_with("wrote export/debates.csv: 0 rows\n"),
        "{said}"
    );
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
    let said = exported(&place, &["--to", "csv"]);
    assert!(
        said.ends_with("1 rehearsal excluded; --include-rehearsals exports them\n"),
        "{said}"
    );
    assert!(csv(&place, "debates").1.is_empty());
    exported(&place, &["--to", "csv", "--include-rehearsals"]);
    assert_eq!(csv(&place, "debates").1.len(), 1);
}

#[test]
fn s5_only_whole_files_stand_under_their_names_and_leftovers_go() {
    let place = Place::new();
    place.trace_of(TINY_JOB, &[]);
    // No process has nine digits.
    for name in [
        "debates.csv.999999999.new",
        "mine.csv.999999999.new",
        "debates.csv",
    ] {
        place.write(&format!("export/{name}"), "of before");
    }
    exported(&place, &["--to", "csv"]);
    let there = || -> Vec<String> {
        let paths = list(&place.path().join("export"));
        paths.iter().map(|path| name_of(path)).collect()
    };
    let names = [
        "ballots.csv",
        "calls.csv",
        "debates.csv",
        "mine.csv.999999999.new",
        "statements.csv",
    ];
    assert_eq!(there(), names);
    assert_eq!(csv(&place, "debates").1.len(), 1);
    place.write("in-the-way", "");
    let ended = export(&place, &["--to", "csv", "-o", "in-the-way"]);
    assert!(
        ended.code == 2
            && ended
                .stderr
                .contains("hint: write to another directory with -o"),
        "{}",
        ended.stderr
    );
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
    let with_threads = |n: &str| -> BTreeMap<String, String> {
        let mut command = place.command(&["export", "--to", "csv", "many"]);
        command.env("RAYON_NUM_THREADS", n);
        assert_eq!(crate::harness::end_of(&mut command).code, 0);
        let name = |t: &&str| (format!("{t}.csv"), file(&place, &format!("{t}.csv")));
        TABLES.iter().map(name).collect()
    };
    let one = with_threads("1");
    assert!(one == with_threads("7"));
    let (header, records) = csv(&place, "debates");
    let at = header
        .iter()
        .position(|name| name == "path")
        .expect("a column");
    let paths: Vec<String> = records.iter().map(|r| r[at].clone()).collect();
    let expected: Vec<String> = (0..40).map(|n| format!("day/{n:02}")).collect();
    assert_eq!(paths, expected);
}

#[test]
fn s5_the_calls_of_a_trace_add_up_to_what_it_used() {
    let first = std::sync::Mutex::new(std::collections::BTreeSet::new());
    let place = all_formats(move |call| {
        let prompt = call.body["messages"].to_string();
        let fresh = first.lock().expect("a lock").insert(prompt);
        if fresh && kind(call) == Kind::Statement {
            Answer::text("")
        } else {
            good(call)
        }
    });
    for trace in traces(&place) {
        let mut sums: BTreeMap<(String, String), u64> = BTreeMap::new();
        let mut failures = 0;
        for call in items(&trace, "calls") {
            let purpose = call["purpose"].as_str().expect("a purpose").to_owned();
            for key in [
                "prompt_tokens",
                "reply_tokens",
                "prompt_ms",
                "reply_ms",
                "load_ms",
            ] {
                *sums.entry((purpose.clone(), key.to_owned())).or_default() +=
                    call[key].as_u64().unwrap_or(0);
            }
            if call["outcome"] == "empty_reply" {
                failures += 1;
                assert!(
                    call["seed"].is_u64() && call.get("reply_ms").is_none(),
                    "{call}"
                );
            }
            let known = |p: &Value| p["id"] == call["by"];
            assert!(
                purpose == "embed" || items(&trace, "participants").iter().any(known),
                "{call}"
            );
        }
        for ((purpose, key), sum) in sums {
            assert_eq!(
                trace["usage"]["by_purpose"][&purpose][&key],
                json!(sum),
                "{purpose} {key}"
            );
        }
        assert!(failures > 0 && trace["schema_version"] == "1.1");
        let failed = trace["usage"]["by_purpose"]["speak"]["failures"].as_u64();
        assert_eq!(failed, Some(failures), "{}", trace["format"]);
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
    assert!(said.contains("wrote export/calls.csv: 0 rows"), "{said}");
    assert_eq!(csv(&place, "debates").1.len(), 1);
}
