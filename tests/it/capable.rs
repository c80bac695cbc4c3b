//! Debates whose replies capable chat models would have written: Markdown, fences, labels, meta lines, a refusal, thoughts
//! in the text, long reasons. `tests/capable/FORMAT.script.txt` holds them by call and attempt, `FORMAT.yaml` the job,
//! and `FORMAT/` what is written of it for readers (`SNAPSHOTS=overwrite` rewrites these files; read them then).

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use rebut::artifacts::brief::brief;
use rebut::flow::FlowPoint;
use rebut::templates::Templates;
use rebut::trace::Trace;
use regex::Regex;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::harness::rehearsed::{Rehearsed, rehearsed};
use crate::harness::{has_all, incidents, read, shows};

/// A debate as it was played.
struct Played {
    trace: Value,
    dir: PathBuf,
    format: String,
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
    let asked = trace.calls.iter().map(|call| (call.call.as_str(), call.attempt));
    Played {
        format: format.to_owned(),
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
        let marks = ["\\*", "\\>", "\\#", "&gt; "];
        assert!(!marks.iter().any(|mark| text.contains(mark)), "{text}");
    }
    check_files(played);
}

/// Compares what readers are given with what is kept of it, whatever ids and digests are.
fn check_files(played: &Played) {
    let trace: Trace = serde_json::from_value(played.trace.clone()).expect("a trace");
    for budget in (100..=3000).step_by(25) {
        check_brief(&trace, budget);
    }
    check_growth(&trace);
    check_caveats(trace.clone());
    let of = |budget| short(&trace, budget) + "\n";
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/capable");
    let written = |name: &str| read(&played.dir.join(name));
    for (name, text) in [
        ("summary.md", written("summary.md")),
        ("index.md", written("index.md")),
        ("show-500.txt", of(500)),
        ("show-1000.txt", of(1000)),
    ] {
        let path = kept.join(&played.format).join(name);
        let text = masked(&text, &trace.id);
        if std::env::var_os("SNAPSHOTS").is_some_and(|how| how == "overwrite") {
            fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
            fs::write(&path, &text).expect("a file");
        }
        let what = format!("{}: SNAPSHOTS=overwrite rewrites it", path.display());
        let kept = fs::read_to_string(&path).unwrap_or_default();
        assert_eq!(kept, text, "{what}");
    }
}

/// What `rebut show --budget` prints.
fn short(trace: &Trace, budget: u64) -> String {
    let command = format!("rebut show {}", &trace.id[..12]);
    brief(trace, budget, &command, &Templates::load(None).expect("templates")).expect("a brief")
}

/// What holds of a debate in any budget: it fits, it has the whole outcome, no beginning of a text that says nothing, and nothing
/// below which nothing stands.
fn check_brief(trace: &Trace, budget: u64) {
    let brief = short(trace, budget);
    let tokens = ((brief.chars().count() + 1) as f64 / 3.5).ceil() as u64;
    assert!(tokens <= budget, "{tokens} tokens of {budget}: {brief}");
    assert!(!brief.contains("other other"), "{budget}: {brief}");
    // Messages are told whole or by their claims.
    let (_, said) = brief.split_once("\nWhat was said:\n").unwrap_or_default();
    assert!(!said.contains("[…]"), "{budget}: {brief}");
    let in_short = brief.lines().find(|line| line.starts_with("In short"));
    let marks = |mark| in_short.unwrap_or_default().matches(mark).count();
    assert_eq!(marks('“'), marks('”'), "{budget}: {in_short:?}");
    let outcome = trace.outcome.as_ref().expect("an outcome");
    let outcome = format!("Outcome: {}\n", outcome.line);
    assert!(brief.contains(&outcome), "{budget}: {brief}");
    assert!(brief.contains("Rehearsal, no model was asked"), "{budget}: {brief}");
    let out = trace.rotations.iter().filter(|rotation| rotation.voted_out);
    let out = out.map(|it| format!("{} (after round {})", trace.name_of(&it.debater), it.round));
    let out: Vec<String> = out.collect();
    if out.len() > 1 {
        let out = out.join(", ");
        let (before, _) = brief.split_once(&format!("\nVoted out: {out}\n")).expect("all of them");
        assert!(before.lines().count() <= 4, "{budget}: {brief}");
    }
    let lines: Vec<&str> = brief.lines().collect();
    // A claim behind its statement's number may be short, and how sure an answer is; a mark alone stands for a whole part.
    let is_stub = |line: &&&str| {
        let is_begun = line.ends_with('…') || line.ends_with("[…]");
        is_begun
            && **line != "[…]"
            && !line.starts_with("Confidence: ")
            && line.trim().chars().count() < 60
            && !line.starts_with(|c: char| c.is_ascii_digit())
    };
    let stub = lines.iter().find(is_stub);
    assert_eq!(stub, None, "{budget}: {brief}");
    for (at, heading) in lines.iter().enumerate().filter(|(_, line)| is_heading(line)) {
        let mut below = lines[at + 1..].iter();
        let below = below.find(|line| !line.trim().is_empty());
        let is_bare = below.is_none_or(|line| is_heading(line) || line.starts_with('['));
        assert!(!is_bare, "{budget}: {heading}: {brief}");
    }
}

/// That nobody checked what was argued with facts is told in any room, and what else the outcome is not.
fn check_caveats(mut trace: Trace) {
    let told = if trace.format == "moderated" { 1 } else { 0 };
    let unchecked = "No claim was checked for truth.\n";
    assert_eq!(short(&trace, 1000).matches(unchecked).count(), told);
    trace.plan.background = json!([{"facts": [["facts", ["The bus is full."]]]}]);
    let chosen = "\nThe specialists chose their own stances; no outsider judged them. No claim ";
    for budget in (300..=3000).step_by(25) {
        let brief = short(&trace, budget);
        assert_eq!(brief.matches(unchecked).count(), 1, "{budget}: {brief}");
        assert_eq!(brief.contains(chosen), trace.format == "roundtable", "{budget}: {brief}");
    }
}

/// With more room, nothing is told less: what a brief tells above the messages, a larger one tells too. From 600 tokens on it has a
/// reason and two arguments, of two sides, none of them twice.
fn check_growth(trace: &Trace) {
    let mut smaller = String::new();
    for budget in (300..=1300).step_by(25) {
        let brief = short(trace, budget);
        let (told, _) = brief.rsplit_once("\n\n[").expect("what is left out");
        let (told, _) = told.split_once("\nWhat was said:\n").unwrap_or((told, ""));
        let mut parts = smaller.lines().flat_map(|line| line.split("[…]")).map(str::trim);
        assert_eq!(parts.find(|part| !told.contains(part)), None, "{budget}: {told}");
        smaller = told.to_owned();
        if budget < 600 {
            continue;
        }
        let voted = trace.format == "knockout";
        assert!(told.contains("\nReasons:\n") || voted, "{budget}: {told}");
        let is_told = |point: &&FlowPoint| {
            let said = point.text.trim_end_matches('.');
            let forms = [format!("“{said}” ("), format!(": {said} (")];
            let forms = forms.iter().filter(|form| told.contains(&**form)).count();
            assert!(forms < 2, "twice at {budget}: {said}: {told}");
            forms == 1
        };
        let sides: BTreeSet<&str> =
            trace.flow.points.iter().filter(is_told).map(|point| &*point.side).collect();
        // What a roundtable tells in short comes after its answer.
        let has_answer = ["dialectic", "roundtable"].contains(&&*trace.format);
        assert!(sides.len() > 1 || has_answer, "{budget}: {sides:?}: {told}");
    }
}

/// Whether a line only says what stands below it: a title of ours, or a line in bold of an answer.
fn is_heading(line: &str) -> bool {
    let bold = line.trim().strip_prefix("**").and_then(|it| it.strip_suffix("**"));
    let titles = [
        "Reasons",
        "Votes on ",
        "The clerk's notes",
        "How the ",
        "The judging",
        "Who else took part",
        "Scores",
        "The course",
        "Further",
        "Problems",
        "What was said",
        "Answer by",
    ];
    titles.iter().any(|title| line.starts_with(title)) && line.ends_with(':')
        || bold.is_some_and(|it| !it.contains("**"))
}

/// A text without times and what follows from a debate's id.
fn masked(text: &str, id: &str) -> String {
    let replace = |text: &str, what: &str, by: &str| {
        let what = Regex::new(what).expect("an expression");
        what.replace_all(text, by).into_owned()
    };
    let text = text.replace(id, "ID").replace(&id[..12], "SHORT_ID");
    let text = replace(&text, "_[0-9a-f]{8}\\.md", "_DIGEST.md");
    let text = replace(&text, "[0-9]{4}(-[0-9]{2}){2}[T ][0-9]{2}([:-][0-9]{2}){2}", "TIME");
    replace(&text, "\"[0-9]{4}(-[0-9]{2}){2}/", "\"DAY/")
}

#[test]
fn m4_a_duel_of_capable_models_is_read_as_it_was_meant() {
    let played = play("duel");
    check(&played, "mistral (Ethicist) beats llama3 (Keeper), 7.95 to 6.95 (2 judges)", 1);
    // A name of one small letter stays as it is where a sentence begins with it.
    let named = played.trace.to_string().replace("Ethicist", "a");
    let trace: Trace = serde_json::from_str(&named).expect("a trace");
    let brief = short(&trace, 1000);
    has_all(&brief, &["\na leads by 1.00: "]);
}

#[test]
fn m4_a_moderated_debate_of_capable_models_is_read_as_it_was_meant() {
    let played = play("moderated");
    check(&played, "mistral (Employer) beats llama3 (Employee), 6.95 to 5.95 (1 judge)", 1);
}

#[test]
fn m4_a_roundtable_of_capable_models_is_read_as_it_was_meant() {
    let played = play("roundtable");
    check(&played, "Consensus on “trial” after 2 rounds (all 3 specialists)", 1);
    let moves = &played.trace["outcome"]["details"]["moves"];
    let told: Vec<_> = moves.as_array().into_iter().flatten().collect();
    let told: Vec<_> =
        told.iter().map(|it| (it["specialist"].as_str(), it["moved_by"].as_str())).collect();
    let (one, two, three) = (Some("specialist_1"), Some("specialist_2"), Some("specialist_3"));
    assert_eq!(told, [(one, three), (three, two)]);
}

#[test]
fn m4_a_dialectic_of_capable_models_is_read_as_it_was_meant() {
    let played = play("dialectic");
    check(
        &played,
        "No, the city should not make buses and trams free for everyone (stated confidence: medium overall; judge's score 7.55 out of 10)",
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
    check(
        &played,
        "No winner: mistral (Shopkeeper) was voted out after round 1; qwen3 (Commuter) debated to the end",
        1,
    );
}
