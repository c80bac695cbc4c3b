//! Snapshots of inputs. Content shared by many debates is stored once; a debate's own part is in its journal.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};
use std::io::ErrorKind;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::error::{Result, StoreError};
use super::layout::OutputDir;
use crate::digest;
use crate::files::{self, DirLock};
use crate::job::script;
use crate::journal::{Header, SnapshotParts};
use crate::machine;
use crate::plan::{self, Plan};
use crate::shared::Shared;
use crate::templates::Templates;

/// The fields of a plan that differ between the debates of one cell of a job, and most of those that differ between its topics. One
/// that is not there is left out.
pub(super) const OWN: [&str; 8] =
    ["id", "topic", "query", "posed", "control", "seed", "repetition", "cell"];

/// Everything that shapes a debate's requests, as it was when the debate began (row J9b).
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Inputs {
    /// The plan, personas included.
    pub plan: Plan,
    /// The templates of prompts and of texts on the record, by name.
    pub templates: BTreeMap<String, String>,
}

/// A snapshot divided into the parts in which it is stored.
#[derive(Debug)]
pub struct Divided {
    /// The digest of the whole snapshot.
    pub digest: String,
    /// The places of its parts.
    pub parts: SnapshotParts,
    /// The parts shared with other debates.
    pub shared: [Value; 2],
}

impl Inputs {
    /// The inputs of a debate that begins now.
    pub fn of(plan: &Plan, templates: &Templates) -> Self {
        let format = plan.format.profile;
        Self {
            plan: plan.clone(),
            templates: templates.snapshot(format.name, &plan.folders(), plan.rehearsal),
        }
    }

    /// Separates the debate's own part from the parts it shares with others.
    pub fn divided(&self) -> Divided {
        let mut plan = json!(self.plan);
        let templates = json!(self.templates);
        let digest = digest_of(&plan, &templates);
        let own = take_own(&mut plan);
        let parts = SnapshotParts {
            templates: digest::of_json(&templates),
            plan: digest::of_json(&plan),
            own,
        };
        Divided { digest, parts, shared: [templates, plan] }
    }
}

/// The templates of a run and the script of the rehearsal, if it has one: both go into the debate's snapshot.
pub fn templates<'t>(all: &'t Templates, plan: &Plan) -> Cow<'t, Templates> {
    match &plan.script {
        Some(script) => Cow::Owned(all.with_text(script::IN_SNAPSHOT, &script.source)),
        None => Cow::Borrowed(all),
    }
}

impl Divided {
    /// The parts shared with other debates, with their digests.
    pub fn shared(&self) -> [(&str, &Value); 2] {
        let [templates, plan] = &self.shared;
        [(&self.parts.templates, templates), (&self.parts.plan, plan)]
    }
}

/// The snapshots of the debates of this run.
#[derive(Debug)]
pub struct Snapshots {
    output: OutputDir,
    /// The digests of parts that this run has synced.
    synced: Shared<HashSet<String>>,
}

impl Snapshots {
    /// The snapshots in this output directory.
    pub fn new(output: &OutputDir) -> Self {
        Self { output: output.clone(), synced: Shared::default() }
    }

    pub(super) fn output(&self) -> &OutputDir {
        &self.output
    }

    /// Stores the inputs of a debate. They are on disk when this returns, and stay there as long as the lock is held or a
    /// journal refers to them.
    pub(super) fn keep(&self, inputs: &Divided) -> Result<DirLock> {
        let lock = DirLock::shared(&self.output.snapshots())?;
        for (digest, part) in inputs.shared() {
            self.store(digest, part)?;
        }
        Ok(lock)
    }

    /// Copies the inputs of a debate in another output directory, checked against the journal that refers to them.
    pub(super) fn take(&self, from: &OutputDir, header: &Header) -> Result<()> {
        read(from, header)?;
        let _lock = DirLock::shared(&self.output.snapshots())?;
        files_of(header).try_for_each(|digest| self.store(digest, &part(from, digest)?))
    }

    /// Stores a part under its digest, unless this run has already done so.
    fn store(&self, digest: &str, part: &Value) -> Result<()> {
        let path = self.output.inputs(digest);
        let mut synced = self.synced.lock();
        // A file left there by another process may not be synced.
        if !synced.contains(digest) || !path.exists() {
            files::replace(&path, part.to_string().as_bytes())?;
            synced.insert(digest.to_owned());
        }
        Ok(())
    }
}

/// The digest of a snapshot.
fn digest_of(plan: &Value, templates: &Value) -> String {
    digest::of_json(&json!({"plan": plan, "templates": templates}))
}

pub(super) fn take_own(plan: &mut Value) -> Map<String, Value> {
    let fields = plan.as_object_mut();
    let own = fields
        .into_iter()
        .flat_map(|fields| OWN.iter().filter_map(|name| fields.shift_remove_entry(*name)));
    own.collect()
}

/// The snapshot of a debate's inputs.
///
/// # Errors
/// Includes [`StoreError::OtherPlan`], because this program can't interpret plans of another version.
pub fn inputs(output: &OutputDir, header: &Header) -> Result<Inputs> {
    let value = read(output, header)?;
    let unusable = |reason| unusable(output, of_plan(header), reason);
    match value["plan"]["version"].as_u64() {
        Some(version) if version == u64::from(plan::VERSION) => {}
        Some(version) => return Err(StoreError::OtherPlan { version }),
        None => return Err(unusable("its plan has no version".to_owned())),
    }
    let inputs: Inputs = serde_json::from_value(value).map_err(|e| unusable(e.to_string()))?;
    if inputs.plan.id != header.id {
        return Err(unusable("it is another debate's".to_owned()));
    }
    Ok(inputs)
}

/// The plan in a debate's snapshot, without the templates beside it.
pub fn plan(output: &OutputDir, header: &Header) -> Result<Plan> {
    let mut plan = part(output, of_plan(header))?;
    match &header.snapshot {
        Some(parts) => put_own(&mut plan, parts),
        None => plan = plan["plan"].take(),
    }
    let unusable = |e: serde_json::Error| unusable(output, of_plan(header), e.to_string());
    serde_json::from_value(plan).map_err(unusable)
}

/// The snapshot as stored, with any version of plans, checked against the digests that name it.
pub fn read(output: &OutputDir, header: &Header) -> Result<Value> {
    let Some(parts) = &header.snapshot else { return part(output, &header.inputs) };
    let (plan, templates) = joined(output, parts)?;
    if digest_of(&plan, &templates) == header.inputs {
        Ok(json!({"plan": plan, "templates": templates}))
    } else {
        Err(unusable(output, &parts.plan, "it does not match the journal".to_owned()))
    }
}

/// The digest of the snapshot whose parts are there: what the journal of a debate says that begins with it.
pub fn digest_in(output: &OutputDir, parts: &SnapshotParts) -> Result<String> {
    let (plan, templates) = joined(output, parts)?;
    Ok(digest_of(&plan, &templates))
}

/// A plan and its templates from their parts.
fn joined(output: &OutputDir, parts: &SnapshotParts) -> Result<(Value, Value)> {
    let mut plan = part(output, &parts.plan)?;
    put_own(&mut plan, parts);
    Ok((plan, part(output, &parts.templates)?))
}

fn put_own(plan: &mut Value, parts: &SnapshotParts) {
    if let Some(fields) = plan.as_object_mut() {
        fields.extend(parts.own.clone());
    }
}

/// Stores a part from elsewhere if it matches its digest.
pub fn put_part(output: &OutputDir, digest: &str, bytes: &[u8]) -> Result<()> {
    let value: Value =
        serde_json::from_slice(bytes).map_err(|e| unusable(output, digest, e.to_string()))?;
    if !digest::is_one(digest) || digest::of_json(&value) != digest {
        return Err(unusable(output, digest, "its content does not match its digest".to_owned()));
    }
    Ok(files::replace(&output.inputs(digest), bytes)?)
}

/// The digests of the files that contain a debate's snapshot.
pub fn files_of(header: &Header) -> impl Iterator<Item = &str> {
    let templates = header.snapshot.as_ref().map(|parts| &*parts.templates);
    std::iter::once(of_plan(header)).chain(templates)
}

/// The digest of the file that contains the plan.
fn of_plan(header: &Header) -> &str {
    let parts = header.snapshot.as_ref();
    parts.map_or(&header.inputs, |parts| &parts.plan)
}

fn part(output: &OutputDir, digest: &str) -> Result<Value> {
    let unusable = |reason| unusable(output, digest, reason);
    if !digest::is_one(digest) {
        return Err(unusable("the journal names no digest".to_owned()));
    }
    let bytes = files::read_own(&output.inputs(digest)).map_err(|e| match e.source.kind() {
        ErrorKind::NotFound => unusable("it is missing".to_owned()),
        _ if machine::is_short(&e) => e.into(),
        _ => unusable(e.source.to_string()),
    })?;
    let value = serde_json::from_slice(&bytes).map_err(|e| unusable(e.to_string()))?;
    if digest::of_json(&value) != digest {
        return Err(unusable("its content does not match its name".to_owned()));
    }
    Ok(value)
}

fn unusable(output: &OutputDir, digest: &str, reason: String) -> StoreError {
    StoreError::Inputs { path: output.inputs(digest), reason }
}
