//! Rows O2, O3, S3 and S4: leaderboards, paired differences and judges over a few debates whose numbers can be worked out by
//! hand.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::harness::corpus::{Debate, between, decided_knockout, two_judges};
use crate::harness::found::{T1, close, columns, group, measure, squeezed, tells, told};
use crate::harness::{Place, has, has_all, lacks, read, shows};

#[test]
fn s3_debates_of_one_model_are_no_comparison_and_the_verdict_says_so() {
    let debates: Vec<Debate> = (0..3).map(|n| between(n, "llama-8", "llama-8")).collect();
    let found = Place::of_debates(&debates).found(&[]);
    shows!(found, {"headlines/0 starts": "All sides argued on one model, so there is nothing to compare"});
    lacks(&found["headlines"], &["no two models", "llama-8"]);
}

#[test]
fn o3_emergency_and_fallback_replies_are_counted_and_neither_compared_nor_scored() {
    let again = |n: usize| between(n, "mistral-7", "llama-8").topic("Trams?");
    let place = Place::of_debates(&[
        between(1, "llama-8", "mistral-7").topic("Parks?"),
        between(2, "llama-8", "mistral-7").topic("Trams?").origin("agent_b", "emergency"),
        again(3).origin("agent_a", "fallback"),
        again(4).failed("no server"),
        again(5).winner(Value::Null),
        again(6),
    ]);
    let found = place.found(&["--by", "model"]);
    let llama = group(&found, "llama-8");
    shows!(llama, {"counts/emergency": 1, "counts/fallback": 1});
    let expected = [
        ("llama-8", "win_rate", 0.5, 2, 2),
        ("llama-8", "score.total", 19.0 / 3.0, 3, 2), // 7 in the first debate, 6 in the fifth and sixth
    ];
    tells(&found, &expected);
    let board = &found["leaderboards"]["strengths"][0];
    let left_out =
        json!({"failed": 1, "no judgment": 1, "an emergency or fallback reply of a contestant": 2});
    shows!(board, {"comparisons": 2, "left_out": left_out});
}

#[test]
fn o3_a_knockout_whose_judges_failed_is_left_out_for_want_of_a_judgment() {
    let failed = |n: usize| {
        let debate = decided_knockout(n, "gemma-2").winner(Value::Null);
        debate.with("outcome/rests_on", Value::Null)
    };
    let place = Place::of_debates(&[
        failed(1).with("verdicts/0/winner", Value::Null),
        // Where a side was never heard, nobody is asked.
        failed(2).with("verdicts", json!([])),
        // Nobody was to win.
        Debate::of("knockout", 3),
    ]);
    let board = &place.found(&[])["leaderboards"]["strengths"][0];
    shows!(board, {"comparisons": 0, "left_out": {"no judgment": 2}});
}

#[test]
fn o3_only_who_did_not_speak_itself_is_left_out_of_a_knockouts_scores() {
    let debate = Debate::of("knockout", 1)
        .model("position_x", "llama-8")
        .model("position_y_1", "mistral-7")
        .model("position_y_2", "qwen-3")
        .ballot(1, "gemma-2", "position_y_1", 4.0, false)
        .ballot(2, "gemma-2", "position_y_2", 2.0, true)
        .origin("position_y_1", "emergency");
    let found = Place::of_debates(&[debate]).found(&["--by", "model"]);
    let silent = measure(group(&found, "mistral-7"), "score.total");
    assert_eq!(silent, &Value::Null);
    tells(&found, &[("qwen-3", "score.total", 2.0, 1, 1)]);
    // Points are compared.
    shows!(found, {"leaderboards/points": []});
}

#[test]
fn o3_a_comparison_rests_on_the_winner_only_and_a_draw_is_a_half() {
    let again = |n: usize| between(n, "mistral-7", "llama-8").topic("Trams?");
    // The scores say otherwise.
    let first = between(1, "llama-8", "mistral-7").topic("Parks?");
    let place = Place::of_debates(&[
        first.winner("agent_b"),
        again(2).winner("draw"),
        again(3).winner("agent_a"),
        again(4).winner("agent_b"),
    ]);
    let found = place.found(&["--by", "model"]);
    let expected = [
        ("llama-8", "win_rate", 0.375, 4, 2),
        ("mistral-7", "win_rate", 0.625, 4, 2),
        ("llama-8", "draws", 0.25, 4, 2),
    ];
    tells(&found, &expected);
    shows!(found["leaderboards"]["strengths"][0], {
        "rows/0/name": "mistral-7", "rows/0/wins": 2, "rows/0/draws": 1, "rows/0/losses": 1, "rows/0/small": true,
        "matches/0/1/n": 4, "matches/0/1/score": 0.625,
        "matches/1/0/n": 4, "matches/1/0/score": 0.375,
        "matches/0/0/n": 0, "matches/0/0/score": null,
    });
}

#[test]
fn o2_points_of_debaters_and_of_x_stand_apart() {
    let knockout = |n: usize, x: &str, y: &str, of_x: f64, of_y: f64| {
        Debate::of("knockout", n)
            .topic(if n == 1 { "Parks?" } else { "Trams?" })
            .model("position_x", x)
            .model("position_y_1", y)
            .model("position_y_2", y)
            .with("outcome/points/position_x", of_x)
            .with("outcome/points/position_y_1", of_y)
    };
    let place = Place::of_debates(&[
        knockout(1, "llama-8", "mistral-7", 1.0, 4.5),
        knockout(2, "llama-8", "mistral-7", 0.0, 3.5),
        knockout(3, "mistral-7", "llama-8", 2.0, 4.5),
    ]);
    let found = place.found(&["--by", "model"]);
    // Ballots are from 1 to 5: an interval over all of it says nothing.
    let within = json!([["llama-8", null, null], ["mistral-7", null, null]]);
    let debaters = &found["leaderboards"]["points"][0]["rows"];
    assert_eq!(columns(debaters, "name mean/low mean/high"), within);
    let row = "name total mean/value mean/n debates";
    let boards = found["leaderboards"]["points"]
        .as_array()
        .expect("boards")
        .iter()
        .map(|board| json!([board["side"], columns(&board["rows"], row)]));
    // Who never came in has no points, not none.
    let debaters = json!([["llama-8", 4.5, 4.5, 1, [3]], ["mistral-7", 8.0, 4.0, 2, [1, 2]]]);
    let x = json!([["mistral-7", 2.0, 2.0, 1, [3]], ["llama-8", 1.0, 0.5, 2, [1, 2]]]);
    let expected = json!([["debaters", debaters], ["x", x]]);
    assert_eq!(boards.collect::<Value>(), expected);
    tells(&found, &[("llama-8", "points", 4.5, 1, 1)]);
    tells(&found, &[("llama-8", "points_x", 0.5, 2, 2)]);
}

#[test]
fn o2_a_team_wins_or_loses_once_however_many_of_it_debated() {
    let ys = ["position_y_1", "position_y_2", "position_y_3"];
    let knockout = |n: usize, winner: &str, debated: &[&str]| {
        let debate = Debate::of("knockout", n)
            .topic(["Parks?", "Trams?", "Walks?"][n - 1])
            .model("position_x", "llama-8")
            .winner(winner);
        let said = debate.value()["statements"][0].clone();
        let by = |who: &str| {
            let mut said = said.clone();
            said["by"] = json!(who);
            said["origin"] = json!("model");
            said
        };
        let statements = debated.iter().copied().chain(["position_x"]).map(by);
        let debate = debate.with("statements", statements.collect::<Value>());
        ys.iter().fold(debate, |debate, y| debate.model(y, "mistral-7"))
    };
    let place = Place::of_debates(&[
        knockout(1, "position_x", &ys[..1]),
        knockout(2, "position_y", &ys),
        knockout(3, "position_y", &ys[..2]),
    ]);
    let expected =
        [("llama-8", "win_rate", 1.0 / 3.0, 3, 3), ("mistral-7", "win_rate", 2.0 / 3.0, 3, 3)];
    tells(&place.found(&["--by", "model"]), &expected);
}

#[test]
fn s3_models_that_debated_the_same_are_compared_in_pairs() {
    // Each of two topics sees both models on both seats; llama-8 is 3 and 1 above on Parks, 2 and 0 on Trams.
    let duel = |n: usize, topic: &str, a: &str, b: &str, scores: [f64; 2]| {
        let cell = json!({"agent_a.model": a, "agent_b.model": b});
        Debate::of("duel", n)
            .topic(topic)
            .model("agent_a", a)
            .model("agent_b", b)
            .with("plan/pairing/cell", cell)
            .verdict("gemma-2", [("agent_a", scores[0]), ("agent_b", scores[1])])
    };
    let place = Place::of_debates(&[
        duel(1, "Parks?", "llama-8", "mistral-7", [9.0, 5.0]),
        duel(2, "Parks?", "mistral-7", "llama-8", [6.0, 6.0]),
        duel(3, "Trams?", "llama-8", "mistral-7", [7.0, 5.0]),
        duel(4, "Trams?", "mistral-7", "llama-8", [5.0, 5.0]),
    ]);
    let found = place.found(&[]);
    shows!(found["comparisons"][0], {
        "format": "duel", "scale": [0, 10], "reason": null, "pairs count": 1,
        "pairs/0/a": "llama-8", "pairs/0/b": "mistral-7", "pairs/0/seats": "balanced", "pairs/0/same_opponents": true,
    });
    let pair = &found["comparisons"][0]["pairs"][0];
    let difference = &pair["difference"];
    assert_eq!(told(difference), (Some(1.5), 2, 2));
    // Topics differ by 2 and 1.
    close(&difference["se"], 0.5);
    close(&difference["low"], 1.5 - T1 * 0.5);
    // With one degree of freedom p = 1 - 2 atan(t) / pi, here t = 3; one pair needs no correction.
    let p = 1.0 - 2.0 * 3.0_f64.atan() / std::f64::consts::PI;
    close(&pair["p"], p);
    close(&pair["p_adjusted"], p);
}

/// A duel on the topic of its tens, scored by a judge that does not debate.
fn scored(n: usize, a: &str, b: &str, scores: [f64; 2]) -> Debate {
    Debate::of("duel", n)
        .topic(&format!("Topic {}?", n / 10))
        .model("agent_a", a)
        .model("agent_b", b)
        .verdict("gemma-2", [("agent_a", scores[0]), ("agent_b", scores[1])])
}

#[test]
fn s3_pairs_that_never_shared_a_seat_are_named_beside_those_that_did() {
    // The first two take turns at the seats from topic to topic, the others within each.
    let topic = |t: usize| {
        let (n, by) = (10 * t, (t % 4) as f64);
        let [a, b] = [["mistral-7", "llama-8"], ["llama-8", "mistral-7"]][t % 2];
        [
            scored(n, a, b, [5.0 + by, 4.0]),
            scored(n + 1, "phi-4", "qwen-3", [4.0 + by, 3.0]),
            scored(n + 2, "qwen-3", "phi-4", [3.0, 4.0 + by]),
        ]
    };
    let debates: Vec<Debate> = (1..=6).flat_map(topic).collect();
    let found = Place::of_debates(&debates).found(&[]);
    let told = "llama-8 and mistral-7 never had the same seat with all else equal, nor balanced seats on any topic, and are compared across seats, unlike the others.";
    has(&found["headlines"], told);
}

/// On a topic of which one debate was repeated, seats are not balanced, so they are kept apart there.
#[test]
fn s3_seats_are_kept_apart_only_on_topics_where_they_are_not_balanced() {
    let duel = |n: usize, a: &str, b: &str| scored(n, a, b, [5.0 + (n % 4) as f64, 5.0]);
    let both = |n: usize| [duel(n, "llama-8", "mistral-7"), duel(n + 1, "mistral-7", "llama-8")];
    let mut debates: Vec<Debate> = [10, 20, 30, 40, 50, 60].into_iter().flat_map(both).collect();
    let seats = |debates: &[Debate]| {
        let found = Place::of_debates(debates).found(&[]);
        columns(&found["comparisons"][0]["pairs"], "seats same_opponents difference/n").to_string()
    };
    assert_eq!(seats(&debates), r#"[["balanced",true,6]]"#);
    debates.push(duel(12, "llama-8", "mistral-7"));
    assert_eq!(seats(&debates), r#"[["mixed",true,7]]"#);
    let headlines = Place::of_debates(&debates).found(&[])["headlines"].clone();
    has(
        &headlines,
        "7 pairs of totals on the same topic by the same judges, seats balanced or the same, in 13 debates",
    );
}

/// Of a total that is given in view of another's, part is owed to who that was.
#[test]
fn s3_models_that_met_other_opponents_are_not_compared() {
    let duel = |n: usize, a: &str, b: &str| scored(n, a, b, [5.0 + (n % 7) as f64 / 2.0, 5.0]);
    let topic = |n: usize| [duel(n, "llama-8", "phi-4"), duel(n + 1, "mistral-7", "qwen-3")];
    let debates: Vec<Debate> = (1..=12).flat_map(|t| topic(10 * t)).collect();
    let found = Place::of_debates(&debates).found(&[]);
    shows!(found["comparisons"][0]["pairs"][0], {
        "a": "llama-8", "b": "mistral-7", "seats": "any", "same_opponents": false, "clear": false, "p": null,
        "confounded/by": "opponents",
    });
    has(&check(&found, "opponents").1, "Opponents: not the same in");
}

#[test]
fn s3_models_that_share_nothing_are_not_compared() {
    let place = Place::of_debates(&[
        between(1, "llama-8", "llama-8").topic("Parks?"),
        between(2, "mistral-7", "mistral-7").topic("Trams?"),
    ]);
    let pair = &place.found(&[])["comparisons"][0]["pairs"][0];
    assert_eq!(told(&pair["difference"]), (None, 0, 0));
    assert!(pair["difference"]["reason"].is_string(), "{pair}");
    shows!(pair, {"p": null, "p_adjusted": null, "detectable": null, "seats": null});
}

#[test]
fn s4_judges_are_held_against_each_other() {
    // gemma-2 gives 8 and 5, qwen-3 6 and 7; then 4 and 4 against 3 and 3.
    let second = Debate::of("duel", 2)
        .topic("Trams?")
        .verdict("gemma-2", [("agent_b", 4.0), ("agent_a", 4.0)])
        .verdict("qwen-3", [("agent_b", 3.0), ("agent_a", 3.0)])
        .winner("draw");
    let place = Place::of_debates(&[two_judges(1).topic("Parks?"), second]);
    let judges = place.found(&[])["judges"].clone();
    let estimate = |path: &str| told(judges.pointer(path).expect("an estimate"));
    shows!(judges, {"rows/0/judge": "gemma-2", "rows/1/judge": "qwen-3"});
    assert_eq!(estimate("/rows/0/mean"), (Some(5.25), 4, 2));
    // 2, -2, 1, 1.
    assert_eq!(estimate("/rows/0/leniency"), (Some(0.5), 4, 2));
    assert_eq!(estimate("/rows/1/leniency"), (Some(-0.5), 4, 2));
    // Units (8, 6), (5, 7), (4, 3), (4, 3): ordered pairs within units differ by squares of 8 + 8 + 2 + 2, of 8 ratings. All
    // eight have mean 5 and squares 9 + 1 + 0 + 4 + 1 + 4 + 1 + 4 = 24 around it.
    let alpha = 1.0 - (20.0 / 8.0) / (2.0 * 24.0 / 7.0);
    let total = agreed(&judges, "total");
    close(&total["alpha"], alpha);
    shows!(total, {"units": 4, "ratings": 8});
    assert_eq!(told(&total["exact"]), (Some(0.0), 4, 2));
    // On who is ahead: not at all on Parks, both for nobody on Trams.
    let winner = &agreed(&judges, "winner")["exact"];
    assert_eq!(told(winner), (Some(0.5), 2, 2));
    // Of the judge who read both first, one judgment is decided.
    let order = &judges["order"][0];
    shows!(order, {"judge": null, "first_slot/value": 1.0, "first_slot/n": 1});
}

/// How judges agree on something.
fn agreed<'j>(judges: &'j Value, what: &str) -> &'j Value {
    let mut rows = judges["agreement"].as_array().into_iter().flatten();
    rows.find(|row| row["what"] == what).expect("a row")
}

#[test]
fn s4_reading_in_both_orders_shows_who_decides_alike() {
    let both = |n: usize, again: [f64; 2]| {
        Debate::of("duel", n)
            .topic(if n == 1 { "Parks?" } else { "Trams?" })
            .verdict("gemma-2", [("agent_a", 8.0), ("agent_b", 5.0)])
            .verdict("gemma-2", [("agent_b", again[1]), ("agent_a", again[0])])
    };
    let place = Place::of_debates(&[both(1, [7.0, 6.0]), both(2, [6.0, 7.0])]);
    let judges = place.found(&[])["judges"].clone();
    let order = &judges["order"][0];
    assert_eq!(told(&order["consistent"]), (Some(0.5), 2, 2));
    assert_eq!(
        told(&order["first_slot"]),
        (Some(0.75), 4, 2),
        "agent_a, agent_a; agent_a, agent_b"
    );
}

/// Duels on 12 topics, two on each, in which the models swap seats. The judge, who reads in both orders, puts the same side ahead in
/// both wherever `alike` says so, and else the one read first.
fn read_twice(alike: impl Fn(usize) -> bool) -> Vec<Debate> {
    let duel = |n: usize| {
        let [a, b] = [["llama-8", "mistral-7"], ["mistral-7", "llama-8"]][n % 2];
        // Of three topics, the first seat wins on two.
        let [above, below] =
            [["agent_a", "agent_b"], ["agent_b", "agent_a"]][usize::from(n % 6 > 3)];
        let again = if alike(n) { [6.0, 7.0] } else { [7.0, 6.0] };
        Debate::of("duel", n)
            .topic(&format!("Topic {}?", n / 2))
            .model("agent_a", a)
            .model("agent_b", b)
            .verdict("gemma-2", [(above, 8.0), (below, 5.0)])
            .verdict("gemma-2", [(below, again[0]), (above, again[1])])
            .winner(if alike(n) { above } else { "draw" })
    };
    (0..24).map(duel).collect()
}

#[test]
fn s4_a_judge_that_turns_as_a_coin_would_is_told_first_and_power_is_not() {
    let place = Place::of_debates(&read_twice(|n| n % 4 < 2));
    let found = place.found(&[]);
    shows!(found, {
        "cautions/0 starts": "With the sides named in either order, duel debates were decided alike by gemma-2 in 12 of 24 cases (50.0% [",
        "cautions/0 contains": "; two tosses of a coin would agree in half. Such verdicts may not follow the arguments. Judges who change sides with the order leave draws",
        "leaderboards/strengths/0/draws": 12, "leaderboards/strengths/0/draws_turned": 12,
    });
    let power = "detectable difference in strength";
    lacks(&found["headlines"], &[power]);
    let text = place.rebut_exits(0, &["stats", "output", "--full"]).stdout;
    has(
        &squeezed(&text),
        "12 draws; each counts as half a win for both. In 12, a judge put one side ahead in one order and the other side in the other.",
    );
    lacks(&squeezed(&text), &["topics needed for 50 Elo"]);
    shows!(found["leaderboards"]["strengths"][0]["distances"][0], {"detectable": null, "clusters_needed": null});
    let one = read_twice(|n| n % 4 < 2).into_iter();
    let one = one.map(|it| it.model("agent_a", "llama-8").model("agent_b", "llama-8"));
    let alone = Place::of_debates(&one.collect::<Vec<_>>()).found(&[]);
    has(&alone["cautions"], "Such verdicts may not follow the arguments.");
    lacks(&alone["cautions"], &["draws narrow intervals of strength"]);
    let sure = Place::of_debates(&read_twice(|n| n != 7)).found(&[]);
    lacks(&sure["cautions"], &["guessing"]);
    has(&sure["headlines"], power);
}

/// Topics are too few to test it.
#[test]
fn s4_that_the_order_decides_half_of_judgments_is_the_first_caveat_and_plain() {
    let mut debates = read_twice(|n| n % 4 < 2);
    debates.truncate(8);
    shows!(Place::of_debates(&debates).found(&[]), {
        "cautions/0": "Do not rely on who won duel debates: in 4 of 8 judgments, the order in which the sides were named decided who is ahead, and tosses of a coin would do that in half.",
    });
    let mut debates = read_twice(|n| n != 7);
    debates.truncate(8);
    has(
        &Place::of_debates(&debates).found(&[])["cautions"],
        "In 1 of 8 judgments of duel debates, the order of naming decided who is ahead: ",
    );
}

#[test]
fn s4_where_each_debate_had_one_judge_a_caveat_names_it() {
    let one = |n: usize| {
        let debate = Debate::of("duel", n).topic(&format!("Topic {n}?"));
        debate.verdict("gemma-2", [("agent_a", 7.0), ("agent_b", 5.0)])
    };
    let told = "In duel debates, each was judged by one model only (gemma-2), so it is unknown whether another would agree.";
    let place = Place::of_debates(&[one(1), one(2)]);
    has(&place.found(&[])["cautions"], told);
    let counts = "valid judgments 2 of 2 requested";
    has(&squeezed(&place.rebut_exits(0, &["stats", "output", "--full"]).stdout), counts);
    // Another judge was asked, and gave nothing.
    let failed = |n: usize| one(n).no_verdict("qwen-3", ["agent_a", "agent_b"], "invalid");
    let cautions = Place::of_debates(&[failed(1), failed(2)]).found(&[])["cautions"].take();
    has(
        &cautions,
        "In duel debates, each had one valid judgment at most, so it is unknown whether other judges would agree.",
    );
    let both = |n: usize| one(n).verdict("qwen-3", [("agent_a", 7.0), ("agent_b", 5.0)]);
    let cautions = Place::of_debates(&[both(1), both(2)]).found(&[])["cautions"].take();
    lacks(&cautions, &["one model only", "one valid judgment"]);
    // A second seat of the same model says it again: that is no agreement.
    let again = |n: usize| both(n).with("verdicts/0/judges/1/model", "gemma-2");
    let found = Place::of_debates(&[again(1), again(2)]).found(&[]);
    has(&found["cautions"], told);
    shows!(found["judges"]["agreement"][0], {"what": "total", "units": 0, "alpha": null});
    let alias = |n: usize| both(n).with("models/0/digest", "ab").with("models/1/digest", "ab");
    let found = Place::of_debates(&[alias(1), alias(2)]).found(&[]);
    shows!(found["judges"]["agreement"][0], {"what": "total", "units": 0});
}

/// Judges who always contradict themselves say even less than a coin.
#[test]
fn s4_a_judge_that_always_turns_is_told_like_one_that_guesses() {
    let found = Place::of_debates(&read_twice(|_| false)).found(&[]);
    has(&found["cautions"], "were decided alike by gemma-2 in 0 of 24 cases");
}

#[test]
fn o1_statistics_count_a_judge_once_though_it_reads_twice() {
    let debate = Debate::of("duel", 1)
        .verdict("gemma-2", [("agent_a", 9.0), ("agent_b", 4.0)])
        .verdict("gemma-2", [("agent_b", 4.0), ("agent_a", 5.0)])
        .verdict("qwen-3", [("agent_a", 3.0), ("agent_b", 4.0)])
        .no_verdict("qwen-3", ["agent_b", "agent_a"], "invalid")
        .model("agent_a", "llama-8")
        .model("agent_b", "mistral-7");
    let found = Place::of_debates(&[debate]).found(&["--by", "model"]);
    let llama = group(&found, "llama-8");
    assert_eq!(told(measure(llama, "score.total")), (Some(5.0), 1, 1), "7 and 3, not 9, 5 and 3");
}

#[test]
fn s4_what_one_judge_or_one_order_cannot_tell_is_null_with_the_reason() {
    let one = |n: usize| {
        let debate = Debate::of("duel", n).topic(&format!("Topic {n}?"));
        debate.verdict("gemma-2", [("agent_a", 7.0), ("agent_b", 5.0)]).winner("agent_a")
    };
    let judges = Place::of_debates(&[one(1), one(2)]).found(&[])["judges"].clone();
    for (path, reason) in [
        ("/rows/0/leniency", "no judge on another model"),
        ("/rows/0/self_preference", "own family"),
        ("/order/0/first_slot", "always hears the same contestant named first"),
        ("/order/0/consistent", "both orders"),
    ] {
        let estimate = judges.pointer(path).expect("an estimate");
        shows!(estimate, {"value": null, "reason contains": reason});
    }
    let agreement = &judges["agreement"][0];
    shows!(agreement, {"what": "total", "alpha": null});
    assert!(agreement["reason"].is_string(), "{agreement}");
}

#[test]
fn s4_ballots_of_knockouts_are_held_against_each_other_round_by_round() {
    let knockout = |n: usize, topic: &str, gemma: f64, qwen: (f64, bool)| {
        Debate::of("knockout", n)
            .topic(topic)
            .model("position_y_1", "mistral-7")
            .ballot(1, "gemma-2", "position_y_1", gemma, true)
            .ballot(1, "qwen-3", "position_y_1", qwen.0, qwen.1)
    };
    let place = Place::of_debates(&[
        knockout(1, "Parks?", 4.0, (2.0, false)),
        knockout(2, "Trams?", 5.0, (4.0, true)),
    ]);
    let found = place.found(&["--by", "participant"]);
    tells(&found, &[("Y-1", "score.total", 3.75, 2, 2)]); // 3 and 4.5
    let judges = &found["judges"];
    assert_eq!(told(&judges["rows"][0]["leniency"]), (Some(1.5), 2, 2));
    let keep = agreed(judges, "keep");
    shows!(keep, {"metric": "nominal", "units": 2});
    assert_eq!(told(&keep["exact"]), (Some(0.5), 2, 2));
    // Votes 1, 0 and 1, 1: two ordered pairs of four differ within a round, six of twelve over all.
    close(&keep["alpha"], 1.0 - (2.0 / 4.0) / (6.0 / 12.0));
    let cell = &judges["families"][0];
    shows!(cell, {"judge": "gemma-2", "judge_family": "gemma", "family": "mistral"});
    assert_eq!(told(&cell["mean"]), (Some(4.5), 2, 2));
    shows!(found["distributions"][1], {
        "criterion": "clarity", "scale": [1, 5], "counts": [[2.0, 1], [4.0, 2], [5.0, 1]],
    });
}

/// A knockout's ballots and the neutral judges' verdicts are answers to different questions: gemma-2 gives both.
#[test]
fn s4_ballots_and_verdicts_of_knockouts_are_in_no_number_together() {
    let given = |x: f64, team: f64| json!({"position_x": x, "position_y": team});
    let knockout = |n: usize| {
        decided_knockout(n, "gemma-2")
            .topic(["Parks?", "Trams?"][n % 2])
            .with("verdicts/0/judges/0/readings/0/totals", given(4.0, 2.0))
            .with("verdicts/0/judges/0/readings/1/totals", given(4.0, 3.0))
            .verdict("phi-4", [("position_x", 4.0), ("position_y", 3.0)])
            .verdict("phi-4", [("position_y", 5.0), ("position_x", 3.0)])
            .ballot(1, "gemma-2", "position_y_1", 5.0, true)
            .ballot(1, "qwen-3", "position_y_1", 4.0, true)
    };
    let place = Place::of_debates(&[knockout(1), knockout(2)]);
    let found = place.found(&[]);
    let judges = &found["judges"];
    let rows = columns(&judges["rows"], "judge kind judgments/valid mean/value leniency/value");
    // As neutral judges, both read twice: 4 and 2.5 on average, against 3.5 and 4.
    let expected = json!([
        ["gemma-2", "ballot", 2, 5.0, 1.0],
        ["qwen-3", "ballot", 2, 4.0, -1.0],
        ["gemma-2", "verdict", 4, 3.25, -0.5],
        ["phi-4", "verdict", 4, 3.75, 0.5],
    ]);
    assert_eq!(rows, expected);
    let agreement = columns(&judges["agreement"], "kind what units ratings");
    let own = |kind: &str| -> Vec<Value> {
        let rows = agreement.as_array().into_iter().flatten();
        rows.filter(|row| row[0] == kind).cloned().collect()
    };
    assert_eq!(own("ballot")[0], json!(["ballot", "total", 2, 4]));
    assert_eq!(
        own("verdict"),
        [
            json!(["verdict", "total", 4, 8]),
            json!(["verdict", "within_debate", 4, 8]),
            json!(["verdict", "winner", 2, 4]),
        ]
    );
    let order = columns(&judges["order"], "judge consistent/value consistent/n");
    assert_eq!(order, json!([[null, 0.5, 4], ["gemma-2", 1.0, 2], ["phi-4", 0.0, 2]]));
    assert_eq!(
        columns(&judges["pairs"], "judges alike/value"),
        json!([[["gemma-2", "phi-4"], 0.0]])
    );
    place.rebut_exits(0, &["report", "-o", "report.md", "--full"]);
    let page = read(&place.path().join("report.md"));
    has_all(&page, &["| gemma-2 | knockout rounds |", "| gemma-2 | knockout |"]);
}

#[test]
fn s1_counts_beyond_measure_end_no_reading_and_a_score_off_its_scale_is_damage() {
    let huge = two_judges(1)
        .used("llama-8", u64::MAX, u64::MAX, u64::MAX)
        .used("qwen-3", u64::MAX, u64::MAX, u64::MAX)
        .who("agent_a", "statements", 4_294_967_295_u32);
    let off = two_judges(2).verdict("gemma-2", [("agent_a", -5.0), ("agent_b", 5.0)]);
    let place = Place::of_debates(&[huge, off, two_judges(3)]);
    shows!(place.found(&["--by", "model"]), {
        "counts/counted": 2, "damaged/0/cause contains": "a score is off its scale",
    });
}

/// A debater that the judges vote out has not survived, whether or not somebody else can come in after the last round.
#[test]
fn s2_a_debater_who_is_voted_out_in_the_last_round_did_not_stand() {
    let rotation = |round: u32, out: bool| {
        json!({"round": round, "debater": "position_y_1", "next": "position_y_1", "voted_out": out, "rotated": false,
            "keeps": 0, "negatives": 3, "abstentions": 0, "mean_total": null, "reason": "…"})
    };
    let rounds = json!([rotation(1, false), rotation(2, true)]);
    let place = Place::of_debates(&[Debate::of("knockout", 1).with("rotations", rounds)]);
    let step = &place.found(&[])["survival"]["steps"][0];
    shows!(step, {"round": 2, "ended": 1, "survival": 0.0});
}

/// The directories' names say nothing of a debate: with others, all numbers are the same to the last digit.
#[test]
fn s1_the_names_of_directories_change_no_number() {
    let debates: Vec<Debate> =
        (1..=12).map(|n| two_judges(n).topic(&format!("Topic {}?", n % 7))).collect();
    let numbers = |name: fn(usize) -> usize| {
        let place = Place::new();
        for (n, debate) in debates.iter().enumerate() {
            place.keep(&format!("{:04}", name(n)), debate);
        }
        let mut found = place.found(&["--by", "topic"]);
        for line in found["debates"].as_array_mut().expect("debates") {
            line["path"] = Value::Null;
        }
        found["generated_at"] = Value::Null;
        found
    };
    assert_eq!(numbers(|n| n), numbers(|n| 99 - n));
}

/// Two jobs with judges of their own: what differs there may be the judges, so nothing is paired.
#[test]
fn s2_models_are_not_compared_over_different_judges() {
    let scored = |n: usize, model: &str, judge: &str| {
        Debate::of("duel", n)
            .model("agent_a", model)
            .model("agent_b", "gemma-2")
            .verdict(judge, [("agent_a", 8.0), ("agent_b", 5.0)])
            .winner("agent_a")
    };
    for (judge, n) in [("qwen-3", 1), ("phi-3", 0)] {
        let debates = [scored(1, "llama-8", "qwen-3"), scored(2, "mistral-7", judge)];
        let found = Place::of_debates(&debates).found(&[]);
        let pairs = columns(&found["comparisons"][0]["pairs"], "a b difference/n");
        let pairs = pairs.as_array().expect("pairs");
        assert!(pairs.contains(&json!(["llama-8", "mistral-7", n])), "{judge}: {pairs:?}");
    }
}

/// A duel a topic; the names of topics are numbers.
fn duels(
    from: usize,
    topics: usize,
    models: [&str; 2],
    winner: impl Fn(usize) -> &'static str,
) -> Vec<Debate> {
    let duel = |topic: usize| {
        let duel = between(from + topic, models[0], models[1]);
        duel.topic(&format!("Topic {topic}?")).winner(winner(topic))
    };
    (0..topics).map(duel).collect()
}

/// The same where the two take each other's seats on every other topic.
fn swapping(
    from: usize,
    topics: usize,
    models: [&str; 2],
    winner: impl Fn(usize) -> &'static str,
) -> Vec<Debate> {
    let other = |seat: &str| {
        if seat == "agent_a" { "agent_b" } else { "agent_a" }
    };
    let turned = duels(from, topics, [models[1], models[0]], |n| other(winner(n)));
    let all = duels(from, topics, models, winner).into_iter().zip(turned);
    let each = all.enumerate();
    each.map(|(n, (duel, turned))| if n % 2 == 0 { duel } else { turned }).collect()
}

/// The second wins on every so many topics, the first on the others.
fn in_turn(share: usize) -> impl Fn(usize) -> &'static str {
    move |topic| {
        if topic.is_multiple_of(share) { "agent_b" } else { "agent_a" }
    }
}

/// One model always sits first, and its scores are higher: by its seat or by itself.
#[test]
fn s3_models_that_never_swap_seats_are_not_compared() {
    let found =
        Place::of_debates(&duels(1, 12, ["llama-8", "mistral-7"], |_| "agent_a")).found(&[]);
    let why = "llama-8 and mistral-7 did not swap seats often enough in 12 debates. Remedy: a job in which they swap, as `rebut new tournament` writes it.";
    shows!(found, {
        "headlines/0": format!("No model is shown to be stronger: {why}"),
        "headlines/1": "In duel debates no model is shown to score higher, for the same reason.",
        "leaderboards/strengths/0/distances count": 0,
        "leaderboards/strengths/0/rows count": 0,
        "leaderboards/strengths/0/left_out": {"the two did not swap seats often enough": 12},
        "leaderboards/strengths/0/confounded/0/by": "seats",
        "comparisons/0/pairs/0/confounded/by": "seats",
        "comparisons/0/pairs/0/clear": false,
        "comparisons/0/pairs/0/p": null,
        "comparisons/0/pairs/0/difference/low": null,
    });
}

#[test]
fn s3_one_pair_that_cannot_be_compared_takes_nothing_from_the_others() {
    let mut debates = swapping(1, 12, ["llama-8", "mistral-7"], in_turn(3));
    let alone = Place::of_debates(&debates).found(&[]);
    debates.extend(duels(21, 12, ["llama-8", "yi-9"], |_| "agent_a"));
    let found = Place::of_debates(&debates).found(&[]);
    let lead = |found: &Value| found["leaderboards"]["strengths"][0]["distances"][0].clone();
    assert!(lead(&found)["elo"].is_number());
    assert_eq!(lead(&found), lead(&alone));
    has(
        &found["cautions"],
        "Not every debate counts for strengths: llama-8 and yi-9 did not swap seats often enough in 12 debates.",
    );
}

/// Debaters' ballots decide who stands. Who won is the neutral judges' word, so strengths count it, and scores, which are ballots,
/// are told apart from that.
#[test]
fn o3_a_knockout_is_compared_by_its_neutral_verdict_whatever_its_debaters_ballots() {
    let knockout = |n: usize| {
        let [x, y] = [["llama-8", "mistral-7"], ["mistral-7", "llama-8"]][n % 2];
        decided_knockout(n + 1, "gemma-2")
            .topic(&format!("Topic {}?", n / 2))
            .model("position_x", x)
            .model("position_y_1", y)
            .ballot(1, y, "position_y_1", 3.0, true)
            .winner(if n % 5 < 2 { "position_x" } else { "position_y" })
    };
    let found = Place::of_debates(&(0..24).map(knockout).collect::<Vec<_>>()).found(&[]);
    let board = &found["leaderboards"]["strengths"][0];
    shows!(board, {"comparisons": 24, "confounded": []});
    shows!(found, {"comparisons/0/pairs/0/confounded/by": "ballots of their own"});
    has(
        &found["headlines"],
        "Remedy: none for scores, which are the debaters' own ballots; neutral `judges` name a winner, and strengths compare models by that.",
    );
    lacks(&found["headlines"], &["judges on models that do not debate"]);
    assert_eq!(check(&found, "independent_judges").0, true);
}

/// Both models are above the other in as many debates of each seat, one by more: totals are too noisy to show it, and wins are not.
#[test]
fn s3_totals_that_point_the_same_way_are_told_as_that() {
    let duel = |better: f64| {
        move |n: usize| {
            let topic = n / 2;
            let [a, b] = [["llama-8", "mistral-7"], ["mistral-7", "llama-8"]][n % 2];
            let [llama, mistral] = [["agent_a", "agent_b"], ["agent_b", "agent_a"]][n % 2];
            let noise = [3.0, -2.0, 2.0, -3.0][topic % 4];
            Debate::of("duel", n + 1)
                .topic(&format!("Topic {topic}?"))
                .model("agent_a", a)
                .model("agent_b", b)
                .verdict("gemma-2", [(llama, 5.0 + better + noise), (mistral, 5.0)])
                .winner(if topic.is_multiple_of(5) { mistral } else { llama })
        }
    };
    let verdict = |better: f64| {
        let debates: Vec<Debate> = (0..80).map(duel(better)).collect();
        Place::of_debates(&debates).found(&[])["headlines"][0].to_string()
    };
    has(&verdict(0.25), "; the judges' totals point the same way, but their p is 0.");
    has(&verdict(-0.25), "; the judges' totals do not bear it out.");
}

/// Of each three on a topic, one debate of two is missing: its counterpart is in no pair, and that is said.
#[test]
fn s3_debates_of_two_that_lack_their_counterpart_are_counted() {
    let models = ["llama-8", "mistral-7", "yi-9"];
    let mut debates = Vec::new();
    for topic in 0..6 {
        for (a, b) in [(0, 1), (0, 2), (2, 0), (1, 2), (2, 1)] {
            let n = debates.len() + 1;
            let score = |seat: usize| 4.0 + ((n * 7 + seat * 3 + topic) % 5) as f64;
            let duel = Debate::of("duel", n)
                .topic(&format!("Topic {topic}?"))
                .model("agent_a", models[a])
                .model("agent_b", models[b])
                .verdict("gemma-2", [("agent_a", score(0)), ("agent_b", score(1))]);
            debates.push(duel);
        }
    }
    let place = Place::of_debates(&debates);
    let found = place.found(&[]);
    let pairs = found["comparisons"][0]["pairs"].as_array().expect("pairs");
    let unpaired = |a: &str, b: &str| {
        let both = |pair: &&Value| [&pair["a"], &pair["b"]].iter().all(|it| **it == a || **it == b);
        pairs.iter().find(both).expect("a pair")["unpaired_meetings"].clone()
    };
    assert_eq!(unpaired("llama-8", "mistral-7"), 6);
    assert_eq!(unpaired("llama-8", "yi-9"), 0);
    let told = found["headlines"].to_string();
    has(
        &told,
        "Left out of pairs, for want of a debate with the seats exchanged and all else equal: 6 of ",
    );
    let text = squeezed(&place.rebut_exits(0, &["stats", "output", "--full"]).stdout);
    has(
        &text,
        "Marked ‡: some debates between the two are in no pair, because no other debate has them in exchanged seats",
    );
}

/// A trial in which seats stay is no reason to drop what a job with swapped seats found on the same topics.
#[test]
fn s3_a_job_takes_no_balanced_pairs_from_another_on_the_same_topics() {
    let duel = |n: usize, job: &str, models: [&str; 2]| {
        let score = |seat: usize| 4.0 + ((n * 7 + seat * 3) % 5) as f64;
        Debate::of("duel", n)
            .with("job", job)
            .with("plan/seed", n)
            .topic(&format!("Topic {}?", n % 6))
            .model("agent_a", models[0])
            .model("agent_b", models[1])
            .verdict("gemma-2", [("agent_a", score(0)), ("agent_b", score(1))])
    };
    let swapped = (0..12).map(|n| {
        let [a, b] = ["llama-8", "mistral-7"];
        duel(n, "swapped", if n < 6 { [a, b] } else { [b, a] })
    });
    let trial = (12..18).map(|n| duel(n, "trial", ["llama-8", "mistral-7"]));
    let found = Place::of_debates(&swapped.chain(trial).collect::<Vec<_>>()).found(&[]);
    shows!(found["comparisons"][0]["pairs"][0], {
        "seats": "balanced",
        "difference/n": 12,
        "debates": (1..=12).collect::<Vec<_>>(),
        "unpaired_meetings": 6,
    });
    has(&found["headlines"], "with the seats exchanged and all else equal: 6 of ");
    lacks(&found["headlines"], &["third models"]);
}

#[test]
fn s3_after_a_sweep_all_are_ranked_in_the_sentence() {
    let models = ["yi-9", "mistral-7", "llama-8"];
    let mut debates = Vec::new();
    for topic in 0..12 {
        for (a, b) in [(0, 1), (1, 0), (0, 2), (2, 0), (1, 2), (2, 1)] {
            let winner = if a < b { "agent_a" } else { "agent_b" };
            let duel = between(debates.len() + 1, models[a], models[b]);
            debates.push(duel.topic(&format!("Topic {topic}?")).winner(winner));
        }
    }
    has(
        &Place::of_debates(&debates).found(&[])["headlines"],
        "yi-9 is ahead of mistral-7, mistral-7 of llama-8; by how much cannot be estimated.",
    );
}

/// The stronger of two is the first in sentences and tables, whatever its name, and topics needed are told in both ways.
#[test]
fn s3_a_report_takes_all_differences_one_way() {
    let models = ["llama-8", "mistral-7"];
    let wins = |n: usize| {
        if n.is_multiple_of(3) { "agent_a" } else { "agent_b" }
    };
    let place = Place::of_debates(&swapping(1, 24, models, wins));
    let found = place.found(&[]);
    shows!(found, {
        "leaderboards/strengths/0/distances/0/above": "mistral-7",
        "comparisons/0/pairs/0/a": "mistral-7", "comparisons/0/pairs/0/b": "llama-8",
    });
    let one = &found["leaderboards"]["strengths"][0]["distances"][0];
    let [all, had] = ["clusters_needed", "clusters"].map(|key| one[key].as_u64().expect("topics"));
    let text = squeezed(&place.rebut_exits(0, &["stats", "output", "--full"]).stdout);
    has(&text, &format!(" {all} ({} more) ", all - had));
    has(&found["headlines"], " in all.");
}

/// Positions and personas may go with a model though seats are swapped.
#[test]
fn s3_a_persona_or_position_that_goes_with_a_model_is_said() {
    for (what, word) in [
        ("persona", "did not have the same personas equally often"),
        ("position", "did not argue for the same positions equally often"),
    ] {
        let swapped = |(n, debate): (usize, Debate)| {
            // In two debates it is the other way round, so that both had both.
            let [a, b] = if n % 2 == 0 && n % 12 > 0 { ["one", "other"] } else { ["other", "one"] };
            debate.who("agent_a", what, a).who("agent_b", what, b)
        };
        let debates: Vec<Debate> = swapping(1, 24, ["llama-8", "mistral-7"], in_turn(3))
            .into_iter()
            .enumerate()
            .map(swapped)
            .collect();
        let found = Place::of_debates(&debates).found(&[]);
        has(
            &found["headlines"][0],
            &format!(
                "No model is shown to be stronger: llama-8 and mistral-7 {word} in 24 debates."
            ),
        );
    }
}

#[test]
fn s3_models_that_judge_each_other_are_not_compared() {
    let debates = swapping(1, 12, ["gemma-2", "mistral-7"], in_turn(3));
    let found = Place::of_debates(&debates).found(&[]);
    let why = "gemma-2 and mistral-7 were judged by at least one of them in 12 debates. Remedy: judges on models that do not debate.";
    shows!(found, {"headlines/0": format!("No model is shown to be stronger: {why}")});
    let scores = "In duel debates no model is shown to score higher, for the same reason.";
    has(&found["headlines"], scores);
}

/// The checks of a report by what they ask: whether the design holds, in words.
fn checks(found: &Value) -> Vec<(String, Value, String)> {
    let checks = found["design"].as_array().expect("checks");
    let text = |value: &Value| value.as_str().expect("text").to_owned();
    let each = checks.iter();
    each.map(|it| {
        let (subject, _) =
            it["sentence"].as_str().and_then(|it| it.split_once(": ")).expect("a subject");
        assert!(subject.starts_with(char::is_uppercase), "{it}");
        (text(&it["asked"]), it["holds"].clone(), text(&it["sentence"]))
    })
    .collect()
}

fn check(found: &Value, asked: &str) -> (Value, String) {
    let all = checks(found);
    let own = all.into_iter().find(|(it, ..)| it == asked);
    let (_, holds, sentence) = own.expect("a check");
    (holds, sentence)
}

/// The lines of a report on who won.
fn won(place: &Place) -> Vec<String> {
    let text = place.rebut_exits(0, &["stats", "--full"]).stdout;
    let section =
        text.split("Who won\n").nth(1).unwrap_or_default().split("\n\n").next().unwrap_or_default();
    let lines = squeezed(section);
    let mut lines: Vec<String> = lines.split(" - ").skip(1).map(str::to_owned).collect();
    // What is counted.
    lines.pop();
    lines
}

#[test]
fn s3_who_won_how_often_is_counted_also_where_models_are_not_compared() {
    let own = |n: usize, winner: &str| {
        Debate::of("duel", n)
            .verdict("llama-8", [("agent_a", 7.0), ("agent_b", 6.0)])
            .model("agent_a", "llama-8")
            .model("agent_b", "mistral-7")
            .winner(winner)
    };
    let place = Place::of_debates(&[
        own(1, "agent_a"),
        own(2, "agent_a"),
        own(3, "agent_b"),
        own(4, "draw"),
        // None of these counts.
        own(5, "agent_a").failed("no server"),
        own(6, "agent_a").origin("agent_b", "emergency"),
        own(7, "agent_a").with("rehearsal", true),
        between(8, "llama-8", "llama-8"),
    ]);
    assert_eq!(
        won(&place),
        [
            "Duel: llama-8 won 2, mistral-7 1, 1 draw (judged by llama-8; models not compared: the two were judged by at least one of them)"
        ]
    );
    let found = place.found(&[]);
    let board = &found["leaderboards"]["strengths"][0];
    shows!(board, {"wins/0/won_by_a": 2, "wins/0/not_compared": 4, "wins/0/debates": [1, 2, 3, 4]});
}

/// Duels in which each of two models sat first on twelve topics; the first model won them all.
fn swept(from: usize, [above, below]: [&str; 2]) -> Vec<Debate> {
    let mut all = duels(from, 12, [above, below], |_| "agent_a");
    all.extend(duels(from + 12, 12, [below, above], |_| "agent_b"));
    all
}

/// A moderated debate that its second advocate won.
fn moderated(n: usize, advocates: [&str; 2]) -> Debate {
    let [first, second] = ["position_advocate_1", "position_advocate_2"];
    Debate::of("moderated", n)
        .topic(&format!("Topic {}?", n % 12))
        .model(first, advocates[0])
        .model(second, advocates[1])
        .verdict("gemma-2", [(first, 6.0), (second, 7.0)])
        .winner(second)
}

#[test]
fn s3_a_verdict_behind_a_count_is_of_its_format() {
    let two = ["llama-8", "mistral-7"];
    let duels_won =
        "Duel: llama-8 won 24, mistral-7 0, no draws (judged by gemma-2 and qwen-3)".to_owned();
    let mut debates = swept(1, two);
    debates.extend((100..112).map(|n| moderated(n, two)));
    let place = Place::of_debates(&debates);
    let told = "Moderated: llama-8 won 0, mistral-7 12, no draws (judged by gemma-2; models not compared: the two did not swap seats often enough)";
    let stronger = duels_won.clone() + ": llama-8 is shown to be stronger";
    assert_eq!(won(&place), [stronger, told.to_owned()]);
    let found = place.found(&[]);
    shows!(found["leaderboards"]["strengths"][0], {"comparisons": 24, "confounded count": 1});
    has(
        &found["cautions"],
        "Not every debate counts for strengths: llama-8 and mistral-7 did not swap seats often enough in 12 debates.",
    );

    // Where they swap, too, strengths are of both formats, and show nothing of one.
    debates.truncate(24);
    debates.extend((100..112).map(|n| moderated(n, ["mistral-7", "llama-8"])));
    debates.extend((112..120).map(|n| moderated(n, two)));
    let told = "Moderated: llama-8 won 12, mistral-7 8, no draws (judged by gemma-2)";
    let pooled = won(&Place::of_debates(&debates));
    has(&pooled[1], told);
    lacks(&pooled.join(" "), &["stronger"]);
}

#[test]
fn s3_of_a_judge_of_some_debates_only_their_number_is_told() {
    let one = Debate::of("duel", 2)
        .topic("Trams?")
        .model("agent_a", "llama-8")
        .model("agent_b", "mistral-7")
        .verdict("gemma-2", [("agent_a", 7.0), ("agent_b", 5.0)])
        .winner("agent_a");
    let place = Place::of_debates(&[between(1, "llama-8", "mistral-7"), one]);
    has(&won(&place)[0], "(judged by gemma-2 and qwen-3 (1 of 2)");
    shows!(place.found(&[])["leaderboards"]["strengths"][0]["wins"][0], {"judged": [2, 1]});
}

#[test]
fn s3_a_count_is_not_summed_up_as_no_difference_where_scores_show_one() {
    let debate = |n: usize| {
        let (topic, second) = (n / 2, n % 2);
        let [above, below] = [["agent_a", "agent_b"], ["agent_b", "agent_a"]][second];
        Debate::of("duel", n)
            .topic(&format!("Topic {topic}?"))
            .model(above, "llama-8")
            .model(below, "mistral-7")
            .verdict("gemma-2", [("agent_a", 5.0), ("agent_b", 5.0)])
            .verdict("qwen-3", [(above, 7.0 + (topic % 3) as f64), (below, 5.0)])
            .winner("draw")
    };
    let place = Place::of_debates(&(0..24).map(debate).collect::<Vec<_>>());
    let told = "Duel: llama-8 won 0, mistral-7 0, 24 draws (judged by gemma-2 and qwen-3): llama-8 is shown to score higher";
    assert_eq!(won(&place), [told]);
    let level = [("agent_a", 6.0), ("agent_b", 6.0)];
    let even = |n: usize| debate(n).with("verdicts/0/judges", json!([])).verdict("gemma-2", level);
    let even = Place::of_debates(&(0..24).map(even).collect::<Vec<_>>());
    has(&won(&even)[0], ": no difference shown");
}

#[test]
fn s3_a_team_wins_once_in_the_count_of_who_won() {
    let knockout = |n: usize, winner: &str| {
        decided_knockout(n, "gemma-2")
            .model("position_x", "llama-8")
            .model("position_y_1", "mistral-7")
            .model("position_y_2", "mistral-7")
            .winner(winner)
    };
    let place = Place::of_debates(&[
        knockout(1, "position_y"),
        knockout(2, "position_y"),
        knockout(3, "position_x"),
    ]);
    let told = won(&place);
    assert_eq!(told.len(), 1, "{told:?}");
    has(&told[0], "Knockout: llama-8 won 1, mistral-7 2, no draws (judged by gemma-2");
}

#[test]
fn s3_the_design_is_checked_before_any_verdict() {
    let swapped = swapping(1, 12, ["llama-8", "mistral-7"], in_turn(3));
    let mut debates = swapped.clone();
    debates.extend(duels(21, 12, ["llama-8", "yi-9"], |_| "agent_a"));
    let found = Place::of_debates(&debates).found(&[]);
    assert_eq!(
        check(&found, "seats"),
        (json!(false), "Seats and turns: not balanced in 1 of 3 pairs of models.".to_owned())
    );
    let (holds, sentence) = check(&found, "independent_judges");
    assert_eq!(holds, Value::Null, "of one pair that is not known");
    has(
        &sentence,
        "Judges: unrelated to the debaters, as far as is known, in 2 of 3 pairs of models; 1 not checked",
    );
    has(
        &check(&found, "topics").1,
        "Topics: 12, with 2 debates each; 40 with equal numbers are advised.",
    );
    has(&check(&found, "reading_orders").1, "one order per judge in 24 debates");
    has(&check(&found, "repeats").1, "Repeats: none");

    let place = Place::of_debates(&swapped);
    assert_eq!(
        check(&place.found(&[]), "seats"),
        (json!(true), "Seats and turns: shared in 1 pair of models.".to_owned())
    );
    let text = place.rebut(&["stats", "output", "--full"]).stdout;
    let at = |words: &str| text.find(words).expect("its heading");
    assert!(at("Design check") < at("Who won") && at("Who won") < at("Key findings"), "{text}");
    has(&text, "- Not met. Topics: 12");
    // In short, what is neither met nor not is told, too.
    let short = squeezed(&place.rebut(&["stats", "output"]).stdout);
    has_all(&short, &["- Repeats: none, ", "- Other checks are met: see --full."]);
}

#[test]
fn s3_models_that_judge_are_no_independent_judges_and_one_model_has_no_design() {
    let debates = swapping(1, 12, ["gemma-2", "mistral-7"], in_turn(3));
    let found = Place::of_debates(&debates).found(&[]);
    assert_eq!(check(&found, "independent_judges").0, json!(false));
    let alone = duels(1, 12, ["llama-8", "llama-8"], |_| "agent_a");
    shows!(Place::of_debates(&alone).found(&[]), {"design count": 0});
}

#[test]
fn s3_a_setting_that_ran_twice_is_a_repeat_and_both_orders_are_seen() {
    let both = |n: usize| {
        let debate = Debate::of("duel", n).topic(&format!("Topic {}?", n / 4));
        let [a, b] = [["llama-8", "mistral-7"], ["mistral-7", "llama-8"]][n % 2];
        debate
            .model("agent_a", a)
            .model("agent_b", b)
            .with("plan/pairing/cell", json!({"agent_a.model": a, "agent_b.model": b}))
            .verdict("gemma-2", [("agent_a", 8.0), ("agent_b", 5.0)])
            .verdict("gemma-2", [("agent_b", 6.0), ("agent_a", 7.0)])
            .with("plan/seed", n as u64)
    };
    let found = Place::of_debates(&(0..24).map(both).collect::<Vec<_>>()).found(&[]);
    assert_eq!(
        check(&found, "reading_orders"),
        (json!(true), "Reading order: both orders in 24 debates.".to_owned())
    );
    assert_eq!(
        check(&found, "repeats"),
        (json!(true), "Repeats: each setting ran more than once.".to_owned())
    );
}

/// Of one seed, only what differs can have another id; and what was to be of another length is another setting.
#[test]
fn s3_debates_that_differ_in_their_settings_are_no_repeats() {
    let pair = |n: usize, [rounds, seed]: [u64; 2]| {
        let debate = between(n, "llama-8", "mistral-7")
            .topic("Parks?")
            .with("plan/settings", json!({"rounds": rounds}));
        debate.with("plan/seed", seed)
    };
    for (settings, repeats) in [
        ([[6, 1], [4, 1]], "none, so "),
        ([[6, 1], [4, 2]], "none, so "),
        ([[6, 1], [6, 1]], "none, so "),
        ([[6, 1], [6, 2]], "each setting ran more than once."),
    ] {
        let debates: Vec<Debate> = (1..).zip(settings).map(|(n, own)| pair(n, own)).collect();
        let found = Place::of_debates(&debates).found(&[]);
        has(&check(&found, "repeats").1, &format!("Repeats: {repeats}"));
    }
}

/// What a matrix varies is told by its cell, and what differs otherwise by a caveat and by a key.
#[test]
fn s3_debates_that_differ_in_their_settings_are_told_and_can_be_told_apart() {
    let duel = |n: usize| {
        let later = n > 4;
        let mut debate = between(n, "llama-8", "mistral-7")
            .with(
                "plan/settings",
                json!({"rounds": if later { 6 } else { 4 }, "both_orders": true}),
            )
            .with("plan/pairing/cell", json!({"a.think": n.is_multiple_of(2)}));
        for id in ["agent_a", "agent_b"] {
            debate = debate.who(
                id,
                "sampling",
                json!({"model": "llama-8", "temperature": if later { 1.2 } else { 0.7 }, "think": n.is_multiple_of(2)}),
            );
        }
        debate
    };
    let place = Place::of_debates(&(1..=6).map(duel).collect::<Vec<_>>());
    let found = place.found(&["--by", "setting.rounds"]);
    let told = "Duel debates that are counted together differ in settings: rounds (4 in 4 debates, 6 in 2 debates) and temperature (0.7 in 4 debates, 1.2 in 2 debates). See `rebut stats --by setting.rounds`.";
    has(&found["cautions"], told);
    let groups: Vec<_> = found["breakdowns"][0]["groups"]
        .as_array()
        .expect("groups")
        .iter()
        .map(|it| (&it["key"][0], &it["counts"]["counted"]))
        .collect();
    assert_eq!(groups, [(&json!("4"), &json!(4)), (&json!("6"), &json!(2))]);

    let some = place.found(&["--where", "setting.temperature=1.2"]);
    shows!(some, {"counts/counted": 2});
    lacks(&some["cautions"], &["differ in settings"]);
}

#[test]
fn s3_what_is_not_compared_is_in_no_count_of_it() {
    let met = (0..4).map(|n| {
        let [a, b] = [["llama-8", "mistral-7"], ["mistral-7", "llama-8"]][n % 2];
        between(n, a, b).topic(&format!("Topic {}?", n / 2))
    });
    let own = (4..8).map(|n| between(n, "llama-8", "llama-8").topic("Parks?").winner("draw"));
    let place = Place::of_debates(&met.chain(own).collect::<Vec<_>>());
    let found = place.found(&[]);
    shows!(found, {
        "leaderboards/strengths/0/comparisons": 4, "leaderboards/strengths/0/draws": 0,
        "leaderboards/strengths/0/against_itself": 4, "leaderboards/strengths/0/clusters": 2,
    });
    has(&check(&found, "topics").1, "Topics of compared debates: 2, with 2 debates each");
    has(&found["cautions"], "3 topics with unequal numbers of debates count like ");
    let text = place.rebut(&["stats", "output", "--full"]).stdout;
    has(&text, "4 debates of one model against itself: shown in no row, ");

    let alone = [1, 2].map(|n| between(n, "llama-8", "llama-8").topic(&format!("Topic {n}?")));
    let alone = Place::of_debates(&alone);
    // In short, the first finding says it.
    lacks(&alone.rebut(&["stats", "output"]).stdout, &["No leaderboard"]);
    let text = alone
        .rebut(&["stats", "output", "--full"])
        .stdout
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    has_all(
        &text,
        &[
            "No leaderboard: all sides argued on one model.",
            "Strength by model No two different models met in a debate that can be compared.",
            "Who beats whom (No two different models met in a debate that can be compared)",
        ],
    );
    lacks(&text, &["model rank", "fewer than 10 judged"]);
    let seated = duels(1, 12, ["llama-8", "mistral-7"], |_| "agent_a");
    let text = Place::of_debates(&seated).rebut(&["stats", "output", "--full"]).stdout;
    has(
        &squeezed(&text),
        "No leaderboard: none of the debates between different models can be compared.",
    );
}

/// Two models with both seats on each topic, wins two to one and scores that vary.
fn varied(topics: usize) -> Vec<Debate> {
    let all = swapping(1, topics, ["llama-8", "mistral-7"], in_turn(5));
    let each = all.into_iter().enumerate();
    each.map(|(n, debate)| {
        debate.verdict(
            "phi-3",
            [("agent_a", 5.0 + (n % 4) as f64), ("agent_b", 5.0 + (n % 3) as f64)],
        )
    })
    .collect()
}

/// On a scale from 0 to 10, judges' means and differences that vary much end where it does.
#[test]
fn s3_few_topics_state_no_power_and_nothing_beyond_the_scale() {
    let power = |topics: usize| {
        let found = Place::of_debates(&varied(topics)).found(&[]);
        let pair = &found["comparisons"][0]["pairs"][0];
        let told = found["headlines"].to_string() + &found["cautions"].to_string();
        let is_told = told.contains("Smallest detectable difference in total score");
        assert_eq!(is_told, pair["detectable"].is_number(), "{told}");
        assert_eq!(is_told, pair["topics_needed"].is_number(), "{pair}");
        let rows = found["judges"]["rows"].as_array().expect("judges");
        let means = rows.iter().map(|row| &row["mean"]);
        for estimate in means.chain([&pair["difference"]]) {
            let end = |name: &str| estimate[name].as_f64().unwrap_or(0.0);
            assert!(end("low") >= -10.0 && end("high") <= 10.0, "{estimate}");
        }
        is_told
    };
    assert!(!power(2) && !power(4), "fewer than five topics");
    assert!(power(12));
}

/// The figures are those of a chosen difference: what was found changes none of them.
#[test]
fn s3_the_smallest_detectable_difference_and_topics_for_a_chosen_one_are_said() {
    let place = Place::of_debates(&varied(12));
    let found = place.found(&[]);
    let board = &found["leaderboards"]["strengths"][0];
    let distance = &board["distances"][0];
    let whole = |value: &Value| value.as_f64().expect("a number").round();
    let near = |told: &str, words: &str, number: u64| {
        let (_, after) = told.split_once(words).expect("its words");
        let digits: String = after.chars().take_while(|c| *c != ' ').collect();
        let said: u64 = digits.replace(',', "").parse().expect("a number");
        assert!(said.abs_diff(number) * 20 <= number, "{said} {number}");
    };
    let told = found["headlines"][1].as_str().expect("a sentence");
    let detectable = whole(&distance["detectable"]);
    has(
        &told,
        &format!(
            "Smallest detectable difference in strength (noticed in 4 of 5 such runs, at 5% after Holm's correction), estimated: {detectable} Elo. To detect 50 Elo (the planning figure: an expected score of 0.571), as judged here, takes about "
        ),
    );
    let needed = distance["clusters_needed"].as_u64().expect("a number");
    assert!(needed > 12, "{distance}");
    near(
        told,
        "(the planning figure: an expected score of 0.571), as judged here, takes about ",
        needed - 12,
    );
    let family = &found["comparisons"][0];
    assert_eq!(family["planned"], 0.5);
    let pair = &family["pairs"][0];
    let topics = pair["topics_needed"].as_u64().expect("a number");
    let more = topics - pair["difference"]["clusters"].as_u64().expect("a number");
    let told = found["headlines"][3].as_str().expect("a sentence");
    has(
        &told,
        "Smallest detectable difference in total score of duel debates (noticed in 4 of 5 such runs, at 5% after Holm's correction), estimated: ",
    );
    near(
        told,
        "To detect 0.50 points (the planning figure: a twentieth of the scale), as judged here, takes about ",
        more,
    );
    // The table of differences has the same figure.
    let text = place.rebut(&["stats", "output", "--full"]).stdout;
    has(&text, "Differences in strength");
    has(&text, &format!("{needed} ("));
    lacks(&squeezed(&text), &["too few topics to know"]);
    // With five times as many topics as many are needed, but fewer more.
    let more = Place::of_debates(&varied(60)).found(&[]);
    let distance = &more["leaderboards"]["strengths"][0]["distances"][0];
    let other = distance["clusters_needed"].as_u64().expect("a number");
    assert!(other.abs_diff(needed) < needed / 2, "{other} {needed}");
}

#[test]
fn s3_three_equal_models_are_told_as_three_pairs_and_each_with_its_own_debates() {
    let mut debates = swapping(1, 12, ["llama-8", "mistral-7"], in_turn(3));
    debates.extend(swapping(41, 12, ["yi-9", "mistral-7"], in_turn(3)));
    debates.extend(swapping(81, 10, ["llama-8", "yi-9"], in_turn(3)));
    let found = Place::of_debates(&debates).found(&[]);
    let verdict = found["headlines"][0].as_str().expect("a verdict");
    let nearest = "No model is shown to be stronger: none of the 3 pairs is shown to differ after Holm's correction. The pair with the smallest p: ";
    assert!(verdict.starts_with(nearest), "{verdict}");
    has(&verdict, " minus ");
    has(&verdict, " Elo (expected score 0.");
    has(&verdict, " (Holm), from 34 debates on ");
    has(&verdict, " topics (12 between the two).");
    let power = found["headlines"][1].as_str().expect("a sentence");
    has(&power, " Elo, depending on the pair. To detect 50 Elo ");
    has(&power, " between any two, as judged here, takes about ");
}

/// Words of what could have been detected.
const POWER: [&str; 3] = ["etect", "topics for", "in 4 of 5"];

#[test]
fn s3_a_report_on_rehearsals_says_so_first_and_plans_nothing() {
    let rehearsed = |debate: Debate| debate.with("rehearsal", json!(true));
    let debates: Vec<Debate> = varied(12).into_iter().map(rehearsed).collect();
    let place = Place::of_debates(&debates);
    let found = place.found(&["--include-rehearsals"]);
    let first = "Rehearsal: the figures show the form of the report, not models. Every reply is made up or from a script.";
    shows!(found, {"headlines/0": first, "headlines lacks": ["detect", "more topic"]});
    let text = place.rebut(&["stats", "output", "--full", "--include-rehearsals"]).stdout;
    assert!(text.starts_with("Rehearsal of 12 debates on 12 topics\n"));
    has(&text, "What findings would look like");
    lacks(&text, &["Findings from"]);
    lacks(&text, &POWER);
    for (file, title) in [
        ("report.md", "# Rehearsal of 12 debates on 12 topics"),
        ("report.html", "<h1>Rehearsal of 12 debates on 12 topics</h1>"),
    ] {
        let args = ["report", "output", "--include-rehearsals", "-o", file];
        let told = place.rebut_exits(0, &args).stdout;
        assert!(
            told.starts_with("Rehearsal: ") && told.contains(&format!("\nwrote {file}")),
            "{told}"
        );
        let page = read(&place.path().join(file));
        has(&page, title);
        has(&page, "What findings would look like");
        has(&page, first);
        lacks(&page, &["Findings from"]);
        lacks(&page, &POWER);
    }
    let short = read(&place.path().join("report.md"));
    for table in short.split("\n\n").filter(|part| part.starts_with("| ")) {
        let rows = table.lines().filter(|line| line.starts_with("| "));
        let widths: BTreeSet<usize> = rows.map(|row| row.matches(" |").count()).collect();
        assert_eq!(widths.len(), 1, "{table}");
    }
}

#[test]
fn s3_a_report_on_some_rehearsals_says_first_that_it_describes_no_models() {
    let mut debates = varied(12);
    debates[0] = debates[0].clone().with("rehearsal", json!(true));
    let place = Place::of_debates(&debates);
    let found = place.found(&["--include-rehearsals"]);
    has(
        &found["headlines"][0].to_string(),
        "Rehearsals are counted too, 1 of 12 debates: what follows does not describe models.",
    );
    let text = place.rebut(&["stats", "output", "--full", "--include-rehearsals"]).stdout;
    assert!(
        text.starts_with("Findings from 12 debates on 12 topics, 1 of them rehearsed\n"),
        "{text}"
    );
}

/// Read first is worth 1 and 2 points to one judge, nothing to the other, who has the same side ahead once.
#[test]
fn s4_the_worth_of_a_slot_and_equal_votes_are_counted_for_debates_own_judges() {
    let both = |n: usize, [a, b]: [f64; 2], [again_a, again_b]: [f64; 2]| {
        Debate::of("duel", n)
            .topic(if n == 1 { "Parks?" } else { "Trams?" })
            .model("agent_a", "llama-8")
            .model("agent_b", "mistral-7")
            .verdict("gemma-2", [("agent_a", a), ("agent_b", b)])
            .verdict("gemma-2", [("agent_b", again_b), ("agent_a", again_a)])
            .verdict("phi-3", [("agent_a", 8.0), ("agent_b", 5.0)])
            .verdict("phi-3", [("agent_b", 5.0), ("agent_a", 8.0)])
    };
    let debates = [both(1, [8.0, 5.0], [7.0, 6.0]), both(2, [8.0, 5.0], [6.0, 7.0])];
    let judges = Place::of_debates(&debates).found(&[])["judges"].clone();
    let of = |judge: Value| {
        let rows = judges["order"].as_array().expect("rows");
        let row = rows.iter().find(|row| row["judge"] == judge);
        told(&row.expect("a judge")["slot_effect"])
    };
    assert_eq!(of(json!("gemma-2")), (Some(1.5), 2, 2));
    assert_eq!(of(json!("phi-3")), (Some(0.0), 2, 2));
    assert_eq!(of(Value::Null), (Some(0.75), 4, 2));
    shows!(judges["pairs"][0], {"judges": ["gemma-2", "phi-3"], "alike/value": 0.5, "alike/n": 2});
}

/// The last judge gives more than the others, and its judgments of one model are of no use.
#[test]
fn s3_models_that_were_heard_by_other_judges_are_not_compared() {
    let alone = |n: usize, model: &str, heard: bool| {
        let debate = Debate::of("duel", n)
            .topic(&format!("Topic {}?", n / 2))
            .model("agent_a", model)
            .model("agent_b", model)
            .verdict("gemma-2", [("agent_a", 5.0 + (n % 3) as f64), ("agent_b", 5.0)]);
        if heard {
            debate.verdict("phi-3", [("agent_a", 9.0), ("agent_b", 9.0)])
        } else {
            debate.no_verdict("phi-3", ["agent_a", "agent_b"], "invalid")
        }
    };
    let debates = |heard: bool| -> Vec<Debate> {
        (0..24).map(|n| alone(n, ["llama-8", "mistral-7"][n % 2], heard || n % 2 == 0)).collect()
    };
    let found = Place::of_debates(&debates(false)).found(&[]);
    has(
        &found["headlines"],
        "In duel debates no model is shown to score higher: llama-8 and mistral-7 were not judged by the same judges in 24 debates.",
    );
    let found = Place::of_debates(&debates(true)).found(&[]);
    shows!(found["comparisons"][0]["pairs"][0], {"confounded": null, "difference/n": 12});
}

#[test]
fn s3_items_of_a_matrix_that_are_whole_participants_pair_as_models_do() {
    let duel = |n: usize, model: &str, persona: &str| {
        let who = json!({"model": model, "name": model, "persona": persona});
        Debate::of("duel", n)
            .model("agent_a", model)
            .model("agent_b", "yi-9")
            .with("plan/pairing/cell", json!({"agent_a": who}))
            .verdict("gemma-2", [("agent_a", 5.0), ("agent_b", 5.0)])
    };
    for (persona, n) in [("scientist", 1), ("advocate", 0)] {
        let debates = [duel(1, "llama-8", "scientist"), duel(2, "mistral-7", persona)];
        let found = Place::of_debates(&debates).found(&[]);
        let pairs = columns(&found["comparisons"][0]["pairs"], "a b difference/n");
        has(&pairs.to_string(), &format!("[\"llama-8\",\"mistral-7\",{n}]"));
    }
}

#[test]
fn o3_availability_stands_beside_strength() {
    let mut debates = swapping(1, 12, ["llama-8", "mistral-7"], in_turn(3));
    let failing = |debate: Debate, seat: &str| debate.origin(seat, "emergency");
    let more = swapping(21, 4, ["llama-8", "mistral-7"], |_| "agent_a");
    let seats = ["agent_a", "agent_b"].into_iter().cycle();
    debates.extend(more.into_iter().zip(seats).map(|(debate, llama)| failing(debate, llama)));
    let found = Place::of_debates(&debates).found(&[]);
    let board = &found["leaderboards"]["strengths"][0];
    let row = |name: &str| {
        let mut rows = board["rows"].as_array().into_iter().flatten();
        rows.find(|row| row["name"] == name).expect("a row").clone()
    };
    let [llama, mistral] = ["llama-8", "mistral-7"].map(row);
    assert_eq!(told(&llama["available"]), (Some(0.75), 16, 12));
    assert_eq!(told(&mistral["available"]), (Some(1.0), 16, 12));
    assert!(llama["elo"].as_f64() > mistral["elo"].as_f64(), "eight of twelve");
}

#[test]
fn s3_a_model_that_won_everything_takes_no_interval_from_the_others() {
    let mut debates = swapping(1, 12, ["llama-8", "mistral-7"], in_turn(3));
    debates.extend(swapping(21, 12, ["yi-9", "llama-8"], |_| "agent_a"));
    debates.extend(swapping(41, 12, ["mistral-7", "yi-9"], |_| "agent_b"));
    let place = Place::of_debates(&debates);
    let found = place.found(&[]);
    let board = &found["leaderboards"]["strengths"][0];
    let told = columns(&board["rows"], "name group rank_best");
    let expected = json!([["yi-9", 1, 1], ["llama-8", 2, 2], ["mistral-7", 2, 2]]);
    assert_eq!(told, expected);
    for (row, is_there) in [(0, false), (1, true), (2, true)] {
        let row = &board["rows"][row];
        let numbers = (row["elo"].is_number(), row["low"].is_number());
        assert_eq!(numbers, (is_there, is_there), "{row}");
    }
    let reason = "won every debate: how far above the others it is cannot be estimated";
    shows!(board, {"comparisons": 36, "distances/0/comparisons": 12, "rows/0/reason": reason});
    shows!(found, {
        "headlines/0": "yi-9 won all of its 24 debates, on 12 topics: how far above the others it is cannot be estimated.",
        "headlines/1 starts": "Among the others: No model is shown to be stronger: llama-8 minus mistral-7 is ",
        "headlines/1 contains": ", from 12 debates on 12 topics",
    });
    let text = place.rebut(&["stats", "output", "--full"]).stdout;
    let note = text.lines().find_map(|line| line.strip_suffix(reason)).expect("the reason").trim();
    let row = format!("yi-9 1–1 – {note} 24 0 0 1 24");
    assert!(text.lines().any(|line| squeezed(line) == row), "{text}");
    has(
        &won(&place).join("; "),
        "yi-9 12, no draws (judged by gemma-2 and qwen-3): yi-9 is shown to be stronger",
    );
    place.rebut_exits(0, &["report", "output", "-o", "report.md"]);
    let report = read(&place.path().join("report.md"));
    // Debates with the one that won everything tell nothing of places.
    let row = text.lines().find(|line| line.starts_with("being listed first")).expect("a row");
    assert!(squeezed(row).ends_with(" 12"), "{row}");
    let told =
        "compare Elo within a group only: between groups no one met, or all wins went one way";
    for shown in [&report, &text, &board["notes"].to_string()] {
        has(shown, told);
    }
}

/// The first headlines on strengths, the notes and the ranks of the board of models.
fn standing(debates: &[Debate]) -> (Value, String, Value) {
    let mut found = Place::of_debates(debates).found(&[]);
    let cautions = found["cautions"].to_string();
    let rows = &mut found["leaderboards"]["strengths"][0]["rows"];
    for row in rows.as_array_mut().expect("rows") {
        row["elo"] = json!(row["elo"].is_number());
    }
    let ranks = columns(rows, "name elo rank_best rank_worst");
    (found["headlines"].take(), cautions, ranks)
}

#[test]
fn s3_who_is_ahead_is_said_where_the_ranks_say_so() {
    let in_both_orders = |from: usize, above: &str, below: &str| {
        let mut all = duels(from, 12, [above, below], |_| "agent_a");
        all.extend(duels(from + 12, 12, [below, above], |_| "agent_b"));
        all
    };
    // Two who beat a third and never met.
    let mut open = in_both_orders(1, "llama-8", "yi-9");
    open.extend(in_both_orders(41, "mistral-7", "yi-9"));
    let (headlines, _, ranks) = standing(&open);
    let won = "won all of its 24 debates, on 12 topics: how strong it is cannot be estimated.";
    shows!(headlines, {
        "0": format!("llama-8 {won}"),
        "1": format!("mistral-7 {won}"),
        "2": "No model is shown to be stronger: wins went one way only.",
    });
    let told = json!([["llama-8", false, 1, 2], ["mistral-7", false, 1, 2], ["yi-9", false, 3, 3]]);
    assert_eq!(ranks, told);
    let (headlines, _, ranks) = standing(&in_both_orders(1, "llama-8", "yi-9"));
    shows!(headlines, {"1": "llama-8 is ahead of yi-9; by how much cannot be estimated."});
    let told = json!([["llama-8", false, 1, 1], ["yi-9", false, 2, 2]]);
    assert_eq!(ranks, told);
}

/// The scale of the lead is not that of the first: its only partner has too few debates to be ranked.
#[test]
fn s3_a_lead_is_told_after_who_is_above_it_and_with_its_own_topics() {
    let mut debates = swapping(1, 4, ["llama-8", "phi-3"], in_turn(2));
    debates.extend(swapping(11, 12, ["mistral-7", "yi-9"], in_turn(3)));
    for (from, beaten) in [(100, "mistral-7"), (200, "yi-9")] {
        debates.extend(duels(from, 45, ["llama-8", beaten], |_| "agent_a"));
        debates.extend(duels(from + 50, 45, [beaten, "llama-8"], |_| "agent_b"));
    }
    let (headlines, ..) = standing(&debates);
    shows!(headlines, {
        "0": "llama-8 is ahead of all others; by how much cannot be estimated.",
        "1 starts": "Among the others: No model is shown to be stronger: mistral-7 minus yi-9 is ",
        "1 contains": ", from 12 debates on 12 topics",
    });
}

#[test]
fn s3_a_lead_that_rounds_to_nothing_is_none() {
    let mut even = duels(1, 12, ["llama-8", "yi-9"], |topic| ["agent_a", "agent_b"][topic % 2]);
    even.extend(duels(21, 12, ["yi-9", "llama-8"], |topic| ["agent_b", "agent_a"][topic % 3 % 2]));
    even.extend(duels(41, 4, ["yi-9", "llama-8"], |_| "agent_a"));
    let (headlines, ..) = standing(&even);
    shows!(headlines, {
        "0 contains": [" is 0 [", "expected score 0.500 [",  ", draws count half), p ", ", from 28 debates on 12 topics."],
    });
}

#[test]
fn s3_where_the_first_speaker_wins_every_debate_that_is_said_and_no_rank_is_sure() {
    let mut debates = duels(1, 12, ["llama-8", "mistral-7"], |_| "agent_a");
    debates.extend(duels(21, 12, ["mistral-7", "llama-8"], |_| "agent_a"));
    let found = Place::of_debates(&debates).found(&[]);
    shows!(found, {
        "cautions contains": "Strengths of models: whoever spoke first won every debate: strength cannot be separated from order.",
        "headlines/0": "No model is shown to be stronger: the winner follows order or side without exception.",
    });
}

#[test]
fn s3_what_one_won_against_another_has_the_interval_of_shares() {
    let mut debates = swapping(1, 12, ["llama-8", "mistral-7"], in_turn(3));
    let once = between(30, "llama-8", "yi-9").topic("Topic 1?");
    debates.push(once.winner("agent_b"));
    let again = between(31, "yi-9", "llama-8").topic("Topic 1?");
    debates.push(again.winner("agent_a"));
    let found = Place::of_debates(&debates).found(&[]);
    let board = &found["leaderboards"]["strengths"][0];
    let names = columns(&board["rows"], "name");
    let at = |name: &str| {
        let mut names = names.as_array().into_iter().flatten();
        names.position(|known| known == name).expect("a row")
    };
    let cell = |a: &str, b: &str| &board["matches"][at(a)][at(b)];
    // Wilson's interval of 8 of 12.
    let won = cell("llama-8", "mistral-7");
    close(&won["low"], 0.390_622_088_872_799_53);
    close(&won["high"], 0.861_879_908_908_786_7);
    let lost = cell("mistral-7", "llama-8");
    close(&lost["low"], 1.0 - 0.861_879_908_908_786_7);
    let once = cell("yi-9", "llama-8");
    shows!(once, {"score": 1.0, "low": null, "reason": "one topic: no interval"});
    assert_eq!(cell("yi-9", "mistral-7")["n"], 0);
}

#[test]
fn s2_means_over_different_criteria_are_said_and_pairs_over_them_are_not_made() {
    let parks = |n: usize, model: &str| between(n, model, model).with("job", "parks");
    let renamed =
        |debate: Debate| Debate::read(&debate.value().to_string().replace("coherence", "wit"));
    let [one, other] = [parks(1, "llama-8"), parks(2, "yi-9")];
    let found = |other: Debate| Place::of_debates(&[one.clone(), other]).found(&[]);
    shows!(found(other.clone()), {
        "cautions lacks": "different criteria", "comparisons/0/pairs/0/difference/n": 1,
    });
    shows!(found(renamed(other.clone()).with("job", "trams")), {
        "cautions contains": "Mean duel scores mix debates judged by different criteria, scales or instructions: \
        job parks (argument quality, coherence and relevance, 0 to 10); job trams (argument quality, relevance and wit, 0 to 10). See `--by job`.",
        "comparisons/0/pairs/0/difference/n": 0,
    });
    // The same job, whose guide to scores was edited between two nights.
    let edited = other.clone().with("verdicts/0/rubric/digest", "77ab20ff");
    shows!(found(edited), {
        "cautions contains": "(argument quality, coherence and relevance, 0 to 10, instructions 77ab20)",
        "comparisons/0/pairs/0/difference/n": 0,
    });
    shows!(found(renamed(other)), {
        "cautions contains": "job parks (argument quality, relevance and wit, 0 to 10).\"",
    });
    // However many there are, some are named.
    let of_kind = |n: usize| {
        let digest = format!("{n:02}ab20ff");
        parks(n, "llama-8").with("verdicts/0/rubric/digest", digest)
    };
    let many: Vec<Debate> = (1..=15).map(of_kind).collect();
    shows!(Place::of_debates(&many).found(&[]), {
        "cautions contains": "instructions 12ab20); 3 more.",
        "cautions lacks": "13ab20",
    });
}

#[test]
fn s2_how_many_debates_ended_is_a_count_and_no_finding() {
    let found = Place::of_debates(&[between(1, "llama-8", "mistral-7")]).found(&[]);
    shows!(found, {
        "headlines lacks": "done",
        "counts/planned": null, "counts/counted": 1,
    });
}

/// A debate on a topic between two models with these positions; the first speaks first, and a position wins.
fn on_sides(n: usize, topic: usize, models: [&str; 2], positions: [&str; 2], wins: &str) -> Debate {
    let winner = match positions.iter().position(|position| *position == wins) {
        Some(0) => "agent_a",
        Some(_) => "agent_b",
        None => "draw",
    };
    between(n, models[0], models[1])
        .topic(&format!("Topic {topic}?"))
        .who("agent_a", "position", positions[0])
        .who("agent_b", "position", positions[1])
        .winner(winner)
}

/// A tournament as `rebut new tournament` writes it: in the first and the third meeting of a topic, and in the second and the fourth, a
/// model has the same position. The position "yes" wins on nine topics, on the tenth nobody does.
#[test]
fn s5_only_debates_with_exchanged_positions_say_whether_the_position_decided() {
    let (one, other) = (["llama-8", "mistral-7"], ["mistral-7", "llama-8"]);
    let (yes, no) = (["yes", "no"], ["no", "yes"]);
    let meetings = [(one, yes), (one, no), (other, no), (other, yes)];
    let debates: Vec<Debate> = (0..40)
        .map(|n| {
            let (topic, (models, positions)) = (n / 4, meetings[n % 4]);
            let wins = if topic < 9 { "yes" } else { "nobody" };
            on_sides(n + 1, topic, models, positions, wins)
        })
        .collect();
    let place = Place::of_debates(&debates);
    let board = &place.found(&[])["leaderboards"]["strengths"][0];
    // Among the 18 pairs with exchanged turns, a model that argues for yes wins both.
    assert_eq!(board["swapped"].as_array().map(Vec::len), Some(2));
    shows!(board["swapped"], {
        "0/swapped": "positions", "0/a_won_both": 0, "0/split": 18, "0/b_won_both": 0,
        "0/with_a_draw": 2, "0/split_by_chance": 9.0,
        "1/swapped": "turns", "1/a_won_both": 9, "1/split": 0, "1/b_won_both": 9,
        "1/with_a_draw": 2, "1/split_by_chance": 9.0,
    });
    let behind = board["swapped"][0]["debates"].as_array().expect("debates");
    assert_eq!(behind.len(), 40);
    place.rebut_exits(0, &["report", "output", "--full", "-o", "report.md"]);
    let report = read(&place.path().join("report.md"));
    let heading = "### Sides swapped: the same position won both debates in 18 of 20 pairs, by chance in about 9; the same turn won both debates in 0 of 20 pairs, by chance in about 9";
    has(&report, heading);
}

/// Where two take each other's seats with all that goes with it, positions and turns are exchanged together. On four topics one wins on
/// both sides, on five the side listed first wins twice, on one there is a draw; an eleventh debate has no partner.
#[test]
fn s5_seats_that_are_swapped_exchange_positions_and_turns_together() {
    let sides = ["yes", "no"];
    let duel = |n: usize, topic, models| {
        let (is_back, wins) = (n > 20, ["yes", "no"]);
        let wins = match topic {
            9 if is_back => "nobody",
            topic if topic < 4 => wins[usize::from(is_back)],
            _ => "yes",
        };
        on_sides(n, topic, models, sides, wins)
    };
    let forth = (0..11).map(|topic| duel(1 + topic, topic, ["llama-8", "mistral-7"]));
    let back = (0..10).map(|topic| duel(21 + topic, topic, ["mistral-7", "llama-8"]));
    let debates: Vec<Debate> = forth.chain(back).collect();
    let board = &Place::of_debates(&debates).found(&[])["leaderboards"]["strengths"][0];
    assert_eq!(board["swapped"].as_array().map(Vec::len), Some(1));
    shows!(board["swapped"], {
        "0/a": "llama-8", "0/b": "mistral-7", "0/swapped": "positions_and_turns",
        "0/a_won_both": 4, "0/split": 5, "0/b_won_both": 0, "0/with_a_draw": 1,
    });
    let behind = board["swapped"][0]["debates"].as_array().expect("debates");
    assert_eq!(behind.len(), 20);
}

/// Margins of 0.5, 1 and so on; in the fourth and the sixth debate one of the judges sees it the other way. The tenth is on the topic
/// of the ninth; the judge of the last has another side ahead in each order.
#[test]
fn s5_debates_worth_reading_are_the_closest_the_widest_and_the_disputed() {
    let debate = |n: usize| {
        let margin = 0.5 * n as f64;
        let other = if n == 4 || n == 6 { -1.0 } else { margin };
        let judged = |debate: Debate, judge, by: f64| {
            debate.verdict(judge, [("agent_a", 2.0 + by.max(0.0)), ("agent_b", 2.0 - by.min(0.0))])
        };
        let debate = judged(Debate::of("duel", n), "gemma-2", margin);
        judged(debate, "qwen-3", other).topic(&format!("Topic {n}?"))
    };
    let mut debates: Vec<Debate> = (1..=9).map(debate).collect();
    debates.push(debate(10).topic("Topic 9?"));
    let turned = Debate::of("duel", 11)
        .topic("Topic 11?")
        .verdict("gemma-2", [("agent_a", 9.0), ("agent_b", 2.0)])
        .verdict("gemma-2", [("agent_b", 8.0), ("agent_a", 2.0)]);
    debates.push(turned);
    let found = Place::of_debates(&debates).found(&[]);
    let told = columns(&found["examples"], "worth debate against judges");
    let expected = json!([
        ["closest", 11, 0, 0],
        ["closest", 1, 0, 2],
        ["closest", 4, 1, 2],
        ["widest", 10, 0, 2],
        ["widest", 8, 0, 2],
        ["widest", 7, 0, 2],
        ["disputed", 4, 1, 2],
        ["disputed", 6, 1, 2],
    ]);
    assert_eq!(told, expected);
    let few = Place::of_debates(&debates[..8]).found(&[]);
    shows!(few, {"examples": []});
}
