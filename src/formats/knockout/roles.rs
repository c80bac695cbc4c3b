//! The ids and names of those who take part.

use serde_json::{Value, json};

pub(super) use super::settings::{TEAM, X};
use crate::floor::Floor;

pub(super) const COMMENTATOR: &str = "commentator";

pub(super) fn named(floor: &Floor, id: &str) -> Value {
    json!(floor.plan().participant(id))
}

pub(super) fn name<'a>(floor: &'a Floor, id: &'a str) -> &'a str {
    floor.plan().name_of(id)
}
