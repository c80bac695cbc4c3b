//! Tails and quantiles of the normal and of Student's distribution, and percentiles of a sample.

use std::f64::consts::{FRAC_2_PI, PI};

/// Below this a step of a search or of a fraction changes nothing.
const SETTLED: f64 = 1e-15;
/// More steps than any search or fraction takes.
const STEPS: u32 = 2_000;

/// The probability that a standard normal value is further from 0 than `z`.
pub fn normal_two_sided(z: f64) -> f64 {
    let z = z.abs();
    let twice_density = FRAC_2_PI.sqrt() * (-z * z / 2.0).exp();
    if z < 1.0 {
        let terms = (1..40).scan(z, |term, k| {
            *term *= z * z / f64::from(2 * k + 1);
            Some(*term)
        });
        return 1.0 - twice_density * (z + terms.sum::<f64>());
    }
    let fraction = (1..=200)
        .rev()
        .fold(z, |rest, k| z + f64::from(k) / rest);
    twice_density / fraction
}

/// The value that a standard normal one stays below with probability `p`; `None` outside of (0, 1).
pub fn normal_quantile(p: f64) -> Option<f64> {
    let density = |z: f64| FRAC_2_PI.sqrt() * (-z * z / 2.0).exp();
    quantile(p, |tail| {
        descend(tail, (-2.0 * tail.ln()).sqrt(), normal_two_sided, density)
    })
}

/// The probability that a value of Student's distribution is further from 0 than `t`.
pub fn student_two_sided(t: f64, df: f64) -> f64 {
    let (half, ratio) = (df / 2.0, t * t / df);
    let (outer, inner) = (1.0 / (1.0 + ratio), ratio / (1.0 + ratio));
    if t == 0.0 {
        return 1.0;
    }
    if ratio.is_infinite() {
        return 0.0;
    }
    let front = (-half * ratio.ln_1p()).exp() * inner.sqrt() * gamma_step(half) / PI.sqrt();
    if outer < (half + 1.0) / (half + 2.5) {
        front * beta_fraction(outer, half, 0.5) / half
    } else {
        1.0 - front * beta_fraction(inner, 0.5, half) / 0.5
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
    quantile(p, |tail| {
        descend(tail, start, |t| student_two_sided(t, df), density)
    })
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
    let series = (-1.0 / 8.0 + (1.0 / 192.0 + (-1.0 / 640.0 + 17.0 / 14336.0 / square) / square) / square) / a;
    factor * a.sqrt() * series.exp()
}

/// The continued fraction of the incomplete beta function, by Lentz's method.
fn beta_fraction(x: f64, a: f64, b: f64) -> f64 {
    let solid = |value: f64| if value.abs() < 1e-300 { 1e-300 } else { value };
    let mut c = 1.0;
    let mut d = 1.0 / solid(1.0 - (a + b) * x / (a + 1.0));
    let mut whole = d;
    for m in (1..STEPS).map(f64::from) {
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let mut change = 1.0;
        for term in [even, odd] {
            d = 1.0 / solid(1.0 + term * d);
            c = solid(1.0 + term / c);
            change = c * d;
            whole *= change;
        }
        if (change - 1.0).abs() < SETTLED {
            break;
        }
    }
    whole
}

/// The percentile `p` (0 to 1) of sorted values, linear between neighbours as numpy does it; `None` without values.
pub fn percentile(sorted: &[f64], p: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    let place = last as f64 * p.clamp(0.0, 1.0);
    let below = place.floor();
    let (low, high) = (sorted[below as usize], sorted[place.ceil() as usize]);
    let part = place - below;
    Some(if part < 0.5 {
        low + (high - low) * part
    } else {
        high - (high - low) * (1.0 - part)
    })
}

#[cfg(test)]
mod tests;
