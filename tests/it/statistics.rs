//! Rows S1, S2 and J7: `rebut stats` over a few debates whose numbers can be worked out by hand. Comparisons and judges stand in
//! `leaderboards.rs`, what many simulated debates show in `bias_detection.rs`.

use std::fs;

use crate::harness::properties::properties;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::harness::corpus::{Debate, between, two_judges};
use crate::harness::found::{
    T1, close, columns, group, groups, measure, of_all, squeezed, tells, told,
};
use crate::harness::{Place, SHORT_JOB, compare, end_of, has, has_all, lacks, read, shows};

/// Four debates on two topics: two duels with swapped seats, a moderated debate of one model against itself, a knockout.
fn mixed() -> [Debate; 4] {
    let duel = |n: usize, a: &str, b: &str| {
        Debate::of("duel", n).model("agent_a", a).model("agent_b", b).with("job", "a")
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
            .verdict("qwen-3", [("position_advocate_1", 6.0), ("position_advocate_2", 6.0)])
            .winner("draw")
            .used("llama-8", 900, 9000, 120_000),
        ys.fold(knockout, |debate, y| debate.model(&y, "mistral-7")),
    ]
}

/// The groups by some keys: their names and the numbers of their debates.
fn grouped(place: &Place, by: &str) -> String {
    let found = place.found(&["--by", by]);
    let each = groups(&found).into_iter();
    let line = |(name, group): (String, &Value)| format!("{name} {}", group["debates"]);
    each.map(line).collect::<Vec<_>>().join(", ")
}

#[test]
fn s1_debates_are_grouped_by_every_key_and_by_several() {
    let place = Place::of_debates(&mixed());
    for case in [
        "format: duel [1,2], knockout [4], moderated [3]",
        "job: a [1,2], b [3,4]",
        "topic: Parks? [1,3], Trams? [2,4]",
        "tag.wave: (none) [3,4], one [1], two [2]",
        "status: degraded [4], done [1,2,3]",
        "model: llama-8 [1,2,3,4], mistral-7 [1,2,4]",
        "persona: advocate [3,4], philosopher [1,2], scientist [1,2]",
        // Agents of a duel stand for nothing.
        "position: (none) [1,2], Against the motion [3,4], For the motion [3,4]",
        // Three of the knockout's debaters never came in.
        "order: (none) [4], first [1,2,3,4], last [1,2,3,4]",
        "participant: Advocate A [3], Advocate B [3], Philosopher [1,2], Scientist [1,2], \
         X [4], Y-1 [4], Y-2 [4], Y-3 [4], Y-4 [4]",
        "judge: gemma-2 [1,2,4], qwen-3 [3]",
        "job,status: a|done [1,2], b|degraded [4], b|done [3]",
        "model,order: llama-8|first [1,3,4], llama-8|last [2,3], \
         mistral-7|(none) [4], mistral-7|first [2], mistral-7|last [1,4]",
        "judge,format,model: gemma-2|duel|llama-8 [1,2], gemma-2|duel|mistral-7 [1,2], \
         gemma-2|knockout|llama-8 [4], gemma-2|knockout|mistral-7 [4], qwen-3|moderated|llama-8 [3]",
    ] {
        let (by, expected) = case.split_once(": ").expect("a key");
        assert_eq!(grouped(&place, by), expected, "--by {by}");
    }
}

#[test]
fn s2_a_contestants_group_holds_its_own_scores_and_its_models_own_tokens() {
    let place = Place::of_debates(&mixed());
    let found = place.found(&["--by", "format,model"]);
    let expected = [
        ("duel|llama-8", "score.total", 7.5, 2, 2),   // 8 and 7
        ("duel|mistral-7", "score.total", 5.5, 2, 2), // 6 and 5
        ("duel|llama-8", "score.relevance", 7.5, 2, 2),
        ("duel|llama-8", "win_rate", 1.0, 2, 2),
        ("duel|mistral-7", "win_rate", 0.0, 2, 2),
        ("duel|llama-8", "reply_tokens", 150.0, 2, 2), // 100 and 200
        ("duel|llama-8", "prompt_tokens", 1500.0, 2, 2),
        ("duel|mistral-7", "reply_tokens", 400.0, 2, 2), // 300 and 500
        ("duel|llama-8", "model_minutes", 1.0, 2, 2),
    ];
    tells(&found, &expected);
    let own = group(&found, "moderated|llama-8");
    assert!(measure(own, "win_rate").is_null(), "it met itself");
    // (100 + 200 + 900 + 40) / 4
    let by_model = place.found(&["--by", "model"]);
    tells(&by_model, &[("llama-8", "reply_tokens", 310.0, 4, 2)]);
    let all = place.found(&[]);
    close(&of_all(&all, "reply_tokens")["value"], 2127.0 / 4.0);
    let nobodys = of_all(&all, "win_rate");
    assert_eq!(nobodys, &Value::Null, "of nobody in particular");
    tells(&all, &[("", "draws", 0.0, 2, 2)]); // of duels
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
    let by_both = [
        ("gemma-2|first", "score.total", 8.5, 2, 2), // 8 and 9
        ("gemma-2|last", "score.total", 4.0, 2, 2),  // 5 and 3
        ("qwen-3|first", "score.total", 6.0, 1, 1),
        ("qwen-3|last", "score.total", 7.0, 1, 1),
    ];
    tells(&place.found(&["--by", "judge,order"]), &by_both);
    let by_order = [
        ("first", "score.total", 8.0, 2, 2), // 7 and 9
        ("last", "score.total", 4.5, 2, 2),  // 6 and 3
        ("first", "win_rate", 1.0, 2, 2),
    ];
    tells(&place.found(&["--by", "order"]), &by_order);
}

#[test]
fn s1_filters_choose_any_value_of_one_key_and_all_keys() {
    let place = Place::of_debates(&mixed());
    for (filters, chosen, left_out) in [
        ("job=a", json!([1, 2]), 2),
        ("format=knockout format=moderated", json!([3, 4]), 2),
        ("job=b topic=Trams?", json!([4]), 3),
        ("model=mistral-7", json!([1, 2, 4]), 1),
        ("judge=qwen-3", json!([3]), 3),
        ("tag.wave=two", json!([2]), 3),
        ("status=degraded", json!([4]), 3),
        ("job=a format=knockout", json!([]), 4),
    ] {
        let filters = filters.split(' ').flat_map(|filter| ["--where", filter]);
        let found = place.found(&filters.collect::<Vec<_>>());
        let debates = found["debates"].as_array().expect("debates").iter();
        let number = |debate: &Value| {
            let place = debate["path"].as_str().and_then(|path| path.chars().last());
            place.and_then(|place| place.to_digit(10)).map(|place| place + 1)
        };
        let numbers = debates.map(|debate| json!(number(debate))).collect::<Value>();
        assert_eq!(numbers, chosen, "{found}");
        assert_eq!(found["counts"]["filtered_out"], left_out, "{chosen}");
    }
    let none = place.rebut_exits(2, &["stats", "output", "--where", "job=none"]);
    has(&none.stderr, "nothing to report: no debates counted");
}

#[test]
fn s1_topics_that_differ_only_in_letter_case_or_blanks_around_are_one() {
    let topics = ["Parks?", " parks?", "PARKS? ", "Trams?"];
    let debates = (1..).zip(topics).map(|(n, topic)| {
        between(n, "llama-8", "mistral-7")
            .topic(topic)
            .with("plan/pairing/cell", json!({"topic": topic}))
    });
    let place = Place::of_debates(&debates.collect::<Vec<_>>());
    // The first debate's spelling.
    assert_eq!(grouped(&place, "topic"), "Parks? [1,2,3], Trams? [4]");
    let found = place.found(&["--by", "topic"]);
    shows!(found, {"counts/topics": 2, "comparisons/0/pairs/0/difference/clusters": 2});
    let counted = |filter: &str| place.found(&["--where", filter])["counts"]["counted"].clone();
    assert_eq!(counted("topic=parks? "), 3);
    assert_eq!(counted("topic=park"), 0);
}

#[test]
fn s1_on_one_topic_what_only_several_can_say_is_left_out_and_named() {
    let one = Place::of_debates(&mixed().map(|debate| debate.topic("Parks?")));
    let stats = |place: &Place, args: &[&str]| {
        let ended = place.rebut_exits(0, &[&["stats", "output", "--full"], args].concat());
        squeezed(&ended.stdout)
    };
    let text = stats(&one, &[]);
    has_all(
        &text,
        &[
            "Findings from 4 debates on 1 topic",
            "- All debates are on one topic: no number has an interval.",
            "Omitted, because one topic says little about them: more leaderboards, who beats whom, paired differences, scores by criterion, order and side, judges, survival in rotation, numbers by group.",
        ],
    );
    let [single, ..] = mixed();
    // Brackets in a topic are no interval.
    let single = Place::of_debates(&[single.topic("Should X [draft] pass?")]);
    single.rebut_exits(0, &["report", "output", "-o", "r.md"]);
    let report = read(&single.path().join("r.md"));
    lacks(&report, &["one topic", "[95%", "No leaderboard", "Intervals are 95%"]);
    let shown = single.rebut_exits(0, &["stats", "output"]).stdout;
    has(&shown, "Should X [draft] pass?");
    lacks(&shown, &["Intervals are 95%"]);
    has(&report, "This report was written by `rebut report output -o r.md`.\n");
    let grouped = stats(&one, &["--by", "model"]);
    has_all(&grouped, &["Numbers by group", "By model: "]);
    // The one reason stands among the caveats, not in every table.
    lacks(&text, &["Strength by", "p (Holm)", "one topic: no interval"]);
    let short = one.rebut_exits(0, &["stats", "output"]).stdout;
    has_all(&short, &["\nOutcomes\n", "\n- Parks? ", " ./output/"]);
    // Whoever asks for more than what fits a terminal has all of it, and so has who debated on two.
    has(&stats(&one, &["--format", "md"]), "Strength by model");
    let several = stats(&Place::of_debates(&mixed()), &[]);
    has_all(&several, &["Strength by model", "Intervals are 95%, clustered by topic. All numbers"]);
    lacks(&several, &["Left out"]);
}

#[test]
fn s1_stats_prints_what_matters_first_and_everything_on_request() {
    let place = Place::of_debates(&mixed());
    let lines = |args: &[&str]| {
        let text = place.rebut_exits(0, &[&["stats", "output"], args].concat()).stdout;
        text.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    let (short, full) = (lines(&[]), lines(&["--full"]));
    assert!(short.len() <= 62 && short.len() * 3 < full.len(), "{} of {}", short.len(), full.len());
    let told = short.join("\n");
    has_all(&told, &["Key findings", "Caveats", "Leaderboard", "The full report: --full"]);
    has(&full.join("\n"), "Numbers by group");
    lacks(&told, &["Numbers by group"]);
    has_all(&lines(&["--by", "model"]).join("\n"), &["Numbers by group", "By model: "]);
}

#[test]
fn s1_a_filter_that_lets_nothing_pass_says_what_there_is() {
    let place = Place::of_debates(&mixed());
    let out = "warning: --where excludes everything: 4 debates\n";
    let values = |said: &str| format!("{out}warning: values of {said}\n");
    for (filters, said) in [
        ("status=Done", values("`status`: degraded, done")),
        ("model=nope job=a model=none", values("`model`: llama-8, mistral-7")),
        ("judge=nope", values("`judge`: gemma-2, qwen-3")),
        ("job=a format=knockout", out.to_owned()),
        ("job=a", String::new()),
    ] {
        let filters: Vec<&str> =
            filters.split(' ').flat_map(|filter| ["--where", filter]).collect();
        for (command, error) in [
            (&["stats"][..], "nothing to report: no debates counted"),
            (&["export", "--to", "csv"], "no debate to export; no file was written"),
        ] {
            let error = match said.as_str() {
                "" => String::new(),
                said => format!("{said}error: {error}\n"),
            };
            let code = if error.is_empty() { 0 } else { 2 };
            let ended = place.rebut_exits(code, &[command, &filters].concat());
            assert_eq!(ended.stderr, error, "{command:?} {filters:?}");
        }
    }
    let none = place.rebut_exits(2, &["stats", "--verdicts", "panel:none"]);
    has(&none.stderr, "error: nothing to report: no debates counted");
    for (args, code) in [(["--where", "setting.roundz=2"], 2), (["--by", "setting.roundz"], 0)] {
        let ended = place.rebut_exits(code, &[&["stats"][..], &args].concat());
        has(&ended.stderr, "warning: no debate has a value for `setting.roundz`");
    }
}

#[test]
fn s1_of_many_values_ten_are_named() {
    let debates = (0..13).map(|n| two_judges(n).with("job", format!("job-{n:02}")));
    let place = Place::of_debates(&debates.collect::<Vec<_>>());
    let ten: Vec<String> = (0..10).map(|n| format!("job-{n:02}")).collect();
    let ended = place.rebut(&["stats", "--where", "job=nope"]);
    shows!(ended, {"stderr contains": format!(": {} and 3 more\n", ten.join(", "))});
}

#[test]
fn s1_keys_are_trimmed_and_each_counts_once() {
    let place = Place::of_debates(&mixed());
    let expected = grouped(&place, "model,format");
    for by in ["model, format", " model , format ", "model,format,model"] {
        assert_eq!(grouped(&place, by), expected, "{by:?}");
    }
    for args in [["--by", "tag."], ["--where", "tag.=x"]] {
        let ended = place.rebut_exits(2, &[&["stats"][..], &args].concat());
        let lacks = "error: `tag.` lacks the tag's name: use tag.NAME";
        shows!(ended, {"stderr starts": lacks});
    }
}

#[test]
fn s5_a_report_of_nothing_is_not_written_and_says_what_was_left_out() {
    let rehearsed = two_judges(1).with("rehearsal", true);
    let place = Place::of_debates(&[rehearsed.with("job", "a")]);
    let nothing = "error: nothing to report: no debates counted\n";
    let left_out = "hint: 1 rehearsal excluded; include them with --include-rehearsals\n";
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
    place.rebut_exits(0, &["report", "-o", "new/report.html", "--include-rehearsals"]);
    for filter in [&[][..], &["--where", "job=a"]] {
        let told = place.rebut_exits(0, &[&["stats"], filter].concat()).stdout;
        has_all(&told, &["No debate was counted.", "1 rehearsal is excluded: count them"]);
        lacks(&told, &["one topic"]);
    }
}

#[test]
fn s5_a_report_makes_its_directory_or_names_the_file_that_it_cannot_write() {
    let place = Place::of_debates(&mixed());
    let ended = place.rebut_exits(0, &["report", "-o", "new/deep/report.json"]);
    shows!(ended, {"stdout ends": "\nwrote new/deep/report.json\n"});
    let dir = place.path().join("new/deep");
    let found: Value = serde_json::from_str(&read(&dir.join("report.json"))).expect("JSON");
    let debate = found["debates"][0]["path"].as_str().expect("a path");
    assert!(dir.join(debate).join("trace.json").is_file(), "{debate}");
    fs::create_dir(place.path().join("taken.md")).expect("a directory");
    place.write("file", "");
    for file in ["taken.md", "file/report.md"] {
        let ended = place.rebut_exits(2, &["report", "-o", file]);
        let hint = "hint: write to another file with -o";
        shows!(ended, {"stderr contains": hint, "stderr lacks": ".new"});
    }
}

#[test]
fn s1_what_is_no_key_is_refused_with_the_keys() {
    let place = Place::of_debates(&[]);
    fs::create_dir_all(place.path().join("output/.rebut")).expect("a directory");
    let keys: Vec<&str> =
        "format job topic tag.NAME model persona position order participant judge status"
            .split(' ')
            .collect();
    for args in [["--by", "modle"], ["--where", "modle=x"], ["--by", "tag."]] {
        let ended = place.rebut_exits(2, &[&["stats", "output", "--full"][..], &args].concat());
        has_all(&ended.stderr, &keys);
    }
    let ended = place.rebut_exits(2, &["stats", "output", "--where", "modle=x"]);
    has(&ended.stderr, "unknown key `modle`; did you mean `model`?");
    let ended = place.rebut_exits(2, &["stats", "output", "--where", "model"]);
    has(&ended.stderr, "KEY=VALUE");
    let ended = place.rebut_exits(2, &["stats", "elsewhere"]);
    has(&ended.stderr, "elsewhere");
}

#[test]
fn s2_counts_tell_how_debates_and_judgments_went() {
    let degraded = |n: usize| two_judges(n).with("status", "degraded");
    let place = Place::of_debates(&[
        between(1, "llama-8", "mistral-7").topic("Parks?"),
        degraded(2).origin("agent_a", "emergency"),
        degraded(3).origin("agent_b", "fallback"),
        Debate::of("duel", 4)
            .no_verdict("gemma-2", ["agent_a", "agent_b"], "invalid")
            .no_verdict("qwen-3", ["agent_a", "agent_b"], "abstained")
            .with("status", "degraded"),
        two_judges(5).failed("the server is gone"),
    ]);
    let found = place.found(&[]);
    let judgments = json!({"planned": 10, "valid": 8, "invalid": 1, "abstained": 1});
    let expected = json!({"counted": 5, "planned": null, "unfinished": 0, "not_started": 0, "done": 1, "degraded": 3, "failed": 1, "emergency": 1, "fallback": 1, "decided": 3, "weak": 3, "controls": 0, "topics": 2,
        "topics_effective": 25.0 / 17.0, "models": 2, "judges": 2, "rehearsals": 0, "rehearsals_left_out": 0, "older_plans_left_out": 0, "filtered_out": 0, "copies": 0,
        "repetitions": 0, "damaged": 0, "judgments": judgments});
    assert_eq!(found["counts"], expected);
    assert_eq!(group(&found, "")["counts"], expected);
    tells(&found, &[("", "done", 0.2, 5, 2)]);
    tells(&found, &[("", "unusable_readings", 0.2, 10, 2)]);
    let by_judge = place.found(&["--by", "judge"]);
    let gemma = &group(&by_judge, "gemma-2")["counts"];
    // Not the other judge's.
    let own = json!({"planned": 5, "valid": 4, "invalid": 1, "abstained": 0});
    shows!(gemma, {"judgments": own, "judges": 1});
    tells(&by_judge, &[("gemma-2", "unusable_readings", 0.2, 5, 2)]);
    shows!(found, {"debates/0/cause": null, "debates/4/cause": "the server is gone"});
    has(
        &found["cautions"],
        "Something important, such as a judge, is missing in 3 of 5 debates (degraded): ",
    );
}

#[test]
fn s2_scores_are_averaged_over_judges_first_and_their_interval_is_clustered_by_topic() {
    let coherence = "verdicts/0/judges/0/readings/0/scores/agent_a.coherence";
    let second = Debate::of("duel", 2)
        .topic("Trams?")
        .verdict("gemma-2", [("agent_a", 9.0), ("agent_b", 3.0)])
        .with(coherence, 2.0)
        .winner("agent_a");
    let place = Place::of_debates(&[two_judges(1).topic("Parks?"), second]);
    let found = place.found(&[]);
    let expected = [
        ("", "score.total", 6.25, 4, 2), // 7 and 6 on one topic, 9 and 3 on the other
        ("", "score.coherence", 4.5, 4, 2), // 7, 6, 2, 3
        ("", "score.relevance", 6.25, 4, 2),
    ];
    tells(&found, &expected);
    // Deviations .75, -.25, 2.75, -3.25: squares add up to 18.75, topics to .5 and -.5.
    let total = of_all(&found, "score.total");
    close(&total["sd"], 2.5);
    close(&total["se"], 0.25);
    close(&total["low"], 6.25 - T1 * 0.25);
    close(&total["high"], 6.25 + T1 * 0.25);
    shows!(total, {"unit": "score", "format": "duel"});
}

#[test]
fn s2_formats_are_not_averaged_together() {
    let found = Place::of_debates(&mixed()).found(&[]);
    let all = columns(&group(&found, "")["measures"], "name format value n");
    let totals =
        all.as_array().into_iter().flatten().filter(|total| total[0] == "score.total").cloned();
    let expected = json!([
        ["score.total", "duel", 6.5, 4],
        ["score.total", "knockout", 3.0, 1],
        ["score.total", "moderated", 6.0, 2],
    ]);
    assert_eq!(totals.collect::<Value>(), expected);
}

/// A knockout of the rounds after which its debaters stay or go.
fn knockout(n: usize, rounds: [(u32, bool); 3]) -> Debate {
    let each = (1_u32..).zip(rounds);
    each.fold(Debate::of("knockout", n), |debate, (round, (who, goes))| {
        debate.rotation(round, &format!("position_y_{who}"), goes)
    })
}

#[test]
fn s2_rotations_stands_and_late_rounds_of_knockouts() {
    let place = Place::of_debates(&[
        knockout(1, [(1, false), (1, true), (2, false)])
            .topic("Parks?")
            .with("timing/rounds_ms", json!([31_000, 10_000, 30_000])),
        knockout(2, [(1, false), (1, false), (1, false)])
            .topic("Trams?")
            .with("timing/rounds_ms", json!([40_000])),
    ]);
    let found = place.found(&[]);
    let expected = [
        ("", "rotations", 0.5, 2, 2),
        ("", "stand", 2.0, 3, 2),       // 2, 1 and 3 rounds
        ("", "late_rounds", 0.5, 4, 2), // 30 s is not over 30 s
    ];
    tells(&found, &expected);
    let step = "round at_risk ended censored survival";
    let steps = columns(&found["survival"]["steps"], step);
    let expected = json!([[1, 3, 0, 1, 1.0], [2, 2, 1, 0, 0.5], [3, 1, 0, 1, 0.5]]);
    assert_eq!(steps, expected);
}

/// The same where a member of the team spoke as well.
fn heard(debate: Debate, id: &str) -> Debate {
    let mut all = debate.value()["statements"].clone();
    let statements = all.as_array_mut().expect("statements");
    let first = statements.iter().find(|s| s["by"] == "position_y_1");
    let mut said = first.expect("a statement").clone();
    said["by"] = json!(id);
    statements.push(said);
    debate.with("statements", all)
}

#[test]
fn s2_a_knockout_with_a_winner_counts_as_won_by_x_or_by_whoever_debated_for_the_team() {
    let debate = |n: usize| {
        knockout(n, [(1, true), (2, false), (2, false)])
            .model("position_x", "llama-8")
            .model("position_y_1", "mistral-7")
            .model("position_y_2", "mistral-7")
    };
    let mixed = heard(debate(5).model("position_y_2", "qwen-3"), "position_y_2");
    let swapped = |n: usize| {
        let debate = debate(n).model("position_x", "mistral-7");
        debate.model("position_y_1", "llama-8")
    };
    let place = Place::of_debates(&[
        heard(debate(1), "position_y_2").topic("Parks?").winner("position_y"),
        debate(2).topic("Trams?").winner("position_x"),
        debate(3).topic("Bikes?").winner("draw"),
        // Before no neutral judges nobody wins.
        debate(4).topic("Boats?"),
        mixed.topic("Trains?").winner("position_y"),
        swapped(6).topic("Ships?").winner("position_x"),
        swapped(7).topic("Planes?").winner("position_y"),
    ]);
    let found = place.found(&["--by", "participant"]);
    let expected = [
        ("X", "win_rate", 2.5 / 6.0, 6, 6),
        ("Y-1", "win_rate", 3.5 / 6.0, 6, 6),
        ("Y-2", "win_rate", 1.0, 2, 2),
    ];
    tells(&found, &expected);
    let silent = measure(group(&found, "Y-3"), "win_rate");
    assert!(silent.is_null(), "who did not debate neither won nor lost");
    let board = &found["leaderboards"]["strengths"][0];
    let left_out = json!({"a team of different contestants": 1});
    assert_eq!((&board["comparisons"], &board["left_out"]), (&json!(5), &left_out));
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

/// The same, but that one specialist spoke and was asked once more: what it then said is no part of a round.
fn with_extra_turns(debate: Debate) -> Debate {
    let mut stances = debate.value()["stances"].clone();
    let mut again = stances[0].clone();
    again["stance"] = json!("sell");
    again["reading"]["call"] = json!("final/stance/specialist_1");
    stances.as_array_mut().expect("a list").push(again);
    debate.with("stances", stances)
}

#[test]
fn s2_consensus_its_rounds_and_the_leading_share() {
    let (buy, hold) = (Some("buy"), Some("hold"));
    let split = [buy, hold, hold];
    let place = Place::of_debates(&[
        with_extra_turns(roundtable(1, &[[buy; 3]], buy).topic("Parks?")),
        roundtable(2, &[split, [buy, hold, None], [hold; 3]], hold).topic("Trams?"),
        roundtable(3, &[split], None).topic("Trams?"),
        // Nobody asked for a debate: no consensus was sought.
        roundtable(4, &[], None).with("outcome/details/triggered", false),
    ]);
    let found = place.found(&[]);
    close(&of_all(&found, "consensus")["value"], 2.0 / 3.0);
    assert_eq!(of_all(&found, "consensus")["n"], 3);
    tells(&found, &[("", "consensus_rounds", 2.0, 2, 2)]); // 1 and 3
    // Of weights 2, 1 and 1: all, half and half; then half; then all. Those that stop keep their last share.
    let rounds = columns(&found["consensus"], "round leading/value leading/n held");
    let (second, third) = ((1.0 + 0.5 + 0.5) / 3.0, (1.0 + 1.0 + 0.5) / 3.0);
    assert_eq!(rounds, json!([[1, 2.0 / 3.0, 3, 3], [2, second, 3, 1], [3, third, 3, 1]]));
}

#[test]
fn s2_of_one_debate_of_each_kind_no_others_are_spoken_of() {
    let [_, _, moderated, _] = mixed();
    let totals = [("position_advocate_1", 7.0), ("position_advocate_2", 6.0)];
    let place = Place::of_debates(&[
        moderated.verdict("gemma-2", totals).winner("position_advocate_1"),
        roundtable(2, &[[Some("buy"); 3], [Some("hold"); 3]], Some("hold")).topic("Trams?"),
    ]);
    let text = squeezed(&place.rebut_exits(0, &["stats", "output", "--full"]).stdout);
    has_all(
        &text,
        &[
            "one debate, so order and side cannot be separated from strength",
            " after round 2, over 1 roundtable ",
            "valid judgments 2 of 2 requested",
        ],
    );
    lacks(&text, &["without exception", "of which held", "ballots and", "Points count only"]);
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
    let compared = |better: &str, changed: [bool; 2]| {
        let judges = changed.map(|it| json!({"better": better, "changed_with_the_order": it}));
        json!({"better": better, "judges": judges})
    };
    let label = |source: &str, name: &str, value: u64| json!({"source": source, "name": name, "value": value});
    let rated = json!([label("tool", "rating", 1), label("user", "rating", 4)]);
    let moderated =
        |n: usize, end: &str| Debate::of("moderated", n).with("outcome/details/end_reason", end);
    let place = Place::of_debates(&[
        dialectic(1, true, 8.5, 6)
            .with("labels", rated)
            .with("outcome/details/comparison", compared("final", [false, false])),
        dialectic(2, false, 7.0, 9)
            .with("outcome/details/auto_score", Value::Null)
            .with("labels", json!([label("user", "mood", 2)]))
            .with("outcome/details/comparison", Value::Null),
        dialectic(3, false, 5.5, 3)
            .with("outcome/details/comparison", compared("equal", [true, false])),
        moderated(4, "ended_by_moderator"),
        moderated(5, "completed").topic("Trams?"),
    ]);
    let found = place.found(&["--by", "format"]);
    let expected = [
        ("dialectic", "auto_score", 7.0, 2, 2), // 8.5 and 5.5
        ("dialectic", "quality_score", 6.0, 3, 2),
        ("dialectic", "rating", 4.0, 1, 1),
        ("dialectic", "improved", 0.75, 2, 2),
        ("dialectic", "comparison_flips", 0.25, 2, 2), // none of two judges and one of two
        ("moderated", "early_stop", 0.5, 2, 2),
    ];
    tells(&found, &expected);
    let early = measure(group(&found, "dialectic"), "early_stop");
    close(&early["value"], 1.0 / 3.0);
}

#[test]
fn s2_time_cuts_and_incidents_by_kind() {
    let duel = |n: usize, ms: u64| Debate::of("duel", n).with("timing/total_ms", ms);
    let place = Place::of_debates(&[
        ["cut", "repair", "cut"]
            .iter()
            .fold(duel(1, 90_000).topic("Parks?"), |debate, kind| debate.incident(kind)),
        duel(2, 30_000)
            .topic("Trams?")
            .with("statements/1/cut", true)
            .who("agent_a", "tokens", 100)
            .who("agent_b", "tokens", 300)
            .incident("repair"),
        duel(3, 60_000).topic("Trams?").failed("out of patience"),
    ]);
    let found = place.found(&["--by", "topic"]);
    assert_eq!(group(&found, "Trams?")["incidents"], json!({"repair": 1}));
    let expected = [
        ("Trams?", "incidents", 0.5, 2, 1),
        ("Trams?", "cuts", 0.5, 2, 1), // one of two statements
        ("Trams?", "statement_tokens", 200.0, 2, 1),
    ];
    tells(&found, &expected);
    let found = place.found(&[]);
    shows!(group(&found, ""), {"incidents": {"cut": 2, "repair": 2}});
    tells(&found, &[("", "wall_minutes", 1.0, 3, 2)]);
    let failures = json!([["cut", 2, [1]], ["repair", 2, [1, 2]], ["failed debate", 1, [3]]]);
    let found = columns(&found["failures"], "kind incidents debates");
    assert_eq!(found, failures);
    // People read words.
    let text = place.rebut_exits(0, &["stats", "output", "--full"]).stdout;
    has(&text, "statements cut are the most frequent, 2 of 5");
    let lines: Vec<String> = text.lines().map(squeezed).collect();
    for line in ["unusable replies asked for again 2 2", "failed debates 1 1"] {
        assert!(lines.contains(&line.to_owned()), "{text}");
    }
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
    let mut untold = call("speak", 5, 5);
    untold.as_object_mut().expect("a call").remove("reply_tokens");
    let debate = |n: usize, calls: &[Value]| {
        let debate = Debate::of("duel", n).used("llama-8", 1, 1, 1);
        debate.with("calls", calls)
    };
    let first = [call("speak", 100, 500), call("speak", 300, 1500), lost];
    let second = [call("speak", 200, 9500), call("comment", 7, 1500), untold];
    let found = Place::of_debates(&[debate(1, &first), debate(2, &second)]).found(&[]);
    assert_eq!(found["damaged"], json!([]));
    let expected = json!([
        ["llama-8", "speak", 3, 200.0, 2.0, [1, 2]],
        ["llama-8", "comment", 1, 7.0, 2.0, [2]],
    ]);
    let paths = "model purpose calls tokens_p50 seconds_p50 debates";
    assert_eq!(columns(&found["speeds"], paths), expected);
    // Nine tenths of the way from the second to the third: 2 s and 10 s.
    close(&found["speeds"][0]["seconds_p95"], 9.2);
    close(&found["speeds"][0]["tokens_p95"], 290.0);
    // The sum of a debate that lacks a count is no sum; its time is whole.
    let n = |of: &str| of_all(&found, of)["n"].clone();
    assert_eq!(
        (n("reply_tokens"), n("prompt_tokens"), n("model_minutes")),
        (json!(1), json!(2), json!(2))
    );
    let told = "The tokens or times of 1 call are not known: debates with such calls are in no mean of what is missing.";
    assert!(found["cautions"].as_array().expect("cautions").contains(&json!(told)), "{found:#}");
}

#[test]
fn s2_a_failed_debate_is_counted_and_not_measured() {
    let failed = mixed().map(|debate| debate.failed("the disk is full"));
    let found = Place::of_debates(&failed).found(&[]);
    shows!(found, {"counts/counted": 4, "counts/failed": 4, "leaderboards/points": []});
    let names: Vec<&str> =
        "done unusable_ballots unusable_readings generous_ballots generous_readings incidents \
        reply_tokens prompt_tokens model_minutes wall_minutes"
            .split(' ')
            .collect();
    assert_eq!(columns(&group(&found, "")["measures"], "name"), json!(names));
    let pairs = columns(&found["comparisons"], "pairs");
    let mut pairs = pairs.as_array().into_iter().flatten();
    assert!(pairs.all(|pairs| *pairs == json!([])), "{found}");
}

#[test]
fn s2_one_topic_no_variation_and_nothing_are_null_with_the_reason() {
    let same = |n: usize, topic: &str, ms: u64| {
        let debate = Debate::of("duel", n).topic(topic);
        debate.with("timing/total_ms", ms)
    };
    let one_topic = [same(1, "Parks?", 30_000), same(2, "Parks?", 60_000)];
    let found = Place::of_debates(&one_topic).found(&[]);
    tells(&found, &[("", "wall_minutes", 0.75, 2, 1)]);
    let nothing =
        json!({"low": null, "high": null, "se": null, "reason": "one topic: no interval"});
    compare(of_all(&found, "wall_minutes"), &nothing);
    let no_variation = [same(1, "Parks?", 60_000), same(2, "Trams?", 60_000)];
    let no_variation = Place::of_debates(&no_variation);
    let found = no_variation.found(&[]);
    tells(&found, &[("", "wall_minutes", 1.0, 2, 2)]);
    let nothing = json!({"low": null, "se": null, "reason contains": "no variation"});
    compare(of_all(&found, "wall_minutes"), &nothing);
    // A share of 0 of 2 has Wilson's interval, which does not claim certainty.
    for unusable in ["unusable_readings", "unusable_ballots"] {
        assert_eq!(of_all(&found, unusable), &Value::Null, "there was no judgment");
    }
    let z = 1.959_963_984_540_054_f64;
    close(&of_all(&found, "done")["low"], 2.0 / (2.0 + z.powi(2)));
    let text = no_variation.rebut(&["stats", "output", "--full"]).stdout;
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
    for args in ["text", "md", "json", "csv --by model,judge"] {
        let args = format!("stats output --format {args}");
        let ended = place.rebut_exits(0, &args.split(' ').collect::<Vec<_>>());
        let words = ended.stdout.split(|c: char| !c.is_ascii_alphanumeric());
        let bad = words.filter(|word| ["NaN", "inf", "Infinity"].contains(word));
        assert_eq!(bad.count(), 0, "{args}: {}", ended.said());
    }
}

#[test]
fn s2_nothing_at_all_is_said_in_words() {
    let place = Place::of_debates(&[]);
    fs::create_dir_all(place.path().join("output/.rebut")).expect("a directory");
    shows!(place.found(&[]), {
        "counts/counted": 0, "debates": [], "headlines": ["No debate was counted."],
        "survival": null, "comparisons": [],
    });
    let csv = place.rebut_exits(0, &["stats", "output", "--format", "csv"]);
    assert_eq!(csv.stdout.lines().count(), 1, "{}", csv.stdout);
}

#[test]
fn s1_damaged_files_are_named_with_their_cause_and_counted() {
    let place = Place::of_debates(&mixed());
    let whole = Debate::of("duel", 9);
    let newer = whole.clone().with("schema_version", "2.0");
    let [whole, newer] = [whole, newer].map(|debate| debate.value().to_string());
    let damaged = [
        ("empty", ""),
        ("foreign", "{\"name\": \"something else\"}"),
        ("list", "[1, 2]"),
        ("newer", &newer),
        ("truncated", &whole[..whole.len() / 2]),
    ];
    for (name, content) in damaged {
        place.write(&format!("output/2026-11-23/{name}/trace.json"), content);
    }
    let ended = place.rebut_exits(0, &["stats", "output", "--format", "json"]);
    let found: Value = serde_json::from_str(&ended.stdout).expect("JSON");
    shows!(found, {
        "counts/counted": 4, "counts/damaged": 5, "cautions contains": "5 files that cannot be read are not counted",
    });
    for (at, (name, _)) in damaged.iter().enumerate() {
        let file = &found["damaged"][at];
        assert_eq!(file["path"], format!("output/2026-11-23/{name}/trace.json"));
        let mut lines = ended.stderr.lines();
        let line = lines.find(|line| line.contains(&format!("{name}/trace.json")));
        has(&line.expect("a line"), file["cause"].as_str().expect("a cause"));
    }
    has(&ended.stderr, "2.0");
    for args in [&["stats"][..], &["report"], &["export", "--to", "csv"]] {
        let ended = place.rebut_exits(0, args);
        let last = ended
            .stderr
            .ends_with("\nwarning: 5 files could not be read; `rebut show FILE` says what to do\n");
        assert!(last, "{args:?}: {}", ended.stderr);
        assert_eq!(ended.stderr.matches("/trace.json").count(), 5);
        // Everything is done all the same.
        let strict = place.rebut_exits(1, &[args, &["--strict"]].concat());
        assert_eq!((strict.stdout, strict.stderr), (ended.stdout, ended.stderr));
    }
    let sound = Place::of_debates(&mixed());
    sound.rebut_exits(0, &["stats", "--strict"]);
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
    let total = lines.find(|line| line.contains("duel,score.total")).expect("a total");
    let expected =
        "\"a, \"\"b\"\"\",duel,score.total,Total score,duel,score,4,2,6.5,1.2909944487358056,0.5,";
    assert!(total.starts_with(expected), "{total}");
}

#[test]
fn s1_a_copy_of_a_debates_directory_counts_once_and_is_told() {
    let place = Place::new();
    for (at, n) in [("0000", 1), ("0001", 1), ("0002", 1), ("0003", 2)] {
        place.keep(at, &two_judges(n));
    }
    shows!(place.found(&[]), {
        "counts/counted": 2, "counts/copies": 2,
        "cautions contains": "2 directories repeat debates from others",
    });
}

/// The same job was run on two nights: the same debates by their ids, played anew.
#[test]
fn s1_what_was_played_again_under_one_id_is_a_repetition_and_named() {
    let place = Place::new();
    let played = between(1, "llama-8", "mistral-7");
    place.keep("0000", &played);
    // A copy that was rated since is a copy.
    let label = json!({"source": "user", "name": "rating", "value": 7});
    place.keep("0001", &played.clone().with("labels", json!([label])));
    let again = played.with("started_at", "2026-11-23T00:00:00Z");
    place.keep("0002", &again.clone().winner("agent_b"));
    place.keep("0003", &again.winner("agent_b"));
    let found = place.found(&["--by", "model"]);
    shows!(found, {
        "counts/counted": 2, "counts/copies": 2, "counts/repetitions": 1,
        "cautions contains": "1 debate was run again under the same id with different content (000000000000): it counts as a repetition.",
    });
    tells(&found, &[("llama-8", "win_rate", 0.5, 2, 1)]);
}

#[test]
fn s2_in_a_draw_between_the_first_two_of_three_the_third_has_lost() {
    let [one, two, three] = [1, 2, 3].map(|n| format!("position_advocate_{n}"));
    let read = [(&*one, 7.25), (&*two, 7.25), (&*three, 7.25)];
    let debate = Debate::of("moderated", 1).joined_by(&three, &one);
    let names = [(&one, "One"), (&two, "Two"), (&three, "Three")];
    let named = names.into_iter().fold(debate, |debate, (id, name)| debate.who(id, "name", name));
    let place = Place::of_debates(&[named.verdict("gemma-2", read).winner("draw")]);
    let found = place.found(&["--by", "participant"]);
    let expected = [("One", 0.5), ("Two", 0.5), ("Three", 0.0)];
    tells(&found, &expected.map(|(name, share)| (name, "win_rate", share, 1, 1)));
}

#[test]
fn s2_a_users_rating_keeps_a_scale_of_its_own() {
    let rated = |n: usize, rating: u32| {
        let label = json!({"source": "user", "name": "rating", "value": rating});
        Debate::of("knockout", n).topic(&format!("Topic {n}?")).with("labels", json!([label]))
    };
    let rated = |ratings: [u32; 3]| {
        let each = (1..).zip(ratings).map(|(n, rating)| rated(n, rating));
        of_all(&Place::of_debates(&each.collect::<Vec<_>>()).found(&[]), "rating").clone()
    };
    // Ballots of a knockout end at 5. A standard error of √(1/3), t of two degrees.
    let half = 4.302_652_729_911_275 / 3.0_f64.sqrt();
    let found = rated([5, 6, 7]);
    close(&found["low"], 6.0 - half);
    close(&found["high"], 6.0 + half);
    close(&rated([8, 9, 10])["high"], 10.0);
}

#[test]
fn s1_directories_given_twice_in_another_order_or_in_parts_are_the_same() {
    let place = Place::new();
    let debates = mixed();
    // The last is written first.
    for (n, debate) in debates.iter().enumerate().rev() {
        place.keep(&format!("{n:04}"), debate);
    }
    let same = |place: &Place, dirs: &[&str]| {
        let ended = place.rebut(&[&["stats", "--format", "json"], dirs].concat());
        let mut found: Value = serde_json::from_str(&ended.stdout).expect("JSON");
        found["generated_at"] = Value::Null;
        found["provenance"]["command"] = Value::Null;
        found
    };
    let once = same(&place, &["output"]);
    assert_eq!(once["counts"]["counted"], 4);
    let parts: Vec<String> = (0..4).rev().map(|n| format!("output/2026-11-22/{n:04}")).collect();
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    let whole = place.path().join("output");
    for dirs in [
        &["output", whole.to_str().expect("a path")][..],
        &["output/../output", "output/."],
        &["output/2026-11-22", "output"],
        &parts,
    ] {
        assert_eq!(same(&place, dirs), once, "{dirs:?}");
    }
    // Files that were written in another order.
    let other = Place::of_debates(&debates);
    assert_eq!(same(&other, &["output"]), once);
}

/// Duels of three models on eleven topics.
fn many() -> Vec<Debate> {
    let models = ["llama-8", "mistral-7", "phi-4"];
    let duel = |n: usize| {
        let (a, b) = (models[n % 3], models[(n + 1 + n / 3 % 2) % 3]);
        between(n, a, b)
            .topic(&format!("Topic {}?", n % 11))
            .winner(["agent_a", "agent_b", "draw"][((n * 40_503) >> 5) % 3])
            .with("verdicts/0/judges/1/readings/0/totals/agent_a", (n % 5) as f64 + 0.1)
            .used(a, 100 + n as u64, 10, 10)
    };
    (0..40).map(duel).collect()
}

#[test]
fn s3_any_number_of_threads_gives_the_same_bytes() {
    let debates = [many(), mixed().to_vec()].concat();
    let args = ["stats", "output", "--format", "json", "--by", "model", "--seed", "5"];
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
    assert!(one == bytes("2") && one == bytes("16"), "threads change the bytes");
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
    let counts = |args: &[&str]| place.found(args)["counts"].clone();
    shows!(counts(&[]), {"counted": 1, "rehearsals": 0, "rehearsals_left_out": 4});
    shows!(place.found(&["--include-rehearsals"]), {
        "counts/counted": 5, "counts/rehearsals": 4, "counts/rehearsals_left_out": 0,
        "headlines contains": "Rehearsals are counted too, 4 of 5 debates: what follows does not describe models. Leave out --include-rehearsals for that.",
    });
    // One that a filter leaves out is not left out as a rehearsal.
    let filtered = counts(&["--where", "format=knockout"]);
    shows!(filtered, {"rehearsals_left_out": 1, "filtered_out": 4});
}

#[test]
fn j7_what_was_rehearsed_by_the_real_binary_is_left_out_and_told() {
    let place = Place::new();
    place.trace_of(SHORT_JOB, &["--rehearse"]);
    let said = place.rebut(&["stats", "output", "--full"]).said();
    has_all(&said, &["No debate was counted", "1 rehearsal is excluded"]);
    shows!(place.found(&["--include-rehearsals"]), {"counts/counted": 1});
}

#[test]
fn s2_what_the_real_binary_played_has_its_own_numbers() {
    let place = Place::new();
    let trace = place.trace_of(&format!("{SHORT_JOB}x: {{model: mistral}}\n"), &[]);
    let found = place.found(&["--by", "model"]);
    for (model, used) in trace["usage"]["by_model"].as_object().expect("models") {
        let tokens = told(measure(group(&found, model), "reply_tokens"));
        assert_eq!(tokens, (used["reply_tokens"].as_f64(), 1, 1));
    }
    // Every ballot of the mock server gives 4 everywhere; X is not scored.
    tells(&found, &[("llama3", "score.total", 4.0, 1, 1)]);
    let of_x = measure(group(&found, "mistral"), "score.total");
    assert_eq!(of_x, &Value::Null);
    assert_eq!(found["counts"]["judgments"]["valid"], 6);
}

#[test]
fn s5_a_small_corpus_reads_so_on_the_terminal() {
    let place = Place::of_debates(&mixed());
    let ended = place.rebut(&["stats", "output", "--full", "--by", "model"]);
    let name = format!("{}/tests/fixtures/stats.txt", env!("CARGO_MANIFEST_DIR"));
    let expected = snapbox::Data::read_from(std::path::Path::new(&name), None);
    let assert = snapbox::Assert::new().action_env(snapbox::assert::DEFAULT_ACTION_ENV);
    assert.eq(ended.stdout, expected.raw());
}

proptest! {
    #![proptest_config(properties(64))]
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
