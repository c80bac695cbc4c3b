//! Row S2: what debaters do, from debates whose flow can be counted by hand.

use rebut::text::estimate_tokens;
use serde_json::{Value, json};

use crate::harness::corpus::Debate;
use crate::harness::found::{T1, close, group, measure, squeezed, told};
use crate::harness::{Place, has, lacks, shows};

const TOPICS: [&str; 6] = ["Parks?", "Trams?", "Walks?", "Rails?", "Roads?", "Lanes?"];

/// A point: its id, side and speaker, the statement that made it, its status, whether others had a turn on it.
type Planted<'a> = (&'a str, &'a str, &'a str, u32, &'a str, bool);
/// What a statement did: its number and speaker, the point, how.
type Done<'a> = (u32, &'a str, &'a str, &'a str);

/// The debate with these speakers in turn, each of whom read all that was said before, and with this flow.
fn noted(debate: Debate, speakers: &[&str], points: &[Planted<'_>], done: &[Done<'_>]) -> Debate {
    let said = debate.value()["statements"][0].clone();
    // A duel has a round per turn.
    let is_duel = debate.value()["format"] == "duel";
    let turn = |(n, by): (usize, &&str)| {
        let mut turn = said.clone();
        turn["n"] = json!(n);
        turn["saw"] = json!(n - 1);
        turn["by"] = json!(by);
        turn["round"] = json!(if is_duel { n } else { 1 });
        turn["origin"] = json!("model");
        turn
    };
    let statements: Value = (1..).zip(speakers).map(turn).collect();
    let numbers: Value =
        (1..=speakers.len()).map(|n| json!({"n": n, "claim": "It is so."})).collect();
    let point = |(id, side, by, n, status, faced): &Planted<'_>| json!({"id": id, "side": side, "by": by, "statement": n, "text": "It is so.", "status": status, "faced": faced});
    let edge =
        |(n, by, at, how): &Done<'_>| json!({"statement": n, "by": by, "at": at, "how": how});
    let points: Value = points.iter().map(point).collect();
    let edges: Value = done.iter().map(edge).collect();
    let usage = json!({"prompt": 1, "reply": 1});
    let notes = json!([{"round": 1, "summary": "", "statements": numbers, "by_clerk": true, "usage": usage}]);
    debate
        .with("statements", statements)
        .with("notes", notes)
        .with("flow", json!({"points": points, "edges": edges, "questions": [], "impossible": 0}))
}

/// The first makes three points, of which the other answers one, another in part, and drops the third, which the first then says
/// again. It concedes the other's first point; of the last two nobody has a turn.
fn duel(n: usize, topic: &str) -> Debate {
    let (a, b) = ("agent_a", "agent_b");
    let points = [
        ("A1", a, a, 1, "answered", true),
        ("A2", a, a, 1, "partly_answered", true),
        ("A3", a, a, 1, "dropped", true),
        ("B1", b, b, 2, "conceded", true),
        ("B2", b, b, 4, "standing", false),
        ("B3", b, b, 4, "standing", false),
    ];
    let done = [
        (2, b, "A1", "full"),
        (2, b, "A2", "partial"),
        (3, a, "B1", "conceded"),
        (3, a, "A3", "repeated"),
    ];
    let debate = Debate::of("duel", n)
        .topic(topic)
        .model(a, "llama-8")
        .model(b, "mistral-7")
        .who(a, "position", "yes")
        .who(b, "position", "no");
    noted(debate, &[a, b, a, b], &points, &done)
}

fn duels() -> Vec<Debate> {
    let all = (1..).zip(TOPICS);
    all.map(|(n, topic)| duel(n, topic)).collect()
}

/// The row of a model.
fn row<'f>(found: &'f Value, of: &str, name: &str) -> &'f Value {
    let rows = found["debaters"]["rows"].as_array().expect("rows");
    let found = rows.iter().find(|row| row["of"] == of && row["name"] == name);
    found.unwrap_or_else(|| panic!("no {of} {name}"))
}

#[test]
fn s2_planted_shares_of_points_come_out_by_model_and_position() {
    let place = Place::of_debates(&duels());
    let found = place.found(&["--by", "model"]);
    shows!(found, {"debaters/noted": 6, "debaters/not_noted": 0});
    let third = 1.0 / 3.0;
    let llama = [
        ("new_points", 1.5, 12),
        ("repeats", 0.5, 12),
        ("withdrawn", 0.0, 18),
        ("others.answered", 0.0, 6),
        ("others.partly_answered", 0.0, 6),
        ("others.dropped", 0.0, 6),
        ("others.conceded", 1.0, 6),
        ("own.answered", third, 18),
        ("own.partly_answered", third, 18),
        ("own.dropped", third, 18),
        ("own.conceded", 0.0, 18),
    ];
    for (name, value, n) in llama {
        let name = format!("flow.{name}");
        // The same in groups, and so in CSV.
        for group in [row(&found, "model", "llama-8"), group(&found, "llama-8")] {
            let (shown, of, topics) = told(measure(group, &name));
            assert_eq!((of, topics), (n, 6), "{name}");
            close(&json!(shown), value);
        }
    }
    let mistral = row(&found, "model", "mistral-7");
    let (dropped, of, _) = told(measure(mistral, "flow.others.dropped"));
    close(&json!(dropped), third);
    assert_eq!(of, 18);
    let csv = place.rebut_exits(0, &["stats", "output", "--by", "model", "--format", "csv"]);
    has(&csv.stdout, "llama-8,flow.others.conceded,Others' points granted,duel,share,6,6,1,");
    let positions = found["debaters"]["rows"].as_array().into_iter().flatten();
    assert_eq!(positions.filter(|row| row["of"] == "position").count(), 2);
}

#[test]
fn s2_an_answer_to_an_interruption_is_no_statement_that_repeats() {
    let answered = duels().into_iter().map(|debate| {
        let mut statements = debate.value()["statements"].clone();
        statements[2]["phase"] = json!("answer");
        debate.with("statements", statements)
    });
    let place = Place::of_debates(&answered.collect::<Vec<_>>());
    let found = place.found(&["--by", "model"]);
    // Of its two statements, the one that says a point again is an answer.
    let llama = row(&found, "model", "llama-8");
    let (repeats, of, _) = told(measure(llama, "flow.repeats"));
    close(&json!(repeats), 0.0);
    assert_eq!(of, 6);
    close(&json!(told(measure(llama, "flow.new_points")).0), 3.0);
}

#[test]
fn s2_the_last_word_gains_nothing() {
    let place = Place::of_debates(&duels());
    let found = place.found(&["--by", "model"]);
    // Two of its three points nobody could answer: they are in no share.
    let last = row(&found, "model", "mistral-7");
    for name in ["answered", "partly_answered", "dropped"] {
        let own = told(measure(last, &format!("flow.own.{name}")));
        assert_eq!(own, (Some(0.0), 6, 6), "{name}");
    }
}

#[test]
fn s2_shares_of_points_are_clustered_by_topic() {
    // On one topic all of the first's points are dropped, on the other none.
    let dropped = |n: usize, topic: &str, status: &str| {
        let points = ["A1", "A2"].map(|id| (id, "agent_a", "agent_a", 1, status, true));
        let debate = Debate::of("duel", n).topic(topic).model("agent_a", "llama-8");
        noted(debate, &["agent_a", "agent_b"], &points, &[])
    };
    let place =
        Place::of_debates(&[dropped(1, "Parks?", "dropped"), dropped(2, "Trams?", "answered")]);
    let found = place.found(&["--by", "model"]);
    let share = measure(row(&found, "model", "llama-8"), "flow.own.dropped");
    assert_eq!(told(share), (Some(0.5), 4, 2));
    // Residuals of 1 and -1 by topic: the root of their squares, doubled, by four points; not of four cases.
    close(&share["se"], (2.0_f64 * 2.0).sqrt() / 4.0);
    assert!(share["low"].as_f64().is_some_and(|low| low < 0.1), "{share}, at {T1}");
}

#[test]
fn s2_what_a_team_mate_answered_was_not_dropped() {
    let (x, ys) = ("position_x", ["position_y_1", "position_y_2"]);
    let points = [
        ("A1", x, x, 1, "answered", true),
        ("A2", x, x, 1, "dropped", true),
        ("B1", "position_y", ys[0], 2, "dropped", true),
    ];
    let debate = Debate::of("knockout", 1)
        .model(x, "llama-8")
        .model(ys[0], "mistral-7")
        .model(ys[1], "phi-3");
    let debate = noted(debate, &[x, ys[0], x, ys[1]], &points, &[(2, ys[0], "A1", "full")]);
    let found = Place::of_debates(&[debate]).found(&["--by", "model"]);
    let of = |model: &str| {
        let row = row(&found, "model", model);
        ["answered", "dropped"].map(|name| told(measure(row, &format!("flow.others.{name}"))))
    };
    assert_eq!(of("mistral-7"), [(Some(0.5), 2, 1), (Some(0.5), 2, 1)]);
    // It had a turn on both too, but what its team did counts once; its own team's is none of the others'.
    let phi = row(&found, "model", "phi-3");
    assert_eq!(measure(phi, "flow.others.answered"), &Value::Null);
    assert_eq!(of("llama-8"), [(Some(0.0), 1, 1), (Some(1.0), 1, 1)]);
}

#[test]
fn s2_points_count_alike_for_who_made_them_and_for_all_who_had_a_turn() {
    let three = ["specialist_1", "specialist_2", "specialist_3"];
    let [a, b, c] = three;
    // Of five points one is answered by each of the others, two by one of them, one is withdrawn, one is dropped.
    let points = [
        ("A1", a, a, 1, "answered", true),
        ("A2", a, a, 1, "answered", true),
        ("A3", a, a, 1, "answered", true),
        ("A4", a, a, 1, "withdrawn", true),
        ("A5", a, a, 1, "dropped", true),
    ];
    let done = [
        (2, b, "A1", "full"),
        (3, c, "A1", "full"),
        (2, b, "A2", "full"),
        (3, c, "A3", "full"),
        (4, a, "A4", "withdrawn"),
    ];
    let of_no_stance = Debate::of("roundtable", 1).with("stances", json!([]));
    let debate = three.iter().fold(of_no_stance, |debate, who| debate.model(who, who));
    let found = Place::of_debates(&[noted(debate, &[a, b, c, a], &points, &done)]).found(&[]);
    let dropped = |who: &str, of: &str| told(measure(row(&found, "model", who), of));
    let own = dropped(a, "flow.own.dropped");
    assert_eq!(own, (Some(0.2), 5, 1));
    for who in [b, c] {
        assert_eq!(dropped(who, "flow.others.dropped"), own, "{who}");
    }
}

#[test]
fn s2_who_is_of_one_mind_with_a_speaker_drops_none_of_its_points() {
    let [a, ally, other] = ["specialist_1", "specialist_2", "specialist_3"];
    let points = [("A1", a, a, 1, "dropped", true)];
    let debate = |opposed: &str| {
        let people = [a, ally, other].into_iter();
        let debate = people.fold(Debate::of("roundtable", 1), |it, who| it.model(who, who));
        let stands = |(who, stance): (&str, &str)| {
            json!({"round": 0, "by": {"kind": "model", "id": who, "model": who}, "stance": stance,
                "weight": 1.0, "reading": {"call": "stance", "order": [], "status": "valid", "scores": {},
                "totals": {}, "reason": "", "cause": null, "prompt_digest": null, "template_digest": null,
                "seed": 1, "attempts": 1, "tokens": {"prompt": 1, "reply": 1}}})
        };
        let stances = [(a, "buy"), (ally, "buy"), (other, opposed)].map(stands);
        noted(debate, &[a, ally, other], &points, &[]).with("stances", json!(stances))
    };
    let found = |opposed: &str| Place::of_debates(&[debate(opposed)]).found(&[]);
    let opposed = found("sell");
    let measured =
        |found: &Value, who: &str, name: &str| measure(row(found, "model", who), name).clone();
    assert_eq!(told(&measured(&opposed, other, "flow.others.dropped")), (Some(1.0), 1, 1));
    assert_eq!(measured(&opposed, ally, "flow.others.dropped"), Value::Null);
    assert_eq!(told(&measured(&opposed, a, "flow.own.dropped")), (Some(1.0), 1, 1));
    // Where nobody was of another mind, nobody had anything to answer.
    let agreed = found("buy");
    assert_eq!(measured(&agreed, a, "flow.own.dropped"), Value::Null);
}

/// The debate as one was written before there were notes.
fn older(debate: &Debate) -> Debate {
    let mut trace = debate.value().clone();
    for key in ["notes", "flow"] {
        trace.as_object_mut().and_then(|trace| trace.remove(key));
    }
    for statement in trace["statements"].as_array_mut().into_iter().flatten() {
        statement.as_object_mut().and_then(|said| said.remove("saw"));
    }
    Debate::read(&trace.to_string())
}

#[test]
fn s2_without_notes_on_the_whole_debate_there_are_no_shares_and_that_is_said() {
    let old: Vec<Debate> = duels().iter().map(older).collect();
    let place = Place::of_debates(&old);
    let found = place.found(&["--by", "model"]);
    shows!(found, {"debaters/noted": 0, "debaters/not_noted": 6, "damaged": []});
    assert_eq!(row(&found, "model", "llama-8")["measures"], json!([]));
    let all = group(&found, "llama-8")["measures"].to_string();
    lacks(&all, &["flow."]);
    let text = place.rebut_exits(0, &["stats", "output", "--full"]).stdout;
    has(&squeezed(&text), "What debaters do (no debate has complete notes on its arguments)");
    place.rebut_exits(0, &["report", "output", "-o", "report.md"]);
    let short = crate::harness::read(&place.path().join("report.md"));
    has(&short, "No data on what debaters do: no debate has complete notes on its arguments.");
    // One exchange without notes: nobody knows what was answered in it.
    let exchange = |from: u32, by_clerk: bool| {
        let statements = [from, from + 1].map(|n| json!({"n": n, "claim": "It is so."}));
        json!({"round": 1, "summary": "", "statements": statements, "by_clerk": by_clerk, "usage": {"prompt": 1, "reply": 1}})
    };
    let partly = duel(7, "Ships?").with("notes", json!([exchange(1, true), exchange(3, false)]));
    let place = Place::of_debates(&[duels(), vec![partly]].concat());
    let found = place.found(&[]);
    shows!(found, {"debaters/noted": 6, "debaters/not_noted": 1});
    let text = place.rebut_exits(0, &["stats", "output", "--full"]).stdout;
    has(&text, "No complete notes in 1 of 7 debates");
}

#[test]
fn s2_a_critique_that_raises_nothing_counts_too() {
    let (p, s) = ("proposer", "skeptic");
    let critique = |n: usize, points: &[Planted<'_>]| {
        let debate =
            Debate::of("dialectic", n).topic(TOPICS[n]).model(p, "mistral-7").model(s, "llama-8");
        noted(debate, &[p, s], points, &[]).with("notes/0/by_clerk", false)
    };
    let raised = [("P1", s, s, 2, "standing", false)];
    let place = Place::of_debates(&[critique(1, &raised), critique(2, &[])]);
    let found = place.found(&[]);
    shows!(found, {"debaters/noted": 2, "debaters/not_noted": 0});
    let new = |model: &str| measure(row(&found, "model", model), "flow.new_points");
    assert_eq!(told(new("llama-8")), (Some(0.5), 2, 2));
    assert_eq!(new("mistral-7"), &Value::Null);
}

#[test]
fn s2_statements_that_a_model_declined_have_a_column() {
    let mut all = duels();
    let declined = all[0].clone().incident("refusal");
    all[0] = declined.with("incidents/0/call", "round-1/statement/agent_b");
    let place = Place::of_debates(&all);
    let found = place.found(&[]);
    shows!(row(&found, "model", "mistral-7"), {"declined": 1, "statements": 12});
    shows!(row(&found, "model", "llama-8"), {"declined": 0, "statements": 12});
    let text = place.rebut_exits(0, &["stats", "output", "--full"]).stdout;
    let lines: Vec<String> = text.lines().map(squeezed).collect();
    assert!(lines.contains(&"mistral-7 duel 1 12 6".to_owned()), "{text}");
    lacks(&text, &["llama-8 duel 0"]);
    place.rebut_exits(0, &["report", "output", "-o", "report.md"]);
    let short = crate::harness::read(&place.path().join("report.md"));
    has(&short, "statements declined | debates |");
    has(&short, "| 1 of 12 | 6 |");
}

#[test]
fn s5_the_short_report_of_many_models_topics_and_debates_is_short() {
    let model =
        |n: usize| format!("family-{n}-with-a-name-as-long-as-some-have:70b-instruct-q4_K_M");
    let debate = |n: usize| {
        let topic = format!("{} number {}?", "Should every city in the land ".repeat(4), n % 60);
        let debate = duel(n, &topic)
            .model("agent_a", &model(n % 45))
            .model("agent_b", &model((n * 7 + 1) % 45))
            .verdict("gemma-2", [("agent_a", 8.0), ("agent_b", 5.0)]);
        debate.winner(["agent_a", "agent_b", "draw"][n % 3])
    };
    let all: Vec<Debate> = (1..=360).map(debate).collect();
    let place = Place::of_debates(&all);
    for (file, full) in [("short.md", &[][..]), ("full.md", &["--full"])] {
        place.rebut_exits(0, &[&["report", "output", "-o", file], full].concat());
    }
    let read = |file: &str| crate::harness::read(&place.path().join(file));
    let tokens = estimate_tokens(&read("short.md"));
    assert!(tokens < 4000, "{tokens}");
    assert!(estimate_tokens(&read("full.md")) > 20_000);
}

#[test]
fn s2_what_readers_of_replies_had_to_do_is_counted() {
    let verdict = [("agent_a", 8.0), ("agent_b", 5.0)];
    let read = duel(1, "Parks?")
        .verdict("gemma-2", verdict)
        .with("verdicts/0/judges/0/readings/0/read_as", json!(["named", "fenced", "fenced"]))
        .with("notes/0/read_as", json!(["fenced"]));
    let place = Place::of_debates(&[read, duel(2, "Trams?")]);
    let found = place.found(&[]);
    let expected = json!([
        {"how": "fenced", "replies": 2, "debates": [1]},
        {"how": "named", "replies": 1, "debates": [1]},
    ]);
    assert_eq!(found["read_as"], expected);
    let text = place.rebut_exits(0, &["stats", "output", "--full"]).stdout;
    let lines: Vec<String> = text.lines().map(squeezed).collect();
    assert!(lines.contains(&"extracted from a code fence 2 1".to_owned()), "{text}");
}
