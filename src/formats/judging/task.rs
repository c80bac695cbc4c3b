//! A pending judging: its debate, its panel, and the plan for its calls.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, json};

use crate::digest;
use crate::event::{Candidate, PanelRef, Side};
use crate::formats::duel::settings::Duel;
use crate::id::DebateId;
use crate::job::panel::{Panel, identity};
use crate::job::{FormatSettings, OnFailure, OutputOptions};
use crate::plan::{self, Plan};
use crate::templates::Templates;
use crate::trace::Trace;
use crate::verdict::mask::Mask;
use crate::verdict::record::{NotJudged, candidates};

/// The version of what a judging asks, beside its templates: to be raised when another prompt comes of the same ones.
pub(super) const VERSION: u32 = 2;
/// The templates of a judging.
const TEMPLATES: &str = "prompts/panel/";

/// A judging that is to be done, or was.
#[derive(Debug, Clone)]
pub struct Task {
    /// Its plan: the judges, and what is debated.
    pub plan: Arc<Plan>,
    /// The debate.
    pub trace: Arc<Trace>,
    /// The panel.
    pub panel: Arc<Panel>,
    /// The panel, as verdicts name it.
    pub named: PanelRef,
    /// The digest of the debate's record.
    pub record_digest: String,
    /// Who is judged.
    pub(super) candidates: [Candidate; 2],
}

/// A panel as verdicts name it: all that decides what it asks is in its id.
pub fn named(panel: &Panel, templates: &Templates) -> PanelRef {
    let whole = json!({"version": VERSION, "panel": identity(panel), "templates": templates.digest_of(TEMPLATES)});
    PanelRef {
        name: panel.settings.name.clone(),
        id: digest::of_json(&whole),
    }
}

impl Task {
    /// The judging of a debate by a panel.
    ///
    /// # Errors
    /// Why there can be none.
    pub fn new(
        trace: &Arc<Trace>,
        panel: &Arc<Panel>,
        named: &PanelRef,
    ) -> Result<Self, NotJudged> {
        let candidates = candidates(trace)?;
        let record_digest = trace.digest_of_record();
        let id = DebateId::from_identity(&json!([trace.id, record_digest, named.id]));
        Ok(Self {
            plan: Arc::new(plan_of(trace, panel, id)),
            trace: Arc::clone(trace),
            panel: Arc::clone(panel),
            named: named.clone(),
            record_digest,
            candidates,
        })
    }

    /// The key of a candidate.
    pub(super) fn side(&self, participant: &str) -> Option<Side> {
        let mut all = self.candidates.iter();
        Some(all.find(|it| it.participant == participant)?.key)
    }

    /// The participant behind a key.
    pub(super) fn participant(&self, side: Side) -> &str {
        &self.candidates[side as usize].participant
    }
}

/// The plan under which a panel's calls are made. What a format adds to prompts is not used: judges see their task alone.
fn plan_of(trace: &Trace, panel: &Panel, id: DebateId) -> Plan {
    Plan {
        version: plan::VERSION,
        seed: digest::derive(trace.plan.seed, &id) >> 11,
        id,
        job: panel.settings.name.clone(),
        topic: Mask::topic(trace),
        query: None,
        background: Vec::new(),
        rules: Vec::new(),
        language: trace.plan.language.clone(),
        participants: panel.people().cloned().collect(),
        posed: None,
        control: None,
        format: FormatSettings::of(Duel::default()),
        on_failure: OnFailure::Emergency,
        repetition: 1,
        rehearsal: trace.rehearsal,
        script: None,
        cell: Map::new(),
        tags: BTreeMap::new(),
        output: OutputOptions::default(),
        priority: 0,
        panel: None,
    }
}
