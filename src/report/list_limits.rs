//! How much of its long lists a report shows: everything where there are few debates; of many, so much that the page still opens.

use crate::stats::findings::Findings;

/// Debates up to which a report shows everything.
const FEW: usize = 500;
/// Bytes of a report on more debates.
pub(super) const MOST_BYTES: usize = 600_000;

/// How long lists may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Limits {
    /// Rows of a table.
    pub rows: usize,
    /// Groups in a table of groups, and rows under each heading of other tables.
    pub groups: usize,
    /// Rows of a chart.
    pub drawn: usize,
    /// Rows of a table of debates or files.
    pub listed: usize,
    /// Debates behind all numbers together.
    pub behind: usize,
    /// Debates that a list names.
    pub named: usize,
}

/// All rows and groups; charts, and lists and tables of debates, are bounded in any case.
pub(crate) const ALL: Limits = Limits {
    rows: usize::MAX,
    groups: usize::MAX,
    drawn: 40,
    listed: 1000,
    behind: usize::MAX,
    named: 200,
};

/// For many debates: the first with which the report is small enough is taken.
const STEPS: [Limits; 7] = [
    Limits::new([100, 12, 40, 100, 300, 10]),
    Limits::new([60, 8, 24, 100, 200, 8]),
    Limits::new([40, 5, 16, 80, 150, 6]),
    Limits::new([30, 4, 12, 60, 150, 5]),
    Limits::new([24, 3, 12, 60, 120, 5]),
    Limits::new([16, 2, 12, 50, 100, 4]),
    Limits::new([8, 1, 8, 30, 60, 3]),
];

impl Limits {
    const fn new([rows, groups, drawn, listed, behind, named]: [usize; 6]) -> Self {
        Self { rows, groups, drawn, listed, behind, named }
    }

    /// Those to try, the widest first.
    pub(super) fn of(findings: &Findings) -> &'static [Self] {
        if findings.debates.len() <= FEW { &[ALL] } else { &STEPS }
    }
}
