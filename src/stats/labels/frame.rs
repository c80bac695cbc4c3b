//! What people's debates were drawn from: rates are corrected for no others.

use std::collections::BTreeMap;

use super::options::Options;
use super::sources::sides;
use crate::facts::Facts;
use crate::facts::labels::DrawnFrom;
use crate::stats::counted_debates::View;

/// The samples that were drawn.
pub(super) struct Frames {
    /// What each was drawn from; empty where that is unknown of any.
    all: Vec<Frame>,
}

/// What a sample was drawn from.
struct Frame {
    options: Options,
    debates: u64,
    /// The debates that it could have had of all that were read, those among them that are not counted.
    now: u64,
}

impl Frames {
    pub(super) fn new(view: &View<'_>) -> Self {
        let labels = view.all().filter_map(|(_, facts)| facts.labels.as_ref());
        let mut known: BTreeMap<&str, u64> = BTreeMap::new();
        for said in labels.flat_map(|own| own.said.iter().filter(|said| said.chance.is_some())) {
            let Some(DrawnFrom { debates, options }) = &said.frame else {
                return Self { all: Vec::new() };
            };
            let most = known.entry(options).or_default();
            *most = (*most).max(*debates);
        }
        let all: Option<Vec<Frame>> = known.into_iter().map(|it| Frame::new(view, it)).collect();
        Self { all: all.unwrap_or_default() }
    }

    /// Whether a debate is of those that people's were drawn from.
    pub(super) fn hold(&self, facts: &Facts) -> bool {
        let mut current = self.all.iter().filter(|frame| !frame.is_outgrown());
        self.all.is_empty() || current.any(|frame| frame.options.hold(facts))
    }

    /// Why nothing can be corrected, if there are debates that no sample could have had.
    pub(super) fn refusal(&self) -> Option<String> {
        let largest = self.all.iter().max_by_key(|frame| frame.debates)?;
        self.all.iter().all(Frame::is_outgrown).then(|| {
            let Frame { debates, now, .. } = largest;
            format!("people's debates were drawn from {debates}, and there are {now} now; draw another sample")
        })
    }
}

impl Frame {
    /// Of a sample with these options; `None` if they are none that this version knows.
    fn new(view: &View<'_>, (options, debates): (&str, u64)) -> Option<Self> {
        let options: Options = options.parse().ok()?;
        let now = view.read().filter(|facts| is_eligible(facts) && options.hold(facts));
        Some(Self { now: now.count() as u64, debates, options })
    }

    /// Whether there are more debates than it was.
    fn is_outgrown(&self) -> bool {
        self.now > self.debates
    }
}

/// Whether people can be asked about a debate.
fn is_eligible(facts: &Facts) -> bool {
    let heard = |place: &u8| facts.people[usize::from(*place)].statements > 0;
    facts.ended()
        && match facts.profile().two_answers {
            Some(_) => facts.open.as_ref().is_some_and(|open| open.words.is_some()),
            None => sides(facts).is_some_and(|all| all.iter().all(|side| side.iter().any(heard))),
        }
}
