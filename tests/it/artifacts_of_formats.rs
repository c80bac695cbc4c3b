//! Rows A2 to A4 and A9 in every format: where rounds, answers, claims and settings stand in the artifacts.

use mock_ollama::Answer;
use rebut::artifacts::brief::brief;
use rebut::templates::Templates;
use rebut::trace::Trace;
use serde_json::{Value, json};

use crate::formats::FORMATS;
use crate::harness::corpus::Debate;
use crate::harness::{Kind, Place, each, has, has_all, kind, lacks, list, name_of, read};

fn tiny(format: &str) -> &'static str {
    let found = FORMATS.iter().find(|f| f.name == format);
    found.expect("a format").tiny
}

/// A rehearsed debate: the place of its artifacts, and its trace.
fn rehearsed(job: &str) -> (Place, Trace) {
    let place = Place::new();
    let trace = place.trace_of(job, &["--rehearse"]);
    let trace = serde_json::from_value(trace).expect("a trace");
    (place, trace)
}

fn artifact(place: &Place, name: &str) -> String {
    read(&place.debates()[0].join(name))
}

/// The command that prints all of a debate in the default output directory.
fn command(trace: &Trace) -> String {
    format!("rebut show {}", &trace.id[..12])
}

/// The brief, which fits.
fn fitting(trace: &Trace, budget: u64) -> String {
    let templates = Templates::load(None).expect("templates");
    let brief = brief(trace, budget, &command(trace), &templates).expect("a brief");
    let tokens = ((brief.chars().count() + 1) as f64 / 3.5).ceil() as u64;
    assert!(tokens <= budget, "{}: {tokens} tokens of {budget}", trace.format);
    brief
}

/// Where something begins in a brief.
fn at(brief: &str, what: &str) -> usize {
    brief.find(what).unwrap_or_else(|| panic!("{what:?} is not in:\n{brief}"))
}

#[test]
fn a9_a_brief_fits_its_budget_in_every_format_and_says_what_it_leaves_out() {
    each(FORMATS, |format| {
        let (_, trace) = rehearsed(format.full);
        for budget in [100, 101, 137, 250, 400, 700, 1500, 2500, 4000, 9000] {
            fitting(&trace, budget);
        }
        for budget in (150..1500).step_by(50) {
            let brief = fitting(&trace, budget);
            assert!(brief.starts_with("Outcome: "), "{brief}");
            has(&brief, &format!("\n\n[Left out at {budget} tokens: "));
            let times = brief.matches(&format!("{budget} tokens")).count();
            assert_eq!(times, 1, "once: {brief}");
        }
        let all = fitting(&trace, 50_000);
        for statement in &trace.statements {
            let lines = statement.text.trim().lines();
            let lines: Vec<String> =
                lines.map(|line| format!("  {line}").trim_end().to_owned()).collect();
            has(&all, &lines.join("\n"));
        }
        lacks(&all, &["Left out at", "Shortened to"]);
    });
}

#[test]
fn a2_readings_of_a_verdict_are_no_ballots() {
    let (place, trace) = rehearsed(tiny("duel"));
    assert!(trace.own_verdicts().next().is_some());
    has(&artifact(&place, "index.md"), "\nballots: 0\n");
}

#[test]
fn a9_show_prints_a_brief_for_a_budget() {
    let (place, trace) = rehearsed("topic: Should voting be compulsory?\nrounds: 4\n");
    let id = &trace.id[..12];
    let shown = place.rebut(&["show", id, "--budget", "2200"]).stdout;
    assert_eq!(shown.trim_end(), fitting(&trace, 2200).trim_end());
    assert!(shown.contains("\n003 Y-1, argument"), "gists: {shown}");
    assert_eq!(place.rebut(&["show", id, "--budget", "99"]).code, 2);
    // Of a very long one, too, as much is told as there is room for.
    let mut long = trace.clone();
    long.statements = trace.statements.iter().cycle().take(2000).cloned().collect();
    for (n, statement) in (1..).zip(&mut long.statements) {
        statement.n = n;
    }
    for budget in [10_000, 40_000] {
        let told = fitting(&long, budget).chars().count() as u64;
        assert!(told > budget * 3, "{told} characters for {budget} tokens");
    }
}

#[test]
fn a9_how_the_answer_begins_stands_next_to_the_outcome_or_is_said_to_be_left_out() {
    for name in ["roundtable", "dialectic"] {
        let (_, mut trace) = rehearsed(tiny(name));
        let n = trace.outcome.as_ref().and_then(|o| o.final_text).expect("a final text");
        let place = trace.statements.iter().position(|s| s.n == n).expect("a statement");
        let first = "Neither would stop at once.";
        trace.statements[place].text = format!("{first} {}", "More follows here. ".repeat(80));
        for budget in (100..1500).step_by(25) {
            let brief = fitting(&trace, budget);
            let Some((before, _)) = brief.split_once(first) else {
                assert!(budget < 150 && brief.contains(" tokens: the answer"), "{brief}");
                continue;
            };
            let lines = before.lines().filter(|line| !line.trim().is_empty());
            let lines: Vec<&str> = lines.collect();
            // The outcome, that it is rehearsed, the question, how the debate stands.
            assert!(
                lines.len() <= 5 && lines[lines.len() - 1].starts_with("Answer by "),
                "{brief}"
            );
        }
        trace.statements[place].text = format!("It is {}so.", "very ".repeat(400));
        let brief = fitting(&trace, 150);
        has(&brief, "[Left out at 150 tokens: the answer");
    }
}

#[test]
fn a9_the_final_text_stands_behind_the_outcome_whole_where_there_is_room() {
    for (name, too_little) in [("roundtable", 800), ("dialectic", 800)] {
        let (_, mut trace) = rehearsed(tiny(name));
        let n = trace.outcome.as_ref().and_then(|o| o.final_text).expect("a final text");
        let last = trace.statements.iter_mut().find(|s| s.n == n).expect("a statement");
        last.text = "One long sentence of an answer follows the other. ".repeat(60);
        let text = last.text.trim().to_owned();
        let roomy = fitting(&trace, 3500);
        assert!(at(&roomy, &text) < at(&roomy, "\n001 "), "{roomy}");
        let tight = fitting(&trace, too_little);
        has(&tight, "One long sentence");
        lacks(&tight, &[&text]);
        let all = fitting(&trace, 20_000);
        assert_eq!(all.matches(&text).count(), 1, "once: {all}");
    }
}

#[test]
fn a2_an_index_folds_the_initial_round_of_a_roundtable_but_not_what_stands_outside_of_rounds() {
    let specialists: String = (1..=12).map(|n| format!("  - {{name: Specialist {n}}}\n")).collect();
    let job = format!(
        "format: roundtable\nquery: Should voting be compulsory?\nmax_rounds: 12\nseed: 2\ntimeout_seconds: 36000\nconsensus_threshold: 1.0\nspecialists:\n{specialists}"
    );
    let (place, _) = rehearsed(&job);
    let index = artifact(&place, "index.md");
    assert!(
        index.contains("- [Round 0](messages/index.md#round-0): messages 2 to 13\n"),
        "{index}"
    );
    let list = artifact(&place, "messages/index.md");
    has_all(
        &list,
        &["\n## Introduction\n", "\n## Round 0\n\n- [002](002_specialist_1_", "\n## Answer\n"],
    );
    let listed = index.matches(", position, ").count();
    assert!((1..=4).contains(&listed), "folded but for what the arguments turn on: {index}");
    has_all(&index, &[") introduction, ", ") answer, "]);
}

#[test]
fn a2_phases_are_words_and_the_format_is_named_as_one() {
    let (place, trace) =
        rehearsed(&format!("{}output: {{transcript: true, formats: [text]}}\n", tiny("moderated")));
    let debate = place.debates().remove(0);
    let shown = place.rebut(&["show", &trace.id[..12]]).stdout;
    let message = trace
        .statements
        .iter()
        .find(|s| s.phase.name() == "round_summary")
        .expect("a summary of the round")
        .n;
    let message = list(&debate.join("messages"))
        .into_iter()
        .filter(|path| name_of(path).starts_with(&format!("{message:03}_")))
        .filter(|path| path.extension().is_some_and(|e| e == "txt"))
        .map(|path| read(&path));
    let texts = ["index.md", "transcript.md", "transcript.txt"].map(|name| artifact(&place, name));
    for text in texts.into_iter().chain(message).chain([shown.clone()]) {
        assert!(text.contains("round summary") && !text.contains("round_summary"), "{text}");
    }
    has(
        &artifact(&place, "index.md"),
        "A debate in the moderated format, 1 round completed, begun",
    );
    assert!(shown.contains(" in the moderated format, done"), "{shown}");
}

#[test]
fn a2_a_round_table_that_did_not_debate_counts_no_rounds() {
    let (place, _) = rehearsed(
        "format: roundtable\nquery: What is the capital of France?\ntrigger: auto\nallow_explicit: true\n",
    );
    let index = artifact(&place, "index.md");
    has(&index, "A debate in the roundtable format, begun ");
}

#[test]
fn a2_the_index_names_everyone_who_takes_part() {
    let (place, _) = rehearsed(tiny("moderated"));
    let index = artifact(&place, "index.md");
    let also =
        index.lines().find(|line| line.starts_with("Also: ")).unwrap_or_else(|| panic!("{index}"));
    for name in ["Moderator (", " written by llama3)", "Fact checker (", "Clerk (llama3)."] {
        assert!(also.to_lowercase().contains(&name.to_lowercase()), "{name}: {also}");
    }
}

#[test]
fn a3_settings_go_by_number_where_they_are_numbered_and_lists_are_lists() {
    let (place, _) = rehearsed(tiny("dialectic"));
    let metadata = artifact(&place, "metadata.md");
    let guide = |n: u32| at(&metadata, &format!("| criteria.clarity.guide.{n} |"));
    assert!(guide(1) < guide(5) && guide(5) < guide(10), "{metadata}");
    let (place, _) = rehearsed(tiny("roundtable"));
    let metadata = artifact(&place, "metadata.md");
    assert!(metadata.contains("| buy, sell, hold |"), "{metadata}");
    // Keywords are looked for by one trigger only.
    lacks(&metadata, &["trigger_keywords"]);
    let facts = "background: {facts: [One is so, Two is so]}\ntrigger: auto\n";
    let (place, _) = rehearsed(&format!("{}{facts}", tiny("roundtable")));
    let metadata = artifact(&place, "metadata.md");
    has(&metadata, "- facts:\n  - One is so\n  - Two is so\n");
    has(
        &artifact(&place, "summary.md"),
        "- Given by the job:\n  - Facts:\n    - One is so\n    - Two is so\n",
    );
    has(&metadata, "| trigger_keywords | invest, ");
    let (place, _) = rehearsed(tiny("moderated"));
    has(&artifact(&place, "metadata.md"), "| openings, arguments, closings | ");
    for format in FORMATS {
        let (place, _) = rehearsed(format.tiny);
        let metadata = artifact(&place, "metadata.md");
        let (_, settings) = metadata.split_once("## Settings").expect("settings");
        assert!(!settings.contains("| null |"), "{settings}");
    }
}

/// The kinds of incidents that traces may have.
fn kinds_of_incidents() -> Vec<String> {
    let schema = Place::new().rebut(&["schema", "trace"]).stdout;
    let schema: Value = serde_json::from_str(&schema).expect("JSON");
    let kinds = schema["$defs"]["IncidentKind"]["oneOf"].as_array().expect("kinds").iter();
    kinds.map(|kind| kind["const"].as_str().expect("a word").to_owned()).collect()
}

/// What `summary.md` lists under Problems, and what `metadata.md` does under Incidents, of such a debate.
fn went_wrong(debate: &Debate) -> [String; 2] {
    let place = Place::new();
    let trace = place.keep("it", debate);
    let dir = trace.parent().expect("a directory");
    place.rebut_exits(0, &["render", &dir.to_string_lossy()]);
    let section = |file: &str, heading: &str| {
        let text = read(&dir.join(file)).replace('\\', "");
        let found = text.split_once(&format!("\n## {heading}\n"));
        found.map_or_else(String::new, |(_, section)| section.to_owned())
    };
    [section("summary.md", "Problems"), section("metadata.md", "Incidents")]
}

/// A stranger found a debate whose summary named problems and whose metadata said that nothing had gone wrong.
#[test]
fn a3_summary_and_metadata_tell_alike_what_went_wrong() {
    let mut rehearsed = Place::new().trace_of(tiny("duel"), &["--rehearse"]);
    rehearsed["incidents"] = json!([]);
    for statement in rehearsed["statements"].as_array_mut().expect("statements") {
        statement["cut"] = json!(false);
    }
    let duel = || Debate::read(&rehearsed.to_string());
    let none = "None. Every call was answered at its first attempt";
    let [problems, incidents] = went_wrong(&duel());
    assert_eq!(problems, "");
    has(&incidents, none);

    let kinds = kinds_of_incidents();
    assert!(kinds.len() > 20, "{kinds:?}");
    each(&kinds, |kind| {
        let [problems, incidents] = went_wrong(&duel().incident(kind));
        has(&incidents, &format!("| {kind} |"));
        lacks(&incidents, &["None."]);
        if !problems.is_empty() {
            has(&problems, "lists each incident with its call; `rebut show ");
        }
    });

    let retry = json!({"kind": "retry", "call": "round-1/statement/agent_a", "attempt": 1, "message": "busy", "at": rehearsed["started_at"]});
    let [problems, _] = went_wrong(&duel().with("incidents", json!(vec![retry; 3])));
    has(&problems, "- 3 calls made again.\n");
    // Each trouble is told once: what came of it, where that is told.
    let on = |kind: &str, call: &str, message: &str| json!({"kind": kind, "call": call, "attempt": 1, "message": message, "at": rehearsed["started_at"]});
    let (one, other) = ("end/verdict/judge_1", "end/verdict-reversed/judge_1");
    let again = "no reply could be used, so all were asked once more, with other seeds";
    let all = [
        on("retry", one, "looping"),
        on("repair", one, "no JSON"),
        on("invalid", one, "no JSON"),
        on("repair", other, "no JSON"),
        on("invalid", other, "no JSON"),
        on("panel", one, again),
        on("retry", "end/verdict-again/judge_1", "busy"),
    ];
    let [problems, _] = went_wrong(&duel().with("incidents", json!(all)));
    let told = "- 1 set of judges asked again: no reply could be used, so all were asked once more, with other seeds.\n";
    has_all(&problems, &[told, "- 1 call made again: busy.\n"]);
    lacks(&problems, &["unusable"]);

    let read_as = "verdicts/0/judges/0/readings/0/read_as";
    let without_incident = [
        (read_as, json!(["fenced"])),
        ("flow/impossible", json!(2)),
        ("statements/1/objections", json!(["it is short"])),
        ("statements/1/cut", json!(true)),
    ];
    each(&without_incident, |(path, value)| {
        let [_, incidents] = went_wrong(&duel().with(path, value.clone()));
        lacks(&incidents, &["None."]);
    });
    for (keyword, told) in [
        ("mended", "- Read with tolerance (JSON repaired): end/verdict/"),
        ("prose", "- Read with tolerance (extracted from prose): end/verdict/"),
        ("thought", none),
    ] {
        let [_, incidents] = went_wrong(&duel().with(read_as, json!([keyword])));
        has(&incidents, told);
    }
    let [_, incidents] = went_wrong(&duel().with("notes/0/read_as", json!(["mended"])));
    let round = &rehearsed["notes"][0]["round"];
    has(&incidents, &format!("(JSON repaired): notes by the clerk on round {round}.\n"));
}

#[test]
fn a3_metadata_tells_what_a_skeptic_passed_over_and_which_comparisons_were_read_with_tolerance() {
    let job = "format: dialectic\nquery: Should voting be compulsory?\nmin_rounds: 2\nmax_rounds: 2\nearly_stop_score: 10\n";
    let mut trace = Place::new().trace_of(job, &["--rehearse"]);
    trace["incidents"] = json!([]);
    let (name, passed) = (" Skeptic: nothing on points ", "nothing on");
    let point = |n: u32| json!({"n": n, "round": 1, "statement": 3, "severity": "major", "strategy": null, "claim": null, "text": "It costs.", "mend": null, "answers": [], "status": null, "last_round": null, "last": null});
    trace["outcome"]["details"]["ledger"] = json!([point(1), point(2), point(3)]);
    let critique = |called: &[u32]| {
        let all = called.iter().map(|n| json!({"n": n, "resolution": "resolved"}));
        json!([{"round": 1, "resolutions": []}, {"round": 2, "resolutions": all.collect::<Vec<_>>()}])
    };
    let of = |called: &[u32]| {
        let critiques = "outcome/details/critiques";
        went_wrong(&Debate::read(&trace.to_string()).with(critiques, critique(called)))
    };
    let [_, incidents] = of(&[2]);
    has(&incidents, &format!("{name}1 and 3, still open.\n"));
    assert_eq!(incidents.matches(passed).count(), 1, "nothing stood before the first: {incidents}");
    let [_, incidents] = of(&[1, 2, 3]);
    lacks(&incidents, &[passed, "end/compare"]);
    let read_as = "outcome/details/comparison/judges/0/readings/0/read_as";
    let spelt = Debate::read(&trace.to_string()).with(read_as, json!(["spelt"]));
    let [_, incidents] = went_wrong(&spelt);
    has(&incidents, "- Read with tolerance (a key or word with another spelling): end/compare/");
}

#[test]
fn a3_metadata_has_the_whole_query() {
    let query = format!("Should voting be compulsory? {}", "Think of cost. ".repeat(200));
    let job = json!({"format": "dialectic", "query": query.trim(), "min_rounds": 1, "max_rounds": 1, "allow_explicit": true});
    let (place, _) = rehearsed(&job.to_string());
    for name in ["metadata.md", "summary.md"] {
        let text = artifact(&place, name);
        assert!(text.contains(query.trim()), "{name}: {text}");
    }
    let index = artifact(&place, "index.md");
    assert!(!index.contains(query.trim()), "{index}");
    has(&index, "Think of cost. All of it: [summary.md](summary.md).");
}

/// Plays a moderated debate with a fact checker who says this of every statement.
fn checked(more: &str, claims: Value) -> String {
    let place = Place::new();
    place.reply_by(move |call| {
        (kind(call) == Kind::FactCheck).then(|| Answer::json(&json!({"claims": claims})))
    });
    place.trace_of(&format!("{}{more}", tiny("moderated")), &[]);
    artifact(&place, "summary.md")
}

fn claim(claim: &str, verdict: &str) -> Value {
    json!({"claim": claim, "reason": "Most states do not have it.", "verdict": verdict})
}

#[test]
fn a4_false_claims_stand_first_with_their_message_and_what_followed() {
    let fair = "Fairness is a reason.";
    let summary = checked("", json!([claim("It is a number.", "true"), claim(fair, "false")]));
    let table = summary.split("### Claims that were checked").nth(1).expect("claims");
    let rows: Vec<&str> = table.lines().filter(|line| line.starts_with("| [")).collect();
    assert!(
        rows[0].starts_with("| [002] | Advocate A |")
            && summary.contains("\n[002]: messages/002_position_advocate_1_")
            && rows[0].contains("| interruption, answered in [0"),
        "{table}"
    );
    let falses = rows.iter().take_while(|row| row.contains("| false |")).count();
    assert_eq!(falses, rows.iter().filter(|row| row.contains("| false |")).count());
    assert!(rows.len() <= falses.max(12) && table.contains("\nNot listed: "), "{table}");
    assert!(
        summary.contains(" interrupted Advocate A after [002] for a false claim: ")
            && summary.contains(" Advocate A in [004]"),
        "an interruption is told with its statement and the answer: {summary}"
    );
}

#[test]
fn a4_marks_for_exports_are_not_told_to_readers() {
    let (place, _) = rehearsed(tiny("dialectic"));
    let summary = artifact(&place, "summary.md");
    lacks(&summary, &["training example", "finetune"]);
}
