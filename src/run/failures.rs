//! Whether so many debates of a batch go wrong that starting more would be a waste.

use std::collections::BTreeMap;

use crate::text;

/// Debates that must go wrong for one cause, with none done, for the batch to pause.
const ENOUGH: u64 = 10;
/// Minimum debates of which a percentage is taken.
const LEAST: u64 = 10;

/// When a batch pauses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum MostFailures {
    /// After [`ENOUGH`] failures for one cause while no debate is done.
    #[default]
    OfOneCause,
    /// After this many failures.
    Count(u64),
    /// After failures of this percentage of the debates that ended.
    Percent(u64),
    /// Never.
    Never,
}

/// The debates of a batch that went wrong.
#[derive(Debug, Default)]
pub(super) struct Failures {
    most: MostFailures,
    done: u64,
    wrong: u64,
    causes: BTreeMap<String, u64>,
}

impl Failures {
    pub(super) fn new(most: MostFailures) -> Self {
        Self { most, ..Self::default() }
    }

    /// Notes that a debate of this run ended, with the cause unless it is done.
    pub(super) fn take(&mut self, cause: Option<String>) {
        let Some(cause) = cause else {
            self.done += 1;
            return;
        };
        self.wrong += 1;
        *self.causes.entry(cause).or_default() += 1;
    }

    /// The cause of most debates that went wrong, and of how many.
    pub(super) fn commonest(&self) -> Option<(&String, &u64)> {
        self.causes.iter().max_by_key(|(_, n)| **n)
    }

    /// Why no more debates should begin; `None` if they may.
    pub(super) fn pause(&self) -> Option<String> {
        let (cause, alike) = self.commonest()?;
        let ended = self.done + self.wrong;
        let too_many = match self.most {
            MostFailures::OfOneCause => self.done == 0 && *alike >= ENOUGH,
            MostFailures::Count(most) => self.wrong >= most,
            MostFailures::Percent(most) => ended >= LEAST && self.wrong * 100 >= most * ended,
            MostFailures::Never => false,
        };
        let all = text::count(ended, "debate");
        too_many.then(|| {
            format!("{} of {all} degraded or failed, {alike} of them because {cause}", self.wrong)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether a batch has paused after each of these debates: `d` is done, other letters are causes.
    fn paused(most: MostFailures, debates: &str) -> String {
        let mut failures = Failures::new(most);
        let each = debates.chars().map(|c| {
            failures.take((c != 'd').then(|| c.to_string()));
            match failures.pause() {
                Some(_) => 'P',
                None => '.',
            }
        });
        each.collect()
    }

    #[test]
    fn b2_ten_of_one_cause_and_none_done_are_enough() {
        let of_one = |debates| paused(MostFailures::OfOneCause, debates);
        assert_eq!(of_one("xxxxxxxxxxx"), ".........PP");
        assert_eq!(of_one("xxxxxyyyyyxxxxx"), "..............P");
        assert_eq!(of_one("dxxxxxxxxxxxxxx"), "...............");
        assert_eq!(paused(MostFailures::Never, &"x".repeat(30)), ".".repeat(30));
    }

    #[test]
    fn b2_a_number_or_a_share_of_failures_can_be_set() {
        assert_eq!(paused(MostFailures::Count(2), "dxdyd"), "...PP");
        assert_eq!(paused(MostFailures::Percent(50), "xxxxxdddddd"), ".........P.");
        assert_eq!(paused(MostFailures::Percent(50), "xxxxxxxxx"), ".........", "too few");
    }

    #[test]
    fn b2_the_cause_is_told() {
        let mut failures = Failures::new(MostFailures::Count(2));
        failures.take(None);
        failures.take(Some("llama3 gave no reply".to_owned()));
        failures.take(Some("llama3 gave no reply".to_owned()));
        assert_eq!(
            failures.pause().unwrap(),
            "2 of 3 debates degraded or failed, 2 of them because llama3 gave no reply"
        );
    }
}
