//! Rows T3 to T5: critiques in their form and in the shapes that models write, the ledger and the flow that follows from it,
//! and the first answer against the final one.

use mock_ollama::{Answer, Call};
use rebut::trace::Trace;
use serde_json::{Value, json};

use super::{
    COMPARISONS, CRITIQUES, JOB, PROPOSALS, SCORES, better, critique, details, good, place_of,
    played, rounds,
};
use crate::harness::{
    Played, has, has_all, is, lacks, list, name_of, read, round_of, shows, with_job,
};

/// A debate whose critiques are these, round by round.
fn in_form(job: &str, critiques: Vec<Answer>) -> Played {
    let place = with_job(job);
    place.reply_by(move |call| {
        let said = critiques.get((round_of(call) as usize).wrapping_sub(1));
        let critique = is(call, CRITIQUES).then(|| said.cloned()).flatten();
        critique.or_else(|| good(call))
    });
    place.played(job)
}

#[test]
fn t3_a_critique_is_asked_for_in_a_form_and_stands_in_words_with_marks() {
    let debate = in_form(
        &rounds(2),
        vec![
            critique(&[], &["critical", "minor"], 5),
            critique(&[(1, "resolved"), (2, "partial")], &["major"], 6),
        ],
    );
    let point = |mark: &str, n: u32, severity: &str| {
        format!(
            "{mark} **{n}. Logical gap:** “My answer is yes.” – A {severity} step is missing. To fix it: Show the step."
        )
    };
    let (first, second) = (point("🔴", 1, "critical"), point("🟢", 2, "minor"));
    let third = point("🟡", 3, "major");
    shows!(debate, {
        "status": "done", "record/quality_score": 6.0,
        "record/rounds/0/skeptic": format!("{first}\n{second}\n\nQuality score: 5/10"),
        "record/rounds/1/skeptic": format!(
            "✅ 1: Point 1 is resolved.\n⚠️ 2: Point 2 is partial.\n\n{third}\n\nQuality score: 6/10"
        ),
        "statements/4/by": "skeptic", "statements/4/read_as": null,
    });
    shows!(details(&debate), {
        "ledger count": 3, "open": [2, 3],
        "ledger/1": {
            "n": 2, "round": 1, "statement": 3, "severity": "minor", "strategy": "logical_gap", "claim": "My answer is yes.",
            "text": "A minor step is missing.", "mend": "Show the step.", "answers": [{"round": 2, "answer": "accept"}],
            "status": "partial", "last_round": 2, "last": "Point 2 is partial.",
        },
    });
    let asked = debate.asked(CRITIQUES);
    let properties = |call: &Call| call.schema().expect("a schema")["properties"].clone();
    assert_eq!(properties(&asked[0])["earlier"], Value::Null);
    shows!(properties(&asked[1]), {"earlier/maxItems": 2, "new/maxItems": 4, "quality/maximum": 10});
    has(
        &asked[1].last_message(),
        "a list with an entry for each of points 1 and 2. Each entry has",
    );
    has(
        &debate.task("round-2/statement/proposer"),
        "On points 1 and 2, the last critique in the record may say more.\n",
    );
    let flaw = "as a new one: what is still wrong with it, or with the way it was fixed, goes under its \"remains\". A fault that";
    has(&asked[1].last_message(), flaw);
    lacks(&asked[0].last_message(), &["goes under"]);
    has(
        &asked[1].last_message(),
        "those of your last critique in short:\n- Point 1 (critical, logical gap): A critical step is missing. Proposer accepted it in round 2.\n",
    );
}

#[test]
fn t3_the_ledger_keeps_the_latest_words_on_a_point_whole() {
    const LONG: &str = "⚠️ 1: this is better, and yet it says nothing of what a town does that has no buses, nothing of who pays for the second year, nothing of those who live outside, and nothing of what happens when the drivers are not found, which is what was asked for in the first place and is still asked for.";
    let debate = super::criticised(&rounds(3), &["🔴 one is wrong.", "❌ 1: nothing.", LONG]);
    let last = LONG.split_once(": ").expect("words").1;
    shows!(details(&debate), {"ledger/0/last": last, "ledger/0/last_round": 3, "ledger/0/status": "partial"});
}

/// Shapes in which models write a critical point and a minor one.
const SHAPES: [&str; 11] = [
    r#"{"new": [{"attack": "logical_gap", "claim": "yes", "fault": "a step is missing.", "mend": "", "severity": "critical"}, {"attack": "edge_case", "claim": "", "fault": "nobody rides.", "mend": "", "severity": "minor"}], "quality": 4, "ready": false}"#,
    "```json\n{\"new\": [{\"attack\": \"Logical Gap\", \"claim\": \"yes\", \"fault\": \"a step is missing.\", \"severity\": \"Critical\"}, {\"attack\": \"edge case\", \"fault\": \"nobody rides.\", \"severity\": \"Minor\"}], \"quality\": \"4/10\"}\n```",
    "Here is my critique.\n\n{\"critique\": {\"new\": [{\"attack\": \"logical_gap\", \"claim\": \"yes\", \"fault\": \"a step is missing.\", \"mend\": \"\", \"severity\": \"critical\"}, {\"attack\": \"edge_case\", \"claim\": \"\", \"fault\": \"nobody rides.\", \"mend\": \"\", \"severity\": \"minor\"},], \"quality\": 4, \"ready\": false}}\n\nI hope this helps!",
    "🔴 logical_gap: a step is missing.\n🟢 edge_case: nobody rides.\nQuality score: 4/10",
    "- **🔴 Logical gap:** a step is missing.\n- **🟢 Edge case:** nobody rides.\n\n**Quality score:** 4/10",
    "### 🔴 Critical\n\n- Logical gap: a step is missing.\n\n### 🟢 Minor\n\n- Edge case: nobody rides.\n\nQuality score: 4/10",
    "1. 🔴 **Logical gap** – a step is missing.\n2. 🟢 **Edge case** – nobody rides.\n\nQuality score: 4",
    "**Critical:** Logical gap: a step is missing.\n**Minor:** Edge case: nobody rides.\n\nQuality score: 4/10",
    "## Critical issues\n\n1. Logical gap: a step is missing.\n\n## Major issues\n\nNone.\n\n## Minor issues\n\n1. Edge case: nobody rides.\n\nQuality score: 4/10",
    "- [Critical] Logical gap: a step is missing.\n- [Minor] Edge case: nobody rides.\n\nQuality score: 4/10",
    "1. CRITICAL – Logical gap: a step is missing.\n2. MINOR – Edge case: nobody rides.\n\nQuality score: 4/10",
];

#[test]
fn t3_a_critique_in_each_shape_that_models_write_yields_its_points() {
    let n = SHAPES.len();
    let job = format!("{JOB}min_rounds: {n}\nmax_rounds: {n}\n");
    let debate = in_form(&job, SHAPES.map(Answer::text).into());
    // Only what they leave out of what was to be said of earlier points is asked for again.
    let repairs = debate.incidents("repair");
    assert!(repairs.iter().all(|it| it.message.contains("it has no entry for")), "{repairs:?}");
    for (round, shape) in SHAPES.iter().enumerate() {
        let of = |point: &&Value| point["round"] == round as u64 + 1;
        let ledger = details(&debate)["ledger"].as_array().expect("a ledger");
        let found: Vec<&Value> = ledger.iter().filter(of).collect();
        shows!(found, {
            " count": 2, "0/severity": "critical", "0/strategy": "logical_gap", "0/text": "a step is missing.",
            "1/severity": "minor", "1/strategy": "edge_case", "1/text": "nobody rides.",
        });
        assert_eq!(details(&debate)["critiques"][round]["quality_score"], 4.0, "{shape}");
    }
}

#[test]
fn t3_earlier_points_are_settled_in_words_too() {
    const SECOND: &str = "Point 1: Resolved. It is there now.\n- **Point 2 – Partially resolved:** better.\n3. Not resolved: nothing.\nQuality score: 4/10";
    let debate = super::criticised(&rounds(2), &["🔴 one.\n🔴 two.\n🔴 three.", SECOND]);
    shows!(details(&debate)["critiques"][1]["resolutions"], {
        "": [{"n": 1, "resolution": "resolved"}, {"n": 2, "resolution": "partial"}, {"n": 3, "resolution": "unresolved"}],
    });
}

#[test]
fn t4_the_mark_of_readiness_follows_from_the_ledger_and_not_from_the_skeptics_word() {
    const READY: &str = "Ready for Synthesis ✅";
    let job = rounds(2);
    let eager = in_form(&job, vec![critique(&[], &["critical"], 9); 2]);
    lacks(&eager.json["record"]["rounds"], &[READY]);
    shows!(eager, {"outcome/details/critiques/0/signalled": true, "outcome/details/stopped_by": "max_rounds"});
    let point = |claim| json!({"attack": "edge_case", "claim": claim, "fault": "It can.", "severity": "minor"});
    let new = [point("my “Answer” … yes"), point("nothing can go wrong.")];
    let modest = json!({"new": new, "quality": 8, "ready": false});
    let modest = in_form(&job, vec![Answer::json(&modest)]);
    let unsaid = format!(
        "{READY} (by its score and its open points; the skeptic did not call the answer ready)"
    );
    // Only what the draft says is quoted.
    let lines = [
        "🟢 **1. Edge case:** “my “Answer” … yes” – It can.",
        "🟢 **2. Edge case:** It can. The claim meant: Nothing can go wrong.",
        "",
        "Quality score: 8/10",
        &unsaid,
    ];
    shows!(modest, {
        "record/rounds/0/skeptic": lines.join("\n"),
        "outcome/details/critiques/0/signalled": false, "outcome/details/stopped_by": "ready",
        "outcome/decided_by contains": "no critical point was open. The skeptic did not call it ready.",
    });
    has(&modest.asked("end/synthesis/*")[0].text(), &unsaid);
}

#[test]
fn m7_the_flow_of_a_dialectic_follows_from_its_ledger_and_no_clerk_is_asked() {
    let answers = "ACCEPT 1: so it is.\nPARTLY 2: half of it.\nDEFEND 3: no.\nPARTLY 4: half of it.\n\nMy answer is still yes, for these reasons.";
    let place = with_job(&rounds(2));
    place.reply_by(move |call| {
        let [not, partly] = ["unresolved", "partial"];
        let earlier = [(1, "resolved"), (2, "resolved"), (3, partly), (4, not)];
        let severe = ["critical"; 4];
        match (is(call, CRITIQUES), round_of(call)) {
            (true, 1) => Some(critique(&[], &severe, 4)),
            (true, _) => Some(critique(&earlier, &["minor"], 5)),
            (false, 2) => Some(Answer::text(answers)),
            (false, _) => good(call),
        }
    });
    let debate = place.played(&rounds(2));
    assert_eq!(
        statuses(&debate),
        [
            ("B1", "conceded"),
            ("B2", "answered"),
            ("B3", "partly_answered"),
            // Answered, and the skeptic holds to it: nobody dropped it.
            ("B4", "standing"),
            ("B5", "standing")
        ]
    );
    shows!(debate, {
        "flow/edges count": 6, "flow/edges/4/how": "upheld", "flow/edges/4/by": "skeptic", "flow/edges/5/at": "B4", "flow/edges/0/by": "proposer", "flow/edges/0/statement": 4, "flow/impossible": 0,
        "notes/1/statements/0/claim": "\"My answer is still yes, for these reasons.\"",
        "notes/1/by_clerk": false,
    });
    // Faced, answered, in part, dropped, granted: what got ❌ counts as none, and it was not dropped.
    let dir = debate.place.debates()[0].clone();
    has(&read(&dir.join("facts.json")), "[4,1,1,0,1]");
    // It was a part all the same, and earlier traces that count it are read by the same rule.
    let mut old = debate.json.clone();
    shows!(old, {"flow/edges/3/at": "B4", "flow/edges/3/how": "partial"});
    old["flow"]["points"][3]["status"] = json!("partly_answered");
    std::fs::write(dir.join("trace.json"), old.to_string()).expect("a trace");
    let anew = Trace::in_dir(&dir).expect("a trace");
    assert_eq!(json!(anew.flow), debate.json["flow"]);
    assert_eq!(debate.count("*/clerk"), 0);
}

/// The points of the flow with their statuses.
fn statuses(debate: &Played) -> Vec<(&str, &str)> {
    fn word(value: &Value) -> &str {
        value.as_str().expect("a word")
    }
    let points = debate.json["flow"]["points"].as_array().expect("points");
    let words = points.iter();
    words.map(|p| (word(&p["id"]), word(&p["status"]))).collect()
}

#[test]
fn t3_what_was_accepted_is_open_again_if_the_skeptic_says_so_later() {
    let place = with_job(&rounds(3));
    place.reply_by(move |call| {
        let settled = [(1, "resolved"), (2, "resolved"), (3, "unresolved")];
        let later = [(1, "unresolved"), (2, "partial")];
        match (is(call, CRITIQUES), round_of(call)) {
            (true, 1) => Some(critique(&[], &["critical"; 3], 4)),
            (true, 2) => Some(critique(&settled, &["critical"], 4)),
            (true, _) => Some(critique(&later, &[], 5)),
            (false, 2) => Some(Answer::text(
                "ACCEPT 1: so it is.\nDEFEND 2: no.\nACCEPT 3: yes.\n\nMy answer is still yes.",
            )),
            (false, 3) => Some(Answer::text("My answer is still yes, for one more reason.")),
            (false, _) => good(call),
        }
    });
    let debate = place.played(&rounds(3));
    let expected =
        [("B1", "standing"), ("B2", "partly_answered"), ("B3", "standing"), ("B4", "dropped")];
    assert_eq!(statuses(&debate), expected);
    // It reads its own points as its own, and has had no turn since to come back to one.
    let second = debate.asked(CRITIQUES)[1].text();
    has(&second, "A critical step is missing. Proposer defended it in round 2.\n");
    lacks(&second, &["has not come back"]);
    let third = "- Point 3 (critical, logical gap), not resolved. What remains: Point 3 is unresolved. It was raised on the answer of round 1, where it says “My answer is yes.”: A critical step is missing. To fix it: Show the step. ";
    has(&debate.asked(CRITIQUES)[2].text(), third);
    // The critique stands above with its quotations, so the list has only what is wrong.
    let revision = debate.task("round-2/statement/proposer");
    has(&revision, "- Point 1 (critical, logical gap): A critical step is missing.\n");
}

#[test]
fn t5_the_first_answer_is_compared_with_the_final_one_blind_and_in_both_orders() {
    let job = rounds(1) + "judges: [{name: Ada}, {name: Ben}, {name: Cy}]\n";
    let place = with_job(&job);
    place.reply_by(|call| {
        let asked = is(call, COMPARISONS);
        let first = asked && is(call, "*/judge_1");
        let steady = asked && is(call, "*/judge_2");
        match (first, steady, asked) {
            (true, ..) => Some(better(call, "final")),
            (_, true, _) => Some(Answer::json(
                &json!({"because": "It stands first. The second text is longer; text 1 is like the first text.", "better": "text_1"}),
            )),
            (.., true) if is(call, "end/compare/*") => Some(Answer::text("I cannot say.")),
            (.., true) => Some(better(call, "final")),
            _ => good(call),
        }
    });
    let debate = place.played(&job);
    shows!(debate, {
        "status": "done",
        "outcome/details/comparison/better": "final",
        "outcome/details/comparison/judges/0/better": "final",
        "outcome/details/comparison/judges/1/better": "equal",
        "outcome/details/comparison/judges/1/changed_with_the_order": true,
        "outcome/details/comparison/judges/2/better": "final",
        "outcome/details/comparison/judges/2/readings/0/status": "invalid",
        "outcome/facts contains": "2 of 3 judges prefer the final answer; the other's preference changed with the order",
    });
    let asked = debate.asked("end/compare/judge_1");
    let task = asked[0].last_message();
    has_all(&task, &["> My answer is yes.", "> yes.\n> it helps.\n"]);
    lacks(&task, &["step is missing", "Proposer", "Synthesizer", "Answer:"]);
    let summary = read(&debate.place.debates()[0].join("summary.md"));
    has_all(
        &summary,
        &[
            "First and final answer compared, blind: 2 of 3 judges prefer the final answer; the other's preference changed with the order.",
            "- **Ada** prefers the final answer, reading the final answer first: ",
            "- **Ben** prefers the first answer, reading the first answer first: It stands first. The final answer is longer; the first answer is like the first answer.\n",
            "- **Ben** prefers the final answer, reading the final answer first: It stands first. The first answer is longer; the final answer is like the final answer.\n",
        ],
    );
}

#[test]
fn t5_a_debate_that_did_not_help_says_so() {
    let place = with_job(&rounds(1));
    place.reply_by(|call| {
        is(call, COMPARISONS).then(|| better(call, "first")).or_else(|| good(call))
    });
    shows!(place.played(&rounds(1)), {
        "outcome/details/comparison/better": "first", "outcome/facts contains": "the only judge prefers the first answer",
    });
    let none = played(&rounds(1), [(COMPARISONS, Answer::text("I cannot say."))]);
    shows!(none, {"status": "done", "outcome/details/comparison": null, "outcome/facts lacks": "First answer"});
}

#[test]
fn a4_the_ledger_is_a_table_with_links_answers_and_last_words() {
    let second = critique(&[(1, "unresolved")], &[], 5);
    let debate = in_form(&rounds(2), vec![critique(&[], &["critical"], 5), second]);
    let dir = &debate.place.debates()[0];
    let summary = read(&dir.join("summary.md"));
    let message = name_of(&list(&dir.join("messages"))[2]);
    has(&summary, "\n## How the arguments ended\n");
    has(&summary, &format!("\n[003]: messages/{message}\n"));
    has(
        &summary,
        "| 🔴 1, critical, [003]: logical gap | “My answer is yes.” – A critical step is missing. To fix it: Show the step. | accepted in round 2 (“it is so.”) | ❌ not resolved. Point 1 is unresolved. |",
    );
}

#[test]
fn a4_a_point_that_was_accepted_and_not_mentioned_again_is_told_as_that() {
    let first = critique(&[], &["critical", "major", "minor"], 5);
    let second = critique(&[(1, "unresolved"), (2, "resolved")], &[], 5);
    let debate = in_form(&rounds(2), vec![first, second]);
    let summary = read(&debate.place.debates()[0].join("summary.md"));
    has_all(
        &summary,
        &[
            "| accepted in round 2 (“it is so.”) | the skeptic did not mention it again |",
            " minor). Of these, Proposer accepted 3. Skeptic left 2 open.\n",
        ],
    );
}

#[test]
fn a4_a_message_says_which_points_it_keeps_open_and_which_it_mends_without_a_word() {
    let second = [(1, "unresolved"), (2, "resolved"), (3, "partial")];
    let place = with_job(&rounds(2));
    place.reply_by(move |call| match (is(call, CRITIQUES), is(call, PROPOSALS), round_of(call)) {
        (true, _, 1) => Some(critique(&[], &["critical"; 3], 5)),
        (true, ..) => Some(critique(&second, &[], 5)),
        (_, true, 2) => Some(Answer::text("DEFEND 1: no.\n\nMy answer is still yes.")),
        _ => good(call),
    });
    let debate = place.played(&rounds(2));
    let messages = list(&debate.place.debates()[0].join("messages"));
    for (at, answers) in [
        (3, r#"{"point 1":"defended","point 2":"fixed","point 3":"fixed in part"}"#),
        (4, r#"{"point 1":"not resolved","point 2":"resolved","point 3":"resolved in part"}"#),
    ] {
        has(&read(&messages[at]), &format!("\nanswers: {answers}\n"));
    }
}

#[test]
fn a4_an_objection_is_not_cut_to_the_sentence_in_which_it_concedes() {
    const FAULT: &str =
        "This holds for most who live nearby, by its own account. It fails for everybody else.";
    let point = |fault: &str, severity: &str| json!({"attack": "logical_gap", "claim": "", "fault": fault, "mend": "", "severity": severity});
    let new = [point(FAULT, "critical"), point("A step is missing.", "major")];
    let first = Answer::json(&json!({"new": new, "quality": 5, "ready": false}));
    let second = critique(&[(1, "resolved"), (2, "partial")], &[], 5);
    let debate = in_form(&rounds(2), vec![first, second]);
    let summary = read(&debate.place.debates()[0].join("summary.md"));
    has_all(
        &summary,
        &[
            &format!("| {FAULT} | accepted in round 2 (“it is so.”) | ✅ resolved"),
            "\n- Skeptic raised 2 points (1 critical, 1 major). Of these, Proposer accepted 2. Skeptic left 1 open.\n",
            "\n## What the judge said\n",
            "- **Judge-1** (final answer 7.00 of 10): ",
            "\nFinal answer: ",
            "- Round 2 ([004], [005]): The draft begins as before. Accepted: 1 and 2; to 1: “it is so”. Resolved: 1; resolved in part: 2; no new point; 1 open; quality 5 of 10.\n",
        ],
    );
    lacks(&summary, &["notes by Clerk", "Ways of reasoning"]);
    let dir = &debate.place.debates()[0];
    lacks(&read(&dir.join("index.md")), &["mermaid"]);
    has(
        &read(&dir.join("debate.html")),
        "<a href=\"#p-B2\" title=\"A step is missing.\">point 2</a> accepted</p>",
    );
    let id = debate.json["id"].as_str().expect("an id");
    has(
        &debate.place.rebut_exits(0, &["show", id]).stdout,
        "\n  First and final answer compared, blind and in both orders:\n  - Judge-1 prefers the final answer, reading the first answer first: ",
    );
}

#[test]
fn t6_judges_of_answers_have_a_persona_for_answers() {
    let debate = place_of(&rounds(1), []).played(&rounds(1));
    let judge = debate.participants.iter().find(|p| p.id == "judge_1");
    assert_eq!(judge.and_then(|judge| judge.persona.as_deref()), Some("answer-judge"));
    has(&debate.task(SCORES), "You judge an answer by the question it was given");
}

#[test]
fn a4_a_point_that_was_defended_and_not_mentioned_again_is_told_as_that() {
    let place = with_job(&rounds(2));
    place.reply_by(|call| {
        let second = round_of(call) == 2;
        if is(call, CRITIQUES) {
            Some(critique(&[], if second { &[] } else { &["major"] }, 5))
        } else {
            let defence = second && is(call, PROPOSALS);
            defence
                .then(|| Answer::text("DEFEND 1: it is shown.\nMy answer is yes."))
                .or_else(|| good(call))
        }
    });
    let debate = place.played(&rounds(2));
    let dir = &debate.place.debates()[0];
    has(
        &read(&dir.join("summary.md")),
        "| defended in round 2 (“it is shown.”) | the skeptic did not mention it again |",
    );
    // The files of messages call points as the summary does.
    let messages = list(&dir.join("messages"));
    has(&read(&messages[2]), "\npoints: [\"point 1\"]\n");
    has(&read(&messages[3]), "\nanswers: {\"point 1\":\"defended\"}\n");
}

#[test]
fn a4_what_a_critique_comes_to_begins_as_a_sentence_and_points_of_one_kind_are_counted_once() {
    let debate = super::criticised(&rounds(2), &["🟡 one.\n🟡 two.", "✅ 1\n✅ 2"]);
    let dir = &debate.place.debates()[0];
    has(&read(&dir.join("summary.md")), "\n- Skeptic raised 2 major points. ");
    has(&read(&dir.join("index.md")), "**Skeptic**: Resolved: 1 and 2; no new point; 0 open");
}

#[test]
fn a9_what_judges_say_of_the_first_answer_is_printed_where_there_is_room() {
    let place = with_job(&rounds(1));
    place.reply_by(good);
    let debate = place.played(&rounds(1));
    let path = debate.place.debates()[0].to_string_lossy().into_owned();
    let args = ["show", &path, "--budget", "4000"];
    let shown = debate.place.rebut_exits(0, &args).stdout;
    has(&shown, "\nJudge-1 prefers ");
}

/// What a half score counts as, what a line says to a point, where a draft differs, what is open and what a text leaves out.
#[test]
fn a4_a9_what_was_said_is_told_in_its_words_and_what_is_left_out_is_marked() {
    const FIRST: &str = "The town should keep its fares for the years that the buses have left, and use them to plan.";
    const SECOND: &str = "ACCEPT 1: I name who pays.\nPARTLY 2: Half of it goes, the rest stands.\n\nThe town should keep its fares for the years that the trams have left, and use them to plan.";
    let reasons: String =
        (1..=40).map(|n| format!("It helps {n} of those who need it. ")).collect();
    let last = [
        "Answer: The town should neither make its buses free nor leave things as they are: it should keep the fares that it has for the years which its trams and buses have left and offer a pass at half the price to all who cannot pay. This holds only if the state pays.\n\nWho pays:\n- The state pays half.\n- The town pays the rest.\n\nReasoning: ",
        reasons.as_str(),
        "\n\nConfidence: medium.\n\nOpen points: Why the state should pay.",
    ]
    .concat();
    let place = with_job(&rounds(2));
    place.write("facts.md", "# Bus town\n\n- It has buses & <b>trams</b>.\n- It has fares.\n");
    place.reply_by(move |call| match (round_of(call), is(call, CRITIQUES), is(call, PROPOSALS)) {
        (1, true, _) => Some(critique(&[], &["critical", "major"], 5)),
        (2, true, _) => Some(Answer::json(&json!({"earlier": [
            {"id": 1, "remains": "It is settled.", "status": "resolved"},
            {"id": 2, "remains": "It names no share.", "status": "partial"},
        ], "new": [], "quality": 6.5, "ready": false}))),
        (1, _, true) => Some(Answer::text(FIRST)),
        (2, _, true) => Some(Answer::text(SECOND)),
        _ if is(call, super::SYNTHESIS) => Some(Answer::text(&last)),
        _ => good(call),
    });
    let debate = place.played(&(rounds(2) + "background: facts.md\n"));
    shows!(debate, {
        "outcome/line contains": "who cannot pay (with conditions; stated confidence: medium; judge's score 7.00 out of 10)",
        "statements/4/rounded": {"quality": 6.5},
        "flow/points/1/status": "partly_answered",
    });
    let dir = &debate.place.debates()[0];
    has_all(
        &read(&dir.join("summary.md")),
        &[
            "- Skeptic scored the drafts, out of 10: 5; 6.5, counted as 6 (halves go to the even number).\n",
            " Of these, Proposer accepted 1 and partly accepted 1. Skeptic left 1 open.\n",
            "| partly accepted in round 2 (“Half of it goes, the rest stands.”) |",
            "“… trams have left, and use them to plan.” Accepted: 1; partly accepted: 2; to 1: “I name who pays”.",
            "  - Bus town:\n    - It has buses &amp; &lt;b&gt;trams&lt;/b&gt;.\n    - It has fares.\n",
        ],
    );
    has_all(
        &read(&dir.join("metadata.md")),
        &[
            " characters: \\# Bus town - It has buses &amp; &lt;b&gt;trams&lt;/b&gt;. - It has fares.\n",
            "a half score rounded): round-2/statement/skeptic.",
        ],
    );
    let path = dir.to_string_lossy().into_owned();
    let shown = |budget: u32| {
        let told = ["show", &path, "--budget", &budget.to_string()];
        debate.place.rebut_exits(0, &told).stdout
    };
    let begun = ", continued: This holds only if the state pays.\nWho pays:\n- The state pays half.\n- The town pays the rest.\n";
    // The reasoning comes last.
    let parts =
        format!("{begun}[…]\nConfidence: medium.\nOpen points: Why the state should pay.\n");
    let all: Vec<String> = (300..1000).step_by(25).map(shown).collect();
    let told = all.iter().find(|brief| brief.contains(&parts)).expect("all but the reasoning");
    has(told, " tokens: the rest of the answer, ");
    has_all(
        &shown(1200),
        &[
            &format!("{begun}Reasoning: It helps 1 of those who need it. It helps 2 of "),
            "Point 2 (major, resolved in part): What remains: It names no share. First raised: A major step",
        ],
    );
    // A point that the answer may have met stands nowhere as one of its faults.
    for budget in (100..1500).step_by(50) {
        let brief = shown(budget);
        if brief.contains("\nPoint 2 (major") {
            has(
                &brief,
                "ended (as the skeptic last saw them, before the final answer was written):\n",
            );
            assert_eq!(brief.matches("nobody checked whether it meets them").count(), 1, "{brief}");
            has(&brief, "Open points: Why the state should pay.");
        }
        if brief.contains("The debate ran its full 2 rounds") {
            has(&brief, ": point 2 (major). The final answer was written later, with these ");
        }
    }
}
