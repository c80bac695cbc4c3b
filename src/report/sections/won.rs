//! Who won how often: a count, whether or not models are compared.

use super::{Figure, Section, Source};
use crate::stats::findings::WinCount;
use crate::text::count;

/// A line per format and pair of models; `None` where no two met.
pub(crate) fn section(source: &Source<'_>) -> Option<Section> {
    let boards = source.findings.leaderboards.strengths.iter();
    let all: Vec<&WinCount> = boards.flat_map(|board| &board.wins).collect();
    let most = source.limits.rows;
    let more = all.len().saturating_sub(most);
    let more =
        (more > 0).then(|| format!("{} in the report as JSON.", count(more as u64, "more line")));
    let lines = all.iter().take(most).map(|one| one.told());
    let figure =
        Figure::new("Debates won, by format and pair of models", "pair").noting(lines.chain(more));
    let intro = "A count of what happened between two models, not a finding: whoever won more often need not be stronger. Not counted are debates of more than two contestants, of teams on several models, decided with an audience, failed, without a judgment, or with replies that a contestant's own model did not give.";
    (!all.is_empty()).then(|| Section::new("won", "Who won", intro, [figure], ""))
}
