//! The snapshots of many debates to come: what debates share is divided from them and hashed once.

use serde_json::{Map, Value, json};

use super::snapshot::{self, Inputs, OWN, take_own};
use crate::digest;
use crate::job::script::Script;
use crate::journal::SnapshotParts;
use crate::plan::Plan;
use crate::templates::Templates;

/// Divides the inputs of one debate after another.
#[derive(Debug)]
pub struct SharedSnapshots<'t> {
    templates: &'t Templates,
    /// The plan before, and the digest of what it shares with others.
    before: Option<(Plan, String)>,
    /// The digests of templates, by what they depend on.
    kinds: Vec<(Kind, String)>,
    new: Vec<NewPart>,
}

/// A shared part that has not been seen before, with its digest.
pub type NewPart = (String, Value);

/// What the templates of a debate depend on.
#[derive(Debug, PartialEq)]
struct Kind {
    format: &'static str,
    folders: Vec<&'static str>,
    rehearsal: bool,
    script: Option<Script>,
}

impl<'t> SharedSnapshots<'t> {
    /// For debates that begin with these templates.
    pub fn new(templates: &'t Templates) -> Self {
        Self { templates, before: None, kinds: Vec::new(), new: Vec::new() }
    }

    /// Where a debate's snapshot is, and the parts of it that are to be stored first. A part that is shared with the debate before
    /// is not among these.
    pub fn divide(&mut self, plan: Plan) -> (SnapshotParts, Vec<NewPart>) {
        let templates = self.templates_of(&plan);
        let (plan, own) = match self.shared_with_last(&plan) {
            Some(digest) => (digest, own(plan)),
            None => self.plan(plan),
        };
        (SnapshotParts { templates, plan, own }, std::mem::take(&mut self.new))
    }

    fn templates_of(&mut self, plan: &Plan) -> String {
        let (format, folders) = (plan.format.profile.name, plan.folders());
        let kind = Kind { format, folders, rehearsal: plan.rehearsal, script: plan.script.clone() };
        if let Some((_, digest)) = self.kinds.iter().find(|(known, _)| *known == kind) {
            return digest.clone();
        }
        let inputs = Inputs::of(plan, &snapshot::templates(self.templates, plan));
        let templates = json!(inputs.templates);
        let digest = digest::of_json(&templates);
        self.kinds.push((kind, digest.clone()));
        self.new.push((digest.clone(), templates));
        digest
    }

    /// The digest of what a plan shares with the one before, if both differ only in what is their own.
    fn shared_with_last(&mut self, plan: &Plan) -> Option<String> {
        let (before, digest) = self.before.as_mut()?;
        before.id = plan.id.clone();
        before.topic.clone_from(&plan.topic);
        before.query.clone_from(&plan.query);
        before.posed.clone_from(&plan.posed);
        before.control.clone_from(&plan.control);
        before.seed = plan.seed;
        before.repetition = plan.repetition;
        before.cell.clone_from(&plan.cell);
        (before == plan).then(|| digest.clone())
    }

    fn plan(&mut self, plan: Plan) -> (String, Map<String, Value>) {
        let mut shared = json!(plan);
        let own = take_own(&mut shared);
        let digest = digest::of_json(&shared);
        self.new.push((digest.clone(), shared));
        self.before = Some((plan, digest.clone()));
        (digest, own)
    }
}

/// What is a plan's own, without writing out the rest, which is most of it.
fn own(plan: Plan) -> Map<String, Value> {
    let values: [Value; OWN.len()] = [
        json!(plan.id),
        json!(plan.topic),
        json!(plan.query),
        json!(plan.posed),
        json!(plan.control),
        json!(plan.seed),
        json!(plan.repetition),
        Value::Object(plan.cell),
    ];
    let fields = OWN.into_iter().zip(values);
    let there = fields.filter(|(_, value)| !value.is_null());
    there.map(|(name, value)| (name.to_owned(), value)).collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::job::{Draft, Overrides};
    use crate::plan::cells;

    fn plans(job: &str, templates: &Templates) -> Vec<Plan> {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(job);
        let draft = Draft::open(&file, &Overrides::default(), templates).unwrap();
        let mut plans = Vec::new();
        cells::expand(draft, templates, true, |plan| plans.push(plan.clone())).unwrap();
        plans
    }

    #[test]
    fn j9b_snapshots_that_are_divided_together_are_those_that_are_divided_alone() {
        let templates = Templates::load(None).unwrap();
        let mut shared = SharedSnapshots::new(&templates);
        let (mut plans_seen, mut stored) = (0, Vec::new());
        for job in [
            "jobs/tournament.yaml",
            "jobs/known-answers.yaml",
            "jobs/quickstart.yaml",
            "jobs/dialectic.yaml",
        ] {
            for plan in plans(job, &templates) {
                let alone = Inputs::of(&plan, &snapshot::templates(&templates, &plan)).divided();
                assert_eq!(own(plan.clone()), alone.parts.own);
                let (parts, new) = shared.divide(plan);
                stored.extend(new);
                assert_eq!(parts, alone.parts);
                for (digest, part) in alone.shared() {
                    assert!(stored.iter().any(|(known, it)| known == digest && it == part));
                }
                plans_seen += 1;
            }
        }
        assert!(stored.len() < plans_seen, "{} of {plans_seen}", stored.len());
    }
}
