//! What was found and what to distrust, in sentences.

use super::board::FEW;
use super::estimate::Estimate;
use super::findings::{Breakdown, Comparisons, Findings, Group, Measure, StrengthBoard, Unit};
use super::number::{number, shown};
use crate::text::count;

/// Below so many topics, clustered intervals tend to be too narrow.
const FEW_TOPICS: usize = 40;
/// Krippendorff's own line: below it, no conclusions.
const LOW_ALPHA: f64 = 0.667;
/// More unusable judgments than this are worth a warning.
const UNUSABLE: f64 = 0.05;

/// What was found; the first sentence is the verdict.
pub(super) fn headlines(findings: &Findings) -> Vec<String> {
    if findings.counts.planned == 0 {
        return vec!["No debate was counted.".to_owned()];
    }
    let boards = findings
        .leaderboards
        .strengths
        .iter()
        .filter(|board| board.of == "model");
    let mut found: Vec<String> = boards.filter_map(strength).collect();
    let (alone, compared): (Vec<_>, Vec<_>) = findings
        .comparisons
        .iter()
        .partition(|family| family.reason.is_some());
    found.extend(compared.into_iter().map(differences));
    found.extend(outcomes(findings));
    found.extend(not_compared(&alone));
    found.push(played(findings));
    found
}

/// The formats in which fewer than two models were scored.
fn not_compared(families: &[&Comparisons]) -> Option<String> {
    let formats: Vec<&str> = families.iter().map(|family| &*family.format).collect();
    let (last, rest) = formats.split_last()?;
    let formats = if rest.is_empty() {
        (*last).to_owned()
    } else {
        format!("{} and {last}", rest.join(", "))
    };
    Some(format!(
        "In {formats} debates no two models were scored, so none are compared."
    ))
}

fn strength(board: &StrengthBoard) -> Option<String> {
    let lead = board.lead.as_ref()?;
    let elo = shown(Unit::Elo, lead.elo, lead.low, lead.high);
    let debates = count(board.comparisons as u64, "debate");
    let (above, below) = (&lead.above, &lead.below);
    Some(match lead.low {
        Some(low) if low > 0.0 => {
            format!("{above} leads {below} by {elo} Elo, from {debates} with a winner.")
        }
        Some(_) => format!(
            "{above} stands {elo} Elo before {below}, from {debates} with a winner: who is stronger is open."
        ),
        None => format!(
            "{above} stands {elo} Elo before {below}, from {debates} with a winner; no interval can be given."
        ),
    })
}

/// What a format's paired differences come to.
fn differences(family: &Comparisons) -> String {
    let format = &family.format;
    let clear = |p: Option<f64>| p.is_some_and(|p| p < 0.05);
    let sure: Vec<String> = family
        .pairs
        .iter()
        .filter(|pair| clear(pair.p_adjusted))
        .filter_map(|pair| {
            let d = &pair.difference;
            let value = d.value?;
            let (more, less) = if value > 0.0 {
                (&pair.a, &pair.b)
            } else {
                (&pair.b, &pair.a)
            };
            let (low, high) = if value > 0.0 {
                (d.low, d.high)
            } else {
                (d.high.map(|h| -h), d.low.map(|l| -l))
            };
            let shown = shown(Unit::Score, value.abs(), low, high);
            Some(format!("{more} scores {shown} above {less}"))
        })
        .collect();
    let compared = count(family.pairs.len() as u64, "pair");
    if !sure.is_empty() {
        let told: Vec<&str> = sure.iter().take(3).map(String::as_str).collect();
        let more = sure.len() - told.len();
        let rest = if more > 0 {
            format!("; {more} more differ")
        } else {
            String::new()
        };
        return format!(
            "In {format} debates {}{rest} ({compared} of models compared, corrected after Holm).",
            told.join(", ")
        );
    }
    let detectable = family
        .pairs
        .iter()
        .filter_map(|pair| pair.detectable)
        .fold(f64::NAN, f64::max);
    let power = if detectable.is_nan() {
        "nor could any have been found: too few topics or no variation".to_owned()
    } else {
        format!(
            "differences below {} could have been missed",
            number(Unit::Score, detectable)
        )
    };
    format!(
        "In {format} debates no two models differ clearly in score ({compared} compared); {power}."
    )
}

/// What the formats without a winner came to.
fn outcomes(findings: &Findings) -> Vec<String> {
    let formats = |breakdown: &&Breakdown| breakdown.by == ["format"];
    let groups = findings
        .breakdowns
        .iter()
        .find(formats)
        .map_or(&[][..], |b| &b.groups);
    let told = [
        ("knockout", "rotations", "{} rotations a debate"),
        (
            "roundtable",
            "consensus",
            "consensus in {} of the debates that sought it",
        ),
        ("dialectic", "auto_score", "final answers score {} of 10"),
    ];
    let sentence = |(format, name, words): &(&str, &str, &str)| {
        let group = groups.iter().find(|group| group.key == [*format])?;
        let measure = measure(group, name)?;
        let e = &measure.estimate;
        let value = shown(measure.unit, e.value?, e.low, e.high);
        let from = count(e.n as u64, "debate");
        Some(format!(
            "{}: {} ({from}).",
            capital(format),
            words.replace("{}", &value)
        ))
    };
    told.iter().filter_map(sentence).collect()
}

fn measure<'g>(group: &'g Group, name: &str) -> Option<&'g Measure> {
    group.measures.iter().find(|measure| measure.name == name)
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or(String::new(), |first| {
        first.to_uppercase().chain(letters).collect()
    })
}

fn played(findings: &Findings) -> String {
    let c = &findings.counts;
    format!(
        "{} on {}: {} done, {} degraded, {} failed.",
        capital(&count(c.planned as u64, "debate")),
        count(c.topics as u64, "topic"),
        c.done,
        c.degraded,
        c.failed
    )
}

/// What to distrust.
pub(super) fn cautions(findings: &Findings) -> Vec<String> {
    let c = &findings.counts;
    let mut all = Vec::new();
    let mut say = |holds: bool, text: String| all.extend(holds.then_some(text));
    let debates = |n: usize| count(n as u64, "debate");
    say(
        c.rehearsals > 0,
        if c.rehearsals == c.planned {
            "All of this is rehearsed: made-up replies, no model spoke.".to_owned()
        } else {
            let all = debates(c.planned);
            format!(
                "{} of {all} are rehearsals: made-up replies, no model spoke.",
                c.rehearsals
            )
        },
    );
    say(
        c.rehearsals_left_out > 0,
        format!(
            "{} left out: --include-rehearsals counts them.",
            match c.rehearsals_left_out {
                1 => "1 rehearsal is".to_owned(),
                n => format!("{n} rehearsals are"),
            }
        ),
    );
    say(
        (1..FEW_TOPICS).contains(&c.topics),
        format!(
            "{} only: below {FEW_TOPICS}, intervals that are clustered by topic tend to be too narrow.",
            count(c.topics as u64, "topic")
        ),
    );
    let out = c.emergency + c.fallback;
    say(
        out > 0,
        format!(
            "{} had an emergency reply and {} a fallback model's: they are counted, not compared.",
            debates(c.emergency),
            c.fallback
        ),
    );
    let lost = c.judgments.invalid + c.judgments.abstained;
    say(
        lost as f64 > UNUSABLE * c.judgments.planned as f64,
        format!(
            "{lost} of {} are of no use (invalid or missing).",
            count(c.judgments.planned as u64, "judgment")
        ),
    );
    say(
        c.copies > 0,
        format!("Copies in {} are counted once.", directories(c.copies)),
    );
    say(
        c.damaged > 0,
        format!(
            "{} could not be read and are not counted.",
            count(c.damaged as u64, "file")
        ),
    );
    let boards = findings.leaderboards.strengths.iter();
    all.extend(
        boards
            .filter(|board| board.of == "model")
            .flat_map(of_board),
    );
    all.extend(of_judges(findings));
    all
}

fn directories(n: usize) -> String {
    if n == 1 {
        "1 directory".to_owned()
    } else {
        format!("{n} directories")
    }
}

fn of_board(board: &StrengthBoard) -> Vec<String> {
    let small = board.rows.iter().filter(|row| row.small).count();
    let mut all: Vec<String> = board
        .notes
        .iter()
        .filter(|note| !note.contains("topics only"))
        .map(|note| format!("Strengths of models: {note}."))
        .collect();
    if small > 0 {
        all.push(format!(
            "{} fewer than {FEW} debates with a winner: shown, not ranked.",
            if small == 1 {
                "1 model has".to_owned()
            } else {
                format!("{small} models have")
            }
        ));
    }
    let order = board.order.value.zip(board.order.low).zip(board.order.high);
    if let Some(((value, low), high)) = order.filter(|((_, low), high)| *low > 0.0 || *high < 0.0) {
        let worth = shown(Unit::Logits, value, Some(low), Some(high));
        all.push(format!(
            "Speaking first is worth {worth} in log-odds: see that sides are swapped."
        ));
    }
    all
}

fn of_judges(findings: &Findings) -> Vec<String> {
    let judges = &findings.judges;
    let totals = || judges.agreement.iter().filter(|row| row.what == "total");
    let low = totals().filter(|row| row.alpha.is_some_and(|alpha| alpha < LOW_ALPHA));
    let mut all: Vec<String> = low
        .map(|row| {
            let alpha = shown(Unit::Score, row.alpha.unwrap_or_default(), row.low, row.high);
            format!(
                "Judges of {} debates agree little: alpha {alpha}, where {LOW_ALPHA} is the least for cautious conclusions.",
                row.format
            )
        })
        .collect();
    let single = totals().filter(|row| row.units == 0);
    all.extend(single.map(|row| {
        format!(
            "Each {} debate had one judge at most: nothing says how far another would agree.",
            row.format
        )
    }));
    let biased = |estimate: &Estimate| match (estimate.low, estimate.high) {
        (Some(low), Some(high)) => low > 0.5 || high < 0.5,
        _ => false,
    };
    let order = judges
        .order
        .iter()
        .filter(|row| row.judge.is_none() && biased(&row.first_slot));
    all.extend(order.filter_map(|row| {
        let e = &row.first_slot;
        let share = shown(Unit::Share, e.value?, e.low, e.high);
        Some(format!("Judges of {} debates prefer whom they read first in {share} of cases, where half is fair.", row.format))
    }));
    let lenient = judges.rows.iter().filter(|row| {
        let e = &row.self_preference;
        e.low.is_some_and(|low| low > 0.0)
    });
    all.extend(lenient.filter_map(|row| {
        let e = &row.self_preference;
        let by = shown(Unit::Score, e.value?, e.low, e.high);
        Some(format!(
            "{} as a judge of {} debates prefers its own family by {by}.",
            row.judge, row.format
        ))
    }));
    all
}
