//! Numbers, exactly: decimals and fractions as people and models write them.

use std::fmt;

/// Maximum digits that are read; what is longer is not an answer.
const MOST_DIGITS: usize = 30;

/// An exact number, in lowest terms, with a denominator above 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Exact {
    over: i128,
    under: i128,
}

impl Exact {
    fn new(over: i128, under: i128) -> Option<Self> {
        let (over, under) = match under {
            0 => return None,
            under if under < 0 => (over.checked_neg()?, under.checked_neg()?),
            under => (over, under),
        };
        let divisor = divisor(over.unsigned_abs(), under.unsigned_abs()) as i128;
        Some(Self { over: over / divisor, under: under / divisor })
    }

    /// Reads all of a text as a number: `1,234.50`, `−3`, `½`, `1 ½`, `3/4`, `2e3`; with a sign of currency before it or a sign
    /// of percent behind it, which say nothing.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let text: String = text.trim().chars().map(plain).collect();
        let text = text.trim_start_matches(['$', '€', '£']).trim_end_matches('%');
        let (sign, text) = match text.trim().strip_prefix('-') {
            Some(rest) => (-1, rest),
            None => (1, text.trim().trim_start_matches('+')),
        };
        let text = text.trim_start_matches(['$', '€', '£']).trim();
        let value = Self::unsigned(text)?;
        Self::new(value.over * sign, value.under)
    }

    fn unsigned(text: &str) -> Option<Self> {
        if let Some((whole, fraction)) = mixed(text) {
            return match whole {
                "" => Some(fraction),
                whole => Self::decimal(whole)?.plus(fraction),
            };
        }
        if let Some((over, under)) = text.split_once('/') {
            let (over, under) = (Self::decimal(over.trim())?, Self::decimal(under.trim())?);
            let dividend = over.over.checked_mul(under.under)?;
            return Self::new(dividend, over.under.checked_mul(under.over)?);
        }
        Self::decimal(text)
    }

    fn decimal(text: &str) -> Option<Self> {
        let (digits, power) = match text.split_once(['e', 'E']) {
            Some((digits, power)) => (digits, power.trim_start_matches('+').parse::<i32>().ok()?),
            None => (text, 0),
        };
        let (whole, part) = separated(digits)?;
        let digits = format!("{whole}{part}");
        if digits.is_empty() || digits.len() > MOST_DIGITS || !(-30..=30).contains(&power) {
            return None;
        }
        let shift = power - i32::try_from(part.len()).ok()?;
        let value: i128 = digits.parse().ok()?;
        let scale = 10_i128.checked_pow(shift.unsigned_abs())?;
        if shift < 0 { Self::new(value, scale) } else { Self::new(value.checked_mul(scale)?, 1) }
    }

    fn plus(self, other: Self) -> Option<Self> {
        let over = self.over.checked_mul(other.under)?;
        let more = other.over.checked_mul(self.under)?;
        let under = self.under.checked_mul(other.under)?;
        Self::new(over.checked_add(more)?, under)
    }

    /// Whether two are at most `tolerance` apart; `None` where that is beyond exact arithmetic.
    pub(super) fn is_within(self, other: Self, tolerance: Self) -> Option<bool> {
        let other = Self::new(other.over.checked_neg()?, other.under)?;
        let apart = self.plus(other)?;
        let left = apart.over.checked_abs()?.checked_mul(tolerance.under)?;
        let right = tolerance.over.checked_mul(apart.under)?;
        Some(left <= right)
    }
}

impl fmt::Display for Exact {
    /// A decimal where it ends, otherwise a fraction.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = self.under;
        let [twos, fives] = [2, 5].map(|prime| {
            let mut count = 0_usize;
            while rest % prime == 0 {
                (rest, count) = (rest / prime, count + 1);
            }
            count
        });
        let places = twos.max(fives);
        let scale = u32::try_from(places).ok().and_then(|n| 10_i128.checked_pow(n));
        let scaled = scale.and_then(|scale| self.over.checked_mul(scale / self.under));
        match scaled.filter(|_| rest == 1) {
            Some(scaled) if places == 0 => write!(f, "{scaled}"),
            Some(scaled) => {
                let digits = format!("{:0>1$}", scaled.unsigned_abs(), places + 1);
                let (whole, part) = digits.split_at(digits.len() - places);
                write!(f, "{}{whole}.{part}", if scaled < 0 { "-" } else { "" })
            }
            None => write!(f, "{}/{}", self.over, self.under),
        }
    }
}

fn divisor(a: u128, b: u128) -> u128 {
    if b == 0 { a.max(1) } else { divisor(b, a % b) }
}

/// Signs that stand for others in numbers.
fn plain(c: char) -> char {
    match c {
        '−' | '–' | '‒' | '﹣' | '－' => '-',
        '⁄' | '∕' => '/',
        // Between digits they set thousands apart; a plain blank sets numbers apart.
        '\u{a0}' | '\u{202f}' | '\u{2009}' => '\'',
        other => other,
    }
}

/// What ends in a sign for a fraction, and the fraction; also `1 3/4`.
fn mixed(text: &str) -> Option<(&str, Exact)> {
    const SIGNS: [(char, i128, i128); 9] = [
        ('½', 1, 2),
        ('⅓', 1, 3),
        ('⅔', 2, 3),
        ('¼', 1, 4),
        ('¾', 3, 4),
        ('⅕', 1, 5),
        ('⅛', 1, 8),
        ('⅜', 3, 8),
        ('⅝', 5, 8),
    ];
    let last = text.chars().next_back()?;
    if let Some((_, over, under)) = SIGNS.iter().find(|(sign, ..)| *sign == last) {
        let whole = text[..text.len() - last.len_utf8()].trim_end();
        return Some((whole, Exact::new(*over, *under)?));
    }
    let (whole, fraction) = text.split_once(' ')?;
    let (over, under) = fraction.split_once('/')?;
    let fraction = Exact::new(over.trim().parse().ok()?, under.trim().parse().ok()?)?;
    whole.bytes().all(|b| b.is_ascii_digit()).then_some((whole, fraction))
}

/// The digits before and behind the decimal sign. Signs between groups of three digits are omitted; of a point and a comma the
/// last is the decimal sign, and one comma alone is, unless three digits follow it.
fn separated(text: &str) -> Option<(String, &str)> {
    let points = text.matches('.').count();
    let commas = text.matches(',').count();
    let decimal = match (points, commas) {
        (1, 0) => text.find('.'),
        (0, 1) => text.find(',').filter(|at| text.len() - at != 4 || &text[..*at] == "0"),
        (_, 0) | (0, _) => None,
        _ if text.rfind('.') > text.rfind(',') => text.rfind('.'),
        _ => text.rfind(','),
    };
    let (whole, part) = match decimal {
        Some(at) => (&text[..at], &text[at + 1..]),
        None => (text, ""),
    };
    let groups: Vec<&str> = whole.split([',', '.', '\'', '_']).collect();
    let (first, others) = groups.split_first()?;
    let grouped = others.is_empty() || (1..=3).contains(&first.len());
    let whole_groups = others.iter().all(|group| group.len() == 3);
    let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    let fine = grouped && whole_groups && groups.iter().all(|g| digits(g)) && digits(part);
    fine.then(|| (groups.concat(), part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_exactly() {
        for (written, read) in [
            ("42", "42"),
            ("1,234.50", "1234.5"),
            ("1.234,50", "1234.5"),
            ("1,234", "1234"),
            ("3,5", "3.5"),
            ("−3", "-3"),
            ("½", "0.5"),
            ("-1½", "-1.5"),
            ("1 3/4", "1.75"),
            ("3/4", "0.75"),
            ("1/3", "1/3"),
            ("2/6", "1/3"),
            ("$1,000", "1000"),
            ("-$5", "-5"),
            ("15%", "15"),
            ("2e3", "2000"),
            ("1.5E-2", "0.015"),
            ("0.10", "0.1"),
            ("-0", "0"),
            (".5", "0.5"),
            ("12\u{202f}345", "12345"),
            ("0,125", "0.125"),
            ("123456", "123456"),
        ] {
            let exact = Exact::parse(written).unwrap_or_else(|| panic!("{written}"));
            assert_eq!(exact.to_string(), read, "{written}");
        }
    }

    #[test]
    fn what_is_no_number_is_none() {
        for written in [
            "",
            "-",
            ".",
            "abc",
            "1,23,4",
            "1/0",
            "12,34,567",
            "1e99",
            "1..2",
            "five",
            "100 200 300",
            "1234567890123456789012345678901",
            "½½",
            "3/4 ½",
            &"½".repeat(1_000_000),
        ] {
            assert_eq!(Exact::parse(written), None, "{written}");
        }
    }

    #[test]
    fn near_numbers_are_not_the_same() {
        let exact = |text| Exact::parse(text).expect("a number");
        assert_ne!(exact("123456"), exact("123459"));
        let within = |a, b, t| exact(a).is_within(exact(b), exact(t));
        assert_eq!(within("3.14", "3.15", "0.01"), Some(true));
        assert_eq!(within("3.14", "3.1501", "0.01"), Some(false));
        assert_eq!(within("1/3", "0.3333", "0.0001"), Some(true));
    }
}
