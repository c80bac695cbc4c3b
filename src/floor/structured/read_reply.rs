//! Reads a structured reply: finds its JSON object and brings it into the shape of the requested schema.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::coerce::Shaper;
use super::extract_json::{self, Missing};
use crate::event::{CUT_OFF, IN_THOUGHTS, THOUGHT};
use crate::floor::call::{Reader, Review};
use crate::floor::facade::Floor;
use crate::floor::halt::Result;
use crate::journal::ReplyEntry;
use crate::model::{DoneReason, Reply};

/// Reads a reply of a schema's shape.
pub(super) struct ShapeReader<'a> {
    pub(super) floor: &'a Floor,
    pub(super) schema: &'a Value,
}

/// A value in the requested shape.
#[derive(Debug, Clone, Default)]
pub(in crate::floor) struct Shaped {
    pub(in crate::floor) value: Value,
    /// What was done to read it, by keyword.
    pub(in crate::floor) read_as: Vec<String>,
    /// Scores before they were rounded.
    pub(in crate::floor) rounded: BTreeMap<String, f64>,
}

impl Reader<Shaped> for ShapeReader<'_> {
    async fn read(&self, entry: &ReplyEntry) -> Result<Review<Shaped>> {
        Ok(match shaped(self.floor, self.schema, &entry.reply) {
            Ok(shaped) => Review::Accepted(shaped),
            Err(complaint) => Review::Mend(complaint),
        })
    }
}

/// A reply in a schema's shape; `Err` tells the model in words what to fix.
pub(in crate::floor) fn shaped(
    floor: &Floor,
    schema: &Value,
    reply: &Reply,
) -> Result<Shaped, String> {
    let plan = &floor.plan;
    let properties = schema["properties"].as_object();
    let keys: Vec<&String> = properties.into_iter().flat_map(Map::keys).collect();
    let found = extract_json::object(&reply.text, &keys)
        .map_err(|missing| no_object(missing, reply.done_reason))?;
    let participants = plan.participants.iter().map(|p| p.id.as_str());
    let ids = participants.chain(plan.format.profile.team);
    let names: Vec<_> = ids.map(|id| (id.to_owned(), plan.name_of(id).to_owned())).collect();
    let rounded = BTreeMap::new();
    // A debate that began before definitions were read as their options goes on as it began.
    let none = BTreeMap::new();
    let meanings = if floor.marks_breaks() { &plan.format.meanings } else { &none };
    let mut shaper = Shaper { names: &names, meanings, steps: found.steps, rounded };
    let how = |thought: &String| if *thought == reply.text { IN_THOUGHTS } else { THOUGHT };
    shaper.steps.extend(reply.thinking.as_ref().map(how));
    let value = shaper.shape(schema, found.object)?;
    let read_as = shaper.steps.into_iter().map(str::to_owned).collect();
    Ok(Shaped { value, read_as, rounded: shaper.rounded })
}

/// What a model that gave no object is told.
fn no_object(missing: Missing, done_reason: DoneReason) -> String {
    let told = match (missing, done_reason) {
        (Missing::Unfinished, DoneReason::Length | DoneReason::Overrun) => CUT_OFF,
        (Missing::Unfinished, DoneReason::Stop) => "its JSON object does not end: a } is missing",
        (Missing::Broken(fault), _) => {
            return format!("what stands between {{ and }} is not JSON: {fault}");
        }
        (Missing::NoObject, _) => "there is no JSON object in it",
    };
    told.to_owned()
}
