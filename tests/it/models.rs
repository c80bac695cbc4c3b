//! Rows M1 to M4, M7, J10a and J10c: the wire, what goes wrong on it, and what the record says then.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use mock_ollama::{Answer, Call, Card, MockOllama, Split};
use serde_json::{Value, json};

use crate::harness::{
    Place, Played, SHORT_JOB, ballot_value, cap, end_of, good, has, has_all, incidents, is, keys,
    lacks, list, play, read, round_of, shows, with_job,
};

const ONE_ROUND: &str = "topic: Should voting be compulsory?\nrounds: 1\n";

/// X's statement of round 1.
const FIRST: &str = "round-1/statement/position_x";

/// Runs one round in which X's first statement gets `answers` by attempt, and then what is good.
fn faulty(job: &str, answers: impl Fn(usize) -> Option<Answer> + Send + Sync + 'static) -> Played {
    let place = Place::new();
    let seen = AtomicUsize::new(0);
    place.reply_by(move |call| {
        let answer = || answers(seen.fetch_add(1, Ordering::SeqCst));
        is(call, FIRST).then(answer).flatten()
    });
    place.played(job)
}

/// So many sentences, each another, of about 40 characters.
fn filler(sentences: usize) -> String {
    (0..sentences).map(|n| format!("Sentence {n} takes room in the record. ")).collect()
}

fn seed(call: &Call) -> &Value {
    call.option("seed").unwrap_or(&Value::Null)
}

/// How many messages a call has: two at first, four with a repair.
fn turns(call: &Call) -> usize {
    call.body["messages"].as_array().map_or(0, Vec::len)
}

#[test]
fn m1_every_load_option_is_explicit_and_nothing_is_cut_by_the_server() {
    for call in play(ONE_ROUND, []).asked("*") {
        let body = &call.body;
        shows!(body, {
            "stream": true, "think": false, "truncate": false, "shift": false, "options/num_ctx": 8192,
        });
        assert!(body["keep_alive"].is_string() && body["options"]["seed"].is_u64());
        assert!(call.header("authorization").is_none());
    }
}

#[test]
fn m1_replies_split_at_any_byte_are_the_same() {
    for split in [Split::Lines, Split::Every(1), Split::Every(7), Split::At(vec![3, 50, 51])] {
        let said = Answer::text("Größe, 世界 and 🌍: a reason.").wire(split);
        let debate = play(ONE_ROUND, [(FIRST, said)]);
        assert_eq!(debate.said("argument")[0].text, "Größe, 世界 and 🌍: a reason.");
    }
}

#[test]
fn m1_text_in_the_final_chunk_counts() {
    let said = Answer::text("Almost ").text_in_final_chunk("all of it.");
    let debate = play(ONE_ROUND, [(FIRST, said)]);
    assert_eq!(debate.said("argument")[0].text, "Almost all of it.");
}

#[test]
fn m1_the_key_goes_into_the_header_and_into_no_file() {
    let place = with_job(ONE_ROUND);
    let mut command = place.command(&["run", "job.yaml"]);
    end_of(command.env("OLLAMA_API_KEY", "sk-very-secret")).exits(0);
    for call in place.server.chats() {
        assert_eq!(call.header("authorization"), Some("Bearer sk-very-secret"));
    }
    let mut files = vec![place.path().to_path_buf()];
    while let Some(path) = files.pop() {
        if path.is_dir() {
            files.extend(list(&path));
        } else {
            let bytes = std::fs::read(&path).expect("a file");
            lacks(&*String::from_utf8_lossy(&bytes), &["very-secret"]);
        }
    }
}

#[test]
fn m2_what_may_heal_is_asked_again() {
    let some = || Answer::text("one two three four");
    for (name, fault) in [
        ("broken stream", some().disconnect_after(2)),
        ("broken stream", some().without_done()),
        ("server error", some().error_after(2, "unexpected EOF")),
        ("empty reply", Answer::text("  ")),
        ("looping reply", Answer::text("It is so. ".repeat(60))),
    ] {
        let debate = faulty(ONE_ROUND, move |n| (n < 2).then(|| fault.clone()));
        assert_eq!(debate.count(FIRST), 3, "{name}");
        assert_eq!(debate.said("argument")[0].attempt, Some(3), "{name}");
        shows!(debate, {"status": "done"});
        let retries = debate.told("retry");
        assert_eq!(retries.len(), 2, "{name}");
        has(retries[0], name);
    }
}

#[test]
fn m2_a_hanging_reply_is_given_up_after_the_idle_limit() {
    let place = Place::new();
    place.reply_by(|call| {
        let first = is(call, FIRST) && call.attempt_of_same_body == 1;
        first.then(|| Answer::text("one two three").hang_after(1))
    });
    let trace = place.trace_of(ONE_ROUND, &["--idle-timeout", "1s"]);
    let retry = &incidents(&trace, "retry")[0]["message"];
    has(retry, "timeout (the reply went silent for 1 s (--idle-timeout))");
}

#[test]
fn m2_a_resend_keeps_its_seed_and_another_try_does_not() {
    let seeds = |fault: Answer| {
        let debate = faulty(ONE_ROUND, move |n| (n == 0).then(|| fault.clone()));
        let seed = |call: &Call| call.option("seed").cloned().unwrap_or_default();
        debate.asked(FIRST).iter().map(seed).collect::<Vec<Value>>()
    };
    let resent = seeds(Answer::text("one two").disconnect_after(1));
    assert_eq!(resent[0], resent[1]);
    let again = seeds(Answer::text(" "));
    assert_ne!(again[0], again[1]);
}

#[test]
fn m2_fallbacks_come_in_order_then_the_emergency_reply_which_is_not_judged() {
    let models = ["llama3", "mistral", "phi"].map(|name| Card::new(name).context(8192));
    let place = Place::with(MockOllama::builder().models(models).start());
    place.reply([(FIRST, Answer::text(""))]);
    let debate = place.played(&format!("{SHORT_JOB}x: {{fallback: [mistral, phi]}}\n"));
    let asked = debate.asked(FIRST);
    let asked: Vec<&str> = asked.iter().map(Call::model).collect();
    let [first, second, third] = [["llama3"; 3], ["mistral"; 3], ["phi"; 3]];
    assert_eq!(asked, [first, second, third].concat());
    assert_eq!(debate.incidents("fallback").len(), 2);
    let emergency = debate.said("argument")[0];
    shows!(emergency, {"origin": "emergency", "model": null});
    // Only round 2 is the model's work.
    shows!(debate, {
        "status": "degraded",
        "cause contains": "X gave no usable reply (round-1/statement/position_x)",
        "participants/0/models/0/statements": 1,
    });
    assert!(debate.ballots.iter().all(|ballot| ballot.round == 2));
    let index = read(&debate.place.debates()[0].join("index.md"));
    has_all(&index, &["> **Degraded.**", "emergency reply, no model spoke"]);
}

#[test]
fn m2_what_cannot_heal_is_not_asked_again() {
    let job = format!("{ONE_ROUND}x: {{fallback: [mistral]}}\n");
    let debate = faulty(&job, |n| (n == 0).then(|| Answer::does_not_support_thinking("llama3")));
    let asked = debate.asked(FIRST);
    let asked: Vec<&str> = asked.iter().map(Call::model).collect();
    assert_eq!(asked, ["llama3", "mistral"]);
    shows!(debate.said("argument")[0], {"origin": "fallback"});
}

#[test]
fn m2_on_failure_abort_fails_the_debate() {
    let job = format!("{ONE_ROUND}on_failure: abort\n");
    let debate = play(&job, [(FIRST, Answer::text(""))]);
    shows!(debate, {"status": "failed", "outcome": null});
    let index = read(&debate.place.debates()[0].join("index.md"));
    has(&index, "> **Failed.** X gave no usable reply in round 1: ");
}

#[test]
fn m3a_a_model_is_loaded_with_the_largest_context_wanted_in_the_batch() {
    let card = Card::new("llama3").context(32_768);
    let place = Place::with(MockOllama::builder().models([card]).start());
    place.write("jobs/a.yaml", ONE_ROUND);
    let other = "topic: Should cities be smaller?\nrounds: 1\nx: {context_window: 16384}\n";
    place.write("jobs/b.yaml", other);
    place.run_exits(0, &["jobs"]);
    for call in place.server.chats() {
        assert_eq!(call.option("num_ctx"), Some(&json!(16384)));
    }
}

#[test]
fn m3a_a_model_trained_for_less_is_refused_before_its_first_call() {
    let card = Card::new("llama3").context(4096);
    let place = Place::with(MockOllama::builder().models([card]).start());
    place.write("job.yaml", ONE_ROUND);
    let ended = place.run_exits(1, &["job.yaml"]);
    shows!(ended, {
        "stdout contains": "llama3 was trained for a context of 4096 tokens, but X, Y-1, Y-2, Y-3 and 2 more have a context_window of 8192: lower it to 4096",
        "stderr contains": "first deal with the causes\nnext: ",
    });
    lacks(&ended.stdout, &["next: "]);
    assert!(place.server.chats().is_empty());
    has(
        &place.rebut_exits(1, &["check", "job.yaml"]).stdout,
        "warning: llama3 was trained for a context of 4096 tokens, but 8192 are requested",
    );
    place.write("job.yaml", &format!("{ONE_ROUND}x: {{context_window: 16384}}\n"));
    let ended = place.run_exits(1, &["job.yaml"]);
    has(&ended.stdout, "and 2 more have a context_window of up to 16384: lower it to 4096");
    let lower = format!("{ONE_ROUND}defaults: {{context_window: 4096}}\n");
    place.write("job.yaml", &lower);
    place.rebut_exits(0, &["check", "job.yaml"]);
    place.run_exits(0, &["job.yaml"]);
}

#[test]
fn m3b_prompt_and_reply_stay_under_95_percent_of_the_context() {
    let place = Place::new();
    let long = filler(60);
    place.reply_by(move |call| {
        let tokens = call.text().chars().count() as u64 * 10 / 35;
        let said = format!("{} {long}End of it all.", seed(call));
        is(call, "*/statement/*").then(|| Answer::text(said).tokens(tokens, 600))
    });
    let debate = place.played(&ONE_ROUND.replace("rounds: 1", "rounds: 8"));
    for call in debate.asked("*") {
        let prompt = call.text().chars().count() as f64 / 3.5;
        let whole = prompt + cap(&call) as f64;
        assert!(whole <= 0.95 * 8192.0 + 100.0, "call {}: {whole}", call.n);
    }
    // The default knockout with long statements needs compaction.
    let compacted = debate.told("compaction");
    let told = compacted.first().expect("a compaction");
    let one = "now given to the models as its summary and key points";
    assert!(told.contains(one) || told.contains("rounds 1 to"), "{told}");
    shows!(debate, {"status": "done"});
}

#[test]
fn m3b_a_prompt_that_the_server_finds_too_long_is_rebuilt_shorter() {
    let place = Place::new();
    let (filler, first) = (filler(40), AtomicBool::new(true));
    place.reply_by(move |call| {
        if is(call, "round-3/statement/position_x") && first.swap(false, Ordering::SeqCst) {
            return Some(Answer::context_exceeded(9000, 8192));
        }
        let said = format!("{filler}{}", seed(call));
        is(call, "*/statement/*").then(|| Answer::text(said))
    });
    let debate = place.played(&ONE_ROUND.replace("rounds: 1", "rounds: 3"));
    let calls = debate.asked("round-3/statement/position_x");
    let lengths: Vec<usize> = calls.iter().map(|c| c.text().chars().count()).collect();
    assert_eq!(lengths.len(), 2);
    assert!(lengths[1] as f64 <= lengths[0] as f64 * 0.71, "{lengths:?}");
    // What was left out is recorded.
    let told = "asked again with a shorter prompt: models now get round";
    has(debate.told("retry")[0], told);
    shows!(debate, {"status": "done"});
}

#[test]
fn m3c_older_rounds_become_summaries_and_the_newest_stays_whole() {
    let place = Place::new();
    let filler = filler(60);
    place.reply_by(move |call| {
        let said = format!("Round {} begins here. {filler}", round_of(call));
        let tokens = call.text().chars().count() as u64 / 4;
        is(call, "*/statement/*").then(|| Answer::text(said).tokens(tokens, 600))
    });
    let debate = place.played(&ONE_ROUND.replace("rounds: 1", "rounds: 6"));
    let last = debate.asked("*/statement/*").pop().expect("a statement");
    let text = last.last_message();
    has_all(&text, &["## Earlier rounds, shortened", "Arguments of X in these rounds:"]);
    has(&text, "Round 5 begins here.");
    lacks(&text, &["Round 1 begins here."]);
}

#[test]
fn m4_an_unusable_ballot_is_repaired_once_with_the_error_shown() {
    let mut wrong = ballot_value(4, true);
    wrong["scores"]["clarity"] = json!(9);
    let place = Place::new();
    place.reply_by(move |call| {
        (is(call, "*/ballot*") && turns(call) == 2).then(|| Answer::json(&wrong))
    });
    let debate = place.played(ONE_ROUND);
    assert_eq!(debate.incidents("repair").len(), 3);
    let mut asked = debate.asked("*/ballot*").into_iter();
    let repair = asked.find(|call| turns(call) == 4).expect("a repair");
    let told = "the score of clarity must be a whole number from 1 to 5, not 9";
    has(&repair.last_message(), told);
    shows!(debate, {"ballots/0/reading/status": "valid", "ballots/0/reading/attempts": 2});
}

#[test]
fn m4_a_ballot_that_stays_unusable_is_invalid_and_a_round_without_one_degrades() {
    let debate = play(ONE_ROUND, [("*/ballot*", Answer::text("I liked it."))]);
    for ballot in debate.json["ballots"].as_array().expect("ballots") {
        shows!(ballot, {"reading/status": "invalid", "continue": null});
    }
    // All are asked once more, with one repair each.
    assert_eq!(debate.incidents("panel").len(), 1);
    assert_eq!(debate.incidents("invalid").len(), 6);
    assert_eq!(debate.count("*/ballot*"), 12);
    shows!(debate, {"status": "degraded", "cause": "no judge cast a valid ballot in round 1"});
}

#[test]
fn m4_judgments_ask_for_reasons_before_scores_in_declared_and_alphabetical_order() {
    let debate = play(ONE_ROUND, []);
    let call = debate.asked("*/ballot*").remove(0);
    let keys = keys(&call.schema().expect("a schema")["properties"]);
    assert!(keys.is_sorted(), "{keys:?}");
    let place = |key: &str| keys.iter().position(|known| *known == key);
    assert!(place("comments") < place("scores"), "{keys:?}");
}

#[test]
fn m6_requests_are_the_same_for_the_same_seed_and_differ_for_another() {
    let bodies = |seed: &str| {
        let place = with_job(ONE_ROUND);
        place.run_exits(0, &["job.yaml", "--seed", seed, "--concurrency", "1"]);
        let chats = place.server.chats().into_iter();
        chats.map(|call| call.body.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(bodies("7"), bodies("7"));
    assert_ne!(bodies("7"), bodies("8"));
}

#[test]
fn m7_without_a_clerk_first_sentences_stand_in_and_the_debate_is_not_degraded() {
    let debate = play(ONE_ROUND, [("round-*/clerk", Answer::text("no notes"))]);
    shows!(debate, {"status": "done", "notes/0/by_clerk": false, "flow/points": []});
    assert_eq!(debate.incidents("clerk").len(), 1);
    shows!(debate.said("argument")[0], {"gist": "\"A reason for it is fairness.\""});
}

#[test]
fn j10c_a_busy_server_is_waited_for_with_one_line() {
    let place = with_job(ONE_ROUND);
    place.reply_by(|call| (is(call, FIRST) && call.attempt_of_same_body < 3).then(Answer::busy));
    let ended = place.run_exits(0, &["job.yaml"]);
    let waits = ended.stderr.matches("waiting for the server").count();
    assert_eq!(waits, 1, "{}", ended.stderr);
    has(&ended.stderr, "the server answers again");
    shows!(place.trace(), {"incidents": []});
}

#[test]
fn j10c_a_model_that_is_not_there_leaves_its_debates_unfinished_at_once_with_the_pull_line() {
    let place = Place::new();
    place.write("jobs/a.yaml", &format!("{ONE_ROUND}x: {{model: absent}}\n"));
    let other = "topic: Should cities be smaller?\nrounds: 1\n";
    place.write("jobs/b.yaml", other);
    let ended = place.run_exits(1, &["jobs"]);
    has(
        &ended.stderr,
        "has no model absent, the model of X (1 of 2 debates); its debates will be left unfinished: run `ollama pull absent`",
    );
    has_all(&ended.stdout, &["unfinished\t", "done\t", "next: "]);
    assert_eq!(place.debates().len(), 1, "the other job's debate is done");
}

#[test]
fn m1_an_empty_list_of_models_may_be_null() {
    let place = with_job(ONE_ROUND);
    place.server.intercept(|call| {
        let listed = r#"{"models":null}"#;
        (call.path == "/api/tags").then(|| Answer::raw(200, "application/json", listed))
    });
    let checked = place.rebut_exits(1, &["check", "job.yaml"]).stdout;
    has(&checked, "warning: not pulled: llama3");
}

#[test]
fn j10c_several_missing_models_are_told_in_one_line_at_the_start_and_at_the_end() {
    let place = with_job(&format!(
        "{ONE_ROUND}repeat: 2\nx: {{model: absent}}\ny: [{{model: lama3}}, {{}}]\n"
    ));
    let slip = "for lama3, write llama3 if you mean that, or run `ollama pull lama3`";
    let hint = format!("hint: run `ollama pull absent`; {slip}\n");
    has(&place.run_exits(2, &["job.yaml"]).stderr, &hint);
    assert!(!place.path().join("output").exists());
    place.write("job.yaml", &read(&place.path().join("job.yaml")).replace("lama3", "missing"));
    let ended = place.run_exits(1, &["job.yaml"]);
    let commands = "run `ollama pull absent`; run `ollama pull missing`";
    let told = format!(
        "warning: not pulled: absent (2 of 2 debates) and missing (2 of 2 debates); their debates will be left unfinished: {commands} (models there: "
    );
    has(&ended.stderr, &told);
    let first = format!("\nfirst {commands}\n");
    has_all(&ended.stdout, &[&first, " (run 2)\tthe server has no models absent and missing\t"]);
    assert_eq!(ended.said().matches(commands).count(), 2, "{}", ended.said());
}

#[test]
fn j10c_a_mistyped_model_is_told_with_the_one_that_is_meant_and_leaves_no_debate_behind() {
    let place = with_job(ONE_ROUND);
    let checked = place.rebut_exits(1, &["check", "job.yaml", "-m", "lama3"]).stdout;
    has_all(
        &checked,
        &[
            "model lama3, to be loaded with a context of 8192",
            "warning: not pulled: lama3, the model of ",
            "; write llama3 if you mean that, or run `ollama pull lama3` (models there: ",
        ],
    );
    let ended = place.run_exits(2, &["job.yaml", "-m", "lama3"]);
    let told = format!(
        "error: {} has no model lama3\nhint: write llama3 if you mean that, or run `ollama pull lama3`\n",
        place.server.url()
    );
    assert_eq!((ended.stderr, ended.stdout), (told, String::new()));
    assert!(!place.path().join("output").exists());
    // Where some debates can run, they do.
    place.write("jobs/a.yaml", &format!("{ONE_ROUND}x: {{model: lama3}}\n"));
    place.write("jobs/b.yaml", "topic: Should cities be smaller?\nrounds: 1\n");
    let ended = place.run_exits(1, &["jobs"]);
    let remedy = "write llama3 if you mean that, or run `ollama pull lama3`";
    has(&ended.stderr, &format!("; its debates will be left unfinished: {remedy} (models there: "));
    has_all(&ended.stdout, &["unfinished\t", "done\t", &format!("\nfirst {remedy}\n")]);
}

#[test]
fn j10c_what_is_finished_needs_no_model_and_a_name_like_its_is_no_reason_to_refuse() {
    let place = with_job(ONE_ROUND);
    place.run_exits(0, &["job.yaml"]);
    place.server.intercept(|call| {
        let model = json!({"name": "llama3:8b", "digest": "b".repeat(64)});
        let listed = json!({"models": [model]}).to_string();
        (call.path == "/api/tags").then(|| Answer::raw(200, "application/json", listed))
    });
    let ended = place.run_exits(0, &["job.yaml"]);
    has(&ended.stderr, " has no model llama3, but no debate is left to run\n");
    has(&ended.said(), "nothing new");
    for args in [&["job.yaml", "--restart"][..], &["job.yaml", "--seed", "7"]] {
        has(&place.run_exits(2, args).stderr, "hint: write llama3:8b if you mean that, or run ");
    }
    assert_eq!(place.debates().len(), 1);
}

/// A name that was begun means the model that begins so; a server that says nothing may have it.
#[test]
fn j10c_a_begun_name_is_completed_and_only_a_model_that_is_nowhere_is_a_fault() {
    let place = Place::with(MockOllama::builder().models([Card::new("qwen3:8b")]).start());
    place.write("job.yaml", ONE_ROUND);
    let check = |code, args: &[&str]| {
        let args = [&["check", "job.yaml"], args].concat();
        place.rebut_exits(code, &args).stdout
    };
    has(&check(1, &["-m", "qwen"]), "write qwen3:8b if you mean that, or run `ollama pull qwen`");
    lacks(&check(1, &["-m", "qw"]), &["if you mean"]);
    has(&check(1, &["-m", "qwem3:8b"]), "write qwen3:8b if you mean that, or run ");
    // Another size or version is another model, not a slip.
    for other in ["qwen3:14b", "qwen2:8b", "qwen2"] {
        lacks(&check(1, &["-m", other]), &["if you mean"]);
    }
    let of_a_service = check(1, &["-m", "GPT-4o"]);
    has(&of_a_service, "; Ollama cannot run it: only its maker serves it; use another model (");
    let ended = place.run_exits(1, &["job.yaml", "-m", "qwen3:14b"]).stdout;
    has_all(&ended, &["\nfirst run `ollama pull qwen3:14b`", "job.yaml -m qwen3:14b\n"]);
    check(0, &["-m", "qwen3:8b"]);
    let silent = ["--host", "127.0.0.1:1", "--host", &place.server.url()];
    check(0, &[&["-m", "qwen"], &silent[..]].concat());
    check(0, &["-m", "qwen", "--rehearse"]);
}

#[test]
fn j12_those_who_need_a_missing_model_are_named_and_others_only_if_there_are_some() {
    let place = Place::with(MockOllama::builder().models([Card::new("llama3")]).start());
    let missing = |args: &[&str]| place.rebut(args).said();
    let duel = ["duel", "Should zoos be closed?", "-m", "absent"];
    has(&missing(&duel), "the model of Clerk, Con, Judge-1 and Pro;");
    let knockout = ["knockout", "Zoos should be closed", "-m", "absent"];
    has(&missing(&knockout), " and others;");
}

#[test]
fn j10c_trouble_that_lasts_leaves_debates_unfinished_and_the_next_run_goes_on() {
    let place = with_job(ONE_ROUND);
    let dead = "llama-server process has terminated: exit status 1";
    place.reply([("*/ballot*", Answer::status(500, dead))]);
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
    let busy = "server busy, please try again.  maximum pending requests exceeded";
    for (status, message) in [(503, busy), (401, "unauthorized")] {
        let place = with_job(&format!("{ONE_ROUND}matrix: {{x.model: [mistral, llama3]}}\n"));
        place.reply_by(move |call| {
            (call.model() == "mistral").then(|| Answer::status(status, message))
        });
        let args = ["job.yaml", "--model-timeout", "0s", "--max-debates", "1"];
        let ended = place.run_exits(1, &args);
        // Llama3's debate is done.
        assert_eq!(place.debates().len(), 1, "{status}: {}", ended.stdout);
        let unfinished = ended.stdout.matches("unfinished\t").count();
        assert_eq!(unfinished, 1, "{}", ended.stdout);
    }
}

#[test]
fn m2_a_model_card_is_asked_for_again() {
    let place = Place::new();
    let first = AtomicBool::new(true);
    place.server.intercept(move |call| {
        let fails = call.path == "/api/show" && first.swap(false, Ordering::SeqCst);
        fails.then(|| Answer::status(500, "something odd"))
    });
    let debate = place.played(ONE_ROUND);
    shows!(debate, {"status": "done", "models/0/family": "llama"});
}

#[test]
fn m2_an_emergency_reply_is_noted_by_no_clerk_and_answered_by_nobody() {
    let debate = faulty(SHORT_JOB, |_| Some(Answer::text("")));
    let trace = &debate.json;
    let of_x = |noted: &Value| noted["n"] == trace["statements"][1]["n"];
    let noted = trace["notes"][0]["statements"].as_array().expect("notes");
    assert_eq!(noted.len(), 1, "Y-1's alone");
    assert!(!noted.iter().any(of_x));
    let points = trace["flow"]["points"].as_array().expect("points").iter();
    let made = points.filter(|point| point["by"] == "position_x").count();
    let memory = &trace["memories"]["position_x"]["key_points_made"];
    assert_eq!(memory.as_array().map(Vec::len), Some(made));
    let answer = debate.task("*/statement/position_y_1");
    has(&answer, "Open the debate: state your position");
    shows!(trace, {"record/rounds/0/time_used/X": null});
    let id = &trace["id"].as_str().expect("an id")[..12];
    let shown = debate.place.rebut(&["show", id]).stdout;
    has(&shown, "emergency reply, no model spoke");
}

#[test]
fn m4_a_ballot_from_a_fallback_is_that_models() {
    let place = Place::new();
    place.reply_by(|call| {
        let fails = is(call, "*/ballot*") && call.model() == "llama3";
        fails.then(|| Answer::status(400, "no"))
    });
    let trace = place.trace_of(&format!("{ONE_ROUND}defaults: {{fallback: [mistral]}}\n"), &[]);
    for ballot in trace["ballots"].as_array().expect("ballots") {
        shows!(ballot, {"by/model": "mistral"});
    }
}

#[test]
fn m7_a_fallback_that_noted_for_the_clerk_is_named_and_told() {
    let place = Place::new();
    place.reply_by(|call| {
        let fails = is(call, "round-2/clerk") && call.model() == "llama3";
        fails.then(|| Answer::status(400, "no"))
    });
    let debate = place.played(&format!("{SHORT_JOB}clerk: {{fallback: [mistral]}}\n"));
    let summary = read(&debate.place.debates()[0].join("summary.md"));
    has_all(
        &summary,
        &[
            "From the notes of the clerk (llama3 and mistral), which may miss a point or a reply",
            "- 1 fallback model called: ",
        ],
    );
}

#[test]
fn m7_only_who_noted_is_named_as_the_clerk() {
    let place = Place::new();
    place.reply_by(|call| {
        let fails = is(call, "*/clerk") && call.model() == "llama3";
        fails.then(|| Answer::status(400, "no"))
    });
    let debate = place.played(&format!("{SHORT_JOB}clerk: {{fallback: [mistral]}}\n"));
    let summary = read(&debate.place.debates()[0].join("summary.md"));
    has_all(
        &summary,
        &[
            "From the notes of the clerk (mistral), which may miss a point or a reply",
            "- 3 fallback models called.\n",
        ],
    );
}

#[test]
fn m4_a_limit_for_statements_does_not_cut_ballots_and_notes() {
    let caps = |more: &str| {
        let debate = play(&format!("{ONE_ROUND}{more}"), []);
        let asked = [FIRST, "round-1/ballot*", "round-1/clerk"];
        asked.map(|pattern| cap(&debate.asked(pattern)[0]))
    };
    let [_, ballot, notes] = caps("");
    assert!(ballot >= 700 && notes >= 700, "{ballot} {notes}");
    assert_eq!(caps("defaults: {max_tokens: 120}\n"), [120, ballot, notes]);
    // Where the context is small, most of it is for the debate; notes may take a quarter.
    assert_eq!(caps("defaults: {max_tokens: 120, context_window: 2048}\n"), [120, 256, 512]);
    assert_eq!(caps("defaults: {max_tokens: 600, context_window: 2048}\n"), [600, 600, 600]);
}
