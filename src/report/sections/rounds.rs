//! What happens from round to round: consensus in roundtables, survival in knockouts.

use super::super::charts::curve::{self, At};
use super::super::document::{Cell, Chart, DataTable, Figure, Section};
use super::super::number::Rounding;
use super::{SMALL, Source, label};
use crate::stats::findings::{ConsensusRound, Survival, Unit};
use crate::text;
use statistics::survival::Step;

const SHARE: Rounding = Rounding::Unit(Unit::Share);

/// How far roundtables agree, by round.
pub(crate) fn consensus(source: &mut Source<'_>) -> Section {
    let rounds = &source.findings.consensus;
    let parts = match rounds.is_empty() {
        true => Vec::new(),
        false => vec![consensus_part(source, rounds)],
    };
    let intro = "The share of weight behind the leading stance after each round. It may rise because arguments convince or because models give in.";
    let empty = "No roundtable has rounds to compare.";
    Section::new("consensus", "Consensus by round", intro, parts, empty)
}

fn consensus_part(source: &mut Source<'_>, rounds: &[ConsensusRound]) -> Figure {
    let title = "Weight behind the leading stance";
    let desc = format!(
        "The mean share by round with {} intervals.",
        source.confidence()
    );
    let points: Vec<At> = rounds.iter().map(consensus_at).collect();
    let chart = curve::joined(&label("consensus", 1, title, &desc), &points);
    let column = format!("#leading stance [{}]", source.confidence());
    let mut table = DataTable::new(title, &["#round", &column, "#n", "#topics", "#debates"]);
    for round in rounds {
        let what = format!("round {} of roundtables", round.round);
        let set = source.set(&round.debates, &what);
        let leading = &round.leading;
        table.row_that_is(
            leading.n < SMALL,
            vec![
                Cell::count(round.round as usize),
                Cell::estimate(leading, SHARE),
                Cell::count(leading.n),
                Cell::count(leading.clusters),
                Cell::debates(set),
            ],
        );
    }
    let caption = format!(
        "{title}, by round, over roundtables, with {} intervals.",
        source.confidence()
    );
    Figure::new(
        chart.into_iter().map(Chart::fluid).collect(),
        &caption,
        table,
    )
}

fn consensus_at(round: &ConsensusRound) -> At {
    At {
        round: round.round,
        share: round.leading.value,
        ends: round.leading.low.zip(round.leading.high),
        muted: round.leading.n < SMALL,
    }
}

/// How long debaters stand.
pub(crate) fn survival(source: &mut Source<'_>) -> Section {
    let found = source
        .findings
        .survival
        .as_ref()
        .filter(|s| !s.steps.is_empty());
    let parts = found
        .map(|survival| survival_part(source, survival))
        .into_iter()
        .collect();
    let intro = "The share of debaters still standing after so many rounds (Kaplan–Meier). Who stands at the end of a debate is counted as long as it was watched.";
    let empty = "No knockout has a debater who came in.";
    Section::new("survival", "Survival in rotation", intro, parts, empty)
}

fn survival_part(source: &mut Source<'_>, survival: &Survival) -> Figure {
    let title = "Debaters still standing";
    let desc = format!(
        "Steps from 100% down, with a band of {} intervals, over {}.",
        source.confidence(),
        text::count(survival.spells as u64, "stand")
    );
    let points: Vec<At> = survival.steps.iter().map(survival_at).collect();
    let chart = curve::steps(&label("survival", 1, title, &desc), &points);
    let set = source.set(&survival.debates, "knockouts with rotation");
    let column = format!("#still standing [{}]", source.confidence());
    let columns = [
        "#rounds",
        &column,
        "#at risk",
        "#voted out",
        "#censored",
        "#debates",
    ];
    let mut table = DataTable::new(title, &columns);
    for step in &survival.steps {
        let ends = step.low.zip(step.high);
        let missing = ends
            .is_none()
            .then_some("no interval where nobody has been voted out or nobody is left");
        table.row_that_is(
            step.at_risk < SMALL,
            vec![
                Cell::count(step.round as usize),
                Cell::interval(Some(step.survival), ends, SHARE, missing),
                Cell::count(step.at_risk),
                Cell::count(step.ended),
                Cell::count(step.censored),
                Cell::debates(set.clone()),
            ],
        );
    }
    let caption = format!(
        "{title} after each round, with a band of {} intervals.",
        source.confidence()
    );
    Figure::new(
        chart.into_iter().map(Chart::fluid).collect(),
        &caption,
        table,
    )
}

fn survival_at(step: &Step) -> At {
    At {
        round: step.round,
        share: Some(step.survival),
        ends: step.low.zip(step.high),
        muted: step.at_risk < SMALL,
    }
}
