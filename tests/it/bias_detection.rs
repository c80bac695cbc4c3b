//! Rows S3 and S4 on simulated corpora: effects that were planted are found, and where none was planted none is. Topics
//! differ: 30% of the variance of what a contestant is worth comes from its topic.
//!
//! Every corpus comes from a fixed seed, so that a test always sees the same debates. At 95% an interval over no effect
//! leaves 0 out once in twenty corpora: single corpora without an effect are shown at one seed, and the rate of false
//! alarms over many by the tests named `…_rate`.

use std::path::PathBuf;

use chrono::DateTime;
use rebut::facts::Facts;
use rebut::stats::findings::Findings;
use rebut::stats::read::{Corpus, Debate as Read};
use rebut::stats::{self, Question, findings};
use rebut::trace::Trace;
use serde_json::Value;

use crate::harness::corpus::Debate;
use crate::harness::{Place, has, lacks, shows};

/// Sebastiano Vigna's SplitMix64.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// From 0 to 1.
    fn uniform(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn chance(&mut self, p: f64) -> bool {
        self.uniform() < p
    }

    fn below(&mut self, n: usize) -> usize {
        (self.uniform() * n as f64) as usize
    }

    /// Normal, around 0.
    fn normal(&mut self, sd: f64) -> f64 {
        let radius = (-2.0 * (1.0 - self.uniform()).ln()).sqrt();
        sd * radius * (std::f64::consts::TAU * self.uniform()).cos()
    }
}

/// A score of 0 to 10 with one decimal.
fn score(value: f64) -> f64 {
    (value.clamp(0.0, 10.0) * 10.0).round() / 10.0
}

/// Debates on some topics, some a topic, each made from its number and what its topic is worth.
fn simulated(
    seed: u64,
    topics: usize,
    each: usize,
    mut make: impl FnMut(&mut Dice, usize, f64) -> Debate,
) -> Vec<Debate> {
    let mut dice = Dice(seed);
    let mut debates = Vec::new();
    for topic in 0..topics {
        let worth = 5.5 + dice.normal(0.3_f64.sqrt());
        for _ in 0..each {
            let debate = make(&mut dice, debates.len() + 1, worth);
            debates.push(debate.topic(&format!("Topic {topic}?")));
        }
    }
    debates
}

/// What a contestant is worth on a topic.
fn worth(dice: &mut Dice, topic: f64) -> f64 {
    topic + dice.normal(0.7_f64.sqrt())
}

/// What the real binary finds.
fn found(debates: &[Debate]) -> Value {
    Place::of_debates(debates).found(&[])
}

fn facts(trace: &[u8]) -> Facts {
    let trace: Trace = serde_json::from_slice(trace).expect("a trace");
    Facts::from_trace(&trace).expect("a debate that can be counted")
}

/// A corpus in memory.
fn corpus(debates: &[Debate]) -> Corpus {
    let read = |(n, debate): (usize, &Debate)| Read {
        dir: PathBuf::from(format!("{n:04}")),
        facts: Box::new(facts(&debate.bytes())),
    };
    Corpus { debates: debates.iter().enumerate().map(read).collect(), ..Corpus::default() }
}

/// What is found in it, without groups.
fn found_in(corpus: &Corpus) -> Findings {
    let question = Question {
        breakdowns: Vec::new(),
        filters: Vec::new(),
        verdicts: rebut::stats::verdicts::Verdicts::Own,
        rehearsals: false,
        seed: 1,
        command: "rebut stats".to_owned(),
        asked_at: DateTime::UNIX_EPOCH,
    };
    findings(corpus, &question, |path| stats::Place {
        path: path.display().to_string(),
        page: false,
    })
}

/// An interval.
#[track_caller]
fn interval(estimate: &Value) -> (f64, f64) {
    let end = |key: &str| estimate[key].as_f64();
    let ends = end("low").zip(end("high"));
    ends.unwrap_or_else(|| panic!("no interval: {estimate}"))
}

#[track_caller]
fn holds(estimate: &Value, value: f64) {
    let (low, high) = interval(estimate);
    assert!(low <= value && value <= high, "{value}: {estimate}");
}

/// Sees that an interval holds a value and is above another.
#[track_caller]
fn effect(estimate: &Value, above: f64, value: f64) {
    assert!(interval(estimate).0 > above, "{above}: {estimate}");
    holds(estimate, value);
}

#[track_caller]
fn judge<'f>(found: &'f Value, model: &str) -> &'f Value {
    let rows = found["judges"]["rows"].as_array().expect("rows");
    rows.iter().find(|row| row["judge"] == model).expect("a judge")
}

const JUDGES: [&str; 3] = ["gemma-2", "phi-4", "qwen-3"];

/// A duel of two of some models that three judges score; `gives` is what a judge gives a model beyond what a contestant is
/// worth and chance.
fn judged(
    dice: &mut Dice,
    n: usize,
    topic: f64,
    models: &[&str],
    gives: impl Fn(&str, &str) -> f64,
) -> Debate {
    let a = n % models.len();
    let b = (a + 1 + n / models.len() % (models.len() - 1)) % models.len();
    let debate = Debate::of("duel", n).model("agent_a", models[a]).model("agent_b", models[b]);
    let worths = [worth(dice, topic), worth(dice, topic)];
    JUDGES.iter().fold(debate, |debate, judge| {
        let mut given = |worth: f64, of: &str| score(worth + gives(judge, of) + dice.normal(0.5));
        let read =
            [("agent_a", given(worths[0], models[a])), ("agent_b", given(worths[1], models[b]))];
        debate.verdict(judge, read)
    })
}

const THREE: [&str; 3] = ["gemma-9", "llama-8", "mistral-7"];

/// What gemma-2 gives its own family.
fn favour(judge: &str, of: &str) -> f64 {
    if (judge, of) == ("gemma-2", "gemma-9") { 0.8 } else { 0.0 }
}

fn nothing(_: &str, _: &str) -> f64 {
    0.0
}

/// 44 topics of one duel, three judges. The standard error of leniency is 0.5 √(3/2) / √88 = 0.065, so that 0.8 is missed
/// less than once in a million corpora.
#[test]
fn s4_a_lenient_judge_is_found_and_equal_judges_are_not() {
    let corpus = |seed: u64, gives: fn(&str, &str) -> f64| {
        let duel = |dice: &mut Dice, n, topic| judged(dice, n, topic, &THREE, gives);
        found(&simulated(seed, 44, 1, duel))
    };
    let lenient = |judge: &str, _: &str| if judge == "phi-4" { 0.8 } else { 0.0 };
    let planted = corpus(1, lenient);
    effect(&judge(&planted, "phi-4")["leniency"], 0.0, 0.8);
    let equal = corpus(2, nothing);
    for model in JUDGES {
        holds(&judge(&equal, model)["leniency"], 0.0);
    }
}

/// 60 topics of one duel, three judges, one of whose families debates: of 120 scores it gave about 40 to its own family, and
/// the standard error of the preference is about 0.5 √(3/2) √(1/40 + 1/80) = 0.12: 0.8 is missed once in 10^7 corpora.
#[test]
fn s4_a_judge_who_favours_its_own_family_is_found_and_others_are_not() {
    let corpus = |seed: u64, gives: fn(&str, &str) -> f64| {
        let duel = |dice: &mut Dice, n, topic| judged(dice, n, topic, &THREE, gives);
        found(&simulated(seed, 60, 1, duel))
    };
    let planted = corpus(3, favour);
    let own = |found, model| &judge(found, model)["self_preference"];
    effect(own(&planted, "gemma-2"), 0.0, 0.8);
    let told = "gemma-2 as a judge of duel debates prefers its own family";
    has(&planted["cautions"], told);
    // Nobody of their families debated.
    for model in ["phi-4", "qwen-3"] {
        assert_eq!(own(&planted, model)["value"], Value::Null);
    }
    let fair = corpus(4, nothing);
    holds(own(&fair, "gemma-2"), 0.0);
    lacks(&fair["cautions"], &["own family"]);
}

/// 60 topics of two duels. A judge whose family debates too sits beside one that favours its own, and must not be held to
/// dislike the favoured: each has one yardstick, the third judge, and a standard error of 0.5 √2 √(1/120 + 1/120) = 0.09.
#[test]
fn s4_a_favour_of_one_judge_is_not_held_against_another() {
    let planted = found(&simulated(5, 60, 2, |dice, n, topic| {
        judged(dice, n, topic, &["gemma-9", "qwen-9"], favour)
    }));
    effect(&judge(&planted, "gemma-2")["self_preference"], 0.0, 0.8);
    holds(&judge(&planted, "qwen-3")["self_preference"], 0.0);
}

/// A duel that one judge decides for whom it read first with some chance.
fn read_first(dice: &mut Dice, n: usize, wins: f64) -> Debate {
    let mut order = ["agent_a", "agent_b"];
    if !dice.chance(0.5) {
        order.reverse();
    }
    let mut scores = [7.0, 6.0];
    if !dice.chance(wins) {
        scores.reverse();
    }
    Debate::of("duel", n).verdict("gemma-2", [(order[0], scores[0]), (order[1], scores[1])])
}

/// 44 topics of three duels: the standard error of a share of 75% of 132 is 3.8 points, so that it is missed once in 10^10
/// corpora.
#[test]
fn s4_a_preference_for_whom_is_read_first_is_found_and_none_is_not() {
    let corpus =
        |seed, wins| found(&simulated(seed, 44, 3, |dice, n, _| read_first(dice, n, wins)));
    let planted = corpus(6, 0.75);
    effect(&planted["judges"]["order"][0]["first_slot"], 0.5, 0.75);
    has(&planted["cautions"], "favour the side named first");
    let later = corpus(8, 0.25);
    let share = &later["judges"]["order"][0]["first_slot"];
    assert!(interval(share).1 < 0.5, "{share}");
    holds(share, 0.25);
    has(&later["cautions"], "favour the side named later");
    let fair = corpus(7, 0.5);
    holds(&fair["judges"]["order"][0]["first_slot"], 0.5);
    lacks(&fair["cautions"], &["favour the side named"]);
}

/// A duel whose judge gives `slope` for each unit of the logarithm of tokens.
fn verbose(dice: &mut Dice, n: usize, topic: f64, slope: f64) -> Debate {
    let tokens = [60 + dice.below(400) as u64, 60 + dice.below(400) as u64];
    let scores =
        tokens.map(|tokens| score(worth(dice, topic) + slope * (tokens as f64 / 200.0).ln()));
    Debate::of("duel", n)
        .who("agent_a", "tokens", tokens[0])
        .who("agent_b", "tokens", tokens[1])
        .verdict("gemma-2", [("agent_a", scores[0]), ("agent_b", scores[1])])
}

/// 44 topics of three duels: within a duel the difference of two logarithms has a standard deviation of about 0.75 and that of
/// two scores 1.18, so that the slope's standard error is about 1.18 / 0.75 / √132 = 0.14 and 1 is missed once in 10^11.
#[test]
fn s4_that_longer_is_better_is_found_and_else_it_is_not() {
    let slope = |seed, slope| {
        let debates = simulated(seed, 44, 3, |dice, n, topic| verbose(dice, n, topic, slope));
        found(&debates)["judges"]["verbosity"][0]["slope"].take()
    };
    effect(&slope(8, 1.0), 0.0, 1.0);
    holds(&slope(9, 0.0), 0.0);
}

#[test]
fn s4_what_length_is_worth_is_not_told_from_two_debates() {
    let slope = |topics| {
        let debates = simulated(8, topics, 1, |dice, n, topic| verbose(dice, n, topic, 1.0));
        found(&debates)["judges"]["verbosity"][0]["slope"].take()
    };
    shows!(slope(2), {"value": null, "n": 4, "reason contains": "fewer than three debates"});
    assert!(slope(3)["value"].is_number());
}

/// 44 topics of one duel, three judges: alpha is about 1 / (1 + noise²) where they agree on what contestants are worth,
/// 0.96 with a noise of 0.2; judges who roll dice agree as chance has it.
#[test]
fn s4_judges_that_agree_have_a_high_alpha_and_random_ones_none() {
    let alpha = |noise: f64, shared: f64, seed: u64| {
        let debates = simulated(seed, 44, 1, |dice, n, topic| {
            let worths =
                [worth(dice, topic), worth(dice, topic)].map(|worth| 5.5 + shared * (worth - 5.5));
            JUDGES.iter().fold(Debate::of("duel", n), |debate, judge| {
                let given = worths.map(|worth| score(worth + dice.normal(noise)));
                debate.verdict(judge, [("agent_a", given[0]), ("agent_b", given[1])])
            })
        });
        found(&debates)["judges"]["agreement"][0].take()
    };
    let agreed = alpha(0.2, 1.0, 10);
    assert_eq!(agreed["what"], "total");
    effect(&agreed, 0.9, 0.96);
    let random = alpha(1.0, 0.0, 11);
    holds(&random, 0.0);
    assert!(interval(&random).1 < 0.3, "{random}");
}

/// A duel of two models that are worth so much in log-odds; who speaks first, and who is listed first, is drawn.
fn won(dice: &mut Dice, n: usize, models: &[(&str, f64)], first_is_worth: f64) -> Debate {
    let a = dice.below(models.len());
    let b = (a + 1 + dice.below(models.len() - 1)) % models.len();
    let a_first = dice.chance(0.5);
    let first = if a_first { first_is_worth } else { -first_is_worth };
    let odds = models[a].1 - models[b].1 + first;
    let winner = if dice.chance(1.0 / (1.0 + (-odds).exp())) { "agent_a" } else { "agent_b" };
    Debate::of("duel", n)
        .model("agent_a", models[a].0)
        .model("agent_b", models[b].0)
        .who("agent_a", "spoke_first", a_first)
        .who("agent_b", "spoke_first", !a_first)
        .winner(winner)
}

const EQUALS: [(&str, f64); 3] = [("llama-8", 0.0), ("mistral-7", 0.0), ("qwen-9", 0.0)];

/// 40 topics of five duels: the standard error of a log-odds near 0 over 200 is 2 / √200 = 0.14: 0.8 is missed once in 10^8.
#[test]
fn s3_what_speaking_first_is_worth_is_found_and_nothing_is_not() {
    let corpus =
        |seed, first| found(&simulated(seed, 40, 5, |dice, n, _| won(dice, n, &EQUALS, first)));
    let planted = corpus(12, 0.8);
    effect(&planted["leaderboards"]["strengths"][0]["order"], 0.0, 0.8);
    has(&planted["cautions"], "the first speaker has an expected score of 0.");
    let fair = corpus(13, 0.0);
    holds(&fair["leaderboards"]["strengths"][0]["order"], 0.0);
    lacks(&fair["cautions"], &["the first speaker"]);
}

/// 100 Elo are a log-odds of 0.576. 40 topics of eight duels between three models: the standard error of a difference is about
/// √(8 / (3 · 107)) = 0.16, so that the stronger is told from each other in about 19 of 20 corpora.
#[test]
fn s3_a_model_worth_a_hundred_elo_leads_and_equals_are_open() {
    let corpus =
        |seed, models: &[_]| found(&simulated(seed, 40, 8, |dice, n, _| won(dice, n, models, 0.0)));
    let strong = 100.0 * std::f64::consts::LN_10 / 400.0;
    let planted = corpus(14, &[("llama-8", strong), ("mistral-7", 0.0), ("qwen-9", 0.0)]);
    let board = &planted["leaderboards"]["strengths"][0];
    shows!(board["rows"][0], {"name": "llama-8", "rank_best": 1, "rank_worst": 1});
    effect(&board["distances"][0], 0.0, 100.0);
    shows!(planted, {"headlines/0 starts": "llama-8 leads "});
    let equal = corpus(15, &EQUALS);
    let lead = &equal["leaderboards"]["strengths"][0]["distances"][0];
    assert!(interval(lead).0 <= 0.0, "{lead}");
    shows!(equal, {"headlines/0 starts": "No model is shown to be stronger: "});
}

/// On each topic every model debates itself once under one judge.
fn alone(seed: u64, topics: usize, models: &[(&str, f64)]) -> Vec<Debate> {
    simulated(seed, topics, models.len(), |dice, n, topic| {
        let (model, better) = models[(n - 1) % models.len()];
        let cell = serde_json::json!({"agent_a.model": model, "agent_b.model": model});
        let mut given = || score(worth(dice, topic) + better);
        let read = [("agent_a", given()), ("agent_b", given())];
        let debate = Debate::of("duel", n).model("agent_a", model).model("agent_b", model);
        debate.with("plan/pairing/cell", cell).verdict("gemma-2", read)
    })
}

/// 90 topics, two seats each: the standard error of a difference is √(2 · 0.7 / 180) = 0.088, so that 0.4 passes Holm's least
/// level of 0.05 / 3 in 98 of 100 corpora.
#[test]
fn s3_a_better_model_is_found_after_correction_and_equals_are_not() {
    let models = [("llama-8", 0.4), ("mistral-7", 0.0), ("qwen-9", 0.0)];
    let planted = found(&alone(16, 90, &models));
    let pairs = planted["comparisons"][0]["pairs"].as_array().expect("pairs");
    assert_eq!(pairs.len(), 3);
    for pair in pairs {
        let p = pair["p_adjusted"].as_f64().expect("a p");
        let better = pair["a"] == "llama-8";
        assert_eq!(p < 0.05, better, "{pair}");
        holds(&pair["difference"], if better { 0.4 } else { 0.0 });
    }
    has(&planted["headlines"], "llama-8 scores ");
    lacks(&planted["headlines"], &["qwen-9 scores"]);
}

/// Draws every score of a corpus anew, with one worth for each topic.
fn redrawn(corpus: &mut Corpus, dice: &mut Dice) {
    let mut topic = (None, 0.0);
    for debate in &mut corpus.debates {
        if topic.0.as_ref() != Some(&debate.facts.topic) {
            topic = (Some(debate.facts.topic.clone()), 5.5 + dice.normal(0.3_f64.sqrt()));
        }
        for score in &mut debate.facts.scores {
            score.value = topic.1 + dice.normal(0.7_f64.sqrt());
        }
    }
}

/// 100 corpora of 40 topics and three equal models, so 300 pairs: one in twenty should have a p below 0.05, and one in twenty
/// corpora a pair that is left below 0.05 by Holm's correction or fewer. The bounds below are passed by chance in less than one of
/// a hundred such experiments (binomial, pairs of a corpus taken as three independent ones).
#[test]
fn s3_equal_models_differ_at_the_nominal_rate() {
    let mut dice = Dice(17);
    let mut corpus = corpus(&alone(17, 40, &EQUALS));
    let (mut pairs, mut alarms, mut families) = (0, 0, 0);
    for _ in 0..100 {
        redrawn(&mut corpus, &mut dice);
        let found = found_in(&corpus);
        let all = &found.comparisons[0].pairs;
        let below = |p: Option<f64>| p.expect("a p") < 0.05;
        pairs += all.len();
        alarms += all.iter().filter(|pair| below(pair.found.p)).count();
        families += usize::from(all.iter().any(|pair| below(pair.found.p_adjusted)));
    }
    assert_eq!(pairs, 300);
    assert!((6..=26).contains(&alarms), "{alarms} of {pairs}");
    assert!(families <= 11, "{families} of 100");
}
