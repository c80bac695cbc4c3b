//! Whether controls used as many tokens as the debates they are matched to, and whether those are unchanged.

use std::collections::{BTreeMap, HashMap};

use crate::facts::{Facts, Text};
use crate::stats::cell;
use crate::stats::findings::CellMatch;

/// What debates say by now: the digests of their records, by id. One that was played again has several.
pub(in crate::stats) struct Records<'c>(HashMap<&'c str, Vec<&'c str>>);

impl<'c> Records<'c> {
    /// Of these debates, each with the digest of its record.
    pub(in crate::stats) fn new(all: impl Iterator<Item = (&'c Facts, &'c str)>) -> Self {
        let mut records: HashMap<&str, Vec<&str>> = HashMap::new();
        for (facts, record) in all {
            records.entry(&facts.id).or_default().push(record);
        }
        Self(records)
    }

    /// Whether a debate that a control is matched to is here, and is not what it was then.
    pub(in crate::stats) fn has_left(&self, matched: &[(Text, Text)]) -> bool {
        let changed = |debate: &str, record: &str| {
            let now = self.0.get(debate);
            now.is_some_and(|now| !now.contains(&record))
        };
        matched.iter().any(|(debate, record)| changed(debate, record))
    }
}

/// The tokens of a matched arm beside those of its debates, by job and cell: of each run its ratio, and how far that may be from 1.
pub(in crate::stats) fn cells<'c>(
    own: impl Iterator<Item = (&'c Facts, (f64, f64))>,
) -> Vec<CellMatch> {
    let mut cells: BTreeMap<(&str, String), Vec<(f64, f64)>> = BTreeMap::new();
    for (facts, ratio) in own {
        let cell = cells.entry((&facts.job, cell::besides_debated(facts)));
        cell.or_default().push(ratio);
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
