//! Against evalica, choix, scipy, numpy and FastChat's formula; degenerate cases; planted effects; coverage.

mod apart;
mod coverage;
mod degenerate;
mod planted;
mod reference;

use super::{Comparison, Options, Outcome, Party};

/// `[cluster, a, b, score of a, first, side]`, as in the fixtures.
type Row = (usize, usize, usize, f64, i8, i8);

fn comparisons(rows: &[Row]) -> Vec<Comparison> {
    let party = |sign: i8| match sign {
        1 => Some(Party::A),
        -1 => Some(Party::B),
        _ => None,
    };
    let outcome = |score: f64| match score {
        1.0 => Outcome::Win,
        0.0 => Outcome::Loss,
        _ => Outcome::Draw,
    };
    rows.iter()
        .map(|(cluster, a, b, score, first, side)| Comparison {
            cluster: *cluster,
            a: *a,
            b: *b,
            outcome: outcome(*score),
            first: party(*first),
            listed: party(*side),
        })
        .collect()
}

fn plain() -> Options {
    Options { order: false, side: false, replicates: 0, ..Options::default() }
}

fn both(replicates: u64) -> Options {
    Options { replicates, ..Options::default() }
}
