//! Rows T1 to T7, and dialectic's part of E1: the dialectic format, played with scripted replies.

use std::collections::BTreeMap;
use std::path::PathBuf;

use mock_ollama::{Answer, Call, Card as Installed, MockOllama};
use rebut::journal::Entry;
use serde_json::{Value, json};

use crate::harness::{
    Files, Place, blanked, entries_of, incidents, json_lines, keys, list, name_of, read, round_of,
    trace_in, with_job,
};

const JOB: &str = "format: dialectic\nquery: Should a town make its buses free for everyone?\nretrieval: null\nallow_explicit: true\n";

/// What a call is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Proposal,
    Critique,
    Synthesis,
    Score,
    Clerk,
}

fn part(call: &Call) -> Part {
    let text = call.text();
    match call.schema() {
        Some(schema) if schema["properties"].get("justification").is_some() => Part::Score,
        Some(_) => Part::Clerk,
        None if text.contains("You test the answer of") => Part::Critique,
        None if text.contains("you write its final answer") => Part::Synthesis,
        None => Part::Proposal,
    }
}

/// Replies as a good model gives them: one critical point a round, every point accepted, none resolved.
fn good(call: &Call) -> Answer {
    match part(call) {
        Part::Proposal => Answer::text(format!("{}My answer is yes.", accepted(call))),
        Part::Critique => Answer::text("🔴 logical_gap: a step is missing.\nQuality score: 5/10"),
        Part::Synthesis => {
            Answer::text("Answer: yes.\nReasoning: it helps.\nConfidence: low.\nOpen points: none.")
        }
        Part::Score => score(7, false),
        Part::Clerk => Answer::shaped(),
    }
}

/// A line for each point that a prompt lists.
fn accepted(call: &Call) -> String {
    let line = |n: &u64| format!("ACCEPT {n}: it is so.\n");
    listed(call).iter().map(line).collect()
}

/// The numbers of the points that a prompt lists, in its order.
fn listed(call: &Call) -> Vec<u64> {
    let text = call.text();
    let points = text
        .lines()
        .filter_map(|line| line.strip_prefix("- Point "));
    points
        .filter_map(|rest| rest.split(' ').next()?.parse().ok())
        .collect()
}

fn score(all: u64, finetune: bool) -> Answer {
    scores([all; 4], finetune)
}

/// Scores of clarity, completeness, correctness and depth.
fn scores([clarity, completeness, correctness, depth]: [u64; 4], finetune: bool) -> Answer {
    let scores = json!({"clarity": clarity, "completeness": completeness, "correctness": correctness, "depth": depth});
    Answer::json(
        &json!({"justification": "It answers the question.", "scores": scores, "would_benefit_from_finetune": finetune}),
    )
}

/// A place whose critiques say this in each round.
fn criticised(job: &str, critique: impl Fn(u64) -> String + Send + Sync + 'static) -> Place {
    let place = with_job(job);
    place.server.script(move |call| match part(call) {
        Part::Critique => Answer::text(critique(round_of(call))),
        _ => good(call),
    });
    place
}

/// The trace of a debate whose critiques say this in each round.
fn played(job: &str, critique: impl Fn(u64) -> String + Send + Sync + 'static) -> Value {
    criticised(job, critique).trace_of(job, &[])
}

fn rounds(n: u32) -> String {
    format!("{JOB}min_rounds: {n}\nmax_rounds: {n}\n")
}

fn details(trace: &Value) -> &Value {
    &trace["outcome"]["details"]
}

fn calls_for(place: &Place, wanted: Part) -> Vec<Call> {
    let chats = place.server.chats();
    chats
        .into_iter()
        .filter(|call| part(call) == wanted)
        .collect()
}

#[test]
fn t1_three_to_five_rounds_each_role_at_its_own_temperature() {
    let place = criticised(JOB, |_| "🔴 logical_gap: a step is missing.".to_owned());
    let trace = place.trace_of(JOB, &[]);
    let settings = &trace["plan"]["settings"];
    assert_eq!(
        json!([
            settings["min_rounds"],
            settings["max_rounds"],
            settings["early_stop_score"]
        ]),
        json!([3, 5, 8])
    );
    assert_eq!(trace["record"]["total_rounds"], 5);
    let temperature = |part| calls_for(&place, part)[0].option("temperature").cloned();
    assert_eq!(temperature(Part::Proposal), Some(json!(0.7)));
    assert_eq!(temperature(Part::Critique), Some(json!(0.8)));
    assert_eq!(temperature(Part::Synthesis), Some(json!(0.5)));
    assert_eq!(temperature(Part::Score), Some(json!(0.7)));
}

#[test]
fn t1_a_temperature_for_all_goes_before_the_roles_and_ones_own_before_that() {
    let job =
        rounds(1) + "defaults: {temperature: 0.2, model: mistral}\nskeptic: {temperature: 1.1}\n";
    let place = with_job(&job);
    place.server.script(good);
    let trace = place.trace_of(&job, &[]);
    let temperatures: Vec<&Value> = trace["participants"]
        .as_array()
        .expect("participants")
        .iter()
        .map(|p| &p["sampling"]["temperature"])
        .collect();
    assert_eq!(json!(temperatures), json!([0.2, 1.1, 0.2, 0.2, 0.2]));
    let models = json!({"proposer": "mistral", "skeptic": "mistral", "synthesizer": "mistral", "embedding": null});
    assert_eq!(trace["record"]["models"], models);
}

#[test]
fn t1_a_shipped_job_names_the_models_of_the_source() {
    let job = read(&root().join("jobs/machine-consciousness.yaml"));
    assert!(job.contains("qwen3:32b") && job.contains("llama3.3:70b"));
    let place = Place::new();
    for name in ["dialectic", "machine-consciousness"] {
        let path = root().join(format!("jobs/{name}.yaml"));
        let ended = place.rebut(&["check", "--rehearse", &path.display().to_string()]);
        assert_eq!(ended.code, 0, "{}{}", ended.stdout, ended.stderr);
    }
    let path = root().join("templates/jobs/dialectic.yaml");
    let ended = place.rebut(&["check", "--rehearse", &path.display().to_string()]);
    assert_eq!(ended.code, 0, "{}{}", ended.stdout, ended.stderr);
}

#[test]
fn m3_no_shipped_job_asks_a_model_for_more_context_than_it_was_trained_for() {
    let of = |(name, context): (&str, u64)| Installed::new(name).context(context);
    let cards = [
        ("llama3", 8192),
        ("mistral", 8192),
        ("qwen3:32b", 40_960),
        ("llama3.3:70b", 131_072),
        ("nomic-embed-text", 2048),
    ];
    let place = Place::with(MockOllama::builder().models(cards.map(of)).start());
    let checked = |args: &[&str]| {
        let ended = place.rebut(&[&["check"], args].concat());
        assert_eq!(ended.code, 0, "{args:?}: {}{}", ended.stdout, ended.stderr);
        let said = ended.stdout + &ended.stderr;
        assert!(!said.contains("was trained for"), "{args:?}: {said}");
    };
    for folder in ["jobs", "templates/jobs"] {
        for path in list(&root().join(folder)).iter().filter(|p| p.is_file()) {
            checked(&[&path.to_string_lossy()]);
        }
    }
    // What the job says for smaller machines.
    let path = root().join("jobs/machine-consciousness.yaml");
    let job = read(&path);
    let command = job
        .split("rebut run jobs/machine-consciousness.yaml")
        .nth(1);
    let words = command.expect("a command").split_whitespace();
    let words: Vec<&str> = words
        .take_while(|word| *word != "format:")
        .filter(|word| !["#", "\\"].contains(word))
        .collect();
    assert_eq!(words.len(), 2 * 6, "{words:?}");
    checked(&[&[&*path.to_string_lossy()], &words[..]].concat());
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Answers embeddings so that these templates are at these cosines to the query and the others at none.
fn at_cosines(place: &Place, near: &'static [(&'static str, f64)]) {
    let at = |text: &str| {
        if text.starts_with("search_query: ") {
            return 1.0;
        }
        let titled = |title: &str| text.starts_with(&format!("search_document: {title}"));
        near.iter()
            .find(|(title, _)| titled(title))
            .map_or(0.0, |(_, cosine)| *cosine)
    };
    let vector = move |text: &Value| {
        let cosine = at(text.as_str().expect("text"));
        vec![cosine, (1.0 - cosine * cosine).sqrt()]
    };
    place.server.intercept(move |call| {
        let texts = call.body["input"].as_array()?;
        let vectors: Vec<Vec<f64>> = texts.iter().map(vector).collect();
        Some(Answer::embeddings(&vectors))
    });
}

/// A place with an embedding model.
fn embedding() -> Place {
    let cards = ["llama3", "mistral", "nomic-embed-text"].map(Installed::new);
    let place = Place::with(MockOllama::builder().models(cards).start());
    place.server.script(good);
    place
}

const RETRIEVING: &str = "format: dialectic\nquery: Should a town make its buses free for everyone?\nallow_explicit: true\nmin_rounds: 2\nmax_rounds: 2\n";

#[test]
fn t2_the_nearest_templates_go_into_the_first_proposal_and_nowhere_else() {
    let place = embedding();
    at_cosines(
        &place,
        &[
            ("Base rates", 0.7),
            ("Diagnosis", 0.64),
            ("Costs and benefits", 0.9),
        ],
    );
    let trace = place.trace_of(RETRIEVING, &[]);
    let used = json!(["cost-benefit", "base-rates"]);
    assert_eq!(trace["record"]["templates_used"], used);
    assert_eq!(trace["record"]["models"]["embedding"], "nomic-embed-text");
    let shown = |call: &Call| call.last_message().contains("Plan \"Costs and benefits");
    let chats = place.server.chats();
    let with_plans: Vec<(Part, u64)> = chats
        .iter()
        .filter(|call| shown(call))
        .map(|call| (part(call), round_of(call)))
        .collect();
    assert_eq!(with_plans, [(Part::Proposal, 1)]);
    let introduction = trace["statements"][0]["text"].as_str().expect("text");
    assert!(!introduction.contains("Cost"), "{introduction}");
    let facts = trace["outcome"]["facts"].to_string();
    assert!(facts.contains("Costs and benefits"), "{facts}");
    let by_purpose = &trace["usage"]["by_purpose"]["embed"];
    assert_eq!(by_purpose["calls"], 1, "{by_purpose}");
}

#[test]
fn t2_a_trace_says_the_same_whether_vectors_were_asked_for_or_kept_by_a_neighbour() {
    let place = embedding();
    at_cosines(&place, &[("Base rates", 0.7)]);
    place.write("job.yaml", &format!("{RETRIEVING}repeat: 2\n"));
    assert_eq!(place.run(&["job.yaml", "--at-once", "1"]).code, 0);
    let embeds = |call: &&Call| call.path == "/api/embed";
    assert_eq!(place.server.calls().iter().filter(embeds).count(), 1);
    let [first, second] = [0, 1].map(|n| trace_in(&place.debates()[n]));
    for (one, other) in [
        (
            &first["usage"]["by_purpose"]["embed"],
            &second["usage"]["by_purpose"]["embed"],
        ),
        (&first["calls"][0], &second["calls"][0]),
    ] {
        let counted = |value: &Value| {
            let keys = [
                "calls",
                "failures",
                "call",
                "attempt",
                "outcome",
                "prompt_tokens",
            ];
            keys.map(|key| value[key].clone())
        };
        assert_eq!(counted(one), counted(other));
    }
    assert_eq!(first["calls"][0]["call"], "retrieval");
    let tokens = &first["usage"]["by_purpose"]["embed"]["prompt_tokens"];
    assert!(tokens.as_u64() > Some(1000), "of all templates: {tokens}");
}

#[test]
fn t2_without_a_near_template_or_embeddings_the_debate_goes_on_and_says_so() {
    let place = embedding();
    at_cosines(&place, &[("Diagnosis", 0.64)]);
    let far = place.trace_of(RETRIEVING, &[]);
    assert_eq!(far["status"], "done");
    assert_eq!(far["record"]["templates_used"], json!([]));
    assert!(incidents(&far, "retrieval").is_empty());

    let place = with_job(RETRIEVING);
    place.server.script(good);
    let none = place.trace_of(RETRIEVING, &[]);
    assert_eq!(none["status"], "done");
    assert_eq!(incidents(&none, "retrieval").len(), 1);
    for trace in [&far, &none] {
        let facts = trace["outcome"]["facts"].to_string();
        assert!(facts.contains("Reasoning templates\",\"none: "), "{facts}");
    }
}

#[test]
fn t2_null_turns_retrieval_off() {
    let place = with_job(&rounds(1));
    place.server.script(good);
    let trace = place.trace_of(&rounds(1), &[]);
    assert!(
        place
            .server
            .calls()
            .iter()
            .all(|call| call.path != "/api/embed")
    );
    assert_eq!(trace["record"]["templates_used"], json!([]));
    assert_eq!(trace["plan"]["settings"]["retrieval"], Value::Null);
}

#[test]
fn t3_points_are_numbered_on_and_the_next_prompts_list_them_critical_first() {
    let place = criticised(&rounds(3), |round| match round {
        1 => "🟢 edge_case: 99. nobody rides.\n🔴 logical_gap: a step is missing.".to_owned(),
        2 => "✅ 2: settled.\n🟡 weak evidence: none is given.".to_owned(),
        _ => "🔴 hidden_assumption: all want it.".to_owned(),
    });
    let trace = place.trace_of(&rounds(3), &[]);
    let critiques = details(&trace)["critiques"].as_array().expect("critiques");
    let points = |round: usize| critiques[round]["points"].clone();
    assert_eq!(
        points(0),
        json!([
            {"n": 1, "severity": "minor", "strategy": "edge_case", "text": "99. nobody rides."},
            {"n": 2, "severity": "critical", "strategy": "logical_gap", "text": "a step is missing."},
        ])
    );
    assert_eq!(
        points(1),
        json!([{"n": 3, "severity": "major", "strategy": "weak_evidence", "text": "none is given."}])
    );
    assert_eq!(points(2)[0]["n"], 4);
    assert_eq!(
        critiques[1]["resolutions"],
        json!([{"n": 2, "resolution": "resolved"}])
    );
    let asked: Vec<Vec<u64>> = calls_for(&place, Part::Proposal)
        .iter()
        .map(listed)
        .collect();
    assert_eq!(asked, [vec![], vec![2, 1], vec![3, 1]]);
    let tested: Vec<Vec<u64>> = calls_for(&place, Part::Critique)
        .iter()
        .map(listed)
        .collect();
    assert_eq!(tested, asked, "the skeptic is shown the same");
    assert_eq!(details(&trace)["open"], json!([1, 3, 4]));
}

#[test]
fn t3_a_revised_proposal_answers_each_point_and_unanswered_ones_are_counted() {
    let job = rounds(2);
    let place = with_job(&job);
    place
        .server
        .script(|call| match (part(call), round_of(call)) {
            (Part::Critique, 1) => {
                Answer::text("🔴 one is wrong.\n🟡 two is wrong.\n🟢 three is wrong.")
            }
            (Part::Proposal, 2) => Answer::text(
                "ACCEPT 1: it is so.\n**DEFEND 3** – it is not.\nMy answer is still yes.",
            ),
            _ => good(call),
        });
    let trace = place.trace_of(&job, &[]);
    assert_eq!(
        details(&trace)["answers"],
        json!([{"round": 2, "accepted": [1], "defended": [3], "unanswered": [2]}])
    );
    assert_eq!(details(&trace)["unanswered"], 1);
    let told = incidents(&trace, "unanswered");
    assert_eq!(told.len(), 1);
    assert_eq!(told[0]["call"], "round-2/statement/proposer");
    assert!(
        told[0]["message"]
            .as_str()
            .expect("text")
            .ends_with("DEFEND: 2"),
        "{told:?}"
    );
    assert_eq!(trace["status"], "done");
}

#[test]
fn t3_resolutions_are_read_with_and_without_the_variation_selector() {
    let trace = played(&rounds(2), |round| match round {
        1 => "🔴 one.\n🔴 two.\n🔴 three.\n🔴 four.".to_owned(),
        _ => "⚠️ 1: better.\n⚠ 2: better.\n❌ 3: no.\n✅ 4: yes.\n✅ 9: there is none.".to_owned(),
    });
    let second = &details(&trace)["critiques"][1];
    let resolutions = json!([
        {"n": 1, "resolution": "partial"},
        {"n": 2, "resolution": "partial"},
        {"n": 3, "resolution": "unresolved"},
        {"n": 4, "resolution": "resolved"},
    ]);
    assert_eq!(second["resolutions"], resolutions);
    assert_eq!(second["unknown_resolutions"], 1);
    let facts = trace["outcome"]["facts"].to_string();
    let standing = "1 resolved, 2 partly resolved, 1 unresolved, 0 not mentioned again, 0 raised in the last round";
    assert!(facts.contains(standing), "{facts}");
}

#[test]
fn t3_points_of_the_last_round_are_not_counted_as_forgotten() {
    let trace = played(&rounds(2), |round| match round {
        1 => "🔴 one.\n🔴 two.".to_owned(),
        _ => "✅ 1: yes.\n🔴 three.\n🟡 four.\n🟢 five.".to_owned(),
    });
    let facts = trace["outcome"]["facts"].to_string();
    let standing = "1 resolved, 0 partly resolved, 0 unresolved, 1 not mentioned again, 3 raised in the last round";
    assert!(facts.contains(standing), "{facts}");
}

#[test]
fn t3_a_single_open_point_is_spoken_of_as_one() {
    let asked = |critique: &'static str| {
        let place = criticised(&rounds(2), move |_| critique.to_owned());
        place.trace_of(&rounds(2), &[]);
        calls_for(&place, Part::Proposal)[1].text()
    };
    let one = asked("🔴 one.");
    assert!(one.contains("ACCEPT or DEFEND for point 1, then"), "{one}");
    let two = asked("🔴 one.\n🔴 two.");
    assert!(
        two.contains("ACCEPT or DEFEND for each of the points 1, 2, then"),
        "{two}"
    );
}

/// The attempts of the critique in a job of one round, whose first reply has no mark, and the trace.
fn repaired(second: &'static str) -> (Vec<Call>, Value) {
    let job = rounds(1);
    let place = with_job(&job);
    place.server.script(move |call| match part(call) {
        Part::Critique if call.text().contains("That reply was not taken") => Answer::text(second),
        Part::Critique => Answer::text("I like the answer very much."),
        _ => good(call),
    });
    let trace = place.trace_of(&job, &[]);
    (calls_for(&place, Part::Critique), trace)
}

#[test]
fn t3_a_critique_without_a_mark_is_asked_for_once_more() {
    let (calls, trace) = repaired("🟡 edge_case: nobody rides.");
    assert_eq!(calls.len(), 2);
    assert!(
        calls[1]
            .last_message()
            .contains("no line begins with a mark: 🔴")
    );
    assert_eq!(
        trace["record"]["rounds"][0]["skeptic"],
        "🟡 edge_case: nobody rides."
    );
    assert_eq!(incidents(&trace, "rejection").len(), 1);
    assert!(incidents(&trace, "unmarked").is_empty());
    assert_eq!(details(&trace)["critiques"][0]["marked"], true);
}

#[test]
fn t3_a_critique_that_stays_without_a_mark_stands_as_unmarked() {
    let (calls, trace) = repaired("I still like it.");
    assert_eq!(calls.len(), 2);
    let critique = &trace["statements"][2];
    assert_eq!(critique["text"], "I still like it.");
    assert_eq!(critique["objections"].as_array().map(Vec::len), Some(1));
    assert_eq!(incidents(&trace, "unmarked").len(), 1);
    assert_eq!(details(&trace)["critiques"][0]["marked"], false);
    assert_eq!(trace["status"], "done");
}

#[test]
fn t3_a_critique_of_nothing_but_the_signal_needs_no_mark() {
    let signal = "Quality score: 8/10\nReady for Synthesis ✅";
    let trace = played(&rounds(2), |_| signal.to_owned());
    assert!(incidents(&trace, "rejection").is_empty());
    assert_eq!(trace["record"]["total_rounds"], 1);
}

/// Rounds, whether it stopped early, why, and the quality score.
fn ending(trace: &Value) -> Value {
    let record = &trace["record"];
    json!([
        record["total_rounds"],
        record["early_stopped"],
        details(trace)["stopped_by"],
        record["quality_score"]
    ])
}

#[test]
fn t4_a_good_answer_without_an_open_critical_point_ends_the_debate_in_any_round() {
    let good = "🟡 a step is missing.\nQuality score: 8.5/10";
    assert_eq!(
        ending(&played(JOB, |_| good.to_owned())),
        json!([1, true, "ready", 8.5])
    );
    let settled = |round| match round {
        1 => "🔴 a step is missing.\nQuality score: 9/10".to_owned(),
        _ => "✅ 1: it is there now.\nQuality score: 8/10".to_owned(),
    };
    assert_eq!(
        ending(&played(JOB, settled)),
        json!([2, true, "ready", 8.0])
    );
}

#[test]
fn t4_the_skeptics_signal_ends_nothing_beside_an_open_critical_point() {
    let trace = played(JOB, |round| match round {
        1 => "🔴 a step is missing.\nQuality score: 8.5/10\nReady for Synthesis ✅".to_owned(),
        _ => "❌ 1: nothing has changed.\nQuality score: 9/10\nReady for Synthesis ✅".to_owned(),
    });
    assert_eq!(ending(&trace), json!([5, false, "max_rounds", 9.0]));
    assert_eq!(
        details(&trace)["critiques"][0]["ready"],
        true,
        "the signal is kept"
    );
    let unscored = played(JOB, |_| "🟢 a word.\nReady for Synthesis ✅".to_owned());
    assert_eq!(ending(&unscored), json!([3, true, "no_critical", null]));
}

#[test]
fn t4_no_open_critical_point_ends_it_from_min_rounds_on() {
    let trace = played(JOB, |_| "🟡 a step is missing.".to_owned());
    assert_eq!(ending(&trace), json!([3, true, "no_critical", null]));
    let trace = played(JOB, |round| match round {
        4 => "✅ 1, 2 and 3: settled.".to_owned(),
        _ => "🔴 a step is missing.\nQuality score: 6/10".to_owned(),
    });
    assert_eq!(ending(&trace), json!([4, true, "no_critical", 6.0]));
    let decided = trace["outcome"]["decided_by"].as_str().expect("text");
    assert!(
        decided.starts_with("No critical point was open after round 4."),
        "{decided}"
    );
    let partly = played(JOB, |round| match round {
        1 => "🔴 a step is missing.".to_owned(),
        _ => "⚠️ 1: better.\n🟡 a word.".to_owned(),
    });
    assert_eq!(ending(&partly), json!([5, false, "max_rounds", null]));
}

#[test]
fn t4_a_critique_without_any_mark_never_ends_it_early() {
    let trace = played(JOB, |_| "I like it.".to_owned());
    assert_eq!(ending(&trace), json!([5, false, "max_rounds", null]));
    let trace = played(JOB, |round| match round {
        1 => "🔴 a step is missing.".to_owned(),
        _ => "❌ 1 🔴: nothing has changed.".to_owned(),
    });
    assert_eq!(ending(&trace), json!([5, false, "max_rounds", null]));
}

#[test]
fn t5_one_answer_from_the_whole_debate() {
    let place = criticised(&rounds(2), |round| format!("🔴 critique {round} is this."));
    let trace = place.trace_of(&rounds(2), &[]);
    let synthesis = trace["statements"]
        .as_array()
        .and_then(|all| all.last())
        .expect("one");
    assert_eq!(
        json!([synthesis["by"], synthesis["phase"]]),
        json!(["synthesizer", "synthesis"])
    );
    assert_eq!(trace["outcome"]["final_text"], synthesis["n"]);
    assert_eq!(trace["record"]["final_answer"], synthesis["text"]);
    let prompt = calls_for(&place, Part::Synthesis)[0].text();
    for text in [
        "My answer is yes.",
        "critique 1 is this",
        "critique 2 is this",
        "Answer:",
        "Reasoning:",
        "Confidence:",
        "Open points:",
    ] {
        assert!(prompt.contains(text), "{text} is missing in {prompt}");
    }
    let judged = calls_for(&place, Part::Score)[0].text();
    assert!(
        judged.contains("> Answer: yes.\n") && !judged.contains("critique 1 is this"),
        "{judged}"
    );
}

#[test]
fn t5_without_a_synthesis_the_debate_is_degraded_and_not_scored() {
    let job = rounds(1);
    let place = with_job(&job);
    place.server.script(|call| match part(call) {
        Part::Synthesis => Answer::text(""),
        _ => good(call),
    });
    let trace = place.trace_of(&job, &[]);
    assert_eq!(trace["status"], "degraded");
    let record = &trace["record"];
    assert_eq!(
        json!([record["final_answer"], record["auto_score"]]),
        json!([null, null])
    );
    assert_eq!(trace["outcome"]["line"], "No final answer after 1 round");
    assert_eq!(trace["outcome"]["final_text"], Value::Null);
    assert!(calls_for(&place, Part::Score).is_empty());
}

#[test]
fn t5_a_synthesis_without_its_parts_is_repaired_once_then_degrades_the_debate() {
    let synthesis = |replies: Vec<&'static str>| {
        let place = with_job(&rounds(1));
        let asked = std::sync::atomic::AtomicUsize::new(0);
        place.server.script(move |call| match part(call) {
            Part::Synthesis => {
                let n = asked.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
                Answer::text(replies[n.min(replies.len() - 1)])
            }
            _ => good(call),
        });
        (
            place.trace_of(&rounds(1), &[]),
            calls_for(&place, Part::Synthesis),
        )
    };
    let whole = "**Answer:** Yes, they should.\n\n**Reasoning:** It helps.\n\n**Confidence:** High.\n\n**Open points:** none.";
    let (trace, calls) = synthesis(vec!["Yes, they should.", whole]);
    assert_eq!(trace["status"], "done", "{}", trace["cause"]);
    assert_eq!(
        trace["outcome"]["line"],
        "Yes, they should. (confidence high, auto-score 7.00)"
    );
    assert!(
        calls[1]
            .last_message()
            .contains("it lacks the parts Answer, Reasoning, Confidence and Open points"),
        "{}",
        calls[1].last_message()
    );
    let (trace, calls) = synthesis(vec!["Yes, they should.\nConfidence: high."]);
    assert_eq!(
        (trace["status"].as_str(), calls.len()),
        (Some("degraded"), 2)
    );
    let cause = trace["cause"].as_str().expect("a cause");
    assert!(
        cause.contains("it lacks the parts Answer, Reasoning and Open points"),
        "{cause}"
    );
    assert_eq!(
        trace["outcome"]["line"],
        "Yes, they should. Confidence: high. (confidence high, auto-score 7.00)"
    );
}

#[test]
fn t6_judges_score_the_answer_and_the_arithmetic_is_ours() {
    let job = rounds(1) + "judges: [{name: Ada}, {name: Ben}, {name: Cy}]\n";
    let place = with_job(&job);
    place.server.script(|call| match part(call) {
        Part::Score if call.text().contains("You are Ada") => scores([10, 8, 6, 4], true),
        Part::Score if call.text().contains("You are Ben") => scores([5, 5, 5, 5], false),
        Part::Score => scores([6, 8, 10, 10], true),
        _ => good(call),
    });
    let trace = place.trace_of(&job, &[]);
    let auto_score = &trace["record"]["auto_score"];
    // Ada 7.0, Ben 5.0, Cy 8.7.
    assert_eq!(auto_score["score"], 6.9);
    assert_eq!(
        auto_score["breakdown"],
        json!({"clarity": 7.0, "completeness": 7.0, "correctness": 7.0, "depth": 6.333333})
    );
    assert_eq!(auto_score["would_benefit_from_finetune"], true);
    let said = auto_score["justification"].as_str().expect("text");
    assert!(
        said.starts_with("Ada: It answers the question.\nBen: "),
        "{said}"
    );
    assert_eq!(
        trace["outcome"]["line"],
        "yes. (confidence low, auto-score 6.90)"
    );
    assert_eq!(
        json!([
            trace["outcome"]["winner"],
            trace["outcome"]["rests_on"],
            trace["verdicts"][0]["winner"]
        ]),
        json!([null, null, null])
    );
}

#[test]
fn t6_without_a_valid_judge_there_is_no_score() {
    let job = rounds(1);
    let place = with_job(&job);
    place.server.script(|call| match part(call) {
        Part::Score => Answer::text("10 of 10!"),
        _ => good(call),
    });
    let trace = place.trace_of(&job, &[]);
    assert_eq!(trace["status"], "degraded");
    assert_eq!(trace["record"]["auto_score"], Value::Null);
    assert_eq!(
        trace["record"]["final_answer"].as_str().map(|a| &a[..7]),
        Some("Answer:")
    );
    assert_eq!(
        trace["outcome"]["line"],
        "yes. (confidence low, not scored)"
    );
}

#[test]
fn m2_an_emergency_proposal_is_not_criticised_and_the_next_one_is_a_first_answer() {
    let job = rounds(2);
    let place = with_job(&job);
    place
        .server
        .script(|call| match (part(call), round_of(call)) {
            (Part::Proposal, 1) => Answer::text(""),
            _ => good(call),
        });
    let trace = place.trace_of(&job, &[]);
    assert_eq!(trace["status"], "degraded");
    let rounds: Vec<u64> = calls_for(&place, Part::Critique)
        .iter()
        .map(round_of)
        .collect();
    assert_eq!(rounds, [2]);
    assert_eq!(trace["record"]["rounds"][0]["skeptic"], Value::Null);
    let proposals = calls_for(&place, Part::Proposal);
    let second = proposals
        .iter()
        .find(|call| round_of(call) == 2)
        .expect("a call");
    assert!(
        second
            .text()
            .contains("You answer the question of this debate")
    );
    assert_eq!(details(&trace)["answers"], json!([]));
}

#[test]
fn m2_an_emergency_critique_counts_for_nothing() {
    let place = with_job(JOB);
    place.server.script(|call| match part(call) {
        Part::Critique => Answer::text(""),
        _ => good(call),
    });
    let trace = place.trace_of(JOB, &[]);
    assert_eq!(trace["status"], "degraded");
    assert_eq!(ending(&trace), json!([5, false, "max_rounds", null]));
    assert_eq!(details(&trace)["critiques"], json!([]));
    let second = &calls_for(&place, Part::Proposal)[1];
    assert!(
        second
            .text()
            .contains("Skeptic could not reply in the last round")
    );
}

#[test]
fn t7_the_record_has_its_sources_keys() {
    let trace = played(&rounds(2), |_| "🔴 a step is missing.".to_owned());
    let record = &trace["record"];
    assert_eq!(
        keys(record),
        [
            "id",
            "timestamp",
            "query",
            "templates_used",
            "rounds",
            "final_answer",
            "total_rounds",
            "early_stopped",
            "quality_score",
            "user_rating",
            "auto_score",
            "models",
            "timing"
        ]
    );
    assert_eq!(keys(&record["rounds"][0]), ["round", "proposer", "skeptic"]);
    assert_eq!(
        keys(&record["models"]),
        ["proposer", "skeptic", "synthesizer", "embedding"]
    );
    assert_eq!(
        keys(&record["timing"]),
        ["total_ms", "rag_ms", "rounds_ms", "synthesis_ms"]
    );
    assert_eq!(
        keys(&record["auto_score"]),
        [
            "score",
            "breakdown",
            "justification",
            "would_benefit_from_finetune"
        ]
    );
    assert_eq!(record["timestamp"], trace["started_at"]);
    assert_eq!(
        record["query"],
        "Should a town make its buses free for everyone?"
    );
    assert_eq!(
        record["rounds"][1]["proposer"],
        "ACCEPT 1: it is so.\nMy answer is yes."
    );
    assert_eq!(record["rounds"][1]["skeptic"], "🔴 a step is missing.");
    assert_eq!(
        record["timing"]["rounds_ms"].as_array().map(Vec::len),
        Some(2)
    );
    assert_eq!(record["timing"]["rounds_ms"], trace["timing"]["rounds_ms"]);
    let id = record["id"].as_str().expect("text");
    let parts: Vec<usize> = id.split('-').map(str::len).collect();
    assert_eq!(parts, [8, 4, 4, 4, 12]);
    let of_debate = trace["id"].as_str().expect("an id");
    assert!(
        of_debate.starts_with(&id[..8]) && id[14..].starts_with('4'),
        "{id}"
    );
}

#[test]
fn t7_times_are_model_time_and_no_part_is_longer_than_the_whole() {
    let job = rounds(3).replace("retrieval: null\n", "")
        + "judges: [{name: Ada}, {name: Ben}, {name: Cy}]\n";
    let timed = || Place::new().trace_of(&job, &["--rehearse"])["record"]["timing"].clone();
    let timing = timed();
    let ms = |key: &str| {
        timing[key]
            .as_u64()
            .unwrap_or_else(|| panic!("{key}: {timing}"))
    };
    let rounds = timing["rounds_ms"].as_array().expect("rounds");
    let rounds: u64 = rounds.iter().filter_map(Value::as_u64).sum();
    let parts = ms("rag_ms") + rounds + ms("synthesis_ms");
    assert!(parts > 10_000 && parts < ms("total_ms"), "{timing}");
    assert!(
        ms("total_ms") < 2 * parts,
        "three judges count as one: {timing}"
    );
    assert_eq!(timing, timed());
}

#[test]
fn t6_the_judge_sees_question_and_answer_only() {
    let place = criticised(&rounds(1), |_| "🔴 a step is missing.".to_owned());
    place.trace_of(&rounds(1), &[]);
    let task = calls_for(&place, Part::Score)[0].last_message().to_owned();
    assert!(
        !task.contains("a step is missing"),
        "question and answer only: {task}"
    );
    let end = task
        .rsplit("answers this question: ")
        .next()
        .expect("the question");
    assert!(
        end.starts_with("Should a town make its buses free for everyone?"),
        "{end}"
    );
    let guides: Vec<&str> = task
        .lines()
        .filter(|line| line.contains(": 1 = "))
        .collect();
    assert_eq!(guides.len(), 4, "{task}");
    assert!(
        guides
            .iter()
            .all(|guide| guide.find(" 5 = ") < guide.find(" 10 = ")),
        "{guides:?}"
    );
}

#[test]
fn t7_a_failed_debate_keeps_what_it_reached() {
    let job = rounds(1) + "on_failure: abort\n";
    let place = with_job(&job);
    place.server.script(|call| match part(call) {
        Part::Synthesis => Answer::text(""),
        _ => good(call),
    });
    let trace = place.trace_of(&job, &[]);
    assert_eq!(trace["status"], "failed");
    let record = &trace["record"];
    assert_eq!(record["rounds"][0]["proposer"], "My answer is yes.");
    assert_eq!(
        json!([record["final_answer"], record["early_stopped"]]),
        json!([null, null])
    );
}

#[test]
fn e1_live_events_come_under_the_sources_names_too_and_are_not_logged() {
    let place = with_job(&rounds(1));
    place.server.script(good);
    let ended = place.run(&["job.yaml", "--json"]);
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    let events = json_lines(&ended.stdout);
    let named = |name: &str| -> Vec<&Value> {
        events
            .iter()
            .filter(|event| event["event"] == name)
            .collect()
    };
    let text = |name: &str| -> String {
        let all = named(name);
        all.iter()
            .map(|event| event["content"].as_str().expect("text"))
            .collect()
    };
    assert_eq!(text("proposer_chunk"), "My answer is yes.");
    assert!(text("skeptic_chunk").starts_with("🔴 logical_gap"));
    assert!(text("synthesis_chunk").starts_with("Answer: yes."));
    assert_eq!(named("synthesis_start").len(), 1);
    let chunk = named("proposer_chunk")[0];
    assert_eq!(
        json!([chunk["type"], chunk["round"]]),
        json!(["debate_event", 1])
    );
    let metadata = &chunk["metadata"];
    assert_eq!(
        json!([metadata["role"], metadata["model"], metadata["alias_of"]]),
        json!(["proposer", "llama3", "statement_chunk"])
    );
    assert_eq!(
        named("synthesis_start")[0]["metadata"]["alias_of"],
        "call_start"
    );
    assert!(!named("round_start").is_empty() && !named("complete").is_empty());
    let aliases = events
        .iter()
        .filter(|event| !event["metadata"]["alias_of"].is_null());
    assert!(aliases.clone().all(|event| event.get("seq").is_none()));
    let log = read(&place.debates()[0].join("events.jsonl"));
    assert!(!log.contains("_chunk") && !log.contains("synthesis_start"));
    assert!(!log.contains("alias_of"));
}

#[test]
fn e1_other_formats_have_no_aliases() {
    let place = with_job(crate::harness::TINY_JOB);
    let ended = place.run(&["job.yaml", "--json"]);
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    assert!(ended.stdout.contains("statement_chunk") && !ended.stdout.contains("alias_of"));
}

#[test]
fn j4_a_debate_killed_at_its_synthesis_ends_as_an_unbroken_one_and_asks_nothing_twice() {
    let job = rounds(1);
    let unbroken = with_job(&job);
    unbroken.server.script(good);
    assert_eq!(unbroken.run(&["job.yaml"]).code, 0);

    let place = with_job(&job);
    place.server.script(|call| match part(call) {
        Part::Synthesis => Answer::hang(),
        _ => good(call),
    });
    let mut child = place.spawn(&["job.yaml"]);
    let at_synthesis = |call: &Call| call.is_chat() && part(call) == Part::Synthesis;
    place
        .server
        .wait_until(|calls| calls.iter().any(at_synthesis));
    child.kill().expect("a kill");
    child.wait().expect("an end");
    place.server.script(good);
    assert_eq!(place.run(&["job.yaml"]).code, 0);

    assert_eq!(
        blanked(&place.debates()[0]),
        blanked(&unbroken.debates()[0])
    );
    let asked = place
        .server
        .chats()
        .into_iter()
        .filter(|call| part(call) != Part::Synthesis);
    assert!(asked.clone().all(|call| call.attempt_of_same_body == 1));
    assert_eq!(asked.count(), 4);
}

#[test]
fn j8_a_rehearsal_plays_every_path_and_writes_the_same_bytes_again() {
    let job = format!("{JOB}retrieval: {{threshold: 0.5}}\nrepeat: 20\n")
        .replace("retrieval: null\n", "");
    let rehearsed = || {
        let place = with_job(&job);
        assert_eq!(place.run(&["job.yaml", "--rehearse"]).code, 0);
        place
    };
    let (place, again) = (rehearsed(), rehearsed());
    let traces: Vec<Value> = place.debates().iter().map(|dir| trace_in(dir)).collect();
    assert_eq!(traces.len(), 20);
    let any = |holds: &dyn Fn(&Value) -> bool| traces.iter().any(holds);
    for stop in ["ready", "no_critical", "max_rounds"] {
        assert!(
            any(&|trace| details(trace)["stopped_by"] == stop),
            "no debate ends by {stop}"
        );
    }
    for kind in ["rejection", "unanswered"] {
        assert!(
            any(&|trace| !incidents(trace, kind).is_empty()),
            "no {kind}"
        );
    }
    assert!(traces.iter().all(|trace| trace["status"] == "done"));
    for trace in &traces {
        assert!(trace["record"]["auto_score"]["score"].is_number());
        assert_eq!(incidents(trace, "unmarked").len(), 0);
    }
    // Directories stand in the order of their times.
    let by_id = |place: &Place| -> BTreeMap<String, Files> {
        let debates = place.debates();
        let files = debates.iter().map(|dir| {
            let name = name_of(dir);
            (name[name.len() - 12..].to_owned(), blanked(dir))
        });
        files.collect()
    };
    assert!(by_id(&place) == by_id(&again));
}

/// A finished debate.
fn finished() -> Place {
    let place = with_job(&rounds(1));
    place.server.script(good);
    assert_eq!(place.run(&["job.yaml"]).code, 0);
    place
}

fn short_id(place: &Place) -> String {
    place.trace()["id"].as_str().expect("an id")[..12].to_owned()
}

/// The ratings in the journal of the only finished debate.
fn ratings(place: &Place) -> Vec<(String, Value)> {
    let journals = list(&place.path().join("output/.rebut/journals"));
    let entries = entries_of(&journals[0]);
    let rating = |entry| match entry {
        Entry::Reading(reading) if reading.name.starts_with("rating/") => {
            Some((reading.name, reading.value))
        }
        _ => None,
    };
    entries.into_iter().filter_map(rating).collect()
}

#[test]
fn t6_a_rating_is_kept_in_journal_and_trace_and_a_later_one_takes_its_place() {
    let place = finished();
    let before = place.trace();
    assert_eq!(before["record"]["user_rating"], Value::Null);
    let id = short_id(&place);
    let ended = place.rebut(&["rate", &id, "8"]);
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    assert!(
        ended.stdout.starts_with("rated 8 of 10: "),
        "{}",
        ended.stdout
    );
    let dir = place.debates()[0].display().to_string();
    assert_eq!(place.rebut(&["rate", &dir, "3"]).code, 0);
    let trace = place.trace();
    assert_eq!(trace["record"]["user_rating"], 3);
    assert_eq!(
        trace["labels"],
        json!([{"source": "user", "name": "rating", "value": 3}])
    );
    let both = [
        ("rating/user/1".to_owned(), json!(8)),
        ("rating/user/2".to_owned(), json!(3)),
    ];
    assert_eq!(ratings(&place), both);
    let mut others = trace.clone();
    others["labels"] = before["labels"].clone();
    others["record"]["user_rating"] = Value::Null;
    assert_eq!(others, before, "nothing else changes");

    assert_eq!(place.rebut(&["render", &dir]).code, 0);
    assert_eq!(place.rebut(&["index", "output"]).code, 0);
    assert_eq!(place.trace(), trace);
    let calls = place.rebut(&["show", &id, "calls"]);
    assert_eq!(
        (calls.code, calls.stdout.lines().count()),
        (0, 5),
        "{}",
        calls.stderr
    );
    assert_eq!(place.run(&["job.yaml"]).code, 0);
    assert_eq!(place.trace(), trace, "a finished debate is skipped");
}

#[test]
fn t6_debates_of_other_formats_are_rated_too() {
    let place = with_job(crate::harness::TINY_JOB);
    assert_eq!(place.run(&["job.yaml"]).code, 0);
    assert_eq!(place.rebut(&["rate", &short_id(&place), "10"]).code, 0);
    let trace = place.trace();
    assert_eq!(trace["labels"][0]["value"], 10);
    assert!(trace["record"].get("user_rating").is_none());
}

#[test]
fn t6_what_cannot_be_rated_is_said() {
    let place = finished();
    let id = short_id(&place);
    for (args, expected) in [
        ([id.as_str(), "0"], "0 is not in 1..=10"),
        ([id.as_str(), "11"], "11 is not in 1..=10"),
        (
            ["ffff", "5"],
            "there is no finished debate `ffff` in output",
        ),
    ] {
        let ended = place.rebut(&[&["rate"], &args[..]].concat());
        assert_eq!(ended.code, 2);
        assert!(ended.stderr.contains(expected), "{}", ended.stderr);
    }
    assert_eq!(ratings(&place), []);
    std::fs::remove_dir_all(place.path().join("output/.rebut/journals")).expect("removed");
    let ended = place.rebut(&["rate", &id, "5"]);
    assert_eq!(ended.code, 2);
    assert!(
        ended.stderr.contains("is gone: a rating is kept there"),
        "{}",
        ended.stderr
    );
    assert_eq!(place.trace()["labels"], json!([]));
}

#[test]
fn t6_a_debate_that_is_not_finished_cannot_be_rated() {
    let place = with_job(&rounds(1));
    place.server.script(|call| match part(call) {
        Part::Synthesis => Answer::hang(),
        _ => good(call),
    });
    let mut child = place.spawn(&["job.yaml"]);
    place.server.wait_until(|calls| {
        calls
            .iter()
            .any(|call| call.is_chat() && part(call) == Part::Synthesis)
    });
    let id = name_of(&place.running_journal());
    let ended = place.rebut(&["rate", &id[..12], "5"]);
    child.kill().expect("a kill");
    child.wait().expect("an end");
    assert_eq!(ended.code, 2);
    assert!(ended.stderr.contains("is not finished"), "{}", ended.stderr);
}

#[test]
fn t6_a_rating_that_was_cut_off_is_mended_by_giving_it_again() {
    let place = finished();
    let (id, dir) = (short_id(&place), place.debates()[0].clone());
    let trace = read(&dir.join("trace.json"));
    assert_eq!(place.rebut(&["rate", &id, "6"]).code, 0);
    let rated = read(&dir.join("trace.json"));
    // Killed behind the journal's line, and then in the middle of the next one.
    std::fs::write(dir.join("trace.json"), trace).expect("written");
    let journal = &list(&place.path().join("output/.rebut/journals"))[0];
    let torn = read(journal) + "{\"kind\":\"reading\",\"name\":\"rating/us";
    std::fs::write(journal, torn).expect("written");
    std::fs::remove_file(dir.join("summary.md")).expect("removed");
    assert_eq!(place.rebut(&["rate", &id, "6"]).code, 0);
    assert_eq!(read(&dir.join("trace.json")), rated);
    assert!(dir.join("summary.md").exists());
    assert_eq!(ratings(&place).len(), 2);
}

#[test]
fn t6_a_retried_debate_loses_its_rating() {
    let job = rounds(1);
    let place = with_job(&job);
    place.server.script(|call| match part(call) {
        Part::Synthesis => Answer::text(""),
        _ => good(call),
    });
    assert_eq!(place.run(&["job.yaml"]).code, 1);
    assert_eq!(place.rebut(&["rate", &short_id(&place), "2"]).code, 0);
    place.server.script(good);
    assert_eq!(place.run(&["job.yaml", "--retry", "degraded"]).code, 0);
    let trace = place.trace();
    assert_eq!(
        json!([
            trace["status"],
            trace["labels"],
            trace["record"]["user_rating"]
        ]),
        json!(["done", [], null])
    );
    assert_eq!(ratings(&place), []);

    // Also where no call is to be asked again.
    assert_eq!(place.rebut(&["rate", &short_id(&place), "9"]).code, 0);
    let index = place.debates()[0].join("index.md");
    let failed = read(&index).replace("status: \"done\"", "status: \"failed\"");
    std::fs::write(&index, failed).expect("written");
    assert_eq!(place.run(&["job.yaml", "--retry", "failed"]).code, 0);
    assert_eq!(place.trace()["labels"], json!([]));
    assert_eq!(ratings(&place), []);
}

#[test]
fn t6_a_debate_that_is_being_retried_is_rated_afterwards() {
    let place = finished();
    let id = place.trace()["id"].as_str().expect("an id").to_owned();
    let journals = place.path().join("output/.rebut");
    let begun = journals.join(format!("running/{id}.jsonl"));
    std::fs::copy(journals.join(format!("journals/{id}.jsonl")), &begun).expect("a copy");
    let dir = place.debates()[0].display().to_string();
    let ended = place.rebut(&["rate", &dir, "5"]);
    assert_eq!(ended.code, 2);
    assert!(
        ended.stderr.contains("is being retried"),
        "{}",
        ended.stderr
    );
    // Where only the last rename of a publication is missing, that is made up for.
    std::fs::rename(journals.join(format!("journals/{id}.jsonl")), &begun).expect("renamed");
    assert_eq!(place.rebut(&["rate", &dir, "5"]).code, 0);
    assert_eq!(ratings(&place).len(), 1);
}
