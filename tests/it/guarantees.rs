//! What must be so in every format, by the table of formats: the same bytes again, kills, faults of every call.

use std::collections::BTreeSet;
use std::sync::Mutex;

use mock_ollama::{Answer, Call};
use serde_json::{Value, json};

use crate::formats::{FORMATS, Format};
use crate::harness::{Files, Place, blanked, good, with_job};

/// One call in flight: the calls of a debate come in one order.
const ARGS: [&str; 3] = ["job.yaml", "--concurrency", "1"];

/// A debate that went well.
fn unbroken(format: &Format) -> (Place, Files) {
    let place = with_job(format.tiny);
    let ended = place.run(&ARGS);
    assert_eq!(ended.code, 0, "{}: {}{}", format.name, ended.stdout, ended.stderr);
    let files = blanked(&place.debates()[0]);
    (place, files)
}

#[test]
fn j8_a_rehearsal_of_any_format_writes_the_same_bytes_but_for_times() {
    for format in FORMATS {
        let rehearsed = |job: &str| {
            let place = with_job(job);
            let ended = place.run(&["job.yaml", "--rehearse"]);
            assert_eq!(ended.code, 0, "{}: {}", format.name, ended.stderr);
            blanked(&place.debates()[0])
        };
        let files = rehearsed(format.full);
        assert!(files == rehearsed(format.full), "{}", format.name);
        let other = rehearsed(&format!("{}seed: 2\n", format.full));
        assert!(files != other, "{}: another seed, another debate", format.name);
    }
}

#[test]
fn a7_the_trace_of_any_format_is_of_the_published_shape() {
    let place = Place::new();
    let schema: Value =
        serde_json::from_str(&place.rebut(&["schema", "trace"]).stdout).expect("JSON");
    let validator = jsonschema::validator_for(&schema).expect("a valid schema");
    for format in FORMATS {
        let trace = unbroken(format).0.trace();
        let errors: Vec<String> = validator.iter_errors(&trace).map(|e| e.to_string()).collect();
        assert!(errors.is_empty(), "{}: {errors:#?}", format.name);
        assert_eq!(trace["format"], format.name);
        assert!(trace["record"].is_object(), "{}", format.name);
        let last = trace.as_object().and_then(|fields| fields.keys().next_back());
        assert_eq!(last.map(String::as_str), Some("record"));
    }
}

#[test]
fn j5_the_schema_of_jobs_takes_a_job_of_any_format() {
    let place = Place::new();
    let schema: Value =
        serde_json::from_str(&place.rebut(&["schema", "job"]).stdout).expect("JSON");
    let validator = jsonschema::validator_for(&schema).expect("a valid schema");
    for format in FORMATS {
        let job: Value = serde_norway::from_str(format.full).expect("YAML");
        assert!(validator.is_valid(&job), "{}", format.name);
        let mut odd = job.clone();
        odd["no_such_key"] = json!(1);
        assert!(!validator.is_valid(&odd), "{}", format.name);
    }
}

#[test]
fn j4_a_debate_of_any_format_killed_in_any_call_ends_as_if_it_had_not_been() {
    for format in FORMATS {
        let (whole, files) = unbroken(format);
        let calls = whole.server.chats().len();
        for at in (0..calls - 1).step_by(calls.div_ceil(3)).chain([calls - 1]) {
            let place = with_job(format.tiny);
            place.killed_after(at, &ARGS[1..], good);
            let kept = place.kept();
            let ended = place.run(&ARGS);
            let case = format!("{}, killed in call {at}", format.name);
            let is_resumed = ended.stderr.contains(", resumed\n");
            assert!(ended.code == 0 && is_resumed, "{case}: {}{}", ended.stdout, ended.stderr);
            assert!(blanked(&place.debates()[0]) == files, "{case}");
            // What is kept is not asked again. Of three judges who are asked together, the third may be asked while the
            // replies of the others are on their way to the disk.
            assert!(kept + 2 >= at, "{case}: {kept} replies are kept");
            let asked = at + 1 + calls - kept;
            assert_eq!(place.server.chats().len(), asked, "{case}");
        }
    }
}

/// Runs a format's shortest debate with `fault` at the first attempt of each call, and good replies after it.
fn with_first_attempts(format: &Format, fault: fn() -> Answer) -> (i32, Value) {
    let place = with_job(format.tiny);
    let seen = Mutex::new(BTreeSet::new());
    place.server.script(move |call| {
        let prompt = call.body["messages"].to_string();
        let first = seen.lock().expect("a lock").insert(prompt);
        if first { fault() } else { good(call) }
    });
    let ended = place.run(&ARGS);
    (ended.code, place.trace())
}

#[test]
fn m2_in_any_format_a_first_attempt_that_fails_leaves_no_trace_but_incidents() {
    let faults: [fn() -> Answer; 4] = [
        || Answer::text("Half of").without_done(),
        || Answer::text(""),
        || Answer::text("and so on ".repeat(200)),
        || Answer::status(500, "model runner has unexpectedly stopped"),
    ];
    for format in FORMATS {
        let good = unbroken(format).0.trace();
        for fault in faults {
            let (code, trace) = with_first_attempts(format, fault);
            assert_eq!(code, 0, "{}", format.name);
            assert_eq!(trace["status"], "done", "{}", format.name);
            let count = |trace: &Value| trace["statements"].as_array().map(Vec::len);
            assert_eq!(count(&trace), count(&good), "{}", format.name);
            assert_ne!(trace["incidents"], json!([]), "{}", format.name);
        }
    }
}

#[test]
fn m4_in_any_format_judgments_that_are_never_of_use_degrade_a_debate_at_worst() {
    for format in FORMATS {
        let place = with_job(format.tiny);
        place.server.script(|call| match call.schema() {
            Some(_) => Answer::text("I would rather not say."),
            None => good(call),
        });
        let ended = place.run(&ARGS);
        let trace = place.trace();
        assert!(ended.code < 2, "{}: {}", format.name, ended.stderr);
        assert_ne!(trace["status"], "failed", "{}", format.name);
        for reading in readings(&trace) {
            assert_eq!(reading["status"], "invalid", "{}: {reading}", format.name);
            assert_eq!(reading["totals"], json!({}), "{}", format.name);
        }
    }
}

/// Every judgment in a trace.
fn readings(trace: &Value) -> Vec<&Value> {
    let mut found = Vec::new();
    let mut open = vec![trace];
    while let Some(value) = open.pop() {
        match value {
            Value::Object(fields) if fields.contains_key("prompt_digest") => found.push(value),
            Value::Object(fields) => open.extend(fields.values()),
            Value::Array(items) => open.extend(items),
            _ => {}
        }
    }
    found
}

/// A model that refuses every request.
fn refusing(_: &Call) -> Answer {
    Answer::status(400, "this model does not support chat")
}

#[test]
fn m2_in_any_format_a_model_that_never_replies_degrades_the_debate_or_fails_it_as_the_job_says() {
    for format in FORMATS {
        for (policy, status) in [("emergency", "degraded"), ("abort", "failed")] {
            let place = with_job(&format!("{}on_failure: {policy}\n", format.tiny));
            place.server.script(refusing);
            let ended = place.run(&ARGS);
            let (case, trace) = (format!("{} {policy}", format.name), place.trace());
            assert_eq!(ended.code, 1, "{case}: {}", ended.stderr);
            assert_eq!(trace["status"], json!(status), "{case}: {}", ended.stderr);
            let models = trace["statements"].as_array().expect("statements");
            assert!(models.iter().all(|s| s["model"].is_null()), "{case}: no model's work");
            assert!(trace["outcome"]["winner"].is_null(), "{case}");
            let index = &blanked(&place.debates()[0])["index.md"];
            assert!(index.to_lowercase().contains(&format!("**{status}.**")), "{case}: {index}");
        }
    }
}
