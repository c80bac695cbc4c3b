//! Rows C2 and C3: two answers compared by a panel, blind and in both orders: the first and the final one of a dialectic, and a
//! debate's and that of a model alone.

use mock_ollama::{Answer, Call};
use serde_json::{Map, Value, json};

use crate::controls::killed_in;
use crate::harness::{Place, has, is, lacks, list, read, trace_in, well};
use crate::labels::votes;
use crate::panels::{self, is_reading, readings};

const JOB: &str = "\
format: dialectic
query: Should a town make its buses free for everyone?
allow_explicit: true
retrieval: null
min_rounds: 2
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
const FINAL: &str = "Answer: Yes, says Paula, and no llama3 objects. MARK-FINAL\nReasoning: it is fair.\nConfidence: medium.\nOpen points: none.";

const ALONE: &str =
    "Answer: No. MARK-ALONE\nReasoning: it costs too much.\nConfidence: low.\nOpen points: none.";

const JUDGE: [&str; 5] = ["judge", "--panel", "panel.yaml", "--retry-delay", "1ms"];

fn place(job: &str) -> Place {
    let place = panels::with_families();
    place.write("job.yaml", job);
    place.write("panel.yaml", PANEL);
    place.server.script(|call| reply(call, 8, 5));
    place
}

/// A reply in which the second of two answers, by its mark, has this score and the other one that.
fn reply(call: &Call, second: u64, other: u64) -> Answer {
    let answer = if is_reading(call) {
        judged(call, second, other)
    } else if is(call, "*/statement/proposer") {
        Answer::text(FIRST)
    } else if is(call, "*/statement/skeptic") {
        // What it raised, the proposer would be asked for again.
        Answer::json(&json!({"new": [], "quality": 5, "ready": false}))
    } else if is(call, "end/synthesis/*") {
        Answer::text(FINAL)
    } else if is(call, "*/draft/*") {
        Answer::text(ALONE)
    } else {
        well(call, &|_| "It is fair.".to_owned())
    };
    answer.tokens(1000, 100)
}

/// A judgment by the marks of the answers, wherever they stand.
fn judged(call: &Call, second: u64, other: u64) -> Answer {
    let task = call.last_message();
    let is_first = if task.contains("MARK-ALONE") {
        reads_first(call, "MARK-ALONE", "MARK-FINAL")
    } else {
        reads_first(call, "MARK-FINAL", "MARK-FIRST")
    };
    let [one, two] = if is_first { [second, other] } else { [other, second] };
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

/// Whether one text stands before the other in what a judge reads.
fn reads_first(call: &Call, one: &str, other: &str) -> bool {
    let task = call.last_message();
    task.find(one) < task.find(other)
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
    assert_eq!(asked.len(), 6, "three judges, one of them a shadow, in both orders");
    for call in &asked {
        let prompt = format!("{} {}", call.system(), call.text());
        for hidden in ["Paula", "qwen", "Answer:", "Reasoning:", "debate", "round", "argued"] {
            lacks(&prompt, &[hidden]);
        }
        has(&prompt, "correctness");
    }
    let firsts = asked.iter().filter(|call| reads_first(call, "MARK-FIRST", "MARK-FINAL"));
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
        [(&json!("proposer"), &json!(2)), (&json!("synthesizer"), &after["outcome"]["final_text"])]
    );
    assert_eq!(verdict["judges"][2]["status"], "shadow", "of the proposer's family");
    let judged = place.debates().remove(0);
    let summary = std::fs::read_to_string(judged.join("summary.md")).expect("a summary");
    has(&summary, "house: the final answer is better (2 to 0)");

    let asked = place.server.chats().len();
    place.rebut_exits(0, &JUDGE);
    assert_eq!(place.server.chats().len(), asked, "nothing is read twice");
}

#[test]
fn c2_of_votes_that_are_too_few_to_decide_it_is_told_whose_they_are() {
    let place = place(JOB);
    place.server.script(|call| {
        let is_level = call.model() == "mistral";
        reply(call, if is_level { 5 } else { 8 }, 5)
    });
    place.run_exits(0, &["job.yaml"]);
    place.rebut_exits(0, &JUDGE);
    has(
        &std::fs::read_to_string(place.debates()[0].join("summary.md")).expect("a summary"),
        "house: no majority: 1 for the final answer, 1 tie",
    );
}

#[test]
fn c2_a_judging_of_answers_cut_off_at_any_append_goes_on_and_asks_nothing_twice() {
    let place = place(JOB);
    place.run_exits(0, &["job.yaml"]);
    panels::goes_on_after_any_append(&place);
}

#[test]
fn c2_statistics_take_the_panels_comparison_where_that_is_chosen() {
    let place = place(JOB);
    // The debate's own judge finds them equal, the panel the first one better, and one judge of it changes with the order.
    place.server.script(|call| match call.model() {
        "phi4" if is(call, "end/compare*") => {
            Answer::json(&json!({"because": "Both say the same.", "better": "equal"}))
        }
        "mistral" if is_reading(call) => {
            if reads_first(call, "MARK-FIRST", "MARK-FINAL") {
                judged(call, 4, 6)
            } else {
                judged(call, 6, 4)
            }
        }
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
    let flips = metric(&panel, "comparison_flips").as_f64().expect("a share");
    assert!((flips - 1.0 / 3.0).abs() < 1e-9, "{flips}");
    assert_eq!(panel["panels"][0]["won"], json!(1));
    assert_eq!(panel["panels"][0]["like_own"]["value"], json!(0.0));
    let boards = &panel["leaderboards"]["strengths"];
    assert_eq!(boards, &json!([]), "an answer wins against nobody");
}

/// A job whose debates are compared with a model alone.
fn compared() -> String {
    format!("{JOB}arms: [compare]\npanel: panel.yaml\n")
}

/// The traces of a debate and of its control.
fn pair(place: &Place) -> [Value; 2] {
    let mut both: Vec<Value> = place.debates().iter().map(|it| trace_in(it)).collect();
    both.sort_by_key(|trace| trace["plan"]["arm"] == "compare");
    both.try_into().expect("a debate and its control")
}

/// Generated tokens of the calls on which a text depends.
fn spent(trace: &Value) -> u64 {
    let used = &trace["usage"]["by_purpose"];
    let of = |purpose: &str| used[purpose]["reply_tokens"].as_u64().unwrap_or(0);
    of("speak") + of("clerk")
}

#[test]
fn c3_a_model_alone_answers_for_as_many_tokens_and_a_panel_reads_both_blind() {
    let place = place(&compared());
    place.run_exits(0, &["job.yaml"]);
    let [debate, control] = pair(&place);
    let budget = &control["plan"]["budget"];
    assert_eq!(budget["match"], json!([debate["id"]]));
    assert_eq!(budget["tokens"], json!(spent(&debate)), "without its judges");
    assert_eq!(budget["spent"], json!(spent(&control)));
    assert_eq!((&budget["samples"], &budget["ratio"]), (&json!(5), &json!(1.0)));
    let models: Vec<&Value> = budget["answer"]["models"]
        .as_array()
        .expect("models")
        .iter()
        .map(|it| &it["name"])
        .collect();
    assert_eq!(models, ["llama3", "qwen3:8b"]);
    let said = control["statements"].as_array().expect("statements");
    let origins: Vec<&Value> = said.iter().map(|it| &it["origin"]).collect();
    assert_eq!(origins, ["model", "model", "model", "model", "model", "debate"]);
    assert_eq!(
        said[5]["text"],
        debate["statements"].as_array().expect("statements").last().expect("one")["text"]
    );
    let drafts = place.asked("*/draft/*");
    for call in &drafts {
        let prompt = format!("{} {}", call.system(), call.text());
        lacks(&prompt, &["MARK-FIRST", "MARK-FINAL", "Paula", "debate"]);
        assert_eq!((call.model(), call.option("temperature")), ("qwen3:8b", Some(&json!(0.5))));
    }
    has(&drafts[4].text(), "> Answer: No. MARK-ALONE");

    let asked: Vec<Call> =
        readings(&place).into_iter().filter(|it| it.text().contains("MARK-ALONE")).collect();
    assert_eq!(asked.len(), 6, "three judges, one of them a shadow, in both orders");
    for call in &asked {
        let prompt = format!("{} {}", call.system(), call.text());
        lacks(
            &prompt,
            &["qwen", "llama", "Paula", "Writer", "Answer:", "debate", "draft", "MARK-FIRST"],
        );
    }
    let verdict = verdict_of(&control);
    let candidates: Vec<Value> = verdict["candidates"]
        .as_array()
        .expect("candidates")
        .iter()
        .map(|it| json!([it["participant"], it["statement"], it["families"]]))
        .collect();
    assert_eq!(
        candidates,
        [json!(["debate", 6, ["llama", "qwen"]]), json!(["writer_1", 5, ["qwen"]])]
    );
    assert_eq!(verdict["votes"], json!({"p": 0, "q": 2, "tie": 0}));
    assert_eq!(verdict["winner"], "writer_1");
    assert_eq!(verdict["judges"][2]["status"], "shadow");
    let dirs = place.debates();
    let is_control = |dir: &&std::path::PathBuf| trace_in(dir)["id"] == control["id"];
    let dir = dirs.iter().find(is_control).expect("its directory");
    let summary = read(&dir.join("summary.md"));
    let lead = "without the debate. Panel house: the answer of a model alone is better (2 to 0).";
    has(&summary, lead);

    // A second run asks nothing, another panel only for its readings.
    let asked = place.server.chats().len();
    place.run_exits(0, &["job.yaml"]);
    assert_eq!(place.server.chats().len(), asked);
    place.write("panel.yaml", &PANEL.replace("house", "other"));
    place.run_exits(0, &["job.yaml"]);
    let more = place.server.chats().split_off(asked);
    assert_eq!((more.len(), more.iter().filter(|it| is_reading(it)).count()), (12, 12));
}

#[test]
fn c3_a_judge_of_a_debaters_family_does_not_vote_on_the_debates_answer() {
    let place = place(&compared());
    place.write(
        "panel.yaml",
        "judges: [{model: llama3}, {model: mistral}]\nname: house\nrepeat_share: 0\n",
    );
    place.run_exits(0, &["job.yaml"]);
    let [_, control] = pair(&place);
    let judges = &verdict_of(&control)["judges"];
    assert_eq!(
        judges[0]["recusal"],
        json!({"reason": "same_digest", "with": "debate", "shares": judges[0]["digest"]})
    );
    assert_eq!(judges[1]["status"], "voting");
}

#[test]
fn c3_debates_on_open_topics_have_the_ids_that_they_have_without_compare() {
    let id = |job: &str| {
        let place = place(job);
        place.run_exits(0, &["--rehearse", "job.yaml"]);
        let traces: Vec<Value> = place.debates().iter().map(|it| trace_in(it)).collect();
        let mut debates = traces.iter().filter(|it| it["plan"]["arm"] == "debate");
        debates.next().expect("a debate")["id"].clone()
    };
    assert_eq!(id(JOB), id(&compared()));
}

#[test]
fn c3_each_seed_has_its_own_comparison_in_the_shard_of_its_debate() {
    let job = format!("{}matrix: {{seed: [1, 2, 3, 4]}}\nrepeat: 2\n", compared());
    let place = place(&job);
    for shard in ["1/2", "2/2"] {
        place.run_exits(0, &["--rehearse", "job.yaml", "--shard", shard]);
        let traces: Vec<Value> = place.debates().iter().map(|it| trace_in(it)).collect();
        let of = |arm: &str| {
            let own = traces.iter().filter(|it| it["plan"]["arm"] == arm);
            own.cloned().collect::<Vec<Value>>()
        };
        let (debates, controls) = (of("debate"), of("compare"));
        assert_eq!(debates.len(), controls.len(), "{shard}");
        for control in &controls {
            let matched = &control["plan"]["budget"]["match"][0];
            let debate = debates.iter().find(|it| it["id"] == *matched).expect("its debate");
            assert_eq!(debate["plan"]["seed"], control["plan"]["seed"]);
            assert_eq!(debate["topic"], control["topic"]);
        }
    }
    assert_eq!(place.debates().len(), 16);
}

#[test]
fn c3_the_index_of_a_comparison_names_who_wrote() {
    let place = place(&compared());
    place.run_exits(0, &["job.yaml"]);
    let mut debates = place.debates().into_iter();
    let control = debates.find(|it| trace_in(it)["plan"]["arm"] == "compare");
    let index = read(&control.expect("a control").join("index.md"));
    has(&index, "By Writer-1 (qwen3:8b: 5 statements).");
    has(&index, "A control without a debate (one model alone), begun ");
    lacks(&index, &["Also:"]);
}

#[test]
fn c3_a_comparison_that_is_killed_goes_on_and_asks_nothing_twice() {
    let whole = place(&compared());
    whole.run_exits(0, &["job.yaml"]);
    let [_, wanted] = pair(&whole);
    for killed in [1, 3, 5] {
        let place = place(&compared());
        let at = format!("round-{killed}/draft/writer_1#1");
        let hung = at.clone();
        place.server.script(
            move |call| {
                if call.name() == hung { Answer::hang() } else { reply(call, 8, 5) }
            },
        );
        killed_in(&place, &at);
        place.server.script(|call| reply(call, 8, 5));
        has(&read(&place.running_journal()), "MARK-FINAL");
        let asked = place.server.chats().len();
        place.run_exits(0, &["job.yaml"]);
        let again = place.server.chats().split_off(asked);
        let drafts = again.iter().filter(|call| is(call, "*/draft/*")).count();
        assert_eq!(drafts, 6 - killed, "a draft is asked for again");
        let [_, now] = pair(&place);
        for part in ["id", "outcome"] {
            assert_eq!(now[part], wanted[part], "{killed}");
        }
        assert_eq!(now["plan"]["budget"], wanted["plan"]["budget"], "{killed}");
        assert_eq!(verdict_of(&now)["votes"], verdict_of(&wanted)["votes"], "{killed}");
    }
}

#[test]
fn c3_a_revision_that_cannot_be_had_is_left_out_and_the_next_one_tried() {
    let place = place(&compared());
    place.server.script(|call| {
        if is(call, "round-2/draft/*, round-3/draft/*") {
            Answer::status(400, "no")
        } else {
            reply(call, 8, 5)
        }
    });
    place.run_exits(0, &["job.yaml"]);
    let [_, control] = pair(&place);
    assert_eq!(control["plan"]["budget"]["samples"], json!(5));
    assert_eq!(control["plan"]["budget"]["ratio"], json!(1.0));
    let incidents = control["incidents"].as_array().expect("incidents").iter();
    assert!(incidents.filter(|it| it["kind"] == "left_out").count() == 2);
}

#[test]
fn c3_a_debate_without_an_answer_has_nothing_to_compare() {
    let place = place(&compared());
    place.server.script(|call| {
        if is(call, "end/synthesis/*") { Answer::status(400, "no") } else { reply(call, 8, 5) }
    });
    let ended = place.run_exits(1, &["job.yaml"]);
    assert_eq!(place.debates().len(), 1);
    has(&ended.stderr, "1 not started");
    assert_eq!(place.asked("*/draft/*").len(), 0);
    let id = place.trace()["id"].as_str().expect("an id")[..12].to_owned();
    let why = format!("debate {id}, which it is matched to, has no final answer by a model");
    let line = ended.stdout.lines().find(|line| line.starts_with("not started\t"));
    has(line.expect("a line for the control"), &why);
    has(&ended.stderr, "controls begin once the debates they are matched to have ended well: ");
    has(&ended.stderr, " --retry degraded\n");
    let batches = list(&place.path().join("output/batches"));
    let summary = |ending: &str| {
        let mut files = batches.iter();
        let found = files.find(|it| it.extension().is_some_and(|own| own == ending));
        read(found.expect("a summary"))
    };
    let page = summary("md");
    let summary: Value = serde_json::from_str(&summary("json")).expect("JSON");
    let causes = summary["causes"].as_array().expect("causes");
    let cause = causes.iter().find(|it| it["standing"] == "not started");
    let shared = why.replace(&id, "…");
    assert_eq!(cause.expect("its cause")["cause"], shared);
    has(summary["next"].as_str().expect("a command"), "--retry degraded");
    has(&page, &shared);
    // Once the debate has an answer, both are done.
    place.server.script(|call| reply(call, 8, 5));
    place.run_exits(0, &["job.yaml", "--retry", "degraded,failed"]);
    assert_eq!(place.debates().len(), 2);
}

/// Queries of six debates; on the first five the debate's answer is the better one.
const QUERIES: [&str; 6] = [
    "Should a town make its buses free for everyone?",
    "Should a town close its centre to private cars?",
    "Should a town build a tram along the main road?",
    "Should a town plant trees along all its streets?",
    "Should a town open its libraries on every Sunday?",
    "Should a town pay for the school lunches of all?",
];

/// A place with six debates and their comparisons.
fn six() -> Place {
    let job = compared().replace(&format!("query: {}\n", QUERIES[0]), "");
    let place = place(&format!("{job}matrix: {{query: {}}}\n", json!(QUERIES)));
    place.write("panel.yaml", &PANEL.replace(", {model: qwen3:14b}", ""));
    place.server.script(|call| {
        if call.text().contains(QUERIES[5]) { reply(call, 8, 5) } else { reply(call, 5, 8) }
    });
    place.run_exits(0, &["job.yaml"]);
    place
}

#[test]
fn c3_statistics_say_how_often_the_debates_answer_is_better() {
    let place = six();
    let report = stats(&place, &[]);
    let [row] = &report["alone"].as_array().expect("rows")[..] else { panic!("one panel") };
    assert_eq!(row["verdicts"], "panel:house");
    let counts = ["better", "even", "worse", "undecided", "stale"].map(|key| row[key].as_u64());
    assert_eq!(counts, [5, 0, 1, 0, 0].map(Some));
    let share = |key: &str| row[key]["value"].as_f64().expect("a share");
    assert!((share("preferred") - 5.0 / 6.0).abs() < 1e-9);
    assert!((share("difference") - 1.0 / 3.0).abs() < 1e-9);
    assert_eq!(row["matched"], json!(true));
    let cells = row["cells"].as_array().expect("cells");
    let answers: Vec<&Value> = cells.iter().map(|cell| &cell["answers"]).collect();
    assert_eq!(answers, [&json!(6)], "tokens are averaged over topics");
    assert!(row["p"].as_f64().is_some_and(|p| p > 0.05));
    let told = "Debates are not shown to differ from one model alone: the panel house prefers the debate's answer in 83.3%";
    has(&report["headlines"].to_string(), told);
    // First against final answers are another matter: there the final one is the second.
    let panel = stats(&place, &["--verdicts", "panel:house"]);
    let improved = metric(&panel, "improved").as_f64().expect("a share");
    assert!((improved - 1.0 / 6.0).abs() < 1e-9, "{improved}");
    assert_eq!(panel["alone"][0]["better"], json!(5));
    let text = place.rebut_exits(0, &["stats", "--full"]).stdout;
    has(&text, "Debates against one model alone");
    has(&text, "What these comparisons rest on");
}

#[test]
fn c3_statistics_of_rehearsed_comparisons_state_no_power() {
    let job = compared().replace(&format!("query: {}\n", QUERIES[0]), "");
    let place = place(&format!("{job}matrix: {{query: {}}}\n", json!(QUERIES)));
    place.run_exits(0, &["--rehearse", "job.yaml"]);
    let told = place.rebut_exits(0, &["stats", "--full", "--include-rehearsals"]);
    has(&told.stdout, "Debates against one model alone");
    lacks(&told.stdout, &["etect"]);
}

#[test]
fn c3_a_comparison_with_a_debate_that_has_changed_is_in_no_number_until_it_is_made_again() {
    let place = six();
    let traces: Vec<Value> = place.debates().iter().map(|it| trace_in(it)).collect();
    let mut debates = traces.iter().filter(|it| it["plan"]["arm"] == "debate");
    let id = debates.next().expect("a debate")["id"].as_str().expect("an id")[..12].to_owned();
    place.server.script(|call| {
        if is(call, "end/synthesis/*") {
            Answer::text(FINAL.replace("it is fair", "it is cheap")).tokens(1000, 100)
        } else {
            reply(call, 5, 8)
        }
    });
    place.run_exits(0, &["job.yaml", "--restart", "--only", &id]);
    let row = &stats(&place, &[])["alone"][0];
    assert_eq!([&row["stale"], &row["preferred"]["n"]], [&json!(1), &json!(5)]);
    let ended = place.run_exits(0, &["job.yaml"]);
    has(&ended.stderr, "1 control run again");
    let row = &stats(&place, &[])["alone"][0];
    assert_eq!([&row["stale"], &row["preferred"]["n"]], [&json!(0), &json!(6)]);
}

#[test]
fn c3_comparisons_that_nobody_has_read_are_told() {
    let place = place(&compared());
    place.write("panel.yaml", "judges: [{model: nobody-has-it}]\nname: house\n");
    place.run_exits(1, &["job.yaml"]);
    let report = stats(&place, &[]);
    assert_eq!(report["alone"][0]["undecided"], json!(1));
    let told = "1 comparison without a verdict by any panel; counted, not compared.";
    has(&report["cautions"].to_string(), told);
}

#[test]
fn c3_each_panel_and_people_have_a_row_and_what_was_compared_stays_apart() {
    let place = six();
    let other = "name: other\njudges: [{model: mistral}]\nrepeat_share: 0\n";
    place.write("other.yaml", other);
    let judge = ["judge", "--panel", "other.yaml", "--retry-delay", "1ms"];
    place.rebut_exits(0, &judge);
    votes(&place, "1\n1\nq\n", &["--where", "format=compare"]);
    let report = stats(&place, &[]);
    let rows = report["alone"].as_array().expect("rows");
    let told = |key: &str| -> Vec<&Value> { rows.iter().map(|row| &row[key]).collect() };
    assert_eq!(told("verdicts"), ["panel:house", "panel:other", "human"]);
    assert_eq!(told("better")[..2], [5, 5]);
    assert_eq!(told("undecided"), [0, 0, 0], "people read a sample");
    assert_eq!(rows[2]["preferred"]["n"], 2);
    let panels: Vec<[Value; 3]> = report["panels"]
        .as_array()
        .expect("rows")
        .iter()
        .map(|row| {
            let debates = row["debates"].as_array().map_or(0, Vec::len);
            [row["panel"].clone(), row["compared"].clone(), json!(debates)]
        })
        .collect();
    let [first, alone] = ["first_and_final", "debate_and_alone"];
    let both = |panel: &str| [first, alone].map(|kind| [json!(panel), json!(kind), json!(6)]);
    assert_eq!(panels, [both("house"), both("other")].concat());
    let text = place.rebut_exits(0, &["stats", "--full"]).stdout;
    has(&text, "first and final answer");
    has(&text, "Order effects in the readings of other (a debate's answer and one of a model");
}

#[test]
fn c3_a_comparison_in_which_a_fallback_model_spoke_is_counted_apart() {
    let own = "synthesizer: {model: qwen3:8b";
    let place = place(&compared().replace(own, &format!("{own}, fallback: [llama3]")));
    place.server.script(|call| {
        if call.model() == "qwen3:8b" && is(call, "*/draft/*") {
            Answer::status(400, "no")
        } else {
            reply(call, 8, 5)
        }
    });
    place.run(&["job.yaml"]);
    let report = stats(&place, &[]);
    let row = &report["alone"][0];
    let counts = ["replaced", "better", "even", "worse", "undecided"].map(|key| &row[key]);
    assert_eq!(counts, [1, 0, 0, 0, 0]);
    assert_eq!(row["preferred"]["n"], 0);
    let told = "1 comparison in which a fallback model or an emergency reply spoke; excluded.";
    has(&report["cautions"].to_string(), told);
}

#[test]
fn c3_a_comparison_of_a_debate_in_which_a_fallback_spoke_never_counts_whatever_filters_leave() {
    let own = "proposer: {name: Paula, model: qwen3:8b";
    let place = place(&compared().replace(own, &format!("{own}, fallback: [llama3]")));
    place.server.script(|call| {
        if call.model() == "qwen3:8b" && is(call, "*/statement/proposer") {
            Answer::status(400, "no")
        } else {
            reply(call, 8, 5)
        }
    });
    place.run(&["job.yaml"]);
    for filter in [vec![], vec!["--where", "format=compare"]] {
        let row = &stats(&place, &filter)["alone"][0];
        assert_eq!(
            (&row["replaced"], &row["preferred"]["n"]),
            (&json!(1), &json!(0)),
            "{filter:?}"
        );
    }
}

#[test]
fn c3_check_counts_the_readings_of_debates_and_of_their_comparisons() {
    let place = place(&compared());
    let told = place.rebut_exits(0, &["check", "job.yaml"]).stdout;
    has(&told, "panel house: up to 12 readings of finished debates");
}

#[test]
fn c3_people_may_compare_answers_too() {
    let place = place(JOB);
    place.run_exits(0, &["job.yaml"]);
    let shown = votes(&place, "1\n", &[]);
    lacks(&shown, &["Paula", "Answer:", "round", "synthesis"]);
    has(&shown, "Which answer is better? 1 or 2: that answer is better; ");
    lacks(&shown, &["side is ahead"]);
    place.rebut_exits(0, &["label", "export", "--sample", "1", "-o", "ballot.html"]);
    let page = read(&place.path().join("ballot.html"));
    has(&page, "<h1>Which answer is better?</h1>");
    assert_eq!(page.matches(" is better</button>").count(), 2);
    lacks(&page, &[" is ahead</button>", "<h1>Which side"]);
    let value = place.trace()["labels"][0]["value"].clone();
    let improved = metric(&stats(&place, &["--verdicts", "human"]), "improved");
    let first_is_better = value == "proposer";
    assert_eq!(improved, json!(if first_is_better { 0.0 } else { 1.0 }));
}
