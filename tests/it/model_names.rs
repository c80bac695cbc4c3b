//! Row J5a: `NAME:latest` and `NAME` are one model.

use std::fs;
use std::path::Path;

use mock_ollama::{Answer, Card, MockOllama};
use rebut::journal::{self, Entry};
use rebut::plan::{Plan, cells};
use rebut::templates::Templates;
use serde_json::{Value, json};

use crate::harness::{
    Kind, Place, TINY_JOB, good, has, json_lines, lacks, parsed_job, read, with_job,
};

/// The plans of a job that stands for itself.
fn plans(job: &str) -> Vec<Plan> {
    let templates = Templates::load(None).expect("the built-in templates");
    let job = parsed_job(Path::new("job.yaml"), job, &templates)
        .unwrap_or_else(|problems| panic!("{problems:?}"));
    cells::debates(&job, &templates, false).collect()
}

#[test]
fn j5a_a_model_has_one_name_wherever_a_job_names_it() {
    let jobs = [
        "topic: Should voting be compulsory?\ndefaults: {model: llama3:latest, fallback: [mistral:latest]}\nx: {model: qwen3:latest}\n",
        "format: dialectic\nquery: Should voting be compulsory?\nskeptic: {model: qwen3:latest}\nretrieval: {model: all-minilm:latest}\n",
        "format: duel\ntopic: Should voting be compulsory?\nmatrix: {a.model: [qwen3:latest, mistral]}\n",
    ];
    for job in jobs {
        let (long, short) = (plans(job), plans(&job.replace(":latest", "")));
        let ids = |plans: &[Plan]| plans.iter().map(|p| p.id.clone()).collect::<Vec<_>>();
        assert_eq!(ids(&long), ids(&short), "{job}");
        let named = |plan: &Plan| json!([plan.participants, plan.format]).to_string();
        assert!(long.iter().all(|plan| !named(plan).contains(":latest")));
    }
    let other_tag = plans("topic: Should voting be compulsory?\ndefaults: {model: llama3:8b}\n");
    assert_eq!(other_tag[0].participants[0].model, "llama3:8b");
}

#[test]
fn j5a_a_matrix_over_both_names_of_a_model_repeats_itself_and_only_takes_either() {
    let matrix = "matrix: {x.model: [llama3:latest, NAME]}\n";
    let place = with_job(&format!("{TINY_JOB}{}", matrix.replace("NAME", "llama3")));
    let checked = place.rebut_exits(2, &["check", "--rehearse", "job.yaml"]);
    has(&checked.stderr, "are the same debate");

    let place = with_job(&format!("{TINY_JOB}{}", matrix.replace("NAME", "mistral")));
    for only in ["x.model=llama3", "x.model=llama3:latest"] {
        let checked = place.rebut(&["check", "--rehearse", "job.yaml", "--only", only]);
        has(&checked.stdout, "1 debate in 1 job");
    }
}

#[test]
fn j5a_both_names_of_a_model_are_asked_for_as_one_and_loaded_once() {
    let job = format!("{TINY_JOB}x: {{model: llama3:latest, context_window: 4096}}\n");
    let place = with_job(&job);
    place.run_exits(0, &["job.yaml"]);
    for call in place.server.chats() {
        assert_eq!(call.model(), "llama3");
        assert_eq!(call.option("num_ctx"), Some(&json!(8192)));
    }
    assert!(!read(&place.debates()[0].join("trace.json")).contains("llama3:latest"));
}

/// Gives every model of a snapshot's plan its long name, as a job had it before names were canonical.
fn with_long_names(inputs: &mut Value) {
    let participants = inputs["plan"]["participants"].as_array_mut();
    for participant in participants.expect("participants") {
        participant["model"] = json!("llama3:latest");
    }
}

#[test]
fn j5a_names_that_differ_in_case_are_matched_with_the_server_and_warned_of() {
    let place = with_job(&format!("{TINY_JOB}x: {{model: Llama3}}\n"));
    // The server refuses that name.
    let checked = place.rebut_exits(1, &["check", "job.yaml"]);
    lacks(&checked.stdout, &["not pulled", "results count these as two models"]);
    has(
        &checked.stdout,
        "warning: Llama3 and llama3 are one model to Ollama, but two in results: use one spelling",
    );
    has(
        &checked.stdout,
        "warning: the server has no model Llama3: write llama3, its name there (letter case matters)",
    );
    place.write("plain.yaml", TINY_JOB);
    place.server.script(|call| match call.model() {
        "Llama3" => Answer::model_not_found("Llama3"),
        _ => good(call),
    });
    // This server tells the two names apart, so it is no use to get the model.
    let (url, remedy) = (place.server.url(), "write llama3, its name there (letter case matters)");
    let ended = place.run_exits(2, &["plain.yaml", "-m", "Llama3"]);
    let refused = format!("error: {url} has no model Llama3\nhint: {remedy}\n");
    assert_eq!((ended.stderr, ended.stdout), (refused, String::new()));
    assert!(!place.path().join("output").exists());
    place.write("jobs/a.yaml", TINY_JOB);
    place.write("jobs/b.yaml", &format!("{TINY_JOB}x: {{model: Llama3}}\n"));
    let ended = place.run_exits(1, &["jobs"]);
    let told = format!(
        "Llama3, the model of X (1 of 2 debates); its debates will be left unfinished: {remedy} ("
    );
    has(&ended.stderr, &told);
    lacks(&(ended.stdout + &ended.stderr), &["results count", "ollama pull"]);
    place.server.intercept(|call| {
        let is_shown = call.path == "/api/show" && call.model() == "Llama3";
        let card =
            r#"{"model_info": {"general.architecture": "llama", "llama.context_length": 4096}}"#;
        is_shown.then(|| Answer::raw(200, "application/json", card))
    });
    let checked = place.rebut_exits(1, &["check", "plain.yaml", "-m", "Llama3"]);
    let warnings = [
        "warning: Llama3 was trained for a context of 4096 tokens, but 8192 are requested",
        "warning: Llama3 is llama3 on the server, and results count these as two models: write llama3",
    ];
    warnings.iter().for_each(|it| has(&checked.stdout, it));
    let plans = plans(&format!("{TINY_JOB}x: {{model: Llama3}}\n"));
    assert_eq!(plans[0].participants[0].model, "Llama3", "ids stay as they are");
}

#[test]
fn j5a_a_debate_goes_on_with_the_names_of_its_snapshot() {
    let place = with_job(TINY_JOB);
    place.killed_at(Kind::Statement, &[]);
    let path = place.running_journal();
    let id = path.file_stem().and_then(|stem| stem.to_str()?.parse().ok());
    let journal = journal::load(&path, &id.expect("an id"));
    let entries = journal.expect("a journal").entries;
    let Some(Entry::Debate(mut header)) = entries.first().cloned() else {
        panic!("a journal begins with its header");
    };
    let mut inputs = place.inputs_of(&header);
    with_long_names(&mut inputs);
    place.keep_whole(&mut header, &inputs);
    fs::write(&path, journal::line(&Entry::Debate(header)) + "\n").expect("a journal");

    let before = place.server.chats().len();
    place.run_exits(0, &["job.yaml"]);
    let asked = &place.server.chats()[before..];
    assert!(!asked.is_empty() && asked.iter().all(|call| call.model() == "llama3:latest"));
}

#[test]
fn j5a_statistics_and_exports_read_both_names_of_old_traces_as_one() {
    let models = ["llama3", "mistral", "qwen3"].map(Card::new);
    let place = Place::with(MockOllama::builder().models(models).start());
    let job = format!("{TINY_JOB}x: {{model: mistral}}\nclerk: {{model: qwen3}}\n");
    place.write("job.yaml", &job);
    place.run_exits(0, &["job.yaml"]);
    // As it stood in traces: the clerk's model and those of Y were one under two names.
    let path = place.debates()[0].join("trace.json");
    let trace = read(&path)
        .replace("\"qwen3\"", "\"llama3:latest\"")
        .replace("\"mistral\"", "\"mistral:latest\"");
    fs::write(&path, trace).expect("a trace");

    let found = place.rebut(&["stats", "--format", "json", "--by", "model"]).stdout;
    assert!(!found.contains(":latest"), "{found}");
    let found: Value = serde_json::from_str(&found).expect("findings are JSON");
    let speeds = found["speeds"].as_array().expect("speeds");
    let clerk = speeds.iter().find(|s| s["purpose"] == "clerk").expect("the clerk's speed");
    assert_eq!(clerk["model"], "llama3");
    for model in ["mistral", "mistral:latest"] {
        let filter = format!("model={model}");
        let some = place.rebut(&["stats", "--where", &filter]);
        has(&some.stdout, "1 debate on 1 topic");
    }

    place.rebut_exits(0, &["export", "--to", "jsonl"]);
    for table in ["debates", "statements", "ballots", "calls"] {
        let rows = read(&place.path().join(format!("export/{table}.jsonl")));
        assert!(!json_lines(&rows).is_empty() && !rows.contains(":latest"), "{table}");
    }
}
