//! Debates whose replies capable chat models would have written: Markdown, fences, labels, meta lines, a refusal, thoughts
//! in the text, long reasons. `tests/capable/FORMAT.script.txt` holds them by call and attempt, `FORMAT.yaml` the job.

use std::path::PathBuf;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::harness::rehearsed::{Rehearsed, rehearsed};
use crate::harness::{incidents, read, shows};

/// A debate as it was played.
struct Played {
    trace: Value,
    dir: PathBuf,
    /// What was written down and not asked for, and what was asked for and not written down.
    notes: Vec<String>,
    _place: TempDir,
}

fn play(format: &str) -> Played {
    let job = format!("tests/capable/{format}.yaml");
    let place = TempDir::new().expect("a directory");
    // `CAPABLE=DIR` keeps what is written, to be read.
    let root = std::env::var_os("CAPABLE").map_or_else(|| place.path().to_owned(), PathBuf::from);
    let Rehearsed { plan, trace, dir } = rehearsed(&job, &root);
    let script = plan.script.expect("a script");
    let asked = trace.calls.iter();
    let asked = asked.map(|call| (call.call.as_str(), call.attempt));
    Played {
        trace: serde_json::from_str(&read(&dir.join("trace.json"))).expect("a trace"),
        dir,
        notes: script.notes(&plan.topic, asked),
        _place: place,
    }
}

/// What no statement on the record holds: labels, meta lines, thoughts.
const NO_PART: [&str; 8] = [
    "<think>",
    "word count",
    "words)",
    "let me know",
    "i hope this helps",
    "here is my",
    "here's my",
    "end of closing statement",
];

/// What holds of every such debate.
fn check(played: &Played, outcome: &str, refusals: usize) {
    let trace = &played.trace;
    let told = incidents(trace, "invalid");
    assert_eq!(trace["status"], "done", "{}", trace["cause"]);
    assert_eq!(trace["outcome"]["line"], outcome);
    assert_eq!(incidents(trace, "refusal").len(), refusals);
    assert!(told.is_empty(), "{told:?}");
    assert_eq!(played.notes, [""; 0]);
    for statement in trace["statements"].as_array().expect("statements") {
        let text = statement["text"].as_str().expect("a text").to_lowercase();
        let name = statement["by"].as_str().expect("a speaker");
        for part in NO_PART {
            assert!(!text.contains(part), "{name}: {part}: {text}");
        }
    }
    for file in ["index.md", "summary.md"] {
        let text = read(&played.dir.join(file));
        assert!(!text.contains("\\*\\*") && !text.contains("\\##"), "{text}");
    }
}

#[test]
fn m4_a_duel_of_capable_models_is_read_as_it_was_meant() {
    let played = play("duel");
    check(
        &played,
        "mistral (Ethicist) beats llama3 (Keeper), 7.95 to 6.95 (2 judges)",
        1,
    );
}

#[test]
fn m4_a_moderated_debate_of_capable_models_is_read_as_it_was_meant() {
    let played = play("moderated");
    check(
        &played,
        "mistral (Employer) beats llama3 (Employee), 6.95 to 5.95 (1 judge)",
        1,
    );
}

#[test]
fn m4_a_roundtable_of_capable_models_is_read_as_it_was_meant() {
    let played = play("roundtable");
    check(&played, "Consensus on trial after 2 rounds (3 of 3)", 1);
    let moves = &played.trace["outcome"]["details"]["moves"];
    let told: Vec<_> = moves.as_array().into_iter().flatten().collect();
    let told: Vec<_> = told
        .iter()
        .map(|it| (it["specialist"].as_str(), it["moved_by"].as_str()))
        .collect();
    let (one, two, three) = (
        Some("specialist_1"),
        Some("specialist_2"),
        Some("specialist_3"),
    );
    assert_eq!(told, [(one, three), (three, two)]);
}

#[test]
fn m4_a_dialectic_of_capable_models_is_read_as_it_was_meant() {
    let played = play("dialectic");
    check(
        &played,
        "No, the city should not make buses and trams free for everyone. (confidence medium, 7.55)",
        1,
    );
    let trace = &played.trace;
    let read_as: Vec<&Value> = trace["statements"]
        .as_array()
        .expect("statements")
        .iter()
        .filter(|statement| statement["by"] == "skeptic")
        .map(|statement| &statement["read_as"])
        .collect();
    let expected = [
        json!(["fenced", "prose"]),
        json!(["prose"]),
        json!(["number_in_text", "spelt", "thought"]),
    ];
    assert_eq!(read_as, expected.iter().collect::<Vec<_>>());
    shows!(trace["outcome"]["details"], {
        "stopped_by": "ready", "ledger count": 9, "comparison/better": "final",
        "ledger/5/status": "partial", "ledger/6/status": "resolved", "ledger/0/answers":
            [{"round": 2, "answer": "defend"}, {"round": 3, "answer": "accept"}],
    });
    shows!(trace["flow"]["points"], {"0/status": "conceded", "1/status": "conceded", "8/status": "standing"});
}

#[test]
fn m4_a_knockout_of_capable_models_is_read_as_it_was_meant() {
    let played = play("knockout");
    check(&played, "Commuter (qwen3) stands, 1 knocked out", 1);
}
