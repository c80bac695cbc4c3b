//! The first thread of rows S1 and S2: a reader of traces.

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::harness::{Place, SHORT_JOB};

fn stats(place: &Place, args: &[&str]) -> Value {
    let ended = place.rebut(&[&["stats", "output", "--json"], args].concat());
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    serde_json::from_str(&ended.stdout).expect("JSON")
}

#[test]
fn s1_debates_are_grouped_and_damaged_traces_named() {
    let place = Place::new();
    place.write(
        "a.yaml",
        &format!("{SHORT_JOB}matrix: {{x.model: [llama3, mistral]}}\n"),
    );
    place.write("b.yaml", "topic: Should cities be smaller?\nrounds: 1\n");
    assert_eq!(place.run(&["a.yaml", "b.yaml"]).code, 0);
    let groups = |by: &str| -> Vec<(Value, Value)> {
        stats(&place, &["--by", by])["groups"]
            .as_array()
            .expect("groups")
            .iter()
            .map(|g| (g["group"].clone(), g["debates"].clone()))
            .collect()
    };
    assert_eq!(
        groups("job"),
        [(json!(["a"]), json!(2)), (json!(["b"]), json!(1))]
    );
    assert_eq!(
        groups("model"),
        [
            (json!(["llama3"]), json!(3)),
            (json!(["mistral"]), json!(1))
        ]
    );
    assert_eq!(
        groups("format,status"),
        [(json!(["knockout", "done"]), json!(3))]
    );
    std::fs::write(
        place.debates()[0].join("trace.json"),
        "{\"schema_version\": \"1.0\", ",
    )
    .expect("a file");
    let ended = place.rebut(&["stats", "output"]);
    assert!(
        ended.code == 0 && ended.stderr.contains("trace.json: it is no trace"),
        "{}",
        ended.stderr
    );
    assert!(
        ended.stdout.contains("debates            2 (2 done"),
        "{}",
        ended.stdout
    );
}

#[test]
fn s2_scores_rotations_tokens_and_incidents_are_averaged_with_n() {
    let place = Place::new();
    place.trace_of(SHORT_JOB, &[]);
    let group = stats(&place, &[])["groups"][0].clone();
    assert_eq!(
        group["total_score"],
        json!({"n": 1, "mean": 4.0, "sd": null})
    );
    assert_eq!(group["scores"]["clarity"]["mean"], 4.0);
    assert_eq!(
        (
            &group["rotations"]["mean"],
            &group["incidents"]["mean"],
            &group["ballots"],
            &group["invalid_ballots"]
        ),
        (&json!(0.0), &json!(0.0), &json!(6), &json!(0))
    );
    let tokens: u64 = place.trace()["usage"]["by_purpose"]
        .as_object()
        .expect("purposes")
        .values()
        .filter_map(|u| u["reply_tokens"].as_u64())
        .sum();
    assert_eq!(group["reply_tokens"]["mean"], json!(tokens as f64));
}

#[test]
fn s2_a_models_group_holds_the_scores_of_what_it_said_and_its_own_tokens() {
    let place = Place::new();
    place.trace_of(&format!("{SHORT_JOB}x: {{model: mistral}}\n"), &[]);
    let groups = stats(&place, &["--by", "model"])["groups"].clone();
    assert_eq!(
        (&groups[0]["group"], &groups[0]["total_score"]["n"]),
        (&json!(["llama3"]), &json!(1))
    );
    assert_eq!(
        (&groups[1]["group"], &groups[1]["total_score"]["n"]),
        (&json!(["mistral"]), &json!(0)),
        "X is not scored"
    );
    let by_model = &place.trace()["usage"]["by_model"];
    for group in groups.as_array().expect("groups") {
        let model = group["group"][0].as_str().expect("a model");
        assert_eq!(
            group["reply_tokens"]["mean"].as_f64(),
            by_model[model]["reply_tokens"].as_f64()
        );
    }
}

#[test]
fn j7_statistics_leave_rehearsals_out_unless_asked() {
    let place = Place::new();
    place.trace_of(SHORT_JOB, &["--rehearse"]);
    let without = place.rebut(&["stats", "output"]).stdout;
    assert!(
        without.contains("no debates") && without.contains("1 rehearsal left out"),
        "{without}"
    );
    assert_eq!(
        stats(&place, &["--include-rehearsals"])["groups"][0]["debates"],
        1
    );
}

proptest! {
    #![proptest_config(ProptestConfig {
        rng_seed: proptest::test_runner::RngSeed::Fixed(1),
        cases: 64,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]
    #[test]
    fn s1_no_bytes_in_a_trace_make_the_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), at in 0.0_f64..1.0) {
        let place = tempfile::TempDir::new().expect("a directory");
        let whole = format!("{{\"schema_version\": \"1.0\", \"id\": \"{}\"}}", "a".repeat(64)).into_bytes();
        let cut = (whole.len() as f64 * at) as usize;
        let mixed = [&whole[..cut], &bytes, &whole[cut..]].concat();
        std::fs::write(place.path().join("trace.json"), mixed).expect("a file");
        let corpus = rebut::stats::read::read(&[place.path().to_path_buf()], |_, _| {}).expect("a directory");
        prop_assert_eq!((corpus.debates.len(), corpus.damaged.len()), (0, 1));
    }
}
