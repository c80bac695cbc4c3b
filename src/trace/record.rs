//! What is judged of a debate, and its digest.

use serde_json::json;

use super::{Trace, TraceParticipant};
use crate::digest;
use crate::event::Statement;

impl<R> Trace<R> {
    /// The digest of what a panel reads: what is debated, who argues for what, and what they said. Verdicts rest on it.
    pub fn digest_of_record(&self) -> String {
        let said = |s: &Statement| json!([s.n, s.phase, s.round, s.by, s.text, s.origin]);
        let person = |p: &TraceParticipant| json!([p.id, p.name, p.position, p.contestant]);
        let record = json!({
            "topic": self.question(),
            "participants": self.participants.iter().map(person).collect::<Vec<_>>(),
            "statements": self.statements.iter().map(said).collect::<Vec<_>>(),
        });
        format!("sha256:{}", digest::of_json(&record))
    }

    /// What is debated: the whole query where there is one, else the motion.
    pub fn question(&self) -> &str {
        self.plan.query.as_deref().unwrap_or(&self.topic)
    }
}
