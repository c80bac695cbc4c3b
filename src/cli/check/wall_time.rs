//! How long a run takes by the clock, and how much of it fits into a limit, from what earlier runs took.

use std::time::Duration;

use crate::store::batches;
use crate::store::layout::OutputDir;
use crate::text;

/// How many calls of models were in work at a time in earlier runs here, on average; `None` where nothing tells that it is more
/// than one.
pub(super) fn calls_at_once(output: &OutputDir) -> Option<f64> {
    let batches = batches::all(output).into_iter().filter(|batch| !batch.rehearsal);
    at_once(batches.map(|batch| {
        let models = batch.models.values().map(|it| it.used.prompt_ms + it.used.reply_ms);
        (models.sum(), batch.wall_ms)
    }))
}

/// From the time of models and that by the clock, by run.
fn at_once(runs: impl Iterator<Item = (u64, u64)>) -> Option<f64> {
    let (models, clock) = runs.fold((0, 0), |sum, run| (sum.0 + run.0, sum.1 + run.1));
    let average = models as f64 / clock.max(1) as f64;
    (clock > 0 && average >= 1.05).then_some(average)
}

/// How many of so many debates are likely to fit into a time, if all of them take `seconds`.
pub(super) fn fitting(debates: u64, seconds: f64, left: Duration) -> String {
    let share = (left.as_secs_f64() / seconds.max(f64::MIN_POSITIVE)).min(1.0);
    let fit = (debates as f64 * share).floor() as u64;
    let (fit, all) = (text::grouped(fit), text::count(debates, "debate"));
    let left = text::lasting(u64::try_from(left.as_millis()).unwrap_or(u64::MAX));
    format!("within {left}: about {fit} of {all} fit")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn j3_time_by_the_clock_counts_calls_side_by_side() {
        let told = |runs: &[(u64, u64)]| at_once(runs.iter().copied());
        assert_eq!(told(&[(8_000, 2_000), (1_000, 1_000)]), Some(3.0));
        assert_eq!(told(&[(1_000, 1_000)]), None);
        assert_eq!(told(&[]), None);
    }

    #[test]
    fn j3_as_many_debates_fit_as_their_share_of_the_time() {
        let hour = Duration::from_secs(3600);
        assert_eq!(fitting(400, 4.0 * 3600.0, hour), "within 60 min: about 100 of 400 debates fit");
        assert_eq!(fitting(3, 60.0, hour), "within 60 min: about 3 of 3 debates fit");
        assert_eq!(fitting(1, 0.0, hour), "within 60 min: about 1 of 1 debate fit");
    }
}
