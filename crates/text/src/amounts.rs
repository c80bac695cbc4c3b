//! Times, counts and sizes as people read them.

/// About how long that is: `40 s`, `12 min`, `3.4 h`.
pub fn lasting(ms: u64) -> String {
    match ms.div_ceil(1000) {
        seconds @ 0..=90 => format!("{seconds} s"),
        seconds @ 91..=5400 => format!("{} min", (seconds + 30) / 60),
        seconds => format!("{:.1} h", seconds as f64 / 3600.0),
    }
}

/// A large count in four characters or so: `950`, `12k`, `3.4M`.
pub fn rounded(n: u64) -> String {
    match n {
        0..=9_999 => n.to_string(),
        10_000..=999_499 => format!("{:.0}k", n as f64 / 1e3),
        _ => format!("{:.1}M", n as f64 / 1e6),
    }
}

/// About how many bytes that is: `9.2 kB`, `359 MB`, `1.3 GB`.
pub fn sized(bytes: u64) -> String {
    let units = [(1e9, "GB"), (1e6, "MB"), (1e3, "kB")];
    let unit = units.into_iter().find(|(unit, _)| bytes as f64 >= *unit);
    match unit.map(|(unit, name)| (bytes as f64 / unit, name)) {
        None => format!("{bytes} B"),
        Some((n, name)) if n < 100.0 => format!("{n:.1} {name}"),
        Some((n, name)) => format!("{n:.0} {name}"),
    }
}

/// A number with so many decimals, never a negative zero; halves are rounded away from 0, whatever binary dust is in them.
pub fn fixed(value: f64, places: usize) -> String {
    let shift = 10_f64.powi(i32::try_from(places).unwrap_or_default());
    // A millionth of the last place is dust.
    let shifted = (value * shift * 1e6).round() / 1e6;
    format!("{:.places$}", shifted.round() / shift + 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_short() {
        assert_eq!(
            [0, 1, 90_000, 90_001, 362_500, 5_400_000, 5_400_001].map(lasting),
            ["0 s", "1 s", "90 s", "2 min", "6 min", "90 min", "1.5 h"]
        );
        assert_eq!([9_999, 10_400, 3_440_000].map(rounded), ["9999", "10k", "3.4M"]);
        assert_eq!(
            [999, 9_200, 359_000_000, 1_300_000_000].map(sized),
            ["999 B", "9.2 kB", "359 MB", "1.3 GB"]
        );
    }

    #[test]
    fn halves_are_rounded_away_from_zero() {
        let shown = [7.175, 0.575, 0.875, -0.125, 6.7125, 8.0].map(|value| fixed(value, 2));
        assert_eq!(shown, ["7.18", "0.58", "0.88", "-0.13", "6.71", "8.00"]);
    }
}
