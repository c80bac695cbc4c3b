//! Rows A2 to A4 and A9 in every format: where rounds, answers, claims and settings stand in the artifacts.

use mock_ollama::Answer;
use rebut::artifacts::brief::brief;
use rebut::event::Statement;
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
    let brief = brief(trace, budget, &command(trace));
    let tokens = ((brief.chars().count() + 1) as f64 / 3.5).ceil() as u64;
    assert!(tokens <= budget, "{}: {tokens} tokens of {budget}", trace.format);
    brief
}

/// Where something begins in a brief.
fn at(brief: &str, what: &str) -> usize {
    brief.find(what).unwrap_or_else(|| panic!("{what:?} is not in:\n{brief}"))
}

/// Where a statement's line begins.
fn line_of(brief: &str, trace: &Trace, s: &Statement) -> usize {
    at(brief, &format!("\n{:03} {}, ", s.n, trace.name_of(&s.by)))
}

fn round_line(round: u32) -> String {
    format!("\nRound {round}. ")
}

#[test]
fn a9_a_brief_fits_its_budget_in_every_format_and_says_what_it_leaves_out() {
    each(FORMATS, |format| {
        let (_, trace) = rehearsed(format.full);
        for budget in [100, 101, 137, 250, 400, 700, 1500, 2500, 4000, 9000] {
            fitting(&trace, budget);
        }
        let last = trace.outcome.as_ref().and_then(|o| o.final_text);
        let is_line = |brief: &str, s: &Statement| {
            let line = format!("\n{:03} {}, ", s.n, trace.name_of(&s.by));
            Some(s.n) != last && brief.contains(&line)
        };
        for budget in (150..1500).step_by(50) {
            let brief = fitting(&trace, budget);
            let mut rounds = trace.rounds.iter();
            let all = rounds.all(|r| {
                let summary = r.summary.split_whitespace().collect::<Vec<_>>().join(" ");
                let headline = rebut::text::capitalised(&rebut::text::sentence(&r.headline));
                let whole = format!("{}{headline}", round_line(r.round));
                brief.contains(&whole) && brief.contains(&summary)
            });
            let any_line = trace.statements.iter().any(|s| is_line(&brief, s));
            assert!(brief.contains("Outcome: "), "{brief}");
            assert!(all || !any_line, "summaries come before gists, {budget}: {brief}");
            let told = match budget {
                0..500 => format!("\n\n[Shortened to {budget} tokens; `rebut show "),
                _ => format!("\n\n[Left out at {budget} tokens: the full text of "),
            };
            has(&brief, &told);
            let times = brief.matches(&format!("{budget} tokens")).count();
            assert_eq!(times, 1, "once: {brief}");
        }
        let all = fitting(&trace, 50_000);
        for statement in &trace.statements {
            let indented = statement.text.trim().replace('\n', "\n  ");
            assert!(all.contains(&indented), "then texts: {indented}");
        }
        lacks(&all, &["Left out at", "Shortened to"]);
    });
}

#[test]
fn a9_a_story_makes_room_only_for_a_warning_that_is_shown() {
    let (_, mut trace) = rehearsed(tiny("duel"));
    trace.statements.iter_mut().for_each(|s| s.cut = false);
    lacks(&fitting(&trace, 2500), &["\nProblems: "]);
    let mut warned = trace.clone();
    let incident = json!({"kind": "left_out", "call": null, "attempt": null, "message": "a summary is missing", "at": trace.started_at});
    let incident = serde_json::from_value(incident).expect("an incident");
    warned.incidents.push(incident);
    let story = |brief: &str| {
        let line = brief.lines().find(|line| line.starts_with("In short"));
        line.map(str::to_owned)
    };
    let (mut hidden, mut shown) = (0, 0);
    for budget in (100..1000).step_by(5) {
        let (with, without) = (fitting(&warned, budget), fitting(&trace, budget));
        if with.contains("\nProblems:") {
            shown += 1;
        } else {
            hidden += 1;
            assert_eq!(story(&with), story(&without), "{budget}");
        }
    }
    assert!(hidden > 0 && shown > 0, "{hidden} {shown}");
}

#[test]
fn a2_a_sentence_has_its_capital_where_somebody_is_called_like_its_first_word() {
    let (_, mut trace) = rehearsed(tiny("duel"));
    for notes in &mut trace.rounds {
        notes.headline = "a call failed".to_owned();
    }
    for (name, told) in [("a", "A call failed."), ("a call", "a call failed.")] {
        name.clone_into(&mut trace.participants[0].name);
        has(&fitting(&trace, 2500), told);
    }
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
    assert_eq!(shown.trim_end(), brief(&trace, 2200, &command(&trace)).trim_end());
    assert!(shown.contains("\n003 Y-1, argument"), "gists: {shown}");
    assert_eq!(place.rebut(&["show", id, "--budget", "99"]).code, 2);
}

#[test]
fn a9_the_final_text_stands_behind_the_outcome_whole_where_three_fifths_of_the_room_are_enough() {
    for (name, too_little) in [("roundtable", 1450), ("dialectic", 1100)] {
        let (_, mut trace) = rehearsed(tiny(name));
        let n = trace.outcome.as_ref().and_then(|o| o.final_text).expect("a final text");
        let last = trace.statements.iter_mut().find(|s| s.n == n).expect("a statement");
        last.text = "One long sentence of an answer follows the other. ".repeat(60);
        let text = last.text.trim().to_owned();
        let first_round = round_line(trace.rounds[0].round);

        let roomy = fitting(&trace, 3500);
        assert!(
            at(&roomy, "Outcome: ") < at(&roomy, &text)
                && at(&roomy, &text) < at(&roomy, &first_round),
            "{roomy}"
        );
        let tight = fitting(&trace, too_little);
        let outcome = &tight[at(&tight, "Outcome: ")..at(&tight, "One long sentence")];
        let above = outcome.lines().filter(|line| !line.trim().is_empty()).count();
        assert!(!tight.contains(&text) && above == 2 && tight.contains('…'), "{tight}");
        let all = fitting(&trace, 20_000);
        assert_eq!(all.matches(&text).count(), 1, "once: {all}");
    }
}

#[test]
fn a9_each_round_stands_before_its_statements_and_what_follows_has_a_heading() {
    each(FORMATS, |format| {
        let (_, trace) = rehearsed(format.full);
        let all = fitting(&trace, 50_000);
        for notes in &trace.rounds {
            let line = at(&all, &round_line(notes.round));
            let initial = |s: &Statement| notes.round > 0 || s.phase.name() == "position";
            let mut own = trace.statements.iter().filter(|s| s.round == notes.round);
            let first = own.find(|s| initial(s)).expect("a statement");
            assert!(line < line_of(&all, &trace, first), "{all}");
            let before = trace.statements.iter().rfind(|s| s.n < first.n).expect("an introduction");
            assert!(line_of(&all, &trace, before) < line, "{all}");
        }
        let last = trace.rounds.last().map_or(0, |notes| notes.round);
        let mut all_said = trace.statements.iter();
        let closing = all_said.find(|s| s.phase.name() == "closing" && s.round == 0);
        if let Some(closing) = closing {
            let heading = at(&all, &format!("\nAfter round {last}."));
            assert!(heading < line_of(&all, &trace, closing), "closings are of no round: {all}");
        }
    });
}

#[test]
fn a9_a_round_of_one_statement_does_not_say_its_claim_twice() {
    let (_, trace) = rehearsed(tiny("duel"));
    let said: Vec<&Statement> = trace.statements.iter().filter(|s| s.round > 0).collect();
    let claim = |s: &Statement| s.gist.chars().take(40).collect::<String>();
    let own_line = |brief: &str, s: &Statement| {
        let line = brief.find(&format!("\n{:03} {}, ", s.n, trace.name_of(&s.by)));
        line.and_then(|at| brief[at + 1..].lines().next().map(str::to_owned))
    };
    let has_claims = |brief: &String| {
        // Its claim, or where the arguments turn on it, its text.
        let has = |s: &&Statement| own_line(brief, s).is_some();
        said.iter().all(has)
    };
    let mut briefs = (300..3000).step_by(20).map(|budget| fitting(&trace, budget));
    let brief = briefs.find(has_claims).expect("room for all claims");
    for statement in said {
        let round = &brief[at(&brief, &round_line(statement.round)) + 1..];
        let line = round.lines().next().unwrap_or_default();
        lacks(line, &[&claim(statement)]);
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
        "- Background that all were given:\n  - facts:\n    - One is so\n    - Two is so\n",
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

    let read_as = "verdicts/0/judges/0/readings/0/read_as";
    let without_incident = [
        ("flow/impossible", json!(2)),
        ("statements/1/objections", json!(["it is short"])),
        ("statements/1/cut", json!(true)),
    ];
    each(&without_incident, |(path, value)| {
        let [problems, incidents] = went_wrong(&duel().with(path, value.clone()));
        lacks(&incidents, &["None."]);
        lacks(&problems, &["each incident"]);
        let lines: Vec<&str> = problems
            .lines()
            .filter(|line| line.starts_with("- ") && !line.contains("[Time limit"))
            .collect();
        assert!(!lines.is_empty(), "{path}");
        for line in lines {
            let line = line.replace(['[', ']'], "");
            assert!(incidents.contains(&line), "{path}: {line}\n{incidents}");
        }
    });
    for (keyword, how) in [
        ("mended", "JSON repaired"),
        ("too_many", "the last entries of a long list left out"),
        ("renamed", "names put for ids in a text"),
    ] {
        let [_, incidents] = went_wrong(&duel().with(read_as, json!([keyword])));
        let told = format!("No incident, but:\n\n- Read all the same ({how}): end/verdict/judge_1");
        has(&incidents, &told);
    }
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

#[test]
fn a4_judges_tell_in_short_what_they_make_of_a_duel() {
    let (place, trace) = rehearsed(tiny("duel"));
    let told = trace.outcome.expect("an outcome").details["summary"]
        .clone()
        .as_str()
        .expect("a text")
        .to_owned();
    let summary = artifact(&place, "summary.md");
    assert!(!told.is_empty());
    has(&summary, "\n\n## In short\n\n- Judge-1, who had Scientist ahead by ");
    let quoted = format!(", on the debate: “{told}”\n- Granted, as the clerk noted it: ");
    has(&summary, &quoted);
    assert!(!summary.contains("full length"), "{summary}");
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
            && rows[0].contains("| interruption; answered in [0"),
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
    let invented = checked("", json!([claim("Elephants rarely cast ballots.", "false")]));
    has(&invented, "| noted: few of its words are in the statement |");
}

#[test]
fn a4_marks_for_exports_are_not_told_to_readers() {
    let (place, _) = rehearsed(tiny("dialectic"));
    let summary = artifact(&place, "summary.md");
    lacks(&summary, &["training example", "finetune"]);
}
