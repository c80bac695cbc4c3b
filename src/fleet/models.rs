//! What the servers of a machine have pulled.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::pools::Pool;
use crate::digest::brief;
use crate::job::models::model_name::canonical;
use crate::journal::{Contents, Entry};
use crate::model::server::Server;

/// The models of a machine by canonical names, with the digests of their weights.
#[derive(Debug, Default, Clone)]
pub(super) struct Pulled(BTreeMap<String, BTreeSet<String>>);

impl Pulled {
    /// Asks servers. One that does not answer has nothing for now.
    pub(super) async fn ask(servers: &[Arc<dyn Server>]) -> Self {
        let mut pulled: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for server in servers {
            for model in server.models().await.unwrap_or_default() {
                let digests = pulled.entry(canonical(&model.name).to_owned()).or_default();
                digests.extend(model.digest.map(|digest| brief(&digest).to_owned()));
            }
        }
        Self(pulled)
    }

    /// Whether a pool's debates can run here.
    pub(super) fn serves(&self, pool: &Pool) -> bool {
        pool.models.iter().all(|model| self.0.contains_key(model))
    }

    /// The names.
    pub(super) fn names(&self) -> Vec<String> {
        self.0.keys().cloned().collect()
    }

    /// The model of a journal that goes by other weights here.
    pub(super) fn differs(&self, journal: &Contents) -> Option<String> {
        let mut begun = journal.entries.iter().filter_map(weights);
        begun.find_map(|(model, digest)| {
            let here = self.0.get(canonical(model))?;
            (!here.is_empty() && !here.contains(brief(digest))).then(|| model.to_owned())
        })
    }
}

/// A model and its digest, where an entry says what a debate began with.
fn weights(entry: &Entry) -> Option<(&str, &str)> {
    let reading = entry.external()?;
    let model = reading.name.strip_prefix("model/")?;
    Some((model, reading.value["digest"].as_str()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::ExternalEntry;
    use chrono::DateTime;
    use serde_json::json;

    #[test]
    fn f2_a_debate_stays_where_its_weights_are() {
        let card = |digest: serde_json::Value| Contents {
            entries: vec![Entry::External(ExternalEntry {
                name: "model/llama3:latest".to_owned(),
                at: DateTime::UNIX_EPOCH,
                value: json!({"digest": digest}),
            })],
            whole_bytes: 0,
        };
        let here = ["aaaaaaaaaaaa".to_owned()];
        let pulled = Pulled([("llama3".to_owned(), here.into())].into());
        let differs = |digest| pulled.differs(&card(digest));
        assert_eq!(differs(json!("sha256:aaaaaaaaaaaa0000")), None);
        assert_eq!(differs(json!(null)), None);
        assert_eq!(differs(json!("sha256:bbbbbbbbbbbb0000")).as_deref(), Some("llama3:latest"));
    }
}
