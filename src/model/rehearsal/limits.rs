//! Rehearsals of maximum length: replies at their limits, and findings that lead to more calls.

use serde_json::{Value, json};

use super::{Rehearsal, Request};
use crate::call_id::CallId;

impl Rehearsal {
    /// Changes a judgment of a debate that is to take what it may: nobody ends it, all disagree, whoever speaks must answer
    /// for it.
    pub(super) fn prolong(&self, value: &mut Value, request: &Request) {
        if !self.at_limits {
            return;
        }
        for (key, set) in [("breach", true), ("end_now", false)] {
            if value.get(key).is_some() {
                value[key] = json!(set);
            }
        }
        let claims = value.get_mut("claims").and_then(Value::as_array_mut);
        for claim in claims.into_iter().flatten() {
            if claim.get("verdict").is_some() {
                claim["verdict"] = json!("false");
            }
        }
        if let Some(stance) = self.own_stance(request) {
            value["stance"] = stance;
        }
    }

    /// The stance of a participant who is asked for one: another for each, as far as there are as many.
    fn own_stance(&self, request: &Request) -> Option<Value> {
        let stances = request.schema.as_ref()?.pointer("/properties/stance/enum")?.as_array()?;
        let by = CallId::parse(&request.call)?.by?;
        let place = self.positions.iter().position(|(id, _)| *id == by)?;
        stances.get(place.checked_rem(stances.len())?).cloned()
    }
}
