//! Biases of judges: the order of naming, their own family, length (row S4).

use super::claim::{Claim, LEAST_TOPICS};
use super::findings::{JudgeRow, Judges, OrderBias, PanelCompared, PanelRow, Slope, Unit};
use super::number::estimated;
use crate::facts::Kind;
use statistics::estimate::Estimate;

/// Every effect that is looked for, of each judge.
pub(super) fn all(judges: &Judges) -> impl Iterator<Item = Claim> {
    let order = each(&judges.order, |row| (&row.format, row.judge.as_deref()));
    let length = each(&judges.verbosity, |row| (&row.format, row.judge.as_deref()));
    let order = order.into_iter().filter_map(reading_order);
    let family = judges.rows.iter().filter_map(own_family);
    order.chain(family).chain(length.into_iter().filter_map(length_preference))
}

/// The judges who are like coins, in a sentence for each format. Without strengths, nothing is said of those.
pub(super) fn like_coins(judges: &Judges, has_strengths: bool) -> Vec<String> {
    let formats = judges.order.chunk_by(|a, b| a.format == b.format);
    formats.filter_map(|rows| of_format(rows, judges, has_strengths)).collect()
}

/// What is said where the turning of judges makes draws.
const DRAWN: &str = " Judges who change sides with the order leave draws, and draws narrow intervals of strength, so no smallest detectable difference in strength is given.";

fn of_format(rows: &[OrderBias], judges: &Judges, has_strengths: bool) -> Option<String> {
    let like_coins = rows.iter().filter(|row| row.is_like_coins());
    let (all, single): (Vec<_>, Vec<_>) = like_coins.partition(|row| row.judge.is_none());
    let told = if single.is_empty() { &all } else { &single };
    let each: Vec<String> = told.iter().filter_map(|row| same(row, judges)).collect();
    let draws = if all.is_empty() || !has_strengths { "" } else { DRAWN };
    let format = &told.first()?.format;
    Some(format!(
        "With the sides named in either order, {format} debates were decided alike by {}; two tosses of a coin would agree in half. Such verdicts may not follow the arguments.{draws}",
        each.join(", by ")
    ))
}

/// `gemma-2 in 45 of 96 cases (46.9% [34.9%, 59.2%])`.
fn same(row: &OrderBias, judges: &Judges) -> Option<String> {
    let found = &row.consistent;
    let number = (found.value? * found.n as f64).round();
    let share = estimated(Unit::Share, found)?;
    let who = named(row, judges);
    Some(format!("{who} in {number} of {} cases ({share})", found.n))
}

/// How many judgments turned with the order of naming, where topics are too few to test that.
/// Where that is half of them or more, as by chance, it comes first.
pub(super) fn turned(judges: &Judges) -> Vec<String> {
    let all = judges.order.iter().filter(|row| row.judge.is_none());
    let few = all.filter(|row| row.consistent.clusters < LEAST_TOPICS);
    let mut told: Vec<(bool, String)> = few.filter_map(of_few_topics).collect();
    told.sort_by_key(|(is_chance, _)| !is_chance);
    told.into_iter().map(|(_, sentence)| sentence).collect()
}

/// Whether judgments turned as often as by chance, and the sentence.
fn of_few_topics(row: &OrderBias) -> Option<(bool, String)> {
    let (found, format) = (&row.consistent, &row.format);
    let all = found.n;
    let turned = all - (found.value? * all as f64).round() as usize;
    let is_chance = all > 1 && 2 * turned >= all;
    let sentence = if is_chance {
        format!(
            "Do not rely on who won {format} debates: in {turned} of {all} judgments, the order in which the sides were named decided who is ahead, and tosses of a coin would do that in half."
        )
    } else {
        let which = match all {
            1 => "the only judgment".to_owned(),
            all => format!("{turned} of {all} judgments"),
        };
        format!(
            "In {which} of {format} debates, the order of naming decided who is ahead: such a verdict may not follow the arguments."
        )
    };
    (turned > 0).then_some((is_chance, sentence))
}

/// The judge of a row; of a format with one judge, that one.
fn named<'j>(row: &'j OrderBias, judges: &'j Judges) -> &'j str {
    let of_row = |it: &&JudgeRow| it.format == row.format && it.kind == Kind::Verdict;
    let mut own = judges.rows.iter().filter(of_row);
    let only = own.next().filter(|_| own.next().is_none()).map(|it| &*it.judge);
    row.judge.as_deref().or(only).unwrap_or("all judges")
}

/// What may be held against the judges of panels: the slot that is named first, the criterion that is asked for first, their family.
pub(super) fn of_panels(panels: &[PanelRow]) -> impl Iterator<Item = Claim> {
    let judges =
        panels.iter().flat_map(|panel| panel.judges.iter().map(move |judge| (panel, judge)));
    judges.flat_map(|(panel, judge)| {
        let who = format!("{} on the panel {}", judge.judge, panel.panel);
        let what = match panel.compared {
            PanelCompared::Sides => "side",
            PanelCompared::FirstAndFinal => "answer of a debate",
            PanelCompared::DebateAndAlone => "answer, of a debate or of a model alone,",
        };
        let claims = [
            gain(&judge.slot_effect, ["first", "second"], |by, slot| {
                format!("{who} prefers the {what} in the {slot} slot by {by} points; it reads in both orders, so if that decides, its vote is a tie.")
            }),
            gain(&judge.criterion_order, ["more", "less"], |by, more| {
                format!("{who} gives the first criterion {by} points {more} than the others.")
            }),
            gain(&judge.self_preference, ["above", "below"], |by, above| {
                format!("{who} puts its own family {by} points {above} the voting judges' scores; it has no vote there.")
            }),
        ];
        claims.into_iter().flatten()
    })
}

/// What is told of a gain that may be none: by how many points, and the word for a gain or that for a loss.
fn gain(
    found: &Estimate,
    [gain, loss]: [&str; 2],
    sentence: impl Fn(&str, &str) -> String,
) -> Option<Claim> {
    let by = estimated(Unit::Score, &found.clone().size())?;
    let word = if found.value? > 0.0 { gain } else { loss };
    Some(Claim { p: found.p_or_tossed(0.0)?, sentence: sentence(&by, word) })
}

/// The rows of single judges; of formats with one judge, that of all together.
fn each<R>(rows: &[R], of: impl Fn(&R) -> (&String, Option<&str>)) -> Vec<&R> {
    let has_judges =
        |format: &String| rows.iter().any(|row| of(row).0 == format && of(row).1.is_some());
    let wanted = |row: &&R| of(row).1.is_some() || !has_judges(of(row).0);
    rows.iter().filter(wanted).collect()
}

/// `gemma-2 as a judge of duel debates favours`, `Judges of duel debates favour`.
fn who(judge: Option<&str>, format: &str, verb: &str) -> String {
    match judge {
        Some(judge) => format!("{judge} as a judge of {format} debates {verb}s"),
        None => format!("Judges of {format} debates {verb}"),
    }
}

/// Where most debates were read in both orders, what the first place is worth in points, which tells more than who is ahead.
fn reading_order(row: &OrderBias) -> Option<Claim> {
    let worth = gain(&row.slot_effect, ["first", "later"], |by, place| {
        format!(
            "{} the side named {place}, by {by} points. Asking in both orders cancels this out of scores, and leaves a judge whose decision it turns with nobody ahead.",
            who(row.judge.as_deref(), &row.format, "favour"),
        )
    });
    let is_usual = 3 * row.slot_effect.n > row.first_slot.n;
    worth.filter(|_| is_usual).or_else(|| first_ahead(row))
}

/// How often the one that is named first is ahead.
fn first_ahead(row: &OrderBias) -> Option<Claim> {
    let share = estimated(Unit::Share, &row.first_slot)?;
    let who = who(row.judge.as_deref(), &row.format, "favour");
    let place = match row.first_slot.value {
        Some(..0.5) => "later",
        _ => "first",
    };
    Some(Claim {
        p: row.first_slot.p_or_tossed(0.5)?,
        sentence: format!(
            "{who} the side named {place}: the first is ahead in {share} of cases; half would be fair."
        ),
    })
}

fn own_family(row: &JudgeRow) -> Option<Claim> {
    let found = &row.self_preference;
    let by = estimated(Unit::Score, found).filter(|_| found.value > Some(0.0))?;
    Some(Claim {
        p: found.p_of(0.0)?,
        sentence: format!(
            "{} as a judge of {} {} prefers its own family by {by}.",
            row.judge,
            row.format,
            row.kind.judged()
        ),
    })
}

/// By how much the total grows where a text is twice as long.
fn length_preference(row: &Slope) -> Option<Claim> {
    let who = who(row.judge.as_deref(), &row.format, "score");
    let claim = gain(&row.per_doubling, ["higher", "lower"], |by, than| {
        format!(
            "{who} a text of twice the length, by the same model, {by} {than}: length may stand in for quality."
        )
    })?;
    Some(Claim { p: row.slope.p_of(0.0)?, ..claim })
}
