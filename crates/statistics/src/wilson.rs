//! Intervals of shares.

use super::quantile::normal_quantile;

/// Wilson's 95% interval of a share `p` of `n` cases, which need not be whole; `None` without cases.
pub fn wilson(p: f64, n: f64) -> Option<(f64, f64)> {
    let sound = n.is_finite() && n > 0.0 && (0.0..=1.0).contains(&p);
    let z = normal_quantile(0.975).filter(|_| sound)?;
    let square = z * z / n;
    let centre = p + square / 2.0;
    let half = (square * (p * (1.0 - p) + square / 4.0)).sqrt();
    let end = |value: f64| (value / (1.0 + square)).clamp(0.0, 1.0);
    let low = if p == 0.0 { 0.0 } else { end(centre - half) };
    let high = if p == 1.0 { 1.0 } else { end(centre + half) };
    Some((low, high))
}

#[cfg(test)]
mod tests;
