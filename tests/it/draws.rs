//! Rows K6, U3, D3, D6 and S4: what is drawn varies over topics with one seed, debates of other models on one topic draw
//! alike, and judges take turns.

use std::collections::{BTreeMap, BTreeSet};

use mock_ollama::{Answer, Call};
use serde_json::{Value, json};

use crate::harness::found::told;
use crate::harness::{Kind, Place, ballot, good, is, kind, modest, trace_in};

const DUEL: &str = "format: duel\nrounds: 2\nallow_explicit: true\n";

/// A job on so many topics, all with the job's one seed, in a place of its own; `more` are further lines of its matrix.
fn on_topics(place: &Place, job: &str, topics: usize, more: &str, args: &[&str]) -> Vec<Value> {
    let topics: String = (1..=topics)
        .map(|n| format!("    - Should trams be free in {n} of our cities?\n"))
        .collect();
    place.write("job.yaml", &format!("{job}matrix:\n{more}  topic:\n{topics}"));
    place.run_exits(0, &[&["job.yaml"], args].concat());
    let debates = place.debates();
    debates.iter().map(|debate| trace_in(debate)).collect()
}

/// The same, rehearsed.
fn rehearsed(job: &str, topics: usize, more: &str) -> Vec<Value> {
    on_topics(&Place::new(), job, topics, more, &["--rehearse"])
}

/// Whom each judge of the whole debate read first.
fn read_first(trace: &Value) -> Vec<&str> {
    let judges = trace["verdicts"][0]["judges"].as_array();
    let first = judges.expect("judges").iter().map(|judge| &judge["readings"][0]["order"][0]);
    first.map(|id| id.as_str().expect("an id")).collect()
}

/// What was drawn on each topic, seen to be the same in all debates on it.
#[track_caller]
fn by_topic<T: Ord + std::fmt::Debug>(
    traces: &[Value],
    drawn: impl Fn(&Value) -> T,
    each: usize,
) -> BTreeMap<String, T> {
    let mut all: BTreeMap<String, Vec<T>> = BTreeMap::new();
    for trace in traces {
        let topic = trace["topic"].as_str().expect("a topic");
        all.entry(topic.to_owned()).or_default().push(drawn(trace));
    }
    let one = |(topic, mut drawn): (String, Vec<T>)| {
        assert_eq!(drawn.len(), each, "{topic}");
        drawn.dedup();
        assert_eq!(drawn.len(), 1, "{topic}: {drawn:?}");
        (topic, drawn.remove(0))
    };
    all.into_iter().map(one).collect()
}

#[test]
fn k6_the_next_debater_varies_with_the_topic_and_not_with_the_models() {
    let place = Place::new();
    place.reply([("*/ballot*", ballot(2, false))]);
    let job = "format: knockout\nrounds: 2\nallow_explicit: true\n";
    let models = "  x.model: [llama3, mistral]\n";
    let traces = on_topics(&place, job, 8, models, &[]);
    let second = |trace: &Value| trace["record"]["rounds"][1]["debater"].to_string();
    let drawn = by_topic(&traces, second, 2);
    let debaters: BTreeSet<&String> = drawn.values().collect();
    assert_eq!(debaters.len(), 3, "each of three comes in on some topic: {drawn:?}");
}

#[test]
fn u3_whom_a_judge_reads_first_varies_with_the_topic_and_not_with_the_models() {
    let models = "  pair:\n    - {a.model: llama3, b.model: mistral}\n    - {a.model: mistral, b.model: llama3}\n";
    let traces = rehearsed(DUEL, 8, models);
    let first = |trace: &Value| read_first(trace)[0].to_owned();
    let drawn = by_topic(&traces, first, 2);
    let read: BTreeSet<&str> = drawn.values().map(String::as_str).collect();
    assert_eq!(read, ["agent_a", "agent_b"].into(), "{drawn:?}");
}

#[test]
fn u3_judges_take_turns_in_whom_they_read_first_and_are_asked_so() {
    let place = Place::new();
    let job = format!("{DUEL}topic: Should trams be free?\njudges: [{{}}, {{}}, {{}}, {{}}]\n");
    let trace = place.trace_of(&job, &[]);
    let first = read_first(&trace);
    assert_eq!(first[0], first[2], "turn by turn: {first:?}");
    assert_eq!(first[1], first[3], "turn by turn: {first:?}");
    assert_ne!(first[0], first[1]);
    let chats = place.server.chats();
    let asked: Vec<&str> = (1..=4)
        .filter_map(|n| {
            let named = format!("end/verdict/judge_{n}");
            chats.iter().find(|call| is(call, &named))
        })
        .map(named_first)
        .collect();
    assert_eq!(asked, first);
    let reversed = chats.iter().filter(|call| is(call, "end/verdict-reversed/*"));
    assert_eq!(reversed.count(), 4);
}

#[test]
fn u3_both_readings_of_a_judge_begin_with_the_same_text_and_differ_in_order() {
    let place = Place::new();
    place.trace_of(&format!("{DUEL}topic: Should trams be free?\n"), &[]);
    let [one, other] =
        ["end/verdict/*", "end/verdict-reversed/*"].map(|name| place.asked(name).remove(0));
    assert_ne!(named_first(&one), named_first(&other));
    let record = |call: &Call| {
        let text = call.last_message().to_owned();
        let (record, _) = text.split_once("# Your task").expect("a task");
        record.to_owned()
    };
    assert!(record(&one).contains("[Scientist, "));
    assert_eq!(record(&one), record(&other));
}

/// The agent whom a judge of a duel is told of first.
fn named_first(call: &Call) -> &'static str {
    if call.last_message().contains("by their numbers in the record: Scientist's ") {
        "agent_a"
    } else {
        "agent_b"
    }
}

#[test]
fn d6_of_three_advocates_each_is_read_first_by_one_of_three_judges() {
    let job = "format: moderated\nround_count: 1\nallow_explicit: true\n\
        advocates: [{name: Ada, position: Yes}, {name: Ben, position: No}, {name: Cleo, position: In some cases}]\n\
        judges: [{}, {}, {}]\n";
    let traces = rehearsed(job, 8, "");
    let orders = by_topic(
        &traces,
        |trace| {
            let first = read_first(trace);
            first.into_iter().map(str::to_owned).collect::<Vec<_>>()
        },
        1,
    );
    for first in orders.values() {
        let each: BTreeSet<&String> = first.iter().collect();
        assert_eq!(each.len(), 3, "{orders:?}");
    }
    let begun: BTreeSet<&String> = orders.values().map(|first| &first[0]).collect();
    assert_eq!(begun.len(), 3, "the first judge begins with each: {orders:?}");
}

#[test]
fn d3_the_rulings_name_the_advocates_in_turn() {
    let place = Place::new();
    let job = "format: moderated\ntopic: Should trams be free?\nstyle: competitive\nround_count: 4\nallow_explicit: true\n";
    place.trace_of(job, &[]);
    let mut named = Vec::new();
    for call in place.server.chats() {
        if kind(&call) == Kind::Ruling {
            let words = &call.schema().expect("a schema")["properties"]["winner"]["enum"];
            named.push(words[0].to_string());
        }
    }
    assert_eq!(named.len(), 4);
    assert!(named.windows(2).all(|two| two[0] != two[1]), "{named:?}");
}

/// What statistics find of judges of duels on 12 topics with one seed, whose verdict puts one of two ahead.
fn order_bias(job: &str, ahead: fn(&Call) -> &'static str) -> (Value, Vec<Value>) {
    let place = Place::new();
    place.server.script(move |call| match kind(call) {
        Kind::Verdict => {
            let mut value = modest(call.schema().expect("a schema"));
            let scores = value["scores"][ahead(call)]
                .as_object_mut()
                .expect("an agent's scores")
                .values_mut();
            scores.for_each(|score| *score = json!(9));
            Answer::json(&value)
        }
        _ => good(call),
    });
    let traces = on_topics(&place, job, 12, "", &[]);
    let found = place.found(&[]);
    (found["judges"]["order"][0]["first_slot"].clone(), traces)
}

#[test]
fn s4_the_order_bias_over_topics_with_one_seed_is_estimated() {
    let once = format!("{DUEL}both_orders: false\n");
    let (biased, _) = order_bias(&once, named_first);
    assert_eq!(told(&biased), (Some(1.0), 12, 12), "{biased}");
    let (fair, traces) = order_bias(&once, |_| "agent_a");
    let first = traces.iter().filter(|trace| read_first(trace) == ["agent_a"]);
    let share = first.count() as f64 / 12.0;
    assert_eq!(told(&fair), (Some(share), 12, 12), "{fair}");
    let (low, high) = (fair["low"].as_f64(), fair["high"].as_f64());
    assert!(low < Some(0.5) && high > Some(0.5), "merit is not taken for order: {fair}");
}

#[test]
fn s4_with_both_orders_merit_is_never_taken_for_order() {
    let (biased, traces) = order_bias(DUEL, named_first);
    assert_eq!(told(&biased), (Some(1.0), 24, 12), "{biased}");
    assert!(traces.iter().all(|t| t["outcome"]["winner"] == "draw"));
    let (fair, traces) = order_bias(DUEL, |_| "agent_a");
    assert_eq!(told(&fair), (Some(0.5), 24, 12), "{fair}");
    assert!(traces.iter().all(|t| t["outcome"]["winner"] == "agent_a"));
}

/// Of 30 fair draws fewer than 8 or more than 22 go one way once in 190 times.
#[test]
fn s4_over_topics_every_judge_of_a_panel_reads_each_contestant_first_about_as_often() {
    let traces = rehearsed(&format!("{DUEL}judges: [{{}}, {{}}, {{}}]\n"), 30, "");
    for judge in 0..3 {
        let first = traces.iter().filter(|t| read_first(t)[judge] == "agent_a");
        let count = first.count();
        assert!((8..=22).contains(&count), "judge {judge}: {count} of 30");
    }
}
