//! Rows K1 to K13, and O2: the knockout format, played with scripted replies.

use mock_ollama::{Answer, Call};
use serde_json::{Value, json};

use crate::harness::{
    Kind, Place, SHORT_JOB, arguments, ballot, good, incidents, json_lines, keys, kind, round_of,
};

const JOB: &str = "topic: Should voting be compulsory?\n";

/// Runs a job against a server whose judges vote as `vote` says for each round.
fn played(job: &str, vote: impl Fn(u64, &Call) -> Answer + Send + Sync + 'static) -> Value {
    let place = Place::new();
    place.server.script(move |call| {
        if kind(call) == Kind::Ballot {
            vote(round_of(call), call)
        } else {
            good(call)
        }
    });
    place.trace_of(job, &[])
}

fn speakers(trace: &Value) -> Vec<(u64, String)> {
    arguments(trace)
        .iter()
        .map(|s| {
            (
                s["round"].as_u64().unwrap_or(0),
                s["by"].as_str().unwrap_or("").to_owned(),
            )
        })
        .collect()
}

fn debaters(trace: &Value) -> Vec<String> {
    trace["record"]["rounds"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|r| r["debater"].as_str().unwrap_or("").to_owned())
        .collect()
}

fn judge(call: &Call) -> String {
    let text = call.text();
    let before = text
        .split(", a judge of this round")
        .next()
        .unwrap_or_default();
    before
        .rsplit("You are ")
        .next()
        .unwrap_or_default()
        .to_owned()
}

#[test]
fn k1_one_y_debates_the_others_judge_and_x_stays() {
    let trace = played(&format!("{JOB}rounds: 2\n"), |_, _| ballot(4, true));
    assert_eq!(debaters(&trace), ["position_y_1", "position_y_1"]);
    let judges: Vec<&str> = trace["ballots"]
        .as_array()
        .expect("ballots")
        .iter()
        .filter(|b| b["round"] == 1)
        .filter_map(|b| b["by"]["id"].as_str())
        .collect();
    assert_eq!(judges, ["position_y_2", "position_y_3", "position_y_4"]);
    assert!(
        speakers(&trace)
            .iter()
            .filter(|(_, by)| by == "position_x")
            .count()
            == 2
    );
}

#[test]
fn k2_six_rounds_by_default_and_the_starting_position_speaks_first() {
    let trace = played(JOB, |_, _| ballot(4, true));
    assert_eq!(
        trace["record"]["rounds"].as_array().expect("rounds").len(),
        6
    );
    let order = |start: &str| -> Vec<Value> {
        let trace = played(
            &format!("{JOB}rounds: 2\nstarting_position: {start}\n"),
            |_, _| ballot(4, true),
        );
        trace["record"]["rounds"]
            .as_array()
            .expect("rounds")
            .iter()
            .map(|r| r["speaking_order"].clone())
            .collect()
    };
    assert_eq!(order("X"), [json!(["X", "Y"]), json!(["X", "Y"])]);
    assert_eq!(order("Y"), [json!(["Y", "X"]), json!(["Y", "X"])]);
    assert_eq!(order("alternate"), [json!(["X", "Y"]), json!(["Y", "X"])]);
}

#[test]
fn k3_the_record_opens_with_an_introduction_and_rounds_are_joined_by_summary_and_focus() {
    let place = Place::new();
    place.server.script(|call| match kind(call) {
        Kind::Clerk => notes(call, "Both spoke of fairness.", "Who pays for it?"),
        _ => good(call),
    });
    let trace = place.trace_of(&format!("{JOB}rounds: 2\n"), &[]);
    let phases: Vec<&str> = trace["statements"]
        .as_array()
        .expect("statements")
        .iter()
        .filter_map(|s| s["phase"].as_str())
        .collect();
    assert_eq!(
        phases,
        [
            "introduction",
            "argument",
            "argument",
            "transition",
            "argument",
            "argument"
        ]
    );
    let transition = trace["statements"][3]["text"].as_str().expect("text");
    assert!(
        transition.contains("Both spoke of fairness.") && transition.contains("Who pays for it?"),
        "{transition}"
    );
    let second = place
        .server
        .chats()
        .into_iter()
        .find(|c| kind(c) == Kind::Statement && round_of(c) == 2)
        .expect("a call");
    assert!(
        second
            .last_message()
            .contains("Its focus is: Who pays for it?")
    );
}

/// Notes in the shape that the call asks for.
fn notes(call: &Call, summary: &str, focus: &str) -> Answer {
    let ids: Vec<String> = call
        .schema()
        .and_then(|s| s["properties"]["gists"]["properties"].as_object())
        .expect("gists")
        .keys()
        .cloned()
        .collect();
    let gists: serde_json::Map<String, Value> = ids
        .iter()
        .map(|id| (id.clone(), json!(format!("Gist of {id}."))))
        .collect();
    let points: serde_json::Map<String, Value> = ids
        .iter()
        .map(|id| {
            (
                id.clone(),
                json!([format!("Point of {id} {}", round_of(call))]),
            )
        })
        .collect();
    Answer::json(
        &json!({"gists": gists, "key_points": points, "next_focus": focus, "summary": summary}),
    )
}

#[test]
fn k4_memory_shapes_prompts_and_a_newcomer_does_not_inherit_it() {
    let place = Place::new();
    place.server.script(|call| match kind(call) {
        Kind::Clerk => notes(call, "A summary of the round.", "A focus of the round."),
        Kind::Ballot => ballot(1, round_of(call) != 1),
        _ => good(call),
    });
    let trace = place.trace_of(&format!("{JOB}rounds: 2\n"), &[]);
    let newcomer = debaters(&trace)[1].clone();
    assert_ne!(newcomer, "position_y_1");
    let second: Vec<Call> = place
        .server
        .chats()
        .into_iter()
        .filter(|c| kind(c) == Kind::Statement && round_of(c) == 2)
        .collect();
    assert!(second[0].last_message().contains(
        "Points you have already made; do not repeat them, build on them:\n- Point of position_x"
    ));
    assert!(
        second[0]
            .last_message()
            .contains("Points your opponents have made against you:\n- Point of position_y_1")
    );
    assert!(
        !second[1]
            .last_message()
            .contains("Points you have already made")
    );
    assert!(
        second[1]
            .last_message()
            .contains("You have just come in for your side.")
    );
    assert_eq!(
        trace["memories"]["position_x"]["debate_history"],
        json!([2, 3, 5, 6])
    );
    assert_eq!(
        trace["memories"][&newcomer]["debate_history"],
        json!([5, 6])
    );
}

#[test]
fn k5_a_ballot_holds_scores_our_total_and_a_vote_and_judges_see_the_whole_transcript() {
    let place = Place::new();
    place.server.script(|call| match kind(call) {
        Kind::Ballot => Answer::json(&json!({"comments": "Good and well argued.", "scores": {"argument_strength": 5, "clarity": 1, "persuasiveness": 3, "relevance": 4}, "vote_to_continue": true})),
        _ => good(call),
    });
    let trace = place.trace_of(&format!("{JOB}rounds: 2\n"), &[]);
    let evaluation = &trace["record"]["rounds"][0]["evaluations"][0];
    assert_eq!(
        evaluation["position_y_performance"],
        json!({"argument_strength": 5.0, "clarity": 1.0, "persuasiveness": 3.0, "relevance": 4.0})
    );
    assert_eq!(
        (
            &evaluation["total_score"],
            &evaluation["continue_vote"],
            &evaluation["round_number"]
        ),
        (&json!(3.8), &json!(true), &json!(1))
    );
    let texts: Vec<&str> = arguments(&trace)
        .iter()
        .filter_map(|s| s["text"].as_str())
        .collect();
    let last = place
        .server
        .chats()
        .into_iter()
        .rfind(|c| kind(c) == Kind::Ballot)
        .expect("a ballot");
    assert!(
        texts.iter().all(|text| last.text().contains(text)),
        "a judge of round 2 sees every statement"
    );
    assert!(
        last.text()
            .contains("5 = Strong arguments with compelling evidence")
    );
}

#[test]
fn k5_criteria_weights_and_guides_are_the_jobs() {
    let place = Place::new();
    place.server.script(|call| match kind(call) {
        Kind::Ballot => Answer::json(&json!({"comments": "Good and well argued.", "scores": {"evidence": 5, "wit": 1}, "vote_to_continue": true})),
        _ => good(call),
    });
    let job = format!(
        "{JOB}rounds: 1\ncriteria:\n  evidence: {{weight: 0.75, guide: {{1: Nothing shown, 5: All shown}}}}\n  wit: {{weight: 0.25}}\n"
    );
    let trace = place.trace_of(&job, &[]);
    assert_eq!(
        trace["record"]["rounds"][0]["evaluations"][0]["total_score"],
        json!(4.0)
    );
    assert!(place.server.chats().iter().any(|c| {
        c.text()
            .contains("- evidence: 1 = Nothing shown; 5 = All shown.")
    }));
}

#[test]
fn k6_a_majority_against_rotates_to_one_who_has_not_debated_and_each_has_one_stint() {
    let trace = played(JOB, |_, _| ballot(2, false));
    let debaters = debaters(&trace);
    let mut stints = debaters[..4].to_vec();
    stints.sort();
    assert_eq!(
        stints,
        [
            "position_y_1",
            "position_y_2",
            "position_y_3",
            "position_y_4"
        ]
    );
    assert_eq!(
        debaters[3..],
        [
            debaters[3].clone(),
            debaters[3].clone(),
            debaters[3].clone()
        ],
        "when all have debated the last goes on"
    );
    assert_eq!(trace["record"]["rotation_count"], 3);
    assert!(
        trace["record"]["rotation_tracking"]
            .as_object()
            .expect("tracking")
            .values()
            .all(|v| v == true)
    );
    let judges: Vec<&str> = trace["ballots"]
        .as_array()
        .expect("ballots")
        .iter()
        .filter(|b| b["round"] == 2)
        .filter_map(|b| b["by"]["id"].as_str())
        .collect();
    assert!(
        judges.contains(&"position_y_1"),
        "who was replaced joins the judges"
    );
    let transition = trace["record"]["rounds"][0]["transition"]
        .as_str()
        .expect("a transition");
    assert!(
        transition.contains("The judges voted 3 to 0 to replace Y-1, who joins them."),
        "{transition}"
    );
}

#[test]
fn k6_the_draw_follows_the_seed() {
    let order = |seed: u64| {
        debaters(&played(
            &format!("{JOB}seed: {seed}\nrounds: 4\n"),
            |_, _| ballot(2, false),
        ))
    };
    assert_eq!(order(1), order(1));
    assert!(
        (2..8).any(|seed| order(seed) != order(1)),
        "six other seeds all draw the same order"
    );
}

#[test]
fn k6_threshold_and_limit_are_the_jobs() {
    let strict = played(
        &format!("{JOB}rounds: 3\nrotation: {{threshold: 3}}\n"),
        |_, call| ballot(4, judge(call) == "Y-2"),
    );
    assert_eq!(
        strict["record"]["rotation_count"], 0,
        "2 of 3 against are fewer than 3"
    );
    let limited = played(
        &format!("{JOB}rounds: 4\nrotation: {{limit: 1}}\n"),
        |_, _| ballot(2, false),
    );
    assert_eq!(limited["record"]["rotation_count"], 1);
    assert!(
        limited["rotations"][1]["reason"]
            .as_str()
            .expect("a reason")
            .contains("the limit of rotations is reached")
    );
}

#[test]
fn k6_nobody_comes_in_after_the_last_round() {
    let trace = played(&format!("{JOB}rounds: 1\n"), |_, _| ballot(1, false));
    assert_eq!(trace["record"]["rotation_count"], 0);
    assert_eq!(trace["rotations"][0]["voted_out"], true);
}

#[test]
fn k11_who_is_voted_out_with_nobody_to_come_in_does_not_stand() {
    let trace = played(&format!("{JOB}rounds: 1\n"), |_, _| ballot(1, false));
    let line = "Y-1 (llama3) was voted out in the last round, 1 knocked out";
    assert_eq!(trace["outcome"]["line"], line);
    assert_eq!(trace["record"]["standing"], Value::Null);
    assert_eq!(trace["record"]["points"]["position_x"], 1.0);
    assert_eq!(
        trace["outcome"]["details"]["rounds_survived"]["position_y_1"],
        0
    );
    let knockout = &trace["record"]["knockouts"][0];
    assert_eq!(
        (&knockout["out"], &knockout["in"]),
        (&json!("position_y_1"), &Value::Null)
    );
}

#[test]
fn k11_x_outlasts_a_team_of_which_everyone_is_voted_out() {
    let trace = played(&format!("{JOB}rounds: 5\n"), |_, _| ballot(1, false));
    let line = "X (llama3) outlasted the whole team, 4 knocked out";
    assert_eq!(trace["outcome"]["line"], line);
    assert_eq!(trace["record"]["rotation_count"], 3);
    assert_eq!(
        trace["record"]["knockouts"].as_array().map(Vec::len),
        Some(4)
    );
    let survived = trace["outcome"]["details"]["rounds_survived"]
        .as_object()
        .expect("rounds");
    assert!(survived.values().all(|rounds| rounds == 0), "{survived:?}");
}

#[test]
fn k5_judges_are_told_whether_anybody_can_come_in() {
    let place = Place::new();
    place.trace_of(&format!("{JOB}rounds: 2\n"), &[]);
    let chats = place.server.chats();
    let of_round = |round| {
        chats
            .iter()
            .find(move |c| kind(c) == Kind::Ballot && round_of(c) == round)
            .expect("a ballot")
    };
    let (first, last) = (of_round(1), of_round(2));
    assert!(
        first
            .last_message()
            .contains("Y-2 or Y-3 or Y-4 would come in."),
        "{}",
        first.last_message()
    );
    assert!(
        last.last_message()
            .contains("nobody comes in for Y-1 any more, but the votes decide whether Y-1 stands"),
        "{}",
        last.last_message()
    );
    assert!(
        !last
            .last_message()
            .contains("another of you would do better")
    );
}

#[test]
fn k7_a_tie_by_abstention_is_broken_by_the_mean_score() {
    let tie = |score: u64| {
        played(&format!("{JOB}rounds: 2\n"), move |round, call| {
            match (round, judge(call).as_str()) {
                (1, "Y-2") => ballot(score, true),
                (1, "Y-3") => ballot(score, false),
                (1, _) => Answer::text("no ballot at all"),
                _ => ballot(4, true),
            }
        })
    };
    let low = tie(2);
    assert_eq!(
        (
            &low["rotations"][0]["keeps"],
            &low["rotations"][0]["negatives"],
            &low["rotations"][0]["abstentions"]
        ),
        (&json!(1), &json!(1), &json!(1))
    );
    assert_eq!(
        low["rotations"][0]["rotated"], true,
        "an even vote with a mean of 2.0 rotates"
    );
    assert_eq!(
        tie(3)["rotations"][0]["rotated"],
        false,
        "an even vote with a mean of 3.0 keeps"
    );
}

#[test]
fn k8a_the_cap_is_the_least_of_three_and_is_told_in_words() {
    let cap = |more: &str| {
        let place = Place::new();
        place.trace_of(&format!("{JOB}rounds: 1\n{more}"), &[]);
        let call = place
            .server
            .chats()
            .into_iter()
            .find(|c| kind(c) == Kind::Statement)
            .expect("a statement");
        let words = call
            .last_message()
            .split("Use at most ")
            .nth(1)
            .and_then(|rest| rest.split(' ').next()?.parse().ok())
            .unwrap_or(0);
        (
            call.option("num_predict")
                .and_then(Value::as_u64)
                .unwrap_or(0),
            words,
        )
    };
    assert_eq!(cap(""), (800, 530));
    assert_eq!(cap("max_statement_tokens: 300\n"), (300, 200));
    assert_eq!(cap("time_limit_seconds: 60\n"), (225, 150));
    assert_eq!(cap("defaults: {max_tokens: 90}\n"), (90, 60));
}

#[test]
fn k8a_thinking_gets_tokens_of_its_own_and_is_kept_apart() {
    let card = || {
        mock_ollama::Card::new("llama3")
            .context(8192)
            .capabilities(["completion", "thinking"])
    };
    let place = Place::with(mock_ollama::MockOllama::builder().models([card()]).start());
    place.server.script(|call| match kind(call) {
        Kind::Statement => Answer::text("A spoken reason.")
            .thinking("A long hidden thought.")
            .tokens(50, 500),
        _ => good(call),
    });
    let trace = place.trace_of(
        &format!("{JOB}rounds: 1\ndefaults: {{think: true, thinking_tokens: 600}}\n"),
        &[],
    );
    let calls = place.server.chats();
    let call = calls
        .iter()
        .find(|c| kind(c) == Kind::Statement)
        .expect("a statement");
    assert_eq!(call.option("num_predict"), Some(&json!(1400)));
    assert_eq!(call.body["think"], true);
    assert!(
        calls
            .iter()
            .filter(|c| kind(c) != Kind::Statement)
            .all(|c| c.body["think"] == false)
    );
    let said = arguments(&trace)[0];
    assert_eq!(
        (
            &said["text"],
            &said["thinking"],
            &said["tokens"],
            &said["tokens_estimated"]
        ),
        (
            &json!("A spoken reason."),
            &json!("A long hidden thought."),
            &json!(5),
            &json!(true)
        )
    );
}

#[test]
fn k8a_a_speaker_who_used_up_the_time_is_told() {
    let place = Place::new();
    place.server.script(|call| match kind(call) {
        Kind::Statement if round_of(call) == 1 => {
            Answer::text("One reason. Another reason.").tokens(100, 730)
        }
        _ => good(call),
    });
    place.trace_of(&format!("{JOB}rounds: 2\n"), &[]);
    let told = |round| {
        place
            .server
            .chats()
            .iter()
            .filter(|c| kind(c) == Kind::Statement && round_of(c) == round)
            .all(|c| {
                c.last_message()
                    .contains("Your last turn, with 4 words, used up nearly all of its room.")
            })
    };
    assert!(told(2) && !told(1));
}

#[test]
fn k8b_a_reply_at_its_cap_is_cut_at_its_last_sentence_and_marked() {
    let place = Place::new();
    place.server.script(|call| match kind(call) {
        Kind::Statement if round_of(call) == 1 => {
            Answer::text("First reason. Second reason. Third reas")
                .done_reason("length")
                .tokens(100, 800)
        }
        _ => good(call),
    });
    let trace = place.trace_of(&format!("{JOB}rounds: 2\n"), &[]);
    let said = arguments(&trace)[0];
    assert_eq!(
        said["text"],
        "First reason. Second reason.\n\n[Time limit reached]"
    );
    assert_eq!(said["cut"], true);
    assert_eq!(incidents(&trace, "cut").len(), 2);
    assert_eq!(trace["status"], "done", "a cut is no degradation");
}

#[test]
fn k8b_length_without_text_or_below_the_cap_is_a_failure() {
    let place = Place::new();
    place.server.script(
        |call| match (kind(call), call.attempt_of_same_body, round_of(call)) {
            (Kind::Statement, _, 1) if place_in(call) == 1 => Answer::text("Half a thou")
                .done_reason("length")
                .tokens(100, 40),
            (Kind::Statement, _, 1) if place_in(call) == 2 => {
                Answer::text("").done_reason("length").tokens(100, 800)
            }
            _ => good(call),
        },
    );
    let trace = place.trace_of(&format!("{JOB}rounds: 1\n"), &[]);
    let messages: Vec<&str> = incidents(&trace, "retry")
        .iter()
        .filter_map(|i| i["message"].as_str())
        .collect();
    assert!(
        messages
            .iter()
            .any(|m| m.contains("context_full") && m.contains("after 40 tokens of at most 800")),
        "{messages:?}"
    );
    assert!(
        messages.iter().any(|m| m.contains("no_room_to_speak")),
        "{messages:?}"
    );
    assert_eq!(trace["status"], "degraded");
}

/// 1 for X's statement, 2 for Y's.
fn place_in(call: &Call) -> u8 {
    if call.last_message().contains("You are X.") {
        1
    } else {
        2
    }
}

#[test]
fn k8c_simulated_time_is_in_the_record() {
    let place = Place::new();
    place.server.script(|call| match kind(call) {
        Kind::Statement => Answer::text("A reason.").tokens(100, 75),
        _ => good(call),
    });
    let trace = place.trace_of(&format!("{JOB}rounds: 1\n"), &[]);
    assert_eq!(
        trace["record"]["rounds"][0]["time_used"],
        json!({"X": 20.0, "Y": 20.0})
    );
    assert_eq!(trace["record"]["rounds"][0]["time_limit"], 300);
}

#[test]
fn k9_the_sources_defaults_go_into_the_request() {
    let place = Place::new();
    place.trace_of(
        &format!("{JOB}rounds: 1\ndefaults: {{max_tokens: 1024}}\nmax_statement_tokens: 2000\n"),
        &[],
    );
    let body = &place.server.chats()[0].body;
    assert_eq!(
        (
            &body["model"],
            &body["options"]["temperature"],
            &body["options"]["num_ctx"],
            &body["options"]["num_predict"]
        ),
        (&json!("llama3"), &json!(0.7), &json!(8192), &json!(1024))
    );
}

#[test]
fn k11_the_outcome_says_who_stands_who_fell_and_by_which_votes() {
    let trace = played(&format!("{JOB}rounds: 3\n"), |round, call| {
        if round == 1 {
            ballot(2, judge(call) == "Y-2")
        } else {
            ballot(4, true)
        }
    });
    let second = debaters(&trace)[1].clone();
    let name = second.replace("position_y_", "Y-");
    assert_eq!(
        trace["outcome"]["line"],
        json!(format!("{name} (llama3) stands, 1 knocked out"))
    );
    assert_eq!(trace["outcome"]["winner"], Value::Null);
    let knockout = &trace["record"]["knockouts"][0];
    assert_eq!(
        (&knockout["out"], &knockout["in"], &knockout["round"]),
        (&json!("position_y_1"), &json!(second), &json!(1))
    );
    assert_eq!(
        knockout["continue_votes"],
        json!({"position_y_2": true, "position_y_3": false, "position_y_4": false})
    );
    assert!(
        trace["outcome"]["decided_by"]
            .as_str()
            .expect("text")
            .starts_with("Y-1 was knocked out after round 1 (1 keep, 2 replace)")
    );
}

#[test]
fn o2_points_are_mean_totals_for_y_and_knockouts_for_x() {
    let trace = played(&format!("{JOB}rounds: 3\n"), |round, _| {
        if round == 1 {
            ballot(2, false)
        } else {
            ballot(4, true)
        }
    });
    let second = debaters(&trace)[1].clone();
    let points = &trace["record"]["points"];
    assert_eq!(
        (
            &points["position_x"],
            &points["position_y_1"],
            &points[&second]
        ),
        (&json!(1.0), &json!(2.0), &json!(8.0))
    );
}

#[test]
fn o3_tokens_belong_to_the_model_that_answered() {
    let place = Place::new();
    place.server.script(|call| {
        if call.model() == "llama3" && kind(call) == Kind::Statement {
            Answer::status(400, "no")
        } else {
            good(call)
        }
    });
    let trace = place.trace_of(
        &format!("{JOB}rounds: 1\ndefaults: {{fallback: [mistral]}}\n"),
        &[],
    );
    let by_model = &trace["usage"]["by_model"];
    assert_eq!(
        (
            &by_model["mistral"]["calls"],
            &by_model["llama3"]["failures"]
        ),
        (&json!(2), &json!(2))
    );
    assert!(
        arguments(&trace)
            .iter()
            .all(|s| s["origin"] == "fallback" && s["model"] == "mistral")
    );
}

#[test]
fn k13_the_record_has_its_sources_keys() {
    let trace = played(&format!("{JOB}rounds: 2\n"), |_, _| ballot(4, true));
    assert_eq!(
        keys(&trace["record"]),
        [
            "rounds",
            "rotation_count",
            "rotation_tracking",
            "knockouts",
            "points",
            "standing"
        ]
    );
    assert_eq!(
        keys(&trace["record"]["rounds"][0]),
        [
            "round_number",
            "speaking_order",
            "position_x_statement",
            "position_y_statement",
            "debater",
            "time_limit",
            "time_used",
            "evaluations",
            "transition"
        ]
    );
    assert_eq!(
        trace["record"]["rotation_tracking"],
        json!({"position_y_1": true, "position_y_2": false, "position_y_3": false, "position_y_4": false})
    );
    assert_eq!(
        trace
            .as_object()
            .expect("an object")
            .keys()
            .next_back()
            .map(String::as_str),
        Some("record"),
        "the record comes last"
    );
}

#[test]
fn k8a_speech_may_not_use_up_what_was_meant_for_thinking() {
    let card = mock_ollama::Card::new("llama3")
        .context(8192)
        .capabilities(["completion", "thinking"]);
    let place = Place::with(mock_ollama::MockOllama::builder().models([card]).start());
    let long: String = (0..60)
        .map(|n| format!("Reason number {n} is this one. "))
        .collect();
    place.server.script(move |call| match kind(call) {
        Kind::Statement => Answer::text(long.clone())
            .thinking("A short thought.")
            .tokens(50, 600),
        _ => good(call),
    });
    let trace = place.trace_of(
        &format!("{JOB}rounds: 1\nmax_statement_tokens: 100\ndefaults: {{think: true}}\n"),
        &[],
    );
    let said = arguments(&trace)[0];
    let text = said["text"].as_str().expect("text");
    assert!(
        text.ends_with("is this one.\n\n[Time limit reached]") && text.len() < 650,
        "{text}"
    );
    assert_eq!(
        (incidents(&trace, "cut").len(), &said["cut"]),
        (2, &json!(true))
    );
}

#[test]
fn k3_a_newcomers_opponent_is_told_whom_to_answer() {
    let place = Place::new();
    place.server.script(|call| match kind(call) {
        Kind::Ballot => ballot(1, round_of(call) != 1),
        _ => good(call),
    });
    let trace = place.trace_of(&format!("{JOB}rounds: 2\n"), &[]);
    let newcomer = debaters(&trace)[1].replace("position_y_", "Y-");
    let call = place
        .server
        .chats()
        .into_iter()
        .find(|c| kind(c) == Kind::Statement && round_of(c) == 2)
        .expect("X's second");
    let wanted = format!(
        "{newcomer} has just come in for Y-1. First answer the strongest point in the last statement of Y-1"
    );
    assert!(
        call.last_message().contains(&wanted),
        "{}",
        call.last_message()
    );
}

#[test]
fn k12_a_commentator_comments_after_each_round_and_nobody_in_the_debate_sees_it() {
    let place = Place::new();
    place.server.script(|call| match kind(call) {
        Kind::Comment => Answer::text("Nobody answered the point about fairness."),
        _ => good(call),
    });
    let trace = place.trace_of(&format!("{SHORT_JOB}commentator: {{name: Booth}}\n"), &[]);
    let phases: Vec<&str> = trace["statements"]
        .as_array()
        .expect("statements")
        .iter()
        .map(|s| s["phase"].as_str().expect("a phase"))
        .collect();
    assert_eq!(
        phases,
        [
            "introduction",
            "argument",
            "argument",
            "comment",
            "transition",
            "argument",
            "argument",
            "comment"
        ]
    );
    assert_eq!(
        trace["participants"].as_array().expect("all").last(),
        trace["participants"]
            .as_array()
            .expect("all")
            .iter()
            .find(|p| p["id"] == "commentator" && p["contestant"] == false)
    );
    for call in place.server.chats() {
        let heard = call.text().contains("Nobody answered the point");
        assert!(!heard, "{}", call.text());
    }
    let debate = place.debates().remove(0);
    let comments = crate::harness::list(&debate.join("messages"))
        .into_iter()
        .filter(|path| path.to_string_lossy().contains("_commentator_"))
        .count();
    assert_eq!(comments, 2);
    let events = crate::harness::read(&debate.join("events.jsonl"));
    let names: Vec<String> = events
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("JSON")["event"].to_string())
        .collect();
    let at = names
        .iter()
        .position(|name| name == "\"comment\"")
        .expect("a comment");
    assert_eq!(
        (names[at - 1].as_str(), names[at + 1].as_str()),
        ("\"memory\"", "\"summary\""),
        "declared order"
    );
}

#[test]
fn k12_a_comment_that_cannot_be_had_is_left_out_and_degrades_nothing() {
    let place = Place::new();
    place.server.script(|call| match kind(call) {
        Kind::Comment => Answer::text(""),
        _ => good(call),
    });
    let trace = place.trace_of(&format!("{SHORT_JOB}commentator: {{}}\n"), &[]);
    assert_eq!(trace["status"], "done");
    assert_eq!(incidents(&trace, "comment").len(), 2);
}

/// A server on which every call takes two seconds of prompt and a statement of 100 tokens ten seconds.
fn slow(call: &mock_ollama::Call) -> Answer {
    match kind(call) {
        Kind::Statement => good(call).tokens(10, 100),
        _ => good(call),
    }
}

#[test]
fn k10_a_rounds_model_time_is_exchange_slowest_ballot_clerk_and_commentary() {
    let place = Place::new();
    place.server.script(slow);
    let trace = place.trace_of(&format!("{SHORT_JOB}commentator: {{}}\n"), &[]);
    let journal = list_journal(&place);
    let ms = |wanted: &str| -> Vec<u64> {
        let of_round = journal.iter().filter(|entry| {
            entry["call"]
                .as_str()
                .is_some_and(|call| call.starts_with(&format!("round-1/{wanted}")))
        });
        of_round
            .map(|entry| {
                let ns = |key: &str| entry["ns"][key].as_u64().expect("nanoseconds");
                (ns("prompt") + ns("reply")) / 1_000_000
            })
            .collect()
    };
    let expected = ms("statement").iter().sum::<u64>()
        + ms("ballot").iter().max().expect("ballots")
        + ms("clerk").iter().sum::<u64>()
        + ms("comment").iter().sum::<u64>();
    assert_eq!(trace["rounds"][0]["model_ms"], expected);
    assert!(trace["rounds"][0]["wall_ms"].is_u64());
    let metadata = crate::harness::read(&place.debates()[0].join("metadata.md"));
    assert!(
        metadata.contains(
            "Model time by round (calls that ran side by side count once), held against 30 s: 1: "
        ),
        "{metadata}"
    );
}

/// The entries of the only finished debate's journal.
fn list_journal(place: &Place) -> Vec<Value> {
    let journal = crate::harness::list(&place.path().join("output/.rebut/journals")).remove(0);
    json_lines(&crate::harness::read(&journal))
}

#[test]
fn k10_enforced_rounds_shorten_statements_by_the_speed_that_this_debate_measured() {
    let run = |seconds: u32| {
        let place = Place::new();
        place.server.script(slow);
        let job = format!("{SHORT_JOB}enforce_round_seconds: {seconds}\n");
        let trace = place.trace_of(&job, &[]);
        let caps: Vec<u64> = place
            .server
            .chats()
            .iter()
            .filter(|c| kind(c) == Kind::Statement)
            .map(|c| {
                c.option("num_predict")
                    .and_then(Value::as_u64)
                    .expect("a cap")
            })
            .collect();
        (caps, trace)
    };
    let (caps, trace) = run(5);
    assert_eq!(
        caps[..2],
        [800, 800],
        "nothing is measured before the first round"
    );
    assert!(caps[2] < 800 && caps[3] < 800, "{caps:?}");
    let told = incidents(&trace, "time");
    assert_eq!(told.len(), 1);
    let message = told[0]["message"].as_str().expect("a message");
    assert!(
        message.contains(&format!(
            "has {} tokens for a statement in this round instead of 800",
            caps[2]
        )),
        "{message}"
    );
    let (caps, trace) = run(3600);
    assert_eq!(caps, [800, 800, 800, 800], "there is time for all of it");
    assert!(incidents(&trace, "time").is_empty());
}

#[test]
fn k10_enforced_rounds_are_kept_where_they_can_be() {
    for seed in ["1", "2", "3", "4"] {
        let place = Place::new();
        let job = "topic: Should voting be compulsory?\nrounds: 6\nenforce_round_seconds: 24\ncommentator: {}\n";
        let trace = place.trace_of(job, &["--rehearse", "--seed", seed]);
        let rounds = trace["rounds"].as_array().expect("rounds");
        let over: Vec<&Value> = rounds[1..]
            .iter()
            .map(|round| &round["model_ms"])
            .filter(|ms| ms.as_u64() > Some(25_500))
            .collect();
        assert!(over.is_empty(), "seed {seed}: {over:?}");
        assert!(incidents(&trace, "time").len() <= 5, "one a round at most");
    }
}

#[test]
fn k10_a_limit_that_cannot_be_kept_is_said_to_be_so() {
    let job = format!("{SHORT_JOB}enforce_round_seconds: 5\n");
    let trace = Place::new().trace_of(&job, &["--rehearse"]);
    let told = incidents(&trace, "time");
    let message = told[0]["message"].as_str().expect("a message");
    assert!(
        message.contains("40 tokens") && message.contains("a round of 5 s cannot be kept"),
        "{message}"
    );
}

#[test]
fn k12_a_commentator_takes_no_side_whatever_stands_beside_its_name() {
    let place = Place::new();
    let job = format!("{SHORT_JOB}commentator: {{position: Neutral observer}}\n");
    let trace = place.trace_of(&job, &["--rehearse"]);
    let participants = trace["participants"].as_array().expect("participants");
    let commentator = participants.iter().find(|p| p["id"] == "commentator");
    let commentator = commentator.expect("a commentator");
    assert_eq!(
        (&commentator["contestant"], &commentator["spoke_last"]),
        (&json!(false), &json!(false))
    );
    assert!(participants.iter().any(|p| p["spoke_last"] == true));
}
