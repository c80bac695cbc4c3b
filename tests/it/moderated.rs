//! Rows D1 to D7: the moderated format, played with scripted replies.

use mock_ollama::{Answer, Call};
use rebut::event::{Interjection, InterjectionCause};
use serde_json::{Value, json};

use crate::harness::{
    Place, Played, cap, has, has_all, is, lacks, list, modest, name_of, note, notes, read, row,
    shows, with_job,
};

/// Two advocates and two rounds; explicit topics are allowed because loading the filter takes half of such a run's time.
const JOB: &str = "format: moderated\ntopic: Should voting be compulsory?\nround_count: 2\nallow_explicit: true\n";
const THREE: &str = "advocates:\n  - {name: Ada, position: Yes}\n  - {name: Ben, position: No}\n  - {name: Cleo, position: In some cases}\n";
const FACTS: &str = "fact_checker: {}\n";
const COMPETITIVE: &str = "style: competitive\n";

const ARGUMENTS: &str = "round-*/statement/*";
const REBUTTALS: &str = "*/rebuttal/*";
const CHECKS: &str = "*/check*";
const FACT_CHECKS: &str = "*/fact_check*";
const RULINGS: &str = "*/ruling*";
const VERDICTS: &str = "end/verdict*";
const ROUND_SUMMARIES: &str = "round-*/summary/*";

/// Plays [`JOB`] with more in it against a server that answers well but where `reply` says otherwise; a verdict gives
/// everybody the same.
fn played_by(
    more: &str,
    reply: impl Fn(&Call) -> Option<Answer> + Send + Sync + 'static,
) -> Played {
    let place = Place::new();
    place.reply_by(move |call| {
        let even = || Some(verdict(call, &[]));
        reply(call).or_else(|| is(call, VERDICTS).then(even).flatten())
    });
    place.played(&format!("{JOB}{more}"))
}

/// The same against a table of replies.
fn played<const N: usize>(more: &str, replies: [(&'static str, Answer); N]) -> Played {
    played_by(more, move |call| row(&replies, call))
}

/// Round, phase and speaker of all statements, as `1 argument 2`.
fn course(debate: &Played) -> Vec<String> {
    let short = |line: String| line.replace("position_advocate_", "");
    debate.course().into_iter().map(short).collect()
}

/// The texts of a phase.
fn texts<'d>(debate: &'d Played, phase: &str) -> Vec<&'d str> {
    let said = debate.said(phase).into_iter();
    said.map(|it| it.text.as_str()).collect()
}

fn details(debate: &Played) -> &Value {
    &debate.json["outcome"]["details"]
}

/// A check that finds a breach of a rule.
fn breach(rule: u64) -> Answer {
    Answer::json(&json!({"because": "It mocks the other side.", "breach": true, "rule": rule}))
}

fn claim(verdict: &str) -> Value {
    json!({"claim": "Fairness is a reason.", "reason": "Most states do not have it.", "verdict": verdict})
}

/// A check of facts that finds these claims.
fn found(claims: &[Value]) -> Answer {
    Answer::json(&json!({"claims": claims}))
}

/// A verdict that gives each contestant one score everywhere, by number from 1; 7 where none is said.
fn verdict(call: &Call, scores: &[u64]) -> Answer {
    let mut value = modest(call.schema().expect("a schema"));
    for (n, score) in scores.iter().enumerate() {
        let own = &mut value["scores"][format!("position_advocate_{}", n + 1)];
        let own = own.as_object_mut().expect("a contestant's scores");
        own.values_mut().for_each(|value| *value = json!(score));
    }
    Answer::json(&value)
}

fn refused() -> Answer {
    Answer::status(400, "this model does not support chat")
}

#[test]
fn d1_openings_rounds_of_arguments_and_rebuttals_closings_and_a_summary() {
    let debate = played("", []);
    let round = |n: u32| {
        let parts = [
            "announcement moderator",
            "argument 1",
            "rebuttal 2",
            "argument 2",
            "rebuttal 1",
            "round_summary moderator",
        ];
        parts.map(|part| format!("{n} {part}")).to_vec()
    };
    let outside =
        |parts: &[&str]| -> Vec<String> { parts.iter().map(|part| format!("0 {part}")).collect() };
    let expected = [
        outside(&["introduction moderator", "opening 1", "opening 2"]),
        round(1),
        round(2),
        outside(&["announcement moderator", "closing 1", "closing 2", "summary moderator"]),
    ];
    assert_eq!(course(&debate), expected.concat());
    shows!(debate, {"status": "done", "rounds count": 2});
}

#[test]
fn d1_three_rounds_by_default() {
    let debate = Place::new().played(&JOB.replace("round_count: 2\n", ""));
    assert_eq!(debate.said("argument").len(), 6);
}

#[test]
fn d1_of_three_advocates_each_argues_in_listed_order_and_the_next_rebuts() {
    let debate = played(THREE, []);
    let course = course(&debate);
    let of_round = course.iter().filter_map(|line| line.strip_prefix("1 "));
    let expected = [
        "announcement moderator",
        "argument 1",
        "rebuttal 2",
        "argument 2",
        "rebuttal 3",
        "argument 3",
        "rebuttal 1",
        "round_summary moderator",
    ];
    assert_eq!(of_round.collect::<Vec<_>>(), expected);
    assert_eq!(course[1..4], ["0 opening 1", "0 opening 2", "0 opening 3"]);
    let closings: Vec<&String> = course.iter().filter(|l| l.contains(" closing ")).collect();
    assert_eq!(closings, ["0 closing 1", "0 closing 2", "0 closing 3"]);
    has_all(
        &debate.asked(REBUTTALS).pop().expect("a rebuttal").last_message(),
        &[
            "Take what matters most in Cleo's last argument",
            "Ben argues against you, for this position: No",
        ],
    );
    has(&texts(&debate, "announcement")[0], "Cleo argues, Ada rebuts.");
}

#[test]
fn d1_one_advocate_is_too_few_and_a_third_needs_a_position() {
    for (advocates, cause) in [
        ("[{position: Yes}]", "`advocates` has 1 entry"),
        ("[{position: Yes}, {position: No}, {name: Cleo}]", "Cleo has no position"),
    ] {
        let place = with_job(&format!("{JOB}advocates: {advocates}\n"));
        let ended = place.run(&["job.yaml"]);
        assert_eq!(ended.code, 2);
        has(&ended.stderr, cause);
    }
}

#[test]
fn d2_every_part_has_its_cap() {
    let own = "opening_max_tokens: 31\nargument_max_tokens: 32\nclosing_max_tokens: 33\ninterjection_max_tokens: 34\nround_summary_max_tokens: 35\nsummary_max_tokens: 36\n";
    for (more, caps) in
        [("", [300, 250, 250, 250, 350, 100, 150, 400]), (own, [31, 32, 32, 32, 33, 34, 35, 36])]
    {
        // Both openings.
        let debate = played(more, [("statement-2/check*, statement-5/check*", breach(1))]);
        let parts = [
            "opening/*",
            ARGUMENTS,
            REBUTTALS,
            "*/reply/*",
            "closing/*",
            "*/interjection/*",
            ROUND_SUMMARIES,
            "end/summary/*",
        ];
        assert_eq!(parts.map(|part| cap(&debate.asked(part)[0])), caps);
    }
}

#[test]
fn d2_a_statement_that_runs_over_is_cut_as_any() {
    let said = Answer::text("A whole reason. Another one that is cut").done_reason("length");
    let debate = played("", [(ARGUMENTS, said.tokens(100, 250))]);
    shows!(debate.said("argument")[0], {
        "text": "A whole reason.\n\n[Time limit reached]", "cut": true,
    });
    let legend = "“[Time limit reached]” means that a text was cut off";
    has(&read(&debate.place.debates()[0].join("summary.md")), &format!("\n\n{legend}"));
    let brief = debate.place.rebut_exits(0, &["show", "job", "--budget", "3000"]).stdout;
    // What a mark means is no problem, and counts as none.
    has(&brief, "cut at the limit");
    lacks(&brief, &[legend]);
}

#[test]
fn d2_a_statement_that_its_model_leaves_unfinished_is_told() {
    let said = Answer::text("A whole reason. And both could be done in the same summer, with");
    let debate = played("", [("round-1/statement/position_advocate_1", said)]);
    let whole = "A whole reason. And both could be done in the same summer, with";
    shows!(debate.said("argument")[0], {"text": whole, "cut": false, "breaks_off": true});
    assert_eq!(debate.incidents("breaks_off").len(), 1);
    let asked = &debate.asked("round-1/rebuttal/position_advocate_2")[0];
    has(&asked.text(), &format!("{whole}\n\n[breaks off here]\n"));
    has(
        &asked.system(),
        "[Time limit reached] or [breaks off here] is not whole: go by what is there.",
    );
    let next = debate.task("round-1/rebuttal/position_advocate_1");
    has(&next, "Your last turn broke off in mid-sentence: end");
    has(&read(&debate.place.debates()[0].join("index.md")), "; breaks off in mid-sentence)");
}

/// The system text of a debate begun before there was this mark does not explain it, and its requests must stay what they were.
#[test]
fn d2_a_mark_that_the_system_text_does_not_explain_is_not_set() {
    let said = Answer::text("A whole reason. And both could be done in the same summer, with");
    let place = Place::new();
    let first = "round-1/statement/position_advocate_1";
    place.reply_by(move |call| is(call, first).then(|| said.clone()));
    place.write("mine/prompts/setting.md.j2", "Never write marks.");
    let trace = place.trace_of(JOB, &["--templates", "mine"]);
    has(&trace["incidents"], "\"breaks_off\"");
    let asked = place.asked("round-1/rebuttal/position_advocate_2");
    has(&asked[0].text(), "in the same summer, with\n\n");
    lacks(&asked[0].text(), &["[breaks off here]"]);
}

#[test]
fn d2_a_statement_without_a_full_stop_is_told_to_readers_alone() {
    let whole = "A whole reason. The last thing that my opponent has failed to explain in";
    let debate = played("", [("round-1/statement/position_advocate_1", Answer::text(whole))]);
    shows!(debate.said("argument")[0], {"text": whole, "cut": false, "breaks_off": null});
    assert_eq!(debate.incidents("breaks_off").len(), 1);
    lacks(&debate.task("round-1/rebuttal/position_advocate_1"), &["mid-sentence"]);
    has(&read(&debate.place.debates()[0].join("index.md")), "; ends without a full stop)");
}

#[test]
fn d3_the_styles_differ_in_what_is_asked_and_in_how_it_goes() {
    let own = [
        ("formal", "The style is formal", "Speak formally and to the point."),
        ("casual", "The style is casual", "Talk as among friends"),
        (
            "educational",
            "The style is educational",
            "one sentence must begin with these words: The best point of Advocate B is",
        ),
        ("competitive", "The style is competitive", "You want to win."),
    ];
    for (style, ..) in own {
        let debate = played(&format!("style: {style}\n"), []);
        let speeches = [debate.asked(ARGUMENTS), debate.asked(REBUTTALS)].concat();
        let asks = |mark: &str| speeches.iter().any(|call| call.text().contains(mark));
        for (other, first, second) in own {
            let own = [other == style; 2];
            assert_eq!([asks(first), asks(second)], own, "marks of {other} in {style}");
        }
        let checks = ["formal", "competitive"].contains(&style);
        assert_eq!(debate.count(CHECKS) > 0, checks, "{style}");
        assert_eq!(debate.count(RULINGS) > 0, style == "competitive", "{style}");
        assert_eq!(asks("reply with this one word"), style == "casual", "{style}");
    }
}

#[test]
fn d3_in_a_casual_debate_a_rebuttal_may_be_passed() {
    let pass = |more: &str, reply: &str| {
        played(more, [("*/rebuttal/position_advocate_2", Answer::text(reply))])
    };
    let casual = "style: casual\ninterruptions: true\n";
    let debate = pass(casual, "PASS.");
    shows!(debate.said("rebuttal")[0], {"text": "PASS.", "by": "position_advocate_2"});
    shows!(debate, {
        "outcome/details/passes": [6, 12], "status": "done",
        "rounds/0/headline": "1 rebuttal passed",
    });
    assert_eq!(debate.count(CHECKS), 12 - 2, "nobody checks a pass");
    let debate = pass(casual, "I PASS on this one.");
    assert_eq!(details(&debate)["passes"], json!([]), "other words are a rebuttal");
    let debate = pass("", "PASS");
    assert_eq!(details(&debate)["passes"], json!([]), "not in a formal debate");
}

#[test]
fn d3_in_an_educational_debate_each_side_states_the_others_best_point() {
    let style = "style: educational\n";
    let debate = played(style, []);
    has(&debate.said("argument")[0].objections[0], "The best point of Advocate B is");
    assert_eq!(debate.rejections.len(), 2 * 2 + 2, "arguments and closings");
    assert_eq!(debate.count(REBUTTALS), 4, "rebuttals need none");
    // It has a rebuttal in the same round.
    has(&read(&debate.place.debates()[0].join("summary.md")), "first reply discarded");

    let said = Answer::text("The BEST point of them is cost. It is small.");
    let debate = played(style, [("round-*/statement/*, closing/*", said)]);
    assert_eq!(debate.rejections, []);
    assert_eq!(debate.said("closing")[1].objections, [""; 0]);
}

#[test]
fn d3_in_a_competitive_debate_the_moderator_names_the_winner_of_each_round() {
    let first = json!({"assessment": "The first side met every point.", "next_focus": "Who would pay the fines?", "winner": "position_advocate_2"});
    let second = json!({"assessment": "They were equal in all.", "winner": "nobody"});
    let debate = played(
        COMPETITIVE,
        [("round-1/ruling*", Answer::json(&first)), (RULINGS, Answer::json(&second))],
    );
    shows!(debate, {
        "outcome/details/round_winners/0/winner": "position_advocate_2",
        "outcome/details/round_winners/1/winner": null,
        "rounds/0/headline": "Advocate B wins the round",
        "rounds/1/headline": "On \"Who would pay the fines?\": nobody wins the round",
        "outcome/facts contains": "round 1 Advocate B, round 2 nobody",
    });
    let announced = texts(&debate, "announcement");
    let goes = "Round 1 goes to Advocate B. The first side met every point.";
    assert!(announced[1].starts_with(goes), "{announced:?}");
    has(&announced[1], "It turns to this: Who would pay the fines?");
    assert!(announced[2].starts_with("Round 2 has no winner."), "{announced:?}");
    // In prompts it stands under its round.
    let next = debate.task("round-2/statement/position_advocate_1");
    has(&next, &format!("{goes}\n\n## Round 2\n\n[Moderator]\nRound 2 of 2. It turns"));
    assert_eq!(next.matches(goes).count(), 1, "{next}");
    let told = "You have judged it and named Advocate B its winner: \"The first side met every point.\" That is announced after your summary";
    has(&debate.task(ROUND_SUMMARIES), told);
    let dir = debate.place.debates()[0].clone();
    let index = read(&dir.join("index.md"));
    has(
        &index,
        "Moderator (7 messages, 3 of them written by llama3; 2 more quote notes or a ruling)",
    );
    // It rules on the last round and is found under it, but is made after it, as the trace says.
    let ruling = debate.said("announcement")[2].n;
    let line = index.lines().find(|line| line.starts_with(&format!("- [{ruling:03}](")));
    has(line.expect("its line"), ".md) announcement, **Moderator**: Round 2 has ");
    let message = read(&list(&dir.join("messages"))[ruling as usize - 1]);
    has_all(&message, &["\nround: null\n", "\n# Moderator: announcement\n"]);
    lacks(&read(&dir.join("debate.html")), &[">Announcement<"]);
    // Judges read no announcements.
    has(
        &debate.task(VERDICTS),
        "In round 2, the moderator turned the debate to this: Who would pay the fines?\n",
    );
    has(&debate.task(VERDICTS), "summaries and rulings are not in the record above.");
}

#[test]
fn d3_a_round_with_an_emergency_reply_has_no_winner_and_an_invalid_ruling_names_none() {
    let debate = played(COMPETITIVE, [(REBUTTALS, refused())]);
    shows!(debate, {"outcome/details/round_winners": []});
    assert_eq!(debate.count(RULINGS), 0);
    let debate = played(COMPETITIVE, [(RULINGS, Answer::text("B, I think"))]);
    shows!(debate, {"outcome/details/round_winners": []});
    assert_eq!(debate.json["status"], "degraded", "a round should have a winner");
}

#[test]
fn d4_the_moderator_opens_announces_and_sums_up() {
    let more = format!("{THREE}rules: [Keep it short.]\njudges: [{{}}, {{}}]\n");
    let debate = played(&more, [(ROUND_SUMMARIES, Answer::text("They met on fairness."))]);
    has_all(
        &debate.statements[0].text,
        &[
            "Should voting be compulsory?",
            "Ben argues for this position: No",
            "- Keep it short.",
            "there are 2 rounds; in each, each side argues once and is rebutted once. The closing statements follow",
            "Judge-1 and Judge-2",
        ],
    );
    let announced = texts(&debate, "announcement");
    assert!(announced[0].starts_with("Round 1 of 2."), "{announced:?}");
    has(&announced[2], "The closing statements follow, in this order: Ada, Ben, Cleo.");
    // It rules on nothing, so it belongs to the closings.
    let closings = debate.said("announcement")[2].n;
    let dir = debate.place.debates()[0].clone();
    let index = read(&dir.join("index.md"));
    let line = index.lines().find(|line| line.starts_with(&format!("- [{closings:03}](")));
    has(line.expect("its line"), ".md) announcement, **Moderator**: The closing statements begin");
    let message = read(&list(&dir.join("messages"))[closings as usize - 1]);
    has(&message, "\n# Moderator: announcement\n");
    lacks(&read(&dir.join("debate.html")), &[">Announcement<"]);
    assert!(!debate.statements[0].text.contains("checks facts"));
    let checked = played(FACTS, []);
    has(
        &checked.statements[0].text,
        "I interrupt anyone who breaks a rule, and they answer at once. Fact checker checks facts and interrupts anyone who makes a false claim.",
    );
    // What the clerk noted, as far as nobody has answered it.
    has(&announced[1], "Points not settled, according to the clerk:");
    shows!(debate.said("round_summary")[1], {"text": "They met on fairness.", "by": "moderator"});
}

#[test]
fn d4_a_breach_is_interrupted_once_and_answered_before_the_next_turn() {
    let debate = played("rules: [Do not mock anybody.]\n", [(CHECKS, breach(4))]);
    let course = course(&debate);
    let openings = [
        "0 opening 1",
        "0 interjection moderator",
        "0 answer 1",
        "0 opening 2",
        "0 interjection moderator",
        "0 answer 2",
    ];
    assert_eq!(course[1..7], openings);
    assert_eq!(course[8..11], ["1 argument 1", "1 interjection moderator", "1 answer 1"]);
    let checked = 2 + 2 * 4 + 2;
    assert_eq!(debate.count(CHECKS), checked, "answers are not checked");
    assert_eq!(debate.interjections.len(), checked);
    shows!(debate.interjections[0], {
        "about": 2, "statement": 3, "speaker": "position_advocate_1",
        "cause": "rule", "point": "Do not mock anybody.", "by/id": "moderator",
        "reading/reason": "It mocks the other side.",
    });
    has(&debate.task("*/interjection/*"), "It breaks this rule: Do not mock anybody.");
    has(
        &debate.task("*/reply/*"),
        "Moderator has objected to your last statement: it broke a rule.",
    );
    shows!(debate, {"outcome/facts contains": "12 for breaking a rule, 4 of them in openings or closings\""});
    let told =
        "Moderator interrupted Advocate A after [002] for breaking the rule “Do not mock anybody”.";
    let file = |name: &str| read(&debate.place.debates()[0].join(name));
    has_all(&file("summary.md"), &[told, " No claim was checked for truth.\n"]);
    has(&file("metadata.md"), "| interruptions | for broken rules (no fact checker takes part) |");
    has(
        &file("debate.html"),
        "</a> for breaking the rule “Do not mock anybody”. Moderator&#39;s reason: “It mocks the other side.” Advocate A in <a ",
    );
    has(&debate.place.rebut_exits(0, &["show", "job"]).stdout, told);
}

#[test]
fn d4_a_check_that_finds_nothing_or_cannot_be_used_interrupts_nothing() {
    for (reply, invalid) in [
        ("{\"because\": \"It is within the rules.\", \"breach\": false, \"rule\": 1}", 0),
        ("Yes, it does.", 12),
        ("{\"because\": \"No such rule.\", \"breach\": true, \"rule\": 99}", 12),
    ] {
        let debate = played("", [(CHECKS, Answer::text(reply))]);
        shows!(debate, {"interjections": [], "status": "done"});
        assert_eq!(debate.incidents("invalid").len(), invalid, "{reply}");
    }
}

#[test]
fn d4_interruptions_are_the_styles_or_the_jobs() {
    for (more, checks) in [
        ("interruptions: false\n", 0),
        ("style: casual\n", 0),
        ("style: casual\ninterruptions: true\n", 12),
        ("style: formal\ninterruptions: null\n", 12),
    ] {
        assert_eq!(played(more, []).count(CHECKS), checks, "{more}");
    }
}

/// A ruling that ends the rounds.
fn ends() -> Answer {
    let ruling = json!({"assessment": "They repeat themselves now.", "end_now": true, "next_focus": "Nothing is left to ask."});
    Answer::json(&ruling)
}

#[test]
fn d4_the_moderator_may_end_the_rounds_only_where_the_job_allows_it() {
    let debate = played("may_end_early: true\n", [(RULINGS, ends())]);
    shows!(debate, {
        "record/end_reason": "ended_by_moderator", "rounds count": 1,
        "outcome/facts contains": "1 of 2, ended by the moderator",
    });
    assert_eq!(debate.said("closing").len(), 2, "closings follow all the same");
    let announced = texts(&debate, "announcement")[1];
    let end = "I end the rounds here. They repeat themselves now.";
    assert!(announced.starts_with(end), "{announced}");
    assert_eq!(debate.count(RULINGS), 1);

    let debate = played("", [(RULINGS, ends())]);
    shows!(debate, {"record/end_reason": "completed"});
    assert_eq!(debate.count(RULINGS), 0);
    let place = Place::replying([(RULINGS, ends())]);
    let one = JOB.replace("round_count: 2", "round_count: 1\nmay_end_early: true");
    let debate = place.played(&one);
    shows!(debate, {"record/end_reason": "completed"});
    assert_eq!(debate.count(RULINGS), 0, "not in the last round");
}

#[test]
fn d4_the_clerks_summary_stands_in_for_a_missing_one_of_a_round() {
    let debate = played("", [(ROUND_SUMMARIES, refused())]);
    let clerk = &debate.rounds[0].summary;
    shows!(debate.said("round_summary")[0], {"origin": "template", "text contains": clerk});
    shows!(debate, {"status": "done"});
    assert_eq!(debate.incidents("left_out").len(), 2);
}

#[test]
fn d5_a_false_claim_is_interrupted_by_the_fact_checker_and_nothing_else_is() {
    let faye = "fact_checker: {name: Faye}\n";
    let debate = played(faye, [(FACT_CHECKS, found(&[claim("false")])), (CHECKS, breach(1))]);
    let interrupted = ["0 opening 1", "0 interjection fact_checker", "0 answer 1"];
    assert_eq!(course(&debate)[1..4], interrupted);
    shows!(debate.interjections[0], {
        "cause": "fact", "point": "Fairness is a reason.", "by/id": "fact_checker",
        "reading/reason": "Most states do not have it.",
    });
    // Whoever is to be interrupted for a false claim is not asked about rules too.
    assert_eq!(debate.count(CHECKS), 0);
    let by_fact = |i: &Interjection| i.cause == InterjectionCause::Fact;
    assert!(debate.interjections.iter().all(by_fact));
    shows!(debate, {"fact_checks/0/about": 2, "fact_checks/0/claims/0": claim("false")});
    has(
        &debate.task("*/reply/*"),
        "Faye has objected to your last statement: a claim in it is false.",
    );
    for verdict in ["true", "unproven"] {
        let debate = played(faye, [(FACT_CHECKS, found(&[claim(verdict)]))]);
        shows!(debate, {"interjections": [], "fact_checks/0/claims/0/verdict": verdict});
        assert_eq!(debate.count(CHECKS), 12);
    }
}

#[test]
fn d5_an_interruption_is_for_every_false_claim_of_its_statement() {
    let of = |words: &str, verdict: &str| {
        let mut claim = claim(verdict);
        claim["claim"] = json!(words);
        claim
    };
    let claims = [
        of("Fairness is a reason.", "false"),
        of("A reason is fairness", "false"),
        of("The reason", "true"),
    ];
    let replies = [(FACT_CHECKS, found(&claims)), ("*/reply/*", Answer::text("I take both back."))];
    let debate = played(FACTS, replies);
    shows!(debate.interjections[0], {
        "point": "Fairness is a reason.", "also": ["A reason is fairness"],
    });
    has_all(
        &debate.task("*/interjection/*"),
        &[
            "These claims in it are false:\n- Fairness is a reason. Why: Most states do not have it.\n- A reason is fairness. Why: ",
            "Write one plain sentence per claim and one that asks",
        ],
    );
    has(
        &debate.task("*/reply/*"),
        "claims in it are false. The objection is at the end of the record. Answer it: correct each claim,",
    );
    let judged = debate.task(VERDICTS);
    let answer = "Interrupted for this, Advocate A answered: \"I take both back.\"";
    assert_eq!(judged.matches(answer).count(), 12, "{judged}");
    has(&judged, "verdicts on claims: Advocate A 6 true, 12 false; Advocate B 6 true, 12 false.");
    let summary = read(&debate.place.debates()[0].join("summary.md"));
    has(&summary, "for false claims: Fairness is a reason. A reason is fairness.");
    lacks(&summary, &["something else"]);
}

#[test]
fn d5_a_claim_that_nobody_made_or_that_is_also_called_true_is_not_interrupted() {
    let mut invented = claim("false");
    invented["claim"] = json!("Elephants rarely cast ballots.");
    let debate = played(FACTS, [(FACT_CHECKS, found(&[invented]))]);
    // It is noted.
    shows!(debate, {"interjections": [], "fact_checks/0/claims/0/verdict": "false"});
    let both = found(&["true", "false", "true"].map(claim));
    let debate = played(FACTS, [(FACT_CHECKS, both)]);
    shows!(debate, {"interjections": [], "fact_checks/0/claims count": 2});
}

#[test]
fn d5_facts_are_checked_in_any_style_and_without_interruptions_only_noted() {
    for (more, interjections) in [("style: educational\n", 12), ("interruptions: false\n", 0)] {
        let replies = [(FACT_CHECKS, found(&[claim("false")]))];
        let debate = played(&format!("{FACTS}{more}"), replies);
        shows!(debate, {"fact_checks count": 12, "interjections count": interjections});
    }
}

#[test]
fn d5_what_was_said_of_a_doubted_claim_when_interrupted_is_told_with_it() {
    let taken_back = "I take it back. I have no source.";
    let replies = |verdict: &str, rule: u64| {
        [
            (FACT_CHECKS, found(&[claim(verdict)])),
            (CHECKS, breach(rule)),
            ("*/reply/*", Answer::text(taken_back)),
        ]
    };
    let told = format!("Interrupted for this, Advocate A answered: \"{taken_back}\"");
    let calls = ["opening/statement/position_advocate_2", VERDICTS, "end/summary*"];
    let claim =
        |verdict| format!("Fairness is a reason. This is {verdict}. Most states do not have it.");
    let debate = played(FACTS, replies("false", 0));
    for call in calls {
        has_all(&debate.task(call), &[&*claim("false"), &told]);
    }
    assert!(!debate.task(VERDICTS).contains("- Advocate A: \""));
    // What was said to an interruption for a broken rule puts no claim right.
    let debate = played(FACTS, replies("unproven", 1));
    for call in calls {
        let task = debate.task(call);
        has(&task, &claim("unproven"));
        let (_, task) = task.split_once("# Your task").expect("a task");
        lacks(task, &[taken_back]);
    }
    // Whoever judges is told what becomes of the rule.
    let told = " Anything else that a speaker took back or corrected, after an interruption or unasked, counts as not said; only under rule_adherence, a breach of a rule still costs a little. Length is measured elsewhere: do not score it. Your";
    has(&debate.task(VERDICTS), told);
    for call in [calls[0], calls[2]] {
        lacks(&debate.task(call), &["counts as"]);
    }
    let summary = read(&debate.place.debates()[0].join("summary.md"));
    let row = "| unproven | Most states do not have it. |  |";
    has(&summary, row);
    lacks(&summary, &["interruption for a rule"]);
    let debate = played(&format!("{FACTS}interruptions: false\n"), replies("false", 1));
    lacks(&debate.task(VERDICTS), &["Interrupted over", "after an interruption"]);
}

#[test]
fn d5_an_answer_to_an_interruption_is_not_asked_to_argue() {
    for style in ["educational", "competitive"] {
        let replies = [(FACT_CHECKS, found(&[claim("false")]))];
        let task = played(&format!("{FACTS}style: {style}\n"), replies)
            .task("*/reply/position_advocate_1");
        let (_, task) = task.split_once("# Your task").expect("a task");
        has(task, "or say what it rests on. Argue nothing else here.\n");
        lacks(task, &["Explain your reasons", "You want to win"]);
    }
}

#[test]
fn d5_speakers_are_told_what_was_noted_about_their_own_claims() {
    let debate = played(FACTS, [(FACT_CHECKS, found(&[claim("unproven")]))]);
    let own = "What the fact checker noted about your own claims:\n- Fairness is a reason. This is unproven. Most states do not have it.\n";
    lacks(&debate.task("opening/statement/*"), &["your own claims"]);
    for call in ["round-1/statement/position_advocate_1", "closing/statement/position_advocate_2"] {
        let task = debate.task(call);
        has(&task, own);
        let (_, list) = task.split_once("your own claims").expect("a list");
        assert_eq!(list.matches("This is unproven.").count(), 1, "{list}");
    }
    lacks(&debate.task(VERDICTS), &["your own claims"]);
}

#[test]
fn d4_who_looks_for_broken_rules_knows_what_the_fact_checker_found() {
    let unproven = [(FACT_CHECKS, found(&[claim("unproven")]))];
    let own_rule =
        format!("{FACTS}rules: [Invent nothing.]\nbackground: {{facts: [Nobody votes.]}}\n");
    let said = Answer::text(format!("{}It ends here.", "A reason for it is fairness. ".repeat(3)));
    let [checked] = unproven.clone();
    let debate = played(&own_rule, [checked, ("opening/statement/position_advocate_1", said)]);
    let task = debate.task(CHECKS);
    lacks(&task, &["Who you are:"]);
    has_all(
        &task,
        &[
            "Check only Advocate A's opening statement in the record, which begins \"",
            " and ends \"…it is fairness. A reason for it is fairness. It ends here.\"",
            "what breaks a rule in one of them is not charged here",
            "these are not invented: what the background says, what follows from it by arithmetic, what is commonly known",
            "What the fact checker noted about this statement:\n- Fairness is a reason. This is unproven. Most states do not have it.\n",
            "unless the fact checker knows no such source",
        ],
    );
    lacks(&played("", []).task(CHECKS), &["fact checker"]);
    // No general rule is about invented things.
    let general = played(FACTS, unproven).task(CHECKS);
    lacks(&general, &["invented", "made up"]);
    has(&general, "A claim that is only wrong or unproven breaks no rule.");
}

#[test]
fn d5_a_claim_called_both_true_and_false_counts_as_neither() {
    let both = found(&[claim("true"), claim("false")]);
    let debate = played(FACTS, [(FACT_CHECKS, both)]);
    lacks(&debate.task(VERDICTS), &["found of the claims checked"]);
}

#[test]
fn d5_of_many_doubted_claims_judges_are_told_the_false_ones_and_as_many_of_each_side() {
    let debate = played(FACTS, [(FACT_CHECKS, found(&[claim("unproven")]))]);
    let task = debate.task(VERDICTS);
    for name in ["Advocate A", "Advocate B"] {
        let line = format!("- {name}: Fairness is a reason. This is unproven.");
        assert_eq!(task.matches(&line).count(), 3, "{task}");
    }
    has_all(
        &task,
        &[
            "The fact checker's verdicts on claims: Advocate A 6 unproven; Advocate B 6 unproven.\n",
            "\n- 3 more claims by Advocate A are unproven too.\n- 3 more claims by Advocate B are unproven too.\n",
        ],
    );
    let debate = played(FACTS, [(FACT_CHECKS, found(&[claim("false")]))]);
    let task = debate.task(VERDICTS);
    assert_eq!(task.matches("This is false.").count(), 12, "{task}");
}

#[test]
fn d5_a_fact_check_that_cannot_be_used_interrupts_nothing() {
    let debate = played(FACTS, [(FACT_CHECKS, Answer::text("All false!"))]);
    shows!(debate, {
        "interjections": [], "fact_checks/0/reading/status": "invalid",
        "fact_checks/0/claims": [], "status": "done",
    });
}

#[test]
fn d6_scores_are_weighted_by_us_and_the_larger_mean_wins() {
    let debate = played_by("", |call| {
        let scores = json!({"evidence_quality": 4, "logical_coherence": 8, "persuasiveness": 10, "responsiveness": 5, "rule_adherence": 0});
        let mut value = modest(call.schema().filter(|_| is(call, VERDICTS))?);
        value["scores"]["position_advocate_1"] = scores;
        Some(Answer::json(&value))
    });
    shows!(debate, {
        "record/scores/position_advocate_1/total": 5.5,
        "record/scores/position_advocate_1/breakdown": {
            "evidence_quality": 4.0, "logical_coherence": 8.0, "persuasiveness": 10.0,
            "responsiveness": 5.0, "rule_adherence": 0.0,
        },
        "record/scores/position_advocate_2/total": 7.0,
        "outcome/winner": "position_advocate_2", "outcome/rests_on": "own",
        "outcome/line": "Advocate B beats Advocate A, 7.00 to 5.50 (1 judge)",
        "outcome/points": {"position_advocate_1": 5.5, "position_advocate_2": 7.0},
        "verdicts/0/judges/0/id": "moderator",
    });
    has_all(
        &debate.task(VERDICTS),
        &[
            "10 = Clear and sound reasoning throughout",
            "Giving up a position openly, or part of it, is no fault in itself and no contradiction: judge what is still defended, and whether that grants the question to the other side. Anything else that a speaker took back or corrected counts as not said; ",
            " Your summaries are not in the record above.",
            "Advocate A's are 2, 5, 8, 11, 14, 17",
        ],
    );
    // They read what was said, by number, and not what others made of it.
    let asked = debate.asked(VERDICTS)[0].last_message().to_owned();
    has_all(
        &asked,
        &["## Round 2\n\n[Advocate A, argument, statement ", "[Advocate B, rebuttal, "],
    );
    for apart in ["round_summary", "announcement"] {
        let said = debate.said(apart);
        assert!(!said.is_empty() && said.iter().all(|s| !asked.contains(&*s.text)), "{asked}");
    }
    // Who sums up after them reads all of it again.
    let told = debate.asked("end/summary/*")[0].last_message().to_owned();
    lacks(&told, &["[Advocate A, argument, statement "]);
    assert!(debate.said("round_summary").iter().all(|s| told.contains(&*s.text)), "{told}");
}

#[test]
fn d6_judges_of_the_job_take_the_moderators_place_and_their_means_count() {
    let debate = played_by("judges: [{name: Jo}, {name: Jim}]\n", |call| {
        if is(call, "end/verdict*/judge_1") {
            Some(verdict(call, &[9, 4]))
        } else {
            is(call, VERDICTS).then(|| verdict(call, &[4, 6]))
        }
    });
    shows!(debate, {
        "verdicts/0/judges count": 2,
        "verdicts/0/judges/0/id": "judge_1", "verdicts/0/judges/1/id": "judge_2",
        "record/scores/position_advocate_1/total": 6.5,
        "outcome/winner": "position_advocate_1",
    });
}

#[test]
fn d6_equal_means_are_a_draw_and_without_scoring_nobody_wins() {
    shows!(played("", []), {
        "outcome/winner": "draw", "outcome/rests_on": "own",
        "outcome/line": "A draw between Advocate A and Advocate B, 7.00 to 7.00 (1 judge)",
    });
    let debate = played("scoring: false\n", []);
    shows!(debate, {
        "outcome/line": "Debated to the end, not scored", "outcome/winner": null,
        "outcome/rests_on": null, "record/scores": null, "status": "done", "verdicts": [],
    });
    assert_eq!(debate.count(VERDICTS), 0);
}

#[test]
fn o1_the_line_of_three_advocates_names_who_wins_and_what_the_others_have() {
    for (scores, line) in [
        ([6, 7, 5], "Ben wins with 7.00, ahead of Ada 6.00 and Cleo 5.00 (1 judge)"),
        ([7, 5, 7], "A draw between Ada and Cleo with 7.00, ahead of Ben 5.00 (1 judge)"),
    ] {
        let place = Place::new();
        place.reply_by(move |call| is(call, VERDICTS).then(|| verdict(call, &scores)));
        let debate = place.played(&format!("{}{THREE}", JOB.replace("count: 2", "count: 1")));
        shows!(debate, {"outcome/line": line});
    }
}

#[test]
fn o1_of_three_advocates_only_the_best_against_the_second_is_a_pick() {
    for (scores, reversed, winner, line) in [
        (
            [8, 7, 1],
            [8, 7, 9],
            "position_advocate_1",
            "Ada wins with 8.00, ahead of Ben 7.00 and Cleo 5.00 (1 judge)",
        ),
        (
            [8, 7, 1],
            [7, 9, 1],
            "draw",
            "A draw between Ben and Ada, ahead of Cleo: the judge contradicted itself (1 judge)",
        ),
    ] {
        let place = Place::new();
        place.reply_by(move |call| {
            let is_reversed = is(call, "end/verdict-reversed/*");
            let scores = if is_reversed { reversed } else { scores };
            is(call, VERDICTS).then(|| verdict(call, &scores))
        });
        let debate = place.played(&format!("{}{THREE}", JOB.replace("count: 2", "count: 1")));
        shows!(debate, {"outcome/winner": winner, "outcome/line": line});
        let orders = |n: usize| {
            let reading = &debate.verdicts[0].judges[0].readings[n];
            reading.order.clone()
        };
        let reverse: Vec<String> = orders(0).into_iter().rev().collect();
        assert_eq!(orders(1), reverse);
    }
}

#[test]
fn d6_a_debate_that_the_moderator_ended_says_so_where_nobody_is_scored() {
    let job = format!("{JOB}scoring: false\nmay_end_early: true\n").replace("count: 2", "count: 6");
    let debate = Place::replying([(RULINGS, ends())]).played(&job);
    shows!(debate, {"outcome/line": "Ended by the moderator after 1 of 6 rounds, not scored"});
}

#[test]
fn d6_what_scores_mean_stands_in_the_order_of_the_scores() {
    let task = played("", []).task(VERDICTS);
    let guides: Vec<&str> = task.lines().filter(|it| it.contains(": 0 = ")).collect();
    assert_eq!(guides.len(), 5, "{task}");
    for guide in guides {
        let at = ["0 = ", " 5 = ", " 10 = "].map(|mark| guide.find(mark).expect(mark));
        assert!(at.is_sorted(), "{guide}");
    }
}

#[test]
fn d4_the_rules_that_are_enforced_are_told_once_to_everyone() {
    let rules = "rules: [\"attack arguments, never PEOPLE\", Name your sources.]\n";
    let debate = played(rules, []);
    let first = debate.place.server.chats()[0].text();
    let told = first.split("Rules for everyone:").nth(1).expect("rules");
    let rules = "\n- Keep to the topic.\n- Attack arguments, never people.\n- Speak for yourself only: do not put words into anyone's mouth.\n- Name your sources.\n";
    assert!(told.starts_with(rules), "{told}");
    has(&debate.task(CHECKS), "\n4. Name your sources.\n\n");
    let said = debate.said("introduction")[0].text.to_lowercase();
    assert_eq!(said.matches("never people").count(), 1, "{said}");
}

#[test]
fn d6_judges_without_a_persona_have_the_judges() {
    let debate = played("judges: [{}, {persona: scientist}, {persona: null}]\n", []);
    let judges = debate.participants.iter().filter(|p| p.id.starts_with("judge_"));
    let personas: Vec<Option<&str>> = judges.map(|p| p.persona.as_deref()).collect();
    assert_eq!(personas, [Some("judge"), Some("scientist"), None]);
}

#[test]
fn d6_without_a_valid_verdict_the_debate_is_degraded() {
    let debate = played("", [(VERDICTS, Answer::text("A draw."))]);
    shows!(debate, {
        "status": "degraded", "outcome/winner": null, "record/scores": null,
        "cause contains": "no judge gave a valid verdict",
    });
}

#[test]
fn d6_criteria_are_the_jobs() {
    let criteria =
        "criteria: {wit: {weight: 0.75}, warmth: {weight: 0.25, guide: {0: Cold, 10: Warm}}}\n";
    let debate = played(criteria, []);
    shows!(debate, {
        "record/scores/position_advocate_1/breakdown": {"warmth": 7.0, "wit": 7.0},
    });
    has_all(&debate.task(VERDICTS), &["- warmth (25%): 0 = Cold; 10 = Warm.", "- wit (75%):"]);
}

#[test]
fn d7_the_record_has_its_sources_keys() {
    let said = Answer::text("They met on duty and freedom.");
    let debate = played("", [("end/summary/*", said)]);
    let keys = crate::harness::keys(&debate.record);
    assert_eq!(keys, ["end_reason", "duration", "scores", "summary"]);
    let last = debate.statements.last().expect("a summary");
    assert_eq!(last.phase.name(), "summary");
    shows!(debate, {
        "record/end_reason": "completed", "record/summary": "They met on duty and freedom.",
        "record/duration": debate.timing.model_ms, "outcome/final_text": last.n,
    });
}

#[test]
fn d7_the_duration_is_the_models_time_and_so_the_same_in_every_rehearsal() {
    let rehearsed = || {
        let trace = Place::new().trace_of(JOB, &["--rehearse"]);
        trace["record"]["duration"].as_u64().expect("a number")
    };
    let duration = rehearsed();
    assert!(duration > 10_000, "{duration}");
    assert_eq!(duration, rehearsed());
}

#[test]
fn d7_a_missing_summary_degrades_and_is_null() {
    let debate = played("", [("end/summary/*", refused())]);
    // It is judged all the same.
    shows!(debate, {
        "status": "degraded", "record/summary": null, "outcome/final_text": null,
        "outcome/winner": "draw",
    });
}

#[test]
fn d7_a_failed_debate_says_so_in_its_record() {
    let debate = played("on_failure: abort\n", [("closing/*", refused())]);
    shows!(debate, {
        "status": "failed", "record/end_reason": "failed", "record/scores": null,
        "record/summary": null,
    });
}

#[test]
fn m2_an_emergency_reply_is_neither_checked_nor_rebutted() {
    let debate = played(FACTS, [("round-*/statement/position_advocate_1", refused())]);
    shows!(debate, {"status": "degraded", "outcome/winner": "draw"});
    shows!(debate.said("argument")[0], {"origin": "emergency"});
    assert_eq!(debate.count(FACT_CHECKS), 12 - 2);
    let nothing = "Advocate A could not speak, so there is nothing to rebut.";
    let told = debate.place.server.chats().into_iter();
    assert_eq!(told.filter(|it| it.last_message().contains(nothing)).count(), 2);
}

#[test]
fn m2_who_was_never_heard_is_not_judged() {
    let parts = "*/statement/position_advocate_1, */rebuttal/position_advocate_1";
    let debate = played("", [(parts, refused())]);
    shows!(debate, {
        "status": "degraded", "outcome/winner": null,
        "outcome/line": "No winner: no valid verdict",
    });
    assert_eq!(debate.count(VERDICTS), 0);
}

#[test]
fn m2_an_interjection_that_cannot_be_had_is_not_answered() {
    let debate = played(
        FACTS,
        [
            ("statement-2/fact_check*, statement-3/fact_check*", found(&[claim("false")])),
            ("*/interjection/*", refused()),
        ],
    );
    shows!(debate, {"status": "done", "interjections": []});
    assert!(!debate.incidents("left_out").is_empty());
    assert_eq!(course(&debate)[1..3], ["0 opening 1", "0 opening 2"]);
}

/// Notes that tell a statement by its place in its phase.
fn noted(call: &Call) -> Option<Answer> {
    let name = call.name();
    let stage = name.strip_suffix("/clerk#1")?;
    Some(notes(call, &format!("They met in {stage}."), |place| {
        let point = format!("Point {place} of {stage}");
        note(&format!("Claim {place} of {stage}."), &[&point], &[])
    }))
}

#[test]
fn m7_the_clerk_notes_every_statement_under_its_own_key_and_points_reach_later_prompts() {
    let debate = played_by("", noted);
    let claims = |round: u32| -> Vec<&str> {
        let all = debate.statements.iter().filter(|it| it.round == round);
        let argued = all.filter(|it| it.by != "moderator");
        argued.map(|it| it.gist.as_str()).collect()
    };
    let stages = [("opening", 2), ("round-1", 4), ("closing", 2)];
    let of = |(stage, places): (&str, u32)| -> Vec<String> {
        (1..=places).map(|place| format!("Claim {place} of {stage}.")).collect()
    };
    assert_eq!(claims(0), [of(stages[0]), of(stages[2])].concat());
    assert_eq!(claims(1), of(stages[1]));
    has(
        &debate.task("opening/clerk"),
        "- \"statement_1\": the statement of Advocate A that begins \"A reason for it is fairness.",
    );
    has(&debate.task("round-1/clerk"), "- A1 (Advocate A): Point 1 of opening\n");
    has_all(
        &debate.task("round-1/statement/position_advocate_1"),
        &[
            "The clerk's notes so far:\n\nYour points that still stand:\n- Point 1 of opening\n",
            "Your opponent's points that still stand:\n- Point 2 of opening\n",
        ],
    );
    let second = debate.task("round-1/statement/position_advocate_2");
    let until = "The clerk's notes as of the end of the opening statements; what was said since may have changed this:\n";
    let then = "Your points that stood then:\n- Point 2 of opening\n";
    has_all(&second, &[until, then, "\n[Advocate B, rebuttal]\n", "\n[Advocate A, argument]\n"]);
    // Advocate A has just argued against what stood: whoever speaks second may defend it, as the first may once it is noted.
    let defends = "Defend the most important of your points that Advocate A replied to in its last turn in the record, if any, or bring one argument";
    has(&second, defends);
    lacks(&debate.task("round-1/statement/position_advocate_1"), &[defends]);
    // Whoever rebuts reads what is to be rebutted, and no list beside it.
    let rebuttal = debate.task("round-1/rebuttal/position_advocate_2");
    lacks(&rebuttal, &["The clerk's notes", "Points of "]);
    let closing = debate.task("closing/statement/position_advocate_1");
    has_all(
        &closing,
        &[
            "Your points that still stand:\n- Point 1 of opening\n- Point 1 of round-1",
            "Your opponent's points that still stand:\n- Point 2 of opening\n",
            "your last turn. Weigh the debate: ",
        ],
    );
    // The system text has said what counts in it.
    lacks(&closing, &["wholly new line"]);
}

#[test]
fn d4_an_announcement_lists_all_points() {
    let one = |call: &Call| {
        is(call, "*/clerk").then(|| {
            notes(call, "They met.", |place| {
                let point = format!("Point {place} of {}", call.name());
                let replies = place == 2 && is(call, "opening/*");
                note("A claim.", &[&point], if replies { &["1.1 part"] } else { &[] })
            })
        })
    };
    let place = Place::new();
    place.reply_by(one);
    let debate = place.played(&JOB.replace("round_count: 2", "round_count: 4"));
    let announced = texts(&debate, "announcement");
    has(announced[3], "Points not settled, according to the clerk:");
    assert_eq!(announced[3].matches("\n- Advocate ").count(), 14, "{announced:?}");
}

#[test]
fn m7_the_clerk_notes_openings_rounds_and_closings() {
    let debate = played_by("", noted);
    let asked = debate.asked("*/clerk").into_iter();
    let names: Vec<String> = asked.map(|call| call.name()).collect();
    let expected = ["opening", "round-1", "round-2", "closing"];
    assert_eq!(names, expected.map(|stage| format!("{stage}/clerk#1")));
    let rounds: Vec<u32> = debate.notes.iter().map(|it| it.round).collect();
    assert_eq!(rounds, [0, 1, 2, 0]);
    shows!(debate, {
        "rounds count": 2, "rounds/0/summary": "They met in round-1.",
        "notes/3/summary": "They met in closing.",
    });
}

#[test]
fn m7_the_clerk_notes_answers_to_interruptions_wherever_they_are_given() {
    let debate = played_by("interruptions: true\n", |call| {
        if is(call, CHECKS) { Some(breach(1)) } else { noted(call) }
    });
    let gists: Vec<&str> = debate.said("answer").iter().map(|it| it.gist.as_str()).collect();
    assert_eq!(gists[..2], ["Claim 2 of opening.", "Claim 4 of opening."]);
    assert_eq!(gists[gists.len() - 2..], ["Claim 3 of closing.", "Claim 4 of closing."]);
    has_all(
        &debate.task("closing/clerk"),
        &[
            "Now note these 4 statements of the record:\n",
            "in one short clear sentence of at most 8 words.",
            "\n  \"O90 grant M90\": it accepts the point",
            "\"statement_1\" and \"statement_2\" do not answer each other: neither was written with sight of the other.\n",
            "\"1.2\" is the second of statement_1, \"2.1\" the first of statement_2.\n",
        ],
    );
    lacks(debate.asked("closing/clerk")[0].system(), &["read the same record"]);
    let asks =
        ", \"2.1\" the first of statement_2, and \"1.q\" the question that statement_1 asks. So ";
    has(&debate.task("round-1/clerk"), asks);
    let summary = read(&debate.place.debates()[0].join("summary.md"));
    has_all(
        &summary,
        &[
            " Advocate A in [004]: “",
            "- Closings, each written without sight of the other: They met in closing.",
        ],
    );
    let page = read(&debate.place.debates()[0].join("debate.html"));
    let told =
        page.find(">Closings, each written without sight of the other: They met in closing.<");
    let first = page.find(&format!("<article id=\"m{:03}\"", debate.said("closing")[0].n));
    assert!(told.is_some() && told < first, "{told:?} {first:?}");
}

#[test]
fn m7_a_question_answered_in_part_stays_open_for_whoever_was_asked_and_for_readers() {
    let question = "Who pays, and who should say why?";
    let debate = played_by("", move |call| {
        let asks = is(call, "round-1/statement/position_advocate_1");
        if asks {
            return Some(Answer::text(format!("It is fair. {question}")));
        }
        is(call, "*/clerk").then(|| {
            notes(call, "They met.", |place| {
                let mut noted = note("A claim.", &[], &[]);
                if call.name().starts_with("round-1") {
                    noted["asks"] = json!(place == 1);
                    noted["on"] = json!(if place == 2 { &["1.q part"][..] } else { &[] });
                }
                noted
            })
        })
    });
    shows!(debate.flow, {"questions/0/text": question, "questions/0/answered_in": null});
    has(
        &debate.task("round-2/rebuttal/position_advocate_2"),
        &format!(
            "Advocate A asked you: \"{question}\" (Part of it has been answered, according to the clerk.) Answer this, or what is still open of it, unless it is rhetorical."
        ),
    );
    has(&debate.task("round-2/clerk"), "- Q1 (Advocate A, answered in part): ");
    let files = debate.place.debates()[0].clone();
    let summary = read(&files.join("summary.md"));
    let (_, open) = summary.split_once("### Questions\n").expect("questions");
    has(open, "answered in part by Advocate B in [");
    has(&read(&files.join("debate.html")), "answered in part by Advocate B");
}

#[test]
fn m7_of_three_sides_the_rebutted_one_is_asked_and_anothers_grant_does_not_hide_an_answer() {
    let question = "Who writes the exceptions?";
    let debate = played_by(THREE, move |call| {
        if is(call, "round-1/rebuttal/position_advocate_2") {
            return Some(Answer::text(format!("It is not so. {question}")));
        }
        is(call, "*/clerk").then(|| {
            notes(call, "They met.", |place| {
                let opening = call.name().starts_with("opening");
                let round = call.name().starts_with("round-1");
                let (new, on): (&[&str], &[&str]) = match place {
                    1 if opening => (&["All laws bind all"], &[]),
                    3 if round => (&[], &["A1 grant"]),
                    5 if round => (&["Some laws bind few"], &["A1 part 5.1"]),
                    _ => (&[], &[]),
                };
                let mut noted = note("A claim.", new, on);
                noted["asks"] = json!(round && place == 2);
                noted
            })
        })
    });
    let argues = |n: u32| debate.task(&format!("round-2/statement/position_advocate_{n}"));
    has_all(
        &argues(1),
        &[
            &format!("Ben asked you: \"{question}\""),
            "- All laws bind all (granted by Ben; replied to in part by Cleo: Some laws bind few)\n",
        ],
    );
    lacks(&argues(3), &["asked you: \""]);
    has(
        &argues(3),
        "Others' points that were replied to:\n- Ada: All laws bind all (granted by Ben; replied to in part by you: Some laws bind few)\n",
    );
    has(
        texts(&debate, "announcement")[1],
        "- Ada: All laws bind all (granted by Ben; replied to in part)\n",
    );
    let summary = read(&debate.place.debates()[0].join("summary.md"));
    has_all(
        &summary,
        &[
            "- A1: All laws bind all – **granted** by Ben in [",
            "], not by Cleo (",
            "; replied to in part by Cleo with C1 in [",
            &format!(", Ben to Ada in [007]: {question}"),
        ],
    );
}

#[test]
fn d1_who_opens_after_others_is_told_not_to_answer_them_but_for_what_they_asked() {
    let opens = |task: String| {
        let (_, told) = task.split_once("your two strongest reasons for it.").expect("it opens");
        told.lines().next().expect("a line").to_owned()
    };
    let asks = |call: &Call| {
        let asks = is(call, "opening/statement/position_advocate_1");
        asks.then(|| Answer::text("It is fair. Advocate B, who pays for all of it?"))
    };
    let debate = played_by("", asks);
    let of = |n: u32| opens(debate.task(&format!("opening/statement/position_advocate_{n}")));
    assert_eq!(of(1), "");
    assert_eq!(of(2), " Leave answering Advocate A to the rounds, beyond what you were asked.");
    let last = played(THREE, []).task("opening/statement/position_advocate_3");
    assert_eq!(opens(last), " Leave answering the others to the rounds.");
}

#[test]
fn m7_a_question_is_heard_without_a_question_mark_and_its_asker_told_that_it_waits() {
    let demand = "Advocate B, tell us the price, of 3.5 percent or more.";
    let debate = played_by("", move |call| {
        if is(call, "opening/statement/position_advocate_1") {
            return Some(Answer::text(format!("It is fair. {demand} It is just.")));
        }
        is(call, "*/clerk").then(|| {
            notes(call, "They met.", |place| {
                let mut noted = note("A claim.", &[], &[]);
                let on: &[&str] = match (call.name().as_str(), place) {
                    ("opening/clerk#1", 2) => &["1.q part"],
                    _ => &[],
                };
                noted["asks"] = json!(call.name().starts_with("opening") && place == 1);
                noted["on"] = json!(on);
                noted
            })
        })
    });
    shows!(debate.flow, {
        "questions/0/text": demand, "questions/0/answered_in": null, "impossible": 0,
    });
    // The task says whom it is for.
    let asked = "Advocate A asked you: \"Tell us the price, of 3.5 percent or more.\" (Part of it has been answered,";
    let argues = |n: u32| debate.task(&format!("round-1/statement/position_advocate_{n}"));
    has(&debate.task("round-1/rebuttal/position_advocate_2"), asked);
    // It had a turn before, and now this one: who can't answer is not asked for ever.
    let tasks = debate.asked("*/position_advocate_2").into_iter();
    assert_eq!(tasks.filter(|call| call.last_message().contains(asked)).count(), 1);
    has(
        &argues(1),
        &format!("Your questions without a full answer:\n- {demand} (answered in part)\n"),
    );
}

#[test]
fn m7_an_answer_to_an_interruption_is_noted_as_one_and_repeats_nothing() {
    let debate = played_by("interruptions: true\n", |call| {
        if is(call, "statement-2/check*") {
            Some(breach(1))
        } else {
            is(call, "*/clerk").then(|| {
                notes(call, "They met.", |place| match (call.name().as_str(), place) {
                    ("opening/clerk#1", 1) => note("A claim.", &["It is fair"], &[]),
                    ("opening/clerk#1", 2) => note("Taken back.", &[], &["1.1 again"]),
                    _ => note("A claim.", &[], &[]),
                })
            })
        }
    });
    shows!(debate.flow.edges, {"0/how": "repeated", "0/at": "A1"});
    let first = "begins \"A reason for it is fairness.";
    let corrects =
        "It answers an interruption: its claim is what it takes back, corrects or upholds.";
    let clerk = debate.task("opening/clerk");
    assert_eq!(clerk.matches(corrects).count(), 1, "{clerk}");
    let (one, rest) = clerk.split_once("\n- \"statement_2\"").expect("the answer");
    has(one, first);
    has(rest, corrects);
    let next = debate.task("round-1/statement/position_advocate_1");
    has(&next, "Your points that still stand:\n- It is fair\n");
    lacks(&next, &["You said this again"]);
}

#[test]
fn d4_an_announcement_lists_what_is_open_of_either_side() {
    let debate = played_by("", noted);
    has(
        texts(&debate, "announcement")[0],
        "Points not settled, according to the clerk:\n- Advocate A: Point 1 of opening\n- Advocate B: Point 2 of opening",
    );
}

#[test]
fn m7_what_a_speaker_was_just_asked_comes_first() {
    let played = |said: &'static str| {
        played_by("", move |call| {
            let asks = is(call, "round-1/statement/position_advocate_1");
            asks.then(|| Answer::text(said))
        })
    };
    let debate = played("It is fair. Who pays the fine?");
    has(
        &debate.task("round-1/rebuttal/position_advocate_2"),
        "Advocate A asked you: \"Who pays the fine?\" Answer this, or what is still open of it",
    );
    // Not what it answered itself.
    let rhetorical = played("It is fair. Who pays the fine? Whoever stays at home does.");
    lacks(&rhetorical.task("round-1/rebuttal/position_advocate_2"), &["asked you"]);
    // Whether the rebuttal answered it, the clerk has still to say.
    lacks(&debate.task("round-1/statement/position_advocate_2"), &["asked you"]);
}

/// The clerk's notes; of a stage, that its second statement asks something.
fn second_asks(call: &Call, stage: &str) -> Option<Answer> {
    let noted = |place: usize| {
        let mut noted = note("A claim.", &[], &[]);
        noted["asks"] = json!(call.name().starts_with(stage) && place == 2);
        noted
    };
    is(call, "*/clerk").then(|| notes(call, "They met.", noted))
}

#[test]
fn m7_an_argument_takes_up_what_was_asked_first_and_keeps_to_the_focus() {
    let ruling = json!({"assessment": "They met.", "next_focus": "Who would pay the fines?", "winner": "nobody"});
    let debate = played_by(COMPETITIVE, move |call| {
        let asks = Answer::text("It costs. Who counts votes?");
        let rows =
            [(RULINGS, Answer::json(&ruling)), ("round-1/rebuttal/position_advocate_2", asks)];
        second_asks(call, "round-1").or_else(|| row(&rows, call))
    });
    has_all(
        &debate.task("round-2/statement/position_advocate_1"),
        &[
            "The focus of this round is: Who would pay the fines?\n",
            "Advocate B asked you: \"Who counts votes?\" Answer this",
            "It is your turn to argue. First take up what you were asked, in a sentence or two. Keep to the focus if you can. Bring one argument that you have not used yet, with a reason and, if you know a real one, an example. Advocate B will",
        ],
    );
    has(
        &debate.task("round-1/statement/position_advocate_1"),
        "It is your turn to argue. Bring one argument that ",
    );
}

#[test]
fn m7_a_question_that_is_put_again_before_the_clerk_read_the_reply_is_put_at_once() {
    let task = |rebuttal: &'static str| {
        let debate = played_by("", move |call| {
            let rows = [
                ("opening/statement/position_advocate_2", Answer::text("Who counts the votes?")),
                ("round-1/rebuttal/position_advocate_2", Answer::text(rebuttal)),
            ];
            second_asks(call, "opening").or_else(|| row(&rows, call))
        });
        debate.task("round-1/rebuttal/position_advocate_1")
    };
    let asked = "Advocate B asked you: \"Who counts the votes?\"";
    has(&task("It costs. I ask again who counts the votes."), asked);
    lacks(&task("It costs. Whoever counts votes is paid."), &[asked]);
}

#[test]
fn m7_a_question_put_again_without_a_question_mark_is_told_as_that() {
    let again = [
        "round-1/statement/position_advocate_1",
        "round-2/statement/position_advocate_1",
        "closing/statement/position_advocate_1",
    ];
    let debate = played_by("", move |call| {
        let said = match again.iter().position(|turn| is(call, turn)) {
            Some(0) => {
                Some("It is just. Advocate B has not told us who pays for booths of rural voters.")
            }
            Some(1) => Some("It is just. Nobody has told us who pays."),
            Some(_) => Some("It is just. One thing was passed over in silence."),
            None if is(call, "opening/statement/position_advocate_1") => {
                Some("It is fair. Who pays for booths of rural voters?")
            }
            None => None,
        };
        let clerk = || {
            notes(call, "They met.", |place| {
                let ends = call.name().starts_with("closing");
                let mut noted = note("A claim.", &[], if ends { &["Q1 again"] } else { &[] });
                noted["asks"] = json!(place == 1 && !ends);
                if place == 2 {
                    noted["on"] = json!([]);
                }
                noted
            })
        };
        said.map(Answer::text).or_else(|| is(call, "*/clerk").then(clerk))
    });
    has(&debate.task("round-1/clerk"), "\n  \"Q90 again\": it puts its own question again,");
    lacks(&debate.task("opening/clerk"), &["Q90 again"]);
    // By its words, then by nothing, then by the clerk's entry.
    let put: Vec<u32> = debate.flow.edges.iter().map(|edge| edge.statement).collect();
    let said = |n: usize| debate.said("argument")[n].n;
    assert_eq!(put, [said(0), debate.said("closing")[0].n], "{:?}", debate.flow.edges);
    shows!(debate.flow, {"questions count": 1, "edges/0/how": "repeated", "impossible": 0});
    let summary = read(&debate.place.debates()[0].join("summary.md"));
    has(&summary, &format!("put again in [{:03}], [", said(0)));
}

#[test]
fn a7_a_trace_with_everything_in_it_is_of_the_published_shape() {
    let more = format!("{THREE}{COMPETITIVE}may_end_early: true\n{FACTS}");
    let debate = played_by(&more, |call| {
        if is(call, FACT_CHECKS) {
            call.last_message().contains("Look only at Ada's ").then(|| found(&[claim("false")]))
        } else {
            is(call, CHECKS).then(|| breach(2))
        }
    });
    debate.is_of_the_published_shape();
    let summary = read(&debate.place.debates()[0].join("summary.md"));
    lacks(&summary, &["No claim was checked"]);
    has_all(
        &summary,
        &[
            "- Fact checker interrupted Ada after [002] for a false claim: Fairness is a reason. Ada in [004]: “",
            "- Moderator interrupted Ben after [005] for breaking the rule “Attack arguments, never people”. Moderator's reason: “",
        ],
    );
}

#[test]
fn j3_the_shipped_jobs_are_accepted() {
    let place = Place::new();
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    for job in [
        "jobs/agi-impact.yaml",
        "jobs/four-day-week.yaml",
        "jobs/school-phones.yaml",
        "templates/jobs/moderated.yaml",
    ] {
        let ended = place.rebut(&["check", &root.join(job).to_string_lossy(), "--rehearse"]);
        assert_eq!(ended.code, 0, "{job}: {}", ended.stderr);
    }
}

#[test]
fn j7_a_rehearsal_interrupts_passes_and_concedes_now_and_then() {
    let rehearsed = |job: &str| {
        let place = Place::new();
        // A seed by which the rehearsal comes to all of these.
        place.trace_of(&format!("{JOB}seed: 5\n{job}"), &["--rehearse"]);
        Played::read(place)
    };
    let interjections = rehearsed(FACTS).interjections.len();
    assert!((1..9).contains(&interjections), "{interjections}");
    let casual = rehearsed("style: casual\n");
    let passed = |phase: &str| texts(&casual, phase).iter().filter(|it| **it == "PASS").count();
    assert_eq!(passed("argument") + passed("closing"), 0);
    assert!((1..4).contains(&passed("rebuttal")));
    shows!(rehearsed("style: educational\n"), {"rejections": [], "status": "done"});
}

#[test]
fn m4_judgments_and_notes_are_asked_coolly_unless_the_job_says_how() {
    for (more, speaks, judges) in [
        ("", 0.7, 0.2),
        ("defaults: {temperature: 0.9}\n", 0.9, 0.9),
        ("moderator: {temperature: 0.4}\nclerk: {temperature: 0.4}\n", 0.7, 0.4),
    ] {
        let debate = played(more, []);
        for (calls, temperature) in
            [(ARGUMENTS, speaks), (CHECKS, judges), (VERDICTS, judges), ("round-1/clerk", judges)]
        {
            let asked = &debate.asked(calls)[0];
            let found = asked.option("temperature");
            assert_eq!(found, Some(&json!(temperature)), "{more}{calls}");
        }
    }
}

#[test]
fn a4_one_judges_margin_is_told_with_what_made_it() {
    let debate = played_by("", |call| {
        if is(call, "end/verdict-reversed/*") {
            Some(verdict(call, &[8, 7]))
        } else if is(call, VERDICTS) {
            Some(verdict(call, &[8, 6]))
        } else {
            None
        }
    });
    let summary = read(&debate.place.debates()[0].join("summary.md"));
    let lead = summary.find("Advocate A leads by 1.50: 0.").expect("a lead");
    let decided = summary.find("## What decided it").expect("a section");
    let scores = summary.find("## Scores").expect("scores");
    assert!(decided < lead && lead < scores, "{summary}");
}

/// A debate in which A1 is granted with B1 held against it, about which Advocate A then does this.
fn granted(then: &'static [&'static str]) -> Played {
    let at_length = "They met. ".repeat(11);
    played_by("", move |call| {
        if is(call, "end/summary*") {
            return Some(Answer::text(&at_length));
        }
        let moves = |place: usize| match (call.name().as_str(), place) {
            ("round-1/clerk#1", 2) => &["A1 grant B1"; 3][..],
            ("round-1/clerk#1", 4) => then,
            _ => &[],
        };
        let new = |place: usize| match (call.name().as_str(), place) {
            ("opening/clerk#1", 1) => &["It is fair"][..],
            ("opening/clerk#1", _) => &["It costs an hour"],
            _ => &[],
        };
        is(call, "*/clerk")
            .then(|| notes(call, "They met.", |place| note("It is so.", new(place), moves(place))))
    })
}

#[test]
fn m7_what_is_held_against_a_granted_point_counts_though_it_was_granted_too() {
    let debate = granted(&["B1 grant"]);
    let summary = read(&debate.place.debates()[0].join("summary.md"));
    has_all(
        &summary,
        &[
            "- A1: It is fair – **granted** by Advocate B in [006], with B1 held against it (",
            "\n- As the clerk noted it, Advocate A argued “It is fair” (granted by Advocate B).\n- Advocate B argued “It costs an hour” (granted by Advocate A).\n",
            "- B1: It costs an hour – **granted** by Advocate A in [",
            "; for [006] the clerk used all the entries it had, so there may be more.",
        ],
    );
    // What stood open before the closings, for readers only.
    let said = debate.said("announcement").pop().expect("that of the closings");
    let below = "in this order: Advocate A, Advocate B.\n\nParticipants did not read the list";
    has_all(&said.text, &[below, ", according to the clerk:\n- "]);
    lacks(&debate.asked("closing/statement/*")[0].text(), &["did not read"]);
    // Not only in the closing: what follows from a point is disputed at once.
    for call in ["round-2/statement", "closing/statement"] {
        has_all(
            &debate.task(&format!("{call}/position_advocate_1")),
            &[
                "Your points that were granted; what follows from them may still be disputed:\n- It is fair (granted by Advocate B; Advocate B holds against it: It costs an hour)\n",
                "Your opponent's points that you granted; what follows from them may still be disputed:\n- It costs an hour\n",
            ],
        );
    }
}

#[test]
fn m7_what_is_left_of_a_point_that_was_held_against_a_granted_one_still_is() {
    let debate = played_by("", |call| {
        let noted = |place: usize| match (call.name().as_str(), place) {
            ("opening/clerk#1", 1) => note("It is so.", &["It is fair"], &[]),
            ("opening/clerk#1", 2) => note("It is so.", &["It costs an hour"], &[]),
            ("round-1/clerk#1", 2) => note("It is so.", &[], &["A1 grant B1"]),
            ("round-2/clerk#1", 2) => {
                note("It is so.", &["It costs a minute"], &["B1 limit 2.1", "A1 grant"])
            }
            _ => note("It is so.", &[], &[]),
        };
        is(call, "*/clerk").then(|| notes(call, "They met.", noted))
    });
    has(
        &read(&debate.place.debates()[0].join("summary.md")),
        "- A1: It is fair – **granted** by Advocate B in [006], with B1 (now B2) held against it; again in [",
    );
}

#[test]
fn m7_who_replied_is_told_that_the_point_was_defended_since() {
    let debate = played_by("", |call| {
        let opens = call.name().starts_with("opening");
        let new = move |place: usize| if opens && place == 1 { &["It is fair"][..] } else { &[] };
        let moves = |place: usize| match (call.name().as_str(), place) {
            ("round-1/clerk#1", 2) => &["A1 full"][..],
            ("round-2/clerk#1", 1) => &["A1 defend"],
            _ => &[],
        };
        is(call, "*/clerk")
            .then(|| notes(call, "They met.", |place| note("It is so.", new(place), moves(place))))
    });
    has(
        &debate.task("closing/statement/position_advocate_2"),
        "\n- It is fair (replied to by you; defended since)\n",
    );
}

#[test]
fn a4_in_short_each_side_is_told_by_what_nobody_answered_and_what_its_last_turn_held() {
    // What the moderator says at length is no story.
    let at_length = "They met. ".repeat(11);
    let debate = played_by("", move |call| {
        if is(call, "end/summary*") { Some(Answer::text(&at_length)) } else { noted(call) }
    });
    has_all(
        &read(&debate.place.debates()[0].join("summary.md")),
        &[
            "\n- As the clerk noted it, Advocate A argued “Point 1 of opening” (no reply noted) and “Point 1 of closing” (no turn left to reply).",
            "\n- Advocate B argued “Point 2 of opening” (no reply noted) and “Point 2 of closing” (no turn left to reply).",
        ],
    );
}

/// A text of which the clerk may note more than of a short one.
fn at_length() -> String {
    let words = (0..120).map(|n| format!("reason{n}"));
    words.collect::<Vec<_>>().join(" ")
}

/// The clerk's notes on a debate whose first advocate was interrupted after its opening: this on the answer to that, and on the
/// turns of the first round.
fn answered(call: &Call, answer: &[&str], round: [&[&str]; 4]) -> Option<Answer> {
    let name = call.name();
    let stage = name.strip_suffix("/clerk#1")?.to_owned();
    Some(notes(call, &format!("They met in {stage}."), |place| {
        let new = format!("Point {place} of {stage}");
        match (stage.as_str(), place) {
            ("opening", 1) => note("A claim.", &["It is fair", "It is cheap"], &[]),
            ("opening", 2) => note("It is still fair.", &[], answer),
            ("round-1", place) => note("A claim.", &[], round[place - 1]),
            ("opening", _) => note("A claim.", &[&new], &[]),
            _ => note("A claim.", &[], &[]),
        }
    }))
}

#[test]
fn a4_an_interruption_is_told_by_how_the_answer_begins_and_what_it_withdraws() {
    let mut other = claim("false");
    other["claim"] = json!("Reasons are a number.");
    let checks = found(&[claim("false"), other]);
    let opening = format!("Fairness is a reason. Reasons are a number. {}", at_length());
    let debate = played_by(FACTS, move |call| {
        if is(call, "opening/statement/position_advocate_1") {
            Some(Answer::text(&opening))
        } else if is(call, "statement-2/fact_check/*") {
            Some(checks.clone())
        } else if is(call, FACT_CHECKS) {
            Some(found(&[claim("true")]))
        } else if is(call, "*/reply/*") {
            Some(Answer::text(
                "I withdraw that. A reason is no number. But costs are low all the same.",
            ))
        } else if is(call, "end/summary*") {
            Some(Answer::text("They met. ".repeat(11)))
        } else {
            answered(call, &["1.1 drop"], [&["A2 defend"], &[], &[], &[]])
        }
    });
    let dir = debate.place.debates()[0].clone();
    let said = "“I withdraw that. A reason is no number. But costs are low all the same.” (A1 withdrawn: It is fair)";
    let summary = read(&dir.join("summary.md"));
    has_all(
        &summary,
        &[
            &format!(
                "for false claims: Fairness is a reason. Reasons are a number. Advocate A in [004]: {said}\n"
            ),
            "| Reasons are a number. | false | Most states do not have it. | interruption, answered in [004] |",
            " gave up “It is fair”",
        ],
    );
    // Behind its number, the clerk's claim tells more than the beginning of what was said.
    has_all(
        &read(&dir.join("index.md")),
        &[
            "answer, **Advocate A**: It is still fair. (A1 withdrawn: It is fair) (",
            "interrupted in 003 for false claims, answered in 004)",
            "Moderator (7 messages, 3 of them written by llama3), ",
        ],
    );
    let messages = list(&dir.join("messages"));
    let opening = messages.iter().find(|path| name_of(path).starts_with("002_"));
    has(
        &read(opening.expect("the opening")),
        "\n> Note: ends without a full stop, interrupted in 003 for false claims, answered in 004.\n",
    );
    let page = read(&dir.join("debate.html"));
    has_all(
        &page,
        &[&format!("in <a href=\"#m004\">004</a>: {said}"), ">Openings</h3>", "interruption"],
    );
    lacks(&page, &[">Interruption</h3>", ">Answer</h3>", "nterjection"]);
}

#[test]
fn a4_an_emergency_reply_to_an_interruption_is_no_answer() {
    let debate = played(
        FACTS,
        [("statement-2/fact_check*", found(&[claim("false")])), ("*/reply/*", refused())],
    );
    let dir = debate.place.debates()[0].clone();
    let summary = read(&dir.join("summary.md"));
    has_all(&summary, &[" Advocate A in [004]: an emergency reply\n", "| interruption |"]);
}

#[test]
fn a4_an_answer_that_the_clerk_did_not_note_is_quoted() {
    let debate = played(
        "",
        [
            (CHECKS, breach(1)),
            ("*/clerk", refused()),
            ("*/reply/*", Answer::text("I take it back. It was wrong.")),
        ],
    );
    has_all(
        &read(&debate.place.debates()[0].join("summary.md")),
        &[" Advocate A in [004]: “I take it back.", "\n- 4 exchanges without notes.\n"],
    );
}

#[test]
fn d4_an_announcement_lists_what_was_answered_in_part_as_speakers_lists_do() {
    let debate = played_by("", |call| {
        let noted = |place: usize| match (call.name().as_str(), place) {
            ("opening/clerk#1", 1) => note("A claim.", &["It is fair"], &[]),
            ("round-1/clerk#1", 2) => note("A claim.", &[], &["A1 part"]),
            _ => note("A claim.", &[], &[]),
        };
        is(call, "*/clerk").then(|| notes(call, "They met.", noted))
    });
    has(
        texts(&debate, "announcement")[1],
        "Points not settled, according to the clerk:\n- Advocate A: It is fair (replied to in part by Advocate B)",
    );
}

/// Enough words for the clerk to note several points.
fn long() -> Answer {
    let words = (0..120).map(|n| format!("reason{n}"));
    Answer::text(words.collect::<Vec<_>>().join(" "))
}

#[test]
fn m7_of_many_points_a_speaker_is_shown_those_that_were_argued_last_or_replied_to() {
    let debate = played_by("", |call| {
        let noted = |place: usize| match (call.name().as_str(), place) {
            ("opening/clerk#1", 1) => note("A claim.", &["Point one", "Point two"], &[]),
            ("round-1/clerk#1", 1) => note("A claim.", &["Point three", "Point four"], &[]),
            ("round-1/clerk#1", 2) => note("A claim.", &["It fails"], &["1.1 full 2.1"]),
            ("round-1/clerk#1", 4) => note("A claim.", &["Point five", "Point six"], &["2.1 full"]),
            ("round-2/clerk#1", 1) => {
                note("A claim.", &["Point seven", "Point eight"], &["A2 again"])
            }
            _ => note("A claim.", &[], &[]),
        };
        if is(call, "*/statement/*, */rebuttal/*") {
            Some(long())
        } else {
            is(call, "*/clerk").then(|| notes(call, "They met.", noted))
        }
    });
    let task = debate.task("closing/statement/position_advocate_2");
    let (_, list) = task.split_once("points that still stand:").expect("a list");
    let (list, _) = list.split_once("- and 2 more").expect("two left out");
    has_all(list, &["\n- Point two\n", "\n- Point three (replied to; that reply was answered)\n"]);
    lacks(list, &["- Point four\n", "- Point six\n"]);
}

#[test]
fn m7_a_reply_that_made_its_opponent_withdraw_is_not_called_unanswered() {
    let debate = played_by("", |call| {
        let noted = |place: usize| match (call.name().as_str(), place) {
            ("opening/clerk#1", 1) => note("A claim.", &["It is fair"], &[]),
            ("round-1/clerk#1", 2) => note("A claim.", &["It is not"], &["A1 full 2.1"]),
            ("round-1/clerk#1", 4) => note("A claim.", &[], &["A1 drop"]),
            _ => note("A claim.", &[], &[]),
        };
        is(call, "*/clerk").then(|| notes(call, "They met.", noted))
    });
    lacks(texts(&debate, "announcement")[1], &["It is not"]);
    lacks(&debate.task("round-2/statement/position_advocate_1"), &["- It is not"]);
    let summary = read(&debate.place.debates()[0].join("summary.md"));
    has_all(
        &summary,
        &["- B1: It is not – **standing** (", "or what it was made against was withdrawn."],
    );
    lacks(&summary, &["noted no reply", "B1: It is not – **no reply noted**"]);
}

#[test]
fn m7_a_narrowed_point_is_told_with_the_one_that_took_its_place_and_replies_with_what_became_of_them()
 {
    let debate = played_by("", |call| {
        let noted = |place: usize| match (call.name().as_str(), place) {
            ("opening/clerk#1", 1) => note("A claim.", &["It is fair"], &[]),
            ("opening/clerk#1", 2) => note("A claim.", &["It costs an hour"], &[]),
            ("round-1/clerk#1", 1) => note("A claim.", &[], &["B1 full"]),
            ("round-1/clerk#1", 2) => note("A claim.", &["It is force"], &["A1 part 2.1"]),
            ("round-1/clerk#1", 4) => {
                note("A claim.", &["It is fair to most"], &["A1 limit 4.1", "2.1 part 4.1"])
            }
            ("round-2/clerk#1", 2) => note("A claim.", &[], &["A2 part B2"]),
            _ => note("A claim.", &[], &[]),
        };
        is(call, "*/clerk").then(|| notes(call, "They met.", noted))
    });
    shows!(debate, {"flow/points/0/status": "narrowed"});
    has(
        texts(&debate, "announcement")[1],
        "\nPoints replied to as a whole, according to the clerk:\n- Advocate B: It costs an hour\n\nPoints withdrawn or narrowed, according to the clerk:\n- Advocate A: It is fair (narrowed to: It is fair to most)",
    );
    has(&debate.task("closing/clerk"), "- A1 (Advocate A, narrowed to A2): It is fair\n");
    let own = debate.task("closing/statement/position_advocate_1");
    has_all(
        &own,
        &[
            "- It is fair to most (narrowed from: It is fair; replied to in part by Advocate B: It is force; you answered that in part: It is fair to most)\n",
            "\nYour opponent's points that were replied to:\n- It is force (replied to in part by you: It is fair to most; Advocate B answered that in part: It is force)\n- It costs an hour (replied to by you)\n",
        ],
    );
    lacks(&own, &["gave up", "points that still stand:"]);
    let dir = debate.place.debates()[0].clone();
    has_all(
        &read(&dir.join("summary.md")),
        &[
            "\n2 points (replied to in part: 1; narrowed: 1).\n",
            "- A1: It is fair – **narrowed to A2** in [",
            "], “It is fair to most” ([002]; replied to in part with B2 (itself replied to in part) in [",
        ],
    );
    has_all(
        &read(&dir.join("index.md")),
        &["A1[\"A1, narrowed to A2: It is fair\"]", "  A1 -- narrowed to --> A2\n"],
    );
}
