//! Numbers and times in flags, and the words for those that are none.

use std::ops::RangeInclusive;
use std::time::Duration;

/// A time such as `90s`, `15m` or `1h 30m`.
pub(in crate::cli) fn time(text: &str) -> Result<Duration, String> {
    let time = humantime::parse_duration(text);
    time.map_err(|_| "use a time such as 90s, 15m, 8h or 90d".to_owned())
}

/// A time for which something may last. Zero is refused: everything takes some time.
pub(in crate::cli) fn timeout(text: &str) -> Result<Duration, String> {
    match time(text)? {
        Duration::ZERO => Err("use a time longer than 0".to_owned()),
        time => Ok(time),
    }
}

/// A whole number within `range`.
pub(in crate::cli) fn number<T: TryFrom<u64>>(
    range: RangeInclusive<u64>,
) -> impl Fn(&str) -> Result<T, String> + Clone {
    move |text| {
        let found = text
            .parse()
            .ok()
            .filter(|number| range.contains(number))
            .and_then(|number| T::try_from(number).ok());
        found.ok_or_else(|| wanted(&range))
    }
}

/// Any whole number.
pub(in crate::cli) fn any_number<T: TryFrom<u64>>(text: &str) -> Result<T, String> {
    number(0..=u64::MAX)(text)
}

fn wanted(range: &RangeInclusive<u64>) -> String {
    match (range.start(), range.end()) {
        (0, &u64::MAX) => "use a whole number".to_owned(),
        (least, &u64::MAX) => format!("use a whole number from {least}"),
        (least, most) => format!("use a whole number from {least} to {most}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn b1_a_wrong_number_is_told_what_it_may_be() {
        let percent = number::<u8>(1..=100);
        assert_eq!(percent("100"), Ok(100));
        for wrong in ["0", "101", "-1", "1.5", "many", ""] {
            let told = percent(wrong).unwrap_err();
            assert_eq!(told, "use a whole number from 1 to 100", "{wrong}");
        }
        assert_eq!(any_number::<u8>("300").unwrap_err(), "use a whole number");
        assert_eq!(any_number("18446744073709551615"), Ok(u64::MAX));
    }

    #[test]
    fn b2_a_wrong_time_is_told_what_it_may_be() {
        assert_eq!(time("1h 30m"), Ok(Duration::from_secs(5400)));
        for wrong in ["3", "soon", "-1s", ""] {
            let told = time(wrong).unwrap_err();
            assert_eq!(told, "use a time such as 90s, 15m, 8h or 90d", "{wrong}");
        }
        assert_eq!(timeout("0s").unwrap_err(), "use a time longer than 0");
    }
}
