//! The names of models.

/// `name` with its tag: `llama3` is `llama3:latest`.
pub(crate) fn full_name(name: &str) -> String {
    if last_part(name).contains(':') { name.into() } else { format!("{name}:latest") }
}

/// `name` as Ollama's own messages spell it, with registry and tag.
pub(crate) fn display_name(name: &str) -> String {
    let name = full_name(name);
    match name.matches('/').count() {
        0 => format!("registry.ollama.ai/library/{name}"),
        1 => format!("registry.ollama.ai/{name}"),
        _ => name,
    }
}

/// Whether `name` is `model`, with or without tag, namespace and host.
pub(crate) fn is_valid(name: &str) -> bool {
    let parts: Vec<&str> = name.split('/').collect();
    let Some((last, places)) = parts.split_last() else {
        return false;
    };
    let (model, tag) = last.split_once(':').unwrap_or((last, "latest"));
    let place = |it: &&str| is_part(&it.replace(':', "_"));
    parts.len() <= 3 && is_part(model) && is_part(tag) && places.iter().all(place)
}

/// Whether ollama.com serves it: `x:cloud` or `x:tag-cloud`.
pub(crate) fn is_cloud(name: &str) -> bool {
    let tag = last_part(name).split_once(':').map_or("", |(_, tag)| tag);
    tag == "cloud" || tag.ends_with("-cloud")
}

fn last_part(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

fn is_part(text: &str) -> bool {
    let starts_well = text.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
    let fits = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
    starts_well && text.len() <= 80 && text.chars().all(fits)
}
