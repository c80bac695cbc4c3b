//! Who won how often: a count, whether or not models are compared.

use super::Source;
use crate::stats::findings::{StrengthBoard, WinCount};
use crate::text::{capitalised, count, one_line};

/// What is counted.
const COUNTED: &str = "A count of what happened between two models, not a finding: whoever won more often need not be stronger. Not counted are debates of more than two contestants, of teams on several models, decided with an audience, failed, without a judgment, or with replies that a contestant's own model did not give.";

/// What stands above the counts of rehearsals.
const REHEARSED: &str =
    "Rehearsals: the names of models are labels, so these counts say nothing about models.";

/// A line per format and pair of models, at most so many, and what is counted; none where no two met.
pub(crate) fn lines(source: &Source<'_>, most: usize) -> Vec<String> {
    let boards = source.findings.leaderboards.strengths.iter();
    let all = boards.flat_map(|board| board.wins.iter().map(move |one| line(board, one)));
    let mut lines: Vec<String> = all.collect();
    let more = lines.len().saturating_sub(most);
    lines.truncate(most);
    let more =
        (more > 0).then(|| format!("{} in the report as JSON.", count(more as u64, "more line")));
    let counted = (!lines.is_empty()).then(|| COUNTED.to_owned());
    if counted.is_some() && source.findings.counts.are_rehearsals() {
        lines.insert(0, REHEARSED.to_owned());
    }
    lines.extend(more.into_iter().chain(counted));
    lines
}

/// What happened, and whether it shows a difference where the two are compared.
fn line(board: &StrengthBoard, one: &WinCount) -> String {
    let of_two = |names: [&str; 2]| names.contains(&&*one.a) && names.contains(&&*one.b);
    let mut clear = board.distances.iter().filter(|it| it.clear);
    let clear = clear.find(|it| of_two([&it.above, &it.below]));
    let shown = match clear {
        _ if one.not_compared == one.debates.len() => String::new(),
        Some(it) => format!(": {} is shown to be stronger", it.above),
        None => ": no difference shown".to_owned(),
    };
    capitalised(&one_line(&format!("{}{shown}", one.told())))
}
