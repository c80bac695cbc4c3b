//! Rows C1 and C2: panels that judge finished debates.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use mock_ollama::{Answer, Call, Card, Gate, MockOllama};
use rebut::digest;
use rebut::journal::Entry;
use serde_json::{Value, json};

use crate::harness::{self, Place, Run, entries_of, has, has_all, lacks, list, read, shows};

const JOB: &str = "\
format: duel
topic: Should voting be compulsory?
allow_explicit: true
rounds: 2
a: {name: Ann, model: qwen3:8b}
b: {name: Ben, model: llama3}
judges: [{model: phi4}]
clerk: {model: phi4}
";

const PANEL: &str = "\
name: house
judges: [{model: gemma3:12b}, {model: mistral}, {model: qwen3:14b}]
repeat_share: 0
";

/// A place whose server has models of several families.
pub(crate) fn with_families() -> Place {
    let models = ["llama3", "qwen3:8b", "qwen3:14b", "phi4", "gemma3:12b", "mistral"];
    Place::with(MockOllama::builder().models(models.map(Card::new)).start())
}

/// Such a place whose server answers judges by what they read.
fn place() -> Place {
    let place = with_families();
    place.reply_by(|call| speaks(call).or_else(|| is_reading(call).then(|| fair(call))));
    place
}

/// Statements that name names and models.
fn speaks(call: &Call) -> Option<Answer> {
    let says = |text: &str| Some(Answer::text(text));
    match call.model() {
        _ if call.schema().is_some() => None,
        "qwen3:8b" => {
            says("I am Ann, a qwen3 model. Compulsory voting makes parliaments listen. MARK-A")
        }
        "llama3" => {
            says("Ann forgets that whoever is forced learns to resent voting. So says Ben. MARK-B")
        }
        _ => None,
    }
}

/// Whether this asks a panel's judge.
pub(crate) fn is_reading(call: &Call) -> bool {
    let schema = call.schema();
    schema.is_some_and(|schema| schema["properties"]["c1_score_1"].is_object())
}

/// What the side is called whose statements bear a mark.
fn label_of(call: &Call, mark: &str) -> Option<String> {
    let task = call.last_message();
    let (before, _) = task.split_once(mark)?;
    let heading = before.rfind("\n## ")? + 4;
    before[heading..].split(',').next().map(str::to_owned)
}

/// Which slot has the side whose statements bear a mark: 1 or 2.
fn slot_of(call: &Call, mark: &str) -> u64 {
    let task = call.last_message();
    let label = label_of(call, mark).expect("the mark is shown");
    let first = task.split(" and ").next().expect("sides");
    if first.contains(&format!("They are called {label}")) { 1 } else { 2 }
}

/// A judgment with these scores for the sides, by their marks.
fn judgment(call: &Call, a: u64, b: u64) -> Answer {
    let of_slot = |slot: u64| {
        if slot_of(call, "MARK-A") == slot { a } else { b }
    };
    scores(call, of_slot(1), of_slot(2))
}

/// A judgment with these scores by slot.
fn scores(call: &Call, first: u64, second: u64) -> Answer {
    let properties = &call.schema().expect("a schema")["properties"];
    let properties = properties.as_object().expect("an object");
    let label = label_of(call, "MARK-A").unwrap_or_default();
    let value = |key: &String| match key {
        key if key.ends_with("_score_1") => json!(first),
        key if key.ends_with("_score_2") => json!(second),
        _ => json!(format!("Both gave a reason for it, {label} too.")),
    };
    let all = properties.keys().map(|key| (key.clone(), value(key)));
    Answer::json(&all.collect::<serde_json::Map<_, _>>().into())
}

fn fair(call: &Call) -> Answer {
    judgment(call, 8, 5)
}

/// A place with one finished duel.
fn debated() -> Place {
    let place = place();
    place.write("job.yaml", JOB);
    place.write("panel.yaml", PANEL);
    place.run_exits(0, &["job.yaml"]);
    place
}

const JUDGE: [&str; 5] = ["judge", "--panel", "panel.yaml", "--retry-delay", "1ms"];

pub(crate) fn readings(place: &Place) -> Vec<Call> {
    let chats = place.server.chats().into_iter();
    chats.filter(is_reading).collect()
}

fn verdict_of<'t>(trace: &'t Value, panel: &str) -> &'t Value {
    let verdicts = trace["verdicts"].as_array().expect("verdicts");
    let mut of_panel = verdicts.iter().filter(|it| it["panel"]["name"] == panel);
    of_panel.next().expect("the panel's verdict")
}

fn journals(place: &Place) -> Vec<PathBuf> {
    let debates = list(&place.path().join("output/.rebut/judging"));
    debates.iter().flat_map(|debate| list(debate)).collect()
}

fn calls_of(journal: &Path) -> Vec<String> {
    let calls = entries_of(journal).into_iter().filter_map(|entry| match entry {
        Entry::Reply(reply) => Some(format!("{}#{}", reply.call, reply.attempt)),
        _ => None,
    });
    calls.collect()
}

#[test]
fn c2_a_finished_debate_is_judged_and_nothing_else_is_asked_or_changed() {
    let place = debated();
    let before = place.trace();
    let asked = place.server.chats().len();
    place.rebut_exits(0, &JUDGE);
    let new = place.server.chats().split_off(asked);
    assert_eq!(new.len(), 6, "three judges, one of them a shadow, in both orders");
    assert!(new.iter().all(is_reading));
    let [journal] = &journals(&place)[..] else { panic!("one judging") };
    let mut calls = calls_of(journal);
    calls.sort();
    assert_eq!(calls[0], "verdict/pq-1/panel_1#1");
    assert!(calls.iter().all(|call| call.starts_with("verdict/")), "{calls:?}");

    let after = place.trace();
    for same in
        ["id", "statements", "outcome", "participants", "ballots", "usage", "calls", "record"]
    {
        assert_eq!(before[same], after[same], "{same}");
    }
    assert_eq!(before["verdicts"][0], after["verdicts"][0], "the debate's own");
    let verdict = verdict_of(&after, "house");
    assert_eq!(verdict["source"], "panel");
    assert_eq!(verdict["winner"], "agent_a");
    assert_eq!(verdict["winner_reason"], "majority");
    assert_eq!(verdict["votes"], json!({"p": 2, "q": 0, "tie": 0}));
    assert_eq!(verdict["record_digest"], after["record_digest"]);
    assert_eq!(
        verdict["candidates"][0],
        json!({"key": "p", "participant": "agent_a", "families": ["qwen"]})
    );

    let again = place.rebut_exits(0, &JUDGE);
    assert_eq!(place.server.chats().len(), asked + 6, "{}", again.said());
    assert_eq!(place.trace(), after);
}

#[test]
fn c2_a_judge_of_a_debaters_family_is_asked_and_never_votes() {
    let place = debated();
    // The shadow alone has the other side ahead.
    place.reply_by(|call| {
        is_reading(call).then(|| match call.model() {
            "qwen3:14b" => judgment(call, 1, 9),
            _ => judgment(call, 8, 5),
        })
    });
    place.rebut_exits(0, &JUDGE);
    let trace = place.trace();
    let verdict = verdict_of(&trace, "house");
    let shadow = &verdict["judges"][2];
    assert_eq!(shadow["status"], "shadow");
    assert_eq!(
        shadow["recusal"],
        json!({"reason": "same_family", "with": "agent_a", "shares": "qwen"})
    );
    assert_eq!(shadow["vote"], Value::Null);
    assert_eq!(shadow["margin"], -8.0);
    assert_eq!(verdict["votes"], json!({"p": 2, "q": 0, "tie": 0}));
}

#[test]
fn c2_a_fallback_that_spoke_recuses_its_family() {
    let place = place();
    let job = JOB.replace("model: llama3}", "model: llama3, fallback: [mistral]}");
    place.write("job.yaml", &job);
    place.write("panel.yaml", PANEL);
    place.reply_by(|call| match call.model() {
        "llama3" => Some(Answer::status(500, "out of order")),
        "mistral" if call.schema().is_none() => {
            Some(Answer::text("Whoever is forced resents voting. MARK-B"))
        }
        _ => speaks(call).or_else(|| is_reading(call).then(|| fair(call))),
    });
    place.run(&["job.yaml"]);
    place.rebut_exits(0, &JUDGE);
    let trace = place.trace();
    let judges = &verdict_of(&trace, "house")["judges"];
    assert_eq!(judges[1]["recusal"]["reason"], "same_digest");
    assert_eq!(judges[1]["recusal"]["with"], "agent_b");
    assert_eq!(verdict_of(&trace, "house")["winner_reason"], "no_quorum");
}

#[test]
fn c2_a_substitute_takes_the_seat_of_a_recused_judge() {
    let place = debated();
    let panel =
        format!("{PANEL}recuse: {{as: drop}}\nsubstitutes: [{{model: llama3}}, {{model: phi4}}]\n");
    place.write("panel.yaml", &panel);
    place.rebut_exits(0, &JUDGE);
    let trace = place.trace();
    let judges = verdict_of(&trace, "house")["judges"].as_array().expect("judges").clone();
    let seats: Vec<String> =
        judges.iter().map(|it| format!("{} {}", it["id"], it["status"]).replace('"', "")).collect();
    assert_eq!(
        seats,
        ["panel_1 voting", "panel_2 voting", "panel_3 recused", "substitute_2 voting"]
    );
    assert_eq!(judges[2]["readings"], json!([]));
    assert_eq!(verdict_of(&trace, "house")["votes"]["p"], 3);
}

#[test]
fn c1_a_judge_that_always_takes_the_first_slot_has_no_side() {
    let place = debated();
    place.reply_by(|call| is_reading(call).then(|| scores(call, 9, 2)));
    place.rebut_exits(0, &JUDGE);
    let trace = place.trace();
    let verdict = verdict_of(&trace, "house");
    assert_eq!(verdict["votes"], json!({"p": 0, "q": 0, "tie": 2}));
    assert_eq!(verdict["winner"], "draw");
    assert_eq!(verdict["judges"][0]["vote_reason"], "orders_disagree");
    let readings = &verdict["judges"][0]["readings"];
    assert_eq!([&readings[0]["pick"], &readings[1]["pick"]], ["p", "q"]);
}

#[test]
fn a4_a_panels_verdict_is_told_wherever_the_outcome_is_and_its_reasons_in_the_summary() {
    let place = debated();
    place.reply_by(|call| is_reading(call).then(|| scores(call, 9, 2)));
    place.rebut_exits(0, &JUDGE);
    let dir = &place.debates()[0];
    let verdict = "house: a draw (0 to 0, 2 ties)";
    let told = format!("Panel {verdict}.");
    let index = read(&dir.join("index.md"));
    has_all(&index, &[&*told, &format!("\npanels: [\"{verdict}\"]\n")]);
    let day = read(&dir.parent().expect("a day").join("index.md"));
    has(&day, &format!("; panel {verdict} |"));
    let id = place.trace()["id"].as_str().expect("an id").to_owned();
    for args in [&["show", &id][..], &["show", &id, "--budget", "1000"]] {
        let shown = place.rebut_exits(0, args).stdout;
        assert_eq!(shown.matches(&told).count(), 1, "{shown}");
    }
    let summary = read(&dir.join("summary.md"));
    has_all(
        &summary,
        &[
            &*told,
            "| yes | Ann by ",
            "| tie (its readings disagree) |",
            "\n- **gemma3:12b**, Ann put first (“",
            "\n- **gemma3:12b**, Ben put first (“",
            "Both gave a reason for it, Ann too.",
        ],
    );
    assert_eq!(summary.matches("The debate's own outcome").count(), 0);
    assert_eq!(summary.matches("unlike the debate's own outcome, which stays").count(), 1);
    has(&read(&dir.join("debate.html")), ", Ann put first (“");
    has(&read(&dir.join("metadata.md")), "| house | mistral | ");
    // Of judges who agree in both orders, one reading has the reasons.
    let place = debated();
    place.rebut_exits(0, &JUDGE);
    let summary = read(&place.debates()[0].join("summary.md"));
    assert_eq!(summary.matches("\n- **gemma3:12b**, ").count(), 1, "{summary}");
}

#[test]
fn c1_judges_are_told_no_name_and_no_model() {
    let place = debated();
    place.rebut_exits(0, &JUDGE);
    let trace = place.trace();
    let asked = readings(&place);
    for call in &asked {
        let prompt = format!("{} {}", call.system(), call.text());
        for name in ["Ann", "Ben", "qwen", "llama", "agent_a", "agent_b", "phi4"] {
            assert!(!prompt.contains(name), "{name} in\n{prompt}");
        }
    }
    let verdict = verdict_of(&trace, "house");
    assert_eq!(verdict["view"]["masked"], 4, "Ann, qwen3, Ann, Ben");
    let labels = &verdict["judges"][0]["readings"];
    assert_eq!(
        labels[0]["labels"]["p"], labels[1]["labels"]["q"],
        "labels change sides with the order"
    );
}

#[test]
fn c1_judges_know_what_the_sides_knew_and_still_no_name() {
    let place = place();
    let background = "background: {turnout_by_Ben: [Ann counted 61 percent, It was 70 before]}\n";
    place.write("job.yaml", &format!("{JOB}{background}"));
    place.write("panel.yaml", PANEL);
    place.run_exits(0, &["job.yaml"]);
    place.rebut_exits(0, &JUDGE);
    for call in readings(&place) {
        let system = call.system();
        let given = "Background that both sides had:\n- turnout by one side:\n";
        assert!(system.contains(given), "{system}");
        assert!(system.contains("  - one side counted 61 percent"), "{system}");
    }
}

#[test]
fn c1_criteria_take_turns_at_being_first_and_are_mapped_back() {
    let place = debated();
    place.reply_by(|call| {
        is_reading(call).then(|| {
            let task = call.last_message();
            let first = task.split("\n1. ").nth(1).and_then(|it| it.split(':').next());
            let is_argument = first == Some("argument quality");
            let properties = call.schema().expect("a schema")["properties"].clone();
            let value = |key: &str| match key {
                "c1_score_1" | "c1_score_2" if is_argument => json!(9),
                key if key.contains("_score_") => json!(5),
                _ => json!("Both gave a reason for it."),
            };
            let keys = properties.as_object().expect("an object").keys();
            Answer::json(
                &keys
                    .map(|key| (key.clone(), value(key)))
                    .collect::<serde_json::Map<_, _>>()
                    .into(),
            )
        })
    });
    place.rebut_exits(0, &JUDGE);
    let trace = place.trace();
    let judges = verdict_of(&trace, "house")["judges"].as_array().expect("judges").clone();
    let readings: Vec<&Value> =
        judges.iter().flat_map(|it| it["readings"].as_array().expect("readings")).collect();
    let mut firsts: Vec<&str> =
        readings.iter().map(|it| it["criteria"][0].as_str().expect("a name")).collect();
    for reading in &readings {
        let is_first = reading["criteria"][0] == "argument_quality";
        let expected = if is_first { 9.0 } else { 5.0 };
        assert_eq!(reading["scores"]["agent_a.argument_quality"], expected);
    }
    firsts.sort_unstable();
    firsts.dedup();
    assert_eq!(firsts, ["argument_quality", "coherence", "relevance"]);
}

#[test]
fn c2_another_panel_adds_its_verdict_and_replaces_none() {
    let place = debated();
    place.rebut_exits(0, &JUDGE);
    let first = place.trace();
    place.write("other.yaml", &PANEL.replace("house", "other"));
    place.rebut_exits(0, &["judge", "--panel", "other.yaml"]);
    let both = place.trace();
    assert_eq!(both["verdicts"].as_array().map(Vec::len), Some(3));
    assert_eq!(verdict_of(&both, "house"), verdict_of(&first, "house"));
    assert_eq!(verdict_of(&both, "other")["winner"], "agent_a");
}

#[test]
fn c2_a_judging_cut_off_at_any_append_goes_on_and_asks_nothing_twice() {
    goes_on_after_any_append(&debated());
}

/// Cuts off the judging of the only debate, with six readings, at every append: it goes on and asks nothing twice.
pub(crate) fn goes_on_after_any_append(place: &Place) {
    let debate = place.debates().remove(0);
    let begun = read(&debate.join("trace.json"));
    place.rebut_exits(0, &JUDGE);
    let expected = blanked(&place.trace());
    let [journal] = &journals(place)[..] else { panic!("one judging") };
    for kept in 0..=read(journal).lines().count() {
        let text = read(journal);
        let own: Vec<&str> = text.lines().collect();
        // As a kill leaves it: so many lines whole, the next one torn, and the trace as it was.
        let mut left = own[..kept].join("\n");
        if kept > 0 {
            left.push('\n');
        }
        left += own.get(kept).map_or("", |line| &line[..line.len() / 2]);
        fs::write(journal, left).expect("a journal");
        fs::write(debate.join("trace.json"), &begun).expect("a trace");
        let kept_calls =
            own[..kept].iter().filter(|line| line.contains("\"kind\":\"reply\"")).count();
        let before = place.server.chats().len();
        place.rebut_exits(0, &JUDGE);
        let asked = place.server.chats().len() - before;
        assert_eq!(asked, 6 - kept_calls, "after {kept} lines");
        assert_eq!(blanked(&place.trace()), expected, "after {kept} lines");
    }
}

/// A trace without what differs between two runs of the same.
fn blanked(trace: &Value) -> Value {
    let mut verdict = verdict_of(trace, "house").clone();
    verdict["at"] = Value::Null;
    verdict
}

#[test]
fn c2_verdicts_on_a_record_that_has_changed_are_dropped_and_that_is_told() {
    let place = debated();
    place.rebut_exits(0, &JUDGE);
    let debate = place.debates().remove(0);
    // The directory is lost: it is rebuilt from the journal, verdicts and all.
    let before = place.trace();
    fs::remove_dir_all(&debate).expect("a directory");
    place.run_exits(0, &["job.yaml"]);
    assert_eq!(place.trace()["verdicts"], before["verdicts"]);
    // Another course of it: its models say something else.
    place.reply_by(|call| match call.model() {
        "qwen3:8b" if call.schema().is_none() => Some(Answer::text(
            "Compulsory voting is fair, and turnout rises with compulsory voting. MARK-A",
        )),
        _ => speaks(call).or_else(|| is_reading(call).then(|| fair(call))),
    });
    place.run_exits(0, &["job.yaml", "--restart"]);
    let restarted = place.trace();
    assert_eq!(restarted["verdicts"].as_array().map(Vec::len), Some(1));
    let kinds = restarted["incidents"].as_array().expect("incidents");
    let stale = kinds.iter().find(|it| it["kind"] == "stale_verdict").expect("it is told");
    assert!(stale["message"].as_str().is_some_and(|it| it.contains("house")));
    place.rebut_exits(0, &JUDGE);
    assert_eq!(verdict_of(&place.trace(), "house")["winner"], "agent_a");
}

#[test]
fn c2_a_judging_that_cannot_be_read_is_set_aside_and_its_debate_committed() {
    let place = debated();
    place.rebut_exits(0, &JUDGE);
    let [journal] = &journals(&place)[..] else { panic!("one judging") };
    let lines = read(journal);
    let second = lines.lines().nth(1).expect("a second line");
    fs::write(journal, lines.replace(second, "no JSON")).expect("damage");
    fs::remove_dir_all(place.debates().remove(0)).expect("a directory");
    place.run_exits(0, &["job.yaml"]);
    let trace = place.trace();
    assert_eq!(trace["verdicts"].as_array().map(Vec::len), Some(1));
    let incidents = trace["incidents"].as_array().expect("incidents");
    assert!(incidents.iter().any(|it| it["kind"] == "lost_verdict"));
    assert!(!journal.exists(), "set aside");
    let before = readings(&place).len();
    place.rebut_exits(0, &JUDGE);
    assert_eq!(readings(&place).len() - before, 6);
    assert_eq!(verdict_of(&place.trace(), "house")["winner"], "agent_a");
}

/// A judging whose first two readings are in its journal; the others wait for the gate.
fn half_judged(place: &Place) -> (Run, Gate) {
    let gate = Gate::new();
    let (held, asked) = (gate.clone(), AtomicUsize::new(0));
    place.reply_by(move |call| {
        is_reading(call).then(|| match asked.fetch_add(1, Ordering::SeqCst) {
            0 | 1 => fair(call),
            _ => fair(call).after(held.clone()),
        })
    });
    let kept = || journals(place).first().map_or(0, |it| calls_of(it).len());
    let before = kept();
    let run = Run::over(place.spawn_command(place.command(&JUDGE)));
    while kept() < before + 2 {
        std::thread::yield_now();
    }
    (run, gate)
}

#[test]
fn b3_clean_keeps_what_an_unfinished_judging_has_read() {
    let place = debated();
    let clean = ["clean", "--older", "0s"];
    let (run, gate) = half_judged(&place);
    place.rebut_exits(0, &clean);
    run.kill();
    gate.open();
    place.rebut_exits(0, &clean);
    let asked = readings(&place).len();
    let (run, gate) = half_judged(&place);
    place.rebut_exits(0, &clean);
    gate.open();
    run.ends().exits(0);
    assert_eq!(readings(&place).len() - asked, 4);
    assert_eq!(verdict_of(&place.trace(), "house")["winner"], "agent_a");
    assert_eq!(journals(&place).len(), 1);
    place.rebut_exits(0, &clean);
    assert!(journals(&place).is_empty(), "the verdict is in the debate");
    place.rebut_exits(0, &JUDGE);
    assert_eq!(readings(&place).len() - asked, 4);
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[test]
fn c2_a_verdict_whose_journal_cannot_be_opened_now_is_not_lost() {
    let place = debated();
    place.rebut_exits(0, &JUDGE);
    let before = place.trace();
    for (error, code) in [("EMFILE", 0), ("EIO", 1)] {
        fs::remove_dir_all(place.debates().remove(0)).expect("a directory");
        let refused = format!("{error} 1 judging/");
        place.run_unread(&["job.yaml"], &refused).exits(code);
        place.run_exits(0, &["job.yaml"]);
        assert_eq!(place.trace()["verdicts"], before["verdicts"], "{error}");
        assert_eq!(journals(&place).len(), 1, "{error}");
    }
}

#[test]
fn c2_what_judges_could_not_read_is_asked_for_again_and_nothing_else() {
    let place = debated();
    place.reply_by(|call| {
        is_reading(call).then(|| match call.model() {
            "mistral" => Answer::status(400, "no"),
            _ => fair(call),
        })
    });
    place.rebut_exits(0, &JUDGE);
    let first = place.trace();
    assert_eq!(verdict_of(&first, "house")["judges"][1]["status"], "failed");
    place.reply_by(|call| is_reading(call).then(|| fair(call)));
    let before = readings(&place).len();
    place.rebut_exits(0, &JUDGE);
    let again = &readings(&place)[before..];
    assert_eq!(again.len(), 2);
    assert!(again.iter().all(|call| call.model() == "mistral"));
    let trace = place.trace();
    assert_eq!(trace["verdicts"].as_array().map(Vec::len), Some(2));
    let verdict = verdict_of(&trace, "house");
    assert_eq!(
        (&verdict["winner"], &verdict["winner_reason"]),
        (&json!("agent_a"), &json!("majority"))
    );
    let judges = |trace: &Value, n: usize| verdict_of(trace, "house")["judges"][n].clone();
    assert_eq!(judges(&trace, 0), judges(&first, 0), "what was read stays");
    place.rebut_exits(0, &JUDGE);
    assert_eq!(readings(&place).len(), before + 2, "nothing is missing any more");
}

#[test]
fn c2_judges_read_no_family_and_no_first_name() {
    let place = place();
    place.write("panel.yaml", PANEL);
    place.write("job.yaml", &JOB.replace("name: Ann,", "name: Jane Austen,"));
    place.reply_by(|call| match call.model() {
        "qwen3:8b" if call.schema().is_none() => Some(Answer::text(
            "As Qwen, I, Jane, say that compulsory voting makes parliaments listen. MARK-A",
        )),
        "llama3" if call.schema().is_none() => Some(Answer::text(
            "Austen forgets that whoever is forced learns to resent voting. MARK-B",
        )),
        _ => is_reading(call).then(|| fair(call)),
    });
    place.run_exits(0, &["job.yaml"]);
    place.rebut_exits(0, &JUDGE);
    assert!(!readings(&place).is_empty());
    for call in readings(&place) {
        let record = call.last_message();
        for name in ["Qwen", "Jane", "Austen"] {
            assert!(!record.contains(name), "{name} in\n{record}");
        }
    }
}

#[test]
fn c2_a_panel_too_few_of_which_may_vote_is_told_before_and_after() {
    let place = place();
    place.write("job.yaml", JOB);
    let panel = "name: house\njudges: [{model: llama3}, {model: \"qwen3:14b\"}]\n";
    place.write("panel.yaml", panel);
    place.run_exits(0, &["job.yaml"]);
    let preview = place.rebut_exits(0, &[&JUDGE[..], &["--dry-run"]].concat());
    harness::has(&preview.stderr, "1 debate will get no verdict: too few judges may vote");
    let judged = place.rebut_exits(0, &JUDGE);
    harness::has(
        &judged.stdout,
        "no verdict: too few votes, as llama3 and qwen3:14b are related to debaters' models (0 to 0)",
    );
}

#[test]
fn c2_a_rehearsal_is_judged_by_a_rehearsal_when_asked_to() {
    let place = place();
    place.write("job.yaml", JOB);
    place.write("panel.yaml", PANEL);
    place.run_exits(0, &["job.yaml", "--rehearse"]);
    let hint = place.rebut_exits(2, &JUDGE).stderr;
    harness::has(&hint, "hint: 1 rehearsal excluded; include them with --include-rehearsals");
    let args = [&JUDGE[..], &["--include-rehearsals"]].concat();
    let none = place.rebut_exits(2, &[&args[..], &["--where", "job=other"]].concat()).stderr;
    harness::has(&none, "hint: only finished debates count; `rebut status` shows the others");
    place.rebut_exits(0, &args);
    assert_eq!(place.server.chats().len(), 0);
    assert_eq!(verdict_of(&place.trace(), "house")["judges"][2]["status"], "shadow");
}

#[test]
fn c2_a_dry_run_names_models_that_are_not_pulled() {
    let place = place();
    place.write("job.yaml", JOB);
    place.write("panel.yaml", &PANEL.replace("mistral", "absent"));
    place.run_exits(0, &["job.yaml"]);
    let ended = place.rebut_exits(1, &[&JUDGE[..], &["--dry-run"]].concat());
    let told = "not pulled: absent, the model of Judge 2; run `ollama pull absent`";
    shows!(ended, {"stdout contains": told});
    assert_eq!(readings(&place).len(), 0);
}

#[test]
fn c2_what_cannot_be_judged_or_read_is_said_once() {
    let place = debated();
    let third = JOB.replace("voting", "schooling") + "on_failure: abort\n";
    place.write("failing.yaml", &third);
    place.reply_by(|call| (call.model() == "llama3").then(|| Answer::status(400, "no")));
    place.run_exits(1, &["failing.yaml"]);
    place.reply_by(|call| is_reading(call).then(|| fair(call)));
    let ended = place.rebut_exits(0, &JUDGE);
    let told = "not judged: 1 debate: the record of a debate that failed is incomplete\n";
    assert_eq!(ended.stderr.matches(told).count(), 1, "{}", ended.said());
    let odd = place.path().join("output/2026-01-01/2026-01-01T00-00-00_odd_000000000000");
    fs::create_dir_all(&odd).expect("a directory");
    fs::write(odd.join("trace.json"), "{").expect("a file");
    let ended = place.rebut_exits(0, &JUDGE);
    shows!(ended, {"stderr contains": "1 file could not be read"});
    place.rebut_exits(1, &[&JUDGE[..], &["--strict"]].concat());
}

#[cfg(unix)]
#[test]
fn c2_an_interrupted_judging_prints_how_to_go_on() {
    let place = place();
    place.write("job.yaml", JOB);
    place.write("panel.yaml", PANEL);
    place.run_exits(0, &["job.yaml"]);
    let gate = Gate::new();
    let held = gate.clone();
    place.reply_by(move |call| is_reading(call).then(|| fair(call).after(held.clone())));
    let before = place.server.chats().len();
    let mut judge = place.command(&JUDGE);
    judge.env("REBUT_OUTPUT", "output");
    let mut judging = Run::over(place.spawn_command(judge));
    place.server.wait_for_chats(before + 1);
    judging.signal("-INT");
    judging.hears("stopping after the calls in flight");
    gate.open();
    let ended = judging.ends().exits(130);
    shows!(ended, {"stderr contains": ["next: REBUT_OUTPUT=output ", "judge --panel panel.yaml"]});
    assert!(readings(&place).len() < 6);
    place.rebut_exits(0, &JUDGE);
    assert_eq!(readings(&place).len(), 6, "none was asked twice");
}

#[test]
fn c2_a_new_panel_is_valid_and_beside_jobs_it_is_none() {
    let place = place();
    place.write("jobs/job.yaml", JOB);
    place.rebut_exits(0, &["new", "panel", "jobs/panel.yaml"]);
    place.run_exits(0, &["jobs"]);
    let ended = place.rebut(&["judge", "--dry-run", "--panel", "jobs/panel.yaml"]);
    // A share of debates, drawn by their ids, is read once more by each judge.
    let told = |n: u32| format!("the panel house would judge 1 debate: at most {n} readings");
    let said = &ended.stdout;
    assert!([6, 9].iter().any(|n| said.contains(&told(*n))), "{said}");
    assert_eq!(readings(&place).len(), 0);
}

#[test]
fn c2_the_panels_file_says_what_is_wrong_with_it() {
    let place = place();
    for (panel, told) in [
        ("name: x\n", "a panel needs `judges`"),
        ("judges: [{model: a, fallback: [b]}]\n", "another model is another judge"),
        (
            "judges: [{model: a}]\nrule: {quorum: 2}\n",
            "`rule.quorum` is 2, but the panel has 1 judge",
        ),
        ("judges: [{model: a}]\nsubstitutes: [{model: 'a:latest'}]\n", "is listed twice"),
        ("judges: [{temperature: 1}]\n", "a judge needs a `model`"),
        ("judges: [{model: a}]\nrecuse: {by: name}\n", "recuse.by"),
        ("judges: [{model: a}]\nquorum: 1\n", "unknown key `quorum`"),
    ] {
        place.write("panel.yaml", panel);
        let ended = place.rebut_exits(2, &JUDGE);
        assert!(ended.stderr.contains(told), "{panel}\n{}", ended.said());
    }
    for misspelt in ["judge: [{model: a}]\n", "judges: [{modle: a}]\n"] {
        place.write("panel.yaml", misspelt);
        let ended = place.rebut_exits(2, &JUDGE);
        assert!(!ended.stderr.contains(" needs "), "{misspelt}\n{}", ended.said());
    }
}

/// The digest of a statement's record is what verdicts rest on.
#[test]
fn c2_the_digest_of_the_record_is_in_the_trace() {
    let place = debated();
    let trace = place.trace();
    let written = trace["record_digest"].as_str().expect("a digest");
    assert!(digest::is_one(written.trim_start_matches("sha256:")), "{written}");
}

#[test]
fn c2_statistics_take_the_verdicts_that_are_asked_for() {
    let place = debated();
    // The panel has the other side ahead.
    place.reply_by(|call| is_reading(call).then(|| judgment(call, 2, 9)));
    place.rebut_exits(0, &JUDGE);
    let stats = |verdicts: &str| -> Value {
        let args = ["stats", "--format", "json", "--verdicts", verdicts];
        serde_json::from_str(&place.rebut_exits(0, &args).stdout).expect("JSON")
    };
    let (own, panels) = (stats("own"), stats("panel:house"));
    assert_eq!(own["provenance"]["verdicts"], "own");
    assert_eq!(panels["provenance"]["verdicts"], "panel:house");
    for findings in [&own, &panels] {
        let panel = &findings["panels"][0];
        assert_eq!(panel["panel"], "house");
        assert_eq!(panel["won"], 1);
        assert_eq!(panel["judges"].as_array().map(Vec::len), Some(3));
    }
    let wins = |findings: &Value| {
        let judges = findings["judges"]["rows"].as_array().expect("judges");
        let names = judges.iter().map(|it| it["judge"].as_str().expect("a name").to_owned());
        names.collect::<Vec<_>>()
    };
    assert_eq!(wins(&own), ["phi4"]);
    assert_eq!(wins(&panels), ["gemma3:12b", "mistral"]);
    let none = place.rebut(&["stats", "--verdicts", "panel:nobody"]);
    assert!(
        none.stderr.contains("excluded: 1 debate without a verdict of panel nobody")
            && none.stderr.contains("panels with verdicts: house"),
        "{}",
        none.said()
    );
    let report = place.rebut_exits(0, &["report", "-o", "report.html"]);
    let page = read(&place.path().join("report.html"));
    assert!(
        page.contains("Judges and panels")
            && page.to_lowercase().contains("worth of being put first"),
        "{}",
        report.said()
    );
}

#[test]
fn s1_of_a_debate_and_its_copy_that_was_judged_since_the_judged_one_counts() {
    let place = debated();
    let unjudged = place.trace().to_string();
    place.rebut_exits(0, &JUDGE);
    place.write("before/one/trace.json", &unjudged);
    place.write("later/one/trace.json", &unjudged);
    let args = ["stats", "before", "output", "later", "--format", "json"];
    let found: Value = serde_json::from_str(&place.rebut_exits(0, &args).stdout).expect("JSON");
    shows!(found, {
        "counts/counted": 1, "counts/copies": 2, "counts/repetitions": 0, "panels/0/won": 1,
        "cautions contains": "2 directories repeat debates from others: each debate counts once.",
    });
    let people = json!([{"source": "user", "name": "rating", "value": 7}]);
    let mut rated: Value = serde_json::from_str(&unjudged).expect("a trace");
    rated["labels"] = people;
    place.write("before/one/trace.json", &rated.to_string());
    let found: Value = serde_json::from_str(&place.rebut_exits(0, &args).stdout).expect("JSON");
    shows!(found, {"counts/counted": 1, "counts/copies": 2, "panels": []});
}

#[test]
fn c2_panels_of_one_name_are_told_apart_by_their_ids() {
    let place = debated();
    place.rebut_exits(0, &JUDGE);
    place.write("panel.yaml", &PANEL.replace(", {model: qwen3:14b}", ""));
    place.rebut_exits(0, &JUDGE);
    let told = place.rebut_exits(0, &["stats", "--format", "json"]).stdout;
    let found: Value = serde_json::from_str(&told).expect("JSON");
    let rows = found["panels"].as_array().expect("panels");
    let judges: Vec<Option<usize>> =
        rows.iter().map(|it| it["judges"].as_array().map(Vec::len)).collect();
    assert_eq!(judges.len(), 2);
    assert!(judges.contains(&Some(2)) && judges.contains(&Some(3)), "{judges:?}");
    let names: Vec<&str> = rows.iter().filter_map(|it| it["panel"].as_str()).collect();
    assert!(names.iter().all(|name| name.starts_with("house (") && name.len() == 12), "{names:?}");
    assert_ne!(names[0], names[1]);
    // Which of the two counts in place of the debate's own judges must be said.
    let ids = names.iter().map(|name| name[7..11].to_owned());
    let named: Vec<String> = ids.map(|id| format!("panel:house@{id}")).collect();
    let both = place.rebut_exits(2, &["stats", "--verdicts", "panel:house"]);
    for name in &named {
        has(&both.stderr, &format!("{name} (1 debate)"));
        let one = place.rebut_exits(0, &["stats", "--verdicts", name, "--format", "json"]);
        let one: Value = serde_json::from_str(&one.stdout).expect("JSON");
        assert_eq!(one["provenance"]["verdicts"], **name);
    }
    place.rebut_exits(2, &["stats", "--verdicts", "panel:house", "--where", "job=none"]);
}

#[test]
fn c2_a_rehearsals_panel_of_the_same_name_stands_in_nobodys_way() {
    let place = place();
    place.write("job.yaml", JOB);
    place.write("panel.yaml", PANEL);
    place.run_exits(0, &["job.yaml", "--rehearse"]);
    place.rebut_exits(0, &[&JUDGE[..], &["--include-rehearsals"]].concat());
    place.run_exits(0, &["job.yaml"]);
    place.write("panel.yaml", &PANEL.replace(", {model: qwen3:14b}", ""));
    place.rebut_exits(0, &JUDGE);
    let stats = ["stats", "--verdicts", "panel:house"];
    place.rebut_exits(0, &stats);
    let with = [&stats[..], &["--include-rehearsals"]].concat();
    has(&place.rebut_exits(2, &with).stderr, "2 panels with different judges");
}

#[test]
fn c2_a_matrix_does_not_vary_the_panel() {
    let place = place();
    place.write("panel.yaml", PANEL);
    place.write("job.yaml", &format!("{JOB}matrix: {{panel: [panel.yaml, panel.yaml]}}\n"));
    let ended = place.rebut_exits(2, &["check", "job.yaml"]);
    assert!(ended.stderr.contains("`panel` cannot vary inside a job"), "{}", ended.said());
}

#[test]
fn c2_a_knockout_is_judged_as_one_against_a_team() {
    let place = place();
    place.write("panel.yaml", PANEL);
    place.write("job.yaml", "topic: Should voting be compulsory?\nrounds: 2\nallow_explicit: true\ndefaults: {model: phi4}\n");
    place.reply_by(|call| is_reading(call).then(|| scores(call, 7, 7)));
    place.run_exits(0, &["job.yaml"]);
    place.rebut_exits(0, &JUDGE);
    let trace = place.trace();
    let verdict = verdict_of(&trace, "house");
    assert_eq!(verdict["candidates"][0]["participant"], "position_x");
    assert_eq!(verdict["candidates"][1]["participant"], "position_y");
    assert_eq!(verdict["winner"], "draw");
    assert_eq!(verdict["judges"][0]["vote_reason"], "equal");
    let names: Vec<&str> = trace["participants"]
        .as_array()
        .expect("participants")
        .iter()
        .map(|it| it["name"].as_str().expect("a name"))
        .collect();
    for call in readings(&place) {
        let record = call.last_message();
        for name in names.iter().filter(|name| name.len() > 3) {
            assert!(!record.contains(&format!("{name},")), "{name} in\n{record}");
        }
    }
}

#[test]
fn c2_a_jobs_panel_judges_debates_as_they_finish_and_is_no_part_of_their_ids() {
    let place = place();
    place.write("job.yaml", JOB);
    place.write("panel.yaml", PANEL);
    let before = place.rebut_exits(0, &["check", "job.yaml"]).stdout;
    place.write("job.yaml", &format!("{JOB}panel: panel.yaml\n"));
    let checked = place.rebut_exits(0, &["check", "job.yaml"]).stdout;
    assert!(checked.contains("panel house: up to 6 readings of finished debates"), "{checked}");
    assert_eq!(before.lines().next(), checked.lines().next(), "the same id");
    place.run_exits(0, &["job.yaml"]);
    assert_eq!(readings(&place).len(), 6);
    let trace = place.trace();
    assert_eq!(verdict_of(&trace, "house")["winner"], "agent_a");
    let page = read(&list(&place.path().join("output/batches"))[1]);
    has(&page, "| panels | 6 answered; 0 attempts failed; ");
    place.run_exits(0, &["job.yaml"]);
    assert_eq!(readings(&place).len(), 6, "nothing is asked twice");
    // Another panel judges what is finished, on a server that leaves out counts.
    place.reply_by(|call| is_reading(call).then(|| fair(call).without_metrics()));
    place.write("panel.yaml", &PANEL.replace("house", "other"));
    let ended = place.run_exits(0, &["job.yaml", "--max-tokens", "9M"]);
    assert_eq!(ended.stderr.matches("a server leaves out token counts").count(), 1);
    let pages = list(&place.path().join("output/batches")).into_iter();
    let pages = pages.filter(|it| it.extension().is_some_and(|it| it == "md"));
    let pages: String = pages.map(|it| read(&it)).collect();
    has(&pages, "| panels | 6 answered; 0 attempts failed; tokens: missing or impossible |");
    has(&read(&place.debates()[0].join("metadata.md")), "| not reported | not reported |");
    assert_eq!(readings(&place).len(), 12);
    assert_eq!(verdict_of(&place.trace(), "other")["winner"], "agent_a");
    let chats = place.server.chats().len();
    assert_eq!(
        chats - 12,
        place.trace()["calls"].as_array().map_or(0, Vec::len),
        "no statement is asked for again"
    );
}

#[test]
fn b2_what_the_panel_took_the_night_before_is_part_of_what_a_debate_is_expected_to_take() {
    let place = place();
    place.write("job.yaml", &format!("{JOB}panel: panel.yaml\nrepeat: 3\n"));
    place.write("panel.yaml", PANEL);
    place.run_exits(0, &["job.yaml", "--limit", "1"]);
    let [json, ..] = &list(&place.path().join("output/batches"))[..] else { panic!("a batch") };
    let batch: Value = serde_json::from_str(&read(json)).expect("JSON");
    let count = |key: &str| batch.pointer(key).and_then(Value::as_u64).expect("tokens");
    let debate = count("/tokens/prompt") + count("/tokens/reply");
    let panel = count("/panel/prompt_tokens") + count("/panel/reply_tokens");
    let most = (2 * debate + panel).to_string();
    let ended = place.run_exits(4, &["job.yaml", "--max-tokens", &most]);
    has(&ended.stderr, "1 done, 1 not started; 1 finished before");
    lacks(&ended.stderr, &["more than --max-tokens"]);
}

#[cfg(unix)]
#[test]
fn c2_who_waits_for_another_judging_is_told_so_and_how_to_go_on() {
    let place = debated();
    let gate = Gate::new();
    let held = gate.clone();
    place.reply_by(move |call| is_reading(call).then(|| fair(call).after(held.clone())));
    let before = place.server.chats().len();
    let judging = Run::over(place.spawn_command(place.command(&JUDGE)));
    place.server.wait_for_chats(before + 1);
    let second = place.rebut_exits(1, &JUDGE);
    has_all(&second.stderr, &["another rebut (process ", ") is judging it", "next: "]);
    gate.open();
    judging.ends().exits(0);
}

#[test]
fn c2_a_panel_that_is_wrong_is_told_with_the_job() {
    let place = place();
    place.write("job.yaml", &format!("{JOB}panel: panel.yaml\n"));
    for (panel, told) in [
        (None, "panel.yaml"),
        (Some("name: x\n"), "a panel needs `judges`"),
        (Some("judges: [{model: big:cloud}]\n"), "runs in Ollama's cloud"),
    ] {
        if let Some(panel) = panel {
            place.write("panel.yaml", panel);
        }
        let ended = place.rebut_exits(2, &["check", "job.yaml"]);
        assert!(ended.stderr.contains(told), "{}", ended.said());
    }
}

#[test]
fn c2_a_judge_that_fails_leaves_the_debate_without_its_vote_and_the_rest_stands() {
    let place = debated();
    place.reply_by(|call| {
        is_reading(call).then(|| match call.model() {
            "mistral" => Answer::text("I would rather not say."),
            _ => fair(call),
        })
    });
    place.rebut_exits(0, &JUDGE);
    let trace = place.trace();
    let verdict = verdict_of(&trace, "house");
    assert_eq!(verdict["judges"][1]["status"], "failed");
    assert_eq!(verdict["judges"][1]["vote_reason"], "reading_missing");
    assert_eq!(verdict["votes"], json!({"p": 1, "q": 0, "tie": 0}));
    assert_eq!(
        (&verdict["winner"], &verdict["winner_reason"]),
        (&Value::Null, &json!("no_quorum"))
    );
}

#[test]
fn c2_a_record_that_does_not_fit_a_judge_is_not_cut_but_not_read() {
    let place = debated();
    place.write("panel.yaml", "name: house\njudges: [{model: gemma3:12b, context_window: 1100, max_tokens: 100}, {model: mistral}]\nrepeat_share: 0\n");
    place.rebut_exits(0, &JUDGE);
    let trace = place.trace();
    let small = &verdict_of(&trace, "house")["judges"][0];
    assert_eq!(small["readings"][0]["status"], "abstained");
    assert!(small["readings"][0]["cause"].as_str().is_some_and(|it| it.contains("context_window")));
    assert!(readings(&place).iter().all(|call| call.model() == "mistral"));
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[test]
fn c2_a_judging_killed_at_any_operation_on_a_file_ends_as_if_it_never_was() {
    let first = debated();
    let before = first.path().join("before");
    harness::copy(&first.path().join("output"), &before);
    let ended = first.injected(&JUDGE, "");
    assert_eq!(ended.code, 0, "{}", ended.said());
    let kills = first.kills();
    assert!(kills.len() > 60, "{}", kills.len());
    let kills: Vec<String> = kills.into_iter().step_by(5).collect();
    let files = |place: &Place| {
        let mut files = harness::blanked(&place.debates()[0]);
        // A cache, and what its replacement had begun: the next writer removes that.
        files.retain(|name, _| !name.starts_with("facts.json") && !name.ends_with(".new"));
        files
    };
    let expected = files(&first);
    harness::each(&kills, |kill| {
        let place = place();
        place.write("panel.yaml", PANEL);
        harness::copy(&before, &place.path().join("output"));
        let killed = place.injected(&JUDGE, kill).code == -1;
        let kept: usize = journals(&place)
            .iter()
            .map(|journal| std::fs::read(journal).expect("a journal"))
            .map(|bytes| {
                bytes
                    .split_inclusive(|b| *b == b'\n')
                    .filter(|line| {
                        line.ends_with(b"\n")
                            && String::from_utf8_lossy(line).contains("\"kind\":\"reply\"")
                    })
                    .count()
            })
            .sum();
        // On a server of its own: what was in flight may reach the first one after the kill.
        let again = self::place();
        again.write("panel.yaml", PANEL);
        harness::copy(&place.path().join("output"), &again.path().join("output"));
        again.rebut_exits(0, &JUDGE);
        assert_eq!(readings(&again).len(), 6 - kept, "{kill}");
        assert!(killed || kept == 6, "{kill}");
        assert_eq!(files(&again), expected, "{kill}");
    });
}
