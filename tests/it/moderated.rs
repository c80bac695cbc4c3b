//! Rows D1 to D7: the moderated format, played with scripted replies.

use mock_ollama::{Answer, Call};
use serde_json::{Value, json};

use crate::harness::{Kind, Place, good, incidents, kind, modest, read, with_job};

/// Two advocates and two rounds; explicit topics are allowed because loading the filter takes half of such a run's time.
const JOB: &str = "format: moderated\ntopic: Should voting be compulsory?\nround_count: 2\nallow_explicit: true\n";
const THREE: &str = "advocates:\n  - {name: Ada, position: Yes}\n  - {name: Ben, position: No}\n  - {name: Cleo, position: In some cases}\n";

/// What a speaker is asked for, told from the task.
fn task(call: &Call) -> &'static str {
    let marks = [
        ("This is your opening statement", "opening"),
        ("It is your turn to argue", "argument"),
        ("It is your turn to rebut", "rebuttal"),
        ("could not speak, so there is nothing to rebut", "rebuttal"),
        ("This is your closing statement", "closing"),
        ("has interrupted your last statement", "answer"),
        ("You interrupt", "interjection"),
        ("Sum up the whole debate", "summary"),
        ("Sum up round", "round_summary"),
    ];
    let text = call.last_message();
    let found = marks.iter().find(|(mark, _)| text.contains(mark));
    found
        .filter(|_| kind(call) == Kind::Statement)
        .map_or("", |(_, task)| task)
}

fn by(call: &Call, name: &str) -> bool {
    call.last_message().contains(&format!("You are {name}."))
}

/// A well-behaved model whose verdict gives everybody the same.
fn even(call: &Call) -> Answer {
    match call.schema() {
        Some(schema) if kind(call) == Kind::Verdict => Answer::json(&modest(schema)),
        _ => good(call),
    }
}

/// Runs a job against a server that answers well but where `reply` says otherwise.
fn played(
    job: &str,
    reply: impl Fn(&Call) -> Option<Answer> + Send + Sync + 'static,
) -> (Place, Value) {
    let place = Place::new();
    place
        .server
        .script(move |call| reply(call).unwrap_or_else(|| even(call)));
    let trace = place.trace_of(job, &[]);
    (place, trace)
}

fn plain(job: &str) -> (Place, Value) {
    played(job, |_| None)
}

/// Phases and speakers of all statements, in order, as `1 argument position_advocate_1`.
fn course(trace: &Value) -> Vec<String> {
    let line = |s: &Value| {
        let word = |key: &str| {
            s[key]
                .as_str()
                .unwrap_or_default()
                .replace("position_advocate_", "")
        };
        format!("{} {} {}", s["round"], word("phase"), word("by"))
    };
    statements(trace).iter().map(line).collect()
}

fn statements(trace: &Value) -> &[Value] {
    trace["statements"].as_array().expect("statements")
}

fn of_phase<'t>(trace: &'t Value, phase: &str) -> Vec<&'t Value> {
    statements(trace)
        .iter()
        .filter(|s| s["phase"] == phase)
        .collect()
}

fn count(place: &Place, wanted: impl Fn(&Call) -> bool) -> usize {
    place
        .server
        .chats()
        .iter()
        .filter(|call| wanted(call))
        .count()
}

/// A check that finds a breach of a rule.
fn breach(rule: u64) -> Answer {
    Answer::json(&json!({"because": "It mocks the other side.", "breach": true, "rule": rule}))
}

fn claim(verdict: &str) -> Value {
    json!({"claim": "Fairness is a reason.", "reason": "Most states do not have it.", "verdict": verdict})
}

/// A check of facts that finds one claim.
fn found(verdict: &str) -> Answer {
    Answer::json(&json!({"claims": [claim(verdict)]}))
}

/// A verdict that gives each contestant one score everywhere, by number from 1.
fn verdict(call: &Call, scores: &[u64]) -> Answer {
    let mut value = modest(call.schema().expect("a schema"));
    for (n, score) in scores.iter().enumerate() {
        let own = &mut value["scores"][format!("position_advocate_{}", n + 1)];
        let own = own.as_object_mut().expect("a contestant's scores");
        own.values_mut().for_each(|value| *value = json!(score));
    }
    Answer::json(&value)
}

fn refuse() -> Answer {
    Answer::status(400, "this model does not support chat")
}

#[test]
fn d1_openings_rounds_of_arguments_and_rebuttals_closings_and_a_summary() {
    let (_, trace) = plain(JOB);
    let expected = [
        "0 introduction moderator",
        "0 opening 1",
        "0 opening 2",
        "1 announcement moderator",
        "1 argument 1",
        "1 rebuttal 2",
        "1 argument 2",
        "1 rebuttal 1",
        "1 round_summary moderator",
        "2 announcement moderator",
        "2 argument 1",
        "2 rebuttal 2",
        "2 argument 2",
        "2 rebuttal 1",
        "2 round_summary moderator",
        "0 announcement moderator",
        "0 closing 1",
        "0 closing 2",
        "0 summary moderator",
    ];
    assert_eq!(course(&trace), expected);
    assert_eq!(trace["status"], "done");
    assert_eq!(trace["rounds"].as_array().map(Vec::len), Some(2));
}

#[test]
fn d1_three_rounds_by_default() {
    let (_, trace) = plain(&JOB.replace("round_count: 2\n", ""));
    assert_eq!(of_phase(&trace, "argument").len(), 6);
}

#[test]
fn d1_of_three_advocates_each_argues_in_listed_order_and_the_next_rebuts() {
    let (place, trace) = plain(&format!("{JOB}{THREE}"));
    let course = course(&trace);
    let round: Vec<&str> = course
        .iter()
        .filter(|l| l.starts_with("1 "))
        .map(String::as_str)
        .collect();
    let expected = [
        "1 announcement moderator",
        "1 argument 1",
        "1 rebuttal 2",
        "1 argument 2",
        "1 rebuttal 3",
        "1 argument 3",
        "1 rebuttal 1",
        "1 round_summary moderator",
    ];
    assert_eq!(round, expected);
    assert_eq!(course[1..4], ["0 opening 1", "0 opening 2", "0 opening 3"]);
    let closings: Vec<&String> = course.iter().filter(|l| l.contains(" closing ")).collect();
    assert_eq!(closings, ["0 closing 1", "0 closing 2", "0 closing 3"]);
    let last = place
        .server
        .chats()
        .into_iter()
        .rfind(|c| task(c) == "rebuttal")
        .expect("a rebuttal");
    assert!(
        last.last_message()
            .contains("Take the strongest point of the last argument of Cleo")
    );
    assert!(
        last.last_message()
            .contains("Against you argues Ben, whose position is: No")
    );
    let announced = of_phase(&trace, "announcement")[0]["text"]
        .as_str()
        .expect("a text");
    assert!(
        announced.contains("Cleo argues, Ada rebuts."),
        "{announced}"
    );
}

#[test]
fn d1_one_advocate_is_too_few_and_a_third_needs_a_position() {
    for (advocates, cause) in [
        ("[{position: Yes}]", "`advocates` has 1 entry"),
        (
            "[{position: Yes}, {position: No}, {name: Cleo}]",
            "Cleo has no position",
        ),
    ] {
        let place = with_job(&format!("{JOB}advocates: {advocates}\n"));
        let ended = place.run(&["job.yaml"]);
        assert_eq!(ended.code, 2);
        assert!(ended.stderr.contains(cause), "{}", ended.stderr);
    }
}

#[test]
fn d2_every_part_has_its_cap() {
    let caps = |job: &str| {
        let (place, _) = played(job, |call| match kind(call) {
            Kind::Check if task_of_record(call) == "opening" => Some(breach(1)),
            _ => None,
        });
        let parts = [
            "opening",
            "argument",
            "rebuttal",
            "answer",
            "closing",
            "interjection",
            "round_summary",
            "summary",
        ];
        parts.map(|part| {
            let mut calls = place
                .server
                .chats()
                .into_iter()
                .filter(|call| task(call) == part);
            let first = calls.next().unwrap_or_else(|| panic!("no {part}"));
            first
                .option("num_predict")
                .and_then(Value::as_u64)
                .expect("a cap")
        })
    };
    assert_eq!(caps(JOB), [300, 250, 250, 250, 350, 100, 150, 400]);
    let own = "opening_max_tokens: 31\nargument_max_tokens: 32\nclosing_max_tokens: 33\ninterjection_max_tokens: 34\nround_summary_max_tokens: 35\nsummary_max_tokens: 36\n";
    assert_eq!(
        caps(&format!("{JOB}{own}")),
        [31, 32, 32, 32, 33, 34, 35, 36]
    );
}

/// The part of the debate that a record has come to.
fn task_of_record(call: &Call) -> &'static str {
    let text = call.text();
    let parts = [("## Closing statements", "closing"), ("## Round ", "round")];
    let found = parts.iter().find(|(mark, _)| text.contains(mark));
    found.map_or("opening", |(_, part)| part)
}

#[test]
fn d2_a_statement_that_runs_over_is_cut_as_any() {
    let (_, trace) = played(JOB, |call| {
        (task(call) == "argument").then(|| {
            Answer::text("A whole reason. Another one that is cut")
                .done_reason("length")
                .tokens(100, 250)
        })
    });
    let argument = of_phase(&trace, "argument")[0];
    assert_eq!(argument["text"], "A whole reason.\n\n[Time limit reached]");
    assert_eq!(argument["cut"], true);
}

#[test]
fn d3_the_styles_differ_in_what_is_asked_and_in_how_it_goes() {
    let tasks = |style: &str| -> (Vec<String>, Vec<Kind>) {
        let (place, _) = plain(&format!("{JOB}style: {style}\n"));
        let chats = place.server.chats();
        let speeches = chats
            .iter()
            .filter(|call| ["argument", "rebuttal"].contains(&task(call)));
        let texts = speeches.map(|call| call.text()).collect();
        (texts, chats.iter().map(kind).collect())
    };
    let styles = ["formal", "casual", "educational", "competitive"];
    let all = styles.map(tasks);
    let own = [
        ["The style is formal", "Speak formally and to the point."],
        ["The style is casual", "Talk as among friends"],
        [
            "The style is educational",
            "one sentence must begin with these words: The best point of Advocate B is",
        ],
        [
            "The style is competitive",
            "Make it count: press your advantage",
        ],
    ];
    for (i, marks) in own.iter().enumerate() {
        for (j, (texts, _)) in all.iter().enumerate() {
            for mark in marks {
                let found = texts.iter().any(|text| text.contains(mark));
                assert_eq!(found, i == j, "{mark} in {}", styles[j]);
            }
        }
    }
    let has = |style: usize, wanted: Kind| all[style].1.contains(&wanted);
    assert_eq!(
        [0, 1, 2, 3].map(|style| has(style, Kind::Check)),
        [true, false, false, true]
    );
    assert_eq!(
        [0, 1, 2, 3].map(|style| has(style, Kind::Ruling)),
        [false, false, false, true]
    );
    let passes = |style: usize| {
        all[style]
            .0
            .iter()
            .any(|text| text.contains("reply with this one word"))
    };
    assert_eq!([0, 1, 2, 3].map(passes), [false, true, false, false]);
}

#[test]
fn d3_in_a_casual_debate_a_rebuttal_may_be_passed() {
    let pass = |reply: &'static str| {
        move |call: &Call| {
            (task(call) == "rebuttal" && by(call, "Advocate B")).then(|| Answer::text(reply))
        }
    };
    let job = format!("{JOB}style: casual\ninterruptions: true\n");
    let (place, trace) = played(&job, pass("PASS."));
    let passed = of_phase(&trace, "rebuttal")[0];
    assert_eq!(
        (&passed["text"], &passed["by"]),
        (&json!("PASS."), &json!("position_advocate_2"))
    );
    assert_eq!(trace["outcome"]["details"]["passes"], json!([6, 12]));
    assert_eq!(trace["status"], "done");
    assert_eq!(
        trace["rounds"][0]["headline"],
        "First arguments; 1 rebuttal passed"
    );
    let checks = count(&place, |call| kind(call) == Kind::Check);
    assert_eq!(checks, 12 - 2, "nobody checks a pass");

    let (_, trace) = played(&job, pass("I PASS on this one."));
    assert_eq!(
        trace["outcome"]["details"]["passes"],
        json!([]),
        "other words are a rebuttal"
    );
    let (_, trace) = played(JOB, pass("PASS"));
    assert_eq!(
        trace["outcome"]["details"]["passes"],
        json!([]),
        "not in a formal debate"
    );
}

#[test]
fn d3_in_an_educational_debate_each_side_states_the_others_best_point() {
    let job = format!("{JOB}style: educational\n");
    let (place, trace) = plain(&job);
    let argument = of_phase(&trace, "argument")[0];
    assert!(
        argument["objections"][0]
            .as_str()
            .is_some_and(|o| o.contains("The best point of Advocate B is")),
        "{argument}"
    );
    assert_eq!(
        trace["rejections"].as_array().map(Vec::len),
        Some(2 * 2 + 2),
        "arguments and closings"
    );
    assert_eq!(
        count(&place, |call| task(call) == "rebuttal"),
        4,
        "rebuttals need none"
    );

    let (_, trace) = played(&job, |call| {
        ["argument", "closing"]
            .contains(&task(call))
            .then(|| Answer::text("The BEST point of them is cost. It is small."))
    });
    assert_eq!(trace["rejections"], json!([]));
    assert!(of_phase(&trace, "closing")[1].get("objections").is_none());
}

fn ruling(winner: &str) -> Value {
    json!({"assessment": "The first side met every point.", "next_focus": "Who would pay the fines?", "winner": winner})
}

#[test]
fn d3_in_a_competitive_debate_the_moderator_names_the_winner_of_each_round() {
    let (place, trace) = played(&format!("{JOB}style: competitive\n"), |call| {
        let first = call.last_message().contains("Round 1 of 2 is over");
        match kind(call) {
            Kind::Ruling if first => Some(Answer::json(&ruling("position_advocate_2"))),
            Kind::Ruling => Some(Answer::json(
                &json!({"assessment": "They were equal in all.", "winner": "nobody"}),
            )),
            _ => None,
        }
    });
    let winners = &trace["outcome"]["details"]["round_winners"];
    assert_eq!(
        (&winners[0]["winner"], &winners[1]["winner"]),
        (&json!("position_advocate_2"), &Value::Null)
    );
    assert_eq!(
        trace["rounds"][0]["headline"],
        "First arguments; Advocate B wins the round"
    );
    assert_eq!(
        trace["rounds"][1]["headline"],
        "On: Who would pay the fines?; nobody wins the round"
    );
    let announced: Vec<&str> = of_phase(&trace, "announcement")
        .iter()
        .filter_map(|s| s["text"].as_str())
        .collect();
    assert!(
        announced[1].starts_with("Round 1 goes to Advocate B. The first side met every point."),
        "{announced:?}"
    );
    assert!(
        announced[1].contains("It turns to this: Who would pay the fines?"),
        "{announced:?}"
    );
    assert!(
        announced[2].starts_with("Round 2 goes to nobody."),
        "{announced:?}"
    );
    let summary = place
        .server
        .chats()
        .into_iter()
        .find(|call| task(call) == "round_summary")
        .expect("a summary");
    assert!(
        summary
            .last_message()
            .contains("You have named Advocate B the winner of this round.")
    );
    assert!(
        trace["outcome"]["facts"]
            .to_string()
            .contains("round 1 Advocate B, round 2 nobody")
    );
}

#[test]
fn d3_a_round_with_an_emergency_reply_has_no_winner_and_an_invalid_ruling_names_none() {
    let job = format!("{JOB}style: competitive\n");
    let (place, trace) = played(&job, |call| (task(call) == "rebuttal").then(refuse));
    assert_eq!(trace["outcome"]["details"]["round_winners"], json!([]));
    assert_eq!(count(&place, |call| kind(call) == Kind::Ruling), 0);
    let (_, trace) = played(&job, |call| {
        (kind(call) == Kind::Ruling).then(|| Answer::text("B, I think"))
    });
    assert_eq!(trace["outcome"]["details"]["round_winners"], json!([]));
    assert_eq!(trace["status"], "degraded", "a round should have a winner");
}

#[test]
fn d4_the_moderator_opens_announces_and_sums_up() {
    let (place, trace) = played(
        &format!("{JOB}{THREE}rules: [Keep it short.]\njudges: [{{}}, {{}}]\n"),
        |call| (task(call) == "round_summary").then(|| Answer::text("They met on fairness.")),
    );
    let introduction = statements(&trace)[0]["text"].as_str().expect("a text");
    for part in [
        "Should voting be compulsory?",
        "Ben argues for this position: No",
        "- Keep it short.",
        "there are 2 rounds",
        "Judge-1, Judge-2",
    ] {
        assert!(introduction.contains(part), "{part} in {introduction}");
    }
    let announced: Vec<&str> = of_phase(&trace, "announcement")
        .iter()
        .filter_map(|s| s["text"].as_str())
        .collect();
    assert!(announced[0].starts_with("Round 1 of 2."), "{announced:?}");
    assert!(
        announced[2].contains("The closing statements follow, in this order: Ada, Ben, Cleo."),
        "{announced:?}"
    );
    let focus = trace["rounds"][0]["next_focus"].as_str().expect("a focus");
    assert!(
        announced[1].contains(focus),
        "the clerk's focus: {announced:?}"
    );
    let asked = |c: &Call| {
        task(c) == "argument" && c.last_message().contains(&format!("Its focus is: {focus}"))
    };
    assert_eq!(count(&place, asked), 3);
    assert_eq!(
        of_phase(&trace, "round_summary")[1]["text"],
        "They met on fairness."
    );
    assert_eq!(of_phase(&trace, "round_summary")[1]["by"], "moderator");
}

#[test]
fn d4_a_breach_is_interrupted_once_and_answered_before_the_next_turn() {
    let (place, trace) = played(&format!("{JOB}rules: [Do not mock anybody.]\n"), |call| {
        (kind(call) == Kind::Check).then(|| breach(4))
    });
    let course = course(&trace);
    assert_eq!(
        course[1..7],
        [
            "0 opening 1",
            "0 interjection moderator",
            "0 answer 1",
            "0 opening 2",
            "0 interjection moderator",
            "0 answer 2"
        ]
    );
    assert_eq!(
        course[8..11],
        ["1 argument 1", "1 interjection moderator", "1 answer 1"]
    );
    let checked = 2 + 2 * 4 + 2;
    assert_eq!(
        count(&place, |call| kind(call) == Kind::Check),
        checked,
        "answers are not checked"
    );
    let all = trace["interjections"].as_array().expect("interjections");
    assert_eq!(all.len(), checked);
    let first = &all[0];
    assert_eq!(
        (&first["about"], &first["statement"], &first["speaker"]),
        (&json!(2), &json!(3), &json!("position_advocate_1"))
    );
    assert_eq!(
        (&first["cause"], &first["point"], &first["by"]["id"]),
        (
            &json!("rule"),
            &json!("Do not mock anybody."),
            &json!("moderator")
        )
    );
    assert_eq!(first["reading"]["reason"], "It mocks the other side.");
    let interjection = place
        .server
        .chats()
        .into_iter()
        .find(|call| task(call) == "interjection")
        .expect("a call");
    assert!(
        interjection
            .last_message()
            .contains("It breaks this rule: Do not mock anybody.")
    );
    let answer = place
        .server
        .chats()
        .into_iter()
        .find(|call| task(call) == "answer")
        .expect("a call");
    assert!(
        answer
            .last_message()
            .contains("Moderator has interrupted your last statement: it broke a rule.")
    );
    assert!(
        trace["outcome"]["facts"]
            .to_string()
            .contains("12 for a broken rule, 0 for a false claim")
    );
}

#[test]
fn d4_a_check_that_finds_nothing_or_cannot_be_used_interrupts_nothing() {
    for reply in [
        "{\"because\": \"It is within the rules.\", \"breach\": false, \"rule\": 1}",
        "Yes, it does.",
        "{\"because\": \"No such rule.\", \"breach\": true, \"rule\": 99}",
    ] {
        let (_, trace) = played(JOB, move |call| {
            (kind(call) == Kind::Check).then(|| Answer::text(reply))
        });
        assert_eq!(trace["interjections"], json!([]), "{reply}");
        assert_eq!(trace["status"], "done", "{reply}");
        assert_eq!(
            incidents(&trace, "invalid").len(),
            if reply.contains("false") { 0 } else { 12 }
        );
    }
}

#[test]
fn d4_interruptions_are_the_styles_or_the_jobs() {
    let checks = |more: &str| {
        let (place, _) = plain(&format!("{JOB}{more}"));
        count(&place, |call| kind(call) == Kind::Check)
    };
    assert_eq!(checks("interruptions: false\n"), 0);
    assert_eq!(checks("style: casual\n"), 0);
    assert_eq!(checks("style: casual\ninterruptions: true\n"), 12);
    assert_eq!(checks("style: formal\ninterruptions: null\n"), 12);
}

#[test]
fn d4_the_moderator_may_end_the_rounds_only_where_the_job_allows_it() {
    let ends = |call: &Call| {
        let ends = json!({"assessment": "They repeat themselves now.", "end_now": true, "next_focus": "Nothing is left to ask."});
        (kind(call) == Kind::Ruling).then(|| Answer::json(&ends))
    };
    let (place, trace) = played(&format!("{JOB}may_end_early: true\n"), ends);
    assert_eq!(trace["record"]["end_reason"], "ended_by_moderator");
    assert_eq!(trace["rounds"].as_array().map(Vec::len), Some(1));
    assert_eq!(
        of_phase(&trace, "closing").len(),
        2,
        "closings follow all the same"
    );
    let announced = of_phase(&trace, "announcement")[1]["text"]
        .as_str()
        .expect("a text");
    assert!(
        announced.starts_with("I end the rounds here. They repeat themselves now."),
        "{announced}"
    );
    assert_eq!(count(&place, |call| kind(call) == Kind::Ruling), 1);
    assert!(
        trace["outcome"]["facts"]
            .to_string()
            .contains("1 of 2, ended by the moderator")
    );

    let (place, trace) = played(JOB, ends);
    assert_eq!(
        (
            &trace["record"]["end_reason"],
            count(&place, |call| kind(call) == Kind::Ruling)
        ),
        (&json!("completed"), 0)
    );
    let (place, trace) = played(
        &format!(
            "{}may_end_early: true\n",
            JOB.replace("round_count: 2", "round_count: 1")
        ),
        ends,
    );
    assert_eq!(
        (
            &trace["record"]["end_reason"],
            count(&place, |call| kind(call) == Kind::Ruling)
        ),
        (&json!("completed"), 0),
        "not in the last round"
    );
}

#[test]
fn d4_the_clerks_summary_stands_in_for_a_missing_one_of_a_round() {
    let (_, trace) = played(JOB, |call| (task(call) == "round_summary").then(refuse));
    let stand_in = of_phase(&trace, "round_summary")[0];
    let clerk = trace["rounds"][0]["summary"].as_str().expect("a summary");
    assert_eq!(stand_in["origin"], "template");
    assert!(
        stand_in["text"]
            .as_str()
            .is_some_and(|text| text.contains(clerk)),
        "{stand_in}"
    );
    assert_eq!(
        (&trace["status"], incidents(&trace, "left_out").len()),
        (&json!("done"), 2)
    );
}

#[test]
fn d5_a_false_claim_is_interrupted_by_the_fact_checker_and_nothing_else_is() {
    let job = format!("{JOB}fact_checker: {{name: Faye}}\n");
    let (place, trace) = played(&job, |call| match kind(call) {
        Kind::FactCheck => Some(found("false")),
        Kind::Check => Some(breach(1)),
        _ => None,
    });
    assert_eq!(
        course(&trace)[1..4],
        ["0 opening 1", "0 interjection fact_checker", "0 answer 1"]
    );
    let first = &trace["interjections"][0];
    assert_eq!(
        (&first["cause"], &first["point"], &first["by"]["id"]),
        (
            &json!("fact"),
            &json!("Fairness is a reason."),
            &json!("fact_checker")
        )
    );
    assert_eq!(first["reading"]["reason"], "Most states do not have it.");
    assert_eq!(
        count(&place, |call| kind(call) == Kind::Check),
        0,
        "one interruption a statement at most"
    );
    let check = &trace["fact_checks"][0];
    assert_eq!(
        (&check["about"], &check["claims"][0]),
        (&json!(2), &claim("false"))
    );
    assert!(place.server.chats().iter().any(|call| {
        call.last_message()
            .contains("Faye has interrupted your last statement: a claim in it is false.")
    }));

    for verdict in ["true", "unproven"] {
        let (place, trace) = played(&job, move |call| {
            (kind(call) == Kind::FactCheck).then(|| found(verdict))
        });
        assert_eq!(trace["interjections"], json!([]), "{verdict}");
        assert_eq!(trace["fact_checks"][0]["claims"][0]["verdict"], verdict);
        assert_eq!(
            count(&place, |call| kind(call) == Kind::Check),
            12,
            "rules are checked then"
        );
    }
}

#[test]
fn d5_a_claim_that_nobody_made_or_that_is_also_called_true_is_not_interrupted() {
    let job = format!("{JOB}fact_checker: {{}}\n");
    let (_, trace) = played(&job, |call| {
        let mut invented = claim("false");
        invented["claim"] = json!("Elephants rarely cast ballots.");
        (kind(call) == Kind::FactCheck).then(|| Answer::json(&json!({"claims": [invented]})))
    });
    assert_eq!(trace["interjections"], json!([]));
    assert_eq!(
        trace["fact_checks"][0]["claims"][0]["verdict"], "false",
        "it is noted"
    );
    let (_, trace) = played(&job, |call| {
        let both = json!({"claims": [claim("true"), claim("false"), claim("true")]});
        (kind(call) == Kind::FactCheck).then(|| Answer::json(&both))
    });
    assert_eq!(trace["interjections"], json!([]));
    assert_eq!(
        trace["fact_checks"][0]["claims"].as_array().map(Vec::len),
        Some(2)
    );
}

#[test]
fn d5_facts_are_checked_in_any_style_and_without_interruptions_only_noted() {
    let facts = |more: &str| {
        let job = format!("{JOB}fact_checker: {{}}\n{more}");
        let (_, trace) = played(&job, |call| {
            (kind(call) == Kind::FactCheck).then(|| found("false"))
        });
        let count = |key: &str| trace[key].as_array().map_or(0, Vec::len);
        (count("fact_checks"), count("interjections"))
    };
    assert_eq!(facts("style: educational\n"), (12, 12));
    assert_eq!(facts("interruptions: false\n"), (12, 0));
}

#[test]
fn d5_a_fact_check_that_cannot_be_used_interrupts_nothing() {
    let (_, trace) = played(&format!("{JOB}fact_checker: {{}}\n"), |call| {
        (kind(call) == Kind::FactCheck).then(|| Answer::text("All false!"))
    });
    assert_eq!(trace["interjections"], json!([]));
    assert_eq!(
        (
            &trace["fact_checks"][0]["reading"]["status"],
            &trace["fact_checks"][0]["claims"]
        ),
        (&json!("invalid"), &json!([]))
    );
    assert_eq!(trace["status"], "done");
}

#[test]
fn d6_scores_are_weighted_by_us_and_the_larger_mean_wins() {
    let (place, trace) = played(JOB, |call| {
        (kind(call) == Kind::Verdict).then(|| {
            let scores = json!({"evidence_quality": 4, "logical_coherence": 8, "persuasiveness": 10, "responsiveness": 5, "rule_adherence": 0});
            let mut value = modest(call.schema().expect("a schema"));
            value["scores"]["position_advocate_1"] = scores;
            Answer::json(&value)
        })
    });
    let scores = &trace["record"]["scores"];
    assert_eq!(scores["position_advocate_1"]["total"], json!(5.5));
    assert_eq!(
        scores["position_advocate_1"]["breakdown"],
        json!({"evidence_quality": 4.0, "logical_coherence": 8.0, "persuasiveness": 10.0, "responsiveness": 5.0, "rule_adherence": 0.0})
    );
    assert_eq!(scores["position_advocate_2"]["total"], json!(7.0));
    assert_eq!(
        (&trace["outcome"]["winner"], &trace["outcome"]["rests_on"]),
        (&json!("position_advocate_2"), &json!("own"))
    );
    assert_eq!(
        trace["outcome"]["line"],
        "llama3 (Advocate B) beats llama3 (Advocate A), 7.00 to 5.50"
    );
    assert_eq!(
        trace["outcome"]["points"],
        json!({"position_advocate_1": 5.5, "position_advocate_2": 7.0})
    );
    assert_eq!(trace["verdicts"][0]["judges"][0]["id"], "moderator");
    let asked = place
        .server
        .chats()
        .into_iter()
        .find(|call| kind(call) == Kind::Verdict)
        .expect("a call");
    assert!(
        asked
            .last_message()
            .contains("10 = Clear and sound reasoning throughout")
    );
}

#[test]
fn d6_judges_of_the_job_take_the_moderators_place_and_their_means_count() {
    let job = format!("{JOB}judges: [{{name: Jo}}, {{name: Jim}}]\n");
    let (_, trace) = played(&job, |call| match kind(call) {
        Kind::Verdict if by(call, "Jo") => Some(verdict(call, &[9, 4])),
        Kind::Verdict => Some(verdict(call, &[4, 6])),
        _ => None,
    });
    let ids: Vec<&Value> = trace["verdicts"][0]["judges"]
        .as_array()
        .expect("judges")
        .iter()
        .map(|j| &j["id"])
        .collect();
    assert_eq!(ids, ["judge_1", "judge_2"]);
    assert_eq!(
        trace["record"]["scores"]["position_advocate_1"]["total"],
        json!(6.5)
    );
    assert_eq!(trace["outcome"]["winner"], "position_advocate_1");
}

#[test]
fn d6_equal_means_are_a_draw_and_without_scoring_nobody_wins() {
    let (_, trace) = plain(JOB);
    assert_eq!(
        (&trace["outcome"]["winner"], &trace["outcome"]["rests_on"]),
        (&json!("draw"), &json!("own"))
    );
    assert_eq!(
        trace["outcome"]["line"],
        "A draw between llama3 (Advocate A) and llama3 (Advocate B), 7.00 to 7.00"
    );
    let (place, trace) = plain(&format!("{JOB}scoring: false\n"));
    assert_eq!(trace["outcome"]["line"], "Debated to the end, not scored");
    assert_eq!(
        (
            &trace["outcome"]["winner"],
            &trace["outcome"]["rests_on"],
            &trace["record"]["scores"]
        ),
        (&Value::Null, &Value::Null, &Value::Null)
    );
    assert_eq!(
        (
            &trace["status"],
            count(&place, |call| kind(call) == Kind::Verdict)
        ),
        (&json!("done"), 0)
    );
    assert_eq!(trace["verdicts"], json!([]));
}

#[test]
fn o1_the_line_of_three_advocates_names_who_wins_and_what_the_others_have() {
    let line = |scores: &'static [u64]| {
        let (_, trace) = played(
            &format!("{JOB}{THREE}round_count: 1\n").replace("round_count: 2\n", ""),
            move |call| (kind(call) == Kind::Verdict).then(|| verdict(call, scores)),
        );
        trace["outcome"]["line"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    };
    assert_eq!(
        line(&[6, 7, 5]),
        "llama3 (Ben) wins with 7.00, ahead of llama3 (Ada) 6.00 and llama3 (Cleo) 5.00"
    );
    assert_eq!(
        line(&[7, 5, 7]),
        "A draw between llama3 (Ada) and llama3 (Cleo) with 7.00, ahead of llama3 (Ben) 5.00"
    );
}

#[test]
fn d6_a_debate_that_the_moderator_ended_says_so_where_nobody_is_scored() {
    let job = format!("{JOB}scoring: false\nmay_end_early: true\n").replace("count: 2", "count: 6");
    let (_, trace) = played(&job, |call| {
        let ruling = json!({"assessment": "All has been said.", "end_now": true, "next_focus": "What is left to say?"});
        (kind(call) == Kind::Ruling).then(|| Answer::json(&ruling))
    });
    assert_eq!(
        trace["outcome"]["line"],
        "Ended by the moderator after 1 of 6 rounds, not scored"
    );
}

#[test]
fn d6_what_scores_mean_stands_in_the_order_of_the_scores() {
    let (place, _) = plain(JOB);
    let chats = place.server.chats();
    let asked = chats.iter().find(|call| kind(call) == Kind::Verdict);
    let task = asked.expect("a verdict").last_message().to_owned();
    let guides: Vec<&str> = task
        .lines()
        .filter(|line| line.contains(": 0 = "))
        .collect();
    assert_eq!(guides.len(), 5, "{task}");
    for guide in guides {
        let at = |mark: &str| {
            guide
                .find(mark)
                .unwrap_or_else(|| panic!("{mark}: {guide}"))
        };
        assert!(
            at("0 = ") < at(" 5 = ") && at(" 5 = ") < at(" 10 = "),
            "{guide}"
        );
    }
}

#[test]
fn d4_the_rules_that_are_enforced_are_told_once_to_everyone() {
    let job = format!("{JOB}rules: [\"attack arguments, never PEOPLE\", Name your sources.]\n");
    let (place, trace) = plain(&job);
    let chats = place.server.chats();
    let told = chats[0]
        .text()
        .split("Rules for everyone:")
        .nth(1)
        .expect("rules")
        .to_owned();
    let rules = "\n- Keep to the topic.\n- Attack arguments, never people.\n- Speak for yourself only: do not put words into anybody's mouth.\n- Name your sources.\n";
    assert!(told.starts_with(rules), "{told}");
    let check = chats
        .iter()
        .find(|call| kind(call) == Kind::Check)
        .expect("a check");
    assert!(
        check.last_message().contains("\n4. Name your sources.\n\n"),
        "{}",
        check.last_message()
    );
    let said = of_phase(&trace, "introduction")[0]["text"].to_string();
    assert_eq!(
        said.to_lowercase().matches("never people").count(),
        1,
        "{said}"
    );
}

#[test]
fn d6_judges_without_a_persona_have_the_judges() {
    let (_, trace) = plain(&format!(
        "{JOB}judges: [{{}}, {{persona: scientist}}, {{persona: null}}]\n"
    ));
    let personas: Vec<&Value> = trace["participants"]
        .as_array()
        .expect("participants")
        .iter()
        .filter(|p| p["id"].as_str().is_some_and(|id| id.starts_with("judge_")))
        .map(|p| &p["persona"])
        .collect();
    assert_eq!(json!(personas), json!(["judge", "scientist", null]));
}

#[test]
fn d6_without_a_valid_verdict_the_debate_is_degraded() {
    let (_, trace) = played(JOB, |call| {
        (kind(call) == Kind::Verdict).then(|| Answer::text("A draw."))
    });
    assert_eq!(
        (
            &trace["status"],
            &trace["outcome"]["winner"],
            &trace["record"]["scores"]
        ),
        (&json!("degraded"), &Value::Null, &Value::Null)
    );
    assert!(
        trace["cause"]
            .as_str()
            .is_some_and(|cause| cause.contains("no judge gave a valid verdict"))
    );
}

#[test]
fn d6_criteria_are_the_jobs() {
    let job = format!(
        "{JOB}criteria: {{wit: {{weight: 0.75}}, warmth: {{weight: 0.25, guide: {{0: Cold, 10: Warm}}}}}}\n"
    );
    let (place, trace) = plain(&job);
    assert_eq!(
        trace["record"]["scores"]["position_advocate_1"]["breakdown"],
        json!({"warmth": 7.0, "wit": 7.0})
    );
    assert!(place.server.chats().iter().any(|call| {
        call.last_message()
            .contains("- warmth: 0 = Cold; 10 = Warm.")
    }));
}

#[test]
fn d7_the_record_has_its_sources_keys() {
    let (_, trace) = played(JOB, |call| {
        (task(call) == "summary").then(|| Answer::text("They met on duty and freedom."))
    });
    let record = trace["record"].as_object().expect("a record");
    let keys: Vec<&String> = record.keys().collect();
    assert_eq!(keys, ["end_reason", "duration", "scores", "summary"]);
    assert_eq!(
        (&record["end_reason"], &record["summary"]),
        (&json!("completed"), &json!("They met on duty and freedom."))
    );
    assert_eq!(record["duration"], trace["timing"]["model_ms"]);
    let last = statements(&trace).last().expect("a summary");
    assert_eq!(
        (&last["phase"], &last["n"]),
        (&json!("summary"), &trace["outcome"]["final_text"])
    );
}

#[test]
fn d7_the_duration_is_the_models_time_and_so_the_same_in_every_rehearsal() {
    let rehearsed = || {
        let trace = Place::new().trace_of(JOB, &["--rehearse"]);
        trace["record"]["duration"].as_u64().expect("a number")
    };
    let duration = rehearsed();
    assert!(duration > 10_000, "{duration}");
    assert_eq!(duration, rehearsed());
}

#[test]
fn d7_a_missing_summary_degrades_and_is_null() {
    let (_, trace) = played(JOB, |call| (task(call) == "summary").then(refuse));
    assert_eq!(
        (
            &trace["status"],
            &trace["record"]["summary"],
            &trace["outcome"]["final_text"]
        ),
        (&json!("degraded"), &Value::Null, &Value::Null)
    );
    assert_eq!(
        trace["outcome"]["winner"], "draw",
        "it is judged all the same"
    );
}

#[test]
fn d7_a_failed_debate_says_so_in_its_record() {
    let (_, trace) = played(&format!("{JOB}on_failure: abort\n"), |call| {
        (task(call) == "closing").then(refuse)
    });
    assert_eq!(
        (&trace["status"], &trace["record"]["end_reason"]),
        (&json!("failed"), &json!("failed"))
    );
    assert_eq!(
        (&trace["record"]["scores"], &trace["record"]["summary"]),
        (&Value::Null, &Value::Null)
    );
}

#[test]
fn m2_an_emergency_reply_is_neither_checked_nor_rebutted() {
    let (place, trace) = played(&format!("{JOB}fact_checker: {{}}\n"), |call| {
        (task(call) == "argument" && by(call, "Advocate A")).then(refuse)
    });
    assert_eq!(
        (&trace["status"], &of_phase(&trace, "argument")[0]["origin"]),
        (&json!("degraded"), &json!("emergency"))
    );
    assert_eq!(count(&place, |call| kind(call) == Kind::FactCheck), 12 - 2);
    let nothing = |call: &Call| {
        call.last_message()
            .contains("Advocate A could not speak, so there is nothing to rebut.")
    };
    assert_eq!(count(&place, nothing), 2);
    assert_eq!(trace["outcome"]["winner"], "draw");
}

#[test]
fn m2_who_was_never_heard_is_not_judged() {
    let (place, trace) = played(JOB, |call| {
        (!task(call).is_empty() && by(call, "Advocate A")).then(refuse)
    });
    assert_eq!(
        (&trace["status"], &trace["outcome"]["winner"]),
        (&json!("degraded"), &Value::Null)
    );
    assert_eq!(count(&place, |call| kind(call) == Kind::Verdict), 0);
    assert_eq!(
        trace["outcome"]["line"],
        "No winner, for want of a valid verdict"
    );
}

#[test]
fn m2_an_interjection_that_cannot_be_had_is_not_answered() {
    let (_, trace) = played(&format!("{JOB}fact_checker: {{}}\n"), |call| {
        match kind(call) {
            Kind::FactCheck if task_of_record(call) == "opening" => Some(found("false")),
            _ => (task(call) == "interjection").then(refuse),
        }
    });
    assert_eq!(
        (&trace["status"], &trace["interjections"]),
        (&json!("done"), &json!([]))
    );
    assert_ne!(incidents(&trace, "left_out").len(), 0);
    let course = course(&trace);
    assert_eq!(course[1..3], ["0 opening 1", "0 opening 2"]);
}

#[test]
fn m7_the_clerk_notes_every_statement_under_its_own_key_and_points_reach_later_prompts() {
    let (place, trace) = played(JOB, move |call| {
        (kind(call) == Kind::Clerk).then(|| {
            let mut notes = modest(call.schema().expect("a schema"));
            notes["key_points"] = json!({"position_advocate_1": ["Turnout is low."], "position_advocate_2": ["Freedom counts."]});
            let gists = notes["gists"].as_object_mut().expect("gists");
            for (key, gist) in gists.iter_mut() {
                *gist = json!(format!("The claim of {key}."));
            }
            Answer::json(&notes)
        })
    });
    for s in ["argument", "rebuttal"]
        .iter()
        .flat_map(|phase| of_phase(&trace, phase))
    {
        let expected = format!(
            "The claim of {}_statement_{}.",
            s["by"].as_str().expect("an id"),
            s["n"]
        );
        assert_eq!(s["gist"], expected);
    }
    let clerk = place
        .server
        .chats()
        .into_iter()
        .find(|call| kind(call) == Kind::Clerk)
        .expect("a clerk");
    let asked = clerk.last_message();
    assert!(
        asked.contains("(for Advocate A, the statement that begins \"A reason for it is fairness."),
        "{asked}"
    );
    let closing = place
        .server
        .chats()
        .into_iter()
        .find(|call| task(call) == "closing")
        .expect("a closing");
    let text = closing.last_message();
    assert!(
        text.contains("Points you have made:\n- Turnout is low."),
        "{text}"
    );
    assert!(
        !text.contains("do not repeat them"),
        "a closing names its strongest points: {text}"
    );
    assert!(
        text.contains("Points that were made against you:\n- Freedom counts."),
        "{text}"
    );
}

#[test]
fn m7_after_the_last_round_nobody_is_asked_for_a_focus() {
    let (place, _) = plain(JOB);
    let chats = place.server.chats();
    let clerks: Vec<bool> = chats
        .iter()
        .filter(|call| kind(call) == Kind::Clerk)
        .map(|call| call.last_message().contains("next_focus"))
        .collect();
    assert_eq!(clerks, [true, false]);
}

#[test]
fn a7_a_trace_with_everything_in_it_is_of_the_published_shape() {
    let (place, trace) = played(
        &format!("{JOB}{THREE}style: competitive\nmay_end_early: true\nfact_checker: {{}}\n"),
        |call| match kind(call) {
            Kind::FactCheck
                if by(call, "Fact checker") && call.last_message().contains("by Ada") =>
            {
                Some(found("false"))
            }
            Kind::Check => Some(breach(2)),
            _ => None,
        },
    );
    let schema: Value =
        serde_json::from_str(&place.rebut(&["schema", "trace"]).stdout).expect("JSON");
    let validator = jsonschema::validator_for(&schema).expect("a valid schema");
    let errors: Vec<String> = validator
        .iter_errors(&trace)
        .map(|e| e.to_string())
        .collect();
    assert!(errors.is_empty(), "{errors:#?}");
    let summary = read(&place.debates()[0].join("summary.md"));
    for part in [
        "Fact checker interrupted Ada (a false claim)",
        "Moderator interrupted Ben (a broken rule)",
    ] {
        assert!(summary.contains(part), "{summary}");
    }
}

#[test]
fn j3_the_shipped_jobs_are_accepted() {
    let place = Place::new();
    let jobs = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    for job in [
        "jobs/agi-impact.yaml",
        "jobs/four-day-week.yaml",
        "jobs/school-phones.yaml",
        "templates/jobs/moderated.yaml",
    ] {
        let path = jobs.join(job).to_string_lossy().into_owned();
        let ended = place.rebut(&["check", &path, "--rehearse"]);
        assert_eq!(ended.code, 0, "{job}: {}", ended.stderr);
    }
}

#[test]
fn j7_a_rehearsal_interrupts_passes_and_concedes_now_and_then() {
    let rehearsed = |job: &str| {
        let place = Place::new();
        place.trace_of(&format!("{JOB}{job}"), &["--rehearse"])
    };
    let formal = rehearsed("fact_checker: {}\n");
    let causes: Vec<&Value> = formal["interjections"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|i| &i["cause"])
        .collect();
    assert!(!causes.is_empty() && causes.len() < 9, "{causes:?}");
    let casual = rehearsed("style: casual\n");
    let passed = |phase: &str| {
        let said = of_phase(&casual, phase);
        said.iter().filter(|s| s["text"] == "PASS").count()
    };
    assert_eq!(passed("argument") + passed("closing"), 0);
    assert!((1..4).contains(&passed("rebuttal")));
    let educational = rehearsed("style: educational\n");
    assert_eq!(educational["rejections"], json!([]));
    assert_eq!(educational["status"], "done");
}
