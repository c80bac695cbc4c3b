//! Row C3: control runs on the questions of a job's debates, matched to their tokens.

mod kept;
mod told;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use mock_ollama::{Answer, Call};
use serde_json::{Value, json};

use crate::harness::{self, Place, has, is, lacks, read, trace_in, well};

const JOB: &str = "format: duel\nrounds: 2\nallow_explicit: true\nquestions: {file: q.jsonl}\n";

/// Questions of three choices; the first is correct.
fn questions(count: usize) -> String {
    let question = |n: usize| json!({"id": format!("q{n}"), "question": format!("What is number {n} of the list?"), "choices": ["red", "green", "blue"], "answer": "A"});
    (1..=count).map(|n| question(n).to_string() + "\n").collect()
}

pub(crate) fn place(count: usize, more: &str) -> Place {
    let place = Place::new();
    place.write("q.jsonl", &questions(count));
    place.write("job.yaml", &format!("{JOB}{more}"));
    place.server.script(reply);
    place
}

/// Every reply takes as many tokens: 100 each of statements, 50 of all others.
fn reply(call: &Call) -> Answer {
    let tokens = |answer: Answer, reply| answer.tokens(1000, reply);
    if is(call, "*/sample/*, */final-answer/*") {
        let said = json!({"because": "It stands first.", "final_answer": "A", "answer": "A"});
        let keys = call.schema().expect("a schema")["properties"].clone();
        let kept: Value = keys
            .as_object()
            .expect("keys")
            .keys()
            .map(|key| (key.clone(), said[key].clone()))
            .collect();
        return tokens(Answer::json(&kept), 50);
    }
    let answer = well(call, &|call| {
        format!("It is fair. Number {}.", call.option("seed").unwrap_or(&Value::Null))
    });
    tokens(answer, if call.schema().is_none() { 100 } else { 50 })
}

/// The traces by arm.
fn by_arm(place: &Place) -> BTreeMap<String, Vec<Value>> {
    let mut all: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for debate in place.debates() {
        let trace = trace_in(&debate);
        let arm = trace["plan"]["arm"].as_str().expect("an arm").to_owned();
        all.entry(arm).or_default().push(trace);
    }
    all
}

/// Generated tokens of the calls on which an answer depends.
fn spent(trace: &Value) -> u64 {
    let used = &trace["usage"]["by_purpose"];
    ["speak", "judge", "clerk"]
        .iter()
        .filter_map(|purpose| used[*purpose]["reply_tokens"].as_u64())
        .sum()
}

/// One judge reads each of two debates in both orders. What has no two sides is not read.
#[test]
fn c3_check_counts_no_readings_of_controls_that_a_panel_cannot_judge() {
    let more = "arms: [single, self_consistency, vote, consultancy]\npanel: panel.yaml\n";
    let place = place(2, more);
    let panel = "name: house\njudges: [{model: phi4}]\nrepeat_share: 0\n";
    place.write("panel.yaml", panel);
    let told = place.rebut(&["check", "job.yaml"]).stdout;
    assert!(told.contains("panel house: up to 4 readings of finished debates"), "{told}");
}

#[test]
fn c3_controls_run_behind_their_debates_at_their_tokens() {
    let place = place(
        2,
        "arms: [single, self_consistency, vote, consultancy]\na: {model: mistral}\nb: {model: llama3}\n",
    );
    place.run_exits(0, &["job.yaml"]);
    let arms = by_arm(&place);
    let counts: Vec<(&str, usize)> =
        arms.iter().map(|(arm, traces)| (arm.as_str(), traces.len())).collect();
    assert_eq!(
        counts,
        [("consultancy", 2), ("debate", 2), ("self_consistency", 2), ("single", 2), ("vote", 2)]
    );
    for arm in ["self_consistency", "vote"] {
        for trace in &arms[arm] {
            let id = &trace["plan"]["question"]["id"];
            let debate = arms["debate"]
                .iter()
                .find(|it| it["plan"]["question"]["id"] == *id)
                .expect("its debate");
            let budget = &trace["plan"]["budget"];
            assert_eq!(budget["match"], json!([debate["id"]]), "{arm}");
            assert_eq!(budget["tokens"], json!(spent(debate)));
            assert_eq!(budget["spent"], json!(spent(trace)));
            let ratio = budget["ratio"].as_f64().expect("a ratio");
            assert!((0.9..=1.1).contains(&ratio), "{arm}: {budget}");
            let samples = trace["answers"]
                .as_array()
                .expect("answers")
                .iter()
                .filter(|it| it["stage"] == "sample")
                .count();
            assert_eq!(budget["samples"], json!(samples));
            assert_eq!(
                trace["answers"].as_array().expect("answers").last().expect("one")["correct"],
                json!(true)
            );
            assert_eq!(
                trace["outcome"]["line"],
                json!(format!("A) red: {samples} of {samples} answers"))
            );
        }
    }
    let models = |arm: &str| -> Vec<Value> {
        arms[arm][0]["participants"]
            .as_array()
            .expect("people")
            .iter()
            .map(|p| p["sampling"]["model"].clone())
            .collect()
    };
    assert_eq!(models("self_consistency"), ["llama3"]);
    assert_eq!(models("vote"), ["mistral", "llama3"]);
    assert_eq!(arms["single"][0]["answers"].as_array().expect("answers").len(), 2);
    assert_eq!(arms["single"][0]["plan"]["budget"], Value::Null);
    let truths: Vec<bool> = arms["consultancy"]
        .iter()
        .map(|it| it["plan"]["question"]["assigned"]["consultant"] == json!(0))
        .collect();
    assert_eq!(truths.iter().filter(|truth| **truth).count(), 1, "half of two");
    // A second run asks nothing.
    let asked = place.server.calls().len();
    place.run_exits(0, &["job.yaml"]);
    let chats = place.server.calls().into_iter().skip(asked).filter(Call::is_chat);
    assert_eq!(chats.count(), 0);
}

#[test]
fn c3_debates_have_the_ids_that_they_have_without_controls() {
    let ids = |more: &str| {
        let place = place(2, more);
        place.run_exits(0, &["--rehearse", "job.yaml"]);
        let debates = by_arm(&place).remove("debate").expect("debates");
        let mut ids: Vec<String> = debates.iter().map(|trace| trace["id"].to_string()).collect();
        ids.sort();
        ids
    };
    assert_eq!(ids(""), ids("arms: [single, vote]\nmatch: {within: 0.2, max_samples: 3}\n"));
}

#[test]
fn c3_swapped_debates_share_their_controls() {
    let place = place(1, "assign: correct_vs_distractor\nswap: true\narms: [self_consistency]\n");
    place.run_exits(0, &["job.yaml"]);
    let arms = by_arm(&place);
    assert_eq!([arms["debate"].len(), arms["self_consistency"].len()], [2, 1]);
    let matched =
        arms["self_consistency"][0]["plan"]["budget"]["match"].as_array().expect("debates").len();
    assert_eq!(matched, 2);
}

/// Runs a job and kills it in the call of this name, which the server does not answer.
pub(crate) fn killed_in(place: &Place, at: &str) {
    let mut child = place.spawn(&["job.yaml"]);
    place.server.wait_until(|calls| calls.iter().any(|call| call.is_chat() && call.name() == at));
    child.kill().expect("a kill");
    child.wait().expect("an end");
}

#[test]
fn c3_a_control_that_is_killed_goes_on_with_the_budget_it_began_with() {
    let whole = place(1, "arms: [self_consistency]\n");
    whole.run_exits(0, &["job.yaml"]);
    let wanted = by_arm(&whole).remove("self_consistency").expect("a control").remove(0);
    let calls = whole.asked("*/sample/*").len();
    assert!(calls > 2, "{calls}");
    for killed in 1..calls {
        let place = place(1, "arms: [self_consistency]\n");
        let at = format!("round-{}/sample/voter_1#1", killed + 1);
        let hung = at.clone();
        place.server.script(
            move |call| {
                if call.name() == hung { Answer::hang() } else { reply(call) }
            },
        );
        killed_in(&place, &at);
        place.server.script(reply);
        // Whatever its debate took, it has the budget that it began with.
        let journal = read(&place.running_journal());
        has(&journal, "\"name\":\"budget\"");
        let asked = place.server.calls().len();
        place.run_exits(0, &["job.yaml"]);
        let again = place.server.calls().into_iter().skip(asked).filter(Call::is_chat).count();
        assert_eq!(again, calls - killed, "a sample is asked for again");
        let now = by_arm(&place).remove("self_consistency").expect("a control").remove(0);
        for part in ["id", "answers", "outcome"] {
            assert_eq!(now[part], wanted[part], "{killed}");
        }
        // What was said differs from place to place, and with it the digest of the debate's record.
        for part in ["match", "tokens", "spent", "samples", "ratio"] {
            let [now, wanted] = [&now, &wanted].map(|trace| &trace["plan"]["budget"][part]);
            assert_eq!(now, wanted, "{killed}");
        }
    }
}

#[test]
fn c3_a_control_that_has_begun_needs_its_debates_no_more() {
    let place = place(1, "arms: [self_consistency]\n");
    let at = "round-3/sample/voter_1#1";
    place.server.script(move |call| if call.name() == at { Answer::hang() } else { reply(call) });
    let mut child = place.spawn(&["job.yaml"]);
    place.server.wait_until(|calls| calls.iter().any(|call| call.is_chat() && call.name() == at));
    child.kill().expect("a kill");
    child.wait().expect("an end");
    place.server.script(reply);
    let debate = place.debates().remove(0);
    let tokens = spent(&trace_in(&debate));
    fs::remove_dir_all(&debate).expect("removed");
    fs::remove_dir_all(place.path().join("output/.rebut/journals")).expect("removed");
    place.run_exits(0, &["job.yaml", "--only", "arm=self_consistency"]);
    let control = by_arm(&place).remove("self_consistency").expect("a control").remove(0);
    assert_eq!(control["plan"]["budget"]["tokens"], json!(tokens));
}

#[test]
fn c3_controls_of_debates_that_did_not_end_are_not_run_and_said_so() {
    let place = place(2, "arms: [self_consistency, single]\non_failure: abort\n");
    place.server.script(|call| {
        if call.text().contains("number 2 of the list") && is(call, "*/statement/*") {
            Answer::status(400, "no")
        } else {
            reply(call)
        }
    });
    let ended = place.run_exits(1, &["job.yaml"]);
    let arms = by_arm(&place);
    assert_eq!(
        [arms["debate"].len(), arms["self_consistency"].len(), arms["single"].len()],
        [2, 1, 1]
    );
    has(&ended.stderr, "2 not started");
    let report: Value =
        serde_json::from_str(&place.rebut_exits(0, &["stats", "--format", "json"]).stdout)
            .expect("JSON");
    assert_eq!(report["answers"]["compared"][0]["difference"]["n"], json!(1));
}

#[test]
fn c3_statistics_compare_debates_with_their_controls() {
    let place = place(12, "arms: [self_consistency, single]\n");
    // Debates are right on nine questions, self-consistency on six of these, single answers on all twelve.
    place.server.script(|call| {
        let text = call.text();
        let n =
            (1..=12).rev().find(|n| text.contains(&format!("number {n} of the list"))).unwrap_or(0);
        let right = if is(call, "*/final-answer/*") {
            n <= 9
        } else if call.option("temperature").and_then(Value::as_f64) == Some(0.7)
            && is(call, "*/sample/*")
        {
            n <= 6
        } else {
            return reply(call);
        };
        let said = if right { "A" } else { "B" };
        let said = if is(call, "*/sample/*") {
            json!({"because": "It stands first.", "final_answer": said})
        } else {
            json!({"answer": said})
        };
        Answer::json(&said).tokens(1000, 50)
    });
    place.run_exits(0, &["job.yaml"]);
    let report: Value =
        serde_json::from_str(&place.rebut_exits(0, &["stats", "--format", "json"]).stdout)
            .expect("JSON");
    let arms = report["answers"]["arms"].as_array().expect("arms");
    let names: Vec<&Value> = arms.iter().map(|arm| &arm["arm"]).collect();
    assert_eq!(names, ["debate", "self_consistency", "single"]);
    assert_eq!(arms[0]["strict"]["value"], json!(0.75));
    assert_eq!(arms[1]["strict"]["value"], json!(0.5));
    let against = &report["answers"]["compared"][0];
    assert_eq!(
        [&against["arm"], &against["debate_only"], &against["arm_only"]],
        [&json!("self_consistency"), &json!(3), &json!(0)]
    );
    let difference = against["difference"]["value"].as_f64().expect("a difference");
    assert!((difference - 0.25).abs() < 1e-12);
    let p = against["mcnemar_p"].as_f64().expect("a p");
    assert!((p - 0.25).abs() < 1e-12);
    assert_eq!(against["matched"], json!(true));
    // All samples on a question are alike, so that more of them add tokens only.
    let curve = arms[1]["curve"].as_array().expect("a curve");
    assert!(curve.len() > 1, "{curve:?}");
    for (n, point) in (1..).zip(curve) {
        assert_eq!(point["samples"], json!(n));
        assert_eq!(point["strict"]["value"], json!(0.5));
        assert_eq!(point["tokens"]["value"], json!(50.0 * f64::from(n)));
    }
    let of = curve.len();
    assert_eq!(against["worth"]["samples"], Value::Null, "{against}");
    assert_eq!(against["worth"]["of"], json!(of));
    has(
        &report["headlines"].to_string(),
        &format!(
            "How many samples of self-consistency debates are worth is not known: perhaps less than 1, perhaps more than {of}."
        ),
    );
    assert_eq!(arms[2]["curve"], json!([]));
    // What voters are asked is no judgment.
    let speeds = report["speeds"].as_array().expect("speeds").iter();
    let purposes: BTreeSet<&str> = speeds.filter_map(|speed| speed["purpose"].as_str()).collect();
    assert!(purposes.contains("answer"), "{purposes:?}");
    assert_eq!(arms[2]["tokens"]["value"], json!(50.0));
    assert!(arms[0]["tokens"]["value"].as_f64() > Some(400.0), "{}", arms[0]);
    assert!(against["detectable"].as_f64().is_some_and(|least| least > 0.1), "{against}");
    assert!(against["p_adjusted"].as_f64() >= against["p"].as_f64());
    has(&report["cautions"].to_string(), "Controls without a budget");
    let text = place.rebut_exits(0, &["stats", "--full"]).stdout;
    has(&text, "Debate against its controls");
    has(&text, "would be detected");
}

#[test]
fn c3_statistics_of_rehearsals_state_no_power() {
    let place = place(12, "arms: [self_consistency, single]\n");
    place.run_exits(0, &["--rehearse", "job.yaml"]);
    let told = place.rebut_exits(0, &["stats", "--full", "--include-rehearsals"]);
    has(&told.stdout, "Debate against its controls");
    lacks(&told.stdout, &["would be detected", "To detect"]);
}

#[test]
fn c3_a_control_that_spends_otherwise_is_not_matched() {
    // Two samples at the most, of a budget for many.
    let place = place(3, "arms: [self_consistency]\nmatch: {max_samples: 2}\n");
    place.run_exits(0, &["job.yaml"]);
    let text = place.rebut_exits(0, &["stats", "--full"]).stdout;
    has(&text, "Not matched: self-consistency spent");
    assert!(text.starts_with("Findings from 3 debates and 3 controls on 3 topics"), "{text}");
    let report: Value =
        serde_json::from_str(&place.rebut_exits(0, &["stats", "--format", "json"]).stdout)
            .expect("JSON");
    assert_eq!(report["answers"]["compared"][0]["matched"], json!(false));
    assert!(!report["headlines"].to_string().contains("beat"), "no claim without a match");
}

/// The id that a place's debate has, with no control's.
fn debate_of(place: &Place) -> Value {
    by_arm(place).remove("debate").expect("a debate").remove(0)
}

/// The records to which the place's control is matched.
fn matched_to(place: &Place) -> Value {
    by_arm(place)["self_consistency"][0]["plan"]["budget"]["records"].clone()
}

fn stats(place: &Place) -> Value {
    let told = place.rebut_exits(0, &["stats", "--format", "json"]).stdout;
    serde_json::from_str(&told).expect("JSON")
}

/// A place whose debate has an emergency reply, and whose control is matched to that.
fn degraded() -> Place {
    let place = place(1, "arms: [self_consistency]\n");
    place.server.script(|call| {
        if is(call, "*/statement/*") { Answer::status(400, "no") } else { reply(call) }
    });
    place.run_exits(1, &["job.yaml"]);
    place.server.script(reply);
    place
}

#[test]
fn c3_a_control_of_a_debate_that_was_retried_is_stale_until_it_is_run_again() {
    let place = degraded();
    let (before, then) = (debate_of(&place), matched_to(&place));
    let id = before["id"].as_str().expect("an id");
    place.run_exits(0, &["job.yaml", "--retry", "degraded", "--only", &id[..12]]);
    assert_eq!(matched_to(&place), then, "only the debate was asked for");
    let found = stats(&place);
    assert_eq!(found["answers"]["arms"][1]["stale"], 1);
    assert_eq!(found["answers"]["arms"][1]["strict"]["n"], 0);
    let compared = &found["answers"]["compared"][0];
    assert_eq!(compared["stale"], 1);
    assert_eq!(compared["unmatched"], 0);
    assert_eq!(compared["difference"]["n"], 0);
    has(&found["cautions"].to_string(), "Outdated: 1 answer of self-consistency is matched");
    let ended = place.run_exits(0, &["job.yaml"]);
    has(&ended.stderr, "1 control run again");
    assert_ne!(matched_to(&place), then);
    assert_eq!(debate_of(&place)["id"], before["id"]);
    assert_eq!(stats(&place)["answers"]["compared"][0]["difference"]["n"], 1);
    let asked = place.server.chats().len();
    place.run_exits(0, &["job.yaml"]);
    assert_eq!(place.server.chats().len(), asked, "nothing is stale any more");
}

#[test]
fn c3_a_retry_runs_the_controls_of_what_it_changes_again() {
    let place = degraded();
    let then = matched_to(&place);
    place.run_exits(0, &["job.yaml", "--retry", "degraded"]);
    assert_ne!(matched_to(&place), then);
    assert_eq!(stats(&place)["answers"]["arms"][1]["stale"], 0);
}

#[test]
fn c3_tokens_are_told_by_job_and_cell() {
    // One cell takes two samples at the most, of a budget for many; over both, the mean is not told.
    let place = place(3, "arms: [self_consistency]\n");
    place.write(
        "other.yaml",
        &format!("{JOB}arms: [self_consistency]\nseed: 7\nmatch: {{max_samples: 2}}\n"),
    );
    place.run_exits(0, &["job.yaml", "other.yaml"]);
    let found = stats(&place);
    let cells = found["answers"]["arms"][1]["cells"].as_array().expect("cells");
    let matched: Vec<(&Value, &Value)> =
        cells.iter().map(|it| (&it["job"], &it["matched"])).collect();
    assert_eq!(matched, [(&json!("job"), &json!(true)), (&json!("other"), &json!(false))]);
    assert_eq!(found["answers"]["compared"][0]["matched"], json!(false));
    has(&found["cautions"].to_string(), "in other (1 of 2 settings are off)");
}

#[test]
fn c4_a_retried_debate_keeps_the_key_that_it_was_graded_by() {
    let place = degraded();
    place.write("fixed.jsonl", &questions(1).replace("\"answer\":\"A\"", "\"answer\":\"B\""));
    let id = debate_of(&place)["id"].as_str().expect("an id").to_owned();
    place.rebut_exits(0, &["grade", &id, "--questions", "fixed.jsonl"]);
    let graded = |trace: &Value| {
        let answers = trace["answers"].as_array().expect("answers");
        let last = answers.last().expect("an answer");
        let key = &trace["plan"]["question"]["expected"]["choice"];
        (key.clone(), last["correct"].clone(), trace["status"].clone())
    };
    assert_eq!(graded(&debate_of(&place)), (json!(1), json!(false), json!("degraded")));
    place.run_exits(0, &["job.yaml", "--retry", "degraded", "--only", &id[..12]]);
    assert_eq!(graded(&debate_of(&place)), (json!(1), json!(false), json!("done")));
}

#[test]
fn c4_a_key_from_a_file_of_another_name_leaves_questions_what_they_are() {
    let place = place(2, "arms: [single]\n");
    place.run_exits(0, &["job.yaml"]);
    place.write("fixed.jsonl", &questions(2).replace("\"answer\":\"A\"", "\"answer\":\"B\""));
    let debate = debate_of(&place);
    place.rebut_exits(
        0,
        &["grade", debate["id"].as_str().expect("an id"), "--questions", "fixed.jsonl"],
    );
    let found = stats(&place);
    let compared = &found["answers"]["compared"][0];
    assert_eq!((&compared["difference"]["n"], &compared["unmatched"]), (&json!(2), &json!(0)));
}

#[test]
fn c3_debates_and_controls_of_a_question_are_in_one_shard() {
    let place =
        place(8, "assign: correct_vs_distractor\nswap: true\narms: [single, self_consistency]\n");
    for shard in ["1/3", "2/3", "3/3"] {
        place.run_exits(0, &["--rehearse", "job.yaml", "--shard", shard]);
    }
    let counts: Vec<usize> = by_arm(&place).values().map(Vec::len).collect();
    assert_eq!(counts, [16, 8, 8]);
}

#[test]
fn c3_what_controls_need_is_told() {
    let refused = |more: &str, told: &str| {
        let place = place(1, more);
        has(&place.rebut_exits(2, &["check", "job.yaml"]).stderr, told);
    };
    refused("arms: [votes]\n", "arms");
    refused("match: {within: 0.2}\n", "`match` needs `arms`");
    refused("arms: [vote]\nmatrix: {arm: [vote]}\n", "`arm` cannot vary inside a job");
    let place = Place::new();
    place.write("job.yaml", "format: duel\ntopic: Should trams be free?\narms: [vote]\n");
    has(&place.rebut_exits(2, &["check", "job.yaml"]).stderr, "`arms` needs `questions`");
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[test]
fn c4_a_grading_killed_at_any_operation_on_a_file_is_mended_by_the_same_command() {
    let first = place(1, "");
    first.run_exits(0, &["job.yaml"]);
    let fixed = questions(1).replace("\"answer\":\"A\"", "\"answer\":\"B\"");
    first.write("fixed.jsonl", &fixed);
    let before = first.path().join("before");
    harness::copy(&first.path().join("output"), &before);
    let grade = ["grade", "output", "--questions", "fixed.jsonl"];
    let ended = first.injected(&grade, "");
    assert_eq!(ended.code, 0, "{}", ended.said());
    let kills = first.kills();
    assert!(kills.len() > 20, "{}", kills.len());
    let kills: Vec<String> = kills.into_iter().step_by(4).collect();
    let files = |place: &Place| {
        let mut files = harness::blanked(&place.debates()[0]);
        // A cache, and what its replacement had begun: the next writer removes that.
        files.retain(|name, _| !name.starts_with("facts.json") && !name.ends_with(".new"));
        files
    };
    let expected = files(&first);
    harness::each(&kills, |kill| {
        let place = Place::new();
        place.write("fixed.jsonl", &fixed);
        harness::copy(&before, &place.path().join("output"));
        place.injected(&grade, kill);
        place.rebut_exits(0, &grade);
        assert_eq!(files(&place), expected, "{kill}");
    });
}
