//! Rows J1 to J6 and J9: job files, matrix, personas, identity.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::harness::properties::properties;
use proptest::prelude::*;
use rebut::job::problem::Problem;
use rebut::job::{Change, Draft, Job, Overrides};
use rebut::plan::{Plan, cells};
use rebut::templates::Templates;
use serde_json::{Value, json};

use crate::harness::{
    Place, TINY_JOB, has, has_all, lacks, list, loaded_job, parsed_job, read, shows, with_job,
};

fn templates() -> Templates {
    Templates::load(None).expect("the built-in templates")
}

/// A job of this source with some settings changed.
fn with(source: &str, changes: Vec<Change>) -> Result<Job, Vec<Problem>> {
    let overrides = Overrides { changes, ..Overrides::default() };
    let templates = templates();
    let draft = Draft::parse(Path::new("jobs/some.yaml"), source, &overrides, &templates)?;
    draft.read(&templates, |_, _| {})
}

/// The job of a place.
fn load(place: &Place) -> Result<Job, Vec<Problem>> {
    let path = place.path().join("job.yaml");
    loaded_job(&path, &templates())
}

fn job(source: &str) -> Job {
    with(source, Vec::new()).unwrap_or_else(|problems| panic!("{problems:?}"))
}

fn plans(source: &str) -> Vec<Plan> {
    cells::debates(&job(source), &templates(), false).collect()
}

fn ids(source: &str) -> Vec<String> {
    let ids = plans(source).into_iter().map(|plan| plan.id.to_string());
    ids.collect()
}

const TOPIC: &str = "topic: Should voting be compulsory?\n";

#[test]
fn j1_json_is_read_by_the_same_parser_and_everything_has_a_default_but_the_topic() {
    let yaml = plans(TOPIC);
    let as_json = plans(r#"{"topic": "Should voting be compulsory?"}"#);
    assert_eq!(yaml[0].id, as_json[0].id);
    let x = &yaml[0].participants[0];
    let about = [x.id.as_str(), x.name.as_str(), x.model.as_str()];
    assert_eq!(about, ["position_x", "X", "llama3"]);
}

#[test]
fn j1_json_may_escape_any_character_and_keeps_its_tabs() {
    let source = "{\n\t\"topic\" : \"Should \\ud83d\\ude00 replace \\u00e9\\/\\\\ud83d?\"\n}\n";
    let path = Path::new("jobs/some.json");
    let job =
        parsed_job(path, source, &templates()).unwrap_or_else(|problems| panic!("{problems:?}"));
    let topic = job.settings(0, &templates()).topic;
    assert_eq!(topic, "Should \u{1f600} replace \u{e9}/\\ud83d?");
}

#[test]
fn j1_numbers_where_text_is_wanted_stay_as_they_were_written() {
    let more = "x: {name: 007}\ntags: {version: 1.10}\nrules: [1e3]\n";
    let plan = plans(&format!("{TOPIC}{more}")).remove(0);
    assert_eq!(plan.participants[0].name, "007");
    assert_eq!(plan.tags["version"], "1.10");
    assert_eq!(plan.rules, ["1e3"]);
}

#[test]
fn j1_what_is_wrong_with_the_value_of_a_flag_is_said() {
    let source = format!("{TOPIC}matrix: {{x.model: [a, b]}}\n");
    let set = |path: &str, value: &str| with(&source, vec![Change::set(path, value)]);
    assert!(set("rounds", "2").is_ok());
    let unquoted = "inside the quotes of the shell";
    for (path, value, cause) in [
        ("rules", "[a, a: &b c]", "anchors"),
        ("tags", "{a: 1, a: 2}", "given twice"),
        ("topic", "Why: or why not?: b", unquoted),
        ("rounds", "", "the value is empty"),
        ("x", "{name: Ann}", "`x.model` is set by the job's matrix"),
    ] {
        let said = set(path, value).expect_err("a problem")[0].to_string();
        has_all(&said, &["--set", cause]);
    }
}

#[test]
fn j1_the_printed_schema_accepts_every_shipped_job_and_refuses_unknown_keys() {
    let schema = Place::new().rebut(&["schema", "job"]).stdout;
    let schema: Value = serde_json::from_str(&schema).expect("a schema is JSON");
    let validator = jsonschema::validator_for(&schema).expect("a valid schema");
    let shipped = list(&Path::new(env!("CARGO_MANIFEST_DIR")).join("jobs")).into_iter();
    let is_job = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "yaml");
    for path in shipped.filter(is_job) {
        let problems = rebut::job::problem::Problems::new(&path, "");
        let tree = rebut::job::yaml::parse(&read(&path), &problems).expect("a tree").json();
        let errors: Vec<String> = validator.iter_errors(&tree).map(|e| e.to_string()).collect();
        assert!(errors.is_empty(), "{}: {errors:?}", path.display());
    }
    assert!(!validator.is_valid(&json!({"topic": "Should voting be compulsory?", "ronds": 3})));
}

#[test]
fn j2_the_product_is_taken_excluded_included_and_repeated_in_a_stable_order() {
    let source = format!(
        "{TOPIC}repeat: 2\nmatrix:\n  x.model: [a, b]\n  rounds: [1, 2]\nexclude:\n  - {{x.model: b, rounds: 2}}\ninclude:\n  - {{x.model: c, rounds: 9}}\n"
    );
    let cell = |p: &Plan| format!("{}/{}", cells::describe_cell(&p.cell), p.repetition);
    let cells: Vec<String> = plans(&source).iter().map(cell).collect();
    let expected = [("a", 1), ("a", 2), ("b", 1), ("c", 9)];
    let expected = expected
        .map(|(model, rounds)| format!("x.model={model} rounds={rounds}"))
        .into_iter()
        .flat_map(|cell| [1, 2].map(|n| format!("{cell}/{n}")));
    assert_eq!(cells, expected.collect::<Vec<_>>());
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
        let varied = plans(&format!("{left_out}matrix: {{{list}.model: [llama3, mistral]}}\n"));
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
    let place = with_job(TOPIC);
    let flags = ["--set", "judges.0.persona=judge", "--set", "format=duel"];
    let args = [&["check", "--rehearse", "job.yaml"], &flags[..]].concat();
    place.rebut_exits(0, &args);
}

#[test]
fn j2_a_mapping_in_an_axis_sets_several_paths_together() {
    let source = "matrix:\n  side:\n    - {topic: Should A be the rule here?, x.position: A, y.0.position: B}\n    - {topic: Should B be the rule here?, x.position: B, y.0.position: A}\n";
    for (plan, [own, other]) in plans(source).iter().zip([["A", "B"], ["B", "A"]]) {
        assert_eq!(plan.topic, format!("Should {own} be the rule here?"));
        assert_eq!(plan.participants[0].position, own);
        assert_eq!(plan.participants[4].position, other);
    }
}

#[test]
fn j2_cells_pair_by_seed_and_repetitions_differ() {
    let more = "seed: 5\nrepeat: 3\nmatrix: {x.model: [a, b]}\n";
    let all = plans(&format!("{TOPIC}{more}"));
    let seeds: Vec<u64> = all.iter().map(|p| p.seed).collect();
    assert_eq!(seeds[..3], seeds[3..]);
    assert_eq!(seeds[..3].iter().collect::<BTreeSet<_>>().len(), 3);
    assert_eq!(seeds[0], 5);
}

#[test]
fn j2_two_cells_that_are_the_same_debate_are_an_error_that_names_both() {
    let place = with_job(&format!("{TOPIC}matrix: {{rounds: [6, 3, 6]}}\n"));
    let path = place.path().join("job.yaml");
    let draft = Draft::open(&path, &Overrides::default(), &templates()).expect("a draft");
    let problems = cells::expand(draft, &templates(), false, |_| {}).expect_err("two are one");
    assert_eq!(problems.len(), 1);
    let cause = "cells 1 (rounds=6) and 3 (rounds=6) of the matrix are the same debate";
    assert_eq!(problems[0].cause, cause);
}

#[test]
fn j9a_seeds_in_a_matrix_give_the_ids_that_each_would_alone() {
    let job = |lines: &str| format!("rounds: 2\nrepeat: 3\nallow_explicit: true\n{lines}");
    let topics = ["Is one enough?", "Is two better?"];
    let listed = topics.join(", ");
    let alone = |topic: &str, seed: u64| ids(&job(&format!("topic: {topic}\nseed: {seed}\n")));
    let by_topic = topics.map(|topic| [7, 1].map(|seed| alone(topic, seed)).concat());
    let matrix = format!("matrix: {{topic: [{listed}], seed: [7, 1]}}\n");
    assert_eq!(ids(&job(&matrix)), by_topic.concat());
    let by_seed = [7, 1].map(|seed| topics.map(|topic| alone(topic, seed)).concat());
    let matrix = format!("matrix: {{seed: [7, 1], topic: [{listed}]}}\n");
    assert_eq!(ids(&job(&matrix)), by_seed.concat());
    let seeds = plans(&job(&matrix)).into_iter();
    let cells: Vec<_> = seeds.map(|plan| plan.cell["seed"].clone()).collect();
    assert_eq!(cells, [7, 7, 7, 7, 7, 7, 1, 1, 1, 1, 1, 1]);
}

#[test]
fn j2_a_seed_in_a_matrix_that_is_none_is_told() {
    let source = format!("{TOPIC}matrix: {{seed: [1, -2, 3]}}\n");
    let problems = with(&source, Vec::new()).expect_err("no seed");
    assert!(problems[0].cause.contains("seed"), "{problems:?}");
}

#[test]
fn j2_the_shipped_night_has_24_debates_each_another() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("jobs/technology-night.yaml");
    let job = loaded_job(&path, &templates()).expect("a good job");
    let templates = templates();
    let ids = cells::debates(&job, &templates, false).map(|p| p.id);
    assert_eq!(ids.collect::<BTreeSet<_>>().len(), 24);
}

proptest! {
    #![proptest_config(properties(64))]
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
    let job = format!("{TOPIC}rounds: 2\nmatrix: {{x.model: [llama3, absent]}}\n");
    place.write("jobs/a.yaml", &job);
    shows!(place.rebut_exits(1, &["check", "jobs"]), {"stdout contains": [
        "2 debates in 1 job, 2 to run",
        "expected (from a rehearsal): 26 calls",
        "no time estimate",
        "warning: not pulled: absent, the model of X; run `ollama pull absent`",
    ]});
    assert!(place.server.chats().is_empty());
    let output = place.path().join("output");
    assert!(!output.exists(), "check leaves nothing behind");
}

#[test]
fn j3_a_path_that_names_no_job_is_told_with_the_job_that_is_meant() {
    let place = Place::new();
    place.write("jobs/chess.yaml", TINY_JOB);
    place.run_exits(0, &["--rehearse", "jobs/chess.yaml"]);
    let told = |path: &str| place.rebut_exits(2, &["run", "--rehearse", path]).stderr;
    for path in ["jobs/ches.yaml", "jobs/chess.yml", "chess", "chess.yaml"] {
        has_all(
            &told(path),
            &[&format!("error: {path} does not exist\n"), "hint: did you mean jobs/chess.yaml?\n"],
        );
    }
    has(&told("jobs/other.yaml"), "hint: write one with `rebut new FORMAT FILE`\n");
    let results =
        "error: output holds results, not jobs\nhint: give job files, or a directory of them\n";
    assert_eq!(told("output"), results);
}

#[test]
fn j3_check_tells_who_takes_part() {
    let place = Place::new();
    place.write(
        "job.yaml",
        "format: duel\ntopic: Should zoos be closed?\nrounds: 2\nallow_explicit: true\na: {name: Keeper, position: No, persona: scientist}\nb: {name: Ethicist, position: \"Yes\", model: mistral, persona: null}\n",
    );
    let checked = place.rebut_exits(0, &["check", "job.yaml"]).stdout;
    has_all(
        &checked,
        &[
            "\nKeeper (llama3, persona scientist): No\nEthicist (mistral): Yes\n",
            "\nalso: Judge-1 (llama3, persona judge), Clerk (llama3)\n",
        ],
    );
}

#[test]
fn j3_check_tells_the_stances_and_warns_of_the_default_ones_for_specialists_of_the_job() {
    let query = "format: roundtable\nquery: Should buses be free of charge?\n";
    let doubt = "warning: job.yaml: the specialists are the job's own, but their stances are the default ones, buy, sell, hold: ";
    for (more, stances, is_doubtful) in [
        ("", "buy, sell, hold", false),
        ("specialists: [{name: Planner}, {name: Driver}]\n", "buy, sell, hold", true),
        ("specialists: [{name: Planner}, {}]\n", "buy, sell, hold", false),
        (
            "specialists: [{name: Planner}, {name: Driver}]\nstances: [free, paid]\n",
            "free, paid",
            false,
        ),
    ] {
        let checked = with_job(&format!("{query}{more}")).rebut(&["check", "job.yaml"]);
        has(&checked.stdout, &format!("\nstances: {stances}\n"));
        assert_eq!(checked.stderr.contains(doubt), is_doubtful, "{more}: {}", checked.stderr);
    }
}

/// In a knockout, X gets no scores, and without neutral judges nobody wins.
#[test]
fn s3_check_says_where_the_report_compares_nothing() {
    let topics: Vec<String> = (1..=12).map(|n| format!("\"Is {n} enough?\"")).collect();
    let job = format!(
        "format: knockout\nrounds: 2\ndefaults: {{model: llama3}}\nx: {{position: The answer is yes}}\ny: [{{position: The answer is no}}, {{}}]\nmatrix:\n  topic: [{}]\n  x.model: [llama3, mistral]\n",
        topics.join(", ")
    );
    let told = with_job(&job).rebut(&["check", "job.yaml"]).stdout;
    has(
        &told,
        "the report on these debates would say: In knockout debates no two models are scored on the same material, so none are compared. Remedy: `judges:` on models that do not debate, so that each debate has a winner.",
    );
}

/// Topics of duels, as a list.
fn topics(number: usize) -> String {
    let topics: Vec<String> = (1..=number).map(|n| format!("\"Is {n} enough?\"")).collect();
    topics.join(", ")
}

/// What is said of the design of a job.
const SAYS: &str = "warning: job: the report on these debates would say: ";

#[test]
fn s3_check_says_of_a_design_what_the_report_then_says() {
    let topics = topics(12);
    let job = format!(
        "format: duel\nrounds: 2\njudges: [{{model: gemma3}}]\na: {{model: llama3}}\nb: {{model: mistral}}\nmatrix:\n  topic: [{topics}]\n"
    );
    let place = with_job(&job);
    let told = place.rebut(&["check", "job.yaml"]).stdout;
    let (_, sentence) = told.split_once(SAYS).expect("a warning");
    let sentence = sentence.lines().next().expect("a line");
    assert!(
        sentence.contains("llama3 and mistral") && sentence.contains(" in 12 debates. Remedy: "),
        "{sentence}"
    );
    place.run_exits(0, &["--rehearse", "job.yaml"]);
    let found = place.found(&["--include-rehearsals"]);
    let headlines = found["headlines"].as_array().expect("a list");
    assert!(headlines.contains(&json!(sentence)), "{headlines:?}");
    let one = "format: duel\nrounds: 2\njudges: [{model: gemma3}]\na: {model: llama3}\nb: {model: mistral}\ntopic: Is 1 enough?\n";
    has(
        &with_job(one).rebut(&["check", "job.yaml"]).stdout,
        "job: one topic cannot show a difference between models",
    );
    let few = job.replace(&topics, &self::topics(9));
    has(
        &with_job(&few).rebut(&["check", "job.yaml"]).stdout,
        "warning: job: 9 topics: with fewer than 10, ",
    );
    let own = job.replace("gemma3", "llama3");
    let told = with_job(&own).rebut(&["check", "job.yaml"]).stdout;
    let (_, sentence) = told.split_once(SAYS).expect("a warning");
    assert!(sentence.contains("judges on models that do not debate"), "{sentence}");
}

#[test]
fn s3_check_says_which_pairs_the_report_would_not_compare() {
    let meetings = [("llama3", "mistral"), ("mistral", "llama3"), ("llama3", "qwen3")]
        .map(|(a, b)| format!("{{a.model: {a}, b.model: {b}}}"));
    let job = format!(
        "format: duel\nrounds: 2\njudges: [{{model: gemma3}}]\nmatrix:\n  topic: [{}]\n  meeting: [{}]\n",
        topics(12),
        meetings.join(", ")
    );
    let told = with_job(&job).rebut(&["check", "job.yaml"]).stdout;
    let (_, sentence) = told.split_once(SAYS).expect("a warning");
    assert!(
        sentence.starts_with("Not every debate counts") && sentence.contains("llama3 and qwen3"),
        "{sentence}"
    );
}

/// Of very many debates a sample is tested: here one in which the first is always on the same model.
#[test]
fn s3_check_tests_a_sample_of_very_many_debates() {
    let job = format!(
        "format: duel\nrounds: 2\nrepeat: 501\njudges: [{{model: gemma3}}]\na: {{model: llama3}}\nb: {{model: mistral}}\nmatrix:\n  topic: [{}]\n",
        topics(10)
    );
    let told = with_job(&job).rebut(&["check", "job.yaml", "--rehearse"]).stdout;
    has(
        &told,
        "warning: job: the report on these debates (here of 5,000 debates, drawn at random) would say: ",
    );
}

#[test]
fn j3_check_lists_some_of_many_debates_and_all_on_request() {
    let place = with_job(&format!("{TOPIC}repeat: 21\n"));
    let lines = |args: &[&str]| {
        let args = [&["check", "--rehearse", "job.yaml"], args].concat();
        let told = place.rebut_exits(0, &args).stdout;
        (told.matches("to run\t").count(), told)
    };
    let (some, told) = lines(&[]);
    assert_eq!(some, 10, "{told}");
    has(
        &told,
        "\n… and 11 more (`rebut check --all` lists them)\n\n21 debates in 1 job, 21 to run\n",
    );
    for (args, number) in [(&["--all"][..], 21), (&["--limit", "20"], 20)] {
        let (all, told) = lines(args);
        assert_eq!(all, number, "{told}");
        lacks(&told, &["more ("]);
    }
    place.write("same.yaml", &format!("{TOPIC}repeat: 21\n"));
    let both = place.rebut_exits(0, &["check", "--rehearse", "job.yaml", "same.yaml"]);
    has(&both.stdout, "\n21 in several jobs, run once\n");
}

#[test]
fn j3_check_counts_the_calls_that_a_run_makes() {
    let place = with_job(&format!("{TOPIC}rounds: 3\n"));
    let check = place.rebut(&["check", "--rehearse", "job.yaml"]).stdout;
    place.run_exits(0, &["--rehearse", "job.yaml"]);
    let trace = place.trace();
    let used = trace["usage"]["by_purpose"].as_object().expect("purposes");
    let calls: u64 = used.values().filter_map(|u| u["calls"].as_u64()).sum();
    has(&check, &format!("{calls} calls"));
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
    let of = |id: &str| plan.participant(id).expect("a participant");
    shows!(of("position_x"), {"model": "llama3", "think": true, "fallback": []});
    shows!(of("position_y_2"), {"model": "mistral", "context_window": 4096, "position": "No"});
    shows!(of("clerk"), {"fallback": ["phi"]});
}

#[test]
fn j5b_a_persona_is_a_file_beside_the_job_or_a_built_in_one() {
    let job = format!("{TOPIC}x: {{persona: gardener}}\ny: [{{persona: pro-life}}, {{}}]\n");
    let place = with_job(&job);
    place.write("personas/gardener.md", "# Gardener\n\nLoves patience.\n");
    let participants = load(&place).expect("a good job").settings(0, &templates()).participants;
    let persona = |n: usize| &participants[n].persona.as_ref().expect("a persona").text;
    assert_eq!(persona(0), "# Gardener\n\nLoves patience.");
    has(persona(2), "life");
}

#[test]
fn j5b_a_file_of_the_default_personas_name_is_used_and_never_passed_over() {
    let place = with_job(TOPIC);
    let file = place.write("personas/advocate.md", "Pleads in verse.");
    let settings = load(&place).expect("a good job").settings(0, &templates());
    let persona = settings.participants[0].persona.as_ref();
    assert_eq!(persona.expect("a persona").text, "Pleads in verse.");
    std::fs::write(file, [0xff]).expect("a file");
    let problems = load(&place).expect_err("an unreadable persona");
    has(&problems[0].cause, "personas/advocate.md");
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
    place.write("other/notes.md", "");
    symlink("../elsewhere", place.path().join("other/personas")).expect("a link");
    for (job, persona) in [("job/linked.yaml", "linked"), ("other/job.yaml", "secret")] {
        place.write(job, &format!("{TOPIC}x: {{persona: {persona}}}\n"));
        let ended = place.rebut_exits(2, &["check", "--rehearse", job]);
        let told = format!("`personas/{persona}.md` is outside the job's directory");
        shows!(ended, {"stderr contains": told, "stderr lacks": "1234"});
    }
    let job = format!("{TOPIC}x: {{persona: gardener}}\ny: [{{persona: plain}}, {{}}]\n");
    place.write("job/good.yaml", &job);
    // A link that stays inside.
    place.rebut_exits(0, &["check", "--rehearse", "job/good.yaml"]);
}

#[cfg(unix)]
#[test]
fn a6_a_link_among_overriding_templates_is_refused_and_not_passed_over() {
    let place = with_job(TOPIC);
    let secret = place.write("secret.md", "The key is 1234.");
    let link = place.write("mine/personas/advocate.md", "");
    std::fs::remove_file(&link).expect("a file");
    std::os::unix::fs::symlink(secret, &link).expect("a link");
    let args = ["check", "--rehearse", "--templates", "mine", "job.yaml"];
    let ended = place.rebut_exits(2, &args);
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
    assert_eq!(chats.len(), 7);
    for call in &chats {
        shows!(call.text(), {" contains": [
            "Turnout is counted in ballots.",
            "key terms:\n  - abstention\n  - quorum",
            "courts:\n  - Case One\n  - 7",
            "No personal attacks.",
        ]});
    }
}

#[test]
fn j6_thirty_hard_topics_pass_the_filter_and_a_slur_does_not() {
    let topics = read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/topics.txt"));
    assert!(topics.lines().count() >= 30);
    let parsed = |job: Value| with(&job.to_string(), Vec::new());
    for topic in topics.lines() {
        let parsed = parsed(json!({"topic": topic}));
        assert!(parsed.is_ok(), "{topic}: {:?}", parsed.err());
    }
    let slur = "Are all ni\u{67}gers lazy people?";
    let refused = parsed(json!({"topic": slur})).expect_err("it is refused");
    has(&refused[0].cause, "`n******`, which the filter considers a severe slur");
    let others = ["fag\u{67}ot", "F\u{41}GS", "ch\u{69}nks", "jig\u{61}boo", "wh\u{6f}re"];
    for word in others {
        let topic = format!("Should a {word} be allowed to vote?");
        let refused = parsed(json!({"topic": topic})).expect_err(word);
        has(&refused[0].cause, "severe slur");
    }
    assert!(parsed(json!({"topic": slur, "allow_explicit": true})).is_ok());
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
    let seeded = |more: &str| with(&format!("{TOPIC}{more}"), vec![Change::seed(9)]);
    let job = seeded("seed: 3\n").expect("a good job");
    let plan = cells::debates(&job, &templates(), false).next();
    assert_eq!(plan.expect("a plan").seed, 9);
    let problems = seeded("matrix: {seed: [1, 2]}\n").expect_err("a conflict");
    has(&problems[0].to_string(), "--seed 9");
    has(&problems[0].cause, "set by the job's matrix");
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
    let rehearsed = cells::debates(&job(TOPIC), &templates(), true).next();
    assert_ne!(*rehearsed.expect("a plan").id, **base);
    // This id may change only together with `plan::VERSION`, or with the text of the built-in persona.
    assert_eq!(&base[..12], "72694a5d8697");
}

#[test]
fn j9a_the_id_follows_the_personas_text_not_its_name() {
    let place = Place::new();
    place.write("personas/one.md", "Same text.");
    place.write("personas/two.md", "Same text.");
    let id = |persona: &str| {
        place.write("job.yaml", &format!("{TOPIC}x: {{persona: {persona}}}\n"));
        let job = load(&place).expect("a good job");
        let plan = cells::debates(&job, &templates(), false).next();
        plan.expect("a plan").id
    };
    assert_eq!(id("one"), id("two"));
    let before = id("one");
    place.write("personas/one.md", "Another text.");
    assert_ne!(before, id("one"));
}

#[test]
fn j3_an_output_directory_among_jobs_holds_no_jobs() {
    let place = with_job(TOPIC);
    place.run_exits(0, &["--rehearse", "."]);
    place.run_exits(0, &["--rehearse", "."]);
}

#[test]
fn j3_the_same_debate_in_two_jobs_is_run_once_and_said() {
    let place = Place::new();
    place.write("jobs/a.yaml", TOPIC);
    place.write("jobs/b.yaml", TOPIC);
    let checked = place.rebut(&["check", "--rehearse", "jobs"]);
    has(&checked.stdout, "1 debate in 2 jobs");
    let ended = place.run(&["--rehearse", "jobs"]);
    has(&ended.stderr, "1 in several jobs, run once");
    assert_eq!(place.debates().len(), 1);
}
