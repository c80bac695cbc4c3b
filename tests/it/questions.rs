//! Row C4: topics and questions with known answers from files, and answers that are graded without a model.

use std::collections::BTreeSet;

use mock_ollama::Answer;
use serde_json::{Value, json};

use crate::harness::{Place, has, is, list, read, shows, trace_in};

const DUEL: &str = "format: duel\nrounds: 2\nallow_explicit: true\n";

/// Two questions of choice, the second with a canary as its id and cluster.
const CAPITALS: &str = "{\"id\":\"q1\",\"cluster\":\"europe\",\"question\":\"What is the capital of France?\",\"choices\":[\"Lyon\",\"Paris\",\"Nice\"],\"answer\":\"Paris\"}\n\
    {\"id\":\"q2\",\"cluster\":\"europe\",\"question\":\"What is the capital of Italy?\",\"choices\":[\"Milan\",\"Turin\",\"Rome\"],\"answer\":\"C\"}\n";

/// The traces of all debates, in order.
fn traces(place: &Place) -> Vec<Value> {
    place.debates().iter().map(|debate| trace_in(debate)).collect()
}

fn all(traces: &[Value], path: &str) -> BTreeSet<String> {
    let told = |trace: &Value| trace.pointer(path).expect("a value").to_string();
    traces.iter().map(told).collect()
}

fn set(values: &[&str]) -> BTreeSet<String> {
    values.iter().map(|value| json!(value).to_string()).collect()
}

#[test]
fn c4_a_file_of_topics_gives_a_debate_per_row() {
    let files = [
        ("t.txt", "\u{feff}# Cities\r\nShould trams be free?\r\n\r\nShould cars be banned?\r\n"),
        (
            "t.csv",
            "topic,area\nShould trams be free?,city\n\"Should cars be banned?\",\"road, air\"\n",
        ),
        (
            "semicolons.csv",
            "\u{feff}topic;area\r\nShould trams be free?;city\r\nShould cars be banned?;\"road, air\"\r\n",
        ),
        (
            "tabs.csv",
            "\"area\"\t\"topic\"\ncity\tShould trams be free?\nroad, air\tShould cars be banned?\n",
        ),
        (
            "t.jsonl",
            "{\"topic\":\"Should trams be free?\",\"area\":\"city\"}\n\n{\"topic\":\"Should cars be banned?\",\"area\":7}\n",
        ),
    ];
    for (name, content) in files {
        let place = Place::new();
        place.write(name, content);
        place.write(
            "job.yaml",
            &format!("{DUEL}topics: {name}\nmatrix: {{a.model: [llama3, mistral]}}\n"),
        );
        place.run_exits(0, &["--rehearse", "job.yaml"]);
        let traces = traces(&place);
        assert_eq!(traces.len(), 4, "{name}");
        assert_eq!(
            all(&traces, "/topic"),
            set(&["Should trams be free?", "Should cars be banned?"])
        );
        if name.ends_with(".csv") {
            assert_eq!(all(&traces, "/tags/area"), set(&["city", "road, air"]));
        }
    }
}

#[test]
fn c4_the_ids_are_those_of_the_same_topics_in_a_matrix() {
    let ids = |job: &str| {
        let place = Place::new();
        place.write("t.txt", "Should trams be free?\nShould cars be banned?\n");
        place.write("job.yaml", &format!("{DUEL}{job}"));
        place.run_exits(0, &["--rehearse", "job.yaml"]);
        all(&traces(&place), "/id")
    };
    let matrix = "matrix: {topic: [Should trams be free?, Should cars be banned?]}\n";
    assert_eq!(ids("topics: t.txt\n"), ids(matrix));
}

fn group_of(trace: &Value) -> String {
    trace["plan"]["pairing"]["swap_group"].to_string()
}

/// What is said of a job beside which a file stands.
fn refusal(job: &str, name: &str, content: &[u8]) -> String {
    let place = Place::new();
    place.write(name, "");
    std::fs::write(place.path().join(name), content).expect("a file");
    place.write("job.yaml", &format!("{DUEL}{job}"));
    let ended = place.rebut_exits(2, &["check", "job.yaml"]);
    ended.stderr + &ended.stdout
}

#[test]
fn c4_what_is_wrong_with_a_file_is_told_with_its_lines() {
    let topics = |content: &[u8]| refusal("topics: t.csv\n", "t.csv", content);
    has(
        &topics(b"topic,area\nShould trams be free?,city\nshort,x\n"),
        "t.csv:3:1: its `topic` has 5 characters; it must have 10 to 200",
    );
    has(
        &topics(b"topic\nShould trams be free?\nShould trams be free?\n"),
        "t.csv:3:1: this topic is the same as on line 2",
    );
    has(
        &topics(b"topic,area\nShould trams be free?\n"),
        "t.csv:2:1: this row has 1 field, but the first has 2 fields",
    );
    // Excel writes Windows line ends; empty lines are counted too.
    for (content, line) in [
        ("topic,area\r\nShould trams be free?,city\r\nshort,x\r\n", 3),
        ("topic,area\n\nShould trams be free?,city\n\n\nshort,x\n", 6),
        ("topic,area\r\n\r\n\"Should trams\r\nbe free?\",city\r\nshort,x", 5),
    ] {
        has(
            &topics(content.as_bytes()),
            &format!("t.csv:{line}:1: its `topic` has 5 characters; it must have 10 to 200\n"),
        );
    }
    has(
        &topics(b"topic,area,topic\r\nShould trams be free?,city,Should cars be banned?\r\n"),
        "t.csv:1:1: the header names the column `topic` twice",
    );
    has(&topics(b"area\nShould trams be free?\n"), "there is no `topic`");
    has(&topics(b""), "the file is empty");
    has(
        &topics(b"topic\nShould \0 trams be free?\n"),
        "`t.csv` is not UTF-8 text: it has zero bytes",
    );
    has(
        &topics(b"topic\nShould tr\xe4ms be free?\n"),
        "`t.csv` is not UTF-8 text: line 2 is in another encoding",
    );
    has(&topics("topic\nShould trams\u{202e} be free?\n".as_bytes()), "contains U+202E");
    has(&refusal("topics: ../t.csv\n", "t.csv", b""), "`../t.csv` is outside the job's directory");
    has(&refusal("topics: /etc/hosts.csv\n", "t.csv", b""), "is outside the job's directory");
    has(&refusal("topics: u.csv\n", "t.csv", b""), "there is no file `u.csv`");
    has(&refusal("topics: t.exe\n", "t.exe", b""), "name a .csv, .jsonl, .json, .txt, .md file");
    has(&refusal("topics: t.txt\n", "t.txt", &vec![b'x'; 17_000_000]), "is too large");
    has(
        &refusal("topics: t.txt\ntopic: Should trams be free?\n", "t.txt", b"x"),
        "`topics` and `topic` both set the topic",
    );
    let questions =
        |content: &str| refusal("questions: {file: q.jsonl}\n", "q.jsonl", content.as_bytes());
    has(
        &questions("{\"question\":\"Who?\",\"answer\":\"Ada\"}\n{\"question\":\"Who?\"\n"),
        "q.jsonl:2:1: this line is not JSON",
    );
    has(
        &questions("{\"question\":\"Who?\",\"choices\":[\"a\",\"b\"],\"answer\":\"c\"}\n"),
        "q.jsonl:1:1: the answer \"c\" is not one of the choices",
    );
    has(
        &refusal(
            "questions: {file: q.jsonl}\nassign: correct_vs_distractor\n",
            "q.jsonl",
            b"{\"question\":\"Who?\",\"answer\":\"Ada\"}\n",
        ),
        "this question has no choices to argue for",
    );
    has(&refusal("questions: {layout: rebut}\n", "q.jsonl", b""), "`questions` has no `file`");
    has(
        &refusal("questions: {file: q.jsonl}\nswap: true\n", "q.jsonl", b""),
        "`swap` needs `assign`",
    );
    has(
        &refusal("topic: Should trams be free?\nassign: correct_vs_distractor\n", "q.jsonl", b""),
        "`assign` needs `questions`",
    );
}

#[test]
fn c4_a_debate_ends_with_an_answer_that_is_graded() {
    let place = Place::new();
    place.write("q.jsonl", CAPITALS);
    place.write("job.yaml", &format!("{DUEL}questions: {{file: q.jsonl}}\n"));
    place.reply([("*/final-answer/*", Answer::json(&json!({"answer": "B"})))]);
    place.run_exits(0, &["job.yaml"]);
    let traces = traces(&place);
    assert_eq!(traces.len(), 2);
    for trace in &traces {
        let id = trace["plan"]["question"]["id"].as_str().expect("an id");
        let wanted = json!([{"by": "judge_1", "call": "end/final-answer/judge_1", "stage": "final", "round": null, "sample": null, "raw": "B",
            "value": {"choice": 1}, "method": "schema", "status": "valid", "correct": id == "q1"}]);
        assert_eq!(trace["answers"], wanted, "{id}");
        assert_eq!(trace["plan"]["question"]["cluster"], "europe");
        assert_eq!(trace["plan"]["pairing"]["cell"], json!({"question": id}));
    }
    // A second run asks nothing.
    let asked = place.server.calls().len();
    place.run_exits(0, &["job.yaml"]);
    let chats = place.server.calls().into_iter().skip(asked).filter(|call| call.is_chat());
    assert_eq!(chats.count(), 0);
}

#[test]
fn c4_what_is_no_answer_is_invalid_and_what_is_not_had_is_missing() {
    let answers = |reply: Answer, code| {
        let place = Place::new();
        place.write("q.jsonl", "{\"question\":\"How many legs has a spider?\",\"answer\":\"8\"}\n");
        place.write("job.yaml", &format!("{DUEL}questions: {{file: q.jsonl}}\n"));
        place.reply([("*/final-answer*/*", reply)]);
        place.run_exits(code, &["job.yaml"]);
        place.trace()["answers"].clone()
    };
    let said = answers(Answer::json(&json!({"answer": "six or eight, 6 or 8"})), 0);
    assert_eq!(
        [&said[0]["status"], &said[0]["correct"], &said[0]["value"]],
        [&json!("invalid"), &json!(false), &json!(null)]
    );
    let plain = answers(Answer::text("I think the answer is 8."), 0);
    assert_eq!(
        [&plain[0]["status"], &plain[0]["correct"], &plain[0]["method"]],
        [&json!("valid"), &json!(true), &json!("pattern")]
    );
    let none = answers(Answer::status(400, "no"), 1);
    assert_eq!([&none[0]["status"], &none[0]["correct"]], [&json!("missing"), &json!(false)]);
}

#[test]
fn c4_the_known_answer_stands_in_no_request_and_is_no_part_of_the_id() {
    let ids = |answer: &str, accepted: &str| {
        let place = Place::new();
        let question = json!({"question": "How many legs has a spider?", "answer": answer, "accept": [accepted], "tolerance": "0.25"});
        place.write("q.jsonl", &format!("{question}\n"));
        place.write("job.yaml", &format!("{DUEL}questions: {{file: q.jsonl}}\narms: [single]\n"));
        place.reply([("*/final-answer/*", Answer::json(&json!({"answer": "6"})))]);
        place.run_exits(0, &["job.yaml"]);
        for call in place.server.calls() {
            let text = format!("{} {}", call.system(), call.body);
            assert!(
                !text.contains(answer) && !text.contains(accepted) && !text.contains("0.25"),
                "{text}"
            );
        }
        let traces = traces(&place);
        assert_eq!(traces.len(), 2, "a debate and its control");
        all(&traces, "/id")
    };
    assert_eq!(ids("8086080", "8086081"), ids("7077070", "7077071"));
}

#[test]
fn c4_one_side_argues_for_the_correct_choice_and_swapping_adds_the_other_assignment() {
    let place = Place::new();
    place.write("q.jsonl", CAPITALS);
    place.write("job.yaml", &format!("{DUEL}questions: {{file: q.jsonl, shuffle: true}}\nassign: correct_vs_distractor\nswap: true\n"));
    place.run_exits(0, &["--rehearse", "job.yaml"]);
    let traces = traces(&place);
    assert_eq!(traces.len(), 4);
    let mut groups: Vec<_> = traces.iter().map(group_of).collect();
    groups.sort();
    groups.dedup();
    assert_eq!(groups.len(), 2, "{groups:?}");
    for group in groups {
        let members: Vec<&Value> = traces.iter().filter(|trace| group_of(trace) == group).collect();
        let assigned = |trace: &Value, id: &str| trace["plan"]["question"]["assigned"][id].clone();
        let correct = members[0]["plan"]["question"]["expected"]["choice"].clone();
        let [a, b] = ["agent_a", "agent_b"]
            .map(|id| members.iter().map(|trace| assigned(trace, id)).collect::<Vec<_>>());
        assert_eq!([&a[0], &a[1]], [&b[1], &b[0]]);
        assert_ne!(a[0], a[1]);
        assert!(a.contains(&correct));
        for trace in members {
            let at = assigned(trace, "agent_a").as_u64().expect("a place") as usize;
            let choice = trace["plan"]["question"]["choices"][at].as_str().expect("a choice");
            let position = trace["participants"][0]["position"].as_str().expect("a position");
            assert!(
                position.starts_with("The answer is ") && position.ends_with(choice),
                "{position}"
            );
        }
    }
}

#[test]
fn c4_every_format_answers_a_question() {
    for (format, more, answers) in [
        ("knockout", "rounds: 1\n", 3),
        ("moderated", "round_count: 1\n", 1),
        ("duel", "rounds: 2\n", 1),
        ("roundtable", "", 1),
        ("dialectic", "", 1),
    ] {
        let place = Place::new();
        place.write("q.jsonl", CAPITALS.lines().next().expect("a line"));
        place.write(
            "job.yaml",
            &format!(
                "format: {format}\nallow_explicit: true\nquestions: {{file: q.jsonl}}\n{more}"
            ),
        );
        place.run_exits(0, &["--rehearse", "job.yaml"]);
        let trace = place.trace();
        let given = trace["answers"].as_array().expect("answers");
        assert!(given.len() >= answers.min(1), "{format}: {given:?}");
        let last = given.last().expect("an answer");
        assert_eq!(last["stage"], "final", "{format}");
        assert_eq!(last["status"], "valid", "{format}");
        assert_eq!(trace["topic"], "What is the capital of France?");
        let journal =
            read(list(&place.path().join("output/.rebut/journals")).last().expect("a journal"));
        has(&journal, "What is the capital of France?");
    }
}

#[test]
fn c4_who_answers_for_a_dialectic_reads_its_record_as_those_in_it_do() {
    let place = Place::new();
    place.write("q.jsonl", CAPITALS.lines().next().expect("a line"));
    place.write(
        "job.yaml",
        "format: dialectic\nallow_explicit: true\nretrieval: null\nmin_rounds: 1\nmax_rounds: 1\nquestions: {file: q.jsonl}\n",
    );
    place.reply_by(|call| {
        let answer = json!({"answer": "Paris"});
        is(call, "*/final-answer*/*").then(|| Answer::json(&answer))
    });
    place.run_exits(0, &["job.yaml"]);
    let answering = place.asked("*/final-answer*/*");
    assert!(!answering.is_empty());
    for call in answering {
        has(call.system(), "You take part in a written debate");
    }
}

/// A place with ten debates on questions of which the judge gets seven right and has one invalid.
fn answered() -> Place {
    let place = Place::new();
    let question = |n: usize| json!({"id": format!("q{n}"), "cluster": format!("c{}", n / 2), "question": format!("What is {n} plus {n}?"), "answer": n * 2});
    let lines: Vec<String> = (1..=10).map(|n| question(n).to_string()).collect();
    place.write("q.jsonl", &lines.join("\n"));
    place.write("job.yaml", &format!("{DUEL}questions: {{file: q.jsonl}}\n"));
    place.reply_by(|call| {
        let asked = call.text();
        let n = (1..=10).find(|n| asked.contains(&format!("What is {n} plus {n}?")))?;
        let answer = match n {
            1..=7 => format!("{}", n * 2),
            8 => "1 or 2".to_owned(),
            _ => "0".to_owned(),
        };
        is(call, "*/final-answer*/*").then(|| Answer::json(&json!({"answer": answer})))
    });
    place.run_exits(0, &["job.yaml"]);
    place
}

/// What statistics say of answers.
fn found(place: &Place) -> Value {
    let stats = place.rebut_exits(0, &["stats", "--format", "json"]);
    serde_json::from_str(&stats.stdout).expect("JSON")
}

#[test]
fn c4_statistics_count_correct_valid_and_invalid_answers_by_cluster() {
    let place = answered();
    let report = found(&place);
    let arm = &report["answers"]["arms"][0];
    let told = |key: &str| {
        (arm[key]["value"].clone(), arm[key]["n"].clone(), arm[key]["clusters"].clone())
    };
    assert_eq!(told("strict"), (json!(0.7), json!(10), json!(6)));
    assert_eq!(told("answered").1, json!(9));
    assert_eq!(told("answered").0, json!(7.0 / 9.0));
    assert_eq!(told("invalid").0, json!(0.1));
    assert_eq!(
        [&arm["arm"], &arm["questions"], &arm["missing"]],
        [&json!("debate"), &json!(10), &json!(0)]
    );
    has(&report["headlines"].to_string(), "Duel debates answer 70.0%");
    let text = place.rebut_exits(0, &["stats", "--full"]).stdout;
    has(&text, "Answers to known questions");
    // Debates without a question have no such part.
    let other = Place::new();
    other.write("job.yaml", &format!("{DUEL}topic: Should trams be free?\n"));
    other.run_exits(0, &["job.yaml"]);
    assert_eq!(found(&other)["answers"], Value::Null);
}

#[test]
fn c4_another_key_grades_stored_answers_without_a_model() {
    let place = answered();
    let before = traces(&place);
    let asked = place.server.calls().len();
    let question = |n: usize, answer: usize| json!({"id": format!("q{n}"), "cluster": format!("c{}", n / 2), "question": format!("What is {n} plus {n}?"), "answer": answer});
    let lines: Vec<String> =
        (1..=10).map(|n| question(n, if n == 9 { 0 } else { n * 2 }).to_string()).collect();
    place.write("fixed.jsonl", &lines.join("\n"));
    for (n, trace) in before.iter().enumerate() {
        place.write(&format!("copy/{n}/trace.json"), &trace.to_string());
    }
    let ended = place.rebut_exits(0, &["grade", "output", "--questions", "fixed.jsonl"]);
    has(&ended.stdout, "graded 1 debate again: 1 with a new grade; 9 as before, 0 without");
    assert_eq!(place.server.calls().len(), asked);
    assert_eq!(found(&place)["answers"]["arms"][0]["strict"]["value"], json!(0.8));
    for (before, now) in before.iter().zip(&traces(&place)) {
        for kept in ["id", "statements", "verdicts", "outcome", "usage"] {
            assert_eq!(before[kept], now[kept]);
        }
    }
    // A copy from before is no second debate: nothing tells which key is the better one, so the first path's counts.
    let both = place.rebut_exits(0, &["stats", "copy", "output", "--format", "json"]);
    let both: Value = serde_json::from_str(&both.stdout).expect("JSON");
    shows!(both, {"counts/counted": 10, "counts/copies": 10});
    assert_eq!(both["answers"]["arms"][0]["strict"]["value"], json!(0.7));
    // Again there is nothing to do.
    let again = place.rebut_exits(0, &["grade", "output", "--questions", "fixed.jsonl"]);
    has(&again.stdout, "graded 0 debates again: 0 with a new grade; 10 as before");
    // A directory that is lost comes back with the grades.
    let of = |id: &str| {
        let mut all = place.debates().into_iter();
        all.find(|debate| trace_in(debate)["plan"]["question"]["id"] == id).expect("a debate")
    };
    std::fs::remove_dir_all(of("q9")).expect("removed");
    place.run_exits(0, &["job.yaml"]);
    assert_eq!(found(&place)["answers"]["arms"][0]["strict"]["value"], json!(0.8));
    // What is in one debate's way is not in the way of the others.
    place.write("fixed.jsonl", &lines.join("\n").replace(r#""answer":4}"#, r#""answer":5}"#));
    std::fs::write(of("q9").join("trace.json"), "{").expect("written");
    let ended = place.rebut_exits(1, &["grade", "output", "--questions", "fixed.jsonl"]);
    has(&ended.stdout, "graded 1 debate again");
    has(&ended.stderr, "1 debate skipped\n");
    // Another question under the same id is none.
    place.write(
        "other.jsonl",
        &json!({"id": "q1", "question": "What is 2 plus 2?", "answer": 4}).to_string(),
    );
    let unlike = place.rebut_exits(1, &["grade", "output", "--questions", "other.jsonl"]);
    has(&unlike.stderr, "not graded, because the question with the same id has a different text");
}
