//! The ids of those who take part.

pub(super) const PROPOSER: &str = "proposer";
pub(super) const SKEPTIC: &str = "skeptic";
pub(super) const SYNTHESIZER: &str = "synthesizer";
