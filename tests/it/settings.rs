//! Row J5a: sampling options of participants, load options and `keep_alive` of models, and the language of a debate.

use std::collections::BTreeSet;

use mock_ollama::{Answer, Call, Card, MockOllama};
use rebut::job::models::sampling_options::SamplingOptions;
use rebut::model::{Message, Request, Role};
use rebut::plan::{Plan, cells};
use rebut::templates::Templates;
use serde_json::{Value, json};

use crate::formats::FORMATS;
use crate::harness::{Kind, Place, TINY_JOB, good, kind, parsed_job, read, well, with_job};

fn plans(source: &str) -> Vec<Plan> {
    let templates = Templates::load(None).expect("the built-in templates");
    let path = std::path::Path::new("jobs/some.yaml");
    let job =
        parsed_job(path, source, &templates).unwrap_or_else(|problems| panic!("{problems:?}"));
    cells::debates(&job, &templates, false).collect()
}

fn id(source: &str) -> String {
    plans(source)[0].id.to_string()
}

/// The options of a request that rebut does not always set.
fn own_options(call: &Call) -> Value {
    let mut options = call.body["options"].clone();
    let all = options.as_object_mut().expect("options");
    for always in ["num_ctx", "num_predict", "temperature", "seed"] {
        assert!(all.remove(always).is_some(), "{always} is in every request");
    }
    options
}

const SAMPLED: &str = "topic: Should voting be compulsory?\nrounds: 1\nallow_explicit: true
defaults: {options: {top_p: 0.8, repeat_last_n: -1}}\nx: {options: {top_p: null, top_k: 20}}\n";

#[test]
fn j5a_sampling_options_reach_every_call_of_their_participant() {
    let place = Place::new();
    let trace = place.trace_of(SAMPLED, &[]);
    let (mut of_x, mut of_others) = (0, 0);
    for call in place.server.chats() {
        let by_x = kind(&call) == Kind::Statement && call.last_message().contains("You are X.");
        let expected = if by_x {
            json!({"top_k": 20, "repeat_last_n": -1})
        } else {
            json!({"top_p": 0.8, "repeat_last_n": -1})
        };
        assert_eq!(own_options(&call), expected);
        (of_x, of_others) = (of_x + usize::from(by_x), of_others + usize::from(!by_x));
    }
    assert!(of_x == 1 && of_others == 6, "{of_x} and {of_others}");
    let x = &trace["participants"][0]["sampling"];
    assert_eq!(x["options"], json!({"top_k": 20, "repeat_last_n": -1}));
    let metadata = read(&place.debates()[0].join("metadata.md"));
    let told = "X samples with repeat_last_n -1, top_k 20.";
    assert!(metadata.contains(told), "{metadata}");
    let shown = place.rebut(&["show", trace["id"].as_str().expect("an id"), "round-1/clerk"]);
    let told = "think false, repeat_last_n -1, top_p 0.8)";
    assert!(shown.stdout.contains(told), "{}", shown.stdout);
}

#[test]
fn j5a_a_debate_with_options_goes_on_with_the_same_requests() {
    let place = with_job(SAMPLED);
    place.killed_at(Kind::Ballot, &[]);
    let before = place.kept();
    place.run_exits(0, &["job.yaml"]);
    let options: BTreeSet<String> =
        place.server.chats().iter().map(|call| own_options(call).to_string()).collect();
    assert!(before >= 2 && options.len() == 2, "{options:?}");
}

#[test]
fn j9a_options_are_in_the_id_and_where_there_are_none_it_is_as_before() {
    let plain = id(TINY_JOB);
    for nothing in
        ["defaults: {options: {}}\n", "defaults: {options: {top_p: null}}\n", "x: {options: }\n"]
    {
        assert_eq!(id(&format!("{TINY_JOB}{nothing}")), plain, "{nothing}");
    }
    let ids: BTreeSet<String> = [
        "defaults: {options: {top_p: 0.8}}\n",
        "defaults: {options: {top_p: 0.9}}\n",
        "x: {options: {top_p: 0.9}}\n",
        "x: {options: {top_k: 9}}\n",
    ]
    .map(|options| id(&format!("{TINY_JOB}{options}")))
    .into_iter()
    .chain([plain])
    .collect();
    assert_eq!(ids.len(), 5);
    let varied = plans(&format!("{TINY_JOB}matrix: {{x.options.top_p: [0.8, 0.9]}}\n"));
    assert_eq!(varied[1].participants[0].options["top_p"], 0.9);
}

#[test]
fn j5a_options_are_in_a_requests_digest_and_where_there_are_none_it_is_as_before() {
    let request = |options: SamplingOptions| Request {
        call: "round-1/statement/position_x".to_owned(),
        attempt: 1,
        model: "llama3".to_owned(),
        messages: vec![Message { role: Role::User, content: "Say why.".to_owned() }],
        temperature: 0.7,
        num_predict: 800,
        seed: 7,
        schema: None,
        think: false,
        options,
    };
    let plain = request(SamplingOptions::new()).digest();
    // As journals of earlier versions have it.
    assert_eq!(plain, "fde4d66949f7185ea3abd210da41eb48e3a8cc2d17076a96c03e6a83f33ccc29");
    let sampled = request(SamplingOptions::from([("top_p".to_owned(), json!(0.8))])).digest();
    assert_ne!(sampled, plain);
}

const LOADED: &str = "format: dialectic\nquery: Should voting be compulsory?\nmin_rounds: 1\nmax_rounds: 1
allow_explicit: true\nmodels:\n  llama3:latest: {num_gpu: 0, use_mmap: false, keep_alive: 1h}\n  nomic-embed-text: {num_thread: 2, keep_alive: -1}\n";

#[test]
fn j5a_load_options_and_keep_alive_go_with_each_request_of_their_model() {
    let cards = ["llama3", "nomic-embed-text"].map(Card::new);
    let place = Place::with(MockOllama::builder().models(cards).start());
    place.trace_of(LOADED, &[]);
    let calls = place.server.calls();
    let embeds: Vec<&Call> = calls.iter().filter(|c| c.path == "/api/embed").collect();
    for call in calls.iter().filter(|call| call.is_chat()) {
        assert_eq!(call.body["keep_alive"], "1h");
        assert_eq!(own_options(call), json!({"num_gpu": 0, "use_mmap": false}));
    }
    assert!(!embeds.is_empty());
    for call in embeds {
        assert_eq!(call.body["keep_alive"], -1);
        assert_eq!(call.body["options"], json!({"num_thread": 2, "num_ctx": 8192}));
    }
    let checked = place.rebut(&["check", "job.yaml"]).stdout;
    for line in [
        "model llama3, to be loaded with a context of 8192, keep_alive 1h, num_gpu 0, use_mmap false",
        "debates run without it too, keep_alive -1, num_thread 2",
    ] {
        assert!(checked.contains(line), "{checked}");
    }
}

#[test]
fn j9a_how_a_model_is_loaded_is_in_no_id() {
    let (without, _) = LOADED.split_once("models:").expect("models");
    assert_eq!(id(LOADED), id(without));
}

#[test]
fn j5a_jobs_of_one_run_that_load_a_model_otherwise_are_refused_and_both_are_named() {
    let place = Place::new();
    let job = |load: &str| format!("{TINY_JOB}models: {{{load}}}\n");
    place.write("one.yaml", &job("llama3: {num_gpu: 0, keep_alive: 1h}"));
    place.write("two.yaml", &job("llama3:latest: {num_gpu: 9}"));
    place.write("same.yaml", &job("llama3: {num_gpu: 0}, mistral: {num_gpu: 9}"));
    let ended = place.rebut(&["check", "one.yaml", "two.yaml"]);
    let told = "two.yaml:4:10: `num_gpu` of llama3:latest is 9 here and 0 in one.yaml, on line 4: a run loads each model in one way";
    assert_eq!(ended.code, 2, "{}", ended.stdout);
    assert!(ended.stderr.contains(told), "{}", ended.stderr);

    let ended = place.rebut_exits(0, &["check", "one.yaml", "same.yaml"]);
    let unused = "warning: `models` lists mistral, which no debate here uses";
    assert!(ended.stdout.contains(unused), "{}", ended.stdout);
}

/// Names of languages, as prompts have them.
const SYSTEM: &str = "Everyone writes in German";

#[test]
fn j5a_the_language_of_a_debate_stands_in_its_system_text_and_ends_every_task() {
    for format in FORMATS {
        let place = Place::new();
        let trace = place.trace_of(&format!("{}language: German\n", format.tiny), &[]);
        assert_eq!(trace["plan"]["language"], "German");
        let calls = place.server.chats();
        assert!(calls.len() > 3, "{}", format.name);
        for call in calls {
            let asked = match call.schema() {
                Some(_) => "Write every text in the JSON object in German. Its keys",
                None => "Write in German. Keep marks",
            };
            let last = call.last_message().lines().last().unwrap_or_default();
            assert!(call.system().contains(SYSTEM), "{}", call.system());
            assert!(last.starts_with(asked), "{}: {last}", format.name);
        }
        let metadata = read(&place.debates()[0].join("metadata.md"));
        assert!(metadata.contains("| language | German |"), "{metadata}");
    }
}

#[test]
fn j5a_without_a_language_prompts_do_not_speak_of_one() {
    let place = Place::new();
    place.trace_of(TINY_JOB, &[]);
    for call in place.server.chats() {
        assert!(!call.text().contains("rites in") && !call.text().contains("Write in "));
    }
}

#[test]
fn j9a_the_language_is_in_the_id() {
    let german = id(&format!("{TINY_JOB}language: German\n"));
    assert_eq!(german, id(&format!("{TINY_JOB}language: '  German '\n")));
    assert_eq!(id(TINY_JOB), id(&format!("{TINY_JOB}language: null\n")));
    let others = [TINY_JOB.to_owned(), format!("{TINY_JOB}language: French\n")];
    assert!(others.iter().all(|job| id(job) != german));
}

/// Turns of a duel in German, none like another, in which no word of an English topic occurs.
fn in_german(call: &Call) -> Answer {
    let n = call.option("seed").and_then(Value::as_u64).unwrap_or(0);
    let turns = [
        "Wer nicht hingeht, überlässt anderen die Entscheidung.",
        "Zwang erzeugt Trotz, und Trotz ist kein guter Ratgeber.",
    ];
    well(call, &|call| {
        let which = usize::from(call.last_message().contains("You are Philosopher."));
        format!("{} Das zeigt Beispiel {n} deutlich.", turns[which])
    })
}

#[test]
fn u2b_words_of_another_language_are_not_held_against_an_english_topic() {
    let duel =
        "format: duel\ntopic: Should voting be compulsory?\nrounds: 2\nallow_explicit: true\n";
    let doubted = |job: &str| {
        let place = Place::new();
        place.server.script(in_german);
        let trace = place.trace_of(job, &[]);
        let turns = trace["record"]["memory"]["turns"].as_array().cloned();
        let measured = |turn: &Value| turn["coherence"].as_f64().is_some();
        assert!(turns.is_some_and(|turns| turns.iter().all(measured)));
        let calls = trace["calls"].as_array().into_iter().flatten();
        let is_doubt = |call: &&Value| call["call"].as_str().is_some_and(|c| c.contains("/doubt-"));
        calls.filter(is_doubt).count()
    };
    assert_eq!(doubted(&format!("{duel}language: German\n")), 0);
    assert!(doubted(duel) > 0, "in English the clerk is asked");
    assert!(doubted(&format!("{duel}language: english\n")) > 0);
}

#[test]
fn d3_a_concession_in_another_language_is_asked_for_and_not_looked_for_in_english() {
    let job = "format: moderated\nstyle: educational\ntopic: Should voting be compulsory?\nround_count: 1\nallow_explicit: true\n";
    let place = Place::new();
    place.server.script(good);
    let trace = place.trace_of(&format!("{job}language: German\n"), &[]);
    assert_eq!(trace["rejections"], json!([]));
    let asked = place.server.chats().into_iter().any(|call| {
        let wanted = "must begin with these words, in German: The best point of";
        call.last_message().contains(wanted)
    });
    assert!(asked);
}

#[test]
fn j12_the_settings_that_starters_comment_out_can_be_used_as_they_stand() {
    let templates = Templates::load(None).expect("the built-in templates");
    for format in FORMATS {
        let starter =
            templates.source(&format!("jobs/{}.yaml", format.name)).expect("a starter job");
        let mut used = 0;
        let uncommented = starter.lines().map(|line| {
            let settings = ["# options:", "# models:", "# language:"];
            let is_one = settings.iter().any(|s| line.trim_start().starts_with(s));
            used += usize::from(is_one);
            if is_one { line.replacen("# ", "", 1) } else { line.to_owned() }
        });
        let job: Vec<String> = uncommented.collect();
        let plan = plans(&job.join("\n")).remove(0);
        assert_eq!(used, 3, "{}", format.name);
        assert_eq!(plan.language.as_deref(), Some("German"));
        assert_eq!(plan.participants[0].options["top_p"], 0.9);
    }
}

#[test]
fn j1_every_setting_that_is_a_number_takes_its_least_and_its_most() {
    let templates = Templates::load(None).expect("the built-in templates");
    let schema = rebut::job::schema::job_schema();
    let mut tried = 0;
    for format in FORMATS {
        let keys = schema["$defs"][format.name]["properties"].as_object();
        for (key, value) in keys.expect("a format has keys") {
            for bound in ["minimum", "maximum"].map(|bound| &value[bound]) {
                if !bound.is_number() {
                    continue;
                }
                let source = format!("format: {}\n{key}: {bound}\n", format.name);
                let path = std::path::Path::new("jobs/some.yaml");
                let job = parsed_job(path, &source, &templates);
                let problems = job.err().unwrap_or_default();
                let of_key = |cause: &str| cause.contains("internal") || cause.contains(" must be");
                let wrong: Vec<_> = problems.iter().filter(|p| of_key(&p.cause)).collect();
                assert!(wrong.is_empty(), "{source}{wrong:?}");
                tried += 1;
            }
        }
    }
    assert!(tried > 40, "only {tried} bounds");
}
