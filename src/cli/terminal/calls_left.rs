//! Estimates the calls left in a batch from earlier debates of the same jobs in it, or before one has ended, from a rehearsal. Pure.

use std::collections::BTreeMap;

use crate::plan::DebateLabels;

/// The debates of a batch, by job.
#[derive(Debug, Default)]
pub(in crate::cli) struct CallsLeft(BTreeMap<String, JobCalls>);

/// The debates of one job.
#[derive(Debug, Default)]
struct JobCalls {
    chosen: u64,
    /// Debates that will make no more calls.
    ended: u64,
    /// Debates that ended with a result, and their calls, those of earlier runs included.
    played: u64,
    calls: u64,
    /// The calls of a rehearsal.
    rehearsed: Option<u64>,
}

impl CallsLeft {
    /// For the chosen debates of some jobs.
    pub(in crate::cli) fn new(labels: &DebateLabels) -> Self {
        let mut pace = Self::default();
        for (job, debates) in labels.counts() {
            pace.of(job).chosen = debates as u64;
        }
        pace
    }

    fn of(&mut self, job: &str) -> &mut JobCalls {
        self.0.entry(job.to_owned()).or_default()
    }

    /// Adds a debate to come.
    pub(in crate::cli) fn expect(&mut self, job: &str) {
        self.of(job).chosen += 1;
    }

    /// A rehearsal of one of a job's debates made so many calls.
    pub(in crate::cli) fn expect_calls(&mut self, job: &str, calls: u64) {
        self.of(job).rehearsed = Some(calls).filter(|calls| *calls > 0);
    }

    /// A debate makes no more calls; `calls` is their number if it was played to its end.
    pub(in crate::cli) fn ended(&mut self, job: &str, calls: Option<u64>) {
        let job = self.of(job);
        job.ended += 1;
        job.played += u64::from(calls.is_some());
        job.calls += calls.unwrap_or(0);
    }

    /// The jobs.
    pub(in crate::cli) fn jobs(&self) -> impl Iterator<Item = &String> {
        self.0.keys()
    }

    /// The estimated number of calls left, given the debates that have begun: the job of each, and its calls so far. Debates of
    /// a job of which none has ended are assumed to be like its rehearsal, else like the others, or as long as the longest open one.
    /// Nothing tells how long debates go on that have made as many calls as expected, if no others are left.
    pub(in crate::cli) fn left<'a>(
        &self,
        open: impl Iterator<Item = (&'a str, u64)>,
    ) -> Option<u64> {
        let mut open_of: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
        open.for_each(|(job, calls)| open_of.entry(job).or_default().push(calls));
        let usual = self.usual()?;
        let left = self.0.iter().map(|(name, job)| {
            let open = open_of.remove(name.as_str()).unwrap_or_default();
            let longest = open.iter().max().copied().unwrap_or(0);
            let expected = || job.rehearsed.unwrap_or(usual).max(longest);
            let each = job.each().unwrap_or_else(expected);
            let queued = job.chosen.saturating_sub(job.ended + open.len() as u64);
            // One that has begun has at least one call left.
            let begun = open.iter().map(|calls| each.saturating_sub(*calls).max(1));
            (begun.fold(queued.saturating_mul(each), u64::saturating_add), open.len() as u64)
        });
        let (left, open) = left.fold((0_u64, 0), |a, b| (a.0.saturating_add(b.0), a.1 + b.1));
        Some(left).filter(|left| open == 0 || *left > open)
    }

    /// Average calls per debate of any job; `None` before one has ended or was rehearsed.
    fn usual(&self) -> Option<u64> {
        let all = self.0.values();
        let both = |(n, calls), it: &JobCalls| (n + it.played, calls + it.calls);
        let (played, calls) = all.clone().fold((0, 0), both);
        let rehearsed: Vec<u64> = all.filter_map(|it| it.rehearsed).collect();
        mean(calls, played).or_else(|| mean(rehearsed.iter().sum(), rehearsed.len() as u64))
    }
}

impl JobCalls {
    fn each(&self) -> Option<u64> {
        mean(self.calls, self.played)
    }
}

fn mean(calls: u64, debates: u64) -> Option<u64> {
    calls.checked_div(debates).filter(|each| *each > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pace(jobs: &[(&str, u64)]) -> CallsLeft {
        let mut pace = CallsLeft::default();
        for (job, debates) in jobs {
            (0..*debates).for_each(|_| pace.expect(job));
        }
        pace
    }

    #[test]
    fn e2_what_is_left_goes_by_the_debates_of_the_same_job() {
        let mut pace = pace(&[("short", 10), ("long", 10)]);
        assert_eq!(pace.left([].into_iter()), None, "nothing tells yet");
        pace.ended("short", Some(6));
        assert_eq!(pace.left([].into_iter()), Some(9 * 6 + 10 * 6));
        let open = || [("long", 40)].into_iter();
        assert_eq!(pace.left(open()), Some(9 * 6 + 9 * 40 + 1), "it is longer");
        pace.ended("long", Some(100));
        assert_eq!(pace.left(open()), Some(9 * 6 + 8 * 100 + 60));
    }

    #[test]
    fn e2_before_a_debate_has_ended_a_rehearsal_tells_what_is_left() {
        let mut pace = pace(&[("a", 3), ("b", 2)]);
        pace.expect_calls("a", 20);
        assert_eq!(pace.left([].into_iter()), Some(5 * 20));
        assert_eq!(pace.left([("a", 30)].into_iter()), Some(2 * 30 + 1 + 2 * 20));
        pace.ended("a", Some(10));
        assert_eq!(pace.left([].into_iter()), Some(2 * 10 + 2 * 10), "it was shorter");
    }

    #[test]
    fn e2_what_made_no_call_or_only_a_part_tells_nothing_of_a_whole_one() {
        let mut pace = pace(&[("a", 4)]);
        pace.ended("a", None);
        assert_eq!(pace.left([].into_iter()), None);
        pace.ended("a", Some(10));
        assert_eq!(pace.left([("a", 12)].into_iter()), Some(10 + 1));
        pace.ended("a", Some(10));
        assert_eq!(pace.left([("a", 9)].into_iter()), None);
    }
}
