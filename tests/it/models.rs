//! Rows M1 to M4, M7, J10a and J10c: the wire, what goes wrong on it, and what the record says then.

use mock_ollama::{Answer, Call, Card, MockOllama, Split};
use serde_json::{Value, json};

use crate::harness::{
    Kind, Place, SHORT_JOB, arguments, ballot_value, good, has, has_all, incidents, is, kind,
    round_of, shows,
};

const ONE_ROUND: &str = "topic: Should voting be compulsory?\nrounds: 1\n";

/// X's statement of round 1.
fn is_first(call: &Call) -> bool {
    is(call, "round-1/statement/position_x")
}

/// Runs one round in which X's first statement gets `answers` by attempt, and then what is good.
fn faulty(
    job: &str,
    answers: impl Fn(usize) -> Option<Answer> + Send + Sync + 'static,
) -> (Place, Value) {
    let place = Place::new();
    let seen = std::sync::atomic::AtomicUsize::new(0);
    place.server.script(move |call| {
        let answer = is_first(call)
            .then(|| answers(seen.fetch_add(1, std::sync::atomic::Ordering::SeqCst)))
            .flatten();
        answer.unwrap_or_else(|| good(call))
    });
    let trace = place.trace_of(job, &[]);
    (place, trace)
}

fn firsts(place: &Place) -> Vec<Call> {
    place.server.chats().into_iter().filter(is_first).collect()
}

/// So many sentences, each another, of about 40 characters.
fn filler(sentences: usize) -> String {
    (0..sentences)
        .map(|n| format!("Sentence {n} takes room in the record. "))
        .collect()
}

#[test]
fn m1_every_load_option_is_explicit_and_nothing_is_cut_by_the_server() {
    let place = Place::new();
    place.trace_of(ONE_ROUND, &[]);
    for call in place.server.chats() {
        let body = &call.body;
        assert_eq!(body["stream"], true);
        shows!(body, {"think": false, "truncate": false, "shift": false});
        assert!(
            body["keep_alive"].is_string()
                && body["options"]["num_ctx"] == 8192
                && body["options"]["seed"].is_u64()
        );
        assert!(call.header("authorization").is_none());
    }
}

#[test]
fn m1_replies_split_at_any_byte_are_the_same() {
    let told = |split: Split| {
        let (_, trace) = faulty(ONE_ROUND, move |_| {
            Some(Answer::text("Größe, 世界 and 🌍: a reason.").wire(split.clone()))
        });
        arguments(&trace)[0]["text"].clone()
    };
    for split in [
        Split::Lines,
        Split::Every(1),
        Split::Every(7),
        Split::At(vec![3, 50, 51]),
    ] {
        assert_eq!(told(split), "Größe, 世界 and 🌍: a reason.");
    }
}

#[test]
fn m1_text_in_the_final_chunk_counts() {
    let (_, trace) = faulty(ONE_ROUND, |_| {
        Some(Answer::text("Almost ").text_in_final_chunk("all of it."))
    });
    assert_eq!(arguments(&trace)[0]["text"], "Almost all of it.");
}

#[test]
fn m1_the_key_goes_into_the_header_and_into_no_file() {
    let place = Place::new();
    place.write("job.yaml", ONE_ROUND);
    let mut command = place.command(&["run", "job.yaml"]);
    let output = command
        .env("OLLAMA_API_KEY", "sk-very-secret")
        .output()
        .expect("the binary starts");
    assert_eq!(output.status.code(), Some(0));
    assert!(
        place
            .server
            .chats()
            .iter()
            .all(|c| c.header("authorization") == Some("Bearer sk-very-secret"))
    );
    let mut files = vec![place.path().to_path_buf()];
    while let Some(path) = files.pop() {
        if path.is_dir() {
            files.extend(crate::harness::list(&path));
        } else {
            assert!(
                !String::from_utf8_lossy(&std::fs::read(&path).expect("a file"))
                    .contains("very-secret"),
                "{}",
                path.display()
            );
        }
    }
}

#[test]
fn m2_what_may_heal_is_asked_again() {
    let faults: [(&str, Answer); 5] = [
        (
            "broken_stream",
            Answer::text("one two three four").disconnect_after(2),
        ),
        (
            "broken_stream",
            Answer::text("one two three four").without_done(),
        ),
        (
            "server_error",
            Answer::text("one two three four").error_after(2, "unexpected EOF"),
        ),
        ("empty_reply", Answer::text("  ")),
        ("looping_reply", Answer::text("It is so. ".repeat(60))),
    ];
    for (name, fault) in faults {
        let (place, trace) = faulty(ONE_ROUND, move |n| (n < 2).then(|| fault.clone()));
        assert_eq!(firsts(&place).len(), 3, "{name}");
        assert_eq!(arguments(&trace)[0]["attempt"], 3, "{name}");
        assert_eq!(trace["status"], "done", "{name}");
        let retries = incidents(&trace, "retry");
        assert_eq!(retries.len(), 2, "{name}");
        has(&retries[0]["message"], name);
    }
}

#[test]
fn m2_a_hanging_reply_is_given_up_after_the_idle_limit() {
    let place = Place::new();
    place.reply_by(|call| {
        (is_first(call) && call.attempt_of_same_body == 1)
            .then(|| Answer::text("one two three").hang_after(1))
    });
    place.write("job.yaml", ONE_ROUND);
    place.run_exits(0, &["job.yaml", "--idle-timeout", "1s"]);
    has(
        &incidents(&place.trace(), "retry")[0]["message"],
        "timeout (the reply went silent for 1 s (--idle-timeout))",
    );
}

#[test]
fn m2_a_resend_keeps_its_seed_and_another_try_does_not() {
    let seeds = |fault: Answer| {
        let (place, _) = faulty(ONE_ROUND, move |n| (n == 0).then(|| fault.clone()));
        firsts(&place)
            .iter()
            .map(|c| c.option("seed").cloned().unwrap_or_default())
            .collect::<Vec<Value>>()
    };
    let resent = seeds(Answer::text("one two").disconnect_after(1));
    assert_eq!(resent[0], resent[1]);
    let again = seeds(Answer::text(" "));
    assert_ne!(again[0], again[1]);
}

#[test]
fn m2_fallbacks_come_in_order_then_the_emergency_reply_which_is_not_judged() {
    let server = MockOllama::builder()
        .models(["llama3", "mistral", "phi"].map(|name| Card::new(name).context(8192)))
        .start();
    let place = Place::with(server);
    place.reply_by(|call| is_first(call).then(|| Answer::text("")));
    let trace = place.trace_of(
        &format!("{SHORT_JOB}x: {{fallback: [mistral, phi]}}\n"),
        &[],
    );
    let asked: Vec<String> = firsts(&place)
        .iter()
        .map(|c| c.model().to_owned())
        .collect();
    assert_eq!(
        asked,
        [
            "llama3", "llama3", "llama3", "mistral", "mistral", "mistral", "phi", "phi", "phi"
        ]
    );
    assert_eq!(incidents(&trace, "fallback").len(), 2);
    let emergency = arguments(&trace)[0];
    shows!(emergency, {"origin": "emergency", "model": null});
    shows!(trace, {
        "status": "degraded",
        "cause contains": "X could not be made to reply (round-1/statement/position_x)",
    });
    assert!(
        trace["ballots"]
            .as_array()
            .expect("ballots")
            .iter()
            .all(|b| b["round"] == 2),
        "the round with the emergency reply is not judged"
    );
    assert_eq!(
        trace["participants"][0]["models"][0]["statements"], 1,
        "only round 2 is the model's work"
    );
    let index = crate::harness::read(&place.debates()[0].join("index.md"));
    has_all(
        &index,
        &["> **Degraded.**", "emergency reply, no model spoke"],
    );
}

#[test]
fn m2_what_cannot_heal_is_not_asked_again() {
    let (place, trace) = faulty(&format!("{ONE_ROUND}x: {{fallback: [mistral]}}\n"), |n| {
        (n == 0).then(|| Answer::does_not_support_thinking("llama3"))
    });
    let asked: Vec<String> = firsts(&place)
        .iter()
        .map(|c| c.model().to_owned())
        .collect();
    assert_eq!(asked, ["llama3", "mistral"]);
    assert_eq!(arguments(&trace)[0]["origin"], "fallback");
}

#[test]
fn m2_on_failure_abort_fails_the_debate() {
    let (place, trace) = faulty(&format!("{ONE_ROUND}on_failure: abort\n"), |_| {
        Some(Answer::text(""))
    });
    shows!(trace, {"status": "failed", "outcome": null});
    let index = crate::harness::read(&place.debates()[0].join("index.md"));
    has(&index, "> **Failed.** X could not be made to reply");
}

#[test]
fn m3a_a_model_is_loaded_with_the_largest_context_wanted_in_the_batch() {
    let server = MockOllama::builder()
        .models([Card::new("llama3").context(32_768)])
        .start();
    let place = Place::with(server);
    place.write("jobs/a.yaml", ONE_ROUND);
    place.write(
        "jobs/b.yaml",
        "topic: Should cities be smaller?\nrounds: 1\nx: {context_window: 16384}\n",
    );
    place.run_exits(0, &["jobs"]);
    assert!(
        place
            .server
            .chats()
            .iter()
            .all(|c| c.option("num_ctx") == Some(&json!(16384)))
    );
}

#[test]
fn m3a_a_model_trained_for_less_is_refused_before_its_first_call() {
    let server = MockOllama::builder()
        .models([Card::new("llama3").context(4096)])
        .start();
    let place = Place::with(server);
    place.write("job.yaml", ONE_ROUND);
    let ended = place.run_exits(1, &["job.yaml"]);
    has(
        &ended.stdout,
        "llama3 was trained for 4096 tokens of context, but X wants a context_window of 8192",
    );
    assert!(place.server.chats().is_empty());
}

#[test]
fn m3b_prompt_and_reply_stay_under_95_percent_of_the_context() {
    let place = Place::new();
    let long = filler(60);
    place.server.script(move |call| match kind(call) {
        Kind::Statement => {
            let tokens = call.text().chars().count() as u64 * 10 / 35;
            Answer::text(format!(
                "{} {long}End of it all.",
                call.option("seed").unwrap_or(&Value::Null)
            ))
            .tokens(tokens, 600)
        }
        _ => good(call),
    });
    let trace = place.trace_of("topic: Should voting be compulsory?\nrounds: 8\n", &[]);
    for call in place.server.chats() {
        let prompt = call.text().chars().count() as f64 / 3.5;
        let reply = call
            .option("num_predict")
            .and_then(Value::as_f64)
            .expect("a limit");
        assert!(
            prompt + reply <= 0.95 * 8192.0 + 100.0,
            "call {}: {prompt} + {reply}",
            call.n
        );
    }
    let compactions = incidents(&trace, "compaction");
    assert!(
        !compactions.is_empty(),
        "the default knockout with long statements needs compaction"
    );
    assert!(
        compactions[0]["message"]
            .as_str()
            .expect("a message")
            .contains("now given to the models as its summary and key points")
            || compactions[0]["message"]
                .as_str()
                .expect("a message")
                .contains("rounds 1 to"),
        "{}",
        compactions[0]["message"]
    );
    assert_eq!(trace["status"], "done");
}

#[test]
fn m3b_a_prompt_that_the_server_finds_too_long_is_rebuilt_shorter() {
    let place = Place::new();
    let filler = filler(40);
    let seen = std::sync::atomic::AtomicUsize::new(0);
    place
        .server
        .script(move |call| match (kind(call), round_of(call)) {
            (Kind::Statement, 3)
                if call.last_message().contains("You are X.")
                    && seen.fetch_add(1, std::sync::atomic::Ordering::SeqCst) == 0 =>
            {
                Answer::context_exceeded(9000, 8192)
            }
            (Kind::Statement, _) => Answer::text(format!(
                "{filler}{}",
                call.option("seed").unwrap_or(&Value::Null)
            )),
            _ => good(call),
        });
    let trace = place.trace_of("topic: Should voting be compulsory?\nrounds: 3\n", &[]);
    let calls = place.asked("round-3/statement/position_x");
    let lengths: Vec<usize> = calls.iter().map(|c| c.text().chars().count()).collect();
    assert_eq!(lengths.len(), 2);
    assert!(lengths[1] as f64 <= lengths[0] as f64 * 0.71, "{lengths:?}");
    let message = incidents(&trace, "retry")[0]["message"]
        .as_str()
        .expect("a message")
        .to_owned();
    assert!(
        message.contains("asked again with a shorter prompt: models now get round"),
        "what was left out is recorded: {message}"
    );
    assert_eq!(trace["status"], "done");
}

#[test]
fn m3c_older_rounds_become_summaries_and_the_newest_stays_whole() {
    let place = Place::new();
    let filler = filler(60);
    place.reply_by(move |call| {
        (kind(call) == Kind::Statement).then(|| {
            Answer::text(format!("Round {} begins here. {filler}", round_of(call)))
                .tokens(call.text().chars().count() as u64 / 4, 600)
        })
    });
    place.trace_of("topic: Should voting be compulsory?\nrounds: 6\n", &[]);
    let last = place.asked("*/statement/*").pop().expect("a statement");
    let text = last.last_message();
    has_all(
        &text,
        &[
            "## Earlier rounds, shortened",
            "Arguments of X in these rounds:",
        ],
    );
    assert!(!text.contains("Round 1 begins here.") && text.contains("Round 5 begins here."));
}

#[test]
fn m4_an_unusable_ballot_is_repaired_once_with_the_error_shown() {
    let place = Place::new();
    place.server.script(|call| match kind(call) {
        Kind::Ballot if call.body["messages"].as_array().map_or(0, Vec::len) == 2 => {
            let mut wrong = ballot_value(4, true);
            wrong["scores"]["clarity"] = json!(9);
            Answer::json(&wrong)
        }
        _ => good(call),
    });
    let trace = place.trace_of(ONE_ROUND, &[]);
    assert_eq!(incidents(&trace, "repair").len(), 3);
    let repair = place
        .server
        .chats()
        .into_iter()
        .find(|c| c.body["messages"].as_array().map_or(0, Vec::len) == 4)
        .expect("a repair");
    has(
        &repair.last_message(),
        "the score of clarity must be a whole number from 1 to 5, not 9",
    );
    let reading = &trace["ballots"][0]["reading"];
    shows!(reading, {"status": "valid", "attempts": 2});
}

#[test]
fn m4_a_ballot_that_stays_unusable_is_invalid_and_a_round_without_one_degrades() {
    let place = Place::new();
    place.reply_by(|call| (kind(call) == Kind::Ballot).then(|| Answer::text("I liked it.")));
    let trace = place.trace_of(ONE_ROUND, &[]);
    assert!(
        trace["ballots"]
            .as_array()
            .expect("ballots")
            .iter()
            .all(|b| b["reading"]["status"] == "invalid" && b["continue"].is_null())
    );
    assert_eq!(
        incidents(&trace, "panel").len(),
        1,
        "all are asked once more"
    );
    assert_eq!(incidents(&trace, "invalid").len(), 6);
    shows!(trace, {"status": "degraded", "cause": "no judge cast a valid ballot in round 1"});
    assert_eq!(place.asked("*/ballot*").len(), 12, "one repair each");
}

#[test]
fn m4_judgments_ask_for_reasons_before_scores_in_declared_and_alphabetical_order() {
    let place = Place::new();
    place.trace_of(ONE_ROUND, &[]);
    let call = place.asked("*/ballot*").remove(0);
    let keys: Vec<String> = call.schema().expect("a schema")["properties"]
        .as_object()
        .expect("properties")
        .keys()
        .cloned()
        .collect();
    let mut sorted = keys.clone();
    sorted.sort();
    assert_eq!(keys, sorted);
    let place = |key: &str| keys.iter().position(|known| known == key);
    assert!(place("comments") < place("scores"), "{keys:?}");
}

#[test]
fn m6_requests_are_the_same_for_the_same_seed_and_differ_for_another() {
    let bodies = |seed: &str| {
        let place = Place::new();
        place.write("job.yaml", ONE_ROUND);
        place.run_exits(0, &["job.yaml", "--seed", seed, "--concurrency", "1"]);
        place
            .server
            .chats()
            .into_iter()
            .map(|c| c.body.to_string())
            .collect::<Vec<_>>()
    };
    assert_eq!(bodies("7"), bodies("7"));
    assert_ne!(bodies("7"), bodies("8"));
}

#[test]
fn m7_without_a_clerk_first_sentences_stand_in_and_the_debate_is_not_degraded() {
    let place = Place::new();
    place.reply_by(|call| (kind(call) == Kind::Clerk).then(|| Answer::text("no notes")));
    let trace = place.trace_of(ONE_ROUND, &[]);
    assert_eq!(trace["status"], "done");
    assert_eq!(incidents(&trace, "clerk").len(), 1);
    assert_eq!(trace["notes"][0]["by_clerk"], false);
    assert_eq!(trace["flow"]["points"], json!([]));
    assert_eq!(
        arguments(&trace)[0]["gist"],
        "\"A reason for it is fairness.\""
    );
}

#[test]
fn j10c_a_busy_server_is_waited_for_with_one_line() {
    let place = Place::new();
    place.reply_by(|call| (is_first(call) && call.attempt_of_same_body < 3).then(Answer::busy));
    place.write("job.yaml", ONE_ROUND);
    let ended = place.run_exits(0, &["job.yaml"]);
    assert_eq!(
        ended.stderr.matches("waiting for the server").count(),
        1,
        "{}",
        ended.stderr
    );
    has(&ended.stderr, "the server answers again");
    assert_eq!(place.trace()["incidents"], json!([]));
}

#[test]
fn j10c_a_model_that_is_not_there_leaves_its_debates_unfinished_at_once_with_the_pull_line() {
    let place = Place::new();
    place.write(
        "jobs/a.yaml",
        "topic: Should voting be compulsory?\nrounds: 1\nx: {model: absent}\n",
    );
    place.write(
        "jobs/b.yaml",
        "topic: Should cities be smaller?\nrounds: 1\n",
    );
    let ended = place.run_exits(1, &["jobs"]);
    has(&ended.stderr, "run `ollama pull absent`");
    has_all(&ended.stdout, &["unfinished\t", "done\t"]);
    assert!(ended.stdout.contains("resume with: "), "{}", ended.stdout);
    assert_eq!(place.debates().len(), 1, "the other job's debate is done");
}

#[test]
fn j10c_trouble_that_lasts_leaves_debates_unfinished_and_the_next_run_goes_on() {
    let place = Place::new();
    place.reply_by(|call| {
        (kind(call) == Kind::Ballot)
            .then(|| Answer::status(500, "llama-server process has terminated: exit status 1"))
    });
    place.write("job.yaml", ONE_ROUND);
    let ended = place.run_exits(1, &["job.yaml", "--model-timeout", "0s"]);
    has(&ended.stdout, "process has terminated");
    place.server.script(good);
    let before = place.asked("*/statement/*").len();
    place.run_exits(0, &["job.yaml"]);
    let after = place.asked("*/statement/*").len();
    assert_eq!((before, after), (2, 2), "statements are not asked again");
}

#[test]
fn j10c_one_models_trouble_is_not_the_others() {
    for (status, message) in [
        (
            503,
            "server busy, please try again.  maximum pending requests exceeded",
        ),
        (401, "unauthorized"),
    ] {
        let place = Place::new();
        place.reply_by(move |call| {
            (call.model() == "mistral").then(|| Answer::status(status, message))
        });
        place.write("job.yaml", "topic: Should voting be compulsory?\nrounds: 1\nmatrix: {x.model: [mistral, llama3]}\n");
        let ended = place.run_exits(
            1,
            &["job.yaml", "--model-timeout", "0s", "--max-debates", "1"],
        );
        assert_eq!(
            place.debates().len(),
            1,
            "{status}: llama3's debate is done: {}",
            ended.stdout
        );
        assert_eq!(
            ended.stdout.matches("unfinished\t").count(),
            1,
            "{}",
            ended.stdout
        );
    }
}

#[test]
fn m2_a_model_card_is_asked_for_again() {
    let place = Place::new();
    let seen = std::sync::atomic::AtomicUsize::new(0);
    place.server.intercept(move |call| {
        let first =
            call.path == "/api/show" && seen.fetch_add(1, std::sync::atomic::Ordering::SeqCst) == 0;
        first.then(|| Answer::status(500, "something odd"))
    });
    let trace = place.trace_of(ONE_ROUND, &[]);
    shows!(trace, {"status": "done", "models/0/family": "llama"});
}

#[test]
fn m2_an_emergency_reply_is_noted_by_no_clerk_and_answered_by_nobody() {
    let (place, trace) = faulty(SHORT_JOB, |_| Some(Answer::text("")));
    let of_x = |noted: &Value| noted["n"] == trace["statements"][1]["n"];
    let noted = trace["notes"][0]["statements"].as_array().expect("notes");
    assert_eq!(noted.len(), 1, "Y-1's alone");
    assert!(!noted.iter().any(of_x));
    let points = trace["flow"]["points"].as_array().expect("points").iter();
    let made = points.filter(|point| point["by"] == "position_x").count();
    let memory = &trace["memories"]["position_x"]["key_points_made"];
    assert_eq!(memory.as_array().map(Vec::len), Some(made));
    let answer = place.asked("*/statement/position_y_1").remove(0);
    has(
        &answer.last_message(),
        "Open the debate: state your position",
    );
    assert_eq!(trace["record"]["rounds"][0]["time_used"]["X"], Value::Null);
    let shown = place
        .rebut(&["show", &trace["id"].as_str().expect("an id")[..12]])
        .stdout;
    assert!(shown.contains("emergency reply, no model spoke"), "{shown}");
}

#[test]
fn m4_a_ballot_from_a_fallback_is_that_models() {
    let place = Place::new();
    place.reply_by(|call| {
        (kind(call) == Kind::Ballot && call.model() == "llama3").then(|| Answer::status(400, "no"))
    });
    let trace = place.trace_of(
        &format!("{ONE_ROUND}defaults: {{fallback: [mistral]}}\n"),
        &[],
    );
    assert!(
        trace["ballots"]
            .as_array()
            .expect("ballots")
            .iter()
            .all(|b| b["by"]["model"] == "mistral")
    );
}
