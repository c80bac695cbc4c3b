//! Tests of coercion: what is read generously, and what is refused.

use serde_json::json;

use super::*;

fn schema() -> Value {
    let score = json!({"type": "integer", "minimum": 0, "maximum": 10});
    let scores = json!({"type": "object", "properties": {"clarity": score, "depth": score}});
    json!({"type": "object", "properties": {
        "reason": {"type": "string", "minLength": 8, "maxLength": 60},
        "scores": {"type": "object", "properties": {"agent_a": scores, "agent_b": scores}},
        "winner": {"type": "string", "enum": ["agent_a", "agent_b", "draw"]},
        "keep": {"type": "boolean"},
        "points": {"type": "array", "items": {"type": "string", "maxLength": 60}, "minItems": 1, "maxItems": 2},
    }})
}

fn good() -> Value {
    json!({
        "reason": "Ann answered.",
        "scores": {"agent_a": {"clarity": 7, "depth": 6}, "agent_b": {"clarity": 5, "depth": 4}},
        "winner": "agent_a", "keep": true, "points": ["one"],
    })
}

/// One that knows no names and no definitions.
fn bare() -> Shaper<'static> {
    static NONE: BTreeMap<String, String> = BTreeMap::new();
    Shaper { names: &[], meanings: &NONE, steps: Steps::new(), rounded: BTreeMap::new() }
}

fn shaped(value: &Value) -> Result<(Value, Vec<&'static str>), String> {
    let names = [("agent_a", "Ann"), ("agent_b", "Ben Otto")]
        .map(|(id, name)| (id.to_owned(), name.to_owned()));
    let mut shaper = Shaper { names: &names, ..bare() };
    let object = value.as_object().cloned().expect("an object");
    let shaped = shaper.shape(&schema(), object)?;
    Ok((shaped, shaper.steps.into_iter().collect()))
}

/// The valid reply with one key changed.
fn with(key: &str, value: Value) -> Value {
    let mut changed = good();
    changed[key] = value;
    changed
}

#[test]
fn m4_ids_in_prose_are_read_as_names() {
    let said = "agent_a's point stands; agent_b, not agent_box, left it.";
    let (read, steps) = shaped(&with("reason", json!(said))).expect("read");
    assert_eq!(read["reason"], "Ann's point stands; Ben Otto, not agent_box, left it.");
    assert_eq!(steps, ["renamed"]);
}

#[test]
fn m4_what_is_well_meant_is_read_and_said_how() {
    assert_eq!(shaped(&good()), Ok((good(), vec![])));
    let by_name = json!({"Ann": {"clarity": "7/10", "Depth": "6"}, "ben otto": {"clarity": 4.5, "depth": {"score": 4}}});
    let (read, steps) = shaped(&with("scores", by_name)).expect("read");
    assert_eq!(read["scores"]["agent_a"], json!({"clarity": 7, "depth": 6}));
    assert_eq!(read["scores"]["agent_b"], json!({"clarity": 4, "depth": 4}), "half to even");
    assert_eq!(steps, ["named", "number_in_text", "rounded", "spelt", "wrapped"]);
    for (key, value, expected, step) in [
        ("winner", json!("Ben Otto"), json!("agent_b"), "named"),
        ("winner", json!("Draw."), json!("draw"), "spelt"),
        ("winner", json!("Ben Otto (Against)"), json!("agent_b"), "named"),
        ("winner", json!("Ann [agent_a]"), json!("agent_a"), "named"),
        ("keep", json!("Yes"), json!(true), "yes_or_no"),
        ("points", json!("one"), json!(["one"]), "listed"),
        ("points", json!(["one", "two", "three"]), json!(["one", "two"]), "too_many"),
        (
            "reason",
            json!(["Ann answered.", "Ben did not."]),
            json!("Ann answered. Ben did not."),
            "joined",
        ),
        (
            "reason",
            json!("Ann answered every point. ".repeat(5)),
            json!("Ann answered every point. Ann answered every point. […]"),
            "shortened",
        ),
        ("confidence", json!("high"), Value::Null, "extra_keys"),
    ] {
        let (read, steps) = shaped(&with(key, value)).expect("read");
        assert_eq!((&read[key], steps), (&expected, vec![step]), "{key}");
    }
}

#[test]
fn m4_another_word_for_reason_is_read_where_nothing_else_can_be_meant() {
    let mut reply = good();
    reply["Reasoning"] = reply["reason"].take();
    reply.as_object_mut().expect("an object").remove("reason");
    assert_eq!(shaped(&reply), Ok((good(), vec!["spelt"])));
    reply["rationale"] = json!("Ann answered best.");
    assert_eq!(shaped(&reply), Err("`reason` is missing".to_owned()));
    reply["reason"] = json!("Ann answered.");
    assert_eq!(shaped(&reply), Ok((good(), vec!["extra_keys"])));
}

#[test]
fn m4_what_stands_a_level_too_high_or_too_low_is_found() {
    let (read, steps) = shaped(&json!({"verdict": good()})).expect("read");
    assert_eq!((read, steps), (good(), vec!["wrapped"]));
    let mut flat = good();
    let scores = flat["scores"].take();
    let fields = flat.as_object_mut().expect("an object");
    fields.remove("scores");
    fields.extend(scores.as_object().cloned().expect("scores"));
    let (read, steps) = shaped(&flat).expect("read");
    assert_eq!(read, good());
    assert!(steps.contains(&"flat"), "{steps:?}");
}

#[test]
fn m4_one_set_of_scores_is_nobodys_where_two_are_judged() {
    let reply = with("scores", json!({"clarity": 8, "depth": 7}));
    let complaint = "the score of agent_a is missing".to_owned();
    assert_eq!(shaped(&reply), Err(complaint));
}

#[test]
fn m4_what_counts_is_never_guessed_and_the_complaint_says_what_to_mend() {
    let complaint = |value: Value| shaped(&value).expect_err("a complaint");
    let scores = |clarity: Value| {
        with(
            "scores",
            json!({"agent_a": {"clarity": clarity, "depth": 6}, "agent_b": {"clarity": 5, "depth": 4}}),
        )
    };
    for (value, expected) in [
        (
            scores(json!(11)),
            "the score of clarity for agent_a must be a whole number from 0 to 10, not 11",
        ),
        (
            scores(json!(-0.5)),
            "the score of clarity for agent_a must be a whole number from 0 to 10, not -0.5",
        ),
        (
            scores(json!("high")),
            "the score of clarity for agent_a must be a whole number from 0 to 10, not \"high\"",
        ),
        (
            scores(json!("7/5")),
            "the score of clarity for agent_a must be a whole number from 0 to 10, not \"7/5\"",
        ),
        (scores(Value::Null), "the score of clarity for agent_a is missing"),
    ] {
        assert_eq!(complaint(value), expected);
    }
}

#[test]
fn m4_what_is_no_word_flag_or_sentence_is_complained_about() {
    for (value, expected) in [
        (
            with("winner", json!("Cleo")),
            "`winner` must be one of agent_a, agent_b, draw, not \"Cleo\"",
        ),
        (
            with("winner", json!("Ann (agent_b)")),
            "`winner` must be one of agent_a, agent_b, draw, not \"Ann (agent_b)\"",
        ),
        (with("keep", json!("maybe")), "`keep` must be true or false, not \"maybe\""),
        (with("reason", json!(" ")), "`reason` is empty"),
        (with("reason", json!("Good.")), "`reason` must be a sentence, not \"Good.\""),
        (with("reason", json!("It is so. ".repeat(29))), "`reason` repeats itself without end"),
        (
            with("reason", json!(format!("{}ref{{, and no more.", "refuted_".repeat(30)))),
            "`reason` repeats itself without end",
        ),
        (with("points", json!([])), "`points` must have at least 1 entry"),
        (with("points", json!({"a": 1})), "entry 1 of `points` must be text"),
    ] {
        assert_eq!(shaped(&value).expect_err("a complaint"), expected);
    }
}

#[test]
fn m4_text_that_a_grammar_stopped_at_its_bound_ends_at_a_sentence() {
    let stopped = "Ann answered every point that was made. Ben came back to two";
    assert_eq!(stopped.len(), 60);
    let (read, steps) = shaped(&with("reason", json!(stopped))).expect("read");
    assert_eq!(read["reason"], "Ann answered every point that was made. […]");
    assert_eq!(steps, ["shortened"]);
    let within = "Fines that block a card shut out the poorest readers and the";
    assert_eq!(within.len(), 60);
    let (read, steps) = shaped(&with("reason", json!(within))).expect("read");
    assert_eq!(read["reason"], "Fines that block a card shut out the poorest readers and…");
    assert_eq!(steps, ["shortened"]);
    let ends = "Ann answered every point that was made. Ben came back to it.";
    assert_eq!(ends.len(), 60);
    let longer = "Ann answered every point. Ben came back to two of them, but late.";
    for whole in [ends, longer] {
        assert_eq!(
            shaped(&with("reason", json!(whole))),
            Ok((with("reason", json!(whole)), vec![])),
            "no grammar stopped it"
        );
    }
}

#[test]
fn m4_numbers_that_only_point_to_something_never_cost_a_reply() {
    let cited = json!({"type": "array", "items": {"type": "integer", "enum": [2, 4]}, "maxItems": 4, "default": []});
    let schema = json!({"type": "object", "properties": {
        "reason": {"type": "string", "minLength": 8, "maxLength": 60}, "turns": cited,
    }});
    let read = |reply: Value| {
        let mut shaper = bare();
        let object = reply.as_object().cloned().expect("an object");
        let shaped = shaper.shape(&schema, object).expect("a reason");
        let steps: Vec<&str> = shaper.steps.into_iter().collect();
        (shaped["turns"].clone(), steps)
    };
    for (turns, expected, steps) in [
        (json!([2, 4]), json!([2, 4]), vec![]),
        (json!([9]), json!([9]), vec![]),
        (json!(["2 (round 1)", "#4"]), json!([2, 4]), vec!["number_in_text"]),
        (json!(4), json!([4]), vec!["listed"]),
        (json!(["the second", -1, 4]), json!([4]), vec!["dropped", "number_in_text"]),
    ] {
        let reply = json!({"reason": "Ann answered.", "turns": turns});
        assert_eq!(read(reply), (expected, steps), "{turns}");
    }
    let without = read(json!({"reason": "Ann answered."}));
    assert_eq!(without, (json!([]), vec!["left_out"]));
}

#[test]
fn m7_moves_in_one_text_are_a_list_and_one_that_must_be_cut_is_dropped() {
    let moves = json!({"type": "array", "items": {"type": "string", "maxLength": 13}, "maxItems": 4, "default": []});
    let schema = json!({"type": "object", "properties": {"claim": {"type": "string", "maxLength": 60}, "on": moves}});
    let read = |on: Value| {
        let mut shaper = bare();
        let object = json!({"claim": "It is so.", "on": on});
        let shaped = shaper.shape(&schema, object.as_object().cloned().expect("an object"));
        (shaped.expect("a claim")["on"].clone(), shaper.steps.into_iter().collect::<Vec<_>>())
    };
    let four = json!(["B1 grant", "2.3 grant", "C1 again", "1.2 part 3.1"]);
    assert_eq!(
        read(json!("B1 grant, 2.3 grant, C1 again, 1.2 part 3.1")),
        (four.clone(), vec!["listed"])
    );
    assert_eq!(read(four.clone()), (four, vec![]));
    let (cut, steps) = read(json!(["B1 grant. And it says so again and again", "B2 full"]));
    assert_eq!(steps, ["dropped"]);
    let cut = cut[0].as_str().expect("a text");
    assert!(cut.ends_with('…'), "no move is read from it: {cut}");
}

#[test]
fn m4_what_is_wrong_in_a_list_names_the_entry() {
    let point = json!({"type": "object", "required": ["fault"], "properties": {"fault": {"type": "string"}}});
    let schema = json!({"type": "object", "required": ["new"], "properties": {"new": {"type": "array", "items": point}}});
    let reply = json!({"new": [{"fault": "It is wrong."}, {"claim": "It is so."}]});
    let mut shaper = bare();
    let shaped = shaper.shape(&schema, reply.as_object().cloned().expect("an object"));
    assert_eq!(shaped, Err("`new.fault` in entry 2 is missing".to_owned()));
}

/// What a list of entries on earlier points, such as a skeptic's, is read as.
fn earlier(entries: &Value) -> Result<Value, String> {
    let status = json!({"type": "string", "enum": ["resolved", "partial", "unresolved"]});
    let id = json!({"type": "integer", "minimum": 1, "maximum": 9});
    let entry = json!({"type": "object", "properties": {"id": id, "status": status}});
    let schema =
        json!({"type": "object", "properties": {"earlier": {"type": "array", "items": entry}}});
    let mut shaper = bare();
    let object = json!({"earlier": entries});
    let shaped = shaper.shape(&schema, object.as_object().cloned().expect("an object"))?;
    assert!(shaper.steps.iter().all(|step| *step != "named"), "{:?}", shaper.steps);
    Ok(shaped["earlier"].clone())
}

#[test]
fn m4_an_option_is_read_in_other_words_that_mean_the_same() {
    for (word, expected) in [
        ("Partially resolved", "partial"),
        ("partly-resolved", "partial"),
        ("PARTLY", "partial"),
        ("resolved in part", "partial"),
        ("Un-resolved", "unresolved"),
        ("not resolved", "unresolved"),
        ("Fully resolved", "resolved"),
    ] {
        let read = earlier(&json!([{"id": 1, "status": word}]));
        assert_eq!(read, Ok(json!([{"id": 1, "status": expected}])), "{word}");
    }
    let ballot = json!({"properties": {"b": {"enum": ["fully", "partly", "no"]}}});
    let mut shaper = bare();
    for (word, expected) in [
        ("Partially", "partly"),
        ("Partially answered", "partly"),
        ("answered in part", "partly"),
        ("Not answered.", "no"),
        ("answered", "fully"),
        ("fully answered", "fully"),
    ] {
        let said = json!({"b": word});
        let shaped = shaper.shape(&ballot, said.as_object().cloned().expect("an object"));
        assert_eq!(shaped, Ok(json!({"b": expected})), "{word}");
    }
    let read = |options: [&str; 2], word: &str| {
        let stances = json!({"properties": {"stance": {"enum": options}}});
        let mut shaper = bare();
        let said = json!({"stance": word});
        shaper.shape(&stances, said.as_object().cloned().expect("an object"))
    };
    for (options, word, expected) in [
        (["no", "not at all"], "Not at all", "not at all"),
        (["resolved", "fully resolved"], "Fully resolved", "fully resolved"),
        (["no", "yes"], "Not at all", "no"),
    ] {
        assert_eq!(read(options, word), Ok(json!({"stance": expected})), "{word}");
    }
    for (both, word) in
        [(["partly", "partial"], "in part"), (["no", "not at all"], "No (not at all)")]
    {
        assert!(read(both, word).is_err(), "{word}");
    }
    let unclear = earlier(&json!([{"id": 1, "status": "better"}]));
    assert!(unclear.expect_err("a complaint").contains("must be one of resolved, partial"));
}

#[test]
fn m4_an_unreadable_word_that_may_be_missing_is_no_reason_to_ask_again() {
    for (default, read) in [(json!(""), true), (json!("nobody"), false), (Value::Null, false)] {
        let schema = json!({"properties": {"b": {"enum": ["fully", "no"], "default": default}}});
        let mut shaper = bare();
        let said = json!({"b": "partly agreed"});
        let shaped = shaper.shape(&schema, said.as_object().cloned().expect("an object"));
        assert_eq!(shaped.ok(), read.then(|| json!({"b": ""})), "{default}");
        assert_eq!(shaper.steps.contains("dropped"), read);
    }
}

#[test]
fn m4_an_option_is_read_from_its_definition_or_what_begins_only_that() {
    let meanings = [
        ("keep", "Keep the fines as they are."),
        ("raise", "Keep the fines and raise them."),
        ("end", "No fines."),
    ];
    let meanings = meanings.map(|(word, meaning)| (word.to_owned(), meaning.to_owned())).into();
    let schema = json!({"properties": {"stance": {"enum": ["keep", "raise", "end"]}}});
    let read = |word: &str| {
        let mut shaper = Shaper { meanings: &meanings, ..bare() };
        let said = json!({"stance": word});
        let shaped = shaper.shape(&schema, said.as_object().cloned().expect("an object")).ok()?;
        Some((shaped["stance"].clone(), shaper.steps.contains("defined")))
    };
    for (word, expected) in [
        ("Keep the fines as they are.", "keep"),
        ("keep the fines as they are", "keep"),
        ("Keep: Keep the fines as they are.", "keep"),
        ("Keep the fines and raise", "raise"),
        ("No fines", "end"),
    ] {
        assert_eq!(read(word), Some((json!(expected), true)), "{word}");
    }
    assert_eq!(read("KEEP"), Some((json!("keep"), false)));
    for unclear in
        ["Keep the fines", "Keep it", "fines", "as they are.", "Do not keep the fines as they are."]
    {
        assert_eq!(read(unclear), None, "{unclear}");
    }
}

#[test]
fn m4_an_entry_on_a_point_is_known_by_its_id() {
    for id in ["5", "S5", "Point 5", "#5"] {
        let read = earlier(&json!([{"id": id, "status": "resolved"}]));
        assert_eq!(read, Ok(json!([{"id": 5, "status": "resolved"}])), "{id}");
    }
    for id in ["2 and 3", "1-3", "S1/S2", "2/9", "round 2, point 5", "draft 2: S5", "all"] {
        let unclear = earlier(&json!([{"id": id, "status": "resolved"}]));
        assert!(unclear.expect_err(id).contains("must be a whole number from 1 to 9"));
    }
    for id in [json!(5), json!("S5")] {
        let lacks =
            earlier(&json!([{"id": 2, "status": "resolved"}, {"id": id, "remains": "all"}]));
        assert_eq!(lacks, Err("`earlier.status` in entry 2 (id 5) is missing".to_owned()));
    }
}
