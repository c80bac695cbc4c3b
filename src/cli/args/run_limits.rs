//! The limits of a run, set by flags.

use std::time::{Duration, Instant};

use chrono::{DateTime, Local, NaiveTime, TimeDelta, TimeZone, Utc};

use super::values::{number, timeout};
use crate::cli::terminal::progress::Progress;
use crate::run::failures::MostFailures;
use crate::run::run_limits::{Limits, TimeLimit};
use crate::text;

/// The limits of a run.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct LimitArgs {
    /// End at this time of day, today or tomorrow: start only debates expected to finish by then, at the speeds
    /// measured in this run or earlier, and stop the others cleanly
    #[arg(long, help_heading = "Limits", value_name = "HH:MM", value_parser = time_of_day)]
    until: Option<NaiveTime>,
    /// End after this much time, like --until
    #[arg(long, help_heading = "Limits", value_name = "TIME", value_parser = timeout)]
    max_time: Option<Duration>,
    /// Limit on tokens of prompts and replies together, for example 500k or 2M: start only debates expected to stay
    /// within it. The first debate of a setup shows what to expect. At the limit, the run stops after the calls in flight
    #[arg(long, help_heading = "Limits", value_name = "N", value_parser = tokens)]
    max_tokens: Option<u64>,
    /// Start no more debates once this many have degraded or failed: a number, a percentage of those that ended (counted
    /// from the tenth on), or `never`; debates left unfinished do not count [default: 10 with one cause, while no
    /// debate is done]
    #[arg(long, help_heading = "Limits", value_name = "N|P%", value_parser = most_failures)]
    max_failures: Option<MostFailures>,
}

fn most_failures(text: &str) -> Result<MostFailures, String> {
    let most = match text.strip_suffix('%') {
        None if text == "never" => Ok(MostFailures::Never),
        None => number(1..=u64::MAX)(text).map(MostFailures::Count),
        Some(share) => number(1..=100)(share.trim()).map(MostFailures::Percent),
    };
    most.map_err(|_| "use a number such as 5, a percentage from 1% to 100%, or never".to_owned())
}

fn time_of_day(text: &str) -> Result<NaiveTime, String> {
    let time = NaiveTime::parse_from_str(text, "%H:%M");
    time.map_err(|_| "use a time of day such as 07:00".to_owned())
}

fn tokens(text: &str) -> Result<u64, String> {
    let wrong = || "use a number of tokens such as 500000, 500k or 2M".to_owned();
    let (digits, unit) = match text.char_indices().last().ok_or_else(wrong)? {
        (at, 'k' | 'K') => (&text[..at], 1_000),
        (at, 'm' | 'M') => (&text[..at], 1_000_000),
        _ => (text, 1),
    };
    let number = digits.replace(['_', ','], "").parse::<u64>().map_err(|_| wrong())?;
    let all = number.checked_mul(unit).ok_or_else(wrong)?;
    Some(all).filter(|all| *all > 0).ok_or_else(wrong)
}

impl LimitArgs {
    /// When the run pauses because of debates that went wrong.
    pub(in crate::cli) fn most_failures(&self) -> MostFailures {
        self.max_failures.unwrap_or_default()
    }

    /// Whether tokens are limited.
    pub(in crate::cli) fn has_token_limit(&self) -> bool {
        self.max_tokens.is_some()
    }

    /// How long a run that begins now may take, if that is limited.
    pub(in crate::cli) fn left(&self, now: DateTime<Utc>) -> Option<Duration> {
        let until = self.until.map(|time| next(&now.with_timezone(&Local), time));
        let until = until.and_then(|until| (until - now).to_std().ok());
        until.into_iter().chain(self.max_time).min()
    }

    /// The limits of a run that begins now, announced to the user.
    pub(in crate::cli) fn limits(&self, now: DateTime<Utc>, progress: &Progress) -> Limits {
        let (local, since) = (now.with_timezone(&Local), Instant::now());
        let limits = Limits {
            until: self.until.map(|time| next(&local, time)),
            time: self.max_time.map(|all| TimeLimit { since, all }),
            tokens: self.max_tokens,
        };
        let ends = [limits.until, self.max_time.map(|time| after(now, time))];
        if let Some(until) = ends.into_iter().flatten().min() {
            let left = u64::try_from((until - now).num_milliseconds()).unwrap_or(0);
            let at = until.with_timezone(&Local);
            let (day, at) = (tomorrow(&local, &at), at.format("%a %H:%M"));
            progress.notify(&format!("running until {day}{at}, for {}", text::lasting(left)));
        }
        limits
    }
}

/// Days that no run exceeds: in effect, no limit.
const MOST_DAYS: i64 = 36_500;

fn after(now: DateTime<Utc>, time: Duration) -> DateTime<Utc> {
    let most = TimeDelta::days(MOST_DAYS);
    now + TimeDelta::from_std(time).map_or(most, |time| time.min(most))
}

/// `tomorrow, ` where that is the day: a time of day that has just passed is the next day's.
fn tomorrow<Tz: TimeZone>(now: &DateTime<Tz>, then: &DateTime<Tz>) -> &'static str {
    let is_next = now.date_naive().succ_opt() == Some(then.date_naive());
    if is_next { "tomorrow, " } else { "" }
}

/// The next moment at which clocks show this time of day. A time skipped in spring is moved an hour later.
fn next<Tz: TimeZone>(now: &DateTime<Tz>, time: NaiveTime) -> DateTime<Utc> {
    let moments = now.date_naive().iter_days().take(3).flat_map(|day| {
        let shown = |hours| {
            let naive = day.and_time(time) + TimeDelta::hours(hours);
            now.timezone().from_local_datetime(&naive)
        };
        // In autumn it occurs twice.
        let twice = [shown(0).earliest(), shown(0).latest()];
        match twice[0] {
            None => [shown(1).earliest(), None],
            Some(_) => twice,
        }
    });
    let next = moments.flatten().find(|moment| moment > now);
    let never = || after(now.to_utc(), Duration::MAX);
    next.map_or_else(never, |moment| moment.to_utc())
}

#[cfg(test)]
mod tests {
    use chrono::FixedOffset;

    use super::*;

    #[test]
    fn b2_a_time_of_day_is_its_next_occurrence() {
        let zone = FixedOffset::east_opt(2 * 3600).unwrap();
        let at = |text| DateTime::parse_from_rfc3339(text).unwrap();
        let seven = time_of_day("07:00").unwrap();
        for (now, then) in [
            ("2026-11-22T22:40:00+02:00", "2026-11-23T05:00:00Z"),
            ("2026-11-23T06:59:59+02:00", "2026-11-23T05:00:00Z"),
            ("2026-11-23T07:00:00+02:00", "2026-11-24T05:00:00Z"),
        ] {
            let now = at(now).with_timezone(&zone);
            assert_eq!(next(&now, seven), at(then), "{now}");
            let is_tomorrow = now.to_rfc3339() != "2026-11-23T06:59:59+02:00";
            let until = at(then).with_timezone(&zone);
            assert_eq!(!tomorrow(&now, &until).is_empty(), is_tomorrow, "{now}");
        }
        for wrong in ["7", "25:00", "07:00:00", "noon", ""] {
            assert!(time_of_day(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn b2_failures_are_a_number_a_share_or_never() {
        use MostFailures::{Count, Never, Percent};
        assert_eq!(
            ["5", "20%", "never"].map(|text| most_failures(text).unwrap()),
            [Count(5), Percent(20), Never]
        );
        for wrong in ["0", "0%", "101%", "-1", "%", "many", ""] {
            assert!(most_failures(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn b2_tokens_may_be_written_in_thousands_and_millions() {
        assert_eq!(
            ["500k", "2M", "1_000", "12"].map(|text| tokens(text).unwrap()),
            [500_000, 2_000_000, 1000, 12]
        );
        for wrong in ["", "k", "0", "-1", "2G", "1.5M", "99999999999999999999", "é"] {
            assert!(tokens(wrong).is_err(), "{wrong}");
        }
    }
}
