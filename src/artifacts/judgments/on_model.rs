//! Whether somebody spoke through a model, under whichever name.

use crate::job::models::model_name::same_model;
use crate::trace::{Trace, TraceParticipant};

/// Whether a participant spoke through a model, under whichever name.
pub(in crate::artifacts) fn is_on(trace: &Trace, p: &TraceParticipant, model: &str) -> bool {
    let card = trace.models.iter().find(|card| card.name == model);
    let digest = card.and_then(|card| card.card.digest.as_ref());
    let mut spoke = p.models.iter().filter(|used| used.statements > 0);
    spoke.any(|used| {
        let same_weights = digest.is_some() && used.digest.as_ref() == digest;
        same_weights || same_model(&used.name, model)
    })
}
