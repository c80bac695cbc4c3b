//! Rows S3 and S4 on simulated traces, through the real binary: effects that were planted are found, and where none was planted
//! none is. How often over many corpora is in `planted.rs`. Topics differ: 30% of the variance of what a contestant is worth comes
//! from its topic. Every corpus comes from a fixed seed, so that a test always sees the same debates.

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

/// A duel of two equal models; who speaks first, which is worth so much in log-odds, and who is listed first, is drawn.
fn won(dice: &mut Dice, n: usize, first_is_worth: f64) -> Debate {
    let models = ["llama-8", "mistral-7", "qwen-9"];
    let a = dice.below(models.len());
    let b = (a + 1 + dice.below(models.len() - 1)) % models.len();
    let a_first = dice.chance(0.5);
    let odds = if a_first { first_is_worth } else { -first_is_worth };
    let winner = if dice.chance(1.0 / (1.0 + (-odds).exp())) { "agent_a" } else { "agent_b" };
    Debate::of("duel", n)
        .model("agent_a", models[a])
        .model("agent_b", models[b])
        .who("agent_a", "spoke_first", a_first)
        .who("agent_b", "spoke_first", !a_first)
        .winner(winner)
}

/// 40 topics of five duels: the standard error of a log-odds near 0 over 200 is 2 / √200 = 0.14: 0.8 is missed once in 10^8.
#[test]
fn s3_what_speaking_first_is_worth_is_found_and_nothing_is_not() {
    let corpus = |seed, first| found(&simulated(seed, 40, 5, |dice, n, _| won(dice, n, first)));
    let planted = corpus(12, 0.8);
    effect(&planted["leaderboards"]["strengths"][0]["order"], 0.0, 0.8);
    has(&planted["cautions"], "the first speaker has an expected score of 0.");
    let fair = corpus(13, 0.0);
    holds(&fair["leaderboards"]["strengths"][0]["order"], 0.0);
    lacks(&fair["cautions"], &["the first speaker"]);
}
