//! What a control's files and page say of it.

use std::path::PathBuf;

use mock_ollama::{Answer, Call};
use serde_json::json;

use super::{JOB, place, questions, reply};
use crate::harness::{Place, has, has_all, is, lacks, read, trace_in};
use crate::html;
use crate::markdown::structure;
use crate::pages::check_page;

/// The directory of the only run of an arm.
fn of_arm(place: &Place, arm: &str) -> PathBuf {
    let mut debates = place.debates().into_iter();
    let found = debates.find(|it| trace_in(it)["plan"]["arm"] == arm);
    found.expect("a run of the arm")
}

/// What a reader sees of a Markdown file of an arm's run.
fn file(place: &Place, arm: &str, name: &str) -> String {
    structure(&read(&of_arm(place, arm).join(name)), false).text
}

/// What a reader sees of its page.
fn page(place: &Place, arm: &str) -> String {
    html::text(&check_page(&of_arm(place, arm).join("debate.html")))
}

/// Everything that a reader of an arm's run is told: by its index, its summary, its page and `rebut show`.
fn told(place: &Place, arm: &str) -> [String; 4] {
    let trace = trace_in(&of_arm(place, arm));
    let id = trace["id"].as_str().expect("an id");
    let shown = place.rebut_exits(0, &["show", &id[..12]]).stdout;
    [file(place, arm, "index.md"), file(place, arm, "summary.md"), page(place, arm), shown]
        .map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// A question of which every answer is the first choice, with all controls.
fn all_arms() -> Place {
    let place = place(
        1,
        "arms: [single, self_consistency, vote, consultancy]\na: {name: Ann, model: mistral}\nb: {name: Ben}\n",
    );
    place.run_exits(0, &["job.yaml"]);
    place
}

#[test]
fn c3_files_and_page_of_a_control_say_who_answered_how_often_and_at_what_cost() {
    let place = all_arms();
    let samples = |arm: &str| {
        let budget = trace_in(&of_arm(&place, arm))["plan"]["budget"].clone();
        ["samples", "spent", "tokens"].map(|key| budget[key].as_u64().expect("a number"))
    };
    let matched = |arm: &str, who: &str, times: &str| {
        let [n, spent, tokens] = samples(arm);
        assert!(n > 2, "{arm}");
        format!(
            "A) red: {n} of {n} answers. {who} answered {n} times{times}, without a debate; the most frequent answer counts. By the answer key, that is right. It took {spent} tokens of replies; the debate on this question took {tokens}."
        )
    };
    let unmatched = "tokens of replies; this kind of control is not matched to its debates.";
    let expected = [
        ("single", format!("A) red. Voter-1 answered once, without a debate. By the answer key, that is right. It took 50 {unmatched}"), "Answered by Voter-1 (llama3)"),
        ("self_consistency", matched("self_consistency", "Voter-1", ""), "Answered by Voter-1 (llama3)"),
        ("vote", matched("vote", "Voter-1 and Voter-2", " in turn"), "Answered by Voter-1 (mistral)"),
        ("consultancy", "A) red. Ann argued unopposed, and then Judge-1 answered. By the answer key, that is right. It took ".to_owned(), "Answered by Judge-1 (llama3)"),
    ];
    for (arm, sentences, who) in expected {
        let [index, summary, page, shown] = told(&place, arm);
        let words = arm.replace('_', "-");
        // The question first.
        for text in [&index, &summary, &page, &shown] {
            has(text, "What is number 1 of the list?");
            lacks(text, &["Also:", "are valid", "1 of 1", "1 times"]);
        }
        for text in [&index, &summary] {
            has(text, &sentences);
        }
        // Where the line stands apart from what is behind it.
        let (line, behind) = sentences.split_once(". ").expect("a line");
        for text in [&page, &shown] {
            has_all(text, &[line, behind]);
        }
        let kind = format!("without a debate ({words})");
        has_all(&index, &[&format!("A control {kind}"), who]);
        has_all(&page, &[&format!("A control {kind}"), who]);
        has_all(&shown, &["Control ", &kind, who]);
        has(&summary, who);
    }
    let metadata = file(&place, "vote", "metadata.md");
    has(&metadata, "matched to");
    lacks(&metadata, &["Participation", "| job"]);
}

#[test]
fn c3_a_control_in_which_nobody_argued_shows_nothing_of_a_debate() {
    let place = all_arms();
    for arm in ["single", "self_consistency", "vote"] {
        let [index, summary, page, _] = told(&place, arm);
        lacks(&index, &["Messages", "judges", "arguments", "reasons"]);
        lacks(&summary, &["What decided it", "In short", "Scores"]);
        lacks(&page, &["Nothing was said", "What decided it"]);
    }
    let [index, ..] = told(&place, "consultancy");
    has(&index, "Messages");
}

/// Votes with these answers, one after the other.
fn voted(answers: &'static [&'static str]) -> Place {
    let place = Place::new();
    place.write("q.jsonl", &questions(1));
    let most = answers.len();
    place.write("job.yaml", &format!("{JOB}arms: [vote]\nmatch: {{max_samples: {most}}}\n"));
    place.server.script(move |call: &Call| {
        let at = (1..=most).find(|n| is(call, &format!("round-{n}/sample/*")));
        let Some(at) = at else {
            return reply(call);
        };
        let said = json!({"because": "It is so.", "final_answer": answers[at - 1]});
        Answer::json(&said).tokens(10, 5)
    });
    place.run_exits(0, &["job.yaml"]);
    place
}

#[test]
fn c3_answers_of_a_vote_are_counted_and_a_wrong_one_is_called_wrong() {
    let place = voted(&["B", "A", "B", "none of these"]);
    let [index, summary, page, _] = told(&place, "vote");
    for text in [&index, &summary, &page] {
        has_all(
            text,
            &[
                "B) green: 2 of 4 answers",
                "1 answer is not valid. By the answer key, that is wrong: it is A) red.",
            ],
        );
        lacks(text, &["as frequent"]);
    }
    for text in [&summary, &page] {
        has(text, "B) green: 2 answers; this answer counts");
        has(text, "A) red: 1 answer");
        has(text, "no valid answer: 1 answer");
    }
    has(&index, "which is no match");
}

#[test]
fn c3_a_draw_between_answers_is_told_and_so_is_that_there_is_none() {
    let [index, ..] = told(&voted(&["A", "B"]), "vote");
    has_all(&index, &["1 of 2 answers", "Another answer was as frequent; a draw decided."]);
    let [index, ..] = told(&voted(&["none", "neither"]), "vote");
    has(&index, "No valid answer. Voter-1 and Voter-2 answered 2 times in turn");
    has(&index, "By the answer key, it is A) red.");
    lacks(&index, &["not valid."]);
}

#[test]
fn c4_a_debate_says_its_answer_and_whether_it_is_right_wherever_it_says_its_outcome() {
    let place = all_arms();
    for text in told(&place, "debate") {
        has(
            &text,
            "Asked for an answer after the debate, Judge-1 gave A) red, which is right by the answer key.",
        );
        lacks(&text, &["Answer: A) red"]);
    }
    // Lists have a line for each.
    let listed = read(&place.path().join("output/index.jsonl"));
    has(&listed, "; answer given afterwards: A) red (right)\"");
    has(&listed, " answers (right)\"");
}

#[test]
fn c4_of_several_judges_it_is_told_who_gave_which_answer() {
    let place = place(1, "judges: [{name: Cy}, {name: Di}, {name: Eve}]\n");
    place.server.script(|call| {
        let said = if is(call, "*/final-answer/judge_3") {
            "B"
        } else {
            return reply(call);
        };
        Answer::json(&json!({"answer": said})).tokens(10, 5)
    });
    place.run_exits(0, &["job.yaml"]);
    let [index, summary, page, _] = told(&place, "debate");
    let share = "Asked for an answer after the debate, 2 of 3 gave A) red, which is right by the answer key.";
    for text in [&index, &summary, &page] {
        has(text, share);
    }
    for text in [&summary, &page] {
        has(text, "A) red: Cy and Di; this answer counts");
        has(text, "B) green: Eve");
    }
}
