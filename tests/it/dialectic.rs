//! Rows T1 to T7, and dialectic's part of E1: the dialectic format, played with scripted replies.

mod critiques;

use std::collections::BTreeMap;
use std::path::PathBuf;

use mock_ollama::{Answer, Call, Card as Installed, Gate, MockOllama};
use rebut::facts::Facts;
use rebut::journal::Entry;
use rebut::trace::Trace;
use serde_json::{Value, json};

use crate::harness::{
    Files, Place, Played, TINY_JOB, blanked, entries_of, has, has_all, incidents, is, json_lines,
    keys, lacks, list, name_of, read, round_of, row, shows, trace_in, with_job,
};

const JOB: &str = "format: dialectic\nquery: Should a town make its buses free for everyone?\nretrieval: null\nallow_explicit: true\n";

const PROPOSALS: &str = "*/statement/proposer";
const CRITIQUES: &str = "*/statement/skeptic";
const SYNTHESIS: &str = "end/synthesis/*";
const SCORES: &str = "end/verdict*";
const COMPARISONS: &str = "end/compare*";

/// A critique in its form: how earlier points stand, the severities of new ones, and the quality.
fn critique(earlier: &[(u64, &str)], new: &[&str], quality: u64) -> Answer {
    let earlier = earlier.iter().map(|(id, status)| {
        json!({"id": id, "remains": format!("Point {id} is {status}."), "status": status})
    });
    let new = new.iter().map(|severity| {
        json!({
            "attack": "logical_gap", "claim": "\"My answer is yes.\"", "fault": format!("A {severity} step is missing."),
            "mend": "Show the step.", "severity": severity,
        })
    });
    let (earlier, new): (Vec<Value>, Vec<Value>) = (earlier.collect(), new.collect());
    Answer::json(&json!({"earlier": earlier, "new": new, "quality": quality, "ready": quality > 7}))
}

/// A comparison by which the first answer or the final one is better, whichever stands first.
fn better(call: &Call, which: &str) -> Answer {
    let text = call.last_message();
    let first_is_1 = text.find("> My answer is yes.") < text.find("> How sure: ");
    let better = match which {
        "equal" => "equal",
        "first" if first_is_1 => "text_1",
        "final" if !first_is_1 => "text_1",
        _ => "text_2",
    };
    Answer::json(&json!({"because": "It names what the other leaves out.", "better": better}))
}

/// Replies as a good model gives them: one critical point a round, every point accepted, none resolved, and a final answer
/// that is better than the first.
fn good(call: &Call) -> Option<Answer> {
    const ANSWER: &str = "Answer: yes.\nReasoning: it helps.\nConfidence: low.\nOpen points: none.";
    if is(call, PROPOSALS) {
        return Some(Answer::text(format!("{}My answer is yes.", accepted(call))));
    }
    let replies = [
        (CRITIQUES, critique(&[], &["critical"], 5)),
        (COMPARISONS, better(call, "final")),
        (SYNTHESIS, Answer::text(ANSWER)),
        (SCORES, scores([7; 4], false)),
    ];
    row(&replies, call)
}

/// A line for each point that a prompt lists.
fn accepted(call: &Call) -> String {
    let line = |n: &u64| format!("ACCEPT {n}: it is so.\n");
    listed(call).iter().map(line).collect()
}

/// The numbers of the points that a prompt lists, in its order.
fn listed(call: &Call) -> Vec<u64> {
    let text = call.text();
    let points = text.lines().filter_map(|it| it.strip_prefix("- Point "));
    let number = |rest: &str| rest.split(' ').next()?.parse().ok();
    points.filter_map(number).collect()
}

/// Scores of clarity, completeness, correctness and depth.
fn scores([clarity, completeness, correctness, depth]: [u64; 4], finetune: bool) -> Answer {
    let scores = json!({"clarity": clarity, "completeness": completeness, "correctness": correctness, "depth": depth});
    Answer::json(
        &json!({"justification": "It answers the question.", "scores": scores, "would_benefit_from_finetune": finetune}),
    )
}

/// A place whose models are good but where the table says otherwise.
fn place_of<const N: usize>(job: &str, replies: [(&'static str, Answer); N]) -> Place {
    let place = with_job(job);
    place.reply_by(move |call| row(&replies, call).or_else(|| good(call)));
    place
}

/// The debate of such a place.
fn played<const N: usize>(job: &str, replies: [(&'static str, Answer); N]) -> Played {
    place_of(job, replies).played(job)
}

/// A debate whose critiques say this round by round, the last of which stays.
fn criticised(job: &str, critiques: &'static [&'static str]) -> Played {
    let place = with_job(job);
    place.reply_by(move |call| {
        let round = round_of(call) as usize;
        let said = critiques.get(round.wrapping_sub(1)).or(critiques.last());
        let critique = is(call, CRITIQUES).then(|| said.map(|it| Answer::text(*it)));
        critique.flatten().or_else(|| good(call))
    });
    place.played(job)
}

fn rounds(n: u32) -> String {
    format!("{JOB}min_rounds: {n}\nmax_rounds: {n}\n")
}

fn details(debate: &Played) -> &Value {
    &debate.json["outcome"]["details"]
}

#[test]
fn t1_three_to_five_rounds_each_role_at_its_own_temperature() {
    let debate = criticised(JOB, &["🔴 logical_gap: a step is missing."]);
    shows!(debate, {
        "plan/settings/min_rounds": 3, "plan/settings/max_rounds": 5,
        "plan/settings/early_stop_score": 8, "record/total_rounds": 5,
    });
    for (calls, temperature) in
        [(PROPOSALS, 0.7), (CRITIQUES, 0.8), (SYNTHESIS, 0.5), (SCORES, 0.2)]
    {
        let asked = &debate.asked(calls)[0];
        assert_eq!(asked.option("temperature"), Some(&json!(temperature)), "{calls}");
    }
}

#[test]
fn t1_a_temperature_for_all_goes_before_the_roles_and_ones_own_before_that() {
    let job =
        rounds(1) + "defaults: {temperature: 0.2, model: mistral}\nskeptic: {temperature: 1.1}\n";
    let debate = played(&job, []);
    let temperatures = debate.participants.iter().map(|p| &p.sampling["temperature"]);
    assert_eq!(
        temperatures.collect::<Vec<_>>(),
        [0.2, 1.1, 0.2, 0.2, 0.2].map(|it| json!(it)).iter().collect::<Vec<_>>()
    );
    shows!(debate, {
        "record/models":
            {"proposer": "mistral", "skeptic": "mistral", "synthesizer": "mistral", "embedding": null},
    });
}

#[test]
fn t1_a_shipped_job_names_the_models_of_the_source() {
    has_all(&read(&root().join("jobs/machine-consciousness.yaml")), &["qwen3:32b", "llama3.3:70b"]);
    let place = Place::new();
    for job in ["jobs/dialectic", "jobs/machine-consciousness", "templates/jobs/dialectic"] {
        let path = root().join(format!("{job}.yaml"));
        let ended = place.rebut(&["check", "--rehearse", &path.display().to_string()]);
        assert_eq!(ended.code, 0, "{}{}", ended.stdout, ended.stderr);
    }
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
        let ended = place.rebut(&[&["check", "--limit", "48"], args].concat());
        // 1 for a model that is not there, such as a judge of another family.
        assert!(ended.code < 2, "{args:?}: {}{}", ended.stdout, ended.stderr);
        let said = ended.stdout + &ended.stderr;
        assert!(!said.contains("was trained for"), "{args:?}: {said}");
    };
    for folder in ["jobs", "templates/jobs"] {
        let is_job = |path: &&PathBuf| path.extension().is_some_and(|it| it == "yaml");
        for path in list(&root().join(folder)).iter().filter(is_job) {
            checked(&[&path.to_string_lossy()]);
        }
    }
    // What the job says for smaller machines.
    let path = root().join("jobs/machine-consciousness.yaml");
    let job = read(&path);
    let command = job.split("rebut run jobs/machine-consciousness.yaml").nth(1);
    let words: Vec<&str> = command
        .expect("a command")
        .split_whitespace()
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
        near.iter().find(|(title, _)| titled(title)).map_or(0.0, |(_, cosine)| *cosine)
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
    place.reply_by(good);
    place
}

const RETRIEVING: &str = "format: dialectic\nquery: Should a town make its buses free for everyone?\nallow_explicit: true\nmin_rounds: 2\nmax_rounds: 2\n";

#[test]
fn t2_the_nearest_templates_go_into_the_first_proposal_and_nowhere_else() {
    let place = embedding();
    at_cosines(&place, &[("Base rates", 0.7), ("Diagnosis", 0.64), ("Costs and benefits", 0.9)]);
    let debate = place.played(RETRIEVING);
    let chats = debate.place.server.chats().into_iter();
    let shown = chats.filter(|it| it.last_message().contains("Plan \"Costs and benefits"));
    let names: Vec<String> = shown.map(|it| it.name()).collect();
    assert_eq!(names, ["round-1/statement/proposer#1"]);
    shows!(debate, {
        "record/templates_used": ["cost-benefit", "base-rates"],
        "record/models/embedding": "nomic-embed-text", "statements/0/text lacks": "Cost",
        "outcome/facts contains": "Costs and benefits", "usage/by_purpose/embed/calls": 1,
    });
}

#[test]
fn t2_a_trace_says_the_same_whether_vectors_were_asked_for_or_kept_by_a_neighbour() {
    let place = embedding();
    at_cosines(&place, &[("Base rates", 0.7)]);
    place.write("job.yaml", &format!("{RETRIEVING}repeat: 2\n"));
    assert_eq!(place.run(&["job.yaml", "--concurrency", "1"]).code, 0);
    let embeds = |call: &&Call| call.path == "/api/embed";
    assert_eq!(place.server.calls().iter().filter(embeds).count(), 1);
    let [first, second] = [0, 1].map(|n| trace_in(&place.debates()[n]));
    for key in ["calls", "failures", "prompt_tokens"] {
        let used = [&first, &second].map(|trace| &trace["usage"]["by_purpose"]["embed"][key]);
        assert_eq!(used[0], used[1], "{key}");
    }
    for key in ["call", "attempt", "outcome", "prompt_tokens"] {
        assert_eq!(first["calls"][0][key], second["calls"][0][key], "{key}");
    }
    assert_eq!(first["calls"][0]["call"], "retrieval");
    let tokens = &first["usage"]["by_purpose"]["embed"]["prompt_tokens"];
    assert!(tokens.as_u64() > Some(1000), "of all templates: {tokens}");
}

#[test]
fn t2_without_a_near_template_or_embeddings_the_debate_goes_on_and_says_so() {
    let place = embedding();
    at_cosines(&place, &[("Diagnosis", 0.64)]);
    let far = place.played(RETRIEVING);
    let none = played(RETRIEVING, []);
    for (debate, incidents) in [(&far, 0), (&none, 1)] {
        shows!(debate, {
            "status": "done", "record/templates_used": [],
            "outcome/facts contains": "Ways of reasoning that the proposer was offered\",\"none (",
        });
        assert_eq!(debate.incidents("retrieval").len(), incidents);
    }
}

#[cfg(unix)]
#[test]
fn b3_a_batch_counts_the_embeddings_of_what_it_left_and_the_next_one_does_not() {
    let place = embedding();
    let refused = |call: &Call| call.body["input"].is_array();
    place
        .server
        .intercept(move |call| refused(call).then(|| Answer::status(400, "no vectors today")));
    let gate = Gate::new();
    let held = gate.clone();
    place.reply_by(move |call| Some(good(call)?.after(held.clone())));
    place.write("job.yaml", RETRIEVING);
    let run = place.start(&["job.yaml"]);
    place.server.wait_for_chats(1);
    run.signal("-INT");
    gate.open();
    run.ends().exits(130);
    let failures = || {
        let mut files = list(&place.path().join("output/batches"));
        files.retain(|it| it.extension().is_some_and(|it| it == "json"));
        let last = read(files.last().expect("a summary"));
        let summary: Value = serde_json::from_str(&last).expect("JSON");
        summary["models"]["nomic-embed-text"]["failures"].clone()
    };
    assert_eq!(failures(), 1);
    place.run_exits(0, &["job.yaml"]);
    assert_eq!(failures(), Value::Null);
}

#[test]
fn t2_null_turns_retrieval_off() {
    let debate = played(&rounds(1), []);
    let calls = debate.place.server.calls();
    assert!(calls.iter().all(|call| call.path != "/api/embed"));
    shows!(debate, {"record/templates_used": [], "plan/settings/retrieval": null});
}

#[test]
fn t3_points_are_numbered_on_and_the_next_prompts_list_them_critical_first() {
    let debate = criticised(
        &rounds(3),
        &[
            "🟢 edge_case: 99. nobody rides.\n🔴 logical_gap: a step is missing.",
            "✅ 2: settled.\n🟡 weak evidence: none is given.",
            "🔴 hidden_assumption: all want it.",
        ],
    );
    shows!(details(&debate), {
        "critiques/0/points": [1, 2], "critiques/1/points": [3], "critiques/2/points": [4],
        "ledger/0/severity": "minor", "ledger/0/strategy": "edge_case", "ledger/0/text": "99. nobody rides.",
        "ledger/1/severity": "critical", "ledger/1/strategy": "logical_gap", "ledger/1/text": "a step is missing.",
        "ledger/2/severity": "major", "ledger/2/strategy": "weak_evidence", "ledger/2/text": "none is given.",
        "critiques/1/resolutions": [{"n": 2, "resolution": "resolved"}],
        "open": [1, 3, 4],
    });
    // The skeptic is shown the same.
    for calls in [PROPOSALS, "*/statement/skeptic#1"] {
        let asked: Vec<Vec<u64>> = debate.asked(calls).iter().map(listed).collect();
        assert_eq!(asked, [vec![], vec![2, 1], vec![3, 1]], "{calls}");
    }
}

#[test]
fn t3_a_revised_proposal_answers_each_point_and_unanswered_ones_are_counted() {
    let critique = "🔴 one is wrong.\n🟡 two is wrong.\n🟢 three is wrong.\n🟢 four is wrong.";
    let answer =
        "ACCEPT 1: it is so.\n**DEFEND 3** – it is not.\nPARTLY 4: half.\nMy answer is still yes.";
    let debate = played(
        &rounds(2),
        [
            ("round-1/statement/skeptic", Answer::text(critique)),
            ("round-2/statement/proposer", Answer::text(answer)),
        ],
    );
    shows!(debate, {
        "outcome/details/answers": [{"round": 2, "accepted": [1], "partly_accepted": [4], "defended": [3], "unanswered": [2]}],
        "outcome/details/unanswered": 1, "status": "done",
    });
    let told = debate.incidents("unanswered");
    assert_eq!(told.len(), 1);
    shows!(told[0], {"call": "round-2/statement/proposer"});
    assert!(
        told[0].message.ends_with("neither accepts nor defends 1 open point of the skeptic: 2"),
        "{told:?}"
    );
}

#[test]
fn t3_what_is_missing_is_asked_for_once_more_by_name_and_told_if_it_stays_out() {
    const LINE: &str = "it has no line with ACCEPT, PARTLY or DEFEND for point 2";
    let first = || critique(&[], &["critical", "major"], 5);
    let some = Answer::text("ACCEPT 1: it is so.\nMy answer is still yes.");
    let stays = played(
        &rounds(2),
        [
            ("round-1/statement/skeptic", first()),
            ("round-2/statement/proposer", some.clone()),
            ("round-2/statement/skeptic", critique(&[], &[], 6)),
        ],
    );
    let again = |debate: &Played, call: &str| debate.asked(call)[1].last_message().to_owned();
    let told = format!("That reply was not taken: {LINE}. Do the same task again");
    has(&again(&stays, "round-2/statement/proposer"), &told);
    let told = "That reply cannot be used: it has no entry for points 1 and 2. Reply again with";
    has(&again(&stays, "round-2/statement/skeptic"), told);
    assert_eq!(stays.count("round-2/statement/*"), 4, "each is asked once more, not twice");
    let index = read(&stays.place.debates()[0].join("index.md"));
    has_all(
        &index,
        &[&format!("kept although {LINE}"), "kept although it has no entry for points 1"],
    );
    let comes = played(
        &rounds(2),
        [
            ("round-1/statement/skeptic", first()),
            ("round-2/statement/proposer#1", some),
            ("round-2/statement/skeptic#1", critique(&[(2, "resolved")], &[], 6)),
            ("round-2/statement/skeptic", critique(&[(1, "partial"), (2, "resolved")], &[], 6)),
        ],
    );
    shows!(comes, {
        "outcome/details/unanswered": 0, "outcome/details/ledger/0/status": "partial",
        "statements/3/objections": null, "statements/4/objections": null,
    });
    let index = read(&comes.place.debates()[0].join("index.md"));
    has(&index, "first reply discarded: it has no entry for point 1");
}

#[test]
fn t3_a_defence_that_the_skeptic_rejects_is_no_full_answer() {
    let answer = "DEFEND 1: it is not so.\nDEFEND 2: nor that.\nMy answer is still yes.";
    let debate = played(
        &rounds(2),
        [
            ("round-1/statement/skeptic", Answer::text("🔴 one.\n🔴 two.")),
            ("round-2/statement/proposer", Answer::text(answer)),
            ("round-2/statement/skeptic", Answer::text("✅ 1: yes.\n❌ 2: no.")),
        ],
    );
    let trace: Trace = serde_json::from_value(debate.json.clone()).expect("a trace");
    let facts = Facts::from_trace(&trace).expect("facts");
    let mut people = facts.people.iter();
    let proposer = people.find(|person| &*person.id == "proposer");
    let others = proposer.and_then(|it| it.argued).expect("notes").others;
    assert_eq!((others.faced, others.answered), (2, 1));
}

#[test]
fn a2_a_question_of_several_sentences_is_in_the_index_and_where_there_is_room_whole() {
    let first = "Should a town of about three hundred thousand people make its buses and its trams free of charge for everyone who rides on them?";
    let second = "If so, who should pay for it in the first ten years, and what should be left undone for that?";
    let job = rounds(1)
        .replace("Should a town make its buses free for everyone?", &format!("{first} {second}"));
    let debate = played(&job, []);
    let dir = debate.place.debates().remove(0);
    assert_eq!(debate.json["topic"], first);
    has(&read(&dir.join("index.md")), &format!("\n**The question in full:** {first} {second}\n"));
    let path = dir.to_string_lossy().into_owned();
    let show = |more: &[&str]| {
        let words = [&["show", path.as_str()], more].concat();
        debate.place.rebut_exits(0, &words).stdout
    };
    has(&show(&[]), &format!("\n── The question in full\n\n  {first} {second}\n"));
    has(&show(&["--budget", "200"]), first);
    has(&show(&["--budget", "2000"]), &format!("{first} {second}\n"));
}

#[test]
fn t3_resolutions_are_read_with_and_without_the_variation_selector() {
    let debate = criticised(
        &rounds(2),
        &[
            "🔴 one.\n🔴 two.\n🔴 three.\n🔴 four.",
            "⚠️ 1: better.\n⚠ 2: better.\n❌ 3: no.\n✅ 4: yes.\n✅ 9: there is none.",
        ],
    );
    shows!(debate, {
        "outcome/details/critiques/1/resolutions": [
            {"n": 1, "resolution": "partial"}, {"n": 2, "resolution": "partial"},
            {"n": 3, "resolution": "unresolved"}, {"n": 4, "resolution": "resolved"},
        ],
        "outcome/details/critiques/1/unknown_resolutions": 1,
        "outcome/facts contains": "1 resolved, 2 resolved in part, 1 not resolved",
    });
}

#[test]
fn t3_points_of_the_last_round_are_not_counted_as_forgotten() {
    let critiques = &["🔴 one.\n🔴 two.", "✅ 1: yes.\n🔴 three.\n🟡 four.\n🟢 five."];
    shows!(criticised(&rounds(2), critiques), {
        "outcome/facts contains": "1 resolved, 1 not mentioned again, 3 raised in the last round",
    });
}

#[test]
fn t3_a_single_open_point_is_spoken_of_as_one() {
    let asked = |critiques| criticised(&rounds(2), critiques).asked(PROPOSALS)[1].text();
    has_all(
        &asked(&["🔴 one."]),
        &["ACCEPT, PARTLY or DEFEND for point 1, then", "Use at most 30 words for this line. "],
    );
    let two = asked(&["🔴 one.\n🔴 two."]);
    let ends = "ACCEPT, PARTLY or DEFEND for each of points 1 and 2, then";
    let lines = "Use at most 60 words for these lines together. Settled points need no line.\n";
    // What they take is not taken from the answer: of 580 words for both, it has those that are left.
    let rest = "Use at most 520 words for this answer, so 580 words in all, and end with a whole sentence.\n";
    has_all(&two, &[ends, lines, rest]);
    // The gravest is listed first, and the numbers that must not be forgotten are counted up.
    has(&asked(&["🟡 one.\n🔴 two."]), ends);
    // Lines never take more than a third.
    let many = asked(&["🔴 one.\n🔴 two.\n🔴 three.\n🔴 four.\n🔴 five.\n🔴 six.\n🔴 seven."]);
    has_all(&many, &["Use at most 190 words for these lines", "Use at most 390 words for this"]);
}

/// As those of a debate that began before anything was asked for again.
#[test]
fn t3_templates_without_words_for_what_is_missing_let_replies_stand() {
    let some = Answer::text("ACCEPT 1: it is so.\nMy answer is still yes.");
    let place = place_of(
        &rounds(2),
        [
            ("round-1/statement/skeptic", critique(&[], &["critical", "major"], 5)),
            ("round-2/statement/proposer", some),
        ],
    );
    place.write("mine/prompts/dialectic/missing.md.j2", "");
    let trace = place.trace_of(&rounds(2), &["--templates", "mine"]);
    assert_eq!(place.asked("round-2/statement/*").len(), 2);
    assert_eq!(trace["outcome"]["details"]["unanswered"], 1);
}

/// A debate of one round whose critique has no mark, and then says this.
fn repaired(second: &str) -> Played {
    let debate = played(
        &rounds(1),
        [
            ("*/statement/skeptic#1", Answer::text("I like the answer very much.")),
            (CRITIQUES, Answer::text(second)),
        ],
    );
    assert_eq!(debate.count(CRITIQUES), 2);
    debate
}

#[test]
fn t3_a_critique_without_form_or_marks_is_asked_for_once_more() {
    let debate = repaired("🟡 edge_case: nobody rides.");
    has(
        &debate.asked(CRITIQUES)[1].last_message(),
        "That reply cannot be used: there is no JSON object in it.",
    );
    shows!(debate, {
        "record/rounds/0/skeptic": "🟡 edge_case: nobody rides.", "statements/2/read_as": ["prose"],
        "outcome/details/critiques/0/marked": true, "status": "done",
    });
    assert_eq!(debate.incidents("repair").len(), 1);
}

#[test]
fn m2_no_usable_critique_after_the_repair_is_an_emergency_that_ends_nothing() {
    let debate = ends(&["I like it."], (5, false, "max_rounds", None));
    shows!(debate, {
        "statements/2/origin": "emergency", "outcome/details/critiques": [], "status": "degraded",
    });
    assert_eq!(debate.count("round-1/statement/skeptic"), 2);
    has(&debate.asked(PROPOSALS)[1].text(), "Skeptic could not reply in the last round");
}

#[test]
fn t3_a_critique_of_nothing_but_the_signal_needs_no_mark() {
    let debate = criticised(&rounds(2), &["Quality score: 8/10\nReady for Synthesis ✅"]);
    assert!(debate.incidents("repair").is_empty());
    shows!(debate, {"record/total_rounds": 1});
}

/// Sees how a debate with these critiques ends: rounds, whether it stopped early, why, and the quality score.
#[track_caller]
fn ends(critiques: &'static [&'static str], expected: (u32, bool, &str, Option<f64>)) -> Played {
    let debate = criticised(JOB, critiques);
    let (rounds, early, by, score) = expected;
    shows!(debate, {
        "record/total_rounds": rounds, "record/early_stopped": early,
        "outcome/details/stopped_by": by, "record/quality_score": score,
    });
    debate
}

#[test]
fn t4_a_good_answer_without_an_open_critical_point_ends_the_debate_in_any_round() {
    let good = &["🟡 a step is missing.\nQuality score: 8.5/10"];
    ends(good, (1, true, "ready", Some(8.5)));
    let settled = &[
        "🔴 a step is missing.\nQuality score: 9/10",
        "✅ 1: it is there now.\nQuality score: 8/10",
    ];
    ends(settled, (2, true, "ready", Some(8.0)));
}

#[test]
fn t4_the_skeptics_signal_ends_nothing_beside_an_open_critical_point() {
    let critiques = &[
        "🔴 a step is missing.\nQuality score: 8.5/10\nReady for Synthesis ✅",
        "❌ 1: nothing has changed.\nQuality score: 9/10\nReady for Synthesis ✅",
    ];
    let debate = ends(critiques, (5, false, "max_rounds", Some(9.0)));
    assert_eq!(details(&debate)["critiques"][0]["signalled"], true, "the signal is kept");
    let unscored = &["🟢 a word.\nReady for Synthesis ✅"];
    ends(unscored, (3, true, "no_critical", None));
}

#[test]
fn t4_no_open_critical_point_ends_it_from_min_rounds_on() {
    ends(&["🟡 a step is missing."], (3, true, "no_critical", None));
    const MISSING: &str = "🔴 a step is missing.\nQuality score: 6/10";
    let settled = &[MISSING, MISSING, MISSING, "✅ 1, 2 and 3: settled."];
    let debate = ends(settled, (4, true, "no_critical", Some(6.0)));
    shows!(debate, {"outcome/decided_by starts": "No critical point was open after round 4 of at most 5."});
    let partly = &["🔴 a step is missing.", "⚠️ 1: better.\n🟡 a word."];
    ends(partly, (5, false, "max_rounds", None));
}

#[test]
fn t4_the_outcome_says_whether_the_debate_ended_early_and_which_points_were_open() {
    const GOOD: &str = "🟡 a step is missing.\n🟢 a word.\n🟢 a comma.\nQuality score: 8/10";
    const BAD: &str = "🔴 a step is missing.";
    let ends = |critiques, rounds: u32, told: &str| {
        let job = format!("{JOB}min_rounds: 1\nmax_rounds: {rounds}\n");
        has(&criticised(&job, critiques).json["outcome"]["decided_by"], told);
    };
    let open = "Open when the skeptic last spoke: point 1 (major), points 2 and 3 (minor).";
    let only = "The debate ran its only round; the skeptic then gave the draft 8 of 10 and had no critical point open. The skeptic did not call it ready.";
    ends(&[GOOD], 1, &format!("{only} {open}"));
    ends(&[GOOD], 2, "because the skeptic marked the last draft 8 of 10 (8 is enough)");
    let full = "The debate ran its full 2 rounds";
    let all = format!("{full}; no critical point was open then. All points");
    ends(&[BAD, "✅ 1: it is there."], 2, &all);
    ends(&[BAD], 2, &format!("{full}. Open when"));
}

#[test]
fn t4_a_critical_point_that_is_not_resolved_keeps_it_going() {
    let unchanged = &["🔴 a step is missing.", "❌ 1 🔴: nothing has changed."];
    ends(unchanged, (5, false, "max_rounds", None));
}

#[test]
fn t5_one_answer_from_the_whole_debate() {
    let critiques = &["🔴 critique 1 is this.", "🔴 critique 2 is this."];
    let debate = criticised(&rounds(2), critiques);
    let synthesis = debate.statements.last().expect("one");
    shows!(synthesis, {"by": "synthesizer", "phase": "synthesis"});
    shows!(debate, {
        "outcome/final_text": synthesis.n, "record/final_answer": synthesis.text,
    });
    has_all(
        &debate.asked(SYNTHESIS)[0].text(),
        &[
            "My answer is yes.",
            "critique 1 is this",
            "critique 2 is this",
            "Answer:",
            "Reasoning:",
            "Confidence:",
            "Open points:",
        ],
    );
    let judged = debate.asked(SCORES)[0].text();
    has(&judged, "> Answer: yes.\n");
    lacks(&judged, &["critique 1 is this"]);
}

/// In the record, points of earlier rounds have no numbers.
#[test]
fn t5_what_is_open_is_listed_in_its_words_before_the_answer_is_written() {
    let critiques =
        &["🔴 critique 1 is this.", "❌ 1 🔴: nothing has changed.\n🟡 critique 2 is this."];
    let text = criticised(&rounds(2), critiques).asked(SYNTHESIS)[0].text();
    let (_, open) = text.split_once("Points still open at the end:").expect("a list");
    has_all(open, &["critique 1 is this", "critique 2 is this"]);
    has(
        open,
        ", not resolved. What remains: 1 🔴: nothing has changed. It was raised on the answer",
    );
    has(open, " Proposer accepted it in round 2.\n");
    assert_eq!(open.matches("accepted it").count(), 1, "{open}");
}

#[test]
fn t5_without_a_synthesis_the_debate_is_degraded_and_not_scored() {
    let debate = played(&rounds(1), [(SYNTHESIS, Answer::text(""))]);
    shows!(debate, {
        "status": "degraded", "record/final_answer": null, "record/auto_score": null,
        "outcome/line": "No final answer after 1 round", "outcome/final_text": null,
    });
    assert_eq!(debate.count(SCORES), 0);
}

#[test]
fn t5_an_index_tells_a_long_first_sentence_of_the_answer_once() {
    let index = |first: &str| {
        let answer =
            format!("Answer: {first}\nReasoning: it helps.\nConfidence: low.\nOpen points: none.");
        let debate = played(&rounds(1), [(SYNTHESIS, Answer::text(&answer))]);
        read(&debate.place.debates()[0].join("index.md"))
    };
    let long =
        "The city should keep its fares, ".to_owned() + &"for buses and for trams, ".repeat(12);
    let long = index(&format!("{long}as they are."));
    has(&long, "**Outcome:** The city should keep its fares, for buses");
    lacks(&long, &["**[Answer]"]);
}

#[test]
fn t5_a_synthesis_without_its_parts_is_repaired_once_then_degrades_the_debate() {
    let whole = "**Answer:** Yes, they should.\n\n**Reasoning:** It helps.\n\n**Confidence:** High.\n\n**Open points:** none.";
    let debate = played(
        &rounds(1),
        [
            ("end/synthesis/*#1", Answer::text("Yes, they should.")),
            (SYNTHESIS, Answer::text(whole)),
        ],
    );
    shows!(debate, {
        "status": "done", "cause": null,
        "outcome/line": "Yes, they should (stated confidence: high; judge's score 7.00 out of 10)",
    });
    let told = "it lacks the parts Answer, Reasoning, Confidence and Open points";
    has(&debate.asked(SYNTHESIS)[1].last_message(), told);
    let part = Answer::text("Yes, they should.\nConfidence: high.");
    let debate = played(&rounds(1), [(SYNTHESIS, part)]);
    assert_eq!(debate.count(SYNTHESIS), 2);
    shows!(debate, {
        "status": "degraded",
        "cause": "the final text of Synthesizer was kept although it lacks the parts Answer, Reasoning and Open points",
        "outcome/line": "Yes, they should. Confidence: high (stated confidence: high; judge's score 7.00 out of 10)",
    });
    has(
        &read(&debate.place.debates()[0].join("summary.md")),
        "> **Degraded.** The final text of Synthesizer was kept although it lacks the parts Answer,",
    );
}

#[test]
fn t5_a_synthesis_that_was_cut_before_its_last_parts_is_told_of_the_cut() {
    let begun = "Answer: Yes, they should.\n\nReasoning: It helps. And then it goes on and";
    let cut = Answer::text(begun).done_reason("length").without_metrics();
    let debate = played(&rounds(1), [(SYNTHESIS, cut)]);
    let told = debate.asked(SYNTHESIS)[1].last_message().to_owned();
    has(&told, "That reply was not taken: it was cut off at its limit (keep to at most ");
    has(&told, " words); it lacks the parts Confidence and Open points. Do the same task again");
    let index = read(&debate.place.debates()[0].join("index.md"));
    has(
        &index,
        "; cut at the limit, kept although it lacks the parts Confidence and Open points, first reply discarded: it was cut off at its limit)",
    );
    lacks(&index, &["full stop"]);
}

#[test]
fn t6_judges_score_the_answer_and_the_arithmetic_is_ours() {
    let job = rounds(1) + "judges: [{name: Ada}, {name: Ben}, {name: Cy}]\n";
    let debate = played(
        &job,
        [
            ("end/verdict*/judge_1", scores([10, 8, 6, 4], true)),
            ("end/verdict*/judge_2", scores([5, 5, 5, 5], false)),
            ("end/verdict*/judge_3", scores([6, 8, 10, 10], true)),
        ],
    );
    // Ada 7.0, Ben 5.0, Cy 8.7.
    shows!(debate, {
        "record/auto_score/score": 6.9,
        "record/auto_score/breakdown":
            {"clarity": 7.0, "completeness": 7.0, "correctness": 7.0, "depth": 6.333333},
        "record/auto_score/would_benefit_from_finetune": true,
        "record/auto_score/justification starts": "Ada: It answers the question.\nBen: ",
        "outcome/line": "yes (stated confidence: low; judges' score 6.90 out of 10)",
        "outcome/winner": null, "outcome/rests_on": null, "verdicts/0/winner": null,
    });
}

#[test]
fn t6_without_a_valid_judge_there_is_no_score() {
    shows!(played(&rounds(1), [(SCORES, Answer::text("10 of 10!"))]), {
        "status": "degraded", "record/auto_score": null, "record/final_answer starts": "Answer:",
        "outcome/line": "yes (stated confidence: low; not scored)",
    });
}

#[test]
fn m2_an_emergency_proposal_is_not_criticised_and_the_next_one_is_a_first_answer() {
    let debate = played(&rounds(2), [("round-1/statement/proposer", Answer::text(""))]);
    shows!(debate, {
        "status": "degraded", "record/rounds/0/skeptic": null, "outcome/details/answers": [],
    });
    let rounds: Vec<u64> = debate.asked(CRITIQUES).iter().map(round_of).collect();
    assert_eq!(rounds, [2]);
    let second = debate.asked("round-2/statement/proposer")[0].text();
    has(&second, "You answer the question of this debate");
}

#[test]
fn m2_an_emergency_critique_counts_for_nothing() {
    let debate = ends(&[""], (5, false, "max_rounds", None));
    shows!(debate, {"status": "degraded", "outcome/details/critiques": []});
    let second = debate.asked(PROPOSALS)[1].text();
    has(&second, "Skeptic could not reply in the last round");
}

#[test]
fn t7_the_record_has_its_sources_keys() {
    let debate = criticised(&rounds(2), &["🔴 a step is missing."]);
    let record = &debate.record;
    for (of, wanted) in [
        (
            record,
            "id timestamp query templates_used rounds final_answer total_rounds early_stopped \
                quality_score user_rating auto_score models timing",
        ),
        (&record["rounds"][0], "round proposer skeptic"),
        (&record["models"], "proposer skeptic synthesizer embedding"),
        (&record["timing"], "total_ms rag_ms rounds_ms synthesis_ms"),
        (&record["auto_score"], "score breakdown justification would_benefit_from_finetune"),
    ] {
        assert_eq!(keys(of), wanted.split_whitespace().collect::<Vec<_>>());
    }
    shows!(record, {
        "timestamp": debate.json["started_at"],
        "query": "Should a town make its buses free for everyone?",
        "rounds/1/proposer": "ACCEPT 1: it is so.\nMy answer is yes.",
        "rounds/1/skeptic": "🔴 a step is missing.",
        "timing/rounds_ms count": 2, "timing/rounds_ms": debate.timing.rounds_ms,
    });
    let id = record["id"].as_str().expect("text");
    let parts: Vec<usize> = id.split('-').map(str::len).collect();
    assert_eq!(parts, [8, 4, 4, 4, 12]);
    assert!(debate.id.starts_with(&id[..8]) && id[14..].starts_with('4'), "{id}");
}

#[test]
fn t7_times_are_model_time_and_no_part_is_longer_than_the_whole() {
    let job = rounds(3).replace("retrieval: null\n", "")
        + "judges: [{name: Ada}, {name: Ben}, {name: Cy}]\n";
    let timed = || Place::new().trace_of(&job, &["--rehearse"])["record"]["timing"].clone();
    let timing = timed();
    let ms = |key: &str| timing[key].as_u64().unwrap_or_else(|| panic!("{key}: {timing}"));
    let rounds: u64 =
        timing["rounds_ms"].as_array().expect("rounds").iter().filter_map(Value::as_u64).sum();
    let parts = ms("rag_ms") + rounds + ms("synthesis_ms");
    assert!(parts > 10_000 && parts < ms("total_ms"), "{timing}");
    assert!(ms("total_ms") < 2 * parts, "three judges count as one: {timing}");
    assert_eq!(timing, timed());
}

#[test]
fn t6_the_judge_sees_question_and_answer_only() {
    let debate = criticised(&rounds(1), &["🔴 a step is missing."]);
    let task = debate.task(SCORES);
    let of_judge = debate.asked("end/*/judge_1");
    assert_eq!(of_judge.len(), 3, "the score, and both orders of the answers");
    for call in of_judge {
        let prompt = format!("{} {}", call.system(), call.text());
        lacks(&prompt, &["a step is missing", "debate", "Skeptic"]);
    }
    let (_, end) = task.rsplit_once("answers this question: ").expect("the question");
    assert!(end.starts_with("Should a town make its buses free for everyone?"), "{end}");
    let guides: Vec<&str> = task.lines().filter(|it| it.contains(": 1 = ")).collect();
    assert_eq!(guides.len(), 4, "{task}");
    let is_in_order = |guide: &&str| guide.find(" 5 = ") < guide.find(" 10 = ");
    assert!(guides.iter().all(is_in_order), "{guides:?}");
}

#[test]
fn t7_a_failed_debate_keeps_what_it_reached() {
    let job = rounds(1) + "on_failure: abort\n";
    shows!(played(&job, [(SYNTHESIS, Answer::text(""))]), {
        "status": "failed", "record/rounds/0/proposer": "My answer is yes.",
        "record/final_answer": null, "record/early_stopped": null,
    });
}

#[test]
fn e1_live_events_come_under_the_sources_names_too_and_are_not_logged() {
    let place = place_of(&rounds(1), []);
    let ended = place.run(&["job.yaml", "--json"]);
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    let events = json_lines(&ended.stdout);
    let named = |name: &str| events.iter().filter(move |e| e["event"] == name).collect::<Vec<_>>();
    let text = |name: &str| -> String {
        let all = named(name).into_iter();
        all.map(|event| event["content"].as_str().expect("text")).collect()
    };
    assert_eq!(text("proposer_chunk"), "My answer is yes.");
    has(&text("skeptic_chunk"), "\"My answer is yes.\"\nA critical step is missing.");
    assert!(text("synthesis_chunk").starts_with("Answer: yes."));
    shows!(named("proposer_chunk")[0], {
        "type": "debate_event", "round": 1, "metadata/role": "proposer",
        "metadata/model": "llama3", "metadata/alias_of": "statement_chunk",
    });
    assert_eq!(named("synthesis_start").len(), 1);
    shows!(named("synthesis_start")[0], {"metadata/alias_of": "call_start"});
    assert!(!named("round_start").is_empty() && !named("complete").is_empty());
    let mut aliases = events.iter().filter(|event| !event["metadata"]["alias_of"].is_null());
    assert!(aliases.all(|event| event.get("seq").is_none()));
    let log = read(&place.debates()[0].join("events.jsonl"));
    lacks(&log, &["_chunk", "synthesis_start", "alias_of"]);
}

#[test]
fn e1_other_formats_have_no_aliases() {
    let place = with_job(TINY_JOB);
    let ended = place.run(&["job.yaml", "--json"]);
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    has(&ended.stdout, "statement_chunk");
    lacks(&ended.stdout, &["alias_of"]);
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
            any(&|trace| trace["outcome"]["details"]["stopped_by"] == stop),
            "no debate ends by {stop}"
        );
    }
    for kind in ["repair", "unanswered"] {
        assert!(any(&|trace| !incidents(trace, kind).is_empty()), "no {kind}");
    }
    assert!(traces.iter().all(|trace| trace["status"] == "done"));
    for trace in &traces {
        assert!(trace["record"]["auto_score"]["score"].is_number());
        assert!(trace["outcome"]["details"]["comparison"]["better"].is_string());
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
    let place = place_of(&rounds(1), []);
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
        Entry::External(reading) if reading.name.starts_with("rating/") => {
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
    assert!(ended.stdout.starts_with("rated 8 out of 10: "), "{}", ended.stdout);
    let dir = place.debates()[0].display().to_string();
    assert_eq!(place.rebut(&["rate", &dir, "3"]).code, 0);
    let trace = place.trace();
    shows!(trace, {
        "record/user_rating": 3, "labels": [{"source": "user", "name": "rating", "value": 3}],
    });
    let both = [("rating/user/1".to_owned(), json!(8)), ("rating/user/2".to_owned(), json!(3))];
    assert_eq!(ratings(&place), both);
    let mut others = trace.clone();
    others["labels"] = before["labels"].clone();
    others["record"]["user_rating"] = Value::Null;
    assert_eq!(others, before, "nothing else changes");

    assert_eq!(place.rebut(&["render", &dir]).code, 0);
    assert_eq!(place.rebut(&["index", "output"]).code, 0);
    assert_eq!(place.trace(), trace);
    let calls = place.rebut(&["show", &id, "calls"]);
    assert_eq!(calls.code, 0, "{}", calls.stderr);
    assert_eq!(calls.stdout.lines().count(), 6, "{}", calls.stderr);
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
        ([id.as_str(), "0"], "'0' for '<RATING>': use a whole number from 1 to 10"),
        ([id.as_str(), "11"], "use a whole number from 1 to 10"),
        (["ffff", "5"], "no finished debate `ffff` in output"),
    ] {
        let ended = place.rebut(&[&["rate"], &args[..]].concat());
        assert_eq!(ended.code, 2);
        assert!(ended.stderr.contains(expected), "{}", ended.stderr);
    }
    assert_eq!(ratings(&place), []);
    std::fs::remove_dir_all(place.path().join("output/.rebut/journals")).expect("removed");
    let ended = place.rebut(&["rate", &id, "5"]);
    assert_eq!(ended.code, 2);
    has_all(&ended.stderr, &["can no longer be rated: its replies are gone", "`rebut clean`"]);
    lacks(&ended.stderr, &["journals"]);
    let ended = place.rebut_exits(2, &["show", &id, "1"]);
    has(&ended.stderr, "can no longer be shown: their record is gone");
    assert_eq!(place.trace()["labels"], json!([]));
}

#[test]
fn t6_a_debate_that_is_not_finished_cannot_be_rated() {
    let place = place_of(&rounds(1), [(SYNTHESIS, Answer::hang())]);
    let mut child = place.spawn(&["job.yaml"]);
    place.server.wait_until(|calls| calls.iter().any(|call| is(call, SYNTHESIS)));
    let id = name_of(&place.running_journal());
    let ended = place.rebut(&["rate", &id[..12], "5"]);
    child.kill().expect("a kill");
    child.wait().expect("an end");
    assert_eq!(ended.code, 2);
    has_all(&ended.stderr, &["is still running", "rebut watch "]);
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
    let place = place_of(&rounds(1), [(SYNTHESIS, Answer::text(""))]);
    assert_eq!(place.run(&["job.yaml"]).code, 1);
    assert_eq!(place.rebut(&["rate", &short_id(&place), "2"]).code, 0);
    place.reply_by(good);
    assert_eq!(place.run(&["job.yaml", "--retry", "degraded"]).code, 0);
    shows!(place.trace(), {"status": "done", "labels": [], "record/user_rating": null});
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
    has(&ended.stderr, "is being retried");
    // Where only the last rename of a publication is missing, that is made up for.
    std::fs::rename(journals.join(format!("journals/{id}.jsonl")), &begun).expect("renamed");
    assert_eq!(place.rebut(&["rate", &dir, "5"]).code, 0);
    assert_eq!(ratings(&place).len(), 1);
}
