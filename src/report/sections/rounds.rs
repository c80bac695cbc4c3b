//! What happens from round to round: consensus in roundtables, survival in knockouts.

use super::{Axis, Cell, Figure, Rounding, SMALL, Section, Source, Unit, Whisker, cells, number};
use crate::stats::findings::ConsensusRound;
use crate::stats::number::shown;
use crate::text::{count, told_if};
use statistics::survival::Step;

/// How far roundtables agree, by round.
pub(crate) fn consensus(source: &mut Source<'_>) -> Section {
    let rounds = &source.findings.consensus;
    let title = "Weight behind the leading stance";
    let mut figure = Figure::new(title, "#round|±leading stance|#n|#held it|#topics|#debates");
    for round in rounds {
        let leading = &round.leading;
        let what = format!("round {} of roundtables", round.round);
        let cells = cells![
            round.round as usize,
            Cell::estimate(leading, Unit::Share),
            leading.n,
            round.held,
            leading.clusters,
            source.debates(&round.debates, &what),
        ];
        let name = format!("after round {}", round.round);
        figure.drawn(Whisker::from_estimate(name, leading), cells);
    }
    let caption = "Weight behind the leading stance by round, over roundtables, {intervals}.";
    let figure = figure.filled().map(|it| source.whiskers(it, shares(), caption));
    let figure = figure.map(|it| it.finding(trend(rounds)));
    let intro = "The share of weight behind the leading stance after each round. Roundtables that stop early keep their last share, so every round is over the same ones, which are all that did not fail. It may rise because arguments convince or because models give in.";
    let empty = "No roundtable has rounds to compare.";
    Section::new("consensus", "Consensus by round", intro, figure, empty)
}

/// All shares there may be.
fn shares() -> Axis {
    Axis::new(Unit::Share).between(0.0, 1.0)
}

/// Where the share begins and ends.
fn trend(rounds: &[ConsensusRound]) -> Option<String> {
    let [first, .., last] = rounds else { return None };
    let share = |round: &ConsensusRound| {
        let value = number(Unit::Share, round.leading.value?);
        Some(format!("{value} after round {}", round.round))
    };
    let (from, to) = (share(first)?, share(last)?);
    let (all, held) = (last.leading.n, last.held);
    let some = told_if(held < all, || format!(", {held} of which held that round"));
    Some(format!("{from}, {to}, over {}{some}", count(all, "roundtable")))
}

/// How long debaters stand.
pub(crate) fn survival(source: &mut Source<'_>) -> Section {
    let survival = source.findings.survival.as_ref();
    let steps = survival.map_or(&[][..], |survival| &survival.steps);
    let debates = survival.map_or(&[][..], |survival| &survival.debates);
    let title = "Debaters still standing";
    let columns = "#rounds|±still standing|#stood before|#voted out|#debate ended|#debates";
    let mut figure = Figure::new(title, columns);
    for step in steps {
        let interval = [Some(step.survival), step.low, step.high];
        let why = "no interval where nobody has been voted out or nobody is left";
        let missing = step.low.is_none().then_some(why);
        let cells = cells![
            step.round as usize,
            Cell::interval(interval, Unit::Share, missing),
            step.at_risk,
            step.ended,
            step.censored,
            source.debates(debates, "knockouts with rotation"),
        ];
        let name = format!("after {}", count(step.round, "round"));
        let whisker = Whisker::new(name, interval, step.at_risk < SMALL);
        figure.drawn(whisker.because(missing), cells);
    }
    let caption = "Debaters still standing after so many rounds since they came in, {intervals}.";
    let figure = figure.filled().map(|it| source.whiskers(it, shares(), caption));
    let figure = figure.map(|it| it.finding(half(steps)));
    let intro = "The share of debaters still standing after N rounds (Kaplan–Meier). A debater who still stands when a debate ends leaves the count there, without being voted out; failed debates are left out.";
    let empty = "No knockout has a debater who came in.";
    Section::new("survival", "Survival in rotation", intro, figure, empty)
}

/// The median of survival with its interval, where it is more than a single case and the interval has two ends: it goes on as long as
/// one half is in the interval of the share. Without a median, the share at the end.
fn half(steps: &[Step]) -> Option<String> {
    let last = steps.last().filter(|_| steps[0].at_risk >= SMALL)?;
    let half = |share: fn(&Step) -> Option<f64>| {
        let out = steps.iter().find(|step| share(step).is_some_and(|share| share <= 0.5));
        out.map(|step| f64::from(step.round))
    };
    if let Some(median) = half(|step| Some(step.survival)) {
        let (low, high) = half(|step| step.low).zip(half(|step| step.high))?;
        let rounds = shown(Rounding::Decimals(0), median, Some(low), Some(high));
        return Some(format!("half of them are voted out within {rounds} rounds of coming in"));
    }
    let left = shown(Unit::Share, last.survival, last.low, last.high);
    Some(format!("{left} after {}", count(last.round, "round")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s5_a_median_of_survival_is_told_only_with_its_interval() {
        let told = |shares: &[[f64; 3]]| {
            let step = |(round, share): (u32, &[f64; 3])| Step {
                round,
                at_risk: 24,
                ended: 8,
                censored: 0,
                survival: share[0],
                low: Some(share[1]),
                high: Some(share[2]),
            };
            half(&(1..).zip(shares).map(step).collect::<Vec<_>>())
        };
        let open = told(&[[0.54, 0.19, 0.8], [0.18, 0.01, 0.51]]);
        assert_eq!(open, None, "it may be that half are never voted out");
        let sure = told(&[[0.54, 0.4, 0.68], [0.18, 0.05, 0.36]]);
        let median = "half of them are voted out within 2 [1, 2] rounds of coming in";
        assert_eq!(sure.as_deref(), Some(median));
        let few = told(&[[0.9, 0.8, 0.95], [0.7, 0.55, 0.8]]);
        assert_eq!(few.as_deref(), Some("70.0% [55.0%, 80.0%] after 2 rounds"));
    }
}
