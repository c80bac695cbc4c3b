//! Rows M2 and J10c: one test a fault. The table is also in `docs/src/reference/faults.md`, and a test compares the two.

mod broken;
mod outages;
mod scenes;

use std::sync::atomic::{AtomicUsize, Ordering};

use mock_ollama::{Answer, Card, Machine, MockOllama};

use self::scenes::{
    Scene, ballots, bytes, is_first, is_on_llama, model, page, statement, thinkers,
};
use crate::harness::{ballot_value, good, read};

/// A fault: what happens, what `rebut` does then, and what it says.
struct Row {
    group: &'static str,
    test: &'static str,
    happens: &'static str,
    does: Does,
    /// Part of what is said: of the incident, of the line that is told, or of the debate's cause.
    says: &'static str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Does {
    AsksAgain,
    AsksForLess,
    FallsBack,
    Repairs,
    CountsAsInvalid,
    Cuts,
    Ends,
    Resends,
    GoesWithout,
    Takes,
    Warns,
    Notes,
    Waits,
    Parks,
    ParksAll,
    EndsAtOnce,
}

impl Does {
    fn words(self) -> &'static str {
        match self {
            Self::AsksAgain => "asks again",
            Self::AsksForLess => "asks again with a shorter prompt",
            Self::FallsBack => "uses the fallback at once",
            Self::Repairs => "shows the model its error and asks once more",
            Self::CountsAsInvalid => "counts it as invalid after one repair",
            Self::Cuts => "cuts it after its last complete sentence",
            Self::Ends => "stops it there and cuts it after its last complete sentence",
            Self::Resends => "resends the request at once over a new connection: not a fault",
            Self::GoesWithout => "continues without it",
            Self::Takes => "accepts it: not a fault",
            Self::Warns => "warns once per model",
            Self::Notes => "accepts it and notes it",
            Self::Waits => "waits (not counted as an attempt)",
            Self::Parks => "leaves the model's debates unfinished and continues with the others",
            Self::ParksAll => "leaves its debates unfinished",
            Self::EndsAtOnce => "exits at once with code 3",
        }
    }
}

/// One test a row, and the table of them all.
macro_rules! faults {
    ($($group:literal { $($test:ident: $happens:literal, $does:ident, $says:literal, $scene:expr;)* })*) => {
        const TABLE: &[Row] = &[$($(Row {
            group: $group,
            test: stringify!($test),
            happens: $happens,
            does: Does::$does,
            says: $says,
        },)*)*];
        $($(
            #[test]
            fn $test() {
                let row = TABLE.iter().find(|row| row.test == stringify!($test));
                let scene: fn(&Row) = $scene;
                scene(row.expect("a row"));
            }
        )*)*
    };
}

faults! {
    "The server refuses a request" {
        m2_fault_bad_request: "400, bad request", FallsBack,
            "bad request (the server answered 400: top_logprobs must be between 0 and 20)",
            |row| statement(row, || Answer::status(400, "top_logprobs must be between 0 and 20"));
        m2_fault_thinking_on_a_model_that_cannot: "`think: true` on a model that cannot think", FallsBack,
            "does not support thinking",
            |row| {
                let job = scenes::JOB.replace("x: {", "x: {think: true, ");
                Scene::on(thinkers(["mistral"])).job(&job).plays(row);
            };
        m2_fault_invalid_format: "500, invalid format", FallsBack,
            "bad request (the server answered 500: invalid format",
            |row| statement(row, || Answer::status(500, "invalid format: \"x\"; expected \"json\" or a valid JSON Schema object"));
        m2_fault_grammar: "500, the server cannot use the schema of a call", FallsBack,
            "bad request (the server answered 500: failed to parse grammar)",
            |row| statement(row, || Answer::status(500, "failed to parse grammar"));
        m2_fault_413_of_a_proxy: "413, the request is too large for a proxy", FallsBack,
            "bad request (the server answered 413: a web page, \"413 Content Too Large\")",
            |row| statement(row, || page(413, "413 Content Too Large"));
        m3b_fault_context_exceeded: "400, the prompt is longer than the context (llama-server's words)", AsksForLess,
            "request (9000 tokens) exceeds the available context size (8192 tokens)",
            |row| statement(row, || Answer::context_exceeded(9000, 8192));
        m3b_fault_prompt_too_long: "400, the prompt is longer than the context (Ollama's words)", AsksForLess,
            "the prompt is longer than the context length currently available",
            |row| statement(row, Answer::prompt_too_long);
        j10c_fault_no_key: "401, the model needs a key", Parks,
            "the server refuses llama3: set OLLAMA_API_KEY to a valid key, or run `ollama signin` on the server",
            |row| model(row, &[], Answer::unauthorized);
        j10c_fault_cloud_disabled: "403, the server forbids the model", Parks,
            "the server refuses llama3: allow llama3 in the server's settings (it answered 403: ollama cloud is disabled: remote model is unavailable)",
            |row| model(row, &[], Answer::cloud_disabled);
        j10c_fault_credits_used_up: "402, credits are used up", Parks,
            "the server refuses llama3: it answered 402: payment required: add credits",
            |row| model(row, &[], || Answer::status(402, "payment required: add credits"));
        j10c_fault_model_retired: "410, the model was retired", Parks,
            "the server refuses llama3: name another model than llama3 in the job, which begins its debates anew (it answered 410: llama3 is gone)",
            |row| model(row, &[], || Answer::status(410, "llama3 is gone"));
        j10c_fault_model_not_pulled: "404, the model is not pulled", Parks,
            "the server has no model llama3: run `ollama pull llama3`",
            |row| { Scene::on(MockOllama::builder().models([Card::new("mistral")])).plays(row); };
        j10c_fault_model_removed_in_the_night: "404, the model is removed during the run, for longer than `--model-timeout`", Parks,
            "the server has no model llama3: run `ollama pull llama3`",
            outages::model_removed;
        j10c_fault_model_away: "404 for a while, after the model has answered", Waits,
            "with llama3: the server answered 404: model 'llama3' not found; giving up after 10m (--model-timeout)",
            outages::model_away;
    }
    "The server is not Ollama" {
        a2_fault_404_where_nothing_is_needed: "404 or 405 on `/api/show` or `/api/embed`, while everything else works", GoesWithout,
            "/api/show answered 405: 405 method not allowed; debates continue without it",
            |row| {
                let lacking = |call: &mock_ollama::Call| (call.path == "/api/show")
                    .then(|| Answer::raw(405, "text/plain", "405 method not allowed"));
                Scene::new().intercept(lacking).plays(row);
            };
        j10c_fault_404_of_another_program: "404 with a web page", Waits,
            "/api/chat answered 404, but not as an Ollama server does: a web page, \"Not Found\"",
            |row| statement(row, || page(404, "Not Found"));
        j10c_fault_redirect: "307, a redirect", Waits,
            "the server answered 307 and points to http://login.example/; redirects are not followed: use that server with --host",
            |row| statement(row, || Answer::redirect(307, "http://login.example/"));
        j10c_fault_502_of_a_proxy: "502, a proxy cannot reach the server", Waits,
            "the server answered 502: a web page, \"502 Bad Gateway\"",
            |row| statement(row, || page(502, "502 Bad Gateway"));
        j10c_fault_504_of_a_proxy: "504, a proxy times out", Waits,
            "the server answered 504: a web page, \"504 Gateway Time-out\"",
            |row| statement(row, || page(504, "504 Gateway Time-out"));
        j10c_fault_408_of_a_proxy: "408, a proxy times out", Waits,
            "the server answered 408: Request Timeout",
            |row| statement(row, || Answer::raw(408, "text/plain", "Request Timeout"));
        j10c_fault_login_page_for_everything: "200 with a login page for every request", Waits,
            "the server sent something other than a reply: a web page, \"Sign in\"",
            outages::login_page;
        m2_fault_html_instead_of_json: "200 with a web page, once", AsksAgain,
            "broken stream (the server sent something other than a reply: a web page, \"Oops\")",
            |row| statement(row, || page(200, "Oops"));
    }
    "The server is full or cannot load the model" {
        j10c_fault_no_description: "500 on `/api/show`, while everything else works", Waits,
            "waiting for the server to describe llama3: the server answered 500: something odd; giving up after 10m (--model-timeout)",
            |row| {
                let asked = AtomicUsize::new(0);
                let fails = move |call: &mock_ollama::Call| (call.path == "/api/show" && is_on_llama(call) && asked.fetch_add(1, Ordering::SeqCst) < 4)
                    .then(|| Answer::status(500, "something odd"));
                Scene::new().intercept(fails).plays(row);
            };
        j10c_fault_busy: "503, its queue is full", Waits,
            "the server answered 503: server busy, please try again. maximum pending requests exceeded",
            |row| statement(row, Answer::busy);
        j10c_fault_too_many_requests: "429, a quota is used up", Waits,
            "the server answered 429: you have reached your usage limit",
            |row| statement(row, Answer::too_many_requests);
        j10c_fault_named_wait: "429 or 503 with `Retry-After`", Waits,
            "you have reached your usage limit; it asks to wait 1s",
            |row| statement(row, || {
                let body = "{\"error\":\"you have reached your usage limit\"}";
                Answer::raw(429, "application/json\r\nRetry-After: 1", body)
            });
        j10c_fault_load_terminated: "500, the runner exits while loading", Waits,
            "the server answered 500: llama-server process has terminated: exit status 2",
            |row| statement(row, || Answer::load_failed("exit status 2"));
        j10c_fault_load_timed_out: "500, loading stalls", Waits,
            "the server answered 500: timed out waiting for llama-server to start",
            |row| statement(row, || Answer::load_timed_out("progress 0.42"));
        j10c_fault_out_of_memory: "500, out of memory", Waits,
            "model requires more system memory (38.1 GiB) than is available (12.0 GiB)",
            |row| statement(row, || Answer::status(500, "model requires more system memory (38.1 GiB) than is available (12.0 GiB)"));
        j10c_fault_load_fails_for_good: "500 on every load for longer than `--model-timeout`", Parks,
            "gave up on the server with llama3 after 0s (--model-timeout): the server answered 500: llama-server process has terminated",
            |row| model(row, &["--model-timeout", "0s"], || Answer::load_failed("exit status 1"));
        j10c_fault_load_does_not_end: "loading takes more than twice `--first-token-timeout`", Parks,
            "gave up on the server with llama3 after 4s (--model-timeout): llama3 was not loaded within 4 s (--first-token-timeout)",
            |row| {
                let slow = Card::new("llama3").load_time(std::time::Duration::from_secs(3600));
                let machine = Machine::new().scale(0.01).max_loaded(9);
                let scene = Scene::on(MockOllama::builder().models([slow, Card::new("mistral")]).machine(machine));
                scene.loaded("mistral").flags(&["--first-token-timeout", "2s", "--model-timeout", "4s"]).plays(row);
            };
    }
    "The server disappears" {
        j10c_fault_no_server_at_the_start: "it is missing at the start", EndsAtOnce,
            "error: no connection to http://127.0.0.1", outages::gone_at_the_start;
        j10c_fault_gone_before_the_first_token: "it disappears before a reply begins and comes back", Waits,
            "the connection to http://127.0.0.1", outages::gone_before_the_first_token;
        j10c_fault_gone_in_mid_stream: "it disappears in the middle of a reply and comes back", Waits,
            "broke after 4 characters", outages::gone_in_mid_stream;
        j10c_fault_gone_without_a_word: "it stops responding, but no connection breaks", Waits,
            "does not answer", outages::gone_without_a_word;
        j10c_fault_gone_for_good: "it is away for longer than `--outage-timeout`", ParksAll,
            "gave up on the server after 1s (--outage-timeout)", outages::gone_for_good;
        j10c_fault_another_version_comes_back: "it comes back with another version", Waits,
            "the connection to http://127.0.0.1", outages::another_version;
    }
    "A reply breaks off" {
        m2_fault_request_canceled: "499, request canceled", AsksAgain,
            "server error (the server answered 499: request canceled)",
            |row| statement(row, Answer::canceled);
        m2_fault_runner_stopped: "500, the runner stopped", AsksAgain,
            "server error (the server answered 500: model runner has unexpectedly stopped",
            |row| statement(row, Answer::runner_stopped);
        m2_fault_error_in_mid_stream: "an error in the middle of the stream", AsksAgain,
            "server error (the reply broke off: slot unavailable)",
            |row| statement(row, || Answer::text("one two three").error_after(2, "slot unavailable"));
        m2_fault_crash_in_mid_stream: "the runner crashes in the middle of the stream", AsksAgain,
            "the reply broke off: an error was encountered while running the model: unexpected EOF",
            |row| statement(row, || Answer::text("one two three").crash_after(2));
        j10c_fault_runner_stopped_for_all: "500 for calls of several debates in a row", Waits,
            "the server answered 500: model runner has unexpectedly stopped", broken::for_all;
        j10c_fault_runner_stopped_for_good: "the same for longer than `--model-timeout`", Parks,
            "gave up on the server with llama3 after 0s (--model-timeout): the server answered 500: model runner has unexpectedly stopped",
            broken::for_good;
        m2_fault_stream_without_done: "the stream ends without its final chunk", AsksAgain,
            "broken stream (the reply ended after 13 characters without its final chunk)",
            |row| statement(row, || Answer::text("one two three").without_done());
        m2_fault_done_for_another_reason: "the model is unloaded during the reply", AsksAgain,
            "broken stream (the server ended the reply for the unknown reason `unload`)",
            |row| statement(row, || Answer::text("one two").done_reason("unload"));
        m2_no_fault_stale_connection: "a kept-alive connection closes before the first byte", Resends, "nothing",
            |row| statement(row, || Answer::text("one two three").disconnect_after(0));
        m2_fault_disconnect_in_mid_stream: "the connection closes in the middle of the stream", AsksAgain,
            "broke after 8 characters",
            |row| statement(row, || Answer::text("one two three").disconnect_after(2));
        m2_fault_disconnect_inside_a_character: "the stream ends within a character", AsksAgain,
            "broken stream (the reply ended after 3 characters without its final chunk)",
            |row| statement(row, || bytes(b"{\"message\":{\"content\":\"one\"},\"done\":false}\n{\"message\":{\"content\":\"\xe4\xb8"));
        m2_fault_garbage_in_the_stream: "a line of the stream is not JSON", AsksAgain,
            "broken stream (the server sent something other than a reply: GET / HTTP/1.1)",
            |row| statement(row, || bytes(b"{\"message\":{\"content\":\"one\"},\"done\":false}\nGET / HTTP/1.1\n"));
        m2_fault_endless_line: "a line of the stream never ends", AsksAgain,
            "broken stream (the server sent a line of over 8 MB)",
            |row| statement(row, || bytes(&vec![b'a'; 12 << 20]));
        m2_fault_endless_reply: "a reply exceeds 8 MB, in few lines", AsksAgain,
            "broken stream (the reply did not end within 8 MB)",
            |row| statement(row, endless);
    }
    "A reply is late" {
        m2_fault_hang_before_the_first_token: "no first token within `--first-token-timeout`", AsksAgain,
            "timeout (no first token within 5 s (--first-token-timeout))",
            |row| late(row, &["--first-token-timeout", "5s"], Answer::hang);
        m2_fault_hang_in_mid_stream: "no further token within `--idle-timeout`", AsksAgain,
            "timeout (the reply went silent for 5 s (--idle-timeout))",
            |row| late(row, &["--idle-timeout", "5s"], || Answer::text("one two three").hang_after(1));
        a1_fault_blank_lines: "lines arrive without text", AsksAgain,
            "timeout (no first token within 5 s (--first-token-timeout))",
            |row| late(row, &["--first-token-timeout", "5s"], || {
                Answer::endless("", std::time::Duration::from_millis(1))
            });
        a1_fault_overrun: "it exceeds its limit", Ends,
            "the server did not stop the reply at its limit; it was ended after about",
            |row| statement(row, || {
                Answer::text((0..900).map(|n| format!("Reason {n} is good. ")).collect::<String>())
            });
        m2_no_fault_slow_load: "loading the model takes longer than `--idle-timeout`", Takes, "nothing",
            |row| on_a_machine(row, 9, 300);
        m2_no_fault_queue_behind_another_load: "other models are loaded first", Takes, "nothing",
            |row| on_a_machine(row, 1, 120);
        m2_no_fault_slow_trickle: "a reply arrives word by word and takes longer than `--idle-timeout`", Takes, "nothing",
            trickle;
        m2_no_fault_load_beyond_the_first_token_limit: "the model is still loading when `--first-token-timeout` ends", Takes, "nothing",
            |row| drop(slow_load().plays(row));
        m2_no_fault_load_on_a_server_without_ps: "the same on a server without `/api/ps`", Takes, "nothing",
            |row| {
                let lacking = |call: &mock_ollama::Call| (call.path == "/api/ps")
                    .then(|| Answer::raw(404, "text/plain", "404 page not found"));
                slow_load().intercept(lacking).plays(row);
            };
        m2_no_fault_load_behind_a_proxy_that_hides_ps: "the same behind a proxy that answers `/api/ps` itself", Takes, "nothing",
            |row| {
                let hidden = |call: &mock_ollama::Call| (call.path == "/api/ps")
                    .then(|| page(502, "502 Bad Gateway"));
                slow_load().intercept(hidden).plays(row);
            };
    }
    "A reply is unusable" {
        m2_fault_empty_reply: "it is empty", AsksAgain, "empty reply (the reply is empty)",
            |row| statement(row, || Answer::text(""));
        m2_fault_blank_reply: "it is only white space", AsksAgain, "empty reply (the reply is empty)",
            |row| statement(row, || Answer::text(" \n\t \n"));
        m2_fault_looping_reply: "it repeats itself", AsksAgain, "looping reply (the reply ends in a loop)",
            |row| statement(row, || Answer::text("It is so. ".repeat(60)));
        m2_fault_echoing_reply: "it only repeats its task", AsksAgain, "echoing reply (the reply repeats what was asked)",
            |row| statement(row, || Answer::text("Open the debate: state your position and give your two strongest reasons for it."));
        m2_fault_tool_call: "it only calls a tool", AsksAgain, "empty reply (the model called a tool)",
            |row| statement(row, || bytes(b"{\"message\":{\"content\":\"\",\"tool_calls\":[{\"function\":{\"name\":\"search\",\"arguments\":{}}}]},\"done\":false}\n{\"message\":{\"content\":\"\"},\"done\":true,\"done_reason\":\"stop\"}\n"));
        m2_fault_token_loop_aborted: "it repeats a token until the server aborts it", AsksAgain,
            "looping reply (the reply broke off: prediction aborted, token repeat limit reached)",
            |row| statement(row, || Answer::repeats_aborted("ha "));
        m2_fault_token_loop_ended_silently: "it repeats a token until an older server ends it silently", AsksAgain,
            "broken stream (the reply ended after 90 characters without its final chunk)",
            |row| statement(row, || Answer::repeats("ha "));
        k8b_fault_length_without_text: "it reaches its limit before the first word", AsksAgain,
            "no room to speak (all 800 tokens were used up without a word)",
            |row| statement(row, || Answer::text("").done_reason("length").tokens(100, 800));
        k8b_fault_thinking_eats_the_cap: "it reaches its limit while the model thinks", AsksAgain,
            "no room to speak (all 1824 tokens went into thinking, none into words; raise thinking_tokens)",
            |row| {
                let job = scenes::JOB.replace("x: {", "x: {think: true, ");
                let thinks = || Answer::text("").thinking("Hm, well.").done_reason("length").tokens(100, 1824);
                let scene = Scene::on(thinkers(["llama3", "mistral"])).job(&job);
                scene.script(is_first, move |n| (n == 0).then(thinks)).plays(row);
            };
        k8b_fault_length_below_the_cap: "the context fills up before its limit", AsksForLess,
            "context full (the context was full after 20 tokens of at most 800)",
            |row| statement(row, || Answer::text("One. Two.").done_reason("length").tokens(100, 20));
        k8b_fault_length_at_the_cap: "a statement reaches its limit", Cuts,
            "X ran over the allowance of 800 tokens; the statement was cut at its last whole sentence",
            |row| statement(row, || Answer::text("One is whole. The second is").done_reason("length").tokens(100, 800));
        k8b_fault_thinking_unasked_eats_the_cap: "it reaches its limit while the model thinks without being asked to", Warns,
            "llama3 thinks without being asked to, in the room for its words: set `think: true` with `thinking_tokens`, or use another model",
            |row| statement(row, || Answer::text("").thinking("Hm, well.").done_reason("length").tokens(100, 800));
        k8b_fault_thinking_unasked_cuts: "it reaches its limit because the model thinks without being asked to", Warns,
            "llama3 thinks without being asked to, in the room for its words: set `think: true` with `thinking_tokens`, or use another model",
            |row| statement(row, || {
                Answer::text("One is whole. The second is").thinking("Hm, well.").done_reason("length").tokens(100, 800)
            });
        m2_fault_all_thought: "it is all thought, although the model was not asked to think", Warns,
            "llama3 thinks without being asked to, in the room for its words: set `think: true` with `thinking_tokens`, or use another model",
            |row| statement(row, || Answer::text("").thinking("Hm, well."));
        m4_no_fault_thoughts_in_the_text: "thoughts precede its text, between marks such as `<think>` or `[THINK]`", Takes, "nothing",
            |row| statement(row, || Answer::text("[THINK]Must I lie to them?[/THINK]A reason is enough."));
        m4_fault_mark_in_the_text: "marks of thoughts or of a template remain in its text", Notes,
            "the statement of X has a mark of thoughts or of a template, \"[/THINK]\"",
            |row| statement(row, || Answer::text("A reason is [/THINK] enough."));
        c2_fault_another_model_replies: "the server says that another model replied", Warns,
            "the server says that gpt-4o-mini replied, although llama3 was asked: results count as those of llama3",
            |row| statement(row, || {
                bytes(b"{\"model\":\"gpt-4o-mini\",\"message\":{\"content\":\"A reason is enough.\"},\"done\":true}\n")
            });
        m3b_fault_prompt_cut_by_the_server: "its prompt has far fewer tokens than it should", Warns,
            "llama3: the server counted 60 tokens in a prompt that should have",
            |row| ballots(row, 1, || Answer::text(ballot_value(4, true).to_string()).tokens(60, 40));
        m2_no_fault_without_metrics: "it comes without token counts", Takes, "nothing",
            |row| statement(row, || Answer::text("A reason is enough.").without_metrics());
    }
    "A ballot is unusable" {
        m4_fault_ballot_is_prose: "it contains no JSON", Repairs,
            "the reply could not be used (there is no JSON object in it)",
            |row| ballots(row, 1, || Answer::text("I liked it."));
        m4_no_fault_ballot_is_fenced: "its JSON is in a code fence", Takes, "nothing",
            |row| ballots(row, 1, || Answer::text(format!("```json\n{}\n```", ballot_value(4, true))));
        m4_no_fault_ballot_is_thought: "its JSON comes where thoughts should", Takes, "nothing",
            |row| ballots(row, 1, || Answer::text("").thinking(&ballot_value(4, true).to_string()));
        m4_fault_ballot_is_cut: "its JSON is cut off", Repairs,
            "the reply could not be used (it was cut off before the JSON object ended)",
            |row| ballots(row, 1, || Answer::text("{\"comments\":\"It").done_reason("length").tokens(900, 700));
        m4_fault_ballot_has_wrong_keys: "its keys are wrong", Repairs,
            "the reply could not be used (",
            |row| ballots(row, 1, || Answer::text("{\"verdict\":\"good\"}"));
        m4_fault_ballot_stays_prose: "it contains no JSON after the repair, nor does a second poll", CountsAsInvalid,
            "the reply could not be used (there is no JSON object in it)",
            |row| ballots(row, 4, || Answer::text("I liked it."));
    }
}

/// X's first statement is answered like that once, under these limits. They hold for every call of both debates, so that
/// no busy machine may come near them.
fn late(row: &Row, flags: &[&'static str], answer: fn() -> Answer) {
    let scene = Scene::new().flags(flags);
    scene.script(is_first, move |n| (n == 0).then(answer)).plays(row);
}

/// More text than any model has to say, in lines of one megabyte.
fn endless() -> Answer {
    let text = "so on ".repeat(180_000);
    let line = format!("{{\"message\":{{\"content\":\"{text}\"}},\"done\":false}}\n");
    bytes(line.repeat(10).as_bytes())
}

/// Both debates on a machine that has room for so many models and takes so many of its seconds to load one, of which a
/// hundredth passes.
fn on_a_machine(row: &Row, max_loaded: usize, seconds: u64) {
    let load = std::time::Duration::from_secs(seconds);
    let cards = ["llama3", "mistral"].map(|name| Card::new(name).load_time(load));
    let machine = Machine::new().scale(0.01).max_loaded(max_loaded);
    Scene::on(MockOllama::builder().models(cards).machine(machine))
        .flags(&["--idle-timeout", "2s", "--first-token-timeout", "60s"])
        .plays(row);
}

/// A machine on which a model is still loading when the limit on its first token ends.
fn slow_load() -> Scene {
    let slow = Card::new("llama3").load_time(std::time::Duration::from_secs(500));
    let fast = Card::new("mistral").load_time(std::time::Duration::ZERO);
    let machine = Machine::new().scale(0.01).max_loaded(9);
    let scene = Scene::on(MockOllama::builder().models([slow, fast]).machine(machine));
    scene.flags(&["--first-token-timeout", "4s"])
}

/// X takes ten of the machine's seconds for a word, of which a hundredth passes.
fn trickle(row: &Row) {
    let machine = Machine::new().scale(0.01).max_loaded(9).reply_speed(0.1);
    let scene = Scene::on(MockOllama::builder().machine(machine));
    scene.place.server.script(|call| {
        let prompt = call.text().len() as u64 / 4;
        if is_first(call) {
            Answer::text("one two three four five six. ".repeat(6)).tokens(prompt, 36)
        } else {
            good(call).tokens(prompt, 1)
        }
    });
    scene.flags(&["--idle-timeout", "3s"]).plays(row);
}

/// The rows of the table in the reference.
fn in_the_reference() -> Vec<String> {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = read(&root.join("docs/src/reference/faults.md"));
    let rows = page.lines().filter(|line| line.contains("_fault_") || line.starts_with("| **"));
    rows.map(str::to_owned).collect()
}

/// The same rows as the tests have them.
fn of_the_tests() -> Vec<String> {
    let mut rows = Vec::new();
    let mut group = "";
    for row in TABLE {
        if row.group != group {
            group = row.group;
            rows.push(format!("| **{group}** | | | |"));
        }
        let says = match row.does {
            Does::Takes | Does::Resends => row.says.to_owned(),
            _ => format!("“{}”", row.says.replace('`', "\\`")),
        };
        let does = row.does.words();
        rows.push(format!("| {} | {does} | {says} | `{}` |", row.happens, row.test));
    }
    rows
}

#[test]
fn m2_the_table_of_faults_in_the_reference_is_the_tests() {
    let (page, tests) = (in_the_reference(), of_the_tests());
    assert!(page == tests, "reference/faults.md should have:\n{}", tests.join("\n"));
}
