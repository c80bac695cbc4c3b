//! Rows J3 and S4: judges on the model of some of the debaters are warned of before the run, in the debate's summary and in
//! statistics; where everyone is on the judge's model, one note in statistics says so.

use mock_ollama::{Answer, Card, MockOllama};
use serde_json::json;

use crate::harness::corpus::{Debate, between, decided_knockout};
use crate::harness::found::{group, measure};
use crate::harness::{Place, is, modest, read, shows};

const DUEL: &str =
    "format: duel\ntopic: Should voting be compulsory?\nrounds: 2\nallow_explicit: true\n";

/// What `check` warns of.
fn warnings(job: &str) -> Vec<String> {
    let place = Place::new();
    place.write("job.yaml", job);
    let ended = place.rebut_exits(0, &["check", "--rehearse", "job.yaml"]);
    let lines = ended.stdout.lines().map(str::to_owned);
    lines.filter(|line| line.starts_with("warning:")).collect()
}

#[test]
fn j3_check_warns_of_a_judge_on_the_model_of_some_of_the_debaters() {
    let told = "warning: job: in 1 of 1 debates, a judge runs on the model of some debaters but not all (llama3); \
        models tend to favour their own texts. Use judges on models that do not debate: `judges: [{model: NAME}]`";
    let moderated = "format: moderated\ntopic: Should voting be compulsory?\nround_count: 1\n";
    let query = "format: dialectic\nquery: Should voting be compulsory?\n";
    for job in [
        format!("{DUEL}a: {{model: mistral}}\n"),
        format!(
            "{DUEL}a: {{model: mistral}}\njudges: [{{model: qwen3}}, {{model: \"llama3:latest\"}}]\n"
        ),
        // Without judges, the moderator scores.
        format!("{moderated}advocates: [{{model: mistral}}, {{}}]\n"),
        format!("{query}skeptic: {{model: mistral}}\n"),
        // Whose answer is scored.
        format!("{query}synthesizer: {{model: mistral}}\n"),
    ] {
        assert_eq!(warnings(&job), [told], "{job}");
    }
    let knockout = "topic: Should voting be compulsory?\nrounds: 1\nx: {model: mistral}\n";
    let team = "In this format a debater's own team judges: use one model for both sides, or trust the votes less";
    // A neutral judge is on nobody's model.
    for job in [knockout.to_owned(), format!("{knockout}judges: [{{model: qwen3}}]\n")] {
        let found = warnings(&job);
        assert!(found.len() == 1 && found[0].ends_with(team), "{found:?}");
    }
}

#[test]
fn j3_check_does_not_warn_where_a_judge_is_on_nobodys_or_everybodys_model() {
    for job in [
        DUEL.to_owned(),
        "topic: Should voting be compulsory?\n".to_owned(),
        format!("{DUEL}judges: [{{model: gemma3}}, {{model: phi4}}]\na: {{model: mistral}}\n"),
        format!("{DUEL}judges: [{{model: gemma3}}]\n"),
        // In a team everyone judges, but not itself.
        "topic: Should voting be compulsory?\nx: {model: a1}\ny: [{model: b2}, {model: c3}, {model: d4}]\n".to_owned(),
        // Nobody is scored, so nobody judges.
        "format: moderated\ntopic: Should voting be compulsory?\nscoring: false\nadvocates: [{model: mistral}, {}]\n".to_owned(),
        "format: roundtable\nquery: Should voting be compulsory?\nspecialists: [{model: mistral}, {}]\n".to_owned(),
    ] {
        assert_eq!(warnings(&job), Vec::<String>::new(), "{job}");
    }
}

#[test]
fn j3_check_counts_the_debates_of_each_job_with_such_judges() {
    let job = format!(
        "{DUEL}judges: [{{model: llama3}}, {{model: mistral}}]\nmatrix:\n  pair:\n    - {{a.model: llama3, b.model: mistral}}\n    - {{a.model: phi4, b.model: qwen3}}\n    - {{a.model: phi4, b.model: mistral}}\n"
    );
    let found = warnings(&job);
    assert_eq!(found.len(), 1, "{found:?}");
    let told = "in 2 of 3 debates, a judge runs on the model of some debaters but not all (llama3 and mistral)";
    assert!(found[0].contains(told), "{found:?}");
}

/// The summary of a duel between llama3 and another model, before these judges.
fn summary(cards: Vec<Card>, other: &str, judges: &str) -> String {
    let place = Place::with(MockOllama::builder().models(cards).start());
    let names = "a: {name: Pro}\n";
    place.trace_of(
        &format!("{DUEL}{names}b: {{name: Con, model: {other}}}\njudges: {judges}\n"),
        &[],
    );
    read(&place.debates()[0].join("summary.md"))
}

fn cards() -> Vec<Card> {
    ["llama3", "mistral", "gemma3"].map(Card::new).to_vec()
}

#[test]
fn a4_a_summary_says_which_judge_is_on_the_model_of_one_side() {
    let note = "> Judge-1 ran on llama3, the model of Pro but not of Con. Models tend to favour their own texts.";
    let told = summary(cards(), "mistral", "[{}, {model: gemma3}]");
    assert!(told.contains(note), "{told}");
    let told = summary(cards(), "mistral", "[{}, {}]");
    let both = "> Judge-1 and Judge-2 ran on llama3, the model of Pro";
    assert!(told.contains(both), "{told}");
    for (other, judges) in [("mistral", "[{model: gemma3}]"), ("llama3", "[{}]")] {
        let told = summary(cards(), other, judges);
        assert!(!told.contains("favour their own"), "{told}");
        let all = "> Judge-1 ran on llama3, as did all who debated. That favours no side,";
        assert_eq!(told.contains(all), other == "llama3", "{told}");
    }
}

#[test]
fn a4_each_reading_keeps_its_summary() {
    let place = Place::with(MockOllama::builder().models(cards()).start());
    place.reply_by(move |call| {
        let schema = call.schema().filter(|_| is(call, "end/verdict*"))?;
        let mut verdict = modest(schema);
        verdict["summary"] = json!(format!("So it went in {}.", call.name().replace('_', " ")));
        let own = verdict["scores"]["agent_a"].as_object_mut()?;
        own.values_mut().for_each(|score| *score = json!(6));
        Some(Answer::json(&verdict))
    });
    let names = "a: {name: Pro}\nb: {name: Con, model: mistral}\njudges: [{model: llama3}, {model: gemma3}]\n";
    let trace = place.trace_of(&format!("{DUEL}{names}"), &[]);
    let dir = place.debates()[0].clone();
    let shown = place.rebut(&["show", &dir.to_string_lossy()]).stdout;
    for told in [read(&dir.join("summary.md")), shown] {
        for judge in trace["verdicts"][0]["judges"].as_array().expect("judges") {
            for reading in judge["readings"].as_array().expect("readings") {
                // Ids in a text would become names.
                let call = reading["call"].as_str().expect("a call");
                let said = format!("So it went in {}", call.replace('_', " "));
                let summary = reading["summary"].as_str().expect("a summary");
                assert!(summary.starts_with(&said), "{summary}");
                assert_eq!(told.matches(summary).count(), 1, "{summary} in {told}");
            }
        }
    }
}

#[test]
fn a9_a_warning_on_judges_is_told_whole_or_not() {
    let place = Place::with(MockOllama::builder().models(cards()).start());
    place.trace_of(&format!("{DUEL}judges: [{{}}, {{}}]\n"), &[]);
    let path = place.debates()[0].to_string_lossy().into_owned();
    let of = |budget: u32| {
        let budget = budget.to_string();
        place.rebut(&["show", &path, "--budget", &budget]).stdout
    };
    let all: Vec<String> = (100..600).step_by(20).map(of).collect();
    let begins = |told: &&String| told.contains("as did all who debated.");
    let mut told = all.iter().filter(begins).peekable();
    assert!(told.peek().is_some(), "{all:#?}");
    assert!(
        told.all(|told| told.contains("but a judge may miss what its own model misses.")),
        "{all:#?}"
    );
}

#[test]
fn a4_a_model_under_another_name_is_known_by_its_digest() {
    let digest = "c".repeat(64);
    let twins = ["llama3", "my-llama"].map(|name| Card::new(name).digest(&digest));
    let told =
        summary([twins.to_vec(), cards().split_off(1)].concat(), "mistral", "[{model: my-llama}]");
    let note = "> Judge-1 ran on my-llama, the model of Pro but not of Con.";
    assert!(told.contains(note), "{told}");
    let told = summary(cards(), "mistral", "[{model: gemma3}]");
    assert!(!told.contains("favour their own"), "{told}");
}

#[test]
fn a4_a_knockouts_team_that_shares_its_model_and_not_x_s_is_told_of() {
    let place = Place::with(MockOllama::builder().models(cards()).start());
    let job = "topic: Should voting be compulsory?\nrounds: 1\nallow_explicit: true\nx: {model: mistral}\n";
    place.trace_of(job, &[]);
    let told = read(&place.debates()[0].join("summary.md"));
    let note = "In the votes, Y-2, Y-3 and Y-4 ran on llama3, also the model of Y-1, who debated.";
    assert!(told.contains(&format!("> {note}")), "{told}");
    let index = read(&place.debates()[0].join("index.md"));
    assert!(index.contains(&format!("> {note}")), "{index}");
    let debate = place.debates()[0].to_string_lossy().into_owned();
    let shown = place.rebut(&["show", &debate]).stdout;
    assert!(shown.contains(note), "{shown}");
}

#[test]
fn a4_a_knockouts_neutral_judge_on_the_model_of_one_side_is_told_of() {
    let place = Place::with(MockOllama::builder().models(cards()).start());
    let job = "topic: Should voting be compulsory?\nrounds: 1\nallow_explicit: true\nx: {model: mistral}\ny: [{model: gemma3}, {model: gemma3}]\njudges: [{model: mistral}]\n";
    place.trace_of(job, &[]);
    let told = read(&place.debates()[0].join("summary.md"));
    let note = "> In the votes, Y-2 ran on gemma3, also the model of Y-1, who debated. Judge-1 ran on mistral, the model of X but not of Y-1. Models tend to favour their own texts.";
    assert!(told.contains(note), "{told}");
    let warned = warnings(&format!("format: knockout\n{job}"));
    assert!(warned[0].contains("(gemma3 and mistral)"), "{warned:?}");
}

fn cautions(debates: &[Debate]) -> Vec<String> {
    cautions_with(debates, &["on the same model as", "one model debates"])
}

fn cautions_with(debates: &[Debate], words: &[&str]) -> Vec<String> {
    let found = Place::of_debates(debates).found(&[]);
    let all = found["cautions"]
        .as_array()
        .expect("cautions")
        .iter()
        .filter_map(|caution| caution.as_str().map(str::to_owned));
    all.filter(|caution| words.iter().any(|words| caution.contains(words))).collect()
}

/// A duel that one judge scored.
fn judged(n: usize, a: &str, b: &str, judge: &str) -> Debate {
    Debate::of("duel", n)
        .verdict(judge, [("agent_a", 8.0), ("agent_b", 5.0)])
        .winner("agent_a")
        .model("agent_a", a)
        .model("agent_b", b)
}

#[test]
fn s4_judges_on_the_model_of_some_debaters_stand_under_what_to_distrust() {
    let debates = [
        judged(1, "llama-8", "mistral-7", "llama-8"),
        judged(2, "phi-4", "mistral-7", "mistral-7:latest"),
        judged(3, "phi-4", "mistral-7", "gemma-2"),
        judged(4, "phi-4", "phi-4", "phi-4"),
        // Judged by others.
        between(5, "llama-8", "mistral-7"),
    ];
    assert_eq!(
        cautions(&debates),
        [
            "In 2 of 5 duel debates, a judge runs on the same model as some debaters but not all (llama-8 and mistral-7): models tend to favour their own texts.",
            "In 1 of 5 judged debates, one model debates on all sides and judges: its blind spots do not show in any score.",
        ]
    );
    assert_eq!(cautions(&debates[2..3]), Vec::<String>::new());
    let alone = "In the one judged debate, one model debates on all sides and judges: its blind spots do not show in any score.";
    assert_eq!(cautions(&debates[3..4]), [alone]);
}

#[test]
fn s4_judges_who_decide_a_knockout_are_known_and_score_no_debater() {
    let debate = decided_knockout(1, "mistral-7");
    assert_eq!(
        cautions(std::slice::from_ref(&debate)),
        [
            "In 1 of 1 knockout debates, a judge runs on the same model as some debaters but not all (mistral-7): models tend to favour their own texts.",
        ]
    );
    let found = Place::of_debates(&[debate]).found(&["--by", "model"]);
    shows!(found, {"counts/judges": 1, "counts/judgments/valid": 2, "judges/order/0/slot_effect/n": 1});
    for model in ["llama-8", "mistral-7"] {
        let group = group(&found, model);
        shows!(group, {"counts/judgments/valid": 2});
        assert!(measure(group, "score.total").is_null(), "{group}");
    }
}

#[test]
fn s4_of_one_model_that_plays_everything_there_is_one_note_over_all_formats() {
    let ys = (1..5).map(|y| format!("position_y_{y}"));
    let knockout = Debate::of("knockout", 2).model("position_x", "llama-8").ballot(
        1,
        "llama-8",
        "position_y_1",
        3.0,
        true,
    );
    let knockout = ys.fold(knockout, |debate, y| debate.model(&y, "llama-8"));
    let debates = [judged(1, "llama-8", "llama-8", "llama-8"), knockout];
    assert_eq!(
        cautions(&debates),
        [
            "In 2 of 2 judged debates, one model debates on all sides and judges, in 1 of them as the debater's own team: its blind spots do not show in any score."
        ]
    );
}

#[test]
fn s4_a_neutral_judge_on_another_model_sees_more_and_leaves_ballots_comparable() {
    let ids = [1, 2, 3, 4].map(|y| format!("position_y_{y}"));
    let voted = |debate: Debate| {
        let debate =
            debate.model("position_x", "llama-8").ballot(1, "llama-8", "position_y_1", 3.0, true);
        ids.iter().fold(debate, |debate, y| debate.model(y, "llama-8"))
    };
    let debates = [voted(Debate::of("knockout", 1)), voted(decided_knockout(2, "gemma-2"))];
    let words = ["one model debates", "Mean knockout scores mix"];
    let alone = "In 1 of 2 judged debates, one model debates on all sides and judges, as the debater's own team: its blind spots do not show in any score.";
    assert_eq!(cautions_with(&debates, &words), [alone]);
}

#[test]
fn s3_different_weights_under_one_name_are_told_with_their_debates() {
    let with = |n, digest: &str| {
        let cards = [("llama-8", digest), ("mistral-7", "b"), ("qwen-9", "c")].map(|(name, digest)| {
            json!({"name": name, "digest": digest.repeat(64), "family": null, "parameters": null, "quantization": null,
                "context_length": null, "server": null})
        });
        judged(n, "llama-8", "mistral-7", "qwen-9").with("models", json!(cards))
    };
    let told = "Different weights under one name count as one model: llama-8 (aaaaaaaaaaaa in 2 debates, dddddddddddd in 1 debate).";
    let found = |debates: &[Debate]| cautions_with(debates, &["weights"]);
    assert_eq!(found(&[with(1, "a"), with(2, "d"), with(3, "a")]), [told]);
    assert!(found(&[with(1, "a"), with(2, "a")]).is_empty());
}

#[test]
fn s4_a_judge_is_known_by_its_digest_under_another_name() {
    let twins = |debate: Debate| {
        let cards = ["llama-8", "mistral-7", "my-own"].map(|name| {
            let digest = if name == "mistral-7" { "b" } else { "a" }.repeat(64);
            json!({"name": name, "digest": digest, "family": null, "parameters": null, "quantization": null,
                "context_length": null, "server": null})
        });
        debate.with("models", json!(cards))
    };
    let found = cautions(&[twins(judged(1, "llama-8", "mistral-7", "my-own"))]);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(
        found[0].starts_with("In 1 of 1 duel debates, a judge runs on the same model as some"),
        "{found:?}"
    );
    assert!(cautions(&[judged(1, "llama-8", "mistral-7", "my-own")]).is_empty());
}
