//! What a model or its server does in debate after debate is told once, when it is first seen.

use std::collections::BTreeSet;

use crate::event::{Event, EventKind, IncidentKind};
use crate::shared::Shared;

/// The kinds of incidents that debates report once per model.
const KINDS: [IncidentKind; 3] =
    [IncidentKind::Thinking, IncidentKind::OtherModel, IncidentKind::ShortPrompt];

/// What was told so far: kinds of incidents and models.
#[derive(Default)]
pub(super) struct ModelWarnings(Shared<BTreeSet<(String, String)>>);

impl ModelWarnings {
    /// What an event says of a model, if it has not been told.
    pub(super) fn first<'e>(&self, event: &'e Event) -> Option<&'e str> {
        let EventKind::Incident(incident) = &event.kind else { return None };
        let model = event.metadata.model.clone()?;
        let is_new = KINDS.contains(&incident.kind)
            && self.0.lock().insert((incident.kind.to_string(), model));
        is_new.then_some(&incident.message)
    }
}
