//! A verdict in words: who is ahead, by how much, and how certain that is.

use serde_json::{Map, Value, json};

use crate::event::{OrderEffect, Reading, Verdict, VerdictJudge, Winner, hundredths};
use crate::formats::outcome_phrases;
use crate::plan::Plan;
use crate::text::{self, mentions};

/// A winner is only narrowly ahead below this share of the scale's maximum: half a point of ten.
const NARROW: f64 = 0.05;

/// What a judge did that put one side ahead in one order of naming, and the other in the other.
const CONTRADICTED: &str = " contradicted itself";
/// What it did if one of its readings put nobody ahead.
const DISAGREED: &str = "'s two readings disagree";

/// A verdict in one line: `mistral (Ann) beats llama3 (Ben), 7.40 to 6.10 (1 judge)`, `A draw between llama3 (Ann) and mistral
/// (Ben), 6.00 to 6.00 (2 judges)`; with more than two, `mistral (Ann) wins with 7.40, ahead of llama3 (Ben) 6.10 and qwen3
/// (Cy) 5.00 (1 judge)`. If judges changed sides, totals do not show who is ahead, so the line has the margin in their place:
/// `mistral (Ann) narrowly beats llama3 (Ben) by 0.25 (2 judges, 1 undecided)`, `A draw between mistral (Ann) and llama3 (Ben):
/// the judge contradicted itself (1 judge)`.
pub(in crate::formats) fn line(plan: &Plan, verdict: &Verdict) -> String {
    let Some(winner) = &verdict.winner else { return outcome_phrases::NO_WINNER.to_owned() };
    let ranked = ranked(plan, verdict, winner);
    let changed = !verdict.turns().is_empty();
    let told = match (winner, ranked.as_slice()) {
        (_, [(one, _), (other, _), rest @ ..]) if changed => by_margin(verdict, one, other, rest),
        (Winner::Draw, ranked) => draw(ranked),
        (_, [(one, a), (other, b)]) => {
            let totals = to(&[*a, *b]);
            format!("{one} {}beats {other}, {totals}", narrowly(verdict))
        }
        (_, [(one, a), rest @ ..]) => {
            format!(
                "{one} wins with {}, {}ahead of {}",
                text::fixed(*a, 2),
                narrowly(verdict),
                scored(rest)
            )
        }
        (_, []) => return outcome_phrases::NO_WINNER.to_owned(),
    };
    format!("{told} ({})", judges(verdict))
}

/// The line in the words that requests have: with others, a debate begun before could not go on.
pub(in crate::formats) fn asked_line(plan: &Plan, verdict: &Verdict) -> String {
    line(plan, verdict).replace(CONTRADICTED, DISAGREED)
}

/// What the judges' margins decided between the two leaders.
fn by_margin(verdict: &Verdict, one: &str, other: &str, rest: &[(String, f64)]) -> String {
    let told = match verdict.winner {
        Some(Winner::Draw) => format!("A draw between {one} and {other}"),
        _ => format!(
            "{one} {}beats {other} by {}",
            narrowly(verdict),
            text::fixed(verdict.margin().unwrap_or_default().abs(), 2)
        ),
    };
    let told = match text::joined(rest.iter().map(|(name, _)| name), "and") {
        none if none.is_empty() => told,
        rest => format!("{told}, ahead of {rest}"),
    };
    // Where the readings of every judge disagree, that alone makes a draw.
    let (turns, heard) = (verdict.turns(), verdict.heard().count());
    if turns.len() < heard {
        return told;
    }
    let whose = if heard == 1 { "the judge" } else { "each judge" };
    let is_level = turns.iter().any(|(_, turn)| *turn == OrderEffect::Level);
    let did = if is_level { DISAGREED } else { CONTRADICTED };
    format!("{told}: {whose}{did}")
}

/// The basis of the decision in sentences: the margin, and why totals are not the whole story, if so.
pub(in crate::formats) fn decided_by(plan: &Plan, verdict: &Verdict) -> String {
    let basis = basis(plan, verdict).map(|basis| format!("{basis}."));
    text::separated(basis.into_iter().chain(notes(plan, verdict)), " ")
}

/// What decides, where the line does not show it: `Mean margin of 2 judges: Ann ahead by 0.25`, unless that is how far the totals are
/// apart; of one judge, what it put.
fn basis(plan: &Plan, verdict: &Verdict) -> Option<String> {
    let heard: Vec<&VerdictJudge> = verdict.heard().collect();
    if let [only] = heard[..] {
        return put(plan, verdict, only);
    }
    if verdict.turns().is_empty() {
        return None;
    }
    let winner = verdict.winner.as_ref()?.id();
    let (ahead, margin) = (ahead(plan, verdict, winner)?, verdict.margin()?.abs());
    let by = winner.map_or(String::new(), |_| format!(" by {}", text::fixed(margin, 2)));
    Some(format!("Mean margin of {} judges: {ahead}{by}", heard.len()))
}

/// `Ann ahead`; of more than two, `Ann ahead of Ben`.
fn ahead(plan: &Plan, verdict: &Verdict, id: Option<&str>) -> Option<String> {
    let Some(id) = id else { return Some("nobody ahead".to_owned()) };
    let of = verdict.leaders()?.into_iter().find(|other| *other != id)?;
    let of = text::told_if(verdict.means().len() != 2, || format!(" of {}", plan.name_of(of)));
    Some(format!("{} ahead{of}", plan.name_of(id)))
}

/// Whom a judge put ahead: `Judge-1 put Ann ahead in both orders of naming, by 0.55 and 0.60`.
fn put(plan: &Plan, verdict: &Verdict, judge: &VerdictJudge) -> Option<String> {
    let picks: Vec<_> = judge.picks(verdict.leaders()?).collect();
    let put = |(id, by): (Option<&str>, f64)| match id {
        Some(_) => Some(format!("{} by {}", ahead(plan, verdict, id)?, text::fixed(by, 2))),
        None => ahead(plan, verdict, id),
    };
    let told = match picks[..] {
        [(None, _), (None, _)] => "nobody ahead in either order of naming".to_owned(),
        [(one, by), (other, by_too)] if one == other => {
            let margins = text::distinct([by, by_too].map(|by| text::fixed(by, 2)));
            let by = text::joined(margins, "and");
            format!("{} in both orders of naming, by {by}", ahead(plan, verdict, one)?)
        }
        [one, other] => {
            let (one, other) = (put(one)?, put(other)?);
            format!(
                "{one} in one order of naming and {other} in the other: no preference, so its margin counts as 0"
            )
        }
        [only] => put(only)?,
        _ => return None,
    };
    Some(format!("{} put {told}", plan.name_of(&judge.judge.id)))
}

/// The details of the outcome.
pub(in crate::formats) fn details(verdict: &Verdict) -> Map<String, Value> {
    let turns = verdict.turns();
    let (level, changed): (Vec<_>, Vec<_>) =
        turns.iter().partition(|(_, turn)| *turn == OrderEffect::Level);
    let [level, changed] = [level, changed]
        .map(|own| own.iter().map(|(judge, _)| &judge.judge.id).collect::<Vec<_>>());
    Map::from_iter([
        ("level_in_one_order".to_owned(), json!(level)),
        ("margin".to_owned(), json!(verdict.margin().map(f64::abs))),
        ("changed_sides".to_owned(), json!(changed)),
        ("scores".to_owned(), json!(verdict.scores())),
    ])
}

/// The reasons of a reading as one text, each after the contestant's name, unless it begins with that.
pub(in crate::formats) fn reasons(plan: &Plan, reading: &Reading) -> String {
    let each = reading.reasons.iter().map(|(id, reason)| {
        let (name, reason) = (plan.name_of(id), text::one_line(&reason.text));
        let lower = reason.to_lowercase();
        let behind = lower.strip_prefix(&name.to_lowercase());
        let is_named = behind.is_some_and(|rest| !rest.starts_with(char::is_alphanumeric));
        if is_named { reason } else { format!("{}: {reason}", mentions::at_beginning(name)) }
    });
    text::separated(each, " ")
}

/// Sentences on judges whose readings disagree on who is ahead, on totals that differ from the margin because of them, and on
/// judges with only one usable reading.
fn notes(plan: &Plan, verdict: &Verdict) -> Vec<String> {
    let several = verdict.heard().count() > 1;
    let turned = verdict.turns().into_iter().filter(|_| several);
    let turned = turned.filter_map(|(judge, _)| Some(format!("{}.", put(plan, verdict, judge)?)));
    let lost = verdict.heard().filter(|judge| judge.lost_a_reading()).map(|judge| {
        let name = plan.name_of(&judge.judge.id);
        format!("Only one reading of {name} counts: the other was unusable.")
    });
    let differ = verdict.totals_differ(|id| plan.name_of(id));
    turned.chain(differ).chain(lost).collect()
}

/// Contestants with their totals: the winner, then the others by their totals.
fn ranked(plan: &Plan, verdict: &Verdict, winner: &Winner) -> Vec<(String, f64)> {
    let means = verdict.means();
    let mut ranked: Vec<(&String, f64)> = means.iter().map(|(id, mean)| (id, *mean)).collect();
    ranked.sort_by_key(|(id, mean)| (winner.id() != Some(*id), -hundredths(*mean)));
    let named = |(id, mean): (&String, f64)| (outcome_phrases::model_of(plan, id), mean);
    ranked.into_iter().map(named).collect()
}

/// The word for a small margin, if it is small.
fn narrowly(verdict: &Verdict) -> &'static str {
    let margin = verdict.margin().unwrap_or_default().abs();
    let most = verdict.rubric.scale.map_or(10, |(_, most)| most);
    if hundredths(margin) < hundredths(NARROW * f64::from(most)) { "narrowly " } else { "" }
}

/// The number of judges and what makes them a weak basis: `1 judge`, `1 judge, one reading`, `3 judges, 1 undecided`, `2 judges, split 1
/// to 1; a judge's two readings differ by 0.40 on average, more than the margin`.
fn judges(verdict: &Verdict) -> String {
    let heard = verdict.heard().count();
    let judges = text::count(heard as u64, "judge");
    let split = verdict.split().map(|[ahead, other]| format!("split {ahead} to {other}"));
    // Whose readings differ in who is ahead. Where all do, the line says so.
    let turned = Some(verdict.turns().len()).filter(|turned| *turned > 0 && *turned < heard);
    let turned = turned.map(|turned| format!("{turned} undecided"));
    let single = verdict.heard().filter(|judge| judge.lost_a_reading()).count();
    let of = text::told_if(heard > 1, || format!("{single} with "));
    let single = (single > 0).then(|| format!("{of}one reading"));
    let all = [Some(judges), split, turned, single].into_iter().flatten();
    let all = text::separated(all, ", ");
    let apart = verdict.reading_difference().filter(|_| verdict.turns().is_empty());
    let (whose, average) = if heard == 1 { ("the", "") } else { ("a", " on average") };
    let apart = apart.map(|by| {
        let by = text::fixed(by, 2);
        format!("; {whose} judge's two readings differ by {by}{average}, more than the margin")
    });
    all + &apart.unwrap_or_default()
}

/// `A draw between Ann and Ben, 6.00 to 6.00`; with more, `A draw between Ann and Ben with 7.40, ahead of Cy 5.00`. Contestants
/// who draw by the judges' margins need not have equal totals.
fn draw(ranked: &[(String, f64)]) -> String {
    let best = ranked.first().map_or(0.0, |(_, mean)| *mean);
    let leading = |(_, mean): &&(String, f64)| hundredths(*mean) == hundredths(best);
    let as_good = ranked.iter().filter(leading).count();
    let (first, rest) = ranked.split_at(as_good.max(2).min(ranked.len()));
    let names: Vec<&str> = first.iter().map(|(name, _)| name.as_str()).collect();
    let behind = behind(rest);
    let totals: Vec<f64> = first.iter().map(|(_, mean)| *mean).collect();
    let totals = match (as_good, ranked.len()) {
        (2.., 3..) => format!(" with {}", text::fixed(best, 2)),
        _ => format!(", {}", to(&totals)),
    };
    format!("A draw between {}{totals}{behind}", text::joined(&names, "and"))
}

/// Those who are behind the first ones, if there are any.
fn behind(rest: &[(String, f64)]) -> String {
    text::told_if(!rest.is_empty(), || format!(", ahead of {}", scored(rest)))
}

/// Totals side by side: `7.40 to 6.10`.
fn to(totals: &[f64]) -> String {
    text::separated(totals.iter().map(|it| text::fixed(*it, 2)), " to ")
}

fn scored(all: &[(String, f64)]) -> String {
    let all = all.iter().map(|(name, mean)| format!("{name} {}", text::fixed(*mean, 2)));
    text::joined(all, "and")
}
