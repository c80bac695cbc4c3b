//! Who won how often: a count, whether or not models are compared.

use super::Source;
use crate::stats::findings::{Comparisons, StrengthBoard, WinCount};
use crate::text::{capitalised, count, one_line, told_if};

/// What is counted.
const COUNTED: &str = "A count of what happened between two models, not a finding: whoever won more often need not be stronger. Not counted are debates of more than two contestants, of teams on several models, decided with an audience, failed, without a judgment, or with replies that a contestant's own model did not give.";

/// What stands above the counts of rehearsals.
const REHEARSED: &str =
    "Rehearsals: the names of models are labels, so these counts say nothing about models.";

/// A line per format and pair of models, at most so many, and what is counted; none where no two met.
pub(crate) fn lines(source: &Source<'_>, most: usize) -> Vec<String> {
    let boards = source.findings.leaderboards.strengths.iter();
    let families = &source.findings.comparisons;
    let all = boards.flat_map(|board| board.wins.iter().map(move |one| line(families, board, one)));
    let mut lines: Vec<String> = all.collect();
    let more = lines.len().saturating_sub(most);
    lines.truncate(most);
    let more = (more > 0).then(|| format!("{} in the report as JSON.", count(more, "more line")));
    let counted = (!lines.is_empty()).then(|| COUNTED.to_owned());
    if counted.is_some() && source.findings.counts.are_rehearsals() {
        lines.insert(0, REHEARSED.to_owned());
    }
    lines.extend(more.into_iter().chain(counted));
    lines
}

/// What happened, and what it shows where the two are compared.
fn line(families: &[Comparisons], board: &StrengthBoard, one: &WinCount) -> String {
    let is_compared = one.not_compared < one.debates.len();
    let shown = told_if(is_compared, || shown(families, board, one));
    capitalised(&one_line(&format!("{}{shown}", one.told())))
}

/// What debates of a format show of two: who is stronger, where strengths rest on no other format; or who scores higher. Strengths from
/// several formats say nothing of one.
fn shown(families: &[Comparisons], board: &StrengthBoard, one: &WinCount) -> String {
    let pair = [&*one.a, &*one.b];
    let mut own = families.iter().filter(|family| family.format == one.format);
    match (board.stronger(pair), own.find_map(|family| family.higher(pair))) {
        (Some(name), _) if board.is_of_one_format() => format!(": {name} is shown to be stronger"),
        (_, Some(name)) => format!(": {name} is shown to score higher"),
        (Some(_), None) => String::new(),
        (None, None) => ": no difference shown".to_owned(),
    }
}
