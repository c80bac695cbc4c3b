//! How long the intervals of a large leaderboard take: `cargo bench --bench bradley_terry`.
//!
//! 12 models, 60,000 comparisons over 500 topics, both effects, 1,000 resamples; the best and the worst of five runs.

#![expect(clippy::print_stdout, reason = "a benchmark reports on its terminal")]

use std::time::Instant;

use statistics::bradley_terry::{Comparison, Options, Outcome, Party, fit};

const MODELS: usize = 12;
const TOPICS: usize = 500;
const COMPARISONS: usize = 60_000;

fn main() {
    let comparisons: Vec<Comparison> = (0..COMPARISONS).map(comparison).collect();
    let options = Options::default();
    let mut seconds = [0.0; 5];
    for second in &mut seconds {
        let start = Instant::now();
        let fit = fit(MODELS, &comparisons, &options);
        *second = start.elapsed().as_secs_f64();
        assert_eq!((fit.replicates, fit.ridged), (1000, 0));
    }
    seconds.sort_by(f64::total_cmp);
    println!(
        "{MODELS} models, {COMPARISONS} comparisons, {TOPICS} topics, {} resamples: {:.3} s at best, {:.3} s at worst",
        options.replicates, seconds[0], seconds[4]
    );
}

/// A comparison that only its number shapes; stronger models have higher numbers.
fn comparison(number: usize) -> Comparison {
    let hash = |salt: usize| {
        let mixed = (number * 8 + salt).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 33
    };
    let a = hash(0) % MODELS;
    let b = (a + 1 + hash(1) % (MODELS - 1)) % MODELS;
    let party = |salt: usize| Some(if hash(salt) % 2 == 0 { Party::A } else { Party::B });
    let points = hash(4) % 100;
    let outcome = match points {
        0..10 => Outcome::Draw,
        _ if points < 55 + 2 * a - 2 * b => Outcome::Win,
        _ => Outcome::Loss,
    };
    Comparison { cluster: hash(5) % TOPICS, a, b, outcome, first: party(2), listed: party(3) }
}
