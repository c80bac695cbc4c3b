//! Sampling debates for people to label.

use serde_json::json;

use crate::digest;
use crate::event::{Candidate, Frame, Sampling, SamplingMethod, VerdictJudge, Vote};
use crate::id::DebateId;
use crate::panel::candidates::{NotJudged, candidates};
use crate::trace::Trace;

/// A finished debate that people can be asked about.
#[derive(Debug, Clone, PartialEq)]
pub struct Eligible {
    /// Its id.
    pub id: DebateId,
    /// The digest of its record.
    pub record_digest: String,
    /// Its two sides.
    pub candidates: [Candidate; 2],
    /// How far its judges disagree: the share of votes that are not the most frequent one, from 0.
    dispute: f64,
}

impl Eligible {
    /// What is asked of a debate.
    ///
    /// # Errors
    /// Why nothing can be.
    pub fn new(trace: &Trace) -> Result<Self, NotJudged> {
        let candidates = candidates(trace)?;
        Ok(Self {
            id: trace.id.clone(),
            record_digest: trace.digest_of_record(),
            dispute: dispute(trace, &candidates),
            candidates,
        })
    }
}

/// What share of the judges' votes, the debate's own and panels', is not the most frequent one.
fn dispute(trace: &Trace, candidates: &[Candidate; 2]) -> f64 {
    let judges = trace.verdicts.iter().flat_map(|verdict| &verdict.judges);
    let votes: Vec<Vote> = judges.filter_map(|judge| vote(judge, candidates)).collect();
    let count = |vote| votes.iter().filter(|own| **own == vote).count();
    let most = [Vote::P, Vote::Q, Vote::Tie].map(count).into_iter().max();
    match votes.len() {
        0 => 0.0,
        all => 1.0 - most.unwrap_or_default() as f64 / all as f64,
    }
}

/// Whom a judge has ahead: by its vote on a panel, otherwise by its mean totals.
fn vote(judge: &VerdictJudge, [p, q]: &[Candidate; 2]) -> Option<Vote> {
    if let Some(seat) = &judge.seat {
        return seat.vote;
    }
    let means = judge.means();
    let margin = means.get(&p.participant)? - means.get(&q.participant)?;
    Some(Vote::of(margin, 0.0))
}

/// Draws `most` debates, each with the same chance.
pub fn drawn(mut all: Vec<Eligible>, most: usize, seed: u64) -> (Vec<Eligible>, Sampling) {
    let of = all.len();
    shuffle(&mut all, seed, "sample");
    all.truncate(most);
    let mut sampling = picked(SamplingMethod::Random, seed);
    sampling.probability = (of > 0).then(|| all.len() as f64 / of as f64);
    (all, sampling)
}

/// The `most` debates on which judges disagree most.
pub fn disputed(mut all: Vec<Eligible>, most: usize, seed: u64) -> (Vec<Eligible>, Sampling) {
    all.retain(|it| it.dispute > 0.0);
    shuffle(&mut all, seed, "sample");
    all.sort_by(|a, b| b.dispute.total_cmp(&a.dispute));
    all.truncate(most);
    (all, picked(SamplingMethod::Disputed, seed))
}

/// Debates that were named.
pub fn chosen(all: Vec<Eligible>, seed: u64) -> (Vec<Eligible>, Sampling) {
    (all, picked(SamplingMethod::Chosen, seed))
}

fn picked(method: SamplingMethod, seed: u64) -> Sampling {
    Sampling { method, seed, probability: None, frame: None }
}

/// The debates from which some are chosen, as restricted by these options.
pub fn frame(all: &[Eligible], options: String) -> Frame {
    let mut ids: Vec<&DebateId> = all.iter().map(|it| &it.id).collect();
    ids.sort_unstable();
    Frame { debates: all.len() as u64, digest: digest::of_json(&json!(ids)), options }
}

/// Puts debates into an order that follows from a seed and a word, whatever order they were in.
pub(super) fn shuffle(all: &mut [Eligible], seed: u64, word: &str) {
    let drawn = |it: &Eligible| digest::derive(seed, &format!("{word}/{}", it.id));
    all.sort_by_cached_key(|it| (drawn(it), it.id.clone()));
}

#[cfg(test)]
pub(super) mod tests {
    use serde_json::Value;

    use super::*;
    use crate::event::Side;

    pub(crate) fn eligible(identity: &Value) -> Eligible {
        let candidate = |(key, id): (Side, &str)| Candidate {
            key,
            participant: id.to_owned(),
            statement: None,
            families: Vec::new(),
        };
        Eligible {
            id: DebateId::from_identity(identity),
            record_digest: "sha256:0".to_owned(),
            candidates: [(Side::P, "agent_a"), (Side::Q, "agent_b")].map(candidate),
            dispute: identity.as_f64().unwrap_or_default(),
        }
    }

    #[test]
    fn c5_the_most_disputed_come_first_and_the_others_not_at_all() {
        let all = [0.0, 0.2, 0.5, 0.4].map(|it| eligible(&it.into()));
        let (found, sampling) = disputed(all.to_vec(), 2, 1);
        let disputes: Vec<f64> = found.iter().map(|it| it.dispute).collect();
        assert_eq!(disputes, [0.5, 0.4]);
        assert_eq!(sampling.probability, None);
        assert_eq!(disputed(all.to_vec(), 9, 1).0.len(), 3);
    }
}
