//! Unknown keys in a mapping, and what was probably meant.

use super::suggestions;
use crate::job::models::own_models::people;
use crate::job::reader::Reader;
use crate::job::shape::Key;
use crate::job::tree::{Name, Node};
use crate::text;

/// Says where an unknown key would be right, if it knows.
pub(in crate::job) type Home<'a> = dyn Fn(&str) -> Option<String> + 'a;

impl Reader<'_> {
    /// Reports the keys of a mapping that are not `known`; `home` says where one would be right, if it knows.
    pub(in crate::job) fn refuse_unknown(
        &self,
        path: &str,
        known: &[Key],
        node: &Node,
        home: &Home<'_>,
    ) {
        let names = node.entries().iter().map(|(name, _)| name);
        names
            .filter(|name| known.iter().all(|key| key.name != name.text))
            .for_each(|name| self.unknown(path, known, name, home));
    }

    fn unknown(&self, path: &str, known: &[Key], name: &Name, home: &Home<'_>) {
        let mapping = text::told_if(!path.is_empty(), || format!(" in `{path}`"));
        if name.text.is_empty() {
            let remedy = "write a key before the colon, or remove the line";
            self.problems.add(&name.place, format!("a key{mapping} is empty"), remedy);
            return;
        }
        let shown = text::shorten(&name.text, 60);
        let mut cause = format!("unknown key `{shown}`{mapping}");
        if self.problems.is_full() {
            self.problems.add(&name.place, cause, "");
            return;
        }
        if let Some(odd) = name.text.chars().find(|c| !c.is_ascii()) {
            cause = format!("{cause}, which contains U+{:04X}", u32::from(odd));
        }
        self.problems.add(&name.place, cause, meant(&name.text, known, home));
    }
}

/// Whether an unknown key of a mapping was likely meant for one that it lacks: that it is unknown says enough.
pub(in crate::job) fn is_misspelt(key: &str, known: &[Key], node: &Node) -> bool {
    let names = node.entries().iter().map(|(name, _)| name.text.as_str());
    let mut unknown = names.filter(|name| known.iter().all(|key| key.name != *name));
    let this = format!("did you mean `{key}`?");
    unknown.any(|name| meant(name, known, &|_| None) == this)
}

/// Maximum keys of a mapping that a message lists.
const MOST_LISTED: usize = 20;

/// What to write in place of an unknown key.
fn meant(written: &str, known: &[Key], home: &Home<'_>) -> String {
    if written.starts_with(char::is_whitespace) {
        return "indent the line with plain spaces".to_owned();
    }
    let allowed = known.iter().filter(|key| key.is_allowed());
    let names: Vec<&str> = allowed.map(|key| &*key.name).collect();
    if written == "seeds" && names.contains(&"repeat") {
        return "write `repeat: N` for N runs with a seed each, or `matrix: {seed: [1, 2]}`"
            .to_owned();
    }
    // `topic` in a format without it is that of other formats, not half of `topics`.
    let plural = format!("{written}s");
    let has_plural = names.contains(&&*plural);
    elsewhere(written, known)
        .or_else(|| home(written).filter(|_| has_plural))
        .or_else(|| suggestions::did_you_mean(written, names.iter().copied()))
        .or_else(|| suggestions::like_name(written, &names))
        .or_else(|| home(written))
        .or_else(|| near_elsewhere(written, known))
        .or_else(|| taking_part(written, known))
        .unwrap_or_else(|| match names.len() {
            ..=MOST_LISTED => format!("known keys here: {}", names.join(", ")),
            _ => "`rebut schema job` lists all keys".to_owned(),
        })
}

/// Where a key that is unknown here would be right: below one of the known ones.
fn elsewhere(written: &str, known: &[Key]) -> Option<String> {
    if let Some((head, rest)) = written.split_once('.') {
        let known = known.iter().any(|key| key.name == head);
        let inside = if rest.contains('.') {
            format!("it inside `{head}`")
        } else {
            format!("`{head}: {{{rest}: …}}`")
        };
        return known.then(|| format!("write {inside}; dotted paths belong under `matrix`"));
    }
    let holds = |key: &&Key| key.shape.keys().iter().any(|key| key.name == written);
    let homes: Vec<&str> = known.iter().filter(holds).map(|key| &*key.name).collect();
    let first = homes.first()?;
    let listed: Vec<String> = homes.iter().map(|home| format!("`{home}`")).collect();
    let homes = text::joined(&listed, "or");
    Some(format!(
        "it belongs under {homes}: write `{first}: {{{written}: …}}` (in a matrix, `{first}.{written}`)"
    ))
}

/// Words for those who take part that no format has, or only another one.
const PEOPLE: [&str; 8] =
    ["agents", "debaters", "experts", "panelists", "participants", "players", "sides", "speakers"];

/// The keys of those who take part in this format, for a word that means them.
fn taking_part(written: &str, known: &[Key]) -> Option<String> {
    let people: Vec<String> = people(known).iter().map(|key| format!("`{key}`")).collect();
    let is_meant = PEOPLE.contains(&&*written.to_lowercase()) && !people.is_empty();
    is_meant
        .then(|| format!("those who take part here stand under {}", text::joined(&people, "and")))
}

/// Where a misspelt key would be right.
fn near_elsewhere(written: &str, known: &[Key]) -> Option<String> {
    let below = known.iter().flat_map(|key| key.shape.keys()).map(|key| &*key.name);
    let near = suggestions::nearest(written, below)?;
    let near = Some(near).filter(|near| suggestions::begins_alike(near, written))?;
    Some(format!("did you mean `{near}`? {}", text::capitalised(&elsewhere(near, known)?)))
}
