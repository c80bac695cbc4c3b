//! A user's rating of a finished debate: an external in its journal, and a label in its trace (row T6).
//!
//! A debate that is restarted or retried loses its ratings, which were about another course of it.

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::amend::Note;
use crate::trace::{Label, Trace};

/// A rating from 1 to 10.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rating(pub u8);

impl Note for Rating {
    const NAME: &'static str = "rating/user/";

    fn put_into(&self, trace: &mut Trace) {
        trace.labels.retain(|label| !label.is_rating());
        trace.labels.push(Label {
            source: "user".to_owned(),
            name: "rating".to_owned(),
            value: json!(self),
            preference: None,
        });
        // For records with a place for it.
        if let Some(rated) = trace.record.get_mut("user_rating") {
            *rated = json!(self);
        }
    }
}
