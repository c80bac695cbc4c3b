//! Retrieval: which templates are near a query in meaning. It is done once, as an external. A debate that cannot get
//! embeddings continues without them and records that.

use serde_json::json;

use super::Floor;
use super::attempts::{Attempts, Next};
use super::call::ms;
use super::halt::Result;
use super::lookup::{Lookup, NAME};
use super::nearest::{Ranked, near_enough, ranked};
use crate::digest;
use crate::event::{EventKind, IncidentKind, Likeness, Retrieval};
use crate::job::participant::Participant;
use crate::model::{CallError, NoReply};
use crate::text;

/// Maximum characters of a text to embed: with its prefix, they fit into the 2,048 tokens of usual models.
const MOST_CHARACTERS: usize = 6000;

/// A search for texts by meaning.
#[derive(Debug, Clone, Copy)]
pub struct Retrieve<'a> {
    /// The text to compare the others with.
    pub query: &'a str,
    /// The embedding model; without one, there is no search.
    pub model: Option<&'a str>,
    /// The folder of templates whose `.md` files are compared.
    pub folder: &'a str,
    /// Maximum texts to use.
    pub top: usize,
    /// Minimum similarity of a text to use.
    pub threshold: f64,
}

/// A text that may be found.
struct Candidate<'a> {
    name: &'a str,
    title: &'a str,
    text: &'a str,
}

/// The start of the paragraph in which a template says which questions it is for.
const PURPOSE: &str = "When to use:";

impl Candidate<'_> {
    /// What is compared with a query: the questions that the text is for, if it names them, since the text on how to answer
    /// them uses other words; otherwise the whole text.
    fn purpose(&self) -> &str {
        let mut paragraphs = self.text.split("\n\n").map(str::trim);
        let purpose = paragraphs.find(|paragraph| paragraph.starts_with(PURPOSE));
        purpose.unwrap_or(self.text)
    }
}

impl Floor {
    /// Finds the texts in a folder that are nearest to a query, once per debate.
    pub async fn retrieve(&self, wanted: Retrieve<'_>) -> Result<Retrieval> {
        self.calls.take_name(NAME)?;
        let candidates = candidates(self, wanted.folder);
        let none = |cause: &str| Retrieval {
            model: wanted.model.map(str::to_owned),
            cause: Some(cause.to_owned()),
            ..Retrieval::default()
        };
        let retrieval = match wanted.model {
            None => none("the job turns retrieval off"),
            Some(_) if candidates.is_empty() => none("there is nothing to compare with"),
            Some(model) => {
                let lookup = look_up(self, model, wanted.query, &candidates).await?;
                report(self, model, &lookup);
                result(&lookup, model, wanted, &candidates)
            }
        };
        let event = EventKind::Retrieval(retrieval.clone());
        self.emit(event, None, wanted.model);
        Ok(retrieval)
    }
}

fn candidates<'a>(floor: &'a Floor, folder: &str) -> Vec<Candidate<'a>> {
    let candidate = |name: &'a str| {
        let text = floor.templates.source(&format!("{folder}/{name}.md"))?.trim();
        let title = text.lines().find_map(|line| line.strip_prefix("# ")).map_or(name, str::trim);
        Some(Candidate { name, title, text })
    };
    let names = floor.templates.names(folder).into_iter();
    names.filter_map(candidate).collect()
}

/// The journal's external, or else a new one.
async fn look_up(
    floor: &Floor,
    model: &str,
    query: &str,
    candidates: &[Candidate<'_>],
) -> Result<Lookup> {
    let texts = texts(model, query, candidates);
    let asked = digest::of_json(&json!({"model": model, "texts": texts}));
    let now = async {
        let lookup = ask_for_vectors(floor, model, &texts, candidates).await?;
        Ok(json!(Lookup { asked: asked.clone(), ..lookup }))
    };
    let entry = floor.calls.read(NAME, now).await?;
    let lookup: Lookup = serde_json::from_value(entry.value).unwrap_or_default();
    floor.calls.check_same("the retrieval", &lookup.asked, &asked)?;
    floor.log.advance(entry.at, 0, 0);
    floor.ledger.lock().count_lookup(model, &lookup, entry.at);
    Ok(lookup)
}

/// Asks for embeddings, up to three times if that may help, as with any call. If a text was too long, all are cut to half
/// the length: their beginnings say enough.
async fn ask_for_vectors(
    floor: &Floor,
    model: &str,
    texts: &[String],
    candidates: &[Candidate<'_>],
) -> Result<Lookup, NoReply> {
    let mut attempts = Attempts::new(&Participant::default());
    let mut lookup = Lookup::default();
    loop {
        let pause = attempts.pause(floor.retry_delay, &floor.plan.id, NAME);
        tokio::time::sleep(pause).await;
        let (shown, cut) = shortened(texts, attempts.share.powi(2));
        lookup.cut = cut;
        lookup.prompt_tokens = shown.iter().map(|text| text::estimate_tokens(text)).sum();
        let CallError { fault, message, .. } = match floor.calls.model.embed(model, &shown).await {
            Ok(embeddings) => {
                let names = candidates.iter().map(|it| it.name);
                return Ok(lookup.with(&embeddings, names));
            }
            Err(NoReply::Failed(error)) => error,
            Err(other) => return Err(other),
        };
        let name = fault.words();
        lookup.failed.push(format!("{model}: {name} ({message})"));
        lookup.faults.push(fault);
        if attempts.failed(fault) != Next::Again {
            lookup.cause = Some(format!("no embeddings: {message}"));
            lookup.prompt_tokens = 0;
            return Ok(lookup);
        }
    }
}

fn report(floor: &Floor, model: &str, lookup: &Lookup) {
    let given_up = usize::from(lookup.cause.is_some());
    let retried = lookup.failed.len().saturating_sub(given_up);
    for (attempt, failed) in (1..).zip(&lookup.failed[..retried]) {
        let message = format!("{failed}; asked again");
        floor.report(IncidentKind::Retry, Some(NAME), Some(attempt), message);
    }
    if let Some(cause) = &lookup.cause {
        let message = format!("{model}: {cause}; the debate goes on without");
        floor.report(IncidentKind::Retrieval, Some(NAME), None, message);
    }
}

/// The search result, from what the journal holds.
fn result(
    lookup: &Lookup,
    model: &str,
    wanted: Retrieve<'_>,
    candidates: &[Candidate<'_>],
) -> Retrieval {
    let ranked = ranked(lookup.similarities.clone());
    let title = |name: &str| {
        let it = candidates.iter().find(|it| it.name == name);
        it.map_or(name, |it| it.title).to_owned()
    };
    let likeness = |(template, similarity): &Ranked| Likeness {
        template: template.clone(),
        title: title(template),
        similarity: *similarity,
    };
    let used = near_enough(&ranked, wanted.top, wanted.threshold);
    let found: Vec<Likeness> = ranked.iter().map(likeness).collect();
    let far = || {
        let nearest = found.first().filter(|_| used.is_empty())?;
        let (title, near) = (&nearest.title, nearest.similarity);
        let threshold = wanted.threshold;
        Some(format!("the nearest, {title}, is at {near}, below {threshold}"))
    };
    Retrieval {
        model: Some(model.to_owned()),
        digest: lookup.digest.clone(),
        cause: lookup.cause.clone().or_else(far),
        cut: lookup.cut,
        ms: ms(lookup.prompt_ns),
        found,
        used,
    }
}

/// The texts to embed: the query, then the candidates with their titles, each after its prefix.
fn texts(model: &str, query: &str, candidates: &[Candidate<'_>]) -> Vec<String> {
    let (of_query, of_document) = prefixes(model);
    let document = |it: &Candidate<'_>| format!("{of_document}{}\n\n{}", it.title, it.purpose());
    let query = format!("{of_query}{query}");
    [query].into_iter().chain(candidates.iter().map(document)).collect()
}

/// The prefixes that a model expects before a query and before a document.
fn prefixes(model: &str) -> (&'static str, &'static str) {
    let name = model.rsplit('/').next().unwrap_or_default();
    match name.split(':').next() {
        Some("nomic-embed-text") => ("search_query: ", "search_document: "),
        _ => ("", ""),
    }
}

/// The texts, cut to this share of the longest one's length, and the length to which they were cut, if any was.
fn shortened(texts: &[String], share: f64) -> (Vec<String>, Option<u64>) {
    let lengths = texts.iter().map(|text| text.chars().count());
    let longest = lengths.max().unwrap_or(0);
    let most = (longest.min(MOST_CHARACTERS) as f64 * share) as usize;
    let shown = texts.iter().map(|text| text.chars().take(most).collect());
    (shown.collect(), (longest > most).then_some(most as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn m5_only_nomic_gets_its_prefixes_whatever_its_tag_and_namespace() {
        let nomic = ("search_query: ", "search_document: ");
        for name in [
            "nomic-embed-text",
            "nomic-embed-text:v1.5",
            "someone/nomic-embed-text:latest",
            "host:5000/someone/nomic-embed-text",
        ] {
            assert_eq!(prefixes(name), nomic, "{name}");
        }
        for name in ["all-minilm", "nomic-embed-text-v2-moe", "nomic/other", ""] {
            assert_eq!(prefixes(name), ("", ""), "{name}");
        }
    }

    #[test]
    fn m5_long_texts_are_cut_and_short_ones_are_not() {
        let texts = ["é".repeat(7000), "short".to_owned()];
        let (shown, cut) = shortened(&texts, 1.0);
        assert_eq!((shown[0].chars().count(), cut), (6000, Some(6000)));
        assert_eq!(shown[1], "short");
        assert_eq!(shortened(&texts, 0.5).1, Some(3000));
        assert_eq!(shortened(&texts[1..], 1.0), (vec!["short".into()], None));
    }
}
