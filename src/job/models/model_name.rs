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

#[cfg(test)]
mod tests {
    use super::*;

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
