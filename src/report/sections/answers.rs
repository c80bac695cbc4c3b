//! How often questions with known answers were answered correctly, by debates and by their controls.

use super::super::charts::scatter::{self, Spot};
use super::{
    Axis, Cell, Chart, Figure, Rounding, Section, Source, Unit, Whisker, cells, number, small,
    with_intervals,
};
use crate::plan::arm_in_words;
use crate::stats::NONE_DETECTABLE;
use crate::stats::findings::{Answers, ArmAccuracy};
use statistics::estimate::Estimate;

/// The section; `None` if no debate is about such a question.
pub(crate) fn section(source: &mut Source<'_>) -> Option<Section> {
    let answers = source.findings.answers.as_ref()?;
    let mut figures = vec![accuracy(source, answers)];
    figures.extend(against_tokens(source, answers));
    figures.extend(tokens(answers));
    figures.extend(differences(source, answers));
    figures.extend(pairs(answers));
    let intro = "Answers graded against the key, without a model. Controls are answers without a debate, each kind of which is an arm: one answer (single), the majority of several (vote, self-consistency), a consultancy. They are compared at equal tokens only if matched: given as many tokens as the debates. Outdated answers were matched to debates that have changed since, and are in no number. Invalid answers count as wrong in the first column; intervals are clustered by the question's cluster, or by question. A pair is a question with one setting of the job's matrix and all its runs.";
    let title = "Answers to known questions";
    Some(Section::new("answers", title, intro, figures, ""))
}

fn accuracy<'f>(source: &mut Source<'f>, answers: &'f Answers) -> Figure {
    let columns = "arm|±correct|±correct of valid|±invalid|#missing|#outdated|#answers|#questions|matched|#debates";
    let mut figure = Figure::new("Accuracy", columns);
    for arm in &answers.arms {
        let what = format!("answers of {} ({})", arm_in_words(&arm.arm), arm.format);
        let name = name(answers, arm);
        let cells = cells![
            &name,
            Cell::estimate(&arm.strict, Unit::Share),
            Cell::estimate(&arm.answered, Unit::Share),
            Cell::estimate(&arm.invalid, Unit::Share),
            arm.missing,
            arm.stale,
            arm.strict.n,
            arm.questions,
            matched(arm.matched),
            source.debates(&arm.debates, &what),
        ];
        figure.drawn(Whisker::from_estimate(name, &arm.strict), cells);
    }
    let axis = Axis::new(Unit::Share).with_guessing(answers.chance).between(0.0, 1.0);
    let caption = "The share of correct answers, {intervals}; invalid answers count as wrong.";
    source.whiskers(figure, axis, caption).with_keys(guessing(answers))
}

/// What the line of guessing means.
fn guessing(answers: &Answers) -> Option<(&'static str, String)> {
    let chance = number(Unit::Share, answers.chance?);
    Some(("dashed", format!("guessing: {chance}")))
}

/// An arm's name, with its format where another arm has the same.
fn name(answers: &Answers, arm: &ArmAccuracy) -> String {
    let alike = answers.arms.iter().filter(|other| other.arm == arm.arm).count();
    let words = arm_in_words(&arm.arm);
    if alike > 1 { format!("{words} · {}", arm.format) } else { words }
}

/// Accuracy against the tokens that it took: of debates, of controls, and of the first samples of those that count samples.
fn against_tokens(source: &mut Source<'_>, answers: &Answers) -> Option<Figure> {
    let title = "Accuracy against tokens";
    let mut figure = Figure::new(title, "answers|#samples|±reply tokens|±correct|#answers");
    let mut spots = Vec::new();
    for arm in &answers.arms {
        let whole = (None, &arm.tokens, &arm.strict);
        let points =
            arm.curve.iter().map(|point| (Some(point.samples), &point.tokens, &point.strict));
        for (samples, tokens, strict) in [whole].into_iter().chain(points) {
            let all = || Cell::missing("all that there are");
            let cells = cells![
                &arm_in_words(&arm.arm),
                samples.map_or_else(all, Cell::from),
                Cell::estimate(tokens, Unit::Tokens),
                Cell::estimate(strict, Unit::Share),
                strict.n,
            ];
            figure.row(small(strict), cells);
        }
        spots.extend(spot(answers, arm));
    }
    let desc = "A point per arm: higher means more accurate, further right means more tokens. A line leads to the point through what the first samples alone come to.";
    let label = source.label(title, desc);
    let units = [Unit::Tokens.into(), Unit::Share.into()];
    let chart = scatter::chart(&label, &spots, units, answers.chance)?;
    let intervals = with_intervals(spots.iter().any(|spot| spot.ends.is_some()));
    let caption = format!(
        "The share of correct answers {intervals} against the tokens of the replies that an answer depends on. Where an arm counts samples, a line shows what the first of them alone come to."
    );
    let figure = figure.charted([Chart::fluid(chart)], &caption);
    Some(figure.with_keys(scatter::keys(&spots)).with_keys(guessing(answers)))
}

/// An arm with all its samples, and the way there through the first of them.
fn spot(answers: &Answers, arm: &ArmAccuracy) -> Option<Spot> {
    let at = |tokens: &Estimate, strict: &Estimate| tokens.value.zip(strict.value);
    let (x, y) = at(&arm.tokens, &arm.strict)?;
    let way = arm.curve.iter().filter_map(|point| at(&point.tokens, &point.strict));
    Some(Spot {
        name: name(answers, arm),
        x,
        y,
        ends: arm.strict.low.zip(arm.strict.high),
        muted: small(&arm.strict),
        way: way.collect(),
    })
}

/// The tokens of matched controls beside those of their debates, by job and cell.
fn tokens(answers: &Answers) -> Option<Figure> {
    let columns = "arm|job|setting|#spent of allotted tokens|matched|#answers";
    let mut figure = Figure::new("Tokens of matched controls", columns);
    let arms = answers.arms.iter();
    for (arm, cell) in arms.flat_map(|it| it.cells.iter().map(move |cell| (&it.arm, cell))) {
        let cells = cells![
            &arm_in_words(arm),
            &cell.job,
            &cell.cell,
            Cell::number(Some(cell.ratio), Rounding::Decimals(2), None),
            matched(Some(cell.matched)),
            cell.answers,
        ];
        figure.row(false, cells);
    }
    figure.filled()
}

pub(super) fn matched(matched: Option<bool>) -> &'static str {
    match matched {
        Some(true) => "yes",
        Some(false) => "not matched",
        None => "–",
    }
}

fn differences<'f>(source: &mut Source<'f>, answers: &'f Answers) -> Option<Figure> {
    let columns = "debate minus|±difference (points)|#p (Holm)|!detectable (points)|matched|#pairs|#questions";
    let mut figure = source.table("Debate against its controls", columns);
    for one in &answers.compared {
        let found = &one.found;
        let why = found.estimate.reason.as_deref();
        let cells = cells![
            &arm_in_words(&one.arm),
            Cell::estimate(&found.estimate, Rounding::Points),
            Cell::number(found.p_adjusted, Rounding::PValue, why),
            Cell::number(found.detectable, Rounding::Points, why.or(Some(NONE_DETECTABLE))),
            matched(one.matched),
            found.estimate.n,
            one.questions,
        ];
        let name = format!("debate − {}", arm_in_words(&one.arm));
        figure.drawn(Whisker::from_difference(name, found), cells);
    }
    let caption = "Accuracy of debates minus that of each control on the same questions, in points, {intervals}.";
    let axis = Axis::around(0.0, Rounding::Points);
    Some(source.whiskers(figure.filled()?, axis, caption))
}

/// The pairs of these differences: who alone is right in how many, tests of each difference alone, and what is left out.
fn pairs(answers: &Answers) -> Option<Figure> {
    let columns = "debate minus|#only debate|#only control|#McNemar p|#p|#unmatched|#outdated";
    let mut figure = Figure::new("Pairs behind these differences", columns);
    for one in &answers.compared {
        let why = one.found.estimate.reason.as_deref();
        let inexact = if one.debate_only.is_none() { TWICE } else { "pairs share a cluster" };
        let cells = cells![
            &arm_in_words(&one.arm),
            only(one.debate_only),
            only(one.arm_only),
            Cell::number(one.mcnemar_p, Rounding::PValue, Some(inexact)),
            Cell::number(one.found.p, Rounding::PValue, why),
            one.unmatched,
            one.stale,
        ];
        figure.row(small(&one.found.estimate), cells);
    }
    figure.filled()
}

/// Why pairs are not counted by who has them right.
const TWICE: &str = "a side ran more than once";

fn only(pairs: Option<usize>) -> Cell {
    pairs.map_or_else(|| Cell::missing(TWICE), Cell::from)
}
