//! Rows C2 and C3: two answers compared by a panel, blind and in both orders: the first and the final one of a dialectic, and a
//! debate's and that of a model alone.

use mock_ollama::{Answer, Call, Card, MockOllama};
use serde_json::{Map, Value, json};

use crate::harness::{Place, has, is, lacks, well};

const JOB: &str = "\
format: dialectic
query: Should a town make its buses free for everyone?
allow_explicit: true
retrieval: null
min_rounds: 1
max_rounds: 2
proposer: {name: Paula, model: qwen3:8b}
skeptic: {model: llama3}
synthesizer: {model: qwen3:8b}
judges: [{model: phi4}]
";

const PANEL: &str = "\
name: house
judges: [{model: gemma3:12b}, {model: mistral}, {model: qwen3:14b}]
repeat_share: 0
";

const FIRST: &str = "Paula says yes. MARK-FIRST";
const FINAL: &str = "Answer: Yes, says Paula. MARK-FINAL\nReasoning: it is fair.\nConfidence: medium.\nOpen points: none.";

const JUDGE: [&str; 5] = ["judge", "--panel", "panel.yaml", "--retry-delay", "1ms"];

fn place(job: &str) -> Place {
    let models = [
        "llama3",
        "qwen3:8b",
        "qwen3:14b",
        "phi4",
        "gemma3:12b",
        "mistral",
    ];
    let server = MockOllama::builder().models(models.map(Card::new)).start();
    let place = Place::with(server);
    place.write("job.yaml", job);
    place.write("panel.yaml", PANEL);
    place.server.script(|call| reply(call, 8, 5));
    place
}

/// A reply in which the second of two answers, by its mark, has this score and the other one that.
fn reply(call: &Call, second: u64, other: u64) -> Answer {
    match () {
        () if is_reading(call) => judged(call, second, other),
        () if is(call, "*/statement/proposer") => Answer::text(FIRST),
        () if is(call, "end/synthesis/*") => Answer::text(FINAL),
        () => well(call, &|_| "It is fair.".to_owned()),
    }
}

/// Whether this asks a panel's judge.
fn is_reading(call: &Call) -> bool {
    let schema = call.schema();
    schema.is_some_and(|schema| schema["properties"]["c1_score_1"].is_object())
}

/// A judgment by the marks of the answers, wherever they stand.
fn judged(call: &Call, second: u64, other: u64) -> Answer {
    let task = call.last_message();
    let at = |mark: &str| task.find(mark).unwrap_or(usize::MAX);
    let is_first = at("MARK-FINAL") < at("MARK-FIRST");
    let [one, two] = if is_first {
        [second, other]
    } else {
        [other, second]
    };
    let properties = &call.schema().expect("a schema")["properties"];
    let value = |key: &String| match key {
        key if key.ends_with("_score_1") => json!(one),
        key if key.ends_with("_score_2") => json!(two),
        _ => json!("Both give a reason for it."),
    };
    let keys = properties.as_object().expect("an object").keys();
    let all = keys.map(|key| (key.clone(), value(key)));
    Answer::json(&all.collect::<Map<_, _>>().into())
}

fn readings(place: &Place) -> Vec<Call> {
    let chats = place.server.chats().into_iter();
    chats.filter(is_reading).collect()
}

fn verdict_of(trace: &Value) -> Value {
    let verdicts = trace["verdicts"].as_array().expect("verdicts");
    let mut of_panel = verdicts.iter().filter(|it| it["source"] == "panel");
    of_panel.next().expect("the panel's verdict").clone()
}

fn stats(place: &Place, more: &[&str]) -> Value {
    let args = [&["stats", "--format", "json"], more].concat();
    serde_json::from_str(&place.rebut_exits(0, &args).stdout).expect("JSON")
}

/// A metric over all debates.
fn metric(report: &Value, name: &str) -> Value {
    let groups = report["breakdowns"][0]["groups"][0]["measures"].as_array();
    let measures = groups.expect("measures").iter();
    let mut found = measures.filter(|it| it["name"] == name);
    found.next().map_or(Value::Null, |it| it["value"].clone())
}

#[test]
fn c2_a_panel_reads_the_first_and_the_final_answer_of_a_dialectic_blind_and_in_both_orders() {
    let place = place(JOB);
    place.run_exits(0, &["job.yaml"]);
    let before = place.trace();
    place.rebut_exits(0, &JUDGE);
    let asked = readings(&place);
    assert_eq!(
        asked.len(),
        6,
        "three judges, one of them a shadow, in both orders"
    );
    for call in &asked {
        let prompt = format!("{} {}", call.system(), call.text());
        for hidden in [
            "Paula",
            "qwen",
            "Answer:",
            "Reasoning:",
            "debate",
            "round",
            "argued",
        ] {
            lacks(&prompt, &[hidden]);
        }
        has(&prompt, "correctness");
    }
    let firsts = asked.iter().filter(|call| {
        let task = call.last_message();
        task.find("MARK-FIRST") < task.find("MARK-FINAL")
    });
    assert_eq!(firsts.count(), 3, "each answer is read first by each judge");

    let after = place.trace();
    for same in ["id", "statements", "outcome", "usage", "calls", "record"] {
        assert_eq!(before[same], after[same], "{same}");
    }
    let verdict = verdict_of(&after);
    assert_eq!(verdict["winner"], "synthesizer");
    assert_eq!(verdict["votes"], json!({"p": 0, "q": 2, "tie": 0}));
    let statements = [&verdict["candidates"][0], &verdict["candidates"][1]];
    assert_eq!(
        statements.map(|it| (&it["participant"], &it["statement"])),
        [
            (&json!("proposer"), &json!(2)),
            (&json!("synthesizer"), &after["outcome"]["final_text"])
        ]
    );
    assert_eq!(
        verdict["judges"][2]["status"], "shadow",
        "of the proposer's family"
    );
    let judged = place.debates().remove(0);
    let summary = std::fs::read_to_string(judged.join("summary.md")).expect("a summary");
    has(
        &summary,
        "house: the final answer is better, with 2 votes to 0",
    );

    let asked = place.server.chats().len();
    place.rebut_exits(0, &JUDGE);
    assert_eq!(place.server.chats().len(), asked, "nothing is read twice");
}

#[test]
fn c2_statistics_take_the_panels_comparison_where_that_is_chosen() {
    let place = place(JOB);
    // The debate's own judge finds them equal, the panel the first one better, and one judge of it changes with the order.
    place.server.script(|call| match call.model() {
        "phi4" if is(call, "end/compare*") => {
            Answer::json(&json!({"because": "Both say the same.", "better": "equal"}))
        }
        "mistral" if is_reading(call) => match call.name().contains("pq-1") {
            true => judged(call, 4, 6),
            false => judged(call, 6, 4),
        },
        _ => reply(call, 3, 6),
    });
    place.run_exits(0, &["job.yaml"]);
    place.write(
        "panel.yaml",
        &PANEL.replace("{model: mistral}, ", "{model: mistral}, {model: phi4}, "),
    );
    place.rebut_exits(0, &JUDGE);
    let own = stats(&place, &[]);
    assert_eq!(metric(&own, "improved"), json!(0.5));
    assert_eq!(metric(&own, "comparison_flips"), json!(0.0));
    let panel = stats(&place, &["--verdicts", "panel:house"]);
    assert_eq!(metric(&panel, "improved"), json!(0.0));
    let flips = metric(&panel, "comparison_flips")
        .as_f64()
        .expect("a share");
    assert!((flips - 1.0 / 3.0).abs() < 1e-9, "{flips}");
    assert_eq!(panel["panels"][0]["won"], json!(1));
    assert_eq!(panel["panels"][0]["like_own"]["value"], json!(0.0));
    let boards = &panel["leaderboards"]["strengths"];
    assert_eq!(boards, &json!([]), "an answer wins against nobody");
}
