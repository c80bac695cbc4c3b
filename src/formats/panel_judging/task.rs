//! A pending judging: its debate, its panel, and the plan for its calls.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::{Map, json};

use crate::digest;
use crate::event::{Candidate, PanelRef, Side};
use crate::formats::duel::settings::Duel;
use crate::id::DebateId;
use crate::job::criteria::Criteria;
use crate::job::panel::{Panel, identity};
use crate::job::{FormatSettings, OnFailure, OutputOptions};
use crate::panel::candidates::{NotJudged, candidates};
use crate::panel::mask::Mask;
use crate::plan::{self, Plan};
use crate::templates::Templates;
use crate::trace::Trace;

/// The version of a judging's prompts apart from their templates. Raise it if the same templates give a different prompt.
pub(super) const VERSION: u32 = 3;
/// The templates of a judging.
const TEMPLATES: &str = "prompts/panel/";
/// The template that they include.
const BACKGROUND: &str = "prompts/background.md.j2";
/// Those of a judging of two answers.
const ANSWER_TEMPLATES: &str = "prompts/panel-answers/";

/// A judging, pending or done.
#[derive(Debug, Clone)]
pub struct Task {
    /// Its plan: the judges, the topic and the background.
    pub plan: Arc<Plan>,
    /// The debate.
    pub trace: Arc<Trace>,
    /// The panel.
    pub panel: Arc<Panel>,
    /// The panel as verdicts refer to it.
    pub named: PanelRef,
    /// The digest of the debate's record.
    pub record_digest: String,
    /// The candidates judged.
    pub(super) candidates: [Candidate; 2],
}

/// A template of a judging.
#[derive(Debug, Clone, Copy)]
pub(super) enum Template {
    /// What all judges are told.
    System,
    /// A judge's task.
    Verdict,
}

/// A panel as verdicts refer to it. Its id covers everything that determines what it asks.
pub fn named(panel: &Panel, templates: &Templates) -> PanelRef {
    let texts = [TEMPLATES, BACKGROUND].map(|of| templates.digest_of(of));
    let whole = json!({"version": VERSION, "panel": identity(panel), "templates": texts});
    PanelRef { name: panel.settings.name.clone(), id: digest::of_json(&whole) }
}

impl Task {
    /// The judging of a debate by a panel.
    ///
    /// # Errors
    /// If the debate can't be judged, the reason.
    pub fn new(
        trace: &Arc<Trace>,
        panel: &Arc<Panel>,
        named: &PanelRef,
        templates: &Templates,
    ) -> Result<Self, NotJudged> {
        let candidates = candidates(trace)?;
        let record_digest = trace.digest_of_record();
        let id = DebateId::from_identity(&if Candidate::are_answers(&candidates) {
            // The panel's id covers neither these templates nor its criteria of answers if they are the usual ones.
            json!([
                trace.id,
                record_digest,
                named.id,
                templates.digest_of(ANSWER_TEMPLATES),
                panel.settings.answer_criteria,
            ])
        } else {
            json!([trace.id, record_digest, named.id])
        });
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
        Some(self.candidates.iter().find(|it| it.participant == participant)?.key)
    }

    /// Whether two answers are compared instead of two sides.
    pub(super) fn compares_answers(&self) -> bool {
        Candidate::are_answers(&self.candidates)
    }

    /// What is scored.
    pub(super) fn criteria(&self) -> &Criteria {
        let settings = &self.panel.settings;
        if self.compares_answers() { &settings.answer_criteria } else { &settings.criteria }
    }

    /// The name of a template.
    pub(super) fn template(&self, which: Template) -> &'static str {
        match (self.compares_answers(), which) {
            (false, Template::System) => "prompts/panel/system.md.j2",
            (false, Template::Verdict) => "prompts/panel/verdict.md.j2",
            (true, Template::System) => "prompts/panel-answers/system.md.j2",
            (true, Template::Verdict) => "prompts/panel-answers/verdict.md.j2",
        }
    }

    /// The participant behind a key.
    pub(super) fn participant(&self, side: Side) -> &str {
        &self.candidates[side as usize].participant
    }
}

/// The plan under which a panel's calls are made. The format's additions to prompts are unused: judges see only their task.
fn plan_of(trace: &Trace, panel: &Panel, id: DebateId) -> Plan {
    Plan {
        version: plan::VERSION,
        seed: digest::derive(trace.plan.seed, &id) >> 11,
        id,
        job: panel.settings.name.clone(),
        file: PathBuf::new(),
        topic: Mask::topic(trace),
        query: None,
        background: Mask::background(trace),
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
