//! Row M3c: what models are shown of a debate that does not fit into their context.

use mock_ollama::{Answer, Call};
use serde_json::json;

use crate::harness::{Kind, Place, good, incidents, kind, round_of, with_job};

/// Text of about so many tokens, by the estimate that prompts start from.
fn prose(mark: &str, tokens: usize) -> String {
    let sentences = (1..).map(|n| format!("{mark} reason {n} is that it helps. "));
    let mut text = String::new();
    for sentence in sentences {
        if text.len() as f64 / 3.5 > tokens as f64 {
            break;
        }
        text += &sentence;
    }
    text.trim_end().to_owned()
}

/// A dialectic whose proposals and critiques are about as long as they may be.
fn long_dialectic(call: &Call) -> Answer {
    let task = call.last_message();
    let round = round_of(call);
    // A repair has the task further up.
    let text = if call.text().contains("You test Proposer's answer") {
        format!("🔴 logical_gap: {}", prose(&format!("Critique {round}"), 800))
    } else if call.schema().is_some() {
        return Answer::shaped();
    } else if task.contains("you write its final answer") {
        "Answer: yes.\nReasoning: it helps.\nConfidence: low.\nOpen points: none.".to_owned()
    } else {
        prose(&format!("Proposal {round}"), 800)
    };
    Answer::text(text)
}

const DIALECTIC: &str = "format: dialectic\nquery: Should voting be compulsory?\nretrieval: null\nallow_explicit: true\n";

#[test]
fn m3c_a_synthesizer_with_a_tight_context_is_shown_each_sides_newest_statement() {
    let place = Place::new();
    place.server.script(long_dialectic);
    let job = format!("{DIALECTIC}defaults: {{context_window: 4096}}\n");
    let trace = place.trace_of(&job, &[]);
    let calls = place.server.chats();
    let synthesis = calls
        .iter()
        .find(|call| call.last_message().contains("you write its final answer"))
        .expect("a synthesis");
    let text = synthesis.last_message();
    assert!(text.contains("Proposal 5 reason 40"), "{text}");
    assert!(text.contains("Critique 5 reason 40"), "{text}");
    assert_eq!(trace["status"], "done", "{}", trace["cause"]);
    assert!(!incidents(&trace, "compaction").is_empty());
}

#[test]
fn m3c_a_final_text_from_less_than_that_degrades_the_debate_and_check_warns_of_it() {
    let place = Place::new();
    place.server.script(long_dialectic);
    let job = format!(
        "{DIALECTIC}defaults: {{context_window: 4096}}\nsynthesizer: {{context_window: 2048}}\nmax_rounds: 3\n"
    );
    let trace = place.trace_of(&job, &[]);
    let told = "Synthesizer could not be shown each side's newest statement and main points: a context_window of 2048 is too small for this debate";
    assert_eq!(trace["status"], "degraded");
    assert_eq!(trace["cause"], told);
    assert_eq!(incidents(&trace, "context")[0]["message"], told);
    let check = place.rebut(&["check", "--rehearse", "job.yaml"]);
    let warning = format!("warning: with replies at their limits, {told}");
    let printed = format!("{}{}", check.stdout, check.stderr);
    assert!(printed.contains(&warning), "{printed}");
    place.write("roomy.yaml", &job.replace("2048", "8192").replace("compulsory", "secret"));
    let check = place.rebut(&["check", "--rehearse", "job.yaml", "roomy.yaml"]);
    let named = warning.replace("warning: ", "warning: job: ");
    assert!(check.stdout.contains(&named), "{}", check.stdout);
    let roomy = ["--set", "synthesizer.context_window=8192"];
    let check = place.rebut(&[&["check", "--rehearse", "job.yaml"][..], &roomy].concat());
    let printed = format!("{}{}", check.stdout, check.stderr);
    assert!(!printed.contains("with replies at their limits, "), "{printed}");
}

#[test]
fn m3c_judges_get_all_that_fits_after_a_debate_in_which_every_statement_was_interrupted() {
    let place = Place::new();
    place.server.script(|call| {
        let task = call.last_message();
        let round = round_of(call);
        match kind(call) {
            Kind::Check => Answer::json(&json!({"because": "It does.", "breach": true, "rule": 1})),
            Kind::Statement if task.contains("to argue") => {
                Answer::text(prose(&format!("Argument {round}"), 240))
            }
            Kind::Statement if task.contains("to rebut") => {
                Answer::text(prose(&format!("Rebuttal {round}"), 240))
            }
            Kind::Statement => Answer::text(prose("Plain", 90)),
            _ => good(call),
        }
    });
    let job = "format: moderated\ntopic: Should voting be compulsory?\nround_count: 2\nallow_explicit: true\n\
        advocates: [{name: A, position: Yes}, {name: B, position: No}, {name: C, position: Partly}]\n";
    place.trace_of(job, &[]);
    let chats = place.server.chats();
    let verdict = chats.iter().rfind(|call| kind(call) == Kind::Verdict).expect("a verdict");
    let text = verdict.last_message();
    // All that was said, but for what 95% of the context cannot hold with the reply.
    let tokens = verdict.text().chars().count() as f64 / 3.5;
    let reply = verdict.option("num_predict").and_then(serde_json::Value::as_f64).expect("a limit");
    assert!(tokens + reply > 8192.0 * 0.7, "{tokens} tokens of prompt, {reply} of reply");
    assert!(text.contains("Argument 2 reason 5"), "{text}");
    assert!(text.contains("Rebuttal 2 reason 5"), "{text}");
}

#[test]
fn m3c_knockouts_stand_in_prompts_whose_rounds_were_folded() {
    let place = Place::new();
    place.server.script(|call| match kind(call) {
        Kind::Statement => Answer::text(prose(&format!("Round {}", round_of(call)), 700)),
        Kind::Ballot => crate::harness::ballot(1, round_of(call) != 1),
        _ => good(call),
    });
    let job = "topic: Should voting be compulsory?\nrounds: 6\nallow_explicit: true\n";
    let trace = place.trace_of(job, &[]);
    let next = trace["rotations"][0]["next"]
        .as_str()
        .expect("who came in")
        .rsplit('_')
        .next()
        .expect("a number");
    let chats = place.server.chats();
    let last = chats.iter().rfind(|call| kind(call) == Kind::Statement).expect("a statement");
    let text = last.last_message();
    assert!(!text.contains("Round 1 reason 1 is"), "round 1 is folded\n{text}");
    let told = format!("After round 1: Y-1 is voted out, Y-{next} comes in by lot");
    assert!(text.contains(&told), "{told}\n{text}");
}

#[test]
fn m3c_check_warns_of_each_cell_by_what_its_prompts_hold() {
    let rules: Vec<String> = (0..3).map(|n| prose(&format!("Rule {n}"), 110)).collect();
    let rules = json!(rules.iter().map(|rule| &rule[..rule.len().min(390)]).collect::<Vec<_>>());
    let job = format!(
        "topic: Should voting be compulsory?\nallow_explicit: true\nrounds: 2\ndefaults: {{context_window: 2600, max_tokens: 300}}\nmatrix: {{rules: [[], {rules}]}}\n"
    );
    let place = with_job(&job);
    let warnings = |args: &[&str]| {
        let checked = place.rebut(&[&["check", "--rehearse", "job.yaml"], args].concat());
        let lines = [checked.stdout, checked.stderr].concat();
        lines.lines().filter(|line| line.starts_with("warning")).count()
    };
    let all = warnings(&[]);
    assert_eq!(warnings(&["--limit", "1"]), 0, "without rules all fits");
    assert!(all > 0, "with them it does not");
}
