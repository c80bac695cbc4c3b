//! Slots, loads, evictions, times and the prefix cache of a described machine.

use crate::client::{Client, chat, chat_body, get, post};
use mock_ollama::{Answer, Card, Gate, Machine, MockOllama, Served};
use serde_json::{Value, json};
use std::time::Duration;

/// A machine whose hours pass in milliseconds and whose models stay.
fn quick() -> Machine {
    Machine::new().scale(1e-6).keep_alive(Duration::MAX)
}

fn server(machine: Machine) -> MockOllama {
    let cards = ["llama3", "mistral", "gemma", "phi"].map(Card::new);
    MockOllama::builder().models(cards).machine(machine).start()
}

/// Sends a chat and returns when it is known to wait or run.
fn begin(server: &MockOllama, more: &Value) -> Client {
    let count = server.served().len();
    let mut client = Client::new(server);
    client.send("POST", "/api/chat", &chat_body(more).to_string());
    server.wait_until_served(|served| served.len() > count);
    client
}

/// Sends a chat and returns when it stands in the queue for a slot or has one.
fn wait_for_slot(server: &MockOllama, more: &Value) -> Client {
    let client = begin(server, more);
    server.wait_until_served(|served| served.iter().all(|it| it.granted.is_some()));
    client
}

fn wait_in_queue(server: &MockOllama, more: &Value) -> Client {
    let client = begin(server, more);
    server.wait_until_served(|served| served.last().is_some_and(|it| it.queued));
    client
}

fn finish(mut client: Client) -> Value {
    let mut response = client.head();
    while client.piece(&mut response) {}
    response.lines().pop().expect("a line")
}

fn last(server: &MockOllama, more: &Value) -> Value {
    let response = chat(server, more);
    assert_eq!(response.status, 200, "{}", response.text());
    response.lines().pop().expect("a line")
}

fn started(server: &MockOllama, n: usize) {
    server.wait_until_served(|served| served.iter().filter(|it| it.turn.is_some()).count() >= n);
}

fn running(server: &MockOllama) -> Vec<String> {
    let models =
        get(server, "/api/ps").json()["models"].clone().as_array().expect("a list").clone();
    let name = |it: &Value| it["name"].as_str().expect("a name").to_string();
    models.iter().map(name).collect()
}

fn turns(served: &[Served]) -> Vec<Option<usize>> {
    served.iter().map(|it| it.turn).collect()
}

#[test]
fn a_slot_is_had_in_order_of_arrival() {
    let server = server(quick());
    let gate = Gate::new();
    let held = gate.clone();
    server.script(move |_| Answer::text("Yes.").after(held.clone()));
    let clients: Vec<Client> = (0..4).map(|_| wait_for_slot(&server, &json!({}))).collect();
    started(&server, 1);
    assert_eq!(turns(&server.served()), [Some(0), None, None, None]);
    gate.open();
    clients.into_iter().for_each(|it| drop(finish(it)));
    let served = server.served();
    assert_eq!(turns(&served), [Some(0), Some(1), Some(2), Some(3)]);
    assert!(served[0].loaded && served[1..].iter().all(|it| !it.loaded));
    assert!(served.is_sorted_by_key(|it| it.started));
}

#[test]
fn slots_are_as_many_as_the_family_allows() {
    let one = Card::new("mistral").family("qwen35moe");
    let server = MockOllama::builder()
        .models([Card::new("llama3"), one])
        .machine(quick().parallel(2).memory(1 << 40))
        .start();
    server.script(|_| Answer::hang());
    let two = [0, 1].map(|_| begin(&server, &json!({})));
    started(&server, 2);
    let other = json!({ "model": "mistral" });
    let one = [0, 1].map(|_| begin(&server, &other));
    started(&server, 3);
    server.wait_until_served(|served| served.iter().all(|it| it.granted.is_some()));
    let without = turns(&server.served()).iter().filter(|it| it.is_none()).count();
    assert_eq!(without, 1);
    drop((two, one));
}

#[test]
fn a_client_that_leaves_frees_its_slot_or_its_place() {
    let server = server(quick());
    server.script(|call| match call.n {
        0 => Answer::text("One two").hang_after(1),
        1 => Answer::hang(),
        _ => Answer::text("Yes."),
    });
    let generating = begin(&server, &json!({}));
    started(&server, 1);
    let queued = wait_for_slot(&server, &json!({}));
    let next = wait_for_slot(&server, &json!({}));
    drop(queued);
    server.wait_until(|calls| calls[1].client_left);
    drop(generating);
    assert_eq!(finish(next)["done"], true);
    assert_eq!(turns(&server.served()), [Some(0), None, Some(1)]);
}

#[test]
fn a_client_that_leaves_breaks_its_load_off() {
    let slow = Card::new("llama3").load_time(Duration::from_secs(1 << 60));
    let server =
        MockOllama::builder().models([slow, Card::new("mistral")]).machine(quick()).start();
    let loading = begin(&server, &json!({}));
    server.wait_until_served(|served| served[0].loaded);
    let peer = wait_in_queue(&server, &json!({}));
    let last = wait_in_queue(&server, &json!({ "model": "mistral" }));
    assert_eq!(running(&server), [""; 0]);
    drop(loading);
    server.wait_until_served(|served| served[1].loaded);
    drop(peer);
    assert_eq!(finish(last)["done"], true);
    assert_eq!(running(&server), ["mistral:latest"]);
    assert!(server.served()[..2].iter().all(|it| it.granted.is_none()));
    server.wait_until(|calls| calls[..2].iter().all(|it| it.client_left));
}

#[test]
fn a_crash_unloads_its_model() {
    let server = server(quick());
    server.script(|call| match call.n {
        0 => Answer::text("One two three").crash_after(1),
        _ => Answer::text("Yes."),
    });
    let crash = "an error was encountered while running the model: unexpected EOF";
    assert_eq!(last(&server, &json!({})), json!({ "error": crash }));
    assert_eq!(running(&server), [""; 0]);
    last(&server, &json!({}));
    assert!(server.served()[1].loaded);
}

#[test]
fn load_options_and_shift_load_a_model_anew() {
    let server = server(quick());
    let loads = |more: Value| {
        last(&server, &more);
        server.served().pop().expect("it was served").loaded
    };
    assert!(loads(json!({ "options": { "num_ctx": 8192 } })));
    assert!(!loads(
        json!({ "options": { "num_ctx": 99_999, "seed": 1, "num_gpu": -1 }, "format": "json" })
    ));
    assert!(loads(json!({ "options": { "num_ctx": 1024 } })));
    assert_eq!(server.served()[2].evicted, ["llama3:latest"]);
    for more in [
        json!({ "num_batch": 64 }),
        json!({ "num_gpu": 7 }),
        json!({ "main_gpu": 1 }),
        json!({ "use_mmap": false }),
        json!({ "num_thread": 2 }),
        json!({ "draft_num_predict": 0 }),
    ] {
        assert!(loads(json!({ "options": more })), "{more}");
        assert!(!loads(json!({ "options": more })), "{more}");
    }
    assert!(loads(json!({ "shift": false })));
    assert!(!loads(json!({ "shift": false })));
}

#[test]
fn only_requests_that_need_a_load_queue_and_meet_a_full_queue() {
    let server = server(quick().max_loaded(1).max_queue(1).parallel(2));
    let gate = Gate::new();
    let held = gate.clone();
    server.script(move |call| match call.n {
        0 => Answer::text("Yes.").after(held.clone()),
        _ => Answer::text("Yes."),
    });
    let using = begin(&server, &json!({}));
    started(&server, 1);
    let other = json!({ "model": "mistral" });
    let head = begin(&server, &other);
    server.wait_until_served(|served| !served[1].evicted.is_empty());
    let queued = wait_in_queue(&server, &other);
    let full = chat(&server, &json!({ "model": "gemma" }));
    assert_eq!(full.status, 503);
    assert_eq!(full.error(), "server busy, please try again.  maximum pending requests exceeded");
    assert_eq!(last(&server, &json!({}))["done"], true, "it is loaded");
    assert_eq!(server.served()[1].granted, None);
    gate.open();
    for client in [using, head, queued] {
        assert_eq!(finish(client)["done"], true);
    }
    let served = server.served();
    assert_eq!((served[1].loaded, served[2].loaded), (true, false));
    assert_eq!(served[1].evicted, ["llama3:latest"]);
    assert_eq!(running(&server), ["mistral:latest"]);
}

#[test]
fn a_keep_alive_takes_an_eviction_mark_off() {
    let server = server(quick().max_loaded(1).parallel(2));
    let gate = Gate::new();
    let held = gate.clone();
    server.script(move |call| match call.n {
        0 => Answer::text("Yes.").after(held.clone()),
        _ => Answer::text("Yes."),
    });
    let using = begin(&server, &json!({}));
    started(&server, 1);
    let starved = begin(&server, &json!({ "model": "mistral" }));
    server.wait_until_served(|served| !served[1].evicted.is_empty());
    last(&server, &json!({ "keep_alive": -1 }));
    gate.open();
    finish(using);
    assert_eq!(running(&server), ["llama3:latest"]);
    assert_eq!(server.served()[1].granted, None);
    let unload = json!({ "model": "llama3", "messages": [], "keep_alive": 0 });
    assert_eq!(post(&server, "/api/chat", &unload).json()["done_reason"], "unload");
    assert_eq!(finish(starved)["done"], true);
}

#[test]
fn the_idle_model_with_the_shortest_keep_alive_goes_first() {
    let server = server(quick().max_loaded(3));
    last(&server, &json!({ "model": "llama3", "keep_alive": "1000000h" }));
    last(&server, &json!({ "model": "mistral", "keep_alive": "999999h" }));
    last(&server, &json!({ "model": "gemma", "keep_alive": "999999h" }));
    last(&server, &json!({ "model": "phi" }));
    assert_eq!(server.served()[3].evicted, ["gemma:latest"]);
    assert_eq!(running(&server).len(), 3);
}

#[test]
fn memory_counts_the_model_and_the_context_of_each_slot() {
    let gib = 1 << 30;
    let cards = ["llama3", "mistral"].map(|name| Card::new(name).size(4 * gib));
    let machine = quick().memory(16 * gib).parallel(2).kv_bytes_per_token(gib >> 10);
    let server = MockOllama::builder().models(cards).machine(machine).start();
    let sized =
        |model: &str, num_ctx: u64| json!({ "model": model, "options": { "num_ctx": num_ctx } });
    last(&server, &sized("llama3", 1024));
    last(&server, &sized("mistral", 1024));
    assert_eq!(server.served()[1].evicted, [""; 0], "6 GiB of the 10 left");
    last(&server, &sized("mistral", 4096));
    assert_eq!(server.served()[2].evicted, ["mistral:latest", "llama3:latest"]);
    let models = get(&server, "/api/ps").json()["models"].clone();
    assert_eq!(models[0]["size"], 12 * gib);
    assert_eq!(models[0]["size_vram"], 12 * gib);
    assert_eq!(models[0]["context_length"], 4096);
    last(&server, &sized("mistral", 8192));
    let spilt = get(&server, "/api/ps").json()["models"][0].clone();
    assert_eq!((&spilt["size"], &spilt["size_vram"]), (&json!(20 * gib), &json!(16 * gib)));
}

#[test]
fn a_model_goes_when_its_time_is_over() {
    let server = server(quick().keep_alive(Duration::from_nanos(1)));
    last(&server, &json!({ "keep_alive": -1 }));
    last(&server, &json!({ "model": "mistral" }));
    assert_eq!(running(&server), ["llama3:latest"]);
    last(&server, &json!({ "keep_alive": 0 }));
    assert_eq!(running(&server), [""; 0]);
}

#[test]
fn durations_are_the_machines() {
    let machine = quick().load_speed(1e9).prompt_speed(500.0).reply_speed(40.0);
    let server = server(machine);
    server.script(|_| Answer::text("Yes.").tokens(1000, 80));
    let first = last(&server, &json!({}));
    assert!(first["load_duration"].as_u64() >= Some(4_661_224_676), "{first}");
    assert_eq!(first["prompt_eval_duration"], 2_000_000_000u64);
    assert_eq!(first["eval_duration"], 2_000_000_000u64);
    let whole = chat(&server, &json!({ "stream": false })).json();
    assert_eq!(whole["eval_duration"], 2_000_000_000u64);
    let served = server.served();
    let spent = served[1].arrived.saturating_sub(served[0].arrived);
    assert!(spent >= Duration::from_secs(8), "load, prompt and reply: {spent:?}");
    let read = Duration::from_nanos(4_661_224_676);
    assert!(served[0].waited() >= Some(read));
}

#[test]
fn a_prompt_that_goes_on_is_read_from_where_it_differs() {
    let server = server(quick());
    server.script(|_| Answer::text("Because people share them."));
    let system = json!({ "role": "system", "content": "Be brief. ".repeat(50) });
    let user = json!({ "role": "user", "content": "Why trams?" });
    let said = json!({ "role": "assistant", "content": "Because people share them." });
    let first = last(&server, &json!({ "messages": [system, user] }));
    let next = last(&server, &json!({ "messages": [system, user, said, user] }));
    let new = last(&server, &json!({ "messages": [user, said] }));
    let count = |line: &Value| line["prompt_eval_count"].as_u64().expect("a number");
    assert_eq!((count(&first), count(&next)), (128, 138));
    let served = server.served();
    let read: Vec<_> = served.iter().map(|it| (it.prompt_reused, it.prompt_new)).collect();
    assert_eq!((read[0], read[2].0), ((0, 128), 0));
    assert_eq!(read[1].0 + read[1].1, 138);
    assert!(read[1].0 > 120, "{read:?}");
    assert_eq!(next["prompt_eval_duration"], read[1].1 * 1_000_000);
    assert_eq!(new["prompt_eval_duration"], count(&new) * 1_000_000);
}

#[test]
fn a_displaced_prompt_comes_back_from_main_memory() {
    let reused = |machine: Machine| {
        let server = server(machine);
        let ask = |word: &str| {
            let message = json!({ "role": "user", "content": word.repeat(100) });
            last(&server, &json!({ "messages": [message] }));
        };
        ["trams ", "roads ", "trams "].into_iter().for_each(ask);
        server.served()[2].prompt_reused
    };
    assert!(reused(quick()) > 100);
    assert!(reused(quick().prompt_cache(0)) <= 1, "the role alone");
    let two_slots = quick().prompt_cache(0).parallel(2);
    assert!(reused(two_slots) > 100);
}

#[test]
fn whoever_takes_an_eviction_mark_off_makes_the_next_load_wait_for_its_keep_alive() {
    let machine = quick().max_loaded(1).keep_alive(Duration::from_secs(10));
    let server = server(machine);
    let gate = Gate::new();
    let held = gate.clone();
    server.script(move |_| Answer::text("Yes.").after(held.clone()));
    let first = begin(&server, &json!({ "model": "llama3" }));
    server.wait_until_served(|served| served[0].started.is_some());
    let waiting = begin(&server, &json!({ "model": "mistral" }));
    server.wait_until_served(|served| !served[1].evicted.is_empty());
    let again = wait_for_slot_of(&server, &json!({ "model": "llama3", "keep_alive": 3000 }));
    gate.open();
    for client in [first, again, waiting] {
        finish(client);
    }
    let served = server.served();
    let idle = served[0].ended.max(served[2].ended).expect("they ended");
    let granted = served[1].granted.expect("it was loaded");
    assert!(granted >= idle + Duration::from_secs(3000), "{served:#?}");
}

/// Sends a chat whose model is loaded and returns when it stands in the queue for a slot or has one.
fn wait_for_slot_of(server: &MockOllama, more: &Value) -> Client {
    let client = begin(server, more);
    server.wait_until_served(|served| served.last().is_some_and(|it| it.granted.is_some()));
    client
}
