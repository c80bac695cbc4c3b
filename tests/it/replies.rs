//! Rows M2 and M4: what is made of replies as capable models write them, which are seldom quite what was asked for.

use mock_ollama::{Answer, Call};
use serde_json::{Value, json};

use crate::harness::{
    Kind, Place, TINY_JOB, arguments, good, has, incidents, kind, list, read, round_of, shows,
    with_job,
};

const DUEL: &str = "format: duel\ntopic: Should zoos be closed?\nrounds: 2\nallow_explicit: true\n";

/// The trace of a duel whose judge replies so.
fn judged(reply: impl Fn(&Value) -> String + Send + Sync + 'static) -> Value {
    answered(move |verdict| Answer::text(reply(verdict)))
}

/// The same, as the server has it.
fn answered(reply: impl Fn(&Value) -> Answer + Send + Sync + 'static) -> Value {
    let place = with_job(DUEL);
    place.server.script(move |call| match kind(call) {
        Kind::Verdict => {
            let scores = json!({"argument_quality": 7, "coherence": 7, "relevance": 7});
            let other = json!({"argument_quality": 5, "coherence": 5, "relevance": 5});
            let reasons = json!({
                "agent_a": {"reason": "The first one gave reasons.", "statements": [2]},
                "agent_b": {"reason": "The second one gave fewer.", "statements": [3]},
            });
            let verdict = json!({"reasons": reasons, "scores": {"agent_a": scores, "agent_b": other},
                "summary": "They disagreed to the end."});
            reply(&verdict)
        }
        _ => good(call),
    });
    place.trace_of(DUEL, &[])
}

#[test]
fn m4_well_meant_verdicts_are_read_and_it_is_said_how() {
    type Variant = (&'static str, fn(&Value) -> String);
    let variants: [Variant; 8] = [
        ("fenced", |verdict| format!("```json\n{verdict:#}\n```")),
        ("prose", |verdict| format!("Here is my verdict:\n\n{verdict}\n\nI hope this helps!")),
        ("thought", |verdict| format!("<think>Who was better?</think>{verdict}")),
        ("named", |verdict| {
            verdict.to_string().replace("agent_a", "Scientist").replace("agent_b", "Philosopher")
        }),
        ("number_in_text", |verdict| verdict.to_string().replace(":7", ":\"7/10\"")),
        ("rounded", |verdict| verdict.to_string().replace(":7", ":7.5").replace(":5", ":4.5")),
        ("extra_keys", |verdict| changed(verdict, "confidence", json!("high"))),
        ("wrapped", |verdict| json!({"verdict": verdict}).to_string()),
    ];
    for (step, variant) in variants {
        let trace = judged(variant);
        assert_eq!(trace["status"], "done", "{step}: {}", trace["cause"]);
        let reading = &trace["verdicts"][0]["judges"][0]["readings"][0];
        shows!(reading, {"status": "valid", "read_as": [step]});
        assert_eq!(trace["outcome"]["winner"], "agent_a", "{step}");
        let repairs = incidents(&trace, "repair");
        assert!(repairs.is_empty(), "{step}: {repairs:?}");
    }
    let thought = answered(|verdict| Answer::text("").thinking(&verdict.to_string()));
    let reading = &thought["verdicts"][0]["judges"][0]["readings"][0];
    shows!(reading, {"status": "valid", "read_as": ["in_thoughts"], "attempts": 1});
    let claims = (1..30).map(|n| format!("The first one gave a reason for claim {n}. "));
    let long: String = claims.collect();
    let long = judged(move |verdict| {
        let mut reasons = verdict["reasons"].clone();
        reasons["agent_a"]["reason"] = json!(long);
        changed(verdict, "reasons", reasons)
    });
    let reading = &long["verdicts"][0]["judges"][0]["readings"][0];
    assert_eq!(reading["read_as"], json!(["shortened"]));
    let reason = reading["reasons"]["agent_a"]["text"].as_str().expect("a reason");
    assert!(reason.ends_with("for claim 13. […]") && reason.len() <= 550, "{reason}");
}

fn changed(verdict: &Value, key: &str, value: Value) -> String {
    let mut changed = verdict.clone();
    changed[key] = value;
    changed.to_string()
}

#[test]
fn m4_a_panel_that_is_invalid_throughout_is_asked_once_more_with_other_seeds() {
    let place = with_job(DUEL);
    place.server.script(|call| match kind(call) {
        Kind::Verdict if !place_again(call) => Answer::text("I cannot decide."),
        Kind::Verdict => Answer::shaped(),
        _ => good(call),
    });
    let trace = place.trace_of(DUEL, &[]);
    assert_eq!(trace["status"], "done", "{}", trace["cause"]);
    let judge = &trace["verdicts"][0]["judges"][0]["readings"][0];
    shows!(judge, {"call": "end/verdict-again/judge_1", "status": "valid"});
    assert_eq!(incidents(&trace, "panel").len(), 1);
    let asked: Vec<Call> = place.asked("end/verdict*");
    let seeds: Vec<_> = asked.iter().map(|call| call.option("seed").cloned()).collect();
    assert_eq!(asked.len(), 6, "two readings, their repairs, and once more");
    let different: std::collections::HashSet<String> =
        seeds.iter().map(|seed| format!("{seed:?}")).collect();
    assert_eq!(different.len(), 6);
}

/// Whether this is the fifth verdict that is asked for: the first two are repaired once.
fn place_again(call: &Call) -> bool {
    static ASKED: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
    let _ = call;
    ASKED.fetch_add(1, std::sync::atomic::Ordering::SeqCst) >= 4
}

const ROUND: &str = "topic: Should voting be compulsory?\nrounds: 1\nallow_explicit: true\n";

/// The trace of a round in which X says this.
fn said(text: &'static str) -> (Place, Value) {
    let place = with_job(ROUND);
    place.server.script(move |call| match kind(call) {
        Kind::Statement if call.last_message().contains("You are X.") => Answer::text(text),
        _ => good(call),
    });
    let trace = place.trace_of(ROUND, &[]);
    (place, trace)
}

#[test]
fn m2_a_statement_stands_without_the_speakers_own_label_and_meta_lines() {
    let (place, trace) = said(
        "Certainly! Here's my opening statement:\n\n**X:** Turnout matters.\n\nSo it should be compulsory.\n\n(Word count: 335)",
    );
    let text = "Turnout matters.\n\nSo it should be compulsory.";
    assert_eq!(arguments(&trace)[0]["text"], text);
    let cleaned = incidents(&trace, "cleaned");
    shows!(cleaned, {
        "0/message": "taken off the statement of X, as no part of it: \"Certainly! Here's my opening statement:\", \"**X:**\", \"(Word count: 335)\"",
    });
    let chats = place.server.chats();
    let next = chats.iter().filter(|c| kind(c) == Kind::Statement).nth(1).expect("a statement");
    has(&next.last_message(), &format!("[X]\n{text}"));
}

#[test]
fn m4_thoughts_reach_neither_opponent_nor_judges_whatever_their_marks() {
    for text in [
        "Must I lie? <MARK></think>\nTurnout matters.",
        "<Think>Must I lie? <MARK></Think> Turnout matters.",
        "<|channel|>analysis<|message|>Must I lie? <MARK><|end|><|start|>assistant<|channel|>final<|message|>Turnout matters.",
        "**X:** <seed:think>Must I lie? <MARK></seed:think>\nTurnout matters.",
    ] {
        let (place, trace) = said(text);
        let statement = arguments(&trace)[0];
        assert_eq!(statement["text"], "Turnout matters.", "{text}");
        has(statement["thinking"].as_str().unwrap_or_default(), "Must I lie? <MARK>");
        let chats = place.server.chats();
        assert!(chats.iter().all(|call| !call.text().contains("<MARK>")), "{text}");
    }
}

#[test]
fn m4_an_answer_before_a_lone_end_of_thoughts_is_the_answer() {
    let (_, trace) = said("Turnout matters.\n</think>");
    shows!(arguments(&trace)[0], {"text": "Turnout matters.", "origin": "model"});
    let message = "taken off the statement of X, as no part of it: \"</think>\"";
    assert_eq!(incidents(&trace, "cleaned")[0]["message"], message);
}

#[test]
fn m2_lines_for_somebody_else_stay_and_are_marked() {
    let (place, trace) = said("Turnout matters.\n**Y-1:** You are right, X.");
    let statement = arguments(&trace)[0];
    assert_eq!(statement["voices"], json!(["Y-1"]));
    assert_eq!(incidents(&trace, "voice").len(), 1);
    let messages = list(&place.debates()[0].join("messages"));
    let message = read(&messages[1]);
    has(&message, "> Note: has lines in the name of Y-1.");
    let chats = place.server.chats();
    let next = chats.iter().filter(|c| kind(c) == Kind::Statement).nth(1).expect("a statement");
    has(&next.last_message(), "(**Y-1:** You are right, X.)");
}

const REFUSAL: &str = "I'm sorry, but I can't argue for this position.";

/// What the clerk says of a reply that may be a refusal.
fn declines(call: &Call, declines: bool) -> Option<Answer> {
    let asked = call.schema().is_some_and(|schema| schema["properties"].get("declines").is_some());
    asked.then(|| Answer::json(&json!({"because": "It says so.", "declines": declines})))
}

#[test]
fn m2_a_refusal_is_asked_once_more_with_the_exercise_explained() {
    let place = with_job(ROUND);
    place.server.script(|call| {
        let explained = call.last_message().contains("This is a debating exercise");
        let first =
            call.text().contains("You are X.") && kind(call) == Kind::Statement && !explained;
        declines(call, true).unwrap_or_else(
            || {
                if first { Answer::text(REFUSAL) } else { good(call) }
            },
        )
    });
    let trace = place.trace_of(ROUND, &[]);
    assert_eq!(trace["status"], "done", "{}", trace["cause"]);
    let statement = arguments(&trace)[0];
    shows!(statement, {"origin": "model", "attempt": 2});
    assert_eq!(
        incidents(&trace, "refusal")[0]["message"],
        "llama3 declines the task; told what the exercise is and asked again"
    );
    assert_eq!(trace["rejections"][0]["text"], REFUSAL);
    shows!(trace, {"rejections/0/reasons": ["it declines the task"]});
}

#[test]
fn m2_who_declines_twice_makes_room_for_the_fallback_and_then_the_emergency_reply() {
    let job = format!("{ROUND}x: {{fallback: [mistral]}}\n");
    let place = with_job(&job);
    place.server.script(|call| {
        let by_x = call.text().contains("You are X.") && kind(call) == Kind::Statement;
        declines(call, true).unwrap_or_else(
            || {
                if by_x { Answer::text(REFUSAL) } else { good(call) }
            },
        )
    });
    let trace = place.trace_of(&job, &[]);
    let statement = &trace["statements"][1];
    shows!(statement, {"by": "position_x", "origin": "emergency"});
    let messages: Vec<&Value> =
        incidents(&trace, "refusal").iter().map(|i| &i["message"]).collect();
    assert_eq!(
        messages,
        [
            "llama3 declines the task; told what the exercise is and asked again",
            "llama3 declines the task; mistral takes over",
            "mistral declines the task; told what the exercise is and asked again",
            "mistral declines the task; nothing is left to try",
        ]
    );
    assert_eq!(trace["status"], "degraded");
}

#[test]
fn m2_what_only_looks_like_a_refusal_is_a_statement() {
    let place = with_job(ROUND);
    place.server.script(|call| {
        let by_x = call.text().contains("You are X.") && kind(call) == Kind::Statement;
        declines(call, false).unwrap_or_else(|| {
            if by_x {
                Answer::text("I cannot support a fine, and yet I argue for the duty.")
            } else {
                good(call)
            }
        })
    });
    let trace = place.trace_of(ROUND, &[]);
    assert!(incidents(&trace, "refusal").is_empty());
    assert_eq!(arguments(&trace)[0]["attempt"], 1);
}

#[test]
fn m2_a_check_for_a_refusal_that_cannot_be_used_is_told() {
    let place = with_job(ROUND);
    place.server.script(|call| {
        let by_x = call.text().contains("You are X.") && kind(call) == Kind::Statement;
        match declines(call, true) {
            Some(_) => Answer::text("I cannot say."),
            None if by_x => Answer::text(REFUSAL),
            None => good(call),
        }
    });
    let trace = place.trace_of(ROUND, &[]);
    assert_eq!(arguments(&trace)[0]["attempt"], 1);
    let dir = place.debates()[0].clone();
    has(&read(&dir.join("summary.md")), "unusable judgment: ");
    has(&read(&dir.join("index.md")), "\nProblems: listed at the end");
    let path = dir.to_string_lossy().into_owned();
    let brief = place.rebut(&["show", &path, "--budget", "2000"]).stdout;
    has(&brief, "\nProblems:\n- ");
}

#[test]
fn m2_ordinary_statements_cost_no_question_about_refusing() {
    let place = with_job(ROUND);
    place.trace_of(ROUND, &[]);
    let asked = |call: &Call| declines(call, true).is_some();
    assert!(!place.server.chats().iter().any(asked));
}

#[test]
fn k8a_a_speaker_is_told_that_a_turn_was_cut_only_if_it_was() {
    let place = Place::new();
    let job = "topic: Should voting be compulsory?\nrounds: 2\nallow_explicit: true\n";
    place.server.script(|call| {
        let first = round_of(call) == 1 && kind(call) == Kind::Statement;
        match call.last_message().contains("You are X.") {
            true if first => {
                Answer::text("One is whole. Two is cu").done_reason("length").tokens(100, 800)
            }
            false if first => {
                let words: Vec<String> = (0..500).map(|n| format!("word{n}")).collect();
                Answer::text(words.join(" ") + ".").tokens(100, 790)
            }
            _ => good(call),
        }
    });
    let trace = place.trace_of(job, &[]);
    let chats = place.server.chats();
    let told = |name: &str| {
        let mine = |c: &&Call| {
            kind(c) == Kind::Statement
                && round_of(c) == 2
                && c.last_message().contains(&format!("You are {name}."))
        };
        chats.iter().find(mine).expect("a statement").last_message().to_owned()
    };
    has(&told("X"), "Your last turn was cut off after 3 words. Keep this one shorter.");
    has(
        &told("Y-1"),
        "Your last turn ran to 500 words, though at most 450 were asked for. This time stay within 450.",
    );
    let asked = trace["statements"].as_array().into_iter().flatten().map(|s| &s["asked_words"]);
    assert_eq!(asked.filter(|asked| **asked == 450).count(), 4, "not what is announced");
}

#[test]
fn m3b_absurd_counts_of_a_server_are_left_out_and_the_trace_can_be_read() {
    let place = with_job(DUEL);
    place.server.script(|call| match kind(call) {
        Kind::Statement if round_of(call) == 1 => {
            Answer::text("Animals suffer in zoos, and so zoos should be closed.")
                .tokens(50_000_000, 5_000_000_000)
        }
        _ => good(call),
    });
    let trace = place.trace_of(DUEL, &[]);
    assert_eq!(trace["status"], "done", "{}", trace["cause"]);
    let told = incidents(&trace, "count");
    has(&told[0]["message"], "tokens of the prompt: 50000000");
    let chats = place.server.chats();
    let judge = chats.iter().find(|c| kind(c) == Kind::Verdict).expect("a verdict");
    has(&judge.last_message(), "Animals suffer in zoos");
    let stats = place.rebut_exits(0, &["stats", "output", "--full"]);
    assert_eq!(stats.stderr.as_str(), "", "{}", stats.stdout);
}

#[test]
fn m3b_a_duration_far_beyond_its_call_is_left_out_also_on_resume() {
    let place = with_job(DUEL);
    let days = 20 * 24 * 3600 * 1_000_000_000;
    let absurd = move |call: &Call| match kind(call) {
        Kind::Statement if round_of(call) == 1 => Some(good(call).load_ns(days)),
        _ => None,
    };
    place.reply_by(move |call| match kind(call) {
        Kind::Verdict => Some(Answer::hang()),
        _ => absurd(call),
    });
    let is_judging =
        |calls: &[Call]| calls.iter().any(|call| call.is_chat() && kind(call) == Kind::Verdict);
    let mut child = place.spawn(&["job.yaml"]);
    place.server.wait_until(is_judging);
    child.kill().expect("a kill");
    child.wait().expect("an end");
    place.reply_by(absurd);
    place.run_exits(0, &["job.yaml"]);
    let trace = place.trace();
    has(
        &incidents(&trace, "count")[0]["message"],
        "nanoseconds of loading: 1728000000000000, at most 36",
    );
    let loading = trace["usage"]["by_purpose"]["speak"]["load_ms"].as_u64();
    assert!(loading < Some(3_600_000), "{loading:?}");
}

#[test]
fn k8b_a_reply_far_longer_than_asked_is_cut_though_the_server_calls_it_done() {
    let place = with_job(DUEL);
    place.server.script(|call| match kind(call) {
        Kind::Statement => {
            let n = round_of(call);
            let text: String =
                (0..3000).map(|i| format!("Reason {i} of turn {n} is about zoos. ")).collect();
            Answer::text(text).tokens(100, 24_000)
        }
        _ => good(call),
    });
    let trace = place.trace_of(DUEL, &[]);
    for statement in arguments(&trace) {
        let text = statement["text"].as_str().expect("a text");
        assert!(
            text.ends_with("[Time limit reached]") && text.len() < 1200,
            "{} characters",
            text.len()
        );
        assert_eq!(statement["cut"], true);
    }
    assert_eq!(incidents(&trace, "cut").len(), 2);
}

#[test]
fn s1_a_trace_from_elsewhere_with_a_count_that_cannot_be_ends_no_command() {
    let place = with_job(TINY_JOB);
    place.run_exits(0, &["job.yaml", "--rehearse"]);
    let debate = place.debates()[0].clone();
    let path = debate.join("trace.json");
    for pointer in [
        "/usage/by_purpose/speak/calls",
        "/usage/by_purpose/speak/prompt_ms",
        "/participants/0/tokens",
        "/timing/model_ms",
    ] {
        let sound = read(&path);
        let mut trace: Value = serde_json::from_str(&sound).expect("a trace");
        *trace.pointer_mut(pointer).expect(pointer) = json!(u64::MAX);
        std::fs::write(&path, trace.to_string()).expect("a trace");
        let dir = debate.display().to_string();
        for command in [
            &["show", &dir][..],
            &["render", &dir],
            &["rate", &dir, "7"],
            &["export", "output", "--include-rehearsals", "--to", "csv"],
            &["stats", "output", "--full", "--include-rehearsals"],
        ] {
            let ended = place.rebut(command);
            assert_eq!(ended.code, 0, "{pointer} {command:?}: {}", ended.stderr);
        }
        std::fs::write(&path, sound).expect("a trace");
    }
}
