//! What happens from round to round: consensus in roundtables, survival in knockouts.

use super::{Axis, Cell, Figure, SMALL, Section, Source, Unit, Whisker, cells, number};
use crate::stats::findings::ConsensusRound;
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

/// The median of survival, where it is more than a single case.
fn half(steps: &[Step]) -> Option<String> {
    let last = steps.last().filter(|_| steps[0].at_risk >= SMALL)?;
    let out = steps.iter().find(|step| step.survival <= 0.5);
    Some(match out {
        Some(step) => {
            let rounds = count(step.round, "round");
            format!("half of them are voted out within {rounds} of coming in")
        }
        None => {
            let left = number(Unit::Share, last.survival);
            format!("{left} after {}", count(last.round, "round"))
        }
    })
}
