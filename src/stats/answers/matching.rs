//! Whether controls used as many tokens as the debates they are matched to, and whether those are unchanged.

use std::collections::{BTreeMap, HashMap};

use super::given::Given;
use crate::facts::{AnswerFacts, Facts};
use crate::stats::findings::CellMatch;

/// What debates say by now: the digests of their records, by id. One that was played again has several.
pub(super) struct Records<'c>(HashMap<&'c str, Vec<&'c str>>);

impl<'c> Records<'c> {
    pub(super) fn new(all: impl Iterator<Item = &'c Facts>) -> Self {
        let mut records: HashMap<&str, Vec<&str>> = HashMap::new();
        for facts in all {
            let record = facts.answer.as_ref().map(|answer| &*answer.record);
            records.entry(&facts.id).or_default().extend(record);
        }
        Self(records)
    }

    /// Whether a debate that an answer is matched to is here, and is not what it was then.
    pub(super) fn has_left(&self, answer: &AnswerFacts) -> bool {
        let changed = |debate: &str, record: &str| {
            let now = self.0.get(debate);
            now.is_some_and(|now| !now.contains(&record))
        };
        let mut matched = answer.matched.iter();
        matched.any(|(debate, record)| changed(debate, record))
    }
}

/// The tokens of a matched arm beside those of its debates, by job and cell.
pub(super) fn cells(own: &[&Given<'_>]) -> Vec<CellMatch> {
    let mut cells: BTreeMap<(&str, String), Vec<(f64, f64)>> = BTreeMap::new();
    for one in own {
        if let Some(ratio) = one.answer.ratio.zip(one.answer.within) {
            let cell = cells.entry((&one.facts.job, one.cell()));
            cell.or_default().push(ratio);
        }
    }
    let found = |((job, cell), all): ((&str, String), Vec<(f64, f64)>)| {
        let ratio = all.iter().map(|(ratio, _)| ratio).sum::<f64>() / all.len() as f64;
        let all_within = all.iter().map(|(_, within)| *within);
        let within = all_within.fold(f64::MAX, f64::min);
        CellMatch {
            job: job.to_owned(),
            cell,
            answers: all.len(),
            ratio,
            // A mean that is as far off as may be, but for rounding, is matched.
            matched: (ratio - 1.0).abs() <= within + 1e-9,
        }
    };
    cells.into_iter().map(found).collect()
}
