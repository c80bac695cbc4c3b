//! Rows J1 to J6 and J9: job files, matrix, personas, identity.

use std::collections::BTreeSet;
use std::path::Path;

use proptest::prelude::*;
use rebut::job::{Change, Draft, Job, Overrides};
use rebut::plan::{self, Plan};
use rebut::templates::Templates;
use serde_json::{Value, json};

use crate::harness::{Place, has, read};

fn templates() -> Templates {
    Templates::load(None).expect("the built-in templates")
}

fn job(source: &str) -> Job {
    Job::parse(
        Path::new("jobs/some.yaml"),
        source,
        &Overrides::default(),
        &templates(),
    )
    .unwrap_or_else(|problems| panic!("{problems:?}"))
}

fn plans(source: &str) -> Vec<Plan> {
    plan::debates(&job(source), &templates(), false).collect()
}

fn ids(source: &str) -> Vec<String> {
    plans(source)
        .into_iter()
        .map(|plan| plan.id.to_string())
        .collect()
}

const TOPIC: &str = "topic: Should voting be compulsory?\n";

#[test]
fn j1_json_is_read_by_the_same_parser_and_everything_has_a_default_but_the_topic() {
    let yaml = plans(TOPIC);
    let as_json = plans(r#"{"topic": "Should voting be compulsory?"}"#);
    assert_eq!(yaml[0].id, as_json[0].id);
    let x = &yaml[0].participants[0];
    assert_eq!(x.id.as_str(), "position_x");
    assert_eq!(x.name.as_str(), "X");
    assert_eq!(x.model.as_str(), "llama3");
}

#[test]
fn j1_json_may_escape_any_character_and_keeps_its_tabs() {
    let source = "{\n\t\"topic\" : \"Should \\ud83d\\ude00 replace \\u00e9\\/\\\\ud83d?\"\n}\n";
    let path = Path::new("jobs/some.json");
    let job = Job::parse(path, source, &Overrides::default(), &templates());
    let job = job.unwrap_or_else(|problems| panic!("{problems:?}"));
    assert_eq!(
        job.settings(0, &templates()).topic,
        "Should \u{1f600} replace \u{e9}/\\ud83d?"
    );
}

#[test]
fn j1_numbers_where_text_is_wanted_stay_as_they_were_written() {
    let plan = &plans(&format!(
        "{TOPIC}x: {{name: 007}}\ntags: {{version: 1.10}}\nrules: [1e3]\n"
    ))[0];
    assert_eq!(plan.participants[0].name, "007");
    assert_eq!(plan.tags["version"], "1.10");
    assert_eq!(plan.rules, ["1e3"]);
}

#[test]
fn j1_what_is_wrong_with_the_value_of_a_flag_is_said() {
    let with = |path: &str, value: &str| {
        let overrides = Overrides {
            changes: vec![Change::set(path, value)],
            ..Overrides::default()
        };
        let source = format!("{TOPIC}matrix: {{x.model: [a, b]}}\n");
        Job::parse(Path::new("t.yaml"), &source, &overrides, &templates())
            .err()
            .map_or_else(String::new, |problems| problems[0].to_string())
    };
    assert_eq!(with("rounds", "2"), "");
    for (path, value, cause) in [
        ("rules", "[a, a: &b c]", "anchors"),
        ("tags", "{a: 1, a: 2}", "given twice"),
        (
            "topic",
            "Why: or why not?: b",
            "inside the quotes of the shell",
        ),
        ("rounds", "", "the value is empty"),
        ("x", "{name: Ann}", "`x.model` is set by the job's matrix"),
    ] {
        let said = with(path, value);
        assert!(said.contains("--set") && said.contains(cause), "{said}");
    }
}

#[test]
fn j1_the_printed_schema_accepts_every_shipped_job_and_refuses_unknown_keys() {
    let place = Place::new();
    let schema: Value =
        serde_json::from_str(&place.rebut(&["schema", "job"]).stdout).expect("a schema is JSON");
    let validator = jsonschema::validator_for(&schema).expect("a valid schema");
    for path in crate::harness::list(&Path::new(env!("CARGO_MANIFEST_DIR")).join("jobs")) {
        if path.is_file() {
            let problems = rebut::job::problem::Problems::new(&path, "");
            let tree = rebut::job::yaml::parse(&read(&path), &problems).expect("a tree");
            let errors: Vec<String> = validator
                .iter_errors(&tree.json())
                .map(|e| format!("{}: {e}", path.display()))
                .collect();
            assert!(errors.is_empty(), "{errors:?}");
        }
    }
    assert!(!validator.is_valid(&json!({"topic": "Should voting be compulsory?", "ronds": 3})));
}

#[test]
fn j2_the_product_is_taken_excluded_included_and_repeated_in_a_stable_order() {
    let source = format!(
        "{TOPIC}repeat: 2\nmatrix:\n  x.model: [a, b]\n  rounds: [1, 2]\nexclude:\n  - {{x.model: b, rounds: 2}}\ninclude:\n  - {{x.model: c, rounds: 9}}\n"
    );
    let cells: Vec<String> = plans(&source)
        .iter()
        .map(|p| format!("{}/{}", plan::describe_cell(&p.cell), p.repetition))
        .collect();
    assert_eq!(
        cells,
        [
            "x.model=a rounds=1/1",
            "x.model=a rounds=1/2",
            "x.model=a rounds=2/1",
            "x.model=a rounds=2/2",
            "x.model=b rounds=1/1",
            "x.model=b rounds=1/2",
            "x.model=c rounds=9/1",
            "x.model=c rounds=9/2"
        ]
    );
    assert_eq!(ids(&source), ids(&source));
}

#[test]
fn j2_a_path_leads_into_a_list_that_the_job_leaves_out() {
    let query = "query: Should voting be compulsory?\n";
    for (format, subject, list, id) in [
        ("knockout", TOPIC, "y.1", "position_y_2"),
        ("moderated", TOPIC, "advocates.0", "position_advocate_1"),
        ("duel", TOPIC, "judges.0", "judge_1"),
        ("roundtable", query, "specialists.2", "specialist_3"),
        ("dialectic", query, "judges.0", "judge_1"),
    ] {
        let left_out = format!("format: {format}\n{subject}");
        let varied = plans(&format!(
            "{left_out}matrix: {{{list}.model: [llama3, mistral]}}\n"
        ));
        let model = |plan: &Plan| {
            let found = plan.participants.iter().find(|p| p.id == id);
            found.map(|p| p.model.clone())
        };
        assert_eq!(model(&varied[0]).as_deref(), Some("llama3"), "{format}");
        assert_eq!(model(&varied[1]).as_deref(), Some("mistral"), "{format}");
        let default = &plans(&left_out)[0];
        assert_eq!(varied[0].participants, default.participants, "{format}");
        assert_eq!(varied[0].id, default.id, "{format}");
    }
}

#[test]
fn j2_a_flag_leads_into_a_list_that_the_job_leaves_out() {
    let place = Place::new();
    place.write("job.yaml", TOPIC);
    let flags = ["--set", "judges.0.persona=judge", "--set", "format=duel"];
    place.rebut_exits(
        0,
        &[&["check", "--rehearse", "job.yaml"], &flags[..]].concat(),
    );
}

#[test]
fn j2_a_mapping_in_an_axis_sets_several_paths_together() {
    let source = "matrix:\n  side:\n    - {topic: Should A be the rule here?, x.position: A, y.0.position: B}\n    - {topic: Should B be the rule here?, x.position: B, y.0.position: A}\n";
    let found: Vec<(String, String, String)> = plans(source)
        .into_iter()
        .map(|p| {
            (
                p.topic.clone(),
                p.participants[0].position.clone(),
                p.participants[4].position.clone(),
            )
        })
        .collect();
    assert_eq!(
        found[0],
        ("Should A be the rule here?".into(), "A".into(), "B".into())
    );
    assert_eq!(
        found[1],
        ("Should B be the rule here?".into(), "B".into(), "A".into())
    );
}

#[test]
fn j2_cells_pair_by_seed_and_repetitions_differ() {
    let all = plans(&format!(
        "{TOPIC}seed: 5\nrepeat: 3\nmatrix: {{x.model: [a, b]}}\n"
    ));
    let seeds: Vec<u64> = all.iter().map(|p| p.seed).collect();
    assert_eq!(seeds[..3], seeds[3..]);
    assert_eq!(seeds[..3].iter().collect::<BTreeSet<_>>().len(), 3);
    assert_eq!(seeds[0], 5);
}

#[test]
fn j2_two_cells_that_are_the_same_debate_are_an_error_that_names_both() {
    let place = Place::new();
    let path = place.write(
        "job.yaml",
        &format!("{TOPIC}matrix: {{rounds: [6, 3, 6]}}\n"),
    );
    let draft = Draft::open(&path, &Overrides::default(), &templates()).expect("a draft");
    let problems = plan::expand(draft, &templates(), false, |_| {}).expect_err("two are one");
    assert_eq!(problems.len(), 1);
    assert_eq!(
        problems[0].cause,
        "cells 1 (rounds=6) and 3 (rounds=6) of the matrix are the same debate"
    );
}

#[test]
fn j2_the_shipped_night_has_24_debates_each_another() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("jobs/technology-night.yaml");
    let job = Job::load(&path, &Overrides::default(), &templates()).expect("a good job");
    let ids: BTreeSet<_> = plan::debates(&job, &templates(), false)
        .map(|p| p.id)
        .collect();
    assert_eq!(ids.len(), 24);
}

proptest! {
    #![proptest_config(ProptestConfig { rng_seed: proptest::test_runner::RngSeed::Fixed(1), cases: 64, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn j2_the_number_of_debates_is_the_product_of_the_axes(models in 1_usize..5, rounds in 1_usize..5, repeat in 1_usize..4) {
        let list = |n: usize, word: &str| (1..=n).map(|i| format!("{word}{i}")).collect::<Vec<_>>().join(", ");
        let source = format!("{TOPIC}repeat: {repeat}\nmatrix:\n  x.model: [{}]\n  rounds: [{}]\n", list(models, "m"), list(rounds, ""));
        let all = ids(&source);
        prop_assert_eq!(all.len(), models * rounds * repeat);
        prop_assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len());
    }
}

#[test]
fn j3_check_prints_the_plan_and_asks_no_model() {
    let place = Place::new();
    place.write(
        "jobs/a.yaml",
        "topic: Should voting be compulsory?\nrounds: 2\nmatrix: {x.model: [llama3, absent]}\n",
    );
    let ended = place.rebut_exits(0, &["check", "jobs"]);
    for wanted in [
        "2 debates in 1 job, 2 to run",
        "expected, from a rehearsal in memory: 24 calls",
        "no time estimate",
        "not pulled: absent; run `ollama pull absent`",
    ] {
        assert!(
            ended.stdout.contains(wanted),
            "{wanted} is not in:\n{}",
            ended.stdout
        );
    }
    assert!(place.server.chats().is_empty());
    assert!(
        !place.path().join("output").exists(),
        "check leaves nothing behind"
    );
}

#[test]
fn j3_check_counts_the_calls_that_a_run_makes() {
    let place = Place::new();
    place.write(
        "job.yaml",
        "topic: Should voting be compulsory?\nrounds: 3\n",
    );
    let check = place.rebut(&["check", "--rehearse", "job.yaml"]).stdout;
    place.run_exits(0, &["--rehearse", "job.yaml"]);
    let calls: u64 = place.trace()["usage"]["by_purpose"]
        .as_object()
        .expect("purposes")
        .values()
        .filter_map(|u| u["calls"].as_u64())
        .sum();
    assert!(
        check.contains(&format!("{calls} calls")),
        "{calls} in {check}"
    );
}

#[test]
fn j3_directories_are_searched_and_background_files_are_no_jobs() {
    let place = Place::new();
    place.write("jobs/deep/a.yml", TOPIC);
    place.write("jobs/b.json", r#"{"topic": "Should cities be smaller?"}"#);
    place.write("jobs/background/facts.yaml", "facts: [one]\n");
    place.write("jobs/notes.md", "no job");
    let ended = place.rebut(&["check", "--rehearse", "jobs"]);
    has(&ended.stdout, "2 debates in 2 jobs");
}

#[test]
fn j5a_defaults_reach_everyone_and_a_participant_may_differ() {
    let source = format!(
        "{TOPIC}defaults: {{model: mistral, temperature: 0.2, fallback: [phi]}}\nx: {{model: llama3, think: true, fallback: []}}\ny: [{{name: Ann, position: No}}, {{name: Bob, context_window: 4096}}]\n"
    );
    let plan = plans(&source).remove(0);
    let of = |id: &str| plan.participant(id).expect("a participant").clone();
    assert_eq!(of("position_x").model.as_str(), "llama3");
    assert!(of("position_x").think);
    assert_eq!(of("position_x").fallback.len(), 0);
    assert_eq!(of("position_y_2").model.as_str(), "mistral");
    assert_eq!(of("position_y_2").context_window, 4096);
    assert_eq!(of("position_y_2").position.as_str(), "No");
    assert_eq!(of("clerk").fallback, ["phi"]);
}

#[test]
fn j5b_a_persona_is_a_file_beside_the_job_or_a_built_in_one() {
    let place = Place::new();
    place.write("personas/gardener.md", "# Gardener\n\nLoves patience.\n");
    place.write(
        "job.yaml",
        &format!("{TOPIC}x: {{persona: gardener}}\ny: [{{persona: pro-life}}, {{}}]\n"),
    );
    let job = Job::load(
        &place.path().join("job.yaml"),
        &Overrides::default(),
        &templates(),
    )
    .expect("a good job");
    let plan = plan::debates(&job, &templates(), false)
        .next()
        .expect("a plan");
    assert_eq!(
        plan.participants[0]
            .persona
            .as_ref()
            .expect("a persona")
            .text,
        "# Gardener\n\nLoves patience."
    );
    assert!(
        plan.participants[2]
            .persona
            .as_ref()
            .expect("a persona")
            .text
            .contains("life")
    );
}

#[test]
fn j5b_a_file_of_the_default_personas_name_is_used_and_never_passed_over() {
    let place = Place::new();
    let path = place.write("job.yaml", TOPIC);
    place.write("personas/advocate.md", "Pleads in verse.");
    let load = || Job::load(&path, &Overrides::default(), &templates());
    let settings = load().expect("a good job").settings(0, &templates());
    let persona = settings.participants[0].persona.as_ref();
    assert_eq!(persona.expect("a persona").text, "Pleads in verse.");
    std::fs::write(place.path().join("personas/advocate.md"), [0xff]).expect("a file");
    let problems = load().expect_err("an unreadable persona");
    assert!(problems[0].cause.contains("personas/advocate.md"));
}

/// Attack B1: a job from elsewhere must not put the user's other files into prompts.
#[cfg(unix)]
#[test]
fn j5b_a_persona_is_not_read_through_a_link_that_leads_out_of_the_jobs_directory() {
    use std::os::unix::fs::symlink;
    let place = Place::new();
    let secret = place.write("elsewhere/secret.md", "The key is 1234.");
    let inside = place.write("job/notes/gardener.md", "Loves patience.");
    place.write("job/personas/plain.md", "Says it plainly.");
    symlink(secret, place.path().join("job/personas/linked.md")).expect("a link");
    symlink(inside, place.path().join("job/personas/gardener.md")).expect("a link");
    place.write(
        "other/job.yaml",
        &format!("{TOPIC}x: {{persona: secret}}\n"),
    );
    symlink("../elsewhere", place.path().join("other/personas")).expect("a link");

    for (job, persona, file) in [
        ("job/linked.yaml", "linked", "personas/linked.md"),
        ("other/job.yaml", "secret", "personas/secret.md"),
    ] {
        place.write(job, &format!("{TOPIC}x: {{persona: {persona}}}\n"));
        let ended = place.rebut(&["check", "--rehearse", job]);
        let wanted = format!("`{file}` lies outside the job's directory");
        assert_eq!(ended.code, 2, "{}", ended.stdout);
        assert!(ended.stderr.contains(&wanted), "{}", ended.stderr);
        assert!(!ended.stderr.contains("1234"), "{}", ended.stderr);
    }
    place.write(
        "job/good.yaml",
        &format!("{TOPIC}x: {{persona: gardener}}\ny: [{{persona: plain}}, {{}}]\n"),
    );
    let ended = place.rebut(&["check", "--rehearse", "job/good.yaml"]);
    assert_eq!(ended.code, 0, "a link that stays inside: {}", ended.stderr);
}

#[cfg(unix)]
#[test]
fn a6_a_link_among_overriding_templates_is_refused_and_not_passed_over() {
    let place = Place::new();
    let secret = place.write("secret.md", "The key is 1234.");
    place.write("job.yaml", TOPIC);
    std::fs::create_dir_all(place.path().join("mine/personas")).expect("a directory");
    std::os::unix::fs::symlink(secret, place.path().join("mine/personas/advocate.md"))
        .expect("a link");
    let ended = place.rebut_exits(
        2,
        &["check", "--rehearse", "--templates", "mine", "job.yaml"],
    );
    has(&ended.stderr, "mine/personas/advocate.md is a link");
}

#[test]
fn j5c_background_and_rules_reach_every_speaker_and_judge() {
    let place = Place::new();
    place.write("facts.md", "Turnout is counted in ballots.");
    place.write("more.yaml", "key_terms: [abstention, quorum]\n");
    let job = format!(
        "{TOPIC}rounds: 1\nbackground: [facts.md, more.yaml, {{courts: [Case One, 7]}}]\nrules: [No personal attacks.]\n"
    );
    place.trace_of(&job, &[]);
    let chats = place.server.chats();
    assert_eq!(chats.len(), 6);
    for call in &chats {
        for wanted in [
            "Turnout is counted in ballots.",
            "key terms: abstention; quorum",
            "courts: Case One; 7",
            "No personal attacks.",
        ] {
            assert!(
                call.text().contains(wanted),
                "{wanted} is not in call {}",
                call.n
            );
        }
    }
}

#[test]
fn j6_thirty_hard_topics_pass_the_filter_and_a_slur_does_not() {
    let topics = read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/topics.txt"));
    assert!(topics.lines().count() >= 30);
    for topic in topics.lines() {
        let source = json!({"topic": topic}).to_string();
        let parsed = Job::parse(
            Path::new("t.yaml"),
            &source,
            &Overrides::default(),
            &templates(),
        );
        assert!(parsed.is_ok(), "{topic}: {:?}", parsed.err());
    }
    let slur = "Are all ni\u{67}gers lazy people?";
    let refused = Job::parse(
        Path::new("t.yaml"),
        &json!({"topic": slur}).to_string(),
        &Overrides::default(),
        &templates(),
    );
    assert!(refused.is_err_and(|problems| problems[0].cause.contains("severe slur")));
    let allowed = json!({"topic": slur, "allow_explicit": true}).to_string();
    assert!(
        Job::parse(
            Path::new("t.yaml"),
            &allowed,
            &Overrides::default(),
            &templates()
        )
        .is_ok()
    );
}

#[test]
fn j9a_blanks_around_a_topic_are_no_part_of_it() {
    let blanks = "topic: \"  Should voting be compulsory?\\t \"\n";
    assert_eq!(ids(blanks), ids(TOPIC));
    assert_eq!(plans(blanks)[0].topic, "Should voting be compulsory?");
    let varied = "matrix: {topic: [\" Should voting be compulsory? \"]}\n";
    assert_eq!(ids(varied), ids(TOPIC));
}

#[test]
fn j8_the_seed_flag_replaces_the_seed_and_is_an_error_where_the_matrix_sets_it() {
    let with = |source: &str| {
        Job::parse(
            Path::new("t.yaml"),
            source,
            &Overrides {
                changes: vec![Change::seed(9)],
                ..Overrides::default()
            },
            &templates(),
        )
    };
    let job = with(&format!("{TOPIC}seed: 3\n")).expect("a good job");
    assert_eq!(
        plan::debates(&job, &templates(), false)
            .next()
            .expect("a plan")
            .seed,
        9
    );
    let problems = with(&format!("{TOPIC}matrix: {{seed: [1, 2]}}\n")).expect_err("a conflict");
    assert!(
        problems[0].to_string().contains("--seed 9")
            && problems[0].cause.contains("set by the job's matrix"),
        "{}",
        problems[0]
    );
}

#[test]
fn j9a_the_id_follows_what_shapes_the_debate_and_nothing_else() {
    let base = &ids(TOPIC)[0];
    for same in [
        "name: other\n",
        "tags: {a: b}\n",
        "output: {transcript: true, formats: [json]}\n",
        "allow_cloud: true\n",
        "rounds: 6\n",
        "defaults: {model: llama3}\n",
        "seed: 1\nrepeat: 1\n",
    ] {
        assert_eq!(&ids(&format!("{TOPIC}{same}"))[0], base, "{same}");
    }
    for other in [
        "rounds: 5\n",
        "seed: 2\n",
        "x: {position: Never}\n",
        "background: {a: [b]}\n",
        "rules: [Be kind.]\n",
        "defaults: {temperature: 0.1}\n",
        "clerk: {model: m}\n",
        "on_failure: abort\n",
        "x: {persona: atheist}\n",
    ] {
        assert_ne!(&ids(&format!("{TOPIC}{other}"))[0], base, "{other}");
    }
    let rehearsed = plan::debates(&job(TOPIC), &templates(), true)
        .next()
        .expect("a plan")
        .id;
    assert_ne!(*rehearsed, **base);
    // This id may change only together with `plan::VERSION`.
    assert_eq!(&base[..12], "4643434fbc68");
}

#[test]
fn j9a_the_id_follows_the_personas_text_not_its_name() {
    let place = Place::new();
    place.write("personas/one.md", "Same text.");
    place.write("personas/two.md", "Same text.");
    let id = |persona: &str| {
        let source = format!("{TOPIC}x: {{persona: {persona}}}\n");
        let path = place.write("job.yaml", &source);
        let job = Job::load(&path, &Overrides::default(), &templates()).expect("a good job");
        plan::debates(&job, &templates(), false)
            .next()
            .expect("a plan")
            .id
    };
    assert_eq!(id("one"), id("two"));
    let before = id("one");
    place.write("personas/one.md", "Another text.");
    assert_ne!(before, id("one"));
}

#[test]
fn j3_an_output_directory_among_jobs_holds_no_jobs() {
    let place = Place::new();
    place.write("job.yaml", TOPIC);
    place.run_exits(0, &["--rehearse", "."]);
    place.run_exits(0, &["--rehearse", "."]);
}

#[test]
fn j3_the_same_debate_in_two_jobs_is_run_once_and_said() {
    let place = Place::new();
    place.write("jobs/a.yaml", TOPIC);
    place.write("jobs/b.yaml", TOPIC);
    has(
        &place.rebut(&["check", "--rehearse", "jobs"]).stdout,
        "1 debate in 2 jobs",
    );
    let ended = place.run(&["--rehearse", "jobs"]);
    has(&ended.stderr, "1 listed more than once, run once");
    assert_eq!(place.debates().len(), 1);
}
