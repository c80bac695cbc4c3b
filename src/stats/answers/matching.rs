//! Whether controls used as many tokens as the debates they are matched to, and whether those are unchanged.

use std::collections::BTreeMap;

use crate::facts::{Facts, Text};
use crate::stats::cell;
use crate::stats::findings::CellMatch;
use statistics::groups::by_key;

/// What debates say by now: the digests of their records, by id. One that was played again has several.
pub(in crate::stats) struct Records<'c>(BTreeMap<&'c str, Vec<&'c str>>);

impl<'c> Records<'c> {
    /// Of these debates, each with the digest of its record.
    pub(in crate::stats) fn new(all: impl Iterator<Item = (&'c Facts, &'c str)>) -> Self {
        Self(by_key(all.map(|(facts, record)| (&*facts.id, record))))
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
    let cells = by_key(own.map(|(facts, ratio)| {
        let cell = cell::besides_debated(facts);
        ((&*facts.private.job, cell), ratio)
    }));
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
