//! Retrieval: which texts of ours are near a query in meaning. It is asked for once, as a reading; a debate that cannot
//! have embeddings goes on without and says so.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::account::ms;
use super::attempts::{Attempts, Next};
use super::counts;
use super::nearest::{Ranked, near_enough, ranked, similarity};
use super::{Floor, Halt, READING};
use crate::digest;
use crate::event::{EventKind, Likeness, Retrieval};
use crate::job::participant::Participant;
use crate::journal::{Entry, ReadingEntry};
use crate::model::{Embeddings, Fault, Keep, NoReply};
use crate::text;

/// The reading's name.
pub(super) const NAME: &str = "retrieval";
/// The most characters of a text that are embedded: with its prefix they fit into the 2,048 tokens of usual models.
const MOST_CHARACTERS: usize = 6000;

/// What is looked for.
#[derive(Debug, Clone, Copy)]
pub struct Retrieve<'a> {
    /// What the texts are compared with.
    pub query: &'a str,
    /// The embedding model; with none, nothing is looked for.
    pub model: Option<&'a str>,
    /// The folder of templates whose `.md` files are compared.
    pub folder: &'a str,
    /// The most that are used.
    pub top: usize,
    /// The least similarity of those.
    pub threshold: f64,
}

/// A text that may be found.
struct Candidate<'a> {
    name: &'a str,
    title: &'a str,
    text: &'a str,
}

/// What begins the paragraph of a template that says which questions it is for.
const PURPOSE: &str = "When to use:";

impl Candidate<'_> {
    /// What is compared with a query: the questions that the text is for, where it says so, since how they are answered
    /// has other words; else all of it.
    fn purpose(&self) -> &str {
        let mut paragraphs = self.text.split("\n\n").map(str::trim);
        let purpose = paragraphs.find(|paragraph| paragraph.starts_with(PURPOSE));
        purpose.unwrap_or(self.text)
    }
}

/// What came of asking, as the journal keeps it.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Looked {
    /// The digest of what was asked.
    asked: String,
    digest: Option<String>,
    similarities: BTreeMap<String, f64>,
    /// Of the texts that were compared, by estimate. What the server read of them depends on which vectors other debates
    /// had left behind, and so says nothing of this one.
    pub(super) prompt_tokens: u64,
    pub(super) prompt_ns: u64,
    pub(super) load_ns: u64,
    /// What went wrong, by attempt.
    pub(super) failed: Vec<String>,
    /// The same as kinds; journals of before they were kept have none.
    #[serde(default)]
    pub(super) faults: Vec<Fault>,
    /// Why there are no embeddings.
    cause: Option<String>,
    cut: Option<u64>,
}

impl Floor {
    /// Looks for the texts of a folder that are nearest to a query, once in a debate.
    pub async fn retrieve(&self, wanted: Retrieve<'_>) -> Result<Retrieval, Halt> {
        if !self.state().names.insert(NAME.to_owned()) {
            let cause = "a mistake in rebut: texts were retrieved twice".to_owned();
            return Err(Halt::Failed(cause));
        }
        let candidates = self.candidates(wanted.folder);
        let none = |cause: &str| Retrieval {
            model: wanted.model.map(str::to_owned),
            cause: Some(cause.to_owned()),
            ..Retrieval::default()
        };
        let retrieval = match wanted.model {
            None => none("the job names no embedding model"),
            Some(_) if candidates.is_empty() => none("there is nothing to compare with"),
            Some(model) => {
                let looked = self.looked(model, wanted.query, &candidates).await?;
                self.report_looked(model, &looked);
                result(&looked, model, wanted, &candidates)
            }
        };
        let event = EventKind::Retrieval(retrieval.clone());
        self.emit(event, None, wanted.model);
        Ok(retrieval)
    }

    fn candidates<'a>(&'a self, folder: &str) -> Vec<Candidate<'a>> {
        let candidate = |name: &'a str| {
            let text = self.source(&format!("{folder}/{name}.md"))?.trim();
            let title = text.lines().find_map(|line| line.strip_prefix("# "));
            let title = title.map_or(name, str::trim);
            Some(Candidate { name, title, text })
        };
        let names = self.templates.names(folder).into_iter();
        names.filter_map(candidate).collect()
    }

    /// The journal's reading; asked for now where there is none.
    async fn looked(
        &self,
        model: &str,
        query: &str,
        candidates: &[Candidate<'_>],
    ) -> Result<Looked, Halt> {
        let texts = texts(model, query, candidates);
        let asked = digest::of_json(&json!({"model": model, "texts": texts}));
        let entry = match self.past.get(&(NAME.to_owned(), READING)) {
            Some(Entry::Reading(entry)) => entry.clone(),
            _ => {
                let (mut looked, keep) = self.ask_for_vectors(model, &texts, candidates).await?;
                looked.asked.clone_from(&asked);
                let entry = ReadingEntry {
                    name: NAME.to_owned(),
                    at: self.clock.now(),
                    value: json!(looked),
                };
                self.append(Entry::Reading(entry.clone())).await?;
                if let Some(Keep(keep)) = keep {
                    // A failure to keep them costs requests, not this debate.
                    let _ = tokio::task::spawn_blocking(move || keep()).await;
                }
                entry
            }
        };
        let looked: Looked = serde_json::from_value(entry.value).unwrap_or_default();
        self.check_same("the retrieval", &looked.asked, &asked)?;
        let mut state = self.state();
        state.now = state.now.max(entry.at);
        state.account_retrieval(model, &looked, entry.at);
        Ok(looked)
    }

    /// Asks for embeddings, like any call three times where that may help; with texts of half the
    /// length where one was too long: their beginnings tell enough.
    async fn ask_for_vectors(
        &self,
        model: &str,
        texts: &[String],
        candidates: &[Candidate<'_>],
    ) -> Result<(Looked, Option<Keep>), NoReply> {
        let mut attempts = Attempts::of(&Participant::default());
        let mut looked = Looked::default();
        loop {
            let pause = attempts.pause(self.retry_delay, &self.plan.id, NAME);
            tokio::time::sleep(pause).await;
            let (shown, cut) = shortened(texts, attempts.share.powi(2));
            looked.cut = cut;
            looked.prompt_tokens = shown.iter().map(|text| text::estimate_tokens(text)).sum();
            match self.model.embed(model, &shown).await {
                Ok(embeddings) => {
                    return Ok((looked.with(&embeddings, candidates), embeddings.keep));
                }
                Err(NoReply::Failed(error)) => {
                    let (name, message) = (error.fault.name(), &error.message);
                    looked.failed.push(format!("{model}: {name} ({message})"));
                    looked.faults.push(error.fault);
                    if attempts.failed(error.fault) != Next::Again {
                        looked.cause = Some(format!("no embeddings: {message}"));
                        looked.prompt_tokens = 0;
                        return Ok((looked, None));
                    }
                }
                Err(other) => return Err(other),
            }
        }
    }

    fn report_looked(&self, model: &str, looked: &Looked) {
        let retried = looked
            .failed
            .len()
            .saturating_sub(usize::from(looked.cause.is_some()));
        for (attempt, failed) in (1..).zip(&looked.failed[..retried]) {
            let message = format!("{failed}; asked again");
            self.report("retry", Some(NAME), Some(attempt), message);
        }
        if let Some(cause) = &looked.cause {
            let message = format!("{model}: {cause}; the debate goes on without");
            self.report(NAME, Some(NAME), None, message);
        }
    }
}

impl Looked {
    /// Whether there were embeddings in the end.
    pub(super) fn answered(&self) -> bool {
        self.cause.is_none()
    }

    /// The first vector is the query's, the others the candidates'.
    fn with(self, embeddings: &Embeddings, candidates: &[Candidate<'_>]) -> Self {
        let mut vectors = embeddings.vectors.iter();
        let query = vectors.next().map_or(&[][..], Vec::as_slice);
        let near = |(it, vector): (&Candidate<'_>, &Vec<f32>)| {
            (it.name.to_owned(), similarity(query, vector))
        };
        Self {
            digest: embeddings.digest.clone(),
            similarities: candidates.iter().zip(vectors).map(near).collect(),
            prompt_ns: counts::believed_time(embeddings.ns.prompt),
            load_ns: counts::believed_time(embeddings.ns.load),
            ..self
        }
    }
}

/// What was found, from what the journal keeps.
fn result(
    looked: &Looked,
    model: &str,
    wanted: Retrieve<'_>,
    candidates: &[Candidate<'_>],
) -> Retrieval {
    let ranked = ranked(looked.similarities.clone());
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
        Some(format!(
            "the nearest, {title}, is at {near}, below {threshold}"
        ))
    };
    Retrieval {
        model: Some(model.to_owned()),
        digest: looked.digest.clone(),
        cause: looked.cause.clone().or_else(far),
        cut: looked.cut,
        ms: ms(looked.prompt_ns),
        found,
        used,
    }
}

/// What is embedded: the query, then the candidates with their names, each behind its prefix.
fn texts(model: &str, query: &str, candidates: &[Candidate<'_>]) -> Vec<String> {
    let (of_query, of_document) = prefixes(model);
    let document = |it: &Candidate<'_>| format!("{of_document}{}\n\n{}", it.title, it.purpose());
    let query = format!("{of_query}{query}");
    [query]
        .into_iter()
        .chain(candidates.iter().map(document))
        .collect()
}

/// What a model wants before a query and before a document, so that the two meet.
fn prefixes(model: &str) -> (&'static str, &'static str) {
    let name = model.rsplit('/').next().unwrap_or_default();
    match name.split(':').next() {
        Some("nomic-embed-text") => ("search_query: ", "search_document: "),
        _ => ("", ""),
    }
}

/// The texts, longer ones cut to this share of the longest, and where they were cut, if one was.
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
