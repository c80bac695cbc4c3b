//! Rows S1, S2 and J7: `rebut stats` over a few debates whose numbers can be worked out by hand. Comparisons and judges stand in
//! `leaderboards.rs`, what many simulated debates show in `bias_detection.rs`.

use std::collections::BTreeSet;
use std::fs;

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::harness::corpus::{Debate, between, two_judges};
use crate::harness::found::{T1, close, group, groups, measure, of_all, squeezed, told};
use crate::harness::{Place, SHORT_JOB, end_of, has, has_all, read, shows};

/// Four debates on two topics: two duels with swapped seats, a moderated debate of one model against itself, a knockout.
fn mixed() -> [Debate; 4] {
    let duel = |n: usize, a: &str, b: &str| {
        Debate::of("duel", n)
            .model("agent_a", a)
            .model("agent_b", b)
            .with("job", "a")
    };
    let knockout = Debate::of("knockout", 4)
        .topic("Trams?")
        .with("job", "b")
        .with("status", "degraded")
        .model("position_x", "llama-8")
        .ballot(1, "gemma-2", "position_y_1", 3.0, true)
        .rotation(1, "position_y_1", false)
        .with("outcome/points/position_y_1", 3.0)
        .used("llama-8", 40, 400, 6000)
        .used("mistral-7", 80, 800, 6000);
    let ys = (1..5).map(|y| format!("position_y_{y}"));
    [
        duel(1, "llama-8", "mistral-7")
            .topic("Parks?")
            .with("tags/wave", "one")
            .verdict("gemma-2", [("agent_a", 8.0), ("agent_b", 6.0)])
            .winner("agent_a")
            .used("llama-8", 100, 1000, 60_000)
            .used("mistral-7", 300, 3000, 30_000)
            .used("gemma-2", 7, 70, 6000),
        duel(2, "mistral-7", "llama-8")
            .topic("Trams?")
            .with("tags/wave", "two")
            .verdict("gemma-2", [("agent_b", 7.0), ("agent_a", 5.0)])
            .winner("agent_b")
            .used("llama-8", 200, 2000, 60_000)
            .used("mistral-7", 500, 5000, 30_000),
        Debate::of("moderated", 3)
            .topic("Parks?")
            .with("job", "b")
            .model("position_advocate_1", "llama-8")
            .model("position_advocate_2", "llama-8")
            .verdict(
                "qwen-3",
                [("position_advocate_1", 6.0), ("position_advocate_2", 6.0)],
            )
            .winner("draw")
            .used("llama-8", 900, 9000, 120_000),
        ys.fold(knockout, |debate, y| debate.model(&y, "mistral-7")),
    ]
}

/// The groups by some keys: their names and the numbers of their debates.
fn grouped(place: &Place, by: &str) -> Vec<(String, Value)> {
    let found = place.found(&["--by", by]);
    let each = groups(&found).into_iter();
    each.map(|(name, group)| (name, group["debates"].clone()))
        .collect()
}

#[test]
fn s1_debates_are_grouped_by_every_key_and_by_several() {
    let place = Place::of_debates(&mixed());
    type Case<'a> = (&'a str, &'a [(&'a str, &'a [u64])]);
    let cases: [Case<'_>; 14] = [
        (
            "format",
            &[("duel", &[1, 2]), ("knockout", &[4]), ("moderated", &[3])],
        ),
        ("job", &[("a", &[1, 2]), ("b", &[3, 4])]),
        ("topic", &[("Parks?", &[1, 3]), ("Trams?", &[2, 4])]),
        (
            "tag.wave",
            &[("(none)", &[3, 4]), ("one", &[1]), ("two", &[2])],
        ),
        ("status", &[("degraded", &[4]), ("done", &[1, 2, 3])]),
        (
            "model",
            &[("llama-8", &[1, 2, 3, 4]), ("mistral-7", &[1, 2, 4])],
        ),
        (
            "persona",
            &[
                ("advocate", &[3, 4]),
                ("philosopher", &[1, 2]),
                ("scientist", &[1, 2]),
            ],
        ),
        // Agents of a duel stand for nothing.
        (
            "position",
            &[
                ("(none)", &[1, 2]),
                ("Against the motion", &[3, 4]),
                ("For the motion", &[3, 4]),
            ],
        ),
        // Three of the knockout's debaters never came in.
        (
            "order",
            &[
                ("(none)", &[4]),
                ("first", &[1, 2, 3, 4]),
                ("last", &[1, 2, 3, 4]),
            ],
        ),
        (
            "participant",
            &[
                ("Advocate A", &[3]),
                ("Advocate B", &[3]),
                ("Philosopher", &[1, 2]),
                ("Scientist", &[1, 2]),
                ("X", &[4]),
                ("Y-1", &[4]),
                ("Y-2", &[4]),
                ("Y-3", &[4]),
                ("Y-4", &[4]),
            ],
        ),
        ("judge", &[("gemma-2", &[1, 2, 4]), ("qwen-3", &[3])]),
        (
            "job,status",
            &[("a|done", &[1, 2]), ("b|degraded", &[4]), ("b|done", &[3])],
        ),
        (
            "model,order",
            &[
                ("llama-8|first", &[1, 3, 4]),
                ("llama-8|last", &[2, 3]),
                ("mistral-7|(none)", &[4]),
                ("mistral-7|first", &[2]),
                ("mistral-7|last", &[1, 4]),
            ],
        ),
        (
            "judge,format,model",
            &[
                ("gemma-2|duel|llama-8", &[1, 2]),
                ("gemma-2|duel|mistral-7", &[1, 2]),
                ("gemma-2|knockout|llama-8", &[4]),
                ("gemma-2|knockout|mistral-7", &[4]),
                ("qwen-3|moderated|llama-8", &[3]),
            ],
        ),
    ];
    for (by, expected) in cases {
        let expected = expected
            .iter()
            .map(|(name, debates)| ((*name).to_owned(), json!(debates)));
        assert_eq!(
            grouped(&place, by),
            expected.collect::<Vec<_>>(),
            "--by {by}"
        );
    }
}

#[test]
fn s2_a_contestants_group_holds_its_own_scores_and_its_models_own_tokens() {
    let place = Place::of_debates(&mixed());
    let found = place.found(&["--by", "format,model"]);
    let (llama, mistral) = (
        group(&found, "duel|llama-8"),
        group(&found, "duel|mistral-7"),
    );
    assert_eq!(
        told(measure(llama, "score.total")),
        (Some(7.5), 2, 2),
        "8 and 7"
    );
    assert_eq!(
        told(measure(mistral, "score.total")),
        (Some(5.5), 2, 2),
        "6 and 5"
    );
    assert_eq!(told(measure(llama, "score.relevance")), (Some(7.5), 2, 2));
    assert_eq!(told(measure(llama, "win_rate")), (Some(1.0), 2, 2));
    assert_eq!(told(measure(mistral, "win_rate")), (Some(0.0), 2, 2));
    let own = group(&found, "moderated|llama-8");
    assert!(measure(own, "win_rate").is_null(), "it met itself");
    assert_eq!(
        told(measure(llama, "reply_tokens")),
        (Some(150.0), 2, 2),
        "100 and 200"
    );
    assert_eq!(told(measure(llama, "prompt_tokens")), (Some(1500.0), 2, 2));
    assert_eq!(
        told(measure(mistral, "reply_tokens")),
        (Some(400.0), 2, 2),
        "300 and 500"
    );
    assert_eq!(told(measure(llama, "model_minutes")), (Some(1.0), 2, 2));
    let by_model = place.found(&["--by", "model"]);
    let llama = group(&by_model, "llama-8");
    assert_eq!(
        told(measure(llama, "reply_tokens")),
        (Some(310.0), 4, 2),
        "(100 + 200 + 900 + 40) / 4"
    );
    let all = place.found(&[]);
    close(&of_all(&all, "reply_tokens")["value"], 2127.0 / 4.0);
    assert_eq!(
        of_all(&all, "win_rate"),
        &Value::Null,
        "of nobody in particular"
    );
    assert_eq!(told(of_all(&all, "draws")), (Some(0.0), 2, 2), "of duels");
}

#[test]
fn s2_a_judges_group_holds_what_it_gave_and_an_orders_group_what_was_said_then() {
    let place = Place::of_debates(&[
        two_judges(1).topic("Parks?"),
        Debate::of("duel", 2)
            .topic("Trams?")
            .verdict("gemma-2", [("agent_b", 3.0), ("agent_a", 9.0)])
            .winner("agent_a"),
    ]);
    let found = place.found(&["--by", "judge,order"]);
    let total = |name: &str| told(measure(group(&found, name), "score.total"));
    assert_eq!(total("gemma-2|first"), (Some(8.5), 2, 2), "8 and 9");
    assert_eq!(total("gemma-2|last"), (Some(4.0), 2, 2), "5 and 3");
    assert_eq!(total("qwen-3|first"), (Some(6.0), 1, 1));
    assert_eq!(total("qwen-3|last"), (Some(7.0), 1, 1));
    let found = place.found(&["--by", "order"]);
    assert_eq!(
        told(measure(group(&found, "first"), "score.total")),
        (Some(8.0), 2, 2),
        "7 and 9"
    );
    assert_eq!(
        told(measure(group(&found, "last"), "score.total")),
        (Some(4.5), 2, 2),
        "6 and 3"
    );
    assert_eq!(
        told(measure(group(&found, "first"), "win_rate")),
        (Some(1.0), 2, 2)
    );
}

#[test]
fn s1_filters_choose_any_value_of_one_key_and_all_keys() {
    let place = Place::of_debates(&mixed());
    let chosen = |args: &[&str]| -> (Value, Value) {
        let found = place.found(args);
        let paths = found["debates"].as_array().expect("debates").iter();
        let last = |debate: &Value| {
            debate["path"]
                .as_str()
                .map(|path| path[path.len() - 1..].to_owned())
        };
        (
            paths.map(last).collect(),
            found["counts"]["filtered_out"].clone(),
        )
    };
    assert_eq!(chosen(&["--where", "job=a"]), (json!(["0", "1"]), json!(2)));
    assert_eq!(
        chosen(&["--where", "format=knockout", "--where", "format=moderated"]),
        (json!(["2", "3"]), json!(2))
    );
    assert_eq!(
        chosen(&["--where", "job=b", "--where", "topic=Trams?"]),
        (json!(["3"]), json!(3))
    );
    assert_eq!(
        chosen(&["--where", "model=mistral-7"]),
        (json!(["0", "1", "3"]), json!(1))
    );
    assert_eq!(
        chosen(&["--where", "judge=qwen-3"]),
        (json!(["2"]), json!(3))
    );
    assert_eq!(
        chosen(&["--where", "tag.wave=two"]),
        (json!(["1"]), json!(3))
    );
    assert_eq!(
        chosen(&["--where", "status=degraded"]),
        (json!(["3"]), json!(3))
    );
    assert_eq!(
        chosen(&["--where", "job=a", "--where", "format=knockout"]),
        (json!([]), json!(4))
    );
    let none = place.rebut_exits(0, &["stats", "output", "--where", "job=none"]);
    has(&none.stdout, "No debate was counted");
}

#[test]
fn s1_topics_that_differ_only_in_letter_case_or_blanks_around_are_one() {
    let topics = ["Parks?", " parks?", "PARKS? ", "Trams?"];
    let debates = (1..).zip(topics).map(|(n, topic)| {
        between(n, "llama-8", "mistral-7")
            .topic(topic)
            .with("plan/pairing/cell", json!({"topic": topic}))
    });
    let debates: Vec<Debate> = debates.collect();
    let place = Place::of_debates(&debates);
    let found = place.found(&["--by", "topic"]);
    assert_eq!(found["counts"]["topics"], 2);
    let named = |found: &Value| -> Vec<(String, Value)> {
        let each = groups(found).into_iter();
        each.map(|(name, group)| (name, group["debates"].clone()))
            .collect()
    };
    let expected = [
        ("Parks?".to_owned(), json!([1, 2, 3])),
        ("Trams?".to_owned(), json!([4])),
    ];
    assert_eq!(named(&found), expected, "the first debate's spelling");
    let pairs = &found["comparisons"][0]["pairs"][0];
    assert_eq!(pairs["difference"]["clusters"], 2, "{pairs}");
    let counted = |filter: &str| place.found(&["--where", filter])["counts"]["planned"].clone();
    assert_eq!(counted("topic=parks? "), 3);
    assert_eq!(counted("topic=park"), 0);
}

#[test]
fn s1_a_filter_that_lets_nothing_pass_says_what_there_is() {
    let place = Place::of_debates(&mixed());
    let commands = [&["stats"][..], &["export", "--to", "csv"]];
    let said = |filters: &[&str]| -> BTreeSet<String> {
        let filters = || filters.iter().flat_map(|filter| ["--where", *filter]);
        let ends = commands.iter().map(|command| {
            let args: Vec<&str> = command.iter().copied().chain(filters()).collect();
            let ended = place.rebut_exits(0, &args);
            ended.stderr
        });
        ends.collect()
    };
    let out = "warning: --where excludes everything: 4 debates\n";
    let expected = |more: &str| BTreeSet::from([format!("{out}{more}")]);
    assert_eq!(
        said(&["status=Done"]),
        expected("warning: values of `status`: degraded, done\n")
    );
    assert_eq!(
        said(&["model=nope", "job=a", "model=none"]),
        expected("warning: values of `model`: llama-8, mistral-7\n")
    );
    assert_eq!(
        said(&["judge=nope"]),
        expected("warning: values of `judge`: gemma-2, qwen-3\n")
    );
    assert_eq!(said(&["job=a", "format=knockout"]), expected(""));
    assert_eq!(said(&["job=a"]), BTreeSet::from([String::new()]));
}

#[test]
fn s1_of_many_values_ten_are_named() {
    let debates = (0..13).map(|n| two_judges(n).with("job", format!("job-{n:02}")));
    let place = Place::of_debates(&debates.collect::<Vec<_>>());
    let said = place.rebut(&["stats", "--where", "job=nope"]).stderr;
    assert!(
        said.ends_with(": job-00, job-01, job-02, job-03, job-04, job-05, job-06, job-07, job-08, job-09, and 3 more\n"),
        "{said}"
    );
}

#[test]
fn s1_keys_are_trimmed_and_each_counts_once() {
    let place = Place::of_debates(&mixed());
    let expected = grouped(&place, "model,format");
    for by in ["model, format", " model , format ", "model,format,model"] {
        assert_eq!(grouped(&place, by), expected, "{by:?}");
    }
    for args in [["--by", "tag."], ["--where", "tag.=x"]] {
        let ended = place.rebut(&[&["stats"][..], &args].concat());
        let lacks = "error: `tag.` lacks the tag's name: write tag.NAME";
        assert!(ended.code == 2 && ended.stderr.starts_with(lacks));
    }
}

#[test]
fn s5_a_report_of_nothing_is_not_written_and_says_what_was_left_out() {
    let rehearsed = two_judges(1).with("rehearsal", true);
    let place = Place::of_debates(&[rehearsed.with("job", "a")]);
    let nothing = "error: nothing to report: no debates counted, no file written\n";
    let left_out = "hint: 1 rehearsal excluded; --include-rehearsals includes rehearsals\n";
    let none = "warning: --where excludes everything: 1 debate\nwarning: values of `job`: a\n";
    for (filter, said) in [
        (&[][..], format!("{nothing}{left_out}")),
        (&["--where", "job=a"], format!("{nothing}{left_out}")),
        (&["--where", "job=b"], format!("{none}{nothing}")),
    ] {
        let ended = place.rebut(&[&["report", "-o", "new/report.html"], filter].concat());
        assert_eq!((ended.code, ended.stderr), (2, said));
        assert!(!place.path().join("new").exists(), "{filter:?}");
    }
    place.rebut_exits(
        0,
        &["report", "-o", "new/report.html", "--include-rehearsals"],
    );
}

#[test]
fn s5_a_report_makes_its_directory_or_names_the_file_that_it_cannot_write() {
    let place = Place::of_debates(&mixed());
    let ended = place.rebut(&["report", "-o", "new/deep/report.json"]);
    let begin = "wrote new/deep/report.json: ";
    assert!(
        ended.code == 0 && ended.stdout.starts_with(begin),
        "{}{}",
        ended.stdout,
        ended.stderr
    );
    let dir = place.path().join("new/deep");
    let found: Value = serde_json::from_str(&read(&dir.join("report.json"))).expect("JSON");
    let debate = found["debates"][0]["path"].as_str().expect("a path");
    assert!(dir.join(debate).join("trace.json").is_file(), "{debate}");
    fs::create_dir(place.path().join("taken.md")).expect("a directory");
    place.write("file", "");
    for file in ["taken.md", "file/report.md"] {
        let ended = place.rebut_exits(2, &["report", "-o", file]);
        let hint = "hint: name another file with -o";
        assert!(
            ended.stderr.contains(hint) && !ended.stderr.contains(".new"),
            "{}",
            ended.stderr
        );
    }
}

#[test]
fn s1_what_is_no_key_is_refused_with_the_keys() {
    let place = Place::of_debates(&[]);
    fs::create_dir(place.path().join("output")).expect("a directory");
    for args in [["--by", "modle"], ["--where", "modle=x"], ["--by", "tag."]] {
        let ended = place.rebut_exits(2, &[&["stats", "output"][..], &args].concat());
        let keys = [
            "format",
            "job",
            "topic",
            "tag.NAME",
            "model",
            "persona",
            "position",
            "order",
            "participant",
            "judge",
            "status",
        ];
        let missing: Vec<_> = keys
            .iter()
            .filter(|key| !ended.stderr.contains(**key))
            .collect();
        assert!(missing.is_empty(), "{missing:?} in {}", ended.stderr);
    }
    let ended = place.rebut(&["stats", "output", "--where", "model"]);
    assert!(
        ended.code == 2 && ended.stderr.contains("KEY=VALUE"),
        "{}",
        ended.stderr
    );
    let ended = place.rebut(&["stats", "elsewhere"]);
    assert!(
        ended.code == 2 && ended.stderr.contains("elsewhere"),
        "{}",
        ended.stderr
    );
}

#[test]
fn s2_counts_tell_how_debates_and_judgments_went() {
    let place = Place::of_debates(&[
        two_judges(1)
            .topic("Parks?")
            .model("agent_a", "llama-8")
            .model("agent_b", "mistral-7"),
        two_judges(2)
            .with("status", "degraded")
            .origin("agent_a", "emergency"),
        two_judges(3)
            .with("status", "degraded")
            .origin("agent_b", "fallback"),
        Debate::of("duel", 4)
            .no_verdict("gemma-2", ["agent_a", "agent_b"], "invalid")
            .no_verdict("qwen-3", ["agent_a", "agent_b"], "abstained")
            .with("status", "degraded"),
        two_judges(5).failed("the server is gone"),
    ]);
    let found = place.found(&[]);
    let judgments = json!({"planned": 10, "valid": 8, "invalid": 1, "abstained": 1});
    let expected = json!({"planned": 5, "done": 1, "degraded": 3, "failed": 1, "emergency": 1, "fallback": 1, "topics": 2,
        "models": 2, "judges": 2, "rehearsals": 0, "rehearsals_left_out": 0, "filtered_out": 0, "copies": 0, "damaged": 0,
        "judgments": judgments});
    assert_eq!(found["counts"], expected);
    assert_eq!(group(&found, "")["counts"], expected);
    assert_eq!(told(of_all(&found, "done")), (Some(0.2), 5, 2));
    assert_eq!(
        told(of_all(&found, "unusable_judgments")),
        (Some(0.2), 10, 2)
    );
    let by_judge = place.found(&["--by", "judge"]);
    let gemma = group(&by_judge, "gemma-2");
    let own = json!({"planned": 5, "valid": 4, "invalid": 1, "abstained": 0});
    assert_eq!(gemma["counts"]["judgments"], own, "not the other judge's");
    assert_eq!(gemma["counts"]["judges"], 1);
    assert_eq!(
        told(measure(gemma, "unusable_judgments")),
        (Some(0.2), 5, 2)
    );
    let cause = |n: usize| found["debates"][n]["cause"].clone();
    assert_eq!(cause(0), Value::Null);
    assert_eq!(cause(4), json!("the server is gone"));
}

#[test]
fn s2_scores_are_averaged_over_judges_first_and_their_interval_is_clustered_by_topic() {
    let second = Debate::of("duel", 2)
        .topic("Trams?")
        .verdict("gemma-2", [("agent_a", 9.0), ("agent_b", 3.0)])
        .with(
            "verdicts/0/judges/0/readings/0/scores/agent_a.coherence",
            2.0,
        )
        .winner("agent_a");
    let place = Place::of_debates(&[two_judges(1).topic("Parks?"), second]);
    let found = place.found(&[]);
    // 7 and 6 on one topic, 9 and 3 on the other.
    let total = of_all(&found, "score.total");
    assert_eq!(told(total), (Some(6.25), 4, 2));
    // Deviations .75, -.25, 2.75, -3.25: squares add up to 18.75, topics to .5 and -.5.
    close(&total["sd"], 2.5);
    close(&total["se"], 0.25);
    close(&total["low"], 6.25 - T1 * 0.25);
    close(&total["high"], 6.25 + T1 * 0.25);
    shows!(total, {"unit": "score", "format": "duel"});
    assert_eq!(
        told(of_all(&found, "score.coherence")),
        (Some(4.5), 4, 2),
        "7, 6, 2, 3"
    );
    assert_eq!(told(of_all(&found, "score.relevance")), (Some(6.25), 4, 2));
}

#[test]
fn s2_formats_are_not_averaged_together() {
    let place = Place::of_debates(&mixed());
    let found = place.found(&[]);
    let totals = group(&found, "")["measures"]
        .as_array()
        .expect("measures")
        .iter();
    let totals = totals.filter(|measure| measure["name"] == "score.total");
    let totals: Vec<Value> = totals
        .map(|total| json!([total["format"], total["value"], total["n"]]))
        .collect();
    assert_eq!(
        totals,
        [
            json!(["duel", 6.5, 4]),
            json!(["knockout", 3.0, 1]),
            json!(["moderated", 6.0, 2])
        ]
    );
}

/// A knockout of the rounds after which its debaters stay or go.
fn knockout(n: usize, rounds: &[(&str, bool)]) -> Debate {
    let each = (1_u32..).zip(rounds);
    each.fold(Debate::of("knockout", n), |debate, (round, (who, goes))| {
        debate.rotation(round, who, *goes)
    })
}

#[test]
fn s2_rotations_stands_and_late_rounds_of_knockouts() {
    let place = Place::of_debates(&[
        knockout(
            1,
            &[
                ("position_y_1", false),
                ("position_y_1", true),
                ("position_y_2", false),
            ],
        )
        .topic("Parks?")
        .with("timing/rounds_ms", json!([31_000, 10_000, 30_000])),
        knockout(
            2,
            &[
                ("position_y_1", false),
                ("position_y_1", false),
                ("position_y_1", false),
            ],
        )
        .topic("Trams?")
        .with("timing/rounds_ms", json!([40_000])),
    ]);
    let found = place.found(&[]);
    assert_eq!(told(of_all(&found, "rotations")), (Some(0.5), 2, 2));
    assert_eq!(
        told(of_all(&found, "stand")),
        (Some(2.0), 3, 2),
        "2, 1 and 3 rounds"
    );
    assert_eq!(
        told(of_all(&found, "late_rounds")),
        (Some(0.5), 4, 2),
        "30 s is not over 30 s"
    );
    let steps = found["survival"]["steps"].as_array().expect("steps").iter();
    let steps: Vec<Value> = steps
        .map(|step| {
            json!([
                step["round"],
                step["at_risk"],
                step["ended"],
                step["censored"],
                step["survival"]
            ])
        })
        .collect();
    assert_eq!(
        steps,
        [
            json!([1, 3, 0, 1, 1.0]),
            json!([2, 2, 1, 0, 0.5]),
            json!([3, 1, 0, 1, 0.5])
        ]
    );
}

/// A roundtable of some rounds with the stances of its three specialists.
fn roundtable(n: usize, rounds: &[[Option<&str>; 3]], consensus: Option<&str>) -> Debate {
    let reading = json!({"call": "", "order": [], "status": "valid", "scores": {}, "totals": {}, "reason": "", "cause": null, "attempts": 1, "tokens": {"prompt": 0, "reply": 0}});
    let mut stances = Vec::new();
    for (round, given) in (1..).zip(rounds) {
        let each = given.iter().enumerate();
        stances.extend(each.map(|(who, stance)| {
            json!({"round": round, "by": {"kind": "model", "id": format!("specialist_{}", who + 1), "model": null},
                "stance": stance, "weight": if who == 0 { 2.0 } else { 1.0 }, "reading": reading})
        }));
    }
    let base = Debate::of("roundtable", n);
    let one = base.value()["rounds"][1].clone();
    let held: Vec<Value> = (0..=rounds.len())
        .map(|round| {
            let mut notes = one.clone();
            notes["round"] = json!(round);
            notes
        })
        .collect();
    base.with("stances", stances)
        .with("rounds", held)
        .with("outcome/details/triggered", true)
        .with("outcome/details/consensus", consensus.map(str::to_owned))
}

#[test]
fn s2_consensus_its_rounds_and_the_leading_share() {
    let (buy, hold) = (Some("buy"), Some("hold"));
    let place = Place::of_debates(&[
        roundtable(1, &[[buy, buy, buy]], buy).topic("Parks?"),
        roundtable(
            2,
            &[[buy, hold, hold], [buy, hold, None], [hold, hold, hold]],
            hold,
        )
        .topic("Trams?"),
        roundtable(3, &[[buy, hold, hold]], None).topic("Trams?"),
        // Nobody asked for a debate: no consensus was sought.
        roundtable(4, &[], None).with("outcome/details/triggered", false),
    ]);
    let found = place.found(&[]);
    close(&of_all(&found, "consensus")["value"], 2.0 / 3.0);
    assert_eq!(of_all(&found, "consensus")["n"], 3);
    assert_eq!(
        told(of_all(&found, "consensus_rounds")),
        (Some(2.0), 2, 2),
        "1 and 3"
    );
    let rounds = found["consensus"].as_array().expect("rounds").iter();
    let rounds: Vec<Value> = rounds
        .map(|round| {
            json!([
                round["round"],
                round["leading"]["value"],
                round["leading"]["n"]
            ])
        })
        .collect();
    // Of weights 2, 1 and 1: all, half and half; then half; then all.
    assert_eq!(
        rounds,
        [
            json!([1, 2.0 / 3.0, 3]),
            json!([2, 0.5, 1]),
            json!([3, 1.0, 1])
        ]
    );
}

#[test]
fn s2_early_stops_the_score_of_the_answer_and_the_users_rating() {
    let dialectic = |n: usize, early: bool, score: f64, quality: u64| {
        Debate::of("dialectic", n)
            .topic(if n == 1 { "Parks?" } else { "Trams?" })
            .with("outcome/details/early_stopped", early)
            .with("outcome/details/auto_score/score", score)
            .with("outcome/details/quality_score", quality)
    };
    let label = |source: &str, name: &str, value: Value| json!({"source": source, "name": name, "value": value});
    let place = Place::of_debates(&[
        dialectic(1, true, 8.5, 6).with(
            "labels",
            json!([
                label("tool", "rating", json!(1)),
                label("user", "rating", json!(4))
            ]),
        ),
        dialectic(2, false, 7.0, 9)
            .with("outcome/details/auto_score", Value::Null)
            .with("labels", json!([label("user", "mood", json!(2))])),
        dialectic(3, false, 5.5, 3),
        Debate::of("moderated", 4).with("outcome/details/end_reason", "ended_by_moderator"),
        Debate::of("moderated", 5)
            .topic("Trams?")
            .with("outcome/details/end_reason", "completed"),
    ]);
    let found = place.found(&["--by", "format"]);
    let (dialectic, moderated) = (group(&found, "dialectic"), group(&found, "moderated"));
    assert_eq!(
        told(measure(dialectic, "auto_score")),
        (Some(7.0), 2, 2),
        "8.5 and 5.5"
    );
    assert_eq!(told(measure(dialectic, "quality_score")), (Some(6.0), 3, 2));
    assert_eq!(told(measure(dialectic, "rating")), (Some(4.0), 1, 1));
    close(&measure(dialectic, "early_stop")["value"], 1.0 / 3.0);
    assert_eq!(told(measure(moderated, "early_stop")), (Some(0.5), 2, 2));
}

#[test]
fn s2_time_cuts_and_incidents_by_kind() {
    let place = Place::of_debates(&[
        Debate::of("duel", 1)
            .topic("Parks?")
            .with("timing/total_ms", 90_000)
            .incident("cut")
            .incident("repair")
            .incident("cut"),
        Debate::of("duel", 2)
            .topic("Trams?")
            .with("timing/total_ms", 30_000)
            .with("statements/1/cut", true)
            .who("agent_a", "tokens", 100)
            .who("agent_b", "tokens", 300)
            .incident("repair"),
        Debate::of("duel", 3)
            .topic("Trams?")
            .with("timing/total_ms", 60_000)
            .failed("out of patience"),
    ]);
    let found = place.found(&["--by", "topic"]);
    let trams = group(&found, "Trams?");
    assert_eq!(trams["incidents"], json!({"repair": 1}));
    assert_eq!(told(measure(trams, "incidents")), (Some(0.5), 2, 1));
    assert_eq!(
        told(measure(trams, "cuts")),
        (Some(0.5), 2, 1),
        "one of two statements"
    );
    assert_eq!(
        told(measure(trams, "statement_tokens")),
        (Some(200.0), 2, 1)
    );
    let found = place.found(&[]);
    assert_eq!(
        group(&found, "")["incidents"],
        json!({"cut": 2, "repair": 2})
    );
    assert_eq!(told(of_all(&found, "wall_minutes")), (Some(1.0), 3, 2));
    let failures = found["failures"].as_array().expect("failures").iter();
    let failures: Vec<Value> = failures
        .map(|f| json!([f["kind"], f["incidents"], f["debates"]]))
        .collect();
    assert_eq!(
        failures,
        [
            json!(["cut", 2, [1]]),
            json!(["repair", 2, [1, 2]]),
            json!(["failed debate", 1, [3]])
        ]
    );
}

#[test]
fn s2_calls_that_were_answered_are_timed_by_model_and_purpose() {
    let call = |purpose: &str, tokens: u64, ms: u64| {
        json!({"call": "round-1", "attempt": 1, "purpose": purpose, "model": "llama-8", "outcome": "reply", "seed": 1,
            "prompt_tokens": 10, "reply_tokens": tokens, "prompt_ms": 500, "reply_ms": ms, "load_ms": 0,
            "at": "2026-11-22T07:55:02.018Z"})
    };
    let lost = json!({"call": "round-1", "attempt": 1, "purpose": "speak", "model": "llama-8", "outcome": "timeout",
        "at": "2026-11-22T07:55:02.018Z"});
    let debate = |n: usize, calls: &[Value]| {
        let debate = Debate::of("duel", n).used("llama-8", 1, 1, 1);
        debate.with("calls", calls)
    };
    let place = Place::of_debates(&[
        debate(
            1,
            &[call("speak", 100, 500), call("speak", 300, 1500), lost],
        ),
        debate(2, &[call("speak", 200, 9500), call("comment", 7, 1500)]),
    ]);
    let found = place.found(&[]);
    assert_eq!(found["damaged"], json!([]));
    let speeds = found["speeds"].as_array().expect("speeds").iter();
    let speeds: Vec<Value> = speeds
        .map(|of| {
            json!([
                of["model"],
                of["purpose"],
                of["calls"],
                of["tokens_p50"],
                of["seconds_p50"],
                of["debates"]
            ])
        })
        .collect();
    let speak = json!(["llama-8", "speak", 3, 200.0, 2.0, [1, 2]]);
    assert_eq!(
        speeds,
        [speak, json!(["llama-8", "comment", 1, 7.0, 2.0, [2]])]
    );
    // Nine tenths of the way from the second to the third: 2 s and 10 s.
    close(&found["speeds"][0]["seconds_p95"], 9.2);
    close(&found["speeds"][0]["tokens_p95"], 290.0);
}

#[test]
fn s2_a_failed_debate_is_counted_and_not_measured() {
    let failed = mixed().map(|debate| debate.failed("the disk is full"));
    let found = Place::of_debates(&failed).found(&[]);
    shows!(found, {"counts/planned": 4, "counts/failed": 4});
    let measures = group(&found, "")["measures"]
        .as_array()
        .expect("measures")
        .iter();
    let names: Vec<&str> = measures
        .filter_map(|measure| measure["name"].as_str())
        .collect();
    let whole = [
        "done",
        "unusable_judgments",
        "generously_read",
        "incidents",
        "reply_tokens",
        "prompt_tokens",
        "model_minutes",
        "wall_minutes",
    ];
    assert_eq!(names, whole);
    assert_eq!(found["leaderboards"]["points"], json!([]));
    assert!(
        found["comparisons"]
            .as_array()
            .expect("a list")
            .iter()
            .all(|family| family["pairs"] == json!([])),
        "{found}"
    );
}

#[test]
fn s2_one_topic_no_variation_and_nothing_are_null_with_the_reason() {
    let same = |n: usize, topic: &str| {
        Debate::of("duel", n)
            .topic(topic)
            .with("timing/total_ms", 60_000)
    };
    let one_topic = [
        same(1, "Parks?").with("timing/total_ms", 30_000),
        same(2, "Parks?"),
    ];
    let found = Place::of_debates(&one_topic).found(&[]);
    let minutes = of_all(&found, "wall_minutes");
    assert_eq!(told(minutes), (Some(0.75), 2, 1));
    shows!(minutes, {"low": null, "high": null, "se": null});
    assert_eq!(minutes["reason"], "one topic: no interval");
    let no_variation = Place::of_debates(&[same(1, "Parks?"), same(2, "Trams?")]);
    let found = no_variation.found(&[]);
    let minutes = of_all(&found, "wall_minutes");
    assert_eq!(told(minutes), (Some(1.0), 2, 2));
    shows!(minutes, {"low": null, "se": null});
    has(&minutes["reason"], "no variation");
    // A share of 0 of 2 has Wilson's interval, which does not claim certainty.
    let early = of_all(&found, "unusable_judgments");
    assert_eq!(early, &Value::Null, "there was no judgment");
    let done = of_all(&found, "done");
    close(
        &done["low"],
        2.0 / (2.0 + 1.959_963_984_540_054_f64.powi(2)),
    );
    let text = no_variation.rebut(&["stats", "output"]).stdout;
    let reason = "no variation: all values are equal, no interval";
    let mut note = text.lines().filter_map(|line| line.strip_suffix(reason));
    let row = format!("1.00 {} 2 2", note.next_back().expect("the reason").trim());
    let ends = text.lines().any(|line| squeezed(line).ends_with(&row));
    assert!(ends, "{text}");
}

#[test]
fn s2_no_number_is_nan_or_infinite_wherever_it_is_printed() {
    let place = Place::of_debates(&[
        Debate::of("duel", 1),
        Debate::of("moderated", 2).failed("gone"),
        Debate::of("knockout", 3),
        Debate::of("roundtable", 4),
        Debate::of("dialectic", 5).with("verdicts", json!([])),
        between(6, "llama-8", "llama-8").topic("Parks?"),
        between(7, "mistral-7", "mistral-7").topic("Trams?"),
    ]);
    for args in [
        &["--format", "text"][..],
        &["--format", "md"],
        &["--format", "json"],
        &["--format", "csv", "--by", "model,judge"],
    ] {
        let ended = place.rebut(&[&["stats", "output"], args].concat());
        let words = ended.stdout.split(|c: char| !c.is_ascii_alphanumeric());
        let bad: Vec<&str> = words
            .filter(|word| ["NaN", "inf", "Infinity"].contains(word))
            .collect();
        assert!(
            ended.code == 0 && bad.is_empty(),
            "{bad:?}\n{}{}",
            ended.stdout,
            ended.stderr
        );
    }
}

#[test]
fn s2_nothing_at_all_is_said_in_words() {
    let place = Place::of_debates(&[]);
    fs::create_dir(place.path().join("output")).expect("a directory");
    let found = place.found(&[]);
    shows!(found, {"counts/planned": 0, "debates": []});
    shows!(found, {"headlines": ["No debate was counted."], "survival": null});
    assert_eq!(found["comparisons"], json!([]));
    let csv = place.rebut_exits(0, &["stats", "output", "--format", "csv"]);
    assert_eq!(csv.stdout.lines().count(), 1, "{}", csv.stdout);
}

#[test]
fn s1_damaged_files_are_named_with_their_cause_and_counted() {
    let place = Place::of_debates(&mixed());
    let whole = String::from_utf8(Debate::of("duel", 9).bytes()).expect("UTF-8");
    let newer = String::from_utf8(Debate::of("duel", 9).with("schema_version", "2.0").bytes())
        .expect("UTF-8");
    let damaged = [
        ("truncated", &whole[..whole.len() / 2]),
        ("empty", ""),
        ("foreign", "{\"name\": \"something else\"}"),
        ("list", "[1, 2]"),
        ("newer", &newer),
    ];
    for (name, content) in damaged {
        place.write(&format!("output/2026-11-23/{name}/trace.json"), content);
    }
    let ended = place.rebut_exits(0, &["stats", "output", "--format", "json"]);
    let found: Value = serde_json::from_str(&ended.stdout).expect("JSON");
    shows!(found, {"counts/planned": 4, "counts/damaged": 5});
    for (at, name) in ["empty", "foreign", "list", "newer", "truncated"]
        .iter()
        .enumerate()
    {
        let file = &found["damaged"][at];
        assert_eq!(file["path"], format!("output/2026-11-23/{name}/trace.json"));
        let cause = file["cause"].as_str().expect("a cause");
        let told = ended
            .stderr
            .lines()
            .any(|line| line.contains(&format!("{name}/trace.json")) && line.contains(cause));
        assert!(told, "{cause:?} in\n{}", ended.stderr);
    }
    assert!(ended.stderr.contains("2.0"), "{}", ended.stderr);
    let last = "\nwarning: 5 files could not be read\n";
    for args in [&["stats"][..], &["report"], &["export", "--to", "csv"]] {
        let ended = place.rebut(args);
        assert!(
            ended.code == 0 && ended.stderr.ends_with(last),
            "{args:?}: {}",
            ended.stderr
        );
        assert_eq!(ended.stderr.matches("/trace.json").count(), 5);
    }
    let cautions = found["cautions"].as_array().expect("cautions");
    assert!(
        cautions.iter().any(|c| c
            .as_str()
            .is_some_and(|c| c.contains("5 files could not be read"))),
        "{cautions:?}"
    );
}

#[test]
fn s5_csv_has_a_row_for_each_group_and_measure() {
    let place = Place::of_debates(&mixed().map(|debate| debate.with("job", "a, \"b\"")));
    let ended = place.rebut(&["stats", "output", "--format", "csv", "--by", "job,format"]);
    let mut lines = ended.stdout.lines();
    let columns = "job,format,measure,label,scope,unit,n,topics,value,sd,se,low,high,reason";
    let crlf = ended.stdout.split_inclusive('\n');
    assert!(crlf.clone().count() > 1 && crlf.clone().all(|line| line.ends_with("\r\n")));
    assert_eq!(lines.next(), Some(columns), "{}", ended.stderr);
    let found = place.found(&["--by", "job,format"]);
    let count = |group: &Value| group["measures"].as_array().map_or(0, Vec::len);
    let all: usize = groups(&found).iter().map(|(_, group)| count(group)).sum();
    assert_eq!(lines.clone().count(), all);
    let total = lines
        .find(|line| line.contains("duel,score.total"))
        .expect("a total");
    let expected =
        "\"a, \"\"b\"\"\",duel,score.total,Total score,duel,score,4,2,6.5,1.2909944487358056,0.5,";
    assert!(total.starts_with(expected), "{total}");
}

#[test]
fn s1_a_copy_of_a_debates_directory_counts_once_and_is_told() {
    let place = Place::new();
    for at in ["0000", "0001", "0002"] {
        place.keep(at, &two_judges(1));
    }
    place.keep("0003", &two_judges(2));
    let found = place.found(&[]);
    shows!(found, {"counts/planned": 2, "counts/copies": 2});
    let told = found["cautions"].to_string();
    has(&told, "2 directories repeat debates from others");
}

#[test]
fn s1_directories_given_twice_in_another_order_or_in_parts_are_the_same() {
    let place = Place::new();
    let debates = mixed();
    // The last is written first.
    for (n, debate) in debates.iter().enumerate().rev() {
        place.keep(&format!("{n:04}"), debate);
    }
    let same = |dirs: &[&str]| {
        let ended = place.rebut(&[&["stats", "--format", "json"], dirs].concat());
        let mut found: Value = serde_json::from_str(&ended.stdout).expect("JSON");
        found["generated_at"] = Value::Null;
        found["provenance"]["command"] = Value::Null;
        found
    };
    let once = same(&["output"]);
    assert_eq!(once["counts"]["planned"], 4);
    let parts: Vec<String> = (0..4)
        .map(|n| format!("output/2026-11-22/{n:04}"))
        .collect();
    let parts: Vec<&str> = parts.iter().rev().map(String::as_str).collect();
    let whole = place.path().join("output");
    for dirs in [
        &["output", whole.to_str().expect("a path")][..],
        &["output/../output", "output/."],
        &["output/2026-11-22", "output"],
        &parts,
    ] {
        assert_eq!(same(dirs), once, "{dirs:?}");
    }
    let other = Place::of_debates(&debates);
    let mut other = other.found(&[]);
    other["generated_at"] = Value::Null;
    other["provenance"]["command"] = Value::Null;
    assert_eq!(other, once, "files that were written in another order");
}

/// Duels of three models on seven topics.
fn many() -> Vec<Debate> {
    let models = ["llama-8", "mistral-7", "phi-4"];
    let duel = |n: usize| {
        let (a, b) = (models[n % 3], models[(n + 1 + n / 3 % 2) % 3]);
        between(n, a, b)
            .topic(&format!("Topic {}?", n % 7))
            .winner(["agent_a", "agent_b", "draw"][((n * 40_503) >> 5) % 3])
            .with(
                "verdicts/0/judges/1/readings/0/totals/agent_a",
                (n % 5) as f64 + 0.1,
            )
            .used(a, 100 + n as u64, 10, 10)
    };
    (0..40).map(duel).collect()
}

#[test]
fn s3_any_number_of_threads_gives_the_same_bytes() {
    let debates = [many(), mixed().to_vec()].concat();
    let args = [
        "stats", "output", "--format", "json", "--by", "model", "--seed", "5",
    ];
    let bytes = |threads: &str| {
        let place = Place::of_debates(&debates);
        let out = end_of(place.command(&args).env("RAYON_NUM_THREADS", threads)).stdout;
        let dated = |line: &&str| line.starts_with("  \"generated_at\"");
        assert_eq!(out.lines().filter(dated).count(), 1);
        let rest = out.lines().filter(|line| !dated(line));
        rest.collect::<Vec<_>>().join("\n")
    };
    let one = bytes("1");
    assert!(one.contains("\"seed\": 5"));
    assert!(
        one == bytes("2") && one == bytes("16"),
        "threads change the bytes"
    );
}

#[test]
fn s3_the_seed_of_resampling_changes_intervals_only() {
    let place = Place::of_debates(&many());
    let row = |seed: &str| {
        place.found(&["--seed", seed])["leaderboards"]["strengths"][0]["rows"][0].clone()
    };
    let (one, two) = (row("1"), row("2"));
    assert_eq!((&one["elo"], &one["name"]), (&two["elo"], &two["name"]));
    assert_ne!(one["low"], two["low"]);
    assert_eq!(one, row("1"));
}

#[test]
fn j7_statistics_leave_rehearsals_out_unless_asked_and_say_how_many() {
    let debates = mixed().map(|debate| debate.with("rehearsal", true));
    let place = Place::of_debates(&[&debates[..], &[between(5, "llama-8", "mistral-7")]].concat());
    let found = place.found(&[]);
    let counts = &found["counts"];
    assert_eq!(counts["planned"], 1);
    shows!(counts, {"rehearsals": 0, "rehearsals_left_out": 4});
    let found = place.found(&["--include-rehearsals"]);
    let counts = &found["counts"];
    assert_eq!(counts["planned"], 5);
    shows!(counts, {"rehearsals": 4, "rehearsals_left_out": 0});
    let cautions = found["cautions"].to_string();
    has(&cautions, "4 of 5 debates are rehearsals");
    // One that a filter leaves out is not left out as a rehearsal.
    let counts = &place.found(&["--where", "format=knockout"])["counts"];
    shows!(counts, {"rehearsals_left_out": 1, "filtered_out": 4});
}

#[test]
fn j7_what_was_rehearsed_by_the_real_binary_is_left_out_and_told() {
    let place = Place::new();
    place.trace_of(SHORT_JOB, &["--rehearse"]);
    let ended = place.rebut(&["stats", "output"]);
    let out = ended.stdout + &ended.stderr;
    has_all(&out, &["No debate was counted", "1 rehearsal is excluded"]);
    assert_eq!(
        place.found(&["--include-rehearsals"])["counts"]["planned"],
        1
    );
}

#[test]
fn s2_what_the_real_binary_played_has_its_own_numbers() {
    let place = Place::new();
    place.trace_of(&format!("{SHORT_JOB}x: {{model: mistral}}\n"), &[]);
    let trace = place.trace();
    let found = place.found(&["--by", "model"]);
    for (model, used) in trace["usage"]["by_model"].as_object().expect("models") {
        let tokens = told(measure(group(&found, model), "reply_tokens"));
        assert_eq!(tokens, (used["reply_tokens"].as_f64(), 1, 1));
    }
    // Every ballot of the mock server gives 4 everywhere; X is not scored.
    assert_eq!(
        told(measure(group(&found, "llama3"), "score.total")),
        (Some(4.0), 1, 1)
    );
    assert_eq!(
        measure(group(&found, "mistral"), "score.total"),
        &Value::Null
    );
    assert_eq!(found["counts"]["judgments"]["valid"], 6);
}

#[test]
fn s5_a_small_corpus_reads_so_on_the_terminal() {
    let place = Place::of_debates(&mixed());
    let ended = place.rebut(&["stats", "output", "--by", "model"]);
    let name = format!("{}/tests/fixtures/stats.txt", env!("CARGO_MANIFEST_DIR"));
    let expected = snapbox::Data::read_from(std::path::Path::new(&name), None);
    let assert = snapbox::Assert::new().action_env(snapbox::assert::DEFAULT_ACTION_ENV);
    assert.eq(ended.stdout, expected.raw());
}

proptest! {
    #![proptest_config(ProptestConfig {
        rng_seed: proptest::test_runner::RngSeed::Fixed(1),
        cases: 64,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]
    #[test]
    fn s1_no_bytes_in_a_trace_make_the_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), at in 0.0_f64..1.0) {
        let place = tempfile::TempDir::new().expect("a directory");
        let whole = Debate::of("duel", 1).bytes();
        let cut = (whole.len() as f64 * at) as usize;
        let mixed = [&whole[..cut], b"\0", &bytes, &whole[cut..]].concat();
        std::fs::write(place.path().join("trace.json"), mixed).expect("a file");
        let corpus = rebut::stats::read::read(&[place.path().to_path_buf()], rebut::clock::Clock::system().now(), |_, _| {}).expect("a directory");
        prop_assert_eq!((corpus.debates.len(), corpus.damaged.len()), (0, 1));
    }
}
