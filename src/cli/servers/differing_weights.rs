//! Models with different weights under the same name on several servers: a debate stays with the weights it began with.

use std::collections::BTreeMap;

use crate::digest::brief;
use crate::job::models::model_name::canonical;
use crate::model::server::Installed;
use crate::text;

/// A line for each of these models (or of all, if none are given) that have different digests on different servers.
pub(in crate::cli) fn differing(
    servers: &[(String, Vec<Installed>)],
    among: &[String],
) -> Vec<String> {
    let is_among = |name| among.is_empty() || among.iter().any(|it| canonical(it) == name);
    let mut models: BTreeMap<&str, BTreeMap<&str, Vec<&str>>> = BTreeMap::new();
    for (server, installed) in servers {
        for model in installed {
            let (name, digest) = (canonical(&model.name), model.digest.as_deref());
            if let Some(digest) = digest.filter(|_| is_among(name)) {
                let digests = models.entry(name).or_default();
                digests.entry(brief(digest)).or_default().push(server);
            }
        }
    }
    let several = models.iter().filter(|(_, digests)| digests.len() > 1);
    let lines = several.map(|(model, digests)| line(model, digests));
    lines.collect()
}

fn line(model: &str, digests: &BTreeMap<&str, Vec<&str>>) -> String {
    let each = digests.iter();
    let each = each.map(|(digest, on)| format!("{digest} on {}", text::joined(on, "and")));
    format!(
        "{model} differs between servers ({}); each debate stays with the version it began with",
        each.collect::<Vec<_>>().join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn j10c_different_weights_under_one_name_are_named_with_their_servers() {
        let model = |name: &str, digest: &str| Installed {
            name: name.to_owned(),
            digest: Some(digest.to_owned()),
            size: 1,
        };
        let one = [
            model("llama3:latest", "sha256:aaaa"),
            model("qwen3", "cccc"),
        ];
        let two = [model("llama3", "bbbb"), model("qwen3", "cccc")];
        let servers = [
            ("gpu1".to_owned(), one.to_vec()),
            ("gpu2".to_owned(), two.to_vec()),
            ("gpu3".to_owned(), two.to_vec()),
        ];
        let told = "llama3 differs between servers (aaaa on gpu1, bbbb on gpu2 and gpu3); \
            each debate stays with the version it began with";
        assert_eq!(differing(&servers, &[]), [told]);
        assert_eq!(differing(&servers, &["llama3".to_owned()]), [told]);
        assert!(differing(&servers, &["qwen3:latest".to_owned()]).is_empty());
        assert!(differing(&servers[1..], &[]).is_empty());
    }
}
