//! Findings on the terminal.

use crate::stats::findings::{
    AgreementRow, Breakdown, Comparisons, Effect, Findings, Group, Judges, PointsBoard,
    StrengthBoard, StrengthRow, Unit,
};
use crate::stats::number::{number, shown};
use crate::text::{count, one_line};
use statistics::estimate::{Estimate, ONE_CLUSTER};

/// Findings as lines of plain text.
pub fn text(findings: &Findings) -> Vec<String> {
    let mut lines = section("What was found", &findings.headlines);
    lines.extend(section("What to distrust", &findings.cautions));
    lines.extend(findings.breakdowns.iter().flat_map(breakdown));
    lines.extend(findings.leaderboards.strengths.iter().flat_map(strengths));
    lines.extend(findings.leaderboards.points.iter().flat_map(points));
    lines.extend(findings.comparisons.iter().flat_map(comparisons));
    lines.extend(judges(&findings.judges));
    lines.push(String::new());
    lines.push(format!(
        "Intervals are at {} %, clustered by topic; with one topic there is none. All of it: --format json, or `rebut report`.",
        findings.provenance.confidence * 100.0
    ));
    lines
}

fn section(title: &str, sentences: &[String]) -> Vec<String> {
    if sentences.is_empty() {
        return Vec::new();
    }
    let lines = sentences
        .iter()
        .map(|sentence| format!("  - {}", one_line(sentence)));
    std::iter::once(title.to_owned())
        .chain(lines)
        .chain([String::new()])
        .collect()
}

fn breakdown(breakdown: &Breakdown) -> Vec<String> {
    breakdown
        .groups
        .iter()
        .flat_map(|of| group(&breakdown.by, of))
        .collect()
}

fn group(by: &[String], group: &Group) -> Vec<String> {
    let named = by.iter().zip(&group.key);
    let named: Vec<String> = named
        .map(|(key, value)| format!("{key} {}", one_line(value)))
        .collect();
    let name = if named.is_empty() {
        "all debates".to_owned()
    } else {
        named.join(", ")
    };
    let c = &group.counts;
    let mut lines = vec![
        name,
        format!(
            "  {} on {}: {} done, {} degraded, {} failed",
            count(c.planned as u64, "debate"),
            count(c.topics as u64, "topic"),
            c.done,
            c.degraded,
            c.failed
        ),
    ];
    lines.extend(group.measures.iter().map(|measure| {
        let scope = measure
            .format
            .as_ref()
            .map_or(String::new(), |format| format!(" ({format})"));
        let label = format!("{}{scope}", measure.label);
        line(&label, measure.unit, &measure.estimate)
    }));
    let j = &c.judgments;
    if j.planned > 0 {
        lines.push(format!(
            "  {:44} {} asked for, {} valid, {} invalid, {} missing",
            "Judgments", j.planned, j.valid, j.invalid, j.abstained
        ));
    }
    if !group.incidents.is_empty() {
        let kinds: Vec<String> = group
            .incidents
            .iter()
            .map(|(kind, n)| format!("{n} {}", one_line(kind)))
            .collect();
        lines.push(format!("  {:44} {}", "Incidents by kind", kinds.join(", ")));
    }
    lines.push(String::new());
    lines
}

fn line(label: &str, unit: Unit, estimate: &Estimate) -> String {
    format!("  {label:44} {}", value(unit, estimate))
}

/// `3.42 [3.10, 3.74] (n 24, 8 topics)`.
fn value(unit: Unit, e: &Estimate) -> String {
    let value = e
        .value
        .map_or("none".to_owned(), |value| shown(unit, value, e.low, e.high));
    // One topic says it all, and the last line says what it means.
    let told = e
        .reason
        .as_deref()
        .filter(|reason| e.low.is_none() && *reason != ONE_CLUSTER);
    let why = told.map_or(String::new(), |reason| format!("; {reason}"));
    format!(
        "{value} (n {}, {}{why})",
        e.n,
        count(e.clusters as u64, "topic")
    )
}

fn strengths(board: &StrengthBoard) -> Vec<String> {
    let debates = count(board.comparisons as u64, "judged debate");
    let draws = count(board.draws as u64, "draw");
    let mut lines = vec![format!(
        "Strength by {}, from {debates} ({draws})",
        board.of
    )];
    lines.extend(
        board
            .rows
            .iter()
            .map(|row| strength(row, board.has_groups())),
    );
    let notes = board
        .notes
        .iter()
        .map(|note| format!("  {}", one_line(note)));
    lines.extend(notes);
    let left_out = board.left_out.iter();
    lines
        .extend(left_out.map(|(reason, n)| {
            format!("  not compared: {}, {reason}", count(*n as u64, "debate"))
        }));
    lines.push(format!(
        "  worth of speaking first: {}",
        worth(&board.order)
    ));
    lines.push(format!(
        "  worth of being listed first: {}",
        worth(&board.side)
    ));
    lines.push(String::new());
    lines
}

fn strength(row: &StrengthRow, grouped: bool) -> String {
    let elo = row.elo.map_or("none".to_owned(), |elo| {
        shown(Unit::Elo, elo, row.low, row.high)
    });
    let rank = match (row.small, row.rank_best, row.rank_worst) {
        (false, Some(best), Some(worst)) => format!("rank {best} to {worst}"),
        (true, ..) => "too few debates to rank".to_owned(),
        _ => "no rank".to_owned(),
    };
    let why = row
        .reason
        .as_ref()
        .map_or(String::new(), |reason| format!("; {}", one_line(reason)));
    let group = match grouped {
        true => format!("group {}; ", row.group),
        false => String::new(),
    };
    format!(
        "  {:30} {elo:>20}  {rank}  ({group}{} won, {} drawn, {} lost{why})",
        one_line(&row.name),
        row.wins,
        row.draws,
        row.losses
    )
}

fn worth(effect: &Effect) -> String {
    let why = effect.reason.as_deref();
    match effect.value {
        None => format!("not known: {}", why.unwrap_or("no comparisons")),
        Some(value) => {
            let value = shown(Unit::Logits, value, effect.low, effect.high);
            let why = why.map_or(String::new(), |why| format!("; {}", one_line(why)));
            format!("{value} in log-odds{why}")
        }
    }
}

fn points(board: &PointsBoard) -> Vec<String> {
    let side = if board.side == "x" { "X" } else { "debaters" };
    let mut lines = vec![format!("Points of {side} by {}, a debate", board.of)];
    let rows = board.rows.iter();
    lines.extend(rows.map(|row| line(&one_line(&row.name), Unit::Points, &row.mean)));
    lines.push(String::new());
    lines
}

fn comparisons(family: &Comparisons) -> Vec<String> {
    if family.pairs.is_empty() {
        return Vec::new();
    }
    let mut lines = vec![format!(
        "Paired differences of total scores in {} debates",
        family.format
    )];
    for pair in &family.pairs {
        let name = format!("{} less {}", one_line(&pair.a), one_line(&pair.b));
        lines.push(line(&name, Unit::Score, &pair.difference));
        let p = |p: Option<f64>| p.map_or("none".to_owned(), |p| format!("{p:.4}"));
        let least = pair
            .detectable
            .map_or("none".to_owned(), |d| number(Unit::Score, d));
        lines.push(format!(
            "  {:44} p {}, after Holm {}; smallest detectable difference {least}",
            "",
            p(pair.p),
            p(pair.p_adjusted)
        ));
    }
    lines.push(String::new());
    lines
}

fn judges(judges: &Judges) -> Vec<String> {
    if judges.agreement.is_empty() {
        return Vec::new();
    }
    let mut lines = vec!["Judges".to_owned()];
    // Of what nobody judged twice, the total stands for all.
    let agreed = judges
        .agreement
        .iter()
        .filter(|row| row.units > 0 || row.what == "total");
    lines.extend(agreed.map(agreement));
    for row in &judges.rows {
        let name = |what: &str| format!("{what}, {} ({})", one_line(&row.judge), row.format);
        lines.push(line(&name("mean total"), Unit::Score, &row.mean));
        let more = [
            ("leniency", &row.leniency),
            ("self-preference", &row.self_preference),
        ];
        let known = more.iter().filter(|(_, estimate)| estimate.value.is_some());
        lines.extend(known.map(|(what, estimate)| line(&name(what), Unit::Score, estimate)));
    }
    for row in judges.order.iter().filter(|row| row.judge.is_none()) {
        let label = format!("read first is ahead ({})", row.format);
        lines.push(line(&label, Unit::Share, &row.first_slot));
    }
    for row in judges.verbosity.iter().filter(|row| row.judge.is_none()) {
        let label = format!("score by log tokens ({})", row.format);
        lines.push(line(&label, Unit::Score, &row.slope));
    }
    lines
}

fn agreement(row: &AgreementRow) -> String {
    let alpha = match (row.alpha, &row.reason) {
        (Some(alpha), _) => shown(Unit::Alpha, alpha, row.low, row.high),
        (None, reason) => format!(
            "none: {}",
            reason.as_deref().unwrap_or("nothing to compare")
        ),
    };
    let units = count(row.units as u64, "unit");
    let label = format!("alpha of {} ({})", one_line(&row.what), row.format);
    let told = row
        .reason
        .as_deref()
        .filter(|reason| row.alpha.is_some() && *reason != ONE_CLUSTER);
    let why = told.map_or(String::new(), |reason| format!("; {reason}"));
    format!(
        "  {label:44} {alpha} ({units}, {} judgments{why})",
        row.ratings
    )
}
