//! Rows U1 to U4: the duel, played with scripted replies.

use std::collections::BTreeMap;
use std::sync::Mutex;

use mock_ollama::{Answer, Call};
use serde_json::{Value, json};

use crate::harness::{
    Kind, Place, arguments, blanked, good, incidents, json_lines, keys, kind, list, read, round_of,
    trace_in,
};

const JOB: &str = "format: duel\ntopic: Should voting be compulsory?\nallow_explicit: true\n";

/// What an agent says in a round where nothing else is asked of it: on the topic, and new.
const TURNS: [&str; 8] = [
    "Compulsory voting makes parliaments listen to everyone.",
    "Whoever is forced learns to resent voting.",
    "Turnout rises where voting is compulsory, and surveys show it.",
    "Compulsory ballots hide who has nothing to choose.",
    "Voting costs an hour, which a compulsory holiday gives back.",
    "History knows compulsory votes without any freedom.",
    "Countries with compulsory voting spend less on mobilisation.",
    "A duty of voting presumes a choice worth voting for.",
];

/// A reply about something else.
const ASTRAY: &str = "Melt the butter, soften the onions and stir in the rice.";

fn fair(call: &Call) -> Answer {
    match kind(call) {
        Kind::Statement => Answer::text(TURNS[(round_of(call) as usize - 1) % 8]),
        Kind::Clerk => notes(call),
        Kind::Verdict => verdict(call, &[("agent_a", 8), ("agent_b", 6)]),
        _ => good(call),
    }
}

/// Notes that say which round they are on.
fn notes(call: &Call) -> Answer {
    let round = round_of(call);
    let schema = call.schema().expect("a schema");
    let speakers = schema["properties"]["gists"]["properties"].as_object();
    let speaker = speakers.and_then(|s| s.keys().next()).expect("a speaker");
    Answer::json(&json!({
        "gists": {speaker: format!("The gist of round {round}.")},
        "key_points": {speaker: [format!("The point of round {round}")]},
        "next_focus": "What would settle it?",
        "summary": format!("This came of round {round}. More was said of it."),
    }))
}

/// A verdict with the same score on every criterion for each agent.
fn verdict(call: &Call, scores: &[(&str, u64)]) -> Answer {
    let schema = call.schema().expect("a schema");
    let of = |id: &str| {
        let criteria = schema["properties"]["scores"]["properties"][id]["properties"].as_object();
        let score = scores.iter().find(|(by, _)| *by == id).expect("an agent").1;
        let scores: BTreeMap<&String, u64> = criteria
            .expect("criteria")
            .keys()
            .map(|name| (name, score))
            .collect();
        json!(scores)
    };
    Answer::json(&json!({
        "reasoning": "The first gave more reasons.",
        "scores": {"agent_a": of("agent_a"), "agent_b": of("agent_b")},
        "summary": "They met on turnout.",
    }))
}

/// A duel in which the listed rounds go through these replies, one an attempt.
fn played(job: &str, rounds: &'static [(u64, &'static [&'static str])]) -> (Place, Value) {
    let place = Place::new();
    let asked: Mutex<BTreeMap<u64, usize>> = Mutex::default();
    place.server.script(move |call| {
        let scripted = rounds.iter().find(|(round, _)| *round == round_of(call));
        match scripted.filter(|_| kind(call) == Kind::Statement) {
            None => fair(call),
            Some((round, replies)) => {
                let mut asked = asked.lock().expect("a lock");
                let n = asked.entry(*round).or_default();
                *n += 1;
                Answer::text(replies[(*n - 1).min(replies.len() - 1)])
            }
        }
    });
    let trace = place.trace_of(&format!("{JOB}{job}"), &[]);
    (place, trace)
}

/// The prompts of a round's turn, one an attempt.
fn asked(place: &Place, round: u64) -> Vec<Call> {
    let chats = place.server.chats().into_iter();
    chats
        .filter(|call| kind(call) == Kind::Statement && round_of(call) == round)
        .collect()
}

fn rejected(trace: &Value) -> Vec<(u64, Vec<String>)> {
    let rejections = trace["rejections"].as_array().expect("rejections").iter();
    let reasons = |r: &Value| serde_json::from_value(r["reasons"].clone()).expect("reasons");
    rejections
        .map(|r| (r["round"].as_u64().expect("a round"), reasons(r)))
        .collect()
}

fn turn(trace: &Value, round: usize) -> &Value {
    &trace["record"]["memory"]["turns"][round - 1]
}

#[test]
fn u1_two_agents_alternate_for_eight_rounds_of_one_turn() {
    let (place, trace) = played("", &[]);
    let turns: Vec<(u64, &str)> = arguments(&trace)
        .iter()
        .map(|s| {
            (
                s["round"].as_u64().expect("a round"),
                s["by"].as_str().expect("an id"),
            )
        })
        .collect();
    let expected: Vec<(u64, &str)> = (1..=8)
        .map(|n| (n, if n % 2 == 1 { "agent_a" } else { "agent_b" }))
        .collect();
    assert_eq!(turns, expected);
    assert_eq!(trace["status"], "done");
    let first = &asked(&place, 1)[0];
    assert_eq!(first.option("num_predict"), Some(&json!(200)));
    let who = |i: usize| {
        let p = &trace["participants"][i];
        json!([p["id"], p["name"], p["persona"], p["position"]])
    };
    assert_eq!(who(0), json!(["agent_a", "Scientist", "scientist", ""]));
    assert_eq!(who(1), json!(["agent_b", "Philosopher", "philosopher", ""]));
    assert_eq!(who(2), json!(["judge_1", "Judge-1", "judge", ""]));
}

#[test]
fn u1_the_personas_carry_the_sources_traits_into_the_prompts() {
    let (place, _) = played("rounds: 2\n", &[]);
    let traits = [
        [
            "scientific terminology",
            "empirical data",
            "structured arguments",
            "observable phenomena",
        ],
        [
            "moral implications",
            "underlying assumptions",
            "thought experiments",
            "historical context",
        ],
    ];
    for (round, traits) in (1..).zip(traits) {
        let task = asked(&place, round)[0].last_message().to_owned();
        for wanted in traits {
            assert!(task.contains(wanted), "{wanted}: {task}");
        }
    }
}

#[test]
fn u1_a_turn_at_its_cap_is_cut_at_its_last_sentence_and_marked() {
    let place = Place::new();
    place.server.script(|call| match kind(call) {
        Kind::Statement => Answer::text("Voting is a duty. Compulsory voting is")
            .done_reason("length")
            .tokens(100, 60),
        _ => fair(call),
    });
    let trace = place.trace_of(
        &format!("{JOB}rounds: 2\nmax_tokens_per_response: 60\n"),
        &[],
    );
    let turn = &arguments(&trace)[0];
    assert_eq!(turn["text"], "Voting is a duty.\n\n[Time limit reached]");
    assert_eq!(turn["cut"], true);
    assert_eq!(asked(&place, 1)[0].option("num_predict"), Some(&json!(60)));
}

#[test]
fn u1_a_trace_with_a_turn_out_of_turn_is_refused() {
    let (place, _) = played("rounds: 3\n", &[]);
    let debate = place.debates().remove(0);
    let path = debate.join("trace.json");
    let whole = trace_in(&debate);
    let second = "statement 3 is a turn of";
    let wrong = [
        (
            2,
            "by",
            json!("agent_a"),
            "statement 3 is a turn of agent_a in round 2, where agent_b was due in round 2",
        ),
        (2, "round", json!(4), second),
        (
            1,
            "round",
            json!(3),
            "statement 2 is a turn of agent_a in round 3, where agent_a was due in round 1",
        ),
    ];
    for (at, key, value, reason) in wrong {
        let mut trace = whole.clone();
        trace["statements"][at][key] = value;
        std::fs::write(&path, trace.to_string()).expect("a trace");
        let shown = place.rebut(&["show", &debate.to_string_lossy()]);
        assert_eq!(shown.code, 2, "{}", shown.stdout);
        assert!(
            shown.stderr.contains("trace.json: it is no trace: ") && shown.stderr.contains(reason),
            "{}",
            shown.stderr
        );
        let stats = place.rebut(&["stats", "output"]);
        let said = stats.stdout + &stats.stderr;
        assert!(said.contains(reason), "{said}");
    }
    std::fs::write(&path, whole.to_string()).expect("a trace");
    assert_eq!(place.rebut(&["show", &debate.to_string_lossy()]).code, 0);
}

#[test]
fn u1_the_shipped_duel_takes_any_topic_and_the_readme_says_how() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let job = root.join("jobs/duel.yaml").to_string_lossy().into_owned();
    let place = Place::new();
    let topic = "Should zoos be closed?";
    let ended = place.run(&["--rehearse", &job, "--set", &format!("topic={topic}")]);
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    assert_eq!(place.trace()["topic"], topic);
    assert!(read(&root.join("README.md")).contains("rebut run jobs/duel.yaml --set topic=\""));
    for job in [
        "jobs/duel.yaml",
        "jobs/carbon-tax.yaml",
        "templates/jobs/duel.yaml",
    ] {
        let path = root.join(job).to_string_lossy().into_owned();
        let ended = place.rebut(&["check", &path]);
        assert_eq!(ended.code, 0, "{job}: {}", ended.stderr);
    }
}

/// A job whose commented settings, but for the background, are no comments any more.
fn uncommented(job: &str) -> String {
    let is_key = |line: &str| {
        let (word, rest) = line.split_once(':').unwrap_or((line, "-"));
        let named = word
            .chars()
            .all(|c| c.is_ascii_lowercase() || "_0123456789".contains(c));
        (named && (rest.is_empty() || rest.starts_with(' '))) || line.starts_with("- {")
    };
    let (mut lines, mut open) = (Vec::new(), false);
    for line in job.lines() {
        let nested = |rest: &str| rest.starts_with(' ');
        let setting = line.strip_prefix("# ");
        let setting = setting.filter(|rest| if nested(rest) { open } else { is_key(rest) });
        open = setting.is_some_and(|rest| !rest.starts_with("background"));
        lines.push(setting.filter(|_| open).unwrap_or(line));
    }
    lines.join("\n") + "\n"
}

#[test]
fn j9_the_commented_settings_of_shipped_jobs_are_the_defaults() {
    let mut seen = 0;
    let jobs = list(&std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("jobs"));
    for path in jobs.iter().filter(|path| path.is_file()) {
        let job = read(path);
        if !job.contains("are the defaults") {
            continue;
        }
        seen += 1;
        let place = Place::new();
        let ids = |name: &str, job: &str| {
            let file = place.write(name, job);
            let ended = place.run(&["--rehearse", &file.to_string_lossy()]);
            assert_eq!(ended.code, 0, "{job}\n{}", ended.stderr);
            let ids: Vec<Value> = place
                .debates()
                .iter()
                .map(|dir| trace_in(dir)["id"].clone())
                .collect();
            std::fs::remove_dir_all(place.path().join("output")).expect("no output");
            ids
        };
        let whole = uncommented(&job);
        assert!(
            whole.lines().count() > 20
                && whole.matches("\n#").count() < job.matches("\n#").count() - 4,
            "{whole}"
        );
        assert_eq!(
            ids("job.yaml", &job),
            ids("job.yaml", &whole),
            "{}",
            path.display()
        );
    }
    assert_eq!(seen, 5);
}

#[test]
fn u2a_a_repetition_is_asked_again_with_the_reason_and_another_reply_is_taken() {
    let (place, trace) = played("rounds: 3\n", &[(3, &[TURNS[0], TURNS[2]])]);
    let reason =
        "it repeats the turn of Scientist in round 1 (similarity 1.000, and it must be below 0.95)";
    assert_eq!(rejected(&trace), [(3, vec![reason.to_owned()])]);
    assert_eq!(trace["rejections"][0]["text"], TURNS[0]);
    let prompts = asked(&place, 3);
    assert_eq!(prompts.len(), 2);
    assert!(
        prompts[1]
            .last_message()
            .contains(&format!("That reply was not taken: {reason}."))
    );
    assert!(
        prompts[1].text().matches(TURNS[0]).count() == 2 && prompts[1].text().contains(TURNS[1]),
        "the record is whole where there is room"
    );
    assert_eq!(turn(&trace, 3)["text"], TURNS[2]);
    assert_eq!(turn(&trace, 3)["objections"], json!([]));
    assert_eq!(turn(&trace, 3)["rejected_replies"], 1);
    assert_eq!(incidents(&trace, "rejection").len(), 1);
    assert_eq!(trace["status"], "done");
}

#[test]
fn u2a_the_turns_of_both_agents_count_and_case_and_punctuation_do_not_hide_one() {
    let (_, trace) = played(
        "rounds: 2\n",
        &[(
            2,
            &[
                "COMPULSORY voting — makes parliaments listen to everyone!",
                TURNS[1],
            ],
        )],
    );
    let (round, reasons) = rejected(&trace).remove(0);
    assert_eq!(round, 2);
    assert!(
        reasons[0].contains("the turn of Scientist in round 1"),
        "{reasons:?}"
    );
}

#[test]
fn u2c_after_two_rejections_the_third_reply_stands_marked() {
    let (place, trace) = played("rounds: 4\n", &[(3, &[TURNS[0]])]);
    assert_eq!(asked(&place, 3).len(), 3);
    assert_eq!(rejected(&trace).len(), 2);
    let stands = turn(&trace, 3);
    assert_eq!(stands["text"], TURNS[0]);
    let marks = stands["objections"].as_array().expect("objections");
    assert!(
        marks[0]
            .as_str()
            .expect("text")
            .starts_with("it repeats the turn of Scientist")
    );
    assert_eq!(trace["statements"][3]["objections"], stands["objections"]);
    assert_eq!(trace["outcome"]["details"]["objected"], json!([4]));
    let facts = trace["outcome"]["facts"].to_string();
    assert!(
        facts.contains(r#"["Turns that stand with an objection","Scientist in round 3"]"#)
            && facts.contains(r#"["Replies that were not taken","2"]"#),
        "{facts}"
    );
    assert_eq!(trace["status"], "done");
}

#[test]
fn u2c_the_second_rejection_may_have_another_reason_and_the_third_reply_be_taken() {
    let (_, trace) = played("rounds: 3\n", &[(3, &[TURNS[0], ASTRAY, TURNS[2]])]);
    let reasons = rejected(&trace);
    assert_eq!(reasons.len(), 2);
    assert!(
        reasons[0].1[0].starts_with("it repeats the turn"),
        "{reasons:?}"
    );
    assert!(
        reasons[1].1[0].starts_with("it is off the topic"),
        "{reasons:?}"
    );
    assert_eq!(turn(&trace, 3)["text"], TURNS[2]);
}

#[test]
fn u2c_a_rejected_reply_stands_where_no_other_can_be_had() {
    let (_, trace) = played("rounds: 3\n", &[(3, &[TURNS[0], ""])]);
    assert_eq!(turn(&trace, 3)["text"], TURNS[0]);
    assert_eq!(
        turn(&trace, 3)["objections"].as_array().map(Vec::len),
        Some(1)
    );
    assert_eq!(rejected(&trace), [], "what stands was not left out");
    assert_eq!(incidents(&trace, "rejection").len(), 1);
    assert_eq!(trace["status"], "done");
}

#[test]
fn u2b_a_reply_off_the_topic_is_told_why() {
    let (place, trace) = played("rounds: 2\n", &[(1, &[ASTRAY, TURNS[0]])]);
    let (_, reasons) = rejected(&trace).remove(0);
    assert_eq!(
        reasons,
        [
            "it is off the topic (coherence 0.000, and at least 0.15 is needed): 0 of its 6 content words bear on the topic"
        ]
    );
    assert!(asked(&place, 1)[1].last_message().contains(&reasons[0]));
}

#[test]
fn u2b_background_and_positions_are_on_the_topic() {
    let job = "rounds: 2\nbackground: {kitchen: [onions and rice]}\n";
    let (_, trace) = played(job, &[(1, &[ASTRAY])]);
    assert_eq!(rejected(&trace), []);
    let job = "rounds: 2\nb: {position: Butter and onions first}\n";
    let (_, trace) = played(job, &[(1, &[ASTRAY])]);
    assert_eq!(rejected(&trace), []);
}

#[test]
fn u2b_taken_turns_widen_the_topic_and_turns_with_an_objection_do_not() {
    const WIDE: &str = "Compulsory voting works in Belgium and Australia.";
    const ON: &str = "Australia and Belgium prosper.";
    let (_, trace) = played("rounds: 2\n", &[(1, &[WIDE]), (2, &[ON])]);
    assert_eq!(rejected(&trace), []);
    const AWAY: &str = "Onions and rice, onions and butter.";
    let (_, trace) = played("rounds: 2\n", &[(1, &[ASTRAY]), (2, &[AWAY, TURNS[1]])]);
    assert_eq!(
        turn(&trace, 1)["objections"].as_array().map(Vec::len),
        Some(1)
    );
    let rounds: Vec<u64> = rejected(&trace).iter().map(|(round, _)| *round).collect();
    assert_eq!(rounds, [1, 1, 2]);
    assert_eq!(turn(&trace, 2)["text"], TURNS[1]);
}

#[test]
fn u2_both_reasons_are_given_at_once() {
    let (_, trace) = played("rounds: 2\n", &[(1, &[ASTRAY]), (2, &[ASTRAY, TURNS[1]])]);
    let (round, reasons) = rejected(&trace).pop().expect("a rejection");
    assert_eq!((round, reasons.len()), (2, 2));
    assert!(
        reasons[0].starts_with("it repeats the turn of Scientist in round 1")
            && reasons[1].starts_with("it is off the topic"),
        "{reasons:?}"
    );
}

#[test]
fn u2_the_thresholds_are_the_jobs() {
    let (_, trace) = played("rounds: 2\ncoherence_threshold: 0\n", &[(1, &[ASTRAY])]);
    assert_eq!(rejected(&trace), [], "nothing is off the topic");
    let (_, trace) = played("rounds: 2\ncoherence_threshold: 1\n", &[]);
    assert_eq!(rejected(&trace).len(), 4, "nearly everything is");
    let near: &[(u64, &[&str])] = &[(3, &["Compulsory voting makes parliaments listen to all."])];
    let (_, trace) = played("rounds: 3\n", near);
    assert_eq!(rejected(&trace), []);
    let (_, trace) = played("rounds: 3\nsimilarity_threshold: 0.8\n", near);
    assert_eq!(rejected(&trace).len(), 2);
    let (_, trace) = played("rounds: 3\nsimilarity_threshold: 1\n", &[(3, &[TURNS[0]])]);
    assert_eq!(
        rejected(&trace).len(),
        2,
        "the same words in the same order"
    );
    let (_, trace) = played("rounds: 2\nsimilarity_threshold: 0\n", &[]);
    let rounds: Vec<u64> = rejected(&trace).iter().map(|(round, _)| *round).collect();
    assert_eq!(rounds, [2, 2], "every turn that has one before it");
}

#[test]
fn u2a_a_turn_that_was_cut_is_compared_as_it_stands() {
    let place = Place::new();
    place.server.script(|call| match kind(call) {
        Kind::Statement => {
            Answer::text("Voting is a duty. Compulsory voting is what I would want to defend")
                .done_reason("length")
                .tokens(100, 60)
        }
        _ => fair(call),
    });
    let trace = place.trace_of(
        &format!("{JOB}rounds: 2\nmax_tokens_per_response: 60\n"),
        &[],
    );
    assert_eq!(turn(&trace, 2)["similarity"], 1.0);
    assert_eq!(rejected(&trace).len(), 2);
    assert_eq!(trace["rejections"][0]["text"], "Voting is a duty.");
}

#[test]
fn u2_an_empty_reply_is_a_failure_and_no_rejection() {
    let (_, trace) = played("rounds: 2\n", &[(1, &["", TURNS[0]])]);
    assert_eq!(
        (rejected(&trace).len(), incidents(&trace, "retry").len()),
        (0, 1)
    );
    assert_eq!(trace["status"], "done");
}

#[test]
fn m2_an_emergency_reply_is_answered_and_measured_by_nobody() {
    let (place, trace) = played("rounds: 4\n", &[(2, &[""])]);
    assert_eq!(trace["status"], "degraded");
    let silent = turn(&trace, 2);
    assert_eq!(
        (
            &silent["origin"],
            &silent["coherence"],
            &silent["similarity"]
        ),
        (&json!("emergency"), &Value::Null, &Value::Null)
    );
    let task = |round| asked(&place, round)[0].last_message().to_owned();
    assert!(
        task(3).contains("Philosopher has not answered you yet."),
        "{}",
        task(3)
    );
    assert!(
        task(4).contains("the strongest point of Scientist in round 3"),
        "{}",
        task(4)
    );
    assert_eq!(turn(&trace, 3)["closest_turn"], 2, "the turn of round 1");
    assert_eq!(
        trace["verdicts"].as_array().map(Vec::len),
        Some(1),
        "both argued"
    );
}

#[test]
fn m2_a_duel_in_which_one_never_argued_is_not_judged() {
    let (place, trace) = played("rounds: 2\n", &[(2, &[""])]);
    assert_eq!(trace["status"], "degraded");
    assert_eq!(
        (&trace["outcome"]["winner"], &trace["record"]["winner"]),
        (&Value::Null, &Value::Null)
    );
    assert_eq!(trace["verdicts"], json!([]));
    assert!(
        place
            .server
            .chats()
            .iter()
            .all(|call| kind(call) != Kind::Verdict)
    );
    assert_eq!(
        trace["outcome"]["decided_by"],
        "Philosopher never made an argument, so there was nothing to compare."
    );
}

/// A duel of two rounds before judges who score as `scores` says, by their number.
fn judged(judges: usize, scores: fn(usize, &Call) -> Answer) -> Value {
    let place = Place::new();
    place.server.script(move |call| {
        if kind(call) != Kind::Verdict {
            return fair(call);
        }
        let text = call.text();
        let number = (1..=judges).find(|n| text.contains(&format!("You are Judge-{n}, a judge")));
        scores(number.expect("a judge"), call)
    });
    let list = vec!["{}"; judges].join(", ");
    place.trace_of(&format!("{JOB}rounds: 2\njudges: [{list}]\n"), &[])
}

#[test]
fn u3_a_judge_scores_both_and_totals_and_winner_are_ours() {
    let trace = judged(1, |_, _| {
        Answer::json(&json!({
            "reasoning": "The second was clearer.",
            "scores": {
                "agent_a": {"argument_quality": 10, "coherence": 0, "relevance": 5},
                "agent_b": {"argument_quality": 6, "coherence": 7, "relevance": 8},
            },
            "summary": "They met on turnout.",
        }))
    });
    let outcome = &trace["outcome"];
    assert_eq!(outcome["points"], json!({"agent_a": 5.5, "agent_b": 6.9}));
    assert_eq!(
        (&outcome["winner"], &outcome["rests_on"]),
        (&json!("agent_b"), &json!("own"))
    );
    assert_eq!(
        outcome["line"],
        "llama3 (Philosopher) beats llama3 (Scientist), 6.90 to 5.50"
    );
    assert_eq!(
        outcome["decided_by"],
        "Total scores: Scientist 5.50, Philosopher 6.90."
    );
    let details = &outcome["details"];
    assert_eq!(details["winner"], "agent_b");
    assert_eq!(details["summary"], "They met on turnout.");
    assert_eq!(details["reasoning"], "The second was clearer.");
    assert_eq!(
        details["scores"]["agent_a"],
        json!({"total": 5.5, "breakdown": {"argument_quality": 10.0, "coherence": 0.0, "relevance": 5.0}})
    );
    assert_eq!(trace["record"]["winner"], "agent_b");
    assert_eq!(
        trace["verdicts"][0]["judges"][0]["readings"][0]["totals"]["agent_b"],
        6.9
    );
}

#[test]
fn u3_of_several_judges_the_means_decide_and_an_invalid_one_is_left_out() {
    let three = judged(3, |n, call| match n {
        1 => verdict(call, &[("agent_a", 9), ("agent_b", 2)]),
        2 => verdict(call, &[("agent_a", 3), ("agent_b", 5)]),
        _ => Answer::text("I cannot say."),
    });
    assert_eq!(
        three["outcome"]["points"],
        json!({"agent_a": 6.0, "agent_b": 3.5})
    );
    assert_eq!(three["outcome"]["winner"], "agent_a");
    assert_eq!(
        three["outcome"]["details"]["reasoning"],
        "Judge-1: The first gave more reasons. Judge-2: The first gave more reasons."
    );
    assert_eq!(three["status"], "done");
    assert!(
        three["outcome"]["facts"]
            .to_string()
            .contains(r#"["Valid verdicts","2 of 3"]"#)
    );
    let statuses: Vec<&Value> = (0..3)
        .map(|i| &three["verdicts"][0]["judges"][i]["readings"][0]["status"])
        .collect();
    assert_eq!(statuses, ["valid", "valid", "invalid"]);
}

#[test]
fn u3_equal_means_are_a_draw_and_no_valid_judge_leaves_no_winner() {
    let draw = judged(2, |n, call| match n {
        1 => verdict(call, &[("agent_a", 9), ("agent_b", 2)]),
        _ => verdict(call, &[("agent_a", 2), ("agent_b", 9)]),
    });
    assert_eq!(draw["outcome"]["winner"], "draw");
    assert_eq!(
        draw["outcome"]["line"],
        "A draw between llama3 (Scientist) and llama3 (Philosopher), 5.50 to 5.50"
    );
    let none = judged(2, |_, _| Answer::text("I cannot say."));
    assert_eq!(none["status"], "degraded");
    assert_eq!(
        (&none["outcome"]["winner"], &none["outcome"]["rests_on"]),
        (&Value::Null, &Value::Null)
    );
    assert_eq!(
        none["outcome"]["line"],
        "No winner, for want of a valid verdict"
    );
    assert_eq!(none["record"]["winner"], Value::Null);
    assert_eq!(none["record"]["status"], "degraded");
}

#[test]
fn u3_criteria_weights_and_guides_are_the_jobs_and_the_judge_reads_them() {
    let (place, trace) = played(
        "rounds: 2\ncriteria:\n  wit: {weight: 1, guide: {0: Dull, 5: Dry, 10: Brilliant}}\n",
        &[],
    );
    let judge = place
        .server
        .chats()
        .into_iter()
        .find(|call| kind(call) == Kind::Verdict);
    let task = judge.expect("a judge").last_message().to_owned();
    assert!(
        task.contains("- wit: 0 = Dull; 5 = Dry; 10 = Brilliant."),
        "{task}"
    );
    assert_eq!(
        trace["outcome"]["points"],
        json!({"agent_a": 8.0, "agent_b": 6.0})
    );
}

#[test]
fn u4_a_prompt_holds_own_points_the_opponents_last_turn_and_the_running_summary() {
    let (place, _) = played("rounds: 4\n", &[]);
    let prompt = &asked(&place, 4)[0];
    let task = prompt
        .last_message()
        .split("# Your task")
        .nth(1)
        .expect("a task")
        .to_owned();
    assert!(
        task.contains("do not repeat them, build on them:\n- The point of round 2\n"),
        "own points: {task}"
    );
    assert!(
        task.contains("The debate so far, in short:\n- Round 1: This came of round 1.\n- Round 2: This came of round 2.\n- Round 3: This came of round 3.\n"),
        "the running summary: {task}"
    );
    assert!(
        task.contains("First answer the strongest point of Scientist in round 3"),
        "{task}"
    );
    let record = prompt
        .last_message()
        .split("# Your task")
        .next()
        .expect("a record");
    assert!(
        record
            .trim_end()
            .ends_with(&format!("## Round 3\n\n[Scientist]\n{}", TURNS[2])),
        "the opponent's last turn ends the record: {record}"
    );
    let opening = asked(&place, 1)[0].last_message().to_owned();
    assert!(
        opening.contains("Open the debate: say where you stand"),
        "{opening}"
    );
}

#[test]
fn u4_prompts_read_well_with_and_without_a_position() {
    let (place, _) = played("rounds: 2\n", &[]);
    let first = asked(&place, 1)[0].last_message().to_owned();
    assert!(
        first.contains("You are Scientist.\nYour opponent is Philosopher.\n")
            && first.ends_with("Now answer as Scientist, in your own words, this question: Should voting be compulsory?"),
        "{first}"
    );
    let (place, _) = played(
        "rounds: 2\na: {position: Yes to it}\nb: {position: No to it}\n",
        &[],
    );
    let first = asked(&place, 1)[0].clone();
    let task = first.last_message();
    assert!(
        task.contains("You are Scientist. You argue for this position: Yes to it\nYour opponent is Philosopher, whose position is: No to it\n")
            && task.ends_with("for this position: Yes to it"),
        "{task}"
    );
    assert!(
        first
            .system()
            .contains("- Philosopher argues for this position: No to it")
    );
}

#[test]
fn u4_the_record_has_its_sources_keys() {
    let (_, trace) = played("rounds: 3\n", &[]);
    let record = &trace["record"];
    let mut wanted = [
        "topic",
        "current_round",
        "next_agent",
        "rounds_completed",
        "status",
        "winner",
        "memory",
    ];
    wanted.sort_unstable();
    let mut found = keys(record);
    found.sort_unstable();
    assert_eq!(found, wanted);
    assert_eq!(record["topic"], "Should voting be compulsory?");
    let (three, null) = (&json!(3), &Value::Null);
    assert_eq!(
        (
            &record["current_round"],
            &record["rounds_completed"],
            &record["next_agent"],
            &record["status"]
        ),
        (three, three, null, &json!("done"))
    );
    let memory = &record["memory"];
    assert_eq!(
        (&memory["current_round"], &memory["next_agent"]),
        (three, null)
    );
    assert_eq!(
        memory["summary"],
        "Round 1: This came of round 1. Round 2: This came of round 2. Round 3: This came of round 3."
    );
    let second = &memory["turns"][1];
    for key in [
        "n",
        "round",
        "agent",
        "name",
        "text",
        "tokens",
        "cut",
        "origin",
        "model",
        "at",
        "coherence",
        "similarity",
        "closest_turn",
        "rejected_replies",
        "objections",
    ] {
        assert!(second.get(key).is_some(), "{key}");
    }
    assert_eq!(
        (&second["agent"], &second["text"]),
        (&json!("agent_b"), &json!(TURNS[1]))
    );
    assert_eq!(
        trace["memories"]["agent_b"],
        json!({
            "debate_history": [2, 3, 4],
            "key_points_made": ["The point of round 2"],
            "opponent_points": ["The point of round 1", "The point of round 3"],
        })
    );
}

#[test]
fn u4_a_failed_duel_says_how_far_it_came() {
    let (_, trace) = played("rounds: 4\non_failure: abort\n", &[(2, &[""])]);
    let record = &trace["record"];
    assert_eq!(
        (
            &record["current_round"],
            &record["rounds_completed"],
            &record["next_agent"],
            &record["status"]
        ),
        (&json!(2), &json!(1), &json!("agent_b"), &json!("failed"))
    );
}

#[test]
fn u4_what_the_source_logs_are_events() {
    let (place, _) = played("rounds: 3\n", &[(3, &[TURNS[0], TURNS[2]])]);
    let log = read(&place.debates()[0].join("events.jsonl"));
    let events = json_lines(&log);
    let count = |name: &str| events.iter().filter(|e| e["event"] == name).count();
    let counts = ["round_start", "statement", "memory", "rejection", "verdict"].map(count);
    assert_eq!(counts, [3, 4, 3, 1, 1]);
    let starts = events.iter().filter(|e| e["event"] == "round_start");
    let speakers: Vec<&Value> = starts.map(|e| &e["content"]["speakers"][0]).collect();
    assert_eq!(speakers, ["agent_a", "agent_b", "agent_a"]);
}

#[test]
fn u_rehearsals_go_through_all_paths_and_are_the_same_twice() {
    let job = format!("{JOB}repeat: 12\n");
    let rehearsed = || {
        let place = Place::new();
        place.write("job.yaml", &job);
        let ended = place.run(&["--rehearse", "job.yaml"]);
        assert_eq!(ended.code, 0, "{}", ended.stderr);
        place
    };
    let place = rehearsed();
    let traces: Vec<Value> = place.debates().iter().map(|dir| trace_in(dir)).collect();
    assert!(traces.iter().all(|t| t["status"] == "done"));
    let reasons: Vec<String> = traces
        .iter()
        .flat_map(rejected)
        .flat_map(|(_, why)| why)
        .collect();
    for wanted in ["it repeats the turn", "it is off the topic"] {
        assert!(
            reasons.iter().any(|why| why.starts_with(wanted)),
            "{wanted}: {reasons:?}"
        );
    }
    let winner = |id: &str| traces.iter().any(|t| t["outcome"]["winner"] == id);
    assert!(winner("agent_a") && winner("agent_b"));
    let files = |place: &Place| -> Vec<BTreeMap<String, String>> {
        let mut dirs = place.debates();
        dirs.sort_by_key(|dir| trace_in(dir)["id"].to_string());
        dirs.iter().take(3).map(|dir| blanked(dir)).collect()
    };
    assert_eq!(files(&place), files(&rehearsed()));
}

#[test]
fn a7_a_duels_trace_validates_against_the_printed_schema() {
    let (place, trace) = played("rounds: 3\n", &[(3, &[TURNS[0]])]);
    let schema: Value =
        serde_json::from_str(&place.rebut(&["schema", "trace"]).stdout).expect("a schema is JSON");
    let validator = jsonschema::validator_for(&schema).expect("a valid schema");
    let errors: Vec<String> = validator
        .iter_errors(&trace)
        .map(|e| e.to_string())
        .collect();
    assert!(errors.is_empty(), "{errors:?}");
}

/// A turn that is rejected once: what it says depends on nothing but the prompt.
fn repeats_once(call: &Call) -> Answer {
    let again = call.last_message().starts_with("That reply was not taken");
    if kind(call) == Kind::Statement && !again && call.text().contains("This is round 3") {
        Answer::text(TURNS[0])
    } else {
        fair(call)
    }
}

#[test]
fn j4_a_duel_killed_between_a_rejection_and_the_next_reply_asks_nothing_twice() {
    let job = format!("{JOB}rounds: 4\n");
    let whole = Place::new();
    whole.server.script(repeats_once);
    whole.trace_of(&job, &[]);
    let expected = blanked(&whole.debates()[0]);

    let place = Place::new();
    place.write("job.yaml", &job);
    place.server.script(|call| {
        if call.last_message().starts_with("That reply was not taken") {
            Answer::hang()
        } else {
            repeats_once(call)
        }
    });
    let mut child = place.spawn(&["job.yaml"]);
    place.server.wait_until(|calls| {
        let mut calls = calls.iter();
        calls.any(|call| call.last_message().starts_with("That reply was not taken"))
    });
    child.kill().expect("a kill");
    child.wait().expect("an end");
    place.server.script(repeats_once);
    let ended = place.run(&["job.yaml"]);
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    assert_eq!(blanked(&place.debates()[0]), expected);
    let answered: Vec<String> = place
        .server
        .chats()
        .into_iter()
        .filter(|call| call.completed)
        .map(|call| call.body.to_string())
        .collect();
    let mut once = answered.clone();
    once.sort();
    once.dedup();
    assert_eq!(once.len(), answered.len());
    assert!(list(&place.path().join("output/.rebut/running")).is_empty());
}
