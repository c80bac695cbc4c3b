//! Tails and quantiles of the normal and of Student's distribution, and percentiles of a sample.

use std::f64::consts::{FRAC_2_PI, PI};

/// Below this a step of a search changes nothing.
const SETTLED: f64 = 1e-15;
/// More steps than any search needs.
const STEPS: u32 = 100;
/// Terms of a continued fraction; all are settled by then.
const TERMS: u32 = 100;
/// Squared distances below this are computed from the middle, others from the tail.
const MIDDLE: f64 = 4.0;

/// The probability that a standard normal value is further from 0 than `z`.
pub fn normal_two_sided(z: f64) -> f64 {
    let (z, square) = (z.abs(), z * z);
    let twice_density = FRAC_2_PI.sqrt() * (-square / 2.0).exp();
    if square < MIDDLE {
        1.0 - twice_density * z * series(|k| square / (2.0 * k + 1.0))
    } else {
        let terms = (1..=TERMS).rev().map(f64::from);
        twice_density / terms.fold(z, |rest, k| z + k / rest)
    }
}

/// The `p` quantile of the standard normal distribution; `None` outside of (0, 1).
pub fn normal_quantile(p: f64) -> Option<f64> {
    let density = |z: f64| FRAC_2_PI.sqrt() * (-z * z / 2.0).exp();
    quantile(p, |tail| descend(tail, (-2.0 * tail.ln()).sqrt(), normal_two_sided, density))
}

/// The probability that a value of Student's distribution is further from 0 than `t`: the incomplete beta function of
/// df / 2 and ½ at 1 / (1 + t² / df).
pub fn student_two_sided(t: f64, df: f64) -> f64 {
    let (half, ratio) = (df / 2.0, t * t / df);
    if ratio.is_infinite() {
        return 0.0;
    }
    let inner = ratio / (1.0 + ratio);
    let front = (-half * ratio.ln_1p()).exp() * (inner / PI).sqrt() * gamma_step(half);
    if t * t < MIDDLE {
        1.0 - 2.0 * front * series(|k| inner * (half + k - 0.5) / (k + 0.5))
    } else {
        front / beta_fraction(half, inner)
    }
}

/// The value that one of Student's distribution stays below with probability `p`; `None` where `p` is outside of
/// (0, 1) or the degrees of freedom are below 1.
pub fn student_quantile(p: f64, df: f64) -> Option<f64> {
    if df.is_nan() || df < 1.0 {
        return None;
    }
    let scale = 2.0 * gamma_step(df / 2.0) / (df * PI).sqrt();
    let density = |t: f64| scale * (-(df + 1.0) / 2.0 * (t * t / df).ln_1p()).exp();
    let start = normal_quantile(p)?.abs();
    quantile(p, |tail| descend(tail, start, |t| student_two_sided(t, df), density))
}

/// A quantile of a symmetric distribution from the distance that has a given probability outside of it.
fn quantile(p: f64, distance: impl Fn(f64) -> f64) -> Option<f64> {
    if p.is_nan() || p <= 0.0 || p >= 1.0 {
        return None;
    }
    if p == 0.5 {
        return Some(0.0);
    }
    let distance = distance(2.0 * p.min(1.0 - p));
    Some(if p < 0.5 { -distance } else { distance })
}

/// Newton's method on the logarithms, where two-sided tails are concave: it arrives from any start.
fn descend(tail: f64, start: f64, beyond: impl Fn(f64) -> f64, twice: impl Fn(f64) -> f64) -> f64 {
    let mut at = start;
    for _ in 0..STEPS {
        let outside = beyond(at);
        let step = (outside / tail).ln() * outside / (twice(at) * at);
        at *= step.exp();
        if step.abs() < SETTLED {
            break;
        }
    }
    at
}

/// Γ(a + ½) / Γ(a): a recurrence upwards, then the asymptotic series.
fn gamma_step(a: f64) -> f64 {
    let (mut a, mut factor) = (a, 1.0);
    while a < 30.0 {
        factor *= a / (a + 0.5);
        a += 1.0;
    }
    let square = a * a;
    let series = (-1.0 / 8.0
        + (1.0 / 192.0 + (-1.0 / 640.0 + 17.0 / 14336.0 / square) / square) / square)
        / a;
    factor * a.sqrt() * series.exp()
}

/// 1 and the products of the first one, two, three … factors, added up until they no longer count. Factors are
/// positive and fall below 1.
fn series(factor: impl Fn(f64) -> f64) -> f64 {
    let (mut sum, mut term) = (1.0, 1.0);
    for k in (1..=u32::MAX).map(f64::from) {
        term *= factor(k);
        sum += term;
        if term < sum * SETTLED / 100.0 {
            break;
        }
    }
    sum
}

/// The continued fraction of the incomplete beta function of a and ½ at x = 1 − y (DiDonato and Morris 1992). It takes y
/// because x is rounded too much where it is next to 1.
fn beta_fraction(a: f64, y: f64) -> f64 {
    let x = 1.0 - y;
    let whole = |n: f64| {
        let last = (a + n) * (a * y - 0.5 * x + 1.0 + n * (1.0 + y)) / (a + 2.0 * n + 1.0);
        let middle = n * (0.5 - n) * x / (a + 2.0 * n - 1.0);
        last + if n == 0.0 { 0.0 } else { n + middle }
    };
    let part = |n: f64| {
        let root = x / (a + 2.0 * n - 1.0);
        (a + n - 1.0) * (a + n - 0.5) * n * (0.5 - n) * root * root
    };
    let terms = (1..=TERMS).rev().map(f64::from);
    terms.fold(whole(f64::from(TERMS)), |rest, n| whole(n - 1.0) + part(n) / rest)
}

/// The percentile `p` (0 to 1) of sorted values, linear between neighbours as numpy does it; `None` without values.
pub fn percentile(sorted: &[f64], p: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    let place = last as f64 * p.clamp(0.0, 1.0);
    let below = place.floor();
    let (low, high) = (sorted[below as usize], sorted[place.ceil() as usize]);
    let part = place - below;
    Some(if part < 0.5 { low + (high - low) * part } else { high - (high - low) * (1.0 - part) })
}

#[cfg(test)]
mod tests;
