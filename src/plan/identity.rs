//! What a debate's id is the digest of: everything that distinguishes it from other debates.

use std::sync::LazyLock;

use serde_json::{Map, Value, json};

use super::{Control, Plan};
use crate::job::OnFailure;
use crate::job::participant::Participant;
use crate::question::Posed;

impl Plan {
    /// What distinguishes this debate from any other (row J9a). Keys at their default are omitted, so that a setting
    /// that is added later changes no id.
    pub fn identity(&self) -> Value {
        let participants: Map<String, Value> =
            self.participants.iter().map(|p| (p.id.clone(), identity_of(p))).collect();
        let (settings, default_settings) = self.format.values();
        let all = json!({
            "version": self.version,
            "format": self.format.name(),
            "topic": self.question(),
            "background": self.background,
            "rules": self.rules,
            "language": self.language,
            "participants": participants,
            "settings": without_defaults(&settings, &default_settings),
            "on_failure": self.on_failure,
            "seed": self.seed,
            "repetition": self.repetition,
            "rehearsal": self.rehearsal,
            "script": self.script.as_ref().map(|script| script.identity(&self.topic)),
            "posed": self.posed.as_ref().map(Posed::identity),
            "control": self.control.as_ref().map(Control::identity),
        });
        let defaults = json!({"background": [], "rules": [], "language": null, "settings": {}, "on_failure": OnFailure::Emergency, "repetition": 1, "rehearsal": false, "script": null, "posed": null, "control": null});
        without_defaults(&all, &defaults)
    }
}

fn identity_of(participant: &Participant) -> Value {
    static DEFAULT: LazyLock<Value> = LazyLock::new(|| json!(Participant::default()));
    let mut value = without_defaults(&json!(participant), &DEFAULT);
    // It is the key that this stands under.
    value.as_object_mut().and_then(|fields| fields.remove("id"));
    if let Some(persona) = &participant.persona {
        value["persona"] = json!(persona.text);
    }
    value
}

/// `value` without the keys that equal those of `default`.
fn without_defaults(value: &Value, default: &Value) -> Value {
    let (Value::Object(fields), Value::Object(defaults)) = (value, default) else {
        return value.clone();
    };
    let mut fields = fields.clone();
    fields.retain(|key, value| defaults.get(key) != Some(value));
    Value::Object(fields)
}
