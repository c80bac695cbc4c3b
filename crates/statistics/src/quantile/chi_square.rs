//! Quantiles of the χ² distribution.

use super::series;

/// Halvings of an interval after which its ends are neighbours.
const HALVINGS: u32 = 200;

/// The value that one of the χ² distribution stays below with probability `p`; `None` where `p` is outside of (0, 1) or the
/// degrees of freedom are not above 0.
pub fn chi_square_quantile(p: f64, df: f64) -> Option<f64> {
    if p.is_nan() || p <= 0.0 || p >= 1.0 || df.is_nan() || df <= 0.0 {
        return None;
    }
    let (mut low, mut high) = (0.0, df);
    // Far beyond the quantile the series overflows; that is not below it.
    while below(high, df) < p {
        (low, high) = (high, 2.0 * high);
    }
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(low, high);
        if below(middle, df) < p {
            low = middle;
        } else {
            high = middle;
        }
    }
    Some(high)
}

/// The probability that a value of the χ² distribution is below `x`: the incomplete gamma function of df / 2 at x / 2.
fn below(x: f64, df: f64) -> f64 {
    let (a, half) = (df / 2.0, x / 2.0);
    if half == 0.0 {
        return 0.0;
    }
    let front = (a * half.ln() - half - ln_gamma(a + 1.0)).exp();
    front * series(|k| half / (a + k))
}

/// ln Γ(a), by Stirling's series where it is exact enough.
fn ln_gamma(a: f64) -> f64 {
    let (mut a, mut smaller) = (a, 0.0);
    while a < 30.0 {
        smaller += a.ln();
        a += 1.0;
    }
    let square = a * a;
    let rest = (1.0 / 12.0
        + (-1.0 / 360.0 + (1.0 / 1260.0 - 1.0 / 1680.0 / square) / square) / square)
        / a;
    (a - 0.5) * a.ln() - a + 0.5 * std::f64::consts::TAU.ln() + rest - smaller
}
