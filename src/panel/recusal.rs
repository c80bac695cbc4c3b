//! Why a judge is recused: what its model shares with a debater's: weights, name, ancestors or family.

use std::collections::{BTreeMap, BTreeSet};

use crate::event::{Recusal, RecusalReason};
use crate::job::models::model_name::{canonical, same_model};
use crate::job::panel::RecuseBy;
use crate::model::Card;

/// Where a model comes from.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ModelOrigin {
    /// Its name.
    pub name: String,
    /// The digest of its weights.
    pub digest: Option<String>,
    /// What it was made from, by name or digest.
    pub lineage: Vec<String>,
    /// Its families: what the user says, otherwise those of its ancestors and of its name.
    pub families: BTreeSet<String>,
}

/// Families of models, by model or by the beginning of its name.
pub type Families = BTreeMap<String, String>;

impl ModelOrigin {
    /// A model as the server describes it. Its architecture makes no family: many lineages share one.
    pub fn new(name: &str, card: &Card, families: &Families) -> Self {
        let line = card.lineage.iter().map(String::as_str);
        let of = |name: &str| listed(name, families).or_else(|| by_name(name));
        let own: Vec<String> = match listed(name, families) {
            Some(listed) => vec![listed],
            None => line.filter(|it| is_name(it)).filter_map(of).chain(by_name(name)).collect(),
        };
        Self {
            name: canonical(name).to_owned(),
            digest: card.digest.clone(),
            lineage: card.lineage.clone(),
            families: own.iter().map(|family| of_one_maker(family)).collect(),
        }
    }

    /// What it shares with a debater's model that is too close.
    pub fn recusal(&self, debater: &str, with: &Self, by: RecuseBy) -> Option<Recusal> {
        let (reason, shares) = self.shares(with, by)?;
        Some(Recusal { reason, with: debater.to_owned(), shares })
    }

    fn shares(&self, with: &Self, by: RecuseBy) -> Option<(RecusalReason, String)> {
        let digest = self.digest.as_ref();
        if let Some(digest) = digest.filter(|own| with.digest.as_ref() == Some(own)) {
            return Some((RecusalReason::SameDigest, digest.clone()));
        }
        if same_model(&self.name, &with.name) {
            return Some((RecusalReason::Named, self.name.clone()));
        }
        let ancestor = self.ancestor(with).filter(|_| by >= RecuseBy::Lineage);
        let lineage = ancestor.map(|name| (RecusalReason::SameLineage, name));
        let mut shared = self.families.intersection(&with.families);
        let family = shared.next().filter(|_| by >= RecuseBy::Family);
        lineage.or_else(|| Some((RecusalReason::SameFamily, family?.clone())))
    }

    /// A model that both were made from, or the one from which the other was.
    fn ancestor(&self, with: &Self) -> Option<String> {
        let mut found = self.line().filter(|one| {
            let mut others = with.line();
            others.any(|other| same_model(one, other))
        });
        found.next().map(str::to_owned)
    }

    /// It and all it was made from, by name and digest.
    fn line(&self) -> impl Iterator<Item = &str> {
        let own = [Some(self.name.as_str()), self.digest.as_deref()];
        let lineage = self.lineage.iter().map(String::as_str);
        own.into_iter().flatten().chain(lineage)
    }
}

/// The family that the user names for a model; the longest beginning counts.
fn listed(name: &str, families: &Families) -> Option<String> {
    let (name, mut best) = (canonical(name).to_lowercase(), None);
    for (key, family) in families {
        let key = canonical(key).to_lowercase();
        let rest = name.strip_prefix(&key);
        let is_whole = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric());
        if rest.is_some_and(is_whole) && best.as_ref().is_none_or(|(n, _)| *n < key.len()) {
            best = Some((key.len(), family.clone()));
        }
    }
    best.map(|(_, family)| family)
}

/// Whether what a model was made from is told by name; else it is a digest or a file.
fn is_name(ancestor: &str) -> bool {
    !ancestor.starts_with("sha256") && !ancestor.starts_with(['/', '.'])
}

/// A family by the one name of it: Meta's models are called `meta-llama-3` and `llama3`.
fn of_one_maker(family: &str) -> String {
    match family.to_lowercase().as_str() {
        "meta" => "llama".to_owned(),
        other => other.to_owned(),
    }
}

/// The family that a name tells: its letters before the first digit or mark, without who published it.
pub fn by_name(name: &str) -> Option<String> {
    let own = name.rsplit('/').next()?;
    let letters: String = own.chars().take_while(|c| c.is_alphabetic()).collect();
    (!letters.is_empty()).then_some(letters)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn origin(name: &str, lineage: &[&str], families: &[(&str, &str)]) -> ModelOrigin {
        let card = Card {
            lineage: lineage.iter().map(|name| (*name).to_owned()).collect(),
            ..Card::default()
        };
        let owned = |(name, family): &(&str, &str)| ((*name).to_owned(), (*family).to_owned());
        ModelOrigin::new(name, &card, &families.iter().map(owned).collect())
    }

    #[test]
    fn c2_a_family_is_listed_or_inherited_or_read_from_the_name() {
        for (name, lineage, expected) in [
            ("qwen3:14b", &[][..], &["qwen"][..]),
            ("hf.co/someone/Gemma-3-12b-GGUF:Q4_K_M", &[], &["gemma"]),
            ("my-judge", &["qwen3:8b"], &["my", "qwen"]),
            ("my-judge", &["sha256:0123", "/blobs/sha256-0123"], &["my"]),
            ("deepseek-r1:8b", &["Llama 3.1 8B"], &["deepseek", "llama"]),
            ("dolphin-mistral:7b", &["llama3"], &["mistral"]),
            ("dolphin-mistralite", &[], &["dolphin"]),
            ("mine", &["dolphin-mistral"], &["mine", "mistral"]),
            ("hf.co/bartowski/Meta-Llama-3.1-8B-GGUF", &[], &["llama"]),
            ("codes", &["meta-llama-3"], &["codes", "llama"]),
            ("7b", &[], &[]),
        ] {
            let origin = origin(name, lineage, &[("dolphin-mistral", "Mistral")]);
            let families: Vec<&str> = origin.families.iter().map(String::as_str).collect();
            assert_eq!(families, expected, "{name} {lineage:?}");
        }
    }

    #[test]
    fn c2_what_is_shared_recuses_as_far_as_the_panel_says() {
        let debater = origin("qwen3:8b", &["base"], &[]);
        let same = origin("qwen3:8b", &[], &[]);
        let child = origin("judge", &["qwen3:8b"], &[("judge", "other")]);
        let sibling = origin("sister", &["base"], &[("sister", "other")]);
        let cousin = origin("qwen2.5:14b", &[], &[]);
        let stranger = origin("gemma3", &[], &[]);
        let reason = |judge: &ModelOrigin, by| {
            let recusal = judge.recusal("agent_a", &debater, by);
            recusal.map(|recusal| recusal.reason)
        };
        use RecusalReason::{Named, SameFamily, SameLineage};
        for (judge, by_digest, by_lineage, by_family) in [
            (&same, Some(Named), Some(Named), Some(Named)),
            (&child, None, Some(SameLineage), Some(SameLineage)),
            (&sibling, None, Some(SameLineage), Some(SameLineage)),
            (&cousin, None, None, Some(SameFamily)),
            (&stranger, None, None, None),
        ] {
            assert_eq!(reason(judge, RecuseBy::Digest), by_digest, "{judge:?}");
            assert_eq!(reason(judge, RecuseBy::Lineage), by_lineage, "{judge:?}");
            assert_eq!(reason(judge, RecuseBy::Family), by_family, "{judge:?}");
        }
    }
}
