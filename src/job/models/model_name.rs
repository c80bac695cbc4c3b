//! Names of models as Ollama reads them.

use crate::job::problem::{Place, Problems};

/// The tag of a name without one.
const DEFAULT_TAG: &str = ":latest";

/// The canonical name of a model: `llama3` for `llama3:latest`, the same model to Ollama.
pub fn canonical(model: &str) -> &str {
    match model.strip_suffix(DEFAULT_TAG) {
        Some(name) if !name.is_empty() && !has_tag(name) => name,
        _ => model,
    }
}

fn has_tag(name: &str) -> bool {
    let last = name.rsplit('/').next();
    last.is_some_and(|last| last.contains(':'))
}

/// Whether models are below a key of a participant.
pub(in crate::job) fn names_models(key: &str) -> bool {
    matches!(key, "model" | "fallback")
}

/// Reports a name that no model can have.
pub(in crate::job) fn check_model_name(name: &str, place: &Place, problems: &Problems) {
    if name.contains(char::is_whitespace) {
        let remedy = "write it as shown by `ollama list`, such as `llama3:8b`";
        problems.add(place, format!("`{name}` is not a model name"), remedy);
    }
}

/// Whether two names mean one model.
pub fn same_model(a: &str, b: &str) -> bool {
    canonical(a) == canonical(b)
}

/// Whether a server's name for a model may mean the one that was asked: spelt in other cases, with the registry or the
/// namespace before it that the other name leaves out, or as the cloud calls what it runs.
pub fn may_be_same_model(asked: &str, named: &str) -> bool {
    let [a, b] = [asked, named].map(|name| {
        let name = canonical(name.trim()).to_lowercase();
        let local = name.strip_suffix("-cloud").or(name.strip_suffix(":cloud"));
        local.map_or_else(|| name.clone(), str::to_owned)
    });
    let is_in = |long: &str, short: &str| {
        let before = long.strip_suffix(short);
        before.is_some_and(|before| before.is_empty() || before.ends_with('/'))
    };
    is_in(&a, &b) || is_in(&b, &a)
}

/// Whether a server takes two names for one model: Ollama reads them without regard to case. Debates and results do not.
pub fn same_on_server(a: &str, b: &str) -> bool {
    canonical(a).to_lowercase() == canonical(b).to_lowercase()
}

/// The first of these names that a server takes for a model's, but that is another name in results.
pub fn spelt_differently<'n>(
    model: &str,
    mut names: impl Iterator<Item = &'n str>,
) -> Option<&'n str> {
    names.find(|name| same_on_server(name, model) && !same_model(name, model))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c2_a_server_may_name_a_model_in_another_way() {
        for (asked, named) in [
            ("llama3", "llama3:latest"),
            ("llama3", "Llama3"),
            ("llama3", "registry.ollama.ai/library/llama3:latest"),
            ("hf.co/me/Model-GGUF:Q4_K_M", "me/model-gguf:q4_k_m"),
            ("gpt-oss:120b-cloud", "gpt-oss:120b"),
            ("kimi-k2:cloud", "kimi-k2"),
        ] {
            assert!(may_be_same_model(asked, named), "{asked}, {named}");
        }
        for (asked, named) in [
            ("llama3", "gpt-4o-mini"),
            ("llama3:8b", "llama3:70b"),
            ("llama3", "codellama3"),
            ("llama3", "llama3:8b"),
        ] {
            assert!(!may_be_same_model(asked, named), "{asked}, {named}");
        }
        let spelt = |model, name| spelt_differently(model, [name].into_iter());
        assert_eq!(spelt("Llama3", "llama3:latest"), Some("llama3:latest"));
        assert_eq!(spelt("llama3", "llama3:latest"), None);
        assert_eq!(spelt("llama3", "mistral"), None);
    }

    #[test]
    fn j5a_only_the_default_tag_is_left_out() {
        for (name, wanted) in [
            ("llama3", "llama3"),
            ("llama3:latest", "llama3"),
            ("llama3:8b", "llama3:8b"),
            ("me/llama3:latest", "me/llama3"),
            ("localhost:5000/llama3:latest", "localhost:5000/llama3"),
            ("localhost:5000/llama3", "localhost:5000/llama3"),
            ("llama3:latest-cloud", "llama3:latest-cloud"),
            (":latest", ":latest"),
            ("gpt-oss:120b-cloud:latest", "gpt-oss:120b-cloud:latest"),
        ] {
            assert_eq!(canonical(name), wanted);
        }
        assert!(same_model("llama3", "llama3:latest") && !same_model("llama3", "llama3:8b"));
    }
}
